"""Names in ``src`` say what they hold: a noun for a thing, a verb for an action.

A participle or a preposition is a fine adjective (``skipped_words``) and no name by itself: ``found`` may be p-values,
rows or a match, and a reader has to look it up each time. What is allowed stands in ``ALLOWED``, with the reason, and
an entry that is no longer needed fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import evaluate_bias
from tests.support.syntax import syntax_tree

ROOT = Path(evaluate_bias.__file__).parent

VALUES = {
    *(
        "apart",
        "arrived",
        "asked",
        "drawn",
        "found",
        "given",
        "gone",
        "kept",
        "left",
        "lent",
        "named",
        "own",
        "read",
    ),
    *("said", "shown", "some", "taken", "there", "told", "wanted"),
}
"""No name of a variable, parameter or field."""

FUNCTIONS = VALUES - {"read"} | {
    "meant",
    "near",
    "of_such",
    "run_asked",
    "take_back",
    "take_in",
    "told_apart",
}
"""No name of a function, with or without an underscore before it; ``read`` is a verb."""

CLASSES = {"Answered", "Asked", "Draft", "Found", "Keeping", "Tested", "Work"}
"""No name of a class, with or without an underscore before it."""

ALLOWED = {
    ("result.py", "asked"): "a field of results that are on disk",
    ("result.py", "found"): "a field of results that are on disk",
    ("methods/pairs/stereoset/scoring.py", "read"): "a field that holds a function, and the verb for it",
}
"""Names that stay, by file, with the reason."""


def names(tree: ast.AST) -> Iterator[tuple[str, int, set[str]]]:
    """Every name that the code gives, its line, and the names that are banned of its kind."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store(), lineno=line) | ast.arg(arg=name, lineno=line):
                yield name, line, VALUES
            case ast.Attribute(attr=name, ctx=ast.Store(), lineno=line):
                yield name, line, VALUES
            case ast.ExceptHandler(name=str(name), lineno=line):
                yield name, line, VALUES
            case ast.FunctionDef(name=name, lineno=line) | ast.AsyncFunctionDef(name=name, lineno=line):
                yield name.lstrip("_"), line, FUNCTIONS
            case ast.ClassDef(name=name, lineno=line):
                yield name.lstrip("_"), line, CLASSES


def faults(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Banned names and their lines; ``left`` is the side where the same file has a ``right``."""
    every = list(names(tree))
    has_right = any(name == "right" for name, _, _ in every)
    for name, line, banned in every:
        if name in banned and not (name == "left" and has_right):
            yield name, line


def test_names_say_what_they_hold() -> None:
    wrong, needed = [], set()
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for name, line in faults(syntax_tree(path)):
            if (file, name) in ALLOWED:
                needed.add((file, name))
            else:
                wrong.append(f"src/evaluate_bias/{file}:{line}: {name}")
    assert not wrong, "names that do not say what they hold:\n" + "\n".join(wrong)
    assert needed == ALLOWED.keys()


def test_banned_names_are_seen() -> None:
    code = """
class _Draft:
    own: int
    def told(self, said, left): self.kept = [there for there in said]
def _of_such(*, read=0): return (shown := read)
async def f(): return lambda given: given
skipped_words = read_words = 1
"""
    seen = {name for name, _ in faults(ast.parse(code))}
    assert seen == {
        *("Draft", "own", "told", "said", "left", "kept", "there", "of_such", "read", "shown", "given"),
    }
    assert not list(faults(ast.parse("left, right = 1, 2")))
