"""DirectBias by responsibly, with its time. JSON in, JSON out.

It was written for gensim 3 and imports names that gensim 4 lost; they are given back before the import. What is
measured does not use them.
"""

import json
import sys
import time
import types
import warnings
from pathlib import Path

import gensim
import numpy as np
from gensim.models import KeyedVectors

gensim.models.keyedvectors.BaseKeyedVectors = KeyedVectors
gensim.models.base_any2vec = types.ModuleType("gensim.models.base_any2vec")
gensim.models.base_any2vec.BaseWordEmbeddingsModel = KeyedVectors
warnings.filterwarnings("ignore")

from responsibly.we import BiasWordEmbedding, bias  # noqa: E402

# It refuses a direction that explains less than half of the variance; that of these pairs explains 0.494.
bias.FIRST_PC_THRESHOLD = 0.0

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
vectors = KeyedVectors(len(given["vectors"][0]))
array = np.array(given["vectors"], dtype=np.float64)
vectors.add_vectors(given["words"], (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32))
model = BiasWordEmbedding(vectors, to_normalize=False)
lists = given["lists"]
pairs = list(zip(lists["targets_x"], lists["targets_y"], strict=True))
words = lists["attributes_a"]


def timed(definitional: object, method: str) -> dict[str, float]:
    """Return DirectBias along one kind of direction, with its time."""
    times = []
    for _ in range(5):
        start = time.process_time()
        model._identify_direction(*pairs[0], definitional, method)
        value = float(model.calc_direct_bias(words, c=1))
        times.append(time.process_time() - start)
    return {"value": value, "seconds": sorted(times)[2]}


sums = (lists["targets_x"], lists["targets_y"])
answer = {"pca": timed(pairs, "pca"), "sum": timed(sums, "sum")}
Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")
