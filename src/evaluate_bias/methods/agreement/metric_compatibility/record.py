"""What the library knows about metric_compatibility."""

from __future__ import annotations

from ....data.kinds import SCORES
from ....method import MethodRecord, PValue, Robustness
from ...record_parts import DELOBELLE_2022

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="metric_compatibility",
    title="Metric compatibility",
    summary="Mean correlation, across models, of the scores that different measures of bias give to the same models.",
    **DELOBELLE_2022,
    score_name="mean correlation",
    score_range=(-1.0, 1.0),
    direction="higher_is_more_robust",
    ideal=1.0,
    interpretation="Near 1 all measures order models alike; near 0 which model is more biased depends on the measure.",
    needs=(),
    columns=("model_name", "measure", "score"),
    data=SCORES,
    group_by="measure",
    caveats=(
        "It measures the measurements: measures can agree on what is not bias, and disagree because they measure "
        "different biases.",
        "Models that come from one another, such as sizes of one family, are no independent models: intervals are too "
        "narrow and p-values too small.",
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests that no measure has anything to do with any other across these models, not that they "
            "agree well."
        ),
        small="Some measures agree more on the order of the models than unrelated ones would",
        large="It was not detected that the measures agree more than unrelated ones would",
    ),
    robustness=Robustness(aspect="agreement"),
    no_units=("Its units are models: a comparison of two models has none to exchange."),
)
