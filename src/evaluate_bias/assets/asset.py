"""An outside file or folder, and where it lies once it is here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from .download import AssetSource, BundledFolder, HubFiles

CACHE_VARIABLE = "EVALUATE_BIAS_CACHE"

AssetKind = Literal[
    "word vectors", "masked language model", "causal language model", "sentence encoder", "data sets", "text"
]


def cache_root() -> Path:
    """Return the cache folder, which need not exist yet: ``EVALUATE_BIAS_CACHE``, else one beside the Hub's caches."""
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    from huggingface_hub.constants import HF_ASSETS_CACHE

    # Where huggingface_hub.cached_assets_path puts a library's files, without making the folder.
    return Path(HF_ASSETS_CACHE) / "evaluate-bias"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """An outside file or folder, pinned by checksum.

    Attributes:
        name: the name users type.
        kind: what it holds.
        source: where it comes from.
        description: one line for people.
        language: ISO 639-1 code, ``"mul"`` for several.
        licence: licence of the content.
        size: bytes to download, 0 where nobody asks.
        hub: the same files in a repository of the Hub, which is asked first.
        root: folder inside the archive that becomes the asset's folder.
        members: patterns (below ``root``) of the files to unpack; empty for a file that is not an archive.
        entry: for a model, the file or folder (below the asset's folder) to load.
        options: for a model, options of ``load_model`` that belong to this file.
    """

    name: str
    kind: AssetKind
    source: AssetSource
    description: str = ""
    language: str = "mul"
    licence: str = "as its source states"
    size: int = 0
    hub: HubFiles | None = None
    root: str = ""
    members: tuple[str, ...] = ()
    entry: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_model(self) -> bool:
        """Whether ``load_model`` takes this name."""
        return self.kind not in ("data sets", "text")

    @property
    def sources(self) -> tuple[AssetSource, ...]:
        """The places it can be had from, the first one first."""
        return (self.source,) if self.hub is None else (self.hub, self.source)

    def cached_source(self) -> AssetSource | None:
        """The source of the copy that is here, ``None`` when none is."""
        return next((s for s in self.sources if self.folder_of(s).is_dir()), None)

    def folder_of(self, source: AssetSource) -> Path:
        """Where it lies once fetched from ``source``; a new pin is a new folder, a packaged one has its own."""
        if isinstance(source, BundledFolder):
            return source.path
        return cache_root() / "assets" / source.sha256[:16] / self.name

    def provenance(self) -> dict[str, Any]:
        """JSON-safe identity of the asset: name, source of the copy that is here, checksum and licence."""
        source = self.cached_source() or self.source
        return {
            "asset": self.name,
            "source": source.label,
            "archive_sha256": source.sha256,
            "licence": self.licence,
        }


def asset_folder(asset: Asset) -> Path:
    """Return where ``asset`` lies, or will lie once it is fetched from its first source."""
    return asset.folder_of(asset.cached_source() or asset.sources[0])


def is_cached(asset: Asset) -> bool:
    """Say whether ``asset`` is already in the cache."""
    return asset.cached_source() is not None
