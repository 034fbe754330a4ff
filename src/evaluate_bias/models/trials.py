"""What every transformer is tried on once, with a few tokens: whether padding or later tokens change its numbers."""

from __future__ import annotations

from typing import Any

UNFIT = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a model raises that does not accept what it is tried with."""


def trial_ids(lm: Any, n: int) -> tuple[int, ...]:
    """``n`` tokens from all over the vocabulary, none of them special, the same for every model of its size."""
    special = set(lm.tokenizer.all_special_ids)
    plain = [token for token in range(lm._embedded or len(lm.tokenizer)) if token not in special]
    return tuple(plain[k * (len(plain) - 1) // n] for k in range(n))


def is_close(values: Any, reference: Any, dtype: Any) -> bool:
    """Whether numbers that a model computes in two ways agree up to rounding in its dtype."""
    import torch

    tolerance = 5 * torch.finfo(dtype).eps ** 0.75
    size = 1 + float(reference[reference.isfinite()].abs().max())
    # Tokens that the model rules out are -inf in both.
    difference = (values - reference).masked_fill(values == reference, 0.0).abs().max()
    return bool(float(difference) <= tolerance * size)


def quantises_by_batch(model: Any) -> bool:
    """Whether torch quantises activations while the model runs: numbers then depend on all that is in a batch."""
    return any(type(m).__module__.startswith("torch.ao.nn.quantized.dynamic") for m in model.modules())


def ignores_padding(lm: Any) -> bool:
    """Whether a text's numbers are the same beside a longer one, which pads it."""
    long = trial_ids(lm, 7)
    short = long[:4]
    try:
        padded, alone = lm._outputs([long, short])[1, :4], lm._outputs([short])[0]
        return padded.shape == alone.shape and is_close(padded, alone, lm.model.dtype)
    except UNFIT:
        return False


def reads_left_to_right(lm: Any) -> bool:
    """Whether the logits at no position depend on the tokens after it."""
    if quantises_by_batch(lm.model):
        return True  # which its numbers cannot show
    ids = trial_ids(lm, 10)
    one, other = (lm._outputs([ids[:4] + later])[0] for later in (ids[4:7], ids[7:]))
    lm._finite(one.float().logsumexp(dim=-1).cpu().numpy())
    return is_close(other[:4], one[:4], lm.model.dtype)
