"""Protects the machine from visitors where gradio does not: limits, time, names, uploads, requests.

Gradio bounds one file, deletes uploads and sessions, and queues requests, see :mod:`~.pages`.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import math
import os
import re
import tempfile
import time
import zipfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from numpy.lib import format as npy_format

from ..assets import list_assets
from ..assets.cache import scratch_folder
from ..data.sentence_pairs import SentencePairSet, load_sentence_pairs
from ..data.table_files import decoded, read_rows
from ..errors import BiasError, DataError, InputError, quoted
from ..files import is_inside, short_path
from ..models._vectors.files import sniff
from ..models.base import WrappedModel
from ..models.chat import ChatLM
from ..models.completions import GenerationSettings
from ..models.endpoint.model import ServedModel
from ..models.engine import TransformerModel
from ..models.score_memo import ScoreMemo
from ..models.static import StaticVectors

MAX_VECTOR_BYTES = 64 * 2**20
MAX_UNPACKED_BYTES = 256 * 2**20
MAX_ARRAYS = 20_000
MAX_LINE_BYTES = 2**16
MAX_TABLE_BYTES = 2 * 2**20
MAX_SENTENCE = 400
MAX_COLUMNS = 50
MAX_VECTORS = 500_000
MAX_UPLOADED_WORD = 500
MAX_TENSOR_HEADER = 8 * 2**20
MAX_WORDS = 200
MAX_WORD_LENGTH = 60
MAX_BODY_BYTES = 4 * 2**20
MAX_UPLOAD_BYTES = MAX_VECTOR_BYTES + 2**16  # one file, and the form around it
MAX_UPLOADS_BYTES = 2**30  # of all visitors. Each is deleted an hour after it arrived
REQUEST_SECONDS = 120.0
QUEUE_LENGTH = 64
MAX_TEXT_BYTES = 8 * 2**20
MAX_ROWS = 500
MAX_CELL = 2_000

PORTION = 32
"""Texts scored between two looks at the clock."""
_PORTION_TOKENS = 2_048
"""Most tokens that are written between two looks."""
_PARALLEL = {
    "embed_words": 0,
    "encode": 0,
    "embed_in_context": 2,
    "pseudo_logprobs": 2,
    "masked_logprobs": 1,
    "token_logprobs": 1,
    "attended_logprobs": 1,
    "sequence_logprobs": 1,
    "mask_distributions": 1,
    "complete": 1,
    "reply": 1,
}
"""What a model does, and how many of the arguments have one entry per text. With none, it is done at once."""

_MOST_KEPT = 2**26
"""Bytes of scores that the methods of one request share."""

VECTOR_TYPES = (".txt", ".vec", ".npz", ".safetensors")
TABLE_TYPES = (".csv", ".tsv", ".xlsx")
_MAX_UNPACKED_TABLE = 20 * MAX_TABLE_BYTES
"""Excel files are packed."""

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_LEAST_BYTES = 2**16
_UPLOADS = "uploads/"
_UPLOAD = "/gradio_api/upload"
NO_UPLOAD = "no such upload exists"
"""The whole answer, whatever else lies under that name on this machine."""
_CLOSED = ("/gradio_api/deep_link",)
"""What gradio serves whether a page uses it or not, and keeps on the disk."""
_FULL = b"there is no room for another file now: each is deleted about an hour after it arrived, so try again later"
_POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'; form-action 'self'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class OutOfTime(InputError):
    """A request took longer than one visitor may use the machine."""


class Busy(InputError):
    """The model was in use for as long as a request waits."""


class Deadline:
    """The time one request may take, and where its progress is shown.

    Args:
        seconds: time allowed from now on.
        show: called with the share done, between 0 and 1, and what is being done.

    Examples:
        >>> deadline = Deadline(600)
        >>> deadline.step(1, 4)
        >>> 0 < deadline.remaining <= 600
        True
    """

    def __init__(
        self, seconds: float = REQUEST_SECONDS, show: Callable[[float, str], None] | None = None
    ) -> None:
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._show = show
        self.doing = "measuring"

    @property
    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self._end - time.monotonic())

    @contextmanager
    def paused(self, doing: str) -> Iterator[None]:
        """Do not count waiting for others as time used. ``doing`` is shown meanwhile."""
        start, self.doing = time.monotonic(), doing
        if self._show is not None:
            self._show(0.0, doing)
        yield
        self._end += time.monotonic() - start

    def step(self, done: float, total: float) -> None:
        """Show the progress.

        Raises:
            OutOfTime: the request has used its time.
        """
        if self.remaining == 0.0:
            raise OutOfTime(
                f"stopped after {self._seconds:g} seconds, the limit of one request here: choose fewer words, "
                "pairs, models or methods, or run it on your own machine"
            )
        if self._show is not None:
            self._show(min(1.0, done / total), self.doing)


def with_deadline(model: Any, deadline: Deadline) -> Any:
    """Return ``model`` for one request: it reports progress and stops when the request's time is used up.

    A transformer gets a scorer of its own around the shared weights, so that what one visitor's text makes it warn
    about is not shown to another. The methods of the request share its passes. A server's answer is given up in
    time.
    """
    if isinstance(model, ServedModel):
        model = model.until(time.monotonic() + deadline.remaining)
    if isinstance(model, TransformerModel):
        shared = model
        model = type(shared)(shared.model, shared.tokenizer, shared.source, progress=False)
        if isinstance(shared, ChatLM):
            model.template = shared.template
        model.memo = ScoreMemo(_MOST_KEPT)
    return _Timed(model, deadline) if any(hasattr(model, name) for name in _PARALLEL) else model


class _Timed(WrappedModel):
    """A model that is read in portions."""

    def __init__(self, model: Any, deadline: Deadline) -> None:
        super().__init__(model)
        self._deadline = deadline

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        return partial(self._read_in_portions, name, value) if name in _PARALLEL else value

    def _read_in_portions(self, name: str, method: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        parallel = _PARALLEL[name]
        if not parallel:
            self._deadline.step(0, 1)
            return method(*args, **kwargs)
        out: list[Any] = []
        total = len(args[0])
        settings = next((one for one in args[1:] if isinstance(one, GenerationSettings)), None)
        tokens = settings.n * settings.max_new_tokens if settings else 1
        size = max(1, min(PORTION, _PORTION_TOKENS // tokens))
        for start in range(0, total, size):
            self._deadline.step(start, total)
            portion = [_part(a, start, size) if i < parallel else a for i, a in enumerate(args)]
            out.extend(method(*portion, **kwargs))
        return out


def _part(values: Sequence[Any] | None, start: int, size: int) -> Any:
    return values if values is None or isinstance(values, str) else values[start : start + size]


def check_table(columns: Sequence[object], rows: Sequence[Sequence[object]], longest: int) -> None:
    """Refuse a table that is too large, or that has a text of more than ``longest`` characters.

    Raises:
        InputError: it is. The message names the place.
    """
    if len(rows) > MAX_ROWS:
        raise InputError(f"{len(rows):,} rows are more than the {MAX_ROWS} this page accepts")
    if len(columns) > MAX_COLUMNS:
        raise InputError(f"{len(columns):,} columns are more than the {MAX_COLUMNS} this page accepts")
    for number, row in enumerate(rows, 1):
        for column, cell in zip(columns, row, strict=False):
            length = len(cell.strip()) if isinstance(cell, str) else 0
            if length > longest:
                raise InputError(
                    f"row {number}, {str(column)[:60]}: {length:,} characters are more than the {longest:,} this "
                    "page accepts"
                )


def bounded(text: str | None, limit: int, name: str) -> str:
    """Return typed text without whitespace around it.

    Raises:
        InputError: it is longer than ``limit`` characters, or empty.

    Examples:
        >>> bounded(" She cooks. ", 400, "first sentence")
        'She cooks.'
    """
    stripped = (text or "").strip()
    if not stripped:
        raise InputError(f"{name} is empty", option=name, hint="type something first")
    if len(stripped) > limit:
        raise InputError(
            f"{name}: {len(stripped):,} characters are more than the {limit:,} this page accepts"
        )
    return stripped


def parse_words(text: str | None, name: str) -> list[str]:
    """Read words separated by commas, semicolons or new lines.

    Raises:
        InputError: no word, more than 200 words, or a word of more than 60 characters.

    Examples:
        >>> parse_words("math, algebra\\n geometry;", "first targets")
        ['math', 'algebra', 'geometry']
    """
    words = [" ".join(w.split()) for w in re.split(r"[,;\n]", text or "") if w.strip()]
    if not words:
        raise InputError(f"{name} is empty", option=name, hint="type at least one word, separated by commas")
    if len(words) > MAX_WORDS:
        raise InputError(f"{name}: {len(words)} words are more than the {MAX_WORDS} this page accepts")
    if too_long := [w for w in words if len(w) > MAX_WORD_LENGTH]:
        raise InputError(
            f"{name}: {too_long[0][:MAX_WORD_LENGTH]}… is longer than {MAX_WORD_LENGTH} characters"
        )
    return words


def allowed_model(spec: str) -> str:
    """Return ``spec`` if a visitor may name it: a named asset or a valid Hub id, never a path or an address.

    A string that happens to be a path on this machine is refused like any other that is not a Hub id.

    Raises:
        InputError: anything else.

    Examples:
        >>> allowed_model(" gpt2 "), allowed_model("google-bert/bert-base-uncased")
        ('gpt2', 'google-bert/bert-base-uncased')
        >>> allowed_model("../../etc/passwd")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.InputError: '../../etc/passwd' is neither a named model nor a Hub id such as 'user/model'
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    spec = (spec or "").strip()
    if is_named(spec):
        return spec
    try:
        if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", spec, re.ASCII) or Path(spec).exists():
            raise HFValidationError
        validate_repo_id(spec)
    except HFValidationError:
        short_spec = spec[:MAX_WORD_LENGTH]
        raise InputError(
            f"{short_spec!r} is neither a named model nor a Hub id such as 'user/model'", option="model"
        ) from None
    return spec


def is_named(spec: str) -> bool:
    """Return True if this is the name of a model among the assets."""
    return any(spec == asset.name for asset in list_assets() if asset.is_model)


def hub_id(text: str) -> str:
    """Return a valid Hub id, which the name of an asset is not.

    Raises:
        InputError: it is not a Hub id.

    Examples:
        >>> hub_id(" google-bert/bert-base-uncased ")
        'google-bert/bert-base-uncased'
    """
    spec = allowed_model(text)
    if is_named(spec):
        raise InputError(f"{spec!r} is not a Hub id such as 'user/model'", option="model")
    return spec


def check_number(what: str, value: Any, *, whole: bool) -> None:
    """Refuse a value that is not a number, or not an integer if one is needed: a request may contain anything.

    Examples:
        >>> check_number("items", 1.7, whole=True)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `items` must be an integer, got 1.7
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (number and (not whole or float(value).is_integer())):
        raise InputError(
            f"`{what}` must be {'an integer' if whole else 'a number'}, got {quoted(value)}", option=what
        )


def uploads_only(value: Any, *, accepts_files: bool) -> Any:
    """Return a request's input with the paths of uploads instead of the names that visitors see.

    Gradio downloads a file whose path is an address of the web, and answers with the full path of an upload, whatever
    component they are sent to.

    Args:
        value: what was sent to a component.
        accepts_files: whether the component is a field for files.

    Raises:
        InputError: it contains a file that was not uploaded, or one where files are not accepted.

    Examples:
        >>> uploads_only([{"path": "http://127.0.0.1/secret"}], accepts_files=True)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: no such upload exists; upload the file again
    """
    if isinstance(value, Mapping):
        checked_input = {
            key: uploads_only(inner, accepts_files=accepts_files) for key, inner in value.items()
        }
        if not isinstance(path := value.get("path"), str):
            return checked_input
        if not accepts_files:
            raise InputError("this field does not accept files")
        if (upload := find_upload(path)) is None:
            raise InputError(NO_UPLOAD, hint="upload the file again")
        return {**checked_input, "path": str(upload)}
    if isinstance(value, list | tuple):
        return [uploads_only(inner, accepts_files=accepts_files) for inner in value]
    return value


@functools.cache
def upload_folder() -> Path:
    """Make the folder that gradio puts uploads into, and remove folders of processes that have ended.

    Raises:
        OutputError: the temporary folder cannot be written.
    """
    home = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir()).resolve()
    home.mkdir(parents=True, exist_ok=True)
    until_exit = contextlib.ExitStack()
    folder = until_exit.enter_context(scratch_folder(home, "evaluate-bias-uploads-"))
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    atexit.register(until_exit.close)
    return folder


def used_bytes(folder: Path) -> int:
    """Return the bytes of all uploads. A small one counts as 64 KiB, so that their number is bounded too."""
    total = 0
    for where, _, names in os.walk(folder):  # which skips a folder that is deleted meanwhile
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
                total += max(_LEAST_BYTES, Path(where, name).stat().st_size)
    return total


def mask_path(path: str) -> str:
    """Return the name of an upload that visitors see: its path within the folder of uploads.

    Examples:
        >>> mask_path(f"{upload_folder()}/8f00b204/mine.vec")
        'uploads/8f00b204/mine.vec'
    """
    return f"{_UPLOADS}{path.removeprefix(f'{upload_folder()}/')}"


def find_upload(name: str) -> Path | None:
    """Return the file that a visitor names, or ``None`` if it is not a file in the folder of uploads.

    Examples:
        >>> find_upload("uploads/8f00b204/mine.vec") is None, find_upload("uploads/../mine.vec") is None
        (True, True)
    """
    try:
        path = Path(upload_folder(), name.removeprefix(_UPLOADS)).resolve()
    except (OSError, ValueError):  # a name that no file can have
        return None
    return path if is_inside(path, upload_folder()) and path.is_file() else None


def uploaded_vectors(path: str | Path) -> StaticVectors:
    """Open a visitor's word vectors. The content of the file determines its format, and its name must agree.

    Raises:
        DataError: it is too large, compressed, pickled, not what its name says, or not word vectors.
    """
    path = Path(path)
    with _one_sentence(path):
        _check_vector_file(path)
        return StaticVectors(path, case="first_found", name=f"upload {path.name}")


def uploaded_pairs(path: str | Path, language: str) -> SentencePairSet:
    """Read a visitor's CSV, TSV or Excel file of sentence pairs.

    Rows that name no language count as ``language``. Rows of other languages are omitted.

    Raises:
        DataError: it is too large or too long, not UTF-8, or lacks the columns ``sent_more`` and ``sent_less``.
    """
    path = Path(path)
    with _one_sentence(path):
        uploaded_table(path, TABLE_TYPES, MAX_SENTENCE)
        return load_sentence_pairs(path, language=language)


def uploaded_table(
    path: Path, types: Sequence[str], longest: int = MAX_CELL
) -> tuple[list[str], list[list[Any]]]:
    """Return columns and cells of a visitor's table.

    Raises:
        DataError: it is too large or too long, not UTF-8, not a table, or a cell has more than ``longest``
            characters.
    """
    with _one_sentence(path):
        if path.suffix.lower() == ".xlsx":
            _check_kind(path, types, MAX_TABLE_BYTES)
            with zipfile.ZipFile(path) as archive:
                _check_unpacked(path, archive, _MAX_UNPACKED_TABLE)
            rows = read_rows(path.read_bytes(), path.name)
        else:
            rows = read_rows(_text(path, types, MAX_TABLE_BYTES).encode(), path.name)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        cells = [[row.get(column) for column in columns] for row in rows]
        check_table(columns, cells, longest)
        return columns, cells


def uploaded_text(path: str | Path) -> str:
    """Read a visitor's texts, one per line.

    Raises:
        DataError: it is too large, or not UTF-8.
    """
    path = Path(path)
    with _one_sentence(path):
        return _text(path, (".txt",), MAX_TEXT_BYTES)


def _check_kind(path: Path, types: Sequence[str], limit: int) -> None:
    if path.suffix.lower() not in types:
        raise DataError(f"{path.name} cannot be taken here: upload a file that ends in {' or '.join(types)}")
    size = path.stat().st_size
    if size > limit:
        raise DataError(f"{path.name} has {size / 2**20:.1f} MB, and this page accepts {limit / 2**20:g} MB")


def _text(path: Path, types: Sequence[str], limit: int) -> str:
    _check_kind(path, types, limit)
    text = decoded(path.read_bytes(), path.name)
    if "\0" in text:
        raise DataError(f"{path.name} is not text: it contains zero bytes")
    return text


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong into an error that does not name the folder of the upload."""
    try:
        yield
    except BiasError as error:
        text, hint = (
            part.replace(short_path(path), path.name).replace(f"{path.parent}/", "")
            for part in (error.text, error.hint)
        )
        raise DataError(text, option=error.option, hint=hint) from error
    except Exception as error:  # of a reader, from a damaged file
        raise DataError(f"{path.name} cannot be read: it is damaged, or not what its name says") from error


def _check_unpacked(path: Path, archive: zipfile.ZipFile, limit: int) -> None:
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > limit:
        raise DataError(
            f"{path.name} unpacks to {unpacked / 2**20:,.0f} MB, and this page accepts {limit / 2**20:g} MB"
        )


def _check_vector_file(path: Path) -> None:
    """Refuse a file that would fill the memory. The readers check that nothing in it is pickled."""
    _check_kind(path, VECTOR_TYPES, MAX_VECTOR_BYTES)
    kind, compression = sniff(path)
    if compression is not None:
        raise DataError(f"{path.name} is compressed", hint="unpack it and upload what is inside")
    if kind not in ("text", "npz", "safetensors"):
        raise DataError(
            f"{path.name} is a {kind} file", hint="save the vectors as text, .npz or .safetensors"
        )
    if kind == "npz":
        _check_npz(path)
    elif kind == "text":
        _check_lines(path)
    else:
        with path.open("rb") as file:
            header = int.from_bytes(file.read(8), "little")
        if header > MAX_TENSOR_HEADER:
            raise DataError(
                f"{path.name} has a header of more than the {MAX_TENSOR_HEADER / 2**20:g} MB this page accepts"
            )


def _check_lines(path: Path) -> None:
    lines = 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            lines += 1
            if len(line) > MAX_LINE_BYTES:
                why = f"is not a word-vector file: a line is longer than {MAX_LINE_BYTES} bytes"
            elif b"\0" in line:
                why = "is not text: upload word vectors as text, .npz or .safetensors"
            elif len(b"".join(line.split(maxsplit=1)[:1])) > MAX_UPLOADED_WORD:
                why = f"has a word longer than {MAX_UPLOADED_WORD} bytes in line {lines}"
            elif lines > MAX_VECTORS + 1:
                why = f"has {lines:,} lines, and this page accepts {MAX_VECTORS:,} words"
            else:
                continue
            raise DataError(f"{path.name} {why}")


def _check_npz(path: Path) -> None:
    """Refuse an archive whose arrays together, or whose words, do not fit into memory."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_unpacked(path, archive, MAX_UNPACKED_BYTES)
        if len(members) > MAX_ARRAYS:
            raise DataError(
                f"{path.name} contains {len(members):,} arrays, and this page accepts {MAX_ARRAYS:,}"
            )
        for member in members:
            with archive.open(member) as stream:
                is_first = npy_format.read_magic(stream) == (1, 0)
                read_header = (
                    npy_format.read_array_header_1_0 if is_first else npy_format.read_array_header_2_0
                )
                shape, _, _ = read_header(stream)
            if math.prod(shape[:1]) > MAX_VECTORS:
                raise DataError(
                    f"{path.name}: {member.filename[:60]!r} has {shape[0]:,} rows, and this page accepts "
                    f"{MAX_VECTORS:,} words"
                )


class Guard:
    """ASGI middleware: bounds every request, uploads by limits of their own and of all together, and sets headers.

    An upload that breaks off leaves nothing behind.

    The content policy keeps the browser from loading anything from elsewhere. An upload is answered with a
    name instead of its folder on this machine, see :func:`mask_path`.
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app
        self._arriving = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on."""
        from starlette.formparsers import MultiPartException  # after which gradio deletes what has arrived

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = str(scope["path"])
        is_upload = path.rstrip("/").endswith(_UPLOAD)
        most = MAX_UPLOAD_BYTES if is_upload else MAX_BODY_BYTES
        if _announced_length(scope) > most:
            await _refuse(send, 413, b"request too large")
            return
        if path.rstrip("/").endswith(_CLOSED):
            await _refuse(send, 404, b"there is no such page")
            return
        before, is_file, file = path.partition("/file=")
        if is_file and "://" in file:
            await _refuse(send, 403, b"files are uploaded here, not fetched from an address")
            return
        n_bytes = 0

        async def counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > most:
                raise MultiPartException("the request is longer than the maximum allowed size")
            if is_upload and message["type"] == "http.disconnect":
                raise MultiPartException("the upload broke off")
            return message

        answer: list[Message] = []

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            if not is_upload:
                await send(message)
                return
            answer.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                for part in _hide_folder(answer):
                    await send(part)

        if is_file and file.startswith(_UPLOADS):
            if (upload := find_upload(file)) is None:
                await _refuse(send, 404, NO_UPLOAD.encode())
                return
            scope = {**scope, "path": f"{before}/file={upload}"}
        if not is_upload:
            await self._app(scope, counted, answered)
            return
        size = _announced_length(scope) or most
        if used_bytes(upload_folder()) + self._arriving + size > MAX_UPLOADS_BYTES:
            await _refuse(send, 507, _FULL)
            return
        self._arriving += size
        try:
            await self._app(scope, counted, answered)
        finally:
            self._arriving -= size


def _announced_length(scope: Scope) -> int:
    """Return the length that a request says it has, or 0 if it says none."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _refuse(send: Send, status: int, why: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(_HEADERS)})
    await send({"type": "http.response.body", "body": why})


def _hide_folder(answer: list[Message]) -> list[Message]:
    """Return the answer to an upload, without the folder where the file is."""
    start, body = answer[0], b"".join(message.get("body", b"") for message in answer[1:])
    if start["status"] == 200:
        body = json.dumps([mask_path(path) for path in json.loads(body)]).encode()
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    start["headers"] = [*headers, (b"content-length", str(len(body)).encode())]
    return [start, {"type": "http.response.body", "body": body}]
