"""Weakly Supervised Visualization (WSV) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Wsv().compute(**module_cases("wsv")[0]["inputs"])
>>> round(results["wsv"], 3)
1.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Wsv(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `wsv`."""

    METHOD = "wsv"
