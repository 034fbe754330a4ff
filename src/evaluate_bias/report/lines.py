"""The lines of a report: the rows that represent several results, in the form that tables, plots and cards share."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .. import stats
from ..data.dataset_record import is_control
from ..data.word_lists import WORD_LISTS
from ..method_record import NullTest, PValue, Secondary
from ..registry import METHODS
from ..result import NOTHING_TO_TEST, Kind, Result, Row, option_order
from ..result import SCORE_WITHOUT_TIES as SCORE_WITHOUT_TIES
from ..text import joined, name_key, one_line, plain_p, range_text, singular
from .data_facts import chosen_subset, dataset_facts, on_illustrative_data
from .escape import public_name

ALPHA = 0.05
"""Level below which a p-value is called significant in tables, plots and cards."""


def why_too_few(
    row: Row,
    test: NullTest,
    alternative: str = "two-sided",
    *,
    units: str = "items",
    counted: bool = True,
) -> str:
    """Return a clause that says why a row's p-value can show nothing, empty if it can or if that is unknown.

    Args:
        row: the row. If its method knows more about the units than the row says, ``details`` has ``"smallest_p"``, or
            the reason as ``"too_few"``.
        test: what the test rearranges.
        alternative: the side that it asks for.
        units: plural name of what the test rearranges.
        counted: whether the row says how many of them there are.

    Examples:
        >>> why_too_few(Row(name="t", kind="group", score=1.0, n=5), "flips")
        'with 5 items, the smallest possible p-value is .062'
        >>> why_too_few(Row(name="t", kind="group", score=1.0, n=4), "t", units="templates")
        'a t test takes 5 templates, and there are 4'
    """
    if (n := tested_units(row)) == 0:
        return ""  # none of them differs, which is a finding
    if isinstance(reason := row.details.get("too_few"), str):
        return one_line(reason)
    smallest, numbers = row.details.get("smallest_p"), str(n)
    if not isinstance(smallest, float):
        if not test or n is None:
            return ""
        if test == "t":
            fewest = stats.FEWEST_UNITS
            return f"a t test takes {fewest} {units}, and there are {n}" if n < fewest else ""
        smallest, sizes = _smallest_p(row, test, n, alternative)
        numbers = joined([str(size) for size in sizes])
    if smallest < ALPHA:
        return ""
    how_many = f"{numbers} {singular(units) if numbers == '1' else units}" if counted else f"so few {units}"
    return f"with {how_many}, the smallest possible p-value is {plain_p(smallest)}"


def tested_units(row: Row) -> int | None:
    """Return the number of units that a p-value is about: by default the units that do not tie."""
    return row.n - row.ties if row.n_tested is None and row.n is not None else row.n_tested


def _smallest_p(row: Row, test: NullTest, n: int, alternative: str) -> tuple[float, Sequence[int]]:
    """Return the smallest possible p-value of a test of n units, and the sizes of their lists."""
    if test == "ratings":
        ratings = [entry.get("rating") for entry in row.details.get("attributes", ())]
        if len(ratings) == n and None not in ratings:
            return stats.smallest_rank_p(ratings), [n]
    elif test == "order":
        return stats.smallest_order_p(n), [n]
    elif test == "pairs":
        n = _sizes(row, "xy")[0] or n // 2
    elif test != "flips":
        targets = test == "targets"
        sizes = [size for size in _sizes(row, "xy" if targets else "ab") if size]
        if len(sizes) == 2 and (sum(sizes) == n or not (targets or row.n_tested)):
            return stats.smallest_split_p(*sizes, alternative=alternative), sizes
        if targets:  # the best that so many units allow
            return stats.smallest_split_p(n // 2, n - n // 2, alternative=alternative), [n]
        n = sizes[0] if len(sizes) == 1 and row.n_tested is None else n
    return stats.smallest_flip_p(n), [n]


def _sizes(row: Row, lists: str) -> list[int]:
    """Return the numbers of words of two of a test's lists."""
    sizes = [row.details.get(f"n_{key}") for key in lists]
    if all(isinstance(size, int) for size in sizes):
        return sizes  # type: ignore[return-value]
    words = [entry.get("list") for entry in row.details.get("words", ())]
    return [
        words.count(name) for name in dict(zip("xyab", WORD_LISTS, strict=True)).values() if name[-1] in lists
    ]


ALL_TESTS = "all tests"
"""Name of the line of several tests together."""

LIST_NAMES = ("first target list", "second target list", "first attribute list", "second attribute list")
"""What the four word lists of a test are called when nobody has named them."""
LISTS_IN_SENTENCES = (
    "the first targets",
    "the second targets",
    "the first attributes",
    "the second attributes",
)
"""The same within a sentence, and in the tables of cards."""

_LEAST_INFLUENCE = 0.005
"""The least effect on a score for which a word is named: a smaller one would be shown as 0."""
_MOST_GROUPS = 5
"""That a sentence names."""
_LABEL = re.compile(r"\{(\w+)(?:\|([^}]*))?\}")
_SECOND_ATTRIBUTES = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """A row of a result as a report shows it.

    Attributes:
        row: the row, under the name that it has in the report.
        result: the result that it is a row of.
        model: name of the model.
        test: what its test rearranges, by which few units are too few.
        question: what the p-value says, if the test is not about whether the score has its ideal value.
        illustrative: whether the data were written to show how the method works and prove nothing: the line gets no
            verdict and takes no part in the adjustment.
        headline: whether it is the score of several tests together, whose range and ideal differ from those of the
            tests. It is excluded from the adjustment of p-values, because its tests are included.
        p_holm_all, p_bh_all: p-values adjusted for all tests of the same model, if several results are about it.
    """

    row: Row
    result: Result
    model: str
    test: NullTest = ""
    question: PValue | None = None
    illustrative: bool = False
    headline: bool = False
    p_holm_all: float | None = None
    p_bh_all: float | None = None

    @property
    def name(self) -> str:
        """Name of the row in the report."""
        return self.row.name

    @property
    def kind(self) -> Kind:
        """Kind of the row."""
        return self.row.kind

    @property
    def method(self) -> str:
        """Registry name of the method."""
        return self.result.method

    @property
    def score(self) -> float:
        """The score. Only items may have none, and they are not lines of a report."""
        assert self.row.score is not None
        return self.row.score

    @property
    def ideal(self) -> float:
        """What the score is compared with: the row's own value, else the result's."""
        value = self.row.reference
        return self.result.reference if value is None else value

    @property
    def by_chance(self) -> bool:
        """True if the score is compared with the value expected by chance, not with its ideal value."""
        return (self.result if self.row.reference is None else self.row).expected_by_chance is not None

    @property
    def ideal_text(self) -> str:
        """The value that the score is compared with, in words.

        Examples:
            >>> result = Result(method="weat", score=0.5, score_range=(0, 2), direction="higher_is_more_biased",
            ...                 ideal=0, expected_by_chance=0.36, n=8)
            >>> ReportRow(row=result.overall, result=result, model="m").ideal_text
            'expected by chance 0.36'
        """
        return f"{'expected by chance' if self.by_chance else 'ideal'} {self.ideal:.4g}"

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        """Lowest and highest value, ``None`` for an open end."""
        return self.row.score_range or self.result.score_range

    @property
    def alternative(self) -> str:
        """The side that the test asks for: ``"two-sided"``, ``"greater"`` or ``"less"``."""
        return str(self.result.settings.get("alternative") or "two-sided")

    @property
    def language(self) -> str:
        """Language of the data, empty when unknown."""
        return self.row.labels.get("language", "")

    @property
    def control(self) -> bool:
        """True if the test has no social content and only shows that the measure responds."""
        return is_control(self.row.labels.get("bias_type", ""))

    @property
    def label(self) -> str:
        """What is compared. Empty if the name says it all."""
        return comparison(self.row, LIST_NAMES)

    @property
    def why_too_few(self) -> str:
        """Why there are too few units for significance, whatever they show. Empty if there are enough."""
        if not why_too_few(self.row, self.test, self.alternative):
            return ""
        units, counted = self.tested_kind
        return why_too_few(self.row, self.test, self.alternative, units=units, counted=counted)

    @property
    def tested_kind(self) -> tuple[str, bool]:
        """What the p-value treats as drawn, in the plural, and whether the row says how many of them there are."""
        sampled, record = self.row.sampled or self.result.sampled, METHODS.get(self.method)
        fixed_names = () if self.question is None else self.question.fixed_names
        kinds = [] if sampled is None else [name for name in sampled.clusters if name not in fixed_names]
        units = None if record is None else record.units_of(self.result)
        if not kinds:
            return "items", True
        if units is None:
            return kinds[0], True
        items = self.result.rows_of("item") if units.clusters else ()
        names = {
            str(item.labels.get(k) or item.details.get(k) or "") for item in items for k in units.clusters
        }
        if self.row.name in names:
            return units.name, True  # the row is about one cluster, so its items are tested
        known = "smallest_p" in self.row.details  # by the method, which may have counted something else
        of_items = self.row.n_tested is None and kinds[0] != units.name and any(names)
        counted = not (known and (len(kinds) > 1 or of_items))
        return kinds[0] if counted else joined(kinds), counted

    @property
    def nothing_to_test(self) -> str:
        """A clause that says why there is nothing to test, such as that no item differs. Empty if there is."""
        if clause := str(self.row.details.get(NOTHING_TO_TEST) or "")[:200]:
            return clause
        n, record = self.row.n, METHODS.get(self.method)
        if tested_units(self.row) != 0 or not n:
            return ""
        units = None if record is None else record.units_of(self.result)
        bound = stats.clopper_pearson_interval(0, n).high
        return f"0 of {n:,} {units.name if units else 'items'} differ; 95% upper bound {bound:.1%}"

    @property
    def option_order(self) -> str:
        """A clause that says that the answers follow option order, so that nothing is concluded. Empty otherwise."""
        return option_order(self.result.details)

    @property
    def p_adjusted(self) -> float | None:
        """The p-value adjusted by Holm for all tests of the model, or for the tests of the only result on it."""
        return self.row.p_holm if self.p_holm_all is None else self.p_holm_all

    @property
    def decisive_p(self) -> float | None:
        """The p-value that decides significance: the adjusted one if there is one."""
        return self.row.p_value if self.p_adjusted is None else self.p_adjusted

    @property
    def too_close(self) -> bool:
        """True if other random draws could move the p-value across :data:`ALPHA`, at most three of its errors away.

        Adjusting multiplies the error as it does the p-value.
        """
        p, sampled = self.decisive_p, self.row.p_value
        if p is None or not sampled or not self.row.p_error:
            return False
        return abs(p - ALPHA) <= stats.ERRORS_APART * self.row.p_error * p / sampled

    @property
    def significant(self) -> bool:
        """True if the null hypothesis is rejected at :data:`ALPHA`. Never true on illustrative data."""
        return self.decisive_p is not None and self.decisive_p < ALPHA and not self.illustrative

    @property
    def asks_about_the_ideal(self) -> bool:
        """True if p-value and interval ask the same question: whether the score has its ideal value.

        The null hypothesis of a one-sided score need not be its ideal value. In a test of associations it is.
        """
        direction = self.row.direction or self.result.direction
        return direction == "two_sided" or (self.question is None and self.kind == "test")

    @property
    def interval_excludes_ideal(self) -> bool:
        """True if there is an interval and the ideal value lies outside it."""
        if self.row.ci_low is None or self.row.ci_high is None:
            return False
        return not self.row.ci_low <= self.ideal <= self.row.ci_high

    @property
    def interval_on_other_side(self) -> bool:
        """True if the interval lies wholly on the side of the ideal value that a one-sided test did not ask for."""
        if self.row.ci_low is None or self.row.ci_high is None:
            return False
        on_low, on_high = self.row.ci_high < self.ideal, self.row.ci_low > self.ideal
        return (self.alternative == "greater" and on_low) or (self.alternative == "less" and on_high)


def decided_lines(lines: Sequence[ReportRow]) -> list[ReportRow]:
    """Return lines for readers: if a method counts ties, with the share of the decided units instead.

    A score with ties in it has an ideal of its own in every row. Shares of the decided units have the ideal of the
    method's record, so that they can appear on one axis and be explained by one sentence.
    """
    out = []
    for line in lines:
        share = line.row.estimates.get(SCORE_WITHOUT_TIES)
        if share is not None and line.method in METHODS:
            low, high, ideal = share.low, share.high, METHODS[line.method].ideal
            row = dataclasses.replace(line.row, score=share.value, ci_low=low, ci_high=high, ideal=ideal)
            line = dataclasses.replace(line, row=row)
        out.append(line)
    return out


def model_name(result: Result) -> str:
    """Return the short name of the model that was measured, without the folders of a path.

    Examples:
        >>> model_name(Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                   n=1, provenance={"model": {"name": "glove"}}))
        'glove'
    """
    model = result.provenance.get("model")
    name = model.get("name") if isinstance(model, Mapping) else model
    return (public_name(str(name)) if name else "") or "unnamed model"


def method_title(method: str) -> str:
    """Return the title of a method, or its name if the registry does not have it."""
    return METHODS[method].title if method in METHODS else one_line(method)


def short_title(method: str) -> str:
    """Return what people call a method: the part of its title that is its registry name, else the title.

    Examples:
        >>> short_title("weat"), short_title("stereoset")
        ('WEAT', 'StereoSet')
    """
    title = method_title(method)
    parts = re.findall(r"[^\s()]+", title)
    return next((part for part in parts if name_key(part) == name_key(method)), title)


def score_name(measured: Result | ReportRow) -> str:
    """Return what a method calls the score of a result or a line."""
    record = METHODS.get(measured.method)
    return record.name_of(measured.score_range) if record else "score"


def score_scale(lines: Sequence[ReportRow]) -> str:
    """Return range and ideal value of a method's scores. If it has tests, these count and not all of them together."""
    rows = [r for r in lines if not r.headline] or lines
    ideal = rows[0].ideal_text
    if len({r.ideal_text for r in rows}) > 1:
        ideal = "each row with its own ideal"
    return f"{range_text(rows[0].score_range)}, {ideal}"


def declared_secondary(lines: Sequence[ReportRow]) -> list[Secondary]:
    """Return the secondary values that the method of these lines declares and any of them has.

    The share of the decided units is not one of them, since lines have it as their score.
    """
    record = METHODS.get(lines[0].method)
    known = {key for line in lines for key in line.row.estimates} - {SCORE_WITHOUT_TIES}
    return [s for s in record.secondary if s.key in known] if record else []


def list_names(row: Row) -> tuple[str, ...]:
    """Return the names of a test's four word lists, each empty if it has none. Return nothing for other tests."""
    if not all(key in row.labels for key in "xyab"):
        return ()
    # The schema calls lists without a name X, Y, A and B.
    return tuple("" if row.labels[key] == key.upper() else row.labels[key] for key in "xyab")


def driving_words(words: Sequence[Mapping[str, Any]], score: float | None) -> list[Mapping[str, Any]]:
    """Return the three words that push a test's score furthest in its own direction, the strongest first.

    Examples:
        >>> words = [{"word": "a", "influence": 0.1}, {"word": "b", "influence": 0.3}, {"word": "c", "influence": -0.2}]
        >>> [w["word"] for w in driving_words(words, 1.2)]
        ['b', 'a']
    """
    sign = -1.0 if (score or 0.0) < 0 else 1.0
    known = [w for w in words if w.get("influence") is not None]
    ordered = sorted(known, key=lambda w: -sign * float(w["influence"]))
    return [w for w in ordered[:3] if sign * float(w["influence"]) >= _LEAST_INFLUENCE]


def fill_labels(text: str, row: Row) -> str:
    """Put the names of a test's lists, or other labels of a row, into a clause of a record, see :class:`MethodRecord`.

    Examples:
        >>> labels = {"x": "nurses", "y": "Y", "a": "A", "b": "B"}
        >>> row = Row(name="t", kind="test", score=1.0, labels=labels, details={"n_b": 0})
        >>> fill_labels("the vectors place {x} nearer [than {b} ]to {a}", row)
        'the vectors place nurses nearer to the first attributes'
    """
    text = _SECOND_ATTRIBUTES.sub("" if row.details.get("n_b") == 0 else r"\1", text)
    usual = dict(zip("xyab", LISTS_IN_SENTENCES, strict=True))
    names = {key: name for key, name in row.labels.items() if name != key.upper()}
    return _LABEL.sub(lambda m: names.get(m[1]) or m[2] or usual.get(m[1], m[0]), text)


def comparison(row: Row, names: Sequence[str]) -> str:
    """Return what a row compares. ``names`` are used for lists without a name."""
    compared, title = list_names(row), row.labels.get("title", "")
    if not compared or (title and not any(compared)):
        return title
    called = (list_name or other for list_name, other in zip(compared, names, strict=True))
    x, y, a, b = (name[:1].upper() + name[1:] for name in called)
    return f"{x} / {y} — {a} / {b}"


def lines_by_result(results: Sequence[Result]) -> list[list[ReportRow]]:
    """Return the lines of a report for each result.

    A result made of tests gives one line per test, after one of all of them together if there are several.
    Any other gives its overall score and one line per group: its items may be thousands of sentence pairs. A
    group of all the units is not a line of its own: the overall score has its name. Names distinguish the lines of one
    result, and :func:`~.score_matrix.distinguishing_names` those of several results. If several results about a model
    have p-values, these are also adjusted for all of them.

    Examples:
        >>> labels = {"x": "math", "y": "arts", "a": "male terms", "b": "female terms"}
        >>> row = Row(name="weat7", kind="test", score=1.5, p_value=0.01, n=16, labels=labels)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> [(r.name, r.label, r.score, r.row.n) for r in lines_by_result([result])[0]]
        [('weat7', 'Math / Arts — Male terms / Female terms', 1.5, 16)]
    """
    by_result = [_lines(result) for result in results]
    of_model = Counter(model_name(r) for r in results)
    lines = _adjusted(list(chain(*by_result)), {name for name, n in of_model.items() if n > 1})
    all_lines = iter(lines)
    return [[next(all_lines) for _ in result_lines] for result_lines in by_result]


def annotate(title: str, lines: Sequence[ReportRow]) -> str:
    """Return a title, with a remark if all lines below it are on illustrative data."""
    return f"{title} (illustrative data)" if lines and all(r.illustrative for r in lines) else title


def _lines(result: Result) -> list[ReportRow]:
    record, of_tests = METHODS.get(result.method), bool(result.rows_of("test"))
    whole = None if record is None else record.p_value
    parts = (whole and whole.parts) or whole
    shared: dict[str, Any] = {
        "result": result,
        "model": model_name(result),
        "illustrative": on_illustrative_data(result),
        "test": "" if record is None else record.test_of(result),
    }
    lines = []
    several_languages = len({row.labels.get("language", "") for row in result.rows_of("test")} - {""}) > 1
    # Groups that have all units of the result, and so its numbers.
    numbers = (result.n, result.score, result.p_value)
    whole_groups = [g for g in result.rows_of("group") if (g.n, g.score, g.p_value) == numbers]
    rows = result.rows_of("test") or [r for r in result.rows_of("group") if r not in whole_groups]
    for row in rows if of_tests and len(rows) == 1 else (result.overall, *rows):
        if row.kind == "overall":
            facts = dataset_facts(result)
            labels = {"language": str(facts["language"])} if facts.get("language") else {}
            # The groups that it compares, for its sentences: all of a few, and of two each.
            groups = result.settings.get("groups") or result.details.get("groups")
            if isinstance(groups, list) and 2 <= len(groups) <= _MOST_GROUPS:
                labels["groups"] = joined([str(group) for group in groups])
                labels |= dict(zip("xy", map(str, groups), strict=True)) if len(groups) == 2 else {}
            about = {name: result.details.get(name) for name in ("statistic", "positive")}
            labels |= {name: one_line(text) for name, text in about.items() if isinstance(text, str)}
            coverage = result.coverage if result.coverage.asked else None
            # Which bias types or rows the score is about, if these are not the whole data set.
            part = [] if isinstance(facts.get("bias_types"), list) else [g.name for g in whole_groups[:1]]
            part += chosen_subset(facts)
            name = ALL_TESTS if of_tests else row.name + (f" ({', '.join(part)})" if part else "")
            row = dataclasses.replace(row, name=name, labels=labels, coverage=coverage)
        elif (task := row.labels.get("task", "overall")) != "overall":
            row = dataclasses.replace(row, name=f"{row.name} ({task})")
        elif several_languages and (language := row.labels.get("language", "")) not in ("", row.name):
            row = dataclasses.replace(row, name=f"{row.name} ({language})")
        is_whole = row.kind == "overall"
        question, headline = whole if is_whole else parts, is_whole and of_tests
        lines.append(ReportRow(row=row, question=question, headline=headline, **shared))
    return lines


def _adjusted(lines: Sequence[ReportRow], models: Collection[str]) -> list[ReportRow]:
    """Return the lines with the p-values of each of these models adjusted for one another."""
    out = list(lines)
    tested: dict[str, list[int]] = {}
    for i, r in enumerate(lines):
        if r.model in models and r.row.p_value is not None and not (r.illustrative or r.headline):
            tested.setdefault(r.model, []).append(i)
    for places in tested.values():
        p_values = [p for i in places if (p := lines[i].row.p_value) is not None]
        both = zip(places, stats.holm(p_values), stats.benjamini_hochberg(p_values), strict=True)
        for i, holm, bh in both:
            out[i] = dataclasses.replace(lines[i], p_holm_all=float(holm), p_bh_all=float(bh))
    return out
