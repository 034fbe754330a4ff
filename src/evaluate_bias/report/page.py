"""The first screen of a report: what was measured on what, in sentences and pictures; tables and notes follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..registry import METHODS
from ..result import Result
from .data_facts import data_titles
from .escape import markdown
from .lines import Line, lines_by_result, method_title, of_decided
from .numbers import plain_p, score_cell
from .sizes import detectable, size_in_words
from .tables import to_markdown
from .trust import Trust, trust
from .trust_rules import TrustVerdict
from .verdict import FOUND, ResultVerdict, Verdict, found_means, result_verdict

__all__ = ["Picture", "Summary", "report_page", "summary"]

Picture = tuple[str, Path]
"""Text for those who do not see it, and the file."""


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
        >>> print(page[4].partition("; weat7:")[0], "…")
        - **Word Embedding Association Test (WEAT)**: weat7 with 1.50 [0.90, 1.80]; found (p (Holm) 0.0157) …
    """
    said = summary(results)
    shown = [f"![{markdown(text)}]({file.relative_to(folder).as_posix()})" for text, file in pictures]
    return "\n\n".join(
        [
            f"# {said.title}",
            said.lead,
            "\n".join(f"- {text}" for text in said.findings),
            *([folded(f"{len(shown)} pictures", *shown)] if len(shown) > _MANY_PICTURES else shown),
            *_trust(results),
            *_tables(results),
        ]
    )


_MANY_PICTURES = 12
_MANY_SCORES = 60
"""From here on pictures and tables open when their title is clicked, and scores of one verdict share a line."""


def folded(title: str, *parts: str) -> str:
    """Markdown that opens when its title is clicked."""
    return "\n\n".join([f"<details><summary>{markdown(title)}</summary>", *parts, "</details>"])


def _tables(results: Sequence[Result]) -> list[str]:
    """The tables, folded where they are long."""
    text = to_markdown(results)
    table, notes, *more = text.split("\n\n", 2)
    scores = table.count("\n") - 1
    if scores <= _MANY_SCORES:
        return [text]
    titles = (f"All {scores} scores", "How to read the scores", "Secondary values")
    return [
        "## Scores",
        "All rows are in `report.csv`, too.",
        *(folded(title, part.strip()) for title, part in zip(titles, (table, notes, *more), strict=False)),
    ]


@dataclass(frozen=True, slots=True)
class Summary:
    """What was measured and found in sentences, as Markdown.

    Attributes:
        title: whose bias was measured.
        lead: how many scores of what on which data, and what "found" means.
        findings: one line per result that says something, those with a bias found first, each method with how to read
            it once; then one for each reason why others say nothing.
    """

    title: str
    lead: str
    findings: tuple[str, ...]


def summary(results: Sequence[Result]) -> Summary:
    """Sum results up in sentences.

    Examples:
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": "glove"}})
        >>> summary([result]).title
        'Measured social bias of glove'
    """
    judged = [of_decided(lines) for lines in lines_by_result(results)]
    lines = [line for own in judged for line in own]
    methods = list(dict.fromkeys(r.method for r in lines))
    models = list(dict.fromkeys(r.model for r in lines))
    titles, data = [method_title(m) for m in methods], data_titles(results)
    scores = f"{len(lines)} score{'s' * (len(lines) != 1)} of {_counted(titles, 'methods')}"
    scores += f" on {_counted(data, 'data sets')}" if data else ""
    telling = [(own, result) for own, result in zip(judged, results, strict=True) if _counts(own)]
    telling.sort(key=lambda pair: result_verdict(pair[0]).verdict not in FOUND)
    first = {own[0].method: i for i, (own, _) in reversed(list(enumerate(telling)))}
    findings = [
        _finding(own, result, len(models) > 1, reading=first[own[0].method] == i)
        for i, (own, result) in enumerate(telling)
    ]
    findings += [
        f"**{markdown(_listed(found))}**: {why}; nothing about a model follows from "
        f"{'this score' if len(found) == 1 else 'these scores'}."
        for verdict, why in _NO_FINDING.items()
        if (found := _titles(verdict, judged, len(models) > 1))
    ]
    return Summary(
        f"Measured social bias of {markdown(_first_of(models))}",
        f"{markdown(scores)}. A score is about these data and "
        f"{'this method' if len(methods) == 1 else 'these methods'}; none shows that a model is free of bias. "
        f"{found_means(lines)}.",
        tuple(findings),
    )


def _trust(results: Sequence[Result]) -> list[str]:
    """How far each score can be relied on; nothing where all results are about measurements."""
    found = trust(results)
    table = found.to_markdown()
    said = (
        "Solid: it says the same after correction, and where its robustness was measured. Fragile: something speaks "
        "against relying on it, or nothing for it. Not measurable here: these data or this number of units cannot tell."
    )
    if len(found.rows) > _MANY_SCORES:
        table = _by_reason(found)
    return ["## How far to trust each score", said, table] if table else []


def _by_reason(found: Trust) -> str:
    """Scores of one verdict and reason together, as one table per verdict, folded."""
    reasons: dict[TrustVerdict, dict[str, dict[str, list[str]]]] = {}
    for row in found.rows:
        of_model = reasons.setdefault(row.verdict, {}).setdefault(row.reason, {})
        of_model.setdefault(row.model, []).append(row.title)
    parts = []
    for verdict in sorted(reasons, key=list(TrustVerdict).index):
        lines = ["| reason | n | scores |", "| --- | ---: | --- |"]
        for reason, models in reasons[verdict].items():
            names = "; ".join(f"{model}: {', '.join(titles)}" for model, titles in models.items())
            n = sum(map(len, models.values()))
            lines.append(f"| {markdown(reason)} | {n} | {markdown(names)} |")
        n = sum(row.verdict is verdict for row in found.rows)
        parts.append(folded(f"{verdict.value.capitalize()}: {n} scores", "\n".join(lines)))
    return "\n\n".join(parts)


_NO_FINDING = {
    Verdict.ILLUSTRATIVE: "illustrative data",
    Verdict.CONTROL: "tests without social content only",
    Verdict.TOO_FEW: "too few units for any p-value below 5%",
}
_IN_WORDS = {
    Verdict.FOUND: "found",
    Verdict.FOUND_IN_PART: "found",
    Verdict.ONLY_BEFORE: "below 5% only before adjusting",
    Verdict.UNDECIDED: "undecided, as p-value and interval disagree",
    Verdict.NOT_FOUND: "not found, which is no proof of absence",
    Verdict.INTERVAL_EXCLUDES: "no p-value, the interval excludes the ideal",
    Verdict.INTERVAL_INCLUDES: "no p-value, the interval includes the ideal",
    Verdict.AT_EDGE: "no p-value",
    Verdict.NO_INFERENCE: "neither p-value nor interval",
    Verdict.MEASUREMENT: "about the measurement, not the model",
}


def _counts(lines: Sequence[Line]) -> bool:
    return result_verdict(lines).verdict not in _NO_FINDING


def _titles(verdict: Verdict, results: Sequence[Sequence[Line]], several_models: bool) -> list[str]:
    """Methods of the results of which only this can be said."""
    found = [own[0] for own in results if result_verdict(own).verdict is verdict]
    titles = (f"{method_title(r.method)}{f' on {r.model}' if several_models else ''}" for r in found)
    return list(dict.fromkeys(titles))


def _finding(lines: Sequence[Line], result: Result, several_models: bool, reading: bool) -> str:
    """One result: its overall score, the part furthest from the ideal, the verdict, and perhaps how to read it."""
    first, found = lines[0], result_verdict(lines)
    parts = [r for r in lines if r.kind != "overall" and not (r.control or r.too_small)]
    sentences = [
        f"{_name(r)} {'have' if r.headline else 'has'} {score_cell(r)} (ideal {r.ideal:.4g})"
        for r in lines
        if r.kind == "overall"
    ]
    if furthest := max(parts, key=lambda r: abs(r.score - r.ideal), default=None):
        where = f"furthest from the ideal {furthest.ideal:g} is " if len(parts) > 1 else ""
        sentences.append(f"{where}{_name(furthest)} with {score_cell(furthest)}")
    of_n = found.n > 1 or found.verdict is Verdict.FOUND_IN_PART
    sentences.append(
        _IN_WORDS[found.verdict] + (f" in {found.k} of {found.n}" if of_n else _decided_by(found))
    )
    sentences += _size(furthest if first.headline and furthest else found.line, result)
    method = METHODS.get(first.method)
    how = f" {markdown(method.interpretation)}" if method and reading else ""
    model = f" on {markdown(first.model)}" if several_models else ""
    return f"**{markdown(method_title(first.method))}**{model}: {'; '.join(sentences)}.{how}"


def _size(line: Line, result: Result) -> list[str]:
    """How large what was found is, or what would have been found where nothing was."""
    whose = "" if line.kind == "overall" else f"{markdown(line.name)}: "
    if line.significant:
        size = size_in_words(line)
        return [f"{whose}{size} by Cohen (1988)"] if size else []
    low, high = detectable(line, result)
    ends = [f"{end:.3g} {way}" for end, way in ((low, "or less"), (high, "or more")) if end is not None]
    return [f"{whose}{' and '.join(ends)} would have been found in 80 % of cases"] if ends else []


def _decided_by(found: ResultVerdict) -> str:
    """The p-value that a verdict on one line rests on, where it rests on one."""
    p = found.line.decisive_p
    if p is None or found.verdict is Verdict.MEASUREMENT:
        return ""
    return f" ({'p' if found.line.p_adjusted is None else 'p (Holm)'} {plain_p(p)})"


def _name(line: Line) -> str:
    return markdown(f"{line.name} ({line.label})" if line.label else line.name)


def _first_of(names: Sequence[str], most: int = 4) -> str:
    return (
        _listed(names) if len(names) <= most else f"{', '.join(names[:2])} and {len(names) - 2} other models"
    )


def _counted(names: Sequence[str], what: str, max_items: int = 3) -> str:
    return _listed(names) if len(names) <= max_items else f"{len(names)} {what}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
