"""Settings of every test and doctest: no outside connection, no cache of the user's, the same draws each time."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support.of_method import is_about, is_table, own_files

ROOT = Path(__file__).parent

# Read by the libraries when they are imported, so they are set before any test module is.
os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="evaluate-bias-tests-")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_EVALUATE_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
for name in ("HF_HUB_ETAG_TIMEOUT", "HF_HUB_DOWNLOAD_TIMEOUT"):
    os.environ[name] = "600"  # not 10 seconds, for machines that are busy
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["GRADIO_TEMP_DIR"] = tempfile.mkdtemp(prefix="evaluate-bias-uploads-")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAY_memory_monitor_refresh_ms"] = "0"  # noqa: SIM112 (or Ray ends tasks where others fill the memory)
# What is slow is not lost: the parts of a Ray cluster have 10 minutes to come and to answer, not 10 to 60 seconds.
os.environ["RAY_gcs_server_port_wait_time_s"] = "600"  # noqa: SIM112
os.environ["RAY_worker_register_timeout_seconds"] = "600"  # noqa: SIM112
os.environ["RAY_health_check_timeout_ms"] = "600000"  # noqa: SIM112
# As for a process without a terminal, whoever starts the tests: 80 columns and no colours.
os.environ["COLUMNS"] = "80"
for name in ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE"):
    os.environ.pop(name, None)
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("EVALUATE_BIAS_CACHE", str(ROOT / ".cache" / "evaluate-bias"))

# Examples are drawn from the test's own seed, so a failure here is a failure everywhere; no example is timed, because
# the machines are shared. Hypothesis would also draw from the constants of this library's modules that are imported,
# which are those that the tests before it in its process needed: it keeps the empty collection that it starts with.
providers._get_local_constants = lambda: providers._local_constants
# At night, as of draws, there are more examples.
settings.register_profile(
    "project",
    max_examples=100 if "EVALUATE_BIAS_TEST_DRAWS" in os.environ else 40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("project")


def _seed() -> None:
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (the global generator is the point)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


# A test that draws from a library's global generator finds it as it would alone, whatever ran before it in its process.
@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup() -> None:  # noqa: D103
    _seed()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:  # noqa: D103
    _seed()


# `make test METHOD=weat`: nothing else is even read, as that alone takes longer than the tests of one method.
def pytest_addoption(parser: pytest.Parser) -> None:  # noqa: D103
    parser.addoption(
        "--method", help="only the tests of this method: its own, and its part of the common tables"
    )


def pytest_configure(config: pytest.Config) -> None:  # noqa: D103
    if (method := config.getoption("method")) and not own_files(method):
        raise pytest.UsageError(
            f"there is no method {method!r}; the command `evaluate-bias methods` lists all"
        )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:  # noqa: D103
    method = config.getoption("method")
    if method is None or collection_path.suffix != ".py":
        return None
    return not (collection_path in own_files(method) or is_table(collection_path)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:  # noqa: D103
    if method := config.getoption("method"):
        others = [item for item in items if not is_about(item, method)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if is_about(item, method)]
