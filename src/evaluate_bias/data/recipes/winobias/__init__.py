"""WinoBias (Zhao et al. 2018): sentences about two occupations, with a pronoun that stands for one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ....errors import DataError, quoted
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import PRONOUN_PAIRS
from ...origins import RepositoryTexts, checksums

PRONOUNS: Mapping[str, frozenset[str]] = {
    "female": frozenset({"she", "her", "hers", "herself"}),
    "male": frozenset({"he", "him", "his", "himself"}),
}
"""English pronouns by gender."""

_TYPES = ("type1", "type2")
_LINE = re.compile(r"(?P<number>\d+) (?P<sentence>.+)")
_MARKED = re.compile(r"\[([^\]]*)\]")


def _pairs(raw: bytes, name: str) -> Converted:
    """Put the lines of the pro- and the anti-stereotypical file of each type together, by their numbers."""
    texts = json.loads(raw)
    rows = []
    for kind in _TYPES:
        pro, anti = (_lines(texts[f"{side}_stereotyped_{kind}.txt"], name) for side in ("pro", "anti"))
        if pro.keys() != anti.keys():
            raise DataError(f"{name}: the two files of {kind} do not have the same numbers")
        rows += [_pair(kind, number, pro[number], anti[number], name) for number in pro]
    return Converted(rows)


def _lines(text: str, name: str) -> dict[str, str]:
    sentences = {}
    for line in filter(str.strip, text.splitlines()):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise DataError(f"{name}: a line must be a number and a sentence, got {quoted(line)}")
        sentences[match["number"]] = match["sentence"]
    return sentences


def _pair(kind: str, number: str, pro: str, anti: str, name: str) -> Mapping[str, Any]:
    """A row; where both sentences have pronouns of one gender, that of the other gender is absent."""
    expected, other = _gender(pro, name), _gender(anti, name)
    sentences = {f"sentence_{other}": _plain(anti), f"sentence_{expected}": _plain(pro)}
    return {
        "id": f"{kind}-{number}",
        "stereotype": expected,
        "type": kind,
        "profession": _profession(pro),
        **sentences,
    }


def _gender(sentence: str, name: str) -> str:
    marked = {word.strip().lower() for word in _MARKED.findall(sentence)}
    genders = [gender for gender, pronouns in PRONOUNS.items() if marked & pronouns]
    if len(genders) != 1:
        raise DataError(f"{name}: a sentence must have marked pronouns of one gender: {quoted(sentence)}")
    return genders[0]


def _profession(sentence: str) -> str:
    """The marked person, without an article."""
    pronouns = PRONOUNS["female"] | PRONOUNS["male"]
    person = next(w for w in _MARKED.findall(sentence) if w.strip().lower() not in pronouns)
    return re.sub(r"^(the|an?)\s+", "", person.strip(), flags=re.IGNORECASE)


def _plain(sentence: str) -> str:
    return " ".join(re.sub(r"[\[\]]", "", sentence).split())


def _origin(split: str) -> RepositoryTexts:
    sums = {path: sha256 for path, sha256 in checksums("winobias").items() if path.endswith(split)}
    commit = "490b420248aca6cc289932e939b20441606689f0"
    return RepositoryTexts.pinned("uclanlp/corefBias", commit, sums, "WinoBias/data")


RECORD = describe_dataset(
    "winobias",
    configs=(
        Config(
            name="en",
            splits={split: _origin(split) for split in ("dev", "test")},
            convert=_pairs,
            schema=PRONOUN_PAIRS,
            licence="mit",
            rights="Copyright (c) 2020 Natural Language Processing @UCLA",
        ),
    ),
)
