"""Counting on a real Ray cluster of two nodes on this machine."""

import os
import pickle
import random
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

import evaluate_bias
from evaluate_bias import load_corpus
from evaluate_bias.errors import InputError, MeasurementError

ray = pytest.importorskip("ray")

from evaluate_bias.integrations.ray import RayExecutor  # noqa: E402

pytestmark = pytest.mark.slow

ASKED = ({"x": ["she", "old woman"], "y": ["he"]}, ["nurse", "smith", "zoë"])
ROOT = Path(evaluate_bias.__file__).parents[1]


def test_without_a_cluster():
    assert not ray.is_initialized()
    with pytest.raises(InputError, match=r"connected to no Ray cluster; call ray.init\(\) first"):
        RayExecutor()


@pytest.fixture(scope="module")
def executor():
    from ray.cluster_utils import Cluster

    own = {"num_cpus": 1, "object_store_memory": 80 * 1024**2}
    cluster = Cluster(initialize_head=True, head_node_args={**own, "include_dashboard": False})
    cluster.add_node(**own, wait=False)
    cluster.wait_for_nodes(timeout=600)
    path = os.pathsep.join([str(ROOT), str(ROOT.parent), str(Path(__file__).parent)])
    ray.init(address=cluster.address, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield RayExecutor()
    ray.shutdown()
    cluster.shutdown()


def test_counts_are_those_of_one_process_byte_for_byte(executor, tmp_path, monkeypatch):
    window = 3
    monkeypatch.setattr("evaluate_bias.corpora.corpus.BATCH", 4_000)
    monkeypatch.setattr("evaluate_bias.corpora.corpus._CHECKPOINT_BATCHES", 4)
    rng = random.Random(0)
    words = ["she", "he.", "nurse", "Zoë", "old", "woman", "smith"]
    lines = [" ".join(rng.choice(words) for _ in range(12)) for _ in range(2_000)]
    file = tmp_path / "t.txt"
    file.write_bytes("\n".join(lines).encode() + b"\nshe \xff he\n")
    one = load_corpus(file).cooccurrences(*ASKED, window=window)
    keep = tmp_path / "keep.json"
    many = load_corpus(file, executor=executor, num_proc=4, checkpoint=keep)
    assert pickle.dumps(many.cooccurrences(*ASKED, window=window)) == pickle.dumps(one)
    assert one.n_invalid == 1
    assert not keep.exists()
    bars = load_corpus(lines, tokenizer=lambda text: text.split(" "), executor=executor)
    alone = load_corpus(lines, tokenizer=lambda text: text.split(" "))
    assert pickle.dumps(bars.cooccurrences(*ASKED)) == pickle.dumps(alone.cooccurrences(*ASKED))


def test_a_worker_that_ends_is_an_error(executor):
    here = os.getpid()

    def ends(text):
        if os.getpid() != here:
            os._exit(1)
        return text.split()

    with pytest.raises(MeasurementError, match="was killed") as raised:
        load_corpus(["she"], tokenizer=ends, executor=executor).cooccurrences(*ASKED)
    assert isinstance(raised.value.__cause__, BrokenExecutor)
