"""Frequency sensitivity as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class FrequencySensitivity(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `frequency_sensitivity`."""

    METHOD = "frequency_sensitivity"
