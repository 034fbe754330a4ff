"""Damaged results, pipes where files should be: an error, or a sane result."""

import pytest

from tests.hostile.damaged import keys, perform

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["pipe", "result"])
def test_damaged(kind, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    outcomes = {key: perform(key) for key in keys() if key.startswith(f"{kind}/")}
    assert {key: fault for key, (fault, _) in outcomes.items() if fault} == {}
    if kind == "result":
        assert {outcome for _, outcome in outcomes.values()} == {"result", "error"}
