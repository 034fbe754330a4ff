"""Loading transformers: which class to use, on which device, in which precision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from ..errors import CapabilityError, InputError, ModelError, quoted
from ..options import checked_options, options_of
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
from .source import Checkpoint, Dtype, ModelSource, first_sentence, foreign_errors

__all__ = ["Encoder", "TransformerKind", "load_transformer"]

TransformerKind = Literal["auto", "masked", "causal", "encoder"]


def load_transformer(
    spec: Any,
    *,
    kind: TransformerKind = "auto",
    device: str = "auto",
    dtype: Dtype = "auto",
    revision: str | None = None,
    allow_pickle: bool = False,
    batch_tokens: int | None = None,
    progress: bool = True,
    name: str | None = None,
) -> MaskedLM | CausalLM | Encoder:
    """Load a transformer with its tokenizer: a :class:`MaskedLM`, :class:`CausalLM` or :class:`Encoder`.

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

    Raises:
        ModelError: the model cannot be found or read, its weights are damaged, do not fit its configuration, or are
            pickled without ``allow_pickle=True``.
        CapabilityError: it has no head of the ``kind`` asked for.
        InputError: an option is not one of its values.
    """
    device = str(device) if type(device).__module__ == "torch" else device
    given: dict[str, Any] = {
        "kind": kind,
        "device": device,
        "dtype": dtype,
        "revision": revision,
        "allow_pickle": allow_pickle,
    }
    given |= {"batch_tokens": batch_tokens, "progress": progress, "name": name}
    checked_options(given, options_of(load_transformer), "load_model of transformers")
    import_transformers()
    with foreign_errors(spec):
        model, tokenizer, source, head = _loaded(spec, kind, device, dtype, revision, allow_pickle)
    if name is not None:
        source = replace(source, name=name)
    return _SCORERS[head](model, tokenizer, source, batch_tokens=batch_tokens, progress=progress)


def _loaded(
    spec: Any, kind: TransformerKind, device: str, dtype: Dtype, revision: str | None, allow_pickle: bool
) -> tuple[Any, Any, ModelSource, Head]:
    import torch

    precision = torch.float32 if dtype == "auto" else getattr(torch, dtype)
    if isinstance(spec, tuple):
        model, tokenizer, source, head = _from_pair(spec, kind)
        if any(p.is_meta for p in model.parameters()) and not hasattr(model, "hf_device_map"):
            raise ModelError(
                f"{source.name} has no weights: they are on the device 'meta', which holds no numbers"
            )
        # A model that is quantised, or spread over devices, may not be moved.
        moved = {"device": None if device == "auto" else _device(device)}
        moved["dtype"] = None if dtype == "auto" else precision
        if any(moved.values()):
            model = model.to(**{key: value for key, value in moved.items() if value is not None})
        return model, tokenizer, source, head
    where = _device(device)
    checkpoint = Checkpoint(spec, revision, allow_pickle)
    with reading(checkpoint):
        model, tokenizer, source, head = _from_checkpoint(checkpoint, kind, precision)
    return model.to(device=where, dtype=precision), tokenizer, source, head


_SCORERS: dict[str, type[MaskedLM | CausalLM | Encoder]] = {
    "masked": MaskedLM,
    "causal": CausalLM,
    "encoder": Encoder,
}


def _from_checkpoint(
    checkpoint: Checkpoint, kind: TransformerKind, dtype: Any
) -> tuple[Any, Any, ModelSource, Head]:
    config = load_config(checkpoint)
    declared = _declared_kind(config, checkpoint.is_gguf)
    head: Head = declared if kind == "auto" else kind
    if head in ("masked", "causal") and declared in ("masked", "causal") and head != declared:
        raise CapabilityError(_WRONG_KIND[head].format(name=checkpoint.name))
    tokenizer = load_tokenizer(checkpoint)
    try:
        model = load_pretrained(checkpoint, head, dtype, config)
    except MissingHeadError:
        if kind != "auto":
            raise
        head = "encoder"
        model = load_pretrained(checkpoint, head, dtype, config)
    return model, tokenizer, checkpoint.source(model), head


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


def _from_pair(spec: tuple[Any, ...], kind: TransformerKind) -> tuple[Any, Any, ModelSource, Head]:
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
        found = torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, ValueError, NotImplementedError) as error:
        raise InputError(f"device {quoted(device)} cannot be used here: {first_sentence(error)}") from error
    if found.type == "meta":
        raise InputError("device 'meta' cannot be used here: it holds no numbers")
    return found
