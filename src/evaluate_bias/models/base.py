"""What a model can do, as small protocols. A method asks for the one it needs and nothing more.

Any object with the right methods takes part: a test double, a user's own class, a remote service.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

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


class ScoringEndpoints:
    """A model behind a chosen set of endpoints; there is a class for each set, since capabilities belong to classes."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's own."""
        return str(self._model.name)

    def provenance(self) -> Mapping[str, Any]:
        """The model's own."""
        facts: Mapping[str, Any] = self._model.provenance()
        return facts

    def __getattr__(self, name: str) -> Any:
        if name == "_model":  # not there yet: a copy in the making
            raise AttributeError(name)
        return getattr(self._model, name)


@runtime_checkable
class WordEmbedder(Model, Protocol):
    """Embeds words out of context (static vectors)."""

    def embed_words(self, words: Sequence[str]) -> tuple[RealArray, list[int]]:
        """``(vectors, missing)``: an array (words found, dimension) in their order, and the positions of the others.

        Never guesses: a missing word is reported, not replaced.
        """


@runtime_checkable
class ContextEmbedder(Model, Protocol):
    """Embeds texts and words in them; see :class:`~.encoder.ContextualModel`."""

    def embed_in_context(
        self,
        texts: Sequence[str],
        spans: Sequence[tuple[int, int] | None] | None,
        representations: Sequence[Representation | str],
    ) -> Sequence[RealArray | Skipped]:
        """Embed each text, or the word at its span: an array (representations, dimension) or one skip, per text."""


@runtime_checkable
class MaskedScorer(Model, Protocol):
    """Scores tokens of a text with a masked language model; see :class:`~.masked.MaskedLM`."""

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Tokenize; one item per text, a skip with its reason where the model cannot read it."""

    def pseudo_logprobs(self, encoded: Sequence[Encoded], positions: Any = "all") -> Sequence[RealArray]:
        """Log p(token | rest) of chosen tokens, masked one at a time; one array per text."""

    def masked_logprobs(self, requests: Sequence[Any]) -> Sequence[RealArray]:
        """Log-probabilities of each :class:`~.masked.MaskedRequest`'s targets, with its positions masked."""

    def token_logprobs(self, encoded: Sequence[Encoded]) -> Sequence[RealArray]:
        """Log p(token | whole text, nothing masked) of the real tokens; one array per text."""


@runtime_checkable
class SequenceScorer(Model, Protocol):
    """Scores a text left to right (causal language models); see :class:`~.causal.CausalLM`."""

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Tokenize; one item per text, a skip with its reason where the model cannot read it."""

    def sequence_logprobs(self, encoded: Sequence[Encoded]) -> Sequence[RealArray]:
        """Log p(token | tokens before it) of the tokens that count; one array per text."""


@runtime_checkable
class FillsMask(Model, Protocol):
    """Gives the distribution over the vocabulary at masks."""

    def mask_distributions(self, requests: Sequence[Any]) -> Sequence[RealArray]:
        """Log-probabilities over the vocabulary at the masked positions of each request."""


@runtime_checkable
class Generates(Model, Protocol):
    """Turns prompts into completions; see :mod:`~.completions`."""

    def complete(self, prompts: Sequence[str], settings: Any) -> Sequence[Sequence[str | None] | Skipped]:
        """Complete each prompt by :class:`~.completions.GenerationSettings`: its completions, or one skip.

        ``None`` stands for a completion that could not be given.
        """


@runtime_checkable
class Chats(Model, Protocol):
    """Answers instructions; see :mod:`~.chat`.

    Two attributes may say more: ``alternatives``, how many of the likeliest first tokens a reply can bring along (0
    where there is none), and ``is_chat_model``, whether it is asked rather than continued where both are possible.
    """

    def reply(
        self, prompts: Sequence[str], settings: Any, *, alternatives: int = 0
    ) -> Sequence[Sequence[Any] | Skipped]:
        """Answer each prompt by :class:`~.completions.GenerationSettings`: its replies, or one skip, per prompt."""


@runtime_checkable
class ChoosesAnswers(Model, Protocol):
    """Says how likely each of several answers to a prompt is; see :mod:`~.choose`."""

    def answer_scores(self, questions: Sequence[tuple[str, Sequence[str]]]) -> Sequence[RealArray | Skipped]:
        """Scores of the answers to each ``(prompt, answers)``, the higher the likelier, or one skip, per question."""


@runtime_checkable
class ClassifiesInferences(Model, Protocol):
    """Says whether one text follows from another; see :class:`~.encoder.InferenceModel`."""

    def inference_probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[RealArray | Skipped]:
        """Probabilities of entailment, neutral and contradiction, or one skip, per ``(premise, hypothesis)``."""


@runtime_checkable
class CountsWords(Model, Protocol):
    """Counts words beside others in texts; see :class:`evaluate_bias.corpora.corpus.Corpus`."""

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


CAPABILITIES: dict[type, tuple[str, str]] = {
    WordEmbedder: (
        "embeds words",
        "word vectors: a word2vec, GloVe, fastText, npz or safetensors file, gensim KeyedVectors, or a "
        "dict from words to vectors",
    ),
    ContextEmbedder: (
        "embeds words in context",
        "a transformer encoder or causal model, by Hub id or local folder (or word vectors, for means of words)",
    ),
    MaskedScorer: ("scores masked tokens", "a model with a masked-LM head, such as 'bert-base-uncased'"),
    SequenceScorer: (
        "scores sequences",
        "a causal language model (Hub id, folder or GGUF file), or endpoint:URL#NAME, whose server gives "
        "log-probabilities of its prompts",
    ),
    FillsMask: ("fills a mask", "a model with a masked-LM head, such as 'bert-base-uncased'"),
    Generates: (
        "generates",
        "a causal language model, by Hub id, local folder or GGUF file, an endpoint that completes texts, or "
        "a function from prompts to completions",
    ),
    Chats: (
        "chats",
        "a model with a chat template, an endpoint that chats, inspect:PROVIDER/NAME, or a function from prompts "
        "to replies",
    ),
    ChoosesAnswers: (
        "chooses between answers",
        "an object with answer_scores",
    ),
    ClassifiesInferences: (
        "classifies inferences",
        "a classifier of natural language inference, by Hub id or local folder, such as 'roberta-large-mnli'",
    ),
    CountsWords: (
        "counts words",
        "a corpus: evaluate_bias.load_corpus of a text file, a folder, texts or a data set",
    ),
}
"""For each capability: its name, and what to use to get it (for error messages)."""


def can(model_class: type, what: str) -> bool:
    """Whether models of a class have a capability, given by its name.

    Examples:
        >>> from evaluate_bias.models.static import StaticVectors
        >>> can(StaticVectors, "embeds words"), can(StaticVectors, "generates")
        (True, False)
    """
    (capability,) = (one for one, (name, _) in CAPABILITIES.items() if name == what)
    return all(hasattr(model_class, name) for name in set(dir(capability)) - set(dir(Model)))


def capability_endpoints() -> frozenset[str]:
    """The names of the methods by which the capabilities are known."""
    common = set(dir(Model))
    return frozenset(name for capability in CAPABILITIES for name in dir(capability) if name not in common)


def require(model: Any, capability: type, method: str) -> None:
    """Check that ``model`` has one ``capability``; see :func:`require_any`."""
    require_any(model, (CAPABILITIES[capability][0],), method)


def require_any(model: Any, needs: Sequence[str], method: str, instead: str = "") -> None:
    """Check that ``model`` has one of several capabilities, given by their names.

    Args:
        model: the model; ``None`` is refused too.
        needs: names of capabilities.
        method: the method that needs one of them.
        instead: what to do with other models, as a clause.

    Raises:
        InputError: there is no model.
        CapabilityError: it has none of them; the text names what would work.

    Examples:
        >>> require_any(object(), ("embeds words", "embeds words in context"), "seat")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.CapabilityError: seat needs a model that embeds words or embeds words in context and object
        does not; use word vectors: ...
    """
    capability_of = {what: (capability, use) for capability, (what, use) in CAPABILITIES.items()}
    if any(isinstance(model, capability_of[what][0]) for what in needs):
        return
    use = "; or ".join(dict.fromkeys(capability_of[what][1] for what in needs))
    if model is None:
        raise InputError(f"{method} needs a model", option="model", hint=f"use {use}")
    name = getattr(model, "name", None) or type(model).__name__
    other = f"; {instead}" if instead else ""
    raise CapabilityError(
        f"{method} needs a model that {' or '.join(needs)} and {name} does not",
        option="model",
        hint=f"use {use}{other}",
    )


def refuse_any(model: Any, abilities: Sequence[str], method: str, reason: str) -> None:
    """Refuse a model that has one of these capabilities, given by their names.

    Raises:
        CapabilityError: it has one.
    """
    for what in abilities:
        if can(type(model), what):
            name = getattr(model, "name", None) or type(model).__name__
            raise CapabilityError(
                f"{method} does not support a model that {what}, as {name} does: {reason}", option="model"
            )


_READS = (
    "answer_scores",
    "attended_logprobs",
    "embed_in_context",
    "embed_words",
    "inference_probabilities",
    "mask_distributions",
    "masked_logprobs",
    "next_sentence_logprobs",
    "pseudo_logprobs",
    "sequence_logprobs",
    "token_logprobs",
)
"""What gives numbers."""


def checked_outputs(model: Any) -> Any:
    """The model, behind a check of its numbers where it is not one of ours, which check them where they arise.

    Raises:
        ModelError: on reading, a number is NaN or infinite.
    """
    if getattr(type(model), "checks_outputs", False):
        return model
    endpoints = {name: _check_method(name) for name in _READS if hasattr(model, name)}
    if not endpoints:
        return model
    # What else makes a capability, which only a class can have.
    endpoints |= {name: _pass_on(name) for name in capability_endpoints() - {*_READS} if hasattr(model, name)}
    return type("Finite", (ScoringEndpoints,), endpoints)(model)


def _pass_on(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: getattr(self._model, name)(*args, **kwargs)


def _check_method(name: str) -> Callable[..., Any]:
    def checked_read(self: ScoringEndpoints, *args: Any, **kwargs: Any) -> Any:
        outputs = getattr(self._model, name)(*args, **kwargs)
        # A token that the model rules out has -inf in a distribution.
        ruled_out = name == "mask_distributions"
        if not all(
            _is_finite(part, ruled_out) for part in (outputs[:1] if name == "embed_words" else outputs)
        ):
            raise ModelError(
                f"{quoted(self.name)} returns NaN or infinite numbers ({name}), which cannot be scored"
            )
        return outputs

    return checked_read


def _is_finite(part: Any, ruled_out: bool) -> bool:
    if isinstance(part, Skipped):
        return True
    numbers = np.asarray(part)
    if numbers.dtype.kind not in "fiu":
        numbers = numbers.astype(np.float64)
    finite = np.isfinite(numbers)
    return bool(finite.all() or (ruled_out and (finite | np.isneginf(numbers)).all()))
