"""WinoBias stereotype and skew as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Winobias().compute(**module_cases("winobias")[0]["inputs"])
>>> round(results["winobias"], 3)
53.333
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Winobias(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `winobias`."""

    METHOD = "winobias"
