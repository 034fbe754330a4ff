"""What the section says of which results: data and their flaws, findings and what is no finding."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from evaluate_bias.methods.pairs.crows_pairs import method as crows_pairs
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import card, plan_card
from evaluate_bias.report.card.entries import model_index_entries
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.card.settings import result_settings
from evaluate_bias.report.lines import decided_lines
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Estimate, Result
from tests.readings.surfaces import HERE
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


def part(text: str, title: str) -> str:
    """What stands under a bold title, up to the next one."""
    return re.split(rf"\*\*{title}(?:\.\*\* |\*\*\n)", text, maxsplit=1)[1].split("\n\n")[0]


@pytest.mark.parametrize(
    ("dataset", "told"),
    [
        (
            {"source": "/home/me/pairs.csv", "language": "nl"},
            "pairs.csv, language nl, no revision or checksum",
        ),
        ({"source": "me/pairs", "revision": "v2"}, "me/pairs, language not stated."),
        ({"source": "columns given to compute()"}, "(source not recorded), language not stated."),
        ({}, "(source not recorded), language not stated."),
        ({"source": "a.csv", "language": "und", "sha256": "7"}, "a.csv, language not stated."),
    ],
)
def test_language_and_origin_are_always_told(dataset, told):
    assert told in part(bias_section([crows(dataset)]), "Data")


def test_a_method_of_two_papers_cites_the_authors_of_both():
    (*_, cited) = result_settings(crows(PUBLISHED, method="gest"), {}, "")
    assert [cited.count(name) for name in ("Pikuliak", "Rowe", METHODS["gest"].url)] == [1, 1, 1]


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


def test_warnings_stand_above_the_findings_and_those_on_everything_are_never_cut_off():
    of_tests = [f"weat6: note {i}" for i in range(9)]
    whole = [f"bert: {i} of 30 tokens are unknown to the tokenizer" for i in range(7)]
    text = bias_section([weat_result([weat_item()], warnings=(*of_tests, *whole))])
    assert text.index("Notes from the measurement") < text.index("**Found", text.index("<details>"))
    notes = part(text, "Notes from the measurement").splitlines()
    assert [n.removeprefix("- ") for n in notes[:7]] == whole
    assert notes[7:] == [*(f"- {n}" for n in of_tests[:5]), "- 4 more in the results file."]


def test_a_group_of_all_units_is_the_overall_score_and_is_adjusted_once(tmp_path):
    only = (group("age", 60.5, ci_low=58.0, ci_high=62.9, p_value=0.02, p_holm=0.02, n=1508),)
    whole = crows(PUBLISHED, p_value=0.02, groups=only)
    other = crows(PUBLISHED, p_value=0.03, groups=())
    first, second = report_lines([whole, other])
    assert (first.name, first.p_holm_all, second.p_holm_all) == ("overall (age)", 0.04, 0.04)
    assert "overall (age): the model more often prefers the more stereotypical sentence" in bias_section(
        [whole]
    )
    assert "| overall (age) |" in to_markdown([whole])


def test_a_part_of_the_data_is_not_entered_as_all_of_them():
    dataset = {**PUBLISHED, "bias_types": ["age", "gender"]}
    text = plan_card("---\nlicense: mit\n---\n# M\n", [crows(dataset), crows(PUBLISHED)]).text
    (model,) = yaml.safe_load(text.split("---\n")[1])["model-index"]
    part, whole = model["results"]
    assert part["dataset"]["name"] == "CrowS-Pairs (age, gender)"
    assert part["metrics"][0]["name"] == "overall (age, gender), metric score"
    assert whole["dataset"]["name"] == "CrowS-Pairs"
    assert whole["metrics"][0]["name"] == "overall, metric score"


# Claims that no measurement supports.
FORBIDDEN = re.compile(
    r"unbiased|bias[- ]free|free (?:of|from) (?:any )?bias|no bias\b(?! was detected)|(?:is|are) fair\b|is safe\b",
    re.IGNORECASE,
)


def test_no_text_claims_more_than_was_measured():
    items = [weat_item(score=0.0, ci_low=-0.4, ci_high=0.4, p_value=0.5, p_holm=1.0)]
    texts = [bias_section([weat_result(items), pairs_result()], level=level) for level in ("summary", "full")]
    texts += [path.read_text(encoding="utf-8") for path in (HERE / "texts").glob("*.txt")]
    for record in METHODS.values():
        sentences = (record.summary, record.interpretation, record.above, record.below, record.aggregation)
        texts += [*sentences, *record.caveats, *(s.meaning for s in record.secondary)]
    assert [match[0] for match in map(FORBIDDEN.search, texts) if match] == []


def test_rows_with_too_few_units_are_not_entered_and_controls_are_named():
    few = crows(PUBLISHED, p_value=0.5, groups=())
    assert model_index_entries([dataclasses.replace(few, n=2)]) == []
    rows = [weat_item("weat6"), weat_item("weat1", bias_type="none"), weat_item("tiny", n=4, p_value=0.3)]
    names = [entry.metric["name"] for entry in model_index_entries([weat_result(rows)])]
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
    assert "Scores are shares of the decided pairs or items, ideal 50" in text
    assert "33.33 (33.33)" in text.replace("\u00a0", " ")
    assert "o difference from 50 was detected (50.00" in text
    assert "The interval excludes" not in text
    assert [row.ideal for row in report_lines([result])] == pytest.approx([100 / 3])
    assert [(row.score, row.ideal) for row in decided_lines(report_lines([result]))] == [(50.0, 50.0)]
    assert "ideal 33.3" in str(result)


def test_the_description_follows_the_variant():
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


@pytest.mark.parametrize("level", ["summary", "full"])
def test_no_brackets_of_a_card_become_a_link(level):
    """Definitions elsewhere in the card may have the name of any interval or heading."""
    estimates = {"mean_delta": Estimate(0.25, 0.125, 0.5), "neutral": Estimate(3)}
    results = [weat_result(), pairs_result(method="crows_pairs", estimates=estimates)]
    section = bias_section(results, level=level)
    names = dict.fromkeys(re.findall(r"\[([^\[\]\n]+?)\\?\]", section))
    assert len(names) > 5
    definitions = "".join(f"\n[{name}]: https://example.org/\n" for name in names)
    shown = MarkdownIt("commonmark").enable("table").render(f"{section}\n\n{definitions}")
    assert "https://example.org/" not in shown
