"""WSV, the MLM gender score, and compatibility of templates and representations, on made-up words and models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_bias import measure
from evaluate_bias.models.table import TableMLM

from . import Draw, Situation, effect, null, of_method, of_result, seeded

__all__ = ["SITUATIONS"]

FloatArray = NDArray[np.float64]
Values = Callable[[np.random.Generator, int], FloatArray]

# -- WSV -------------------------------------------------------------------------------------------------------------

# The protected words vary by 4 along the first feature and by 1/4 along the second, and the classes differ in the
# first: it is the first axis of the map whatever the words to evaluate are.
PROTECTED = {"she": (2.0, 0.5), "her": (2.0, -0.5), "he": (-2.0, 0.5), "him": (-2.0, -0.5)}
DIMENSION = 8


def wsv(rng: np.random.Generator, *, n: int, rho: float, coordinate: Values, selected: bool = False) -> Draw:
    """Return words whose first feature has the correlation ``rho`` with the statistic. The other features have none."""
    vectors = {word: np.array([*two, *[0.0] * (DIMENSION - 2)]) for word, two in PROTECTED.items()}
    for i, word in enumerate(vectors):
        vectors[word][2:] = 0.1 * np.cos(np.arange(2, DIMENSION) * (i + 1))
    words = rng.normal(size=(n, DIMENSION))
    words[:, 0] = coordinate(rng, n)
    statistic = rho * words[:, 0] + np.sqrt(1 - rho**2) * rng.normal(size=n)
    rows: list[dict[str, Any]] = [
        {"word": w, "group": "f" if w[0] == "s" or w == "her" else "m"} for w in vectors
    ]
    rows += [{"word": f"w{i}", "statistic": float(s)} for i, s in enumerate(statistic)]
    model = vectors | {f"w{i}": v for i, v in enumerate(words)}
    sweep = [2, 4, DIMENSION] if selected else [2]
    result = measure("wsv", model, data=rows, n_features=2, rotate=False, sweep=sweep, n_resamples=499)
    if selected:
        return Draw(result.details["sweep"]["statistic"]["best"]["p_selected"], None, None, None)
    return of_result(result, rho)


def normal(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.normal(size=n)


def skewed(rng: np.random.Generator, n: int) -> FloatArray:
    """Mean 0, variance 1, skewness 2."""
    return rng.exponential(size=n) - 1.0


# -- MLM gender score ------------------------------------------------------------------------------------------------


def gender_score(
    rng: np.random.Generator, *, n: int, mean: float, values: Values, rho: float | None = None
) -> Draw:
    """Occupations whose p(she) - p(he) has this mean, or whose score has the correlation ``rho`` with the share."""
    standard = values(rng, n)
    scores = np.clip(mean + 0.05 * standard, -0.4, 0.4)
    share = np.zeros(n)
    if rho is not None:
        share = np.clip(0.5 + 0.12 * (rho * standard + np.sqrt(1 - rho**2) * rng.normal(size=n)), 0, 1)
    table = {
        f"[MASK] w{i}": {"0": {"she": 0.4 + s / 2, "he": 0.4 - s / 2}} for i, s in enumerate(scores.tolist())
    }
    rows = [{"word": f"w{i}", "women_bls": None if rho is None else float(s)} for i, s in enumerate(share)]
    result = measure(
        "mlm_gender_score", TableMLM(table), data=rows, templates=["{mask} {profession}"], n_resamples=499
    )
    if rho is None:
        return of_result(result, mean)
    found = result.estimates["correlation_women_bls"]
    return Draw(found.p, found.low, found.high, rho)


# -- compatibility ---------------------------------------------------------------------------------------------------

SHIFT = 0.5
"""By how much the first targets are more associated, in standard deviations."""


class Placed:
    """Embeds a text as it is told: an array (representations, 2) for each."""

    name = "placed"
    warnings: Sequence[str] = ()

    def __init__(self, vectors: Mapping[str, FloatArray]) -> None:
        self.vectors = vectors

    def provenance(self) -> dict[str, Any]:
        return {"name": self.name}

    def embed_in_context(self, texts: Sequence[str], spans: Any, representations: Sequence[Any]) -> list[Any]:
        return [self.vectors[text][: len(representations)] for text in texts]


def associations(rng: np.random.Generator, n: int, settings: int, shared: float) -> FloatArray:
    """Of n first and n second targets in every setting, shape (2, n, settings), sharing this part of their variance."""
    common = rng.normal(size=(2, n, 1))
    values = np.sqrt(shared) * common + np.sqrt(1 - shared) * rng.normal(size=(2, n, settings))
    return values + np.array([SHIFT, 0.0])[:, None, None]


@cache
def agreement(shared: float, size: int = 10) -> float:
    """Correlation of the effect sizes of two settings over 50,000 subsets that share no word."""
    values = associations(np.random.default_rng(0), 50_000 * size, 2, shared).reshape(2, -1, size, 2)
    difference = values[0].mean(axis=1) - values[1].mean(axis=1)
    effects = difference / np.concatenate([values[0], values[1]], axis=1).std(axis=1, ddof=1)
    return float(np.corrcoef(effects, rowvar=False)[0, 1])


def compatible(
    rng: np.random.Generator, *, method: str, n: int, settings: int, shared: float, resamples: int = 499
) -> Draw:
    """Return settings whose associations are drawn again. A vector's association is twice its first coordinate."""
    values = associations(rng, n, settings, shared) / 8
    vectors = np.stack([values, np.sqrt(1 - values**2)], axis=-1)
    words = {f"{side}{i}": vectors[k, i] for k, side in enumerate("xy") for i in range(n)}
    words |= {f"a{i}": np.tile([1.0, 0.0], (settings, 1)) for i in range(2)}
    words |= {f"b{i}": np.tile([-1.0, 0.0], (settings, 1)) for i in range(2)}
    test = {
        "name": "made up",
        "targets_x": [f"x{i}" for i in range(n)],
        "targets_y": [f"y{i}" for i in range(n)],
        "attributes_a": ["a0", "a1"],
        "attributes_b": ["b0", "b1"],
    }
    options: dict[str, Any] = {}
    if method == "template_compatibility":
        texts = {f"{w} t{k}": v[k : k + 1] for w, v in words.items() for k in range(settings)}
        options = {
            "templates": [f"{{target}} t{k}" for k in range(settings)],
            "representation": "target_mean",
        }
    else:
        texts = words
        layers = ["target_mean", "target_first", "cls", "sentence_mean"][:settings]
        options = {"representations": layers, "templates": ["{target}"]}
    result = measure(
        method,
        Placed(texts),
        data=[test],
        n_resamples=resamples,
        ci_resamples=resamples,
        seed=seeded(rng),
        **options,
    )
    return of_result(result, agreement(shared) if shared else 0.0)


FEW = 20
SKEWED = (
    "the interval is Fisher's, made for normal values: with values as skewed as an exponential distribution it is too "
    "narrow where there is a correlation"
)

SITUATIONS = (
    *of_method(
        "wsv",
        null("axis 1, 20 words", partial(wsv, n=20, rho=0.0, coordinate=normal), few=FEW),
        null("axis 1, 60 words, skewed coordinates", partial(wsv, n=60, rho=0.0, coordinate=skewed)),
        null(
            "largest of a sweep of 3 numbers and 2 axes (`p_selected`), 20 words",
            partial(wsv, n=20, rho=0.0, coordinate=normal, selected=True),
            few=FEW,
        ),
        effect("axis 1, 20 words, correlation 0.5", partial(wsv, n=20, rho=0.5, coordinate=normal)),
        effect("axis 1, 60 words, correlation 0.5", partial(wsv, n=60, rho=0.5, coordinate=normal)),
        effect(
            "axis 1, 60 words, correlation 0.5, skewed coordinates",
            partial(wsv, n=60, rho=0.5, coordinate=skewed),
            few=FEW,
            misses=SKEWED,
        ),
    ),
    *of_method(
        "mlm_gender_score",
        *(
            Situation(
                f"mean, {n} occupations, {shape} scores" + (f", mean {mean:g}" if mean else ""),
                kind,
                partial(gender_score, n=n, mean=mean, values=values),
            )
            for kind, n, shape, values, mean in (
                ("null", 10, "normal", normal, 0.0),
                ("null", 60, "normal", normal, 0.0),
                ("null", 20, "skewed", skewed, 0.0),
                ("null", 60, "skewed", skewed, 0.0),
                ("effect", 10, "normal", normal, 0.03),
                ("effect", 60, "skewed", skewed, 0.02),
            )
        ),
        *(
            Situation(
                f"correlation with the share of women, {n} occupations, {shape} scores"
                + (f", r = {rho:g}" if rho else ""),
                kind,
                partial(gender_score, n=n, mean=0.0, values=values, rho=rho),
                misses=SKEWED if rho and values is skewed else "",
            )
            for kind, n, shape, values, rho in (
                ("null", 20, "normal", normal, 0.0),
                ("null", 60, "skewed", skewed, 0.0),
                ("effect", 20, "normal", normal, 0.5),
                ("effect", 60, "normal", normal, 0.5),
                ("effect", 60, "skewed", skewed, 0.5),
            )
        ),
        few=FEW,
    ),
    *(
        situation
        for method, called in (
            ("template_compatibility", "templates"),
            ("representation_compatibility", "representations"),
        )
        for situation in of_method(
            method,
            *(
                Situation(
                    f"{settings} {called}, {n} + {n} words"
                    + (", half of the variance shared" if shared else ", unrelated"),
                    "effect" if shared else "null",
                    partial(compatible, method=method, n=n, settings=settings, shared=shared),
                    runs=1_000,
                    few=10,
                )
                for n, settings, shared in ((30, 2, 0.0), (30, 4, 0.0), (30, 4, 0.5), (15, 3, 0.5))
            ),
        )
    ),
)
