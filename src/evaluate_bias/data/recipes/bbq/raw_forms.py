"""The raw forms in which BBQ and its relatives are published, as BBQ items.

KoBBQ has the options in one list; MBBQ, EsBBQ, CaBBQ and BBQ itself say in ``answer_info`` whom each option speaks of;
CBBQ does neither: there the unknown option follows from what is ever right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ....errors import DataError, UnknownNameError
from ....result import Skipped
from ....text import name_key
from ...table_files import Row, literal, packaged_rows
from . import ANSWERS

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
    """Turn rows of a raw form into fields of BBQ items; other rows stay as they are.

    The biased answer is the person of the stereotyped group where the question is negative, else the other person. An
    item whose groups name neither person, or both, is left out.

    Returns:
        The rows, and the items left out.

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
        try:
            raw.append(_with_options(row))
        except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
            raise DataError(
                f"{where}, item {number} is not of the form of BBQ or a relative: {error!r:.200}"
            ) from error
    right = {
        one: {row[ANSWERS[row["label"]]] for row in raw if row["context_condition"] == one}
        for one in ("ambig", "disambig")
    }
    genders = _words_by_gender(language)
    items, skipped = [], []
    for number, row in enumerate(raw, 1):
        unknown = _unknown(row, right["ambig"], right["disambig"])
        if len(unknown) != 1:
            raise DataError(
                f"{where}, item {number} does not say which option is the unknown one", hint="add unknown_loc"
            )
        target = row["target_loc"] if "target_loc" in row else _target(row, unknown[0], genders)
        target = None if "_x_" in str(row.get("category")) else target  # two groups at once, of BBQ itself
        if target is None:
            skipped.append(Skipped(str(row["id"]), _NO_TARGET, str(row.get("category") or "")))
        groups = {f"ans{place}_groups": info for place, info in enumerate(_infos(row))}
        groups["stereotyped_groups"] = _stereotyped(row)
        items += (
            [] if target is None else [{**row, **groups, "target_loc": target, "unknown_loc": unknown[0]}]
        )
    if not items:
        raise DataError(
            f"{where} names no biased answer: {_NO_TARGET}", hint="or add target_loc and unknown_loc"
        )
    return items, skipped


def _with_options(row: Row) -> Row:
    """The row with id, template, options, right option, condition and polarity as a BBQ item has them."""
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


def _unknown(row: Row, right_in_doubt: set[str], right_otherwise: set[str]) -> list[int]:
    """Positions of the unknown option, by what a row says, else by what is right in doubt, or right in no context."""
    options = [row[name] for name in ANSWERS]
    by_row = [place for place, info in enumerate(_infos(row)) if info[-1:] == ["unknown"]]
    in_doubt = [place for place, option in enumerate(options) if option in right_in_doubt]
    return (
        by_row or in_doubt or [place for place, option in enumerate(options) if option not in right_otherwise]
    )


def _target(row: Row, unknown: int, genders: Mapping[str, str]) -> int | None:
    """Position of the biased answer, by whom the options speak of and which groups the stereotype is about."""
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
    """The groups that the stereotype is about."""
    facts = _value(row.get("additional_metadata") or {})
    candidates = (
        row.get("stereotyped_groups"),
        row.get("bias_targeted_groups"),
        facts.get("stereotyped_groups"),
    )
    groups = _value(next((one for one in candidates if one), []))
    return groups if isinstance(groups, list) else [groups]


def _infos(row: Row) -> list[list[str]]:
    """What a row says of each option: the words for a person and the group; nothing where it says nothing."""
    info = _value(row.get("answer_info")) or {name: row.get(f"answer_info.{name}") for name in ANSWERS}
    return [list(map(str, _value(info[name]) or ())) for name in ANSWERS]


def _forms(texts: Iterable[str], genders: Mapping[str, str]) -> set[str]:
    """What groups are called, and parts of it as of "F-Black", without capitals and blanks; a gender in one way."""
    keys = {name_key(part) for text in texts for part in (text, *re.split("[-_]|, ", text))}
    return {genders.get(key, key) for key in keys} - {""}


def _words_by_gender(language: str) -> dict[str, str]:
    """Genders by the words for them, such as "F", and for a person in English and in a language with packaged ones."""
    words = dict(_GENDERS)
    for name in ("en", language):
        with suppress(UnknownNameError):
            for pair in packaged_rows("gendered_words", name):
                if pair["kind"] == "person":
                    words |= {name_key(pair["female"]): "female", name_key(pair["male"]): "male"}
    return words


def _value(cell: Any) -> Any:
    """A list or mapping, also one written as text."""
    return literal(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell
