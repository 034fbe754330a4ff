"""The connection to the Hub: the token, and the errors of the Hub's client in words a user can act on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import BiasError, HubError, HubUnreachableError, InputError, network_errors

if TYPE_CHECKING:
    from huggingface_hub import HfApi

LOG_IN = "log in with 'hf auth login' or set HF_TOKEN to a token with write access"
_LONGEST_MESSAGE = 300

_ADVICE = {
    401: f"the Hub does not accept this token: {LOG_IN}",
    403: "this token may not do that: use one with write access from a member of the organisation, name another "
    "organisation, or, if the repository exists, propose the change as a pull request",
    404: "the repository is not there, or this token may not see it",
    409: "a repository of that name is there but this token cannot see it, or it was made a moment ago: run it again",
    412: "somebody changed the repository in the meantime: run it again, it will start from the new state",
    413: "the Hub finds it too large",
    429: "the Hub wants fewer requests: wait some minutes and run it again",
}


def check_organisation(org: str) -> None:
    """Refuse what cannot be the name of a Hub user or organisation.

    Raises:
        InputError: it has characters that such a name cannot have.
    """
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", org) or "--" in org or ".." in org:
        raise InputError(
            f"{org!r} is not the name of a Hub organisation", hint="use letters, digits and single . _ -"
        )


def find_token(token: str | None = None) -> str | None:
    """Return the given token or the stored one of the Hub's login, or ``None`` if nobody is logged in.

    Raises:
        HubError: it contains characters that no token has. The message does not quote it.

    Examples:
        >>> find_token("hf_abc")
        'hf_abc'
        >>> find_token("hf_abc def")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.HubError: the Hub token contains blanks or characters that no token has: log in ...
    """
    if token is None:
        import huggingface_hub

        try:
            token = huggingface_hub.get_token()
        except _client_errors() as error:
            raise HubError(f"the Hub token cannot be read ({type(error).__name__}): {LOG_IN}") from None
    # The HTTP library quotes a header it cannot send, token and all, so such a token never gets there.
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token and token):
        raise HubError(f"the Hub token contains blanks or characters that no token has: {LOG_IN}")
    return token


def connect(token: str | None) -> HfApi:
    """Return a client that sends this token, or none at all: it never looks for another one by itself."""
    from huggingface_hub import HfApi

    return HfApi(token=token or False, library_name="evaluate-bias")


@contextmanager
def hub_errors(doing: str, *, token: str | None = None, hint: str = "") -> Iterator[None]:
    """Turn what the Hub's client raises into :class:`HubError`, one sentence without the token.

    Args:
        doing: what is being tried, such as ``"bias/weat was not published"``. The sentence starts with it.
        token: never to appear in the message.
        hint: what else to say, such as what was done before.

    Raises:
        HubError: instead of any error of the client. A lost connection raises :class:`HubUnreachableError`.
    """
    try:
        yield
    except BiasError:  # some are ValueErrors or OSErrors as well
        raise
    except _client_errors() as error:
        text = f"{doing}: {_reason(error)}{f'; {hint}' if hint else ''}"
        is_answer = getattr(error, "response", None) is not None or isinstance(error, ValueError)
        is_local = isinstance(error, OSError) and error.filename
        kind = HubError if is_answer or is_local else HubUnreachableError
        # Not chained, because the client's error has the request, and with it the token.
        raise kind(text.replace(token, "<token>") if token else text) from None


def _client_errors() -> tuple[type[Exception], ...]:
    """Return what the Hub's client raises: HTTP errors, lost connections, refused arguments, failed logins."""
    from huggingface_hub.errors import OIDCError

    return (*network_errors(), OSError, ValueError, OIDCError)


def _reason(error: Exception) -> str:
    """Say what went wrong and what would help."""
    from huggingface_hub import constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE forbids requests to the Hub: unset it"
    if isinstance(error, json.JSONDecodeError):
        return "the Hub's answer is not whole: run it again"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename} cannot be read ({error.strerror})"
    response: Any = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status in _ADVICE:
        return _ADVICE[status]
    if status is not None and status >= 500:
        return f"the Hub answers with an error of its own ({status}): try again later"
    if status is not None or isinstance(error, ValueError):
        return f"the Hub refuses: {_first_line(error)}"
    return (
        f"{constants.ENDPOINT} cannot be reached ({_first_line(error)}): check the network, the proxy settings and "
        "HF_ENDPOINT"
    )


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    # For a refused request, the first line of the client's error is only the number. The Hub's own words come last.
    if getattr(error, "response", None) is not None and len(lines) > 1:
        text = lines[-1]
    return text[:_LONGEST_MESSAGE]
