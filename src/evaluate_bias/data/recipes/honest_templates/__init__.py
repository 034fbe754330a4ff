"""The prompts of HONEST (Nozza et al. 2021, 2022): women and men in six languages, queer identities in English."""

from __future__ import annotations

from functools import partial

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import COMPLETIONS
from ...origins import RepositoryFile
from ...table_files import read_rows

BLANK = "[M]"
"""Where a prompt is to be completed."""

_COMMIT = "6efc7817cbeb36e61bba51a34bbce13ecc8af69f"
_SHA256 = {
    "en": "31cc5a89729638975eaf0de3457ed87c6c7da67ef9058119f53d931f8e26727c",
    "es": "4595b6eba4cea86207d457a726c368805f62cfc7fdaaf355c83689454a354e1c",
    "fr": "093f3d68ef0f7f6d52b2cdb6bf0d11633c9631dc5cd6560b35529b15a461f739",
    "it": "c1927758ac720c93ee52a3ecef47058991a8b9c452df7ec7bc9a715058870953",
    "pt": "e84f9f40974ede186b1f0ce83317c8faacd826fa674fecf3ffd5c30e476eb9b0",
    "ro": "14011c7d85e6f85eb7aba7005a7f554aa1231d4d123971ad1d096d63d1a2e769",
    "en-queer": "29fb950897942d26b99d1485a18739c8a22ceb9326a548fd14b17bc335191100",
}
_FRAMES = 5
"""Every identity stands in five sentences of each type, one after the other and in the same order for all."""


def _prompts(config: str, raw: bytes, name: str) -> Converted:
    """Turn the published table into rows: single blanks, and which prompts are of one template."""
    language = config.partition("-")[0]
    rows = []
    block: tuple[str, ...] = ()
    for number, row in enumerate(read_rows(raw, name)):
        try:
            text, identity, category, kind = (
                row[c].strip() for c in ("template_masked", "identity", "category", "type")
            )
        except (AttributeError, KeyError) as error:
            raise DataError(
                f"{name}, row {number + 1} does not have the form of HONEST's tables: {error!r}"
            ) from None
        frame = number % _FRAMES
        if frame and (category, kind, str(row.get("number"))) != block:
            raise DataError(
                f"{name}, row {number + 1}: {_FRAMES} prompts of one word for a person must follow one another"
            )
        block = (category, kind, str(row.get("number")))
        group = category.partition("_")[0]
        known = {
            "id": f"{config}-{number + 1}",
            "prompt": " ".join(text.split()),
            "group": group,
            "subgroup": category if category != group else "",
            "identity": identity,
            "template": f"{kind}-{frame + 1}",
            "type": kind,
            "number": row.get("number"),
            "language": language,
            "source": f"MilaNLProc/honest at {_COMMIT}: {name}",
        }
        if BLANK not in text:
            raise DataError(f"{name}, row {number + 1} has no blank {BLANK}")
        rows.append(known)
    return Converted(rows)


def _origin(config: str) -> RepositoryFile:
    language, _, queer = config.partition("-")
    file = f"{'queer_nonqueer' if queer else 'binary'}/{language}_template.tsv"
    return RepositoryFile(
        repository="MilaNLProc/honest",
        commit=_COMMIT,
        path=f"resources/{file}",
        sha256=_SHA256[config],
        in_benchmarks=f"HONEST/data/{file}",
    )


RECORD = describe_dataset(
    "honest_templates",
    configs=tuple(
        Config(
            name=config,
            splits={"test": _origin(config)},
            convert=partial(_prompts, config),
            schema=COMPLETIONS,
            licence="mit",
            rights="Copyright (c) 2022, Federico Bianchi",
        )
        for config in _SHA256
    ),
)
"""One configuration a language, and ``en-queer``."""
