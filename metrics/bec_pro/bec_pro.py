"""Bias Evaluation Corpus with Professions (BEC-Pro) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = BecPro().compute(**module_cases("bec_pro")[0]["inputs"])
>>> round(results["bec_pro"], 3)
1.213
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class BecPro(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `bec_pro`."""

    METHOD = "bec_pro"
