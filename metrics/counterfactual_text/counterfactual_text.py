"""Counterfactual text as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = CounterfactualText().compute(**module_cases("counterfactual_text")[0]["inputs"])
>>> round(results["counterfactual_text"], 3)
0.5
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class CounterfactualText(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `counterfactual_text`."""

    METHOD = "counterfactual_text"
