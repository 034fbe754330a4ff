"""How many requests a run will send to the servers of its models."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .. import api
from ..errors import BiasError, CapabilityError
from ..models.endpoint.address import SERVED
from ..models.endpoint.counting import counting
from ..models.endpoint.model import ServedModel
from ..models.endpoint.probe import TOKENS
from ..models.load import load_model
from .cost import Cost
from .grid_data import with_located_source
from .plan import ModelTask, Plan
from .replies import StoredReplies

_PLANNING = 1
"""Requests by which a plan identifies the server."""


@dataclass(frozen=True)
class Requests:
    """What a run will send to a server.

    Attributes:
        model: name of the model.
        number: most requests that are not answered yet, over all units.
        least: fewest of these, where no question has to be asked again for a text; mostly as many.
        questions: requests that find out who answers and what the server can do; every run sends them.
        reply_tokens: most tokens of all replies, thoughts included.
        costs: seconds of each unit by its key, from how long the questions took; of a model that thinks, as if every
            reply filled its room.
        problem: why they cannot be counted, or that they are more than the limit allows; else empty.
        risk: that they may be more than the limit allows; else empty.
    """

    model: str
    number: int = 0
    least: int = 0
    questions: int = 0
    reply_tokens: int = 0
    costs: Mapping[str, Cost] = field(default_factory=dict)
    problem: str = ""
    risk: str = ""


def count_requests(plan: Plan, missing: Collection[str], store: Path | None) -> list[Requests]:
    """Count, for each model behind an address that has units missing, their requests.

    Each is measured with stand-ins for what the store has no replies to; but for what the server can do, it is not
    asked. Equal requests count once. What may have to be asked again counts in the most, and not in the least.
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
    number, least = client.requests, client.requests - client.repeats
    limit, advice = served.client.max_requests, "raise max_requests, or measure fewer rows with limit"
    problem = risk = ""
    if limit is not None and questions + least > limit:
        problem = f"a run stops at {limit} requests: {advice}"
    elif limit is not None and questions + number > limit:
        risk = f"a run may stop at {limit} requests if questions have to be asked again: {advice}"
    return Requests(
        task.name, number, least, questions + _PLANNING, client.reply_tokens, costs, problem, risk
    )
