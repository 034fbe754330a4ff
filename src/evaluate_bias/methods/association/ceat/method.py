"""CEAT: association tests on words in random contexts, combined by a random-effects model (Guo and Caliskan 2021)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from .... import stats
from ....errors import bad_option
from ....method import Finding, method
from ....method_record import MethodRecord
from ....models.base import ContextEmbedder
from ....models.pooling import Layer, Representation
from ....options import Count
from ....result import Estimate
from ...embedding import with_layer
from ...word_lists.cosines import TOLERANCE, effect_size_bound
from ...word_lists.distinct import distinct_test
from ...word_lists.effect_sizes import EffectSizes
from ...word_lists.inference import Inference, difference_test
from ...word_lists.inputs import LISTS, Tests, parsed_tests
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import TestOutcome, TestRun
from .contexts import (
    ContextMaterial,
    ContextSource,
    WordContexts,
    contexts_of,
    counted,
    embed_contexts,
    found_forms,
    read_test,
    stream,
)
from .record import RECORD
from .sampling import Samples, Variance, interval_over_words, sampled_effect_sizes

__all__ = ["QUANTILES", "Variance", "evaluate"]

QUANTILES: tuple[float, ...] = tuple(i / 40 for i in range(41))
"""Probabilities whose quantiles describe the effect sizes of the samples, in ``details["effect_sizes"]`` of a row."""

_FEW = 10
"""Words with fewer contexts in the corpus than this are named."""


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    tests: Tests,
    *,
    contexts: ContextSource = None,
    column: str | None = None,
    samples: Annotated[int, Ge(2), Le(1_000_000)] = 10_000,
    variance: Variance = "reference",
    representation: Representation | str = "target_mean",
    layer: Layer | None = None,
    max_contexts: Count | None = 100,
    min_contexts: Count = 1,
    replace: bool = True,
    cased: bool | None = None,
    inference: Inference,
) -> Finding:
    """Run CEAT.

    For every sample each word of a test is given one of its contexts at random, and the effect size of the association
    test is computed on the embeddings of the words there. The effect sizes of all samples are combined by a
    random-effects model (DerSimonian and Laird). Each word in each context is embedded once.

    The p-value is that of a permutation test that splits the target words, on the mean association of each over the
    samples; the interval is that of a bootstrap that draws words with all their contexts. Those of the paper, of the
    random-effects model, stand beside them as ``p_contexts`` and ``over_contexts``: they speak of random contexts of
    these very words and get smaller with every further sample, whether or not other words would show the same.

    With several tests the score is the unweighted mean of their combined effect sizes, with the interval of that mean
    and no p-value: every test has its own. Controls are left out of it, unless there is nothing else.

    Args:
        model: a model that embeds words in context: a masked or causal language model, or an encoder.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``.
        contexts: where sentences come from: ``None`` for the library's corpus in the language of the test; the name of
            one of its corpora; a text file with a sentence a line, or a table; the id of a Hub data set; or a list of
            sentences. See :func:`evaluate_bias.data.contexts.load_sentences`.
        column: column of a table, Hub data set or ``datasets.Dataset`` that holds the text; ``sentence`` or ``text`` by
            default.
        samples: number of samples N, at least 2.
        variance: what a sample's effect size is weighted by: ``"reference"``, the variance of its associations, as in
            the paper, or ``"hedges"``, the sampling variance of an effect size.
        representation: what is taken from a context, as in SEAT.
        layer: layer of the representation; the last by default.
        max_contexts: number of contexts of a word to embed, chosen at random; ``None`` for all.
        min_contexts: words with fewer contexts are left out and listed.
        replace: draw the contexts of a word with replacement, as the reference does. Without, no context comes twice,
            and words with fewer contexts than ``samples`` are left out and listed.
        cased: whether capitals matter in finding words; ``None`` as the corpus needs.
        alternative: ``"two-sided"``, ``"greater"`` (what the reference code reports) or ``"less"``.
        ci_resamples: number of bootstrap samples of the words; 0 for no interval.
        seed: of the choice of contexts and of the draws. Each word draws from a stream of its own.

    Returns:
        Score: the combined effect size, range ±2 for target sets of equal size, two-sided, ideal 0; ``n`` is the number
        of target words. Each row has τ², I², Q, the standard error, and 41 quantiles of the effect sizes.

    Raises:
        CapabilityError: the model does not embed texts, or has no such representation.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
        DataError: the contexts cannot be read, or a test does not follow the schema.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a list is empty, or the associations do not vary.

    References:
        Guo and Caliskan (2021): Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a
        Distribution of Human-like Biases. AIES 2021, 122-133.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "a": [0.3, 0.5],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8], "the": [0.6, 0.3]}
        >>> words = [w for w in vectors if len(w) > 3 or w in ("ant", "bad")]
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...     "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}],
        ...     contexts=[f"{article} {word}" for word in words for article in ("a", "the")],
        ...     representation="sentence_mean", samples=1000)
        >>> round(result.score, 1), result.items[0]["samples"], round(result.p_value, 4)
        (1.7, 1000, 0.3333)
    """
    if max_contexts is not None and max_contexts < min_contexts:
        raise bad_option("max_contexts", max_contexts, f"at least `min_contexts` ({min_contexts})")
    parsed_representation = Representation.parse(with_layer(representation, layer))
    distinct_tests = [
        distinct_test(model, t, inference.same_vector, inference.max_missing)
        for t in parsed_tests("ceat", tests)
    ]
    by_language = contexts_of([t for t, _ in distinct_tests], contexts, cased, column)
    forms = [found_forms(distinct, t, by_language) for t, distinct in distinct_tests]
    max_items = max_contexts if replace else samples
    needed = min_contexts if replace else max(min_contexts, samples)
    smaller = ", a smaller `min_contexts`" if needed > 1 else ""
    advice = "use a larger corpus as `contexts`" + (smaller if replace else ", fewer `samples`, or `replace`")

    def read(contexts: Mapping[tuple[str, str], WordContexts]) -> list[ContextMaterial]:
        return [
            read_test(t, distinct, test_forms, model.name, contexts, needed, inference.max_missing, advice)
            for (t, distinct), test_forms in zip(distinct_tests, forms, strict=True)
        ]

    read(counted(by_language, max_items))  # before the work of embedding: are there contexts enough at all?
    materials = read(embed_contexts(model, by_language, parsed_representation, max_items, inference.seed))
    if not inference.ci_resamples:
        inference = dataclasses.replace(inference, ci="none")
    finding = measure_materials(
        RECORD,
        materials,
        lambda material, test_inference: _outcome(material, samples, variance, replace, test_inference),
        inference,
        CombinedEffects(tested=f"permutation test of words, {inference.alternative}", resampled="words"),
        {
            "contexts": contexts if contexts is None or isinstance(contexts, str) else "given by the caller",
            "representation": str(parsed_representation),
        },
    )
    return dataclasses.replace(
        finding,
        provenance={"contexts": {k: {"language": k, **texts.provenance} for k, texts in by_language.items()}},
        warnings=[
            f"interval and p-value over contexts shrink with the number of samples ({samples}) by construction: they "
            "speak of random contexts of these very words, not of other words",
            *finding.warnings,
        ],
    )


def _outcome(
    material: ContextMaterial, samples: int, variance: Variance, replace: bool, inference: Inference
) -> TestOutcome:
    """Sample one test and combine the effect sizes."""
    words, contexts = material.words, material.contexts
    # A word in several lists has one context in each sample.
    draws = {
        w: stream(inference.seed, w).integers(0, len(c.vectors), samples)
        if replace
        else stream(inference.seed, w).permutation(len(c.vectors))[:samples]
        for w, c in contexts.items()
    }
    vectors: Any = tuple([contexts[w].vectors for w in words[name]] for name in LISTS)
    chosen: Any = tuple([draws[w] for w in words[name]] for name in LISTS)
    effect_samples = sampled_effect_sizes(vectors, chosen)
    d, n_x, n_y = effect_samples.effect_sizes, len(words["targets_x"]), len(words["targets_y"])
    v = effect_samples.variances if variance == "reference" else stats.effect_size_variance(d, n_x, n_y)
    bound = effect_size_bound(n_x, n_y, 0)
    combined = stats.random_effects(
        d, v, alternative=inference.alternative, confidence_level=inference.confidence_level
    )
    columns: dict[str, dict[str, Any]] = {
        name: {"contexts": [len(contexts[w].vectors) for w in words[name]]} for name in LISTS
    }
    columns["targets_x"]["association"] = effect_samples.means_x.tolist()
    columns["targets_y"]["association"] = effect_samples.means_y.tolist()
    return TestOutcome(
        score=combined.effect,
        interval=interval_over_words(
            vectors,
            chosen,
            combined.effect,
            words=[words[name] for name in LISTS],
            variance=variance,
            inference=inference,
        ),
        permutation=difference_test(effect_samples.means_x, effect_samples.means_y, TOLERANCE, inference),
        score_range=(-bound, bound),
        facts={
            **{
                key: getattr(combined, key) for key in ("standard_error", "z", "tau2", "i2", "q", "q_p_value")
            },
            "p_contexts": combined.p_value,
            "over_contexts": Estimate(combined.effect, combined.low, combined.high),
            "samples": combined.n,
        },
        row_facts={
            "effect_sizes": {
                "probabilities": QUANTILES,
                "quantiles": np.quantile(d, QUANTILES),
                "mean": float(d.mean()),
                "sd": float(d.std(ddof=1)),
            },
            "n_undefined": effect_samples.n_undefined,
        },
        words=columns,
        warnings=_notes(contexts, effect_samples),
    )


def _notes(contexts: Mapping[str, WordContexts], effect_samples: Samples) -> list[str]:
    notes = []
    few = [f"{w} ({len(c.vectors)})" for w, c in contexts.items() if c.n_contexts < _FEW]
    if few:
        notes.append(f"fewer than {_FEW} contexts of {', '.join(few)}")
    d = effect_samples.effect_sizes
    if not stats.has_width(d.min(), d.max(), TOLERANCE / float(np.sqrt(effect_samples.variances.min()))):
        notes.append(
            "all samples have the same effect size, so the interval and the p-value over contexts show nothing but the "
            "number of samples"
        )
    if effect_samples.n_undefined:
        notes.append(f"{effect_samples.n_undefined} samples have no effect size and are ignored")
    return notes


class CombinedEffects(EffectSizes):
    """The mean of several combined effect sizes."""

    def of_several(
        self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields of the finding, and further facts: the paper's interval, the tests taken as independent."""
        fields, facts = super().of_several(record, runs, inference)
        # The standard error of their mean, as often as in one test's interval.
        errors = [r.outcome.facts["standard_error"] for r in runs]
        error = float(np.sqrt(np.sum([e**2 for e in errors]))) / len(runs)
        first: Estimate = runs[0].outcome.facts["over_contexts"]
        half = error * (first.high - first.value) / errors[0]  # type: ignore[operator]
        effect = fields["score"]
        return fields, {**facts, "over_contexts": Estimate(effect, effect - half, effect + half)}
