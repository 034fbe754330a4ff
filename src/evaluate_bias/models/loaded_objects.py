"""What people have in their hands: models of transformers without a tokenizer, pipelines, adapters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..assets import file_sha256
from ..errors import BiasError, ModelError, quoted
from .pretrained import read_tokenizer
from .source import first_sentence, imported
from .tokenizer_file import find_tokenizer_file

_TASKS = ("fill-mask", "text-generation", "feature-extraction")
_WRAPPERS = ("OptimizedModule", "DataParallel", "DistributedDataParallel")
ADAPTER = "adapter_config.json"
"""The file by which a folder or repository is known to contain an adapter of PEFT."""


def is_pipeline(spec: Any) -> bool:
    """Whether an object is a pipeline of transformers, without importing the library for other objects."""
    return hasattr(spec, "task") and hasattr(spec, "model") and hasattr(spec, "tokenizer")


def is_transformers_model(spec: Any) -> bool:
    """Whether it is a model of transformers or an adapter around one."""
    inner = unwrapped(spec) if hasattr(spec, "forward") else None
    return hasattr(inner, "config") and hasattr(inner, "get_output_embeddings")


def is_sentence_transformer(spec: Any) -> bool:
    """Whether it is a SentenceTransformer, without importing the package."""
    return any(c.__name__ == "SentenceTransformer" for c in type(spec).__mro__) and hasattr(spec, "encode")


def pair_of(spec: Any) -> tuple[Any, Any]:
    """Model and tokenizer of a pipeline, or a model with the tokenizer that lies where the model was loaded from.

    Raises:
        ModelError: a pipeline of a task that leaves no language model to measure, a model that was made in memory, or
            no tokenizer lies there.
    """
    if is_pipeline(spec):
        if spec.task not in _TASKS:
            raise ModelError(
                f"a pipeline for {quoted(spec.task)} is not a language model that can be measured",
                hint=f"give one for {', '.join(map(repr, _TASKS))}, or the pair (model, tokenizer)",
            )
        if spec.tokenizer is None:
            raise ModelError("the pipeline has no tokenizer", hint="pass the pair (model, tokenizer)")
        return spec.model, spec.tokenizer
    inner = unwrapped(spec)
    config, what = getattr(inner, "config", None), type(inner).__name__
    name, revision = (str(getattr(config, key, None) or "") for key in ("_name_or_path", "_commit_hash"))
    if not name:
        raise ModelError(
            f"a {what} made in memory names no tokenizer", hint="pass the pair (model, tokenizer)"
        )
    return spec, read_tokenizer(name, f"this {what}", **({"revision": revision} if revision else {}))


def tokenizer_file_of(model: Any) -> Path | None:
    """The ``tokenizer.json`` that lies where a model was loaded from."""
    commit = getattr(model.config, "_commit_hash", None)
    return find_tokenizer_file(str(model.config._name_or_path), revision=commit)


def unwrapped(model: Any) -> Any:
    """The model inside what runs it and inside an adapter of PEFT, whose layers hold the adapter; others as they are.

    What runs a model is ``torch.compile`` or a wrapper of parallel training; the weights are those of the model in it.

    Raises:
        ModelError: the adapter is a prompt, which is not part of the model's layers.
    """
    for inside in ("_orig_mod", "module"):
        if type(model).__name__ in _WRAPPERS and hasattr(model, inside):
            return unwrapped(getattr(model, inside))
    if not hasattr(model, "get_base_model") or not hasattr(model, "peft_config"):
        return model
    kinds = {str(getattr(c, "peft_type", "")).rpartition(".")[2] for c in model.peft_config.values()}
    if any(bool(getattr(c, "is_prompt_learning", False)) for c in model.peft_config.values()):
        raise ModelError(
            f"an adapter of the kind {', '.join(sorted(kinds))} is a learned prompt outside the model and cannot be "
            "measured here. Adapters within its layers, such as LoRA, can"
        )
    return model.get_base_model()


def load_adapter(folder: Path, load: Callable[[str, str | None], Any]) -> tuple[Any, Any, Any, str] | None:
    """Load the base model that an adapter folder names and put the adapter into its layers.

    The tokenizer and the chat template in the adapter's folder come before those of the base model, which gets rows for
    tokens that were added.

    A relative path is looked for in the adapter's folder, then in the working directory; what is in neither is taken
    for a Hub id where it can be one.

    Args:
        folder: as ``save_pretrained`` of PEFT writes it, with ``adapter_model.safetensors``.
        load: loads the base model, from a folder or a Hub id and a revision, as a scorer of this library.

    Returns:
        The scorer of the base model, the model with the adapter, its tokenizer, and the checksum of the adapter;
        ``None`` where the folder holds no adapter.

    Raises:
        ModelError: the adapter names no base model, another adapter, or a path where nothing lies; PEFT is not
            installed, the base cannot be loaded, or the adapter is pickled or does not fit.
    """
    file = folder / ADAPTER
    if not file.is_file():
        return None
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
        base = config["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError):
        base = None
    if not isinstance(base, str) or not base:
        raise ModelError(
            f"{quoted(str(file))} does not name the base model of this PEFT adapter (base_model_name_or_path)",
            hint="load both yourself and pass the pair (model, tokenizer)",
        )
    where = quoted(str(folder))
    path = Path(base).expanduser()
    places = tuple(dict.fromkeys([folder.absolute() / path, path.absolute()]))
    nowhere = " and no ".join(quoted(str(place), 120) for place in places)
    place = next((place for place in places if place.exists()), None)
    if place is not None and (place / ADAPTER).is_file():
        raise ModelError(
            f"the adapter {where} names another adapter, {quoted(base)}, as its base model",
            hint="load them yourself and pass the pair (model, tokenizer)",
        )
    weights = folder / "adapter_model.safetensors"
    if not weights.is_file():
        raise ModelError(
            f"the adapter {where} has no adapter_model.safetensors. Pickled adapters can run code and are not read"
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
    tokenizer, template = scorer.tokenizer, folder / "chat_template.jinja"
    if any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json")):
        tokenizer = read_tokenizer(str(folder), f"the adapter {where}")
        if len(tokenizer) > scorer.model.get_input_embeddings().weight.shape[0]:
            scorer.model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    elif template.is_file():
        tokenizer.chat_template = template.read_text(encoding="utf-8")
    try:
        tuned = peft.PeftModel.from_pretrained(scorer.model, str(folder), is_trainable=False)
    except Exception as error:
        raise ModelError(
            f"the adapter {where} does not fit its base model {scorer.name}: {first_sentence(error)}"
        ) from error
    return scorer, unwrapped(tuned).eval(), tokenizer, file_sha256(weights)
