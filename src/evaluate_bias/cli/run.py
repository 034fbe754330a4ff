"""The commands ``run`` and ``methods``; heavy imports are made inside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import range_text
from .flags import DATA_FLAGS, asked_for
from .output import JsonFlag, SeedOption, cli_value, escape, new_console, new_table

if TYPE_CHECKING:
    from rich.console import Console

    from ..options import Option

DATA_HELP = (
    "Data in place of the method's default: your own file (CSV, TSV, JSONL, JSON, YAML or Parquet, see 'Your own "
    "data' in the documentation), a folder, a Hub data set id, or a name from 'evaluate-bias data list'. The package "
    "includes minimal_pairs (sentence pairs) and stereoset_style (items with a context), both illustrative."
)


def register(app: typer.Typer) -> None:
    """Add the commands of this file to the command line."""
    app.command()(run)
    app.command()(methods)


def run(
    config: Annotated[
        Path | None,
        typer.Argument(help="Config of a grid, in YAML, in place of --model and --method; see 'plan'."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="Model to measure: a Hub id, a folder, a word-vector or GGUF file, a named asset "
            "(see 'evaluate-bias data list'), or corpus:PATH for texts. May be repeated. Leave it out if the data "
            "are predictions, answers or scores.",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="Method, see 'evaluate-bias methods'. May be repeated."),
    ] = None,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Folder for the results; created if it does not exist.",
        ),
    ],
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test",
            "-t",
            help="For methods on word lists: measure only this test, such as weat7. May be repeated. (Choose sentence "
            "pairs with -O bias_types=gender.)",
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language of the data set, such as en or de.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help=DATA_HELP,
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-O",
            help="Option of the method, or of its data, as name=value: ddof=0, variant=causal, bias_types=gender. "
            'Several values are a JSON list: \'bias_types=["age", "gender"]\'. METHOD.name=value sets it for one '
            "method. May be repeated. 'evaluate-bias methods NAME' lists the options.",
        ),
    ] = None,
    model_option: Annotated[
        list[str] | None,
        typer.Option(
            "--model-option",
            help="Option of loading the model as name=value, such as case=lower. May be repeated.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Measure only the first rows of the data, for a quick look; the result says so."
        ),
    ] = None,
    seed: SeedOption = 0,
    append: Annotated[
        bool,
        typer.Option("--append", help="Add to the results in --out."),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results in --out.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes; each measures one model at a time."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="With --workers: threads per process; default: all threads, shared out."),
    ] = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster to run it on, or 'auto'.")] = None,
    cpus: Annotated[float, typer.Option(help="With --ray: processors per task.")] = 1,
    gpus: Annotated[float, typer.Option(help="With --ray: GPUs per task; may be a fraction.")] = 0,
    memory: Annotated[float | None, typer.Option(help="With --ray: GiB of memory per task.")] = None,
    record_scores: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Also write scores.parquet, so that 'evaluate-bias verify' can recompute every number.",
        ),
    ] = False,
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
