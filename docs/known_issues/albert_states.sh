#!/usr/bin/env bash
# transformers 5.24.0: with inner groups, ALBERT's hidden_states hold a state for each part of a layer: seven, not four, for
# three layers of two parts.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import torch
import transformers

config = transformers.AlbertConfig(
    vocab_size=50, embedding_size=16, hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
    intermediate_size=48, inner_group_num=2,
)
states = transformers.AlbertModel(config)(torch.tensor([[5, 6, 7]]), output_hidden_states=True).hidden_states
print(len(states), "states for", config.num_hidden_layers, "layers")
assert len(states) == 7
PY
