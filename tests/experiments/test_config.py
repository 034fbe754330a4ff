"""Configs: what is wrong is told with its line and what was probably meant; the framework's lines are read too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluate_bias.errors import BiasError, DataError
from evaluate_bias.experiments import config_file
from evaluate_bias.experiments.config import GridConfig, json_schema
from evaluate_bias.experiments.config_file import read_config
from evaluate_bias.experiments.plan import make_plan
from tests.hostile.toy import write_toy
from tests.support.refusals import refused

GOOD = """\
models:
  - glove-6b-50d
  - {model: demo-mlm-en, name: demo, options: {dtype: float32}}
methods:
  - weat
  - method: crows_pairs
    options: {bias_types: gender}
languages: [en, de]
seeds: [0, 1]
exclude:
  - {method: weat, language: de}
"""


def config(tmp_path: Path, text: str, name: str = "grid.yaml") -> GridConfig:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_config(tmp_path / name)


def test_a_good_config_is_read(tmp_path):
    found = config(tmp_path, GOOD)
    assert [m.model for m in found.models] == ["glove-6b-50d", "demo-mlm-en"]
    assert found.methods[1].options == {"bias_types": "gender"}
    assert found.folder == tmp_path
    assert found.exclude[0].language == "de"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("models: [a]\nmethods:\n  - weat\n  - waet\n", 4, "unknown method 'waet'; did you mean 'weat'"),
        ("models: [a]\nmethods: [weat]\nseed: 3\n", 3, "unknown field 'seed'; did you mean 'seeds'?"),
        ("models: [a]\nmethods: [weat]\nseeds: [0,\n  -1]", 4, "seeds.1"),
        ("models: [a]\nmethods: [weat]\nmodels: [b]\n", 3, "'models' is given twice, first in line 1"),
        (
            "models: [a]\nmethods:\n - method: weat\n   options:\n    ddof: 1\n    alternative: x\n",
            6,
            "alternative",
        ),
        ("models: [a]\nmethods:\n - method: weat\n   options: {ddfo: 1}\n", 4, "did you mean 'ddof'?"),
        ("models:\n - b\n - model: a\n   options:\n     dtyp: float32\nmethods: [weat]\n", 5, "'dtype'?"),
        ("models: [a]\n", 1, "methods is missing"),
        ("models: []\nmethods: [tpr_gap, weat]\n", 1, "`models` is missing, and weat needs one"),
        ("models: [a]\nmethods:\n", 2, "methods must be a list, such as [a, b] or lines that begin with"),
        ("models: [a]\nmethods: [weat]\nseeds: [x]\n", 3, "seeds.0 must be an integer, got 'x'"),
        ("models: [a]\nmethods:\n\t- weat\n", 3, "YAML allows no tabs there"),
        ("models: [a]\nmethods: [weat]\ndata:\n  - {source: x, methods: [crows]}\n", 4, "'crows_pairs'?"),
        ("models: [a]\nmethods:\n  - {method: weat, options: {seed: 3}}\n", 3, "under `seeds`"),
        ("models: [a\nmethods: [weat]\n", 2, "not YAML"),
        ("models: [a]\nmethods:\n - {method: weat, options: {limit: 3}}\n", 3, "limit belongs at the top"),
        ("models: [on]\nmethods: [weat]\n", 1, "yes or on without quotes as True, so write 'yes'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, line, said):
    caught = refused(DataError, "", config, tmp_path, text)
    assert f"line {line}: " in str(caught)
    assert said in str(caught)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "[a, b]",
        "!!python/object/apply:os.system ['x']",
        "[" * 60,
        "\x00",
        "models: &a [x, x, x]\nmethods: [*a, *a, *a]",
    ],
)
def test_what_is_no_config_is_refused_in_a_sentence(tmp_path, monkeypatch, text):
    monkeypatch.setattr(config_file, "MOST_VALUES", 12)  # aliases count each time
    refused(BiasError, "", config, tmp_path, text)


def test_missing_and_odd_files(tmp_path):
    refused(DataError, "cannot be read: No such file", read_config, tmp_path / "none.yaml")
    refused(BiasError, "is a folder, not a file", read_config, tmp_path)
    (tmp_path / "latin.yaml").write_bytes("models: [café]\nmethods: [weat]\n".encode("latin-1"))
    refused(BiasError, "is not UTF-8 text", read_config, tmp_path / "latin.yaml")


def test_the_published_schema_is_that_of_the_code():
    path = Path(__file__).parents[2] / "docs" / "reference" / "grid-config.schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(json_schema())), (
        "write it anew: evaluate-bias plan --schema > docs/reference/grid-config.schema.json"
    )


# --- the line format of the BIAS Detection Framework -----------------------------------------------------------

LINES = """\
# datasetname,testname,embeddings,language,modelname

WEAT7_DE_context,SEAT,bert,de,google-bert/bert-base-german-cased
SEAT_WEAT_7,SEAT,bert_pooling,en,google-bert/bert-base-uncased
WEAT_7,WEAT,glove,en,None
WEAT_7,WEAT,bert_first,en,google-bert/bert-base-uncased
LPBS_7,LPBS,mBERT,en,None
crows_pairs_anonymized,CROWS,bert,en,google-bert/bert-base-uncased
"""


def test_lines_of_the_framework(tmp_path):
    found = config(tmp_path, LINES, "experiments.txt")
    read = [(m.method, m.models[0], m.options) for m in found.methods]
    german, base = "google-bert/bert-base-german-cased", "google-bert/bert-base-uncased"
    assert read == [
        ("seat", german, {"language": "de", "tests": ["WEAT7"], "representation": "cls"}),
        ("seat", base, {"language": "en", "tests": ["WEAT_7"], "representation": "target_mean"}),
        ("weat", "glove.840B.300d.txt", {"language": "en", "tests": ["WEAT_7"]}),
        (
            "seat",
            base,
            {"language": "en", "tests": ["WEAT_7"], "templates": "none", "representation": "target_first"},
        ),
        (
            "lpbs",
            "google-bert/bert-base-multilingual-cased",
            {
                "language": "en",
                "tests": ["LPBS_7"],
                "variant": "bias-framework",
                "ddof": 0,
                "alternative": "greater",
            },
        ),
        ("crows_pairs", base, {"language": "en"}),
    ]
    assert [m.model for m in found.models] == [
        german,
        base,
        "models/glove.840B.300d.txt",
        "google-bert/bert-base-multilingual-cased",
    ]


def test_a_line_of_the_framework_measures_the_list_file_beside_it(tmp_path):
    for name in (
        "datasets/de/SEAT/GER1_context.jsonl",
        "datasets/en/WEAT/WEAT_7.txt",
        "datasets/en/CROWS/pairs.csv",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    lines = "GER1_context,SEAT,bert,de,m\nWEAT_7,WEAT,glove,en,None\npairs,CROWS,bert,en,m\n"
    found = config(tmp_path, lines, "lines.txt")
    assert [
        m.options["source"].endswith(end)
        for m, end in zip(found.methods, ("GER1_context.jsonl", "WEAT_7.txt", "pairs.csv"), strict=True)
    ] == [True] * 3
    assert [m.options.get("templates") for m in found.methods] == ["none", None, None]
    assert "tests" not in found.methods[1].options


def test_a_modelname_goes_before_the_frameworks_own_model(tmp_path):
    """It was not read for word vectors and mBERT."""
    (tmp_path / "models").mkdir()
    write_toy(tmp_path / "models", "mine")
    write_toy(tmp_path, "beside")
    given = ["mine.txt", "beside.txt", "glove-6b-50d"]
    lines = [*(f"WEAT_7,WEAT,glove,en,{name}" for name in given), "LPBS_7,LPBS,mBERT,en,some/model"]
    found = config(tmp_path, "\n".join(lines), "experiments.txt")
    assert [m.model for m in found.models] == ["models/mine.txt", *given[1:], "some/model"]
    units = make_plan(config(tmp_path, "\n".join(lines[:3]), "experiments.txt")).units
    assert [unit.model for unit in units] == given


def test_a_missing_file_of_vectors_is_a_failed_unit_and_no_note_about_patterns(tmp_path):
    planned = make_plan(config(tmp_path, "WEAT_7,WEAT,glove,en,None\n", "experiments.txt"))
    assert [p.unit.model for p in planned.problems] == ["models/glove.840B.300d.txt"]
    assert not planned.notes


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("WEAT_7,WEET,glove,en,None", "unknown testname 'WEET'; did you mean 'WEAT'"),
        ("WEAT_7,WEAT,glove,xx,None", "unknown language 'xx'"),
        ("WEAT_7,WEAT,glove,en", "4 fields, and a line has 5"),
        ("WEAT_7,WEAT,bert,en,None", "bert needs a modelname"),
        ("LPBS_7,LPBS,glove,en,None", "LPBS cannot be measured on glove: it takes bert"),
        (f"{'x' * 9999},WEAT,glove,{'y' * 9999},None", "unknown language"),
    ],
)
def test_a_line_that_is_not_known_is_named(tmp_path, line, said):
    caught = refused(DataError, "", config, tmp_path, f"# comment\n{line}\n", "experiments.txt")
    assert "line 2: " in str(caught)
    assert said in str(caught)


def test_co_created_tests_are_fetched_when_they_are_measured(tmp_path):
    found = config(tmp_path, "CW1,WEAT,fasttext,de,None\nCW2_context,SEAT,bert,de,some/model\n", "lines.txt")
    assert [m.options for m in found.methods] == [
        {"language": "de-cocreated", "tests": ["CW1"]},
        {"language": "de-cocreated", "tests": ["CW2"], "representation": "cls"},
    ]
