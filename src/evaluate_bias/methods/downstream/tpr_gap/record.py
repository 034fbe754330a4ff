"""What the library knows about tpr_gap."""

from ....data.kinds import PREDICTIONS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="tpr_gap",
    revision=6,
    title="TPR gap",
    summary=(
        "Mean over classes of the difference between groups in the share of a class's members that a classifier "
        "recognises (true positive rate), or in the rate of false positives, selection, precision or accuracy."
    ),
    references=("dearteaga2019bias",),
    score_name="mean gap",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    interpretation=(
        "0 means that the rate of every class is the same in all groups, as if the members of all groups "
        "are recognised equally often. 1 means that in every class one group has the rate 1 and another 0."
    ),
    above="the classifier's rates ({rate}) differ between {groups|the groups}",
    needs=(),
    data=PREDICTIONS,
    columns=("predictions", "references", "groups"),
    optional_columns=("groups_2", "groups_3", "cluster"),
    group_by="class",
    caveats=(
        "Rows count as independent unless the column cluster says which belong together, such as several texts of one "
        "person.",
        "An absolute difference is never below 0, so chance alone makes the mean positive: the value expected by "
        "chance is the mean that chance gives with these numbers of rows.",
        "One rate says nothing of the others: a classifier can recognise two groups equally often and still mistake "
        "more of one for members of a class.",
    ),
    secondary=(
        Secondary(
            "rms_gap",
            "RMS gap",
            "Square root of the mean squared gap over the classes, in which large gaps weigh more.",
        ),
        Secondary("max_gap", "largest gap", "Gap of the class in which it is largest."),
        Secondary(
            "difference",
            "signed gap",
            "Rate of the first group minus the rate of the second, in alphabetical order. Only for two "
            "groups.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests, by reordering the groups among the rows that a rate is about, or among their "
            "clusters, whether predictions depend on the group."
        ),
        small="the gaps between {groups|the groups} are larger than chance makes them",
    ),
    inference=resampling_options("ci_resamples"),
    units=ScoreUnits(
        name="examples", value="correct", score="function", clusters=("cluster",), strata=("class", "group")
    ),
)
