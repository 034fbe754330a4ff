"""Robustness of pseudo-log-likelihood preferences to paraphrase as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = PllRobustness().compute(**module_cases("pll_robustness")[0]["inputs"])
>>> round(results["pll_robustness"], 3)
0.5
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class PllRobustness(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `pll_robustness`."""

    METHOD = "pll_robustness"
