"""Tics of translated English, counted per 1,000 words of the documentation, method pages, records and other strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "evaluate_bias"

# Pattern, the most that is allowed per 1,000 words, and a sentence that has the tic.
TICS = {
    "stand": (r"\bstands?\b(?! (?:out|alone|up))", 0.05, "The names stand in the details."),
    "beside": (r"\bbesides?\b", 0.05, "It is printed beside the score."),
    "hold": (r"\bholds?\b", 0.3, "The file holds pairs."),
    "is no": (r"\b(?:is|are|was|be) (?:no|none)\b(?! longer)", 0.2, "This is no word."),
    "take": (r"\btakes?\b", 0.9, "The method takes rows."),
    "that of": (r"\b(?:that|those) (?:of|in|with|for|from)\b", 0.2, "The score is that of a task."),
    "likelier, alike": (
        r"\blikel(?:ier|iest)\b|\b(?:alike|likewise|anew)\b|\bin place of\b",
        0.1,
        "Rows are drawn anew.",
    ),
    "leave out": (r"\b(?:leaves?|left|leaving)\b[^.]{0,25}\bout\b", 0.1, "Ties are left out."),
    "where": (r"\b[Ww]here\b", 2.0, "Empty where none is known."),
    "semicolon": (r";", 2.0, "It is 1; ideal 0."),
}


def _read_prose(path: Path) -> str:
    """Return a Markdown page without code, targets of links and rules of tables."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "X", text))
    return re.sub(r"^\|[-: |]+$", "", text, flags=re.MULTILINE)


def _read_strings(path: Path) -> Iterator[str]:
    """Yield the strings of more than four words, except docstrings of modules, classes and functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and len(node.value.split()) > 4
        ):
            yield node.value


@cache
def _read_texts() -> dict[str, str]:
    """Return all that is counted, by what it is."""
    # The page of replications is generated from tables of numbers.
    docs = [
        ROOT / "README.md",
        *(p for p in sorted((ROOT / "docs").glob("*.md")) if p.name != "replication.md"),
    ]
    modules = sorted(SOURCES.rglob("*.py"))
    records = [p for p in modules if p.name in ("record.py", "record_parts.py")]
    return {
        "docs": "\n".join(map(_read_prose, docs)),
        "pages": "\n".join(map(_read_prose, sorted(SOURCES.rglob("page.md")))),
        "records": "\n".join(text for p in records for text in _read_strings(p)),
        "strings": "\n".join(text for p in modules if p not in records for text in _read_strings(p)),
    }


def _count_tics(pattern: str, text: str) -> float:
    """Return how often a pattern occurs per 1,000 words."""
    return 1000 * len(re.findall(pattern, text)) / len(re.findall(r"[A-Za-z][A-Za-z'-]*", text))


@pytest.mark.parametrize("kind", ["docs", "pages", "records", "strings"])
@pytest.mark.parametrize("tic", TICS)
def test_no_tic_is_above_its_budget(kind: str, tic: str) -> None:
    pattern, budget, _ = TICS[tic]
    text = _read_texts()[kind]
    found = [text[max(m.start() - 40, 0) : m.end() + 40] for m in re.finditer(pattern, text)]
    assert _count_tics(pattern, text) <= budget, found


@pytest.mark.parametrize("tic", TICS)
def test_tics_are_counted_in_prose_and_strings_but_not_in_code(tic: str, tmp_path: Path) -> None:
    pattern, _, sentence = TICS[tic]
    module, page = tmp_path / "a.py", tmp_path / "a.md"
    module.write_text(f'"""{sentence}"""\n\nTEXT = "{sentence} It is said once."\n', encoding="utf-8")
    page.write_text(f"{sentence}\n`{sentence}`\n```text\n{sentence}\n```\n", encoding="utf-8")
    for text in ("\n".join(_read_strings(module)), _read_prose(page)):
        assert len(re.findall(pattern, text)) == 1
