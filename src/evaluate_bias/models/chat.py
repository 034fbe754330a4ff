"""Chat models: an instruction goes in as a user's turn, the model's turn comes back."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import ModelError, quoted
from ..result import Skipped
from .alignment import Encoded, check_texts
from .causal import CausalLM
from .completions import GenerationSettings, Reply
from .engine import SequenceInput
from .generate import likeliest, written_after
from .source import first_sentence

Chat = Literal["auto"] | bool
"""Whether a model is spoken to by its chat template; ``"auto"``: where it has one."""

ALTERNATIVES = 20
"""How many of the likeliest first tokens a reply brings along, as servers give at most."""


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The template that turns turns into the text that a model was tuned on.

    Attributes:
        tokenizer: a tokenizer of transformers with a template of its own.
        name: the model's, for messages.
        system: text of the system's turn; ``None`` for no such turn.
    """

    tokenizer: Any
    name: str
    system: str | None = None

    def encode(self, prompt: str) -> Encoded | Skipped:
        """A conversation of one question, up to the model's answer, as tokens.

        Raises:
            ModelError: the template fails, or does not hold the question.
        """
        turns = [] if self.system is None else [{"role": "system", "content": self.system}]
        turns.append({"role": "user", "content": prompt})
        if not prompt.strip():
            return Skipped(prompt, "the text is empty")
        try:
            text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            ids = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        except Exception as error:  # a template is a program, which can fail in any way
            raise ModelError(
                f"the chat template of {self.name} fails: {first_sentence(error)}; "
                + ("leave system=… out, or " if self.system is not None else "")
                + "load the model with chat=False"
            ) from None
        if prompt.strip() not in text:
            raise ModelError(
                f"the chat template of {self.name} leaves the question out: it writes {quoted(text)}; load the model "
                "with chat=False"
            )
        return Encoded(text, tuple(ids), tuple(range(1, len(ids))))

    def facts(self) -> dict[str, Any]:
        """For the provenance: the checksum of the template, and the system's turn."""
        template = self.tokenizer.chat_template
        named = template if isinstance(template, str) else repr(template)
        return {"chat_template_sha256": hashlib.sha256(named.encode()).hexdigest(), "system": self.system}


class ChatLM(CausalLM):
    """A causal model that is spoken to by its chat template, made by ``load_model``.

    Scores of texts and of pairs never use the template.
    """

    template: ChatTemplate
    alternatives = ALTERNATIVES
    is_chat_model = True

    def reply(
        self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0
    ) -> list[list[Reply] | Skipped]:
        """Answer every prompt as a user's turn; equal prompts are computed once.

        Args:
            prompts: the instructions.
            settings: how the replies are written; ``unit`` is not read.
            alternatives: how many of the likeliest first tokens are given with their log-probabilities.

        Returns:
            Per prompt its ``settings.n`` replies, or why it has none.

        Raises:
            ModelError: the chat template fails.
        """
        encoded = {prompt: self.template.encode(prompt) for prompt in check_texts(prompts, "prompts")}
        if alternatives and settings.max_new_tokens == settings.n == 1 and settings.decoding == "top":
            return self._first_tokens([encoded[prompt] for prompt in prompts], alternatives)
        written = written_after(self, encoded, dataclasses.replace(settings, unit="text"), alternatives)
        return [written[prompt] for prompt in prompts]

    def _first_tokens(
        self, encoded: Sequence[Encoded | Skipped], alternatives: int
    ) -> list[list[Reply] | Skipped]:
        """The likeliest first tokens of replies; questions that begin alike share the pass over their beginning."""
        fits = [item if isinstance(item, Skipped) else self._fitting(item) for item in encoded]
        distinct = dict.fromkeys(item.ids for item in fits if isinstance(item, Encoded))
        packed = self._packed_units(list(distinct))
        rows: dict[SequenceInput, dict[int, tuple[int, ...]]] = {}
        for ids in distinct:
            unit, at = packed.get(ids) or (SequenceInput(ids), int)
            rows.setdefault(unit, {})[at(len(ids) - 1)] = ids
        units = sorted(rows, key=lambda unit: unit.place)

        def run(batch: list[int]) -> list[list[Mapping[str, float]]]:
            at = [(i, position) for i, k in enumerate(batch) for position in rows[units[k]]]
            states, _ = self._states_at([units[k] for k in batch], at)
            found = iter(
                [t for c in self._per_chunk(states, lambda x, _: likeliest(self, x, alternatives)) for t in c]
            )
            return [[next(found) for _ in rows[units[k]]] for k in batch]

        tops = self._run([len(unit.ids) for unit in units], run, "asking")
        by_ids = {
            ids: top
            for unit, of_unit in zip(units, tops, strict=True)
            for ids, top in zip(rows[unit].values(), of_unit, strict=True)
        }
        return [
            item if isinstance(item, Skipped)
            else [Reply(next(iter(by_ids[item.ids])), False, alternatives=by_ids[item.ids])]
            for item in fits
        ]  # fmt: skip

    def _fitting(self, item: Encoded) -> Encoded | Skipped:
        """The question, where the model can read it and answer."""
        if self.max_tokens is None or len(item.ids) < self.max_tokens:
            return item
        return Skipped(
            item.text, f"{len(item.ids)} tokens are more than {self.name} can read, with one for the answer"
        )

    def provenance(self) -> Mapping[str, Any]:
        """What identifies the model and its template."""
        return {**super().provenance(), **self.template.facts()}


def chat_template_of(
    tokenizer: Any, name: str, chat: Chat, system: str | None, *, is_causal: bool
) -> ChatTemplate | None:
    """The template that a model is spoken to by, or ``None``.

    Raises:
        ModelError: one is asked for, or a system's turn is given, and the tokenizer has none or the model is not
            causal.
    """
    if is_causal and chat is not False and getattr(tokenizer, "chat_template", None):
        return ChatTemplate(tokenizer, name, system)
    if chat is not True and system is None:
        return None
    given = "chat=True" if chat is True else "system=…"
    if not is_causal:
        raise ModelError(f"{given} belongs to a causal language model, and {name} is none: leave it out")
    raise ModelError(
        f"{given} needs a chat template, and "
        + (
            "chat=False uses none: leave one of them out"
            if chat is False
            else f"{name} has none: leave it out, or use a model tuned for chat"
        )
    )
