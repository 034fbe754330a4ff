#!/usr/bin/env bash
# transformers 5.24.0: the class that tokenizer_config.json names rebuilds normaliser and pre-tokenizer and takes only
# vocabulary and merges from tokenizer.json. Named PreTrainedTokenizerFast, the same folder obeys the file.
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
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

letters = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(["<s>", "</s>", "<unk>", *letters])}, []))
tokenizer.normalizer = normalizers.Lowercase()
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
tokenizer.save("tokenizer.json")
Path("config.json").write_text(json.dumps({"model_type": "roberta"}))
tokens = {}
for name in ("PreTrainedTokenizerFast", "RobertaTokenizer"):
    Path("tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name, "unk_token": "<unk>"}))
    tokens[name] = transformers.AutoTokenizer.from_pretrained(".").tokenize("SHE")
    print(name, tokens[name])
assert tokens["PreTrainedTokenizerFast"] == ["Ġ", "s", "h", "e"]
assert tokens["RobertaTokenizer"] == ["S", "H", "E"]
PY
