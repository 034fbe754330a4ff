"""Word association test for chat models as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class WordAssociation(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `word_association`."""

    METHOD = "word_association"
