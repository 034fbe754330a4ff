"""The tab that sets models and methods side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ...api import measure
from ...data import kinds
from ...data.word_lists import languages
from ...errors import BiasError, InputError
from ...registry import MethodRecord, get_method
from ...report.data_facts import result_notes
from ...report.lines import Line, ci_cell, model_name, p_cell, report_lines, with_remark
from ...report.tables import to_csv, to_latex
from ...result import Result
from ..handlers import deadline_of, explained, on_click
from ..limits import MAX_METHODS, MAX_MODELS, Deadline, OutOfTime
from ..outcome import digits
from ..parts import Html, Link, Links, Note, Part, offers, render, short, show
from ..pool import LANGUAGE_MODELS, WORD_VECTORS, model_choices
from ..sentence_pairs import ALL_TYPES, bias_types, chosen_pairs, pair_languages, pair_methods, run_pairs
from ..session import Session
from ..tab import FIELD_WIDTH, Tab, methods_on
from ..word_lists import choices_of

__all__ = ["Comparison", "compare", "compare_methods", "compare_tab", "comparison_html"]

_LANGUAGE = "en"


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
    return [(r.title, r.name) for r in methods_on(kinds.WORD_LISTS.name)]


def compare(
    models: Sequence[str],
    methods: Sequence[str],
    language: str,
    tests: Sequence[str],
    bias_type: str,
    *,
    lend: Callable[[str, Deadline], AbstractContextManager[Any]],
    deadline: Deadline,
) -> Comparison:
    """Measure every model with every method on the packaged data of one language.

    Args:
        models: what the visitor chose or typed.
        methods: registry names.
        language: of word lists and sentence pairs.
        tests: names of word-list tests, none for all of the language.
        bias_type: of the sentence pairs.
        lend: gives a model of a name.
        deadline: time and progress of this request.

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
            with lend(model, deadline) as lent:
                for method in named:
                    deadline.doing = f"{get_method(method).title} of {model}"
                    deadline.step(0, 1)
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
    names = list(tests) or [t.name for t in kinds.WORD_LISTS.load()(language=language)]
    return measure(method, model, language=language, tests=names)


def _on_pairs(method: str, model: Any, language: str, bias_type: str) -> Result:
    if language not in pair_languages():
        raise InputError(f"there are no sentence pairs in the language {language!r}")
    return run_pairs(method, model, chosen_pairs(language, bias_type))


def comparison_html(comparison: Comparison) -> str:
    """Heat-map, downloads, and what could not be measured."""
    results = comparison.results
    parts: list[Part] = []
    if results:
        parts = [
            Html(_heat_map(results)),
            Links(
                [
                    Link("bias.csv", to_csv(results), "text/csv", "Download CSV"),
                    Link("bias.tex", to_latex(results, standalone=True), "text/x-tex", "Download LaTeX"),
                ]
            ),
            *(
                Note(f"{about.title}: {about.caveats[0]}", "warning")
                for about in {n.name: n for r in results for n in result_notes(r) if n.illustrative}.values()
            ),
            *(
                Note(_reading(record, results))
                for record in {r.method: get_method(r.method) for r in results}.values()
            ),
        ]
    failures = [Note(f"{model}, {method}: {why}", "warning") for model, method, why in comparison.failures]
    return show(*parts, *failures)


def _reading(record: MethodRecord, results: Sequence[Result]) -> str:
    shown = report_lines([r for r in results if r.method == record.name])
    ties = any(line.ideal != record.ideal for line in shown)
    return (
        f"{record.title}: {record.score_name} from {short(record.score_range[0], '−')} to "
        f"{short(record.score_range[1])}, ideal {record.ideal:g}"
        f"{' or that of its cell' if ties else ''}. {record.interpretation}"
    )


def _heat_map(results: Sequence[Result]) -> Any:
    models = list(dict.fromkeys(model_name(r) for r in results))
    cells: dict[str, dict[str, dict[str, Line]]] = {}
    for result in results:
        for line in report_lines([result], headline=False):
            by_name = cells.setdefault(line.method, {})
            by_name.setdefault(line.name, {})[model_name(result)] = line
    groups = [
        (
            with_remark(
                get_method(method).title, [line for row in by_name.values() for line in row.values()]
            ),
            [(name, [row.get(model) for model in models]) for name, row in by_name.items()],
        )
        for method, by_name in cells.items()
    ]
    return render(
        "heatmap",
        models=models,
        groups=groups,
        distance=_distance,
        digits=digits,
        ci_cell=ci_cell,
        p_cell=p_cell,
    )


def _distance(line: Line) -> float:
    """How far the score is from its ideal, from -1 to 1, as a share of the way to the end of its range."""
    away = line.score - line.ideal
    end = line.score_range[1] if away > 0 else line.score_range[0]
    reach = abs(end - line.ideal) if end is not None and end != line.ideal else max(1.0, abs(away))
    return max(-1.0, min(1.0, away / reach))


def compare_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    offered = offers()["word_lists"]

    def measure_all(
        session: Session,
        models: list[str],
        methods: list[str],
        language: str,
        tests: list[str],
        bias_type: str,
        progress: Any = gr.Progress(),
    ) -> str:
        found = compare(
            models,
            methods,
            language,
            tests,
            bias_type,
            lend=tab.pool.borrow,
            deadline=deadline_of(progress, tab.seconds),
        )
        session.add(found.results)
        return comparison_html(found)

    def choose_language(language: str) -> tuple[Any, Any]:
        tests = choices_of(language) if language in languages() else []
        types = bias_types(language) if language in pair_languages() else [ALL_TYPES]
        return gr.Dropdown(choices=tests, value=[]), gr.Dropdown(choices=types, value=ALL_TYPES)

    gr.Markdown(
        f"Up to {MAX_MODELS} models with up to {MAX_METHODS} methods. Word vectors go with methods on word lists, "
        "language models with methods on sentence pairs; what does not fit stands below the table.",
        elem_id="compare-help",
    )
    choices = model_choices((*WORD_VECTORS, *LANGUAGE_MODELS))
    models = gr.Dropdown(
        choices,
        value=[name for _, name in model_choices(WORD_VECTORS, _LANGUAGE)][:2],
        multiselect=True,
        allow_custom_value=True,
        label="Models (or type a Hub id and press Enter)",
        elem_id="compare-models",
    )
    methods = gr.Dropdown(
        compare_methods(),
        value=[offered["methods"]["embeds words"][0]],
        multiselect=True,
        label="Methods",
        elem_id="compare-methods",
    )
    with gr.Row():
        language = gr.Dropdown(
            sorted({*languages(), *pair_languages()}),
            value=_LANGUAGE,
            label="Language of the data",
            min_width=FIELD_WIDTH,
            elem_id="compare-language",
        )
        bias_type = gr.Dropdown(
            bias_types(_LANGUAGE),
            value=ALL_TYPES,
            label="Bias type of sentence pairs",
            min_width=FIELD_WIDTH,
            elem_id="compare-type",
        )
    tests = gr.Dropdown(
        choices_of(_LANGUAGE),
        value=offered["compared"],
        multiselect=True,
        label="Word-list tests (none: all)",
        elem_id="compare-tests",
    )
    run = gr.Button("Compare", variant="primary", elem_id="compare-run")
    output = gr.HTML(elem_id="compare-output")
    language.input(explained(choose_language), language, [tests, bias_type], api_visibility="private")
    on_click(
        run,
        measure_all,
        [tab.session, models, methods, language, tests, bias_type],
        output,
        api_name="compare",
    )
