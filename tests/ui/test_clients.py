"""The running page for callers from outside the browser: gradio's own client, and fifty of them at once."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import httpx
import pytest
from gradio_client import handle_file
from gradio_client.exceptions import AppError

import evaluate_bias as eb
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.report.numbers import score_text
from evaluate_bias.result import Result
from evaluate_bias.ui.guard import NO_UPLOAD, upload_folder
from evaluate_bias.ui.pages import other_methods
from evaluate_bias.ui.parts import minus
from tests.support.refusals import refused
from tests.ui.caller import Caller
from tests.ui.conftest import PATIENCE, load_stand_in
from tests.ui.test_serving import call, words_request

USERS, QUESTIONS = 12, 2


@pytest.fixture
def client(address):
    return Caller(address)


def score_shown(page: str) -> str:
    (score,) = re.findall(r'effect size d</span><span class="eb-value">([^<]*)<', page)
    return str(score)


def written(result: Result) -> str:
    """The score as the page writes it."""
    return minus(score_text(result.overall))


def test_every_measurement_has_a_name_and_what_it_asks_for_has_one_too(client):
    named = client.view_api(return_format="dict")["named_endpoints"]
    own = {
        "/measure_words",
        "/measure_all_words",
        "/score_pair",
        "/measure_pairs",
        "/measure_text",
        "/measure_chat",
        "/write_about_both",
        "/compare",
        "/write_card",
    }
    assert set(named) == {*own, *(f"/measure_{r.name}" for r in other_methods())}
    assert all(len(found["description"]) > 40 for found in named.values())
    assert all(found["returns"][1]["component"] in ("Json", "Code") for found in named.values())
    names = {name: {p["parameter_name"] for p in found["parameters"]} for name, found in named.items()}
    assert names["/measure_words"] == {"model", "upload", "language", "test", *"xyab", "own", "method"}
    assert names["/write_card"] == {"text", "model"}
    assert not [name for found in names.values() for name in found if name.startswith("param_")]


def test_a_card_is_written_of_what_the_client_measured(client, address):
    client.predict(model="glove-6b-50d", api_name="/measure_words")
    client.predict(model="demo-mlm-en", bias_type="age", api_name="/measure_pairs")
    for given, named in (({}, "demo-mlm-en"), ({"model": "glove-6b-50d"}, "weat7")):
        preview, text = client.predict(text="# Mine\n", **given, api_name="/write_card")
        assert "# Mine\n" in text
        assert named in text
        assert "<iframe" in preview
    refused(AppError, "Measure something in one of", lambda: Caller(address).predict(api_name="/write_card"))


def test_what_the_browser_would_have_filled_in_can_be_named(client):
    """Choices that depend on a field above them, which no client has touched."""
    page, data = client.predict(test="weat6", api_name="/measure_words")
    assert [row["name"] for row in data["results"][0]["rows"]] == ["weat6"]
    assert score_shown(page) == written(eb.Result.from_dict(data["results"][0]))
    with pytest.raises(AppError, match="no such language"):
        client.predict(model="demo-mlm-en", language="no such language", api_name="/measure_pairs")
    with pytest.raises(AppError, match="unknown bias type"):
        client.predict(model="demo-mlm-en", bias_type="no such type", api_name="/measure_pairs")


def test_a_file_is_uploaded_and_no_answer_names_the_server_s_folders(client, address, tmp_path):
    file = tmp_path / "mine.vec"
    words = ("math", "algebra", "poetry", "art", "male", "man", "female", "woman")
    file.write_text("\n".join(f"{w} {i % 3} {i * i % 5} {1 + i / 10}" for i, w in enumerate(words)))
    lists = dict(zip("xyab", ("math, algebra", "poetry, art", "male, man", "female, woman"), strict=True))
    page, _ = client.predict(upload=handle_file(str(file)), test=None, **lists, api_name="/measure_words")
    assert "upload mine.vec" in page
    assert "8 of 8" in page
    with file.open("rb") as content:
        answer = httpx.post(
            f"{address}/gradio_api/upload", files={"files": ("mine.vec", content)}, timeout=PATIENCE
        )
    (stored,) = answer.json()
    assert re.fullmatch(r"uploads/[0-9a-f]{64}/mine\.vec", stored)
    assert httpx.get(f"{address}/gradio_api/file={stored}", timeout=PATIENCE).content == file.read_bytes()


def test_a_name_that_is_no_upload_tells_nothing_of_the_machine(address):
    """A file outside the folder, one that is nowhere, the folder itself and one in it get the same answer."""
    outside = upload_folder().parent / f"{upload_folder().name}.txt"
    outside.touch()
    inside = upload_folder() / "some folder"
    inside.mkdir()
    try:
        names = (f"../{outside.name}", "../nothing.txt", "nothing/mine.vec", "", "some folder", str(outside))
        told, shown = set(), set()
        for path in (f"uploads/{name}" for name in names):
            given = {"path": path, "meta": {"_type": "gradio.FileData"}}
            event, content = call(address, "measure_words", words_request(["math"], upload=given))
            told.add((event, str(content)))
            # Not httpx's own address, from which dots are removed.
            answer = httpx.get(f"{address}/gradio_api/file={quote(path, safe='')}", timeout=PATIENCE)
            shown.add((answer.status_code, answer.text))
    finally:
        outside.unlink()
        inside.rmdir()
    ((event, content),) = told
    assert event == "error"
    assert NO_UPLOAD in content
    assert shown == {(404, NO_UPLOAD)}


def test_an_upload_sent_to_another_field_is_not_answered_with_its_path(address):
    with httpx.Client(timeout=PATIENCE) as http:
        answer = http.post(f"{address}/gradio_api/upload", files={"files": ("mine.vec", b"he 1 2")})
    given = {"path": answer.json()[0], "meta": {"_type": "gradio.FileData"}}
    event, content = call(address, "measure_words", words_request(["math"], given))
    assert event == "error"
    assert upload_folder().name not in str(content)


def test_no_address_is_fetched_for_a_visitor(address):
    assert httpx.get(f"{address}/gradio_api/file={address}/config", timeout=PATIENCE).status_code == 403


def test_a_file_that_did_not_arrive_is_not_replaced_by_the_model_above(client):
    for name, given in (("/measure_words", {}), ("/measure_all_words", {}), ("/measure_pairs", {})):
        refused(AppError, "your file has not arrived", client.predict, own=True, **given, api_name=name)


def questions() -> list[tuple[str, list[str], str]]:
    """Model, first list and the score that belongs to them, no two alike."""
    test = load_word_lists()["weat1"]
    words = [*test.targets_x, *test.targets_y]
    published = load_word_lists()["weat7"]
    models = {name: load_stand_in(name) for name in ("glove-6b-50d", "spacy-en-md")}
    found = []
    for i in range(USERS * QUESTIONS):
        x = words[i % 45 : i % 45 + 3 + i // 45]
        own = published.model_copy(update={"name": "your lists", "targets_x": tuple(x)})
        name = list(models)[i % 2]
        found.append((name, x, written(eb.measure("weat", models[name], data=[own]))))
    return found


@pytest.mark.slow
def test_a_dozen_users_with_several_questions_each_get_their_own_answers(address):
    """Every user measures several times and then has a card written, of nothing but what they measured."""
    asked = questions()
    assert len({tuple(x) for _, x, _ in asked}) == USERS * QUESTIONS
    start = threading.Barrier(USERS, timeout=PATIENCE)

    def use(user):
        start.wait()
        session = f"user-{user}"
        mine = asked[user * QUESTIONS : (user + 1) * QUESTIONS]
        for model, x, score in mine:
            event, content = call(address, "measure_words", words_request(x, model), session)
            assert event == "complete", content
            assert score_shown(content[0]) == score
            assert set(re.findall(r'<tr class="eb-s1"><th scope="row">([^<]*)</th>', content[0])) == set(x)
            assert f"of {model}. Data" in content[0]
        event, content = call(address, "write_card", ["", None], session)
        assert event == "complete", content
        assert f"We tested **{mine[-1][0]}**" in content[1]
        assert content[1].count("| WEAT") >= 1

    with ThreadPoolExecutor(USERS) as users:
        list(users.map(use, range(USERS)))
