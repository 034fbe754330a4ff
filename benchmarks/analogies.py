"""Time and memory of analogy questions over a large vocabulary, beside gensim's ``most_similar``.

``python benchmarks/analogies.py`` puts 1,000 questions to 400,000 random vectors of 300 numbers, each way in a process
of its own; gensim gets ``--gensim`` questions. It rules the words of the question out; ours are answered both ways.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

DIMENSION, K = 300, 10


def questions(n: int, words: int) -> list[dict[str, object]]:
    """Questions of random words, each with a word that is looked for."""
    drawn = np.random.default_rng(1).integers(0, words, size=(2 * n, 4)).tolist()
    distinct = [row for row in drawn if len(set(row)) == 4][:n]
    return [{"a": f"w{a}", "b": f"w{b}", "c": f"w{c}", "expected": [f"w{d}"]} for a, b, c, d in distinct]


def measure(way: str, n: int, words: int) -> dict[str, object]:
    """Seconds of one way, its memory, and the first answers of the first questions."""
    from gensim.models import KeyedVectors

    vectors = np.random.default_rng(0).standard_normal((words, DIMENSION), dtype=np.float32)
    keyed = KeyedVectors(DIMENSION)
    keyed.vectors = vectors
    keyed.index_to_key = [f"w{i}" for i in range(words)]
    keyed.key_to_index = {word: i for i, word in enumerate(keyed.index_to_key)}
    asked = questions(n, words)
    if way == "gensim":
        keyed.fill_norms()
        answer = lambda: [  # noqa: E731
            [w for w, _ in keyed.most_similar(positive=[q["b"], q["c"]], negative=[q["a"]], topn=K)]
            for q in asked
        ]
    else:
        import evaluate_bias as eb

        model = eb.load_model(keyed)
        eb.measure("analogies", {f"w{i}": np.eye(20)[i] for i in range(20)}, data=questions(1, 20), k=1)

        def answer() -> list[list[str]]:
            result = eb.measure("analogies", model, data=asked, solver=way, k=K)
            return [[a["word"] for a in row.details["answers"]] for row in result.rows_of("item")]

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    found = answer()
    seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        **seconds,
        "n": len(asked),
        "more_mib": (peak - before) / 1024,
        "peak_mib": peak / 1024,
        "found": found,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--gensim", type=int, default=100, help="number of questions that gensim answers")
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--solvers", nargs="*", default=["3cosadd", "3cosmul", "pair_distance"])
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.questions, options.words)))
        return
    print(f"{options.questions:,} questions, {options.words:,} words of {DIMENSION} numbers")
    print("| way | questions | seconds | of them CPU | per 1,000 questions | more MiB | peak MiB |")
    print("|---|---|---|---|---|---|---|")
    found = {}
    for way in ("gensim", *options.solvers):
        n = options.gensim if way == "gensim" else options.questions
        command = [
            sys.executable,
            __file__,
            "--one",
            way,
            "--questions",
            str(n),
            "--words",
            str(options.words),
        ]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seen = json.loads(done.stdout.splitlines()[-1])
        found[way] = seen["found"]
        per = seen["wall"] / seen["n"] * 1_000
        print(
            f"| {way} | {seen['n']:,} | {seen['wall']:.1f} | {seen['cpu']:.1f} | {per:.1f} | {seen['more_mib']:.0f} |"
            f" {seen['peak_mib']:.0f} |",
            flush=True,
        )
    if "3cosadd" in found:
        same = [a == b for a, b in zip(found["gensim"], found["3cosadd"], strict=False)]
        print(f"3cosadd: the same {K} words as gensim in {sum(same)} of {len(same)} questions")


if __name__ == "__main__":
    main()
