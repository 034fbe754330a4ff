"""Embeddings in context: SEAT against one sentence a pass, and CEAT's arithmetic against one sample at a time.

    python benchmarks/embedding.py                  # both sections
    python benchmarks/embedding.py seat

seat   the sentences of three of SEAT's tests on MiniLM: one sentence a forward pass, the word found by comparing
       pieces, as published scripts do, and ours.
ceat   the arithmetic of a CEAT of 10,000 samples on MiniLM, and of one sample at a time.
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

from benchmarks.scoring import REPEATS, Clock, times
from evaluate_bias.data.word_lists import load_seat_tests
from evaluate_bias.methods.association.ceat.method import (
    contexts_of,
    embed_contexts,
    sampled_effect_sizes,
    stream,
)
from evaluate_bias.methods.association.seat.method import StimulusSentence, stimuli_of
from evaluate_bias.methods.word_lists.cosines import effect_size
from evaluate_bias.methods.word_lists.inference import derive_seed
from evaluate_bias.methods.word_lists.inputs import LISTS
from evaluate_bias.models.load import load_model
from evaluate_bias.models.pooling import Representation


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


def seat(names: Sequence[str] = ("weat6", "weat7", "weat8")) -> None:
    model = load_model("minilm-l6", progress=False)
    tests = sentences_of(names)
    sentences = [s for test in tests for one in test.values() for s in one]
    texts, spans = [s.text for s in sentences], [s.span for s in sentences]
    wanted = [Representation("target_mean")]

    def ours() -> np.ndarray:
        return np.stack([v[0] for v in model.embed_in_context(texts, spans, wanted)])

    ours()
    ours_clock, loop_clock = Clock(), Clock()
    for _ in range(REPEATS):
        found = ours_clock(ours)
    naive, lost = loop_clock(lambda: one_at_a_time(model.model, model.tokenizer, sentences))
    print(
        f"\n{len(sentences)} sentences ({len(set(texts))} different) of {', '.join(names)} on MiniLM, "
        f"{torch.get_num_threads()} threads"
    )
    print(f"  one sentence a pass {loop_clock}")
    print(f"  ours                {ours_clock}: {times(loop_clock, ours_clock)} as fast")
    print(
        f"  largest difference of a number {np.abs(found - naive).max():.1e}; comparing pieces lost {lost} words"
    )
    start = 0
    for name, test in zip(names, tests, strict=True):
        ends = np.cumsum([start, *(len(test[one]) for one in LISTS)])
        scores = [
            effect_size(*(vectors[a:b] for a, b in itertools.pairwise(ends))) for vectors in (naive, found)
        ]
        print(f"  {name}: d = {scores[0]:.6f} and {scores[1]:.6f}")
        start = int(ends[-1])


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


def ceat(names: Sequence[str] = ("weat6", "weat8"), samples: int = 10_000, compared: int = 100) -> None:
    model = load_model("minilm-l6", progress=False)
    tests = list(load_seat_tests(tests=names))
    found = embed_contexts(model, contexts_of(tests, None, None), Representation("target_mean"), 100, 0)
    print(f"\nCEAT on MiniLM, {samples} samples")
    for test in tests:
        lists = [[w for w in getattr(test, name) if len(found["en", w].vectors)] for name in LISTS]
        vectors = [[found["en", w].vectors for w in words] for words in lists]
        seed = derive_seed(test.name, 0)
        draws = [
            [stream(seed, w).integers(0, len(v), samples) for w, v in zip(words, of_list, strict=True)]
            for words, of_list in zip(lists, vectors, strict=True)
        ]
        arithmetic, loop = Clock(), Clock()
        for _ in range(REPEATS):
            drawn = arithmetic(lambda: sampled_effect_sizes(tuple(vectors), tuple(draws)))  # noqa: B023
        naive = loop(lambda: one_sample_at_a_time(vectors, draws, compared))  # noqa: B023
        whole = loop.elapsed * samples / compared
        difference = np.abs(drawn.effect_sizes[:compared] - naive).max()
        print(
            f"  {test.name}: {arithmetic}; one at a time {whole:.0f} s (from {compared}), "
            f"{whole / arithmetic.elapsed:.0f} times as long; largest difference {difference:.1e}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", default=["seat", "ceat"], metavar="section")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    transformers.utils.logging.set_verbosity_error()
    for section in options.sections:
        {"seat": seat, "ceat": ceat}[section]()


if __name__ == "__main__":
    main()
