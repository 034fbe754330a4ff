"""What the library knows about matched_guise."""

from ....data.kinds import GUISE_TESTS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="matched_guise",
    revision=3,
    title="Matched guise probing",
    summary=(
        "Whether a language model gives well or badly rated attributes, such as personality traits, more probability "
        "after one of two texts that say the same in different ways, such as in two dialects."
    ),
    references=("hofmann2024ai",),
    score_name="rank correlation ρ",
    other_score_names={(None, None): "difference of log-probability ratios"},
    score_range=(-1.0, 1.0),
    interpretation=(
        "A positive value associates the first texts more strongly than the second with highly rated "
        "attributes. A negative value does the opposite. For a decision between two attributes the score "
        "is a difference of log-probability ratios, in nats, without bounds."
    ),
    above="the model associates {x} more strongly than {y} with {high|higher rated attributes} rather than "
    "{low|lower rated ones}",
    below="the model associates {y} more strongly than {x} with {high|higher rated attributes} rather than "
    "{low|lower rated ones}",
    needs=("scores masked tokens", "scores sequences"),
    columns=("name", "targets_x", "targets_y", "attributes_a"),
    optional_columns=("attributes_b", "prompts", "ratings"),
    data=GUISE_TESTS,
    data_defaults={"tests": ("speech", "interests")},
    paired=True,
    scale="cohen_r",
    caveats=(
        "The score describes the chosen texts, prompts and attributes: others for the same concepts give other values.",
        "The two texts of a pair should differ in nothing but the property of interest: a difference in meaning, "
        "length or topic counts as well.",
        "An association of words with a way of speaking does not show how a system built on the model treats people.",
    ),
    secondary=(
        Secondary(
            "mean_association",
            "mean association",
            "Mean of the attributes' log-probability ratios, in nats: how much more likely all of them are "
            "after the first texts, whatever their ratings.",
        ),
        Secondary(
            "decided",
            "difference in decisions",
            "For a decision: how much more often the higher rated attribute is the more likely one after "
            "the first texts than after the second, as a share of prompts and texts.",
        ),
    ),
    aggregation=(
        "The score of several tests is the mean of their scores with their signs, so opposite ones cancel "
        "in it. Its interval is the percentile interval of that mean over draws from the tests' own. Each "
        "test has its own p-value. Control tests are excluded."
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the ratings could as well belong to other attributes. For a "
            "decision, it tests whether the two texts of each pair could as well change places."
        ),
        small=(
            "the model associates higher rated attributes more with one of the two kinds of texts than with the other"
        ),
    ),
    test="ratings",
    inference=resampling_options("max_missing"),
    units=ScoreUnits(
        name="attributes",
        value="association",
        score="function",
        list="attributes",
        meaning=parts.BESIDE_TARGETS,
    ),
    variant_units={"decision": ScoreUnits(name="pairs", value="score", list="pairs")},
)
