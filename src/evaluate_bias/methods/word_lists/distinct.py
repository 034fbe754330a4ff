"""Words that have the same vector, as several words of pruned vectors do: to the model they are one word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ...arrays import RealArray
from ...data.word_lists import WordListTest
from ...errors import InputError
from ...method_record import MethodRecord
from ...result import Skipped
from ...text import counted
from .inference import SameVector
from .inputs import LISTS, SIDES, Forms, check_casing, check_coverage, check_lists, forms_of

_Item: TypeAlias = tuple[str, ...]
"""A word alone, or the two words of a pair."""


@dataclass(slots=True, kw_only=True)
class DistinctWords:
    """The words of lists that count.

    Attributes:
        lists: of each list, its words that count.
        forms: of each list, what these represent. Words of two lists with one vector represent the same.
        vectors: of every word that the model has, shape (dimension,), none for a model without vectors of single words.
        skipped: the words that do not count.
        n_ambiguous: of each list, the number of these whose vector the opposite list has too.
        warnings: which words have the same vector.
    """

    lists: dict[str, tuple[str, ...]]
    forms: Forms
    vectors: Mapping[str, RealArray] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    n_ambiguous: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def requested(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Of each list, the number of words asked for, from the number asked for among the words that count."""
        return {name: n + self.n_ambiguous.get(name, 0) for name, n in sizes.items()}


def distinct_test(
    model: Any,
    test: WordListTest,
    same_vector: SameVector,
    max_missing: float,
    record: MethodRecord | None = None,
) -> tuple[WordListTest, DistinctWords]:
    """Return a test with the words that count, see :func:`distinct_words`.

    Args:
        model: any model.
        test: the test.
        same_vector: whether words with the same vector count as one.
        max_missing: largest share of a target list that may be omitted.
        record: of the method: which lists it needs, and whether its targets are pairs. ``None``: all four, no
            pairs.

    Raises:
        CoverageError: more of a target list is omitted.
        InputError: a word is in both target lists, or pairs do not match.
        UndefinedScoreError: a list that the method needs is empty.
    """
    lists = {name: getattr(test, name) for name in LISTS}
    forms = {name: forms_of(model, words) for name, words in lists.items()}
    check_lists(test, forms, LISTS if record is None else record.columns[1:])
    check_casing(model, test)
    paired = record is not None and record.paired
    if paired and len(test.targets_x) != len(test.targets_y):
        raise InputError(
            f"{test.name}: targets_x has {len(test.targets_x)} words and targets_y {len(test.targets_y)}, but they "
            "are read as pairs",
            hint="give every word its counterpart",
        )
    words = distinct_words(
        model, lists, same_vector, max_missing, where=f"{test.name}/", opposite=SIDES[0], paired=paired
    )
    return test.model_copy(update=dict(words.lists)), words


def distinct_words(
    model: Any,
    lists: Mapping[str, Sequence[str]],
    same_vector: SameVector,
    max_missing: float,
    *,
    where: str = "",
    opposite: Sequence[str] = (),
    paired: bool = False,
) -> DistinctWords:
    """Look words up: of words of a list that have the same vector the first counts, or every one with ``"keep"``.

    A vector that represents words of both lists ``opposite`` counts for neither: these words are excluded
    from both. If the two lists are ``paired``, pairs are compared, and one is omitted if the vector of either
    word is such.

    Raises:
        CoverageError: one of these lists loses more than ``max_missing`` of its words.
    """
    forms = {name: forms_of(model, words) for name, words in lists.items()}
    words = DistinctWords(lists={name: tuple(entries) for name, entries in lists.items()}, forms=forms)
    if not hasattr(model, "embed_words"):
        return words
    form_of = {word: form for of_list in forms.values() for word, form in of_list.items()}
    matrix, missing = model.embed_words(list(form_of))
    lacking = set(missing)
    words.vectors = dict(zip((w for i, w in enumerate(form_of) if i not in lacking), matrix, strict=True))
    # Minus 0 is 0, which bytes do not show. A vector without direction is refused elsewhere, by the name of its word.
    marks = {word: (vector + 0.0).tobytes() for word, vector in words.vectors.items() if np.any(vector)}
    sides = [{marks[word] for word in lists[name] if word in marks} for name in opposite]
    in_both = set[bytes]().union(*sides[:1]).intersection(*sides[1:])
    merge = same_vector == "merge"
    compared = [tuple(opposite)] if paired else [(name,) for name in opposite]
    for names in [*compared, *((name,) for name in lists if name not in opposite)]:
        place, unit = (f"{where}targets", "pairs") if len(names) > 1 else (where + names[0], "words")
        items = list(zip(*(lists[name] for name in names), strict=True))
        keys = {item: tuple(marks.get(word, word) for word in item) for item in items}
        heads = {key: item for item, key in reversed(keys.items())}
        ambiguous = [i for i, key in keys.items() if names[0] in opposite and not in_both.isdisjoint(key)]
        # Repeated words, and other spellings of a word, stay with it: what they count as, the method says.
        groups: dict[_Item, list[_Item]] = {}
        for item, key in keys.items():
            if item not in ambiguous and [form_of[w] for w in item] != [form_of[w] for w in heads[key]]:
                groups.setdefault(heads[key], []).append(item)
        if groups:
            n, m = len(groups) + sum(map(len, groups.values())), len(groups)
            alike = "; ".join(" = ".join(map(_label, (head, *more))) for head, more in groups.items())
            counts = f"share {counted(m, 'vector')} and count as {m if merge else n}"
            words.warnings.append(f"{place}: {n} {unit} {counts}: {alike}")
        if ambiguous:
            how, labels = "ignored" if merge else "counted on both sides", ", ".join(map(_label, ambiguous))
            words.warnings.append(
                f"{place}: {how}, as words of the opposite list have the same vectors: {labels}"
            )
        if not merge:
            continue
        if ambiguous:
            check_coverage(
                place, [*map(_label, ambiguous)], len(keys), max_missing,
                missing="have the same vector as words of the opposite list",
                advice="use vectors that tell these words apart", items=unit,
            )  # fmt: skip
        once = {
            item: f"the same vector as {_label(head)!r}, counted once"
            for head in groups
            for item in groups[head]
        }
        reasons = once | dict.fromkeys(ambiguous, "a word of the opposite list has the same vector")
        words.skipped += [Skipped(_label(item), reason, place) for item, reason in reasons.items()]
        words.n_ambiguous |= dict.fromkeys(names, len(ambiguous))
        remaining = [item for item in items if item not in reasons]
        words.lists |= {name: tuple(item[k] for item in remaining) for k, name in enumerate(names)}
    if merge:  # words of one vector represent the least of their forms
        by_form = sorted(marks, key=form_of.__getitem__, reverse=True)
        least = {marks[word]: form_of[word] for word in by_form}
        form_of |= {word: least[mark] for word, mark in marks.items()}
    words.forms = {name: {word: form_of[word] for word in of_list} for name, of_list in words.lists.items()}
    return words


def _label(item: _Item) -> str:
    return " / ".join(item)
