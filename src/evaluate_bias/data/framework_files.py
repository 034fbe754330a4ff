"""List files of the BIAS Detection Framework (Puttick et al. 2024): WEAT ``.txt``, SEAT and LPBS ``.jsonl``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from ..errors import DataError

_LISTS = {"targ1": "targets_x", "targ2": "targets_y", "attr1": "attributes_a", "attr2": "attributes_b"}
_LABELS = {"targ1": "x_label", "targ2": "y_label", "attr1": "a_label", "attr2": "b_label"}


def word_list_row(text: str, name: str) -> dict[str, Any]:
    """Read four lines of words separated by commas: two lists of targets, two of attributes; ``#`` begins a comment.

    Comments such as ``# Target: business`` name the lists.

    Args:
        text: content of the file.
        name: its name.

    Raises:
        DataError: it has not four such lines.

    Examples:
        >>> row = word_list_row("# Target: art\\nart, dance\\nmath, algebra\\nshe\\nhe\\n", "toy.txt")
        >>> row["name"], row["targets_x"], row["attributes_b"], row["x_label"]
        ('toy', ['art', 'dance'], ['he'], 'art')
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lists = [[w.strip() for w in line.split(",") if w.strip()] for line in lines if not line.startswith("#")]
    if len(lists) != len(_LISTS):
        raise DataError(
            f"{name} has {len(lists)} lines of words, and a .txt file of word lists has four: two of targets, then two "
            "of attributes, the words separated by commas",
            option="source",
        )
    row: dict[str, Any] = {
        "name": PurePath(name).stem,
        **dict(zip(_LISTS.values(), lists, strict=True)),
    }
    # A label that is given again is the same one.
    comments = dict.fromkeys(re.findall(r"^#\s*(Target|Attribute):\s*(\S.*?)\s*$", text, flags=re.MULTILINE))
    for kind, keys in (("Target", ("targ1", "targ2")), ("Attribute", ("attr1", "attr2"))):
        labels = [label for of_kind, label in comments if of_kind == kind]
        row |= {_LABELS[key]: label for key, label in zip(keys, labels, strict=False)}
    return row


def is_test_file(text: str) -> bool:
    """Whether a file holds one test of SEAT or LPBS as the framework writes it, a JSON object over many lines."""
    return re.match(r'\s*\{\s*"targ1"\s*:', text) is not None


def read_test_object(parsed: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Read one test of SEAT, with written-out sentences, or of LPBS, with templates of its own.

    Args:
        parsed: the object.
        name: name of its file.

    Raises:
        DataError: a list is missing or has another form.

    Examples:
        >>> lists = {"targ1": {"singular": ["he"], "plural": ["men"]}, "targ2": {"singular": ["she"]},
        ...          "attr1": ["math"], "attr2": ["art"], "templates": {"plural": ["TARGET like ATTRIBUTE."]}}
        >>> row = read_test_object(lists, "toy.jsonl")
        >>> row["targets_x"], row["plural_targets"], row["plural_templates"]
        (['he', 'men'], ['men'], ['{target} like {attribute}.'])
    """
    row: dict[str, Any] = {"name": PurePath(name).stem}
    plural: list[str] = []
    try:
        for key, column in _LISTS.items():
            words = parsed[key]
            if isinstance(words, Mapping) and "examples" in words:
                row[_LABELS[key]], words = words["category"], words["examples"]
            elif isinstance(words, Mapping):
                plural += words.get("plural", [])
                words = [*words.get("singular", []), *words.get("plural", [])]
            row[column] = [" ".join(word.split()) for word in words]
        templates = {
            f"{number}_templates": [
                text.replace("TARGET", "{target}").replace("ATTRIBUTE", "{attribute}") for text in texts
            ]
            for number, texts in parsed.get("templates", {}).items()
        }
    except (KeyError, TypeError, AttributeError):
        raise DataError(
            f"{name} is not a test of the BIAS framework: it needs {', '.join(_LISTS)}, each a list of words, or an "
            "object with 'category' and 'examples', or with 'singular' and 'plural'",
            option="source",
        ) from None
    return {**row, **({"plural_targets": plural, **templates} if templates else {})}
