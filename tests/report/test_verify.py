"""Card, report and page written again from the results: whole ones are true, and each changed line is listed."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import DataError, InputError
from evaluate_bias.experiments.sources import read_results, write_results, write_results_file
from evaluate_bias.experiments.store import Store
from evaluate_bias.models.load import load_model
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card.block import BEGIN, END
from evaluate_bias.report.html import write_html
from evaluate_bias.report.lines import model_name
from evaluate_bias.report.verify import verify
from evaluate_bias.report.write import write_report
from evaluate_bias.report.written import FILE
from evaluate_bias.result import Result
from tests.support.command_line import run_app
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import tiny_masked

Edit = Callable[[str], str]
CARD, RESULTS, PICTURE, STORE = "README.md", "results.jsonl", "evaluate-bias.svg", "results.sqlite"
TASKS = ".eval_results/evaluate-bias-weat-ea399e95.yaml"


def vectors(seed: int = 0) -> dict[str, list[float]]:
    """Random vectors of every word of two published tests."""
    tests = METHODS["weat"].load_data(tests=["weat6", "weat7"])
    lists = ("targets_x", "targets_y", "attributes_a", "attributes_b")
    words = dict.fromkeys(word for test in tests for name in lists for word in getattr(test, name))
    draws = np.random.default_rng(seed)
    return {word: draws.normal(size=8).astype(np.float32).tolist() for word in words}


def add_results(results: list[Result], folder: Path) -> None:
    with Store(folder) as store:
        store.insert_results(results)
        write_results_file(store)


def measured(method: str, seed: int, name: str, test: str = "weat6") -> Result:
    model = load_model(vectors(seed), name=name)
    return eb.measure(method, model, tests=[test], seed=0, ci_resamples=200)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two methods on two models, with the card of the first, a report and a page."""
    place = tmp_path_factory.mktemp("whole")
    add_results(
        [measured(m, seed, name) for seed, name in enumerate(("org/a", "org/b")) for m in ("weat", "mac")],
        place,
    )
    results = read_results(place)
    eb.card(results, place / CARD, model="org/a")
    write_report(results, place, png=True)
    write_html(results, place / "report.html")
    return place


@pytest.fixture
def folder(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "f"))


@pytest.fixture
def card_folder(whole, tmp_path):
    """The results and the card without the report, whose plots take most of the time of writing all again."""
    return part_with(whole, tmp_path / "f", CARD)


def part_of(whole: Path, to: Path, *names: str) -> Path:
    to.mkdir()
    for name in names:
        (shutil.copytree if (whole / name).is_dir() else shutil.copy)(whole / name, to / name)
    return to


def part_with(whole: Path, to: Path, file: str) -> Path:
    """The results and the files of card, page or report that belong with one of them."""
    if not file.startswith(("report", "effect")):
        return part_of(whole, to, RESULTS, STORE, FILE, CARD, PICTURE, ".eval_results")
    return part_of(whole, to, *{RESULTS, FILE, file, "report.html" if file == "report.html" else "report.md"})


def edit(path: Path, change: Edit) -> None:
    before = path.read_bytes().decode("latin-1")
    after = change(before)
    assert after != before
    path.write_bytes(after.encode("latin-1"))


def differing(folder: Path, **options: Any) -> set[str]:
    return {difference.file for difference in verify(folder, **options).differences}


def test_a_whole_folder_is_true_file_by_file(whole):
    found = verify(whole)
    assert (found.verdict, found.differences, found.unchecked) == ("true", (), ())
    texts = {RESULTS, CARD, PICTURE, f"{CARD}, model-index", TASKS, "report.md", "report.csv", "report.tex"}
    pictures = {"report.html", "effect_sizes-weat.svg", "effect_sizes-mac.png", "words/1-weat6.svg"}
    assert texts | pictures <= found.compared.keys()
    assert found.notes == (
        "not read: what is in README.md outside the section and its own scores",
        "not read: the dates in .eval_results",
    )


def test_nothing_is_recorded_in_the_texts(whole):
    section = (whole / CARD).read_text()
    section = section[section.index(BEGIN) + len(BEGIN) : section.index(END)]
    assert "<!--" not in section
    assert "<!--" not in (whole / "report.md").read_text()
    written = json.loads((whole / FILE).read_text())["files"]
    assert {name: sorted(entry["options"]) for name, entry in written.items()} == {
        CARD: ["eval_results", "heading", "model", "model_index", "picture", "since"],
        "report.html": [],
        "report.md": ["all_pictures", "png"],
    }


def test_a_second_card_changes_no_byte(folder):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert eb.card(read_results(folder), folder / CARD, model="org/a").written == ()
    write_report(read_results(folder), folder, png=True)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def swap(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new, 1)


def regex(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Edit:
    return lambda text: re.sub(pattern, new, text, count=1, flags=re.MULTILINE)


def in_section(change: Edit) -> Edit:
    """An edit between the markers of a card."""

    def forge(text: str) -> str:
        begin, end = text.index(BEGIN), text.index(END) + len(END)
        return text[:begin] + change(text[begin:end]) + text[end:]

    return forge


def next_digit(found: re.Match[str]) -> str:
    return found[0][:-1] + str((int(found[0][-1]) + 1) % 10)


NUMBER = r"-?\d\.\d\d\b"
FORGERIES: dict[str, tuple[str, Edit]] = {
    "last digit of a result": (RESULTS, regex(r'"weat": -?\d+\.\d{15}', next_digit)),
    "result gone": (RESULTS, lambda text: text.split("\n", 1)[1]),
    "digit": (CARD, in_section(regex(NUMBER, next_digit))),
    "word": (CARD, in_section(regex(r"\bnot ", ""))),
    "line gone": (CARD, in_section(regex(r"^\| WEAT.*\n", ""))),
    "comment": (CARD, in_section(swap("\n\n|", "\n\n<!-- checked -->\n\n|"))),
    "end gone": (CARD, swap(END, "")),
    "section gone": (CARD, regex(r"<!-- evaluate-bias:begin -->[\s\S]*<!-- evaluate-bias:end -->", "")),
    "section twice": (CARD, lambda text: text + text[text.index(BEGIN) :]),
    "value in the index": (CARD, regex(r"value: -?\d+\.\d+", next_digit)),
    "value verified": (CARD, swap("      value:", "      verified: true\n      value:")),
    "value gone": (CARD, regex(r"    - type: mac\n.*\n.*\n", "")),
    "owner of the model": (CARD, swap("- name: org/a", "- name: other/a")),
    "key next to the model": (CARD, swap("- name: org/a", "- name: org/a\n  verified: true")),
    "merge key": (CARD, swap("---\n", "---\nx: &x {y: 1}\nz: {<<: *x}\n")),
    "picture of the card": (PICTURE, regex(r'<use xlink:href="(#\w+)" x="\d', r'<use xlink:href="\1" x="0')),
    "number in the report": ("report.md", regex(NUMBER, next_digit)),
    "number in the table": ("report.csv", regex(r"-?0\.\d{8,}", next_digit)),
    "sentence in the page": ("report.html", swap("<main", "<p>No bias was found.</p><main")),
    "remark in a plot": ("effect_sizes-weat.svg", lambda text: text + "<!-- x -->"),
    "pixels of a plot": ("effect_sizes-mac.png", lambda text: text + " "),
    "value of a task": (TASKS, regex(r"value: -?\d+\.\d+", next_digit)),
    "key in a task": (TASKS, lambda text: text + "  verifyToken: abc\n"),
}


@pytest.mark.parametrize(("file", "forge"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_changed_line_is_listed(whole, tmp_path, file, forge):
    folder = part_with(whole, tmp_path / "f", file)
    edit(folder / file, forge)
    found = verify(folder)
    assert found.verdict == "differs"
    assert {difference.file.partition(",")[0] for difference in found.differences} == {file}


@pytest.mark.parametrize(
    ("file", "change"),
    {
        "line ends": (CARD, lambda text: text.replace("\n", "\r\n")),
        "blanks at the ends of lines": (CARD, in_section(lambda text: text.replace("\n", "  \n"))),
        "the author's own words": (CARD, lambda text: text + "\nMy own words: 99.9%.\n"),
        "a quoted section": (CARD, lambda text: f"{text}\n````\n{text[text.index(BEGIN) :]}\n````\n"),
        "scores of others": (CARD, swap("model-index:", "model-index:\n- name: x\n  results: []")),
        "notation of a number": (CARD, regex(r"value: (-?\d+\.\d*[1-9])\n", r"value: \g<1>0\n")),
        "date of a task": (TASKS, regex(r"date: .*", "date: '2020-01-01'")),
    }.values(),
)
def test_what_says_the_same_is_true(card_folder, file, change):
    edit(card_folder / file, change)
    assert verify(card_folder).verdict == "true"


def test_differences_are_shown_as_two_short_lines(card_folder):
    edit(card_folder / RESULTS, regex(r'"ci_high": \d+\.\d+', '"ci_high": 9.5'))
    (difference,) = verify(card_folder).differences
    assert difference.place == "line 1"
    assert '"ci_high": 9.5' in difference.actual
    assert max(len(difference.actual), len(difference.expected)) < 200
    (card_folder / RESULTS).unlink()  # only a view
    assert verify(card_folder).verdict == "true"


def test_a_card_from_before_differs(folder):
    before = read_results(folder)[0]
    rows = [dataclasses.replace(row, score=row.score / 2) for row in before.rows]
    add_results([dataclasses.replace(before, score=rows[0].score, rows=rows)], folder)
    assert {CARD, f"{CARD}, model-index", TASKS, "report.md", "report.csv"} <= differing(folder)


def test_a_card_under_another_name_or_of_some_results(card_folder, tmp_path):
    results = [r for r in read_results(card_folder) if model_name(r) == "org/a"]
    eb.card(results, card_folder / CARD, model="final", drop=["org/a"])
    assert verify(card_folder).verdict == "true"
    eb.card(results[:1], page := tmp_path / "card.md", model_index=False)
    found = verify(card_folder, card=page)
    assert found.verdict == "true"
    assert "card.md does not show mac of the same model" in found.notes
    edit(page, in_section(swap("org/a", "org/c")))
    assert differing(card_folder, card=page) == {"card.md"}


def test_scores_of_results_elsewhere_cannot_be_checked(tmp_path):
    for method in ("mac", "weat"):
        write_results([measured(method, 0, "toy")], tmp_path)
        eb.card(read_results(tmp_path), tmp_path / CARD)
    found = verify(tmp_path)
    assert found.verdict == "not checked"
    assert {text.partition(":")[0] for text in found.unchecked} == {
        f"{CARD}, model-index", ".eval_results/evaluate-bias-mac-ea399e95.yaml"
    }  # fmt: skip


def test_what_changed_since_earlier_results_cannot_be_checked(tmp_path):
    write_results([result := measured("weat", 0, "toy")], tmp_path)
    eb.card([result], tmp_path / CARD, since=measured("weat", 1, "toy"))
    found = verify(tmp_path)
    assert (found.verdict, found.differences) == ("not checked", ())
    assert "since the earlier results" in found.unchecked[0]


def test_results_that_are_not_there_cannot_be_checked(card_folder):
    kept = [r for r in read_results(card_folder) if model_name(r) == "org/b"]
    (card_folder / STORE).unlink()
    write_results(kept, card_folder)
    found = verify(card_folder)
    assert found.verdict == "not checked"
    assert "README.md: 2 of the 2 results that it was written from are not in the folder" in found.unchecked


def test_what_is_not_there_or_not_read_is_named(folder):
    (folder / "report.csv").unlink()
    (folder / PICTURE).unlink()
    (folder / "effect_sizes-best.svg").write_text("<svg/>")
    found = verify(folder)
    assert found.verdict == "true"
    notes = " ".join(found.notes)
    assert "report.csv is not there" in notes
    assert f"{PICTURE} is not there" in notes
    assert "not read: effect_sizes-best.svg" in notes


def test_other_versions_are_named(card_folder):
    edit(card_folder / FILE, swap('"evaluate-bias": "', '"evaluate-bias": "0.0.1.'))
    assert any("written with evaluate-bias 0.0.1." in note for note in verify(card_folder).notes)


@pytest.mark.parametrize(
    "text",
    [
        "{", "[]", "{}", "{}x", '{"schema_version": 1, "files": 3}', '{"schema_version": 2, "files": {}}',
        '{"schema_version": 1, "files": {"README.md": {"options": {"heading": "short"}, "results": ["a"]}}}',
        "[" * 3_000, "\ufeff{}", '{"schema_version": 1, "schema_version": 1}',
    ],
)  # fmt: skip
def test_a_file_of_somebody_else_is_one_sentence_and_is_not_replaced(folder, text):
    (folder / FILE).write_text(text)
    card = (folder / CARD).read_bytes()
    results = read_results(folder)
    for call in (
        lambda: verify(folder),
        lambda: eb.card(results[:1], folder / CARD),
        lambda: write_report(results, folder),
        lambda: write_html(results, folder / "report.html"),
    ):
        refused(DataError, r"evaluate-bias\.json was not written by this version", call)
    assert (folder / FILE).read_text() == text
    assert (folder / CARD).read_bytes() == card


def test_without_the_file_nothing_is_called_true(folder):
    (folder / FILE).unlink()
    found = verify(folder)
    assert found.verdict == "not checked"
    assert {text.partition(":")[0] for text in found.unchecked} == {CARD, "report.md", "report.html"}


def test_options_of_another_kind_of_file(folder):
    raw = json.loads((folder / FILE).read_text())
    raw["files"][CARD]["options"] = {}
    (folder / FILE).write_text(json.dumps(raw))
    assert any(text.startswith(CARD) for text in verify(folder).unchecked)


@pytest.mark.parametrize("name", [CARD, PICTURE, "report.csv", "effect_sizes-weat.svg", TASKS])
def test_links_out_of_the_folder_are_not_followed(whole, tmp_path, name):
    folder = part_with(whole, tmp_path / "f", name)
    (tmp_path / "letter.txt").write_text("a line of nobody's card")
    (folder / name).unlink()
    (folder / name).symlink_to(tmp_path / "letter.txt")
    found = verify(folder)
    assert found.verdict != "true"
    assert "nobody" not in json.dumps(found.to_dict())


@pytest.mark.parametrize("name", [RESULTS, STORE])
def test_results_that_are_a_link_are_refused(card_folder, tmp_path, name):
    shutil.move(card_folder / name, tmp_path / name)
    (card_folder / name).symlink_to(tmp_path / name)
    refused(InputError, "link out of the folder", verify, card_folder)


def given_name_options(tmp_path, name, options):
    (tmp_path / "empty").mkdir()
    verify(tmp_path / name, **options)


test_what_is_refused = refusals(
    given_name_options,
    ("missing", {}, InputError, None, "is not a folder"),
    ("", {"card": "missing.md"}, InputError, None, "no card at missing.md"),
    ("empty", {}, DataError, None, "no results"),
    fixtures=("tmp_path",),
)


# --- measuring again --------------------------------------------------------------------------------------------


def test_results_are_measured_again(tmp_path):
    results = [
        eb.measure("weat", "glove-6b-50d", tests=["weat6", "weat7"], ci_resamples=200, seed=3),
        eb.measure("crows_pairs", "demo-mlm-en", source="minimal_pairs", limit=20),
        eb.measure("lpbs", "demo-mlm-en", tests=["weat6"], max_missing=1.0, ci="none"),
        eb.measure("disco", "demo-mlm-en", kinds=("person",), limit=8),
        eb.measure("wefat", "glove-6b-50d", statistic="women_bergsma", kinds=("pronoun",), n_resamples=99),
    ]
    write_results(results, tmp_path)
    found = verify(tmp_path, measure=True)
    assert (found.verdict, found.unchecked) == ("true", ())
    assert found.compared["weat of glove-6b-50d"] > 20
    forged = dataclasses.replace(results[1], score=results[1].score * (1 + 1e-5))
    write_results([results[0], forged], tmp_path)
    (difference,) = verify(tmp_path, measure=True).differences
    assert difference.file == "crows_pairs of demo-mlm-en"
    write_results([dataclasses.replace(results[1], score=results[1].score * (1 + 1e-8))], tmp_path)
    assert verify(tmp_path, measure=True).verdict == "true"


@pytest.mark.parametrize(
    ("device", "error", "verdict"),
    [("cuda", 2e-4, "true"), ("cuda", 5e-3, "differs"), ("cpu", 2e-4, "differs")],
)
def test_numbers_of_an_accelerator_are_compared_within_its_rounding(tmp_path, device, error, verdict):
    result = eb.measure("crows_pairs", "demo-mlm-en", source="minimal_pairs", limit=20)
    model = {**result.provenance["model"], "device": device}
    moved = dataclasses.replace(
        result, score=result.score * (1 + error), provenance={**result.provenance, "model": model}
    )
    write_results([moved], tmp_path)
    found = verify(tmp_path, measure=True)
    assert found.verdict == verdict
    assert any("measured on cuda and now on" in note for note in found.notes) == (device == "cuda")


@pytest.mark.nightly
def test_the_model_is_loaded_as_it_was(tmp_path):
    half = load_model("demo-mlm-en", dtype="bfloat16")
    encoder = load_model("demo-mlm-en", kind="encoder")
    results = [
        eb.measure("crows_pairs", half, source="minimal_pairs", limit=4),
        eb.measure("seat", encoder, tests=["weat6"], ci="none"),
    ]
    write_results(results[:1], tmp_path)
    assert verify(tmp_path, measure=True).verdict == "true"
    write_results(results[1:], tmp_path)
    found = verify(tmp_path, measure=True)
    assert (found.verdict, found.differences) == ("not checked", ())
    assert "architecture" in found.unchecked[0]


def test_what_cannot_be_measured_again_is_named(tmp_path):
    rows = [{"sent_more": "He is a nurse.", "sent_less": "She is a nurse.", "bias_type": "gender"}] * 3
    own, named = load_model(tiny_masked("bert")), load_model(vectors(), name="no/such-model")
    source = tmp_path / "pairs.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = [
        eb.measure("aul", "demo-mlm-en", data=rows),
        eb.measure("aul", own, source="minimal_pairs", limit=3),
        eb.measure("mac", named, tests=["weat6"]),
        eb.measure("aul", "demo-mlm-en", source=str(source)),
    ]
    write_results(results, tmp_path)
    source.write_text(json.dumps(rows[0]) + "\n")
    found = verify(tmp_path, measure=True)
    assert (found.verdict, found.differences) == ("not checked", ())
    assert len(found.unchecked) == 4
    assert "given by the caller" in found.unchecked[0]
    assert "not the one that was measured" in found.unchecked[3]


# --- command ----------------------------------------------------------------------------------------------------


def test_the_command_lists_what_differs(card_folder):
    done = run_app("verify", card_folder)
    assert (done.exit_code, "verdict: true" in done.output) == (0, True)
    edit(card_folder / CARD, regex(r"value: -?\d+\.\d+", "value: 0.123456"))
    done = run_app("verify", card_folder)
    assert done.exit_code == 1
    assert "0.123456" in done.output
    assert f"@@ {CARD}, model-index" in done.output
    done = run_app("verify", card_folder, "--json")
    assert (done.exit_code, json.loads(done.output)["verdict"]) == (1, "differs")
    (card_folder / FILE).unlink()
    assert run_app("verify", card_folder).exit_code == 2


def test_results_that_differ_only_in_what_was_chosen_of_the_data_are_two(tmp_path):
    chosen = [("pronoun",), ("pronoun", "person", "kinship")]
    results = [eb.measure("wefat", "glove-6b-50d", kinds=kinds, n_resamples=99) for kinds in chosen]
    assert [r.provenance["dataset"].get("kinds") for r in results] == [["pronoun"], None]
    add_results(results, tmp_path)
    assert [r.score for r in read_results(tmp_path)] == [r.score for r in results]
