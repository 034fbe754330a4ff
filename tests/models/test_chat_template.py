"""What chat templates do by themselves, found by rendering them, and what becomes of the thoughts they ask for."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from tokenizers import AddedToken

import evaluate_bias as eb
from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models.completions import GenerationSettings, Reply
from evaluate_bias.models.limited_template import LimitedRenderer
from tests.models.test_chat import with_template
from tests.support.refusals import refused

TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>\n{% endfor %}"
PROMPT = "{% if add_generation_prompt %}<assistant>"
PLAIN = TURNS + PROMPT + "{% endif %}"
CLOSES = (  # off closes an empty thought; by itself it lets the model open one
    TURNS
    + PROMPT
    + "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
    "{% endif %}"
)
OPENS = TURNS + PROMPT + "{% if thinking %}<think>\n{% else %}</think>{% endif %}{% endif %}"  # off by itself
ALWAYS = TURNS + PROMPT + "<think>\n{% endif %}"
HISTORY = PLAIN.replace("m.content", "m.content.split('</think>')[-1]")
CHANNELS = (
    "<|start|>system<|message|>You answer. Effort: {{ reasoning_effort or 'medium' }}.<|end|>"
    "{% for m in messages %}<|start|>{{ m.role }}{% if m.role == 'assistant' %}<|channel|>final{% endif %}<|message|>"
    "{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)
OWN_SYSTEM = "{% if messages[0].role != 'system' %}<system>You are kind.</>\n{% endif %}" + PLAIN
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no such role') }}{% endif %}" + PLAIN
LOSES_SYSTEM = PLAIN.replace("in messages", "in messages if m.role != 'system'")


def loaded(template: str, **options: Any) -> Any:
    return eb.load_model(with_template(template), **options)


@pytest.mark.parametrize(
    ("template", "options", "switch", "thinks", "opening", "tail"),
    [
        (PLAIN, {}, "", False, "", "<assistant>"),
        (CLOSES, {}, "enable_thinking", True, "", "<assistant>"),
        (CLOSES, {"thinking": "on"}, "enable_thinking", True, "", "<assistant>"),
        (CLOSES, {"thinking": "off"}, "enable_thinking", False, "", "<think>\n\n</think>\n\n"),
        (OPENS, {}, "thinking", False, "", "<assistant></think>"),
        (OPENS, {"thinking": "on"}, "thinking", True, "<think>", "<assistant><think>\n"),
        (ALWAYS, {}, "", True, "<think>", "<assistant><think>\n"),
        (HISTORY, {}, "", True, "", "<assistant>"),
        (CHANNELS, {}, "", True, "", "<|start|>assistant"),
    ],
    ids=["plain", "closes", "closes on", "closes off", "opens", "opens on", "always", "history", "channels"],
)  # fmt: skip
def test_what_a_template_does_about_thoughts(template, options, switch, thinks, opening, tail):
    model = loaded(template, **options)
    traits = model.template.traits
    assert (traits.switch, traits.thinks, traits.opening) == (switch, thinks, opening)
    assert model.template.encode("Which?").text.endswith(tail)
    # Half of what this model can read, which is less than a model that thinks gets elsewhere.
    assert model.reply_tokens == (256 if thinks else 64)
    facts = model.provenance()
    assert facts["reply_tokens"] == model.reply_tokens
    assert facts.get("thinking_switch", "") == switch


@pytest.mark.parametrize("template", [PLAIN, NO_SYSTEM])
def test_a_switch_that_a_template_has_not_is_refused(template):
    refused(InputError, "cannot switch reasoning, got `thinking` 'on'", loaded, template, thinking="on")


def test_the_length_of_thoughts_is_the_template_s_own_variable():
    model = loaded(CHANNELS, reasoning_effort="low")
    assert "Effort: low." in model.template.encode("Which?").text
    assert model.provenance()["reasoning_effort"] == "low"
    refused(InputError, "does not support `reasoning_effort`; omit", loaded, PLAIN, reasoning_effort="low")
    picky = CHANNELS.replace(
        "<|start|>system", "{% if reasoning_effort == 'high' %}{{ raise_exception('x') }}{% endif %}"
    )
    assert "Effort: low." in loaded(picky, reasoning_effort="low").template.encode("Which?").text
    refused(ModelError, "the chat template of .* fails", loaded, picky, reasoning_effort="high")


def test_a_question_is_recorded_as_the_template_writes_it_with_what_it_adds():
    written = loaded(OWN_SYSTEM).provenance()["rendered_question"]
    assert written.startswith("<system>You are kind.")
    assert "Is water wet?" in written
    assert "You are kind." not in loaded(OWN_SYSTEM, system="Be brief.").provenance()["rendered_question"]
    channels = loaded(CHANNELS, system="Be brief.", reasoning_effort="low").provenance()
    assert channels["rendered_question"].startswith("<|start|>system<|message|>You answer. Effort: low.")


def test_a_template_of_contents_in_parts_is_given_parts():
    parts = PLAIN.replace("{{ m.content }}", "{% for part in m.content %}{{ part.text }}{% endfor %}")
    model = loaded(parts, system="Be brief.")
    assert model.template.encode("Which?").text == "<system>Be brief.</>\n<user>Which?</>\n<assistant>"


def test_a_template_that_needs_a_system_s_turn_is_given_the_one_of_the_user():
    needs = "{% if messages[0].role != 'system' %}{{ raise_exception('no system') }}{% endif %}" + PLAIN
    refused(ModelError, "no system", lambda: loaded(needs).template.encode("Which?"))
    model = loaded(needs, system="Be brief.")
    assert model.template.encode("Which?").text == "<system>Be brief.</>\n<user>Which?</>\n<assistant>"


@pytest.mark.parametrize("template", [NO_SYSTEM, LOSES_SYSTEM], ids=["refuses", "loses"])
def test_a_system_s_text_without_a_place_stands_in_the_user_s_turn(template):
    model = loaded(template, system="Be brief.")
    assert model.template.encode("Which?").text == "<user>Be brief.\n\nWhich?</>\n<assistant>"
    facts = model.provenance()
    assert (facts["system"], facts["system_in_user_turn"]) == ("Be brief.", True)
    with_place = loaded(PLAIN, system="Be brief.")
    assert with_place.template.encode("Which?").text.startswith("<system>Be brief.</>\n<user>Which?</>")
    assert "system_in_user_turn" not in with_place.provenance()


# -- replies ---------------------------------------------------------------------------------------------------------


def test_a_thought_that_the_prompt_opened_stands_in_the_reply():
    model = loaded(ALWAYS)
    ((whole,),) = model.reply(["Which?"], GenerationSettings(max_new_tokens=3), alternatives=5)
    ((first,),) = model.reply(["Which?"], GenerationSettings(max_new_tokens=1), alternatives=5)
    for reply in (whole, first):
        assert reply.text.startswith("<think>")
        assert reply.alternatives
    assert whole.thought_tokens == len(
        model.tokenizer(whole.text.removeprefix("<think>").strip())["input_ids"]
    )


def test_tokens_of_thoughts_are_counted_and_give_room():
    model = loaded(PLAIN)
    assert model.reply_tokens == 64
    plain = Reply("B")
    assert model._with_thoughts(plain) is plain
    counted = model._with_thoughts(Reply("<think>she or he</think>B"))
    assert counted.text == "<think>she or he</think>B"
    assert counted.thought_tokens == len(model.tokenizer("she or he")["input_ids"])
    assert model.reply_tokens == 256


def test_special_tokens_that_set_thoughts_off_are_written():
    """Channels of gpt-oss are special tokens, which decoding leaves out; others mean nothing here."""
    model, tokenizer = with_template(CHANNELS)
    tokenizer = copy.deepcopy(tokenizer)
    marks = ["<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|other|>", "<think>", "</think>"]
    tokenizer.add_tokens([AddedToken(mark, special=True) for mark in marks])
    model.resize_token_embeddings(len(tokenizer))
    text = "<|channel|>analysis<|message|>she<|end|><|other|><|start|>assistant<|channel|>final<|message|>B"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    chat = eb.load_model((model, tokenizer))
    assert chat.written_text(ids) == text.replace("<|other|>", "")
    assert chat.written_text(tokenizer("<think>x</think>")["input_ids"]) == "<think>x</think>"
    # Without channels an end is the end of a turn.
    plain = copy.deepcopy(with_template(PLAIN)[1])
    plain.add_tokens([AddedToken(mark, special=True) for mark in ("<|end|>", "<|other|>")])
    model.resize_token_embeddings(len(plain))
    ends = plain("B<|end|><|other|>", add_special_tokens=False)["input_ids"]
    assert eb.load_model((model, plain)).written_text(ends) == "B"


# -- templates of strangers ------------------------------------------------------------------------------------------


def test_a_template_in_a_process_of_its_own_writes_the_same():
    here = loaded(CHANNELS, system="Be brief.", reasoning_effort="low")
    apart = replace(here.template, renderer=LimitedRenderer())
    for prompt in ("Which?", 'Dörte und 李\n"x"'):
        assert apart.encode(prompt) == here.template.encode(prompt)
    assert apart.traits == here.template.traits
    broken = replace(loaded("{{ messages[7].content }}").template, renderer=LimitedRenderer())
    refused(ModelError, "the chat template of .* fails: .*; choose another model", broken.encode, "Which?")


def test_a_template_beyond_its_limits_is_a_sentence():
    template = loaded("{% for i in range(90) %}{{ messages[0].content }}{% endfor %}").template
    long = replace(template, renderer=LimitedRenderer(characters=100))
    refused(ModelError, "it writes more than 100 characters; choose another model", long.encode, "Which?")
    renderer = LimitedRenderer(seconds=0.0)
    for _ in range(2):  # it is not tried again
        with pytest.raises(ModelError, match="it takes more than 0 s or too much memory; choose"):
            replace(template, renderer=renderer).encode("Which?")
    assert renderer._process.wait() != 0
