"""Folders that stand at the top of a checkout and are packed into the wheel."""

from __future__ import annotations

from pathlib import Path

__all__ = ["bundled_folder"]


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
