"""From sentences of BEC-Pro to the associations of person words and professions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from ....data.schemas import parse_row
from ....data.templates import Filled
from ....errors import InputError, quoted
from ....result import Skipped
from ....text import word_spans
from ...rows import as_fields
from ...template_filling import largest_scorable_block, read_words, word_logprobs

Gender = Literal["female", "male"]


_MOST_CELLS = 10_000_000


class Sentence(BaseModel):
    """A sentence with a word for a person and a profession.

    Attributes:
        sentence: the sentence.
        person: the word for a person as it stands in the sentence.
        gender: its gender.
        profession: the profession as it stands in the sentence.
        profession_gender: the group of the profession, ``"female"``, ``"male"`` or another.
        template: what the sentences of one template have in common.
        pair: the words for persons of one number belong together; by default counted in the order of each gender.
        profession_en: what the male and the female form of a profession have in common; by default ``profession``.
        person_start, person_end, profession_start, profession_end: where the two stand, in characters, end exclusive;
            by default they are looked up.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    sentence: str
    person: str
    gender: Gender
    profession: str
    profession_gender: str
    template: str = ""
    pair: int | None = None
    profession_en: str = ""
    person_start: int | None = None
    person_end: int | None = None
    profession_start: int | None = None
    profession_end: int | None = None

    def filled(self) -> Filled | str:
        """The sentence with the places of its two words, or which of them does not stand in it."""
        person = self._place("person", self.person, self.person_start, self.person_end, ())
        if person is None:
            return f"{quoted(self.person)} does not stand in {quoted(self.sentence)}"
        place = self._place(
            "profession", self.profession, self.profession_start, self.profession_end, (person,)
        )
        if place is None:
            return f"{quoted(self.profession)} does not stand in {quoted(self.sentence)}"
        words = {"person": self.person, "profession": self.profession}
        return Filled(self.sentence, {"person": person, "profession": place}, words, self.template)

    def _place(
        self, slot: str, word: str, start: int | None, end: int | None, taken: Sequence[tuple[int, int]]
    ) -> tuple[int, int] | None:
        if start is not None and end is not None:
            return (start, end) if start >= 0 and self.sentence[start:end] == word else None
        found = word_spans(self.sentence, word, cased=False)
        return next((s for s in found if all(s[1] <= a or b <= s[0] for a, b in taken)), None)


@dataclass(frozen=True, slots=True)
class Associations:
    """Associations log p(person | profession) − log p(person | hidden profession), in nats.

    Attributes:
        table: shape (words for persons, templates, professions).
        persons: gender, pair and word of every word for a person, in the order of these.
        professions: name and group of every profession, in the order of their text.
        given: the same in the order of the rows.
        skipped: words and professions that cannot be scored.
        asked: number of sentences given.
        paired: whether the data say which words belong together, rather than their order.
    """

    table: NDArray[np.float64]
    persons: tuple[tuple[Gender, int, str], ...]
    professions: tuple[tuple[str, str], ...]
    given: tuple[tuple[str, str], ...]
    skipped: tuple[Skipped, ...]
    asked: int
    paired: bool

    def word_rows(self, gender: Gender) -> list[int]:
        """Rows of the words of a gender, in the order of their pairs, where the data say which these are."""
        return [i for i, (own, _, _) in enumerate(self.persons) if own == gender]

    def profession_columns(self, group: str) -> list[int]:
        """Columns of the professions of a group."""
        return [i for i, (_, own) in enumerate(self.professions) if own == group]


def associations(model: Any, rows: Sequence[Any]) -> Associations:
    """Score every sentence, all in one run.

    A word for a person, or a profession, is left out when one of its sentences is missing or cannot be scored, those
    with most such sentences first, so that all that is compared is made of the same words.

    Raises:
        DataError: a row does not follow the schema.
    """
    sentences = [
        parse_row(Sentence, as_fields(row, f"sentence {i}"), f"sentence {i}") for i, row in enumerate(rows)
    ]
    read = read_words(model, [s.filled() for s in sentences])
    words, templates, names, cells, skipped = _placed(sentences, read)
    size = len(words) * len(templates) * len(names)
    if size > _MOST_CELLS:
        raise InputError(
            f"bec_pro: {len(words)} words for persons, {len(templates)} templates and {len(names)} professions make "
            f"{size} sentences, and at most {_MOST_CELLS} can be compared; give fewer words or professions"
        )
    grid = np.empty((len(words), len(templates), len(names)), dtype=object)
    grid.fill("one of its sentences is missing")
    for cell, cloze in cells.items():
        grid[cell] = cloze
    # By pair and text, so that rows in another order lose the same words and have the same interval.
    paired = all(s.pair is not None for s in sentences)
    by_text = sorted(
        range(len(words)), key=lambda i: (words[i][0], words[i][1] if paired else 0, words[i][2].casefold())
    )
    given = list(names)
    by_name = sorted(range(len(given)), key=given.__getitem__)
    grid = grid[np.ix_(by_text, range(len(templates)), by_name)]
    words, professions = [words[i] for i in by_text], sorted(given)
    kept_persons, kept_professions, lost = largest_scorable_block(grid)
    for axis, place, reason in lost:
        item = words[place][2] if axis == 0 else professions[place][0]
        skipped.append(Skipped(item, reason, "person" if axis == 0 else "profession"))
    kept = grid[np.ix_(kept_persons, range(len(templates)), kept_professions)]
    asked = [
        requests
        for cloze in kept.ravel()
        for requests in (cloze.requests("person"), cloze.requests("person", hidden=["profession"]))
    ]
    values = word_logprobs(model, asked).reshape(*kept.shape, 2)
    scored = tuple(professions[i] for i in kept_professions)
    return Associations(
        table=values[..., 0] - values[..., 1],
        persons=tuple(words[i] for i in kept_persons),
        professions=scored,
        given=tuple(sorted(scored, key=names.__getitem__)),
        skipped=tuple(skipped),
        asked=len(rows),
        paired=paired,
    )


def _placed(
    sentences: Sequence[Sentence], read: Sequence[Any]
) -> tuple[
    list[tuple[Gender, int, str]],
    dict[str, int],
    dict[tuple[str, str], int],
    dict[tuple[int, int, int], Any],
    list[Skipped],
]:
    """Words, places of templates and of professions, what was read at (word, template, profession), and repetitions."""
    skipped: list[Skipped] = []
    places: dict[tuple[Gender, int], int] = {}
    words: list[tuple[Gender, int, str]] = []
    names: dict[tuple[str, str], int] = {}
    templates: dict[str, int] = {}
    cells: dict[tuple[int, int, int], Any] = {}
    number: dict[tuple[Gender, str], int] = {}
    n_words: Counter[Gender] = Counter()
    for sentence, cloze in zip(sentences, read, strict=True):
        person = (sentence.gender, sentence.person.casefold())
        if person not in number:
            number[person] = n_words[sentence.gender]
            n_words[sentence.gender] += 1
        own = number[person]
        key = (sentence.gender, own if sentence.pair is None else sentence.pair)
        if key not in places:
            places[key] = len(places)
            words.append((*key, sentence.person))
        name = (sentence.profession_en or sentence.profession, sentence.profession_gender)
        cell = (
            places[key],
            templates.setdefault(sentence.template, len(templates)),
            names.setdefault(name, len(names)),
        )
        if cell in cells:
            skipped.append(Skipped(sentence.sentence, "its words and template were given before", "sentence"))
        else:
            cells[cell] = cloze
    return words, templates, names, cells, skipped
