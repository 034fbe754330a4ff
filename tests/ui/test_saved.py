"""Two saved files of results side by side: over HTTP, as gradio's own client asks, and what is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from gradio_client import handle_file
from gradio_client.exceptions import AppError

import evaluate_bias as eb
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.result import Result
from evaluate_bias.ui.limits import MAX_RESULT_BYTES
from evaluate_bias.ui.uploads import uploaded_results
from tests.report.samples import weat_result
from tests.ui.caller import Caller


def result_of(share: int, model: str) -> Result:
    """A result in which the model finds the first sentence likelier in so many of 60 pairs."""
    pairs = [{"sent_more": 1.0 if k < share else -1.0, "sent_less": 0.0} for k in range(60)]
    found = eb.measure("pll", None, data=pairs)
    return dataclasses.replace(found, provenance={**found.provenance, "model": {"name": model}})


def saved(folder: Path, name: str, results: Sequence[Result]) -> Path:
    path = folder / name / "results.jsonl"
    path.parent.mkdir()
    write_results(results, path)
    return path


@pytest.fixture
def client(address: str) -> Caller:
    return Caller(address)


def test_two_files_are_compared_as_the_library_compares_them(client: Caller, tmp_path: Path) -> None:
    before, after = result_of(50, "before"), result_of(30, "after")
    files = [saved(tmp_path, name, [r]) for name, r in (("a", before), ("b", after))]
    page, data = client.predict(*map(handle_file, map(str, files)), api_name="/compare_saved")
    expected = eb.compare(*map(str, files)).to_dict()
    assert data["changes"] == list(expected["changes"])
    assert data["summary"] == expected["summary"]
    assert data["changes"][0]["found"]
    assert "before and after: 1 of 1 score changed" in page
    assert "eb-picture" in page
    same, data = client.predict(*[handle_file(str(files[0]))] * 2, api_name="/compare_saved")
    assert data["changes"][0]["difference"] == 0
    assert "no change" in same


def test_a_file_of_several_models_says_which(client: Caller, tmp_path: Path) -> None:
    both = str(saved(tmp_path, "both", [result_of(50, "before"), result_of(30, "after")]))
    _, data = client.predict(
        handle_file(both),
        handle_file(both),
        first_model="after",
        second_model="before",
        api_name="/compare_saved",
    )
    assert (data["first"], data["second"]) == ("after", "before")
    with pytest.raises(AppError, match="the second file has no result of 'other', only of before, after"):
        client.predict(handle_file(both), handle_file(both), second_model="other", api_name="/compare_saved")


def test_what_cannot_be_compared_is_said(client: Caller, tmp_path: Path) -> None:
    good = saved(tmp_path, "good", [result_of(50, "before")])
    other = saved(tmp_path, "other", [weat_result()])
    with pytest.raises(AppError, match="first results: upload a file"):
        client.predict(api_name="/compare_saved")
    with pytest.raises(AppError, match="second results: upload a file"):
        client.predict(first=handle_file(str(good)), api_name="/compare_saved")
    with pytest.raises(AppError, match="no method and data set in common"):
        client.predict(handle_file(str(good)), handle_file(str(other)), api_name="/compare_saved")


BAD: list[tuple[str, bytes, str]] = [
    ("results.jsonl", b"", "empty"),
    ("results.jsonl", b"{}\n", "line 1"),
    ("results.jsonl", b'{"method": "weat"', "line 1 is not JSON"),
    ("results.jsonl", b"[1, 2]\n", "not an object"),
    ("results.jsonl", b"\xff\xfe\x00", "not UTF-8"),
    ("results.jsonl", b"[" * 5000, "nested"),
    ("results.jsonl", b" " * (MAX_RESULT_BYTES + 1), "this page takes 8 MB"),
    ("results.csv", b"a,b\n", "ends in .jsonl"),
    (f"{'x' * 180}.jsonl", b"no", "is not JSON"),
]


@pytest.mark.parametrize(("name", "content", "said"), BAD, ids=[said for *_, said in BAD])
def test_a_bad_file_is_refused_without_the_folder_it_lies_in(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        uploaded_results(path)
    assert str(tmp_path) not in str(caught.value)
    assert len(str(caught.value)) <= 600
