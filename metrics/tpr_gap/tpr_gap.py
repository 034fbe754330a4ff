"""TPR gap as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = TprGap().compute(**module_cases("tpr_gap")[0]["inputs"])
>>> round(results["tpr_gap"], 3)
0.5
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class TprGap(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `tpr_gap`."""

    METHOD = "tpr_gap"
