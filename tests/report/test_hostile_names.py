"""Names from anywhere: no control character and no change of writing direction reaches a file that people read."""

from __future__ import annotations

import dataclasses
import unicodedata
from typing import Any

from evaluate_bias.cli import output
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.report.card import card, preview_html
from evaluate_bias.report.html import write_html
from evaluate_bias.report.write import write_report
from evaluate_bias.result import Result, Skipped
from tests.report.samples import group, pairs_result, weat_item, weat_result
from tests.support.command_line import run_app

NASTY = "\u202eevil\u2066\x07\x1b[31m\u200b\u200f\r\n=1"
KEPT = ("date", "method", "kind", "direction", "source", "scoring", "sha256", "list")
"""Fields that are no free text: another value makes another result, or data that nobody knows."""


def spoiled(value: Any, key: str = "") -> Any:
    """A stored result with the same nasty characters in every text of it, and in the keys of free mappings."""
    if isinstance(value, dict):
        free = key in ("settings", "model", "dataset", "versions", "labels")
        return {
            (f"{k}{NASTY}" if free and k not in ("name", "bias_types") else k): spoiled(v, k)
            for k, v in value.items()
        } | ({k: spoiled(v, k) for k, v in value.items()} if free else {})
    if isinstance(value, list):
        return [spoiled(v, key) for v in value]
    return f"{value}{NASTY}" if isinstance(value, str) and key not in KEPT else value


def results() -> list[Result]:
    pairs = pairs_result(method="crows_pairs", groups=(group("age", 60.0, p_value=0.01, p_holm=0.02, n=90),))
    source = {
        "dataset": {"source": f"my pairs{NASTY}.csv", "bias_types": ["age"], "config": "x", "split": "y"}
    }
    given = [weat_result([weat_item(), weat_item("weat7")]), pairs]
    made = [Result.from_dict(spoiled(r.to_dict())) for r in given]
    own = pairs.to_dict() | {"provenance": {**pairs.provenance, **source}}
    return [*made, Result.from_dict(spoiled(own))]


def bad_characters(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t\u200c\u200d"}


def test_cards_have_none(tmp_path):
    made = results()
    update = card(made, tmp_path)
    assert "evil" in update.text.split("---")[1]  # in the names of model-index
    pictures = list(update.files.values())
    files = [p.read_text(encoding="utf-8") for p in tmp_path.rglob("*") if p.is_file()]
    for text in [
        update.text,
        *pictures,
        *files,
        *update.warnings,
        preview_html(update.text, pictures=update.files),
    ]:
        assert bad_characters(text) == set()
    assert card(made, tmp_path).outcome == "unchanged"


def test_reports_have_none(tmp_path):
    files = write_report(results(), tmp_path)
    texts = [p for p in files if p.suffix in (".md", ".tex", ".csv", ".svg")]
    assert len(texts) > 4
    for path in texts:
        assert bad_characters(path.read_text(encoding="utf-8")) == set(), path.name
        assert bad_characters(path.name) == set()


def test_pages_and_comparisons_have_none(tmp_path):
    base, other = (Result.from_dict(spoiled(weat_result([weat_item()]).to_dict())) for _ in range(2))
    write_results([base], tmp_path / "base.jsonl")
    write_results([other], tmp_path / "other.jsonl")
    assert "evil" in write_html(results(), tmp_path / "report.html")[0].read_text(encoding="utf-8")
    words = [
        "compare",
        str(tmp_path / "base.jsonl"),
        str(tmp_path / "other.jsonl"),
        "-o",
        str(tmp_path / "out"),
    ]
    assert run_app(*words).exit_code == 0
    pages = [p for p in tmp_path.rglob("*") if p.suffix in (".html", ".md", ".svg", ".csv")]
    assert {p.suffix for p in pages} >= {".html", ".md"}
    for path in pages:
        assert bad_characters(path.read_text(encoding="utf-8")) == set(), path.name


def test_the_commands_tables_and_notes_have_none(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    given = weat_result([weat_item("\x1b[2Jweat\u202e6\x9b7", x="a\x1b]0;t\x07[red]"), weat_item("weat7")])
    given = dataclasses.replace(given, skipped=(Skipped("\x1b[1m", "\u2066no\r", "\x07"),))
    output.new_console().print(output.result_table(given))
    output.print_skipped(given)
    output.print_error(DataError("\x1b[2J is no \u202e"), "\x08")
    write_results([pairs_result(groups=(group("\x1b[2J", 60.0),))], tmp_path)
    shown = run_app("report", tmp_path, "-o", tmp_path / "a\x1b[2Jb")
    assert shown.exit_code == 0
    text = "".join(capsys.readouterr()) + shown.output
    for name in ("\\x1b[2Jweat\\u202e6\\x9b7", "[red]", "a\\x1b[2Jb/report.md"):
        assert name in text
    assert bad_characters(text) == set()
