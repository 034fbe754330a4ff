"""Discovery of Correlations (DisCo) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Disco().compute(**module_cases("disco")[0]["inputs"])
>>> round(results["disco"], 3)
1.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Disco(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `disco`."""

    METHOD = "disco"
