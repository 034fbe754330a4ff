"""The command ``methods``: lists all or fitting methods, or describes one. Heavy imports are made inside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import counted, range_text
from .output import (
    DATA_HELP,
    JsonFlag,
    LoadingOption,
    ModelsOption,
    cli_value,
    duration,
    escape,
    new_console,
    print_table,
    say,
    terminal_table,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ..options import Option


def complete_method(start: str) -> list[str]:
    """Return the methods whose names begin like this, for the completion in a shell."""
    from ..registry import METHODS

    return [name for name in sorted(METHODS) if name.startswith(start)]


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Show one method in full, with its options and their defaults.",
            autocompletion=complete_method,
        ),
    ] = None,
    model: ModelsOption = None,
    model_option: LoadingOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List the methods, or describe one of them with its options.

    With --model, list the methods that fit the model, with their cost.

    Example: 'evaluate-bias methods weat', or 'evaluate-bias methods --model glove-6b-50d'
    """
    import dataclasses

    from rich.box import SIMPLE_HEAD

    from ..registry import METHODS, MethodRecord, get_method
    from ..report.table import Table, TableColumn
    from .flags import parse_loading

    if model and name:
        raise InputError("--model lists the methods that fit a model", hint="omit the name of the method")
    if model:
        print_fitting(model, parse_loading(model_option or []), as_json=as_json)
        return

    chosen = [get_method(name)] if name else [METHODS[n] for n in sorted(METHODS)]
    if as_json:
        described = [
            dataclasses.asdict(r)
            | {
                "data": r.data.name,
                **{what: getattr(r, what) for what in ("dataset", "paper", "url", "bibtex")},
                # A key of JSON is a string, so each range is listed with what is said of it.
                **{
                    f"other_{what}s": [
                        {"score_range": list(score_range), what: text}
                        for score_range, text in getattr(r, f"other_{what}s").items()
                    ]
                    for what in ("score_name", "interpretation")
                },
            }
            for r in chosen
        ]
        if name:
            described[0]["options"] = [_option_text(o) for o in chosen[0].options().values()]
            described[0]["data_options"] = [_option_text(o) for o in chosen[0].data_choices().values()]
        typer.echo(json.dumps(described, ensure_ascii=False))
        return
    console = new_console()
    if name is None:
        columns: tuple[TableColumn[MethodRecord], ...] = (
            TableColumn("name", lambda r: r.name),
            TableColumn("measures", lambda r: r.title),
            TableColumn("needs", lambda r: " or ".join(r.needs) or "(no model)"),
            TableColumn("range (ideal)", lambda r: f"{range_text(r.score_range)} ({r.ideal:g})", True),
        )
        table = terminal_table(Table(columns, chosen, "Methods"))
        table.box = SIMPLE_HEAD  # leaves room for names in one piece, to be copied, at 80 columns
        table.columns[0].no_wrap = table.columns[-1].no_wrap = True
        table.columns[2].width = 9 if console.width < 100 else None
        console.print(table)
        return
    r = chosen[0]
    console.print(f"[bold]{r.title}[/]\n{escape(r.summary)}\n\n{escape(r.interpretation)}")
    console.print(f"\nscore: {r.score_name}, range {range_text(r.score_range)}, ideal {r.ideal:g}")
    needs = f"a model that {' or '.join(r.needs)}" if r.needs else "no model"
    data = r.dataset or ("a default of this library" if r.needs else "your own")
    if r.data.sample:
        data = f"{r.data.sample}, which is packaged and illustrative. Published: {data}"
    console.print(f"needs: {needs}\ndata: {data} (columns {', '.join(r.columns)})")
    console.print("\nKnow before you quote it:")
    for caveat in r.caveats:
        console.print(f"- {escape(caveat)}")
    console.print("\nChoice of data, with defaults:")
    for option in r.data_choices().values():
        _print_option(console, option)
    console.print("\nOptions, with defaults:")
    for option in r.options().values():
        _print_option(console, option)
    console.print(f"\n{escape(r.paper)}\n{r.url}", highlight=False)


def print_fitting(models: Sequence[str], loading: Mapping[str, Any], *, as_json: bool) -> None:
    """Print which methods fit each model with their default data, what they cost, and why the others do not fit.

    Raises:
        InputError: no model is named.
    """
    if not models:
        raise InputError(
            "run needs --method (see 'evaluate-bias methods') or the config of a grid, such as 'run grid.yaml -o out'"
        )
    from ..models.endpoint.address import SERVED
    from ..report.table import Table, TableColumn

    facts = [_fitting_facts(spec, loading) for spec in models]
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    columns: tuple[TableColumn[dict[str, Any]], ...] = (
        TableColumn("method", _with_options),
        TableColumn("measures", itemgetter("title")),
        TableColumn("data", itemgetter("data")),
        TableColumn("rows", lambda m: f"{m['rows']:,}", True),
        TableColumn("time (a guess)", lambda m: duration(m["seconds"]) if m["seconds"] else "—", True),
    )
    for model in facts:
        fits = model["fits"]
        if fits:
            print_table(Table(columns, fits, f"{counted(len(fits), 'method')} that fit {model['model']}"))
        if model["model"].startswith(SERVED):
            say(
                "'evaluate-bias doctor ADDRESS' says which of these the server allows, 'plan' gives requests and time"
            )
        for reason, names in model["unfit"].items():
            say(f"{', '.join(names)}: {reason}")
    say("next: evaluate-bias run with one of these as --method NAME, or with --method recommended or all")


def _with_options(fit: Mapping[str, Any]) -> str:
    return " ".join([fit["method"], *(f"-O {k}={cli_value(v)}" for k, v in fit["options"].items())])


def _fitting_facts(spec: str, loading: Mapping[str, Any]) -> dict[str, Any]:
    from ..experiments.config import GridConfig, MethodEntry, ModelEntry
    from ..experiments.fitting import estimate, model_classes, needed_options, reasons_against
    from ..experiments.identity import model_spec
    from ..experiments.plan import make_plan
    from ..models.endpoint.address import SERVED
    from ..registry import METHODS

    options = {name: value for name, value in loading.items() if name != "name"}
    unfit: dict[str, list[str]] = {}
    place = model_spec(spec, Path())
    for method, reason in reasons_against(place, options).items():
        unfit.setdefault(reason, []).append(method)
    names = sorted(set(METHODS).difference(*unfit.values()))
    classes = model_classes(place, options)
    needed = {name: dict(needed_options(name, classes)) for name in names}
    methods = [MethodEntry(method=name, options=needed[name], models=[spec]) for name in names]
    plan = make_plan(GridConfig(models=[ModelEntry(model=spec, options=options)], methods=methods))
    for problem in plan.problems:
        unfit.setdefault(problem.reason, []).append(problem.unit.method)
    costs, served = estimate(plan, alone=True), spec.startswith(SERVED)
    fits = [
        {
            "method": unit.method,
            "options": needed[unit.method],
            "title": METHODS[unit.method].title,
            "data": unit.data,
            "rows": plan.work[plan.work_of[unit.key]].rows,
            "seconds": None if served else round(costs[unit.key].seconds, 3),
        }
        for unit in plan.units
    ]
    return {"model": spec, "fits": fits, "unfit": unfit}


def _option_text(option: Option) -> dict[str, Any]:
    return {"name": option.name, "default": option.default, "takes": option.takes, "text": option.text}


def _print_option(console: Console, option: Option) -> None:
    """Print how an option is given, with its default, and below it what it does."""
    from rich.padding import Padding

    from .flags import DATA_FLAGS

    start = f"--{option.name} " if option.name in (*DATA_FLAGS, "seed") else f"-O {option.name}="
    value = "…  (not set)" if option.default is None else cli_value(option.default)
    console.print(f"  [bold]{escape(start + value)}[/]", highlight=False)
    takes = option.takes.removesuffix(" or None").removesuffix(",")
    text = DATA_HELP if option.name == "source" else f"{option.text} Takes {takes}.".strip()
    console.print(Padding(escape(text), (0, 0, 0, 6), expand=False), highlight=False)
