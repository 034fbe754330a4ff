"""``make modules``: write what follows from the records: ``metrics/``, cards of data sets, NOTICE."""

from __future__ import annotations

import re
import textwrap
from importlib import resources
from pathlib import Path

from .. import __version__
from ..data.building import packaged_notice, render_card
from ..data.recipes import dataset_names, dataset_record, record_of
from ..data.recipes.records import packaged_data_configs
from ..errors import BiasError, DataError
from ..files import atomic_write
from ..method_record import MethodRecord
from ..paths import hub_id
from ..registry import METHODS
from ..report.card.hub_tasks import EVAL_YAML, eval_yaml
from .golden import golden_cases
from .module_texts import MODEL_TEXT, column_lines, option_lines, scale_text

_WIDTH = 120
_GRADIO = "6.31.0"
_PARTS = ("record.py", "method.py", "page.md", "golden.json")
_METHODS = "src/evaluate_bias/methods/*/*"
_NAMED = {
    "tests/methods/*.py": '"{name}"',
    "benchmarks/calibrations/*.py": '"{name}"',
    "benchmarks/same_numbers.py": '"{name}"',
    "docs/which-metric.md": "`{name}`",
}
"""The other files of a checkout that must name every method, and how they name it."""
_PAGE_LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]*\)")
_SECTIONS = ("Definition", "How to use", "Published values", "Examples")
_SCRIPT = '''"""{title} as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = {camel}().compute(**module_cases("{name}")[0]["inputs"])
>>> round(results["{name}"], 3)
{score}
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>={version}


class {camel}(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `{name}`."""

    METHOD = "{name}"
'''
_APP = '''"""The Space's page of {name}, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("{name}")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
'''
_TESTS = '''"""Inputs of {name} and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

cases = module_cases("{name}")
test_cases = [{{**case["inputs"], "result": case["result"]}} for case in cases]
'''
_MAJOR, _MINOR = __version__.split(".")[:2]
_REQUIREMENTS = f"evaluate-bias[{{extras}}]>={_MAJOR}.{_MINOR},<{_MAJOR}.{int(_MINOR) + 1}\n"


def write_modules(checkout: Path) -> list[Path]:
    """Write the folders of ``metrics`` and ``datasets_scripts``, and ``NOTICE``.

    Args:
        checkout: the folder that contains them.

    Returns:
        The files that changed.

    Raises:
        DataError: parts of methods are missing. The message names all of them.
    """
    if missing := missing_parts(checkout):
        raise DataError(f"{len(missing)} parts of methods are missing: {'; '.join(missing)}")
    changed = []
    for path, text in generated_files(checkout).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed.append(atomic_write(path, text))
    return changed


def missing_parts(checkout: Path) -> list[str]:
    """Return the missing parts of methods: files and sections of their folders, and lines that must name them.

    Args:
        checkout: the folder that contains ``src/``, ``tests/``, ``benchmarks/`` and ``docs/``.

    Returns:
        Everything that is missing, method by method, or empty if nothing is.
    """
    texts = {where: "".join(p.read_text(encoding="utf-8") for p in checkout.glob(where)) for where in _NAMED}
    missing = []
    for folder in sorted({path.parent for part in _PARTS for path in checkout.glob(f"{_METHODS}/{part}")}):
        missing += [f"{folder.name}/{part}" for part in _PARTS if not (folder / part).is_file()]
        if (page := folder / "page.md").is_file():
            sections = _sections(page.read_text(encoding="utf-8"))
            missing += [f"{folder.name}/page.md: {name!r}" for name in _SECTIONS if not sections.get(name)]
        mentions = {where: text.format(name=folder.name) for where, text in _NAMED.items()}
        missing += [f"{where}: {text}" for where, text in mentions.items() if text not in texts[where]]
    return missing


def generated_files(checkout: Path) -> dict[Path, str]:
    """Return every file of a checkout that :func:`write_modules` writes, with its text."""
    files = {
        checkout / "metrics" / record.name / name: text
        for record in METHODS.values()
        for name, text in module_files(record).items()
    }
    for name in dataset_names():
        made = dataset_record(name)
        folder = checkout / "datasets_scripts" / name
        files[folder / "README.md"] = render_card(made, made.select(None) or made.configs)
        if tasks := eval_yaml(name):
            files[folder / EVAL_YAML] = tasks
    files[checkout / "NOTICE"] = packaged_notice(packaged_data_configs())
    return files


def module_files(record: MethodRecord) -> dict[str, str]:
    """Return the files of a method's module by name."""
    names = {
        "name": record.name,
        "title": record.title,
        "camel": "".join(part.capitalize() for part in record.name.split("_")),
        "version": f"{_MAJOR}.{_MINOR}",
        "score": repr(round(float(golden_cases(record.name)[0]["expected"][record.name]), 3)),
    }
    return {
        f"{record.name}.py": _SCRIPT.format(**names),
        "app.py": _APP.format(**names),
        "README.md": _readme(record),
        "requirements.txt": _REQUIREMENTS.format(extras=",".join([*_extras(record), "space"])),
        "tests.py": _TESTS.format(**names),
    }


def _extras(record: MethodRecord) -> list[str]:
    """Return the extras of the package that the models of a method need.

    It needs torch only if a method asks a language model, or contexts before words.
    """
    if set(record.needs) <= {"counts words"}:
        return []
    words = record.needs[:1] == ("embeds words",) and "scores sequences" not in record.needs
    return ["vectors" if words else "models"]


def _loaded_from_the_hub(text: str, name: str) -> str:
    """Return the code of a page as it is written for a published module, which it loads from the Hub.

    Examples:
        >>> print(_loaded_from_the_hub('import evaluate_bias\\n\\nx = evaluate_bias.load("x")\\n', "x"))
        import evaluate
        <BLANKLINE>
        x = evaluate.load("bias/x")
        <BLANKLINE>
    """
    blocks = re.split(r"(?=^```)", text, flags=re.MULTILINE)
    loading = re.compile(rf'\b(?:evaluate_bias|eb)\.load\("{name}"\)')
    for i, block in enumerate(blocks):
        if loading.search(block):
            block = loading.sub(f'evaluate.load("{hub_id(name)}")', block)
            ours = re.search(r"^import evaluate_bias.*$", block, re.MULTILINE)
            assert ours is not None
            others = re.search(r"\b(?:evaluate_bias|eb)\.", block)
            imports = f"import evaluate\n{ours[0]}" if others else "import evaluate"
            blocks[i] = block.replace(ours[0], imports, 1)
    return "".join(blocks)


def page_sections(record: MethodRecord) -> dict[str, str]:
    """Return the sections of a method's page by heading. The part before the first has an empty heading.

    Links to other pages and sections are reduced to their texts, because a published module does not have those
    next to it.
    """
    page = (resources.files(record.package) / "page.md").read_text(encoding="utf-8")
    return {"Further references": "", "Limits": "", **_sections(_PAGE_LINK.sub(r"\1", page))}


def _sections(page: str) -> dict[str, str]:
    sections: dict[str, list[str]] = {"": []}
    lines, fenced = sections[""], False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            lines = sections.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {heading: "\n".join(body).strip() for heading, body in sections.items()}


def _readme(record: MethodRecord) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    def fill(text: str, indent: str = "") -> str:
        return textwrap.fill(
            text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )

    folder = Path(__file__).parent / "module_template"
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters["fill"] = fill
    note = record_of({"source": record.dataset})
    data_caveats = note.caveats if note is not None else ()
    page = page_sections(record)
    for heading in ("How to use", "Examples"):
        page[heading] = _loaded_from_the_hub(page[heading], record.name)
    return environment.get_template("README.md.jinja").render(
        record=record,
        page=page,
        extras=_extras(record),
        columns=column_lines(record),
        options=option_lines(record),
        caveats=(*record.caveats, *data_caveats),
        data_caveats=data_caveats,
        model_text=MODEL_TEXT,
        range=scale_text(record),
        gradio=_GRADIO,
    )


if __name__ == "__main__":
    import sys

    try:
        for written in write_modules(Path(sys.argv[1] if len(sys.argv) > 1 else ".")):
            print(written)
    except BiasError as error:
        sys.exit(f"error: {error}")
