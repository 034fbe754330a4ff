"""Sentences with a female and with a male pronoun: WinoBias, Winogender, the packaged ones, and the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ..errors import DataError, quoted
from ..result import Skipped
from .answer_files import is_log, refuse_unknown
from .load import SourcedTable, checked_rows, find_table, loader, with_id
from .pair_flags import pair_flags
from .pair_flags import without_flags as leave_out_flagged
from .row_set import RowSet
from .schemas import Schema, parse_row
from .table_files import Row

PACKAGED = "winobias_style"
PRONOUNS: Mapping[str, frozenset[str]] = {
    "female": frozenset({"she", "her", "hers", "herself"}),
    "male": frozenset({"he", "him", "his", "himself"}),
}
"""English pronouns by gender."""

_Sentence = Annotated[str, AfterValidator(str.strip)]


class PronounPair(Schema):
    """A sentence about a profession with a female pronoun, and the same with a male one.

    Attributes:
        id: name of the pair, unique within a data set; its position, counted from 0, where the file has none.
        sentence_female, sentence_male: the two sentences; ``None`` where there is no such sentence.
        sentence_neutral: the same with a neutral pronoun, such as "they".
        stereotype: whom a stereotype expects as the person the pronoun stands for: the sentence with that pronoun is
            the pro-stereotypical one. ``None`` when unknown.
        profession: the person the pronoun stands for, such as ``"nurse"``; empty when unknown.
        other: the other person of the sentence, whom the pronoun does not stand for; empty when unknown.
        women_share: share of women in the profession, in [0, 1].
        type: kind of sentence: ``"type1"`` and ``"type2"`` in WinoBias; in Winogender ``"occupation"`` where the
            pronoun stands for the person with the occupation and ``"participant"`` where it stands for the other.
        prediction_female, prediction_male: what a coreference system took the pronoun of each sentence to stand for.
        language: language tag.

    Examples:
        >>> as_pronoun_pair({"sentence_female": "The nurse said she was ill.",
        ...                  "sentence_male": "The nurse said he was ill.", "stereotype": "female"}).profession
        ''
    """

    id: str = ""
    sentence_female: _Sentence | None = None
    sentence_male: _Sentence | None = None
    sentence_neutral: _Sentence | None = None
    stereotype: Literal["female", "male"] | None = None
    profession: str = ""
    other: str = ""
    women_share: float | None = Field(default=None, ge=0, le=1)
    type: str = ""
    prediction_female: str | None = None
    prediction_male: str | None = None
    language: str = "en"

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the pair, see :func:`~evaluate_bias.data.pair_flags.pair_flags`."""
        return pair_flags(self.sentence_female or "", self.sentence_male or "", self.language)


def as_pronoun_pair(row: PronounPair | Mapping[str, Any], where: str = "pair") -> PronounPair:
    """Check one row and return it as a :class:`PronounPair`; ``None`` and NaN are absent.

    Raises:
        DataError: a field is unknown, or not what it must be.
    """
    return parse_row(PronounPair, row, where)


@loader
def load_pronoun_pairs(
    source: str | Path | None = None,
    *,
    split: str = "test",
    types: str | Iterable[str] | None = None,
    without_flags: str | Iterable[str] | None = None,
    language: str = "en",
) -> RowSet[PronounPair]:
    """Load pairs of sentences that differ in their pronoun.

    Args:
        source: where to read from.

            - ``"winobias"`` (Zhao et al. 2018) and ``"winogender"`` (Rudinger et al. 2018), from the cache; built on
              first use from their pinned sources. Winogender has the share of women in every occupation.
            - ``None``: the pairs packaged with this library: illustrative, not validated.
            - a file, a folder or a Hub data set with the columns of :class:`PronounPair`.
            - samples that lm-eval logged of its task ``winogender``, which are joined with the published pairs; what it
              answered is ``prediction_female`` and ``prediction_male``.
        split: ``"dev"`` or ``"test"`` of WinoBias; others have only ``"test"``.
        types: kinds of sentences wanted, such as ``"type1"``, or ``"occupation"`` of Winogender; ``None`` for all.
        without_flags: flags of pairs to leave out, see :data:`~evaluate_bias.data.pair_flags.FLAGS`; ``"any"``: every
            pair that has one; ``None``: leave out none.
        language: language tag, or name of a file in a folder without its ending.

    Raises:
        UnknownNameError: the source has no such split, language or type.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> pairs = load_pronoun_pairs()
        >>> len(pairs), pairs.provenance["source"], pairs[0].stereotype
        (24, 'winobias_style', 'female')
    """
    table = find_table(PACKAGED if source is None else source, language, split=split)
    if is_log(table.rows) and "sentid" in table.rows[0]:
        table = _join_log(table)
    checked = checked_rows(PronounPair, table, language, prepare=with_id, key=lambda pair: pair.id)
    pairs = leave_out_flagged(RowSet(*checked), without_flags)
    names = types if types is None or isinstance(types, str) else list(types)
    pairs = pairs.where("type", names, "type of sentence", "types")
    if names is None:
        return pairs
    # A score on a part must not pass for one on the whole data set.
    part = [names] if isinstance(names, str) else names
    return replace(pairs, provenance={**pairs.provenance, "types": part})


def _join_log(table: SourcedTable) -> SourcedTable:
    """Return the published pairs of Winogender that the samples of a log answer, with the answers as predictions.

    Raises:
        DataError: there is no published sentence for a sample, or a sentence has two answers.
        AssetError: the published data set could not be obtained.
    """
    published = {row["id"]: row for row in find_table("winogender", "en").rows}
    pairs: dict[str, Row] = {}
    unknown, neutral = [], 0
    for row in table.rows:
        *parts, gender = str(row["sentid"]).removesuffix(".txt").split(".")
        name = ".".join(parts)
        sentence = published.get(name, {}).get(f"sentence_{gender}")
        if name in published and gender == "neutral":
            neutral += 1
        elif sentence is None or sentence != str(row.get("sentence")).strip():
            unknown.append(f"{row['sentid']} with another text" if sentence else str(row["sentid"]))
        elif f"prediction_{gender}" in (pair := pairs.setdefault(name, {})):
            raise DataError(
                f"{table.name} has two answers to {quoted(row['sentid'])}", hint="give a log of one run"
            )
        else:
            pair |= {f"prediction_{gender}": row["answer"]}
    fields = "`sentid` and `sentence`"
    refuse_unknown(table.name, unknown, len(table.rows), "Winogender", list(published), fields)
    if not pairs:
        raise DataError(f"{table.name} has neutral pronouns only", hint="give those of all genders")
    reason = "sentences with a neutral pronoun belong to no pair"
    skipped = (*table.skipped, Skipped(f"{neutral} sentences", reason)) if neutral else table.skipped
    part = {"subset": f"{len(pairs)} of {len(published)} pairs"} if len(pairs) < len(published) else {}
    rows = [{**published[name], **answers} for name, answers in pairs.items()]
    provenance = {**table.provenance, "name": "winogender", **part}
    return replace(table, rows=rows, skipped=skipped, provenance=provenance)
