"""Matched guise probing: which attributes a model expects after two ways to say the same (Hofmann et al. 2024)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....data.word_lists import GuiseTest, WordListTest
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import MaskedScorer, SequenceScorer
from ....result import Sampled
from ....stats import Interval
from ...word_lists.inference import Inference, sign_flips
from ...word_lists.inputs import LISTS, parsed_tests
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import Headline, TestOutcome, TestRun
from .likelihoods import BARE, GuiseMaterial, read_test
from .record import RECORD

ROUNDING = 6
"""Decimals of associations, in nats, in which models in single precision agree. What is left are ties."""
_ATTRIBUTE_RESAMPLES = 9_999
_REPLICATES = 1_999


@method(RECORD)
def evaluate(
    model: MaskedScorer | SequenceScorer,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    calibrate: bool = False,
    inference: Inference,
) -> Finding:
    """Run matched guise probing on a masked or causal language model.

    The association of an attribute x is q(x), the mean over prompts v and pairs of texts t of
    log p(x | v(t₁)) − log p(x | v(t₂)), x being the next token after the prompt. The score is Spearman's correlation
    of q with the ratings of the attributes. A test with two attributes is a decision: its score is q of the one that
    is rated higher less q of the other one. Attributes that are not one token to the model are omitted and
    listed.

    With one test the score is its own. With several, which must be of one kind, it is the mean of theirs.
    Every test has its own p-value. Controls (``bias_type`` "none") are excluded, unless there is nothing
    else.

    Args:
        model: a masked or causal language model, or an endpoint that gives log-probabilities of its prompts.
        tests: mappings with ``name``, ``targets_x`` and ``targets_y`` (the texts, in pairs), ``attributes_a``,
            ``attributes_b``, ``prompts`` and ``ratings``, see :class:`~evaluate_bias.data.word_lists.GuiseTest`.
            Word lists whose targets are pairs will do. Without prompts, the attributes are read after the
            bare texts.
        calibrate: divide the probability of an attribute by that after the prompt without a text. That is the same for
            both texts of a pair and cancels out of q. It changes which of two decisions is the more likely
            one.

    Returns:
        Score ρ, range -1 to 1, two-sided, ideal 0, positive if highly rated attributes go with the first
        texts. The p-value rearranges the ratings over the attributes. For a decision, it exchanges the texts of each
        pair. ``n`` is the number of attributes, for a decision the number of pairs. In a test's row it is the number of
        its texts.

    Raises:
        CapabilityError: the model scores neither masked tokens nor sequences.
        CoverageError: more than ``max_missing`` of the attributes or pairs cannot be scored. The message names them.
        DataError: a row does not follow the schema.
        InputError: an option is out of range, two tests share a name, the texts are not pairs, an attribute
            is in both lists, or decisions and rated attributes are mixed.
        UndefinedScoreError: no texts, fewer attributes than are needed, or associations or ratings that do
            not vary.

    References:
        Hofmann, Kalluri, Jurafsky and King (2024): AI generates covertly racist decisions about people based on their
        dialect. Nature 633, 147-154.
    """
    parsed = parsed_tests("matched_guise", tests, GuiseTest)
    is_decision = parsed[0].is_decision
    if other := next((t.name for t in parsed if t.is_decision != is_decision), None):
        two, more = (parsed[0].name, other) if is_decision else (other, parsed[0].name)
        raise InputError(
            f"{two} is a decision between two attributes and {more} a correlation over more, whose scores have no "
            "common scale",
            option="tests",
            hint="measure them separately, with `tests`",
        )
    neutral = calibrate and is_decision
    materials = [read_test(model, t, neutral=neutral, max_missing=inference.max_missing) for t in parsed]

    def compute(material: GuiseMaterial, inference: Inference) -> TestOutcome:
        outcome = (
            decision_outcome(material.differences, material.ratings, _shares(material), inference)
            if is_decision
            else rated_outcome(material.differences, material.ratings, inference)
        )
        facts = dict(outcome.row_facts)
        if is_decision:  # the texts of each pair next to its difference
            pairs = zip(*(material.words[name] for name in LISTS[:2]), facts["pairs"], strict=True)
            facts["pairs"] = [{"word": f"{x} / {y}", "score": score} for x, y, score in pairs]
        return dataclasses.replace(outcome, words=_by_list(material, outcome.words), row_facts=facts)

    finding = measure_materials(
        RECORD, materials, compute, inference, DECISIONS if is_decision else CORRELATIONS,
        {"prompts": {t.name: list(t.prompts or BARE) for t in parsed},
         "variant": "decision" if is_decision else "ratings"},
    )  # fmt: skip
    lists = {material.test.name: _rated_lists(material) for material in materials}
    rows = (dataclasses.replace(row, labels={**row.labels, **lists[row.name]}) for row in finding.rows)
    n_pairs = min(material.differences.shape[1] for material in materials)
    sampled = Sampled(("pairs of texts",))
    if not is_decision and n_pairs >= stats.FEWEST_COLUMNS:
        sampled = Sampled(("attributes", "pairs of texts"))
    elif not is_decision:
        sampled = Sampled(("attributes",), {"pairs of texts": n_pairs})
    return dataclasses.replace(finding, rows=tuple(rows), sampled=sampled)


def _rated_lists(material: GuiseMaterial) -> dict[str, str]:
    """Return the names of the lists with the higher and the lower ratings, if each list has one rating."""
    test, rating = material.test, dict(zip(material.attributes, material.ratings.tolist(), strict=True))
    a, b = ({rating[word] for word in material.words[name]} for name in LISTS[2:])
    if not len(a) == len(b) == 1 or a == b:
        return {}
    first = test.a_label if test.a_label != "A" else "the first attributes"
    second = test.b_label if test.b_label != "B" else "the second attributes"
    return {"high": first, "low": second} if max(a) > max(b) else {"high": second, "low": first}


class GuiseHeadline(Headline):
    """A rank correlation or a decision, whose interval is not a bootstrap interval."""

    def of_one(self, run: TestRun) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields of the finding, and further facts, of a single test."""
        fields, facts = super().of_one(run)
        if run.outcome.interval is not None:
            fields["ci_method"] = self.resampled
        return fields, facts

    def interval_notes(self, interval: Any, words: Any, ci: str) -> list[str]:
        """Return a note that no interval exists, or that it cannot reflect the choice of texts."""
        if interval is None:
            return ["nothing varies, or the correlation is 1 or -1, so the interval is undefined"]
        few = self is CORRELATIONS and len(words["targets_x"]) < 5
        return ["fewer than 5 pairs of texts, whose choice the interval does not reflect"] * few


CORRELATIONS = GuiseHeadline(
    tested="permutation test of the ratings over the attributes, two-sided",
    resampled="Bonett and Wright's interval of a rank correlation over attributes, widened by a bootstrap over pairs",
    units=LISTS[2:],
)
DECISIONS = GuiseHeadline(
    tested="sign-flip test over pairs of texts, two-sided",
    resampled="Student's t over pairs of texts",
    units=LISTS[:1],
)


def _shares(material: GuiseMaterial) -> FloatArray:
    """Share of prompts in which the higher rated of two attributes is the more likely one, shape (pairs, 2)."""
    if len(material.attributes) != 2:
        return np.zeros((0, 2))
    logprobs = material.logprobs
    if material.neutral is not None:
        logprobs = logprobs - material.neutral[:, None, :, None]
    high = int(np.argmax(material.ratings))
    return np.asarray((logprobs[high] > logprobs[1 - high]).mean(axis=1))


def _by_list(material: GuiseMaterial, columns: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """Return what is said of the attributes, for each of their lists."""
    place = {word: i for i, word in enumerate(material.attributes)}
    return {
        name: {key: [values[place[word]] for word in material.words[name]] for key, values in columns.items()}
        for name in LISTS[2:]
    }


def rated_outcome(differences: FloatArray, ratings: FloatArray, inference: Inference) -> TestOutcome:
    """Rank correlation of the attributes' associations with their ratings.

    Args:
        differences: log p of an attribute after the first text of a pair less that after the second, shape
            (attributes, pairs).
        ratings: shape (attributes,).
        inference: number of rearrangements, level and seed.

    Raises:
        UndefinedScoreError: there are fewer than four attributes, or associations or ratings do not vary.

    Examples:
        >>> d = np.array([[0.3, 0.5], [0.2, 0.1], [-0.1, 0.0], [-0.4, -0.2]])
        >>> outcome = rated_outcome(d, np.array([2.0, 1.0, -2.0, -1.0]), Inference())
        >>> round(outcome.score, 3), round(outcome.permutation.p_value, 3)
        (0.8, 0.333)
    """
    n = len(ratings)
    if n < 4:
        raise UndefinedScoreError(
            f"a correlation needs four attributes, and {n} can be scored",
            hint="give more, or two for a decision",
        )
    # q(x) = mean over pairs and prompts of log p(x | first) − log p(x | second), shape (attributes,).
    q = differences.mean(axis=1).round(ROUNDING)
    test = stats.rank_correlation_test(q, ratings, n_resamples=inference.n_resamples, seed=inference.seed)
    interval = stats.rank_correlation_interval(
        differences.round(ROUNDING), ratings, confidence_level=inference.confidence_level, seed=inference.seed
    )
    rest = ((np.delete(q, i), np.delete(ratings, i)) for i in range(n if n > 4 else 0))
    influence = [
        test.statistic - stats.rank_correlation(*one) if all(map(np.ptp, one)) else None for one in rest
    ] or [None] * n
    return TestOutcome(
        score=test.statistic,
        interval=interval,
        permutation=test,
        n_tested=n,
        facts={"mean_association": float(differences.mean()), "null_sd": test.null_sd},
        words=_columns(differences, ratings, inference) | {"influence": influence},
    )


def decision_outcome(
    differences: FloatArray, ratings: FloatArray, shares: FloatArray, inference: Inference
) -> TestOutcome:
    """Return how much more the first texts than the second raise the attribute that is rated higher over the other one.

    Args:
        differences: as for :func:`rated_outcome`, of two attributes.
        ratings: shape (2,).
        shares: share of prompts in which the higher rated attribute is the more likely one, shape (pairs, 2).
        inference: number of sign patterns, level and seed.

    Raises:
        UndefinedScoreError: there are not two attributes, or both have the same rating.

    Examples:
        >>> d = np.array([[0.3, 0.5, 0.1], [0.2, 0.1, -0.2]])
        >>> outcome = decision_outcome(d, np.array([1.0, -1.0]), np.zeros((3, 2)), Inference())
        >>> round(outcome.score, 3), outcome.permutation.p_value, round(outcome.facts["null_sd"], 3)
        (0.267, 0.25, 0.17)
    """
    if len(ratings) != 2:
        raise UndefinedScoreError("a decision needs both its attributes, and one cannot be scored")
    if ratings[0] == ratings[1]:
        raise UndefinedScoreError("a decision needs attributes of different ratings: one above the other")
    high = int(ratings[1] > ratings[0])
    contrast = stats.without_rounding(
        differences[high] - differences[1 - high], float(np.abs(differences).max())
    )
    n, score = len(contrast), float(contrast.mean())
    test = sign_flips(contrast, inference)
    error = stats.crossed_error(((contrast - score) / n)[:, None])
    interval = None
    if error is not None and stats.has_width(
        score - (half := error.half_width(inference.confidence_level)), score + half
    ):
        t_values = np.random.default_rng(inference.seed).standard_t(error.df, _REPLICATES)
        replicates = score + error.error * t_values
        interval = Interval(score - half, score + half, "student", score, replicates=replicates)
    return TestOutcome(
        score=score,
        interval=interval,
        permutation=test,
        n_tested=n,
        score_range=(None, None),
        facts={
            "mean_association": float(differences.mean()),
            "decided": float((shares[:, 0] - shares[:, 1]).mean()),
            "null_sd": test.null_sd,
        },
        row_facts={
            "share_x": float(shares[:, 0].mean()),
            "share_y": float(shares[:, 1].mean()),
            "pairs": contrast.tolist(),
        },
        words=_columns(differences, ratings, inference),
    )


def _columns(differences: FloatArray, ratings: FloatArray, inference: Inference) -> dict[str, Any]:
    """Return what is said of every attribute: its association, rating, and the sign-flip test of its pairs."""
    tests = [
        stats.sign_flip_test(pair_differences, n_resamples=_ATTRIBUTE_RESAMPLES, seed=inference.seed)
        for pair_differences in differences
    ]
    p = [test.p_value for test in tests]
    return {
        "association": [test.statistic for test in tests],
        "rating": ratings.tolist(),
        "p_value": p,
        "p_holm": stats.holm(p).tolist(),
    }
