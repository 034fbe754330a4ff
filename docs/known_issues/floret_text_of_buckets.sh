#!/usr/bin/env bash
# floret 0.10.5: save_floret_vectors writes a text like a .vec file whose lines begin with the numbers of hash buckets
# in place of words, after a header of eight fields. save_vectors writes the words.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check floret==0.10.5
cd "$work"
"$work/venv/bin/python" - <<'PY'
from pathlib import Path

import floret

Path("corpus.txt").write_text("she is a nurse . he is a clerk .\n" * 300)
options = {"hashCount": 2, "bucket": 200, "minn": 2, "maxn": 4, "dim": 4, "minCount": 1, "epoch": 1, "thread": 1}
model = floret.train_unsupervised("corpus.txt", model="cbow", mode="floret", verbose=0, **options)
model.save_floret_vectors("v.floret")
model.save_vectors("v.vec")
buckets, words = (Path(name).read_text().splitlines() for name in ("v.floret", "v.vec"))
print("header:", buckets[0])
print("first fields:", [line.split()[0] for line in buckets[1:5]], [line.split()[0] for line in words[1:5]])
assert len(buckets[0].split()) == 8
assert [line.split()[0] for line in buckets[1:]] == [str(i) for i in range(200)]
assert "nurse" in {line.split()[0] for line in words[1:]}
PY
