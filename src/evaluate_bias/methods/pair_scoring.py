"""Scores of the two sentences of a pair, in every way the literature scores them.

Each scoring maps a model and pairs of sentences to two numbers a pair, or to a skip with its reason. The methods on
sentence pairs (CrowS-Pairs, PLL, AUL, AULA, KLDivS, robustness) differ in their scoring and in what they do
with the numbers. Ready scores can replace sentences.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..data.schemas import parse_row
from ..data.sentence_pairs import SentencePair
from ..errors import CapabilityError, InputError, UndefinedScoreError, quoted
from ..models.alignment import Encoded
from ..models.base import Capability, can, capabilities_of, require
from ..result import Coverage, Row, Skipped
from .rows import (
    PrecomputedScores,
    Repeats,
    checked_rows,
    find_repeats,
    finite,
    how_read,
    item_content,
    parsed_pairs,
    places_of,
    row_scores,
)
from .ties import EMPTY_TEXT

Scoring = Literal[
    "crows_pairs",
    "pll",
    "pll_mean",
    "within_word_l2r",
    "changed_tokens",
    "aul",
    "aula",
    "causal",
    "causal_mean",
]
SHARED_TOKENS: Final = "crows_pairs"
"""The scoring by the tokens that both sentences share."""
Pair: TypeAlias = SentencePair | Mapping[str, Any]

SCORINGS: Mapping[str, str] = {
    SHARED_TOKENS: "sum of log p of the shared tokens, each masked in turn (Nangia et al. 2020)",
    "pll": "sum of log p of all tokens, each masked in turn (pseudo-log-likelihood, Salazar et al. 2020)",
    "pll_mean": "pseudo-log-likelihood divided by the number of tokens",
    "within_word_l2r": "pseudo-log-likelihood with the later pieces of the word masked too (Kauf and Ivanova 2023)",
    "changed_tokens": "mean log p of the tokens that differ, each masked in turn (Meade et al. 2022)",
    "aul": "mean log p of all tokens, nothing masked (Kaneko and Bollegala 2022)",
    "aula": "as aul, each token weighted by the attention it receives (Kaneko and Bollegala 2022)",
    "causal": "sum of log p of every token given those before it",
    "causal_mean": "log-likelihood divided by the number of tokens",
}
"""What each scoring computes."""

NO_BIAS_TYPE = "without bias type"
"""Name of the group of the pairs that name no bias type."""

_SUMS = (SHARED_TOKENS, "pll", "within_word_l2r", "causal")
_SENTENCES = tuple(name for name in SentencePair.model_fields if name.startswith("sent_"))
_EXCLUDED = "excluded by its column 'exclude'"
_IDENTICAL = "the two sentences are identical"


@dataclass(frozen=True, slots=True)
class PairScores:
    """Scored pairs.

    Attributes:
        pairs: the scored pairs. Ready scores are next to pairs without sentences.
        more: scores of the more stereotypical sentences, shape (pairs,).
        less: scores of the less stereotypical sentences, shape (pairs,).
        skipped: pairs that could not be scored.
        warnings: the model's caveats.
        n_requested: number of pairs given.
        index: position of every scored pair in the data.
        lowered: whether the sentences were lower-cased, ``None`` if scores were given.
        scoring: the scoring, or that scores were given.
        start: of a causal model, the token that texts begin with, see :func:`start_setting`.
    """

    pairs: tuple[SentencePair, ...]
    more: NDArray[np.float64]
    less: NDArray[np.float64]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    n_requested: int
    index: tuple[int, ...]
    lowered: bool | None
    scoring: str
    start: Mapping[str, Any]

    @property
    def delta(self) -> NDArray[np.float64]:
        """Score of the more minus score of the less stereotypical sentence."""
        return self.more - self.less

    @property
    def repeats(self) -> Repeats:
        """The pairs that repeat another one: by their sentences, or by their id if their scores were given."""
        ready = self.lowered is None
        contents = zip(self.pairs, self.more.tolist(), self.less.tolist(), strict=True)
        keys = [(p.id, more, less) if ready else (p.sent_more, p.sent_less) for p, more, less in contents]
        kinds = [(p.bias_type, p.stereo_antistereo) for p in self.pairs]
        return find_repeats(list(zip(kinds, keys, strict=True)), "pairs")

    @property
    def coverage(self) -> Coverage:
        """Pairs scored of pairs given."""
        return Coverage(found=len(self.pairs), asked=self.n_requested)

    def settings(self) -> dict[str, Any]:
        """Return how the scores came about, as settings of a result."""
        return {"scoring": self.scoring, "lower": self.lowered, **self.start}

    def items(self, details: Sequence[Mapping[str, Any]] | None = None) -> tuple[Row, ...]:
        """Return every pair as a row, with further details of each."""
        rows = []
        for i, (pair, more, less) in enumerate(zip(self.pairs, self.more, self.less, strict=True)):
            numbers = {"score_more": more, "score_less": less, "delta": more - less}
            facts = {
                "stereo_antistereo": pair.stereo_antistereo,
                **numbers,
                **(details[i] if details else {}),
                **item_content(getattr(pair, c) for c in _SENTENCES),
            }
            rows.append(Row(name=pair.id, kind="item", labels={"bias_type": pair.bias_type}, details=facts))
        return tuple(rows)

    def bias_types(self) -> dict[str, list[int]]:
        """Positions of the pairs of every bias type, in the order of their first pair. Those without one come last."""
        rows = places_of(pair.bias_type or NO_BIAS_TYPE for pair in self.pairs)
        if NO_BIAS_TYPE in rows:
            rows[NO_BIAS_TYPE] = rows.pop(NO_BIAS_TYPE)
        return rows

    def named_bias_types(self) -> dict[str, list[int]]:
        """As :meth:`bias_types`, empty if no pair names one, so that there is nothing to break down."""
        rows = self.bias_types()
        return {} if list(rows) == [NO_BIAS_TYPE] else rows


def score_pairs(
    model: Any,
    data: Sequence[Pair],
    scoring: Scoring,
    *,
    method: str,
    chosen_by: tuple[str, str] | None = None,
    lower: bool | Literal["auto"] = "auto",
    columns: tuple[str, str] = ("sent_more", "sent_less"),
    only: Sequence[int] | None = None,
    keep_identical: bool = False,
) -> PairScores:
    """Score the pairs of a data set, or use the scores it already has.

    Args:
        model: a masked or, for ``causal``, a causal language model, ``None`` when the data contain scores.
        data: sentence pairs, or mappings with numbers instead of the sentences.
        scoring: one of :data:`SCORINGS`.
        method: name of the calling method, for error messages.
        chosen_by: the option of the method that names the scoring, and its value, by default ``scoring``
            itself.
        lower: lower-case the sentences first. ``"auto"`` does so for models that throw case away, as the
            reference code of CrowS-Pairs does.
        columns: names of the more and the less stereotypical sentence.
        only: positions of the pairs to score, by default all.
        keep_identical: score pairs of two identical sentences too, as ties.

    Raises:
        InputError: a score that is not finite, numbers together with a model or sentences without one.
        CapabilityError: the model cannot do this scoring.
        DataError: a row does not follow the schema.
        UndefinedScoreError: no pair, or none that can be scored.
    """
    rows = checked_rows(data, method)
    pairs, model = parsed_pairs(rows, method, _SENTENCES, partial(parse_row, SentencePair), model=model)
    chosen = range(len(rows)) if only is None else only
    skipped = {i: why for i in chosen if (why := _why_unscorable(pairs[i], columns)) is not None}
    usable = [i for i in chosen if i not in skipped]
    lowered: bool | None = bool(getattr(model, "is_uncased", False)) if lower == "auto" else lower

    def read() -> list[tuple[float, float] | tuple[str, str]]:
        _require_scorer(model, scoring, method, chosen_by or ("scoring", scoring))
        texts = [[getattr(pairs[i], column) for column in columns] for i in usable]
        if lowered:
            texts = [[text.lower() for text in both] for both in texts]
        return _model_scores(model, texts, scoring, columns, keep_identical)

    scores: dict[int, tuple[float, float]] = {}
    for i, (more, less) in zip(usable, row_scores(model, usable, columns, read), strict=True):
        if isinstance(more, str):
            skipped[i] = Skipped(pairs[i].id, more, less)
        elif not math.isfinite(more - less):
            what = f"the scores of pair {quoted(pairs[i].id)}, {more} and {less}"
            raise InputError(f"{method}: {what}, are too far apart to subtract")
        else:
            scores[i] = more, less
    if not scores:
        first = skipped[min(skipped)]
        raise UndefinedScoreError(
            f"none of the {len(chosen)} pairs can be scored. The first, {quoted(first.item)}: {first.reason}"
        )
    both = np.array(list(scores.values()), dtype=np.float64).T.copy()
    return PairScores(
        pairs=tuple(pairs[i] for i in scores),
        more=both[0],
        less=both[1],
        skipped=tuple(skipped[i] for i in sorted(skipped)),
        warnings=tuple(getattr(model, "warnings", ())),
        n_requested=len(chosen),
        index=tuple(scores),
        lowered=None if isinstance(model, PrecomputedScores) else lowered,
        scoring=how_read(model, scoring),
        start=start_setting(model),
    )


def readable_pairs(
    rows: Sequence[Pair], method: str, model: Any
) -> tuple[list[SentencePair], list[Skipped], Any]:
    """Return the pairs with two different sentences, the others with the reason, and the model that scores them.

    Raises:
        DataError: a row does not follow the schema.
    """
    pairs, model = parsed_pairs(rows, method, _SENTENCES, partial(parse_row, SentencePair), model=model)
    readable, skipped = [], []
    for pair in pairs:
        if why := _why_unscorable(pair, ("sent_more", "sent_less")):
            skipped.append(why)
        elif pair.sent_more == pair.sent_less:
            skipped.append(Skipped(pair.id, _IDENTICAL))
        else:
            readable.append(pair)
    return readable, skipped, model


def start_setting(model: Any) -> dict[str, Any]:
    """Return the token that the texts of a causal model begin with, as a setting, nothing for other models."""
    return {"start_token": model.start_token} if hasattr(model, "start_token") else {}


def _why_unscorable(pair: SentencePair, columns: tuple[str, str]) -> Skipped | None:
    """Return why a pair cannot be scored, if the row alone tells."""
    if pair.exclude:
        return Skipped(pair.id, _EXCLUDED)
    for column in columns:
        text = getattr(pair, column)
        if not text:
            return Skipped(pair.id, f"has no {column}" if text is None else EMPTY_TEXT, column)
    return None


def _require_scorer(model: Any, scoring: Scoring, method: str, chosen_by: tuple[str, str]) -> None:
    """Check that the model can do the scoring. For a causal model the error names the methods for it."""
    option, value = chosen_by
    scores = capabilities_of(model) & {Capability.SCORES_SEQUENCES, Capability.SCORES_MASKED_TOKENS}
    if can(model, Capability.CHATS) and not scores:
        raise CapabilityError(
            f"{method}: `{option}` {value!r} scores texts, and {model.name} only answers questions",
            option=option,
            hint="use crows_pairs with `variant` set to 'choice', a model that is loaded here, or "
            "endpoint:URL#NAME, whose server gives log-probabilities of its prompts",
        )
    if scoring.startswith("causal"):
        require(model, (Capability.SCORES_SEQUENCES,), method)
        return
    if scores == {Capability.SCORES_SEQUENCES}:
        raise CapabilityError(
            f"{method}: `{option}` {value!r} needs a model with a masked-LM head, and {model.name} is a causal one",
            option=option,
            hint="use crows_pairs with `variant` set to 'causal' (or 'choice' for a chat model), or kldivs or "
            "pll_robustness with `scoring` set to 'causal'",
        )
    require(model, (Capability.SCORES_MASKED_TOKENS,), method)
    if scoring == "aula" and not hasattr(model, "attended_logprobs"):
        raise CapabilityError(
            f"aula needs attention weights and {model.name} gives none",
            option="scoring",
            hint="set `scoring` to 'aul'",
        )


def _model_scores(
    model: Any,
    texts: Sequence[Sequence[str]],
    scoring: Scoring,
    columns: tuple[str, str],
    keep_identical: bool,
) -> list[tuple[float, float] | tuple[str, str]]:
    """Return both scores of every pair, or the reason why it has none and where that lies."""
    encoded = iter(model.encode([text for both in texts for text in both]))
    reasons: list[tuple[str, str]] = []
    flat: list[Encoded] = []
    positions: list[list[int]] = []
    for more, less in texts:
        both = next(encoded), next(encoded)
        chosen: tuple[Sequence[int], Sequence[int]] = ((), ())
        if scoring in (SHARED_TOKENS, "changed_tokens") and not any(isinstance(e, Skipped) for e in both):
            chosen = (shared_positions if scoring == SHARED_TOKENS else changed_positions)(*both)
        reason, where = "", ""
        if bad := [k for k in (0, 1) if isinstance(both[k], Skipped)]:
            reason, where = both[bad[0]].reason, columns[bad[0]]
        elif more == less and not keep_identical:
            reason = _IDENTICAL
        elif scoring == SHARED_TOKENS and not chosen[0]:
            reason = "the two sentences share no token"
        elif scoring == "changed_tokens" and not all(chosen):
            reason = "has no token that the other sentence lacks, so nothing changed to score"
            where = columns[0 if not chosen[0] else 1]
        else:
            flat += both
            positions += map(list, chosen)
        reasons.append((reason, where))
    reduce = np.sum if scoring in _SUMS else np.mean
    values = np.array([reduce(v) for v in _token_scores(model, scoring, flat, positions)])
    scores = iter(finite(model, values).tolist())
    return [why if why[0] else (next(scores), next(scores)) for why in reasons]


def _token_scores(model: Any, scoring: Scoring, texts: list[Encoded], positions: list[list[int]]) -> Any:
    """Return the numbers that are added up or averaged, one array a text."""
    if not texts:
        return []
    match scoring:
        case "crows_pairs" | "changed_tokens":
            return model.pseudo_logprobs(texts, positions)
        case "within_word_l2r":
            return model.pseudo_logprobs(texts, "within_word_l2r")
        case "causal" | "causal_mean":
            return model.sequence_logprobs(texts)
        case "aul":
            return model.token_logprobs(texts)
        case "aula":
            return [p * a for p, a in model.attended_logprobs(texts)]
        case "pll" | "pll_mean":
            return model.pseudo_logprobs(texts)


def shared_positions(first: Encoded, second: Encoded) -> tuple[list[int], list[int]]:
    """Positions of the tokens that two texts share, by longest-match alignment.

    The alignment is from :class:`difflib.SequenceMatcher` (its "equal" blocks) on all tokens, special ones
    included: these anchor the two ends, as in the reference code of CrowS-Pairs. Of the shared tokens, those that
    either tokenizer mask calls special are then omitted.

    Examples:
        >>> a = Encoded("she is a nurse", (2, 10, 11, 12, 13, 3), (1, 2, 3, 4))
        >>> b = Encoded("he is a nurse", (2, 20, 11, 12, 13, 3), (1, 2, 3, 4))
        >>> shared_positions(a, b)
        ([2, 3, 4], [2, 3, 4])

        Special tokens decide which of two equal tokens is shared: here the last, next to the end.

        >>> shared_positions(Encoded("s .", (2, 7, 5, 3), (1, 2)), Encoded("s . .", (2, 8, 5, 5, 3), (1, 2, 3)))
        ([2], [3])
    """
    matcher = difflib.SequenceMatcher(None, first.ids, second.ids, autojunk=False)
    ours, theirs = set(first.positions), set(second.positions)
    both = [
        (block.a + k, block.b + k)
        for block in matcher.get_matching_blocks()
        for k in range(block.size)
        if block.a + k in ours and block.b + k in theirs
    ]
    return [a for a, _ in both], [b for _, b in both]


def changed_positions(first: Encoded, second: Encoded) -> tuple[list[int], list[int]]:
    """Positions of the tokens that are not shared, see :func:`shared_positions`."""
    ours, theirs = (set(positions) for positions in shared_positions(first, second))
    return [p for p in first.positions if p not in ours], [p for p in second.positions if p not in theirs]
