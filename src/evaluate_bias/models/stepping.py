"""The next tokens of texts that grow: from the model's own cache where that proves right, else from whole passes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .engine import SequenceInput, evaluating
from .source import device_of
from .trials import UNFIT, is_close, trial_ids

_CACHES = ("cache", "past_key_values", "cache_params")
"""What transformers calls the cache, as an argument and in what a model returns, newest name first."""


class Stepping(NamedTuple):
    """How a model writes, as a trial has proven it.

    Attributes:
        cached: with its cache, or with a whole pass for every token.
        mixes_lengths: whether prompts of different lengths share a batch, padded on the left.
        masks_steps: whether the padding is masked at every step, or only while the prompts are read.
    """

    cached: bool
    mixes_lengths: bool
    masks_steps: bool = False

    def steps(self, lm: Any) -> CachedSteps | WholeSteps:
        """Rows of the model that grow in this way."""
        return CachedSteps(lm, self) if self.cached else WholeSteps(lm)


class CachedSteps:
    """Rows that the model's cache remembers: each step reads one more token of each.

    Where lengths are mixed, positions are counted from each prompt's first token.
    """

    def __init__(self, lm: Any, stepping: Stepping) -> None:
        self.model, self.pad, self.stepping = lm.model, lm.pad_id, stepping
        self.parameters = inspect.signature(lm.model.forward).parameters
        self.name = next(name for name in _CACHES if name in self.parameters)
        self.cache: Any = None

    def begin(self, prompts: Sequence[Sequence[int]]) -> Any:
        """Read the prompts, a row each: logits of shape (rows, vocabulary) of what comes next."""
        import torch

        ids, mask = (torch.from_numpy(a).to(device_of(self.model)) for a in _left_padded(prompts, self.pad))
        self.mask, self.lengths = mask, mask.sum(1)
        return self._forward(ids, mask, (mask.cumsum(1) - 1).clamp(min=0))

    def take(self, rows: Sequence[int]) -> None:
        """Go on with these rows, any of them several times."""
        import torch

        index = torch.tensor(rows, device=device_of(self.model))
        self.mask, self.lengths = self.mask[index], self.lengths[index]
        # What beam search does, which every kind of cache can.
        self.cache.reorder_cache(index)

    def append(self, tokens: Any) -> Any:
        """Add a token to each row: logits of what comes next."""
        import torch

        self.mask = torch.cat([self.mask, torch.ones_like(self.mask[:, :1])], dim=1)
        self.lengths = self.lengths + 1
        mask = self.mask if self.stepping.masks_steps else None
        return self._forward(tokens[:, None], mask, self.lengths[:, None] - 1)

    def _forward(self, ids: Any, mask: Any, positions: Any) -> Any:
        more: dict[str, Any] = {"logits_to_keep": 1}
        if self.stepping.mixes_lengths:
            more |= {"attention_mask": mask, "position_ids": positions}
        known = {name: value for name, value in more.items() if name in self.parameters}
        out = self.model(input_ids=ids, use_cache=True, **{self.name: self.cache}, **known)
        self.cache = getattr(out, self.name)
        return out.logits[:, -1]


class WholeSteps:
    """Rows that are read anew at every step, the way that likelihoods are; equal rows once."""

    def __init__(self, lm: Any) -> None:
        self.lm = lm

    def begin(self, prompts: Sequence[Sequence[int]]) -> Any:
        """Read the prompts, a row each: logits of shape (rows, vocabulary) of what comes next."""
        self.rows = [tuple(prompt) for prompt in prompts]
        return self._logits()

    def take(self, rows: Sequence[int]) -> None:
        """Go on with these rows, any of them several times."""
        self.rows = [self.rows[row] for row in rows]

    def append(self, tokens: Any) -> Any:
        """Add a token to each row: logits of what comes next."""
        self.rows = [(*row, token) for row, token in zip(self.rows, tokens.tolist(), strict=True)]
        return self._logits()

    def _logits(self) -> Any:
        import torch

        distinct = {row: k for k, row in enumerate(dict.fromkeys(self.rows))}
        ends = [(k, len(row) - 1) for row, k in distinct.items()]
        states, _ = self.lm._states_at([SequenceInput(row) for row in distinct], ends)
        logits = torch.cat(self.lm._per_chunk(states, lambda values, _: values))
        return logits[[distinct[row] for row in self.rows]]


def proven_stepping(lm: Any) -> Stepping:
    """The fastest way of writing whose logits are those of whole passes, tried on two short prompts.

    The trial repeats a prompt, drops a row and adds two tokens, as writing does.
    """
    import torch

    with evaluating(lm.model), torch.inference_mode():
        if any(name in inspect.signature(lm.model.forward).parameters for name in _CACHES):
            for stepping in (Stepping(True, True, True), Stepping(True, True), Stepping(True, False)):
                if _proven(lm, stepping):
                    return stepping
    return Stepping(False, lm._ignores_padding)


def _proven(lm: Any, stepping: Stepping) -> bool:
    import torch

    ids, start = trial_ids(lm, 16), lm._bos_id("auto")
    first = () if start is None else (start,)
    prompts = [first + ids[:6], first + (ids[6:8] if stepping.mixes_lengths else ids[6:12])]
    cached, rows = stepping.steps(lm), prompts
    tokens = torch.tensor(ids[12:], device=device_of(lm.model))
    try:
        logits = cached.begin(rows)
        for places, new in (([0, 1, 1], tokens[:3]), ([2, 0], tokens[2:])):
            if not _same(lm, logits, rows):
                return False
            cached.take(places)
            rows = [(*rows[k], int(token)) for k, token in zip(places, new, strict=True)]
            logits = cached.append(new)
        return _same(lm, logits, rows)
    except UNFIT:
        return False


def _same(lm: Any, logits: Any, rows: Sequence[Sequence[int]]) -> bool:
    """Whether logits are those of a pass over each row by itself."""
    import torch

    return is_close(logits, torch.stack([lm._outputs([row])[0, -1] for row in rows]), lm.model.dtype)


def _left_padded(prompts: Sequence[Sequence[int]], pad: int) -> tuple[Any, Any]:
    """Ids and mask, each of shape (prompts, longest)."""
    longest = max(map(len, prompts))
    ids = np.full((len(prompts), longest), pad, dtype=np.int64)
    mask = np.zeros_like(ids)
    for k, tokens in enumerate(prompts):
        ids[k, longest - len(tokens) :] = tokens
        mask[k, longest - len(tokens) :] = 1
    return ids, mask
