"""The golden cases of a method, in the form that its evaluate module is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from ..registry import get_method


def golden_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a method's ``golden.json``.

    Each has ``name``, ``source`` (the paper, or how it was worked by hand), ``model`` (omitted if the columns
    contain scores), ``params`` (options), ``input`` (columns), ``expected`` (keys of the module's dictionary) and
    ``tolerance`` (relative).

    Examples:
        >>> sorted(golden_cases("weat")[0])
        ['expected', 'input', 'model', 'name', 'params', 'source', 'tolerance']
    """
    text = (resources.files(get_method(name).package) / "golden.json").read_text(encoding="utf-8")
    return json.loads(text)["cases"]  # type: ignore[no-any-return]


def module_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases as ``{"inputs": columns, options and model, "result": what the module must answer}``."""
    return [
        {
            "inputs": {**case["input"], **case["params"], **_model(case.get("model"))},
            "result": case["expected"],
        }
        for case in golden_cases(name)
    ]


def _model(spec: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the model that a case names: vectors, texts, a table of probabilities, or what ``load_model`` accepts."""
    if spec is None:
        return {}
    if "table_mlm" in spec:
        from ..models.table import TableMLM

        return {"model": TableMLM(**spec["table_mlm"])}
    if "texts" in spec:
        from ..corpora.corpus import load_corpus

        return {"model": load_corpus(spec["texts"])}
    return {"model": spec["vectors"] if "vectors" in spec else spec["name"]}
