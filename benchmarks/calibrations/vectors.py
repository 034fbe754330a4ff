"""Methods over mean vectors, pairs and directions, on synthetic word vectors."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import evaluate_bias as eb
from evaluate_bias.methods.association.ect.method import embedding_coherence
from evaluate_bias.methods.association.rnsb.method import (
    negative_probabilities,
    relative_negative_sentiment_bias,
)
from evaluate_bias.methods.direction.glpp.method import fit, reconstruction_errors
from evaluate_bias.methods.direction.indirect_bias.method import indirect_bias as indirect_bias_of

from . import Draw, effect, null, of_method, of_result, seeded
from .association import DIMENSION, REFERENCE, RESAMPLES, Vectors, attributes, one_test, words_of

WORDS = 400
"""Further words of a vocabulary, of which random pairs are made."""
REDRAWN = 60
"""Sets of sentiment words behind the expected score of RNSB."""


def units(vectors: Vectors) -> Vectors:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def measured(
    method: str, rng: np.random.Generator, test: dict[str, Any], vectors: dict[str, Vectors], **options: Any
) -> eb.Result:
    return eb.measure(method, vectors, data=[test], ci_resamples=RESAMPLES, seed=seeded(rng), **options)


@cache
def true_mac(shift: float) -> float:
    """Mean cosine distance of all words that could have been drawn, of either list, to all attributes."""
    rng = np.random.default_rng(0)
    targets = [units(words_of(rng, REFERENCE, sign * shift)).mean(axis=0) for sign in (1, -1)]
    sets = [units(some).mean(axis=0) for some in attributes(rng, REFERENCE)]
    return float(1 - np.mean([t @ a for t in targets for a in sets]))


def mac(rng: np.random.Generator) -> Draw:
    return of_result(measured("mac", rng, *one_test(rng, "t", 0.4, (8, 8), (1.0, 1.0))), true_mac(0.4))


@cache
def true_ect(shift: float) -> float:
    """Rank correlation over all attributes that could have been drawn, with the means of all words."""
    rng = np.random.default_rng(0)
    means = np.zeros((2, DIMENSION))
    means[:, 1], means[:, 0] = 4.0, (shift, -shift)
    return embedding_coherence(means[:1], means[1:], np.concatenate(attributes(rng, REFERENCE)))


def ect(rng: np.random.Generator, *, shift: float = 0.0, n: int = 8) -> Draw:
    result = measured("ect", rng, *one_test(rng, "t", shift, (n, n), (1.0, 1.0)), n_resamples=RESAMPLES)
    return of_result(result, true_ect(shift))


def pairs(rng: np.random.Generator, shift: float, mean: float) -> tuple[dict[str, Any], dict[str, Vectors]]:
    """Eight pairs that differ along an axis by twice ``shift``, twelve attributes with this mean on it, and others."""
    x, y = (rng.normal(size=(8, DIMENSION)) for _ in range(2))
    x[:, 0] += shift
    y[:, 0] -= shift
    a = rng.normal(size=(12, DIMENSION))
    a[:, 0] += mean
    b = rng.normal(size=(12, DIMENSION))
    other = rng.normal(size=(WORDS, DIMENSION))
    lists = {"targets_x": x, "targets_y": y, "attributes_a": a, "attributes_b": b, "other": other}
    named = {name: [f"{name}{i}" for i in range(len(rows))] for name, rows in lists.items()}
    vectors = {w: v for name, rows in lists.items() for w, v in zip(named[name], rows, strict=True)}
    del named["other"]
    return {"name": "t", **named}, vectors


@cache
def true_ripa(shift: float, mean: float) -> float:
    """Product of the mean attribute with the mean direction of the pairs."""
    rng = np.random.default_rng(0)
    differences = np.sqrt(2.0) * rng.normal(size=(10 * REFERENCE, DIMENSION))
    differences[:, 0] += 2 * shift
    return float(mean * units(differences)[:, 0].mean())


def ripa(rng: np.random.Generator, *, shift: float = 0.0, mean: float = 0.0) -> Draw:
    result = measured("ripa", rng, *pairs(rng, shift, mean))
    return of_result(result, true_ripa(shift, mean))


def rnsb(rng: np.random.Generator, *, shift: float = 0.0) -> Draw:
    """Random targets; positive and negative words differ by ``shift`` along one axis, the targets lie along it."""
    sets = {name: rng.normal(size=(size, 8)) for name, size in (("x", 6), ("a", 20), ("b", 20))}
    sets["a"][:, 0] += shift
    sets["b"][:, 0] -= shift
    sets["x"][:, 0] *= 1 + 2 * (shift > 0)
    words = {name: [f"{name}{i}" for i in range(len(rows))] for name, rows in sets.items()}
    vectors = {w: v for name, rows in sets.items() for w, v in zip(words[name], rows, strict=True)}
    test = {"name": "t", "targets_x": words["x"], "attributes_a": words["a"], "attributes_b": words["b"]}
    result = eb.measure("rnsb", vectors, data=[test], n_resamples=99, ci_resamples=99, seed=seeded(rng))
    # The truth is the expected score of these targets over as many sentiment words.
    scores = []
    for _ in range(REDRAWN):
        good, bad = rng.normal(size=(2, 20, 8))
        good[:, 0] += shift
        bad[:, 0] -= shift
        scores.append(relative_negative_sentiment_bias(negative_probabilities(good, bad, sets["x"])))
    return of_result(result, float(np.mean(scores)))


@cache
def true_projection(mean: float, absolute: bool) -> float:
    """Mean (absolute) cosine of attributes that could have been drawn with the axis on which the pairs differ."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(10 * REFERENCE, DIMENSION))
    a[:, 0] += mean
    along = units(a)[:, 0]
    return float((np.abs(along) if absolute else along).mean())


def direct_bias(rng: np.random.Generator, *, shift: float = 3.0, mean: float = 0.0) -> Draw:
    result = measured("direct_bias", rng, *pairs(rng, shift, mean), n_resamples=199)
    return of_result(result, true_projection(mean, True) if shift else None)


def projection(rng: np.random.Generator, *, shift: float = 3.0, mean: float = 0.0) -> Draw:
    result = measured("projection", rng, *pairs(rng, shift, mean), n_resamples=RESAMPLES)
    return of_result(result, true_projection(mean, False))


def indirect_bias(rng: np.random.Generator, *, shift: float = 0.0, mean: float = 0.0) -> Draw:
    test, vectors = pairs(rng, shift, mean)
    for word in test["attributes_b"]:
        vectors[word] = vectors[word] + mean * np.eye(DIMENSION)[0]
    result = eb.measure(
        "indirect_bias", vectors, data=[test], n_resamples=199, ci_resamples=199, seed=seeded(rng)
    )
    return of_result(result, true_indirect_bias(mean))


@cache
def true_indirect_bias(mean: float) -> float:
    """Share of the similarity of all attributes that could have been drawn that the axis explains."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, REFERENCE // 10, DIMENSION))
    a[:, 0] += mean
    b[:, 0] += mean
    a, b = units(a), units(b)
    similarity = a @ b.T
    share = indirect_bias_of(a, b, np.eye(DIMENSION)[0])
    known = np.isfinite(share)
    return float(np.average(share[known], weights=np.abs(similarity[known])))


def glpp(rng: np.random.Generator, *, sizes: tuple[int, ...]) -> Draw:
    """A projection fitted to further words, and lists of words of the same kind."""
    spread = np.linspace(2.0, 0.5, 8)
    other = rng.normal(size=(WORDS, 8)) * spread
    lists = {f"targets_{key}": rng.normal(size=(n, 8)) * spread for key, n in zip("xy", sizes, strict=False)}
    vectors = {f"other{i}": v for i, v in enumerate(other)}
    vectors |= {f"{name}{i}": v for name, rows in lists.items() for i, v in enumerate(rows)}
    test = {"name": "t", **{name: [f"{name}{i}" for i in range(len(rows))] for name, rows in lists.items()}}
    result = measured("glpp", rng, test, vectors, max_vocabulary=WORDS)
    population = rng.normal(size=(REFERENCE, 8)) * spread
    return of_result(result, 1 - float(reconstruction_errors(fit(other, 4), population).mean()))


NOISY = "the means of eight words are noisy, which lowers the correlation, in bootstrap samples once more"
RANDOM = "random pairs have no direction whose value the interval could hold"

SITUATIONS = (
    *of_method(
        "mac",
        effect(
            "8 + 8 targets, 8 + 8 attributes",
            mac,
            misses="a bootstrap of eight words in each list varies a little too little",
        ),
    ),
    *of_method(
        "ect",
        null(
            "8 + 8 words, exchangeable",
            ect,
            misses="1 is no likely score: the means of few words do not agree wholly, nor do those of bootstrap "
            "samples",
        ),
        effect("8 + 8 words, effect", partial(ect, shift=0.4), misses=NOISY),
        effect("30 + 30 words, effect", partial(ect, shift=0.4, n=30)),
    ),
    *of_method(
        "ripa",
        null("8 pairs, 12 attributes, no relation", ripa),
        effect("8 pairs, 12 attributes, effect", partial(ripa, shift=2.0, mean=0.5)),
    ),
    *of_method(
        "rnsb",
        null(
            "20 + 20 sentiment words without a difference, 6 targets",
            rnsb,
            misses="intervals of a bootstrap of so few words are rough",
        ),
        effect("20 + 20 sentiment words, 6 targets along their axis", partial(rnsb, shift=1.0)),
        few=20,
    ),
    *of_method(
        "direct_bias",
        null("8 pairs of random words, 12 attributes", partial(direct_bias, shift=0.0), misses=RANDOM),
        effect("8 pairs along an axis, 12 attributes, effect", partial(direct_bias, mean=1.5)),
        few=20,
    ),
    *of_method(
        "indirect_bias",
        null(
            "8 pairs of random words, 12 + 12 attributes",
            indirect_bias,
            misses="rejects too rarely here: random pairs of this small vocabulary often h"
            "old the attributes themselves, which explains much of their similarity",
        ),
        effect(
            "8 pairs along an axis, 12 + 12 attributes along it",
            partial(indirect_bias, shift=3.0, mean=1.5),
            misses="intervals of a bootstrap of so few words are too narrow",
        ),
        few=20,
    ),
    *of_method(
        "glpp",
        effect(
            "8 + 8 words",
            partial(glpp, sizes=(8, 8)),
            misses="intervals of a bootstrap of so few words are too narrow",
        ),
        effect("30 words in one list", partial(glpp, sizes=(30,))),
    ),
    *of_method(
        "projection",
        null("8 pairs along an axis, 12 + 12 attributes of one kind", projection),
        effect("8 pairs along an axis, 12 + 12 attributes, effect", partial(projection, mean=1.5)),
    ),
)
