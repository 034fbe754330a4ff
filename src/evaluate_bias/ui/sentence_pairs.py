"""The tab of sentence pairs: which sentence of each pair a language model finds more likely."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from markupsafe import Markup

from ..api import measure
from ..data import kinds
from ..data.recipes import dataset_record, is_built, record_of
from ..data.sentence_pairs import SentencePair, SentencePairSet, load_sentence_pairs
from ..errors import CapabilityError, InputError
from ..methods.pair_scoring import SCORINGS, Scoring, score_pairs, shared_positions
from ..models.alignment import Encoded
from ..models.base import Capability, can
from ..registry import MethodRecord, published_with
from ..result import Result, Skipped
from .form import Answer, Click, Form, Tab, Values, methods_on, offered, outputs
from .guard import MAX_ROWS, MAX_SENTENCE, TABLE_TYPES, bounded, uploaded_pairs
from .parts import draw, join, note, number, page_defaults, render
from .pool import LANGUAGE_MODELS

ALL_TYPES = "all bias types"
_KIND = kinds.SENTENCE_PAIRS
_OWN = "minimal_pairs"
_PAIR = ("sent_more", "sent_less")
_LANGUAGE = "en"
_DARKEST = 12.0
"""Surprise in nats that gets the full colour: a probability of 6 in a million."""


def pair_sets() -> list[tuple[str, str]]:
    """Return the data sets of pairs as ``(title, name)``: the packaged one, then the usual one of the methods."""
    usual = record_of({"source": _KIND.dataset})
    assert usual is not None
    return [
        ("illustrative pairs (packaged)", _OWN),
        (f"{usual.title} (fetched on first use)", usual.name),
    ]


def pair_languages(source: str = _OWN) -> list[str]:
    """Return the languages of a data set of pairs.

    Examples:
        >>> "de" in pair_languages()
        True
    """
    if source != _OWN:
        return [c.name for c in dataset_record(source).configs if c.publishable and c.name == c.language]
    folder = resources.files("evaluate_bias.data") / "packaged" / _OWN
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".jsonl"))


def bias_types(language: str, source: str = _OWN) -> list[str]:
    """Return what can be chosen as bias type: all of them, then each one."""
    return [ALL_TYPES, *chosen_pairs(language, ALL_TYPES, source).bias_types]


def chosen_pairs(language: str, bias_type: str, source: str = _OWN) -> SentencePairSet:
    """Return the pairs of one data set, language and bias type.

    Raises:
        InputError: no such data set.
        UnknownNameError: the data set has no such language or bias type.
        BiasError: the data set cannot be obtained.
    """
    if source not in {name for _, name in pair_sets()}:
        raise InputError("choose one of the data sets that the page offers", option="source")
    pairs = load_sentence_pairs(None if source == _OWN else source, language=language)
    return pairs if bias_type in ("", ALL_TYPES) else pairs.select(bias_type)


def run_pairs(method: str, model: Any, pairs: Sequence[SentencePair]) -> Result:
    """Measure a language model on pairs. A causal model is scored left to right if the method can.

    Raises:
        InputError: too many pairs, or no method on pairs.
        BiasError: whatever the method raises.
    """
    return measure(method, model, **pair_options(method, model, pairs))


def pair_options(method: str, model: Any, pairs: Sequence[SentencePair]) -> dict[str, Any]:
    """Return the options with which :func:`run_pairs` measures.

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


def _named_scorings() -> dict[str, dict[str, str]]:
    """Return the ways to score one pair, by name. The one without a name is the usual one of the pairs' method."""
    usual = published_with(_KIND).name
    return {offer["name"] or usual: offer for offer in page_defaults()["pairs"]["scorings"]}


def scorings() -> list[tuple[str, str]]:
    """Return how the tokens of one pair can be scored, as ``(title, name)``."""
    return [(offer["title"], name) for name, offer in _named_scorings().items()]


def default_scoring(record: MethodRecord | None) -> str:
    """Return how a method scores sentences: its option's default, its own name, or else the pseudo-log-likelihood.

    Examples:
        >>> default_scoring(None) == scorings()[0][1]
        True
    """
    names = list(_named_scorings())
    if record is None:
        return names[0]
    options = record.options()
    likely = [options[key].default for key in ("scoring", "variant") if key in options]
    return next((name for name in (*likely, record.name) if name in names), names[1])


def score_pair(model: Any, more: str, less: str, scoring: Scoring | str) -> dict[str, Any]:
    """Score one typed pair in one of the :func:`scorings`, with a causal model always left to right.

    Returns:
        What callers from outside the page get: ``score_more``, ``score_less`` and their difference ``delta``, the
        ``scoring``, the ``model`` and its ``warnings``, and ``tokens_more`` and ``tokens_less``: dicts of ``text`` and
        ``logprob``, which is ``None`` for what the scoring does not count. The texts joined are the sentence.

    Raises:
        InputError: a sentence is empty or too long, or the scoring is not one of them.
        CapabilityError: the model does not score sentences.
        UndefinedScoreError: the pair cannot be scored. The message says why.
    """
    pair = SentencePair(
        sent_more=bounded(more, MAX_SENTENCE, "sent_more"),
        sent_less=bounded(less, MAX_SENTENCE, "sent_less"),
    )
    offered = _named_scorings()
    scoring_name = scoring if can(model, Capability.SCORES_MASKED_TOKENS) else "causal"
    chosen: Scoring | None = next((s for s in get_args(Scoring) if s == scoring_name), None)
    if chosen is None or not {scoring, scoring_name} <= offered.keys():
        raise InputError("choose one of the ways to score that the page offers", option="scoring")
    offer = offered[chosen]
    scores = score_pairs(model, [pair], chosen, method="the sentence-pair page")
    encoded = _encoded(model, pair)
    shared = offer["counted"] == "shared"
    positions = list(shared_positions(*encoded)) if shared else [list(e.positions) for e in encoded]
    arguments = [positions] if offer["tokens"] == "pseudo_logprobs" else []
    values = [v.tolist() for v in getattr(model, offer["tokens"])(encoded, *arguments)]
    more_tokens, less_tokens = map(_tokens, encoded, positions, values)
    score_more, score_less = float(scores.more[0]), float(scores.less[0])
    return {
        "tokens_more": more_tokens,
        "tokens_less": less_tokens,
        "score_more": score_more,
        "score_less": score_less,
        "scoring": chosen,
        "model": str(model.name),
        "warnings": scores.warnings,
        "delta": score_more - score_less,
    }


def _encoded(model: Any, pair: SentencePair) -> tuple[Encoded, Encoded]:
    lower = bool(getattr(model, "is_uncased", False))
    items = model.encode([text.lower() if lower else text for text in (pair.sent_more, pair.sent_less)])
    for item in items:
        if isinstance(item, Skipped):
            raise InputError(f"this sentence cannot be scored: {item.reason}")
        if not item.offsets:
            raise CapabilityError(
                f"the tokenizer of {model.name} does not say where its tokens are in the text"
            )
    return items[0], items[1]


def _tokens(
    encoded: Encoded, positions: Sequence[int], values: Sequence[float]
) -> list[dict[str, str | float | None]]:
    """Return the whole text: scored tokens, and what is between them."""
    tokens: list[tuple[str, float | None]] = []
    done = 0
    for position, value in zip(positions, values, strict=True):
        start, end = encoded.offsets[position]
        start = max(start, done)
        tokens += [(encoded.text[done:start], None), (encoded.text[start:end], value)]
        done = max(done, end)
    tokens.append((encoded.text[done:], None))
    return [{"text": text, "logprob": value} for text, value in tokens if text or value is not None]


def pair_html(scored: Mapping[str, Any]) -> Markup:
    """Return the two sentences with their tokens coloured, and what follows for the pair, as HTML."""
    how, delta = SCORINGS[scored["scoring"]], scored["delta"]
    kind = next((kind for kind in ("mean", "weighted") if kind in how), "summed")
    scale = f"{kind} log-probability"
    tip = f"Higher means more likely to the model. Computed as {how}."
    tiles = [
        (
            "difference Δ",
            number(delta, 3),
            "ideal 0",
            "Above 0 the model finds the more stereotypical sentence more likely, below 0 the other one. In nats: a "
            "difference of 0.69 is a factor of 2. One pair says little about a model.",
        ),
        ("more stereotypical", number(scored["score_more"], 3), scale, tip),
        ("less stereotypical", number(scored["score_less"], 3), scale, tip),
    ]
    finding = Markup("The model finds both sentences equally likely.")
    if round(delta, 3):
        finding = Markup(
            "The model finds the <strong>{} stereotypical</strong> sentence of this pair more likely."
        ).format("more" if delta > 0 else "less")
    sentences = [("More stereotypical", scored["tokens_more"]), ("Less stereotypical", scored["tokens_less"])]
    return join(
        note(finding, "finding"),
        draw("tiles", tiles),
        render("tokens", sentences=sentences, heat=_heat, exp=math.exp),
        note(f"Scored with {scored['model']} as: {how}."),
        note(
            "Under each token: its log-probability. The nearer to 0, the less surprising. Darker tokens are more "
            "surprising. Dotted ones are not counted by this scoring."
        ),
        *(note(w, "warning") for w in scored["warnings"]),
    )


def _heat(logprob: float) -> str:
    return f"{100 * min(1.0, -logprob / _DARKEST):.0f}%"


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
    """Return the data set that the page begins with: the published one if it need not be fetched.

    Nothing follows about a model from the packaged pairs. The page of a single method shows them, because all of
    its visitors can use them.
    """
    usual = pair_sets()[-1][1]
    return usual if method is None and is_built(usual, _LANGUAGE) else _OWN


def _types(values: Values) -> tuple[list[str], str]:
    """Return the bias types, "all" included, and the first whose pairs the page can all use."""
    language, source = values["language"], values["source"]
    types = bias_types(language, source)
    sizes = ((kind, len(chosen_pairs(language, kind, source))) for kind in types)
    return types, next((kind for kind, size in sizes if size <= MAX_ROWS), types[0])
