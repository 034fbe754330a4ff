"""Chat templates of models that strangers name: programs, rendered in a process of their own within limits."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from ..errors import ModelError

_START_SECONDS = 120.0
"""Until the process has imported what it needs, on a machine that is busy."""


class LimitedRenderer:
    """Renders turns as :func:`~.chat_template.render_here` does, within limits of time, length and memory.

    Args:
        seconds: most seconds of one text.
        characters: most characters of one text.
        memory: most bytes of the process, if the system can limit them.
    """

    def __init__(self, seconds: float = 5.0, characters: int = 200_000, memory: int = 4 << 30) -> None:
        self._seconds, self._characters, self._memory = seconds, characters, memory
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._problem = ""

    def __call__(self, tokenizer: Any, turns: list[dict[str, str]], switches: Mapping[str, Any]) -> str:
        """Render turns as text, up to the model's next turn.

        Raises:
            ModelError: the template fails, or exceeds a limit. After that it is not tried again.
        """
        special_tokens = {name: str(token) for name, token in tokenizer.special_tokens_map.items()}
        turns_and_template = {"conversations": [turns], "chat_template": tokenizer.get_chat_template()}
        with self._lock:
            answer = self._answer(json.dumps({**turns_and_template, **special_tokens, **switches}))
        if "text" not in answer:
            raise ModelError(f"{answer['problem']}", hint="choose another model")
        return answer["text"]

    def _answer(self, line: str) -> dict[str, str]:
        if self._problem:
            return {"problem": self._problem}
        if self._process is None:
            limits = [str(self._characters), str(self._memory)]
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, *limits],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
            )  # fmt: skip
            self._read(self._process, _START_SECONDS)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, which reading finds
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        return self._read(self._process, self._seconds)

    def _read(self, process: subprocess.Popen[str], seconds: float) -> dict[str, str]:
        assert process.stdout is not None
        with ThreadPoolExecutor(1) as reader:
            line = reader.submit(process.stdout.readline)
            if not wait([line], seconds).done:
                process.kill()
            text = line.result()
        if not text:
            self._problem = f"it takes more than {seconds:g} s or too much memory"
        return json.loads(text) if text else {"problem": self._problem}

    def __del__(self) -> None:
        if self._process is not None:
            self._process.kill()


def _serve(characters: int, memory: int) -> None:
    """Render each line of the standard input."""
    from transformers.utils.chat_template_utils import render_jinja_template

    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    print("{}", flush=True)
    for line in sys.stdin:
        try:
            text = render_jinja_template(**json.loads(line), add_generation_prompt=True)[0][0]
            answer = {"text": text}
            if len(text) > characters:
                answer = {"problem": f"it writes more than {characters:,} characters"}
        except MemoryError:
            answer = {"problem": "it needs too much memory"}
        except Exception as error:  # a template is a program, which can fail in any way
            answer = {"problem": (str(error) or type(error).__name__)[:500]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve(*map(int, sys.argv[1:]))
