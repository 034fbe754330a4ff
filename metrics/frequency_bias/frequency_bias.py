"""Frequency bias of a corpus as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = FrequencyBias().compute(**module_cases("frequency_bias")[0]["inputs"])
>>> round(results["frequency_bias"], 3)
0.3
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class FrequencyBias(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `frequency_bias`."""

    METHOD = "frequency_bias"
