"""What a reader of a score must know about the data it was measured on, one note a data set.

The caveats of a method hold on any data and stand in its registry record; these hold for any method. Model cards, the
pages of the Spaces and the modules' own cards all take them from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["DATA_NOTES", "DataNote", "data_note", "is_control"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataNote:
    """A data set this library knows.

    Attributes:
        name: what provenance calls it; also the key of its translations.
        title: what people call it.
        hub_id: its id on the Hub, empty for one that is not published there.
        caveats: what to know before quoting a score on it, one sentence or two each; the gravest comes first.
        illustrative: whether its items were written for this project and never validated. Scores on such data are
            shown with that remark, and are entered in no ``model-index``.
    """

    name: str
    title: str
    hub_id: str
    caveats: tuple[str, ...]
    illustrative: bool = False


_BLODGETT = (
    "Blodgett et al. (2021) found that many pairs of CrowS-Pairs and StereoSet do not isolate a stereotype: unclear "
    "contrasts, wrong groups, several changes at once. A score on them inherits these flaws."
)
_ILLUSTRATIVE = (
    "These items are illustrative: they were written for this project and not validated by native speakers or by "
    "members of the groups they speak of. A score on them is no finding about a model."
)

_NOTES = (
    DataNote(
        name="weat_word_lists",
        title="WEAT word lists",
        hub_id="bias/weat-word-lists",
        caveats=(
            "The English lists come from studies made in the United States and published from 1998 to 2011: their "
            "names and words stand for groups as seen there and then.",
        ),
    ),
    DataNote(
        name="crows_pairs",
        title="CrowS-Pairs",
        hub_id="bias/crows-pairs",
        caveats=(
            _BLODGETT,
            "The published pairs describe stereotypes of the United States, in English of 2020; those in other "
            "languages are translations or adaptations of them.",
        ),
    ),
    DataNote(
        name="stereoset",
        title="StereoSet",
        hub_id="bias/stereoset",
        caveats=(
            _BLODGETT,
            "The published items describe stereotypes of the United States, in English of 2020.",
        ),
    ),
    DataNote(
        name="bec_pro",
        title="BEC-Pro",
        hub_id="bias/bec-pro",
        caveats=(
            "Gender is binary in these sentences, and the groups of professions follow employment in the United "
            "States, in German too.",
        ),
    ),
    DataNote(
        name="winogender_occupations",
        title="Occupations of Winogender",
        hub_id="bias/winogender-occupations",
        caveats=(
            "The shares of women in occupations are those of the United States in 2015 and 2016, matched to the words "
            "by hand; several words share a number.",
        ),
    ),
    DataNote(
        name="professions",
        title="Professions",
        hub_id="bias/professions",
        caveats=(
            "The forms in other languages than English, except the German ones of BEC-Pro, were written for this "
            "project and not validated by native speakers; some feminine forms are contested or rare.",
            "Which professions count as those of women and of men follows employment in the United States; of the list "
            "of Delobelle et al. (2022), taken there in 2015, some are first words of longer titles (server, model, "
            "helper), and wider than these.",
        ),
    ),
    DataNote(
        name="gendered_words",
        title="Gendered words",
        hub_id="bias/gendered-words",
        caveats=(
            "The pairs in other languages than English were written for this project and not validated by native "
            "speakers.",
            "Gender is binary in these pairs, and the two words of a pair differ in frequency and in further meanings.",
        ),
    ),
    DataNote(
        name="bias_templates",
        title="Template sentences of bias measures",
        hub_id="bias/bias-templates",
        caveats=(
            "A bleached sentence is not free of meaning (Delobelle et al. 2022): scores depend on the template.",
            "The templates in other languages than English, except those of BEC-Pro in German, of RobBERT in Dutch and "
            "the bare ones, are translations that no native speaker has validated.",
        ),
    ),
    DataNote(
        name="context_sentences",
        title="Context sentences",
        hub_id="bias/context-sentences",
        caveats=(
            "The contexts are old and formal text, novels from 1796 to 1918 and addresses of presidents of the United "
            "States from 1790 to 2021: what is measured in them may not hold for today's usage.",
        ),
    ),
    DataNote(
        name="minimal_pairs",
        title="Minimal pairs packaged with evaluate-bias",
        hub_id="bias/minimal-pairs",
        caveats=(_ILLUSTRATIVE,),
        illustrative=True,
    ),
    DataNote(
        name="stereoset_style",
        title="Items in the form of StereoSet packaged with evaluate-bias",
        hub_id="",
        caveats=(_ILLUSTRATIVE,),
        illustrative=True,
    ),
)

DATA_NOTES: dict[str, DataNote] = {note.name: note for note in _NOTES}
"""All notes by name."""

_OTHER_NAMES = {"packaged": "weat_word_lists"} | {n.hub_id: n.name for n in _NOTES if n.hub_id}


def is_control(bias_type: str) -> bool:
    """Tell whether a test of this bias type has no social content and only shows that a measure responds.

    Examples:
        >>> is_control("none (baseline)"), is_control("gender"), is_control("")
        (True, False, False)
    """
    return bias_type.startswith("none")


def data_note(dataset: Mapping[str, Any]) -> DataNote | None:
    """Return the note of the data set that a result's provenance names.

    Args:
        dataset: the ``dataset`` of :attr:`evaluate_bias.Result.provenance`: its ``source``, and the ``sha256`` by which
            a file is recognised that is, byte for byte, one of a published data set.

    Returns:
        The note; ``None`` for data that this library does not know. A Hub data set of any owner that bears the name
        of a published one counts as that.

    Examples:
        >>> data_note({"source": "packaged", "language": "de"}).title
        'WEAT word lists'
        >>> data_note({"source": "someone/crows_pairs@v1"}).name, data_note({"source": "my_pairs.csv"})
        ('crows_pairs', None)
    """
    source = str(dataset.get("source") or "").partition("@")[0]
    name = _OTHER_NAMES.get(source, source)
    if name in DATA_NOTES:
        return DATA_NOTES[name]
    owner, slash, repository = source.partition("/")
    found = DATA_NOTES.get(repository.lower().replace("-", "_")) if owner and slash else None
    if found is not None and not found.illustrative:
        return found
    return DATA_NOTES.get(_published_files().get(str(dataset.get("sha256")), ""))


def _published_files() -> dict[str, str]:
    """Data sets by the checksums of the files they are published in."""
    from .recipes import dataset_names, recipe

    return {
        sha256: name
        for name in dataset_names()
        for config in recipe(name).configs
        for origin in config.splits.values()
        if (sha256 := origin.facts().get("sha256"))
    }
