"""Tokenizers that hold more than their model, letters of several tokens, and models of users with odd numbers."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import tokenizers
import torch
import transformers

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, InputError
from evaluate_bias.methods.agreement.seed_sensitivity.method import RememberingModel
from evaluate_bias.models import generate
from evaluate_bias.models.base import Capability, capabilities_of, checked_outputs
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.models.masked import MaskedRequest
from tests.support.refusals import refused
from tests.support.tiny_models import SENTENCES, tiny_causal, tiny_masked


def with_token(pair: tuple[Any, Any], **added: Any) -> Any:
    """A model whose tokenizer was given a token, which the model was not."""
    model, tokenizer = copy.deepcopy(pair)
    tokenizer.add_special_tokens(added)
    assert len(tokenizer) == len(model.get_input_embeddings().weight) + 1
    return eb.load_model((model, tokenizer), progress=False)


def test_a_padding_token_that_the_model_lacks_changes_nothing():
    model = with_token(tiny_causal("gpt2"), pad_token="[PAD]")
    together = model.sequence_logprobs(model.encode(SENTENCES))
    alone = [model.sequence_logprobs(model.encode([text]))[0] for text in SENTENCES]
    for a, b in zip(together, alone, strict=True):
        assert a == pytest.approx(b, rel=1e-4, abs=1e-4)
    settings = GenerationSettings(n=2, max_new_tokens=3)
    prompts = ["The nurse said that she", "He"]
    assert model.complete(prompts, settings) == [model.complete([p], settings)[0] for p in prompts]


def test_a_mark_that_the_model_lacks_is_no_fill_and_cannot_be_scored():
    model = with_token(tiny_masked("bert"), additional_special_tokens=["[X]"])
    ((fill,),) = model.complete(["The [M] left."], GenerationSettings(n=1))
    assert fill
    (encoded,) = model.encode([f"she {model.mask_token} left"])
    (place,) = model.mask_positions(encoded)
    beyond = len(model.tokenizer) - 1
    with pytest.raises(InputError, match=f"token id {beyond} is not in the vocabulary"):
        model.masked_logprobs([MaskedRequest(encoded, (place,), ((place, beyond),))])


def test_a_word_does_not_end_within_a_letter(monkeypatch):
    model = eb.load_model(tiny_causal("gpt2"), progress=False)
    script = model.tokenizer(" жук ел")["input_ids"]
    assert len(script) > len(" жук ел")  # a letter takes two tokens
    monkeypatch.setattr(generate._Decoder, "_first", lambda self, logits: torch.tensor([script[0]]))
    monkeypatch.setattr(
        generate._Decoder, "_next", lambda self, logits, rows, step: torch.tensor([script[step]])
    )
    assert model.complete(["The"], GenerationSettings(unit="word")) == [["жук"]]


def test_a_model_of_a_user_keeps_its_capabilities_behind_every_door():
    methods = {method: lambda *_: [] for one in Capability for method in one.methods}
    everything = type("Everything", (), methods | {"name": "e"})()
    words_only = type("WordsOnly", (), {"name": "w", "embed_words": methods["embed_words"]})()
    for wrap in (checked_outputs, RememberingModel):
        assert capabilities_of(wrap(everything)) == set(Capability)
        assert capabilities_of(wrap(words_only)) == {"embeds words"}


def test_the_first_token_of_a_body_that_reads_from_the_left_is_no_embedding_of_a_text():
    causal = eb.load_model(tiny_causal("llama"), kind="encoder", progress=False)
    refused(CapabilityError, "so it has no 'cls'", causal.embed_in_context, SENTENCES, None, ["cls"])
    masked = eb.load_model(tiny_masked("bert"), kind="encoder", progress=False)
    assert len(masked.embed_in_context(SENTENCES, None, ["cls"])) == len(SENTENCES)


@pytest.mark.parametrize(("words", "is_uncased"), [("анна Анна привет", False), ("анна привет", True)])
def test_a_vocabulary_without_latin_letters_is_uncased_if_it_has_no_capitals(words, is_uncased):
    special = ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
    names = dict(
        zip(("unk_token", "cls_token", "sep_token", "pad_token", "mask_token"), special, strict=True)
    )
    vocabulary = {word: i for i, word in enumerate((*special, *words.split()))}
    inner = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, **names)
    model, _ = tiny_masked("bert")
    assert eb.load_model((model, tokenizer), progress=False).is_uncased is is_uncased
