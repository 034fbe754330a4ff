"""The kinds of data that methods accept: what each is called, who loads it, and which data set is usual for it.

The schema of a kind says what a row looks like. It is imported when it is asked for, so that this module imports no
pydantic. A new kind of data is a schema with its loader in a module of this package, and a line here.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..paths import hub_id

if TYPE_CHECKING:
    from .schemas import Column, Schema


@dataclass(frozen=True, slots=True)
class DataKind:
    """A kind of data.

    Attributes:
        name: its name. Pages are chosen by it.
        loader: ``module:function`` of this package that returns rows of this kind.
        dataset: Hub id of the usual data set, empty if none exists.
        sample: the packaged data that are read if no source is named, unless they are the usual data set.
    """

    name: str
    loader: str
    dataset: str = ""
    sample: str = ""

    def load(self) -> Callable[..., Any]:
        """Import and return the loader."""
        module, _, function = self.loader.partition(":")
        return getattr(importlib.import_module(f".{module}", __package__), function)  # type: ignore[no-any-return]

    @property
    def schema(self) -> type[Schema]:
        """What a row is."""
        return self.load().schema  # type: ignore[attr-defined, no-any-return]

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns of a row by name."""
        return self.schema.columns()

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the loader, which choose the data."""
        return tuple(inspect.signature(self.load()).parameters)


WORD_LISTS = DataKind("word_lists", "word_lists:load_word_lists", hub_id("weat-word-lists"))
SEAT_TESTS = DataKind("word_lists", "word_lists:load_seat_tests", hub_id("weat-word-lists"))
LPBS_TESTS = DataKind("word_lists", "word_lists:load_lpbs_tests", hub_id("weat-word-lists"))
GUISE_TESTS = DataKind("word_lists", "word_lists:load_guise_tests", hub_id("matched-guises"))
ASSOCIATION_TESTS = DataKind(
    "association_tests", "word_lists:load_association_tests", hub_id("word-association-tests")
)
DECISION_TESTS = DataKind(
    "decision_tests", "word_lists:load_decision_tests", hub_id("relative-decision-tests")
)
OCCUPATION_TEST = DataKind("occupation_test", "word_lists:load_occupation_test", hub_id("professions"))
WSV_WORDS = DataKind("classed_words", "words:load_wsv_words", hub_id("winogender-occupations"))
GENDERED_WORDS = DataKind("gendered_words", "words:load_gendered_words", hub_id("gendered-words"))
OCCUPATIONS = DataKind("occupations", "words:load_occupations", hub_id("winogender-occupations"))
PROFESSIONS = DataKind("professions", "words:load_professions", hub_id("professions"))
ANALOGIES = DataKind("analogy_questions", "words:load_analogies", hub_id("analogy-pairs"))
SENTENCE_PAIRS = DataKind("sentence_pairs", "sentence_pairs:load_sentence_pairs", hub_id("crows-pairs"))
PARAPHRASED_PAIRS = DataKind("sentence_pairs", "sentence_pairs:load_sentence_pairs", hub_id("minimal-pairs"))
PRONOUN_PAIRS = DataKind("pronoun_pairs", "sentence_pairs:load_pronoun_pairs", hub_id("winobias"))
STEREOSET = DataKind("stereoset", "stereoset:load_stereoset", hub_id("stereoset"))
TOKEN_SETS = DataKind("token_sets", "stereoset:load_token_sets", hub_id("stereoset"))
GENDER_STEREOTYPES = DataKind(
    "gender_stereotypes", "gender_stereotypes:load_gender_stereotypes", hub_id("eurogest"), "gest_style"
)
BBQ = DataKind("bbq", "bbq:load_bbq", hub_id("bbq"))
TEMPLATES = DataKind("templates", "templates:load_templates", hub_id("bias-templates"))
BEC_PRO = DataKind("bec_pro", "templates:load_bec_pro", hub_id("bec-pro"))
COMPLETIONS = DataKind("completions", "prompts:load_completion_prompts", hub_id("honest-templates"))
GROUP_PROMPTS = DataKind("group_prompts", "prompts:load_group_prompts")
DECISIONS = DataKind("decisions", "prompts:load_decisions")
PREDICTIONS = DataKind("predictions", "predictions:load_predictions", hub_id("profession-bios-mini"))
PROFESSION_BIOS = DataKind(
    "profession_bios", "predictions:load_profession_bios", hub_id("profession-bios-mini")
)
ENTAILMENT_PAIRS = DataKind("entailment_pairs", "predictions:load_entailment_pairs")
SCORES = DataKind("scores", "predictions:load_scores")
