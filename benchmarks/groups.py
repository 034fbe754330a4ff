"""How often the omnibus test and the tests of pairs reject where no group differs, and where one does.

``python benchmarks/groups.py [DRAWS]`` prints the table of docs/groups.md: words of four groups with WEAT, drawn as
random vectors, of which in the second situation those of one group lie nearer to the first attributes.
"""

from __future__ import annotations

import sys

import numpy as np

import evaluate_bias as eb

SIZES = (4, 8, 6, 12)


def draw(rng: np.random.Generator, shift: float) -> tuple[bool, bool, bool]:
    """Whether the omnibus test, any pair, and any pair after Holm's adjustment reject at 5 %."""
    direction = np.eye(20)[0]
    near = [rng.normal(0, 1, 20) + 2 * direction for _ in range(6)]
    far = [rng.normal(0, 1, 20) - 2 * direction for _ in range(6)]
    vectors = {f"a{i}": v for i, v in enumerate(near)} | {f"b{i}": v for i, v in enumerate(far)}
    groups = {f"g{k}": [f"g{k}w{i}" for i in range(n)] for k, n in enumerate(SIZES)}
    for name, words in groups.items():
        vectors |= {word: rng.normal(0, 1, 20) + shift * (name == "g1") * direction for word in words}
    found = eb.pairwise(
        "weat",
        vectors,
        groups,
        attributes_a=[f"a{i}" for i in range(6)],
        attributes_b=[f"b{i}" for i in range(6)],
        ci="none",
        seed=int(rng.integers(2**31)),
    )
    assert found.p_value is not None
    p = [row.p_value for row in found.pairs if row.p_value is not None]
    adjusted = [row.p_holm for row in found.pairs if row.p_holm is not None]
    return found.p_value <= 0.05, min(p) <= 0.05, min(adjusted) <= 0.05


def main(draws: int) -> None:
    """Print the table."""
    print(
        "| situation | omnibus test | any pair, unadjusted | any pair, after Holm | draws |\n|---|---|---|---|---|"
    )
    for what, shift in (("no group differs", 0.0), ("one of four differs", 1.5)):
        rng = np.random.default_rng(0)
        found = np.array([draw(rng, shift) for _ in range(draws)])
        shares = " | ".join(f"{100 * share:.1f} %" for share in found.mean(axis=0))
        print(f"| {what} | {shares} | {draws} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
