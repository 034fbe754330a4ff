"""The kinds of models there are: how each is loaded, and as which classes. A new kind of model is listed here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..assets import CATALOGUE
from ..corpora.corpus import CORPUS, Corpus, load_corpus
from ..errors import BiasError
from ..files import is_there, parsed_json, read_text
from ..options import Option, options_of
from ._vectors.matrices import are_vectors
from .base import Capability, ModelKind, can
from .causal import CausalLM
from .chat import ChatLM
from .completions import FunctionGenerator
from .encoder import Encoder, InferenceModel
from .endpoint.address import INSPECT, SERVED
from .endpoint.model import ProviderModel, ServedModel, load_endpoint
from .masked import MaskedLM
from .pretrained import head_of, labels_of, reads_masks
from .source import begins_as_gguf
from .static import StaticVectors
from .transformer import (
    ADAPTER,
    is_pipeline,
    is_sentence_transformer,
    is_transformers_model,
    load_sentences,
    load_transformer,
)


class Loader(NamedTuple):
    """A way to load models.

    Attributes:
        load: loads a spec. Its keywords are the options.
        classes: what it loads, see :class:`~.base.ModelKind`.
        what: what that is called in errors.
        claims: True if a spec goes to this loader: an object, or a string by its prefix. Names of assets, paths and Hub
            ids go to the loaders of word vectors and transformers.
    """

    load: Callable[..., Any]
    classes: tuple[Any, ...]
    what: str
    claims: Callable[[Any], bool]

    def options(self) -> dict[str, Option]:
        """Return its options but for those that only this library gives."""
        known = options_of(vars(self.load)["__init__"] if isinstance(self.load, type) else self.load)
        return {name: o for name, o in known.items() if name not in ("cache", "identity")}


def _open_corpus(spec: str) -> Corpus:
    return load_corpus(spec.removeprefix(CORPUS))


def _starts_with(prefixes: str | tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda spec: isinstance(spec, str) and spec.startswith(prefixes)


VECTORS = Loader(StaticVectors, (StaticVectors,), "word vectors", are_vectors)
TRANSFORMERS = Loader(
    load_transformer,
    (Encoder, CausalLM, ChatLM, MaskedLM, InferenceModel),
    "transformers",
    lambda spec: isinstance(spec, tuple) or is_pipeline(spec) or is_transformers_model(spec),
)
LOADERS = (
    Loader(_open_corpus, (Corpus,), "a corpus", _starts_with(CORPUS)),
    Loader(load_endpoint, (ProviderModel,), "a model of a provider", _starts_with(INSPECT)),
    Loader(load_endpoint, (ServedModel,), "an endpoint", _starts_with(SERVED)),
    Loader(load_sentences, (Encoder,), "a SentenceTransformer", is_sentence_transformer),
    Loader(
        FunctionGenerator,
        (FunctionGenerator,),
        "a function",
        lambda spec: inspect.isroutine(spec) or isinstance(spec, functools.partial),
    ),
    TRANSFORMERS,
    VECTORS,
)
"""All ways to load models, asked in this order."""


class EncoderDecoder(ModelKind):
    """A model that reads with one half and writes with the other, which no method can measure."""

    capabilities = frozenset()
    label = "an encoder-decoder model (its encoder is measured as the pair (model.get_encoder(), tokenizer))"


def kinds_of(**facts: str) -> tuple[Any, ...]:
    """Return the classes of models that say this of themselves, or all.

    Examples:
        >>> [kind.__name__ for kind in kinds_of(kind="causal")], kinds_of(asset_kind="word vectors")
        (['CausalLM', 'ChatLM'], (<class 'evaluate_bias.models.static.StaticVectors'>,))
    """
    classes = dict.fromkeys(kind for loader in LOADERS for kind in loader.classes)
    return tuple(c for c in classes if all(getattr(c, k) == fact for k, fact in facts.items()))


def classes_of(spec: str, options: Mapping[str, Any]) -> tuple[type, ...]:
    """Return the classes that a spec may be loaded as, without loading it: one if its name or files say which.

    Args:
        spec: what to load.
        options: options of loading.
    """
    for loader in LOADERS:
        if loader.claims(spec):
            return loader.classes
    if of_kind := kinds_of(kind=options.get("kind", "auto")):
        return of_kind
    if spec in CATALOGUE:
        return kinds_of(asset_kind=CATALOGUE[spec].kind)
    path, every = Path(spec).expanduser(), (*VECTORS.classes, *TRANSFORMERS.classes)
    if not is_there(path) or options.get("subfolder"):
        return every
    if path.is_file():
        return kinds_of(kind="causal") if begins_as_gguf(path) else VECTORS.classes
    if (path / ADAPTER).is_file():
        return TRANSFORMERS.classes
    if not (path / "config.json").is_file():
        return kinds_of(kind="causal") if any(path.glob("*.gguf")) else VECTORS.classes
    try:
        config = parsed_json(read_text(path / "config.json"), "config.json", allow_nan=True)
        if config.get("is_encoder_decoder") and not reads_masks(str(config.get("model_type"))):
            return (EncoderDecoder,)
        head = head_of(str(next(iter(config.get("architectures") or ()), "")), labels_of(config))
    except (AttributeError, BiasError, TypeError, ValueError):
        head = None  # loading it will say what is wrong
    if head is None:
        return every
    # A tokenizer has its chat template in a file of its own or among its settings.
    settings = path / "tokenizer_config.json"
    may_chat = any((path / f"chat_template.{end}").is_file() for end in ("jinja", "json")) or (
        settings.is_file() and b'"chat_template"' in settings.read_bytes()
    )
    return tuple(c for c in kinds_of(kind=head) if may_chat or not can(c, Capability.CHATS))
