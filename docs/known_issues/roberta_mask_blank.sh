#!/usr/bin/env bash
# transformers 5.24.0: RobertaTokenizer, made from vocab.json and merges.txt, gives <mask> no lstrip, so a blank piece stands
# before every mask: "a <mask>" is three tokens. transformers 4 gave two.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import json
from pathlib import Path

import transformers
from tokenizers import pre_tokenizers

special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
vocabulary = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
Path("vocab.json").write_text(json.dumps({token: i for i, token in enumerate(vocabulary)}))
Path("merges.txt").write_text("#version: 0.2\n")
Path("config.json").write_text(json.dumps({"model_type": "roberta"}))
tokenizer = transformers.AutoTokenizer.from_pretrained(".")
ids = tokenizer("a <mask>", add_special_tokens=False)["input_ids"]
tokens = tokenizer.convert_ids_to_tokens(ids)
print(type(tokenizer).__name__, tokens)
assert type(tokenizer).__name__ == "RobertaTokenizer"
assert tokens == ["a", "Ġ", "<mask>"]
PY
