"""What goes through gensim: its objects, its saved files, fastText's binary models."""

import pickle
import sys

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import save_facebook_model

from evaluate_bias.errors import ModelError
from evaluate_bias.models._vectors import matrices
from evaluate_bias.models.load import load_model
from evaluate_bias.models.static import StaticVectors
from tests.support import vector_files as write
from tests.support.refusals import refused

VECTORS = write.sample(["poppy", "rose", "Zürich", "日本"])
SENTENCES = [["the", "rose", "is", "red"], ["the", "ant", "is", "small"], ["a", "red", "rose"]]


@pytest.fixture(scope="module")
def fasttext_model():
    return FastText(SENTENCES, vector_size=8, min_count=1, bucket=50, min_n=3, max_n=4, seed=1, workers=1)


@pytest.fixture(scope="module")
def fasttext_file(fasttext_model, tmp_path_factory):
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(fasttext_model, str(path))
    return path


@pytest.fixture
def keyed():
    vectors = KeyedVectors(6)
    vectors.add_vectors(list(VECTORS), write.matrix(VECTORS))
    return vectors


def test_keyed_vectors_give_their_vectors(keyed):
    model = load_model(keyed)
    found, missing = model.embed_words(["日本", "absent", "rose"])
    assert missing == [1]
    np.testing.assert_array_equal(found, [VECTORS["日本"], VECTORS["rose"]])
    assert (list(model.words), len(model), model.format) == (list(VECTORS), 4, "gensim KeyedVectors")
    assert model.provenance()["sha256"] == StaticVectors(VECTORS).provenance()["sha256"]


def test_saved_vectors_are_pickles_and_need_permission(keyed, tmp_path):
    path = tmp_path / "v.kv"
    keyed.save(str(path), sep_limit=0)  # the matrix goes to a file of its own, as in large models
    refused(ModelError, r"v\.kv is a pickle, .*set the loading option `allow_pickle` to", load_model, path)
    model = load_model(path, allow_pickle=True)
    np.testing.assert_array_equal(model.vector("rose"), VECTORS["rose"])
    assert sorted(model.provenance()["sha256"]) == ["v.kv", "v.kv.vectors.npy"]
    assert isinstance(load_model(tmp_path, allow_pickle=True), StaticVectors)


def test_a_pickle_of_something_else_is_refused(tmp_path):
    path = tmp_path / "v.pkl"
    Dictionary(SENTENCES).save(str(path))
    refused(ModelError, r"v\.pkl is a pickle of Dictionary, not of", load_model, path, allow_pickle=True)
    for content in (pickle.dumps({"rose": [1.0]}), pickle.dumps({"rose": [1.0] * 99})[:30]):
        path.write_bytes(content)
        refused(ModelError, r"v\.pkl is a pickle that gensim cannot", load_model, path, allow_pickle=True)


def test_fasttext_binary_composes_vectors_of_unknown_words(fasttext_model, fasttext_file):
    model = load_model(fasttext_file)
    found, missing = model.embed_words(["rose", "roses", "redder"])
    assert missing == []
    np.testing.assert_allclose(found, [fasttext_model.wv[w] for w in ("rose", "roses", "redder")], rtol=1e-6)
    assert model.resolve(["rose", "roses", "Rose"]) == ["rose", "roses (subwords)", "Rose (subwords)"]
    assert model.provenance()["subwords"] is True
    assert model.format == "fastText binary"


def test_a_damaged_fasttext_model_is_refused(fasttext_file, tmp_path, monkeypatch):
    """Cut where gensim says so itself; for a cut within a word, on which it waits for ever, the limit is lowered."""
    whole, path = fasttext_file.read_bytes(), tmp_path / "v.bin"
    behind_word, in_matrix = whole.index(b"\0", 92) + 5, whole.index(b"\0", 92) + 1_000
    for cut in (8, 60, 80, behind_word, in_matrix):
        path.write_bytes(whole[:cut])
        refused(ModelError, "cannot be loaded: ", StaticVectors, path)
    monkeypatch.setattr(matrices, "_LONGEST_WORD", 1)
    refused(ModelError, "its dictionary ends in entry 1 of", StaticVectors, fasttext_file)


def test_without_gensim_the_error_says_what_to_install(fasttext_file, tmp_path, monkeypatch):
    pickled = tmp_path / "v.kv"
    pickled.write_bytes(b"\x80\x04N.")
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models.fasttext", None)
    monkeypatch.setitem(sys.modules, "gensim.utils", None)
    for path in (fasttext_file, pickled):
        refused(ModelError, r"gensim, which is not installed:", StaticVectors, path, allow_pickle=True)
