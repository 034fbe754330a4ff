"""Loading transformers: what works, what is refused, and in which words."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from evaluate_bias.errors import CapabilityError, ModelError
from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.base import Capability, require
from evaluate_bias.models.masked import MaskedLM
from evaluate_bias.models.transformer import Encoder, load_transformer
from tests.support.refusals import refused
from tests.support.tiny_models import MASKED, SENTENCES, tiny_causal, tiny_masked

Save = Callable[..., Path]


@pytest.fixture
def save(tmp_path):
    """Write a model and its tokenizer to a folder."""

    def write(model, tokenizer, name="tiny"):
        folder = tmp_path / name
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return write


def masked_scores(spec: Any, **options: Any) -> list[Any]:
    model: Any = load_transformer(spec, **options)
    return model.pseudo_logprobs(model.encode(SENTENCES[:2]))


def assert_same_scores(spec: Any, other: Any, **options: Any) -> None:
    for a, b in zip(masked_scores(spec, **options), masked_scores(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)


@pytest.mark.parametrize("family", sorted(MASKED))
def test_a_saved_masked_model_gives_the_same_scores(family, save):
    """Published DeBERTas hold ``lm_predictions`` and say nothing of it in their configuration."""
    folder = save(*tiny_masked(family), name=family)
    if family == "deberta-v3-head":
        config = json.loads((folder / "config.json").read_text())
        assert config.pop("legacy") is False
        (folder / "config.json").write_text(json.dumps(config))
    assert_same_scores(folder, tiny_masked(family))


def test_names_of_old_bert_checkpoints_are_understood(bert_folder):
    """``gamma`` and ``beta``, and a head whose bias stands once and whose matrix is that of the input."""
    weights = load_file(bert_folder / "model.safetensors")
    for key in ("cls.predictions.decoder.bias", "cls.predictions.decoder.weight"):
        weights.pop(key, None)
    assert "cls.predictions.bias" in weights
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    for key in list(weights):
        for new_name, old_name in old.items():
            if key.endswith(new_name):
                weights[key.replace(new_name, old_name)] = weights.pop(key)
    save_file(weights, bert_folder / "model.safetensors", metadata={"format": "pt"})
    assert_same_scores(bert_folder, tiny_masked("bert"))


def test_name_and_identity_of_a_folder(bert_folder):
    model = load_transformer(bert_folder)
    assert model.name == "tiny"
    digest = hashlib.sha256((bert_folder / "model.safetensors").read_bytes()).hexdigest()
    assert model.provenance()["weights_sha256"] == {"model.safetensors": digest}
    assert load_transformer(bert_folder, name="mine").name == "mine"


# -- the wrong kind --------------------------------------------------------------------------------------------------


@pytest.fixture
def encoder_folder(save):
    model, tokenizer = tiny_masked("bert")
    body = transformers.BertModel(model.config)
    body.load_state_dict(model.bert.state_dict(), strict=False)
    return save(body, tokenizer, name="sentence-encoder")


def test_an_encoder_without_a_head_cannot_score(encoder_folder):
    refused(CapabilityError, r"sentence-encoder has no", load_transformer, encoder_folder, kind="masked")
    refused(CapabilityError, r"no causal language-model", load_transformer, encoder_folder, kind="causal")
    model = load_transformer(encoder_folder)
    assert isinstance(model, Encoder)
    for need in (Capability.SCORES_MASKED_TOKENS, Capability.SCORES_SEQUENCES):
        refused(CapabilityError, f"pll needs a model that {need}", require, model, [need], "pll")


def test_causal_is_not_masked_and_masked_is_not_causal(bert_folder, save):
    causal = save(*tiny_causal("llama"), name="left-to-right")
    for spec in (causal, tiny_causal("gpt2")):
        refused(CapabilityError, "has no masked-LM head; use a", load_transformer, spec, kind="masked")
    for spec in (bert_folder, tiny_masked("bert")):
        refused(
            CapabilityError, "has no causal language-model head; use a", load_transformer, spec, kind="causal"
        )


@pytest.mark.parametrize(
    ("architectures", "expected"),
    [(None, MaskedLM), (["BertForMaskedLM"], MaskedLM), (["BertModel"], Encoder)],
)
def test_the_checkpoint_declares_its_kind(bert_folder, architectures, expected):
    path = bert_folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"architectures": architectures}))
    assert type(load_transformer(bert_folder)) is expected


# -- next-sentence head ----------------------------------------------------------------------------------------------


def test_next_sentence_head(save):
    model, tokenizer = tiny_masked("bert")
    torch.manual_seed(11)
    both = transformers.BertForPreTraining(model.config).eval()
    scorer = load_transformer(save(both, tokenizer), batch_tokens=40)
    pairs = [
        ("The nurse left.", "She was not able to help."),
        ("He left.", "Nobody believed it."),
        ("The doctor!", "he"),
    ]
    items = [item for item in scorer.encode_pairs(pairs) if isinstance(item, Encoded)]
    found = scorer.next_sentence_logprobs(items)
    for pair, value in zip(pairs, found, strict=True):
        inputs = tokenizer(*pair, return_tensors="pt", return_token_type_ids=True)
        assert inputs["token_type_ids"].sum() > 0
        with torch.no_grad():
            logits = both(**inputs).seq_relationship_logits
        assert value == pytest.approx(logits.log_softmax(-1)[0, 0].item(), rel=1e-6, abs=1e-5)
    scores = scorer.pseudo_logprobs(items)  # the pair's masked scores see the second segment, too
    assert [len(s) for s in scores] == [len(item.positions) for item in items]


# -- damaged, unsafe and missing -------------------------------------------------------------------------------------


def test_pickled_weights_need_the_flag(bert_folder):
    weights = load_file(bert_folder / "model.safetensors")
    torch.save(weights, bert_folder / "pytorch_model.bin")
    (bert_folder / "model.safetensors").unlink()
    refused(ModelError, r"pickled weights \(\.bin\) only.*`allow_pickle` to", load_transformer, bert_folder)
    assert_same_scores(bert_folder, tiny_masked("bert"), allow_pickle=True)
    digest = hashlib.sha256((bert_folder / "pytorch_model.bin").read_bytes()).hexdigest()
    facts = load_transformer(bert_folder, allow_pickle=True).provenance()
    assert facts["weights_sha256"] == {"pytorch_model.bin": digest}


def test_remote_code_is_never_run(bert_folder):
    (bert_folder / "code_beside.py").write_text("class Config: pass\n")
    path = bert_folder / "config.json"
    own = {"model_type": "own", "auto_map": {"AutoConfig": "code_beside.Config"}}
    path.write_text(json.dumps(json.loads(path.read_text()) | own))
    refused(ModelError, "cannot load tiny", load_transformer, bert_folder)
    assert not any(name.endswith("code_beside") for name in sys.modules)


def test_folders_that_hold_no_model(bert_folder, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    refused(ModelError, r"no config\.json and no GGUF file", load_transformer, empty)
    for name in ("a.gguf", "b.gguf"):
        (empty / name).write_bytes(b"GGUF")
    refused(ModelError, "2 GGUF files: name one of them", load_transformer, empty)
    weights = bert_folder / "model.safetensors"
    weights.rename(bert_folder / "elsewhere")
    refused(ModelError, "contains no weights", load_transformer, bert_folder)
    os.mkfifo(weights)
    refused(ModelError, "but a pipe", load_transformer, bert_folder)
    weights.unlink()
    (bert_folder / "elsewhere").rename(weights)
    for path in bert_folder.glob("tokenizer*"):
        path.unlink()
    refused(ModelError, "comes without a vocabulary", load_transformer, bert_folder)
    (bert_folder / "model.safetensors").write_bytes(b"")
    (bert_folder / "config.json").write_text("{")
    refused(ModelError, "cannot load tiny", load_transformer, bert_folder)
