"""Whether a model of the size that a configuration asks for can be in the weights beside it, before it is built."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ModelError

_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers")
_WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")
_HEIGHTS = ("intermediate_size", "n_inner", "d_ff", "ffn_dim", "hidden_dim")
_EMBEDDED = ("embedding_size", "word_embed_proj_dim", "d_embed")
_POSITIONS = ("max_position_embeddings", "n_positions")
_MOST_LAYERS = 10_000
_SHARED_LAYERS = 100
"""Layers beyond the number of tensors: a model may go through one layer several times, as ALBERT does."""


def check_implied_size(config: Mapping[str, Any], weights: Sequence[Path], name: str) -> None:
    """Refuse a configuration of more layers, or wider ones, than weights of this size can hold.

    A weight takes a bit at least, and a layer a tensor. Where the weights are elsewhere, only layers are counted.

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
        weights can hold
    """
    bits = 8 * sum(path.stat().st_size for path in weights) if weights else None
    tensors = _tensors(weights)
    most_layers = _MOST_LAYERS if tensors is None else min(_MOST_LAYERS, tensors + _SHARED_LAYERS)
    for part in _parts(config):
        layers = [key for key in _LAYERS if _size(part, key) > most_layers]
        wide = [] if bits is None else [key for key, weight in _least_weights(part) if weight > bits]
        for key in (*layers, *wide):
            raise ModelError(
                f"cannot load {name}: its configuration has {key}={part[key]}, more than its weights can hold"
            )


def _least_weights(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Each size and the number of weights that it takes at least."""
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
    """The configuration and those within it, such as that of the text of a model that sees too."""
    yield config
    for value in config.values():
        if isinstance(value, Mapping):
            yield from _parts(value)


def _tensors(weights: Sequence[Path]) -> int | None:
    """The number of tensors in safetensors files; ``None`` where that is not known."""
    from safetensors import safe_open

    if not weights or any(path.suffix != ".safetensors" for path in weights):
        return None
    with contextlib.suppress(Exception):  # a damaged file, of which reading it says more
        counts = []
        for path in weights:
            with safe_open(path, "np") as file:
                counts.append(len(file.keys()))
        return sum(counts)
    return None
