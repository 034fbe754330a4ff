"""Folders and repositories of a SentenceTransformer, named by a text: its own embeddings, and what is not run."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, ModelError
from evaluate_bias.result import Skipped
from tests.support.refusals import refused

TEXTS = ["the nurse said she left", "he is a doctor", "she"]
SEAT = {"tests": ["weat6"], "n_resamples": 99, "ci_resamples": 99, "max_missing": 0.5}


def own(model: Any, texts: list[str] = TEXTS) -> np.ndarray:
    return np.concatenate(model.embed_in_context(texts, None, ["own"]))


def said_of(warnings: Any) -> list[str]:
    return [w for w in warnings if "SentenceTransformer" in w]


@pytest.fixture(scope="module")
def made(saved_bert, tmp_path_factory):
    """Makes a SentenceTransformer, once in memory and once as a folder."""

    def make(pooling, *further, prompt=""):
        prompts: dict[str, Any] = (
            {"prompts": {"q": prompt, "other": "never: "}, "default_prompt_name": "q"} if prompt else {}
        )
        torch.manual_seed(0)  # of the transformer's pooler, which the folder lacks
        model = SentenceTransformer(
            modules=[Transformer(str(saved_bert)), Pooling(32, pooling), *further], device="cpu", **prompts
        )
        place = tmp_path_factory.mktemp("sentences") / "st-folder"
        model.save_pretrained(str(place))
        return model, place

    return make


def dense(seed: int = 3) -> Any:
    torch.manual_seed(seed)
    return Dense(32, 8, activation_function=torch.nn.Tanh())


@pytest.mark.parametrize(("pooling", "prompt"), [("mean", "query: "), ("cls", ""), ("lasttoken", "query: ")])
def test_own_of_a_folder_is_what_encode_returns(made, pooling, prompt):
    model, place = made(pooling, Normalize(), prompt=prompt)
    loaded = eb.load_model(place)
    assert own(loaded) == pytest.approx(model.encode(TEXTS), rel=1e-5, abs=1e-6)
    assert own(loaded) == pytest.approx(own(eb.load_model(model)), rel=1e-6, abs=1e-7)
    facts = loaded.provenance()
    assert facts["modules"] == ["Transformer", f"Pooling ({pooling})", "Normalize"]
    assert facts["prompt"] == prompt
    assert np.linalg.norm(own(loaded), axis=1) == pytest.approx(1.0, rel=1e-5)


def test_own_by_hand(made):
    """Pooling, a layer and length worked out here from the states of the transformer."""
    layer = dense()
    _, place = made("mean", layer, Normalize())
    loaded: Any = eb.load_model(place)
    assert loaded.layer_count > 0
    tokens = loaded.tokenizer(TEXTS, return_tensors="pt", padding=True)
    with torch.inference_mode():
        states = loaded.model.base_model(**tokens).last_hidden_state
        weights = tokens["attention_mask"].unsqueeze(-1)
        mean = (states * weights).sum(1) / weights.sum(1)
        dense_out = torch.tanh(mean @ layer.linear.weight.T + layer.linear.bias)
    expected = (dense_out / dense_out.norm(dim=1, keepdim=True)).numpy()
    assert own(loaded).shape == (3, 8)
    assert own(loaded) == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_further_weights_belong_to_its_identity(made):
    (first, one), (_, other) = made("mean", dense(1)), made("mean", dense(2))
    sums = []
    for place in (one, other):
        loaded = eb.load_model(place)
        assert "modules" not in loaded.provenance()["weights_sha256"]
        own(loaded)
        sums.append(loaded.provenance()["weights_sha256"])
    assert sums[0]["modules"] != sums[1]["modules"]
    assert sums[0]["model.safetensors"] == sums[1]["model.safetensors"]
    assert eb.load_model(first).provenance()["weights_sha256"]["modules"] == sums[0]["modules"]


def test_another_representation_is_measured_as_before_and_says_so(made, saved_bert):
    model, place = made("mean", Normalize())
    shutil.copytree(place, bare := place.parent / "bare")
    (bare / "modules.json").unlink()
    found = eb.measure("seat", place, **SEAT)
    plain = eb.measure("seat", bare, **SEAT)
    assert found.score == plain.score
    assert found.p_value == plain.p_value
    assert found.settings["representation"] == plain.settings["representation"] == "cls"
    assert len(said_of(found.warnings)) == 1
    assert "'cls'. What it makes of a text itself" in said_of(found.warnings)[0]
    assert not said_of(plain.warnings)
    assert "modules" not in plain.provenance["model"]
    assert found.provenance["model"]["modules"] == ["Transformer", "Pooling", "Normalize"]
    assert len(said_of(eb.measure("seat", model, **SEAT).warnings)) == 1
    loaded: Any = eb.load_model(place)
    loaded.embed_in_context(TEXTS[:1], [(4, 9)], ["target_mean"])
    assert not said_of(loaded.warnings)


def test_a_prompt_counts_towards_the_length_that_is_read(made):
    model, place = made("mean", prompt="he is a doctor ")
    limit = model.max_seq_length = 8
    text = next(
        t for t in ("she " * n for n in range(1, 20)) if len(model.tokenizer(t)["input_ids"]) == limit
    )
    assert isinstance(eb.load_model(model).embed_in_context([text], None, ["own"])[0], Skipped)
    found = eb.load_model(place).embed_in_context(["", "word " * 900, "he"], None, ["own"])
    assert [isinstance(f, Skipped) for f in found] == [True, True, False]


def test_own_is_measured_by_itself(made, saved_bert):
    _, place = made("cls")
    with pytest.raises(CapabilityError, match="by itself"):
        eb.load_model(place).embed_in_context(TEXTS, None, ["own", "cls"])
    with pytest.raises(CapabilityError, match="name the folder or Hub id of one"):
        eb.load_model(saved_bert).embed_in_context(TEXTS, None, ["own"])


def changed(place: Path, file: str, change: Callable[[Any], Any]) -> Path:
    path = place / file
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    return place


def foreign(modules: Any) -> Any:
    return [*modules, {"idx": 9, "name": "9", "path": "9_Own", "type": "module_beside.Own"}]


REFUSED: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "code beside it": ("modules.json", foreign, "code of its own"),
    "another package": (
        "modules.json",
        lambda m: [*m, {**m[1], "type": "other.Pooling"}],
        "code of its own",
    ),
    "outside": ("modules.json", lambda m: [m[0], {**m[1], "path": "../elsewhere"}], "outside the folder"),
    "options": (
        "sentence_bert_config.json",
        lambda c: {**c, "model_args": {"x": 1}},
        "model_args, which may",
    ),
    "activation": ("2_Dense/config.json", lambda c: {**c, "activation_function": "math.sqrt"}, "activation_"),
    "a damaged pooling": ("1_Pooling/config.json", lambda c: [], "cannot load"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_run_is_refused(made, case):
    _, place = made("mean", dense())
    (place / "module_beside.py").write_text("class Own:\n    pass\n")
    file, change, said = REFUSED[case]
    loaded = eb.load_model(changed(place, file, change))
    refused(ModelError, said, own, loaded)
    assert not any(name.endswith("module_beside") for name in sys.modules)


def test_pickled_weights_of_a_further_module_are_not_read(made):
    _, place = made("mean", dense())
    weights = place / "2_Dense" / "model.safetensors"
    torch.save({"x": 1}, place / "2_Dense" / "pytorch_model.bin")
    weights.unlink()
    refused(ModelError, "pickled weights can run code", lambda: own(eb.load_model(place)))


@pytest.mark.parametrize("text", ["", "{}", "[1]"])
def test_a_damaged_list_of_modules_leaves_a_transformer(made, text):
    _, place = made("mean")
    (place / "modules.json").write_text(text)
    loaded: Any = eb.load_model(place)
    assert "modules" not in loaded.provenance()
    assert loaded.embed_in_context(TEXTS, None, ["cls"])
