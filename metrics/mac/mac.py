"""Mean Average Cosine Similarity (MAC) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Mac().compute(**module_cases("mac")[0]["inputs"])
>>> round(results["mac"], 3)
0.45
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Mac(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `mac`."""

    METHOD = "mac"
