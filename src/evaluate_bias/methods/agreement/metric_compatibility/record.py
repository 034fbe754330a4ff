"""What the library knows about metric_compatibility."""

from ....data.kinds import SCORES
from ....method_record import MethodRecord, PValue, Robustness
from ... import record_parts as parts

RECORD = MethodRecord(
    name="metric_compatibility",
    revision=4,
    title="Metric compatibility",
    summary="Mean correlation, across models, of the scores that different measures of bias give to the same models.",
    **parts.AGREEMENT,
    interpretation=(
        "Near 1, all measures order the models the same way. Near 0, the measures disagree on which model "
        "is more biased."
    ),
    needs=(),
    columns=("model_name", "measure", "score"),
    data=SCORES,
    group_by="measure",
    caveats=(
        "It measures the measurements: measures can agree on something that is not bias, and they can disagree "
        "because they measure different biases.",
        "Related models, such as sizes of one family, are not independent: they make intervals too narrow and "
        "p-values too small.",
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the measures are unrelated across these models, not whether they agree well."
        ),
        small="some measures agree more on the order of the models than unrelated measures would",
    ),
    robustness=Robustness(aspect="agreement"),
    no_units=("Its items are models, so a comparison of two models has no items to exchange."),
)
