"""Word Embedding Factual Association Test (WEFAT) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Wefat().compute(**module_cases("wefat")[0]["inputs"])
>>> round(results["wefat"], 3)
0.98
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Wefat(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `wefat`."""

    METHOD = "wefat"
