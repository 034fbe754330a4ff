"""Damaged, hostile and misunderstood models: one of our errors in a sentence, soon, and never a wrong number."""

from __future__ import annotations

import json
import random
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model
from safetensors.torch import load_file, save_file

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, InputError, ModelError
from evaluate_bias.models.load import load_model
from evaluate_bias.models.masked import MaskedLM
from evaluate_bias.models.static import StaticVectors
from evaluate_bias.models.transformer import load_transformer
from tests.support import vector_files as write
from tests.support.tiny_models import SENTENCES, tiny_causal, tiny_masked

VECTORS = write.sample(["poppy", "rose", "ant", "wasp"], dimension=3)
SECONDS = 600
"""Far above what any of these takes on a quiet machine."""


class TooLong(BaseException):
    """No ``Exception``, so that no handler of the library turns it into a sentence."""


@pytest.fixture(autouse=True)
def _within_seconds() -> Iterator[None]:
    """A hang is a failure of its own test, not of the whole run."""

    def stop(*_: Any) -> None:
        raise TooLong(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def answer(spec: Any, **options: Any) -> str:
    """What is said about ``spec``, by loading or by the first look-up; empty where it was read."""
    try:
        model = load_model(spec, **options)
        if isinstance(model, StaticVectors):
            model.embed_words(["rose", "ant"])
    except BiasError as error:
        return str(error)
    return ""


def refused(spec: Any, **options: Any) -> str:
    """What is said about ``spec``, which must be refused in one sentence."""
    said = answer(spec, **options)
    assert said, "it was read"
    assert 10 < len(said) <= 600, said
    said.encode()
    return said


# --- options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["False", "no", "off", "0", "", 0, 1, None, [], "true"])
def test_only_true_allows_pickles(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "v.kv"
    path.write_bytes(b"\x80\x04N.")
    for load in (load_model, StaticVectors, load_transformer):
        with pytest.raises(InputError, match="allow_pickle must be true or false, not "):
            load(path, allow_pickle=value)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"allow_pickel": True}, "no option 'allow_pickel': did you mean 'allow_pickle'?"),
        ({"divice": "cpu"}, "no option 'divice': did you mean 'device'?"),
        ({"revision": 3}, "revision must be text or None, not 3"),
        ({"file": b"x"}, "file must be text or None"),
        ({"dtype": "float64"}, "dtype must be 'auto', 'float32', 'bfloat16' or 'float16', not 'float64'"),
        ({"device": 7}, "device must be text, not 7"),
        ({"case": "lowercase"}, "case must be 'as_is', 'lower' or 'first_found', not 'lowercase'"),
        ({"vocabulary": 3}, "vocabulary must be text, a path, a list of texts or None, not 3"),
        ({"name": 5}, "name must be text or None, not 5"),
        ({"progress": "no"}, "progress must be true or false, not 'no'"),
        ({"case": "x" * 10_000}, "case must be 'as_is'"),
    ],
)
def test_options_are_checked_before_anything_is_looked_for(given: dict[str, Any], expected: str) -> None:
    assert expected in refused("no-such-owner/no-such-model", **given)


# --- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["", " ", "\n", ".", " . ", Path()])
def test_an_empty_name_is_not_the_working_directory(
    spec: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write.glove(tmp_path / "v.txt", VECTORS)
    for load in (load_model, StaticVectors, load_transformer):
        with pytest.raises(
            InputError, match="names no model, and would measure whatever lies in the working"
        ):
            load(spec)
    assert "rose" in load_model("./v.txt")  # type: ignore[operator]


# --- vector files ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fasttext_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("fasttext") / "v.bin"
    words = [["the", "rose", "is", "red"], ["the", "ant", "is", "black"]]
    model = FastText(words, vector_size=4, min_count=1, bucket=20, seed=1, workers=1)
    save_facebook_model(model, str(path))
    return path.read_bytes()


def test_a_fasttext_model_cut_anywhere_is_refused_at_once(fasttext_bytes: bytes, tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(fasttext_bytes)
    assert "rose" in StaticVectors(path)
    matrix = 4 * 4 * 27
    for cut in [*range(8, 260, 3), len(fasttext_bytes) - matrix - 40]:
        path.write_bytes(fasttext_bytes[:cut])
        said = refused(path)
        assert "damaged or truncated fastText model" in said
        assert "unpack" not in said


WRITERS: dict[str, Callable[[Path, write.Vectors], Path]] = {
    "glove": write.glove,
    "word2vec": write.word2vec_text,
    "binary": write.word2vec_binary,
    "npy": write.npy,
    "npz": write.npz,
    "packed npz": lambda path, vectors: write.npz(path, vectors, np.savez_compressed),
    "safetensors": write.safetensors,
}


@pytest.mark.parametrize("format", [*WRITERS, "fasttext"])
def test_damaged_vector_files_are_ours_to_refuse(format: str, tmp_path: Path, fasttext_bytes: bytes) -> None:
    """Bytes of the header and anywhere set, dropped or doubled: read as vectors, or refused by one of ours."""
    path = tmp_path / f"v{'.npy' if format == 'npy' else '.npz' if 'npz' in format else ''}"
    whole = fasttext_bytes if format == "fasttext" else WRITERS[format](path, VECTORS).read_bytes()
    rng = random.Random(format)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(min(len(data), rng.choice([12, 100, 10**9])))
            change = rng.choice(["set", "drop", "double", "cut"])
            if change == "set":
                data[place] = rng.choice([0, 255, 10, 32, 57, rng.randrange(256)])
            elif change == "cut" and place > 8:
                del data[place:]
            elif change == "drop":
                del data[place : place + rng.randint(1, 9)]
            else:
                data[place:place] = data[place : place + 9]
            data = data or bytearray(b"x")
        path.write_bytes(data)
        assert len(answer(path)) <= 600


# --- transformers ------------------------------------------------------------------------------------------


@pytest.fixture
def bert_folder(tmp_path: Path) -> Path:
    model, tokenizer = tiny_masked("bert")
    model.save_pretrained(tmp_path / "tiny")
    tokenizer.save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


def configure(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    "asked",
    [
        "kernels-community/flash-attn",
        "someone/kernel@main:f",
        "flash_attention_2",
        "flex_attention",
        "paged|x",
    ],
)
@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation", "experts_implementation"])
def test_a_configuration_chooses_no_kernels(asked: str, key: str, bert_folder: Path) -> None:
    expected = load_model(bert_folder)
    configure(bert_folder, **{key: asked})
    model = load_model(bert_folder)
    assert isinstance(model, MaskedLM)
    assert model.model.config._attn_implementation in ("eager", "sdpa")
    assert isinstance(expected, MaskedLM)
    for a, b in zip(*(m.token_logprobs(m.encode(SENTENCES)) for m in (model, expected)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("method", ["mxfp4", "fp8", "someone's", 3, None])
def test_a_configuration_chooses_no_foreign_quantisation(method: Any, bert_folder: Path) -> None:
    configure(bert_folder, quantization_config={"quant_method": method})
    said = refused(bert_folder)
    assert re.search(
        "which may load compiled code|cannot load tiny|does not say how its weights are quantised", said
    )


def test_a_configuration_chooses_no_pickled_weights(bert_folder: Path) -> None:
    torch.save(load_file(bert_folder / "model.safetensors"), bert_folder / "adapter_model.bin")
    configure(bert_folder, transformers_weights="adapter_model.bin")
    assert "asks for pickled weights, 'adapter_model.bin'" in refused(bert_folder)


def test_a_masked_model_that_would_read_from_the_left_only_is_refused(bert_folder: Path) -> None:
    configure(bert_folder, is_decoder=True)
    assert "says is_decoder" in refused(bert_folder)


@pytest.mark.parametrize("kind", ["masked", "encoder"])
def test_layers_that_the_configuration_leaves_out(kind: Any, bert_folder: Path) -> None:
    configure(bert_folder, num_hidden_layers=2)
    said = refused(bert_folder, kind=kind)
    assert (
        "does not fit its weights: it leaves out 16 of their tensors, among them 'bert.encoder.layer.2"
        in said
    )
    configure(bert_folder, num_hidden_layers=4)
    assert "are incomplete: 16 tensors are missing" in refused(bert_folder, kind=kind)


def test_an_encoders_own_checkpoint_is_held_against_its_configuration(tmp_path: Path) -> None:
    model, tokenizer = tiny_masked("bert")
    model.bert.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert load_model(tmp_path).warnings == []  # type: ignore[attr-defined]
    configure(tmp_path, num_hidden_layers=2)
    assert "leaves out 16 of their tensors, among them 'encoder.layer.2" in refused(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", 10**9),
        ("num_hidden_layers", 5_000),
        ("hidden_size", 10**6),
        ("intermediate_size", 10**9),
        ("vocab_size", 10**8),
        ("max_position_embeddings", 10**9),
    ],
)
def test_a_model_that_cannot_be_in_its_weights_is_refused_before_it_is_built(
    key: str, value: int, bert_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    def never(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("it was built")

    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", never)
    configure(bert_folder, **{key: value})
    with pytest.raises(ModelError, match=f"has {key}={value}, more than its weights can hold"):
        load_model(bert_folder)


@pytest.mark.parametrize(
    ("name", "value", "tensor", "shapes"),
    [
        ("vocab_size", 100, "embeddings.word_embeddings.weight", r"220 x 32 and should be 100 x 32"),
        ("hidden_size", 128, "embeddings.LayerNorm.bias", "32 and should be 128"),
        (
            "max_position_embeddings",
            8,
            "embeddings.position_embeddings.weight",
            "64 x 32 and should be 8 x 32",
        ),
        ("intermediate_size", 7, "encoder.layer.0.intermediate.dense.bias", "48 and should be 7"),
    ],
)
@pytest.mark.parametrize("kind", ["masked", "encoder"])
def test_a_size_that_does_not_fit_is_named_with_its_tensor(
    name: str, value: int, tensor: str, shapes: str, kind: Any, bert_folder: Path
) -> None:
    configure(bert_folder, **{name: value})
    said = refused(bert_folder, kind=kind)
    assert f"{tensor}', which is {shapes} by the configuration's {name}={value}" in said
    assert "ignore_mismatched_sizes" not in said


def test_other_weights_of_the_body_are_warned_about_next_to_the_number(bert_folder: Path) -> None:
    path = bert_folder / "model.safetensors"
    weights = load_file(path)
    optional = {
        "bert.pooler.dense.weight": torch.ones(32, 32),
        "cls.seq_relationship.weight": torch.ones(2, 32),
    }
    save_file(weights | optional, path, metadata={"format": "pt"})
    assert load_model(bert_folder).warnings == []  # type: ignore[attr-defined]
    save_file(weights | {"bert.adapter.weight": torch.ones(2)}, path, metadata={"format": "pt"})
    model = load_model(bert_folder)
    (warning,) = model.warnings  # type: ignore[attr-defined]
    assert "no place for 1 of its weights, among them 'bert.adapter.weight'" in warning
    pairs = [{"sent_more": f"{SENTENCES[0]} {i}", "sent_less": f"{SENTENCES[1]} {i}"} for i in range(3)]
    assert warning in eb.measure("pll", model, data=pairs).warnings


ODD_CONFIGS: list[dict[str, Any]] = [
    {"architectures": 5}, {"architectures": [5]}, {"architectures": "Bert"}, {"model_type": 5}, {"model_type": None},
    {"vocab_size": -1}, {"vocab_size": "many"}, {"hidden_size": 0}, {"hidden_size": 2**40}, {"num_attention_heads": 5},
    {"num_attention_heads": 0}, {"num_hidden_layers": "2"}, {"num_hidden_layers": -1}, {"hidden_act": "nothing"},
    {"max_position_embeddings": 1e300}, {"type_vocab_size": None}, {"layer_norm_eps": "x"}, {"torch_dtype": "int3"},
    {"dtype": 5}, {"pad_token_id": 10**9}, {"is_decoder": True}, {"auto_map": {"AutoConfig": "x--y.Z"}},
    {"transformers_weights": "../../x.safetensors"}, {"quantization_config": 5}, {"tie_word_embeddings": "no"},
    {"id2label": 5}, {"num_labels": 10**12}, {"base_model_tp_plan": 3}, {"sub_configs": 5}, {"model_type": "gpt2"},
]  # fmt: skip


@pytest.mark.parametrize("config", ODD_CONFIGS, ids=lambda c: "-".join(f"{k}={v}"[:30] for k, v in c.items()))
def test_odd_configurations_are_read_or_refused_by_one_of_ours(config: Any, bert_folder: Path) -> None:
    configure(bert_folder, **config)
    said = ""
    try:
        model: Any = load_model(bert_folder)
        items = [item for item in model.encode(SENTENCES) if not isinstance(item, eb.Skipped)]
        model.embed_in_context(SENTENCES, None, ["sentence_mean"])
        if isinstance(model, MaskedLM):
            model.token_logprobs(items)
    except BiasError as error:
        said = str(error)
    assert len(said) <= 600


def test_a_file_of_a_folder_lies_within_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for path in (tmp_path / "out.txt", tmp_path / "in" / "v.txt"):
        write.glove(path, VECTORS)
    (tmp_path / "in" / "linked.txt").symlink_to("../out.txt")
    for file in ("v.txt", "./v.txt", "linked.txt"):  # a Hub cache holds links
        assert answer(tmp_path / "in", file=file) == ""
    for file in ("../out.txt", "x/../../out.txt", "..", str(tmp_path / "out.txt")):
        assert "file= must be the name of a file within" in refused(tmp_path / "in", file=file)


def test_a_gguf_file_cut_anywhere_is_said_to_be_cut(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    path = tmp_path / "v.gguf"
    writer = gguf.GGUFWriter(str(path), "gpt2")
    writer.add_context_length(8)
    writer.add_tensor("token_embd.weight", np.zeros((50, 4), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    whole = path.read_bytes()
    for cut in (4, 20, 30, 50, 100, len(whole) - 100):
        path.write_bytes(whole[:cut])
        assert refused(path) == "cannot load v.gguf: the GGUF file is damaged or was cut short"


def test_a_tokenizer_of_another_model_is_refused_by_name() -> None:
    model, _ = tiny_causal("gpt2")
    small = type(model)(type(model.config)(**{**model.config.to_dict(), "vocab_size": 20}))
    loaded = load_transformer((small, tiny_causal("gpt2")[1]))
    with pytest.raises(
        ModelError, match=r"the tokenizer does not belong to .*: it gives token \d+, and the model has 20"
    ):
        loaded.encode(SENTENCES)


def test_what_a_model_raises_while_it_runs_is_ours() -> None:
    model, tokenizer = tiny_masked("bert")

    class Odd(type(model)):  # type: ignore[misc]
        def forward(self, *_: Any, **__: Any) -> Any:
            raise IndexError("index 7 is out of bounds")

    loaded = load_transformer((Odd(model.config), tokenizer), name="odd")
    with pytest.raises(
        ModelError, match=r"odd cannot be run: index 7 is out of bounds \(IndexError\)"
    ) as caught:
        loaded.token_logprobs(loaded.encode(SENTENCES))
    assert isinstance(caught.value.__cause__, IndexError)


# --- numbers of a user's own model -------------------------------------------------------------------------
