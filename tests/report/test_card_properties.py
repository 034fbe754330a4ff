"""Whatever the card looks like: nothing outside the block changes, and a second run changes nothing at all."""

from __future__ import annotations

import re

import pytest
from huggingface_hub import RepoCard
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_bias.errors import CardError
from evaluate_bias.report.card import plan_card
from evaluate_bias.report.card.block import BEGIN, END
from tests.report.cards import random_card
from tests.report.samples import updated, weat_item, weat_result

RESULTS = [weat_result([weat_item(), weat_item("weat9", 0.3, p_holm=0.6)])]
CHANGED = [weat_result([weat_item(), weat_item("weat9", 0.25, p_holm=0.6)])]
CARDS = 400


def is_pure_insertion(before: str, after: str) -> bool:
    """Whether ``after`` is ``before`` with one stretch of text put in somewhere."""
    prefix = common(before, after)
    suffix = common(before[::-1], after[::-1])
    return prefix + suffix >= len(before) and len(after) > len(before)


def common(a: str, b: str) -> int:
    """Number of characters with which both begin."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def parts(card: str) -> tuple[str, str, str]:
    """What is before the block that was written, the block, and what is after it."""
    begin = re.search(re.escape(BEGIN) + r"(\r\n|\r|\n)\1#+ Social", card)
    assert begin is not None
    end = card.index(END, begin.start()) + len(END)
    return card[: begin.start()], card[begin.start() : end], card[end:]


def check(card: str) -> None:
    once = updated(card, RESULTS, model_index=False)
    assert updated(once, RESULTS, model_index=False) == once
    if card.strip():
        assert is_pure_insertion(card, once)
    before, block, after = parts(once)
    newline = block.removeprefix(BEGIN).partition("#")[0]
    newline = newline[: len(newline) // 2]
    assert not re.search(r"[\r\n]", block.replace(newline, ""))

    rewritten = updated(once, CHANGED, model_index=False)
    assert parts(rewritten)[0] == before
    assert parts(rewritten)[2] == after
    old, new = block.split(newline), parts(rewritten)[1].split(newline)
    assert len(old) == len(new)
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(changed) == 1, "the line of the table"
    assert all(line.startswith("| WEAT | ") for line in changed[0])


def check_with_index(card: str) -> None:
    plan = plan_card(card, RESULTS)
    once = plan.text
    again = plan_card(once, RESULTS)
    assert again.text == once
    assert not again.changed
    assert again.diff == ""
    # The YAML was edited, or a warning says why not.
    if not any("left alone" in w for w in plan.warnings):
        index = RepoCard(once).data.to_dict()["model-index"]
        values = [
            m["value"]
            for e in index
            for r in e["results"]
            for m in r.get("metrics") or ()
            if m.get("type") == "weat"
        ]
        assert values == [round(RESULTS[0].score, 6), 1.71, 0.3]
    rewritten = plan_card(once, CHANGED).text
    assert parts(rewritten)[2] == parts(once)[2]
    head_before, head_after = parts(once)[0].splitlines(), parts(rewritten)[0].splitlines()
    assert len(head_before) == len(head_after)
    assert all("value:" in a for a, b in zip(head_before, head_after, strict=True) if a != b)


@pytest.mark.slow
@pytest.mark.parametrize(
    "start", [0, *(pytest.param(start, marks=pytest.mark.nightly) for start in range(80, CARDS, 80))]
)
def test_mutated_cards(start):
    refused = 0
    for seed in range(start, start + 80):
        card = random_card(seed)
        try:
            check(card)
        except CardError:
            # Damage may have torn a quoted marker out of its code; nothing else is a reason to refuse a card.
            assert "evaluate-bias:" in card, f"seed {seed}"
            refused += 1
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {card!r}") from error
        else:
            if seed % 2 == 0:
                try:
                    check_with_index(card)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}, with model-index: {card!r}") from error
    assert refused < 15


@given(card=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=200))
@settings(max_examples=25, deadline=None)
def test_any_text(card):
    check(card)
    check_with_index(card)
