"""Gradio's own client as tests use it: on a machine that others use, and one question after another."""

from __future__ import annotations

import time
from typing import Any

from gradio_client import Client

from tests.ui.conftest import PATIENCE


class Caller(Client):
    """A client that waits as long as a request may take; gradio's own gives up after 5 seconds.

    It also asks nothing before it has seen that the stream of the answer before is closed: asked in between, gradio's
    own waits for the next answer on that stream, and is told that its question was cancelled.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address, verbose=False, httpx_kwargs={"timeout": PATIENCE})

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        """The answer to one question."""
        try:
            return super().predict(*args, **kwargs)
        finally:
            end = time.monotonic() + PATIENCE
            while self.stream_open and time.monotonic() < end:
                time.sleep(0.01)
