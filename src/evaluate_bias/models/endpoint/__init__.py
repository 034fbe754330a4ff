"""Models served over an API: any server with an OpenAI-compatible API."""

from .model import load_endpoint as load_endpoint
