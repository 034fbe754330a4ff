"""The languages of a model by its card, and the warning where the data are in another one."""

from __future__ import annotations

from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.models.source import card_languages
from tests.support.tiny_models import tiny_masked

FRONT = "---\nlanguage: {language}\nlicense: mit\n---\n# A model\n"


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        (FRONT.format(language="en"), {"en"}),
        (FRONT.format(language="[de-AT, EN_gb]"), {"de", "en"}),
        (FRONT.format(language="\n- en\n- multilingual"), set()),
        (FRONT.format(language="{a: 1}"), set()),
        (FRONT.format(language="[unclosed"), set()),
        ("---\n- a\n---\n", set()),
        ("# No front matter\n---\nlanguage: en\n---\n", set()),
        ("", set()),
    ],
)
def test_the_card_in_the_folder_says_so(bert_folder, card, languages):
    (bert_folder / "README.md").write_text(card, encoding="utf-8")
    assert card_languages(eb.load_model(bert_folder)) == languages


def test_nothing_is_known_of_a_model_in_memory_or_without_a_card(saved_bert):
    assert card_languages(eb.load_model(saved_bert)) == frozenset()
    assert card_languages(eb.load_model(tiny_masked("bert"))) == frozenset()


@pytest.mark.parametrize(("language", "warned"), [("de", True), ("en", False)])
def test_an_english_model_on_data_in_another_language_is_warned_of(bert_folder, language, warned):
    (bert_folder / "README.md").write_text(FRONT.format(language="en"), encoding="utf-8")
    options: dict[str, Any] = {"language": language, "max_missing": 1.0, "ci": "none", "p_method": "normal"}
    result = eb.measure("seat", str(bert_folder), tests="weat7", templates="none", **options)
    warning = f"the data are in '{language}', and the model is described"
    assert sum(w.startswith(warning) for w in result.warnings) == warned
