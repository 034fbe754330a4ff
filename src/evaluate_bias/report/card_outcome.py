"""The part of the bias section on what was found: what may be said of which rows, and nothing beyond that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..method import PValue
from ..result import Result
from .card_markup import names
from .card_texts import CardText, MethodText
from .escape import markdown
from .rows import ALPHA, Row, breaks_down_by_test, ci_cell, of_decided

__all__ = ["outcome_lines"]


def outcome_lines(
    text: CardText, words: MethodText | None, rows: Sequence[Row], result: Result, tests_of_card: int
) -> list[str]:
    """Return what was detected, what was not, and where nothing can be said, one line a finding.

    Of methods that count ties it speaks of the decided units. Rows that no data could make significant, and tests
    without social content, are told apart from the others and never stand for the finding; of rows on illustrative
    data nothing is said but that.

    Args:
        text: sentences of the card's language.
        words: the method's sentences.
        rows: rows of one method.
        result: the first of its results.
        tests_of_card: number of p-values in the whole card.
    """
    rows = of_decided(rows)
    result = replace(result, ideal=rows[0].ideal)
    shown, rows = [r for r in rows if r.illustrative], [r for r in rows if not r.illustrative]
    large = [r for r in rows if not r.baseline and not r.too_small]
    lines = [text.overall_score.format(name=names([r]), **_score(text, r)) for r in large if r.overall]
    lines += _inference(text, None if words is None else words.p_value, large, result)
    lines += _controls(text, [r for r in rows if r.baseline and not r.too_small])
    if any(r.ties and r.decided is not None for r in rows):
        lines.append(text.of_decided.format(ideal=f"{result.ideal:g}"))
    small = [r for r in rows if r.too_small]
    if small:
        lines.append(text.too_small.format(least=small[0].least_n, names=names(small)))
    if any(r.p_holm is not None for r in rows if not r.too_small):
        lines.append(text.adjusted)
    if any(r.p_holm_all is not None for r in rows):
        stay = [r for r in large if r.p_holm_all is not None and r.p_holm_all < ALPHA]
        lines.append(text.adjusted_all.format(n=tests_of_card, names=names(stay) or text.nothing))
    parts = [r for r in large if not r.overall and not (r.decisive_p is None and r.ci_low is None)]
    furthest = max(parts, key=lambda r: abs(r.score - r.ideal), default=None)
    if furthest is not None:
        lines.append(text.furthest.format(name=names([furthest]), **_score(text, furthest)))
    if shown:
        lines.append(text.illustrative_outcome.format(names=names(shown)))
    return lines


def _ideal(rows: Sequence[Row], result: Result) -> str:
    """The ideal value of the rows, which is that of each test and not that of all tests together."""
    return f"{rows[0].ideal if rows else result.ideal:g}"


def _score(text: CardText, row: Row) -> dict[str, str]:
    has_interval = row.ci_low is not None and row.ci_high is not None
    interval = text.with_interval.format(interval=ci_cell(row)) if has_interval else ""
    return {"score": f"{row.score:.2f}", "interval": interval}


def _inference(text: CardText, p: PValue | None, rows: Sequence[Row], result: Result) -> list[str]:
    """What p-values, or else intervals, say about rows that are large enough."""
    if p is not None and p.parts is not None:
        overall, parts = [r for r in rows if r.overall], [r for r in rows if not r.overall]
        return [
            *_of_another_question(text, p, overall, result),
            *_of_another_question(text, p.parts, parts, result),
        ]
    if p is not None:
        return _of_another_question(text, p, rows, result)
    below, above = _verdicts(text, result)
    about_ideal = below != text.rejected
    tested = [r for r in rows if r.decisive_p is not None]
    untested = [r for r in rows if r.decisive_p is None]
    detected = [r for r in tested if r.significant]
    missed = [r for r in tested if not r.significant]
    only_before = [r for r in missed if r.p_value is not None and r.p_value < ALPHA]
    missed = [r for r in missed if r not in only_before]
    interval_only = [r for r in missed if about_ideal and r.interval_excludes_ideal]
    interval_includes = [
        r for r in detected if about_ideal and r.ci_low is not None and not r.interval_excludes_ideal
    ]
    return _lines(
        (
            (below, detected),
            (text.only_before, only_before),
            # Nothing is called undetected whose interval says otherwise.
            (above, [r for r in missed if r not in interval_only]),
            (text.interval_only, interval_only),
            (text.interval_includes, interval_includes),
            *_by_interval(text, untested),
        ),
        n=len(tested),
        ideal=_ideal(rows, result),
        test=markdown(result.p_method or "?"),
    )


def _of_another_question(text: CardText, p: PValue, rows: Sequence[Row], result: Result) -> list[str]:
    """What p-values say that test something else than whether the score has its ideal value."""
    tested = [r for r in rows if r.decisive_p is not None]
    settings = _Settings(result.settings)
    lines = []
    for template, what, chosen in (
        (text.p_small, p.small, [r for r in tested if r.significant]),
        (text.p_large, p.large, [r for r in tested if not r.significant]),
    ):
        clause = markdown(what.format_map(settings))
        lines += _lines(((template, chosen),), n=len(tested), what=clause)
    if tested:
        lines.append(markdown(p.meaning.format_map(settings)))
    untested = [r for r in rows if r.decisive_p is None]
    return lines + _lines(_by_interval(text, untested), ideal=_ideal(rows, result))


def _by_interval(text: CardText, rows: Sequence[Row]) -> tuple[tuple[str, list[Row]], ...]:
    """Sentences on rows without a p-value, and the rows they are about."""
    without = [r for r in rows if r.ci_low is None or r.ci_high is None]
    at_edge = [r for r in rows if r not in without and r.ideal in r.score_range]
    inside = [r for r in rows if r not in without and r not in at_edge]
    return (
        (text.no_p_excludes, [r for r in inside if r.interval_excludes_ideal]),
        (text.no_p_includes, [r for r in inside if not r.interval_excludes_ideal]),
        (text.edge, at_edge),
        (text.no_inference, without),
    )


def _controls(text: CardText, rows: Sequence[Row]) -> list[str]:
    tested = [r for r in rows if r.decisive_p is not None]
    return _lines(
        (
            (text.control_detected, [r for r in tested if r.significant]),
            (text.control_undetected, [r for r in tested if not r.significant]),
        ),
        n=len(tested),
    )


def _verdicts(text: CardText, result: Result) -> tuple[str, str]:
    """What a p-value below and above 5% allows to say, where the record has no words of its own for that."""
    if breaks_down_by_test(result.method):
        return text.detected_test, text.undetected_test
    if result.direction == "two_sided":
        return text.detected_other, text.undetected_other
    # The null hypothesis need not be that the score has its ideal value.
    return text.rejected, text.not_rejected


def _lines(told: Sequence[tuple[str, Sequence[Row]]], **facts: Any) -> list[str]:
    return [s.format(k=len(rows), names=names(rows), **facts) for s, rows in told if rows]


class _Settings(dict[str, Any]):
    """Options by name; one that a result does not tell stays a question mark rather than an error."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)

    def __missing__(self, key: str) -> str:
        return "?"
