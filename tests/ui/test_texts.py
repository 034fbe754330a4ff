"""The tab of texts: pasted, uploaded and named, counted as the library counts them."""

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, DataError, InputError
from evaluate_bias.ui.guard import MAX_TEXT_BYTES
from evaluate_bias.ui.word_lists import MAX_TEXT, offered_words, run_text, text_methods, visitors_corpus
from tests.support.refusals import refused

LINES = ["she is a nurse"] * 6 + ["he is a nurse"] * 2 + ["he is a smith"] * 4 + ["she met a smith"]
LISTS = ["she", "he", "nurse, smith", ""]


@pytest.mark.parametrize("record", text_methods(), ids=lambda r: r.name)
def test_a_pasted_text_gives_the_library_s_number(record):
    name = record.name
    corpus = visitors_corpus(None, "\n".join(LINES), None)
    result = run_text(name, corpus, LISTS, 10, 0)
    test = {"name": "t", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["nurse", "smith"]}
    from evaluate_bias.corpora.corpus import Corpus

    assert result.score == eb.measure(name, Corpus(LINES), data=[test]).score
    assert result.provenance["model"]["name"] == "your text"


def test_an_upload_goes_before_a_text_and_a_text_before_a_named_corpus(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("\n".join(LINES), encoding="utf-8")
    assert visitors_corpus("gutenberg-books", "she he", str(file)).name == "your file"
    assert visitors_corpus("gutenberg-books", "she he", None).name == "your text"


def test_bad_texts(tmp_path):
    for name in (None, "", "../../etc/passwd", "glove-6b-50d", "owner/data"):
        refused(InputError, "choose one of the corpora", visitors_corpus, name, " \n", None)
    refused(InputError, f"more than the {MAX_TEXT:,}", visitors_corpus, None, "x" * (MAX_TEXT + 1), None)
    for name, raw, said in (
        ("a.txt", b"\xe9 \xff", "a.txt is not utf-8"),
        ("a.csv", b"x", "a.csv cannot be taken here: upload a file that ends in .txt"),
        ("z.txt", b"a\0b", "contains zero bytes"),
        ("l.txt", b"x" * (MAX_TEXT_BYTES + 1), "this page accepts 8 MB"),
    ):
        (tmp_path / name).write_bytes(raw)
        caught = refused(DataError, said, visitors_corpus, None, "", str(tmp_path / name))
        assert str(tmp_path) not in str(caught)
    corpus = visitors_corpus(None, "\n".join(LINES), None)
    refused(InputError, "methods that the page offers", run_text, "weat", corpus, LISTS, 10, 0)
    refused(InputError, "attributes_a is empty", run_text, "pmi_bias", corpus, ["she", "he", " ", ""], 10, 0)
    refused(BiasError, "window", run_text, "pmi_bias", corpus, LISTS, -3, 0)
    with pytest.raises(BiasError, match="no word"):
        run_text("pmi_bias", visitors_corpus(None, "…", None), LISTS, 10, 0)


def test_the_words_that_the_tab_starts_with_have_names():
    test = offered_words()
    assert not set(test["targets_x"]) & set(test["targets_y"])
    text = "\n".join(
        f"{seed} {word}" for word in (*test["attributes_a"], *test["attributes_b"]) for seed in ("she", "he")
    )
    texts = [", ".join(test[c]) for c in ("targets_x", "targets_y", "attributes_a", "attributes_b")]
    result = run_text("pmi_bias", visitors_corpus(None, text, None), texts, 10, 0.0)
    assert result.rows_of("test")[0].labels["a"] == test["a_label"]
