"""The GPU part of benchmarks/scoring.py: seconds, tokens a second, share of the GPU's peak, and where the time goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from evaluate_bias.methods.pair_scoring import SHARED_TOKENS, score_pairs
from evaluate_bias.models.transformer import load_transformer

SHAPES = {"BERT-base": (12, 768, 12), "BERT-large": (24, 1024, 16)}
PEAK_TFLOPS = {
    # Dense, from the makers' data sheets: (bfloat16 tensor cores, float32 without tensor cores).
    "H200": (989.0, 67.0),
    "H100": (989.0, 67.0),
    "A100": (312.0, 19.5),
    "L40S": (362.0, 91.6),
    "L4": (121.0, 30.3),
    "T4": (65.0, 8.1),
    "V100": (125.0, 15.7),
}
SLOWEST = 8


def gpu(pairs: list[dict[str, str]], random_bert: Callable[[int, int, int], tuple[Any, Any]]) -> None:
    if not torch.cuda.is_available():
        raise SystemExit("no GPU here")
    name = torch.cuda.get_device_name()
    print(f"\nall {len(pairs)} CrowS-Pairs on {name}, torch {torch.__version__}")
    peaks = next((peak for key, peak in PEAK_TFLOPS.items() if key in name), None)
    for shape, size in SHAPES.items():
        for dtype in ("float32", "bfloat16"):
            peak = None if peaks is None else peaks[dtype == "float32"]
            one(f"{shape} {dtype}", random_bert(*size), dtype, pairs, peak)


def one(
    label: str, pair: tuple[Any, Any], dtype: str, pairs: list[dict[str, str]], peak: float | None
) -> None:
    scorer = load_transformer(pair, device="cuda", dtype=dtype, progress=False)
    score_pairs(scorer, pairs[:50], SHARED_TOKENS, method="benchmark")
    with FlopCounterMode(display=False) as counter:
        score_pairs(scorer, pairs, SHARED_TOKENS, method="benchmark")
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.synchronize()
    start = time.perf_counter()
    scores = score_pairs(scorer, pairs, SHARED_TOKENS, method="benchmark")
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    tflops = counter.get_total_flops() / seconds / 1e12
    share = "" if peak is None else f" ({tflops / peak:.1%} of the peak of {peak:g})"
    memory = torch.cuda.max_memory_allocated() / 1e9
    print(
        f"  {label:20s} {seconds:7.2f} s  {len(scores.more) / seconds:7.0f} pairs/s  {tflops:6.1f} TFLOP/s{share}"
    )
    print(f"  {'':20s} {memory:.1f} GB of memory; slowest kernels:")
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        score_pairs(scorer, pairs, SHARED_TOKENS, method="benchmark")
    rows = sorted(profile.key_averages(), key=lambda row: -row.self_device_time_total)
    total = sum(row.self_device_time_total for row in rows)
    print(f"  {'':20s}   the GPU was busy for {total / 1e6:.2f} s")
    for row in rows[:SLOWEST]:
        print(f"  {'':20s}   {row.self_device_time_total / total:6.1%}  {row.key[:70]}")
