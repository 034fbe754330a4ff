"""Finds the table a user names: packaged, built in the cache, a file, a folder, or a data set of the Hub."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DataError, UnknownNameError
from ..paths import packaged_data
from ..result import Skipped
from .building import MANIFEST, read_manifest
from .hub_table import HUB_ID, read_hub
from .recipes import get_dataset
from .tables import TABLE_SUFFIXES, Row, read_rows

__all__ = ["Table", "find_table", "packaged_table"]


@dataclass(slots=True)
class Table:
    """Rows, and where they come from.

    Attributes:
        name: what to call the table in an error.
        rows: at least one row.
        provenance: its identity, JSON-safe.
        skipped: rows of the published file that could not be used.
    """

    name: str
    rows: list[Row]
    provenance: dict[str, Any] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()


def find_table(
    source: str,
    config: str,
    *,
    built_in: bool = False,
    split: str = "test",
    encoding: str = "utf-8",
    columns: tuple[str, ...] | None = None,
) -> Table:
    """Read the table that ``source`` names.

    Args:
        source: with ``built_in`` the name of a data set that :func:`~evaluate_bias.data.recipes.get_dataset`
            makes; otherwise a file, a folder, or a Hub id.
        config: configuration, or name of the file in a folder without its ending.
        built_in: whether ``source`` is such a name.
        split: split to read.
        encoding: encoding of a text file.
        columns: columns to read where that saves work; ``None`` for all.

    Raises:
        UnknownNameError: there is no such configuration.
        DataError: there is no such source, or it cannot be read.
        AssetError: the published data set could not be obtained.
        HubError: the Hub could not be reached or does not have the data set.
    """
    if built_in:
        if source == "minimal_pairs":
            return packaged_table(source, config)
        return _built(get_dataset(source, configs=config), config, split, columns)
    path = Path(source)
    if path.is_file():
        return _file(path, config, encoding, columns)
    if path.is_dir():
        if (path / MANIFEST).is_file():
            return _built(path, config, split, columns)
        return _folder(path, config, encoding, columns)
    if HUB_ID.fullmatch(source):
        rows, identity = read_hub(source, config, split, columns)
        return Table(source, rows, dict(identity))
    raise DataError(f"{source!r} is neither a data set of this library, nor a file, a folder or a Hub id")


def packaged_table(name: str, language: str) -> Table:
    """Read a table packaged with the library.

    Raises:
        UnknownNameError: it has not that language.
    """
    folder = packaged_data(name)
    files = {Path(f.name).stem: f for f in folder.iterdir() if f.name.endswith(".jsonl")}
    if language.lower() not in files:
        raise UnknownNameError("language", language, files)
    file = files[language.lower()]
    raw = file.read_bytes()
    identity = {"source": name, "language": language.lower(), "sha256": hashlib.sha256(raw).hexdigest()}
    return Table(file.name, read_rows(raw, file.name), identity)


def _file(path: Path, config: str, encoding: str, columns: tuple[str, ...] | None) -> Table:
    raw = path.read_bytes()
    rows = read_rows(raw, str(path), encoding=encoding, columns=columns)
    identity = {"source": path.name, "language": config, "sha256": hashlib.sha256(raw).hexdigest()}
    return Table(str(path), rows, identity)


def _folder(path: Path, config: str, encoding: str, columns: tuple[str, ...] | None) -> Table:
    files = {f.stem.lower(): f for f in sorted(path.iterdir()) if f.suffix.lower() in TABLE_SUFFIXES}
    if not files:
        raise DataError(f"the folder {path} has no table: it needs one file a language, such as 'en.csv'")
    if config.lower() not in files:
        raise UnknownNameError("language", config, files)
    return _file(files[config.lower()], config, encoding, columns)


def _built(folder: Path, config: str, split: str, columns: tuple[str, ...] | None) -> Table:
    manifest = read_manifest(folder)
    configs = manifest["configs"]
    if config not in configs:
        raise UnknownNameError("configuration", config, configs)
    splits = configs[config]["splits"]
    if split not in splits:
        raise UnknownNameError("split", split, splits)
    built = splits[split]
    path = folder / built["file"]
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"the built data set is incomplete: {error}; remove {folder} to build it again"
        ) from None
    identity: dict[str, Any] = {
        "source": manifest["dataset"],
        "config": config,
        "split": split,
        "language": configs[config]["language"],
        "licence": configs[config]["licence"],
        "verified": manifest["verified"],
        **built["made_from"],
    }
    skipped = tuple(Skipped(**row) for row in built["left_out"])
    rows = read_rows(raw, path.name, columns=columns)
    return Table(f"{manifest['dataset']} ({config}, {split})", rows, identity, skipped)
