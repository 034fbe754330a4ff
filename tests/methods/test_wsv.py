"""WSV: the map against worked cases and scikit-learn's own analysis, on planted data, and from words to result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.svm import LinearSVC

import evaluate_bias as eb
from evaluate_bias.errors import (
    CoverageError,
    DataError,
    InputError,
    UndefinedScoreError,
    UnknownNameError,
)
from evaluate_bias.experiments.sources import read_file, write_results
from evaluate_bias.methods.direction.wsv import method as wsv
from evaluate_bias.methods.direction.wsv.method import importance, relevance, wsv_map
from evaluate_bias.report.card import bias_section
from evaluate_bias.report.compare.change import ChangeConclusion
from evaluate_bias.report.reading import read
from evaluate_bias.report.write import report_page
from tests.support.golden import golden_checks
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_masked

GOLDEN = golden_checks("wsv")
SIGNAL = 8


def planted(
    seed: int, n: int = 60, dimension: int = 96
) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """Words that differ in a few loud topics, and in gender on eight quiet features."""
    rng = np.random.default_rng(seed)
    topics = np.zeros((6, dimension))
    topics[:, SIGNAL:] = rng.normal(size=(6, dimension - SIGNAL))

    def words(side: np.ndarray) -> np.ndarray:
        vectors = 0.3 * rng.normal(size=(len(side), dimension)) + rng.normal(size=(len(side), 6)) @ topics
        vectors[:, :SIGNAL] += 0.7 * side[:, None]
        return vectors

    share = rng.uniform(-1, 1, n)
    classes = ["female"] * (n // 2) + ["male"] * (n - n // 2)
    return words(np.where(np.array(classes) == "female", 1.0, -1.0)), classes, words(share), share


def rows_and_vectors(
    seed: int = 0, dimension: int = 12, n: int = 10
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    protected, classes, words, share = planted(seed, n, dimension)
    vectors = {f"p{i}": v for i, v in enumerate(protected)} | {f"w{i}": v for i, v in enumerate(words)}
    rows: list[dict[str, Any]] = [{"word": f"p{i}", "group": c} for i, c in enumerate(classes)]
    rows += [{"word": f"w{i}", "statistic": float(s)} for i, s in enumerate(share)]
    return rows, vectors


def run(rows: list[dict[str, Any]], vectors: Any, **options: Any) -> eb.Result:
    return eb.measure("wsv", vectors, data=rows, **{"n_features": 8, "n_resamples": 199, **options})


# --- the map ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN["relevance"], ids=lambda c: c["name"])
def test_relevance_worked_by_hand(case: dict[str, Any]) -> None:
    found = relevance(case["protected"], case["classes"], c=case["c"])
    assert found == pytest.approx(np.array(case["expected"]), abs=1e-8)


@pytest.mark.parametrize("case", GOLDEN["map"], ids=lambda c: c["name"])
def test_maps_worked_by_hand(case: dict[str, Any]) -> None:
    found = wsv_map(
        case["protected"],
        case["classes"],
        case["words"],
        n_features=case["n_features"],
        rotate=case.get("rotate", True),
        positive=case["positive"],
    )
    if "words_1" in case["expected"]:
        assert found.words[:, 0] == pytest.approx(np.array(case["expected"]["words_1"]), abs=1e-9)
        assert sorted(found.features.tolist()) == [0, 1]
    else:
        assert found.words == pytest.approx(np.array(case["expected"]["words"]), abs=1e-9)
        assert found.explained == pytest.approx(np.array(case["expected"]["explained"]), abs=1e-12)


@pytest.mark.parametrize("n", [2, 5, 20])
@pytest.mark.parametrize("k", [2, 3])
def test_a_map_is_that_of_scikit_learn_on_the_chosen_columns(n: int, k: int) -> None:
    protected, classes, words, _ = planted(n)
    if k == 3:
        classes = [("a", "b", "c")[i % 3] for i in range(len(classes))]
    weights = np.abs(LinearSVC(dual=False, tol=1e-12, max_iter=10**5).fit(protected, np.array(classes)).coef_)
    chosen = np.argsort(-weights.mean(axis=0))[:n]
    found = wsv_map(protected, classes, words, n_features=n)
    assert set(found.features.tolist()) == set(chosen.tolist())
    expected = PCA(2, svd_solver="full").fit(protected[:, chosen]).transform(words[:, chosen])
    assert np.abs(found.words) == pytest.approx(np.abs(expected), abs=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_wsv_finds_a_planted_direction_that_pca_does_not(seed: int) -> None:
    protected, classes, words, share = planted(seed)
    found = wsv_map(protected, classes, words, n_features=SIGNAL)
    plain = wsv_map(protected, classes, words, n_features=None)
    assert sorted(found.features.tolist()) == list(range(SIGNAL))
    assert np.corrcoef(found.words[:, 0], share)[0, 1] > 0.9
    assert abs(np.corrcoef(plain.words[:, 0], share)[0, 1]) < 0.5


def test_axes_turn_towards_the_positive_class() -> None:
    protected, classes, words, _ = planted(0)
    female = wsv_map(protected, classes, words, n_features=SIGNAL)
    male = wsv_map(protected, classes, words, n_features=SIGNAL, positive="male")
    of = np.array(classes)
    assert female.protected[of == "female", 0].mean() > 0 > female.protected[of == "male", 0].mean()
    assert male.words == pytest.approx(-female.words, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_two_features_without_rotation_are_the_two_of_largest_weight(seed: int) -> None:
    protected, classes, words, _ = planted(seed)
    weights = np.abs(LinearSVC(dual=False, tol=1e-12, max_iter=10**5).fit(protected, classes).coef_[0])
    first, second = np.argsort(-weights)[:2]
    found = wsv_map(protected, classes, words, n_features=2, rotate=False)
    assert found.features.tolist() == [first, second]
    of = np.array(classes)
    for k, feature in enumerate((first, second)):
        column = protected[:, feature]
        sign = np.sign(column[of == "female"].mean() - column[of == "male"].mean())
        assert found.words[:, k] == pytest.approx(sign * (words[:, feature] - column.mean()), abs=1e-12)
    variances = protected[:, [first, second]].var(axis=0)
    assert found.explained == pytest.approx(variances / variances.sum())


def refused_by_vectors_that_allow_no_map(change: dict[str, Any]) -> Any:
    protected, classes, words, _ = planted(0)
    return wsv_map(**{"protected": protected, "classes": classes, "words": words, **change})


test_vectors_that_allow_no_map = refusals(
    refused_by_vectors_that_allow_no_map,
    ({"classes": ["female"] * 60}, UndefinedScoreError, None, r"words belong to one class \(female\)"),
    ({"protected": np.ones((60, 96))}, UndefinedScoreError, None, "all protected words have the same vector"),
    ({"protected": np.eye(2, 96), "classes": ["f", "m"]}, UndefinedScoreError, None, "three protected words"),
    ({"protected": np.outer(range(60), np.ones(96))}, UndefinedScoreError, None, "fewer than two directions"),
    ({
            "protected": np.column_stack([np.tile([1, -1], 30), np.tile([1, 1, -1, -1], 15), np.zeros((60, 94))]),
            "classes": ["female", "male"] * 30,
        }, UndefinedScoreError, None, "vary equally much in two directions"),
    ({"words": np.ones((3, 95))}, InputError, None, "96 and 95 dimensions"),
    ({"words": np.full((3, 96), np.nan)}, InputError, None, "words has NaN or infinity in vector 0"),
    ({"positive": "femal"}, UnknownNameError, "positive", "unknown class 'femal'; did you mean 'female'"),
)  # fmt: skip


# --- from words to a result --------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-200, 1e6, 1e30, 1e200])
def test_vectors_on_which_the_classifier_cannot_be_trained_are_refused(factor: float) -> None:
    """Where the classes overlap its weights are wrong from about 1e6 on, and on some vectors it never ends."""
    rows, vectors = rows_and_vectors()
    with pytest.raises(InputError, match="the largest component of the vectors of the protected words is"):
        run(rows, {w: factor * v for w, v in vectors.items()})
    far = {w: factor * v if w.startswith("w") else v for w, v in vectors.items()}
    if factor == 1e200:
        with pytest.raises(InputError, match="of the vectors of the words to evaluate is"):
            run(rows, far)


@pytest.mark.parametrize("seed", range(3))
def test_relevance_agrees_with_a_slow_minimum_up_to_long_vectors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, classes = rng.normal(size=(20, 4)), ["f", "m"] * 10
    side = np.where(np.array(classes) == "m", 1.0, -1.0)
    for factor in (1.0, 1e2, 2e4):

        def loss(v: np.ndarray, factor: float = factor) -> Any:
            # In units of v = factor · w; the intercept is penalised too, as the reference's is.
            left = np.maximum(0.0, 1 - side * (x @ v[:4] + v[4]))
            gradient = -2 * np.append((left * side) @ x, left @ side)
            penalty = np.append(np.full(4, factor**-2), 1.0)
            return (penalty * v * v).sum() / 2 + (left**2).sum(), penalty * v + gradient

        best = minimize(
            loss, np.zeros(5), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 10_000}
        ).x
        assert factor * relevance(factor * x, classes) == pytest.approx(np.abs(best[:4]), rel=1e-5)


def test_groups_compare_both_axes_with_plain_analysis() -> None:
    rows, vectors = rows_and_vectors()
    result = run(rows, vectors)
    assert [(g["map"], g["component"]) for g in result.groups] == [
        ("WSV", 1), ("WSV", 2), ("PCA", 1), ("PCA", 2)
    ]  # fmt: skip
    assert result.groups[0]["score"] == result.score
    assert all(g["p_holm"] >= g["p_value"] for g in result.groups)
    plain = run(rows, vectors, n_features=None)
    assert plain.groups[0]["score"] == result.groups[2]["score"]


def test_the_sweep_has_its_own_test_and_leaves_the_score_alone() -> None:
    rows, vectors = rows_and_vectors()
    one, other = run(rows, vectors), run(rows, vectors, sweep=[2, 3, 5, 12])
    assert (one.score, one.p_value) == (other.score, other.p_value)
    assert one.settings["sweep"] == [2, 4, 8, 12]
    sweep = other.extra["sweep"]["statistic"]
    assert [(r["n_features"], r["component"]) for r in sweep["rows"]] == [
        (n, k) for n in (2, 3, 5, 12) for k in (1, 2)
    ]
    assert sweep["best"]["p_selected"] >= min(r["p_value"] for r in sweep["rows"])
    assert sweep["rows"][-2]["r"] == pytest.approx(other.groups[2]["score"])


def test_without_rotation_the_sweep_is_the_paper_s_table() -> None:
    """Two features as they are, more of them rotated, all of them as in plain principal component analysis."""
    rows, vectors = rows_and_vectors()
    rotated, plain = run(rows, vectors, n_features=2), run(rows, vectors, n_features=2, rotate=False)
    assert plain.settings["rotate"] is False
    assert plain.score != rotated.score
    one, other = (result.extra["sweep"]["statistic"]["rows"] for result in (rotated, plain))
    assert [row["r"] for row in one[2:]] == [row["r"] for row in other[2:]]
    assert [row["r"] for row in other[:2]] == [group["score"] for group in plain.groups[:2]]
    assert other[-2]["r"] == pytest.approx(plain.groups[2]["score"])
    assert [g["score"] for g in plain.groups[2:]] == [g["score"] for g in rotated.groups[2:]]
    two = {word: vector[:2] for word, vector in vectors.items()}
    assert not any(
        "plain principal component" in w for w in run(rows, two, n_features=2, rotate=False).warnings
    )


def test_what_cannot_be_embedded_is_listed_and_too_much_is_refused() -> None:
    rows, vectors = rows_and_vectors(n=12)
    del vectors["w0"], vectors["p0"]
    result = run(rows, vectors)
    assert [(s.item, s.where) for s in result.skipped] == [
        ("p0", "protected words"),
        ("w0", "words to evaluate"),
    ]
    assert (result.coverage.found, result.coverage.asked, result.n) == (22, 24, 11)
    del vectors["p1"]
    with pytest.raises(CoverageError, match="2 of 6 words cannot be embedded with"):
        run(rows, vectors)
    assert run(rows, vectors, max_missing=0.5).coverage.found == 21
    for w in range(12):
        vectors.pop(f"w{w}", None)
    with pytest.raises(CoverageError, match="12 of 12 words cannot be embedded"):
        run(rows, vectors, max_missing=1.0)


def test_few_protected_words_and_a_wrong_axis_are_warned_of() -> None:
    rows, vectors = rows_and_vectors(dimension=12)
    warnings = run(rows, vectors, n_features=None).warnings
    assert any("12 features are kept and 10 protected words" in w for w in warnings)
    assert run(*rows_and_vectors(dimension=40, n=20)).warnings == ()
    loud_topic = {w: [v[0], 5.0 * v[-1]] for w, v in vectors.items()}
    warnings = run(rows, loud_topic, n_features=2).warnings
    assert any("all 2 features are kept, which is plain" in w for w in warnings)
    assert any("does not tell the classes of the protected words apart" in w for w in warnings)
    # The first axis carries a tenth of the difference between the classes, the second most of it.
    four = [{"word": f"p{i}", "group": group} for i, group in enumerate("ffmm")] + rows[-6:]
    mixed = {r["word"]: vectors[r["word"]][:2] for r in four}
    for word, side, u in zip(("p0", "p1", "p2", "p3"), (1, 1, -1, -1), (1, -1, 1, -1), strict=True):
        mixed[word] = np.array([side + 2.9 * u, side - u / 2.9])
    found = run(four, mixed, n_features=None)
    assert found.extra["separation"] == pytest.approx([1 / 9.41, 1 / (1 + 2.9**-2)], rel=1e-6)
    assert any("differ more on the second axis" in w for w in found.warnings)


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ("no protected words", lambda protected, words: words),
        ("no words to evaluate", lambda protected, words: protected),
        ("one class", lambda protected, words: [*protected[:5], *words]),
        ("no word to evaluate has a statistic", lambda p, words: [*p, *({"word": r["word"]} for r in words)]),
        ("known for 3 of the words", lambda p, w: [*p, *w[:3], *({"word": r["word"]} for r in w[3:])]),
        ("does not vary", lambda p, words: [*p, *({**r, "statistic": 5.0} for r in words)]),
    ],
)
def test_what_has_no_score_is_an_error(message: str, change: Any) -> None:
    rows, vectors = rows_and_vectors()
    with pytest.raises(UndefinedScoreError, match=message):
        run(change([r for r in rows if "group" in r], [r for r in rows if "statistic" in r]), vectors)


@pytest.mark.parametrize("row", [{"wrod": 1}, {"word": " nurse"}, {"statistic": float("inf")}])
def test_bad_rows(row: dict[str, Any]) -> None:
    rows, vectors = rows_and_vectors()
    with pytest.raises(DataError, match="row 21 of 21"):
        run([*rows, {"word": "x", **row}], vectors)


test_bad_options = refusals(
    lambda options: run(*rows_and_vectors(), **options),
    ({"n_features": 50}, InputError, "n_features", "n_features must be an integer from 2 to 12"),
    ({"rotate": False}, InputError, "rotate", "n_features must be 2, got 8"),
    ({"sweep": []}, InputError, "sweep", "`sweep` must be a list"),
    ({"sweep": [1, 4]}, InputError, "sweep", "each number of the sweep must be"),
    ({"statistics": {"s": 1.0}}, InputError, "statistics", "`statistics` must give for each name"),
    ({"statistics": {"s": {"w0": float("inf")}}}, InputError, "statistics", "'w0' must be a finite number"),
    ({"c": 0.0}, InputError, "c", "`c` must be a number above 0"),
)


WORDS = {
    "female": ["grandmother", "daughters", "she", "girl", "woman"],
    "male": ["man", "he", "father", "boy", "his"],
    "": ["nurse", "doctor", "engineer", "patient", "football", "bridge"],
}


def text_rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for group, words in WORDS.items():
        for i, word in enumerate(words):
            rows.append({"word": word, "group": group} if group else {"word": word, "statistic": float(i**2)})
    return rows


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_model_in_context(family: str) -> None:
    """The coordinates are those of the states that the model gives for the word alone."""
    model = eb.load_model(tiny_masked(family))
    rows = text_rows()
    result = wsv.evaluate(model, rows, n_features=10, representation="target_mean@-2", n_resamples=99)
    words = [r["word"] for r in rows]
    vectors = np.stack(
        [v[0] for v in model.embed_in_context(words, [(0, len(w)) for w in words], ["target_mean@-2"])]
    )
    found = wsv_map(vectors[:10], [r["group"] for r in rows[:10]], vectors[10:], n_features=10)
    assert [i["component_1"] for i in result.items] == pytest.approx(found.words[:, 0].tolist(), abs=1e-5)
    assert result.settings["representation"] == "target_mean@-2"


def test_words_in_other_letters_count_once_where_the_model_reads_them_alike() -> None:
    rng = np.random.default_rng(0)
    words = [f"j{i}" for i in range(6)]
    vectors = {w: rng.normal(size=4).tolist() for w in (*words, "she", "her", "he", "him")}
    rows: list[dict[str, Any]] = [{"word": w, "group": "female"} for w in ("she", "her")]
    rows += [{"word": w, "group": "male"} for w in ("he", "him")]
    rows += [{"word": w, "statistic": float(i)} for i, w in enumerate(words)]
    again = [{**row, "word": row["word"].upper()} for row in rows]
    model = eb.load_model(vectors, case="lower")
    options: dict[str, Any] = {"n_features": 3, "n_resamples": 199}
    once, twice, turned = (
        eb.measure("wsv", model, data=given, **options) for given in (rows, rows + again, again + rows)
    )
    assert (twice.score, twice.p_value, twice.n) == (pytest.approx(once.score), once.p_value, once.n)
    assert len(twice.skipped) == len(again)
    assert (turned.score, turned.p_value) == (twice.score, twice.p_value)
    with pytest.raises(InputError, match="two numbers: 0.0 and 7"):
        eb.measure("wsv", model, data=[*rows, {"word": "J0", "statistic": 7.0}], **options)


# --- the most correlated component, other classifiers ----------------------------------------------------------


def test_the_most_correlated_component_is_compared_with_the_larger_of_two_by_chance() -> None:
    rows, vectors = rows_and_vectors(dimension=12, n=30)
    options = {"n_features": 12, "component": "most correlated", "n_resamples": 999}
    result = run(rows, vectors, **options)
    each = [row.score for row in result.rows_of("group")[:2]]
    assert result.score == pytest.approx(max(map(abs, each)))
    assert result.details["component"] == int(np.argmax(np.abs(each))) + 1
    places = np.array([[r.details[f"component_{k}"] for k in (1, 2)] for r in result.rows_of("item")])
    shares = np.array([r.details["statistics"]["statistic"] for r in result.rows_of("item")])
    rng = np.random.default_rng(1)
    largest = [
        max(abs(np.corrcoef(p, rng.permutation(shares))[0, 1]) for p in places.T) for _ in range(2_000)
    ]
    assert result.expected_by_chance == pytest.approx(np.mean(largest), abs=0.01)
    assert result.p_value == pytest.approx(np.mean(np.array(largest) >= result.score), abs=0.03)
    assert (result.ci_low, result.score_range) == (None, (0.0, 1.0))
    assert run(rows, vectors, n_features=12, component=2).score == pytest.approx(each[1])


def test_the_score_without_a_sign_says_its_range_once_and_its_groups_keep_their_sign(tmp_path: Path) -> None:
    rows, vectors = rows_and_vectors(dimension=12, n=30)
    options = {"n_features": 12, "component": "most correlated", "n_resamples": 999}
    result = run(rows, vectors, positive="male", **options)  # so that the correlations are negative
    score = "The score, 0 to 1 without a direction, lies above the value expected by chance"
    reading, by_axis = read(result), [row.score or 0.0 for row in result.rows_of("group")]
    assert reading.finding == f"{score} (0.54, p = .006)."
    assert min(by_axis) < -0.5
    assert {(row.line.score_range, row.line.ideal) for row in reading.rows[1:]} == {((-1.0, 1.0), 0.0)}
    assert reading.rows[1].clause.startswith(
        "the larger the statistic of a word, the farther the model places the word"
    )
    text = bias_section([result])
    assert f"- **{score}**: absolute correlation 0.54 (chance: 0.21). *WSV*." in text
    page = report_page([result], [], tmp_path)
    assert page.count("without a direction") == text.count("without a direction") == 1
    assert "A negative r does the opposite" not in page
    write_results([result], tmp_path)
    assert read_file(tmp_path / "results.jsonl") == [result]  # "its range is 0 to 1" refused this file


def test_the_most_correlated_components_of_two_models_are_compared() -> None:
    """Each model has its own axis, and where it points to does not matter."""
    rows, vectors = rows_and_vectors(dimension=12, n=30)
    options = {"n_features": 12, "component": "most correlated", "n_resamples": 99}
    one = run(rows, vectors, **options)
    turned = run(rows, vectors, positive="male", **options)
    assert turned.rows_of("group")[0].score == pytest.approx(-one.rows_of("group")[0].score)

    def overall(second: eb.Result) -> Any:
        (change,) = [c for c in eb.compare([one], [second]).changes if c.kind == "overall"]
        return change

    same = overall(turned)
    assert (same.difference, same.p_value) == (pytest.approx(0, abs=1e-12), 1.0)
    # A feature that no class differs in now has the statistic, the others matter less.
    shares = {row["word"]: row["statistic"] for row in rows if "statistic" in row}
    moved = {w: [*v[:-1], v[-1] + 8 * shares[w]] if w in shares else v for w, v in vectors.items()}
    other = run(rows, moved, **options)
    change = overall(other)
    assert (change.first, change.second) == (pytest.approx(one.score), pytest.approx(other.score))
    assert change.n == len(one.rows_of("item"))
    assert change.low < other.score - one.score < change.high
    assert (change.conclusion, change.p_value < 0.05) == (ChangeConclusion.DECREASED, True)


def test_a_note_on_the_classes_is_of_the_axis_that_the_score_is_about() -> None:
    rows, vectors = rows_and_vectors(dimension=12, n=30)
    shares = run(rows, vectors, n_features=12).details["separation"]
    assert shares[0] < 0.1 < shares[1]
    for component, n_notes in ((1, 1), (2, 0)):
        warnings = run(rows, vectors, n_features=12, component=component).warnings
        assert sum("does not tell the classes" in warning for warning in warnings) == n_notes


@pytest.mark.parametrize("classifier", ["rbf", "boosted", "mlp"])
def test_other_classifiers_find_planted_features(classifier: str) -> None:
    protected, classes, _, _ = planted(0, n=40, dimension=24)
    weights = importance(protected, classes, classifier)
    assert len({*np.argsort(-weights)[:SIGNAL].tolist()} & {*range(SIGNAL)}) >= 6
    assert weights == pytest.approx(importance(protected, classes, classifier))


def test_features_that_do_not_help_are_not_kept() -> None:
    rng = np.random.default_rng(0)
    protected = rng.normal(size=(20, 12))
    protected[:, 3] = [2.0] * 10 + [-2.0] * 10
    protected[:, 5] = protected[:, 3] + 0.1 * rng.normal(size=20)
    rows = [{"word": f"p{i}", "group": "f" if i < 10 else "m"} for i in range(20)]
    rows += [{"word": f"w{i}", "statistic": float(i)} for i in range(10)]
    vectors = {f"p{i}": v for i, v in enumerate(protected)}
    vectors |= {f"w{i}": v for i, v in enumerate(rng.normal(size=(10, 12)))}
    result = run(rows, vectors, classifier="boosted", n_features=11)
    assert result.details["n_features"] < 11
    assert any(f"{result.details['n_features']} are kept and not 11" in note for note in result.warnings)
    with pytest.raises(UndefinedScoreError) as caught:
        run(rows[9:], vectors, classifier="rbf")
    assert caught.value.option == "classifier"
