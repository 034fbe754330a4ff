"""Damaged cards and results, pipes where files should be: an error, or a card with nothing of its author's lost."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.hostile import cards
from tests.hostile.campaign import DEADLINE, MEMORY, Verdict, run_suite, shown

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> list[Verdict]:
    return run_suite("cards", tmp_path_factory.mktemp("cards"))


def test_how_many_how_long_how_much(verdicts: list[Verdict], capsys: pytest.CaptureFixture[str]) -> None:
    kinds = Counter(v.key.split("/")[0] for v in verdicts)
    seconds, peak = max(v.seconds for v in verdicts), max(v.peak for v in verdicts)
    with capsys.disabled():
        print(f"\n{dict(kinds)}: slowest {seconds:.1f} s, most memory {peak / 1e9:.2f} GB")
    assert len(verdicts) == len(cards.keys())
    assert seconds < DEADLINE
    assert peak < MEMORY
    assert all(
        {v.outcome for v in verdicts if v.key.startswith(kind)} >= {"result", "error"}
        for kind in ("card", "result")
    )


@pytest.mark.parametrize("kind", ["pipe", "lines", "result", "card"])
def test_damaged(kind: str, verdicts: list[Verdict]) -> None:
    failed = [v for v in verdicts if v.fault and v.key.startswith(f"{kind}/")]
    assert not failed, shown(failed)
