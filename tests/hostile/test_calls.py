"""Bad calls in Python and through the evaluate module: an error of ours, or a sane result.

What fails is shown with its key: ``python -m tests.hostile.calls KEY`` makes that call again.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from evaluate_bias.errors import InputError
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result
from tests.hostile import calls

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [*METHODS, "-"])
def test_bad_calls(name, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    outcomes = {key: calls.perform(key) for key in calls.keys(name)}
    assert [f"{key} ({said}): {fault}" for key, (said, fault, _) in outcomes.items() if fault] == []
    assert "error" in {outcome for *_, outcome in outcomes.values()}


# --- the contract itself ---------------------------------------------------------------------------------------


def result(**changes: Any) -> Result:
    known = {
        "method": "weat",
        "score": 0.5,
        "score_range": (-2, 2),
        "direction": "two_sided",
        "ideal": 0,
        "n": 4,
    }
    return Result(**{**known, **changes})


def told(text: str) -> InputError:
    """An error whose text was not seen to by its class."""
    error = InputError()
    error.args = (text,)
    return error


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (InputError("n must be an integer"), ""),
        (result(), ""),
        (result(p_value=0.5, ci_low=0.1, ci_high=0.6).to_flat_dict(), ""),
        (ValueError("n must be an integer"), "raw ValueError"),
        (MemoryError(), "raw MemoryError"),
        (told("x " * 301), "message of 602"),
        (told("two lines\nare not one"), "message with"),
        (told("a word \u202ereversed in it"), "message with"),
        (told("no \ud800 in text"), "message with"),
        (told("bad"), "no sentence"),
        (result(score=3.0), "outside"),
        ({**result().to_flat_dict(), "p_value": 1.5}, "p_value = 1.5"),
        ({**result().to_flat_dict(), "ci_low": 0.6, "ci_high": 0.1}, "interval"),
        ({**result().to_flat_dict(), "weat": math.nan}, "NaN"),
        ({**result().to_flat_dict(), "warnings": ["\ud800"]}, "no JSON"),
        (5, "a int came back"),
    ],
    ids=str,
)
def test_the_contract_tells_good_from_bad(outcome, fault):
    assert fault in calls.fault_of(outcome)
    assert bool(fault) == bool(calls.fault_of(outcome))


def test_a_key_is_always_the_same_call():
    keys = [key for method in METHODS for key in calls.keys(method)]
    assert calls.draw(keys[0]).said == calls.draw(keys[0]).said
    assert len({calls.draw(key).said for key in keys}) > 350
