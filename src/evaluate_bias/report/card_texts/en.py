"""English sentences of the bias section."""

from __future__ import annotations

from ...methods.pair_scoring import SCORINGS
from ..card_texts import CardText

TEXT = CardText(
    language="en",
    section_title="Bias, Risks, and Limitations",
    heading="Measured social bias",
    intro="What follows are measurements on {models}. Each has limits, which are named with it. They are no verdict "
    "on the model and no certificate.",
    measured_with="Measured with evaluate-bias {version}.",
    what="What was measured",
    scored_by="The score of a sentence here: {how}.",
    data="On what data",
    reading="How to read the number",
    outcome="What was found",
    limits="What the number does not mean",
    data_tests="{dataset}. Tests: {names}.",
    data_units="{dataset}. Units scored: {n}.",
    data_unknown="Data given by whoever ran the measurement, with no record of where they come from",
    data_language="language {language}",
    data_no_language="language not stated",
    data_from="from {repository}",
    data_revision="revision {revision}",
    data_split="split {split}",
    data_unpinned="no revision or checksum recorded",
    origin_paper="Word lists as printed in the paper: {names}.",
    origin_translated="**Translated lists, not validated by native speakers:** {names}. Words and names may not carry "
    "the same meaning in this language, so the score may say as much about the translation as about the model.",
    origin_caller="Lists supplied by whoever ran the measurement and not reviewed here: {names}.",
    origin_other="Origin of {names}: {origin}.",
    baseline="Without social content, included to show that the measure responds: {names}.",
    data_not_validated="No record says that these data were validated.",
    coverage_gap="Scored: {found} of {asked} words or sentences asked for; the rest is left out of the numbers.",
    score_range="The {score} can lie between {low} and {high}; {ideal} means that the method found nothing, not "
    "that nothing is there.",
    score_range_robust="The {score} can lie between {low} and {high}; {ideal} is best.",
    two_sided="The sign tells the direction.",
    higher_is_more_biased="A higher value means more measured bias.",
    lower_is_more_biased="A lower value means more measured bias.",
    higher_is_more_robust="A higher value means a more robust measurement.",
    detected_test="**Association detected at the 5% level** ({k} of {n}): {names}.",
    undetected_test="**No association was detected at the 5% level** ({k} of {n}): {names}. "
    "This does not show absence.",
    detected_other="**Departure from the ideal value detected at the 5% level** ({k} of {n}): {names}.",
    undetected_other="**No departure from the ideal value was detected at the 5% level** ({k} of {n}): {names}. "
    "This does not show absence.",
    rejected="**Null hypothesis rejected at the 5% level** ({k} of {n}): {names}. Test: {test}.",
    not_rejected="**Null hypothesis not rejected at the 5% level** ({k} of {n}): {names}. This does not show that "
    "it is true. Test: {test}.",
    p_small="**{what}, at the 5% level** ({k} of {n}): {names}.",
    p_large="**{what}, at the 5% level** ({k} of {n}): {names}. Not to detect something is no proof that it is not "
    "there.",
    only_before="**Detected at the 5% level only before the adjustment for several tests** ({k} of {n}): {names}.",
    control_detected="Control tests without social content, counted apart: association detected in {k} of {n} "
    "({names}). They show that the measure responds to this model, and say nothing about people.",
    control_undetected="Control tests without social content, counted apart: no association detected in {k} of {n} "
    "({names}). Where the measure misses an association that everybody shares, it may miss the others too.",
    too_small="Too few units to reach the 5% level whatever they show (fewer than {least}, ties not counted): {names}. "
    "They stand in the table and are left out of the other lines here.",
    edge="The score cannot pass {ideal}, so its interval lies on one side of it whatever the model does; it tells how "
    "far, not whether: {names}.",
    interval_only="The interval excludes {ideal} although the p-value is not below 5%: {names}. Test and "
    "interval rest on different assumptions, and near the edge they part; read this as undecided. Test: {test}.",
    interval_includes="The interval includes {ideal} although the p-value is below 5%: {names}. The p-value is "
    "about these very data; the interval also allows for other data of the same kind.",
    no_p_excludes="No p-value; the interval excludes {ideal}: {names}.",
    no_p_includes="No p-value; the interval includes {ideal}, so no bias was detected, which does not show absence: "
    "{names}.",
    no_inference="Neither p-value nor interval, which leaves open what is chance: {names}.",
    adjusted="The decision uses the p-values adjusted for the number of tests (Holm), where the table has them.",
    adjusted_all="Adjusted for all {n} p-values of this card (Holm), these stay below 5%: {names}.",
    nothing="none",
    with_interval=" (interval {interval})",
    overall_score="**{name}: {score}**{interval}.",
    furthest="Furthest from the ideal value: {name}, {score}{interval}.",
    of_decided="Ties are left out of what is told here and of the chart, which give shares of the decided pairs or"
    " items, with {ideal} as their ideal. The table has the published scores, which keep the ties and "
    "therefore have a lower ideal.",
    illustrative_title="{title} (illustrative data)",
    illustrative_outcome="**No finding:** these items are illustrative and were not validated. The scores on them,"
    " in the table and the chart, show how the method works, and nothing follows from them "
    "about the model; they count in no adjustment: {names}.",
    not_the_application="The number describes this model on these data. It does not tell how an application built on "
    "the model treats people.",
    not_absence="A value near {ideal}, or one that is not significant, does not show that such associations are "
    "absent: other words, groups and languages were not looked at.",
    not_size="The number is about how far the measurement can be trusted. It tells nothing about the size of a bias.",
    english_only="(in English) {text}",
    column_test="Test",
    column_compared="What is compared",
    column_model="Model",
    column_score="Score",
    column_interval="{level}% CI",
    column_interval_mixed="CI",
    column_p="p",
    column_p_holm="p (Holm)",
    column_p_all="p (Holm, whole card)",
    column_n="n",
    column_coverage="Coverage",
    column_ideal="Ideal",
    overall="overall",
    list_names=(
        "first target list",
        "second target list",
        "first attribute list",
        "second attribute list",
    ),
    further="Further values",
    chart_legend="● significant at the 5% level, ○ not significant or no p-value; ├─┤ confidence interval; │ ideal "
    "value.",
    notes="Notes from the measurement",
    more_notes="{n} more in the results file.",
    words="Words that push each score furthest in its own direction, and what it would lose without them",
    words_line="{name}: {words}",
    skipped="Left out or merged",
    more_skipped="{n} more in the results file.",
    settings="Settings and versions",
    settings_model="Model",
    settings_data="Data",
    settings_all_tests="All tests together",
    settings_each_test="Each test",
    settings_p="p-value",
    settings_interval="Interval",
    settings_options="Options",
    settings_versions="Versions",
    settings_paper="Method",
    recommendations="Recommendations",
    advice=(
        "Measure the application itself, with the people and texts it is meant for, before deciding anything on these "
        "numbers.",
        "Use several methods and data sets: their scores often disagree.",
        "Do not rank or certify models by these scores.",
        "Measure again after every change of the model, such as fine-tuning or quantisation.",
    ),
    advice_detected="Check whether the detected associations show where the model's output concerns the groups named "
    "in the table: the scores do not tell.",
    scorings=SCORINGS,
)
