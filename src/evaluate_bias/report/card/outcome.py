"""The part of a method's details on what was found: what may be said of which lines, and nothing beyond that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...method import PValue
from ...result import Result
from ..escape import markdown
from ..lines import ALPHA, Line, of_decided
from .markup import names
from .settings import Settings
from .texts import CardText, MethodText
from .verdict import Verdict, asks_about_the_ideal, line_verdict

__all__ = ["outcome_lines"]

_NAMED = 3
"""Up to so many lines are named even where these are all."""


def outcome_lines(
    text: CardText, words: MethodText | None, lines: Sequence[Line], result: Result, tests_of_card: int
) -> list[str]:
    """Return what was detected, what was not, and where nothing can be said, one line per finding.

    Of methods that count ties it speaks of the decided units. Lines that no data could make significant, and tests
    without social content, are named apart from the others and never stand for the finding; of lines on illustrative
    data nothing is said but that.

    Args:
        text: sentences of the card's language.
        words: the method's sentences.
        lines: lines of one method.
        result: the first of its results.
        tests_of_card: number of p-values in the whole card.
    """
    lines = of_decided(lines)
    shown = [r for r in lines if r.illustrative]
    small = [r for r in lines if not r.illustrative and r.too_small]
    controls = [r for r in lines if not r.illustrative and not r.too_small and r.control]
    large = [r for r in lines if not (r.illustrative or r.too_small or r.control)]
    out = _inference(text, None if words is None else words.p_value, large, result)
    out += _controls(text, controls)
    if any(r.ties and "decided_score" in r.estimates for r in lines):
        out.append(text.of_decided.format(ideal=f"{lines[0].ideal:g}"))
    if small:
        out.append(text.too_small.format(least=small[0].min_n, names=names(small)))
    fading = [r for r in large if r.significant and r.p_holm_all is not None and r.p_holm_all >= ALPHA]
    if fading:
        out.append(text.adjusted_all.format(n=tests_of_card, names=names(fading)))
    if shown:
        everything = text.all_of_them if len(shown) == len(lines) > _NAMED else names(shown)
        out.append(text.illustrative_outcome.format(names=everything))
    return out


def _inference(text: CardText, p: PValue | None, lines: Sequence[Line], result: Result) -> list[str]:
    """What p-values, or else intervals, say about lines that are large enough."""
    if p is not None and p.parts is not None:
        return [
            *_of_another_question(text, p, [r for r in lines if r.kind == "overall"], result),
            *_of_another_question(text, p.parts, [r for r in lines if r.kind != "overall"], result),
        ]
    if p is not None:
        return _of_another_question(text, p, lines, result)
    by = _by_verdict(lines, all(asks_about_the_ideal(p, result.direction, r.kind) for r in lines))
    undecided = by(Verdict.UNDECIDED)
    below, above = _sentences(text, lines, result)
    sentences = (
        (below, by(Verdict.FOUND, Verdict.FADES)),
        (text.only_before, by(Verdict.ONLY_BEFORE)),
        (above, by(Verdict.NOT_FOUND)),
        # Nothing is called detected, or undetected, whose interval says otherwise.
        (text.interval_only, [r for r in undecided if not r.significant]),
        (text.interval_includes, [r for r in undecided if r.significant]),
        *_by_interval(text, by),
    )
    return _written(text, sentences, lines, test=markdown(result.p_method or "?"))


def _of_another_question(text: CardText, p: PValue, lines: Sequence[Line], result: Result) -> list[str]:
    """What p-values say that test something else than whether the score has its ideal value."""
    by = _by_verdict(lines, about_ideal=False)
    settings = Settings(result.settings)
    small, large = (markdown(clause.format_map(settings)) for clause in (p.small, p.large))
    sentences = (
        (text.of_another_question.replace("{what}", _braced(small)), by(Verdict.FOUND, Verdict.FADES)),
        (
            text.of_another_question.replace("{what}", _braced(large)),
            by(Verdict.NOT_FOUND, Verdict.ONLY_BEFORE),
        ),
        *_by_interval(text, by),
    )
    out = _written(text, sentences, lines)
    if any(r.decisive_p is not None for r in lines):
        out.append(markdown(p.meaning.format_map(settings)))
    return out


def _braced(text: str) -> str:
    """A text that stays as it is when a sentence that holds it is formatted."""
    return text.replace("{", "{{").replace("}", "}}")


def _by_verdict(lines: Sequence[Line], about_ideal: bool) -> Callable[..., list[Line]]:
    given = [(r, line_verdict(r, about_ideal)) for r in lines]
    return lambda *wanted: [r for r, verdict in given if verdict in wanted]


def _by_interval(text: CardText, by: Callable[..., list[Line]]) -> tuple[tuple[str, list[Line]], ...]:
    """Sentences on lines without a p-value, and the lines they are about."""
    return (
        (text.no_p_excludes, by(Verdict.INTERVAL_EXCLUDES)),
        (text.no_p_includes, by(Verdict.INTERVAL_INCLUDES)),
        (text.edge, by(Verdict.AT_EDGE)),
        (text.no_inference, by(Verdict.NO_INFERENCE)),
    )


def _controls(text: CardText, lines: Sequence[Line]) -> list[str]:
    tested = [r for r in lines if r.decisive_p is not None]
    sentences = (
        (text.control_detected, [r for r in tested if r.significant]),
        (text.control_undetected, [r for r in tested if not r.significant]),
        (text.no_inference, [r for r in lines if r not in tested]),
    )
    return _written(text, sentences, lines)


def _sentences(text: CardText, lines: Sequence[Line], result: Result) -> tuple[str, str]:
    """What a p-value below and above 5% allows to say, where the record has no words of its own for that."""
    if any(r.kind == "test" for r in lines):
        return text.detected_test, text.undetected_test
    if result.direction == "two_sided":
        return text.detected_other, text.undetected_other
    # The null hypothesis need not be that the score has its ideal value.
    return text.rejected, text.not_rejected


def _written(
    text: CardText, sentences: Sequence[tuple[str, Sequence[Line]]], lines: Sequence[Line], **facts: str
) -> list[str]:
    """The sentences that hold of any line, and of which; the longest list of lines is called all, or the others."""
    holding = [(sentence, own) for sentence, own in sentences if own]
    longest = max((own for _, own in holding), key=len, default=())
    rest = text.all_of_them if len(longest) == len(lines) else text.others
    ideal = text.number(f"{lines[0].ideal:g}") if lines else ""
    tested = sum(r.decisive_p is not None for r in lines)
    return [
        sentence.format(
            k=len(own),
            n=tested,
            ideal=ideal,
            names=rest if own is longest and len(own) > _NAMED else names(own),
            **facts,
        )
        for sentence, own in holding
    ]
