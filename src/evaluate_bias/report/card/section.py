"""The bias section of a model card as Markdown: the template ``section.md.jinja`` filled with what results say.

The first screen says in words what was tested and found, how certain that is and what was not tested. Below it there
are one table, one picture and one fold. Every number is in ``evaluate-bias.json`` next to the card.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...registry import METHODS
from ...result import OWN_PART, RAW, Result
from ...stats import Scale
from ...text import counted, joined, name_list, p_phrase, plain_p, singular
from ..compare.change import Change
from ..compare.comparison import Comparison
from ..conclusions import Conclusion, Reason
from ..data_facts import mapping, outdated, result_notes
from ..escape import Markdown, markdown, templates
from ..lines import SCORE_WITHOUT_TIES, ReportRow, score_name, short_title
from ..numbers import decimals
from ..plots.canvas import svg_text
from ..plots.forest import draw_glance, glance_marks
from ..reading import (
    NOT_ABSENCE,
    NotMeasured,
    Reading,
    RowReading,
    detectable,
    finding_order,
    not_measured_clauses,
    read_all,
    scale_in_words,
    significance_note,
    size_in_words,
    unread_sentence,
)
from ..score_matrix import short_labels
from ..table import Table, TableColumn
from ..trust import RELIABILITY_NOTE, TrustRow, trust
from ..written import FILE
from .scope import MANY_LANGUAGES, categories, categories_by_items, data_part, days, languages, not_covered

if TYPE_CHECKING:
    from jinja2 import Template

_FINDINGS, _NAMES, _DATA = 4, 4, 2
"""The most findings, names in a list, and changes that the first screen says in full."""
_FOLD_WORDS = 560
"""The most words in the fold."""
_WARNINGS = 2
"""The most warnings of one measurement in the fold."""
_MARKED_RULES = ("not robust", "wide interval")
"""Rules of :mod:`..trust` that make a finding on the first screen "fragile": a check was made, and it disagrees."""

_FAMILIES = (
    (
        {"downstream", "prompting"},
        "check what your application decides about and writes to people of these groups",
    ),
    (
        {"pairs", "templates", "choosing"},
        "check what the model writes about these groups in your own setting",
    ),
    (
        {"association", "direction"},
        "check what is built on the model's embeddings, such as search results and classifiers",
    ),
    ({"corpus"}, "check what a model that is trained on this corpus writes about these groups"),
)
"""Families of methods in the order in which readers care about their findings, with what to do before use."""

CHANGE_LINE = re.compile(
    r"- (?:\*\*Changed since .+:\*\* .+\."
    r"|No significant change since .+ \(scores compared: .+\), which does not show that nothing changed\."
    r"|Changes since .+ could not be tested \(`evaluate-bias compare` says why\)\.)"
)
"""A line that says what changed since earlier results."""

_SCALES: Mapping[Scale, str] = {
    "cohen_d": "The effect size d is a difference of means in standard deviations.",
    "cohen_r": "The correlation r lies between −1 and 1.",
}
"""What the numbers of a scale mean."""

_GENERAL_LIMITS = (
    "The numbers describe this model on these data, not how an application built on it treats people.",
    NOT_ABSENCE,
    "Do not rank or certify models by these scores. Methods and data sets often disagree.",
)


def bias_section(results: Sequence[Result]) -> str:
    """Return the text of the section, without the markers that enclose it in a card.

    Args:
        results: results of any methods, usually of one model.

    Returns:
        Markdown with ``"\\n"`` line ends and none at the end.

    Raises:
        InputError: the list of results is empty.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=0.1, ci_low=-0.9, ci_high=0.8, p_value=0.4, n=16)
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row])
        >>> print(bias_section([result]).splitlines()[4])
        - **No clear evidence** in WEAT, weat7 (0.10, 95% CI −0.90 to 0.80). This does not show that bias is absent.
    """
    return section(results)[0]


def section(
    results: Sequence[Result],
    *,
    heading: int = 3,
    picture: str = "",
    change: Comparison | None = None,
    not_measured: Sequence[NotMeasured] = (),
) -> tuple[str, str]:
    """Return the text of the section, and the picture that it shows, empty if it shows none.

    Args:
        results: as for :func:`bias_section`.
        heading: level of the section's heading, 1 to 6.
        picture: the name of the file next to the card that it shows.
        change: what changed since earlier results.
        not_measured: what the run could not measure on the model.
    """
    if not results:
        raise InputError("no result to write into a card")
    readings = read_all(results)
    labels = short_labels(results)
    trusted = {id(row.line.result): row for row in trust(results).heads if row is not None}
    # Significant results come first, as in every report, then the most important, as in the sentences above the table.
    order = sorted(
        range(len(readings)), key=lambda i: (*finding_order(readings[i])[:2], *_importance(readings[i]))
    )
    pairs = [(readings[i], labels[i]) for i in order]
    columns: tuple[TableColumn[tuple[Reading, str]], ...] = (
        # In this order the score is in view on the screen of a phone, and the data are not.
        TableColumn("Test", lambda pair: pair[1]),
        TableColumn(_score_title(readings), lambda pair: _score_cell(pair[0].head), True),
        TableColumn("No bias", lambda pair: _no_bias(pair[0].line), True),
        TableColumn("Conclusion", lambda pair: pair[0].word),
        TableColumn("Data", lambda pair: data_part(*pair)),
    )
    of_model = [pair for pair in pairs if pair[0].judgement.kind != _STABILITY] or pairs
    marks = glance_marks([r for r, _ in of_model], [label for _, label in of_model])
    written = _template().render(
        heading="#" * heading,
        lead=Markdown(_describe_tests(readings)),
        sentences=[Markdown(s) for s in _sentences(pairs, trusted, change)],
        not_covered=not_covered(readings),
        before_use=Markdown(_before_use(readings)),
        table=Markdown(Table(columns, pairs).to_markdown()),
        picture=picture,
        fold=_make_fold(pairs, trusted, not_measured),
        file=FILE,
    )
    drawing = svg_text(functools.partial(draw_glance, *marks)) if picture else ""
    return re.sub(r"\n{3,}", "\n\n", written).strip(), drawing


@functools.cache
def _template() -> Template:
    environment = templates(finalize=_escaped, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((files(__package__) / "section.md.jinja").read_text(encoding="utf-8"))


def _escaped(value: Any) -> Any:
    """Return a value as written: Markdown and the output of macros unchanged, every other text escaped for Markdown."""
    return value if hasattr(value, "__html__") else Markdown(markdown(str(value)))


# --- the first screen -------------------------------------------------------------------------------------------------


def _describe_tests(readings: Sequence[Reading]) -> str:
    """Return whose bias was tested, of what kind, in which languages, with what, and when."""
    results = [r.result for r in readings]
    models = joined([f"**{markdown(name)}**" for name in dict.fromkeys(r.model for r in readings)])
    covered, too_few = categories_by_items(readings)
    kinds = covered or too_few or list(dict.fromkeys(kind for r in readings for kind in categories(r)))
    what = (
        f"{joined([f'**{markdown(kind)}**' for kind in kinds])} bias"
        if kinds
        else "bias (categories not stated)"
    )
    spoken = languages(results)
    where = f" in {len(spoken)} languages" if len(spoken) > MANY_LANGUAGES else ""
    if spoken and not where:
        where = f" in {joined([f'**{markdown(name)}**' for name in spoken])}"
    versions = dict.fromkeys(
        str(version)
        for result in results
        if (version := mapping(result.provenance.get("versions")).get("evaluate-bias"))
    )
    tool = f"evaluate-bias {joined(list(versions))}" if versions else "evaluate-bias"
    when = f" {day}" if (day := days(results)) else ""
    return f"We tested {models} for {what}{where} with {markdown(tool)}{when}."


def _sentences(
    pairs: Sequence[tuple[Reading, str]], trusted: Mapping[int, TrustRow], change: Comparison | None
) -> Iterable[str]:
    """Yield what is significant, with counts and certainty, then what is not significant or could not be tested."""
    about_model = [(r, label) for r, label in pairs if not r.judgement.kind]
    findings = [(r, label) for r, label in about_model if r.significant]
    if not findings and len(about_model) > 1:
        tests = counted(len(about_model), "test")
        yield f"**None of {tests} gave clear evidence of bias.**{_could_detect(about_model)}"
    for reading, label in findings[:_FINDINGS]:
        yield _finding(reading, label, trusted.get(id(reading.result)))
    if more := [markdown(label) for _, label in findings[_FINDINGS:]]:
        yield f"**Also significant**: {name_list(more, _NAMES)}."

    def of(conclusion: Conclusion, *reasons: Reason) -> list[tuple[Reading, str]]:
        return [
            (r, label)
            for r, label in about_model
            if r.judgement.conclusion is conclusion and (not reasons or r.judgement.reason in reasons)
        ]

    if matches := of(Conclusion.NOT_SIGNIFICANT):
        yield f"**No clear evidence** in {_scored(matches)}. This does not show that bias is absent."
    if matches := of(Conclusion.UNCLEAR, Reason.BEFORE_CORRECTION):
        yield f"**Unclear**, because significant only before correction for several tests: {_scored(matches)}."
    if matches := of(Conclusion.UNCLEAR, Reason.DISAGREE):
        yield f"**Unclear**, because p-value and interval disagree: {_scored(matches)}."
    untested = (Reason.INTERVAL_EXCLUDES, Reason.INTERVAL_INCLUDES, Reason.END_OF_RANGE, Reason.NO_INTERVAL)
    if matches := of(Conclusion.NO_TEST, *untested):
        yield f"**Measured without a test**: {_scored(matches)}."
    if matches := of(Conclusion.NO_TEST, Reason.OPTION_ORDER):
        names = name_list([markdown(label) for _, label in matches], _NAMES)
        yield f"**The answers follow the option order**, so nothing follows from the score: {names}."
    for reading, label in of(Conclusion.NO_TEST, Reason.ALL_EQUAL):
        yield f"**Nothing to test** in {markdown(label)}: {markdown(reading.telling[0].line.nothing_to_test)}."
    if matches := of(Conclusion.TOO_FEW):
        yield f"**Too little data to tell**: {name_list([_with_items(r, label) for r, label in matches], _NAMES)}."
    for kind, sentence in _OTHER_KINDS.items():
        if labels := [markdown(label) for r, label in pairs if r.judgement.kind == kind]:
            yield sentence.format(name_list(labels, _NAMES))
    if stability := [(r, label) for r, label in pairs if r.judgement.kind == _STABILITY]:
        yield f"**How stable the measurements are**: {_scored(stability)}."
    if change is not None:
        yield from _changes(change, {r.result.method for r, _ in pairs})


_OTHER_KINDS = {
    "illustrative": "**Illustrative data only**: {}. Nothing about the model follows from these scores.",
    "control": "**Controls without social content**: {}.",
}
_STABILITY = "about the measurement"
"""The kind of a result that says nothing about the model."""


def _importance(reading: Reading) -> tuple[float, ...]:
    """Return a sort key: decisions and texts, then likelihoods, then vectors and corpora, each by effect size."""
    record, line = METHODS.get(reading.result.method), reading.telling[0].line
    family = next(
        (i for i, (names, _) in enumerate(_FAMILIES) if record and record.family in names), len(_FAMILIES)
    )
    low, high = line.score_range
    size = 0.0
    if low is not None and high is not None and high > low:
        size = abs(line.score - line.ideal) / (high - low)
    return family, -size, reading.decisive_p


def _finding(reading: Reading, label: str, trusted: TrustRow | None) -> str:
    """Return what the model does, how often, how certain that is, and by which method."""
    row = reading.telling[0]
    clause = f"{row.clause[:1].upper()}{row.clause[1:]}"
    if f" · {reading.model}" in label:  # one of several models
        clause = f"{reading.model}: {row.clause}"
    text = f"**{markdown(clause)}**: {_score_in_words(row)}. *{markdown(_test_name(row, label))}*"
    parts = reading.conclusion
    if parts.n > 1 or parts.in_part:
        kind = "test" if any(r.line.kind == "test" for r in reading.rows) else "group"
        verb = "is" if parts.k == 1 else "are"
        text += f" ({parts.k} of {counted(parts.n, kind)} {verb} significant"
        text += "; this one is the largest" if parts.k > 1 else ""
        whole = any(not r.part and not r.line.headline for r in reading.rows)
        text += "; the overall score is not)" if whole and parts.in_part else ")"
    # Tests that are significant on both sides of the ideal value contradict one clause alone.
    other = "".join(
        f" In the other direction, {markdown(f'{r.name}: {r.clause}')}, {_score_in_words(r)}."
        for r in reading.telling[1:]
    )
    fragile = ""
    if trusted is not None and trusted.rule in _MARKED_RULES:
        reason = trusted.reason.partition(", but ")[2] or trusted.reason
        fragile = f" This finding is fragile: {markdown(reason)}"
    unread = f" {markdown(sentence)}" if (sentence := unread_sentence(reading.result)) else ""
    return f"{text}.{other}{fragile}{unread}"


def _test_name(row: RowReading, label: str) -> str:
    return label if row.line.kind == "overall" else f"{label}, {row.name}"


def _counts(line: ReportRow) -> tuple[int, int] | None:
    """Return how many items prefer one side, and how many have no tie, if the score is a share of its items."""
    n, record = line.row.n, METHODS.get(line.method)
    units = record.units_of(line.result) if record is not None else None
    if SCORE_WITHOUT_TIES not in line.row.estimates or n is None or line.score_range[1] != 100:
        return None
    if (
        units is None or units.score != "mean"
    ):  # a mean of the shares of several terms is not a share of their items
        return None
    decided = n - line.row.ties
    share = line.score / 100 * decided
    return (round(share), decided) if decided and abs(share - round(share)) < 1e-6 else None


def _score_in_words(row: RowReading) -> str:
    """Return counts or score, and in brackets how certain it is and what an unbiased model would have."""
    line = row.line
    certainty, ideal = _interval(line), _no_bias(line)
    if counts := _counts(line):
        record = METHODS.get(line.method)
        units = record.units_of(line.result) if record is not None else None
        of_what = units.name if units else "items"
        share = f"{_number(line, line.score)}{certainty}; no preference: {ideal}"
        return f"in {counts[0]} of {counts[1]} {of_what} ({share})"
    size = size_in_words(line) if _scale(line) in _SCALES else ""
    facts = [size, certainty.removeprefix(", "), ideal if line.by_chance else f"no bias: {ideal}"]
    name = "a difference of" if line.score_range == (-100, 100) else markdown(score_name(line))
    return f"{name} {_number(line, line.score)} ({'; '.join(filter(None, facts))})"


def _scale(line: ReportRow) -> str:
    record = METHODS.get(line.method)
    return record.scale if record is not None and size_in_words(line) else ""


def _number(line: ReportRow, value: float) -> str:
    """Return a score with two or three digits: a share in percent, a difference of shares in points."""
    if line.score_range[1] == 100:
        return f"{value:.0f}{_unit(line)}".replace("-", "−")
    return decimals(value).replace("-", "−")


def _unit(line: ReportRow) -> str:
    if line.score_range[1] != 100:
        return ""
    return "%" if line.score_range[0] == 0 else " points"


def _interval(line: ReportRow) -> str:
    low, high = line.row.ci_low, line.row.ci_high
    if low is None or high is None:
        return ""
    ends = [_number(line, end).removesuffix(_unit(line)) for end in (low, high)]
    return f", {100 * line.result.confidence_level:g}% CI {ends[0]} to {ends[1]}"


def _no_bias(line: ReportRow) -> str:
    """Return the score of an unbiased model or of a stable measurement, or what chance alone gives."""
    ideal = _number(line, line.ideal) if line.ideal else "0"
    if line.result.direction == "higher_is_more_robust":
        return f"stable: {ideal}"
    return f"chance: {ideal}" if line.by_chance else ideal


def _score_title(readings: Sequence[Reading]) -> str:
    levels = {r.result.confidence_level for r in readings if r.line.row.ci_low is not None}
    return f"Score ({100 * levels.pop():g}% CI)" if len(levels) == 1 else "Score (CI)"


def _score_cell(row: RowReading) -> str:
    interval = _interval(row.line).partition("CI ")[2]
    text = _number(row.line, row.line.score) + (f" ({interval})" if interval else "")
    estimates = row.line.row.estimates
    if OWN_PART in estimates:
        raw, own_part = (decimals(estimates[key].value) for key in (RAW, OWN_PART))
        text += f", {raw} raw − {own_part} own part"
    return text


def _scored(pairs: Sequence[tuple[Reading, str]]) -> str:
    """Return names with score and interval, or the names alone if there are many."""
    rows = [(r.telling[0], label) for r, label in pairs]
    if len(rows) > _NAMES:
        return name_list([markdown(label) for _, label in rows], _NAMES)
    return ", ".join(
        f"{markdown(_test_name(row, label))} ({markdown(_number(row.line, row.line.score) + _interval(row.line))})"
        for row, label in rows
    )


def _with_items(reading: Reading, label: str) -> str:
    line = reading.telling[0].line
    record = METHODS.get(line.method)
    units = record.units_of(line.result) if record is not None else None
    n = line.row.n or reading.result.n
    of_items = units.name if units else "items"
    kind, counts = line.tested_kind
    known = line.row.n_tested is not None and counts and kind not in ("items", of_items)
    n_tested = line.row.n_tested
    tested = f", {n_tested:,} {singular(kind) if n_tested == 1 else kind} tested" if known else ""
    return f"{markdown(label)} ({n} {of_items}{tested})"


def _could_detect(pairs: Sequence[tuple[Reading, str]]) -> str:
    """Return the scores that the tests would have detected, as far as this is known, else an empty string."""
    sentences = []
    for reading, label in pairs:
        row = reading.telling[0]
        ends = zip(detectable(row.line, reading.result), ("less", "more"), strict=True)
        scores = " or ".join(f"{_number(row.line, end)} or {way}" for end, way in ends if end is not None)
        if scores and row.judgement.conclusion in (Conclusion.NOT_SIGNIFICANT, Conclusion.UNCLEAR):
            sentences.append(f"{markdown(_test_name(row, label))}: {scores}")
    if not sentences:
        return ""
    return f" What they would detect in at least 80% of cases, before correction: {'; '.join(sentences[:_NAMES])}."


def _changes(change: Comparison, methods: Collection[str]) -> Iterable[str]:
    """Return a line for each significant change since earlier results, the surest first, or that nothing changed."""
    same = change.first.removesuffix(" (first)") == change.second.removesuffix(" (second)")
    earlier = "the earlier results" if same else f"**{markdown(change.first)}**"
    tested = [c for c in change.changes if c.p_holm is not None and c.method in methods]
    if not tested:
        return [f"Changes since {earlier} could not be tested (`evaluate-bias compare` says why)."]
    shown_changes = sorted((c for c in tested if c.significant), key=lambda c: c.p_holm or 0.0)
    if not shown_changes:
        compared = f"(scores compared: {len(tested)})"
        return [
            f"No significant change since {earlier} {compared}, which does not show that nothing changed."
        ]
    lines = [f"**Changed since {earlier}:** {_change(c)}" for c in shown_changes[:_DATA]]
    if len(shown_changes) > _DATA:
        lines[-1] += f"; and {len(shown_changes) - _DATA} more"
    return [f"{line}." for line in lines]


def _change(c: Change) -> str:
    """Return a change in words: scores, certainty and direction."""
    p = p_phrase(c.p_holm or 0.0)
    p = p if c.p_holm == c.p_value else f"corrected {p}"
    part = "" if c.kind == "overall" else f" {markdown(c.name)}"
    scores = f"{decimals(c.first)} → {decimals(c.second)}{c.decided_in_both} ({p})"
    way = f", {c.toward_ideal} the {c.ideal_name.rstrip(',')}" if c.toward_ideal else ""
    return f"{markdown(short_title(c.method))}{part} {c.conclusion.value}: {scores}{way}"


def _before_use(readings: Sequence[Reading]) -> str:
    """Return what to do before the model is used, by the families of the significant results, or of all if none is."""
    about = [r for r in readings if r.significant] or list(readings)
    families = {METHODS[r.result.method].family for r in about if r.result.method in METHODS}
    advice = [text for names, text in _FAMILIES if names & families]
    return "; ".join(advice or ["measure the application itself, with its own users and texts"]) + "."


# --- the fold ---------------------------------------------------------------------------------------------------------


def _make_fold(
    pairs: Sequence[tuple[Reading, str]],
    trusted: Mapping[int, TrustRow],
    not_measured: Sequence[NotMeasured],
) -> dict[str, Any]:
    """Return how it was measured and what limits it, in at most :data:`_FOLD_WORDS` words."""
    readings = [r for r, _ in pairs]
    columns: tuple[TableColumn[tuple[Reading, str]], ...] = (
        TableColumn("Test", lambda pair: _tested(pair)[0]),
        TableColumn("p", lambda pair: _tested(pair)[1], True),
        TableColumn("n", lambda pair: _tested(pair)[2], True),
        TableColumn("Reliability", lambda pair: _reliability(trusted.get(id(pair[0].result)))),
    )
    if any(map(_other_models, readings)):
        columns += (TableColumn("Other models", lambda pair: _other_models(pair[0]) or "—"),)
    methods = [METHODS[r.result.method] for r in readings if r.result.method in METHODS]
    missing = not_measured_clauses(not_measured, several_models=len({r.model for r in readings}) > 1)
    limits = list(_GENERAL_LIMITS)
    if missing:
        more = f"; {len(missing) - _NAMES} more in {FILE}" if len(missing) > _NAMES else ""
        limits.append(f"Not measured: {'; '.join(missing[:_NAMES])}{more}.")
    if any(row.line.decisive_p is not None for r in readings for row in r.rows):
        limits.append(significance_note(readings))
    if any(row is not None for row in trusted.values()):
        limits.append(RELIABILITY_NOTE)
    for scale, meaning in _SCALES.items():
        if any(r.significant and _scale(r.telling[0].line) == scale for r in readings):
            limits.append(f"{meaning} Sizes are named after Cohen (1988): {scale_in_words(scale)}.")
    # The gravest caveat of every data set and method comes first, then the second of each, while there is room.
    sources: dict[str, Sequence[str]] = {}
    for reading in readings:
        sources |= {note.title: note.caveats for note in result_notes(reading.result)}
        if not result_notes(reading.result):
            limits.append("The data given by the user are not known to be validated.")
    sources |= {record.title: record.caveats for record in methods}
    in_turn = [
        caveats[i]
        for i in range(max(map(len, sources.values()), default=0))
        for caveats in sources.values()
        if i < len(caveats)
    ]
    table = Table(columns, pairs).to_markdown()
    papers = list(
        dict.fromkeys(_short_citation(paper) for record in methods for paper in record.paper.split("; "))
    )
    cited = f"{'; '.join(papers)}. BibTeX entries, options, versions and checksums are in {FILE}."
    room = _FOLD_WORDS - len(table.split()) - len(cited.split()) - sum(len(s.split()) for s in limits)
    labels: dict[str, list[str]] = {}
    for reading, label in pairs:
        for note in _notes(reading):
            labels.setdefault(note, []).append(label)
    notes = [f"{name_list(of_note, _NAMES)}: {note}" for note, of_note in labels.items()]
    for sentence in dict.fromkeys([*notes, *in_turn]):
        room -= len(sentence.split()) + 1
        if room < 0:
            limits.append(f"More notes and limits are in {FILE}.")
            break
        limits.append(sentence)
    return {"table": Markdown(table), "limits": list(dict.fromkeys(limits)), "cited": cited}


def _notes(reading: Reading) -> Iterable[str]:
    """Yield what a reader must know of a measurement: an older revision, omitted items, translated lists, warnings."""
    result = reading.result
    if old := outdated(result):
        yield f"{old}."
    if result.coverage.found < result.coverage.asked:
        yield f"{result.coverage.found} of {result.coverage.asked} items could be scored."
    origins = {row.line.row.labels.get("origin", "") for row in reading.rows}
    if any(origin.startswith("translated, not validated") for origin in origins):
        yield (
            "the word lists were translated and not validated by native speakers. The score may say as much about the "
            "translation as about the model."
        )
    tests = {row.name for row in reading.rows}
    of_all = [warning.rstrip(".") for warning in result.warnings if warning.partition(": ")[0] not in tests]
    yield from (f"{warning}." for warning in of_all[:_WARNINGS])
    if (more := len(result.warnings) - len(of_all[:_WARNINGS])) > 0:
        yield f"{counted(more, 'more warning')} in {FILE}."


def _other_models(reading: Reading) -> str:
    """Return published scores of other models for the whole result, else for the test that the finding is about."""
    row = reading.head if reading.head.other_models else reading.telling[0]
    return f"{row.name}: {row.other_models}" if row.part and row.other_models else row.other_models


def _tested(pair: tuple[Reading, str]) -> tuple[str, str, str]:
    """Return what was tested, its p-value and n: the whole result, or the one of its tests or groups that decides."""
    reading, label = pair
    ps = [(p, row) for row in reading.telling if (p := row.line.decisive_p) is not None]
    if not ps or reading.judgement.nothing_follows:
        return label, "—", str(reading.result.n)
    p, row = min(ps, key=lambda of_row: of_row[0])
    if row.part and (reading.conclusion.n > 1 or reading.conclusion.in_part):
        return f"{label}, {row.name}", plain_p(p), str(row.line.row.n)
    return label, plain_p(p), str(reading.result.n)


def _reliability(row: TrustRow | None) -> str:
    if row is None:
        return "—"
    return row.rule if row.rule == row.reliability.value else f"{row.reliability.value}: {row.rule}"


def _short_citation(paper: str) -> str:
    """Return authors and year of a paper. Of three or more authors, only the first is named."""
    authors, _, year = paper.partition(": ")[0].rpartition(" ")
    several = "," in authors
    return f"{authors.partition(',')[0]} et al. {year}" if several else f"{authors} {year}"
