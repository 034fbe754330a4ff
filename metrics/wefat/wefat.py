"""Word Embedding Factual Association Test (WEFAT) as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Wefat(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `wefat`."""

    METHOD = "wefat"
