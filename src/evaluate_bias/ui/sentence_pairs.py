"""The tab of sentence pairs: which sentence of each pair a language model finds more likely."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ..api import measure
from ..data import kinds
from ..data.pair_schemas import SentencePair
from ..data.recipes import dataset_record, is_built, record_of
from ..data.sentence_pairs import SentencePairSet, load_sentence_pairs
from ..errors import InputError
from ..models.base import Capability, can
from ..registry import MethodRecord, published_with
from ..result import Result
from .form import Answer, Click, Form, Tab, Values, methods_on, offered, outputs
from .limits import MAX_ROWS
from .pair_tokens import default_scoring, pair_html, score_pair, scorings
from .parts import page_defaults
from .pool import LANGUAGE_MODELS
from .uploads import TABLE_TYPES, uploaded_pairs

ALL_TYPES = "all bias types"
_KIND = kinds.SENTENCE_PAIRS
_OWN = "minimal_pairs"
_PAIR = ("sent_more", "sent_less")
_LANGUAGE = "en"


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
        raise InputError("choose one of the data sets that the page offers", option="source")
    pairs = load_sentence_pairs(None if source == _OWN else source, language=language)
    return pairs if bias_type in ("", ALL_TYPES) else pairs.select(bias_type)


def run_pairs(method: str, model: Any, pairs: Sequence[SentencePair]) -> Result:
    """Measure a language model on pairs; a causal model is scored left to right where the method can.

    Raises:
        InputError: too many pairs, or no method on pairs.
        BiasError: whatever the method raises.
    """
    return measure(method, model, **pair_options(method, model, pairs))


def pair_options(method: str, model: Any, pairs: Sequence[SentencePair]) -> dict[str, Any]:
    """What :func:`run_pairs` measures with.

    Raises:
        InputError: too many pairs, or no method on pairs.
    """
    record = offered(methods_on(_KIND.name), method)
    if len(pairs) > MAX_ROWS:
        raise InputError(
            f"{len(pairs)} pairs are more than the {MAX_ROWS} this page accepts",
            option="bias_types",
            hint="choose one bias type",
        )
    options = {} if can(model, Capability.SCORES_MASKED_TOKENS) else record.options()
    causal = {name: "causal" for name, option in options.items() if "causal" in option.choices}
    return {"data": pairs, **causal}


def pairs_tab(tab: Tab) -> None:
    """Draw the tab of sentence pairs: one of them token by token, and many of a data set or of the visitor's own."""
    import gradio as gr

    def examples(values: Values) -> tuple[list[tuple[str, str]], None]:
        pairs = chosen_pairs(values["language"], values["bias_type"], values["source"])
        return [(pair.sent_more, pair.id) for pair in pairs[:MAX_ROWS]], None

    def fill(values: Values) -> Values:
        pairs = chosen_pairs(values["language"], ALL_TYPES, values["source"]) if values["example"] else ()
        pair = next((p for p in pairs if p.id == values["example"]), None)
        return {} if pair is None else {"more": pair.sent_more, "less": pair.sent_less}

    def score(click: Click) -> Answer:
        v = click.values
        with click.model() as model:
            scored = score_pair(model, v["more"], v["less"], v["scoring"])
        return pair_html(scored), scored

    def measure_pairs(click: Click) -> Answer:
        v, path = click.values, click.upload
        chosen = v["language"], v["bias_type"], v["source"] or _OWN
        pairs = uploaded_pairs(path, v["language"]) if path else chosen_pairs(*chosen)
        with click.model() as model:
            return click.answer(run_pairs(v["method"], model, pairs), pairs)

    required = _PAIR if tab.method is None else tab.method.columns
    columns = [name for name in required if _KIND.columns[name].holds == "sentence"]
    form = Form(
        tab,
        "pairs",
        methods=methods_on(_KIND.name) if tab.method is None else (tab.method,),
        columns=f"{', '.join(columns[:-1])} and {columns[-1]}",
        rows=MAX_ROWS,
        scorings=", ".join(name for _, name in scorings()),
        sets=", ".join(name for _, name in pair_sets()),
    )
    start: dict[str, Any] = {"source": _start_set(tab.method), "language": _LANGUAGE}
    types, start["bias_type"] = _types(start)
    typed = page_defaults()["pairs"]["examples"]
    form.help()
    model = form.model(LANGUAGE_MODELS)
    gr.Markdown("## One pair, token by token", elem_id="pair-title")
    with gr.Row():
        fillers = [
            gr.Button(label, size="sm", elem_id=f"pair-example-{i}") for i, (label, *_) in enumerate(typed)
        ]
    form.field("example", choices=examples(start)[0])
    form.columns(_KIND, _PAIR, typed[0][1:], _PAIR)
    form.field("scoring", value=default_scoring(tab.method), choices=scorings())
    run = form.button("score_pair")
    output = outputs("pair-output")
    form.on_measure(run, "score_pair", score, output)
    for button, (_, more, less) in zip(fillers, typed, strict=True):
        values = {"model": model.value or "", "more": more, "less": less}
        filled = form.on_fill(button, functools.partial(dict, values), list(values))
        form.on_measure(filled, "score_pair", score, output)

    gr.Markdown("## Many pairs", elem_id="pairs-title")
    with gr.Row():
        form.method((tab.method or published_with(_KIND)).name)
        form.field("source", value=start["source"], choices=pair_sets())
    with gr.Row():
        known = pair_languages(start["source"])
        form.field("language", value=_LANGUAGE, choices=known, allow_custom_value=True)
        form.field("bias_type", value=start["bias_type"], choices=types, allow_custom_value=True)
    form.upload(TABLE_TYPES)
    form.on_measure(form.button("measure_pairs"), "measure_pairs", measure_pairs, outputs("pairs-output"))
    form.cascade(
        ("source", "language", "bias_type", "example"),
        {
            "language": lambda values: (pair_languages(values["source"]), _LANGUAGE),
            "bias_type": _types,
            "example": examples,
        },
        fill,
        ("more", "less"),
    )


def _start_set(method: MethodRecord | None) -> str:
    """The data set that the page begins with: the published one where nothing has to be fetched for it.

    Nothing follows about a model from the packaged pairs; the page of a single method shows these, which all can take.
    """
    usual = pair_sets()[-1][1]
    return usual if method is None and is_built(usual, _LANGUAGE) else _OWN


def _types(values: Values) -> tuple[list[str], str]:
    """The bias types, and the first, "all" among them, of which the page takes all pairs."""
    language, source = values["language"], values["source"]
    types = bias_types(language, source)
    sizes = ((kind, len(chosen_pairs(language, kind, source))) for kind in types)
    return types, next((kind for kind, size in sizes if size <= MAX_ROWS), types[0])
