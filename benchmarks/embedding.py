"""Embeddings in context: SEAT against one sentence a pass, CEAT's arithmetic, and what CEAT's p-values are worth.

    python benchmarks/embedding.py                  # all sections
    python benchmarks/embedding.py seat --tests weat6
    python benchmarks/embedding.py ceat calibration

seat         the sentences of SEAT's tests on MiniLM: (a) one sentence a forward pass, the word found by comparing
             pieces, as published scripts do; (d) ours, beside the time that the very same matrix products take with
             nothing around them. Ours and the products take turns, so that a busy
             machine slows both of them down.
ceat         a CEAT of 10,000 samples on MiniLM: embedding each word in each context once, and the arithmetic, against
             one sample at a time.
calibration  the share of p-values below 5% where groups do not differ, with both variances of CEAT: independent
             associations, and words that differ by chance.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.scoring import Clock, Products, products_alone, times
from evaluate_bias.data.default_tests import load_seat_tests
from evaluate_bias.methods.association.ceat.contexts import (
    WordContexts,
    contexts_of,
    embed_contexts,
    stream,
)
from evaluate_bias.methods.association.ceat.sampling import sampled_effect_sizes
from evaluate_bias.methods.association.seat.stimuli import StimulusSentence, stimuli_of
from evaluate_bias.methods.word_lists.cosines import effect_size
from evaluate_bias.methods.word_lists.inference import derive_seed
from evaluate_bias.methods.word_lists.inputs import LISTS
from evaluate_bias.models.load import load_model
from evaluate_bias.models.pooling import Representation
from evaluate_bias.stats import effect_size_variance, random_effects

REPEATS = 5
SECTIONS = ("seat", "ceat", "calibration")


# -- SEAT ------------------------------------------------------------------------------------------------------------


def sentences_of(names: Sequence[str]) -> list[dict[str, list[StimulusSentence]]]:
    tests = load_seat_tests(tests=names)
    forms = [{name: {w: w for w in getattr(test, name)} for name in LISTS} for test in tests]
    return [
        {name: list(one.sentences) for name, one in stimuli_of(test, words, "seat").items()}
        for test, words in zip(tests, forms, strict=True)
    ]


@torch.no_grad()
def one_at_a_time(
    model: Any, tokenizer: Any, sentences: Sequence[StimulusSentence]
) -> tuple[np.ndarray, int]:
    """Mean of the word's pieces, one sentence a forward pass, and how often comparing pieces finds no word."""
    vectors, lost = [], 0
    for sentence in sentences:
        inputs = tokenizer(sentence.text, return_tensors="pt")
        states = model(**inputs).last_hidden_state[0]
        pieces = tokenizer(sentence.text[slice(*sentence.span)], add_special_tokens=False).input_ids
        ids = inputs.input_ids[0].tolist()
        starts = [i for i in range(len(ids)) if ids[i : i + len(pieces)] == pieces]
        lost += not starts
        start = starts[0] if starts else 1
        vectors.append(states[start : start + len(pieces)].mean(dim=0).numpy())
    return np.stack(vectors), lost


def against_one_sentence_a_pass(names: Sequence[str]) -> None:
    model = load_model("minilm-l6", progress=False)
    tests = sentences_of(names)
    sentences = [s for test in tests for one in test.values() for s in one]
    texts, spans = [s.text for s in sentences], [s.span for s in sentences]
    wanted = [Representation("target_mean")]

    def ours() -> np.ndarray:
        return np.stack([v[0] for v in model.embed_in_context(texts, spans, wanted)])

    with Products() as products:
        ours()
    alone = products_alone(products)
    ours_clock, products_clock, loop_clock = Clock(), Clock(), Clock()
    for _ in range(REPEATS):
        found = ours_clock(ours)
        products_clock(alone)
    naive, lost = loop_clock(lambda: one_at_a_time(model.model, model.tokenizer, sentences))
    share = products_clock.elapsed / ours_clock.elapsed, products_clock.processor / ours_clock.processor
    print(
        f"\n{len(sentences)} sentences ({len(set(texts))} different) of {', '.join(names)} on MiniLM, "
        f"{torch.get_num_threads()} threads"
    )
    print(f"  (a) one sentence a pass {loop_clock}")
    print(f"  (d) ours                {ours_clock}: {times(loop_clock, ours_clock)} as fast")
    print(
        f"      products alone      {products_clock}: ours is at {share[0]:.0%} ({share[1]:.0%}) of the roofline"
    )
    print(
        f"      {products.work / ours_clock.elapsed / 1e9:.0f} and "
        f"{products.work / products_clock.elapsed / 1e9:.0f} GFLOP/s"
    )
    print(
        f"      largest difference of a number {np.abs(found - naive).max():.1e}; comparing pieces lost {lost} words"
    )
    start = 0
    for name, test in zip(names, tests, strict=True):
        ends = np.cumsum([start, *(len(test[one]) for one in LISTS)])
        scores = [
            effect_size(*(vectors[a:b] for a, b in itertools.pairwise(ends))) for vectors in (naive, found)
        ]
        print(f"      {name}: d = {scores[0]:.6f} and {scores[1]:.6f}")
        start = int(ends[-1])


# -- CEAT ------------------------------------------------------------------------------------------------------------


def one_sample_at_a_time(
    vectors: Sequence[Sequence[np.ndarray]], draws: Sequence[Sequence[np.ndarray]], n: int
) -> np.ndarray:
    """As the reference code: a dictionary of vectors a sample, every cosine on its own."""

    def cosine(u: np.ndarray, v: np.ndarray) -> float:
        return float(u @ v / np.sqrt((u @ u) * (v @ v)))

    out = np.empty(n)
    for k in range(n):
        x, y, a, b = (
            [word[d[k]].astype(np.float64) for word, d in zip(words, drawn, strict=True)]
            for words, drawn in zip(vectors, draws, strict=True)
        )
        s = [np.mean([cosine(w, v) for v in a]) - np.mean([cosine(w, v) for v in b]) for w in (*x, *y)]
        out[k] = (np.mean(s[: len(x)]) - np.mean(s[len(x) :])) / np.std(s, ddof=1)
    return out


def ceat(names: Sequence[str], samples: int = 10_000, compared: int = 100) -> None:
    model = load_model("minilm-l6", progress=False)
    tests = list(load_seat_tests(tests=names))
    contexts = contexts_of(tests, None, None)
    embedding = Clock()
    found: dict[tuple[str, str], WordContexts] = embedding(
        lambda: embed_contexts(model, contexts, Representation("target_mean"), 100, 0)
    )
    n = sum(len(c.vectors) for c in found.values())
    print(f"\nCEAT of {', '.join(names)} on MiniLM, {torch.get_num_threads()} threads")
    print(f"  {n} words in contexts, embedded once {embedding}")
    for test in tests:
        lists = [[w for w in getattr(test, name) if len(found["en", w].vectors)] for name in LISTS]
        vectors = [[found["en", w].vectors for w in words] for words in lists]
        seed = derive_seed(test.name, 0)
        draws = [
            [stream(seed, w).integers(0, len(v), samples) for w, v in zip(words, of_list, strict=True)]
            for words, of_list in zip(lists, vectors, strict=True)
        ]
        compare_samples(test.name, vectors, draws, samples, compared)


def compare_samples(name: str, vectors: Any, draws: Any, samples: int, compared: int) -> None:
    arithmetic, loop, model = Clock(), Clock(), Clock()
    for _ in range(REPEATS):
        drawn = arithmetic(lambda: sampled_effect_sizes(tuple(vectors), tuple(draws)))
    naive = loop(lambda: one_sample_at_a_time(vectors, draws, compared))
    combined = model(lambda: random_effects(drawn.effect_sizes, drawn.variances))
    whole = loop.elapsed * samples / compared
    print(f"  {name}: {samples} samples {arithmetic}; random effects {model.elapsed * 1e3:.1f} ms")
    print(
        f"    one sample at a time {whole:.0f} s (from {compared}), {whole / arithmetic.elapsed:.0f} times as long"
    )
    difference = np.abs(drawn.effect_sizes[:compared] - naive).max()
    print(f"    CES {combined.effect:.4f}, largest difference of an effect size {difference:.1e}")


# -- calibration -------------------------------------------------------------------------------------------------------


def calibration(repetitions: int = 2_000, n: int = 8) -> None:
    """Shares of p-values below 5% where the groups do not differ."""
    rng = np.random.default_rng(0)
    print(
        f"\np-values below 5% where groups of {n} and {n} do not differ ({repetitions} repetitions); p-values of Q "
        "below 5%; mean I²"
    )
    print("  associations            samples   reference: p, p of Q, I²    hedges: p, p of Q, I²")
    cases = [("independent, sd", sd, 0.0) for sd in (0.02, 0.1, 0.3, 1.0)] + [("words differ, sd", 0.1, 0.1)]
    for label, sd, of_words in cases:
        for samples in (10, 100, 1_000):
            rows = _shares(
                rng, samples, n, sd, of_words, repetitions if samples < 1_000 else repetitions // 4
            )
            told = "    ".join(f"{p:8.1%} {q:8.1%} {i2:6.1%}" for p, q, i2 in rows)
            print(f"  {label:17s} {sd:5.2f} {samples:8d}   {told}")


def _shares(
    rng: np.random.Generator, samples: int, n: int, sd: float, of_words: float, repetitions: int
) -> list[tuple[float, float, float]]:
    out = []
    for _ in range(repetitions):
        s = rng.normal(0, sd, (samples, 2 * n)) + rng.normal(0, of_words, 2 * n)
        spread = s.std(axis=1, ddof=1)
        d = (s[:, :n].mean(axis=1) - s[:, n:].mean(axis=1)) / spread
        out.append(
            [
                (found.p_value < 0.05, found.q_p_value < 0.05, found.i2)
                for found in (random_effects(d, v) for v in (spread**2, effect_size_variance(d, n, n)))
            ]
        )
    return [tuple(row) for row in np.mean(np.array(out, dtype=float), axis=0)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", default=SECTIONS, metavar="section")
    parser.add_argument("--tests", nargs="+", default=["weat6", "weat7", "weat8"], help="tests of SEAT")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}")
    torch.set_num_threads(options.threads)
    sys.stdout.reconfigure(line_buffering=True)
    transformers.utils.logging.set_verbosity_error()
    for section in options.sections:
        if section == "seat":
            against_one_sentence_a_pass(options.tests)
        elif section == "ceat":
            ceat(["weat6", "weat8"])
        else:
            calibration()


if __name__ == "__main__":
    main()
