"""What the tabs of a page share: where models come from, whose results are kept, and how a request is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..registry import METHODS, MethodRecord
from ..result import Result
from .limits import REQUEST_SECONDS
from .parts import FileLink, Links, page_defaults, show
from .pool import ModelPool
from .session import Session
from .shared_results import SHARED_RESULTS

_OF_TEXTS = "counts words"


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """The methods that take a kind of data and a model."""
    return tuple(r for r in METHODS.values() if r.data.name == kind and not counts_words(r))


def counts_words(record: MethodRecord) -> bool:
    """Whether a method measures a text rather than a model."""
    return record.needs == (_OF_TEXTS,)


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
        named: whether the names of endpoints say the method, as where several methods are on one page.
    """

    pool: ModelPool
    session: Any
    method: MethodRecord | None = None
    seconds: float = REQUEST_SECONDS
    named: bool = False

    def endpoint(self, name: str) -> str:
        """The name of an endpoint for callers from outside the page."""
        return f"{name}_{self.method.name}" if self.named and self.method is not None else name

    @property
    def only(self) -> MethodRecord:
        """The only method, of a tab that has one."""
        assert self.method is not None
        return self.method

    @property
    def needs(self) -> tuple[str, ...]:
        """What the tab's only method needs of a model; nothing where it offers several."""
        return () if self.method is None else self.method.needs


def answer(session: Session, results: Sequence[Result], html: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """What a measurement answers: HTML with links that reopen and save it, and the same as data.

    The results are those of the visitor's session from now on. ``more`` are further facts for the data.
    """
    from ..report.plots import picture_names

    if not results:
        return html, {"results": [], **more}
    session.add(results)
    own = picture_names(results[0]) if len(results) == 1 else []
    pictures = ["scores", *own]
    token = SHARED_RESULTS.keep(results, html, pictures)
    names = {
        "results.json": "JSON",
        "results.jsonl": "JSON lines",
        "rows.csv": "CSV of the rows",
        **{
            f"{name}.png": f"Picture: {name.replace('_', ' ')}"
            for name in (pictures if len(results) == 1 else [])
        },
    }
    files = {name: f"results/{token}/{name}" for name in names}
    links = Links(
        [
            FileLink("", f"?result={token}", "Link to this result, for a day"),
            *(FileLink(name, files[name], label) for name, label in names.items()),
        ]
    )
    data = {
        "results": [_no_file(r.to_dict()) for r in results],
        "link": f"?result={token}",
        "files": files,
        **more,
    }
    return html + show(links), data


def _no_file(value: Any) -> Any:
    """The same with another key for ``path``: gradio's client would fetch the file that it takes the value for."""
    if isinstance(value, dict):
        return {"file" if key == "path" else key: _no_file(inner) for key, inner in value.items()}
    return [_no_file(inner) for inner in value] if isinstance(value, list) else value
