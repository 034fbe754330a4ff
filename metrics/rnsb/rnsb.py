"""Relative Negative Sentiment Bias (RNSB) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Rnsb().compute(**module_cases("rnsb")[0]["inputs"])
>>> round(results["rnsb"], 3)
0.039
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Rnsb(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `rnsb`."""

    METHOD = "rnsb"
