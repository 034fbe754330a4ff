"""WEAT against wefe 1.0.1 on the same vectors and lists in one run, and how our time grows with the lists.

    python benchmarks/weat.py

Prints, for every one of the ten English tests on GloVe 6B 50d: both effect sizes (ours with ddof=0, as wefe computes
it), our exact or bracketed p beside wefe's p from 10,000 draws, and the time ratios. wefe runs in an environment of
its own under build/peers, made on the first run.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import evaluate_bias as eb
from benchmarks.peers import run_peer
from evaluate_bias import stats
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.methods.association.weat import method as weat
from evaluate_bias.result import format_p

ITERATIONS = 10_000
TESTS_WITH_P = ("weat6", "weat7", "weat8")  # wefe takes minutes for each
LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")


def timed(function, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return value, statistics.median(times)


def against_wefe() -> None:
    model = eb.load_model("glove-6b-50d")
    tests = load_word_lists()
    sets, payload, words = {}, [], {}
    for t in tests:
        arrays, kept = [], {"name": t.name}
        for column in LISTS:
            given = list(getattr(t, column))
            vectors, missing = model.embed_words(given)
            kept[column] = [w for i, w in enumerate(given) if i not in missing]
            words.update(zip(kept[column], vectors, strict=True))
            arrays.append(np.asarray(vectors, dtype=np.float64))
        sets[t.name] = arrays
        payload.append(kept)
    theirs = run_peer(
        "wefe_weat.py",
        ["wefe==1.0.1"],
        {
            "words": list(words),
            "vectors": [v.tolist() for v in words.values()],
            "tests": payload,
            "iterations": ITERATIONS,
            "tests_with_p": TESTS_WITH_P,
        },
    )
    print(
        f"{'test':8} {'d ours':>8} {'d wefe':>8}   {'p ours':<28} {'p wefe':<10} d time ratio   p time ratio"
    )
    for name, (x, y, a, b) in sets.items():
        d, t_d = timed(lambda x=x, y=y, a=a, b=b: weat.effect_size(x, y, a, b, ddof=0))
        s_x, s_y = weat.association(x, a, b), weat.association(y, a, b)
        p, _ = timed(lambda s_x=s_x, s_y=s_y: stats.permutation_test(s_x, s_y), repeats=1)
        _, t_p = timed(
            lambda x=x, y=y, a=a, b=b: stats.permutation_test(
                weat.association(x, a, b),
                weat.association(y, a, b),
                method="monte_carlo",
                n_resamples=ITERATIONS,
            )
        )
        peer = theirs[name]
        told = format_p(p.p_value, p.p_low, p.p_high) + f" ({p.method})"
        sampled = f"{peer['p']:<10.4g}" if "p" in peer else f"{'-':<10}"
        ratio = f"{peer['seconds_p'] / t_p:13.0f}x" if "p" in peer else f"{'-':>14}"
        print(
            f"{name:8} {d:8.4f} {peer['d']:8.4f}   {told:<28} {sampled} {peer['seconds_d'] / t_d:10.1f}x {ratio}"
        )
        if abs(d - peer["d"]) > 1e-5:
            raise SystemExit(f"{name}: effect sizes differ")


def growth() -> None:
    print("\nsplit sizes    partitions   method   seconds   bracket width")
    for n in (8, 12, 16, 20, 22, 25, 28, 32):
        rng = np.random.default_rng(n)
        x, y = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
        p, seconds = timed(lambda x=x, y=y: stats.permutation_test(x, y), repeats=1)
        width = p.p_high - p.p_low
        print(f"{n:5} + {n:<5} {float(p.n_partitions):12.3g}   {p.method:8} {seconds:7.3f}   {width:.2g}")


if __name__ == "__main__":
    against_wefe()
    growth()
