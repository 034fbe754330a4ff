"""What one visitor has measured in one browser tab, until the tab is closed, and why a request failed."""

from __future__ import annotations

import functools
import html
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BiasError
from ..report.data_facts import model_checksums
from ..report.lines import model_name
from ..result import Result

MAX_RESULTS = 24
MAX_MESSAGE = 600

_LOG = logging.getLogger(__name__)
_SHOWN_SECONDS = 20.0
_FOREIGN = "That did not work, and the reason is in the log of the server."


class Session:
    """Results in the order they were measured. Measuring the same again replaces the older result.

    Attributes:
        errors: why the latest request failed, by the place of its result on the page, until the page has shown it.

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
        """Start a new visitor with nothing, whatever the page was built with."""
        return Session()

    @property
    def results(self) -> list[Result]:
        """The results, oldest first."""
        with self._lock:
            return list(self._results.values())

    def add(self, results: Iterable[Result]) -> None:
        """Keep results. Beyond the limit the oldest are forgotten."""
        with self._lock:
            for result in results:
                self._results.pop(_key(result), None)
                self._results[_key(result)] = result
            while len(self._results) > MAX_RESULTS:
                del self._results[next(iter(self._results))]

    def models(self) -> list[str]:
        """Return the names of the models measured, the latest first."""
        return list(self._by_model())

    def of(self, model: str) -> list[Result]:
        """Return the results of one model."""
        return self._by_model().get(model, [])

    def _by_model(self) -> dict[str, list[Result]]:
        """Return results by the name of their model, with the start of its checksum if several files share a name."""
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
    """Return a key that is equal for two results of the same measurement."""
    dataset = result.provenance.get("dataset")
    names = [row.name for row in result.rows]
    return (result.method, *_model(result), str(dataset), str(sorted(result.settings.items())), *names)


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show what went wrong as one short sentence. An error from outside this library goes into the server's log."""
    import gradio as gr

    try:
        yield
    except Exception as error:
        if isinstance(error, gr.Error):  # of a value that a field does not offer
            message = error.message
        elif isinstance(error, BiasError):
            message = f"That did not work: {sentence_of(error)}"
        else:
            _LOG.exception("a request failed")
            message = _FOREIGN
        message = message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"
        # Gradio shows messages as HTML, and takes quotation marks off the ends of a text.
        raise gr.Error(html.escape(message, quote=False), _SHOWN_SECONDS, print_exception=False) from error


def sentence_of(error: BaseException) -> str:
    """Return what an error says as sentences: what was wrong, then what to do.

    Examples:
        >>> sentence_of(BiasError("unknown test 'weat77'", hint="did you mean 'weat7'?"))
        "unknown test 'weat77'. Did you mean 'weat7'?"
        >>> sentence_of(BiasError("no such test"))
        'no such test.'
    """
    text, hint = (error.text, error.hint) if isinstance(error, BiasError) else (str(error), "")
    ended = [part if part.endswith((".", "?", "!", "…")) else f"{part}." for part in (text, hint) if part]
    return " ".join([*ended[:1], *(part[:1].upper() + part[1:] for part in ended[1:])])


def wrap_errors(handler: Callable[..., Any], place: str = "") -> Callable[..., Any]:
    """Wrap a handler in :func:`shown_errors`. Its first input, the visitor's session, keeps what failed at a place."""
    import gradio as gr

    @functools.wraps(handler)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            with shown_errors():
                return handler(*args, **kwargs)
        except gr.Error as error:
            if place:
                args[0].errors[place] = html.unescape(error.message)
            raise

    return run
