"""The report in Markdown: what was found in sentences and pictures first, then how far to trust it, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..registry import METHODS
from ..text import joined
from .escape import markdown
from .reading import NOT_ABSENCE, NOT_SIZE, Readable, Reading, as_readings, found_means, measured_on
from .row_tables import to_markdown
from .trust import trust
from .verdict import Verdict

PictureFile = tuple[str, Path]
"""Text for those who do not see it, and the file."""

_MANY_PICTURES = 12
_MANY_SCORES = 60
"""From here on pictures and tables open when their title is clicked."""
_NAMES = 4
_ORDER = list(Verdict)


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """What was measured and found in sentences: plain text, and the findings as Markdown.

    Attributes:
        title: whose bias was measured.
        lead: on what.
        findings: a list, what was found first, the surest first; each method with how to read it once.
        note: what "found" and "not found" mean.
    """

    title: str
    lead: str
    findings: str
    note: str


def report_page(results: Readable, pictures: Sequence[PictureFile], folder: Path) -> str:
    """Return ``report.md``: title, findings and pictures, then the tables of :func:`to_markdown`.

    Args:
        results: any number of results, or their readings.
        pictures: files in ``folder`` to show, in this order.
        folder: where the page will lie; it refers to pictures by their place in it.

    Examples:
        >>> from evaluate_bias.result import Result, Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157, p_holm=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row], provenance={"model": {"name": "glove"}})
        >>> page = report_page([result], [("Scores of WEAT", Path("out/a.png"))], Path("out")).splitlines()
        >>> page[0], next(line for line in page if line.startswith("!"))
        ('# Measured social bias of glove', '![Scores of WEAT](a.png)')
        >>> print(page[4].partition(": ")[0], "…")
        - **Word Embedding Association Test (WEAT)** …
    """
    readings = as_readings(results)
    overview = summary(readings)
    images = [f"![{markdown(text)}]({file.relative_to(folder).as_posix()})" for text, file in pictures]
    scores = sum(len(r.rows) for r in readings)
    trusted, tables = trust([r.result for r in readings]).to_markdown(), to_markdown(readings)
    if scores > _MANY_SCORES:
        trusted = trusted and _folded(f"{scores} scores", trusted)
        tables = _folded(f"All {scores} scores, which are in report.csv too", tables)
    parts = [f"# {markdown(overview.title)}", markdown(overview.lead), overview.findings, overview.note]
    parts += [_folded(f"{len(images)} pictures", *images)] if len(images) > _MANY_PICTURES else images
    parts += ["## How far to trust each score", _TRUST, trusted] if trusted else []
    return "\n\n".join([*parts, tables])


_TRUST = (
    "Solid: the result holds after correction and in every robustness check that was run. Fragile: another check "
    "disagrees, or no robustness check was run. Not measurable here: these data, or so few units, cannot show it."
)


def _folded(title: str, *parts: str) -> str:
    """Markdown that opens when its title is clicked."""
    return "\n\n".join([f"<details><summary>{markdown(title)}</summary>", *parts, "</details>"])


def ranked(readings: Sequence[Reading]) -> list[list[Reading]]:
    """Return readings that say the same together; what was found comes first, the surest first."""
    ordered = sorted(readings, key=lambda r: (_ORDER.index(r.verdict), r.decisive_p if r.found else 0.0))
    same: dict[str, list[Reading]] = {}
    for reading in ordered:
        same.setdefault(reading.finding, []).append(reading)
    return list(same.values())


def summary(readings: Sequence[Reading]) -> ReportSummary:
    """Sum readings up in sentences.

    Examples:
        >>> from evaluate_bias.result import Result
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": "glove"}})
        >>> summary(as_readings([result])).title
        'Measured social bias of glove'
    """
    models = list(dict.fromkeys(r.model for r in readings))
    bullets, seen_sentences = [], set[str]()
    for same in ranked(readings):
        of = (f" on {markdown(r.model)}" if len(models) > 1 else "" for r in same)
        titles = dict.fromkeys(f"**{markdown(r.title)}**{on}" for r, on in zip(same, of, strict=True))
        methods = [METHODS[r.result.method] for r in same if r.result.method in METHODS]
        more = [*(m.interpretation for m in methods), *(remark for r in same for remark in r.remarks)]
        new = [sentence for sentence in dict.fromkeys(more) if sentence not in seen_sentences]
        seen_sentences.update(new)
        bullets += [f"- {', '.join(titles)}: {markdown(same[0].finding)}"]
        bullets += [f"  - {markdown(sentence)}" for sentence in new]
    about_models = any(r.verdict is not Verdict.MEASUREMENT for r in readings)
    data = _listed(list(dict.fromkeys(r.data for r in readings)))
    return ReportSummary(
        title=f"Measured social bias of {_listed(models)}",
        lead=measured_on(_listed(models), data),
        findings="\n".join(bullets),
        note=f"{found_means(readings)} {NOT_ABSENCE}" if about_models else NOT_SIZE,
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) > _NAMES:
        return f"{', '.join(names[: _NAMES - 1])} and {len(names) - _NAMES + 1} more"
    return joined(names)
