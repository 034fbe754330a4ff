"""The loopback Hub behaves like the Hub towards the real client libraries."""

from __future__ import annotations

import concurrent.futures
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import (
    EntryNotFoundError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from tests.support.hub_client import use_hub
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

pytestmark = [
    pytest.mark.filterwarnings("ignore:It seems that you are about to commit a data file"),
    pytest.mark.filterwarnings("ignore:Use 'content=<...>' to upload raw bytes:DeprecationWarning"),
]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    with LoopbackHub() as server:
        use_hub(server, monkeypatch)
        yield server


@pytest.fixture
def api(hub: LoopbackHub) -> HfApi:
    return HfApi(endpoint=hub.url, token=hub.token)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "upload"
    (root / "data" / "deep").mkdir(parents=True)
    (root / "README.md").write_text("---\nlicense: mit\n---\n# Card\n", encoding="utf-8")
    (root / "data" / "words.jsonl").write_text('{"w": "Straße"}\n', encoding="utf-8")
    (root / "data" / "deep" / "empty.parquet").write_bytes(b"")
    pq.write_table(pa.table({"w": ["a", "b"]}), root / "data" / "words.parquet")
    (root / "vectors.safetensors").write_bytes(bytes(range(256)) * 4000)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and ".cache" not in p.parts
    }


@pytest.mark.parametrize("kind", ["model", "dataset", "space"])
def test_upload_and_download_a_folder(
    hub: LoopbackHub, api: HfApi, folder: Path, tmp_path: Path, kind: str
) -> None:
    url = api.create_repo("bias/thing", repo_type=kind, space_sdk="gradio" if kind == "space" else None)
    assert str(url) == hub.web_url(kind, "bias/thing")
    done = api.upload_folder(
        repo_id="bias/thing", repo_type=kind, folder_path=folder, commit_message="All of it"
    )
    repo = hub.repos[kind, "bias/thing"]
    assert repo.at().oid == done.oid
    assert [c.title for c in repo.history()] == ["All of it", "initial commit"]
    assert {p for p, blob in repo.at().files.items() if blob.lfs} == {
        "data/words.parquet",
        "vectors.safetensors",
    }

    where = api.snapshot_download("bias/thing", repo_type=kind, local_dir=tmp_path / "down")
    got = contents(Path(where))
    assert got.pop(".gitattributes")
    assert got == contents(folder)

    one = api.hf_hub_download("bias/thing", "data/words.jsonl", repo_type=kind, cache_dir=tmp_path / "cache")
    assert Path(one).read_text(encoding="utf-8") == '{"w": "Straße"}\n'
    assert Path(one).parts[-3] == done.oid
    assert api.file_exists("bias/thing", "data/words.parquet", repo_type=kind)
    assert not api.file_exists("bias/thing", "data/other.parquet", repo_type=kind)


def test_an_unchanged_upload_makes_no_commit_and_sends_no_content(
    hub: LoopbackHub, api: HfApi, folder: Path
) -> None:
    api.create_repo("bias/thing")
    first = api.upload_folder(repo_id="bias/thing", folder_path=folder)
    hub.requests.clear()
    assert api.upload_folder(repo_id="bias/thing", folder_path=folder).oid == first.oid
    assert hub.seen("", "PUT") == []
    assert hub.seen("/commit/", "POST") == []
    assert len(hub.repos["model", "bias/thing"].history()) == 2


def test_listings(hub: LoopbackHub, api: HfApi, folder: Path) -> None:
    repo = hub.add_repo("dataset", "bias/d", folder)
    paths = api.list_repo_files("bias/d", repo_type="dataset")
    assert set(paths) == {*contents(folder), ".gitattributes"}
    top = list(api.list_repo_tree("bias/d", repo_type="dataset"))
    assert {e.path for e in top} == {".gitattributes", "README.md", "data", "vectors.safetensors"}
    below = list(api.list_repo_tree("bias/d", "data", repo_type="dataset", recursive=True, expand=True))
    assert {e.path for e in below} == {
        "data/deep",
        "data/deep/empty.parquet",
        "data/words.jsonl",
        "data/words.parquet",
    }
    (parquet,) = (e for e in below if e.path == "data/words.parquet")
    assert parquet.lfs.sha256 == repo.at().files["data/words.parquet"].sha256
    assert parquet.last_commit.title == "Add files"
    with pytest.raises(EntryNotFoundError):
        list(api.list_repo_tree("bias/d", "nowhere", repo_type="dataset"))
    info = api.dataset_info("bias/d", files_metadata=True)
    assert info.sha == repo.at().oid
    assert {s.rfilename: s.size for s in info.siblings}["vectors.safetensors"] == 1024000
    assert [
        i.path for i in api.get_paths_info("bias/d", ["README.md", "data", "no"], repo_type="dataset")
    ] == [
        "README.md",
        "data",
    ]
    assert [d.id for d in api.list_datasets(author="bias")] == ["bias/d"]
    assert list(api.list_models(author="bias")) == []


def test_revisions_branches_tags_and_history(hub: LoopbackHub, api: HfApi, tmp_path: Path) -> None:
    repo = hub.add_repo("model", "bias/m", {"a.txt": "one"})
    old = repo.at().oid
    api.create_tag("bias/m", tag="v1")
    api.create_branch("bias/m", branch="next/try")
    new = api.upload_file(path_or_fileobj=b"two", path_in_repo="a.txt", repo_id="bias/m", revision="next/try")

    def read(revision: str | None) -> str:
        return Path(api.hf_hub_download("bias/m", "a.txt", revision=revision, cache_dir=tmp_path)).read_text()

    assert [read("main"), read("v1"), read("next/try"), read(new.oid)] == ["one", "one", "two", "two"]
    refs = api.list_repo_refs("bias/m")
    assert {b.name: b.target_commit for b in refs.branches} == {"main": old, "next/try": new.oid}
    assert {t.name: t.target_commit for t in refs.tags} == {"v1": old}
    assert [c.commit_id for c in api.list_repo_commits("bias/m", revision="next/try")][:2] == [new.oid, old]
    with pytest.raises(RevisionNotFoundError):
        api.hf_hub_download("bias/m", "a.txt", revision="v9", cache_dir=tmp_path)
    with pytest.raises(HfHubHTTPError, match="409"):
        api.create_tag("bias/m", tag="v1")


def test_a_stale_parent_commit_is_refused(hub: LoopbackHub, api: HfApi) -> None:
    repo = hub.add_repo("model", "bias/m", {"README.md": "one"})
    seen = repo.at().oid
    api.upload_file(path_or_fileobj=b"two", path_in_repo="README.md", repo_id="bias/m", parent_commit=seen)
    with pytest.raises(HfHubHTTPError, match="412"):
        api.upload_file(
            path_or_fileobj=b"three", path_in_repo="README.md", repo_id="bias/m", parent_commit=seen
        )
    assert repo.files()["README.md"] == b"two"


def test_deletions(hub: LoopbackHub, api: HfApi) -> None:
    repo = hub.add_repo("model", "bias/m", {"a.txt": "1", "d/b.txt": "2", "d/e/c.txt": "3"})
    api.create_commit("bias/m", [CommitOperationDelete("d/", is_folder=True)], commit_message="Drop d")
    assert set(repo.files()) == {".gitattributes", "a.txt"}
    with pytest.raises(EntryNotFoundError, match="A file with this name doesn't exist"):
        api.delete_file("nothing.txt", "bias/m")


def test_pull_request_by_someone_without_rights(hub: LoopbackHub) -> None:
    repo = hub.add_repo("model", "bias/m", {"README.md": "one"})
    reader = HfApi(endpoint=hub.url, token=hub.reader_token)
    done = reader.create_commit(
        "bias/m",
        [CommitOperationAdd("README.md", b"two"), CommitOperationAdd("w.safetensors", b"weights")],
        commit_message="Add a bias section",
        commit_description="Because",
        create_pr=True,
    )
    assert done.pr_url == f"{hub.url}/bias/m/discussions/1"
    assert (done.pr_num, done.pr_revision) == (1, "refs/pr/1")
    assert repo.files()["README.md"] == b"one"
    assert repo.files("refs/pr/1") == {**repo.files(), "README.md": b"two", "w.safetensors": b"weights"}
    details = reader.get_discussion_details("bias/m", 1)
    assert (details.title, details.is_pull_request, details.status) == ("Add a bias section", True, "draft")
    assert details.events[0].content == "Because"
    assert [r.ref for r in reader.list_repo_refs("bias/m", include_pull_requests=True).pull_requests] == [
        "refs/pr/1"
    ]
    with pytest.raises(HfHubHTTPError, match="403"):
        reader.merge_pull_request("bias/m", 1)
    HfApi(endpoint=hub.url, token=hub.token).merge_pull_request("bias/m", 1)
    assert repo.files()["README.md"] == b"two"


def test_rights(hub: LoopbackHub, api: HfApi, tmp_path: Path) -> None:
    hub.add_repo("model", "bias/secret", {"a.txt": "1"}, private=True)
    hub.add_repo("model", "other/open", {"a.txt": "1"})
    reader = HfApi(endpoint=hub.url, token=hub.reader_token)
    stranger = HfApi(endpoint=hub.url, token=False)
    assert [org["name"] for org in api.whoami()["orgs"]] == ["bias"]
    assert reader.whoami()["orgs"] == []
    with pytest.raises(HfHubHTTPError, match="Invalid user token"):
        HfApi(endpoint=hub.url, token="wrong").whoami()
    with pytest.raises(HfHubHTTPError, match="403"):
        reader.create_repo("bias/new")
    with pytest.raises(HfHubHTTPError, match="403"):
        reader.upload_file(path_or_fileobj=b"x", path_in_repo="a.txt", repo_id="other/open")
    for client in (reader, stranger):
        assert Path(client.hf_hub_download("other/open", "a.txt", cache_dir=tmp_path)).read_text() == "1"
        for missing in ("bias/secret", "bias/nothing"):
            with pytest.raises(RepositoryNotFoundError):
                client.model_info(missing)
    assert api.model_info("bias/secret").private
    with pytest.raises(RepositoryNotFoundError):
        api.dataset_info("bias/secret")
    assert hub.repos["model", "other/open"].files()["a.txt"] == b"1"


def test_create_twice(hub: LoopbackHub, api: HfApi) -> None:
    api.create_repo("bias/m", private=True)
    with pytest.raises(HfHubHTTPError, match="409"):
        api.create_repo("bias/m")
    assert api.create_repo("bias/m", exist_ok=True) == f"{hub.url}/bias/m"
    assert hub.repos["model", "bias/m"].private
    api.delete_repo("bias/m")
    assert not api.repo_exists("bias/m")


def test_ranges_and_headers(hub: LoopbackHub) -> None:
    repo = hub.add_repo("model", "bias/m", {"v.bin": bytes(range(100))})
    url = f"{hub.url}/bias/m/resolve/main/v.bin"

    def get(wanted: str) -> httpx2.Response:
        return httpx2.get(url, headers={"Range": wanted}, trust_env=False)

    assert (get("bytes=10-19").status_code, get("bytes=10-19").content) == (206, bytes(range(10, 20)))
    assert get("bytes=90-").content == bytes(range(90, 100))
    assert get("bytes=-5").content == bytes(range(95, 100))
    assert get("bytes=90-500").headers["Content-Range"] == "bytes 90-99/100"
    assert get("bytes=100-").status_code == 416
    head = httpx2.head(url, trust_env=False)
    assert head.headers["Content-Length"] == "100"
    assert head.headers["X-Repo-Commit"] == repo.at().oid
    assert head.headers["ETag"] == f'"{repo.at().files["v.bin"].sha256}"'


def test_faults(hub: LoopbackHub, api: HfApi, tmp_path: Path) -> None:
    hub.add_repo("model", "bias/m", {"a.txt": "0123456789" * 1000})
    hub.fault(r"/a\.txt$", status=403)
    with pytest.raises(LocalEntryNotFoundError):
        api.hf_hub_download("bias/m", "a.txt", cache_dir=tmp_path)
    hub.clear_faults()

    hub.fault(r"/a\.txt$", status=500, times=1)  # the client asks again
    hub.fault(r"/a\.txt$", method="GET", truncate=True, times=1)  # and notices that this is not all
    path = api.hf_hub_download("bias/m", "a.txt", cache_dir=tmp_path)
    assert Path(path).read_text() == "0123456789" * 1000
    assert [r.status for r in hub.seen("a.txt")] == [403, 500, 200, 200, 200]

    hub.fault("/api/models/bias/m$", drop=True)
    with pytest.raises(httpx2.RemoteProtocolError):
        api.model_info("bias/m")
    assert hub.requests[-1].status == 0
    hub.clear_faults()
    assert api.model_info("bias/m").id == "bias/m"

    hub.fault("/api/models/bias/m$", delay=600.0)
    with pytest.raises(httpx2.ReadTimeout):
        api.model_info("bias/m", timeout=0.2)


def test_many_clients_at_once(hub: LoopbackHub, tmp_path: Path) -> None:
    repo = hub.add_repo("dataset", "bias/d")

    def work(number: int) -> None:
        client = HfApi(endpoint=hub.url, token=hub.token)
        client.upload_file(
            path_or_fileobj=f"content {number}".encode() * 2000,
            path_in_repo=f"part-{number}.parquet",
            repo_id="bias/d",
            repo_type="dataset",
        )

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))
    assert {p: d for p, d in repo.files().items() if p.endswith("parquet")} == {
        f"part-{n}.parquet": f"content {n}".encode() * 2000 for n in range(16)
    }
    assert len(repo.history()) == 17


def test_environment_of_served_processes(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_TOKEN", "mine")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    env = hub.env()
    assert env["HF_TOKEN"] == hub.token
    assert "HF_HUB_OFFLINE" not in env
    assert "https_proxy" not in env
    assert env["PATH"] == os.environ["PATH"]
    assert Path(env["HF_HOME"]).is_dir()
    assert not any(Path(env["HF_HOME"]).iterdir())
    assert hub.env(tmp_path)["HF_HOME"] == str(tmp_path)
    assert hub.env()["HF_HOME"] != env["HF_HOME"]

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": hub.url, "https": hub.url}))
    for address in ("http://example.org/x", "https://example.com/y"):
        with pytest.raises(OSError, match="403"):
            opener.open(address, timeout=300)
    assert hub.outside == ["example.org", "example.com:443"]


@pytest.mark.slow
def test_load_dataset_in_a_fresh_process(hub: LoopbackHub, tmp_path: Path) -> None:
    pq.write_table(pa.table({"w": ["x", "y"], "n": [1.5, 2.5]}), tmp_path / "t.parquet")
    card = """\
---
license: cc-by-4.0
configs:
- config_name: en
  data_files:
  - split: test
    path: en/test.parquet
- config_name: de
  data_files:
  - split: test
    path: de/*.parquet
---
# Two languages
"""
    hub.add_repo(
        "dataset",
        "bias/lists",
        {
            "README.md": card,
            "en/test.parquet": (tmp_path / "t.parquet").read_bytes(),
            "de/test.parquet": (tmp_path / "t.parquet").read_bytes(),
        },
    )
    hub.add_repo("dataset", "bias/rows", {"test.jsonl": '{"w": ["Bär"]}\n{"w": ["Käse", "Öl"]}\n'})
    code = """
    from datasets import get_dataset_config_names, load_dataset
    from datasets.exceptions import DatasetNotFoundError
    answers = {
        "configs": get_dataset_config_names("bias/lists"),
        "en": load_dataset("bias/lists", "en", split="test")[:],
        "de": load_dataset("bias/lists", "de", split="test")[:],
        "rows": load_dataset("bias/rows", split="test")[:],
    }
    try:
        load_dataset("bias/absent", "en")
    except DatasetNotFoundError as error:
        answers["absent"] = str(error)
    answer(answers)
    """
    answers = run_python(code, hub.env(), tmp_path)
    assert answers["configs"] == ["en", "de"]
    assert answers["en"] == answers["de"] == {"w": ["x", "y"], "n": [1.5, 2.5]}
    assert answers["rows"] == {"w": [["Bär"], ["Käse", "Öl"]]}
    assert "bias/absent" in answers["absent"]
    assert hub.outside == []
