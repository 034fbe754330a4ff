"""The written pages follow the registry, and need no script from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from evaluate_bias.assets import list_assets
from evaluate_bias.registry import METHODS, MethodRecord

DOCS = Path(__file__).resolve().parents[1] / "docs"


def row(record: MethodRecord) -> list[str]:
    """Cells of the overview that the registry tells, from the second on."""
    low, high = ("open" if v is None else f"{v:g}" for v in record.score_range)
    needs = " or ".join(record.needs)
    return [
        record.summary,
        needs,
        f"{low} to {high}",
        f"{record.ideal:g}",
        f"`{record.dataset}`",
    ]


def test_overview_has_every_method_as_the_registry_describes_it() -> None:
    text = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    cells = [
        [c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| [")
    ]
    links = [re.fullmatch(r"\[[^]]+\]\((\w+)\.md\) `\1`", c[0]) for c in cells]
    assert [link and link[1] for link in links] == list(METHODS)
    assert [c[1:] for c in cells] == [row(r) for r in METHODS.values()]


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_every_method_has_a_page(record: MethodRecord) -> None:
    text = (DOCS / "methods" / f"{record.name}.md").read_text(encoding="utf-8")
    assert record.url in text
    for cell in ("range", "direction", "ideal", "p-value", "interval", "n"):
        assert re.search(rf"^\| {cell} \| .+ \|$", text, re.MULTILINE), cell
    for heading in ("Definition", "Decisions, where published code disagrees", "Limits", "Functions"):
        assert re.search(rf"^## {heading}$", text, re.MULTILINE), heading
    assert f"::: {record.entry.partition(':')[0]}\n" in text
    nav = yaml.load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)["nav"]
    assert f"methods/{record.name}.md" in str(nav)


def test_models_page_lists_every_asset() -> None:
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    for asset in list_assets():
        assert f"| `{asset.name}` | {asset.description} | {asset.language} |" in text


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: p.stem)
def test_formulas_need_no_outside_script(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"\\\[|\\\(|\$\$|<script", text)
