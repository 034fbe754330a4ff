"""Decision gap (discrim-eval) as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class DecisionGap(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `decision_gap`."""

    METHOD = "decision_gap"
