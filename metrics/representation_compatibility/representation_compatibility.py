"""Representation compatibility as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = RepresentationCompatibility().compute(**module_cases("representation_compatibility")[0]["inputs"])
>>> round(results["representation_compatibility"], 3)
1.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class RepresentationCompatibility(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `representation_compatibility`."""

    METHOD = "representation_compatibility"
