"""Relative decision test for chat models as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = RelativeDecision().compute(**module_cases("relative_decision")[0]["inputs"])
>>> round(results["relative_decision"], 3)
0.9
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class RelativeDecision(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `relative_decision`."""

    METHOD = "relative_decision"
