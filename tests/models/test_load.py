"""``load_model``: which door each spec goes through, and what is said where there is none."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evaluate_bias import assets
from evaluate_bias.assets import catalogue
from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models import kinds, load
from evaluate_bias.models.load import load_model
from evaluate_bias.models.source import ModelSource
from evaluate_bias.models.static import StaticVectors
from tests.support import vector_files as write
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.refusals import refusals, refused

VECTORS = write.sample(["poppy", "rose", "ant"], dimension=4)
BERT = json.dumps({"model_type": "bert", "architectures": ["BertForMaskedLM"]})


@pytest.fixture
def transformers_recorded(monkeypatch):
    """A transformer is only noted, with how it was asked for."""

    def load_transformer(spec, *, kind="auto", device="auto", dtype="auto", batch_tokens=None):
        given = {"kind": kind, "device": device, "dtype": dtype, "batch_tokens": batch_tokens}
        return SimpleNamespace(spec=spec, given=given, source=ModelSource(str(spec)))

    recorded = load.TRANSFORMERS._replace(load=load_transformer)
    monkeypatch.setattr(load, "TRANSFORMERS", recorded)
    monkeypatch.setattr(
        load, "LOADERS", [recorded if loader is kinds.TRANSFORMERS else loader for loader in load.LOADERS]
    )


# --- in memory ---------------------------------------------------------------------------------------------


class Doubled:
    """A user's own class with the capability to embed words."""

    name = "doubled"

    def provenance(self) -> dict[str, Any]:
        return {"kind": "test"}

    def embed_words(self, words: list[str]) -> tuple[np.ndarray, list[int]]:
        return np.ones((len(words), 2)), []


def test_an_object_with_a_capability_is_returned_as_it_is():
    for model in (Doubled(), StaticVectors(VECTORS)):
        assert load_model(model) is model
    refused(InputError, "doubled, which is a", lambda: load_model(Doubled(), case="lower", kind="static"))


def test_a_pair_goes_to_the_transformers(transformers_recorded):
    pair = (object(), object())
    loaded = load_model(pair, kind="masked", device="cpu", dtype="float32", batch_tokens=64)
    assert loaded.spec is pair
    assert loaded.given == {"kind": "masked", "device": "cpu", "dtype": "float32", "batch_tokens": 64}


def given_spec_options(tmp_path, spec, options):
    spec = write.glove(tmp_path / "v.txt", VECTORS) if spec == "v" else spec
    load_model(spec, **options)


test_options_must_go_with_the_kind_of_model = refusals(
    given_spec_options,
    ("v", {"layer": 3}, "layer", "load_model has no option 'layer'; choose from "),
    ((1, 2), {"case": "lower"}, "case", "load_model of transformers has no option 'case'; choose from"),
    ("v", {"device": "cuda"}, "device", "v.txt, which is word vectors, does not support device"),
    ("v", {"kind": "masked"}, "kind", "which is word vectors, does not support kind"),
    ((1, 2), {"device_map": "auto"}, None, "`device_map` is for a Hub id or a folder, and a tuple has been"),
    ((1, 2), {"kind": "static"}, "kind", "load_model of transformers: `kind` must be 'auto', 'masked', .*"),
    ("v", {"kind": "mlm"}, "kind", "`kind` must be 'auto', 'static', .* got 'mlm'"),
    ("v", {"revision": "main"}, "revision", "the file .* does not support revision"),
    (VECTORS, {"token": "x"}, "token", "a dict, which is word vectors, does not support token"),
    error=InputError,
    fixtures=("tmp_path",),
)


# --- paths -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["./nowhere", "/abs/path", "~/x", "a/b/c", "vectors.vec", "x\\y"])
def test_a_missing_path_is_not_taken_for_a_hub_id(spec):
    refused(ModelError, "no file or folder", load_model, spec)
    refused(ModelError, "no file or folder", load_model, Path(spec))


test_what_cannot_be_a_model_is_told_what_works = refusals(
    load_model,
    ("https://huggingface.co/org/bert", None, "A model of the Hub is given by its id"),
    ("http://localhost:8000/v1", None, "one that a server runs as endpoint:URL#NAME"),
    ("gpt-4o", None, "write a model that a server runs as endpoint:URL#NAME"),
    ("bert-base-uncased,roberta-base", None, "give one model at a time"),
    (["glove-6b-50d", "demo-mlm-en"], None, "give one model at a time"),
    (None, None, "None is not a model; use a Hub id"),
    (np.zeros((2, 2)), None, "a ndarray is not a model; use a Hub id, a local folder or file, a named asset"),
    (object, None, "is not a model; use a Hub id"),
    error=ModelError,
)


def test_a_folder_with_one_vector_file(tmp_path):
    write.npy(tmp_path / "v.npy", VECTORS)
    (tmp_path / "README.md").write_text("about")
    (tmp_path / "requirements.txt").write_text("numpy")
    model = load_model(tmp_path)
    assert (model.name, model.resolve(["rose"])) == ("v.npy", ["rose"])
    assert load_model(str(tmp_path)).dimension == 4


def test_a_model2vec_folder_is_told_apart(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "model2vec", "architectures": ["StaticModel"]}')
    refusal = "is a model2vec or StaticEmbedding model, whose vectors belong to pieces of words"
    refused(ModelError, refusal, load_model, tmp_path)
    # Newer folders name no type: a module says it, in the words of either package.
    (tmp_path / "config.json").write_text('{"max_length": 512, "normalize": false}')
    (tmp_path / "model.safetensors").write_bytes(b"")
    for package in ("models", "sentence_transformer.modules.static_embedding"):
        kind = f"sentence_transformers.{package}.StaticEmbedding"
        (tmp_path / "modules.json").write_text(
            json.dumps([{"idx": 0, "name": "0", "path": ".", "type": kind}])
        )
        for how in ("auto", "static"):
            refused(ModelError, refusal, load_model, tmp_path, kind=how)


def test_gguf_by_content_and_by_folder(tmp_path, transformers_recorded):
    path = tmp_path / "model.of.unusual.name"
    path.write_bytes(b"GGUF\x03\0\0\0")
    loaded = load_model(path)
    assert loaded.spec == path
    path.rename(tmp_path / "model.gguf")
    assert load_model(tmp_path).spec == tmp_path
    refused(ModelError, "is a GGUF model, not a file of word vectors", StaticVectors, tmp_path / "model.gguf")


# --- named assets ------------------------------------------------------------------------------------------


@pytest.fixture
def own_asset(tmp_path, monkeypatch):
    """An asset whose folder is in the cache already, so that nothing is fetched."""
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    asset = assets.Asset(
        name="toy-vectors", kind="word vectors", description="", language="en", licence="CC0-1.0", size=1,
        source=assets.Url("https://example.org/toy.zip", "ab" * 32), members=("*",), entry="v.npy",
        options={"vocabulary": "words.json", "case": "lower"},
    )  # fmt: skip
    folder = assets.asset_folder(asset)
    folder.mkdir(parents=True)
    write.npy(folder / "v.npy", VECTORS, ".json").with_suffix(".json").rename(folder / "words.json")
    monkeypatch.setattr(catalogue, "CATALOGUE", {**catalogue.CATALOGUE, asset.name: asset})
    return asset


def test_a_named_asset_brings_its_own_options_and_comes_before_a_path(own_asset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write.glove(tmp_path / "toy-vectors", write.sample(["other"]))
    model = load_model("toy-vectors")
    assert (model.name, model.resolve(["Rose"])) == ("toy-vectors", ["rose"])
    provenance = model.provenance()
    assert (provenance["source"], provenance["archive_sha256"]) == ("https://example.org/toy.zip", "ab" * 32)
    assert load_model("toy-vectors", case="as_is").resolve(["Rose"]) == [None]
    for path in ("./toy-vectors", Path("toy-vectors")):
        assert "other" in load_model(path)


def test_a_transformer_asset_is_loaded_from_its_entry(
    own_asset, monkeypatch, transformers_recorded, tmp_path
):
    monkeypatch.setattr(assets, "fetch", lambda asset: tmp_path / asset.name)
    loaded = load_model("smollm2-135m")
    assert loaded.spec == tmp_path / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert loaded.source.name == "smollm2-135m"
    assert loaded.source.facts["licence"] == "Apache-2.0"
    encoder = load_model("minilm-l6")
    assert encoder.spec == tmp_path / "minilm-l6"


# --- the Hub, over real HTTP -------------------------------------------------------------------------------

HUB_SCRIPT = """
from evaluate_bias.errors import BiasError
from evaluate_bias import load_model
from evaluate_bias.models import load, source
class Loaded(list):  # what the loader adds to a transformer can be added to it
    source = source.ModelSource("loaded")
load.TRANSFORMERS = load.TRANSFORMERS._replace(
    load=lambda spec, *, kind="auto", revision=None, token=None, **_: Loaded([str(spec), revision])
)
answers = []
for spec, options in json.loads({calls!r}):
    try:
        model = load_model(spec, **options)
    except BiasError as error:
        answers.append(type(error).__name__ + ": " + str(error))
        continue
    if isinstance(model, list):
        answers.append(model)
    else:
        provenance = model.provenance()
        facts = [provenance[k] for k in ("source", "revision", "file", "format")]
        answers.append([model.name, model.resolve(["rose", "absent"]), *facts])
answer(answers)
"""


def ask(hub_environment: dict[str, str], *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    script = HUB_SCRIPT.replace("{calls!r}", repr(json.dumps(calls)))
    answers: list[Any] = run_python(script, hub_environment, Path.cwd())
    return answers


@pytest.fixture
def hub(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    vec = write.word2vec_text(folder / "wiki.vec", VECTORS).read_bytes()
    binary = write.word2vec_binary(folder / "v.bin", VECTORS).read_bytes()
    numbers = write.npy(folder / "m.npy", VECTORS, ".json").read_bytes()
    words = (folder / "m.json").read_bytes()
    with LoopbackHub() as hub:
        hub.add_repo("model", "bias/vec", {"wiki.vec": vec, "README.md": "x", "huge.tar": b"0" * 100})
        hub.add_repo("model", "bias/npy", {"m.npy": numbers, "m.json": words, "other.md": "x"})
        hub.add_repo("model", "bias/two", {"wiki.vec": vec, "v.bin": binary})
        hub.add_repo("model", "bias/bert", {"config.json": BERT, "model.safetensors": b"x", "vocab.txt": "a"})
        hub.add_repo("model", "bias/gguf", {"a.gguf": b"GGUF\3\0\0\0", "README.md": "x"})
        two = dict.fromkeys(("a.gguf", "b.gguf"), b"GGUF\3\0\0\0")
        hub.add_repo("model", "bias/ggufs", {"config.json": BERT, **two})
        hub.add_repo("model", "bias/none", {"README.md": "x"})
        yield hub


def test_word_vectors_and_transformers_on_the_hub(hub, tmp_path):
    home = tmp_path / "home"
    online = hub.env(home)
    answers = ask(
        online,
        ("bias/vec", {}),
        ("bias/npy", {}),
        ("bias/two", {}),
        ("bias/two", {"file": "v.bin"}),
        ("bias/two", {"file": "w.bin"}),
        ("bias/bert", {"revision": "main"}),
        ("bias/gguf", {}),
        ("bias/none", {}),
        ("bias/nowhere", {}),
        ("bias/vec", {"revision": "v9"}),
        ("bias/ggufs", {}),
        ("bias/ggufs", {"file": "b.gguf"}),
    )
    commit = {name: repo.at().oid for (_, name), repo in hub.repos.items()}
    found = ["rose", None]
    assert answers[0] == ["bias/vec", found, "bias/vec", commit["bias/vec"], "wiki.vec", "word2vec text"]
    assert answers[1] == ["bias/npy", found, "bias/npy", commit["bias/npy"], "m.npy", "npy"]
    assert answers[2] == (
        "ModelError: bias/two contains several vector files; set the loading option `file` to one of v.bin, wiki.vec"
    )
    assert answers[3][2:] == ["bias/two", commit["bias/two"], "v.bin", "word2vec binary"]
    assert answers[4].startswith("ModelError: bias/two has no file 'w.bin'; choose from ")
    assert answers[5] == ["bias/bert", commit["bias/bert"]]
    assert answers[6][0].endswith("a.gguf")
    assert answers[7].startswith("ModelError: bias/none contains neither a transformer")
    assert answers[8].startswith("ModelError: model 'bias/nowhere' is not on the Hub")
    assert answers[9] == "ModelError: bias/vec has no revision 'v9' on the Hub"
    assert answers[10] == "ModelError: bias/ggufs contains 2 GGUF files; set `file` to one of a.gguf, b.gguf"
    assert answers[11][0].endswith("b.gguf")
    assert not hub.seen("huge.tar")
    assert not hub.outside

    # The same home without the Hub: what is cached still loads, with the same identity.
    offline = {**online, "HF_HUB_OFFLINE": "1"}
    again = ask(offline, ("bias/vec", {}), ("bias/npy", {}), ("bias/bert", {}), ("bias/new", {}))
    assert again[:2] == answers[:2]
    assert again[2] == ["bias/bert", commit["bias/bert"]]
    assert again[3].startswith(
        "ModelError: 'bias/new' is read as a Hub id, but the Hub cannot be reached (HF_HUB_OFFLINE is set) and the "
        "model is not in the local cache. Without the Hub you can load a local file or folder, or a named asset: "
    )


def test_an_unreachable_hub_and_a_misspelt_asset(tmp_path):
    with LoopbackHub() as hub:
        environment = hub.env(tmp_path / "home")
    (answer,) = ask(environment, ("glove-6b-50", {}))
    assert "the Hub cannot be reached" in answer
    assert answer.endswith("did you mean the named asset 'glove-6b-50d'?")
