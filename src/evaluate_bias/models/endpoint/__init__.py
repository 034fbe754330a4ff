"""Models behind an address: any server that speaks the OpenAI dialect."""

from .model import load_endpoint as load_endpoint
