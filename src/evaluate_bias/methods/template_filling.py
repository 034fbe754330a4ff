"""Words in filled templates as a masked language model reads them: which tokens a word is, and how likely it is there.

Shared by the template methods. A word of several pieces gets one mask per piece. These are read from left to
right, each with the pieces before it visible and those after it hidden, so that the sum of their
log-probabilities is the log-probability of the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.templates import Filled, Template, load_templates, parse_template
from ..errors import DataError, InputError, UnknownNameError, bad_option, quoted
from ..models.alignment import Encoded
from ..models.masked import MaskedRequest
from ..result import Skipped
from .rows import finite


@dataclass(frozen=True, slots=True)
class Cloze:
    """A text as the model reads it and the positions of the words that can be masked.

    Attributes:
        encoded: the text.
        pieces: positions of the pieces of the word in each slot.

    Examples:
        >>> cloze = Cloze(Encoded("she nurses", (2, 7, 8, 9, 3), (1, 2, 3)), {"target": (1,), "attribute": (2, 3)})
        >>> [(r.masked, r.targets) for r in cloze.requests("attribute")]
        [((2, 3), ((2, 8),)), ((3,), ((3, 9),))]
        >>> [(r.masked, r.targets) for r in cloze.requests("target", hidden=["attribute"])]
        [((1, 2, 3), ((1, 7),))]
    """

    encoded: Encoded
    pieces: Mapping[str, tuple[int, ...]]

    def requests(self, slot: str, hidden: Iterable[str] = ()) -> list[MaskedRequest]:
        """What to ask for the log-probability of the word in ``slot``, with other slots ``hidden`` all the while: one
        request per piece, from left to right."""
        word = self.pieces[slot]
        others = tuple(p for other in hidden for p in self.pieces[other])
        return [
            MaskedRequest(self.encoded, (*word[k:], *others), ((p, self.encoded.ids[p]),))
            for k, p in enumerate(word)
        ]


def fill(template: Template, **words: Any) -> Filled | str:
    """Fill a template. If a form that it needs is not known, return the reason instead."""
    try:
        return template.fill(**words)
    except DataError as error:
        return str(error)


def read_words(model: Any, fillings: Sequence[Filled | str], *, masks: bool = False) -> list[Cloze | str]:
    """Tokenize filled templates and find the pieces of their words.

    Args:
        model: a masked language model.
        fillings: filled templates, or the reason why one is missing, which is passed on.
        masks: whether the mask token may represent a word. No special token may otherwise.

    Returns:
        One item per filling: its cloze, or why it cannot be scored: the text cannot be read, a word has no token, is
        unknown to the tokenizer, or shares a token with another.
    """
    encoded = iter(model.encode([f.text for f in fillings if not isinstance(f, str)]))
    tokenizer = getattr(model, "tokenizer", None)
    unknown = getattr(tokenizer, "unk_token_id", None)
    special = frozenset(getattr(tokenizer, "all_special_ids", ()))
    if masks:
        special -= {getattr(tokenizer, "mask_token_id", None)}
    return [f if isinstance(f, str) else _cloze(f, next(encoded), unknown, special) for f in fillings]


def _cloze(
    filling: Filled, encoded: Encoded | Skipped, unknown: int | None, special: frozenset[int]
) -> Cloze | str:
    if isinstance(encoded, Skipped):
        return encoded.reason
    pieces = {slot: encoded.span_positions(*span) for slot, span in filling.spans.items()}
    used: set[int] = set()
    for slot, positions in pieces.items():
        word = filling.surface(slot)
        if not positions:
            return f"the tokenizer finds no token for {quoted(word)}"
        if unknown is not None and any(encoded.ids[p] == unknown for p in positions):
            return f"{quoted(word)} is or contains the tokenizer's unknown token"
        if slot != "mask" and any(encoded.ids[p] in special for p in positions):
            return f"{quoted(word)} is or contains a special token of the tokenizer, which is not a word"
        if used.intersection(positions):
            return f"{quoted(word)} shares a token with another word of {quoted(filling.text)}"
        used.update(positions)
    return Cloze(encoded, pieces)


def largest_scorable_block(
    cells: NDArray[Any],
) -> tuple[list[int], list[int], list[tuple[int, int, str]]]:
    """Words to keep, and those to omit with the reason, so that every cell that is left can be scored.

    Those with the largest share of cells that cannot be scored go first. If they are equal, a row goes before a column.

    Args:
        cells: clozes, or reasons why one is missing, of shape (rows, templates, columns).

    Returns:
        Kept rows, kept columns, and ``(axis, place, reason)`` of the others: 0 for a row, 1 for a column.
    """
    reasons = [
        [next((c for c in cells[i, :, j] if isinstance(c, str)), "") for j in range(cells.shape[2])]
        for i in range(cells.shape[0])
    ]
    bad = np.array([[bool(reason) for reason in row] for row in reasons])  # shape (rows, columns)
    is_kept = [np.ones(n, dtype=bool) for n in bad.shape]
    lost: list[tuple[int, int, str]] = []
    while (bad_cells := bad & is_kept[0][:, None] & is_kept[1]).any():
        # Share of bad cells of every row, and of every column, that is left.
        shares = [bad_cells.sum(axis=1 - axis) / is_kept[1 - axis].sum() for axis in (0, 1)]
        axis = int(shares[1].max() > shares[0].max())
        place = int(shares[axis].argmax())
        across = int((bad_cells[place] if axis == 0 else bad_cells[:, place]).argmax())
        lost.append((axis, place, reasons[place][across] if axis == 0 else reasons[across][place]))
        is_kept[axis][place] = False
    return np.flatnonzero(is_kept[0]).tolist(), np.flatnonzero(is_kept[1]).tolist(), lost


def word_logprobs(model: Any, words: Sequence[Sequence[MaskedRequest]]) -> NDArray[np.float64]:
    """Log-probabilities of words in nats, shape (words,), each by its requests, see :meth:`Cloze.requests`.

    All are read in one run, so that equal requests are computed once.
    """
    if not words:
        return np.empty(0)
    # log p(word) = sum over its pieces k of log p(piece k | pieces before k). ``values`` has shape
    # (requests,).
    requests = [request for word in words for request in word]
    values = finite(model, np.concatenate(model.masked_logprobs(requests)))
    starts = np.cumsum([0, *(len(word) for word in words[:-1])])
    return np.asarray(np.add.reduceat(values, starts), dtype=np.float64)


def named_templates(templates: str | Sequence[str | Template], language: str) -> list[Template]:
    """Return the templates that an option names, whatever their slots.

    Args:
        templates: the name of a packaged set, or a list of templates or of texts with slots in braces.
        language: language of the set, and of texts.

    Raises:
        InputError: no template, or the set has none in this language. The message names the languages that have some.
        DataError: a text is not a template.
        UnknownNameError: no such set.
    """
    if isinstance(templates, str):
        try:
            chosen = list(load_templates(templates, language))
        except UnknownNameError as error:
            if error.kind != "language":
                raise
            raise InputError(
                f"no templates {quoted(templates)} in the language {quoted(language)}, only in "
                f"{', '.join(error.known)}",
                option="templates",
                hint="give a list of your own",
            ) from error
    elif not isinstance(templates, Iterable):
        raise bad_option("templates", templates, "the name of a set or a list of templates")
    else:
        chosen = [t if isinstance(t, Template) else parse_template(t, language=language) for t in templates]
    if not chosen:
        raise InputError(
            "`templates` is empty",
            option="templates",
            hint="give the name of a set, or at least one template",
        )
    return chosen


def templates_for(
    templates: str | Sequence[str | Template],
    language: str,
    needed: Sequence[str],
    optional: Sequence[str] = (),
) -> list[Template]:
    """Return the templates, each with all ``needed`` slots, perhaps ``optional`` ones, and no others.

    Raises:
        InputError, UnknownNameError: as :func:`named_templates`.
        DataError: a text is not a template, or a template lacks a slot or has one too many.
    """
    chosen = named_templates(templates, language)
    for template in chosen:
        if not set(needed) <= set(template.slots) <= {*needed, *optional}:
            slots = " and ".join(f"{{{slot}}}" for slot in needed)
            noun = "slot" if len(needed) == 1 else "slots"
            others = "".join(f", and no other but {{{slot}}}" for slot in optional)
            raise DataError(
                f"the template {quoted(template.text)} must have the {noun} {slots}, each once{others}"
            )
    return chosen


def one_language(method: str, languages: Iterable[str]) -> str:
    """Return the language of the rows, English if none is named.

    Raises:
        InputError: the rows are of several languages, which no set of templates fits.
    """
    several = sorted({language for language in languages if language not in ("", "und")})
    if len(several) > 1:
        raise InputError(
            f"{method}: the rows are of several languages ({', '.join(several)})",
            hint="measure one language at a time",
        )
    return several[0] if several else "en"


def template_texts(templates: str | Sequence[str | Template]) -> Any:
    """Return the option as it can appear in a result's settings."""
    return templates if isinstance(templates, str) else [getattr(t, "text", t) for t in templates]
