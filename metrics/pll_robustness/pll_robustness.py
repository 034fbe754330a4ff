"""Robustness of pseudo-log-likelihood preferences to paraphrase as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class PllRobustness(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `pll_robustness`."""

    METHOD = "pll_robustness"
