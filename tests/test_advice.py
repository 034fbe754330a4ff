"""Messages advise what works, and things print as a person reads them."""

from __future__ import annotations

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import CoverageError, InputError, UnknownNameError
from tests.support.tiny_models import tiny_masked


@pytest.mark.parametrize(
    "options", [{"predictions": [1, 0]}, {"references": [1], "predictions": [1], "groups": ["a"]}]
)
def test_columns_that_are_given_as_options_are_told_their_place(options: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        eb.measure("tpr_gap", None, **options)
    assert "which is a column of its data: give rows, such as data=[{'predictions': …" in str(caught.value)
    assert len(str(caught.value)) <= 600


def test_what_is_neither_option_nor_column_is_told_as_before() -> None:
    with pytest.raises(InputError, match="did you mean 'level'"):
        eb.measure("tpr_gap", None, levle=0.9)


def test_prompts_in_other_languages_are_named() -> None:
    def silent(prompts: list[str]) -> list[str]:
        return prompts

    with pytest.raises(InputError, match="for 'it' add source='honest_templates'"):
        eb.measure("honest", silent, language="it")
    with pytest.raises(UnknownNameError, match="unknown language 'xx'"):
        eb.measure("honest", silent, language="xx")


def test_other_templates_are_advised_where_templates_are_the_cause() -> None:
    test = {"name": "toy", "targets_x": ["man", "zzxqy"], "targets_y": ["woman", "qqwvk"], "attributes_a": ["doctor"],
            "attributes_b": ["nurse"]}  # fmt: skip
    with pytest.raises(CoverageError) as caught:
        eb.measure("seat", tiny_masked("bert"), data=[test], templates=["This is {target}."])
    assert "is unknown to the tokenizer" in str(caught.value)
    assert "use words the model knows" in str(caught.value)
    assert "This is {target}.']" not in str(caught.value)


def test_a_corpus_prints_its_name() -> None:
    assert repr(eb.load_corpus(["one text", "and another"])) == "<Corpus 'corpus'>"
