from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from evaluate_bias.data.recipes import record_of
from evaluate_bias.errors import UnknownNameError
from evaluate_bias.hub.modules import modules_dir
from evaluate_bias.hub.write_modules import generated_files
from evaluate_bias.models.base import CAPABILITIES
from evaluate_bias.registry import FAMILIES, METHODS, get_method, method_names

HEADINGS = [
    "Metric Description",
    "How to Use",
    "Inputs",
    "Output Values",
    "Values from Popular Papers",
    "Examples",
    "Limitations and Bias",
    "Citation",
]


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_record_is_complete(record):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", record.name)
    assert record.bibtex.startswith("@")
    assert record.bibtex.count("{") == record.bibtex.count("}")
    assert record.url.startswith("https://")
    assert record.dataset.startswith("bias/") or not record.data.dataset
    assert record.caveats
    assert record.family in FAMILIES
    assert {*record.columns, *record.optional_columns} <= set(record.data.columns)
    assert len({s.key for s in record.secondary}) == len(record.secondary)
    assert not any("." in s.key for s in record.secondary)
    assert all(c.endswith(".") for c in (*record.caveats, record.summary, record.interpretation))
    assert set(record.needs) <= {what for what, _ in CAPABILITIES.values()}
    low, high = record.score_range
    assert low is None or low <= record.ideal
    assert high is None or record.ideal <= high
    parameters = inspect.signature(record.function()).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY for p in list(parameters)[2:])
    loader_options = inspect.signature(record.load_data).parameters
    assert loader_options


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_module_folder_matches_the_record(record):
    folder = modules_dir() / record.name
    assert {p.name for p in folder.iterdir() if p.is_file()} >= {
        f"{record.name}.py",
        "README.md",
        "app.py",
        "requirements.txt",
        "tests.py",
    }
    card = (folder / "README.md").read_text(encoding="utf-8")
    for heading in HEADINGS:
        assert re.search(rf"^#+ {re.escape(heading)}$", card, re.MULTILINE), heading
    assert record.bibtex in card
    note = record_of({"source": record.dataset})
    for caveat in (*record.caveats, *(note.caveats if note is not None else ())):
        assert " ".join(caveat.split()) in " ".join(card.split())
    assert "evaluate-bias" in (folder / "requirements.txt").read_text(encoding="utf-8")


def test_every_module_folder_has_a_record():
    folders = {p.name for p in modules_dir().iterdir() if p.is_dir() and not p.name.startswith(("_", "."))}
    assert folders == set(METHODS)


def test_look_up():
    assert get_method("WEAT") is METHODS["weat"]
    assert method_names() == sorted(METHODS)
    with pytest.raises(UnknownNameError, match="did you mean 'weat'"):
        get_method("waet")
    with pytest.raises(UnknownNameError, match="known are"):
        get_method("qqqqqqqq")


def test_what_make_modules_writes_is_committed():
    root = Path(__file__).parents[1]
    stale = [p for p, text in generated_files(root).items() if p.read_text(encoding="utf-8") != text]
    assert stale == [], "run make modules"
