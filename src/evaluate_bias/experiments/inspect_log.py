"""Results of logs that Inspect wrote of our tasks: the replies of a log, read and counted by the method itself."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..api import measure
from ..data.other_tools import is_finished, require_finished
from ..data.table_files import refuse_large_parts, sources_named_by, table_bytes
from ..errors import BiasError, DataError, InputError, UndefinedScoreError, install_extra, quoted
from ..files import is_there, open_regular, short_path
from ..methods.replies import UNASKED
from ..models.chat_template import THINKING_TOKENS
from ..models.classifier import no_classifiers
from ..models.completions import GenerationSettings, Reply
from ..models.source import imported
from ..registry import METHODS, get_method
from ..result import Result, Skipped

LOG_SUFFIX = ".eval"
MOST_ALTERNATIVES = 20
"""First tokens whose log-probabilities most providers give."""


@dataclass
class LoggedModel:
    """A model that answers what a log contains replies to, and skips every other prompt.

    Attributes:
        name: its name.
        replies: by prompt and number of the draw.
        alternatives: how many of the most likely first tokens a reply brings along.
        facts: what identifies the model, next to its name.
        warnings: what a reader of its results must know.
        requests: what it was asked, in order: settings by prompt and number of the draw.
    """

    name: str = "log"
    replies: Mapping[tuple[str, int], Reply] = field(default_factory=dict)
    alternatives: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    requests: dict[tuple[str, int], GenerationSettings] = field(default_factory=dict)
    is_chat_model = True
    reply_tokens = THINKING_TOKENS

    def provenance(self) -> dict[str, Any]:
        """Return its name, and what the log says of it."""
        return {"kind": "log", "name": self.name, **self.facts}

    def reply(
        self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0
    ) -> list[list[Reply] | Skipped]:
        """Return the replies to each prompt: as many of those asked for as there are."""
        out: list[list[Reply] | Skipped] = []
        for prompt in prompts:
            keys = [(prompt, draw) for draw in range(settings.n)]
            self.requests.update((key, settings) for key in keys if key not in self.requests)
            replies = [self.replies[key] for key in keys if key in self.replies]
            out.append(replies or Skipped(prompt, UNASKED))
        return out


def requests_of(method: str, options: Mapping[str, Any]) -> dict[tuple[str, int], GenerationSettings]:
    """Return what a method asks a chat model: settings by prompt and number of the draw, in the order in which it asks.

    Args:
        method: name of a method that asks.
        options: options of :func:`evaluate_bias.measure`, but for those by which it asks.

    Raises:
        BiasError: what the method raises, such as for an option that it does not have.
    """
    model = LoggedModel(alternatives=_alternatives(method))
    try:
        result_of_replies(model, method, options)
    except UndefinedScoreError:  # of no reply
        if not model.requests:
            raise
    return model.requests


def checksums(options: Mapping[str, Any]) -> list[str]:
    """Return the SHA-256 of the files that options name. Reading a log opens only files with the same one.

    Examples:
        >>> checksums({"source": "minimal_pairs", "limit": 6})
        []
    """
    paths = [Path(value) for value in options.values() if isinstance(value, str) and is_there(value)]
    return [hashlib.sha256(table_bytes(path)).hexdigest() for path in paths if path.is_file()]


def result_of_replies(model: LoggedModel, method: str, options: Mapping[str, Any]) -> Result:
    """Return the result of a method that asks, from replies that exist already.

    Raises:
        InputError: an option says how the method asks.
        BiasError: what the method raises.
    """
    record = get_method(method)
    # A log contains the first replies alone.
    asks = {**record.asks, **({"follow_up": False} if "follow_up" in record.options() else {})}
    if fixed := [name for name in options if name in asks]:
        raise InputError(
            f"{method} is asked with `{fixed[0]}` {asks[fixed[0]]!r} here",
            option=fixed[0],
            hint=f"omit `{fixed[0]}`",
        )
    return measure(method, model, **options, **asks)


def result_of_scores(
    scores: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]],
    name: str = "log",
    facts: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
) -> Result:
    """Return the result of the scored samples of a task of ours. A file is opened only if its content is unchanged.

    Args:
        scores: of every sample its metadata and its score's, as :mod:`evaluate_bias.integrations.inspect_tasks`
            writes them.
        name: the model's name.
        facts: what else identifies it.
        warnings: what a reader must know.

    Raises:
        DataError: the list is empty, or a sample is not from such a task.
        BiasError: what the method raises, such as when no reply can be parsed.
    """
    replies, files = dict[tuple[str, int], Reply](), set[str]()
    task: tuple[str, dict[str, Any]] | None = None
    for sample, score in scores:
        try:
            task_of_sample = str(sample["method"]), dict(sample["options"])
            files |= {*map(str, sample.get("files", ()))}
            key, reply = (str(score["prompt"]), int(sample["draw"])), Reply(**score["reply"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"a sample does not belong to a task of evaluate-bias: {error!r} is not as written"
            ) from None
        if task not in (None, task_of_sample):
            raise DataError("its samples are of several tasks")
        if key in replies:
            raise DataError("a reply is in it twice", hint="run the task without epochs")
        task, replies[key] = task_of_sample, reply
    if task is None:
        raise DataError("no sample with a reply")
    record = get_method(task[0])
    if unknown := task[1].keys() - {"limit", *record.options(), *record.data_choices()}:
        raise DataError(
            f"a sample names options that {record.name} does not have: {', '.join(map(quoted, unknown))}"
        )
    model = LoggedModel(name, replies, _alternatives(record.name), facts or {}, warnings)
    with sources_named_by("the log", files):
        return result_of_replies(model, *task)


def _alternatives(method: str) -> int:
    return MOST_ALTERNATIVES if get_method(method).reads_log_probabilities else 0


def read_log(path: str | Path) -> Result:
    """Read the result of a log that Inspect wrote of a task of ours. The data are those that the task names.

    A log may come from somebody else, so no classifier is run for it.

    Raises:
        DataError: it is not such a log, cannot be read, or names data that are not read for it.
        ModelError: Inspect is not installed.
        BiasError: as for :func:`result_of_scores`.
    """
    path, name = Path(path), short_path(Path(path))
    try:
        with open_regular(path) as file, suppress(zipfile.BadZipFile):
            refuse_large_parts(file, name)
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}") from None
    inspect_log = imported(
        "inspect_ai.log", f"logs of Inspect need the inspect_ai package: {install_extra('inspect')}"
    )
    try:
        log = inspect_log.read_eval_log(str(path), exclude_fields={"messages", "events", "store"})
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{name} is not a log of Inspect that can be read: {str(error)[:200]}") from None
    require_finished(sum(map(is_finished, log.samples or ())), log, name)
    method = log.eval.task.rpartition("/")[2]
    is_ours = bool(log.samples) and "method" in log.samples[0].metadata
    if method not in METHODS or not METHODS[method].asks or not is_ours:
        tasks = ", ".join(m.name for m in METHODS.values() if m.asks)
        raise DataError(
            f"{name} is a log of {log.eval.task}, and results are logs of evaluate_bias/NAME, NAME being "
            f"one of {tasks}",
            hint=f"give answers of other tasks as data, with `source` set to {name}",
        )
    facts = {
        "source": f"inspect:{log.eval.model}",
        "date": log.eval.created[:10],
        "versions": dict(log.eval.packages),
    }
    ended = f"the run in Inspect ended with the status {log.status!r}"
    scores = [
        (sample.metadata, sample.scores[method].metadata or {})
        for sample in log.samples or ()
        if sample.scores and method in sample.scores and sample.metadata.get("method") == method
    ]
    try:
        with no_classifiers("a log named it"):
            return result_of_scores(scores, log.eval.model, facts, [ended] if log.status != "success" else [])
    except BiasError as error:
        raise type(error)(f"{name}: {error}") from error
