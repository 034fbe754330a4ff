"""The folded parts of the bias section: how everything was measured, and what drives or lacks in the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..registry import METHODS
from ..result import Result, format_p
from .card_markup import bullets, folded, mapping
from .card_texts import CardText, method_text
from .escape import markdown, public_name
from .row_values import further_values
from .rows import breaks_down_by_test, further_cell, model_name

__all__ = ["LISTED", "detail_parts", "settings_part"]

LISTED = 200
"""At most so many notes or left-out things are listed one by one."""

_DRIVERS = 3
_LEAST_INFLUENCE = 0.005  # less would be shown as nothing


def settings_part(text: CardText, results: Sequence[Result]) -> str:
    """Return the folded block of settings and versions, one paragraph a measurement."""
    blocks = dict.fromkeys(_block(text, result) for result in results)
    return folded(text.settings, "\n\n".join(blocks))


def detail_parts(text: CardText, results: Sequence[Result]) -> list[str]:
    """Return the words that drive each score, and everything that was left out."""
    parts = []
    drivers = [line for r in results for line in _driver_lines(text, r)]
    if drivers:
        parts.append(f"**{text.words}**\n\n{bullets(drivers)}")
    skipped = [s for r in results for s in r.skipped]
    if skipped:
        lines = [f"{markdown(s.where)}: {markdown(s.item)} ({markdown(s.reason)})" for s in skipped[:LISTED]]
        if len(skipped) > LISTED:
            lines.append(text.more_skipped.format(n=len(skipped) - LISTED))
        parts.append(folded(text.skipped, bullets(lines)))
    return parts


def _block(text: CardText, result: Result) -> str:
    record = METHODS.get(result.method)
    lines = [
        f"{text.settings_model}: {_described(result.provenance.get('model'))}",
        f"{text.settings_data}: {_described(result.provenance.get('dataset'))}",
    ]
    several_tests = breaks_down_by_test(result.method) and len(result.items) > 1
    lines += _of_several_tests(text, result) if several_tests else _inference(text, result)
    if result.settings:
        lines.append(f"{text.settings_options}: {_pairs(result.settings)}")
    versions = mapping(result.provenance.get("versions"))
    if versions:
        lines.append(f"{text.settings_versions}: {_pairs(versions)}")
    if record is not None:
        lines.append(f"{text.settings_paper}: {markdown(record.paper)}, <{record.url}>")
    title = f"**{markdown(record.title if record else result.method)} · {markdown(model_name(result))}**"
    return f"{title}\n\n{bullets(lines)}"


def _inference(text: CardText, result: Result) -> list[str]:
    lines = [f"{text.settings_p}: {markdown(result.p_method)}"] if result.p_method else []
    if result.ci_method:
        lines.append(f"{text.settings_interval}: {markdown(result.ci_method)}, {100 * result.ci_level:g}%")
    return lines


def _of_several_tests(text: CardText, result: Result) -> list[str]:
    """How each test's interval and p-value were made, and the score of all tests together, which no table has."""
    lines = []
    for heading, key in ((text.settings_p, "p_method"), (text.settings_interval, "ci_method")):
        ways = dict.fromkeys(str(item[key]) for item in result.items if item.get(key))
        if ways:
            lines.append(f"{text.settings_each_test}, {heading}: {markdown(', '.join(ways))}")
    told = [f"{result.score:.2f}"]
    if result.ci_low is not None and result.ci_high is not None:
        told.append(
            f"{text.settings_interval} [{result.ci_low:.2f}, {result.ci_high:.2f}], {100 * result.ci_level:g}%"
            f" ({markdown(result.ci_method)})"
        )
    if result.p_value is not None:
        p = format_p(result.p_value, result.p_low, result.p_high)
        told.append(f"{p} ({markdown(result.p_method)})")
    words = method_text(text, result.method)
    values = further_values(result.method, result.extra)
    if words is not None:
        pairs = zip(words.further, values, strict=True)
        told += [f"{markdown(title)} {further_cell(v)}" for (title, _), v in pairs if v is not None]
    told.append(f"{text.column_ideal.lower()} {result.ideal:g}")
    how = f" {markdown(words.combined)}" if words is not None and words.combined else ""
    lines.append(f"{text.settings_all_tests}: {'; '.join(told)}.{how}")
    return lines


def _driver_lines(text: CardText, result: Result) -> list[str]:
    lines = []
    for item in result.items:
        score = item.get("effect_size")
        words_and_attributes = (*(item.get("words") or ()), *(item.get("attributes") or ()))
        found = [w for w in words_and_attributes if isinstance(w.get("influence"), (int, float))]
        if not isinstance(score, (int, float)) or not found:
            continue
        sign = -1.0 if score < 0 else 1.0
        ranked = sorted(found, key=lambda w: -sign * float(w["influence"]))
        best = [w for w in ranked[:_DRIVERS] if sign * float(w["influence"]) >= _LEAST_INFLUENCE]
        if best:
            words = ", ".join(f"{markdown(str(w['word']))} ({float(w['influence']):+.2f})" for w in best)
            lines.append(text.words_line.format(name=markdown(str(item.get("name", ""))), words=words))
    return lines


def _described(facts: Any) -> str:
    """A model's or data set's identity in one line, without paths."""
    public = _public(facts)
    if not isinstance(public, Mapping):
        return markdown(_value(public)) if public else "?"
    return _pairs(public)


def _public(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _public(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_public(v) for v in value]
    return public_name(value) if isinstance(value, str) else value


def _pairs(facts: Mapping[str, Any]) -> str:
    return "; ".join(f"{markdown(str(k))} {markdown(_value(v))}" for k, v in facts.items() if v is not None)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_value(v)}" for k, v in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(v) for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
