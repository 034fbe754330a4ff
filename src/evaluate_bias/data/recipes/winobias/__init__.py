"""WinoBias (Zhao et al. 2018): sentences about two occupations, with a pronoun that stands for one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ....errors import DataError, quoted
from ...dataset_record import Config, Converted, DatasetRecord
from ...kinds import PRONOUN_PAIRS
from ...origins import RepositoryTexts

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


def _origin(split: str, sums: Mapping[str, str]) -> RepositoryTexts:
    paths = {f"WinoBias/wino/data/{file}.txt.{split}": sha256 for file, sha256 in sums.items()}
    commit = "490b420248aca6cc289932e939b20441606689f0"
    return RepositoryTexts.pinned("uclanlp/corefBias", commit, paths, "WinoBias/data")


RECORD = DatasetRecord(
    name="winobias",
    title="WinoBias",
    caveats=(
        "The occupations and their stereotypes are those of the United States, after its labour "
        "statistics of 2017; the sentences are in English and have two genders.",
        "Some sentences of a pair differ in more than the pronoun, or have several pronouns; such pairs are listed and "
        "not counted.",
    ),
    pretty_name="WinoBias in pairs of sentences",
    papers=("https://doi.org/10.18653/v1/N18-2003",),
    configs=(
        Config(
            name="en",
            splits={
                "dev": _origin(
                    "dev",
                    {
                        "pro_stereotyped_type1": "dd55a0d220fe4c0ceb63dd4648223fb4fe1a58d5ad95c116a002ad24b0e292a5",
                        "anti_stereotyped_type1": "a4e0ebae344e78b56f657a42e8ae684b9db7747d177c5e7149c0907ebb7f3bf6",
                        "pro_stereotyped_type2": "8f0250de723cea9328e3eaf7169e07936f01aa5909ce7aa580db66eb803f4e86",
                        "anti_stereotyped_type2": "763ad829ad724f9a85ead689ba8ca69072020cb1238def6210f0fc6a47b97e59",
                    },
                ),
                "test": _origin(
                    "test",
                    {
                        "pro_stereotyped_type1": "db7838907238a758eeb5779e48f38c013b892910d6fe864456c59f04245c6689",
                        "anti_stereotyped_type1": "331db5bd74bfefebf146a60b67645152a4a1991570d2a56f57154103ac361dd2",
                        "pro_stereotyped_type2": "ea1c1fd94fa612e3cc44d7fa3cc4cb76021bb63fdf94f9826f430051e9052438",
                        "anti_stereotyped_type2": "336571ac1ea8c06cd2aba8e5dd2bd98e00acc0c48da3e4ec5ec7e54eb2633a8f",
                    },
                ),
            },
            convert=_pairs,
            schema=PRONOUN_PAIRS,
            licence="mit",
            rights="Copyright (c) 2020 Natural Language Processing @UCLA",
        ),
    ),
)
