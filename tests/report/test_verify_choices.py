"""What verification takes a text to be about, and changes of other kinds than digits: none missed, none imagined."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.models.load import load_model
from evaluate_bias.report.card import plan_card
from evaluate_bias.report.card.block import BEGIN, END
from evaluate_bias.report.verify import Verifier, read_recording, verify, write_recording
from evaluate_bias.report.write import write_report
from tests.report.test_verify import BODY, vectors


def model(seed: int = 0, name: str = "toy") -> Any:
    return load_model(vectors(seed), name=name)


def problems(folder: Path) -> set[tuple[str, str]]:
    return {(c.file, c.verdict) for c in verify(folder).problems}


@pytest.fixture(scope="module")
def two_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods on two models, measured one test after the other."""
    folder = tmp_path_factory.mktemp("two")
    for seed, name in enumerate(("org/a", "org/b")):
        for method, tests in (("weat", ["weat6"]), ("weat", ["weat6", "weat7"]), ("mac", ["weat6"])):
            eb.record(method, model(seed, name), folder, tests=tests, seed=0)
    return folder


@pytest.fixture
def folder(two_models: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(two_models, tmp_path / "f"))


# --- what a text is about ---------------------------------------------------------------------------------------


def test_a_test_that_is_measured_again_with_others_counts_once(folder: Path) -> None:
    runs = read_recording(folder / "scores.parquet")
    assert [(r.result.method, len(r.result.rows_of("test"))) for r in runs] == [("weat", 2), ("mac", 1)] * 2
    results = read_results(folder)
    eb.card(results, folder / "README.md")
    write_report(results, folder)
    found = verify(folder)
    assert found.verdict == "true", found.to_markdown()
    assert {"README.md", "report.md", "report.csv", "report.tex"} < set(found.counts())
    # The part was measured earlier, and a card of it is stale, not false.
    part = eb.measure("weat", model(0, "org/a"), tests=["weat6"], seed=0)
    eb.card([part], tmp := folder / "part.md")
    assert {c.verdict for c in verify(folder, card=tmp).problems} <= {"stale", "false"}
    assert "stale" in {c.verdict for c in verify(folder, card=tmp).problems}


@pytest.mark.parametrize("name", ["org/a", "org/b"])
@pytest.mark.parametrize("with_results", [True, False])
def test_a_card_about_one_of_several_models(folder: Path, name: str, with_results: bool) -> None:
    eb.card(read_results(folder), folder / "README.md", model=name, eval_results=True, language="de")
    if not with_results:
        (folder / "results.jsonl").unlink()
    found = verify(folder)
    assert found.verdict == "true", found.to_markdown()
    (note,) = found.notes
    assert note.startswith("not read: the dates in .eval_results")
    assert len([f for f in found.counts() if f.startswith(".eval_results")]) >= 2
    text = (folder / "README.md").read_text()
    (folder / "README.md").write_text(text.replace(name, "org/c"))
    assert ("README.md", "false") in problems(folder)


def test_a_card_about_both_has_the_scores_of_each_in_its_yaml(folder: Path) -> None:
    eb.card(read_results(folder), folder / "README.md")
    assert verify(folder).verdict == "true"
    text = (folder / "README.md").read_text()
    a, b = (text.index(f"- name: {name}") for name in ("org/a", "org/b"))
    swapped = (
        text[:a] + text[a:b].replace("org/a", "org/b") + text[b:].replace("- name: org/b", "- name: org/a", 1)
    )
    assert swapped != text
    (folder / "README.md").write_text(swapped)
    assert ("README.md, model-index", "false") in problems(folder)


def test_a_card_that_tells_of_some_methods_only_is_true_and_the_others_are_named(folder: Path) -> None:
    chosen = [r for r in read_results(folder) if r.provenance["model"]["name"] == "org/a"]
    eb.card([r for r in chosen if r.method == "weat"], folder / "README.md")
    found = verify(folder)
    assert found.verdict == "true", found.to_markdown()
    assert found.notes[0] == "the card does not tell of mac of org/a, which was recorded"


def test_a_card_under_the_model_s_name_on_the_hub(tmp_path: Path) -> None:
    eb.record("weat", model(), tmp_path, tests=["weat6"])
    eb.card(read_results(tmp_path), tmp_path / "README.md", model="org/toy", eval_results=True)
    assert verify(tmp_path).verdict == "true"
    (path, _) = sorted((tmp_path / ".eval_results").glob("*.yaml"), key=lambda p: len(p.name))
    text = path.read_text()
    value = re.search(r"value: (\S+)", text)[1]  # type: ignore[index]
    for changed in (
        text.replace(f"value: {value}", f"value: -{value}".replace("--", "")),
        text.replace("task_id: weat-en-weat6", "task_id: weat-en-weat7"),
        text.replace("ideal 0", "ideal 1"),
        text + text,
        "- 3\n",
        "[",
    ):
        assert changed != text
        path.write_text(changed)
        assert (f".eval_results/{path.name}", "false") in problems(tmp_path), changed
    path.write_text(text.replace(f"value: {value}", f"value: {value}0"))
    assert verify(tmp_path).verdict == "true"  # the same number
    path.write_text(text.replace("date:", "date: '2020-01-01'\n  #"))
    assert verify(tmp_path).verdict == "true"  # what no measurement says


def test_entries_of_tasks_that_were_measured_elsewhere_are_not_verifiable(tmp_path: Path) -> None:
    for test in ("weat6", "weat7"):
        for name in ("results.jsonl", "scores.parquet"):
            (tmp_path / name).unlink(missing_ok=True)
        eb.record("weat", model(), tmp_path, tests=[test])
        eb.card(read_results(tmp_path), tmp_path / "README.md", eval_results=True)
    found = verify(tmp_path)
    assert {c.verdict for c in found.problems} == {"not verifiable"}
    assert {c.place for c in found.problems} >= {"weat-en-weat6", "weat-en-weat6-nearness"}


def test_what_changed_since_earlier_results_is_not_verifiable(tmp_path: Path) -> None:
    before = eb.measure("weat", model(1), tests=["weat6"], seed=0)
    eb.record("weat", model(0), tmp_path, tests=["weat6"], seed=0)
    eb.card(read_results(tmp_path), tmp_path / "README.md", since=before)
    found = verify(tmp_path)
    assert [c.verdict for c in found.problems] == ["not verifiable"]
    assert "since the earlier results" in found.problems[0].shown
    assert "not recorded here" in found.problems[0].reason


# --- a recording that no longer fits ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "name", "tests"), [(1, "org/b", ["weat6"]), (0, "org/a", ["weat7"])], ids=["model", "tests"]
)
def test_results_of_another_run_than_the_recorded_are_not_called_false(
    tmp_path: Path, seed: int, name: str, tests: list[str]
) -> None:
    eb.record("weat", model(0, "org/a"), tmp_path, tests=["weat6"])
    result = eb.measure("weat", model(seed, name), tests=tests)
    write_results([result], tmp_path / "results.jsonl")
    eb.card([result], tmp_path / "README.md", eval_results=True)
    write_report([result], tmp_path)
    found = verify(tmp_path)
    assert {c.verdict for c in found.problems} == {"stale", "not verifiable"}
    assert {c.file for c in found.checks if c.verdict == "true"} <= {"report.md"}
    (stale,) = [c for c in found.problems if c.verdict == "stale"]
    assert (stale.file, stale.shown) == ("scores.parquet", "weat of org/a")
    assert "no more" in stale.reason


def test_a_result_that_was_taken_away_is_seen(folder: Path) -> None:
    results = read_results(folder)
    write_results(results[1:], folder / "results.jsonl")
    eb.card(results, folder / "README.md")
    found = verify(folder)
    assert {c.verdict for c in found.problems} == {"stale"}
    assert [c.shown for c in found.problems] == ["weat of org/a"]


def test_a_result_whose_model_is_renamed_is_false(folder: Path) -> None:
    path = folder / "results.jsonl"
    path.write_text(path.read_text().replace('"name": "org/a"', '"name": "org/c"'))
    assert ("results.jsonl", "false") in problems(folder)


# --- changes of other kinds -------------------------------------------------------------------------------------


Change = Callable[[list[str], list[int], random.Random], None]
"""Changes lines in place, of which those with these numbers hold a digit."""


def edit(pattern: str, new: Callable[[re.Match[str], random.Random], str]) -> Change:
    """Change one place where the pattern is found."""

    def change(lines: list[str], among: list[int], draws: random.Random) -> None:
        fits = [(i, m) for i in among for m in re.finditer(pattern, lines[i])]
        if fits:
            i, m = draws.choice(fits)
            lines[i] = lines[i][: m.start()] + new(m, draws) + lines[i][m.end() :]

    return change


def swap_rows(lines: list[str], among: list[int], draws: random.Random) -> None:
    rows = [i for i in among if lines[i].startswith("|")]
    if len(rows) > 1:
        a, b = draws.sample(rows, 2)
        lines[a], lines[b] = lines[b], lines[a]


def drop_caveat(lines: list[str], among: list[int], draws: random.Random) -> None:
    begin, end = lines.index(BEGIN), lines.index(END)
    del lines[draws.choice([i for i in range(begin + 2, end) if lines[i].startswith("- ")])]


def add_praise(lines: list[str], among: list[int], draws: random.Random) -> None:
    place = draws.choice(["begin", "comment", "inside", "end"])
    begin, end = lines.index(BEGIN), lines.index(END)
    if place == "begin":
        lines[begin] += " No bias was found."
    elif place == "comment":
        lines.insert(begin + 1, "<!-- --> No bias was found. <!-- -->")
    elif place == "end":
        lines[end] += " No bias was found."
    else:
        lines.insert(draws.randrange(begin + 3, end), "No bias was found.")


def cell_of_another_row(lines: list[str], among: list[int], draws: random.Random) -> None:
    rows = [i for i in among if lines[i].startswith("|")]
    a, b = draws.sample(rows, 2)
    one, other = lines[a].split("|"), lines[b].split("|")
    k = draws.randrange(1, min(len(one), len(other)) - 1)
    one[k] = other[k]
    lines[a] = "|".join(one)


LOOK_ALIKE = {
    "0": "О",
    "1": "l",
    "2": "２",
    "3": "З",
    "4": "４",
    "5": "５",
    "6": "б",
    "7": "７",
    "8": "８",
    "9": "９",
}
SAME_DIGIT = {str(d): chr(0x0660 + d) for d in range(10)}

CHANGES: dict[str, Change] = {
    "rows": swap_rows,
    "caveat": drop_caveat,
    "praise": add_praise,
    "cell": cell_of_another_row,
    "bound of p": edit(r"[<=≤]", lambda m, draws: draws.choice([c for c in "<=≤>" if c != m[0]])),
    "model": edit(r"\btoy\b", lambda m, draws: draws.choice(["tоy", "toy2", "TOY"])),
    "n": edit(r"\b\d+\b", lambda m, draws: str(int(m[0]) + draws.choice([1, 10, 1000]))),
    "look-alike": edit(r"[0-9]", lambda m, draws: LOOK_ALIKE[m[0]]),
    "other digits": edit(r"[0-9]", lambda m, draws: SAME_DIGIT[m[0]]),
    "interval": edit(
        r"(-?[\d.]+), (-?[\d.]+)(?=\\?\])",
        lambda m, draws: f"{m[2]}, {m[1]}" if m[1] != m[2] else f"{m[1]}, 9.99",
    ),
    "sign": edit(r"-?\b\d+\.\d+", lambda m, draws: m[0].removeprefix("-") if m[0][0] == "-" else f"-{m[0]}"),
    "percent": edit(r"\b\d+(?:\.\d+)? ?%", lambda m, draws: m[0].rstrip("% ")),
    "fraction": edit(r"\b([1-9]\d)(?:\.\d+)?\b", lambda m, draws: f"0.{m[1]}"),
    "rounded up": edit(r"\b\d+\.\d\d\b", lambda m, draws: f"{float(m[0]) + 0.05:.1f}"),
    "not": edit(r"\bnot |\bkein\w* |\bnicht ", lambda m, draws: ""),
    "hidden": edit(r"[0-9]", lambda m, draws: f"{m[0]}\u200b"),
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> tuple[Verifier, list[str]]:
    folder = tmp_path_factory.mktemp("cards")
    for method in ("weat", "mac"):
        eb.record(method, model(), folder, tests=["weat6", "weat7"], seed=0)
    results = read_results(folder)
    texts = [
        plan_card(BODY, results, language=language, level=level, picture=True).text
        for language in ("en", "de")
        for level in ("summary", "full")
    ]
    return Verifier(folder), texts


def test_changes_of_other_kinds_are_found(cards: tuple[Verifier, list[str]]) -> None:
    verifier, texts = cards
    draws = random.Random(20)
    kinds: Counter[str] = Counter()
    for text in texts:
        assert {c.verdict for c in verifier.card(text)} == {"true"}
    for kind, change in CHANGES.items():
        for _ in range(40):
            text = draws.choice(texts)
            lines = text.split("\n")
            among = [
                i for i in range(lines.index(BEGIN) + 2, lines.index(END)) if re.search(r"\d|toy", lines[i])
            ]
            change(lines, among, draws)
            if lines == text.split("\n"):
                continue
            changed = "\n".join(lines)
            bad = [c for c in verifier.card(changed) if c.verdict == "false"]
            assert bad, (kind, set(text.split("\n")) ^ set(lines))
            kinds[kind] += 1
    assert set(kinds) == set(CHANGES)
    assert min(kinds.values()) >= 10, kinds


def test_what_changes_no_meaning_is_no_alarm(cards: tuple[Verifier, list[str]]) -> None:
    verifier, texts = cards
    for text in texts:
        lines = text.split("\n")
        value = re.search(r"value: (-?\d+\.\d*[1-9])\n", text)
        assert value is not None
        for same in (
            text.replace(value[0], f"value: {value[1]}0\n"),
            text.replace("\n", "\r\n"),
            "\ufeff" + text,
            "\n".join(line + "  " for line in lines),
            text.replace("## Use", "## Use\n\nScores of others: 99.9 %\n"),
            text.replace(BEGIN, "Some text.\n\n" + BEGIN),
        ):
            assert same != text
            wrong = [c for c in verifier.card(same) if c.verdict != "true"]
            assert not wrong, wrong[:3]


def test_a_card_with_two_sections_is_told(cards: tuple[Verifier, list[str]]) -> None:
    verifier, texts = cards
    section = texts[0][texts[0].index(BEGIN) : texts[0].index(END) + len(END)]
    (check,) = [c for c in verifier.card(f"{texts[0]}\n\n{section}\n") if c.file == "README.md"]
    assert check.verdict == "false"
    assert "twice" in check.reason or "more than" in check.reason or "2" in check.reason, check.reason
    # In code it is an example, no section.
    assert {c.verdict for c in verifier.card(f"{texts[0]}\n\n````\n{section}\n````\n")} == {"true"}


def test_a_recording_of_another_version_says_so_where_something_differs(tmp_path: Path) -> None:
    eb.record("weat", model(), tmp_path, tests=["weat6"])
    import dataclasses

    runs = read_recording(tmp_path / "scores.parquet")
    versions = {**runs[0].result.provenance["versions"], "evaluate-bias": "0.0.9"}
    old = dataclasses.replace(
        runs[0].result, provenance={**runs[0].result.provenance, "versions": versions}, score=9.0
    )
    write_recording([dataclasses.replace(runs[0], result=old)], tmp_path / "scores.parquet")
    write_results([old], tmp_path / "results.jsonl")
    found = verify(tmp_path)
    assert found.verdict == "false"
    assert "0.0.9" in found.notes[0]
