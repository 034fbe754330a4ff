"""Whatever runs a grid, its results are the same, and a worker that dies costs nothing but time."""

import os
import time
from pathlib import Path

import pytest

from evaluate_bias.errors import InputError, MeasurementError
from evaluate_bias.experiments.executors import RETRIES, Attempt
from evaluate_bias.experiments.executors.processes import Processes
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import Store
from evaluate_bias.experiments.worker import Outcome
from tests.experiments.toy_grid import exported, make_files, tiny_grid, toy_grid
from tests.support.refusals import refused

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Sums of float32 depend on how many threads share them."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return make_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def expected(files, tmp_path_factory):
    out = tmp_path_factory.mktemp("in-process")
    assert run_grid(tiny_grid(files), out).measured == 10
    return exported(out)


def test_a_process_that_is_killed_is_replaced_and_the_numbers_stay(files, expected, tmp_path):
    """The worker is killed between two methods that share passes; the next one takes their scores over."""
    import multiprocessing

    killed = []

    def kill(outcome):
        if outcome.unit.method == "pll" and not killed:
            for child in multiprocessing.active_children():
                killed.append(child.pid)
                child.kill()

    summary = run_grid(tiny_grid(files), tmp_path / "out", executor=Processes(1, threads=1), on_unit=kill)
    assert killed
    assert (summary.measured, summary.failed) == (10, [])
    assert exported(tmp_path / "out") == expected


def test_a_unit_that_kills_its_worker_is_given_up(files):
    (task, *_) = make_plan(toy_grid(files, seeds=[0, 1])).tasks
    attempt = Attempt(task)
    attempt.note_outcome(Outcome(unit=task.units[0], kind="measured", scores=b"one"))
    assert [attempt.note_death("signal 9") for _ in range(RETRIES)] == [[]] * RETRIES
    (lost,) = attempt.note_death("signal 9")
    assert (lost.unit, lost.kind, lost.reason) == (
        task.units[1],
        "failed",
        "the worker died 3 times (signal 9)",
    )
    assert attempt.task.units == task.units[2:]
    assert attempt.task.scores == (b"one",)
    rest = attempt.note_death("signal 9")
    assert [o.unit for o in rest] == list(task.units[2:])
    assert attempt.is_done


# --- Ray ------------------------------------------------------------------------------------------------------

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    """Two nodes on this machine; the second can be killed. The head has no processor, so that work goes elsewhere."""
    from ray.cluster_utils import Cluster

    root = str(Path(__file__).parents[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([f"{root}/src", root, os.environ.get("PYTHONPATH", "")]))
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "1")
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False},
        )
        yield made
        if ray.is_initialized():
            ray.shutdown()
        made.shutdown()


@pytest.mark.nightly
def test_a_node_that_is_killed_costs_nothing(files, expected, cluster, tmp_path):
    from evaluate_bias.experiments.executors.ray_cluster import RayCluster

    other = cluster.add_node(num_cpus=2, object_store_memory=80_000_000, wait=False)
    cluster.wait_for_nodes(timeout=600)
    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    killed = []

    def kill(outcome):
        if not killed:  # two workers at least are at their models on the other node, or about to be
            killed.append(time.monotonic())
            cluster.remove_node(other, allow_graceful=False)

    try:
        summary = run_grid(
            tiny_grid(files), tmp_path / "out", executor=RayCluster(cluster.address), on_unit=kill
        )
    finally:
        ray.shutdown()
    assert killed
    assert (summary.measured, summary.failed) == (10, [])
    with Store(tmp_path / "out", read_only=True) as store:
        assert len(store.units(history=True)) == 10
    assert exported(tmp_path / "out") == expected


@pytest.mark.parametrize("needs", [{"cpus": 0}, {"gpus": -1}, {"memory": 0}])
def test_wrong_needs_are_refused(needs):
    from evaluate_bias.experiments.executors.ray_cluster import RayCluster

    refused(InputError, "a task needs", RayCluster, "auto", **needs)


@pytest.mark.parametrize("kind", [ConnectionError, ray.exceptions.AuthenticationError])
def test_why_ray_cannot_connect_is_said(kind, monkeypatch):
    from evaluate_bias.experiments.executors.ray_cluster import RayCluster

    def init(**_):
        raise kind("the token is missing")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(MeasurementError) as error:
        list(RayCluster("auto").run([]))
    assert "the token is missing" in str(error.value)
    assert "RAY_AUTH_MODE" in error.value.hint
