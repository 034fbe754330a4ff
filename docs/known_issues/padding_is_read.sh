#!/usr/bin/env bash
# transformers 5.24.0: FNet, ConvBERT and Nystromformer let padding change a text's logits, though an attention mask marks it
# where the model takes one; BERT does not.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.24.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import inspect

import torch
import transformers

sizes = {
    "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "initializer_range": 0.25, "pad_token_id": 0,
}
text = [5, 9, 13, 21]
for name in ("Bert", "FNet", "ConvBert", "Nystromformer"):
    torch.manual_seed(0)
    known = {k: v for k, v in sizes.items() if not (name == "FNet" and k == "num_attention_heads")}
    config = getattr(transformers, f"{name}Config")(**known)
    model = getattr(transformers, f"{name}ForMaskedLM")(config).eval()
    takes_mask = "attention_mask" in inspect.signature(model.forward).parameters
    mask = {"attention_mask": torch.tensor([[1] * 4 + [0] * 3])} if takes_mask else {}
    with torch.inference_mode():
        padded = model(input_ids=torch.tensor([text + [0] * 3]), **mask).logits[0, :4]
        alone = model(input_ids=torch.tensor([text])).logits[0]
    difference = float((padded - alone).abs().max())
    print(f"{name}: largest difference {difference:.2g}")
    assert (difference < 1e-4) == (name == "Bert")
PY
