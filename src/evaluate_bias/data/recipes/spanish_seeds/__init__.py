"""Seed words for groups in Spanish: ours, packaged, and those of Maddalozzo's thesis, never published again."""

from __future__ import annotations

from functools import partial

from ....errors import DataError, quoted
from ....files import parsed_json
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import WORD_LISTS
from ...origins import RepositoryFile
from ...table_files import decoded
from .._shared import BIASHANDLER, packaged_configs

_GROUPS = {
    "gender": {"male": "espacio_m", "female": "espacio_f"},
    "religion": {"Christian": "christianity words", "Islamic": "islam words"},
}
_LEFT_ASIDE = ("profesiones_male", "profesiones_female", "islam", "pleasant 6", "unpleasant 6")
"""Lists that the thesis measures in neither case, as they repeat another or name a group."""


def _sets(bias_type: str, raw: bytes, name: str) -> Converted:
    """Make a test of every list that names no group, each word of it once, as the thesis does."""
    lists = parsed_json(decoded(raw, name, "utf-8"), name)
    groups = {key for pair in _GROUPS.values() for key in pair.values()}
    if not isinstance(lists, dict) or not groups <= lists.keys():
        raise DataError(f"{name} lacks the lists {', '.join(map(quoted, sorted(groups)))}")
    words = {
        key: tuple(dict.fromkeys(" ".join(word.split()) for word in list_words))
        for key, list_words in lists.items()
    }
    (x_label, x), (y_label, y) = _GROUPS[bias_type].items()
    tests = [
        {
            "name": key,
            "language": "es",
            "title": f"{key} with {x_label} and {y_label} words",
            "x_label": x_label,
            "y_label": y_label,
            "a_label": key,
            "targets_x": words[x],
            "targets_y": words[y],
            "attributes_a": list_words,
            "bias_type": bias_type,
            "origin": "thesis",
            "source": "Maddalozzo (2023), chapter 3",
            "licence": "none stated",
        }
        for key, list_words in words.items()
        if key not in groups and key not in _LEFT_ASIDE
    ]
    return Converted(tests)


RECORD = describe_dataset(
    "spanish_seeds",
    packaged=True,
    configs=(
        *packaged_configs("spanish_seeds", WORD_LISTS),
        *(
            Config(
                name=f"es-{bias_type}",
                splits={
                    "test": RepositoryFile(
                        repository=BIASHANDLER["repository"],
                        commit=BIASHANDLER["commit"],
                        path="data/seeds/dict_PMI_WE.json",
                        sha256="ff0f5e5f43e9d393f7a6679b07138fdc9d915fade040db56e57a8f9aae875a42",
                    )
                },
                convert=partial(_sets, bias_type),
                schema=WORD_LISTS,
                licence="unknown",
                rights="Nicola Maddalozzo: biashandler",
                refusal=BIASHANDLER["refusal"],
            )
            for bias_type in _GROUPS
        ),
    ),
)
"""The packaged lists, and two configurations of 30 tests that are built only when asked for."""
