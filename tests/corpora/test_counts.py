"""Words and their neighbours: naive loops, positions, bad input."""

import os
import random
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.corpora.corpus import Corpus, decoded, read_files
from evaluate_bias.corpora.counts import Counter
from evaluate_bias.corpora.tokens import TokenFinder, WordFinder, sentences, simple_words
from evaluate_bias.errors import DataError, InputError, MeasurementError
from tests.support.refusals import refused

GROUPS = {"A": ["a", "b"], "B": ["c"]}
WORDS = ["c", "d", "zoë", "e f"]


def naive(texts, window):
    """Counts by loops over lists of words, in which "e f" is one."""
    joint, context = [[0] * len(WORDS) for _ in GROUPS], [0] * len(GROUPS)
    n_words = 0
    for text in texts:
        raw, words = re.findall(r"\w+", text.lower()), []
        while raw:
            words.append(" ".join(raw[: (size := 2 if raw[:2] == ["e", "f"] else 1)]))
            del raw[:size]
        n_words += len(words)
        for i, seed in enumerate(words):
            for g, seeds in enumerate(GROUPS.values()):
                if seed not in seeds:
                    continue
                for j, other in enumerate(words):
                    if i != j and (window is None or abs(i - j) <= window):
                        context[g] += 1
                        if other in WORDS:
                            joint[g][WORDS.index(other)] += 1
    return joint, context, n_words


@pytest.mark.parametrize("window", [None, 1, 2, 10])
def test_agrees_with_naive_loops(window):
    rng = random.Random(window or 0)
    for _ in range(100):
        texts = [
            " ".join(rng.choice(["a", "b", "C", "d", "e", "f", "Zoë,"]) for _ in range(rng.randint(0, 14)))
            for _ in range(rng.randint(1, 5))
        ]
        counter = Counter(GROUPS, WORDS, window, simple_words)
        for text in texts:
            counter.add([text])
        apart = counter.result()
        counter = Counter(GROUPS, WORDS, window, simple_words)
        counter.add(texts)
        together = Counter(GROUPS, WORDS, window, simple_words, WordFinder)
        together.add(texts)
        for found in (apart, counter.result(), together.result()):
            assert (found.joint.tolist(), found.context.tolist(), found.n_words) == naive(texts, window)
            assert found.frequency["zoë"] == sum(t.count("Zoë") for t in texts)


@pytest.mark.parametrize(
    "text", ["It’s Zoë’s “2nd–best” naïve_x!", "ÄÖÜ ß İstanbul", "東京 は,いい", "a\u00a0b\u2028c", ""]
)
def test_words_are_those_of_the_regular_expression(text):
    assert [w.decode() for w in simple_words(text)] == re.findall(r"\w+", text.lower())


def test_what_stands_between_texts_may_stand_in_them():
    found = Corpus(["she\x01a", "\x01", "he b\x01"]).cooccurrences({"x": ["she"], "y": ["he"]}, ["a", "b"])
    assert (found.joint.tolist(), found.n_words, found.n_texts) == ([[1, 0], [0, 1]], 4, 3)


def test_case_and_accents():
    assert [w.decode() for w in simple_words("Zoë É", "as_is", "strip")] == ["Zoe", "E"]
    corpus = Corpus(["Zoe met he", "ZOË met she"], accents="strip")
    found = corpus.cooccurrences({"x": ["she"], "y": ["he"]}, ["Zoë"])
    assert found.joint.tolist() == [[1], [1]]


def test_sentences():
    text = "She is a nurse. He is not! “Really?” he said.\nYes"
    assert sentences(text) == ["She is a nurse.", "He is not!", "“Really?", "he said.", "Yes"]
    found = Corpus([text]).cooccurrences({"x": ["she"], "y": ["he"]}, ["nurse"], window=None)
    assert found.joint.tolist() == [[1], [0]]
    assert found.context.tolist() == [3, 3]


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_file_folder_list_rows_and_data_set_agree(tmp_path):
    import datasets

    lines = ["She met the nurse.", "", "He met the smith", "the nurse is she"]
    file = write(tmp_path / "all.txt", lines)
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    write(tmp_path / "parts" / "b.txt", lines[:2])
    write(tmp_path / "parts" / "deep" / "a.txt", lines[2:])
    table = datasets.Dataset.from_dict({"text": lines})
    rows = [{"text": line} for line in lines]
    for source in (file, tmp_path / "parts", lines, rows, table, table.to_iterable_dataset()):
        found = Corpus(source).cooccurrences({"x": ["she"], "y": ["he"]}, ["nurse", "smith"], window=5)
        assert found.joint.tolist() == [[2, 0], [0, 1]]
        assert found.n_words == 12


def test_long_lines_blocks_and_positions(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluate_bias.corpora.corpus.BATCH", 64)
    lines = ["zoë " * 50, *("short line" for _ in range(30)), "東" * 200]
    file = write(tmp_path / "t.txt", lines)
    batches = list(read_files([file]))
    words = [w for b in batches for t in decoded(b.content)[0] for w in simple_words(t)]
    assert words[:50] == ["zoë".encode()] * 50
    assert b"".join(words[110:]).decode() == "東" * 200
    assert all(decoded(b.content)[1] == 0 for b in batches)
    for i, batch in enumerate(batches):
        later = [t for b in read_files([file], batch.end) for t in decoded(b.content)[0]]
        assert later == [t for b in batches[i + 1 :] for t in decoded(b.content)[0]]


def test_invalid_utf8_is_counted_and_read(tmp_path):
    file = tmp_path / "t.txt"
    file.write_bytes(b"she met \xff\xfe nurse\n\xef\xbf\xbd he\n")
    found = Corpus(file).cooccurrences({"x": ["she"], "y": ["he"]}, ["nurse"])
    assert (found.n_invalid, found.joint.tolist()) == (2, [[1], [0]])


def test_a_pass_that_was_stopped_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluate_bias.corpora.corpus.BATCH", 200)
    monkeypatch.setattr("evaluate_bias.corpora.corpus._CHECKPOINT_BATCHES", 2)
    rng = random.Random(0)
    lines = [" ".join(rng.choice(["she", "he", "nurse", "x"]) for _ in range(9)) for _ in range(200)]
    file, keep = write(tmp_path / "t.txt", lines), tmp_path / "keep.json"
    asked = ({"x": ["she"], "y": ["he"]}, ["nurse"])
    whole = Corpus(file).cooccurrences(*asked)
    added = []
    for stop in (5, 9, 15):
        corpus = Corpus(file, checkpoint=keep)
        batches = corpus._batches

        def some(start, batches=batches, stop=stop):
            for i, batch in enumerate(batches(start)):
                if i == stop:
                    raise KeyboardInterrupt
                added.append(batch)
                yield batch

        corpus._batches = some
        refused(KeyboardInterrupt, "", corpus.cooccurrences, *asked)
        assert keep.exists()
    done = Corpus(file, checkpoint=keep).cooccurrences(*asked)
    assert done.joint.tolist() == whole.joint.tolist()
    assert (done.n_words, done.n_texts) == (whole.n_words, whole.n_texts)
    assert not keep.exists()


class Ends:
    """A tokenizer that ends every process but that which made it."""

    def __init__(self):
        self.own = os.getpid()

    def __call__(self, text):
        if os.getpid() != self.own:
            os._exit(1)
        return text.split()


def test_a_process_that_is_ended_is_an_error():
    counter = Corpus(["she"] * 4, num_proc=2, tokenizer=Ends())
    refused(MeasurementError, "was killed", counter.cooccurrences, {"x": ["she"], "y": ["he"]}, ["nurse"])


def test_bad_input(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "utf16.txt").write_text("she and he", encoding="utf-16")
    (tmp_path / "empty.txt").write_text("")
    groups = {"x": ["she"], "y": ["he"]}
    for source, words, error in (
        (tmp_path / "none.txt", ["a"], "does not exist"),
        (tmp_path / "folder", ["a"], r"contains no \.txt file"),
        (tmp_path / "utf16.txt", ["a"], "is not text: it contains a NUL byte"),
        (tmp_path / "empty.txt", ["a"], "contains no word"),
        (["she", 5], ["a"], r"row 2 \(counted from 1\) is int, but a corpus consists of strings"),
        ([{"content": "she"}], ["a"], r"row 1 \(counted from 1\) has no column 'text', only 'content'"),
    ):
        with pytest.raises(DataError, match=error):
            Corpus(source).cooccurrences(groups, words)
    refused(InputError, "'' contains no word", lambda: Corpus(["she"]).cooccurrences(groups, [""]))
    with pytest.raises(InputError, match="'she' is a seed of both x and y"):
        Corpus(["she"]).cooccurrences({"x": ["she"], "y": ["she"]}, ["a"])
    for source in (5, None, {"a": "b"}):
        refused(InputError, "a corpus must be a text file", Corpus, source)
    for option in ({"case": "upper"}, {"accents": True}, {"num_proc": 0}):
        refused(InputError, "", Corpus, ["she"], **option)


def test_every_character_is_read_as_by_the_regular_expression():
    """Places found in bytes are those of the tokens, in both cases, with and without accents."""
    # Planes 3 to 13 hold ideographs and nothing.
    chars = [chr(i) for i in (*range(2, 0x32000), *range(0xE0000, 0xE0200))]
    texts = ["".join(f"x{c}A {c}" for c in chars[i : i + 997]) for i in range(0, len(chars), 997)]
    for case in ("lower", "as_is"):
        for accents in ("keep", "strip"):
            split = partial(simple_words, case=case, accents=accents)
            words = list(dict.fromkeys(w for text in texts[::7] for w in split(text)))
            one, other = WordFinder(words, case, accents).find(texts), TokenFinder(words, split).find(texts)
            assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("window", [None, 1, 4])
@pytest.mark.parametrize("options", [{}, {"case": "as_is"}, {"accents": "strip"}])
def test_sentences_and_windows_agree_with_any_tokenizer(window, options):
    rng = random.Random(1)
    parts = [
        "she", "He", "old ", "man", ". ", "! ", "?", "” ", "é", "É", "Σ", "ΟΔΟΣ ", "İ", "東京", "\x01", "\n", " ", " ",
        "\u2028", "\xa0", "\x1c", "\u0301", "extraordinary", "extraordinarily ", "\ud800", "。",
    ]  # fmt: skip
    asked = ({"x": ["she", "old man"], "y": ["he", "man"]}, ["é", "extraordinary", "ΟΔΟΣ", "old", "東京"])
    for _ in range(200):
        texts = ["".join(rng.choices(parts, k=rng.randint(0, 30))) for _ in range(rng.randint(1, 5))] + [
            "she"
        ]
        spaced = [text.replace("\x01", "\x02") for text in texts]
        ours = Corpus(texts, **options).cooccurrences(*asked, window=window)
        theirs = Corpus(spaced, tokenizer=lambda t: re.findall(r"\w+", t), **options)
        other = theirs.cooccurrences(*asked, window=window)
        for name in ("joint", "context", "seeds"):
            assert np.array_equal(getattr(ours, name), getattr(other, name))
        assert (ours.n_words, ours.n_texts, ours.frequency) == (other.n_words, other.n_texts, other.frequency)


def test_an_executor_counts_the_same_and_stays_open(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluate_bias.corpora.corpus.BATCH", 300)
    file = write(tmp_path / "t.txt", ["she met the nurse.", "he is \xe9"] * 60)
    asked = ({"x": ["she"], "y": ["he"]}, ["nurse", "é"])
    with ThreadPoolExecutor(3) as pool:
        found = Corpus(file, executor=pool, num_proc=3).cooccurrences(*asked)
        assert pool.submit(int, "1").result() == 1
    one = Corpus(file).cooccurrences(*asked)
    assert np.array_equal(found.joint, one.joint)
    assert (found.n_words, found.n_texts, found.frequency) == (one.n_words, one.n_texts, one.frequency)
    refused(InputError, r"`executor` must be an executor of", Corpus, file, executor="ray")


def test_a_cell_without_a_count_is_listed_or_smoothed():
    texts = ["she is a nurse"] * 6 + ["he is a smith"] * 4 + ["he is a nurse"] * 2
    test = {"name": "t", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["nurse", "smith"]}
    found = eb.measure("pmi_bias", Corpus(texts), data=[test], max_missing=0.5)
    assert [(s.item, "second group alone, so its PMI is infinite" in s.reason) for s in found.skipped] == [
        ("smith", True)
    ]
    smoothed = eb.measure("pmi_bias", Corpus(texts), data=[test], smoothing=0.5)
    assert (smoothed.skipped, smoothed.n, smoothed.settings["smoothing"]) == ((), 2, 0.5)
    (row,) = [r for r in smoothed.rows_of("item") if r.name == "smith"]
    assert row.score == pytest.approx(np.log((0.5 / 19) / (4.5 / 19)))
