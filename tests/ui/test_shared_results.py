"""Results that a link reopens: kept whole, bounded, saved as files, and closed to who does not know the link."""

from __future__ import annotations

import csv
import io
import json

import httpx
import pytest

from evaluate_bias.errors import InputError
from evaluate_bias.result import Result, Row
from evaluate_bias.ui.shared_results import SharedResults
from tests.ui.caller import Caller
from tests.ui.conftest import PATIENCE


def result(name: str = "a", score: float = 0.5) -> Result:
    row = Row(name=name, kind="test", score=score, n=3)
    return Result(
        method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=3, rows=(row,)
    )


def test_what_is_kept_comes_back_whole() -> None:
    kept = SharedResults()
    first, second = result("first"), result("second", -1.0)
    token = kept.keep([first, second], "<p>ü</p>", ["scores"])
    assert kept.get(token).results == [first, second]
    assert kept.get(token).html == "<p>ü</p>"
    kind, content = kept.get(token).file("results.jsonl") or ("", b"")
    assert [Result.from_json(line) for line in content.decode().splitlines()] == [first, second]
    assert "ndjson" in kind
    _, content = kept.get(token).file("results.json") or ("", b"")
    assert [r["weat"] for r in json.loads(content)] == [0.5, -1.0]
    _, content = kept.get(token).file("scores.png") or ("", b"")
    assert content.startswith(b"\x89PNG")
    assert kept.get(token).file("../../etc/passwd") is None
    assert kept.get(token).file("axis.png") is None


def test_a_spreadsheet_runs_nothing_of_a_visitor() -> None:
    kept = SharedResults()
    _, content = kept.get(kept.keep([result("=1+1")], "")).file("rows.csv") or ("", b"")
    (row,) = [r for r in csv.DictReader(io.StringIO(content.decode())) if r["kind"] == "test"]
    assert row["name"] == "'=1+1"
    assert row["score"] == "0.5"


def test_the_oldest_make_room_and_a_day_ends() -> None:
    small = SharedResults(max_bytes=2_000)
    tokens = [small.keep([result(str(i))], "x" * 10) for i in range(40)]
    assert small.get(tokens[-1]).results[0].rows[0].name == "39"
    with pytest.raises(InputError, match="no longer here"):
        small.get(tokens[0])
    short = SharedResults(seconds=-1.0)
    with pytest.raises(InputError, match="no longer here"):
        short.get(short.keep([result()], ""))
    assert len(set(tokens)) == 40


def test_files_over_http(address: str) -> None:
    client = Caller(address)
    _, data = client.predict(model="glove-6b-50d", method="projection", test=None, api_name="/measure_words")
    assert data["results"][0]["method"] == "projection"
    for name, path in data["files"].items():
        answer = httpx.get(f"{address}/{path}", timeout=PATIENCE)
        assert answer.status_code == 200
        assert name in answer.headers["content-disposition"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "axis.png" in data["files"]
    saved = httpx.get(f"{address}/{data['files']['results.json']}", timeout=PATIENCE).json()
    assert saved["projection"] == data["results"][0]["projection"]
    token = data["link"].removeprefix("?result=")
    for wrong in (
        f"results/{token}/other.png",
        f"results/{token[::-1]}/results.json",
        "results/x/results.json",
    ):
        assert httpx.get(f"{address}/{wrong}", timeout=PATIENCE).status_code == 404
