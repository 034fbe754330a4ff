"""Generation: prompts continued five times each, against transformers' ``generate`` with its best batch size.

    python benchmarks/generation.py [--tokens 40] [--repeats 3]

Both sides sample from the whole distribution and take turns, so that a busy machine slows both of them down; the ratio
is the median over the turns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.scoring import plain_copy, published_pairs
from evaluate_bias.models import generate
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.models.load import load_model

DRAWS, NEW = 5, 20
SETTINGS = GenerationSettings(n=DRAWS, max_new_tokens=NEW, decoding="sample")
SIZES = (5, 10, 20, 50, 100)
"""Prompts in a batch of transformers, of which the best is found on the first batch of each size."""


def prompts_of(scorer: Any, n: int, tokens: int) -> list[str]:
    """Pieces of the published CrowS-Pairs that are ``tokens`` tokens long for the model."""
    tokenizer = scorer.tokenizer
    ids = tokenizer(" ".join(pair["sent_more"] for pair in published_pairs()))["input_ids"]
    size = tokens - (scorer.start_token is not None)
    pieces = (tokenizer.decode(ids[k : k + size]).strip() for k in range(0, len(ids), size))
    fit = [p for p in dict.fromkeys(pieces) if p and len(scorer.encode([p])[0].ids) == tokens]
    if len(fit) < n:
        raise SystemExit(f"the texts make {len(fit)} prompts of {tokens} tokens, not {n}")
    return fit[:n]


def ours(scorer: Any, prompts: list[str]) -> int:
    """Continue the prompts; how many tokens were written, those that end a text included."""
    written = []
    text_of = generate._Decoder._text

    def counted(self: Any, row: int, tokens: Any) -> str:
        written.append(len(tokens) + self.ended[row])
        return text_of(self, row, tokens)

    generate._Decoder._text = counted  # type: ignore[method-assign]
    try:
        scorer.complete(prompts, SETTINGS)
    finally:
        generate._Decoder._text = text_of  # type: ignore[method-assign]
    return sum(written)


@torch.inference_mode()
def theirs(scorer: Any, prompts: list[str], size: int) -> int:
    """The same with transformers."""
    ends, written = torch.tensor(sorted(generate._end_ids(scorer))), 0
    for start in range(0, len(prompts), size):
        ids = torch.tensor([list(item.ids) for item in scorer.encode(prompts[start : start + size])])
        out = scorer.model.generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, top_p=1.0, temperature=1.0,
            num_return_sequences=DRAWS, max_new_tokens=NEW, pad_token_id=int(ends[0]),
        )  # fmt: skip
        ended = torch.isin(out[:, ids.shape[1] :], ends).cumsum(dim=1)
        written += int((ended == 0).sum() + (ended.amax(dim=1) > 0).sum())
    return written


def speed(function: Callable[[], int]) -> float:
    """Tokens a second."""
    start = time.perf_counter()
    return function() / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=40, help="tokens of a prompt")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    smollm2 = load_model("smollm2-135m", chat=False, progress=False)
    scorer = load_model((plain_copy(smollm2.model), smollm2.tokenizer), chat=False, progress=False)
    prompts = prompts_of(scorer, options.prompts, options.tokens)
    theirs(scorer, prompts[:1], 1)
    sizes = [size for size in SIZES if size <= len(prompts)]
    size = max(sizes, key=lambda size: speed(lambda: theirs(scorer, prompts[:size], size)))
    ours(scorer, prompts[:2])
    turns = [
        (speed(lambda: ours(scorer, prompts)), speed(lambda: theirs(scorer, prompts, size)))
        for _ in range(options.repeats)
    ]
    ratios = [mine / other for mine, other in turns]
    print(
        f"SmolLM2 135M, {len(prompts)} prompts of {options.tokens} tokens x {DRAWS} draws x {NEW} tokens\n"
        f"  ours: {statistics.median(mine for mine, _ in turns):.1f} tokens/s\n"
        f"  transformers, {size} prompts a batch: {statistics.median(other for _, other in turns):.1f} tokens/s\n"
        f"  ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    )


if __name__ == "__main__":
    main()
