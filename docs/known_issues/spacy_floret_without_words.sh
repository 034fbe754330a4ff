#!/usr/bin/env bash
# spaCy 3.8.18: a pipeline with floret vectors gives every word a vector and lists none: its table of words is empty,
# in memory and in the folder that it saves, which only vocab/vectors.cfg tells from one without vectors.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check spacy==3.8.18
"$work/venv/bin/python" - "$work/pipeline" <<'PY'
import json
import sys
from pathlib import Path

import numpy as np
import spacy
from spacy.vectors import Vectors

nlp = spacy.blank("en")
data = np.random.default_rng(0).normal(size=(200, 8)).astype("float32")
nlp.vocab.vectors = Vectors(mode="floret", data=data, hash_count=2, minn=2, maxn=4)
nlp.to_disk(sys.argv[1])
vocab = Path(sys.argv[1]) / "vocab"
mode = json.loads((vocab / "vectors.cfg").read_text())["mode"]
print("nurse has a vector:", bool(nlp.vocab["nurse"].vector.any()))
print("keys:", len(nlp.vocab.vectors.key2row), "bytes of key2row:", (vocab / "key2row").stat().st_size, "mode:", mode)
assert nlp.vocab["nurse"].vector.any()
assert (len(nlp.vocab.vectors.key2row), (vocab / "key2row").stat().st_size, mode) == (0, 1, "floret")
PY
