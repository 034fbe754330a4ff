"""Results as rows: the one reading of a result that tables, plots and model cards share."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import stats
from ..data.caveats import is_control
from ..errors import DataError
from ..registry import METHODS
from ..result import Result, format_p
from .data_facts import dataset_facts, on_illustrative_data
from .escape import public_name
from .row_values import (
    Further,
    coverage,
    decided_share,
    first_number,
    further_values,
    list_names,
    number,
    ties,
    units,
)

__all__ = [
    "ALPHA",
    "LIST_NAMES",
    "Row",
    "breaks_down_by_test",
    "ci_cell",
    "comparison",
    "further_cell",
    "model_name",
    "of_decided",
    "p_cell",
    "result_rows",
    "told_apart",
    "with_remark",
]

ALPHA = 0.05
"""Level below which a p-value is called significant in tables, plots and cards."""

LIST_NAMES = ("first target list", "second target list", "first attribute list", "second attribute list")
"""What the four word lists of a test are called when nobody has named them."""

_EXACT = 5e-3
"""Bounds of a p-value nearer to each other than this share of it are not worth telling."""

_OVERALL = "overall"
_NAME_KEYS = ("name", "group", "bias_type", "category", "domain")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a report: a test, a category, or a method's overall score.

    Attributes:
        method: registry name of the method.
        name: name of the test or category, ``"overall"`` for the score of the whole result.
        compared: names of the four word lists that are compared, each empty when the list has none; no names at all
            for a row that compares something else.
        title: what the row is about, for people; empty when the name says it all.
        language: language of the data, empty when unknown.
        model: name of the model.
        score, ci_low, ci_high, ci_level: the value and its interval.
        p_value, p_low, p_high: p-value and its bracket.
        p_holm, p_bh: adjusted for the tests of one result, by Holm and by Benjamini and Hochberg.
        p_holm_all, p_bh_all: p-values adjusted for all of a report on several results.
        n: number of units behind the score, ``None`` when the breakdown does not tell.
        ties: number of these units that count for neither side.
        least_n: number of units below which no p-value can fall below 5%; 0 where there is none.
        tested: number of units that this is about, ``None`` when the breakdown does not tell.
        found, asked: coverage, ``None`` when the breakdown does not tell.
        ideal: the value that means that nothing was measured.
        decided: share of the units that are no ties, with its interval; ``None`` where the method keeps none apart.
        score_range: lowest and highest value, ``None`` for an open end.
        origin: where the data of the test come from, empty when unknown.
        baseline: whether the test has no social content and only shows that the measure responds.
        illustrative: whether the data were written to show how the method works and prove nothing: the row gets no
            verdict and takes no part in the adjustment over a report.
        further: the method's secondary values, in the order of its record, ``None`` where the row has none.
        overall: whether this is the score of a whole result, of which the other rows are parts.
    """

    method: str
    name: str
    compared: tuple[str, ...]
    title: str
    language: str
    model: str
    score: float
    ci_low: float | None
    ci_high: float | None
    ci_level: float
    p_value: float | None
    p_low: float | None
    p_high: float | None
    p_holm: float | None
    p_bh: float | None
    n: int | None
    ties: int
    least_n: int
    tested: int | None
    found: int | None
    asked: int | None
    ideal: float
    decided: Further | None
    score_range: tuple[float | None, float | None]
    origin: str
    baseline: bool
    further: tuple[Further | None, ...]
    overall: bool = False
    illustrative: bool = False
    p_holm_all: float | None = None
    p_bh_all: float | None = None

    @property
    def label(self) -> str:
        """What is compared, in English; empty when the name says it all."""
        return comparison(self, LIST_NAMES)

    @property
    def too_small(self) -> bool:
        """Whether there are too few units for any p-value below 5%, whatever the data."""
        return self.tested is not None and self.tested < self.least_n

    @property
    def decisive_p(self) -> float | None:
        """The p-value that decides significance: Holm-adjusted where given, else the bracket's upper end."""
        if self.p_holm is not None:
            return self.p_holm
        return self.p_value if self.p_high is None else self.p_high

    @property
    def significant(self) -> bool:
        """Whether the null hypothesis is rejected at :data:`ALPHA`; never on illustrative data."""
        return self.decisive_p is not None and self.decisive_p < ALPHA and not self.illustrative

    @property
    def interval_excludes_ideal(self) -> bool:
        """Whether there is an interval and the ideal value lies outside it."""
        if self.ci_low is None or self.ci_high is None:
            return False
        return not self.ci_low <= self.ideal <= self.ci_high


def of_decided(rows: Sequence[Row]) -> list[Row]:
    """Return rows as sentences and plots tell them: where a method counts ties, with the share of the decided units.

    A score with ties in it has an ideal of its own in every row; the shares of the decided units have that of the
    method's record, so that they can stand on one axis and be read by one sentence.
    """
    return [
        row
        if row.decided is None or row.method not in METHODS
        else dataclasses.replace(
            row,
            score=row.decided.value,
            ci_low=row.decided.low,
            ci_high=row.decided.high,
            ideal=METHODS[row.method].ideal,
        )
        for row in rows
    ]


def breaks_down_by_test(method: str) -> bool:
    """Tell whether each item of the method's results is a test of its own, with a score and a p-value.

    Examples:
        >>> breaks_down_by_test("weat")
        True
    """
    record = METHODS.get(method)
    return record is not None and record.group_by == "test"


def model_name(result: Result) -> str:
    """Return the short name of the model that was measured, without the folders of a path.

    Examples:
        >>> model_name(Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                   n=1, provenance={"model": {"name": "glove"}}))
        'glove'
    """
    model = result.provenance.get("model")
    name = model.get("name") if isinstance(model, Mapping) else model
    return public_name(str(name)) if name else "unnamed model"


def comparison(row: Row, names: Sequence[str]) -> str:
    """Write what a row compares.

    Args:
        row: the row.
        names: what to call the four lists where they have no names, see :data:`LIST_NAMES`.
    """
    if not any(row.compared) and row.title:
        return row.title
    parts = [own or other for own, other in zip(row.compared, names, strict=False)]
    if not parts:
        return ""
    x, y, a, b = (t[:1].upper() + t[1:] for t in parts)
    return f"{x} / {y} — {a} / {b}"


def result_rows(results: Sequence[Result]) -> list[Row]:
    """Return the rows of a report, in the order of the results.

    A method whose items are tests gives one row a test. Any other method gives its overall score and one row
    a category: its items may be thousands of sentence pairs. Where the results cover several languages, names
    carry it. Where several results have p-values, these are also adjusted for the whole report, without those on
    illustrative data.

    Raises:
        DataError: a row of the breakdown has no score or no name.

    Examples:
        >>> item = {"name": "weat7", "x": "math", "y": "arts", "a": "male terms", "b": "female terms",
        ...         "effect_size": 1.5, "p_value": 0.01, "n_x": 8, "n_y": 8}
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, items=[item])
        >>> [(r.name, r.label, r.score, r.n) for r in result_rows([result])]
        [('weat7', 'Math / Arts — Male terms / Female terms', 1.5, 16)]
    """
    rows: list[Row] = []
    for result in results:
        if breaks_down_by_test(result.method) and result.items:
            rows += [_item_row(result, item) for item in result.items]
        else:
            rows.append(_overall_row(result))
            rows += [_item_row(result, group) for group in result.groups]
    return told_apart(_adjusted_for_all(rows) if len(results) > 1 else rows)


def told_apart(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with the language in their names where there are several languages, and with a remark on
    illustrative data where a method has rows on other data too."""
    if len({r.language for r in rows if r.language}) > 1:
        rows = [dataclasses.replace(r, name=f"{r.name} ({r.language})") if r.language else r for r in rows]
    others = {r.method for r in rows if not r.illustrative}
    return [
        dataclasses.replace(r, name=f"{r.name} (illustrative)")
        if r.illustrative and r.method in others
        else r
        for r in rows
    ]


def with_remark(title: str, rows: Sequence[Row], remark: str = "{title} (illustrative data)") -> str:
    """Return a title, with a remark where all that stands below it is on illustrative data.

    Args:
        title: of a method or a table.
        rows: what stands below the title.
        remark: how to say it.
    """
    return remark.format(title=title) if rows and all(r.illustrative for r in rows) else title


def _adjusted_for_all(rows: Sequence[Row]) -> list[Row]:
    p_values = [p for r in rows if (p := r.p_value) is not None and not r.illustrative]
    if not p_values:
        return list(rows)
    adjusted = iter(zip(stats.holm(p_values), stats.benjamini_hochberg(p_values), strict=True))
    out = []
    for row in rows:
        if row.p_value is not None and not row.illustrative:
            holm, bh = next(adjusted)
            row = dataclasses.replace(row, p_holm_all=float(holm), p_bh_all=float(bh))
        out.append(row)
    return out


def p_cell(row: Row) -> str:
    """Write a row's p-value for a table in any language; a dash when there is none.

    One that is known between two bounds is written as these, one that was sampled with its interval.
    """
    if row.p_value is None:
        return "—"
    low, high = row.p_low, row.p_high
    if low is None or high is None or high - low <= _EXACT * high:
        return format_p(row.p_value).removeprefix("p = ")
    bounds = f"[{low:.3g}, {high:.3g}]"
    return f"≈ {row.p_value:.3g} {bounds}" if low < row.p_value < high else f"in {bounds}"


def ci_cell(row: Row, digits: int = 2) -> str:
    """Write a row's confidence interval; a dash when there is none."""
    if row.ci_low is None or row.ci_high is None:
        return "—"
    return f"[{row.ci_low:.{digits}f}, {row.ci_high:.{digits}f}]"


_SMALL = 1e-3
"""Numbers nearer to 0 are written with a power of ten, as p-values are."""


def further_cell(further: Further | None) -> str:
    """Write a further value with its interval; a dash when there is none.

    Examples:
        >>> further_cell(Further(value=0.0018, low=-0.0013, high=0.0049))
        '0.0018 [-0.0013, 0.0049]'
        >>> further_cell(Further(value=58.754, low=None, high=None))
        '58.75'
        >>> further_cell(Further(value=5.8e-7, low=None, high=None))
        '5.8e-07'
        >>> further_cell(Further(value=3, low=None, high=None))
        '3'
    """
    if further is None:
        return "—"
    if isinstance(further.value, int):
        return str(further.value)
    if further.low is None or further.high is None:
        small = 0 < abs(further.value) < _SMALL
        return f"{further.value:.2g}" if small else f"{further.value:.{_decimals(further.value)}f}"
    digits = _decimals(further.value, further.low, further.high)
    return f"{further.value:.{digits}f} [{further.low:.{digits}f}, {further.high:.{digits}f}]"


def _decimals(*values: float) -> int:
    """Two, or as many as leave two digits of the largest value: its scale is the method's own."""
    largest = max(map(abs, values))
    return 2 if largest == 0 else max(2, 1 - math.floor(math.log10(largest)))


def _overall_row(result: Result) -> Row:
    return Row(
        method=result.method,
        name=_OVERALL,
        compared=(),
        title="",
        language=str(dataset_facts(result).get("language") or ""),
        model=model_name(result),
        score=result.score,
        ci_low=result.ci_low,
        ci_high=result.ci_high,
        ci_level=result.ci_level,
        p_value=result.p_value,
        p_low=result.p_low,
        p_high=result.p_high,
        p_holm=None,
        p_bh=None,
        n=result.n,
        ties=ties(result.extra),
        least_n=_least_n(result),
        tested=_tested(result.method, result.extra, result.n),
        found=result.coverage.found if result.coverage.asked else None,
        asked=result.coverage.asked or None,
        ideal=result.ideal,
        decided=decided_share(result.extra),
        score_range=result.score_range,
        origin="",
        baseline=False,
        further=further_values(result.method, result.extra),
        overall=True,
        illustrative=on_illustrative_data(result),
    )


def _item_row(result: Result, item: Mapping[str, Any]) -> Row:
    score = first_number(item, (result.method, "score", "effect_size", "metric", "value"))
    name = next((str(item[k]) for k in _NAME_KEYS if isinstance(item.get(k), str) and item[k]), None)
    if score is None or name is None:
        what = "score" if score is None else "name"
        raise DataError(
            f"a row in the breakdown of {result.method} has no {what}; its keys are {', '.join(item)}"
        )
    task = item.get("task")
    if isinstance(task, str) and task not in ("", _OVERALL):
        name = f"{name} ({task})"
    found, asked = coverage(item)
    p, ideal, bounds = number(item, "p_value"), number(item, "ideal"), item.get("score_range")
    return Row(
        method=result.method,
        name=name,
        compared=list_names(item),
        title=str(item.get("title") or item.get("label") or ""),
        language=str(item.get("language") or ""),
        model=model_name(result),
        score=score,
        ci_low=number(item, "ci_low"),
        ci_high=number(item, "ci_high"),
        ci_level=first_number(item, ("ci_level",)) or result.ci_level,
        p_value=p,
        p_low=first_number(item, ("p_low", "p_value")),
        p_high=first_number(item, ("p_high", "p_value")),
        p_holm=number(item, "p_holm"),
        p_bh=number(item, "p_bh"),
        n=units(item),
        ties=ties(item),
        least_n=_least_n(result),
        tested=_tested(result.method, item, units(item)),
        found=found,
        asked=asked,
        ideal=result.ideal if ideal is None else ideal,
        decided=decided_share(item),
        score_range=result.score_range if bounds is None else (bounds[0], bounds[1]),
        origin=str(item.get("origin") or ""),
        baseline=is_control(str(item.get("bias_type") or "")),
        further=further_values(result.method, item),
        illustrative=on_illustrative_data(result),
    )


def _least_n(result: Result) -> int:
    record = METHODS.get(result.method)
    return 0 if record is None else record.least_n


def _tested(method: str, item: Mapping[str, Any], n: int | None) -> int | None:
    """Number of units that the method's ``least_n`` is about."""
    record = METHODS.get(method)
    if record is not None and record.least_n_of:
        count = number(item, record.least_n_of)
        return None if count is None else int(count)
    return None if n is None else n - ties(item)
