"""Models as people hold them: bare, in a pipeline, with an adapter, wrapped, quantised."""

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
from tests.support.hub_client import use_hub
from tests.support.loopback_hub import Blob, LoopbackHub
from tests.support.processes import run_python
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import tiny_causal, tiny_masked

TEXTS = ["the nurse said she left", "he is a doctor"]


@pytest.fixture(scope="module")
def folder(saved_bert):
    return saved_bert


@pytest.fixture(scope="module")
def adapter(folder, tmp_path_factory):
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


def test_a_bare_model_brings_its_tokenizer_from_where_it_is(folder):
    bare = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    loaded = eb.load_model(bare)
    assert loaded.name == "tiny"
    assert scores(loaded) == pytest.approx(scores(folder), rel=1e-6)


def test_a_bare_model_without_a_tokenizer_is_refused(folder, tmp_path):
    bare = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    bare.config._name_or_path = ""
    refused(ModelError, r"made in memory names no tokenizer; pass the pair \(model,", eb.load_model, bare)
    for name in ("config.json", "model.safetensors"):
        shutil.copy(folder / name, tmp_path)
    bare = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path)
    refused(ModelError, "pass the pair", lambda: eb.load_model(bare).encode(TEXTS))


def test_a_pipeline_is_its_model_and_tokenizer():
    model, tokenizer = tiny_masked("bert")
    pipeline = transformers.pipeline("fill-mask", model=model, tokenizer=tokenizer)
    assert scores(pipeline) == pytest.approx(scores((model, tokenizer)), rel=1e-6)
    pipeline.task = "text-classification"
    refused(ModelError, "'text-classification' is not a language model that can be", eb.load_model, pipeline)
    pipeline.task, pipeline.tokenizer = "fill-mask", None
    refused(ModelError, "has no tokenizer", eb.load_model, pipeline)


# --- adapters -----------------------------------------------------------------------------------------------------


def test_an_adapter_folder_is_the_base_with_the_adapter(folder, adapter):
    loaded = eb.load_model(adapter)
    by_hand = peft.PeftModel.from_pretrained(
        transformers.AutoModelForMaskedLM.from_pretrained(folder), adapter
    ).merge_and_unload()
    assert scores(loaded) == pytest.approx(scores((by_hand, tiny_masked("bert")[1])), rel=1e-4)
    assert not np.allclose(scores(loaded), scores(folder), rtol=1e-3)
    facts = loaded.provenance()
    assert (facts["name"], facts["base"]) == ("adapter", "tiny")
    assert set(facts["weights_sha256"]) == {"model.safetensors", "adapter_model.safetensors"}


def test_the_tokenizer_in_an_adapter_s_folder_is_used(folder, adapter, tmp_path):
    place = shutil.copytree(adapter, tmp_path / "adapter")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["zyzzyva"])
    tokenizer.chat_template = "{{ messages[0].content }}"
    tokenizer.save_pretrained(place)
    loaded = eb.load_model(place)
    (item,) = loaded.encode(["zyzzyva"])
    assert item.tokens == (len(tokenizer) - 1,)
    assert loaded.model.get_input_embeddings().weight.shape[0] == len(tokenizer)
    assert loaded.tokenizer.chat_template == tokenizer.chat_template
    (place / "tokenizer.json").unlink()
    (place / "tokenizer_config.json").unlink()
    (place / "chat_template.jinja").write_text("{{ messages[0].role }}")
    assert eb.load_model(place).tokenizer.chat_template == "{{ messages[0].role }}"


def test_an_adapted_model_in_memory(folder, adapter):
    tuned = peft.PeftModel.from_pretrained(transformers.AutoModelForMaskedLM.from_pretrained(folder), adapter)
    expected = scores(adapter)
    assert scores(tuned) == pytest.approx(expected, rel=1e-6)
    assert scores((tuned, tiny_masked("bert")[1])) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("named", ["models/tiny", "./models/tiny"])
def test_a_relative_base_is_beside_the_adapter_or_in_the_working_directory(
    named, folder, adapter, tmp_path, monkeypatch
):
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
    refused(ModelError, r"there is no .*a/models/tiny' and no .*models/tiny'", eb.load_model, place)


@pytest.mark.nightly
def test_a_model_of_the_hub_is_known_by_its_commit(folder, tmp_path):
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
    folder, adapter, tmp_path, monkeypatch
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    config = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
    with LoopbackHub() as hub:
        use_hub(hub, monkeypatch)
        files = {p.name: p.read_bytes() for p in folder.iterdir()}
        base = hub.add_repo("model", "org/base", files)
        pinned = base.at().oid
        base.commit("main", {"README.md": Blob(b"the weights are gone")}, "Remove all")
        config |= {"base_model_name_or_path": "org/base", "revision": pinned}
        weights = (adapter / "adapter_model.safetensors").read_bytes()
        files = {"adapter_config.json": json.dumps(config), "adapter_model.safetensors": weights}
        commit = hub.add_repo("model", "org/lora", files).at().oid
        model, named = eb.load_model("org/lora"), eb.load_model("org/lora", name="mine")
    facts = model.provenance()
    assert (model.name, facts["source"], facts["revision"]) == ("org/lora", "org/lora", commit)
    assert facts["weights_sha256"]["base"] == pinned
    assert named.name == "mine"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"base_model_name_or_path": "/no/where"}, "cannot be loaded (there is no '/no/where')"),
        ({"base_model_name_or_path": "bias/nowhere"}, "(HF_HUB_OFFLINE is set)"),
        ({"target_modules": ["no_such_layer"]}, "does not fit its base model tiny"),
        ("not JSON", "does not name the base model"),
        ("no weights", "has no adapter_model.safetensors"),
        ("itself", "names another adapter"),
    ],
)
def test_adapters_that_cannot_be_applied(change, text, adapter, tmp_path):
    place = tmp_path / "broken"
    shutil.copytree(adapter, place)
    path = place / "adapter_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    if change == "not JSON":
        path.write_text("{")
    elif change == "no weights":
        (place / "adapter_model.safetensors").unlink()
    else:
        change = {"base_model_name_or_path": str(place)} if change == "itself" else change
        path.write_text(json.dumps({**config, **change}))
    caught = refused(ModelError, "", eb.load_model, place)
    assert text in str(caught)


# --- options of loading -------------------------------------------------------------------------------------------


def test_torch_dtypes_and_devices_are_taken(folder):
    for dtype in ("torch.bfloat16", torch.bfloat16):
        loaded = eb.load_model(folder, dtype=dtype, device=torch.device("cpu"))
        assert loaded.provenance()["dtype"] == "bfloat16"
    refused(InputError, "dtype", eb.load_model, folder, dtype=torch.int8)


@pytest.mark.parametrize("device", [0, "0", "cuda:0"])
def test_a_number_is_a_gpu(device, folder):
    if torch.cuda.is_available():
        assert str(eb.load_model(folder, device=device).model.device) == "cuda:0"
    else:
        refused(InputError, "'cuda:0' cannot be used", eb.load_model, folder, device=device)
    assert eb.load_model(folder, device=-1).provenance()["device"] == "cpu"


test_options_of_transformers_are_for_transformers = refusals(
    lambda name: eb.load_model("gpt2", **{name: True}),
    *[
        (name, name, r"one of transformers; load the model with transformers and pass the pair \(model, tok")
        for name in ("trust_remote_code", "quantization_config", "cache_dir", "local_files_only")
    ],
    error=InputError,
)


def test_subfolders_and_attention(folder):
    assert scores(eb.load_model(folder.parent, subfolder="tiny")) == pytest.approx(scores(folder), rel=1e-6)
    assert eb.load_model(folder, attn_implementation="eager").model.config._attn_implementation == "eager"
    for wrong in ("../x", "/", "nowhere"):
        refused(ModelError, "has no folder", eb.load_model, folder.parent, subfolder=wrong)
    with pytest.raises(InputError, match="`attn_implementation` must be 'eager', 'sdpa'"):
        eb.load_model(folder, attn_implementation="somebody/kernels")


def test_a_token_is_passed_on_and_not_recorded(monkeypatch, folder):
    import huggingface_hub

    seen = []

    class Api(huggingface_hub.HfApi):
        def __init__(self, *args, token=None, **options):
            seen.append(token)
            super().__init__(*args, token=token, **options)

        def model_info(self, *_, **__):
            raise ConnectionError("no network in this test")

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    caught = refused(BiasError, "", eb.load_model, "org/private-model", token="hf_secret")
    assert seen == ["hf_secret"]
    assert "hf_secret" not in str(caught)
    assert "hf_secret" not in json.dumps(dict(eb.load_model(folder, token="hf_secret").provenance()))


# --- wrapped, quantised, no language model ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrapped",
    [lambda m: torch.compile(m, backend="eager"), torch.nn.DataParallel],
    ids=["torch.compile", "DataParallel"],
)
def test_a_wrapped_model_is_the_model_in_it_and_stays_whole(wrapped):
    model, tokenizer = copy.deepcopy(tiny_masked("bert"))
    expected, names = scores((model, tokenizer)), set(dict(model.named_modules()))
    outside = wrapped(model)
    assert scores((outside, tokenizer)) == pytest.approx(expected, rel=1e-6)
    assert set(dict(model.named_modules())) == names
    model.eval()  # what was put into itself could not be walked through
    assert eb.load_model((outside, tokenizer)).provenance()["architecture"] == "BertForMaskedLM"


@pytest.mark.filterwarnings("ignore:torch", "ignore:For migrations")
@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_a_model_that_torch_quantised_is_measured(kind):
    model, tokenizer = tiny_masked("bert") if kind == "masked" else tiny_causal("gpt2")
    quantised = torch.ao.quantization.quantize_dynamic(
        copy.deepcopy(model).float(), {torch.nn.Linear}, dtype=torch.qint8
    )
    loaded = eb.load_model((quantised, tokenizer))
    variant = "shared" if kind == "masked" else "causal"
    result = eb.measure("crows_pairs", loaded, source="minimal_pairs", variant=variant)
    assert 0 <= result.score <= 100
    assert any("quantises its activations" in warning for warning in result.warnings)
    facts = loaded.provenance()
    assert facts == eb.load_model((quantised, tokenizer)).provenance()
    refused(InputError, "is quantised and cannot be", eb.load_model, (quantised, tokenizer), dtype="float16")
    packed = next(m for m in quantised.modules() if type(m).__module__.endswith("dynamic.modules.linear"))
    weight, bias = packed._weight_bias()
    packed._packed_params.set_weight_bias(
        torch.quantize_per_tensor(weight.dequantize() * 2, weight.q_scale() * 2, 0, torch.qint8), bias
    )
    assert eb.load_model((quantised, tokenizer)).provenance()["weights_sha256"] != facts["weights_sha256"]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes"),
        ({"quant_method": "gptq", "bits": 4}, "gptq"),
        ("x" * 5000, "cannot load quantised"),
    ],
    ids=repr,
)
def test_a_quantised_folder_that_this_machine_cannot_run(folder, tmp_path, config, told):
    place = shutil.copytree(folder, tmp_path / "quantised")
    facts = json.loads((place / "config.json").read_text(encoding="utf-8"))
    (place / "config.json").write_text(json.dumps({**facts, "quantization_config": config}), encoding="utf-8")
    caught = refused(ModelError, "", eb.load_model, place)
    assert told.casefold() in str(caught).casefold()


def test_what_only_looks_like_a_model_is_told_in_a_sentence():
    from sentence_transformers import CrossEncoder

    model, tokenizer = tiny_masked("bert")
    refused(ModelError, r"is a tokenizer; pass the pair \(model, tokenizer\)", eb.load_model, tokenizer)
    refused(ModelError, "a CrossEncoder is not a", lambda: eb.load_model(CrossEncoder.__new__(CrossEncoder)))
    refused(InputError, r"a pair must be \(model, tokenizer\)", eb.load_model, (tokenizer, model))
    refused(
        InputError,
        "vectors, does not support token",
        eb.load_model,
        {"a": [1.0]},
        token="hf_x",
    )


def test_weights_that_are_loaded_layer_by_layer_are_measured_and_known_by_their_configuration():
    accelerate = pytest.importorskip("accelerate")
    model, tokenizer = copy.deepcopy(tiny_masked("bert"))
    expected = scores((model, tokenizer))
    accelerate.cpu_offload(model)
    loaded = eb.load_model((model, tokenizer))
    assert scores(loaded) == pytest.approx(expected, rel=1e-6)
    assert set(loaded.provenance()["weights_sha256"]) == {"config"}


def test_a_missing_part_of_safe_weights_is_no_reason_to_read_pickled_ones(tmp_path):
    model, tokenizer = tiny_causal("gpt2")
    model.save_pretrained(tmp_path, max_shard_size="40kB")
    tokenizer.save_pretrained(tmp_path)
    parts = sorted(tmp_path.glob("model-*.safetensors"))
    assert len(parts) > 1
    parts[-1].unlink()
    caught = refused(ModelError, "", eb.load_model, tmp_path)
    assert "allow_pickle" not in str(caught)


def test_the_chat_template_of_a_processor_is_read(tmp_path):
    model, tokenizer = tiny_causal("gpt2")
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": "{{ messages[0].content }}"}))
    assert eb.load_model(tmp_path).is_chat_model
    (tmp_path / "chat_template.json").write_text("[]")
    refused(ModelError, "chat_template", eb.load_model, tmp_path)
