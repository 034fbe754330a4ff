"""A tiny masked model as a folder, one that no test changes and a copy for tests that do; and what a model computes."""

from __future__ import annotations

import shutil

import pytest

from tests.support.tiny_models import tiny_masked


@pytest.fixture(scope="session")
def saved_bert(tmp_path_factory):
    place = tmp_path_factory.mktemp("models") / "tiny"
    for part in tiny_masked("bert"):
        part.save_pretrained(place)
    return place


@pytest.fixture
def bert_folder(saved_bert, tmp_path):
    return shutil.copytree(saved_bert, tmp_path / "tiny")


@pytest.fixture
def computed(monkeypatch):
    """Lists the sequences that go through a model from now on."""

    def watch(model):
        sequences: list[tuple[int, ...]] = []
        inputs = model._inputs
        monkeypatch.setattr(
            model, "_inputs", lambda units: sequences.extend(unit.ids for unit in units) or inputs(units)
        )
        return sequences

    return watch
