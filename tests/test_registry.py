from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import pytest

import evaluate_bias
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.data.references import bibtex_of_addresses
from evaluate_bias.errors import DataError, UnknownNameError
from evaluate_bias.hub.modules import modules_dir
from evaluate_bias.hub.write_modules import generated_files, missing_parts, write_modules
from evaluate_bias.models.base import Capability
from evaluate_bias.registry import FAMILIES, METHODS, get_method


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_record_is_complete(record):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", record.name)
    assert record.bibtex.startswith("@")
    assert re.match(r".* \(\d{4}\): .", record.paper)
    assert "%" not in record.bibtex + record.paper
    assert record.bibtex.count("{") == record.bibtex.count("}")
    assert record.url.startswith("https://")
    assert record.dataset.startswith("bias/") or not record.data.dataset
    assert record.caveats
    assert record.family in FAMILIES
    assert {*record.columns, *record.optional_columns} <= set(record.data.columns)
    assert len({s.key for s in record.secondary}) == len(record.secondary)
    assert not any("." in s.key for s in record.secondary)
    assert all(c.endswith(".") for c in (*record.caveats, record.summary, record.interpretation))
    assert set(record.needs) <= set(Capability)
    low, high = record.score_range
    assert low is None or low <= record.ideal
    assert high is None or record.ideal <= high
    parameters = inspect.signature(record.function()).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY for p in list(parameters)[2:])
    loader_options = inspect.signature(record.load_data).parameters
    assert loader_options


def test_every_reference_is_of_a_method_or_a_data_set_and_listed_once():
    path = Path(evaluate_bias.__file__).parent / "data" / "references.bib"
    of_keys = re.compile(r"^@\w+\{([^,]+),", re.MULTILINE)
    keys = of_keys.findall(path.read_text(encoding="utf-8"))
    assert keys == sorted(set(keys))
    of_methods = {key for record in METHODS.values() for key in record.references}
    of_data = {
        key
        for name in dataset_names()
        for key in of_keys.findall(bibtex_of_addresses(dataset_record(name).papers))
    }
    assert set(keys) == of_methods | of_data


def test_the_references_are_read_only_when_they_are_asked_for(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: pytest.fail("a file was read"))
    assert dataclasses.replace(METHODS["weat"], title="x").references == ("caliskan2017semantics",)


def test_every_module_folder_has_a_record():
    folders = {p.name for p in modules_dir().iterdir() if p.is_dir() and not p.name.startswith(("_", "."))}
    assert folders == set(METHODS)


def test_look_up():
    assert get_method("WEAT") is METHODS["weat"]
    with pytest.raises(UnknownNameError, match="did you mean 'weat'"):
        get_method("waet")
    with pytest.raises(UnknownNameError, match="choose from"):
        get_method("qqqqqqqq")


def test_what_make_modules_writes_is_committed():
    root = Path(__file__).parents[1]
    stale = [p for p, text in generated_files(root).items() if p.read_text(encoding="utf-8") != text]
    assert stale == [], "run make modules"


def test_make_modules_names_all_that_is_missing_at_once(tmp_path):
    assert missing_parts(Path(__file__).parents[1]) == []
    methods = tmp_path / "src" / "evaluate_bias" / "methods"
    half, bare = methods / "association" / "half", methods / "pairs" / "bare"
    for folder in (half, bare):
        folder.mkdir(parents=True)
        (folder / "method.py").touch()
    (half / "record.py").touch()
    (half / "page.md").write_text(
        "# Half\n\n## Definition\n\nIt is.\n\n## Examples\n\n```\n## How to use\n```\n"
    )
    for named, text in (
        ("docs/which-metric.md", "| `half` |"),
        ("benchmarks/same_numbers.py", '("bare", {})'),
    ):
        (tmp_path / named).parent.mkdir()
        (tmp_path / named).write_text(text)
    missing = [
        "half/golden.json",
        "half/page.md: 'How to use'",
        "half/page.md: 'Published values'",
        'tests/methods/*.py: "half"',
        'benchmarks/calibrations/*.py: "half"',
        'benchmarks/same_numbers.py: "half"',
        *("bare/record.py", "bare/page.md", "bare/golden.json"),
        'tests/methods/*.py: "bare"',
        'benchmarks/calibrations/*.py: "bare"',
        "docs/which-metric.md: `bare`",
    ]
    assert missing_parts(tmp_path) == missing
    with pytest.raises(DataError) as caught:
        write_modules(tmp_path)
    assert str(caught.value) == f"12 parts of methods are missing: {'; '.join(missing)}"
