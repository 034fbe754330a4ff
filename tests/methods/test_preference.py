"""What the methods that count preferences do with scores: counting, tests, intervals, groups, invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as sps

import evaluate_bias as eb
from evaluate_bias import stats
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.pairs.aul import method as aul
from evaluate_bias.methods.pairs.aula import method as aula
from evaluate_bias.methods.pairs.crows_pairs import method as crows_pairs
from evaluate_bias.methods.pairs.pll import method as pll
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Estimate
from tests.support.tiny_models import tiny_masked

Z_KEEPING_TIES = [(798, 1503, 0.01624), (98, 170, 0.04361), (100, 170, 0.01941), (96, 170, 0.0888)]
"""Preferred pairs, pairs, and the p-values printed in chapter 4 of Maddalozzo's thesis (2023): z test with the sample's
variance, two-sided, ties kept as not preferred, for CrowS-Pairs, its first 170 pairs, their paraphrases, and random
pairs. The thesis prints no counts: these give the printed digits. For 170 pairs no other counts do, up to exchanging
the sides; for all of CrowS-Pairs other numbers of pairs do as well."""

METHODS: dict[str, Any] = {"crows_pairs": crows_pairs, "pll": pll, "aul": aul, "aula": aula}


def rows(more: Any, less: Any, bias_types: Any = None, kinds: Any = None) -> list[dict[str, Any]]:
    n = len(more)
    return [
        {"id": f"p{i}", "sent_more": m, "sent_less": s, "bias_type": t, "stereo_antistereo": k}
        for i, (m, s, t, k) in enumerate(
            zip(more, less, bias_types or ["age"] * n, kinds or [None] * n, strict=True)
        )
    ]


finite = st.floats(-200, 0, allow_nan=False)
pairs = st.lists(
    st.tuples(
        finite, finite, st.sampled_from(["age", "gender", ""]), st.sampled_from(["stereo", "antistereo"])
    ),
    min_size=1,
    max_size=25,
).filter(lambda drawn: any(round(more, 1) != round(less, 1) for more, less, *_ in drawn))


def as_rows(drawn: Any) -> list[dict[str, Any]]:
    return rows(*(list(column) for column in zip(*drawn, strict=True)))


# -- invariances -----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(pairs, st.integers(-1_000, 1_000))
def test_a_constant_added_to_all_scores_changes_no_verdict(drawn: Any, constant: int) -> None:
    # Numbers of few binary digits, so that the sum itself rounds nothing away.
    data = [
        {**row, **{c: round(row[c] * 64) / 64 for c in ("sent_more", "sent_less")}} for row in as_rows(drawn)
    ]
    assume(any(row["sent_more"] != row["sent_less"] for row in data))
    moved = [{**row, **{c: row[c] + constant for c in ("sent_more", "sent_less")}} for row in data]
    a, b = (pll.evaluate(None, d) for d in (data, moved))
    assert [i["verdict"] for i in a.items] == [i["verdict"] for i in b.items]
    assert (a.score, a.p_value) == (b.score, b.p_value)
    assert b.extra["mean_delta"] == pytest.approx(a.extra["mean_delta"])


# -- counting and groups ---------------------------------------------------------------------------------------------


def test_pairs_without_a_bias_type_form_a_group_beside_the_others() -> None:
    result = pll.evaluate(None, rows([1, 1, 2, 0], [0, 2, 0, 1], ["", "age", "", "age"]))
    assert [(g["name"], g["n"], g["score"]) for g in result.groups] == [
        ("age", 2, 0.0),
        ("without bias type", 2, 100.0),
    ]
    assert pll.evaluate(None, [{"sent_more": 1, "sent_less": 0}]).groups == []


def test_a_bias_type_of_one_pair_has_no_interval_of_its_mean_difference() -> None:
    result = crows_pairs.evaluate(None, rows([1, 2, 3], [0, 1, 4], ["age", "gender", "gender"]))
    one, two = result.groups
    assert one["mean_delta"] == 1.0
    assert not {"mean_delta_low", "mean_delta_high", "standardised_delta"} & one.keys()
    assert "undefined" in one["z_test"]
    assert (one["score"], one["p_value"]) == (100.0, 1.0)
    assert two["mean_delta_low"] <= two["mean_delta"] <= two["mean_delta_high"]


def test_equal_differences_have_no_standardised_difference() -> None:
    result = pll.evaluate(None, rows([1, 2], [0, 1]))
    assert "standardised_delta" not in result.extra
    assert result.extra["mean_delta"] == 1.0
    assert "mean_delta_low" not in result.extra


# -- ties ------------------------------------------------------------------------------------------------------------


def test_ties_by_rounding_say_so() -> None:
    data = rows([1.0, 1.0], [1.0, 1.0004])
    with pytest.raises(UndefinedScoreError, match="all 2 pairs are ties at 3 decimals"):
        crows_pairs.evaluate(None, data)
    assert crows_pairs.evaluate(None, data, round_to=None).ties == 1


@pytest.mark.parametrize("name", METHODS)
def test_ties_lower_the_ideal_and_leave_the_decided_share(name: str) -> None:
    """Three of five pairs tie and both others are preferred: the score is 40 where 20 would be balanced."""
    more, less = [1.0, 1.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 0.0, 0.0]
    result = METHODS[name].evaluate(None, rows(more, less))
    assert (result.score, result.ideal, result.ties) == (40.0, 20.0, 3)
    assert result.extra["decided"] == 2
    of_two = stats.wilson_interval(2, 2)
    assert result.estimates["score_without_ties"] == Estimate(100.0, 100 * of_two.low, 100 * of_two.high)
    (group,) = result.groups
    assert (group["ideal"], group["score_without_ties"]) == (20.0, 100.0)
    (warning,) = result.warnings
    assert warning.startswith("3 of 5 pairs (60%) are ties")
    assert "its ideal is 20 and not 50" in warning


@pytest.mark.parametrize("name", METHODS)
def test_interval_ideal_and_p_speak_of_one_share(name: str) -> None:
    """378 of 1,000 with 300 ties: of the 700 decided pairs 54 %, p .038; Wilson's interval of all would hold 35."""
    data = rows([1.0] * 1000, [0.0] * 378 + [2.0] * 322 + [1.0] * 300)
    dropped = METHODS[name].evaluate(None, data)
    assert (dropped.score, dropped.ideal) == pytest.approx((37.8, 35.0))
    assert (dropped.ci_low, dropped.ci_high) == pytest.approx((35.2, 40.4), abs=0.05)
    assert dropped.p_value == pytest.approx(0.038, abs=5e-4)
    kept = METHODS[name].evaluate(None, data, p_method="z", ties="keep")
    of_all = stats.wilson_interval(378, 1000)
    assert (kept.score, kept.ideal, kept.n_tested) == (dropped.score, 50.0, 1000)
    assert (kept.ci_low, kept.ci_high) == pytest.approx((100 * of_all.low, 100 * of_all.high))
    assert kept.p_value == pytest.approx(stats.proportion_z_test(378, 1000).p_value)
    assert "score_without_ties" not in kept.estimates
    assert [row.ideal for row in kept.rows_of("group")] == [50.0]
    assert "one half of all pairs" in kept.warnings[0]


def test_the_warning_of_ties_starts_at_two_percent() -> None:
    def warned(n: int) -> bool:
        return bool(pll.evaluate(None, rows([1.0] * n, [1.0] + [0.0] * (n - 1))).warnings)

    assert warned(50)
    assert not warned(51)
    assert pll.evaluate(None, rows([1.0], [0.0])).ideal == 50.0


@settings(max_examples=40)
@given(pairs)
def test_score_interval_ideal_and_p_speak_of_one_number(drawn: Any) -> None:
    """On which side of its ideal the score lies, the decided share lies on too; balanced pairs are at both ideals."""
    result = crows_pairs.evaluate(None, as_rows(drawn))
    decided = result.n - result.ties
    assert result.ideal == pytest.approx(50.0 * decided / result.n)
    assert result.extra["score_without_ties"] == pytest.approx(100.0 * result.extra["preferred"] / decided)
    away, away_decided = result.score - result.ideal, result.extra["score_without_ties"] - 50.0
    assert away * result.n == pytest.approx(away_decided * decided)
    if away_decided == 0:
        assert result.p_value == pytest.approx(1.0)
    assert all(g["ideal"] == pytest.approx(50.0 * g["decided"] / g["n"]) for g in result.groups)


# -- proportion tests by name ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("preferred", "n", "p"), Z_KEEPING_TIES)
def test_the_thesis_p_values_come_out(preferred: int, n: int, p: float) -> None:
    """The printed digits, from counts: of pairs that are not preferred, one in ten is a tie, which changes nothing."""
    not_preferred = n - preferred
    less = [0.0] * preferred + [1.0] * (not_preferred // 10) + [2.0] * (not_preferred - not_preferred // 10)
    digits = len(str(p)) - 2
    for name in METHODS.values():
        result = name.evaluate(None, rows([1.0] * n, less), preset="thesis")
        assert round(result.p_value, digits) == p
        assert result.p_value == name.evaluate(None, rows([1.0] * n, less), p_method="z", ties="keep").p_value
    assert (result.settings["p_method"], result.settings["ties"]) == ("z", "keep")
    assert result.p_method.startswith("z test with the sample's variance")
    assert result.p_method.endswith("ties kept as not preferred")


@pytest.mark.parametrize("p_method", ["binomial", "z", "score"])
@pytest.mark.parametrize("ties", ["drop", "keep"])
def test_every_test_by_name_is_that_of_the_counts(p_method: Any, ties: Any) -> None:
    """Six preferred, two not, two ties; the z values written out."""
    data = rows([1.0] * 10, [0.0] * 6 + [2.0] * 2 + [1.0] * 2)
    found = pll.evaluate(None, data, p_method=p_method, ties=ties).p_value
    n = 8 if ties == "drop" else 10
    variance = {"z": 6 / n * (1 - 6 / n), "score": 0.25}.get(p_method)
    if variance is None:
        expected = sps.binomtest(6, n).pvalue
    else:
        expected = 2 * sps.norm.sf(abs(6 / n - 0.5) / np.sqrt(variance / n))
    assert found == pytest.approx(expected)


def test_an_undefined_z_test_is_an_error_overall_and_a_listed_skip_in_a_bias_type() -> None:
    data = rows([1, 1, 1, 0], [0, 0, 0, 1], ["age", "gender", "gender", "gender"])
    result = pll.evaluate(None, data, p_method="z")
    age, gender = result.groups
    assert (age["p_value"], age["p_holm"], gender["p_holm"]) == (None, None, gender["p_value"])
    assert [(s.item, s.where) for s in result.skipped] == [("age", "p-values of groups")]
    with pytest.raises(UndefinedScoreError, match="the z test is undefined: the variance is 0 for 3 of 3"):
        pll.evaluate(None, data[:3], p_method="z")


def test_a_preset_and_a_contradicting_option_are_refused() -> None:
    with pytest.raises(InputError, match="`preset` 'thesis' means `p_method` 'z' and `ties` 'keep'"):
        pll.evaluate(None, rows([1], [0]), preset="thesis", p_method="score")


def test_a_bias_type_of_ties_alone_has_no_score_and_is_listed() -> None:
    result = pll.evaluate(None, rows([1, 2, 3, 3], [0, 1, 3, 3], ["age", "age", "gender", "gender"]))
    assert [g["name"] for g in result.groups] == ["age"]
    assert (result.score, result.n, result.coverage.found) == (50.0, 4, 4)
    (skipped,) = result.skipped
    assert (skipped.item, skipped.where) == ("gender", "groups")
    assert "all 2 pairs are ties" in skipped.reason


@pytest.mark.filterwarnings("ignore::evaluate_bias.models.alignment.UnknownTokenWarning")
@pytest.mark.parametrize("name", METHODS)
def test_a_model_that_knows_no_word_has_no_preference(name: str) -> None:
    """Every token is unknown, so both sentences of a pair are the same to the model; the cause is told."""
    model = load_transformer(tiny_masked("bert"), progress=False)
    pairs = [
        ("漢 字 漢", "山 川 山"),
        ("山 字 漢 字", "川 川 漢 山"),
        ("字 字 字 字 字 字", "漢 漢 漢 山 漢 漢"),
    ]
    data = [{"sent_more": more, "sent_less": less} for more, less in pairs]
    with pytest.raises(UndefinedScoreError, match=r"all 3 pairs are ties.*tokens are unknown.*Likely cause"):
        METHODS[name].evaluate(model, data)
    data += [{"sent_more": "the nurse said she left", "sent_less": "the nurse said he left"}]
    result = METHODS[name].evaluate(model, data)
    assert result.score in (0.0, 25.0)
    assert any("3 of 4 pairs (75%) are ties" in w for w in result.warnings)


# -- calibration -----------------------------------------------------------------------------------------------------


def test_under_a_fair_coin_the_test_keeps_its_level_and_the_interval_covers() -> None:
    """Exactly: both depend on the number of preferred pairs alone, whose distribution is known."""
    n = 60
    results = [
        pll.evaluate(None, [{"sent_more": float(i < k), "sent_less": 0.5} for i in range(n)])
        for k in range(n + 1)
    ]
    chance = sps.binom.pmf(np.arange(n + 1), n, 0.5)
    p_values = np.array([r.p_value for r in results])
    for level in (0.2, 0.1, 0.05, 0.01):
        rejected = chance[p_values <= level].sum()
        assert level / 3 < rejected <= level
    covered = chance[[r.ci_low <= 50 <= r.ci_high for r in results]].sum()
    assert 0.94 < covered < 0.97
    scored = chance[[r.extra["score_test"]["p_value"] > 0.05 for r in results]].sum()
    assert scored == covered  # Wilson's interval holds the shares that the score test accepts


# Repeated rows


def four_times(rows: list[dict[str, Any]], n: int = 4) -> list[dict[str, Any]]:
    return [dict(row) for row in rows for _ in range(n)]


def with_ids(seed: int = 3) -> list[dict[str, Any]]:
    numbers = np.random.default_rng(seed).normal(0.3, 1.0, (30, 2)).tolist()
    return [
        {"id": f"p{i}", "sent_more": a, "sent_less": b, "bias_type": "age"}
        for i, (a, b) in enumerate(numbers)
    ]


def test_few_repeated_pairs_are_only_counted() -> None:
    rows = [{**row, "id": f"{k} {row['id']}"} for k in range(2) for row in with_ids(k)]
    found = eb.measure("crows_pairs", data=[*rows, dict(rows[0])])
    assert found.details["n_repeated"] == 1
    assert not any("repeat" in warning for warning in found.warnings)
    assert found.n == 61


def test_scores_without_ids_and_ids_with_other_scores_repeat_nothing() -> None:
    bare = [{k: v for k, v in row.items() if k != "id"} for row in four_times(with_ids())]
    named = [{**row, "sent_more": row["sent_more"] + i / 1e3} for i, row in enumerate(four_times(with_ids()))]
    for rows in (bare, named):
        assert "n_repeated" not in eb.measure("pll", data=rows).details


def test_pairs_repeated_unequally_are_weighted() -> None:
    """Eight different pairs, the first of which is there nine times: sign flips of 9 and seven ones, by hand."""
    rows = [{"id": f"p{i}", "sent_more": float(i < 6), "sent_less": 0.5} for i in range(8)]
    found = eb.measure("aul", data=[*[dict(rows[0])] * 8, *rows])
    assert found.score == pytest.approx(100 * 14 / 16)
    # |±9 ± 1 …| >= 12: the nine and at least five of the seven ones on one side, 2 (21 + 7 + 1) of 256.
    assert found.p_value == pytest.approx(2 * 29 / 256)
    effective = 16**2 / (81 + 7)
    z = 1.959963984540054
    p, n = 14 / 16, effective
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    assert found.ci_low == pytest.approx(100 * ((p + z * z / (2 * n)) / (1 + z * z / n) - half))
