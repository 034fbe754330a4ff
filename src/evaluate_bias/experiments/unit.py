"""One measurement of a grid, and the hashes that say what determines its number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

RECORDED = "+scores"
"""The end of the key of a unit that is measured with a recording of the model's answers."""

_LONGEST_PATTERN = 1_000
"""Characters of the longest pattern; reading one of 100,000 can take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One measurement of a grid.

    Attributes:
        key: hash of what determines its number: method and its revision, all settings with their defaults, seed,
            identity of the data and of the model, options of loading, and the version of this library.
        model: name of the model in tables.
        method: name of the method.
        data: name of the data set.
        language: language of the data; empty where they have none.
        seed: seed of everything random, ``None`` where the method draws nothing.
        options: options of the method and of its data as the config gives them.
        content_hash: of a result that no plan asked for, such as one of a file: a hash of what it measures; else empty.
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
        """What the config sets beside language, data set and seed, as text: ``alternative=less tests=weat7``."""
        settings = {k: v for k, v in self.options.items() if k not in ("language", "source")}
        return " ".join(f"{k}={_short(v)}" for k, v in sorted(settings.items()))

    @property
    def measurement(self) -> tuple[str, str, str, str, int, str]:
        """What it measures, whatever version and content of model and data; units are listed in this order."""
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
    """Whether a text equals a name or matches a pattern with ``*``.

    Examples:
        >>> is_like("bert-base", "bert*"), is_like("model[2]", "model[2]"), is_like("bert-base", "base")
        (True, True, False)
    """
    return text == pattern or (len(pattern) <= _LONGEST_PATTERN and fnmatchcase(text, pattern))


def plain_json(value: Any) -> Any:
    """A value after a round trip through JSON."""
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
    """A hash of a value that has a form in JSON."""
    return hashlib.sha256(_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _short(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
