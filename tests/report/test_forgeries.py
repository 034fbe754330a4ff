"""Run folders with one thing forged in one file: none is verified; whole ones of several kinds are."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.models.load import load_model
from evaluate_bias.report.card.block import BEGIN, END
from evaluate_bias.report.html import write_html
from evaluate_bias.report.verify import Verifier, read_recording, verify
from evaluate_bias.report.verify.lines import lines_of
from evaluate_bias.report.write import write_report
from tests.report.test_verify import vectors
from tests.test_all_methods import fixture

Edit = Callable[[str], str]
Forgery = tuple[str, Edit, str]
"""A file, what is changed in it, and the verdict."""

CARD, RESULTS, PICTURE, STORE = "README.md", "results.jsonl", "evaluate-bias.svg", "results.sqlite"
BINARY = (".png", ".sqlite")
TASKS = ".eval_results/evaluate-bias-weat-ea399e95.yaml"


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
    "section of another format": (CARD, swap(", format 2.", ", format 3."), "not verifiable"),
    "number in another format": (
        CARD, lambda text: swap(", format 2.", ", format 3.")(within(swap("0.91]", "0.77]"))(text)), "false",
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
    "number by language": ("report-full.tex", swap("1.04", "1.05"), "false"),
    "model by language": ("report-full.tex", swap("org/a", "org/c"), "false"),
    "number in a plot": ("effect_sizes-weat.svg", regex(r">−?\d\.\d+", ">9.99"), "not verifiable"),
    "remark in a plot": ("effect_sizes-weat.svg", append("<!-- x -->"), "not verifiable"),
    "pixels of a plot": ("effect_sizes-mac.png", append(" "), "not verifiable"),
    "words of a plot": ("words/1-weat6.svg", swap("John", "Jane"), "not verifiable"),
    "number in the page": ("report.html", swap("1.04", "1.05"), "not verifiable"),
    "sentence in the page": ("report.html", swap("<main", "<p>No bias was found.</p><main"), "not verifiable"),
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
    "task of other data": (TASKS, swap("task_id: weat-en-weat6", "task_id: weat-en-weat7"), "false"),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def drawn_once() -> Iterator[None]:
    """Pictures of the same results are drawn once for all tests."""
    made: dict[Any, dict[str, bytes]] = {}
    draw = Verifier._written

    def once(verifier: Verifier, places: tuple[int, ...], page: bool) -> dict[str, bytes]:
        key = (page, *(r.to_json() for r in verifier.expected.only(places).results))
        if key not in made:
            made[key] = draw(verifier, places, page)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Verifier, "_written", once)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods on two models, with the card of the first, a report and a page."""
    place = tmp_path_factory.mktemp("whole")
    for seed, name in enumerate(("org/a", "org/b")):
        for method in ("weat", "mac"):
            model = load_model(vectors(seed), name=name)
            eb.record(method, model, place, tests=["weat6"], seed=0, ci_resamples=200)
    results = read_results(place)
    eb.card(results, place / CARD, model="org/a", eval_results=True)
    write_report(results, place)
    write_html(results, place / "report.html")
    return place


def test_the_whole_folder_is_verified_file_by_file(whole: Path) -> None:
    found = verify(whole)
    assert found.verdict == "true", found.to_markdown()
    forged = {file for file, _, verdict in FORGERIES.values() if (whole / file).exists()}
    assert forged - {STORE} <= set(found.counts())  # of the store is told what is not in results.jsonl
    (note,) = found.notes
    assert note == (
        "not read: the dates in .eval_results, and which page its sources name; what stands in the card outside the "
        "section and its own entries"
    )
    assert len(FORGERIES) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("file", "forge", "verdict"), FORGERIES.values(), ids=FORGERIES.keys())
def test_no_forged_folder_is_verified(
    whole: Path, tmp_path: Path, file: str, forge: Edit, verdict: str
) -> None:
    for name in dict.fromkeys(
        ("results.jsonl", "scores.parquet", CARD if file in (PICTURE, TASKS) else file, file)
    ):
        if (whole / name).exists():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(whole / name, tmp_path / name)
    path = tmp_path / file
    before = (
        path.read_bytes().decode("latin-1" if path.suffix in BINARY else "utf-8") if path.exists() else ""
    )
    after = forge(before)
    assert after != before
    path.write_bytes(after.encode("latin-1" if path.suffix in BINARY else "utf-8"))
    found = verify(tmp_path)
    assert found.verdict == verdict, found.to_markdown()
    assert {c.file.partition(",")[0] for c in found.problems} & {file, "scores.parquet"}


def test_no_recording_with_another_byte_is_verified(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole / RESULTS, tmp_path)
    raw = (whole / "scores.parquet").read_bytes()
    draws = random.Random(0)
    for place in draws.sample(range(4, len(raw) - 8), 25):
        (tmp_path / "scores.parquet").write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        try:
            assert verify(tmp_path).verdict == "true"  # a byte that says nothing: all is as it was
        except DataError:
            continue
        assert read_recording(tmp_path / "scores.parquet")[0].result == read_results(whole)[0]


def test_bytes_changed_at_random_are_found_in_every_text(whole: Path) -> None:
    verifier, draws = Verifier(whole), random.Random(5)
    for name in (CARD, "report.md", "report.csv", "report.tex", "report-full.tex"):
        text = (whole / name).read_text(encoding="utf-8")
        inside = (text.index(BEGIN), text.index(END) + len(END)) if name == CARD else (0, len(text))
        for _ in range(60):
            i = draws.randrange(*inside)
            kind, letter = draws.randrange(3), draws.choice("0159aé-−|* \n\u200b")
            changed = text[:i] + (letter if kind else "") + text[i + (kind < 2) :]
            if lines_of(changed) == lines_of(text):
                continue
            checks = verifier.card(changed) if name == CARD else verifier.report({name: changed.encode()})
            assert any(c.verdict == "false" for c in checks), (name, i, letter, text[i - 20 : i + 20])


def test_what_changes_nothing_that_is_read_is_verified(whole: Path, tmp_path: Path) -> None:
    for name in (RESULTS, "scores.parquet", CARD, PICTURE):
        shutil.copy(whole / name, tmp_path)
    raw = [json.loads(line) for line in (whole / RESULTS).read_text().splitlines()]
    card = (whole / CARD).read_text()
    (tmp_path / "config.json").write_text("{}")
    for results, text in (
        ("\n\n".join(json.dumps(dict(reversed(r.items()))) for r in raw), card.replace("\n", "\r\n")),
        (
            "\n".join(json.dumps(r, indent=None, separators=(" , ", " : ")) for r in raw),
            card + "\nMy own words.\n",
        ),
    ):
        (tmp_path / RESULTS).write_text(results)
        (tmp_path / CARD).write_bytes(text.encode())
        found = verify(tmp_path)
        assert found.verdict == "true", found.to_markdown()
        assert "config.json" in found.notes[0]


@pytest.mark.parametrize("name", ["crows_pairs", "honest", "tpr_gap", "seed_sensitivity"])
def test_whole_folders_of_other_kinds_are_verified(tmp_path: Path, name: str) -> None:
    spec, rows, options = fixture(name)
    eb.record(name, spec, tmp_path, data=rows, **options)
    results = read_results(tmp_path)
    eb.card(results, tmp_path / CARD, language="de", level="full")
    write_report(results, tmp_path)
    found = verify(tmp_path)
    assert found.verdict == "true", found.to_markdown()
    assert {"report.md", "report.csv", "report.tex", "README.md"} <= set(found.counts())
