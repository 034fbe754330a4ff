"""Methods as tasks of other evaluation frameworks, written from their records: lm-evaluation-harness and Inspect.

A method fits where the framework can ask the model the very question that the method asks, so that the numbers mean the
same; :func:`task_fit` says which do, and why others do not.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..api import measure
from ..errors import CapabilityError, InputError, UndefinedScoreError
from ..files import atomic_write
from ..method import MethodRecord
from ..registry import get_method
from .task_files import PAIR, QUESTION, asking_task, asks_questions, inspect_files, lm_eval_files

Framework = Literal["lm-eval", "inspect"]

_PREFERENCE = {"more": 100.0, "less": 0.0, "neutral": 0.0}


@dataclass(frozen=True, slots=True)
class TaskFit:
    """Whether a method fits a framework, and why."""

    fits: bool
    reason: str


def task_fit(method: str, framework: Framework) -> TaskFit:
    """Say whether a method can be a task of a framework.

    Raises:
        UnknownNameError: no such method.
        InputError: no such framework.

    Examples:
        >>> task_fit("crows_pairs", "lm-eval").fits, task_fit("weat", "lm-eval").reason
        (True, 'lm-eval compares the likelihoods of texts, and WEAT needs a model that embeds words')
    """
    record = get_method(method)
    _writer(framework)
    short = record.title.rpartition("(")[2].rstrip(")") if record.title.endswith(")") else record.title
    needs = f"{short} needs a model that {' or '.join(record.needs)}"
    if asks_questions(record):
        return TaskFit(True, "every item is a question with three answers")
    if framework == "inspect":
        return TaskFit(False, f"Inspect reads what a model writes, and {needs}")
    if "scores sequences" not in record.needs:
        return TaskFit(False, f"lm-eval compares the likelihoods of texts, and {needs}")
    if _prefers_of_a_pair(record):
        return TaskFit(True, "every item is a pair of sentences of which the likelier one counts")
    return TaskFit(False, f"the score of {short} is not the share of pairs whose first sentence is likelier")


def write_task(
    method: str,
    framework: Framework,
    folder: str | Path,
    *,
    data: Iterable[Mapping[str, Any]] | None = None,
    **options: Any,
) -> list[Path]:
    """Write a method as a task of a framework; nothing of the framework needs to be installed.

    For lm-evaluation-harness: a YAML file, a Python file ``…_utils.py`` and the data. A pair counts 100 where the
    log-likelihood of its more stereotypical sentence, rounded to three decimals, is higher, and 0 else; the score is
    their mean, ideal 50 where nothing ties; what the method leaves out (pairs to be excluded or equal) is left out, and
    counted in ``metadata``. A question is answered by the option with the largest mean log-probability of its tokens,
    which the tokenizer of ``--model_args`` or ``--metadata`` counts. Run it from the folder: ``lm_eval --include_path .
    --tasks bias_<method> …``. For Inspect: a Python file and the data, a multiple-choice question an item: ``inspect
    eval bias_<method>.py --model …``. Answers to questions are counted by the method itself in either, so that this
    library must be installed there; what is undefined is NaN, as the frameworks write it.

    Args:
        method: name of a method that fits, see :func:`task_fit`.
        framework: ``"lm-eval"`` or ``"inspect"``.
        folder: where to write; it is made.
        data: rows in the method's schema; by default its default data set.
        options: data options of the method, such as ``language``; for Inspect also the option by which the method asks
            a chat model, such as ``variant="choice"``: then every question is a sample, in every wording and with its
            options in every order, and the method itself reads the replies.

    Returns:
        The files, the task first.

    Raises:
        UnknownNameError: no such method.
        CapabilityError: the method does not fit the framework; the text says why.
        InputError: no such framework, no row, or an option together with ``data``.
        OutputError: the files cannot be written.
    """
    record, write = get_method(method), _writer(framework)
    if asked := {name: options.pop(name) for name in list(options) if name in record.asks}:
        return _write_questions(record, framework, Path(folder), data, options, asked)
    fit = task_fit(method, framework)
    if not fit.fits:
        raise CapabilityError(f"{record.name} cannot be a task of {framework}: {fit.reason}")
    if data is not None and options:
        raise InputError(
            "options that choose the default data cannot be combined with data=…; give one or the other"
        )
    columns = QUESTION if asks_questions(record) else PAIR
    items = list(record.load_data(**options) if data is None else data)
    rows = [row for i, one in enumerate(items) if (row := _row(record, one, columns, i)) is not None]
    if not rows:
        raise InputError(f"there is no row to write for {record.name}")
    name = f"bias_{record.name}"
    files = write(record, name, len(items) - len(rows))
    # The questions of a benchmark repeat their contexts.
    data_file = f"{name}.jsonl" if columns == PAIR else f"{name}.jsonl.gz"
    return _written(Path(folder), files | {data_file: rows})


def _written(folder: Path, files: Mapping[str, str | list[dict[str, Any]]]) -> list[Path]:
    """Write texts as they are, and rows as JSON lines, compressed where the file's name says so."""

    def written(name: str, content: str | list[dict[str, Any]]) -> str | bytes:
        if isinstance(content, str):
            return content
        text = "".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in content)
        return gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text

    return [atomic_write(folder / name, written(name, content)) for name, content in files.items()]


def _write_questions(
    record: MethodRecord,
    framework: str,
    folder: Path,
    data: Iterable[Mapping[str, Any]] | None,
    options: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> list[Path]:
    """Write what the method asks a chat model as a task of Inspect; the method is asked itself for its questions.

    Raises:
        CapabilityError: another framework, or not the way in which the method asks.
        UndefinedScoreError: there is no question.
    """
    if framework != "inspect" or asked != record.asks:
        ways = ", ".join(f"{name}={value!r}" for name, value in record.asks.items())
        raise CapabilityError(f"{record.name} asks a model only as a task of inspect, with {ways}")
    given = record.load_data(**options) if data is None else data
    rows = [dict(r) if isinstance(r, Mapping) else r.model_dump(exclude_none=True) for r in given]
    questions: dict[str, None] = {}

    def listen(prompts: list[str]) -> list[str]:
        questions.update(dict.fromkeys(prompts))
        return [""] * len(prompts)

    try:
        measure(record.name, listen, data=rows, **asked)
    except UndefinedScoreError:  # of no reply; the questions are known
        if not questions:
            raise
    name = f"bias_{record.name}_{'_'.join(map(str, asked.values()))}"
    samples = [{"id": str(i), "question": question} for i, question in enumerate(questions)]
    task = asking_task(record, name, asked)
    return _written(folder, {f"{name}.py": task, f"{name}.jsonl": samples, f"{name}_rows.jsonl": rows})


def _prefers_of_a_pair(record: MethodRecord) -> bool:
    counts = record.units is not None and dict(record.units.outcomes) == _PREFERENCE
    return counts and set(PAIR) <= set(record.columns)


def _writer(framework: str) -> Callable[[MethodRecord, str, int], dict[str, str]]:
    writers = {"lm-eval": lm_eval_files, "inspect": inspect_files}
    if framework not in writers:
        raise InputError(f"framework must be one of {', '.join(writers)}")
    return writers[framework]


def _row(record: MethodRecord, row: Any, columns: tuple[str, ...], place: int) -> dict[str, Any] | None:
    """The columns that the task needs and what the row is about; nothing for a row that the method leaves out."""
    cells = (
        row
        if isinstance(row, Mapping)
        else {c: getattr(row, c) for c in record.data.columns if hasattr(row, c)}
    )
    if str(cells.get("exclude") or "").lower() == "true" or (
        columns == PAIR and cells.get(PAIR[0]) == cells.get(PAIR[1])
    ):
        return None
    if missing := [c for c in columns if cells.get(c) in (None, "")]:
        raise InputError(f"row {place} has no {', '.join(missing)}, which the task of {record.name} needs")
    if not all(isinstance(cells[c], str) for c in columns if c != "label"):
        raise InputError(f"row {place} holds ready scores; a task asks a model about sentences")
    kept = [
        c for c, column in record.data.columns.items() if c in columns or column.holds in ("text", "number")
    ]
    return {"id": str(place)} | {
        c: cells[c] for c in kept if isinstance(cells.get(c), (str, int, float)) and cells[c] != ""
    }
