"""``limit``: a part of the rows that has as many of every group that is compared."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.data import kinds
from evaluate_bias.data.row_set import choose_places
from evaluate_bias.data.schemas import Schema
from evaluate_bias.registry import METHODS


class Compared(Schema):
    compared: ClassVar = ("group",)

    group: str
    place: str


class Matched(Compared):
    within: ClassVar = ("place",)


def vectors_of(name: str) -> dict[str, Any]:
    words = {row.word for row in METHODS[name].load_data()}
    return {word: np.random.default_rng(list(word.encode())).normal(size=60) for word in sorted(words)}


@pytest.mark.parametrize("name", ["bec_pro", "gest", "wefat", "wsv"])
def test_a_method_on_groups_measures_twenty_rows(name: str) -> None:
    """The first twenty rows of their data are all of one profession, class or stereotype."""
    model = "demo-mlm-en" if name in ("bec_pro", "gest") else vectors_of(name)
    found = eb.measure(name, model, limit=20)
    n = len(METHODS[name].load_data())
    assert found.provenance["dataset"]["subset"] == f"20 of {n:,} rows"
    assert found.settings["limit"] == 20
    assert found.coverage.asked == 20
    assert found.n > 1


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=60), st.integers(1, 60))
def test_no_group_is_emptied_and_none_has_two_more_than_another(groups: list[str], limit: int) -> None:
    rows = [{"group": group, "place": str(i // 3)} for i, group in enumerate(groups)]
    places = choose_places(rows, Compared, limit)
    assert places == sorted(set(places)) == choose_places(rows, Compared, limit)
    assert len(places) == min(limit, len(rows))
    every, chosen = Counter(groups), Counter(groups[i] for i in places)
    if limit >= len(every):
        assert chosen.keys() == every.keys()
        assert choose_places(rows, Matched, limit) != []
        assert {groups[i] for i in choose_places(rows, Matched, limit)} == set(every)
    most = max(chosen.values())
    assert all(chosen[group] >= min(every[group], most - 1) for group in chosen)


def test_rows_that_belong_together_are_chosen_together() -> None:
    rows = [{"group": group, "place": str(i)} for group in "ab" for i in range(30)]
    for order in (rows, random.Random(0).sample(rows, len(rows))):
        for limit in (2, 7, 20):
            chosen = Counter(order[i]["place"] for i in choose_places(order, Matched, limit))
            assert set(chosen.values()) == {2}
            assert len(chosen) == limit // 2


def test_a_part_of_crossed_rows_is_crossed() -> None:
    """Sentences of BEC-Pro need every word in every template with every profession."""
    rows = METHODS["bec_pro"].load_data()
    for limit in (20, 130, 300, 1_500, 3_000):
        chosen = [rows[i] for i in choose_places(rows, kinds.BEC_PRO.schema, limit)]
        factors = [{getattr(row, key) for row in chosen} for key in ("template", "pair", "profession_en")]
        assert len(chosen) == 2 * np.prod([len(values) for values in factors])
        assert limit / 2 < len(chosen) <= limit


def test_rows_are_spread_over_the_data() -> None:
    rows = [{"group": "a"} for _ in range(1_000)]
    places = choose_places(rows, Compared, 50)
    assert max(np.diff([0, *places, 1_000])) <= 40
    assert len({i % 5 for i in places}) == 5


def test_every_method_has_its_groups_in_a_part_of_its_data() -> None:
    for record in METHODS.values():
        schema = record.data.schema
        assert {*schema.compared, *schema.within, *schema.crossed} <= {*schema.columns()}
