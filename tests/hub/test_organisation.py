"""The Hub organisation is named once, and only what is published under it says how to load it from there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from evaluate_bias.data.recipes import RECORDS
from evaluate_bias.hub.publish import sources
from evaluate_bias.paths import ORGANISATION
from evaluate_bias.registry import METHODS
from tests.support.syntax import syntax_tree

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "evaluate_bias"
CODE_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LOADS_FROM_THE_HUB = re.compile(rf"load(_dataset)?\(\s*[\"']{ORGANISATION}/")
LOG_KEYS = {"integrations/trainer.py", "integrations/sentence_transformers.py"}
"""Where ``bias/`` begins the name of a score in a training log and is no organisation."""


def literals(path: Path) -> list[str]:
    """The texts in the code of a module, docstrings left out."""
    tree = syntax_tree(path)
    bare = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in bare]
    return [n.value for n in nodes if isinstance(n.value, str)]


def test_no_other_place_in_the_code_names_the_organisation():
    named = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for text in literals(path)
        if re.match(rf"{ORGANISATION}/", text)
    }
    assert named == LOG_KEYS


def test_every_id_is_of_the_organisation():
    ids = [m.dataset for m in METHODS.values()] + [r.hub_id for r in RECORDS.values() if r.hub_id]
    assert ids
    assert all(
        re.fullmatch(rf"{ORGANISATION}/[a-z-]+", i) for i in ids if i
    )  # some take the user's own data only


PAGES = [
    *ROOT.glob("docs/*.md"),
    *PACKAGE.glob("methods/*/*/page.md"),
]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_code_in_pages_loads_nothing_from_the_organisation(path):
    blocks = CODE_BLOCK.findall(path.read_text(encoding="utf-8"))
    assert [b for b in blocks if LOADS_FROM_THE_HUB.search(b)] == []


@pytest.mark.parametrize("name", METHODS)
def test_a_module_says_how_to_install_and_load_it_from_the_hub(name):
    text = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    assert re.search(r'^pip install "evaluate-bias(\[\w+\])?"$', text, re.MULTILINE)
    assert re.findall(r"^@\w+\{", text, re.MULTILINE)
    loaded = [m for block in CODE_BLOCK.findall(text) for m in re.findall(r'\bload\("([^"]+)"\)', block)]
    assert set(loaded) == {f"{ORGANISATION}/{name}"}


def test_a_card_of_data_says_how_to_load_them_from_the_hub():
    for record in RECORDS.values():
        if configs := record.select(None):
            text = (ROOT / "datasets_scripts" / record.name / "README.md").read_text(encoding="utf-8")
            (chosen,) = [c for c in yaml.safe_load(text.split("---")[1])["configs"] if c.get("default")]
            own = rf'load_dataset\("{record.hub_id}", "{chosen["config_name"]}", split="\w+"\)'
            publishable = {c.name: c.publishable for c in configs}[chosen["config_name"]]
            assert bool(re.search(own, text)) == publishable, record.name


def test_what_another_organisation_publishes_links_to_its_own(
    tmp_path,
):
    (module,), (data,) = (
        sources([kind], [name]) for kind, name in (("module", "weat"), ("dataset", "analogy_pairs"))
    )
    for source in (module, data):
        texts = {
            path.name: path.read_text(encoding="utf-8")
            for path in source.folder("my-group", tmp_path).path.iterdir()
            if path.suffix in (".md", ".yaml")
        }
        assert texts
        assert not any(re.search(rf"(?<![\w-]){ORGANISATION}/[a-z]", text) for text in texts.values()), texts
    assert (
        "huggingface.co/datasets/my-group/weat-word-lists" in (tmp_path / "module/weat/README.md").read_text()
    )
    assert "bias/weat-word-lists" in (module.folder(ORGANISATION, tmp_path).path / "README.md").read_text()
