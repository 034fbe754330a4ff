"""The default tests of SEAT."""

import pytest

from evaluate_bias.data import word_lists
from evaluate_bias.data.templates import load_templates
from evaluate_bias.data.word_lists import load_seat_tests, load_word_lists

OWN = ["angry-black-woman", "angry-black-woman-terms", "double-bind-competent", "double-bind-likable"]


def test_the_paper_adds_tests_in_english_only():
    english = load_seat_tests()
    assert [t.name for t in english] == [*word_lists.test_names("en"), *OWN]
    assert english.rows[: len(word_lists.test_names("en"))] == load_word_lists().rows
    assert load_seat_tests(language="de") == load_word_lists(language="de")
    assert set(english.provenance) == {"name", "source", "language", "sha256", "seat_tests_sha256"}
    assert english.provenance["name"] == "weat_word_lists"


@pytest.mark.parametrize("name", OWN)
def test_lists_of_the_paper(name):
    test = load_seat_tests(tests=name)[0]
    assert len(test.targets_x) == len(test.targets_y)
    assert len(test.attributes_a) == len(test.attributes_b)
    for words in (test.targets_x, test.targets_y, test.attributes_a, test.attributes_b):
        assert len(set(words)) == len(words)
    assert "10.18653/v1/N19-1063" in test.source
    assert test.origin == "paper"
    bleached = load_templates("seat-bleached")
    words = [*test.targets_x, *test.targets_y, *test.attributes_a, *test.attributes_b]
    assert not bleached.expand(words).skipped


def test_terms_of_the_angry_black_woman():
    """The lists and some of the sentences of sent-bias, tests/angry_black_woman_stereotype_b and its sent- file."""
    test = load_seat_tests(tests="angry-black-woman-terms")[0]
    assert test.targets_x == ("white female", "white woman", "white girl", "fair-skinned woman")
    assert test.targets_y == ("black female", "black woman", "black girl", "woman of color")
    bleached = load_templates("seat-bleached")
    sentences = {s.text for s in bleached.expand(["fair-skinned woman", "woman of color"]).sentences}
    assert {"This is a fair-skinned woman.", "The fair-skinned women are here."} <= sentences
    assert {"This is a woman of color.", "Those are women of color."} <= sentences
