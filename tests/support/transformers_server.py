"""``transformers serve`` on 127.0.0.1, in a process of its own, with a model of a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.processes import free_port

__all__ = ["saved_chat_model", "served_by_transformers"]

TEMPLATE = "{% for message in messages %}{{ message['content'] }} {% endfor %}"


def saved_chat_model(model: Any, tokenizer: Any, folder: Path) -> Path:
    """A model in a folder, with a chat template where its tokenizer has none."""
    tokenizer.chat_template = tokenizer.chat_template or TEMPLATE
    if (
        getattr(model.config, "quantization_config", None) is not None
    ):  # of a GGUF file, whose weights are plain here
        model.hf_quantizer = None
        del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@contextmanager
def served_by_transformers(folder: Path, timeout: float = 180.0) -> Iterator[str]:
    """Serve the model of a folder, offline; what :func:`evaluate_bias.load_model` takes is yielded."""
    port = free_port()
    log = folder.with_name(f"{folder.name}.log")
    with log.open("wb") as said:
        server = subprocess.Popen(
            [Path(sys.executable).with_name("transformers"), "serve", str(folder), "--port", str(port),
             "--host", "127.0.0.1", "--device", "cpu", "--dtype", "float32"],
            stdout=said, stderr=said, env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}/health", server, log, timeout)
            yield f"endpoint:http://127.0.0.1:{port}/v1#{folder}"
        finally:
            server.terminate()
            server.wait(30)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path, timeout: float) -> None:
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"it did not start: {log.read_text()}")
