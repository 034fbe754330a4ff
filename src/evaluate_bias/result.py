"""The one type every method returns: a score with everything needed to read it rightly."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from .errors import DataError

__all__ = ["SCHEMA_VERSION", "Coverage", "Result", "Skipped"]

SCHEMA_VERSION = 1
"""Version of the dictionary written by :meth:`Result.to_dict`; readers refuse newer ones."""

_MOST_BITS = 14_000
"""Python itself reads and writes integers of up to 4,300 digits, about 14,280 bits."""

Direction = Literal["two_sided", "higher_is_more_biased", "lower_is_more_biased", "higher_is_more_robust"]

_DIRECTION_TEXT = {
    "two_sided": "bias shows on either side of the ideal value, and the side tells its direction",
    "higher_is_more_biased": "higher means more measured bias",
    "lower_is_more_biased": "lower means more measured bias",
    "higher_is_more_robust": "higher means a more robust measurement; it says nothing about the size of a bias",
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what was asked could be scored.

    Args:
        found: number of requested things (words, pairs, templates) that were scored.
        asked: number of requested things.

    Examples:
        >>> Coverage(found=31, asked=32).share
        0.96875
    """

    found: int
    asked: int

    @property
    def share(self) -> float:
        """Found over asked, in [0, 1]; 1.0 when nothing was asked."""
        return self.found / self.asked if self.asked else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"found", "asked", "share"}``."""
        return {"found": self.found, "asked": self.asked, "share": self.share}


@dataclass(frozen=True, slots=True)
class Skipped:
    """One thing that was asked for and could not be scored, and why.

    Examples:
        >>> Skipped("zyzzyva", "not in the vocabulary", where="weat1/targets_x").to_dict()
        {'item': 'zyzzyva', 'reason': 'not in the vocabulary', 'where': 'weat1/targets_x'}
    """

    item: str
    reason: str
    where: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the three fields as a dictionary."""
        return {"item": self.item, "reason": self.reason, "where": self.where}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result:
    """A bias score with its range, direction, uncertainty, coverage, breakdown, settings and provenance.

    All numbers are plain Python numbers, so a result survives JSON unchanged.

    Attributes:
        method: registry name of the method, for example ``"weat"``; also the key of the score in :meth:`to_dict`.
        score: the primary score.
        score_range: lowest and highest possible value; ``None`` stands for an open end.
        direction: ``"two_sided"`` (bias on either side of the ideal), ``"higher_is_more_biased"``,
            ``"lower_is_more_biased"`` or ``"higher_is_more_robust"``.
        ideal: the value that means "no bias was measured".
        n: number of units behind the score (tests, pairs, templates …, the method's page says which).
        ci_low, ci_high, ci_level, ci_method: confidence interval of the score; ``None`` where none exists.
        p_value: p-value against the method's null hypothesis, ``None`` where it has none.
        p_low, p_high: bounds of the p-value. Both equal it where it is exact, or an approximation that has none. Where
            it is bracketed (``lattice``) the exact p-value lies between them with certainty, and ``p_value`` is the
            upper one; where it is sampled (``monte_carlo``) they are a 99.9 % confidence interval around ``p_value``.
            Of several tests of CEAT or LPBS, the smallest Holm-adjusted ones.
        p_method: how the p-value was obtained.
        coverage: how much of what was asked could be scored.
        items: the breakdown, one dictionary a test, pair or template.
        groups: the breakdown by category (bias type, domain …), one dictionary a category.
        skipped: everything that could not be scored, with the reason.
        warnings: caveats a reader must see next to the number.
        extra: further scores of the method, by name.
        settings: every option that shaped the numbers, the seed included.
        provenance: model, data set and package versions.

    Examples:
        >>> r = Result(method="weat", score=1.5, score_range=(-2.0, 2.0), direction="two_sided", ideal=0.0, n=1,
        ...            ci_low=0.9, ci_high=1.8, p_value=0.01)
        >>> print(r)
        weat = 1.5000  [95% CI 0.9000, 1.8000]  p = 0.0100  n = 1  (ideal 0, range -2 to 2)
        >>> Result.from_dict(r.to_dict()) == r
        True
    """

    method: str
    score: float
    score_range: tuple[float | None, float | None]
    direction: Direction
    ideal: float
    n: int
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float = 0.95
    ci_method: str = ""
    p_value: float | None = None
    p_low: float | None = None
    p_high: float | None = None
    p_method: str = ""
    coverage: Coverage = field(default_factory=lambda: Coverage(0, 0))
    items: tuple[Mapping[str, Any], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("items", "groups"):
            set_(self, name, tuple(to_plain(list(getattr(self, name)), name)))
        for name in ("extra", "settings", "provenance"):
            set_(self, name, to_plain(dict(getattr(self, name)), name))
        for name in ("score", "ideal", "ci_low", "ci_high", "ci_level", "p_value", "p_low", "p_high"):
            value = getattr(self, name)
            set_(self, name, None if value is None else to_plain(float(value), name))
        set_(self, "n", int(self.n))
        set_(self, "score_range", tuple(None if v is None else float(v) for v in self.score_range))
        set_(self, "skipped", tuple(self.skipped))
        set_(self, "warnings", tuple(self.warnings))
        if self.p_value is not None and self.p_low is None and self.p_high is None:
            set_(self, "p_low", self.p_value)
            set_(self, "p_high", self.p_value)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values only; the score stands under the method's own name.

        The keys are the same for every method: the method's name, ``p_value``, ``p_low``, ``p_high``, ``ci_low``,
        ``ci_high``, ``n``, ``coverage``, ``items``, ``groups``, ``skipped``, ``warnings``, ``extra``, ``settings``,
        ``provenance`` and the description of the score (``method``, ``score_range``, ``direction``, ``ideal``, …).
        """
        out: dict[str, Any] = {self.method: self.score}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "score":
                continue
            if f.name == "coverage":
                value = value.to_dict()
            elif f.name == "skipped":
                value = [s.to_dict() for s in value]
            elif isinstance(value, tuple):
                value = list(value)
            out[f.name] = value
        out["schema_version"] = SCHEMA_VERSION
        return to_plain(out, "result")  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Rebuild a result from :meth:`to_dict`'s dictionary (or from the JSON made of it).

        Raises:
            DataError: the dictionary is not a result, or was written by a newer version of this library.
        """
        version = data.get("schema_version", 1)
        if not isinstance(version, int) or version > SCHEMA_VERSION:
            raise DataError(
                f"this result has schema version {version!r} and this library reads up to {SCHEMA_VERSION}: "
                "upgrade evaluate-bias to read it"
            )
        method = data.get("method")
        if not isinstance(method, str) or method not in data:
            raise DataError(
                "not a result of this library: it has no 'method' key with a score under that name"
            )
        known = {f.name for f in fields(cls)}
        try:
            kwargs = {k: v for k, v in data.items() if k in known}
            kwargs["score"] = data[method]
            kwargs["score_range"] = tuple(data["score_range"])
            coverage = data["coverage"]
            kwargs["coverage"] = Coverage(int(coverage["found"]), int(coverage["asked"]))
            kwargs["skipped"] = tuple(Skipped(**s) for s in data.get("skipped", ()))
            for name in ("items", "groups", "warnings"):
                kwargs[name] = tuple(data.get(name, ()))
            return cls(**kwargs)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a complete {method!r} result: {error}") from None

    def to_json(self, indent: int | None = None) -> str:
        """Return the result as JSON text (strict JSON: no NaN, no Infinity)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Rebuild a result from :meth:`to_json`'s text.

        Raises:
            DataError: the text is not JSON, or not a result.
        """
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise DataError(f"not JSON: {error}") from None
        if not isinstance(data, dict):
            raise DataError("not a result of this library: the JSON is not an object")
        return cls.from_dict(data)

    @property
    def direction_text(self) -> str:
        """The direction in words."""
        return _DIRECTION_TEXT[self.direction]

    def __repr__(self) -> str:
        # The breakdown may be thousands of rows; to_dict() has it.
        return f"<Result {self}>"

    def __str__(self) -> str:
        parts = [f"{self.method} = {self.score:.4f}"]
        if self.ci_low is not None and self.ci_high is not None:
            parts.append(f"[{100 * self.ci_level:g}% CI {self.ci_low:.4f}, {self.ci_high:.4f}]")
        if self.p_value is not None:
            parts.append(format_p(self.p_value, self.p_low, self.p_high))
        parts.append(f"n = {self.n}")
        low, high = (
            "-inf" if self.score_range[0] is None else f"{self.score_range[0]:.4g}",
            "inf" if self.score_range[1] is None else f"{self.score_range[1]:.4g}",
        )
        parts.append(f"(ideal {self.ideal:g}, range {low} to {high})")
        return "  ".join(parts)

    def _repr_html_(self) -> str:
        """Notebook rendering: the headline number, then the categories, or else the items, as a narrow table."""
        e = html.escape
        where = "groups" if self.groups else "items"
        rows = [dict(i) for i in getattr(self, where)]
        there = [k for k in (rows[0] if rows else {}) if not isinstance(rows[0][k], (list, dict))]
        columns = [k for k in there if k in _SHOWN_COLUMNS] or there[:_MOST_COLUMNS]
        head = "".join(f"<th>{e(c)}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{e(_cell(row.get(c)))}</td>" for c in columns) + "</tr>"
            for row in rows[:50]
        )
        left_out = [
            *([f"{len(rows) - 50} more rows"] if len(rows) > 50 else []),
            *(
                [f"{len(rows[0]) - len(columns)} more columns"]
                if rows and len(rows[0]) > len(columns)
                else []
            ),
        ]
        more = f"<p>… and {' and '.join(left_out)} in <code>.{where}</code></p>" if left_out else ""
        warnings = "".join(f"<li>{e(w)}</li>" for w in self.warnings)
        return (
            f"<div><p><b>{e(str(self))}</b><br>{e(self.direction_text)}; coverage {self.coverage.found}/"
            f"{self.coverage.asked}</p>"
            + (f"<ul>{warnings}</ul>" if warnings else "")
            + (f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}" if rows else "")
            + "</div>"
        )


_SHOWN_COLUMNS = {
    *(
        "name",
        "id",
        "target",
        "task",
        "x",
        "y",
        "a",
        "b",
        "n",
        "effect_size",
        "score",
        "ideal",
        "lms",
        "icat",
        "ci_low",
    ),
    *("ci_high", "p_value", "p_holm", "score_more", "score_less", "delta", "stereotype", "anti_stereotype"),
    *("unrelated", "verdict"),
}
"""Columns of a breakdown that a notebook shows; where a method has none of them, the first few of its own."""
_MOST_COLUMNS = 8


def format_p(p: float, low: float | None = None, high: float | None = None) -> str:
    """Write a p-value for people: its digits, or the bracket when it is known only between two bounds.

    A p-value within its bounds was sampled: the bounds are then an interval of confidence and no certainty.

    Examples:
        >>> format_p(0.0156955), format_p(3.2e-9), format_p(0.0102, 0.0100, 0.0102)
        ('p = 0.0157', 'p = 3.2e-09', 'p in [0.01, 0.0102]')
        >>> format_p(0.0101, 0.0091, 0.0112)
        'p ≈ 0.0101 (sampled, 0.0091 to 0.0112)'
    """
    if low is not None and high is not None and high - low > 5e-3 * high:
        if low < p < high:
            return f"p ≈ {p:.3g} (sampled, {low:.3g} to {high:.3g})"
        return f"p in [{low:.3g}, {high:.3g}]"
    return f"p = {p:.4f}" if p >= 1e-3 else f"p = {p:.2g}"


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)


def to_plain(value: Any, where: str = "value") -> Any:
    """Turn numpy numbers, arrays, tuples and mappings into plain JSON-safe Python values.

    Raises:
        DataError: a number is NaN or infinite, or a value cannot stand in JSON.

    Examples:
        >>> import numpy as np
        >>> to_plain({"a": np.float64(1.5), "b": (1, np.int64(2))})
        {'a': 1.5, 'b': [1, 2]}
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise DataError(f"{where} is a number of {value.bit_length()} bits, more than JSON readers take")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise DataError(f"{where} is {value}: an undefined number cannot stand in a result")
        return float(value)
    if isinstance(value, Mapping):
        return {str(k): to_plain(v, f"{where}.{k}") for k, v in value.items()}
    if hasattr(value, "to_dict"):
        return to_plain(value.to_dict(), where)
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return to_plain(value.tolist(), where)
    if isinstance(value, (Sequence, set, frozenset)):
        values = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [to_plain(v, f"{where}[{i}]") for i, v in enumerate(values)]
    raise DataError(f"{where} is a {type(value).__name__}, which cannot be written as JSON")
