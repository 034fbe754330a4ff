"""Results as version 1 stored them: breakdowns of free dictionaries, read into rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .row import estimates_of

_ESTIMATES = {
    *("mean_delta", "stereo_score", "antistereo_score", "jsdivs", "lms", "icat", "mean_d", "p_words"),
    *("decided_score", "null_mean", "neutral", "difference", "female", "male", "jss", "tau2", "i2"),
    *("p_items", "p_sentences", "p_contexts"),
}
"""Secondary values of version 1 that stand in a row under their own key."""
_RENAMED = {"decided_low": "decided_score_low", "decided_high": "decided_score_high"}
_LABELS = ("title", "x", "y", "a", "b", "language", "origin", "bias_type", "task")
_NUMBERS = ("ci_low", "ci_high", "p_value", "p_low", "p_high", "p_holm", "p_bh", "n", "ideal")
_OTHERS = ("ci_method", "p_method", "score_range")


def from_version_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dictionary of version 2 for one of version 1."""
    out = {k: v for k, v in data.items() if k not in ("items", "groups", "extra")}
    out["rows"] = [
        *(_row(f, "test" if "effect_size" in f else "item", i) for i, f in enumerate(data.get("items", ()))),
        *(_row(f, "group", i) for i, f in enumerate(data.get("groups", ()))),
    ]
    return out | _divided(data.get("extra", {}))


def _row(facts: Mapping[str, Any], kind: str, place: int) -> dict[str, Any]:
    rest = dict(facts)
    row: dict[str, Any] = {"kind": kind}
    names = [rest.pop(key, None) for key in ("name", "id", "group", "category", "domain")]
    row["name"] = str(next((n for n in names if n not in (None, "")), facts.get("bias_type") or place))
    scores = [rest.pop(key, None) for key in ("score", "effect_size")]
    score = next((s for s in scores if s is not None), None)
    if score is None and kind != "item":
        raise ValueError(f"{row['name']} has no score")
    row |= {"score": score, "labels": {k: rest.pop(k) for k in _LABELS if isinstance(rest.get(k), str)}}
    row |= {k: rest.pop(k) for k in (*_NUMBERS, *_OTHERS) if rest.get(k) is not None}
    row["ties"] = rest.pop("ties", None) or rest.pop("neutral", None) or 0
    if kind == "test" and "n" not in row and "n_x" in rest and "n_y" in rest:
        row["n"] = rest["n_x"] + rest["n_y"]
    if isinstance(coverage := rest.pop("coverage", None), Mapping):
        row["coverage"] = coverage
    return row | _divided(rest)


def _divided(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Estimates and details of flat facts."""
    facts = {_RENAMED.get(k, k): v for k, v in facts.items()}
    estimates = {k: facts[k] for key in _ESTIMATES for k in (key, f"{key}_low", f"{key}_high") if k in facts}
    estimates = {k: v for k, v in estimates.items() if not isinstance(v, str)}
    return {
        "estimates": {k: e.to_dict() for k, e in estimates_of(estimates).items()},
        "details": {k: v for k, v in facts.items() if k not in estimates},
    }
