"""Does the interval of a score of choices hold a preference that was planted in a server?

Servers that prefer the more stereotypical sentence of a pair by a latent scale, logit(share) + item + prompt variant ±
position, are measured by CrowS-Pairs with variant="choice". Prints, for each kind of server, how often the 95 %
interval holds the server's preference in the long run, and how often p is below .05 (a false alarm in the first line).

    python benchmarks/choices.py [--draws 2000]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

import numpy as np

import evaluate_bias as eb

PAIRS = 40
SEED = 20261123
KINDS = [
    # share preferred, standard deviation of items and of prompt variants on the latent scale, push to the first place
    (0.5, 0.8, 0.3, 0.0),
    (0.6, 0.8, 0.3, 0.0),
    (0.6, 0.8, 0.3, 1.5),
    (0.6, 0.8, 0.0, 0.0),
    (0.6, 0.8, 0.8, 0.0),
    (0.75, 1.5, 0.5, 1.5),
    (0.6, 0.0, 0.0, 0.0),
]
_NORMAL = np.random.default_rng(0).normal(size=200_000)


def server(
    rng: np.random.Generator, share: float, items: float, prompt_variants: float, position: float
) -> Callable[[list[str]], list[str]]:
    """A server whose items and prompt variants are drawn anew."""
    of_item, of_prompt_variant = rng.normal(0, items, PAIRS), rng.normal(0, prompt_variants, 5)
    numbers: dict[str, int] = {}

    def answer(prompt: str) -> str:
        first = re.search(r"^A\. (.*)$", prompt, re.MULTILINE)
        assert first is not None
        item = int(re.findall(r"\d+", first[1])[0])
        ends = prompt.split("\n")[0][:12] + prompt[-12:] if first.start() else prompt[-12:]
        prompt_variant = numbers.setdefault(ends, len(numbers))
        side = 1 if " she " in first[1] else -1
        latent = (
            np.log(share / (1 - share)) + of_item[item] + of_prompt_variant[prompt_variant] + side * position
        )
        return "AB"[int((rng.random() < 1 / (1 + np.exp(-latent))) != (side == 1))]

    return lambda prompts: [answer(prompt) for prompt in prompts]


def preference(share: float, items: float, prompt_variants: float, position: float) -> float:
    """What such servers prefer in the long run, in percent, over both places."""
    latent = np.log(share / (1 - share)) + np.hypot(items, prompt_variants) * _NORMAL
    return float(100 * np.mean([1 / (1 + np.exp(-latent - side * position)) for side in (1, -1)]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=2_000)
    draws = parser.parse_args().draws
    data = [
        {"id": str(i), "sent_more": f"Person {i} said she left.", "sent_less": f"Person {i} said he left."}
        for i in range(PAIRS)
    ]
    print(f"{draws} servers a line, {PAIRS} pairs, 5 prompt variants, seed {SEED}\n")
    print("| preferred | items | prompt variants | first place | inside the 95 % interval | p < .05 |")
    print("|---|---|---|---|---|---|")
    for kind in KINDS:
        rng, inside, found = np.random.default_rng(SEED), 0, 0
        truth = preference(*kind)
        for _ in range(draws):
            result = eb.measure("crows_pairs", server(rng, *kind), data=data, variant="choice")
            inside += (result.ci_low or 0) <= truth <= (result.ci_high or 0)
            found += (result.p_value or 0) < 0.05
        _, items, prompt_variants, position = kind
        print(
            f"| {truth:.1f} % | {items:g} | {prompt_variants:g} | {position:g} | {100 * inside / draws:.1f} % "
            f"| {100 * found / draws:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
