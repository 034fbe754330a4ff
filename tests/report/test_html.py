"""The HTML page: whole without a network, safe whatever names are in it, bounded in size, usable in a real browser."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from evaluate_bias.errors import InputError, OutputError
from evaluate_bias.report.html import html_page, write_html
from evaluate_bias.result import Result, Row, Skipped
from tests.report.samples import pairs_result, weat_item, weat_result
from tests.support.collected_html import Collector
from tests.support.refusals import refused
from tests.ui.conftest import browser as browser  # the fixture

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'`{{7*7}}[a](javascript:alert(3))"


def sample() -> list[Result]:
    return [weat_result(), pairs_result(), pairs_result("roberta-base")]


@pytest.fixture(scope="module")
def text():
    return html_page(sample())


def test_nothing_is_loaded_from_elsewhere(text):
    page = Collector(text)
    assert page.open == []
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert "src" not in attributes
        if tag != "a":
            for name in ("href", "xlink:href"):
                assert (attributes.get(name) or "#").startswith(("#", "data:image/png;base64,"))
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert "default-src 'none'" in text


def test_ids_are_unique_and_links_lead_somewhere(text):
    ids = [a["id"] for _, a in Collector(text).elements if "id" in a]
    assert len(ids) == len(set(ids))
    links = {
        h[1:] for t, a in Collector(text).elements if t == "a" and (h := a.get("href") or "").startswith("#")
    }
    assert links <= set(ids)
    assert {"result-1", "result-2", "result-3", "findings"} <= links


def test_names_from_outside_stay_text():
    row = weat_item("weat6", title=HOSTILE, x=HOSTILE)
    row = dataclasses.replace(
        row, name=HOSTILE, details={"words": [{"word": HOSTILE, "list": "targets_x", "association": 0.1}]}
    )
    own = weat_result(
        [row], HOSTILE, warnings=(HOSTILE,), skipped=(Skipped(HOSTILE, HOSTILE, HOSTILE),), settings={HOSTILE: HOSTILE},
        p_method=HOSTILE,
    )  # fmt: skip
    text = html_page([own, pairs_result(HOSTILE, method="x" + HOSTILE)])
    parsed = Collector(text)
    assert parsed.open == []
    assert parsed.tags.count("script") == 1
    assert "img" not in parsed.tags
    assert not any(name.startswith("on") for name, _ in parsed.attributes)
    hrefs = [a.get("href") or "" for t, a in parsed.elements if t == "a"]
    assert all(h.startswith(("#", "https://", "http://")) for h in hrefs)
    assert "`{{7*7}}" in text  # no template of ours runs it


def test_paths_of_a_machine_are_not_published():
    provenance = {
        "model": {"name": "m", "source": "/home/someone/models/m.bin"},
        "dataset": {"source": "~/x/words.jsonl", "copy": "file:///home/someone/words.jsonl"},
    }
    settings = {
        "source": "/home/someone/words.jsonl",
        "lists": ["C:/Users/someone/a.csv", "https://a.org/b/c"],
    }
    text = html_page([weat_result(provenance=provenance, settings=settings)])
    assert "someone" not in text
    assert "https://a.org/b/c" in text
    assert "m.bin" in text
    assert "words.jsonl" in text


def with_items(count: int, width: int = 10) -> Result:
    rows = [
        Row(name=f"i{i}", kind="item", details={"text": "x" * width, "delta": i / 7}) for i in range(count)
    ]
    return Result(
        method="pll", score=60.0, score_range=(0, 100), direction="two_sided", ideal=50.0, n=count, rows=rows,
        provenance={"model": {"name": f"m{count}"}},
    )  # fmt: skip


def test_items_are_counted_and_each_result_has_its_share_of_them():
    text = html_page([with_items(2400), with_items(2500, width=1000), with_items(3)])
    shown = [int(n) for n in re.findall(r"2,[45]00 items; the first (\d+) are here", text)]
    assert len(shown) == 2
    assert 2500 > shown[0] > shown[1] > 10
    assert "<summary>3 items</summary>" in text
    assert "x" * 301 not in text
    assert len(text) < 200_000


def test_items_have_headings_in_words_and_the_names_of_their_lists():
    word = {"word": "algebra", "list": "targets_x", "association": 0.1, "mean_cosine": 0.2}
    named, plain = (
        weat_item("weat7", words=[word]),
        weat_item("own", x="X", y="Y", a="A", b="B", words=[word]),
    )
    text = html_page([weat_result([named, plain])])
    items = text[text.index('<details class="items">') :].partition("</details>")[0]
    cells = re.findall("<td[^>]*>(.*?)</td>", items)
    assert "mean cosine" in re.sub("<[^>]+>", " ", items)
    assert cells[2::5] == ["math", "the first targets"]
    assert "targets_x" not in items


def test_many_results_make_no_large_page():
    results = [*(weat_result(model=f"m{i}") for i in range(12)), *(with_items(i) for i in range(900, 912))]
    text = html_page(results)
    assert len(text.encode()) < 700_000


def test_what_cannot_be_written_is_one_sentence(tmp_path):
    refused(InputError, "no result", html_page, [])
    (tmp_path / "file").write_text("x")
    refused(OutputError, "", lambda: write_html(sample()[:1], tmp_path / "file" / "report.html"))
    (tmp_path / "report.html").mkdir()
    refused(InputError, "is a folder", lambda: write_html(sample()[:1], tmp_path / "report.html"))


def test_what_was_found_comes_first_and_the_rest_is_folded():
    nothing = [
        weat_item("weat9", 0.31 + i / 100, ci_low=-0.7, ci_high=1.2, p_value=0.31, p_holm=0.62)
        for i in range(20)
    ]
    results = [weat_result([row], f"dull-{i}") for i, row in enumerate(nothing)]
    text = html_page([*results, weat_result(model="telling")])
    shown = text[text.index('<section id="findings">') :].partition("<details>")[0]
    assert shown.index("telling") < shown.index("dull-0")
    assert shown.count("<article") == 10
    assert "<summary>11 more</summary>" in text
    assert html_page(results[:10]).count(" more</summary>") == 0


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page at a width from its file; nothing may fail or leave the machine."""
    errors: list[str] = []
    outside: list[str] = []
    path = write_html([*sample(), with_items(250)], tmp_path / "report.html")[0]
    tabs = []

    def open_page(width=1280, results=None):
        if results is not None:
            write_html(results, path)
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.set_default_timeout(600_000)
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        tab.on(
            "request",
            lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else outside.append(r.url),
        )
        tab.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
        tab.goto(path.as_uri())
        tabs.append(tab)
        return tab

    yield open_page
    for tab in tabs:
        tab.close()
    assert errors == []
    assert outside == []


def names(tab: Any, column: int) -> list[str]:
    rows = "[...document.querySelectorAll('#scores tbody tr:not([hidden])')]"
    code = f"(c) => {rows}.map(r => r.cells[c].firstChild.textContent)"
    return list(tab.evaluate(code, column))


@pytest.mark.browser
@pytest.mark.slow
def test_sorting_and_searching(opened):
    tab = opened()
    tab.locator("#scores > summary").click()
    heads = tab.locator("#scores thead th").all_inner_texts()
    score, p = heads.index("score"), heads.index("p (Holm)")
    buttons = tab.locator("#scores thead th button")
    buttons.nth(score).click()
    rising = [float(v) for v in names(tab, score)]
    assert rising == sorted(rising)
    buttons.nth(score).click()
    assert [float(v) for v in names(tab, score)] == rising[::-1]
    for _ in range(2):  # what is missing comes last either way
        buttons.nth(p).click()
        missing = [v == "—" for v in names(tab, p)]
        assert any(missing)
        assert missing == sorted(missing)
    tab.locator("#find").fill("roberta-base RELIGION")
    assert names(tab, heads.index("test")) == ["religion"]
    tab.locator("#find").fill("")
    assert len(names(tab, 0)) == 14


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_links_open_what_they_lead_to_and_nothing_overflows(opened, width):
    tab = opened(width)
    tab.locator("#findings a[href='#result-4']").first.click()
    details = tab.locator("#result-4 .items")
    details.locator("summary").click()
    details.locator("td").first.wait_for()
    tab.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert tab.evaluate(over) <= 0
