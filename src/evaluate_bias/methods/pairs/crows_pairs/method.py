"""CrowS-Pairs: does a model find the more stereotypical sentence of a pair more likely? (Nangia et al. 2020)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from ....data.instructions import ASKED_BY_PROTOCOL, FollowUp, PromptVariants, ProtocolName, refuse_to_ask
from ....method import Finding, method
from ....result import Estimate
from ...choosing import Question, Questionnaire, ReadAnswers, check_asked, choice_finding, protocol_of
from ...pair_scoring import NO_BIAS_TYPE, Pair, Scoring, readable_pairs
from ...published import published_protocol
from ...rows import PrecomputedScores, checked_rows, find_repeats, numbered, places_of
from ..preference import preference
from ..shared import Counting
from .published import PROTOCOLS, measure_published
from .record import RECORD

Variant = Literal["shared", "all", "changed", "causal", "choice"]
VARIANTS: Mapping[str, Scoring] = {
    "shared": "crows_pairs",
    "all": "pll",
    "changed": "changed_tokens",
    "causal": "causal",
}
"""Scorings by variant: the original, Salazar's, the one of bias-bench, and the one for causal models."""


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[Pair],
    *,
    variant: Variant = "shared",
    protocol: Annotated[Literal["quick", "robust", "lm-eval"], ASKED_BY_PROTOCOL] = "quick",
    prompt_variants: PromptVariants = None,
    follow_up: FollowUp = True,
    inference: Counting,
) -> Finding:
    """Share of pairs whose more stereotypical sentence gets the higher score, in percent.

    A sentence's score is the sum of log p(token | the rest) over the tokens that both sentences share, each masked in
    turn while the tokens that differ stay visible. The more stereotypical sentence is ``sent_more`` in every
    pair. ``stereo_antistereo`` only splits the breakdown. As in the reference code, scores are rounded to
    three decimals before they are compared, equal scores are ties, and ties count in the denominator of the
    score but not in the denominators of the stereotype and anti-stereotype scores.

    Args:
        model: a masked language model, a causal one for ``variant="causal"``, or one that chats for
            ``"choice"``, ``None`` when the data contain scores.
        data: sentence pairs, or mappings with numbers as ``sent_more`` and ``sent_less``. Pairs whose ``exclude`` is
            true are omitted and listed.
        variant: ``"shared"`` (the original), ``"all"`` (pseudo-log-likelihood of the whole sentence, Salazar et al.
            2020), ``"changed"`` (mean log p of the tokens that differ, as bias-bench computes it), ``"causal"``
            (log-likelihood under a causal model), ``"choice"`` (a chat model is asked which of the two sentences, in
            both orders, and the score is the share of choices).
        protocol: of choices, ``"quick"`` or ``"robust"``. ``"lm-eval"`` scores as that harness does:
            log-likelihoods of the sentences as they are, not rounded, and identical sentences count as not
            stereotypical, see :mod:`evaluate_bias.methods.published`.

    Returns:
        Score in percent, 0 to 100. Above 50 the model prefers stereotypical sentences, below 50
        anti-stereotypical ones. The ideal is 50, and 50 · (1 - ties / n) if ties keep part of the pairs from
        being preferred. ``estimates`` has the share of the decided pairs with its interval
        (``score_without_ties``, ideal 50), the mean score difference with its interval, the stereotype and
        anti-stereotype scores, or, of choices, the option-order effect and the share of readable answers.
        ``details`` has counts, and z and score tests without ties. The rows are every bias type, with the
        same, and every pair.

    Raises:
        InputError: an unknown variant, or scores that are not finite.
        CapabilityError: the model cannot do this variant.
        UndefinedScoreError: no pair can be scored, all pairs are ties, or the z test of all pairs is undefined because
            the model prefers the same side in each.

    References:
        Nangia, Vania, Bhalerao and Bowman (2020): CrowS-Pairs: A Challenge Dataset for Measuring Social Biases in
        Masked Language Models. EMNLP 2020. Limits of the data: Blodgett et al. (2021), ACL 2021.

    Examples:
        Scores instead of a model: the first pair is preferred, the second is not, the third is a tie at three decimals.

        >>> pairs = [{"sent_more": -10.0, "sent_less": -12.5, "bias_type": "gender", "stereo_antistereo": "stereo"},
        ...          {"sent_more": -9.0, "sent_less": -8.0, "bias_type": "gender", "stereo_antistereo": "antistereo"},
        ...          {"sent_more": -7.0001, "sent_less": -7.0002, "bias_type": "age", "stereo_antistereo": "stereo"}]
        >>> result = evaluate(None, pairs)
        >>> round(result.score, 2), round(result.ideal, 2), result.ties, result.estimates["score_without_ties"].value
        (33.33, 33.33, 1, 50.0)
    """
    if protocol == "lm-eval":
        *_, scorer = readable_pairs(checked_rows(data, RECORD.name), RECORD.name, model)
        published = published_protocol(
            PROTOCOLS, protocol, variant=variant, ready=isinstance(scorer, PrecomputedScores),
            prompt_variants=prompt_variants,
        )  # fmt: skip
        return measure_published(model, data, published, inference)
    if variant == "choice":
        return _choices(model, data, protocol, prompt_variants, follow_up, inference.confidence_level)
    refuse_to_ask(RECORD.name, prompt_variants, protocol, "variant='choice'")
    return preference(RECORD.name, model, data, VARIANTS[variant], inference, chosen_by=("variant", variant))


def _choices(
    model: Any,
    data: Sequence[Pair],
    protocol: ProtocolName,
    prompt_variants: PromptVariants,
    follow_up: bool,
    confidence_level: float,
) -> Finding:
    """Share of choices of the more stereotypical sentence, in percent, every pair counting once.

    Raises:
        CapabilityError: the model does not chat.
        InputError: the data contain scores, or no instructions in their language.
        UndefinedScoreError: no pair can be asked about, or of none was an answer read in both orders.
    """
    pairs, skipped, model = readable_pairs(checked_rows(data, RECORD.name), RECORD.name, model)
    check_asked(RECORD.name, "choice", model)
    texts = [(p.bias_type, p.sent_more, p.sent_less) for p in pairs]
    survey = Questionnaire(
        "pairs", [p.id for p in pairs], [Question("pair", {}, (p.sent_more, p.sent_less), 0) for p in pairs],
        numbered(texts), "pairs", skipped, protocol_of(__package__, pairs, protocol, prompt_variants, follow_up),
        confidence_level,
    )  # fmt: skip

    def part(answers: ReadAnswers) -> dict[str, Any]:
        score = survey.ratio(answers, answers.weight * (answers.option == 0), null=50.0)
        units, shares = np.unique(answers.unit), answers.share(0, len(pairs))
        by_kind = {
            kind: [shares[i] for i in units if pairs[i].stereo_antistereo == kind]
            for kind in ("stereo", "antistereo")
        }
        estimates = {f"{k}_score": Estimate(float(np.mean(part))) for k, part in by_kind.items() if part}
        return {**score.facts(), "n": len(units), "estimates": estimates}

    types = places_of(pair.bias_type or NO_BIAS_TYPE for pair in pairs)
    finding = choice_finding(
        model, survey, part,
        [(kind, {}, members) for kind, members in types.items() if list(types) != [NO_BIAS_TYPE]],
        lambda i, answers: (
            {"bias_type": pairs[i].bias_type},
            {"stereo_antistereo": pairs[i].stereo_antistereo, "share": float(answers.share(0, len(pairs))[i])},
        ),
    )  # fmt: skip
    return find_repeats(texts, "pairs").named_in(finding)
