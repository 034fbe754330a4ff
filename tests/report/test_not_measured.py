"""What a run could not measure is named in card, report and page until it is measured, and verify writes it again."""

from __future__ import annotations

import dataclasses
import html
import re
from pathlib import Path

import pytest

from evaluate_bias.experiments.sources import write_results_file
from evaluate_bias.experiments.store import STORE_FILE, Failure, Store
from evaluate_bias.experiments.unit import Unit
from evaluate_bias.report.verify import verify
from evaluate_bias.result import Result, Row
from tests.support.command_line import run_app

NO_MASK = "lpbs needs a model that scores masked tokens and first does not; use a masked language model"
NO_FILE = "loading second: /home/someone/models/second has no file 'config.json'; it may be incomplete"


def unit(method: str = "weat", model: str = "first", **changes) -> Unit:
    facts = {"data": "d", "language": "en", "seed": 0, "options": {}} | changes
    return Unit(key=f"{method} {model} {changes}", method=method, model=model, **facts)


def result(method: str, model: str) -> Result:
    row = Row(name="t", kind="test", score=0.5, ci_low=-0.1, ci_high=0.9, p_value=0.2, n=16)
    return Result(
        method=method, score=0.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16, rows=[row],
        provenance={"model": {"name": model}, "dataset": {"name": "d", "language": "en"}},
    )  # fmt: skip


def measure(folder: Path, *measured: Unit, **failed: str) -> None:
    """What one run leaves in a folder. ``failed`` are reasons by method and model, joined by two underscores."""
    failures = [Failure(unit(*name.split("__")), "failed", reason) for name, reason in failed.items()]
    with Store(folder) as store:
        store.note_plan([*measured, *(failure.unit for failure in failures)])
        for one in measured:
            store.add(one, result(one.method, f"org/{one.model}"), seconds=0)
        for failure in failures:
            store.add_failure(failure)
        write_results_file(store)


def write_all(folder: Path) -> tuple[str, str, str]:
    """The lines on what was not measured in the card of the first model, in the report and in the page."""
    commands = (
        ("card", "--card", f"{folder}/README.md", "--model", "org/first"),
        ("report",),
        ("report", "--html"),
    )
    for command, *more in commands:
        assert run_app(command, folder, *more).exit_code == 0
    texts = [(folder / name).read_text() for name in ("README.md", "report.md", "report.html")]
    found = (
        re.search(r"- Not measured: .*", texts[0]),
        re.search(r"\*\*Not measured\*\*:\n\n(- .*\n)+", texts[1]),
        re.search(r"<strong>Not measured</strong>:</p>\n<ul>\n(<li>.*</li>\n)+", texts[2]),
    )
    card, report, page = ("" if match is None else html.unescape(match[0]) for match in found)
    return card, report, page


@pytest.fixture
def folder(tmp_path):
    measure(tmp_path, unit(), lpbs__first=NO_MASK, weat__second=NO_FILE)
    return tmp_path


def test_card_report_and_page_name_what_failed_with_a_reason_and_no_folder_of_the_machine(folder):
    card, report, page = write_all(folder)
    first = "it needs a model that scores masked tokens and first does not"
    second = "loading second: second has no file 'config.json'"
    assert card == f"- Not measured: LPBS ({first})."
    assert report.splitlines()[2:] == [f"- LPBS on org/first ({first})", f"- WEAT on second ({second})"]
    assert re.findall("<li>(.*)</li>", page) == [
        f"LPBS on org/first ({first})",
        f"WEAT on second ({second})",
    ]


def test_verify_writes_them_again_with_and_without_the_store(folder):
    write_all(folder)
    whole = verify(folder)
    assert (whole.verdict, whole.differences) == ("true", ())
    card = folder / "README.md"
    card.write_text(card.read_text().replace("Not measured: LPBS", "Not measured: AUL"))
    assert [(d.file, d.actual[:20]) for d in verify(folder).differences] == [
        ("README.md", "- Not measured: AUL ")
    ]
    (folder / STORE_FILE).unlink()
    card.write_text(card.read_text().replace("Not measured: AUL", "Not measured: LPBS"))
    without = verify(folder)
    assert without.verdict == "true"
    assert f"report.md says what was not measured, which only {STORE_FILE} can confirm" in without.notes


def test_what_a_later_run_measures_is_no_failure_any_more(folder):
    write_all(folder)
    measure(folder, unit(), unit("lpbs"), unit(model="second"))
    again = verify(folder)
    assert again.verdict == "not checked"
    assert any("README.md says why lpbs was not measured" in text for text in again.unchecked)
    assert write_all(folder) == ("", "", "")
    assert verify(folder).verdict == "true"


def test_a_failure_counts_until_its_method_is_measured_also_with_other_options(folder):
    measure(folder, unit("mac"))  # a run that did not plan the two failures
    card, report, _ = write_all(folder)
    assert card.startswith("- Not measured: LPBS (")
    assert "second" not in report  # history of a model without any result
    measure(folder, dataclasses.replace(unit("lpbs"), key="other", options={"tests": ["kurita6"]}))
    assert write_all(folder) == ("", "", "")


def test_results_that_replace_all_others_replace_their_failures_too(folder):
    with Store(folder, replace=True) as store:
        store.note_plan([unit("mac")])
        store.add(unit("mac"), result("mac", "org/first"), seconds=0)
        assert store.failures(history=True) == []
        write_results_file(store)
    assert write_all(folder) == ("", "", "")


def test_a_report_on_one_method_names_no_failure_of_another(folder):
    assert run_app("report", folder, "--method", "weat").exit_code == 0
    text = (folder / "report.md").read_text()
    assert "WEAT on second" in text
    assert "LPBS" not in text
