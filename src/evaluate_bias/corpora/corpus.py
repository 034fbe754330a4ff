"""A corpus: texts whose words and neighbourhoods can be counted."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..assets import CATALOGUE, fetch
from ..errors import DataError, InputError, MeasurementError, quoted
from ..files import atomic_write, read_text
from ..options import Count, checked_options, options_of
from .counts import Cooccurrences, Counter
from .tokens import Accents, Case, WordFinder, fold, simple_words

BATCH = 1 << 22
"""Bytes, or characters, of a batch. A longer line is cut at whitespace, so that it needs no more memory than others."""

Tokenizer = Callable[[str], Sequence[str]]
_CHECKPOINT_BATCHES = 16
CORPUS = "corpus:"
"""The prefix of a corpus among the names of models."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w-]*/[A-Za-z0-9][\w.-]*(?<!\.txt)(:[\w.-]+)?")


class Corpus:
    """Texts that are read in one pass, never held in memory.

    Args:
        source: a text file (a line is a text), a folder of ``.txt`` files, a list or iterable of texts, or a data set
            of the ``datasets`` library (also a streamed one).
        column: the column of a data set, or of rows, that contains the text.
        tokenizer: function from a text to its words, by default runs of letters, digits and underscores.
        case: ``"lower"`` or ``"as_is"``, applied to texts and word lists.
        accents: ``"keep"`` or ``"strip"``, applied to texts and word lists.
        num_proc: number of processes. Counts do not depend on it.
        executor: what counts instead of processes here, ``num_proc`` batches at a time: an executor of
            ``concurrent.futures``, such as :class:`evaluate_bias.integrations.ray.RayExecutor` for more than one
            machine. The texts are read here and sent to it. It is left open.
        checkpoint: a file that keeps what was counted so far, so that a pass which was stopped goes on from there.
        name: name for tables, by default the file's.

    Raises:
        DataError: the source does not exist or is not a text.
        InputError: an option is out of range.

    Examples:
        >>> corpus = Corpus(["The nurse said she was tired.", "He met the nurse."])
        >>> counts = corpus.cooccurrences({"female": ["she"], "male": ["he"]}, ["nurse"], window=3)
        >>> counts.joint.tolist(), counts.context.tolist()
        ([[1], [1]], [5, 3])
    """

    label = "a text corpus"  # what a kind of model says of itself
    kind = ""
    asset_kind = "text"

    def __init__(
        self,
        source: Any,
        *,
        column: str = "text",
        tokenizer: Tokenizer | None = None,
        case: Case = "lower",
        accents: Accents = "keep",
        num_proc: Count = 1,
        executor: Executor | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        name: str = "",
    ) -> None:
        options = {"case": case, "accents": accents, "num_proc": num_proc}
        checked_options(options, options_of(Corpus.__init__, options), "a corpus")
        if executor is not None and not isinstance(executor, Executor):
            raise InputError(
                f"`executor` must be an executor of concurrent.futures, got {type(executor).__name__}",
                option="executor",
            )
        self._executor = executor
        self._files: list[Path] | None = None
        if isinstance(source, (str, os.PathLike)):
            self._files = files_of(Path(source))
            name = name or Path(source).name
        elif isinstance(source, Mapping) or not isinstance(source, Iterable):
            raise InputError(
                "a corpus must be a text file, a folder, a list of texts or a data set, got "
                f"{type(source).__name__}",
                option="source",
            )
        self._source, self._column, self._tokenizer = source, column, tokenizer
        self._case, self._accents, self._num_proc = case, accents, num_proc
        self._checkpoint = None if checkpoint is None else Path(checkpoint)
        self.name = name or getattr(getattr(source, "info", None), "dataset_name", None) or "corpus"

    def __repr__(self) -> str:
        files = "" if self._files is None else f", {len(self._files)} file{'s' * (len(self._files) != 1)}"
        return f"<Corpus {quoted(self.name)}{files}>"

    def provenance(self) -> Mapping[str, Any]:
        """Return facts that identify the texts: files with their size, or the data set and its fingerprint."""
        facts: dict[str, Any] = {"kind": "corpus", "name": self.name}
        if self._files is not None:
            facts |= {"files": len(self._files), "bytes": sum(f.stat().st_size for f in self._files)}
        elif fingerprint := getattr(self._source, "_fingerprint", None):
            facts |= {"fingerprint": fingerprint, "column": self._column}
        return facts

    def resolve(self, words: Sequence[str]) -> list[str]:
        """Return each word as it is counted, by the policies for case and accents."""
        return [fold(word, self._case, self._accents) for word in words]

    def cooccurrences(
        self,
        groups: Mapping[str, Sequence[str]],
        words: Sequence[str],
        *,
        window: int | None = 10,
        sets: Sequence[Sequence[str]] | None = None,
    ) -> Cooccurrences:
        """Count how often words appear in the context of the seeds of each group, in one pass.

        Args:
            groups: seed words by group.
            words: the words to count.
            window: number of words on either side of a seed, within its text. ``None`` for the sentence
                around it.
            sets: sets of these words. If given, with ``window=None``, sentences are counted instead of words: sentences
                with a seed of a group and a word, or any word of a set, each once.

        Raises:
            DataError: the texts contain something that is not a text, or no word at all.
            InputError: a seed is in two groups, or an item contains no word.
        """
        split: Any = partial(simple_words, case=self._case, accents=self._accents)
        finder: Any = partial(WordFinder, case=self._case, accents=self._accents)
        if self._tokenizer is not None:
            split, finder = partial(_with_tokenizer, self._tokenizer, self._case, self._accents), None
        counter = Counter(groups, words, window, split, finder, sets)
        start = self._resumed(counter)
        for number, end in enumerate(self._counted(counter, start), 1):
            if self._checkpoint is not None and number % _CHECKPOINT_BATCHES == 0:
                self._keep(counter, end)
        if not counter.n_words:
            raise DataError(f"{self.name} contains no word: a corpus needs text")
        if self._checkpoint is not None:
            self._checkpoint.unlink(missing_ok=True)
        return counter.result()

    def _counted(self, counter: Counter, start: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Count batch after batch, in their order. After each, yield where reading goes on."""
        if self._executor is not None:
            yield from self._counted_by(self._executor, counter, start)
            return
        if self._num_proc == 1:
            for batch in self._batches(start):
                _add(counter, batch.content)
                yield batch.end
            return
        try:
            pickle.dumps(counter)
        except Exception as error:
            raise InputError(
                "the tokenizer cannot be sent to other processes",
                option="tokenizer",
                hint="define it with def at the top of a module, or set `num_proc` to 1",
            ) from error
        with ProcessPoolExecutor(self._num_proc) as pool:
            yield from self._counted_by(pool, counter, start)

    def _counted_by(
        self, pool: Executor, counter: Counter, start: tuple[int, int]
    ) -> Iterator[tuple[int, int]]:
        blank = counter.emptied()
        waiting: deque[tuple[tuple[int, int], Future[Counter]]] = deque()
        try:
            for batch in self._batches(start):
                waiting.append((batch.end, pool.submit(_count, blank, batch.content)))
                # Reading is faster than counting: what waits is bounded, so that memory is.
                if len(waiting) > 2 * self._num_proc:
                    yield _merge_next(counter, waiting)
            while waiting:
                yield _merge_next(counter, waiting)
        except BrokenExecutor as error:
            raise MeasurementError(
                f"a process that counted {self.name} was killed, perhaps because memory ran out"
            ) from error
        finally:
            for _, future in waiting:
                future.cancel()

    def _batches(self, start: tuple[int, int]) -> Iterator[Batch]:
        if self._files is not None:
            return read_files(self._files, start)
        return read_rows(self._source, self._column, start[0])

    def _key(self, counter: Counter) -> str:
        counted = [dict(counter.groups), list(counter.words), counter.window, counter.sets]
        setup = [
            self._case,
            self._accents,
            self._column,
            dict(self.provenance()),
            self._tokenizer is not None,
        ]
        facts = [*counted, *setup]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def _keep(self, counter: Counter, end: tuple[int, int]) -> None:
        state = {"key": self._key(counter), "end": end, **counter.state()}
        assert self._checkpoint is not None
        atomic_write(self._checkpoint, json.dumps(state))

    def _resumed(self, counter: Counter) -> tuple[int, int]:
        """Restore what an earlier pass over the same texts and words has counted. Return where to go on."""
        if self._checkpoint is None or not self._checkpoint.exists():
            return 0, 0
        try:
            state = json.loads(read_text(self._checkpoint))
            is_same = state["key"] == self._key(counter)
            place = (int(state["end"][0]), int(state["end"][1]))
            if is_same:
                counter.restore(state)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(
                f"{self._checkpoint} is not a checkpoint of a corpus", hint="remove it to start again"
            ) from error
        if not is_same:
            raise DataError(
                f"{self._checkpoint} belongs to other texts, words or settings",
                hint="name another file, or remove it",
            )
        return place


def _add(counter: Counter, content: list[str] | bytes) -> None:
    texts, invalid = decoded(content)
    counter.add(texts)
    counter.n_invalid += invalid


def _count(blank: Counter, content: list[str] | bytes) -> Counter:
    # Others count with the same blank, and what Ray hands over cannot be written to.
    counter = blank.emptied()
    _add(counter, content)
    return counter


def _merge_next(counter: Counter, waiting: deque[tuple[tuple[int, int], Future[Counter]]]) -> tuple[int, int]:
    end, counted = waiting.popleft()
    counter.merge(counted.result())
    return end


def _with_tokenizer(tokenizer: Tokenizer, case: Case, accents: Accents, text: str) -> Sequence[str]:
    words = tokenizer(fold(text, case, accents))
    if isinstance(words, (str, bytes)) or not isinstance(words, Sequence):
        raise InputError(
            f"`tokenizer` must return a list of words, got {type(words).__name__}", option="tokenizer"
        )
    return words


def load_corpus(source: Any, **options: Any) -> Corpus:
    """Return a corpus of any source. See :class:`Corpus` for sources and options.

    Args:
        source: what :class:`Corpus` accepts. It may also be the name of an asset of texts, see
            ``evaluate_bias.assets.list_assets()``, or the Hub id of a data set, ``"owner/name"`` or
            ``"owner/name:configuration"``, whose training split is streamed.
        options: options of :class:`Corpus`.

    Raises:
        DataError: the source does not exist or is not a text.
        InputError: an option is out of range, or given with a corpus, or the name is empty.
        AssetError: a named asset cannot be fetched.

    Examples:
        >>> load_corpus(["She met the nurse."], name="toy").name
        'toy'
    """
    if isinstance(source, Corpus):
        if options:
            raise InputError(
                f"{source.name} is a corpus already; {', '.join(sorted(options))} cannot change it"
            )
        return source
    unknown = sorted(options.keys() - inspect.signature(Corpus).parameters.keys())
    if unknown:
        raise InputError(f"load_corpus has no option {quoted(unknown[0])}", option=str(unknown[0]))
    if isinstance(source, str) and not source.strip():
        raise InputError(
            f"{source!r} names no corpus, and would read whatever lies in the working directory",
            option="source",
            hint="give a text file, a folder, or a name",
        )
    if isinstance(source, str) and source in CATALOGUE:
        asset = CATALOGUE[source]
        if asset.kind != "text":
            raise DataError(f"{source} is {asset.kind}, not texts")
        options = {"name": source, **options}
        source = fetch(asset)
    elif isinstance(source, str) and _HUB_ID.fullmatch(source) and not Path(source).exists():
        options = {"name": source, **options}
        source = _from_hub(source)
    return Corpus(source, **options)


def _from_hub(name: str) -> Any:
    import datasets

    repo, _, configuration = name.partition(":")
    try:
        return datasets.load_dataset(repo, configuration or None, split="train", streaming=True)
    except Exception as error:
        raise DataError(
            f"{name} is not a file or folder here, and as a data set of the Hub it cannot be read: "
            f"{str(error)[:300]} ({type(error).__name__})"
        ) from error


@dataclass(frozen=True, slots=True)
class Batch:
    """Some texts.

    Attributes:
        content: the texts, or lines of UTF-8.
        end: where reading goes on: the number of the file and the byte, or of the row and 0.
    """

    content: list[str] | bytes
    end: tuple[int, int]


def decoded(content: list[str] | bytes) -> tuple[list[str], int]:
    """Return the texts of a batch, and the number of bytes that were no valid UTF-8 and read as U+FFFD."""
    if isinstance(content, list):
        return content, 0
    try:
        text, invalid = content.decode("utf-8"), 0
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        invalid = text.count("\ufffd") - content.count("\ufffd".encode())
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1], invalid


def files_of(path: Path) -> list[Path]:
    """Return the text files of a path, sorted: the file itself, or all ``.txt`` files in a folder and its subfolders.

    Raises:
        DataError: no such file exists, or a path is not a regular file.
    """
    if not os.path.exists(path):  # noqa: PTH110 (a name that is too long does not exist either)
        raise DataError(
            f"{quoted(str(path))} does not exist", hint="give a text file, a folder of .txt files, or texts"
        )
    files = sorted(p for p in path.rglob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path} contains no .txt file", hint="give a text file, or a folder of .txt files")
    for file in files:
        if not stat.S_ISREG(file.stat().st_mode):
            raise DataError(f"{file} is not a regular file, so it cannot be read as text")
    return files


def read_files(files: Sequence[Path], start: tuple[int, int] = (0, 0)) -> Iterator[Batch]:
    """Read text files from a position on, one text per line. Long lines are cut at a space.

    Raises:
        DataError: a file contains a NUL byte, so it is not text.
    """
    for number in range(start[0], len(files)):
        at = start[1] if number == start[0] else 0
        with files[number].open("rb") as stream:
            stream.seek(at)
            rest = b""
            # A batch depends on its first byte alone: a pass that goes on there cuts long lines at the same places.
            while block := stream.read(BATCH - len(rest)):
                if b"\0" in block:
                    raise DataError(
                        f"{files[number]} is not text: it contains a NUL byte",
                        hint="give UTF-8 text (iconv converts UTF-16)",
                    )
                block = rest + block
                cut = block.rfind(b"\n") + 1
                if not cut and len(block) == BATCH:
                    cut = max(block.rfind(b" "), block.rfind(b"\t")) + 1 or _find_character_end(block)
                block, rest = block[:cut], block[cut:]
                at += len(block)
                if block:
                    yield Batch(block, (number, at))
            if rest:
                yield Batch(rest, (number, at + len(rest)))
        yield Batch([], (number + 1, 0))


def _find_character_end(block: bytes) -> int:
    """Return the end of the last whole character of UTF-8."""
    end = len(block)
    while end and block[end - 1] & 0xC0 == 0x80:
        end -= 1
    return end - 1 if end and block[end - 1] >= 0xC0 else len(block)


def read_rows(rows: Iterable[Any], column: str, start: int = 0) -> Iterator[Batch]:
    """Read texts, or rows with a text in ``column``, from a row on.

    Raises:
        DataError: a row has no such column, or no text in it.
    """
    texts: list[str] = []
    size = number = 0
    for number, row in enumerate(_from(rows, start), start + 1):
        text = row
        if isinstance(row, dict):
            if column not in row:
                raise DataError(
                    f"row {number} (counted from 1) has no column {column!r}, only {', '.join(map(repr, row))}",
                    option="column",
                    hint="name the column with `column`",
                )
            text = row[column]
        if not isinstance(text, str):
            raise DataError(
                f"row {number} (counted from 1) is {type(text).__name__}, but a corpus consists of strings"
            )
        texts.append(text)
        size += len(text)
        if size >= BATCH:
            yield Batch(texts, (number, 0))
            texts, size = [], 0
    if texts:
        yield Batch(texts, (number, 0))


def _from(rows: Any, start: int) -> Iterable[Any]:
    if not start:
        return rows  # type: ignore[no-any-return]
    if hasattr(rows, "skip"):
        return rows.skip(start)  # type: ignore[no-any-return]
    if isinstance(rows, Sequence):
        return (rows[i] for i in range(start, len(rows)))
    raise InputError("counting in an iterator cannot be resumed", hint="give a list, a file or a data set")
