"""What one visitor has measured in one browser tab; gone when the tab is closed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..report.data_facts import model_checksums
from ..report.lines import model_name
from ..result import Result

MAX_RESULTS = 24


class Session:
    """Results in the order they were measured; measuring the same again replaces the older result.

    Attributes:
        errors: why the latest request failed, by where its result would stand, until the page has shown it.

    Examples:
        >>> session = Session()
        >>> session.add([Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=8)])
        >>> session.models(), len(session.results)
        (['unnamed model'], 1)
    """

    def __init__(self) -> None:
        self.errors: dict[str, str] = {}
        self._results: dict[tuple[str, ...], Result] = {}
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Session:
        """A new visitor starts with nothing, whatever the page was built with."""
        return Session()

    @property
    def results(self) -> list[Result]:
        """The results, oldest first."""
        with self._lock:
            return list(self._results.values())

    def add(self, results: Iterable[Result]) -> None:
        """Keep results; beyond the limit the oldest are forgotten."""
        with self._lock:
            for result in results:
                self._results.pop(_key(result), None)
                self._results[_key(result)] = result
            while len(self._results) > MAX_RESULTS:
                del self._results[next(iter(self._results))]

    def models(self) -> list[str]:
        """Names of the models measured, the latest first."""
        return list(self._by_model())

    def of(self, model: str) -> list[Result]:
        """The results of one model."""
        return self._by_model().get(model, [])

    def _by_model(self) -> dict[str, list[Result]]:
        """Results by the name of their model, with the start of its checksum where several files have one name."""
        results = self.results
        models = dict.fromkeys(_model(r) for r in reversed(results))
        names = Counter(name for name, _ in models)
        return {
            name if names[name] == 1 else f"{name} ({content[:8]})": [
                r for r in results if _model(r) == (name, content)
            ]
            for name, content in models
        }


def _model(result: Result) -> tuple[str, str]:
    """Return name and checksums of the model: two uploads may have one name."""
    return model_name(result), ", ".join(model_checksums(result))


def _key(result: Result) -> tuple[str, ...]:
    """What makes two results the same measurement."""
    dataset = result.provenance.get("dataset")
    names = [row.name for row in result.rows]
    return (result.method, *_model(result), str(dataset), str(sorted(result.settings.items())), *names)
