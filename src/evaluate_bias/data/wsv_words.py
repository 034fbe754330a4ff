"""Words of a WSV map: protected words, which fit it, and words to evaluate, which are placed in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import FiniteFloat

from ..errors import InputError
from .load import load_rows, loader
from .professions import load_gendered_words, load_occupations
from .row_set import RowSet
from .schemas import Schema, TidyText

KINDS = ("pronoun", "person", "kinship", "title", "role")
"""Kinds of gendered words that fit the default map: all but names."""

DEFAULT_STATISTIC: Literal["women_bls"] = "women_bls"
_LABELS = {
    "women_bls": "share of women (USA, BLS 2015-2016)",
    "women_bergsma": "share of feminine mentions (Bergsma and Lin 2006)",
}


class WsvWord(Schema):
    """One word: a protected one, with its class, or one to evaluate, with a statistic where it is known.

    Attributes:
        word: the word.
        group: class of a protected word, such as ``"female"``; empty for a word to evaluate.
        statistic: of a word to evaluate: a number of the world, such as the share of women in an occupation.
        statistic_label: what the number is; the same for all rows.
        language: language tag.
        source: where the row comes from.

    Examples:
        >>> WsvWord(word="nurse", statistic=89.6).group
        ''
    """

    word: TidyText
    group: str = ""
    statistic: FiniteFloat | None = None
    statistic_label: str = ""
    language: str = "und"
    source: str = ""


@loader
def load_wsv_words(
    source: str | Path | None = None,
    *,
    language: str = "en",
    statistic: Literal["women_bls", "women_bergsma"] = DEFAULT_STATISTIC,
    kinds: str | Iterable[str] = KINDS,
) -> RowSet[WsvWord]:
    """Load words for a map of gender: gendered words that fit it, and the occupations of Winogender with a statistic.

    Args:
        source: ``None`` for the packaged words; or a file, a folder or a Hub id with the columns of :class:`WsvWord`,
            to which ``statistic`` and ``kinds`` do not apply.
        language: language tag; the packaged occupations are English.
        statistic: ``"women_bls"``, the share of women in the occupation, or ``"women_bergsma"``, the share of feminine
            mentions in text.
        kinds: kinds of gendered words, see :class:`~evaluate_bias.data.professions.GenderedPair`.

    Raises:
        UnknownNameError: the source has no such language, or there is no such kind of words.
        InputError: no such statistic.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> words = load_wsv_words()
        >>> [(w.word, w.group) for w in words[:2]], words[-1].word, words[-1].statistic
        ([('she', 'female'), ('he', 'male')], 'secretary', 0.946)
    """
    if source is not None:
        if (statistic, kinds) != (DEFAULT_STATISTIC, KINDS):
            raise InputError(
                "statistic and kinds choose packaged words; leave them out where source is given"
            )
        return load_rows(WsvWord, "wsv_words", language, source)
    if statistic not in _LABELS:
        raise InputError(f"statistic must be one of {', '.join(_LABELS)}, not {statistic!r}")
    pairs = load_gendered_words(language, kinds=kinds)
    occupations = load_occupations(language=language)
    groups = dict.fromkeys(
        (word, group) for pair in pairs for word, group in ((pair.female, "female"), (pair.male, "male"))
    )
    rows = [WsvWord(word=word, group=group, language=language) for word, group in groups]
    rows += [
        WsvWord(
            word=occupation.word,
            statistic=getattr(occupation, statistic),
            statistic_label=_LABELS[statistic],
            language=language,
            source=occupation.source,
        )
        for occupation in occupations
    ]
    provenance = {**occupations.provenance, "protected": dict(pairs.provenance), "statistic": statistic}
    return RowSet(tuple(rows), provenance, (*pairs.skipped, *occupations.skipped))
