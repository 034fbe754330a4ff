"""IndirectBias as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = IndirectBias().compute(**module_cases("indirect_bias")[0]["inputs"])
>>> round(results["indirect_bias"], 3)
0.242
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class IndirectBias(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `indirect_bias`."""

    METHOD = "indirect_bias"
