"""Completions of prompts: by causal models, by masked models (the likeliest fills of a blank), by any function.

A generator is anything that turns prompts into completions, see :class:`~.base.Generates`. What a prompt is completed
with depends on its text and the settings alone, neither on the prompts beside it nor on how they are batched.
"""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError, ModelError, foreign_errors, quoted
from ..result import Skipped
from .alignment import Encoded, check_texts
from .batching import deduplicate
from .masked import MaskedRequest

if TYPE_CHECKING:
    from .causal import CausalLM

__all__ = [
    "BLANK",
    "Completions",
    "Decoding",
    "FunctionGenerator",
    "GenerationSettings",
    "Unit",
    "continue_prompts",
    "fill_prompts",
    "first_word",
    "text_before_blank",
]

BLANK = "[M]"
"""Where a prompt is to be completed; a prompt without it is continued at its end."""

Completions = list[str | None]
"""The completions of one prompt; ``None`` for one that a generator could not give."""
Unit = Literal["word", "text"]
Decoding = Literal["top", "sample"]

_DISTRIBUTIONS = 1 << 25
"""Most probabilities, prompts times vocabulary, that are held at one time."""
_WORD = re.compile(r"\w(?:[\w'’-]*\w)?")
_WHOLE_WORD = re.compile(rf"[^\w]*{_WORD.pattern}[^\w'’-]")


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How prompts are completed.

    Attributes:
        n: completions of each prompt.
        unit: ``"word"``: the first word of a continuation, see :func:`first_word`; ``"text"``: all of it. A masked
            model fills in one token.
        max_new_tokens: most tokens of a continuation.
        decoding: ``"top"``: the n likeliest next tokens, each continued by the likeliest token every time (n = 1 is
            greedy decoding); ``"sample"``: n draws from the model's distribution. A masked model gives its n likeliest
            fills in either case.
        temperature: of sampling.
        seed: of sampling; every prompt draws from a stream of its own, so that equal prompts get equal completions.

    Raises:
        InputError: a setting is out of its range.

    Examples:
        >>> GenerationSettings(n=0)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: the number of completions must be a whole number, 1 or more, not 0
    """

    n: int = 1
    unit: Unit = "text"
    max_new_tokens: int = 20
    decoding: Decoding = "top"
    temperature: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for value, what, least in (
            (self.n, "the number of completions", 1),
            (self.max_new_tokens, "max_new_tokens", 1),
            (self.seed, "the seed", 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{what} must be a whole number, {least} or more, not {quoted(value)}")
        for value, what, kind in ((self.unit, "unit", Unit), (self.decoding, "decoding", Decoding)):
            if value not in get_args(kind):
                raise InputError(
                    f"{what} must be {' or '.join(map(repr, get_args(kind)))}, not {quoted(value)}"
                )
        if isinstance(self.temperature, bool) or not 0 < self.temperature < np.inf:
            raise InputError(f"temperature must be a number above 0, not {quoted(self.temperature)}")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name, for a result's record."""
        return asdict(self)


def text_before_blank(prompt: str) -> str | Skipped:
    """The part of a prompt that a model that reads left to right continues, or why there is none.

    Examples:
        >>> text_before_blank("The woman worked as a [M].")
        'The woman worked as a'
        >>> text_before_blank("The [M] woman left.").reason
        "text follows the blank, which a model that reads from left to right does not see: ' woman left.'"
    """
    before, blank, after = prompt.partition(BLANK)
    if BLANK in after:
        return Skipped(prompt, f"it has {prompt.count(BLANK)} blanks {BLANK}, not one")
    if any(c.isalnum() for c in after):
        reason = "text follows the blank, which a model that reads from left to right does not see"
        return Skipped(prompt, f"{reason}: {quoted(after)}")
    if not before.strip():
        return Skipped(prompt, "no text stands before the blank" if blank else "it is empty")
    return before.rstrip()


def first_word(text: str) -> str:
    """The first word of a text, without the marks around it; what there is where there is no word.

    Examples:
        >>> first_word(" well-known. So"), first_word(" !"), first_word("")
        ('well-known', '!', '')
    """
    found = _WORD.search(text)
    return found[0] if found else text.strip()


# -- masked models ---------------------------------------------------------------------------------------------------


def fill_prompts(
    model: Any, prompts: Sequence[str], settings: GenerationSettings
) -> list[Completions | Skipped]:
    """The likeliest fills of the blank of every prompt, likeliest first; special tokens are none.

    A fill is one token of the vocabulary, as the published code takes it: it can be a piece of a word or a mark. Of
    equally likely ones the first of the vocabulary counts.

    Args:
        model: fills masks, with the tokens of its tokenizer.
        prompts: texts with one blank :data:`BLANK`.
        settings: of which ``n`` counts here.

    Returns:
        For each prompt its fills, or why it has none.

    Raises:
        InputError: the vocabulary has fewer tokens than fills are asked for.
    """
    texts = check_texts(prompts, "prompts")
    tokenizer = model.tokenizer
    special = sorted({*getattr(tokenizer, "all_special_ids", ()), *_of_table(model)})
    if settings.n > len(tokenizer) - len(special):
        raise InputError(f"{settings.n} fills are more than the {len(tokenizer)} tokens of {model.name}")
    first, inverse = deduplicate(texts)
    found: list[Completions | Skipped] = [
        Skipped(texts[i], f"it has {texts[i].count(BLANK)} blanks {BLANK}, not one") for i in first
    ]
    ready = [k for k, i in enumerate(first) if texts[i].count(BLANK) == 1]
    encoded = model.encode([texts[first[k]].replace(BLANK, model.mask_token) for k in ready])
    requests: dict[int, MaskedRequest] = {}
    for k, item in zip(ready, encoded, strict=True):
        if isinstance(item, Skipped):
            found[k] = Skipped(texts[first[k]], item.reason)
        elif len(masks := model.mask_positions(item)) != 1:
            found[k] = Skipped(texts[first[k]], f"the model finds {len(masks)} masks in it, not one")
        else:
            requests[k] = MaskedRequest(item, tuple(masks))
    places, at_once = list(requests), max(1, _DISTRIBUTIONS // len(tokenizer))
    for start in range(0, len(places), at_once):
        some = places[start : start + at_once]
        for k, rows in zip(some, model.mask_distributions([requests[k] for k in some]), strict=True):
            scores = np.array(rows[0], dtype=np.float64)
            scores[special] = -np.inf
            likeliest = np.argsort(-scores[: len(tokenizer)], kind="stable")[: settings.n]
            found[k] = [str(tokenizer.decode([int(token)])).strip() for token in likeliest]
    return [found[k] for k in inverse]


def _of_table(model: Any) -> list[int]:
    """Ids of the marks of a model that is a table, whose tokenizer does not name them."""
    ids = getattr(model.tokenizer, "ids", None)
    return (
        [i for piece, i in ids.items() if re.fullmatch(r"\[[A-Z]+\]", piece)] if isinstance(ids, dict) else []
    )


# -- causal models ---------------------------------------------------------------------------------------------------


def continue_prompts(
    model: CausalLM, prompts: Sequence[str], settings: GenerationSettings
) -> list[Completions | Skipped]:
    """What a causal model writes after every prompt, with equal prompts computed once.

    Prompts of like length are run together, padded on the left, and positions are counted from each prompt's first
    token; models that cannot be told positions get prompts of one length at a time. A batch that does not fit into
    memory is halved.

    Args:
        model: the model.
        prompts: texts with one blank :data:`BLANK` at the end, or none.
        settings: how they are continued.

    Returns:
        For each prompt its completions, or why it has none: it cannot be read, or it leaves no room for
        ``max_new_tokens``. A completion is empty where the model ends the text at once.
    """
    texts = check_texts(prompts, "prompts")
    first, inverse = deduplicate(texts)
    found: list[Completions | Skipped] = []
    units: list[tuple[int, Encoded, str]] = []
    for i in first:
        before = text_before_blank(texts[i])
        item = model.encode([before])[0] if isinstance(before, str) else before
        if isinstance(item, Encoded) and isinstance(before, str):
            if model.max_tokens is not None and len(item.ids) + settings.max_new_tokens > model.max_tokens:
                reason = (
                    f"{len(item.ids)} tokens and {settings.max_new_tokens} new ones are more than the "
                    f"{model.max_tokens} that {model.name} can read"
                )
                item = Skipped(texts[i], reason)
            else:
                units.append((len(found), item, before))
        found.append([] if isinstance(item, Encoded) else Skipped(texts[i], item.reason))
    # In the order of their tokens, so that the order of rows changes no batch.
    units.sort(key=lambda unit: unit[1].ids)
    for (place, _, _), completions in zip(units, _continued(model, units, settings), strict=True):
        found[place] = completions
    return [found[k] for k in inverse]


def _continued(
    model: CausalLM, units: Sequence[tuple[int, Encoded, str]], settings: GenerationSettings
) -> list[Completions]:
    lengths = [len(item.ids) for _, item, _ in units]
    takes = inspect.signature(model.model.forward).parameters
    groups = [list(range(len(units)))]
    if "position_ids" not in takes or "attention_mask" not in takes:
        groups = [[k for k, n in enumerate(lengths) if n == length] for length in sorted(set(lengths))]
    found: dict[int, Completions] = {}
    for group in groups:
        costs = [(lengths[k] + settings.max_new_tokens) * settings.n for k in group]

        def run(batch: list[int], group: list[int] = group) -> list[Completions]:
            decoder = _Decoder(model, [units[group[i]][1:] for i in batch], settings)
            return decoder.run()

        found |= dict(zip(group, model._run(costs, run, "generating"), strict=True))
    return [found[k] for k in range(len(units))]


class _Decoder:
    """Continues a batch of prompts, each ``settings.n`` times.

    Arrays have one row per continuation, those of a prompt beside one another.
    """

    def __init__(
        self, model: CausalLM, prompts: Sequence[tuple[Encoded, str]], settings: GenerationSettings
    ) -> None:
        self.lm, self.settings = model, settings
        self.tokenizer = model.tokenizer
        self.prompts = [list(item.ids) for item, _ in prompts]
        self.ends = _end_ids(model)
        self.takes = inspect.signature(model.model.forward).parameters
        # Shape (prompts · n, steps): what each continuation draws, whatever runs beside it.
        self.draws = np.concatenate([_draws(text, settings) for _, text in prompts])

    def run(self) -> list[Completions]:
        """Complete the prompts."""
        import torch

        n, device = self.settings.n, self.lm.model.device
        ids, mask = _left_padded(self.prompts, self.tokenizer.pad_token_id or 0)
        lengths = torch.tensor([len(p) for p in self.prompts for _ in range(n)], device=device)
        written: list[list[int]] = [[] for _ in range(len(lengths))]
        rows = list(range(len(lengths)))  # those that are not at their end
        with torch.inference_mode():
            seen = torch.from_numpy(mask).to(device)
            out = self._forward(
                torch.from_numpy(ids).to(device), seen, (seen.cumsum(1) - 1).clamp(min=0), None
            )
            tokens = self._first(out.logits[:, -1])
            cache = out.past_key_values
            if n > 1 and self.settings.max_new_tokens > 1:
                if not hasattr(cache, "batch_repeat_interleave"):
                    raise ModelError(f"{self.lm.name} keeps no cache that can be continued in {n} ways")
                cache.batch_repeat_interleave(n)
            seen = seen.repeat_interleave(n, dim=0)
            for step in range(self.settings.max_new_tokens):
                kept = [k for k, row in enumerate(rows) if self._goes_on(row, int(tokens[k]), written)]
                if not kept or step + 1 == self.settings.max_new_tokens:
                    break
                if len(kept) < len(rows):
                    # Those at their end cost nothing more.
                    chosen = torch.tensor(kept, device=device)
                    rows, tokens, seen = [rows[k] for k in kept], tokens[chosen], seen[chosen]
                    cache.batch_select_indices(chosen)
                seen = torch.cat([seen, torch.ones_like(seen[:, :1])], dim=1)
                out = self._forward(tokens[:, None], seen, (lengths[rows] + step)[:, None], cache)
                cache = out.past_key_values
                tokens = self._next(out.logits[:, -1], rows, step + 1)
        texts = [self._text(row, tokens_of) for row, tokens_of in enumerate(written)]
        if self.settings.unit == "word":
            texts = [first_word(text) for text in texts]
        return [list(texts[k * n : (k + 1) * n]) for k in range(len(self.prompts))]

    def _goes_on(self, row: int, token: int, written: list[list[int]]) -> bool:
        """Write a token down, and whether another is needed after it."""
        if token in self.ends:
            return False
        written[row].append(token)
        return self.settings.unit != "word" or not _WHOLE_WORD.match(self._text(row, written[row]))

    def _forward(self, ids: Any, mask: Any, positions: Any, cache: Any) -> Any:
        more: dict[str, Any] = {"attention_mask": mask, "position_ids": positions, "logits_to_keep": 1}
        given = {name: value for name, value in more.items() if name in self.takes}
        return self.lm.model(input_ids=ids, past_key_values=cache, use_cache=True, **given)

    def _first(self, logits: Any) -> Any:
        """The first token of each continuation, from logits of shape (prompts, vocabulary)."""
        n = self.settings.n
        if self.settings.decoding == "sample":
            return self._next(logits.repeat_interleave(n, dim=0), range(n * len(logits)), 0)
        if n > logits.shape[-1]:
            raise InputError(f"{n} completions are more than the {logits.shape[-1]} tokens of {self.lm.name}")
        return self._ranked(logits)[:, :n].reshape(-1)

    def _next(self, logits: Any, rows: Sequence[int], step: int) -> Any:
        """The next token of the continuations ``rows``, from logits of shape (rows, vocabulary)."""
        import torch

        if self.settings.decoding == "top":
            return self._ranked(logits)[:, 0]
        out, draws = [], self.draws[list(rows), step]
        size = max(1, self.lm._max_logits // logits.shape[-1])
        for start in range(0, len(logits), size):
            scaled = logits[start : start + size].double() / self.settings.temperature
            # The token at which the cumulated probability passes the draw.
            cumulated = torch.softmax(scaled, dim=-1).cumsum(dim=-1)
            self.lm._finite(cumulated[:, -1].cpu().numpy())
            draw = torch.from_numpy(draws[start : start + size]).to(cumulated)
            reached = torch.searchsorted(cumulated, (draw * cumulated[:, -1])[:, None], right=True)
            out.append(reached[:, 0].clamp(max=logits.shape[-1] - 1))
        return torch.cat(out)

    def _ranked(self, logits: Any) -> Any:
        """The likeliest tokens, likeliest first."""
        top = logits.float().topk(min(self.settings.n, logits.shape[-1]), dim=-1)
        self.lm._finite(top.values[:, 0].cpu().numpy())
        return top.indices

    def _text(self, row: int, tokens: Sequence[int]) -> str:
        """What was written after the prompt: decoded with its last tokens, since a token alone may lose its blank."""
        tail = self.prompts[row // self.settings.n][-4:]
        before = self.tokenizer.decode(tail, skip_special_tokens=True)
        whole = self.tokenizer.decode([*tail, *tokens], skip_special_tokens=True)
        return str(whole[len(before) :] if whole.startswith(before) else self.tokenizer.decode(list(tokens)))


def _left_padded(prompts: Sequence[Sequence[int]], pad: int) -> tuple[Any, Any]:
    """Ids and mask, each of shape (prompts, longest)."""
    longest = max(map(len, prompts))
    ids = np.full((len(prompts), longest), pad, dtype=np.int64)
    mask = np.zeros_like(ids)
    for k, tokens in enumerate(prompts):
        ids[k, longest - len(tokens) :] = tokens
        mask[k, longest - len(tokens) :] = 1
    return ids, mask


def _end_ids(model: CausalLM) -> frozenset[int]:
    """Tokens that end a text."""
    named = [model.tokenizer.eos_token_id, getattr(model.model.config, "eos_token_id", None)]
    named.append(getattr(getattr(model.model, "generation_config", None), "eos_token_id", None))
    flat = [i for ids in named for i in (ids if isinstance(ids, (list, tuple)) else [ids])]
    return frozenset(i for i in flat if isinstance(i, int))


def _draws(prompt: str, settings: GenerationSettings) -> FloatArray:
    """Uniform numbers of a prompt, shape (n, max_new_tokens), that depend on its text and the seed alone."""
    key = zlib.crc32(prompt.encode(errors="surrogatepass"))
    rng = np.random.default_rng(np.random.SeedSequence((settings.seed, key)))
    return rng.random((settings.n, settings.max_new_tokens))


# -- functions -------------------------------------------------------------------------------------------------------


class FunctionGenerator:
    """A function from prompts to completions as a model: an endpoint, a chat template, a recording.

    Args:
        function: takes the list of prompts, each up to its blank, and returns for each a list of texts, or one text;
            ``None`` stands for a completion that it could not give. It may give another number than is asked for;
            what is above that is left off.
        name: short name for tables; by default the function's own.

    Examples:
        >>> model = FunctionGenerator(lambda prompts: [["nurse"] for _ in prompts], name="always a nurse")
        >>> model.complete(["She worked as a [M]."], GenerationSettings(n=5))
        [['nurse']]
    """

    def __init__(self, function: Callable[[list[str]], Iterable[Any]], name: str = "") -> None:
        try:
            inspect.signature(function).bind([])
        except TypeError:
            raise ModelError(
                f"the function {quoted(getattr(function, '__name__', 'given'))} cannot be called with a list of "
                "prompts alone, so it is no model"
            ) from None
        except ValueError:  # one written in C, which says nothing of its arguments
            pass
        self.function = function
        self.name = name or getattr(function, "__qualname__", type(function).__name__)

    def provenance(self) -> Mapping[str, Any]:
        """Its name: what it does can only its author say."""
        return {
            "kind": "function",
            "name": self.name,
            "module": str(getattr(self.function, "__module__", "")),
        }

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Call the function once with every prompt that has a text before its blank.

        Raises:
            ModelError: it does not give one answer per prompt, or one that is no text.
            MeasurementError: it fails.
        """
        texts = [text_before_blank(prompt) for prompt in check_texts(prompts, "prompts")]
        asked = [text for text in texts if isinstance(text, str)]
        with foreign_errors(self.name):
            given = list(self.function(asked)) if asked else []
        if len(given) != len(asked):
            raise ModelError(f"{self.name} gives {len(given)} answers to {len(asked)} prompts")
        answers = iter([self._checked(answer, settings) for answer in given])
        return [next(answers) if isinstance(text, str) else text for text in texts]

    def _checked(self, answer: Any, settings: GenerationSettings) -> Completions:
        texts = [answer] if answer is None or isinstance(answer, str) else answer
        if not isinstance(texts, (list, tuple)) or not all(t is None or isinstance(t, str) for t in texts):
            raise ModelError(
                f"{self.name} must give a text or a list of texts per prompt, not {quoted(answer)}"
            )
        kept = list(texts)[: settings.n]
        if settings.unit == "word":
            kept = [text if text is None else first_word(text) for text in kept]
        return kept
