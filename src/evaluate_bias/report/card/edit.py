"""Write measured bias into a model card: text in, text out. Nothing outside the marked block changes.

The block appears between two HTML comments in the section on bias. A second run finds and replaces it. Scores
also go into ``model-index`` in the card's YAML, where the results of others and every line outside it stay.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import CardError, InputError, OutputError, bad_option
from ...experiments.sources import results_of
from ...experiments.unit import latest
from ...files import atomic_write, open_regular, require_regular_or_absent, short_path
from ...options import check_arguments
from ...result import Result
from ..escape import file_name, markdown
from ..lines import model_name, short_title
from ..reading import NotMeasured, read_not_measured
from ..written import FILE, CardOptions, parse_written, read_written, with_written, written_with
from .block import enclosed, heading_level, newline_of, outline, place_block
from .entries import model_index_entries, unentered_data
from .eval_results import FILES, FOLDER, eval_results_files
from .front_matter import (
    FrontMatterError,
    notes_on_scores,
    same_model,
    split_front_matter,
    upsert,
)
from .numbers import numbers_of
from .section import section
from .subject import model_of_block, model_warnings, renamed, results_of_model, weights_of

if TYPE_CHECKING:
    from ..compare.comparison import Comparison

MAX_BYTES = 1_000_000
"""Largest card that is edited. The longest cards on the Hub are about half as long."""

PICTURE = "evaluate-bias.svg"
"""Name of the picture next to ``README.md``. Next to another card it begins with the name of the card."""

_SECTION_TITLE = "Bias, Risks, and Limitations"
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CardUpdate:
    """What an update did, or would do, to a card.

    Attributes:
        text: the card afterwards.
        created: whether there was no card before, or an empty one.
        changed: whether anything was, or would be, different from before.
        diff: the difference in the card as a unified diff, empty if nothing changed.
        warnings: what a person should look at, one sentence each.
        files: the picture and the ``evaluate-bias.json`` that belong next to the card, by name: their text.
        written: files written, the card first. Empty if nothing had to change.
    """

    text: str
    created: bool
    changed: bool
    diff: str
    warnings: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    written: tuple[Path, ...] = ()

    @property
    def outcome(self) -> str:
        """The outcome in one word: ``"created"``, ``"updated"`` or ``"unchanged"``."""
        if not self.changed:
            return "unchanged"
        return "created" if self.created else "updated"

    def __repr__(self) -> str:
        # The card and its difference may be thousands of lines.
        files = ", ".join(map(str, self.written))
        return f"<CardUpdate {self.outcome}{f': {files}' if files else ''}>"


def card(
    results: str | Path | Result | Sequence[Result],
    card_path: str | Path,
    *,
    model_index: bool = True,
    eval_results: bool = True,
    model: str | None = None,
    drop: Sequence[str] = (),
    since: str | Path | Result | Sequence[Result] = (),
) -> CardUpdate:
    """Write or update the bias section of a model card. A second run with the same results changes no byte.

    The section's picture is written next to the card: ``evaluate-bias.svg`` next to ``README.md``, and
    ``NAME-evaluate-bias.svg`` next to ``NAME.md``. So is ``evaluate-bias.json``, from which
    :func:`~evaluate_bias.report.verify.verify` knows how the card was written.

    Args:
        results: what was measured, usually of one model: results, or the path of a folder or file of them.
        card_path: the card's Markdown file, made if it does not exist, or the folder that contains
            ``README.md``.
        model_index: also enter the scores in the card's YAML, except those on illustrative data.
        eval_results: also write ``.eval_results/evaluate-bias-*.yaml`` next to the card: scores on data sets of the
            Hub, which shows the scores of benchmarks that it lists.
        model: the model's name in the card, when the results call it something else. Says that the results are of
            the card's model. If the results are of several models, only those of this model are used.
        drop: names of models whose scores, written by earlier runs, are taken out of ``model-index`` and
            ``.eval_results``.
        since: earlier results of the model, or results of its base, given in the same way: the card says what changed,
            tested unit by unit, see :func:`~evaluate_bias.report.compare.compare`.

    Returns:
        What was done, with warnings.

    Raises:
        CardError: the card cannot be edited safely: doubled or unbalanced markers, not text, or too large, or a file in
            ``.eval_results`` was changed after it was written.
        InputError: results are missing, ``model`` is not one of the several models that the results are of, ``since``
            has nothing in common with the results, or the card or a file next to it is not a regular file but
            a folder, pipe or device.
        DataError: the ``evaluate-bias.json`` next to the card is not one that this version writes.
        OutputError: a file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [card(result, folder).outcome, card(result, folder).outcome]
        ['created', 'unchanged']
    """
    drop = check_arguments(card, model_index=model_index, eval_results=eval_results, model=model, drop=drop)[
        "drop"
    ]
    chosen = results_of(results, "results")
    not_measured = read_not_measured(results) if isinstance(results, (str, Path)) else []
    if not isinstance(card_path, (str, Path)):
        raise bad_option("card_path", card_path, "the path of a card")
    path = Path(card_path)
    path = path / "README.md" if path.is_dir() else path
    update = plan_card(
        _read(path),
        chosen,
        model_index=model_index,
        eval_results=eval_results,
        model=model,
        drop=drop,
        picture=PICTURE if path.name == "README.md" else f"{file_name(path.stem)}-{PICTURE}",
        since=results_of(since, "since"),
        written=read_written(path.parent),
        name=path.name,
        not_measured=not_measured,
    )
    files = {path: update.text} if update.changed else {}
    files |= {path.parent / name: text for name, text in update.files.items()}
    warnings = [*update.warnings]
    if eval_results:
        folder = path.parent / FOLDER
        existing = {file.name: _read(file) for file in sorted(folder.glob(FILES))}
        measured, _ = results_of_model(latest(chosen), model)
        entered, notes = eval_results_files(measured, model=model, existing=existing, drop=drop)
        files |= {folder / name: text for name, text in entered.items()}
        warnings += [*([] if model_index else unentered_data(measured)), *notes]
    written = []
    for target, text in files.items():
        if not text:
            try:
                target.unlink(missing_ok=True)
            except OSError as error:
                why = error.strerror or error
                raise OutputError(f"{short_path(target)} cannot be removed: {why}") from error
            written.append(target)
            continue
        if require_regular_or_absent(target).exists() and target.read_bytes() == text.encode("utf-8"):
            continue
        written.append(atomic_write(target, text))
    update = replace(update, warnings=tuple(warnings), written=tuple(written))
    return replace(update, created=update.created and bool(written), changed=bool(written))


def plan_card(
    text: str,
    results: Sequence[Result],
    *,
    model_index: bool = True,
    eval_results: bool = False,
    model: str | None = None,
    drop: Sequence[str] = (),
    picture: bool | str = False,
    since: Sequence[Result] = (),
    written: str = "",
    name: str = "README.md",
    not_measured: Sequence[NotMeasured] = (),
) -> CardUpdate:
    """Work out an update without touching a file.

    Args:
        text: the whole card, including its front matter. Empty for a new card.
        results: as for :func:`card`.
        model_index: as for :func:`card`.
        eval_results: whether ``.eval_results`` is written too, as ``evaluate-bias.json`` records.
        model: as for :func:`card`.
        drop: as for :func:`card`.
        since: as for :func:`card`.
        picture: show a picture, which :attr:`CardUpdate.files` has and which must go next to the card: the name of
            its file, ``True`` for the usual one.
        written: the text of the ``evaluate-bias.json`` next to the card, empty if it does not exist.
        name: of the card's file.
        not_measured: what the run could not measure, on any model.

    Raises:
        CardError, DataError, InputError: as for :func:`card`.
    """
    if not results:
        raise InputError("no result to write into a card")
    if len(text) > MAX_BYTES:
        raise _too_large(len(text))
    if "\0" in text:
        raise CardError("the card is not text: it contains zero bytes")
    measured, others = results_of_model(latest(results), model)
    results = renamed(measured, model)
    names = list(dict.fromkeys(model_name(r) for r in results))
    before, text = text, text if text.strip() else f"# {markdown(names[0])}\n"
    lead, newline = _BOM if text.startswith(_BOM) else "", newline_of(text)
    text = text.removeprefix(_BOM)
    parts = split_front_matter(text)
    opening, yaml_text, closing, body = parts or ("", "", "", text)
    if closing and not closing.endswith(("\n", "\r")):
        closing += newline
    card, weights = outline(body), weights_of(results)
    before_this = parse_written(written).get(name)
    same_weights = bool(weights) and before_this is not None and before_this.weights == weights
    alias = model_of_block(card.block_text) if same_weights else ""
    change = _change(since, results)
    picture_name, heading = PICTURE if picture is True else picture or "", heading_level(card)
    unmeasured = [one for one in not_measured if one.model in {model_name(r) for r in measured}]
    made, svg = section(
        results, heading=heading, picture=picture_name, change=change, not_measured=unmeasured
    )
    entries = model_index_entries(results) if model_index else {}
    entered, notes, is_entered = yaml_text, list[str](), False
    if entries or drop:
        try:
            if lead:
                raise FrontMatterError("a byte order mark hides it from the Hub: save the card without one")
            entered = upsert(yaml_text, entries, newline, alias=alias, drop=drop)
            notes, is_entered = notes_on_scores(yaml_text, entered, entries, drop), True
        except FrontMatterError as error:
            notes = [f"the card's YAML was left alone, without model-index: {error}"]
    options = CardOptions(
        heading=heading,
        model=model if model and {model_name(r) for r in measured} != {model} else "",
        model_index=bool(entries) and is_entered,
        eval_results=eval_results,
        picture=picture_name,
        since=change is not None,
    )
    files = {
        FILE: with_written(
            written,
            name,
            written_with(
                options,
                measured,
                weights=weights,
                numbers=numbers_of(results),
                not_measured=unmeasured,
            ),
        )
    }
    files |= {picture_name: svg} if picture_name else {}
    body = place_block(card, enclosed(made), _SECTION_TITLE)
    if parts is None and is_entered:
        fence = "---\n" if newline == "\r" else f"---{newline}"  # the Hub reads no other
        opening, closing = fence, fence + ("" if body[:1] in "\r\n" else newline)
    after = lead + opening + entered + closing + body
    warnings = [*others, *model_warnings(names, alias, yaml_text, card)]
    warnings += [] if change is None else [*change.warnings, *change.left_out]
    had = {str(one.get("method")) for one in before_this.numbers} if before_this is not None else set()
    if missing := sorted(short_title(name) for name in had - {r.method for r in results}):
        warnings.append(
            f"the section that was in the card also had {', '.join(missing)[:300]}, which these results do not "
            "have: to keep it, measure into the same folder with run --append, or give those results too"
        )
    warnings += [*(unentered_data(results) if model_index else []), *notes]
    both = before.splitlines(keepends=True), after.splitlines(keepends=True)
    diff = difflib.unified_diff(*both, "card before", "card after")
    return CardUpdate(
        text=after,
        created=not before.strip(),
        changed=after != before,
        diff="".join(line if line.endswith("\n") else f"{line}\n" for line in diff),
        warnings=tuple(warnings),
        files=files,
    )


def _change(since: Sequence[Result], results: Sequence[Result]) -> Comparison | None:
    from ..compare.comparing import compare_results

    names = {model_name(r) for r in results}
    earlier = [r for r in since if any(same_model(model_name(r), name) for name in names)]
    # A base has another name than the model. If there are several models, only this model's results are earlier ones.
    several = len({model_name(r) for r in since}) > 1
    return compare_results(earlier if several and earlier else since, results) if since else None


def _read(path: Path) -> str:
    """Return the card's text with its line ends unchanged, empty if the card does not exist yet."""
    try:
        with open_regular(path) as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise OutputError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error
    if len(raw) > MAX_BYTES:
        raise _too_large(path.stat().st_size)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{short_path(path)} is not UTF-8 text (byte {error.start}): save it as UTF-8"
        raise CardError(message) from None


def _too_large(size: int) -> CardError:
    return CardError(
        f"the card has {size / 1e6:.1f} MB, of at most {MAX_BYTES / 1e6:g} MB", hint="shorten it"
    )
