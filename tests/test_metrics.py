"""Every folder of ``metrics/`` as ``evaluate`` and the Hub use it: script, worked cases, card, page."""

from __future__ import annotations

import ast
import importlib.util
import re
import socket
from pathlib import Path
from types import ModuleType
from typing import Any

import datasets
import pytest
import yaml

import evaluate_bias as eb
from evaluate_bias.data import load_sentence_pairs, load_stereoset
from evaluate_bias.errors import InputError
from evaluate_bias.hub.modules import module_names, modules_dir
from evaluate_bias.paths import hub_id
from evaluate_bias.registry import METHODS
from tests.support.agree import agree
from tests.support.tiny_models import tiny_masked, with_both_preferences

NAMES = module_names()
LANGUAGE = [n for n in NAMES if {"sent_more", "sentences"} & {*METHODS[n].columns}]
"""Modules whose columns hold sentences or ready scores."""
PAIRS = [n for n in LANGUAGE if "sent_more" in METHODS[n].columns]
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_of_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases() -> list[Any]:
    return [
        pytest.param(name, case, id=f"{name}-{i}")
        for name in NAMES
        for i, case in enumerate(script(modules_dir() / name / "tests.py").test_cases)
    ]


def load(name: str) -> Any:
    return eb.load(name, keep_in_memory=True)


def sentences(name: str) -> dict[str, list[Any]]:
    """Some packaged rows in the columns of the module."""
    if name == "stereoset":
        items = [item.model_dump() for item in load_stereoset(bias_types="gender")][::4]
        return {c: [item[c] for item in items] for c in (*METHODS[name].columns, "id", "task")}
    columns = load_sentence_pairs(bias_types="gender")[:5].columns()
    return {c: columns[c] for c in METHODS[name].columns}


def numbers(name: str) -> dict[str, list[Any]]:
    case = script(modules_dir() / name / "tests.py").test_cases[0]
    return {column: values for column, values in case.items() if column != "result"}


# --- what each folder promises -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_description_names_every_column_and_option(name: str) -> None:
    module, record = load(name), METHODS[name]
    assert " ".join(record.summary.split()) in " ".join(module.description.split())
    for argument in (*record.columns, *(["model"] if record.needs else []), *record.options()):
        assert re.search(rf"^    {argument}\b", module.inputs_description, re.MULTILINE), argument


@pytest.mark.parametrize("name", NAMES)
def test_card(name: str) -> None:
    text = (modules_dir() / name / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---\n")[1])
    assert {k: front[k] for k in ("sdk", "app_file", "python_version", "license", "pinned")} == {
        "sdk": "gradio",
        "app_file": "app.py",
        "python_version": "3.11",
        "license": "apache-2.0",
        "pinned": False,
    }
    assert re.fullmatch(r"6\.\d+\.\d+", front["sdk_version"])
    assert front["title"]
    assert front["emoji"]
    assert {front["colorFrom"], front["colorTo"]} <= COLOURS
    assert {"evaluate", "metric"} <= set(front["tags"])
    assert front["description"].endswith(".")
    assert f'evaluate.load("{hub_id(name)}")' in text
    # Lines of tables, of code and of citations cannot be broken.
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).splitlines()
    assert max(len(line) for line in prose if not line.startswith("|") and " " in line) <= 140


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_the_card(name: str) -> None:
    """Every line ``expression  # value``; the blocks above them in the card need a network."""
    text = (modules_dir() / name / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text.split("### Examples\n")[1], re.DOTALL)
    space: dict[str, Any] = {"eb": eb, name: load(name)}
    checked = 0
    for block in blocks:
        block = block.replace(f'evaluate.load("{hub_id(name)}")', name)
        lines = block.splitlines()
        for statement in ast.parse(block).body if re.search(r"  # (.+)\n$", block) else ():
            shown = re.search(r"  # (.+)$", lines[(statement.end_lineno or 0) - 1])
            if shown and isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), f"{name} card", "eval"), space)
                agree(value, ast.literal_eval(shown[1]), shown[1], rel=1e-6)
                checked += 1
            else:
                exec(compile(ast.Module([statement], []), f"{name} card", "exec"), space)
    assert checked


@pytest.mark.parametrize("name", {METHODS[name].data.name: name for name in NAMES}.values())
def test_page_is_built_without_a_network(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One method of each kind of data, as the pages are written by one template."""
    import gradio as gr

    def refuse(*_: object) -> None:
        raise AssertionError("the page opens a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    page = script(modules_dir() / name / "app.py").demo
    assert isinstance(page, gr.Blocks)
    assert METHODS[name].title in str(page.get_config_file()["components"])


# --- sentences and a model -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def masked() -> Any:
    columns = sentences("pll_robustness")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return with_both_preferences(tiny_masked, rows, rows[1:])


@pytest.mark.parametrize("name", LANGUAGE)
def test_sentences_with_a_model(name: str, masked: Any) -> None:
    columns = sentences(name)
    results = load(name).compute(**columns, model=masked)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    expected = METHODS[name].function()(masked, rows).to_flat_dict()
    for part in (
        name,
        "n",
        "p_value",
        "ci_low",
        "ci_high",
        "coverage",
        "items",
        "groups",
        "extra",
        "settings",
    ):
        assert results[part] == expected[part], part
    assert results["coverage"]["asked"] == len(rows)
    assert results["provenance"]["model"] == expected["provenance"]["model"]


# --- mixes and other mistakes --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LANGUAGE)
@pytest.mark.parametrize("row", [0, 1])
def test_a_mix_of_sentences_and_scores_is_refused(name: str, row: int, masked: Any) -> None:
    """``evaluate`` would write the numbers as text, or fail without a reason, as the first row decides."""
    columns = {c: list(v) for c, v in sentences(name).items()}
    if name == "stereoset":
        columns["sentences"][row] = [{**o, "sentence": 1.5} for o in columns["sentences"][row]]
    else:
        columns["sent_more"][row] = -1.5
    with pytest.raises(InputError, match=r"row \d of \d .* has sentences and others have scores"):
        load(name).compute(**columns, model=masked)


def test_a_later_batch_of_the_other_kind_is_refused(masked: Any) -> None:
    module = load("aul")
    module.add(sent_more="He left.", sent_less="She left.", bias_type="gender")
    module.add_batch(sent_more=[-1.0], sent_less=[-2.0], bias_type=["gender"])
    with pytest.raises(InputError, match="has sentences and others have scores"):
        module.compute(model=masked)


def test_the_data_keep_their_identity() -> None:
    pairs = load_sentence_pairs(bias_types="gender")[:5]
    scores = {"sent_more": [-1.0, -2.0, -3.0, -4.0, -5.0], "sent_less": [-2.0] * 4 + [-1.0]}
    own = load("aul").compute(**{**pairs.columns(), **scores})
    assert own["provenance"]["dataset"]["source"] == pairs.provenance["source"]
    data = datasets.Dataset.from_dict({**scores, "bias_type": ["age"] * 5}, split="test")
    data.info.dataset_name, data.info.config_name = "crows-pairs", "en"
    data.info.download_checksums = {"hf://datasets/bias/crows-pairs@abc123/en/test.parquet": {}}
    found = load("aul").compute(**{c: data[c] for c in data.column_names})
    assert found["provenance"]["dataset"] == {
        "source": "bias/crows-pairs", "revision": "abc123", "config": "en", "split": "test",
    }  # fmt: skip
    plain = load("aul").compute(**scores, bias_type=["age"] * 5)
    assert plain["provenance"]["dataset"] == {"source": "columns given to compute()"}
