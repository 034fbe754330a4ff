"""The folder that a run writes to, and the handling of results already in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..files import require_regular_or_absent
from .output import say

if TYPE_CHECKING:
    from ..experiments.executors import Executor
    from ..experiments.plan import Plan
    from ..experiments.run import RunSummary
    from ..experiments.store import Failure
    from ..experiments.worker import Outcome
    from ..result import Result


@dataclass(frozen=True)
class ResultsFolder:
    """The folder that a run writes to, and what it does with the results in it.

    Attributes:
        path: the folder.
        append: keep them.
        overwrite: replace them.
        record: record the answers of the models too.
    """

    path: Path
    append: bool = False
    overwrite: bool = False
    record: bool = False

    def check_free_for(self, plan: Plan) -> None:
        """Refuse a folder with results of other measurements, unless they are to be kept or replaced.

        Results whose recording was deleted are dropped, so that they are measured again.

        Raises:
            InputError: it is such a folder, or its file of results is no regular file.
        """
        from ..experiments.results_file import RESULTS_FILE
        from ..experiments.store import STORE_FILE, Store
        from ..experiments.unit import RECORDED
        from ..report.verify import SCORES_FILE

        file = require_regular_or_absent(self.path / RESULTS_FILE)
        has_store = (self.path / STORE_FILE).is_file()
        if not (self.append or self.overwrite):
            has_others = file.exists()
            if has_store:
                keys = plan.keys
                with Store(self.path, read_only=True) as store:
                    has_others = any(
                        u.key.removesuffix(RECORDED) not in keys for u in store.units(history=True)
                    )
            if has_others:
                raise InputError(
                    f"{file} exists: add --append to keep its results or --overwrite to replace them"
                )
        if self.record and not self.overwrite and has_store and not (self.path / SCORES_FILE).exists():
            with Store(self.path) as store:
                store.drop(plan.with_recording().units)

    def measure(
        self, plan: Plan, executor: Executor | None, on_unit: Callable[[Outcome], None]
    ) -> RunSummary:
        """Measure what the folder does not have.

        The first result of a run that replaces takes the recording of the replaced results away.
        """
        from ..experiments.run import run_grid
        from ..report.verify import SCORES_FILE, Recorder, RecordingStore, discard_recording

        scores = RecordingStore(self.path / SCORES_FILE, replace=self.overwrite) if self.record else None

        def after_unit(outcome: Outcome) -> None:
            replaced = outcome.kind == "measured" and self.overwrite and not self.record
            if replaced and discard_recording(self.path / SCORES_FILE):
                say(f"note: removed {SCORES_FILE}, which belonged to the replaced results", err=True)
            on_unit(outcome)

        try:
            return run_grid(
                plan, self.path, executor=executor, on_unit=after_unit, replace=self.overwrite,
                recorder=None if scores is None else Recorder(scores),
            )  # fmt: skip
        except KeyboardInterrupt:
            say("stopped: the results are kept, and the same command continues from there", err=True)
            raise

    def results_of(self, plan: Plan) -> dict[str, Result]:
        """The stored results of a plan, by the keys of its units, in their order."""
        from ..experiments.store import STORE_FILE, Store
        from ..experiments.unit import RECORDED

        if not (self.path / STORE_FILE).is_file():
            return {}
        with Store(self.path, read_only=True) as store:
            stored = {unit.key: result for unit, result in store.in_order(history=True)}
        ends = (RECORDED,) if self.record else (RECORDED, "")
        keys = [next((u.key + end for end in ends if u.key + end in stored), "") for u in plan.units]
        return {key: stored[key] for key in keys if key}

    def settled(self, plan: Plan) -> int:
        """How many units of a plan have a result, or a model that does not fit."""
        from ..experiments.store import STORE_FILE, Store

        if self.overwrite or not (self.path / STORE_FILE).is_file():
            return 0
        units = plan.with_recording().units if self.record else plan.units
        with Store(self.path, read_only=True) as store:
            return sum(state in ("measured", "unsuitable") for state in store.states(units).values())

    def failures_of(self, plan: Plan) -> list[Failure]:
        """The units of a plan without a result, in its order."""
        from ..experiments.store import Store
        from ..experiments.unit import RECORDED

        order = {key: i for i, key in enumerate(plan.keys)}
        with Store(self.path, read_only=True) as store:
            failures = [f for f in store.failures() if f.unit.key.removesuffix(RECORDED) in order]
        return sorted(failures, key=lambda failure: order[failure.unit.key.removesuffix(RECORDED)])
