"""Files from outside: what there is, how each is obtained, and where it lies once it is here."""

from .cache import fetch as fetch
from .cache import file_sha256 as file_sha256
from .catalogue import CATALOGUE as CATALOGUE
from .catalogue import Asset as Asset
from .catalogue import asset_folder as asset_folder
from .catalogue import cache_root as cache_root
from .catalogue import get_asset as get_asset
from .catalogue import is_cached as is_cached
from .catalogue import list_assets as list_assets
from .download import Url as Url
