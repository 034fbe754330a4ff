"""Tables of results: the same numbers in every format, nothing hidden, nothing that a reader's program runs."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from evaluate_bias.report import escape
from evaluate_bias.report.html import html_page
from evaluate_bias.report.latex import to_latex
from evaluate_bias.report.row_tables import item_table, summary_frame, to_csv, to_markdown
from evaluate_bias.report.write import report_page, write_report
from evaluate_bias.result import Estimate, Row
from tests.report.samples import group, pairs_result, report_lines, weat_item, weat_result


def markdown_cells(text: str) -> list[list[str]]:
    """Cells of the first table, as a Markdown reader sees them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and token.level >= 4:
            shown = "".join(c.content for c in token.children or () if c.type in ("text", "text_special"))
            rows[-1].append(shown)
    return rows


def test_one_line_per_test_after_that_of_all_tests():
    frame = summary_frame([weat_result(expected_by_chance=0.36)])
    assert list(frame["test"]) == ["all tests", "weat6", "weat7", "weat9", "weat10"]
    assert list(frame["score"]) == [0.75, 1.71, 1.50, 0.31, -0.52]
    assert list(frame["p_error"])[1:] == [0.0, 0.0, 0.0, 0.01]
    assert frame.loc[1, "label"] == "Male names / Female names — Career / Family"
    assert list(frame["n"]) == [64, 16, 16, 16, 16]
    assert list(frame["coverage"]) == [128 / 129, *[1.0] * 4]
    assert list(frame["ideal"]) == [0.0] * 5
    assert list(frame["expected_by_chance"].dropna()) == [0.36]
    assert frame.loc[0, ["ci_low", "ci_high", "p_value"]].tolist() == [0.2, 1.4, 0.0016]
    assert list(summary_frame([weat_result([weat_item()])])["test"]) == ["weat6"]


def test_a_row_has_its_own_ideal_and_range_or_those_of_the_result():
    rows = (group("own", 58.0, ideal=40.0, score_range=(0.0, 80.0)), group("none", 59.0))
    lines = report_lines([pairs_result(rows=rows)])
    assert [r.ideal for r in lines] == [50.0, 40.0, 50.0]
    assert [r.score_range for r in lines] == [(0.0, 100.0), (0.0, 80.0), (0.0, 100.0)]


@given(label=st.text(alphabet=st.characters(codec="utf-8"), max_size=30))
def test_any_label_stays_in_its_markdown_cell(label):
    """An independent Markdown reader sees the label's own characters and no markup."""
    result = weat_result([weat_item(x=f"x{label}x")])
    cells = markdown_cells(to_markdown([result]))
    assert len(cells) == 2
    assert cells[1][cells[0].index("what is compared")].startswith("X")
    shown = cells[1][cells[0].index("what is compared")].partition(" / Female names")[0]
    expected = escape.one_line(f"X{label}x")
    assert shown == expected


@pytest.mark.parametrize(
    "name",
    [
        "=1",
        "-1",
        "@a",
        "\r=1",
        "＝1",
        "－1",
        "﹢1",
        "−1",
        "\u202e=1",
    ],
)
def test_no_text_of_a_csv_is_a_formula(name):
    row = next(csv.reader(io.StringIO(to_csv([weat_result([weat_item(name)], model=name)]).splitlines()[1])))
    assert row[1].startswith("'")
    assert row[3].startswith("'")


def test_no_interval_becomes_a_link():
    """A definition elsewhere in a card may bear an interval's numbers as its name."""
    table = to_markdown([weat_result([weat_item("weat6", 1.5, ci_low=1.04, ci_high=1.91)])])
    page = f"[1.04, 1.91]: https://example.org\n\n{table}"
    assert "[1.04, 1.91]" in "".join(cell for row in markdown_cells(page) for cell in row)
    assert "<a " not in MarkdownIt("commonmark").enable("table").render(page)


def test_items_keep_their_digits_and_no_spreadsheet_runs_them():
    row = Row(name="=1+1", kind="item", details={"delta": 0.1 + 0.2, "missing": None, "list": ["a", 1]})
    table = item_table(pairs_result(rows=(row,)))
    assert table is not None
    assert table.rows[0][table.titles.index("delta")] == 0.1 + 0.2
    line = next(csv.DictReader(table.to_csv().splitlines()))
    assert (line["name"], line["delta"], line["list"]) == ("'=1+1", repr(0.1 + 0.2), '["a", 1]')
    assert item_table(pairs_result(rows=())) is None


def holm(p_values: list[float]) -> list[float]:
    """Holm's adjusted p-values, worked one at a time from the definition."""
    m = len(p_values)
    order = sorted(range(m), key=p_values.__getitem__)
    adjusted = [0.0] * m
    for rank, i in enumerate(order):
        adjusted[i] = min(1.0, max((m - k) * p_values[order[k]] for k in range(rank + 1)))
    return adjusted


def test_several_results_are_also_adjusted_together():
    results = [weat_result(), pairs_result("glove-6b-50d"), pairs_result("another")]
    frame = summary_frame(results)
    assert frame[frame["model"] == "another"]["p_holm_all"].isna().all()
    frame = frame[frame["model"] == "glove-6b-50d"]
    tested = frame[frame["p_value"].notna() & (frame["test"] != "all tests")]
    assert len(tested) == 7
    assert list(tested["p_holm_all"]) == pytest.approx(holm(list(tested["p_value"])))
    assert all(tested["p_bh_all"] <= tested["p_holm_all"] + 1e-12)
    assert list(frame[frame["p_holm_all"].isna()]["test"]) == ["all tests", "religion"]
    assert summary_frame([weat_result()])["p_holm_all"].isna().all()
    text = to_markdown(results)
    assert "Holm correction over everything measured on the model" in text
    assert "Holm correction over the tests or groups of the result" in to_markdown([weat_result()])


def test_intervals_of_secondary_values_have_columns_of_their_own():
    estimates = {"mean_delta": Estimate(0.25, 0.125, 0.5, p=0.01), "neutral": Estimate(0)}
    frame = summary_frame([pairs_result(method="crows_pairs", estimates=estimates)])
    assert list(frame.loc[0, ["mean_delta", "mean_delta_low", "mean_delta_high"]]) == [0.25, 0.125, 0.5]
    assert not {"stereo_score", "mean_delta_p"} & set(frame.columns)


def test_what_was_found_comes_first_and_the_same_is_said_once(tmp_path):
    few = [pairs_result(f"m{i}", method="crows_pairs", n=3, rows=(), estimates={}) for i in range(2)]
    found = weat_result([weat_item("weat6", 1.7)])
    control = weat_result([weat_item("weat1", 1.9, bias_type="none")], "other")
    first, *others = [
        line for line in report_page([*few, control, found], [], tmp_path).splitlines() if line[:3] == "- *"
    ]
    assert first.startswith("- **Word Embedding Association Test (WEAT)** on glove-6b-50d: ")
    assert others[0].startswith("- **CrowS-Pairs** on m0, **CrowS-Pairs** on m1: Too few items")
    assert len(others) == 2


def test_no_score_is_shown_as_nothing():
    """Small scores keep their digits, wherever they are written; a zero has no sign."""
    row = weat_item("weat6", 0.0004, ci_low=0.00011, ci_high=0.0009, score_range=(-1.0, 1.0))
    result = weat_result([row])
    for text in (
        to_markdown([result]),
        to_latex([result]),
        html_page([result]),
        report_page([result], [], Path()),
    ):
        assert "0.0004" in text
        assert "[0.00011, 0.00090]" in text
        assert ">0.00<" not in text
    negative = weat_result([weat_item("weat6", -0.0004, ci_low=-0.0, ci_high=0.0, score_range=(-1.0, 1.0))])
    assert r"| -0.0004 | \[0.00, 0.00] |" in to_markdown([negative])


def test_two_models_of_one_name_stay_two(tmp_path):
    """Checkpoints of two runs, and a folder whose weights have changed; the same weights are one model."""
    models = [
        {"name": "/runs/a/step-10"},
        {"name": "/runs/b/step-10"},
        {"name": "m", "weights_sha256": {"w": "1"}},
        {"name": "m", "weights_sha256": {"w": "2"}},
        {"name": "./m", "weights_sha256": {"w": "1"}, "kind": "static"},
    ]
    results = [
        weat_result([weat_item(name, p_value=0.01)], provenance={"model": model})
        for name, model in zip(("weat6", "weat6", "weat6", "weat6", "weat7"), models, strict=True)
    ]
    write_report(results, tmp_path)
    found = pd.read_csv(tmp_path / "report.csv")
    assert list(found["model"]) == ["step-10", "step-10 #2", "m", "m #2", "m"]
    adjusted = found["p_holm_all"]  # of a model's own p-values alone
    assert list(adjusted.isna()) == [True, True, False, True, False]
    page = html_page(results)
    assert page.count("<td>step-10 #2</td>") == page.count("<td>m #2</td>") == 1
    assert "/runs/" not in page
