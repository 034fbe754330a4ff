"""The page in a real headless Chromium: every tab's main path, bad uploads, phone width, dark mode."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.registry import get_method
from evaluate_bias.report.reading import read
from evaluate_bias.ui.word_lists import lists_as_text, run_lists
from tests.ui.conftest import load_stand_in
from tests.ui.visitor import Visitor, contrast

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TEXT = "\n".join(["she is a nurse"] * 6 + ["he is a nurse"] * 2 + ["he is a smith"] * 4 + ["she met a smith"])
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture
def visit(browser, address):
    """Open the page in a fresh browser profile; afterwards nothing may have failed or left the machine."""
    contexts: list[Any] = []
    visitors: list[Visitor] = []

    def open_page(*, viewport=DESKTOP, scheme="light", context=None):
        if context is None:
            context = browser.new_context(viewport=viewport, color_scheme=scheme, accept_downloads=True)
            contexts.append(context)
        visitors.append(Visitor(context, address))
        return visitors[-1]

    yield open_page
    for visitor in visitors:
        assert visitor.outside == []
        assert visitor.errors == []
    for context in contexts:
        context.close()


def first_finding() -> str:
    """What is found by the first example of the first tab."""
    vectors = load_stand_in("glove-6b-50d")
    return read(run_lists(vectors, "en", "weat7", lists_as_text("en", "weat7"))).finding


def type_lists(visitor: Visitor, *lists: str, tab: str = "words") -> None:
    for box, words in zip("xyab", lists, strict=True):
        visitor.page.locator(f"#{tab}-{box} textarea").fill(words)


def walk_through(visitor: Visitor) -> None:
    """Every tab's main path, with a look at its width."""
    assert first_finding() in visitor.run("#words-example-weat7", "#words-output")
    visitor.fits()

    visitor.open_tab("Sentence pairs")
    text = visitor.run("#pair-example-0", "#pair-output", ".eb-tokens")
    assert "difference Δ" in text
    text = visitor.run("#pairs-run", "#pairs-output")
    assert "180 of 180" in text
    visitor.fits()

    visitor.open_tab("Chat")
    model = visitor.page.locator("#chat-model input")
    model.fill("chats/first-label")
    model.press("Enter")
    assert "the answer that was read" in visitor.run("#chat-run", "#chat-output")
    visitor.fits()

    visitor.open_tab("Texts")
    visitor.page.locator("#texts-text textarea").fill(TEXT)
    type_lists(visitor, "she", "he", "nurse, smith", "", tab="texts")
    assert "of your text" in visitor.run("#texts-run", "#texts-output")
    visitor.fits()

    visitor.open_tab("More methods")
    visitor.choose_method("MLM gender score")
    assert "8 of 60 rows" in visitor.run("#more-mlm_gender_score-run", "#more-mlm_gender_score-output")
    visitor.choose_method("Analogies")
    visitor.page.locator("#more-analogies-table").get_by_text("doctor").first.wait_for()
    visitor.fits()

    visitor.open_tab("Compare")
    visitor.run("#compare-run", "#compare-output", ".eb-picture")
    heads = visitor.page.locator("#compare-output .eb-table thead th").all_inner_texts()
    assert "conclusion" in heads
    visitor.fits()

    visitor.open_tab("Model card")
    visitor.page.locator("#card-model input").wait_for()
    visitor.run("#card-run", "#card-preview", "iframe")
    frame = visitor.page.frame_locator("#card-preview iframe")
    assert "Bias, Risks, and Limitations" in frame.locator("main").inner_text()
    visitor.fits()

    visitor.open_tab("About")
    visitor.page.locator("#about").get_by_text("What these numbers are not").wait_for()
    visitor.fits()


def test_every_tab_on_a_phone_in_the_dark(visit):
    visitor = visit(viewport=PHONE, scheme="dark")
    background = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", background)[:3])) < 60
    walk_through(visitor)


@pytest.mark.nightly
def test_colours_can_be_read_in_both_schemes(visit):
    for scheme in ("light", "dark"):
        visitor = visit(scheme=scheme)
        visitor.run("#words-example-weat7", "#words-output")
        for selector in (".eb-finding", ".eb-value", ".eb-scale", ".eb-note", ".eb-bars th"):
            assert contrast(visitor, f"#words-output {selector}") >= 4.5, (scheme, selector)


def test_a_test_can_be_run_by_keyboard_alone(visit):
    visitor = visit()
    visitor.page.locator("#words-example-weat7").focus()
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_selector("#words-output .eb-tiles")
    said = first_finding()
    assert said in visitor.page.locator("#words-output").inner_text()
    visitor.page.locator("#told [role=status]", has_text=said).wait_for(state="attached")


def holds(visitor: Visitor, lists: Sequence[str]) -> None:
    """Wait until all that a choice fills in has arrived: the page shows it field by field."""
    for box, words in zip("xyab", lists, strict=True):
        visitor.sees(
            "([id, text]) => document.querySelector(id).value === text", [f"#words-{box} textarea", words]
        )


@pytest.mark.nightly
def test_a_field_that_is_passed_through_leaves_what_was_typed(visit):
    visitor = visit()
    visitor.page.locator("#words-method input").click()
    visitor.page.get_by_role("option", name="Projection on a bias axis").click()
    holds(visitor, lists_as_text("en", "occupations", get_method("projection")))
    visitor.page.locator("#words-x textarea").fill("she, her, woman")
    visitor.page.locator("#words-y textarea").fill("he, his, man")
    for field in ("method", "language", "test"):  # gradio asks whenever one is left
        visitor.page.locator(f"#words-{field} input").focus()
        visitor.page.keyboard.press("Tab")
    assert "your lists" in visitor.run("#words-run", "#words-output")
    assert visitor.page.locator("#words-x textarea").input_value() == "she, her, woman"
    visitor.page.locator("#words-method input").click()
    visitor.page.get_by_role("option", name="WEAT, or SEAT").click()
    holds(visitor, lists_as_text("en", "weat1"))


def test_own_vectors_and_a_bad_upload(visit, tmp_path):
    good, bad = tmp_path / "mine.vec", tmp_path / "virus.vec"
    words = ("math", "algebra", "poetry", "art", "male", "man", "female", "woman")
    rows = [f"{word} {i % 3} {(i * i) % 5} {1 + i / 10}" for i, word in enumerate(words)]
    good.write_text("\n".join(rows), encoding="utf-8")
    bad.write_bytes(b"MZ\x90\x00" + bytes(500))
    visitor = visit()
    type_lists(visitor, "math, algebra", "poetry, art", "male, man", "female, woman")
    visitor.page.locator("#words-own input").check()
    visitor.upload("#words-upload", good)
    assert "8 of 8" in visitor.run("#words-run", "#words-output")
    visitor.clear("#words-upload")
    visitor.upload("#words-upload", bad)
    visitor.refused("#words-run", "#words-output", "binary data of no known format")
    assert visitor.page.locator("#words-output .eb-tiles").count() == 0  # no older result beside an error
    visitor.page.locator("#told [role=status]", has_text="binary data of no known format").wait_for(
        state="attached"
    )


def test_a_tap_on_a_phone_goes_to_the_result(visit):
    visitor = visit(viewport=PHONE)

    def result_is_seen(output):
        seen = """output => {
            const box = document.querySelector(output + ' .eb-finding').getBoundingClientRect();
            return box.top >= 0 && box.top < window.innerHeight;
        }"""
        visitor.sees(seen, output)

    for button in ("#words-example-weat7", "#words-run"):
        visitor.page.evaluate("window.scrollTo(0, 0)")
        visitor.run(button, "#words-output")
        result_is_seen("#words-output")
    visitor.open_tab("Sentence pairs")
    visitor.run("#pair-example-0", "#pair-output", ".eb-tokens")
    result_is_seen("#pair-output")
    visitor.run("#pairs-run", "#pairs-output")
    result_is_seen("#pairs-output")


@pytest.mark.nightly
def test_a_result_is_saved_as_a_file(visit):
    visitor = visit()
    visitor.run("#words-example-weat7", "#words-output")
    with visitor.page.expect_download() as saved:
        visitor.page.locator("#words-output a[download='results.jsonl']").click()
    assert saved.value.suggested_filename == "results.jsonl"
    assert '"method": "weat"' in Path(saved.value.path()).read_text(encoding="utf-8")


def test_a_method_brings_its_own_tests_and_its_picture(visit):
    visitor = visit(viewport=PHONE)
    visitor.page.locator("#words-method input").click()
    visitor.page.get_by_role("option", name="Projection on a bias axis").click()
    visitor.sees("document.querySelector('#words-test input').value.includes('occupations')")
    published = lists_as_text("en", "occupations", get_method("projection"))
    holds(visitor, published)
    type_lists(visitor, "female, woman", "male, man", "poetry, art, dance", "math, algebra, geometry")
    visitor.run("#words-run", "#words-output")
    alt = visitor.page.locator("#words-output img.eb-picture").get_attribute("alt")
    assert "words on the axis between two groups of words, from" in alt
    picture = visitor.page.locator("#words-output img.eb-picture")
    visitor.sees("document.querySelector('#words-output img.eb-picture').complete")
    dots = picture.evaluate("image => image.naturalWidth")
    assert dots >= 2 * int(picture.get_attribute("width") or 0)  # sharp on a phone
    narrow = picture.evaluate("image => image.clientWidth")
    assert narrow <= PHONE["width"]  # nothing of it is cut off
    picture.click()
    visitor.sees(
        "narrow => document.querySelector('#words-output img.eb-picture').clientWidth > narrow", narrow
    )
    visitor.fits()


def test_typed_markup_is_text_everywhere(visit):
    visitor = visit()
    visitor.page.on("dialog", lambda dialog: visitor.errors.append(f"a dialog opened: {dialog.message}"))
    attack = "<img src=x onerror=alert(1)>"
    visitor.page.locator("#words-x textarea").fill(f"math, algebra, {attack}, ${{1+1}}, {{{{7*7}}}}")
    visitor.refused("#words-run", "#words-output", attack)  # too many words are missing
    words = f"math, algebra, geometry, calculus, numbers, addition, {attack}"
    visitor.page.locator("#words-x textarea").fill(words)
    assert attack in visitor.run("#words-run", "#words-output")
    visitor.open_tab("Sentence pairs")
    sentence = f"The nurse said she {attack} ${{1+1}} left."
    visitor.page.locator("#pair-more input, #pair-more textarea").fill(sentence)
    visitor.run("#pair-run", "#pair-output", ".eb-tokens")
    visitor.open_tab("Model card")
    visitor.page.locator("#card-text textarea").fill(f"# Hello\n\n{attack}<script>alert(2)</script>")
    visitor.run("#card-run", "#card-preview", "iframe")
    visitor.page.wait_for_timeout(500)
    assert visitor.page.locator("#tabs img[src=x]").count() == 0
