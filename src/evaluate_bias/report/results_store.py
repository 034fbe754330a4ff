"""A results file that several runs fill: every measurement in it once, none lost."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..files import locked, require_regular_or_absent
from ..result import Result
from .lines import model_name
from .results_io import read_results, write_results

__all__ = ["ResultsStore", "latest", "measurement_key", "disambiguate_models"]


def measurement_key(result: Result) -> str:
    """What makes two results those of one measurement: method, model, data and settings, but not the software.

    Examples:
        >>> a, b = (Result(method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        ...         for score in (1.0, 1.5))
        >>> measurement_key(a) == measurement_key(b)
        True
    """
    facts = result.to_dict()
    made_of = {name: facts["provenance"].get(name) for name in ("model", "dataset")}
    return json.dumps([result.method, made_of, facts["settings"]], sort_keys=True)


def latest(results: Iterable[Result]) -> list[Result]:
    """Return the results with one for each measurement, the last one, in the place of the first.

    Of results on tests, one whose tests all stand in another of the same measurement is left out: a test counts once.

    Examples:
        >>> a, b = (Result(method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        ...         for score in (1.0, 1.5))
        >>> [r.score for r in latest([a, b])]
        [1.5]
    """
    kept = list({measurement_key(r): r for r in results}.values())
    alike: dict[str, list[Result]] = {}
    for result in kept:
        if _tests(result):
            alike.setdefault(measurement_key(_without_tests(result)), []).append(result)
    inside = {
        id(one)
        for own in alike.values()
        for i, one in enumerate(own)
        for k, other in enumerate(own)
        if _tests(one) < _tests(other) or (_tests(one) == _tests(other) and i < k)
    }
    return [r for r in kept if id(r) not in inside]


def disambiguate_models(results: Iterable[Result]) -> list[Result]:
    """Return the results, those of a model that is called like another before it with a number in its name.

    Two models are one where their weights have the same checksums, or, where these are unknown, the same place.

    Examples:
        >>> places = ["/a/step-10", "/b/step-10", "/a/step-10"]
        >>> given = [Result(method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": place}}) for place in places]
        >>> [r.provenance["model"]["name"] for r in disambiguate_models(given)]
        ['/a/step-10', 'step-10 #2', '/a/step-10']
    """
    known: dict[str, list[Mapping[str, Any]]] = {}
    out = []
    for result in results:
        name, model = model_name(result), result.provenance.get("model")
        facts = model if isinstance(model, Mapping) else {"name": model}
        own = known.setdefault(name, [])
        place = next((i for i, other in enumerate(own) if _same_model(facts, other)), len(own))
        if place == len(own):
            own.append(facts)
        if place:
            called = {"model": {**facts, "name": f"{name} #{place + 1}"}}
            result = dataclasses.replace(result, provenance={**result.provenance, **called})
        out.append(result)
    return out


_WEIGHTS = ("weights_sha256", "sha256", "archive_sha256", "revision")


def _same_model(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    shared = [key for key in _WEIGHTS if key in one and key in other] or ["name"]
    return all(one.get(key) == other.get(key) for key in shared)


def _tests(result: Result) -> frozenset[tuple[str, str]]:
    """Names and languages of the tests."""
    return frozenset((row.name, row.labels.get("language", "")) for row in result.rows_of("test"))


def _without_tests(result: Result) -> Result:
    """The result as if nobody had chosen its tests."""
    return dataclasses.replace(result, settings={k: v for k, v in result.settings.items() if k != "tests"})


class ResultsStore:
    """The results at ``path``; other programs may add to them at the same time.

    Args:
        path: the file, which need not exist.
        replace: let the first result that is added take the place of all that are there now.

    Raises:
        InputError: a folder, pipe, socket or device is there.
        OutputError: its folder cannot be made or written.
    """

    def __init__(self, path: str | Path, *, replace: bool = False) -> None:
        self.path = require_regular_or_absent(path)
        with locked(self.path):  # where this fails, adding a result would
            pass
        self._replaced = self._version() if replace else None

    def _version(self) -> tuple[int, int] | None:
        """What tells one state of the file from the next, which is another file; ``None`` where nothing is there."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def add(self, result: Result) -> None:
        """Add a result, in the place of an earlier one of the same measurement; on return it is on disk.

        Raises:
            DataError: what is there cannot be read as results.
            OutputError: the file cannot be written.
        """
        with locked(self.path):
            earlier = [] if self._version() in (None, self._replaced) else read_results(self.path)
            # A measurement keeps its first place and has its last value.
            write_results(latest((*earlier, result)), self.path)
            self._replaced = None  # a later file may have its number and, where clocks are coarse, its time
