"""Instructions to chat models, which are data: ``instructions/<language>.yaml`` in the folder of a method."""

from __future__ import annotations

import functools
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any, Literal, TypeAlias, get_args

import yaml

from ..errors import InputError, bad_option, quoted

PromptVariants: TypeAlias = Annotated[
    int | Sequence[str] | None,
    "of the instruction to a chat model: how many of the library's, or a list of your own with the same "
    "fields in braces. By default as many as the protocol says.",
]
ASKED_BY_PROTOCOL = (
    'how much a chat model is asked: "quick" uses one prompt variant and as many option orders as there are options, '
    'and "robust" uses every prompt variant (five in English) and every order of up to three options.'
)
ProtocolName: TypeAlias = Annotated[Literal["quick", "robust"], ASKED_BY_PROTOCOL]
FollowUp: TypeAlias = Annotated[
    bool,
    "ask a chat model once more, for the label alone, if its reply states no option. The score of first replies is "
    "also reported.",
]


@dataclass(frozen=True, slots=True)
class Instructions:
    """Prompt variants of one question, and the labels of its options.

    Attributes:
        texts: by kind of question its prompt variants, with ``{fields}``.
        labels: labels of the options, in order.
        language: language tag.
        is_own: whether they are the user's.
    """

    texts: Mapping[str, tuple[str, ...]]
    labels: tuple[str, ...]
    language: str
    is_own: bool

    @property
    def count(self) -> int:
        """Number of prompt variants."""
        return min(map(len, self.texts.values()))

    def facts(self) -> dict[str, object]:
        """For the settings of a result: the texts themselves, which a reader must see."""
        texts = {kind: list(texts) for kind, texts in self.texts.items()}
        return {"instructions": texts, "instructions_by": "the user" if self.is_own else "this library"}


def load_instructions(
    package: str,
    language: str,
    prompt_variants: PromptVariants = None,
    protocol: ProtocolName = "robust",
) -> Instructions:
    """Load the instructions of a method.

    Args:
        package: the method's package, whose folder contains them.
        language: language tag of the data. If it is unknown (``"und"``), English is used.
        prompt_variants: how many of its prompt variants, or the user's own, which then serve every kind of question.
        protocol: says how many are used if ``prompt_variants`` does not: one, or all.

    Raises:
        InputError: this language has none, or not that many, or a text lacks a field that the question needs or names
            another field.

    Examples:
        >>> loaded = load_instructions("evaluate_bias.methods.downstream.bbq", "de", 2)
        >>> loaded.count, loaded.labels
        (2, ('A', 'B', 'C'))
    """
    if prompt_variants is None and protocol == "quick":
        prompt_variants = 1
    tag = "en" if language == "und" else language.replace("_", "-").split("-")[0].lower()
    folder = resources.files(package) / "instructions"
    files = {path.name.removesuffix(".yaml"): path for path in folder.iterdir()}
    is_own = prompt_variants is not None and not isinstance(prompt_variants, int)
    if tag not in files and not is_own:
        raise InputError(
            f"no instructions in {quoted(language)}, only in {', '.join(sorted(files))}",
            option="prompt_variants",
            hint="give your own as `prompt_variants`",
        )
    content = _parsed(files[tag if tag in files else "en"].read_text(encoding="utf-8"))
    texts = {kind: tuple(wording_texts) for kind, wording_texts in content["prompt_variants"].items()}
    needed = {kind: _fields(wording_texts[0]) for kind, wording_texts in texts.items()}
    if is_own:
        wording_texts = _checked(
            prompt_variants, set.intersection(*needed.values()), set.union(*needed.values())
        )
        texts = dict.fromkeys(texts, wording_texts)
    elif isinstance(prompt_variants, int):
        most = min(map(len, texts.values()))
        if not 1 <= prompt_variants <= most:
            raise bad_option(
                "prompt_variants", prompt_variants, f"a number from 1 to {most}, or a list of strings"
            )
        texts = {kind: wording_texts[:prompt_variants] for kind, wording_texts in texts.items()}
    return Instructions(texts, tuple(map(str, content.get("labels", ()))), tag, is_own)


@functools.cache
def _parsed(text: str) -> Mapping[str, Any]:
    return dict(yaml.safe_load(text))  # which takes longer than some measurements


def refuse_to_ask(method: str, prompt_variants: PromptVariants, protocol: ProtocolName, asks: str) -> None:
    """Refuse prompt variants and a protocol if no model is asked.

    Raises:
        InputError: one of them is given. The text names the option ``asks`` with which a model is asked.
    """
    if protocol != "quick":
        raise InputError(
            f"{method}: `protocol` is for a chat model that is asked, with {asks}",
            option="protocol",
            hint="omit it",
        )
    if prompt_variants is not None:
        raise InputError(
            f"{method}: `prompt_variants` are for a chat model that is asked, with {asks}",
            option="prompt_variants",
            hint="omit them",
        )


def _checked(prompt_variants: object, needed: Iterable[str], known: set[str]) -> tuple[str, ...]:
    texts = tuple(prompt_variants) if isinstance(prompt_variants, list | tuple) else ()
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise bad_option("prompt_variants", prompt_variants, "a number or a list of strings")
    for text in texts:
        try:
            fields = _fields(text)
        except ValueError as error:
            raise InputError(
                f"the prompt variant {quoted(text)} cannot be filled: {error}", option="prompt_variants"
            ) from None
        if missing := [f for f in needed if f not in fields]:
            braced_names = ", ".join("{" + f + "}" for f in missing)
            raise InputError(
                f"the prompt variant {quoted(text)} lacks {braced_names}", option="prompt_variants"
            )
        if unknown := sorted(fields - known):
            braced_names = ", ".join("{" + f + "}" for f in sorted(known))
            raise InputError(
                f"the prompt variant {quoted(text)} has {{{unknown[0]}}}",
                option="prompt_variants",
                hint=f"use {braced_names}",
            )
    if len(set(texts)) < len(texts):
        raise InputError(
            "two prompt variants are the same, and each counts as one of several ways to ask",
            option="prompt_variants",
        )
    return texts


def _fields(text: str) -> set[str]:
    """Return the names in braces. A conversion or a format, as in ``{options!r}``, raises :class:`ValueError`."""
    parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
    for _, name, spec, conversion in parts:
        if spec or conversion:
            raise ValueError(f"braces may contain only a name, as in {{{name}}}")
    return {str(name) for _, name, _, _ in parts}


PhraseKind = Literal["refusals", "both"]
FormKind = Literal["answer", "answer_is", "after_label"]


@functools.cache
def reply_phrases(kind: PhraseKind | FormKind) -> tuple[str, ...]:
    """Return phrases of replies in all languages, the longest first. Those of ``reply_phrases.yaml`` say why a reply
    chooses nothing, those of ``reply_forms.yaml`` state an answer.
    """
    of_kind = _phrases("reply_phrases.yaml" if kind in get_args(PhraseKind) else "reply_forms.yaml")[kind]
    phrases = {phrase.casefold() for phrases in of_kind.values() for phrase in phrases}
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


def follow_up_text(language: str) -> str:
    """Return the instruction that asks once more for a label alone, in English if the language has none.

    Examples:
        >>> follow_up_text("de"), follow_up_text("is")
        ('Antworte nur mit dem Buchstaben.', 'Reply with the letter only.')
    """
    texts = _phrases("reply_forms.yaml")["follow_up"]
    return texts.get(language, texts["en"])[0]


@functools.cache
def _phrases(name: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    phrases: Mapping[str, Mapping[str, Sequence[str]]] = yaml.safe_load(
        (resources.files(__package__) / name).read_text(encoding="utf-8")
    )
    return phrases
