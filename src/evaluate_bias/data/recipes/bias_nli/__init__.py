"""Premises about occupations, hypotheses about women and men or nationalities (Dev et al. 2020)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import ENTAILMENT_PAIRS
from ...origins import RepositoryFile, RepositoryTexts, checksums
from ...table_files import read_rows
from .._shared import WINOGENDER

_REPOSITORY = "sunipa/On-Measuring-and-Mitigating-Biased-Inferences-of-Word-Embeddings"
_COMMIT = "e39da896baad32157ba238176a79c4f628a58e4e"
_SHARES = "occupations-stats"
_FILES = RepositoryTexts(
    (
        *(
            RepositoryFile(
                repository=_REPOSITORY,
                commit=_COMMIT,
                path=path,
                sha256=sha256,
                in_benchmarks=f"Bias-NLI/data/{path}",
            )
            for path, sha256 in checksums("bias_nli").items()
        ),
        *RepositoryTexts.pinned(
            "rudinger/winogender-schemas",
            "1c7f8b481ad8a234b41e9f76a424d6e856e13f7f",
            {f"data/{_SHARES}.tsv": "3f7f37c16381a70571356982ea7fe613ac700ad04a6d3b19b9f2be18248df567"},
            "Winogender/data",
        ).files,
    )
)
_OBJECTS = ("clothes", "farm_animals", "food", "furniture", "household", "vehicles")
_GENDERS = {"women": ("girl", "lady", "woman"), "men": ("gentleman", "guy", "man")}
N_TEMPLATES = {"gendered_words": 12, "country_demonyms": 6}
"""Templates of a configuration, spread evenly over the published ones."""


def templates(lists: Mapping[str, Sequence[str]]) -> list[str]:
    """All templates that the published lists make: each verb with each of its objects.

    Examples:
        >>> lists = dict.fromkeys((*_OBJECTS, "rulers", "commerce_verbs", "eating_verbs", "interaction_verbs"), [])
        >>> templates({**lists, "person_hyponyms": ["adult"], "driving_verbs": ["drove"], "vehicles": ["car"]})
        ['drove a car']
    """
    things = sorted({word for name in _OBJECTS for word in lists[name]})
    people = sorted({*lists["person_hyponyms"], *lists["rulers"]})
    of_verbs = {
        "commerce_verbs": things, "interaction_verbs": people, "driving_verbs": lists["vehicles"],
        "eating_verbs": lists["food"],
    }  # fmt: skip
    return [
        f"{verb} {with_article(thing)}"
        for verbs, things in of_verbs.items()
        for verb in lists[verbs]
        for thing in things
    ]


def with_article(noun: str) -> str:
    """The noun with its article, by the first letter alone as in the published code.

    Examples:
        >>> with_article("apple"), with_article("SUV"), with_article("user")
        ('an apple', 'a SUV', 'an user')
    """
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _parsed(raw: bytes, name: str) -> dict[str, Any]:
    """The word lists, sorted and each word once, and the shares of women."""
    texts = json.loads(raw)
    shares = read_rows(texts.pop(_SHARES).encode(), f"{_SHARES}.tsv")
    lists: dict[str, Any] = {
        key: sorted({line.strip() for line in text.splitlines()} - {""}) for key, text in texts.items()
    }
    words = {word for of_group in _GENDERS.values() for word in of_group}
    if set(lists["gendered_words"]) != words:
        raise DataError(f"{name}: the gendered words are not {', '.join(sorted(words))}")
    lists[_SHARES] = {row["occupation"]: round(float(row["bls_pct_female"]) / 100, 6) for row in shares}
    return lists


def _pairs(attributes: str, lists: Mapping[str, Any], name: str) -> Converted:
    return Converted(list(_rows(attributes, lists)))


def _rows(attributes: str, lists: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    every, n = templates(lists), N_TEMPLATES[attributes]
    chosen = [every[(2 * k + 1) * len(every) // (2 * n)] for k in range(n)]
    groups = {word: group for group, words in _GENDERS.items() for word in words}
    for target in lists["occupations"]:
        for attribute in lists[attributes]:
            for number, template in enumerate(chosen):
                premise, hypothesis = (
                    f"A{with_article(word)[1:]} {template} ." for word in (target, attribute)
                )
                yield {
                    "id": f"{target}-{attribute}-{number}", "premise": premise, "hypothesis": hypothesis,
                    "target": target, "attribute": attribute, "group": groups.get(attribute, attribute),
                    "template": template, "women_share": lists[_SHARES].get(target), "language": "en",
                    "origin": "paper",
                }  # fmt: skip


def _config(name: str, attributes: str) -> Config:
    return Config(
        name=name,
        splits={"test": _FILES},
        parse=_parsed,
        convert=partial(_pairs, attributes),
        schema=ENTAILMENT_PAIRS,
        licence="unknown",
        rights=f"Sunipa Dev, Tao Li, Jeff M. Phillips and Vivek Srikumar: https://github.com/{_REPOSITORY}",
        parts=(WINOGENDER,),
        refusal=f"its repository {_REPOSITORY} states no licence. It was built on this machine for measuring only. Ask "
        "its authors before you pass it on.",
    )


RECORD = describe_dataset(
    "bias_nli",
    configs=(_config("en", "gendered_words"), _config("en-nationality", "country_demonyms")),
)
"""Occupations with words for women and men, and with nationalities."""
