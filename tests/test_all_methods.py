"""What holds for every method, as one table: each record times each property, on its first golden case."""

from __future__ import annotations

import copy
import dataclasses
import html
import itertools
import json
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.schemas import READY
from evaluate_bias.errors import (
    BiasError,
    CoverageError,
    DataError,
    InputError,
    MeasurementError,
    ModelError,
    UndefinedScoreError,
    UnknownNameError,
)
from evaluate_bias.hub.golden import golden_cases, module_cases
from evaluate_bias.registry import METHODS
from evaluate_bias.report.latex import to_latex
from evaluate_bias.report.lines import short_title
from evaluate_bias.report.reading import read
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Result, Skipped
from tests.report.samples import report_lines
from tests.support.agree import agree

Rows = list[dict[str, Any]]
NAMES = list(METHODS)
every_method = pytest.mark.parametrize("name", NAMES)


def fixture(name: str) -> tuple[Any, Rows, dict[str, Any]]:
    """Model, rows and options of a method's first golden case."""
    columns = module_cases(name)[0]["inputs"]
    record = METHODS[name]
    options = {k: v for k, v in columns.items() if k in record.options() and k not in record.data.columns}
    given = {k: v for k, v in columns.items() if k not in options and k != "model"}
    rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    return columns.get("model"), copy.deepcopy(rows), options


def measured(name: str, change: Callable[[Rows], Rows] = lambda rows: rows, **more: Any) -> Result:
    model, rows, options = fixture(name)
    return eb.measure(name, model, data=change(rows), **{**options, **more})


def numbers(result: Result) -> list[float | None]:
    return [result.score, result.ci_low, result.ci_high, result.p_value, result.p_error]


def same(left: list[float | None], right: list[float | None]) -> bool:
    return all(
        a == b if a is None or b is None else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        for a, b in zip(left, right, strict=True)
    )


# --- golden cases ---------------------------------------------------------------------------------------------


CASES = [
    pytest.param(name, i, id=f"{name}-{c['name']}")
    for name in NAMES
    for i, c in enumerate(golden_cases(name))
]


@pytest.mark.parametrize(("name", "place"), CASES)
def test_golden_cases(name: str, place: int) -> None:
    case, inputs = golden_cases(name)[place], module_cases(name)[place]["inputs"]
    assert set(case) <= {"name", "source", "model", "params", "input", "expected", "tolerance"}
    assert case["source"]
    found = eb.load(name, keep_in_memory=True).compute(**inputs)
    agree(found, case["expected"], name, case["tolerance"])


# --- what every result promises -------------------------------------------------------------------------------


@every_method
def test_json_round_trip_and_frames(name: str) -> None:
    result = measured(name)
    assert Result.from_json(result.to_json()) == result
    assert len(result.to_frame()) == len(result.rows) + 1
    assert result.to_arrow().num_rows == len(result.rows) + 1
    assert json.loads(json.dumps(result.to_flat_dict()))[name] == result.score


@every_method
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    assert measured(name).to_json() == measured(name).to_json()


@every_method
def test_score_interval_and_p_are_in_their_ranges(name: str) -> None:
    result, record = measured(name), METHODS[name]
    low, high = result.score_range
    assert low is None or low <= result.score
    assert high is None or result.score <= high
    assert result.method == name
    assert set(result.estimates) <= {s.key for s in record.secondary}
    for row in result.rows:
        assert set(row.estimates) <= {s.key for s in record.secondary}, row.name
    for row in (result.overall, *result.rows):
        assert (row.p_value is None) == (row.p_error is None)
        assert row.p_value is None or (0 <= row.p_value <= 1 and 0 <= row.p_error < 0.5)
        assert row.ci_low is None or row.ci_low <= row.ci_high
    is_asked = "instructions" in result.settings
    assert set(record.options()) - set(() if is_asked else ("protocol",)) <= set(result.settings)
    assert ("protocol" in result.settings) == (is_asked and "protocol" in record.options())
    assert set(result.provenance) >= {"model", "versions", "dataset"}
    assert 0 < result.coverage.found <= result.coverage.asked


AGREEMENT: Mapping[str, Mapping[str, Any]] = {
    "template_compatibility": {
        "templates": ["{target}", "{target} there"],
        "representation": "sentence_mean",
    },
    "representation_compatibility": {
        "templates": ["{target} there"],
        "representations": ["bare:target_mean", "sentence_mean"],
    },
}
"""Settings that differ with made-up vectors."""
LISTS = {"targets_x": 6, "targets_y": 5, "attributes_a": 4, "attributes_b": 3}


def of_vectors(model: Any) -> bool:
    """Whether a fixture's model is a mapping from words to vectors."""
    return isinstance(model, dict) and all(isinstance(v, list) for v in model.values())


def larger(name: str) -> tuple[Any, Rows, dict[str, Any]]:
    """Model, rows and options that what is drawn depends on: made-up words where a method takes word vectors."""
    model, rows, options = fixture(name)
    if not of_vectors(model):
        return model, rows, options
    rng = random.Random(7)
    if "targets_x" in rows[0]:
        sizes = {**LISTS, "targets_y": 6} if METHODS[name].paired else LISTS
        lists = {key: [f"w{rng.randrange(10**9)}" for _ in range(size)] for key, size in sizes.items()}
        words = [word for some in lists.values() for word in some]
        rows = [{"name": "first", **lists}]
        other = "attributes_a" if METHODS[name].paired else "targets_x"
        if METHODS[name].data.name == "word_lists":
            rows.append(
                {
                    "name": "second",
                    **lists,
                    other: lists["attributes_b"],
                    "attributes_b": lists[other],
                }
            )
        options |= {"contexts": words} if "contexts" in options else {}
        options |= AGREEMENT.get(name, {})
        words.append("there")
    elif "expected" in rows[0]:
        words = [f"w{rng.randrange(10**9)}" for _ in range(30)]
        asked = [rng.sample(words, 8) for _ in range(12)]
        rows = [
            {"a": a, "b": b, "c": c, "expected": more, "relation": f"r{i % 3}"}
            for i, (a, b, c, *more) in enumerate(asked)
        ]
    else:
        groups = options.get("groups", ("f", "m"))
        rows = [
            {"word": f"w{rng.randrange(10**9)}", "group": groups[i % 2] if i < 9 else "", "statistic": None}
            for i in range(20)
        ]
        rows = [{**row, "statistic": rng.random()} if not row["group"] else row for row in rows]
        words = [row["word"] for row in rows]
    return {word: [rng.gauss(0.3, 1.0) for _ in range(6)] for word in words}, rows, options


def shuffled(rows: Rows, seed: int, paired: bool = False) -> Rows:
    """Rows, and the words of every list, in another order; pairs stay together."""
    rng = random.Random(seed)
    found = [
        {k: rng.sample(v, len(v)) if isinstance(v, list) else v for k, v in row.items()}
        for row in rng.sample(rows, len(rows))
    ]
    for row in found if paired else ():
        given = next(r for r in rows if r["name"] == row["name"])
        row["targets_y"] = [given["targets_y"][given["targets_x"].index(x)] for x in row["targets_x"]]
    return found


def every_number(result: Result) -> dict[tuple[str, str, str], float]:
    """All numbers of the result and its rows, by row and name."""
    keys = (
        "score",
        "ideal",
        "expected_by_chance",
        "ci_low",
        "ci_high",
        "p_value",
        "p_error",
        "p_holm",
        "p_bh",
        "n",
    )
    found = {}
    for row in (result.overall, *result.rows):
        if row.kind == "item" and row.name.isdigit():
            continue  # named by its place
        values = {key: getattr(row, key) for key in keys}
        values |= {k: v for key, estimate in row.estimates.items() for k, v in estimate.flat(key).items()}
        found |= {(row.kind, f"{row.name} {row.labels}", k): v for k, v in values.items() if v is not None}
    return found


@every_method
def test_the_order_of_rows_and_words_changes_no_number(name: str) -> None:
    model, rows, options = larger(name)
    known = METHODS[name].options()
    options = {k: v for k, v in options.items() if k not in ("ci", "ci_resamples")}
    options |= {key: 99 for key in ("n_resamples", "ci_resamples") if key in known}
    options |= {"subset_size": 3} if "subset_size" in known else {}
    sampled = [{}, {"p_method": "monte_carlo"}] if "monte_carlo" in str(known.get("p_method")) else [{}]
    for more in sampled:
        expected = every_number(eb.measure(name, model, data=rows, **options, **more))
        for seed in (1, 2):
            found = every_number(
                eb.measure(name, model, data=shuffled(rows, seed, METHODS[name].paired), **options, **more)
            )
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


# --- bad input ------------------------------------------------------------------------------------------------


@every_method
def test_no_row_is_an_error(name: str) -> None:
    with pytest.raises(
        BiasError, match=r"no (row|test|data|pair|item|occupation|word)|at least one|empty|needs"
    ):
        measured(name, lambda rows: [])


def result_or_error(
    name: str, change: Callable[[Rows], Rows], other_model: Any = None, told: str = r".{20,600}"
) -> Result | None:
    """The result, or nothing where an error of ours says why there is none."""
    model, rows, options = fixture(name)
    try:
        return eb.measure(name, model if other_model is None else other_model, data=change(rows), **options)
    except BiasError as error:
        if not re.search(told, str(error), re.DOTALL) or len(str(error)) > 600:
            pytest.fail(f"not clear: {error}")
        return None


@every_method
def test_one_row_is_a_result_or_a_clear_error(name: str) -> None:
    result = result_or_error(name, lambda rows: rows[:1])
    assert result is None or math.isfinite(result.score)


@every_method
def test_a_row_given_twice_is_refused_or_counted_as_stated(name: str) -> None:
    result = result_or_error(name, lambda rows: [*rows, dict(rows[0])])
    if result is not None:
        assert math.isfinite(result.score)
        assert result.coverage.asked >= measured(name).coverage.asked


def spoilt(value: Any) -> Any:
    """The value with every number in it replaced by NaN."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return math.nan
    if isinstance(value, list):
        return [spoilt(v) for v in value]
    return {k: spoilt(v) for k, v in value.items()} if isinstance(value, dict) else value


@every_method
def test_nan_is_refused_or_taken_for_absent(name: str) -> None:
    model, rows, _ = fixture(name)
    given = spoilt(model) if isinstance(model, dict) else model
    result = result_or_error(
        name, lambda _: [spoilt(row) for row in rows], given, told=r"(?i)nan|finite|number|needs a model"
    )
    assert result is None or all(v is None or math.isfinite(v) for v in numbers(result))


class NotFinite:
    """A model whose vectors are all NaN, or infinite."""

    name = "not finite"

    def __init__(self, model: Any, value: float) -> None:
        self._model, self._value = model, value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed_words(self, words: Any) -> Any:
        vectors, missing = self._model.embed_words(words)
        return np.full_like(vectors, self._value), missing

    def embed_in_context(self, *asked: Any) -> list[Any]:
        found = self._model.embed_in_context(*asked)
        return [v if isinstance(v, Skipped) else np.full_like(v, self._value) for v in found]


@pytest.mark.parametrize("name", [n for n in NAMES if of_vectors(fixture(n)[0])])
def test_vectors_that_are_not_finite_are_no_score(name: str) -> None:
    model, rows, options = larger(name)
    value = math.nan
    with pytest.raises(ModelError, match="NaN or infinite numbers"):
        METHODS[name].function()(NotFinite(eb.load_model(model), value), rows, **options)


@pytest.mark.parametrize("name", [n for n in NAMES if of_vectors(fixture(n)[0])])
@pytest.mark.parametrize("longest", [1e308, 1e200, 1e-320])
def test_vectors_of_any_length_are_measured_or_refused(name: str, longest: float) -> None:
    model, rows, options = fixture(name)
    largest = max(map(abs, itertools.chain(*model.values())))
    vectors = {word: [value / largest * longest for value in vector] for word, vector in model.items()}
    with suppress(InputError, ModelError, CoverageError, UndefinedScoreError):  # no MeasurementError
        assert math.isfinite(eb.measure(name, vectors, data=rows, **options).score)


@every_method
def test_data_that_are_no_rows_are_refused(name: str) -> None:
    model, _, options = fixture(name)
    for wrong in (5, "rows.csv", b"rows", {"name": "toy"}, object(), 10**5_000, np.array(5)):
        with pytest.raises(InputError, match="rows") as caught:
            eb.measure(name, model, data=wrong, **options)
        assert (caught.value.option, len(str(caught.value)) <= 600) == ("data", True)
    for wrong in (range(10**12), itertools.count(), [np.array(5)], [5], ["a"]):  # refused by their first row
        with pytest.raises((InputError, DataError), match="rows"):
            eb.measure(name, model, data=wrong, **options)


@every_method
def test_rows_may_come_from_a_generator(name: str) -> None:
    model, rows, options = fixture(name)
    assert eb.measure(name, model, data=(row for row in rows), **options).score == measured(name).score


@every_method
def test_what_fails_outside_is_an_error_of_ours_with_its_cause(name: str) -> None:
    def rows(kind: type[Exception]) -> Iterator[Any]:
        raise kind("x" * 5_000)
        yield

    for kind in (ZeroDivisionError, KeyError, OSError, RecursionError, TypeError):
        with pytest.raises(MeasurementError, match=f"{name} failed: {kind.__name__}: ") as caught:
            eb.measure(name, fixture(name)[0], data=rows(kind))
        assert isinstance(caught.value.__cause__, kind)
        assert len(str(caught.value)) <= 600


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, SystemExit])
def test_interrupts_and_lack_of_memory_go_through(kind: type[BaseException]) -> None:
    def rows() -> Iterator[Any]:
        raise kind
        yield

    with pytest.raises(kind):
        eb.measure("weat", {"a": [1.0]}, data=rows())


@pytest.mark.parametrize(
    "wrong", [None, 5, b"weat", ["weat"], "weat" * 10_000, 10**5_000], ids=lambda v: type(v).__name__
)
def test_a_method_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(UnknownNameError, match="unknown method") as caught:
        eb.measure(wrong, None)
    assert len(str(caught.value)) <= 600


@every_method
def test_an_unknown_option_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name} has no option 'sede'; did you mean 'seed'"):
        measured(name, sede=1)


with_a_model = pytest.mark.parametrize("name", [n for n in NAMES if METHODS[n].needs])


@pytest.mark.parametrize("name", [n for n in NAMES if not METHODS[n].needs])
def test_a_model_is_refused_where_none_is_taken(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name} measures no model; omit `model`"):
        METHODS[name].function()(object(), fixture(name)[1])


@with_a_model
def test_no_model_is_an_error_that_names_what_would_work(name: str) -> None:
    _, rows, options = fixture(name)
    if fixture(name)[0] is None:
        columns = METHODS[name].data.columns
        rows = [{k: v for k, v in row.items() if columns[k].holds not in READY} for row in rows]
        rows = [{k: "He left." if isinstance(v, float) else v for k, v in row.items()} for row in rows]
        if "sentences" in rows[0]:
            rows = [{**r, "sentences": [{**o, "sentence": "He left."} for o in r["sentences"]]} for r in rows]
    with pytest.raises(InputError, match=r"needs a model; use "):
        eb.measure(name, None, data=rows, **options)


@with_a_model
def test_a_model_without_the_capability_is_an_error(name: str) -> None:
    with pytest.raises(BiasError, match=r"needs a model that .* does not; use "):
        METHODS[name].function()(object(), fixture(name)[1])


# --- surfaces -------------------------------------------------------------------------------------------------


@every_method
def test_reports_and_cards_are_written(name: str) -> None:
    from evaluate_bias.report.card import bias_section

    result = measured(name)
    assert report_lines([result])
    assert METHODS[name].title in to_markdown([result])
    assert r"\bottomrule" in to_latex([result])
    assert f"| {short_title(name)} |" in bias_section([result])
    assert read(result).finding in html.unescape(result._repr_html_())


@every_method
def test_two_results_on_a_model_are_adjusted_together(name: str) -> None:
    result = measured(name)
    other = dataclasses.replace(result, provenance={"model": {"name": "other"}})
    assert all(line.p_holm_all is None for line in report_lines([result, other]))
    lines = report_lines([result, result])
    tested = [line for line in lines if line.row.p_value is not None and not line.illustrative]
    assert all(line.p_holm_all is not None and line.p_holm_all >= line.row.p_value - 1e-12 for line in tested)
