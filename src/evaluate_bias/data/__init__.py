"""Data of the methods: word lists, sentence pairs, templates, contexts, and the fetcher of files from outside.

The names here are loaded on first use, so that importing the package does not import pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contexts import load_contexts as load_contexts
    from .contexts import load_sentences as load_sentences
    from .grammar import Word as Word
    from .recipes import get_dataset as get_dataset
    from .sentence_pairs import SentencePair as SentencePair
    from .sentence_pairs import load_sentence_pairs as load_sentence_pairs
    from .stereoset import load_stereoset as load_stereoset
    from .templates import load_bec_pro as load_bec_pro
    from .templates import load_templates as load_templates
    from .templates import parse_template as parse_template
    from .word_lists import load_word_lists as load_word_lists
    from .words import load_gendered_words as load_gendered_words
    from .words import load_occupations as load_occupations
    from .words import load_professions as load_professions

_HOME = {
    name: module
    for module, names in {
        "contexts": "load_contexts load_sentences",
        "grammar": "Word",
        "recipes": "get_dataset",
        "sentence_pairs": "SentencePair load_sentence_pairs",
        "stereoset": "load_stereoset",
        "templates": "load_bec_pro load_templates parse_template",
        "word_lists": "load_word_lists",
        "words": "load_gendered_words load_occupations load_professions",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Return a name of this package, or one of its modules."""
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
