"""Results as a data set repository on the Hub: tables in Parquet, the complete results, and a card."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.building import licence_files
from ..data.dataset_record import Config
from ..data.recipes import record_of
from ..errors import InputError
from ..experiments.sources import RESULTS_FILE, write_results
from ..files import atomic_write
from ..report.escape import markdown
from ..report.lines import model_name
from ..report.reading import Reading, read_all
from ..report.row_tables import item_table, summary_frame, to_markdown
from ..report.write import summary
from ..result import Result, arrow_table
from .client import check_organisation, find_token
from .publish import Folder, RepoPlan, carry_out, make_plan

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def push_results(
    results: Sequence[Result],
    repo_id: str,
    *,
    private: bool = False,
    create_pr: bool = False,
    dry_run: bool = False,
    token: str | None = None,
    licence: str = "",
) -> RepoPlan:
    """Push results to the Hub as a data set, in one commit, and only when something changed.

    The repository gets ``data/scores.parquet`` (one line per test or group), ``data/items.parquet`` if there
    are items, a card, and ``results.jsonl`` with everything, which
    :func:`evaluate_bias.experiments.sources.read_results` reads back.

    Args:
        results: results of any methods and models, at least one.
        repo_id: ``"organisation/name"``. The repository is created if it does not exist.
        private: whether a new repository is private.
        create_pr: open a pull request instead of committing to a repository that exists.
        dry_run: only compare with what is there.
        token: Hub token, by default the token of the Hub's own login.
        licence: licence of the results as the Hub writes it, such as ``"cc-by-4.0"``. The licences of the
            data whose items they quote are named next to it, in the card, ``LICENSE`` and ``NOTICE``.

    Returns:
        What was done: the plan, the commit and its address.

    Raises:
        InputError: no result was given, or ``repo_id`` is not a Hub id.
        HubError: not logged in, no right to write, the Hub unreachable, or the repository changed meanwhile.
    """
    organisation, _, name = repo_id.partition("/")
    for part in (organisation, name):
        check_organisation(part)
    token = find_token(token)
    with tempfile.TemporaryDirectory(prefix="evaluate-bias-results-") as folder:
        results_folder(results, folder, licence)
        plans = make_plan([Folder("dataset", repo_id, Path(folder))], token=token, create_pr=create_pr)
        if not dry_run:
            plans = carry_out(plans, token=token, private=private, create_pr=create_pr)
        return plans[0]


def results_folder(results: Sequence[Result], folder: str | Path, licence: str = "") -> list[Path]:
    """Write the files of :func:`push_results` to a folder. ``datasets.load_dataset(folder, "scores")`` reads them.

    Raises:
        InputError: no result was given.
        OutputError: the folder cannot be written.
    """
    if not results:
        raise InputError("no result to push")
    folder = Path(folder)
    readings = read_all(results)
    tables = {"scores": summary_frame(readings)}
    if (items := _items(results)) is not None:
        tables["items"] = items
    written = [
        atomic_write(folder / "data" / f"{name}.parquet", _parquet(frame)) for name, frame in tables.items()
    ]
    write_results(results, folder / RESULTS_FILE)
    # Configurations of the known data sets that results with items were measured on, named after the data set.
    config_of_name: dict[str, Config] = {}
    for result in results:
        data = result.provenance.get("dataset") or {}
        record = record_of(data)
        if record is None or item_table(result) is None:
            continue
        part = data.get("config") or data.get("language")
        for config in [c for c in record.configs if c.name == part] or record.select(None) or record.configs:
            name = f"{record.title} ({config.name})"
            config_of_name[name] = replace(config, name=name)
    quoted = list(config_of_name.values())
    licences = sorted({*filter(None, [licence]), *(text for config in quoted for text in config.licences)})
    sizes = {name: len(frame) for name, frame in tables.items()}
    card = atomic_write(folder / "README.md", _card(readings, sizes, licences, bool(quoted)))
    terms = licence_files("Data that the items quote", quoted) if quoted else {}
    licence_paths = [atomic_write(folder / name, text) for name, text in terms.items()]
    return [card, *licence_paths, *written, folder / RESULTS_FILE]


def _items(results: Sequence[Result]) -> Any:
    """Return the items of all results in one frame, with method and model, or nothing without items."""
    import pandas as pd

    frames = []
    for i, result in enumerate(results):
        if (table := item_table(result)) is None:
            continue
        frame = pd.DataFrame(list(table.rows), columns=table.titles)
        identity: list[tuple[str, Any]] = [
            ("result", i),
            ("method", result.method),
            ("model", model_name(result)),
        ]
        for at, (name, value) in enumerate(identity):
            if name in frame:  # the item's own, under another name
                frame = frame.rename(columns={name: f"item_{name}"})
            frame.insert(at, name, value)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else None


def _parquet(frame: Any) -> bytes:
    import io

    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(arrow_table(frame).replace_schema_metadata(None), out)
    return out.getvalue()


def _card(readings: Sequence[Reading], sizes: dict[str, int], licences: Sequence[str], quotes: bool) -> str:
    import yaml

    texts = summary(readings)
    methods = list(dict.fromkeys(r.result.method for r in readings))
    largest = max(sizes.values())
    configs: list[dict[str, Any]] = [
        {"config_name": name, "data_files": [{"split": "train", "path": f"data/{name}.parquet"}]}
        for name in sizes
    ]
    configs[0]["default"] = True
    facts = {
        "pretty_name": "Measured social bias",
        **({"license": licences[0] if len(licences) == 1 else list(licences)} if licences else {}),
        "tags": ["evaluate-bias", "social-bias", *methods],
        "size_categories": [next((text for most, text in _SIZES if largest < most), "1M<n<10M")],
        "configs": configs,
    }
    front = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True)
    return "\n\n".join(
        [
            f"---\n{front}---",
            f"# {markdown(texts['title'])}",
            markdown(texts["lead"]),
            texts["findings"],
            texts["note"],
            "`scores` has one line per test or group, `items` what single items contributed. `results.jsonl` holds the "
            "results whole, with settings, provenance and what was left out.",
            *(["Items quote data of others: `NOTICE` names their licences."] if quotes else []),
            to_markdown(readings),
        ]
    )
