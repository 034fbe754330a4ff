"""BBQ bias score as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Bbq().compute(**module_cases("bbq")[0]["inputs"])
>>> round(results["bbq"], 3)
0.25
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Bbq(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `bbq`."""

    METHOD = "bbq"
