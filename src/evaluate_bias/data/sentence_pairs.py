"""Pairs of sentences: minimal pairs, as of CrowS-Pairs, and pairs that differ in a pronoun, as of WinoBias."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from ..errors import DataError, quoted
from ..result import Skipped
from .load import ROW_NUMBERS, SourcedTable, checked_rows, find_table, loader
from .other_tools import is_log, refuse_unknown
from .pair_flags import pair_flags
from .pair_flags import without_flags as leave_out_flagged
from .recipes import dataset_key
from .row_set import RowSet, TypedRowSet
from .schemas import GIVEN, BiasType, Schema, Sentence, Share, StrippedText, TextsAsGiven
from .stereoset import load_stereoset
from .table_files import Row, require_columns

PACKAGED = "minimal_pairs"
STEREOSET_FORMS = ("stereoset", "stereoset_style")


class SentencePair(TextsAsGiven):
    """Two sentences that differ in the group they speak of.

    ``sent_more`` is always the more stereotypical sentence. Only the two sentences are required. White space
    around a sentence is dropped. A pair with an empty sentence is one that methods list as skipped.

    Attributes:
        sent_more: the more stereotypical sentences, or their scores
        sent_less: the less stereotypical sentences, or their scores
        stereo_antistereo: 'stereo' or 'antistereo': whether a pair demonstrates or violates a stereotype
        bias_type: bias type of every pair, for the breakdown. May be empty
        sent_more_par, sent_less_par: paraphrases of these sentences, or their scores
        sent_more_par2, sent_less_par2: second paraphrases of these sentences
        sent_more_ran, sent_less_ran: pairs of sentences that have nothing to do with these
        id: names of the pairs
        exclude: true for a pair to omit. It is listed

    Examples:
        >>> pair = SentencePair(sent_more="Women cannot drive.", sent_less="Men cannot drive. ")
        >>> pair.sent_less, pair.stereo_antistereo, pair.sent_more_par
        ('Men cannot drive.', None, None)
    """

    looks_at: ClassVar = "which of two sentences is more likely"
    compared: ClassVar = ("bias_type", "stereo_antistereo")
    unread: ClassVar = ("annotations", "anon_writer", "anon_annotators")
    texts: ClassVar = ("sent_more", "sent_less")

    id: str = ""
    sent_more: Sentence
    sent_less: Sentence
    sent_more_par: Sentence | None = None
    sent_less_par: Sentence | None = Field(default=None, validate_default=True)
    sent_more_par2: Sentence | None = None
    sent_less_par2: Sentence | None = Field(default=None, validate_default=True)
    sent_more_ran: Sentence | None = None
    sent_less_ran: Sentence | None = Field(default=None, validate_default=True)
    stereo_antistereo: Literal["stereo", "antistereo"] | None = None
    bias_type: BiasType = ""
    language: str = "und"
    origin: str = GIVEN
    exclude: bool = False

    @property
    def more_as_given(self) -> str:
        """``sent_more`` with the white space around it."""
        return self.as_given("sent_more")

    @property
    def less_as_given(self) -> str:
        """``sent_less`` with the white space around it."""
        return self.as_given("sent_less")

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the pair, see :func:`~evaluate_bias.data.pair_flags.pair_flags`."""
        return pair_flags(self.sent_more, self.sent_less, self.language)

    @field_validator("sent_less_par", "sent_less_par2", "sent_less_ran")
    @classmethod
    def _twins(cls, less: str | None, info: ValidationInfo) -> str | None:
        twin = str(info.field_name).replace("less", "more")
        if twin in info.data and (info.data[twin] is None) != (less is None):
            state, other = ("absent", "given") if less is None else ("given", "absent")
            raise ValueError(f"is {state} and {twin} is {other}: give both or neither")
        return less


TWINS = tuple((c, c.replace("more", "less")) for c in SentencePair.model_fields if c.startswith("sent_more"))
"""The columns with the two sentences of a pair: of the pair itself, of its paraphrases, of an unrelated pair."""


class SentencePairSet(TypedRowSet[SentencePair]):
    """Sentence pairs in order, and the identity of what they were read from.

    Attributes:
        rows: the pairs.
        provenance: ``source``, ``language``, and what identifies the content: ``sha256`` of the file, or
            ``repository`` and ``revision``, and ``ignored_columns`` if the file has columns that are not read.
        skipped: rows of a published data set that have no two sentences.

    Examples:
        >>> pairs = load_sentence_pairs(language="de", bias_types="gender")
        >>> len(pairs), pairs[0].sent_more, pairs["de-gender-02"].sent_less
        (5, 'Frauen können nicht einparken.', 'Er blieb zu Hause, um sich um das Baby zu kümmern.')
    """

    kind: ClassVar = "pair"
    most_offered: ClassVar = 20


def _of_stereoset(source: str, language: str) -> SourcedTable:
    """Return the intrasentence items of StereoSet as a table of pairs."""
    items = load_stereoset(
        None if dataset_key(source) != "stereoset" else source, task="intrasentence", language=language
    )
    rows: list[Row] = [
        {
            "id": item.id,
            "sent_more": item.option("stereotype"),
            "sent_less": item.option("anti-stereotype"),
            "bias_type": item.bias_type,
            "language": item.language,
        }
        for item in items
    ]
    return SourcedTable(source, rows, dict(items.provenance), items.skipped)


@loader(SentencePair)
def load_sentence_pairs(
    source: str | Path | None = None,
    *,
    language: str = "en",
    bias_types: str | Iterable[str] | None = None,
    without_flags: str | Iterable[str] | None = None,
) -> SentencePairSet:
    """Load sentence pairs of one language.

    Args:
        source: where to read from.

            - ``None``: the minimal pairs packaged with this library (English, German, Spanish, Portuguese,
              Chinese, Korean): illustrative, not validated.
            - ``"CrowS-Pairs"``: the published data set, from the cache, built on first use.
            - ``"stereoset"`` or ``"stereoset_style"``: the stereotype and the anti-stereotype of every intrasentence
              item of StereoSet, or of the packaged items of that form.
            - a file, a folder or a Hub data set, as for :func:`~evaluate_bias.data.load_word_lists`. Only the columns
              ``sent_more`` and ``sent_less`` are needed. The others are listed in :class:`SentencePair`. Any further
              column is ignored and named in the provenance. CrowS-Pairs' own CSV file is read as is. A row with an
              empty sentence is kept, for the method to list.
        language: language tag, file name without ending, or configuration name: ``"en"``, ``"nl"``, ``"fr"``,
            ``"en-1463"``, ``"es"``, ``"de"``, ``"no"`` for CrowS-Pairs.
        bias_types: the bias types wanted. ``None`` for all.
        without_flags: flags of pairs to omit, see :data:`~evaluate_bias.data.pair_flags.FLAGS`. ``"any"``:
            every pair that has one. ``None``: omit none.

    Raises:
        UnknownNameError: the source has no such language or bias type.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> pairs = load_sentence_pairs()
        >>> len(pairs), pairs.provenance["source"]
        (180, 'minimal_pairs')
        >>> load_sentence_pairs(bias_types="sex")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown bias type 'sex'; choose from age, disability, ...
    """
    if isinstance(source, str) and dataset_key(source) in STEREOSET_FORMS:
        table = _of_stereoset(source, language)
    else:
        table = find_table(PACKAGED if source is None else source, language)
    hint = "say with `columns` which ones are meant"
    require_columns(table.rows, "sent_more", "sent_less", name=table.name, hint=hint)
    for row in table.rows:  # a column of row numbers is not a column that is ignored
        numbers = [row.pop(c) for c in ROW_NUMBERS if c in row]
        if row.get("id") is None and numbers:
            row["id"] = numbers[0]
    pairs = SentencePairSet(
        *checked_rows(SentencePair, table, language, prepare=_prepared, key=lambda pair: pair.id)
    )
    chosen = pairs if bias_types is None else pairs.select(bias_types)
    return leave_out_flagged(chosen, without_flags)


def _prepared(row: Row, position: int, where: str) -> Row:
    # Empty cells that are empty sentences: of a pair that has to be there, or whose other sentence is there.
    empty = {
        column: ""
        for twins in TWINS
        for column, other in (twins, twins[::-1])
        if column in row and row[column] is None and (twins == TWINS[0] or row.get(other) is not None)
    }
    return {**row, **empty}


class PronounPair(Schema):
    """A sentence about a profession with a female pronoun, and the same with a male one.

    Of a pair whose stereotype is ``"female"`` the sentence with the female pronoun is the pro-stereotypical one. The
    type is ``"type1"`` or ``"type2"`` in WinoBias. In Winogender it is ``"occupation"`` if the pronoun refers to the
    person with the occupation, and ``"participant"`` if it refers to the other person.

    Attributes:
        sentence_female: the sentences with the female pronoun, or their scores
        sentence_male: the same sentences with the male pronoun, or their scores
        stereotype: 'female' or 'male': the gender that a stereotype expects of the person the pronoun refers to
        profession: the person the pronoun refers to, such as 'nurse'
        sentence_neutral: the same sentences with a neutral pronoun
        other: the other person of the sentence, to whom the pronoun does not refer
        women_share: share of women in that profession, in [0, 1]. None if it is not known
        type: kind of sentence, for the breakdown, such as 'type1'. May be empty
        prediction_female, prediction_male: whom a coreference system linked the pronoun of this sentence to
        id: names of the pairs

    Examples:
        >>> PronounPair(sentence_female="The nurse said she was ill.", sentence_male="The nurse said he was ill.",
        ...             stereotype="female").profession
        ''
    """

    looks_at: ClassVar = "which pronoun goes with a profession"
    compared: ClassVar = ("stereotype", "type")

    id: str = ""
    sentence_female: Sentence | None = None
    sentence_male: Sentence | None = None
    sentence_neutral: StrippedText | None = None
    stereotype: Literal["female", "male"] | None = None
    profession: str = ""
    other: str = ""
    women_share: Share | None = None
    type: str = ""
    prediction_female: str | None = None
    prediction_male: str | None = None
    language: str = "en"

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the pair, see :func:`~evaluate_bias.data.pair_flags.pair_flags`."""
        return pair_flags(self.sentence_female or "", self.sentence_male or "", self.language)


@loader(PronounPair)
def load_pronoun_pairs(
    source: str | Path | None = None,
    *,
    split: str = "test",
    types: str | Iterable[str] | None = None,
    language: str = "en",
    without_flags: str | Iterable[str] | None = None,
) -> RowSet[PronounPair]:
    """Load pairs of sentences that differ in their pronoun.

    Args:
        source: where to read from.

            - ``"winobias"`` (Zhao et al. 2018) and ``"winogender"`` (Rudinger et al. 2018), from the cache, built on
              first use from their pinned sources. Winogender has the share of women in every occupation.
            - ``None``: the pairs packaged with this library: illustrative, not validated.
            - a file, a folder or a Hub data set with the columns of :class:`PronounPair`.
            - samples that lm-eval logged of its task ``winogender``, which are joined with the published
              pairs. What it answered is ``prediction_female`` and ``prediction_male``.
        split: ``"dev"`` or ``"test"`` of WinoBias. Others have only ``"test"``.
        types: kinds of sentences wanted, such as ``"type1"``, or ``"occupation"`` of Winogender. ``None`` for
            all.
        without_flags: flags of pairs to omit, see :data:`~evaluate_bias.data.pair_flags.FLAGS`. ``"any"``:
            every pair that has one. ``None``: omit none.
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
    table = find_table("winobias_style" if source is None else source, language, split=split)
    if is_log(table.rows) and "sentid" in table.rows[0]:
        table = _join_log(table)
    checked = checked_rows(PronounPair, table, language, key=lambda pair: pair.id)
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
        DataError: a sample belongs to no published sentence, or a sentence has two answers.
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
        raise DataError(f"{table.name} has neutral pronouns only", hint="give pronouns of all genders")
    reason = "sentences with a neutral pronoun belong to no pair"
    skipped = (*table.skipped, Skipped(f"{neutral} sentences", reason)) if neutral else table.skipped
    part = {"subset": f"{len(pairs)} of {len(published)} pairs"} if len(pairs) < len(published) else {}
    rows = [{**published[name], **answers} for name, answers in pairs.items()]
    provenance = {**table.provenance, "name": "winogender", **part}
    return replace(table, rows=rows, skipped=skipped, provenance=provenance)
