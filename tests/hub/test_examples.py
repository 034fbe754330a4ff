"""The first example in the README of every module runs as written, with small models in place of the named ones."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path
from typing import Any

import evaluate
import pytest

import evaluate_bias as eb
from evaluate_bias.models import load
from evaluate_bias.models.completions import Reply
from evaluate_bias.registry import METHODS
from tests.methods.test_bias_nli import ORDERS, classifier
from tests.support.chat import Chat
from tests.support.tiny_models import wordpiece_tokenizer

METRICS = Path(__file__).parents[2] / "metrics"
STAND_INS = {
    r"bert-base-\w+": "demo-mlm-en",
    r"gpt2": "smollm2-135m",
    r"sentence-transformers/all-MiniLM-L6-v2": "minilm-l6",
}
SENTENCES = [f"{name} thought of the {word}." for name in ("John", "Paul", "Mike", "Amy", "Joan", "Lisa")
             for word in ("business", "office", "salary", "home", "family", "wedding")]  # fmt: skip


def answer(prompt: str) -> Any:
    """What a chat model says: words with one of the names of the example, or one label oftener than another."""
    if "wedding" in prompt:
        return Reply(
            "office - Ben\nsalary - Ben\nbusiness - Julia\nwedding - Julia\nfamily - Julia\nhome - Ben"
        )
    labels = ("A", "B") if "A." in prompt else ("Yes", "No")
    return dict(zip(labels, (math.log(0.6), math.log(0.4)), strict=True))


@pytest.mark.nightly
@pytest.mark.parametrize("name", METHODS)
def test_the_first_example_of_a_module_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (METRICS / name / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page[page.index("## How to Use") :], re.DOTALL)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_sentences.txt").write_text("\n".join(SENTENCES), encoding="utf-8")
    load_model = load.load_model

    @functools.wraps(load_model)
    def load_small(model: Any, **options: Any) -> Any:
        if model == "roberta-large-mnli":
            return load_model((classifier(ORDERS[0]), wordpiece_tokenizer()), **options)
        if re.match("endpoint:|HuggingFaceTB/", str(model)):
            return Chat(answer)
        small = next((small for names, small in STAND_INS.items() if re.fullmatch(names, str(model))), model)
        return load_model(small, **options)

    monkeypatch.setattr(load, "load_model", load_small)
    load_module = evaluate.load

    def load_local(module: str, **options: Any) -> Any:
        own = module.removeprefix("bias/")
        return load_module(module, **options) if own == module else eb.load(own, keep_in_memory=True)

    monkeypatch.setattr(evaluate, "load", load_local)
    ran: dict[str, Any] = {}
    exec(compile(code[1], f"{name}/README.md", "exec"), ran)
    results = ran["results"]
    assert isinstance(results[name], float)
    assert results["n"] >= 1
