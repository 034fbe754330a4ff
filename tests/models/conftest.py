"""A tiny masked model as a folder: one that no test changes, and a copy for tests that do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.tiny_models import tiny_masked


@pytest.fixture(scope="session")
def saved_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models") / "tiny"
    for part in tiny_masked("bert"):
        part.save_pretrained(place)
    return place


@pytest.fixture
def bert_folder(saved_bert: Path, tmp_path: Path) -> Path:
    return shutil.copytree(saved_bert, tmp_path / "tiny")
