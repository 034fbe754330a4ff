"""The kinds of data that methods take: what columns they have, and who loads them.

A method names its kind and the columns it needs. Modules, pages and the command take everything else from here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = [
    "BEC_PRO",
    "GENDERED_WORDS",
    "LPBS_TESTS",
    "OCCUPATIONS",
    "OCCUPATION_TEST",
    "SEAT_TESTS",
    "SENTENCE_PAIRS",
    "STEREOSET",
    "WORD_LISTS",
    "WSV_WORDS",
    "Column",
    "DataKind",
]

Holds: TypeAlias = Literal["text", "number", "words", "sentence", "options", "ignored"]
"""What a column holds: a text, a number, a list of words, a sentence or its ready score, the options of an item (each a
sentence or its score, with a label); ``"ignored"`` for what may be passed along and plays no part."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a kind of data.

    Attributes:
        holds: see :data:`Holds`.
        text: what it is, in a few words.
        may_be_empty: whether an empty text is another thing than an absent one, as of a sentence.
    """

    holds: Holds
    text: str = ""
    may_be_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKind:
    """A kind of data.

    Attributes:
        name: its name; pages are chosen by it.
        loader: ``module:function`` that returns rows of this kind.
        options: options of the loader that choose the data.
        dataset: Hub id of the usual data set.
        columns: all columns by name.
    """

    name: str
    loader: str
    options: tuple[str, ...]
    dataset: str
    columns: Mapping[str, Column]

    def load(self) -> Callable[..., Any]:
        """Import and return the loader."""
        module, _, function = self.loader.partition(":")
        return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


_TEXT, _IGNORED = Column("text"), Column("ignored")
_TESTS: dict[str, Column] = {
    "name": Column("text", "a name for every test, one test per row"),
    "targets_x": Column("words", "first target words of every test"),
    "targets_y": Column("words", "second target words"),
    "attributes_a": Column("words", "first attribute words"),
    "attributes_b": Column("words", "second attribute words"),
    "language": Column("text", "language of the words, such as 'en'"),
    "title": Column("text", "what the test is about, for people"),
    **{f"{key}_label": Column("text", f"what the list {key} is called in tables") for key in "xyab"},
    "origin": Column("text", "where the lists come from"),
    **dict.fromkeys(("source", "licence", "bias_type", "notes"), _TEXT),
}

WORD_LISTS = DataKind(
    name="word_lists",
    loader="evaluate_bias.data.word_lists:load_word_lists",
    options=("source", "language", "tests"),
    dataset="bias/weat-word-lists",
    columns=_TESTS,
)
SEAT_TESTS = DataKind(
    name="word_lists",
    loader="evaluate_bias.data.seat_tests:load_seat_tests",
    options=("source", "language", "tests"),
    dataset="bias/weat-word-lists",
    columns=_TESTS,
)
LPBS_TESTS = DataKind(
    name="word_lists",
    loader="evaluate_bias.data.lpbs_tests:load_lpbs_tests",
    options=("source", "language", "tests"),
    dataset="bias/weat-word-lists",
    columns={
        **_TESTS,
        "plural_targets": Column("words", "the targets that are plural"),
        "singular_templates": Column("words", "templates of the singular targets"),
        "plural_templates": Column("words", "templates of the plural targets"),
    },
)
OCCUPATION_TEST = DataKind(
    name="one_test",
    loader="evaluate_bias.data.occupation_lists:load_occupation_test",
    options=("source", "language", "tests", "n_targets"),
    dataset="bias/professions",
    columns=_TESTS,
)
WSV_WORDS = DataKind(
    name="classed_words",
    loader="evaluate_bias.data.wsv_words:load_wsv_words",
    options=("source", "language", "statistic", "kinds"),
    dataset="bias/winogender-occupations",
    columns={
        "word": Column("text", "the words, protected ones and those to evaluate"),
        "group": Column("text", "class of a protected word, such as 'female'; empty for a word to evaluate"),
        "statistic": Column("number", "a number for every word to evaluate; None where there is none"),
        "statistic_label": Column("text", "what the statistic is"),
        **dict.fromkeys(("language", "source"), _TEXT),
    },
)
SENTENCE_PAIRS = DataKind(
    name="sentence_pairs",
    loader="evaluate_bias.data.sentence_pairs:load_sentence_pairs",
    options=("source", "language", "bias_types"),
    dataset="bias/crows-pairs",
    columns={
        "sent_more": Column("sentence", "the more stereotypical sentences, or their scores"),
        "sent_less": Column("sentence", "the less stereotypical sentences, or their scores"),
        "stereo_antistereo": Column(
            "text", "'stereo' or 'antistereo': whether a pair demonstrates or violates a stereotype"
        ),
        "bias_type": Column("text", "bias type of every pair, for the breakdown; may be empty"),
        "sent_more_par": Column(
            "sentence", "paraphrases of the more stereotypical sentences, or their scores"
        ),
        "sent_less_par": Column(
            "sentence", "paraphrases of the less stereotypical sentences, or their scores"
        ),
        "sent_more_par2": Column("sentence", "second paraphrases of the more stereotypical sentences"),
        "sent_less_par2": Column("sentence", "second paraphrases of the less stereotypical sentences"),
        "sent_more_ran": Column("sentence", "unrelated sentences for the more stereotypical ones"),
        "sent_less_ran": Column("sentence", "unrelated sentences for the less stereotypical ones"),
        "id": Column("text", "names of the pairs"),
        "exclude": Column("text", "true for a pair to leave out; it is listed"),
        **dict.fromkeys(("language", "origin"), _TEXT),
        **dict.fromkeys(("annotations", "anon_writer", "anon_annotators"), _IGNORED),
    },
)
STEREOSET = DataKind(
    name="stereoset",
    loader="evaluate_bias.data.stereoset:load_stereoset",
    options=("source", "task", "split", "language", "bias_types"),
    dataset="bias/stereoset",
    columns={
        "target": Column("text", "target term of every item"),
        "bias_type": Column("text", "bias type of every item, for the breakdown; may be empty"),
        "context": Column(
            "text", "context sentences; those of intrasentence items contain BLANK", may_be_empty=True
        ),
        "sentences": Column(
            "options",
            "three options per item, each with sentence (text or score) and gold_label: 'stereotype', "
            "'anti-stereotype' or 'unrelated'",
        ),
        "id": Column("text", "names of the items"),
        "task": Column("text", "'intrasentence' or 'intersentence'"),
        **dict.fromkeys(("language", "origin"), _TEXT),
        **dict.fromkeys(("labels", "harm"), _IGNORED),
    },
)
BEC_PRO = DataKind(
    name="bec_pro",
    loader="evaluate_bias.data.bec_pro:load_bec_pro",
    options=("language", "source"),
    dataset="bias/bec-pro",
    columns={
        "sentence": Column("text", "the sentences"),
        "person": Column("text", "the word for a person as it stands in each sentence"),
        "gender": Column("text", "its gender, 'female' or 'male'"),
        "profession": Column("text", "the profession as it stands in each sentence"),
        "profession_gender": Column(
            "text", "the group of the profession: 'female', 'male', or another such as 'balanced'"
        ),
        "template": Column("text", "what the sentences of one template have in common"),
        "pair": Column("text", "which words for a person belong together"),
        "profession_en": Column("text", "which forms of a profession belong together"),
        **dict.fromkeys(("id", "language"), _TEXT),
        **dict.fromkeys(
            ("person_start", "person_end", "profession_start", "profession_end"), Column("number")
        ),
    },
)
GENDERED_WORDS = DataKind(
    name="gendered_words",
    loader="evaluate_bias.data.professions:load_gendered_words",
    options=("language", "kinds", "source"),
    dataset="bias/gendered-words",
    columns={
        "female": Column("text", "words for women: names or nouns"),
        "male": Column("text", "their counterparts for men"),
        "kind": Column(
            "text",
            "'name', or what the nouns are: 'person', 'kinship', 'title' or 'role'; nouns get an article",
        ),
        "language": Column("text", "language of the words, which chooses the templates"),
        **dict.fromkeys(("origin", "source"), _IGNORED),
    },
)
OCCUPATIONS = DataKind(
    name="occupations",
    loader="evaluate_bias.data.professions:load_occupations",
    options=("source", "language"),
    dataset="bias/winogender-occupations",
    columns={
        "word": Column("text", "the occupations"),
        "women_bls": Column(
            "number", "share of women among those employed, in [0, 1]; None where it is not known"
        ),
        "women_bergsma": Column("number", "share of feminine mentions in text, in [0, 1]"),
        "language": Column("text", "language of the words, which chooses templates and pronouns"),
        **dict.fromkeys(("bls_year", "source"), _IGNORED),
    },
)
