"""What a model puts into the open slot of a template, for every word for a person."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....data.grammar import grammar_of
from ....data.words import GenderedPair
from ....errors import DataError
from ....models.masked import MaskedRequest
from ....result import Skipped
from ...rows import finite
from ...template_filling import Cloze, fill, read_words

if TYPE_CHECKING:
    from ....data.templates import Template

GENDERS = ("female", "male")
Keep = Callable[[NDArray[np.float32]], NDArray[np.intp]]
"""Chooses the ids of the tokens that count from their log-probabilities."""
_NUMBERS_AT_ONCE = 1 << 25
"""Most probabilities, words times vocabulary, that are held at one time."""
Person = tuple[str, str]
"""Gender and word."""


def person_texts(
    pairs: Sequence[GenderedPair], language: str, *, uncased: bool = False
) -> dict[Person, str | Skipped]:
    """Return what represents every word in a sentence, or why nothing does.

    Spellings that an ``uncased`` model cannot tell apart count once.
    """
    texts: dict[Person, str | Skipped] = {}
    first: dict[Person, str] = {}
    for pair in pairs:
        for gender in GENDERS:
            word = getattr(pair, gender)
            same = first.setdefault((gender, word.lower() if uncased else word), word)
            texts.setdefault(
                (gender, word),
                _with_article(word, gender, pair.kind, language)
                if same == word
                else Skipped(word, f"the model reads it as {same!r}, which counts once", gender),
            )
    for word in {w for g, w in texts if g == "female"} & {w for g, w in texts if g == "male"}:
        for gender in GENDERS:
            texts[gender, word] = Skipped(word, "given as a word of both genders", gender)
    return texts


def _with_article(word: str, gender: str, kind: str, language: str) -> str | Skipped:
    """Return a name as it is, a noun with its article ("the nurse")."""
    if kind == "name":
        return word
    grammar = grammar_of(language)
    known = grammar.word(word)
    if kind == "pronoun" or known.kind not in ("", "person"):
        return Skipped(word, "no name or noun for a person, which the templates need", gender)
    if grammar.language == "en":
        return f"the {word}"
    if "the" not in grammar.agreements:
        return word
    try:
        article = grammar.agreeing("the", known, "singular", word)
    except DataError as error:
        return Skipped(word, str(error), gender)
    return article + word if article.endswith(("'", "’")) else f"{article} {word}"


def top_fills(k: int) -> Keep:
    """Ids of the k most likely tokens."""
    return lambda row: np.argpartition(row, -min(k, len(row)))[-k:]


def fills_above(threshold: float) -> Keep:
    """Ids of the tokens of probability above a threshold."""
    return lambda row: np.flatnonzero(row > np.log(threshold))


@dataclass(frozen=True, slots=True)
class Fills:
    """What a model put into the templates.

    Attributes:
        fills_by_word: for each word that can be scored, its fills in each template.
        skipped: the other words, with the reason.
    """

    fills_by_word: Mapping[Person, Sequence[frozenset[str]]]
    skipped: tuple[Skipped, ...]

    def words(self, gender: str) -> list[Person]:
        """Return the words of a gender that have fills."""
        return [person for person in self.fills_by_word if person[0] == gender]


def read_fills(
    model: Any, texts: Mapping[Person, str | Skipped], templates: Sequence[Template], keep: Keep
) -> Fills:
    """Put every word into every template and let the model fill the open slot.

    Distributions over a vocabulary are large: only some texts' are held at one time, and only the fills are kept.
    """
    filled = []
    for (_, word), text in texts.items():
        for template in templates if isinstance(text, str) else ():
            filling = fill(template, person=text, mask=model.mask_token)
            if not isinstance(filling, str):
                # The place of the word alone, so that an article cannot replace it.
                end = filling.spans["person"][1]
                filling = dataclasses.replace(
                    filling, spans={**filling.spans, "person": (end - len(word), end)}
                )
            filled.append(filling)
    clozes = iter(read_words(model, filled))
    requests: dict[Person, list[MaskedRequest]] = {}
    skipped = []
    for person, text in texts.items():
        of_person = (
            text
            if isinstance(text, Skipped)
            else _requests(model.mask_id, [next(clozes) for _ in templates], person)
        )
        if isinstance(of_person, Skipped):
            skipped.append(of_person)
        else:
            requests[person] = of_person
    fills_of = _distinct_fills(model, [r for members in requests.values() for r in members], keep)
    return Fills(
        {p: [fills_of[r.encoded.ids] for r in members] for p, members in requests.items()}, tuple(skipped)
    )


def _requests(mask: int, clozes: Sequence[Cloze | str], person: Person) -> list[MaskedRequest] | Skipped:
    """One request per template, or why the word cannot be scored."""
    gender, word = person
    out = []
    for cloze in clozes:
        if isinstance(cloze, str):
            return Skipped(word, cloze, gender)
        if (n := cloze.encoded.ids.count(mask)) != 1:
            return Skipped(word, f"the model finds {n} masks in {cloze.encoded.text!r}, not one", gender)
        out.append(MaskedRequest(cloze.encoded, (cloze.encoded.ids.index(mask),)))
    return out


def _distinct_fills(
    model: Any, requests: Sequence[MaskedRequest], keep: Keep
) -> dict[tuple[int, ...], frozenset[str]]:
    """Return the fills of every different text."""
    distinct = list({r.encoded.ids: r for r in requests}.values())
    at_once = max(1, _NUMBERS_AT_ONCE // len(model.tokenizer))
    fills_of, tokenizer = {}, model.tokenizer
    for first in range(0, len(distinct), at_once):
        batch = distinct[first : first + at_once]
        for request, rows in zip(batch, model.mask_distributions(batch), strict=True):
            # NaN would be among the most likely tokens. A model gives -inf to a token that it rules out.
            finite(model, rows[0][rows[0] != -np.inf])
            # A token as people write it, or as the tokenizer does if nothing would be left of it.
            fills_of[request.encoded.ids] = frozenset(
                str(tokenizer.decode([i])).strip() or str(tokenizer.convert_ids_to_tokens(i))
                for i in keep(rows[0]).tolist()
            )
    return fills_of
