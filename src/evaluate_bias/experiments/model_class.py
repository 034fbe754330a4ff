"""What a model will be loaded as, as far as that can be told without loading it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..assets import CATALOGUE
from ..corpora.corpus import Corpus
from ..files import is_there
from ..models.causal import CausalLM
from ..models.chat import ChatLM
from ..models.encoder import Encoder, InferenceModel
from ..models.endpoint.address import INSPECT, SERVED
from ..models.endpoint.model import ChattingModel, CompletingModel, ScoringModel
from ..models.heads import head_of, labels_of, reads_masks
from ..models.loaded_objects import ADAPTER
from ..models.masked import MaskedLM
from ..models.source import begins_as_gguf
from ..models.static import StaticVectors
from .identity import NO_MODEL

_TRANSFORMERS: dict[str, type] = {
    "masked": MaskedLM,
    "causal": CausalLM,
    "encoder": Encoder,
    "classifier": InferenceModel,
}
_BY_KIND = {**_TRANSFORMERS, "static": StaticVectors}
_BY_ASSET = {
    "word vectors": StaticVectors,
    "masked language model": MaskedLM,
    "causal language model": CausalLM,
    "sentence encoder": Encoder,
}


class TwoHalves:
    """An encoder-decoder model, which no method can measure."""


def model_classes(spec: str, options: Mapping[str, Any]) -> tuple[type, ...]:
    """The classes that a model may be loaded as: one where name or files tell; none where there is no model.

    Args:
        spec: what to load.
        options: options of loading.
    """
    kind = options.get("kind", "auto")
    if spec == NO_MODEL:
        return ()
    if spec.startswith("corpus:"):
        return (Corpus,)
    if spec.startswith(INSPECT):
        return (ChattingModel,)
    if spec.startswith(SERVED):
        return (ChattingModel, ScoringModel, CompletingModel)
    if kind in _BY_KIND:
        return _with_chat(_BY_KIND[kind])
    if spec in CATALOGUE:
        return _with_chat(_BY_ASSET[CATALOGUE[spec].kind])
    path = Path(spec).expanduser()
    if not is_there(path) or options.get("subfolder"):
        return (*_BY_KIND.values(), ChatLM)
    if path.is_file():
        return _with_chat(CausalLM if begins_as_gguf(path) else StaticVectors)
    return _of_folder(path)


def _with_chat(model_class: type) -> tuple[type, ...]:
    """A class, and what a causal model with a chat template is beside it."""
    return (CausalLM, ChatLM) if model_class is CausalLM else (model_class,)


def _of_folder(folder: Path) -> tuple[type, ...]:
    if (folder / ADAPTER).is_file():
        return (*_TRANSFORMERS.values(), ChatLM)
    if not (folder / "config.json").is_file():
        return _with_chat(CausalLM if any(folder.glob("*.gguf")) else StaticVectors)
    try:
        config = json.loads((folder / "config.json").read_bytes())
        if config.get("is_encoder_decoder") and not reads_masks(str(config.get("model_type"))):
            return (TwoHalves,)
        head = head_of(str(next(iter(config.get("architectures") or ()), "")), labels_of(config))
    except (AttributeError, TypeError, ValueError, RecursionError):
        head = None  # loading it will say what is wrong
    if head == "causal" and not _has_template(folder):
        return (CausalLM,)
    return (*_BY_KIND.values(), ChatLM) if head is None else _with_chat(_TRANSFORMERS[head])


def _has_template(folder: Path) -> bool:
    """Whether the tokenizer of a folder has a chat template, in a file of its own or among its settings."""
    settings = folder / "tokenizer_config.json"
    templates = folder / "chat_template.jinja", folder / "chat_template.json"
    return any(t.is_file() for t in templates) or (
        settings.is_file() and b'"chat_template"' in settings.read_bytes()
    )
