"""What every page says of a result: a sentence, tiles, tables and pictures, and what to know before quoting it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from markupsafe import Markup

from ..data import kinds
from ..registry import MethodRecord, get_method
from ..report.data_facts import caveats, data_titles, dataset_facts, result_note
from ..report.lines import ALPHA, DECIDED, Line, model_name, of_decided, report_lines
from ..report.numbers import ci_cell, estimate_cell, p_cell, plain_p
from ..result import Result, format_p
from .parts import Folded, Note, Part, Picture, Table, Tile, Tiles, minus, number, picture, short

__all__ = [
    "TOO_FEW",
    "digits",
    "groups_table",
    "measured",
    "pictures",
    "remarks",
    "score_tiles",
    "secondary_table",
    "unit",
    "verdict",
]

TOO_FEW = (
    "There are too few {} for a finding: whatever the model, no p-value could fall below 5%. They show neither a bias "
    "nor that there is none."
)

_UNITS = {
    kinds.WORD_LISTS.name: "words",
    kinds.OCCUPATION_TEST.name: "words",
    kinds.WSV_WORDS.name: "words",
    kinds.SENTENCE_PAIRS.name: "pairs",
    kinds.STEREOSET.name: "items",
    kinds.BEC_PRO.name: "sentences",
    kinds.COMPLETIONS.name: "prompts",
    kinds.GENDERED_WORDS.name: "words",
    kinds.OCCUPATIONS.name: "occupations",
    kinds.PRONOUN_PAIRS.name: "pairs",
}
_SHOWN = 20
"""Skipped things that are named; the others are counted."""
_TESTS_NAMED = 3


def unit(record: MethodRecord) -> str:
    """What coverage counts, by the kind of data."""
    return _UNITS.get(record.data.name, "rows")


def digits(line: Line | Result) -> int:
    """Decimals of a score: fewer for percentages."""
    return 1 if line.score_range[1] == 100 else 2


def measured(result: Result) -> list[Part]:
    """What was measured on what, and, above a result on data that prove nothing, that they do not."""
    names = [row.name for row in result.rows_of("test")]
    if len(names) > _TESTS_NAMED:
        names[_TESTS_NAMED:] = [f"{len(names) - _TESTS_NAMED} more"]
    data = ", ".join((*names, *data_titles([result]))) or "given on this page"
    language = str(dataset_facts(result).get("language") or "")
    note = result_note(result)
    return [
        Note(
            f"{get_method(result.method).title} of {model_name(result)}. Data: {data}"
            f"{f' ({language})' if language else ''}."
        ),
        Note(f"{note.title}: {note.caveats[0]}" if note and note.illustrative else "", "warning"),
    ]


def verdict(result: Result, name: Callable[[str], str] = str) -> Markup:
    """What a result says, in plain words: how large, on which side of the ideal, and whether chance explains it.

    ``name`` puts names in place of what the record calls the parts of the data.
    """
    record = get_method(result.method)
    line = of_decided([report_lines([result])[0]])[0]
    shown = number(line.score, digits(result))
    side = (
        "at"
        if shown == number(line.ideal, digits(result))
        else "above"
        if line.score > line.ideal
        else "below"
    )
    meant = getattr(record, side, "")  # the direction in words, where the record has them
    meant = f": {name(meant)}." if meant else f". {name(record.interpretation)}"
    return Markup("<strong>{} = {}</strong> is {} {}, its ideal value{} {}").format(
        record.score_name, shown, side, short(line.ideal), meant, name(_certainty(result, record, line))
    )


def _certainty(result: Result, record: MethodRecord, line: Line) -> str:
    if line.illustrative:
        return "These data are illustrative: nothing follows from that about the model."
    p = result.p_value if result.p_high is None else result.p_high
    if p is None:
        if result.ci_low is None or result.ci_high is None:
            return ""
        holds = result.ci_low <= result.ideal <= result.ci_high
        return f"The interval {'holds' if holds else 'does not hold'} the ideal value."
    if line.too_small and p >= ALPHA:
        return TOO_FEW.format(unit(record))
    if record.p_value is not None:
        said = (record.p_value.small if p < ALPHA else record.p_value.large).format_map(
            _Settings(result.settings)
        )
        return f"{said[:1].upper()}{said[1:]}."
    if p < ALPHA:
        return "Chance alone does not explain the distance."
    return "Chance could explain it: it is no evidence of a bias, nor that there is none."


class _Settings(dict[str, Any]):
    """Settings for the texts of a record; what there is none of is left as it stands."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def score_tiles(result: Result) -> Tiles:
    """Score, interval, p-value and coverage of a result."""
    record = get_method(result.method)
    low, high = result.score_range
    scale = f"{short(low, '−')} to {short(high)}, ideal {short(result.ideal)}"
    direction = f"{result.direction_text[:1].upper()}{result.direction_text[1:]}."
    label, reading = record.score_name, record.interpretation
    if result.direction != record.direction:  # several tests with signs, together by their absolute values
        label, reading = f"mean absolute {record.score_name}", record.aggregation
    tiles = [Tile(label, number(result.score), f"range {scale}", f"{direction} {reading}")]
    if result.ci_low is not None and result.ci_high is not None:
        tiles.append(
            Tile(
                f"{100 * result.ci_level:g}% interval",
                f"{number(result.ci_low)} to {number(result.ci_high)}",
                f"range {scale}",
                f"Narrow is more certain than wide. An interval that holds the ideal value {short(result.ideal)} does "
                f"not rule out that there is nothing to see. By {result.ci_method}.",
            )
        )
    if result.p_value is not None:
        p, _, sampled = format_p(result.p_value, result.p_low, result.p_high).partition(" (")
        tiles.append(
            Tile(
                "p-value",
                p.removeprefix("p ").removeprefix("= "),
                f"{sampled.rstrip(')')}; range 0 to 1, no ideal value".removeprefix("; "),
                f"{record.p_value.meaning if record.p_value is not None else ''} Lower means harder to explain by "
                "chance alone. It tells neither how large a bias is nor that there is none. By "
                f"{result.p_method}.".strip(),
            )
        )
    tiles.append(
        Tile(
            "coverage",
            f"{result.coverage.found} of {result.coverage.asked}",
            f"{unit(record)}; range 0 to all, ideal all",
            f"How many of the {unit(record)} asked for the model could score. Higher is better: what is missing is not "
            "measured.",
        )
    )
    return Tiles(tiles)


def secondary_table(result: Result) -> Table:
    """The secondary values of the whole result, each with its meaning."""
    rows = [
        {"name": s.title, "value": minus(estimate_cell(result.estimates[s.key])), "meaning": s.meaning}
        for s in get_method(result.method).secondary
        if s.key in result.estimates
    ]
    return Table("To be read with it", rows)


def groups_table(result: Result) -> Table:
    """Every test or group with its interval and p-value; where there are ties, the shares of what was decided."""
    record = get_method(result.method)
    lines = [line for line in of_decided(report_lines([result])) if line.kind != "overall"]
    shown = [
        s for s in record.secondary if s.key != DECIDED and any(s.key in line.estimates for line in lines)
    ]
    known = ("ci_low", "p_value", "p_holm")
    sure, tested, holm = (any(getattr(line, key) is not None for line in lines) for key in known)
    ties = ", ties left out" if any(line.ties for line in lines) else ""
    ideals = {short(line.ideal) for line in lines}
    ideal = f"ideal {ideals.pop()}" if len(ideals) == 1 else "each with an ideal of its own"
    rows: list[Mapping[str, Any]] = [
        {
            record.group_by: line.name,
            **({"what it compares": line.label} if any(other.label for other in lines) else {}),
            "score": number(line.score, digits(line)),
            **({f"{100 * line.ci_level:g}% interval": minus(ci_cell(line, digits(line)))} if sure else {}),
            **({"p": p_cell(line)} if tested else {}),
            **({"p (Holm)": plain_p(line.p_holm)} if holm else {}),
            **{s.title: minus(estimate_cell(line.estimates.get(s.key))) for s in shown},
            "n": "—" if line.n is None else str(line.n),
        }
        for line in lines
    ]
    return Table(f"By {record.group_by}{ties}: {record.score_name}, {ideal}", rows)


def pictures(result: Result, without: Collection[str] = ()) -> list[Picture]:
    """The pictures that the result's details make, without those that something else on the page shows."""
    from ..report.plots import method_figures, picture_text  # matplotlib takes its time

    title = get_method(result.method).title
    return [
        picture(figure, f"{title}: {picture_text(result, name)}")
        for name, figure in method_figures(result).items()
        if name not in without
    ]


def remarks(result: Result) -> list[Part]:
    """What was left out, warnings, and what to know before quoting the score."""
    left_out = [f"{s.item} ({s.reason})" for s in result.skipped]
    if len(left_out) > _SHOWN:
        left_out[_SHOWN:] = [f"and {len(left_out) - _SHOWN} more"]
    return [
        Note(f"Not scored or merged: {', '.join(left_out)}." if left_out else ""),
        *(Note(w, "warning") for w in result.warnings),
        Folded("Know before you quote it", [Note(caveat) for caveat in caveats(result)], "caveats"),
    ]
