"""Contextualized Embedding Association Test (CEAT) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Ceat().compute(**module_cases("ceat")[0]["inputs"])
>>> round(results["ceat"], 3)
1.732
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Ceat(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `ceat`."""

    METHOD = "ceat"
