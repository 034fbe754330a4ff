"""Sentences to find words in: contexts for CEAT, from openly licensed text."""

from __future__ import annotations

import json
from functools import partial

from ...dataset_record import Config, Converted, columns_schema, describe_dataset
from ...origins import AssetTexts, Origin
from .sentences import line_sentences, prose_sentences

# Prose only: verse, plays in old spelling and the King James Bible give contexts that no model reads well.
_PROSE = (
    "austen-emma",
    "austen-persuasion",
    "austen-sense",
    "bryant-stories",
    "burgess-busterbrown",
    "carroll-alice",
    "chesterton-ball",
    "chesterton-brown",
    "chesterton-thursday",
    "edgeworth-parents",
    "melville-moby_dick",
)
_NO_SOURCE = (
    "the package nlptoolkit-wordtovec (ISC) names no source of the text, which reads like Wikipedia. "
    "It was built on this machine for measuring only."
)


def _converted(prose: bool, config: str, raw: bytes, name: str) -> Converted:
    """Turn texts into sentences; each sentence is kept once."""
    rows: dict[str, dict[str, str]] = {}
    for document, text in json.loads(raw).items():
        for sentence in prose_sentences(text) if prose else line_sentences(text.split("\n")):
            known = {"sentence": sentence, "document": document, "language": config.partition("-")[0]}
            rows.setdefault(sentence.casefold(), {"id": f"{config}-{len(rows):06d}", **known})
    return Converted([*rows.values()])


def _config(name: str, origin: Origin, *, prose: bool, licence: str, refusal: str = "") -> Config:
    return Config(
        name=name,
        splits={"train": origin},
        convert=partial(_converted, prose, name),
        schema=partial(columns_schema, "id", "sentence", "document", "language"),
        licence=licence,
        rights="Dedicated to the public domain by the makers of the package. The card says whose texts it contains"
        if licence == "cc0-1.0"
        else "The card says what is known of whose texts these are",
        refusal=refusal,
    )


RECORD = describe_dataset(
    "context_sentences",
    configs=(
        _config(
            "en-books",
            AssetTexts(asset="gutenberg-books", patterns=tuple(f"{book}.txt" for book in _PROSE)),
            prose=True,
            licence="cc0-1.0",
        ),
        _config(
            "en-addresses",
            AssetTexts(asset="state-of-the-union", patterns=("*.txt",)),
            prose=True,
            licence="cc0-1.0",
        ),
        _config(
            "en-encyclopaedia",
            AssetTexts(asset="encyclopaedia-lines", patterns=("english-s.txt",)),
            prose=False,
            licence="unknown",
            refusal=_NO_SOURCE,
        ),
        _config(
            "tr-encyclopaedia",
            AssetTexts(asset="encyclopaedia-lines", patterns=("turkish-s.txt",)),
            prose=False,
            licence="unknown",
            refusal=_NO_SOURCE,
        ),
    ),
)
"""Two collections of prose that may be published, and lower-cased lines in two languages that may not."""
