"""Adapters of PEFT (LoRA and its kin): the base model with the adapter in its layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..assets import file_sha256
from ..errors import BiasError, ModelError, quoted
from .loaded_objects import ADAPTER, adapter_config, unwrapped
from .source import first_sentence, looks_like_path


@dataclass(frozen=True, slots=True)
class BaseModel:
    """The base model of an adapter.

    Attributes:
        folder: of the adapter.
        spec: the base's folder, or its Hub id.
        revision: that of a Hub id, where the adapter names one.
        absent: the folders where it would have been found before it was taken for a Hub id.
    """

    folder: Path
    spec: str
    revision: str | None = None
    absent: tuple[Path, ...] = ()


def base_of_adapter(folder: Path) -> BaseModel | None:
    """The base model that an adapter folder names; ``None`` where the folder holds no adapter.

    A relative path is looked for in the adapter's folder, then in the working directory; what is in neither is taken
    for a Hub id where it can be one.

    Raises:
        ModelError: the adapter names no base model, another adapter, or a path where nothing lies.
    """
    config = adapter_config(folder)
    if config is None:
        return None
    base = str(config["base_model_name_or_path"])
    path = Path(base).expanduser()
    places = tuple(dict.fromkeys([folder.absolute() / path, path.absolute()]))
    base_place = next((place for place in places if place.exists()), None)
    if base_place is None:
        if looks_like_path(base):
            raise ModelError(
                f"the base model of the adapter {quoted(str(folder))} is the path {quoted(base)}, and there is no "
                f"{_nor(places)}"
            )
        revision = config.get("revision")
        return BaseModel(folder, base, None if revision is None else str(revision), places)
    if (base_place / ADAPTER).is_file():
        raise ModelError(
            f"the adapter {quoted(str(folder))} names another adapter, {quoted(base)}, as its base model: load them "
            "yourself and pass the pair (model, tokenizer)"
        )
    return BaseModel(folder, str(base_place))


def _nor(places: Sequence[Path]) -> str:
    return " and no ".join(quoted(str(place), 120) for place in places)


def adapted(base: BaseModel, load: Callable[[str, str | None], Any]) -> tuple[Any, Any, str]:
    """Load a base model and put its adapter into its layers.

    Args:
        base: the base model, with the folder of an adapter as ``save_pretrained`` of PEFT writes it, with
            ``adapter_model.safetensors``.
        load: loads the base model, from a folder or a Hub id and a revision, as a scorer of this library.

    Returns:
        The scorer of the base model, the model with the adapter, and the checksum of the adapter.

    Raises:
        ModelError: PEFT is not installed, the base cannot be loaded, or the adapter is pickled or does not fit.
    """
    folder = quoted(str(base.folder))
    weights = base.folder / "adapter_model.safetensors"
    if not weights.is_file():
        raise ModelError(
            f"the adapter {folder} has no adapter_model.safetensors; pickled adapters can run code and are not read"
        )
    try:
        from peft import PeftModel
    except ImportError as error:
        raise ModelError(f"{folder} is a PEFT adapter: pip install peft ({error})") from error
    try:
        scorer = load(base.spec, base.revision)
    except BiasError as error:
        tried = f" (there is no {_nor(base.absent)})" if base.absent else ""
        raise ModelError(
            f"the base model of the adapter {folder} cannot be loaded{tried}: {error}"
        ) from error
    try:
        tuned = PeftModel.from_pretrained(scorer.model, str(base.folder), is_trainable=False)
    except Exception as error:
        raise ModelError(
            f"the adapter {folder} does not fit its base model {scorer.name}: {first_sentence(error)}"
        ) from error
    return scorer, unwrapped(tuned).eval(), file_sha256(weights)
