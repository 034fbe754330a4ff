"""Token sets at one mask: which of two sets of words does a masked model find more likely? (Maddalozzo 2023)"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .... import stats
from ....data.stereoset import BLANK, TokenSetItem
from ....data.templates import Filled
from ....errors import quoted
from ....method import Finding, method
from ....models.base import MaskedScorer
from ....models.masked import MaskedRequest
from ....result import Coverage, Sampled, Skipped
from ....text import row_place
from ...rows import checked_rows, find_repeats, item_content, nothing_left, parsed_row, percent
from ...template_filling import Cloze, read_words, word_logprobs
from ..preference import preference
from ..shared import Counting
from .record import RECORD

_SETS = ("stereotypical", "anti_stereotypical")
_UNRELATED = "unrelated"


@method(RECORD)
def evaluate(
    model: MaskedScorer,
    data: Sequence[TokenSetItem | Mapping[str, Any]],
    *,
    inference: Counting,
) -> Finding:
    """Share of sentences in whose blank the stereotypical words have more probability, in percent.

    P(set) is the sum of p(word | the sentence with a mask in its blank) over the words of a set that are one token to
    the model. The others are listed, as is a word of both sets. Words that are the same token, such as "she"
    and "She" to an uncased model, are one word. A sentence one of whose sets has no word left is omitted.
    ``preset="thesis"`` counts a sentence as stereotypical also if both sets are equally likely.

    Args:
        model: a masked language model.
        data: items, or mappings with ``text`` (the blank written BLANK), ``stereotypical``, ``anti_stereotypical`` and,
            if there are any, ``unrelated`` words.

    Returns:
        Score in percent, 0 to 100, 50 is ideal, less if there are ties. ``estimates["mean_delta"]`` is the
        mean log ratio of the two probabilities with its interval. ``estimates["lms"]`` is the share of the
        sentences with unrelated words, in percent, in which the two sets together have more probability than
        the unrelated words (Maddalozzo 2023, E^Stereo). A model that prefers nothing has 66.7 if every set
        has one word. The rows are every bias type, and every sentence with the logarithms of both.

    Raises:
        CapabilityError: the model does not score masked tokens.
        DataError: an item has no blank or lacks a set.
        UndefinedScoreError: no item can be scored, all items are ties, or the z test of all items is undefined because
            the model prefers the same side in each.

    References:
        Maddalozzo (2023), thesis, section 4.1.2.
    """
    rows = checked_rows(data, RECORD.name)
    items = [parsed_row(TokenSetItem, row, i, row_place(i, len(rows), "item")) for i, row in enumerate(rows)]
    pairs, scored, related, skipped = _log_probabilities(model, items)
    if not pairs:
        raise nothing_left(f"none of the {len(items)} items can be scored", skipped)
    repeats = find_repeats(scored, "sentences")
    finding = preference(
        RECORD.name, None, pairs, "pll", inference, ties_won=inference.preset == "thesis", repeats=repeats
    )
    lms = stats.wilson_interval(sum(related), len(related), inference.confidence_level) if related else None
    texts = {
        item.id: item_content((item.text, *item.stereotypical, *item.anti_stereotypical)) for item in scored
    }
    return dataclasses.replace(
        finding,
        rows=[
            dataclasses.replace(row, details={**row.details, **texts[row.name]})
            if row.kind == "item"
            else row
            for row in finding.rows
        ],
        sampled=Sampled(("sentences",)),
        estimates={
            **finding.estimates,
            **({"lms": percent(lms)} if lms else {}),
        },
        coverage=Coverage(len(pairs), len(items)),
        skipped=(*skipped, *finding.skipped),
        details={**finding.details, **({"n_unrelated": len(related)} if related else {})},
        settings={"p_method": inference.p_method, "ties": inference.ties},
    )


def _log_probabilities(
    model: Any, items: Sequence[TokenSetItem]
) -> tuple[list[dict[str, Any]], list[TokenSetItem], list[bool], list[Skipped]]:
    """Return log P of both sets, as the scores of a pair, and the items that can be scored.

    The third part says whether both together are more likely than the unrelated words, for items that have some. The
    last is what cannot be scored.
    """
    names = (*_SETS, _UNRELATED)
    cells = [
        (i, name, word) for i, item in enumerate(items) for name in names for word in getattr(item, name)
    ]
    skipped: list[Skipped] = []
    sets: dict[tuple[int, str], dict[int, tuple[str, MaskedRequest]]] = {}
    for (i, name, word), cloze in zip(
        cells, read_words(model, [_filled(items[i].text, word) for i, _, word in cells]), strict=True
    ):
        words = sets.setdefault((i, name), {})
        reason = cloze if isinstance(cloze, str) else ""
        if isinstance(cloze, Cloze):
            # Of words that are one token to the model, such as "she" and "She", p is the same event's: it counts once.
            token = cloze.encoded.ids[cloze.pieces["mask"][0]]
            if len(cloze.pieces["mask"]) > 1:
                reason = "is not one token to this model"
            elif token in words:
                reason = f"the same token as {quoted(words[token][0])}, counted once"
            else:
                words[token] = word, cloze.requests("mask")[0]
        if reason:
            skipped.append(Skipped(word, reason, f"{items[i].id}/{name}"))
    for i, item in enumerate(items):
        first, second, unrelated = (sets.get((i, name), {}) for name in names)
        for token in [token for token in first if token in second]:
            for name, words in zip(_SETS, (first, second), strict=True):
                skipped.append(Skipped(words.pop(token)[0], "is in both sets", f"{item.id}/{name}"))
        for token in [token for token in unrelated if token in first or token in second]:
            reason = "is also in another set"
            skipped.append(Skipped(unrelated.pop(token)[0], reason, f"{item.id}/{_UNRELATED}"))
    values = iter(word_logprobs(model, [[r] for words in sets.values() for _, r in words.values()]).tolist())
    # log P(set) = log Σ exp log p(word), over the words of the set
    sums = {
        place: float(np.logaddexp.reduce([next(values) for _ in words]))
        for place, words in sets.items()
        if words
    }
    pairs, scored, related = [], [], []
    for i, item in enumerate(items):
        if lacking := [name for name in _SETS if (i, name) not in sums]:
            why = "can be read" if getattr(item, lacking[0]) else "was given"
            skipped.append(Skipped(item.id, f"no word of its set {lacking[0]} {why}", "items"))
            continue
        scores = dict(zip(("sent_more", "sent_less"), (sums[i, name] for name in _SETS), strict=True))
        scored.append(item)
        pairs.append({"id": item.id, "bias_type": item.bias_type, **scores})
        if (i, _UNRELATED) in sums:
            together = float(np.logaddexp(scores["sent_more"], scores["sent_less"]))
            related.append(together > sums[i, _UNRELATED])
    return pairs, scored, related, skipped


def _filled(text: str, word: str) -> Filled:
    start = text.index(BLANK)
    return Filled(text.replace(BLANK, word), {"mask": (start, start + len(word))}, {"mask": word})
