"""DirectBias as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = DirectBias().compute(**module_cases("direct_bias")[0]["inputs"])
>>> round(results["direct_bias"], 3)
0.3
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class DirectBias(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `direct_bias`."""

    METHOD = "direct_bias"
