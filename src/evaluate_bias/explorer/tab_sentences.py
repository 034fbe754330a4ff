"""The tab of sentence pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .handlers import clear_on_failure, explained, watched
from .sentences import (
    ALL_TYPES,
    PAIR_EXAMPLES,
    PAIR_SETS,
    bias_types,
    chosen_pairs,
    pair_languages,
    pair_methods,
    pairs_html,
    run_pairs,
    set_languages,
)
from .session import Session
from .shelf import LANGUAGE_MODELS, ModelShelf, model_choices
from .tokens import PAIR_SCORINGS, pair_html, score_pair
from .uploads import TABLE_TYPES, uploaded_pairs

__all__ = ["default_language_model", "sentences_tab"]

_LANGUAGE = "en"


def default_language_model() -> str:
    """The model that the tab starts with: the first English one that is on this machine, empty when there is none.

    Examples:
        >>> isinstance(default_language_model(), str)
        True
    """
    return next((name for _, name in model_choices(LANGUAGE_MODELS, _LANGUAGE)), "")


def sentences_tab(shelf: ModelShelf, session_state: Any) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    def one_pair(model: str, more: str, less: str, scoring: str, progress: Any = gr.Progress()) -> str:
        with shelf.use(model, watched(progress)) as lent:
            return pair_html(score_pair(lent, more, less, scoring))

    def example(more: str, less: str) -> Callable[[], tuple[str, str, str]]:
        return lambda: (default_language_model(), more, less)

    def many_pairs(
        session: Session,
        model: str,
        method: str,
        language: str,
        bias_type: str,
        upload: str | None,
        source: str,
        progress: Any = gr.Progress(),
    ) -> str:
        pairs = uploaded_pairs(upload, language) if upload else chosen_pairs(language, bias_type, source)
        with shelf.use(model, watched(progress)) as lent:
            result = run_pairs(method, lent, pairs)
        session.add([result])
        return pairs_html(result, pairs)

    def choose_language(language: str, source: str) -> Any:
        return gr.Dropdown(choices=bias_types(language, source), value=ALL_TYPES)

    def choose_set(source: str) -> tuple[Any, Any]:
        return (
            gr.Dropdown(choices=set_languages(source), value=_LANGUAGE),
            choose_language(_LANGUAGE, source),
        )

    gr.Markdown(
        "Two sentences that differ in the group they speak of: which one does a language model find more likely?",
        elem_id="pairs-help",
    )
    model = gr.Dropdown(
        model_choices(LANGUAGE_MODELS),
        value=default_language_model() or None,
        allow_custom_value=True,
        label="Language model (or type a Hub id such as user/model)",
        elem_id="pairs-model",
    )
    gr.Markdown("### One pair, token by token", elem_id="pair-title")
    with gr.Row():
        examples = [
            (gr.Button(label, size="sm", elem_id=f"pair-example-{i}"), more, less)
            for i, (label, more, less) in enumerate(PAIR_EXAMPLES)
        ]
    with gr.Row():
        more = gr.Textbox(
            PAIR_EXAMPLES[0][1], label="More stereotypical sentence", min_width=260, elem_id="pair-more"
        )
        less = gr.Textbox(
            PAIR_EXAMPLES[0][2], label="Less stereotypical sentence", min_width=260, elem_id="pair-less"
        )
    scoring = gr.Dropdown(list(PAIR_SCORINGS), value="crows_pairs", label="What is scored", elem_id="pair-scoring")
    score = gr.Button("Score this pair", variant="primary", elem_id="pair-run")
    tokens = gr.HTML(elem_id="pair-output")
    gr.Markdown("### Many pairs", elem_id="pairs-title")
    with gr.Row():
        method = gr.Dropdown(
            pair_methods(), value="crows_pairs", label="Method", min_width=260, elem_id="pairs-method"
        )
        source = gr.Dropdown(
            list(PAIR_SETS), value=PAIR_SETS[0][1], label="Data set", min_width=260, elem_id="pairs-set"
        )
        language = gr.Dropdown(
            pair_languages(),
            value=_LANGUAGE,
            label="Language of the pairs",
            min_width=260,
            elem_id="pairs-language",
        )
        bias_type = gr.Dropdown(
            bias_types(_LANGUAGE), value=ALL_TYPES, label="Bias type", min_width=260, elem_id="pairs-type"
        )
    with gr.Accordion("Use my own pairs", open=False, elem_id="pairs-upload-fold"):
        upload = gr.File(
            file_types=list(TABLE_TYPES),
            label="A .csv or .tsv file with the columns sent_more and sent_less, UTF-8, up to 500 rows",
            elem_id="pairs-upload",
        )
    run = gr.Button("Measure these pairs", variant="primary", elem_id="pairs-run")
    output = gr.HTML(elem_id="pairs-output")

    pair = [model, more, less]
    scored = score.click(explained(one_pair), [*pair, scoring], tokens, api_name="score_pair")
    clear_on_failure(scored, tokens)
    for button, first, second in examples:
        button.click(example(first, second), None, pair, api_visibility="private").then(
            explained(one_pair), [*pair, scoring], tokens, api_visibility="private"
        )
    language.input(explained(choose_language), [language, source], bias_type, api_visibility="private")
    source.input(explained(choose_set), source, [language, bias_type], api_visibility="private")
    measured = run.click(
        explained(many_pairs),
        [session_state, model, method, language, bias_type, upload, source],
        output,
        api_name="measure_pairs",
        concurrency_limit=1,
        scroll_to_output=True,
    )
    clear_on_failure(measured, output)
