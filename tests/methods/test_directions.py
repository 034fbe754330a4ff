"""Directions and what is measured along them: naive references, properties, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.decomposition import PCA

import evaluate_bias
from evaluate_bias.data.templates import parse_template
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.direction.axis import bias_direction, component_shares, mixtures, shares_by_chance
from evaluate_bias.methods.direction.indirect_bias.method import indirect_bias
from evaluate_bias.methods.embedding import WordsInTemplates
from evaluate_bias.models.pooling import Representation
from tests.support.draws import draws
from tests.support.naive_seat import OneAtATime
from tests.support.tiny_models import tiny_masked

from .vector_tests import LISTS, cos, dot, made, run


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


def naive_direction(x, y, how):
    """The direction by scikit-learn's principal components of what each definition lists."""
    if how in ("difference", "mean_difference"):
        g, explained = unit(np.mean(np.subtract(x, y), axis=0)), None
    else:
        rows = []
        for p, q in zip(x, y, strict=True):
            centre = (np.asarray(p) + q) / 2
            rows += [p - centre, q - centre] if how == "pair_centred_pca" else [np.subtract(p, q)]
        pca = PCA().fit(np.array(rows))
        g, explained = pca.components_[0], pca.explained_variance_ratio_[0]
    return (g if dot(g, np.sum(np.subtract(x, y), axis=0)) > 0 else -g), explained


@pytest.mark.parametrize("how", ["pair_centred_pca", "difference_pca", "mean_difference"])
@draws(70)
def test_directions_agree_with_principal_components(how, seed):
    rng = np.random.default_rng(seed)
    n, dimension = int(rng.integers(2, 9)), int(rng.integers(2, 12))
    x, y = rng.normal(size=(2, n, dimension))
    found = bias_direction(x, y, how)
    g, explained = naive_direction(x, y, how)
    assert found.vector == pytest.approx(g, abs=1e-7)
    assert found.explained == (None if explained is None else pytest.approx(explained))


# Few pairs and many, which are solved whole and for the largest component alone; more numbers than pairs, and fewer.
@pytest.mark.parametrize(("n", "dimension"), [(5, 7), (5, 3), (30, 50), (30, 20), (40, 12)])
@pytest.mark.parametrize("how", ["pair_centred_pca", "difference_pca", "mean_difference"])
def test_resampled_pairs_agree_with_a_whole_decomposition_of_pairs_written_out(how, n, dimension):
    rng = np.random.default_rng(0)
    d = rng.normal(size=(n, dimension)) + 0.5
    drawn = [some for some in rng.integers(0, n, (20, n)) if len(set(some)) > 1]
    counts = np.array([np.bincount(some, minlength=n) for some in drawn], dtype=float)
    together, explained = mixtures(d, counts, how)
    for i, some in enumerate(drawn):
        rows = d[some] - (d[some].mean(axis=0) if how == "difference_pca" else 0)
        _, sizes, right = np.linalg.svd(rows)
        g = unit(rows.mean(axis=0)) if how == "mean_difference" else right[0]
        g = g if dot(g, d[some].sum(axis=0)) > 0 else -g
        assert together[i] @ d == pytest.approx(g, abs=1e-9)
        if explained is not None:
            assert explained[i] == pytest.approx(sizes[0] ** 2 / (sizes**2).sum(), abs=1e-12)
        alone, _ = mixtures(d[some][None], np.ones((1, n)), how)  # pairs of their own for every sample
        assert alone[0] @ d[some] == pytest.approx(g, abs=1e-9)


def normalised(vectors, test):
    return [[unit(vectors[w]) for w in test.get(name, [])] for name in LISTS]


@pytest.mark.parametrize("how", ["pair_centred_pca", "difference_pca", "mean_difference"])
@draws(70)
def test_methods_agree_with_naive_loops(how, seed):
    vectors, test = made(seed, (5, 5, 4, 3), 6)
    x, y, a, b = normalised(vectors, test)
    g = naive_direction(x, y, how)[0]
    options = {"direction": how, "n_resamples": 19}
    c = float(np.random.default_rng(seed).choice([0.5, 1.0, 2.0]))
    found = run("direct_bias", vectors, test, c=c, **options)
    assert found.score == pytest.approx(np.mean([abs(cos(w, g)) ** c for w in a]))
    assert found.estimates["direct_bias_b"].value == pytest.approx(np.mean([abs(cos(w, g)) ** c for w in b]))
    found = run("projection", vectors, test, **options)
    assert found.score == pytest.approx(np.mean([cos(w, g) for w in a]) - np.mean([cos(w, g) for w in b]))
    beta, sizes = [], []
    for w in a:
        for v in b:
            rest_w, rest_v = w - dot(w, g) * g, v - dot(v, g) * g
            beta.append((dot(w, v) - cos(rest_w, rest_v)) / dot(w, v))
            sizes.append(abs(dot(w, v)))
    found = run("indirect_bias", vectors, test, **options)
    assert found.score == pytest.approx(np.average(beta, weights=sizes))
    assert indirect_bias(a, b, g).ravel() == pytest.approx(beta)


@draws(20)
def test_directions_of_lists_of_unequal_size_agree_with_their_definitions(seed):
    vectors, test = made(seed, (5, 3, 4, 3), 6)
    x, y, a, b = normalised(vectors, test)
    pairs = [(p, q) for p in x for q in y]
    directions = {
        "sum": unit(unit(np.sum(x, axis=0)) - unit(np.sum(y, axis=0))),
        "all_pairs": naive_direction(*zip(*pairs, strict=True), "pair_centred_pca")[0],
    }
    for how, g in directions.items():
        found = run("direct_bias", vectors, test, direction=how, n_resamples=19)
        assert found.score == pytest.approx(np.mean([abs(cos(w, g)) for w in a]))
        found = run("projection", vectors, test, direction=how, n_resamples=19)
        assert found.score == pytest.approx(np.mean([cos(w, g) for w in a]) - np.mean([cos(w, g) for w in b]))
    details = found.rows[0].details
    cosines = {
        f"{v} / {w}": cos(vectors[v] / np.linalg.norm(vectors[v]) - unit(vectors[w]), g)
        for v in test["targets_x"]
        for w in test["targets_y"]
    }
    assert details["best_pair"] == max(cosines, key=cosines.get)
    assert details["best_pair_cosine"] == pytest.approx(max(cosines.values()))


def test_lists_that_are_no_pairs_have_an_interval_and_a_p_value():
    vectors, test = vocabulary()
    test = {**test, "targets_y": test["targets_y"][:3]}
    with pytest.raises(InputError, match="pairs"):
        run("direct_bias", vectors, test)
    for how in ("sum", "all_pairs"):
        result = run("direct_bias", vectors, test, direction=how, n_resamples=99, ci="bca", ci_resamples=99)
        assert result.ci_low < result.score < result.ci_high
        assert result.p_value > 0.01
        assert "targets and attributes" in result.ci_method


def test_sums_that_are_equal_have_no_direction():
    with pytest.raises(UndefinedScoreError):
        bias_direction([[1.0, 0.0], [0.0, 1.0]], [[2.0, 2.0]], "sum")


def test_words_count_by_their_frequency():
    vectors = {"x": [1.0, 0], "y": [-1.0, 0], "a": [0.6, 0.8], "b": [0.0, 1.0], "c": [0.8, 0.6]}
    test = {"name": "t", "targets_x": ["x"], "targets_y": ["y"], "attributes_a": ["a", "b", "c"]}
    result = run("direct_bias", vectors, test, frequencies={"a": 1, "b": 2, "c": 5}, n_resamples=19)
    assert result.score == pytest.approx((0.6 + 5 * 0.8) / 8)
    influence = {row["word"]: row["influence"] for row in result.rows[0].details["attributes"]}
    assert influence["c"] == pytest.approx(4.6 / 8 - 0.6 / 3)
    assert "z" not in result.estimates
    with pytest.raises(InputError) as caught:
        run("direct_bias", vectors, test, frequencies={"a": 1, "b": 0})
    assert caught.value.option == "frequencies"
    assert "b, c" in str(caught.value)


def vocabulary(seed=0, n=300):
    vectors, test = made(seed, (4, 4, 5, 5), 8)
    rng = np.random.default_rng(seed)
    return {**vectors, **{f"w{i}": rng.normal(size=8) for i in range(n)}}, test


def test_p_value_compares_with_random_pairs():
    vectors, test = vocabulary()
    for w in test["targets_x"]:
        vectors[w][0] += 9.0
    for w in test["targets_y"]:
        vectors[w][0] -= 9.0
    assert run("direct_bias", vectors, test, n_resamples=199).p_value > 0.02
    for w in test["attributes_a"] + test["attributes_b"]:
        vectors[w][0] += 9.0
    strong = run("direct_bias", vectors, test, n_resamples=199)
    assert strong.p_value == pytest.approx(1 / 200)
    assert run("indirect_bias", vectors, test, n_resamples=199).p_value < 0.05
    assert run("direct_bias", vectors, test, n_resamples=199).to_json() == strong.to_json()


def test_few_words_give_no_p_value_and_say_so():
    vectors, test = made(1)
    result = run("direct_bias", vectors, test, n_resamples=19)
    assert result.p_value is None
    assert any("too few for random sets of 4 pairs" in w for w in result.warnings)


@pytest.mark.parametrize("method", ["direct_bias", "indirect_bias", "projection"])
def test_bad_input(method):
    vectors, test = made(9)
    with pytest.raises(InputError, match="they are read as pairs"):
        run(method, vectors, {**test, "targets_y": test["targets_y"][:3]})
    with pytest.raises(InputError, match="`direction` 'difference' needs one pair, got 4"):
        run(method, vectors, test, direction="difference")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("method", ["direct_bias", "indirect_bias"])
def test_random_pairs_are_of_words_whose_squares_can_be_computed(method):
    """A word of the vocabulary that no measured word may be has no part in the p-value either."""
    vectors, test = made(0, (1, 1, 3, 3))
    rng = np.random.default_rng(1)
    others = {f"filler{i}": rng.normal(size=5) for i in range(20)}
    plain = run(method, {**vectors, **others}, test, n_resamples=19)
    strange = {"long": others["filler0"] * 1e200, "short": others["filler1"] * 1e-200, "none": [0.0] * 5}
    found = run(method, {**vectors, **others, **strange}, test, n_resamples=19)
    assert (found.score, found.p_value) == (plain.score, plain.p_value)


@pytest.mark.parametrize("method", ["direct_bias", "indirect_bias", "projection"])
@pytest.mark.parametrize("single", [False, True])
def test_equal_components_are_no_direction(method, single):
    """Rounding would choose between them, in double or in single precision; unequal ones are told apart."""
    turned = np.linalg.qr(np.random.default_rng(4).normal(size=(6, 6)))[0]
    kind = np.float32 if single else np.float64

    def vectors(length):
        pairs = {"x0": turned[0], "y0": -turned[0], "x1": length * turned[1], "y1": -length * turned[1]}
        words = {"a0": turned[2] + turned[0], "b0": turned[2] + turned[1]}
        return {w: v.astype(kind) for w, v in {**pairs, **words}.items()}

    test = {"name": "t", "targets_x": ["x0", "x1"], "targets_y": ["y0", "y1"]}
    test |= {"attributes_a": ["a0"], "attributes_b": ["b0"]}
    with pytest.raises(UndefinedScoreError, match="t: the pairs have no single direction"):
        run(method, vectors(1.0), test)
    run(method, vectors(1.0), test, direction="mean_difference", n_resamples=19)
    rows = [list(vectors(1.01)[w]) for w in ("x0", "x1", "y0", "y1")]
    found = bias_direction(rows[:2], rows[2:])
    assert abs(found.vector @ turned[1]) == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(UndefinedScoreError, match="two largest components explain equally much"):
        bias_direction(np.eye(3) * 2, np.eye(3), "difference_pca")


def test_a_projection_needs_the_sign_of_its_direction():
    """Of two pairs that stand opposite ways round the differences sum to 0 along the first component."""
    vectors, test = made(3, (2, 2, 3, 3))
    vectors |= {"y1": vectors["x0"], "x1": vectors["y0"]}
    test |= {"targets_x": ["x0", "x1"], "targets_y": ["y0", "y1"]}
    with pytest.raises(UndefinedScoreError, match="toy: the direction of the pairs has no sign"):
        run("projection", vectors, test, same_vector="keep")
    assert run("direct_bias", vectors, test, n_resamples=19, same_vector="keep").score > 0


def test_random_directions_without_a_score_are_named():
    """Words with one and the same vector make pairs that have no direction."""
    vectors, test = made(0, (1, 1, 3, 3))
    same = {f"filler{i}": [1.0, 2.0, 3.0, 4.0, 5.0] for i in range(12)}
    result = run("direct_bias", {**vectors, **same}, test, direction="difference", n_resamples=99)
    assert result.p_value is not None
    assert any("of 99 random directions have no score and are ignored" in w for w in result.warnings)


def test_the_z_of_direct_bias_over_tests_is_that_of_their_scores() -> None:
    rng = np.random.default_rng(4)
    vectors = {w: rng.normal(size=6).tolist() for w in "abcdefghijkl"}
    tests = [
        {"name": name, "targets_x": [x], "targets_y": [y], "attributes_a": list("ijkl"), "bias_type": kind}
        for name, x, y, kind in (("one", "a", "b", "g"), ("two", "c", "d", "g"), ("three", "e", "f", "g"))
    ]
    control = {**tests[0], "name": "control", "targets_x": ["g"], "targets_y": ["h"], "bias_type": "none"}
    found = evaluate_bias.measure("direct_bias", vectors, data=[*tests, control])
    scores = np.array([row.score for row in found.rows if row.name != "control"])
    z = scores.mean() / (scores.std(ddof=1) / np.sqrt(3))
    assert found.estimates["z"].value == pytest.approx(z)
    assert found.estimates["z"].p == pytest.approx(math.erfc(z / math.sqrt(2)))
    above = evaluate_bias.measure("direct_bias", vectors, data=tests, z_alternative="greater")
    assert above.estimates["z"].p == pytest.approx(found.estimates["z"].p / 2)
    same = [{**tests[0], "name": name} for name in ("first", "second")]
    alike = evaluate_bias.measure("direct_bias", vectors, data=same)
    assert "z" not in alike.estimates
    assert "no z test of their mean: the scores of all 2 tests are equal" in alike.warnings


# --- models in context -------------------------------------------------------------------------------------------

PAIRS = [("she", "he"), ("woman", "man"), ("daughters", "sons"), ("grandmother", "grandfather")]
NEUTRAL = ["nurse", "engineer", "doctor", "patient", "bridge"]


def in_context(**options):
    test = {
        "name": "people",
        "language": "en",
        "targets_x": [x for x, _ in PAIRS],
        "targets_y": [y for _, y in PAIRS],
        "attributes_a": NEUTRAL,
    }
    return evaluate_bias.measure(
        "direct_bias", tiny_masked("bert"), data=[test], **{"n_resamples": 99, "ci_resamples": 99, **options}
    )


@pytest.mark.parametrize("templates", ["none", ["This is {target}.", "The {target} left."]])
@pytest.mark.parametrize(
    ("representation", "layer"), [("target_mean", None), ("cls", -2), ("sentence_mean", 1)]
)
def test_words_in_context_agree_with_vectors_made_by_hand(templates, representation, layer):
    one = OneAtATime(tiny_masked("bert"))
    texts = ["{target}"] if templates == "none" else templates

    def vector(word):
        return unit(
            np.mean([one(t.format(target=word), word, representation, layer or -1) for t in texts], axis=0)
        )

    result = in_context(templates=templates, representation=representation, layer=layer)
    differences = np.array([vector(x) - vector(y) for x, y in PAIRS])
    _, sizes, right = np.linalg.svd(differences, full_matrices=False)
    expected = np.mean([abs(right[0] @ vector(word)) for word in NEUTRAL])
    assert result.score == pytest.approx(expected, abs=1e-5)
    row = result.rows[0]
    shares = sizes**2 / np.sum(sizes**2)
    assert row.details["components"] == pytest.approx(shares, abs=1e-5)
    assert row.estimates["explained_variance"].value == pytest.approx(shares[0], abs=1e-5)
    assert result.settings["representation"] == (
        representation if layer is None else f"{representation}@{layer}"
    )


def test_components_are_those_of_a_principal_component_analysis_and_of_random_pairs():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 12, 20))
    centred = np.concatenate([(x - y) / 2, (y - x) / 2])
    expected = PCA().fit(centred).explained_variance_ratio_[:10]
    assert component_shares(x, y, "pair_centred_pca") == pytest.approx(expected)
    expected = PCA().fit(x - y).explained_variance_ratio_[:10]
    assert component_shares(x, y, "difference_pca") == pytest.approx(expected)
    assert component_shares(x, y, "mean_difference") == component_shares(x[:1], y[:1], "difference_pca") == []
    noise = shares_by_chance(rng.normal(size=(400, 20)), (12, 12), "pair_centred_pca", 0)
    assert noise[0] == pytest.approx(
        component_shares(*rng.normal(size=(2, 12, 20)), "pair_centred_pca")[0], abs=0.1
    )
    assert shares_by_chance(rng.normal(size=(100, 20)), (12, 12), "pair_centred_pca", 0) == []
    assert shares_by_chance(None, (12, 12), "pair_centred_pca", 0) == []


def test_a_model_in_context_is_compared_with_words_of_its_vocabulary_and_drawn():
    result = in_context(templates=["This is {target}."])
    model, tokenizer = tiny_masked("bert")
    embedded = WordsInTemplates(
        evaluate_bias.load_model((model, tokenizer)),
        [parse_template("{target}")],
        Representation.parse("cls"),
    )
    words = list(embedded.words())
    assert "the" in words
    assert all(len(tokenizer.tokenize(word)) == 1 and word.isalpha() for word in words)
    if len(words) < 10 * len(PAIRS):
        assert result.p_value is None
    axis = result.plot(kind="components")
    heights = [bar.get_height() for bar in axis.patches]
    assert heights == pytest.approx(result.rows[0].details["components"])
