"""Sentence Encoder Association Test (SEAT) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Seat().compute(**module_cases("seat")[0]["inputs"])
>>> round(results["seat"], 3)
1.871
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Seat(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `seat`."""

    METHOD = "seat"
