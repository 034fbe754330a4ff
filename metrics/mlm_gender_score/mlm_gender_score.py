"""MLM gender score as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = MlmGenderScore().compute(**module_cases("mlm_gender_score")[0]["inputs"])
>>> round(results["mlm_gender_score"], 3)
-0.062
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class MlmGenderScore(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `mlm_gender_score`."""

    METHOD = "mlm_gender_score"
