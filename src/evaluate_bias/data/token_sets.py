"""Sentences with a blank and two sets of words for it: from StereoSet, or the user's own files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from ..errors import quoted
from ..result import Skipped
from .load import checked_rows, find_table, loader, with_id
from .pair_schemas import BLANK, BiasType, StereoSetItem, fill_span
from .recipes import dataset_key
from .row_set import RowSet
from .schemas import Schema, TidyText
from .stereoset import load_stereoset

_ITEMS = ("stereoset", "stereoset_style")


def _with_blank(text: str) -> str:
    if text.count(BLANK) != 1:
        raise ValueError(f"must contain {BLANK} once: {quoted(text)}")
    return text.strip()


class TokenSetItem(Schema):
    """A sentence with one blank, and the words that make it a stereotype or its opposite.

    Attributes:
        id: name of the item; its position, counted from 0, where the file has none.
        text: the sentence, its blank written BLANK.
        stereotypical, anti_stereotypical: words that may stand in the blank.
        bias_type: what the stereotype is about; may be empty.
        language: language tag.

    Examples:
        >>> TokenSetItem(text="The nurse said BLANK was tired.", stereotypical=["she"], anti_stereotypical=["he"]).id
        ''
    """

    id: str = ""
    text: Annotated[str, AfterValidator(_with_blank)]
    stereotypical: tuple[TidyText, ...]
    anti_stereotypical: tuple[TidyText, ...]
    bias_type: BiasType = ""
    language: str = "und"


@loader
def load_token_sets(source: str | Path | None = None, *, language: str = "en") -> RowSet[TokenSetItem]:
    """Load sentences with a blank and two sets of words for it.

    Args:
        source: ``"stereoset"``: the intrasentence items of StereoSet, each with its stereotypical and its
            anti-stereotypical word as the sets. ``None`` or ``"stereoset_style"``: the packaged items of that form,
            illustrative, not validated. Or a file, a folder or a Hub data set with the columns of
            :class:`TokenSetItem`; in CSV the words of a set are separated by semicolons.
        language: language tag.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> items = load_token_sets()
        >>> len(items), items[0].text, items[0].stereotypical, items[0].anti_stereotypical
        (40, 'The mother spent the evening BLANK for the family.', ('cooking',), ('working',))
    """
    if source is not None and (not isinstance(source, str) or dataset_key(source) not in _ITEMS):
        return RowSet(*checked_rows(TokenSetItem, find_table(source, language), language, prepare=with_id))
    items = load_stereoset(source, task="intrasentence", language=language)
    made = [_of_stereoset(item) for item in items]
    lost = tuple(one for one in made if isinstance(one, Skipped))
    return RowSet(tuple(one for one in made if isinstance(one, TokenSetItem)), items.provenance, lost)


def _of_stereoset(item: StereoSetItem) -> TokenSetItem | Skipped:
    before, _, after = item.context.rpartition(BLANK)
    words = []
    for sentence in (item.option("stereotype"), item.option("anti-stereotype")):
        if (span := fill_span(item.context, sentence)) is None or BLANK in before:
            return Skipped(item.id, "not one word stands in its blank")
        words.append((sentence[slice(*span)],))
    return TokenSetItem(
        id=item.id,
        text=f"{before}{BLANK}{after}",
        stereotypical=words[0],
        anti_stereotypical=words[1],
        bias_type=item.bias_type,
        language=item.language,
    )
