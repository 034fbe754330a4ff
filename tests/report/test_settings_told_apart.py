"""One method with several settings in two languages, as the BIAS framework has it: every row says which it is."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path

import pytest
import yaml

from evaluate_bias.report.card.entries import model_index_entries
from evaluate_bias.report.card.section import section
from evaluate_bias.report.latex import to_latex
from evaluate_bias.report.plots.canvas import draw_figure
from evaluate_bias.report.plots.forest import score_pictures
from evaluate_bias.report.reading import read_all
from evaluate_bias.report.row_tables import secondary_tables
from evaluate_bias.report.score_matrix import short_labels
from evaluate_bias.report.trust import trust
from evaluate_bias.result import Estimate, Result
from tests.report.samples import weat_item, weat_result
from tests.support.command_line import run_app

REPRESENTATIONS = ("cls", "target_first", "target_mean")
WAYS = [*((name, "seat") for name in REPRESENTATIONS), ("cls", "none")]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    out = []
    for (representation, templates), language in itertools.product(WAYS, ("en", "de")):
        rows = [
            weat_item(name, language=language, estimates={"p_sentences": Estimate(0.2)})
            for name in ("weat6", "weat7")
        ]
        result = weat_result(rows, method="seat")
        settings = {**result.settings, "representation": representation, "templates": templates}
        dataset = {**result.provenance["dataset"], "language": language}
        provenance = {**result.provenance, "dataset": dataset}
        out.append(dataclasses.replace(result, settings=settings, provenance=provenance))
    return out


def assert_told_apart(names: list[str], n: int) -> None:
    assert len(names) == len({*names}) == n
    assert not [name for name in names if "#" in name]
    for way in REPRESENTATIONS:
        assert sum(f"representation {way}" in name for name in names) == n * (1 + (way == "cls")) / 4


def test_card(results: list[Result]) -> None:
    assert_told_apart(short_labels(results), 8)
    written, picture = section(results, picture="evaluate-bias.svg")
    of_scores, _, of_reliability = written.replace("\\", "").partition("<details>")
    for table in (of_scores, of_reliability):
        assert_told_apart(re.findall(r"^\| (SEAT .+?) \|", table, re.MULTILINE), 8)
    lines = " ".join(re.findall(r"<text[^>]*>(.*?)</text>", picture))
    drawn = re.findall(r"SEAT \(.+?\)", lines)
    assert len(drawn) == len({*drawn}) == 8


def test_model_index(results: list[Result]) -> None:
    (entries,) = model_index_entries(results).values()
    assert_told_apart([f"{e.dataset_config}: {e.metric_name}" for e in entries], 24)
    (alone, *_), *_ = model_index_entries(results[:1]).values()
    assert "representation" not in alone.metric_name
    again = dataclasses.replace(results[0], score=0.5)
    (entries,) = model_index_entries([results[0], again, results[2]]).values()
    assert [e.metric_value for e in entries if e.metric_name.startswith("all tests")] == [0.5, 1.71]


def test_report(results: list[Result]) -> None:
    assert_told_apart([str(row["score"]) for row in trust(results).table.records()], 16)
    rows = [row for reading in read_all(results) for row in reading.rows]
    (secondary,) = secondary_tables(rows)
    assert_told_apart([str(row["test"]) for row in secondary.records()], 16)
    captions = re.findall(r"\\caption\{(.+?)\}\\label", to_latex(results).replace("\\_", "_"))
    assert_told_apart(captions, 8)


def test_picture(results: list[Result]) -> None:
    ((picture,),) = score_pictures(read_all(results)).values()
    (axis,) = draw_figure(picture.draw).axes
    assert_told_apart([label.get_text().replace("\n", " ") for label in axis.get_yticklabels()], 16)


@pytest.mark.nightly
def test_a_grid_of_the_framework_ends_in_card_report_latex_and_picture(tmp_path: Path) -> None:
    """SEAT with three representations and WEAT on one transformer, in six languages."""
    languages = ["de", "nl", "is", "no", "tr", "it"]
    few = {"tests": ["weat7"], "n_resamples": 99, "ci_resamples": 99}
    methods = [
        {"method": "seat", "options": {**few, "representation": representation, "templates": templates}}
        for representation, templates in WAYS
    ]
    grid, out, card = (tmp_path / name for name in ("grid.yaml", "out", "README.md"))
    grid.write_text(yaml.safe_dump({"models": ["demo-mlm-en"], "methods": methods, "languages": languages}))
    for command in (
        ["run", grid, "-o", out],
        ["report", out, "--all-pictures"],
        ["card", out, "--card", card, "--model", "demo-mlm-en"],
    ):
        assert run_app(*command).exit_code == 0
    written = card.read_text(encoding="utf-8").replace("\\", "")
    _, front, text = written.split("---\n", 2)
    assert_told_apart(re.findall(r"^\| (SEAT .+?) \|", text.partition("<details>")[0], re.MULTILINE), 24)
    entries = yaml.safe_load(front)["model-index"][0]["results"]
    named = [f"{e['dataset']['config']}: {m['name']}" for e in entries for m in e["metrics"]]
    assert_told_apart(named, 24)
    latex = (out / "report.tex").read_text(encoding="utf-8").replace("\\_", "_")
    assert_told_apart(re.findall(r"\\caption\{(.+?)\}\\label", latex), 24)
    report = (out / "report.md").read_text(encoding="utf-8").replace("\\", "")
    headed = re.findall(r"^- \*\*(Sentence Encoder .+?)\*\*: weat7", report, re.MULTILINE)
    assert_told_apart(headed, 24)
    pictures = [file.read_text(encoding="utf-8") for file in sorted(out.glob("effect_sizes-*.svg"))]
    drawn = [
        " ".join(label.split())
        for picture in pictures
        for label in re.findall(
            r"weat7 \(.+?\):", " ".join(re.findall(r"<text[^>]*>(.*?)</text>", picture)), re.DOTALL
        )
    ]
    assert_told_apart(drawn, 24)
