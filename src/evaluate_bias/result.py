"""The one type every method returns: a score with everything needed to read it correctly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from .errors import BiasError, DataError, quoted
from .files import parsed_json
from .text import joined, p_phrase, plain_p, range_text, singular

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Kind: TypeAlias = Literal["overall", "test", "group", "item"]
Direction: TypeAlias = Literal[
    "two_sided", "higher_is_more_biased", "lower_is_more_biased", "higher_is_more_robust"
]

SCORE_WITHOUT_TIES = "score_without_ties"
"""Key of the share of the items without ties. People are shown it instead of the score."""

RAW, OWN_PART = "raw", "own_part"
"""Keys of a difference as it was observed, and of the part of it that is the scorer's own. The score is
the first minus the second, and both are shown with it."""

FOLLOWS_OPTION_ORDER = "follows_option_order"
"""Key of ``details``: the label of nearly all multiple-choice answers, from which nothing can be concluded."""

NOTHING_TO_TEST = "nothing_to_test"
"""Key of ``details``: why there is nothing to test, a clause that is the finding, such as that no item differs."""

_MOST_BITS = 14_000
"""Python itself reads and writes integers of up to 4,300 digits, about 14,280 bits."""

_SHARES = ("p_value", "p_error", "p_holm", "p_bh", "p")
"""Numbers that lie between 0 and 1."""

_NUMBERS = (
    "score",
    "ci_low",
    "ci_high",
    "p_value",
    "p_error",
    "p_holm",
    "p_bh",
    "ideal",
    "expected_by_chance",
)

SCHEMA_VERSION = 3
"""Version of the dictionary written by :meth:`Result.to_dict`. Any other is refused."""

_DIRECTION_TEXT = {
    "two_sided": "bias shows on either side of the ideal value, and the side shows its direction",
    "higher_is_more_biased": "higher means more measured bias",
    "lower_is_more_biased": "lower means more measured bias",
    "higher_is_more_robust": "higher means a more robust measurement and says nothing about the size of a bias",
}

_PRESENTERS: dict[str, Callable[[], Callable[..., Any]]] = {}


@dataclass(frozen=True, slots=True)
class Sampled:
    """What an interval and a p-value generalise to, so that compare, gate and every sentence say the same.

    Attributes:
        clusters: plural names of what is drawn: one, two that cross, or none if nothing is drawn.
        fixed: plural names of what is taken as given, each with its number.

    Raises:
        DataError: there are more than two clusters, or a name or a number is not one.

    Examples:
        >>> Sampled(("names", "templates"), {"prompt variants": 4}).phrase()
        'for other names and templates, for these 4 prompt variants'
        >>> Sampled(("templates",), {"prompt variants": 1}).phrase()
        'for other templates, for this prompt variant'
        >>> Sampled(("templates",)).draws("template"), Sampled(("templates",), {"names": 4}).draws("name")
        (True, False)
    """

    clusters: tuple[str, ...] = ()
    fixed: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.clusters, (tuple, list)) or len(self.clusters) > 2:
            raise DataError(f"sampled.clusters must be at most two names, got {quoted(self.clusters)}")
        if not isinstance(self.fixed, Mapping):
            raise DataError(f"sampled.fixed must map names to numbers, got {quoted(self.fixed)}")
        for name in (*self.clusters, *self.fixed):
            if not isinstance(name, str) or not name:
                raise DataError(f"sampled must name things in the plural, got {quoted(name)}")
        for name, n in self.fixed.items():
            if type(n) is not int or n < 1:
                raise DataError(f"sampled.fixed.{name} must be an integer, at least 1, got {quoted(n)}")
        object.__setattr__(self, "clusters", tuple(self.clusters))
        object.__setattr__(self, "fixed", dict(self.fixed))

    def draws(self, key: str) -> bool:
        """True if clusters are drawn whose key in an item is this one: ``"template"`` for ``"templates"``."""
        return key in map(singular, self.clusters)

    def phrase(self) -> str:
        """Return what a conclusion applies to, in words."""
        parts = [f"for other {joined(self.clusters)}"] if self.clusters else []
        parts += [
            f"for these {n:,} {name}" if n > 1 else f"for this {singular(name)}"
            for name, n in self.fixed.items()
        ]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"clusters", "fixed"}``."""
        return {"clusters": list(self.clusters), "fixed": dict(self.fixed)}


def sampled_of(value: Any) -> Sampled | None:
    """Rebuild the declaration from its dictionary. Return ``None`` if the result has none.

    Raises:
        DataError: the value is not such a dictionary.
    """
    if value is None or isinstance(value, Sampled):
        return value
    if not isinstance(value, Mapping) or not value.keys() <= {"clusters", "fixed"}:
        raise DataError(f"sampled must contain 'clusters' and 'fixed', got {quoted(value)}")
    return Sampled(**value)


def option_order(details: Mapping[str, Any]) -> str:
    """Return a clause that says that the answers follow option order, empty if the details do not say so.

    Examples:
        >>> option_order({"follows_option_order": {"label": "A", "share": 0.97}})
        'answers follow option order: 97% of the parsed answers are A, whichever option it labels'
        >>> option_order({})
        ''
    """
    facts = details.get(FOLLOWS_OPTION_ORDER)
    if not isinstance(facts, Mapping) or not isinstance(share := facts.get("share"), int | float):
        return ""
    label = str(facts.get("label"))[:20]
    return f"answers follow option order: {share:.0%} of the parsed answers are {label}, whichever option it labels"


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

    def __post_init__(self) -> None:
        for key in ("found", "asked"):
            object.__setattr__(self, key, count(getattr(self, key), f"coverage.{key}"))

    @property
    def share(self) -> float:
        """Found over asked, in [0, 1], 1.0 when nothing was asked."""
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A secondary value with its interval and p-value, if it has them.

    Attributes:
        value: the value. An integer if it is a count.
        low, high: confidence interval at the level of the result.
        p: p-value.

    Examples:
        >>> Estimate(58.3, 51.0, 65.2).to_dict()
        {'value': 58.3, 'low': 51.0, 'high': 65.2}
    """

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None

    def __post_init__(self) -> None:
        if self.value is None:
            raise DataError("value must be a number, not None")
        for name in ("value", "low", "high", "p"):
            object.__setattr__(self, name, number(getattr(self, name), name))

    def to_dict(self) -> dict[str, float]:
        """Return value, low, high and p, without those that are ``None``."""
        ends = ("value", "low", "high", "p")
        return {name: v for name in ends if (v := getattr(self, name)) is not None}

    def flat(self, key: str) -> dict[str, float]:
        """Return the value under ``key``, the others under ``key_low``, ``key_high`` and ``key_p``."""
        return {key if name == "value" else f"{key}_{name}": v for name, v in self.to_dict().items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A score and what is known of it, which a row, a finding and a result have in common.

    Attributes:
        score: the score. ``None`` for an item without a score of its own.
        score_range: lowest and highest possible score. ``None`` means an open end. A row without a range has the
            result's and a finding the record's. The same applies to ``direction`` and ``ideal``.
        direction: ``"two_sided"`` (bias on either side of the ideal), ``"higher_is_more_biased"``,
            ``"lower_is_more_biased"`` or ``"higher_is_more_robust"``.
        ideal: the score of a model without bias.
        expected_by_chance: the mean of the score under the null hypothesis, if noise alone moves it away from the
            ideal. The score is then compared with this value.
        n: number of items behind the score (tests, pairs, templates …, the method's page says which).
        ci_low, ci_high, ci_method: confidence interval of the score, at the level of the result. ``None`` if it does
            not exist.
        p_value: p-value against the method's null hypothesis. ``None`` without a test.
        p_error: Monte Carlo standard error of the p-value: how far it would move with other random draws. It is 0 if
            the p-value is exact or has a formula.
        p_method: how the p-value was obtained.
        ties: number of items that count for neither side.
        n_tested: number of items that the p-value is about, if they are not the items without ties.
        sampled: what the interval and the p-value generalise to: what is drawn, and what is taken as given.
        coverage: how much of what was asked could be scored.
        estimates: secondary values by their keys, see :class:`Estimate`.
        details: what else was found, as the method's page describes it.
    """

    score: float | None = None
    score_range: tuple[float | None, float | None] | None = None
    direction: Direction | None = None
    ideal: float | None = None
    expected_by_chance: float | None = None
    n: int | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    p_value: float | None = None
    p_error: float | None = None
    p_method: str = ""
    ties: int = 0
    n_tested: int | None = None
    sampled: Sampled | None = None
    coverage: Coverage | None = None
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reference(self) -> float | None:
        """What the score is compared with: the value expected by chance if there is one, else the ideal value."""
        return self.ideal if self.expected_by_chance is None else self.expected_by_chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Scored):
    """One line of a breakdown: a test, a group of items (bias type, domain …), an item, or the overall score.

    Its numbers are described at :class:`Scored`. What is not given is as in the result. If it differs, the row says
    so: the mean of the absolute values of several tests has one direction of bias, while each of the tests has two.

    Attributes:
        name: name of the test or group, id of the item.
        kind: ``"overall"``, ``"test"``, ``"group"`` or ``"item"``.
        p_holm, p_bh: p-value adjusted for the rows of the same kind, by Holm and by Benjamini and Hochberg.
        labels: what the row is about, for people: ``title``, the names ``x``, ``y``, ``a``, ``b`` of the lists that a
            test compares, ``language``, ``origin``, ``bias_type``, ``task``.

    Examples:
        >>> row = Row(name="age", kind="group", score=60.0, n=10, estimates={"lms": Estimate(70.0)})
        >>> Row.from_dict(row.to_dict()) == row, row.flat()["lms"]
        (True, 70.0)
    """

    name: str
    kind: Kind
    p_holm: float | None = None
    p_bh: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise DataError(f"a row of the breakdown needs a name, got {self.name!r}")
        if self.kind not in get_args(Kind):
            raise DataError(
                f"{self.name}: the kind of a row must be one of {', '.join(get_args(Kind))}, got {self.kind!r}"
            )
        if self.direction not in (None, *get_args(Direction)):
            raise DataError(
                f"{self.name}: direction must be {', '.join(get_args(Direction))}, got {quoted(self.direction)}"
            )
        if self.score is None and self.kind != "item":
            raise DataError(f"{self.name}: a {self.kind} row needs a score")
        set_ = object.__setattr__
        check_numbers(self, self.name)
        if self.score_range is not None:
            set_(self, "score_range", range_of(self.score_range, f"{self.name}.score_range"))
        set_(self, "labels", {k: str(v) for k, v in self.labels.items() if v not in (None, "")})
        set_(self, "details", to_plain(dict(self.details), self.name))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, without what the row does not have."""
        out: dict[str, Any] = {"name": self.name, "kind": self.kind}
        out |= {f.name: v for f in fields(self) if (v := getattr(self, f.name)) not in (None, "", 0, {})}
        for key in (*_NUMBERS, "n", "n_tested"):  # a zero is a number
            if (value := getattr(self, key)) is not None:
                out[key] = value
        if self.coverage is not None:
            out["coverage"] = self.coverage.to_dict()
        if self.sampled is not None:
            out["sampled"] = self.sampled.to_dict()
        if self.estimates:
            out["estimates"] = {k: e.to_dict() for k, e in self.estimates.items()}
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Row:
        """Rebuild a row from :meth:`to_dict`'s dictionary.

        Raises:
            DataError: a number is missing or has the wrong type.
            TypeError: the dictionary has a key that a row does not have.
        """
        values = dict(data)
        if (coverage := values.get("coverage")) is not None:
            values["coverage"] = coverage_of(coverage, f"{quoted(values.get('name'))}.coverage")
        values["sampled"] = sampled_of(values.get("sampled"))
        values["estimates"] = {k: Estimate(**e) for k, e in values.get("estimates", {}).items()}
        return cls(**values)

    def flat(self) -> dict[str, Any]:
        """Return one flat dictionary: labels, numbers, ``key``, ``key_low`` … of every estimate, and the details.

        Numbers that an item does not have are omitted. Missing numbers of tests and groups are ``None``.
        """
        numbers = {key: getattr(self, key) for key in (*_NUMBERS, "n")}
        if self.kind == "item":
            numbers = {k: v for k, v in numbers.items() if v is not None}
        out: dict[str, Any] = {"name": self.name, **self.labels, **numbers}
        if self.kind != "item":
            out["ties"] = self.ties
        if self.n_tested is not None:
            out["n_tested"] = self.n_tested
        if self.score_range is not None:
            out["score_range"] = list(self.score_range)
        if self.coverage is not None:
            out["coverage"] = self.coverage.to_dict()
        if self.sampled is not None:
            out["sampled"] = self.sampled.to_dict()
        for key, text in (("ci_method", self.ci_method), ("p_method", self.p_method)):
            if text:
                out[key] = text
        for key, estimate in self.estimates.items():
            out |= estimate.flat(key)
        return out | self.details  # type: ignore[operator,no-any-return]


def number(value: Any, where: str) -> float | None:
    """Return a number of a result: finite, and between 0 and 1 if it is a p-value. ``None`` stays ``None``.

    Raises:
        DataError: the value is not such a number.
    """
    if value is None:
        return None
    if type(value) is not float:
        try:
            float(value)
        except (OverflowError, TypeError, ValueError):
            raise DataError(f"{where} must be a number, got {quoted(value)}") from None
    value = to_plain(value, where)
    if where.rpartition(".")[2] in _SHARES and not 0 <= value <= 1:
        raise DataError(f"{where} is {value}: a p-value lies between 0 and 1")
    return value  # type: ignore[no-any-return]


def range_of(ends: Any, where: str) -> tuple[float | None, float | None]:
    """Return the lowest and the highest value of a result's score, ``None`` for an open end.

    Raises:
        DataError: there are not two of them, or they are in the wrong order.
    """
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        raise DataError(f"{where} must be the lowest and the highest value, got {quoted(ends)}")
    low, high = (None if v is None else float(v) for v in (number(v, where) for v in ends))
    if low is not None and high is not None and low > high:
        raise DataError(f"{where} goes from {low} to {high}: the lowest value comes first")
    return low, high


def check_numbers(of: Scored, where: str) -> None:
    """Convert the numbers of a row or a result to plain ones. A p-value without a Monte Carlo error gets one of 0.

    Raises:
        DataError: one is not a number, or the ends of the interval are the wrong way round.
    """
    set_ = object.__setattr__
    for name in (*_NUMBERS, "confidence_level"):
        if (value := getattr(of, name, None)) is not None:
            set_(of, name, float(number(value, f"{where}.{name}")))  # type: ignore[arg-type]
    for name in ("n", "ties", "n_tested"):
        if (value := getattr(of, name)) is not None:
            set_(of, name, count(value, f"{where}.{name}"))
    # Ends that differ by rounding are an interval of no width.
    low, high = of.ci_low, of.ci_high
    if low is not None and high is not None and low - high > 1e-9 * max(1.0, abs(low)):
        raise DataError(f"{where}: ci_low is above ci_high ({low} and {high})")
    if of.p_value is not None and of.p_error is None:
        set_(of, "p_error", 0.0)


def count(value: Any, where: str) -> int:
    """Return an integer of a result, 0 or more.

    Raises:
        DataError: the value is not such an integer.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 1 << 63:
        raise DataError(f"{where} must be an integer, 0 or more, got {quoted(value)}")
    return int(value)


def coverage_of(value: Any, where: str) -> Coverage:
    """Rebuild a coverage from its dictionary.

    Raises:
        DataError: the value is not such a dictionary.
    """
    if not isinstance(value, Mapping) or not {"found", "asked"} <= value.keys():
        raise DataError(f"{where} must contain 'found' and 'asked', got {quoted(value)}")
    return Coverage(value["found"], value["asked"])


def is_whole_text(text: str) -> bool:
    """True if a text can be encoded: it contains no lone surrogate.

    Examples:
        >>> is_whole_text("é"), is_whole_text(chr(0xD800))
        (True, False)
    """
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def to_plain(value: Any, where: str = "value") -> Any:
    """Turn numpy numbers, arrays, tuples and mappings into plain JSON-safe Python values.

    Raises:
        DataError: a number is NaN or infinite, or a value cannot appear in JSON, such as half a character.

    Examples:
        >>> import numpy as np
        >>> to_plain({"a": np.float64(1.5), "b": (1, np.int64(2))})
        {'a': 1.5, 'b': [1, 2]}
    """
    try:
        return _plain(value)
    except _NotPlain as unfit:
        raise DataError(f"{where}{unfit.path} {unfit}") from None


class _NotPlain(ValueError):
    """A value that cannot appear in JSON. Its path is built on the way up, since on the way down it would cost time."""

    path = ""


def _plain(value: Any) -> Any:
    kind = type(value)
    if (kind is str and value.isascii()) or (kind is float and math.isfinite(value)):
        return value  # nearly all there is
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not is_whole_text(value):
            raise _NotPlain(f"contains half a character, which no file can store: {quoted(value)}")
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise _NotPlain(f"is a number of {value.bit_length()} bits, more than JSON readers accept")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NotPlain(f"is {value}: a result cannot contain an undefined number")
        return float(value)
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain_part(item, ".{}", key) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict())
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return _plain(value.tolist())
    if isinstance(value, (Sequence, set, frozenset)):
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [_plain_part(item, "[{}]", i) for i, item in enumerate(items)]
    raise _NotPlain(f"is a {kind.__name__}, which cannot be written as JSON")


def _plain_part(value: Any, form: str, place: object) -> Any:
    try:
        return _plain(value)
    except _NotPlain as unfit:
        unfit.path = form.format(place) + unfit.path
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Scored):
    """What a method's entry returns: what it found, without what its record already says.

    Its numbers are described at :class:`Scored`.

    Attributes:
        rows: the breakdown: tests, groups (bias type, domain …) and items (pairs, templates …), see :class:`Row`.
        skipped: everything that could not be scored, with the reason.
        warnings: caveats a reader must see next to the number. The model's warnings are added to the result.
        settings: what differs from the options of the call, or is not one of them.
        provenance: further facts. Facts about model and software are added to the result.
    """

    score: float
    n: int
    coverage: Coverage
    rows: Sequence[Row] = ()
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(Finding):
    """A bias score with its range, direction, uncertainty, coverage, breakdown, settings and provenance.

    Its numbers are described at :class:`Scored`, its breakdown and warnings at :class:`Finding`. All numbers are plain
    Python numbers, so a result survives JSON unchanged.

    Attributes:
        method: registry name of the method, for example ``"weat"``, also the key of the score in
            :meth:`to_dict`.
        confidence_level: level of the intervals.
        settings: every option that shaped the numbers, the seed included.
        provenance: model, data set and package versions.
        date: day of the measurement, as in ``"2026-11-29"`` (UTC), empty if unknown, as with precomputed scores.
            Results that differ only in the date are equal.

    Examples:
        >>> r = Result(method="weat", score=1.5, score_range=(-2.0, 2.0), direction="two_sided", ideal=0.0, n=1,
        ...            ci_low=0.9, ci_high=1.8, p_value=0.01)
        >>> print(r)
        weat = 1.5000  [95% CI 0.9000, 1.8000]  p = .010  n = 1  (ideal 0, range -2 to 2)
        >>> Result.from_dict(r.to_dict()) == r
        True
    """

    method: str
    score_range: tuple[float | None, float | None]
    direction: Direction
    ideal: float
    confidence_level: float = 0.95
    coverage: Coverage = field(default_factory=lambda: Coverage(0, 0))
    rows: tuple[Row, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    date: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "rows", tuple(self.rows))
        set_(self, "estimates", dict(self.estimates))
        for name in ("details", "settings", "provenance"):
            if not isinstance(value := getattr(self, name), Mapping):
                raise DataError(f"{name} must map names to values, not {quoted(value)}")
            set_(self, name, to_plain(dict(value), name))
        if not isinstance(self.date, str) or not re.fullmatch("([0-9]{4}-[0-9]{2}-[0-9]{2})?", self.date):
            raise DataError(f"date must be a day such as '2026-11-29', got {quoted(self.date)}")
        for name in ("score", "ideal", "confidence_level", "n", "ties"):
            if getattr(self, name) is None:
                what = "an integer, 0 or more" if name in ("n", "ties") else "a number"
                raise DataError(f"{name} must be {what}, not None")
        check_numbers(self, self.method)
        if not 0 < self.confidence_level < 1:
            raise DataError(
                f"confidence_level is {self.confidence_level}: a confidence level lies between 0 and 1"
            )
        if self.direction not in _DIRECTION_TEXT:
            raise DataError(f"direction must be {', '.join(_DIRECTION_TEXT)}, got {quoted(self.direction)}")
        set_(self, "score_range", range_of(self.score_range, "score_range"))
        set_(self, "skipped", tuple(self.skipped))
        if not isinstance(self.warnings, (tuple, list)):
            raise DataError(f"warnings must be a list of texts, got {quoted(self.warnings)}")
        set_(self, "warnings", tuple(self.warnings))

    def rows_of(self, kind: Kind) -> tuple[Row, ...]:
        """Return the rows of one kind."""
        return tuple(row for row in self.rows if row.kind == kind)

    @property
    def reference(self) -> float:
        """What the score is compared with: the value expected by chance if there is one, else the ideal value.

        Examples:
            >>> Result(method="weat", score=0.5, score_range=(0, 2), direction="higher_is_more_biased", ideal=0, n=8,
            ...        expected_by_chance=0.36).reference
            0.36
        """
        return self.ideal if self.expected_by_chance is None else self.expected_by_chance

    @property
    def overall(self) -> Row:
        """The score of the whole result as a row."""
        return Row(name="overall", kind="overall", **{f.name: getattr(self, f.name) for f in fields(Scored)})

    @property
    def asked_part(self) -> str:
        """Which part of the data a chat model was asked about and by which protocol, empty if no model was asked.

        Examples:
            >>> settings = {"protocol": "quick", "subset": "440 of 58,492 items, quick"}
            >>> Result(method="bbq", score=0.1, score_range=(-1, 1), direction="two_sided", ideal=0, n=220,
            ...        settings=settings).asked_part
            '440 of 58,492 items, quick'
        """
        return str(self.settings.get("subset") or self.settings.get("protocol") or "")

    @property
    def items(self) -> list[dict[str, Any]]:
        """Tests and items as flat dictionaries, see :meth:`Row.flat`."""
        return [row.flat() for row in self.rows if row.kind in ("test", "item")]

    @property
    def groups(self) -> list[dict[str, Any]]:
        """Groups as flat dictionaries."""
        return [row.flat() for row in self.rows if row.kind == "group"]

    @property
    def extra(self) -> dict[str, Any]:
        """Estimates and details as one flat dictionary."""
        flat: dict[str, Any] = {}
        for key, estimate in self.estimates.items():
            flat |= estimate.flat(key)
        return flat | dict(self.details)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values only, as they are stored. The score appears under the method's own name."""
        out: dict[str, Any] = {self.method: self.score, "method": self.method}
        out |= {f.name: getattr(self, f.name) for f in fields(self) if f.name != "score"}
        out["rows"] = [row.to_dict() for row in self.rows]
        out["estimates"] = {key: estimate.to_dict() for key, estimate in self.estimates.items()}
        out["schema_version"] = SCHEMA_VERSION
        return to_plain(out, "result")  # type: ignore[no-any-return]

    def to_flat_dict(self) -> dict[str, Any]:
        """Return what an ``evaluate`` module returns: :meth:`to_dict` with flat dictionaries for the breakdown.

        The keys are the same for every method: the method's name, ``p_value``, ``p_error``, ``ci_low``,
        ``ci_high``, ``n``, ``coverage``, ``items``, ``groups``, ``skipped``, ``warnings``, ``extra``, ``settings``,
        ``provenance``, ``date`` and the description of the score (``method``, ``score_range``, ``direction``,
        ``ideal``, …).
        """
        out = self.to_dict()
        del out["rows"], out["estimates"], out["details"], out["schema_version"]
        return out | {"items": self.items, "groups": self.groups, "extra": self.extra}

    def to_frame(self, *kinds: Kind) -> pd.DataFrame:
        """Return the breakdown as a data frame: one line per row, one column per number or text of :meth:`Row.flat`.

        Args:
            kinds: which kinds of rows, by default all, the overall score included.

        Examples:
            >>> rows = [Row(name="age", kind="group", score=60.0, n=10), Row(name="sex", kind="group", score=40.0, n=5)]
            >>> result = Result(method="pll", score=53.3, score_range=(0, 100), direction="two_sided", ideal=50, n=15,
            ...                 rows=rows)
            >>> result.to_frame("group")[["name", "score", "n"]].values.tolist()
            [['age', 60.0, 10], ['sex', 40.0, 5]]
        """
        import pandas as pd

        chosen = [r for r in (self.overall, *self.rows) if not kinds or r.kind in kinds]
        flat = [{"method": self.method, "kind": r.kind, **r.flat()} for r in chosen]
        lines = [{k: v for k, v in line.items() if isinstance(v, (str, int, float))} for line in flat]
        return pd.DataFrame(lines)

    def to_arrow(self, *kinds: Kind) -> pa.Table:
        """Return :meth:`to_frame` as an Arrow table."""
        return arrow_table(self.to_frame(*kinds))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Rebuild a result from :meth:`to_dict`'s dictionary (or from the JSON made of it).

        Raises:
            DataError: the dictionary is not a result, or has another schema version.
        """
        method = data.get("method")
        if not isinstance(method, str) or method not in data:
            raise DataError(
                "not a result of this library: it has no 'method' key with a score under that name"
            )
        if (version := data.get("schema_version")) != SCHEMA_VERSION:
            raise DataError(
                f"this result has schema version {quoted(version)}, and this version of evaluate-bias reads version "
                f"{SCHEMA_VERSION}",
                hint="measure it again, or use the version of evaluate-bias that wrote it",
            )
        try:
            kwargs = {f.name: data[f.name] for f in fields(cls) if f.name in data}
            kwargs["score"] = data[method]
            kwargs["coverage"] = coverage_of(data["coverage"], "coverage")
            kwargs["sampled"] = sampled_of(data.get("sampled"))
            kwargs["skipped"] = tuple(Skipped(**s) for s in data.get("skipped", ()))
            kwargs["rows"] = tuple(Row.from_dict(row) for row in data.get("rows", ()))
            kwargs["estimates"] = {key: Estimate(**e) for key, e in data.get("estimates", {}).items()}
            return cls(**kwargs)
        except RecursionError:
            raise DataError(f"not a {quoted(method)} result: it is nested too deeply") from None
        except BiasError as error:
            raise DataError(f"not a complete {quoted(method)} result: {error}") from error
        except KeyError as error:
            raise DataError(f"not a complete {quoted(method)} result: it has no {error}") from error
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise DataError(
                f"not a complete {quoted(method)} result: a field is missing, unknown or of another type than it has"
            ) from error

    def to_json(self, indent: int | None = None) -> str:
        """Return the result as JSON text (strict JSON: no NaN, no Infinity)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Rebuild a result from :meth:`to_json`'s text.

        Raises:
            DataError: the text is not JSON, or not a result.
        """
        data = parsed_json(text, "the text")
        if not isinstance(data, dict):
            raise DataError("not a result of this library: the JSON is not an object")
        return cls.from_dict(data)

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Put the result into the card of a model on the Hub, and among its evaluation results, as a pull request.

        Args:
            repo_id: Hub id of the model that was measured.
            options: of :func:`evaluate_bias.hub.push_card.push_card`, such as ``create_pr=False`` to commit
                directly or ``eval_results=False`` for the card alone.

        Returns:
            The address of the pull request or commit, empty when all of it was there already.

        Raises:
            HubError, CardError, InputError, UnknownNameError: as in that function.
        """
        return str(_presenter("push_to_hub")(self, repo_id, **options))

    def to_latex(self, **options: Any) -> str:
        """Return the result as a LaTeX table to paste into a paper, see :func:`evaluate_bias.report.latex.to_latex`."""
        return str(_presenter("to_latex")([self], **options))

    def plot(self, kind: str | None = None, ax: Any = None) -> Any:
        """Draw the scores with their intervals, or another picture, with matplotlib.

        Args:
            kind: a picture that the result's details make possible: ``"map"``, ``"sweep"``, ``"correlations"``,
                ``"effect_sizes"``, ``"axis"``, ``"components"``, ``"stereotypes"``, ``"histogram"``,
                ``"distributions"`` or ``"scatter"``.
            ax: the Axes to draw on, by default a new figure of pyplot, as large as the picture.

        Returns:
            The Axes, or a list of them for a picture of several panels. ``.figure.savefig(path)`` writes the
            picture.

        Raises:
            InputError: the result has no picture of this kind (the error names the ones that it has), or ``ax`` is
                given for a picture of several panels.
        """
        return _presenter("plot")(self, kind, ax)

    @property
    def direction_text(self) -> str:
        """The direction in words."""
        return _DIRECTION_TEXT[self.direction]

    def __repr__(self) -> str:
        # The breakdown may be thousands of rows. to_dict() has it.
        return f"<Result {self}>"

    def __str__(self) -> str:
        digits, interval, with_ties = 4, "", ""
        asked_part = f"; {self.asked_part}" if self.asked_part else ""
        score, low, high, ideal = self.score, self.ci_low, self.ci_high, self.ideal
        if self.ties and (share := self.estimates.get(SCORE_WITHOUT_TIES)):  # as in tables and sentences
            with_ties = f"; with ties {self.score:.4f}, ideal {self.ideal:g}"
            score, low, high, ideal = float(share.value), share.low, share.high, 50.0
        if low is not None and high is not None:
            if 0 < (width := high - low) < 0.001:  # two digits of the width, as in tables
                digits = min(1 - math.floor(math.log10(width)), 12)
            interval = f"[{100 * self.confidence_level:g}% CI {low:.{digits}f}, {high:.{digits}f}]"
        parts_of_score = ""
        if OWN_PART in self.estimates:
            raw, own_part = (self.estimates[key].value for key in (RAW, OWN_PART))
            parts_of_score = f" ({raw:.{digits}f} raw − {own_part:.{digits}f} own part)"
        parts = [f"{self.method} = {score:.{digits}f}{parts_of_score}", *filter(None, [interval])]
        clause = option_order(self.details)
        if clause:
            pass  # a p-value next to "no test" would contradict it
        elif self.p_value is not None:
            parts.append(format_p(self.p_value, self.p_error or 0.0))
        elif tests := [row for row in self.rows_of("test") if row.p_value is not None]:
            parts.append(f"{len(tests)} tests, each with its own p-value")  # their mean has none
        parts.append(f"n = {self.n}")
        compared = f"ideal {ideal:g}"
        if self.expected_by_chance is not None:
            compared = f"expected by chance {self.expected_by_chance:g}"
        parts.append(f"({compared}, range {range_text(self.score_range)}{with_ties}{asked_part})")
        if clause:
            parts.append(f"no test: {clause}")
        return "  ".join(parts)

    def _repr_html_(self) -> str:
        """Notebook rendering: verdict, finding, and the rows as a narrow table."""
        return str(_presenter("notebook")(self))


def set_presenters(presenters: Mapping[str, Callable[[], Callable[..., Any]]]) -> None:
    """Register the functions that show results, by purpose. Upper layers, not imported here, define them."""
    _PRESENTERS.update(presenters)


def _presenter(name: str) -> Callable[..., Any]:
    return _PRESENTERS[name]()


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """Return a frame as an Arrow table. A column of several types becomes text, since an Arrow column has one type."""
    import pyarrow as pa

    for name in [c for c in frame if frame[c].dtype == "object"]:
        if len({type(v) for v in frame[name].dropna()}) > 1:
            frame[name] = frame[name].map(str, na_action="ignore")
    return pa.Table.from_pandas(frame, preserve_index=False)


def format_p(p: float, error: float = 0.0) -> str:
    """Write a p-value for people, with its Monte Carlo error unless that rounds to 0.

    Examples:
        >>> format_p(0.0156955), format_p(3.2e-9), format_p(0.0101, 0.001)
        ('p = .016', 'p < .001', 'p = .010 (Monte Carlo error .001)')
    """
    return p_phrase(p) + (f" (Monte Carlo error {plain_p(error)})" if error >= 0.0005 else "")
