"""Requests to a slow server: how long they take against requests x latency / concurrency, slept in the same run.

    python benchmarks/endpoint.py [--requests 1000] [--latency 0.2] [--concurrency 16]

The server runs in a process of its own and answers at once but for the latency, so what is measured is the client.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluate_bias.models.endpoint import load_endpoint
from evaluate_bias.models.endpoint.client import CHAT, ServerRequest
from tests.support.model_server import ModelServer

LIMIT = 1.6


def serve(latency: float, tell: multiprocessing.connection.Connection) -> None:
    with ModelServer(latency=latency) as server:
        tell.send(server.spec)
        tell.recv()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=16)
    given = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(given.latency, theirs), daemon=True)
    process.start()
    model = load_endpoint(ours.recv(), concurrency=given.concurrency)
    requests = [
        ServerRequest(CHAT, {"messages": [{"role": "user", "content": f"Question {i}"}], "max_tokens": 1})
        for i in range(given.requests)
    ]
    started = time.perf_counter()
    replies = model.client.ask(requests)
    took = time.perf_counter() - started
    assert all(isinstance(reply, dict) for reply in replies)
    started = time.perf_counter()
    for _ in range(-(-given.requests // given.concurrency)):
        time.sleep(given.latency)
    slept = time.perf_counter() - started
    ours.send("stop")
    print(
        f"{given.requests} requests, {given.latency * 1000:g} ms each, {given.concurrency} at a time: {took:.1f} s, "
        f"slept alone {slept:.1f} s, ratio {took / slept:.2f} (limit {LIMIT})"
    )
    sys.exit(took / slept > LIMIT)


if __name__ == "__main__":
    main()
