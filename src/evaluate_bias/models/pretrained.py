"""Reading checkpoints: safe formats unless asked otherwise, no remote code, and no head made up silently.

transformers gives a checkpoint without the head that is asked for a random one and carries on; here that is
an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ..errors import CapabilityError, ModelError
from .source import ModelSource, Place

__all__ = [
    "ADVICE",
    "Head",
    "MissingHeadError",
    "load_next_sentence",
    "load_pretrained",
    "quiet_transformers",
]

Head = Literal["masked", "causal", "encoder", "next_sentence"]

_CLASSES: dict[Head, str] = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "encoder": "AutoModel",
    "next_sentence": "AutoModelForNextSentencePrediction",
}
_HEAD_NAMES: dict[Head, str] = {
    "masked": "masked-LM head",
    "causal": "causal language-model head",
    "encoder": "encoder",
    "next_sentence": "next-sentence head",
}
ADVICE: dict[Head, str] = {
    "masked": "use a model with a masked-LM head, such as 'bert-base-uncased'; methods on embeddings take "
    "this model with kind='encoder'",
    "causal": "use a causal language model, such as 'gpt2'",
    "encoder": "use a transformer encoder or causal model",
    "next_sentence": "use a BERT checkpoint that was trained with next-sentence prediction, such as "
    "'bert-base-uncased', or score the second text as a continuation",
}


class MissingHeadError(CapabilityError):
    """The checkpoint has no weights for the head that was asked for."""


def load_config(place: Place) -> Any:
    """The checkpoint's configuration.

    Raises:
        ModelError: it cannot be found or read.
    """
    return _call("AutoConfig", place)


def load_tokenizer(place: Place) -> Any:
    """The checkpoint's tokenizer.

    Raises:
        ModelError: it cannot be found or read.
    """
    tokenizer = _call("AutoTokenizer", place)
    made_up = len(tokenizer) <= len(set(tokenizer.all_special_ids))
    if made_up and not Path(place.location, "vocab.txt").is_file():
        # Without tokenizer files transformers makes a tokenizer up that knows the special tokens only. With a
        # vocab.txt it is of the wrong class, which shows as unknown tokens and is warned about there.
        raise ModelError(
            f"{place.name} comes without a vocabulary that its tokenizer's class ({type(tokenizer).__name__}) "
            "can read; add a tokenizer.json, or pass the pair (model, tokenizer) with the right tokenizer"
        )
    return tokenizer


def load_pretrained(place: Place, head: Head, dtype: Any, config: Any) -> Any:
    """Load a model with the head asked for.

    Args:
        place: where from.
        head: which head.
        dtype: torch dtype of the weights.
        config: from :func:`load_config`; parsing it again takes seconds for a GGUF file.

    Raises:
        MissingHeadError: the checkpoint lacks the head, or the architecture has none.
        ModelError: the checkpoint cannot be found or read, or lacks other weights.
    """
    options = {} if place.is_gguf else {"output_loading_info": True}
    if not place.allow_pickle and not place.is_gguf:
        options["use_safetensors"] = True
    _require_class(place, head, config)
    loaded = _call(_CLASSES[head], place, config=config, dtype=dtype, **options)
    model, info = loaded if isinstance(loaded, tuple) else (loaded, {})
    missing = sorted(
        key for key in info.get("missing_keys", ()) if head == "next_sentence" or "pooler" not in key
    )
    body = f"{model.base_model_prefix}."
    lost = [key for key in missing if head == "encoder" or (key.startswith(body) and "pooler" not in key)]
    if lost:
        raise ModelError(
            f"the weights of {place.name} are incomplete: {len(lost)} tensors are missing, among them "
            f"{lost[0]!r}"
        )
    if missing and getattr(config, "legacy", False):
        # DeBERTa's published heads have other names than the head that transformers gives it by default.
        config.legacy = False
        return load_pretrained(place, head, dtype, config)
    if missing:
        raise MissingHeadError(f"{place.name} has no {_HEAD_NAMES[head]} (no {missing[0]!r}); {ADVICE[head]}")
    return model


def load_next_sentence(source: ModelSource, like: Any) -> Any:
    """Load the next-sentence model of the checkpoint ``source``, on the device and in the dtype of ``like``.

    Raises:
        MissingHeadError: the checkpoint has no such head, or the model was made in memory.
    """
    if source.place is None:
        raise MissingHeadError(
            f"the next-sentence head of {source.name} can only be read from a checkpoint: load the model by "
            "its folder or Hub id"
        )
    config = load_config(source.place)
    return load_pretrained(source.place, "next_sentence", like.dtype, config).to(like.device).eval()


def _require_class(place: Place, head: Head, config: Any) -> None:
    """Refuse architectures that have no class with this head, in words that name the head."""
    import transformers

    if type(config) not in getattr(transformers, _CLASSES[head])._model_mapping:
        raise MissingHeadError(
            f"{place.name} ({config.model_type}) has no {_HEAD_NAMES[head]}; {ADVICE[head]}"
        )


def _call(auto_class: str, place: Place, **options: Any) -> Any:
    """``transformers.<auto_class>.from_pretrained`` with its many errors turned into one."""
    transformers = import_transformers()
    kept = {key: value for key, value in (place.options | options).items() if value is not None}
    try:
        with quiet_transformers():
            return getattr(transformers, auto_class).from_pretrained(
                place.location, trust_remote_code=False, **kept
            )
    except Exception as error:  # what a damaged file makes the parsers raise has no common type
        refused = not place.allow_pickle and "safetensors" in str(error)
        hint = "; if you trust its pickled weights, load them with allow_pickle=True" if refused else ""
        raise ModelError(f"cannot load {place.name}: {_first_sentence(error)}{hint}") from error


def _first_sentence(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{lines[0] if lines else 'no reason given'} ({type(error).__name__})"


def import_transformers() -> Any:
    """Import transformers and torch.

    Raises:
        ModelError: they are not installed.
    """
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise ModelError(
            f"language models need torch and transformers ({error}): pip install 'evaluate-bias[models]'"
        ) from error
    return transformers


@contextmanager
def reading(place: Place) -> Iterator[None]:
    """Parse a GGUF file once while its configuration, tokenizer and weights are loaded.

    transformers parses it anew for each of them, which takes several seconds every time.
    """
    if not place.is_gguf:
        yield
        return
    try:
        import gguf
    except ImportError as error:
        raise ModelError(
            f"GGUF files need the gguf package: pip install 'evaluate-bias[gguf]' ({error})"
        ) from error
    reader = gguf.GGUFReader
    gguf.GGUFReader = cache(reader)
    try:
        yield
    finally:
        gguf.GGUFReader = reader


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
