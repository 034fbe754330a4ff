"""``make modules``: write every folder of ``metrics/`` from its method's record, page, signature and golden cases."""

from __future__ import annotations

import json
import textwrap
from importlib import resources
from pathlib import Path
from typing import Any

from ..data.caveats import data_note
from ..errors import DataError
from ..method import MethodRecord
from ..registry import METHODS
from .module_texts import MODEL_TEXT, column_lines, option_lines, range_text

__all__ = ["module_files", "page_sections", "write_modules"]

_WIDTH = 120
_GRADIO = "6.31.0"
_SECTIONS = ("Definition", "How to use", "Published values", "Examples")
_SCRIPT = '''"""{title} as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1


class {camel}(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `bias/{name}`."""

    METHOD = "{name}"
'''
_APP = '''"""The Space's page of bias/{name}, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("{name}")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
'''
_TESTS = '''"""Inputs of the module and what it must answer, with their sources; written by `make modules`."""

import json

test_cases = json.loads(
    r"""
{cases}
"""
)
'''
_REQUIREMENTS = "evaluate-bias[{extras}]>=0.1,<0.2\n"


def write_modules(root: Path) -> list[Path]:
    """Write ``metrics/<name>/`` of every method below ``root``.

    Args:
        root: the folder ``metrics`` of a checkout.

    Returns:
        The files that changed.

    Raises:
        DataError: a page lacks a section that a module's README needs.
    """
    changed = []
    for record in METHODS.values():
        for name, text in module_files(record).items():
            path = root / record.name / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                changed.append(path)
    return changed


def module_files(record: MethodRecord) -> dict[str, str]:
    """The files of a method's module by name."""
    names = {"name": record.name, "title": record.title, "camel": _camel(record.name)}
    static = record.needs == ("embeds words",)
    return {
        f"{record.name}.py": _SCRIPT.format(**names),
        "app.py": _APP.format(**names),
        "README.md": _readme(record),
        "requirements.txt": _REQUIREMENTS.format(extras="vectors,space" if static else "models,space"),
        "tests.py": _TESTS.format(cases=json.dumps(_cases(record), indent=1, ensure_ascii=False)),
    }


def page_sections(record: MethodRecord) -> dict[str, str]:
    """The sections of a method's page by heading; the part before the first stands under an empty one.

    Raises:
        DataError: the page lacks a section.
    """
    text = _file(record, "page.md")
    sections: dict[str, list[str]] = {"": []}
    lines, fenced = sections[""], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            lines = sections.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    found = {heading: "\n".join(body).strip() for heading, body in sections.items()}
    if missing := [s for s in _SECTIONS if not found.get(s)]:
        raise DataError(f"the page of {record.name} needs the section {missing[0]!r}")
    return {"Further references": "", **found}


def _file(record: MethodRecord, name: str) -> str:
    return (resources.files(record.package) / name).read_text(encoding="utf-8")


def _readme(record: MethodRecord) -> str:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    environment.filters["fill"] = _fill
    template = (resources.files("evaluate_bias.hub") / "module_template" / "README.md.jinja").read_text("utf-8")
    note = data_note({"source": record.dataset})
    return environment.from_string(template).render(
        record=record,
        page=page_sections(record),
        columns=column_lines(record),
        options=option_lines(record),
        caveats=(*record.caveats, *(note.caveats if note is not None else ())),
        model_text=MODEL_TEXT,
        range=range_text(record),
        gradio=_GRADIO,
    )


def _cases(record: MethodRecord) -> list[dict[str, Any]]:
    """Golden cases that the module can be asked: columns and options as inputs, keys of its dictionary as results."""
    cases = json.loads(_file(record, "golden.json"))["cases"]
    return [
        {"source": c["source"], "inputs": {**c["input"], **c["params"]}, "result": c["expected"]}
        for c in cases
        if c.get("module", True)
    ]


def _fill(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


if __name__ == "__main__":
    import sys

    for changed in write_modules(Path(sys.argv[1] if len(sys.argv) > 1 else "metrics")):
        print(changed)
