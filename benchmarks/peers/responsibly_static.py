"""DirectBias, IndirectBias and projections by responsibly, with the time of each. JSON in, JSON out.

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
words, others = lists["attributes_a"], lists["attributes_b"]


def median(call):
    times = []
    for _ in range(5):
        start = time.process_time()
        value = call()
        times.append(time.process_time() - start)
    return value, sorted(times)[2]


def direct():
    model._identify_direction(*pairs[0], pairs, "pca")
    return float(model.calc_direct_bias(words, c=1))


out = {}
value, seconds = median(direct)
out["direct_bias"] = {"value": value, "seconds": seconds}
value, seconds = median(lambda: [float(model.project_on_direction(w)) for w in words])
out["projection"] = {"value": value, "seconds": seconds}
value, seconds = median(lambda: [[float(model.calc_indirect_bias(w, v)) for v in others] for w in words])
out["indirect_bias"] = {"value": value, "seconds": seconds}
Path(sys.argv[2]).write_text(json.dumps(out), encoding="utf-8")
