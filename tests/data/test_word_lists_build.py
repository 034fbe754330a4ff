"""The recipe of the Hub data set of word lists."""

from __future__ import annotations

import pytest

from evaluate_bias.data.building import build
from evaluate_bias.data.origins import RepositoryTexts
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.schemas import parse_row
from evaluate_bias.data.table_files import packaged_languages
from evaluate_bias.data.word_lists import WordListTest, load_word_lists
from evaluate_bias.errors import AssetError, DataError
from tests.support.refusals import refused

# A made-up test in the format of the BIAS framework: Windows line ends, blank lines at the end.
PLAIN = """\
# T1: made-up test
# some words about it: with a colon
# Target: morning
# Target: evening
# Attribute: warm
# Attribute: cold
Frühstück,Sonnenaufgang
Abendbrot, Dämmerung
Sommer,Ofen,Ägypten
Winter,Eis,Grönland


""".replace("\n", "\r\n")
# A header given twice, and no newline at the end.
ODD = "\r\n".join([*PLAIN.split("\r\n")[2:6], *PLAIN.split("\r\n")[2:10]])

RECORD = dataset_record("weat_word_lists")
CO_CREATED = RECORD.configs[-1]


def converted(text: str) -> list[dict[str, object]]:
    return [dict(row) for row in CO_CREATED.convert_rows({"CW1": text}, "CW1.txt")[0]]


@pytest.mark.parametrize("text", [PLAIN, ODD, PLAIN.replace("\r\n", "\n")])
def test_a_text_file_becomes_a_test(text):
    (row,) = converted(text)
    test = parse_row(WordListTest, row, "row")
    assert test.name == "cw1"
    assert (test.x_label, test.y_label, test.a_label, test.b_label) == ("morning", "evening", "warm", "cold")
    assert test.targets_x == ("Frühstück", "Sonnenaufgang")
    assert test.targets_y == ("Abendbrot", "Dämmerung")
    assert test.attributes_a == ("Sommer", "Ofen", "Ägypten")
    assert test.attributes_b == ("Winter", "Eis", "Grönland")
    assert (test.language, test.origin, test.bias_type) == ("de", "co-created", "parenthood")
    assert test.source.endswith("/BiasDetection/datasets/de/WEAT/CW1.txt")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PLAIN.replace("# Target: evening", "# evening"), "KeyError('y_label')"),
        (PLAIN.replace("# Attribute: cold", "# Attribute: warm"), "KeyError('b_label')"),
        (PLAIN.replace("Winter,Eis,Grönland", ""), "has 3 lines of words"),
        (PLAIN + "one,more", "has 5 lines of words"),
    ],
)
def test_a_file_in_another_format_is_refused(text, sentence):
    caught = refused(DataError, "", converted, text)
    assert sentence in str(caught)
    assert "CW1.txt" in str(caught)


@pytest.fixture
def copy(tmp_path):
    (origin,) = CO_CREATED.splits.values()
    assert isinstance(origin, RepositoryTexts)
    for i, file in enumerate(origin.files):
        path = tmp_path / "copy" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ODD if i % 2 else PLAIN).encode())
    return tmp_path / "copy"


def test_the_folder_loads_offline_and_equals_the_packaged_lists(tmp_path, copy, monkeypatch):
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    out = build(RECORD, tmp_path / "built" / "lists", source=copy, verify=False)
    languages = packaged_languages("weat_word_lists")
    assert datasets.get_dataset_config_names(str(out)) == [*languages, "de-cocreated"]
    for config in ("en", "is", "de-cocreated"):
        loaded = datasets.load_dataset(str(out), config, split="test", cache_dir=str(tmp_path / "cache"))
        rows = [parse_row(WordListTest, row, "row") for row in loaded.to_list()]
        assert rows == list(load_word_lists(out, language=config))
        if config != "de-cocreated":
            assert rows == list(load_word_lists(language=config))
    assert [t.name for t in load_word_lists(out, language="de-cocreated")] == [f"cw{i}" for i in range(1, 6)]


def test_a_changed_or_missing_upstream_file_is_refused(tmp_path, copy):
    for source in (copy, tmp_path):
        refused(AssetError, r"CW1\.txt", build, RECORD, tmp_path / "lists", source=source)
    assert not (tmp_path / "lists").exists()
