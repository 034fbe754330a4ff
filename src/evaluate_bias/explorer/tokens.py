"""The two sentences of a pair, token by token, as a model scores them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.pair_schemas import SentencePair
from ..errors import CapabilityError, InputError
from ..methods.pair_scoring import SCORINGS, Scoring, score_pairs, shared_positions
from ..models.alignment import Encoded
from ..models.base import MaskedScorer
from ..result import Skipped
from .html import Tile, escaped, note, number, tiles
from .limits import MAX_SENTENCE, bounded

__all__ = ["PAIR_SCORINGS", "ScoredPair", "Token", "pair_html", "score_pair"]

PAIR_SCORINGS: tuple[tuple[str, Scoring], ...] = (
    ("shared tokens, each masked in turn (CrowS-Pairs)", "crows_pairs"),
    ("all tokens, each masked in turn (PLL)", "pll"),
    ("all tokens, nothing masked (AUL)", "aul"),
    ("left to right (causal models)", "causal"),
)
"""How the tokens of one pair can be scored, for people and for :func:`score_pair`."""

_DARKEST = 12.0
"""Surprise in nats that gets the full colour: a probability of 6 in a million."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence; ``logprob`` is ``None`` where the scoring does not count it."""

    text: str
    logprob: float | None


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Tokens and scores of the two sentences.

    Attributes:
        more, less: the sentences' pieces; joined, their texts are the sentence.
        score_more, score_less: what the scoring makes of each sentence.
        scoring: the scoring used.
        warnings: caveats the model told.
    """

    more: tuple[Token, ...]
    less: tuple[Token, ...]
    score_more: float
    score_less: float
    scoring: Scoring
    warnings: tuple[str, ...] = ()

    @property
    def delta(self) -> float:
        """Score of the more minus score of the less stereotypical sentence."""
        return self.score_more - self.score_less


def score_pair(model: Any, more: str, less: str, scoring: Scoring | str) -> ScoredPair:
    """Score one typed pair.

    Args:
        model: a language model.
        more: the more stereotypical sentence.
        less: the less stereotypical one.
        scoring: one of :data:`PAIR_SCORINGS`; ``"causal"`` stands in for any other with a causal model.

    Raises:
        InputError: a sentence is empty or too long, or the scoring is not one of them.
        CapabilityError: the model does not score sentences.
        UndefinedScoreError: the pair cannot be scored; the text says why.
    """
    pair = SentencePair(
        sent_more=bounded(more, MAX_SENTENCE, "more stereotypical sentence"),
        sent_less=bounded(less, MAX_SENTENCE, "less stereotypical sentence"),
    )
    chosen = next((s for _, s in PAIR_SCORINGS if s == scoring), None)
    if chosen is None:
        raise InputError("choose one of the ways to score that the page offers")
    if not isinstance(model, MaskedScorer):
        chosen = "causal"
    scores = score_pairs(model, [pair], chosen, method="the sentence-pair page")
    encoded = _encoded(model, pair)
    positions = (
        list(shared_positions(*encoded)) if chosen == "crows_pairs" else [list(e.positions) for e in encoded]
    )
    values = _token_values(model, encoded, positions, chosen)
    pieces = [_pieces(e, p, v) for e, p, v in zip(encoded, positions, values, strict=True)]
    return ScoredPair(
        pieces[0], pieces[1], float(scores.more[0]), float(scores.less[0]), chosen, tuple(scores.warnings)
    )


def _encoded(model: Any, pair: SentencePair) -> tuple[Encoded, Encoded]:
    lower = bool(getattr(model, "is_uncased", False))
    items = model.encode([text.lower() if lower else text for text in (pair.sent_more, pair.sent_less)])
    for item in items:
        if isinstance(item, Skipped):
            raise InputError(f"this sentence cannot be scored: {item.reason}")
        if not item.offsets:
            raise CapabilityError(
                f"the tokenizer of {model.name} does not say where its tokens stand in the text"
            )
    return items[0], items[1]


def _token_values(
    model: Any, encoded: Sequence[Encoded], positions: Sequence[Sequence[int]], scoring: Scoring
) -> Sequence[Sequence[float]]:
    if scoring == "causal":
        return [v.tolist() for v in model.sequence_logprobs(encoded)]
    if scoring == "aul":
        return [v.tolist() for v in model.token_logprobs(encoded)]
    return [v.tolist() for v in model.pseudo_logprobs(encoded, positions)]


def _pieces(encoded: Encoded, positions: Sequence[int], values: Sequence[float]) -> tuple[Token, ...]:
    """The whole text in pieces: scored tokens, and what lies between them."""
    out: list[Token] = []
    done = 0
    for position, value in zip(positions, values, strict=True):
        start, end = encoded.offsets[position]
        start = max(start, done)
        if start > done:
            out.append(Token(encoded.text[done:start], None))
        out.append(Token(encoded.text[start:end], float(value)))
        done = max(done, end)
    if done < len(encoded.text):
        out.append(Token(encoded.text[done:], None))
    return tuple(out)


def pair_html(scored: ScoredPair) -> str:
    """The two sentences with their tokens coloured, and what follows for the pair."""
    mean = scored.scoring == "aul"
    what = "mean log-probability" if mean else "summed log-probability"
    scale = "range −∞ to 0, no ideal value"
    tip = f"Higher means more likely to the model. Computed as {SCORINGS[scored.scoring]}."
    shown = tiles(
        [
            Tile(
                "difference Δ",
                number(scored.delta, 3),
                "range −∞ to ∞, ideal 0",
                "Above 0 the model finds the more stereotypical sentence more likely, below 0 the other one. In nats: "
                "a difference of 0.69 is a factor of 2. One pair says little about a model.",
            ),
            Tile("more stereotypical", number(scored.score_more, 3), f"{what}, {scale}", tip),
            Tile("less stereotypical", number(scored.score_less, 3), f"{what}, {scale}", tip),
        ]
    )
    return (
        f'<p class="eb-verdict">{_verdict(scored.delta)}</p>{shown}'
        f"{_sentence('More stereotypical', scored.more)}{_sentence('Less stereotypical', scored.less)}"
        f"{note(f'Scored as: {SCORINGS[scored.scoring]}.')}"
        '<p class="eb-note">Under each token: log p, range −∞ to 0; nearer to 0 means less surprising, and there is no '
        "ideal value for one token. A darker token is a more surprising one; a dotted one is not counted by this "
        "scoring.</p>" + "".join(note(w, "warning") for w in scored.warnings)
    )


def _verdict(delta: float) -> str:
    if round(delta, 3) == 0:
        return "The model finds both sentences equally likely."
    which = "more" if delta > 0 else "less"
    return f"The model finds the <strong>{which} stereotypical</strong> sentence of this pair more likely."


def _sentence(title: str, pieces: Sequence[Token]) -> str:
    return f'<p class="eb-tokens"><span class="eb-label">{title}</span>{"".join(map(_token, pieces))}</p>'


def _token(token: Token) -> str:
    text = escaped(token.text)
    if not text:
        return " "
    if token.logprob is None:
        return f'<span class="eb-token eb-out"><span>{text}</span><small>–</small></span>'
    strength = min(1.0, -token.logprob / _DARKEST)
    title = f"log p = {number(token.logprob, 3)}, probability {math.exp(token.logprob):.2g}; range −∞ to 0"
    return (
        f'<span class="eb-token" style="--eb-heat:{100 * strength:.0f}%" title="{title}"><span>{text}</span>'
        f"<small>{number(token.logprob, 1)}</small></span>"
    )
