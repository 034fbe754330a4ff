"""Bias Evaluation Corpus with Professions (BEC-Pro) as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class BecPro(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `bec_pro`."""

    METHOD = "bec_pro"
