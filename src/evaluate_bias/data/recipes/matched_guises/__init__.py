"""The matched guises of Hofmann et al. (2024): pairs in two dialects, prompts, and attributes with their ratings."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....errors import DataError
from ....result import Skipped
from ...dataset_record import Config, Converted, DatasetRecord
from ...kinds import GUISE_TESTS
from ...origins import RepositoryTexts

TEXT, ARTICLE = "{text}", "{a}"
"""What stands in a prompt for one of the texts, and for the indefinite article of the attribute that follows."""

_REPOSITORY = "valentinhofmann/dialect-prejudice"
_COMMIT = "61e6421c7892bd229f88658b9d1f3f700df75e5e"
_FILES: Mapping[str, str] = {
    "data/pairs/habitual.txt": "8c33cca4854357d250d82069c24c351cd6feb863b03391fbcaa9461f72b0fb79",
    "data/attributes/katz.txt": "69418a3c0db9ac340a39dd17b0251e3d9c09d6200b92eee3af232498eddfd986",
    "data/attributes/occupations.txt": "e0a7d28f974d2b2dbdcc3229b4507d1a5f3ba77b842f3f831684e274b31e2fd8",
    "data/attributes/guilt.txt": "393b464d19faf8782e6763768a0f2f4c21c7d6f586d54c615f99b34a8d89cb8f",
    "data/attributes/penalty.txt": "5c45aebb684bcf5fa4e0f11a4298976aa7370df9dc179ef29914a7851d361e82",
    "notebooks/ratings.py": "2cb77b7ba41d5dbae6b59d0bfc442538fff4480dd7478b552ce35e76799fa4c4",
    "probing/prompting.py": "cba7a060ea4e7176fe57fa79fe98eef5b199ca31f52c68577739fb7b19ab6368",
}
_TESTS: Mapping[str, Mapping[str, Any]] = {
    "traits": {
        "file": "katz",
        "prompts": "TRAIT_PROMPTS",
        "title": "Two dialects with favourable and unfavourable traits",
        "a_label": "favourable traits",
        "b_label": "unfavourable traits",
        "notes": "Ratings: favourability of Bergsieker et al. (2012), as the repository gives it.",
    },
    "occupations": {
        "file": "occupations",
        "prompts": "OCCUPATION_PROMPTS",
        "title": "Two dialects with occupations of high and low prestige",
        "a_label": "prestigious occupations",
        "b_label": "less prestigious occupations",
        "notes": "Ratings: mean prestige in the General Social Survey of the titles that begin or end with the word.",
    },
    "guilt": {
        "high": "convicted",
        "prompts": "GUILT_PROMPTS",
        "title": "Two dialects with conviction and acquittal",
        "a_label": "conviction",
        "b_label": "acquittal",
    },
    "penalty": {
        "high": "death",
        "prompts": "PENALTY_PROMPTS",
        "title": "Two dialects with a sentence to death and to life",
        "a_label": "a sentence to death",
        "b_label": "a sentence to life",
    },
}


def _tests(raw: bytes, name: str) -> Converted:
    texts = json.loads(raw)
    constants = {**_constants(texts["ratings"], name), **_constants(texts["prompting"], name)}
    pairs = [line.split("\t") for line in texts["habitual"].strip().splitlines()]
    if any(len(pair) != 2 for pair in pairs):
        raise DataError(f"{name}: a line of habitual.txt is not a pair of texts")
    rows, left_out = [], []
    for test, facts in _TESTS.items():
        words = texts[facts.get("file", test)].split("\n")
        attributes = [word.strip() for word in words if word.strip()]
        if "high" in facts:
            rated = None
            variant_columns = {
                "attributes_a": [facts["high"]],
                "attributes_b": [w for w in attributes if w != facts["high"]],
            }
        else:
            favour = constants["ATTRIBUTES_ALL"], constants["FAVORABILITIES_ALL"]
            rated = dict(zip(*favour, strict=True)) if test == "traits" else _prestige(attributes, constants)
            known = [word for word in attributes if word in rated]
            left_out += [Skipped(word, "has no rating", test) for word in attributes if word not in rated]
            variant_columns = {"attributes_a": known, "ratings": [rated[word] for word in known]}
        row = {
            "name": test,
            "language": "en",
            "x_label": "African American English",
            "y_label": "Standard American English",
            "targets_x": [first for first, _ in pairs],
            "targets_y": [second for _, second in pairs],
            "prompts": _prompts(constants[facts["prompts"]]),
            "bias_type": "dialect",
            "origin": "paper",
            "source": f"{_REPOSITORY} at {_COMMIT}",
            "licence": "MIT",
            **{key: facts[key] for key in ("title", "a_label", "b_label", "notes") if key in facts},
            **variant_columns,
        }
        rows.append(row)
    return Converted(rows, tuple(left_out))


def _constants(code: str, name: str) -> dict[str, list[Any]]:
    """The lists of texts or numbers that a module assigns; others are left out."""
    constants = {}
    try:
        for statement in ast.parse(code).body:
            if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name):
                try:
                    constants[target.id] = ast.literal_eval(statement.value)
                except ValueError:  # a sum, such as of shares in two groups
                    continue
    except SyntaxError as error:
        raise DataError(f"{name}: a module of lists cannot be read: {error}") from None
    return constants


def _prompts(published: Sequence[str]) -> list[str]:
    """The prompts with our fields; two that differ in the article at their end alone are one."""
    prompts = [prompt.replace("{}", TEXT) for prompt in published]
    with_article = [p.removesuffix(" a") + f" {ARTICLE}" if p.endswith(" a") else p for p in prompts]
    return [p for p in with_article if not p.endswith(" an")]


def _prestige(words: Sequence[str], constants: Mapping[str, list[Any]]) -> dict[str, float]:
    """Mean prestige of the titles of the survey that begin or end with a word."""
    titles = [title.strip().lower() for title in constants["GSS_OCCUPATIONS"]]
    rating = dict(zip(titles, constants["GSS_PRESTIGE_RATINGS"], strict=True))
    of = {word: [rating[t] for t in rating if t.startswith(word) or t.endswith(word)] for word in words}
    return {word: sum(ratings) / len(ratings) for word, ratings in of.items() if ratings}


RECORD = DatasetRecord(
    name="matched_guises",
    title="Matched guises",
    caveats=(
        "The pairs are made by rule of one feature of African American English, the habitual 'be': they do not "
        "stand for the dialect, and their second texts say 'usually', a word more.",
        "The ratings of traits and occupations come from studies in the United States; a rating of an occupation is a "
        "mean over titles that begin or end with its word.",
    ),
    pretty_name="Matched guises: a feature of African American English, prompts and rated attributes",
    papers=("https://doi.org/10.1038/s41586-024-07856-5", "https://arxiv.org/abs/2403.00742"),
    configs=(
        Config(
            name="en",
            splits={"test": RepositoryTexts.pinned(_REPOSITORY, _COMMIT, _FILES)},
            convert=_tests,
            schema=GUISE_TESTS,
            licence="mit",
            rights="Copyright (c) 2024 Valentin Hofmann",
            tests=tuple(_TESTS),
        ),
    ),
)
"""One test for each of the paper's four kinds of attributes."""
