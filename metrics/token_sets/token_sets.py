"""Token sets at one mask as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class TokenSets(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `token_sets`."""

    METHOD = "token_sets"
