"""What several data sets share: rights and caveats, and configurations made of packaged rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..dataset_record import Config
from ..kinds import DataKind
from ..origins import PackagedFile
from ..table_files import packaged_languages

BEC_PRO_RIGHTS = (
    "Marion Bartl, Malvina Nissim and Albert Gatt: BEC-Pro, https://github.com/marionbartl/gender-bias-BERT"
)
BEC_PRO = ("cc-by-4.0", BEC_PRO_RIGHTS)
WINOGENDER = ("mit", "Copyright (c) 2018 Rachel Rudinger")
BIAS_FRAMEWORK = ("apache-2.0", "The makers of the BIAS Detection Framework")
BIASHANDLER = ("nicolaMaddalozzo/biashandler", "4b19a7ee339308b16f0e1f65c8d48d08ac3bd125")
"""The repository of Maddalozzo's thesis (2023), pinned."""
BLODGETT = (
    "Blodgett et al. (2021) found that many pairs of CrowS-Pairs and StereoSet do not isolate a stereotype: unclear "
    "contrasts, wrong groups, several changes at once. A score on them inherits these flaws."
)


def no_licence(repository: str) -> str:
    """Return why nothing of a repository is published again."""
    return (
        f"its repository {repository} states no licence. It was built on this machine for measuring only. Ask its "
        "authors before you pass it on."
    )


def packaged_configs(
    name: str,
    kind: DataKind,
    parts: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType({}),
    **facts: Any,
) -> tuple[Config, ...]:
    """Make one configuration per packaged language. ``parts`` says what others made in a file, by language."""
    return tuple(
        Config(
            name=language,
            splits={"test": PackagedFile(path=f"{name}/{language}.jsonl")},
            schema=kind,
            parts=parts.get(language, ()),
            **{"licence": "apache-2.0", **facts},
        )
        for language in packaged_languages(name)
    )
