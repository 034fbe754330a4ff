"""GGUF files: what a file says about its model and transformers ignores is applied, or the file is refused.

transformers gives a missing tensor random values, reads one part of a split file as the whole, and ignores how
positions are scaled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..errors import ModelError, install_extra
from .source import ModelSource, imported

_NOT_READ = re.compile(r"rope_freqs\.weight|.*\.(?:rope_freqs|rotary_embd|attn_rot_embd|attn_mask)\.weight")
"""Tensors that are read here, or computed from the configuration."""
_BY_LENGTH = re.compile(r"rope_factors_(?:long|short)\.weight\Z")
"""Of Phi 3 and its like: llama.cpp chooses one of them by the length of its context."""
_LAYER = re.compile(r"(?:dec\.|enc\.)?blk\.(\d+)\.")
_OTHER_SCALE = (("gemma2", 46), ("gemma3", 62))
"""Gemma of 27B: by the number of its layers llama.cpp knows the one size whose attention has another scale."""
_CAPS = ("attn_logit_softcapping", "final_logit_softcapping")
_NO_PLACE = ("attention.scale", "attention.temperature_scale", "rope.scaling.alpha")
"""Fields for which no configuration of transformers' GGUF models has a place."""


@contextmanager
def reading(checkpoint: ModelSource) -> Iterator[None]:
    """Parse a GGUF file once while it is loaded, not again for its configuration, its tokenizer and its weights.

    Names of tensors are looked up in one table, which transformers otherwise makes again for every module.
    """
    if not checkpoint.is_gguf:
        yield
        return
    gguf = imported("gguf", f"GGUF files need the gguf package: {install_extra('gguf')}")
    reader, names = gguf.GGUFReader, gguf.get_tensor_name_map
    gguf.GGUFReader, gguf.get_tensor_name_map = cache(reader), cache(names)
    try:
        yield
    finally:
        gguf.GGUFReader, gguf.get_tensor_name_map = reader, names


class GgufFile:
    """The metadata and tensor names of the file that a checkpoint is. Read it within :func:`reading`.

    Raises:
        ModelError: it is one part of several.
    """

    def __init__(self, checkpoint: ModelSource) -> None:
        import gguf

        (path,) = checkpoint.weights
        self._reader, self._checkpoint = gguf.GGUFReader(str(path)), checkpoint
        self._architecture = str(self._reader.fields["general.architecture"].contents())
        self.tensors = [tensor.name for tensor in self._reader.tensors]
        if (parts := self._value("split.count", of_architecture=False) or 1) > 1:
            raise ModelError(
                f"{checkpoint.name} is one of {parts} parts of a model, and transformers would read it as the whole: "
                "join them with llama.cpp's llama-gguf-split --merge"
            )

    def _value(self, name: str, *, of_architecture: bool = True) -> Any:
        """Return the value of a field, or ``None``. Fields of the architecture may be named by their short name."""
        field = self._reader.fields.get(f"{self._architecture}.{name}" if of_architecture else name)
        return None if field is None else field.contents()

    def complete(self, config: Any) -> None:
        """Set what the file says of heads, scaled positions and the scale of attention in the configuration.

        Raises:
            ModelError: the positions are scaled in a way that cannot be set.
        """
        text = config.get_text_config()
        width, values = self._value("attention.key_length"), text.to_dict()
        if width and values.get("head_dim", width) != width and not values.get("per_layer_config"):
            text.head_dim = width
        if (self._architecture, text.num_hidden_layers) in _OTHER_SCALE:
            text.query_pre_attn_scalar = text.hidden_size // text.num_attention_heads
        for name in _CAPS:
            if hasattr(text, name) and (cap := self._value(name)):
                setattr(text, name, float(cap))
        if unread := next((name for name in _NO_PLACE if self._value(name) is not None), ""):
            raise self._unread(f"the field {self._architecture}.{unread}")
        scaling = self._scaling()
        if scaling and self._architecture != "gpt-oss":  # whose scaling transformers reads itself
            parameters = getattr(text, "rope_parameters", None)
            if not isinstance(parameters, dict):
                raise self._unread(f"positions scaled by {scaling['rope_type']}")
            # Of Gemma 3 the layers that see the whole text are scaled.
            parameters.get("full_attention", parameters).update(scaling)

    def _scaling(self) -> dict[str, Any]:
        """Return how positions are scaled, by transformers' names, or an empty dict if they are not."""
        kind, factor = self._value("rope.scaling.type"), self._value("rope.scaling.factor")
        if kind is None and (factor := factor or self._value("rope.scale_linear")) is not None:
            kind = "linear"  # as older files say it
        if kind in (None, "none") or (kind == "linear" and factor in (None, 1.0)):
            return {}
        if kind == "linear":
            return {"rope_type": "linear", "factor": float(factor)}
        known = {"type", "factor", "original_context_length", "attn_factor", "finetuned"}
        prefix = f"{self._architecture}.rope.scaling."
        names = {name.removeprefix(prefix) for name in self._reader.fields if name.startswith(prefix)}
        if kind != "yarn" or not factor or names - known:
            raise self._unread(f"positions scaled by {kind} ({', '.join(sorted(names))})")
        length = self._value("rope.scaling.original_context_length") or self._value("context_length")
        scale = (
            {"attention_factor": float(scale)} if (scale := self._value("rope.scaling.attn_factor")) else {}
        )
        return {
            "rope_type": "yarn",
            "factor": float(factor),
            "original_max_position_embeddings": int(length),
            **scale,
        }

    def check_tensors(self, model: Any) -> None:
        """Refuse a file with tensors of the model's layers that transformers has no place for. Warn of others.

        Raises:
            ModelError: there are some.
        """
        from transformers import modeling_gguf_pytorch_utils as reader

        processor = reader.TENSOR_PROCESSORS.get(self._architecture, reader.TensorProcessor)(
            config=model.config.to_dict()
        )
        known: Mapping[str, str] = reader.get_gguf_hf_weights_map(model, processor)
        stems = {name.removesuffix(".weight") for name in known}
        unused = [
            name
            for name in self.tensors
            if name not in known
            and name.removesuffix(".weight") not in stems
            and not _NOT_READ.fullmatch(name)
        ]
        layers = model.config.get_text_config().num_hidden_layers
        body = [name for name in unused if (match := _LAYER.match(name)) and int(match[1]) < layers]
        if body:
            raise self._unread(f"{len(body)} tensors of its layers, among them {body[0]!r}")
        if unused:
            self._checkpoint.warnings += (
                f"{self._checkpoint.name}: transformers has no place for {len(unused)} of its tensors, among them "
                f"{unused[0]!r}, so they are not part of what was measured",
            )

    def scale_frequencies(self, model: Any) -> None:
        """Divide the frequencies of rotary positions by the factors in the file, as llama.cpp does.

        Raises:
            ModelError: the model has no such frequencies, turns another part of a head, or its factors depend on the
                length of the text.
        """
        import torch

        rotary = [m for m in model.modules() if isinstance(getattr(m, "inv_freq", None), torch.Tensor)]
        width = self._value("rope.dimension_count")
        if width and len(rotary) == 1 and 2 * rotary[0].inv_freq.numel() != width:
            raise self._unread(f"positions in {width} dimensions of a head")
        if by_length := next((name for name in self.tensors if _BY_LENGTH.search(name)), ""):
            raise self._unread(f"the factors of positions {by_length!r}")
        tensors = {t.name: t for t in self._reader.tensors if t.name.endswith("rope_freqs.weight")}
        if not tensors:
            return
        tensor, *others = tensors.values()
        factors = torch.tensor(tensor.data.copy(), dtype=torch.float32)
        if others or len(rotary) != 1 or rotary[0].inv_freq.shape != factors.shape:
            raise self._unread(f"the factors of positions {tensor.name!r}")
        rotary[0].inv_freq = rotary[0].inv_freq / factors.to(rotary[0].inv_freq.device)
        rotary[0].original_inv_freq = rotary[0].inv_freq

    def _unread(self, what: str) -> ModelError:
        return ModelError(
            f"{self._checkpoint.name} has {what}, which transformers does not read: serve it with llama.cpp's "
            "llama-server and measure it as endpoint:http://127.0.0.1:8080/v1"
        )
