"""Pronouns and occupations: WinoBias, Winogender and its table of occupations, GAP, and inference after Dev et al."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from ...errors import DataError, expected_form, quoted
from ..dataset_record import Config, describe_dataset
from ..kinds import ENTAILMENT_PAIRS, OCCUPATIONS, PRONOUN_PAIRS
from ..origins import RepositoryTexts, checksums, pinned_files
from ..schemas import Schema
from ..table_files import Row, decoded, read_rows, require_columns
from .shared import WINOGENDER, no_licence

PRONOUNS: Mapping[str, frozenset[str]] = {
    "female": frozenset({"she", "her", "hers", "herself"}),
    "male": frozenset({"he", "him", "his", "himself"}),
}
"""English pronouns by gender."""

_RUDINGER = ("rudinger/winogender-schemas", "1c7f8b481ad8a234b41e9f76a424d6e856e13f7f")
_STATS = "data/occupations-stats.tsv"


def percent_share(percent: str) -> float:
    """Return a percentage of a table as a share."""
    return round(float(percent) / 100, 6)


def _women_shares(text: str) -> dict[str, float]:
    """Return the share of women in each occupation of Winogender's table."""
    rows = read_rows(text.encode(), _STATS)
    return {row["occupation"]: percent_share(row["bls_pct_female"]) for row in rows}


def _winobias_pairs(texts: Mapping[str, str]) -> Iterator[Row]:
    """Put the lines of the pro- and the anti-stereotypical file of each type together, by their numbers.

    If both sentences have pronouns of one gender, the other gender is absent.
    """
    for kind in ("type1", "type2"):
        pro, anti = (_numbered(texts[f"{side}_stereotyped_{kind}.txt"]) for side in ("pro", "anti"))
        if pro.keys() != anti.keys():
            raise DataError(f"the two files of {kind} do not have the same numbers")
        for number, sentence in pro.items():
            expected, person = _marked(sentence)
            other, _ = _marked(anti[number])
            plain = (" ".join(re.sub(r"[\[\]]", "", text).split()) for text in (anti[number], sentence))
            yield {
                "id": f"{kind}-{number}",
                "stereotype": expected,
                "type": kind,
                "profession": person,
                **dict(zip((f"sentence_{other}", f"sentence_{expected}"), plain, strict=True)),
            }


def _numbered(text: str) -> dict[str, str]:
    sentences = {}
    for line in filter(str.strip, text.splitlines()):
        match = re.fullmatch(r"(\d+) (.+)", line.strip())
        if match is None:
            raise DataError(f"a line must be a number and a sentence, got {quoted(line)}")
        sentences[match[1]] = match[2]
    return sentences


def _marked(sentence: str) -> tuple[str, str]:
    """Return the gender of the marked pronouns and the marked person, without an article."""
    marked = [word.strip() for word in re.findall(r"\[([^\]]*)\]", sentence)]
    genders = [gender for gender, words in PRONOUNS.items() if words & set(map(str.lower, marked))]
    persons = [word for word in marked if not any(word.lower() in words for words in PRONOUNS.values())]
    if len(genders) != 1 or not persons:
        raise DataError(
            f"a sentence must have marked pronouns of one gender and a person: {quoted(sentence)}"
        )
    return genders[0], re.sub(r"^(the|an?)\s+", "", persons[0], flags=re.IGNORECASE)


def _winogender_pairs(texts: Mapping[str, str]) -> Iterable[Row]:
    """Put the sentences of every schema together that differ in their pronoun."""
    shares = _women_shares(texts["occupations-stats"])
    pairs: dict[str, Row] = {}
    for row in read_rows(texts["all_sentences"].encode(), "all_sentences.tsv"):
        with expected_form(f"sentence {quoted(row.get('sentid'))}"):
            occupation, participant, answer, gender, _ = str(row["sentid"]).split(".")
            share, is_occupation = shares[occupation], {"0": True, "1": False}[answer]
        # The gender of most people in the occupation. For the other person, the opposite one (no "gotcha").
        expected = None if share == 0.5 else "female" if (share > 0.5) == is_occupation else "male"
        name = f"{occupation}.{participant}.{answer}"
        pair = pairs.setdefault(
            name,
            {
                "id": name,
                "type": "occupation" if is_occupation else "participant",
                "profession": occupation if is_occupation else participant,
                "other": participant if is_occupation else occupation,
                "women_share": share if is_occupation else None,
                "stereotype": expected,
            },
        )
        pair[f"sentence_{gender}"] = row["sentence"]
    return pairs.values()


STATISTICS = {
    "women_bls": "share of women (USA, BLS 2015-2016)",
    "women_bergsma": "share of feminine mentions (Bergsma and Lin 2006)",
}
"""What the statistics of occupations are."""


def _occupations(table: Sequence[Row]) -> Iterator[Row]:
    """Turn the published table into rows: its percentages become shares."""
    for number, row in enumerate(table, start=1):
        if row.get("bls_pct_female") is None:
            raise DataError(f"row {number}: bls_pct_female is missing, from which women_bls is made")
        mentions = row.get("bergsma_pct_female")
        yield {
            "word": row.get("occupation"),
            "language": "en",
            "women_bls": percent_share(row["bls_pct_female"]),
            "bls_year": row.get("bls_year"),
            "women_bergsma": None if mentions is None else percent_share(mentions),
            "source": "occupations-stats.tsv of Rudinger, Naradowsky, Leonard and Van Durme (2018), "
            f"{' at '.join(_RUDINGER)}; after the U.S. Bureau of Labor Statistics and Bergsma and Lin (2006)",
        }


class GapExample(Schema):
    """A passage with a pronoun and two names. ``references`` and ``groups`` are columns of the methods on predictions.

    Attributes:
        id: as published.
        text: the passage.
        pronoun, a, b: the pronoun and the two names as they appear in the text, at the characters
        ``…_offset``.
        references: which of the two names the pronoun refers to.
        groups: gender of the pronoun.
    """

    id: str
    text: str
    pronoun: str
    pronoun_offset: int
    a: str
    a_offset: int
    b: str
    b_offset: int
    references: Literal["A", "B", "neither"]
    groups: Literal["feminine", "masculine"]
    language: str = "en"


def unquoted_table(raw: bytes, name: str) -> list[Row]:
    """Read a tab-separated table in which quotes are ordinary characters."""
    head, *lines = (line.split("\t") for line in decoded(raw, name).splitlines() if line.strip())
    return [dict(zip(head, line, strict=True)) for line in lines]


def _gap_examples(table: Sequence[Row]) -> Iterator[Row]:
    """Turn the published table into rows. Only the URLs are omitted."""
    texts = {"id": "ID", "text": "Text", "pronoun": "Pronoun", "a": "A", "b": "B"}
    offsets = {"pronoun_offset": "Pronoun-offset", "a_offset": "A-offset", "b_offset": "B-offset"}
    require_columns(table, *texts.values(), *offsets.values(), "A-coref", "B-coref")
    genders = {
        **dict.fromkeys(("she", "her", "hers"), "feminine"),
        **dict.fromkeys(("he", "him", "his"), "masculine"),
    }
    for row in table:
        with expected_form(f"row {quoted(row['ID'])}"):
            true = [side for side in "AB" if {"TRUE": True, "FALSE": False}[row[f"{side}-coref"]]]
            yield {
                **{key: row[column] for key, column in texts.items()},
                **{key: int(row[column]) for key, column in offsets.items()},
                "references": (true or ["neither"])[0],
                "groups": genders[row["Pronoun"].lower()],
            }


_DEV = "sunipa/On-Measuring-and-Mitigating-Biased-Inferences-of-Word-Embeddings"
_OBJECTS = ("clothes", "farm_animals", "food", "furniture", "household", "vehicles")
_GENDERS = {"women": ("girl", "lady", "woman"), "men": ("gentleman", "guy", "man")}
N_TEMPLATES = {"gendered_words": 12, "country_demonyms": 6}
"""Templates of a configuration, spread evenly over the published ones."""


def templates(lists: Mapping[str, Sequence[str]]) -> list[str]:
    """Return all templates that the published lists make: each verb with each of its objects.

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
    """Return the noun with its article, by the first letter alone as in the published code.

    Examples:
        >>> with_article("apple"), with_article("SUV"), with_article("user")
        ('an apple', 'a SUV', 'an user')
    """
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _inference_lists(texts: Mapping[str, str], _: str) -> dict[str, Any]:
    """Return the word lists, sorted and each word once, and the shares of women."""
    lists: dict[str, Any] = {
        name: sorted({line.strip() for line in text.splitlines()} - {""}) for name, text in texts.items()
    }
    words = {word for of_group in _GENDERS.values() for word in of_group}
    if set(lists["gendered_words"]) != words:
        raise DataError(f"the gendered words are not {', '.join(sorted(words))}")
    return {**lists, "shares": _women_shares(texts["occupations-stats"])}


def _inference_pairs(attributes: str, lists: Mapping[str, Any]) -> Iterator[Row]:
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
                    "template": template, "women_share": lists["shares"].get(target), "language": "en",
                    "origin": "paper",
                }  # fmt: skip


_WINOGENDER_FILES = pinned_files(
    *_RUDINGER,
    {
        "data/all_sentences.tsv": "bd69da16bf228cb8df63fd0843aec2d8b5c36a7f21bf8c7b168bcc83932556c8",
        _STATS: "3f7f37c16381a70571356982ea7fe613ac700ad04a6d3b19b9f2be18248df567",
    },
    "Winogender/data/{name}",
)
_winogender = partial(Config, name="en", licence=WINOGENDER[0], rights=WINOGENDER[1])
_inference = partial(
    Config,
    splits={
        "test": RepositoryTexts(
            (
                *pinned_files(
                    _DEV,
                    "e39da896baad32157ba238176a79c4f628a58e4e",
                    checksums("bias_nli"),
                    "Bias-NLI/data/{path}",
                ),
                _WINOGENDER_FILES[1],
            )
        )
    },
    parse=_inference_lists,
    schema=ENTAILMENT_PAIRS,
    licence="unknown",
    rights=f"Sunipa Dev, Tao Li, Jeff M. Phillips and Vivek Srikumar: https://github.com/{_DEV}",
    parts=(WINOGENDER,),
    refusal=no_licence(_DEV),
)
_GAP_FILES = pinned_files(
    "google-research-datasets/gap-coreference",
    "83135f26025cdd705c04f77e940d0c9201116b80",
    checksums("gap"),
    "GAP/data/{path}",
)
_WINOBIAS_FILES = pinned_files(
    "uclanlp/corefBias",
    "490b420248aca6cc289932e939b20441606689f0",
    checksums("winobias"),
    "WinoBias/data/{name}",
)
RECORDS = (
    describe_dataset(
        "winobias",
        configs=(
            Config(
                name="en",
                splits={
                    split: RepositoryTexts(
                        tuple(file for file in _WINOBIAS_FILES if file.path.endswith(split))
                    )
                    for split in ("dev", "test")
                },
                convert=_winobias_pairs,
                schema=PRONOUN_PAIRS,
                licence="mit",
                rights="Copyright (c) 2020 Natural Language Processing @UCLA",
            ),
        ),
    ),
    describe_dataset(
        "winogender",
        revision=2,
        configs=(
            _winogender(
                splits={"test": RepositoryTexts(_WINOGENDER_FILES)},
                convert=_winogender_pairs,
                schema=PRONOUN_PAIRS,
            ),
        ),
    ),
    describe_dataset(
        "winogender_occupations",
        packaged=True,
        configs=(
            _winogender(
                splits={
                    "test": replace(
                        _WINOGENDER_FILES[1],
                        sha256="a96e6089117f57bf0080ebb2742ed50aed8acad4ae4ebd0295bd2bbba8a9599e",
                    )
                },
                convert=_occupations,
                schema=OCCUPATIONS,
            ),
        ),
    ),
    # The three published files of GAP, built only when asked for.
    describe_dataset(
        "gap",
        configs=(
            Config(
                name="en",
                splits={file.path[4:-4]: file for file in _GAP_FILES},
                parse=unquoted_table,
                convert=_gap_examples,
                schema=GapExample,
                licence="apache-2.0",
                rights="Google AI Language: GAP Coreference Dataset (the passages are from Wikipedia, CC BY-SA)",
                refusal="its passages are Wikipedia's, under CC BY-SA, and its makers publish it themselves.",
            ),
        ),
    ),
    # Occupations with words for women and men, and with nationalities.
    describe_dataset(
        "bias_nli",
        configs=(
            _inference(name="en", convert=partial(_inference_pairs, "gendered_words")),
            _inference(name="en-nationality", convert=partial(_inference_pairs, "country_demonyms")),
        ),
    ),
)
