"""BEC-Pro: do professions raise the probability of the gender that they are held to be of? (Bartl et al. 2020)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import MaskedScorer
from ....result import Coverage, Estimate, Row, Sampled
from ...rows import checked_rows, tail_facts
from ...word_lists.inference import Inference, studentised_mean
from .associations import Associations, Gender, associations
from .record import RECORD
from .statistics import ROUNDING, cells_of, paired_test, stereotypical

PairedBy = Literal["profession", "sentence"]
FEW = 10
"""With fewer words or professions than this a bootstrap interval cannot keep its level."""


@method(RECORD)
def evaluate(
    model: MaskedScorer,
    data: Sequence[Any],
    *,
    paired_by: PairedBy = "profession",
    inference: Inference,
) -> Finding:
    """Return how much more professions raise the probability of the gender that dominates them.

    The association of a word for a person with a profession is log p(word next to the profession) − log
    p(word next to the hidden profession), both read where the word appears. Every piece of a word has a mask of
    its own, and the pieces of the word are read from left to right. For every profession, d is the mean
    association of the female words less the male words'. The score is half the difference of the mean
    d of female and of male professions: what is gained, on average, by a word of the gender that dominates a
    profession, over one of the other gender. Whatever is common to a word in all professions cancels out.

    Args:
        model: a masked language model.
        data: sentences: mappings with ``sentence``, ``person``, ``gender`` (``"female"`` or ``"male"``),
            ``profession``, ``profession_gender`` (``"female"``, ``"male"``, ``"balanced"`` …) and ``template``, and,
            if they are known, the further columns of the data set. In languages in which a profession has a form for
            each gender, ``profession_en`` tells which forms belong together.
        paired_by: what the tests within a group of professions pair: the means of female and male words in each
            ``"profession"``, or, as many papers do, every two sentences that differ in the gender of the word
            (``"sentence"``), which takes sentences with the same words as independent and gives p-values that are too
            small.
        n_resamples: number of bootstrap samples.

    Returns:
        Score in nats, without bounds, two-sided, ideal 0, positive if female words gain in female professions
        and male words in male ones. The p-value comes from a permutation test over the professions' groups.
        The interval draws professions, and words (in their pairs, if the data have ``pair``). ``n`` is the
        number of female and male professions. ``groups`` has, for every group of professions, what the words
        of its gender gain over the other gender's (d, turned for male professions, d itself if no gender
        dominates), with its interval and a paired test that Shapiro and Wilk's chooses. The score is the mean
        of the female and the male group's. ``items`` has d of every profession.

    Raises:
        CapabilityError: the model does not score masked tokens.
        DataError: a row does not follow the schema.
        InputError: an option is out of range.
        UndefinedScoreError: no female or no male professions, or no words of a gender, that can be scored.

    References:
        Bartl, Nissim and Gatt (2020): Unmasking Contextual Stereotypes: Measuring and Mitigating BERT's Gender Bias.
        Second Workshop on Gender Bias in Natural Language Processing, 1-16.
    """
    scores = associations(model, checked_rows(data, "bec_pro"))
    if not scores.table.size:
        first = scores.skipped[0]
        raise UndefinedScoreError(
            f"no word and profession remain to score. The first that cannot be scored, {first.item!r}: "
            f"{first.reason}. Every word needs a sentence with every profession in every template. If "
            "professions have a form for each gender, profession_en tells which belong together"
        )
    words: dict[Gender, list[int]] = {gender: scores.word_rows(gender) for gender in ("female", "male")}
    for gender, places in words.items():
        if not places:
            raise UndefinedScoreError(f"no {gender} word for a person can be scored")
    female, male = words.values()
    pair_numbers = [[scores.persons[i][1] for i in places] for places in words.values()]
    paired = scores.paired and pair_numbers[0] == pair_numbers[1]
    # d of a profession = mean association of the female words − mean association of the male words, each averaged
    # over the templates. ``means`` has shape (words, professions), d (professions,).
    means = scores.table.mean(axis=1)
    d = means[female].mean(axis=0) - means[male].mean(axis=0)
    in_female, in_male = scores.profession_columns("female"), scores.profession_columns("male")
    if not (in_female and in_male):
        raise UndefinedScoreError(
            f"bec_pro compares female with male professions, and no {'male' if in_female else 'female'} "
            "one can be scored"
        )
    permutation = stats.permutation_test(
        d[in_female], d[in_male], alternative="two-sided", seed=inference.seed, tolerance=ROUNDING
    )
    names = [name for name, _ in scores.professions]
    # Of a pair its number, which both of its words have.
    word_names = [[str(scores.persons[i][1 if paired else 2]) for i in places] for places in words.values()]
    how = inference.of_items(
        "bca", "sign_flips", "professions", across="pairs of words" if paired else "words"
    )
    ends = stats.two_way_interval(
        cells_of(means, [female, male], [in_female, in_male], paired=paired), stereotypical,
        replace(how, ci_resamples=inference.n_resamples),
        [[names[i] for i in places] for places in (in_female, in_male)], word_names[:1] if paired else word_names,
        rounding=ROUNDING,
    )  # fmt: skip
    notes = [stats.NO_WIDTH] if ends.ci_low is None else []
    for noun, both in (("words", (female, male)), ("professions", (in_female, in_male))):
        few = [f"{gender} {noun}" for gender, places in zip(words, both, strict=True) if len(places) < FEW]
        notes += [f"fewer than {FEW} {' and '.join(few)}, so the interval is rough"] if few else []

    groups: list[Row] = []
    for group in dict.fromkeys(group for _, group in scores.in_data_order):
        members = scores.profession_columns(group)
        # What the words of a group's gender gain over the other gender's. If no gender dominates, of the
        # female over the male words.
        gain = -d[members] if group == "male" else d[members]
        facts: dict[str, Any] = {}
        if len(members) > 1:
            ci = studentised_mean(gain, inference)
            if stats.has_width(ci.low, ci.high, ROUNDING):
                facts = {"ci_low": ci.low, "ci_high": ci.high}
            else:
                notes.append(f"{group} professions: {stats.NO_WIDTH}")
        try:
            facts |= _paired_test(scores, members, paired_by, male_first=group == "male")
        except UndefinedScoreError as error:
            notes.append(f"{group} professions: {error}")
        groups.append(
            Row(
                name=f"{group} professions", kind="group", score=float(gain.mean()), n=len(members),
                estimates=_by_gender(*(means[np.ix_(places, members)] for places in words.values())),
                sampled=Sampled(("professions",), {"words": len(female) + len(male)}), **facts,
            )
        )  # fmt: skip
    n_sentences = scores.table.shape[0] * scores.table.shape[1]
    items = [
        Row(
            name=name, kind="item", score=float(d[i := scores.professions.index((name, group))]), n=n_sentences,
            estimates=_by_gender(means[female, i], means[male, i]), details={"profession_gender": group},
        )
        for name, group in scores.in_data_order
    ]  # fmt: skip
    return Finding(
        sampled=Sampled(("professions", "words")),
        score=float(d[in_female].mean() - d[in_male].mean()) / 2,
        n=len(in_female) + len(in_male),
        **ends._asdict(),
        **tail_facts(permutation),
        p_method=f"{permutation.method} permutation test of the professions' groups, two-sided",
        coverage=Coverage(found=scores.table.size, asked=scores.n_sentences),
        rows=(*groups, *items),
        skipped=scores.skipped,
        warnings=notes,
        estimates=_by_gender(means[female], means[male]),
        details={
            "n_female_words": len(female),
            "n_male_words": len(male),
            "n_templates": scores.table.shape[1],
            "smallest_p": stats.smallest_split_p(len(in_female), len(in_male)),
        },
    )


def _by_gender(female: FloatArray, male: FloatArray) -> dict[str, Estimate]:
    """Mean association of the words of each gender."""
    return {"female": Estimate(float(female.mean())), "male": Estimate(float(male.mean()))}


def _paired_test(
    scores: Associations, members: Sequence[int], paired_by: PairedBy, *, male_first: bool
) -> dict[str, Any]:
    """What a row says of the test of female against male words within some professions, or of male against female ones.

    Raises:
        UndefinedScoreError: the test is undefined.
    """
    genders: tuple[Gender, Gender] = ("male", "female") if male_first else ("female", "male")
    if paired_by == "profession":
        means = scores.table.mean(axis=1)[:, members]
        first, second = (means[scores.word_rows(gender)].mean(axis=0) for gender in genders)
    else:
        pairs = {gender: {scores.persons[i][1]: i for i in scores.word_rows(gender)} for gender in genders}
        common = [pair for pair in pairs["female"] if pair in pairs["male"]]
        first, second = (
            scores.table[[pairs[g][pair] for pair in common]][..., members].ravel() for g in genders
        )
    test = paired_test(first, second)
    details = {"n_pairs": test.n, **{key: getattr(test, key) for key in ("statistic", "z", "r", "shapiro_p")}}
    if test.test == "Wilcoxon":
        details["smallest_p"] = stats.smallest_flip_p(test.n)
    return {
        "p_value": test.p_value,
        "p_method": f"{test.test} test of {test.n} pairs, two-sided",
        "n_tested": test.n,
        "details": details,
    }
