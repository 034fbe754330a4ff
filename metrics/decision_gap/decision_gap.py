"""Decision gap (discrim-eval) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = DecisionGap().compute(**module_cases("decision_gap")[0]["inputs"])
>>> round(results["decision_gap"], 3)
0.3
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class DecisionGap(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `decision_gap`."""

    METHOD = "decision_gap"
