"""Texts about several groups in the same prompts, as numbers: means, and what exchanging the groups' words changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....data.prompts import GroupPrompt
from ....errors import DataError
from ...rows import places_of
from .scorers import TextScorer, WrittenText
from .statistics import exchanged
from .writing import Writing


class _Exchange(NamedTuple):
    """A text of a row with the words of another group, and the side of the difference that it stands on."""

    prompt: int
    side: int
    row: int
    place: int
    text: WrittenText


@dataclass(frozen=True, slots=True)
class GroupTexts:
    """What was written about groups.

    Attributes:
        rows: the prompts, a row for every group.
        texts: of every row.
        groups: names of all groups.
        prompts: the rows of every prompt.
        n_unread: of every row, how many texts could not be read.
    """

    rows: Sequence[GroupPrompt]
    texts: Sequence[Sequence[WrittenText]]
    groups: Sequence[str]
    prompts: Mapping[str, Sequence[int]]
    n_unread: Sequence[int]

    @classmethod
    def of(cls, rows: Sequence[GroupPrompt], writing: Writing, groups: Sequence[str]) -> GroupTexts:
        """Rows with what was written to them.

        Raises:
            DataError: a group has more forms than another in one prompt: they are exchanged by their places.
        """
        prompts = places_of(row.prompt for row in rows)
        for prompt, places in prompts.items():
            if len({len(rows[i].words) for i in places}) > 1:
                numbers = {rows[i].group: len(rows[i].words) for i in places}
                counts = ", ".join(f"{n} of {group}" for group, n in numbers.items())
                raise DataError(
                    f"the prompt {prompt!r} has forms in different numbers ({counts}): give as many of every group, in "
                    "one order"
                )
        n_unread = [len(writing.reasons.get(i, ())) for i in range(len(rows))]
        return cls(rows, writing.texts, groups, prompts, n_unread)

    def of_group(self, prompt: str, group: str) -> list[int]:
        """The rows of a prompt about a group."""
        return [i for i in self.prompts[prompt] if self.rows[i].group == group]

    def scores(self, scorer: TextScorer) -> list[list[float]]:
        """The number of every text of every row."""
        flat = iter(scorer.scores([text for of_row in self.texts for text in of_row]))
        return [[next(flat) for _ in of_row] for of_row in self.texts]

    def completed(self, scores: Sequence[Sequence[float]], numbers: Mapping[str, float]) -> list[list[float]]:
        """The numbers with one for every text that has none: that of its row's group."""
        return [
            [v if np.isfinite(v) else number for v in values] + [number] * n_unread
            for values, n_unread, number in zip(
                scores, self.n_unread, (numbers.get(row.group, np.nan) for row in self.rows), strict=True
            )
        ]

    def means(self, scores: Sequence[Sequence[float]]) -> FloatArray:
        """Mean number of each group's texts in each prompt, shape (prompts, groups); NaN where there is none."""
        table = np.full((len(self.prompts), len(self.groups)), np.nan)
        for place, prompt in enumerate(self.prompts):
            for column, group in enumerate(self.groups):
                table[place, column] = _mean([v for i in self.of_group(prompt, group) for v in scores[i]])
        return table

    def own_part(
        self, scorer: TextScorer, scores: Sequence[Sequence[float]], first: str, second: str
    ) -> FloatArray:
        """The difference of two groups that a scorer makes of their words in the same texts, shape (prompts,).

        The mean of both sides: the first group's texts less themselves with the second's words, and the second's with
        the first's words less themselves. NaN where a group has no text.
        """
        exchanges = list(self._exchanges(first, second))
        changed = [e for e in exchanges if e.text != self.texts[e.row][e.place]]
        new = dict(zip(changed, scorer.scores([e.text for e in changed]), strict=True))
        parts: dict[tuple[int, int], list[float]] = {}
        for e in exchanges:
            old = scores[e.row][e.place]
            parts.setdefault((e.prompt, e.side), []).append((1 - 2 * e.side) * (old - new.get(e, old)))
        n = len(self.prompts)
        sides = [[_mean(parts.get((place, side), [])) for side in (0, 1)] for place in range(n)]
        return np.asarray(np.mean(sides, axis=1), dtype=np.float64)

    def _exchanges(self, first: str, second: str) -> Iterator[_Exchange]:
        """Every text about the two groups with the words of the other one."""
        for place, prompt in enumerate(self.prompts):
            both = [self.of_group(prompt, group) for group in (first, second)]
            for side, others in enumerate(both[::-1]):
                for number, i in enumerate(both[side] if others else ()):
                    words = self.rows[others[number % len(others)]].words
                    for at, one in enumerate(self.texts[i]):
                        text = one._replace(text=exchanged(one.text, self.rows[i].words, words))
                        yield _Exchange(place, side, i, at, text)


def _mean(values: Sequence[float]) -> float:
    """Mean of the numbers that are there, whatever their order; NaN where there are none."""
    numbers = np.sort([value for value in values if np.isfinite(value)])
    return float(numbers.mean()) if len(numbers) else float("nan")
