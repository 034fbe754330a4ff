"""Data of the methods: word lists, sentence pairs, templates, contexts, and the fetcher of files from outside.

The names here are loaded on first use, so that importing the package does not import pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bec_pro import BecProRow as BecProRow
    from .bec_pro import load_bec_pro as load_bec_pro
    from .contexts import Context as Context
    from .contexts import ContextSet as ContextSet
    from .contexts import load_contexts as load_contexts
    from .contexts import load_sentences as load_sentences
    from .grammar import Word as Word
    from .pair_schemas import SentencePair as SentencePair
    from .pair_schemas import StereoSetItem as StereoSetItem
    from .professions import GenderedPair as GenderedPair
    from .professions import Occupation as Occupation
    from .professions import Profession as Profession
    from .professions import load_gendered_words as load_gendered_words
    from .professions import load_occupations as load_occupations
    from .professions import load_professions as load_professions
    from .recipes import dataset_names as dataset_names
    from .recipes import get_dataset as get_dataset
    from .row_set import RowSet as RowSet
    from .schemas import WordListTest as WordListTest
    from .sentence_pairs import SentencePairSet as SentencePairSet
    from .sentence_pairs import load_sentence_pairs as load_sentence_pairs
    from .stereoset import StereoSet as StereoSet
    from .stereoset import load_stereoset as load_stereoset
    from .template import Filled as Filled
    from .template import Template as Template
    from .template import parse_template as parse_template
    from .templates import TemplateSet as TemplateSet
    from .templates import load_templates as load_templates
    from .templates import template_languages as template_languages
    from .templates import template_sets as template_sets
    from .word_lists import WordListSet as WordListSet
    from .word_lists import load_word_lists as load_word_lists

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
    """A name of this package, or one of its modules."""
    path = f"{__name__}.{_HOME.get(name, name)}"
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(module, name) if name in _HOME else module


def __dir__() -> list[str]:
    return sorted(_HOME)
