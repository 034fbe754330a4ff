"""The tab of word lists: a published or typed test, and the words that drive it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..api import measure
from ..data import kinds
from ..data.schemas import WORD_LISTS
from ..data.word_lists import languages
from ..errors import BiasError, InputError
from ..models.base import ContextEmbedder, WordEmbedder
from ..registry import MethodRecord
from ..result import Result, Skipped
from .handlers import on_choice, on_click
from .limits import OutOfTime, parse_words
from .outcome import result_page
from .parts import page_defaults
from .pool import TEXT_MODELS, WORD_VECTORS, kinds_for, model_choices
from .session import Session
from .tab import (
    Tab,
    answer,
    choice,
    methods_on,
    model_box,
    outputs,
    text_box,
    upload_boxes,
    upload_path,
)
from .uploads import VECTOR_TYPES

__all__ = [
    "choices_of",
    "list_boxes",
    "lists_as_text",
    "parsed_lists",
    "run_lists",
    "run_measurable",
    "run_tests",
    "words_tab",
]

FIELD_NAMES = ("first targets X", "second targets Y", "first attributes A", "second attributes B")
"""What the page calls the fields of the four lists."""
_TYPED = "your lists"
_LANGUAGE = "en"
_LONGEST_REASON = 160


def _published(language: str, method: MethodRecord | None = None) -> Any:
    """The published tests of a language, those of a method's own where one is given."""
    if method is None:
        return kinds.WORD_LISTS.load()(language=language)
    return method.load_data(language=language, tests=None)


def choices_of(language: str, method: MethodRecord | None = None) -> list[tuple[str, str]]:
    """The published tests of a language as ``(label, name)``.

    Examples:
        >>> choices_of("en")[6][1]
        'weat7'
    """
    tests = _published(language, method)
    return [(f"{t.name}: {t.title}" if t.title else t.name, t.name) for t in tests]


def lists_as_text(language: str, name: str, method: MethodRecord | None = None) -> tuple[str, ...]:
    """The four lists of a published test, ready to be edited."""
    test = _published(language, method)[name]
    return tuple(", ".join(getattr(test, column)) for column in WORD_LISTS)


def run_lists(
    model: Any, language: str, name: str, texts: Sequence[str], method: MethodRecord | None = None
) -> Result:
    """Run four typed lists; where they are those of the published test ``name``, the result says so.

    Without a method, the one that suits the model.

    Raises:
        InputError: a list is empty that the method needs, or too long.
        BiasError: whatever the method raises.
    """
    lists = parsed_lists(texts, method)
    published = _named(language, name, method) if name else None
    if published and all(list(getattr(published[0], column)) == words for column, words in lists.items()):
        return run_tests(model, published, method)
    return run_tests(model, [{"name": _TYPED, "language": language, **lists}], method)


def _named(language: str, name: str, method: MethodRecord | None) -> Any:
    """The published test of a name: of the method's own, or else of those that all methods share."""
    own, shared = _published(language, method), _published(language)
    return (own if name in {test.name for test in own} or len(shared) == 0 else shared).select(name)


def parsed_lists(texts: Sequence[str], method: MethodRecord | None) -> dict[str, list[str]]:
    """The words of the four fields; one that the method can do without may be empty.

    Raises:
        InputError: a list is empty that the method needs, or too long.
    """
    found = {}
    for column, text, name in zip(WORD_LISTS, texts, FIELD_NAMES, strict=True):
        needed = method is None or column in method.columns
        found[column] = parse_words(text, name) if needed or (text or "").strip(" ,;\n") else []
    return found


def run_tests(model: Any, tests: Any, method: MethodRecord | None = None) -> Result:
    """By the method; without one, as suits a model that has vectors of words, or one that embeds them in context.

    Raises:
        BiasError: whatever the method raises.
    """
    if method is not None:
        quick = page_defaults()["word_lists"]["quick"].get(method.name, {})
        return measure(method.name, model, data=tests, **quick.get("options", {}))
    in_context = isinstance(model, ContextEmbedder) and not isinstance(model, WordEmbedder)
    need = "embeds words in context" if in_context else "embeds words"
    name, options = page_defaults()["word_lists"]["methods"][need]
    return measure(name, model, data=tests, **options)


def run_measurable(model: Any, tests: Any, method: MethodRecord | None = None) -> Result:
    """Run all tests but those that cannot be measured, which the result lists as skipped with the reason.

    Raises:
        BiasError: none can be measured, or what keeps them from it is not one test's own.
    """
    left = tests
    lost: list[Skipped] = []
    while True:
        try:
            result = run_tests(model, left, method)
        except OutOfTime:
            raise
        except BiasError as error:
            said = str(error)
            at_fault = next((t.name for t in left if said.startswith((f"{t.name}/", f"{t.name}:"))), None)
            if at_fault is None or len(left) == 1:
                raise
            lost.append(Skipped(at_fault, f"not measured: {_cut(said.removeprefix(at_fault)[1:])}"))
            left = left.select(t.name for t in left if t.name != at_fault)
        else:
            return dataclasses.replace(result, skipped=(*lost, *result.skipped))


def _cut(reason: str) -> str:
    """A reason without the words that it names, which can be many."""
    return re.sub(r" \([^()]*\)", "", reason.partition(";")[0]).strip()[:_LONGEST_REASON]


def _languages(method: MethodRecord | None) -> list[str]:
    """Languages that have published tests for the method."""

    def has(language: str) -> bool:
        try:
            return bool(len(_published(language, method)))
        except BiasError:
            return False

    return languages() if method is None else [language for language in languages() if has(language)]


def words_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    only = tab.method
    offered = page_defaults()["word_lists"]
    tests = [name for _, name in choices_of(_LANGUAGE, only)]
    start = offered["starts"].get(only.name if only is not None else "", offered["test"])
    first = start if start in tests else tests[0]
    records = {r.name: r for r in methods_on(kinds.WORD_LISTS.name)}

    def record(name: str | None) -> MethodRecord | None:
        if only is not None or not name:
            return only
        if name not in records:
            raise InputError("choose one of the methods that the page offers")
        return records[name]

    def fill(language: str, name: str | None, method: str = "") -> tuple[str, ...]:
        return lists_as_text(language, name, record(method)) if name else ("",) * len(FIELD_NAMES)

    def choose_language(language: str, method: str = "") -> tuple[Any, ...]:
        choices = choices_of(language, record(method))
        start = offered["starts"].get(method if only is None else only.name)
        name = next((name for _, name in choices if name == start), choices[0][1])
        return gr.Dropdown(choices=choices, value=name), *fill(language, name, method)

    def choose_method(method: str, language: str, model: str) -> tuple[Any, ...]:
        """The method's own tests, and a model that it can measure."""
        known = _languages(record(method))
        own = language if language in known else known[0]
        needs = records[method].needs if method else ("embeds words",)
        fits = model in {name for _, name in model_choices(kinds_for(needs[:1]))}  # what it takes by default
        if (mine := tab.pool.own) is not None and mine.name == model:
            fits = bool({*mine.kinds} & {*kinds_for(needs)[:1]})
        languages_box = gr.Dropdown(choices=known, value=own)
        return (
            languages_box,
            model if fits else page_defaults()["models"][needs[0]],
            *choose_language(own, method),
        )

    def example(name: str) -> Callable[[], tuple[Any, ...]]:
        def show_lists() -> tuple[Any, ...]:
            test = gr.Dropdown(choices=choices_of(_LANGUAGE, only), value=name)
            no_upload = gr.File(value=None, visible=False)
            every = gr.Dropdown(choices=_languages(only), value=_LANGUAGE)  # a method may have had fewer
            return model.value, no_upload, every, test, *fill(_LANGUAGE, name), False, method.value

        return show_lists

    def measure_lists(
        session: Session,
        model: str,
        upload: str | None = None,
        language: str = _LANGUAGE,
        test: str | None = None,
        x: str = "",
        y: str = "",
        a: str = "",
        b: str = "",
        own: bool = False,
        method: str = "",
        progress: Any = gr.Progress(),
    ) -> tuple[str, dict[str, Any]]:
        asked = record(method)
        with tab.lent(model, progress, upload_path(own, upload)) as lent:
            result = run_lists(lent, language, test or "", [x, y, a, b], asked)
        return answer(session, [result], result_page(result))

    def measure_all(
        session: Session,
        model: str,
        upload: str | None = None,
        language: str = _LANGUAGE,
        own: bool = False,
        method: str = "",
        progress: Any = gr.Progress(),
    ) -> tuple[str, dict[str, Any]]:
        asked = record(method)
        with tab.lent(model, progress, upload_path(own, upload)) as lent:
            result = run_measurable(lent, _published(language, asked), asked)
        return answer(session, [result], result_page(result))

    gr.Markdown(
        "Are some words closer to one group than to another? Run an example, or edit the lists below.",
        elem_id="words-help",
    )
    with gr.Row():
        examples = {
            name: gr.Button(label, size="sm", elem_id=f"words-example-{name}")
            for label, name in offered["examples"]
            if name in tests
        }
    with gr.Row():
        titles = [(r.title, r.name) for r in records.values()]
        suits = ("WEAT, or SEAT for a model of texts", "")
        method = choice("Method", "words-method", [suits, *titles], "", visible=only is None)
        model = model_box(tab, (*WORD_VECTORS, *TEXT_MODELS), "words", "Word vectors or a model")
    with gr.Row():
        language = choice("Language of the tests", "words-language", _languages(only), _LANGUAGE)
        here = choices_of(_LANGUAGE, only)
        test = choice("Published test", "words-test", here, first, allow_custom_value=True)
    own, upload = upload_boxes(
        "word vectors",
        "words",
        VECTOR_TYPES,
        "A .txt, .vec, .npz or .safetensors file up to 64 MB, used instead of the vectors above",
        visible=only is None or any("embeds words" in need for need in only.needs),
    )
    boxes = list_boxes("words", fill(_LANGUAGE, first), only)
    with gr.Row():
        run = gr.Button("Measure these lists", variant="primary", elem_id="words-run")
        every = gr.Button("Measure all tests of the language", elem_id="words-run-all")
    output = outputs("words-output")

    chosen = [model, upload, language, test, *boxes, own, method]
    on_choice(language, choose_language, [language, method], [test, *boxes])
    on_choice(test, fill, [language, test, method], boxes)
    on_choice(method, choose_method, [method, language, model], [language, model, test, *boxes])
    on_click(
        run,
        measure_lists,
        [tab.session, *chosen],
        output,
        api_name="measure_words",
        about=(
            "Measure four lists of words, separated by commas: targets x and y, attributes a and b. 'method' is one of "
            f"{', '.join(records) if only is None else only.name}, or empty for the one that suits the model; 'test' "
            "names a published test, and may be empty. Returns HTML and the result as data."
        ),
    )
    on_click(
        every,
        measure_all,
        [tab.session, model, upload, language, own, method],
        output,
        api_name="measure_all_words",
        about="Measure all published tests of a language. Returns HTML and the result as data.",
    )
    for name, button in examples.items():
        filled = button.click(example(name), None, chosen, api_visibility="private")
        on_click(filled, measure_lists, [tab.session, *chosen], output)


def list_boxes(prefix: str, texts: Sequence[str], method: MethodRecord | None = None) -> list[Any]:
    """The fields of the four lists."""
    import gradio as gr

    fields = []
    for key, column, name, text in zip("xyab", WORD_LISTS, FIELD_NAMES, texts, strict=True):
        needed = method is None or column in method.columns
        label = f"{name[:1].upper()}{name[1:]}{'' if needed else ' (may be empty)'}"
        fields.append((f"{prefix}-{key}", label, text))
    boxes = []
    for pair in (fields[:2], fields[2:]):
        with gr.Row():
            boxes += [text_box(label, key, text, lines=2, max_lines=6) for key, label, text in pair]
    return boxes
