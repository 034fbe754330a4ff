"""PMI bias and the share of neighbourhoods, in texts drawn at random; scores of words of drawn frequency."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evaluate_bias import load_corpus, measure

from . import Draw, effect, null, of_method, of_result, seeded

__all__ = ["SITUATIONS"]

TEXTS = 600
"""Texts of a seed and five words each."""
SPREAD = 0.4
"""Standard deviation, over words, of the log of how much more likely a word is next to the first group."""
MORE = 0.5
"""By how much that is more, in the mean, for the first attributes, where there is an effect."""


def drawn(
    rng: np.random.Generator, n: int, effect: float, lists: int, part: float = 0.6
) -> tuple[list[str], np.ndarray]:
    """Return texts, and how much more likely each word is next to "she", on the log scale, shape (lists, n).

    The words make up this share of all words next to a seed.
    """
    leaning = SPREAD * rng.normal(size=(lists, n)) + effect * np.array([[1.0], [0.0]])[:lists]
    words = np.array([f"{side}{i}" for side in "ab"[:lists] for i in range(n)] + ["other"])
    texts = []
    for sign, seed in ((0.5, "she"), (-0.5, "he")):
        # What the words leave is for "other", which keeps the chance of a word free of what the others lean to.
        chances = np.exp(sign * leaning).ravel() * part / (lists * n)
        chances = np.append(chances, 1 - chances.sum())
        texts += [f"{seed} {' '.join(row)}" for row in rng.choice(words, size=(TEXTS // 2, 5), p=chances)]
    return texts, leaning


def over_words(rng: np.random.Generator, *, method: str, n: int, lists: int, effect: float = 0.0) -> Draw:
    """The test over words; what each word leans to is drawn, symmetrically, about the effect."""
    texts, _ = drawn(rng, n, effect, lists)
    test: dict[str, Any] = {
        "name": "made up",
        "targets_x": ["she"],
        "targets_y": ["he"],
        "attributes_a": [f"a{i}" for i in range(n)],
    }
    if lists == 2:
        test["attributes_b"] = [f"b{i}" for i in range(n)]
    options: dict[str, Any] = {"n_resamples": 499, "ci_resamples": 499, "seed": seeded(rng)}
    if method == "pmi_bias":
        return of_result(measure(method, load_corpus(texts), data=[test], **options), effect)
    result = measure(method, load_corpus(texts), data=[test], **options)
    return of_result(result, _share(effect) - 0.5 * (lists == 2))


def _share(effect: float) -> float:
    """Mean share of a word that leans to she by ``effect`` in the mean."""
    leaning = effect + SPREAD * np.random.default_rng(0).normal(size=1_000_000)
    return float(np.mean(1 / (1 + np.exp(-leaning))))


def of_a_word(rng: np.random.Generator, *, method: str, lean: float = 0.0) -> Draw:
    """The test and interval of a single word among others that lean to neither group."""
    chance = 0.05
    texts = []
    for sign, seed in ((0.5, "she"), (-0.5, "he")):
        p = chance * np.exp(sign * lean)
        rows = rng.choice(["word", "other"], size=(TEXTS // 2, 5), p=[p, 1 - p])
        texts += [f"{seed} {' '.join(row)}" for row in rows]
    test = {"name": "made up", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["word"]}
    result = measure(method, load_corpus(texts), data=[test], ci="none")
    (row,) = (r for r in result.rows if r.kind == "item")
    truth = lean if method == "pmi_bias" else 1 / (1 + np.exp(-lean))
    return Draw(row.p_value, row.ci_low, row.ci_high, float(truth))


def of_sets(
    rng: np.random.Generator, *, chance: float, lists: int = 1, lean: float = 0.0, clumped: float = 0.0
) -> Draw:
    """Return pooled sets of four words that make up this share of words next to a seed. Only the first leans to she.

    Where words are ``clumped``, every text has a part of its own, with this correlation between two of its words.
    """
    sides = "ab"[:lists]
    texts = []
    for sign, seed in ((0.5, "she"), (-0.5, "he")):
        part = np.full((TEXTS // 2, 1), chance * np.exp(sign * lean))
        if clumped:
            many = 1 / clumped - 1
            part = rng.beta(part * many, (1 - part) * many)
        place, number = rng.random((TEXTS // 2, 5)), rng.integers(4, size=(TEXTS // 2, 5)).astype(str)
        words = np.where(place < part, np.char.add("a", number), "other")
        if lists == 2:
            words = np.where(place > 1 - chance, np.char.add("b", number), words)
        texts += [f"{seed} {' '.join(row)}" for row in words]
    test = {"name": "made up", "targets_x": ["she"], "targets_y": ["he"]}
    test |= {f"attributes_{side}": [f"{side}{i}" for i in range(4)] for side in sides}
    return of_result(measure("pmi_bias", load_corpus(texts), data=[test], pooled=True, max_missing=1.0), lean)


def z_of_sets(rng: np.random.Generator, *, n: int) -> Draw:
    """The z test over n pooled sets of two words, each of which leans as it happens, to neither group in the mean."""
    texts, _ = drawn(rng, n, 0.0, 2, part=0.2)
    tests = [
        {"name": f"{i}", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": [f"a{i}", f"b{i}"]}
        for i in range(n)
    ]
    result = measure("pmi_bias", load_corpus(texts), data=tests, pooled=True, max_missing=1.0, ci="none")
    return Draw(result.estimates["z"].p, None, None, None)


def followed(rng: np.random.Generator, *, method: str, slope: float = 0.0) -> Draw:
    """Eight seeds a list whose logarithms of frequency are normal, and move them by ``slope`` along the attributes.

    Of MAC, which is a mean over seeds, the truth is the correlation of frequency with the distance of a seed.
    """
    size, axis = 8, np.eye(8)[0]
    sets = {key: rng.normal(size=(8, size)) for key in ("x", "y", "a", "b")}
    sets["a"] += 3 * axis
    sets["b"] -= 3 * axis
    words = {key: [f"{key}{i}" for i in range(len(rows))] for key, rows in sets.items()}
    log_f = {key: rng.normal(size=8) for key in "xy"}
    for key in "xy":
        sets[key] += slope * log_f[key][:, None] * axis
    vectors = {w: v for key, rows in sets.items() for w, v in zip(words[key], rows, strict=True)}
    counts = {w: 10.0**f for key in "xy" for w, f in zip(words[key], log_f[key], strict=True)}
    test = {"name": "t", "targets_x": words["x"], "targets_y": words["y"], "attributes_a": words["a"]}
    if method == "weat":
        test["attributes_b"] = words["b"]
    result = measure(
        "frequency_sensitivity",
        vectors,
        data=[test],
        measured_method=method,
        frequencies=counts,
        n_subsets=60,
        n_resamples=199,
        seed=seeded(rng),
    )
    if not slope:
        return of_result(result)
    f = rng.normal(size=20_000)
    others = rng.normal(size=(len(f), size)) + slope * f[:, None] * axis
    near = (sets["a"] / np.linalg.norm(sets["a"], axis=1, keepdims=True)).mean(axis=0)
    distances = 1 - others @ near / np.linalg.norm(others, axis=1)
    return of_result(result, float(np.corrcoef(f, distances)[0, 1]))


FEW = 10
NARROW = "intervals of a bootstrap of so few words are too narrow"

SITUATIONS = (
    *of_method(
        "frequency_sensitivity",
        null("WEAT, 8 + 8 seeds, frequency plays no part", partial(followed, method="weat")),
        null("MAC, 8 + 8 seeds, frequency plays no part", partial(followed, method="mac")),
        effect(
            "MAC, 8 + 8 seeds that lie along the attributes by frequency",
            partial(followed, method="mac", slope=0.7),
        ),
        few=FEW,
    ),
    *(
        situation
        for method in ("pmi_bias", "frequency_bias")
        for situation in of_method(
            method,
            null("12 words, one list", partial(over_words, method=method, n=12, lists=1), misses=NARROW),
            null("8 + 8 words", partial(over_words, method=method, n=8, lists=2), misses=NARROW),
            effect(
                f"8 + 8 words, the first lean to X by {MORE:g} more",
                partial(over_words, method=method, n=8, lists=2, effect=MORE),
                misses=NARROW,
            ),
            null("a single word", partial(of_a_word, method=method)),
            effect("a single word that leans to X by 0.4", partial(of_a_word, method=method, lean=0.4)),
            few=FEW,
        )
    ),
    *of_method(
        "pmi_bias",
        *(
            kind(
                f"a set of 4 words, pooled, {chance:.0%} of all words beside a seed" + of_lean,
                partial(of_sets, chance=chance, lean=lean),
                misses=misses,
            )
            for chance, misses in (
                (0.05, ""),
                (0.4, "the standard error is that of the log odds ratio: too wide for a PMI"),
            )
            for kind, lean, of_lean in ((null, 0.0, ""), (effect, 0.3, ", that leans to X by 0.3"))
        ),
        null("4 + 4 words, pooled", partial(of_sets, chance=0.1, lists=2)),
        effect(
            "4 + 4 words, pooled, the first lean to X by 0.3 more",
            partial(of_sets, chance=0.1, lists=2, lean=0.3),
        ),
        null(
            "a set of 4 words, pooled, that come in clumps",
            partial(of_sets, chance=0.1, clumped=0.3),
            misses="the test takes occurrences as independent; within a text they correlate by 0.3 here",
        ),
        *(
            null(
                f"z over {n} sets, pooled",
                partial(z_of_sets, n=n),
                misses="a z test of so few sets rejects too often" if n < 30 else "",
            )
            for n in (5, 30)
        ),
        few=FEW,
    ),
)
