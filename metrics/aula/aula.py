"""All Unmasked Likelihood with Attention weights (AULA) as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Aula(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `aula`."""

    METHOD = "aula"
