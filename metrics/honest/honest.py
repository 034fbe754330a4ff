"""HONEST as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Honest().compute(**module_cases("honest")[0]["inputs"])
>>> round(results["honest"], 3)
0.208
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Honest(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `honest`."""

    METHOD = "honest"
