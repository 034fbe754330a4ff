"""The tab that sets models and methods side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from markupsafe import Markup

from ..data import kinds
from ..data.word_lists import languages
from ..errors import BiasError, InputError
from ..experiments.session import measure_all
from ..registry import get_method
from ..report.data_facts import result_notes
from ..report.latex import to_latex
from ..report.lines import model_name, short_title
from ..report.reading import read_all
from ..report.row_tables import all_rows, notes, score_table, to_csv
from ..report.score_matrix import distinguishing_names
from ..result import Result
from .form import Answer, Click, Form, Tab, Values, methods_on, outputs
from .guard import Deadline, OutOfTime
from .parts import column_table, folded, join, links, note, page_defaults, picture, scroll_table
from .pool import LANGUAGE_MODELS, WORD_VECTORS, model_choices
from .sentence_pairs import ALL_TYPES, bias_types, chosen_pairs, pair_languages, pair_options
from .session import sentence_of
from .word_lists import choices_of

MAX_MODELS = 4
MAX_METHODS = 4

_LANGUAGE = "en"
_SENTENCES = 6
"""Most changes that are described in words. All are in the table."""
_DRAWN = 40
"""Most changes in the picture. If there are more, the first that were found, or the first of all."""
Failure: TypeAlias = tuple[str, str, str]
"""A model, a method, and why the one could not be measured with the other."""


def compare_methods() -> list[tuple[str, str]]:
    """Return the methods that can be compared, as ``(title, name)``: on word lists and on sentence pairs.

    Examples:
        >>> {"weat", "pll"} <= {name for _, name in compare_methods()}
        True
    """
    kinds_of_data = (kinds.WORD_LISTS.name, kinds.SENTENCE_PAIRS.name)
    return [(r.title, r.name) for kind in kinds_of_data for r in methods_on(kind)]


def compare(
    models: Sequence[str],
    methods: Sequence[str],
    language: str,
    tests: Sequence[str],
    bias_type: str,
    *,
    lend: Callable[[str, Deadline], AbstractContextManager[Any]],
    deadline: Deadline,
) -> tuple[list[Result], list[Failure]]:
    """Measure every model with every method on the packaged data of one language. Return results and failures.

    A model that cannot be measured with a method is a failure of that combination only. ``lend`` lends the model of
    a name. Without names of ``tests``, all tests of the language are measured.

    Raises:
        InputError: too many or no models or methods.
        OutOfTime: the request has used its time.
    """
    chosen = _distinct(models, MAX_MODELS, "model")
    method_names = _distinct(methods, MAX_METHODS, "method")
    if not {name for _, name in compare_methods()} >= set(method_names):
        raise InputError("choose among the methods that the page offers", option="methods")
    records = {name: get_method(name) for name in method_names}
    results: list[Result] = []
    failures: list[Failure] = []

    @contextmanager
    def noted(model: str, method: str) -> Iterator[None]:
        try:
            yield
        except OutOfTime:
            raise
        except BiasError as error:
            failures.append((model, method, sentence_of(error)))

    for model in chosen:
        with noted(model, "every method"), lend(model, deadline) as borrowed_model:
            options_of: dict[str, dict[str, Any]] = {}
            for record in records.values():
                with noted(model, record.title):
                    if record.data.name == kinds.WORD_LISTS.name:
                        by_name = {"tests": list(tests)} if tests else {}
                        options_of[record.name] = {"language": language, **by_name}
                    else:
                        pairs = chosen_pairs(language, bias_type)
                        options_of[record.name] = pair_options(record.name, borrowed_model, pairs)

            def failed(name: str, error: Exception, model: str = model) -> None:
                with noted(model, records[name].title):
                    raise error

            deadline.doing = f"{', '.join(records[name].title for name in options_of)} of {model}"
            deadline.step(0, 1)
            results += (
                measure_all(borrowed_model, options_of, on_error=failed, progress=False) if options_of else []
            )
    return results, failures


def _distinct(names: Sequence[str], limit: int, what: str) -> list[str]:
    distinct_names = list(dict.fromkeys(str(name).strip() for name in names or () if str(name).strip()))
    if not distinct_names:
        raise InputError(f"choose at least one {what}")
    if len(distinct_names) > limit:
        raise InputError(
            f"{len(distinct_names)} {what}s are more than the {limit} this page compares at once"
        )
    return distinct_names


def comparison_html(results: Sequence[Result], failures: Sequence[Failure] = ()) -> Markup:
    """Return heat map, table, downloads, and what could not be measured."""
    failure_notes = [note(f"{model}, {method}: {why}", "warning") for model, method, why in failures]
    if not results:
        return join(*failure_notes)
    from ..report.plots.canvas import draw_figure
    from ..report.plots.heatmap import draw_scores

    readings = read_all(results)
    downloads = links(
        ("bias.csv", to_csv(readings), "text/csv", "CSV of the table"),
        ("bias.tex", to_latex(readings, standalone=True), "text/x-tex", "LaTeX of the table"),
    )
    rows = [row for row in all_rows(readings) if not row.line.headline]
    models = list(dict.fromkeys(row.line.model for row in rows))
    labels = distinguishing_names([row.line for row in rows])
    names = [f"{short_title(row.line.method)}: {label}" for row, label in zip(rows, labels, strict=True)]
    places = list(dict.fromkeys(names))
    scores = {
        (places.index(name), models.index(row.line.model)): row for name, row in zip(names, rows, strict=True)
    }
    figure = draw_figure(partial(draw_scores, places, models, scores, "Scores of every model"))
    table = score_table(rows, notes(readings))
    illustrative = {facts.name: facts for r in results for facts in result_notes(r) if facts.illustrative}
    return join(
        *changes_between(results),
        picture(figure, "The scores of the table below as a heat-map, each on the scale of its method"),
        column_table("Scores, with interval, p-value and verdict", table.columns, table.rows),
        downloads,
        *(note(f"{facts.title}: {facts.caveats[0]}", "warning") for facts in illustrative.values()),
        *map(note, table.notes),
        *failure_notes,
    )


def changes_between(results: Sequence[Result]) -> list[Markup]:
    """Return what changed between two models, in sentences, a table and a picture, or nothing unless there are two."""
    from ..report.compare import compare_results
    from ..report.plots.canvas import draw_figure
    from ..report.plots.forest import draw_changes

    names = list(dict.fromkeys(model_name(r) for r in results))
    if len(names) != 2:
        return []
    try:
        comparison = compare_results(*([r for r in results if model_name(r) == name] for name in names))
    except BiasError as error:
        return [note(f"{names[0]} and {names[1]} cannot be compared: {sentence_of(error)}", "warning")]
    all_changes, first, second = comparison.changes, comparison.first, comparison.second
    moved = comparison.changed or [c for c in all_changes if c.difference]
    drawn_changes = (
        all_changes if len(all_changes) <= _DRAWN else (comparison.changed or all_changes)[:_DRAWN]
    )
    parts: list[Markup] = [
        note(comparison.summary, "finding"),
        *(note(c.sentence) for c in moved[:_SENTENCES]),
    ]
    if all_changes:
        figure = draw_figure(partial(draw_changes, replace(comparison, changes=drawn_changes)))
        n_drawn = "" if len(drawn_changes) == len(all_changes) else f"{len(drawn_changes)} "
        title = f"All scores: {len(all_changes)}{n_drawn and f', of which {n_drawn}are drawn'}"
        rows = comparison.table("first", "second").records()
        parts += [
            picture(figure, f"The {n_drawn}changes from {first} to {second}, with intervals"),
            folded(title, scroll_table(f"{first} and {second}", rows)),
        ]
    remarks: list[Markup] = [note(text, "warning") for text in comparison.notes]
    if len(remarks) > _SENTENCES:
        remarks = [folded(f"{len(remarks)} notes: what differs, and what is on one side only", *remarks)]
    return [*parts, *remarks]


def compare_tab(tab: Tab) -> None:
    """Draw the tab that compares models."""
    import gradio as gr

    start = page_defaults()["compare"]
    installed = model_choices((*WORD_VECTORS, *LANGUAGE_MODELS))
    fetched = [c for c in model_choices(WORD_VECTORS, installed=False) if c[1] in start["models"]]

    def compare_models(click: Click) -> Answer:
        v = click.values
        results, failures = compare(
            v["models"], v["methods"], v["language"], v["tests"], v["bias_type"],
            lend=tab.pool.borrow, deadline=click.deadline,
        )  # fmt: skip
        listed = [dict(zip(("model", "method", "reason"), one, strict=True)) for one in failures]
        return click.keep(results, comparison_html(results, failures), failures=listed)

    def follow_tests(values: Values) -> tuple[list[tuple[str, str]], list[str]]:
        return choices_of(values["language"]) if values["language"] in languages() else [], []

    def follow_type(values: Values) -> tuple[list[str], str]:
        has_pairs = values["language"] in pair_languages()
        return bias_types(values["language"]) if has_pairs else [ALL_TYPES], ALL_TYPES

    form = Form(tab, "compare", most_models=MAX_MODELS, most_methods=MAX_METHODS)
    form.help()
    form.field(
        "models",
        value=start["models"],
        choices=list(dict.fromkeys([*installed, *fetched])),
        allow_custom_value=True,
        multiselect=True,
    )
    form.field("methods", value=start["methods"], choices=compare_methods(), multiselect=True)
    with gr.Row():
        form.field("language", value=_LANGUAGE, choices=sorted({*languages(), *pair_languages()}))
        form.field("bias_type", value=ALL_TYPES, choices=bias_types(_LANGUAGE), allow_custom_value=True)
    form.field(
        "tests",
        value=page_defaults()["word_lists"]["compared"],
        choices=choices_of(_LANGUAGE),
        allow_custom_value=True,
        multiselect=True,
    )
    form.on_measure(form.button("compare"), "compare", compare_models, outputs("compare-output"))
    form.cascade(
        ("language", "tests", "bias_type"),
        {"tests": follow_tests, "bias_type": follow_type},
        leads=["language"],
    )
