"""MAC and RNSB by wefe, with the time of each. JSON in, JSON out."""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors
from wefe.metrics import MAC, RNSB
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

warnings.filterwarnings("ignore")
given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
vectors = KeyedVectors(len(given["vectors"][0]))
vectors.add_vectors(given["words"], np.array(given["vectors"], dtype=np.float32))
model = WordEmbeddingModel(vectors, "given")
lists = given["lists"]
x, y, a, b = (lists[name] for name in ("targets_x", "targets_y", "attributes_a", "attributes_b"))
METRICS = {
    "mac": (MAC, Query([x, y], [a, b], ["x", "y"], ["a", "b"]), {}),
    "rnsb": (RNSB, Query([x, y], [a, b], ["x", "y"], ["a", "b"]), {"holdout": False, "random_state": 0}),
}
out = {}
for name, (metric, query, options) in METRICS.items():
    times = []
    for _ in range(5):
        start = time.process_time()
        value = metric().run_query(query, model, **options)["result"]
        times.append(time.process_time() - start)
    out[name] = {"value": float(value), "seconds": sorted(times)[2]}
Path(sys.argv[2]).write_text(json.dumps(out), encoding="utf-8")
