#!/usr/bin/env bash
# transformers 5.24.0: Zamba2, stepped with its cache, gives logits 0.0004 from those of one pass, in float64 too; those of
# Zamba are equal but for rounding.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import torch
import transformers

sizes = {
    "vocab_size": 50, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "attention_head_dim": 16, "mamba_d_state": 8, "initializer_range": 0.25,
    "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"],
}
extra = {
    "Zamba2": {"n_mamba_heads": 4, "mamba_headdim": 16, "chunk_size": 8},
    "Zamba": {"attention_hidden_size": 64},
}
for name, more in extra.items():
    torch.manual_seed(0)
    model = getattr(transformers, f"{name}ForCausalLM")(getattr(transformers, f"{name}Config")(**sizes, **more)).double().eval()
    ids, largest = list(range(3, 9)), 0.0
    with torch.inference_mode():
        cache = model(input_ids=torch.tensor([ids]), use_cache=True).cache
        for token in (20, 30, 40):
            ids.append(token)
            out = model(input_ids=torch.tensor([[token]]), cache=cache, use_cache=True)
            whole = model(input_ids=torch.tensor([ids])).logits[0, -1]
            largest = max(largest, float((out.logits[0, -1] - whole).abs().max()))
    print(f"{name}: largest difference {largest:.1g}")
    assert (largest > 1e-5) == (name == "Zamba2")
PY
