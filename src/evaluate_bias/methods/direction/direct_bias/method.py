"""DirectBias: how much of a bias direction is in words that should have none? (Bolukbasi et al. 2016)"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....data.templates import Template
from ....errors import InputError, bad_option
from ....method import Finding, method
from ....models.base import Capability, can
from ....models.pooling import Layer, Representation
from ...embedding import WordsInTemplates, resolve_representation, with_layer
from ...template_filling import one_language, template_texts, templates_for
from ...word_lists.cosines import TOLERANCE, draw_weights
from ...word_lists.inference import Alternative, Inference, bootstrap_interval
from ...word_lists.inputs import LISTS, Tests, parsed_tests
from ...word_lists.pipeline import VectorMaterial, influences, measure_tests
from ...word_lists.results import Headline, TestOutcome, with_z_of_tests, z_of_mean
from .. import axis as directions
from ..axis import bias_direction
from .record import RECORD

__all__ = ["bias_direction", "direct_bias", "evaluate"]


def direct_bias(words: ArrayLike, direction: ArrayLike, *, c: float = 1.0) -> FloatArray:
    """|cos(w, g)|^c of every word w with the direction g, whose mean is DirectBias_c.

    Args:
        words: shape (n, dimension).
        direction: g, shape (dimension,).
        c: strictness, at least 0. With 0 every word that is not orthogonal counts as 1.

    Returns:
        Shape (n,), values in [0, 1], ideal 0.

    Raises:
        InputError: shapes differ, a vector is zero, NaN or infinite, or ``c`` is below 0.

    References:
        Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), NeurIPS, section 5.2.

    Examples:
        >>> direct_bias([[3.0, 4.0], [0.0, -2.0]], [0.0, 1.0]).round(4).tolist()
        [0.8, 1.0]
    """
    if not (np.isfinite(c) and c >= 0):
        raise bad_option("c", c, "0 or more")
    return _powers(directions.projections(words, direction), c)


def _powers(cosines: FloatArray, c: float) -> FloatArray:
    """|cos|^c. With c = 0 an orthogonal word keeps its 0."""
    sizes = np.abs(cosines).clip(0, 1)
    return np.asarray(sizes**c if c else (sizes > TOLERANCE).astype(np.float64))


@method(RECORD)
def evaluate(
    model: Any,
    tests: Tests,
    *,
    direction: directions.Direction | directions.OfLists = "pair_centred_pca",
    c: float = 1.0,
    frequencies: Mapping[str, float] | None = None,
    normalize: bool = True,
    templates: str | Sequence[str | Template] = "none",
    representation: Representation | str = "target_mean",
    layer: Layer | None = None,
    z_alternative: Alternative = "two-sided",
    inference: Inference,
) -> Finding:
    """Run DirectBias on word vectors, or on the vectors that a model in context makes of words.

    The targets are pairs (the first word of ``targets_x`` with the first of ``targets_y``, and so on) that make a
    direction g. The score is the mean of |cos(w, g)|^c over the first attributes, words that should be
    neutral. The second attributes are excluded. If a test has them, ``estimates["direct_bias_b"]`` is the
    same value for them. With several tests the score is the mean of theirs. Controls (``bias_type`` "none")
    are excluded, unless there is nothing else.

    Args:
        model: a model that embeds words, or one that embeds them in context, each by the mean of a
            representation over templates (Basta et al. 2019, Zhao et al. 2019).
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        direction: ``"pair_centred_pca"``, ``"difference_pca"``, ``"difference"`` (of one pair) or
            ``"mean_difference"``. For target lists of any sizes, which are not read as pairs: ``"sum"``, the sum of the
            first list scaled to length 1 minus the sum of the second scaled to length 1, as the thesis has it, or
            ``"all_pairs"`` (``"pair_centred_pca"`` of every word of the first list with every word of the second).
        c: strictness, at least 0.
        frequencies: how often words occur, by word. If given, every word of the attributes counts by its frequency, so
            that the score is a weighted mean. Attributes without a frequency above 0 are refused.
        normalize: scale every word vector to length 1 first, as the paper does.
        templates: for a model in context, the name of a set, a list such as ``["This is {target}."]``, or ``"none"``.
        representation: for a model in context, ``"target_mean"``, ``"cls"`` and the others of ``seat``.
        layer: layer of the representation, as in ``seat``.
        z_alternative: of the z test: ``"two-sided"``, ``"greater"`` (a mean above 0, as the thesis tests it) or
            ``"less"``.
        n_resamples: number of directions of random word pairs for the p-value.
        max_missing: largest share of the pairs, or of the attributes, that may lack a vector, in [0, 1].
        seed: of random pairs and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in [0, 1], ideal 0, higher is more biased. The p-value is the share of the directions of as many random
        word pairs along which the score is as high. A model without a list of its words has none.
        ``estimates["z"]`` is the z statistic of the mean over the words (of several tests, over their scores) with its
        p-value, whose null hypothesis, that a mean of absolute values is 0, is never true. It is missing if all values
        are equal or words count by their frequency. ``n`` is the number of target words. The details of a test have the
        shares of the variance that the first ``components`` explain, and the same shares for random words. With
        ``"all_pairs"`` they name the ``best_pair``, the pair whose difference lies most along the direction, with its
        cosine.

    Raises:
        CapabilityError: the model does not embed words, not even in context.
        CoverageError: more than ``max_missing`` of the pairs or of the attributes lack a vector. The message names
            them.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, an attribute has
            no frequency, or the target lists are read as pairs and have different lengths.
        UndefinedScoreError: a list is empty, or the targets have no direction.

    References:
        Bolukbasi, Chang, Zou, Saligrama and Kalai (2016): Man is to computer programmer as woman is to homemaker?
        Debiasing word embeddings. NeurIPS 2016, 4349-4357. Zhao, Wang, Yatskar, Cotterell, Ordonez and Chang (2019):
        Gender bias in contextualized word embeddings. NAACL-HLT 2019. Basta, Costa-jussà and Casas (2019): Evaluating
        the underlying gender bias in contextualized word embeddings. GeBNLP 2019.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.2], "he": [-1.0, 0.2], "nurse": [3.0, 4.0], "carer": [0.0, 1.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["nurse", "carer"]}])
        >>> round(result.score, 3), result.n
        (0.3, 2)
    """
    parsed = parsed_tests(RECORD.name, tests)
    settings: dict[str, Any] = {}
    if can(model, Capability.EMBEDS_WORDS):
        if (templates, representation, layer) != ("none", "target_mean", None):
            raise InputError(
                f"`templates`, `representation` and `layer` are for models in context, and {model.name} has "
                "one vector for a word",
                option="templates",
                hint="omit them",
            )
    else:
        language = one_language(RECORD.name, (test.language for test in parsed))
        chosen = templates_for(["{target}"] if templates == "none" else templates, language, ["target"])
        resolved = resolve_representation(model, with_layer(representation, layer))
        settings = {"templates": template_texts(templates), "representation": str(resolved), "layer": None}
        model = WordsInTemplates(model, chosen, resolved)
    reference = directions.reference_vectors(model, normalize)
    of_lists = direction in get_args(directions.OfLists)

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        x, y, a = (material.vectors[name] for name in LISTS[:3])
        axis, sizes = bias_direction(x, y, direction), (len(x), len(y))
        values = direct_bias(a, axis.vector, c=c)
        shares = _shares(material.words["attributes_a"], frequencies)
        score = float(values @ shares)
        units = a / np.linalg.norm(a, axis=1, keepdims=True)

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            cosines = directions.drawn_axes(x, y, indices[:-1], direction) @ units.T
            weights = draw_weights(indices[-1], len(a)) * shares
            return np.asarray((_powers(cosines, c) * weights).sum(axis=1) / weights.sum(axis=1))

        def along(axes: FloatArray) -> FloatArray:
            return np.asarray(_powers(axes @ units.T, c) @ shares)

        test, notes = directions.reference_test(score, along, reference, sizes, direction, inference)
        facts = {**axis.facts, **({} if frequencies else z_of_mean(values, z_alternative))}
        without = [
            (score - v * share) / (1 - share) if len(a) > 1 else None
            for v, share in zip(values, shares, strict=True)
        ]
        words: dict[str, dict[str, Sequence[Any]]] = {
            "attributes_a": {
                "projection": directions.projections(a, axis.vector).tolist(),
                "bias": values.tolist(),
                "influence": influences(score, without),
            }
        }
        if (b := material.vectors.get("attributes_b")) is not None:
            shares_b = _shares(material.words["attributes_b"], frequencies)
            facts["direct_bias_b"] = float(direct_bias(b, axis.vector, c=c) @ shares_b)
            words["attributes_b"] = {"projection": directions.projections(b, axis.vector).tolist()}
        first, second, attributes = (material.words[name] for name in LISTS[:3])
        lists, cells = directions.drawn_lists(first, second, x.shape[1], direction)
        return TestOutcome(
            score=score,
            permutation=test,
            interval=bootstrap_interval([*lists, attributes], resampled, inference, cells=cells + len(a)),
            facts=facts,
            row_facts={
                "components": directions.component_shares(x, y, direction),
                "components_by_chance": directions.shares_by_chance(
                    reference, sizes, direction, inference.seed
                ),
                **directions.best_pair(material.words, x, y, axis, direction),
            },
            words=words,
            warnings=notes,
        )

    headline = Headline(
        tested=f"comparison with random {'words' if of_lists else 'word pairs'}",
        resampled=f"{'targets' if of_lists else 'pairs'} and attributes",
    )
    record = dataclasses.replace(RECORD, paired=not of_lists)
    finding = measure_tests(record, model, parsed, compute, inference, headline, normalize=normalize)
    finding = dataclasses.replace(finding, settings={**finding.settings, **settings})
    return with_z_of_tests(finding, z_alternative)


def _shares(words: Sequence[str], frequencies: Mapping[str, float] | None) -> FloatArray:
    """Return what every word contributes to the mean, shape (words,): equal shares, or by frequency."""
    if frequencies is None:
        return np.full(len(words), 1 / len(words))
    counts = [frequencies.get(word, 0.0) for word in words]
    lacking = [word for word, n in zip(words, counts, strict=True) if not 0 < n < np.inf]
    if lacking:
        raise InputError(
            f"`frequencies` needs a number above 0 for every attribute, and has none for {', '.join(lacking)}",
            option="frequencies",
            hint="add them, or remove these words from the attributes",
        )
    return np.asarray(counts, dtype=np.float64) / sum(counts)
