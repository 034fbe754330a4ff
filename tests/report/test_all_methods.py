"""Every method's own results, made from ready scores, go through tables, plots and cards without special care."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from evaluate_bias.methods.agreement.pll_robustness import method as pll_robustness
from evaluate_bias.methods.pairs.crows_pairs import method as crows_pairs
from evaluate_bias.methods.pairs.kldivs import method as kldivs
from evaluate_bias.methods.pairs.stereoset import method as stereoset
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.lines import decided_lines, report_lines
from evaluate_bias.report.row_tables import summary_frame, to_markdown
from evaluate_bias.result import Result


def pairs(extra: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Sixty pairs with random scores, the stereotypical sentence ahead by one on average."""
    rng = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for i in range(60):
        row: dict[str, Any] = {
            "bias_type": ("gender", "age", "religion")[i % 3],
            "stereo_antistereo": "stereo",
        }
        for suffix in ("", *extra):
            row[f"sent_more{suffix}"] = float(rng.normal(1.0))
            row[f"sent_less{suffix}"] = float(rng.normal(0.0))
        rows.append(row)
    return rows


def stereoset_items() -> list[dict[str, Any]]:
    rng = np.random.default_rng(2)
    return [
        {
            "target": f"t{i % 6}",
            "bias_type": ("gender", "profession")[i % 2],
            "task": ("intrasentence", "intersentence")[i // 20],
            "context": "BLANK",
            "sentences": [
                {"gold_label": label, "sentence": float(rng.normal())}
                for label in ("stereotype", "anti-stereotype", "unrelated")
            ],
        }
        for i in range(40)
    ]


RESULTS = {
    "crows_pairs": lambda: crows_pairs.evaluate(None, pairs()),
    "kldivs": lambda: kldivs.evaluate(None, pairs(), n_resamples=999, ci_resamples=200),
    "pll_robustness": lambda: pll_robustness.evaluate(None, pairs(("_par",))),
    "stereoset": lambda: stereoset.evaluate(None, stereoset_items(), n_resamples=200),
}


@pytest.fixture(scope="module", params=sorted(RESULTS))
def result(request: pytest.FixtureRequest) -> Result:
    made: Result = RESULTS[request.param]()
    return made


def test_rows_are_the_overall_score_and_the_categories(result: Result) -> None:
    frame = summary_frame([result])
    assert frame["test"][0] == "overall"
    assert len(frame) == 1 + len(result.rows_of("group"))
    assert frame["test"].is_unique
    assert frame["score"][0] == result.score
    assert result.method in to_markdown([result]) or "overall" in to_markdown([result])


def test_a_measure_of_the_measurement_makes_no_claim_about_the_model() -> None:
    text = bias_section([RESULTS["pll_robustness"]()])
    assert "Association detected" not in text
    assert "Departure from the ideal value" not in text
    assert "Check whether the detected associations" not in text
    assert "It says nothing about the size of a bias." in text
    assert (
        "it was not shown that the preferences for the pairs agree better with those for their own paraphrases"
        in text
    )
    assert "ull hypothesis" not in text


def test_sentences_and_charts_speak_of_the_decided_pairs() -> None:
    """Ten of thirty pairs tie, the others are balanced: the published score is 33.3, its own ideal."""
    rows = [{"sent_more": v, "sent_less": 0.0, "bias_type": "age"} for v in [1.0, -1.0] * 10 + [0.0] * 10]
    result = crows_pairs.evaluate(None, rows)
    text = bias_section([result])
    assert "Scores are shares of the decided pairs or items, ideal 50" in text
    assert "33.33 (33.33)" in text.replace("\u00a0", " ")
    assert "o difference from 50 was detected (50.00" in text
    assert "The interval excludes" not in text
    assert [row.ideal for row in report_lines([result])] == pytest.approx([100 / 3])
    assert [(row.score, row.ideal) for row in decided_lines(report_lines([result]))] == [(50.0, 50.0)]
    assert "ideal 33.3" in str(result)


def test_the_description_follows_the_variant() -> None:
    """Of scores by a causal model no card may say that they are of the tokens which both sentences share."""
    result = crows_pairs.evaluate(
        None, [{"sent_more": 1.0, "sent_less": 0.0}, {"sent_more": 0.0, "sent_less": 1.0}]
    )
    for scoring, told in (
        ("causal", "every token given those before it"),
        ("crows_pairs", "of the shared tokens"),
    ):
        other = dataclasses.replace(result, settings={**result.settings, "scoring": scoring})
        text = bias_section([other])
        assert told in text
        assert ("shared tokens" in text) == (scoring == "crows_pairs")
    assert "The score of a sentence here" not in bias_section([result])


def test_a_test_of_something_else_than_the_ideal_is_not_called_a_departure_from_it() -> None:
    text = bias_section([RESULTS["kldivs"]()])
    assert "Departure from the ideal value" not in text
    assert "ull hypothesis" not in text
    assert (
        "It was not shown that KLDivS is larger than swapping the sentences of pairs at random explains"
        in text
    )
    assert "The p-value is the share of swaps of the two sentences within pairs" in text
    assert "Check whether the detected associations" not in text
    assert "No p-value; the interval excludes" not in text  # KLDivS cannot be below its ideal value


def test_a_category_is_held_against_its_own_ideal_where_it_has_one() -> None:
    result = RESULTS["kldivs"]()
    assert summary_frame([result])["ideal"].tolist() == [
        result.ideal,
        *(row.estimates["null_mean"].value for row in result.rows_of("group")),
    ]


def test_a_test_of_preference_is_a_departure_from_the_ideal() -> None:
    text = bias_section([RESULTS["crows_pairs"]()])
    assert "The model more often prefers the more stereotypical sentence (" in text
