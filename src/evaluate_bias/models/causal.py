"""Causal language models: log-likelihoods of sequences and continuations, token by token.

A causal model predicts each token from those before it, so the first token of a sequence has no score. With a
beginning-of-sequence token in front (``bos``) every token of the text is scored. Without one, the first is
not. ``Encoded.positions`` names the tokens that are scored, and the arrays are aligned to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..errors import CapabilityError, InputError
from ..result import Skipped
from .alignment import Encoded, check_texts, encode_batch
from .base import Capability
from .batching import group_by_prefix, pack
from .completions import Completions, GenerationSettings
from .engine import UNFIT, SequenceInput, reads_left_to_right
from .generate import Stepping, continue_prompts, proven_stepping
from .language import LanguageModel

Bos = Literal["auto", "tokenizer"] | bool
"""Whether a text begins with a beginning-of-sequence token. ``"auto"``: if the tokenizer has one. ``"tokenizer"``: if
the tokenizer itself adds one."""


class CausalLM(LanguageModel):
    """A transformer with a left-to-right language-model head, made by ``load_model``."""

    capabilities = frozenset(
        {Capability.EMBEDS_IN_CONTEXT, Capability.SCORES_SEQUENCES, Capability.GENERATES}
    )
    label = "a causal language model"
    kind = "causal"
    asset_kind = "causal language model"

    _reads_both_ways = False
    _sharing: bool | None = None

    @property
    def start_token(self) -> str | None:
        """The token that scored texts begin with, or ``None`` if the tokenizer has none."""
        token = self._bos_id("auto")
        return None if token is None else str(self.tokenizer.convert_ids_to_tokens(token))

    def written_text(self, tokens: Sequence[int]) -> str:
        """Return generated tokens as text, without special tokens."""
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True))

    def encode(self, texts: Sequence[str], *, bos: Bos = "auto") -> list[Encoded | Skipped]:
        """Tokenize texts.

        Args:
            texts: the texts.
            bos: ``True``: begin with the tokenizer's beginning-of-sequence token, or its end-of-text token if it
                has no other (as in GPT-2). ``False``: no such token, so the first token of the text has no score.
                ``"auto"``: as ``True`` if the tokenizer has such a token, else as ``False``. ``"tokenizer"``: as
                the tokenizer does by default.

        Returns:
            One item per text, in order: its tokens, with ``positions`` naming those that are scored, or a
            :class:`~evaluate_bias.Skipped` with the reason (empty, a single token without ``bos``, too long).

        Raises:
            CapabilityError: ``bos=True`` and the tokenizer has no such token.
        """
        token = self._bos_id(bos)
        items = encode_batch(self.tokenizer, check_texts(texts))
        return self._checked(
            [_with_start(item, token) if isinstance(item, Encoded) else item for item in items]
        )

    def encode_continuations(
        self, pairs: Sequence[tuple[str, str]], *, bos: Bos = "auto"
    ) -> list[Encoded | Skipped]:
        """Tokenize ``context + continuation``. Only the continuation's tokens count.

        The two are joined as they are: the space between them belongs at the start of the continuation. The text is
        tokenized as a whole, and a token that contains characters of both counts as continuation. ``bos`` means the
        same as in :meth:`encode`.
        """
        contexts = check_texts([context for context, _ in pairs], "contexts")
        continuations = check_texts([continuation for _, continuation in pairs], "continuations")
        out: list[Encoded | Skipped] = []
        joined = [context + rest for context, rest in zip(contexts, continuations, strict=True)]
        for item, context in zip(self.encode(joined, bos=bos), contexts, strict=True):
            if isinstance(item, Encoded):
                item = item.after(len(context), "the continuation contains no token that can be scored")
            out.append(item)
        return out

    def sequence_logprobs(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        """Return log p(token | the tokens before it) of every token that counts: one array per text.

        The common beginning of texts (the two sentences of a pair, a context with its continuations) is computed once,
        if the model allows it. The numbers are the same up to rounding.

        Args:
            encoded: from :meth:`encode` or :meth:`encode_continuations`.

        Raises:
            InputError: the first token of a sequence is requested, which nothing precedes.
        """
        for item in encoded:
            if 0 in item.positions:
                raise InputError(
                    "nothing precedes the first token, so it has no score",
                    hint="tokenize with this model's encode()",
                )
        return self._remembered(
            "sequence",
            [(item.ids, item.positions) for item in encoded],
            lambda chosen: self._fresh_sequences([encoded[i] for i in chosen]),
        )

    def _fresh_sequences(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        # Texts that differ only in their last token, and of which only it counts, are one text without it.
        ends = [item.positions == (len(item.ids) - 1,) for item in encoded]
        last = Counter(ids[:-1] for ids in {item.ids for item, end in zip(encoded, ends, strict=True) if end})
        alike = {ids for ids, n in last.items() if n > 1}
        run = [
            item.ids[:-1] if end and item.ids[:-1] in alike else item.ids
            for item, end in zip(encoded, ends, strict=True)
        ]
        unit_of = self._packed_units(run)
        units, reads = [], []
        for item, ids in zip(encoded, run, strict=True):
            unit, at = unit_of.get(ids) or (SequenceInput(ids), int)
            units.append(unit)
            reads.append([(at(p - 1), item.ids[p]) for p in item.positions])
        return self._fresh_logprobs(units, reads, "sequence scores")

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Continue every prompt, see :func:`~.generate.continue_prompts`."""
        return continue_prompts(self, prompts, settings)

    @cached_property
    def _stepping(self) -> Stepping:
        return proven_stepping(self)

    @property
    def stepping(self) -> Stepping:
        """How this model writes, found once: with its cache, or with a whole pass per token. Results say which.

        Raises:
            CapabilityError: the model reads in both directions.
        """
        self._check_direction()
        if not self._stepping.cached:
            self._warn_once(
                f"{self._class}: texts are written with a whole pass for every token, because its cache does not give "
                "the numbers of whole passes"
            )
        return self._stepping

    @cached_property
    def _is_left_to_right(self) -> bool:
        with self._external_errors():
            return reads_left_to_right(self)

    def _check_direction(self) -> None:
        if not self._is_left_to_right:
            raise CapabilityError(
                f"{self._class} reads a text in both directions, so it does not give the probability of a word "
                "after the words before it",
                hint="use a causal language model, such as 'gpt2'",
            )

    def _states_at(self, *args: Any) -> tuple[Any, Sequence[Any]]:
        self._check_direction()
        return super()._states_at(*args)

    def _packed_units(
        self, sequences: Sequence[tuple[int, ...]]
    ) -> dict[tuple[int, ...], tuple[SequenceInput, Callable[[int], int]]]:
        """Return the packed unit of each sequence that shares its beginning, and where its positions are in it."""
        out: dict[tuple[int, ...], tuple[SequenceInput, Callable[[int], int]]] = {}
        window = _attention_window(self.model.config.get_text_config())
        distinct = [ids for ids in dict.fromkeys(sequences) if window is None or len(ids) <= window]
        for group in group_by_prefix(distinct):
            if len(group) == 1 or not self._can_share():
                continue
            members = [distinct[i] for i in group]
            packed = pack(members)
            unit = SequenceInput(packed.ids, packed=packed)
            for k, ids in enumerate(members):
                out[ids] = (unit, partial(packed.position, k))
        return out

    def _can_share(self) -> bool:
        """True if the model accepts position numbers and a mask of who sees whom, and then gives the same scores."""
        import torch

        if self._sharing is None:
            members = [(1, 2, 3, 0, 1, 2, 0), (1, 2, 3, 2, 2)]
            packed = pack(members)
            unit = SequenceInput(packed.ids, packed=packed)
            reads = [[(packed.position(k, 3), 1), (packed.position(k, 4), 2)] for k in (0, 1)]
            try:
                together = self._fresh_logprobs([unit, unit], reads, "")
            except UNFIT:
                self._sharing = False
            else:
                alone = self._fresh_logprobs(
                    [SequenceInput(ids) for ids in members], [[(3, 1), (4, 2)]] * 2, ""
                )
                # How far two ways to compute the same log-probability may be apart in the model's dtype.
                rounding = 10 * torch.finfo(self.model.dtype).eps ** 0.75
                self._sharing = bool(np.abs(np.array(together) - np.array(alone)).max() <= rounding)
        return self._sharing

    def _bos_id(self, bos: Bos) -> int | None:
        if bos is False:
            return None
        token = self.tokenizer.bos_token_id
        if bos == "tokenizer":
            return int(token) if token is not None and token == self.tokenizer("a")["input_ids"][0] else None
        if token is None:
            token = self.tokenizer.eos_token_id
        if token is None and bos is True:
            raise CapabilityError(
                f"the tokenizer of {self.name} has no beginning-of-sequence token",
                option="bos",
                hint="set `bos` to false (the first token of each text then has no score)",
            )
        return None if token is None else int(token)


def _with_start(item: Encoded, token: int | None) -> Encoded | Skipped:
    """Keep only the text's own tokens, after ``token`` if one is given."""
    keep = item.positions
    ids = tuple(item.ids[p] for p in keep)
    offsets = tuple(item.offsets[p] for p in keep) if item.offsets else ()
    words = tuple(item.word_ids[p] for p in keep) if item.word_ids else ()
    if token is not None:
        ids = (token, *ids)
        offsets = ((0, 0), *offsets) if offsets else ()
        words = (None, *words) if words else ()
    positions = tuple(range(1, len(ids)))
    if not positions:
        return Skipped(item.text, "a single token, which nothing precedes: set `bos` to true to score it")
    return replace(item, ids=ids, positions=positions, offsets=offsets, word_ids=words)


def _attention_window(config: Any) -> int | None:
    """Return the longest sequence in which each token sees all tokens before it, or ``None`` if that is always so."""
    sizes = (
        getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size", "window_size")
    )
    return min((size for size in sizes if isinstance(size, int) and size > 0), default=None)
