#!/usr/bin/env bash
# model2vec 0.10.0: a saved model's config.json names no model_type (earlier ones did: "model2vec"); only modules.json
# tells it from other folders with a model.safetensors, a tokenizer.json and a config.json.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check model2vec==0.10.0
"$work/venv/bin/python" - "$work/model" <<'PY'
import json
import sys
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer, models

vocabulary = {"[PAD]": 0, "[UNK]": 1, "she": 2, "nurs": 3, "##e": 4}
tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
StaticModel(vectors=np.ones((5, 4), dtype="float32"), tokenizer=tokenizer).save_pretrained(sys.argv[1])
folder = Path(sys.argv[1])
config = json.loads((folder / "config.json").read_text())
modules = json.loads((folder / "modules.json").read_text())
print("config.json:", config)
print("modules.json:", modules[0]["type"])
assert "model_type" not in config
assert "architectures" not in config
assert modules[0]["type"].endswith(".StaticEmbedding")
PY
