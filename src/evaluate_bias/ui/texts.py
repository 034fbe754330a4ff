"""The tab of methods that measure a text: a named corpus, a pasted text or an upload, and the words to count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..api import measure
from ..assets import is_cached, list_assets
from ..corpora.corpus import Corpus, load_corpus
from ..data.word_lists import WORD_LISTS
from ..errors import InputError
from ..registry import METHODS, MethodRecord
from ..result import Result
from .form import Answer, Click, Form, Tab, Values, counts_words, offered, outputs
from .guard import MAX_TEXT_BYTES, bounded, parse_words, uploaded_text
from .parts import page_defaults
from .pool import MODELS_IN_MEMORY
from .rows import ExampleRows
from .word_lists import choices_of, draw_lists, lists_as_text, parsed_lists

MAX_TEXT = 200_000

_LANGUAGE = "en"
_OWN = "the lists below"


def text_methods() -> list[MethodRecord]:
    """The methods that measure a text rather than a model."""
    return [record for record in METHODS.values() if counts_words(record)]


def corpus_choices(*, installed: bool = True) -> list[tuple[str, str]]:
    """Named corpora as ``(label, name)``; with ``installed``, only those on this machine."""
    corpora = [a for a in list_assets() if a.kind == "text" and (is_cached(a) or not installed)]
    return [(f"{a.name} ({a.language})", a.name) for a in corpora]


def offered_words() -> dict[str, Any]:
    """The words that the tab starts with, as a test; books of about 1900 hold all of them beside both groups."""
    offered = page_defaults()["texts"]
    lists = {c: parse_words(t, c) for c, t in zip(WORD_LISTS, offered["lists"], strict=True)}
    labels = dict(zip(("x_label", "y_label", "a_label", "b_label"), offered["labels"], strict=True))
    return {"name": offered["name"], "language": _LANGUAGE, **lists, **labels}


def visitors_corpus(name: str | None, text: str, path: str | None) -> Corpus:
    """The text that a visitor uploaded or pasted; without one, the named corpus.

    Raises:
        InputError: the text is too long, or there is no corpus of this name.
        DataError: the upload is too large or no text.
    """
    if path:
        return Corpus(uploaded_text(path).splitlines(), name="your file")
    if text.strip():
        return Corpus(bounded(text, MAX_TEXT, "text").splitlines(), name="your text")
    if name not in {known for _, known in corpus_choices(installed=False)}:
        raise InputError(
            "paste a text, upload one, or choose one of the corpora that the page offers", option="corpus"
        )
    return load_corpus(name)


def run_text(
    method: str, corpus: Corpus, texts: Sequence[str], window: float | None, smoothing: float | None
) -> Result:
    """Measure a corpus with four typed lists, of which the last may be empty.

    Raises:
        InputError: no such method on this page, or a list is empty or too long.
        BiasError: whatever the method raises.
    """
    record = offered(text_methods(), method)
    rows: list[Any] = ExampleRows([offered_words()])
    if [" ".join(t.split()) for t in texts] != page_defaults()["texts"]["lists"]:
        rows = [{"name": "your lists", "language": _LANGUAGE, **parsed_lists(texts, record)}]
    numbers = {"window": None if window is None else int(window), "smoothing": smoothing}
    options: dict[str, Any] = {n: v for n, v in numbers.items() if v is not None and n in record.options()}
    return measure(method, corpus, data=rows, **options)


def texts_tab(tab: Tab) -> None:
    """Draw the tab of texts: one that is pasted, uploaded or named, and the words to count."""
    import gradio as gr

    defaults = page_defaults()["texts"]
    records = sorted(text_methods(), key=lambda r: r.name != defaults["method"])
    if tab.method is not None:
        records = [tab.method]

    def measure_text(click: Click) -> Answer:
        values = click.values
        click.deadline.doing = "counting words"
        click.deadline.step(0, 1)
        corpus = visitors_corpus(values["corpus"], values["text"] or "", click.upload)
        typed = [values[name] for name in "xyab"]
        numbers = values.get("window"), values.get("smoothing")
        return click.answer(run_text(values["method"], corpus, typed, *numbers))

    def fill(values: Values) -> Values:
        name = values["test"]
        texts = lists_as_text(_LANGUAGE, name, records[0]) if name else defaults["lists"]
        return dict(zip("xyab", texts, strict=True))

    corpora = corpus_choices(installed=tab.method is None)
    names = [name for _, name in corpora]
    corpus = defaults["corpus"] if defaults["corpus"] in names else next(iter(names), None)
    options = {name for record in records for name in record.options()}
    form = Form(tab, "texts", methods=records, megabytes=MAX_TEXT_BYTES // 2**20)
    form.help()
    with gr.Row():
        form.method()
        form.field("corpus", value=corpus, choices=corpora)
        form.field("test", value="", choices=[(_OWN, ""), *choices_of(_LANGUAGE, records[0])])
    form.field("text", "Textbox", value="", lines=4, max_lines=10, max_length=MAX_TEXT)
    form.upload((".txt",))
    draw_lists(form, defaults["lists"], records[0])
    with gr.Row():
        form.field("window", "Number", value=10, precision=0, visible="window" in options)
        form.field("smoothing", "Number", value=0, visible="smoothing" in options)
    run = form.button("measure_text")
    output = outputs("texts-output")
    form.on_measure(run, "measure_text", measure_text, output, at_once=MODELS_IN_MEMORY)
    form.cascade(["test"], {}, fill, "xyab")
