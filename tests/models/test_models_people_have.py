"""Models as people hold them: bare, in a pipeline, as SentenceTransformer, with an adapter, quantised, spread out."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import peft
import pytest
import torch
import transformers

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, InputError, ModelError
from evaluate_bias.result import Skipped
from tests.support.loopback_hub import Blob, LoopbackHub
from tests.support.processes import run_python
from tests.support.tiny_models import tiny_masked

TEXTS = ["the nurse said she left", "he is a doctor"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny masked model, saved."""
    place = tmp_path_factory.mktemp("models") / "tiny"
    model, tokenizer = tiny_masked("bert")
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def adapter(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA adapter of it that changes its numbers."""
    place = tmp_path_factory.mktemp("adapters") / "adapter"
    torch.manual_seed(1)
    base = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    config = peft.LoraConfig(target_modules=["query", "value"], init_lora_weights=False)
    peft.get_peft_model(base, config).save_pretrained(place)
    return place


def scores(model: Any) -> list[float]:
    loaded = eb.load_model(model) if not hasattr(model, "pseudo_logprobs") else model
    return np.concatenate(loaded.pseudo_logprobs(loaded.encode(TEXTS))).tolist()


# --- bare models and pipelines ------------------------------------------------------------------------------------


def test_a_bare_model_brings_its_tokenizer_from_where_it_is(folder: Path) -> None:
    bare = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    loaded = eb.load_model(bare)
    assert loaded.name == "tiny"
    assert scores(loaded) == pytest.approx(scores(folder), rel=1e-6)


def test_a_bare_model_without_a_tokenizer_is_refused(folder: Path, tmp_path: Path) -> None:
    model = tiny_masked("bert")[0]
    config = copy.deepcopy(model.config)
    config._name_or_path = ""
    fresh = type(model)(config)
    with pytest.raises(
        ModelError, match=r"made in memory names no tokenizer: pass the pair \(model, tokenizer\)"
    ):
        eb.load_model(fresh)
    lone = tmp_path / "lone"
    lone.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(folder / name, lone)
    bare = transformers.AutoModelForMaskedLM.from_pretrained(lone)
    with pytest.raises(ModelError, match="pass the pair"):
        eb.load_model(bare).encode(TEXTS)


@pytest.mark.parametrize("task", ["fill-mask", "feature-extraction"])
def test_a_pipeline_is_its_model_and_tokenizer(task: str, folder: Path) -> None:
    model, tokenizer = tiny_masked("bert")
    loaded = eb.load_model(transformers.pipeline(task, model=model, tokenizer=tokenizer))
    assert scores(loaded) == pytest.approx(scores((model, tokenizer)), rel=1e-6)


def test_a_pipeline_of_another_task_is_refused() -> None:
    pipeline = transformers.pipeline(
        "fill-mask", model=tiny_masked("bert")[0], tokenizer=tiny_masked("bert")[1]
    )
    pipeline.task = "text-classification"
    with pytest.raises(
        ModelError, match="'text-classification' is not a language model that can be measured"
    ):
        eb.load_model(pipeline)
    pipeline.task, pipeline.tokenizer = "fill-mask", None
    with pytest.raises(ModelError, match="has no tokenizer"):
        eb.load_model(pipeline)


# --- adapters -----------------------------------------------------------------------------------------------------


def test_an_adapter_folder_is_the_base_with_the_adapter(folder: Path, adapter: Path) -> None:
    loaded = eb.load_model(adapter)
    by_hand = peft.PeftModel.from_pretrained(
        transformers.AutoModelForMaskedLM.from_pretrained(folder), adapter
    ).merge_and_unload()
    assert scores(loaded) == pytest.approx(scores((by_hand, tiny_masked("bert")[1])), rel=1e-4)
    assert not np.allclose(scores(loaded), scores(folder), rtol=1e-3)
    facts = loaded.provenance()
    assert (facts["name"], facts["base"]) == ("adapter", "tiny")
    assert set(facts["weights_sha256"]) == {"model.safetensors", "adapter_model.safetensors"}


def test_an_adapted_model_in_memory(folder: Path, adapter: Path) -> None:
    tuned = peft.PeftModel.from_pretrained(transformers.AutoModelForMaskedLM.from_pretrained(folder), adapter)
    expected = scores(adapter)
    assert scores(tuned) == pytest.approx(expected, rel=1e-6)
    assert scores((tuned, tiny_masked("bert")[1])) == pytest.approx(expected, rel=1e-6)


def test_a_base_beside_its_adapter(folder: Path, adapter: Path, tmp_path: Path) -> None:
    place = tmp_path / "moved"
    shutil.copytree(adapter, place)
    shutil.copytree(folder, place / "base")
    config = json.loads((place / "adapter_config.json").read_text(encoding="utf-8"))
    (place / "adapter_config.json").write_text(json.dumps({**config, "base_model_name_or_path": "base"}))
    assert scores(place) == pytest.approx(scores(adapter), rel=1e-6)


@pytest.mark.parametrize("named", ["models/tiny", "./models/tiny"])
def test_a_relative_base_is_beside_the_adapter_or_in_the_working_directory(
    named: str, folder: Path, adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, here = tmp_path / "a", tmp_path / "w"
    shutil.copytree(adapter, place)
    shutil.copytree(folder, here / "models" / "tiny")
    path = place / "adapter_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**config, "base_model_name_or_path": named}))
    monkeypatch.chdir(here)
    expected = scores(adapter)
    assert scores(place) == pytest.approx(expected, rel=1e-6)
    assert scores("../a") == pytest.approx(expected, rel=1e-6)
    # A folder beside the adapter comes first, wherever the work is done.
    other = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    with torch.no_grad():
        other.get_input_embeddings().weight.mul_(2)
    other.save_pretrained(place / "models" / "tiny")
    tiny_masked("bert")[1].save_pretrained(place / "models" / "tiny")
    beside = scores(place)
    assert not np.allclose(beside, expected, rtol=1e-3)
    monkeypatch.chdir(tmp_path)
    assert scores(place) == pytest.approx(beside, rel=1e-6)
    # In neither place: both are named.
    shutil.rmtree(place / "models")
    with pytest.raises(ModelError, match=r"there is no .*a/models/tiny' and no .*models/tiny'") as caught:
        eb.load_model(place)
    assert ("Hub" in str(caught.value)) is (not named.startswith("."))


def test_a_model_of_the_hub_is_known_by_its_commit(folder: Path, tmp_path: Path) -> None:
    with LoopbackHub() as hub:
        files = {f"{place}{p.name}": p.read_bytes() for p in folder.iterdir() for place in ("", "a/", "b/")}
        commit = hub.add_repo("model", "org/base", files).at().oid
        script = """
from evaluate_bias import load_model
from evaluate_bias.models import transformer
loaded = [load("org/base", revision=r) for load in (load_model, transformer.load_transformer) for r in (None, "main")]
loaded += [load_model("org/base", subfolder=place) for place in "ab"]
answer([{k: v for k, v in model.provenance().items() if isinstance(v, str)} for model in loaded])
"""
        found = run_python(script, hub.env(tmp_path / "home"), Path.cwd())
    assert {facts["revision"] for facts in found} == {commit}
    assert [facts.get("subfolder") for facts in found] == [None] * 4 + ["a", "b"]


def test_an_adapter_of_the_hub_is_named_by_it_and_its_base_keeps_its_revision(
    folder: Path, adapter: Path, tmp_path: Path
) -> None:
    config = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
    with LoopbackHub() as hub:
        files = {p.name: p.read_bytes() for p in folder.iterdir()}
        base = hub.add_repo("model", "org/base", files)
        pinned = base.at().oid
        base.commit("main", {"README.md": Blob(b"the weights are gone")}, "Remove all")
        config |= {"base_model_name_or_path": "org/base", "revision": pinned}
        weights = (adapter / "adapter_model.safetensors").read_bytes()
        files = {"adapter_config.json": json.dumps(config), "adapter_model.safetensors": weights}
        commit = hub.add_repo("model", "org/lora", files).at().oid
        script = """
import evaluate_bias as eb
model = eb.load_model("org/lora")
facts = model.provenance()
named = eb.load_model("org/lora", name="mine")
answer([model.name, facts["source"], facts["revision"], facts["weights_sha256"], named.name])
"""
        found = run_python(script, hub.env(tmp_path / "home"), Path.cwd())
    assert found[:3] == ["org/lora", "org/lora", commit]
    assert found[3]["base"] == pinned
    assert found[4] == "mine"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"base_model_name_or_path": "./nowhere"}, "is the path './nowhere', and there is no "),
        ({"base_model_name_or_path": "/no/where"}, "and there is no '/no/where'"),
        ({"base_model_name_or_path": "bias/nowhere"}, "(HF_HUB_OFFLINE is set)"),
        ({"base_model_name_or_path": "no where"}, "nor a Hub id"),
        ({"base_model_name_or_path": None}, "does not name the base model"),
        ({"base_model_name_or_path": ""}, "does not name the base model"),
        ({"target_modules": ["no_such_layer"]}, "does not fit its base model tiny"),
        ({"peft_type": "NO_SUCH_TYPE"}, "does not fit its base model tiny"),
        ("not JSON", "does not name the base model"),
        ("no weights", "has no adapter_model.safetensors"),
        ("itself", "names another adapter"),
    ],
)
def test_adapters_that_cannot_be_applied(change: Any, text: str, adapter: Path, tmp_path: Path) -> None:
    place = tmp_path / "broken"
    shutil.copytree(adapter, place)
    path = place / "adapter_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    if change == "not JSON":
        path.write_text("{")
    elif change == "no weights":
        (place / "adapter_model.safetensors").unlink()
    elif change == "itself":
        path.write_text(json.dumps({**config, "base_model_name_or_path": str(place)}))
    else:
        path.write_text(json.dumps({**config, **change}))
    with pytest.raises(ModelError) as caught:
        eb.load_model(place)
    assert text in str(caught.value)
    assert len(str(caught.value)) <= 600


# --- quantised and spread-out models ------------------------------------------------------------------------------


def quantised() -> Any:
    """A model that refuses to be moved, as those of bitsandbytes do."""
    model = tiny_masked("bert")[0]
    fixed = type(model)(model.config)
    fixed.load_state_dict(model.state_dict())
    fixed.is_quantized = True

    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("`.to` is not supported for `4-bit` or `8-bit` models")

    fixed.to = refuse
    return fixed.eval()


def test_a_quantised_folder_on_a_machine_without_its_package(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "quantised"
    shutil.copytree(folder, place)
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    config["quantization_config"] = {"quant_method": "bitsandbytes", "load_in_4bit": True}
    (place / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="cannot load quantised") as caught:
        eb.load_model(place)
    assert "\n" not in str(caught.value)


# --- options of loading -------------------------------------------------------------------------------------------


def test_torch_dtypes_and_devices_are_taken(folder: Path) -> None:
    loaded = eb.load_model(folder, dtype=torch.bfloat16, device=torch.device("cpu"))  # type: ignore[arg-type]
    assert loaded.provenance()["dtype"] == "bfloat16"
    with pytest.raises(InputError, match="dtype must be"):
        eb.load_model(folder, dtype=torch.int8)  # type: ignore[arg-type]


def test_subfolders_and_attention(folder: Path) -> None:
    assert scores(eb.load_model(folder.parent, subfolder="tiny")) == pytest.approx(scores(folder), rel=1e-6)
    assert eb.load_model(folder, attn_implementation="eager").model.config._attn_implementation == "eager"
    for wrong in ("../x", "/", "nowhere"):
        with pytest.raises(ModelError, match="has no folder"):
            eb.load_model(folder.parent, subfolder=wrong)
    with pytest.raises(InputError, match="attn_implementation must be one of eager, sdpa"):
        eb.load_model(folder, attn_implementation="somebody/kernels")


def test_a_token_is_passed_on_and_not_recorded(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    import huggingface_hub

    seen = []

    class Api(huggingface_hub.HfApi):
        def __init__(self, *args: Any, token: Any = None, **options: Any) -> None:
            seen.append(token)
            super().__init__(*args, token=token, **options)

        def model_info(self, *_: Any, **__: Any) -> Any:
            raise ConnectionError("no network in this test")

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    with pytest.raises(BiasError) as caught:
        eb.load_model("org/private-model", token="hf_secret")
    assert seen == ["hf_secret"]
    assert "hf_secret" not in str(caught.value)
    assert "hf_secret" not in json.dumps(dict(eb.load_model(folder, token="hf_secret").provenance()))


# --- SentenceTransformer ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sentences(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    inner = Transformer(str(folder))
    pooling = Pooling(32, "mean")
    return SentenceTransformer(
        modules=[inner, pooling, Normalize()], prompts={"query": "query: "}, default_prompt_name="query"
    )


def test_a_sentence_transformer_embeds_as_it_does_itself(sentences: Any) -> None:
    loaded = eb.load_model(sentences)
    found = loaded.embed_in_context(TEXTS, None, ["own"])  # type: ignore[attr-defined]
    assert np.concatenate(found) == pytest.approx(sentences.encode(TEXTS), rel=1e-5, abs=1e-6)
    facts = loaded.provenance()
    assert facts["modules"] == ["Transformer", "Pooling (mean)", "Normalize"]
    assert facts["prompt"] == "query: "


def test_texts_that_it_would_cut_are_listed(sentences: Any) -> None:
    found = eb.load_model(sentences).embed_in_context([TEXTS[0], "", "word " * 900], None, ["own"])  # type: ignore[attr-defined]
    assert not isinstance(found[0], Skipped)
    assert [type(f) for f in found[1:]] == [Skipped, Skipped]
    assert "longer than" in found[2].reason
