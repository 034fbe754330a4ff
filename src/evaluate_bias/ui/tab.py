"""What the tabs of a page share: where models come from, whose results are kept, and how a request is answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..registry import METHODS, MethodRecord
from .limits import REQUEST_SECONDS
from .parts import page_defaults
from .pool import ModelPool

_OF_TEXTS = "counts words"


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """The methods that take a kind of data and a model."""
    return tuple(r for r in METHODS.values() if r.data.name == kind and not counts_words(r))


def counts_words(record: MethodRecord) -> bool:
    """Whether a method measures a text rather than a model."""
    return record.needs == (_OF_TEXTS,)


def offered(records: Iterable[MethodRecord], name: str | None) -> MethodRecord:
    """The one of some methods that has a name.

    Raises:
        InputError: none has.
    """
    for record in records:
        if record.name == name:
            return record
    raise InputError("choose one of the methods that the page offers")


def quick_options(record: MethodRecord) -> dict[str, Any]:
    """Options for methods whose defaults take longer than a visitor waits."""
    options: dict[str, Any] = page_defaults()["quick"].get(record.name, {}).get("options", {})
    return options


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a page.

    Attributes:
        pool: where models come from.
        session: gradio's state that holds the visitor's :class:`~.session.Session`.
        method: the only method that it offers; ``None`` for all that take its kind of data.
        seconds: time for one request.
        names_method: whether the names of endpoints say the method, as where several methods are on one page.
    """

    pool: ModelPool
    session: Any
    method: MethodRecord | None = None
    seconds: float = REQUEST_SECONDS
    names_method: bool = False

    def endpoint(self, name: str) -> str:
        """The name of an endpoint for callers from outside the page."""
        return f"{name}_{self.method.name}" if self.names_method and self.method is not None else name

    @property
    def only(self) -> MethodRecord:
        """The only method, of a tab that has one."""
        assert self.method is not None
        return self.method

    @property
    def needs(self) -> tuple[str, ...]:
        """What the tab's only method needs of a model; nothing where it offers several."""
        return () if self.method is None else self.method.needs
