"""How models of transformers complete prompts: masked ones fill the blank, causal ones continue the text before it."""

from __future__ import annotations

import inspect
import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError
from ..result import Skipped
from .alignment import Encoded, check_texts
from .completions import BLANK, WORD, Completions, GenerationSettings, Reply, first_word, text_before_blank
from .engine import UNFIT, SequenceInput, evaluating, is_close, padded, trial_ids
from .source import device_of

_DISTRIBUTIONS = 1 << 25
"""Most probabilities, prompts times vocabulary, that are in memory at one time."""
CPU_BYTES, ACCELERATOR_BYTES = 2**30, 2**33
"""Most memory that keys, values and logits of a batch need, as a rule."""
_CACHES = ("cache", "past_key_values", "cache_params")
"""What transformers calls the cache, as an argument and in what a model returns, newest name first."""
_WHOLE_WORD = re.compile(rf"[^\w]*{WORD.pattern}[^\w'’-]")


# -- masked models ---------------------------------------------------------------------------------------------------


def fill_prompts(
    model: Any,
    prompts: Sequence[str],
    settings: GenerationSettings,
    request: Callable[[Encoded, tuple[int, ...]], Any],
) -> list[Completions | Skipped]:
    """Return the most likely fills of every prompt's blank, most likely first. Special tokens do not count as fills.

    A fill is one token of the vocabulary, as in the published code. It can be a subword or a punctuation mark. Of
    equally likely tokens, the first in the vocabulary counts.

    Args:
        model: fills masks, with the tokens of its tokenizer.
        prompts: texts with one blank :data:`BLANK`.
        settings: of which ``n`` counts here.
        request: makes the model's request for the mask at a position of a text.

    Returns:
        For each prompt its fills, or why it has none.

    Raises:
        InputError: the vocabulary has fewer tokens than the requested fills.
    """
    texts = check_texts(prompts, "prompts")
    special = sorted(set(model.tokenizer.all_special_ids))
    if settings.n > len(model.tokenizer) - len(special):
        raise InputError(
            f"`k` must be at most {len(model.tokenizer) - len(special)}, the number of tokens of {model.name}, got "
            f"{settings.n}",
            option="k",
        )
    answers: dict[str, Completions | Skipped] = {
        prompt: Skipped(prompt, f"it has {prompt.count(BLANK)} blanks {BLANK}, not one") for prompt in texts
    }
    one_blank = [prompt for prompt in answers if prompt.count(BLANK) == 1]
    encoded = model.encode([prompt.replace(BLANK, model.mask_token) for prompt in one_blank])
    requests: dict[str, Any] = {}
    for prompt, item in zip(one_blank, encoded, strict=True):
        if isinstance(item, Skipped):
            answers[prompt] = Skipped(prompt, item.reason)
        elif len(masks := model.mask_positions(item)) != 1:
            answers[prompt] = Skipped(prompt, f"the model finds {len(masks)} masks in it, not one")
        else:
            requests[prompt] = request(item, tuple(masks))
    answers |= _likeliest_fills(model, requests, settings.n, special)
    return [answers[prompt] for prompt in texts]


def _likeliest_fills(
    model: Any, requests: Mapping[str, Any], n: int, special: Sequence[int]
) -> dict[str, Completions]:
    """Return the ``n`` most likely tokens at the mask of each prompt, in that order, without special ones."""
    tokenizer = model.tokenizer
    prompts, at_once = list(requests), max(1, _DISTRIBUTIONS // len(tokenizer))
    fills: dict[str, Completions] = {}
    for start in range(0, len(prompts), at_once):
        chunk = prompts[start : start + at_once]
        distributions = model.mask_distributions([requests[prompt] for prompt in chunk])
        for prompt, rows in zip(chunk, distributions, strict=True):
            scores = np.array(rows[0], dtype=np.float64)
            scores[[token for token in special if token < len(scores)]] = -np.inf
            likeliest = np.argsort(-scores[: len(tokenizer)], kind="stable")[:n]
            fills[prompt] = [str(tokenizer.decode([int(token)])).strip() for token in likeliest]
    return fills


# -- causal models ---------------------------------------------------------------------------------------------------


def continue_prompts(
    model: Any, prompts: Sequence[str], settings: GenerationSettings
) -> list[Completions | Skipped]:
    """Return what a causal model writes after every prompt, with equal prompts computed once.

    Prompts of similar length are run together, padded on the left, and positions are counted from each prompt's first
    token. Models that cannot be told positions get prompts of one length at a time. A batch that does not fit
    into memory is halved.

    Args:
        model: the model.
        prompts: texts with one blank :data:`BLANK` at the end, or none.
        settings: how they are continued.

    Returns:
        For each prompt its completions, or why it has none: it cannot be read, or it leaves no room for
        ``max_new_tokens``. A completion is empty if the model ends the text at once.
    """
    texts = check_texts(prompts, "prompts")
    befores = {prompt: text_before_blank(prompt) for prompt in dict.fromkeys(texts)}
    encoded = {p: model.encode([b])[0] if isinstance(b, str) else b for p, b in befores.items()}
    written = written_after(model, encoded, settings, 0)
    one_word = settings.unit == "word"
    return [
        w
        if isinstance(w := written[p], Skipped)
        else [first_word(one.text) if one_word else one.text for one in w]
        for p in texts
    ]


def written_after(
    model: Any, encoded: Mapping[str, Encoded | Skipped], settings: GenerationSettings, alternatives: int
) -> dict[str, list[Reply] | Skipped]:
    """Return what a causal model writes after tokenized prompts, or why nothing, see :func:`continue_prompts`.

    Args:
        model: the model.
        encoded: every prompt with its tokens.
        settings: how they are continued. Each text is given whole.
        alternatives: how many of the most likely first tokens are given with their log-probabilities.
    """
    answers: dict[str, list[Reply] | Skipped] = {}
    readable: list[tuple[str, Encoded]] = []
    for prompt, item in encoded.items():
        if isinstance(item, Skipped):
            answers[prompt] = Skipped(prompt, item.reason)
        elif model.max_tokens is not None and len(item.ids) + settings.max_new_tokens > model.max_tokens:
            reason = (
                f"{len(item.ids)} tokens and {settings.max_new_tokens} new ones are more than the "
                f"{model.max_tokens} that {model.name} can read"
            )
            answers[prompt] = Skipped(prompt, reason)
        else:
            readable.append((prompt, item))
    stepping = model.stepping

    def group_of(one: tuple[str, Encoded]) -> int:
        return 0 if stepping.mixes_lengths else len(one[1].ids)

    # In the order of their tokens, so that the order of rows changes no batch.
    readable.sort(key=lambda one: (group_of(one), one[1].ids))
    for _, members in groupby(readable, key=group_of):
        names, group = zip(*members, strict=True)
        costs = [_cost(model, len(item.ids), settings) for item in group]

        def run(batch: list[int], group: Sequence[Encoded] = group) -> list[list[Reply]]:
            return _Decoder(model, [group[i] for i in batch], settings, alternatives).run()

        answers |= zip(names, model._run(costs, run, "generating"), strict=True)
    return answers


def _cost(model: Any, length: int, settings: GenerationSettings) -> int:
    """Return the tokens that a prompt adds to a pass, or more if its cache would fill the memory first."""
    tokens = (length + settings.max_new_tokens) * settings.n
    if not model.stepping.cached:
        return tokens
    on_cpu = device_of(model.model).type == "cpu"
    memory = tokens * _bytes_per_token(model) + settings.n * 4 * len(model.tokenizer)
    share = memory / (CPU_BYTES if on_cpu else ACCELERATOR_BYTES)
    return int(max(length, settings.n, math.ceil(share * model.default_budget)))


def _bytes_per_token(model: Any) -> int:
    """Return the bytes that keys and values of all layers need per token, at most: some layers may keep fewer."""
    config = model.model.config.get_text_config()
    heads = getattr(config, "num_attention_heads", 1)
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    heads = getattr(config, "num_key_value_heads", None) or heads
    return int(2 * model.layer_count * heads * width * model.model.dtype.itemsize)


class _Decoder:
    """Continues each prompt ``settings.n`` times: one row per continuation, with the rows of a prompt adjacent."""

    def __init__(
        self, model: Any, prompts: Sequence[Encoded], settings: GenerationSettings, alternatives: int
    ) -> None:
        self.lm, self.settings, self.alternatives = model, settings, alternatives
        self.tokenizer = model.tokenizer
        self.prompts = [list(one.ids) for one in prompts]
        self.ends = _end_ids(model)
        # Shape (prompts · n, steps): what each continuation draws, whatever runs next to it.
        self.draws = np.concatenate([_draws(one.text, settings) for one in prompts])

    def run(self) -> list[list[Reply]]:
        """Complete the prompts."""
        import torch

        n = self.settings.n
        written: list[list[int]] = [[] for _ in range(len(self.prompts) * n)]
        self.ended = [False] * len(written)
        rows = list(range(len(written)))  # those that are not at their end
        steps = self.lm.stepping.steps(self.lm)
        with torch.inference_mode():
            logits = steps.begin(self.prompts)
            tops: list[Any] = [None] * len(self.prompts)
            if self.alternatives:
                tops = likeliest(self.lm, logits, self.alternatives)
            tokens = self._first(logits)
            places, held = [row // n for row in rows], len(self.prompts)  # places in what the steps keep
            for step in range(self.settings.max_new_tokens):
                alive = [k for k, row in enumerate(rows) if self._goes_on(row, int(tokens[k]), written)]
                if not alive or step + 1 == self.settings.max_new_tokens:
                    break
                rows, tokens, places = [rows[k] for k in alive], tokens[alive], [places[k] for k in alive]
                if places != list(range(held)):
                    steps.take(places)  # those at their end cost nothing more
                places, held = list(range(len(rows))), len(rows)
                tokens = self._next(steps.append(tokens), rows, step + 1)
        texts = [self._text(row, tokens_of) for row, tokens_of in enumerate(written)]
        return [
            [Reply(texts[row], self.ended[row], alternatives=tops[k]) for row in range(k * n, (k + 1) * n)]
            for k in range(len(self.prompts))
        ]

    def _goes_on(self, row: int, token: int, written: list[list[int]]) -> bool:
        """Record a token, and return whether another is needed after it."""
        if token in self.ends:
            self.ended[row] = True
            return False
        written[row].append(token)
        if self.settings.unit != "word":
            return True
        # A byte-level token can end within a letter, and the incomplete letter is not a mark after the word.
        return not _WHOLE_WORD.match(self._text(row, written[row]).rstrip("\N{REPLACEMENT CHARACTER}"))

    def _first(self, logits: Any) -> Any:
        """Return the first token of each continuation, from logits of shape (prompts, vocabulary)."""
        n = self.settings.n
        if self.settings.decoding != "top":
            return self._next(logits.repeat_interleave(n, dim=0), range(n * len(logits)), 0)
        if n > logits.shape[-1]:
            raise InputError(f"{n} completions are more than the {logits.shape[-1]} tokens of {self.lm.name}")
        top = logits.float().topk(n, dim=-1)
        self.lm._finite(top.values[:, 0].cpu().numpy())
        return top.indices.reshape(-1)

    def _next(self, logits: Any, rows: Sequence[int], step: int) -> Any:
        """Return the next token of the continuations ``rows``, from logits of shape (rows, vocabulary)."""
        import torch

        if self.settings.decoding == "top":
            best = logits.float().max(dim=-1)
            self.lm._finite(best.values.cpu().numpy())
            return best.indices
        out, draws = [], self.draws[list(rows), step]
        size = max(1, self.lm._max_logits // logits.shape[-1])
        for start in range(0, len(logits), size):
            scaled = logits[start : start + size].double().div_(self.settings.temperature)
            # The token at which the cumulated probability passes the draw.
            probabilities = torch.softmax(scaled, dim=-1)
            if self.settings.top_p < 1:
                ordered, places = probabilities.sort(dim=-1, descending=True, stable=True)
                # A token is kept if those before it have less than top_p together.
                ordered[ordered.cumsum(dim=-1) - ordered >= self.settings.top_p] = 0.0
                probabilities = torch.zeros_like(probabilities).scatter_(-1, places, ordered)
            cumulated = probabilities.cumsum_(dim=-1)
            self.lm._finite(cumulated[:, -1].cpu().numpy())
            draw = torch.from_numpy(draws[start : start + size]).to(cumulated)
            reached = torch.searchsorted(cumulated, (draw * cumulated[:, -1])[:, None], right=True)
            out.append(reached[:, 0].clamp(max=logits.shape[-1] - 1))
        return torch.cat(out)

    def _text(self, row: int, tokens: Sequence[int]) -> str:
        """Return what was written after the prompt, decoded with its last tokens: a token alone may lose its space."""
        tail = self.prompts[row // self.settings.n][-4:]
        before = self.lm.written_text(tail)
        whole = self.lm.written_text([*tail, *tokens])
        return str(whole[len(before) :] if whole.startswith(before) else self.tokenizer.decode(list(tokens)))


def likeliest(model: Any, logits: Any, n: int) -> list[Mapping[str, float]]:
    """Return the n most likely tokens of each row by their text, most likely first. Tokens with equal text add up.

    Args:
        model: whose tokens they are.
        logits: shape (rows, vocabulary).
        n: how many.
    """
    top = logits.float().log_softmax(dim=-1).topk(min(n, logits.shape[-1]), dim=-1)
    model._finite(top.values[:, 0].cpu().numpy())
    text_logprobs: list[Mapping[str, float]] = []
    for ids, values in zip(top.indices.tolist(), top.values.double().tolist(), strict=True):
        texts: dict[str, float] = {}
        for token, value in zip(model.tokenizer.batch_decode([[i] for i in ids]), values, strict=True):
            texts[token] = float(np.logaddexp(texts.get(token, -np.inf), value))
        text_logprobs.append(texts)
    return text_logprobs


def _end_ids(model: Any) -> frozenset[int]:
    """Return the ids of tokens that end a text."""
    id_sources = [model.tokenizer.eos_token_id, getattr(model.model.config, "eos_token_id", None)]
    id_sources.append(getattr(getattr(model.model, "generation_config", None), "eos_token_id", None))
    flat = [i for ids in id_sources for i in (ids if isinstance(ids, (list, tuple)) else [ids])]
    return frozenset(i for i in flat if isinstance(i, int))


def _draws(prompt: str, settings: GenerationSettings) -> FloatArray:
    """Return a prompt's uniform random numbers, (n, max_new_tokens). They depend only on its text and the seed."""
    key = zlib.crc32(prompt.encode(errors="surrogatepass"))
    rng = np.random.default_rng(np.random.SeedSequence((settings.seed, key)))
    return rng.random((settings.n, settings.max_new_tokens))


# -- the next tokens of texts that grow: from the cache if that proves right, else from whole passes ----------------


class Stepping(NamedTuple):
    """How a model writes, as found in a trial.

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

    If lengths are mixed, positions are counted from each prompt's first token.
    """

    def __init__(self, lm: Any, stepping: Stepping) -> None:
        self.model, self.pad, self.stepping = lm.model, lm.pad_id, stepping
        self.parameters = inspect.signature(lm.model.forward).parameters
        self.name = next(name for name in _CACHES if name in self.parameters)
        self.cache: Any = None

    def begin(self, prompts: Sequence[Sequence[int]]) -> Any:
        """Read the prompts, a row each: logits of shape (rows, vocabulary) of what comes next."""
        rows, fills = (prompts, [[1] * len(prompt) for prompt in prompts]), (self.pad, 0)
        ids, mask = (padded(*one, "left").to(device_of(self.model)) for one in zip(rows, fills, strict=True))
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
    """Steps that read whole rows again each time, as for likelihoods. Equal rows are read once."""

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
    """Return the fastest way to generate whose logits equal those of whole passes, tried on two short prompts.

    The trial repeats a prompt, drops a row and adds two tokens, as writing does.
    """
    import torch

    with evaluating(lm.model), torch.inference_mode():
        if any(name in inspect.signature(lm.model.forward).parameters for name in _CACHES):
            for stepping in (Stepping(True, True, True), Stepping(True, True), Stepping(True, False)):
                if _is_proven(lm, stepping):
                    return stepping
    return Stepping(False, lm._ignores_padding)


def _is_proven(lm: Any, stepping: Stepping) -> bool:
    import torch

    ids, start = trial_ids(lm, 16), lm._bos_id("auto")
    first = () if start is None else (start,)
    prompts = [first + ids[:6], first + (ids[6:8] if stepping.mixes_lengths else ids[6:12])]
    cached, rows = stepping.steps(lm), prompts
    tokens = torch.tensor(ids[12:], device=device_of(lm.model))
    try:
        logits = cached.begin(rows)
        for places, new in (([0, 1, 1], tokens[:3]), ([2, 0], tokens[2:])):
            if not _have_same_logits(lm, logits, rows):
                return False
            cached.take(places)
            rows = [(*rows[k], int(token)) for k, token in zip(places, new, strict=True)]
            logits = cached.append(new)
        return _have_same_logits(lm, logits, rows)
    except UNFIT:
        return False


def _have_same_logits(lm: Any, logits: Any, rows: Sequence[Sequence[int]]) -> bool:
    """True if logits equal those of a separate pass over each row."""
    import torch

    return is_close(logits, torch.stack([lm._outputs([row])[0, -1] for row in rows]), lm.model.dtype)
