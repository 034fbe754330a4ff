"""Relative decision test for chat models as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class RelativeDecision(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `relative_decision`."""

    METHOD = "relative_decision"
