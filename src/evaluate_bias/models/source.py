"""The source of a model: paths that may be opened, and the identity of the loaded weights."""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..assets import file_sha256
from ..errors import BiasError, InputError, ModelError, quoted

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
TokenizerChoice = Literal["auto", "file"]

_SURELY_FILES = (".vec", ".kv", ".npy", ".npz", ".safetensors", ".gguf", ".bin", ".txt", ".gz", ".bz2", ".xz")


def existing_path(spec: str | os.PathLike[str]) -> Path | None:
    """Return the path that ``spec`` names, or ``None`` if nothing is there. Only files and folders are accepted."""
    name = os.fspath(spec)
    if not isinstance(name, str) or not name.strip() or name.strip() == ".":
        raise InputError(
            f"{quoted(name)} names no model, and would measure whatever lies in the working directory",
            hint="give a name, or a path such as './my-model'",
        )
    with loading_errors(spec):
        path = Path(name).expanduser()
        if not path.exists():
            return None
    _refuse_pipe(path)
    return path


def _refuse_pipe(path: Path) -> None:
    """Raise an error for a pipe, socket or device, since reading it could block for ever."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ModelError(
            f"{quoted(str(path))} is neither a file nor a folder but a pipe, a socket or a device"
        )


def looks_like_path(spec: str) -> bool:
    """True if a string that names no file or folder was meant to name one, and is not a Hub id."""
    return (
        spec.startswith((".", "/", "~"))
        or "\\" in spec
        or spec.count("/") > 1
        or spec.lower().endswith(_SURELY_FILES)
    )


@contextmanager
def loading_errors(spec: Any) -> Iterator[None]:
    """Turn any error of the libraries that read a model into a one-sentence :class:`ModelError`, the cause chained."""
    try:
        yield
    except BiasError:
        raise
    except Exception as error:
        what = quoted(os.fspath(spec)) if isinstance(spec, (str, os.PathLike)) else f"a {type(spec).__name__}"
        raise ModelError(f"{what} cannot be loaded: {first_sentence(error)}") from error


def device_of(model: Any) -> Any:
    """Return the device that a model computes on. For weights loaded layer by layer, accelerate chooses it."""
    import torch

    if model.device.type == "meta":
        for module in model.modules():
            if (place := getattr(getattr(module, "_hf_hook", None), "execution_device", None)) is not None:
                return torch.device(place)
    return model.device


def plain_torch(value: Any) -> Any:
    """Return a device or dtype of torch as a string that means the same, without importing torch for other values."""
    is_torch = isinstance(value, str) or type(value).__module__ == "torch"
    return str(value).removeprefix("torch.") if is_torch else value


def device_name(device: Any) -> Any:
    """Return a torch device as a string. A number means that GPU, and -1 the CPU, as in pipelines of transformers."""
    text = str(device) if type(device) is int else plain_torch(device)
    if text == "-1":
        return "cpu"
    return f"cuda:{text}" if isinstance(text, str) and text.isdecimal() else text


def first_sentence(error: BaseException) -> str:
    """Return the first line of an error's message, and its type."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = (
        ascii(lines[0])[1:-1] if lines and not lines[0].isprintable() else (lines or ["no reason given"])[0]
    )
    return f"{reason[:300]} ({type(error).__name__})"


def imported(module: str, otherwise: str) -> Any:
    """Import a module of a package that may not be installed.

    Raises:
        ModelError: it is not installed. The message says what to do.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModelError(f"{otherwise} ({error})") from error


@dataclass(frozen=True, slots=True)
class SentenceFolder:
    """A SentenceTransformer in a folder or repository, or given as an object.

    Attributes:
        modules: what a text goes through, by the names of the modules.
        folder: returns where it is, and downloads it if needed. ``None`` for an object in memory.
    """

    modules: tuple[str, ...]
    folder: Callable[[], Path] | None = None


@dataclass
class ModelSource:
    """The origin of a model, and how transformers loads from it.

    Attributes:
        name: short name for tables.
        location: a Hub id or a folder, or empty for a model made in memory.
        options: further options of ``from_pretrained``: the commit, a token, a folder within, a GGUF file.
        allow_pickle: whether pickled weights are read.
        revision: the Hub commit, if there is one.
        weights: the weight files, for a local model.
        facts: more that identifies it, such as the asset it was unpacked from.
        warnings: what was odd about loading it.
        sentences: the SentenceTransformer whose transformer it is, if there is one.
        tokenizer_file: the ``tokenizer.json`` that the tokens are compared with.
    """

    name: str
    location: str = ""
    options: dict[str, Any] = field(default_factory=dict, repr=False)
    allow_pickle: bool = False
    revision: str | None = None
    weights: tuple[Path, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    sentences: SentenceFolder | None = None
    tokenizer_file: Path | None = None
    _sha256: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_gguf(self) -> bool:
        """True if the weights are in a GGUF file."""
        return "gguf_file" in self.options

    def identity(self, model: Any) -> dict[str, Any]:
        """Return JSON-safe facts: the Hub revision, or the sha256 of the weight files, or of weights in memory."""
        known = {"kind": "transformer", "name": self.name, "source": self.name, **self.facts}
        if self.revision is not None:
            return {**known, "revision": self.revision}
        if "weights_sha256" in self.facts:
            return known
        if not self._sha256:
            sums = {path.name: file_sha256(path) for path in self.weights}
            if not sums and any(value.is_meta for value in model.parameters()):
                # Weights that are loaded layer by layer are not at hand: configuration and source identify them.
                sums = {"config": hashlib.sha256(model.config.to_json_string().encode()).hexdigest()}
            self._sha256.update(sums or {"memory": memory_sum(model)})
        return {**known, "weights_sha256": dict(self._sha256)}


def find_checkpoint(
    spec: str | os.PathLike[str],
    commit: str | None,
    allow_pickle: bool,
    token: str | None = None,
    subfolder: str | None = None,
) -> ModelSource:
    """Return a Hub id and its commit, a folder with safe weights, a GGUF file, or a folder with one.

    Raises:
        ModelError: it is a file of another kind, a folder without a model, or one whose weights are pickled and not
            allowed.
    """
    path = existing_path(spec) or Path(spec).expanduser()
    if subfolder is not None and path.exists():
        path = within(path, subfolder)
    if path.is_dir() and (
        not (path / "config.json").is_file() or holds_gguf_only(p.name for p in path.iterdir())
    ):
        files = sorted(path.glob("*.gguf"))
        if len(files) != 1:
            content = (
                f"{len(files)} GGUF files: name one of them" if files else "no config.json and no GGUF file"
            )
            raise ModelError(f"{path} is not a transformer's folder: it contains {content}")
        path = files[0]
    if path.is_file():
        if path.suffix.lower() != ".gguf" and not begins_as_gguf(path):
            raise ModelError(
                f"{path} is not a GGUF file. A transformer is a Hub id, a folder or a .gguf file"
            )
        options = {"gguf_file": path.name}
        return ModelSource(path.name, str(path.parent), options, allow_pickle, weights=(path,))
    if not path.is_dir():
        return ModelSource(
            str(spec),
            str(spec),
            {"revision": commit, "token": token, "subfolder": subfolder},
            allow_pickle,
            revision=commit,
            facts={} if subfolder is None else {"subfolder": subfolder},
        )
    for entry in path.iterdir():
        _refuse_pipe(entry)
    name, safe = path.resolve().name, sorted(path.glob("*.safetensors"))
    pickled = sorted(path.glob("pytorch_model*.bin"))
    if pickled and not (safe or allow_pickle):
        raise ModelError(
            f"{name} contains pickled weights (.bin) only, which can run code when they are read",
            option="allow_pickle",
            hint="if you trust the file, set the loading option `allow_pickle` to true",
        )
    if not (safe or pickled):
        raise ModelError(f"the folder {path} contains no weights (*.safetensors or *.gguf)")
    return ModelSource(name, str(path), {}, allow_pickle, weights=tuple(safe or pickled))


def within(folder: Path, subfolder: str) -> Path:
    """Return the folder of that name in a folder.

    Raises:
        ModelError: it does not exist, or it is outside the folder.
    """
    if Path(subfolder).is_absolute() or ".." in Path(subfolder).parts or not (folder / subfolder).is_dir():
        raise ModelError(f"{folder} has no folder {quoted(subfolder)} in it", option="subfolder")
    return folder / subfolder


def begins_as_gguf(path: Path) -> bool:
    """True if a file is a GGUF file, by its first bytes."""
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"


def holds_gguf_only(names: Iterable[str]) -> bool:
    """True if the weights among these files are only in GGUF files."""
    ends = {Path(name).suffix for name in names}
    return ".gguf" in ends and not ends & {".safetensors", ".bin"}


def memory_sum(model: Any) -> str:
    """Return the sha256 of the weights of a module of torch."""
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        for part in _parts(value):
            digest.update(part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """Yield the bytes of what a model keeps: tensors, and the tensors inside quantised weights."""
    import torch

    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _parts(part)
    elif not isinstance(value, torch.Tensor):
        yield repr(value).encode()
    elif hasattr(value, "__tensor_flatten__"):
        names, about = value.__tensor_flatten__()
        yield repr(about).encode()
        for name in names:
            yield from _parts(getattr(value, name))
    elif value.is_quantized:
        yield from _parts((value.dequantize(), str(value.dtype)))
    else:
        yield value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


_CARD = "README.md"
_MANY = {"mul", "multilingual", "und", "unknown", "code"}
"""The codes for several languages, or for an unknown one."""


def card_languages(model: Any) -> frozenset[str]:
    """Return the primary language tags of a model, such as ``{"en"}``, or none if they are unknown or many.

    Args:
        model: a loaded model.

    Examples:
        >>> from evaluate_bias import load_model
        >>> card_languages(load_model({"she": [1.0], "he": [0.5]}))
        frozenset()
    """
    facts: Mapping[str, Any] = getattr(model, "provenance", dict)()
    if name := facts.get("asset"):
        from ..assets import get_asset

        return _known([get_asset(name).language])
    location = getattr(getattr(model, "source", None), "location", "")
    if not location or not (card := Path(location) / _CARD).is_file():
        return frozenset()
    import yaml
    from huggingface_hub import metadata_load

    try:
        front_matter = metadata_load(card) or {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return frozenset()
    return _known(front_matter.get("language"))


def _known(languages: Any) -> frozenset[str]:
    tags = [languages] if isinstance(languages, str) else languages if isinstance(languages, list) else []
    # YAML reads the tag of Norwegian as a boolean.
    names = ("no" if tag is False else str(tag).strip().lower().replace("_", "-") for tag in tags)
    primary = {tag.partition("-")[0] for tag in names} - {""}
    return frozenset() if primary & _MANY else frozenset(primary)
