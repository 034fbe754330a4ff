"""Projection on a bias axis as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Projection(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `projection`."""

    METHOD = "projection"
