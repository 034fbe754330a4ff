"""Relative Norm Distance (RND) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Rnd().compute(**module_cases("rnd")[0]["inputs"])
>>> round(results["rnd"], 3)
-1.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Rnd(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `rnd`."""

    METHOD = "rnd"
