"""How everything was measured, and what drives or lacks in the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import Option
from ...registry import METHODS
from ...result import Result, format_p
from ...row import to_plain
from ..escape import markdown, public_name
from ..numbers import ci_cell, decimals, estimate_cell
from .markup import Markdown, mapping
from .texts import CardText, method_text

__all__ = [
    "LISTED",
    "Settings",
    "chosen_options",
    "common_options",
    "driver_lines",
    "known_options",
    "result_settings",
    "shared_settings",
    "skipped_lines",
]

LISTED = 200
"""At most so many notes or left-out things are listed one by one."""

_SAID = ("source", "language", "verified", "ignored_columns", "bias_types", "split", "path")
"""What the line on the data says already, or what says nothing to a reader."""

_LONG = 10
_DRIVERS = 3
_LEAST_INFLUENCE = 0.005  # less would be shown as nothing


class Settings(dict[str, Any]):
    """Options by name; one that a result does not name stays a question mark rather than an error."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)

    def __missing__(self, key: str) -> str:
        return "?"


def known_options(result: Result) -> Mapping[str, Option]:
    """Return the options of a result's method; none of one that needs what is not installed here."""
    record = METHODS.get(result.method)
    try:
        return {} if record is None else record.options()
    except ImportError:
        return {}


def chosen_options(result: Result) -> dict[str, Any]:
    """Return the settings of a result that are not the defaults of its method, without tests, which have rows."""
    known = known_options(result)
    return {
        k: v
        for k, v in result.settings.items()
        if k != "tests" and (k not in known or to_plain(known[k].default, k) != v)
    }


def common_options(options: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the options that several results have, all with the same values."""
    first, *others = options
    if not others:
        return {}
    return {k: v for k, v in first.items() if all(k in s and s[k] == v for s in others)}


def shared_settings(text: CardText, results: Sequence[Result], common: Mapping[str, Any]) -> list[Markdown]:
    """Return models, versions and the options that all results share, one line each."""
    # A model that lists the same versions as its result lists them once; its name is said above.
    models = [
        {
            k: v
            for k, v in model.items()
            if (k != "versions" or v != r.provenance.get("versions"))
            and (k not in ("name", "kind") or len(model) == 1)
        }
        if isinstance(model := r.provenance.get("model"), Mapping)
        else model
        for r in results
    ]
    lines = [f"{text.settings_model}: {_described(model)}" for model in models]
    lines += [
        f"{text.settings_versions}: {_pairs(versions)}"
        for r in results
        if (versions := mapping(r.provenance.get("versions")))
    ]
    if common:
        lines.append(f"{text.settings_options}: {_pairs(common)}")
    return [Markdown(line) for line in dict.fromkeys(lines)]


def result_settings(
    text: CardText, result: Result, options: Mapping[str, Any], common: Mapping[str, Any]
) -> list[Markdown]:
    """Return data, inference, options and paper of one result, without the options that all results share."""
    record = METHODS.get(result.method)
    several_tests = len(result.rows_of("test")) > 1
    lines = _data(text, result)
    lines += _of_several_tests(text, result) if several_tests else _inference(text, result)
    if own := _pairs({k: v for k, v in options.items() if k not in common}):
        lines.append(f"{text.settings_options}: {own}")
    if record is not None:
        lines.append(f"{text.settings_paper}: {markdown(record.paper.partition(': ')[0])}, <{record.url}>")
    return [Markdown(line) for line in lines]


def driver_lines(text: CardText, result: Result) -> list[Markdown]:
    """Return the words that drive the score of each test, and what it would lose without them."""
    lines = []
    for row in result.rows_of("test"):
        score = row.score or 0.0
        words = (*(row.details.get("words") or ()), *(row.details.get("attributes") or ()))
        found = [w for w in words if isinstance(w.get("influence"), (int, float))]
        sign = -1.0 if score < 0 else 1.0
        ranked = sorted(found, key=lambda w: -sign * float(w["influence"]))
        best = [w for w in ranked[:_DRIVERS] if sign * float(w["influence"]) >= _LEAST_INFLUENCE]
        if best:
            listed = [(markdown(str(w["word"])), f"{float(w['influence']):+.2f}") for w in best]
            words_of_row = ", ".join(f"{word} ({text.number(influence)})" for word, influence in listed)
            lines.append(Markdown(f"{markdown(row.name)}: {words_of_row}"))
    return lines


def skipped_lines(text: CardText, results: Sequence[Result]) -> list[Markdown]:
    """Return everything that was left out and why, up to :data:`LISTED`."""
    skipped = [s for r in results for s in r.skipped]
    lines = [f"{markdown(s.where)}: {markdown(s.item)} ({markdown(s.reason)})" for s in skipped[:LISTED]]
    if len(skipped) > LISTED:
        lines.append(text.more_in_file.format(n=len(skipped) - LISTED))
    return [Markdown(line) for line in lines]


def _data(text: CardText, result: Result) -> list[str]:
    """All that is known of the data of one result, the corpora of contexts included."""
    facts = [result.provenance.get("dataset"), *mapping(result.provenance.get("contexts")).values()]
    known = [{k: v for k, v in mapping(f).items() if k not in _SAID} for f in facts]
    return [f"{text.settings_data}: {_described(f)}" for f in known if f]


def _inference(text: CardText, result: Result) -> list[str]:
    lines = [f"{text.settings_p}: {markdown(result.p_method)}"] if result.p_method else []
    if result.ci_method:
        lines.append(f"{text.settings_interval}: {markdown(result.ci_method)}")
    return lines


def _of_several_tests(text: CardText, result: Result) -> list[str]:
    """How each test's interval and p-value were made, and the score of all tests together."""
    lines = []
    tests = result.rows_of("test")
    for heading, ways in (
        (text.settings_p, dict.fromkeys(row.p_method for row in tests if row.p_method)),
        (text.settings_interval, dict.fromkeys(row.ci_method for row in tests if row.ci_method)),
    ):
        if ways:
            lines.append(f"{text.settings_each_test}, {heading}: {markdown(', '.join(ways))}")
    parts = [text.number(decimals(result.score))]
    if result.ci_low is not None:
        interval = text.number(ci_cell(result.overall))
        parts.append(
            f"{text.settings_interval} {interval}, {100 * result.ci_level:g}% ({markdown(result.ci_method)})"
        )
    if result.p_value is not None:
        p = text.number(format_p(result.p_value, result.p_low, result.p_high))
        parts.append(f"{p} ({markdown(result.p_method)})")
    words = method_text(text, result.method)
    if words is not None:
        estimates = [result.estimates.get(s.key) for s in METHODS[result.method].secondary]
        pairs = zip(words.secondary, estimates, strict=True)
        parts += [
            f"{markdown(title)} {text.number(estimate_cell(e))}" for (title, _), e in pairs if e is not None
        ]
    parts.append(f"{text.column_ideal.lower()} {text.number(f'{result.ideal:g}')}")
    how = f" {markdown(words.aggregation)}" if words is not None and words.aggregation else ""
    lines.append(f"{text.settings_all_tests}: {'; '.join(parts)}.{how}")
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
    """Facts in one line; a value that is there already, such as a second name or checksum, is not repeated."""
    written = {k: _value(v) for k, v in facts.items() if v is not None}
    shown = {
        k: v
        for k, v in written.items()
        if len(v) < _LONG or list(written.values()).index(v) == list(written).index(k)
    }
    return "; ".join(f"{markdown(str(k))} {markdown(v)}" for k, v in shown.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        # Keys with one value stand before it together.
        by_value: dict[str, list[str]] = {}
        for key, own in value.items():
            by_value.setdefault(_value(own), []).append(str(key))
        return ", ".join(f"{' '.join(keys)} {own}" for own, keys in by_value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(v) for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
