"""The folder of uploads: gone with its process, also with a killed one, and bounded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx

from evaluate_bias.ui import guard
from evaluate_bias.ui.guard import upload_folder, used_bytes
from tests.ui.conftest import PATIENCE

UPLOADER = """
import sys
from evaluate_bias.ui.guard import upload_folder

folder = upload_folder()
(folder / "mine.vec").write_text("secret")
print(folder, flush=True)
sys.stdin.readline()
"""


def uploader(home: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process with an upload, which ends by itself at the end of its input."""
    process = subprocess.Popen(
        [sys.executable, "-c", UPLOADER],
        env={**os.environ, "GRADIO_TEMP_DIR": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_goes_with_its_process_and_a_killed_one_s_with_the_next(tmp_path):
    foreign = tmp_path / "evaluate-bias-uploads-of-somebody"
    foreign.mkdir()
    killed, left = uploader(tmp_path)
    alive, kept = uploader(tmp_path)
    assert left.parent == kept.parent == tmp_path
    killed.kill()
    killed.communicate()
    assert (left / "mine.vec").exists()
    last, own = uploader(tmp_path)
    assert not left.exists()
    assert (kept / "mine.vec").read_text() == "secret"
    for process in (alive, last):
        process.communicate("\n")
        assert process.returncode == 0
    assert not kept.exists()
    assert not own.exists()
    assert [*tmp_path.iterdir()] == [foreign]


def test_a_link_in_place_of_a_folder_is_not_followed(tmp_path):
    (tmp_path / "precious").mkdir()
    for name in ("file", "in-use.lock"):
        (tmp_path / "precious" / name).touch()
    (tmp_path / "evaluate-bias-uploads-ab12").symlink_to(tmp_path / "precious")
    process, _ = uploader(tmp_path)
    process.communicate("\n")
    assert (tmp_path / "precious" / "file").exists()


def test_all_uploads_together_are_bounded(address, monkeypatch):
    def upload(content):
        files = {"files": ("mine.vec", content)}
        return httpx.post(f"{address}/gradio_api/upload", files=files, timeout=PATIENCE)

    before = used_bytes(upload_folder())
    monkeypatch.setattr(guard, "MAX_UPLOADS_BYTES", before + 3 * 2**16)
    assert upload(b"a").status_code == 200
    assert used_bytes(upload_folder()) == before + 2**16  # one file, though small, and no copy of it
    assert upload(b"b" * 2**17).status_code == 507
    assert upload(b"c").status_code == 200
    assert upload(b"d").status_code == 200
    refused = upload(b"e")
    assert refused.status_code == 507
    assert "no room for another file now" in refused.text
    monkeypatch.setattr(guard, "MAX_UPLOADS_BYTES", before + 2**20)
    assert upload(b"e").status_code == 200


def test_a_folder_that_is_deleted_while_uploads_are_counted_has_no_bytes(tmp_path, monkeypatch):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        (folder / "file").write_bytes(bytes(100_000))
    scandir = os.scandir

    def deleting(path):  # the other folder, when the first is listed
        others = {str(folder) for folder in folders} - {str(path)}
        for other in others if len(others) == 1 else ():
            shutil.rmtree(other, ignore_errors=True)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", deleting)
    assert used_bytes(tmp_path) == 100_000
