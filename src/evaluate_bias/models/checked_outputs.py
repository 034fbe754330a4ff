"""Every number that a method reads is finite, whoever made the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, quoted
from ..result import Skipped
from .base import ScoringEndpoints, capability_endpoints

_READS = (
    "answer_scores",
    "attended_logprobs",
    "embed_in_context",
    "embed_words",
    "inference_probabilities",
    "mask_distributions",
    "masked_logprobs",
    "next_sentence_logprobs",
    "pseudo_logprobs",
    "sequence_logprobs",
    "token_logprobs",
)
"""What gives numbers."""


def checked_outputs(model: Any) -> Any:
    """The model, behind a check of its numbers where it is not one of ours, which check them where they arise.

    Raises:
        ModelError: on reading, a number is NaN or infinite.
    """
    from .engine import TransformerModel
    from .static import StaticVectors

    if isinstance(model, (TransformerModel, StaticVectors)):
        return model
    endpoints = {name: _check_method(name) for name in _READS if hasattr(model, name)}
    if not endpoints:
        return model
    # What else makes a capability, which only a class can have.
    endpoints |= {name: _pass_on(name) for name in capability_endpoints() - {*_READS} if hasattr(model, name)}
    return type("Finite", (ScoringEndpoints,), endpoints)(model)


def _pass_on(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: getattr(self._model, name)(*args, **kwargs)


def _check_method(name: str) -> Callable[..., Any]:
    def checked_read(self: ScoringEndpoints, *args: Any, **kwargs: Any) -> Any:
        outputs = getattr(self._model, name)(*args, **kwargs)
        # A token that the model rules out has -inf in a distribution.
        ruled_out = name == "mask_distributions"
        if not all(
            _is_finite(part, ruled_out) for part in (outputs[:1] if name == "embed_words" else outputs)
        ):
            raise ModelError(
                f"{quoted(self.name)} returns NaN or infinite numbers ({name}), which cannot be scored"
            )
        return outputs

    return checked_read


def _is_finite(part: Any, ruled_out: bool) -> bool:
    if isinstance(part, Skipped):
        return True
    numbers = np.asarray(part)
    if numbers.dtype.kind not in "fiu":
        numbers = numbers.astype(np.float64)
    finite = np.isfinite(numbers)
    return bool(finite.all() or (ruled_out and (finite | np.isneginf(numbers)).all()))
