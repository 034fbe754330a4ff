#!/usr/bin/env bash
# transformers 5.24.0: Mamba swallows past_key_values= without a word and starts anew (the argument is cache= since 5.24,
# cache_params= before); with cache= and a mask over all tokens, as other models take it, the second step is wrong.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import torch
import transformers

torch.manual_seed(0)
config = transformers.MambaConfig(
    vocab_size=50, hidden_size=32, num_hidden_layers=2, state_size=8, initializer_range=0.25
)
model = transformers.MambaForCausalLM(config).eval()
ids = list(range(3, 11))


@torch.inference_mode()
def differences(name: str, masked: bool) -> list[float]:
    """Of two steps with the cache from whole passes."""
    cache = model(input_ids=torch.tensor([ids]), use_cache=True).cache
    found = []
    for end, token in ((1, 20), (2, 30)):
        text = torch.tensor([[*ids, 20, 30][: len(ids) + end]])
        more = {"attention_mask": torch.ones_like(text)} if masked else {}
        out = model(input_ids=torch.tensor([[token]]), use_cache=True, **{name: cache}, **more)
        found.append(float((out.logits[0, -1] - model(input_ids=text).logits[0, -1]).abs().max()))
        cache = out.cache
    return found


swallowed, plain, masked = (differences(*of) for of in (("past_key_values", False), ("cache", False), ("cache", True)))
print("past_key_values=", swallowed, "\ncache=", plain, "\ncache= with a mask", masked)
assert min(swallowed) > 0.1
assert max(plain) < 1e-4
assert masked[0] < 1e-4 < 0.1 < masked[1]
PY
