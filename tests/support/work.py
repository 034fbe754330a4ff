"""How much Python code a call executes: a measure of its cost that no other process can change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["steps"]


def steps(call: Callable[[], object]) -> int:
    """The bytecode instructions of Python that a call executes, of all modules; loops within C do not count."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    call()  # what is imported or cached at the first call is no part of the cost
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
