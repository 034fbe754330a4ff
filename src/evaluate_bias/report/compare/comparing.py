"""Compare two measurements on the units that both have."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy import special

from ... import stats
from ...api import measure
from ...data.dataset_record import is_control
from ...data.ready import load_scores
from ...errors import DataError, InputError, UndefinedScoreError, UnknownNameError, quoted
from ...experiments.sources import holds_results, read_results, results_of
from ...files import short_path
from ...method_record import MethodRecord
from ...options import check_arguments
from ...progress import track
from ...registry import METHODS, get_method
from ...result import SCORE_WITHOUT_TIES, Result, Row, Sampled
from ...units import QUESTIONS, ScoreUnits, SelectsUnits
from ..data_facts import dataset_facts, model_checksums, outdated, provenance_facts, revisions
from ..lines import model_name, option_order
from .change import Change, ChangeVerdict, with_verdict
from .comparison import Comparison
from .testing import SharedUnits, shared_units, tested


def refuse_mixed_revisions(one: Result, two: Result) -> list[str]:
    """Return what is to be said of two results that an older revision of their method measured, a sentence or none.

    Raises:
        DataError: they were measured by different revisions.
    """
    old = outdated(one) or outdated(two)
    if revisions(one) != revisions(two):
        raise DataError(old or "the two were measured by different revisions of the method: measure again")
    return [old] if old else []


_FEWEST = 20
"""Fewer units than these, or than half of them, that both measurements decide are not compared."""


def _row_key(row: Row) -> tuple[str, str, str, str]:
    return row.kind, row.name, row.labels.get("task", ""), row.labels.get("by", "")


def shared_rows(one: Result, two: Result) -> list[tuple[Row, Row]]:
    """Rows with a score that both results have: the overall one, tests and groups."""
    ours, theirs = (
        [row for row in (side.overall, *side.rows) if row.kind != "item" and row.score is not None]
        for side in (one, two)
    )
    other = {_row_key(row): row for row in theirs}
    return [(row, other[_row_key(row)]) for row in ours if _row_key(row) in other]


def _independent(
    a: Row, b: Row, levels: tuple[float, float], confidence_level: float
) -> tuple[float, float] | None:
    """Interval of a difference from the intervals of both scores, brought to this level as those of normal errors."""
    sides = []
    for row, row_level in zip((a, b), levels, strict=True):
        if row.score is None or row.ci_low is None or row.ci_high is None:
            return None
        scale = (
            1.0
            if row_level == confidence_level
            else float(special.ndtri((1 + confidence_level) / 2) / special.ndtri((1 + row_level) / 2))
        )
        low, high = scale * (row.score - row.ci_low), scale * (row.ci_high - row.score)
        sides.append((row.score, row.score - low, row.score + high))
    return stats.unpaired_interval(*sides)


Tested = tuple[Change, stats.Difference | None]
"""A change, and the difference that it is of, by which it is known what could have been seen."""


@dataclasses.dataclass(slots=True)
class ResultPair:
    """Two results of one method on one data set, with the items that both have.

    The confidence level is that of scores with two directions, and that of scores of which only one is bias.
    """

    one: Result
    two: Result
    record: MethodRecord | None
    units: ScoreUnits | None
    confidence_levels: tuple[float, float]
    seed: int
    whole: SharedUnits | None = None

    def find_units(self, title: str) -> list[str]:
        """Find the items of both, and return what is to be said of those that stand in one only."""
        assert self.units is not None
        try:
            self.whole = shared_units(self.one, self.two, self.units)
        except DataError as error:
            return [f"{title}: {error}"]
        return _left_out(title, self.whole, self.units)

    def change(self, a: Row, b: Row, notes: list[str]) -> tuple[Tested, int]:
        """The change of one row, tested on its units where both results have them, and the number of these."""
        one, two, units = self.one, self.two, self.units
        published = a.score or 0.0, b.score or 0.0
        a, b = self._decided(a), self._decided(b)
        assert a.score is not None  # shared_rows
        assert b.score is not None
        # A test of several tasks has a row for each; that of all of them together names none.
        task = a.labels.get("task") or a.labels.get("by")
        alike = [r for r in one.rows if (r.kind, r.name) == (a.kind, a.name)]
        direction = a.direction or one.direction
        confidence_level = self.confidence_levels[direction != "two_sided"]
        facts: dict[str, Any] = {
            "method": one.method,
            "name": f"{a.name} ({task})" if task and len(alike) > 1 else a.name,
            "kind": a.kind,
            "direction": direction,
            "score_range": a.score_range or one.score_range,
            "control": is_control(a.labels.get("bias_type", "")),
            "first": a.score,
            "second": b.score,
            "ideal_first": one.ideal if a.ideal is None else a.ideal,
            "ideal_second": two.ideal if b.ideal is None else b.ideal,
            "difference": b.score - a.score,
            "reason": "Its items were not kept or are not shared.",
        }
        sampled = a.sampled or one.sampled, b.sampled or two.sampled
        unlike = ""
        if direction != (b.direction or two.direction):
            unlike = "The two scores are read in different directions."
        elif any(one.settings.get(key) != two.settings.get(key) for key in QUESTIONS):
            same = "`protocol`, prompt variants, prompts and `follow_up`"
            unlike = f"The two were asked other questions: give both the same {same}."
        elif clause := option_order(one) or option_order(two):
            unlike = f"{clause[0].upper()}{clause[1:]}."
        elif units is not None and a.kind == "overall" and self.whole is not None and not len(self.whole):
            of_what = f" of the same {' and '.join(units.same)}" if units.same else ""
            unlike = f"The two have no {units.name}{of_what} in common."
        if unlike:
            return (Change(**facts | {"verdict": ChangeVerdict.NOT_COMPARABLE, "reason": unlike}), None), 0
        if (
            ends := _independent(a, b, (one.confidence_level, two.confidence_level), confidence_level)
        ) is not None:
            how = "from both intervals, as if the measurements were independent"
            facts |= {"low": ends[0], "high": ends[1], "interval": how}
        if self.record is None or units is None:
            reason = facts["reason"] if self.record is None else self.record.no_units
            return (Change(**facts | {"reason": reason}), None), 0
        try:
            shared = self._of_row(a, b, units, notes)
            if shared is not None and len(shared):
                sampled_by_both = _drawn_in_both(sampled)
                if sampled_by_both is not None and not sampled_by_both.clusters:
                    reason = f"It has no test, as nothing is drawn: both are {sampled_by_both.phrase()}."
                    return (Change(**facts | {"reason": reason}), None), 0
                tested_facts, difference = self._tested(
                    shared, self.record, units, sampled_by_both, confidence_level
                )
                facts |= {"reason": "", "sampled": sampled_by_both} | tested_facts
                moved = max(abs(facts["first"] - published[0]), abs(facts["second"] - published[1]))
                if moved > stats.TIE_TOLERANCE * max(1.0, *map(abs, published)):
                    facts |= {"published_first": published[0], "published_second": published[1]}
                total = (None, None) if difference is None else (difference.sum_low, difference.sum_high)
                if facts.get("low") is not None and total[0] is not None and total[1] is not None:
                    ideals = facts["ideal_first"], facts["ideal_second"]
                    ends = stats.distance_change((facts["low"], facts["high"]), (total[0], total[1]), ideals)
                    facts |= {"distance_low": ends[0], "distance_high": ends[1]}
                return (Change(**facts), difference), len(shared)
            if shared is not None and not units.list:
                facts["reason"] = "The results hold no items of this row alone."
        except UndefinedScoreError as error:
            notes.append(f"{one.method}, {a.name}: {error}")
            facts["reason"] = "The score is undefined on the items that both have."
        return (Change(**facts), None), 0

    def _decided(self, row: Row) -> Row:
        """The row with the share of its decided units, where the score counts ties."""
        share = row.estimates.get(SCORE_WITHOUT_TIES)
        if share is None or self.record is None:
            return row
        score, ideal = float(share.value), self.record.ideal
        return dataclasses.replace(row, score=score, ci_low=share.low, ci_high=share.high, ideal=ideal)

    def _tested(
        self,
        shared: SharedUnits,
        record: MethodRecord,
        units: ScoreUnits,
        sampled_by_both: Sampled | None,
        confidence_level: float,
    ) -> tuple[dict[str, Any], stats.Difference | None]:
        """The test of a row's units; of a score that counts ties, on those that both measurements decide."""
        settings = (self.one.settings, self.two.settings)
        if not units.tie:
            return tested(shared, record, units, settings, confidence_level, self.seed, sampled_by_both)
        decided, ties = shared.decided()
        facts: dict[str, Any] = {"ties": ties, "n": len(decided), "items": units.name}
        if len(decided) < max(_FEWEST, len(shared) / 2):
            both = f"{len(decided)} of {len(shared)} {units.name} are decided in both ({ties})"
            facts |= {"reason": f"{both}, which are fewer than {_FEWEST} or than half.", "interval": ""}
            return facts | {"low": None, "high": None, "verdict": ChangeVerdict.NOT_COMPARABLE}, None
        ideals = {"ideal_first": record.ideal, "ideal_second": record.ideal}
        tested_facts, difference = tested(
            decided, record, units, settings, confidence_level, self.seed, sampled_by_both
        )
        return facts | ideals | tested_facts, difference

    def _of_row(self, a: Row, b: Row, units: ScoreUnits, notes: list[str]) -> SharedUnits | None:
        """The shared units of a row: those of a test, or the items that make it up."""
        if not units.list:
            return None if self.whole is None else self.units_of_row(a)
        if a.kind != "test":
            return None
        shared = shared_units(a, b, units)
        notes += _left_out(f"{self.one.method}, {a.name}", shared, units)
        return shared

    def units_of_row(self, row: Row) -> SharedUnits:
        """The items that make up a row."""
        assert self.whole is not None
        assert self.record is not None
        if self.units is not None and self.units.score == "function":
            functions = self.record.unit_functions()
            if isinstance(functions, SelectsUnits):
                return self.whole.where(lambda unit: functions.in_row(unit.fields, row, self.one.settings))
        row_labels = {row.name, row.labels.get("task") or row.name} if row.kind != "overall" else set()
        return self.whole.where(lambda unit: row_labels <= unit.labels)


def _drawn_in_both(sampled: tuple[Sampled | None, Sampled | None]) -> Sampled | None:
    """What both results draw; what one of them takes as given is given.

    ``None`` if a result does not declare it.
    """
    one, two = sampled
    if one is None or two is None or one == two:
        return one if two is not None else None
    clusters = tuple(name for name in one.clusters if name in two.clusters)
    return Sampled(clusters, {**two.fixed, **one.fixed})


def _left_out(of_what: str, shared: SharedUnits, units: ScoreUnits) -> list[str]:
    """What is to be said of units that stand in one only, a sentence or none."""
    if not (len(shared) and (shared.only_first or shared.only_second)):
        return []
    return [
        f"{of_what}: {len(shared)} {units.name} are in both; {shared.only_first} stand in the first only and "
        f"{shared.only_second} in the second only and are left out"
    ]


_OF_INFERENCE = frozenset(
    [
        "confidence_level",
        "seed",
        "n_resamples",
        "ci",
        "ci_resamples",
        "p_method",
        "alternative",
        "strict",
        "max_missing",
        "ties",
    ]
)
"""Settings that change intervals and p-values and no score."""


def compare(
    first: Any,
    second: Any,
    *,
    methods: str | Sequence[str] = (),
    models: tuple[str | None, str | None] = (None, None),
    confidence_level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Compare two models, or two sets of results, on the same units: did debiasing help, is the checkpoint worse?

    Scores whose results keep what they are made of (pairs, words, templates, answers) are compared unit by unit: shares
    by McNemar's exact test and Tango's interval, means by a paired permutation test and a studentised bootstrap, effect
    sizes of words and other functions of the units by exchanging the two models' answers unit by unit and a bootstrap.
    Of scores whose units cannot be exchanged the difference is given with an interval from both intervals, and no test.
    Scores are those of the units that both have, and of pairs those that both decide. P-values are adjusted by Holm
    for everything that is tested here: all methods, their tests and their groups. A change is called nearer to the
    ideal value, or further from it, only where an interval of the change of that distance says so as well.

    Args:
        first: results (a :class:`Result`, several, or the path of ``results.jsonl``), or a model, anything that
            :func:`evaluate_bias.load_model` takes, which is measured with ``methods``; or, for methods that take them,
            a file with scores in place of sentences.
        second: the same, what ``first`` is compared with.
        methods: names of methods, where models are given.
        models: names of the two models, where a side holds results of several.
        confidence_level: level of the intervals; an adjusted p-value below 1 less this is a change.
        seed: seed of permutations and resamples.
        options: options of the measurement, where models are given.

    Returns:
        The changes, second minus first, with a sentence each, a table and a picture.

    Raises:
        InputError: models without methods, methods or options beside results, or nothing in common.
        DataError: results of different data or languages, or of one name with two values, or whose provenance cannot
            be read.
        BiasError: whatever the measurement raises.

    References:
        McNemar (1947), Psychometrika 12. Tango (1998), Statistics in Medicine 17.

    Examples:
        >>> import evaluate_bias as eb
        >>> test = {"name": "toy", "targets_x": ["a", "b", "c"], "targets_y": ["d", "e", "f"],
        ...         "attributes_a": ["good"], "attributes_b": ["bad"]}
        >>> words = {"good": [1.0, 0.0], "bad": [0.0, 1.0]}
        >>> one = words | {w: [1.0, k / 10] for k, w in enumerate("abcdef")}
        >>> two = words | {w: [1.0, k / 10] for k, w in enumerate("fbdaec")}
        >>> comparison = eb.compare(one, two, methods="weat", data=[test])
        >>> print(comparison.changes[0].sentence)
        Word Embedding Association Test (WEAT), toy: 1.610 to −0.526, a difference of −2.136 (−3.651 to 0.000),
        p (Holm) = .125: no change is shown. A change of 2.610 would have been seen in 80 % of cases.
    """
    check_arguments(compare, methods=methods, models=models, confidence_level=confidence_level, seed=seed)
    names, sources = (methods,) if isinstance(methods, str) else tuple(methods), (first, second)
    one, two = map(_results_of, sources, ("first", "second"))
    if (one is None) != (two is None):
        other = quoted(str(second if two is None else first))
        raise InputError(
            f"one side is results and the other, {other}, contains none", hint="give two of a kind"
        )
    if one is not None and two is not None:
        if names or options:
            raise InputError(
                "results have been measured already, so a comparison of them has no method and no options",
                option="methods",
                hint="omit them",
            )
        sides = [of_model(side, name) for side, name in zip((one, two), models, strict=True)]
        return compare_results(*sides, confidence_level=confidence_level, seed=seed)
    if not names:
        descriptions = [
            quoted(str(g)) if isinstance(g, (str, Path)) else f"something of type {type(g).__name__}"
            for g in sources
        ]
        raise InputError(
            f"neither {descriptions[0]} nor {descriptions[1]} contains results",
            option="methods",
            hint="if they are models, name the methods to measure both with",
        )
    measured: list[list[Result]] = [[], []]
    with track("measuring", 2 * len(names), delay=0.0) as advance:
        for results, model in zip(measured, sources, strict=True):
            for name in names:
                results.append(_measured(name, model, options))
                advance(1)
    return compare_results(*measured, confidence_level=confidence_level, seed=seed)


def _measured(name: str, source: Any, options: Mapping[str, Any]) -> Result:
    """The result of a model, or of a file with scores in place of sentences."""
    record = get_method(name)
    if load_scores(record.data.columns, source) is not None:
        result = measure(name, None, source=source, **options)
        if not isinstance(source, (str, Path)):
            return result
        # The file stands for the model, so the comparison calls it, and not the data, by its name.
        model = {**result.provenance["model"], "name": Path(source).name}
        data = {k: v for k, v in dataset_facts(result).items() if k not in ("name", "source")}
        return dataclasses.replace(result, provenance={**result.provenance, "model": model, "dataset": data})
    return measure(name, source, **options)


def _results_of(source: Any, name: str) -> list[Result] | None:
    """The results that were given or that a file or folder holds; nothing where it is a model."""
    if isinstance(source, (str, Path)):
        return read_results(source) if holds_results(source) else None
    among = source if isinstance(source, (list, tuple)) else [source]
    return results_of(source, name) if any(isinstance(one, Result) for one in among) else None


def of_model(results: Sequence[Result], name: str | None) -> Sequence[Result]:
    """The results of the model of this name, or all where none is named."""
    chosen = [r for r in results if name is None or model_name(r) == name]
    if not chosen:
        raise UnknownNameError(
            "model among these results", name, {model_name(r) for r in results}, option="model"
        )
    return chosen


def compare_results(
    first: Sequence[Result],
    second: Sequence[Result],
    *,
    confidence_level: float = 0.95,
    one_sided_level: float | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare two sets of results, each about one model; see :func:`compare`.

    ``one_sided_level`` is the level of scores of which only one direction is bias, where it is another. Controls, which
    have no social content, are in no family of tests.
    """
    names = [_one_model(results) for results in (first, second)]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    ones, others = _by_key(first), _by_key(second)
    common = [key for key in ones if key in others]
    if not common:
        sides = f"{_listed(ones)} on one side, {_listed(others)} on the other"
        raise InputError(f"the two have no method and data set in common: {sides}")
    levels = confidence_level, confidence_level if one_sided_level is None else one_sided_level
    tested_changes: list[Tested] = []
    notes = [*_repeated(first, names[0]), *_repeated(second, names[1])]
    for key in common:
        pair_changes, warnings = _compare_pair(ones[key], others[key], levels, seed)
        tested_changes += pair_changes
        notes += warnings
    left_out = [
        f"{key[0]} on {key[1] or 'its data'} was measured on {names[key not in ones]} only"
        for key in (*ones, *others)
        if key not in common
    ]
    family = [c.p_value for c, _ in tested_changes if c.p_value is not None and not c.control]
    adjusted, changes = iter(stats.holm(family).tolist()), []
    for change, difference in tested_changes:
        if change.p_value is not None and change.control:
            change = dataclasses.replace(change, verdict=ChangeVerdict.CONTROL)
        elif change.p_value is not None:
            change = with_verdict(change, difference, next(adjusted), len(family), confidence_level)
        changes.append(change)
    weights = model_checksums(first[0]), model_checksums(second[0])
    return Comparison(
        first=names[0],
        second=names[1],
        changes=tuple(changes),
        same_weights=weights[0] == weights[1] if all(weights) else None,
        confidence_level=confidence_level,
        warnings=tuple(dict.fromkeys(notes)),
        left_out=tuple(left_out),
    )


def _one_model(results: Sequence[Result]) -> str:
    if not results:
        raise InputError("no result to compare")
    names = list(dict.fromkeys(model_name(r) for r in results))
    if len(names) > 1:
        raise InputError(
            f"one side contains results of several models ({', '.join(names[:5])})",
            option="models",
            hint="name two of them in `models`",
        )
    return names[0]


def _key(result: Result) -> tuple[str, str, str]:
    """Method, data set, and language or part of it."""
    data = dataset_facts(result)
    part = data.get("language") or data.get("config") or ""
    return result.method, str(data.get("name") or data.get("source") or ""), str(part)


def _by_key(results: Sequence[Result]) -> dict[tuple[str, str, str], Result]:
    """Results by what was measured; the last one counts where it was measured twice."""
    return {_key(r): r for r in results}


def _repeated(results: Sequence[Result], name: str) -> list[str]:
    """What is to be said where one thing was measured more than once."""
    times = Counter(map(_key, results))
    return [
        f"{method} on {short_path(data) or 'its data'} was measured {n} times on {name}: the last one counts"
        for (method, data, _), n in times.items()
        if n > 1
    ]


def _listed(keys: Iterable[tuple[str, str, str]]) -> str:
    """The first methods with their data, in words."""
    names = [f"{method} ({short_path(data) or 'data without a name'})" for method, data, _ in keys]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def _compare_pair(
    one: Result, two: Result, confidence_levels: tuple[float, float], seed: int
) -> tuple[list[Tested], list[str]]:
    record = METHODS.get(one.method)
    title = one.method if record is None else record.title
    notes = [*refuse_mixed_revisions(one, two), *(f"{title}: {text}" for text in _differences(one, two))]
    units = None if record is None else record.units_of(one)
    pair = ResultPair(one, two, record, units, confidence_levels, seed)
    if units is not None and not units.list:
        notes += pair.find_units(title)
    rows = shared_rows(one, two)
    # Overall scores of tests are not compared: the tests have rows of their own.
    summary = bool(one.rows_of("test") and two.rows_of("test"))
    if not rows or (summary and not any(a.kind == "test" for a, _ in rows)):
        notes.append(f"{title}: the two have no test in common, so that nothing is compared")
    changes: list[Tested] = []
    for kind in ("test", "group") if summary else ("overall", "test", "group"):
        of_kind = [pair.change(a, b, notes) for a, b in rows if a.kind == kind]
        if kind == "group":  # a group of all units is the overall score
            whole = None if pair.whole is None else len(pair.units_of_row(one.overall))
            of_kind = [c for c in of_kind if not c[1] or c[1] != whole]
        changes += [c for c, _ in of_kind]
    return changes, notes


def _differences(one: Result, two: Result) -> list[str]:
    """What differs between two results and bears on their scores."""
    out = []
    a, b = map(dataset_facts, (one, two))
    known = [d.get("sha256") or d.get("revision") for d in (a, b)]
    if all(known) and known[0] != known[1]:
        out.append("the data differ between the two; items of the same name are taken for the same")
    elif not all(known) and not (a == b and a):
        out.append("the data carry no checksum; items of the same name are taken for the same")
    for key in dict.fromkeys((*one.settings, *two.settings)):
        first_value, second_value = one.settings.get(key), two.settings.get(key)
        if first_value != second_value and key not in _OF_INFERENCE:
            out.append(
                f"{key} is {quoted(first_value)} in the first and {quoted(second_value)} in the second"
            )
    versions = [provenance_facts(r, "versions").get("evaluate-bias") for r in (one, two)]
    if versions[0] != versions[1]:
        out.append(f"measured with versions {versions[0]} and {versions[1]} of evaluate-bias")
    return out
