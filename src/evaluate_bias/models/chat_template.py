"""The template that writes turns as the text that a chat model was tuned on, and what it adds on its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from ..errors import InputError, ModelError, quoted
from ..result import Skipped
from .alignment import Encoded
from .completions import messages_of
from .source import first_sentence
from .thoughts import split_thoughts

Chat = Literal["auto"] | bool
"""Whether a model is prompted through its chat template. ``"auto"``: if it has one."""
Thinking = Literal["auto", "on", "off"]

REPLY_TOKENS = 64
"""Most tokens of a reply that is read as text."""
THINKING_TOKENS = 2_048
"""The same for a model that thinks before it answers."""
_FIXED = frozenset(
    ("echo", "logprobs", "max_completion_tokens", "max_tokens", "messages", "model", "n", "prompt",
     "prompt_logprobs", "seed", "stream", "temperature", "top_logprobs")
)  # fmt: skip
"""Fields of a request that say what is measured."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Options of ``load_model`` for models that chat.

    Attributes:
        chat: ``"auto"`` asks a model in chats if it can, ``True`` insists on that, ``False`` never does.
            Likelihoods of texts never use a chat.
        system: the system's turn. If a template has no place for one, it comes before the question in the
            user's turn.
        reply_tokens: most tokens of a reply that is read as text, thoughts included. ``None`` means 64, or 2,048 if
            the template or a reply shows that the model thinks.
        thinking: the switch for thoughts of the chat template: ``"on"``, ``"off"``, or ``"auto"`` for what the template
            does by itself.
        reasoning_effort: how long the model is to think, in the words of the model, such as ``"low"``.
        extra_body: further fields of every request to a server, such as
            ``{"chat_template_kwargs": {"enable_thinking": False}}``.

    Raises:
        InputError: ``extra_body`` contains a field that says what is measured.

    Examples:
        >>> ChatOptions(extra_body={"temperature": 2})
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `extra_body` cannot contain 'temperature', which the measurement sets itself
    """

    chat: Chat = "auto"
    system: str | None = None
    reply_tokens: int | None = None
    thinking: Thinking = "auto"
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if fixed := sorted(_FIXED & set(self.extra_body or {})):
            raise InputError(
                f"`extra_body` cannot contain {quoted(fixed[0])}, which the measurement sets itself",
                option="extra_body",
            )

    def room(self, thinks: bool, most: int | None = None) -> int:
        """Return the maximum number of tokens of a reply.

        Args:
            thinks: whether the model thinks.
            most: most tokens that it reads and writes. Half of them are left for the question.

        Examples:
            >>> ChatOptions().room(False), ChatOptions().room(True), ChatOptions(reply_tokens=200).room(True)
            (64, 2048, 200)
            >>> ChatOptions().room(True, 1024)
            512
        """
        if self.reply_tokens is not None:
            return self.reply_tokens
        tokens = THINKING_TOKENS if thinks else REPLY_TOKENS
        return tokens if most is None else min(tokens, max(1, most // 2))

    def facts(self) -> dict[str, Any]:
        """Return for the provenance the system's turn, and the other options if they are given."""
        others = {"reasoning_effort": self.reasoning_effort, "extra_body": self.extra_body}
        return {"system": self.system, **{k: v for k, v in others.items() if v is not None}}


Turns = list[dict[str, Any]]

_SWITCHES = ("enable_thinking", "thinking", "reasoning")
"""Names that templates give to their switch for thoughts."""
_EFFORTS = "low", "high"
_QUESTION = "Is water wet?"
_LAST_TAG = re.compile(r"(<[^<>]{1,40}>|\[[^\[\]]{1,40}\]|◁[^◁▷]{1,40}▷)\s{0,9}\Z")


@dataclass(frozen=True, slots=True)
class TemplateTraits:
    """What a template does, found by rendering a question.

    Attributes:
        switch: the name of its switch for thoughts, or empty if it has none.
        thinks: whether the model is to think before it answers.
        opening: the tag of a thought that the prompt opens and does not close, or empty for none.
        folds_system: whether the system's text is put into the user's turn, as it has no other place.
    """

    switch: str
    thinks: bool
    opening: str
    folds_system: bool


def render_here(tokenizer: Any, turns: Turns, switches: Mapping[str, Any]) -> str:
    """Render turns by the tokenizer itself."""
    return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **switches))


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template, as it is used for one model.

    Attributes:
        tokenizer: a tokenizer of transformers with a template of its own.
        name: the model's, for messages.
        options: how the model is asked.
        renderer: renders turns with the tokenizer's template and further variables.
    """

    tokenizer: Any
    name: str
    options: ChatOptions = field(default_factory=ChatOptions)
    renderer: Callable[[Any, Turns, Mapping[str, Any]], str] = render_here

    def encode(self, prompt: str) -> Encoded | Skipped:
        """Return a conversation of one question, up to the model's answer, as tokens.

        Raises:
            ModelError: the template fails, or does not contain the question.
        """
        if not prompt.strip():
            return Skipped(prompt, "the text is empty")
        text = self.render(self._turns(prompt, folds=self.traits.folds_system), self.switches)
        if messages_of(prompt)[-1]["content"].strip() not in text:
            raise ModelError(
                f"the chat template of {self.name} drops the question: it writes {quoted(text)}",
                option="chat",
                hint="load the model with `chat` set to false",
            )
        ids = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return Encoded(text, tuple(ids), tuple(range(1, len(ids))))

    def render(self, turns: Turns, switches: Mapping[str, Any] | None = None) -> str:
        """Render turns as text, up to the model's next turn.

        Raises:
            ModelError: the template fails.
        """
        _, in_parts = self._question
        return self._rendered(turns, switches or {}, in_parts=in_parts)

    def _rendered(self, turns: Turns, switches: Mapping[str, Any], *, in_parts: bool) -> str:
        if in_parts:
            turns = [{**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in turns]
        try:
            return self.renderer(self.tokenizer, turns, switches)
        except ModelError as error:  # of a renderer with advice of its own
            raise ModelError(f"the chat template of {self.name} fails: {error}") from None
        except Exception as error:  # a template is a program, which can fail in any way
            raise ModelError(
                f"the chat template of {self.name} fails: {first_sentence(error)}",
                option="chat",
                hint="load the model with `chat` set to false",
            ) from None

    @cached_property
    def _question(self) -> tuple[Turns, bool]:
        """A question in the form that the template accepts, and whether the content of a turn must be a list of parts.

        The system's turn is part of it if the template fails without one. Templates of models of images and texts
        drop content that is a plain string, or fail.
        """
        question: Turns = [{"role": "user", "content": _QUESTION}]
        trials = [question, *([] if self.options.system is None else [self._turns(_QUESTION, folds=False)])]
        for in_parts in (False, True):
            for turns in trials:
                with suppress(ModelError):
                    if _QUESTION in self._rendered(turns, {}, in_parts=in_parts):
                        return turns, in_parts
        return question, False

    @cached_property
    def traits(self) -> TemplateTraits:
        """What the template does.

        Raises:
            ModelError: it fails on a plain question.
        """
        question, _ = self._question
        switch = ""
        with suppress(ModelError):  # such as templates that refuse such a variable
            switch = next((n for n in _SWITCHES if self._differs({n: True}, {n: False})), "")
        switches = self._values(switch)
        text = self.render(question, switches)
        tag = _LAST_TAG.search(text)
        opening = tag[1] if tag and split_thoughts(tag[1]).unfinished else ""
        thinks = bool(opening) or (
            text == self.render(question, {**switches, switch: True})
            if switch
            else _names_thoughts(str(self.tokenizer.chat_template))
        )
        folds = False
        if self.options.system is not None:
            with_system = ""
            with suppress(ModelError):  # such as templates without such a turn
                with_system = self.render(self._turns(_QUESTION, folds=False), switches)
            folds = self.options.system.strip() not in with_system
        return TemplateTraits(switch, thinks, opening, folds)

    @property
    def switches(self) -> dict[str, Any]:
        """The variables that the options set."""
        return self._values(self.traits.switch)

    def check(self) -> None:
        """Refuse options that the template does not know.

        Raises:
            InputError: it has no switch for thoughts, or none for their length.
            ModelError: it fails with them.
        """
        traits = self.traits
        if self.options.thinking != "auto" and not traits.switch:
            raise InputError(
                f"the chat template of {self.name} cannot switch reasoning, got `thinking` "
                f"{quoted(self.options.thinking)}",
                option="thinking",
                hint="omit `thinking`",
            )
        try:
            reads_effort = self._differs(*({"reasoning_effort": effort} for effort in _EFFORTS))
        except ModelError:  # such as templates that know other words
            reads_effort = True
        if self.options.reasoning_effort is not None and not reads_effort:
            raise InputError(
                f"the chat template of {self.name} does not support `reasoning_effort`",
                option="reasoning_effort",
                hint="omit `reasoning_effort`",
            )

    def facts(self) -> dict[str, Any]:
        """Return for the provenance the template's checksum, the system's turn, and a question as it is rendered."""
        template = self.tokenizer.chat_template
        source = template if isinstance(template, str) else repr(template)
        facts = {"chat_template_sha256": hashlib.sha256(source.encode()).hexdigest(), **self.options.facts()}
        with suppress(ModelError):  # said where the model is asked
            traits = self.traits
            question = self._turns(_QUESTION, folds=traits.folds_system)
            facts["rendered_question"] = self.render(question, self.switches)  # with what the template adds
            facts |= {"system_in_user_turn": True} if traits.folds_system else {}
            facts |= (
                {"thinking": self.options.thinking, "thinking_switch": traits.switch} if traits.switch else {}
            )
        return facts

    def _turns(self, prompt: str, *, folds: bool) -> Turns:
        system, (first, *later) = self.options.system, messages_of(prompt)
        if system is None:
            return [first, *later]
        if folds:
            return [{**first, "content": f"{system}\n\n{first['content']}"}, *later]
        return [{"role": "system", "content": system}, first, *later]

    def _values(self, switch: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if switch and self.options.thinking != "auto":
            values[switch] = self.options.thinking == "on"
        if self.options.reasoning_effort is not None:
            values["reasoning_effort"] = self.options.reasoning_effort
        return values

    def _differs(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
        """True if the template renders another text with other variables."""
        question, _ = self._question
        return self.render(question, first) != self.render(question, second)


def _names_thoughts(source: str) -> bool:
    """True if a template without a switch names the tags or channels of thoughts, as in earlier turns."""
    return "<|channel|>" in source or bool(split_thoughts(source).thoughts)


def chat_template_of(
    tokenizer: Any, name: str, options: ChatOptions, *, is_causal: bool
) -> ChatTemplate | None:
    """Return the template with which a model is addressed, or ``None``.

    Raises:
        ModelError: a template is requested, or an option of one is given, and the tokenizer has none or the model
            is not causal.
        InputError: the template does not know an option.
    """
    if is_causal and options.chat is not False and getattr(tokenizer, "chat_template", None):
        template = ChatTemplate(tokenizer, name, options)
        if options.thinking != "auto" or options.reasoning_effort is not None:
            template.check()
        return template
    chat_only = ["chat"] * (options.chat is True) + [
        option
        for option in ("system", "reply_tokens", "thinking", "reasoning_effort")
        if getattr(options, option) not in (None, "auto")
    ]
    if not chat_only:
        return None
    option, why, hint = chat_only[0], f"{name} has none", "do not set it, or use a model tuned for chat"
    if not is_causal:
        why, hint = f"{name} is not a causal language model", "do not set it"
    elif options.chat is False:
        why, hint = "`chat` is false", "set only one of them"
    raise ModelError(f"`{option}` needs a chat template, and {why}", option=option, hint=hint)
