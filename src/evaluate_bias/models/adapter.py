"""Adapters of PEFT (LoRA and its kin): the base model with the adapter in its layers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..assets import file_sha256
from ..errors import BiasError, ModelError, quoted
from .given import ADAPTER, adapter_config, unwrapped
from .source import first_sentence

__all__ = ["apply_adapter", "base_of_adapter"]


def base_of_adapter(folder: Path) -> str | None:
    """The base model that an adapter folder names; ``None`` where the folder holds no adapter.

    A relative path is one beside the adapter where such a folder exists.
    """
    config = adapter_config(folder)
    if config is None:
        return None
    base = str(config["base_model_name_or_path"])
    beside = folder / base
    found = str(beside) if not Path(base).is_absolute() and beside.is_dir() else base
    if (Path(found) / ADAPTER).is_file():
        raise ModelError(
            f"the adapter {quoted(str(folder))} names another adapter, {quoted(base)}, as its base model: load them "
            "yourself and pass the pair (model, tokenizer)"
        )
    return found


def apply_adapter(folder: Path, load_base: Callable[[], Any]) -> tuple[Any, str]:
    """Load the base model and put the adapter of ``folder`` into its layers.

    Args:
        folder: an adapter as ``save_pretrained`` of PEFT writes it, with ``adapter_model.safetensors``.
        load_base: loads the base model as a scorer of this library.

    Returns:
        The model, and the checksum of the adapter.

    Raises:
        ModelError: PEFT is not installed, the base cannot be loaded, or the adapter is pickled or does not fit.
    """
    weights = folder / "adapter_model.safetensors"
    if not weights.is_file():
        raise ModelError(
            f"the adapter {quoted(str(folder))} has no adapter_model.safetensors; pickled adapters can run code and "
            "are not read"
        )
    try:
        from peft import PeftModel
    except ImportError as error:
        raise ModelError(f"{quoted(str(folder))} is a PEFT adapter: pip install peft ({error})") from error
    try:
        scorer = load_base()
    except BiasError as error:
        raise ModelError(
            f"the base model of the adapter {quoted(str(folder))} cannot be loaded: {error}"
        ) from error
    try:
        tuned = PeftModel.from_pretrained(scorer.model, str(folder), is_trainable=False)
    except Exception as error:
        raise ModelError(
            f"the adapter {quoted(str(folder))} does not fit its base model {scorer.name}: {first_sentence(error)}"
        ) from error
    return unwrapped(tuned).eval(), file_sha256(weights)
