"""Loading transformers: which class to use, on which device, in which precision."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..assets import file_sha256
from ..errors import BiasError, InputError, ModelError, quoted
from ..options import Count, checked_options, options_of
from ._hub import find_repo
from .causal import CausalLM
from .chat import ChatLM
from .chat_template import Chat, ChatOptions, Thinking, chat_template_of
from .encoder import Encoder, InferenceModel
from .engine import quantises_by_batch
from .gguf_file import reading
from .masked import MaskedLM
from .pretrained import (
    HEADS,
    Head,
    MissingHeadError,
    head_in_memory,
    head_of,
    import_transformers,
    labels_of,
    load_config,
    load_pretrained,
    load_tokenizer,
    read_tokenizer,
)
from .sentences import MODULES, module_names, sentence_folder
from .source import (
    Dtype,
    ModelSource,
    SentenceFolder,
    TokenizerChoice,
    device_name,
    existing_path,
    find_checkpoint,
    first_sentence,
    imported,
    loading_errors,
    plain_torch,
    within,
)
from .tokenizer_file import find_tokenizer_file, with_stripped_mask

_COMMIT = re.compile("[0-9a-f]{40}")
_TASKS = ("fill-mask", "text-generation", "feature-extraction")
_WRAPPERS = ("OptimizedModule", "DataParallel", "DistributedDataParallel")
ADAPTER = "adapter_config.json"
"""The file by which a folder or repository is known to contain an adapter of PEFT."""

TransformerKind = Literal["auto", "masked", "causal", "encoder"]
Attention = Literal["eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention"]
"""Attention that transformers, torch or installed packages compute. Others may load compiled code from the Hub."""


class _Parts(NamedTuple):
    """The parts of a scorer. ``remark`` is what results on texts with masks say."""

    model: Any
    tokenizer: Any
    source: ModelSource
    head: str
    remark: str = ""


def load_transformer(
    spec: Any,
    *,
    kind: TransformerKind = "auto",
    device: str | int = "auto",
    dtype: Dtype = "auto",
    revision: str | None = None,
    allow_pickle: bool = False,
    batch_tokens: Count | None = None,
    progress: bool = True,
    name: str | None = None,
    token: str | None = None,
    subfolder: str | None = None,
    attn_implementation: Attention | None = None,
    device_map: str | Mapping[str, Any] | None = None,
    tokenizer: TokenizerChoice = "auto",
    chat: Chat = "auto",
    system: str | None = None,
    reply_tokens: Count | None = None,
    thinking: Thinking = "auto",
    reasoning_effort: str | None = None,
) -> MaskedLM | CausalLM | Encoder:
    """Load a transformer with its tokenizer: a :class:`MaskedLM`, :class:`CausalLM` or :class:`Encoder`.

    An encoder with a head that classifies inferences is an :class:`~.encoder.InferenceModel`.

    Args:
        spec: a Hub id, a local folder (also of a PEFT adapter), a GGUF file, a model of transformers or PEFT (its
            tokenizer is read from where it was loaded), a pipeline of transformers, or a pair ``(model, tokenizer)``.
            Objects are used in evaluation mode, and their own mode is restored. With ``"auto"`` they stay on their
            device and in their dtype.
        kind: what to load it as. ``"auto"`` follows the checkpoint's own declaration.
        device: ``"auto"`` (a GPU of NVIDIA, AMD or Apple if there is one), a torch device such as ``"cpu"`` or
            ``"cuda:1"``, or the number of a GPU.
        dtype: ``"auto"`` (float32, so that numbers match the references), ``"float32"``, ``"bfloat16"`` or
            ``"float16"``, or torch's own, such as ``torch.bfloat16``. Quantised weights keep their own.
        revision: Hub revision.
        allow_pickle: also load pickled weights (``pytorch_model.bin``). Use it only for files you trust.
        batch_tokens: tokens per batch to start with, by default what is fast on the device.
        progress: show a progress bar on standard error for long runs.
        name: short name for tables, by default the Hub id, or the folder's or file's name.
        token: Hub token for private and gated models, by default the token of the Hub's own login. It is not
            recorded.
        subfolder: the folder within the repository or folder that contains the model.
        attn_implementation: the implementation of attention, by default transformers' choice.
        device_map: spread the model over devices, as transformers does it (``"auto"``, or a mapping). Needs
            accelerate.
        tokenizer: ``"auto"``: what transformers loads from the tokenizer's files, compared with ``tokenizer.json``,
            and with a mask that includes the space before it. ``"file"``: ``tokenizer.json`` as it is.
        chat: whether a causal model is asked with its tokenizer's chat template if a method asks it something. For
            this and what follows see :class:`~evaluate_bias.models.chat_template.ChatOptions`.
        system: the system's turn.
        reply_tokens: most tokens of a reply that is read as text.
        thinking: the template's switch for thoughts.
        reasoning_effort: how long it is to think, if the template reads that.

    Raises:
        ModelError: the model cannot be found or read, its weights are damaged, do not fit its configuration, or are
            pickled without ``allow_pickle=True``.
        CapabilityError: it has no head of the requested ``kind``.
        InputError: an option is not one of its values, or the chat template does not know it.
    """
    device, dtype = device_name(device), plain_torch(dtype)
    options = {name: value for name, value in locals().items() if name != "spec"}
    checked_options(options, options_of(load_transformer), "load_model of transformers")
    import_transformers()
    with loading_errors(spec):
        read_parts = _read_place if isinstance(spec, (str, os.PathLike)) else _read_object
        model, reader, source, head, remark = read_parts(spec, options)
    if name is not None:
        source = replace(source, name=name)
    if head == "masked" and tokenizer == "auto" and not remark:
        reader, remark = with_stripped_mask(reader)
    spoken = ChatOptions(chat, system, reply_tokens, thinking, reasoning_effort)
    template = chat_template_of(reader, source.name, spoken, is_causal=head == "causal")
    scorer = ChatLM if template is not None else _SCORERS[head]
    loaded = scorer(model, reader, source, batch_tokens=batch_tokens, progress=progress)
    loaded.remark_on_masks = remark
    if isinstance(loaded, ChatLM) and template is not None:
        loaded.template = template
    return loaded


def load_sentences(model: Any, *, progress: bool = True, name: str | None = None) -> Encoder:
    """Return the encoder in a ``SentenceTransformer``. Its representation ``"own"`` is what ``encode`` returns.

    Args:
        model: the ``SentenceTransformer``. Its device, dtype and default prompt stay.
        progress: show a progress bar for long runs.
        name: its name in results, by default the name of the transformer inside it.

    Raises:
        ModelError: its first module is not a transformer with a tokenizer.
    """
    inner = getattr(model[0], "auto_model", None)
    if inner is None or getattr(model, "tokenizer", None) is None:
        raise ModelError(
            f"a SentenceTransformer whose first module is a {type(model[0]).__name__} has no transformer to read"
        )
    encoder = load_transformer((inner, model.tokenizer), kind="encoder", progress=progress, name=name)
    assert isinstance(encoder, Encoder)
    encoder.source = replace(encoder.source, sentences=SentenceFolder(module_names(model)))
    encoder.sentence_transformer = model
    return encoder


_SCORERS: dict[str, type[MaskedLM | CausalLM | Encoder]] = {
    scorer.kind: scorer for scorer in (MaskedLM, CausalLM, InferenceModel, Encoder)
}
_OF_BASES = (
    "kind", "device", "dtype", "allow_pickle", "token", "attn_implementation", "device_map", "tokenizer",
)  # fmt: skip
"""Options with which the base model of an adapter is loaded."""


def _read_place(spec: str | os.PathLike[str], options: Mapping[str, Any]) -> _Parts:
    """Read a Hub id, a folder or a file. For an adapter's folder, that is its base model with the adapter in it."""
    folder, subfolder = Path(spec).expanduser(), options["subfolder"]
    folder = folder if subfolder is None or not folder.is_dir() else within(folder, subfolder)
    if (folder / ADAPTER).is_file():
        return _read_adapter(folder, {name: options[name] for name in _OF_BASES})
    commit = revision = options["revision"]
    if existing_path(spec) is None and not _COMMIT.fullmatch(revision or ""):
        commit = find_repo(str(spec), revision, options["token"]).commit
    checkpoint = find_checkpoint(spec, commit, options["allow_pickle"], options["token"], subfolder)
    parts = _read_checkpoint(checkpoint, options)
    if not checkpoint.weights:
        return parts
    sentences = sentence_folder(Path(checkpoint.location) / MODULES)
    return parts._replace(source=replace(parts.source, sentences=sentences))


def _read_checkpoint(checkpoint: ModelSource, options: Mapping[str, Any]) -> _Parts:
    """Read a model from a checkpoint, on the requested device and in the requested dtype."""
    import torch
    import transformers

    kind, device_map, dtype = options["kind"], options["device_map"], options["dtype"]
    if device_map is not None and options["device"] != "auto":
        raise InputError(
            "`device_map` and `device` cannot be combined", option="device_map", hint="give one of them"
        )
    where = _device(options["device"])
    precision = torch.float32 if dtype == "auto" else getattr(torch, dtype)
    with reading(checkpoint):
        config = load_config(checkpoint, options["attn_implementation"])
        quantised = getattr(config, "quantization_config", None) is not None and not checkpoint.is_gguf
        device_map = {"": str(where)} if quantised and device_map is None else device_map
        if device_map is not None:
            checkpoint.options["device_map"] = device_map
        _refuse_two_halves(checkpoint.name, config)
        # What it says it is: by the class it was saved from, or else by what its model type can be.
        architecture = next(iter(config.architectures or ()), "")
        declared = "causal" if checkpoint.is_gguf else head_of(architecture, labels_of(config))
        if declared is None:
            masked, causal, image_text = (
                type(config) in getattr(transformers, f"MODEL_FOR_{name}_MAPPING")
                for name in ("MASKED_LM", "CAUSAL_LM", "IMAGE_TEXT_TO_TEXT")
            )
            if masked and not getattr(config, "is_decoder", False):
                declared = "masked"
            else:
                declared = "causal" if causal or image_text else "encoder"
        head: Head = declared if kind == "auto" else kind
        if declared in ("masked", "causal"):
            _check_kind(checkpoint.name, head, declared)
        tokenizer = load_tokenizer(checkpoint, options["tokenizer"])
        try:
            model = load_pretrained(checkpoint, head, precision, config)
        except MissingHeadError:
            if kind != "auto":
                raise
            head = "encoder"
            model = load_pretrained(checkpoint, head, precision, config)
    if device_map is None:
        model = model.to(device=where, dtype=precision)
    return _Parts(model, tokenizer, checkpoint, head)


def _read_object(spec: Any, options: Mapping[str, Any]) -> _Parts:
    """Read a pair, a pipeline or a model, on the requested device and in the requested dtype."""
    import torch

    for option in ("revision", "token", "subfolder", "device_map", "attn_implementation", "tokenizer"):
        if options[option] != ("auto" if option == "tokenizer" else None):
            raise InputError(
                f"`{option}` is for a Hub id or a folder, and a {type(spec).__name__} has been loaded already",
                option=option,
                hint=f"omit `{option}`",
            )
    is_pair = isinstance(spec, tuple)
    pair = spec if is_pair else pair_of(spec)
    if len(pair) != 2 or not is_transformers_model(pair[0]) or not callable(pair[1]):
        raise InputError("a pair must be (model, tokenizer), both transformers objects")
    model, tokenizer = unwrapped(pair[0]), pair[1]
    name = str(getattr(model.config, "_name_or_path", "") or type(model).__name__)
    if Path(name).is_dir():
        name = Path(name).resolve().name
    if hasattr(model.base_model, "decoder"):
        _refuse_two_halves(name, model.config)
    declared = head_in_memory(model)
    head: Head = declared if options["kind"] == "auto" else options["kind"]
    _check_kind(f"{name} ({type(model).__name__})", head, declared)
    by_batch = quantises_by_batch(model)
    is_quantised = getattr(model, "is_quantized", False) or getattr(model, "quantization_method", None)
    # What accelerate loads layer by layer, with weights on no device until then.
    spread = getattr(model, "hf_device_map", None) or any(hasattr(m, "_hf_hook") for m in model.modules())
    stays = "quantised" if is_quantised or by_batch else "spread over devices" if spread else ""
    if any(p.is_meta for p in model.parameters()) and not stays:
        raise ModelError(f"{name} has no weights: they are on the device 'meta', which contains no numbers")
    device, dtype = options["device"], options["dtype"]
    targets = {} if device == "auto" else {"device": _device(device)}
    targets |= {} if dtype == "auto" else {"dtype": getattr(torch, dtype)}
    if targets and stays:
        raise InputError(
            f"{name} is {stays} and cannot be moved or converted",
            option="device",
            hint="omit `device` and `dtype`",
        )
    note = f"{name} quantises its activations batch by batch: scores differ a little with what is scored together"
    file = None if is_pair or is_pipeline(spec) else tokenizer_file_of(model)
    source = ModelSource(name, warnings=(note,) if by_batch else (), tokenizer_file=file)
    return _Parts(model.to(**targets) if targets else model, tokenizer, source, head)


def _check_kind(name: str, head: Head, declared: Head) -> None:
    """Refuse to read a model by masks, or from left to right, that was trained for something else."""
    if head != declared and head in ("masked", "causal"):
        raise MissingHeadError(f"{name} has no {HEADS[head].title}; {HEADS[head].advice}")


def _refuse_two_halves(name: str, config: Any) -> None:
    """Refuse what reads a text with one half and writes with the other, which no measure here can read."""
    import transformers

    if getattr(config, "is_encoder_decoder", False) and type(config) not in (
        transformers.MODEL_FOR_MASKED_LM_MAPPING
    ):
        raise ModelError(
            f"{name} ({config.model_type}) is an encoder-decoder model, which reads a text with one half and writes "
            "with the other, and cannot be measured. Methods on embeddings use its encoder",
            hint="pass the pair (model.get_encoder(), tokenizer)",
        )


def _device(device: str) -> Any:
    import torch

    if device == "auto":
        apple = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if apple else "cpu"
    if device.partition(":")[0] == "mps" and not torch.backends.mps.is_available():
        raise InputError(
            f"`device` {quoted(device)} cannot be used: torch finds no Apple GPU", option="device"
        )
    try:
        placed = torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"`device` {quoted(device)} cannot be used: {first_sentence(error)}", option="device"
        ) from error
    if placed.type == "meta":
        raise InputError("`device` 'meta' cannot be used: it has no numbers", option="device")
    return placed


# --- what people have in their hands: models without a tokenizer, pipelines, adapters -----------------------------


def is_pipeline(spec: Any) -> bool:
    """True if an object is a pipeline of transformers, without importing the library for other objects."""
    return hasattr(spec, "task") and hasattr(spec, "model") and hasattr(spec, "tokenizer")


def is_transformers_model(spec: Any) -> bool:
    """True if it is a model of transformers or an adapter around one."""
    inner = unwrapped(spec) if hasattr(spec, "forward") else None
    return hasattr(inner, "config") and hasattr(inner, "get_output_embeddings")


def is_sentence_transformer(spec: Any) -> bool:
    """True if it is a SentenceTransformer, without importing the package."""
    return any(c.__name__ == "SentenceTransformer" for c in type(spec).__mro__) and hasattr(spec, "encode")


def pair_of(spec: Any) -> tuple[Any, Any]:
    """Return model and tokenizer of a pipeline, or a model with the tokenizer from the place it was loaded from.

    Raises:
        ModelError: the pipeline's task has no language model to measure, the model was made in memory, or that
            place has no tokenizer.
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
    """Return the ``tokenizer.json`` from the place that a model was loaded from."""
    commit = getattr(model.config, "_commit_hash", None)
    return find_tokenizer_file(str(model.config._name_or_path), revision=commit)


def unwrapped(model: Any) -> Any:
    """Return the model inside its wrappers and inside a PEFT adapter, whose layers are part of that model.

    A wrapper is from ``torch.compile`` or parallel training. The weights belong to the model inside it.

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


def _read_adapter(folder: Path, options: Mapping[str, Any]) -> _Parts:
    """Return the base model that an adapter folder names, with the adapter in its layers.

    The folder is as ``save_pretrained`` of PEFT writes it, with ``adapter_model.safetensors``. Its tokenizer and chat
    template come before the base model's, which gets rows for tokens that were added. A relative path is looked
    for in the adapter's folder, then in the working directory. What is in neither is taken for a Hub id.

    Raises:
        ModelError: the adapter names no base model, another adapter, or a path that does not exist. Also if PEFT is
            not installed, the base cannot be loaded, or the adapter is pickled or does not fit.
    """
    try:
        config = json.loads((folder / ADAPTER).read_text(encoding="utf-8"))
        base = config["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError):
        base = None
    if not isinstance(base, str) or not base:
        raise ModelError(
            f"{quoted(str(folder / ADAPTER))} does not name the base model of this PEFT adapter "
            "(base_model_name_or_path)",
            hint="load both yourself and pass the pair (model, tokenizer)",
        )
    where, path = quoted(str(folder)), Path(base).expanduser()
    places = dict.fromkeys([folder.absolute() / path, path.absolute()])
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
    try:
        scorer = load_transformer(
            base if place is None else place,
            revision=config.get("revision") if place is None else None,
            **options,
        )
    except BiasError as error:
        nowhere = " and no ".join(quoted(str(place), 120) for place in places)
        tried = f" (there is no {nowhere})" if place is None else ""
        raise ModelError(f"the base model of the adapter {where} cannot be loaded{tried}: {error}") from error
    tokenizer, template = scorer.tokenizer, folder / "chat_template.jinja"
    if any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json")):
        tokenizer = read_tokenizer(str(folder), f"the adapter {where}")
        if len(tokenizer) > scorer.model.get_input_embeddings().weight.shape[0]:
            scorer.model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    elif template.is_file():
        tokenizer.chat_template = template.read_text(encoding="utf-8")
    # Base and adapter both count as the weights.
    identity, name = scorer.source.identity(scorer.model), folder.resolve().name
    known = identity.get("weights_sha256") or {"base": identity.get("revision")}
    facts = {k: v for k, v in identity.items() if k not in ("kind", "name", "source", "revision")}
    facts |= {"base": scorer.name, "source": name}
    facts["weights_sha256"] = {**known, "adapter_model.safetensors": file_sha256(weights)}
    try:
        tuned = peft.PeftModel.from_pretrained(scorer.model, str(folder), is_trainable=False)
    except Exception as error:
        raise ModelError(
            f"the adapter {where} does not fit its base model {scorer.name}: {first_sentence(error)}"
        ) from error
    source = ModelSource(
        name, facts=facts, warnings=scorer.source.warnings, tokenizer_file=scorer.source.tokenizer_file
    )
    return _Parts(unwrapped(tuned).eval(), tokenizer, source, scorer.kind, scorer.remark_on_masks)
