"""Where a transformer came from, and how to name it beyond doubt."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..assets import file_sha256
from ..errors import ModelError

__all__ = ["ModelSource", "Place", "short_repr"]


@dataclass(frozen=True)
class ModelSource:
    """The origin of a model.

    Attributes:
        name: short name for tables.
        place: where to load from again; ``None`` for a model made in memory.
        revision: the Hub commit, where there is one.
        weights: the weight files, for a local model.
        facts: more that identifies it, such as the asset it was unpacked from.
    """

    name: str
    place: Place | None = None
    revision: str | None = None
    weights: tuple[Path, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    _sha256: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def identity(self, model: Any) -> dict[str, Any]:
        """JSON-safe facts: the Hub revision, or the sha256 of the weight files, or of weights in memory."""
        known = {"kind": "transformer", "name": self.name, "source": self.name, **self.facts}
        if self.revision is not None:
            return {**known, "revision": self.revision}
        if not self._sha256:
            self._sha256.update(_file_sums(self.weights) if self.weights else {"memory": _memory_sum(model)})
        return {**known, "weights_sha256": dict(self._sha256)}

    def unknown_token_cause(self, tokenizer: Any) -> str:
        """Guess, in words, why the tokenizer does not know the text."""
        folder = None if self.place is None else Path(self.place.location)
        if folder is not None and (folder / "vocab.txt").is_file() and "Bert" not in type(tokenizer).__name__:
            return (
                "the wrong tokenizer class; the folder holds a vocab.txt, so load the tokenizer with "
                "transformers.BertTokenizerFast and pass the pair (model, tokenizer)"
            )
        return (
            "the model's vocabulary does not cover this language or script, or the tokenizer is of the wrong "
            "class (then load the right one and pass the pair (model, tokenizer))"
        )


class Place:
    """Where to load from, and how.

    Args:
        spec: Hub id, folder, or GGUF file (or a folder that holds one GGUF file and no config.json).
        revision: Hub revision.
        allow_pickle: also read pickled weights.

    Attributes:
        location: what transformers is asked for.
    """

    def __init__(self, spec: str | os.PathLike[str], revision: str | None, allow_pickle: bool) -> None:
        path = Path(spec).expanduser()
        self.allow_pickle = allow_pickle
        self.options: dict[str, Any] = {}
        if path.is_dir() and not (path / "config.json").is_file():
            path = _only_gguf(path)
        if path.is_file():
            if path.suffix.lower() != ".gguf":
                raise ModelError(
                    f"{path} is not a GGUF file; a transformer is a Hub id, a folder or a .gguf file"
                )
            self.location, self.name = str(path.parent), path.name
            self.options["gguf_file"] = path.name
            self.weights: tuple[Path, ...] = (path,)
        elif path.is_dir():
            self.location, self.name = str(path), path.resolve().name
            patterns = ("*.safetensors", "pytorch_model*.bin") if allow_pickle else ("*.safetensors",)
            found = [sorted(path.glob(pattern)) for pattern in patterns]
            self.weights = tuple(next((files for files in found if files), ()))
            self._refuse_pickle_only(path)
        else:
            self.location = self.name = str(spec)
            self.weights = ()
            self.options["revision"] = revision

    def _refuse_pickle_only(self, folder: Path) -> None:
        if self.weights or not folder.is_dir():
            return
        if any(folder.glob("*.bin")):
            raise ModelError(
                f"{self.name} holds pickled weights (.bin) only, which can run code when they are read; if "
                "you trust the file, load it with allow_pickle=True"
            )
        raise ModelError(f"the folder {folder} holds no weights (*.safetensors or *.gguf)")

    @property
    def is_gguf(self) -> bool:
        """Whether the weights are in a GGUF file."""
        return "gguf_file" in self.options

    def source(self, model: Any) -> ModelSource:
        """The record of what was loaded."""
        commit = None if self.weights else getattr(model.config, "_commit_hash", None)
        return ModelSource(self.name, place=self, revision=commit, weights=self.weights)


def _only_gguf(folder: Path) -> Path:
    files = sorted(folder.glob("*.gguf"))
    if len(files) != 1:
        found = f"{len(files)} GGUF files: name one of them" if files else "no config.json and no GGUF file"
        raise ModelError(f"{folder} is not a transformer's folder: it holds {found}")
    return files[0]


def short_repr(model: Any) -> str:
    """Kind, name, architecture, size and place of a transformer, as its representation."""
    size = sum(p.numel() for p in model.model.parameters())
    dtype = str(model.model.dtype).removeprefix("torch.")
    return (
        f"{type(model).__name__}({model.name!r}, {type(model.model).__name__}, {size / 1e6:,.1f} million parameters, "
        f"{dtype} on {model.model.device.type})"
    )


def _file_sums(files: Iterable[Path]) -> dict[str, str]:
    return {path.name: file_sha256(path) for path in files}


def _memory_sum(model: Any) -> str:
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
