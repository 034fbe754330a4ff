"""Relational Inner Product Association (RIPA) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Ripa().compute(**module_cases("ripa")[0]["inputs"])
>>> round(results["ripa"], 3)
3.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Ripa(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `ripa`."""

    METHOD = "ripa"
