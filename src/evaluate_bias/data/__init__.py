"""Data of the methods: word lists, sentence pairs, templates, contexts, and the fetcher of files from outside.

The names here are loaded on first use, so that importing the package does not import pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        bec_pro,
        contexts,
        grammar,
        professions,
        recipes,
        schemas,
        sentence_pairs,
        stereoset,
        templates,
        word_lists,
    )
    from .bec_pro import BecProRow, load_bec_pro
    from .contexts import Context, ContextSet, load_contexts, load_sentences
    from .grammar import Word
    from .pair_schemas import SentencePair, StereoSetItem
    from .professions import (
        GenderedPair,
        Occupation,
        Profession,
        load_gendered_words,
        load_occupations,
        load_professions,
    )
    from .recipes import dataset_names, get_dataset
    from .row_set import RowSet
    from .schemas import WordListTest
    from .sentence_pairs import SentencePairSet, load_sentence_pairs
    from .stereoset import StereoSet, load_stereoset
    from .template import Filled, Template, parse_template
    from .templates import TemplateSet, load_templates, template_languages, template_sets
    from .word_lists import WordListSet, load_word_lists

__all__ = [
    "BecProRow",
    "Context",
    "ContextSet",
    "Filled",
    "GenderedPair",
    "Occupation",
    "Profession",
    "RowSet",
    "SentencePair",
    "SentencePairSet",
    "StereoSet",
    "StereoSetItem",
    "Template",
    "TemplateSet",
    "Word",
    "WordListSet",
    "WordListTest",
    "bec_pro",
    "recipes",
    "contexts",
    "dataset_names",
    "get_dataset",
    "grammar",
    "load_bec_pro",
    "load_contexts",
    "load_gendered_words",
    "load_occupations",
    "load_professions",
    "load_sentence_pairs",
    "load_sentences",
    "load_stereoset",
    "load_templates",
    "load_word_lists",
    "parse_template",
    "professions",
    "schemas",
    "sentence_pairs",
    "stereoset",
    "template_languages",
    "template_sets",
    "templates",
    "word_lists",
]

_HOME = {
    name: module
    for module, names in {
        "bec_pro": "BecProRow load_bec_pro",
        "contexts": "Context ContextSet load_contexts load_sentences",
        "grammar": "Word",
        "pair_schemas": "SentencePair StereoSetItem",
        "professions": "GenderedPair Occupation Profession load_gendered_words load_occupations load_professions",
        "recipes": "dataset_names get_dataset",
        "row_set": "RowSet",
        "schemas": "WordListTest",
        "sentence_pairs": "SentencePairSet load_sentence_pairs",
        "stereoset": "StereoSet load_stereoset",
        "template": "Filled Template parse_template",
        "templates": "TemplateSet load_templates template_languages template_sets",
        "word_lists": "WordListSet load_word_lists",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_HOME.get(name, name)}", __name__)
    value = getattr(module, name) if name in _HOME else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
