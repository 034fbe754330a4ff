"""Writing measured bias into a model card: text in, text out, and nothing outside the marked block touched.

The block stands between two HTML comments in the section on bias; a second run finds and replaces it. Scores also go
into ``model-index`` in the card's YAML, where everybody else's results and every line outside it stay.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import CardError, InputError, OutputError
from ...experiments.measurement import latest
from ...files import atomic_write, open_regular, require_regular_or_absent, short_path
from ...registry import METHODS
from ...result import Result
from ...text import one_line
from ..data_facts import mappings
from ..escape import markdown
from ..lines import model_name
from ..texts import LANGUAGES, card_text
from .block import Outline, enclosed, heading_level, newline_of, outline, place_block
from .entries import FOLDER, eval_results_files, model_index_entries, unentered_data
from .front_matter import FrontMatterError, front_matter_data, same_model, split_front_matter, upsert
from .score_picture import FILE_NAME, picture_name
from .section import Level, section

MAX_BYTES = 1_000_000
"""Largest card that is edited. The longest cards on the Hub are about half as long."""

_TITLE_OF_MODEL = re.compile(r"model card (?:for|of)\s+(?P<name>.+)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*((?:\\.|[^\\])+?)\*\*")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CardUpdate:
    """What an update did, or would do, to a card.

    Attributes:
        text: the card afterwards.
        created: whether there was no card before, or an empty one.
        changed: whether anything was, or would be, different from before.
        diff: the difference in the card as a unified diff, empty when there is none.
        warnings: what a person should look at, one sentence each.
        pictures: the files that belong beside the card, by name: their text.
        written: files written, the card first; empty when nothing had to change.
    """

    text: str
    created: bool
    changed: bool
    diff: str
    warnings: tuple[str, ...]
    pictures: Mapping[str, str] = field(default_factory=dict)
    written: tuple[Path, ...] = ()

    @property
    def outcome(self) -> str:
        """What happened in one word: ``"created"``, ``"updated"`` or ``"unchanged"``."""
        if not self.changed:
            return "unchanged"
        return "created" if self.created else "updated"

    def __repr__(self) -> str:
        # The card and its difference may be thousands of lines.
        files = ", ".join(map(str, self.written))
        return f"<CardUpdate {self.outcome}{f': {files}' if files else ''}>"


def card(
    results: Result | Sequence[Result],
    card_path: str | Path,
    *,
    language: str = "en",
    level: Level = "summary",
    model_index: bool = True,
    eval_results: bool = False,
    model: str | None = None,
    since: Result | Sequence[Result] = (),
) -> CardUpdate:
    """Write or update the bias section of a model card; a second run with the same results changes no byte.

    The section's picture is written beside the card: ``evaluate-bias.svg`` beside ``README.md``, and
    ``NAME-evaluate-bias.svg`` beside ``NAME.md``.

    Args:
        results: what was measured, usually of one model.
        card_path: the card's Markdown file, made if it does not exist, or the folder that holds ``README.md``.
        language: language of the text: one of :data:`~evaluate_bias.report.texts.LANGUAGES`.
        level: ``"summary"``, or ``"full"`` for the words behind each score and everything that was left out.
        model_index: also enter the scores in the card's YAML, except those on illustrative data.
        eval_results: also write ``.eval_results/evaluate-bias-*.yaml`` beside the card: scores on data sets of the
            Hub, and how near each is to its ideal value, because the Hub ranks by value. The Hub shows these for
            registered benchmarks only.
        model: the model's name in the card, when the results call it something else. Says that the results are of
            the card's model. Of results of several models, only those of this one are taken.
        since: earlier results of the model, or those of its base: the card says what changed, tested unit by unit, see
            :func:`~evaluate_bias.report.compare.compare`.

    Returns:
        What was done, with warnings.

    Raises:
        CardError: the card cannot be edited safely: doubled or unbalanced markers, not text, or too large; or a file
            in ``.eval_results`` is not as it was written.
        InputError: there is no result, ``model`` is none of the several models that the results are of, ``since``
            has nothing in common with the results, or the card or a file beside it is no regular file but a folder,
            pipe or device.
        UnknownNameError: cards are not written in that language.
        OutputError: a file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [card(result, folder).outcome, card(result, folder).outcome]
        ['created', 'unchanged']
    """
    chosen = [results] if isinstance(results, Result) else list(results)
    chosen, others = results_of_model(latest(chosen), model)
    path = Path(card_path)
    path = path / "README.md" if path.is_dir() else path
    update = plan_card(
        _read(path),
        chosen,
        language=language,
        level=level,
        model_index=model_index,
        model=model,
        picture=picture_name(path),
        since=[since] if isinstance(since, Result) else since,
    )
    files = {path: update.text} if update.changed else {}
    files |= {path.parent / name: text for name, text in update.pictures.items()}
    warnings = [*update.warnings, *others]
    if eval_results:
        folder = path.parent / FOLDER
        extra, left_out = eval_results_files(chosen, model=model, existing=lambda name: _read(folder / name))
        files |= {folder / name: text for name, text in extra.items()}
        warnings += left_out_warning(left_out)
    written = []
    for target, text in files.items():
        if require_regular_or_absent(target).exists() and target.read_bytes() == text.encode("utf-8"):
            continue
        written.append(atomic_write(target, text))
    update = replace(update, warnings=tuple(warnings), written=tuple(written))
    return replace(update, created=update.created and bool(written), changed=bool(written))


def left_out_warning(left_out: Sequence[str]) -> list[str]:
    """Return a sentence about what ``.eval_results`` does not hold, in a list that is empty where it holds all."""
    return [f"not entered in {FOLDER}: {', '.join(left_out)}"] if left_out else []


def plan_card(
    text: str,
    results: Sequence[Result],
    *,
    language: str = "en",
    level: Level = "summary",
    model_index: bool = True,
    model: str | None = None,
    picture: bool | str = False,
    since: Sequence[Result] = (),
) -> CardUpdate:
    """Work out an update without touching a file.

    Args:
        text: the whole card, front matter included; empty for a new card.
        results: as for :func:`card`.
        language: as for :func:`card`.
        level: as for :func:`card`.
        model_index: as for :func:`card`.
        model: as for :func:`card`.
        since: as for :func:`card`.
        picture: show a picture, which :attr:`CardUpdate.pictures` holds and which must go beside the card: the name of
            its file, ``True`` for the usual one; otherwise the card has a chart in text.

    Raises:
        CardError, InputError, UnknownNameError: as for :func:`card`.
    """
    if not results:
        raise InputError("there is no result to write into a card")
    if len(text) > MAX_BYTES:
        raise _too_large(len(text))
    if "\0" in text:
        raise CardError("the card is not text: it holds zero bytes")
    results, others = results_of_model(latest(results), model)
    names = list(dict.fromkeys(model_name(r) for r in results))
    before = text
    if not text.strip():
        text = f"# {markdown(model or names[0])}\n"
    lead, newline = _BOM if text.startswith(_BOM) else "", newline_of(text)
    text = text.removeprefix(_BOM)
    parts = split_front_matter(text)
    opening, yaml_text, closing, body = ("", "", "", text) if parts is None else parts
    if closing and not closing.endswith(("\n", "\r")):
        closing += newline
    found = outline(body)
    warnings = [*others, *_model_warnings(names, model, yaml_text, found)]

    sentences = card_text(language)
    titles = [card_text(code).section_title for code in LANGUAGES]
    heading = heading_level(found, titles)
    change = None
    if since:
        from ..compare.comparing import compare_results

        change = compare_results(since, results)
        warnings += [*change.warnings, *change.left_out]
    shown = FILE_NAME if picture is True else picture or ""
    made, drawn = section(
        results, language=language, level=level, heading=heading, picture=shown, change=change
    )
    if gone := titles_in(found.block_text) - titles_in(made):
        warnings.append(
            f"the section that was in the card also had {', '.join(sorted(gone))[:300]}, which these results do not "
            "have: give those results too to keep it"
        )
    body = place_block(found, enclosed(made), sentences.section_title, titles)

    warnings += unentered_data(results) if model_index else []
    entries = model_index_entries(results, model) if model_index else []
    if entries:
        try:
            if lead:
                raise FrontMatterError("a byte order mark hides it from the Hub; save the card without one")
            yaml_text = upsert(yaml_text, entries, newline)
            if parts is None:
                opening, closing = f"---{newline}", f"---{newline}" + ("" if body[:1] in "\r\n" else newline)
        except FrontMatterError as error:
            warnings.append(f"the card's YAML was left alone, without model-index: {error}")
    after = lead + opening + yaml_text + closing + body
    return CardUpdate(
        text=after,
        created=not before.strip(),
        changed=after != before,
        diff=_diff(before, after),
        warnings=tuple(warnings),
        pictures={shown: drawn} if shown else {},
    )


def _read(path: Path) -> str:
    """The card's text with its line ends as they are; empty when there is no card yet."""
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
        said = f"{short_path(path)} is not UTF-8 text (byte {error.start}): save it as UTF-8"
        raise CardError(said) from None


def _too_large(size: int) -> CardError:
    return CardError(f"the card has {size / 1e6:.1f} MB, of at most {MAX_BYTES / 1e6:g} MB: shorten it")


def results_of_model(results: list[Result], model: str | None) -> tuple[list[Result], list[str]]:
    """Return the results of the named model where there are those of several, and a note on the others.

    Raises:
        InputError: none is of that model.
    """
    names = list(dict.fromkeys(model_name(r) for r in results))
    if model is None or len(names) < 2:
        return results, []
    own = [r for r in results if same_model(one_line(model_name(r)), one_line(model))]
    if not own:
        of_them = ", ".join(names)[:400]
        raise InputError(f"model names one model, and the results are of {len(names)}: {of_them}")
    others = [name for name in names if name not in {model_name(r) for r in own}]
    return own, [f"left out, because they are of other models: the results of {', '.join(others)[:300]}"]


def titles_in(block: str) -> set[str]:
    """The methods that have a part in a section."""
    return {r.title for r in METHODS.values() if f"<summary>{markdown(r.title)}" in block}


def _model_warnings(names: Sequence[str], model: str | None, yaml_text: str, found: Outline) -> list[str]:
    """Say when the results are of another model than the card's, as far as the card tells whose it is."""
    warnings = []
    if len(names) > 1:
        of_them = f"these results are of {len(names)}: {', '.join(names)}; choose one with model=…"
        warnings.append(f"a card is about one model, and {of_them}")
    known = _card_models(yaml_text, found)
    given = [model] if model else names
    strangers = [n for n in given if known and not any(same_model(one_line(n), k) for k in known)]
    if strangers and (len(names) == 1 or len(strangers) == len(names)):
        warnings.append(
            f"the card is about {' / '.join(known)} and the results are of {', '.join(strangers)}: if that is the same "
            "model, give its name in the card as model=…"
        )
    # The section that is there was written about the first words in bold in it.
    bold = _BOLD.search(found.block_text)
    before = "" if bold is None else _plain(bold[1])
    if before and not any(same_model(n, before) for n in names):
        now = f"it is replaced by one about {', '.join(names)}"
        warnings.append(f"the section that was in the card was about {before}; {now}")
    return warnings


def _plain(text: str) -> str:
    """What a reader of the Markdown sees of it."""
    from markdown_it import MarkdownIt

    inline = MarkdownIt("commonmark").parseInline(text)[0].children or ()
    return one_line("".join(t.content for t in inline if t.type in ("text", "code_inline")))


def _card_models(yaml_text: str, found: Outline) -> list[str]:
    with suppress(FrontMatterError):
        names = (m.get("name") for m in mappings(front_matter_data(yaml_text)))
        if known := [one_line(str(name)) for name in names if name]:
            return known
    titles = [_plain(h.title) for h in found.headings if h.level == 1]
    told = [m["name"] for m in map(_TITLE_OF_MODEL.fullmatch, titles) if m is not None]
    # A title of one word is a model's name; a sentence may be anything.
    told += [title for title in titles if title and not re.search(r"\s", title)]
    return [name for name in told if name.casefold() not in ("model id", "model", "readme")]


def _diff(before: str, after: str) -> str:
    both = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = difflib.unified_diff(*both, "card before", "card after")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
