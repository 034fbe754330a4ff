"""Compare two measurements on the units that both have."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy import special

from ... import stats
from ...api import measure
from ...data.dataset_record import is_control
from ...data.load import load_scores
from ...data.word_lists import WORD_LISTS
from ...errors import DataError, InputError, UndefinedScoreError, UnknownNameError, quoted
from ...experiments.sources import holds_results, read_results, results_of
from ...files import short_path
from ...method_record import QUESTIONS, MethodRecord, ScoreUnits, SelectsUnits
from ...methods.pair_scoring import NO_BIAS_TYPE
from ...options import Level, Seed, check_arguments
from ...progress import track
from ...registry import METHODS, get_method
from ...result import SCORE_WITHOUT_TIES, Result, Row, Sampled, option_order
from ...text import counted, name_list, one_line
from ..data_facts import OF_THE_CALLER, dataset_facts, model_checksums, outdated, provenance_facts, revisions
from ..escape import shorten
from ..lines import model_name
from .change import Change, ChangeConclusion, Ties, with_conclusion
from .comparison import Comparison
from .testing import SharedItems, run_test, same_score, shared_items


def refuse_mixed_revisions(one: Result, two: Result) -> list[str]:
    """Return what is to be said of two results that an older revision of their method measured, a sentence or none.

    Raises:
        DataError: they were measured by different revisions.
    """
    old = outdated(one) or outdated(two)
    if revisions(one) != revisions(two):
        raise DataError(old or "the two were measured by different revisions of the method: measure again")
    return [old] if old else []


_MIN_DECIDED = 20
"""Fewer pairs than these, or than half of them, that both measurements decide are not compared."""

_OF_INFERENCE = (
    "confidence_level", "seed", "n_resamples", "ci", "ci_resamples", "p_method", "alternative", "strict",
    "max_missing", "ties",
)  # fmt: skip
"""Settings that change intervals and p-values and no score."""


def compare(
    first: Any,
    second: Any,
    *,
    methods: str | Sequence[str] = (),
    models: tuple[str | None, str | None] = (None, None),
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    **options: Any,
) -> Comparison:
    """Compare two models, or two sets of results, on the same units: did debiasing help, is the checkpoint worse?

    Scores whose results keep what they are made of (pairs, words, templates, answers) are compared unit by unit: shares
    by McNemar's exact test and Tango's interval, means by a paired permutation test, effect sizes of words and other
    functions of the units by exchanging the two models' answers unit by unit, each with Student's interval of the
    change. For scores whose units cannot be exchanged, the difference is given with an interval from both intervals,
    and no test. Scores are over the units that both have, and for pairs over those without a tie in both. P-values are
    adjusted by Holm for everything that is tested here: all methods, their tests and their groups. A change is called
    nearer to the ideal value, or further from it, only if an interval of the change of that distance says so as well.

    Args:
        first: results (a :class:`Result`, several, or the path of ``results.jsonl``), or a model, anything that
            :func:`evaluate_bias.load_model` accepts, which is measured with ``methods``, or, for methods that
            accept them, a file with scores instead of sentences.
        second: the same, what ``first`` is compared with.
        methods: names of methods, if models are given.
        models: names of the two models, if a side contains results of several.
        confidence_level: level of the intervals. An adjusted p-value below 1 less this is a change.
        seed: seed of the permutations.
        options: options of the measurement, where models are given.

    Returns:
        The changes, second minus first, with a sentence each, a table and a picture.

    Raises:
        InputError: models without methods, methods or options next to results, or nothing in common.
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
        Word Embedding Association Test (WEAT), toy: 1.610 to −0.526, a difference of −2.136 (−4.000 to +0.090),
        p (Holm) = .125: no significant change. A change of 2.246 would have been detected in 80% of cases.
    """
    checked = check_arguments(
        compare, methods=methods, models=models, confidence_level=confidence_level, seed=seed
    )
    methods, models = checked["methods"], checked["models"]
    names, sources = (methods,) if isinstance(methods, str) else tuple(methods), (first, second)
    one, two = (_results_of(*side, names) for side in zip(sources, ("first", "second"), strict=True))
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
    """Return the result of a model, or of a file with scores instead of sentences."""
    record = get_method(name)
    if load_scores(record.data.columns, source) is not None:
        result = measure(name, None, source=source, **options)
        if not isinstance(source, (str, Path)):
            return result
        # The file represents the model, so the comparison gives its name to the model and not to the data.
        model = {**result.provenance["model"], "name": Path(source).name}
        data = {k: v for k, v in dataset_facts(result).items() if k not in ("name", "source", "sha256")}
        return dataclasses.replace(result, provenance={**result.provenance, "model": model, "dataset": data})
    return measure(name, source, **options)


def _results_of(source: Any, name: str, methods: Sequence[str]) -> list[Result] | None:
    """Return the results that were given or that a file or folder contains, ``None`` if it is a model or scores."""
    if isinstance(source, (str, Path)):
        columns = [get_method(method).data.columns for method in methods]
        if not holds_results(source) or any(load_scores(each, source) is not None for each in columns):
            return None
        return read_results(source)
    among = source if isinstance(source, (list, tuple)) else [source]
    return results_of(source, name) if any(isinstance(one, Result) for one in among) else None


def of_model(results: Sequence[Result], name: str | None) -> Sequence[Result]:
    """Return the results of the model of this name, or all if none is named."""
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
    """Compare two sets of results, each about one model, see :func:`compare`.

    ``one_sided_level`` is the level for scores of which only one direction is bias, if it differs. Controls, which have
    no social content, belong to no family of tests.
    """
    names, notes, by_key = [], list[str](), []
    for results in (first, second):
        if not results:
            raise InputError("no result to compare")
        models = list(dict.fromkeys(map(model_name, results)))
        if len(models) > 1:
            raise InputError(
                f"one side contains results of several models ({', '.join(models[:5])})",
                option="models",
                hint="name two of them in `models`",
            )
        names.append(models[0])
        by_key.append({_key(r): r for r in results})
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    for results, name in zip((first, second), names, strict=True):
        for (method, data, _), n in Counter(map(_key, results)).items():
            what = f"{method} on {short_path(data) or 'its data'}"
            notes += [f"{what} was measured {n} times on {name}: the last one counts"] if n > 1 else []
    ones, others = by_key
    common = [key for key in ones if key in others]
    if not common:
        sides = f"{_name_methods(ones)} on one side, {_name_methods(others)} on the other"
        raise InputError(f"the two have no method and data set in common: {sides}")
    levels = confidence_level, confidence_level if one_sided_level is None else one_sided_level
    tested: list[Tested] = []
    for key in common:
        tested += _compare_pair(ones[key], others[key], levels, seed, notes)
    family = [c.p_value for c, _ in tested if c.p_value is not None and not c.control]
    adjusted, changes = iter(stats.holm(family).tolist()), []
    for change, difference in tested:
        if change.p_value is not None and change.control:
            change = with_conclusion(change, difference, change.p_value, 1, confidence_level)
        elif change.p_value is not None:
            change = with_conclusion(change, difference, next(adjusted), len(family), confidence_level)
        changes.append(change)
    weights = model_checksums(first[0]), model_checksums(second[0])
    return Comparison(
        first=names[0],
        second=names[1],
        changes=tuple(changes),
        same_weights=weights[0] == weights[1] if all(weights) else None,
        confidence_level=confidence_level,
        warnings=tuple(dict.fromkeys(notes)),
        left_out=tuple(
            f"{key[0]} on {key[1] or 'its data'} was measured on {names[key not in ones]} only"
            for key in (*ones, *others)
            if key not in common
        ),
    )


def _key(result: Result) -> tuple[str, str, str]:
    """Return the method, the data set, and its language or subset. Data without a source have no name."""
    data = dataset_facts(result)
    name = str(data.get("name") or data.get("source") or "")
    part = data.get("language") or data.get("config") or ""
    return result.method, "" if name in OF_THE_CALLER else name, str(part)


def _name_methods(keys: Iterable[tuple[str, str, str]]) -> str:
    """Return the first methods with their data, in words."""
    names = [f"{method} ({short_path(data) or 'data without a name'})" for method, data, _ in keys]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


Tested = tuple[Change, stats.Difference | None]
"""A change, and the difference that it is of, by which it is known what could have been seen."""


def _compare_pair(
    one: Result, two: Result, confidence_levels: tuple[float, float], seed: int, notes: list[str]
) -> list[Tested]:
    """Return the changes of all rows that two results of one method on one data set share, and note what must be known.

    The first confidence level is for scores with two directions of bias, the second for scores with one.
    """
    record = METHODS.get(one.method)
    title = one.method if record is None else record.title
    notes += [*refuse_mixed_revisions(one, two), *(f"{title}: {text}" for text in _differences(one, two))]
    units = None if record is None else record.units_of(one)
    items: SharedItems | None = None
    if record is not None and units is not None and not units.list and record.units_of(two) == units:
        try:
            items = shared_items(one, two, units, title, notes)
        except DataError as error:
            notes.append(f"{title}: {error}")

    def items_of_row(row: Row) -> SharedItems:
        functions = record.unit_functions() if record and units and units.score == "function" else None
        if isinstance(functions, SelectsUnits):
            return [pair for pair in items or () if functions.in_row(pair[0].fields, row, one.settings)]
        labels = {row.name, row.labels.get("task") or row.name} if row.kind != "overall" else set()
        if row.name == NO_BIAS_TYPE and row.kind == "group":
            known = {r.name for r in one.rows_of("group")}
            labels.discard(row.name)
            return [p for p in items or () if labels <= p[0].labels and not known & p[0].labels]
        return [pair for pair in items or () if labels <= pair[0].labels]

    ours, theirs = (
        {row_key(r): r for r in (result.overall, *result.rows) if r.kind != "item" and r.score is not None}
        for result in (one, two)
    )
    rows = [(row, theirs[key]) for key, row in ours.items() if key in theirs]
    kinds = ["overall", "test", "group"]
    # Overall scores of tests are not compared: the tests have rows of their own.
    if one.rows_of("test") and two.rows_of("test"):
        kinds.remove("overall")
        if not any(a.kind == "test" for a, _ in rows):
            notes.append(f"{title}: the two have no test in common, so that nothing is compared")
    whole = len(items_of_row(one.overall))
    changes = []
    for a, b in sorted(rows, key=lambda pair: kinds.index(pair[0].kind) if pair[0].kind in kinds else -1):
        shared: SharedItems | None = None
        if units is not None and units.list:
            if a.kind == "test":
                shared = shared_items(a, b, units, f"{title}, {a.name}", notes)
        elif items is not None:
            shared = items_of_row(a)
            if a.kind == "group" and shared and len(shared) == whole:
                continue  # a group of all items is the overall score
        if a.kind in kinds:
            settings = one.settings, two.settings
            one_score = True
            if record and units and shared and units.score == "function":
                one_score = same_score((a, b), (items or shared, shared), record, settings)
            changes.append(
                _change(a, b, one, two, record, units, shared, one_score, confidence_levels, seed, notes)
            )
    return changes


def row_key(row: Row) -> tuple[str, str, str, str]:
    """Return what a row of a result has in common with the row of another result that it is compared with."""
    return row.kind, row.name, row.labels.get("task", ""), row.labels.get("by", "")


def row_name(row: Row, result: Result) -> str:
    """Return the name of a row, with its task if the result has a row of this name for every task."""
    task = row.labels.get("task") or row.labels.get("by")  # the row of all tasks together names none
    alike = [r for r in result.rows if (r.kind, r.name) == (row.kind, row.name)]
    return f"{row.name} ({task})" if task and len(alike) > 1 else row.name


def _change(
    a: Row,
    b: Row,
    one: Result,
    two: Result,
    record: MethodRecord | None,
    units: ScoreUnits | None,
    items: SharedItems | None,
    one_score: bool,
    confidence_levels: tuple[float, float],
    seed: int,
    notes: list[str],
) -> Tested:
    """Return the change of one row, tested on its items in both results, with ``None`` if items were not kept.

    ``one_score`` says whether the options of both results make one score of these items.
    """
    directions = a.direction or one.direction, b.direction or two.direction
    confidence_level = confidence_levels[directions[0] != "two_sided"]
    # If a score counts ties, the share without them is compared.
    scores, ideals, ends = [], [], []
    for row, result in ((a, one), (b, two)):
        share = None if record is None else row.estimates.get(SCORE_WITHOUT_TIES)
        of_row = (
            (row.score, row.ci_low, row.ci_high) if share is None else (share.value, share.low, share.high)
        )
        scores.append(float(of_row[0] or 0.0))
        ideal = result.reference if row.reference is None else row.reference
        ideals.append(ideal if share is None or record is None else record.ideal)
        ends.append(_at_level(*of_row, result.confidence_level, confidence_level))
    facts: dict[str, Any] = {
        "method": one.method,
        "name": row_name(a, one),
        "kind": a.kind,
        "direction": directions[0],
        "score_range": a.score_range or one.score_range,
        "control": is_control(a.labels.get("bias_type", "")),
        "first": scores[0], "second": scores[1], "difference": scores[1] - scores[0],
        "ideal_first": ideals[0], "ideal_second": ideals[1],
        "by_chance": (two if b.reference is None else b).expected_by_chance is not None,
    }  # fmt: skip
    unlike, contents = "", [row.details.get("lists") or {} for row in (a, b)]
    coverages = [row.coverage or result.coverage for row, result in ((a, one), (b, two))]
    has_items = units is None or not units.list or all(row.details.get(units.list) for row in (a, b))
    protocols = [result.settings.get("protocol") for result in (one, two)]
    if protocols[0] != protocols[1]:
        names = [None if name is None else f"the protocol {_value_in_words(name)}" for name in protocols]
        how = [f"by {name}" if name else "without a protocol" for name in names]
        unlike = f"The first was measured {how[0]} and the second {how[1]}: give both the same `protocol`."
    elif directions[0] != directions[1]:
        unlike = "The two scores are read in different directions."
    elif record is not None and record.units_of(one) != record.units_of(two):
        unlike = "The two scores are made of different items: give both the same `variant`."
    elif len({(r.settings.get("lexicon") or {}).get("content", "") for r in (one, two)}) > 1:
        unlike = "The two looked for the words of different lexicons: give both the same `lexicon`."
    elif not one_score:
        unlike = "The two are different scores, even of the same items: give both the same options."
    elif any(_exchanged(*facts_of) for facts_of in ((a.labels, b.labels), (contents[0], contents[1]))):
        unlike = "The two compare the same groups in opposite orders."
    elif all(contents) and units is not None and (other := _other_lists(units, contents)):
        unlike = f"The two tests have different {other}."
    elif any(one.settings.get(key) != two.settings.get(key) for key in QUESTIONS):
        same = "`protocol`, prompt variants, prompts and `follow_up`"
        unlike = f"The two were asked other questions: give both the same {same}."
    elif 2 * min(c.share for c in coverages) < max(c.share for c in coverages):
        scored, other = (f"{c.found:,} of {c.asked:,}" for c in coverages)
        unlike = (
            f"The first could score {scored} items and the second {other}: one lacks more than half of "
            "what the other has, and which answers are missing may depend on the model."
        )
    elif clause := option_order(one.details) or option_order(two.details):
        unlike = f"{clause[0].upper()}{clause[1:]}."
    elif units is not None and a.kind != "group" and items is not None and not items and has_items:
        of_what = f" of the same {' and '.join(units.same)}" if units.same else ""
        unlike = f"The two have no {units.name}{of_what} in common by which this score can be compared."
    if unlike:
        return Change(**facts, conclusion=ChangeConclusion.NOT_COMPARABLE, reason=unlike), None
    if ends[0] is not None and ends[1] is not None:
        low, high = stats.unpaired_interval(ends[0], ends[1])
        facts |= {"low": low, "high": high}
        facts["interval"] = "from both intervals, as if the measurements were independent"
    if record is None or units is None:
        return Change(**facts, reason=record.no_units if record else _NOT_KEPT), None
    if not items:
        without = (
            "This row has no items of its own to be compared by."
            if items is not None and not units.list
            else ""
        )
        return Change(**facts, reason=without or _NOT_KEPT), None
    sampled = _sampled_by_both(a.sampled or one.sampled, b.sampled or two.sampled)
    if sampled is not None and not sampled.clusters:
        reason = f"It has no test, as nothing is drawn: both are {sampled.phrase()}."
        return Change(**facts, reason=reason), None
    if units.tie:
        ties = [(x.decided, y.decided) for x, y in items]
        facts["ties"] = Ties(*map(ties.count, ((False, True), (True, False), (False, False))))
        n_asked, items = len(items), [pair for pair, decided in zip(items, ties, strict=True) if all(decided)]
        if len(items) < max(_MIN_DECIDED, n_asked / 2):
            ties_text = f" ({facts['ties']})" if any(facts["ties"]) else ""
            needed = str(_MIN_DECIDED) if len(items) < _MIN_DECIDED else "half"
            reason = (
                f"{len(items)} of {n_asked} {units.name} are decided in both{ties_text}, fewer than {needed}."
            )
            facts |= {"low": None, "high": None, "interval": ""}
            return Change(**facts, conclusion=ChangeConclusion.NOT_COMPARABLE, reason=reason), None
        facts |= {"ideal_first": record.ideal, "ideal_second": record.ideal}
    try:
        test_facts, difference = run_test(
            items, record, units, (one.settings, two.settings), confidence_level, seed, sampled
        )
    except UndefinedScoreError as error:
        return Change(**facts, reason=f"{str(error)[0].upper()}{str(error)[1:]}."), None
    facts |= {"sampled": sampled} | test_facts
    published = a.score or 0.0, b.score or 0.0
    moved = max(abs(facts["first"] - published[0]), abs(facts["second"] - published[1]))
    if moved > stats.TIE_TOLERANCE * max(1.0, *map(abs, published)):
        facts |= {"published_first": published[0], "published_second": published[1]}
    total = (None, None) if difference is None else (difference.sum_low, difference.sum_high)
    least, most = facts["score_range"]
    least, most = -math.inf if least is None else least, math.inf if most is None else most
    if facts.get("low") is not None:  # Student's interval of few items may reach beyond any possible change
        facts |= {"low": max(facts["low"], least - most), "high": min(facts["high"], most - least)}
        if total[0] is not None and total[1] is not None:
            both_ideals = facts["ideal_first"], facts["ideal_second"]
            sums = max(total[0], 2 * least), min(total[1], 2 * most)
            low, high = stats.distance_change((facts["low"], facts["high"]), sums, both_ideals)
            facts |= {"distance_low": low, "distance_high": high}
    return Change(**facts), difference


def _exchanged(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    """True if the two lists of targets, or of attributes, are exchanged in one of the tests, by names or contents."""
    return any(
        one.get(x) != one.get(y) and [one.get(x), one.get(y)] == [two.get(y), two.get(x)]
        for x, y in ("xy", "ab")
    )


def _other_lists(units: ScoreUnits, contents: Sequence[Mapping[str, Any]]) -> str:
    """Return which lists of two tests differ, of those whose words are not items, nothing if none does."""
    lists = {*(units.lists or (WORD_LISTS[:2] if units.list == "words" else WORD_LISTS[2:]))}
    for name, keys, of_name in (("attributes", "ab", WORD_LISTS[2:]), ("targets", "xy", WORD_LISTS[:2])):
        if lists.isdisjoint(of_name) and any(contents[0].get(key) != contents[1].get(key) for key in keys):
            return name
    return ""


_NOT_KEPT = "Its items were not kept or cannot be matched."


def _at_level(
    score: float | None, low: float | None, high: float | None, level: float, new_level: float
) -> tuple[float, float, float] | None:
    """Return a score with its interval at another level, assuming normal errors, ``None`` without an interval."""
    if score is None or low is None or high is None:
        return None
    scale = 1.0
    if level != new_level:
        scale = float(special.ndtri((1 + new_level) / 2) / special.ndtri((1 + level) / 2))
    return score, score - scale * (score - low), score + scale * (high - score)


def _sampled_by_both(one: Sampled | None, two: Sampled | None) -> Sampled | None:
    """Return what both results draw. What one of them fixes is fixed. ``None`` if a result does not declare it."""
    if one is None or two is None or one == two:
        return one if two is not None else None
    clusters = tuple(name for name in one.clusters if name in two.clusters)
    return Sampled(clusters, {**two.fixed, **one.fixed})


def _differences(one: Result, two: Result) -> list[str]:
    """Return the differences between two results that affect their scores."""
    out = []
    a, b = map(dataset_facts, (one, two))
    known = [d.get("sha256") or d.get("revision") for d in (a, b)]
    if all(known) and known[0] != known[1]:
        out.append("the data differ between the two, and items of the same name are treated as the same")
    elif not all(known) and not (a == b and a):
        out.append("the data carry no checksum, and items of the same name are treated as the same")
    different = {
        key: f"the first has {_setting_in_words(key, one)}, the second {_setting_in_words(key, two)}"
        for key in dict.fromkeys((*one.settings, *two.settings))
        if one.settings.get(key) != two.settings.get(key) and key not in _OF_INFERENCE
    }
    if "protocol" in different:  # most other settings follow from it
        more = f", and with it {counted(n, 'other setting')}" if (n := len(different) - 1) else ""
        out.insert(0, different["protocol"] + more)
    else:
        out += different.values()
    versions = [provenance_facts(r, "versions").get("evaluate-bias") for r in (one, two)]
    if versions[0] != versions[1]:
        first, second = (f"version {v}" if v else "an unknown version" for v in versions)
        out.append(f"the first was measured with {first} of evaluate-bias, the second with {second}")
    return out


def _setting_in_words(name: str, result: Result) -> str:
    """Return a setting of a result in a sentence.

    Examples:
        >>> result = Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=1,
        ...                 settings={"tests": ["weat6", "weat7"], "ddof": 1})
        >>> [_setting_in_words(name, result) for name in ("tests", "ddof", "protocol")]
        ['`tests` weat6, weat7', '`ddof` 1', 'no `protocol`']
    """
    value = result.settings.get(name)
    return f"no `{name}`" if value is None else f"`{name}` {_value_in_words(value)}"


def _value_in_words(value: Any) -> str:
    """Return a value of an option without the signs of Python.

    Examples:
        >>> [_value_in_words(value) for value in (True, 0.95, "quick", [], [None], {"temperature": 0.7, "n": None})]
        ['on', '0.95', 'quick', 'empty', 'none', 'temperature 0.7, n none']
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        value = [f"{key} {_value_in_words(v)}" for key, v in value.items()]
    if isinstance(value, (list, tuple)):
        value = name_list(map(_value_in_words, value), _MAX_VALUES_NAMED)
    return shorten(one_line(str(value)), _MAX_VALUE_CHARS) or "empty"


_MAX_VALUES_NAMED, _MAX_VALUE_CHARS = 5, 80
