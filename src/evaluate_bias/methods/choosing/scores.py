"""Scores of choices, with the uncertainty over items and prompt variants."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import stats
from ...arrays import FloatArray
from ...result import Estimate
from .asking import Choices, IntArray


class Score(NamedTuple):
    """A score with its interval and test, by the names that a finding and a row have for them.

    Attributes:
        score: the score.
        ci_low, ci_high: ends of its interval, ``None`` if none exists.
        ci_method: how the interval was made, or why it is missing.
        p_value: two-sided p-value, ``None`` if nothing varies.
        p_method: how the p-value was made, empty without one.
        n_tested: number of clusters that both are over.
    """

    score: float
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    p_value: float | None = None
    p_method: str = ""
    n_tested: int | None = None

    def facts(self) -> dict[str, Any]:
        """As fields of a finding or a row."""
        return self._asdict()

    def estimate(self) -> Estimate:
        """As a secondary value, without the p-value."""
        return Estimate(self.score, self.ci_low, self.ci_high)


def ratio_score(
    top: FloatArray,
    bottom: FloatArray,
    unit: IntArray,
    cluster: IntArray,
    prompt_variant: IntArray,
    *,
    null: float,
    confidence_level: float,
    what: str,
    scale: float = 100.0,
    lowest: float = 0.0,
    across: str = "prompt variants",
) -> Score:
    """Return the mean over units of Σ top / Σ bottom, times ``scale``.

    Args:
        top: what each answer adds above the line to its unit, shape (answers,).
        bottom: what it adds below the line. Units without any do not count.
        unit: number of the unit of each answer. Each unit counts once.
        cluster: number of the cluster that the answer's unit belongs to.
        prompt_variant: number of the prompt variant.
        null: the score of a model without preference, on the same scale.
        confidence_level: confidence level.
        what: what the clusters are called, in the plural.
        scale: 100 for percent.
        lowest: least possible score. The greatest is ``scale``.
        across: what the prompt variants are called, empty if none exist.
    """
    of_unit = np.bincount(unit, weights=bottom)[unit]
    used = (of_unit > 0) & ((top != 0) | (bottom != 0))
    columns = np.stack([top, bottom], axis=1)[used] / of_unit[used, None]
    items = stats.Items.of(columns, cluster[used], across=prompt_variant[used])

    def share(totals: FloatArray) -> FloatArray:
        return np.asarray(totals[:, 0] / totals[:, 1])

    value = round(items.value(share), 12)
    inference = stats.ItemInference(
        interval="crossed", test="crossed", clusters=what, across=across, confidence_level=confidence_level
    )
    ends, test = items.crossed(
        scale * value, scale * items.influence(share), inference, (lowest, scale), null
    )
    return Score(scale * value, *ends, test.p_value, test.p_method, test.n_tested)


def option_order_effect(choices: Choices, cluster: IntArray, confidence_level: float, what: str) -> Estimate:
    """Share of answers that are the first option, less 1/k, every question counting once.

    0 means that where an option appears does not matter. The largest value, 1 - 1/k, means that the first is always
    chosen.
    """
    is_read = choices.option >= 0
    question = choices.question[is_read]
    first_share = ratio_score(
        (choices.place[is_read] == 0).astype(float),
        np.ones(len(question)),
        question,
        cluster[question],
        choices.prompt_variant[is_read],
        null=0.0, confidence_level=confidence_level, what=what, scale=1.0,
    )  # fmt: skip
    k = choices.n_options
    ends = [None if end is None else end - 1 / k for end in (first_share.ci_low, first_share.ci_high)]
    return Estimate(first_share.score - 1 / k, *ends)
