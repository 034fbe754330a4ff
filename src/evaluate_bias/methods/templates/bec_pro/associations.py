"""From sentences of BEC-Pro to the associations of person words and professions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from ....data.schemas import Schema, parse_row
from ....data.templates import Filled
from ....errors import InputError, quoted
from ....result import Skipped
from ....text import row_place, word_spans
from ...rows import as_fields
from ...template_filling import largest_scorable_block, read_words, word_logprobs

Gender = Literal["female", "male"]
_Key = tuple[Gender, int]
"""Gender and pair of a word for a person."""


_MOST_CELLS = 10_000_000


class Sentence(Schema):
    """A sentence with a word for a person and a profession.

    Attributes:
        sentence: the sentence.
        person: the word for a person as it appears in the sentence.
        gender: its gender.
        profession: the profession as it appears in the sentence.
        profession_gender: the group of the profession, ``"female"``, ``"male"`` or another.
        template: what the sentences of one template have in common.
        pair: the words for persons of one number belong together, by default counted in the order of each
            gender.
        profession_en: what the male and the female form of a profession have in common, by default
            ``profession``.
        person_start, person_end, profession_start, profession_end: where the two appear, in characters, end
            exclusive. By default they are looked up.
    """

    model_config = ConfigDict(extra="ignore")

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
        """Return the sentence with the places of its two words, or which of them does not appear in it."""
        words = {"person": self.person, "profession": self.profession}
        spans: dict[str, tuple[int, int]] = {}
        for slot, word in words.items():
            start, end = getattr(self, f"{slot}_start"), getattr(self, f"{slot}_end")
            if start is not None and end is not None:
                places = [(start, end)] if start >= 0 and self.sentence[start:end] == word else []
            else:
                all_spans = word_spans(self.sentence, word, cased=False)
                places = [s for s in all_spans if all(s[1] <= a or b <= s[0] for a, b in spans.values())]
            if not places:
                return f"{quoted(word)} is not in {quoted(self.sentence)}"
            spans[slot] = places[0]
        return Filled(self.sentence, spans, words, self.template)


@dataclass(frozen=True, slots=True)
class Associations:
    """Associations log p(person | profession) − log p(person | hidden profession), in nats.

    Attributes:
        table: shape (words for persons, templates, professions).
        persons: gender, pair and word of every word for a person, in the order of these.
        professions: name and group of every profession, in the order of their text.
        in_data_order: the same in the order of the rows.
        skipped: words and professions that cannot be scored.
        n_sentences: number of sentences given.
        paired: whether the data say which words belong together, rather than their order.
    """

    table: NDArray[np.float64]
    persons: tuple[tuple[Gender, int, str], ...]
    professions: tuple[tuple[str, str], ...]
    in_data_order: tuple[tuple[str, str], ...]
    skipped: tuple[Skipped, ...]
    n_sentences: int
    paired: bool

    def word_rows(self, gender: Gender) -> list[int]:
        """Rows of the words of a gender, in the order of their pairs, if the data say which these are."""
        return [i for i, (word_gender, _, _) in enumerate(self.persons) if word_gender == gender]

    def profession_columns(self, group: str) -> list[int]:
        """Columns of the professions of a group."""
        return [i for i, (_, profession_group) in enumerate(self.professions) if profession_group == group]


def associations(model: Any, rows: Sequence[Any]) -> Associations:
    """Score every sentence, all in one run.

    A word for a person, or a profession, is omitted when one of its sentences is missing or cannot be scored,
    the worst first, so that all that is compared is made of the same words.

    Raises:
        DataError: a row does not follow the schema.
    """
    sentences = [
        parse_row(Sentence, as_fields(row, where), where)
        for row, where in ((row, row_place(i, len(rows), "sentence")) for i, row in enumerate(rows))
    ]
    clozes = read_words(model, [s.filled() for s in sentences])
    words, cells, skipped = _arrange_cells(sentences, clozes)
    names = list(dict.fromkeys(name for _, _, name in cells))
    templates = {template: j for j, template in enumerate(dict.fromkeys(t for _, t, _ in cells))}
    size = len(words) * len(templates) * len(names)
    if size > _MOST_CELLS:
        raise InputError(
            f"bec_pro: {len(words)} words for persons, {len(templates)} templates and {len(names)} professions make "
            f"{size} sentences, and at most {_MOST_CELLS} can be compared",
            hint="give fewer words or professions",
        )
    # By pair and text, so that rows in another order lose the same words and have the same interval.
    paired = all(s.pair is not None for s in sentences)
    keys = sorted(words, key=lambda key: (key[0], key[1] if paired else 0, words[key].casefold()))
    persons, professions = [(*key, words[key]) for key in keys], sorted(names)
    rows_of, columns_of = ({key: i for i, key in enumerate(axis)} for axis in (keys, professions))
    grid = np.full(
        (len(persons), len(templates), len(names)), "one of its sentences is missing", dtype=object
    )
    for (key, template, name), cloze in cells.items():
        grid[rows_of[key], templates[template], columns_of[name]] = cloze
    kept_persons, kept_professions, lost = largest_scorable_block(grid)
    for axis, place, reason in lost:
        item = persons[place][2] if axis == 0 else professions[place][0]
        skipped.append(Skipped(item, reason, "person" if axis == 0 else "profession"))
    block = grid[np.ix_(kept_persons, range(len(templates)), kept_professions)]
    all_requests = [
        requests
        for cloze in block.ravel()
        for requests in (cloze.requests("person"), cloze.requests("person", hidden=["profession"]))
    ]
    values = word_logprobs(model, all_requests).reshape(*block.shape, 2)
    scored = tuple(professions[i] for i in kept_professions)
    return Associations(
        table=values[..., 0] - values[..., 1],
        persons=tuple(persons[i] for i in kept_persons),
        professions=scored,
        in_data_order=tuple(name for name in names if name in scored),
        skipped=tuple(skipped),
        n_sentences=len(rows),
        paired=paired,
    )


def _arrange_cells(
    sentences: Sequence[Sentence], clozes: Sequence[Any]
) -> tuple[dict[_Key, str], dict[tuple[_Key, str, tuple[str, str]], Any], list[Skipped]]:
    """The words for persons by gender and pair, what was read of each with template and profession, and repetitions."""
    skipped: list[Skipped] = []
    words: dict[_Key, str] = {}
    cells: dict[tuple[_Key, str, tuple[str, str]], Any] = {}
    forms = dict.fromkeys((s.gender, s.person.casefold()) for s in sentences)
    number = {
        form: i for gender in ("female", "male") for i, form in enumerate(f for f in forms if f[0] == gender)
    }
    for s, cloze in zip(sentences, clozes, strict=True):
        key = (s.gender, number[s.gender, s.person.casefold()] if s.pair is None else s.pair)
        words.setdefault(key, s.person)
        cell = (key, s.template, (s.profession_en or s.profession, s.profession_gender))
        if cell in cells:
            skipped.append(Skipped(s.sentence, "its words and template were given before", "sentence"))
        else:
            cells[cell] = cloze
    return words, cells, skipped
