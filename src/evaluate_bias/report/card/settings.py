"""What is folded away of a method: how and on what data it was measured, what drives its scores, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...data.recipes import record_of
from ...method_record import Secondary
from ...options import Option
from ...registry import METHODS
from ...result import Result
from ...result.row import Row, to_plain
from ...text import p_phrase
from ..data_facts import data_sources, dataset_facts, mapping, mappings, public_source, result_notes
from ..escape import markdown, public_name
from ..lines import LISTS_IN_SENTENCES, ReportRow, comparison, driving_words
from ..numbers import ci_cell, decimals, estimate_cell, procedure, score_cell
from ..reading import Reading, RowReading
from ..row_tables import COLUMNS, names_column, one_level, secondary_column
from ..score_matrix import distinguishing_names
from ..table import Table, TableColumn

LISTED = 200
"""At most so many notes or left-out things are listed one by one."""

_SAID = ("source", "language", "verified", "ignored_columns", "bias_types", "without_flags", "split", "path")
"""Facts that the line on the data repeats, or that mean nothing to a reader."""

_LONG = 10


def known_options(result: Result) -> Mapping[str, Option]:
    """Return the options of a result's method; none of one that needs what is not installed here."""
    try:
        return METHODS[result.method].options() if result.method in METHODS else {}
    except ImportError:
        return {}


def chosen_options(result: Result) -> dict[str, Any]:
    """Return the settings of a result that are not the defaults of its method, without tests, which have rows.

    The protocol is always one of them: it decides what was asked, and its numbers are compared with no others.
    """
    usual = {k: to_plain(option.default, k) for k, option in known_options(result).items()}
    chosen = result.settings.items()
    return {k: v for k, v in chosen if k != "tests" and (k == "protocol" or k not in usual or usual[k] != v)}


def common_options(options: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the options that several results have, all with the same values."""
    first, *others = options
    return {k: v for k, v in first.items() if others and all(k in s and s[k] == v for s in others)}


def shared_settings(results: Sequence[Result], common: Mapping[str, Any]) -> Iterator[str]:
    """Return models, versions and the options that all results share, one line each."""
    for r in results:
        model, versions = r.provenance.get("model"), r.provenance.get("versions")
        if isinstance(model, Mapping) and len(model) > 1:
            # A model that lists the same versions as its result lists them once; its name is said above.
            known_keys = {"name", "kind", *(["versions"] if model.get("versions") == versions else [])}
            model = {k: v for k, v in model.items() if k not in known_keys}
        yield f"Model: {_identity_line(model)}"
    for r in results:
        if versions := mapping(r.provenance.get("versions")):
            yield f"Versions: {_pairs(versions)}"
    if common:
        yield f"Options: {_pairs(common)}"


def result_settings(result: Result, options: Mapping[str, Any], suffix: str) -> Iterator[str]:
    """Return data, inference, these options and paper of one result, which the suffix tells from others."""
    record, tests = METHODS.get(result.method), result.rows_of("test")
    for facts in (dataset_facts(result), *mapping(result.provenance.get("contexts")).values()):
        if known := {k: v for k, v in mapping(facts).items() if k not in _SAID}:
            yield f"Data: {_identity_line(known)}"
    each, rows = ("Each test, ", tests) if len(tests) > 1 else ("", (result.overall,))
    p, interval = [row.p_method for row in rows], [row.ci_method for row in rows]
    for heading, procedures in (("p-value", p), ("Interval", interval)):
        if ways := dict.fromkeys(map(procedure, filter(None, procedures))):
            yield f"{each}{heading}: {markdown(', '.join(ways))}"
    if len(tests) > 1:
        yield _all_tests(result, suffix)
    if options:
        yield f"Options: {_pairs(options)}"
    if record is not None:
        authors = [paper.partition(": ")[0] for paper in record.paper.split("; ")]  # one paper or several
        yield f"Method: {markdown('; '.join(authors))}, <{record.url}>"


def _all_tests(result: Result, suffix: str) -> str:
    """The score of all tests together, how it and its inference were made."""
    record = METHODS.get(result.method)
    parts = [decimals(result.score)]
    if result.ci_low is not None:
        interval = f"{100 * result.confidence_level:g}% CI {ci_cell(result.overall)}"
        parts.append(markdown(f"{interval} ({procedure(result.ci_method)})"))
    if result.p_value is not None:
        parts.append(f"{p_phrase(result.p_value)} ({markdown(procedure(result.p_method))})")
    parts += secondary_text(result.overall, record.secondary if record else ())
    parts.append(f"ideal {result.ideal:g}")
    how = f" {markdown(record.aggregation)}" if record and record.aggregation else ""
    return f"All tests together{markdown(suffix)}: {'; '.join(parts)}.{how}"


def driver_lines(lines: Sequence[ReportRow]) -> Iterator[str]:
    """Return the words that drive the score of each test, and what it would lose without them."""
    for line, name in zip(lines, distinguishing_names(lines), strict=True):
        words = [w for key in ("words", "attributes") for w in line.row.details.get(key) or ()]
        pushes = [(w["word"], float(w["influence"])) for w in driving_words(words, line.row.score)]
        if pushes and line.kind == "test":
            listed = ", ".join(f"{markdown(str(word))} ({by:+.2f})" for word, by in pushes)
            yield f"{markdown(name)}: {listed}"


def skipped_lines(results: Sequence[Result]) -> Iterator[str]:
    """Return everything that was left out and why, up to :data:`LISTED`."""
    skipped = [s for r in results for s in r.skipped]
    for s in skipped[:LISTED]:
        yield f"{markdown(s.where)}: {markdown(s.item)} ({markdown(s.reason)})"
    if len(skipped) > LISTED:
        yield more_in_file(len(skipped) - LISTED)


def more_in_file(n: int) -> str:
    """Return what stands in place of so many lines that are not shown."""
    return f"{n} more in the results file."


def _identity_line(facts: Any) -> str:
    """A model's or data set's identity in one line."""
    if isinstance(facts, Mapping):
        return _pairs(facts)
    return markdown(_value(facts)) if facts else "?"


def _pairs(facts: Mapping[str, Any]) -> str:
    """Facts in one line; a value that is there already, such as a second name or checksum, is not repeated."""
    written = {k: _value(v) for k, v in facts.items() if v is not None}
    first = {v: k for k, v in reversed(written.items())}
    distinct_values = ((k, v) for k, v in written.items() if len(v) < _LONG or first[v] == k)
    return "; ".join(f"{markdown(str(k))} {markdown(v)}" for k, v in distinct_values)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        # Keys with one value stand before it together.
        by_value: dict[str, list[str]] = {}
        for key, part in value.items():
            by_value.setdefault(_value(part), []).append(str(key))
        return ", ".join(f"{' '.join(keys)} {part}" for part, keys in by_value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(v) for v in value)
    if isinstance(value, str):
        return public_name(value)  # without paths
    return f"{value:g}" if isinstance(value, float) else str(value)


_UNKNOWN = ("", "und")


def data_lines(readings: Sequence[Reading]) -> list[str]:
    """Return what the data of one method's results are, one line per fact."""
    out = []
    for reading in readings:
        result = reading.result
        tests = [row.line for row in reading.rows if row.line.kind == "test"]
        main, *others = data_sources(result)
        units = f"Tests: {_names(tests)}" if tests else f"Items: {result.n}"
        out.append(f"{_identity(main, tests)}. {units}.")
        out += [f"{_identity(facts)}." for facts in others]
        if not result_notes(result):
            out.append("There is no record that these data were validated.")
    lines = [row.line for reading in readings for row in reading.rows if not row.line.headline]
    out += _origins(lines)
    if controls := [r for r in lines if r.control]:
        out.append(f"Without social content, included to show that the measure responds: {_names(controls)}.")
    coverage = [reading.result.coverage for reading in readings]
    n_scored, n_total = sum(c.found for c in coverage), sum(c.asked for c in coverage)
    if n_scored < n_total:
        out.append(f"Scored: {n_scored} of the {n_total} items requested; the numbers leave out the rest.")
    return out


def data_caveats(result: Result) -> list[str]:
    """Return what to know about the data behind a result, as Markdown."""
    out = []
    for note in result_notes(result):
        caveats = [*map(markdown, note.caveats)]
        out += [f"**{c}**" for c in caveats] if note.illustrative else caveats
    return out


def _names(lines: Sequence[ReportRow]) -> str:
    """Name lines, with their models where there are several."""
    several = len({r.model for r in lines}) > 1
    written = (f"{r.name} ({r.model})" if several else r.name for r in lines)
    return ", ".join(markdown(name) for name in dict.fromkeys(written))


def _identity(facts: Mapping[str, Any], lines: Sequence[ReportRow] = ()) -> str:
    """Name and language, and whether nothing pins the data; where the lines name their languages, these count."""
    source, note = public_source(facts), record_of(facts)
    known = [r.language for r in lines] if any(r.language not in _UNKNOWN for r in lines) else []
    languages = [x for x in dict.fromkeys(known or [str(facts.get("language") or "")]) if x not in _UNKNOWN]
    spoken = f"language {markdown(', '.join(languages))}" if languages else "language not stated"
    if not source:
        return f"Data supplied by whoever ran the measurement (source not recorded), {spoken}"
    title = source if note is None else note.title
    parts = [markdown(title if title == source else f"{title} ({source})"), spoken]
    return ", ".join(parts if _pinned(facts) else [*parts, "no revision or checksum recorded"])


def _pinned(facts: Mapping[str, Any]) -> bool:
    """Whether a revision or checksum, which the settings have, pins the data or all their parts."""
    if isinstance(parts := facts.get("configs"), list):
        return any(map(_pinned, mappings(parts)))
    return str(facts.get("revision") or "") not in ("", "unknown") or isinstance(facts.get("sha256"), str)


_ORIGINS = {
    "paper": "Word lists as printed in the paper: {}.",
    "translated, not validated by native speakers": (
        "**Translated lists, not validated by native speakers:** {}. Words and names may not carry the same meaning in "
        "this language, so the score may say as much about the translation as about the model."
    ),
    "given by the caller": "Lists given by the user and not reviewed here: {}.",
}
"""Where word lists come from, and what that means for the score."""


def _origins(lines: Sequence[ReportRow]) -> Iterator[str]:
    for origin in dict.fromkeys(filter(None, (r.row.labels.get("origin") for r in lines))):
        same = [r for r in lines if r.row.labels.get("origin") == origin]
        names = "all" if 1 < len(same) == len(lines) else _names(same)
        known = _ORIGINS.get(origin)
        yield known.format(names) if known else f"Origin of {names}: {markdown(origin)}."


def score_table(
    rows: Sequence[RowReading], secondary: Sequence[Secondary] = (), *, full: bool = False
) -> Table[RowReading]:
    """One line per row: verdict, score with its interval, p-values, n, and so on.

    Coverage is left out where it is whole, ideal value and n where they are the same in every line and said above.
    """
    no_finding = not full and all(row.line.illustrative for row in rows)
    if no_finding:
        rows = [row for row in rows if row.line.kind != "group"]
    lines = [row.line for row in rows]
    confidence_level = one_level(lines)
    adjusted = any(r.p_adjusted is not None for r in lines)
    one_score = len(lines) == 1 or lines[0].kind != "overall"
    ideals, names = TableColumn("Ideal", COLUMNS["ideal"].cell, True), names_column("Test", rows)
    is_shown = {
        replace(names, cell=lambda row: _name(row, str(names.cell(row)))): True,
        TableColumn("Verdict", COLUMNS["verdict"].cell): not no_finding,
        TableColumn("Model", COLUMNS["model"].cell): len({r.model for r in lines}) > 1,
        TableColumn(score_title(lines), lambda row: _score(row.line, confidence_level), True): True,
        COLUMNS["p"]: full or not (adjusted or no_finding),
        COLUMNS["p_holm"]: adjusted and not no_finding,
        COLUMNS["n"]: one_score or len({r.row.n for r in lines}) > 1,
        TableColumn("Coverage", COLUMNS["coverage"].cell, True): any(
            r.row.coverage and r.row.coverage.found < r.row.coverage.asked for r in lines
        ),
        TableColumn("With ties", COLUMNS["with_ties"].cell, True): any(row.with_ties for row in rows),
        ideals: len({*map(ideals.cell, rows)}) > 1,
    }
    columns = [
        *(column for column, has_column in is_shown.items() if has_column),
        *map(secondary_column, secondary),
    ]
    return Table([_unbroken(column) if column.number else column for column in columns], rows)


def _name(row: RowReading, name: str) -> str:
    lists = comparison(row.line.row, LISTS_IN_SENTENCES)
    return f"{name}: {lists}" if lists else name


def _unbroken(column: TableColumn[RowReading]) -> TableColumn[RowReading]:
    return replace(column, cell=lambda row: _number(str(column.cell(row))))


def score_title(lines: Sequence[ReportRow]) -> str:
    """Return the heading of scores with their intervals, which says the level where all have the same."""
    confidence_level = one_level(lines)
    if confidence_level is not None:
        return f"Score [{100 * confidence_level:g}% CI]"
    return "Score [CI]" if any(r.row.ci_low is not None for r in lines) else "Score"


def secondary_of(words: Sequence[Secondary], lines: Sequence[ReportRow]) -> list[Secondary]:
    """Return the secondary values that say more than the score."""
    known = (
        (key, e, (r.score, r.row.ci_low, r.row.ci_high)) for r in lines for key, e in r.row.estimates.items()
    )
    keys = {key for key, e, score in known if (e.value, e.low, e.high) != score}
    return [s for s in words if s.key in keys]


def secondary_text(row: Row, secondary: Sequence[Secondary]) -> list[str]:
    """Return title and number of each of these values that the row has."""
    pairs = ((s, row.estimates[s.key]) for s in secondary if s.key in row.estimates)
    return [f"{markdown(s.title)} {_number(markdown(estimate_cell(e, s.key)))}" for s, e in pairs]


def _number(cell: str) -> str:
    """The cell with spaces at which no line is broken: the Hub's tables are narrow."""
    return cell.replace(" ", "\u00a0")


def _score(line: ReportRow, confidence_level: float | None) -> str:
    if confidence_level is not None or line.row.ci_low is None:
        return score_cell(line.row)
    return f"{decimals(line.score)} {100 * line.result.confidence_level:g}%: {ci_cell(line.row)}"
