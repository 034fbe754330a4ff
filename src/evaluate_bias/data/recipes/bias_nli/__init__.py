"""Premises about occupations, hypotheses about women and men or nationalities (Dev et al. 2020)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ....errors import DataError
from ...dataset_record import Config, Converted, DatasetRecord
from ...kinds import ENTAILMENT_PAIRS
from ...origins import RepositoryFile, RepositoryTexts
from ...table_files import read_rows
from .._shared import WINOGENDER

_REPOSITORY = "sunipa/On-Measuring-and-Mitigating-Biased-Inferences-of-Word-Embeddings"
_COMMIT = "e39da896baad32157ba238176a79c4f628a58e4e"
_LISTS = {
    "nouns/people/occupations": "ee2d12e38219b797bdec5ebbe06f20c790e3cf6745630ab3dab20a3dd8a9b1f5",
    "nouns/people/gendered_words": "0a60b4fbbba2c31968c4e2bba62f18081e8f81441b74a8570ca817fdfe4ce812",
    "nouns/people/country_demonyms": "eff045000a3a1c533a664247a20af292901f33d760adab7859789a8cf9d3490e",
    "nouns/people/person_hyponyms": "8a4b0cdeea618776fcb0a32deb75117163f05ffad9d8cf59ae4143d2c7af7e77",
    "nouns/people/rulers": "214edfd888a1c6cea2077d0c49e1b0a69ad0c0676e27e565c820827061722b13",
    "nouns/objects/clothes": "aa98735ee588213a22bb6f1fcc221e5444acfc3e487ca2132e7747f4f32a2e97",
    "nouns/objects/farm_animals": "523bd8fd6f230d22efd2d5724ee13e6bfa97e0f3516c454b8bb0a3c27140764e",
    "nouns/objects/food": "1e9f23e8c22fb4023cf3c74f12b26c4dbbf2a0078de297801091967dd2a6bb12",
    "nouns/objects/furniture": "9ce6233904dfbfb1ebf91b71882c2ed8b287da4f91220d4211e7e182df885344",
    "nouns/objects/household": "395c1891290031d1dbeddefc08f0a3b112bed1797dd1d209ff6118725759cb07",
    "nouns/objects/vehicles": "10a9f0e2948d89389b585d4a74ef164a74257429905397f47afa138509c0958b",
    "verbs/commerce_verbs": "a21aa9b2830594fd7c49c5373d04f2b03a5906d2c03a7e57e036187398082a04",
    "verbs/driving_verbs": "b8d7c28ba4d079de6746a2e909bb5583d218932a8240ef19136f5381aa22037a",
    "verbs/eating_verbs": "ca6c22b364b6ec16c6ac32f4b6ff01a1c8644718db95f593ea989d4ccdd47ee0",
    "verbs/interaction_verbs": "97a2d7b64f0c92221811228aa537eee655c98217124049c1593b037169298e34",
}
_SHARES = "occupations-stats"
_FILES = RepositoryTexts(
    (
        *(
            RepositoryFile(
                repository=_REPOSITORY,
                commit=_COMMIT,
                path=f"word_lists/{name}",
                sha256=sha256,
                in_benchmarks=f"Bias-NLI/data/word_lists/{name}",
            )
            for name, sha256 in _LISTS.items()
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
        refusal=f"its repository {_REPOSITORY} states no licence. It was built on this machine for measuring only; ask "
        "its authors before you pass it on.",
    )


RECORD = DatasetRecord(
    name="bias_nli",
    title="Bias-NLI",
    caveats=(
        "The sentences are made of word lists: articles go by the first letter, some verbs and objects do not fit, and "
        "each configuration has few of the published templates.",
        "The shares of women in occupations are those of the United States in 2015 and 2016, known for 43 of the 164.",
    ),
    pretty_name="Bias-NLI: sentences that neither entail nor contradict one another",
    papers=("https://arxiv.org/abs/1908.09369",),
    configs=(_config("en", "gendered_words"), _config("en-nationality", "country_demonyms")),
)
"""Occupations beside words for women and men, and beside nationalities."""
