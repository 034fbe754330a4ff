#!/usr/bin/env bash
# wefe 1.0.1: WEAT's p-value draws the words of both target lists with replacement, so that a word stands twice and
# another not at all. Here the observed split is the largest of all, and no permutation exceeds it: p would be
# 1 / (24 + 1) = .04. wefe finds larger ones, and without a seed p differs from call to call.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check wefe==1.0.1 gensim==4.4.0 numpy==1.26.4
"$work/venv/bin/python" - <<'PY'
import numpy as np
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

angles = {"x1": 5, "x2": 35, "y1": 55, "y2": 85, "a1": 0, "a2": 10, "b1": 80, "b2": 90}
vectors = KeyedVectors(2)
vectors.add_vectors(list(angles), np.array([[np.cos(np.radians(d)), np.sin(np.radians(d))] for d in angles.values()]))
query = Query([["x1", "x2"], ["y1", "y2"]], [["a1", "a2"], ["b1", "b2"]])
model = WordEmbeddingModel(vectors)
ps = [
    float(WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=24)["p_value"]) for _ in range(40)
]
print("p of 40 calls:", sorted({round(p, 2) for p in ps}))
assert max(ps) > 0.05 and len(set(ps)) > 1
PY
