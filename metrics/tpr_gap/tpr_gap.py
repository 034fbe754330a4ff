"""TPR gap as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class TprGap(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `tpr_gap`."""

    METHOD = "tpr_gap"
