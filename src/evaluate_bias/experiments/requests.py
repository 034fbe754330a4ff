"""Requests to the servers of models: how many a run will send, and their replies, kept in its store."""

from __future__ import annotations

import contextlib
import sqlite3
import time
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import api
from ..errors import BiasError, CapabilityError, DataError
from ..files import parsed_json
from ..models.endpoint.address import SERVED
from ..models.endpoint.counting import counting
from ..models.endpoint.model import ServedModel
from ..models.endpoint.probe import TOKENS
from ..models.load import load_model
from .fitting import Cost
from .grid_data import with_located_source
from .opening import not_written, opened_for_reading, opened_for_writing, unzipped, zipped_json
from .plan import ModelTask, Plan

_PLANNING = 1
"""Requests by which a plan identifies the server."""


@dataclass(frozen=True)
class Requests:
    """What a run will send to a server.

    Attributes:
        model: name of the model.
        number: most requests that are not answered yet, over all units: questions may have to be asked again.
        questions: requests that find out who answers and what the server can do; every run sends them.
        reply_tokens: most tokens of all replies, thoughts included.
        costs: seconds of each unit by its key, from how long the questions took; of a model that thinks, as if every
            reply filled its room.
        problem: why they cannot be counted, or that they may be more than the limit allows; else empty.
    """

    model: str
    number: int = 0
    questions: int = 0
    reply_tokens: int = 0
    costs: Mapping[str, Cost] = field(default_factory=dict)
    problem: str = ""


def count_requests(plan: Plan, missing: Collection[str], store: Path | None) -> list[Requests]:
    """Count, for each model behind an address that has units missing, their requests.

    Each is measured with stand-ins for what the store has no replies to; but for what the server can do, it is not
    asked. Equal requests count once.
    """
    with contextlib.ExitStack() as closing:
        replies = None
        if store is not None:
            replies = closing.enter_context(contextlib.closing(StoredReplies(store, read_only=True)))
        served = (task for task in plan.tasks if task.spec.startswith(SERVED))
        return [_counted(t, missing, replies) for t in served if any(u.key in missing for u in t.units)]


def _counted(task: ModelTask, missing: Collection[str], replies: StoredReplies | None) -> Requests:
    start = time.monotonic()
    try:
        served = load_model(task.spec, **task.options)
    except BiasError as error:
        return Requests(task.name, problem=str(error))
    assert isinstance(served, ServedModel)
    questions = served.client.requests
    pace = (time.monotonic() - start) / questions / served.client.concurrency
    if replies is not None:
        served.client.cache = replies
    model, client = counting(served)
    costs = {}
    for unit in task.units:
        if unit.key not in missing:
            continue
        before, before_tokens, basis = client.requests, client.reply_tokens, "guessed"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                api.measure(unit.method, model, **with_located_source(unit.call, Path(task.folder)))
            except CapabilityError:
                basis = "unfit"
            except BiasError:  # a score of stand-ins may not be defined
                pass
        length: float = client.requests - before
        if served.abilities.thinks:
            length = max(length, (client.reply_tokens - before_tokens) / TOKENS)
        costs[unit.key] = Cost(length * pace, basis)
    number, limit, problem = client.requests, served.client.max_requests, ""
    if limit is not None and questions + number > limit:
        problem = f"a run may stop at {limit} requests: raise max_requests, or measure fewer rows with limit"
    return Requests(task.name, number, questions + _PLANNING, client.reply_tokens, costs, problem)


class StoredReplies:
    """A :class:`~evaluate_bias.models.endpoint.client.RequestCache` in the file of a store.

    Several processes may keep replies in one file, beside the store itself.

    Args:
        path: the file of the store.
        read_only: keep nothing; the file must be there.

    Raises:
        OutputError: the file cannot be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     replies = StoredReplies(Path(folder, "results.sqlite"))
        ...     replies.put("key", {"choices": []})
        ...     replies.get("key"), replies.get("other")
        ...     replies.close()
        ({'choices': []}, None)
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._db = opened_for_reading(path) if read_only else opened_for_writing(path)

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The reply to a request; ``None`` where there is none, or one that was damaged."""
        try:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else dict(parsed_json(unzipped(row[0]), "a reply", allow_nan=True))
        except (sqlite3.Error, DataError, TypeError, ValueError):
            return None

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply; on return it outlives this process.

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
