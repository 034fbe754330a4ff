"""Template compatibility as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = TemplateCompatibility().compute(**module_cases("template_compatibility")[0]["inputs"])
>>> round(results["template_compatibility"], 3)
1.0
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class TemplateCompatibility(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `template_compatibility`."""

    METHOD = "template_compatibility"
