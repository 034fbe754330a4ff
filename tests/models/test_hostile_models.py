"""Damaged, hostile and misunderstood models: one of our errors in a sentence, soon, and never a wrong number."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import signal
import struct
import zipfile
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
from evaluate_bias.cli.flags import parse_options
from evaluate_bias.errors import BiasError, InputError, ModelError
from evaluate_bias.models._vectors import arrays, streams, text
from evaluate_bias.models._vectors.folder import choose_vector_file
from evaluate_bias.models.load import load_model
from evaluate_bias.models.masked import MaskedLM
from evaluate_bias.models.static import StaticVectors
from evaluate_bias.models.table import TableMLM
from evaluate_bias.models.transformer import load_transformer
from tests.models.test_broken_models import options_of
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


def test_the_command_lines_words_for_no_do_not_allow_pickles(tmp_path: Path) -> None:
    (tmp_path / "v.kv").write_bytes(b"\x80\x04N.")
    for word in ("False", "no", "off", "false"):
        said = refused(tmp_path / "v.kv", **parse_options([f"allow_pickle={word}"]))
        assert "allow_pickle must be true or false" in said or "loading a pickle can run any code" in said


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


FOREIGN = [
    5, 1.5, None, True, b"bert", b"\xff", object(), [], {}, (), (1,), (None, None), {"a"}, {1: [1.0]}, {"a": None},
    {"a": "red"}, {"a": {}}, {"a": [[1.0], []]}, {"a": object()}, range(3), iter("a"), "\ud800", "a\0b", "\ud800/x",
    "x" * 5000, "../" * 2000, "~nobody-here/x", "a/b/c", "user/" + "x" * 500, lambda: 0, np.array([1.0]), Exception,
]  # fmt: skip


@pytest.mark.parametrize("spec", FOREIGN, ids=range(len(FOREIGN)))
def test_what_is_no_model_is_one_of_our_errors(spec: Any) -> None:
    refused(spec)


def test_pipes_are_not_waited_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "v.txt")
    for load in (load_model, StaticVectors, load_transformer):
        with pytest.raises(ModelError, match="neither a file nor a folder but a pipe, a socket or a device"):
            load(tmp_path / "v.txt")
    assert "nor a word-vector file" in refused(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "tokenizer_config.json"])
def test_a_pipe_in_a_transformers_folder(name: str, bert_folder: Path) -> None:
    (bert_folder / name).unlink(missing_ok=True)
    os.mkfifo(bert_folder / name)
    assert "a pipe, a socket or a device" in refused(bert_folder)


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


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (8, -1),
        (8, 2**31 - 1),
        (40, -5),
        (40, 2**31 - 1),
        (64, 2**31 - 1),
        (64, -1),
        (68, 2**30),
        (48, 2**31 - 1),
        (44, -1),
    ],
)
def test_a_fasttext_header_that_does_not_fit(
    fasttext_bytes: bytes, offset: int, value: int, tmp_path: Path
) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(fasttext_bytes[:offset] + struct.pack("<i", value) + fasttext_bytes[offset + 4 :])
    assert "damaged or truncated fastText model" in refused(path)


def test_an_archive_of_zeros_is_refused_by_its_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "_LARGE", 1 << 20)
    path = tmp_path / "v.npz"
    np.savez_compressed(path, vectors=np.zeros((1 << 16, 16)), words=np.array(["a"] * (1 << 16)))
    assert "made to fill the memory" in refused(path)
    rng = np.random.default_rng(0)
    np.savez_compressed(path, vectors=rng.normal(size=(1 << 14, 16)), words=np.arange(1 << 14).astype(str))
    assert "77" in StaticVectors(path)


def test_an_archive_that_tells_more_than_it_holds(tmp_path: Path) -> None:
    """The header of a member tells a terabyte, which numpy would reserve before it reads."""
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f4", "fortran_order": False, "shape": (1 << 30, 300)}
        )
        with zipfile.ZipFile(tmp_path / "v.npz", "w", compression) as archive:
            archive.writestr(
                "vectors.npy", b"\x93NUMPY\x01\0" + header.getvalue().removeprefix(b"\x93NUMPY\x01\0")
            )
        assert "would unpack to 1,288,490,188,800 bytes" in refused(tmp_path / "v.npz")


def test_lines_and_headers_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "v.txt.gz"
    path.write_bytes(gzip.compress(b"a" * (1 << 26)))
    assert "holds a line of more than 2,097,152 bytes" in refused(path)
    path.write_bytes(gzip.compress(b"rose 1 2\n" * 20 + b"ant " * (1 << 22)))
    assert "holds a line of more than 2,097,152 bytes" in refused(path)
    for header in (b"4 1000000000\n", b"1 70000\n"):
        for rest in (b"a 1\n", b"\0" * 4000):
            (tmp_path / "v").write_bytes(header + rest)
            assert "numbers, more than 65,536" in refused(tmp_path / "v")
    (tmp_path / "v").write_bytes(b"9" * 5000 + b" 3\n" + b"\0" * 40)
    assert "binary data of no known format" in refused(tmp_path / "v")
    monkeypatch.setattr(streams, "_MOST_ROWS", 15_000)
    (tmp_path / "v").write_bytes(b"a 1 2\n" * 30_000)
    assert "holds more than 15,000 rows" in refused(tmp_path / "v")


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


def test_tensors_are_vectors_with_or_without_a_gradient() -> None:
    graded = torch.ones(3, requires_grad=True)
    model = StaticVectors({"a": graded, "b": torch.ones(3, dtype=torch.bfloat16), "c": 2 * graded})
    assert model.embed_words(["a", "b", "c"])[0].tolist() == [[1.0] * 3, [1.0] * 3, [2.0] * 3]
    with pytest.raises(ModelError, match="the vector of 'a' is not a list of numbers"):
        StaticVectors({"a": torch.ones(3, device="meta")})


def test_words_that_are_no_text() -> None:
    model = StaticVectors(VECTORS)
    for word in (["rose"], None, 3, {"a"}):
        with pytest.raises(InputError, match="words must be strings, and "):
            model.embed_words([word])  # type: ignore[list-item]
    assert model.embed_words(["\ud800"])[1] == [0]


def test_many_names_and_pieces_take_no_quadratic_time() -> None:
    assert choose_vector_file([f"part{i}.of.many.md" for i in range(30_000)] + ["v.bin"], "here") == "v.bin"
    pieces = {f"word{i}": 1e-4 for i in range(30_000)}
    model = TableMLM({"[MASK] ran": {"0": pieces}})
    assert len(model.tokenizer) == 30_004
    assert len(model.encode([" ".join(pieces)])) == 1


def test_the_list_of_an_archive_is_made_once_not_once_per_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(tmp_path / "v.npz", **{f"word{i}": np.ones(2) for i in range(500)})  # type: ignore[arg-type]
    lists: list[int] = []
    listed = zipfile.ZipFile.namelist
    monkeypatch.setattr(zipfile.ZipFile, "namelist", lambda self: lists.append(1) or listed(self))
    assert "word499" in StaticVectors(tmp_path / "v.npz")
    assert len(lists) < 10


def test_a_compressed_file_is_read_once_for_many_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = write.sample([f"word{i}" for i in range(400)], dimension=2)
    model = StaticVectors(write.compressed(tmp_path / "v.gz", write.glove(tmp_path / "v", many)))
    model.embed_words(["word0"])
    opened: list[int] = []
    read = text.TextLayout.read
    monkeypatch.setattr(text.TextLayout, "read", lambda *a: opened.append(a[1].tell()) or read(*a))
    found = model.embed_in_context([f"word{i} and word{i + 1}" for i in range(399)], None, ["sentence_mean"])
    assert len(found) == 399
    assert opened == sorted(opened)  # front to back, once


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


@pytest.mark.parametrize(
    "content", ["", "[" * 100_000, "{" * 100_000, "null", "[]", '"bert"', "9" * 5000, "\0", "{}"]
)
def test_damaged_configurations(content: str, bert_folder: Path) -> None:
    (bert_folder / "config.json").write_text(content)
    fault = {"{}": "names no model_type", "null": "is no JSON", "[]": "is no JSON", '"bert"': "is no JSON"}
    assert f"tiny {fault.get(content, 'is damaged: it cannot be read as JSON')}" in refused(bert_folder)


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


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "model.safetensors"])
@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"\xff" * 64])
def test_damaged_files_beside_a_good_configuration(name: str, content: bytes, bert_folder: Path) -> None:
    (bert_folder / name).write_bytes(content)
    refused(bert_folder)


def test_devices_that_hold_no_numbers(bert_folder: Path) -> None:
    for device in ("meta", "abacus", "cuda:99", "", "cpu:x", "\ud800", "x" * 5000):
        assert "cannot be used here" in refused(bert_folder, device=device)
    model, tokenizer = tiny_masked("bert")
    with torch.device("meta"):
        empty = type(model)(model.config)
    for options in ({}, {"device": "cpu"}):
        assert "has no weights: they are on the device 'meta'" in refused((empty, tokenizer), **options)
    assert load_model((model, tokenizer), device=torch.device("cpu"))


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


class Own:
    """A user's own masked language model, whose numbers are set to one value."""

    name = "own"

    def __init__(self, value: float) -> None:
        self._value, self._real = value, load_transformer(tiny_masked("bert"), progress=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def provenance(self) -> dict[str, Any]:
        return {"name": "own"}

    def _spoilt(self, found: Any) -> list[Any]:
        return [np.full_like(f, self._value) if isinstance(f, np.ndarray) else f for f in found]

    def encode(self, texts: Any) -> Any:
        return self._real.encode(texts)

    def embed_in_context(self, *args: Any) -> Any:
        return self._spoilt(self._real.embed_in_context(*args))

    def pseudo_logprobs(self, *args: Any) -> Any:
        return self._spoilt(self._real.pseudo_logprobs(*args))

    def masked_logprobs(self, *args: Any) -> Any:
        return self._spoilt(self._real.masked_logprobs(*args))

    def token_logprobs(self, *args: Any) -> Any:
        return self._spoilt(self._real.token_logprobs(*args))

    def mask_distributions(self, *args: Any) -> Any:
        return self._spoilt(self._real.mask_distributions(*args))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("method", ["disco", "stereoset", "lpbs", "mlm_gender_score"])
def test_a_users_own_model_of_nan_has_no_score(method: str, value: float) -> None:
    with pytest.raises(ModelError, match="'own' returns NaN or infinite numbers"):
        eb.measure(method, Own(value), **options_of(method))


def test_a_users_own_vectors_of_nan_have_no_score() -> None:
    class Words:
        name = "own"

        def provenance(self) -> dict[str, Any]:
            return {"name": "own"}

        def embed_words(self, words: list[str]) -> tuple[np.ndarray, list[int]]:
            return np.full((len(words), 2), np.nan), []

    with pytest.raises(ModelError, match=r"'own' returns NaN or infinite numbers \(embed_words\)"):
        eb.measure("weat", Words(), tests="weat6")


@pytest.mark.parametrize("p", [float("nan"), float("inf"), 0.0, -0.1, 1.5, "0.5", True, None])
def test_a_table_holds_probabilities(p: Any) -> None:
    with pytest.raises(InputError, match=r"the probability of 'she' must be in \(0, 1\], not "):
        TableMLM({"[MASK] ran": {"0": {"she": p}}})
