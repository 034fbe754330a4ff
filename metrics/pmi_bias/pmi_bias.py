"""PMI bias of a corpus as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = PmiBias().compute(**module_cases("pmi_bias")[0]["inputs"])
>>> round(results["pmi_bias"], 3)
1.386
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class PmiBias(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `pmi_bias`."""

    METHOD = "pmi_bias"
