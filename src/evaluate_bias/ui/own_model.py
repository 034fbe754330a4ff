"""A model of the person at this machine, offered first in every tab that it fits."""

from __future__ import annotations

from typing import Any

from ..models.base import CAPABILITIES
from ..models.load import load_model
from .pool import ModelPool, OwnModel, kinds_for, load_for_visitor


def pool_with(spec: Any) -> ModelPool:
    """Return a pool that also lends a model of this machine: a folder, a file, whatever ``load_model`` takes.

    For pages that only its owner sees: what visitors may name is what it was.

    Raises:
        BiasError: it cannot be loaded.

    Examples:
        >>> pool_with({"she": [1.0, 0.0]}).users_model
        OwnModel(name='mapping', kinds=('word vectors', 'sentence encoder'))
    """
    model = load_model(spec)
    needs = [name for capability, (name, _) in CAPABILITIES.items() if isinstance(model, capability)]
    # The first kind that has a capability is the one it is typical of.
    kinds = tuple(dict.fromkeys(kind for need in needs for kind in kinds_for((need,))[:1]))
    name = str(model.name)
    pool = ModelPool(load=lambda text: model if text == name else load_for_visitor(text))
    pool.users_model = OwnModel(name, kinds)
    return pool
