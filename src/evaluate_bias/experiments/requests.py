"""Requests to models: how many a run will make, and the replies of servers, kept in its store."""

from __future__ import annotations

import contextlib
import sqlite3
import time
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import api
from ..errors import BiasError, BudgetError, CapabilityError, DataError
from ..files import parsed_json
from ..models.base import can
from ..models.endpoint.address import SERVED
from ..models.endpoint.counting import counting, stand_in_model
from ..models.endpoint.model import TOKENS, ServedModel
from ..models.load import load_model
from ..registry import METHODS
from .fitting import Cost, model_classes
from .grid_data import with_located_source
from .plan import ModelTask, Plan
from .store import Store, not_written, opened_for_reading, opened_for_writing, unzipped, zipped_json
from .unit import Unit

_PLANNING = 1
"""Requests by which a plan identifies the server."""
ASSUMED_RATE = 2.0
"""Requests a second of a model of which no rate was measured."""


@dataclass(frozen=True)
class Requests:
    """What a run will ask a model.

    Attributes:
        model: name of the model.
        number: most requests that are not answered yet, over all units: questions may have to be asked again and
            followed up.
        at_least: whether there are more, as these are only the first requests of a unit that has too many to be counted
            one by one.
        questions: requests that find out who answers and what the server can do. Every run sends them.
        reply_tokens: most tokens of all replies, including reasoning tokens.
        rate: requests a second.
        basis: where the rate is from: ``"earlier runs"``, ``"questions"`` to the server, or ``"assumed"``.
        costs: seconds of each unit by its key. For a served model that reasons, as if every reply were as long as
            allowed.
        rows: rows that a unit asks about, by its key, for the units that select some.
        problem: why they cannot be counted, or that they may be more than the limit allows, else empty.
    """

    model: str
    number: int = 0
    at_least: bool = False
    questions: int = 0
    reply_tokens: int = 0
    rate: float = ASSUMED_RATE
    basis: str = "assumed"
    costs: Mapping[str, Cost] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


def count_requests(
    plan: Plan, missing: Collection[str], store: Path | None, *, contact: bool = True
) -> list[Requests]:
    """Count the requests to each model that chats or is served over an API, and has units missing.

    Each unit is measured with placeholders for the replies that the store does not have. Equal requests count once.

    Args:
        plan: the plan.
        missing: keys of the units to be measured.
        store: the file of the store, if there is one.
        contact: ask servers what they can do, and count no request that the store has a reply to. If false, every
            server is assumed to chat and to return log-probabilities.
    """
    counts = []
    with contextlib.ExitStack() as closing:
        replies, rates = None, {}
        if store is not None:
            replies = closing.enter_context(contextlib.closing(StoredReplies(store, read_only=True)))
            rates = _measured_rates(store)
        for task in plan.tasks:
            is_served = task.spec.startswith(SERVED)
            units = [u for u in task.units if u.key in missing]
            if not is_served:
                asks = any(can(kind, "chats") for kind in model_classes(task.spec, task.options))
                units = [u for u in units if asks and METHODS[u.method].asks]
            if units:
                one = _count_requests(task, units, replies, contact=contact and is_served)
                rate = rates.get(task.name)
                counts.append(one if rate is None else replace(one, rate=rate, basis="earlier runs"))
    return [one for one in counts if one.number or one.questions or one.problem]


def _measured_rates(store: Path) -> dict[str, float]:
    """Return the requests per second of each model, over the results of a store."""
    with Store(store, read_only=True) as opened:
        seconds = {unit.key: took for unit, took in opened.seconds()}
        totals: dict[str, list[float]] = {}
        for unit, result in opened.results(rows=False):
            requests = result.details.get("requests")
            if isinstance(requests, Mapping) and unit.key in seconds:
                total = totals.setdefault(unit.model, [0.0, 0.0])
                total[0] += requests.get("asked", 0)
                total[1] += seconds[unit.key]
    return {model: number / took for model, (number, took) in totals.items() if number and took}


def _count_requests(
    task: ModelTask, units: Sequence[Unit], replies: StoredReplies | None, *, contact: bool
) -> Requests:
    rate, questions, limit, thinks, basis = ASSUMED_RATE, 0, None, False, "assumed"
    if contact:
        start = time.monotonic()
        try:
            served = load_model(task.spec, **task.options)
        except BiasError as error:
            return Requests(task.name, problem=str(error))
        assert isinstance(served, ServedModel)
        questions, limit, thinks = served.client.requests, served.client.max_requests, served.abilities.thinks
        if questions:
            rate = questions * served.client.concurrency / (time.monotonic() - start)
            basis = "questions"
        if replies is not None:
            served.client.cache = replies
        model, client = counting(served)
    else:
        model, client = stand_in_model(scores=task.spec.startswith(SERVED))
    costs: dict[str, Cost] = {}
    rows: dict[str, int] = {}
    for unit in units:
        before, before_tokens, cost_basis = client.requests, client.reply_tokens, "counted"
        client.rows = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                api.measure(unit.method, model, **with_located_source(unit.call, Path(task.folder)))
            except CapabilityError:
                cost_basis = "unfit"
                if not contact:
                    continue
            except BudgetError:
                cost_basis = "at least"
            except BiasError:  # the score of placeholders may be undefined
                pass
        length: float = client.requests - before
        if thinks:
            length = max(length, (client.reply_tokens - before_tokens) / TOKENS)
        costs[unit.key] = Cost(length / rate, cost_basis)
        if client.rows:
            rows[unit.key] = client.rows
    number, problem = client.requests, ""
    if limit is not None and questions + number > limit:
        problem = f"a run may stop at {limit} requests: raise max_requests, or measure fewer rows with limit"
    return Requests(
        task.name, number, client.at_least, questions + _PLANNING * contact, client.reply_tokens, rate, basis,
        costs, rows, problem,
    )  # fmt: skip


class StoredReplies:
    """A :class:`~evaluate_bias.models.endpoint.client.RequestCache` in the file of a store.

    Several processes may keep replies in one file, next to the store itself.

    Args:
        path: the file of the store.
        read_only: keep nothing. The file must be there.

    Raises:
        OutputError: the file cannot be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     replies = StoredReplies(Path(folder, "results.sqlite"))
        ...     replies["key"] = {"content": {}}
        ...     replies.get("key"), replies.get("other")
        ...     replies.close()
        ({'content': {}}, None)
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._db = opened_for_reading(path) if read_only else opened_for_writing(path)

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return the reply to a request, ``None`` if it is missing or damaged."""
        try:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else dict(parsed_json(unzipped(row[0]), "a reply", allow_nan=True))
        except (sqlite3.Error, DataError, TypeError, ValueError):
            return None

    def __setitem__(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply. On return it outlives this process.

        Raises:
            OutputError: it cannot be written.
        """
        try:
            self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, zipped_json(reply)))
        except sqlite3.Error as error:
            raise not_written(self._path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()
