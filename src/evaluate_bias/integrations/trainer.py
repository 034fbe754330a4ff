"""A callback for the transformers Trainer: scores in its log, and the bias section of the model's card up to date."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

from transformers import Trainer, TrainerCallback

from ..data.kinds import SENTENCE_PAIRS
from ..errors import InputError, ModelError, bad_option
from ..experiments.session import Methods, measure_all, named_methods
from ..experiments.sources import read_results, write_results
from ..models.load import load_model
from ..models.transformer import is_sentence_transformer
from ..registry import published_with
from ..report.card import card
from ..result import Result


class BiasCardCallback(TrainerCallback):  # type: ignore[misc]  # transformers is untyped here
    """Measure bias before, during and after training, log the scores, and write ``README.md`` of the output folder.

    Scores go through ``Trainer.log``, so that they appear in ``state.log_history`` and reach every tracker,
    as ``eval_bias/<method>/<row>``: the overall score, tests and groups. The model that is measured at the
    end is the one that the Trainer keeps, with ``load_best_model_at_end`` the best.

    The section is written at the end of training, and again after ``trainer.create_model_card()``, which overwrites the
    whole card, also before each push. The section says what the training has changed. The output folder also gets
    ``bias_results.jsonl`` and ``bias_results_before.jsonl``, in which a resumed run finds the earlier results.

    Only the main process measures, while the others wait at their next step. Weights that are spread over
    processes (FSDP, ZeRO-3) are not measured, as all would have to take part. What fails is a warning, and
    training goes on: a trained model is never lost to its card. Only a Trainer without a tokenizer is an
    error, before the first step.

    Args:
        methods: names of methods, or mappings from a name to the options of :func:`evaluate_bias.measure`, such as
            ``{"pll": {"source": None}}``, by default the method of the usual data set of sentence pairs.
        every: measure also at every ``every``-th evaluation. ``None``: before and after training only. A run that is
            resumed from a checkpoint continues the count.
        model_name: the model's name in results and card, by default the Hub id the Trainer pushes to, else the name of
            the output folder. It is never the name of the model that the training began with.

    Attributes:
        results: what was measured last.
        before: what was measured before the training.

    Raises:
        UnknownNameError: no such method.
        InputError: the options of a method are not a mapping, or ``every`` is not an integer of at least 1.
            Raised when the training begins if the Trainer has neither a ``processing_class`` nor a data
            collator with a tokenizer.

    Examples:
        >>> callback = BiasCardCallback({"pll": {"source": None}, "aul": {"source": None}})
        >>> sorted(callback.methods)
        ['aul', 'pll']
    """

    def __init__(
        self,
        methods: Methods | None = None,
        *,
        every: int | None = None,
        model_name: str | None = None,
    ) -> None:
        if every is not None and (isinstance(every, bool) or not isinstance(every, int) or every < 1):
            raise bad_option("every", every, "at least 1")
        self.methods = named_methods((published_with(SENTENCE_PAIRS).name,) if methods is None else methods)
        self.every = every
        self.model_name = model_name
        self.results: list[Result] = []
        self.before: list[Result] = []
        self._measured_at: int | None = None

    def on_train_begin(
        self, args: Any, state: Any, control: Any, model: Any = None, processing_class: Any = None, **_: Any
    ) -> None:
        """Measure what the training begins with, and forget an earlier one.

        The callback goes before the trackers, some of which take no more scores when the training has ended.
        """
        self._measured_at = None
        trainer = _calling_trainer()
        if not is_sentence_transformer(model) and _tokenizer(processing_class, trainer) is None:
            raise InputError(
                "BiasCardCallback cannot measure the model, because the Trainer has no tokenizer",
                option="processing_class",
                hint="pass Trainer(..., processing_class=tokenizer)",
            )
        if trainer is not None:
            handler = trainer.callback_handler
            handler.callbacks = [self, *(c for c in handler.callbacks if c is not self)]
            self._follow_model_card(trainer)
        if state.is_world_process_zero:
            self._begin(args, state, model, processing_class)

    def _begin(self, args: Any, state: Any, model: Any, processing_class: Any) -> None:
        """Take the results of before the training: measured now, or by the run that is resumed."""
        results_path = Path(args.output_dir) / "bias_results_before.jsonl"
        if state.global_step > 0:
            with warning("cannot read what was measured before the training"):
                self.before = read_results(results_path) if results_path.exists() else []
            return
        self._measure(args, state, model, processing_class)
        # A push amid the training must not say of its model what holds of the one it began with.
        self.before, self.results = self.results, []
        if self.before:
            with warning("cannot write the results"):
                write_results(self.before, results_path)

    def _follow_model_card(self, trainer: Any) -> None:
        """Write the section after each card of the Trainer, which has no event after it."""
        create = trainer.create_model_card
        if getattr(create, "followed_by", None) is self:  # by an earlier call of train()
            return

        @wraps(create)
        def create_model_card(*args: Any, **kwargs: Any) -> None:
            create(*args, **kwargs)
            if trainer.is_world_process_zero() and self.results:
                self._write(trainer.args)

        create_model_card.followed_by = self  # type: ignore[attr-defined]
        trainer.create_model_card = create_model_card

    def on_evaluate(
        self, args: Any, state: Any, control: Any, model: Any = None, processing_class: Any = None, **_: Any
    ) -> None:
        """Measure at the chosen evaluations. Evaluations of several data sets at one step count as one."""
        if self.every is None or not state.is_world_process_zero or self._measured_at == state.global_step:
            return
        # The log is kept in checkpoints, so that a run which was stopped counts on.
        steps = [
            entry.get("step")
            for entry in state.log_history
            if any(key.startswith("eval_") and not key.startswith("eval_bias/") for key in entry)
        ]
        if len({*steps, state.global_step}) % self.every == 0:
            self._measure(args, state, model, processing_class)

    def on_train_end(
        self, args: Any, state: Any, control: Any, model: Any = None, processing_class: Any = None, **_: Any
    ) -> None:
        """Measure the trained model, unless the last evaluation has, then write results and section."""
        if not state.is_world_process_zero:
            return
        if self._measured_at != state.global_step or args.load_best_model_at_end:
            self._measure(args, state, model, processing_class)
        if self.results:
            with warning("cannot write the results"):
                write_results(self.results, Path(args.output_dir) / "bias_results.jsonl")
            self._write(args)

    def on_push_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Update the card that a checkpoint is pushed with."""
        if state.is_world_process_zero and self.results:
            self._write(args)

    def _name(self, args: Any) -> str:
        return self.model_name or args.hub_model_id or Path(args.output_dir).resolve().name

    def _measure(self, args: Any, state: Any, model: Any, processing_class: Any) -> None:
        self.results, self._measured_at = [], state.global_step
        trainer = _calling_trainer()
        with warning("cannot measure the model"):
            if args.world_size > 1 and _is_sharded(trainer.model_wrapped if trainer else model):
                raise ModelError(
                    f"its weights are spread over {args.world_size} processes, and only the first of them measures",
                    hint="measure what the training saves",
                )
            held = model if is_sentence_transformer(model) else (model, _tokenizer(processing_class, trainer))
            self.results = measured(self.methods, load_model(held, name=self._name(args)))
        if self.results and trainer is not None:
            with warning("cannot log the scores"):
                trainer.log({f"eval_{key}": score for key, score in logged_scores(self.results).items()})

    def _write(self, args: Any) -> None:
        measured_now = {r.method for r in self.results}
        with warning("cannot write the bias section of the card"):
            card(
                self.results,
                Path(args.output_dir) / "README.md",
                model=self._name(args),
                since=[r for r in self.before if r.method in measured_now],
            )


def _is_sharded(model: Any) -> bool:
    """True if parameters are spread over processes, so that one alone would wait for the others in vain."""
    return any(type(m).__name__ == "FullyShardedDataParallel" for m in model.modules()) or any(
        type(p).__name__ == "DTensor" or hasattr(p, "ds_id") for p in model.parameters()
    )


def _tokenizer(processing_class: Any, trainer: Any) -> Any:
    """Return the tokenizer of a Trainer: its own, or its data collator's, ``None`` if it has none."""
    if processing_class is not None or trainer is None:
        return processing_class
    return getattr(trainer.data_collator, "tokenizer", None)


def _calling_trainer() -> Any:
    """Return the Trainer whose event is handled, else ``None``: callbacks are not told, and only it can log."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if isinstance(owner := frame.f_locals.get("self"), Trainer):
            return owner
        frame = frame.f_back
    return None


def measured(methods: Mapping[str, Mapping[str, Any]], model: Any) -> list[Result]:
    """Measure a model that :func:`evaluate_bias.load_model` made. A method that fails is a warning and is omitted."""

    def warned(name: str, error: Exception) -> None:
        warnings.warn(f"evaluate-bias cannot measure {name}: {error}", stacklevel=2)

    return measure_all(model, methods, on_error=warned, progress=False)


def logged_scores(results: Sequence[Result]) -> dict[str, float]:
    """Return the overall score of each result, and the scores of its tests and groups, as ``bias/<method>/<row>``.

    The keys are of letters, digits and ``_ - . /``, as trackers accept them.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> rows = [Row(name="age", kind="group", score=60.0), Row(name="race & color", kind="group", score=40.0)]
        >>> result = Result(method="pll", score=50.0, score_range=(0, 100), direction="two_sided", ideal=50, n=15,
        ...                 rows=rows)
        >>> logged_scores([result])
        {'bias/pll/overall': 50.0, 'bias/pll/age': 60.0, 'bias/pll/race_color': 40.0}
    """
    scores = {}
    for result in results:
        rows = (result.overall, *result.rows_of("test"), *result.rows_of("group"))
        several = len({row.labels.get("language") for row in rows if row.kind != "overall"}) > 1
        for row in rows:
            if row.score is not None:  # for type checkers: only items may have none
                language = row.labels.get("language") if several else None
                name = re.sub(r"[^\w.-]+", "_", f"{row.name}-{language}" if language else row.name)
                scores[f"bias/{result.method}/{name}"] = row.score
    return scores


@contextmanager
def warning(what: str) -> Iterator[None]:
    """Turn any error into a warning: one that left a callback would end the training and lose the model."""
    try:
        yield
    except Exception as error:
        warnings.warn(f"evaluate-bias {what}: {error}", stacklevel=3)
