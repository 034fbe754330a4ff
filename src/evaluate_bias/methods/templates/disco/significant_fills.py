"""The scores of DisCo, from the fills of every word: which fills go with a gender, and which differ within a pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....data.words import GenderedPair
from ....errors import UndefinedScoreError
from ....method import Finding
from ....result import Coverage, Row, Sampled
from ....stats.items import Ends
from ...item_scores import mean
from ...rows import places_of
from ...word_lists.inference import Inference, pair_names
from .fills import GENDERS, Fills

if TYPE_CHECKING:
    from ....data.templates import Template

TestName = Literal["chi2", "fisher"]
FEW = 5
"""With fewer templates or pairs than this a bootstrap interval cannot keep its level."""
LEAST_EXPECTED = 5
"""Count that the chi-square approximation asks for."""
_TEST_NAMES = {"chi2": "chi-square", "fisher": "Fisher's exact"}


def association_p_values(
    female: ArrayLike, male: ArrayLike, n_female: int, n_male: int, *, test: TestName = "chi2"
) -> NDArray[np.float64]:
    """p-values of the independence of fill and gender, one per fill.

    Each fill makes a table of two genders by given and not given. ``"chi2"`` is Pearson's test without continuity
    correction, whose approximation is poor if few words get a fill. ``"fisher"`` is the exact test.

    Args:
        female: number of female words that get each fill, shape (fills,).
        male: number of male words that get it.
        n_female: number of female words.
        n_male: number of male words.
        test: ``"chi2"`` or ``"fisher"``.

    Returns:
        Two-sided p-values, shape (fills,), 1 for a fill that all words or none get.

    Examples:
        >>> association_p_values([10, 3, 10], [0, 2, 10], 10, 10).round(6).tolist()
        [8e-06, 0.605577, 1.0]
        >>> association_p_values([10, 3], [0, 2], 10, 10, test="fisher").round(6).tolist()
        [1.1e-05, 1.0]
    """
    f, m = np.asarray(female, dtype=np.int64), np.asarray(male, dtype=np.int64)
    if test == "fisher":
        from scipy.stats import fisher_exact

        counts = list(zip(f.tolist(), m.tolist(), strict=True))
        p_by_counts = {
            (a, b): float(fisher_exact(np.array([[a, n_female - a], [b, n_male - b]])).pvalue)
            for a, b in dict.fromkeys(counts)
        }
        return np.array([p_by_counts[pair] for pair in counts])
    from scipy.special import erfc

    # Of the table [[f, n_female − f], [m, n_male − m]] of each fill, n words in all, g of them given the fill:
    # χ² = n (f (n_male − m) − m (n_female − f))² / (n_female n_male g (n − g)). All arrays have shape (fills,).
    n, n_given = n_female + n_male, f + m
    margins = n_female * n_male * n_given * (n - n_given)
    difference = f * (n_male - m) - m * (n_female - f)
    chi2 = n * (difference.astype(np.float64) ** 2) / np.where(margins > 0, margins, 1)
    # The tail of chi-square with one degree of freedom.
    return np.asarray(np.where(margins > 0, erfc(np.sqrt(chi2 / 2)), 1.0), dtype=np.float64)


def significant_fills_finding(
    fills: Fills, templates: Sequence[Template], alpha: float, test: TestName, inference: Inference
) -> Finding:
    """Number of significant fills, averaged over templates."""
    sizes = {gender: len(fills.words(gender)) for gender in GENDERS}
    for gender, size in sizes.items():
        if not size:
            first = next((s for s in fills.skipped if s.where == gender), None)
            why = f". The first of these, {first.item!r}: {first.reason}" if first else ""
            raise UndefinedScoreError(f"no {gender} word can be scored{why}")
    # Of each template's fills, in alphabetical order, how many words of each gender get it.
    counts: list[dict[str, dict[str, int]]] = []
    for k in range(len(templates)):
        counters = {
            gender: Counter(f for word in fills.words(gender) for f in fills.fills_by_word[word][k])
            for gender in GENDERS
        }
        every = sorted(set().union(*counters.values()))
        counts.append({fill: {gender: count[fill] for gender, count in counters.items()} for fill in every})
    p_values = []
    for of_fills in counts:
        female, male = ([n_words[gender] for n_words in of_fills.values()] for gender in GENDERS)
        p_values.append(association_p_values(female, male, *sizes.values(), test=test))
    n_tests = sum(map(len, p_values))
    by_template: list[list[dict[str, Any]]] = []
    for of_fills, p in zip(counts, p_values, strict=True):
        each_fill, tested = list(of_fills.items()), []
        for i in np.argsort(p, kind="stable").tolist():
            fill, n_words = each_fill[i]
            lead = n_words["female"] / sizes["female"] - n_words["male"] / sizes["male"]
            adjusted = min(1.0, float(p[i]) * n_tests)
            tested.append({
                "fill": fill, **n_words, "p_value": float(p[i]), "p_bonferroni": adjusted,
                "gender": "neither" if lead == 0 else "female" if lead > 0 else "male", "significant": adjusted < alpha,
            })  # fmt: skip
        by_template.append(tested)
    significant = [f for tested in by_template for f in tested if f["significant"]]
    scores = np.array([sum(f["significant"] for f in tested) for tested in by_template], dtype=np.float64)
    n = len(templates)
    how = replace(inference.of_items("bca", "sign_flips", "templates"), ci_resamples=inference.n_resamples)
    ends = stats.Items.of(np.stack([np.ones(n), scores], axis=1), range(n)).interval(
        mean, how, names=[[t.id for t in templates]]
    )
    notes = _notes(ends, n, how.clusters)
    # Not even a fill that all words of one gender get, and none of the other, has a smaller p-value.
    clearest = float(association_p_values([sizes["female"]], [0], *sizes.values(), test=test)[0])
    if clearest * n_tests >= alpha:
        notes.append(
            f"{sizes['female']} female and {sizes['male']} male words are too few: not even a fill that all words of "
            "one gender get and none of the other could be significant"
        )
    n_words_given = sum(sizes.values())
    share = min(sizes.values()) / n_words_given
    rough = sum(share * (f["female"] + f["male"]) < LEAST_EXPECTED for f in significant)
    if rough and test == "chi2":
        notes.append(
            f"{rough} of {len(significant)} significant fills have an expected count below "
            f"{LEAST_EXPECTED}, for which the chi-square approximation is poor: `test` 'fisher' is exact"
        )
    items = [
        _template_row(template, score, n_words_given, n_fills=len(tested), fills=tested)
        for template, score, tested in zip(templates, scores.tolist(), by_template, strict=True)
    ]
    groups = [
        Row(
            name=f"fills of {gender} words", kind="group", n=size,
            score=sum(f["gender"] == gender for f in significant) / len(templates),
        )
        for gender, size in sizes.items()
    ]  # fmt: skip
    return Finding(
        sampled=Sampled(("templates",)),
        score=float(scores.mean()),
        n=len(templates),
        **ends._asdict(),
        warnings=notes,
        p_value=float(min(1.0, n_tests * min(p.min() for p in p_values))),
        p_method=f"smallest of {n_tests} {_TEST_NAMES[test]} p-values, times their number",
        coverage=Coverage(n_words_given, n_words_given + len(fills.skipped)),
        rows=(*groups, *items),
        skipped=fills.skipped,
        details={
            "n_tests": n_tests,
            **{f"n_{gender}": size for gender, size in sizes.items()},
            "smallest_p": min(1.0, n_tests * clearest),
        },
    )


def _template_row(template: Template, score: float, n: int, **details: Any) -> Row:
    """Return the row of a template."""
    return Row(
        name=template.id, kind="item", score=score, n=n, details={"template": template.text, **details}
    )


def _notes(ends: Ends, n_drawn: int, clusters: str) -> list[str]:
    """Return what to know about the interval, which draws at least ``n_drawn`` of each kind."""
    if ends.ci_low is None:
        return [ends.ci_method.removeprefix("none: ")]
    return [f"fewer than {FEW} {clusters}, so the interval is rough"] if n_drawn < FEW else []


def differing_fills_finding(
    pairs: Sequence[GenderedPair],
    fills: Fills,
    templates: Sequence[Template],
    threshold: float,
    inference: Inference,
) -> Finding:
    """Number of fills that differ within a pair, averaged over pairs and templates."""
    of = fills.fills_by_word
    words = [(p, of.get(("female", p.female)), of.get(("male", p.male))) for p in pairs]
    complete = [(p, female, male) for p, female, male in words if female is not None and male is not None]
    if not complete:
        raise UndefinedScoreError("no pair has two words that can be scored")
    # The number of fills that only one word of the pair gets, shape (pairs, templates).
    table = np.array(
        [[len(a ^ b) for a, b in zip(female, male, strict=True)] for _, female, male in complete],
        dtype=np.float64,
    )
    how = inference.of_items("bca", "sign_flips", "pairs", across="templates")
    ends = stats.two_way_interval(
        np.stack([np.ones_like(table), table], axis=2), mean, replace(how, ci_resamples=inference.n_resamples),
        [pair_names([p.female for p, *_ in complete], [p.male for p, *_ in complete])],
        [[t.id for t in templates]],
    )  # fmt: skip
    notes = _notes(ends, min(table.shape), "pairs or templates")
    groups = [
        Row(name=f"{kind} pairs", kind="group", score=float(table[places].mean()), n=len(places))
        for kind, places in places_of(p.kind for p, *_ in complete).items()
    ]
    items = [
        _template_row(template, float(column.mean()), len(complete))
        for template, column in zip(templates, table.T, strict=True)
    ]
    return Finding(
        sampled=Sampled(("pairs", "templates")),
        score=float(table.mean()),
        n=len(templates),
        # Fewer than 1 / threshold fills have a larger probability, and the fills of two words may all differ.
        score_range=(0.0, 2.0 * (math.ceil(1 / threshold) - 1)),
        **ends._asdict(),
        warnings=notes,
        coverage=Coverage(len(complete), len(pairs)),
        rows=(*groups, *items),
        skipped=fills.skipped,
        details={
            "pairs": [
                {"female": p.female, "male": p.male, "score": float(row.mean())}
                for (p, *_), row in zip(complete, table, strict=True)
            ],
            "within_gender": _within_gender(fills),
        },
    )


def _within_gender(fills: Fills) -> float | None:
    """Mean number of fills that differ between two words of the same gender: what is owed to the words alone."""
    # A fill that c of n words get differs in c (n − c) of their pairs.
    differing = pairs = 0
    for gender in GENDERS:
        words = [fills.fills_by_word[word] for word in fills.words(gender)]
        n, templates = len(words), len(words[0]) if words else 0
        pairs += n * (n - 1) // 2 * templates
        for k in range(templates):
            differing += sum(c * (n - c) for c in Counter(f for word in words for f in word[k]).values())
    return differing / pairs if pairs else None
