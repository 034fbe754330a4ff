"""The code of the library as trees."""

from __future__ import annotations

import ast
import gc
from pathlib import Path


def syntax_tree(path: Path) -> ast.Module:
    """What Python reads in a file of code.

    Garbage waits meanwhile: Python 3.11 can end in a SystemError (AST constructor recursion depth mismatch) if a
    finaliser parses too, as the traceback of an error in one does.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if was_enabled:
            gc.enable()
