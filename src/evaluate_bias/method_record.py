"""The type of a registry record: what the rest of the library must know about a method."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .data.caveats import data_note
from .options import Option, options_of
from .result import Direction, Result

__all__ = ["MethodRecord", "PValue", "Secondary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Secondary:
    """A further value of a method that reports print beside its score.

    Attributes:
        key: where the value stands in ``Result.extra`` and in every row of the breakdown; dots lead into mappings
            within, as in ``"unrelated.sign.agreement"``. A row that has none shows none.
        title: heading of its column, a few words.
        meaning: what it is and how to read it, in one sentence.
        low, high: where the ends of its confidence interval stand, empty where it has none.
    """

    key: str
    title: str
    meaning: str
    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """What a p-value says where its null hypothesis is another than "the score has its ideal value".

    In all three texts ``{setting}`` stands for an option of the measurement.

    Attributes:
        meaning: what is tested and what is not, in a sentence.
        small: what a p-value below the level says, as a clause without a full stop.
        large: what one that is not below it says, likewise.
        parts: the same for the rows of the breakdown, where their p-values test something else than the overall one.
    """

    meaning: str
    small: str
    large: str
    parts: PValue | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRecord:
    """Everything the rest of the library needs to know about a method.

    Attributes:
        name: registry name; the folder in ``metrics/``, the evaluate module and the key of the score.
        title: the name people use.
        summary: what the score is, in one sentence.
        paper: authors, year, title and venue.
        url: link to the paper.
        bibtex: citation entry.
        score_name: what the score is called in the paper.
        score_range: lowest and highest value; ``None`` for an open end.
        direction: how to read the sign or size.
        ideal: the value that means "no bias was measured".
        reading: what a positive and a negative (or a high and a low) value mean, in one sentence.
        needs: names of the capabilities of :mod:`evaluate_bias.models.base`, any one of which suffices.
        columns: columns of the evaluate module, all required.
        extra_columns: further columns of the data set, which describe its rows and may be passed along.
        unused_columns: columns of the data set that may be passed along and play no part.
        dataset: Hub id of the default data set.
        entry: ``module:function`` that takes ``(model, data, **options)`` and returns a :class:`Result`.
        loader: ``module:function`` that returns the default data, taking ``data_options``.
        data_defaults: the data options that make up the default data set.
        data_options: options that choose the data (language, tests, …) rather than the computation.
        group_by: what one row of ``Result.groups`` is, which heads the table of them.
        caveats: what a reader of the score must know whatever the data, one sentence each. What concerns a data set
            stands in :mod:`evaluate_bias.data.caveats`.
        secondary: further values that reports print.
        combined: how score, interval and p-value of several tests together are made, in one sentence; only for methods
            whose items are tests.
        p_value: what the p-value says, where it does not test whether the score has its ideal value.
        least_n: number of units below which the method's test cannot reach 5% whatever the data, such as 6 for a
            two-sided sign test; 0 where there is no such number.
        least_n_of: where the number of these units stands in ``Result.extra`` and in every row of the breakdown, where
            they are not those of ``n`` that did not tie.
    """

    name: str
    title: str
    summary: str
    paper: str
    url: str
    bibtex: str
    score_name: str
    score_range: tuple[float | None, float | None]
    direction: Direction
    ideal: float
    reading: str
    needs: tuple[str, ...]
    columns: tuple[str, ...]
    extra_columns: tuple[str, ...] = ()
    unused_columns: tuple[str, ...] = ()
    dataset: str
    entry: str
    loader: str
    data_options: tuple[str, ...]
    data_defaults: Mapping[str, Any] = field(default_factory=dict)
    group_by: str
    caveats: tuple[str, ...]
    secondary: tuple[Secondary, ...] = ()
    combined: str = ""
    p_value: PValue | None = None
    least_n: int = 0
    least_n_of: str = ""

    @property
    def data_caveats(self) -> tuple[str, ...]:
        """What a reader of a score on the default data set must know about that."""
        note = data_note({"source": self.dataset})
        return () if note is None else note.caveats

    def function(self) -> Callable[..., Result]:
        """Import and return the method's entry function."""
        return _resolve(self.entry)  # type: ignore[no-any-return]

    def options(self) -> dict[str, Option]:
        """The options of the computation, by name."""
        return options_of(self.function())

    def data_choices(self) -> dict[str, Option]:
        """The options that choose the data, by name, with the defaults of this method."""
        found = options_of(_resolve(self.loader), self.data_options)
        return {
            name: replace(option, default=self.data_defaults.get(name, option.default))
            for name, option in found.items()
        }

    def load_data(self, **options: Any) -> Any:
        """Load the default data set, or what ``options`` choose instead."""
        return _resolve(self.loader)(**{**self.data_defaults, **options})


def _resolve(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)
