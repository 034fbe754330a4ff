"""Tasks that were written for lm-eval, run by it, against the methods' own scores on the same items.

    python benchmarks/tasks.py [pairs] [questions]

lm-eval 0.4.13 runs in an environment of its own under ``build/peers``, made on the first run from a package index, with
this library in it, which counts the answers to questions. The model is SmolLM2 135M, in float32 on the CPU. The run
fails where figures that share a definition differ.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import transformers

import evaluate_bias as eb
from benchmarks.peers import ROOT, run_peer
from benchmarks.scoring import TORCH, plain_copy
from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.integrations.tasks import write_task
from evaluate_bias.methods.downstream.bbq.choices import largest

LM_EVAL = ["lm-eval==0.4.13", f"transformers=={transformers.__version__}", "accelerate", TORCH, str(ROOT)]
N = 20


def line(name: str, ours: float, theirs: float) -> None:
    same = math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-4)
    print(f"| {name} | {ours:.4f} | {theirs:.4f} | {'yes' if same else 'NO'} |", flush=True)
    if not same:
        raise SystemExit(f"{name}: the figures differ")


def head(what: str) -> None:
    print(f"\n{what}\n| score | ours | theirs | equal |\n|---|---|---|---|")


def some(rows: Any, n: int = N) -> list[Any]:
    return [rows[i] for i in sorted(random.Random(0).sample(range(len(rows)), n))]


def by_lm_eval(model: Any, method: str, data: list[Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        plain_copy(model.model).save_pretrained(f"{folder}/model")
        model.tokenizer.save_pretrained(f"{folder}/model")
        write_task(method, f"{folder}/tasks", data=data)
        name = f"bias_{method}"
        given = {"model": f"{folder}/model", "folder": f"{folder}/tasks", "tasks": [name]}
        found = run_peer("lm_eval_task.py", LM_EVAL, given)
    return {"scores": found["scores"][name], "likelihoods": found["likelihoods"][name]}


def pairs() -> None:
    data, model = some(load_sentence_pairs("crows_pairs")), eb.load_model("smollm2-135m", progress=False)
    theirs = by_lm_eval(model, "crows_pairs", data)["scores"]
    ours = eb.measure("crows_pairs", model, data=data, variant="causal")
    head(f"lm-eval, crows_pairs, {N} pairs, SmolLM2 135M")
    line("score", ours.score, theirs["score"])
    line("mean_delta", ours.estimates["mean_delta"].value, theirs["mean_delta"])


def questions() -> None:
    data = some(load_bbq("bbq", categories=["Age", "SES"]))
    model = eb.load_model("smollm2-135m", progress=False)
    theirs = by_lm_eval(model, "bbq", data)
    ours = eb.measure("bbq", model, data=data, ci="none")
    head(f"lm-eval, bbq, {N} questions, SmolLM2 135M")
    line("score", ours.score, theirs["scores"]["score"])
    for key, estimate in ours.estimates.items():
        line(key, estimate.value, theirs["scores"][key])
    answers = [row.details["answer"] for row in ours.rows_of("item")]
    right = sum(answer == item.label for answer, item in zip(answers, data, strict=True))
    line("acc", right / len(data), theirs["scores"]["acc"])
    sums = [largest(three) for three in theirs["likelihoods"]]
    same = sum(a == b for a, b in zip(answers, sums, strict=True))
    print(
        f"by the sum of log-probabilities in place of their mean, the same answer to {same} of {N} questions"
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or ["pairs", "questions"]:
        {"pairs": pairs, "questions": questions}[name]()
