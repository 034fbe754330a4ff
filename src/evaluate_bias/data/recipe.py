"""How a data set is made: its configurations, where they come from, and what its card says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import InputError, UnknownNameError
from ..result import Skipped
from .origins import Origin

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Config", "Converted", "Recipe"]


@dataclass(frozen=True, slots=True)
class Converted:
    """The rows made from one upstream file.

    Attributes:
        rows: rows with the columns of the configuration.
        left_out: rows of the file that cannot be used, and why.
    """

    rows: Sequence[Mapping[str, Any]]
    left_out: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One configuration of a data set.

    Attributes:
        name: its name.
        language: language of its text.
        splits: the file each split is made from.
        parse: reads the bytes of such a file, once for all configurations that have the same function here; the
            second argument is the file's name, for errors.
        convert: turns what ``parse`` gives into rows; the second argument likewise.
        schema: makes the Arrow schema (a function, so that pyarrow is imported only when a table is written).
        licence: licence as the Hub writes it.
        refusal: why it may not be published again, empty when it may.
    """

    name: str
    language: str
    splits: Mapping[str, Origin]
    convert: Callable[[Any, str], Converted]
    parse: Callable[[bytes, str], Any] = lambda raw, _: raw
    schema: Callable[[], pa.Schema]
    licence: str
    refusal: str = ""

    @property
    def publishable(self) -> bool:
        """Whether it may be published again."""
        return not self.refusal

    def only(self, split: str) -> Config:
        """Return this configuration with one of its splits.

        Raises:
            UnknownNameError: it has no such split.
        """
        if split not in self.splits:
            raise UnknownNameError("split", split, self.splits)
        return replace(self, splits={split: self.splits[split]})

    def file(self, split: str) -> str:
        """Path of a split's file in the built folder."""
        return f"{self.name}/{split}.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A data set this library can build.

    Attributes:
        name: its name, with underscores; its card's text is ``recipes/<name>/card.md``.
        pretty_name: title of its card.
        size_category: size in the words of the Hub.
        tags: tags of its card.
        configs: its configurations.
    """

    name: str
    pretty_name: str
    size_category: str
    tags: tuple[str, ...] = field(default=("bias", "fairness", "evaluation"))
    configs: tuple[Config, ...]

    def select(self, names: Iterable[str] | None, split: str | None = None) -> tuple[Config, ...]:
        """Return the named configurations; ``None``: all that may be published.

        Args:
            names: names of configurations.
            split: the only split that the configurations returned have; ``None``: all of them.

        Raises:
            UnknownNameError: there is no configuration, or no split, of that name.
            InputError: no name was given.
        """
        if names is None:
            chosen = tuple(c for c in self.configs if c.publishable)
        else:
            chosen = self._named(names)
        return chosen if split is None else tuple(c.only(split) for c in chosen)

    def _named(self, names: Iterable[str]) -> tuple[Config, ...]:
        by_name = {c.name: c for c in self.configs}
        chosen = dict.fromkeys(names)
        for name in chosen:
            if name not in by_name:
                raise UnknownNameError(f"configuration of {self.name}", name, by_name)
        if not chosen:
            raise InputError(f"no configuration was named; {self.name} has {', '.join(by_name)}")
        return tuple(by_name[name] for name in chosen)
