"""The loopback Hub, with its writer logged in, and what tests do there."""

from __future__ import annotations

import functools
import subprocess
import sys
import sysconfig
import threading
import venv
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evaluate_bias.hub.publish import carry_out, plan_publication
from tests.support.hub_client import use_hub
from tests.support.loopback_hub import LoopbackHub


@pytest.fixture
def hub(monkeypatch, tmp_path_factory):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path_factory.mktemp("hub")))
    with LoopbackHub() as server:
        use_hub(server, monkeypatch, token=server.token)
        yield server


@pytest.fixture
def publish(hub):
    """Plans and carries out the publication of what these arguments choose."""

    def call(*chosen, **options):
        plans = plan_publication(*chosen, token=hub.token, **options)
        return carry_out(plans, token=hub.token)

    return call


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel, in an index of packages: a folder for each project."""
    folder = tmp_path_factory.mktemp("index") / "evaluate-bias"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True, capture_output=True, timeout=900)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def python(wheel, tmp_path_factory):
    """The interpreter of a fresh environment that installed the wheel by its name from an index on this machine.

    Its dependencies are those of this environment. They are reached through a path file, which does not follow the
    path files found there: the editable installation of this repository stays out.
    """
    home = tmp_path_factory.mktemp("environment")
    venv.EnvBuilder(with_pip=False).create(home)
    python = home / "bin" / "python"
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(wheel.parents[1]))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as index:
        threading.Thread(target=index.serve_forever, daemon=True).start()
        command = [
            *(
                sys.executable,
                "-m",
                "pip",
                "--python",
                str(python),
                "--isolated",
                "install",
                "--no-deps",
                "--quiet",
            ),
            *("--no-cache-dir", "--index-url", f"http://127.0.0.1:{index.server_port}", "evaluate-bias"),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=900)
        index.shutdown()
    (installed,) = home.glob("lib/python*/site-packages")
    (installed / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def writes(hub: LoopbackHub) -> list[tuple[str, str]]:
    """The requests that change something."""
    return [(r.method, r.path) for r in hub.requests if r.method not in ("GET", "HEAD")]
