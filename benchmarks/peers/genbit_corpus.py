"""Words beside words for women and men by genbit, with the time. JSON in, JSON out.

Its lemmatizer wants a model of stanza, and stanza PyTorch; both are left out by a stand-in that leaves every word as it
is. Its own lists of gendered words and stop words are replaced by those given.
"""

import json
import sys
import time
import types
from pathlib import Path

sys.modules["stanza"] = types.ModuleType("stanza")

from genbit import lemmatizer  # noqa: E402

lemmatizer.Lemmatizer.initialize_lemmatizer = lambda self: None
lemmatizer.Lemmatizer.lemmatize_token = lambda self, token: token

from genbit.genbit_metrics import GenBitMetrics  # noqa: E402

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
metric = GenBitMetrics("en", context_window=given["window"], distance_weight=1.0, percentile_cutoff=0)
own = metric._metrics_calculation
own._stopwords = set(given["stop_words"])
own._female_gendered_words, own._male_gendered_words = set(given["x"]), set(given["y"])
own._non_binary_gendered_words = set()
own._multiword_expressions = {}
lines = Path(given["text"]).read_text(encoding="utf-8").split("\n")
start = time.process_time()
metric.add_data(lines)
seconds = time.process_time() - start
counts = own._unlemmatized_cooccurrence_matrix
joint = [[counts.get(word, {}).get(group, 0) for word in given["words"]] for group in ("female", "male")]
Path(sys.argv[2]).write_text(json.dumps({"joint": joint, "seconds": seconds}), encoding="utf-8")
