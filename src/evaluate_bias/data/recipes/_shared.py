"""What several data sets share: rights and caveats, and configurations made of packaged rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ...errors import DataError
from ..dataset_record import Config, Converted
from ..kinds import DataKind
from ..origins import PackagedFile
from ..table_files import Row, packaged_languages, read_rows

BEC_PRO_RIGHTS = (
    "Marion Bartl, Malvina Nissim and Albert Gatt: BEC-Pro, https://github.com/marionbartl/gender-bias-BERT"
)
BEC_PRO = ("cc-by-4.0", BEC_PRO_RIGHTS)
WINOGENDER = ("mit", "Copyright (c) 2018 Rachel Rudinger")
BIAS_FRAMEWORK = ("apache-2.0", "The makers of the BIAS Detection Framework")
BIASHANDLER = {
    "repository": "nicolaMaddalozzo/biashandler",
    "commit": "4b19a7ee339308b16f0e1f65c8d48d08ac3bd125",
    "refusal": (
        "its repository nicolaMaddalozzo/biashandler states no licence. It was built on this machine for "
        "measuring only. Ask its authors before you pass it on."
    ),
}
"""The repository of Maddalozzo's thesis (2023), pinned, and why nothing of it is published again."""
BLODGETT = (
    "Blodgett et al. (2021) found that many pairs of CrowS-Pairs and StereoSet do not isolate a stereotype: unclear "
    "contrasts, wrong groups, several changes at once. A score on them inherits these flaws."
)


def require_columns(table: Sequence[Row], columns: Iterable[str], name: str) -> None:
    """Refuse a published table that lacks one of these columns."""
    if missing := [column for column in columns if column not in table[0]]:
        raise DataError(f"{name} has no column {', '.join(missing)}; it has {', '.join(table[0])}")


def _rows(raw: bytes, name: str) -> Converted:
    return Converted(read_rows(raw, name))


def packaged_configs(
    name: str,
    kind: DataKind,
    licences: Mapping[str, str] = MappingProxyType({}),
    without: tuple[str, ...] = (),
    rights: str = "",
    parts: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType({}),
) -> tuple[Config, ...]:
    """Make one configuration per packaged language.

    ``licences`` are those that are not ours, and ``rights`` is whose they are; ``parts`` are licence and rights of
    what others made in a file that is ours.
    """
    return tuple(
        Config(
            name=language,
            splits={"test": PackagedFile(path=f"{name}/{language}.jsonl")},
            convert=_rows,
            schema=kind,
            without=without,
            licence=licences.get(language, "apache-2.0"),
            rights=rights if language in licences else "",
            parts=parts.get(language, ()),
        )
        for language in packaged_languages(name)
    )
