#!/usr/bin/env bash
# Inspect 0.3.285 describes the option `seed` as one that Google takes, and does not send it there (google-genai 3.6.1).
# Mistral (mistralai 3.7.0) gets reasoning_effort "low" as "high". The clients say nothing of either; both are seen at a
# server on this machine that answers in the providers' forms.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  inspect-ai==0.3.285 google-genai==3.6.1 mistralai==3.7.0 openai==3.54.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import asyncio
import inspect
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GOOGLE = {"candidates": [{"content": {"role": "model", "parts": [{"text": "B"}]}, "finishReason": "STOP"}],
          "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1, "totalTokenCount": 6}}
MISTRAL = {"object": "conversation.response", "conversation_id": "x",
           "outputs": [{"type": "message.output", "role": "assistant", "content": "B"}],
           "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}}
sent = {}


class Providers(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        name, reply = ("google", GOOGLE) if "generateContent" in self.path else ("mistral", MISTRAL)
        sent[name] = body["generationConfig" if name == "google" else "completion_args"]
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Providers)
threading.Thread(target=server.serve_forever, daemon=True).start()
for name in ("GOOGLE", "MISTRAL"):
    os.environ |= {f"{name}_API_KEY": "none", f"{name}_BASE_URL": f"http://127.0.0.1:{server.server_port}"}

from inspect_ai.model import GenerateConfig, get_model

(described,) = (line for line in inspect.getsource(GenerateConfig).splitlines() if "Random seed" in line)
print("seed:", described.strip())
config = GenerateConfig(max_tokens=8, temperature=0.5, seed=1, reasoning_effort="low", max_retries=0)


async def ask():
    for model in ("google/gemini-2.5-flash", "mistral/magistral-small-latest"):
        await get_model(model).generate("A or B?", config=config)


asyncio.run(ask())
print("Google gets", sent["google"])
print("Mistral gets", sent["mistral"])
assert "Google" in described
assert sent["google"]["temperature"] == 0.5 and "seed" not in sent["google"]
assert sent["mistral"]["random_seed"] == 1 and sent["mistral"]["reasoning_effort"] == "high"
PY
