"""Pieces of the page: escaping, readings beside every number, drawings that tell the numbers."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.registry import METHODS, get_method
from evaluate_bias.result import Coverage, Estimate, Result, Row, Skipped
from evaluate_bias.ui.explorer.about import about_html
from evaluate_bias.ui.explorer.compare import Comparison, comparison_html
from evaluate_bias.ui.outcome import score_tiles, verdict
from evaluate_bias.ui.pair_tokens import ScoredPair, Token, pair_html
from evaluate_bias.ui.parts import (
    Bars,
    Folded,
    Frame,
    Histogram,
    Link,
    Links,
    Note,
    Part,
    Picture,
    Split,
    Table,
    Tile,
    Tiles,
    Verdict,
    show,
)
from evaluate_bias.ui.sentence_pairs import pairs_html
from evaluate_bias.ui.stereoset import items_html
from evaluate_bias.ui.word_results import words_html
from evaluate_bias.ui.word_tables import table_html
from tests.report.samples import weat_item, weat_result

ATTACK = "\"><img src=x onerror=alert(1)><script>alert(2)</script>'`${1+1}`{{7*7}}"


def test_a_page_of_several_results_names_no_id_twice_and_heads_every_column() -> None:
    one, two = (weat_result([weat_item("weat7", 1.2), weat_item("weat8", 0.3)], model=m) for m in "ab")
    pages = [words_html(one), words_html(two), comparison_html(Comparison((one, two), ("a", "b"), ()))]
    links = show(Links([Link("bias.csv", "a", "text/csv", "CSV")]))
    assert not re.search(r'\sid="', "".join([*pages, links]))
    assert not re.search(r"<th[^>]*></th>", "".join(pages))


def test_the_other_tests_are_spoken_of_where_there_are_some() -> None:
    found = [weat_item(name, 1.7, p_value=1e-6) for name in ("weat6", "weat7")]
    assert "The others" not in words_html(weat_result(found))
    page = words_html(weat_result([*found, weat_item("weat8", 0.1, p_value=0.8, p_holm=0.8)]))
    assert "2 of 3</strong> tests" in page
    assert "The others do not show that there is none." in page


class Collector(HTMLParser):
    """Tags and attributes of a piece of HTML, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed("".join(text))  # a plain string: Markup would escape what it is added to

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def is_harmless(page: str) -> bool:
    found = Collector(page)
    return not {"img", "script"} & found.tags and not any(
        name.startswith("on") for name, _ in found.attributes
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


ATTACKED: dict[str, Part] = {
    "tiles": Tiles([Tile(ATTACK, ATTACK, ATTACK, ATTACK)]),
    "note": Note(ATTACK),
    "verdict": Verdict(ATTACK),
    "frame": Frame(ATTACK, ATTACK),
    "bars": Bars(ATTACK, ATTACK, ATTACK, {"1": ATTACK}, [(ATTACK, "1", 0.2)]),
    "split": Split(ATTACK, [(ATTACK, 2, "1")]),
    "histogram": Histogram(ATTACK, ATTACK, [1.0, -1.0]),
    "table": Table(ATTACK, [{ATTACK: ATTACK}]),
    "folded": Folded(ATTACK, [Note(ATTACK)]),
    "links": Links([Link(ATTACK, ATTACK, ATTACK, ATTACK)]),
}


@pytest.mark.parametrize(
    "page",
    [
        *(show(part) for part in ATTACKED.values()),
        words_html(hostile_result()),
        comparison_html(Comparison((hostile_result(),), (ATTACK,), ((ATTACK, ATTACK, ATTACK),))),
        pair_html(
            ScoredPair((Token(ATTACK, -1.0),), (Token(ATTACK, None),), -1.0, -2.0, "aul", ATTACK, (ATTACK,))
        ),
        *(table_html(hostile_rows(name)) for name in ("bec_pro", "disco", "mlm_gender_score")),
        items_html(hostile_rows("stereoset")),
        pairs_html(hostile_rows("kldivs"), []),
    ],
    ids=[*ATTACKED, "words", "compare", "tokens", "professions", "fills", "occupations", "items", "pairs"],
)
def test_hostile_text_is_shown_as_text(page: str) -> None:
    assert is_harmless(page)
    assert "alert(1)" in Collector(page).text or "alert(1)" in str(Collector(page).attributes)


def test_a_picture_holds_its_text_as_text() -> None:
    found = Collector(show(Picture(ATTACK, "data:image/png;base64,AA==", 1)))
    assert dict(found.attributes)["alt"].startswith('">')  # type: ignore[union-attr]
    assert not any(name.startswith("on") for name, _ in found.attributes)


@given(st.text())
def test_any_text_survives_as_text(text: str) -> None:
    shown = Collector(show(Note(text))).text
    assert shown == "" or " ".join(shown.split()) == shown
    assert is_harmless(show(Note(text)))


def test_a_frame_runs_nothing_and_holds_the_page() -> None:
    found = Collector(show(Frame("Preview", "<p>Hello &\n bye</p>")))
    attributes = dict(found.attributes)
    assert attributes["sandbox"] == ""
    assert attributes["srcdoc"] == "<p>Hello &\n bye</p>"


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_number_says_range_direction_and_ideal(name: str) -> None:
    record = get_method(name)
    result = weat_result(
        method=name,
        score=record.ideal,
        score_range=record.score_range,
        direction=record.direction,
        ideal=record.ideal,
    )
    labels = [value for key, value in Collector(show(score_tiles(result))).attributes if key == "aria-label"]
    assert len(labels) == 4
    assert all(label is not None and "range" in label and "ideal" in label for label in labels)
    assert result.direction_text.split()[0].lower() in str(labels[0]).lower()
    assert record.interpretation in str(labels[0])


def test_a_word_that_leans_left_has_its_bar_on_the_left() -> None:
    page = show(Bars("w", "B", "A", {}, [("rose", "1", 0.4), ("wasp", "2", -0.1)]))
    widths = re.findall(r'class="eb-bar (eb-\w+)" style="width:([\d.]+)%"', page)
    assert widths == [("eb-pos", "50.0"), ("eb-neg", "12.5")]


def test_every_difference_is_in_one_column() -> None:
    values = [-2.0, -1.9, 0.0, 0.1, 2.0, 2.0, 2.0]
    counts = [int(n) for n in re.findall(r"nats: (\d+)", show(Histogram("Δ", "nats", values)))]
    assert len(counts) == 15
    assert sum(counts) == len(values)
    assert (counts[0], counts[7], counts[-1]) == (2, 2, 3)


def test_differences_of_nothing_but_ties_are_drawn_in_the_middle() -> None:
    counts = [int(n) for n in re.findall(r"nats: (\d+)", show(Histogram("Δ", "nats", [0.0, 0.0])))]
    assert counts[7] == 2 == sum(counts)


@pytest.mark.parametrize(
    ("score", "p", "alternative", "said"),
    [
        (
            0.5,
            0.001,
            "greater",
            "These vectors associate male names with career and female names with family",
        ),
        (0.5, 0.4, "greater", "That does not show that there is none"),
        (-0.5, 0.99, "greater", "male names with family and female names with career: the other way round"),
        (-0.5, 0.01, "two-sided", "male names with family and female names with career: the other way round"),
        (0.5, 0.99, "two-sided", "That does not show that there is none"),
    ],
)
def test_the_verdict_follows_p_value_sign_and_alternative(
    score: float, p: float, alternative: str, said: str
) -> None:
    result = weat_result([weat_item("weat6", score, p_value=p)], settings={"alternative": alternative})
    assert said in Collector(words_html(result)).text


@pytest.mark.parametrize(
    ("method", "changes", "said"),
    [
        ("mlm_gender_score", {"score": -0.2, "p_value": 0.01}, "is below 0, its ideal value"),
        ("mlm_gender_score", {"score": -0.2, "p_value": 0.01}, "'he'"),
        ("bec_pro", {"score": 0.2}, "is above 0, its ideal value"),
        (
            "bec_pro",
            {"score": 0.2, "ci_low": 0.1, "ci_high": 0.3},
            "The interval does not hold the ideal value",
        ),
        ("disco", {"score": 0.0, "p_value": 1.0}, "is at 0, its ideal value"),
    ],
)
def test_any_result_is_said_in_words_with_its_direction(
    method: str, changes: dict[str, float], said: str
) -> None:
    assert said in Collector(verdict(made(method, [], **changes))).text


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_sentence_of_every_method_has_no_gap(name: str) -> None:
    for p in (0.001, 0.9):
        said = verdict(made(name, [], p_value=p, n_tested=9))
        assert not re.search(r"\{\w+\}", said), said


def test_a_sampled_p_value_says_so_and_its_bounds_stand_in_the_scale() -> None:
    labels = Collector(show(score_tiles(weat_result(p_value=0.01, p_low=0.009, p_high=0.011)))).attributes
    (label,) = (v for k, v in labels if k == "aria-label" and str(v).startswith("p-value"))
    assert "p-value ≈ 0.01. sampled, 0.009 to 0.011; range 0 to 1" in str(label)


@pytest.mark.parametrize(
    ("method", "unit"),
    [("weat", "words"), ("pll", "pairs"), ("stereoset", "items"), ("bec_pro", "sentences")],
)
def test_coverage_says_what_it_counts(method: str, unit: str) -> None:
    assert f'10 of 10</span>\n    <span class="eb-scale">{unit}; range' in show(score_tiles(made(method, [])))


def test_a_result_of_several_tests_counts_adjusted_p_values() -> None:
    assert "2 of 4 tests find" in Collector(words_html(weat_result())).text
    controls = [weat_item("a"), weat_item("flowers", bias_type="none (baseline)")]
    told = Collector(words_html(weat_result(controls))).text
    assert "1 of 1 tests find" in told
    assert "Of the control tests, which have no social content, 1 of 1 find theirs." in told


def test_lists_without_names_are_called_as_the_page_calls_their_fields() -> None:
    told = Collector(words_html(weat_result([weat_item(x="X", y="Y", a="A", b="B", p_high=0.01)]))).text
    assert (
        "associate first targets X with first attributes A and second targets Y with second attributes B"
        in told
    )


def test_the_words_that_drive_the_score_are_named_with_the_score_without_them() -> None:
    text = Collector(words_html(weat_result([weat_item("weat6", 1.71)]))).text
    assert "amy (1.66), john (1.69)" in text


def test_pairs_without_a_preference_are_not_called_balanced() -> None:
    result = Result(
        method="crows_pairs",
        score=51.0,
        score_range=(0, 100),
        direction="two_sided",
        ideal=50,
        n=20,
        p_value=0.8,
        estimates={"decided_score": Estimate(51.0)},
        rows=[Row(name="0", kind="item", details={"delta": 0.2, "verdict": "more"})],
    )
    text = Collector(pairs_html(result, [])).text
    assert "no evidence of a preference, nor of balance" in text


def test_few_pairs_are_called_too_few() -> None:
    row = Row(name="0", kind="item", details={"delta": 0.2, "verdict": "more"})
    result = made("crows_pairs", [row], n=5, p_value=0.0625, estimates={"decided_score": Estimate(100.0)})
    text = Collector(pairs_html(result, [])).text
    assert "too few pairs for a finding" in text
    assert "no evidence of a preference" not in text
    assert "too few pairs for a finding" in Collector(verdict(made("kldivs", [], n=5, p_value=0.1))).text


def test_minus_signs_are_minus_signs_in_every_cell() -> None:
    rows = [
        Row(name=n, kind="group", score=-0.5, ci_low=-1.0, ci_high=-0.1, estimates={"lms": Estimate(-1.5)})
        for n in ("first", "second")
    ]
    result = made("stereoset", rows, score=-0.5, estimates={"lms": Estimate(-1.5, -2.0, -1.0)})
    cells = re.findall(r"<td>([^<]*)</td>", items_html(result))
    assert "−1.50 [−2.00, −1.00]" in cells
    assert not [cell for cell in cells if re.search(r"-\d", cell)]


def test_about_names_every_method_with_its_range() -> None:
    text = Collector(about_html()).text
    for record in METHODS.values():
        assert record.title in text
        assert f"ideal {record.ideal:g}" in text
    assert "unbiased" not in text
