"""The scores of DisCo, from the fills of every word: which fills go with a gender, and which differ within a pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....data.professions import GenderedPair
from ....errors import InputError, UndefinedScoreError
from ....result import Coverage
from .fills import GENDERS, Fills

if TYPE_CHECKING:
    from ....data.templates import Template

__all__ = ["Family", "TestName", "association_p_values", "differing_fills", "lauscher", "webster"]

TestName = Literal["chi2", "fisher"]
Family = Literal["run", "template"]
FEW = 5
"""With fewer templates or pairs than this a bootstrap interval cannot keep its level."""
LEAST_EXPECTED = 5
"""Count that the chi-square approximation asks for."""
_BATCH_NUMBERS = 1 << 22


def association_p_values(
    female: ArrayLike, male: ArrayLike, n_female: int, n_male: int, *, test: TestName = "chi2"
) -> NDArray[np.float64]:
    """p-values of the independence of fill and gender, one a fill.

    Each fill makes a table of two genders by given and not given. ``"chi2"`` is Pearson's test without continuity
    correction, whose approximation is poor where few words get a fill; ``"fisher"`` is the exact test.

    Args:
        female: number of female words that get each fill, shape (fills,).
        male: number of male words that get it.
        n_female: number of female words.
        n_male: number of male words.
        test: ``"chi2"`` or ``"fisher"``.

    Returns:
        Two-sided p-values, shape (fills,); 1 for a fill that all words or none get.

    Raises:
        InputError: an unknown test, or counts above the number of words.

    Examples:
        >>> association_p_values([10, 3, 10], [0, 2, 10], 10, 10).round(6).tolist()
        [8e-06, 0.605577, 1.0]
        >>> association_p_values([10, 3], [0, 2], 10, 10, test="fisher").round(6).tolist()
        [1.1e-05, 1.0]
    """
    if test not in get_args(TestName):
        raise InputError(f"test must be 'chi2' or 'fisher', not {test!r}")
    f, m = np.asarray(female, dtype=np.int64), np.asarray(male, dtype=np.int64)
    if ((f < 0) | (f > n_female) | (m < 0) | (m > n_male)).any():
        raise InputError("a fill cannot be given to more words than there are")
    if test == "fisher":
        from scipy.stats import fisher_exact

        of: dict[tuple[int, int], float] = {}
        for pair in zip(f.tolist(), m.tolist(), strict=True):
            if pair not in of:
                table = np.array([[pair[0], n_female - pair[0]], [pair[1], n_male - pair[1]]])
                of[pair] = float(fisher_exact(table).pvalue)
        return np.array([of[pair] for pair in zip(f.tolist(), m.tolist(), strict=True)])
    from scipy.special import erfc

    n, given = n_female + n_male, f + m
    margins = n_female * n_male * given * (n - given)
    difference = f * (n_male - m) - m * (n_female - f)
    chi2 = n * (difference.astype(np.float64) ** 2) / np.where(margins > 0, margins, 1)
    # The tail of chi-square with one degree of freedom.
    return np.asarray(np.where(margins > 0, erfc(np.sqrt(chi2 / 2)), 1.0), dtype=np.float64)


def differing_fills(first: Sequence[frozenset[str]], second: Sequence[frozenset[str]]) -> NDArray[np.int64]:
    """Number of fills that only one of two words gets, one number a template.

    Args:
        first: fills of the first word in each template.
        second: fills of the second word.

    Examples:
        >>> differing_fills([frozenset({"art", "law"})], [frozenset({"law", "work"})]).tolist()
        [2]
    """
    return np.array([len(a ^ b) for a, b in zip(first, second, strict=True)], dtype=np.int64)


def webster(
    fills: Fills,
    templates: Sequence[Template],
    alpha: float,
    test: TestName,
    family: Family,
    *,
    level: float,
    n_resamples: int,
    seed: int,
) -> dict[str, Any]:
    """Number of significant fills, averaged over templates."""
    sizes = {gender: len(fills.words(gender)) for gender in GENDERS}
    for gender, size in sizes.items():
        if not size:
            first = next((s for s in fills.skipped if s.where == gender), None)
            why = f"; the first left out, {first.item!r}: {first.reason}" if first else ""
            raise UndefinedScoreError(f"no {gender} word can be scored{why}")
    counts = [
        {
            gender: Counter(f for person in fills.words(gender) for f in fills.of[person][k])
            for gender in GENDERS
        }
        for k in range(len(templates))
    ]
    given = [sorted({*of["female"], *of["male"]}) for of in counts]
    p_values = [
        association_p_values(
            [of["female"][f] for f in names],
            [of["male"][f] for f in names],
            sizes["female"],
            sizes["male"],
            test=test,
        )
        for of, names in zip(counts, given, strict=True)
    ]
    n_tests = sum(map(len, given))
    items = []
    for template, of, names, p in zip(templates, counts, given, p_values, strict=True):
        adjusted = np.minimum(1.0, p * (n_tests if family == "run" else len(names)))
        rows = [
            {
                "fill": names[i],
                "female": of["female"][names[i]],
                "male": of["male"][names[i]],
                "p_value": float(p[i]),
                "p_bonferroni": float(adjusted[i]),
                "gender": _leaning(
                    of["female"][names[i]] / sizes["female"], of["male"][names[i]] / sizes["male"]
                ),
                "significant": bool(adjusted[i] < alpha),
            }
            for i in np.argsort(p, kind="stable").tolist()
        ]
        items.append(
            {
                "name": template.id,
                "template": template.text,
                "score": sum(row["significant"] for row in rows),
                "n": sum(sizes.values()),
                "n_fills": len(rows),
                "fills": rows,
            }
        )
    scores = np.array([item["score"] for item in items], dtype=np.float64)
    by_gender = {
        gender: [sum(r["significant"] and r["gender"] == gender for r in item["fills"]) for item in items]
        for gender in GENDERS
    }
    interval, notes = _interval(
        [len(scores)],
        lambda indices: scores[indices[0]].mean(axis=1),
        "templates",
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )
    return {
        "score": float(scores.mean()),
        "score_range": (0.0, None),
        **interval,
        "warnings": [*notes, *_test_notes(items, sizes, n_tests, alpha, test, family)],
        "p_value": float(min(1.0, n_tests * min(p.min() for p in p_values))),
        "p_method": f"smallest of {n_tests} {_TEST_NAMES[test]} p-values, times their number",
        "coverage": Coverage(sum(sizes.values()), sum(sizes.values()) + len(fills.skipped)),
        "items": tuple(items),
        "groups": tuple(
            {
                "name": f"fills of {gender} words",
                "score": float(np.mean(by_gender[gender])),
                "n": sizes[gender],
            }
            for gender in GENDERS
        ),
        "skipped": fills.skipped,
        "extra": {"n_tests": n_tests, "n_female": sizes["female"], "n_male": sizes["male"]},
    }


def _interval(
    sizes: Sequence[int],
    statistic: Callable[[list[NDArray[np.intp]]], NDArray[np.float64]],
    drawn: str,
    *,
    level: float,
    n_resamples: int,
    seed: int,
) -> tuple[dict[str, Any], list[str]]:
    """Bootstrap interval of a mean, where what is drawn varies, and what to know about it."""
    found = stats.bootstrap_ci(
        sizes,
        statistic,
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        resample=[size > 1 for size in sizes],
        batch=max(1, _BATCH_NUMBERS // (math.prod(sizes))),
    )
    if found.low == found.high:
        return {}, [f"all {drawn} have the same score, so there is no interval"]
    notes = [found.note] if found.note else []
    if min(sizes) < FEW:
        notes.append(f"fewer than {FEW} {drawn}, so the interval is rough")
    return {
        "ci_low": found.low,
        "ci_high": found.high,
        "ci_method": f"{found.method} bootstrap over {drawn}",
    }, notes


def _test_notes(
    items: Sequence[Mapping[str, Any]],
    sizes: Mapping[str, int],
    n_tests: int,
    alpha: float,
    test: TestName,
    family: Family,
) -> list[str]:
    """Whether there are words enough for any fill to be significant, and for the approximation to hold."""
    notes = []
    n_female, n_male = sizes["female"], sizes["male"]
    clearest = float(association_p_values([n_female], [0], n_female, n_male, test=test)[0])
    in_family = n_tests if family == "run" else min(item["n_fills"] for item in items)
    if clearest * in_family >= alpha:
        notes.append(
            f"{n_female} female and {n_male} male words are too few: not even a fill that all words of one gender get "
            "and none of the other could be significant"
        )
    if test == "chi2":
        share = min(n_female, n_male) / (n_female + n_male)
        significant = [r for item in items for r in item["fills"] if r["significant"]]
        rough = sum(share * (r["female"] + r["male"]) < LEAST_EXPECTED for r in significant)
        if rough:
            notes.append(
                f"{rough} of {len(significant)} significant fills have an expected count below {LEAST_EXPECTED}, where "
                "the chi-square approximation is poor; test='fisher' is exact"
            )
    return notes


_TEST_NAMES = {"chi2": "chi-square", "fisher": "Fisher's exact"}


def _leaning(female: float, male: float) -> str:
    """The gender whose words get a fill more often."""
    return "neither" if female == male else "female" if female > male else "male"


def lauscher(
    pairs: Sequence[GenderedPair],
    fills: Fills,
    templates: Sequence[Template],
    threshold: float,
    *,
    level: float,
    n_resamples: int,
    seed: int,
) -> dict[str, Any]:
    """Number of fills that differ within a pair, averaged over pairs and templates."""
    complete = [p for p in pairs if ("female", p.female) in fills.of and ("male", p.male) in fills.of]
    if not complete:
        raise UndefinedScoreError("no pair has two words that can be scored")
    table = np.array(
        [differing_fills(fills.of["female", p.female], fills.of["male", p.male]) for p in complete],
        dtype=np.float64,
    )
    interval, notes = _interval(
        table.shape,
        lambda indices: table[indices[0][:, :, None], indices[1][:, None, :]].mean(axis=(1, 2)),
        "pairs and templates",
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )
    return {
        "score": float(table.mean()),
        # Fewer than 1 / threshold fills have a larger probability, and those of two words may all differ.
        "score_range": (0.0, 2.0 * (math.ceil(1 / threshold) - 1)),
        **interval,
        "warnings": notes,
        "coverage": Coverage(len(complete), len(pairs)),
        "items": tuple(
            {"name": t.id, "template": t.text, "score": float(column.mean()), "n": len(complete)}
            for t, column in zip(templates, table.T, strict=True)
        ),
        "groups": tuple(
            {"name": f"{kind} pairs", "score": float(table[rows].mean()), "n": len(rows)}
            for kind in dict.fromkeys(p.kind for p in complete)
            for rows in [[i for i, p in enumerate(complete) if p.kind == kind]]
        ),
        "skipped": fills.skipped,
        "extra": {
            "pairs": [
                {"female": p.female, "male": p.male, "score": float(row.mean())}
                for p, row in zip(complete, table, strict=True)
            ],
            "within_gender": _within_gender(fills),
        },
    }


def _within_gender(fills: Fills) -> float | None:
    """Mean number of fills that differ between two words of the same gender: what is owed to the words alone."""
    numbers = [
        differing_fills(fills.of[a], fills.of[b]).mean()
        for gender in GENDERS
        for a, b in combinations(fills.words(gender), 2)
    ]
    return float(np.mean(numbers)) if numbers else None
