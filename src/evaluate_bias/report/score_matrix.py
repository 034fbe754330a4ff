"""Results as a table of models and measurements, each told apart: what one picture or table shows of many results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..result import Result
from ..text import one_line
from .data_facts import chosen_subset, data_titles, dataset_facts
from .lines import ReportRow, model_name, score_name, short_title

_WEIGHTS = ("weights_sha256", "sha256", "archive_sha256", "revision")
_MAX_VALUE_CHARS = 40
"""Characters of a setting's value in a label."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One way to measure: a method on data in a language, with its settings if several were used.

    Attributes:
        method: registry name of the method.
        language: language of the data, empty when unknown or several.
        settings: the settings that distinguish this measurement from others on the same data, with their values.
        label: the method, with what tells this measurement from others of the same method.
    """

    method: str
    language: str
    settings: str
    label: str


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """Results by model and measurement.

    Attributes:
        models: names of the models, in the order of the results.
        measurements: the measurements, grouped by method.
        cells: position of the result in the results, by positions of model and measurement. Missing results have no
            entry.
    """

    models: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    cells: Mapping[tuple[int, int], int]


_Key = tuple[str, str, str, str]
"""Method, language, data and settings of a measurement."""


def score_matrix(results: Sequence[Result]) -> ScoreMatrix:
    """Arrange results by model and measurement, each result in a cell of its own.

    Settings distinguish measurements only if one model was measured several times by the same method on the same data.
    Results that differ in nothing are numbered.

    Examples:
        >>> def result(model, language, score):
        ...     return Result(method="pll", score=score, score_range=(0, 100), direction="two_sided", ideal=50, n=9,
        ...                   provenance={"model": {"name": model}, "dataset": {"language": language}})
        >>> matrix = score_matrix([result("a", "en", 55), result("a", "de", 51), result("b", "de", 60)])
        >>> matrix.models, [m.label for m in matrix.measurements], matrix.cells
        (('a', 'b'), ['pll (en)', 'pll (de)'], {(0, 0): 0, (0, 1): 1, (1, 1): 2})
    """
    base = [(r.method, result_language(r), _data(r)) for r in results]
    names = [model_name(r) for r in results]
    same: dict[tuple[str, str, str], dict[str, list[Result]]] = {}
    for key, name, result in zip(base, names, results, strict=True):
        same.setdefault(key, {}).setdefault(name, []).append(result)
    # Settings in which results of one model on the same data differ.
    differing = {
        key: sorted(
            {
                name
                for model_results in measured.values()
                for name in {name for r in model_results for name in r.settings}
                if len({json.dumps(r.settings.get(name), sort_keys=True) for r in model_results}) > 1
            }
        )
        for key, measured in same.items()
    }
    keys: list[_Key] = []
    settings: dict[_Key, str] = {}
    seen: Counter[tuple[str, _Key]] = Counter()
    for result, name, key in zip(results, names, base, strict=True):
        chosen = (f"{s} {one_line(str(result.settings.get(s)))[:_MAX_VALUE_CHARS]}" for s in differing[key])
        full: _Key = (*key, ", ".join(chosen))
        seen[name, full] += 1
        count = seen[name, full]
        keys.append((*key, f"{full[3]} #{count}".strip()) if count > 1 else full)
        settings[keys[-1]] = full[3]
    methods = list(dict.fromkeys(r.method for r in results))
    columns = sorted(dict.fromkeys(keys), key=lambda k: methods.index(k[0]))
    models = tuple(dict.fromkeys(names))
    return ScoreMatrix(
        models,
        tuple(Measurement(k[0], k[1], settings[k], _label(k, columns)) for k in columns),
        {(models.index(n), columns.index(k)): i for i, (n, k) in enumerate(zip(names, keys, strict=True))},
    )


def distinguishing_suffixes(results: Sequence[Result]) -> list[str]:
    """Return the suffix in brackets that distinguishes each result from others of its method and model, if any.

    Examples:
        >>> one, two = (Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=9,
        ...                    settings={"seed": seed}) for seed in (0, 1))
        >>> distinguishing_suffixes([one, two])
        [' (seed 0)', ' (seed 1)']
    """
    matrix = score_matrix(results)
    labels = {i: matrix.measurements[j].label for (_, j), i in matrix.cells.items()}
    return [labels[i].removeprefix(result.method) for i, result in enumerate(results)]


def distinguishing_names(lines: Sequence[ReportRow]) -> list[str]:
    """Return the name of each row, with what distinguishes its result if another row of the model is named the same.

    Every surface names rows so. Of rows that differ in nothing, the second has "#2" in its name.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> rows = [Row(name="weat7", kind="test", score=1.0, n=16)]
        >>> results = [Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                   rows=rows, settings={"seed": seed}) for seed in (0, 1)]
        >>> distinguishing_names([ReportRow(row=rows[0], result=result, model="glove") for result in results])
        ['weat7 (seed 0)', 'weat7 (seed 1)']
    """
    results = list({id(line.result): line.result for line in lines}.values())
    suffixes = dict(zip(map(id, results), distinguishing_suffixes(results), strict=True))
    keys = [(line.model, line.method, line.name, line.label) for line in lines]
    times, names, seen = Counter(keys), [], Counter[tuple[str, ...]]()
    for line, key in zip(lines, keys, strict=True):
        suffix = suffixes[id(line.result)] if times[key] > 1 else ""
        language = f" ({result_language(line.result)}"
        # A name that ends in the language is not followed by the language again.
        name = line.name.removesuffix(f"{language})") if suffix.startswith(language) else line.name
        full = (*key, name + suffix)
        seen[full] += 1
        names.append(full[-1] + (f" #{seen[full]}" if seen[full] > 1 else ""))
    return names


def short_labels(results: Sequence[Result]) -> list[str]:
    """Return a label for each result: its method and, if there are several, the model, then score or settings.

    Examples:
        >>> one, two = (Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=9,
        ...                    settings={"seed": seed}) for seed in (0, 1))
        >>> short_labels([one]), short_labels([one, two])
        (['WEAT'], ['WEAT (seed 0)', 'WEAT (seed 1)'])
    """
    models = len({model_name(r) for r in results}) > 1
    names = [short_title(r.method) + (f" · {model_name(r)}" if models else "") for r in results]
    for more in ([f" ({score_name(r)})" for r in results], distinguishing_suffixes(results)):
        pairs = list(zip(names, more, strict=True))
        names = [name + one if len({t for n, t in pairs if n == name}) > 1 else name for name, one in pairs]
    return names


def disambiguate_models(results: Iterable[Result]) -> list[Result]:
    """Return the results. A model with the same name as an earlier one gets a number in its name.

    Two models are the same if their weights have the same checksums or, if these are unknown, the same location.

    Examples:
        >>> places = ["/a/step-10", "/b/step-10", "/a/step-10"]
        >>> results = [Result(method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": place}}) for place in places]
        >>> [r.provenance["model"]["name"] for r in disambiguate_models(results)]
        ['/a/step-10', 'step-10 #2', '/a/step-10']
    """
    known: dict[str, list[Mapping[str, Any]]] = {}
    out = []
    for result in results:
        name, model = model_name(result), result.provenance.get("model")
        facts = model if isinstance(model, Mapping) else {"name": model}
        namesakes = known.setdefault(name, [])
        place = next((i for i, other in enumerate(namesakes) if _same_model(facts, other)), len(namesakes))
        if place == len(namesakes):
            namesakes.append(facts)
        if place:
            called = {"model": {**facts, "name": f"{name} #{place + 1}"}}
            result = replace(result, provenance={**result.provenance, **called})
        out.append(result)
    return out


def _same_model(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    shared = [key for key in _WEIGHTS if key in one and key in other] or ["name"]
    return all(one.get(key) == other.get(key) for key in shared)


def result_language(result: Result) -> str:
    """Return the language of a result's data, empty when it is unknown or there are several."""
    if data_language := dataset_facts(result).get("language"):
        return one_line(str(data_language))
    spoken = {row.labels.get("language", "") for row in result.rows if row.kind == "test"}
    return one_line(spoken.pop()) if len(spoken) == 1 else ""


def shade(result: Result | ReportRow, column: Sequence[Result | ReportRow]) -> float:
    """Return where a score lies between the ideal value, 0, and the ends of its range, -1 and 1.

    If the range has no end, the furthest score of the column is used instead.

    Examples:
        >>> r = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        >>> shade(r, [r])
        0.75
    """
    ideal = _reference(result)
    distance = result.score - ideal
    end = result.score_range[1 if distance > 0 else 0]
    furthest = max((abs(r.score - _reference(r)) for r in column), default=0.0)
    reach = furthest if end is None else abs(end - ideal)
    return max(-1.0, min(1.0, distance / reach)) if reach else 0.0


def _reference(measured: Result | ReportRow) -> float:
    return measured.ideal if isinstance(measured, ReportRow) else measured.reference


def _data(result: Result) -> str:
    """Return the name of the data, and which bias types or rows of them were chosen."""
    return one_line("; ".join([*data_titles([result]), *chosen_subset(dataset_facts(result))]))


def _label(key: _Key, columns: Sequence[_Key]) -> str:
    """Return the method with what differs among its measurements, and the language if any measurements differ in it."""
    method, language, data, settings = key
    method_columns = [c for c in columns if c[0] == method]
    parts = [language] if len({c[1] for c in columns if c[1]}) > 1 else []
    parts += [data] if len({c[2] for c in method_columns if c[1] == language}) > 1 else []
    text = ", ".join(filter(None, [*parts, settings]))
    return f"{method} ({text})" if text else method
