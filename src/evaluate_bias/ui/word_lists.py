"""The tab of word lists: a published or typed test, and the words that drive it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ..api import measure
from ..data import kinds
from ..data.schemas import WORD_LISTS
from ..data.word_lists import languages
from ..errors import BiasError, InputError
from ..methods.vector_lists import ON_AXIS
from ..models.base import ContextEmbedder, WordEmbedder
from ..registry import MethodRecord, get_method
from ..report.lines import ALPHA, Line, list_names, report_lines
from ..result import Result
from .handlers import explained, on_click
from .limits import parse_words
from .outcome import TOO_FEW, groups_table, measured, pictures, remarks, score_tiles, secondary_table, verdict
from .parts import Bars, Note, Verdict, number, offers, show
from .pool import TEXT_MODELS, WORD_VECTORS, kinds_for, model_choices
from .session import Session
from .tab import (
    FIELD_WIDTH,
    Tab,
    answer,
    arrived,
    choice,
    methods_on,
    model_box,
    outputs,
    text_box,
    upload_boxes,
)
from .uploads import VECTOR_TYPES

__all__ = [
    "FIELD_NAMES",
    "choices_of",
    "list_boxes",
    "lists_as_text",
    "parsed_lists",
    "run_lists",
    "run_tests",
    "words_html",
    "words_tab",
]

FIELD_NAMES = ("first targets X", "second targets Y", "first attributes A", "second attributes B")

LIST_ROLES = ("first targets", "second targets", "first attributes", "second attributes")
"""What records call the four lists."""
_TYPED = "your lists"
_DRIVERS = 3
_NO_VALUE = ("word", "list", "influence", "sentences")
PICTURED = (ON_AXIS, "value")
"""What pictures of their own show of every word: its place on an axis, its value with an interval."""
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
        InputError: a list is empty that the method needs, or too long.
        BiasError: whatever the method raises.
    """
    lists = parsed_lists(texts, method)
    published = _published(language, method).select(name) if name else None
    if published and all(list(getattr(published[0], column)) == words for column, words in lists.items()):
        return run_tests(model, published, method)
    return run_tests(model, [{"name": _TYPED, "language": language, **lists}], method)


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
    head = [Verdict(said), *measured(result), score_tiles(result), secondary_table(result)]
    return show(*head, *own, *pictures(result), *remarks(result))


def _sides(line: Line) -> tuple[str, ...]:
    """What the four lists are called; without names, what the page calls their fields."""
    given = list_names(line) or ("",) * len(FIELD_NAMES)
    return tuple(own or field for own, field in zip(given, FIELD_NAMES, strict=True))


def _verdict(result: Result, line: Line) -> Markup:
    record = get_method(result.method)
    if line.too_small:
        return Markup(TOO_FEW.format("words"))
    if line.p_value is None or record.p_value is not None or not _four_sided(record):
        return verdict(result, _named(line))
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
    if clause := record.above if line.score >= line.ideal else record.below:
        return Markup("More than chance alone would explain: {}.").format(_named(line)(clause))
    if line.score >= line.ideal:
        said = Markup("{} {} with {} and {} with {}, more than chance alone would explain.")
        return said.format(who, x, a, y, b)
    return Markup("{} {} with {} and {} with {}: the other way round than the test asks.").format(
        who, x, b, y, a
    )


def _four_sided(record: MethodRecord) -> bool:
    """Whether a method sets two lists against two others, so that its sign pairs them."""
    return record.direction == "two_sided" and "attributes_b" in record.columns


def _named(line: Line) -> Callable[[str], str]:
    """What puts the names of the four lists in place of what texts call them."""
    called = dict(zip(LIST_ROLES, list_names(line) or (), strict=False))

    def name(text: str) -> str:
        for role, own in called.items():
            text = text.replace(f"the {role}", own) if own else text
        return text

    return name


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
    """Bars of what the method found of every word; which number that is, the words say."""
    x, y, a, b = _sides(line)
    given = [w for key in ("words", "attributes") for w in line.details.get(key) or ()]
    key = next((k for w in given for k in w if k not in _NO_VALUE and isinstance(w[k], (int, float))), "")
    words: list[Mapping[str, Any]] = sorted(
        (w for w in given if isinstance(w.get(key), (int, float))), key=lambda w: float(w[key]), reverse=True
    )
    if not words or key in PICTURED:
        return []
    # In their own order, so that a list has its colour whichever word comes first.
    lists = sorted({str(w.get("list")) for w in words}, key=lambda n: [*WORD_LISTS, n].index(n))
    names = dict(zip(WORD_LISTS, (x, y, a, b), strict=True))
    series = {str(1 + i % 2): names.get(name, name) for i, name in enumerate(lists[:2])}
    classes = {name: str(1 + i % 2) if len(lists) <= 2 else "0" for i, name in enumerate(lists)}
    rows = [(str(w["word"]), classes[str(w.get("list"))], float(w[key])) for w in words]
    what, left, right = f"The {key.replace('_', ' ')} of every word", "below 0", "above 0"
    if key == "association":
        cosines = any("embeds" in need for need in get_method(result.method).needs)
        scale = (
            "mean cosine to A minus mean cosine to B, from −2 to 2"
            if cosines
            else "mean log-probability gained beside A minus beside B, from −∞ to ∞"
        )
        what, left, right = f"Association of every word: {scale}; ideal: both groups alike", b, a
    return [Bars(what, left, right, series if len(lists) <= 2 else {}, rows)]


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

    only = tab.method
    offered = offers()["word_lists"]
    tests = [name for _, name in choices_of(_LANGUAGE, only)]
    first = offered["test"] if offered["test"] in tests else tests[0]
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
        return gr.Dropdown(choices=choices, value=choices[0][1]), *fill(language, choices[0][1], method)

    def choose_method(method: str, language: str, model: str) -> tuple[Any, ...]:
        """The method's own tests, and a model that it can measure."""
        known = _languages(record(method))
        own = language if language in known else known[0]
        needs = records[method].needs if method else ("embeds words",)
        fits = model in {name for _, name in model_choices(kinds_for(needs))}
        if (mine := tab.pool.own) is not None and mine.name == model:
            fits = bool({*mine.kinds} & {*kinds_for(needs)[:1]})
        languages_box = gr.Dropdown(choices=known, value=own)
        return languages_box, model if fits else offers()["models"][needs[0]], *choose_language(own, method)

    def example(name: str) -> Callable[[], tuple[Any, ...]]:
        def show_lists() -> tuple[Any, ...]:
            test = gr.Dropdown(choices=choices_of(_LANGUAGE, only), value=name)
            no_upload = gr.File(value=None, visible=False)
            return model.value, no_upload, _LANGUAGE, test, *fill(_LANGUAGE, name), False, method.value

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
        with tab.lent(model, progress, arrived(own, upload)) as lent:
            result = run_lists(lent, language, test or "", [x, y, a, b], asked)
        return answer(session, [result], words_html(result))

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
        with tab.lent(model, progress, arrived(own, upload)) as lent:
            result = run_tests(lent, _published(language, asked), asked)
        return answer(session, [result], words_html(result))

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
        method = choice(
            "Method",
            "words-method",
            [("WEAT, or SEAT for a model of texts", ""), *titles],
            "",
            visible=only is None,
            min_width=2 * FIELD_WIDTH,
        )
    with gr.Row():
        language = choice("Language of the tests", "words-language", _languages(only), _LANGUAGE)
        test = choice(
            "Published test", "words-test", choices_of(_LANGUAGE, only), first, allow_custom_value=True
        )
        model = model_box(tab, (*WORD_VECTORS, *TEXT_MODELS), "words", "Word vectors or a model")
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
    language.input(explained(choose_language), [language, method], [test, *boxes], api_visibility="private")
    test.input(explained(fill), [language, test, method], boxes, api_visibility="private")
    method.input(
        explained(choose_method),
        [method, language, model],
        [language, model, test, *boxes],
        api_visibility="private",
    )
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
