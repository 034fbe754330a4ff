"""GEST and EuroGEST as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Gest().compute(**module_cases("gest")[0]["inputs"])
>>> round(results["gest"], 3)
0.392
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Gest(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `gest`."""

    METHOD = "gest"
