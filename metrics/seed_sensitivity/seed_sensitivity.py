"""Seed sensitivity as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = SeedSensitivity().compute(**module_cases("seed_sensitivity")[0]["inputs"])
>>> round(results["seed_sensitivity"], 3)
1.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class SeedSensitivity(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `seed_sensitivity`."""

    METHOD = "seed_sensitivity"
