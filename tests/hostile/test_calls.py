"""Over a thousand bad calls through the three doors: an error of ours, or a sane result; no hang, no flood of memory.

What fails is shown with its key: ``python -m tests.hostile.calls KEY`` makes that call again.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.errors import InputError
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result
from tests.hostile import calls
from tests.hostile.campaign import DEADLINE, MEMORY, Verdict, campaign, run_suite, shown

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> list[Verdict]:
    return run_suite("calls", tmp_path_factory.mktemp("calls"))


def test_how_many_how_long_how_much(verdicts: list[Verdict], capsys: pytest.CaptureFixture[str]) -> None:
    doors = Counter(v.key.split("/")[1] for v in verdicts)
    seconds, peak = max(v.seconds for v in verdicts), max(v.peak for v in verdicts)
    work = sum(v.work for v in verdicts)
    with capsys.disabled():
        print(
            f"\n{len(verdicts)} bad calls ({', '.join(f'{n} {door}' for door, n in doors.items())}), "
            f"{sum(v.outcome == 'error' for v in verdicts)} errors, slowest {seconds:.1f} s, "
            f"most memory {peak / 1e9:.2f} GB, {work:.0f} s of processor time"
        )
    assert len(verdicts) >= 1000
    assert {v.key.split("/")[0] for v in verdicts} == {*METHODS, "-"}
    assert min(doors.values()) >= 300
    assert seconds < DEADLINE
    assert peak < MEMORY
    assert min(Counter(v.outcome for v in verdicts).get(kind, 0) for kind in ("error", "result")) > 50


@pytest.mark.parametrize("name", [*METHODS, "-"])
def test_bad_calls(name: str, verdicts: list[Verdict]) -> None:
    failed = [v for v in verdicts if v.fault and v.key.startswith(f"{name}/")]
    assert not failed, shown(failed)


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
        (InputError("n must be a whole number"), ""),
        (result(), ""),
        (result(p_value=0.5, ci_low=0.1, ci_high=0.6).to_flat_dict(), ""),
        (ValueError("n must be a whole number"), "raw ValueError"),
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
        ({"exit": 1, "out": "", "err": "error: there is no such model\n", "results": None}, ""),
        ({"exit": 2, "out": "", "err": "Usage: …", "results": None}, ""),
        ({"exit": 1, "out": "", "err": "", "results": None}, "without an error"),
        ({"exit": 0, "out": "", "err": "", "results": None}, "without results"),
        ({"exit": 1, "out": "", "err": "Traceback (most recent call last):", "results": None}, "traceback"),
        ({"exit": 70, "out": "", "err": "error: a b c", "results": None}, "exit code 70"),
    ],
    ids=str,
)
def test_the_contract_tells_good_from_bad(outcome: Any, fault: str) -> None:
    assert fault in calls.fault_of(outcome)
    assert bool(fault) == bool(calls.fault_of(outcome))


def _odd(key: str) -> tuple[str, str, str]:
    if key == "hangs":
        time.sleep(3600)
    if key == "dies":
        import os

        os._exit(3)
    if key == "floods":
        try:
            bytearray(2 * MEMORY)
        except MemoryError:
            return key, "raw MemoryError", "error"
    return key, "", "result"


def test_hangs_deaths_and_floods_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    found = {v.key: v.fault for v in campaign(["good", "dies", "floods", "fine"], _odd, str)}
    assert found == {
        "good": "",
        "fine": "",
        "dies": "the process died with code 3",
        "floods": "raw MemoryError",
    }
    hung = campaign(
        ["hangs"] * 3, _odd, str, deadline=0.5
    )  # alone: others may be slow for no fault of theirs
    assert [v.fault for v in hung] == ["no answer within 0.5 seconds"] * 3


def test_a_key_is_always_the_same_call() -> None:
    asked = calls.keys()
    key = asked[0]
    assert calls.draw(key).said == calls.draw(key).said
    assert len({calls.draw(key).said for key in asked}) > 700
