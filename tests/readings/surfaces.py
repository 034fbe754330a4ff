"""What every surface says of the kept results, as text: one short function per surface, ``key -> text``.

Nothing here checks anything; :mod:`tests.readings.test_readings` compares the texts with the files that hold them.
What a function calls is imported inside it, so that a surface that is rebuilt changes its own function only.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result

HERE = Path(__file__).parent
CASES = sorted(path.stem for path in (HERE / "results").glob("*.json"))
WIDTH = 110

GROUPS: dict[str, dict[str, str]] = {
    "one_model": dict.fromkeys(
        ("weat_several_tests", "direct_bias_glove", "mac_interval_only", "analogies_golden", "pll_worse"), "m"
    ),
    "three_models": {
        "weat_several_tests": "m1",
        "weat_found_in_part_below": "m2",
        "weat_only_before": "m3",
        "stereoset_found": "m1",
    },
    "nothing_found": dict.fromkeys(
        ("direct_bias_glove", "pll_too_few", "lpbs_golden", "bbq_illustrative", "gest_golden"), "m"
    ),
}
"""Results that a report or card is about together, and the name that the model of each gets."""

PAIRS = (
    ("pll_base", "pll_base"),
    ("pll_base", "pll_worse"),
    ("weat_found_in_part_below", "weat_only_before"),
    ("weat_several_tests", "weat_only_before"),
    ("weat_found_in_part_below,pll_base", "weat_only_before,pll_worse"),
)
"""Results that are compared; several of one side are joined by commas."""


@functools.cache
def result(case: str) -> Result:
    return Result.from_json((HERE / "results" / f"{case}.json").read_text(encoding="utf-8"))


def _of(own: Result, name: str) -> Result:
    provenance = {**own.provenance, "model": {**own.provenance["model"], "name": name}}
    return dataclasses.replace(own, provenance=provenance)


@functools.cache
def group(name: str) -> list[Result]:
    return [_of(result(case), model) for case, model in GROUPS[name].items()]


# --- helpers ----------------------------------------------------------------------------------------------------

_BLOCKS = re.compile(
    "p|div|li|tr|h[1-6]|summary|details|section|table|d[dlt]|[uo]l|figure|figcaption|header|footer|article|option|br|label"
)


class _Text(HTMLParser):
    """The text of a page: a line per block, cells apart, what only a machine reads left out."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "svg"):
            self.hidden.append(tag)
        elif _BLOCKS.fullmatch(tag):
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append(" | ")
        elif tag == "img":
            self.parts.append(f"\n[picture: {dict(attrs).get('alt') or ''}]\n")
        if not self.hidden and (said := dict(attrs).get("title")):
            self.parts.append(f" ({said}) ")

    def handle_endtag(self, tag: str) -> None:
        if self.hidden and self.hidden[-1] == tag:
            self.hidden.pop()
        elif _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data.replace("\n", " "))


def html_text(page: str) -> str:
    parser = _Text()
    parser.feed(page)
    lines = (re.sub(r"[ \t]+", " ", line).strip(" |") for line in "".join(parser.parts).splitlines())
    return "\n".join(line for line in lines if line)


@contextlib.contextmanager
def terminal() -> Iterator[io.StringIO]:
    """What a command prints on a terminal of a fixed width, without colours."""
    out = io.StringIO()
    plain = {"COLUMNS": str(WIDTH), "FORCE_COLOR": "", "TTY_COMPATIBLE": "0"}
    with mock.patch.dict("os.environ", plain), contextlib.redirect_stdout(out):
        yield out


def drawn(figure: Any) -> list[str]:
    """The marks of a figure: where, how it is labelled, and whether it is filled."""
    from matplotlib.colors import to_hex

    out = []
    for axis in figure.axes:
        names = dict(zip(axis.get_yticks(), (t.get_text() for t in axis.get_yticklabels()), strict=False))
        for line in axis.get_lines():
            if line.get_marker() in ("None", "", None):
                continue
            hollow = to_hex(line.get_markerfacecolor()) == "#ffffff"
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
                where = (
                    names.get(float(y))
                    or min(names.items(), key=lambda n: abs(n[0] - float(y)), default=(0, ""))[1]
                )
                name = where.replace("\n", " / ")
                out.append(f"{'hollow' if hollow else 'filled'} {line.get_marker()} {float(x):.4g} {name}")
    return out


# --- surfaces of one result -------------------------------------------------------------------------------------


def terminal_table(case: str) -> str:
    from evaluate_bias.cli.output import new_console, print_skipped, result_table

    with terminal() as out:
        new_console().print(result_table(result(case)))
        print_skipped(result(case))
    return out.getvalue()


def notebook(case: str) -> str:
    return f"{result(case)}\n\n{html_text(result(case)._repr_html_())}"


def report_md(case: str) -> str:
    from evaluate_bias.report.write import report_page

    return report_page([result(case)], [], Path("out"))


def latex(case: str) -> str:
    from evaluate_bias.report.latex import to_latex

    return to_latex([result(case)])


def csv(case: str) -> str:
    from evaluate_bias.report.row_tables import to_csv

    return to_csv([result(case)])


def card(case: str) -> str:
    from evaluate_bias.report.card import bias_section

    return bias_section([result(case)])


def explorer(case: str) -> str:
    """What the explorer and the page of the method's module answer."""
    from evaluate_bias.ui.outcome import result_page
    from evaluate_bias.ui.parts import draw

    with mock.patch("evaluate_bias.ui.outcome.picture", lambda figure, alt: draw("picture", alt, "", 1)):
        return html_text(result_page(result(case)))


def picture_of_card(case: str) -> str:
    """What marks the picture of a card draws, and how."""
    return _card_marks([result(case)])


def _card_marks(results: Sequence[Result]) -> str:
    from evaluate_bias.report.plots.forest import glance_marks
    from evaluate_bias.report.reading import finding_order, read_all
    from evaluate_bias.report.score_matrix import short_labels

    pairs = sorted(
        zip(read_all(results), short_labels(results), strict=True), key=lambda pair: finding_order(pair[0])
    )
    marks, labels = glance_marks([reading for reading, _ in pairs], [label for _, label in pairs])
    return "\n".join(
        f"{'filled' if m.filled else 'hollow'} {'no scale' if m.value is None else f'{m.value:.4g}'} {label}"
        + "".join(f", filled {part:.4g}" for part in m.parts)
        for m, label in zip(marks, labels, strict=True)
    )


def picture_of_report(case: str) -> str:
    """What marks the pictures of scores in a report draw, and how."""
    from evaluate_bias.report.plots.canvas import draw_figure
    from evaluate_bias.report.plots.forest import score_pictures
    from evaluate_bias.report.reading import read_all

    pages = [p.draw for own in score_pictures(read_all([result(case)])).values() for p in own]
    return "\n".join(line for draw in pages for line in drawn(draw_figure(draw)))


# --- surfaces of methods ------------------------------------------------------------------------------------------


def finding(method: str) -> str:
    """What is said of the first golden case of a method."""
    from evaluate_bias.report.reading import read
    from tests.test_all_methods import measured

    reading = read(measured(method))
    return "\n".join([reading.finding, reading.rows[0].clause, *reading.remarks])


# --- surfaces of several results ----------------------------------------------------------------------------------


def report_html(name: str) -> str:
    from evaluate_bias.report.html import html_page

    return html_text(html_page(group(name)))


def report_of_several(name: str) -> str:
    from evaluate_bias.report.write import report_page

    return report_page(group(name), [], Path("out"))


def card_of_several(name: str) -> str:
    from evaluate_bias.report.card import bias_section

    return bias_section(group(name)) + "\n\nmarks of its picture:\n" + _card_marks(group(name))


def card_metadata(name: str) -> str:
    from evaluate_bias.report.card import plan_card

    update = plan_card("", group(name), model=None)
    return update.text.split("\n---\n")[0] + "".join(f"\nnote: {w}" for w in update.warnings)


def hub_eval_results(name: str) -> str:
    """The files that the Hub reads evaluation results from."""
    from evaluate_bias.report.card.eval_results import eval_results_files

    when = datetime(2026, 11, 1, tzinfo=UTC)
    files, notes = eval_results_files(group(name), clock=lambda: when)
    return "\n".join([*(f"{file}:\n{text}" for file, text in files.items()), *notes])


def trust(name: str) -> str:
    from evaluate_bias.report.trust import trust as judged

    return f"{judged(group(name))}\n\n{judged(group(name)).to_markdown()}"


# --- comparisons --------------------------------------------------------------------------------------------------


def _both(key: str) -> tuple[list[Result], list[Result]]:
    first, second = ([result(case) for case in side.split(",")] for side in key.split(" to "))
    if "," in key:  # results of several methods are of one model
        first, second = ([_of(r, name) for r in side] for side, name in ((first, "base"), (second, "tuned")))
    return first, second


@functools.cache
def _comparison(key: str) -> Any:
    from evaluate_bias.report.compare import compare_results

    first, second = _both(key)
    return compare_results(first, second)


def comparison(key: str) -> str:
    return str(_comparison(key).to_markdown())


def comparison_terminal(key: str) -> str:
    from evaluate_bias.cli.compare import print_comparison

    with terminal() as out, contextlib.redirect_stderr(out):
        print_comparison(_comparison(key))
    return out.getvalue()


def comparison_explorer(key: str) -> str:
    from evaluate_bias.ui.compare import changes_between
    from evaluate_bias.ui.parts import join

    first, second = _both(key)
    return html_text(
        join(*changes_between([*(_of(r, "base") for r in first), *(_of(r, "tuned") for r in second)]))
    )


def gate(key: str) -> str:
    from evaluate_bias.report.compare.gate import gate as check

    first, second = _both(key)
    return str(check(second, against=first, margin=5.0).to_markdown())


def card_since(key: str) -> str:
    """The first screen of a card that says what changed."""
    from evaluate_bias.report.card import plan_card

    first, second = _both(key)
    return plan_card("", second, since=first, model_index=False).text.split("<details", 1)[0]


Surface = tuple[Callable[[str], str], Sequence[str]]
_PAIRS = tuple(f"{first} to {second}" for first, second in PAIRS)
_OF_ONE = (terminal_table, notebook, report_md, latex, csv, card, explorer, picture_of_card)
_OF_SEVERAL = (report_html, report_of_several, card_of_several, card_metadata, hub_eval_results, trust)
_OF_PAIRS = (comparison, comparison_terminal, comparison_explorer, gate, card_since)
_KEYS = (
    ((*_OF_ONE, picture_of_report), CASES),
    ((finding,), tuple(METHODS)),
    (_OF_SEVERAL, tuple(GROUPS)),
    (_OF_PAIRS, _PAIRS),
)
SURFACES: dict[str, Surface] = {f.__name__: (f, keys) for functions, keys in _KEYS for f in functions}
"""What renders each surface, and of what."""


def rendered(surface: str) -> str:
    """The file of a surface: every text below its key. An error of ours is a text, too."""
    from evaluate_bias.errors import BiasError

    render, keys = SURFACES[surface]
    out = []
    for key in keys:
        try:
            text = render(key)
        except BiasError as error:
            text = f"{type(error).__name__}: {error}"
        lines = (line.rstrip() for line in text.strip("\n").splitlines())
        out.append(f"===== {key} =====\n" + "\n".join(lines) + "\n")
    return "\n".join(out)
