"""The command ``run``. Heavy imports are made inside it."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from ..errors import InputError
from ..progress import SHOWS_PROGRESS
from .methods import complete_method, print_fitting
from .output import DATA_HELP, WRONG_USE, JsonFlag, LoadingOption, ModelsOption, QuietFlag

ConfigArgument = Annotated[
    Path | None,
    typer.Argument(help="Config of a grid, in YAML, instead of --model and --method. See 'plan'."),
]
MethodsOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Method, see 'evaluate-bias methods', or 'recommended': a few to begin with, or 'all': every one that "
        "fits the models. May be repeated.",
        autocompletion=complete_method,
    ),
]
TestsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tests",
        "-t",
        help="For methods on word lists: measure only this test, such as weat7. May be repeated. (Choose sentence "
        "pairs with -O bias_types=gender.)",
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        help=f"{DATA_HELP} The package has minimal_pairs (sentence pairs) and stereoset_style (items with a "
        "context), illustrative."
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        help="With --source: a column that the file calls otherwise, as ours=theirs, such as sent_more=sent1. May be "
        "repeated."
    ),
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-O",
        help="Option of the method, or of its data, as name=value: ddof=0, variant=causal, bias_types=gender. "
        'Several values are a JSON list: \'bias_types=["age", "gender"]\'. METHOD.name=value sets it for one '
        "method. May be repeated. 'evaluate-bias methods NAME' lists the options.",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(min=1, help="Measure only so many rows of the data, for a quick look. The result says so."),
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Number of processes. Each measures one model at a time.")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(min=1, help="With --workers: threads per process (default: all threads, shared out)."),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Folder for the results, created if it does not exist. Without it, the results are only printed.",
    ),
]


def run(
    config: ConfigArgument = None,
    model: ModelsOption = None,
    method: MethodsOption = None,
    *,
    out: OutOption = None,
    tests: TestsOption = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language of the data set, such as en or de.")
    ] = None,
    source: SourceOption = None,
    columns: ColumnsOption = None,
    option: OptionsOption = None,
    model_option: LoadingOption = None,
    device: Annotated[
        str | None,
        typer.Option(help="Device of models that are loaded here, such as cpu, cuda:1, or 1 for the same."),
    ] = None,
    limit: LimitOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed for everything random.")] = 0,
    append: Annotated[bool, typer.Option("--append", help="Add to the results in --out.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results in --out.")] = False,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster to run it on, or 'auto'.")] = None,
    cpus: Annotated[float, typer.Option(help="With --ray: processors per task.")] = 1,
    gpus: Annotated[float, typer.Option(help="With --ray: GPUs per task (may be a fraction).")] = 0,
    memory: Annotated[float | None, typer.Option(help="With --ray: GiB of memory per task.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Make more than 10,000 requests to models.")] = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Measure models and print the results. --out also writes them to results.jsonl.

    Each result is written at once, so an interrupted run keeps its results, and the same command measures only what is
    missing. Before a model is asked, the number of requests and the time are printed. More than 10,000
    requests need --yes. Without --method it shows which methods fit the model. '--method recommended'
    measures a few of these, '--method all' all. Failures are listed at the end, with exit code 3 if others
    were measured. An option applies to every method that supports it, but weat.ddof=0 applies only to weat. With
    --append, several runs may write into one folder at the same time. The latest result of a measurement
    counts.

    A config names models, methods and data of a whole grid, whose results are added to the results in --out even
    without --append. See 'plan' and 'results'.

    Example: 'evaluate-bias run -m glove-6b-50d --method weat -t weat6 -t weat7', or 'evaluate-bias run grid.yaml -o
    out'
    """
    from .flags import RunRequest, parse_loading, parse_options, request_of_flags
    from .measuring import executor_of
    from .measuring import run as run_request

    loading = [*(model_option or []), *([] if device is None else [f"device={device}"])]
    if not (config or method):
        print_fitting(model or [], parse_loading(loading), as_json=as_json)
        raise typer.Exit(WRONG_USE)
    if out is None and (append or overwrite):
        raise InputError("--append and --overwrite are about the results in --out", hint="add --out FOLDER")
    executor = executor_of(workers, threads, ray, cpus, gpus, memory)
    if config is not None:
        if any((model, method, tests, language, source, columns, option, loading, limit, seed)):
            raise InputError(
                "a config names everything to measure: the only other options are --out, --append, --overwrite, "
                "--workers, --threads, --ray, --cpus, --gpus, --memory, --yes, --quiet and --json"
            )
        from ..experiments.config_file import read_config

        request = RunRequest(read_config(config), config)
    else:
        renamed = parse_options(columns, dashes=True) if columns else None
        choice = {"source": source, "columns": renamed, "language": language, "tests": tests}
        request = request_of_flags(
            model or [], method or [], {k: v for k, v in choice.items() if v is not None}, option or [],
            loading=loading, seed=seed, limit=limit,
        )  # fmt: skip
    append = append or (config is not None and not overwrite)
    shows_notes = SHOWS_PROGRESS.set(not quiet)
    try:
        with TemporaryDirectory(prefix="evaluate-bias-") if out is None else nullcontext(str(out)) as folder:
            run_request(
                request, Path(folder), executor,
                keeps=out is not None, append=append, overwrite=overwrite, yes=yes, as_json=as_json,
            )  # fmt: skip
    finally:
        SHOWS_PROGRESS.reset(shows_notes)
