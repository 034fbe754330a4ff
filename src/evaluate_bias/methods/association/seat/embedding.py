"""Vectors of the sentences of SEAT, with what the model could not embed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ....models.base import ContextEmbedder
from ....models.pooling import Representation
from ....result import Skipped
from ....text import stable_order
from ...word_lists.inputs import LISTS, Forms, Material, caveats, check_coverage
from .stimuli import ListStimuli, StimulusSentence

if TYPE_CHECKING:
    from ....data.schemas import WordListTest


_WORD = re.compile(r"[^\W_]+")
Place = tuple[str, tuple[int, int]]
"""A text, and where the word stands in it."""


def embed(
    model: ContextEmbedder, stimuli: Sequence[Mapping[str, ListStimuli]], representation: Representation
) -> dict[Place, Any]:
    """Embed every distinct text and place once, shape (dimension,); a skip where the model cannot."""
    places = list(
        dict.fromkeys((s.text, s.span) for test in stimuli for one in test.values() for s in one.sentences)
    )
    # A ready sentence has no word to look for unless the representation asks for one, which then is all of it.
    spans = [
        span if representation.needs_span or " " not in text or span != (0, len(text)) else None
        for text, span in places
    ]
    found = model.embed_in_context([text for text, _ in places], spans, [representation]) if places else []
    return {
        place: vector if isinstance(vector, Skipped) else vector[0]
        for place, vector in zip(places, found, strict=True)
    }


def words_without_vector(model: Any, stimuli: Sequence[Mapping[str, ListStimuli]]) -> list[str]:
    """Words of the templates that word vectors do not have, which the mean of a sentence leaves out."""
    if not hasattr(model, "embed_words"):
        return []
    rest = " ".join(
        dict.fromkeys(
            f"{s.text[: s.span[0]]} {s.text[s.span[1] :]}"
            for test in stimuli
            for one in test.values()
            for s in one.sentences
        )
    )
    words = list(dict.fromkeys(_WORD.findall(rest)))
    _, missing = model.embed_words(words) if words else (None, [])
    return [words[i] for i in missing]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceMaterial(Material):
    """A test by the sentences on its words.

    Attributes:
        vectors: of the sentences of each list, shape (sentences, dimension).
        owners: for each list, the number of the word each sentence belongs to, shape (sentences,).
        representation: what was taken from a sentence.
    """

    warnings: list[str]
    vectors: Sequence[NDArray[np.float64]]
    owners: Sequence[NDArray[np.intp]]
    representation: Representation

    @property
    def called(self) -> str:
        """What errors about the test call it."""
        return f"{self.test.name} ({self.representation})"


def _advice(lost: Sequence[str], stimuli: ListStimuli) -> str:
    """What helps: other templates only where the templates are what did not take a word."""
    if any(s.item in lost for s in stimuli.skipped):
        return "use templates that take any word such as templates=['This is {target}.'], or templates='none'"
    return "use words the model knows, or another model"


def prepare(
    model: str,
    test: WordListTest,
    forms: Forms,
    stimuli: Mapping[str, ListStimuli],
    vectors: Mapping[Place, Any],
    max_missing: float,
    representation: Representation,
) -> SentenceMaterial:
    """Gather the vectors of a test; refuses a list that loses too many of its words."""
    words: dict[str, tuple[str, ...]] = {}
    of_lists, owners, left_out, warnings = [], [], [], []
    for name in LISTS:
        where, one = f"{test.name}/{name}", stimuli[name]
        kept, skipped = _kept(one, vectors, where)
        left_out += [*one.skipped, *skipped]
        having = {s.word for s in kept}
        found = [i for i in stable_order(one.words) if i in having]
        lost = [word for i, word in enumerate(one.words) if i not in having]
        reason = next((s.reason for s in (*one.skipped, *skipped) if s.item in lost), "")
        check_coverage(
            where,
            lost,
            len(one.words),
            max_missing,
            found=f"gives a sentence that {model} can embed",
            missing=f"give no sentence that {model} can embed",
            advice=f"the first because {reason}; {_advice(lost, one)}",
        )
        number = {word: i for i, word in enumerate(found)}
        kept.sort(key=lambda s: number[s.word])
        words[name] = tuple(one.words[i] for i in found)
        of_lists.append(np.stack([vectors[s.text, s.span] for s in kept]).astype(np.float64))
        owners.append(np.array([number[s.word] for s in kept], dtype=np.intp))
        for word in one.words:
            alike = [w for w in getattr(test, name) if forms[name][w] == forms[name][word]]
            spelt = ", ".join(map(repr, sorted(set(alike))))
            if len(alike) > 1:
                warnings.append(f"{where}: {spelt} is given {len(alike)} times and counts as often")
    found_forms = {name: {w: forms[name][w] for w in some} for name, some in words.items()}
    return SentenceMaterial(
        test=test,
        words=words,
        asked={name: len(stimuli[name].words) for name in LISTS},
        skipped=left_out,
        warnings=[*warnings, *caveats(test.name, found_forms, words)],
        vectors=of_lists,
        owners=owners,
        representation=representation,
    )


def _kept(
    one: ListStimuli, vectors: Mapping[Place, Any], where: str
) -> tuple[list[StimulusSentence], list[Skipped]]:
    """The sentences of a list that have a vector, and the others with the reason."""
    kept: list[StimulusSentence] = []
    skipped: list[Skipped] = []
    for sentence in one.sentences:
        vector = vectors[sentence.text, sentence.span]
        if isinstance(vector, Skipped):
            skipped.append(Skipped(one.words[sentence.word], f"{sentence.text!r}: {vector.reason}", where))
            continue
        if not vector.any():
            raise InputError(
                f"{where}: the embedding of {sentence.text!r} is zero, so its cosine is undefined"
            )
        kept.append(sentence)
    return kept, skipped
