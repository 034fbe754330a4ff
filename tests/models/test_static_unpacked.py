"""Compressed vectors are unpacked once, whatever is asked of them later."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from evaluate_bias.errors import ModelError
from evaluate_bias.models._vectors import streams
from evaluate_bias.models.static import StaticVectors

from ..support import vector_files as write

VECTORS = {f"word{i}": np.array([i, -i, i / 2], dtype=np.float32) for i in range(50)}


@pytest.fixture(params=["glove", "word2vec_binary"])
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name = {"glove": "v.txt", "word2vec_binary": "v.bin"}[request.param]
    return write.compressed(tmp_path / f"{name}.gz", getattr(write, request.param)(tmp_path / name, VECTORS))


def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    seen: list[Path] = []
    plain = streams.gzip.open

    def noted(path: Path, mode: str) -> Any:
        seen.append(path)
        return plain(path, mode)

    monkeypatch.setattr(streams.gzip, "open", noted)
    return seen


def test_later_words_do_not_unpack_the_file_again(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = StaticVectors(packed)
    seen = opened(monkeypatch)
    for word, vector in VECTORS.items():
        assert np.array_equal(vectors.vector(word), vector)
    assert list(vectors.words) == list(VECTORS)
    assert len(seen) == 1


def test_two_readers_of_one_file_do_not_move_each_other(packed: Path) -> None:
    vectors = StaticVectors(packed)
    assert len(vectors) == len(VECTORS)
    first, second = iter(vectors.words), iter(vectors.words)
    assert [(next(first), next(second), vectors.vector(word)[0]) for word in VECTORS] == [
        (word, word, vector[0]) for word, vector in VECTORS.items()
    ]


def test_without_room_it_is_said(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = MagicMock()
    full.write.side_effect = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(streams.tempfile, "TemporaryFile", lambda **_: full)
    with pytest.raises(ModelError, match=r"\.gz cannot be read: No space left on device"):
        StaticVectors(packed).vector("word3")
