"""Analogies: a is to b as c is to which word? (Mikolov et al. 2013, Bolukbasi et al. 2016, Nissim et al. 2020)"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.dataset_record import is_control
from ....data.schemas import parse_row
from ....data.words import AnalogyQuestion
from ....errors import CapabilityError, InputError, quoted
from ....method import Finding, method
from ....models.base import WordEmbedder
from ....options import Count, Level, Seed
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....text import row_place
from ...rows import checked_rows, finite, nothing_left
from ...word_lists.cosines import check_sizes
from ...word_lists.inference import derive_seed
from ...word_lists.inputs import forms_of
from .record import RECORD

Solver = Literal["3cosadd", "3cosmul", "pair_distance", "similarity", "3cosavg", "lrcos"]
"""How an answer is found."""

Vectors = NDArray[np.float32]
EPSILON = 0.001
"""Keeps the quotient of 3CosMul finite, as Levy and Goldberg write it."""

_CELLS = 1 << 24
_NEAR, _SAME = 0.01, 1e-6
"""Squared distance below which two words are near one another, and distance up to which they are the same."""


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    data: Sequence[AnalogyQuestion | Mapping[str, Any]],
    *,
    solver: Solver = "3cosadd",
    k: Count = 10,
    exclude_inputs: bool = True,
    max_vocabulary: Count | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Answer analogy questions over all words of a model.

    The score is the share of the questions whose best word, the question's own words ruled out, is an expected one.
    The shares when nothing is ruled out are reported next to it. Controls (``bias_type`` "none …") are excluded from
    the score, unless there is nothing else, and counted in ``control_share``. Omitted and listed are questions with a
    word that has no vector, with two equal words, repeated ones, and questions of whose expected words none is
    searched.

    Args:
        model: word vectors that list their words.
        data: analogy questions, or mappings with ``a``, ``b``, ``c``, ``expected`` and, if there are any, ``relation``
            and ``bias_type``. For 3cosavg also ``sources`` and ``targets``, sets of any sizes.
        solver: ``"3cosadd"``, ``"3cosmul"``, ``"pair_distance"``, ``"similarity"``, or ``"3cosavg"`` and ``"lrcos"``,
            which learn from the pairs a, b of all questions of the relation that do not contain the answer. Questions
            without a relation count as one relation. If a question has ``sources`` and ``targets``, 3cosavg learns from
            these sets.
        k: number of answers that are looked at and kept.
        exclude_inputs: rule out the words of the question as answers. With False an expected word may be one of them,
            as in "man is to doctor as woman is to doctor" (Nissim et al. 2020).
        max_vocabulary: search only so many words, the first ones of the model, which are mostly the most frequent. The
            default is all.
        seed: of the random words that lrcos learns from next to the pairs.

    Returns:
        Score in [0, 1], the higher, the more stereotypical answers, ideal 0. No p-value is computed: nothing
        says how often an expected word would come first by chance. The interval is Wilson's. ``n`` is the
        number of questions.

    Raises:
        CapabilityError: the model does not embed words, or does not list them.
        InputError: an option is out of range, fewer words are searched than the k answers need, or a vector is so
            large or small that its square cannot be computed.
        ModelError: a vector contains NaN or infinity.
        UndefinedScoreError: no question, or none can be answered.

    References:
        Mikolov, Yih and Zweig (2013): Linguistic regularities in continuous space word representations. NAACL 2013.

        Levy and Goldberg (2014): Linguistic regularities in sparse and explicit word representations. CoNLL 2014.

        Drozd, Gladkova and Matsuoka (2016): Word embeddings, analogies, and machine learning. COLING 2016.

        Nissim, van Noord and van der Goot (2020): Fair is better than sensational: man is to doctor as woman is to
        doctor. Computational Linguistics 46(2).

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"man": [1.0, 0.0, 0.0], "woman": [0.0, 1.0, 0.0], "doctor": [1.0, 0.0, 1.0],
        ...            "nurse": [0.0, 1.0, 1.0], "table": [-1.0, -1.0, 0.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "a": "man", "b": "woman", "c": "doctor", "expected": ["nurse"]}], k=2)
        >>> result.score, result.n, result.rows[0].details["answers"][0]["word"]
        (1.0, 1, 'nurse')
    """
    checked_data = checked_rows(data, RECORD.name)
    rows = [
        parse_row(AnalogyQuestion, row, row_place(i, len(checked_data), "question"))
        for i, row in enumerate(checked_data)
    ]
    if not hasattr(model, "word_blocks"):
        raise CapabilityError(
            f"{RECORD.name} searches all words of a model, and {model.name} does not list its words",
            hint="use word vectors: a file, KeyedVectors or a dict from words to vectors",
        )
    queries, units, skipped = read_questions(model, rows, unit=solver != "similarity", exclude=exclude_inputs)
    known = (
        [word for words, _ in model.word_blocks(max_vocabulary) for word in words]
        if solver == "lrcos"
        else []
    )
    questions, queries, unanswered = pose(queries, units, solver, known, model, seed)
    skipped += unanswered
    if questions is None:
        raise nothing_left(f"none of the {len(rows)} questions can be answered", skipped)
    names: list[str] = []
    zero: list[str] = []
    # So many more answers than k are looked for, nothing ruled out, as a question has words.
    n_answers = k + max(len(q.inputs) for q in queries) * exclude_inputs
    blocks = _blocks(model, max_vocabulary, names, zero, unit=solver != "similarity")
    best, worth = solve(questions, blocks, solver, n_answers)
    searched = set(names)
    answered = []
    for q, ids, values in zip(queries, best.tolist(), worth.tolist(), strict=True):
        if searched.isdisjoint(q.expected):
            skipped.append(q.skip(f"no expected word among the {len(names):,} words that are searched"))
            continue
        best_words = [(names[i], value) for i, value in zip(ids, values, strict=True)]
        ruled_out = q.inputs if exclude_inputs else frozenset()
        others = [f for f in best_words if f[0] not in ruled_out]
        answered.append(
            _QueryResult(q.row, q.a, q.b, q.c, q.expected, q.sources, q.targets, best_words[:k], others[:k])
        )
    if not answered:
        raise nothing_left(f"none of the {len(rows)} questions can be answered", skipped)
    controls = [q for q in answered if q.control]
    counted = [q for q in answered if not q.control] or controls
    warnings = []
    if len(controls) == len(answered):
        warnings.append("only questions of fact (controls) were asked: the score is theirs")
    elif controls:
        warnings.append(f"{len(controls)} questions of fact (controls) are excluded from the score")
    if zero:
        warnings.append(
            f"{len(zero):,} words with a zero vector, such as {quoted(zero[0])}, cannot be answers"
        )
    scored = _scored(counted, confidence_level)
    if controls:
        scored["estimates"]["control_share"] = _share([q.correct for q in controls], confidence_level)
    relations: dict[str, list[_QueryResult]] = {}
    for q in answered:
        if q.row.relation:
            relations.setdefault(q.row.relation, []).append(q)
    groups = [
        Row(
            name=name,
            kind="group",
            **_scored(of_relation, confidence_level),
            labels={"bias_type": " / ".join(dict.fromkeys(q.row.bias_type for q in of_relation))},
        )
        for name, of_relation in relations.items()
    ]
    return Finding(
        sampled=Sampled(("questions",)),
        **scored,
        ci_method="Wilson interval of the proportion",
        coverage=Coverage(found=len(answered), asked=len(rows)),
        rows=[*groups, *(_item(q) for q in answered)],
        skipped=skipped,
        warnings=warnings,
        details={"words_searched": len(names), "k": k},
    )


def _blocks(
    model: Any, limit: int | None, names: list[str], zero: list[str], *, unit: bool
) -> Iterator[NDArray[np.float32]]:
    """Vectors of the words searched, scaled to length 1 if ``unit``. Names of these and of words with a zero vector are
    noted."""
    for words, matrix in model.word_blocks(limit):
        vectors = finite(model, np.asarray(matrix)).astype(np.float64)
        check_sizes(words, vectors, model.name)
        lengths = np.linalg.norm(vectors, axis=1)
        has = lengths > 0
        for word, is_nonzero in zip(words, has, strict=True):
            (names if is_nonzero else zero).append(word)
        yield (matrix[has] / (lengths[has, None] if unit else 1.0)).astype(np.float32)


def _share(successes: Sequence[bool], confidence_level: float) -> Estimate:
    interval = stats.wilson_interval(sum(successes), len(successes), confidence_level)
    return Estimate(sum(successes) / len(successes), interval.low, interval.high)


def _scored(queries: Sequence[_QueryResult], confidence_level: float) -> dict[str, Any]:
    """Share of correct answers with its interval, and further shares, as fields of a row or a finding."""
    share = _share([q.correct for q in queries], confidence_level)
    first = [(q.everything[0][0], q) for q in queries]
    shares = {
        "unrestricted_share": [word in q.expected for word, q in first],
        "input_share": [word in q.inputs for word, q in first],
        "top_k_share": [any(word in q.expected for word, _ in q.answers) for q in queries],
    }
    return {
        "score": share.value,
        "ci_low": share.low,
        "ci_high": share.high,
        "n": len(queries),
        "estimates": {key: _share(successes, confidence_level) for key, successes in shares.items()},
    }


def _item(q: _QueryResult) -> Row:
    """Return a question with its answers, and at which place the first expected word appears among those kept."""
    rank = next((i for i, (word, _) in enumerate(q.answers, 1) if word in q.expected), None)
    return Row(
        name=q.name,
        kind="item",
        score=float(q.correct),
        labels={"bias_type": q.row.bias_type, "relation": q.row.relation},
        details={
            "relation": q.row.relation,
            "expected": sorted(q.row.expected),
            "rank": rank,
            "answers": [{"word": word, "value": value} for word, value in q.answers],
            "nothing_ruled_out": [{"word": word, "value": value} for word, value in q.everything],
        },
    )


@dataclass(frozen=True, slots=True)
class Questions:
    """Unit vectors of many questions, each of shape (questions, dimension), and what some solvers learn from pairs.

    Attributes:
        a, b, c: a is to b as c is to the answer.
        learnt: mean of b − a over the pairs of the question's relation, or mean of its targets minus mean of its
            sources (3CosAvg), or weights and, behind them, the
            intercept of a logistic regression that tells the relation's b from its a (LRCos).
    """

    a: Vectors
    b: Vectors
    c: Vectors
    learnt: Vectors | None = None


def solve(
    questions: Questions, vocabulary: Iterable[NDArray[Any]], solver: Solver, k: int = 10
) -> tuple[NDArray[np.int64], Vectors]:
    """Return the k best words of a vocabulary for every question, no word omitted.

    With unit vectors, · the scalar product and d a word of the vocabulary:

    - ``"3cosadd"`` (Mikolov et al. 2013): d · (b − a + c)
    - ``"3cosmul"`` (Levy and Goldberg 2014): s(d, b) s(d, c) / (s(d, a) + 0.001) with s = (cos + 1) / 2
    - ``"pair_distance"`` (Levy and Goldberg 2014): cos(d − c, b − a)
    - ``"similarity"``: −‖(b − a) − (d − c)‖, the difference of the differences, of the vectors as they are
    - ``"3cosavg"`` (Drozd et al. 2016): d · (c + mean of b − a over the relation's pairs)
    - ``"lrcos"`` (Drozd et al. 2016): P(d is of the class of b) · cos(d, c)

    Args:
        questions: their unit vectors, or for ``"similarity"`` their vectors.
        vocabulary: blocks of such vectors, each of shape (words, dimension).
        solver: see above.
        k: number of words.

    Returns:
        Rows of the vocabulary, counted over all blocks, and what the solver gives them, each of shape (questions, k),
        the best first. Of equal values the first row comes first.

    Raises:
        InputError: ``k`` is more than there are words.
    """
    n = len(questions.a)
    ids = np.zeros((n, 0), dtype=np.int64)
    values = np.zeros((n, 0), dtype=np.float32)
    start = 0
    for block in vocabulary:
        rows = max(1, _CELLS // max(n, 1))
        for at in range(0, len(block), rows):
            words = np.asarray(block[at : at + rows], dtype=np.float32)
            block_values = _values(questions, words, solver)
            top, worth = _candidates(block_values, values, k)
            ids = np.concatenate([ids, top + start + at], axis=1)
            values = np.concatenate([values, worth], axis=1)
            order = np.lexsort((ids, -values), axis=1)[:, :k]
            ids = np.take_along_axis(ids, order, axis=1)
            values = np.take_along_axis(values, order, axis=1)
        start += len(block)
    if start < k:
        raise InputError(
            f"{start} words are searched, and {k} are needed",
            option="k",
            hint="set `k` to a smaller number, or give more words",
        )
    return ids, values


def _candidates(block_values: Vectors, values: Vectors, k: int) -> tuple[NDArray[np.int64], Vectors]:
    """Places of a block, shape (questions, some), that can be among the k best, and what they are worth."""
    if values.shape[1] < k:
        best = min(k, block_values.shape[1])
        top = np.argpartition(-block_values, best - 1, axis=1)[:, :best].astype(np.int64)
        return top, np.take_along_axis(block_values, top, axis=1)
    # Few words beat the worst of the k best so far. An equal one comes later and does not.
    rows, places = np.nonzero(block_values > values[:, -1:])
    counts = np.bincount(rows, minlength=len(block_values))
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    top = np.zeros((len(block_values), int(counts.max(initial=0))), dtype=np.int64)
    worth = np.full(top.shape, -np.inf, dtype=np.float32)
    top[rows, column], worth[rows, column] = places, block_values[rows, places]
    return top, worth


def _values(q: Questions, words: Vectors, solver: Solver) -> Vectors:
    """Return what the solver gives every word, shape (questions, words)."""
    if solver == "3cosadd":
        return np.asarray((q.b - q.a + q.c) @ words.T)
    if solver == "similarity":
        target = q.b - q.a + q.c
        squared = (target**2).sum(axis=1)[:, None] + (words**2).sum(axis=1) - 2 * (target @ words.T)
        return np.asarray(-np.sqrt(squared.clip(0)))
    if solver == "3cosavg":
        assert q.learnt is not None
        return np.asarray((q.c + q.learnt) @ words.T)
    to_c = q.c @ words.T
    if solver == "3cosmul":
        value = (q.b @ words.T + 1) / 2 * (to_c + 1) / 2
        value /= (q.a @ words.T + 1) / 2 + np.float32(EPSILON)
        return np.asarray(value)
    if solver == "lrcos":
        assert q.learnt is not None
        odds = q.learnt[:, :-1] @ words.T + q.learnt[:, -1:]
        return np.asarray(to_c / (1 + np.exp(-odds.clip(-80, 80))))
    offset = q.b - q.a
    lengths = np.linalg.norm(offset, axis=1)
    # ‖d − c‖² = 2 − 2 d·c
    squared_distance = 2 - 2 * to_c
    near = squared_distance < _NEAR
    value = offset @ words.T - (offset * q.c).sum(axis=1)[:, None]
    value /= np.sqrt(np.where(near, 1, squared_distance)) * lengths[:, None]
    # For words close to c the products above lose digits. c itself has no direction from c, and gets the
    # lowest value.
    rows, places = np.nonzero(near)
    gap = words[places].astype(np.float64) - q.c[rows]
    far = np.linalg.norm(gap, axis=1)
    exact = (gap * offset[rows]).sum(axis=1) / (np.maximum(far, _SAME) * lengths[rows])
    value[rows, places] = np.where(far > _SAME, exact, -1)
    return np.asarray(value)


@dataclass(frozen=True, slots=True)
class Query:
    """A question, its words and the expected ones as the vocabulary spells them, and the sets of 3CosAvg."""

    row: AnalogyQuestion
    a: str
    b: str
    c: str
    expected: frozenset[str]
    sources: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def inputs(self) -> frozenset[str]:
        """The words of the question."""
        return frozenset((self.a, self.b, self.c, *self.sources, *self.targets))

    @property
    def name(self) -> str:
        """The question as people write it."""
        return f"{self.row.a} : {self.row.b} :: {self.row.c} : ?"

    def skip(self, reason: str) -> Skipped:
        """Return the question as one that is omitted."""
        return Skipped(self.name, reason, self.row.relation)


@dataclass(frozen=True, slots=True)
class _QueryResult(Query):
    """A question and its best words with their values: nothing ruled out, and those that are allowed as answers."""

    everything: list[tuple[str, float]]
    answers: list[tuple[str, float]]

    @property
    def correct(self) -> bool:
        return self.answers[0][0] in self.expected

    @property
    def control(self) -> bool:
        return is_control(self.row.bias_type)


def read_questions(
    model: WordEmbedder, rows: Sequence[AnalogyQuestion], *, unit: bool, exclude: bool
) -> tuple[list[Query], dict[str, FloatArray], list[Skipped]]:
    """Return the questions that can be asked, vectors of their words by spelling, and the other questions.

    ``unit`` scales the vectors to length 1. If ``exclude``, expected words are not among the question's own
    words.
    """
    words = list(dict.fromkeys(w for row in rows for w in (row.a, row.b, row.c, *row.sources, *row.targets)))
    forms = forms_of(model, list(dict.fromkeys([*words, *(w for row in rows for w in row.expected)])))
    vectors, missing = model.embed_words(words)
    lost = {*missing}
    known_words = [word for i, word in enumerate(words) if i not in lost]
    check_sizes(known_words, np.asarray(vectors), model.name)
    units = {
        forms[word]: vector / (length if unit else 1.0)
        for word, vector in zip(known_words, np.asarray(vectors, dtype=np.float64), strict=True)
        if (length := float(np.linalg.norm(vector)))
    }
    queries: dict[tuple[Any, ...], Query] = {}
    skipped = []
    for row in rows:
        a, b, c = spellings = forms[row.a], forms[row.b], forms[row.c]
        sources, targets = (tuple(sorted({forms[w] for w in words})) for words in (row.sources, row.targets))
        q = Query(row, a, b, c, frozenset(forms[word] for word in row.expected), sources, targets)
        if exclude:
            q = dataclasses.replace(q, expected=q.expected - q.inputs)
        key = (row.relation, *spellings, sources, targets)
        if without := [w for w in (row.a, row.b, row.c, *row.sources, *row.targets) if forms[w] not in units]:
            reason = f"no vector, or a zero one, of {', '.join(dict.fromkeys(without))}"
        elif a in (b, c):
            reason = "its first word occurs in it twice"
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
    """Return the questions as arrays, those that the solver can answer, and the others.

    3CosAvg and LRCos learn from the pairs a, b of the questions of the relation, without those that contain c
    or an expected word: they would give the answer away. LRCos learns what the words b have in common that
    the words a, and as many random words, have not.
    """
    posed_queries, skipped, learnt_of_queries = [], [], []
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
        elif (solver == "lrcos" or (solver == "3cosavg" and not q.sources)) and not pairs:
            reason = "no pair of its relation to learn from that does not contain its answer"
        elif solver == "lrcos" and not (first and second):
            reason = "the pairs of its relation have the same words on both sides"
        if reason:
            skipped.append(q.skip(reason))
            continue
        posed_queries.append(q)
        if solver == "3cosavg":
            targets, sources = (
                (q.targets, q.sources) if q.sources else ([b for _, b in pairs], [a for a, _ in pairs])
            )
            offset = np.mean([units[w] for w in targets], axis=0) - np.mean(
                [units[w] for w in sources], axis=0
            )
            learnt_of_queries.append(offset)
        if solver == "lrcos":
            if relation not in noise:
                # Random words, as many as there are pairs, none of which is a word of these.
                words_of_pairs = {word for pair in relations[relation] for word in pair}
                others = sorted(word for word in vocabulary if word not in words_of_pairs)
                rng, n = np.random.default_rng(derive_seed(relation, seed)), len(relations[relation])
                places = rng.choice(len(others), min(n, len(others)), replace=False)
                vectors = np.asarray(model.embed_words([others[i] for i in places])[0], dtype=np.float64)
                lengths = np.linalg.norm(vectors, axis=1)
                noise[relation] = [*(vectors[lengths > 0] / lengths[lengths > 0, None])]
            key = (relation, first, second)
            if key not in fitted:
                negative = [*(units[a] for a in first), *noise[relation]]
                fitted[key] = _classifier([units[b] for b in second], negative)
            learnt_of_queries.append(fitted[key])
    if not posed_queries:
        return None, [], skipped
    a, b, c = (np.array([units[getattr(q, name)] for q in posed_queries], dtype=np.float32) for name in "abc")
    learnt = np.array(learnt_of_queries, dtype=np.float32) if learnt_of_queries else None
    return Questions(a, b, c, learnt), posed_queries, skipped


def _classifier(positive: Sequence[FloatArray], negative: Sequence[FloatArray]) -> FloatArray:
    """Weights of a logistic regression that weights both classes equally, and behind them its intercept."""
    from sklearn.linear_model import LogisticRegression

    labels = [1] * len(positive) + [0] * len(negative)
    classifier = LogisticRegression(class_weight="balanced", tol=1e-8, max_iter=1_000)
    classifier.fit(np.stack([*positive, *negative]), labels)
    return np.append(classifier.coef_[0], classifier.intercept_[0])
