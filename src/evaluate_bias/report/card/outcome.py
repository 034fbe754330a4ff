"""The part of a method's details on what was found: what may be said of which lines, and nothing beyond that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...method import PValue
from ...registry import METHODS
from ...result import Result
from ..escape import markdown
from ..lines import DECIDED, Line, of_decided
from ..sizes import detectable, size_in_words
from ..verdict import Verdict, line_verdict
from .markup import names
from .settings import Settings
from .texts import CardText, MethodText

__all__ = ["outcome_lines", "size_text"]

_NAMED = 3
"""Up to so many lines are named even where these are all."""
_NO_FINDING = (Verdict.ILLUSTRATIVE, Verdict.TOO_FEW, Verdict.CONTROL)

_FOUND = (Verdict.FOUND, Verdict.INTERVAL_EXCLUDES, Verdict.AT_EDGE, Verdict.NO_INFERENCE)
"""What is said where nothing is to be said of what a test would have found."""

_Sentence = tuple[str, Sequence[Line]]
"""A sentence, and the lines that it is about."""


def outcome_lines(
    text: CardText, words: MethodText | None, lines: Sequence[Line], result: Result
) -> list[str]:
    """Return what was detected, what was not, and where nothing can be said, one line per finding.

    Of methods that count ties it speaks of the decided units. Lines that no data could make significant, and tests
    without social content, are named apart from the others and never stand for the finding; of lines on illustrative
    data nothing is said but that.
    """
    lines = of_decided(lines)
    by = _by_verdict(lines)
    tested = [r for r in lines if line_verdict(r) not in _NO_FINDING]
    controls, p = by(Verdict.CONTROL), None if words is None else words.p_value
    sentences: list[_Sentence] = []
    meanings = []
    for part in _same_question(tested):
        own = p if p is None or p.parts is None or part[0].kind == "overall" else p.parts
        if own is None:
            sentences += _of_the_ideal(text, part, result)
        else:
            sentences += _of_another_question(text, own, part, result)
            meanings += [own.meaning] if any(r.decisive_p is not None for r in part) else []
    sentences += [
        (text.control_detected, [r for r in controls if r.significant]),
        (text.control_undetected, [r for r in controls if not r.significant and r.decisive_p is not None]),
        (text.no_inference, [r for r in controls if r.decisive_p is None]),
        (text.too_small, by(Verdict.TOO_FEW)),
        (text.illustrative_outcome, by(Verdict.ILLUSTRATIVE)),
    ]
    out = _written(text, sentences, lines, markdown(result.p_method or "?"))
    out += _sizes(text, by(Verdict.FOUND))
    out += _detectable(text, [r for r in tested if line_verdict(r) not in _FOUND], result)
    out += [markdown(m.format_map(Settings(result.settings))) for m in meanings]
    if any(r.ties and DECIDED in r.estimates for r in lines):
        out.append(text.of_decided.format(ideal=f"{lines[0].ideal:g}"))
    return out


def _sizes(text: CardText, found: Sequence[Line]) -> list[str]:
    """Sizes of what was found, in words, with the convention that they follow."""
    by_size: dict[str, list[Line]] = {}
    for r in sorted(found, key=lambda r: -abs(r.score - r.ideal)):
        if size := size_in_words(r):
            by_size.setdefault(size, []).append(r)
    if not by_size:
        return []
    said = [f"{size_text(text, size)}: {names(own)}" for size, own in by_size.items()]
    scales = {"cohen_d": text.cohen_d, "cohen_g": text.cohen_g, "cohen_r": text.cohen_r}
    return [text.sizes.format(scale=scales[METHODS[found[0].method].scale], sizes="; ".join(said))]


def size_text(text: CardText, size: str) -> str:
    """A size in the language of a card."""
    sizes = {"large": text.size_large, "medium": text.size_medium, "small": text.size_small}
    return sizes.get(size, text.size_below_small)


def _detectable(text: CardText, lines: Sequence[Line], result: Result) -> list[str]:
    """What the tests that found nothing would have found."""
    said = []
    for r in (r for r in lines if r.kind != "group"):  # groups are many, and their tests are adjusted
        low, high = detectable(r, result)
        ends = [(text.or_less, low), (text.or_more, high)]
        shown = [way.format(score=text.number(f"{end:.3g}")) for way, end in ends if end is not None]
        if shown:
            said.append(f"{markdown(r.name)}: {', '.join(shown)}")
    if len(said) > _NAMED:
        said[_NAMED:] = [text.more.format(n=len(said) - _NAMED)]
    return [text.detectable.format(scores="; ".join(said))] if said else []


def _same_question(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines by what their p-values ask."""
    questions = {id(r.question): r.question for r in lines}
    return [[r for r in lines if r.question is q] for q in questions.values()]


def _by_verdict(lines: Sequence[Line]) -> Callable[..., list[Line]]:
    given = [(r, line_verdict(r)) for r in lines]
    return lambda *wanted: [r for r, verdict in given if verdict in wanted]


def _of_the_ideal(text: CardText, lines: Sequence[Line], result: Result) -> list[_Sentence]:
    """What p-values, or else intervals, say about lines that are large enough."""
    by = _by_verdict(lines)
    undecided = by(Verdict.UNDECIDED)
    below, above = _sentences(text, lines, result)
    return [
        (below, by(Verdict.FOUND)),
        (text.only_before, by(Verdict.ONLY_BEFORE)),
        # Nothing is called detected, or undetected, whose interval says otherwise.
        (text.interval_only, [r for r in undecided if not r.significant]),
        (text.interval_includes, [r for r in undecided if r.significant]),
        (above, by(Verdict.NOT_FOUND)),
        *_by_interval(text, by),
    ]


def _of_another_question(text: CardText, p: PValue, lines: Sequence[Line], result: Result) -> list[_Sentence]:
    """What p-values say that test something else than whether the score has its ideal value."""
    by, settings = _by_verdict(lines), Settings(result.settings)

    def said(clause: str) -> str:
        written = markdown(clause.format_map(settings)).replace("{", "{{").replace("}", "}}")
        written = written[:1].upper() + written[1:]
        return text.of_another_question.replace("{what}", written)

    return [
        (said(p.small), by(Verdict.FOUND)),
        (text.only_before, by(Verdict.ONLY_BEFORE)),
        (said(p.large), by(Verdict.NOT_FOUND)),
        *_by_interval(text, by),
    ]


def _by_interval(text: CardText, by: Callable[..., list[Line]]) -> list[_Sentence]:
    return [
        (text.no_p_excludes, by(Verdict.INTERVAL_EXCLUDES)),
        (text.no_p_includes, by(Verdict.INTERVAL_INCLUDES)),
        (text.edge, by(Verdict.AT_EDGE)),
        (text.no_inference, by(Verdict.NO_INFERENCE)),
    ]


def _sentences(text: CardText, lines: Sequence[Line], result: Result) -> tuple[str, str]:
    """What a p-value below and above 5% allows to say, where the record has no words of its own for that."""
    if any(r.kind == "test" for r in lines):
        return text.detected_test, text.undetected_test
    if result.direction == "two_sided":
        return text.detected_other, text.undetected_other
    # The null hypothesis need not be that the score has its ideal value.
    return text.rejected, text.not_rejected


def _written(text: CardText, sentences: Sequence[_Sentence], lines: Sequence[Line], test: str) -> list[str]:
    """The sentences that hold of any line, and of which; the longest list comes last, but what was found is named."""
    holding = [(sentence, own) for sentence, own in sentences if own]
    named = [own for _, own in holding if len(own) < len(lines) and line_verdict(own[0]) is Verdict.FOUND]
    longest = max((own for _, own in holding if own not in named), key=len, default=[])
    rest = text.all_of_them if len(longest) == len(lines) else text.others
    if len(longest) > _NAMED:
        holding.sort(key=lambda pair: pair[1] is longest)
    return [
        sentence.format(
            names=rest if own is longest and len(own) > _NAMED else names(own),
            ideal=text.number(f"{lines[0].ideal:g}"),
            least=own[0].min_n,
            test=test,
        )
        for sentence, own in holding
    ]
