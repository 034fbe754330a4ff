"""Analogy questions as vectors: their words looked up, and what some solvers learn from the pairs of a relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ....data.analogies import AnalogyQuestion
from ....models.base import WordEmbedder
from ....result import Skipped
from ...word_lists.inference import derive_seed
from ...word_lists.inputs import forms_of
from .search import Questions, Solver


@dataclass(frozen=True, slots=True)
class Query:
    """A question, its words as the vocabulary spells them, and the expected ones that are none of its own words."""

    row: AnalogyQuestion
    a: str
    b: str
    c: str
    expected: frozenset[str]

    @property
    def name(self) -> str:
        """The question as people write it."""
        return f"{self.row.a} : {self.row.b} :: {self.row.c} : ?"

    def skip(self, reason: str) -> Skipped:
        """The question as one that is left out."""
        return Skipped(self.name, reason, self.row.relation)


def read_questions(
    model: WordEmbedder, rows: Sequence[AnalogyQuestion]
) -> tuple[list[Query], dict[str, FloatArray], list[Skipped]]:
    """The questions that can be asked, unit vectors of their words by spelling, and the other questions."""
    words = list(dict.fromkeys(word for row in rows for word in (row.a, row.b, row.c)))
    forms = forms_of(model, list(dict.fromkeys([*words, *(w for row in rows for w in row.expected)])))
    vectors, missing = model.embed_words(words)
    lost = {words[i] for i in missing}
    known_words = [word for word in words if word not in lost]
    units: dict[str, FloatArray] = {}
    for word, vector in zip(known_words, np.asarray(vectors, dtype=np.float64), strict=True):
        length = float(np.linalg.norm(vector))
        if length == 0:
            lost.add(word)
        else:
            units[forms[word]] = vector / length
    queries: dict[tuple[str, str, str, str], Query] = {}
    skipped = []
    for row in rows:
        a, b, c = spellings = forms[row.a], forms[row.b], forms[row.c]
        q = Query(row, a, b, c, frozenset(forms[word] for word in row.expected) - {*spellings})
        key = (row.relation, *spellings)
        if without := [word for word in (row.a, row.b, row.c) if word in lost]:
            reason = f"no vector, or a zero one, of {', '.join(dict.fromkeys(without))}"
        elif a in (b, c):
            reason = "its first word stands in it twice"
        elif not q.expected:
            reason = "the expected words are words of the question"
        elif key in queries:
            reason = "given more than once, counted once"
        else:
            queries[key] = q
            continue
        skipped.append(q.skip(reason))
    return list(queries.values()), units, skipped


def pose(
    queries: Sequence[Query],
    units: dict[str, FloatArray],
    solver: Solver,
    vocabulary: Sequence[str],
    model: WordEmbedder,
    seed: int,
) -> tuple[Questions | None, list[Query], list[Skipped]]:
    """The questions as arrays, those that the solver can answer, and the others.

    3CosAvg and LRCos learn from the pairs a, b of the questions of the relation, without those that hold c or an
    expected word: they would give the answer away. LRCos learns what the words b have in common that the words a, and
    as many random words, have not.
    """
    posed_queries, skipped, offsets, lines = [], [], [], []
    noise: dict[str, list[FloatArray]] = {}
    fitted: dict[tuple[str, tuple[str, ...], tuple[str, ...]], FloatArray] = {}
    relations: dict[str, set[tuple[str, str]]] = {}
    for q in queries:
        relations.setdefault(q.row.relation, set()).add((q.a, q.b))
    for q in queries:
        relation = q.row.relation
        pairs = sorted(p for p in relations[relation] if {*p}.isdisjoint({q.c, *q.expected}))
        first = tuple(sorted({a for a, _ in pairs} - {b for _, b in pairs}))
        second = tuple(sorted({b for _, b in pairs} - {a for a, _ in pairs}))
        reason = ""
        if solver == "pair_distance" and np.linalg.norm(units[q.b] - units[q.a]) < 1e-5:
            reason = "its first two words have the same direction"
        elif solver in ("3cosavg", "lrcos") and not pairs:
            reason = "no pair of its relation to learn from that does not hold its answer"
        elif solver == "lrcos" and not (first and second):
            reason = "the pairs of its relation have the same words on both sides"
        if reason:
            skipped.append(q.skip(reason))
            continue
        posed_queries.append(q)
        if solver == "3cosavg":
            offsets.append(np.mean([units[b] - units[a] for a, b in pairs], axis=0))
        if solver == "lrcos":
            if relation not in noise:
                noise[relation] = _random(model, vocabulary, relations[relation], derive_seed(relation, seed))
            key = (relation, first, second)
            if key not in fitted:
                negative = [*(units[a] for a in first), *noise[relation]]
                fitted[key] = _classifier([units[b] for b in second], negative)
            lines.append(fitted[key])
    if not posed_queries:
        return None, [], skipped
    a, b, c = (_stacked([units[getattr(q, name)] for q in posed_queries]) for name in "abc")
    learnt = np.array(lines, dtype=np.float32) if lines else None
    questions = Questions(
        a=a,
        b=b,
        c=c,
        offsets=_stacked(offsets) if offsets else None,
        weights=None if learnt is None else learnt[:, :-1],
        intercepts=None if learnt is None else learnt[:, -1],
    )
    return questions, posed_queries, skipped


def _stacked(vectors: Sequence[FloatArray]) -> NDArray[np.float32]:
    return np.stack(vectors).astype(np.float32)


def _random(
    model: WordEmbedder, vocabulary: Sequence[str], pairs: set[tuple[str, str]], seed: int
) -> list[FloatArray]:
    """Unit vectors of random words, as many as there are pairs, none of which is a word of these."""
    words_of_pairs = {word for pair in pairs for word in pair}
    others = [word for word in vocabulary if word not in words_of_pairs]
    rng = np.random.default_rng(seed)
    places = rng.choice(len(others), size=min(len(pairs), len(others)), replace=False)
    vectors = np.asarray(model.embed_words([others[i] for i in places])[0], dtype=np.float64)
    return [vector / length for vector in vectors if (length := float(np.linalg.norm(vector))) > 0]


def _classifier(positive: Sequence[FloatArray], negative: Sequence[FloatArray]) -> FloatArray:
    """Weights of a logistic regression that counts both classes alike, and behind them its intercept."""
    from sklearn.linear_model import LogisticRegression

    labels = [1] * len(positive) + [0] * len(negative)
    classifier = LogisticRegression(class_weight="balanced", tol=1e-8, max_iter=1_000)
    classifier.fit(np.stack([*positive, *negative]), labels)
    return np.append(classifier.coef_[0], classifier.intercept_[0])
