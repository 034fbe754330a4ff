"""What a worker does, wherever it runs: load one model and measure its units, one after the other."""

from __future__ import annotations

import dataclasses
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from .. import api
from ..errors import CapabilityError
from ..models.engine import TransformerModel
from ..models.load import load_model
from ..models.score_memo import ScoreMemo
from ..result import Result
from .grid_data import located
from .identity import NO_MODEL
from .plan import ModelTask
from .unit import Unit

__all__ = ["Outcome", "Task", "measured_units"]


@dataclasses.dataclass(frozen=True, slots=True)
class Task:
    """The units to measure on one model, in order, and the scores of those that were measured before.

    Attributes:
        model: the model; its units are those that are still missing.
        scores: what ``ScoreMemo.commit`` gave after each unit that has been measured.
    """

    model: ModelTask
    scores: tuple[bytes, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a unit.

    Attributes:
        unit: the unit.
        kind: ``"measured"``, ``"unsuitable"`` (the model cannot do what the method needs) or ``"failed"``.
        result: the result, as JSON; empty where there is none.
        reason: why there is none.
        trace: the traceback of a failure, for the log.
        seconds: how long it took, the load of the model left out.
        scores: the scores that later units of this model take over.
        notes: warnings of libraries, for the log.
    """

    unit: Unit
    kind: Literal["measured", "unsuitable", "failed"]
    result: str = ""
    reason: str = ""
    trace: str = ""
    seconds: float = 0.0
    scores: bytes = b""
    notes: tuple[str, ...] = ()


def measured_units(task: Task) -> Iterator[Outcome]:
    """Measure the units of a task and yield what became of each at once; one that raises does not stop the others."""
    model = task.model
    try:
        loaded = None if model.spec == NO_MODEL else load_model(model.spec, **model.options)
        if isinstance(loaded, TransformerModel):
            loaded.memo = ScoreMemo()
            for chunk in task.scores:
                loaded.memo.restore(chunk)
    except Exception as error:
        reason = f"loading {model.name}: {_said(error)}"
        trace = traceback.format_exc()
        for unit in model.units:
            yield Outcome(unit=unit, kind="failed", reason=reason, trace=trace)
        return
    for unit in model.units:
        yield _measured(unit, loaded, model)


def _measured(unit: Unit, loaded: Any, model: ModelTask) -> Outcome:
    memo = getattr(loaded, "memo", None)
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            result = _result(unit, loaded, model)
        except Exception as error:
            if memo is not None:
                memo.rollback()
            unsuitable = isinstance(error, CapabilityError)
            kind: Literal["unsuitable", "failed"] = "unsuitable" if unsuitable else "failed"
            trace = "" if kind == "unsuitable" else traceback.format_exc()
            return Outcome(
                unit=unit, kind=kind, reason=_said(error), trace=trace, seconds=time.perf_counter() - start
            )
    return Outcome(
        unit=unit,
        kind="measured",
        result=result.to_json(),
        seconds=time.perf_counter() - start,
        scores=b"" if memo is None else memo.commit(),
        notes=tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)),
    )


def _result(unit: Unit, loaded: Any, model: ModelTask) -> Result:
    options = located(unit.call, Path(model.folder))
    result = api.measure(unit.method, loaded, **options)
    facts = dict(result.provenance)
    facts["model"] = {**facts["model"], "name": model.name}
    return dataclasses.replace(result, provenance=facts)


def _said(error: BaseException) -> str:
    return str(error) or type(error).__name__
