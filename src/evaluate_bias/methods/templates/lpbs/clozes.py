"""From word lists to the log-probabilities that the log-probability bias score compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....data.templates import Template
from ....data.word_lists import LpbsTest, Number
from ....errors import InputError
from ....models.alignment import Encoded
from ....models.masked import MaskedRequest
from ....result import Skipped
from ...template_filling import Cloze, fill, largest_scorable_block, read_words, word_logprobs
from ...word_lists.inputs import LISTS, Material, check_lists, check_scored, each_once
from .statistics import LogProbs, Variant

TARGETS = ("targets_x", "targets_y")
ATTRIBUTES = ("attributes_a", "attributes_b")

Templates = Mapping[Number, Sequence[Template]]
"""The templates of singular and of plural targets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClozeMaterial(Material):
    """A test by the texts in which its words are hidden. Singular targets come first.

    Attributes:
        clozes: for the singular and for the plural targets, if any, values of X and of Y: arrays of shape
            (targets, templates, attributes).
    """

    clozes: Sequence[tuple[NDArray[Any], NDArray[Any]]]


def read_test(model: Any, test: LpbsTest, templates: Templates, max_missing: float) -> ClozeMaterial:
    """Fill the templates with every target of their number and every attribute. Omit what cannot be scored.

    A word is omitted when a text with it cannot be scored. Words with most such texts go first, until all texts of the
    remaining words can be scored.

    Raises:
        CoverageError: a list loses more than ``max_missing`` of its words.
        InputError: a word is in both attribute lists, or one target list alone has words of a number.
        UndefinedScoreError: a list is empty.
    """
    fold = str.lower if getattr(model, "is_uncased", False) else str
    forms = {name: {word: fold(word) for word in getattr(test, name)} for name in LISTS}
    check_lists(test, forms, pairs=(ATTRIBUTES,))
    skipped: list[Skipped] = []
    distinct_words: dict[str, list[str]] = {}
    for name in LISTS:
        unique, again = each_once(getattr(test, name), forms[name], f"{test.name}/{name}", "word")
        distinct_words[name] = sorted(unique, key=forms[name].__getitem__)
        skipped += again
    plural = frozenset(test.plural_targets)
    numbers: tuple[Number, ...] = ("singular", "plural")
    rows = [
        (name, word, number)
        for name in TARGETS
        for number in numbers
        for word in distinct_words[name]
        if (word in plural) == (number == "plural")
    ]
    columns = [(name, word) for name in ATTRIBUTES for word in distinct_words[name]]
    texts = [(number, template) for number, reason_of in templates.items() for template in reason_of]
    # A cell of another number than its target's contains nothing, and is never read.
    cells = np.full((len(rows), len(texts), len(columns)), None, dtype=object)
    places = [
        (i, j, k)
        for i, (_, _, number) in enumerate(rows)
        for j, (of_number, _) in enumerate(texts)
        for k in range(len(columns))
        if number == of_number
    ]
    filled = (fill(texts[j][1], target=rows[i][1], attribute=columns[k][1]) for i, j, k in places)
    for place, cloze in zip(places, read_words(model, list(filled)), strict=True):
        cells[place] = cloze
    kept_rows, kept_columns, lost = largest_scorable_block(cells)
    reasons: dict[str, dict[str, str]] = {name: {} for name in LISTS}
    for axis, at, reason in lost:
        name, word = rows[at][:2] if axis == 0 else columns[at]
        reasons[name][word] = reason
        skipped.append(Skipped(word, reason, f"{test.name}/{name}"))
    scored_words = [rows[k][:2] for k in kept_rows] + [columns[k] for k in kept_columns]
    words = {name: tuple(word for where, word in scored_words if where == name) for name in LISTS}
    for name, reason_of in reasons.items():
        in_order = {word: reason_of[word] for word in distinct_words[name] if word in reason_of}
        check_scored(model, f"{test.name}/{name}", in_order, len(distinct_words[name]), max_missing)
    clozes = []
    for number in numbers:
        of_x, of_y = (
            [i for i in kept_rows if (rows[i][0], rows[i][2]) == (name, number)] for name in TARGETS
        )
        if bool(of_x) != bool(of_y):
            raise InputError(
                f"{test.name}: there are {number} words in {'targets_x' if of_x else 'targets_y'} alone. "
                "Words are compared within the templates of their number",
                hint="give such words in both target lists, or in none",
            )
        layers = [j for j, (of_number, _) in enumerate(texts) if of_number == number]
        if of_x:
            x, y = (cells[np.ix_(members, layers, kept_columns)] for members in (of_x, of_y))
            clozes.append((x, y))
    return ClozeMaterial(
        test=test,
        words=words,
        list_sizes={name: len(distinct_words[name]) for name in LISTS},
        clozes=clozes,
        skipped=tuple(skipped),
    )


def log_probabilities(
    model: Any, scored_tests: Sequence[ClozeMaterial], variant: Variant
) -> list[tuple[list[LogProbs], list[LogProbs]]]:
    """Log-probabilities of the targets X and Y of every test, all read in one run.

    Returns:
        For each test the sets of X and of Y, a set for each number of the words, with arrays of shape (targets,
        templates, attributes).
    """
    arrays = [array for scored in scored_tests for pair in scored.clozes for array in pair]
    values = word_logprobs(
        model,
        [group for array in arrays for cloze in array.ravel() for group in _requests(model, cloze, variant)],
    )
    parts = np.split(values, np.cumsum([2 * array.size for array in arrays])[:-1])
    both = (part.reshape(*array.shape, 2) for array, part in zip(arrays, parts, strict=True))
    stream = (LogProbs(one[..., 0], one[..., 1]) for one in both)
    sets = [[(next(stream), next(stream)) for _ in scored.clozes] for scored in scored_tests]
    return [([x for x, _ in pairs], [y for _, y in pairs]) for pairs in sets]


def _requests(model: Any, cloze: Cloze, variant: Variant) -> tuple[list[MaskedRequest], list[MaskedRequest]]:
    """Return the target next to the attribute, and next to the hidden attribute.

    The BIAS framework reads every piece of the target at the first mask of the text, with one mask per word.
    In the prior of a template whose attribute comes first, that is the attribute's mask. Kurita's published
    code reads the first piece of the target. Its look-up of the *last* mask forgets the token that opens the
    text and so returns the position before that mask. It looks up the last mask for the prior when the target
    comes first, if that is the attribute's mask, and for the target when the attribute comes first.
    """
    if variant == "default":
        return cloze.requests("target"), cloze.requests("target", hidden=["attribute"])
    by_kurita = variant == "kurita-code"
    word = [cloze.encoded.ids[p] for p in cloze.pieces["target"]][: 1 if by_kurita else None]
    target_first = cloze.pieces["target"] < cloze.pieces["attribute"]

    def slot_requests(*slots: str) -> list[MaskedRequest]:
        encoded, masks = _one_mask_a_word(cloze, slots, model.mask_id)
        looks_up_last = by_kurita and target_first == (len(slots) > 1)
        position = masks[-1] - 1 if looks_up_last else masks[0]
        return [MaskedRequest(encoded, (), ((position, piece),)) for piece in word]

    return slot_requests("target"), slot_requests("target", "attribute")


def _one_mask_a_word(cloze: Cloze, slots: Sequence[str], mask: int) -> tuple[Encoded, list[int]]:
    """Return the text with a single mask for each of the words in ``slots``, and the positions of these masks."""
    ids: list[int] = []
    masks: list[int] = []
    first = {cloze.pieces[slot][0] for slot in slots}
    replaced = {p for slot in slots for p in cloze.pieces[slot]}
    for p, token in enumerate(cloze.encoded.ids):
        if p in first:
            masks.append(len(ids))
            ids.append(mask)
        elif p not in replaced:
            ids.append(token)
    encoded = replace(
        cloze.encoded, ids=tuple(ids), positions=tuple(masks), offsets=(), word_ids=(), type_ids=None
    )
    return encoded, masks
