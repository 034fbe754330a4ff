"""StereoSet Context Association Test (CAT) as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = Stereoset().compute(**module_cases("stereoset")[0]["inputs"])
>>> round(results["stereoset"], 3)
75.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Stereoset(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `stereoset`."""

    METHOD = "stereoset"
