"""Scores of a model that its units share, on disk until the model is done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from ..files import atomic_write
from .plan import ModelTask
from .unit import Unit


class SharedScores:
    """Scores that units of a model leave to those after them.

    A run that goes on after a killed one takes them over, and so computes what is missing in the same batches: its
    numbers are those of a run that was not killed, to the last bit.

    Args:
        store: the file of the store; the folder of the scores stands beside it.
    """

    def __init__(self, store: Path) -> None:
        self._folder = store.with_name(f"{store.stem}.scores")

    def _path(self, model: ModelTask, unit: Unit) -> Path:
        return self._folder / f"{model.key}-{unit.key}.npz"

    def read(self, model: ModelTask) -> tuple[bytes, ...]:
        """The scores that the units of a model have left."""
        scores = []
        for unit in model.units:
            with contextlib.suppress(FileNotFoundError):  # none, or another run is done with the model
                scores.append(self._path(model, unit).read_bytes())
        return tuple(scores)

    def add(self, model: ModelTask, unit: Unit, scores: bytes) -> None:
        """Write the scores of a unit; after the last unit of a model nobody needs them."""
        if unit.key == model.units[-1].key:
            self._remove(model)
        elif scores:
            atomic_write(self._path(model, unit), scores)

    def _remove(self, model: ModelTask) -> None:
        for unit in model.units:
            with contextlib.suppress(OSError):  # there are none
                self._path(model, unit).unlink()

    def clear(self, models: Iterable[ModelTask]) -> None:
        """Remove all scores of these models; no other run may be about to write some."""
        for model in models:
            self._remove(model)
        with contextlib.suppress(OSError):  # there is no folder, or it has scores of another grid
            self._folder.rmdir()
