"""Means of word vectors as embeddings of texts."""

import numpy as np
import pytest

from evaluate_bias.errors import CapabilityError, InputError
from evaluate_bias.models.static import StaticVectors
from evaluate_bias.result import Skipped
from tests.support.refusals import refusals

VECTORS = {
    "this": [1.0, 0.0, 0.0],
    "is": [0.0, 1.0, 0.0],
    "nurse": [0.0, 0.0, 1.0],
    "new": [2.0, 0.0, 0.0],
    "york": [0.0, 2.0, 0.0],
    "don't": [5.0, 5.0, 5.0],
}


@pytest.fixture
def vectors():
    return StaticVectors(VECTORS, case="lower")


def test_mean_of_the_words_of_a_text_and_the_vector_of_one(vectors):
    (found,) = vectors.embed_in_context(["This is a nurse."], [(10, 15)], ["sentence_mean", "target_mean"])
    np.testing.assert_allclose(found, [[1 / 3, 1 / 3, 1 / 3], [0, 0, 1]])

    (text,) = vectors.embed_in_context(["Don't!"], None, ["sentence_mean"])
    (city,) = vectors.embed_in_context(["This is New York"], [(8, 16)], ["target_mean"])
    np.testing.assert_allclose(text, [[5, 5, 5]])
    np.testing.assert_allclose(city, [[1, 1, 0]])


def test_what_has_no_vector_is_listed(vectors):
    found = vectors.embed_in_context(
        ["This is an engineer", "…", " "], [(11, 19), None, None], ["sentence_mean"]
    )
    assert [item.reason for item in found if isinstance(item, Skipped)] == [
        "mapping has no vector for 'engineer'",
        "mapping has no vector for any word of the text",
        "the text is empty",
    ]


test_requests_that_do_not_fit = refusals(
    lambda vectors, spans, representations: vectors.embed_in_context(["this"], spans, representations),
    (None, ["target_mean"], None, "give its span"),
    ([(0, 9)], ["target_mean"], None, "does not lie"),
    (None, [], "representation", "at least one"),
    (None, ["cls"], None, "mapping has one vector per word, so it has no 'cls'"),
    (None, ["sentence_mean@1"], None, "so it has no 'sentence_mean@1'"),
    error=(InputError, CapabilityError),
    fixtures=("vectors",),
)
