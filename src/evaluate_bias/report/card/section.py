"""The bias section of a model card as Markdown: the template ``section.md.jinja`` filled from its context."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...result import Result
from ..compare.comparison import Comparison
from ..escape import markdown
from ..texts import card_text
from .context import Level, section_context
from .markup import Markdown
from .score_picture import svg

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["Level", "Section", "bias_section", "section"]


@dataclass(frozen=True, slots=True)
class Section:
    """The text of the section, and the picture that it shows, empty where it has a chart in text."""

    text: str
    picture: str


def bias_section(
    results: Sequence[Result], *, language: str = "en", level: Level = "summary", heading: int = 3
) -> str:
    """Return the text of the section, without the markers that enclose it in a card, with a chart in text.

    Args:
        results: results of any methods; usually of one model.
        language: one of :data:`~evaluate_bias.report.texts.LANGUAGES`. Labels of word lists stay as they are.
        level: ``"full"`` adds the words that drive each score and everything that was left out.
        heading: level of the section's heading, 1 to 6.

    Returns:
        Markdown with ``"\\n"`` line ends and none at the end.

    Raises:
        UnknownNameError: cards are not written in that language.
        InputError: there is no result, or the level is neither.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=0.1, ci_low=-0.9, ci_high=0.8, p_value=0.4)
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row])
        >>> print(bias_section([result]).splitlines()[4].partition(" (0.10")[0])
        - **WEAT** (which words go together): weat7: no difference from 0 was detected
    """
    return section(results, language=language, level=level, heading=heading).text


def section(
    results: Sequence[Result],
    *,
    language: str = "en",
    level: Level = "summary",
    heading: int = 3,
    picture: str = "",
    change: Comparison | None = None,
) -> Section:
    """Return the section; arguments as :func:`bias_section`.

    ``picture`` is the name of the file beside the card that it shows, in place of a chart in text.
    ``change`` is what changed since earlier results, of which the first screen says what was found.
    """
    text = card_text(language)
    if level not in ("summary", "full"):
        raise InputError(f"the level of a card is 'summary' or 'full', not {level!r}")
    if not results:
        raise InputError("there is no result to write into a card")
    context = section_context(text, results, level, heading, picture, change)
    fields = {f.name: getattr(context, f.name) for f in dataclasses.fields(context)}
    written = re.sub(r"\n{3,}", "\n\n", _template().render(fields)).strip()
    return Section(written, svg(context.first.marks, text) if picture else "")


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined,
        finalize=_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    return environment.from_string((files(__package__) / "section.md.jinja").read_text(encoding="utf-8"))


def _escaped(value: Any) -> Any:
    """What is written for a value: Markdown and what a macro made as it is, every other text escaped for Markdown."""
    return value if hasattr(value, "__html__") else Markdown(markdown(str(value)))
