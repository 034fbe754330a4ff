"""Answers to analogy questions by gensim's ``most_similar``, with their time. JSON in, JSON out."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
array = np.load(given["vectors"])
vectors = KeyedVectors(array.shape[1])
vectors.vectors = array.astype(np.float32)
vectors.index_to_key = given["words"]
vectors.key_to_index = {word: i for i, word in enumerate(given["words"])}
vectors.fill_norms()
start = time.process_time()
answers = [
    [w for w, _ in vectors.most_similar(positive=[q["b"], q["c"]], negative=[q["a"]], topn=10)]
    for q in given["questions"]
]
out = {"answers": answers, "seconds": time.process_time() - start}
Path(sys.argv[2]).write_text(json.dumps(out), encoding="utf-8")
