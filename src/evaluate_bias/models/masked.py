"""Masked language models: pseudo-log-likelihoods, distributions at masks, unmasked scores with attention.

All values are natural logarithms, float64 arrays of what the model computes in its own precision (log-softmax always in
float32). Positions index ``Encoded.ids``, special tokens included. Equal requests are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import CapabilityError, InputError, bad_option, quoted
from ..result import Skipped
from .alignment import Encoded, check_texts, encode_batch
from .base import Capability
from .completions import Completions, GenerationSettings
from .engine import UNFIT, SequenceInput, eager_attention, evaluating
from .generate import fill_prompts
from .language import LanguageModel, Reads
from .pretrained import load_next_sentence
from .source import device_of

ATTENTION_ELEMENTS = 2**26
"""Most attention weights (layers, heads, queries, keys) that a batch may return."""


@dataclass(frozen=True, slots=True)
class MaskedRequest:
    """Replace some tokens of a text by the mask token, and read log-probabilities.

    Attributes:
        encoded: the text.
        masked: positions in ``encoded.ids`` to mask. Mask tokens of the text itself need not be named.
        targets: ``(position, token id)`` to read, masked or not. They are not needed by ``mask_distributions``,
            which reads the masks.
    """

    encoded: Encoded
    masked: tuple[int, ...]
    targets: tuple[tuple[int, int], ...] = ()


class MaskedLM(LanguageModel):
    """A transformer with a masked-language-model head, made by ``load_model``."""

    capabilities = frozenset(
        {
            Capability.EMBEDS_IN_CONTEXT,
            Capability.SCORES_MASKED_TOKENS,
            Capability.FILLS_MASK,
            Capability.GENERATES,
        }
    )
    label = "a masked language model"
    kind = "masked"
    asset_kind = "masked language model"

    @property
    def mask_id(self) -> int:
        """Id of the mask token, or a ``CapabilityError`` if the tokenizer has none."""
        if self.tokenizer.mask_token_id is None:
            raise CapabilityError(
                f"the tokenizer of {self.name} ({type(self.tokenizer).__name__}) has no mask token",
                hint="load the tokenizer that was made for this model and pass the pair (model, tokenizer)",
            )
        return int(self.tokenizer.mask_token_id)

    @property
    def mask_token(self) -> str:
        """The mask token as it is written in a text, for templates."""
        return str(self.tokenizer.convert_ids_to_tokens(self.mask_id))

    def mask_positions(self, encoded: Encoded) -> tuple[int, ...]:
        """Return the positions of mask tokens in the text itself."""
        return tuple(p for p, token in enumerate(encoded.ids) if token == self.mask_id)

    def pseudo_logprobs(
        self,
        encoded: Sequence[Encoded],
        positions: Literal["all", "within_word_l2r"] | Sequence[Sequence[int]] = "all",
    ) -> list[FloatArray]:
        """Return log p(token | the rest of the text) of chosen tokens, each masked in its own copy of the text.

        The sum over all tokens is the pseudo-log-likelihood of Salazar et al. (2020), Masked Language Model Scoring.

        Args:
            encoded: the texts.
            positions: ``"all"`` real tokens, ``"within_word_l2r"``, or one list of positions per text.
                ``"within_word_l2r"`` is all real tokens, and with each of them the following subword tokens of its
                word are masked too (Kauf & Ivanova 2023, A Better Way to Do Masked Language Model Scoring).

        Returns:
            One array per text, aligned to ``encoded[i].positions``, or to ``positions[i]`` if given.

        Raises:
            InputError: a position lies outside its text, or there is not one list of positions per text.
            CapabilityError: ``"within_word_l2r"`` with a tokenizer that does not know words.
        """
        if isinstance(positions, str) and positions not in ("all", "within_word_l2r"):
            raise bad_option(
                "positions", positions, "'all', 'within_word_l2r' or a list of positions per text"
            )
        if not isinstance(positions, str) and len(positions) != len(encoded):
            raise InputError(
                f"`positions` must have one list for each text, got {len(positions)} for {len(encoded)}",
                option="positions",
            )
        requests, counts = [], []
        for i, item in enumerate(encoded):
            chosen = item.positions if isinstance(positions, str) else tuple(positions[i])
            counts.append(len(chosen))
            for p in chosen:
                self._check_position(item, p)
                later = item.later_pieces(p) if positions == "within_word_l2r" else ()
                requests.append(MaskedRequest(item, (p, *later), ((p, item.ids[p]),)))
        scored = self.masked_logprobs(requests)
        values = np.concatenate(scored) if scored else np.empty(0)
        return np.split(values, np.cumsum(counts)[:-1]) if counts else []

    def masked_logprobs(self, requests: Sequence[MaskedRequest]) -> list[FloatArray]:
        """Return log-probabilities of each request's targets, with its positions masked: one array per request.

        Requests that are the same text once masked (sentences that differ in the masked word only) share a forward
        pass.
        """
        for request in requests:
            for p, _ in request.targets:
                self._check_position(request.encoded, p)
        self._check_tokens(token for request in requests for _, token in request.targets)
        return self._logprobs(self._masked(requests), [r.targets for r in requests], "masked scores")

    def mask_distributions(self, requests: Sequence[MaskedRequest]) -> list[NDArray[np.float32]]:
        """Return log-probabilities over the vocabulary at each mask: one array (masks, vocabulary) per request."""
        return self._distributions(self._masked(requests), [r.masked for r in requests], "mask distributions")

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Return the most likely fills of every prompt's blank, see :func:`~.generate.fill_prompts`."""
        return fill_prompts(self, prompts, settings, MaskedRequest)

    def token_logprobs(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        """Return log p(token | the whole text, nothing masked) of real tokens (Kaneko & Bollegala 2022), per text."""
        if self._gives_attention and self._attention_budget(encoded) >= _longest(encoded):
            # The attention costs next to nothing, and a caller that needs both gets exactly these numbers.
            return [scores for scores, _ in self.attended_logprobs(encoded)]
        return self._logprobs(*_encode_unmasked(encoded), "token scores")

    def attended_logprobs(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        """Return what AULA (Kaneko & Bollegala 2022) is computed from: one array of shape (2, real tokens) per text.

        The first row equals :meth:`token_logprobs`. The second is the attention each token receives, averaged over
        layers, heads and all queries. Over all positions of a text, special tokens included, it sums to one.

        Raises:
            CapabilityError: the model does not return attention weights.
        """
        if not self._gives_attention:
            raise CapabilityError(f"{self._class} does not return attention weights")
        return self._remembered(
            "attended",
            [(item.ids, item.type_ids, item.positions) for item in encoded],
            lambda chosen: self._fresh_attended([encoded[i] for i in chosen]),
        )

    def _fresh_attended(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        budget = self._attention_budget(encoded)
        with eager_attention(self.model):
            return self._fresh_logprobs(
                *_encode_unmasked(encoded), "token scores", attention=True, budget=budget
            )

    def _attention_budget(self, encoded: Sequence[Encoded]) -> int:
        """Return for how many tokens of a batch attention weights may exist at one time."""
        heads = getattr(self.model.config, "num_attention_heads", 1)
        layers = getattr(self.model.config, "num_hidden_layers", 1)
        return max(1, ATTENTION_ELEMENTS // (heads * layers * _longest(encoded)))

    @cached_property
    def _gives_attention(self) -> bool:
        """True if the model returns the weights of all queries and keys, tried on three tokens."""
        import torch

        ids = torch.arange(3, device=device_of(self.model)).reshape(1, 3)
        try:
            with evaluating(self.model), eager_attention(self.model), torch.inference_mode():
                layers = self.model.base_model(input_ids=ids, output_attentions=True).attentions
            return bool(layers) and all(layer.shape[-2:] == (3, 3) for layer in layers)
        except UNFIT:
            return False

    def encode_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded | Skipped]:
        """Tokenize pairs of texts as the model's two segments. Only the second text's tokens count."""
        firsts = check_texts([first for first, _ in pairs], "first texts")
        seconds = check_texts([second for _, second in pairs], "second texts")
        return self._checked(encode_batch(self.tokenizer, firsts, seconds))

    def next_sentence_logprobs(self, pairs: Sequence[Encoded]) -> FloatArray:
        """Return the log-probability that each pair's second text follows the first, from the next-sentence head.

        Raises:
            CapabilityError: the checkpoint has no next-sentence head.
        """
        import torch

        head = self._next_sentence_model

        def score(batch: list[int]) -> list[float]:
            inputs = self._inputs([SequenceInput(pairs[i].ids, pairs[i].type_ids) for i in batch])
            with torch.inference_mode():
                logits = head(**inputs)[0].float()
            follows = torch.log_softmax(logits, dim=-1)[:, 0].cpu().numpy()
            return [float(v) for v in self._finite(follows)]

        return np.array(self._run([len(p.ids) for p in pairs], score, "next sentence"))

    @cached_property
    def _next_sentence_model(self) -> Any:
        """The second head, loaded when it is first needed."""
        return load_next_sentence(self.source, self.model)

    def _masked(self, requests: Sequence[MaskedRequest]) -> list[SequenceInput]:
        mask = self.mask_id if any(r.masked for r in requests) else -1  # the tokenizer is slow to say it
        units = []
        for request in requests:
            ids = list(request.encoded.ids)
            for p in request.masked:
                self._check_position(request.encoded, p)
                ids[p] = mask
            units.append(SequenceInput(tuple(ids), request.encoded.type_ids))
        return units

    @staticmethod
    def _check_position(encoded: Encoded, position: int) -> None:
        if not 0 <= position < len(encoded.ids):
            raise InputError(
                f"position {position} is outside a text of {len(encoded.ids)} tokens: {quoted(encoded.text)}"
            )

    def _check_tokens(self, tokens: Iterable[int]) -> None:
        size = len(self.tokenizer)  # the tokenizer is slow to say it
        if self._embedded is not None:
            size = min(size, self._embedded)
        for token in tokens:
            if not 0 <= token < size:
                raise InputError(f"token id {token} is not in the vocabulary of {self.name} ({size} tokens)")


def _longest(encoded: Sequence[Encoded]) -> int:
    return max((len(item.ids) for item in encoded), default=1)


def _encode_unmasked(encoded: Sequence[Encoded]) -> tuple[list[SequenceInput], list[Reads]]:
    """Return texts with nothing masked, and their own tokens to read."""
    units = [SequenceInput(item.ids, item.type_ids) for item in encoded]
    return units, [[(p, item.ids[p]) for p in item.positions] for item in encoded]
