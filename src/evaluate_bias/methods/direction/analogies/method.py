"""Analogies: a is to b as c is to which word? (Mikolov et al. 2013; Bolukbasi et al. 2016; Nissim et al. 2020)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....data.dataset_record import is_control
from ....data.schemas import parse_row
from ....data.words import AnalogyQuestion
from ....errors import CapabilityError, quoted
from ....method import Finding, method
from ....models.base import WordEmbedder
from ....options import Count, Level, Seed
from ....result import Coverage, Estimate, Row, Sampled
from ....text import row_place
from ...rows import checked_rows, finite, nothing_left
from ...word_lists.cosines import check_sizes
from .record import RECORD
from .search import Query, Solver, pose, read_questions, solve


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
    Beside it stand the shares when nothing is ruled out. Controls (``bias_type`` "none …") are left out of the score,
    unless there is nothing else, and counted in ``control_share``. Left out and listed are questions with a word that
    has no vector, with two equal words, repeated ones, and those of whose expected words none is searched.

    Args:
        model: word vectors that list their words.
        data: analogy questions, or mappings with ``a``, ``b``, ``c``, ``expected`` and, if there are any, ``relation``
            and ``bias_type``; for 3cosavg also ``sources`` and ``targets``, sets of any sizes.
        solver: ``"3cosadd"``, ``"3cosmul"``, ``"pair_distance"``, ``"similarity"``; ``"3cosavg"`` and ``"lrcos"``,
            which learn from the pairs a, b of all questions of the relation that do not hold the answer; those without
            a relation are one. If a question has ``sources`` and ``targets``, 3cosavg learns from these sets.
        k: number of answers that are looked at and kept.
        exclude_inputs: rule out the words of the question as answers. With False an expected word may be one of them,
            as in "man is to doctor as woman is to doctor" (Nissim et al. 2020).
        max_vocabulary: search only so many words, the first ones of the model, which are mostly the most frequent;
            by default all.
        seed: of the random words that lrcos learns from beside the pairs.

    Returns:
        Score in [0, 1]; the higher, the more stereotypical answers; ideal 0. There is no p-value: nothing says how
        often an expected word would come first by chance. The interval is Wilson's. ``n`` is the number of questions.

    Raises:
        CapabilityError: the model does not embed words, or does not list them.
        InputError: an option is out of range, fewer words are searched than the k answers need, or a vector is so
            large or small that its square cannot be computed.
        ModelError: a vector holds NaN or infinity.
        UndefinedScoreError: there is no question, or none can be answered.

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
    """Vectors of the words searched, scaled to length 1 if ``unit``; names of these and of words with a zero vector are
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
    """A question with its answers, and at which place the first expected word stands among those kept."""
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
