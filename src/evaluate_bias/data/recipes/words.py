"""Word lists: co-created German ones, seeds of a Spanish thesis, maps of Dusi et al., HurtLex, and matched guises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...errors import DataError, quoted
from ...files import parsed_json
from ...result import Skipped
from ..dataset_record import Config, columns_schema, describe_dataset
from ..kinds import GUISE_TESTS, WORD_LISTS, WSV_WORDS
from ..origins import RepositoryTexts, checksums, pinned_files
from ..other_tools import word_list_row
from ..table_files import Row, decoded, literal_assignments, read_rows, require_columns
from .coreference import STATISTICS, percent_share, unquoted_table
from .shared import BIAS_FRAMEWORK, BIASHANDLER, no_licence, packaged_configs

_BIAS = ("BFH-AMI/BIAS", "504ef79492d77b52f4ed47959b086acbce66ae7f")
_BIAS_TYPES = {"cw1": "parenthood", "cw2": "age", "cw3": "nationality", "cw4": "gender", "cw5": "gender"}


def _co_created(texts: Mapping[str, str]) -> Iterator[Row]:
    """Turn the text files of the BIAS framework into tests, with words and labels unchanged."""
    for stem, text in texts.items():
        file = f"BiasDetection/datasets/de/WEAT/{stem}.txt"
        row = word_list_row(text, file)
        yield {
            **row,
            "name": stem.lower(),
            "language": "de",
            "title": f"{row['x_label'].capitalize()} and {row['y_label']} with {row['a_label']} and {row['b_label']}",
            "bias_type": _BIAS_TYPES.get(stem.lower(), ""),
            "origin": "co-created",
            "source": f"https://raw.githubusercontent.com/{'/'.join(_BIAS)}/{file}",
            "licence": "Apache-2.0",
            "notes": "From the BIAS Detection Framework. Only title and bias type were added.",
        }


_SPANISH_GROUPS = {
    "gender": {"male": "espacio_m", "female": "espacio_f"},
    "religion": {"Christian": "christianity words", "Islamic": "islam words"},
}
_LEFT_ASIDE = ("profesiones_male", "profesiones_female", "islam", "pleasant 6", "unpleasant 6")
"""Lists that the thesis measures in neither case, as they repeat another or name a group."""


def _spanish_tests(bias_type: str, lists: Any) -> Iterator[Row]:
    """Make a test of every list that names no group, each word of it once, as the thesis does."""
    groups = {key for pair in _SPANISH_GROUPS.values() for key in pair.values()}
    if not isinstance(lists, dict) or not groups <= lists.keys():
        raise DataError(f"it lacks the lists {', '.join(map(quoted, sorted(groups)))}")
    words = {key: tuple(dict.fromkeys(" ".join(w.split()) for w in of_one)) for key, of_one in lists.items()}
    (x_label, x), (y_label, y) = _SPANISH_GROUPS[bias_type].items()
    for key in (key for key in words if key not in groups and key not in _LEFT_ASIDE):
        yield {
            "name": key,
            "language": "es",
            "title": f"{key} with {x_label} and {y_label} words",
            "x_label": x_label,
            "y_label": y_label,
            "a_label": key,
            "targets_x": words[x],
            "targets_y": words[y],
            "attributes_a": words[key],
            "bias_type": bias_type,
            "origin": "thesis",
            "source": "Maddalozzo (2023), chapter 3",
            "licence": "none stated",
        }


def _map_words(statistic: str, texts: Mapping[str, str]) -> Iterator[Row]:
    """Yield gendered words with their class, then the words to evaluate, with a share if the file has one."""
    gendered, evaluated = (read_rows(text.encode(), f"{path}.csv") for path, text in texts.items())
    require_columns(gendered, "word", "value")
    require_columns(evaluated, "word", *(["female_perc"] if statistic else []))
    facts = {"language": "en", "source": "Dusi et al. (2022)"}
    for row in gendered:
        yield {"word": row["word"].strip(), "group": row["value"], **facts}
    for row in evaluated:
        yield {"word": row["word"].strip(), **facts} | (
            {"statistic": percent_share(row["female_perc"]), "statistic_label": STATISTICS[statistic]}
            if statistic
            else {}
        )


_HURTLEX = ("word", "category", "level", "pos", "stereotype", "id", "language")


def _lexicon(language: str, table: Sequence[Row]) -> Iterator[Row]:
    """Turn HurtLex into rows. The lemma is the word, and nothing is omitted."""
    require_columns(table, "lemma", "category", "level")
    for row in table:
        yield {**{c: row.get(c, "") for c in _HURTLEX}, "word": row["lemma"], "language": language}


TEXT, ARTICLE = "{text}", "{a}"
"""The placeholders in a prompt for one of the texts, and for the indefinite article of the attribute that follows."""

_HOFMANN = ("valentinhofmann/dialect-prejudice", "61e6421c7892bd229f88658b9d1f3f700df75e5e")
_GUISES: Mapping[str, Mapping[str, Any]] = {
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


def _guises(texts: Mapping[str, str]) -> Iterator[Row | Skipped]:
    """Make one test for each of the paper's four kinds of attributes."""
    constants = {k: v for m in ("ratings", "prompting") for k, v in literal_assignments(texts[m], m).items()}
    pairs = [line.split("\t") for line in texts["habitual"].strip().splitlines()]
    if any(len(pair) != 2 for pair in pairs):
        raise DataError("a line of habitual.txt is not a pair of texts")
    for test, facts in _GUISES.items():
        attributes = [word.strip() for word in texts[facts.get("file", test)].split("\n") if word.strip()]
        if high := facts.get("high"):
            columns = {"attributes_a": [high], "attributes_b": [w for w in attributes if w != high]}
        else:
            favour = constants["ATTRIBUTES_ALL"], constants["FAVORABILITIES_ALL"]
            rated = dict(zip(*favour, strict=True)) if test == "traits" else _prestige(attributes, constants)
            known = [word for word in attributes if word in rated]
            yield from (Skipped(word, "has no rating", test) for word in attributes if word not in rated)
            columns = {"attributes_a": known, "ratings": [rated[word] for word in known]}
        # With our fields. Two prompts that differ in the article at their end alone are one.
        prompts = [prompt.replace("{}", TEXT) for prompt in constants[facts["prompts"]]]
        yield {
            "name": test,
            "language": "en",
            "x_label": "African American English",
            "y_label": "Standard American English",
            "targets_x": [first for first, _ in pairs],
            "targets_y": [second for _, second in pairs],
            "prompts": [re.sub(" a$", f" {ARTICLE}", p) for p in prompts if not p.endswith(" an")],
            "bias_type": "dialect",
            "origin": "paper",
            "source": " at ".join(_HOFMANN),
            "licence": "MIT",
            **{key: facts[key] for key in ("title", "a_label", "b_label", "notes") if key in facts},
            **columns,
        }


def _prestige(words: Sequence[str], constants: Mapping[str, list[Any]]) -> dict[str, float]:
    """Return the mean prestige of the titles of the survey that begin or end with a word."""
    titles = [title.strip().lower() for title in constants["GSS_OCCUPATIONS"]]
    rating = dict(zip(titles, constants["GSS_PRESTIGE_RATINGS"], strict=True))
    of = {word: [rating[t] for t in rating if t.startswith(word) or t.endswith(word)] for word in words}
    return {word: sum(ratings) / len(ratings) for word, ratings in of.items() if ratings}


_of_thesis = partial(
    Config,
    splits={
        "test": pinned_files(
            *BIASHANDLER,
            {
                "data/seeds/dict_PMI_WE.json": "ff0f5e5f43e9d393f7a6679b07138fdc9d915fade040db56e57a8f9aae875a42",
            },
        )[0]
    },
    parse=lambda raw, name: parsed_json(decoded(raw, name), name),
    schema=WORD_LISTS,
    licence="unknown",
    rights="Nicola Maddalozzo: biashandler",
    refusal=no_licence(BIASHANDLER[0]),
)
_DUSI = ("micheledusi/SupervisedBiasDetection", "cc1c1d69552ba48b4da2387faae6904873939244")
_WSV = {
    file.path.removeprefix("data/properties/"): file for file in pinned_files(*_DUSI, checksums("wsv_words"))
}
RECORDS = (
    describe_dataset(
        "weat_word_lists",
        packaged=True,
        configs=(
            *packaged_configs("weat_word_lists", WORD_LISTS),
            Config(
                name="de-cocreated",
                splits={"test": RepositoryTexts(pinned_files(*_BIAS, checksums("weat_word_lists")))},
                convert=_co_created,
                schema=WORD_LISTS,
                licence=BIAS_FRAMEWORK[0],
                rights=BIAS_FRAMEWORK[1],
                tests=tuple(_BIAS_TYPES),
            ),
        ),
    ),
    # Ours, packaged, and 30 tests of a thesis that are built only when asked for.
    describe_dataset(
        "spanish_seeds",
        packaged=True,
        configs=(
            *packaged_configs("spanish_seeds", WORD_LISTS),
            *(
                _of_thesis(name=f"es-{kind}", convert=partial(_spanish_tests, kind))
                for kind in _SPANISH_GROUPS
            ),
        ),
    ),
    # Gendered words with Winogender's occupations or with job titles, built only when asked for.
    describe_dataset(
        "wsv_words",
        configs=tuple(
            Config(
                name=name,
                splits={"test": RepositoryTexts((_WSV["gender/words-01.csv"], _WSV[f"profession/{file}"]))},
                convert=partial(_map_words, statistic),
                schema=WSV_WORDS,
                licence="unknown",
                rights="Michele Dusi, Nicola Arici, Alfonso E. Gerevini, Luca Putelli and Ivan Serina",
                refusal=no_licence(_DUSI[0]),
            )
            for name, file, statistic in (
                ("en", "words-02.csv", "women_bergsma"),
                ("en-jobtitles", "words-01.csv", ""),
            )
        ),
    ),
    # HurtLex 1.2 in the languages of HONEST, none of which is published again.
    describe_dataset(
        "hurtlex",
        configs=tuple(
            Config(
                name=language,
                splits={"test": file},
                parse=unquoted_table,
                convert=partial(_lexicon, language),
                schema=partial(columns_schema, *_HURTLEX),
                licence="cc-by-nc-sa-4.0",
                rights="Elisa Bassignana, Valerio Basile and Viviana Patti: HurtLex",
                refusal="its licence, CC BY-NC-SA 4.0, forbids commercial use, and its makers publish it themselves.",
            )
            for file in pinned_files(
                "valeriobasile/hurtlex", "e8205fa73b533d802d8b7fb6f846abd4be69ea63", checksums("hurtlex")
            )
            for language in [file.path[7:9].lower()]
        ),
    ),
    describe_dataset(
        "matched_guises",
        configs=(
            Config(
                name="en",
                splits={"test": RepositoryTexts(pinned_files(*_HOFMANN, checksums("matched_guises")))},
                convert=_guises,
                schema=GUISE_TESTS,
                licence="mit",
                rights="Copyright (c) 2024 Valentin Hofmann",
                tests=tuple(_GUISES),
            ),
        ),
    ),
)
