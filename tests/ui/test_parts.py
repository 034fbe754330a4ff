"""Pieces of the page: escaping, readings beside every number, drawings that tell the numbers."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.registry import METHODS, get_method
from evaluate_bias.report.card import plan_card
from evaluate_bias.report.reading import read, read_all, significance_note
from evaluate_bias.result import Coverage, Estimate, Result, Row, Skipped
from evaluate_bias.text import plain_p
from evaluate_bias.ui.compare import comparison_html
from evaluate_bias.ui.outcome import data_parts, result_page, score_tiles
from evaluate_bias.ui.pages import about_html
from evaluate_bias.ui.parts import draw, folded, histogram, links, note, scroll_table, short
from evaluate_bias.ui.sentence_pairs import pair_html
from tests.report.samples import weat_item, weat_result
from tests.support.collected_html import Collector

ATTACK = "\"><img src=x onerror=alert(1)><script>alert(2)</script>'`${1+1}`{{7*7}}"


def test_a_page_of_several_results_names_no_id_twice_and_heads_every_column():
    one, two = (weat_result([weat_item("weat7", 1.2), weat_item("weat8", 0.3)], model=m) for m in "ab")
    pages = [result_page(one), result_page(two), comparison_html([one, two])]
    saved = links(("bias.csv", "a", "text/csv", "CSV"))
    assert not re.search(r'\sid="', "".join([*pages, saved]))
    assert not re.search(r"<th[^>]*></th>", "".join(pages))


def is_harmless(page: str) -> bool:
    """Whether it runs nothing and loads nothing; a picture of ours is part of the page."""
    found = Collector(page)
    return "script" not in found.tags and not any(
        name.startswith("on") or (name == "src" and not str(value).startswith("data:image/png;base64,"))
        for name, value in found.attributes
    )


def hostile_result() -> Result:
    item = weat_item(ATTACK, 1.7, x=ATTACK, y=ATTACK, a=ATTACK, b=ATTACK)
    words = [{**word, "word": ATTACK} for word in item.details["words"]]
    item = weat_item(ATTACK, 1.7, x=ATTACK, y=ATTACK, a=ATTACK, b=ATTACK, words=words)
    return weat_result([item], model=ATTACK, warnings=(ATTACK,), skipped=(Skipped(ATTACK, ATTACK),))


def made(method: str, rows: list[Row], **changes: Any) -> Result:
    """A result of a method with these rows; score and range as its record has them."""
    record = get_method(method)
    fields: dict[str, Any] = {
        "score": record.ideal,
        "score_range": record.score_range,
        "direction": record.direction,
        "ideal": record.ideal,
        "n": 10,
        "coverage": Coverage(10, 10),
    }
    return Result(method=method, rows=tuple(rows), **(fields | changes))


def hostile_rows(method: str) -> Result:
    """Everything that a row of another kind of data shows, as an attack."""
    fill = {"fill": ATTACK, "female": 1, "male": 0, "significant": True}
    item = Row(
        name=ATTACK, kind="item", score=0.5, details={"template": ATTACK, "fills": [fill], "group": ATTACK}
    )
    group = Row(
        name=ATTACK, kind="group", score=0.5, labels={"title": ATTACK}, estimates={"lms": Estimate(1.0)}
    )
    return made(method, [item, group], warnings=(ATTACK,), skipped=(Skipped(ATTACK, ATTACK),))


ATTACKED = {
    "tiles": draw("tiles", [(ATTACK, ATTACK, ATTACK, ATTACK)]),
    "note": note(ATTACK),
    "finding": note(ATTACK, "finding"),
    "frame": draw("frame", ATTACK, ATTACK),
    "bars": draw("bars", ATTACK, ATTACK, ATTACK, {"1": ATTACK}, [(ATTACK, "1", 0.2)]),
    "split": draw("dividedbar", ATTACK, [(ATTACK, 2, "1")]),
    "histogram": histogram(ATTACK, ATTACK, [1.0, -1.0]),
    "table": scroll_table(ATTACK, [{ATTACK: ATTACK}]),
    "folded": folded(ATTACK, note(ATTACK)),
    "links": draw("links", [(ATTACK, ATTACK, ATTACK)]) + links((ATTACK, ATTACK, ATTACK, ATTACK)),
    "picture": draw("picture", ATTACK, "data:image/png;base64,", 1),
}


@pytest.mark.parametrize(
    "page",
    [
        *ATTACKED.values(),
        result_page(hostile_result()),
        comparison_html([hostile_result()], [(ATTACK, ATTACK, ATTACK)]),
        pair_html(
            {
                "tokens_more": [{"text": ATTACK, "logprob": -1.0}],
                "tokens_less": [{"text": ATTACK, "logprob": None}],
                "score_more": -1.0,
                "score_less": -2.0,
                "delta": 1.0,
                "scoring": "aul",
                "model": ATTACK,
                "warnings": [ATTACK],
            }
        ),
        *(result_page(hostile_rows(name)) for name in ("bec_pro", "disco", "mlm_gender_score")),
        result_page(hostile_rows("stereoset")),
        result_page(hostile_rows("kldivs"), []),
    ],
    ids=[*ATTACKED, "words", "compare", "tokens", "professions", "fills", "occupations", "items", "pairs"],
)
def test_hostile_text_is_shown_as_text(page):
    assert is_harmless(page)
    assert "alert(1)" in Collector(page).text or "alert(1)" in str(Collector(page).attributes)


@given(st.text())
def test_any_text_survives_as_text(text):
    shown = Collector(note(text)).text
    assert shown == "" or " ".join(shown.split()) == shown
    assert is_harmless(note(text))


def test_a_frame_runs_nothing_and_holds_the_page():
    found = Collector(draw("frame", "Preview", "<p>Hello &\n bye</p>"))
    attributes = dict(found.attributes)
    assert attributes["sandbox"] == ""
    assert attributes["srcdoc"] == "<p>Hello &\n bye</p>"


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_score_says_range_direction_and_ideal_and_every_number_its_meaning(name):
    record = get_method(name)
    tiles = score_tiles(read(one_score(name, ci_low=0.1, ci_high=0.3, p_value=0.01)))
    labels = [str(value) for key, value in Collector(tiles).attributes if key == "aria-label"]
    tips = re.findall(r'<span class="eb-tip"[^>]*>([^<]*)<', tiles)
    assert len(labels) == 4
    assert all(html.unescape(tip) in label for tip, label in zip(tips, labels, strict=True))
    assert all(part in labels[0] for part in ("range", f"ideal {short(record.ideal)}", record.interpretation))
    assert not any("no ideal value" in label for label in labels)


def test_every_difference_is_in_one_column():
    values = [-2.0, -1.9, 0.0, 0.1, 2.0, 2.0, 2.0]
    counts = [int(n) for n in re.findall(r"nats: (\d+)", histogram("Δ", "nats", values))]
    assert len(counts) == 15
    assert sum(counts) == len(values)
    assert (counts[0], counts[7], counts[-1]) == (2, 2, 3)


def one_score(method: str, **changes: Any) -> Result:
    """A result with a single score, a bit above its ideal value."""
    return made(method, [], **{"score": get_method(method).ideal + 0.2, "n_tested": 9, **changes})


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_page_opens_with_the_finding_and_says_every_remark(name):
    reading = read(one_score(name, p_value=0.001))
    page = str(result_page(reading.result))
    first, *notes = [Collector(text).text for text in re.findall(r"<p class=.*?</p>", page)]
    assert first == reading.finding
    assert notes[0].startswith(f"{reading.title} of {reading.model}. Data: ")
    assert reading.data in notes[0]
    assert tuple(notes[1 : 1 + len(reading.remarks)]) == reading.remarks
    assert not re.search(r"\{\w+\}", Collector(page).text)


def cells_of(page: str, column: str) -> list[str]:
    """The texts of a column of the table that has it."""
    table = next(t for t in re.findall(r"<table.*?</table>", page, re.S) if f">{column}</th>" in t)
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", table)
    rows = re.findall(r"<tr>(<td.*?)</tr>", table, re.S)
    return [re.findall(r"<td[^>]*>([^<]*)</td>", row)[heads.index(column)] for row in rows]


def test_every_row_has_its_conclusion_and_the_page_says_what_significant_means():
    result = weat_result()
    reading = read(result)
    page = str(result_page(result))
    assert cells_of(page, "conclusion") == [row.word for row in reading.rows]
    assert cells_of(page, "test") == [row.name for row in reading.rows]
    assert significance_note([reading]) in Collector(page).text
    assert "conclusion</th>" not in result_page(weat_result([weat_item("weat6", 0.5, p_holm=None)]))


def test_the_count_of_the_page_is_that_of_the_card():
    """Also where a p-value alone would count a test that its interval contradicts."""
    items = [weat_item("weat6"), weat_item("weat7"), weat_item("weat9", 0.3, p_value=0.001, p_holm=0.003)]
    result = weat_result(items)
    reading = read(result)
    assert sum(row.line.significant for row in reading.parts) == 3
    assert (reading.conclusion.k, reading.conclusion.n) == (2, 3)
    card = plan_card("", [result]).text
    assert reading.word in card
    assert Collector(result_page(result)).text.count("2 of 3 tests") == 1
    assert cells_of(result_page(result), "conclusion").count("significant") == reading.conclusion.k


def test_side_by_side_every_row_has_its_p_value_and_conclusion():
    results = [weat_result(model=model) for model in "ab"]
    page = comparison_html(results).rpartition("Scores, with interval")[2]
    rows = [row for reading in read_all(results) for row in reading.parts]
    assert cells_of(page, "conclusion") == [row.word for row in rows]
    assert cells_of(page, "p (Holm)") == [html.escape(plain_p(row.line.decisive_p)) for row in rows]
    assert significance_note(read_all(results)) in Collector(page).text


def test_the_words_that_drive_the_score_are_named_with_the_score_without_them():
    text = Collector(result_page(weat_result([weat_item("weat6", 1.71)]))).text
    assert "amy (1.66), john (1.69)" in text


def test_about_names_every_method_with_its_range():
    text = Collector(about_html()).text
    for record in METHODS.values():
        assert record.title in text
        assert f"ideal {record.ideal:g}" in text
    for record in METHODS.values():
        text = text.replace(record.paper, "")  # one has the word in its title
    assert "unbiased" not in text


def bars_of(page: str) -> list[tuple[str, str]]:
    """The name and the number of every bar."""
    return re.findall(r'<th scope="row">(.*?)</th>.*?<td class="eb-num">(.*?)</td>', page)


def test_templates_are_shown_by_what_groups_differ_in_them_and_answers_are_no_differences() -> None:
    rows = [
        {"question": 3.0 + t + 0.5 * (group == "a"), "group": group, "template": f"case {t}"}
        for t in range(3)
        for group in "ab"
    ]
    shown = data_parts(read(eb.measure("decision_gap", data=rows)))
    assert bars_of(shown) == [(f"case {t}", "0.500") for t in range(3)]


def test_targets_are_shown_by_their_gap_and_not_by_the_entailment_of_a_word() -> None:
    rows = [
        {
            "premise": f"A {target} slept.",
            "hypothesis": f"A {word} slept.",
            "target": target,
            "attribute": word,
            "group": group,
            "entailment": 0.75 if group == "women" else 0.5,
            "neutral": 0.25,
            "contradiction": 0.0 if group == "women" else 0.25,
        }
        for target in ("nurse", "pilot", "clerk")
        for word, group in (("woman", "women"), ("man", "men"))
    ]
    result = eb.measure("bias_nli", data=rows, variant="gap", groups=("women", "men"))
    assert dict(bars_of(data_parts(read(result)))) == dict.fromkeys(("nurse", "pilot", "clerk"), "0.250")
