"""Projection on a bias axis as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Projection().compute(**module_cases("projection")[0]["inputs"])
>>> round(results["projection"], 3)
1.1
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Projection(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `projection`."""

    METHOD = "projection"
