"""What the library knows about disco."""

from ....data.kinds import GENDERED_WORDS
from ....method_record import MethodRecord, PValue, ScoreUnits
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="disco",
    revision=3,
    title="Discovery of Correlations (DisCo)",
    summary=(
        "Number of a model's fills of a template that go significantly more often with words for one gender than for "
        "the other, averaged over templates."
    ),
    references=("webster2020measuring",),
    score_name="DisCo",
    score_range=(0.0, None),
    direction="higher_is_more_biased",
    interpretation=(
        "A higher value means that more fills go with one gender. 0 means that no fill does so significantly."
    ),
    needs=("fills a mask",),
    columns=("female", "male", "kind"),
    data=GENDERED_WORDS,
    data_defaults={"kinds": ("person", "kinship", "title", "role", "name")},
    group_by="group of words",
    caveats=(
        "A fill counts whatever it says: grammar ('her', 'himself') and stereotype ('cooking') count the "
        "same, so look at the fills.",
        "The score depends on the number of words: a few words cannot make a fill significant, and many words make "
        "any difference significant.",
        parts.TEMPLATES_DISAGREE,
    ),
    p_value=PValue(
        meaning=(
            "The p-value is the smallest p-value of all fills times their number: it tests whether any fill goes with "
            "one gender."
        ),
        small="at least one fill goes with one gender more often than chance explains",
    ),
    inference=resampling_options(),
    units=ScoreUnits(name="templates", value="score", content="template"),
)
