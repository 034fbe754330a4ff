"""Tasks that were written for lm-eval and Inspect, run by them, against the methods' own scores on the same items.

    python benchmarks/tasks.py [pairs] [questions] [inspect]

lm-eval 0.4.13 and Inspect run in environments of their own under ``build/peers``, made on the first run from a package
index, with this library in them, which counts the answers to questions. The model is SmolLM2 135M, in float32 on the
CPU, and for Inspect one that gives answers that were drawn. The run fails where figures that share a definition differ.
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
from evaluate_bias.methods.downstream.bbq.answers import largest

LM_EVAL = ["lm-eval==0.4.13", f"transformers=={transformers.__version__}", "accelerate", TORCH, str(ROOT)]
INSPECT = ["inspect-ai==0.3.285", str(ROOT)]
# Without these pins pip tries release after release of boto3 and s3fs for those that go together.
INSPECT += ["fsspec==2026.6.0", "s3fs==2026.6.0", "boto3==1.43.117", "aiobotocore==3.10.0"]
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
        write_task(method, "lm-eval", f"{folder}/tasks", data=data)
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


def inspect() -> None:
    data, rng = load_bbq("bbq", categories=["Age", "SES"]), random.Random(1)
    data = some(data, 100)
    letters = [rng.choice("ABC") for _ in data]
    letters[7] = ""  # an answer that cannot be read
    outputs = [f"ANSWER: {letter}" if letter else "I had rather not say." for letter in letters]
    with tempfile.TemporaryDirectory() as folder:
        file, *_ = write_task("bbq", "inspect", folder, data=data)
        theirs = run_peer("inspect_task.py", INSPECT, {"file": str(file), "outputs": outputs})["scores"]
    rows = [{**item.model_dump(), "answer": a} for item, a in zip(data, letters, strict=True)]
    ours = eb.measure("bbq", None, data=rows, ci="none")
    head(f"Inspect, bbq, {len(data)} questions, drawn answers, one of them unreadable")
    line("score", ours.score, theirs["score"])
    for key, estimate in ours.estimates.items():
        line(key, estimate.value, theirs[key])
    right = sum("ABC"[item.label] == letter for item, letter in zip(data, letters, strict=True))
    line("accuracy (unreadable is wrong)", right / len(data), theirs["accuracy"])


if __name__ == "__main__":
    for name in sys.argv[1:] or ["pairs", "questions", "inspect"]:
        {"pairs": pairs, "questions": questions, "inspect": inspect}[name]()
