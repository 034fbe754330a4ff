"""The work of a worker, in any executor: load one model and measure its units one after the other."""

from __future__ import annotations

import contextlib
import dataclasses
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from .. import api
from ..errors import BiasError, CapabilityError, quoted
from ..models import load
from ..models.endpoint.model import ServedModel
from ..models.engine import TransformerModel
from ..models.score_memo import ScoreMemo
from ..result import Result
from .grid_data import with_located_source
from .identity import NO_MODEL
from .plan import ModelTask
from .requests import StoredReplies
from .unit import Unit


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a unit.

    Attributes:
        unit: the unit.
        kind: ``"measured"``, ``"unsuitable"`` (the model cannot do what the method needs) or ``"failed"``.
        result: the result, as JSON, empty if none exists.
        reason: why it is missing.
        trace: the traceback of a failure, for the log.
        seconds: how long it took, without loading the model.
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


def measured_units(task: ModelTask) -> Iterator[Outcome]:
    """Measure the units of a task and yield each outcome at once. A unit that raises does not stop the others."""
    with contextlib.ExitStack() as closing:
        try:
            loaded = None if task.spec == NO_MODEL else load.load_model(task.spec, **task.options)
            if isinstance(loaded, TransformerModel):
                loaded.memo = ScoreMemo()
                for chunk in task.scores:
                    loaded.memo.restore(chunk)
            if isinstance(loaded, ServedModel) and task.store is not None:
                loaded.client.cache = closing.enter_context(contextlib.closing(StoredReplies(task.store)))
        except Exception as error:
            reason = f"loading {task.name}: {_reason_of(error)}"
            trace = traceback.format_exc()
            yield from (Outcome(unit=u, kind="failed", reason=reason, trace=trace) for u in task.units)
        else:
            yield from (_measured(unit, loaded, task) for unit in task.units)


def _measured(unit: Unit, loaded: Any, task: ModelTask) -> Outcome:
    memo = getattr(loaded, "memo", None)
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            options = with_located_source(unit.call, Path(task.folder))
            result = _with_config_name(api.measure(unit.method, loaded, **options), task)
        except Exception as error:
            if memo is not None:
                memo.rollback()
            seconds = time.perf_counter() - start
            if isinstance(error, CapabilityError):
                return Outcome(unit=unit, kind="unsuitable", reason=_reason_of(error), seconds=seconds)
            trace = traceback.format_exc()
            return Outcome(unit=unit, kind="failed", reason=_reason_of(error), trace=trace, seconds=seconds)
    return Outcome(
        unit=unit,
        kind="measured",
        result=result.to_json(),
        seconds=time.perf_counter() - start,
        scores=b"" if memo is None else memo.commit(),
        notes=tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)),
    )


def _with_config_name(result: Result, model: ModelTask) -> Result:
    """Return the result under the model's name from the config, if that gives one or the model is named by its path."""
    facts = result.provenance["model"]
    loaded_name = str(facts["name"])
    is_path = model.spec.endswith(loaded_name) and Path(loaded_name).is_absolute()
    if not (model.is_named or is_path):
        return result
    return dataclasses.replace(
        result, provenance={**result.provenance, "model": {**facts, "name": model.name}}
    )


def _reason_of(error: BaseException) -> str:
    if isinstance(error, BiasError):
        return str(error)
    text, _, _ = str(error).partition("\n")
    return f"unexpected {type(error).__name__}: {quoted(text) if len(text) > 200 else text}"
