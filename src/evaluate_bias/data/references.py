"""The papers that methods and data sets cite, as BibTeX entries of ``references.bib``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def bibtex_of(keys: Iterable[str]) -> str:
    """Return the entries with these keys, from a file that is only read when they are asked for."""
    entries = _entries()
    return "\n\n".join(entries[key] for key in keys)


def bibtex_of_addresses(addresses: Iterable[str]) -> str:
    """Return the entries of the papers at these addresses, each once.

    Examples:
        >>> bibtex_of_addresses(["https://arxiv.org/abs/2010.06032"]).partition(",")[0]
        '@misc{webster2020measuring'
    """
    cited: dict[str, None] = {}
    for address in addresses:
        for entry in _entries().values():
            places = re.findall(r"^  (?:doi|eprint|url) *= \{(.+?)/?\}", entry, re.MULTILINE)
            if any(address.rstrip("/").endswith(place) for place in places):
                cited[entry] = None
    return "\n\n".join(cited)


def _entries() -> dict[str, str]:
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in text.strip().split("\n\n")}
