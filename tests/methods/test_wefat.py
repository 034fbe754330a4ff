"""WEFAT: golden cases, naive loops, properties, bad input."""

from __future__ import annotations

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import CoverageError, InputError, UndefinedScoreError
from evaluate_bias.methods import wefat
from tests.support.refusals import refusals


def made(seed=0, n=12, dimension=5):
    """Vectors and rows: ``n`` words with a statistic, and two groups of three attributes."""
    rng = np.random.default_rng(seed)
    attributes = {f"{g}{i}": g for g in ("female", "male") for i in range(3)}
    words = [f"w{i}" for i in range(n)]
    vectors = {w: rng.normal(size=dimension) for w in (*attributes, *words)}
    rows = [{"word": w, "group": g} for w, g in attributes.items()]
    return vectors, rows + [
        {"word": w, "statistic": float(v)} for w, v in zip(words, rng.uniform(size=n), strict=True)
    ]


def run(vectors, rows, **options):
    return eb.measure("wefat", vectors, data=rows, **{"n_resamples": 999, **options})


def naive_pearson(u, v):
    mu, mv = sum(u) / len(u), sum(v) / len(v)
    num = sum((p - mu) * (q - mv) for p, q in zip(u, v, strict=True))
    return num / (sum((p - mu) ** 2 for p in u) * sum((q - mv) ** 2 for q in v)) ** 0.5


def test_wefat_agrees_with_naive_loops():
    rng = np.random.default_rng(4)
    words, a, b = rng.normal(size=(12, 5)), rng.normal(size=(3, 5)), rng.normal(size=(4, 5))
    share = rng.uniform(size=12)
    naive = []
    for w in words:
        cos = [float(w @ v / np.linalg.norm(w) / np.linalg.norm(v)) for v in [*a, *b]]
        mean = sum(cos) / 7
        sd = (sum((c - mean) ** 2 for c in cos) / 6) ** 0.5
        naive.append((sum(cos[:3]) / 3 - sum(cos[3:]) / 4) / sd)
    line, associations = wefat.wefat(words, a, b, share)
    assert associations == pytest.approx(naive)
    assert line.rvalue == pytest.approx(naive_pearson(naive, share.tolist()))
    assert line.slope * np.mean(naive) + line.intercept == pytest.approx(share.mean())
    assert wefat.wefat(words, b, a, share)[0].rvalue == pytest.approx(-line.rvalue)


SIX, THREE, FOUR = (np.random.default_rng(n).normal(size=(n, 5)) for n in (6, 3, 4))

test_wefat_refuses_what_has_no_correlation = refusals(
    wefat.wefat,
    (SIX, THREE, FOUR, [1.0] * 6, UndefinedScoreError, None, "same for every word"),
    (SIX, THREE, FOUR, [1.0] * 5, InputError, "statistic", "one finite number per word"),
    (
        SIX,
        THREE,
        FOUR,
        [1.0, 2, 3, 4, 5, float("nan")],
        InputError,
        "statistic",
        "one finite number per word",
    ),
    (SIX, THREE[:1], THREE[:1], [1.0, 2, 3, 4, 5, 6], UndefinedScoreError, None, "equally close"),
)


def test_packaged_words_on_published_vectors():
    result = eb.measure("wefat", "glove-6b-50d", n_resamples=999)
    assert result.n == 60
    assert result.score > 0.5
    assert result.p_value == 0.001
    assert result.details["statistic"] == "share of women (USA, BLS 2015-2016)"


def test_what_is_left_out_is_listed():
    vectors, rows = made()
    del vectors["w3"]
    more = [{"word": "w1", "statistic": rows[7]["statistic"]}, {"word": "x"}, {"word": "y", "group": "other"}]
    result = run(vectors, [*rows, *more])
    assert {(s.item, s.reason, s.where) for s in result.skipped} == {
        ("w1", "given 2 times, counted once", "words"),
        ("w3", "not in the vocabulary", "words"),
        ("x", "has no statistic", "words"),
        ("y", "of the group 'other', which is not compared", "attributes"),
    }
    assert (result.n, result.coverage.found, result.coverage.asked) == (11, 17, 18)
    with pytest.raises(CoverageError, match=r"words: 1 of 12 words are not in the vocabulary .*\(w3\)"):
        run(vectors, rows, max_missing=0.0)
    both = run(vectors, [*rows, {"word": "male1", "statistic": 0.3}])
    assert both.warnings == ("male1 both word to evaluate and attribute, with cosine 1 to itself",)


def of_rows(change):
    vectors, rows = made()
    change(vectors, rows)
    return run(vectors, rows)


test_bad_rows = refusals(
    of_rows,
    (lambda v, r: r.append({"word": "w1", "statistic": 7}), InputError, None, "'w1' has two statistics"),
    (lambda v, r: r.append({"word": "male0", "group": "female"}), InputError, None, "'male0' in both groups"),
    (lambda v, r: r.append({"word": "w1", "statistic": float("inf")}), ValueError, None, "statistic"),
    (lambda v, r: r.append({"word": "z", "statistic": 1, "colour": "red"}), ValueError, None, "colour"),
    (lambda v, r: r.__setitem__(slice(None), r[:6]), UndefinedScoreError, None, "no word with a statistic"),
    (lambda v, r: r.__setitem__(slice(None), r[3:]), UndefinedScoreError, None, "word of the group 'female'"),
    (lambda v, r: r.__setitem__(slice(None), []), UndefinedScoreError, None, "no word with a statistic"),
    (lambda v, r: r.__setitem__(slice(None), r[:9]), InputError, None, "at least four"),
    (lambda v, r: [row.update(statistic=1) for row in r[6:]], UndefinedScoreError, None, "for every word"),
    (lambda v, r: v.update(w2=np.zeros(5)), InputError, None, "words: the vector of 'w2' is zero"),
    (
        lambda v, r: [row.update(statistic_label=row["word"]) for row in r[6:8]],
        InputError,
        None,
        "statistics of different kinds: w0, w1",
    ),
)
