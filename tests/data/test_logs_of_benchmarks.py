"""Logs of BBQ and Winogender, joined with the published items; planted ones stand for them."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import inspect_ai
import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

import evaluate_bias as eb
from evaluate_bias.data import bbq, load, table_files
from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.data.building import build
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.recipes.bbq import CATEGORIES
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.inspect_log import read_log
from tests.data.test_bbq import files, metadata, upstream

ROWS = [
    upstream(
        "Age", i, question_index=str(1 + i // 4), question_polarity=("neg", "nonneg")[i // 2 % 2],
        context_condition=("ambig", "disambig")[i % 2], context=f"A boy and his granny came in {i} times. ",
        label=(2, (1, 0)[i // 2 % 2])[i % 2],
    )
    for i in range(16)
]  # fmt: skip
"""The biased answer to a negative question is the granny."""
TARGETS = [(1, 0)[i // 2 % 2] for i in range(16)]
LETTERS = ["ABCAAB"[i * 5 % 6] for i in range(16)]
SENTENCES = [
    {"sentid": f"{who}.customer.{answer}.{gender}.txt", "sentence": f"The {who} told the customer that {word} paid.",
     "pronoun": word, "occupation": who, "participant": "customer", "gender": gender}
    for who in ("technician", "nurse") for answer in (0, 1)
    for gender, word in (("male", "he"), ("female", "she"), ("neutral", "they"))
]  # fmt: skip


@pytest.fixture(autouse=True)
def _planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said to be published: the rows above, and one item in each other category of BBQ."""
    source = tmp_path / "bbq" / "BBQ" / "data"
    source.mkdir(parents=True)
    others = [upstream(category, 0) for category in CATEGORIES if category != "Age"]
    targets = [("Age", i, str(target), "label") for i, target in enumerate(TARGETS)]
    meta = metadata(*targets, *((item["category"], 0, "1", "label") for item in others))
    for name, text in files([*ROWS, *others], meta).items():
        (source / f"{name}.{'csv' if name.startswith('add') else 'jsonl'}").write_text(text, encoding="utf-8")
    built = {"bbq": build(dataset_record("bbq"), tmp_path / "built", source=tmp_path / "bbq")}
    schemas = tmp_path / "rudinger_winogender-schemas" / "data"
    schemas.mkdir(parents=True)
    lines = ["sentid\tsentence", *(f"{row['sentid']}\t{row['sentence']}" for row in SENTENCES)]
    (schemas / "all_sentences.tsv").write_text("\n".join(lines))
    stats = "occupation\tbergsma_pct_female\tbls_pct_female\ntechnician\t9\t40\nnurse\t80\t90\n"
    (schemas / "occupations-stats.tsv").write_text(stats)
    built["winogender"] = build(
        dataset_record("winogender"), tmp_path / "winogender", source=tmp_path, verify=False
    )
    for module in (bbq, load):
        monkeypatch.setattr(module, "get_dataset", lambda name, configs=None: built[name])


def written(rows: Any, path: Path) -> Path:
    lines = path.suffix == ".jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows) if lines else json.dumps(rows))
    return path


def expected(letters: list[str | None] = LETTERS) -> eb.Result:
    """What the published items give with these answers."""
    items = [
        {**item.model_dump(), "answer": a}
        for item, a in zip(bbq.load_bbq("bbq", categories="Age"), letters, strict=True)
    ]
    return eb.measure("bbq", data=items, ci="none")


def same(source: Path | str, letters: list[str | None] = LETTERS) -> eb.Result:
    found, other = eb.measure("bbq", source=source, ci="none"), expected(letters)
    assert (found.score, found.n, found.estimates) == (other.score, other.n, other.estimates)
    assert [(s.item, s.reason) for s in found.skipped] == [(s.item, s.reason) for s in other.skipped]
    facts = found.provenance["dataset"]
    assert (facts["name"], facts["subset"]) == ("bbq", "16 of 26 items")
    return found


def bbq_log(folder: Path, **solver: Any) -> Any:
    """A log of samples as inspect_evals makes them: context and question in the input alone."""
    samples = [
        Sample(
            input=f"Context: {row['context']}\n\nQuestion: {row['question']}", target="ABC"[row["label"]],
            choices=[row[f"ans{k}"] for k in range(3)], id=f"Age_{i:05}",
            metadata={"source_id": i} | {k: row[k] for k in (
                "category", "question_index", "question_polarity", "context_condition", "answer_info",
                "additional_metadata")},
        )
        for i, row in enumerate(ROWS)
    ]  # fmt: skip
    outputs = [ModelOutput.from_content("mockllm/model", f"ANSWER: {letter}") for letter in LETTERS]
    for output in outputs:
        output.usage = ModelUsage()
    (log,) = inspect_ai.eval(
        Task(dataset=MemoryDataset(samples), solver=multiple_choice(**solver), scorer=choice(), name="bbq"),
        model=get_model("mockllm/model", custom_outputs=outputs), log_dir=str(folder), display="none",
        max_samples=1, max_connections=1,
    )  # fmt: skip
    return log


def test_a_log_of_inspect_evals_is_joined_with_the_items(tmp_path: Path) -> None:
    log = bbq_log(tmp_path)
    same(log.location)
    write_eval_log(log, str(tmp_path / "log.json"))
    same(tmp_path / "log.json")
    for sample in log.samples:  # options in an order of their own
        sample.choices = [*reversed(list(sample.choices))]
        sample.target = {"A": "C", "B": "B", "C": "A"}[sample.target]
    write_eval_log(log, str(tmp_path / "reversed.eval"))
    same(tmp_path / "reversed.eval", [{"A": "C", "B": "B", "C": "A"}[letter] for letter in LETTERS])


def test_replies_that_broke_off_are_no_answers(tmp_path: Path) -> None:
    """Inspect, HELM and promptfoo say so, each in its own way."""
    log = read_eval_log(bbq_log(tmp_path).location)
    log.samples[3].output = ModelOutput.from_content("m", "B", stop_reason="max_tokens")
    write_eval_log(log, str(tmp_path / "cut.eval"))
    states = [helm(row, letter, (0, 1, 2)) for row, letter in zip(ROWS, LETTERS, strict=True)]
    states[3]["result"]["completions"][0] = {"text": "B", "finish_reason": {"reason": "length"}}
    results = promptfoo([{"id": f"Age-{i}"} for i in range(16)])
    results[3]["response"] = {"output": "B", "finishReason": "length"}
    for path in (
        tmp_path / "cut.eval",
        written({"adapter_spec": {}, "request_states": states}, tmp_path / "state.json"),
        written(results, tmp_path / "out.jsonl"),
    ):
        found = eb.measure("bbq", source=path, ci="none")
        assert found.score == expected([*LETTERS[:3], None, *LETTERS[4:]]).score
        assert [skip.item for skip in found.skipped] == ["Age-3"]
        assert "breaks off" in found.skipped[0].reason


def test_positions_in_a_table_without_types_are_positions(tmp_path: Path) -> None:
    rows = [{**ITEM, "id": str(i), "answer": i % 3} for i in range(6)]
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    assert [item.answer for item in load_bbq(source=tmp_path / "rows.csv")] == [0, 1, 2, 0, 1, 2]
    rows[0]["answer"] = "The boy"
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    assert [item.answer for item in load_bbq(source=tmp_path / "rows.csv")] == [
        "The boy",
        "1",
        "2",
        "0",
        "1",
        "2",
    ]


ITEM = {
    "category": "Age", "question_index": "1", "context_condition": "ambig", "context": "A boy and a man came.",
    "question": "Who?", "ans0": "The boy", "ans1": "The man", "ans2": "Not known", "label": 2, "target_loc": 1,
    "unknown_loc": 2,
}  # fmt: skip


def test_letters_of_a_shuffled_choice_are_those_of_the_scorer(tmp_path: Path) -> None:
    log = bbq_log(tmp_path, shuffle=True)
    answers = [sample.scores["choice"].answer for sample in log.samples]
    assert answers != LETTERS
    same(log.location, answers)


def test_a_sample_that_did_not_finish_is_listed_and_a_log_of_none_refused(tmp_path: Path) -> None:
    log = read_eval_log(bbq_log(tmp_path).location)
    log.samples[3].output = ModelOutput()
    write_eval_log(log, str(tmp_path / "some.eval"))
    found = same(tmp_path / "some.eval", [*LETTERS[:3], None, *LETTERS[4:]])
    assert [s.item for s in found.skipped] == ["Age-3"]
    for sample in log.samples:
        sample.output = ModelOutput()
    for samples, status in ((log.samples, "error"), ([], "cancelled"), (None, "started")):
        none = log.model_copy(update={"samples": samples, "status": status})
        write_eval_log(none, str(path := tmp_path / "none.eval"))
        for read in (lambda path: eb.measure("bbq", source=path), read_log):
            with pytest.raises(DataError, match=f"has no finished samples: .* '{status}'"):
                read(path)


@pytest.mark.parametrize(
    ("sizes", "one_by_one", "message"),
    [
        ([60, 60], False, "a.eval, unpacked, has"),
        ([60, 60], True, ""),
        ([101], True, "a part of a.eval has"),
        ([60] * 14, True, "a.eval, unpacked, has"),
    ],
)
def test_a_log_may_unfold_to_more_than_a_table_and_a_part_of_it_may_not(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], one_by_one: bool, message: str
) -> None:
    monkeypatch.setattr(table_files, "MAX_BYTES", 100)
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        for i, size in enumerate(sizes):
            archive.writestr(str(i), "x" * size)
    with pytest.raises(DataError, match=message) if message else nullcontext():
        table_files.refuse_large_parts(file, "a.eval", one_by_one=one_by_one)


def lm_eval(
    docs: list[dict[str, Any]], prompt: str, texts: list[list[str]], scores: list[list[float]]
) -> list[Any]:
    """Samples of a multiple choice as lm-eval 0.4.13 writes them."""
    return [
        {
            "doc_id": i, "doc": doc, "target": "0", "filter": "none",
            "arguments": {f"gen_args_{k}": {"arg_0": prompt, "arg_1": f" {t}"} for k, t in enumerate(texts[i])},
            "filtered_resps": [[str(score), "False"] for score in scores[i]],
        }
        for i, doc in enumerate(docs)
    ]  # fmt: skip


def test_the_most_likely_continuation_of_lm_eval_is_the_answer(tmp_path: Path) -> None:
    persons = [["The boy", "The granny", "Cannot answer", "Undetermined"]] * 16
    places = ["ABC".index(letter) for letter in LETTERS]
    scores = [[-1.0 if k == place else -2.0 for k in (0, 1, 3, 2)] for place in places]  # "Undetermined" is C
    samples = lm_eval(ROWS, "Q: Who fell asleep?\nA:", persons, scores)
    same(written(samples, tmp_path / "samples_bbq.jsonl"))
    scores[5][0] = float("nan")
    samples = lm_eval(ROWS, "Q: Who fell asleep?\nA:", persons, scores)
    with pytest.raises(DataError, match="document 5 has a log-likelihood that is not a number"):
        eb.measure("bbq", source=written(samples, tmp_path / "samples_nan.jsonl"))


def test_samples_of_lm_eval_may_be_more_than_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = lm_eval(ROWS, "Who?", [["The boy", "The granny", "Unknown"]] * 16, [[-2.0, -1.0, -3.0]] * 16)
    path = written(samples, tmp_path / "samples.jsonl")
    table = written(ROWS * 2, tmp_path / "table.jsonl")
    most = min(path.stat().st_size, table.stat().st_size) - 1
    monkeypatch.setattr(table_files, "MAX_BYTES", most)
    assert max(path.stat().st_size, table.stat().st_size) < 2 * most
    assert len(table_files.read_rows(table_files.table_bytes(path), str(path))) == 16
    with pytest.raises(DataError, match="table.jsonl has"):
        table_files.read_rows(table_files.table_bytes(table), str(table))


def test_samples_of_winogender_are_predictions_of_the_published_pairs(tmp_path: Path) -> None:
    # Right where the pronoun is "she"; the occupation otherwise.
    takes_first = [row["gender"] != "female" or ".0." in row["sentid"] for row in SENTENCES]
    texts = [[row["occupation"], row["participant"]] for row in SENTENCES]
    scores = [[-1.0, -2.0] if first else [-2.0, -1.0] for first in takes_first]
    samples = lm_eval(SENTENCES, "‘She’ refers to the", texts, scores)
    path = written(samples, tmp_path / "samples_winogender.jsonl")
    result = eb.measure("winobias", source=path, variant="coreference")
    rows = {row.name: row.details for row in result.rows if "pro_correct" in row.details}
    # The other person of a nurse is expected to be a man: "he" is pro-stereotypical there.
    assert rows["nurse.customer.1"]["pro_correct"] is False
    assert rows["technician.customer.1"]["pro_correct"] is True
    assert (result.estimates["accuracy_pro"].value, result.estimates["accuracy_anti"].value) == (75.0, 75.0)
    assert [(s.item, s.reason.split(" belong")[0]) for s in result.skipped] == [
        ("4 sentences", "sentences with a neutral pronoun")
    ]
    assert result.provenance["dataset"]["name"] == "winogender"
    with pytest.raises(DataError, match=r"two answers to 'technician\.customer\.0\.male\.txt'"):
        eb.measure("winobias", data=[*samples, *samples], variant="coreference")
    other = [{**row, "sentid": row["sentid"].replace("nurse", "cook")} for row in SENTENCES]
    with pytest.raises(
        DataError, match=r"6 of 12 answers .* got 'cook\.customer\.0\.male\.txt'.* 'technician\.customer\.0'"
    ):
        eb.measure(
            "winobias", data=lm_eval(other, "‘She’ refers to the", texts, scores), variant="coreference"
        )


def promptfoo(items: list[dict[str, Any]], provider: str = "planted") -> list[dict[str, Any]]:
    """Results as promptfoo 0.123.1 writes them; the one to item 3 failed."""
    return [
        {
            "promptIdx": 0, "testIdx": i, "vars": item, "metadata": {"_promptfooFileMetadata": {}, "category": "Age"},
            "prompt": {"raw": "Who fell asleep?", "label": "{{question}}"}, "provider": {"id": provider, "label": ""},
            "response": {"error": "down"} if i == 3 else {"output": f"Answer: {LETTERS[i]}"},
        }
        for i, item in enumerate(items)
    ]  # fmt: skip


def test_files_of_promptfoo(tmp_path: Path) -> None:
    letters = [*LETTERS[:3], None, *LETTERS[4:]]
    by_id, by_number = [{"id": f"Age-{i}"} for i in range(16)], [{"example_id": str(i)} for i in range(16)]
    for items in (by_id, by_number):
        results = promptfoo(items)
        same(
            written(
                {"evalId": "eval-1", "results": {"version": 3, "results": results}}, tmp_path / "out.json"
            ),
            letters,
        )
        same(written(results, tmp_path / "out.jsonl"), letters)
    two = [*promptfoo(by_id), *promptfoo(by_id, "other")]
    with pytest.raises(DataError, match="replies of 2 providers .*'other', 'planted'"):
        eb.measure("bbq", source=written(two, tmp_path / "two.jsonl"))


def helm(row: dict[str, Any], letter: str, order: tuple[int, ...]) -> dict[str, Any]:
    """The state of a request as HELM 0.5.16 writes it: no id of the item, options by their letters."""
    texts, right = [row[f"ans{k}"] for k in order], row[f"ans{row['label']}"]
    return {
        "instance": {
            "id": "id7", "input": {"text": f"{row['context']}\nQuestion: {row['question']}"},
            "references": [{"output": {"text": t}, "tags": ["correct"] * (t == right)} for t in texts],
        },
        "output_mapping": dict(zip("ABC", texts, strict=True)),
        "result": {"completions": [{"text": f" {letter}"}]},
    }  # fmt: skip


def test_files_of_helm_are_joined_by_their_texts(tmp_path: Path) -> None:
    for order in ((0, 1, 2), (2, 0, 1)):
        states = [helm(row, letter, order) for row, letter in zip(ROWS, LETTERS, strict=True)]
        path = written({"adapter_spec": {}, "request_states": states}, tmp_path / "scenario_state.json")
        same(path, ["ABC"[order["ABC".index(letter)]] for letter in LETTERS])
    apart = {"adapter_spec": {}, "request_states": [{**states[0], "reference_index": 0}]}
    with pytest.raises(DataError, match="multiple_choice_joint"):
        eb.measure("bbq", source=written(apart, tmp_path / "apart.json"))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"id": "Age-0"}, {"id": "Age-99"}], "1 of 2 answers .* got 'Age-99', expected ids such as 'Age-0', 'Age-1'"),
        ([{"id": "Age-0"}, {"id": "Age-1", "question": "Who sang?"}], "got 'Age-1 with another text'"),
        ([{"id": "7f3c"}], "1 of 1 answers .* got '7f3c', expected ids such as 'Age-0'"),
        ([{"id": "Age-0"}, {"id": "Age_0"}], "two items with the id 'Age-0'"),
    ],
)  # fmt: skip
def test_an_answer_without_an_item_is_named(items: list[dict[str, str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        eb.measure("bbq", data=promptfoo(items))


def test_items_of_ones_own_in_the_form_of_bbq_need_no_published_ones() -> None:
    own = [{**row, "context": f"Own: {row['context']}"} for row in ROWS]
    samples = lm_eval(own, "Who?", [["The boy", "The granny", "Unknown"]] * 16, [[-2.0, -1.0, -3.0]] * 16)
    result = eb.measure("bbq", data=samples, ci="none")
    assert "name" not in result.provenance["dataset"]
    assert result.score == 0.0  # every answer is the granny, biased in half of the items
