"""What the pages share: checks of what visitors type, models by name, and how a result is told."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..data.caveats import data_note
from ..errors import BiasError, InputError
from ..registry import MethodRecord
from ..result import Result

if TYPE_CHECKING:
    import gradio as gr

    from ..models.base import Model

__all__ = [
    "allowed_model",
    "headline",
    "measured_page",
    "model_box",
    "notes",
    "one_line",
    "opened_model",
    "parse_words",
    "shown_errors",
    "table",
]

MAX_WORDS = 200
MAX_WORD_LENGTH = 60
MAX_SENTENCE = 400
FIELD_WIDTH = 260
"""Pixels; narrower fields move below each other."""
QUEUE = 32
"""Requests that may wait; further ones are told to come back."""

_DEFAULT_MODEL = {
    "embeds words": "glove-6b-50d",
    "embeds words in context": "minilm-l6",
    "scores masked tokens": "demo-mlm-en",
    "fills a mask": "demo-mlm-en",
}
_KINDS = {
    "embeds words": ("word vectors",),
    "embeds words in context": (
        "sentence encoder",
        "masked language model",
        "causal language model",
        "word vectors",
    ),
    "scores masked tokens": ("masked language model",),
    "fills a mask": ("masked language model",),
    "scores sequences": ("causal language model",),
}


def parse_words(text: str, name: str) -> list[str]:
    """Read words separated by commas, semicolons or new lines.

    Raises:
        InputError: no word, more than 200 words, or a word of more than 60 characters.

    Examples:
        >>> parse_words("math, algebra\\n geometry;", "first targets")
        ['math', 'algebra', 'geometry']
    """
    words = [" ".join(w.split()) for w in re.split(r"[,;\n]", text or "") if w.strip()]
    if not words:
        raise InputError(f"{name}: type at least one word, separated by commas")
    if len(words) > MAX_WORDS:
        raise InputError(f"{name}: {len(words)} words are more than the {MAX_WORDS} this page takes")
    if too_long := [w for w in words if len(w) > MAX_WORD_LENGTH]:
        raise InputError(
            f"{name}: {too_long[0][:MAX_WORD_LENGTH]}… is longer than {MAX_WORD_LENGTH} characters"
        )
    return words


def one_line(text: str, name: str) -> str:
    """Return a typed sentence with its white space tidied.

    Raises:
        InputError: it is empty, or longer than 400 characters.

    Examples:
        >>> one_line("  She is\\na nurse. ", "first sentence")
        'She is a nurse.'
    """
    tidy = " ".join((text or "").split())
    if not tidy:
        raise InputError(f"{name}: type something")
    if len(tidy) > MAX_SENTENCE:
        raise InputError(f"{name}: {len(tidy)} characters are more than the {MAX_SENTENCE} this page takes")
    return tidy


def allowed_model(spec: str) -> str:
    """Return ``spec`` if a visitor may name it: a named asset or a valid Hub id, never a path or an address.

    Raises:
        InputError: anything else.

    Examples:
        >>> allowed_model("../../etc/passwd")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.InputError: '../../etc/passwd' is neither a named model nor a Hub id such as 'user/model'
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    from ..assets import list_assets

    spec = (spec or "").strip()
    if spec in {a.name for a in list_assets() if a.is_model}:
        return spec
    try:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", spec, re.ASCII):
            raise HFValidationError
        validate_repo_id(spec)
    except HFValidationError:
        shown = spec[:MAX_WORD_LENGTH]
        raise InputError(f"{shown!r} is neither a named model nor a Hub id such as 'user/model'") from None
    return spec


def opened_model(spec: str) -> Model:
    """Load the model a visitor named; the last two stay in memory.

    Raises:
        InputError: a visitor may not name it.
        BiasError: it cannot be loaded.
    """
    return _opened(allowed_model(spec))


@functools.lru_cache(maxsize=2)
def _opened(spec: str) -> Model:
    from pathlib import Path

    from ..assets import list_assets
    from ..models.load import load_model

    # A folder of this name below the working directory must not stand in for the Hub's model.
    if spec not in {a.name for a in list_assets()} and Path(spec).exists():
        raise InputError(f"{spec!r} cannot be opened on this page")
    return load_model(spec)


def fitting_assets(record: MethodRecord) -> list[str]:
    """Names of the assets that a method can measure on a page: those that load without a special permission.

    Examples:
        >>> from evaluate_bias.registry import get_method
        >>> fitting_assets(get_method("crows_pairs"))
        ['demo-mlm-en', 'smollm2-135m']
    """
    from ..assets import list_assets

    kinds = {kind for need in record.needs for kind in _KINDS.get(need, ())}
    return [
        a.name for a in list_assets() if a.kind in kinds and not any(m.endswith(".bin") for m in a.members)
    ]


def headline(record: MethodRecord, result: Result, unit: str = "words") -> str:
    """The result in one Markdown paragraph a visitor understands; nothing a visitor typed is in it."""
    low, high = (f"{v:g}" if v is not None else "∞" for v in result.score_range)
    interval = (
        f", {result.ci_level:.0%} interval {result.ci_low:.2f} to {result.ci_high:.2f}"
        if result.ci_low is not None and result.ci_high is not None
        else ""
    )
    p = f", p = {result.p_value:.2g}" if result.p_value is not None else ""
    ideal = (
        "it says nothing about the size of a bias"
        if result.direction == "higher_is_more_robust"
        else f"it means that nothing was found with these {unit}, not that nothing is there"
    )
    return (
        f"### {record.score_name} = {result.score:.2f}{interval}{p}\n\n"
        f"Range {low} to {high}; {result.ideal:.4g} is ideal: {ideal}. {record.reading} {result.coverage.found} of "
        f"{result.coverage.asked} {unit} were scored."
    )


def notes(result: Result, most: int = 20) -> str:
    """What was left out and what must be known, as HTML."""
    left_out = [f"{s.item}: {s.reason}" for s in result.skipped]
    if len(left_out) > most:
        left_out[most:] = [f"and {len(left_out) - most} more"]
    lines = [*result.warnings, *(["Not scored or merged:"] if left_out else []), *left_out]
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def table(rows: Sequence[Sequence[str]], heads: Sequence[str]) -> str:
    """A small HTML table of texts; it scrolls within itself.

    Examples:
        >>> "<tr><td>&lt;b&gt;</td><td>1</td></tr>" in table([("<b>", "1")], ("word", "score"))
        True
    """
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    body = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
    lines = "".join(f"<tr>{cells}</tr>" for cells in body)
    return f'<div style="max-height: 30rem; overflow: auto"><table><tr>{head}</tr>{lines}</table></div>'


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show an error of this library to the visitor; gradio renders HTML, and the text may quote what was typed."""
    import gradio as gr

    try:
        yield
    except BiasError as error:
        # Words around it, because gradio takes quotation marks off the ends of a text.
        text = f"This cannot be measured: {html.escape(str(error), quote=False)}."
        raise gr.Error(text, print_exception=False) from error


def model_box(record: MethodRecord) -> gr.Dropdown:
    """The field that names a model."""
    import gradio as gr

    choices = fitting_assets(record)
    return gr.Dropdown(
        choices,
        value=_DEFAULT_MODEL.get(record.needs[0], choices[0] if choices else None),
        allow_custom_value=True,
        label="Model: a named one, or a Hub id such as user/model",
        elem_id="model",
        min_width=FIELD_WIDTH,
    )


@contextmanager
def measured_page(record: MethodRecord, data: str = "") -> Iterator[gr.Blocks]:
    """A page with the method's title above, its caveats below, and a bounded queue.

    Args:
        record: the method.
        data: what provenance calls the data the page offers, where they are not the method's default data set.
    """
    import gradio as gr

    with gr.Blocks(title=record.title, analytics_enabled=False) as page:
        gr.Markdown(f"# {record.title}\n\n{record.summary}")
        yield page
        note = data_note({"source": data or record.dataset})
        caveats = (*(note.caveats if note else ()), *record.caveats)
        gr.Markdown("**Know before you quote it**\n\n" + "\n".join(f"- {c}" for c in caveats))
    page.queue(max_size=QUEUE)


def on_click(
    button: gr.Button, function: Callable[..., Any], inputs: list[Any], outputs: list[Any], api_name: str
) -> None:
    """Bind a button to a measurement. One runs at a time: a model in memory serves one request."""
    button.click(function, inputs, outputs, concurrency_limit=1, concurrency_id="measure", api_name=api_name)
