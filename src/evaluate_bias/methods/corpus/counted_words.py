"""Counts of words next to the seeds of two groups, and what is said of several words together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ... import stats
from ...arrays import FloatArray
from ...data.word_lists import WordListTest
from ...errors import CoverageError, InputError, UndefinedScoreError
from ...method import Finding
from ...method_record import MethodRecord
from ...models.base import CountsWords
from ...result import Coverage, Row, Skipped
from ...stats import Interval
from ...text import stable_order
from ..word_lists import inputs
from ..word_lists.inference import Inference, bootstrap_interval, means_test
from ..word_lists.inputs import LISTS, SIDES
from ..word_lists.pipeline import measure_materials
from ..word_lists.results import Headline, TestOutcome, with_numbers


@dataclass(frozen=True, slots=True)
class Cells:
    """The four-field table of one word, or of a set, and the seeds of two groups.

    Attributes:
        with_x, with_y: number of words next to seeds of X, and of Y, that are this word, or number of sentences with a
            seed and this word.
        without_x, without_y: number of other words next to seeds, or of sentences with a seed and without this word.
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
        p_method: how the p-value is computed.
        facts: further numbers.
    """

    value: float
    low: float
    high: float
    p_value: float
    p_method: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedMaterial(inputs.Material):
    """A test by what was measured of its attributes.

    Attributes:
        values: of each list of attributes, the values of its words that have one.
        facts: what was counted.
        pooled: the value of the lists as sets, or the reason why they have none, ``None`` if words are averaged.
    """

    values: Mapping[str, Mapping[str, WordValue]]
    facts: Mapping[str, Any]
    pooled: WordValue | str | None


Pool: TypeAlias = Callable[[Sequence[Cells], Sequence[float]], WordValue | str]
"""The value of one set of words or of two, from the table of each and, for each group, the number of
sentences with a word of every set. Otherwise the reason why no value is defined.
"""


def values_of_sets(
    sets: Sequence[Cells], value_of: Callable[[Cells], WordValue | str]
) -> list[WordValue] | str:
    """Return the value of each set of words, or the reason why one has none."""
    values = [value_of(cells) for cells in sets]
    reason = next((value for value in values if isinstance(value, str)), None)
    return f"a set of words {reason}" if reason else [v for v in values if isinstance(v, WordValue)]


class OverAttributes(Headline):
    """Attributes with values of their own, whose mean is the score."""

    def interval_notes(
        self, interval: Interval | None, words: Mapping[str, Collection[str]], ci: str
    ) -> list[str]:
        """Return why a test has no interval that was asked for."""
        if interval is not None or ci == "none" or not self.tested:
            return []
        single = [n for n in self.units if len(words[n]) == 1]
        return [f"one word in {' and '.join(single)}, so there is no interval" if single else stats.NO_WIDTH]


def measure_corpus(
    record: MethodRecord,
    corpus: CountsWords,
    tests: inputs.Tests,
    word_value: Callable[[Cells], WordValue | str],
    inference: Inference,
    *,
    centre: float,
    window: int | None,
    by_sentence: bool = False,
    pool: Pool | None = None,
) -> Finding:
    """Count the words of all tests in one pass each, and say what they found.

    The score of a test is the mean over its first attributes, less the mean over its second if it has any,
    or, if ``pool`` is given, the value of these lists as sets. With several tests it is the mean of theirs.

    Args:
        record: of the method.
        corpus: what counts.
        tests: word-list tests. The targets are the seeds of two groups.
        word_value: the score of a word from its table, or the reason why it has none.
        inference: the options of the call. ``max_missing`` is of words that have no value.
        centre: value of a word that favours neither group.
        window: see :meth:`evaluate_bias.corpora.corpus.Corpus.cooccurrences`.
        by_sentence: count sentences instead of words.
        pool: the value of one list, or of two, as sets of words.
    """
    parsed = inputs.parsed_tests(record.name, tests)
    two = {bool(test.attributes_b) for test in parsed}
    if len(two) > 1 and centre:
        raise InputError(
            f"some tests have second attributes and some have none, which {record.name} measures on "
            "different scales",
            option="tests",
            hint="measure them separately",
        )
    ideal = 0.0 if True in two else centre
    score_range = (-1.0, 1.0) if ideal != centre else record.score_range

    def count(test: WordListTest) -> CountedMaterial:
        """Count the words of a test in one pass, and take the values of its attributes."""
        forms = {name: inputs.forms_of(corpus, getattr(test, name)) for name in LISTS}
        inputs.check_casing(corpus, test)
        # The test of two sets takes their counts as independent, which counts of one word are not.
        inputs.check_lists(test, forms, needed=LISTS[:3], pairs=SIDES if pool else SIDES[:1])
        places = {name: f"{test.name}/{name}" for name in LISTS}
        lists: dict[str, list[str]] = {}
        skipped: list[Skipped] = []
        for name in LISTS:
            lists[name], again = inputs.each_once(getattr(test, name), forms[name], places[name], "word")
            skipped += again
        words = [word for name in SIDES[1] for word in lists[name]]
        counts = corpus.cooccurrences(
            {"x": lists["targets_x"], "y": lists["targets_y"]},
            list(dict.fromkeys(words)),
            window=window,
            sets=[lists[name] for name in SIDES[1] if lists[name]] if by_sentence else None,
        )
        for name, beside in zip(SIDES[0], counts.context, strict=True):
            if not beside:
                raise CoverageError(
                    f"{places[name]}: none of its {len(lists[name])} seeds occurs "
                    f"{'in' if by_sentence else 'next to another word in'} {corpus.name}"
                )
            absent = [seed for seed in lists[name] if not counts.frequency[seed]]
            skipped += [Skipped(seed, f"not in {corpus.name}", places[name]) for seed in absent]
        all_x, all_y = counts.context.tolist()

        def cells(x: float, y: float) -> Cells:
            return Cells(x, all_x - x, y, all_y - y)

        column = {word: i for i, word in enumerate(counts.words)}
        values: dict[str, dict[str, WordValue]] = {}
        counted: dict[str, tuple[str, ...]] = {}
        sets: list[Cells] = []
        for name in (name for name in SIDES[1] if lists[name]):
            joint = counts.joint[:, [column[word] for word in lists[name]]].astype(float)
            pooled_joint = counts.in_sets[:, len(sets)] if by_sentence else joint.sum(axis=1)
            sets.append(cells(*pooled_joint.tolist()))
            measured = {
                word: word_value(cells(*of_word))
                for word, of_word in zip(lists[name], joint.T.tolist(), strict=True)
            }
            values[name] = {word: value for word, value in measured.items() if isinstance(value, WordValue)}
            reasons = {word: value for word, value in measured.items() if isinstance(value, str)}
            if pool:
                known = {word for word in lists[name] if counts.frequency[word]}
                reasons = {
                    word: f"{why}; counts in the set all the same"
                    if word in known
                    else f"not in {corpus.name}"
                    for word, why in reasons.items()
                }
            skipped += [Skipped(word, why, places[name]) for word, why in reasons.items()]
            counted[name] = tuple(word for word in lists[name] if word in (known if pool else values[name]))
            # A set none of whose words occurs has no score, and is omitted if others have one.
            if counted[name] or not pool or inference.max_missing < 1:
                inputs.check_coverage(
                    places[name],
                    [word for word in lists[name] if word not in counted[name]],
                    len(lists[name]),
                    inference.max_missing,
                    missing=f"are not in {corpus.name}" if pool else f"have no score in {corpus.name}",
                    advice="use a larger corpus or other words"
                    + ("" if pool else ", smoothing if it is possible"),
                )
        itself = (
            "which every sentence with it counts as"
            if by_sentence
            else "so counted near the other seeds of its own group"
        )
        warnings = inputs.caveats(test.name, forms, counted, itself=itself)
        if n := counts.n_invalid:
            warnings.append(f"{corpus.name}: {n:,} characters were not valid UTF-8 and are read as U+FFFD")
        return CountedMaterial(
            test=test,
            words={
                **dict.fromkeys(LISTS, ()),
                **{n: tuple(getattr(test, n)) for n in SIDES[0]},
                **counted,
            },
            list_sizes={n: len(lists[n] if n in SIDES[1] else getattr(test, n)) for n in LISTS if lists[n]},
            skipped=skipped,
            warnings=warnings,
            values=values,
            pooled=pool(sets, counts.in_sets[:, -1].tolist()) if pool else None,
            facts={
                **{f"seeds_{key}": int(n) for key, n in zip("xy", counts.seeds, strict=True)},
                **{f"context_{key}": int(n) for key, n in zip("xy", counts.context, strict=True)},
                "mean_frequency": float(np.mean([counts.frequency[word] for word in words])),
                "n_counted": int(sum(one.with_x + one.with_y for one in sets)),
                **{key: getattr(counts, key) for key in ("n_words", "n_texts", "n_invalid")},
            },
        )

    materials = [count(test) for test in parsed]

    def compute(material: CountedMaterial, inference: Inference) -> TestOutcome:
        """Score, test and interval over the words: of two lists their difference, of one its mean less ``centre``."""
        if isinstance(material.pooled, str):
            raise UndefinedScoreError(material.pooled)
        if (pooled := material.pooled) is not None:
            facts = {**material.facts, **pooled.facts}
            return TestOutcome(score=pooled.value, interval=None, score_range=score_range, facts=facts)
        values = {name: list(column.values()) for name, column in material.values.items()}
        orders = {name: stable_order(material.words[name]) for name in values}
        arrays = [np.array([column[i].value for i in orders[name]]) for name, column in values.items()]
        signs = (1.0, -1.0)

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            samples = zip(signs, arrays, indices, strict=False)
            return np.asarray(sum(sign * column[i].mean(axis=1) for sign, column, i in samples))

        interval = None
        if min(map(len, arrays)) > 1:
            interval = bootstrap_interval(
                [[material.words[name][i] for i in order] for name, order in orders.items()],
                resampled,
                inference,
                rounding=stats.TIE_TOLERANCE,
            )
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

    finding = measure_materials(
        record,
        materials,
        compute,
        inference,
        OverAttributes(
            tested="" if pool else "permutation test over the words, two-sided",
            resampled="the words",
            units=SIDES[1],
        ),
    )
    scored = {material.test.name: material for material in materials}
    numbers: dict[str, dict[str, Any]] = {}
    for name, one in scored.items():
        numbers[name] = {"n": sum(len(one.words[k]) for k in SIDES[1]), "ideal": ideal}
        if not isinstance(pooled := one.pooled, WordValue):
            continue
        # The test counts occurrences, so that far fewer words suffice than a test over words needs.
        numbers[name] |= {"p_value": pooled.p_value, "p_method": pooled.p_method}
        numbers[name]["n_tested"] = one.facts["n_counted"]
        if inference.ci != "none":
            numbers[name] |= {"ci_low": pooled.low, "ci_high": pooled.high, "ci_method": "from the counts"}
    finding = with_numbers(finding, numbers)
    several = len(finding.rows) > 1
    rows: list[Row] = []
    n_words = n_requested = 0
    for row in finding.rows:
        material = scored[row.name]
        rows += [row, *_rows_of_words(record, material, f"{row.name}: " * several)]
        n_words += row.n or 0
        n_requested += sum(material.list_sizes.get(name, 0) for name in SIDES[1])
    return dataclasses.replace(
        finding, ideal=ideal, score_range=score_range, rows=rows, coverage=Coverage(n_words, n_requested)
    )


def _rows_of_words(record: MethodRecord, material: CountedMaterial, prefix: str) -> list[Row]:
    every = [(name, word, v) for name, members in material.values.items() for word, v in members.items()]
    p_values = [v.p_value for _, _, v in every]
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
            p_holm=float(h),
            p_bh=float(bh),
            n=1,
            labels={"list": name},
            details=dict(v.facts),
        )
        for (name, word, v), bh, h in zip(
            every, stats.benjamini_hochberg(p_values), stats.holm(p_values), strict=True
        )
    ]
