"""Token sets at one mask as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = TokenSets().compute(**module_cases("token_sets")[0]["inputs"])
>>> round(results["token_sets"], 3)
33.333
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class TokenSets(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `token_sets`."""

    METHOD = "token_sets"
