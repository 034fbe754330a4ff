"""The bias section of a model card as Markdown: what was measured, on what, what it means and what it does not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

from ..errors import InputError
from ..registry import METHODS
from ..result import Result
from .card_chart import text_chart
from .card_data import data_lines
from .card_markup import bullets, mapping, several
from .card_outcome import outcome_lines
from .card_settings import LISTED, detail_parts, settings_part
from .card_tables import further_table, score_table
from .card_texts import CardText, MethodText, card_text, method_text
from .escape import markdown
from .rows import Row, model_name, of_decided, result_rows, with_remark

__all__ = ["Level", "bias_section"]

Level = Literal["summary", "full"]

_SUMMARY_NOTES = 5


def bias_section(
    results: Sequence[Result], *, language: str = "en", level: Level = "summary", heading: int = 3
) -> str:
    """Return the text of the section, without the markers that enclose it in a card.

    Args:
        results: results of any methods; usually of one model.
        language: ``"de"``, ``"en"``, ``"es"``, ``"fr"`` or ``"it"``. Labels of word lists stay as they are.
        level: ``"full"`` adds the words that drive each score and everything that was left out.
        heading: level of the section's heading, 1 to 6.

    Returns:
        Markdown with ``"\\n"`` line ends and none at the end.

    Raises:
        UnknownNameError: cards are not written in that language.
        InputError: there is no result, or the level is neither.
        DataError: a row of a result's breakdown has no score or no name.

    Examples:
        >>> item = {"name": "weat7", "effect_size": 0.1, "ci_low": -0.9, "ci_high": 0.8, "p_value": 0.4}
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 items=[item])
        >>> [line for line in bias_section([result]).splitlines() if "5% level" in line][0]
        '- **No association was detected at the 5% level** (1 of 1): weat7. This does not show absence.'
    """
    text = card_text(language)
    if level not in ("summary", "full"):
        raise InputError(f"the level of a card is 'summary' or 'full', not {level!r}")
    if not results:
        raise InputError("there is no result to write into a card")
    models = ", ".join(f"**{markdown(m)}**" for m in dict.fromkeys(model_name(r) for r in results))
    intro = text.intro.format(models=models)
    versions = {str(v) for r in results if (v := mapping(r.provenance.get("versions")).get("evaluate-bias"))}
    if versions:
        intro += " " + text.measured_with.format(version=markdown(", ".join(sorted(versions))))
    parts = [f"{'#' * heading} {text.heading}", intro]
    rows = _titled(text, result_rows(results))
    tests = sum(r.p_holm_all is not None for r in rows)
    for method in dict.fromkeys(r.method for r in results):
        chosen = [r for r in results if r.method == method]
        own = [r for r in rows if r.method == method]
        parts += _method_parts(text, chosen, own, level, min(6, heading + 1), tests)
    advice = [*text.advice]
    if any(r.significant and not r.baseline and not r.too_small for r in rows if _tests_the_ideal(r.method)):
        advice.insert(0, text.advice_detected)
    parts += [f"**{text.recommendations}**", bullets(advice), settings_part(text, results)]
    return "\n\n".join(parts)


def _method_parts(
    text: CardText, results: Sequence[Result], rows: Sequence[Row], level: Level, heading: int, tests: int
) -> list[str]:
    method = results[0].method
    record = METHODS.get(method)
    words = method_text(text, method)
    title = with_remark(record.title if record else method, rows, text.illustrative_title)
    parts = [f"{'#' * heading} {markdown(title)}"]
    if words is not None:
        parts.append(f"**{text.what}.** {markdown(words.summary)}{_scored_by(text, results)}")
    parts.append(f"**{text.data}**\n\n{bullets(data_lines(text, results, rows))}")
    parts.append(f"**{text.reading}.** {_reading(text, results[0], words, rows)}")
    parts += _notes(text, results, level)
    parts.append(f"**{text.outcome}**\n\n{bullets(outcome_lines(text, words, rows, results[0], tests))}")
    parts.append(score_table(text, words, rows))
    told = of_decided(rows)
    chart = text_chart(told, with_model=several(r.model for r in rows))
    parts.append("\n".join(["```text", *chart, "```"]))
    parts.append(text.chart_legend)
    parts += further_table(text, words, rows)
    if _about_the_measurement(results[0]):
        limits = [text.not_size]
    else:
        limits = [text.not_the_application, text.not_absence.format(ideal=f"{told[0].ideal:g}")]
    limits += [markdown(c) for c in words.caveats] if words is not None else []
    parts.append(f"**{text.limits}**\n\n{bullets(limits)}")
    if level == "full":
        parts += detail_parts(text, results)
    return parts


def _titled(text: CardText, rows: Sequence[Row]) -> list[Row]:
    def title(name: str) -> str:
        return name.replace("overall", text.overall, 1) if name.partition(" (")[0] == "overall" else name

    return [dataclasses.replace(r, name=title(r.name)) for r in rows]


def _scored_by(text: CardText, results: Sequence[Result]) -> str:
    """How the sentences were scored, which an option may choose; empty for methods that score none."""
    chosen = dict.fromkeys(str(r.settings.get("scoring")) for r in results)
    return "".join(
        f" {text.scored_by.format(how=markdown(text.scorings[s]))}" for s in chosen if s in text.scorings
    )


def _reading(text: CardText, result: Result, words: MethodText | None, rows: Sequence[Row]) -> str:
    low, high = rows[0].score_range
    # With ties, every result has an ideal of its own.
    ideals = dict.fromkeys(f"{r.ideal:.4g}" for r in [r for r in rows if r.overall] or rows[:1])
    score = markdown(words.score_name if words is not None else result.method)
    sentence = text.score_range_robust if _about_the_measurement(result) else text.score_range
    told = sentence.format(
        score=score,
        low="−∞" if low is None else f"{low:.3g}",
        high="∞" if high is None else f"{high:.3g}",
        ideal=" / ".join(ideals),
    )
    reading = markdown(words.reading) if words is not None else getattr(text, result.direction)
    return f"{told} {reading}"


def _tests_the_ideal(method: str) -> bool:
    """Whether the method's p-values, as far as is known, are about the score."""
    record = METHODS.get(method)
    return record is None or record.p_value is None


def _about_the_measurement(result: Result) -> bool:
    """Whether the score is about a measurement's quality and not about the model."""
    return result.direction == "higher_is_more_robust"


def _notes(text: CardText, results: Sequence[Result], level: Level) -> list[str]:
    """The warnings of the measurement; those on it as a whole come first and are never cut off."""
    whole: dict[str, None] = {}
    of_tests: dict[str, None] = {}
    for result in results:
        tests = {str(item.get("name")) for item in result.items}
        for warning in result.warnings:
            (of_tests if warning.partition(": ")[0] in tests else whole)[warning] = None
    most = LISTED if level == "full" else _SUMMARY_NOTES
    shown = [markdown(note) for note in (*whole, *list(of_tests)[:most])]
    if len(of_tests) > most:
        shown.append(text.more_notes.format(n=len(of_tests) - most))
    return [f"**{text.notes}**\n\n{bullets(shown)}"] if shown else []
