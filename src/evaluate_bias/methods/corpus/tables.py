"""Counts of words beside the seeds of two groups, and what is said of several words together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import stats
from ...arrays import FloatArray
from ...data.schemas import WordListTest
from ...errors import CoverageError, InputError, quoted
from ...method import Finding, MethodRecord
from ...models.base import CountsWords
from ...result import Coverage, Row, Skipped
from ...text import stable_order
from ..association_inputs import (
    LISTS,
    CommonOptions,
    check_lists,
    derive_seed,
    each_once,
    error_context,
    forms_of,
    headline_of,
    parsed_tests,
    with_absent_lists,
)
from ..association_result import mean_of_tests, row_numbers, row_of_test

__all__ = ["Cells", "WordValue", "measure_corpus"]


@dataclass(frozen=True, slots=True)
class Cells:
    """The four-field table of one word: how often it, and other words, stand beside the seeds of two groups.

    Attributes:
        with_x, with_y: times the word stands beside seeds of X, and of Y.
        without_x, without_y: times other words do.
    """

    with_x: float
    without_x: float
    with_y: float
    without_y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WordValue:
    """What was measured of one word.

    Attributes:
        value: its score.
        low, high: its interval.
        p_value: of its own null hypothesis.
        facts: further numbers.
    """

    value: float
    low: float
    high: float
    p_value: float
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    test: WordListTest
    scored: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Sequence[WordValue]]
    score: float
    p: Any
    interval: Any
    facts: Mapping[str, Any]
    skipped: Sequence[Skipped]
    asked: Mapping[str, int]
    warnings: Sequence[str]

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        seeds = {name: getattr(self.test, name) for name in LISTS[:2]}
        return {name: tuple(self.scored.get(name, seeds.get(name, ()))) for name in LISTS}


def measure_corpus(
    record: MethodRecord,
    corpus: CountsWords,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    word_value: Callable[[Cells], WordValue | str],
    options: CommonOptions,
    *,
    centre: float,
    window: int | None,
    n_resamples: int,
) -> Finding:
    """Count the words of all tests in one pass each, and say what they found.

    The score of a test is the mean over its first attributes, less the mean over its second where it has any. With
    several tests it is the mean of theirs.

    Args:
        record: of the method.
        corpus: what counts.
        tests: word-list tests; the targets are the seeds of two groups.
        word_value: the score of a word from its table, or the reason why it has none.
        options: the common ones; ``max_missing`` is of words that have no value.
        centre: value of a word that favours neither group.
        window: see :meth:`evaluate_bias.corpora.corpus.Corpus.cooccurrences`.
        n_resamples: random splits of the test over words.
    """
    parsed = parsed_tests(record.name, tests, lambda test: with_absent_lists(test, LISTS[:3]))
    two = {bool(test.attributes_b) for test in parsed}
    if len(two) > 1 and centre:
        raise InputError(
            f"some tests have second attributes and some have none: {record.name} measures them apart, on another scale"
        )
    ideal = 0.0 if True in two else centre
    score_range = record.score_range
    if True in two and score_range == (0.0, 1.0):
        score_range = (-1.0, 1.0)
    runs = [
        _run(
            corpus,
            test,
            word_value,
            options._replace(seed=derive_seed(test.name, options.seed)),
            centre,
            window,
            n_resamples,
        )
        for test in parsed
    ]
    reported, notes = headline_of(runs)
    headline, facts = _headline(reported, options.level)
    return Finding(
        **headline,
        n=sum(len(some) for r in reported for some in r.scored.values()),
        coverage=Coverage(
            sum(len(some) for r in runs for some in r.scored.values()),
            sum(n for r in runs for n in r.asked.values()),
        ),
        ideal=ideal,
        score_range=score_range,
        rows=[row for r in runs for row in _rows(record, r, len(runs) > 1, ideal, score_range)],
        skipped=[s for r in runs for s in r.skipped],
        warnings=[*notes, *dict.fromkeys(w for r in runs for w in r.warnings)],
        details=facts,
        settings={"tests": [r.test.name for r in runs]},
    )


def _run(
    corpus: CountsWords,
    test: WordListTest,
    word_value: Callable[[Cells], WordValue | str],
    options: CommonOptions,
    centre: float,
    window: int | None,
    n_resamples: int,
) -> _Run:
    forms = {name: forms_of(corpus, getattr(test, name)) for name in LISTS}
    check_lists(test, forms, needed=LISTS[:3])
    lists: dict[str, list[str]] = {}
    skipped: list[Skipped] = []
    for name in LISTS:
        lists[name], again = each_once(getattr(test, name), forms[name], f"{test.name}/{name}", "word")
        skipped += again
    names = [name for name in LISTS[2:] if lists[name]]
    asked = [word for name in names for word in lists[name]]
    found = corpus.cooccurrences(
        {"x": lists["targets_x"], "y": lists["targets_y"]}, list(dict.fromkeys(asked)), window=window
    )
    for k, name in enumerate(LISTS[:2]):
        if not found.context[k]:
            raise CoverageError(
                f"{test.name}/{name}: none of its {len(lists[name])} seeds stands beside another word in {corpus.name}"
            )
    column = {word: i for i, word in enumerate(found.words)}
    skipped += [
        Skipped(seed, f"not in {corpus.name}", f"{test.name}/{name}")
        for name in LISTS[:2]
        for seed in lists[name]
        if not found.frequency[seed]
    ]
    scored: dict[str, tuple[str, ...]] = {}
    values: dict[str, list[WordValue]] = {}
    for name in names:
        kept = []
        values[name] = []
        for word in lists[name]:
            x, y = (float(found.joint[k, column[word]]) for k in (0, 1))
            value = word_value(Cells(x, float(found.context[0]) - x, y, float(found.context[1]) - y))
            if isinstance(value, str):
                skipped.append(Skipped(word, value, f"{test.name}/{name}"))
            else:
                kept.append(word)
                values[name].append(value)
        lost = len(lists[name]) - len(kept)
        if not kept or lost > options.max_missing * len(lists[name]) + 1e-9:
            raise CoverageError(
                f"{test.name}/{name}: {lost} of {len(lists[name])} words have no score in {corpus.name} "
                f"({', '.join(w for w in lists[name] if w not in kept)}); take a larger corpus, other words or "
                f"smoothing, or raise max_missing"
            )
        scored[name] = tuple(kept)
    arrays = [np.array([values[name][i].value for i in stable_order(scored[name])]) for name in names]
    with error_context(test.name, skipped):
        score, p, interval = _inference(arrays, centre, n_resamples, options)
    return _Run(
        test=test,
        scored=scored,
        values=values,
        score=score,
        p=p,
        interval=interval,
        facts={
            "seeds_x": int(found.seeds[0]),
            "seeds_y": int(found.seeds[1]),
            "context_x": int(found.context[0]),
            "context_y": int(found.context[1]),
            "n_words": found.n_words,
            "n_texts": found.n_texts,
            "n_invalid": found.n_invalid,
        },
        skipped=skipped,
        asked={name: len(lists[name]) for name in names},
        warnings=[
            *_warnings(test.name, lists, corpus.name, found.n_invalid),
            *_no_interval(test.name, scored, interval, options.ci),
        ],
    )


def _warnings(test: str, lists: Mapping[str, Sequence[str]], corpus: str, n_invalid: int) -> list[str]:
    out = []
    seeds = {*lists["targets_x"], *lists["targets_y"]}
    if both := [word for name in LISTS[2:] for word in lists[name] if word in seeds]:
        out.append(
            f"{test}: {', '.join(map(quoted, both[:5]))} both seed and attribute, so counted beside the other seeds of "
            "its own group"
        )
    if n_invalid:
        out.append(f"{corpus}: {n_invalid:,} characters were no valid UTF-8; each is read as U+FFFD")
    return out


def _inference(
    arrays: Sequence[FloatArray], centre: float, n_resamples: int, options: CommonOptions
) -> tuple[float, Any, Any]:
    """Score, test and interval over the words: of two lists their difference, of one its mean less ``centre``."""
    seed = options.seed
    if len(arrays) == 2:
        score = float(arrays[0].mean() - arrays[1].mean())
        p: Any = stats.permutation_test(*arrays, alternative="two-sided", n_resamples=n_resamples, seed=seed)
    else:
        score = float(arrays[0].mean())
        p = stats.sign_flip_test(arrays[0] - centre, n_resamples=n_resamples, seed=seed)
    if options.ci == "none" or min(map(len, arrays)) < 2:
        return score, p, None
    signs = (1.0, -1.0)
    interval = stats.bootstrap_ci(
        [len(some) for some in arrays],
        lambda indices: np.asarray(
            sum(s * some[i].mean(axis=1) for s, some, i in zip(signs, arrays, indices, strict=False))
        ),
        method=options.ci,
        n_resamples=options.ci_resamples,
        level=options.level,
        seed=seed,
        keep_replicates=True,
    )
    return score, p, interval if stats.has_width(interval.low, interval.high, stats.TIE_TOLERANCE) else None


def _no_interval(test: str, scored: Mapping[str, Sequence[str]], interval: Any, ci: str) -> list[str]:
    """Why a test has no interval that was asked for."""
    if interval is not None or ci == "none":
        return []
    single = [name for name, words in scored.items() if len(words) < 2]
    why = f"one word in {' and '.join(single)}, so there is no interval" if single else stats.NO_WIDTH
    return [f"{test}: {why}"]


def _headline(runs: Sequence[_Run], level: float) -> tuple[dict[str, Any], dict[str, Any]]:
    if len(runs) == 1:
        (run,) = runs
        numbers = row_numbers(run.score, run.p, run.interval)
        numbers["p_method"] += " permutation test over the words, two-sided"
        if run.interval is not None:
            numbers["ci_method"] += " bootstrap over the words"
        return numbers, dict(run.facts)
    whole = all(r.interval is not None for r in runs)
    numbers = mean_of_tests([r.score for r in runs], [r.interval for r in runs if whole], level)
    return numbers, {"n_tests": len(runs)}


def _rows(record: MethodRecord, run: _Run, several: bool, ideal: float, score_range: Any) -> list[Row]:
    """The row of a test, and one of every word."""
    attributes = [
        {"word": word, "list": name, "value": value.value, **value.facts}
        for name in run.scored
        for word, value in zip(run.scored[name], run.values[name], strict=True)
    ]
    rows = [
        row_of_test(
            record,
            run,
            {**run.facts, "attributes": attributes},
            score_range=score_range,
            ideal=ideal,
            n=len(attributes),
            **row_numbers(run.score, run.p, run.interval),
        )
    ]
    every = [
        (name, w, v) for name in run.scored for w, v in zip(run.scored[name], run.values[name], strict=True)
    ]
    adjusted = stats.benjamini_hochberg([v.p_value for _, _, v in every])
    holm = stats.holm([v.p_value for _, _, v in every])
    rows += [
        Row(
            name=f"{run.test.name}: {word}" if several else word,
            kind="item",
            score=v.value,
            ideal=record.ideal,
            score_range=record.score_range,
            ci_low=v.low,
            ci_high=v.high,
            p_value=v.p_value,
            p_low=v.p_value,
            p_high=v.p_value,
            p_holm=float(h),
            p_bh=float(bh),
            n=1,
            labels={"list": name},
            details=dict(v.facts),
        )
        for (name, word, v), bh, h in zip(every, adjusted, holm, strict=True)
    ]
    return rows
