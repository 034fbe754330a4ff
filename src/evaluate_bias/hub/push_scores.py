"""The scores behind a card, sent with it, so that whoever reads the card can verify it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CardError, DataError, InputError
from ..experiments.results_file import RESULTS_FILE, read_file
from ..experiments.unit import latest
from ..files import short_path
from ..report.verify import SCORES_FILE, RecordedRun, read_recording, recording_bytes
from ..result import Result

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def scores_files(
    results: Sequence[Result], scores: str | Path, api: HfApi, model: str, revision: str | None
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files to send, by name, those that are there already left out; and what a person should know.

    Args:
        results: what the card tells of.
        scores: the recording, or the folder that holds it. Of its measurements, only those of the results are sent.
        api: the connection.
        model: Hub id of the model.
        revision: the state that the files are compared with.

    Raises:
        InputError: the recording has no scores of the results.
        DataError: it is not there or cannot be read.
        CardError: a file of that name on the Hub is something else.
    """
    path = Path(scores) / SCORES_FILE if Path(scores).is_dir() else Path(scores)
    runs, last_results = read_recording(path), latest(results)
    measured = _of_results(last_results, runs)
    if not measured:
        raise InputError(
            f"{short_path(path)} has no scores of these results: measure them with 'evaluate-bias run --record'"
        )
    without = [r.method for r in last_results if r not in [run.result for run in measured]]
    notes = (
        [f"no scores were recorded of {', '.join(without)[:300]}: these cannot be verified"]
        if without
        else []
    )
    files = {
        RESULTS_FILE: "".join(f"{r.to_json()}\n" for r in last_results).encode(),
        SCORES_FILE: recording_bytes(measured),
    }
    return {
        n: content for n, content in files.items() if _content_on_hub(api, model, n, revision) != content
    }, notes


def outdated_scores(results: Sequence[Result], api: HfApi, model: str, revision: str | None) -> list[str]:
    """Return the names of the files of an earlier recording beside the card, by which these results would be judged."""
    path = downloaded(api, model, SCORES_FILE, revision)
    if path is None:
        return []
    try:
        runs = read_recording(path)
    except DataError:  # somebody else's file of this name, or one of a newer version
        return []
    last_results = latest(results)
    if len(_of_results(last_results, runs)) == len(last_results):
        return []
    return [SCORES_FILE, *([RESULTS_FILE] if api.file_exists(model, RESULTS_FILE, revision=revision) else [])]


def _of_results(results: Sequence[Result], runs: Sequence[RecordedRun]) -> list[RecordedRun]:
    """The runs of these results, in their order."""
    matching = (next((run for run in runs if run.result == result), None) for result in results)
    return [run for run in matching if run is not None]


def downloaded(api: HfApi, model: str, name: str, revision: str | None) -> Path | None:
    """Return a copy of a file of a model's repository, ``None`` where there is none."""
    if not api.file_exists(model, name, revision=revision):
        return None
    return Path(api.hf_hub_download(model, name, revision=revision))


def _content_on_hub(api: HfApi, model: str, name: str, revision: str | None) -> bytes | None:
    """The content of a file on the Hub that this library wrote."""
    path = downloaded(api, model, name, revision)
    if path is None:
        return None
    try:
        (read_recording if name == SCORES_FILE else read_file)(path)
    except DataError as error:
        raise CardError(
            f"{model} has a {name} that evaluate-bias did not write, and it would be lost: move it away ({error})"
        ) from error
    return path.read_bytes()
