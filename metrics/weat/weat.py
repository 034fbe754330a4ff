"""Word Embedding Association Test (WEAT) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Weat().compute(**module_cases("weat")[0]["inputs"])
>>> round(results["weat"], 3)
1.732
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Weat(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `weat`."""

    METHOD = "weat"
