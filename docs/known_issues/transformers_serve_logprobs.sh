#!/usr/bin/env bash
# `transformers serve` of transformers 5.24.0 answers a chat that asks for log-probabilities (`logprobs`, `top_logprobs`) by
# status 200 without them, and a completion with `echo` and `logprobs` without the prompt's scores.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
server=0
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check torch==2.13.0 "transformers[serving]==5.24.0"
"$work/venv/bin/python" - "$work/model" <<'PY'
import sys

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

words = ["<s>", "</s>", "<unk>", *"water is wet dry yes no user assistant . ?".split()]
raw = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
tokenizer.chat_template = "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}assistant "
config = LlamaConfig(vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2)
LlamaForCausalLM(config).save_pretrained(sys.argv[1])
tokenizer.save_pretrained(sys.argv[1])
PY
port=$("$work/venv/bin/python" -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
HF_HUB_OFFLINE=1 "$work/venv/bin/transformers" serve "$work/model" --host 127.0.0.1 --port "$port" --device cpu >"$work/log" 2>&1 &
server=$!
"$work/venv/bin/python" - "http://127.0.0.1:$port" "$work/model" <<'PY'
import json
import sys
import time
import urllib.error
import urllib.request

address, model = sys.argv[1:]
for _ in range(600):
    try:
        urllib.request.urlopen(f"{address}/health")
        break
    except urllib.error.URLError:
        time.sleep(0.5)


def ask(path, **body):
    data = json.dumps({"model": model, "max_tokens": 1, "temperature": 0, **body}).encode()
    request = urllib.request.Request(f"{address}/v1{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return answer.status, json.load(answer)["choices"][0]


turns = [{"role": "user", "content": "is water wet ?"}]
chat = ask("/chat/completions", messages=turns, logprobs=True, top_logprobs=5)
echo = ask("/completions", prompt="water is wet", echo=True, logprobs=1)
for status, choice in (chat, echo):
    print("status", status, "logprobs", choice.get("logprobs"))
    assert status == 200 and choice.get("logprobs") is None
PY
