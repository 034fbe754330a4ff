"""The matched guises of Hofmann et al. (2024): pairs in two dialects, prompts, and attributes with their ratings."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....errors import DataError
from ....result import Skipped
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import GUISE_TESTS
from ...origins import RepositoryTexts, checksums

TEXT, ARTICLE = "{text}", "{a}"
"""The placeholders in a prompt for one of the texts, and for the indefinite article of the attribute that follows."""

_REPOSITORY = "valentinhofmann/dialect-prejudice"
_COMMIT = "61e6421c7892bd229f88658b9d1f3f700df75e5e"
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


RECORD = describe_dataset(
    "matched_guises",
    configs=(
        Config(
            name="en",
            splits={"test": RepositoryTexts.pinned(_REPOSITORY, _COMMIT, checksums("matched_guises"))},
            convert=_tests,
            schema=GUISE_TESTS,
            licence="mit",
            rights="Copyright (c) 2024 Valentin Hofmann",
            tests=tuple(_TESTS),
        ),
    ),
)
"""One test for each of the paper's four kinds of attributes."""
