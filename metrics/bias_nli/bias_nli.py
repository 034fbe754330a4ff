"""Bias-NLI as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = BiasNli().compute(**module_cases("bias_nli")[0]["inputs"])
>>> round(results["bias_nli"], 3)
0.692
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class BiasNli(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `bias_nli`."""

    METHOD = "bias_nli"
