"""Which of several answers to a prompt a language model finds most likely: any causal or masked one can tell.

An answer's score is the mean log-probability of its tokens after the prompt: log p(token | what is before it) with a
causal model, log p(token | prompt and the rest of the answer) with a masked one, each token masked in turn.
The mean makes answers of different lengths comparable. A sum would prefer short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import CapabilityError
from ..result import Skipped
from .alignment import Encoded
from .base import Capability, can, capabilities_of
from .causal import Bos, CausalLM

CHOOSES = (Capability.CHOOSES_ANSWERS, Capability.SCORES_SEQUENCES, Capability.SCORES_MASKED_TOKENS)
"""Capabilities, any one of which suffices."""


def how_scored(model: Any) -> str:
    """Return what the scores of :func:`answer_scores` are, in words, for the record."""
    if can(model, Capability.CHOOSES_ANSWERS):
        return "by the model itself"
    how = "log-likelihood" if can(model, Capability.SCORES_SEQUENCES) else "pseudo-log-likelihood"
    return f"mean {how} of the answer's tokens after the prompt"


def answer_scores(model: Any, questions: Sequence[tuple[str, Sequence[str]]]) -> list[FloatArray | Skipped]:
    """Score the answers to every prompt, all questions in one run of the model.

    Args:
        model: a model with any of the capabilities :data:`CHOOSES`. Its own ``answer_scores`` is preferred.
        questions: the prompt and the answers of each question. Prompt and answer are joined by a space.

    Returns:
        Per question the scores of its answers, the higher the more likely, or why it has none: an answer
        without a token, or a text longer than the model reads.

    Raises:
        CapabilityError: the model cannot distinguish the tokens of an answer from the tokens of the prompt.

    Examples:
        >>> from evaluate_bias.models.table import TableMLM
        >>> model = TableMLM({"Who? [MASK]": {"1": {"Ann": 0.5, "Bob": 0.25}}})
        >>> np.exp(answer_scores(model, [("Who?", ["Ann", "Bob"])])[0]).round(2).tolist()
        [0.5, 0.25]
    """
    if can(model, Capability.CHOOSES_ANSWERS):
        given_scores = model.answer_scores(questions)
        return [s if isinstance(s, Skipped) else np.asarray(s, dtype=np.float64) for s in given_scores]
    pairs = [(prompt, f" {answer}") for prompt, answers in questions for answer in answers]
    flat = encoded_answers(model, pairs)
    readable = [item for item in flat if isinstance(item, Encoded)]
    if can(model, Capability.SCORES_SEQUENCES):
        logprobs = model.sequence_logprobs(readable)
    else:
        logprobs = model.pseudo_logprobs(readable)
    means = iter([float(np.mean(values)) for values in logprobs])
    scores = [item if isinstance(item, Skipped) else next(means) for item in flat]
    out: list[FloatArray | Skipped] = []
    start = 0
    for _, answers in questions:
        of_question = scores[start : start + len(answers)]
        start += len(answers)
        bad = next((score for score in of_question if isinstance(score, Skipped)), None)
        out.append(bad if bad is not None else np.array(of_question, dtype=np.float64))
    return out


def encoded_answers(
    model: Any, pairs: Sequence[tuple[str, str]], bos: Bos = "auto"
) -> list[Encoded | Skipped]:
    """Return prompt and answer as one text, of which the tokens of the answer count.

    ``bos`` says how the text begins with a model that is loaded here, see :data:`.causal.Bos`.
    """
    if isinstance(model, CausalLM):
        return model.encode_continuations(pairs, bos=bos)
    if can(model, Capability.SCORES_SEQUENCES) and hasattr(model, "encode_continuations"):
        return list(model.encode_continuations(pairs))
    if capabilities_of(model).isdisjoint(CHOOSES[1:]):
        raise CapabilityError(f"{getattr(model, 'name', model)!r} does not score answers")
    none = "the answer contains no token"
    items = zip(model.encode([p + a for p, a in pairs]), pairs, strict=True)
    return [i if isinstance(i, Skipped) else i.after(len(prompt), none) for i, (prompt, _) in items]
