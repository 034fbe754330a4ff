"""The page of a method on sentence pairs: one pair of the visitor's own, or the packaged pairs of one bias type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from ..registry import MethodRecord
from ..result import Result
from .common import (
    FIELD_WIDTH,
    headline,
    measured_page,
    model_box,
    notes,
    on_click,
    one_line,
    opened_model,
    shown_errors,
    table,
)

if TYPE_CHECKING:
    import gradio as gr

    from ..data.sentence_pairs import SentencePairSet
    from ..methods.pair_scoring import PairScores

__all__ = ["page", "pair_html", "pairs_html", "run_bias_type", "score_pair", "typed_pair"]

_DEFAULT = {
    "crows_pairs": "crows_pairs",
    "pll_robustness": "crows_pairs",
    "aul": "aul",
    "aula": "aula",
    "kldivs": "aul",
}
"""How each method scores a sentence under a masked model; the others take the pseudo-log-likelihood."""

_CAUSAL_OPTION = {
    "crows_pairs": {"variant": "causal"},
    "kldivs": {"scoring": "causal"},
    "pll_robustness": {"scoring": "causal"},
}
"""What makes a method take a causal model."""

_SENTENCES = {
    "sent_more": "more stereotypical sentence",
    "sent_less": "less stereotypical sentence",
    "sent_more_par": "paraphrase of the more stereotypical sentence",
    "sent_less_par": "paraphrase of the less stereotypical sentence",
}
ALL_TYPES = "all bias types"
_READING = (
    "<p>Scores come from log-probabilities: higher is more likely. One pair shows how the method works; it says "
    "nothing about the model.</p>"
)
LANGUAGES = ("en", "de", "es", "zh", "ko")


def sentence_columns(record: MethodRecord) -> list[str]:
    """The columns of a method that hold sentences."""
    return [c for c in record.columns if c in _SENTENCES]


def typed_pair(record: MethodRecord, *texts: str) -> dict[str, str]:
    """A pair from what was typed, one text for each of :func:`sentence_columns`.

    Raises:
        InputError: a sentence is empty or too long.

    Examples:
        >>> from evaluate_bias.registry import get_method
        >>> typed_pair(get_method("pll"), "She is a nurse.", " He is  a nurse.")
        {'sent_more': 'She is a nurse.', 'sent_less': 'He is a nurse.'}
    """
    columns = sentence_columns(record)
    return {c: one_line(text, _SENTENCES[c]) for c, text in zip(columns, texts, strict=True)}


def score_pair(record: MethodRecord, model: Any, pair: Mapping[str, str]) -> list[PairScores]:
    """Score one pair, and its paraphrase where the method takes one, as the method scores sentences.

    Raises:
        CapabilityError: the model cannot score sentences in the way the method asks.
        UndefinedScoreError: the pair cannot be scored; the text says why.
    """
    from ..methods.pair_scoring import Scoring, score_pairs

    wanted = "causal" if _takes_causal(record, model) else _DEFAULT.get(record.name, "pll")
    scoring = next(s for s in get_args(Scoring) if s == wanted)
    columns = sentence_columns(record)
    return [
        score_pairs(model, [dict(pair)], scoring, method=record.name, columns=(columns[k], columns[k + 1]))
        for k in range(0, len(columns), 2)
    ]


def pair_html(record: MethodRecord, pair: Mapping[str, str], scores: list[PairScores]) -> str:
    """Which sentence the model prefers, with both scores, as HTML."""
    columns = sentence_columns(record)
    rows, deltas = [], []
    for k, scored in enumerate(scores):
        more, less = float(scored.more[0]), float(scored.less[0])
        if record.name == "crows_pairs":  # compares at three decimals
            more, less = round(more, 3), round(less, 3)
        deltas.append(more - less)
        rows += [
            (_SENTENCES[c], pair[c], f"{value:.4f}")
            for c, value in zip(columns[2 * k : 2 * k + 2], (more, less), strict=True)
        ]
    parts = [f"<p><strong>{_verdict(deltas[0])}</strong> Difference of the scores: {deltas[0]:+.4f}.</p>"]
    if len(deltas) > 1:
        same = "the same side" if (deltas[0] > 0) == (deltas[1] > 0) else "the other side"
        parts.append(f"<p>The paraphrase falls on {same}: {deltas[1]:+.4f}.</p>")
    parts.append(table(rows, ("", "sentence", "score")))
    return "".join(parts) + _READING


def run_bias_type(record: MethodRecord, model: Any, language: str, bias_type: str) -> Result:
    """Measure a model on the packaged pairs of one bias type, or of all.

    Raises:
        UnknownNameError: there are no such pairs.
        BiasError: whatever the method raises.
    """
    from ..api import evaluate

    options = _CAUSAL_OPTION[record.name] if _takes_causal(record, model) else {}
    return evaluate(record.name, model, data=_packaged(language, bias_type), **options)


def pairs_html(result: Result, language: str) -> str:
    """The scored pairs as HTML, those the model is clearest about first."""
    pairs = {pair.id: pair for pair in _packaged(language, ALL_TYPES)}
    rows = [
        (f"{item['delta']:+.3f}", pairs[item["id"]].sent_more, pairs[item["id"]].sent_less)
        for item in sorted(result.items, key=lambda i: -abs(i["delta"]))
    ]
    from ..methods.pair_scoring import SCORINGS

    return (
        f"<p>The score of a sentence: {SCORINGS[result.settings['scoring']]}.</p>"
        "<p>The more and the less stereotypical sentence; where Δ is positive, the model prefers the first.</p>"
        + table(rows, ("Δ", "more", "less"))
    )


def page(record: MethodRecord) -> gr.Blocks:
    """Build the page."""
    import gradio as gr

    columns = sentence_columns(record)

    def examples(language: str, bias_type: str) -> list[tuple[str, str]]:
        return [(pair.sent_more, pair.id) for pair in _packaged(language, bias_type)]

    def offer(language: str, bias_type: str) -> Any:
        return gr.Dropdown(examples(language, bias_type), value=None)

    def fill(language: str, key: str | None) -> list[Any]:
        if key is None:
            return [gr.skip() for _ in columns]
        pair = _packaged(language, ALL_TYPES)[key]
        return [getattr(pair, c) or "" for c in columns]

    def measure_pair(model: str, *texts: str) -> str:
        with shown_errors():
            pair = typed_pair(record, *texts)
            return pair_html(record, pair, score_pair(record, opened_model(model), pair))

    def measure_type(model: str, language: str, bias_type: str) -> tuple[Any, ...]:
        with shown_errors():
            result = run_bias_type(record, opened_model(model), language, bias_type)
        return headline(record, result, "pairs"), pairs_html(result, language), notes(result)

    types = [ALL_TYPES, *_packaged("en", ALL_TYPES).bias_types]
    with measured_page(record, "minimal_pairs") as built:
        model = model_box(record)
        with gr.Row():
            language = gr.Dropdown(
                LANGUAGES,
                value="en",
                label="Language of the packaged pairs",
                elem_id="language",
                min_width=FIELD_WIDTH,
            )
            bias_type = gr.Dropdown(
                types, value="gender", label="Bias type", elem_id="bias-type", min_width=FIELD_WIDTH
            )
        with gr.Tab("One pair"):
            start = _packaged("en", "gender")[0]
            example = gr.Dropdown(
                examples("en", "gender"), value=None, label="Fill in a packaged pair", elem_id="example"
            )
            boxes = []
            for k in range(0, len(columns), 2):
                with gr.Row():
                    boxes += [
                        gr.Textbox(
                            getattr(start, c),
                            label=_SENTENCES[c].capitalize(),
                            lines=2,
                            elem_id=c.replace("_", "-"),
                            min_width=FIELD_WIDTH,
                        )
                        for c in columns[k : k + 2]
                    ]
            one = gr.Button("Which does the model prefer?", variant="primary", elem_id="measure-pair")
            verdict = gr.HTML(elem_id="verdict")
        with gr.Tab("Packaged pairs"):
            gr.Markdown(
                "Measures the model on the packaged pairs of the bias type above: illustrative, not validated."
            )
            many = gr.Button("Measure", variant="primary", elem_id="measure-type")
            score = gr.Markdown(elem_id="score")
            listed = gr.HTML(elem_id="pairs")
            left_out = gr.HTML(elem_id="notes")
        for changed in (language, bias_type):
            changed.change(offer, [language, bias_type], example, api_visibility="private")
        example.input(fill, [language, example], boxes, api_visibility="private")
        on_click(one, measure_pair, [model, *boxes], [verdict], "measure_pair")
        on_click(many, measure_type, [model, language, bias_type], [score, listed, left_out], "measure_type")
    return built


def _packaged(language: str, bias_type: str) -> SentencePairSet:
    from ..data.sentence_pairs import load_sentence_pairs

    return load_sentence_pairs(language=language, bias_types=None if bias_type == ALL_TYPES else bias_type)


def _takes_causal(record: MethodRecord, model: Any) -> bool:
    from ..models.base import MaskedScorer, SequenceScorer

    causal = isinstance(model, SequenceScorer) and not isinstance(model, MaskedScorer)
    return causal and record.name in _CAUSAL_OPTION


def _verdict(delta: float) -> str:
    if delta == 0:
        return "The model prefers neither sentence."
    return f"The model prefers the {'more' if delta > 0 else 'less'} stereotypical sentence."
