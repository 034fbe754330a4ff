"""The tabs that measure word lists, published or typed, in a model, and that count them in a text."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from ..api import measure
from ..assets import is_cached, list_assets
from ..corpora.corpus import Corpus, load_corpus
from ..data import kinds
from ..data.word_lists import WORD_LISTS, languages
from ..errors import BiasError, InputError
from ..models.base import Capability, can
from ..registry import METHODS, MethodRecord
from ..result import Result, Skipped
from .form import Answer, Click, Form, Tab, Values, counts_words, methods_on, offered, outputs, quick_options
from .guard import MAX_TEXT_BYTES, VECTOR_TYPES, OutOfTime, bounded, parse_words, uploaded_text
from .parts import page_defaults
from .pool import MODELS_IN_MEMORY, TEXT_MODELS, WORD_VECTORS, kinds_for, model_choices
from .rows import ExampleRows

MAX_TEXT = 200_000

_TYPED = "your lists"
_BELOW = "the lists below"
_LANGUAGE = "en"
_LONGEST_REASON = 160


def _published(language: str, method: MethodRecord | None = None, *, together: bool = False) -> Any:
    """Return the published tests of a language, or of a method, or with ``together`` those it measures by default."""
    if method is None:
        return kinds.WORD_LISTS.load()(language=language)
    usual = together and "tests" in method.data_defaults
    return method.load_data(language=language, **({} if usual else {"tests": None}))


def choices_of(language: str, method: MethodRecord | None = None) -> list[tuple[str, str]]:
    """Return the published tests of a language as ``(label, name)``.

    Examples:
        >>> choices_of("en")[6][1]
        'weat7'
    """
    tests = _published(language, method)
    return [(f"{t.name}: {t.title}" if t.title else t.name, t.name) for t in tests]


def lists_as_text(language: str, name: str, method: MethodRecord | None = None) -> tuple[str, ...]:
    """Return the four lists of a published test, ready to be edited."""
    test = _published(language, method)[name]
    return tuple(", ".join(getattr(test, column)) for column in WORD_LISTS)


def run_lists(
    model: Any, language: str, name: str, texts: Sequence[str], method: MethodRecord | None = None
) -> Result:
    """Run four typed lists. If they match the published test ``name``, the result says so.

    Callers from outside who only name a test send the words that the page begins with: then the named test counts.
    Without a method, the one that suits the model is used.

    Raises:
        InputError: a list is empty that the method needs, or too long.
        BiasError: whatever the method raises.
    """
    lists = parsed_lists(texts, method)
    if name:
        published = _published(language, method)
        if name not in {test.name for test in published}:  # of those that all methods share
            published = _published(language)
        published = published.select(name)
        for test in (published[0], _published(_LANGUAGE)[page_defaults()["word_lists"]["test"]]):
            if all(list(getattr(test, column)) == words for column, words in lists.items()):
                return run_tests(model, published, method)
    return run_tests(model, [{"name": _TYPED, "language": language, **lists}], method)


def parsed_lists(texts: Sequence[str], method: MethodRecord | None) -> dict[str, list[str]]:
    """Return the words of the four fields. One that the method can do without may be empty.

    Raises:
        InputError: a list is empty that the method needs, or too long.
    """
    words_of = {}
    for column, text in zip(WORD_LISTS, texts, strict=True):
        needed = method is None or column in method.columns
        words_of[column] = parse_words(text, column) if needed or (text or "").strip(" ,;\n") else []
    return words_of


def run_tests(model: Any, tests: Any, method: MethodRecord | None = None) -> Result:
    """Run tests by the method. Without one, the model decides: it has word vectors, or embeds words in context.

    Raises:
        BiasError: whatever the method raises.
    """
    if method is not None:
        return measure(method.name, model, data=tests, **quick_options(method))
    in_context = can(model, Capability.EMBEDS_IN_CONTEXT) and not can(model, Capability.EMBEDS_WORDS)
    need = "embeds words in context" if in_context else "embeds words"
    name, options = page_defaults()["word_lists"]["methods"][need]
    return measure(name, model, data=tests, **options)


def run_measurable(model: Any, tests: Any, method: MethodRecord | None = None) -> Result:
    """Run all tests but those that cannot be measured, which the result lists as skipped with the reason.

    Raises:
        BiasError: no test can be measured, or the obstacle does not concern a single test.
    """
    remaining_tests = tests
    lost: list[Skipped] = []
    while True:
        try:
            result = run_tests(model, remaining_tests, method)
        except OutOfTime:
            raise
        except BiasError as error:
            message = error.text
            at_fault = next(
                (t.name for t in remaining_tests if message.startswith((f"{t.name}/", f"{t.name}:"))), None
            )
            if at_fault is None or len(remaining_tests) == 1:
                raise
            reason = message.removeprefix(at_fault)[1:].partition(";")[0]
            # Without the words that it names, which can be many.
            reason = re.sub(r" \([^()]*\)", "", reason).strip()[:_LONGEST_REASON]
            lost.append(Skipped(at_fault, f"not measured: {reason}"))
            remaining_tests = remaining_tests.select(t.name for t in remaining_tests if t.name != at_fault)
        else:
            return dataclasses.replace(result, skipped=(*lost, *result.skipped))


def _languages(method: MethodRecord | None) -> list[str]:
    """Return the languages that have published tests for the method."""

    def has(language: str) -> bool:
        try:
            return bool(len(_published(language, method)))
        except BiasError:
            return False

    return languages() if method is None else [language for language in languages() if has(language)]


def words_tab(tab: Tab) -> None:
    """Draw the tab of word lists: published tests, four lists to edit, and a model or vectors of the visitor's own."""
    import gradio as gr

    only, start = tab.method, page_defaults()["word_lists"]
    methods = methods_on(kinds.WORD_LISTS.name)

    def record(values: Values) -> MethodRecord | None:
        name = values.get("method")
        return only if only is not None or not name else offered(methods, name)

    def measure_lists(click: Click) -> Answer:
        values, method = click.values, record(click.values)
        typed = [values[name] for name in "xyab"]
        with click.model_or_vectors() as model:
            return click.answer(run_lists(model, values["language"], values["test"] or "", typed, method))

    def measure_all(click: Click) -> Answer:
        method = record(click.values)
        with click.model_or_vectors() as model:
            tests = _published(click.values["language"], method, together=True)
            return click.answer(run_measurable(model, tests, method))

    def follow_model(values: Values) -> tuple[None, Any]:
        """Return the chosen model if the method can measure it by default, or else one that it can measure."""
        method = record(values)
        needs = ("embeds words",) if method is None else method.needs
        mine, my_kinds = tab.pool.own_model
        fits = values["model"] in {name for _, name in model_choices(kinds_for(needs[:1]))}
        if values["model"] == mine:
            fits = kinds_for(needs)[0] in my_kinds
        return None, values["model"] if fits else page_defaults()["models"][needs[0]]

    def follow_language(values: Values) -> tuple[Sequence[Any], Any]:
        """Return the languages that have tests for the method, and the chosen one if it is among them, or the first."""
        known, chosen = _languages(record(values)), values["language"]
        return known, chosen if chosen in known else known[0]

    def follow_test(values: Values) -> tuple[Sequence[Any], Any]:
        choices = choices_of(values["language"], record(values))
        usual = start["starts"].get(values.get("method"))
        return choices, next((name for _, name in choices if name == usual), choices[0][1])

    def fill(values: Values) -> Values:
        name, method = values["test"], record(values)
        texts = lists_as_text(values["language"], name, method) if name else [""] * 4
        return dict(zip("xyab", texts, strict=True))

    form = Form(tab, "words", methods=methods if only is None else (only,))
    choices = choices_of(_LANGUAGE, only)
    names = [name for _, name in choices]
    usual = start["starts"].get("" if only is None else only.name, start["test"])
    test = usual if usual in names else names[0]
    form.help()
    titles = {name: label for label, name in start["examples"] if name in names}
    with gr.Row() if titles else nullcontext():
        examples = {
            name: gr.Button(label, size="sm", elem_id=f"words-example-{name}")
            for name, label in titles.items()
        }
    with gr.Row():
        choices_of_method = [
            ("WEAT, or SEAT for a model of texts", ""),
            *((r.title, r.name) for r in methods),
        ]
        form.field("method", value="", choices=choices_of_method, visible=only is None)
        model = form.model((*WORD_VECTORS, *TEXT_MODELS))
    with gr.Row():
        form.field("language", value=_LANGUAGE, choices=_languages(only))
        form.field("test", value=test, choices=choices, allow_custom_value=True)
    form.upload(VECTOR_TYPES, visible=only is None or any("embeds words" in need for need in only.needs))
    draw_lists(form, lists_as_text(_LANGUAGE, test, only), only)
    with gr.Row():
        run, run_all = form.button("measure_words"), form.button("measure_all_words", "secondary")
    output = outputs("words-output")
    form.cascade(
        ("method", "model", "language", "test"),
        {"model": follow_model, "language": follow_language, "test": follow_test},
        fill,
        "xyab",
        leads=("method", "language", "test"),
    )
    form.on_measure(run, "measure_words", measure_lists, output)
    form.on_measure(run_all, "measure_all_words", measure_all, output)

    def show_example(name: str) -> Values:
        # A method may have had fewer tests and languages.
        return {
            "method": "",
            "model": model.value,
            "own": False,
            "upload": gr.update(value=None, visible=False),
            "language": gr.update(choices=_languages(only), value=_LANGUAGE),
            "test": gr.update(choices=choices, value=name),
            **fill({"method": "", "language": _LANGUAGE, "test": name}),
        }

    for name, button in examples.items():
        filled = form.on_fill(button, functools.partial(show_example, name), list(form.fields))
        form.on_measure(filled, "measure_words", measure_lists, output)


def draw_lists(form: Form, texts: Sequence[str], method: MethodRecord | None = None) -> None:
    """Draw the fields of the four lists, with these texts in them."""
    form.columns(kinds.WORD_LISTS, WORD_LISTS, texts, WORD_LISTS if method is None else method.columns)


def text_methods() -> list[MethodRecord]:
    """Return the methods that measure a text rather than a model."""
    return [record for record in METHODS.values() if counts_words(record)]


def corpus_choices(*, installed: bool = True) -> list[tuple[str, str]]:
    """Return named corpora as ``(label, name)``. With ``installed``, only those on this machine."""
    corpora = [a for a in list_assets() if a.kind == "text" and (is_cached(a) or not installed)]
    return [(f"{a.name} ({a.language})", a.name) for a in corpora]


def offered_words() -> dict[str, Any]:
    """Return the words that the tab starts with, as a test. Books from about 1900 have all of them near both groups."""
    offered = page_defaults()["texts"]
    lists = {c: parse_words(t, c) for c, t in zip(WORD_LISTS, offered["lists"], strict=True)}
    labels = dict(zip(("x_label", "y_label", "a_label", "b_label"), offered["labels"], strict=True))
    return {"name": offered["name"], "language": _LANGUAGE, **lists, **labels}


def visitors_corpus(name: str | None, text: str, path: str | None) -> Corpus:
    """Return the text that a visitor uploaded or pasted, or without one the named corpus.

    Raises:
        InputError: the text is too long, or no corpus has this name.
        DataError: the upload is too large or not text.
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
        rows = [{"name": _TYPED, "language": _LANGUAGE, **parsed_lists(texts, record)}]
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
        form.field("test", value="", choices=[(_BELOW, ""), *choices_of(_LANGUAGE, records[0])])
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
