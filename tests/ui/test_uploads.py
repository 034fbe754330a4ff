"""Files from visitors: good ones are read, bad ones are refused with a reason before anything opens them."""

from __future__ import annotations

import gzip
import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluate_bias.errors import DataError
from evaluate_bias.ui import guard
from evaluate_bias.ui.guard import uploaded_pairs, uploaded_vectors
from tests.support import vector_files as vf
from tests.support.refusals import refused

VECTORS = vf.sample(["rose", "wasp", "nice", "vile", "Anna"])
HEADER = "sent_more,sent_less\n"


@pytest.mark.parametrize(
    ("name", "write"),
    [("v.txt", vf.glove), ("v.vec", vf.word2vec_text), ("v.npz", vf.npz), ("v.safetensors", vf.safetensors)],
)
def test_good_vectors_are_read(tmp_path, name, write):
    path = write(tmp_path / name, VECTORS)
    if name == "v.txt":
        path.write_bytes(path.read_bytes() + b"\n")  # a blank line is no word
    vectors = uploaded_vectors(path)
    found, missing = vectors.embed_words(["rose", "Wasp", "zyzzyva"])
    assert missing == [2]
    np.testing.assert_allclose(found[0], VECTORS["rose"], rtol=1e-6)
    assert vectors.name == f"upload {name}"


def bytes_of(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


executable = bytes_of(b"MZ\x90\x00" + bytes(200))


def pickled_array(path: Path) -> None:
    np.savez(path, vectors=np.ones((2, 3)), words=np.array(["rose", None], dtype=object))


def lying_header(path: Path) -> None:
    """A header that tells of 8 TB in a file of a few bytes."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vectors.npy", header.getvalue() + bytes(80))


def not_an_array(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "rose 0.1")


def one_long_line(path: Path) -> None:
    path.write_text("rose " + "0.1 " * 100_000, encoding="utf-8")


BAD = [
    ("model.exe", executable, "a file that ends in"),
    ("model.npz", executable, "binary data of no known format"),
    ("model.txt", bytes_of(pickle.dumps({"rose": [1.0]})), "is a pickle file; save the vectors as text"),
    ("model.npz", pickled_array, "allow_pickle=False"),
    ("model.npz", lying_header, "rows, and this page accepts"),
    ("model.npz", not_an_array, "a zip archive of notes.txt"),
    ("model.vec", one_long_line, "longer than 65536 bytes"),
    ("model.txt", bytes_of(gzip.compress(b"rose 0.1")), "unpack it"),
    ("model.txt", bytes_of(b""), "is empty"),
    ("model.txt", bytes_of(b"w" * 501 + b" 0.1 0.2\n"), "a word longer than 500 bytes in line 1"),
]


@pytest.mark.parametrize(("name", "write", "said"), BAD, ids=[f"{n}-{said}" for n, _, said in BAD])
def test_bad_vectors_are_refused(tmp_path, name, write, said):
    path = tmp_path / name
    write(path)
    caught = refused(DataError, said, uploaded_vectors, path)
    assert str(tmp_path) not in str(caught)


@pytest.mark.parametrize(
    ("limit", "most", "write", "name", "said"),
    [
        ("MAX_VECTOR_BYTES", 50, vf.glove, "v.txt", "this page accepts"),
        ("MAX_UNPACKED_BYTES", 50, vf.npz, "v.npz", "unpacks to .* MB, and this page accepts"),
        ("MAX_VECTORS", 3, vf.glove, "v.txt", "and this page accepts 3 words"),
        ("MAX_VECTORS", 3, vf.npz, "v.npz", "and this page accepts 3 words"),
    ],
)
def test_vectors_beyond_a_limit_are_refused(tmp_path, monkeypatch, limit, most, write, name, said):
    monkeypatch.setattr(guard, limit, most)
    refused(DataError, said, lambda: uploaded_vectors(write(tmp_path / name, VECTORS)))


def test_good_pairs_are_read_and_formulas_stay_text(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(f"{HEADER}=cmd|' /C calc'!A0,She left.\nHe cooks.,She cooks.\n", encoding="utf-8")
    pairs = uploaded_pairs(path, "en")
    assert [p.sent_more for p in pairs] == ["=cmd|' /C calc'!A0", "He cooks."]
    assert pairs.provenance["source"] == "pairs.csv"


def test_an_excel_file_is_read_and_one_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "pairs.xlsx"
    row = {
        "sent_more": "He cooks.",
        "sent_less": "She cooks.",
        "stereo_antistereo": "stereo",
        "bias_type": "x",
    }
    pd.DataFrame([row] * 3).to_excel(path, index=False)
    assert [p.sent_less for p in uploaded_pairs(path, "en")] == ["She cooks."] * 3
    monkeypatch.setattr(guard, "_MAX_UNPACKED_TABLE", 1000)
    refused(DataError, r"pairs.xlsx unpacks to .* MB, and this page accepts", uploaded_pairs, path, "en")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "pairs.csv",
            b"first,second\na,b\n",
            "no column sent_more, sent_less .its columns are first, second.; say with",
        ),
        ("pairs.csv", HEADER.encode() + "Sie kocht früh.,Er kocht.\n".encode("latin-1"), "not utf-8"),
        ("pairs.csv", HEADER.encode() + b"a,b\n" * 501, "501 rows are more than the 500 this page accepts"),
        ("pairs.csv", HEADER.encode() + b"a,b\n" * 600_000, "MB, and this page accepts 2 MB"),
        ("pairs.csv", HEADER.encode() + b"a,b\na," + b"c" * 401, "row 2, sent_less: 401 characters"),
        (
            "pairs.csv",
            b",".join(b"c%d" % i for i in range(51)) + b"\na" + b"," * 50,
            "51 columns are more than the 50",
        ),
        ("pairs.xlsx", b"PK\x03\x04", "it is damaged, or not what its name says"),
        ("pairs.ods", b"PK\x03\x04", "a file that ends in .csv or .tsv or .xlsx"),
        ("pairs.csv", b'sent_more,sent_less\n"' + b"x" * 200_000, "not a table"),
    ],
)
def test_bad_pairs_are_refused(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    caught = refused(DataError, said, uploaded_pairs, path, "en")
    assert str(tmp_path) not in str(caught)
