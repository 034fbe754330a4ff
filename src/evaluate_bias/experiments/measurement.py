"""Which results are of the same measurement, and which of them counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ..registry import METHODS
from ..result import Result
from .unit import Unit, digest, plain_json


def measurement_key(result: Result) -> str:
    """What makes two results those of one measurement: method, model, data and settings, but not the software.

    Examples:
        >>> a, b = (Result(method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        ...         for score in (1.0, 1.5))
        >>> measurement_key(a) == measurement_key(b)
        True
    """
    return _key(result, result.settings)


def _key(result: Result, settings: Mapping[str, object]) -> str:
    made_of = {name: result.provenance.get(name) for name in ("model", "dataset")}
    return json.dumps([result.method, made_of, settings], sort_keys=True)


def latest(results: Iterable[Result]) -> list[Result]:
    """Return the last result of each measurement, at the position of the first.

    Of results on tests, one whose tests all stand in another of the same measurement is left out: a test counts once.

    Examples:
        >>> a, b = (Result(method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        ...         for score in (1.0, 1.5))
        >>> [r.score for r in latest([a, b])]
        [1.5]
    """
    last_results = list({measurement_key(r): r for r in results}.values())
    alike: dict[str, list[Result]] = {}
    for result in last_results:
        if _tests(result):
            # As if nobody had chosen its tests.
            whole = {name: value for name, value in result.settings.items() if name != "tests"}
            alike.setdefault(_key(result, whole), []).append(result)
    inside = {
        id(one)
        for same_key_results in alike.values()
        for i, one in enumerate(same_key_results)
        for k, other in enumerate(same_key_results)
        if _tests(one) < _tests(other) or (_tests(one) == _tests(other) and i < k)
    }
    return [r for r in last_results if id(r) not in inside]


def _tests(result: Result) -> frozenset[tuple[str, str]]:
    """Names and languages of the tests."""
    return frozenset((row.name, row.labels.get("language", "")) for row in result.rows_of("test"))


def unit_of_result(result: Result) -> Unit:
    """The unit of a result that no plan asked for; the same result has the same one.

    Examples:
        >>> result = Result(method="toy", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                provenance={"model": {"name": "glove"}, "dataset": {"name": "words", "language": "en"}})
        >>> str(unit_of_result(result))
        'toy on glove (words, en)'
    """
    facts = result.to_dict()
    model, data = (_facts(facts["provenance"].get(name)) for name in ("model", "dataset"))
    record = METHODS.get(result.method)
    known = {**record.options(), **record.data_choices()} if record else {}
    seed = facts["settings"].get("seed")
    return Unit(
        key=digest(facts),
        model=str(model.get("name") or "unnamed model"),
        method=result.method,
        data=str(data.get("name") or data.get("source") or ""),
        language=str(data.get("language") or ""),
        seed=seed if isinstance(seed, int) else None,
        options={
            name: value
            for name, value in facts["settings"].items()
            if name in known and name != "seed" and value != plain_json(known[name].default)
        },
        content_hash=digest(measurement_key(result)),
    )


def _facts(model: object) -> Mapping[str, object]:
    return model if isinstance(model, Mapping) else {"name": model}
