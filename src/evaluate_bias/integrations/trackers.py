"""Results as plain dictionaries for experiment trackers, such as Weights & Biases, MLflow or TensorBoard."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..report.lines import lines_by_result
from ..report.score_matrix import score_matrix
from ..result import Result

_OUTSIDE = re.compile(r"[^A-Za-z0-9_.-]+")
"""What not every tracker allows in a name. The slash parts the levels."""
_NUMBERS = ("score", "ci_low", "ci_high", "p_value")


def tracker_metrics(results: Sequence[Result], prefix: str = "bias") -> dict[str, float]:
    """Return every number of a report under a flat key: ``prefix/method/test/score`` and so on.

    The key of a score ends in ``score``. Next to it appear ``ci_low``, ``ci_high``, ``p_value``,
    ``p_adjusted`` and ``n`` if they exist, and the secondary values by their names. What tells several
    measurements of one method apart, such as the language, follows the method's name. The model comes before
    it if there are several.

    Args:
        results: results of any methods and models.
        prefix: first level of all keys, empty for none.

    Returns:
        Numbers by keys of letters, digits, ``_``, ``.``, ``-`` and ``/``, as all common trackers accept them:
        ``wandb.log(...)``, ``mlflow.log_metrics(...)``, ``trackio.log(...)``.

    Raises:
        InputError: no result.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> rows = [Row(name="weat6", kind="test", score=1.5, p_value=0.01), Row(name="weat7", kind="test", score=0.5)]
        >>> result = Result(method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=32,
        ...                 rows=rows)
        >>> tracker_metrics([result])
        {'bias/weat/all_tests/score': 1.0, 'bias/weat/all_tests/n': 32, 'bias/weat/weat6/score': 1.5,
         'bias/weat/weat6/p_value': 0.01, 'bias/weat/weat7/score': 0.5}
    """
    out: dict[str, float] = {}
    for base, lines in zip(_bases(results, prefix), lines_by_result(results), strict=True):
        for line in lines:
            numbers = {key: getattr(line.row, key) for key in _NUMBERS}
            numbers |= {"p_adjusted": line.p_adjusted, "n": line.row.n}
            numbers |= {k: e.value for k, e in line.row.estimates.items() if k not in numbers}
            place = _make_unique(f"{base}/{_slug(line.name)}", out, "/score")
            out |= {f"{place}/{_slug(key)}": value for key, value in numbers.items() if value is not None}
    return out


def tracker_params(results: Sequence[Result], prefix: str = "bias") -> dict[str, str]:
    """Return the settings of results under flat keys, as text: ``prefix/method/setting``.

    Args:
        results: results of any methods and models.
        prefix: first level of all keys, empty for none.

    Raises:
        InputError: no result.

    Examples:
        >>> result = Result(method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=32,
        ...                 settings={"seed": 0, "ci": "bca"})
        >>> tracker_params([result])
        {'bias/weat/seed': '0', 'bias/weat/ci': 'bca'}
    """
    return {
        f"{base}/{_slug(key)}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for base, result in zip(_bases(results, prefix), results, strict=True)
        for key, value in result.settings.items()
    }


def _bases(results: Sequence[Result], prefix: str) -> list[str]:
    """Return the beginning of the keys of each result, different for each."""
    if not results:
        raise InputError("no result to log")
    matrix = score_matrix(results)
    bases: dict[str, Any] = {}
    for (model, column), _ in sorted(matrix.cells.items(), key=lambda cell: cell[1]):
        measurement = matrix.measurements[column]
        of_model = matrix.models[model] if len(matrix.models) > 1 else ""
        parts = (prefix, of_model, measurement.method, measurement.label.removeprefix(measurement.method))
        bases[_make_unique("/".join(_slug(part) for part in parts if part), bases)] = None
    return list(bases)


def _slug(text: Any) -> str:
    return _OUTSIDE.sub("_", str(text)).strip("_.") or "unnamed"


def _make_unique(key: str, used: dict[str, Any], end: str = "") -> str:
    """Return the key, numbered if another name became the same key."""
    count, free = 1, key
    while f"{free}{end}" in used:
        count += 1
        free = f"{key}_{count}"
    return free
