"""Files from outside: what there is, how each is obtained, and where it lies once it is here."""

from .cache import asset_folder, cache_root, fetch, file_sha256, is_cached
from .catalogue import CATALOGUE, Asset, get_asset, list_assets
from .download import AssetSource, BundledFolder, NpmPackage, Url, Wheel

__all__ = [
    "CATALOGUE",
    "Asset",
    "AssetSource",
    "BundledFolder",
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
