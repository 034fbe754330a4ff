"""A masked language model whose probabilities are all listed in a table, for examples and cases worked by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import CapabilityError, InputError, quoted
from ..result import Skipped
from .alignment import Encoded
from .base import Capability, ModelKind
from .completions import Completions, GenerationSettings
from .generate import fill_prompts
from .masked import MaskedLM, MaskedRequest

START, END, MASK, UNKNOWN = "[CLS]", "[SEP]", "[MASK]", "[UNK]"
_ABSENT = 1e-30
"""Probability of what the table does not name, if a whole distribution is requested."""


class _Tokenizer:
    """Pieces and their numbers, which grow as new pieces are met."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.vocabulary: list[str] = []
        self.all_special_ids = [self.id(piece) for piece in (START, END, MASK, UNKNOWN)]
        self.mask_token_id = self.id(MASK)
        self.unk_token_id = self.id(UNKNOWN)

    def id(self, piece: str) -> int:
        if piece not in self.ids:
            self.ids[piece] = len(self.vocabulary)
            self.vocabulary.append(piece)
        return self.ids[piece]

    def __len__(self) -> int:
        return len(self.vocabulary)

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.vocabulary[i] for i in ids)


class TableMLM(ModelKind):
    """A masked language model that looks its probabilities up. It splits texts at spaces, and words as ``pieces`` says.

    Args:
        table: for each text as it is masked, with its pieces separated by spaces, for the number of a token in it
            (from 0, as a string) the probability of each piece there, in (0, 1].
        pieces: the subword tokens of a word. A word that is not named is a single token, and ``[]`` is a word
            without any.

    Raises:
        InputError: a probability is not a number in (0, 1].

    Examples:
        >>> from evaluate_bias.methods import mlm_gender_score
        >>> table = {"[MASK] is nur ##se": {"0": {"she": 0.6, "he": 0.2}},
        ...          "[MASK] is smith": {"0": {"she": 0.1, "he": 0.3}}}
        >>> model = TableMLM(table, {"nurse": ["nur", "##se"]})
        >>> words = [{"word": "nurse"}, {"word": "smith"}]
        >>> result = mlm_gender_score.evaluate(model, words, templates=["{mask} is {profession}"])
        >>> [(row.name, round(row.score, 6)) for row in result.rows_of("item")]
        [('nurse', 0.4), ('smith', -0.2)]
    """

    capabilities = frozenset({Capability.SCORES_MASKED_TOKENS, Capability.FILLS_MASK, Capability.GENERATES})
    label = "a table of probabilities"
    name = "table"
    is_uncased = False
    warnings: Sequence[str] = ()
    mask_token = MASK

    def __init__(
        self,
        table: Mapping[str, Mapping[str, Mapping[str, float]]],
        pieces: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.table, self.pieces = table, pieces or {}
        self.tokenizer = _Tokenizer()
        self.piece_id = self.tokenizer.id
        self.vocabulary = self.tokenizer.vocabulary
        for by_token in table.values():
            for probabilities in by_token.values():
                for piece, p in probabilities.items():
                    if type(p) not in (int, float) or not 0 < p <= 1:
                        raise InputError(
                            f"the probability of {quoted(piece)} must be in (0, 1], got {quoted(p)}"
                        )
                    self.piece_id(piece)
        self.mask_id = self.piece_id(MASK)
        self.calls = 0

    def provenance(self) -> dict[str, Any]:
        """Return the name of the table."""
        return {"name": self.name}

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Split texts into pieces."""
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Encoded | Skipped:
        ids, offsets, end = [self.piece_id(START)], [(0, 0)], 0
        for word in text.split():
            start = text.index(word, end)
            end = start + len(word)
            for piece in self.pieces.get(word, [word]):
                ids.append(self.piece_id(piece))
                offsets.append((start, end))
        if len(ids) == 1:
            return Skipped(text, "the tokenizer finds no token in this text")
        positions, words = tuple(range(1, len(ids))), (None,) * (len(ids) + 1)
        return Encoded(text, (*ids, self.piece_id(END)), positions, (*offsets, (0, 0)), words)

    def mask_positions(self, encoded: Encoded) -> tuple[int, ...]:
        """Return the positions of the mask tokens of a text."""
        return tuple(p for p, i in enumerate(encoded.ids) if i == self.mask_id)

    def _at(self, request: MaskedRequest, position: int) -> Mapping[str, float]:
        """Return the probabilities at a token of a text."""
        pieces = [
            MASK if p in request.masked else self.vocabulary[i] for p, i in enumerate(request.encoded.ids)
        ]
        text, token = " ".join(pieces[1:-1]), str(position - 1)
        try:
            return self.table[text][token]
        except KeyError:
            raise InputError(f"the table has no probabilities at token {token} of {quoted(text)}") from None

    pseudo_logprobs = MaskedLM.pseudo_logprobs
    _check_position = staticmethod(MaskedLM._check_position)

    def masked_logprobs(self, requests: Sequence[MaskedRequest]) -> list[FloatArray]:
        """Return log-probabilities of the targets of each request, in nats."""
        self.calls += 1
        return [
            np.array([math.log(self._of(r, p, self.vocabulary[i])) for p, i in r.targets]) for r in requests
        ]

    def _of(self, request: MaskedRequest, position: int, piece: str) -> float:
        """Return the probability of a subword token at a token of a text."""
        probabilities = self._at(request, position)
        if piece not in probabilities:
            raise InputError(
                f"the table has no probability of {quoted(piece)} at token {position - 1} of "
                f"{quoted(request.encoded.text)}"
            )
        return probabilities[piece]

    def mask_distributions(self, requests: Sequence[MaskedRequest]) -> list[NDArray[np.float32]]:
        """Return log-probabilities of the whole vocabulary at each mask, shape (masks, vocabulary) per request."""
        self.calls += 1

        def row(probabilities: Mapping[str, float]) -> list[float]:
            return [math.log(max(probabilities.get(piece, 0.0), _ABSENT)) for piece in self.vocabulary]

        return [np.array([row(self._at(r, p)) for p in r.masked], dtype=np.float32) for r in requests]

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Return the most likely fills of every prompt's blank, see :func:`~.generate.fill_prompts`."""
        return fill_prompts(self, prompts, settings, MaskedRequest)

    def token_logprobs(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        """Raise an error, as a table contains only masked texts."""
        raise CapabilityError("a model of a table reads masked tokens only")
