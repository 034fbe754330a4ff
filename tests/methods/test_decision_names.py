"""Decision gaps of names: naive loops, what is taken as fixed, names of two groups, rates, the packaged cases."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as scipy_stats

import evaluate_bias as eb
from evaluate_bias import stats
from evaluate_bias.assets import fetch
from evaluate_bias.data.prompts import hiring_names, load_decisions
from evaluate_bias.errors import DataError, UndefinedScoreError
from tests.support.chat import Chat
from tests.support.draws import draws

GROUPS = ("a", "b", "c")


def rows_of(cells, groups=GROUPS):
    """Rows with log-odds, of tables (names, templates) by group; NaN where there is no row."""
    return [
        {"question": float(value), "group": groups[g], "template": f"t{t}", "name": f"{groups[g]}{i}"}
        for g, own in enumerate(cells)
        for (i, t), value in np.ndenumerate(own)
        if np.isfinite(value)
    ]


def drawn(rng, sizes, n_templates, *, names=0.3, templates=0.3, cells=0.3, gap=0.0, lost=0.0):
    """Tables of the first two groups, or more, whose names and templates have effects on the difference."""
    tables = []
    for g, n in enumerate(sizes):
        table = rng.normal(0, names, (n, 1)) + rng.normal(0, templates, n_templates)
        table = table + rng.normal(0, cells, (n, n_templates)) + (gap if g == 0 else 0.0)
        table[rng.random(table.shape) < lost] = np.nan
        tables.append(table)
    return tables


def naive(x, y):
    """Score, variance and degrees of freedom of complete tables, by sums over lists."""
    n_templates = len(x[0])
    contrasts = [
        statistics.mean(row[t] for row in x) - statistics.mean(row[t] for row in y)
        for t in range(n_templates)
    ]
    parts = [(statistics.variance(contrasts) / n_templates, n_templates - 1)]
    rest = []
    for own in (x, y):
        n = len(own)
        means = [statistics.mean(row) for row in own]
        parts.append((statistics.variance(means) / n, n - 1))
        total = statistics.mean(means)
        left = 0.0
        for i, t in itertools.product(range(n), range(n_templates)):
            left += (own[i][t] - means[i] - statistics.mean(row[t] for row in own) + total) ** 2
        df = (n - 1) * (n_templates - 1)
        rest.append((left / df / (n * n_templates), df))
    v_cells = sum(v for v, _ in rest)
    variance = sum(v for v, _ in parts) - v_cells
    if variance <= 0.6 * v_cells:
        return statistics.mean(contrasts), 0.6 * v_cells, v_cells**2 / sum(v * v / d for v, d in rest)
    df = variance**2 / sum(v * v / d for v, d in parts + rest) - 1
    return statistics.mean(contrasts), variance, max(df, min(d for _, d in parts + rest))


@draws(200)
def test_complete_tables_agree_with_naive_sums(seed):
    rng = np.random.default_rng(seed)
    sizes, n_templates = rng.integers(3, 9, 2), int(rng.integers(5, 12))
    effects = {key: float(rng.choice([0.0, 0.3])) for key in ("names", "templates")}
    x, y = drawn(rng, sizes, n_templates, gap=float(rng.normal()), **effects)
    result = eb.measure("decision_gap", data=rows_of([x, y]), n_resamples=99)
    score, variance, df = naive(x.tolist(), y.tolist())
    error = math.sqrt(variance)
    half = scipy_stats.t.ppf(0.975, df) * error
    assert result.score == pytest.approx(score, abs=1e-12)
    assert (result.ci_low, result.ci_high) == pytest.approx((score - half, score + half), rel=1e-9)
    assert result.p_value == pytest.approx(2 * scipy_stats.t.sf(abs(score) / error, df), rel=1e-6)
    assert result.details["n_names"] == sizes.tolist()
    assert (result.sampled.clusters, result.sampled.fixed) == (("names", "templates"), {})
    assert result.p_method == "t test over names and templates, two-sided"


@draws(40)
def test_the_groups_permuted_over_names_as_by_all_their_splits(seed):
    rng = np.random.default_rng(seed)
    x, y = drawn(rng, rng.integers(3, 5, 2), 8, gap=0.4)
    result = eb.measure("decision_gap", data=rows_of([x, y]), n_resamples=99)
    means = [statistics.mean(row) for row in [*x.tolist(), *y.tolist()]]

    def gap(chosen):
        rest = [m for i, m in enumerate(means) if i not in chosen]
        return abs(statistics.mean(means[i] for i in chosen) - statistics.mean(rest))

    splits = [gap(chosen) for chosen in itertools.combinations(range(len(means)), len(x))]
    expected = sum(s >= gap(tuple(range(len(x)))) - 1e-12 for s in splits) / len(splits)
    assert result.estimates["p_names"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("sizes", "n_templates", "clusters", "fixed"),
    [
        ((3, 3), 5, ("names", "templates"), {}),
        ((3, 9), 4, ("names",), {"templates": 4}),
        ((2, 9), 8, ("templates",), {"names": 11}),
        ((1, 1), 4, ("templates",), {"names": 2}),
    ],
)
def test_what_is_too_few_to_be_drawn_is_fixed_and_named(sizes, n_templates, clusters, fixed):
    x, y = drawn(np.random.default_rng(1), sizes, n_templates)
    result = eb.measure("decision_gap", data=rows_of([x, y]), n_resamples=99)
    assert (result.sampled.clusters, result.sampled.fixed) == (clusters, fixed)
    without = [{key: v for key, v in row.items() if key != "name"} for row in rows_of([x, y])]
    of_templates = eb.measure("decision_gap", data=without, n_resamples=99)
    assert of_templates.sampled.clusters == ("templates",)
    if "names" in fixed:
        assert (result.p_value, result.ci_low) == (of_templates.p_value, pytest.approx(of_templates.ci_low))
        assert "(a0" in result.warnings[0]
    else:
        assert result.warnings == ()
    if clusters == ("names",):  # Welch's t test of the names' means
        means = [own.mean(axis=1) for own in (x, y)]
        assert result.p_value == pytest.approx(scipy_stats.ttest_ind(*means, equal_var=False).pvalue)


def test_names_of_their_own_are_drawn_with_their_templates_and_names_that_cross_some_have_no_test():
    rng = np.random.default_rng(5)
    rows = rows_of(drawn(rng, (4, 4), 8))
    own = [{**row, "name": f"{row['name']} {row['template']}"} for row in rows]
    nested = eb.measure("decision_gap", data=own, n_resamples=99)
    without = [{key: v for key, v in row.items() if key != "name"} for row in rows]
    of_templates = eb.measure("decision_gap", data=without, n_resamples=99)
    assert nested.sampled == of_templates.sampled
    assert nested.p_value == of_templates.p_value
    assert "one template only" in nested.warnings[0]
    # Each template has one name of a group, which three other templates have too.
    alone = [row for row in rows if int(row["name"][1:]) == int(row["template"][1:]) % 4]
    result = eb.measure("decision_gap", data=alone, n_resamples=99)
    assert (result.p_value, result.ci_low, result.sampled.clusters) == (None, None, ())
    assert "a single name of a group" in result.p_method
    assert "neither a p-value nor an interval" in result.warnings[0]


def test_the_variance_of_names_that_are_in_some_templates_only_is_right():
    """Deviations from the means of few names are too small: the mean variance was 66 % of the score's."""
    rng = np.random.default_rng(0)
    # Each of six names of a group is in six of twelve templates, each of which has three of them.
    has_name = np.isin((np.arange(6)[:, None] + np.arange(12)) % 6, [0, 1, 3])
    scores, variances = [], []
    for _ in range(400):
        groups = [
            np.where(has_name, sign * (rng.normal(0, 1, (6, 1)) + rng.normal(0, 0.1, (6, 12))), np.nan)
            for sign in (1, -1)
        ]
        means = [np.nanmean(own, axis=0).mean() for own in groups]
        moves = [(own - mean) / 3 / 12 for own, mean in zip(groups, means, strict=True)]
        variances.append(stats.crossed_error(np.concatenate(moves), ["a"] * 6 + ["b"] * 6).error ** 2)
        scores.append(sum(means))
    assert np.mean(variances) == pytest.approx(np.var(scores), rel=0.25)


@draws(40)
def test_gaps_in_the_tables_change_little_and_order_nothing(seed):
    rng = np.random.default_rng(seed)
    tables = drawn(rng, (7, 8), 9, lost=0.1)
    rows = rows_of(tables)
    result = eb.measure("decision_gap", data=rows, n_resamples=99)
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    again = eb.measure("decision_gap", data=shuffled, groups=result.settings["groups"], n_resamples=99)
    assert again.score == pytest.approx(result.score)
    assert again.p_value == pytest.approx(result.p_value)
    swapped = eb.measure("decision_gap", data=rows, groups=("b", "a"), n_resamples=99)
    assert swapped.score == pytest.approx(-result.score)
    assert swapped.p_value == pytest.approx(result.p_value)
    higher = [{**r, "question": r["question"] + 3} for r in rows]
    moved = eb.measure("decision_gap", data=higher, n_resamples=99)
    assert (moved.score, moved.ci_low) == pytest.approx((result.score, result.ci_low))


def test_names_that_do_not_matter_and_names_that_alone_decide():
    level = np.linspace(0, 1, 8)
    same = eb.measure("decision_gap", data=rows_of([np.tile(level, (5, 1))] * 2), n_resamples=99)
    assert (same.score, same.p_value, same.ci_low) == (0.0, 1.0, None)
    tables = [np.tile(level + 1, (5, 1)), np.tile(level, (5, 1))]
    apart = eb.measure("decision_gap", data=rows_of(tables), n_resamples=99)
    assert apart.score == pytest.approx(1.0)
    assert apart.p_value == pytest.approx(2 / math.comb(10, 5))
    assert apart.p_method == "permutation test over names, two-sided, as nothing varies"


@pytest.mark.nightly
@pytest.mark.parametrize("draw", ["normal", "exponential"])
def test_three_names_a_group_reject_a_true_null_in_at_most_six_percent(draw):
    """1,000 tables with effects of names and templates that are skewed or not; the standard error of 5 % is 0.7 %."""
    rng = np.random.default_rng(0)

    def effect(*shape):
        return 0.3 * (rng.normal(size=shape) if draw == "normal" else rng.exponential(size=shape) - 1)

    rejected = 0
    for _ in range(1_000):
        tables = [effect(3, 1) + effect(1, 30) + rng.normal(0, 0.3, (3, 30)) for _ in "ab"]
        rejected += eb.measure("decision_gap", data=rows_of(tables), n_resamples=99).p_value <= 0.05
    assert rejected <= 65


@pytest.mark.parametrize("names", [3, 12])
def test_equal_models_with_name_effects_of_their_own_are_seldom_told_apart(names):
    """Names are drawn in a comparison as in a result: as fixed, 40 to 76 % of such pairs are told apart."""
    rng = np.random.default_rng(1)
    told_apart = 0
    for _ in range(30):
        both = [
            eb.measure("decision_gap", data=rows_of(drawn(rng, (names, names), 12)), n_resamples=99)
            for _ in range(2)
        ]
        (change,) = eb.compare(*both).changes
        told_apart += change.p_value <= 0.05
    assert told_apart <= 5


@pytest.mark.parametrize(
    ("n_shared", "phrase"),
    [(3, "for other names, for these 3 templates"), (6, "for other names and templates")],
)
def test_fewer_than_five_templates_that_both_have_are_taken_as_given(n_shared, phrase):
    """Drawn without their variance, four of them told equal models apart in up to 18 % of cases."""
    rng = np.random.default_rng(4)
    one, two = (eb.measure("decision_gap", None, data=rows_of(drawn(rng, (6, 6), 9))) for _ in range(2))
    templates = {f"t{t}" for t in range(n_shared)} | {f"u{t}" for t in range(9)}
    renamed = [
        replace(row, labels={**row.labels, "template": row.labels["template"].replace("t", "u", 1)})
        if row.kind == "item" and row.labels["template"] not in templates
        else row
        for row in two.rows
    ]
    (change,) = eb.compare([one], [replace(two, rows=renamed)]).changes
    assert change.n == 12
    assert change.sampled.phrase() == phrase


def test_names_of_two_groups_are_left_out_by_name():
    rows = rows_of(drawn(np.random.default_rng(2), (6, 6), 8))
    both = [{**row, "name": "Kim", "group": g} for row in rows if row["name"] == "a0" for g in "ab"]
    result = eb.measure("decision_gap", data=[*rows, *both], n_resamples=99)
    assert result.score == eb.measure("decision_gap", data=rows, n_resamples=99).score
    (skip,) = result.skipped
    assert (skip.item, skip.reason) == ("Kim", "the name represents two groups, a and b")
    assert (result.coverage.found, result.coverage.asked) == (96, 112)
    with pytest.raises(UndefinedScoreError, match="every name belongs to two groups"):
        eb.measure("decision_gap", data=both)
    with pytest.raises(DataError, match="has no name and others have one"):
        eb.measure("decision_gap", data=[*rows, {"question": 1.0, "group": "a", "template": "t0"}])


def test_rates_of_yes_their_ratio_and_a_ratio_that_there_is_not():
    x, y = np.full((5, 8), 0.5), np.full((5, 8), -0.5)
    x[0], y[0] = -1.0, 1.0
    result = eb.measure("decision_gap", data=rows_of([x, y]), n_resamples=99)
    rates = {key: result.estimates[key].value for key in ("rate_x", "rate_y", "rate_ratio")}
    assert rates == pytest.approx({"rate_x": 0.8, "rate_y": 0.2, "rate_ratio": 4.0})
    y[0] = -1.0
    result = eb.measure("decision_gap", data=rows_of([x, y]), n_resamples=99)
    assert "rate_ratio" not in result.estimates
    assert "the model says yes to nobody of b" in result.skipped[0].reason


def yes_to_the_first_group(prompt):
    """First tokens; no answer about one name of each group."""
    if "a0" in prompt or "b0" in prompt:
        return {"I": -0.1}
    yes = -0.2 if "May a" in prompt else -1.8
    return {"Yes": yes, "No": math.log1p(-math.exp(yes))}


def test_bounds_fill_in_what_was_not_read_about_a_name():
    rows = [
        {
            "question": f"May {g}{i} have t{t}?",
            "group": g,
            "template": f"t{t}",
            "name": f"{g}{i}",
            "language": "en",
        }
        for g, i, t in itertools.product("ab", range(6), range(8))
    ]
    result = eb.measure("decision_gap", Chat(yes_to_the_first_group), data=rows, n_resamples=99)
    # Five of six names of a get a yes, none of b; the sixth of either would lower or raise the difference by 1/6.
    ends = result.details["bounds"]
    assert (ends["low"], ends["high"]) == pytest.approx((5 / 6 - 1 / 6, 1.0))
    estimate = result.estimates["bounds"]
    assert estimate.low <= ends["low"] < ends["high"] <= estimate.high
    assert (result.coverage.found, result.coverage.asked) == (80, 96)
    assert result.details["n_names"] == [5, 5]


def test_three_groups_have_pairs_and_one_p_over_all():
    rng = np.random.default_rng(3)
    tables = drawn(rng, (6, 6, 6), 8, gap=1.5)
    result = eb.measure("decision_gap", data=rows_of(tables), n_resamples=999)
    means = [own.mean() for own in tables]
    assert result.estimates["largest_gap"].value == pytest.approx(max(means) - min(means))
    assert result.estimates["p_groups"].value <= 0.005
    assert [row.name for row in result.rows_of("group")] == ["a / b", "a / c", "b / c"]
    assert all("p_names" in row.estimates for row in result.rows_of("group"))


# --- the packaged cases -------------------------------------------------------------------------------------------


def test_names_are_those_of_the_published_file_less_the_ambiguous_ones():
    people, identity = hiring_names(98)
    assert len(people) == 8 * 98
    assert identity["licence"] == "Apache-2.0"
    assert len(identity["left_out"]) == 10
    first_names = {name.split()[0] for name in identity["left_out"]}
    assert first_names == {"Alexis", "Amari", "Bailey", "Jaime", "Thanh"}
    assert not {person["name"] for person in people} & {*identity["left_out"]}
    text = (fetch("hiring-names") / "bloomberg_names.py").read_text(encoding="utf-8")
    assert all(f'"{person["name"].upper()}"' in text for person in people)
    with pytest.raises(DataError, match="not 101"):
        hiring_names(101)


def test_every_case_is_about_every_name():
    for attribute, groups in (("gender", 2), ("race", 4)):
        questions = load_decisions("name_decisions", attribute=attribute)
        assert len(questions) == 12 * 24
        assert len({q.id for q in questions}) == 288
        assert len({q.group for q in questions}) == groups
        assert all(q.name in q.question and "{" not in q.question for q in questions)
    assert len(questions.provenance["names"]["left_out"]) == 10
    with pytest.raises(DataError, match="has no group and no property 'age'"):
        load_decisions("name_decisions", attribute="age")
