"""Analogies as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Analogies().compute(**module_cases("analogies")[0]["inputs"])
>>> round(results["analogies"], 3)
0.5
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Analogies(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `analogies`."""

    METHOD = "analogies"
