"""What all transformers share: they tokenize with honest skips, identify themselves, and run batches of sequences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import BiasError, ModelError
from ..provenance import software_versions
from ..result import Skipped
from .alignment import Encoded, UnknownTokenWarning, check_texts, encode_batch
from .base import ModelKind
from .batching import BatchRunner, Packed, is_out_of_memory, packed_inputs
from .score_memo import ScoreMemo
from .source import ModelSource, device_of, first_sentence
from .tokenizer_file import TokenizerFile

Number = TypeVar("Number", bound=np.floating[Any])
Scored = TypeVar("Scored")

CPU_BATCH_TOKENS = 1536
"""Measured: a small encoder's activations stay in cache, and matrices are large enough for full speed."""
ACCELERATOR_BATCH_TOKENS = 32768

UNFIT = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors of a model that does not accept a trial input."""

UNKNOWN_SHARE = 0.2
UNKNOWN_MIN_TOKENS = 10


@dataclass(frozen=True, slots=True)
class SequenceInput:
    """One sequence to run through the model. ``type_ids`` are the segments of a pair, ``packed`` several in one."""

    ids: tuple[int, ...]
    type_ids: tuple[int, ...] | None = None
    packed: Packed | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """Sequences are batched in this order, so that a text has the same neighbours whatever the order of rows."""
        packed = (self.packed.prefix, self.packed.starts) if self.packed else ()
        return self.ids, self.type_ids or (), packed


class TransformerModel(ModelKind):
    """A transformer with its tokenizer: tokenizes and identifies itself. The subclasses score.

    Args:
        model: a transformers model on its device. It is read in evaluation mode, and left in the mode it is in.
        tokenizer: its tokenizer.
        source: where the model came from.
        batch_tokens: tokens per batch to start with, by default what was measured to be fast on the device.
        progress: show a progress bar for long runs.

    Attributes:
        warnings: caveats about this model found while scoring. Methods copy them into their results.
        remark_on_masks: what results on texts with masks say about how masks are read. It is set by the loader.
        memo: scores that were computed before, if several measurements share their passes. ``None`` keeps nothing.
    """

    checks_outputs = True
    _seen_tokens: int
    _unknown_tokens: int
    _warned: bool

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        source: ModelSource,
        *,
        batch_tokens: int | None = None,
        progress: bool = True,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.source = source
        self.warnings: list[str] = list(source.warnings)
        on_cpu = device_of(model).type == "cpu"
        self.default_budget = CPU_BATCH_TOKENS if on_cpu else ACCELERATOR_BATCH_TOKENS
        budget = self.default_budget if batch_tokens is None else batch_tokens
        self._runner = BatchRunner(budget, free_memory=_free_memory, progress=progress)
        self._embedded = _rows_of_embeddings(model)
        path = source.tokenizer_file
        self._tokenizer_file = None if path is None else TokenizerFile(path, tokenizer)
        self._watch_afresh()
        self.remark_on_masks = ""
        self.memo: ScoreMemo | None = None

    def __repr__(self) -> str:
        size = sum(p.numel() for p in self.model.parameters()) / 1e6
        return (
            f"{type(self).__name__}({self.name!r}, {type(self.model).__name__}, {size:,.1f} million parameters, "
            f"{self._dtype} on {device_of(self.model).type})"
        )

    @property
    def _dtype(self) -> str:
        return str(self.model.dtype).removeprefix("torch.")

    @property
    def name(self) -> str:
        """Short name for tables: the Hub id, or the folder's or file's name."""
        return self.source.name

    @property
    def max_tokens(self) -> int | None:
        """Longest sequence the model can read, special tokens included, or ``None`` if it has no limit."""
        limits = []
        positions = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        if isinstance(positions, int) and positions > 0:
            limits.append(positions - _reserved_positions(self.model))
        longest = self.tokenizer.model_max_length
        if longest is not None and longest < 10**6:
            limits.append(int(longest))
        return min(limits) if limits else None

    @property
    def pad_id(self) -> int:
        """Id of the padding token. One that was added only to the tokenizer is unknown to the model and not used."""
        pad = int(self.tokenizer.pad_token_id or 0)
        return pad if self._embedded is None or pad < self._embedded else 0

    @property
    def is_uncased(self) -> bool:
        """True if the tokenizer discards letter case, found by trying it or else from its vocabulary."""
        upper, lower = (
            self.tokenizer(text, add_special_tokens=False)["input_ids"]
            for text in ("HELLO Anna", "hello anna")
        )
        if self.tokenizer.unk_token_id not in lower:
            return bool(upper == lower)
        special_tokens = set(self.tokenizer.all_special_tokens)
        return all(token in special_tokens or token == token.lower() for token in self.tokenizer.get_vocab())

    def provenance(self) -> Mapping[str, Any]:
        """Return what identifies the model: source, revision or weights' sha256, classes, dtype, versions."""
        return {
            **self.source.identity(self.model),
            "architecture": type(self.model).__name__,
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "dtype": self._dtype,
            **({"case": "lower"} if self.is_uncased else {}),
            "device": device_of(self.model).type,
            "tokenizer": type(self.tokenizer).__name__,
            "versions": software_versions("torch", "transformers", "tokenizers"),
        }

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Tokenize texts.

        Returns:
            One item per text, in order: its tokens, or a :class:`~evaluate_bias.Skipped` with the reason
            (empty, no token, longer than the model's limit). Nothing is ever truncated.

        Raises:
            InputError: ``texts`` is one string, or an item is not a string.
        """
        return self._checked(encode_batch(self.tokenizer, check_texts(texts)))

    def _checked(self, items: Sequence[Encoded | Skipped]) -> list[Encoded | Skipped]:
        """Replace what the model cannot read with a skip, and warn of a large share of unknown tokens."""
        self._compare_tokens([item.text for item in items if isinstance(item, Encoded) and not item.type_ids])
        limit, unknown = self.max_tokens, self.tokenizer.unk_token_id
        out: list[Encoded | Skipped] = []
        for item in items:
            if isinstance(item, Encoded):
                self._seen_tokens += len(item.positions)
                self._unknown_tokens += sum(token == unknown for token in item.tokens)
                if self._embedded is not None and max(item.ids) >= self._embedded:
                    raise ModelError(
                        f"the tokenizer does not belong to {self.name}: it gives token {max(item.ids)}, and the model "
                        f"has {self._embedded}"
                    )
                if limit is not None and len(item.ids) > limit:
                    reason = f"{len(item.ids)} tokens, more than the {limit} that {self.name} can read"
                    item = Skipped(item.text, reason)
            out.append(item)
        self._warn_if_unknown()
        return out

    def _compare_tokens(self, texts: Sequence[str]) -> None:
        """Warn once if texts are not split as ``tokenizer.json`` says, or masks are read differently."""
        remarks = []
        if self._tokenizer_file is not None:
            self._tokenizer_file.compare(texts)
            remarks.append(self._tokenizer_file.difference)
        if self.remark_on_masks and any(str(self.tokenizer.mask_token) in text for text in texts):
            remarks.append(self.remark_on_masks)
        for remark in filter(None, remarks):
            self._warn_once(f"{self.name}: {remark}")

    def _warn_once(self, text: str) -> None:
        """Add a warning to the current results. Later results get it again if it applies to them."""
        if text not in self.warnings:
            self.warnings.append(text)

    def _warn_if_unknown(self) -> None:
        seen, unknown = self._seen_tokens, self._unknown_tokens
        if self._warned or seen < UNKNOWN_MIN_TOKENS or unknown < UNKNOWN_SHARE * seen:
            return
        text = (
            f"{self.name}: {unknown} of {seen} tokens are unknown to the tokenizer "
            f"({type(self.tokenizer).__name__}), so the scores say little about the text. Likely cause: the model's "
            "vocabulary does not cover this language or script, or the tokenizer is of the wrong class (then load the "
            "right one, transformers.BertTokenizerFast for a vocab.txt, and pass the pair (model, tokenizer))."
        )
        self._warned = True
        self.warnings.append(text)
        warnings.warn(text, UnknownTokenWarning, stacklevel=4)

    def _run(
        self,
        lengths: Sequence[int],
        score: Callable[[list[int]], Sequence[Scored]],
        label: str,
        budget: int | None = None,
    ) -> list[Scored]:
        """Run batches with the model in evaluation mode. What the model itself raises becomes our error."""
        with self._external_errors():
            padding = len(set(lengths)) < 2 or self._ignores_padding
            return self._runner.run(lengths, score, label=label, budget=budget, padding=padding)

    @contextmanager
    def _external_errors(self) -> Iterator[None]:
        """Run the model in evaluation mode and turn what it raises into our error."""
        try:
            with evaluating(self.model):
                yield
        except (ArithmeticError, AssertionError, *UNFIT) as error:
            if isinstance(error, BiasError) or is_out_of_memory(error):
                raise
            raise ModelError(f"{self.name} cannot be run: {first_sentence(error)}") from error

    @cached_property
    def _ignores_padding(self) -> bool:
        """True if texts of different lengths may share a batch. Some architectures (FNet, ConvBERT) mix padding in."""
        return ignores_padding(self)

    def _outputs(self, sequences: Sequence[Sequence[int]]) -> Any:
        """Return what the model gives at every position of one batch: logits, or states if it has no head."""
        import torch

        with evaluating(self.model), torch.inference_mode():
            out = self.model(**self._inputs([SequenceInput(tuple(ids)) for ids in sequences]))
            return out[0] if getattr(out, "logits", None) is None else out.logits

    def _finite(self, values: NDArray[Number]) -> NDArray[Number]:
        """Give back what was read from the model, or refuse it.

        A log-probability is NaN or infinite where any logit of its row is NaN or +inf, or its own is -inf. A
        -inf elsewhere in the row (a token that the model rules out) does no harm. So this checks what is read and
        never the whole vocabulary.
        """
        if not np.isfinite(values).all():
            cause = (
                "its weights have probably diverged in training, or overflowed when they were saved in half precision"
                if self._dtype == "float32"
                else f"it probably overflows in {self._dtype}, so set the loading option `dtype` to 'float32'. If that "
                "changes nothing, its weights have diverged in training"
            )
            raise ModelError(f"{self.name} returns NaN or infinite numbers, which cannot be scored: {cause}")
        return values

    @contextmanager
    def separate_warnings(self) -> Iterator[None]:
        """Collect, inside the block, only the warnings that a freshly loaded model would give.

        Afterwards the earlier warnings are there again too.
        """
        earlier_warnings, before = [*self.warnings], (self._seen_tokens, self._unknown_tokens, self._warned)
        self.warnings[:] = self.source.warnings  # in place: what is inside this model may share the list
        self._watch_afresh()
        try:
            yield
        finally:
            self.warnings[:] = dict.fromkeys((*earlier_warnings, *self.warnings))
            self._seen_tokens, self._unknown_tokens, self._warned = before

    def _watch_afresh(self) -> None:
        """Forget which tokens have been seen."""
        self._seen_tokens = self._unknown_tokens = 0
        self._warned = False

    def _run_units(
        self,
        units: Sequence[SequenceInput],
        score: Callable[[list[SequenceInput]], Sequence[Scored]],
        label: str,
        budget: int | None = None,
    ) -> list[Scored]:
        """Score sequences, equal ones once, in batches that do not depend on the order of the rows."""
        distinct = sorted(dict.fromkeys(units), key=lambda unit: unit.place)
        lengths = [len(unit.ids) for unit in distinct]
        scored = self._run(lengths, lambda batch: score([distinct[k] for k in batch]), label, budget)
        by_unit = dict(zip(distinct, scored, strict=True))
        return [by_unit[unit] for unit in units]

    def _remembered(
        self,
        kind: str,
        requests: Sequence[Any],
        compute: Callable[[list[int]], list[NDArray[Number]]],
    ) -> list[NDArray[Number]]:
        """Return one array for each request. Requests that were computed before come from the memo."""
        if self.memo is None:
            return compute(list(range(len(requests))))
        return self.memo.scores(kind, requests, compute)

    def _inputs(self, units: Sequence[SequenceInput]) -> dict[str, Any]:
        """Return the batch as tensors, padded on the right, with an attention mask only if something is padded."""
        import torch

        if any(unit.packed for unit in units):
            packed = [unit.packed or Packed(unit.ids, 0, (0,)) for unit in units]
            tensors = {
                key: torch.from_numpy(array) for key, array in packed_inputs(packed, self.pad_id).items()
            }
        else:
            tensors = {"input_ids": padded([unit.ids for unit in units], self.pad_id)}
            if len({len(unit.ids) for unit in units}) > 1:
                tensors["attention_mask"] = padded([[1] * len(unit.ids) for unit in units], 0)
            types = [unit.type_ids or (0,) * len(unit.ids) for unit in units]
            if any(map(any, types)) and getattr(self.model.config, "type_vocab_size", 0) > 1:
                tensors["token_type_ids"] = padded(types, 0)
        tensors = {key: tensor.to(device_of(self.model)) for key, tensor in tensors.items()}
        mask = tensors.get("attention_mask")
        if mask is not None and mask.dtype is torch.bool:
            # Who sees whom: transformers wants what is to be added to the attention scores.
            lowest = torch.finfo(self.model.dtype).min
            tensors["attention_mask"] = torch.where(mask, 0.0, lowest).to(self.model.dtype)
        return tensors


def padded(rows: Sequence[Sequence[int]], fill: int, side: str = "right") -> Any:
    """Return rows as a tensor, padded to one length on one side."""
    import torch

    tensors = [torch.tensor(row) for row in rows]
    return torch.nn.utils.rnn.pad_sequence(tensors, True, fill, padding_side=side)


def _rows_of_embeddings(model: Any) -> int | None:
    try:
        return int(model.get_input_embeddings().weight.shape[0])
    except (AttributeError, NotImplementedError):  # an architecture that keeps them elsewhere
        return None


def _reserved_positions(model: Any) -> int:
    """Return how many position embeddings RoBERTa-like models never use: they count from the padding index + 1."""
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    return 0 if padding is None else int(padding) + 1


def _free_memory() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Read the model without dropout, and leave every part of it in the mode it was in."""
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True


@contextmanager
def eager_attention(model: Any) -> Iterator[None]:
    """Let the model return its attention weights, which fused attention kernels never compute."""
    before = model.config._attn_implementation
    if before == "eager":
        yield
        return
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(before)


# --- what every transformer is tried on once, with a few tokens ---------------------------------------------------


def trial_ids(lm: Any, n: int) -> tuple[int, ...]:
    """Return ``n`` tokens from all over the vocabulary, none special, the same for all vocabularies of a size."""
    special = set(lm.tokenizer.all_special_ids)
    plain = [token for token in range(lm._embedded or len(lm.tokenizer)) if token not in special]
    return tuple(plain[k * (len(plain) - 1) // n] for k in range(n))


def is_close(values: Any, reference: Any, dtype: Any) -> bool:
    """True if numbers that a model computes in two ways agree up to rounding in its dtype."""
    import torch

    tolerance = 5 * torch.finfo(dtype).eps ** 0.75
    size = 1 + float(reference[reference.isfinite()].abs().max())
    # Tokens that the model rules out are -inf in both.
    difference = (values - reference).masked_fill(values == reference, 0.0).abs().max()
    return bool(float(difference) <= tolerance * size)


def quantises_by_batch(model: Any) -> bool:
    """True if torch quantises activations while the model runs: numbers then depend on everything in a batch."""
    return any(type(m).__module__.startswith("torch.ao.nn.quantized.dynamic") for m in model.modules())


def ignores_padding(lm: Any) -> bool:
    """True if a text's numbers are the same next to a longer one, which pads it."""
    long = trial_ids(lm, 7)
    short = long[:4]
    try:
        padded, alone = lm._outputs([long, short])[1, :4], lm._outputs([short])[0]
        return padded.shape == alone.shape and is_close(padded, alone, lm.model.dtype)
    except UNFIT:
        return False


def reads_left_to_right(lm: Any) -> bool:
    """True if no position's logits depend on the tokens after it."""
    if quantises_by_batch(lm.model):
        return True  # which its numbers cannot show
    ids = trial_ids(lm, 10)
    one, other = (lm._outputs([ids[:4] + later])[0] for later in (ids[4:7], ids[7:]))
    lm._finite(one.float().logsumexp(dim=-1).cpu().numpy())
    return is_close(other[:4], one[:4], lm.model.dtype)
