"""What the section says of which results: data and their flaws, findings and what is no finding."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from evaluate_bias.methods.pairs.crows_pairs import method as crows_pairs
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import card, plan_card
from evaluate_bias.report.card.entries import model_index_entries
from evaluate_bias.report.card.section import bias_section, section
from evaluate_bias.report.lines import decided_lines
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Estimate, Result
from tests.readings.surfaces import HERE
from tests.readings.surfaces import result as surfaces_result
from tests.report.samples import group, pairs_result, report_lines, weat_item, weat_result

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


def table(text: str) -> list[dict[str, str]]:
    """The rows of the table of scores."""
    lines = [line for line in text.partition("<details>")[0].splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines)
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("dataset", "data", "language"),
    [
        ({"source": "/home/me/pairs.csv", "language": "nl"}, "pairs.csv", " in **Dutch** "),
        ({"source": "me/pairs", "revision": "v2"}, "me/pairs", ""),
        ({"source": "columns given to compute()"}, "own data", ""),
        ({}, "own data", ""),
        ({"source": "a.csv", "language": "und", "sha256": "7"}, "a.csv", ""),
        (
            {**PUBLISHED, "bias_types": ["age"], "subset": "60 of 87 rows"},
            "age, 60 of 87 rows",
            " in **English** ",
        ),
    ],
)
def test_data_part_and_language_are_told(dataset, data, language):
    text = bias_section([crows(dataset)])
    assert [row["Data"] for row in table(text)] == [data]
    assert " in **" not in text or language in text
    assert ("languages (not stated)" in text) == (not language)


def lead_and_gaps(result: Result) -> tuple[str, str]:
    """The first line of the section, and the line of what is not covered."""
    lines = bias_section([result]).splitlines()
    return lines[2], next(line for line in lines if line.startswith("**Not covered**"))


def test_what_was_not_tested_is_said():
    """A category with too few items is not covered; the names that data sets give to one category are the same."""
    rows = [group("race-color", 60.0, n=40), group("Gender_identity", 60.0, n=3, p_value=0.5)]
    lead, gaps = lead_and_gaps(crows(PUBLISHED, groups=rows))
    assert "for **race or ethnicity** bias" in lead
    assert "gender (too few items)" in gaps
    assert "race" not in gaps
    assert "your application" in gaps
    _, gaps = lead_and_gaps(crows({**PACKAGED, "bias_types": ["gender"]}))
    assert "; gender, race or ethnicity, religion (each: illustrative data only); " in gaps


def test_data_do_not_speak_for_categories_whose_own_rows_have_too_few_items():
    rows = [group("gender", 60.0, n=3, p_value=0.5), group("religion", 50.0, n=2, ties=2, p_value=1.0)]
    _, gaps = lead_and_gaps(crows({**PUBLISHED, "bias_types": ["gender", "religion"]}, groups=rows))
    assert "; gender, religion (each: too few items); " in gaps


def test_groups_of_benchmarks_are_categories_without_their_contexts():
    names = ("Age (ambiguous)", "Gender_identity (names) (disambiguated)", "Race_x_gender (names)", "verb")
    lead, gaps = lead_and_gaps(crows(PUBLISHED, groups=[group(name, 60.0, n=40) for name in names]))
    assert "for **age**, **gender** and **race and gender** bias" in lead
    assert "age" not in gaps.replace("languages", "")


def test_findings_have_counts_interval_and_source():
    rows = [
        {"sent_more": 1.0 if k < 46 else 0.0, "sent_less": 0.5, "bias_type": "gender", "id": str(k)}
        for k in range(60)
    ]
    text = bias_section([crows_pairs.evaluate(None, rows)])
    assert "**: in 46 of 60 pairs (77%, 95% CI 65 to 86; no preference: 50%). *CrowS-Pairs*." in text
    assert table(text)[0] == {
        "Test": "CrowS-Pairs",
        "Data": "own data",
        "Conclusion": "significant",
        "Score (95% CI)": "77% (65 to 86)",
        "No bias": "50%",
    }


def findings(text: str) -> list[str]:
    """The sentences of the first screen."""
    return [line for line in text.partition("<details>")[0].splitlines() if line.startswith("- ")]


def test_a_finding_says_of_how_many_tests_it_is_one():
    few = [weat_item("weat6"), weat_item("weat9", 0.1, p_value=0.8, p_holm=0.8)]
    (one,) = findings(bias_section([weat_result(few)]))
    assert "effect size d 1.71 (large; 95% CI 1.31 to 1.91; no bias: 0). *WEAT, weat6* (1 of 2 tests" in one
    (several,) = findings(bias_section([weat_result([*few, weat_item("weat7", 1.2)])]))
    assert "*WEAT, weat6* (2 of 3 tests" in several


def test_the_p_value_of_one_of_several_tests_or_groups_has_its_name_and_n():
    tests = [weat_item("weat6"), weat_item("weat9", 0.1, p_value=0.8, p_holm=0.8)]
    old = group("old|age", 90.0, n=60, ci_low=80.0, ci_high=96.0, p_value=1e-6)
    whole = {"score": 50.0, "ci_low": 40.0, "ci_high": 60.0, "p_value": 0.9}
    for result, line in (
        (weat_result(tests), "WEAT, weat6 | .002 | 16"),
        (weat_result(tests[:1]), "WEAT | .002 | 16"),
        (crows(PUBLISHED, **whole, groups=[old, group("gender", 50.0, n=60, p_value=1.0)]),
         r"CrowS-Pairs, old\|age | < .001 | 60"),
        (crows(PUBLISHED, **whole, groups=()), "CrowS-Pairs | .900 | 1508"),
    ):  # fmt: skip
        fold = bias_section([result]).partition("| Reliability |")[2]
        assert fold.splitlines()[2].startswith(f"| {line} | ")


def test_a_finding_on_the_other_side_of_the_ideal_value_is_said():
    (both,) = findings(bias_section([weat_result([weat_item("weat6"), weat_item("weat7", -1.5)])]))
    assert "weat7" in both
    assert "−1.50 (large; 95% CI −1.90 to −1.30" in both


def test_differences_of_shares_are_points():
    result = crows(PUBLISHED, method="winobias", score=40.0, ci_low=20.0, ci_high=62.0, p_value=0.001,
                   score_range=(-100.0, 100.0), ideal=0.0, groups=())  # fmt: skip
    text = bias_section([result])
    assert [(row["Score (95% CI)"], row["No bias"]) for row in table(text)] == [("40 points (20 to 62)", "0")]
    assert "40 points (95% CI 20 to 62; no bias: 0)" in findings(text)[0]


def test_the_table_has_the_order_of_the_sentences():
    vectors = weat_result([weat_item(p_value=1e-9)], model="m")
    texts = crows({**PUBLISHED}, p_value=0.001, provenance={"model": {"name": "m"}, "dataset": PUBLISHED})
    text = bias_section([vectors, texts])
    assert [row["Test"] for row in table(text)] == ["CrowS-Pairs", "WEAT"]
    assert [("CrowS" in line, "WEAT" in line) for line in findings(text)] == [(True, False), (False, True)]


def test_without_a_finding_it_is_said_what_every_test_would_have_detected():
    none = {"score": 50.0, "ci_low": 40.0, "ci_high": 60.0, "p_value": 0.9, "groups": ()}
    results = [crows(PUBLISHED, **none), crows(PUBLISHED, method="aul", **none)]
    first, *_ = findings(bias_section(results))
    assert all(f"{name}: 4" in first for name in ("CrowS-Pairs", "AUL"))
    assert first.count("% or less or ") == 2


def test_results_about_the_measurement_have_their_score_and_are_not_drawn():
    stable = crows(
        PUBLISHED, groups=(), n=500, method="seed_sensitivity", score=0.77, ci_low=0.75, ci_high=0.79, p_value=None,
        ideal=1.0, score_range=(0.0, 1.0), direction="higher_is_more_robust",
    )  # fmt: skip
    text, drawing = section([weat_result(), crows(PUBLISHED), stable], picture="x.svg")
    assert any("(0.77, 95% CI 0.75 to 0.79)" in sentence for sentence in findings(text))
    assert table(text)[-1]["No bias"] == "stable: 1.00"
    assert "CrowS" in drawing
    assert "Seed" not in drawing


def test_a_mean_that_chance_gives_is_not_called_the_score_of_no_bias():
    text = bias_section([weat_result([weat_item("weat6"), weat_item("weat7")], expected_by_chance=0.36)])
    assert [row["No bias"] for row in table(text)] == ["chance: 0.36"]


def test_the_section_is_short(monkeypatch):
    """At most 1,200 words for fifteen results, with their warnings and limits, 600 of them in the fold."""
    results = [
        dataclasses.replace(
            crows(PUBLISHED, p_value=0.001),
            method=name,
            warnings=[f"{name}: note {i} of many" for i in range(9)],
        )
        for name in list(METHODS)[:15]
    ]
    text = bias_section(results)
    assert len(text.split()) <= 1_200
    assert len(text.partition("<details>")[2].split()) <= 600
    assert "more warnings in evaluate-bias.json" in text.replace("\\", "")


def test_methods_are_cited_by_the_authors_of_every_paper():
    text = bias_section([crows(PUBLISHED, method="gest")])
    cited = text.partition("Methods: ")[2]
    assert [cited.count(name) for name in ("Pikuliak", "Rowe")] == [1, 1]


def test_every_number_is_next_to_the_card(tmp_path):
    result = crows({**PUBLISHED, "path": "/home/me/x.csv"}, p_value=0.02)
    card(result, tmp_path)
    text = (tmp_path / "evaluate-bias.json").read_text(encoding="utf-8")
    (numbers,) = json.loads(text)["files"]["README.md"]["numbers"]
    (row, *_) = numbers["rows"]
    assert (row["score"], row["ci_low"], row["ci_high"], row["p_value"]) == (
        result.score, result.ci_low, result.ci_high, 0.02,
    )  # fmt: skip
    assert numbers["limits"]
    assert "@inproceedings" in numbers["bibtex"]
    assert "/home" not in text


def test_illustrative_data_enter_no_model_index(tmp_path):
    plan = plan_card("# My model\n", [crows(PACKAGED)])
    assert plan.text.startswith("# My model\n")
    assert plan.warnings == (
        "no score on Minimal pairs packaged with evaluate-bias is entered: these data are "
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
    update = card(crows(PACKAGED), tmp_path, model_index=False)
    assert not (tmp_path / ".eval_results").exists()
    assert update.warnings == plan.warnings


def test_warnings_on_everything_come_first_and_the_others_are_counted():
    of_tests = [f"weat6: note {i}" for i in range(9)]
    whole = [f"bert: {i} of 30 tokens are unknown to the tokenizer" for i in range(7)]
    text = bias_section([weat_result([weat_item()], warnings=(*of_tests, *whole))])
    fold = text.partition("<details>")[2]
    assert fold.count("tokens are unknown to the tokenizer") == 2
    assert "14 more warnings in evaluate" in fold


def test_a_group_of_all_units_is_the_overall_score_and_is_adjusted_once(tmp_path):
    only = (group("age", 60.5, ci_low=58.0, ci_high=62.9, p_value=0.02, p_holm=0.02, n=1508),)
    whole = crows(PUBLISHED, p_value=0.02, groups=only)
    other = crows(PUBLISHED, p_value=0.03, groups=())
    first, second = report_lines([whole, other])
    assert (first.name, first.p_holm_all, second.p_holm_all) == ("overall (age)", 0.04, 0.04)
    assert "| overall (age) |" in to_markdown([whole])


def test_a_part_of_the_data_is_not_entered_as_all_of_them():
    dataset = {**PUBLISHED, "bias_types": ["age", "gender"]}
    text = plan_card("---\nlicense: mit\n---\n# M\n", [crows(dataset), crows(PUBLISHED)]).text
    (model,) = yaml.safe_load(text.split("---\n")[1])["model-index"]
    (item,) = model["results"]
    assert item["dataset"] == {
        "name": "CrowS-Pairs",
        "type": "bias/crows-pairs",
        "config": "en",
        "split": "test",
    }
    names = [metric["name"] for metric in item["metrics"]]
    assert names == ["overall (age, gender), metric score", "overall, metric score"]


# Claims that no measurement supports.
FORBIDDEN = re.compile(
    r"unbiased|bias[- ]free|free (?:of|from) (?:any )?bias|no bias\b(?!: | \|)|(?:is|are) fair\b|is safe\b",
    re.IGNORECASE,
)


def test_no_text_claims_more_than_was_measured():
    items = [weat_item(score=0.0, ci_low=-0.4, ci_high=0.4, p_value=0.5, p_holm=1.0)]
    texts = [bias_section([weat_result(items), pairs_result()])]
    texts += [path.read_text(encoding="utf-8") for path in (HERE / "texts").glob("*.txt")]
    for record in METHODS.values():
        sentences = (record.summary, record.interpretation, record.above, record.below, record.aggregation)
        texts += [*sentences, *record.caveats, *(s.meaning for s in record.secondary)]
    assert [match[0] for match in map(FORBIDDEN.search, texts) if match] == []


def test_rows_with_too_few_units_are_not_entered_and_controls_are_named():
    few = crows(PUBLISHED, p_value=0.5, groups=())
    assert model_index_entries([dataclasses.replace(few, n=2)]) == {}
    rows = [weat_item("weat6"), weat_item("weat1", bias_type="none"), weat_item("tiny", n=4, p_value=0.3)]
    (entries,) = model_index_entries([weat_result(rows)]).values()
    names = [entry.metric_name for entry in entries]
    assert names == [
        "all tests (weat6), effect size d",
        "weat6, effect size d",
        "weat1 (control), effect size d",
    ]


def test_sentences_speak_of_the_decided_pairs():
    """Ten of thirty pairs tie, the others are balanced: the published score is 33.3, its own ideal."""
    rows = [{"sent_more": v, "sent_less": 0.0, "bias_type": "age"} for v in [1.0, -1.0] * 10 + [0.0] * 10]
    result = crows_pairs.evaluate(None, rows)
    text = bias_section([result])
    assert "**No clear evidence** in CrowS-Pairs (50%, 95% CI 30 to 70)" in text
    assert table(text)[0]["No bias"] == "50%"
    assert [row.ideal for row in report_lines([result])] == pytest.approx([100 / 3])
    assert [(row.score, row.ideal) for row in decided_lines(report_lines([result]))] == [(50.0, 50.0)]
    assert "ideal 33.3" in str(result)


def test_no_brackets_of_a_card_become_a_link():
    """Definitions elsewhere in the card may have the name of any interval or heading."""
    estimates = {"mean_delta": Estimate(0.25, 0.125, 0.5), "neutral": Estimate(3)}
    results = [weat_result(), pairs_result(method="crows_pairs", estimates=estimates)]
    text = bias_section(results).replace("[All numbers](evaluate-bias.json)", "")
    names = dict.fromkeys(re.findall(r"\[([^\[\]\n]+?)\\?\]", text))
    names |= dict.fromkeys(("CrowS-Pairs", "0.31, 1.65"))
    definitions = "".join(f"\n[{name}]: https://example.org/\n" for name in names)
    shown = MarkdownIt("commonmark").enable("table").render(f"{text}\n\n{definitions}")
    assert "https://example.org/" not in shown


def test_what_is_only_near_to_a_main_category_does_not_cover_it():
    """Stereotypes of professions are not about gender, and those of illness not about disability."""
    rows = [group("profession", 60.0, n=40), group("race", 60.0, n=40)]
    text = bias_section(
        [crows(PUBLISHED, groups=rows), weat_result([weat_item("weat9", bias_type="health")])]
    )
    (line,) = [line for line in text.splitlines() if line.startswith("**Not covered**")]
    assert "gender" in line
    assert "disability" in line
    assert "race" not in line


def test_a_mean_over_terms_is_not_counted():
    """StereoSet's score is the mean of its terms' shares. It said "in 90 of 120 items", which nobody counted."""
    result = surfaces_result("stereoset_found")
    assert result.score_range[1] == 100
    assert " of 120 items" not in bias_section([result])
