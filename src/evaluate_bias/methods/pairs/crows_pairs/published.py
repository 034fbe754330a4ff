"""CrowS-Pairs as lm-eval scores it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....method import Finding
from ....result import Estimate
from ...pair_scoring import Pair
from ...published import LM_EVAL, LM_EVAL_TASKS, PublishedProtocol
from ..preference import preference
from ..shared import Counting
from .record import RECORD

PROTOCOLS = (
    PublishedProtocol(
        **LM_EVAL,
        method=RECORD.name,
        task="crows_pairs_english, crows_pairs_french",
        source=LM_EVAL_TASKS + "crows_pairs",
        data="jannalu/crows_pairs_multilingual",
        prompt="{sentence}",
        reading="the sentence with the larger log-likelihood after a start token. Equal ones are not "
        "stereotypical",
        score="pct_stereotype, in percent",
        others="likelihood_diff",
        variants=("shared", "causal"),
    ),
)


def measure_published(
    model: Any, data: Sequence[Pair], protocol: PublishedProtocol, counting: Counting
) -> Finding:
    """Share of pairs whose more stereotypical sentence has the larger log-likelihood, in percent.

    Log-likelihoods are not rounded, and a pair of two identical sentences counts as not stereotypical.

    Args:
        model: scores sequences.
        data: pairs of sentences.
        protocol: of lm-eval.
        counting: confidence level and seed. How pairs are counted is the harness' own.

    Returns:
        ``pct_stereotype`` times 100. ``estimates`` has ``likelihood_diff``, the mean absolute difference of
        the two log-likelihoods. The p-value comes from the exact binomial test of all pairs against one half.

    Raises:
        CapabilityError: the model does not score sequences.
        UndefinedScoreError: no pair can be scored, or the sentences of all pairs are equally likely.
    """
    protocol.require(model)
    harness_counting = Counting(
        lower=False, ties="keep", confidence_level=counting.confidence_level, seed=counting.seed
    )
    finding = preference(RECORD.name, model, data, "causal", harness_counting, as_given=True)
    differences = [abs(row.details["delta"]) for row in finding.rows if row.kind == "item"]
    return replace(
        finding,
        estimates={**finding.estimates, "likelihood_diff": Estimate(float(np.mean(differences)))},
        warnings=[
            protocol.describe(),
            *finding.warnings,
        ],
        settings={
            **finding.settings, **protocol.facts(), "variant": "causal", "round_to": None, "lower": False,
            "preset": None,
        },
    )  # fmt: skip
