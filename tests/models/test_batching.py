"""The planner, without any tensor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.errors import ModelError
from evaluate_bias.models.batching import (
    MAX_PADDING,
    BatchRunner,
    plan_batches,
)

LENGTHS = st.lists(st.integers(1, 60), max_size=80)


@given(LENGTHS, st.integers(1, 300))
def test_batches_hold_everything_once_fit_run_from_long_to_short_and_are_hardly_padded(lengths, budget):
    batches = plan_batches(lengths, budget)
    flat = [p for batch in batches for p in batch]
    assert sorted(flat) == list(range(len(lengths)))
    assert [lengths[p] for p in flat] == sorted(lengths, reverse=True)
    for batch in batches:
        padded = len(batch) * max(lengths[p] for p in batch)
        assert padded <= budget or len(batch) == 1
        if 2 * padded * (len(batch) - 1) / len(batch) >= budget:  # more than half full without the last one
            assert padded - sum(lengths[p] for p in batch) <= MAX_PADDING * padded


@given(LENGTHS, st.integers(1, 300), st.randoms(use_true_random=False))
def test_results_come_back_in_the_callers_order(lengths, budget, rng):
    names = [f"{i}:{length}" for i, length in enumerate(lengths)]
    rng.shuffle(names)
    runner = BatchRunner(budget)
    assert runner.run([int(n.split(":")[1]) for n in names], lambda batch: [names[i] for i in batch]) == names


class Memory:
    """A machine on which a batch of more than ``limit`` tokens does not fit."""

    def __init__(self, lengths: list[int], limit: int, error: BaseException) -> None:
        self.lengths, self.limit, self.error = lengths, limit, error
        self.failed: list[int] = []
        self.scored: list[int] = []

    def __call__(self, batch: list[int]) -> list[int]:
        tokens = len(batch) * max(self.lengths[i] for i in batch)
        if tokens > self.limit:
            self.failed.append(tokens)
            raise self.error
        self.scored += batch
        return [10 * i for i in batch]


class OutOfMemoryError(RuntimeError):
    """Named as torch's."""


@pytest.mark.parametrize(
    "error",
    [
        OutOfMemoryError("no room"),
        RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        MemoryError(),
    ],
)
def test_out_of_memory_halves_the_budget_and_goes_on(error):
    lengths = [5, 10, 10, 10, 10, 3, 3, 3]
    memory = Memory(lengths, 20, error)
    freed = []
    runner = BatchRunner(64, free_memory=lambda: freed.append(1))
    assert runner.run(lengths, memory) == [10 * i for i in range(8)]
    assert memory.failed == [50]  # four of 10 and one of 5, padded; half of 50 leaves room for two of 10
    assert runner.budget == 25
    assert len(freed) == 1
    assert sorted(memory.scored) == list(range(8))  # nothing was computed twice
    assert runner.run(lengths, memory) == [10 * i for i in range(8)]
    assert memory.failed == [50]  # the smaller budget is kept


def test_a_budget_for_one_run_never_exceeds_the_runners_own():
    sizes: list[int] = []
    runner = BatchRunner(16)
    runner.run([8] * 4, lambda batch: [sizes.append(len(batch))] * len(batch), budget=1000)
    assert sizes == [2, 2]
    sizes.clear()
    runner.run([8] * 4, lambda batch: [sizes.append(len(batch))] * len(batch), budget=8)
    assert sizes == [1, 1, 1, 1]
    assert runner.budget == 16


def test_one_sequence_that_does_not_fit_is_a_clear_error():
    with pytest.raises(ModelError, match="40 tokens does not fit into memory even on its own"):
        BatchRunner(64).run([40, 3], Memory([40, 3], 20, MemoryError()))
