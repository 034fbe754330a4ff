"""The address of a served model, ``endpoint:URL#NAME`` or ``inspect:PROVIDER/NAME``, and the key sent there."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...errors import InputError, quoted

SCHEME, INSPECT = "endpoint:", "inspect:"
SERVED = (SCHEME, INSPECT)
"""How the addresses of served models begin."""
KEY = "EVALUATE_BIAS_API_KEY"
"""The environment variable with the key of an endpoint."""
LIMITS = frozenset(("concurrency", "timeout", "ready_timeout", "max_requests", "max_tokens"))
"""Options of loading that change no number."""
_OPENAI = "api.openai.com"
_EXAMPLE = "endpoint:http://127.0.0.1:8000/v1#NAME"
PROVIDERS = "anthropic, azureai, bedrock, google, mistral or openai"
"""Some providers that Inspect has a client for."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model is served.

    Attributes:
        url: the base address, as it was given: nothing is appended to it but the path of a request. For a provider,
            ``inspect:PROVIDER``.
        model: the name by which the server knows the model.
        host: the host, with its port if one is given, or the provider.
        is_private: whether a key stays private on its way: https, or a server on this machine.
        place: of a provider, a digest of the address that its own variables give.

    Examples:
        >>> address = parse_address("endpoint:http://127.0.0.1:8000/v1#org/model:q4")
        >>> address.url, address.model, address.name, address.is_private
        ('http://127.0.0.1:8000/v1', 'org/model:q4', 'org/model:q4 (127.0.0.1:8000)', True)
    """

    url: str
    model: str
    host: str
    is_private: bool
    place: str = ""

    @property
    def is_provider(self) -> bool:
        """True if requests go through a client of Inspect."""
        return self.url.startswith(INSPECT)

    @property
    def source(self) -> str:
        """The address as it is given to ``load_model``, without its scheme if that is ``endpoint:``."""
        return f"{self.url}{'/' if self.is_provider else '#'}{self.model}"

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.model} ({self.host})"

    def key(self) -> str | None:
        """Return the key to send, from the environment: ours, or for OpenAI's own host also the one of its client.

        Raises:
            InputError: a key is set that cannot be sent, or would travel unencrypted to another machine.
        """
        name, key = KEY, os.environ.get(KEY, "").strip()
        if not key and self.host == _OPENAI and self.is_private:
            name, key = "OPENAI_API_KEY", os.environ.get("OPENAI_API_KEY", "").strip()
        if key and not self.is_private:
            raise InputError(
                f"{name} is set and would go to {self.host} unencrypted",
                hint="use https, or unset it for this server",
            )
        if not (key.isascii() and key.isprintable()):
            raise InputError(
                f"{name} contains a character that no key has, such as a line break", hint="set it again"
            )
        return key or None


def parse_address(spec: str, served_model: str | None = None) -> Address:
    """Read ``endpoint:URL#NAME``, ``endpoint:URL`` with the name in ``served_model``, or ``inspect:PROVIDER/NAME``.

    The name is all that follows the first ``#``, or ``/``, as it is. The path of an address is not completed.

    Raises:
        InputError: it is not an address of http or https, has no name or two, or names no provider. Also if it
            contains a user, a password or a query, where a key does not belong.

    Examples:
        >>> parse_address("endpoint:https://example.org/v1", served_model="tiny").name
        'tiny (example.org)'
        >>> parse_address("inspect:openai/azure/gpt-4o").name
        'azure/gpt-4o (openai)'
        >>> parse_address("endpoint:example.org/v1#tiny")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: 'example.org/v1' is not an address of http or https; write \
endpoint:http://127.0.0.1:8000/v1#NAME
    """
    if spec.startswith(INSPECT):
        return _of_provider(spec, served_model)
    url, mark, name = spec.removeprefix(SCHEME).partition("#")
    if mark and served_model is not None:
        raise InputError(
            f"the model is named twice, {quoted(name)} and {quoted(served_model)}",
            option="served_model",
            hint="omit one",
        )
    model = name if mark else served_model
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _no_address(spec) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or any(c.isspace() for c in url):
        raise _no_address(spec)
    if "@" in parts.netloc or "?" in url:
        raise InputError(
            f"the address of {parts.hostname} contains "
            f"{'a user or password' if '@' in parts.netloc else 'a query'}, which every record would show",
            hint=f"omit it, and give a key in the environment as {KEY}",
        )
    if "@" in parts.path:
        raise InputError(
            f"{parts.hostname} has no revisions: a server serves the model it serves", hint="remove '@…'"
        )
    if not model or not model.strip():
        raise InputError(
            "the address names no model",
            option="served_model",
            hint=f"write {SCHEME}{url}#NAME, or give `served_model`",
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host = host if port is None else f"{host}:{port}"
    is_private = parts.scheme == "https" or is_loopback(parts.hostname)
    return Address(url.rstrip("/"), model, host, is_private)


def _of_provider(spec: str, served_model: str | None) -> Address:
    provider, _, name = spec.removeprefix(INSPECT).partition("/")
    if served_model is not None or not name.strip() or not provider.replace("-", "").isalnum():
        problem = "names no provider and model" if served_model is None else "does not go with `served_model`"
        raise InputError(
            f"{quoted(spec)} {problem}",
            hint=f"write {INSPECT}PROVIDER/NAME, PROVIDER being {PROVIDERS}, or another that Inspect knows",
        )
    return Address(f"{INSPECT}{provider}", name, provider, True)


def is_loopback(host: str) -> bool:
    """True if a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def printable_spec(spec: str) -> str:
    """Return an unreadable address as it was given, or only ``endpoint:…`` if it may contain a password.

    Examples:
        >>> printable_spec("endpoint:example.org/v1#tiny"), printable_spec("endpoint:ftp://user:password@example.org#tiny")
        ('endpoint:example.org/v1#tiny', 'endpoint:…')
    """
    # A password may contain "#", so the name is checked too.
    return f"{SCHEME}…" if not spec.startswith(INSPECT) and ("@" in spec or "?" in spec) else spec


def _no_address(spec: str) -> InputError:
    url = printable_spec(spec).removeprefix(SCHEME).partition("#")[0]
    return InputError(f"{quoted(url)} is not an address of http or https", hint=f"write {_EXAMPLE}")
