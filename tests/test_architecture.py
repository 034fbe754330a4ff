"""Imports only go down: the import graph of the package, drawn from its source, held against the floors of the house.

``FLOORS`` lists the parts of the package from the bottom up. A part may import what lies on a floor below its own, and
itself; parts of one floor do not know one another. What goes against that today stands in ``KNOWN``, with the reason,
and an entry that is no longer needed fails.
"""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import evaluate_bias
from evaluate_bias.registry import METHODS
from tests.support.syntax import syntax_tree

ROOT = Path(evaluate_bias.__file__).parent

FLOORS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "arrays errors paths provenance progress",
        "files text",
        "result options",
        "stats assets",
        "corpora",
        "models data",
        "method_record",
        "method",
        "methods",
        "registry",
        "api",
        "experiments",
        "report",
        "hub integrations",
        "ui",
        "cli",
        "__init__ __main__",
    )
)
"""Top-level modules and packages, from the bottom up."""

PURE = frozenset({"arrays", "errors", "text"})
"""What ``stats`` may import of ours: it never sees a word, a model or a result."""

HEAVY = frozenset({"evaluate", "gradio", "ray", "jinja2", "matplotlib"})
"""What nothing below ``report`` imports."""

RUNS_RAY = "evaluate_bias.experiments.executors.ray_cluster"
"""But for the one module that runs units on a Ray cluster."""

KNOWN: dict[tuple[str, str], str] = {
    ("cli", "__init__"): "__version__ stands there",
    ("hub", "__init__"): "__version__ stands there",
    ("methods", "registry"): "`from evaluate_bias.methods import weat` asks it for the folder of a method",
}
"""Imports (by a part, of a part) that go against the floors, and why they are still there."""

NAMES_A_METHOD: dict[str, str] = {
    "cli": "examples in the help, and the demonstration",
    "data": "data sets that carry the name of the method they were published with",
}
"""Modules, or packages, outside ``methods`` whose code holds a method's name, and why they still do."""

IMPORTS_A_METHOD: dict[str, str] = {}
"""Modules outside ``methods`` that import one method, and why they still do."""

OPENS = frozenset(
    ("open", "urlopen", "read_text", "read_bytes", "write_text", "write_bytes", "read_csv", "load_dataset")
)
"""Functions and methods that open a file or a connection."""

NETWORK = frozenset(
    ["socket", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "huggingface_hub", "ftplib"]
)
"""Packages that open connections."""


@dataclass(frozen=True)
class Import:
    """One import statement; ``when`` is "load", "call" (in a function), "types" (for checkers) or "string" (a name)."""

    module: str
    target: str
    when: str

    @property
    def pair(self) -> tuple[str, str]:
        return part_of(self.module), part_of(self.target)


def part_of(module: str) -> str:
    """The top-level module or package that a module belongs to."""
    return module.removeprefix("evaluate_bias").removeprefix(".").partition(".")[0] or "__init__"


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports_of(module: str, path: Path) -> Iterator[Import]:
    """Every import of a module; of ours by full name, the submodule where one is imported.

    In an ``__init__.py`` a string that names a module below it is taken for a lazy import.
    """
    lazy = f"{module}." if path.name == "__init__.py" else "no package "

    def walk(node: ast.AST, when: str) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            inner = when
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and when == "load":
                inner = "call"
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                inner = "types"
            elif isinstance(child, ast.Import):
                yield from (Import(module, alias.name, when) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    above = module.split(".") + ["__init__"] * (path.name == "__init__.py")
                    base = ".".join([*above[: -child.level], *([child.module] if child.module else [])])
                for alias in child.names:
                    inside = f"{base}.{alias.name}"
                    yield Import(module, inside if inside in MODULES else base, when)
            elif isinstance(child, ast.Constant) and child.value in MODULES and "." in str(child.value):
                yield Import(module, str(child.value), "string")
            elif isinstance(child, ast.Constant) and f"{lazy}{child.value}" in MODULES:
                yield Import(module, f"{lazy}{child.value}", "string")
            yield from walk(child, inner)

    yield from walk(syntax_tree(path), "load")


IMPORTS = [found for module, path in MODULES.items() for found in imports_of(module, path)]
OURS = [i for i in IMPORTS if i.target.partition(".")[0] == "evaluate_bias"]


def floor(part: str) -> int:
    return next(i for i, parts in enumerate(FLOORS) if part in parts)


def goes_up(found: Import) -> bool:
    """Whether an import leads to a part that is not below; what only type checkers see counts too."""
    here, there = found.pair
    return here != there and floor(there) >= floor(here)


def shown(found: list[Import]) -> list[str]:
    return sorted({f"{i.module} imports {i.target} ({i.when})" for i in found})


def test_every_part_has_a_floor() -> None:
    parts = {part_of(module) for module in MODULES}
    assert parts == set().union(*FLOORS)


def test_names_of_lazy_imports_are_imports() -> None:
    strings = {(i.module, i.target) for i in OURS if i.when == "string"}
    assert ("evaluate_bias", "evaluate_bias.hub.push_card") in strings
    assert ("evaluate_bias", "evaluate_bias.api") in strings


def test_few_files_lie_loose_at_the_top() -> None:
    loose = [path.name for path in ROOT.iterdir() if path.is_file() and not path.name.startswith(".")]
    assert len(loose) <= 16, sorted(loose)


def test_imports_only_go_down() -> None:
    assert shown([i for i in OURS if goes_up(i) and i.pair not in KNOWN]) == []


@pytest.mark.parametrize("pair", KNOWN, ids=" -> ".join)
def test_a_known_exception_is_still_needed_and_says_why(pair: tuple[str, str]) -> None:
    assert KNOWN[pair]
    assert any(i.pair == pair and goes_up(i) for i in OURS), "take it out of KNOWN"


IMPORTS_BY_NAME: dict[str, str] = {
    "evaluate_bias:_from": "public names are loaded on first use",
    "evaluate_bias:__getattr__": "public names are loaded on first use",
    "evaluate_bias.data:__getattr__": "public names are loaded on first use",
    "evaluate_bias.data.kinds:load": "a kind of data, whose schema would import pydantic",
    "evaluate_bias.method_record:function": "a method's entry, in the folder where the registry found it",
    "evaluate_bias.method_record:unit_functions": "a method's own score, likewise",
    "evaluate_bias.methods:__getattr__": "a method, in the folder where the registry found it",
    "evaluate_bias.models.source:imported": "an extra, which may not be installed",
    "evaluate_bias.registry:_record_files": "methods are found by their folders",
}
"""Functions that import a module by a name put together at run time, which no graph shows, and why they do."""


def imports_by_name(path: Path) -> Iterator[str]:
    """The outermost functions of a module that import another by a string."""
    for node in syntax_tree(path).body:
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            calls = (n for n in ast.walk(function) if isinstance(n, ast.Call))
            if any(ast.unparse(call.func).endswith(("import_module", "__import__")) for call in calls):
                yield getattr(function, "name", "module")


def test_modules_are_imported_by_name_in_few_places() -> None:
    found = {f"{module}:{name}" for module, path in MODULES.items() for name in imports_by_name(path)}
    assert found == set(IMPORTS_BY_NAME)


def test_no_import_goes_in_a_circle() -> None:
    """Neither when modules are loaded, nor by way of what functions import later or name in a string."""
    lazy = {"evaluate_bias", "evaluate_bias.data"}  # whose names are loaded on first use
    loads = [i for i in OURS if i.when != "string" or i.module not in lazy]
    graph = {module: {i.target for i in loads if i.module == module} - {module} for module in MODULES}
    graphlib.TopologicalSorter(graph).prepare()


def test_stats_know_numbers_only() -> None:
    assert shown([i for i in OURS if i.pair[0] == "stats" and i.pair[1] not in PURE | {"stats"}]) == []


def test_nothing_below_the_report_imports_what_only_surfaces_need() -> None:
    low = [i for i in IMPORTS if floor(part_of(i.module)) < floor("report") and i.module != RUNS_RAY]
    assert shown([i for i in low if i.target.partition(".")[0] in HEAVY]) == []


FAMILIES = {record.package.rpartition(".")[0] for record in METHODS.values()}


def family(module: str) -> str:
    """The family of methods that a module belongs to; empty for what families share, and elsewhere."""
    package = ".".join(module.split(".")[:3])
    return package if package in FAMILIES else ""


def test_methods_of_two_families_do_not_know_one_another() -> None:
    """What two families share lies in ``methods`` itself, or in a folder without methods; neither knows a family."""
    inside = [i for i in OURS if part_of(i.module) == "methods"]
    assert {family(i.module) for i in inside} >= {"", "evaluate_bias.methods.pairs"}
    assert shown([i for i in inside if family(i.target) not in ("", family(i.module))]) == []


def test_nothing_outside_imports_one_method() -> None:
    """The registry alone finds them, by their folders; the demo may name what it shows."""
    found = [i for i in OURS if family(i.target) and part_of(i.module) != "methods"]
    assert {i.module.removeprefix("evaluate_bias.") for i in found} == set(IMPORTS_A_METHOD)
    assert all(IMPORTS_A_METHOD.values())


def opened_in(path: Path) -> list[str]:
    """Calls that open a file, in the code of a module."""
    calls = (n for n in ast.walk(syntax_tree(path)) if isinstance(n, ast.Call))
    names = (ast.unparse(n.func) for n in calls)
    return [name for name in names if name.rpartition(".")[2] in OPENS or name == "Path"]


def test_methods_open_no_file_and_no_connection() -> None:
    inside = {m: path for m, path in MODULES.items() if part_of(m) == "methods"}
    assert {m: found for m, path in inside.items() if (found := opened_in(path))} == {}
    assert shown([i for i in IMPORTS if i.module in inside and i.target.partition(".")[0] in NETWORK]) == []


def test_what_opens_a_file_is_seen(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text("with open(a) as f: pass\nPath(a).read_text()\nb.open()\nreopen(c)\n", encoding="utf-8")
    assert sorted(opened_in(code)) == ["Path", "Path(a).read_text", "b.open", "open"]


def named_in(path: Path) -> bool:
    """Whether the code of a module, docstrings left out, holds a method's name in a string or as a name."""
    tree = syntax_tree(path)
    bare = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    names = re.compile(rf"(?<![\w-])({'|'.join(METHODS)})(?![\w-])")
    nodes = [n for n in ast.walk(tree) if id(n) not in bare]
    strings = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    used = [
        n.id if isinstance(n, ast.Name) else n.attr for n in nodes if isinstance(n, ast.Name | ast.Attribute)
    ]
    return any(names.search(text) for text in strings) or not METHODS.keys().isdisjoint(used)


def test_no_method_is_named_outside_its_folder() -> None:
    named = {
        m.removeprefix("evaluate_bias.")
        for m, path in MODULES.items()
        if part_of(m) != "methods" and named_in(path)
    }
    places = {m: next((k for k in NAMES_A_METHOD if f"{m}.".startswith(f"{k}.")), m) for m in named}
    assert set(places.values()) == set(NAMES_A_METHOD)
    assert all(NAMES_A_METHOD.values())


def class_names() -> dict[str, list[str]]:
    """The modules that define a class at their top level, by its name without a leading underscore."""
    found: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in syntax_tree(path).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name.lstrip("_"), []).append(module)
    return found


def test_a_class_name_leads_to_one_place() -> None:
    assert {name: places for name, places in class_names().items() if len(places) > 1} == {}
