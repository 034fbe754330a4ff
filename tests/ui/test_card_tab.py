"""The tab of the model card: a round trip, and cards that are too much."""

from __future__ import annotations

import base64
import dataclasses
import re
from typing import Any

import pytest

from evaluate_bias.errors import BiasError, CardError, InputError
from evaluate_bias.ui.card import MAX_CARD, card_html, fetch_card, new_card
from evaluate_bias.ui.session import Session
from tests.report.samples import weat_item, weat_result
from tests.support.refusals import refusals, refused

CARD = "---\nlicense: mit\n---\n\n# Model Card for toy\n\nHello.\r\n"


@pytest.fixture
def session():
    session = Session()
    session.add([weat_result(model="glove-6b-50d"), weat_result(model="other")])
    return session


def test_the_section_is_added_once_and_nothing_else_changes(session):
    first = new_card(CARD, session, "glove-6b-50d")
    assert first.changed
    assert "# Model Card for toy\n\nHello." in first.text
    assert "license: mit" in first.text
    second = new_card(first.text, session, "glove-6b-50d")
    assert second.text == first.text
    assert "nothing changed" in card_html(second)


def test_two_files_of_one_name_are_two_models():
    """Whoever changes their vectors and uploads them again gets no card with scores of both."""
    session = Session()
    for content, test in (("a" * 64, "weat7"), ("b" * 64, "weat6"), ("b" * 64, "weat8")):
        result = weat_result([weat_item(test)], model="upload mine.vec")
        facts = {**result.provenance["model"], "sha256": {"mine.vec": content}}
        provenance = {**result.provenance, "model": facts}
        session.add([dataclasses.replace(result, provenance=provenance, settings={"tests": [test]})])
    assert session.models() == ["upload mine.vec (bbbbbbbb)", "upload mine.vec (aaaaaaaa)"]
    latest = new_card("", session, None).text
    assert "weat6" in latest
    assert "weat8" in latest
    assert "weat7" not in latest
    assert "weat7" in new_card("", session, "upload mine.vec (aaaaaaaa)").text


def test_what_is_downloaded_is_the_card(session):
    update = new_card(CARD + "ünïcode <script>alert(1)</script>", session, "other")
    page = card_html(update)
    data = re.search(r"base64,([A-Za-z0-9+/=]+)", page)
    assert data is not None
    assert base64.b64decode(data[1]).decode("utf-8") == update.text
    assert "<script" not in page


test_bad_requests_are_refused = refusals(
    lambda session, text, model: new_card(text, session, model),
    (CARD, "nobody", None, r"no result of 'nobody' \(available: other, glove-6b-50d\)"),
    ("x" * (MAX_CARD + 1), "other", None, "more than the"),
    (CARD + "\0", "other", None, "zero bytes"),
    error=BiasError,
    fixtures=("session",),
)


def test_a_hub_that_cannot_be_reached_is_told():
    refused(CardError, "paste the card instead", fetch_card, "nobody/no-such-model")
    refused(InputError, "is not a Hub id", fetch_card, "glove-6b-50d")


def test_a_card_is_fetched_without_a_token(monkeypatch, tmp_path):
    import huggingface_hub

    card = tmp_path / "README.md"
    card.write_text("# Hello", encoding="utf-8")
    tokens: list[Any] = []

    def paths_info(self, repo_id, paths, token):
        tokens.append(token)
        return []

    def download(repo_id, name, token):
        tokens.append(token)
        return str(card)

    monkeypatch.setattr(huggingface_hub.HfApi, "get_paths_info", paths_info)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    assert fetch_card("user/model") == "# Hello"
    assert tokens == [False, False]
