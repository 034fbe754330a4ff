"""What the section says of which results: data and their flaws, findings and what is no finding."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from evaluate_bias.cli import app
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import card, plan_card
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.card.texts import LANGUAGES, card_text
from evaluate_bias.report.results_io import write_results
from evaluate_bias.result import Estimate, Result, Row
from tests.report.samples import group, pairs_result, weat_item, weat_result

PACKAGED = {"source": "minimal_pairs", "language": "es", "sha256": "ef" * 32}
PUBLISHED = {
    "source": "crows_pairs",
    "config": "en",
    "split": "test",
    "language": "en",
    "repository": "nyu-mll/crows-pairs",
    "revision": "8aaac11c485473159ec9328a65253a5be9a479dc",
    "sha256": "df" * 32,
}


def crows(dataset: dict[str, Any], **changes: Any) -> Result:
    """A CrowS-Pairs result on these data."""
    provenance = {"model": {"name": "bert"}, "dataset": dataset}
    fields = {"method": "crows_pairs", "direction": "two_sided", "provenance": provenance, **changes}
    return pairs_result(**fields)


def small_groups() -> tuple[Row, ...]:
    """Five pairs all one way, six of which one is a tie, and six decided ones."""
    return (
        group("age", 100.0, ci_low=56.6, ci_high=100.0, p_value=0.0625, n=5),
        group("race", 0.0, ci_low=0.0, ci_high=39.0, p_value=0.0625, n=6, ties=1),
        group("gender", 66.7, ci_low=30.0, ci_high=90.3, p_value=0.69, n=6),
    )


def part(text: str, title: str) -> str:
    """What stands under a bold title, up to the next one."""
    return text.split(f"**{title}**\n\n")[1].split("\n\n")[0]


def test_illustrative_data_are_called_that_and_nothing_is_said_of_published_ones() -> None:
    data = part(bias_section([crows(PACKAGED)]), "Data")
    assert "- Minimal pairs packaged with evaluate-bias (bias/minimal-pairs), language es." in data
    text = bias_section([crows(PACKAGED)], level="full")
    for word in ("published", "Blodgett", "United States"):
        assert word not in text


def test_published_data_are_named_with_source_revision_and_flaws() -> None:
    section = bias_section([crows(PUBLISHED)])
    data = part(section, "Data")
    assert ("- CrowS-Pairs (bias/crows-pairs), language en. Units scored: 1508.") in data
    settings = next(row for row in section.splitlines() if row.startswith("- Data: "))
    for pin in (
        "repository nyu-mll/crows-pairs",
        "split test",
        "revision 8aaac11c4854",
        "sha256 " + "df" * 32,
    ):
        assert pin in settings
    assert "Blodgett et al. (2021)" in section
    assert "illustrative" not in section


@pytest.mark.parametrize(
    ("dataset", "told"),
    [
        (
            {"source": "/home/me/pairs.csv", "language": "nl"},
            "pairs.csv, language nl, no revision or checksum",
        ),
        ({"source": "me/pairs", "revision": "v2"}, "me/pairs, language not stated."),
        ({"source": "columns given to compute()"}, "no record of where they come from, language not stated."),
        ({}, "no record of where they come from, language not stated."),
        ({"source": "a.csv", "language": "und", "sha256": "7"}, "a.csv, language not stated."),
    ],
)
def test_language_and_origin_are_always_told(dataset: dict[str, Any], told: str) -> None:
    assert told in part(bias_section([crows(dataset)]), "Data")


def test_illustrative_data_enter_no_model_index(tmp_path: Path) -> None:
    plan = plan_card("# My model\n", [crows(PACKAGED)])
    assert plan.text.startswith("# My model\n")
    assert plan.warnings == (
        "no score on Minimal pairs packaged with evaluate-bias is entered in model-index: these data are "
        "illustrative and not validated",
    )
    both = plan_card("---\nlicense: mit\n---\n# M\n", [crows(PACKAGED), crows(PUBLISHED)]).text
    (model,) = yaml.safe_load(both.split("---\n")[1])["model-index"]
    (entry,) = model["results"]
    assert entry["dataset"] == {
        "name": "CrowS-Pairs",
        "type": "bias/crows-pairs",
        "config": "en",
        "split": "test",
    }
    broken = plan_card("---\nbroken: [\n---\n", [crows(PACKAGED)])
    assert not any("YAML" in w for w in broken.warnings)
    update = card(crows(PACKAGED), tmp_path, eval_results=True)
    assert not (tmp_path / ".eval_results").exists()
    assert any("left out: bias/minimal-pairs" in w for w in update.warnings)


def test_warnings_stand_above_the_findings_and_those_on_everything_are_never_cut_off() -> None:
    of_tests = [f"weat6: note {i}" for i in range(9)]
    whole = [f"bert: {i} of 30 tokens are unknown to the tokenizer" for i in range(7)]
    text = bias_section([weat_result([weat_item()], warnings=(*of_tests, *whole))])
    assert text.index("Notes from the measurement") < text.index("**Found**")
    notes = part(text, "Notes from the measurement").splitlines()
    assert [n.removeprefix("- ") for n in notes[:7]] == whole
    assert notes[7:] == [*(f"- {n}" for n in of_tests[:5]), "- 4 more in the results file."]


def test_groups_too_small_for_any_finding_are_no_headline() -> None:
    found = part(bias_section([crows(PUBLISHED, groups=small_groups())]), "Found")
    assert (
        "Too few units to reach the 5% level whatever they show (fewer than 6, ties not counted): age, race."
        in found
    )
    assert found.count("age") == found.count("race") == 1
    assert "**No departure from the ideal value was detected** (1 of 2): gender." in found


def test_a_measurement_that_is_too_small_as_a_whole() -> None:
    text = bias_section([crows(PUBLISHED, n=4, p_value=0.125, groups=())])
    found = part(text, "Found")
    assert found.startswith("- Too few units")
    assert "overall: 60.50" not in found
    assert "Furthest" not in found
    assert "adjusted" not in found
    assert "detected" not in found


def test_the_smallest_group_is_that_of_the_exact_test() -> None:
    from evaluate_bias.stats import binomial_test

    least = METHODS["crows_pairs"].min_n_for_significance
    assert binomial_test(least, least).p_value < 0.05 <= binomial_test(least - 1, least - 1).p_value


def test_lists_of_no_known_language() -> None:
    provenance = {"model": {"name": "m"}, "dataset": {"source": "given by the caller"}}
    text = bias_section([weat_result([weat_item(language="und")], provenance=provenance)])
    assert (
        "- Data given by whoever ran the measurement, with no record of where they come from, language not stated."
        in text
    )
    assert "language und" not in text


def test_control_tests_are_counted_apart() -> None:
    items = [
        weat_item("a"),
        weat_item("b", score=0.1, ci_low=-0.3, ci_high=0.5, p_value=0.4, p_holm=0.4),
        weat_item("flowers", score=1.99, bias_type="none (baseline)"),
        weat_item("arms", score=0.1, p_value=0.4, p_holm=0.4, bias_type="none (baseline)"),
    ]
    found = part(bias_section([weat_result(items)]), "Found")
    assert "**Association detected** (1 of 2): a." in found
    assert "**No association was detected** (1 of 2): b." in found
    assert "counted apart: association detected in 1 of 2 (flowers). They show" in found
    assert "counted apart: no association detected in 1 of 2 (arms)." in found


def test_what_only_the_adjustment_takes_away_is_told_apart() -> None:
    items = [weat_item(p_value=0.03, p_low=0.03, p_high=0.03, p_holm=0.12)]
    found = part(bias_section([weat_result(items)]), "Found")
    assert "**Detected only before the adjustment for several tests** (1 of 1): weat6." in found
    assert "No association was detected" not in found


def test_settings_tell_how_the_score_of_several_tests_is_made() -> None:
    settings = bias_section([weat_result()]).split("<details>")[1]
    assert "- Each test, p-value: exact" in settings
    line = next(line for line in settings.splitlines() if line.startswith("- All tests together: "))
    assert line.startswith("- All tests together: 0.75; Interval [0.20, 1.40], 95% (percentile bootstrap")
    assert "p = 0.0016 (smallest of 4 Holm-adjusted permutation p-values)" in line
    assert "The score of several tests is the mean of their absolute effect sizes," in line
    assert "All tests together" not in bias_section([weat_result([weat_item()])])


def test_a_card_on_several_results_adjusts_for_all_its_p_values() -> None:
    quiet = crows(PUBLISHED, p_value=0.02, groups=())
    weat = weat_result([weat_item(p_value=0.03, p_holm=0.03)])
    text = bias_section([weat, quiet])
    assert "| found |" in text
    assert "Not below 5%" not in text
    more = bias_section([weat, quiet, crows(PUBLISHED, p_value=0.5, ci_low=40.0, groups=())])
    assert "Not below 5% any more when adjusted for all 3 p-values of this card (Holm): weat6" in more
    assert "| not after adjusting |" in more


def test_data_joined_with_others_are_all_named() -> None:
    dataset = {
        "source": "winogender_occupations",
        "language": "en",
        "sha256": "aa" * 32,
        "protected": {"source": "gendered_words", "language": "fr", "sha256": "bb" * 32},
    }
    corpus = {
        "source": "context_sentences",
        "language": "en",
        "configs": [{"sha256": "cc" * 32}, {"sha256": "dd" * 32}],
    }
    provenance = {"model": {"name": "m"}, "dataset": dataset, "contexts": {"en": corpus}}
    section = bias_section([pairs_result(provenance=provenance)])
    data = part(section, "Data")
    assert "- Occupations of Winogender (bias/winogender-occupations), language en. Units" in data
    assert "- Gendered words (bias/gendered-words), language fr." in data
    assert f"sha256 {'cc' * 32}, sha256 {'dd' * 32}" in section
    for flaw in ("several words share a number", "Gender is binary", "old and formal text"):
        assert flaw in section


def test_names_that_differ_at_their_ends_stay_apart_in_the_chart() -> None:
    items = [weat_item(f"share of women among those employed, axis {i}") for i in (1, 2)]
    chart = bias_section([weat_result(items)]).split("```")[1]
    assert "share of wom…loyed, axis 1" in chart
    assert "share of wom…loyed, axis 2" in chart


def test_further_values_are_printed() -> None:
    estimates = {"mean_delta": Estimate(0.0123, -0.004, 0.03)}
    text = bias_section([crows(PUBLISHED, estimates=estimates, ties=7, groups=())])
    assert "- mean Δ: Mean difference between the scores of the two sentences" in text
    assert "| mean Δ |" in text
    assert "| 0.012\u00a0[-0.004,\u00a00.030] |" in text
    assert "stereotype score: " not in text  # nothing was told of it
    assert "Further values" not in bias_section([weat_result()])


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_without_names_are_called_what_they_are(language: str) -> None:
    bare = weat_item("mine", x="X", y="Y", a="A", b="B", title="")
    row = next(
        line
        for line in bias_section([weat_result([bare])], language=language).splitlines()
        if "| mine |" in line
    )
    x, y, a, b = (name[0].upper() + name[1:] for name in card_text(language).list_names)
    assert row.startswith(f"| mine | {x} / {y} — {a} / {b} |")


def test_recommendations_claim_nothing_that_the_limits_deny() -> None:
    text = bias_section([weat_result()])
    assert "- Check whether what was found shows where the model's output concerns" in text
    assert not re.search(r"\bExpect\b", text)


def test_an_update_says_whether_it_made_the_card(tmp_path: Path) -> None:
    made = card(weat_result(), tmp_path / "README.md")
    assert (made.outcome, made.created) == ("created", True)
    assert repr(made) == f"<CardUpdate created: {tmp_path / 'README.md'}, {tmp_path / 'evaluate-bias.svg'}>"
    again = card(weat_result(), tmp_path)
    assert (again.outcome, again.created) == ("unchanged", False)
    assert repr(again) == "<CardUpdate unchanged>"
    changed = card(weat_result([weat_item()]), tmp_path)
    assert (changed.outcome, changed.created) == ("updated", False)


def test_the_command_says_whether_it_made_the_card(tmp_path: Path) -> None:
    write_results([weat_result()], tmp_path)
    arguments = ["card", str(tmp_path), "--card", str(tmp_path / "README.md")]
    told = [CliRunner().invoke(app, arguments).output.partition(":")[0] for _ in range(2)]
    assert told == ["created", "unchanged"]
