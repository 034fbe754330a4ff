"""The code of README and of the written pages runs, page by page, in a folder with the files that a page names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias.data import load_word_lists
from evaluate_bias.experiments.sources import write_results
from tests.support.command_line import run_command
from tests.support.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[1]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md"))}
NOT_RUN = {
    "docs/adding-a-method.md": "run by test_adding_a_method.py, which prints the page",
    "docs/contributing.md": "parts of files that a contributor writes, and commands that publish",
    "docs/inspect.md": "logs of a provider's model",
    "docs/own-vectors.md": "run by the test of pages that draw pictures",
    "docs/pictures.md": "likewise",
    "docs/replication.md": "clones of other repositories",
    "docs/sources/biased-rulers.md": "run by the test of pages that draw pictures",
    "docs/sources/stereoset.md": "likewise",
    "docs/space.md": "pages that stay open",
    "docs/training.md": "a trainer of the reader's own",
}
"""Pages whose code needs what a test does not have, and what that is."""
NEEDS_MORE = re.compile(r"inspect:|--ray|--push|^(?!evaluate-bias )")
"""Commands that need a provider's key, a cluster or the Hub, and those of other programs."""
YAML_FILES = {"docs/batches.md": ["grid.yaml"], "docs/quickstart.md": ["tools.yaml"]}
BLOCK = re.compile(r"^```(python|bash|sh|console|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LIMIT = 20
"""Rows of a data set that a page measures whole."""
SERVED = "endpoint:http://127.0.0.1:8000/v1#my-model"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(answer=lambda body: ("A", {"A": -0.3, "B": -1.4})) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with vectors, lists, pairs and results by the names of the pages."""
    monkeypatch.chdir(tmp_path)
    (test,) = load_word_lists(tests=["weat7"])
    columns = ("name", "targets_x", "targets_y", "attributes_a", "attributes_b")
    values = {name: getattr(test, name) for name in columns}
    lists = pd.DataFrame([{k: v if isinstance(v, str) else "; ".join(v) for k, v in values.items()}])
    lists.to_csv("lists.csv", index=False)
    lists.to_stata("lists.dta", write_index=False)
    words = "hammer saw drill wrench chisel anvil needle thread loom thimble yarn embroidery "
    words += "he man father boy his brother she woman mother girl her sister"
    numbers = np.random.default_rng(0).normal(size=(24, 5)).tolist()
    vectors = (" ".join(map(str, [word, *row])) for word, row in zip(words.split(), numbers, strict=True))
    Path("vectors.txt").write_text("\n".join(vectors) + "\n")
    nouns = ("nurse", "cook", "driver", "teacher", "doctor", "clerk", "judge", "guard")
    pairs = [{"sent_more": f"The {n} said she left.", "sent_less": f"The {n} said he left."} for n in nouns]
    pd.DataFrame(pairs).assign(bias_type="gender").to_csv("pairs.csv", index=False)
    monkeypatch.setattr("evaluate_bias.hub.push_results.push_results", MagicMock())
    return tmp_path


def test_every_page_with_code_is_run_or_says_why_not() -> None:
    assert [page for page in NOT_RUN if not BLOCK.search(PAGES[page].read_text(encoding="utf-8"))] == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    "page",
    [page for page, path in PAGES.items() if page not in NOT_RUN and BLOCK.search(path.read_text("utf-8"))],
)
def test_the_code_of_a_page_runs(page: str, folder: Path, server: ModelServer) -> None:
    text = PAGES[page].read_text(encoding="utf-8")
    for named, small in (
        (SERVED + '"))', f'{server.spec}", limit={LIMIT}))'),
        ('"bert-base-uncased"))', f'"demo-mlm-en", limit={LIMIT}))'),
        (SERVED, server.spec),
        ("bert-base-uncased", "demo-mlm-en"),
    ):
        text = text.replace(named, small)
    if "crows_pairs." in text:
        scores = [{"sent_more": -9.0, "sent_less": -9.5 + i % 2} for i in range(600)]
        result = eb.measure("crows_pairs", None, data=scores)
    else:
        name = "stanfordnlp/glove-6b-50d" if "--export eee" in text else "glove-6b-50d"
        result = eb.measure("weat", eb.load_model("glove-6b-50d", name=name))
    for name in ("before", "base", "after", *["out"] * (not re.search(r"(-o|--out) out", text))):
        write_results([result], Path(name, "results.jsonl"))
    namespace: dict[str, Any] = {name: MagicMock() for name in ("wandb", "mlflow", "trackio")}
    yaml_files, ran = list(YAML_FILES.get(page, [])), 0
    for kind, code in BLOCK.findall(text):
        if kind == "yaml":
            Path(yaml_files.pop(0)).write_text(code, encoding="utf-8")
        elif kind == "python":
            exec(compile(code, page, "exec"), namespace)
            ran += 1
        else:
            for line in code.replace("\\\n", " ").splitlines():
                command = line.removeprefix("$ ")
                if not NEEDS_MORE.search(command):
                    words = shlex.split(command, comments=True)[1:]
                    if words[0] == "run" and not {"--limit", "grid.yaml"} & set(words):
                        words += ["--limit", str(LIMIT)]
                    ended = run_command(*words)
                    # Few rows cannot show that a model is not worse, so a gate may fail.
                    assert ended.code in ((0, 1) if words[0] == "gate" else (0,)), (
                        f"{command}\n{ended.out}\n{ended.err}"
                    )
                    ran += 1
    assert ran
    assert yaml_files == []
