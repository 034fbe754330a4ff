"""An evaluator for training with sentence-transformers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..errors import InputError
from ..experiments.session import Methods, named_methods
from ..models.load import load_model
from ..report.card.hub_tasks import nearness
from ..result import Result
from .trainer import logged_scores, measured, warning


def bias_evaluator(methods: Methods, *, name: str = "") -> Any:
    """Make an evaluator that measures bias in a ``SentenceTransformer``, for ``SentenceTransformerTrainer``.

    Each evaluation returns the scores as ``bias/<method>/<row>``, which the trainer logs under ``eval_``, and
    ``bias/<method>/nearness``: minus the distance of the overall score from its ideal value, so that higher is nearer.
    The nearness of the first method is the primary metric, by which a best model can be chosen. One chosen so
    need not be good at anything else. A method that fails is a warning, and its scores are missing. The
    primary metric is then minus infinity, by which no model is chosen.

    Args:
        methods: names of methods, or mappings from a name to the options of :func:`evaluate_bias.measure`. The
            representation ``"own"`` is what the model itself makes of a text.
        name: put before every key, as by other evaluators.

    Returns:
        A ``SentenceEvaluator``. Its ``results`` are from the last evaluation.

    Raises:
        UnknownNameError: no such method.
        InputError: no method is named.
        ImportError: sentence-transformers is not installed.

    Examples:
        >>> evaluator = bias_evaluator({"seat": {"representation": "own"}})
        >>> evaluator.primary_metric, evaluator.greater_is_better
        ('bias/seat/nearness', True)
    """
    if not methods:
        raise InputError(
            "`methods` is empty", option="methods", hint="name at least one method to measure while training"
        )
    return _evaluator_class()(named_methods(methods), name)


@cache
def _evaluator_class() -> type[Any]:
    try:
        from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
    except ImportError:  # versions that keep it there
        from sentence_transformers.evaluation import SentenceEvaluator

    class BiasEvaluator(SentenceEvaluator):  # type: ignore[misc,unused-ignore]
        """Bias as measured by methods of evaluate-bias."""

        def __init__(self, methods: Mapping[str, Mapping[str, Any]], name: str) -> None:
            super().__init__()
            self.methods = methods
            self.name = name
            self.results: list[Result] = []
            self.primary_metric = f"bias/{next(iter(methods))}/nearness"
            self.prefix_name_to_metrics({}, name)

        def __call__(
            self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
        ) -> dict[str, float]:
            """Measure the model as it is now."""
            self.results = []
            with warning("cannot measure the model"):
                self.results = measured(self.methods, load_model(model))
            # The primary metric is asked for without looking, and a failure must not end the training.
            scores = {f"bias/{next(iter(self.methods))}/nearness": -math.inf}
            scores |= logged_scores(self.results)
            scores |= {f"bias/{r.method}/nearness": nearness(r.score, r.reference) for r in self.results}
            metrics: dict[str, float] = self.prefix_name_to_metrics(scores, self.name)
            with warning("cannot put the scores into the model's card"):
                self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
            return metrics

        @property
        def description(self) -> str:
            """What cards call it."""
            return "Measured social bias"

        def get_config_dict(self) -> dict[str, Any]:
            """Return the options, for cards."""
            return {name: dict(options) for name, options in self.methods.items()}

    return BiasEvaluator
