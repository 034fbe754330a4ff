"""What ``load_corpus`` and ``load_model`` take for a corpus."""

import json

import datasets
import pytest

import evaluate_bias as eb
from evaluate_bias.corpora.corpus import Corpus, load_corpus
from evaluate_bias.errors import DataError, InputError
from evaluate_bias.experiments.sources import read_results
from tests.support.command_line import run_app
from tests.support.refusals import refused

LINES = ["she is a nurse"] * 6 + ["he is a nurse"] * 2
TEST = {"name": "toy", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["nurse"]}


@pytest.fixture
def file(tmp_path):
    (tmp_path / "some.txt").write_text("\n".join(LINES), encoding="utf-8")
    return tmp_path / "some.txt"


def test_a_corpus_is_a_model_by_itself_and_by_its_path(file):
    corpus = load_corpus(file)
    assert load_corpus(corpus) is corpus
    assert eb.load_model(corpus) is corpus
    for model in (corpus, f"corpus:{file}", f"corpus:{file.parent}"):
        assert eb.measure("frequency_bias", model, data=[TEST]).score == 0.75


def test_the_command_takes_a_corpus(file, tmp_path):
    table = tmp_path / "lists.jsonl"
    table.write_text(json.dumps({**TEST, "attributes_b": []}) + "\n", encoding="utf-8")
    words = f"run --method frequency_bias -m corpus:{file} --source {table} -o {tmp_path / 'out'}"
    done = run_app(*words.split())
    assert done.exit_code == 0, done.output
    (result,) = read_results(tmp_path / "out")
    assert (result.score, result.provenance["model"]["name"]) == (0.75, "some.txt")


def test_an_asset_of_texts(monkeypatch, file):
    monkeypatch.setattr("evaluate_bias.corpora.corpus.fetch", lambda asset: file.parent)
    corpus = load_corpus("gutenberg-books", num_proc=1)
    assert (corpus.name, corpus.provenance()["bytes"]) == ("gutenberg-books", file.stat().st_size)
    refused(DataError, "demo-mlm-en is masked language model, not texts", load_corpus, "demo-mlm-en")


def test_a_data_set_of_the_hub_is_streamed(monkeypatch):
    asked = []

    def load_dataset(*given, **options):
        asked.append((given, options))
        return datasets.Dataset.from_dict({"text": LINES}).to_iterable_dataset()

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    corpus = load_corpus("owner/texts:en")
    assert asked == [(("owner/texts", "en"), {"split": "train", "streaming": True})]
    assert corpus.name == "owner/texts:en"
    assert eb.measure("frequency_bias", corpus, data=[TEST]).score == 0.75

    def unreachable(*given, **options):
        raise ConnectionError("no way")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    refused(DataError, r"owner/texts is not a file .* cannot be read: no way", load_corpus, "owner/texts")


def test_what_cannot_be_is_refused(file):
    refused(InputError, "is a corpus already; case cannot", lambda: load_corpus(Corpus(LINES), case="as_is"))
    refused(InputError, "load_corpus has no option 'colour'", load_corpus, LINES, colour="red")
    refused(DataError, "does not exist", eb.load_model, "corpus:none.txt")
    refused(DataError, "does not exist", load_corpus, "x" * 5000)
    refused(
        InputError,
        "does not support kind",
        eb.load_model,
        f"corpus:{file}",
        kind="masked",
    )
