"""The preview page: readable, and nothing from the card runs, loads or breaks out."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.report.card import plan_card, preview_html
from tests.report.samples import updated, weat_result
from tests.support.collected_html import Collector

ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "details", "summary", "pre", "code", "div", "table",
    "thead", "tbody", "tr", "th", "td", "p", "strong", "em", "a", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li",
    "hr", "br", "blockquote", "sub", "sup", "kbd", "b", "i", "s", "del",
}  # fmt: skip


def test_a_whole_card():
    page = preview_html(updated("# M & Co\n", [weat_result()]))
    found = Collector(page)
    assert found.tags.count("details") == 2
    assert found.tags.count("table") == 2
    assert "M & Co" in found.text
    assert "model-index:" in found.text
    assert "evaluate-bias:begin" not in found.text
    assert ("href", "evaluate-bias.json") in found.attributes


def test_only_the_pictures_that_are_given_are_shown():
    plan = plan_card("# M\n\n![x](other.svg)\n", [weat_result()], picture=True)
    page = preview_html(plan.text, pictures=plan.files)
    found = Collector(page)
    assert found.tags.count("img") == 1
    (source,) = [value for name, value in found.attributes if name == "src"]
    assert source is not None
    assert base64.b64decode(source.partition("base64,")[2]).decode() == plan.files["evaluate-bias.svg"]
    assert "[x]" in found.text
    assert "img" not in Collector(preview_html(plan.text)).tags


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "text <svg onload=alert(1)> text",
        "<details ontoggle=alert(1) open>",
        "<div>\n<iframe src='http://example.org'></iframe>\n</div>",
        "[x](javascript:alert(1))",
        "![x](http://example.org/pixel.png)",
        "<!-- <script>alert(1)</script> -->",
        "<<script>script>alert(1)</script>",
        "<a href='javascript:alert(1)'>x</a>",
        "<style>body{display:none}</style>",
        "---\nx: </code></pre><script>alert(1)</script>\n---\n",
    ],
)
def test_nothing_runs_or_loads(attack):
    found = Collector(preview_html(f"{attack}\n\nend\n"))
    assert set(found.tags) <= ALLOWED
    assert not {name for name, _ in found.attributes} & {"src", "onerror", "onload", "ontoggle"}
    assert not [value for _, value in found.attributes if value and value.startswith("javascript:")]
    assert "end" in found.text


@given(text=st.text(alphabet="<>/!-&\"'= abdetilsummarycpton\n`[]()", max_size=80))
def test_any_markup_stays_within_the_allowed_tags(text):
    found = Collector(preview_html(text))
    assert set(found.tags) <= ALLOWED
    assert {name for name, _ in found.attributes} <= {
        "charset", "name", "content", "http-equiv", "class", "href", "title", "open", "start", "style"
    }  # fmt: skip


def test_an_open_comment_hides_what_follows_as_it_does_in_markdown():
    page = preview_html("before\n\n<!-- open <script>alert(1)</script>\n")
    assert "before" in page
    assert "alert" not in page


def test_the_page_forbids_outside_content():
    page = preview_html("x")
    assert "default-src 'none'" in page
    assert page.count("<main>") == page.count("</main>") == 1
