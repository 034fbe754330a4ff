"""The prompts of HONEST (Nozza et al. 2021, 2022): women and men in six languages, queer identities in English."""

from __future__ import annotations

from functools import partial

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import COMPLETIONS
from ...origins import RepositoryFile, checksums
from ...table_files import read_rows

BLANK = "[M]"
"""The mark that a prompt is completed at."""

_COMMIT = "6efc7817cbeb36e61bba51a34bbce13ecc8af69f"
_CONFIGS = ("en", "es", "fr", "it", "pt", "ro", "en-queer")
_FRAMES = 5
"""Every identity is in five sentences of each type, one after the other and in the same order for all."""


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
        sha256=checksums("honest_templates")[f"resources/{file}"],
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
        for config in _CONFIGS
    ),
)
"""One configuration a language, and ``en-queer``."""
