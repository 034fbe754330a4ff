"""A folder, or what was downloaded of a repository, verified from the recording in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import InputError
from ...experiments.results_file import RESULTS_FILE
from ...experiments.store import STORE_FILE
from ...files import is_inside, read_text, short_path
from ...provenance import software_versions
from .. import FORMAT
from ..card.eval_results import FOLDER
from ..card.score_picture import is_picture_name, shown_picture
from .comparing import LINK, Check, Replay, Verification
from .recording_file import SCORES_FILE, RecordedRun, read_bytes, read_recording
from .results_file import replays, results_in
from .surfaces import REPORT_NAMES, CardText, EvalResults, UnreadError, check_report

_OF_RUNS = (RESULTS_FILE, SCORES_FILE, STORE_FILE, "logs", *(f"{STORE_FILE}-{end}" for end in ("wal", "shm")))
"""What runs leave there."""
_MOST_NAMED = 12
_FOREIGN_PICTURE = (
    "the card shows a picture of another name or place than evaluate-bias gives one: it is not read"
)


def verify(folder: str | Path, *, card: str | Path | None = None) -> Verification:
    """Compute every number in a folder again from the recorded scores, without the model, and compare.

    What is read: ``scores.parquet`` (as ``run --record`` or :func:`record` writes it), and, as far as they are there,
    ``results.jsonl``, the store, all that ``report`` writes, the card's section, its picture, its entries in
    ``model-index`` and ``.eval_results``. The results are computed again with this library; card and report are
    written again with the options that they record, and every line that differs is listed. What else lies there is
    named in a note. Links out of the folder are not followed.

    That all is true says that the card follows from the recorded scores, not that the model gave these.

    Args:
        folder: the folder that holds ``scores.parquet``.
        card: the card's file, where it is not ``README.md`` in the folder.

    Returns:
        A verdict on every line.

    Raises:
        InputError: the folder or card is not there, or nothing in it could be verified.
        DataError: the recording is cut off, changed, or of a newer version.

    Examples:
        >>> import tempfile
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
        >>> test = {"name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...         "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}
        >>> from evaluate_bias.report.verify import record
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = record("weat", vectors, folder, data=[test])
        ...     whole = verify(folder).verdict
        ...     path = Path(folder) / "results.jsonl"
        ...     _ = path.write_text(path.read_text().replace(str(result.score), "1.9"))
        ...     whole, verify(folder).verdict
        ('true', 'false')
    """
    place = Path(folder)
    if not place.is_dir():
        way = f": give the folder with {SCORES_FILE}, and the card as --card {short_path(place)}"
        hint = way if place.is_file() else ""
        raise InputError(f"{short_path(place)} is no folder{hint}")
    page = place / "README.md" if card is None else Path(card)
    if card is not None and not page.is_file():
        raise InputError(f"there is no card at {short_path(page)}")
    for name in (RESULTS_FILE, STORE_FILE, SCORES_FILE, *(["README.md"] if card is None else [])):
        if not is_inside(place / name, place):
            raise InputError(f"{name} in {short_path(place)} is {LINK}: copy the file there")
    text = read_text(page) if page.exists() else None
    of_card_itself = [page] if text is None else [page, page.parent / shown_picture(text)]
    names = [name for name in _names(place) if place / name not in of_card_itself]
    ours = [name for name in names if name.startswith(REPORT_NAMES)]
    anything = bool(ours) or text is not None or bool(results_in(place))
    if not (place / SCORES_FILE).exists() and anything:
        how = "measure with 'evaluate-bias run --record'"
        reason = f"there is no {SCORES_FILE} in {short_path(place)}: {how}"
        return Verification((Check(SCORES_FILE, "", "not verifiable", reason=reason),))
    runs = read_recording(place / SCORES_FILE)
    if not anything:
        raise InputError(f"{short_path(place)} has recorded scores, but no card, report or results to verify")
    measured, checks = replays(runs, place)
    links = [name for name in ours if not is_inside(place / name, place)]
    checks += [Check(name, "", "not verifiable", reason=LINK) for name in links]
    oldest = min((run.format for run in runs), default=FORMAT)
    maybe = [name for name in names if name in ours or name.endswith((".svg", ".png"))]
    files = {name: read_bytes(place / name) for name in maybe if is_inside(place / name, place)}
    of_report, notes, others = check_report(files, measured, oldest)
    checks += of_report
    unread = [name for name in names if name in others or name not in maybe]
    of_card, notes_on_card, unread_of_card = _card(page, text, measured)
    checks += of_card
    notes = [*notes, *notes_on_card, *_not_read([*unread_of_card, *unread]), *_versions(runs, checks)]
    return Verification(tuple(checks), tuple(notes))


def _card(
    page: Path, text: str | None, measured: Sequence[Replay]
) -> tuple[list[Check], list[str], list[str]]:
    """The verdicts on a card and what lies beside it, notes, and names of what is not read."""
    checks: list[Check] = []
    notes: list[str] = []
    unread: list[str] = []
    about, model = [r for r in measured if not r.withdrawn] or list(measured), ""
    if text is not None:
        unread.append("what stands in the card outside the section and its own entries")
        try:
            card = CardText(page.name, text, measured)
        except UnreadError as reason:
            return (
                [reason.check],
                notes,
                [*unread, *([f"{FOLDER}/"] if (page.parent / FOLDER).exists() else [])],
            )
        about, model = card.about, card.options["model"]
        checks += [*card.check_section(), *card.check_index()]
        notes += card.notes()
        if card.picture and not is_picture_name(card.picture):
            checks.append(
                Check(card.file, "picture", "not verifiable", card.picture, reason=_FOREIGN_PICTURE)
            )
        elif card.picture and not (picture := page.parent / card.picture).exists():
            notes.append(f"not there, although the card shows it: {card.picture}")
        elif card.picture and not is_inside(picture, page.parent):
            checks.append(Check(card.picture, "", "not verifiable", reason=LINK))
        elif card.picture:
            checks += card.check_picture(read_bytes(picture).decode("utf-8", "replace"))
    entries, tasks = EvalResults(about, model), page.parent / FOLDER
    judged: list[str] = []
    if not is_inside(tasks, page.parent):
        return [*checks, Check(FOLDER, "", "not verifiable", reason=LINK)], notes, unread
    for path in sorted(tasks.rglob("*")):
        name = path.relative_to(tasks).as_posix()
        if not is_inside(path, page.parent):
            checks.append(Check(f"{FOLDER}/{name}", "", "not verifiable", reason=LINK))
        elif path.is_file():
            of_file = [*entries.check(name, read_bytes(path).decode("utf-8", "replace"))]
            checks += of_file
            (judged if of_file else unread).append(name if of_file else f"{FOLDER}/{name}")
    if judged:
        unread.insert(0, f"the dates in {FOLDER}")
    if missing := [name for name in entries.files if judged and name not in judged]:
        notes.append(f"not there, although the card's results give it: {', '.join(missing)} in {FOLDER}")
    return checks, notes, unread


def _names(place: Path) -> list[str]:
    """Names of the files in a folder and in the subfolders of a report, without hidden files."""
    names: list[str] = []
    for path in sorted(place.iterdir()):
        if path.name.startswith(".") or path.name in _OF_RUNS:
            continue
        name = f"{path.name}/" if path.is_dir() else path.name
        opened = path.is_dir() and name in REPORT_NAMES and is_inside(path, place)
        names += ([f"{name}{p.name}" for p in sorted(path.iterdir())] if opened else []) or [name]
    return names


def _not_read(names: Sequence[str]) -> list[str]:
    """A note on the files that verification does not cover."""
    more = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [f"not read: {'; '.join(names[:_MOST_NAMED])}{more}"] if names else []


def _versions(runs: Sequence[RecordedRun], checks: Sequence[Check]) -> Iterator[str]:
    """What explains differences that nobody made."""
    here = software_versions()["evaluate-bias"]
    versions = {str((r.result.provenance.get("versions") or {}).get("evaluate-bias")) for r in runs}
    if versions - {here} and any(c.verdict == "false" for c in checks):
        yield (
            f"recorded with evaluate-bias {', '.join(sorted(versions))} and verified with {here}: words and "
            "numbers that the two write differently count as false; verify with the version that wrote them"
        )
