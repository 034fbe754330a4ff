"""Frequency sensitivity: naive loops, the words behind the sets, where frequencies are from, bad input."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, InputError, UndefinedScoreError, UnknownNameError
from evaluate_bias.methods import frequency_sensitivity as fs
from evaluate_bias.stats import item_streams
from tests.support.draws import draws
from tests.support.refusals import refusals

from .vector_tests import Listless, cos, made, run


def sizes_of(rng):
    return [int(n) for n in rng.integers(2, 7, size=int(rng.integers(1, 3)))]


@draws(200)
def test_correlation_and_p_agree_with_naive_loops(seed):
    rng = np.random.default_rng(seed)
    sizes = sizes_of(rng)
    if sum(sizes) < 4:
        sizes = [4]
    f, value = rng.normal(size=(2, sum(sizes)))
    sets, exhaustive = fs.seed_sets(sizes, int(rng.integers(4, 60)), seed)
    noise = rng.normal(size=len(sets))
    scores = np.array([value[s].mean() for s in sets]) + 0.3 * noise
    found = fs.frequency_correlation(
        scores, sets, f, sizes, exhaustive=exhaustive, n_resamples=199, seed=seed
    )
    means = [sum(f[i] for i in range(len(f)) if s[i]) / sum(s) for s in sets]
    assert found.r == pytest.approx(np.corrcoef(scores, means)[0, 1])
    # The same exchanges, one at a time: all where they are few.
    lists = [f[a:b] for a, b in itertools.pairwise(np.cumsum([0, *sizes]))]
    few = math.prod(math.factorial(n) for n in sizes) <= 50_000
    if few:
        every = itertools.product(*(itertools.permutations(own) for own in lists))
        drawn = np.array([np.concatenate(row) for row in every])
    else:
        streams = item_streams(sizes, seed, "orders")
        drawn = np.hstack(
            [
                rng.permuted(np.tile(own, (199, 1)), axis=1)
                for own, (_, rng) in zip(lists, streams, strict=True)
            ]
        )
    means = np.array([drawn[:, s].mean(axis=1) for s in sets])
    others = np.array([np.corrcoef(scores, column)[0, 1] for column in means.T])
    reached = int((np.abs(others) >= abs(found.r) - 1e-9).sum())
    p = reached / len(drawn) if few else (reached + 1) / 200
    assert found.permutation.p_value == pytest.approx(p)
    assert found.permutation.method == ("exact" if few else "monte_carlo")


def test_a_sampled_p_is_no_less_than_one_order_of_all():
    """Of 80,640 orders 99,999 are drawn; with this seed none of them is as extreme as the observed one."""
    f = np.random.default_rng(1).normal(size=10)
    sets, _ = fs.seed_sets([8, 2], 30, 0)
    found = fs.frequency_correlation([f[s].mean() for s in sets], sets, f, [8, 2], n_resamples=99_999, seed=0)
    assert found.r == pytest.approx(1.0)
    assert (found.permutation.method, found.permutation.p_value) == ("monte_carlo", 1 / 80_640)


@draws(60)
def test_sums_over_words_have_the_correlation_of_the_words_centred_by_list(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 4)) * 2
    f, value = rng.normal(size=(2, 2 * n))
    sets, exhaustive = fs.seed_sets([n, n], 10_000, 0)
    assert exhaustive
    assert len(sets) == math.comb(n, n // 2) ** 2
    scores = [value[s].sum() for s in sets]
    centred = [np.concatenate([v[:n] - v[:n].mean(), v[n:] - v[n:].mean()]) for v in (f, value)]
    expected = (centred[0] @ centred[1]) / math.sqrt((centred[0] @ centred[0]) * (centred[1] @ centred[1]))
    found = fs.frequency_correlation(scores, sets, f, [n, n], exhaustive=True, n_resamples=9)
    assert found.r == pytest.approx(expected)
    degrees = 2 * n - 4
    if degrees > 0:
        low, high = found.interval(0.9)
        reach = 1.6448536269514722 / math.sqrt(degrees)
        assert (low, high) == pytest.approx([math.tanh(math.atanh(expected) + s * reach) for s in (-1, 1)])
    else:
        assert found.interval(0.9) is None


@draws(100)
def test_seed_sets_hold_half_of_every_list(seed):
    rng = np.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(1, 9, size=2)]
    sets, exhaustive = fs.seed_sets(sizes, 30, seed)
    assert len(sets) <= 30
    assert (sets[:, : sizes[0]].sum(axis=1) == math.ceil(sizes[0] / 2)).all()
    assert (sets[:, sizes[0] :].sum(axis=1) == math.ceil(sizes[1] / 2)).all()
    if exhaustive:
        assert len({tuple(s) for s in sets.tolist()}) == len(sets)


@draws(60)
def test_matched_pairs_are_as_many_as_can_be_and_the_nearest(seed):
    rng = np.random.default_rng(seed)
    x, y = (rng.uniform(0, 2, size=int(rng.integers(1, 5))) for _ in range(2))
    found = fs.matched_pairs(x, y, 0.4)
    short, long, turned = (x, y, False) if len(x) <= len(y) else (y, x, True)
    best = (0, 0.0)
    for chosen in itertools.permutations(range(len(long)), len(short)):
        apart = [abs(short[i] - long[j]) for i, j in enumerate(chosen)]
        near = [d for d in apart if d <= 0.4]
        best = max(best, (len(near), -sum(near)))
    assert turned in (True, False)
    assert len(found) == best[0]
    assert sum(abs(x[i] - y[j]) for i, j in found) == pytest.approx(-best[1])


@pytest.mark.parametrize("seed", range(8))
def test_mac_over_all_sets_by_naive_loops(seed):
    vectors, test = made(seed, (4, 4, 3, 0))
    counts = {
        w: float(np.random.default_rng(seed).integers(1, 1000) + i) for i, w in enumerate(sorted(vectors))
    }
    result = run_it(vectors, test, measured_method="mac", frequencies=counts)
    scores, means = [], []
    for x in itertools.combinations(test["targets_x"], 2):
        for y in itertools.combinations(test["targets_y"], 2):
            chosen = [*x, *y]
            distances = [1 - cos(vectors[t], vectors[a]) for t in chosen for a in test["attributes_a"]]
            scores.append(np.mean(distances))
            means.append(np.mean([math.log10(counts[w]) for w in chosen]))
    assert result.score == pytest.approx(np.corrcoef(scores, means)[0, 1])
    line = result.rows[0].details["words"][0]
    holding = [("x0" in pair) for pair in itertools.combinations(test["targets_x"], 2) for _ in range(6)]
    own, others = (
        np.mean([s for s, h in zip(scores, holding, strict=True) if h is flag]) for flag in (True, False)
    )
    assert (line["word"], line["log_frequency"]) == ("x0", pytest.approx(math.log10(counts["x0"])))
    assert line["contrast"] == pytest.approx(own - others)
    whole = run("mac", vectors, test)
    assert result.estimates["measured_score"].value == whole.score


def run_it(vectors, *tests, **options):
    return eb.measure(
        "frequency_sensitivity", vectors, data=list(tests), **{"n_subsets": 40, "n_resamples": 99, **options}
    )


def test_a_score_that_follows_frequency_is_found():
    rng = np.random.default_rng(0)
    vectors, test = made(0, (10, 10, 4, 4), 6)
    order = [w for pair in zip(test["targets_x"], test["targets_y"], strict=True) for w in pair]
    for rank, word in enumerate(order):
        vectors[word] = 0.2 * rng.normal(size=6) + (5 - rank / 2) * np.eye(6)[0]
    vectors |= {a: np.eye(6)[0] + 0.1 * rng.normal(size=6) for a in test["attributes_a"]}
    ordered = {w: vectors[w] for w in [*order, *test["attributes_a"], *test["attributes_b"]]}
    result = run_it(ordered, test, measured_method="mac", n_subsets=100, n_resamples=999)
    assert abs(result.score) > 0.6
    assert result.p_value < 0.01
    assert result.ci_low < result.score < result.ci_high
    assert result.details["frequencies"] == "ranks of mapping"


def test_matched_seeds_are_measured_again():
    vectors, test = made(3, (6, 6, 4, 4))
    counts = {w: 10.0**i for i, w in enumerate(test["targets_x"])}
    counts |= {w: 2 * 10.0**i for i, w in enumerate(test["targets_y"][:3])}
    counts |= {w: 1e9 * 10.0**i for i, w in enumerate(test["targets_y"][3:])}
    result = run_it(vectors, test, frequencies=counts)
    part = {**test, "targets_x": test["targets_x"][:3], "targets_y": test["targets_y"][:3]}
    expected = run("weat", vectors, part)
    matched = result.rows[0].estimates["matched_score"]
    assert (matched.value, matched.p) == (expected.score, expected.p_value)
    assert result.rows[0].details["n_matched"] == 3
    far = run_it(vectors, test, frequencies={w: counts[w] * (1e6 if w[0] == "y" else 1) for w in counts})
    assert "matched_score" not in far.rows[0].estimates
    assert any("0 pairs of seeds are as frequent" in w for w in far.warnings)


def test_pairs_stay_together():
    vectors, test = made(4, (5, 5, 3, 0))
    counts = {w: float(i + 1) for i, w in enumerate(vectors)}
    result = run_it(vectors, test, measured_method="ripa", frequencies=counts)
    scores, means = [], []
    for chosen in itertools.combinations(range(5), 3):
        part = {**test, **{k: [test[k][i] for i in chosen] for k in ("targets_x", "targets_y")}}
        scores.append(run("ripa", vectors, part).score)
        means.append(
            np.mean([math.log10(counts[test[k][i]]) for i in chosen for k in ("targets_x", "targets_y")])
        )
    assert result.score == pytest.approx(np.corrcoef(scores, means)[0, 1])


def test_a_corpus_counts_its_seeds():
    rng = np.random.default_rng(1)
    seeds = {"targets_x": ["she", "her", "hers"], "targets_y": ["he", "him", "his"]}
    words = [w for own in seeds.values() for w in own] + ["nurse", "smith", "the", "of"]
    chances = np.array([8, 4, 1, 9, 5, 1, 6, 6, 20, 20]) / 80
    texts = [" ".join(rng.choice(words, size=20, p=chances)) for _ in range(200)]
    test = {"name": "toy", **seeds, "attributes_a": ["nurse", "smith"]}
    corpus = eb.load_corpus(texts, name="made up")
    result = run_it(corpus, test, measured_method="pmi_bias")
    counts = {w: sum(text.split().count(w) for text in texts) for w in words[:6]}
    given = run_it(corpus, test, measured_method="pmi_bias", frequencies=counts)
    assert result.score == pytest.approx(given.score)
    assert result.details["frequencies"] == "counts of made up"
    lines = {line["word"]: line["log_frequency"] for line in result.rows[0].details["words"]}
    assert lines == pytest.approx({w: math.log10(n) for w, n in counts.items()})


def test_several_tests_and_unit_of_frequency():
    vectors, test = made(6, (5, 5, 3, 3))
    second = {
        **test,
        "name": "second",
        "attributes_a": test["attributes_b"],
        "attributes_b": test["attributes_a"],
    }
    counts = {w: float(7 * i + 1) for i, w in enumerate(vectors)}
    both = run_it(vectors, test, second, frequencies=counts)
    assert both.score == pytest.approx(np.mean([row.score for row in both.rows_of("test")]))
    assert both.ci_low < both.score < both.ci_high
    shares = run_it(vectors, test, second, frequencies={w: n / 1e6 for w, n in counts.items()})
    assert shares.score == pytest.approx(both.score)


VECTORS, TEST = made(9, (5, 5, 3, 3))
SAME = {w: VECTORS[f"{w[0]}0" if w[0] in "xy" else w] for w in VECTORS}
COUNTS = dict.fromkeys(VECTORS, 5)

test_bad_input = refusals(
    lambda vectors, options, test=TEST: run_it(vectors, test, **options),
    (VECTORS, {"measured_method": "pll"}, InputError, "method", "measures seeds and attributes .*, got pll"),
    (
        VECTORS,
        {"measured_method": "frequency_sensitivity"},
        InputError,
        "method",
        "got frequency_sensitivity",
    ),
    (VECTORS, {"measured_method": "waet"}, UnknownNameError, "method", "did you mean 'weat'"),
    (VECTORS, {"measured_options": {"dof": 0}}, InputError, "dof", "weat has no option 'dof'"),
    (VECTORS, {"caliper": 0.0}, InputError, "caliper", "`caliper` must be"),
    (VECTORS, {"frequencies": COUNTS}, UndefinedScoreError, None, "the sets of seeds are all the same"),
    (
        SAME,
        {"measured_method": "mac"},
        UndefinedScoreError,
        None,
        r"2 seeds .* too few .* \(without x1, x2",
    ),
    (VECTORS, {}, {**TEST, "targets_x": []}, BiasError, None, "targets_x is empty"),
    (Listless(), {}, InputError, "frequencies", "listless does not list its words"),
    *(
        (VECTORS, {"frequencies": COUNTS | {"x0": v}}, InputError, None, "the frequency of 'x0' must be")
        for v in (-1.0, math.nan, 10**400, "many", True)
    ),
)


def test_a_score_can_follow_the_variance_of_the_frequencies() -> None:
    rng = np.random.default_rng(3)
    sets, whole = fs.seed_sets([6], 20, 0)
    f = rng.normal(size=6)
    variances = np.array([np.var(f[inside]) for inside in sets])
    scores = variances + 0.01 * rng.normal(size=len(sets))
    found = fs.frequency_correlation(scores, sets, f, [6], moment="variance", exhaustive=whole)
    assert found.r == pytest.approx(np.corrcoef(scores, variances)[0, 1])
    assert found.permutation.p_value < 0.05
    assert found.interval(0.95) is None
    assert fs.frequency_correlation(scores, sets, f, [6], exhaustive=whole).r != pytest.approx(found.r)
