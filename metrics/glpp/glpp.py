"""Global-locality preserving projection (GLPP) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Glpp().compute(**module_cases("glpp")[0]["inputs"])
>>> round(results["glpp"], 3)
0.8
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Glpp(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `glpp`."""

    METHOD = "glpp"
