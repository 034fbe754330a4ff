#!/usr/bin/env bash
# transformers 5.24.0: the cache of hybrid models has batch_repeat_interleave and batch_select_indices, but its linear
# attention layers lack both; reorder_cache, the way of beam search, repeats and drops rows of all of them.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import torch
import transformers

config = transformers.Qwen3_5TextConfig(
    vocab_size=50, hidden_size=32, intermediate_size=48, num_hidden_layers=4, num_attention_heads=4,
    num_key_value_heads=2, head_dim=8, linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8,
    linear_value_head_dim=8,
)
torch.manual_seed(0)
model = transformers.Qwen3_5ForCausalLM(config).eval()
with torch.inference_mode():
    cache = model(input_ids=torch.arange(3, 9)[None], use_cache=True).cache
    for name, argument in (("batch_repeat_interleave", 2), ("batch_select_indices", torch.tensor([0]))):
        try:
            getattr(cache, name)(argument)
        except AttributeError as error:
            print(name, "->", error)
        else:
            raise SystemExit(f"{name} works now")
    cache.reorder_cache(torch.tensor([0, 0]))
    stepped = model(input_ids=torch.tensor([[9], [10]]), cache=cache, use_cache=True).logits[:, -1]
    whole = torch.cat([model(input_ids=torch.tensor([[*range(3, 9), t]])).logits[:, -1] for t in (9, 10)])
print("after reorder_cache, largest difference from whole passes:", float((stepped - whole).abs().max()))
assert torch.allclose(stepped, whole, atol=1e-5)
PY
