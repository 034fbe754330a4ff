"""All Unmasked Likelihood (AUL) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Aul().compute(**module_cases("aul")[0]["inputs"])
>>> round(results["aul"], 3)
33.333
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Aul(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `aul`."""

    METHOD = "aul"
