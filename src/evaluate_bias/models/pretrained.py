"""Reading checkpoints: safe formats unless asked otherwise, no remote code or kernels, and no weights made up.

If a checkpoint lacks the requested head, transformers adds a random one and carries on. Here that is an error.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..errors import CapabilityError, ModelError, install_extra, quoted
from ..files import parsed_json
from .gguf_file import GgufFile
from .source import ModelSource, TokenizerChoice, first_sentence, imported
from .tokenizer_file import find_tokenizer_file

Head = Literal["masked", "causal", "encoder", "next_sentence", "classifier"]

INFERENCES = ("entailment", "neutral", "contradiction")
"""The labels that a classifier for natural language inference distinguishes."""


def head_of(architecture: str, labels: Iterable[Any] = ()) -> Head | None:
    """Return the head of a class of transformers, by its mappings: ``None`` without a name or without transformers.

    Of the heads that classify, only one for inference (NLI) counts, recognised by the names of its ``labels``. A
    head whose three labels have no names may be one.

    A class of both kinds is a masked model: XLM's is used with a mask.

    Examples:
        >>> head_of("FlaubertWithLMHeadModel"), head_of("GPT2LMHeadModel"), head_of("BertModel"), head_of("")
        ('masked', 'causal', 'encoder', None)
        >>> head_of("BertForSequenceClassification", ["NEUTRAL", "ENTAILMENT", "CONTRADICTION"])
        'classifier'
    """
    try:
        import transformers
        from transformers.models.auto import modeling_auto as auto
    except ImportError:
        return None
    if not architecture:
        return None
    if head := _head_by_name([architecture], labels):
        return head
    # Classes with another head next to a language model's. All other classes have only the body.
    kind = getattr(transformers, architecture, None)
    model_type = getattr(getattr(kind, "config_class", None), "model_type", None)
    others = auto.MODEL_FOR_PRETRAINING_MAPPING_NAMES, auto.MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING_NAMES
    if any(names.get(model_type) == architecture for names in others):
        return "masked" if model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES else "encoder"
    writes = model_type in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and kind.can_generate()  # type: ignore[union-attr]
    return "causal" if writes else "encoder"


def head_in_memory(model: Any) -> Head:
    """Return the head of a model, whose class may be derived from one of transformers or be somebody's own."""
    if head := _head_by_name([kind.__name__ for kind in type(model).__mro__], labels_of(model.config)):
        return head
    if model.get_output_embeddings() is None:
        return "encoder"
    return "causal" if model.can_generate() else "masked"


def _head_by_name(names: Iterable[str], labels: Iterable[Any]) -> Head | None:
    """Return the head that transformers' mappings give the first of these classes that they know."""
    from transformers.models.auto import modeling_auto as auto

    labels = sorted(str(label).strip().lower() for label in labels)
    tells_inferences = labels in (sorted(INFERENCES), ["label_0", "label_1", "label_2"])
    heads: list[tuple[Head, Any]] = [
        ("masked", auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES),
        ("causal", auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES),
        ("causal", auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES),
    ]
    if tells_inferences:
        heads.append(("classifier", auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES))
    known = ((head, name) for name in names for head, mapping in heads if name in mapping.values())
    return next((head for head, _ in known), None)


def reads_masks(model_type: str) -> bool:
    """True if models of a type of transformers, such as BART, have a masked-language-model head.

    Examples:
        >>> reads_masks("bart"), reads_masks("t5")
        (True, False)
    """
    from transformers.models.auto import modeling_auto as auto

    return model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES


def labels_of(config: Any) -> Iterable[Any]:
    """Return the labels in a configuration, or in its stored form."""
    labels = config.get("id2label") if isinstance(config, dict) else getattr(config, "id2label", None)
    return labels.values() if isinstance(labels, dict) else ()


_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers")
_WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")
_HEIGHTS = ("intermediate_size", "n_inner", "d_ff", "ffn_dim", "hidden_dim")
_EMBEDDED = ("embedding_size", "word_embed_proj_dim", "d_embed")
_POSITIONS = ("max_position_embeddings", "n_positions")
_MOST_LAYERS, _MOST_LABELS = 10_000, 10**6
_SHARED_LAYERS = 100
"""Layers beyond the number of tensors: a model may go through one layer several times, as ALBERT does."""


def check_implied_size(config: Mapping[str, Any], weights: Sequence[Path], name: str) -> None:
    """Refuse a configuration with more layers or labels, or wider layers, than weights of this size can contain.

    transformers creates what the weights lack before it says so, which may fill the memory. A weight needs at least
    one bit, and a layer at least one tensor. If the weights are elsewhere, only layers and labels are counted.

    Args:
        config: the configuration as it is stored.
        weights: the files of the weights that are on this machine.
        name: what the model is called.

    Raises:
        ModelError: building such a model would fill the memory.

    Examples:
        >>> check_implied_size({"num_hidden_layers": 20_000}, [], "bert")
        Traceback (most recent call last):
        evaluate_bias.errors.ModelError: cannot load bert: its configuration has num_hidden_layers=20000, more than its
        weights allow
    """
    bits = 8 * sum(path.stat().st_size for path in weights) if weights else None
    tensors = _tensors(weights)
    most_layers = _MOST_LAYERS if tensors is None else min(_MOST_LAYERS, tensors + _SHARED_LAYERS)
    for part in _parts(config):
        most = dict.fromkeys(_LAYERS, most_layers) | {"num_labels": _MOST_LABELS}
        many = [key for key in most if _size(part, key) > most[key]]
        wide = [] if bits is None else [key for key, weight in _least_weights(part) if weight > bits]
        for key in (*many, *wide):
            raise ModelError(
                f"cannot load {name}: its configuration has {key}={part[key]}, more than its weights allow"
            )


def _least_weights(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield each size in a configuration and the least number of weights that it implies."""
    width = max(1, *(_size(config, key) for key in _WIDTHS))
    embedded = min([size for key in _EMBEDDED if (size := _size(config, key))] or [width])
    for key in _WIDTHS:
        yield key, _size(config, key) ** 2
    for key in _HEIGHTS:
        yield key, _size(config, key) * width
    for key in _POSITIONS:  # which may be computed, and take no weights
        yield key, _size(config, key)
    yield "vocab_size", _size(config, "vocab_size") * embedded


def _size(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    return value if isinstance(value, int) else 0


def _parts(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the configuration and its nested ones, such as the text part's in a vision-language model."""
    yield config
    for value in config.values():
        if isinstance(value, Mapping):
            yield from _parts(value)


def _tensors(weights: Sequence[Path]) -> int | None:
    """Return the number of tensors in safetensors files, or ``None`` if it is not known."""
    from safetensors import safe_open

    if not weights or any(path.suffix != ".safetensors" for path in weights):
        return None
    with contextlib.suppress(Exception):  # a damaged file: the error of reading it says more
        counts = []
        for path in weights:
            with safe_open(path, "np") as file:
                counts.append(len(file.keys()))
        return sum(counts)
    return None


class HeadFacts(NamedTuple):
    """What is known of a head: the classes of transformers that have it, its name, and what to use instead of none."""

    classes: tuple[str, ...]
    title: str
    advice: str


HEADS: dict[Head, HeadFacts] = {
    "masked": HeadFacts(
        ("AutoModelForMaskedLM",),
        "masked-LM head",
        "use a model with a masked-LM head, such as 'bert-base-uncased'. Methods on embeddings support this model if "
        "the loading option `kind` is 'encoder'",
    ),
    # Models that read images and texts write texts by another class than those that read texts alone.
    "causal": HeadFacts(
        ("AutoModelForCausalLM", "AutoModelForImageTextToText"),
        "causal language-model head",
        "use a causal language model, such as 'gpt2'",
    ),
    "encoder": HeadFacts(("AutoModel",), "encoder", "use a transformer encoder or causal model"),
    "next_sentence": HeadFacts(
        ("AutoModelForNextSentencePrediction",),
        "next-sentence head",
        "use a BERT checkpoint that was trained with next-sentence prediction, such as 'bert-base-uncased', or score "
        "the second text as a continuation",
    ),
    "classifier": HeadFacts(
        ("AutoModelForSequenceClassification",),
        "classification head",
        "use a checkpoint that was trained to classify texts",
    ),
}
_OWN_ATTENTION = ("eager", "sdpa")
"""What transformers and torch compute themselves. Every other name may load compiled code from the Hub."""

_QUANTISED = frozenset(
    ("aqlm", "awq", "bitsandbytes", "compressed-tensors", "gptq", "hqq", "quanto", "torchao")
)
"""Quantised weights that an installed package computes with. Others fetch compiled kernels."""

_UNREAD = (struct.error, UnicodeDecodeError, OverflowError, KeyError)
"""What the reader of GGUF files raises for one that is damaged."""

_BUFFERS = ("position_ids", "token_type_ids", "inv_freq", "attn.bias", "masked_bias")
_NUMBER = re.compile(r"\d+")


class MissingHeadError(CapabilityError):
    """The checkpoint has no weights for the requested head."""


def load_config(checkpoint: ModelSource, attention: str | None = None) -> Any:
    """Return the checkpoint's configuration, without anything that would load compiled code or pickled weights.

    ``attention`` is an implementation that the user requested. The checkpoint's own is used only if
    transformers and torch compute it without other packages.
    """
    transformers = import_transformers()
    if not checkpoint.is_gguf:  # which mostly reads the configuration
        options = {key: value for key, value in checkpoint.options.items() if value is not None}
        stored: Any = {}
        with contextlib.suppress(Exception), quiet_transformers():  # reading it says more below
            stored, _ = transformers.PretrainedConfig.get_config_dict(checkpoint.location, **options)
        if isinstance(stored, Mapping):
            check_implied_size(stored, checkpoint.weights, checkpoint.name)
    config = _call("AutoConfig", checkpoint)
    if checkpoint.is_gguf:
        GgufFile(checkpoint).complete(config)
        check_implied_size(config.to_dict(), checkpoint.weights, checkpoint.name)
    if attention is not None:
        config._attn_implementation = attention
    elif config._attn_implementation not in _OWN_ATTENTION:
        config._attn_implementation = None
    config._experts_implementation = None
    weights = str(getattr(config, "transformers_weights", None) or "")
    if weights.endswith(".bin") and not checkpoint.allow_pickle:
        raise ModelError(f"the configuration of {checkpoint.name} asks for pickled weights, {weights[:80]!r}")
    quantised = getattr(config, "quantization_config", None)
    method = quantised.get("quant_method") if isinstance(quantised, Mapping) else quantised
    if quantised is not None and method not in _QUANTISED and not checkpoint.is_gguf:
        raise ModelError(
            f"{checkpoint.name} is quantised with {quoted(method)} (quant_method), which may load compiled code",
            hint="load it yourself if you trust it, and pass the pair (model, tokenizer)",
        )
    return config


def load_tokenizer(checkpoint: ModelSource, choice: TokenizerChoice) -> Any:
    """Load the checkpoint's tokenizer as transformers makes it from the files, or as in ``tokenizer.json``."""
    path = None if checkpoint.is_gguf else find_tokenizer_file(checkpoint.location, **checkpoint.options)
    if choice == "file":
        if path is None:
            raise ModelError(
                f"{checkpoint.name} has no tokenizer.json, which `tokenizer` 'file' needs",
                option="tokenizer",
                hint="omit `tokenizer`",
            )
        checkpoint.facts = {**checkpoint.facts, "tokenizer_file": "tokenizer.json"}
        return _call("PreTrainedTokenizerFast", checkpoint)
    try:
        tokenizer = _call("AutoTokenizer", checkpoint, mistral_format=False)
    except ModelError as error:
        if path is not None:
            raise ModelError(
                f"{error}",
                option="tokenizer",
                hint="set the loading option `tokenizer` to 'file' to read its tokenizer.json as it is",
            ) from error
        raise
    check_vocabulary(tokenizer, checkpoint.name, checkpoint.location)
    template = Path(
        checkpoint.location, "chat_template.json"
    )  # of the processor of a model of images and texts
    if getattr(tokenizer, "chat_template", None) is None and template.is_file():
        content = parsed_json(template.read_text(encoding="utf-8"), quoted(str(template)))
        tokenizer.chat_template = content.get("chat_template") if isinstance(content, dict) else None
        if not isinstance(tokenizer.chat_template, str):
            raise ModelError(f"{quoted(str(template))} has no text chat_template")
    checkpoint.tokenizer_file = path
    if path is None and not checkpoint.is_gguf:
        checkpoint.warnings += (
            f"{checkpoint.name} has no tokenizer.json that its tokens could be held against, so it is not checked that "
            f"{type(tokenizer).__name__} splits texts as in training",
        )
    return tokenizer


def read_tokenizer(location: str, of: str, **options: Any) -> Any:
    """Return the tokenizer in a folder or repository.

    Raises:
        ModelError: it is missing, or it cannot be read.
    """
    try:
        tokenizer = _call("AutoTokenizer", ModelSource(location, location, options), mistral_format=False)
    except ModelError as error:
        raise ModelError(
            f"no tokenizer can be loaded from {quoted(location)}, where {of} is from: {error.text}",
            hint="pass the pair (model, tokenizer)",
        ) from error
    check_vocabulary(tokenizer, Path(location).name, location)
    return tokenizer


def check_vocabulary(tokenizer: Any, name: str, location: str) -> None:
    """Refuse a tokenizer that transformers made up because files of one are missing."""
    made_up = len(tokenizer) <= len(set(tokenizer.all_special_ids))
    if made_up and not Path(location, "vocab.txt").is_file():
        # Without tokenizer files transformers makes a tokenizer up that knows the special tokens only. With a
        # vocab.txt it is of the wrong class, which shows as unknown tokens and is warned about there.
        raise ModelError(
            f"{name} comes without a vocabulary that its tokenizer's class ({type(tokenizer).__name__}) can read",
            hint="add a tokenizer.json, or pass the pair (model, tokenizer) with the right tokenizer",
        )


def load_pretrained(checkpoint: ModelSource, head: Head, dtype: Any, config: Any) -> Any:
    """Load a model with the requested head. ``config`` comes from :func:`load_config`.

    Raises:
        MissingHeadError: the checkpoint lacks the head, or the architecture has none.
        ModelError: the checkpoint cannot be found or read, or does not fit its configuration.
    """
    options: dict[str, Any] = {
        "attn_implementation": config._attn_implementation,
        "output_loading_info": True,
    }
    if not checkpoint.is_gguf:
        # Else transformers refuses mismatched sizes in words about its own options, and tells which only in a report.
        options["ignore_mismatched_sizes"] = True
        options["use_safetensors"] = None if checkpoint.allow_pickle else True
    auto_class = _auto_class(checkpoint, head, config)
    model, info = _call(auto_class, checkpoint, config=config, dtype=dtype, **options)
    _check_shapes(checkpoint, config, info.get("mismatched_keys", ()))
    reads_pooler = head in ("next_sentence", "classifier")
    missing = sorted(key for key in info.get("missing_keys", ()) if reads_pooler or "pooler" not in key)
    body = f"{model.base_model_prefix}."
    lost = [key for key in missing if head == "encoder" or (key.startswith(body) and "pooler" not in key)]
    if lost:
        raise ModelError(
            f"the weights of {checkpoint.name} are incomplete: {len(lost)} tensors are missing, among them "
            f"{lost[0]!r}"
        )
    if missing and getattr(config, "legacy", False):
        # DeBERTa's published heads have other names than the head that transformers gives it by default.
        config.legacy = False
        return load_pretrained(checkpoint, head, dtype, config)
    if missing:
        raise MissingHeadError(
            f"{checkpoint.name} has no {HEADS[head].title} (no {missing[0]!r}); {HEADS[head].advice}"
        )
    _check_unused(checkpoint, model, info.get("unexpected_keys", ()))
    if checkpoint.is_gguf:
        file = GgufFile(checkpoint)
        file.check_tensors(model)
        file.scale_frequencies(model)
    return model


def _check_shapes(checkpoint: ModelSource, config: Any, mismatched: Iterable[Any]) -> None:
    """Refuse tensors of another shape than the configuration asks for, and name the values that ask for it."""
    unfit = sorted((str(key), tuple(stored), tuple(spec)) for key, stored, spec in mismatched)
    if not unfit:
        return
    key, stored, spec = unfit[0]
    odd = [b for a, b in zip(stored, spec, strict=True) if a != b] if len(stored) == len(spec) else spec
    values = config.get_text_config().to_dict()
    causes = [f"{name}={value}" for name, value in values.items() if type(value) is int and value in odd]
    raise ModelError(
        f"the configuration of {checkpoint.name} does not fit its weights: {len(unfit)} of their tensors have another "
        f"shape, among them {key[:120]!r}, which is {_shape(stored)} and should be {_shape(spec)}"
        + (f" by the configuration's {' or '.join(causes[:4])}" if causes else "")
    )


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "one number"


def _check_unused(checkpoint: ModelSource, model: Any, unexpected: Iterable[str]) -> None:
    """Refuse weights of layers that the configuration omits, and warn of other body weights that it does not use."""
    body, base = f"{model.base_model_prefix}.", model.base_model
    children = {name for name, _ in base.named_children()}
    # Heads that are not asked for, poolers, and buffers that are computed again are rightly left alone.
    unused = {
        key: _NUMBER.sub("#", key.removeprefix(body))
        for key in sorted(unexpected)
        if (key.startswith(body) or key.partition(".")[0] in children)
        and not ("pooler" in key or key.endswith(_BUFFERS))
    }
    known = {_NUMBER.sub("#", key) for key in base.state_dict()}
    layers = [key for key, kind in unused.items() if kind in known]
    if layers:
        raise ModelError(
            f"the configuration of {checkpoint.name} does not fit its weights: it omits {len(layers)} of their "
            f"tensors, among them {layers[0]!r}"
        )
    if unused:
        checkpoint.warnings += (
            f"{checkpoint.name}: its configuration has no place for {len(unused)} of its weights, among them "
            f"{next(iter(unused))!r}, so they are not part of what was measured",
        )


def load_next_sentence(source: ModelSource, like: Any) -> Any:
    """Return the next-sentence model of the checkpoint ``source``, on the device and in the dtype of ``like``."""
    if not source.location:
        raise MissingHeadError(
            f"the next-sentence head of {source.name} can only be read from a checkpoint: load the model by "
            "its folder or Hub id"
        )
    checkpoint = dataclasses.replace(source)  # its warnings are not about this head
    config = load_config(checkpoint)
    return load_pretrained(checkpoint, "next_sentence", like.dtype, config).to(like.device).eval()


def _auto_class(checkpoint: ModelSource, head: Head, config: Any) -> str:
    """Return the class of transformers that gives a checkpoint this head.

    Raises:
        MissingHeadError: transformers has no such class. The message names the head.
    """
    if head == "masked" and getattr(config, "is_decoder", False):
        raise ModelError(
            f"the configuration of {checkpoint.name} says is_decoder, by which a masked language model would read "
            "words from the left only",
            hint="set it to false",
        )
    import transformers

    for name in HEADS[head].classes:
        if type(config) in getattr(transformers, name)._model_mapping:
            return name
    raise MissingHeadError(
        f"{checkpoint.name} ({config.model_type}) has no {HEADS[head].title}; {HEADS[head].advice}"
    )


def _call(auto_class: str, checkpoint: ModelSource, **options: Any) -> Any:
    """Call ``transformers.<auto_class>.from_pretrained`` with its many errors turned into one."""
    transformers = import_transformers()
    set_options = {key: value for key, value in (checkpoint.options | options).items() if value is not None}
    try:
        with quiet_transformers():
            return getattr(transformers, auto_class).from_pretrained(
                checkpoint.location, trust_remote_code=False, **set_options
            )
    except Exception as error:  # what a damaged file makes the parsers raise has no common type
        # If a part of the weights in safe files is missing, no other files are read instead.
        pickled = not checkpoint.weights or any(Path(checkpoint.location).glob("*.bin"))
        refused = not checkpoint.allow_pickle and "safetensors" in str(error) and pickled
        hint = (
            "if you trust its pickled weights, set the loading option `allow_pickle` to true"
            if refused
            else ""
        )
        # For damaged text in the header, transformers says that the config file is not JSON.
        unread = any(isinstance(e, _UNREAD) for e in (error, error.__context__))
        damaged = checkpoint.is_gguf and (unread or "cannot reshape" in str(error))
        reason = "the GGUF file is damaged or was cut short" if damaged else first_sentence(error)
        raise ModelError(
            f"cannot load {checkpoint.name}: {reason}", option="allow_pickle" if refused else None, hint=hint
        ) from error


def import_transformers() -> Any:
    """Import transformers and torch, or say what to install."""
    needed = f"language models need torch and transformers: {install_extra('models')}"
    imported("torch", needed)
    return imported("transformers", needed)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silence transformers' progress bars and load reports: what matters in them becomes an error here."""
    from transformers import modeling_gguf_pytorch_utils as gguf_reader
    from transformers.utils import logging

    # The GGUF reader's bar knows no switch.
    bar, gguf_reader.tqdm = gguf_reader.tqdm, lambda items, **_: items
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        gguf_reader.tqdm = bar
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
