"""What the demonstration measures: every method on vectors and on texts, found by what they need."""

from __future__ import annotations

import pytest

from evaluate_bias.assets import get_asset
from evaluate_bias.demo import CORPUS, PLAN, methods_that_need
from evaluate_bias.options import checked_options
from evaluate_bias.registry import METHODS


def test_every_method_on_vectors_and_on_texts_is_measured() -> None:
    measured = {(model, name) for model, _, methods in PLAN for name, _ in methods}
    for record in METHODS.values():
        if record.needs == ("embeds words",):
            assert ("glove-6b-50d", record.name) in measured
        if record.needs == ("counts words",):
            assert (CORPUS, record.name) in measured


def test_options_are_those_of_the_methods_named() -> None:
    chosen = dict(methods_that_need("counts words", pmi_bias={"window": 5}))
    assert chosen["pmi_bias"] == {"window": 5}
    assert chosen["frequency_bias"] == {}


@pytest.mark.parametrize("entry", PLAN, ids=lambda e: e[0])
def test_the_plan_can_be_carried_out(
    entry: tuple[str, str, tuple[tuple[str, dict[str, object]], ...]],
) -> None:
    name, _, methods = entry
    assert get_asset(name.removeprefix("corpus:"))
    for method, options in methods:
        record = METHODS[method]
        checked_options(options, {**record.options(), **record.data_choices()}, method)
