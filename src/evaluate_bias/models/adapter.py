"""Adapters of PEFT (LoRA and its kin): the base model with the adapter in its layers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..assets import file_sha256
from ..errors import BiasError, ModelError, quoted
from .loaded_objects import ADAPTER, adapter_config, unwrapped
from .source import first_sentence, imported, looks_like_path


def load_adapter(folder: Path, load: Callable[[str, str | None], Any]) -> tuple[Any, Any, str] | None:
    """Load the base model that an adapter folder names and put the adapter into its layers.

    A relative path is looked for in the adapter's folder, then in the working directory; what is in neither is taken
    for a Hub id where it can be one.

    Args:
        folder: as ``save_pretrained`` of PEFT writes it, with ``adapter_model.safetensors``.
        load: loads the base model, from a folder or a Hub id and a revision, as a scorer of this library.

    Returns:
        The scorer of the base model, the model with the adapter, and the checksum of the adapter; ``None`` where the
        folder holds no adapter.

    Raises:
        ModelError: the adapter names no base model, another adapter, or a path where nothing lies; PEFT is not
            installed, the base cannot be loaded, or the adapter is pickled or does not fit.
    """
    config = adapter_config(folder)
    if config is None:
        return None
    where, base = quoted(str(folder)), str(config["base_model_name_or_path"])
    path = Path(base).expanduser()
    places = tuple(dict.fromkeys([folder.absolute() / path, path.absolute()]))
    nowhere = " and no ".join(quoted(str(place), 120) for place in places)
    place = next((place for place in places if place.exists()), None)
    if place is None and looks_like_path(base):
        raise ModelError(
            f"the base model of the adapter {where} is the path {quoted(base)}, and there is no {nowhere}"
        )
    if place is not None and (place / ADAPTER).is_file():
        raise ModelError(
            f"the adapter {where} names another adapter, {quoted(base)}, as its base model: load them yourself and "
            "pass the pair (model, tokenizer)"
        )
    weights = folder / "adapter_model.safetensors"
    if not weights.is_file():
        raise ModelError(
            f"the adapter {where} has no adapter_model.safetensors; pickled adapters can run code and are not read"
        )
    peft = imported("peft", f"{where} is a PEFT adapter: pip install peft")
    revision = config.get("revision")
    try:
        scorer = (
            load(base, None if revision is None else str(revision))
            if place is None
            else load(str(place), None)
        )
    except BiasError as error:
        tried = f" (there is no {nowhere})" if place is None else ""
        raise ModelError(f"the base model of the adapter {where} cannot be loaded{tried}: {error}") from error
    try:
        tuned = peft.PeftModel.from_pretrained(scorer.model, str(folder), is_trainable=False)
    except Exception as error:
        raise ModelError(
            f"the adapter {where} does not fit its base model {scorer.name}: {first_sentence(error)}"
        ) from error
    return scorer, unwrapped(tuned).eval(), file_sha256(weights)
