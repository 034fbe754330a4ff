"""Tics of translated English per 1,000 words of docs, method pages, records, strings, errors and docstrings."""

from __future__ import annotations

import ast
import io
import re
import tokenize
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


def _texts_of(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the strings below a node of the syntax tree."""
    return (n for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def _find_docstrings(tree: ast.AST) -> list[ast.Constant]:
    """Return the docstrings of modules, classes, functions and attributes."""
    return [
        statement.value
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    ]


def _read_strings(path: Path) -> Iterator[str]:
    """Yield the strings of more than four words, except docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node) for node in _find_docstrings(tree)}
    for node in _texts_of(tree):
        if id(node) not in docstrings and len(node.value.split()) > 4:
            yield node.value


def _read_errors(path: Path) -> Iterator[str]:
    """Yield the text of every error that a module raises, without what is filled in."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise):
            yield " ".join(text.value for text in _texts_of(node))


def _read_docstrings(path: Path) -> Iterator[str]:
    """Yield docstrings and comments, without code and examples."""
    source = path.read_text(encoding="utf-8")
    texts = [node.value for node in _find_docstrings(ast.parse(source))]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts += [token.string for token in tokens if token.type == tokenize.COMMENT]
    for text in texts:
        text = re.sub(r"^ *>>>.*(?:\n *\S.*)*", "", text, flags=re.MULTILINE)
        yield re.sub(r"``[^`]*``|`[^`]*`", "X", text)


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
        "errors": "\n".join(text for p in modules for text in _read_errors(p)),
        "docstrings": "\n".join(text for p in modules for text in _read_docstrings(p)),
    }


def _count_tics(pattern: str, text: str) -> float:
    """Return how often a pattern occurs per 1,000 words."""
    return 1000 * len(re.findall(pattern, text)) / len(re.findall(r"[A-Za-z][A-Za-z'-]*", text))


@pytest.mark.parametrize("kind", ["docs", "pages", "records", "strings", "errors", "docstrings"])
@pytest.mark.parametrize("tic", TICS)
def test_no_tic_is_above_its_budget(kind: str, tic: str) -> None:
    pattern, budget, _ = TICS[tic]
    text = _read_texts()[kind]
    found = [text[max(m.start() - 40, 0) : m.end() + 40] for m in re.finditer(pattern, text)]
    assert _count_tics(pattern, text) <= budget, found


@pytest.mark.parametrize("tic", TICS)
def test_tics_are_counted_in_prose_and_strings_but_not_in_code(tic: str, tmp_path: Path) -> None:
    pattern, _, sentence = TICS[tic]
    module, page, words = tmp_path / "a.py", tmp_path / "a.md", f"{sentence} It is said once."
    code = f'"""{sentence}\n\n>>> 1\n{sentence}\n"""\n\nif TEXT := "{words}":\n    raise ValueError(TEXT)\n'
    module.write_text(code, encoding="utf-8")
    page.write_text(f"{sentence}\n`{sentence}`\n```text\n{sentence}\n```\n", encoding="utf-8")
    for text in ("\n".join(_read_strings(module)), "\n".join(_read_docstrings(module)), _read_prose(page)):
        assert len(re.findall(pattern, text)) == 1
    module.write_text(f'raise ValueError(f"{words} {{1}}")  # {sentence}\n', encoding="utf-8")
    for text in ("\n".join(_read_errors(module)), "\n".join(_read_docstrings(module))):
        assert len(re.findall(pattern, text)) == 1
