"""MLM gender score as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class MlmGenderScore(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `mlm_gender_score`."""

    METHOD = "mlm_gender_score"
