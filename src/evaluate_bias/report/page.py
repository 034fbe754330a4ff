"""The first screen of a report: what was measured on what, in sentences and pictures; tables and notes follow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..registry import METHODS
from ..result import Result
from .data_facts import data_titles
from .escape import markdown
from .lines import ALPHA, Line, of_decided, report_lines, score_cell
from .tables import to_markdown

__all__ = ["Picture", "method_title", "report_page"]

Picture = tuple[str, Path]
"""Text for those who do not see it, and the file."""


def method_title(method: str) -> str:
    """Return what people call a method; its name where the registry does not know it."""
    return METHODS[method].title if method in METHODS else method


def report_page(results: Sequence[Result], pictures: Sequence[Picture], folder: Path) -> str:
    """Return ``report.md``: title, summary and pictures, then the tables of :func:`to_markdown`.

    Args:
        results: any number of results.
        pictures: files in ``folder`` to show, in this order.
        folder: where the page will lie; it refers to pictures by their place in it.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157, p_holm=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row], provenance={"model": {"name": "glove"}})
        >>> page = report_page([result], [("Scores of WEAT", Path("out/a.png"))], Path("out")).splitlines()
        >>> page[0], page[6]
        ('# Measured social bias of glove', '![Scores of WEAT](a.png)')
        >>> print(page[4][:96])
        - **Word Embedding Association Test (WEAT)**: weat7 with 1.50 [0.90, 1.80]; 1 of 1 adjusted p-va
    """
    lines = of_decided(report_lines(results))
    methods = list(dict.fromkeys(r.method for r in lines))
    models = list(dict.fromkeys(r.model for r in lines))
    shown = [f"![{markdown(text)}]({file.relative_to(folder).as_posix()})" for text, file in pictures]
    titles, data = [method_title(m) for m in methods], data_titles(results)
    scores = f"{len(lines)} score{'s' * (len(lines) != 1)} of {_counted(titles, 'methods')}"
    scores += f" on {_counted(data, 'data sets')}" if data else ""
    return "\n\n".join(
        [
            f"# Measured social bias of {markdown(_listed(models))}",
            f"{markdown(scores)}. A score is about these data and "
            f"{'this method' if len(methods) == 1 else 'these methods'}; none shows that a model is free of bias.",
            "\n".join(f"- {text}" for text in _findings(lines)),
            *shown,
            to_markdown(results),
        ]
    )


def _findings(lines: Sequence[Line]) -> list[str]:
    """A sentence or two per method, then one for all scores that stand for nothing.

    These are scores on illustrative data, tests without social content, and numbers of units that no data could bring
    to a p-value below 5%.
    """
    counted = [r for r in lines if not (r.illustrative or r.control or r.too_small)]
    several_models = len({r.model for r in lines}) > 1
    methods = dict.fromkeys(r.method for r in counted if not r.headline)
    found = [_finding([r for r in counted if r.method == m], several_models) for m in methods]
    left = dict.fromkeys(method_title(r.method) for r in lines if r.method not in methods)
    if left:
        why = "illustrative data, controls or too few units: nothing about a model follows from these scores"
        found.append(f"**{markdown(_listed(list(left)))}**: {why}.")
    return found


def _finding(counted: Sequence[Line], several_models: bool) -> str:
    """One method: its overall score, the one furthest from the ideal, how many p-values are small, how to read it."""
    method = counted[0].method
    overall = [r for r in counted if r.kind == "overall"]
    parts = [r for r in counted if r.kind != "overall"]
    sentences = [
        f"{_name(r, several_models)} {'have' if r.headline else 'has'} {score_cell(r)} (ideal {r.ideal:.4g})"
        for r in overall
    ]
    furthest = max(parts, key=lambda r: abs(r.score - r.ideal), default=None)
    if furthest is not None and furthest.score not in [r.score for r in overall]:
        where = f"furthest from the ideal {furthest.ideal:g} is " if len(parts) > 1 else ""
        sentences.append(f"{where}{_name(furthest, several_models)} with {score_cell(furthest)}")
    p_values = [p for r in counted if not r.headline and (p := _p(r)) is not None]
    if p_values:
        small = sum(p < ALPHA for p in p_values)
        adjusted = any(r.p_holm is not None or r.p_holm_all is not None for r in counted)
        sentences.append(f"{small} of {len(p_values)} {'adjusted ' * adjusted}p-values below {ALPHA:g}")
    else:
        sentences.append("no p-values")
    reading = f" {markdown(METHODS[method].interpretation)}" if method in METHODS else ""
    return f"**{markdown(method_title(method))}**: {'; '.join(sentences)}.{reading}"


def _p(line: Line) -> float | None:
    """The p-value adjusted for as much as was tested: the report, else the result."""
    return line.decisive_p if line.p_holm_all is None else line.p_holm_all


def _name(line: Line, several_models: bool) -> str:
    compared = f" ({line.label})" if line.label else ""
    return markdown(f"{line.name}{compared}{f' on {line.model}' if several_models else ''}")


def _counted(names: Sequence[str], what: str, max_items: int = 3) -> str:
    return _listed(names) if len(names) <= max_items else f"{len(names)} {what}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
