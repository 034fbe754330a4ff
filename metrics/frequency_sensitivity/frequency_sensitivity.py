"""Frequency sensitivity as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = FrequencySensitivity().compute(**module_cases("frequency_sensitivity")[0]["inputs"])
>>> round(results["frequency_sensitivity"], 3)
0.372
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class FrequencySensitivity(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `frequency_sensitivity`."""

    METHOD = "frequency_sensitivity"
