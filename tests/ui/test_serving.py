"""The running page over HTTP on 127.0.0.1: many visitors at once, and visitors with bad intentions."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from gradio.utils import get_upload_folder

from evaluate_bias.errors import InputError
from evaluate_bias.ui import explorer_page, launch, module_page
from evaluate_bias.ui.guard import MAX_BODY_BYTES, MAX_UPLOAD_BYTES, MAX_VECTOR_BYTES
from evaluate_bias.ui.word_lists import lists_as_text
from tests.support.refusals import refused
from tests.ui.conftest import PATIENCE

SPACE = Path(__file__).parents[2] / "spaces" / "bias_explorer"


def call(address: str, name: str, data: list[Any], session: str = "") -> tuple[str, Any]:
    """Send one request as gradio's own clients do; return the event and its content."""
    named = {"session_hash": session} if session else {}
    # A server hangs up on a connection that is kept for 5 seconds, also at the moment when it is used again.
    no_kept = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=f"{address}/gradio_api/call", timeout=PATIENCE, limits=no_kept) as client:
        joined = client.post(f"/{name}", json={"data": data, **named})
        joined.raise_for_status()
        answer = client.get(f"/{name}/{joined.json()['event_id']}")
    event, content = re.findall(r"event: (\w+)\ndata: (.*)", answer.text)[-1]
    return event, json.loads(content)


def words_request(x: list[str], model: Any = "glove-6b-50d", upload: Any = None) -> list[Any]:
    _, y, a, b = lists_as_text("en", "weat7")
    return [model, upload, "en", "weat7", ", ".join(x), y, a, b, False, ""]


@pytest.mark.parametrize("model", ["../../etc/passwd", "<img src=x onerror=alert(1)>/x", ["a"], {"a": 1}, 7])
def test_no_path_or_address_is_taken_for_a_model(address, model):
    event, content = call(address, "measure_words", words_request(["math", "algebra"], model))
    assert event == "error"
    assert "<" not in str((content or {}).get("error"))


def test_a_file_of_the_machine_is_not_read(address, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("rose 0.1 0.2\n", encoding="utf-8")
    for path in (str(secret), "/etc/passwd"):
        file = {"path": path, "meta": {"_type": "gradio.FileData"}}
        event, content = call(address, "measure_words", words_request(["math"], upload=file))
        assert event == "error"
        assert "rose" not in str(content)


@pytest.mark.parametrize("path", ["/etc/passwd", str(Path.cwd() / "README.md"), "README.md", "../README.md"])
def test_no_file_of_the_machine_is_served(address, path):
    assert httpx.get(f"{address}/gradio_api/file={path}", timeout=PATIENCE).status_code in (403, 404)


def test_requests_and_uploads_have_limits(address):
    big = httpx.post(
        f"{address}/gradio_api/call/measure_words", content=b"x" * (MAX_BODY_BYTES + 1), timeout=PATIENCE
    )
    assert big.status_code == 413

    def unannounced():
        yield from (b"x" * 2**20 for _ in range(6))

    streamed = httpx.post(f"{address}/gradio_api/call/measure_words", content=unannounced(), timeout=PATIENCE)
    assert streamed.status_code in (400, 413)
    file = httpx.post(
        f"{address}/gradio_api/upload",
        files={"files": ("v.txt", b"x" * (MAX_VECTOR_BYTES + 2**20))},
        timeout=PATIENCE,
    )
    assert file.status_code == 413


@pytest.mark.parametrize("path", ["call/upload", "run/upload", "call/v2/upload", "x/upload"])
def test_only_uploads_may_be_as_long_as_uploads(address, path):
    long = httpx.post(f"{address}/gradio_api/{path}", content=b"x" * (MAX_BODY_BYTES + 1), timeout=PATIENCE)
    assert long.status_code == 413


@pytest.mark.parametrize("length", [2_000, MAX_UPLOAD_BYTES + 2**20], ids=["broken off", "endless"])
def test_an_upload_that_does_not_end_leaves_nothing(address, length):
    """Bytes that nobody announced; the connection is closed before their end."""

    def parts():
        return {p for p in Path(get_upload_folder()).glob("tmp*") if p.is_file()}

    def wait(done):
        end = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < end:
            time.sleep(0.05)

    before = parts()
    url = httpx.URL(address)
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="half.vec"\r\n\r\n'
    request = f"POST /gradio_api/upload HTTP/1.1\r\nHost: {url.host}\r\nTransfer-Encoding: chunked\r\n"
    with socket.create_connection((str(url.host), url.port)) as visitor:
        visitor.sendall(f"{request}Content-Type: multipart/form-data; boundary=x\r\n\r\n".encode())
        with contextlib.suppress(OSError):  # the server may hang up first
            for chunk in (head, *[bytes(min(length, 2**20))] * max(1, length // 2**20)):
                visitor.sendall(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        if length < MAX_UPLOAD_BYTES:
            wait(lambda: bool(parts() - before))
            assert parts() - before
    wait(lambda: not parts() - before)
    assert not parts() - before


def test_nothing_goes_round_the_queue_or_onto_the_disk(address):
    data = {"data": words_request(["math", "algebra"]), "session_hash": "mine"}
    for path in ("run", "api"):
        assert (
            httpx.post(f"{address}/gradio_api/{path}/measure_words", json=data, timeout=PATIENCE).status_code
            == 404
        )
    for path in ("deep_link", "deep_link/", "runs", "run-history/buckets"):
        answer = httpx.get(f"{address}/gradio_api/{path}", params={"session_hash": "mine"}, timeout=PATIENCE)
        assert answer.status_code == 404


def test_every_page_forbids_the_browser_to_load_from_elsewhere(address):
    headers = httpx.get(address, timeout=PATIENCE).headers
    assert headers["content-security-policy"].startswith("default-src 'self'")
    assert headers["x-content-type-options"] == "nosniff"


def test_every_component_has_a_name_and_every_field_a_label():
    page = explorer_page()
    for block in page.blocks.values():
        kind = block.get_block_name()
        if kind in ("row", "column", "form", "tabs", "state", "group"):
            continue
        assert block.elem_id, kind
        if kind in ("textbox", "dropdown", "radio", "file", "code"):
            assert getattr(block, "label", None), block.elem_id
    ids = [b.elem_id for b in page.blocks.values() if b.elem_id]
    assert len(set(ids)) == len(ids)


def test_the_space_s_card_fits_the_hub():
    front = yaml.safe_load((SPACE / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert front["sdk"] == "gradio"
    assert front["sdk_version"] == metadata.version("gradio")
    assert (SPACE / front["app_file"]).is_file()
    assert len(front["short_description"]) <= 60
    needed, module = (
        Path(path).read_text(encoding="utf-8").partition("]")
        for path in (SPACE / "requirements.txt", SPACE.parents[1] / "metrics" / "weat" / "requirements.txt")
    )
    assert needed[0].startswith("evaluate-bias[")
    assert needed[2] == module[2]  # the same versions


def test_a_proxy_that_stands_between_is_named(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with socket.socket() as nobody:  # bound, and listening to no one
        nobody.bind(("127.0.0.1", 0))
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{nobody.getsockname()[1]}")
        page = module_page("weat")
        try:
            refused(InputError, "set NO_PROXY=127.0.0.1", launch, page, prevent_thread_lock=True, quiet=True)
        finally:
            page.close()


@pytest.mark.slow
def test_the_space_starts_and_prints_where(tmp_path):
    server = subprocess.Popen(
        [sys.executable, str(SPACE / "app.py")],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        printed = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stdout)
        address = next(found[0] for found in printed if found)
        assert "Bias explorer" in httpx.get(address, timeout=PATIENCE).text
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)
