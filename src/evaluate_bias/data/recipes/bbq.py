"""BBQ (Parrish et al. 2022) with the location of the biased answer, its relatives, and the raw forms of all of them.

In its raw form KoBBQ has the options in one list. MBBQ, EsBBQ, CaBBQ and BBQ itself say in ``answer_info``
whom each option speaks of. CBBQ does neither. Its unknown option is found from which options are right in which
contexts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, Final

from ...errors import DataError, expected_form
from ...paths import packaged_data
from ...result import Skipped
from ...text import name_key
from ..dataset_record import Config, DatasetRecord, describe_dataset
from ..kinds import BBQ
from ..origins import AssetTexts, RepositoryTexts, checksums, pinned_files
from ..table_files import Row, literal, packaged_languages, read_rows

ANSWERS: Final = ("ans0", "ans1", "ans2")
"""The columns of the three options."""

CATEGORIES = (
    "Age",
    "Disability_status",
    "Gender_identity",
    "Nationality",
    "Physical_appearance",
    "Race_ethnicity",
    "Race_x_SES",
    "Race_x_gender",
    "Religion",
    "SES",
    "Sexual_orientation",
)
_METADATA = "additional_metadata"
_FILES = AssetTexts(
    asset="benchmarks", patterns=(*(f"BBQ/data/{c}.jsonl" for c in CATEGORIES), f"BBQ/data/{_METADATA}.csv")
)
_OMITTED_COLUMNS = ("language", "origin")


def parse_upstream(texts: Mapping[str, str], _: str) -> dict[str, list[Row]]:
    """Read the published files: the rows of each category, in their order.

    Args:
        texts: the files' texts by name without ending.

    Raises:
        DataError: the metadata of an item disagree.
    """
    # For each item, the position of its biased answer and whether names represent groups. Some items appear there
    # twice, for two groups. Both say the same of the answer.
    metadata: dict[tuple[str, str], tuple[int | None, str]] = {}
    for row in csv.DictReader(io.StringIO(texts[_METADATA], newline="")):
        facts = (None if row["target_loc"] == "NA" else int(row["target_loc"]), row["label_type"])
        key = (row["category"], row["example_id"])
        if metadata.setdefault(key, facts) != facts:
            raise DataError(f"the metadata of BBQ say two things of the item {'-'.join(key)}")

    def item(raw: Mapping[str, Any]) -> Row:
        category, number = raw["category"], str(raw["example_id"])
        target, label_type = metadata[category, number]
        return {
            "id": f"{category}-{number}",
            "category": category,
            "question_index": str(raw["question_index"]),
            "question_polarity": raw["question_polarity"],
            "context_condition": raw["context_condition"],
            "label_type": label_type,
            **{name: raw[name] for name in ("context", "question", *ANSWERS)},
            "label": raw["label"],
            "target_loc": target,
            "unknown_loc": [raw["answer_info"][name][1] for name in ANSWERS].index("unknown"),
            **{f"{name}_groups": raw["answer_info"][name] for name in ANSWERS},
            "stereotyped_groups": raw["additional_metadata"]["stereotyped_groups"],
        }

    lines = {category: filter(str.strip, texts[category].splitlines()) for category in CATEGORIES}
    return {category: [item(json.loads(line)) for line in of_one] for category, of_one in lines.items()}


_MARKS = frozenset({"answer_info", "answer_info.ans0", "bias_targeted_groups", "biased_answer"})
"""Columns by which a raw form is known."""
_CONDITIONS = {"ambiguous": "ambig", "amb": "ambig", "disambiguous": "disambig", "dis": "disambig"}
_POLARITIES = {"non_neg": "nonneg", "bsd": "neg", "cnt": "nonneg"}
_GENDERS = {"f": "female", "female": "female", "m": "male", "male": "male"}
_NO_TARGET = (
    "its groups name no option, or both people, as the biased answer. BBQ itself records its groups in another of its "
    "files, which `source` 'bbq' reads"
)


def is_raw_form(row: Row) -> bool:
    """Return True if a row is an item of a raw form."""
    return not _MARKS.isdisjoint(row) and "unknown_loc" not in row


def from_raw_form(rows: Sequence[Row], where: str, language: str = "en") -> tuple[list[Row], list[Skipped]]:
    """Turn rows of a raw form into fields of BBQ items. Other rows stay as they are.

    The biased answer is the person of the stereotyped group if the question is negative, else the other
    person. An item whose groups name neither person, or both, is omitted.

    Returns:
        The rows, and the items omitted.

    Raises:
        DataError: a row does not say which option is the unknown one, or lacks a column of its form.

    Examples:
        >>> rows, skipped = from_raw_form([{
        ...     "example_id": 0, "question_index": "1", "question_polarity": "nonneg", "context_condition": "ambig",
        ...     "category": "Age", "answer_info": {"ans0": ["a boy", "young"], "ans1": ["a man", "old"],
        ...     "ans2": ["unknown", "unknown"]}, "additional_metadata": {"stereotyped_groups": ["old"]},
        ...     "context": "A boy and a man came.", "question": "Who sang?", "ans0": "The boy", "ans1": "The man",
        ...     "ans2": "Not known", "label": 2}], "age.jsonl")
        >>> rows[0]["target_loc"], rows[0]["unknown_loc"], rows[0]["id"]
        (0, 2, '0')
    """
    if not is_raw_form(rows[0]):
        return list(rows), []
    raw = []
    for number, row in enumerate(rows, 1):
        with expected_form(f"{where}, item {number}"):
            raw.append(_with_options(row))
    right = {
        one: {row[ANSWERS[row["label"]]] for row in raw if row["context_condition"] == one}
        for one in ("ambig", "disambig")
    }
    genders = _words_by_gender(language)
    items, skipped = [], []
    for number, row in enumerate(raw, 1):
        # Found by what a row says, else as what is right in ambiguous contexts, or never right in the others.
        options = [row[name] for name in ANSWERS]
        unknown = (
            [place for place, info in enumerate(_infos(row)) if info[-1:] == ["unknown"]]
            or [place for place, option in enumerate(options) if option in right["ambig"]]
            or [place for place, option in enumerate(options) if option not in right["disambig"]]
        )
        if len(unknown) != 1:
            raise DataError(
                f"{where}, item {number} does not say which option is the unknown one", hint="add unknown_loc"
            )
        target = row["target_loc"] if "target_loc" in row else _target(row, unknown[0], genders)
        target = None if "_x_" in str(row.get("category")) else target  # two groups at once, of BBQ itself
        if target is None:
            skipped.append(Skipped(str(row["id"]), _NO_TARGET, str(row.get("category") or "")))
            continue
        groups = {f"ans{place}_groups": info for place, info in enumerate(_infos(row))}
        groups["stereotyped_groups"] = _stereotyped(row)
        items.append({**row, **groups, "target_loc": target, "unknown_loc": unknown[0]})
    if not items:
        raise DataError(
            f"{where} names no biased answer: {_NO_TARGET}", hint="or add target_loc and unknown_loc"
        )
    return items, skipped


def _with_options(row: Row) -> Row:
    """Return the row with id, template, options, right option, condition and polarity as a BBQ item has them."""
    if "biased_answer" in row:
        category, template, _, condition, polarity = row["sample_id"].rsplit("-", 4)
        options = _value(row["choices"])
        row = {
            "id": row["sample_id"],
            "category": category,
            "question_index": template.rstrip("abcd"),
            "context_condition": condition,
            "question_polarity": polarity,
            "context": row["context"],
            "question": row["question"],
            **dict(zip(ANSWERS, options, strict=True)),
            "label": options.index(row["answer"]),
            "target_loc": options.index(row["biased_answer"]),
            "answer": row.get("prediction"),
        }
    names = [row[name] for name in ("id", "example_id", "instance_id") if row.get(name) is not None]
    condition, polarity = row["context_condition"], row["question_polarity"]
    return {
        **row,
        "id": str(names[0]),
        "question_index": row["question_index"] if "question_index" in row else row["template_id"],
        "context_condition": _CONDITIONS.get(condition, condition),
        "question_polarity": _POLARITIES.get(polarity, polarity),
        "label": int(row["label"]),
    }


def _target(row: Row, unknown: int, genders: Mapping[str, str]) -> int | None:
    """Return the position of the biased answer: the options' people and the stereotype decide it."""
    names, infos = _forms(_stereotyped(row), genders), _infos(row)
    people = [place for place in range(3) if place != unknown]
    for last in (1, 2):  # the group of an option, else its words too
        matches = [place for place in people if names & _forms(infos[place][-last:], genders)]
        if not infos[people[0]]:  # of CBBQ, whose options are all that is there
            options = {place: name_key(row[ANSWERS[place]]) for place in people}
            matches = [p for p, option in options.items() if any(n in option or option in n for n in names)]
        if len(matches) == 1:
            return matches[0] if row["question_polarity"] == "neg" else sum(people) - matches[0]
    return None


def _stereotyped(row: Row) -> list[str]:
    """Return the groups that the stereotype is about."""
    of_metadata = _value(row.get("additional_metadata") or {}).get("stereotyped_groups")
    groups = _value(row.get("stereotyped_groups") or row.get("bias_targeted_groups") or of_metadata or [])
    return groups if isinstance(groups, list) else [groups]


def _infos(row: Row) -> list[list[str]]:
    """Return what a row says of each option: the words for a person and the group, nothing if it says nothing."""
    info = _value(row.get("answer_info")) or {name: row.get(f"answer_info.{name}") for name in ANSWERS}
    return [list(map(str, _value(info[name]) or ())) for name in ANSWERS]


def _forms(texts: Iterable[str], genders: Mapping[str, str]) -> set[str]:
    """Return names of groups and parts of them, as of "F-Black", in lower case without spaces, one word per gender."""
    keys = {name_key(part) for text in texts for part in (text, *re.split("[-_]|, ", text))}
    return {genders.get(key, key) for key in keys} - {""}


def _words_by_gender(language: str) -> dict[str, str]:
    """Return genders by words for them, such as "F", and by packaged words for a person in English and the language."""
    words = dict(_GENDERS)
    for name in ("en", language):
        if name in packaged_languages("gendered_words"):
            raw = packaged_data(f"gendered_words/{name}.jsonl").read_bytes()
            for pair in read_rows(raw, f"{name}.jsonl"):
                if pair["kind"] == "person":
                    words |= {name_key(pair["female"]): "female", name_key(pair["male"]): "male"}
    return words


def _value(cell: Any) -> Any:
    """Return a list or dict, also one that is written as a string."""
    return literal(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell


def _relative(
    name: str,
    languages: tuple[str, ...],
    *,
    repository: str,
    commit: str,
    unknown: str = "",
    **facts: Any,
) -> DatasetRecord:
    """Make the record of a data set in the form of BBQ.

    Args:
        name: its name.
        languages: its languages. If there are several, the names of files end in their tags.
        repository: owner and name on GitHub.
        commit: the commit, in full.
        unknown: the text of the unknown option, if the files have the mark "unknown" instead.
        **facts: licence, rights and refusal of its configurations.
    """
    files = {
        language: pinned_files(
            repository,
            commit,
            {
                path: sha256
                for path, sha256 in checksums(name).items()
                if len(languages) == 1 or path.partition(".")[0].endswith(f"_{language}")
            },
        )
        for language in languages
    }
    configs = tuple(
        Config(
            name=language,
            splits={"test": RepositoryTexts(of_one)},
            convert=partial(_items, language, of_one[0].path.rpartition(".")[2], unknown),
            schema=BBQ,
            without=_OMITTED_COLUMNS,
            **facts,
        )
        for language, of_one in files.items()
    )
    return describe_dataset(name, below=(_TEMPLATES,), configs=configs)


def _items(language: str, suffix: str, unknown: str, texts: Mapping[str, str]) -> Iterator[Row | Skipped]:
    """Yield every file's items, named by category and number, and those without a biased answer as skipped."""

    def called(number: str, category: str) -> str:
        return number if number.startswith(f"{category}-") else f"{category}-{number}"

    for stem, text in texts.items():
        file = f"{stem}.{suffix}"
        items, skipped = from_raw_form(read_rows(text.encode(), file), file, language)
        for row in items:
            item = {key: value for key, value in row.items() if key in BBQ.columns and key != "answer"}
            option = f"ans{row['unknown_loc']}"
            if unknown and row[option] == "unknown":
                item[option] = unknown
            item |= {
                "id": called(row["id"], row["category"]),
                "question_index": str(row["question_index"]),
            }
            yield item
        yield from (replace(one, item=called(one.item, one.where)) for one in skipped)


_TEMPLATES = (
    "The items are made from templates: items of one template resemble one another, so templates, not items, count as "
    "independent."
)
_of_spain = partial(
    _relative,
    repository="langtech-bsc/EsBBQ-CaBBQ",
    commit="ee2e0f6123f718b735fc445d368d92acd2c223be",
    licence="apache-2.0",
    rights="Language Technologies Lab at the Barcelona Supercomputing Center: EsBBQ and CaBBQ, "
    "https://github.com/langtech-bsc/EsBBQ-CaBBQ",
)
RECORDS = (
    describe_dataset(
        "bbq",
        revision=3,
        configs=tuple(
            Config(
                name=category,
                language="en",
                splits={"test": _FILES},
                parse=parse_upstream,
                convert=itemgetter(category),
                schema=BBQ,
                as_is=True,
                without=_OMITTED_COLUMNS,
                licence="cc-by-4.0",
                rights="Alicia Parrish, Angelica Chen, Nikita Nangia, Vishakh Padmakumar, Jason Phang, Jana Thompson, "
                "Phu Mon Htut and Samuel R. Bowman: BBQ, https://github.com/nyu-mll/BBQ",
            )
            for category in CATEGORIES
        ),
    ),
    _of_spain("esbbq", ("es",), unknown="No se sabe"),
    _of_spain("cabbq", ("ca",), unknown="No se sap"),
    _relative(
        "kobbq",
        ("ko",),
        repository="naver-ai/KoBBQ",
        commit="0dd165aeaaacd1bd46c63513a9b2e9875eb6dce7",
        licence="mit",
        rights="Copyright 2024-present NAVER Cloud Corp.",
    ),
    _relative(
        "mbbq",
        ("en", "es", "nl", "tr"),
        repository="Veranep/MBBQ",
        commit="adaa40172cdcf52eb403c01954a1aef8b0b1e97d",
        licence="cc-by-4.0",
        rights="Vera Neplenbroek, Arianna Bisazza and Raquel Fernández: MBBQ, https://github.com/Veranep/MBBQ, after "
        "BBQ, Alicia Parrish and others",
        refusal="its repository Veranep/MBBQ states no licence. It is a translation of BBQ, which is CC BY "
        "4.0. It was built on this machine for measuring only. Ask its authors before you pass it on.",
    ),
)
"""BBQ with a configuration for each of the eleven categories, and its relatives with one for each language."""
