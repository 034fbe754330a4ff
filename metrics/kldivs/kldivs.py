"""Kullback-Leibler Divergence Score (KLDivS) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Kldivs().compute(**module_cases("kldivs")[0]["inputs"])
>>> round(results["kldivs"], 3)
71.72
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Kldivs(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `kldivs`."""

    METHOD = "kldivs"
