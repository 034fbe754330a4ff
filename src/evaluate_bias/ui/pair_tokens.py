"""The two sentences of a pair, token by token, as a model scores them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from markupsafe import Markup

from ..data.kinds import SENTENCE_PAIRS
from ..data.pair_schemas import SentencePair
from ..errors import CapabilityError, InputError
from ..methods.pair_scoring import SCORINGS, Scoring, score_pairs, shared_positions
from ..models.alignment import Encoded
from ..models.base import Capability, can
from ..registry import MethodRecord, published_with
from ..result import Skipped
from .limits import MAX_SENTENCE, bounded
from .parts import draw, join, note, number, page_defaults, render

_DARKEST = 12.0
"""Surprise in nats that gets the full colour: a probability of 6 in a million."""


def _named_scorings() -> dict[str, dict[str, str]]:
    """The ways to score one pair, by name; that without a name is the usual one, of the method of the pairs' data."""
    usual = published_with(SENTENCE_PAIRS).name
    return {offer["name"] or usual: offer for offer in page_defaults()["pairs"]["scorings"]}


def scorings() -> list[tuple[str, str]]:
    """How the tokens of one pair can be scored, as ``(title, name)``."""
    return [(offer["title"], name) for name, offer in _named_scorings().items()]


def default_scoring(record: MethodRecord | None) -> str:
    """How a method scores sentences: its option's default, its own name, or else the pseudo-log-likelihood.

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
    """Score one typed pair in one of the :func:`scorings`; with a causal model always left to right.

    Returns:
        What callers from outside the page get: ``score_more``, ``score_less`` and their difference ``delta``, the
        ``scoring``, the ``model`` and its ``warnings``, and ``tokens_more`` and ``tokens_less``: dicts of ``text`` and
        ``logprob``, which is ``None`` for what the scoring does not count. The texts joined are the sentence.

    Raises:
        InputError: a sentence is empty or too long, or the scoring is not one of them.
        CapabilityError: the model does not score sentences.
        UndefinedScoreError: the pair cannot be scored; the text says why.
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
        (
            note(finding, "finding"),
            draw("tiles", tiles),
            render("tokens", sentences=sentences, heat=_heat, exp=math.exp),
            note(f"Scored with {scored['model']} as: {how}."),
            note(
                "Under each token: its log-probability; the nearer to 0, the less surprising. Darker tokens are more "
                "surprising; dotted ones are not counted by this scoring."
            ),
            *(note(w, "warning") for w in scored["warnings"]),
        )
    )


def _heat(logprob: float) -> str:
    return f"{100 * min(1.0, -logprob / _DARKEST):.0f}%"
