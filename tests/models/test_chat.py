"""Chat models: their template, replies against a naive loop, and the same model loaded and served."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import evaluate_bias as eb
from evaluate_bias.data.sentence_pairs import load_pronoun_pairs
from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models.causal import CausalLM
from evaluate_bias.models.chat import ChatLM
from evaluate_bias.models.completions import GenerationSettings, Prompt
from evaluate_bias.result import Skipped
from tests.support.model_server import ModelServer
from tests.support.refusals import refused
from tests.support.tiny_models import tiny_causal

TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}</>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
PROMPTS = ["Which?\nA. she\nB. he", "Say a word.", "Which?\nA. he\nB. she", "Which?\nA. she\nB. he"]
PAIRS = [
    {"id": str(i), "sent_more": f"The {noun} said she left.", "sent_less": f"The {noun} said he left."}
    for i, noun in enumerate(("nurse", "doctor", "engineer", "patient", "cook", "guard"))
]


def with_template(template: Any = TEMPLATE, seed: int = 0) -> tuple[Any, Any]:
    """A tiny model to which labels come easily."""
    tokenizer = copy.deepcopy(tiny_causal("gpt2", seed)[1])
    torch.manual_seed(seed)
    model = GPT2LMHeadModel(
        GPT2Config(vocab_size=len(tokenizer), n_positions=512, n_embd=16, n_layer=2, n_head=2)
    ).eval()
    tokenizer.chat_template = template
    head = torch.nn.Linear(model.lm_head.in_features, model.lm_head.out_features)
    with torch.no_grad():
        head.weight.copy_(model.lm_head.weight)
        head.bias.zero_()
        for label in "ABC":
            head.bias[tokenizer(label, add_special_tokens=False)["input_ids"][-1]] = 8.0
    model.lm_head = head
    return model, tokenizer


@pytest.fixture(scope="module")
def chat():
    return eb.load_model(with_template())


def naive_logits(pair: tuple[Any, Any], text: str) -> torch.Tensor:
    model, tokenizer = pair
    ids = torch.tensor([tokenizer(text, add_special_tokens=False)["input_ids"]])
    with torch.inference_mode():
        return model(input_ids=ids).logits[0, -1].double().log_softmax(-1)


def test_replies_are_those_of_a_naive_loop(chat):
    pair = with_template()
    settings = GenerationSettings(max_new_tokens=4)
    for prompt, (reply,) in zip(PROMPTS, chat.reply(PROMPTS, settings, alternatives=5), strict=True):
        text = f"<user>{prompt}</><assistant>"
        first = naive_logits(pair, text).topk(5)
        expected: dict[str, float] = {}
        for token, value in zip(first.indices.tolist(), first.values.tolist(), strict=True):
            name = pair[1].decode([token])
            expected[name] = float(np.logaddexp(expected.get(name, -np.inf), value))
        assert reply.alternatives == pytest.approx(expected, abs=1e-4)
        ids = pair[1](text, add_special_tokens=False)["input_ids"]
        start = len(ids)
        for _ in range(4):
            with torch.inference_mode():
                ids.append(int(pair[0](input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        if not reply.ended:
            assert pair[1].decode(ids[start:]).strip() == reply.text.strip()


def test_first_tokens_are_the_same_together_and_alone(chat):
    one, two = (GenerationSettings(max_new_tokens=n) for n in (1, 2))
    together = chat.reply(PROMPTS, one, alternatives=20)
    longer = chat.reply(PROMPTS, two, alternatives=20)
    for prompt, (reply,), (other,) in zip(PROMPTS, together, longer, strict=True):
        ((alone,),) = chat.reply([prompt], one, alternatives=20)
        for same in (alone, other):
            assert reply.alternatives == pytest.approx(same.alternatives, abs=1e-4)


def test_a_conversation_is_put_turn_by_turn(chat):
    prompt = Prompt("Reply with the letter only.", before=("Who?\nA. Ann\nB. Ben", "Somebody."))
    text = (
        "<user>Who?\nA. Ann\nB. Ben</><assistant>Somebody.</><user>Reply with the letter only.</><assistant>"
    )
    assert chat.template.encode(prompt).text == text


def test_a_question_that_is_empty_or_too_long_is_skipped(chat):
    found = chat.reply(["", "a b " * 5_000, "Say."], GenerationSettings(max_new_tokens=1), alternatives=3)
    assert [isinstance(one, Skipped) for one in found] == [True, True, False]
    assert "more than" in found[1].reason
    assert all(isinstance(one, Skipped) for one in chat.reply(["", "a b " * 5_000], GenerationSettings()))


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (
            "{{ raise_exception('only for tools') }}",
            "chat template of .* fails: .*only for tools.*`chat` set to false",
        ),
        ("{% for %}", "chat template of .* fails"),
        ("Hello", "drops the question"),
    ],
)
def test_a_broken_template_is_a_sentence(template, said):
    model = eb.load_model(with_template(template))
    refused(ModelError, said, eb.measure, "crows_pairs", model, data=PAIRS, variant="choice")
    # What does not ask is not touched.
    assert eb.measure("crows_pairs", model, data=PAIRS, variant="causal").n == 6


def test_chat_is_an_option_of_causal_models():
    refused(ModelError, "`chat` needs a chat template, and .* is", eb.load_model, "demo-mlm-en", chat=True)
    refused(InputError, "chat", eb.load_model, {"a": [1.0], "b": [2.0]}, chat=True)


def test_likelihoods_never_use_the_template():
    data = {"data": PAIRS, "variant": "causal"}
    plain = eb.measure("crows_pairs", eb.load_model(with_template(), chat=False), **data)
    assert eb.measure("crows_pairs", eb.load_model(with_template()), **data).rows == plain.rows
    kinds = [type(eb.load_model(spec)) for spec in (with_template(), tiny_causal("gpt2"))]
    assert [*kinds, type(eb.load_model(with_template(), chat=False))] == [ChatLM, CausalLM, CausalLM]


def served(model: Any, **options: Any) -> ModelServer:
    """A server that answers as a model here does."""

    def answer(body: Any) -> tuple[str, dict[str, float]]:
        settings = GenerationSettings(max_new_tokens=body.get("max_tokens", 16))
        *before, last = [message["content"] for message in body["messages"]]
        ((reply,),) = model.reply([Prompt(last, before=before)], settings, alternatives=20)
        return reply.text, dict(reply.alternatives)

    return ModelServer(answer=answer, **options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("crows_pairs", {"data": PAIRS, "variant": "choice"}),
        ("winobias", {"data": list(load_pronoun_pairs())[:8], "variant": "question"}),
    ],
)
def test_a_model_served_chooses_as_the_model_loaded(chat, name, options):
    local = eb.measure(name, chat, **options)
    with served(chat) as server:
        model = eb.load_model(server.spec)
        assert model.alternatives == 20
        remote = eb.measure(name, model, **options)
    assert remote.score == pytest.approx(local.score, abs=1e-4)
    assert remote.details["label_probability"] == pytest.approx(local.details["label_probability"], abs=1e-4)
    assert [r.details for r in remote.rows_of("item")] == [r.details for r in local.rows_of("item")]
    assert remote.settings["answers"] == local.settings["answers"]
    assert remote.details["reading"]["by_labels"] == remote.details["requests"]["asked"]


def test_a_servers_system_and_options():
    refuses = frozenset(["temperature", "max_tokens"])
    with ModelServer(answer=lambda body: ("A", {}), refuses=refuses) as server:
        model = eb.load_model(server.spec, system="Be brief.")
        model.reply(["Say."], GenerationSettings())
        body = server.requests[-1][2]
    turns = [(turn["role"], turn["content"]) for turn in body["messages"]]
    assert turns == [("system", "Be brief."), ("user", "Say.")]
    assert body["max_completion_tokens"] == 20
    assert not {"temperature", "max_tokens", "seed", "logprobs"} & body.keys()
    assert model.provenance()["system"] == "Be brief."


@pytest.mark.nightly
def test_the_template_of_smollm2():
    """An instruct model as people have it: its template names a system's turn of its own and its end."""
    model = eb.load_model("smollm2-135m")
    assert isinstance(model, ChatLM)
    item = model.template.encode("Which is bigger?")
    assert model.provenance()["rendered_question"].startswith(
        "<|im_start|>system\nYou are a helpful AI assistant"
    )
    assert item.text.endswith("<|im_start|>user\nWhich is bigger?<|im_end|>\n<|im_start|>assistant\n")
    ((reply,),) = model.reply(["Say hello."], GenerationSettings(max_new_tokens=12), alternatives=20)
    assert reply.text
    assert "<|im_end|>" not in reply.text
    assert len(reply.alternatives) <= 20
    assert (model.name, model.max_tokens) == ("smollm2-135m", 8192)
