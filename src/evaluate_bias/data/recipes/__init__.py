"""The data sets, one folder each, and how each is built: obtained from its pinned source, converted, cached.

The sentences of others are never part of this library. :func:`get_dataset` fetches them once, checks them
against a checksum and leaves a folder that ``datasets.load_dataset`` reads, with a card that names source and
licence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ...assets import cache_root
from ...assets.cache import remove_left_over
from ...errors import InputError, OutputError, UnknownNameError
from ...paths import ORGANISATION, packaged_data
from ...text import name_key
from ..building import IN_THE_MAKING, build
from ..dataset_record import DatasetRecord
from .records import RECORDS

_KEYS = {name_key(name): name for name in RECORDS}


def dataset_names() -> list[str]:
    """Return the names of the data sets that can be built: those that have a card.

    Examples:
        >>> dataset_names()[:3]
        ['analogy_pairs', 'bbq', 'bec_pro']
    """
    return [name for name, record in RECORDS.items() if record.configs]


def dataset_key(name: object) -> str:
    """Return the name of a data set from one in which capitals, hyphens and underscores do not matter, or ``""``.

    Examples:
        >>> dataset_key("BEC-Pro"), dataset_key("my-pairs")
        ('bec_pro', '')
    """
    return _KEYS.get(name_key(name), "")


def dataset_record(name: str) -> DatasetRecord:
    """Return the record of a data set. Hyphens and capitals in its name do not matter.

    Raises:
        UnknownNameError: no data set has this name.

    Examples:
        >>> [c.name for c in dataset_record("BEC-Pro").configs]
        ['en', 'de', 'en-published', 'de-published']
    """
    key = dataset_key(name)
    if not key:
        raise UnknownNameError("data set", name, RECORDS)
    return RECORDS[key]


def is_packaged(name: str) -> bool:
    """True if this library has rows of a data set, or what they are made of.

    Examples:
        >>> is_packaged("bec_pro"), is_packaged("stereoset")
        (True, False)
    """
    return packaged_data(name).is_dir()


def record_of(dataset: Mapping[str, Any]) -> DatasetRecord | None:
    """Return the record of the data set that a result's provenance names.

    Args:
        dataset: the ``dataset`` of :attr:`evaluate_bias.Result.provenance`. Loaders put the data set's
            ``name`` there. Without it, ``source`` tells, or the ``sha256`` of a file that equals a published one byte
            for byte.

    Returns:
        The record. ``None`` for data that this library does not know. A Hub data set of any owner that bears
        the name of a published one counts as that.

    Examples:
        >>> record_of({"name": "weat_word_lists", "language": "de"}).title
        'WEAT word lists'
        >>> record_of({"source": "someone/bec_pro@v1"}).title, record_of({"source": "my_pairs.csv"})
        ('BEC-Pro', None)
    """
    source = str(dataset.get("source") or "").partition("@")[0]
    name = str(dataset.get("name") or source)
    if name in RECORDS:
        return RECORDS[name]
    owner, slash, repository = source.partition("/")
    if owner and slash and (key := repository.lower().replace("-", "_")) in RECORDS:
        record = RECORDS[key]
        if record.hub_id and (not record.illustrative or owner == ORGANISATION):
            return record
    known = _published_files().get(str(dataset.get("sha256") or ""))
    return RECORDS[known] if known else None


@cache
def _published_files() -> dict[str, str]:
    """Return data sets by the pinned checksums of their published files. No file is read."""
    return {
        sha256: record.name
        for record in RECORDS.values()
        for config in record.configs
        for origin in config.splits.values()
        for sha256 in origin.pins()
    }


def get_dataset(
    name: str,
    *,
    configs: str | Iterable[str] | None = None,
    split: str | None = None,
    source: str | Path | None = None,
) -> Path:
    """Make a data set available on this machine, in the cache.

    Args:
        name: one of :func:`dataset_names`.
        configs: configuration or configurations wanted. ``None``: all that may be published.
        split: the only split wanted, which saves building the others. ``None``: all of them.
        source: folder to take the upstream files from, laid out like their repository. ``None``: the network,
            the asset ``benchmarks``, which contains copies of several of them, or what is packaged.

    Returns:
        A folder for ``datasets.load_dataset(folder, config)``, built at most once for each pinned revision.

    Raises:
        UnknownNameError: no data set, configuration or split has this name.
        AssetError: a file could not be downloaded, is missing in ``source`` or is not the pinned one. Nothing was
            kept.
        OutputError: the cache cannot be written.
    """
    from filelock import FileLock

    made = dataset_record(name)
    if not made.configs:
        raise InputError(
            f"{made.name} comes with the package and needs no build", hint=f"set `source` to {made.name!r}"
        )
    names = [c.name for c in made.select([configs] if isinstance(configs, str) else configs)]
    folder = _cached_folder(made, names, split)
    if built := _built_folder(made, names, split):
        remove_left_over(built.parent, IN_THE_MAKING)
        return built
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the cache folder {folder.parent} cannot be made: {error}") from error
    with FileLock(folder.with_name(f".{folder.name}.lock")):
        if folder.is_dir():  # another process was faster
            return folder
        return build(
            made, folder, configs=names, split=split, source=None if source is None else Path(source)
        )


def is_built(name: str, config: str) -> bool:
    """True if a configuration of a data set is on this machine, so that nothing has to be fetched for it."""
    return _built_folder(dataset_record(name), [config], None) is not None


def _built_folder(made: DatasetRecord, names: Sequence[str], split: str | None) -> Path | None:
    """Return a folder in the cache with these configurations, perhaps among others, from the same pinned files."""
    exact = [_cached_folder(made, names, split), _cached_folder(made, names, None)]
    others = []
    for folder in sorted(exact[0].parent.glob("*+*-*")):
        together = folder.name.rpartition("-")[0].split("+")
        if {*names} <= {*together} <= {c.name for c in made.configs}:
            others += [folder] if folder == _cached_folder(made, together, None) else []
    return next((folder for folder in [*exact, *others] if folder.is_dir()), None)


def _cached_folder(made: DatasetRecord, names: Sequence[str], split: str | None) -> Path:
    """Return where a data set is in the cache. The name tells what is in it, and from which pinned files."""
    pins: dict[str, Any] = {
        c.name: {s: dict(origin.facts()) for s, origin in c.splits.items()} for c in made.select(names, split)
    }
    if made.revision > 1:
        pins["revision"] = made.revision
    digest = hashlib.sha256(json.dumps(pins, sort_keys=True).encode()).hexdigest()[:12]
    return cache_root() / "datasets" / made.name / f"{'+'.join(sorted(names))}-{digest}"
