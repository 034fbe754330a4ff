"""Pseudo-log-likelihood preference (PLL) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Pll().compute(**module_cases("pll")[0]["inputs"])
>>> round(results["pll"], 3)
50.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Pll(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `pll`."""

    METHOD = "pll"
