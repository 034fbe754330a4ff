"""The commands ``run`` and ``methods``; heavy imports are made inside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import range_text
from .flags import (
    DATA_FLAGS,
    DATA_HELP,
    ConfigArgument,
    DataOption,
    LanguageOption,
    LimitOption,
    LoadingOption,
    MethodsOption,
    ModelsOption,
    OptionsOption,
    OutOption,
    RecordFlag,
    TestsOption,
    ThreadsOption,
    WorkersOption,
    asked_for,
)
from .output import JsonFlag, SeedOption, cli_value, escape, new_console, new_table

if TYPE_CHECKING:
    from rich.console import Console

    from ..options import Option


def run(
    config: ConfigArgument = None,
    model: ModelsOption = None,
    method: MethodsOption = None,
    *,
    out: OutOption,
    test: TestsOption = None,
    language: LanguageOption = None,
    data: DataOption = None,
    option: OptionsOption = None,
    model_option: LoadingOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    append: Annotated[bool, typer.Option("--append", help="Add to the results in --out.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results in --out.")] = False,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster to run it on, or 'auto'.")] = None,
    cpus: Annotated[float, typer.Option(help="With --ray: processors per task.")] = 1,
    gpus: Annotated[float, typer.Option(help="With --ray: GPUs per task; may be a fraction.")] = 0,
    memory: Annotated[float | None, typer.Option(help="With --ray: GiB of memory per task.")] = None,
    record_scores: RecordFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Measure models and write results.jsonl.

    Each result is written at once, so an interrupted run keeps its results, and the same command measures only what is
    missing. Every model is measured with every method that fits it. Failures are listed at the end, with exit code 3 if
    others were measured. An option goes to every method that takes it; weat.ddof=0 goes to weat alone. With --append,
    several runs may write into one folder at the same time; the latest result of a measurement counts.

    A config names models, methods and data of a whole grid, whose results are added to those in --out without --append,
    too; see 'plan' and 'results'.

    Example: 'evaluate-bias run -m glove-6b-50d --method weat -t weat6 -t weat7 -o out', or 'evaluate-bias run
    grid.yaml -o out'
    """
    from .measuring import Keeping, executor_of, run_asked, run_config

    executor = executor_of(workers, threads, ray, cpus, gpus, memory)
    if config is None:
        choice = {
            k: v for k, v in {"source": data, "language": language, "tests": test}.items() if v is not None
        }
        asked = asked_for(
            model or [], method or [], choice, option or [],
            loading=model_option or [], seed=seed, limit=limit,
        )  # fmt: skip
        keeping = Keeping(out, append=append, overwrite=overwrite, record=record_scores)
        run_asked(asked, keeping, executor, as_json=as_json)
        return
    if any((model, method, test, language, data, option, model_option, limit, seed)):
        raise InputError(
            "a config names everything to measure: the only options beside it are --out, --append, --overwrite, "
            "--record, --workers, --threads, --ray, --cpus, --gpus, --memory and --json"
        )
    run_config(
        config,
        Keeping(out, append=not overwrite, overwrite=overwrite, record=record_scores),
        executor,
        as_json=as_json,
    )


def methods(
    name: Annotated[
        str | None, typer.Argument(help="Show one method in full, with its options and their defaults.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the methods, or describe one and its options.

    Example: 'evaluate-bias methods weat'
    """
    import dataclasses

    from rich.box import SIMPLE_HEAD

    from ..registry import METHODS, get_method

    chosen = [get_method(name)] if name else [METHODS[n] for n in sorted(METHODS)]
    if as_json:
        described = [dataclasses.asdict(r) | {"data": r.data.name} for r in chosen]
        if name:
            described[0]["options"] = [_described(o) for o in chosen[0].options().values()]
            described[0]["data_options"] = [_described(o) for o in chosen[0].data_choices().values()]
        typer.echo(json.dumps(described, ensure_ascii=False))
        return
    console = new_console()
    if name is None:
        table = new_table("Methods", "name", "measures", "needs", "range (ideal)")
        table.box = SIMPLE_HEAD  # leaves room for names in one piece, to be copied, at 80 columns
        table.columns[0].no_wrap = table.columns[-1].no_wrap = True
        table.columns[2].width = 9 if console.width < 100 else None
        for r in chosen:
            needs = " or ".join(r.needs) or "(no model)"
            table.add_row(r.name, r.title, needs, f"{range_text(r.score_range)} ({r.ideal:g})")
        console.print(table)
        return
    r = chosen[0]
    console.print(f"[bold]{r.title}[/]\n{escape(r.summary)}\n\n{escape(r.interpretation)}")
    console.print(f"\nscore: {r.score_name}, range {range_text(r.score_range)}, ideal {r.ideal:g}")
    needs = f"a model that {' or '.join(r.needs)}" if r.needs else "no model"
    console.print(f"needs: {needs}\ndata: {r.dataset or 'your own'} (columns {', '.join(r.columns)})")
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


def _described(option: Option) -> dict[str, Any]:
    return {"name": option.name, "default": option.default, "takes": option.takes, "text": option.text}


def _print_option(console: Console, option: Option) -> None:
    """Print how an option is given, with its default, and below it what it does."""
    from rich.padding import Padding

    flag = {**DATA_FLAGS, "seed": "--seed"}.get(option.name)
    start = f"-O {option.name}=" if flag is None else f"{flag} "
    value = "…  (not set)" if option.default is None else cli_value(option.default)
    console.print(f"  [bold]{escape(start + value)}[/]", highlight=False)
    takes = option.takes.removesuffix(" or None")
    text = DATA_HELP if option.name == "source" else f"{option.text} Takes {takes}.".strip()
    console.print(Padding(escape(text), (0, 0, 0, 6), expand=False), highlight=False)
