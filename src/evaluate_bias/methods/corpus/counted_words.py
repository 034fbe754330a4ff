"""Counts of words beside the seeds of two groups, and what is said of several words together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import stats
from ...arrays import FloatArray
from ...corpora.counts import Cooccurrences
from ...data.schemas import WordListTest
from ...errors import CoverageError, InputError, UndefinedScoreError
from ...method import Finding
from ...method_record import MethodRecord
from ...models.base import CountsWords
from ...result import Coverage, Row, Skipped
from ...stats import Interval
from ...text import stable_order
from ..word_lists.inference import Inference, bootstrap_interval, means_test
from ..word_lists.inputs import (
    LISTS,
    Material,
    Tests,
    caveats,
    check_casing,
    check_lists,
    each_once,
    forms_of,
    parsed_tests,
)
from ..word_lists.pipeline import measure_materials
from ..word_lists.results import Headline, ScoreRange, TestOutcome, with_numbers


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
class CountedMaterial(Material):
    """A test by what was measured of its attributes.

    Attributes:
        values: of each list of attributes, the values of its words that have one.
        facts: what was counted.
        pooled: the value of the lists as sets, or the reason why they have none; ``None`` where words are averaged.
    """

    values: Mapping[str, Mapping[str, WordValue]]
    facts: Mapping[str, Any]
    pooled: WordValue | str | None


class OverAttributes(Headline):
    """Attributes with values of their own, whose mean is the score."""

    def interval_notes(
        self, interval: Interval | None, words: Mapping[str, Collection[str]], ci: str
    ) -> list[str]:
        """Why a test has no interval that was asked for."""
        if interval is not None or ci == "none" or not self.tested:
            return []
        single = [n for n in self.units if len(words[n]) == 1]
        return [f"one word in {' and '.join(single)}, so there is no interval" if single else stats.NO_WIDTH]


def measure_corpus(
    record: MethodRecord,
    corpus: CountsWords,
    tests: Tests,
    word_value: Callable[[Cells], WordValue | str],
    inference: Inference,
    *,
    centre: float,
    window: int | None,
    pool: Callable[[Sequence[Cells]], WordValue | str] | None = None,
) -> Finding:
    """Count the words of all tests in one pass each, and say what they found.

    The score of a test is the mean over its first attributes, less the mean over its second where it has any; or, where
    ``pool`` is given, the value of these lists as sets. With several tests it is the mean of theirs.

    Args:
        record: of the method.
        corpus: what counts.
        tests: word-list tests; the targets are the seeds of two groups.
        word_value: the score of a word from its table, or the reason why it has none.
        inference: the options of the call; ``max_missing`` is of words that have no value.
        centre: value of a word that favours neither group.
        window: see :meth:`evaluate_bias.corpora.corpus.Corpus.cooccurrences`.
        pool: the value of one list, or of two, from the summed counts of its words, or the reason why it has none.
    """
    parsed = parsed_tests(record.name, tests)
    two = {bool(test.attributes_b) for test in parsed}
    if len(two) > 1 and centre:
        raise InputError(
            f"some tests have second attributes and some have none: {record.name} measures them apart, on another scale"
        )
    ideal = 0.0 if True in two else centre
    score_range = record.score_range
    if True in two and score_range == (0.0, 1.0):
        score_range = (-1.0, 1.0)
    materials = [_count(corpus, test, word_value, inference.max_missing, window, pool) for test in parsed]
    finding = measure_materials(
        record,
        materials,
        lambda material, test_inference: _outcome(material, centre, score_range, test_inference),
        inference,
        OverAttributes(
            tested="" if pool else "permutation test over the words, two-sided",
            resampled="the words",
            units=LISTS[2:],
        ),
    )
    scored = {material.test.name: material for material in materials}
    numbers = {
        name: {"n": sum(len(one.words[k]) for k in LISTS[2:]), "ideal": ideal, **_of_counts(one, inference)}
        for name, one in scored.items()
    }
    finding = with_numbers(finding, numbers)
    several = len(finding.rows) > 1
    rows = [
        each
        for row in finding.rows
        for each in (row, *_rows_of_words(record, scored[row.name], f"{row.name}: " * several))
    ]
    return dataclasses.replace(
        finding,
        ideal=ideal,
        score_range=score_range,
        rows=rows,
        coverage=Coverage(
            sum(row.n or 0 for row in finding.rows),
            sum(scored[test.name].list_sizes.get(name, 0) for test in finding.rows for name in LISTS[2:]),
        ),
    )


def _count(
    corpus: CountsWords,
    test: WordListTest,
    word_value: Callable[[Cells], WordValue | str],
    max_missing: float,
    window: int | None,
    pool: Callable[[Sequence[Cells]], WordValue | str] | None,
) -> CountedMaterial:
    """Count the words of a test in one pass, and take the values of its attributes."""
    forms = {name: forms_of(corpus, getattr(test, name)) for name in LISTS}
    # The test of two sets takes their counts as independent, which those of one word are not.
    check_casing(corpus, test)
    check_lists(test, forms, needed=LISTS[:3], pairs=(LISTS[:2], LISTS[2:]) if pool else (LISTS[:2],))
    lists: dict[str, list[str]] = {}
    skipped: list[Skipped] = []
    for name in LISTS:
        lists[name], again = each_once(getattr(test, name), forms[name], f"{test.name}/{name}", "word")
        skipped += again
    names = [name for name in LISTS[2:] if lists[name]]
    words = [word for name in names for word in lists[name]]
    counts = corpus.cooccurrences(
        {"x": lists["targets_x"], "y": lists["targets_y"]}, list(dict.fromkeys(words)), window=window
    )
    for name, beside in zip(LISTS, counts.context, strict=False):
        where = f"{test.name}/{name}"
        if not beside:
            raise CoverageError(
                f"{where}: none of its {len(lists[name])} seeds stands beside another word in {corpus.name}"
            )
        absent = [seed for seed in lists[name] if not counts.frequency[seed]]
        skipped += [Skipped(seed, f"not in {corpus.name}", where) for seed in absent]
    column = {word: i for i, word in enumerate(counts.words)}
    all_x, all_y = counts.context.tolist()
    values: dict[str, dict[str, WordValue]] = {}
    counted: dict[str, list[str]] = {}
    sets: list[Cells] = []
    for name in names:
        where = f"{test.name}/{name}"
        joint = counts.joint[:, [column[word] for word in lists[name]]].astype(float)
        values[name] = {}
        for word, (x, y) in zip(lists[name], joint.T.tolist(), strict=True):
            value = word_value(Cells(x, all_x - x, y, all_y - y))
            if not isinstance(value, str):
                values[name][word] = value
                continue
            if pool:
                frequency = counts.frequency[word]
                value = f"{value}; counts in the set all the same" if frequency else f"not in {corpus.name}"
            skipped.append(Skipped(word, value, where))
        counted[name] = [w for w in lists[name] if counts.frequency[w]] if pool else list(values[name])
        _check_scored(where, lists[name], counted[name], max_missing, corpus.name, bool(pool))
        x, y = joint.sum(axis=1).tolist()
        sets.append(Cells(x, all_x - x, y, all_y - y))
    seeds = {name: tuple(getattr(test, name)) for name in LISTS[:2]}
    warnings = caveats(test.name, forms, counted, itself="so counted beside the other seeds of its own group")
    if n := counts.n_invalid:
        warnings.append(f"{corpus.name}: {n:,} characters were no valid UTF-8; each is read as U+FFFD")
    return CountedMaterial(
        test=test,
        words={
            **dict.fromkeys(LISTS, ()),
            **seeds,
            **{name: tuple(words_of_list) for name, words_of_list in counted.items()},
        },
        list_sizes={
            **{name: len(items) for name, items in seeds.items()},
            **{name: len(lists[name]) for name in names},
        },
        skipped=skipped,
        warnings=warnings,
        values=values,
        pooled=pool(sets) if pool else None,
        facts=_facts(counts, words, sets),
    )


def _facts(counts: Cooccurrences, words: Sequence[str], sets: Sequence[Cells]) -> dict[str, Any]:
    return {
        "seeds_x": int(counts.seeds[0]),
        "seeds_y": int(counts.seeds[1]),
        "context_x": int(counts.context[0]),
        "context_y": int(counts.context[1]),
        "mean_frequency": float(np.mean([counts.frequency[word] for word in words])),
        "n_counted": int(sum(cells.with_x + cells.with_y for cells in sets)),
        "n_words": counts.n_words,
        "n_texts": counts.n_texts,
        "n_invalid": counts.n_invalid,
    }


def _check_scored(
    where: str, words: Sequence[str], scored: Collection[str], max_missing: float, corpus: str, pooled: bool
) -> None:
    lost = [word for word in words if word not in scored]
    # A set of which no word is there has no score, and is left out beside others.
    if not (scored or pooled) or len(lost) > max_missing * len(words) + 1e-9:
        what, advice = (
            ("are not in", "") if pooled else ("have no score in", ", smoothing where there is any")
        )
        raise CoverageError(
            f"{where}: {len(lost)} of {len(words)} words {what} {corpus} ({', '.join(lost)}); take a larger corpus or "
            f"other words{advice}, or raise max_missing"
        )


def _outcome(
    material: CountedMaterial, centre: float, score_range: ScoreRange, inference: Inference
) -> TestOutcome:
    """Score, test and interval over the words: of two lists their difference, of one its mean less ``centre``."""
    if isinstance(material.pooled, str):
        raise UndefinedScoreError(material.pooled)
    if material.pooled is not None:
        value = material.pooled
        return TestOutcome(score=value.value, interval=None, facts={**material.facts, **value.facts})
    values, words = {n: list(column.values()) for n, column in material.values.items()}, material.words
    arrays = [
        np.array([column[i].value for i in stable_order(words[name])]) for name, column in values.items()
    ]
    signs = (1.0, -1.0)

    def resampled(indices: list[NDArray[Any]]) -> FloatArray:
        samples = zip(signs, arrays, indices, strict=False)
        return np.asarray(sum(sign * column[i].mean(axis=1) for sign, column, i in samples))

    interval = None
    if min(map(len, arrays)) > 1:
        interval = bootstrap_interval(arrays, resampled, inference, rounding=stats.TIE_TOLERANCE)
    return TestOutcome(
        score=float(sum(sign * column.mean() for sign, column in zip(signs, arrays, strict=False))),
        interval=interval,
        permutation=means_test(arrays if len(arrays) == 2 else [arrays[0] - centre], inference),
        score_range=score_range,
        facts=material.facts,
        words={
            name: {
                "value": [v.value for v in column],
                **{key: [v.facts[key] for v in column] for key in column[0].facts},
            }
            for name, column in values.items()
        },
    )


def _of_counts(material: CountedMaterial, inference: Inference) -> dict[str, Any]:
    """Interval and p-value of sets of words from their counts, as fields of a row or a finding."""
    pooled = material.pooled
    if not isinstance(pooled, WordValue):
        return {}
    p = pooled.p_value
    # What the test counts are occurrences of the words, of which far fewer words than a test over words needs suffice.
    numbers: dict[str, Any] = {
        "n_tested": material.facts["n_counted"],
        "p_value": p,
        "p_low": p,
        "p_high": p,
        "p_method": "z test of the log odds ratio",
    }
    if inference.ci != "none":
        numbers |= {"ci_low": pooled.low, "ci_high": pooled.high, "ci_method": "from the counts"}
    return numbers


def _rows_of_words(record: MethodRecord, material: CountedMaterial, prefix: str) -> list[Row]:
    every = [
        (name, word, value) for name, members in material.values.items() for word, value in members.items()
    ]
    adjusted = stats.benjamini_hochberg([v.p_value for _, _, v in every])
    holm = stats.holm([v.p_value for _, _, v in every])
    return [
        Row(
            name=f"{prefix}{word}",
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
