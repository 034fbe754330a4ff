"""The page that adds a method: its blocks are built into a method, which is measured and compared."""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.methods import pairs
from evaluate_bias.registry import METHODS
from tests.support.tiny_models import tiny_causal

NAME, PACKAGE = "likelihood_gap", "evaluate_bias.methods.pairs.likelihood_gap"
TEXT = (Path(__file__).parents[1] / "docs" / "adding-a-method.md").read_text(encoding="utf-8")
FILES = ("record.py", "items.py", "method.py", "page.md", "golden.json")


def block(heading: str, kind: str = r"\w+") -> str:
    """The first block of code of this kind below a heading."""
    found = re.search(
        rf"^## {heading}\n.*?^(?P<fence>```+){kind}\n(?P<code>.*?)^(?P=fence)$",
        TEXT,
        re.DOTALL | re.MULTILINE,
    )
    assert found is not None, heading
    return found["code"]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The method of the page, in a folder of the family ``pairs`` and among all methods."""
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "__init__.py").write_text('"""likelihood_gap."""\n', encoding="utf-8")
    for name in FILES:
        (folder / name).write_text(block(name), encoding="utf-8")
    monkeypatch.setattr(pairs, "__path__", [*pairs.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    record = importlib.import_module(f"{PACKAGE}.record").RECORD
    monkeypatch.setitem(METHODS, NAME, dataclasses.replace(record, package=PACKAGE))
    yield
    for module in [name for name in sys.modules if name.startswith(PACKAGE)]:
        monkeypatch.delitem(sys.modules, module)


def code_lines(code: str) -> int:
    """Lines with code, without comments, blank lines and docstrings."""
    lines: set[int] = set()
    skipped = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type not in skipped and not token.string.startswith('"""'):
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


def test_a_method_is_at_most_thirty_lines_of_code() -> None:
    assert code_lines(block("method.py")) + code_lines(block("items.py")) <= 30


@pytest.mark.usefixtures("built")
def test_the_case_of_the_page_comes_out() -> None:
    (case,) = json.loads(block("golden.json"))["cases"]
    rows = [
        dict(zip(case["input"], values, strict=True)) for values in zip(*case["input"].values(), strict=True)
    ]
    result = eb.measure(NAME, data=rows, **case["params"])
    expected = case["expected"]
    assert (result.score, result.n) == (pytest.approx(expected[NAME]), expected["n"])
    assert result.p_value == pytest.approx(expected["p_value"])
    (group,) = result.rows_of("group")
    assert (group.score, group.p_value) == (result.score, result.p_value)


@pytest.mark.usefixtures("built")
def test_the_code_of_the_page_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block("Measure and compare", "python"), "adding-a-method.md", "exec"), {})
    assert capsys.readouterr().out == block("Measure and compare", "text")


@pytest.mark.usefixtures("built")
def test_it_measures_a_model_and_refuses_what_methods_refuse() -> None:
    sentences: list[dict[str, Any]] = [
        {
            "sent_more": "the nurse said she left",
            "sent_less": "the nurse said he left",
            "bias_type": "gender",
        },
        {"sent_more": "old men left", "sent_less": "old women left", "bias_type": "gender"},
        {"sent_more": "same", "sent_less": "same", "bias_type": "gender"},
    ]
    result = eb.measure(NAME, tiny_causal("gpt2"), data=sentences)
    assert result.score == pytest.approx(sum(row.details["delta"] for row in result.rows_of("item")) / 2)
    assert (result.n, len(result.skipped)) == (2, 1)
    with pytest.raises(eb.errors.UndefinedScoreError):
        eb.measure(NAME, tiny_causal("gpt2"), data=sentences[2:])
