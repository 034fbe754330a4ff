"""The papers that methods and data sets cite, from ``references.bib``, which is read when one is asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Paper(NamedTuple):
    """One entry of the file.

    Attributes:
        citation: authors, year, title and venue, from the comment before the entry, empty if it has none, as for a
            paper that is only cited in BibTeX.
        bibtex: the entry.
    """

    citation: str
    bibtex: str

    @property
    def addresses(self) -> list[str]:
        """The paper's links. The first one is shown first."""
        fields = dict(re.findall(r"^  (url|doi|eprint) *= \{(.+?)\}", self.bibtex, re.MULTILINE))
        starts = {"url": "", "doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/"}
        return [f"{start}{fields[name]}" for name, start in starts.items() if name in fields]


@functools.cache
def papers() -> Mapping[str, Paper]:
    """Return all papers by the keys of their entries.

    Examples:
        >>> paper = papers()["garg2018word"]
        >>> paper.citation.partition(":")[0], paper.addresses
        ('Garg, Schiebinger, Jurafsky and Zou (2018)', ['https://doi.org/10.1073/pnas.1720347115'])
    """
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    by_key = {}
    for block in text.strip().split("\n\n"):
        comment, at, entry = block.partition("@")
        key = entry.partition("{")[2].partition(",")[0]
        by_key[key] = Paper(comment.removeprefix("% ").rstrip(), at + entry)
    return by_key


def bibtex_of_addresses(addresses: Iterable[str]) -> str:
    """Return the entries of the papers at these addresses, each once.

    Examples:
        >>> bibtex_of_addresses(["https://arxiv.org/abs/2010.06032"]).partition(",")[0]
        '@misc{webster2020measuring'
    """
    cited: dict[str, None] = {}
    for address in addresses:
        for paper in papers().values():
            places = [place.removeprefix("https://doi.org/").rstrip("/") for place in paper.addresses]
            if any(address.rstrip("/").endswith(place) for place in places):
                cited[paper.bibtex] = None
    return "\n\n".join(cited)
