"""Metric compatibility as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = MetricCompatibility().compute(**module_cases("metric_compatibility")[0]["inputs"])
>>> round(results["metric_compatibility"], 3)
0.778
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class MetricCompatibility(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `metric_compatibility`."""

    METHOD = "metric_compatibility"
