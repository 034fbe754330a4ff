"""Pages that are made when the site is built: methods, their index, notebooks, commands, licences and the changelog."""

from __future__ import annotations

import csv
import json
import re
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml
from mkdocs.structure.files import File

from evaluate_bias.data.dataset_record import DatasetRecord
from evaluate_bias.data.recipes import RECORDS, record_of
from evaluate_bias.data.table_files import packaged_languages
from evaluate_bias.hub.module_texts import option_lines, scale_text
from evaluate_bias.method_record import MethodRecord
from evaluate_bias.registry import METHODS
from evaluate_bias.text import range_text

INDEX = """---
hide: [toc]
---

# Methods

Every method returns a [`Result`](../reference/python.md): the score with its range, direction and ideal value, an
interval, a p-value if there is a null hypothesis, the breakdown, everything that could not be scored, and the
provenance. A value at the ideal shows that this instrument detected nothing, not that the model has no bias.

{table}
"""


def on_config(config: Any) -> Any:
    """Put the methods into the navigation, by family."""
    entries: list[Any] = [{"Overview": "methods/index.md"}]
    for family, records in groupby(METHODS.values(), key=lambda r: r.family):
        entries.append({family.capitalize(): [{_short(r): f"methods/{r.name}.md"} for r in records]})
    for item in config["nav"]:
        if "Methods" in item:
            item["Methods"] = entries
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages."""
    files.append(File.generated(config, "methods/index.md", content=INDEX.format(table=methods_table())))
    docs = Path(config["docs_dir"])
    for record in METHODS.values():
        page = method_page(record, docs / "replication.csv")
        files.append(File.generated(config, f"methods/{record.name}.md", content=page))
    for name, notebook in _NOTEBOOKS.items():
        page = notebook_page(docs / "notebooks" / f"{notebook}.ipynb")
        files.append(File.generated(config, f"{name}.md", content=page))
    files.append(File.generated(config, "reference/commands.md", content=commands_page()))
    files.append(File.generated(config, "licences.md", content=licences_page(docs.parent)))
    files.append(File.generated(config, "data-sets.md", content=data_sets_page(docs.parent)))
    files.append(File.generated(config, "languages.md", content=languages_page()))
    rows = source_rows_page(docs / "sources" / "rows.yaml")
    files.append(File.generated(config, "sources/rows.md", content=rows))
    changes = (docs.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=changes.replace("](docs/", "](")))
    return files


def methods_table() -> str:
    """A line per method: what it is called, its paper, what it needs, range and ideal value."""
    lines = ["| method | paper | needs a model that | range | ideal |", "|---|---|---|---|---|"]
    for record in METHODS.values():
        scale = range_text(record.score_range).replace("-", "−")
        year = record.paper.partition("(")[2][:4]
        authors = record.paper.partition(" (")[0].replace(" and ", ", ").split(", ")
        cited = f"{authors[0]} et al." if len(authors) > 2 else " and ".join(authors)
        needs = " or ".join(record.needs) or "(no model)"
        link = f"[{record.title}]({record.name}.md) `{record.name}`"
        lines.append(f"| {link} | {cited} {year} | {needs} | {scale} | {record.ideal:g} |")
    return "\n".join(lines)


_NOTEBOOKS = {
    "questions": "questions",
    "notebook-modules": "modules_and_data",
    "debiasing": "debiasing",
    "levels": "levels",
}
"""Pages that are notebooks, and their files."""


def commands_page() -> str:
    """Return the page of the command line: the help, arguments and options of every command."""
    import typer

    from evaluate_bias.cli.main import app

    def described(command: Any, words: str) -> list[str]:
        if nested := getattr(command, "commands", None):
            return [part for name in sorted(nested) for part in described(nested[name], f"{words} {name}")]
        given = [p for p in command.params if p.name != "help"]
        rows = [_parameter(p) for p in given]
        table = ["| option | | default |", "|---|---|---|", *rows] if rows else []
        return [f"## {words}", *_help(command), "\n".join(table)]

    root = typer.main.get_command(app)
    parts = ["# Commands", *_help(root), *described(root, "evaluate-bias")]
    return "\n\n".join(parts) + "\n"


def _help(command: Any) -> list[str]:
    """Return the paragraphs of a command's help, with what can be typed formatted as code."""
    paragraphs = (" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    return [re.sub(r"'(evaluate-bias [^']+)'", r"`\1`", part) for part in paragraphs]


def _parameter(given: Any) -> str:
    """A line on an argument or option."""
    options = [name for name in (*given.opts, *given.secondary_opts) if name.startswith("-")]
    names = ", ".join(f"`{name}`" for name in options) or f"`{given.name.upper()}`"
    told = " ".join((getattr(given, "help", "") or "").split()).replace("|", r"\|")
    default = given.default if isinstance(given.default, str | int | float) else ""
    last = "" if default == "" or default is False else f"`{default}`"
    return f"| {names} | {told} | {'required' if given.required else last} |"


LICENCES = """# Licences and citation

## The library

Code, word lists and templates of this project are under Apache-2.0. Lists of others that come with the package:

```{{.text .formula}}
{notice}
```

## Data sets

`evaluate-bias data get NAME` builds one on your machine, with LICENSE and NOTICE. Data that may not be published again
are only built there.

{table}

## How to cite

Cite the paper of every method that you report: `evaluate_bias.registry.get_method("weat").bibtex`. A model card lists
the papers of its methods. The software:

```yaml
{citation}
```
"""


def licences_page(root: Path) -> str:
    """Return the page of the licences of code and data sets, and how to cite them."""
    lines = ["| data set | configurations | licence | may be published again |", "|---|---|---|---|"]
    for record in RECORDS.values():
        for (licence, allowed), configs in groupby(record.configs, key=lambda c: (c.licence, c.publishable)):
            names = ", ".join(f"`{c.name}`" for c in configs)
            lines.append(f"| {record.title} | {names} | {licence} | {'yes' if allowed else 'no'} |")
    notice, citation = (
        (root / name).read_text(encoding="utf-8").strip() for name in ("NOTICE", "CITATION.cff")
    )
    return LICENCES.format(notice=notice, table="\n".join(lines), citation=citation)


DATA_SETS = """# Data sets

Which data come with the library or can be built? `evaluate-bias data get NAME` builds one on your machine from its
pinned source. `source="NAME"` measures on it. Languages of a method are on [another page](languages.md).

{table}
"""


def data_sets_page(root: Path) -> str:
    """Every data set with its languages, size, licences and the methods that use it by default."""
    lines = [
        "| data set | category, if all rows have one | languages | rows | licence | default of |",
        "|---|---|---|---|---|---|",
    ]
    for record in RECORDS.values():
        card = root / "datasets_scripts" / record.name / "README.md"
        front = yaml.safe_load(card.read_text(encoding="utf-8").split("---\n")[1]) if card.is_file() else {}
        size = ", ".join(front.get("size_categories", [])).replace("<n<", " to ").replace("n<", "fewer than ")
        licences = dict.fromkeys(licence for config in record.configs for licence in config.licences)
        users = [m for m in METHODS.values() if m.dataset.partition("/")[2] == record.name.replace("_", "-")]
        links = ", ".join(f"[{m.name}](methods/{m.name}.md)" for m in users)
        languages = ", ".join(dataset_languages(record))
        about = ", ".join(record.categories)
        title = f"{record.title} `{record.name}`"
        lines.append(f"| {title} | {about} | {languages} | {size} | {', '.join(licences)} | {links} |")
    return DATA_SETS.format(table="\n".join(lines))


def dataset_languages(record: DatasetRecord) -> list[str]:
    """Return the languages of a data set's configurations, or of its packaged files."""
    known = dict.fromkeys(config.language for config in record.configs if config.language not in ("", "und"))
    return sorted(known or packaged_languages(record.name))


LANGUAGES = """# Languages and methods

Which methods can measure in my language? The table has the languages of each method's data sets. Any method also reads
your [own data](own-data.md) in any language.

{table}
"""


def languages_page() -> str:
    """Return a table of the languages of each method's default data set, with a column per language."""
    of_data = {record.name.replace("_", "-"): dataset_languages(record) for record in RECORDS.values()}
    of_method = {m.name: of_data.get(m.dataset.partition("/")[2], []) for m in METHODS.values()}
    tags = sorted({tag for known in of_method.values() for tag in known}, key=lambda tag: (tag != "en", tag))
    lines = [f"| method | {' | '.join(tags)} |", f"|---|{'---|' * len(tags)}"]
    for name, known in of_method.items():
        if known:
            lines.append(
                f"| [{name}](methods/{name}.md) | {' | '.join('✓' * (tag in known) for tag in tags)} |"
            )
    return LANGUAGES.format(table="\n".join(lines))


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Replace short notes for readers of the repository with tables, and links to files with the files."""
    for name, table in _TABLES.items():
        if f"<!-- {name} -->" in markdown:
            before, _, rest = markdown.partition(f"<!-- {name} -->")
            markdown = before + table() + rest.partition("<!-- end -->")[2]
    return site_links(_INCLUDED.sub(_snippet, markdown), "../" * page.file.src_uri.count("/"))


def site_links(markdown: str, root: str) -> str:
    """Links of the repository as links of the site, of a page from which ``root`` leads to the first."""
    markdown = _MODULE.sub(lambda link: f"]({root}methods/{link[1] or 'index'}.md", markdown)
    return _MADE.sub(lambda link: f"]({root}{_PAGES[link[1]]}.md", markdown)


_MODULE = re.compile(r"\]\((?:\.\./)+metrics(?:/(\w+)/README\.md)?")
"""The link of a guide to the folder of a method's module, or to all."""

_PAGES = {
    "../NOTICE": "licences",
    "notebooks/questions.ipynb": "questions",
    "notebooks/levels.ipynb": "levels",
}
_MADE = re.compile(rf"\]\(({'|'.join(map(re.escape, _PAGES))})")
"""Links to files that pages of the site are made of."""

_METHOD = re.compile(r"\]\((?:\.\./)+(?:\w+/)?(\w+)/page\.md")
"""The link of a method's page to the page of another method."""

_GUIDE = re.compile(r"\]\((?:\.\./)+docs/(?!calibration/|examples/)")
"""The link of a method's page to a guide, as written in the repository."""

_FORMULA = re.compile(r"^```text\n(?!>>>)", re.MULTILINE)
"""The fence of a formula on a method's page, where output follows the call that printed it."""

_INCLUDED = re.compile(r"^\[[^]]+\]\((?:\.\./)*(?:docs/)?((?:calibration|examples)/[\w.]+)\)$", re.MULTILINE)
"""A line that is nothing but a link to one of these files."""


def _snippet(link: re.Match[str]) -> str:
    include = f'--8<-- "{link[1]}"'
    language = {".py": "python", ".txt": "text"}.get(Path(link[1]).suffix)
    return f"```{language}\n{include}\n```" if language else include


def table_of_tests() -> str:
    """Return the paired test that a comparison runs on every method's score, or the reason why there is none."""
    lines = [f"| [{r.name}](methods/{r.name}.md) | {_over(r)} | {_test(r)} |" for r in METHODS.values()]
    return "\n".join(["| method | items | test |", "|---|---|---|", *lines])


def _over(record: MethodRecord) -> str:
    if record.units is None:
        return ""
    clusters = f", by {' and by '.join(record.units.clusters)}" if record.units.clusters else ""
    return record.units.name + clusters


def _test(record: MethodRecord) -> str:
    units = record.units
    if units is None:
        return f"none: {record.no_units[0].lower()}{record.no_units[1:].rstrip('.')}"
    if units.score == "effect_size":
        stands = (
            " (the interval of the score itself, over random contexts, comes from both results)"
            if units.proxy_effect_size
            else ""
        )
        return f"exchange of the standardised associations{stands}"
    if len(units.clusters) == 2:
        return (
            f"t test over the {' and the '.join(f'{key}s' for key in units.clusters)} that both results draw"
        )
    if units.score == "mean" and units.clusters:
        return f"t test over the {units.clusters[0]}s and the prompt variants"
    if units.score in ("mean", "mean_of_clusters"):
        test = "McNemar" if units.outcomes and not units.clusters else "paired permutation of the means"
        return f"{test}, without ties" if units.tie else test
    return "exchange of the two answers"


def tables_of_kinds() -> str:
    """A table of the columns of every kind of data, with the methods that use it."""
    takers: dict[str, list[MethodRecord]] = {}
    for record in METHODS.values():
        takers.setdefault(record.data.name, []).append(record)
    return "\n\n".join(
        f"### {kind.replace('_', ' ').capitalize()}\n\n"
        f"For {', '.join(f'[{r.name}](methods/{r.name}.md)' for r in records)}.\n\n"
        "| column | content | |\n|---|---|---|\n"
        + "\n".join(
            f"| `{name}` | {_HOLDS.get(column.holds, column.holds)} | {column.text.replace('|', chr(92) + '|')} |"
            for name, column in {n: c for r in records for n, c in r.data.columns.items()}.items()
            if column.holds != "ignored"
        )
        for kind, records in takers.items()
    )


_HOLDS = {
    "words": "words of a list",
    "sentence": "a sentence, or its score",
    "options": "options with their labels, or their scores",
}
"""What a column contains, if its name does not say so."""


_TABLES = {"kinds": tables_of_kinds, "tests": table_of_tests}


def method_page(record: MethodRecord, ledger: Path) -> str:
    """Return a method's page: the text of its folder, its module, its printed numbers, its caveats and its options."""
    text = (resources.files(record.package) / "page.md").read_text(encoding="utf-8")
    text = _FORMULA.sub("```{.text .formula}\n", _GUIDE.sub("](../", _METHOD.sub(r"](\1.md", text)))
    options = "\n".join(
        f"| `{name}` | {takes} | {said} |" for name, takes, said in _escaped(option_lines(record))
    )
    table = f"## Options\n\n| option | value | |\n|---|---|---|\n{options}\n"
    data = record_of({"source": record.dataset})
    caveats = "\n".join(f"- {caveat}" for caveat in (*record.caveats, *(data.caveats if data else ())))
    # What a page itself lists under "Limits" follows the caveats of the records.
    text, written = re.subn(r"^## Limits\n\n", f"## Limits\n\n{caveats}\n", text, flags=re.MULTILINE)
    if not written:
        table = f"## Limits\n\n{caveats}\n\n{table}"
    place = "\n## Functions\n"
    before, found, after = text.partition(place)
    heading, _, rest = before.partition("\n\n")
    module = (
        f'`evaluate_bias.measure("{record.name}", model)` · `evaluate_bias.load("{record.name}")` · '
        f"`evaluate-bias run --method {record.name}` · {scale_text(record)}"
    )
    if sources := ledger_sources(record.name, ledger):
        module += f"\n\n[Published numbers](../replication.md) compared with ours: {', '.join(sources)}."
    return f"{heading}\n\n{module}\n\n{rest.rstrip()}\n\n{table}{found}{after}"


def ledger_sources(name: str, ledger: Path) -> list[str]:
    """Return the sources of published numbers whose rows use a method."""
    with ledger.open(encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(r["source"] for r in csv.DictReader(file) if name in r["method"].split()))


def notebook_page(path: Path) -> str:
    """A notebook as it was run: its text, its code and what that printed."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        printed = "".join(
            "".join(output.get("text") or output["data"]["text/plain"]) for output in cell["outputs"]
        )
        if printed.strip():
            parts.append("````text\n" + printed.strip("\n") + "\n````")  # a card has fences of its own
    return "\n\n".join(parts) + "\n"


def _escaped(lines: list[tuple[str, str, str]]) -> list[tuple[str, ...]]:
    return [tuple(part.replace("|", r"\|") for part in line) for line in lines]


def _short(record: MethodRecord) -> str:
    """Return the title for the navigation: the abbreviation, if that is the method's name."""
    name, _, short = record.title.rstrip(")").partition(" (")
    return short if short.lower().replace("-", "") == record.name.replace("_", "") else name


ROWS = """# All rows of the sources

What do the four systems have, and which call gives it here? {there} of {n} rows are there, {part} in part or not at
all, and {cannot} cannot be had by anybody. `model` and `vectors` are [models](../models.md), the other names are rows
and files of yours. The tests run the calls on small ones.

{tables}
"""


def source_rows_page(path: Path) -> str:
    """Return the page of all rows of the sources, each with its call, its page, or the reason why it is missing."""
    sources = yaml.safe_load(path.read_text(encoding="utf-8"))
    tables = []
    for source, rows in sources.items():
        lines = [f"## {source}", "", "| row | here |", "|---|---|"]
        for row in rows:
            parts = [
                f"`{row['call']}`" if "call" in row else "",
                f"[page]({row['page']})" if "page" in row else "",
            ]
            parts += [
                f"in part: {row['lacks']}" if "lacks" in row else "",
                f"cannot be had: {row['cannot']}" if "cannot" in row else "",
            ]
            cell = "; ".join(part for part in parts if part).replace("|", "\\|")
            lines.append(f"| {row['row']} | {cell} |")
        tables.append("\n".join(lines))
    every = [row for rows in sources.values() for row in rows]
    cannot, part = (sum(key in row for row in every) for key in ("cannot", "lacks"))
    there = len(every) - cannot - part
    return ROWS.format(there=there, n=len(every), part=part, cannot=cannot, tables="\n\n".join(tables))
