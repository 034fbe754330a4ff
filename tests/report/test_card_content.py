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
from evaluate_bias.report.card.entries import model_index_entries
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.card.texts import LANGUAGES, card_text, method_text
from evaluate_bias.report.lines import report_lines
from evaluate_bias.report.page import report_page
from evaluate_bias.report.results_io import write_results
from evaluate_bias.report.tables import to_markdown
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
    return re.split(rf"\*\*{title}(?:\.\*\* |\*\*\n)", text, maxsplit=1)[1].split("\n\n")[0]


def test_illustrative_data_are_called_that_and_nothing_is_said_of_published_ones() -> None:
    data = part(bias_section([crows(PACKAGED)]), "Data")
    assert "Minimal pairs packaged with evaluate-bias (bias/minimal-pairs), language es." in data
    text = bias_section([crows(PACKAGED)], level="full")
    for word in ("published", "Blodgett", "United States"):
        assert word not in text


def test_published_data_are_named_with_source_revision_and_flaws() -> None:
    section = bias_section([crows(PUBLISHED)])
    data = part(section, "Data")
    assert "CrowS-Pairs (bias/crows-pairs), language en. Units: 1508." in data
    settings = next(row for row in section.splitlines() if row.startswith("- Data: "))
    for pin in (
        "repository nyu-mll/crows-pairs",
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
    assert any("not entered in .eval_results: bias/minimal-pairs" in w for w in update.warnings)


def test_warnings_stand_above_the_findings_and_those_on_everything_are_never_cut_off() -> None:
    of_tests = [f"weat6: note {i}" for i in range(9)]
    whole = [f"bert: {i} of 30 tokens are unknown to the tokenizer" for i in range(7)]
    text = bias_section([weat_result([weat_item()], warnings=(*of_tests, *whole))])
    assert text.index("Notes from the measurement") < text.index("**Found", text.index("<details>"))
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
    assert "**No departure from the ideal value was detected**: gender." in found


def test_a_measurement_that_is_too_small_as_a_whole() -> None:
    text = bias_section([crows(PUBLISHED, n=4, p_value=0.125, groups=())])
    found = part(text, "Found")
    assert found.startswith("Too few units")
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
    assert "**Association detected**: a." in found
    assert "**No association was detected**: b." in found
    assert "counted apart; association detected: flowers. They show" in found
    assert "counted apart; no association detected: arms." in found


def test_what_only_the_adjustment_takes_away_is_told_apart() -> None:
    items = [weat_item(p_value=0.03, p_low=0.03, p_high=0.03, p_holm=0.12)]
    found = part(bias_section([weat_result(items)]), "Found")
    assert "**Detected only before the adjustment for several tests**: weat6." in found
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
    one_model = {"dataset": PUBLISHED, "model": {"name": "bert"}}
    quiet = crows(PUBLISHED, p_value=0.02, groups=())
    weat = weat_result([weat_item(p_value=0.03, p_holm=0.03)], provenance=one_model)
    text = bias_section([weat, quiet])
    assert "| found |" in text
    assert "only before" not in text
    more = bias_section([weat, quiet, crows(PUBLISHED, p_value=0.5, ci_low=40.0, groups=())])
    assert "**Detected only before the adjustment for several tests**: weat6." in more
    assert "**Association detected**" not in more
    assert "| not after adjusting |" in more


def test_the_card_and_the_report_adjust_and_count_alike(tmp_path: Path) -> None:
    """Results of two models in one report: each as in its own card."""
    mine = [
        crows(PUBLISHED, p_value=p, ci_low=50.5, groups=(group("age", 61.0, p_value=p, p_holm=p, n=90),))
        for p in (0.001, 0.02, 0.5)
    ]
    other = [crows(PUBLISHED, p_value=1e-9, provenance={"model": {"name": f"m{i}"}}) for i in range(40)]
    alone = {r.p_holm_all for r in report_lines(mine)}
    assert {r.p_holm_all for r in report_lines([*mine, *other]) if r.model == "bert"} == alone
    page = report_page([*mine, *other], [], tmp_path)
    assert "adjusted by Holm for all p-values on the same model" in page
    section = bias_section(mine)
    for verdict, said in (("found", "found"), ("not after adjusting", "below 5% only before adjusting")):
        count = section.count(f"| {verdict} |")
        assert count == len(re.findall(rf"on bert: .*; {said} \(p \(Holm\) [0-9.]+\)", page)) == 1


def test_a_group_of_all_units_is_the_overall_score_and_is_adjusted_once(tmp_path: Path) -> None:
    only = (group("age", 60.5, ci_low=58.0, ci_high=62.9, p_value=0.02, p_holm=0.02, n=1508),)
    whole = crows(PUBLISHED, p_value=0.02, groups=only)
    other = crows(PUBLISHED, p_value=0.03, groups=())
    first, second = report_lines([whole, other])
    assert (first.name, first.p_holm_all, second.p_holm_all) == ("overall (age)", 0.04, 0.04)
    assert "overall (age): the more stereotypical sentences are likelier" in bias_section([whole])
    assert "| overall (age) |" in to_markdown([whole])


def test_a_part_of_the_data_is_not_entered_as_all_of_them() -> None:
    dataset = {**PUBLISHED, "bias_types": ["age", "gender"]}
    text = plan_card("---\nlicense: mit\n---\n# M\n", [crows(dataset), crows(PUBLISHED)]).text
    (model,) = yaml.safe_load(text.split("---\n")[1])["model-index"]
    part, whole = model["results"]
    assert part["dataset"]["name"] == "CrowS-Pairs (age, gender)"
    assert part["metrics"][0]["name"] == "overall (age, gender), metric score"
    assert whole["dataset"]["name"] == "CrowS-Pairs"
    assert whole["metrics"][0]["name"] == "overall, metric score"


def test_the_mean_of_several_tests_is_entered() -> None:
    text = plan_card("---\nlicense: mit\n---\n# M\n", [weat_result()]).text
    (model,) = yaml.safe_load(text.split("---\n")[1])["model-index"]
    metrics = model["results"][0]["metrics"]
    assert metrics[0]["name"] == "all tests (weat6, weat7, weat9, weat10), effect size d"
    assert metrics[0]["value"] == 0.75
    assert len(metrics) == 5


def test_findings_are_ordered_by_certainty_and_adjusted_p_values_are_called_that() -> None:
    less = crows(PUBLISHED, p_value=0.01, groups=())
    more = crows(PUBLISHED, method="aul", p_value=1e-6, groups=())
    first = bias_section([less, more]).splitlines()[3].replace("\u00a0", " ")
    assert first.index("AUL") < first.index("CrowS-Pairs")
    assert "adjusted p = 2e-06" in first
    assert "adjusted p" not in bias_section([more]).splitlines()[3].replace("\u00a0", " ")


def test_the_others_come_after_all_that_is_named() -> None:
    groups = [
        group(f"g{i}", 52.0, ci_low=40.0, ci_high=64.0, p_value=0.5, p_holm=1.0, n=99) for i in range(5)
    ]
    few = group("few", 66.7, ci_low=20.0, ci_high=95.0, p_value=1.0, p_holm=1.0, n=3)
    found = part(bias_section([crows(PUBLISHED, p_value=1e-9, groups=(*groups, few))]), "Found")
    named = [line for line in found.splitlines() if "few" in line or "the others" in line]
    assert named[-1] == "- **No departure from the ideal value was detected**: the others."
    assert "few" in named[-2]


@pytest.mark.parametrize("method", ["wsv", "wefat", "rnd"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_direction_of_every_finding_is_said(method: str, language: str) -> None:
    record, words = METHODS[method], method_text(card_text(language), method)
    assert words is not None
    for score, clause, english in ((0.6, words.above, record.above), (-0.6, words.below, record.below)):
        result = Result(
            method=method, score=score, score_range=record.score_range, direction="two_sided", ideal=0, n=60,
            ci_low=score - 0.1, ci_high=score + 0.1, p_value=1e-6, provenance={"model": {"name": "bert"}},
        )  # fmt: skip
        assert clause in bias_section([result], language=language)
        assert (clause == english) == (language == "en")


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
    assert "overall: mean Δ 0.012\u00a0[-0.004,\u00a00.030]" in text
    assert "| mean Δ |" not in text
    full = bias_section([crows(PUBLISHED, estimates=estimates, ties=7, groups=())], level="full")
    assert "| mean Δ |" in full
    assert "| 0.012\u00a0[-0.004,\u00a00.030] |" in full
    assert "stereotype score: " not in text  # nothing was told of it
    assert "Further values" not in bias_section([weat_result()])


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_without_names_are_called_what_they_are(language: str) -> None:
    bare = weat_item("mine", x="X", y="Y", a="A", b="B", title="")
    row = next(
        line
        for line in bias_section([weat_result([bare])], language=language).splitlines()
        if line.startswith("| mine")
    )
    x, y, a, b = (name[0].upper() + name[1:] for name in card_text(language).list_names)
    assert row.startswith(f"| mine: {x} / {y} — {a} / {b} |")


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


def test_chosen_bias_types_are_kept_with_the_data() -> None:
    from evaluate_bias.data import load_sentence_pairs

    pairs = load_sentence_pairs()
    assert pairs.select(["gender", "age"]).provenance["bias_types"] == ["gender", "age"]
    assert "bias_types" not in pairs.select(pairs.bias_types).provenance


def test_six_methods_with_nine_groups_each_take_fewer_than_1800_words() -> None:
    """Half of what they once took; the measure leaves out the bars of the tables."""
    groups = tuple(
        group(f"g{i}", 52.0, ci_low=40.0, ci_high=64.0, p_value=0.5, p_holm=1.0, n=99) for i in range(9)
    )
    names = ("crows_pairs", "aul", "pll", "aula", "kldivs", "stereoset")
    text = bias_section([crows(PUBLISHED, method=name, groups=groups) for name in names])
    assert len(re.findall(r"[^\s|]+", text)) < 1800
    assert len(text.splitlines()) < 240


def test_data_of_ones_own_get_no_configuration_and_no_split() -> None:
    def dataset(source: str, **facts: str) -> tuple[str | None, str | None]:
        given = crows({"source": source, "language": "en", **facts}, groups=())
        (entry,) = model_index_entries([given])
        return entry.dataset_config, entry.dataset_split

    assert dataset("hostile.jsonl") == (None, None)
    assert dataset("some/hostile.jsonl") == (None, None)
    assert dataset("someone/pairs") == ("en", "test")
    assert dataset("mine.jsonl", config="x", split="y") == ("x", "y")
    (entry,) = model_index_entries([crows({"source": "mine.jsonl", "language": "en"}, groups=())])
    assert set(entry.result()["dataset"]) == {"name", "type"}
    assert entry.is_in(entry.result())
