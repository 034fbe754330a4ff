"""Files from outside: what there is, how each is obtained, and where it lies once it is here."""

from .asset import Asset, asset_folder, cache_root, is_cached
from .cache import fetch, file_sha256
from .catalogue import CATALOGUE, get_asset, list_assets
from .download import AssetSource, BundledFolder, HubFiles, NpmPackage, Url, Wheel

__all__ = [
    "CATALOGUE",
    "Asset",
    "AssetSource",
    "BundledFolder",
    "HubFiles",
    "NpmPackage",
    "Url",
    "Wheel",
    "asset_folder",
    "cache_root",
    "fetch",
    "file_sha256",
    "get_asset",
    "is_cached",
    "list_assets",
]
