"""One measurement of a grid, the hashes that say what determines its number, and which of several results counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ..registry import METHODS
from ..result import Result

_LONGEST_PATTERN = 1_000
"""Characters of the longest pattern. Reading one of 100,000 can last minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One measurement of a grid.

    Attributes:
        key: hash of what determines its number: method and its revision, all settings with their defaults, seed,
            identity of the data and of the model, options of loading, and the version of this library.
        model: name of the model in tables.
        method: name of the method.
        data: name of the data set.
        language: language of the data, empty if they have none.
        seed: seed of everything random, ``None`` if the method draws nothing.
        options: options of the method and of its data as the config gives them.
        content_hash: of a result that no plan asked for, such as one of a file: a hash of what it measures,
            else empty.
    """

    key: str
    model: str
    method: str
    data: str
    language: str
    seed: int | None
    options: Mapping[str, Any]
    content_hash: str = ""

    @property
    def call(self) -> dict[str, Any]:
        """The options of :func:`evaluate_bias.measure`."""
        return {**self.options, **({} if self.seed is None else {"seed": self.seed})}

    @property
    def settings(self) -> str:
        """Return the settings other than language, data and seed, as text: ``alternative=less tests=weat7``."""
        settings = {k: v for k, v in self.options.items() if k not in ("language", "source")}
        return " ".join(f"{k}={_short(v)}" for k, v in sorted(settings.items()))

    @property
    def measurement(self) -> tuple[str, str, str, str, int, str]:
        """Return what it measures, whatever the content of model and data. Units are listed in this order."""
        seed = -1 if self.seed is None else self.seed
        return self.model, self.method, self.data, self.language, seed, _json(self.options)

    @property
    def title(self) -> str:
        """Method and what it is measured with, whatever the model: ``weat (weat_word_lists, en, tests=weat7)``."""
        return f"{self.method}{self._with}"

    @property
    def _with(self) -> str:
        parts = (self.data, self.language, self.settings, f"seed {self.seed}" if self.seed else "")
        return f" ({', '.join(filter(None, parts))})"

    def __str__(self) -> str:
        return f"{self.method} on {self.model}{self._with}"


def is_like(text: str, pattern: str) -> bool:
    """True if a text equals a name or matches a pattern with ``*``.

    Examples:
        >>> is_like("bert-base", "bert*"), is_like("model[2]", "model[2]"), is_like("bert-base", "base")
        (True, True, False)
    """
    return text == pattern or (len(pattern) <= _LONGEST_PATTERN and fnmatchcase(text, pattern))


def plain_json(value: Any) -> Any:
    """Return a value after a round trip through JSON."""
    return json.loads(_json(value))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_encoded)


def _encoded(value: Any) -> Any:
    """Encode values that JSON lacks, such as the sets and paths of options."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (tuple, range)) or hasattr(value, "tolist"):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else str(value)


def digest(value: Any) -> str:
    """Return a hash of a value that has a form in JSON."""
    return hashlib.sha256(_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _short(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def measurement_key(result: Result) -> str:
    """Return what makes two results one measurement: method, model, data and settings, but not the software.

    Examples:
        >>> a, b = (Result(method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        ...         for score in (1.0, 1.5))
        >>> measurement_key(a) == measurement_key(b)
        True
    """
    return _key(result, result.settings)


def _key(result: Result, settings: Mapping[str, object]) -> str:
    made_of = {name: result.provenance.get(name) for name in ("model", "dataset")}
    if isinstance(model := made_of["model"], Mapping):  # the day on which a server was asked
        made_of["model"] = {name: fact for name, fact in model.items() if name != "date"}
    return json.dumps([result.method, made_of, settings], sort_keys=True)


def latest(results: Iterable[Result]) -> list[Result]:
    """Return the last result of each measurement, at the position of the first.

    A result whose tests all appear in another result of the same measurement is omitted: a test counts once.

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
    """Return the names and languages of the tests."""
    return frozenset((row.name, row.labels.get("language", "")) for row in result.rows_of("test"))


def unit_of_result(result: Result) -> Unit:
    """Return the unit of a result that no plan asked for. The same result gives the same unit.

    Examples:
        >>> result = Result(method="toy", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                provenance={"model": {"name": "glove"}, "dataset": {"name": "words", "language": "en"}})
        >>> str(unit_of_result(result))
        'toy on glove (words, en)'
    """
    facts = {name: fact for name, fact in result.to_dict().items() if name != "date"}
    of = facts["provenance"]
    model, data = (
        of[k] if isinstance(of.get(k), dict) else {"name": of.get(k)} for k in ("model", "dataset")
    )
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
