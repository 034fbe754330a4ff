"""Models behind an address: any server that speaks the OpenAI dialect."""

from .address import SCHEME, Address, parse_address
from .cache import MemoryCache, RequestCache
from .model import load_endpoint

__all__ = ["SCHEME", "Address", "MemoryCache", "RequestCache", "load_endpoint", "parse_address"]
