"""The one way from tests to a finding, for every method on word lists.

A method gives a function from what was read of one test to a :class:`TestOutcome`. :func:`measure_tests` looks words up
in word vectors and runs the method on every test. :func:`measure_materials` runs methods that read tests
otherwise, as sentences or contexts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ...arrays import FloatArray
from ...data.schemas import GIVEN
from ...data.word_lists import WordListTest
from ...errors import UndefinedScoreError
from ...method import Finding
from ...method_record import MethodRecord
from ...models.base import WordEmbedder
from ...result import Skipped
from ...stats.threads import on_one_thread
from . import inputs
from .cosines import check_sizes
from .distinct import distinct_test
from .inference import Inference
from .inputs import LISTS
from .results import Headline, TestOutcome, TestRun, finding_of_tests

Sets: TypeAlias = Mapping[str, FloatArray]
"""Vectors of the lists that a test has, each of shape (words, dimension)."""

M = TypeVar("M", bound=inputs.Material)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorMaterial(inputs.Material):
    """A test by the vectors of its words."""

    vectors: Sets


def measure_tests(
    record: MethodRecord,
    model: WordEmbedder,
    tests: inputs.Tests,
    compute: Callable[[VectorMaterial, Inference], TestOutcome],
    inference: Inference,
    headline: Headline,
    *,
    normalize: bool = False,
    differential: bool = False,
) -> Finding:
    """Look up the words of every test in word vectors, run a method on them, and say what was found.

    Args:
        record: of the method. Lists that are not columns of it are not read, and its optional ones may be absent. If it
            is ``paired``, the targets are looked up as pairs.
        model: the word vectors.
        tests: the tests.
        compute: the numbers of one test, from its words and the inference with a seed of its own.
        inference: the options of the call.
        headline: how several tests become one score, and what its p-value and interval are over.
        normalize: scale every vector to length 1 first.
        differential: whether the score is made of mean cosines with A less cosines with B, in which a word of both
            cancels out and no vector is too long or too short.

    Raises:
        CoverageError: a list loses more than ``max_missing`` of its words.
        InputError: two tests share a name, a word is in both target lists, or pairs do not match.
        UndefinedScoreError: a needed list is empty, or no test has a defined score.
    """
    unread = dict.fromkeys({*LISTS}.difference(record.columns, record.optional_columns), ())
    notes = {} if differential else {"itself": "so part of both sides", "twice": "so counted in each"}

    def read_material(test: WordListTest) -> VectorMaterial:
        max_missing, test = inference.max_missing, test.model_copy(update=unread)
        test, distinct = distinct_test(model, test, inference.same_vector, max_missing, record)
        forms, vectors = distinct.forms, distinct.vectors
        lookups = inputs.look_up_pairs(model, test, forms, vectors, max_missing) if record.paired else {}
        for name in LISTS:
            if name not in lookups and (list_words := getattr(test, name)):
                where = f"{test.name}/{name}"
                lookups[name] = inputs.look_up(model, list_words, forms[name], vectors, where, max_missing)
        if not differential:
            for name, one in lookups.items():
                check_sizes(one.words, one.vectors, f"{test.name}/{name}")
        words = {name: lookups[name].words if name in lookups else () for name in LISTS}
        return VectorMaterial(
            test=test,
            words=words,
            list_sizes=distinct.requested({name: one.n_requested for name, one in lookups.items()}),
            skipped=[*distinct.skipped, *(s for one in lookups.values() for s in one.skipped)],
            warnings=[
                *distinct.warnings,
                *inputs.caveats(test.name, forms, words, **notes),
                *(_axis_note(test) if record.paired and (test.origin == GIVEN or of_others) else ()),
            ],
            vectors={
                name: one.vectors / (np.linalg.norm(one.vectors, axis=1, keepdims=True) if normalize else 1.0)
                for name, one in lookups.items()
            },
        )

    source = (getattr(tests, "provenance", None) or {}).get("source")
    of_others = source is not None and source != record.data_defaults.get("source")
    materials = map(read_material, inputs.parsed_tests(record.name, tests))
    return measure_materials(record, materials, on_one_thread(compute), inference, headline)


def _axis_note(test: WordListTest) -> list[str]:
    """Return which words become the axis, of four lists: association tests contain it in their attributes."""
    if not test.attributes_b:
        return []
    few = ", ".join(" / ".join(pair) for pair in [*zip(test.targets_x, test.targets_y, strict=True)][:3])
    return [
        f"{test.name}: the axis is made of the targets, read as pairs "
        f"({few}{', …' * (len(test.targets_x) > 3)}), and the attributes are placed on it. If the axis "
        "should be between the attributes, swap targets and attributes"
    ]


def measure_materials(
    record: MethodRecord,
    materials: Iterable[M],
    compute: Callable[[M, Inference], TestOutcome],
    inference: Inference,
    headline: Headline,
    settings: Mapping[str, Any] | None = None,
) -> Finding:
    """Run a method on every test that was read, and say what was found.

    Of several tests, one whose score is undefined is omitted and listed. Controls are excluded from the
    score, unless there is nothing else.

    Args:
        record: of the method.
        materials: the tests as they were read.
        compute: the numbers of one test, and the inference with a seed of its own.
        inference: the options of the call.
        headline: how several tests become one score.
        settings: further settings of the result.

    Raises:
        UndefinedScoreError: no test has a defined score.
    """
    runs: list[TestRun] = []
    undefined: dict[str, UndefinedScoreError] = {}
    for material in materials:
        name = material.test.name
        try:
            with inputs.error_context(name, material.skipped):
                outcome = compute(material, inference.of_test(name))
        except UndefinedScoreError as error:
            undefined[name] = error
            continue
        notes = [*outcome.warnings, *headline.interval_notes(outcome.interval, material.words, inference.ci)]
        warnings = [*material.warnings, *(f"{name}: {note}" for note in notes)]
        runs.append(TestRun(material=material, outcome=outcome, warnings=warnings))
    if not runs:
        raise next(iter(undefined.values()))
    finding = finding_of_tests(record, runs, inference, headline, settings)
    lost = [Skipped(name, str(error), "tests") for name, error in undefined.items()]
    return dataclasses.replace(finding, skipped=[*finding.skipped, *lost])


def by_list(lists: Sets, **columns: Sequence[Any]) -> dict[str, dict[str, Sequence[Any]]]:
    """Columns with a value for every word of some lists, one list after the other, as columns of each list."""
    words, start = {}, 0
    for name, list_vectors in lists.items():
        end = start + len(list_vectors)
        words[name] = {key: values[start:end] for key, values in columns.items()}
        start = end
    return words


def influences(score: float, left_out: Sequence[float | None]) -> list[float | None]:
    """By how much the score falls when each word is omitted, given the scores without it."""
    return [None if other is None else float(score - other) for other in left_out]


def left_out_of_mean(values: FloatArray, weight: float = 1.0) -> list[float | None]:
    """By how much a score falls when each of some values is omitted, whose mean is part of it with a weight."""
    n, total, mean = len(values), values.sum(), values.mean()
    return [None if n == 1 else float(weight * (mean - (total - v) / (n - 1))) for v in values]
