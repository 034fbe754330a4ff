"""Where the library's own things are: folders that come with it, and its organisation on the Hub."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

ORGANISATION = "bias"
"""The Hub organisation that modules, data sets and Spaces are published under. Until it belongs to this project, what
is there may be anybody's: nothing of this library loads from it unasked."""


def hub_id(name: str) -> str:
    """Return the Hub id of something of this library.

    Examples:
        >>> hub_id("weat-word-lists")
        'bias/weat-word-lists'
    """
    return f"{ORGANISATION}/{name}"


def bundled_folder(name: str) -> Path:
    """Return where a top-level folder is: inside the installed package, or in the checkout it runs from.

    Args:
        name: ``"metrics"`` or ``"demo_models"``.

    Examples:
        >>> (bundled_folder("metrics") / "weat" / "weat.py").is_file()
        True
    """
    package = Path(__file__).resolve().parent
    bundled = package / f"_{name}"
    return bundled if bundled.is_dir() else package.parents[1] / name


def packaged_data(path: str) -> Traversable:
    """Return a file or folder of the packaged data.

    Examples:
        >>> packaged_data("seat_tests/en.jsonl").is_file()
        True
    """
    return resources.files("evaluate_bias") / "data" / "packaged" / path


def recipe_file(dataset: str, name: str) -> Traversable:
    """Return a file in the folder of a data set's recipe.

    Examples:
        >>> recipe_file("bbq", "card.md").is_file()
        True
    """
    return resources.files("evaluate_bias") / "data" / "recipes" / dataset / name
