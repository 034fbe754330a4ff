"""Chat models: an instruction goes in as a user's turn, the model's turn comes back."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..errors import ModelError
from ..result import Skipped
from .alignment import Encoded, check_texts
from .base import Capability
from .causal import CausalLM
from .chat_template import ChatTemplate
from .completions import GenerationSettings, Reply
from .engine import SequenceInput
from .generate import likeliest, written_after
from .thoughts import split_thoughts

ALTERNATIVES = 20
"""How many of the most likely first tokens a reply includes: the most that servers give."""
_CHANNELS = frozenset(
    f"<|{name}|>" for name in ("start", "channel", "constrain", "message", "end", "return", "call")
)
"""Special tokens that set off channels, of which one is the answer. Some mean other things without channels."""


class ChatLM(CausalLM):
    """A causal model that is asked with its chat template, made by ``load_model``.

    Scores of texts and of pairs never use the template.
    """

    capabilities = CausalLM.capabilities | {Capability.CHATS}
    template: ChatTemplate
    alternatives = ALTERNATIVES
    is_chat_model = True
    _has_thought = False

    @property
    def reply_tokens(self) -> int:
        """Most tokens of a reply that is read as text: more if its template or a reply shows thoughts.

        Raises:
            ModelError: the chat template fails.
        """
        thinks = self._has_thought or self.template.traits.thinks
        return self.template.options.room(thinks, self.max_tokens)

    def reply(
        self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0
    ) -> list[list[Reply] | Skipped]:
        """Answer every prompt as a user's turn. Equal prompts are computed once.

        Args:
            prompts: the instructions.
            settings: how the replies are written. ``unit`` is not read.
            alternatives: how many of the most likely first tokens are given with their log-probabilities.

        Returns:
            Per prompt its ``settings.n`` replies, or why it has none.

        Raises:
            ModelError: the chat template fails.
        """
        encoded = {prompt: self.template.encode(prompt) for prompt in check_texts(prompts, "prompts")}
        if alternatives and settings.max_new_tokens == settings.n == 1 and settings.decoding == "top":
            first = self._first_tokens([encoded[prompt] for prompt in prompts], alternatives)
            return [one if isinstance(one, Skipped) else [*map(self._with_thoughts, one)] for one in first]
        written = written_after(self, encoded, dataclasses.replace(settings, unit="text"), alternatives)
        whole = {
            prompt: one if isinstance(one, Skipped) else [*map(self._with_thoughts, one)]
            for prompt, one in written.items()
        }
        return [whole[prompt] for prompt in prompts]

    def written_text(self, tokens: Sequence[int]) -> str:
        """Return tokens as text, without special tokens except those that mark thoughts."""
        if not self._thought_marks:
            return super().written_text(tokens)
        visible_tokens = [
            token for token in tokens if token not in self._special_tokens - self._thought_marks
        ]
        return str(self.tokenizer.decode(visible_tokens))

    @functools.cached_property
    def _special_tokens(self) -> frozenset[int]:
        added_tokens = getattr(self.tokenizer, "added_tokens_decoder", {})
        return frozenset(
            (*self.tokenizer.all_special_ids, *(i for i, token in added_tokens.items() if token.special))
        )

    @functools.cached_property
    def _thought_marks(self) -> frozenset[int]:
        """Special tokens that set thoughts off from an answer."""
        texts = {token: str(self.tokenizer.convert_ids_to_tokens(token)) for token in self._special_tokens}
        channels = _CHANNELS if "<|channel|>" in texts.values() else frozenset()
        return frozenset(
            token
            for token, text in texts.items()
            if text in channels or split_thoughts(text).unfinished or split_thoughts(f"x{text}").thoughts
        )

    def _with_thoughts(self, reply: Reply) -> Reply:
        """Return a reply with the tag that its prompt opened and the number of its reasoning tokens."""
        text = f"{self.template.traits.opening}{reply.text}"
        parts = split_thoughts(text)
        if not (parts.thoughts or parts.unfinished):
            return reply
        self._has_thought = True
        thought = self.tokenizer(parts.thoughts, add_special_tokens=False, verbose=False)["input_ids"]
        return dataclasses.replace(reply, text=text, thought_tokens=len(thought))

    def _first_tokens(
        self, encoded: Sequence[Encoded | Skipped], alternatives: int
    ) -> list[list[Reply] | Skipped]:
        """Return the most likely first tokens of replies. Questions with the same beginning share a pass over it."""
        limit = math.inf if self.max_tokens is None else self.max_tokens
        too_long = f"tokens are more than {self.name} can read, with one for the answer"
        fits = [
            Skipped(item.text, f"{len(item.ids)} {too_long}")
            if isinstance(item, Encoded) and len(item.ids) >= limit
            else item
            for item in encoded
        ]
        distinct = dict.fromkeys(item.ids for item in fits if isinstance(item, Encoded))
        packed = self._packed_units(list(distinct))
        rows: dict[SequenceInput, dict[int, tuple[int, ...]]] = {}
        for ids in distinct:
            unit, at = packed.get(ids) or (SequenceInput(ids), int)
            rows.setdefault(unit, {})[at(len(ids) - 1)] = ids

        def run(batch: list[SequenceInput]) -> list[list[Mapping[str, float]]]:
            at = [(i, position) for i, unit in enumerate(batch) for position in rows[unit]]
            states, _ = self._states_at(batch, at)
            distributions = iter(
                [t for c in self._per_chunk(states, lambda x, _: likeliest(self, x, alternatives)) for t in c]
            )
            return [[next(distributions) for _ in rows[unit]] for unit in batch]

        tops = self._run_units(list(rows), run, "asking")
        by_ids = {
            ids: top
            for of_unit, tops_of_unit in zip(rows.values(), tops, strict=True)
            for ids, top in zip(of_unit.values(), tops_of_unit, strict=True)
        }
        return [
            item if isinstance(item, Skipped)
            else [Reply(next(iter(by_ids[item.ids])), False, alternatives=by_ids[item.ids])]
            for item in fits
        ]  # fmt: skip

    def provenance(self) -> Mapping[str, Any]:
        """Return what identifies the model, its template, and the room for its replies."""
        facts = {**super().provenance(), **self.template.facts()}
        with suppress(ModelError):  # said where the model is asked
            facts["reply_tokens"] = self.reply_tokens
        return facts
