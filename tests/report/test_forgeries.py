"""Run folders with one thing forged in one file: none is verified; whole ones of several kinds are."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import InputError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.experiments.store import Store
from evaluate_bias.models.load import load_model
from evaluate_bias.report import FORMAT
from evaluate_bias.report.card.block import BEGIN, END
from evaluate_bias.report.html import write_html
from evaluate_bias.report.verify import RecordedRun, results_file, surfaces, verify
from evaluate_bias.report.write import write_report
from tests.report.test_verify import vectors

Edit = Callable[[str], str]
Forgery = tuple[str, Edit, str]
"""A file, what is changed in it, and the verdict."""

CARD, RESULTS, PICTURE, STORE = "README.md", "results.jsonl", "evaluate-bias.svg", "results.sqlite"
BINARY = (".png", ".sqlite")
TASKS = ".eval_results/evaluate-bias-weat-ea399e95.yaml"
TASK = "- dataset: {id: bias/weat-word-lists, task_id: weat-en-weat6}\n  value: 0.0\n"
NO_CHANGE = "- Changes since the earlier results could not be tested; `evaluate-bias compare` says why."


def swap(old: str, new: str, count: int = 1) -> Edit:
    return lambda text: text.replace(old, new, count)


def regex(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Edit:
    return lambda text: re.sub(pattern, new, text, count=1, flags=re.MULTILINE)


def append(more: str) -> Edit:
    return lambda text: text + more


def within(edit: Edit) -> Edit:
    """An edit between the markers of a card."""

    def forge(text: str) -> str:
        begin, end = text.index(BEGIN), text.index(END) + len(END)
        return text[:begin] + edit(text[begin:end]) + text[end:]

    return forge


def next_digit(found: re.Match[str]) -> str:
    return found[0][:-1] + str((int(found[0][-1]) + 1) % 10)


def result(edit: Callable[[dict[str, Any]], Any], line: int = 0) -> Edit:
    """An edit of the JSON of a line."""

    def forge(text: str) -> str:
        lines = text.splitlines()
        raw = json.loads(lines[line])
        edit(raw)
        lines[line] = json.dumps(raw, ensure_ascii=False)
        return "\n".join([*lines, ""])

    return forge


def put(path: str, value: Any) -> Edit:
    """A value in the JSON of the first line."""

    def change(raw: Any) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in way:
            raw = raw[step]
        assert not (
            isinstance(raw, dict) and last in raw and raw[last] == value and type(raw[last]) is type(value)
        )
        raw[last] = value

    return result(change)


def swapped_lines(pattern: str) -> Edit:
    """The first two different lines of a kind change places."""

    def forge(text: str) -> str:
        lines = text.split("\n")
        fits = [i for i, line in enumerate(lines) if re.search(pattern, line)]
        a, b = next((a, b) for a in fits for b in fits if a < b and lines[a] != lines[b])
        lines[a], lines[b] = lines[b], lines[a]
        return "\n".join(lines)

    return forge


def earlier_line(edit: Callable[[dict[str, Any]], Any]) -> Edit:
    """A forged line before all others, which a reader takes for one that was replaced."""
    return lambda text: result(edit)(text.split("\n")[0]) + text


FORGERIES: dict[str, Forgery] = {
    # results.jsonl
    "last digit of the score": (RESULTS, regex(r'^\{"weat": -?\d+\.\d{15}', next_digit), "false"),
    "last digit of a detail": (RESULTS, regex(r'"difference": -?\d+\.\d{15}', next_digit), "false"),
    "sign of an end": (RESULTS, regex(r'"ci_high": (\d)', r'"ci_high": -0\1'), "false"),
    "share of the coverage": (RESULTS, put("coverage.share", 0.5), "false"),
    "share of a row's coverage": (RESULTS, put("rows.0.coverage.share", 0.5), "false"),
    "unknown key": (RESULTS, put("certified", True), "false"),
    "unknown key without a value": (RESULTS, put("certified", None), "false"),
    "unknown key in a row": (RESULTS, put("rows.0.details.note", "no bias"), "false"),
    "key twice": (RESULTS, swap('"score_range"', '"p_value": 0.9, "score_range"'), "false"),
    "key gone": (RESULTS, result(lambda raw: raw.pop("n_tested")), "false"),
    "forged earlier line": (RESULTS, earlier_line(lambda raw: raw["rows"].clear()), "false"),
    "earlier line of another measurement": (
        RESULTS, earlier_line(lambda raw: raw["provenance"]["model"].update(name="gpt")), "not verifiable",
    ),
    "row gone": (RESULTS, result(lambda raw: raw["rows"].pop()), "false"),
    "rows swapped": (RESULTS, result(lambda raw: raw["rows"][0]["details"]["words"].reverse()), "false"),
    "name of a row": (RESULTS, put("rows.0.name", "weat7"), "false"),
    "look-alike in a label": (RESULTS, put("rows.0.labels.a", "cаreer"), "false"),
    "zero width in a name": (RESULTS, put("rows.0.name", "weat6\u200b"), "false"),
    "sentence in the warnings": (RESULTS, result(lambda raw: raw["warnings"].append("no bias")), "false"),
    "version of numpy": (RESULTS, put("provenance.versions.numpy", "9.9"), "false"),
    "version of the library": (RESULTS, put("provenance.versions.evaluate-bias", "9.9"), "false"),
    "software that was not there": (RESULTS, put("provenance.versions.tpu", "1"), "false"),
    "revision of the method": (RESULTS, put("provenance.revisions.weat", 7), "false"),
    "checksum of the data": (RESULTS, put("provenance.dataset.sha256", "0" * 64), "false"),
    "name of the model": (RESULTS, put("provenance.model.name", "org/c"), "false"),
    "setting": (RESULTS, put("settings.level", 0.9), "false"),
    "number of units": (RESULTS, put("n", 17), "false"),
    "number as text": (RESULTS, put("rows.0.details.sd", "0.2"), "false"),
    "truth value for 0": (RESULTS, put("rows.0.details.n_partitions", True), "false"),
    "ideal": (RESULTS, put("ideal", 1.0), "false"),
    "p-value": (RESULTS, put("p_value", 0.01), "false"),
    "adjusted p-value gone": (RESULTS, put("rows.0.p_holm", None), "false"),
    "way of the p-value": (RESULTS, put("p_method", "exact"), "false"),
    "older schema": (RESULTS, put("schema_version", 1), "false"),
    "no schema": (RESULTS, result(lambda raw: raw.pop("schema_version")), "false"),
    "key that reads like two": (
        RESULTS, result(lambda raw: raw["rows"][0].update({"details.sd": raw["rows"][0]["details"].pop("sd")})),
        "false",
    ),
    "line gone": (RESULTS, lambda text: text.split("\n", 1)[1], "stale"),
    # section of the card
    "other comment for ours": (CARD, regex(r"^<!-- Written by.*$", "<!--> No bias was found. -->"), "false"),
    "comment that ends early": (CARD, regex(r"^<!-- Written by.*$", "<!-- x --!> No bias. <!-- -->"), "false"),
    "words behind our comment": (CARD, regex(r"^(<!-- Written by.*)$", r"\1 No bias was found."), "false"),
    "comment added": (CARD, within(swap("\n\n|", "\n\n<!-- checked by hand -->\n\n|")), "false"),
    "marker respelt": (CARD, swap(BEGIN, BEGIN.replace("<!-- ", "<!--  ")), "false"),
    "words behind the end": (CARD, swap(END, f"{END} No bias was found."), "false"),
    "comment for the marker": (CARD, swap(BEGIN, "<!--> visible -->"), "false"),
    "picture added": (CARD, within(swap("\n\n<details>", "\n\n![No bias](x.svg)\n\n<details>")), "false"),
    "picture's text": (CARD, within(swap("![Score", "![No bias: score")), "false"),
    "picture's place": (CARD, within(swap("](evaluate-bias.svg)", "](https://example.org/x.svg)")), "false"),
    "picture of another name": (CARD, lambda text: text.replace(PICTURE, "other.svg"), "not verifiable"),
    "picture of another site": (
        CARD, lambda text: text.replace(PICTURE, f"https://example.org/{PICTURE}"), "not verifiable",
    ),
    "picture in a folder": (CARD, lambda text: text.replace(PICTURE, f"sub/{PICTURE}"), "not verifiable"),
    "empty line in a table": (CARD, within(regex(r"^(\|---.*)$", "\\1\n")), "false"),
    "empty line gone": (CARD, within(swap("\n\n|", "\n|")), "false"),
    "empty line of a no-break space": (CARD, within(swap("\n\n|", "\n\u00a0\n|")), "false"),
    "sentence added": (CARD, within(swap("\n\n|", "\nNo bias was found.\n\n|")), "false"),
    "sentence gone": (CARD, within(regex(r"^- An effect size near 0.*\n", "")), "false"),
    "not gone": (CARD, within(regex(r"\bnot ", "")), "false"),
    "zero width": (CARD, within(swap("not found", "not\u200b found")), "false"),
    "right to left": (CARD, within(swap("| WEAT |", "| \u202eWEAT |")), "false"),
    "look-alike": (CARD, within(swap("WEAT", "WЕAT")), "false"),
    "other blank": (CARD, within(swap("Measured on", "Measured\u2009on")), "false"),
    "form feed": (CARD, within(swap("|\n", "|\x0c\n")), "false"),
    "zero behind a number": (CARD, within(regex(r"\d\.\d\d\b", r"\g<0>0")), "false"),
    "digit": (CARD, within(regex(r"\d\.\d\d\b", next_digit)), "false"),
    "hash for a digit": (CARD, within(regex(r"\b\d\.\d\d\b", "#")), "false"),
    "zero byte for a digit": (CARD, within(regex(r"\b\d\.\d\d\b", "\0")), "false"),
    "other digits": (CARD, within(regex(r"\d(?=\d\])", "١")), "false"),
    "sign": (CARD, within(regex(r"-(?=\d\.)", "")), "false"),
    "address of the paper": (CARD, within(swap("10.1126", "10.11260")), "false"),
    "rows of the card swapped": (CARD, within(swapped_lines(r"^\| (WEAT|MAC)")), "false"),
    "code block": (CARD, within(regex(r"^- Not found", r"    \g<0>")), "false"),
    "folded part hidden": (CARD, within(swap("<details>", "<details hidden>")), "false"),
    "heading that is none": (CARD, within(swap("\n### ", "\n###")), "false"),
    "alignment": (CARD, within(swap("|---:|", "|:---|")), "false"),
    "row joined": (CARD, within(swap(" |\n| MAC", " | MAC")), "false"),
    "entity": (CARD, within(swap("not found", "n&#111;t found")), "false"),
    "section of another format": (CARD, swap(f", format {FORMAT},", ", format 999,"), "not verifiable"),
    "number in another format": (
        CARD, lambda text: swap(f", format {FORMAT},", ", format 999,")(within(swap("0.91]", "0.77]"))(text)),
        "not verifiable",
    ),
    # how the section was written
    "result left out of the options": (CARD, regex(r', "[0-9a-f]{8}"\]', "]"), "false"),
    "result that is not here": (CARD, regex(r'"[0-9a-f]{8}"\]', '"00000000"]'), "not verifiable"),
    "no result in the options": (CARD, regex(r'"results": \[.*?\]', '"results": []'), "not verifiable"),
    "level in the options": (CARD, swap('"level": "summary"', '"level": "full"'), "false"),
    "level that there is not": (CARD, swap('"level": "summary"', '"level": "short"'), "false"),
    "name in the options": (CARD, swap('"model": ""', '"model": "org/c"'), "false"),
    "heading in the options": (CARD, swap('"heading": 3', '"heading": 2'), "false"),
    "option of another type": (CARD, swap('"heading": 3', '"heading": true'), "false"),
    "unknown option": (CARD, swap('"heading": 3', '"heading": 3, "hidden": "mac"'), "false"),
    "picture gone from the options": (CARD, swap('"picture": "evaluate-bias.svg"', '"picture": ""'), "false"),
    "options gone": (CARD, regex(r"^<!-- Written by.*\n", ""), "false"),
    "change that nobody measured": (CARD, within(swap("\n\n|", f"\n{NO_CHANGE}\n\n|")), "false"),
    "change that is not recorded": (
        CARD, lambda text: swap('"since": false', '"since": true')(within(swap("\n\n|", f"\n{NO_CHANGE}\n\n|"))(text)),
        "not verifiable",
    ),
    "section twice": (CARD, lambda text: text + text[text.index(BEGIN) :], "false"),
    # model-index
    "verified": (CARD, swap("      value:", "      verified: true\n      value:"), "false"),
    "verify token": (CARD, swap("      value:", "      verifyToken: abc\n      value:"), "false"),
    "source of an entry": (CARD, swap("    metrics:", "    source: {name: HELM, url: x}\n    metrics:"), "false"),
    "name of the task": (CARD, swap("name: Measured social bias", "name: Certified"), "false"),
    "name of the data": (CARD, swap("name: WEAT word lists", "name: All data"), "false"),
    "arguments of the data": (CARD, swap("      split: test", "      split: test\n      args: {n: 9}"), "false"),
    "last digit of an entry": (CARD, regex(r"value: -?\d+\.\d+", next_digit), "false"),
    "entry as text": (CARD, regex(r"value: (-?\d+\.\d+)", r"value: '\1'"), "false"),
    "entry twice": (CARD, regex(r"    - type: mac\n.*\n.*\n", r"\g<0>\g<0>"), "false"),
    "entry gone": (CARD, regex(r"    - type: mac\n.*\n.*\n", ""), "false"),
    "key of an entry twice": (CARD, regex(r"(      value: )(.*)\n", r"\g<1>0.0\n\g<0>"), "false"),
    "type of an entry": (CARD, swap("- type: mac", "- type: accuracy"), "false"),
    "list as a type": (CARD, swap("- type: mac", "- type: [mac]"), "false"),
    "zero before a number": (CARD, regex(r"value: (-?)(\d)", r"value: \g<1>0\2"), "false"),
    "mark within a number": (CARD, regex(r"(value: -?\d+\.\d+)(\d)", r"\1_\2"), "false"),
    "key beside the model": (CARD, swap("- name: org/a", "- name: org/a\n  verified: true"), "not verifiable"),
    "owner of the model": (CARD, swap("- name: org/a", "- name: other/a"), "false"),
    "score of another kind": (
        CARD, swap("    - type: mac\n", "    - type: rank\n      value: 1\n      name: safe\n    - type: mac\n"),
        "not verifiable",
    ),
    "all entries gone": (CARD, regex(r"^model-index:\n(?:[- ].*\n)*", "license: mit\n"), "false"),
    "alias in the entries": (CARD, lambda text: swap("split: test", "split: *s")(
        re.sub("type: bias-evaluation", "type: &s bias-evaluation", text, count=1)), "false"),
    # picture beside the card
    "number in the picture": (PICTURE, regex(r'cx="\d', 'cx="0'), "false"),
    "comment in the picture": (PICTURE, swap("<svg", "<!-- x --><svg"), "false"),
    "colour": (PICTURE, regex(r"#[0-9A-Fa-f]{6}", "#00ff00"), "false"),
    "text behind the picture": (PICTURE, append("<text>No bias</text>\n"), "false"),
    # report
    "picture in the report": ("report.md", append("\n![No bias was found](x.png)\n"), "false"),
    "picture's text in the report": ("report.md", regex(r"^!\[", "![No "), "false"),
    "picture of the report gone": ("report.md", regex(r"^!\[.*\n", ""), "false"),
    "comment in the report": ("report.md", append("\n<!-- checked -->\n"), "false"),
    "number in the report": ("report.md", swap("1.04", "1.05"), "false"),
    "order in the report": ("report.md", swapped_lines(r"^\| weat6"), "false"),
    "digit of the table": ("report.csv", regex(r"-0\.\d{8,}", next_digit), "false"),
    "row of the table gone": ("report.csv", regex(r"^weat,.*\n", ""), "false"),
    "picture in the table": ("report.csv", append("![No bias](x.png)\n"), "false"),
    "heading of the table": ("report.csv", swap("ideal", "best"), "false"),
    "number in LaTeX": ("report.tex", swap("1.04", "1.05"), "false"),
    "picture in LaTeX": ("report.tex", swap("\\end{document}", "![No bias](x.png)\n\\end{document}"), "false"),
    "remark in LaTeX": ("report.tex", append("% checked\n"), "false"),
    "number in a plot": ("effect_sizes-weat.svg", regex(r">−?\d\.\d+", ">9.99"), "not verifiable"),
    "remark in a plot": ("effect_sizes-weat.svg", append("<!-- x -->"), "not verifiable"),
    "pixels of a plot": ("effect_sizes-mac.png", append(" "), "not verifiable"),
    "words of a plot": ("words/1-weat6.svg", swap("John", "Jane"), "not verifiable"),
    "number in the page": ("report.html", swap("1.04", "1.05"), "false"),
    "sentence in the page": ("report.html", swap("<main", "<p>No bias was found.</p><main"), "false"),
    "drawing in the page": (
        "report.html", regex(r"(<svg\b[^>]*>)", r"\1<text>No bias</text>"), "not verifiable",
    ),
    "options of the page gone": ("report.html", regex(r"^<!-- Written by.*\n", ""), "false"),
    "result left out of the report": ("report.md", regex(r', "[0-9a-f]{8}"\]', "]"), "false"),
    "options of the report gone": ("report.md", regex(r"^<!-- Written by.*\n", ""), "false"),
    "report of another format": ("report.md", swap(f", format {FORMAT},", ", format 999,"), "not verifiable"),
    "report that nobody wrote": ("report.rst", append("No bias was found."), "not verifiable"),
    "plot that nobody wrote": ("effect_sizes-best.svg", append("<svg/>"), "not verifiable"),
    "store that cannot be read": (STORE, lambda text: "SQLite format 3", "not verifiable"),
    # .eval_results
    "value of a task": (TASKS, regex(r"value: -?\d+\.\d+", next_digit), "false"),
    "notes of a task": (TASKS, swap("ideal 0", "ideal 1"), "false"),
    "verified task": (TASKS, append("  verifyToken: abc\n"), "false"),
    "who evaluated": (TASKS, swap("name: evaluate-bias", "name: HELM"), "false"),
    "page of another site": (TASKS, swap("https://huggingface.co/", "https://example.org/"), "false"),
    "words for a date": (TASKS, regex(r"date: .*", "date: certified"), "false"),
    "key of a task twice": (TASKS, swap("  value:", "  value: 0.0\n  value:"), "false"),
    "zero before the value of a task": (TASKS, regex(r"value: (-?)", r"value: \g<1>0"), "false"),
    "page of another model": (TASKS, swap("huggingface.co/org/a", "huggingface.co/org/b"), "false"),
    "file of another name": (".eval_results/weat.yaml", append(TASK), "not verifiable"),
    "file of another kind": (".eval_results/evaluate-bias-weat.yml", append(TASK), "not verifiable"),
    "file in capitals": (".eval_results/Evaluate-Bias-WEAT.yaml", append("- dataset: {id: a/b}\n"), "not verifiable"),
    "file in a folder": (".eval_results/old/weat.yaml", append(TASK), "not verifiable"),
    "task of other data": (TASKS, swap("task_id: weat-en-weat6", "task_id: weat-en-weat7"), "false"),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def computed_once() -> Iterator[None]:
    """What all tests would compute again is computed once: the files of a report, and the recorded results."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((surfaces, "_write_files"), (results_file, "repeat")):
            patch.setattr(module, name, _once(getattr(module, name)))
        yield


def _once(function: Callable[..., Any]) -> Callable[..., Any]:
    made: dict[str, Any] = {}

    def once(*args: Any) -> Any:
        if isinstance(args[0], RecordedRun):
            key = f"{args[0].result.to_json()} {args[0].request}"
        else:
            key = " ".join([*map(str, args[:-1]), *(r.to_json() for r in args[-1])])
        if key not in made:
            made[key] = function(*args)
        return made[key]

    return once


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods on two models, with the card of the first, a report and a page."""
    place = tmp_path_factory.mktemp("whole")
    for seed, name in enumerate(("org/a", "org/b")):
        for method in ("weat", "mac"):
            model = load_model(vectors(seed), name=name)
            eb.record(method, model, place, tests=["weat6"], seed=0, ci_resamples=200)
    results = read_results(place)
    eb.card(results, place / CARD, model="org/a")
    write_report(results, place, png=True)
    write_html(results, place / "report.html")
    return place


def test_the_whole_folder_is_verified_file_by_file(whole: Path) -> None:
    verification = verify(whole)
    assert verification.verdict == "true", verification.to_markdown()
    forged = {file for file, _, _ in FORGERIES.values() if (whole / file).exists()}
    assert forged - {STORE} <= {file.partition(",")[0] for file in verification.counts()}
    (note,) = verification.notes
    assert note == (
        "not read: the dates in .eval_results; what stands in the card outside the section and its own entries"
    )


@pytest.mark.parametrize(("file", "forge", "verdict"), FORGERIES.values(), ids=FORGERIES.keys())
def test_no_forged_folder_is_verified(
    whole: Path, tmp_path: Path, file: str, forge: Edit, verdict: str
) -> None:
    beside_card = file == PICTURE or file.startswith(".eval_results")
    for name in dict.fromkeys((RESULTS, "scores.parquet", CARD if beside_card else file, file)):
        if (whole / name).exists():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(whole / name, tmp_path / name)
    path = tmp_path / file
    encoding = "latin-1" if path.suffix in BINARY else "utf-8"
    before = path.read_bytes().decode(encoding) if path.exists() else ""
    after = forge(before)
    assert after != before
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(after.encode(encoding))
    verification = verify(tmp_path)
    assert verification.verdict == verdict, verification.to_markdown()
    assert {c.file.partition(",")[0] for c in verification.problems} & {file, "scores.parquet"}


def test_a_line_changed_at_random_is_found_in_every_text(whole: Path, tmp_path: Path) -> None:
    draws = random.Random(5)
    for name in (RESULTS, "scores.parquet"):
        shutil.copy(whole / name, tmp_path)
    for name in (CARD, "report.md", "report.csv", "report.tex"):
        lines = (whole / name).read_text(encoding="utf-8").split("\n")
        first, last = (lines.index(BEGIN), lines.index(END)) if name == CARD else (0, len(lines) - 1)
        for kind in ("gone", "twice", "digit"):
            fits = [i for i in range(first, last) if re.search(r"\d", lines[i])]
            i = draws.choice(fits)
            new = {
                "gone": [],
                "twice": [lines[i]] * 2,
                "digit": [re.sub(r"\d", next_digit, lines[i], count=1)],
            }[kind]
            (tmp_path / name).write_text("\n".join([*lines[:i], *new, *lines[i + 1 :]]), encoding="utf-8")
            assert verify(tmp_path).verdict == "false", (name, kind, lines[i])
        (tmp_path / name).unlink()


def test_what_changes_nothing_that_is_read_is_verified(whole: Path, tmp_path: Path) -> None:
    for name in (RESULTS, "scores.parquet", PICTURE):
        shutil.copy(whole / name, tmp_path)
    raw = [json.loads(line) for line in (whole / RESULTS).read_text().splitlines()]
    card = (whole / CARD).read_text()
    value = re.search(r"value: (-?\d+\.\d*[1-9])\n", card)
    assert value is not None
    (tmp_path / "config.json").write_text("{}")
    section = card[card.index(BEGIN) : card.index(END) + len(END)]
    others = "- name: x\n  results:\n  - task: {type: text}\n    metrics: [{type: f1, value: 1}]"
    for results, text in (
        ("\n\n".join(json.dumps(dict(reversed(r.items()))) for r in raw), card.replace("\n", "\r\n")),
        (
            "\n".join(json.dumps(r, separators=(" , ", " : ")) for r in raw),
            f"\ufeff{card}\nMy own words: 99.9 %.\n\n````\n{section}\n````\n",
        ),
        ((whole / RESULTS).read_text(), "\n".join(line + "  " for line in card.split("\n"))),
        (
            (whole / RESULTS).read_text(),
            card.replace(value[0], f"value: {value[1]}0\n").replace(
                "model-index:", f"model-index:\n{others}"
            ),
        ),
    ):
        assert text != card
        (tmp_path / RESULTS).write_text(results)
        (tmp_path / CARD).write_bytes(text.encode())
        verification = verify(tmp_path)
        assert verification.verdict == "true", verification.to_markdown()
        assert "config.json" in verification.notes[-1]
    assert verification.notes[0] == "not read: scores of others in model-index: f1"


def test_links_out_of_the_folder_are_not_followed(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / ".eval_results").mkdir(parents=True)
    for name in (RESULTS, "scores.parquet", CARD):
        shutil.copy(whole / name, folder)
    (tmp_path / "letter.txt").write_text("a line of nobody's card")
    links = ("report.csv", PICTURE, TASKS, "report.md")
    for name in links:
        (folder / name).symlink_to(tmp_path / "letter.txt")
    verification = verify(folder)
    assert {c.file for c in verification.problems} == set(links)
    assert {c.verdict for c in verification.problems} == {"not verifiable"}
    assert "nobody" not in verification.to_markdown()
    shutil.move(folder / ".eval_results", tmp_path / "elsewhere")
    (folder / ".eval_results").symlink_to(tmp_path / "elsewhere")
    assert {c.file for c in verify(folder).problems} == {*links, ".eval_results"} - {TASKS}
    (folder / CARD).unlink()
    (folder / CARD).symlink_to(tmp_path / "letter.txt")
    with pytest.raises(InputError, match="a link out of the folder, which is not followed"):
        verify(folder)


def test_what_is_deleted_is_named(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "f"))
    (folder / PICTURE).unlink()
    (folder / TASKS).unlink()
    (folder / "report.csv").unlink()
    verification = verify(folder)
    assert verification.verdict == "true", verification.to_markdown()
    assert set(verification.notes) >= {
        f"not there, although the card shows it: {PICTURE}",
        f"not there, although the card's results give it: {Path(TASKS).name} in .eval_results",
        "not there, although a report has it: report.csv",
    }
    with Store(folder) as store:
        units = [unit for unit, _ in store.results()]
    with closing(sqlite3.connect(folder / STORE)) as database, database:
        for (trigger,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("DELETE FROM results WHERE key = ?", [units[0].key])
    (stale,) = verify(folder).problems
    assert (stale.file, stale.verdict) == (STORE, "stale")
    assert stale.reason == "only results.jsonl has this measurement"
