"""What a model can do, as small protocols. A method asks for the one it needs and nothing more.

Any object with the right methods can be used: a test double, a user's own class, a remote service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from ..arrays import RealArray
from ..errors import CapabilityError, InputError, ModelError, quoted
from ..result import Skipped
from .alignment import Encoded
from .pooling import Representation


@runtime_checkable
class Model(Protocol):
    """What every model has: a name for people and an identity for the record."""

    @property
    def name(self) -> str:
        """Short name for tables: the Hub id, or the file's name."""

    def provenance(self) -> Mapping[str, Any]:
        """Return JSON-safe facts that identify the model: kind, source, revision or sha256, size."""


class WordEmbedder(Model, Protocol):
    """Embeds words without context (static vectors)."""

    def embed_words(self, words: Sequence[str]) -> tuple[RealArray, list[int]]:
        """Return an array (words found, dimension) in the order of the words, and the positions of the missing words.

        Never guesses: a missing word is reported, not replaced.
        """


class ContextEmbedder(Model, Protocol):
    """Embeds texts and words in them, see :class:`~.encoder.ContextualModel`."""

    def embed_in_context(
        self,
        texts: Sequence[str],
        spans: Sequence[tuple[int, int] | None] | None,
        representations: Sequence[Representation | str],
    ) -> Sequence[RealArray | Skipped]:
        """Embed each text, or the word at its span: an array (representations, dimension) or one skip, per text."""


class MaskedScorer(Model, Protocol):
    """Scores tokens of a text with a masked language model, see :class:`~.masked.MaskedLM`."""

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Tokenize texts. Return one item per text, or a skip with its reason if the model cannot read it."""

    def pseudo_logprobs(self, encoded: Sequence[Encoded], positions: Any = "all") -> Sequence[RealArray]:
        """Return log p(token | rest) of chosen tokens, masked one at a time: one array per text."""

    def masked_logprobs(self, requests: Sequence[Any]) -> Sequence[RealArray]:
        """Return log-probabilities of each :class:`~.masked.MaskedRequest`'s targets, with its positions masked."""

    def token_logprobs(self, encoded: Sequence[Encoded]) -> Sequence[RealArray]:
        """Return log p(token | whole text, nothing masked) of the real tokens: one array per text."""


class SequenceScorer(Model, Protocol):
    """Scores a text left to right (causal language models), see :class:`~.causal.CausalLM`."""

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Tokenize texts. Return one item per text, or a skip with its reason if the model cannot read it."""

    def sequence_logprobs(self, encoded: Sequence[Encoded]) -> Sequence[RealArray]:
        """Return log p(token | tokens before it) of the tokens that count: one array per text."""


class FillsMask(Model, Protocol):
    """Gives the distribution over the vocabulary at masks."""

    def mask_distributions(self, requests: Sequence[Any]) -> Sequence[RealArray]:
        """Return log-probabilities over the vocabulary at the masked positions of each request."""


class Generates(Model, Protocol):
    """Turns prompts into completions, see :mod:`~.completions`."""

    def complete(self, prompts: Sequence[str], settings: Any) -> Sequence[Sequence[str | None] | Skipped]:
        """Complete each prompt by :class:`~.completions.GenerationSettings`: its completions, or one skip.

        ``None`` means a completion that could not be given.
        """


class Chats(Model, Protocol):
    """Answers instructions, see :mod:`~.chat`.

    Two attributes may say more. ``alternatives`` is how many of the most likely first tokens a reply can include (0
    for none). ``is_chat_model`` says whether the model is asked rather than continued if both are possible.
    """

    def reply(
        self, prompts: Sequence[str], settings: Any, *, alternatives: int = 0
    ) -> Sequence[Sequence[Any] | Skipped]:
        """Answer each prompt by :class:`~.completions.GenerationSettings`: its replies, or one skip, per prompt."""


class ChoosesAnswers(Model, Protocol):
    """Says how likely each of several answers to a prompt is, see :mod:`~.choose`."""

    def answer_scores(self, questions: Sequence[tuple[str, Sequence[str]]]) -> Sequence[RealArray | Skipped]:
        """Return per question the scores of its answers, or one skip. A higher score is more likely."""


class ClassifiesInferences(Model, Protocol):
    """Says whether one text follows from another, see :class:`~.encoder.InferenceModel`."""

    def inference_probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[RealArray | Skipped]:
        """Return per ``(premise, hypothesis)`` the probabilities of entailment, neutral, contradiction, or a skip."""


class CountsWords(Model, Protocol):
    """Counts words next to others in texts, see :class:`evaluate_bias.corpora.corpus.Corpus`."""

    def cooccurrences(
        self,
        groups: Mapping[str, Sequence[str]],
        words: Sequence[str],
        *,
        window: int | None,
        sets: Sequence[Sequence[str]] | None = None,
    ) -> Any:
        """Count ``words`` in the context of the seeds of each group, or sentences with a word of ``sets``."""
        ...


class Capability(StrEnum):
    """Something that a model can do. The value is its name in records and sentences.

    Attributes:
        methods: the methods by which it is known of models that list no capabilities.
        models: which models can do it, for errors.

    Examples:
        >>> Capability.FILLS_MASK == "fills a mask", sorted(Capability.FILLS_MASK.methods)
        (True, ['mask_distributions'])
    """

    methods: frozenset[str]
    models: str

    def __new__(cls, value: str, protocol: type, models: str) -> Self:
        """Return a capability, known by the methods of its protocol."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.methods = frozenset(dir(protocol)) - frozenset(dir(Model))
        member.models = models
        return member

    EMBEDS_WORDS = (
        "embeds words",
        WordEmbedder,
        "word vectors: a word2vec, GloVe, fastText, npz or safetensors file, gensim KeyedVectors, or a "
        "dict from words to vectors",
    )
    EMBEDS_IN_CONTEXT = (
        "embeds words in context",
        ContextEmbedder,
        "a transformer encoder or causal model, by Hub id or local folder (or word vectors, for means of words)",
    )
    SCORES_MASKED_TOKENS = (
        "scores masked tokens",
        MaskedScorer,
        "a model with a masked-LM head, such as 'bert-base-uncased'",
    )
    SCORES_SEQUENCES = (
        "scores sequences",
        SequenceScorer,
        "a causal language model (Hub id, folder or GGUF file), or endpoint:URL#NAME, whose server gives "
        "log-probabilities of its prompts",
    )
    FILLS_MASK = ("fills a mask", FillsMask, "a model with a masked-LM head, such as 'bert-base-uncased'")
    GENERATES = (
        "generates",
        Generates,
        "a causal language model, by Hub id, local folder or GGUF file, an endpoint that completes texts, or "
        "a function from prompts to completions",
    )
    CHATS = (
        "chats",
        Chats,
        "a model with a chat template, an endpoint that chats, inspect:PROVIDER/NAME, or a function from prompts "
        "to replies",
    )
    CHOOSES_ANSWERS = ("chooses between answers", ChoosesAnswers, "an object with answer_scores")
    CLASSIFIES_INFERENCES = (
        "classifies inferences",
        ClassifiesInferences,
        "a classifier of natural language inference, by Hub id or local folder, such as 'roberta-large-mnli'",
    )
    COUNTS_WORDS = (
        "counts words",
        CountsWords,
        "a corpus: evaluate_bias.load_corpus of a text file, a folder, texts or a data set",
    )


class ModelKind:
    """What a class of models says about itself. The classes that can be loaded are listed in :mod:`~.kinds`.

    Attributes:
        capabilities: what its models can do. A class without them is known by its methods.
        label: what its models are called in a sentence.
        kind: the value of ``kind`` with which ``load_model`` loads them, or empty for none.
        asset_kind: the kind of named assets that are loaded as such models, or empty for none.
    """

    capabilities: ClassVar[frozenset[Capability]]
    label: ClassVar[str]
    kind: ClassVar[str] = ""
    asset_kind: ClassVar[str] = ""


def capabilities_of(model: Any) -> frozenset[Capability]:
    """Return what a model or a class of models can do: what it lists, or else what its methods imply.

    Examples:
        >>> from evaluate_bias.models.static import StaticVectors
        >>> sorted(map(str, capabilities_of(StaticVectors)))
        ['embeds words', 'embeds words in context']
    """
    listed = getattr(model, "capabilities", None)
    if isinstance(listed, frozenset):
        return listed
    return frozenset(one for one in Capability if all(hasattr(model, method) for method in one.methods))


def can(model: Any, capability: Capability | str) -> bool:
    """Return True if a model or a class of models has a capability.

    Examples:
        >>> from evaluate_bias.models.static import StaticVectors
        >>> can(StaticVectors, Capability.EMBEDS_WORDS), can(StaticVectors, "generates")
        (True, False)
    """
    return capability in capabilities_of(model)


def require(model: Any, needs: Sequence[str], method: str, instead: str = "") -> None:
    """Check that ``model`` has one of several capabilities.

    Args:
        model: the model. ``None`` is refused too.
        needs: capabilities, one of which is enough.
        method: the method that needs one of them.
        instead: what to do with other models, as a clause.

    Raises:
        InputError: ``model`` is ``None``.
        CapabilityError: it has none of them. The message names what would work.

    Examples:
        >>> require(object(), ("embeds words", "embeds words in context"), "seat")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.CapabilityError: seat needs a model that embeds words or embeds words in context and object
        does not; use word vectors: ...
    """
    if model is not None and not capabilities_of(model).isdisjoint(needs):
        return
    use = "; or ".join(dict.fromkeys(one.models for need in needs for one in Capability if one == need))
    if model is None:
        raise InputError(f"{method} needs a model", option="model", hint=f"use {use}")
    other = f"; {instead}" if instead else ""
    raise CapabilityError(
        f"{method} needs a model that {' or '.join(needs)} and {_name_of(model)} does not",
        option="model",
        hint=f"use {use}{other}",
    )


def refuse_any(model: Any, abilities: Sequence[str], method: str, reason: str) -> None:
    """Refuse a model that has one of these capabilities.

    Raises:
        CapabilityError: it has one.
    """
    for ability in capabilities_of(model).intersection(abilities):
        raise CapabilityError(
            f"{method} does not support a model that {ability}, as {_name_of(model)} does: {reason}",
            option="model",
        )


def _name_of(model: Any) -> str:
    return getattr(model, "name", None) or type(model).__name__


class WrappedModel:
    """A model with some methods of its own. Everything else, including capabilities, comes from the model inside."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's own."""
        return str(self._model.name)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The model's own."""
        return capabilities_of(self._model)

    def provenance(self) -> Mapping[str, Any]:
        """Return the provenance of the model inside."""
        facts: Mapping[str, Any] = self._model.provenance()
        return facts

    def __getattr__(self, name: str) -> Any:
        if name == "_model":  # not there yet: a copy in the making
            raise AttributeError(name)
        return getattr(self._model, name)


_GIVES_NO_NUMBERS = frozenset(("complete", "cooccurrences", "encode", "reply"))
_READS = frozenset().union(
    *(one.methods for one in Capability), ("attended_logprobs", "next_sentence_logprobs")
)
_READS -= _GIVES_NO_NUMBERS
"""Methods of models that return numbers."""


def checked_outputs(model: Any) -> Any:
    """Return the model, wrapped in a check of its numbers unless it is one of ours, which check their own.

    Raises:
        ModelError: on reading, a number is NaN or infinite.
    """
    is_checked = getattr(type(model), "checks_outputs", False)
    return model if is_checked or not any(hasattr(model, name) for name in _READS) else _Finite(model)


class _Finite(WrappedModel):
    """A model whose numbers are checked."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        return partial(self._checked_read, name, value) if name in _READS else value

    def _checked_read(self, name: str, method: Any, /, *args: Any, **kwargs: Any) -> Any:
        outputs = method(*args, **kwargs)
        # A token that the model rules out has -inf in a distribution.
        ruled_out = name == "mask_distributions"
        parts = outputs[:1] if name == "embed_words" else outputs
        if not all(_is_finite(part, ruled_out) for part in parts):
            raise ModelError(
                f"{quoted(self.name)} returns NaN or infinite numbers ({name}), which cannot be scored"
            )
        return outputs


def _is_finite(part: Any, ruled_out: bool) -> bool:
    if isinstance(part, Skipped):
        return True
    numbers = np.asarray(part)
    if numbers.dtype.kind not in "fiu":
        numbers = numbers.astype(np.float64)
    finite = np.isfinite(numbers)
    return bool(finite.all() or (ruled_out and (finite | np.isneginf(numbers)).all()))
