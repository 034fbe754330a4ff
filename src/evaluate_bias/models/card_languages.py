"""The languages that a model is made for, as far as its catalogue entry or the card in its folder says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_CARD = "README.md"
_MANY = {"mul", "multilingual", "und", "unknown", "code"}
"""What stands for several languages, or says nothing."""


def card_languages(model: Any) -> frozenset[str]:
    """Return the primary language tags of a model, such as ``{"en"}``; empty where they are not known, or many.

    Args:
        model: a loaded model.

    Examples:
        >>> from evaluate_bias import load_model
        >>> card_languages(load_model({"she": [1.0], "he": [0.5]}))
        frozenset()
    """
    facts: Mapping[str, Any] = getattr(model, "provenance", dict)()
    if name := facts.get("asset"):
        from ..assets import get_asset

        return _known([get_asset(name).language])
    checkpoint = getattr(getattr(model, "source", None), "checkpoint", None)
    if checkpoint is None or not (card := Path(checkpoint.location) / _CARD).is_file():
        return frozenset()
    import yaml
    from huggingface_hub import metadata_load

    try:
        front_matter = metadata_load(card) or {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return frozenset()
    return _known(front_matter.get("language"))


def _known(languages: Any) -> frozenset[str]:
    tags = [languages] if isinstance(languages, str) else languages if isinstance(languages, list) else []
    primary = {str(tag).strip().lower().replace("_", "-").partition("-")[0] for tag in tags} - {""}
    return frozenset() if primary & _MANY else frozenset(primary)
