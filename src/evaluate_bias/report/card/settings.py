"""The options of a result that its author chose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...options import Option
from ...registry import METHODS
from ...result import Result, to_plain


def known_options(result: Result) -> Mapping[str, Option]:
    """Return the options of a result's method, none if the method needs packages that are not installed."""
    try:
        return METHODS[result.method].options() if result.method in METHODS else {}
    except ImportError:
        return {}


def chosen_options(result: Result) -> dict[str, Any]:
    """Return the settings of a result that are not the defaults of its method, without tests, which have rows.

    The protocol is always one of them: it decides what was asked, and its numbers are compared with no others.
    """
    usual = {k: to_plain(option.default, k) for k, option in known_options(result).items()}
    chosen = result.settings.items()
    return {k: v for k, v in chosen if k != "tests" and (k == "protocol" or k not in usual or usual[k] != v)}
