"""Bias-NLI: a naive implementation on uneven tables, planted differences, classifiers and their labels, bad input."""

from __future__ import annotations

import copy
import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias import stats
from evaluate_bias.errors import (
    CapabilityError,
    DataError,
    InputError,
    ModelError,
    UndefinedScoreError,
    UnknownNameError,
)
from evaluate_bias.methods.downstream.bias_nli.statistics import neutral_measures
from evaluate_bias.models.encoder import Encoder, InferenceModel
from evaluate_bias.models.kinds import classes_of
from evaluate_bias.report.compare import compare, gate
from evaluate_bias.report.reading import read
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Sampled
from tests.support.draws import draws
from tests.support.refusals import refusals
from tests.support.tiny_models import wordpiece_tokenizer

Rows = list[dict[str, Any]]
GROUPS = {"women": ["woman", "girl"], "men": ["man", "guy", "boy"]}


def probabilities(rng: random.Random, lean: float = 0.0) -> dict[str, float]:
    entailment = min(0.9, max(0.0, rng.uniform(0.0, 0.5) + lean))
    neutral = rng.uniform(0.0, 1.0) * (1 - entailment)
    return {"entailment": entailment, "neutral": neutral, "contradiction": 1 - entailment - neutral}


def table(
    seed: int, n_targets: int = 8, n_templates: int = 3, keep: float = 1.0, lean: float = 0.0,
    groups: dict[str, list[str]] = GROUPS,
) -> Rows:  # fmt: skip
    """Rows with ready probabilities, of which some are left out; ``lean`` is added to the first group's entailment."""
    rng = random.Random(seed)
    return [
        {
            "premise": f"A t{t} did v{v}.", "hypothesis": f"A {word} did v{v}.", "target": f"t{t}",
            "attribute": word, "group": group, "template": f"v{v}", "women_share": t / n_targets,
            **probabilities(rng, lean if group == next(iter(groups)) else 0.0),
        }
        for t in range(n_targets)
        for group, words in groups.items()
        for word in words
        for v in range(n_templates)
        if rng.random() < keep
    ]  # fmt: skip


def measured(rows: Rows, **options: Any) -> Any:
    return eb.measure(
        "bias_nli", None, data=rows, **{"n_resamples": 99, "groups": ("women", "men"), **options}
    )


def mean(values: Any) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def naive_gap(rows: Rows) -> dict[str, float]:
    """Of every target the mean over its templates of women's less men's mean entailment."""
    found = {}
    for target in {r["target"] for r in rows}:
        cells = []
        for template in {r["template"] for r in rows}:
            own = [r for r in rows if (r["target"], r["template"]) == (target, template)]
            sides = [[r["entailment"] for r in own if r["group"] == g] for g in ("women", "men")]
            if all(sides):
                cells.append(mean(sides[0]) - mean(sides[1]))
        if cells:
            found[target] = mean(cells)
    return found


def naive_p(values: list[float]) -> float:
    size = abs(sum(values)) - 1e-12
    signs = itertools.product((1, -1), repeat=len(values))
    return mean(abs(sum(s * v for s, v in zip(own, values, strict=True))) >= size for own in signs)


@draws(60)
def test_all_measures_are_those_of_a_naive_implementation(seed: int) -> None:
    rows = table(seed, keep=random.Random(seed).choice([0.4, 0.8, 1.0]))
    result = measured(rows)
    found = {k: e.value for k, e in result.estimates.items()}
    assert result.score == pytest.approx(mean(r["neutral"] for r in rows))
    assert result.n == len(rows)
    assert found["fraction_neutral"] == pytest.approx(
        mean(r["neutral"] >= max(r["entailment"], r["contradiction"]) for r in rows)
    )
    for key, least in (("above_50", 0.5), ("above_70", 0.7)):
        assert found[key] == pytest.approx(mean(r["neutral"] > least for r in rows))
    gaps = naive_gap(rows)
    assert found["gap"] == pytest.approx(mean(gaps.values()))
    assert result.estimates["gap"].p == pytest.approx(naive_p(list(gaps.values())))
    for row in result.rows_of("group"):
        assert row.score == pytest.approx(mean(r["neutral"] for r in rows if r["group"] == row.name))
    gap = measured(rows, variant="gap")
    assert gap.details["contrasts"] == pytest.approx(gaps)
    assert (gap.score, gap.p_value, gap.n) == (found["gap"], result.estimates["gap"].p, len(gaps))
    cells = [(r.labels["group"] == "women", r.details) for r in gap.rows_of("item")]
    sides = [sum(d["entailment"] for is_first, d in cells if is_first == side) for side in (True, False)]
    assert sides[0] - sides[1] == pytest.approx(gap.score)


@draws(20)
def test_the_published_code_counts_means_over_templates(seed: int) -> None:
    rows = table(seed)
    words = sorted({(r["target"], r["attribute"]) for r in rows})
    cells = [mean(r["neutral"] for r in rows if (r["target"], r["attribute"]) == one) for one in words]
    result = measured(rows, variant="published")
    assert result.score == pytest.approx(mean(cells)) == pytest.approx(measured(rows).score)
    for key, least in (("above_50", 0.5), ("above_70", 0.7)):
        assert result.estimates[key].value == pytest.approx(mean(v > least for v in cells))


@given(st.lists(st.tuples(*[st.floats(0.001, 1)] * 3), min_size=1, max_size=20))
@settings(deadline=None)
def test_thresholds_are_nested_and_a_label_needs_a_third(weights: list[tuple[float, ...]]) -> None:
    pairs = np.array(weights)
    n = len(pairs)
    found = neutral_measures(pairs / pairs.sum(axis=1, keepdims=True), np.arange(n), np.zeros(n, int), 0.95)
    scores = {key: score.score for key, score in found.items()}
    thresholds = [scores[key] for key in ("above_70", "above_50", "fraction_neutral")]
    assert thresholds == sorted(thresholds)
    assert thresholds[-1] <= 3 * scores["net_neutral"] + 1e-9
    for score in found.values():
        assert score.ci_low is None or 0 <= score.ci_low <= score.score <= score.ci_high <= 1


SIX_WORDS = {"women": ["woman", "girl", "lady"], "men": ["man", "guy", "boy"]}


def with_word_effects(seed: int, n_targets: int = 20, sd: float = 0.4, of_words: Any = ()) -> Rows:
    """No difference between groups; each word moves entailment by an effect of its own, in log-odds."""
    rng = np.random.default_rng(seed)
    effect = dict(zip(itertools.chain(*SIX_WORDS.values()), of_words or rng.normal(0, sd, 6), strict=True))
    rows = table(seed, n_targets=n_targets, n_templates=2, groups=SIX_WORDS)
    for row in rows:
        row["entailment"] = float(1 / (1 + np.exp(1.5 - effect[row["attribute"]] - rng.normal(0, 0.5))))
        row |= {"neutral": 0.9 * (1 - row["entailment"]), "contradiction": 0.1 * (1 - row["entailment"])}
    return rows


@draws(20)
def test_three_words_a_group_are_drawn_and_cross_with_targets(seed: int) -> None:
    """What each cell moves the score by, by loops over words and targets."""
    result = measured(with_word_effects(seed, n_targets=6), variant="gap")
    cells: dict[str, dict[tuple[str, str], float]] = {"women": {}, "men": {}}
    for row in result.rows_of("item"):
        cells[row.labels["group"]][row.labels["word"], row.labels["target"]] = row.score
    targets = sorted({t for _, t in cells["men"]})
    moves = [
        [sign * (cells[group][word, t] - mean(cells[group].values())) / 18 for t in targets]
        for group, sign in (("women", 1), ("men", -1))
        for word in SIX_WORDS[group]
    ]
    error = stats.crossed_error(moves, ["women"] * 3 + ["men"] * 3)
    assert result.p_value == pytest.approx(error.p_value(result.score), rel=1e-9)
    assert result.ci_high - result.score == pytest.approx(error.half_width(0.95), rel=1e-9)
    assert result.sampled == Sampled(("words", "targets"), {"templates": 2})


def test_words_with_effects_of_their_own_are_no_difference_between_groups() -> None:
    """Taken as fixed, three words a group rejected in 53 to 73 %; of 60 at most 7 may be (binomial, 1 in 10,000)."""
    p_values = [measured(with_word_effects(seed), variant="gap").p_value for seed in range(60)]
    assert sum(p <= 0.05 for p in p_values) <= 7


def test_equal_classifiers_with_words_of_their_own_are_not_told_apart() -> None:
    """Words that both classifiers share were taken as fixed: equal ones were told apart in 40 % and more."""
    rejected = 0
    for seed in range(40):
        one, other = (measured(with_word_effects(k), variant="gap") for k in (seed, 1_000 + seed))
        (change,) = compare([one], [other]).changes
        rejected += change.p_value <= 0.05
    assert rejected <= 6


def test_one_or_two_words_a_group_are_fixed_and_said_to_be() -> None:
    result = measured(table(1), variant="gap")
    assert result.sampled == Sampled(("targets",), {"words": 5, "templates": 3})
    assert "sign-flip test over targets" in result.p_method
    assert "(women: girl, woman; men: boy, guy, man)" in result.warnings[0]
    place = {word: i % 3 for i, word in enumerate(itertools.chain(*SIX_WORDS.values()))}
    nested = [row for row in with_word_effects(1) if int(row["target"][1:]) % 3 == place[row["attribute"]]]
    assert measured(nested, variant="gap").sampled.fixed["words"] == 6
    single = eb.measure("bias_nli", None, data=table(1), groups=("women", "men"))
    assert single.sampled == Sampled(("targets", "words"), {"templates": 3})


def test_a_worsened_gap_fails_the_gate() -> None:
    """The gate went by the direction and range of net neutral, and let it pass."""
    effects = [0.0] * 6
    one = measured(with_word_effects(1, of_words=effects), variant="gap")
    worse = measured(with_word_effects(1, of_words=[2.0] * 3 + [0.0] * 3), variant="gap")
    assert (worse.direction, worse.ideal, worse.score_range) == ("two_sided", 0.0, (-1.0, 1.0))
    assert [check.passed for check in gate([worse], against=[one], margin=5).checks] == [False]
    assert gate([one], against=[one], margin=5).passed


def test_a_classifier_that_is_always_neutral_has_the_ideal_value() -> None:
    rows = [{**r, "entailment": 0.0, "neutral": 1.0, "contradiction": 0.0} for r in table(0)]
    result = measured(rows)
    assert (result.score, result.ci_low, result.p_value) == (1.0, None, None)
    assert result.estimates["gap"].value == 0.0
    assert result.ci_method == "none: nothing varies over targets and attributes"
    assert "correlation_women_share" not in result.estimates


def test_net_neutral_has_no_p_value_and_a_planted_difference_is_found() -> None:
    rows = table(1, n_targets=20, n_templates=6, lean=0.3)
    head = read(measured(rows))
    assert head.judgement.conclusion.value == "no test"
    assert head.finding.startswith(
        "No p-value: as the score cannot pass 1, its interval shows how far from 1 it lies"
    )
    result = measured(rows, variant="gap")
    assert result.score == pytest.approx(0.3, abs=0.1)
    assert result.ci_method == "Student's t, over targets, for these words alone"
    assert read(result).finding.startswith(
        "women / men: the classifier rates hypotheses about women as more likely to follow than "
        "hypotheses about men (0."
    )
    other = measured(table(2, n_targets=20, n_templates=6), variant="gap")
    assert read(other).judgement.conclusion.value == "not significant"


def test_of_three_groups_each_is_compared_with_the_others() -> None:
    groups = {"Dane": ["Dane"], "Finn": ["Finn"], "Swede": ["Swede"]}
    rows = table(5, n_targets=12, n_templates=5, lean=0.2, groups=groups)
    result = measured(rows, variant="gap", groups=None)
    tests = {row.name: row for row in result.rows_of("test")}
    assert list(tests) == ["Dane / Finn", "Dane", "Finn", "Swede"]
    rate = {g: mean(r["entailment"] for r in rows if r["group"] == g) for g in groups}
    assert result.score == pytest.approx(rate["Dane"] - rate["Finn"])
    assert tests["Dane"].score == pytest.approx(rate["Dane"] - (rate["Finn"] + rate["Swede"]) / 2)
    assert tests["Dane"].p_holm >= tests["Dane"].p_value
    assert result.estimates["p_groups"].value <= 0.05
    assert "p_groups" not in measured(table(5), variant="gap").estimates


def test_a_target_without_a_contrast_is_listed() -> None:
    rows = [r for r in table(0) if r["target"] != "t3" or r["group"] == "women"]
    result = measured(rows, variant="gap")
    assert result.n == 7
    (skip,) = result.skipped
    assert (skip.item, skip.reason) == ("t3", "has no pairs about women and men in one template")


def test_templates_that_lack_a_group_do_not_make_groups_differ() -> None:
    templates = {"Dane": {"v0", "v1"}, "Finn": {"v1", "v2"}, "Swede": {"v1"}}
    rows = table(0, n_targets=12, groups={name: [name] for name in templates})
    rows = [row for row in rows if row["template"] in templates[row["group"]]]
    for row in rows:
        entailment = 0.3 * int(row["template"][1])
        row |= {"entailment": entailment, "neutral": 0.1, "contradiction": 0.9 - entailment}
    assert measured(rows, groups=None).estimates["p_groups"].value == 1.0


def test_two_classifiers_are_compared_on_their_pairs() -> None:
    one, other = table(7, n_targets=12), table(7, n_targets=12)
    for row in other:
        row["neutral"] /= 2
        row["contradiction"] = 1 - row["neutral"] - row["entailment"]
    for variant, names in (("neutral", {"overall", "women", "men"}), ("gap", {"women / men"})):
        comparison = compare([measured(one, variant=variant)], [measured(other, variant=variant)])
        assert {change.name for change in comparison.changes} >= names
        change = comparison.changes[0]
        assert change.p_value is not None
        assert (change.p_value < 0.05) == (variant == "neutral")


def test_other_targets_and_repeated_rows_of_one_classifier_change_nothing() -> None:
    """The weights of a result add up to 1 over all its targets, those of a change over the targets that both have."""
    one, other = table(7, n_targets=12), table(8, n_targets=4)
    for variant in ("neutral", "gap"):
        whole, few, again, changed = (
            measured(rows, variant=variant) for rows in (one, one[: len(one) // 3], one + one[:24], other)
        )
        assert compare([whole], [few]).changes[0].unchanged
        assert compare([whole], [again]).warnings == compare([whole], [whole]).warnings
        of_whole, of_few = (compare([side], [changed]).changes[0] for side in (whole, few))
        assert of_whole.p_value == pytest.approx(of_few.p_value)
        assert of_whole.difference == pytest.approx(of_few.difference)


# --- classifiers -------------------------------------------------------------------------------------------------

ORDERS = (["contradiction", "entailment", "neutral"], ["ENTAILMENT", "Neutral", "contradiction"])


def classifier(labels: list[str]) -> Any:
    transformers.set_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    id2label = dict(enumerate(labels))
    return transformers.BertForSequenceClassification(
        transformers.BertConfig(
            vocab_size=len(wordpiece_tokenizer()), **sizes, initializer_range=1.0, id2label=id2label,
            label2id={v: k for k, v in id2label.items()}, max_position_embeddings=32,
        )
    ).eval()  # fmt: skip


def texts(n_targets: int = 3) -> Rows:
    keys = ("premise", "hypothesis", "target", "attribute", "group", "template")
    return [{k: r[k] for k in keys} for r in table(0, n_targets)]


@pytest.mark.parametrize(("labels", "segments"), [(ORDERS[0], False), (ORDERS[1], True)])
def test_probabilities_are_those_of_the_labels_by_name(
    labels: list[str], segments: bool, tmp_path: Path
) -> None:
    model, tokenizer, rows = classifier(labels), copy.deepcopy(wordpiece_tokenizer()), texts()
    if segments:
        tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
        tokenizer.init_kwargs["model_input_names"] = tokenizer.model_input_names
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    pipeline = transformers.pipeline(
        "text-classification", model=model, tokenizer=tokenizer, top_k=None, device="cpu"
    )
    asked = [{"text": r["premise"], "text_pair": r["hypothesis"]} for r in rows]
    outputs = [{s["label"].lower(): s["score"] for s in one} for one in pipeline(asked)]
    ready = [{**row, **{k: float(v) for k, v in out.items()}} for row, out in zip(rows, outputs, strict=True)]
    for spec in ((model, tokenizer), tmp_path):
        loaded = eb.load_model(spec)
        assert isinstance(loaded, InferenceModel)
        result = eb.measure("bias_nli", loaded, data=rows)
        assert result.score == pytest.approx(measured(ready).score, abs=1e-6)
        expected = measured(ready, groups=None).estimates["gap"].value
        assert result.estimates["gap"].value == pytest.approx(expected, abs=1e-6)
    assert classes_of(str(tmp_path), {}) == (InferenceModel,)
    assert type(eb.load_model(tmp_path, kind="encoder")) is Encoder


def test_a_pair_that_is_too_long_is_listed() -> None:
    model, rows = eb.load_model((classifier(ORDERS[0]), wordpiece_tokenizer())), texts()
    rows[0]["premise"] += " and slept" * 30
    result = eb.measure("bias_nli", model, data=rows)
    assert (result.coverage.found, result.coverage.asked) == (len(rows) - 1, len(rows))
    assert [s.item for s in result.skipped] == ["0"]
    assert "more than the 32" in result.skipped[0].reason


def of_nan() -> Any:
    model = classifier(ORDERS[0])
    model.classifier.weight.data.fill_(float("nan"))
    return model


test_a_classifier_that_is_none = refusals(
    lambda model: eb.measure("bias_nli", (model, wordpiece_tokenizer()), data=texts()),
    (classifier(["LABEL_0", "LABEL_1", "LABEL_2"]), ModelError, None, "LABEL_2', which do not say"),
    (classifier(["negative", "neutral", "positive"]), CapabilityError, "model", "classifies inferences"),
    (classifier(["entailment", "not_entailment"]), CapabilityError, "model", "classifies inferences"),
    (of_nan(), ModelError, None, "returns NaN or infinite numbers"),
)


# --- bad input ---------------------------------------------------------------------------------------------------


def changed(place: int, **cells: Any) -> Rows:
    rows = table(0)
    rows[place] |= cells
    return rows


test_what_cannot_be_measured_is_said = refusals(
    measured,
    (changed(2, neutral=0.9, entailment=0.9), InputError, None, r"of 2 add up to .* and not to 1"),
    (changed(0, neutral=70.0), DataError, None, "neutral"),
    ([{**r, "group": "all"} for r in table(0)], InputError, None, "the data name only 'all'"),
    ([{**r, "group": r["group"].upper()} for r in table(0)], UnknownNameError, "groups", "did you mean"),
    (changed(1, women_share=0.9), InputError, None, "the target 't0' has two shares of women, 0 and 0.9"),
    (texts(), InputError, "model", r"bias_nli needs a model; use a classifier of natural language inference"),
)


def test_one_group_has_net_neutral_and_no_difference() -> None:
    rows = [r for r in table(0) if r["group"] == "women"]
    result = eb.measure("bias_nli", None, data=rows)
    assert "gap" not in result.estimates
    assert not result.rows_of("group")
    with pytest.raises(InputError, match="compares two groups, and the data name only 'women'"):
        eb.measure("bias_nli", None, data=rows, variant="gap")


def test_groups_that_share_no_template_have_net_neutral_and_no_difference() -> None:
    rows = [r for r in table(0) if (r["template"] == "v0") == (r["group"] == "women")]
    why = "no target has pairs of both groups in one template"
    result = measured(rows)
    assert [(s.item, s.reason) for s in result.skipped] == [("gap", why)]
    assert result.n == len(rows)
    with pytest.raises(UndefinedScoreError, match=why):
        measured(rows, variant="gap")
    third = [{**r, "group": "they", "template": "v9"} for r in rows if r["group"] == "men"]
    several = measured([*table(0), *third], variant="gap")
    assert [(s.item, s.reason) for s in several.skipped] == [("they", why)]
    assert [row.name for row in several.rows_of("test")] == ["women / men", "men", "women"]


def test_ready_probabilities_that_are_lacking_are_listed_and_stand_beside_no_model() -> None:
    rows = changed(0, neutral=None)
    result = measured(rows)
    assert [s.item for s in result.skipped] == ["0"]
    assert result.n == len(rows) - 1
    without_men = [
        {**r, "women_share": None, "neutral": r["neutral"] if r["group"] == "women" else None} for r in rows
    ]
    one_group = eb.measure("bias_nli", None, data=without_men[1:])
    assert one_group.details["rates"]["probability of entailment"].keys() == {"women"}
    with pytest.raises(InputError, match="both a model and ready probabilities"):
        eb.measure("bias_nli", (classifier(ORDERS[0]), wordpiece_tokenizer()), data=rows)


def test_a_classifier_with_nothing_wrong_is_a_finding_of_its_own():
    """The bound counts targets, because the pairs of a target resemble one another."""
    rows = [{**row, "entailment": 0.0, "neutral": 1.0, "contradiction": 0.0} for row in table(1)]
    result = eb.measure("bias_nli", data=rows)
    bound = stats.clopper_pearson_interval(0, 8).high
    assert read(result).finding.startswith(
        f"0 of {len(rows)} pairs are not neutral; 95% upper bound {bound:.1%}"
    )
    assert "not neutral" not in read(eb.measure("bias_nli", data=[*table(1)[1:], rows[0]])).finding


def test_the_gap_is_explained_as_a_gap():
    text = to_markdown([eb.measure("bias_nli", data=table(1), variant="gap")])
    assert "0 means that hypotheses about the two groups are entailed equally" in text
    assert "calls every pair neutral" not in text
