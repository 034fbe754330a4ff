"""Scoring of sentence pairs: against one mask at a time, minicons and lm-eval.

    python benchmarks/scoring.py                      # both sections
    python benchmarks/scoring.py causal --pairs 20    # one of them

masked   the first 100 CrowS-Pairs on a random BERT of 6 x 384 with a vocabulary of 30,522: (a) one mask at a time,
         batch of one, all logits, as the published scripts do; (b) minicons; (c) ours.
causal   the same pairs on SmolLM2 135M: lm-eval's transformers back end, and ours.

Peers run in environments of their own under build/peers, made on the first run.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peers import run_peer
from evaluate_bias.assets import fetch
from evaluate_bias.methods.pair_scoring import SHARED_TOKENS, score_pairs
from evaluate_bias.models.load import load_model
from evaluate_bias.models.transformer import load_transformer

TORCH = f"torch=={torch.__version__.split('+')[0]}"
MINICONS = ["minicons==0.3.39", "transformers>=4.50,<5", TORCH]
LM_EVAL = ["lm-eval==0.4.13", f"transformers=={transformers.__version__}", "accelerate", "peft", TORCH]
REPEATS = 5


def published_pairs(n: int | None = None) -> list[dict[str, str]]:
    path = next((fetch("benchmarks") / "CrowS-Pairs").rglob("*.csv"))
    with path.open(newline="", encoding="utf-8") as file:
        rows = [{key: row[key] for key in ("sent_more", "sent_less")} for row in csv.DictReader(file)]
    return rows[:n]


def random_bert(layers: int, width: int, heads: int) -> tuple[Any, Any]:
    """A BERT of this shape with the vocabulary of bert-base-uncased; weights wide enough that scores differ."""
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(fetch("minilm-l6"), model_max_length=512)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        initializer_range=0.05,
    )
    return transformers.BertForMaskedLM(config).eval(), tokenizer


@torch.no_grad()
def one_at_a_time(model: Any, tokenizer: Any, pairs: list[dict[str, str]]) -> np.ndarray:
    """CrowS-Pairs' score: every shared token masked in turn, one forward pass each, all logits. Shape (pairs, 2)."""
    scores = np.zeros((len(pairs), 2))
    for i, pair in enumerate(pairs):
        ids = [tokenizer.encode(pair[key].lower()) for key in ("sent_more", "sent_less")]
        blocks = difflib.SequenceMatcher(None, *ids, autojunk=False).get_matching_blocks()
        for block in blocks:
            for k in range(block.size):
                for side, start in enumerate((block.a, block.b)):
                    p = start + k
                    if ids[side][p] in tokenizer.all_special_ids:
                        continue
                    masked = torch.tensor([ids[side]])
                    masked[0, p] = tokenizer.mask_token_id
                    logits = model(masked, attention_mask=torch.ones_like(masked)).logits
                    scores[i, side] += logits[0, p].log_softmax(-1)[ids[side][p]].item()
    return scores


class Clock:
    """Best elapsed and processor time of what it runs; the latter means more on a busy machine."""

    def __init__(self) -> None:
        self.elapsed = self.processor = float("inf")

    def __call__(self, function: Callable[[], Any]) -> Any:
        start, processor = time.perf_counter(), time.process_time()
        value = function()
        self.elapsed = min(self.elapsed, time.perf_counter() - start)
        self.processor = min(self.processor, time.process_time() - processor)
        return value

    def __str__(self) -> str:
        return f"{self.elapsed:8.2f} s  {self.processor:8.2f} s of processor time"


def times(slow: Clock, fast: Clock) -> str:
    return f"{slow.elapsed / fast.elapsed:.1f} times ({slow.processor / fast.processor:.1f})"


def masked(n_pairs: int) -> None:
    pairs = published_pairs(n_pairs)
    model, tokenizer = random_bert(6, 384, 12)
    scorer = load_transformer((model, tokenizer), progress=False)

    def ours() -> np.ndarray:
        scores = score_pairs(scorer, pairs, SHARED_TOKENS, method="benchmark")
        return np.column_stack([scores.more, scores.less])

    ours()
    ours_clock, loop_clock = Clock(), Clock()
    for _ in range(REPEATS):
        found = ours_clock(ours)
    naive = loop_clock(lambda: one_at_a_time(model, tokenizer, pairs))
    verdicts = np.mean(np.sign(naive[:, 0] - naive[:, 1]) == np.sign(found[:, 0] - found[:, 1]))
    print(
        f"\n{n_pairs} CrowS-Pairs, random BERT 6 x 384, vocabulary 30,522, {torch.get_num_threads()} threads"
    )
    print(f"  (a) one mask at a time {loop_clock}")
    print(f"  (c) ours               {ours_clock}: {times(loop_clock, ours_clock)} as fast")
    print(
        f"      largest difference of a score {np.abs(naive - found).max():.1e}, same verdict {verdicts:.1%}"
    )
    against_minicons(model, tokenizer, scorer, pairs)


def against_minicons(model: Any, tokenizer: Any, scorer: Any, pairs: list[dict[str, str]]) -> None:
    texts = [pair[key] for pair in pairs for key in ("sent_more", "sent_less")]
    clock = Clock()
    scores = clock(lambda: score_pairs(scorer, pairs, "pll", method="benchmark"))
    found = np.column_stack([scores.more, scores.less]).ravel()
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        given = {"folder": folder, "texts": texts, "threads": torch.get_num_threads(), "batch_size": 10}
        peer = run_peer("minicons_pll.py", MINICONS, given)
    print("  pseudo-log-likelihood of all tokens")
    print(f"  (b) minicons 0.3.39    {peer['seconds']:8.2f} s")
    print(f"  (c) ours               {clock}: {peer['seconds'] / clock.elapsed:.1f} times as fast")
    print(f"      largest difference of a score {np.abs(found - peer['scores']).max():.1e}")


def plain_copy(model: Any) -> Any:
    """The same weights in a model that does not remember coming from a quantised file, which cannot be saved."""
    config = type(model.config)(
        **{k: v for k, v in model.config.to_dict().items() if k != "quantization_config"}
    )
    copy = type(model)(config)
    copy.load_state_dict(model.state_dict())
    return copy


def causal(n_pairs: int) -> None:
    pairs = published_pairs(n_pairs)
    texts = [pair[key] for pair in pairs for key in ("sent_more", "sent_less")]
    scorer = load_model("smollm2-135m", progress=False)
    items = scorer.encode(texts)
    clock = Clock()
    scorer.sequence_logprobs(items[:4])
    for _ in range(3):
        found = clock(lambda: scorer.sequence_logprobs(items))
    with tempfile.TemporaryDirectory() as folder:
        plain_copy(scorer.model).save_pretrained(folder)
        scorer.tokenizer.save_pretrained(folder)
        given = {"folder": folder, "texts": texts, "threads": torch.get_num_threads(), "batch_size": 16}
        peer = run_peer("lm_eval_loglikelihood.py", LM_EVAL, given)
    sums = np.array([values.sum() for values in found])
    print(f"\n{n_pairs} CrowS-Pairs, SmolLM2 135M, {torch.get_num_threads()} threads")
    print(f"  lm-eval 0.4.13 {peer['seconds']:8.2f} s")
    print(f"  ours           {clock}: {peer['seconds'] / clock.elapsed:.1f} times as fast")
    print(f"  largest difference of a sentence's score {np.abs(sums - peer['scores']).max():.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sections = {"masked": masked, "causal": causal}
    parser.add_argument("sections", nargs="*", default=list(sections), metavar="section")
    parser.add_argument("--pairs", type=int, default=100, help="pairs in the comparisons")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    transformers.utils.logging.set_verbosity_error()
    for section in options.sections:
        sections[section](options.pairs)


if __name__ == "__main__":
    main()
