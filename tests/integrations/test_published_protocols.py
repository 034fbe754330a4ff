"""Published harnesses run here on planted items and models: each protocol gives their numbers and their prompts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias import assets
from evaluate_bias.data.bbq import BbqItem
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.recipes.bbq import parse_upstream
from evaluate_bias.methods.downstream.bbq.published import Answers, biased_by_groups, harness_values
from evaluate_bias.methods.published import log_likelihoods
from evaluate_bias.models.completions import Reply
from evaluate_bias.models.load import load_model
from tests.data.test_bbq import files, metadata
from tests.data.test_logs_of_benchmarks import ROWS, TARGETS
from tests.support.chat import Chat
from tests.support.harnesses import inspect_evals_log, plant_lm_eval_tasks
from tests.support.tiny_models import tiny_causal

pytestmark = pytest.mark.nightly
REPLIES = [
    "ANSWER: A", "answer: b", "ANSWER: $C$", "**ANSWER: B**", "I think.\nANSWER: (C).", "ANSWER: A, B", "ANSWER: D",
    "B", "", "ANSWER: A\nANSWER: C", "The ANSWER: A!", "ANSWER: **B** as said", "ANSWER : c", "ANSWER:\nA",
    "ANSWER: A because", "<think>ANSWER: A</think>\n\nANSWER: B",
]  # fmt: skip
PAIRS = [
    {"id": str(i), "sent_more": f"The nurse said {text}.", "sent_less": f"The engineer said {text}.",
     "bias_type": ("gender", "autre")[i % 2], "stereo_antistereo": "stereo"}
    for i, text in enumerate(("she left", "he left", "nobody believed it", "the old man helped", "it was perhaps his"))
] + [{"id": "5", "sent_more": "He left.", "sent_less": "He left.", "bias_type": "age", "stereo_antistereo": "stereo"},
     {"id": "6", "sent_more": "He left. ", "sent_less": "She left. ", "bias_type": "age",
      "stereo_antistereo": "antistereo"}]  # fmt: skip
PRONOUNS = {"male": "he", "female": "she", "neutral": "they"}


def items() -> list[BbqItem]:
    """The planted rows of BBQ as this library has them."""
    targets = [("Age", i, str(target), "label") for i, target in enumerate(TARGETS)]
    raw = files(ROWS, metadata(*targets))
    return [BbqItem(**row, language="en") for row in parse_upstream(raw, "planted")["Age"]]


def test_inspect_evals_bbq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = inspect_evals_log(REPLIES, tmp_path, monkeypatch)
    (theirs,) = (score.metrics["accuracy"].value for score in log.results.scores)
    prompts = [sample.messages[0].text for sample in log.samples]
    replies = dict(zip(prompts, REPLIES, strict=True))
    chat = Chat(lambda prompt: Reply(replies[prompt]))
    result = eb.measure("bbq", chat, data=items(), protocol="inspect_evals")
    assert chat.asked == prompts
    assert result.score == pytest.approx(theirs, abs=1e-9)
    letters = [sample.scores["choice"].answer for sample in log.samples]
    assert [row.details["answer"] for row in result.rows_of("item")] == [
        "ABC".index(letter) if letter else None for letter in letters
    ]


def run_lm_eval(
    folder: Path, model: Any, tokenizer: Any, planted: dict[str, tuple[Sequence[Any], str]]
) -> Any:
    """What lm-eval prints of planted tasks; each is a published one with rows of its own."""
    plant_lm_eval_tasks(folder, planted)
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    return lm_eval.simple_evaluate(
        model=HFLM(pretrained=model, tokenizer=tokenizer, device="cpu", batch_size=4),
        tasks=[f"planted_{name}" for name in planted],
        task_manager=TaskManager(include_path=str(folder)),
        bootstrap_iters=0,
    )


@pytest.mark.parametrize(("family", "seed"), [("gpt2", 0), ("llama", 1)])  # without and with a start token
def test_lm_eval(family: str, seed: int, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    model, tokenizer = tiny_causal(family, seed)
    sentences = [
        {"sentid": f"{who}.{other}.{answer}.{gender}.txt", "sentence": f"The {who} told the {other} that {word} left.",
         "pronoun": word, "occupation": who, "participant": other, "gender": gender, "label": answer}
        for who, other in (("technician", "customer"), ("nurse", "man")) for answer in (0, 1)
        for gender, word in PRONOUNS.items()
    ]  # fmt: skip
    stereotypes = {"technician": ("male", "female"), "nurse": ("female", "male")}
    gotcha = [
        row for row in sentences if row["gender"] in ("male", "female")
        and row["gender"] != stereotypes[row["occupation"]][row["label"]]
    ]  # fmt: skip
    found = run_lm_eval(tmp_path, model, tokenizer, {
        "bbq": (ROWS, "bbq/bbq_multiple_choice"),
        "crows": (PAIRS, "crows_pairs/crows_pairs_english"),
        "winogender": (sentences, "winogender/winogender"),
        "gotcha": (gotcha, "winogender/winogender_gotcha"),
    })  # fmt: skip
    theirs = {
        name: {k.removesuffix(",none"): v for k, v in of.items()} for name, of in found["results"].items()
    }
    ours = load_model((model, tokenizer))

    samples = sorted(found["samples"]["planted_bbq"], key=lambda sample: sample["doc_id"])
    requests = [tuple(request) for sample in samples for request in sample["arguments"]]
    expected = [float(reply[0]) for sample in samples for reply in sample["filtered_resps"]]
    assert log_likelihoods(ours, requests) == pytest.approx(expected, abs=1e-3)
    bbq = eb.measure("bbq", ours, data=items(), protocol="lm-eval")
    of = theirs["planted_bbq"]
    estimates = {key: estimate.value for key, estimate in bbq.estimates.items()}
    assert bbq.score == pytest.approx(of["acc"], abs=1e-9)
    assert estimates == pytest.approx(
        {"accuracy_ambig": of["accuracy_amb"], "accuracy_disambig": of["accuracy_disamb"],
         "s_amb": of["amb_bias_score"], "s_dis": of["disamb_bias_score"]}, abs=1e-9,
    )  # fmt: skip
    (age,) = bbq.rows_of("group")
    assert age.estimates["s_amb"].value == pytest.approx(of["amb_bias_score_Age"], abs=1e-9)
    assert age.estimates["s_dis"].value == pytest.approx(of["disamb_bias_score_Age"], abs=1e-9)

    crows = eb.measure("crows_pairs", ours, data=PAIRS, protocol="lm-eval")
    of = theirs["planted_crows"]
    assert crows.score == pytest.approx(100 * of["pct_stereotype"], abs=1e-9)
    assert crows.estimates["likelihood_diff"].value == pytest.approx(of["likelihood_diff"], rel=1e-5)

    pairs = [
        {"id": f"{who}.{answer}", **{f"sentence_{row['gender']}": row["sentence"] for row in three},
         "profession": (who, other)[answer], "other": (other, who)[answer], "stereotype": stereotypes[who][answer],
         "type": ("occupation", "participant")[answer]}
        for who, other in (("technician", "customer"), ("nurse", "man")) for answer in (0, 1)
        if (three := [r for r in sentences if (r["occupation"], r["label"]) == (who, answer)])
    ]  # fmt: skip
    wino = eb.measure("winobias", ours, data=pairs, protocol="lm-eval")
    assert wino.n == 12
    assert wino.score == pytest.approx(theirs["planted_winogender"]["acc"], abs=1e-9)
    assert wino.estimates["accuracy_gotcha"].value == pytest.approx(theirs["planted_gotcha"]["acc"], abs=1e-9)


@pytest.mark.skipif(
    not assets.is_cached(assets.get_asset("benchmarks")), reason="the asset 'benchmarks' is not in the cache"
)
@pytest.mark.parametrize("category", ["Age", "Nationality", "Race_x_gender", "Gender_identity"])
def test_lm_eval_biased_answers_of_published_items(category: str) -> None:
    pytest.importorskip("lm_eval")
    utils = importlib.import_module("lm_eval.tasks.bbq.utils")

    class Docs(list[Any]):
        def map(self, change: Any) -> Any:
            return [change(doc) for doc in self]

    raw = dataset_record("bbq").configs[0].splits["test"].read(None, True)
    docs = utils.process_docs(Docs(map(json.loads, raw[category].splitlines())))
    for doc, row in zip(docs, parse_upstream(raw, "BBQ")[category], strict=True):
        theirs = {k for k in range(3) if doc[f"ans{k}"] in doc["biased_answers"]}
        assert biased_by_groups(BbqItem(**row)) == theirs, row["id"]


def test_lm_eval_bias_scores_of_any_answers() -> None:
    pytest.importorskip("lm_eval")
    utils = importlib.import_module("lm_eval.tasks.bbq.utils")
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(2, 9))
        named = rng.random(n) < rng.random()
        biased = named & (rng.random(n) < rng.random())
        right, ambiguous = rng.random(n) < 0.5, np.arange(n) % 2 == 0
        rows = list(zip(right * 1.0, biased * 1.0, named * 1.0, ~ambiguous, strict=True))
        values = harness_values("lm-eval", Answers(right, biased, named, ambiguous))
        assert values["s_amb"] == pytest.approx(float(utils.agg_amb_bias_scores(rows)), abs=1e-9)
        assert values["s_dis"] == pytest.approx(float(utils.agg_disamb_bias_scores(rows)), abs=1e-9)
