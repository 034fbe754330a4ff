"""CrowS-Pairs as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = CrowsPairs().compute(**module_cases("crows_pairs")[0]["inputs"])
>>> round(results["crows_pairs"], 3)
50.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class CrowsPairs(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `crows_pairs`."""

    METHOD = "crows_pairs"
