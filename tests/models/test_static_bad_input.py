"""Each file that is not what it should be gives one clear error that says what is wrong with it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models.load import load_model
from evaluate_bias.models.static import StaticVectors
from tests.support import vector_files as write
from tests.support.refusals import refusals, refused

VECTORS = write.sample(["poppy", "rose", "ant", "wasp"], dimension=3)


def look_up(path: Path, **options: Any) -> None:
    load_model(path, **options).embed_words(["rose"])


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return buffer.getvalue()


def read(tmp_path, data, name="v", **options):
    (tmp_path / name).write_bytes(data)
    look_up(tmp_path / name, **options)


test_what_is_not_a_vector_file_is_named = refusals(
    read,
    (b"", None, "v is empty"),
    (b"\xef\xbb\xbf", None, "it has no line"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, "it contains binary data of no known format"),
    (b"<!DOCTYPE html>\n<html></html>", None, "it looks like an HTML page: was the download refused"),
    (b'{"rose": [1.0, 2.0]}', None, "not a word-vector file: its first line is"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n", None, "run 'git lfs pull'"),
    (zipped(glove_dot_txt=b"the 1 2"), None, r"a zip archive of glove\.txt; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c\0\0", None, "it looks like a 7z archive: unpack it first"),
    (b"glove.txt".ljust(257, b"\0") + b"ustar\x0000", None, "it looks like a tar archive; unpack it first"),
    (zipped(archive__data_dot_pkl=b"\x80\x02"), None, "v is a PyTorch model, not a file of word vectors"),
    (b"PK\x03\x04garbage", None, "v. cannot be loaded: File is not a zip file"),
    (b"word,x,y\nrose,1,2\n", None, "not a word-vector file: its first line is 'word,x,y'"),
    (b"\x80\x04\x95\x10\0", None, "v is a pickle, and loading a pickle can run any code in it"),
    (b"3 2\na 1 2\nb 3 4\n", None, "the header declares 3 rows and there are 2"),
    (b"0 0\n", None, "the header declares 0 words of 0 numbers"),
    (b"a 1.5 2.5\nb 3.5 4.5 5.5\nc 5.5 6.5\n", None, "line 2 has 3 values and the file's rows have 2"),
    (b"2 2\na 1 2\nb 3 4,5\n", None, "line 3: '4,5' is not a number"),
    (b"1.5 2\na 1 2\nb 3 4\n", None, "line 1 has 1 values and the file's rows have 2"),
    (b"2 999999999999\na 1 2\nb 3 4\n", None, "line 2 has 2 values and the file's rows have 999999999999"),
    (b"2 4 1 2 1 7 < >\n0 1 2 3 4\n1 5 6 7 8\n", None, "line 1: '<' is not a number"),
    (b"a 1 2\nrose 3 -\nc 5 6\n", None, "row of 'rose': '-' is not a number"),
    error=ModelError,
    fixtures=("tmp_path",),
)


@pytest.mark.parametrize("cut", [1, 14, 30])
def test_a_truncated_binary_file(cut, tmp_path):
    path = write.word2vec_binary(tmp_path / "v.bin", VECTORS, end=b"")
    path.write_bytes(path.read_bytes()[:-cut])
    refused(ModelError, r"v\.bin is truncated: the header declares 4 rows of 3", look_up, path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_truncated_and_damaged_compressed_files(suffix, tmp_path):
    many = write.sample([f"word{i}" for i in range(3000)])
    path = write.compressed(tmp_path / f"v{suffix}", write.glove(tmp_path / "plain", many))
    data = path.read_bytes()
    for broken in (data[: len(data) // 2], data[:8]):
        path.write_bytes(broken)
        refused(ModelError, "cannot be loaded: ", look_up, path)
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 0xFF
    path.write_bytes(damaged)
    refused(ModelError, "cannot be loaded: |line .* values", look_up, path)


# --- arrays ------------------------------------------------------------------------------------------------


def test_an_array_without_words(tmp_path):
    path = write.npy(tmp_path / "v.npy", VECTORS)
    path.with_suffix(".txt").unlink()
    refused(ModelError, r"v\.npy contains numbers and no words; put its words, .* or", look_up, path)
    refused(ModelError, r"no vocabulary file 'nowhere\.txt'", look_up, path, vocabulary="nowhere.txt")
    refused(ModelError, "has 4 rows and its vocabulary 2 words", look_up, path, vocabulary=["a", "b"])
    refused(InputError, "`vocabulary` must be a string, a path", look_up, path, vocabulary=["a", 7, "c", "d"])
    for vocabulary in (list(VECTORS), iter(VECTORS), np.array(list(VECTORS))):
        look_up(path, vocabulary=vocabulary)


def read_vocabulary(tmp_path, name, data):
    np.save(tmp_path / "m.npy", write.matrix(VECTORS))
    (tmp_path / name).write_bytes(data)
    look_up(tmp_path / "m.npy", vocabulary=name)


test_a_damaged_vocabulary = refusals(
    read_vocabulary,
    ("v.json", b"[1, 2", None, "v.json. cannot be loaded: Expecting"),
    ("v.json", b'{"a": 0, "b": 2}', None, "a list of words or an object word -> row number is needed"),
    ("v.json", b'"word"', None, "a list of words or an object word -> row number is needed"),
    ("v.txt", b"ros\xe9\n", None, "v.txt. cannot be loaded: .*utf-8"),
    ("v.parquet", b"PAR1", None, "v.parquet. cannot be loaded: "),
    ("v.parquet", write.parquet_of_bytes(word=b"ros\xe9"), None, "v.parquet. cannot be loaded: "),
    error=ModelError,
    fixtures=("tmp_path",),
)


def test_truncated_and_pickled_arrays(tmp_path):
    path = write.npy(tmp_path / "v.npy", VECTORS)
    whole = path.read_bytes()
    for cut in (7, 20, len(whole) - 4):
        path.write_bytes(whole[:cut])
        refused(ModelError, r"v\.npy. cannot be loaded: ", look_up, path)
    np.save(path, np.array([{"rose": 1}], dtype=object))
    refused(ModelError, r"v\.npy. cannot be loaded: ", look_up, path)


def read_tensors(tmp_path, arrays, metadata=None):
    save_file(arrays, tmp_path / "v.safetensors", metadata=metadata)
    look_up(tmp_path / "v.safetensors")


TABLE = np.zeros((2, 3))

test_safetensors_files_that_are_not_vectors = refusals(
    read_tensors,
    ({"a": TABLE, "b": TABLE}, None, r"contains 2 matrices\. .* needs a config\.json"),
    ({"a": TABLE.astype(np.int8)}, None, "a is stored as I8; save it as F32, F64 or F16"),
    ({"a": TABLE}, None, "contains numbers and no words"),
    ({"a": TABLE}, {"vocabulary": "[1, 2]"}, None, "in its metadata is not a list of words"),
    error=ModelError,
    fixtures=("tmp_path",),
)


def test_safetensors_with_words_in_lines_and_cut(tmp_path):
    path = tmp_path / "v.safetensors"
    save_file({"a": np.zeros((2, 3))}, path, metadata={"words": "rose\nant"})
    look_up(path)
    path.write_bytes(path.read_bytes()[:-8])
    refused(ModelError, "v.safetensors. cannot be loaded: .*incomplete", look_up, path)


# --- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [write.glove, write.word2vec_binary, write.npy, write.npz])
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_nan_and_infinity_are_named_when_they_are_looked_up(file, value, tmp_path):
    vectors = {word: vector.copy() for word, vector in VECTORS.items()}
    vectors["ant"][1] = value
    model = StaticVectors(file(tmp_path / f"v.{file.__name__}", vectors))
    np.testing.assert_array_equal(model.vector("rose"), VECTORS["rose"])
    refused(ModelError, r"NaN or infinity in the vector of 'ant'. Such", model.embed_words, ["rose", "ant"])


test_mappings_that_are_not_vectors = refusals(
    lambda mapping: StaticVectors(mapping).embed_words(["rose"]),
    ({}, None, "the mapping of words to vectors is empty"),
    ({1: [1.0]}, None, "the words of a dict must be strings, and 1 is int"),
    ({"rose": "red"}, None, "the vector of 'rose' is not a list of numbers"),
    ({"rose": [1.0, 2.0], "ant": [np.nan, 1.0]}, None, "NaN or infinity in the vector of 'ant'. Such"),
    ({"rose": [[1.0]]}, None, r"the vector of 'rose' is not a list of numbers: shape \(1, 1\)"),
    ({"rose": []}, None, "the vector of 'rose' is not a list of numbers"),
    ({"a": [1.0, 2.0], "rose": [1.0]}, None, "'rose' has 1 numbers and the first of the mapping 2"),
    error=ModelError,
)


def test_what_is_not_there_or_not_a_source(tmp_path):
    refused(ModelError, "no file", StaticVectors, tmp_path / "nowhere.txt")
    refused(ModelError, "is a folder; name the vector file in it", StaticVectors, tmp_path)
    refused(ModelError, "a list is not word vectors", StaticVectors, [1, 2])
