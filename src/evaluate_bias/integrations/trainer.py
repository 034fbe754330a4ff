"""A callback for the transformers Trainer that keeps the bias section of the model's card up to date."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from ..api import measure
from ..data.kinds import SENTENCE_PAIRS
from ..models.load import load_model
from ..registry import get_method, published_with
from ..report.card import Level, card
from ..report.results_io import write_results
from ..result import Result

__all__ = ["BiasCardCallback"]


class BiasCardCallback(TrainerCallback):  # type: ignore[misc]  # transformers is untyped here
    """Measure bias when training ends and write it into ``README.md`` of the output folder.

    The section is written at the end of training and again when the model is pushed, because the Trainer writes the
    whole card anew before it pushes. Results lie in ``bias_results.jsonl`` beside the card. Only the main process
    measures. What fails is a warning, and training goes on: a trained model is never lost to its card.

    Args:
        methods: names of methods, or mappings from a name to the options of :func:`evaluate_bias.measure`, such as
            ``{"pll": {"source": None}}``; by default the method of the usual data set of sentence pairs.
        language: language of the section, see :func:`evaluate_bias.card`.
        level: ``"summary"`` or ``"full"``.
        model_name: the model's name in results and card; by default the Hub id the Trainer pushes to, else the name of
            the output folder. Never that of the model that the training began with.

    Attributes:
        results: what was measured, after training.

    Raises:
        UnknownNameError: no such method.

    Examples:
        >>> callback = BiasCardCallback({"pll": {"source": None}, "aul": {"source": None}})
        >>> sorted(callback.methods)
        ['aul', 'pll']
    """

    def __init__(
        self,
        methods: Mapping[str, Mapping[str, Any]] | Sequence[str] | None = None,
        *,
        language: str = "en",
        level: Level = "summary",
        model_name: str | None = None,
    ) -> None:
        if methods is None:
            methods = (published_with(SENTENCE_PAIRS).name,)
        given = methods if isinstance(methods, Mapping) else {name: {} for name in methods}
        self.methods = {get_method(name).name: dict(options) for name, options in given.items()}
        self.language = language
        self.level = level
        self.model_name = model_name
        self.results: list[Result] = []

    def on_train_end(
        self, args: Any, state: Any, control: Any, model: Any = None, processing_class: Any = None, **_: Any
    ) -> None:
        """Measure the trained model, then write results and section."""
        if not state.is_world_process_zero:
            return
        self.results = []
        with _warning("cannot measure the model"):
            loaded = load_model((model, processing_class), name=self._name(args))
            for name, options in self.methods.items():
                with _warning(f"cannot measure {name}"):
                    self.results.append(measure(name, loaded, **options))
        if self.results:
            with _warning("cannot write the results"):
                write_results(self.results, Path(args.output_dir) / "bias_results.jsonl")
            self._write(args)

    def on_push_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Put the section into the card that the Trainer has just written."""
        if state.is_world_process_zero and self.results:
            self._write(args)

    def _name(self, args: Any) -> str:
        return self.model_name or args.hub_model_id or Path(args.output_dir).resolve().name

    def _write(self, args: Any) -> None:
        with _warning("cannot write the bias section of the card"):
            card(
                self.results,
                Path(args.output_dir) / "README.md",
                language=self.language,
                level=self.level,
                model=self._name(args),
            )


@contextmanager
def _warning(what: str) -> Iterator[None]:
    """Turn any error into a warning: one that left a callback would end the training and lose the model."""
    try:
        yield
    except Exception as error:
        warnings.warn(f"evaluate-bias {what}: {error}", stacklevel=3)
