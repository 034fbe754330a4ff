"""One method with several settings in two languages, as the BIAS framework has it: every row says which it is."""

from __future__ import annotations

import dataclasses
import itertools
import re

import pytest

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
