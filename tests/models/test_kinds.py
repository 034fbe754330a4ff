"""One registry of kinds of models: what they say they can do is true, and a new kind is one class and one entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import InputError
from evaluate_bias.experiments.fitting import reasons_against
from evaluate_bias.hub.doctor import check_model
from evaluate_bias.models import kinds, load
from evaluate_bias.models.base import Capability, ModelKind, capabilities_of
from evaluate_bias.models.source import device_name
from evaluate_bias.ui.pool import kinds_for, pool_with
from tests.support.refusals import refused


@pytest.mark.parametrize("kind", kinds.kinds_of(), ids=lambda kind: kind.__name__)
def test_a_kind_lists_what_its_methods_do(kind):
    methods = {one for one in Capability if all(hasattr(kind, method) for method in one.methods)}
    assert set() != capabilities_of(kind) <= methods


@pytest.mark.parametrize("kind", kinds.kinds_of(), ids=lambda kind: kind.__name__)
def test_a_kind_says_what_the_registry_reads(kind):
    assert kind.label
    assert kind in kinds.kinds_of(kind=kind.kind, asset_kind=kind.asset_kind)


def test_a_corpus_is_loaded_by_its_prefix(tmp_path):
    (tmp_path / "texts.txt").write_text("She met the nurse.\n")
    assert capabilities_of(eb.load_model(f"corpus:{tmp_path / 'texts.txt'}")) == {"counts words"}
    refused(InputError, "a corpus, does not support dtype", eb.load_model, "corpus:x", dtype="float32")


def test_a_function_is_a_model_with_a_name():
    assert eb.load_model(lambda prompts: prompts, name="mine").name == "mine"
    refused(InputError, "a function, does not support device", eb.load_model, len, device="cpu")


class Lexicon(ModelKind):
    """A new kind of model: every word has the vector of its letters."""

    capabilities = frozenset({Capability.EMBEDS_WORDS})
    label = "a lexicon of letters"
    asset_kind = "letters"
    name = "letters"

    def __init__(self, length: int) -> None:
        self.length = length

    def provenance(self) -> dict[str, Any]:
        return {"kind": "lexicon"}

    def embed_words(self, words: list[str]) -> tuple[np.ndarray, list[int]]:
        padded = [word.ljust(self.length)[: self.length] for word in words]
        return np.array([[float(ord(letter)) for letter in word] for word in padded]), []


def load_lexicon(spec: str, *, length: int = 4) -> Lexicon:
    """Load one."""
    return Lexicon(length)


@pytest.fixture
def lexicon(monkeypatch):
    loader = kinds.Loader(load_lexicon, (Lexicon,), "a lexicon", lambda spec: spec == "letters:")
    for module in (kinds, load):
        monkeypatch.setattr(module, "LOADERS", (loader, *kinds.LOADERS))


@pytest.mark.usefixtures("lexicon")
def test_a_new_kind_is_loaded_fitted_offered_and_diagnosed():
    assert eb.load_model("letters:", length=6).length == 6
    refused(
        InputError, "which is a lexicon, does not support dtype", eb.load_model, "letters:", dtype="float32"
    )
    reasons = reasons_against("letters:", {})
    assert "weat" not in reasons
    assert reasons["aul"] == "needs a model that scores masked tokens, not a lexicon of letters"
    assert "letters" in kinds_for(["embeds words"])
    assert pool_with("letters:").own_model == ("letters", ("letters",))
    assert next(check_model("letters:")).text == "embeds words"


@pytest.mark.parametrize(("device", "name"), [(1, "cuda:1"), ("1", "cuda:1"), ("auto", "auto"), (-1, "cpu")])
def test_devices_have_the_names_of_torch(device, name):
    assert device_name(device) == name
