"""The tab that sets models and methods side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ..api import evaluate
from ..data.word_lists import languages
from ..errors import BiasError, InputError
from ..registry import METHODS, MethodRecord, get_method
from ..report.data_facts import result_notes
from ..report.rows import Row, ci_cell, model_name, p_cell, result_rows, with_remark
from ..report.tables import to_csv, to_latex
from ..result import Result
from .cards import download_link
from .html import escaped, note, number
from .limits import MAX_METHODS, MAX_MODELS, OutOfTime, Watch
from .sentences import chosen_pairs, pair_languages, pair_methods, run_pairs
from .words import published_tests

__all__ = ["Comparison", "compare", "compare_methods", "comparison_html"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results, and what could not be measured and why.

    Attributes:
        results: in the order models, then methods.
        models: names of the models asked for.
        failures: ``(model, method, reason)``.
    """

    results: tuple[Result, ...]
    models: tuple[str, ...]
    failures: tuple[tuple[str, str, str], ...]


def compare_methods() -> list[tuple[str, str]]:
    """Methods that can be compared, as ``(title, name)``: those on word lists and on sentence pairs.

    Examples:
        >>> {"weat", "crows_pairs"} <= {name for _, name in compare_methods()}
        True
    """
    return [*_word_methods(), *pair_methods()]


def _word_methods() -> list[tuple[str, str]]:
    loaders = (":load_word_lists", ":load_lpbs_tests")
    return [(r.title, r.name) for r in METHODS.values() if r.loader.endswith(loaders)]


def compare(
    models: Sequence[str],
    methods: Sequence[str],
    language: str,
    tests: Sequence[str],
    bias_type: str,
    *,
    lend: Callable[[str, Watch], AbstractContextManager[Any]],
    watch: Watch,
) -> Comparison:
    """Measure every model with every method on the packaged data of one language.

    Args:
        models: what the visitor chose or typed.
        methods: registry names.
        language: of word lists and sentence pairs.
        tests: names of word-list tests, none for all of the language.
        bias_type: of the sentence pairs.
        lend: gives a model of a name.
        watch: time and progress of this request.

    Returns:
        What could be measured. A model that cannot be measured with a method is a failure of that combination only.

    Raises:
        InputError: too many or no models or methods.
        OutOfTime: the request has used its time.
    """
    chosen = _distinct(models, MAX_MODELS, "model")
    named = _distinct(methods, MAX_METHODS, "method")
    word_methods = {name for _, name in _word_methods()}
    unknown = set(named) - {name for _, name in compare_methods()}
    if unknown:
        raise InputError("choose among the methods that the page offers")
    results: list[Result] = []
    failures: list[tuple[str, str, str]] = []
    for model in chosen:
        try:
            with lend(model, watch) as lent:
                for method in named:
                    watch.doing = f"{get_method(method).title} of {model}"
                    watch.step(0, 1)
                    try:
                        if method in word_methods:
                            results.append(_on_word_lists(method, lent, language, tests))
                        else:
                            results.append(_on_pairs(method, lent, language, bias_type))
                    except OutOfTime:
                        raise
                    except BiasError as error:
                        failures.append((model, get_method(method).title, str(error)))
        except OutOfTime:
            raise
        except BiasError as error:
            failures.append((model, "every method", str(error)))
    return Comparison(tuple(results), tuple(chosen), tuple(failures))


def _distinct(names: Sequence[str], limit: int, what: str) -> list[str]:
    found = list(dict.fromkeys(str(name).strip() for name in names or () if str(name).strip()))
    if not found:
        raise InputError(f"choose at least one {what}")
    if len(found) > limit:
        raise InputError(f"{len(found)} {what}s are more than the {limit} this page compares at once")
    return found


def _on_word_lists(method: str, model: Any, language: str, tests: Sequence[str]) -> Result:
    if language not in languages():
        raise InputError(f"there are no word lists in the language {language!r}")
    # By name from the method itself, because the same words have other roles in some.
    names = [t.name for t in published_tests(language, tests)]
    return evaluate(method, model, language=language, tests=names)


def _on_pairs(method: str, model: Any, language: str, bias_type: str) -> Result:
    if language not in pair_languages():
        raise InputError(f"there are no sentence pairs in the language {language!r}")
    return run_pairs(method, model, chosen_pairs(language, bias_type))


def comparison_html(comparison: Comparison) -> str:
    """Heat-map, downloads, and what could not be measured."""
    parts = [_heat_map(comparison.results)] if comparison.results else []
    if comparison.results:
        results = comparison.results
        parts.append(
            '<p class="eb-downloads">'
            + download_link("bias.csv", to_csv(results), "text/csv", "Download CSV")
            + download_link("bias.tex", to_latex(results, standalone=True), "text/x-tex", "Download LaTeX")
            + "</p>"
        )
        parts += [
            note(f"{about.title}: {about.caveats[0]}", "warning")
            for about in {n.name: n for r in results for n in result_notes(r) if n.illustrative}.values()
        ]
        readings = {r.method: get_method(r.method) for r in results}
        parts += [
            note(
                f"{record.title}: {record.score_name} from {number(record.score_range[0], 0)} to "
                f"{number(record.score_range[1], 0)}, {_ideal(results, record)}. {record.reading}"
            )
            for record in readings.values()
        ]
    parts += [note(f"{model}, {method}: {why}", "warning") for model, method, why in comparison.failures]
    return "".join(parts)


def _heat_map(results: Sequence[Result]) -> str:
    models = list(dict.fromkeys(model_name(r) for r in results))
    cells: dict[tuple[str, str], dict[str, Row]] = {}
    for result in results:
        for row in result_rows([result]):
            cells.setdefault((row.method, row.name), {})[model_name(result)] = row
    head = "".join(f'<th scope="col">{escaped(model)}</th>' for model in models)
    body, last = "", ""
    for (method, name), by_model in cells.items():
        title = with_remark(get_method(method).title, list(by_model.values()))
        if title != last:
            body += f'<tr><th scope="colgroup" colspan="{len(models) + 1}">{escaped(title)}</th></tr>'
            last = title
        body += f'<tr><th scope="row">{escaped(name)}</th>'
        body += "".join(_cell(by_model.get(model)) for model in models) + "</tr>"
    caption = (
        "Scores, with interval and p-value. The colour is the distance from the ideal value: orange above it, "
        "blue below, none at it"
    )
    return (
        f'<figure class="eb-figure"><figcaption>{caption}</figcaption>'
        '<div class="eb-scroll" tabindex="0" role="region" aria-label="Heat-map of scores">'
        f'<table class="eb-table eb-heatmap"><thead><tr><th scope="col">test</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></figure>"
    )


def _cell(row: Row | None) -> str:
    if row is None:
        return '<td class="eb-cell">—</td>'
    away = _distance(row)
    colour = "--eb-two" if away > 0 else "--eb-one"
    low, high = (number(v, 0) for v in row.score_range)
    digits = 1 if row.score_range[1] == 100 else 2
    tip = f"{row.model}, {row.name}: range {low} to {high}, ideal {row.ideal:.4g}; p = {p_cell(row)}; n = {row.n}"
    return (
        f'<td class="eb-cell" title="{escaped(tip)}" '
        f'style="background:color-mix(in srgb, var({colour}) {55 * abs(away):.0f}%, transparent)">'
        f"<strong>{number(row.score, digits)}</strong><small>{_minus(ci_cell(row, digits))}</small>"
        f"<small>p {escaped(p_cell(row))}</small></td>"
    )


def _ideal(results: Sequence[Result], record: MethodRecord) -> str:
    rows = result_rows([r for r in results if r.method == record.name])
    if all(row.ideal == record.ideal for row in rows):
        return f"ideal {record.ideal:g}"
    if all(row.decided is None for row in rows):
        return "ideal as each cell tells"
    return f"ideal {record.ideal:g} and less where there are ties, as each cell tells"


def _minus(text: str) -> str:
    return escaped(text).replace("-", "−")


def _distance(row: Row) -> float:
    """How far the score is from its ideal, from -1 to 1, as a share of the way to the end of its range."""
    away = row.score - row.ideal
    end = row.score_range[1] if away > 0 else row.score_range[0]
    reach = abs(end - row.ideal) if end is not None and end != row.ideal else max(1.0, abs(away))
    return max(-1.0, min(1.0, away / reach))
