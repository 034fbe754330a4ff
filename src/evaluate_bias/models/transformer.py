"""Loading transformers: which class to use, safe weights only, and clear words when something is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from ..errors import CapabilityError, InputError
from .causal import CausalLM
from .encoder import Encoder
from .masked import MaskedLM
from .pretrained import (
    ADVICE,
    Head,
    MissingHeadError,
    import_transformers,
    load_config,
    load_pretrained,
    load_tokenizer,
    reading,
)
from .source import ModelSource, Place

__all__ = ["Encoder", "Kind", "load_transformer"]

Kind = Literal["auto", "masked", "causal", "encoder"]


def load_transformer(
    spec: Any,
    *,
    kind: Kind = "auto",
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    allow_pickle: bool = False,
    batch_tokens: int | None = None,
    progress: bool = True,
    name: str | None = None,
) -> MaskedLM | CausalLM | Encoder:
    """Load a transformer with its tokenizer.

    Args:
        spec: a Hub id, a local folder, a GGUF file, or a pair ``(model, tokenizer)`` of transformers objects
            (read in evaluation mode and left in its own; with ``"auto"`` it stays on its device and in its dtype).
        kind: what to load it as; ``"auto"`` goes by the checkpoint's own declaration.
        device: ``"auto"`` (a GPU if there is one), or a torch device such as ``"cpu"`` or ``"cuda:1"``.
        dtype: ``"auto"`` (float32, so that numbers match the references), ``"float32"``, ``"bfloat16"`` or
            ``"float16"``.
        revision: Hub revision.
        allow_pickle: also load pickled weights (``pytorch_model.bin``). Only for files you trust.
        batch_tokens: tokens per batch to start with; by default what is fast on the device.
        progress: show a progress bar on standard error for long runs.
        name: short name for tables; by default the Hub id, or the folder's or file's name.

    Returns:
        A :class:`MaskedLM`, :class:`CausalLM` or :class:`Encoder`.

    Raises:
        ModelError: the model cannot be found or read, its weights are damaged, incomplete, or pickled without
            ``allow_pickle=True``.
        CapabilityError: it has no head of the ``kind`` asked for.
        InputError: an option is not one of its values.
    """
    if kind not in ("auto", "masked", "causal", "encoder"):
        raise InputError(f"kind must be 'auto', 'masked', 'causal' or 'encoder', not {kind!r}")
    import_transformers()
    if isinstance(spec, tuple):
        model, tokenizer, source, found = _from_pair(spec, kind)
        where = model.device if device == "auto" else _device(device)
        precision = model.dtype if dtype == "auto" else _dtype(dtype)
    else:
        where, precision = _device(device), _dtype(dtype)
        place = Place(spec, revision, allow_pickle)
        with reading(place):
            model, tokenizer, source, found = _from_place(place, kind, precision)
    model = model.to(device=where, dtype=precision)
    if name is not None:
        source = replace(source, name=name)
    scorer = _SCORERS[found]
    return scorer(model, tokenizer, source, batch_tokens=batch_tokens, progress=progress)


_SCORERS: dict[str, type[MaskedLM | CausalLM | Encoder]] = {
    "masked": MaskedLM,
    "causal": CausalLM,
    "encoder": Encoder,
}


def _from_place(place: Place, kind: Kind, dtype: Any) -> tuple[Any, Any, ModelSource, Head]:
    config = load_config(place)
    declared = _declared_kind(config, place.is_gguf)
    head: Head = declared if kind == "auto" else kind
    if head in ("masked", "causal") and declared in ("masked", "causal") and head != declared:
        raise CapabilityError(_WRONG_KIND[head].format(name=place.name))
    tokenizer = load_tokenizer(place)
    try:
        model = load_pretrained(place, head, dtype, config)
    except MissingHeadError:
        if kind != "auto":
            raise
        head = "encoder"
        model = load_pretrained(place, head, dtype, config)
    return model, tokenizer, place.source(model), head


_WRONG_KIND = {
    "masked": "{name} is a causal language model and cannot score masked tokens; use a model with a "
    "masked-LM head, such as 'bert-base-uncased', or a method for causal models",
    "causal": "{name} is a masked language model and does not read left to right; use a causal language "
    "model, such as 'gpt2', or a method for masked models",
}


def _declared_kind(config: Any, is_gguf: bool) -> Head:
    """What the checkpoint says it is: by the class it was saved from, else by what its model type can be."""
    import transformers

    architecture = next(iter(config.architectures or ()), "")
    if is_gguf or architecture.endswith(("ForCausalLM", "LMHeadModel", "DoubleHeadsModel")):
        return "causal"
    if architecture.endswith(
        ("ForMaskedLM", "ForPreTraining", "WithLMHeadModel", "ForNextSentencePrediction")
    ):
        return "masked"
    if architecture:
        return "encoder"
    if getattr(config, "is_decoder", False) or type(config) not in transformers.MODEL_FOR_MASKED_LM_MAPPING:
        return "causal" if type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING else "encoder"
    return "masked"


def _from_pair(spec: tuple[Any, ...], kind: Kind) -> tuple[Any, Any, ModelSource, Head]:
    if len(spec) != 2 or not hasattr(spec[0], "config") or not callable(spec[1]):
        raise InputError("a pair must be (model, tokenizer), both transformers objects")
    model, tokenizer = spec
    declared: Head = "encoder"
    if model.get_output_embeddings() is not None:
        is_causal = type(model).__name__.endswith(("ForCausalLM", "LMHeadModel", "DoubleHeadsModel"))
        declared = "causal" if is_causal else "masked"
    head: Head = declared if kind == "auto" else kind
    name = str(getattr(model.config, "_name_or_path", "") or type(model).__name__)
    if head in ("masked", "causal") and head != declared:
        if declared == "encoder":
            raise MissingHeadError(
                f"{name} ({type(model).__name__}) has no language-model head; {ADVICE[head]}"
            )
        raise CapabilityError(_WRONG_KIND[head].format(name=name))
    return model, tokenizer, ModelSource(name), head


def _device(device: str) -> Any:
    import torch

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"device {device!r} cannot be used here: {str(error).splitlines()[0]}") from error


def _dtype(dtype: str) -> Any:
    import torch

    names = {
        "auto": torch.float32,
        "float32": torch.float32,
        "bfloat16": torch.bfloat16,
        "float16": torch.float16,
    }
    if dtype not in names:
        raise InputError(f"dtype must be one of {', '.join(map(repr, names))}, not {dtype!r}")
    return names[dtype]
