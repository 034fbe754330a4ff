"""Matched guise probing as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = MatchedGuise().compute(**module_cases("matched_guise")[0]["inputs"])
>>> round(results["matched_guise"], 3)
0.894
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class MatchedGuise(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `matched_guise`."""

    METHOD = "matched_guise"
