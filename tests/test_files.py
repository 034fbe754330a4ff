"""Files that people name: nothing hangs, nothing is half written, nothing is left behind."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from evaluate_bias.errors import BiasError, DataError, InputError, OutputError
from evaluate_bias.files import atomic_write, open_regular, read_text, require_regular_or_absent

READERS = (require_regular_or_absent, open_regular, read_text)


@pytest.fixture(params=["fifo", "folder", "socket", "link to a fifo"])
def special(request, tmp_path):
    path = tmp_path / "special"
    match request.param:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "socket":
            here = Path.cwd()
            os.chdir(tmp_path)  # the name of a socket has at most 107 bytes
            with socket.socket(socket.AF_UNIX) as made:
                made.bind("special")
            os.chdir(here)
        case _:
            os.mkfifo(tmp_path / "fifo")
            path.symlink_to("fifo")
    return path


def test_what_is_no_regular_file_is_refused_at_once_and_stays(special):
    before = special.lstat()
    for refuse in (*READERS, lambda p: atomic_write(p, "text")):
        with pytest.raises(InputError, match=r"special is a (named pipe|folder|socket), not a file"):
            refuse(special)
    assert os.path.samestat(special.lstat(), before)
    assert {p.name for p in special.parent.iterdir()} <= {"special", "fifo"}


def test_a_path_that_cannot_be_one():
    for bad in ("a\0b", "\ud800"):
        with pytest.raises(BiasError):
            atomic_write(bad, "text")


def test_a_text_is_written_as_it_is(tmp_path):
    path = tmp_path / "new" / "file.txt"
    assert atomic_write(path, "a\r\nb\nü") == path
    assert path.read_bytes() == "a\r\nb\nü".encode()
    assert read_text(path) == "a\r\nb\nü"
    atomic_write(path, b"\xff")
    with pytest.raises(DataError, match="not UTF-8 text \\(byte 0\\)"):
        read_text(path)
    with pytest.raises(OutputError, match="contains half a character, '.ud800'"):
        atomic_write(path, "half a character: \ud800")
    assert path.read_bytes() == b"\xff"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_what_the_umask_leaves_and_an_old_one_keeps_its_mode(tmp_path, mask, monkeypatch):
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("old")
    old.chmod(0o640)
    before = os.umask(mask)
    try:
        monkeypatch.setattr(os, "umask", lambda value: pytest.fail("the umask is the whole process's"))
        atomic_write(new, "x")
        atomic_write(old, "x")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    atomic_write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


KILLED = """
import os, sys, signal
from evaluate_bias import files
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
files.atomic_write(sys.argv[1], "half")
"""


def test_a_kill_leaves_the_old_file_and_the_next_write_clears_up(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / ".file.txt.mine").write_text("not ours")
    atomic_write(path, "new")
    assert {p.name for p in tmp_path.iterdir()} == {"file.txt", ".file.txt.mine"}


WRITES = """
import sys
from evaluate_bias.files import atomic_write, read_text
for i in range(60):
    atomic_write(sys.argv[1], sys.argv[2] * 5000)
    assert len(set(read_text(sys.argv[1]))) == 1
"""


def test_writers_of_one_file_do_not_take_one_another_for_leftovers(tmp_path):
    path = tmp_path / "file"
    running = [subprocess.Popen([sys.executable, "-c", WRITES, str(path), letter]) for letter in "abcd"]
    assert [process.wait() for process in running] == [0] * 4
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        atomic_write(Path(tmp_path, "file", "below"), "")
