"""Each file that is not what it should be gives one clear error that says what is wrong with it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models.load import load_model
from evaluate_bias.models.static import StaticVectors
from tests.support import vector_files as write
from tests.support.refusals import refusals

VECTORS = write.sample(["poppy", "rose", "ant", "wasp"], dimension=3)


def look_up(path: Path, **options: Any) -> None:
    load_model(path, **options).embed_words(["rose"])


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return buffer.getvalue()


NOT_VECTORS = {
    "empty": (b"", "v is empty"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it contains binary data of no known format"),
    "html": (b"<!DOCTYPE html>\n<html></html>", "it looks like an HTML page: was the download refused"),
    "json": (b'{"rose": [1.0, 2.0]}', "not a word-vector file: its first line is"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n", "run 'git lfs pull'"),
    "zip": (zipped(glove_dot_txt=b"the 1 2"), r"a zip archive of glove.txt; unpack it first"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\0", "it looks like a 7z archive: unpack it first"),
    "tar": (b"glove.txt".ljust(257, b"\0") + b"ustar\x0000", "it looks like a tar archive; unpack it first"),
    "torch": (zipped(archive__data_dot_pkl=b"\x80\x02"), "v is a PyTorch model, not a file of word vectors"),
    "bad zip": (b"PK\x03\x04garbage", "v is a damaged zip file"),
    "csv": (b"word,x,y\nrose,1,2\n", "not a word-vector file: its first line is 'word,x,y'"),
    "pickle": (b"\x80\x04\x95\x10\0", "v is a pickle, and loading a pickle can run any code in it"),
}


@pytest.mark.parametrize("case", NOT_VECTORS)
def test_what_is_not_a_vector_file_is_named(case: str, tmp_path: Path) -> None:
    data, expected = NOT_VECTORS[case]
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(ModelError, match=re.escape(expected)):
        look_up(tmp_path / "v")


TEXTS = {
    "fewer rows than told": ("3 2\na 1 2\nb 3 4\n", "the header declares 3 rows and there are 2"),
    "more rows than told": ("1 2\na 1 2\nb 3 4\n", "the header declares 1 rows and there are 2"),
    "header tells other dimension": ("2 3\na 1 2\nb 3 4\n", "line 2 has 2 values and the file's rows have 3"),
    "header of zeros": ("0 0\n", "the header declares 0 words of 0 numbers"),
    "short row": ("a 1 2 3\nb 3 4\nc 5 6 7\n", "line 2 has 2 values and the file's rows have 3"),
    "long row": ("a 1.5 2.5\nb 3.5 4.5 5.5\nc 5.5 6.5\n", "line 2 has 3 values and the file's rows have 2"),
    "decimal comma": ("2 2\na 1 2\nb 3 4,5\n", "line 3: '4,5' is not a number"),
    "odd first line": (
        "1.5 2\na 1 2\nb 3 4\n",
        "should tell how many words there are and of how many numbers",
    ),
    "malformed sign": ("a 1 2\nrose 3 -\nc 5 6\n", "row of 'rose': '-' is not a number"),
    "header only": ("3 2\n", "the header declares 3 rows and there are 0"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_malformed_text_file_is_an_error_with_its_line(case: str, tmp_path: Path) -> None:
    content, expected = TEXTS[case]
    (tmp_path / "v.txt").write_text(content)
    with pytest.raises(ModelError, match=re.escape(expected)):
        look_up(tmp_path / "v.txt")


@pytest.mark.parametrize("cut", [1, 14, 30])
def test_a_truncated_binary_file(cut: int, tmp_path: Path) -> None:
    path = write.word2vec_binary(tmp_path / "v.bin", VECTORS, end=b"")
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(ModelError, match=r"v\.bin is truncated: the header declares 4 rows of 3"):
        look_up(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_truncated_and_damaged_compressed_files(suffix: str, tmp_path: Path) -> None:
    many = write.sample([f"word{i}" for i in range(3000)])
    path = write.compressed(tmp_path / f"v{suffix}", write.glove(tmp_path / "plain", many))
    data = path.read_bytes()
    for broken in (data[: len(data) // 2], data[:8]):
        path.write_bytes(broken)
        with pytest.raises(ModelError, match="data are truncated or damaged"):
            look_up(path)
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 0xFF
    path.write_bytes(damaged)
    with pytest.raises(ModelError, match="data are truncated or damaged|line .* values"):
        look_up(path)


# --- arrays ------------------------------------------------------------------------------------------------


def test_an_array_without_words(tmp_path: Path) -> None:
    path = write.npy(tmp_path / "v.npy", VECTORS)
    path.with_suffix(".txt").unlink()
    with pytest.raises(ModelError, match=r"v\.npy contains numbers and no words; put its words, .* or"):
        look_up(path)
    with pytest.raises(ModelError, match=r"no vocabulary file 'nowhere\.txt'"):
        look_up(path, vocabulary="nowhere.txt")
    with pytest.raises(ModelError, match="has 4 rows and its vocabulary 2 words"):
        look_up(path, vocabulary=["a", "b"])
    with pytest.raises(
        InputError, match="`vocabulary` must be a string, a path, a list of strings or None, got "
    ):
        look_up(path, vocabulary=["a", 7, "c", "d"])
    look_up(path, vocabulary=list(VECTORS))


VOCABULARIES: dict[str, tuple[bytes, str]] = {
    "v.json": (b"[1, 2", "it is not JSON"),
    "x.json": (b'{"a": 0, "b": 2}', "a list of words or an object word -> row number is needed"),
    "y.json": (b'"word"', "a list of words or an object word -> row number is needed"),
    "v.txt": (b"ros\xe9\n", "it is not UTF-8 text"),
    "v.parquet": (b"PAR1", "is not a readable Parquet file"),
    "w.parquet": (write.parquet_of_bytes(word=b"ros\xe9"), "is not a readable Parquet file"),
}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_damaged_vocabulary(name: str, tmp_path: Path) -> None:
    data, expected = VOCABULARIES[name]
    np.save(tmp_path / "m.npy", write.matrix(VECTORS))
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ModelError, match=re.escape(expected)):
        look_up(tmp_path / "m.npy", vocabulary=name)


def test_truncated_and_pickled_arrays(tmp_path: Path) -> None:
    path = write.npy(tmp_path / "v.npy", VECTORS)
    whole = path.read_bytes()
    for cut in (7, 20, len(whole) - 4):
        path.write_bytes(whole[:cut])
        with pytest.raises(ModelError, match=r"v\.npy is not a readable \.npy matrix"):
            look_up(path)
    np.save(path, np.array([{"rose": 1}], dtype=object))
    with pytest.raises(ModelError, match=r"v\.npy is not a readable \.npy matrix"):
        look_up(path)


SAFETENSORS = {
    "two": (
        {"a": np.zeros((2, 3)), "b": np.zeros((2, 3))},
        None,
        r"contains 2 matrices; .* needs its config\.json",
    ),
    "bytes": ({"a": np.zeros((2, 3), dtype=np.int8)}, None, "a is stored as I8; save it as F32, F64 or F16"),
    "no words": ({"a": np.zeros((2, 3))}, None, "contains numbers and no words"),
    "numbers": ({"a": np.zeros((2, 3))}, {"vocabulary": "[1, 2]"}, "in its metadata is not a list of words"),
}


@pytest.mark.parametrize("case", SAFETENSORS)
def test_safetensors_files_that_are_not_vectors(case: str, tmp_path: Path) -> None:
    arrays, metadata, expected = SAFETENSORS[case]
    save_file(arrays, tmp_path / "v.safetensors", metadata=metadata)
    with pytest.raises(ModelError, match=expected):
        look_up(tmp_path / "v.safetensors")


def test_safetensors_with_words_in_lines_and_cut(tmp_path: Path) -> None:
    path = tmp_path / "v.safetensors"
    save_file({"a": np.zeros((2, 3))}, path, metadata={"words": "rose\nant"})
    look_up(path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ModelError, match="is not a readable safetensors file"):
        look_up(path)


# --- values ------------------------------------------------------------------------------------------------


NAN_FILES: dict[str, Callable[[Path, write.Vectors], Path]] = {
    "text": write.glove,
    "binary": write.word2vec_binary,
    "npy": write.npy,
    "npz": write.npz,
}


@pytest.mark.parametrize("format", NAN_FILES)
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_nan_and_infinity_are_named_when_they_are_looked_up(
    format: str, value: float, tmp_path: Path
) -> None:
    vectors = {word: vector.copy() for word, vector in VECTORS.items()}
    vectors["ant"][1] = value
    model = StaticVectors(NAN_FILES[format](tmp_path / f"v.{format}", vectors))
    np.testing.assert_array_equal(model.vector("rose"), VECTORS["rose"])
    with pytest.raises(ModelError, match=r"NaN or infinity in the vector of 'ant'; such vectors cannot"):
        model.embed_words(["rose", "ant"])


test_mappings_that_are_not_vectors = refusals(
    lambda mapping: StaticVectors(mapping).embed_words(["rose"]),
    ({}, None, "the mapping of words to vectors is empty"),
    ({1: [1.0]}, None, "the words of a dict must be strings, and 1 is int"),
    ({"rose": "red"}, None, "the vector of 'rose' is not a list of numbers"),
    ({"rose": [1.0, 2.0], "ant": [np.nan, 1.0]}, None, "NaN or infinity in the vector of 'ant'; such"),
    ({"rose": [[1.0]]}, None, r"the vector of 'rose' is not a list of numbers: shape \(1, 1\)"),
    ({"rose": []}, None, "the vector of 'rose' is not a list of numbers"),
    ({"a": [1.0, 2.0], "rose": [1.0]}, None, "'rose' has 1 numbers and the first of the mapping 2"),
    error=ModelError,
)


def test_what_is_not_there_or_not_a_source(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no file"):
        StaticVectors(tmp_path / "nowhere.txt")
    with pytest.raises(ModelError, match="is a folder; name the vector file in it"):
        StaticVectors(tmp_path)
    with pytest.raises(ModelError, match="a list is not word vectors"):
        StaticVectors([1, 2])
