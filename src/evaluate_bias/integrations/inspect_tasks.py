"""Methods that ask a chat model as tasks of Inspect: ``inspect eval evaluate_bias/METHOD --model PROVIDER/NAME``.

The package's entry point in the group ``inspect_ai``, by which Inspect finds the tasks. A sample is one prompt as the
method puts it: an item in one prompt variant and one order of its options. The method itself reads and counts the
replies.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..errors import BiasError, UndefinedScoreError
from ..experiments.inspect_log import MOST_ALTERNATIVES, checksums, requests_of, result_of_scores
from ..method_record import MethodRecord
from ..methods.choosing.reporting import BOUNDS
from ..methods.replies import answer_of
from ..models.classifier import no_classifiers
from ..models.endpoint.provider import reply_of
from ..registry import METHODS

_OPTIONS_OF_TASKS: list[dict[str, Any]] = []
"""The options of the tasks of this process. Others belong to a log that is scored, perhaps somebody else's."""


@solver
def put() -> Solver:
    """Put the prompt of a sample to the model. Each further sampled reply has a seed of its own."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await generate(state, seed=state.metadata["seed"])

    return solve


@metric
def result() -> Metric:
    """Return score, interval, bounds, coverage and secondary values of all samples. What is undefined is omitted."""

    def of(scores: list[SampleScore]) -> dict[str, float]:
        if not scores:  # Inspect asks for the values of none first, and warns of an exception
            return {}
        samples = [(one.sample_metadata or {}, one.score.metadata or {}) for one in scores]
        is_ours = all(sample.get("options") in _OPTIONS_OF_TASKS for sample, _ in samples)
        try:
            with nullcontext() if is_ours else no_classifiers("a log named it"):
                measured = result_of_scores(samples)
        except UndefinedScoreError:
            return {"coverage": 0.0}
        estimates = dict(measured.estimates)
        bounds = estimates.pop(BOUNDS, None)
        values = {
            "score": measured.score, "ci_low": measured.ci_low, "ci_high": measured.ci_high,
            "coverage": measured.coverage.share,
            "bounds_low": bounds.low if bounds else None, "bounds_high": bounds.high if bounds else None,
            **{key: estimate.value for key, estimate in estimates.items()},
        }  # fmt: skip
        return {key: value for key, value in values.items() if value is not None}

    return of


def _scorer(record: MethodRecord) -> Any:
    """Return a scorer that keeps each reply, with 1 if it is an answer, else 0. What it answers is parsed later."""

    @scorer(name=record.name, metrics=[result()])
    def replies() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            reply = reply_of(state.output)
            answer = answer_of(reply)
            metadata = {"prompt": state.input_text, "reply": asdict(reply)}
            return Score(
                value=float(not answer.reason),
                answer=answer.text,
                explanation=answer.reason,
                metadata=metadata,
            )

        return score

    return replies


def _task(record: MethodRecord) -> Any:
    def asking(**options: Any) -> Task:
        try:
            requests, files = requests_of(record.name, options), checksums(options)
        except BiasError as error:
            raise PrerequisiteError(str(error)) from error
        _OPTIONS_OF_TASKS.append(options)
        samples: list[Sample] = []
        for (prompt, draw), settings in requests.items():
            seed = settings.seed + draw if settings.decoding == "sample" else None
            ids = getattr(prompt, "ids", {})
            metadata = {**ids, "draw": draw, "seed": seed, "method": record.name, "options": options}
            metadata |= {"files": files} if files else {}
            samples.append(Sample(input=str(prompt), id=len(samples) + 1, metadata=metadata))
        scored = record.reads_log_probabilities
        config = GenerateConfig(
            max_tokens=max(settings.max_new_tokens for settings in requests.values()),
            temperature={"top": 0.0, "sample": settings.temperature, "default": None}[settings.decoding],
            top_p=settings.top_p if settings.top_p < 1 else None,
            logprobs=scored or None,
            top_logprobs=MOST_ALTERNATIVES if scored else None,
        )
        return Task(
            dataset=MemoryDataset(samples, name=record.name),
            solver=put(),
            scorer=SCORERS[record.name](),
            config=config,
            version=record.revision,
        )

    asking.__doc__ = f"{record.title}: {record.summary}"
    return task(name=record.name)(asking)


SCORERS = {record.name: _scorer(record) for record in METHODS.values() if record.asks}
TASKS = {name: _task(METHODS[name]) for name in SCORERS}
"""The tasks by the names of their methods. Each accepts the options of :func:`evaluate_bias.measure`."""
