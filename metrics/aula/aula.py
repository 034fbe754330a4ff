"""All Unmasked Likelihood with Attention weights (AULA) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Aula().compute(**module_cases("aula")[0]["inputs"])
>>> round(results["aula"], 3)
75.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Aula(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `aula`."""

    METHOD = "aula"
