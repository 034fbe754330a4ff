"""The endpoints of the loopback Hub: functions ``(hub, request, …) -> JSON-able object or Response``."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from tests.support.hub_store import Blob, Commit, Refused, Repo, is_large

if TYPE_CHECKING:
    from tests.support.loopback_hub import LoopbackHub

__all__ = ["ROUTES", "Request", "Response", "as_json"]

POINTER_SIZE = 130  # of the text file that stands in git for a large file


@dataclass
class Request:
    """A request as it came in, who sent it, and the status of the answer (0: the connection was cut)."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes
    status: int = 0
    user: str | None = None

    def json(self) -> Any:
        return json.loads(self.body)

    def flag(self, name: str) -> bool:
        return self.query.get(name, [""])[0].lower() in ("1", "true")


@dataclass
class Response:
    """An answer."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def as_json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


Endpoint = Callable[..., Any]
ROUTES: list[tuple[str, re.Pattern[str], Endpoint]] = []

_ID = r"(?P<id>[\w.-]+/[\w.-]+)"
API = rf"/api/(?P<kind>model|dataset|space)s/{_ID}"
WEB = rf"/(?:(?P<kind>dataset|space)s/)?{_ID}"
REVISION = "/(?P<revision>[^/]+)"


def route(method: str, pattern: str) -> Callable[[Endpoint], Endpoint]:
    def register(endpoint: Endpoint) -> Endpoint:
        ROUTES.append((method, re.compile(pattern + r"\Z"), endpoint))
        return endpoint

    return register


# --- account and repositories -----------------------------------------------------------------------------


@route("GET", "/api/whoami-v2")
def whoami(hub: LoopbackHub, request: Request) -> Any:
    spaces = hub.namespaces(hub.require_user(request))
    orgs = [
        {"name": name, "type": "org", "roleInOrg": "write"} for name in sorted(spaces - {request.user or ""})
    ]
    token = {"displayName": "test", "role": "write" if spaces else "read"}
    return {
        "type": "user",
        "name": request.user,
        "orgs": orgs,
        "auth": {"type": "access_token", "accessToken": token},
    }


@route("GET", r"/api/(?P<kind>organizations|users)/(?P<name>[\w.-]+)/overview")
def overview(hub: LoopbackHub, request: Request, kind: str, name: str) -> Any:
    if hub.owners.get(name) != kind:
        raise Refused(404, f"{name} does not exist")
    return {"name": name, "fullname": f"The people of {name}"}


@route("POST", "/api/validate-yaml")
def validate_yaml(hub: LoopbackHub, request: Request) -> Any:
    return {"errors": [], "warnings": []}


@route("POST", "/api/repos/create")
def create(hub: LoopbackHub, request: Request) -> Any:
    asked = request.json()
    kind, repo_id = (
        asked.get("type") or "model",
        f"{asked.get('organization') or request.user}/{asked['name']}",
    )
    hub.require_write(request, repo_id)
    url = hub.web_url(kind, repo_id)
    if (kind, repo_id) in hub.repos:
        raise Refused(409, f"You already created this {kind} repo: {repo_id}", url=url)
    private = asked.get("visibility") == "private"
    hub.add_repo(kind, repo_id, private=private, sdk=asked.get("sdk") or "gradio")
    return {"url": url, "name": repo_id}


@route("GET", "/api/(?P<listed>model|dataset|space)s")
def listing(hub: LoopbackHub, request: Request, listed: str) -> Any:
    author = request.query.get("author", [""])[0]
    public = [r for (kind, _), r in hub.repos.items() if kind == listed and not r.private]
    return [info(hub, request, repo) for repo in public if author in ("", repo.id.split("/")[0])]


@route("GET", API)
@route("GET", API + "/revision" + REVISION)
def info(hub: LoopbackHub, request: Request, repo: Repo, revision: str = "main") -> Any:
    commit = repo.at(revision)
    return {
        "id": repo.id,
        "author": repo.id.split("/")[0],
        "sha": commit.oid,
        "lastModified": commit.date,
        "createdAt": repo.history(revision)[-1].date,
        "private": repo.private,
        "gated": False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "siblings": [
            _sibling(path, commit.files[path], request.flag("blobs")) for path in sorted(commit.files)
        ],
        **({"sdk": repo.sdk} if repo.kind == "space" else {}),
    }


def _sibling(path: str, blob: Blob, details: bool) -> dict[str, Any]:
    if not details:
        return {"rfilename": path}
    lfs = {"size": len(blob.data), "sha256": blob.sha256, "pointerSize": POINTER_SIZE} if blob.lfs else None
    return {"rfilename": path, "size": len(blob.data), "blobId": blob.sha1, "lfs": lfs}


# --- reading ----------------------------------------------------------------------------------------------


@route("GET", WEB + "/resolve" + REVISION + "/(?P<path>.+)")
def resolve(hub: LoopbackHub, request: Request, repo: Repo, revision: str, path: str) -> Response:
    commit = repo.at(revision)
    if path not in commit.files:
        missing = hub.refusal(Refused(404, "Entry not found", "EntryNotFound"))
        missing.headers["X-Repo-Commit"] = commit.oid
        return missing
    blob = commit.files[path]
    headers = {"ETag": f'"{blob.etag}"', "X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    if blob.lfs:
        headers |= {"X-Linked-ETag": f'"{blob.etag}"', "X-Linked-Size": str(len(blob.data))}
    return _ranged(blob.data, request.headers.get("range", ""), headers)


def _ranged(data: bytes, wanted: str, headers: dict[str, str]) -> Response:
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
    if match is None or match.groups() == ("", ""):
        return Response(data, 200, headers)
    size, (first, last) = len(data), match.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if start >= stop:
        return Response(b"", 416, {**headers, "Content-Range": f"bytes */{size}"})
    return Response(data[start:stop], 206, {**headers, "Content-Range": f"bytes {start}-{stop - 1}/{size}"})


def _file_entry(path: str, commit: Commit, expand: bool) -> dict[str, Any]:
    blob = commit.files[path]
    entry = {
        "type": "file",
        "path": path,
        "size": len(blob.data),
        "oid": blob.sha1,
        **_last_commit(commit, expand),
    }
    if blob.lfs:
        entry["lfs"] = {"oid": blob.sha256, "size": len(blob.data), "pointerSize": POINTER_SIZE}
    return entry


def _folder_entry(path: str, commit: Commit, expand: bool) -> dict[str, Any]:
    oid = hashlib.sha1(f"{commit.oid}{path}".encode()).hexdigest()
    return {"type": "directory", "path": path, "oid": oid, "size": 0, **_last_commit(commit, expand)}


def _last_commit(commit: Commit, expand: bool) -> dict[str, Any]:
    return {"lastCommit": {"id": commit.oid, "title": commit.title, "date": commit.date}} if expand else {}


@route("GET", API + "/tree" + REVISION + "(?:/(?P<folder>.+))?")
def tree(hub: LoopbackHub, request: Request, repo: Repo, revision: str, folder: str | None) -> Any:
    commit, recursive, expand = repo.at(revision), request.flag("recursive"), request.flag("expand")
    prefix = f"{folder.rstrip('/')}/" if folder else ""
    entries: dict[str, dict[str, Any]] = {}
    for path in sorted(p for p in commit.files if p.startswith(prefix)):
        parts = path.removeprefix(prefix).split("/")
        for depth in range(1, len(parts) if recursive else min(len(parts), 2)):
            name = prefix + "/".join(parts[:depth])
            entries[name] = _folder_entry(name, commit, expand)
        if recursive or len(parts) == 1:
            entries[path] = _file_entry(path, commit, expand)
    if folder and not entries:
        raise Refused(404, f"{folder} does not exist on {revision}", "EntryNotFound")
    return list(entries.values())


@route("POST", API + "/paths-info" + REVISION)
def paths_info(hub: LoopbackHub, request: Request, repo: Repo, revision: str) -> Any:
    commit, asked = repo.at(revision), parse_qs(request.body.decode())
    expand = asked.get("expand", [""])[0].lower() == "true"
    found = []
    for path in asked.get("paths", []):
        if path in commit.files:
            found.append(_file_entry(path, commit, expand))
        elif any(p.startswith(path.rstrip("/") + "/") for p in commit.files):
            found.append(_folder_entry(path, commit, expand))
    return found


@route("GET", API + "/commits" + REVISION)
def commits(hub: LoopbackHub, request: Request, repo: Repo, revision: str) -> Any:
    return [
        {"id": c.oid, "authors": [{"user": c.author}], "date": c.date, "title": c.title, "message": c.message}
        for c in repo.history(revision)
    ]


# --- writing ----------------------------------------------------------------------------------------------


@route("POST", API + "/preupload" + REVISION)
def preupload(hub: LoopbackHub, request: Request, repo: Repo, revision: str) -> Any:
    _require_write_or_pr(hub, request, repo)
    there = repo.at(revision).files
    return {
        "files": [
            {
                "path": f["path"],
                "uploadMode": "lfs" if is_large(f["path"], f["size"]) else "regular",
                "shouldIgnore": False,
                "oid": there[f["path"]].etag if f["path"] in there else None,
            }
            for f in request.json()["files"]
        ]
    }


def _require_write_or_pr(hub: LoopbackHub, request: Request, repo: Repo) -> None:
    if request.flag("create_pr"):
        hub.require_user(request)
    else:
        hub.require_write(request, repo.id)


@route("POST", WEB + r"\.git/info/lfs/objects/batch")
def lfs_batch(hub: LoopbackHub, request: Request, repo: Repo) -> Any:
    hub.require_user(request)

    def instructions(wanted: dict[str, Any]) -> dict[str, Any]:
        if wanted["oid"] in hub.objects:
            return wanted
        place = {"href": f"{hub.url}/lfs/{wanted['oid']}", "header": {}}
        return {**wanted, "actions": {"upload": place, "verify": place}}

    return {"transfer": "basic", "objects": [instructions(wanted) for wanted in request.json()["objects"]]}


@route("PUT", "/lfs/(?P<oid>[0-9a-f]{64})")
def lfs_put(hub: LoopbackHub, request: Request, oid: str) -> Any:
    if hashlib.sha256(request.body).hexdigest() != oid:
        raise Refused(400, "The content does not have the announced sha256")
    hub.objects[oid] = request.body
    return {}


@route("POST", "/lfs/(?P<oid>[0-9a-f]{64})")
def lfs_verify(hub: LoopbackHub, request: Request, oid: str) -> Any:
    if len(hub.objects.get(oid, b"")) != request.json()["size"]:
        raise Refused(404, "The object is not there")
    return {}


@route("POST", API + "/commit" + REVISION)
def commit(hub: LoopbackHub, request: Request, repo: Repo, revision: str) -> Any:
    _require_write_or_pr(hub, request, repo)
    lines = [json.loads(line) for line in request.body.splitlines() if line.strip()]
    header = next(line["value"] for line in lines if line["key"] == "header")
    base = repo.at(revision)
    if header.get("parentCommit", base.oid) != base.oid:
        raise Refused(412, "A commit has happened since. Please refresh and try again.")
    files = dict(base.files)
    for line in lines:
        _apply(hub, files, line["key"], line["value"])
    author, title, text = hub.require_user(request), header["summary"], header.get("description", "")
    pull_url = None
    if request.flag("create_pr"):
        number = repo.open_discussion(title, author, pull_request=True, text=text)["num"]
        revision, pull_url = f"refs/pr/{number}", f"{hub.web_url(repo.kind, repo.id)}/discussions/{number}"
    made = repo.commit(revision, files, title, text, author)
    url = f"{hub.web_url(repo.kind, repo.id)}/commit/{made.oid}"
    return {"success": True, "commitOid": made.oid, "commitUrl": url, "pullRequestUrl": pull_url}


def _apply(hub: LoopbackHub, files: dict[str, Blob], key: str, value: Mapping[str, Any]) -> None:
    path = value.get("path", "")
    if key == "file":
        files[path] = Blob(base64.b64decode(value["content"]))
    elif key == "lfsFile":
        if value["oid"] not in hub.objects:
            raise Refused(400, f"LFS object {value['oid']} was never uploaded")
        files[path] = Blob(hub.objects[value["oid"]], lfs=True)
    elif key in ("deletedFile", "deletedFolder"):
        inside = path.rstrip("/") + "/" if key == "deletedFolder" else "\0"
        gone = [p for p in files if p == path or p.startswith(inside)]
        if not gone:
            raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
        for p in gone:
            del files[p]


# --- discussions and pull requests ------------------------------------------------------------------------


@route("GET", API + "/discussions")
def discussions(hub: LoopbackHub, request: Request, repo: Repo) -> Any:
    return {"count": len(repo.discussions), "start": 0, "discussions": repo.discussions}
