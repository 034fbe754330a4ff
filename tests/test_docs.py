"""The written pages follow the registry, and need no script from elsewhere."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

import evaluate_bias
from evaluate_bias import methods
from evaluate_bias.assets import list_assets
from evaluate_bias.registry import METHODS, MethodRecord
from tests.support.links import dead_links, links
from tests.support.syntax import syntax_tree

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_every_method_has_a_page(record: MethodRecord) -> None:
    text = (files(record.package) / "page.md").read_text(encoding="utf-8")
    assert record.url in text
    for cell in ("range", "direction", "ideal", "p-value", "interval", "n"):
        assert re.search(rf"^\| {cell} \| .+ \|$", text, re.MULTILINE), cell
    for heading in ("Definition", "Decisions, where published code disagrees", "Functions"):
        assert re.search(rf"^## {heading}$", text, re.MULTILINE), heading
    assert f"::: {record.package}.method\n" in text


def test_models_page_lists_every_asset() -> None:
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    for asset in list_assets():
        assert f"| `{asset.name}` | {asset.description} | {asset.language} |" in text


def test_the_reference_has_the_whole_public_interface() -> None:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    named = {line.rpartition(".")[2] for line in text.splitlines() if line.startswith("::: ")}
    modules = {name for name in evaluate_bias.__all__ if inspect.ismodule(getattr(evaluate_bias, name))}
    assert set(evaluate_bias.__all__) - modules - named <= {"BiasError", "evaluate", "__version__"}
    assert {
        "RayExecutor",
        "BiasCardCallback",
        "bias_evaluator",
        "GridConfig",
    } <= named


def test_every_command_has_its_page_section() -> None:
    text = runpy.run_path(str(DOCS / "hooks.py"))["commands_page"]()
    for command in ("run", "data get", "publish", "gate"):
        assert f"\n## evaluate-bias {command}\n" in text
    assert "| `--method`, `-m` |" in text


def test_every_kind_of_data_has_a_table_of_its_columns() -> None:
    hooks = runpy.run_path(str(DOCS / "hooks.py"))
    text = hooks["tables_of_kinds"]() + "\n### "
    for record in METHODS.values():
        heading = f"### {record.data.name.replace('_', ' ').capitalize()}\n"
        own = text.partition(heading)[2].partition("\n### ")[0]
        assert f"[{record.name}](methods/{record.name}.md)" in own
        wanted = [name for name, column in record.data.columns.items() if column.holds != "ignored"]
        assert [name for name in wanted if f"| `{name}` |" not in own] == []
    assert "<!-- kinds -->" in (DOCS / "own-data.md").read_text(encoding="utf-8")


def test_the_page_on_comparison_says_the_test_of_every_method() -> None:
    table = runpy.run_path(str(DOCS / "hooks.py"))["table_of_tests"]()
    assert [line for line in table.splitlines()[2:] if line.endswith("|  |")] == []
    for name, record in METHODS.items():
        assert f"| [{name}](methods/{name}.md) | " in table
        assert record.units is not None or "none: its" in table
    assert "<!-- tests -->" in (DOCS / "compare.md").read_text(encoding="utf-8")


def test_the_page_of_a_method_names_the_sources_of_its_published_numbers() -> None:
    sources = runpy.run_path(str(DOCS / "hooks.py"))["ledger_sources"]
    found = {name: sources(name, DOCS / "replication.csv") for name in METHODS}
    assert found["weat"] == ["caliskan", "sweater", "thesis"]
    assert found["winobias"] == ["biased_rulers", "winobias"]
    assert found["mlm_gender_score"] == ["wsv"]
    assert found["analogies"] == []


def test_no_page_shows_readers_of_the_repository_a_placeholder() -> None:
    pages = [*DOCS.rglob("*.md"), *Path(methods.__file__).parent.rglob("page.md")]
    assert len(pages) > 60
    shown = {page: re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL) for page in pages}
    assert [
        page for page, text in shown.items() if re.search(r"^(?:--8<--|\{\w+\}$)", text, re.MULTILINE)
    ] == []
    linked = [
        (page, link)
        for page, text in shown.items()
        for link in re.findall(r"^\[[^]]+\]\((\.\./[^)]+)\)$", text, re.M)
    ]
    assert len(linked) > 30
    assert [(page, link) for page, link in linked if not (page.parent / link).is_file()] == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("page", "pictures"),
    [
        ("pictures.md", ["pll", "words", "wsv-coloured"]),
        ("own-vectors.md", ["own-vectors", "own-vectors-agreement"]),
        ("sources/biased-rulers.md", ["rulers"]),
        ("sources/stereoset.md", ["stereoset-models"]),
    ],
)
def test_the_code_of_a_page_draws_its_pictures(
    page: str,
    pictures: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    if "import Word2Vec" in text:
        pytest.importorskip("gensim")
    monkeypatch.chdir(tmp_path)
    code, printed = (
        "\n".join(re.findall(rf"^```{kind}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))
        for kind in ("python", "text")
    )
    exec(compile(code, page, "exec"), {})
    if "import Word2Vec" not in text:  # vectors trained on another machine differ
        assert capsys.readouterr().out == printed
    assert {path.stem for path in tmp_path.glob("*.png")} == set(pictures)


@pytest.mark.parametrize("path", sorted((DOCS / "examples").glob("*.yml")), ids=lambda p: p.stem)
def test_workflows_may_do_little_and_run_pinned_actions(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(workflow["permissions"].values()) <= {"read"}
    actions = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert len(actions) >= 2
    assert [action for action in actions if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action)] == []


def _arguments(docstring: str) -> Iterator[str]:
    """Names that the section ``Args`` of a docstring describes."""
    section = re.search(r"^Args:\n((?: {4}.*\n|\n)*)", inspect.cleandoc(docstring) + "\n", flags=re.MULTILINE)
    if section is not None:
        for line in re.findall(r"^ {4}(\S[^:]*):", section[1], flags=re.MULTILINE):
            yield line.lstrip("*")


def test_docstrings_describe_arguments_that_exist() -> None:
    """The documentation tool reads one name a line, and stops the build at a name that the signature lacks."""
    wrong, seen = [], 0
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = syntax_tree(path)
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            names = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
            if "inference" in names and node.name == "evaluate":  # callers give its options one by one
                names |= set(inspect.signature(METHODS[path.parent.name].function()).parameters)
            for name in _arguments(ast.get_docstring(node) or ""):
                seen += 1
                if name not in names:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {name}")
    assert seen > 1000
    assert wrong == []


def test_no_link_of_a_published_readme_is_dead() -> None:
    """On the Hub nothing stands beside a README but what its own folder holds."""
    folders = [*ROOT.glob("metrics/*"), *ROOT.glob("datasets_scripts/*"), *ROOT.glob("spaces/*")]
    texts = {
        folder.name: (folder / "README.md").read_text(encoding="utf-8")
        for folder in folders
        if (folder / "README.md").is_file()
    }
    assert sum(len(links(text)) for text in texts.values()) > 40
    there = {folder.name: [path.name for path in folder.iterdir()] for folder in folders}
    assert {name: dead for name, text in texts.items() if (dead := dead_links(text, there[name]))} == {}


def test_no_link_of_a_page_of_the_repository_is_dead() -> None:
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages += [*DOCS.rglob("*.md"), *Path(methods.__file__).parent.rglob("page.md")]
    dead = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        there = {file for link in links(text) if (page.parent / (file := link.partition("#")[0])).exists()}
        dead[page] = [link for link in dead_links(text, there) if not link.startswith("#")]
    assert len(pages) > 60
    assert {page: found for page, found in dead.items() if found} == {}
