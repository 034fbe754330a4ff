"""The commands ``evaluate-bias data …``. Heavy imports are made inside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from .output import JsonFlag, print_table, say

app = typer.Typer(no_args_is_help=True, help="List and obtain data sets, word vectors and small models.")


@app.command("list")
def data_list(as_json: JsonFlag = False) -> None:
    """List the vectors, models and data sets available by name.

    The packaged word lists are listed too.
    """
    from ..assets import list_assets
    from ..data.recipes import dataset_names, dataset_record
    from ..data.word_lists import languages, test_names
    from ..report.table import table_of

    assets = list_assets()
    recipes = [dataset_record(name) for name in dataset_names()]
    lists = {language: test_names(language) for language in languages()}
    if as_json:
        described = {
            "assets": [{"name": a.name, "description": a.description, "licence": a.licence} for a in assets],
            "datasets": [
                {
                    "name": r.name,
                    "description": r.pretty_name,
                    "configs": [
                        {
                            "name": c.name,
                            "licence": ", ".join(c.licences),
                            "republish": c.publishable,
                            "why_not": c.refusal,
                        }
                        for c in r.configs
                    ],
                }
                for r in recipes
            ],
            "weat_word_lists": lists,
        }
        typer.echo(json.dumps(described, ensure_ascii=False))
        return
    tables = (
        table_of(
            ("name", "what it is", "licence"),
            [(a.name, a.description, a.licence) for a in assets],
            title="Assets, obtained with 'evaluate-bias data get NAME'",
        ),
        table_of(
            ("name", "configuration", "licence", "may be republished"),
            [
                (r.name, c.name, ", ".join(c.licences), "yes" if c.publishable else "no")
                for r in recipes
                for c in r.configs
            ],
            title="Data sets, built with 'evaluate-bias data get NAME'",
        ),
        table_of(
            ("language", "tests"),
            [(language, ", ".join(names)) for language, names in lists.items()],
            title="WEAT word lists, shipped with the package",
        ),
    )
    for table in tables:
        print_table(table)


@app.command("get")
def data_get(
    names: Annotated[list[str], typer.Argument(help="Names from 'evaluate-bias data list'.")],
    source: Annotated[
        Path | None,
        typer.Option(
            help="For data sets: folder with the upstream files, laid out like their repository, for use offline."
        ),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            "--config",
            "-c",
            help="For data sets: only this configuration, such as en. May be repeated. Default: every "
            "configuration that may be republished.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="For one data set: build it in this folder, always again, instead of the cache."),
    ] = None,
    any_version: Annotated[
        bool,
        typer.Option(
            "--any-version", help="With --out: accept files of --source that are not the pinned ones."
        ),
    ] = False,
) -> None:
    """Download, verify and cache assets, and build data sets.

    Example: 'evaluate-bias data get glove-6b-50d minimal_pairs'
    """
    from ..assets import fetch, list_assets
    from ..data.building import build
    from ..data.recipes import dataset_names, dataset_record, get_dataset
    from ..errors import UnknownNameError

    assets, datasets = [a.name for a in list_assets()], dataset_names()
    keys = [name if name in assets else name.strip().lower().replace("-", "_") for name in names]
    for name, key in zip(names, keys, strict=True):  # before the first of them is downloaded
        if key not in assets and key not in datasets:
            raise UnknownNameError("asset or data set", name, [*assets, *datasets])
        if key in assets and (source is not None or config or out):
            raise InputError(
                f"--source, --config and --out belong to data sets ({', '.join(datasets)}), not to {name}"
            )
    if any_version and out is None:
        raise InputError("--any-version is for a data set that is built in a folder", hint="add --out FOLDER")
    if out is not None and len(keys) > 1:
        raise InputError(f"--out is the folder of one data set, got {len(keys)}")
    for key in keys:
        if key in assets:
            path = fetch(key)
        elif out is not None:
            path = build(dataset_record(key), out, configs=config, source=source, verify=not any_version)
        else:
            path = get_dataset(key, configs=config or None, source=source)
        say(f"{key}: {path}")
