"""The tab of methods that measure a text: a named corpus, a pasted text or an upload, and the words to count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..api import measure
from ..assets import is_cached, list_assets
from ..corpora.corpus import Corpus, load_corpus
from ..data.schemas import WORD_LISTS
from ..errors import InputError
from ..registry import METHODS, MethodRecord
from ..result import Result
from .handlers import deadline_of, on_choice, on_click
from .limits import MAX_TEXT, MAX_TEXT_BYTES, MODELS_IN_MEMORY, Deadline, bounded, parse_words
from .outcome import result_page
from .parts import page_defaults
from .session import Session
from .tab import Tab, answer, choice, counts_words, outputs, text_box, upload_boxes, upload_path
from .uploads import uploaded_text
from .word_lists import choices_of, list_boxes, lists_as_text, parsed_lists

__all__ = ["corpus_choices", "offered_words", "run_text", "text_methods", "texts_tab", "visitors_corpus"]

_LANGUAGE = "en"
_LINES = 200
"""Lines read between two looks at the clock."""
_OWN = "the lists that stand here"


def text_methods() -> list[MethodRecord]:
    """The methods that measure a text rather than a model."""
    return [record for record in METHODS.values() if counts_words(record)]


def corpus_choices(*, installed: bool = True) -> list[tuple[str, str]]:
    """Named corpora as ``(label, name)``; with ``installed``, only those on this machine."""
    found = [a for a in list_assets() if a.kind == "text" and (is_cached(a) or not installed)]
    return [(f"{a.name} ({a.language})", a.name) for a in found]


def offered_words() -> dict[str, Any]:
    """The words that the tab starts with, as a test; books of about 1900 hold all of them beside both groups."""
    offered = page_defaults()["texts"]
    lists = {c: parse_words(t, c) for c, t in zip(WORD_LISTS, offered["lists"], strict=True)}
    labels = dict(zip(("x_label", "y_label", "a_label", "b_label"), offered["labels"], strict=True))
    return {"name": offered["name"], "language": _LANGUAGE, **lists, **labels}


def visitors_corpus(name: str | None, text: str, path: str | None, deadline: Deadline) -> Corpus:
    """The text that a visitor uploaded or pasted; without one, the named corpus.

    Raises:
        InputError: the text is too long, or there is no corpus of this name.
        DataError: the upload is too large or no text.
    """
    if path:
        return Corpus(_TimedLines(uploaded_text(path).splitlines(), deadline), name="your file")
    if text.strip():
        return Corpus(_TimedLines(bounded(text, MAX_TEXT, "text").splitlines(), deadline), name="your text")
    if name not in {known for _, known in corpus_choices(installed=False)}:
        raise InputError("paste a text, upload one, or choose one of the corpora that the page offers")
    return load_corpus(name)


class _TimedLines(Sequence[str]):
    """Lines that may be read more than once, with a look at the clock now and then."""

    def __init__(self, lines: Sequence[str], deadline: Deadline) -> None:
        self._lines, self._deadline = lines, deadline

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, place: Any) -> Any:
        return self._lines[place]

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines):
            if number % _LINES == 0:
                self._deadline.step(number, len(self._lines))
            yield line


def run_text(
    method: str, corpus: Corpus, texts: Sequence[str], window: float | None, smoothing: float | None
) -> Result:
    """Measure a corpus with four typed lists, of which the last may be empty.

    Raises:
        InputError: no such method on this page, or a list is empty or too long.
        BiasError: whatever the method raises.
    """
    record = next((r for r in text_methods() if r.name == method), None)
    if record is None:
        raise InputError("choose one of the methods that the page offers")
    asked = offered_words()
    if [" ".join(t.split()) for t in texts] != page_defaults()["texts"]["lists"]:
        asked = {"name": "your lists", "language": _LANGUAGE, **parsed_lists(texts, record)}
    given = {"window": None if window is None else int(window), "smoothing": smoothing}
    options: dict[str, Any] = {n: v for n, v in given.items() if v is not None and n in record.options()}
    return measure(method, corpus, data=[asked], **options)


def texts_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    offered = page_defaults()["texts"]
    records = sorted(text_methods(), key=lambda r: r.name != offered["method"])
    if tab.method is not None:
        records = [tab.method]
    corpora = corpus_choices(installed=tab.method is None)
    published = [(_OWN, ""), *choices_of(_LANGUAGE, records[0])]
    has_window = any("window" in r.options() for r in records)
    has_smoothing = any("smoothing" in r.options() for r in records)

    def measure_text(
        session: Session,
        method: str = records[0].name,
        corpus: str | None = None,
        text: str = "",
        upload: str | None = None,
        x: str = "",
        y: str = "",
        a: str = "",
        b: str = "",
        window: float | None = 10,
        smoothing: float | None = 0,
        own: bool = False,
        progress: Any = gr.Progress(),
    ) -> tuple[str, dict[str, Any]]:
        deadline = deadline_of(progress, tab.seconds)
        deadline.doing = "counting words"
        source = visitors_corpus(corpus, text or "", upload_path(own, upload), deadline)
        result = run_text(method, source, [x, y, a, b], window, smoothing)
        deadline.step(1, 1)
        return answer(session, [result], result_page(result))

    def fill(name: str) -> Sequence[str]:
        return lists_as_text(_LANGUAGE, name, records[0]) if name else offered["lists"]

    gr.Markdown(
        "Which words stand beside words for one group rather than another? Paste a text, upload one, or take a corpus "
        "of books. A text of a few pages has room for few words only.",
        elem_id="texts-help",
    )
    with gr.Row():
        method = choice(
            "Method",
            "texts-method",
            [(r.title, r.name) for r in records],
            records[0].name,
            visible=len(records) > 1,
        )
        names = [name for _, name in corpora]
        first = offered["corpus"] if offered["corpus"] in names else next(iter(names), None)
        corpus = choice("Corpus, where no text is given", "texts-corpus", corpora, first)
        test = choice("Words", "texts-test", published, "")
    text = text_box(
        "Your text, one sentence or paragraph a line",
        "texts-text",
        lines=4,
        max_lines=10,
        max_length=MAX_TEXT,
    )
    own, upload = upload_boxes(
        "text file",
        "texts",
        (".txt",),
        f"A .txt file, UTF-8, up to {MAX_TEXT_BYTES // 2**20} MB, used instead of the text above",
    )
    boxes = list_boxes("texts", offered["lists"], records[0])
    with gr.Row():
        window = gr.Number(
            10, label="Words on either side", precision=0, elem_id="texts-window", visible=has_window
        )
        smoothing = gr.Number(
            0, label="Added to each count (smoothing)", elem_id="texts-smoothing", visible=has_smoothing
        )
    run = gr.Button("Count and measure", variant="primary", elem_id="texts-run")
    output = outputs("texts-output")
    on_choice(test, fill, test, boxes)
    on_click(
        run,
        measure_text,
        [tab.session, method, corpus, text, upload, *boxes, window, smoothing, own],
        output,
        api_name="measure_text",
        at_once=MODELS_IN_MEMORY,
        about=(
            "Count which words stand beside seeds of two groups in a text, an uploaded file or a named corpus: seeds "
            "x and y, words a and, if there are any, b. 'method' is one of "
            f"{', '.join(r.name for r in records)}. Returns HTML and the result as data."
        ),
    )
