"""Without the Hub: one sentence, one traceback, and no guess at what the name may have meant."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from evaluate_bias.errors import HubError, ModelError, UnknownNameError
from evaluate_bias.hub.publish import plan_publication
from evaluate_bias.models.load import load_model


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))


@pytest.mark.parametrize("name", ["bert-base-uncasde", "albert-base-v2", "roberta-base", "nobody/nothing"])
def test_a_model_that_cannot_be_asked_for(name: str) -> None:
    with pytest.raises(ModelError, match="the Hub cannot be reached") as failed:
        load_model(name)
    assert "did you mean" not in str(failed.value)
    assert "".join(traceback.format_exception(failed.value)).count("Traceback") == 1


def test_publishing() -> None:
    with pytest.raises(HubError, match="HF_HUB_OFFLINE forbids requests") as failed:
        plan_publication(["modules"], ["weat"])
    assert "".join(traceback.format_exception(failed.value)).count("Traceback") == 1


def test_only_what_is_near_is_offered() -> None:
    known = ["albert-kor-base", "glove-6b-50d", "crows_pairs"]
    assert "choose from" in str(UnknownNameError("asset", "bert-base-uncasde", known))
    assert "did you mean 'glove-6b-50d'?" in str(UnknownNameError("asset", "glove-6b-50", known))
