"""Pieces of the page: escaping, readings beside every number, drawings that tell the numbers."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.explorer.about import about_html
from evaluate_bias.explorer.compare import Comparison, comparison_html
from evaluate_bias.explorer.html import (
    Tile,
    bars,
    framed,
    histogram,
    note,
    score_tiles,
    split_bar,
    table,
    tiles,
)
from evaluate_bias.explorer.sentences import pairs_html
from evaluate_bias.explorer.tokens import ScoredPair, Token, pair_html
from evaluate_bias.explorer.words import words_html
from evaluate_bias.registry import METHODS, get_method
from evaluate_bias.report.tables import to_markdown
from evaluate_bias.result import Result, Skipped
from tests.report.samples import weat_item, weat_result

TWO_AXES = {
    "p": [1.0, 0.1],
    "q": [0.9, 0.0],
    "r": [0.0, 1.0],
    "s": [0.2, 0.9],
    "a": [1.0, 0.0],
    "b": [0.0, 1.0],
}
TWO_TESTS = [
    {"name": name, "targets_x": x, "targets_y": y, "attributes_a": ["a"], "attributes_b": ["b"]}
    for name, x, y in (("one", ["p", "q"], ["r", "s"]), ("other", ["p", "r"], ["q", "s"]))
]
ATTACK = "\"><img src=x onerror=alert(1)><script>alert(2)</script>'`${1+1}`{{7*7}}"


class Collector(HTMLParser):
    """Tags and attributes of a piece of HTML, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

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


def hostile_result() -> Any:
    item = weat_item(ATTACK, 1.7, x=ATTACK, y=ATTACK, a=ATTACK, b=ATTACK)
    item["words"] = [{**word, "word": ATTACK} for word in item["words"]]
    return weat_result([item], model=ATTACK, warnings=(ATTACK,), skipped=(Skipped(ATTACK, ATTACK),))


@pytest.mark.parametrize(
    "page",
    [
        tiles([Tile(ATTACK, ATTACK, ATTACK, ATTACK)]),
        note(ATTACK),
        framed(ATTACK, ATTACK),
        bars([(ATTACK, "1", 0.2)], left=ATTACK, right=ATTACK, what=ATTACK, series={"1": ATTACK}),
        split_bar([(ATTACK, 2, "1")], what=ATTACK),
        histogram([1.0, -1.0], what=ATTACK, unit=ATTACK),
        table([{ATTACK: ATTACK}], what=ATTACK),
        words_html(hostile_result()),
        comparison_html(Comparison((hostile_result(),), (ATTACK,), ((ATTACK, ATTACK, ATTACK),))),
        pair_html(ScoredPair((Token(ATTACK, -1.0),), (Token(ATTACK, None),), -1.0, -2.0, "pll", (ATTACK,))),
    ],
    ids=["tiles", "note", "frame", "bars", "split", "histogram", "table", "words", "compare", "tokens"],
)
def test_hostile_text_is_shown_as_text(page: str) -> None:
    assert is_harmless(page)


@given(st.text())
def test_any_text_survives_as_text(text: str) -> None:
    shown = Collector(note(text)).text
    assert shown == "" or " ".join(shown.split()) == shown
    assert is_harmless(note(text))


def test_a_frame_runs_nothing_and_holds_the_page() -> None:
    found = Collector(framed("<p>Hello & bye</p>", "Preview"))
    attributes = dict(found.attributes)
    assert attributes["sandbox"] == ""
    assert attributes["srcdoc"] == "<p>Hello & bye</p>"


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
    labels = [
        value for key, value in Collector(score_tiles(record, result)).attributes if key == "aria-label"
    ]
    assert len(labels) == 4
    assert all(label is not None and "range" in label and "ideal" in label for label in labels)
    assert result.direction_text.split()[0].lower() in str(labels[0]).lower()
    assert record.reading in str(labels[0])


def test_a_word_that_leans_left_has_its_bar_on_the_left() -> None:
    page = bars([("rose", "1", 0.4), ("wasp", "2", -0.1)], left="B", right="A", what="w", series={})
    widths = re.findall(r'class="eb-bar (eb-\w+)" style="width:([\d.]+)%"', page)
    assert widths == [("eb-pos", "50.0"), ("eb-neg", "12.5")]


def test_every_difference_is_in_one_column() -> None:
    values = [-2.0, -1.9, 0.0, 0.1, 2.0, 2.0, 2.0]
    counts = [int(n) for n in re.findall(r"nats: (\d+)", histogram(values, what="Δ", unit="nats"))]
    assert len(counts) == 15
    assert sum(counts) == len(values)
    assert (counts[0], counts[7], counts[-1]) == (2, 2, 3)


def test_differences_of_nothing_but_ties_are_drawn_in_the_middle() -> None:
    counts = [int(n) for n in re.findall(r"nats: (\d+)", histogram([0.0, 0.0], what="Δ", unit="nats"))]
    assert counts[7] == 2 == sum(counts)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"p_high": 0.001}, "These vectors associate"),
        ({"p_high": 0.4}, "That does not show that there is none"),
        ({"p_high": 0.99}, "other way round"),
    ],
)
def test_the_verdict_follows_the_p_value(changes: dict[str, float], said: str) -> None:
    assert said in Collector(words_html(weat_result([weat_item("weat6", 0.5, **changes)]))).text


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
        n=1,
        p_value=0.8,
        items=({"id": "0", "bias_type": "", "delta": 0.2, "verdict": "more"},),
        extra={"neutral": 0, "decided": 1, "decided_score": 51.0},
    )
    text = Collector(pairs_html(result, [])).text
    assert "no evidence of a preference, nor of balance" in text


def test_an_ideal_that_is_no_matter_of_ties_is_not_said_to_be_one() -> None:
    pairs = [
        {"sent_more": float(i * i % 17), "sent_less": i * 3 % 11 + 0.5, "bias_type": ("age", "gender")[i % 2]}
        for i in range(20)
    ]
    result = eb.evaluate("kldivs", None, data=pairs, gev=False)
    text = Collector(pairs_html(result, [])).text
    assert "By bias type: KLDivS, with its ideal" in text
    several = eb.evaluate("weat", TWO_AXES, data=TWO_TESTS, ci="none")
    assert several.ideal > 0
    told = Collector(comparison_html(Comparison((result, several), ("m",), ()))).text
    assert "effect size d from −2 to 2, ideal 0. " in told
    assert "KLDivS from 50 to 100, ideal as each cell tells. " in told
    assert "ties" not in told + text
    assert "because ties" not in to_markdown([result])


def test_about_names_every_method_with_its_range() -> None:
    text = Collector(about_html()).text
    for record in METHODS.values():
        assert record.title in text
        assert f"ideal {record.ideal:g}" in text
    assert "unbiased" not in text
