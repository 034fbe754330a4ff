"""One line of a result's breakdown, and the small types it is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any, Literal, TypeAlias, get_args

from ..errors import DataError, quoted
from .sampled import Sampled, sampled_of

Kind: TypeAlias = Literal["overall", "test", "group", "item"]
Direction: TypeAlias = Literal[
    "two_sided", "higher_is_more_biased", "lower_is_more_biased", "higher_is_more_robust"
]

SCORE_WITHOUT_TIES = "score_without_ties"
"""Key of the share of the items without ties. People are shown it instead of the score."""

RAW, OWN_PART = "raw", "own_part"
"""Keys of a difference as it was observed, and of the part of it that is the scorer's own. The score is what is left of
the first without the second, and both are shown with it."""

FOLLOWS_OPTION_ORDER = "follows_option_order"
"""Key of ``details``: the label that nearly all answers to multiple-choice questions are, so that nothing follows."""

NOTHING_TO_TEST = "nothing_to_test"
"""Key of ``details``: why there is nothing to test, a clause that is the finding, such as that no item differs."""


def option_order(details: Mapping[str, Any]) -> str:
    """Return that the answers of a result follow option order, a clause; empty if its details do not say so.

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


_MOST_BITS = 14_000
"""Python itself reads and writes integers of up to 4,300 digits, about 14,280 bits."""
_SHARES = ("p_value", "p_error", "p_holm", "p_bh", "p")
"""Numbers that lie between 0 and 1."""


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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A secondary value with its interval and p-value, where it has them.

    Attributes:
        value: the value; an integer where it is a count.
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
        """Return what there is of value, low, high and p."""
        ends = ("value", "low", "high", "p")
        return {name: v for name in ends if (v := getattr(self, name)) is not None}

    def flat(self, key: str) -> dict[str, float]:
        """Return the value under ``key``, the others under ``key_low``, ``key_high`` and ``key_p``."""
        return {key if name == "value" else f"{key}_{name}": v for name, v in self.to_dict().items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A score and what is known of it, which a row, a finding and a result have in common.

    Attributes:
        score: the score; ``None`` for an item that has none of its own.
        score_range: lowest and highest possible score; ``None`` stands for an open end. A row without a range has the
            result's, a finding the record's, and so for ``direction`` and ``ideal``.
        direction: ``"two_sided"`` (bias on either side of the ideal), ``"higher_is_more_biased"``,
            ``"lower_is_more_biased"`` or ``"higher_is_more_robust"``.
        ideal: the score of a model without bias.
        expected_by_chance: the mean of the score under the null hypothesis, if noise alone moves it away from the
            ideal; the score is then compared with this value.
        n: number of items behind the score (tests, pairs, templates …, the method's page says which).
        ci_low, ci_high, ci_method: confidence interval of the score, at the level of the result; ``None`` where none
            exists.
        p_value: p-value against the method's null hypothesis, ``None`` where it has none.
        p_error: Monte Carlo standard error of the p-value: how far it would move with other random draws. It is 0 if
            the p-value is exact or has a formula.
        p_method: how the p-value was obtained.
        ties: number of items that count for neither side.
        n_tested: number of items that the p-value is about, where these are not those of ``n`` that did not tie.
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

    Its numbers are described at :class:`Scored`. What is not given is as of the result: the mean of the absolute values
    of several tests has one direction of bias, and each of these tests, which has two, says so.

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
        """Return plain Python values; what a row does not have is left out."""
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
            DataError: a number is missing or out of its type.
            TypeError: there is a key that a row does not have.
        """
        values = dict(data)
        if (coverage := values.get("coverage")) is not None:
            values["coverage"] = coverage_of(coverage, f"{quoted(values.get('name'))}.coverage")
        values["sampled"] = sampled_of(values.get("sampled"))
        values["estimates"] = {k: Estimate(**e) for k, e in values.get("estimates", {}).items()}
        return cls(**values)

    def flat(self) -> dict[str, Any]:
        """Return one flat dictionary: labels, numbers, ``key``, ``key_low`` … of every estimate, and the details.

        Numbers that an item does not have are left out; those of tests and groups are ``None``.
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


def number(value: Any, where: str) -> float | None:
    """A number of a result: finite, and within 0 and 1 where it is a p-value; what is no number stays none.

    Raises:
        DataError: it is another.
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
    """Lowest and highest value of a result's score, ``None`` for an open end.

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
    """Make the numbers of a row or a result plain ones; a p-value without a Monte Carlo error has one of 0.

    Raises:
        DataError: one is no number, or the ends of the interval are the wrong way round.
    """
    set_ = object.__setattr__
    for name in (*_NUMBERS, "confidence_level"):
        if (value := getattr(of, name, None)) is not None:
            set_(of, name, float(number(value, f"{where}.{name}")))  # type: ignore[arg-type]
    for name in ("n", "ties", "n_tested"):
        if (value := getattr(of, name)) is not None:
            set_(of, name, count(value, f"{where}.{name}"))
    # Ends that differ by rounding are those of an interval of no width.
    low, high = of.ci_low, of.ci_high
    if low is not None and high is not None and low - high > 1e-9 * max(1.0, abs(low)):
        raise DataError(f"{where}: ci_low is above ci_high ({low} and {high})")
    if of.p_value is not None and of.p_error is None:
        set_(of, "p_error", 0.0)


def count(value: Any, where: str) -> int:
    """An integer of a result, 0 or more.

    Raises:
        DataError: it is another.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 1 << 63:
        raise DataError(f"{where} must be an integer, 0 or more, got {quoted(value)}")
    return int(value)


def coverage_of(value: Any, where: str) -> Coverage:
    """Rebuild a coverage from its dictionary.

    Raises:
        DataError: it is none.
    """
    if not isinstance(value, Mapping) or not {"found", "asked"} <= value.keys():
        raise DataError(f"{where} must contain 'found' and 'asked', got {quoted(value)}")
    return Coverage(value["found"], value["asked"])


def is_whole_text(text: str) -> bool:
    """Whether a text can be written: it holds no half of a surrogate pair.

    Examples:
        >>> is_whole_text("é"), is_whole_text(chr(0xD800))
        (True, False)
    """
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def to_plain(value: Any, where: str = "value") -> Any:
    """Turn numpy numbers, arrays, tuples and mappings into plain JSON-safe Python values.

    Raises:
        DataError: a number is NaN or infinite, or a value cannot stand in JSON, which half a character cannot either.

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
    """A value that cannot stand in JSON; its place is told on the way up, since it would cost time on the way down."""

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
