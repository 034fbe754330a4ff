"""How frequent words are: by a table, the counts of a corpus, or their rank in a vocabulary."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ....errors import InputError, quoted
from ...rows import is_score
from ...word_lists.inputs import forms_of


def log_frequencies(
    model: Any, words: Sequence[str], given: Mapping[str, float] | None
) -> tuple[dict[str, float], str]:
    """Decimal logarithms of the frequencies of words, and where they are from; words without one are absent.

    Args:
        model: a corpus, whose counts are taken, or a model that lists its words, whose ranks are: the frequency of the
            word at rank r is taken to be as 1 / r (Zipf).
        words: the words.
        given: frequencies by word, in any unit; these are taken instead.

    Raises:
        InputError: a given frequency is no number of at least 0, or the model neither counts nor lists words.

    Examples:
        >>> log_frequencies(None, ["she", "he", "xe"], {"she": 100, "he": 1000})
        ({'she': 2.0, 'he': 3.0}, 'given')
    """
    if given is not None:
        return _logarithms({word: given[word] for word in words if word in given}), "given"
    if hasattr(model, "cooccurrences"):
        counted = model.cooccurrences({"seeds": list(dict.fromkeys(words))}, [], window=1).frequency
        return _logarithms({word: counted[word] for word in words}), f"counts of {model.name}"
    listed = getattr(model, "words", None)
    if listed is None:
        raise InputError(
            f"{getattr(model, 'name', 'the model')} does not list its words by frequency: "
            "give frequencies={word: count}"
        )
    forms = forms_of(model, list(dict.fromkeys(words)))
    wanted = set(forms.values())
    ranks: dict[str, int] = {}
    for rank, word in enumerate(listed() if callable(listed) else listed, 1):
        if word in wanted:
            ranks.setdefault(word, rank)
            if len(ranks) == len(wanted):
                break
    return {
        w: -math.log10(ranks[form]) for w, form in forms.items() if form in ranks
    }, f"ranks of {model.name}"


def _logarithms(frequencies: Mapping[str, Any]) -> dict[str, float]:
    for word, value in frequencies.items():
        if not (is_score(value) and 0 <= value <= sys.float_info.max):
            raise InputError(
                f"the frequency of {quoted(word)} must be a number, 0 or more, not {quoted(value)}"
            )
    return {word: math.log10(value) for word, value in frequencies.items() if value > 0}
