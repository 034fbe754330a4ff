"""Damaged cards and results, pipes where files should be: an error, or a card with nothing of its author's lost."""

import pytest

from tests.hostile.cards import keys, perform

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["pipe", "result", "card"])
def test_damaged(kind, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    outcomes = {key: perform(key) for key in keys() if key.startswith(f"{kind}/")}
    assert {key: fault for key, (fault, _) in outcomes.items() if fault} == {}
    if kind in ("card", "result"):
        assert {outcome for _, outcome in outcomes.values()} == {"result", "error"}
