"""WEAT from words to result."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats

import evaluate_bias as eb
from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.methods.word_lists.cosines import effect_size
from evaluate_bias.report.conclusions import Conclusion
from evaluate_bias.report.reading import read
from tests.support.golden import golden_checks

GOLDEN = golden_checks("weat")["glove_6b_50d"]
LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")


def make_test(name="t", sizes=(4, 4, 3, 3), prefix="w"):
    return {
        "name": name,
        **{
            column: [f"{prefix}{k}{i}" for i in range(n)]
            for k, (column, n) in enumerate(zip(LISTS, sizes, strict=True))
        },
    }


def make_vectors(*tests, seed=0, dimension=6):
    rng = np.random.default_rng(seed)
    words = [w for t in tests for column in LISTS for w in t[column]]
    return {w: rng.normal(size=dimension) for w in dict.fromkeys(words)}


@pytest.fixture(scope="module")
def glove():
    return eb.load_model("glove-6b-50d")


def run(test, vectors, **options):
    options.setdefault("ci_resamples", 199)
    return eb.measure("weat", vectors, data=[test] if isinstance(test, dict) else test, **options)


@pytest.mark.parametrize("test_name", sorted(GOLDEN["effect_sizes"]))
def test_published_vectors(glove, test_name):
    result = eb.measure("weat", glove, tests=[test_name], ci="none")
    assert result.score == pytest.approx(GOLDEN["effect_sizes"][test_name], abs=GOLDEN["tolerance"])


def test_all_ten_tests_on_real_vectors(glove):
    result = eb.measure("weat", glove, ci_resamples=999)
    assert [i["name"] for i in result.items] == [f"weat{k}" for k in range(1, 11)]
    social = result.items[2:]
    assert [i["control"] for i in result.items] == [True, True] + [False] * 8
    assert result.score == pytest.approx(np.mean([abs(i["score"]) for i in social]))
    assert result.n == sum(i["n_x"] + i["n_y"] for i in social)
    assert result.p_value == 1 / 100_000
    assert result.score_range[0] == 0.0 < result.expected_by_chance < result.ci_low
    assert any(w.startswith("weat1, weat2: controls without social content") for w in result.warnings)
    assert [i["p_error"] > 0 for i in result.items] == [i["p_method"] == "monte_carlo" for i in result.items]
    assert all(i["p_error"] < 1e-3 for i in result.items)
    assert result.ci_low < result.score < result.ci_high
    assert result.provenance["model"]["name"] == "glove-6b-50d"


def test_several_tests_are_combined_and_corrected():
    tests = [make_test(n, prefix=n) for n in "abc"]
    result = run(tests, make_vectors(*tests))
    p = np.array([i["p_value"] for i in result.items])
    order = np.argsort(p)
    holm = np.empty(3)
    holm[order] = np.minimum(1, np.maximum.accumulate(p[order] * [3, 2, 1]))
    assert [i["p_holm"] for i in result.items] == pytest.approx(holm)
    assert [i["p_bh"] for i in result.items] == pytest.approx(scipy.stats.false_discovery_control(p))
    assert result.extra["mean_d"] == pytest.approx(np.mean([i["score"] for i in result.items]))
    assert result.n == 24


def every_split_of_two_tests(effects):
    """Mean |d| of the observed lists and its mean and tail over all pairs of splits, one test independent of the
    other."""
    observed = np.mean([abs(all_of[0]) for all_of in effects])
    means = np.abs(np.add.outer(np.abs(effects[0]), np.abs(effects[1]))) / 2
    return observed, means.mean(), np.mean(means >= observed - 1e-9)


def test_the_permutation_test_of_the_mean_against_all_pairs_of_splits():
    tests = [make_test("a", (3, 3, 2, 2), "v"), make_test("b", (2, 4, 3, 2), "w")]
    vectors = make_vectors(*tests, seed=4)
    effects = []
    for t in tests:
        x, y, a, b = (np.array([vectors[w] for w in t[column]]) for column in LISTS)
        pool = np.concatenate([x, y])
        chosen = list(itertools.combinations(range(len(pool)), len(x)))
        effects.append([effect_size(pool[list(c)], np.delete(pool, list(c), axis=0), a, b) for c in chosen])
    score, null_mean, p = every_split_of_two_tests(effects)
    result = run(tests, vectors)
    assert result.score == pytest.approx(score)
    assert [row.details["null_sd"] for row in result.rows] == pytest.approx([np.std(e) for e in effects])
    assert result.expected_by_chance == pytest.approx(null_mean, abs=0.003)
    assert abs(result.p_value - p) <= 4 * result.p_error
    assert result.p_value == pytest.approx(p, abs=0.01)


def test_shared_attributes_and_roles_are_told():
    t = make_test(sizes=(5, 5, 4, 3))
    t["attributes_b"] = [*t["attributes_b"], "w20"]
    t["attributes_a"][3] = "w00"
    assert run(t, make_vectors(t)).warnings == (
        "t: w20 in both attribute lists, where it cancels out",
        "t: w00 both target and attribute, with cosine 1 to itself",
    )
    t["attributes_b"] = [*t["attributes_b"], "w33", "w34"]
    assert "does not quite cancel" in run(t, make_vectors(t)).warnings[0]


def test_caveats_of_few_words_and_of_shared_ones():
    few = run(make_test(sizes=(2, 5, 1, 3)), make_vectors(make_test(sizes=(2, 5, 1, 3))))
    assert few.score_range[1] > 2.0  # unequal sets reach beyond 2
    assert few.warnings == (
        "t: fewer than 5 words in targets_x, so the interval is rough",
        "t: one word in attributes_a, whose choice the interval cannot reflect",
    )
    a, b = make_test("a", (5, 5, 5, 5)), make_test("b", (5, 5, 5, 5), prefix="v")
    vectors = make_vectors(a, b)
    assert run([a, b], vectors).warnings == ()
    b["attributes_a"] = a["attributes_a"]
    assert "too narrow" in run([a, b], vectors).warnings[-1]


def test_an_undefined_test_is_named_with_what_was_lost():
    t = make_test(sizes=(2, 4, 3, 3))
    vectors = make_vectors(t)
    del vectors["w01"]
    with pytest.raises(
        UndefinedScoreError,
        match=r"^t: the test needs at least two target words in each set, got 1 and 4 \(without w01\)",
    ):
        run(t, vectors, max_missing=0.5)


@pytest.mark.parametrize("dimension", [3, 300])
@pytest.mark.parametrize(
    ("similarity", "of_two"),
    [("dot", lambda u, v: float(np.dot(u, v))), ("euclidean", lambda u, v: -float(np.linalg.norm(u - v)))],
)
def test_another_similarity_is_the_naive_one(similarity, of_two, dimension):
    test = make_test(sizes=(4, 3, 3, 2))
    vectors = {word: 50 * vector for word, vector in make_vectors(test, dimension=dimension).items()}
    x, y, a, b = ([vectors[word] for word in test[column]] for column in LISTS)
    s = [np.mean([of_two(w, v) for v in a]) - np.mean([of_two(w, v) for v in b]) for w in x + y]
    result = run(test, vectors, similarity=similarity)
    assert result.score == pytest.approx((np.mean(s[:4]) - np.mean(s[4:])) / np.std(s, ddof=1))
    assert [w["association"] for w in result.rows[0].details["words"]] == pytest.approx(s)
    assert result.ci_low < result.score < result.ci_high
    assert result.score != pytest.approx(run(test, vectors).score)


def test_one_word_a_list_gives_the_values_of_table_3_2():
    test = make_test(sizes=(1, 1, 2, 2))
    vectors = make_vectors(test)
    swapped = {**test, "targets_x": test["targets_y"], "targets_y": test["targets_x"]}
    published = {"ddof": 0, "alternative": "greater", "strict": True}
    results = [run(one, vectors, **published) for one in (test, swapped)]
    assert sorted((round(r.score, 9), r.p_value) for r in results) == [(-2.0, 0.5), (2.0, 0.0)]
    for result in (*results, run(test, vectors, ddof=0)):
        assert result.ci_low is None
        assert read(result).judgement.conclusion is not Conclusion.SIGNIFICANT
    assert run(test, vectors, ddof=0).p_value is None
    with pytest.raises(UndefinedScoreError):
        run(test, vectors)
    with pytest.raises(UndefinedScoreError):
        run(make_test(sizes=(1, 2, 2, 2)), make_vectors(make_test(sizes=(1, 2, 2, 2))), ddof=0)
    same = {**vectors, test["targets_y"][0]: 2 * vectors[test["targets_x"][0]]}
    with pytest.raises(UndefinedScoreError):
        run(test, same, ddof=0)
