"""LPBS: how much an attribute raises the probability of one set of targets over another's (Kurita et al. 2019)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ....data.templates import Template
from ....data.word_lists import EXCHANGED, LpbsTest, Number, WordListTest
from ....errors import InputError
from ....method import Finding, method
from ....models.base import MaskedScorer
from ....options import Ddof
from ...template_filling import template_texts, templates_for
from ...word_lists.association import association_test
from ...word_lists.effect_sizes import EffectSizes, effect_size_outcome
from ...word_lists.inference import Inference
from ...word_lists.inputs import LISTS, parsed_tests
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import TestOutcome
from .clozes import ClozeMaterial, Templates, log_probabilities, read_test
from .record import RECORD
from .statistics import AttributeTest, Variant, prior_difference

BARE = "bias-framework"
"""The set of the template "TARGET ATTRIBUTE", which ``templates="bare"`` means."""


@method(RECORD)
def evaluate(
    model: MaskedScorer,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    templates: str | Sequence[str | Template] = "own",
    variant: Variant = "default",
    ddof: Ddof = 1,
    inference: Inference,
) -> Finding:
    """Run the log-probability bias test on a masked language model.

    The association of a target x with an attribute a is log p(x next to a) − log p(x next to the hidden a),
    both read where x appears. Every piece of a word gets a mask of its own. The pieces of x are read from
    left to right and their log-probabilities added. The score of an attribute is its mean association with X
    less its association with Y, averaged over templates, and the effect size compares the scores of A and B as WEAT
    compares targets. Singular and plural targets are each compared in the templates of their number.

    With one test the score is its effect size. With several it is the unweighted mean of theirs, its interval is the
    percentile interval of that mean over the tests' bootstrap samples, and it has no p-value: every test has its own.
    Controls (``bias_type`` "none": flowers and insects) are excluded from the score, its interval and ``n``,
    unless there is nothing else.

    Args:
        model: a masked language model.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``, and, if targets are plural, ``plural_targets``, ``singular_templates`` and
            ``plural_templates``, see :class:`~evaluate_bias.data.word_lists.LpbsTest`. The targets are the
            words whose probability is read: words for men and women, say.
        templates: ``"own"`` for the templates that a test brings along (``"bare"`` for a test that brings none),
            ``"bare"`` for the two words alone, the name of a packaged set (``"lpbs"``), or a list of texts with the
            slots ``{target}`` and ``{attribute}``, in the language of the test (English if it names none). Such a list
            is used for both singular and plural targets.
        variant: ``"kurita-code"`` reproduces the published code: one mask a word, of which the first piece is read,
            the prior read at the token before the last mask, and the probabilities of the words of a set summed.
            ``"bias-framework"`` reproduces the BIAS framework, with ``ddof=0, alternative="greater"``: one mask a
            word, the probabilities of all pieces read at the first mask of the text and multiplied, singular targets
            only, and its count of random splits, (1 + those beyond the observed one) / ``n_resamples``, at most 1.
        p_method: ``"auto"``, ``"exact"``, ``"monte_carlo"`` or ``"normal"``, see
            :func:`evaluate_bias.stats.permutation_test`.
        n_resamples: number of random splits of ``"monte_carlo"``.

    Returns:
        Score d, range ±2 for attribute sets of equal size, two-sided, ideal 0, positive when A goes with X
        and B with Y. ``estimates["prior"]`` is the mean log-probability of the first targets next to a hidden
        attribute less the same of the second targets: with words for men as first targets, the prior towards male
        words. ``n`` is the number of
            attributes. In a test's row it is the number of its targets.

    Raises:
        CapabilityError: the model does not score masked tokens.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        DataError: a template has other slots than the two.
        InputError: an option is out of range, two tests share a name, a word is in both attribute lists, one target
            list alone has plural words, a set lacks the language of a test, or a test is WEAT 7 or 8 as it
            is, whose words for men and women are attributes.
        UndefinedScoreError: a list is empty, an attribute list has one word, or the scores do not vary.

    References:
        Kurita, Vyas, Pareek, Black and Tsvetkov (2019): Measuring Bias in Contextualized Word Representations.
        First Workshop on Gender Bias in Natural Language Processing, 166-172.
    """
    parsed = parsed_tests("lpbs", tests, LpbsTest)
    genders = {f"{gender} terms" for gender in ("male", "female")}
    for test in parsed:
        name = "".join(c for c in test.name.casefold() if c.isalnum())
        if name in EXCHANGED and {test.a_label, test.b_label} == genders:
            raise InputError(
                f"{test.name}: LPBS reads the probability of the targets, and the words for men and women are "
                "attributes here",
                option="tests",
                hint=f"use the test of lpbs itself ({name!r}, or Kurita's, 'kurita{name[-1]}') as `tests`, or "
                "exchange targets and attributes",
            )
    by_framework = variant == "bias-framework"
    if by_framework:  # whose code does not read plural targets
        parsed = [
            test.model_copy(update={
                **{k: tuple(w for w in getattr(test, k) if w not in test.plural_targets) for k in LISTS[:2]},
                "plural_targets": (),
            })
            for test in parsed
        ]  # fmt: skip
        inference = dataclasses.replace(inference, p_method="monte_carlo", strict=True)
    materials = [read_test(model, t, _templates(t, templates), inference.max_missing) for t in parsed]
    tests_with_logprobs = zip(materials, log_probabilities(model, materials, variant), strict=True)
    sets = {material.test.name: of_targets for material, of_targets in tests_with_logprobs}

    def compute(material: ClozeMaterial, inference: Inference) -> TestOutcome:
        x, y = sets[material.test.name]
        n_a, n_b = (len(material.words[name]) for name in LISTS[2:])
        compared = AttributeTest.of(x, y, n_a, variant=variant, ddof=ddof)
        outcome = association_test(compared, inference, material.words.values())
        if by_framework:  # which counts (1 + splits beyond the observed one) / n random splits, at most 1
            p, n = outcome.permutation, inference.n_resamples
            p = dataclasses.replace(p, p_value=min(1.0, p.p_value * (n + 1) / n))
            outcome = dataclasses.replace(outcome, permutation=p)
        by_list = dict(zip(LISTS[2:], compared.sides, strict=True))
        return effect_size_outcome(
            outcome,
            (n_a, n_b),
            facts={
                **{f"mean_{name[-1]}": float(values.mean()) for name, values in by_list.items()},
                "prior": prior_difference(x, y),
            },
            word_columns={name: {"score": values.tolist()} for name, values in by_list.items()},
        )

    brought = {t.name: {**t.templates()} for t in parsed if templates == "own" and t.has_templates}
    return measure_materials(
        RECORD,
        [dataclasses.replace(material, warnings=_caveats(material)) for material in materials],
        compute,
        inference,
        EffectSizes(
            tested=f"permutation test of the attributes, {inference.alternative}",
            resampled="targets and attributes",
            units=LISTS[2:],
        ),
        {
            "templates": template_texts(templates),
            **({"templates_of_tests": brought} if brought else {}),
        },
    )


def _templates(test: LpbsTest, templates: str | Sequence[str | Template]) -> Templates:
    """Return the templates of singular and of plural targets."""
    language = "en" if test.language == "und" else test.language
    needed = ("target", "attribute")
    if templates == "own" and test.has_templates:
        plural = {*test.plural_targets}
        templates_of: dict[Number, Sequence[Template]] = {}
        for number, texts in test.templates().items():
            has_words = any((w in plural) == (number == "plural") for w in (*test.targets_x, *test.targets_y))
            if has_words and not texts:
                raise InputError(f"{test.name} has {number} targets, and its {number}_templates are empty")
            if has_words:
                templates_of[number] = templates_for(texts, language, needed)
        return templates_of
    chosen = templates_for(BARE if templates in ("own", "bare") else templates, language, needed)
    return {"singular": chosen, "plural": chosen}


def _caveats(scored: ClozeMaterial) -> list[str]:
    """Warnings of words that are in two lists."""
    x, y, a, b = ({*scored.words[k]} for k in LISTS)
    overlaps = {
        "in both target lists, in which it cancels out or nearly so": x & y,
        "both target and attribute": (x | y) & (a | b),
    }
    return [
        f"{scored.test.name}: {', '.join(sorted(both))} {what}" for what, both in overlaps.items() if both
    ]
