"""Answers that other programs collected: each read as the rows of ours, or refused with the field that lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

import evaluate_bias as eb
from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.errors import BiasError, DataError, UndefinedScoreError
from evaluate_bias.files import DEEPEST_JSON
from tests.support.refusals import refused

COLUMNS = {"id", "sent_more", "sent_less", "stereo_antistereo", "bias_type"}
PAIRS = [pair.model_dump(include=COLUMNS) for pair in list(load_sentence_pairs())[:8]]
SCORES = [(-10.0 - i, -10.5 - (i * 7 % 4)) for i in range(len(PAIRS))]
ITEMS = [item.model_dump() for item in list(load_bbq())[:16]]
LETTERS = ["ABCAAB"[i * 5 % 6] for i in range(len(ITEMS))]
PROMPTS = [f"The {group} worked as a" for group in ("woman", "man")]
BY_LEXICON = {"lexicon": ["idiot"]}


def lm_eval(items: list[dict[str, Any]], texts: Any, replies: Any, **fields: Any) -> list[dict[str, Any]]:
    """Lines as lm-eval 0.4.13 writes them: everything in replies a text."""
    return [
        {
            "doc_id": i, "doc": item, "target": "0", "filter": "none",
            "arguments": {f"gen_args_{k}": {"arg_0": "", "arg_1": t} for k, t in enumerate(texts(item))},
            "resps": [[reply] for reply in replies[i]], "filtered_resps": replies[i], **fields,
        }
        for i, item in enumerate(items)
    ]  # fmt: skip


def pair_samples() -> list[dict[str, Any]]:
    replies = [[[str(score), "False"] for score in two] for two in SCORES]
    return lm_eval(PAIRS, lambda pair: (pair["sent_more"], pair["sent_less"]), replies)


def written(value: Any, path: Path) -> Path:
    lines = path.suffix == ".jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in value) if lines else json.dumps(value))
    return path


def test_likelihoods_of_lm_eval_stand_for_their_texts(tmp_path):
    rows = [
        {**p, "sent_more": more, "sent_less": less} for p, (more, less) in zip(PAIRS, SCORES, strict=True)
    ]
    expected = eb.measure("crows_pairs", data=rows)
    assert expected.score not in (0.0, 100.0)
    twice = [
        *pair_samples(),
        *lm_eval(PAIRS, lambda pair: pair.values(), [[] for _ in PAIRS], filter="other"),
    ]
    for given in (
        {"data": pair_samples()},
        {"source": written(pair_samples(), tmp_path / "samples_crows.jsonl")},
        {"source": written(twice, tmp_path / "samples_of_two_filters.jsonl")},
    ):
        found = eb.measure("crows_pairs", **given)
        assert (found.score, found.n, found.estimates) == (expected.score, expected.n, expected.estimates)
        assert [row.labels for row in found.rows] == [row.labels for row in expected.rows]


def test_texts_of_lm_eval_are_answers_and_completions(tmp_path):
    rows = [{**item, "answer": letter} for item, letter in zip(ITEMS, LETTERS, strict=True)]
    samples = lm_eval(ITEMS, lambda item: [item["question"]], [[f"Answer: {letter}"] for letter in LETTERS])
    expected = eb.measure("bbq", data=rows, ci="none")
    found = eb.measure("bbq", source=written(samples, tmp_path / "samples_bbq.jsonl"), ci="none")
    assert (found.score, found.n, found.estimates) == (expected.score, expected.n, expected.estimates)
    prompts = lm_eval([{"group": "woman"}, {"group": "man"}], lambda _: [""], [["an idiot"], ["a nurse"]])
    assert eb.measure("honest", data=prompts, **BY_LEXICON).score == 0.5


def test_a_log_of_another_task_of_inspect(tmp_path):
    samples = [
        Sample(input=item["question"], choices=[item[f"ans{k}"] for k in range(3)], target="ABC"[item["label"]],
               id=item["id"], metadata={k: v for k, v in item.items() if not k.startswith("ans") and v is not None})
        for item in ITEMS
    ]  # fmt: skip
    outputs = [ModelOutput.from_content("mockllm/model", f"ANSWER: {letter}") for letter in LETTERS]
    for output in outputs:
        output.usage = ModelUsage()
    (log,) = inspect_ai.eval(
        Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice()),
        model=get_model("mockllm/model", custom_outputs=outputs), log_dir=str(tmp_path), display="none",
        max_samples=1, max_connections=1,
    )  # fmt: skip
    rows = [{**item, "answer": letter} for item, letter in zip(ITEMS, LETTERS, strict=True)]
    expected = eb.measure("bbq", data=rows, ci="none")
    found = eb.measure("bbq", source=log.location, ci="none")
    assert (found.score, found.n, found.estimates) == (expected.score, expected.n, expected.estimates)
    assert (found.date, expected.date) == (log.eval.created[:10], "")
    refused(BiasError, "sent_more", eb.measure, "crows_pairs", source=log.location)
    deep: Any = 0
    for _ in range(DEEPEST_JSON):
        deep = [deep]
    log.samples[0].metadata["deep"] = deep
    write_eval_log(log, log.location)
    refused(DataError, "nested", eb.measure, "bbq", source=log.location)


def helm(i: int, **instance: Any) -> dict[str, Any]:
    return {
        "instance": {"id": f"id{i}", "input": {"text": PROMPTS[i]}, "references": [], **instance},
        "result": {"completions": [{"text": ("an idiot", "a nurse")[i], "logprob": -3.0}]},
    }


def test_files_of_helm_and_langfair(tmp_path):
    state = {
        "adapter_spec": {},
        "request_states": [helm(i, extra_data={"group": g}) for i, g in enumerate("wm")],
    }
    counterfactual = {"data": {
        "female_prompt": PROMPTS[:1] * 2, "male_prompt": PROMPTS[1:] * 2, "female_response": ["an idiot", "a cook"],
        "male_response": ["a cook", "Unable to get response"],
    }}  # fmt: skip
    plain = {"data": {"prompt": PROMPTS, "response": ["an idiot", "a nurse"]}, "metadata": {}}
    for value, score in ((state, 1 / 2), (counterfactual, 1 / 3), (plain, 1 / 2)):
        path = written(value, tmp_path / "answers.json")
        result = eb.measure("honest", source=path, **BY_LEXICON)
        assert result.score == pytest.approx(score)
        if value is counterfactual:
            with pytest.raises(
                UndefinedScoreError, match="no prompt is about both female and male: .* the same 'prompt'"
            ):
                eb.measure("counterfactual_text", source=path, scorers="length")
        if value is not plain:
            assert len(result.rows_of("group")) == 2


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("crows_pairs", {"data": {"prompt": ["a"], "response": ["b"]}}, "sent_more"),
        ("crows_pairs", lm_eval([{"sent_more": "Ann."}], lambda _: ["Bob."], [[["-1.0", "False"]]]),
         "the likelihood of 'Bob.'"),
        ("honest", {"adapter_spec": {}, "request_states": [{}]}, "not have the expected form: KeyError.'instance'"),
    ],
)  # fmt: skip
def test_what_lacks_a_field_is_refused_with_its_name(method, value, message, tmp_path):
    path = written(value, tmp_path / ("answers.jsonl" if isinstance(value, list) else "answers.json"))
    for given in ({"source": path}, {"data": value}):
        refused(DataError, message, eb.measure, method, **given)
