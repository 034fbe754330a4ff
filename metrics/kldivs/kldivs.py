"""Kullback-Leibler Divergence Score (KLDivS) as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Kldivs(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `kldivs`."""

    METHOD = "kldivs"
