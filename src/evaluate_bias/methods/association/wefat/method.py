"""WEFAT: do the associations of words follow a statistic of the world? (Caliskan, Bryson and Narayanan 2017)

:func:`wefat` works on arrays. :func:`evaluate` accepts a model and rows of words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....data.schemas import parse_row
from ....data.words import WsvWord
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ....options import Ddof, LargestMissing, Level, Resamples, Seed
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....text import row_place
from ...correlation import correlate, without_interval
from ...rows import statistic_label
from ...word_lists.cosines import TOLERANCE, check_vectors, split_similarities
from ...word_lists.distinct import distinct_words
from ...word_lists.inference import SameVector
from ...word_lists.inputs import error_context, look_up, shared_words
from .record import RECORD

ATTRIBUTES_A, ATTRIBUTES_B, WORDS = "attributes_a", "attributes_b", "words"


def wefat(
    words: ArrayLike, a: ArrayLike, b: ArrayLike, statistic: ArrayLike, *, ddof: int = 1
) -> tuple[Any, FloatArray]:
    """Word Embedding Factual Association Test: do associations follow a real-world statistic?

    The association of a word is (mean cos to A - mean cos to B) / sd of its cosines over A and B. For
    occupations and gendered attributes, for example, the statistic is the share of women in the occupation.

    Args:
        words: vectors of the words, shape (n, dimension), n >= 4.
        a: first attributes, shape (n_a, dimension).
        b: second attributes, shape (n_b, dimension). ``a`` and ``b`` together need at least two.
        statistic: one real-world number per word, shape (n,).
        ddof: 1 for the sample standard deviation, 0 for the population's.

    Returns:
        The line statistic = ``slope`` · association + ``intercept`` as :func:`scipy.stats.linregress` fits it, with
        Pearson's correlation ``rvalue``, range -1 to 1, ideal 0, positive when words closer to A have the larger
        statistic, and its two-sided ``pvalue``, which assumes values that are about normal, and every word's
        association.

    Raises:
        InputError: lengths differ, values are not finite, or fewer than four words.
        UndefinedScoreError: associations or statistic do not vary, or a word is equally close to all attributes.

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186, supplement.

    Examples:
        >>> jobs = [[0.2, 1.0, 0.1], [0.5, 0.9, 0.4], [0.7, 0.6, 0.2], [0.9, 0.5, 0.9], [1.0, 0.1, 0.3]]
        >>> women, men = [[1.0, 0.2, 0.9], [0.8, 0.1, 0.0]], [[0.2, 1.0, 0.7], [0.1, 1.0, 0.0]]
        >>> line, associations = wefat(jobs, women, men, [0.05, 0.3, 0.5, 0.6, 0.9])
        >>> round(float(line.rvalue), 3), round(float(line.pvalue), 3)
        (0.879, 0.05)
    """
    from scipy.stats import linregress

    words_, a_, b_ = check_vectors(words=words, attributes_a=a, attributes_b=b)
    values = np.asarray(statistic, dtype=np.float64)
    if values.shape != (len(words_),) or not np.isfinite(values).all():
        raise InputError(
            f"`statistic` must be one finite number per word, shape ({len(words_)},)", option="statistic"
        )
    if len(values) < 4:
        raise InputError(f"wefat needs at least four words for an interval, got {len(values)}")
    # Cosines with A (n, n_a) and with B (n, n_b), with s = (mean over A − mean over B) / sd over both, shape (n,).
    cos_a, cos_b = split_similarities(words_, a_, b_)
    sd = np.concatenate([cos_a, cos_b], axis=1).std(axis=1, ddof=ddof)
    if (sd <= TOLERANCE).any():
        raise UndefinedScoreError(
            f"word {int(np.argmin(sd))} is equally close to every attribute: no association"
        )
    s = (cos_a.mean(axis=1) - cos_b.mean(axis=1)) / sd
    if np.ptp(s) <= TOLERANCE or np.ptp(values) <= TOLERANCE * np.abs(values).max():
        raise UndefinedScoreError(
            "associations or statistic are the same for every word: no correlation is defined"
        )
    return linregress(s, values), s


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    data: Sequence[WsvWord | Mapping[str, Any]],
    *,
    groups: tuple[str, str] = ("female", "male"),
    ddof: Ddof = 1,
    n_resamples: Resamples = 9_999,
    confidence_level: Level = 0.95,
    max_missing: LargestMissing = 0.2,
    same_vector: SameVector = "merge",
    seed: Seed = 0,
) -> Finding:
    """Run WEFAT on word vectors.

    Every word to evaluate (an occupation, say) gets its association with the attributes A and B, in standard deviations
    of its cosines. The score is the Pearson correlation of these associations with a statistic of the words,
    such as the share of women in the occupation.

    Words are matched as the model's case and accent policy says. A word repeated within a list counts once.

    Args:
        model: a model that embeds words.
        data: rows with ``word``, ``group`` (of an attribute, empty for a word to evaluate) and ``statistic``
            (of a word to evaluate), see :class:`~evaluate_bias.data.words.WsvWord`.
        groups: the groups whose words are the attributes A and B. Attributes of other groups are omitted and
            listed.
        ddof: 1 for the sample standard deviation of a word's cosines, 0 for the population's.
        n_resamples: number of random reorderings of the statistic over the words.

    Returns:
        Score r, range -1 to 1, two-sided, ideal 0, positive when words nearer to A have the larger statistic.
        The p-value is the share of reorderings of the statistic with as large a correlation, either way. The
        interval is Fisher's. ``n`` is the number of words with a statistic.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        DataError: a row does not follow the schema.
        InputError: an option is out of range, a word has two statistics or is in both groups, the rows have statistics
            of different kinds, or fewer than four words can be evaluated.
        UndefinedScoreError: no word of a group or none to evaluate, or associations or statistic do not vary.

    References:
        Caliskan, Bryson and Narayanan (2017): Semantics derived automatically from language corpora contain
        human-like biases. Science 356, 183-186.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.2, 0.9], "woman": [0.8, 0.1, 0.0], "he": [0.2, 1.0, 0.7], "man": [0.1, 1.0, 0.0],
        ...            "nurse": [1.0, 0.1, 0.3], "teacher": [0.9, 0.5, 0.9], "cook": [0.7, 0.6, 0.2],
        ...            "clerk": [0.5, 0.9, 0.4], "miner": [0.2, 1.0, 0.1]}
        >>> rows = [{"word": w, "group": "female"} for w in ("she", "woman")]
        >>> rows += [{"word": w, "group": "male"} for w in ("he", "man")]
        >>> shares = {"nurse": 0.9, "teacher": 0.6, "cook": 0.5, "clerk": 0.3, "miner": 0.05}
        >>> rows += [{"word": w, "statistic": share} for w, share in shares.items()]
        >>> result = evaluate(load_model(vectors), rows)
        >>> round(result.score, 3), result.n
        (0.879, 5)
    """
    from scipy.stats import rankdata

    words_given = [parse_row(WsvWord, row, row_place(i, len(data))) for i, row in enumerate(data)]
    label = statistic_label(words_given)
    if len(set(groups)) < 2:
        raise InputError(
            f"`groups` must name two different groups of attributes, got {groups[0]!r} twice", option="groups"
        )
    place = dict(zip(groups, (ATTRIBUTES_A, ATTRIBUTES_B), strict=True))
    lists: dict[str, list[str]] = {WORDS: [], ATTRIBUTES_A: [], ATTRIBUTES_B: []}
    statistic: dict[str, float] = {}
    skipped = []
    for row in words_given:
        if row.group in place:
            lists[place[row.group]].append(row.word)
        elif row.group:
            skipped.append(
                Skipped(row.word, f"of the group {row.group!r}, which is not compared", "attributes")
            )
        elif row.statistic is None:
            skipped.append(Skipped(row.word, "has no statistic", WORDS))
        elif statistic.setdefault(row.word, row.statistic) != row.statistic:
            raise InputError(
                f"the word {row.word!r} has two statistics: {statistic[row.word]} and {row.statistic}"
            )
        else:
            lists[WORDS].append(row.word)
    if in_both := sorted({*lists[ATTRIBUTES_A]} & {*lists[ATTRIBUTES_B]}):
        raise InputError(f"{', '.join(map(repr, in_both))} in both groups", hint="remove it from one of them")
    groups_of = {name: f"word of the group {group!r}" for group, name in place.items()}
    for name, members in lists.items():
        if not members:
            what = groups_of.get(name, "word with a statistic")
            raise UndefinedScoreError(
                f"no {what}: wefat needs words to evaluate and two groups of attributes"
            )
    distinct = distinct_words(model, lists, same_vector, max_missing)
    lookups = {
        name: look_up(model, words, distinct.forms[name], distinct.vectors, name, max_missing)
        for name, words in distinct.lists.items()
    }
    skipped += [*distinct.skipped, *(s for one in lookups.values() for s in one.skipped)]
    words, a, b = (lookups[name] for name in (WORDS, ATTRIBUTES_A, ATTRIBUTES_B))
    values = [statistic[w] for w in words.words]
    with error_context("wefat", skipped):
        line, associations = wefat(words.vectors, a.vectors, b.vectors, values, ddof=ddof)
    (of_values,), (of_ranks,) = (
        correlate(x[:, None], y, n_resamples=n_resamples, confidence_level=confidence_level, seed=seed).each
        for x, y in ((associations, values), (rankdata(associations), rankdata(values)))
    )
    warnings = [*distinct.warnings]
    for first, second, text in (
        ((ATTRIBUTES_A,), (ATTRIBUTES_B,), "in both groups of attributes"),
        (
            (WORDS,),
            (ATTRIBUTES_A, ATTRIBUTES_B),
            "both word to evaluate and attribute, with cosine 1 to itself",
        ),
    ):
        if shared := shared_words(distinct.forms, first, second, both=True):
            warnings.append(f"{', '.join(shared)} {text}")
    orders = "monte_carlo" if of_values.p_error else "exact"
    rows = [
        Row(name=word, kind="item", details={"association": float(s), "statistic": value})
        for word, s, value in zip(words.words, associations, values, strict=True)
    ]
    return Finding(
        sampled=Sampled(("words",)),
        score=of_values.r,
        n=len(values),
        ci_low=of_values.ci_low,
        ci_high=of_values.ci_high,
        ci_method="" if of_values.ci_low is None else "Fisher's interval of a Pearson correlation",
        p_value=of_values.p_value,
        p_error=of_values.p_error,
        p_method=f"{orders} permutation test of the statistic over words, two-sided",
        coverage=Coverage(
            sum(len(one.words) for one in lookups.values()), sum(one.n_requested for one in lookups.values())
        ),
        rows=sorted(rows, key=lambda row: lists[WORDS].index(row.name)),
        skipped=skipped,
        warnings=[*warnings, *without_interval({"the score": of_values.r})],
        estimates={"slope": Estimate(line.slope), "spearman": Estimate(of_ranks.r, p=of_ranks.p_value)},
        details={
            "statistic": label,
            "intercept": line.intercept,
            "p_normal": line.pvalue,
            **{name: lookups[name].words for name in (ATTRIBUTES_A, ATTRIBUTES_B)},
        },
        settings={"groups": list(groups)},
    )
