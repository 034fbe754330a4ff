"""The one type every method returns: a score with everything needed to read it rightly."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from ..errors import BiasError, DataError, quoted
from ..files import parsed_json
from ..text import p_phrase, plain_p, range_text
from .row import (
    OWN_PART,
    RAW,
    SCORE_WITHOUT_TIES,
    Coverage,
    Direction,
    Estimate,
    Kind,
    Row,
    Scored,
    Skipped,
    check_numbers,
    coverage_of,
    option_order,
    range_of,
    to_plain,
)
from .sampled import sampled_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SCHEMA_VERSION = 3
"""Version of the dictionary written by :meth:`Result.to_dict`. Any other is refused."""

_DIRECTION_TEXT = {
    "two_sided": "bias shows on either side of the ideal value, and the side shows its direction",
    "higher_is_more_biased": "higher means more measured bias",
    "lower_is_more_biased": "lower means more measured bias",
    "higher_is_more_robust": "higher means a more robust measurement and says nothing about the size of a bias",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Scored):
    """What a method's entry returns: what it found and nothing that its record knows.

    Its numbers are described at :class:`Scored`.

    Attributes:
        rows: the breakdown: tests, groups (bias type, domain …) and items (pairs, templates …), see :class:`Row`.
        skipped: everything that could not be scored, with the reason.
        warnings: caveats a reader must see next to the number; those of the model are added to the result.
        settings: what differs from the options of the call, or is not one of them.
        provenance: further facts; those on model and software are added to the result.
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
        method: registry name of the method, for example ``"weat"``; also the key of the score in :meth:`to_dict`.
        confidence_level: level of the intervals.
        settings: every option that shaped the numbers, the seed included.
        provenance: model, data set and package versions.
        date: day of the measurement, as in ``"2026-11-29"`` (UTC); empty if nobody knows it, as of precomputed scores.
            Results that differ only in it are equal.

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
        if not isinstance(self.date, str):
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
        """Which part of the data a chat model was asked about and by which protocol; empty where no model was asked.

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
        """Return plain Python values only, as they are stored; the score stands under the method's own name."""
        out: dict[str, Any] = {self.method: self.score, "method": self.method}
        out |= {f.name: getattr(self, f.name) for f in fields(self) if f.name != "score"}
        out["rows"] = [row.to_dict() for row in self.rows]
        out["estimates"] = {key: estimate.to_dict() for key, estimate in self.estimates.items()}
        out["schema_version"] = SCHEMA_VERSION
        return to_plain(out, "result")  # type: ignore[no-any-return]

    def to_flat_dict(self) -> dict[str, Any]:
        """Return what an ``evaluate`` module returns: as :meth:`to_dict`, with flat dictionaries for the breakdown.

        The keys are the same for every method: the method's name, ``p_value``, ``p_error``, ``ci_low``,
        ``ci_high``, ``n``, ``coverage``, ``items``, ``groups``, ``skipped``, ``warnings``, ``extra``, ``settings``,
        ``provenance`` and the description of the score (``method``, ``score_range``, ``direction``, ``ideal``, …).
        """
        out = self.to_dict()
        del out["rows"], out["estimates"], out["details"], out["schema_version"]
        return out | {"items": self.items, "groups": self.groups, "extra": self.extra}

    def to_frame(self, *kinds: Kind) -> pd.DataFrame:
        """Return the breakdown as a data frame: one line per row, one column per number or text of :meth:`Row.flat`.

        Args:
            kinds: which rows; by default the overall score and all others.

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
            options: those of :func:`evaluate_bias.hub.push_card.push_card`, such as ``create_pr=False`` to commit
                directly or ``eval_results=False`` for the card alone.

        Returns:
            The address of the pull request or commit; empty when all of it was there already.

        Raises:
            HubError, CardError, InputError, UnknownNameError: as for that function.
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
            ax: the Axes to draw on; by default a new figure of pyplot, as large as the picture.

        Returns:
            The Axes; a list of them for a picture of several panels. ``.figure.savefig(path)`` writes the picture.

        Raises:
            InputError: the result has no picture of this kind (the error names those that it has), or ``ax`` is given
                for a picture of several panels.
        """
        return _presenter("plot")(self, kind, ax)

    @property
    def direction_text(self) -> str:
        """The direction in words."""
        return _DIRECTION_TEXT[self.direction]

    def __repr__(self) -> str:
        # The breakdown may be thousands of rows; to_dict() has it.
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


_PRESENTERS: dict[str, Callable[[], Callable[..., Any]]] = {}


def set_presenters(presenters: Mapping[str, Callable[[], Callable[..., Any]]]) -> None:
    """Say who shows results: functions of floors above, which this one does not know, by what they are for."""
    _PRESENTERS.update(presenters)


def _presenter(name: str) -> Callable[..., Any]:
    return _PRESENTERS[name]()


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """Return a frame as an Arrow table; a column of several types becomes text, as a column of Arrow has one."""
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
