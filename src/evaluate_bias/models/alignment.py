"""From text to tokens and back: what the tokens of a text are, which of them count, and where they are in it.

Special tokens are found by the tokenizer's special-token mask and words by its character offsets. No id or
marker of any tokenizer family is written down here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import CapabilityError, InputError
from ..result import Skipped


class UnknownTokenWarning(UserWarning):
    """A large share of the input became unknown tokens, so the scores say little about the text."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the model sees it.

    Attributes:
        text: the text, or a pair of texts joined by a space.
        ids: token ids with the special tokens.
        positions: positions in ``ids`` of the tokens that count: the real tokens of the text, without special
            tokens (for a continuation or a pair: the real tokens of the second text only).
        offsets: character span ``(start, end)`` of each token in its text, or empty if the tokenizer has none.
        word_ids: the tokenizer's word number of each token, with ``None`` for special tokens, or empty if the
            tokenizer has none.
        type_ids: segment number of each token of a pair of texts, or ``None`` for a single text.

    Examples:
        >>> e = Encoded("unkind man", (2, 7, 8, 9, 3), (1, 2, 3), ((0, 0), (0, 2), (2, 6), (7, 10), (0, 0)),
        ...             (None, 0, 0, 1, None))
        >>> e.tokens
        (7, 8, 9)
        >>> e.span_positions(0, 6)
        (1, 2)
        >>> e.later_pieces(1)
        (2,)
    """

    text: str
    ids: tuple[int, ...]
    positions: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...] = ()
    word_ids: tuple[int | None, ...] = ()
    type_ids: tuple[int, ...] | None = None

    @property
    def tokens(self) -> tuple[int, ...]:
        """Ids of the tokens that count."""
        return tuple(self.ids[p] for p in self.positions)

    def span_positions(self, start: int, end: int) -> tuple[int, ...]:
        """Return the positions of the tokens that count and overlap the characters ``start`` to ``end`` (exclusive)."""
        if not self.offsets:
            raise CapabilityError(
                "this tokenizer gives no character offsets, so a word's tokens cannot be found",
                hint="use the model's fast tokenizer (a folder with a tokenizer.json)",
            )
        return tuple(p for p in self.positions if self.offsets[p][0] < end and self.offsets[p][1] > start)

    def after(self, start: int, reason: str) -> Encoded | Skipped:
        """Return the text with only its tokens from a character on counting, or a skip for this reason if none do."""
        positions = self.span_positions(start, len(self.text))
        return replace(self, positions=positions) if positions else Skipped(self.text, reason)

    def later_pieces(self, position: int) -> tuple[int, ...]:
        """Return the positions of the subword tokens that follow ``position`` within the same word."""
        if not self.word_ids:
            raise CapabilityError(
                "this tokenizer does not say which tokens form a word, so `positions` 'within_word_l2r' is "
                "not possible",
                option="positions",
                hint="use the model's fast tokenizer (a folder with a tokenizer.json), or set `positions` to 'all'",
            )
        word = self.word_ids[position]
        return tuple(p for p in self.positions if p > position and self.word_ids[p] == word)


def check_texts(texts: Sequence[str], what: str = "texts") -> list[str]:
    """Return ``texts`` as a list, after checking that every item is a string."""
    if isinstance(texts, str):
        raise InputError(
            f"`{what}` must be a list of strings, got one string", option=what, hint="put it into a list"
        )
    out = list(texts)
    for i, text in enumerate(out):
        if not isinstance(text, str):
            raise InputError(f"{what}[{i}] is {type(text).__name__}, not a string")
    return out


def encode_batch(
    tokenizer: Any, texts: Sequence[str], seconds: Sequence[str] | None = None
) -> list[Encoded | Skipped]:
    """Tokenize texts, special tokens added, or pairs of texts, of which only the ``seconds``' tokens count.

    One item per text: its tokens, or, if it contains nothing to score, a :class:`~evaluate_bias.Skipped`.
    """
    out: list[Encoded | Skipped | None] = [
        _unusable(text, seconds[i] if seconds else None) for i, text in enumerate(texts)
    ]
    good = [i for i, item in enumerate(out) if item is None]
    if good:
        firsts = [texts[i] for i in good]
        others = [seconds[i] for i in good] if seconds is not None else None
        for i, encoded in zip(good, _tokenize(tokenizer, firsts, others), strict=True):
            out[i] = encoded if encoded.positions else Skipped(encoded.text, _NOTHING)
    return [item for item in out if item is not None]


_NOTHING = "the tokenizer finds no token in this text"


def _unusable(text: str, second: str | None) -> Skipped | None:
    for part in (text, second):
        if part is None:
            continue
        if not part.strip():
            return Skipped(part, "the text is empty")
        try:
            part.encode()
        except UnicodeEncodeError:
            return Skipped(
                ascii(part), "the text contains half of a surrogate pair, which is not valid Unicode"
            )
    return None


def _tokenize(tokenizer: Any, firsts: list[str], seconds: list[str] | None) -> list[Encoded]:
    fast = bool(tokenizer.is_fast)
    if seconds is not None and not fast:
        raise CapabilityError(
            f"{type(tokenizer).__name__} does not say which token belongs to which text of a pair",
            hint="use the model's fast tokenizer (a folder with a tokenizer.json)",
        )
    batch = tokenizer(
        firsts,
        seconds,
        add_special_tokens=True,
        padding=False,
        truncation=False,
        return_attention_mask=False,
        return_token_type_ids=seconds is not None,
        return_special_tokens_mask=True,
        return_offsets_mapping=fast,
        verbose=False,
    )
    out = []
    for i, ids in enumerate(batch["input_ids"]):
        counts = [not special for special in batch["special_tokens_mask"][i]]
        if seconds is not None:
            counts = [c and part == 1 for c, part in zip(counts, batch.sequence_ids(i), strict=True)]
        out.append(
            Encoded(
                text=firsts[i] if seconds is None else f"{firsts[i]} {seconds[i]}",
                ids=tuple(ids),
                positions=tuple(p for p, c in enumerate(counts) if c),
                offsets=tuple((start, end) for start, end in batch["offset_mapping"][i]) if fast else (),
                word_ids=tuple(batch.word_ids(i)) if fast else (),
                type_ids=tuple(batch["token_type_ids"][i]) if seconds is not None else None,
            )
        )
    return out
