"""What a model is beyond doubt, found without loading it: the content of its files, or the commit on the Hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..assets import CATALOGUE, asset_folder, file_sha256, get_asset, is_cached
from ..corpora.corpus import CORPUS
from ..errors import InputError, ModelError, quoted
from ..files import is_there
from ..models.endpoint.address import SERVED, parse_address, printable_spec
from ..models.endpoint.model import system_of
from ..models.endpoint.provider import client_of

NO_MODEL = "none"
"""Instead of a model, for methods whose data contain ready scores or predictions."""

_NOT_READ = frozenset({".md", ".svg", ".png", ".html", ".yaml", ".yml", ".jsonl", ".sqlite", ".log", ".tmp"})
"""Kinds of files next to a model that no loader reads, such as its card."""
_OF_MODELS = frozenset({"config.json", "adapter_config.json", "modules.json"})


def model_spec(spec: str, folder: Path) -> str:
    """Return what to load: a file or folder by its path from the config's folder, everything else as it is written.

    Examples:
        >>> model_spec("glove-6b-50d", Path())
        'glove-6b-50d'
    """
    prefix = CORPUS if spec.startswith(CORPUS) else ""
    name = spec.removeprefix(prefix)
    path = Path(name).expanduser()
    if spec.startswith(SERVED) or name.strip() in ("", ".") or name in CATALOGUE or path.is_absolute():
        return spec
    if not is_there(folder / path):
        return spec
    return f"{prefix}{(folder / path).resolve()}"


def model_name(spec: str, served_model: str | None = None) -> str:
    """Return the name of a model in tables: its file's or folder's, or its own, with the host if it is served.

    Examples:
        >>> model_name("org/name"), model_name("/data/vectors.txt"), model_name("./runs/checkpoint-100")
        ('org/name', 'vectors.txt', 'checkpoint-100')
        >>> model_name("endpoint:http://127.0.0.1:8000/v1#tiny")
        'tiny (127.0.0.1:8000)'
    """
    if spec.startswith(SERVED):
        try:
            return parse_address(spec, served_model).name
        except InputError:
            return printable_spec(spec)
    name = spec.removeprefix(CORPUS)
    path = Path(name).expanduser()
    return (
        path.name if name.startswith((".", "/", "~")) or (is_there(path) and name not in CATALOGUE) else name
    )


def model_identity(spec: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON-safe facts that change when the model does.

    Raises:
        ModelError: no such file, folder or repository, or the Hub or the server cannot be reached.
    """
    name = spec.removeprefix(CORPUS)
    if spec == NO_MODEL:
        return {"model": None}
    if spec.startswith(SERVED):
        address = parse_address(spec, options.get("served_model"))
        limits = {name: options[name] for name in ("timeout", "ready_timeout") if name in options}
        client = client_of(address, {}, **limits)
        return {
            "endpoint": [client.address.url + client.address.place, address.model],
            "system_fingerprint": system_of(client),
        }
    if name in CATALOGUE:
        asset = get_asset(name)
        return {"asset": asset.name, "sha256": (asset.cached_source() or asset.source).sha256}
    path = Path(name).expanduser()
    here = is_there(path)
    if here and path.is_file():
        return {"sha256": file_sha256(path)}
    if here and path.is_dir():
        if spec == name:
            _refuse_other_folders(path, options)
        return {"files": {str(f.relative_to(path).as_posix()): file_sha256(f) for f in _files(path)}}
    if spec != name or name.startswith((".", "/", "~")):
        raise ModelError(f"no file or folder {quoted(name)}")
    from ..models._hub import find_repo

    return {"repository": name, "commit": find_repo(name, options.get("revision")).commit}


def _refuse_other_folders(folder: Path, options: Mapping[str, Any]) -> None:
    """Refuse a folder that has no file of a model at its top, before all below it is read."""
    from ..models._vectors.files import choose_vector_file
    from ..models._vectors.matrices import is_spacy_folder

    names = [path.name for path in folder.iterdir()]
    elsewhere = "subfolder" in options or "file" in options or is_spacy_folder(folder)
    if not (elsewhere or _OF_MODELS.intersection(names) or any(name.endswith(".gguf") for name in names)):
        choose_vector_file(names, str(folder))


def size_of(spec: str) -> int:
    """Return the bytes to read for a model that is here or is a named asset, 0 if that is not known."""
    name = spec.removeprefix(CORPUS)
    path = Path(name).expanduser()
    if name in CATALOGUE:
        asset = get_asset(name)
        path = asset_folder(asset) / asset.entry
        if not is_cached(asset):
            return int(asset.size)
    if not is_there(path):
        return 0
    if path.is_file():
        return path.stat().st_size
    return sum(f.stat().st_size for f in _files(path)) if path.is_dir() else 0


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and path.suffix.lower() not in _NOT_READ:
            yield path
