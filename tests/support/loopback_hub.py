"""A stand-in of the Hugging Face Hub on 127.0.0.1, for tests over real HTTP.

It keeps repositories (models, datasets, spaces) with their commits in memory and speaks the part of the Hub's
API that ``huggingface_hub``, ``datasets``, ``evaluate`` and ``transformers`` use. Faults can be set for
chosen paths. It also plays the HTTP proxy of the processes it serves, so that any attempt to reach another
host is seen.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.hub_endpoints import ROUTES, Request, Response, as_json
from tests.support.hub_store import Blob, Commit, Refused, Repo, is_large

__all__ = ["Blob", "Commit", "LoopbackHub", "Repo", "Request"]

INHERITED_SETTINGS = re.compile(r"(HF_|HUGGING|TRANSFORMERS_|\w+_proxy\Z)", re.IGNORECASE)


@dataclass
class Fault:
    """What to do wrong on which requests."""

    path: re.Pattern[str]
    method: str | None = None
    status: int | None = None
    delay: float = 0.0
    truncate: bool = False
    drop: bool = False
    after: int = 0
    times: int | None = None

    def takes(self, request: Request) -> bool:
        """Tell whether this request is to fail, and count it."""
        if self.method not in (None, request.method) or not self.path.search(request.path):
            return False
        if self.after > 0:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return self.times is None or self.times >= 0


class LoopbackHub:
    """The server. Use as a context manager: ``with LoopbackHub() as hub: … hub.url … hub.env() …``.

    Attributes:
        token: a token that may write in the namespace ``bias``.
        reader_token: a valid token without any right to write.
        repos: the repositories by ``(kind, id)`` with kind ``model``, ``dataset`` or ``space``.
        objects: the large-file storage, by sha256.
        requests: every request, in order.
        outside: hosts that a served process tried to reach through the proxy settings of :meth:`env`.
    """

    token = "loopback-token-with-rights"
    reader_token = "loopback-token-without-rights"

    def __init__(self) -> None:
        self.repos: dict[tuple[str, str], Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.requests: list[Request] = []
        self.outside: list[str] = []
        self.bugs: list[BaseException] = []
        self.owners = {"bias": "organizations"}  # names of the Hub, each with what it is
        self._users = {self.token: "writer", self.reader_token: "reader"}
        self._faults: list[Fault] = []
        self._lock = threading.RLock()

    def __enter__(self) -> LoopbackHub:
        self._homes = tempfile.TemporaryDirectory(prefix="loopback-hub-", ignore_cleanup_errors=True)
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._homes.cleanup()
        if self.bugs and error is None:
            raise self.bugs[0]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def env(self, home: Path | None = None, *, token: str | None = None) -> dict[str, str]:
        """Return the environment of a process: this Hub, a fresh cache (or ``home``), no other host."""
        kept = {name: value for name, value in os.environ.items() if not INHERITED_SETTINGS.match(name)}
        return {
            **kept,
            "HTTP_PROXY": self.url,
            "HTTPS_PROXY": self.url,
            "NO_PROXY": "127.0.0.1,localhost",
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home or tempfile.mkdtemp(dir=self._homes.name)),
            "HF_TOKEN": token or self.token,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_ETAG_TIMEOUT": "600",
            "HF_HUB_DOWNLOAD_TIMEOUT": "600",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        }

    def add_repo(
        self,
        kind: str,
        repo_id: str,
        files: Mapping[str, bytes | str] | Path | None = None,
        *,
        private: bool = False,
        sdk: str = "gradio",
    ) -> Repo:
        """Put a repository on the Hub; the given files (or those of a folder) are its second commit."""
        repo = Repo(kind, repo_id, private, sdk)
        first = {".gitattributes": Blob(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n")}
        if kind == "space":
            first["README.md"] = Blob(f"---\ntitle: {repo_id}\nsdk: {sdk}\n---\n".encode())
        repo.commit("main", first, "initial commit")
        if isinstance(files, Path):
            files = {p.relative_to(files).as_posix(): p.read_bytes() for p in files.rglob("*") if p.is_file()}
        if files:
            raw = {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}
            added = {path: Blob(data, is_large(path, len(data))) for path, data in raw.items()}
            repo.commit("main", {**first, **added}, "Add files")
        self.repos[kind, repo_id] = repo
        return repo

    def fault(self, path: str, **how: Any) -> None:
        """Make requests whose path matches the regular expression ``path`` fail.

        The first ``after`` of them pass, then ``times`` fail (None: all). ``status`` answers with that error,
        ``delay`` waits first (seconds), ``truncate`` promises the whole body and cuts the connection half-way,
        ``drop`` cuts it before any answer.
        """
        self._faults.append(Fault(re.compile(path), **how))

    def clear_faults(self) -> None:
        self._faults.clear()

    def seen(self, path: str, method: str | None = None) -> list[Request]:
        """Return the requests whose path matches the regular expression ``path``."""
        return [r for r in self.requests if re.search(path, r.path) and method in (None, r.method)]

    def web_url(self, kind: str, repo_id: str) -> str:
        return f"{self.url}/{repo_id}" if kind == "model" else f"{self.url}/{kind}s/{repo_id}"

    # --- rights --------------------------------------------------------------------------------------------

    def namespaces(self, user: str | None) -> set[str]:
        """Where this user may write."""
        return {"writer", "bias"} if user == "writer" else set()

    def require_user(self, request: Request) -> str:
        if request.user is None:
            raise Refused(401, "Invalid username or password.")
        return request.user

    def require_write(self, request: Request, repo_id: str) -> None:
        namespace = repo_id.split("/")[0]
        if namespace not in self.namespaces(self.require_user(request)):
            raise Refused(403, f"You don't have the rights to write in the namespace {namespace}")

    def find(self, request: Request, kind: str, repo_id: str) -> Repo:
        repo = self.repos.get((kind, repo_id))
        if repo is not None and (not repo.private or repo_id.split("/")[0] in self.namespaces(request.user)):
            return repo
        if request.user is None:  # the Hub does not tell strangers whether a repository exists
            raise Refused(401, "Invalid username or password.", "RepoNotFound")
        raise Refused(404, "Repository not found", "RepoNotFound")

    # --- answering -----------------------------------------------------------------------------------------

    def answer(self, request: Request) -> tuple[Response, Fault | None]:
        """Answer a request; the second value tells the connection what to do wrong with the answer."""
        with self._lock:
            self.requests.append(request)
            fault = next((f for f in self._faults if f.takes(request)), None)
        if fault is not None:
            time.sleep(fault.delay)
        try:
            if fault is not None and fault.status is not None:
                raise Refused(fault.status, "The stand-in was told to fail")
            with self._lock:
                return self._dispatch(request), fault
        except Refused as refused:
            return self.refusal(refused), fault

    def _dispatch(self, request: Request) -> Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and token not in self._users:
            raise Refused(401, "Invalid credentials in Authorization header")
        request.user = self._users.get(token)
        method = "GET" if request.method == "HEAD" else request.method
        for wanted, pattern, endpoint in ROUTES:
            if wanted == method and (match := pattern.match(request.path)):
                arguments: dict[str, Any] = {k: unquote(v) if v else v for k, v in match.groupdict().items()}
                if "id" in arguments:
                    kind, repo_id = arguments.pop("kind") or "model", arguments.pop("id")
                    arguments["repo"] = self.find(request, kind, repo_id)
                result = endpoint(self, request, **arguments)
                return result if isinstance(result, Response) else as_json(result)
        raise Refused(404, f"No such endpoint: {request.method} {request.path}")

    def refusal(self, refused: Refused) -> Response:
        response = as_json(refused.body, refused.status)
        response.headers["X-Error-Message"] = str(refused)
        if refused.code:
            response.headers["X-Error-Code"] = refused.code
        return response


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, hub: LoopbackHub) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.hub = hub

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep a bug of the stand-in for the test; a client that hangs up is no bug."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, (ConnectionError, TimeoutError)):
            self.hub.bugs.append(error)


class _Connection(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for head and body
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: requests are kept in ``hub.requests``."""

    def handle_any(self) -> None:
        url = urlsplit(self.path)
        viewer = f"datasets-server.127.0.0.1:{self.server.server_port}"  # datasets asks it and does without
        if self.command == "CONNECT" or url.netloc not in ("", viewer):
            self.server.hub.outside.append(url.netloc or self.path)
            self.send_error(403, "No other host can be reached from here")
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = parse_qs(url.query, keep_blank_values=True)
        request = Request(self.command, url.path, query, headers, self._read_body())
        response, fault = self.server.hub.answer(request)
        if fault is not None and fault.drop:
            self.close_connection = True
            return
        request.status = response.status
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            cut = fault is not None and fault.truncate
            self.wfile.write(response.body[: len(response.body) // 2] if cut else response.body)
            self.close_connection = self.close_connection or cut

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_CONNECT = handle_any

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)
