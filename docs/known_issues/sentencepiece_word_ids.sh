#!/usr/bin/env bash
# transformers 5.24.0: word_ids() of XLM-R, CamemBERT, ALBERT and DeBERTa v2 tokenizers end a word at a blank only, so that
# a comma has the number of the word before it; those of BERT and RoBERTa number it for itself.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import transformers
from tokenizers import pre_tokenizers

pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁he", -1.0), (",", -1.0), ("▁she", -1.0)]
bert = [("[CLS]", 0.0), ("[PAD]", 0.0), ("[SEP]", 0.0), ("[UNK]", 0.0), *pieces[4:], ("[MASK]", 0.0)]
made = {
    "XLMRobertaTokenizer": transformers.XLMRobertaTokenizer(vocab=pieces),
    "CamembertTokenizer": transformers.CamembertTokenizer(vocab=pieces),
    "AlbertTokenizer": transformers.AlbertTokenizer(vocab=[*bert, ("<unk>", 0.0)]),
    "DebertaV2Tokenizer": transformers.DebertaV2Tokenizer(vocab=bert),
    "BertTokenizer": transformers.BertTokenizer(
        vocab={t: i for i, t in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "he", ",", "she"])}
    ),
}
for name, tokenizer in made.items():
    encoded = tokenizer("he, she", add_special_tokens=False)
    print(name, tokenizer.convert_ids_to_tokens(encoded["input_ids"]), encoded.word_ids())
    assert encoded.word_ids() == ([0, 1, 2] if name == "BertTokenizer" else [0, 0, 1])
PY
