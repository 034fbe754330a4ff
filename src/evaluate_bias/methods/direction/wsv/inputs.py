"""The rows of a WSV measurement as lists of words, statistics and vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....data.schemas import parse_row
from ....data.words import WsvWord
from ....errors import InputError, UndefinedScoreError
from ....models.pooling import Representation
from ....result import Skipped
from ....text import row_place
from ...embedding import embed_in_templates
from ...rows import is_score, statistic_label
from ...template_filling import templates_for
from ...word_lists.inputs import check_scored, forms_of

PROTECTED, EVALUATION = "protected words", "words to evaluate"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of both kinds, each in the order of their text."""

    protected: tuple[str, ...]
    classes: tuple[str, ...]  # of each protected word
    evaluation: tuple[str, ...]
    statistics: dict[str, NDArray[np.float64]]  # by name, the primary one first; NaN for words that have none
    language: str
    in_data_order: tuple[str, ...]  # the words to evaluate in the order of the rows


def sort_words(
    model: Any,
    data: Sequence[WsvWord | Mapping[str, Any]],
    statistics: Mapping[str, Mapping[str, float]] | None,
) -> tuple[Words, list[Skipped]]:
    """Tell protected words from those to evaluate, and gather their statistics; the model says which are the same.

    The others are words that are given again.
    """
    rows = [parse_row(WsvWord, row, row_place(i, len(data))) for i, row in enumerate(data)]
    forms = forms_of(model, list(dict.fromkeys(row.word for row in rows)))
    # What words of one form are called, and the kinds below by that name: the same in any order of the rows.
    called: dict[str, str] = {}
    for word, form in forms.items():
        called[form] = min(word, called.get(form, word))
    classes: dict[str, str] = {}
    shares: dict[str, float | None] = {}
    skipped: list[Skipped] = []
    for row in sorted(rows, key=lambda row: not row.group):  # the protected words first
        word = called[forms[row.word]]
        if row.group:
            if classes.get(word, row.group) != row.group:
                raise InputError(
                    f"the protected word {row.word!r} belongs to {classes[word]!r} and to {row.group!r}: a word "
                    "has one class"
                )
            if word in classes:
                skipped.append(Skipped(row.word, "given again, counted once", PROTECTED))
            classes[word] = row.group
        elif word in classes:
            skipped.append(Skipped(row.word, "also a protected word, which fits the map", EVALUATION))
        elif word in shares:
            if row.statistic not in (None, shares[word]):
                raise InputError(f"the word {row.word!r} has two numbers: {shares[word]} and {row.statistic}")
            skipped.append(Skipped(row.word, "given again, counted once", EVALUATION))
        else:
            shares[word] = row.statistic
    for kind, table in ((PROTECTED, classes), (EVALUATION, shares)):
        if not table:
            which = "a group" if kind == PROTECTED else "an empty group"
            raise UndefinedScoreError(f"no {kind}: wsv needs rows with {which}")
    languages = {row.language for row in rows} - {"und"}
    words_in_order = tuple(shares)
    # By their text, so that rows in another order have the same map, to the last digit, and the same p-values.
    classes, shares = dict(sorted(classes.items())), dict(sorted(shares.items()))
    label, further = statistic_label(rows), statistics or {}
    if not all(isinstance(table, Mapping) for table in further.values()):
        raise InputError(
            "`statistics` must give for each name a dict from words to numbers", option="statistics"
        )
    if label in further:
        raise InputError(
            f"`statistics` has {label!r}, which is the name of the rows' own numbers",
            option="statistics",
            hint="rename it",
        )
    own = {word: value for word, value in shares.items() if value is not None}
    tables = {**({label: own} if own else {}), **further}
    if not tables:
        raise UndefinedScoreError(
            "no word to evaluate has a statistic",
            option="statistics",
            hint="fill the column 'statistic', or give numbers by word as `statistics`",
        )
    for (name, table), word in product(tables.items(), shares):
        value = table.get(word)
        if value is not None and not (is_score(value) and math.isfinite(value)):
            raise InputError(
                f"the statistic {name!r} of {word!r} must be a finite number, got {value!r}",
                option="statistics",
            )
    return Words(
        protected=tuple(classes),
        classes=tuple(classes.values()),
        evaluation=tuple(shares),
        statistics={
            name: np.array([np.nan if table.get(word) is None else float(table[word]) for word in shares])
            for name, table in tables.items()
        },
        language=min(languages) if len(languages) == 1 else "en",
        in_data_order=words_in_order,
    ), skipped


def embed_words(
    model: Any, words: Words, template: str, representation: Representation, max_missing: float
) -> tuple[Words, NDArray[np.float64], NDArray[np.float64], list[Skipped]]:
    """Embed the words of both kinds; refuses a class, or words to evaluate, of which too many cannot be.

    Returns:
        The words that could be embedded; vectors of the protected ones and of those to evaluate, each of shape (words,
        dimension); and the others, with those that lack a statistic.
    """
    chosen = templates_for([template], words.language, ["target"])
    every = [*words.protected, *words.evaluation]
    vectors, places, skipped = embed_in_templates(model, chosen, every, [representation])
    n = len(words.protected)
    first, second = [i for i in places if i < n], [i - n for i in places if i >= n]
    lost = {s.item: s.reason for s in skipped}
    kinds: dict[str, list[str]] = {}
    for word, name in zip(words.protected, words.classes, strict=True):
        kinds.setdefault(f"protected words, class {name!r}", []).append(word)
    for where, members in (*kinds.items(), (EVALUATION, words.evaluation)):
        of_kind = {word: lost[word] for word in members if word in lost}
        check_scored(model, where, of_kind, len(members), max_missing, scored="embedded")
    rest = replace(
        words,
        protected=tuple(words.protected[i] for i in first),
        classes=tuple(words.classes[i] for i in first),
        evaluation=tuple(words.evaluation[i] for i in second),
        statistics={name: values[second] for name, values in words.statistics.items()},
    )
    unembedded = [replace(s, where=PROTECTED if s.item in words.protected else EVALUATION) for s in skipped]
    unnumbered = [
        Skipped(word, "has no number", f"statistic {name!r}")
        for name, values in rest.statistics.items()
        for word, value in zip(rest.evaluation, values.tolist(), strict=True)
        if math.isnan(value)
    ]
    return rest, vectors[0, : len(first), 0], vectors[0, len(first) :, 0], [*unembedded, *unnumbered]
