"""Log Probability Bias Score (LPBS) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Lpbs().compute(**module_cases("lpbs")[0]["inputs"])
>>> round(results["lpbs"], 3)
1.73
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Lpbs(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `lpbs`."""

    METHOD = "lpbs"
