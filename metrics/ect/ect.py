"""Embedding Coherence Test (ECT) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Ect().compute(**module_cases("ect")[0]["inputs"])
>>> round(results["ect"], 3)
-0.6
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Ect(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `ect`."""

    METHOD = "ect"
