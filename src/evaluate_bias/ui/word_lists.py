"""The tab of word lists: a published or typed test, and the words that drive it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ..api import measure
from ..data import kinds
from ..data.schemas import WORD_LISTS
from ..data.word_lists import languages
from ..errors import BiasError
from ..models.base import ContextEmbedder, WordEmbedder
from ..registry import MethodRecord, get_method
from ..report.lines import ALPHA, Line, list_names, report_lines
from ..result import Result
from .handlers import explained, on_click
from .limits import parse_words
from .outcome import TOO_FEW, groups_table, measured, pictures, remarks, score_tiles
from .parts import Bars, Note, Verdict, number, offers, show
from .pool import TEXT_MODELS, WORD_VECTORS
from .session import Session
from .tab import Tab, arrived, choice, model_box, text_box, upload_boxes
from .uploads import VECTOR_TYPES

__all__ = ["FIELD_NAMES", "choices_of", "lists_as_text", "run_lists", "run_tests", "words_html", "words_tab"]

FIELD_NAMES = ("first targets X", "second targets Y", "first attributes A", "second attributes B")

_TYPED = "your lists"
_DRIVERS = 3
_LANGUAGE = "en"


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
        InputError: a list is empty or too long.
        BiasError: whatever the method raises.
    """
    lists = {c: parse_words(t, f) for c, t, f in zip(WORD_LISTS, texts, FIELD_NAMES, strict=True)}
    published = _published(language, method).select(name) if name else None
    if published and all(list(getattr(published[0], column)) == words for column, words in lists.items()):
        return run_tests(model, published, method)
    return run_tests(model, [{"name": _TYPED, "language": language, **lists}], method)


def run_tests(model: Any, tests: Any, method: MethodRecord | None = None) -> Result:
    """By the method; without one, as suits a model that has vectors of words, or one that embeds them in context.

    Raises:
        BiasError: whatever the method raises.
    """
    if method is not None:
        return measure(method.name, model, data=tests)
    in_context = isinstance(model, ContextEmbedder) and not isinstance(model, WordEmbedder)
    need = "embeds words in context" if in_context else "embeds words"
    name, options = offers()["word_lists"]["methods"][need]
    return measure(name, model, data=tests, **options)


def words_html(result: Result) -> str:
    """What a visitor reads about a result on word lists: verdict, numbers, words, and what was left out."""
    lines = report_lines([result], headline=False)
    said = _verdict(result, lines[0]) if len(lines) == 1 else _several(lines)
    own = [*_word_bars(result, lines[0]), _drivers(lines[0])] if len(lines) == 1 else [groups_table(result)]
    head = [Verdict(said), *measured(result), score_tiles(result)]
    return show(*head, *own, *pictures(result), *remarks(result))


def _sides(line: Line) -> tuple[str, ...]:
    """What the four lists are called; without names, what the page calls their fields."""
    given = list_names(line) or ("",) * len(FIELD_NAMES)
    return tuple(own or field for own, field in zip(given, FIELD_NAMES, strict=True))


def _verdict(result: Result, line: Line) -> Markup:
    if line.too_small:
        return Markup(TOO_FEW.format("words"))
    x, y, a, b = (Markup("<strong>{}</strong>").format(side) for side in _sides(line))
    who = (
        "These vectors associate"
        if get_method(result.method).needs == ("embeds words",)
        else "This model associates"
    )
    p = line.p_high if line.p_high is not None else line.p_value
    one_sided = result.settings.get("alternative", "two-sided") != "two-sided"
    if p is None or ALPHA <= p <= 1 - ALPHA or (p > ALPHA and not one_sided):
        return Markup(
            "These words show no association of {} with {} and {} with {} that chance could not explain. That does not "
            "show that there is none."
        ).format(x, a, y, b)
    record = get_method(result.method)
    if clause := record.above if line.score >= line.ideal else record.below:
        return Markup("More than chance alone would explain: {}.").format(clause)
    if line.score >= line.ideal:
        said = Markup("{} {} with {} and {} with {}, more than chance alone would explain.")
        return said.format(who, x, a, y, b)
    return Markup("{} {} with {} and {} with {}: the other way round than the test asks.").format(
        who, x, b, y, a
    )


def _several(lines: Sequence[Line]) -> Markup:
    social, controls = ([r for r in lines if r.control == control] for control in (False, True))
    found, shown = (sum(r.significant for r in group) for group in (social, controls))
    told = Markup(
        "<strong>{} of {}</strong> tests find an association that chance does not explain (p adjusted for the number "
        "of tests). The others do not show that there is none."
    ).format(found, len(social))
    if controls:
        told += (
            f" Of the control tests, which have no social content, {shown} of {len(controls)} find theirs."
        )
    if few := sum(r.too_small for r in lines):
        told += f" In {few} of {len(lines)} there are too few words for a finding, whatever the model."
    return told


def _word_bars(result: Result, line: Line) -> list[Bars]:
    x, y, a, b = _sides(line)
    words: list[Mapping[str, Any]] = sorted(
        (w for w in line.details.get("words", ()) if isinstance(w.get("association"), (int, float))),
        key=lambda w: float(w["association"]),
        reverse=True,
    )
    if not words:
        return []
    cosines = any("embeds" in need for need in get_method(result.method).needs)
    what = (
        "mean cosine to A minus mean cosine to B, from −2 to 2"
        if cosines
        else "mean log-probability gained beside A minus beside B, from −∞ to ∞"
    )
    series = {"targets_x": "1", "targets_y": "2"}
    rows = [(w["word"], series[w["list"]], float(w["association"])) for w in words]
    return [
        Bars(f"Association of every word: {what}; ideal: both groups alike", b, a, {"1": x, "2": y}, rows)
    ]


def _drivers(line: Line) -> Note:
    sign = -1.0 if line.score < 0 else 1.0
    given = [w for key in ("words", "attributes") for w in line.details.get(key, ())]
    words = [w for w in given if w.get("influence") is not None]
    words.sort(key=lambda w: sign * float(w["influence"]), reverse=True)
    pushing = [w for w in words[:_DRIVERS] if sign * float(w["influence"]) > 0]
    if not pushing:
        return Note("")
    told = ", ".join(f"{w['word']} ({number(line.score - float(w['influence']))})" for w in pushing)
    name = get_method(line.method).score_name
    return Note(
        f"These words drive the score most; in brackets the score without the word: {told}. Now the {name} is "
        f"{number(line.score)}."
    )


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

    method = tab.method
    offered = offers()["word_lists"]
    tests = [name for _, name in choices_of(_LANGUAGE, method)]
    first = offered["test"] if offered["test"] in tests else tests[0]

    def fill(language: str, name: str | None) -> tuple[str, ...]:
        return lists_as_text(language, name, method) if name else ("",) * len(FIELD_NAMES)

    def choose_language(language: str) -> tuple[Any, ...]:
        choices = choices_of(language, method)
        return gr.Dropdown(choices=choices, value=choices[0][1]), *fill(language, choices[0][1])

    def example(name: str) -> Callable[[], tuple[Any, ...]]:
        def show_lists() -> tuple[Any, ...]:
            test = gr.Dropdown(choices=choices_of(_LANGUAGE, method), value=name)
            no_upload = gr.File(value=None, visible=False)
            return model.value, no_upload, _LANGUAGE, test, *fill(_LANGUAGE, name), False

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
        progress: Any = gr.Progress(),
    ) -> str:
        with tab.lent(model, progress, arrived(own, upload)) as lent:
            result = run_lists(lent, language, test or "", [x, y, a, b], method)
        session.add([result])
        return words_html(result)

    def measure_all(
        session: Session,
        model: str,
        upload: str | None = None,
        language: str = _LANGUAGE,
        own: bool = False,
        progress: Any = gr.Progress(),
    ) -> str:
        with tab.lent(model, progress, arrived(own, upload)) as lent:
            result = run_tests(lent, _published(language, method), method)
        session.add([result])
        return words_html(result)

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
        language = choice("Language of the tests", "words-language", _languages(method), _LANGUAGE)
        test = choice(
            "Published test", "words-test", choices_of(_LANGUAGE, method), first, allow_custom_value=True
        )
        model = model_box(tab, (*WORD_VECTORS, *TEXT_MODELS), "words", "Word vectors or a model")
    own, upload = upload_boxes(
        "word vectors",
        "words",
        VECTOR_TYPES,
        "A .txt, .vec, .npz or .safetensors file up to 64 MB, used instead of the vectors above",
        visible=method is None or any("embeds words" in need for need in method.needs),
    )
    labels = zip("xyab", FIELD_NAMES, fill(_LANGUAGE, first), strict=True)
    fields = [(f"words-{key}", f"{name[:1].upper()}{name[1:]}", text) for key, name, text in labels]
    boxes = []
    for pair in (fields[:2], fields[2:]):
        with gr.Row():
            boxes += [text_box(label, key, text, lines=2, max_lines=6) for key, label, text in pair]
    with gr.Row():
        run = gr.Button("Measure these lists", variant="primary", elem_id="words-run")
        every = gr.Button("Measure all tests of the language", elem_id="words-run-all")
    output = gr.HTML(elem_id="words-output")

    chosen = [model, upload, language, test, *boxes, own]
    language.input(explained(choose_language), language, [test, *boxes], api_visibility="private")
    test.input(explained(fill), [language, test], boxes, api_visibility="private")
    on_click(run, measure_lists, [tab.session, *chosen], output, api_name="measure_words")
    on_click(
        every, measure_all, [tab.session, model, upload, language, own], output, api_name="measure_all_words"
    )
    for name, button in examples.items():
        filled = button.click(example(name), None, chosen, api_visibility="private")
        on_click(filled, measure_lists, [tab.session, *chosen], output)
