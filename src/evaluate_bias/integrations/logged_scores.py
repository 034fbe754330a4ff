"""Scores as the numbers that training loops log, and measuring that never ends a training."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..experiments.session import measure_all
from ..result import Result, Row


def measured(methods: Mapping[str, Mapping[str, Any]], model: Any) -> list[Result]:
    """Measure a model that :func:`evaluate_bias.load_model` made; a method that fails is a warning and is left out."""

    def warned(name: str, error: Exception) -> None:
        warnings.warn(f"evaluate-bias cannot measure {name}: {error}", stacklevel=2)

    return measure_all(model, methods, on_error=warned, progress=False)


def logged_scores(results: Sequence[Result]) -> dict[str, float]:
    """Return the overall score of each result, and those of its tests and groups, by :func:`log_key`.

    Examples:
        >>> rows = [Row(name="age", kind="group", score=60.0), Row(name="gender", kind="group", score=40.0)]
        >>> result = Result(method="pll", score=50.0, score_range=(0, 100), direction="two_sided", ideal=50, n=15,
        ...                 rows=rows)
        >>> logged_scores([result])
        {'bias/pll/overall': 50.0, 'bias/pll/age': 60.0, 'bias/pll/gender': 40.0}
    """
    scores = {}
    for result in results:
        rows = (result.overall, *result.rows_of("test"), *result.rows_of("group"))
        several = len({row.labels.get("language") for row in rows if row.kind != "overall"}) > 1
        for row in rows:
            if row.score is not None:  # for type checkers: only items may have none
                scores[log_key(result.method, row, with_language=several)] = row.score
    return scores


def log_key(method: str, row: Row, *, with_language: bool = False) -> str:
    """Return the name of a score: ``bias/<method>/<row>``, of letters, digits and ``_ - . /``, as trackers take them.

    Examples:
        >>> log_key("crows_pairs", Row(name="race & color", kind="group", score=60.0))
        'bias/crows_pairs/race_color'
    """
    language = row.labels.get("language") if with_language else None
    name = re.sub(r"[^\w.-]+", "_", f"{row.name}-{language}" if language else row.name)
    return f"bias/{method}/{name}"


@contextmanager
def warning(what: str) -> Iterator[None]:
    """Turn any error into a warning: one that left a callback would end the training and lose the model."""
    try:
        yield
    except Exception as error:
        warnings.warn(f"evaluate-bias {what}: {error}", stacklevel=3)
