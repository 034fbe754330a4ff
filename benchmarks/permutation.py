"""Time and peak memory of permutation p-values, against listing all partitions in the same run.

Run it as ``python benchmarks/permutation.py``; ``--quick`` leaves out the cases over a second. Every case runs in a
process of its own, so that its peak memory is its own; times are the best of ``--repeat`` calls after the imports.
Processor time is printed beside elapsed time, because only the former means something on a busy machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import multiprocessing
import resource
import sys
import time

import numpy as np

from evaluate_bias.stats import permutation_test

LISTED = (8, 10, 12)
EXACT = (8, 10, 12, 16, 20, 22, 24, 25)
LATTICE = (32, 64, 100, 200, 500)
SLOW = {("listing", 12), ("exact", 24), ("exact", 25)}


def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.normal(0.3, 1.0, n), rng.normal(0.0, 1.0, n)


def list_all(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """What published code does where it is exact: one partition after the other."""
    pooled, n = [*x.tolist(), *y.tolist()], len(x)
    observed = sum(pooled[:n])
    sums = (sum(chosen) for chosen in itertools.combinations(pooled, n))
    p = sum(s >= observed - 1e-12 for s in sums) / math.comb(2 * n, n)
    return p, p


def measure(method: str, n: int, repeat: int) -> dict[str, float]:
    """Time one case; memory is the growth of the process over what the imports take."""
    x, y = draw(n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    elapsed, processor = [], []
    for _ in range(repeat):
        start, cpu_start = time.perf_counter(), time.process_time()
        if method == "listing":
            low, high = list_all(x, y)
        else:
            test = permutation_test(x, y, method=method)
            low, high = test.p_low, test.p_high
        elapsed.append(time.perf_counter() - start)
        processor.append(time.process_time() - cpu_start)
    # ru_maxrss is in KiB on Linux and in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
    return {
        "seconds": min(elapsed),
        "processor_seconds": min(processor),
        "megabytes": grown / 1e6,
        "p_low": low,
        "p_high": high,
    }


def measure_in_own_process(method: str, n: int, repeat: int) -> dict[str, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (method, n, repeat))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3, help="calls a case; the best time counts")
    parser.add_argument("--quick", action="store_true", help="leave out the cases over a second")
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of a table")
    options = parser.parse_args()
    cases = (
        [("listing", n) for n in LISTED] + [("exact", n) for n in EXACT] + [("lattice", n) for n in LATTICE]
    )
    listed: dict[int, dict[str, float]] = {}
    if not options.json:
        print("method       sizes  partitions   seconds  processor      MB   bracket  against listing")
    for method, n in cases:
        if options.quick and (method, n) in SLOW:
            continue
        row = measure_in_own_process(method, n, options.repeat)
        if method == "listing":
            listed[n] = row
        if options.json:
            print(json.dumps({"method": method, "n_x": n, "n_y": n, **row}), flush=True)
            continue
        against = ""
        if method == "exact" and n in listed:
            ratio = listed[n]["processor_seconds"] / row["processor_seconds"]
            against = f"{ratio:,.0f} times as fast, " + (
                "same p" if listed[n]["p_low"] == row["p_low"] else "DIFFERENT p"
            )
        width = row["p_high"] - row["p_low"]
        print(
            f"{method:8} {f'{n} + {n}':>9} {float(math.comb(2 * n, n)):>11.3g} {row['seconds']:>9.4f} "
            f"{row['processor_seconds']:>10.4f} {row['megabytes']:>7.0f} {width:>9.1e}  {against}",
            flush=True,
        )


if __name__ == "__main__":
    main()
