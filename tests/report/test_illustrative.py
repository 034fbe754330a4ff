"""Scores on illustrative data say what they are wherever they are shown, and nothing is concluded from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluate_bias.cli.demo import PARTS, PLAN
from evaluate_bias.data.recipes import record_of
from evaluate_bias.registry import get_method
from evaluate_bias.report.card import card, plan_card
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Estimate, Result, Row
from tests.report.samples import pairs_result, report_lines, score_files

PACKAGED = {"source": "minimal_pairs", "language": "en"}
PUBLISHED = {"source": "crows_pairs", "config": "en", "language": "en"}
MARKED = "CrowS-Pairs (illustrative data)"


def crows(dataset: dict[str, Any], method: str = "crows_pairs", p: float = 1e-9) -> Result:
    """A result with a p-value that would be called a finding."""
    return pairs_result(
        method=method,
        direction="two_sided",
        p_value=p,
        rows=(Row(name="0", kind="item", details={"verdict": "more"}),),
        estimates={"score_without_ties": Estimate(60.5)},
        provenance={"model": {"name": "bert"}, "dataset": dataset},
    )


def test_the_picture_says_it_and_marks_nothing_as_significant(tmp_path):
    def drawn(dataset):
        svg, _ = score_files([crows(dataset)], tmp_path / dataset["source"])
        return svg.read_text(encoding="utf-8")

    assert MARKED in drawn(PACKAGED)
    assert "illustrative" not in drawn(PUBLISHED)
    assert not any(row.significant for row in report_lines([crows(PACKAGED)]))
    assert report_lines([crows(PUBLISHED)])[0].significant


def test_its_p_values_count_in_no_adjustment():
    """Four small p-values on illustrative data would have left nothing of one that holds on published data."""
    shown = [crows(PACKAGED, method) for method in ("crows_pairs", "aul", "aula", "pll")]
    found = crows(PUBLISHED, "kldivs", p=0.02)
    other = crows(PUBLISHED, "stereoset", p=0.5)
    rows = {row.method: row for row in report_lines([*shown, found, other])}
    assert rows["kldivs"].p_holm_all == pytest.approx(0.04)
    assert rows["kldivs"].p_bh_all == pytest.approx(0.04)
    assert rows["aul"].p_holm_all is None
    assert rows["aul"].p_bh_all is None
    assert "before correction" not in bias_section([*shown, found, other])
    note = "over everything measured on the model except illustrative data"
    assert note in to_markdown([*shown, found, other])


def test_the_demo_measures_published_data():
    """All but what has no published data at hand: paraphrases, prompts, and the predictions of a classifier."""
    own = {"pll_robustness", "honest", "tpr_gap"}
    sources = {}
    for name, methods in PLAN.items():
        for method, options in methods.items():
            asked = {**get_method(method).data_defaults, **options}.get("source", "")
            if str(asked).startswith("parts/"):
                asked = get_method(PARTS[Path(asked).stem][0]).data_defaults.get("source", "")
            sources[name, method] = asked
            note = record_of({"source": asked})
            assert note is None or not note.illustrative or method in own, (name, method)
    assert sources["demo-mlm-en", "crows_pairs"] == "crows_pairs"
    assert sources["smollm2-135m", "stereoset"] == "stereoset"


# --- data that nobody is known to have validated -----------------------------------------------------------


def entered(result: Result) -> list[dict[str, Any]]:
    text = plan_card("---\nlicense: mit\n---\n# M\n", [result]).text
    (model,) = yaml.safe_load(text.split("---\n")[1])["model-index"]
    return [entry["dataset"] for entry in model["results"]]


def test_own_data_are_entered_with_a_remark(tmp_path):
    mine = crows({"source": "/home/me/pairs.csv", "language": "en"})
    assert [d["name"] for d in entered(mine)] == ["pairs.csv (no validation recorded)"]
    assert [d["name"] for d in entered(crows(PUBLISHED))] == ["CrowS-Pairs"]
    assert plan_card("# bert\n", [mine]).warnings == (
        "no validation is known of these data, and their entries say so: pairs.csv (no validation recorded)",
    )
    assert plan_card("# bert\n", [crows(PUBLISHED)]).warnings == ()
    assert "The data given by the user are not known to be validated." in bias_section([mine])
    assert "No record says" not in bias_section([crows(PUBLISHED)])
    card(crows({"source": "me/pairs", "revision": "v2"}), tmp_path)
    path = tmp_path / ".eval_results" / "evaluate-bias-crows_pairs.yaml"
    assert "data: no validation recorded" in path.read_text(encoding="utf-8")
