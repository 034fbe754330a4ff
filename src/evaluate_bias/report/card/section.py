"""The bias section of a model card as Markdown: the template ``section.md.jinja`` filled with what results say.

Everything beside the first screen is folded: a part for each method, and one for what several methods share.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, bad_option
from ...method_record import Secondary
from ...methods.pair_scoring import SCORINGS
from ...registry import METHODS
from ...result import Direction, Result
from ..compare.comparison import Comparison
from ..escape import Markdown, markdown, templates
from ..lines import ReportRow, annotate, method_title, score_name, short_title
from ..plots.canvas import svg_text
from ..plots.forest import draw_glance
from ..reading import NOT_ABSENCE, NOT_SIZE, Reading, found_means, read_all
from ..score_matrix import distinguishing_suffixes
from .first_screen import first_screen
from .settings import (
    LISTED,
    chosen_options,
    common_options,
    data_caveats,
    data_lines,
    driver_lines,
    more_in_file,
    result_settings,
    score_table,
    secondary_of,
    secondary_text,
    shared_settings,
    skipped_lines,
)

if TYPE_CHECKING:
    from jinja2 import Template

Level = Literal["summary", "full"]

_SUMMARY_NOTES = 5

_LIMITS, _NOTES, _SETTINGS = "Limits", "Notes from the measurement", "Settings"
_SECONDARY = "Further values"
_DRIVERS = "Words that drive each score most, and what it would lose without them"

_NOT_THE_APPLICATION = (
    "The numbers describe this model on these data, not how an application built on it treats people."
)
_ADVICE_ON_FINDINGS = (
    "Check whether the model's output about these groups shows what was found here: the scores cannot tell."
)
_ADVICE = (
    "Measure the application itself, with its own users and texts, before basing any decision on these numbers.",
    "Do not rank or certify models by these scores, which often disagree between methods and data.",
    "Measure again whenever the model changes.",
)
_HOW_TO_READ: dict[Direction, str] = {
    "two_sided": "The sign shows the direction.",
    "higher_is_more_biased": "A higher value means more measured bias.",
    "lower_is_more_biased": "A lower value means more measured bias.",
    "higher_is_more_robust": "A higher value means a more robust measurement.",
}


def bias_section(results: Sequence[Result], *, level: Level = "summary") -> str:
    """Return the text of the section, without the markers that enclose it in a card.

    Args:
        results: results of any methods; usually of one model.
        level: ``"full"`` adds the words that drive each score and everything that was left out.

    Returns:
        Markdown with ``"\\n"`` line ends and none at the end.

    Raises:
        InputError: there is no result, or the level is neither.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=0.1, ci_low=-0.9, ci_high=0.8, p_value=0.4)
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row])
        >>> print(bias_section([result]).splitlines()[4].partition(" (0.10")[0])
        - **WEAT** (which words go together): weat7: no difference from 0 was detected
    """
    return section(results, level=level)[0]


def section(
    results: Sequence[Result],
    *,
    level: Level = "summary",
    heading: int = 3,
    picture: str = "",
    change: Comparison | None = None,
) -> tuple[str, str]:
    """Return the text of the section, and the picture that it shows, empty where it shows none.

    Arguments are those of :func:`bias_section`; ``heading`` is the level of the section's heading, 1 to 6.

    ``picture`` is the name of the file beside the card that it shows.
    ``change`` is what changed since earlier results, of which the first screen says what was found.
    What holds for several methods is said once, below all of them.
    """
    if level not in ("summary", "full"):
        raise bad_option("level", level, "'summary' or 'full'")
    if not results:
        raise InputError("no result to write into a card")
    full = level == "full"
    readings = read_all(results)
    options = [r.settings if full else chosen_options(r) for r in results]
    common = common_options(options)
    prose: dict[str, dict[str, list[str]]] = {"limits": {}, "notes": {}, "secondary": {}, "settings": {}}
    by_method: dict[str, list[Reading]] = {}
    suffixes = distinguishing_suffixes(results)
    for reading, chosen, suffix in zip(readings, options, suffixes, strict=True):
        result, name = reading.result, reading.result.method
        by_method.setdefault(name, []).append(reading)
        items = {k: v for k, v in chosen.items() if k not in common}
        prose["limits"].setdefault(name, []).extend(data_caveats(result))
        prose["notes"].setdefault(name, []).extend(map(markdown, result.warnings))
        prose["settings"].setdefault(name, []).extend(result_settings(result, items, suffix))
    for name, of_method in by_method.items():
        if name in METHODS:
            prose["limits"][name] += map(markdown, METHODS[name].caveats)
        values = _values(of_method, full)
        prose["secondary"][name] = [f"{markdown(s.title)}: {markdown(s.meaning)}" for s in values]
    shared = {key: _shared(sentences) for key, sentences in prose.items()}
    unshared = {
        key: {n: [s for s in items[n] if s not in shared[key]] for n in items} for key, items in prose.items()
    }
    first = first_screen(readings, picture, change)
    robust = [r.direction == "higher_is_more_robust" for r in results]
    limits = [_NOT_THE_APPLICATION, *([] if all(robust) else [NOT_ABSENCE]), found_means(readings)]
    advice = [*([_ADVICE_ON_FINDINGS] if any(r.found for r in readings) else []), *_ADVICE]
    defaults = [] if full else ["All other options: defaults."]
    general = (
        (_LIMITS, [*limits, *shared["limits"].values()]),
        (_NOTES, shared["notes"].values()),
        (_SECONDARY, shared["secondary"].values()),
        ("Recommendations", advice),
        (_SETTINGS, [*shared["settings"].values(), *shared_settings(results, common), *defaults]),
    )
    methods = [
        _method(of_method, {key: items[name] for key, items in unshared.items()}, full=full)
        for name, of_method in by_method.items()
    ]
    written = _template().render(heading="#" * heading, first=first, methods=methods, shared=_parts(general))
    return re.sub(r"\n{3,}", "\n\n", written).strip(), svg_text(
        functools.partial(draw_glance, *first["marks"])
    ) if picture else ""


@functools.cache
def _template() -> Template:
    environment = templates(finalize=_escaped, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((files(__package__) / "section.md.jinja").read_text(encoding="utf-8"))


def _escaped(value: Any) -> Any:
    """What is written for a value: Markdown and what a macro made as it is, every other text escaped for Markdown."""
    return value if hasattr(value, "__html__") else Markdown(markdown(str(value)))


def _method(
    readings: Sequence[Reading], sentences: Mapping[str, Sequence[str]], *, full: bool
) -> dict[str, Any]:
    """What is folded away of one method; ``sentences`` is what no other method says too."""
    results = [r.result for r in readings]
    rows = [row for r in readings for row in r.rows if not row.line.headline]
    lines = [row.line for row in rows]
    values = _values(readings, full)
    # Of groups, those of the summary are those of the whole.
    in_table = full or lines[0].kind != "overall"
    overall = [(r, secondary_text(r.row, values)) for r in lines if r.kind == "overall" and not in_table]
    numbers = [f"{markdown(r.name)}: {', '.join(texts)}" for r, texts in overall if texts]
    trust = [NOT_SIZE] if results[0].direction == "higher_is_more_robust" else []
    before = (
        ("", [_definition(results)]),
        ("Reading", [_how_to_read(results[0], lines)]),
        ("Data", data_lines(readings)),
        (_NOTES, _cut(sentences["notes"], lines, LISTED if full else _SUMMARY_NOTES)),
        ("Found", _outcome(readings)),
    )
    after = (
        (_SECONDARY, [*numbers, *sentences["secondary"]]),
        (_LIMITS, [*trust, *sentences["limits"]]),
        (_DRIVERS, driver_lines(lines) if full else ()),
        ("Left out or merged", skipped_lines(results) if full else ()),
        (_SETTINGS, sentences["settings"]),
    )
    return {
        "title": annotate(method_title(results[0].method), lines),
        "before": _parts(before),
        "table": Markdown(score_table(rows, values if in_table else (), full=full).to_markdown()),
        "after": _parts(after),
    }


def _parts(parts: Iterable[tuple[str, Iterable[str]]]) -> list[tuple[str, list[Markdown]]]:
    """Title and lines of paragraphs and lists; those without lines are left out of the section."""
    return [(title, [Markdown(line) for line in dict.fromkeys(lines)]) for title, lines in parts]


def _outcome(readings: Sequence[Reading]) -> list[str]:
    """What was found in each result of a method, then what else must be said."""
    several = len({r.model for r in readings}) > 1
    suffixes = distinguishing_suffixes([r.result for r in readings])
    names = [r.model + s if several else s.strip(" ()") for r, s in zip(readings, suffixes, strict=True)]
    whose = [f"**{markdown(name)}**: " if name else "" for name in names]
    findings = [name + markdown(r.finding) for name, r in zip(whose, readings, strict=True)]
    return [*findings, *(markdown(remark) for r in readings for remark in r.remarks)]


def _values(readings: Sequence[Reading], full: bool) -> list[Secondary]:
    """The secondary values of a method; in a summary none on illustrative data, from which nothing follows."""
    record = METHODS.get(readings[0].result.method)
    lines = [row.line for r in readings for row in r.rows if not row.line.headline]
    if record is None or not (full or any(not r.illustrative for r in lines)):
        return []
    return secondary_of(record.secondary, lines)


def _cut(notes: Sequence[str], lines: Sequence[ReportRow], most: int) -> list[str]:
    """Notes on the whole measurement, which are never cut off, then at most so many on single tests."""
    tests = {markdown(r.name) for r in lines}
    of_tests = [n for n in dict.fromkeys(notes) if n.partition(": ")[0] in tests]
    more = [more_in_file(len(of_tests) - most)] if len(of_tests) > most else []
    return [*(n for n in notes if n not in of_tests), *of_tests[:most], *more]


def _shared(sentences: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What more than one method says, each once with the methods that it holds for where these are not all."""
    holding = {
        sentence: [markdown(short_title(name)) for name, lines in sentences.items() if sentence in lines]
        for sentence in dict.fromkeys(s for lines in sentences.values() for s in lines)
    }
    return {
        s: s if len(methods) == len(sentences) else f"{s} ({', '.join(methods)})"
        for s, methods in holding.items()
        if len(methods) > 1
    }


def _definition(results: Sequence[Result]) -> str:
    """What the score is, and how the sentences were scored where an option chooses that."""
    if results[0].method not in METHODS:
        return ""
    ways = dict.fromkeys(str(r.settings.get("scoring")) for r in results)
    how = [f"Score of a sentence: {markdown(SCORINGS[s])}." for s in ways if s in SCORINGS]
    return " ".join([markdown(METHODS[results[0].method].summary), *how])


def _how_to_read(result: Result, lines: Sequence[ReportRow]) -> str:
    """Range and ideal value of the score, and what its values mean."""
    name = score_name(lines[0]) if result.method in METHODS else result.method
    low, high = lines[0].score_range
    span = f"{'−∞' if low is None else f'{low:.3g}'} to {'∞' if high is None else f'{high:.3g}'}"
    of_results = [r for r in lines if r.kind == "overall"] or lines[:1]
    ideal = " / ".join(dict.fromkeys(f"{r.ideal:.4g}" for r in of_results))
    best = f"{ideal} is best" if result.direction == "higher_is_more_robust" else f"ideal {ideal}"
    record = METHODS.get(result.method)
    meaning = (
        _HOW_TO_READ[result.direction]
        if record is None
        else markdown(record.interpretation_of(result.score_range))
    )
    return f"{markdown(name[:1].upper() + name[1:])}: {span}, {best}. {meaning}"
