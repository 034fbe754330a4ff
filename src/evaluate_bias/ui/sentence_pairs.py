"""The tab of sentence pairs: which sentence of each pair a language model finds more likely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from ..api import measure
from ..data import kinds
from ..data.pair_schemas import SentencePair
from ..data.recipes import dataset_record, record_of
from ..data.sentence_pairs import SentencePairSet, load_sentence_pairs
from ..errors import InputError
from ..models.base import MaskedScorer
from ..registry import MethodRecord, get_method, published_with
from ..result import Result
from .handlers import on_choice, on_click
from .limits import MAX_ROWS, sentence
from .outcome import result_page
from .pair_tokens import default_scoring, pair_data, pair_html, score_pair, scorings
from .parts import Note, page_defaults, show
from .pool import LANGUAGE_MODELS
from .session import Session
from .tab import Tab, answer, choice, methods_on, model_box, outputs, text_box, upload_boxes, upload_path
from .uploads import TABLE_TYPES, uploaded_pairs

__all__ = [
    "ALL_TYPES",
    "bias_types",
    "chosen_pairs",
    "pair_languages",
    "pair_methods",
    "pair_sets",
    "pairs_tab",
    "run_pairs",
    "sentence_columns",
]

ALL_TYPES = "all bias types"
_KIND = kinds.SENTENCE_PAIRS
_OWN = "minimal_pairs"
_LANGUAGE = "en"
_FIELDS = {
    "sent_more": "more stereotypical sentence",
    "sent_less": "less stereotypical sentence",
    "sent_more_par": "paraphrase of the more stereotypical sentence",
    "sent_less_par": "paraphrase of the less stereotypical sentence",
}


def pair_sets() -> list[tuple[str, str]]:
    """The data sets of pairs as ``(title, name)``: the packaged one, then the usual one of the methods."""
    usual = record_of({"source": _KIND.dataset})
    assert usual is not None
    return [
        ("illustrative pairs (packaged)", _OWN),
        (f"{usual.title} (fetched on first use)", usual.name),
    ]


def pair_languages(source: str = _OWN) -> list[str]:
    """Languages of a data set of pairs.

    Examples:
        >>> "de" in pair_languages()
        True
    """
    if source != _OWN:
        return [c.name for c in dataset_record(source).configs if c.publishable and c.name == c.language]
    folder = resources.files("evaluate_bias.data") / "packaged" / _OWN
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".jsonl"))


def pair_methods() -> list[tuple[str, str]]:
    """Methods on sentence pairs as ``(title, name)``.

    Examples:
        >>> ("Pseudo-log-likelihood preference (PLL)", "pll") in pair_methods()
        True
    """
    return [(r.title, r.name) for r in methods_on(_KIND.name)]


def bias_types(language: str, source: str = _OWN) -> list[str]:
    """What can be chosen as bias type: all of them, then each."""
    return [ALL_TYPES, *chosen_pairs(language, ALL_TYPES, source).bias_types]


def chosen_pairs(language: str, bias_type: str, source: str = _OWN) -> SentencePairSet:
    """The pairs of one data set, language and bias type.

    Raises:
        InputError: no such data set.
        UnknownNameError: there is no such language or bias type.
        BiasError: the data set cannot be obtained.
    """
    if source not in {name for _, name in pair_sets()}:
        raise InputError("choose one of the data sets that the page offers")
    pairs = load_sentence_pairs(None if source == _OWN else source, language=language)
    return pairs if bias_type in ("", ALL_TYPES) else pairs.select(bias_type)


def run_pairs(method: str, model: Any, pairs: Sequence[SentencePair]) -> Result:
    """Measure a language model on pairs; a causal model is scored left to right where the method can.

    Raises:
        InputError: too many pairs, or no method on pairs.
        BiasError: whatever the method raises.
    """
    if method not in {name for _, name in pair_methods()}:
        raise InputError("choose one of the methods that the page offers")
    if len(pairs) > MAX_ROWS:
        raise InputError(
            f"{len(pairs)} pairs are more than the {MAX_ROWS} this page takes; choose one bias type"
        )
    options: dict[str, Any] = {} if isinstance(model, MaskedScorer) else _left_to_right(get_method(method))
    return measure(method, model, data=pairs, **options)


def _left_to_right(record: MethodRecord) -> dict[str, str]:
    """The option that makes a method score sentences left to right, where it has one."""
    return {n: "causal" for n, option in record.options().items() if "causal" in get_args(option.kind)}


def sentence_columns(method: MethodRecord | None) -> list[str]:
    """The columns of sentences that a pair needs."""
    required = ("sent_more", "sent_less") if method is None else method.columns
    return [column for column in _FIELDS if column in required]


def pairs_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    offered = page_defaults()["pairs"]
    columns = sentence_columns(tab.method)
    methods = pair_methods() if tab.method is None else [(tab.method.title, tab.method.name)]
    usual = published_with(_KIND) if tab.method is None else tab.method

    def one_pair(
        session: Session,
        model: str,
        more: str,
        less: str,
        scoring: str,
        more_par: str | None = None,
        less_par: str | None = None,
        progress: Any = gr.Progress(),
    ) -> tuple[str, dict[str, Any]]:
        with tab.lent(model, progress) as lent:
            scored = score_pair(lent, more, less, scoring)
            if len(columns) == 2:
                return pair_html(scored), pair_data(scored)
            texts = [sentence(t, _FIELDS[c]) for c, t in zip(columns[2:], (more_par, less_par), strict=True)]
            other = score_pair(lent, texts[0], texts[1], scoring)
        html = show(pair_html(scored), Note("The paraphrase of the pair:"), pair_html(other))
        return html, {**pair_data(scored), "paraphrase": pair_data(other)}

    def examples_of(language: str, bias_type: str, source: str) -> list[tuple[str, str]]:
        return [(pair.sent_more, pair.id) for pair in chosen_pairs(language, bias_type, source)[:MAX_ROWS]]

    def offer(language: str, bias_type: str, source: str) -> Any:
        return gr.Dropdown(choices=examples_of(language, bias_type, source), value=None)

    def fill(language: str, source: str, key: str | None) -> list[Any]:
        pair = next((p for p in chosen_pairs(language, ALL_TYPES, source) if key and p.id == key), None)
        return [gr.skip() if pair is None else getattr(pair, c) or "" for c in columns]

    def example(more: str, less: str) -> Callable[[], tuple[str, str, str]]:
        return lambda: (model.value or "", more, less)

    def many_pairs(
        session: Session,
        model: str,
        method: str,
        language: str,
        bias_type: str,
        upload: str | None = None,
        source: str = _OWN,
        own: bool = False,
        progress: Any = gr.Progress(),
    ) -> tuple[str, dict[str, Any]]:
        path = upload_path(own, upload)
        pairs = uploaded_pairs(path, language) if path else chosen_pairs(language, bias_type, source)
        with tab.lent(model, progress) as lent:
            result = run_pairs(method, lent, pairs)
        return answer(session, [result], result_page(result, pairs))

    def choose_language(language: str, source: str) -> tuple[Any, Any]:
        types = gr.Dropdown(choices=bias_types(language, source), value=ALL_TYPES)
        return types, offer(language, ALL_TYPES, source)

    def choose_set(source: str) -> tuple[Any, ...]:
        languages = gr.Dropdown(choices=pair_languages(source), value=_LANGUAGE)
        return languages, *choose_language(_LANGUAGE, source)

    gr.Markdown(
        "Two sentences that differ in the group they speak of: which one does a language model find more likely?",
        elem_id="pairs-help",
    )
    model = model_box(tab, LANGUAGE_MODELS, "pairs", "Language model")
    gr.Markdown("## One pair, token by token", elem_id="pair-title")
    start = [offered["examples"][0][1], offered["examples"][0][2]]
    if len(columns) > len(start):
        start = [getattr(chosen_pairs(_LANGUAGE, ALL_TYPES)[0], c) for c in columns]
    with gr.Row():
        buttons = [
            (gr.Button(label, size="sm", elem_id=f"pair-example-{i}"), more, less)
            for i, (label, more, less) in enumerate(offered["examples"])
            if len(columns) == 2
        ]
    packaged = choice(
        "Fill in a pair of the data set chosen below",
        "pair-example",
        examples_of(_LANGUAGE, ALL_TYPES, _OWN),
        None,
    )
    boxes = []
    for k in range(0, len(columns), 2):
        with gr.Row():
            boxes += [
                text_box(_FIELDS[c].capitalize(), c.replace("sent_", "pair-").replace("_", "-"), text)
                for c, text in zip(columns[k : k + 2], start[k : k + 2], strict=True)
            ]
    scoring = choice("What is scored", "pair-scoring", scorings(), default_scoring(tab.method))
    score = gr.Button("Score this pair", variant="primary", elem_id="pair-run")
    tokens = outputs("pair-output")
    gr.Markdown("## Many pairs", elem_id="pairs-title")
    with gr.Row():
        method = choice("Method", "pairs-method", methods, usual.name, visible=len(methods) > 1)
        source = choice("Data set", "pairs-set", pair_sets(), _OWN)
    with gr.Row():
        language = choice(
            "Language of the pairs", "pairs-language", pair_languages(), _LANGUAGE, allow_custom_value=True
        )
        bias_type = choice(
            "Bias type", "pairs-type", bias_types(_LANGUAGE), ALL_TYPES, allow_custom_value=True
        )
    own, upload = upload_boxes(
        "pairs",
        "pairs",
        TABLE_TYPES,
        f"A .csv or .tsv file with the columns {', '.join(columns[:-1])} and {columns[-1]}, UTF-8, up to {MAX_ROWS} "
        "rows",
    )
    run = gr.Button("Measure these pairs", variant="primary", elem_id="pairs-run")
    output = outputs("pairs-output")

    pair = [tab.session, model, boxes[0], boxes[1], scoring, *boxes[2:]]
    on_click(
        score,
        one_pair,
        pair,
        tokens,
        api_name="score_pair",
        about=(
            "Score two sentences that differ in the group they speak of, token by token; 'scoring' is one of "
            f"{', '.join(name for _, name in scorings())}. Returns HTML and tokens with log-probabilities as data."
        ),
    )
    for button, first, second in buttons:
        filled = button.click(example(first, second), None, [model, *boxes], api_visibility="private")
        on_click(filled, one_pair, pair, tokens)
    data = [language, bias_type, source]
    on_choice(packaged, fill, [language, source, packaged], boxes)
    on_choice(bias_type, offer, data, packaged)
    on_choice(language, choose_language, [language, source], [bias_type, packaged])
    on_choice(source, choose_set, source, [language, bias_type, packaged])
    on_click(
        run,
        many_pairs,
        [tab.session, model, method, language, bias_type, upload, source, own],
        output,
        api_name="measure_pairs",
        about=(
            "Measure a language model on many pairs of sentences: those of a data set ('source': "
            f"{', '.join(name for _, name in pair_sets())}), or of an uploaded table. 'method' is one of "
            f"{', '.join(name for _, name in methods)}. Returns HTML and the result as data."
        ),
    )
