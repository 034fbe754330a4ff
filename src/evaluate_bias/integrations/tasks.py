"""Methods as tasks of lm-evaluation-harness, written from their records.

A method fits where lm-eval can ask the model the very question that the method asks, so that the numbers mean the same;
:func:`task_fit` says which do, and why others do not.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import CapabilityError, InputError
from ..files import atomic_write
from ..method_record import MethodRecord
from ..registry import get_method
from ..text import row_place
from .task_files import PAIR, QUESTION, asks_questions, lm_eval_files

_PREFERENCE = {"more": 100.0, "less": 0.0, "neutral": 0.0}


@dataclass(frozen=True, slots=True)
class TaskFit:
    """Whether a method fits lm-eval, and why."""

    fits: bool
    reason: str


def task_fit(method: str) -> TaskFit:
    """Say whether a method can be a task of lm-evaluation-harness.

    Raises:
        UnknownNameError: no such method.

    Examples:
        >>> task_fit("crows_pairs").fits, task_fit("weat").reason
        (True, 'lm-eval compares the likelihoods of texts, and WEAT needs a model that embeds words')
    """
    record = get_method(method)
    short = record.title.rpartition("(")[2].rstrip(")") if record.title.endswith(")") else record.title
    if asks_questions(record):
        return TaskFit(True, "every item is a question with three answers")
    if "scores sequences" not in record.needs:
        needs = f"{short} needs a model that {' or '.join(record.needs)}"
        return TaskFit(False, f"lm-eval compares the likelihoods of texts, and {needs}")
    if _prefers_of_a_pair(record):
        return TaskFit(True, "every item is a pair of sentences of which the likelier one counts")
    return TaskFit(False, f"the score of {short} is not the share of pairs whose first sentence is likelier")


def write_task(
    method: str, folder: str | Path, *, data: Iterable[Mapping[str, Any]] | None = None, **options: Any
) -> list[Path]:
    """Write a method as a task of lm-evaluation-harness, which need not be installed.

    The files are a YAML file, a Python file ``…_utils.py`` and the data. A pair counts 100 where the log-likelihood of
    its more stereotypical sentence, rounded to three decimals, is higher, and 0 else; the score is their mean, ideal 50
    where nothing ties; what the method leaves out (pairs to be excluded or equal) is left out, and counted in
    ``metadata``. A question is answered by the option with the largest mean log-probability of its tokens, which the
    tokenizer of ``--model_args`` or ``--metadata`` counts; the answers are counted by the method itself, so that this
    library must be installed there. What is undefined is NaN, as lm-eval writes it. Run it from the folder: ``lm_eval
    --include_path . --tasks bias_<method> …``.

    Args:
        method: name of a method that fits, see :func:`task_fit`.
        folder: where to write; it is made.
        data: rows in the method's schema; by default its default data set.
        options: data options of the method, such as ``language``.

    Returns:
        The files, the task first.

    Raises:
        UnknownNameError: no such method.
        CapabilityError: the method does not fit; the text says why.
        InputError: no row, or an option together with ``data``.
        OutputError: the files cannot be written.
    """
    record, fit = get_method(method), task_fit(method)
    if not fit.fits:
        raise CapabilityError(f"{record.name} cannot be a task of lm-eval: {fit.reason}")
    if data is not None and options:
        raise InputError(
            "options that choose the default data cannot be combined with data=…; give one or the other"
        )
    columns = QUESTION if asks_questions(record) else PAIR
    items = list(record.load_data(**options) if data is None else data)
    rows = [
        row for i, one in enumerate(items) if (row := _row(record, one, columns, i, len(items))) is not None
    ]
    if not rows:
        raise InputError(f"there is no row to write for {record.name}")
    name = f"bias_{record.name}"
    # The questions of a benchmark repeat their contexts.
    data_file = f"{name}.jsonl" if columns == PAIR else f"{name}.jsonl.gz"
    lines = "".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows)
    content = gzip.compress(lines.encode(), mtime=0) if columns != PAIR else lines
    files: dict[str, str | bytes] = {
        **lm_eval_files(record, name, len(items) - len(rows)),
        data_file: content,
    }
    return [atomic_write(Path(folder) / file, text) for file, text in files.items()]


def _prefers_of_a_pair(record: MethodRecord) -> bool:
    counts = record.units is not None and dict(record.units.outcomes) == _PREFERENCE
    return counts and set(PAIR) <= set(record.columns)


def _row(
    record: MethodRecord, row: Any, columns: tuple[str, ...], place: int, n: int
) -> dict[str, Any] | None:
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
        raise InputError(
            f"{row_place(place, n)} has no {', '.join(missing)}, which the task of {record.name} needs"
        )
    if not all(isinstance(cells[c], str) for c in columns if c != "label"):
        raise InputError(f"{row_place(place, n)} holds ready scores; a task asks a model about sentences")
    columns_kept = [
        c for c, column in record.data.columns.items() if c in columns or column.holds in ("text", "number")
    ]
    return {"id": str(place)} | {
        c: cells[c] for c in columns_kept if isinstance(cells.get(c), (str, int, float)) and cells[c] != ""
    }
