"""How published harnesses ask, read and score. The folder of a method has the tasks that it can measure by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import CapabilityError, InputError
from ..method import Finding
from ..models.alignment import Encoded
from ..models.base import can
from ..models.choose import encoded_answers
from ..models.completions import GenerationSettings, Prompt, Reply
from ..result import Coverage, Row, Sampled, Skipped
from ..stats import TIE_TOLERANCE, ItemInference, Items, has_width
from .replies import reply_tokens
from .rows import finite

HARNESS_SCORE = "harness_score"
"""The setting that names the score of a published protocol. No other result has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedProtocol:
    """How a task of a published harness asks, reads and scores. A measurement by it gives the number of the harness.

    Attributes:
        method: the method that measures by it.
        name: the value of the option ``protocol``.
        task: name of the task in the harness.
        version: version of the harness.
        source: where its code is.
        licence: licence of that code.
        data: the data set that the harness loads.
        capability: what a model must do.
        prompt: what the model reads, with ``{fields}`` of an item.
        reading: how an answer is read.
        score: the score.
        others: the other values that the harness prints.
        faults: what it computes differently from what it says.
        settings: how replies are generated, ``None`` if the model scores continuations.
        variants: values of the method's option ``variant`` that do not contradict it.
    """

    method: str
    name: str
    task: str
    version: str
    source: str
    licence: str
    data: str
    capability: Literal["chats", "scores sequences"]
    prompt: str
    reading: str
    score: str
    others: str = ""
    faults: tuple[str, ...] = ()
    settings: GenerationSettings | None = None
    variants: tuple[str, ...]

    def describe(self) -> str:
        """Return a sentence for the warnings of a result: its score is the harness' own only on the harness' data."""
        task = f"this is {self.task} of {self.name}, {self.version}: {self.score}"
        return f"{task}, and the harness measures it on {self.data}"

    def facts(self) -> dict[str, Any]:
        """For the settings of a result."""
        return {
            "instructions": {self.task: [self.prompt]},
            "instructions_by": f"{self.name} {self.version}",
            "subset": f"protocol of {self.name}",
            "reading": self.reading,
            HARNESS_SCORE: self.score,
            "follow_up": False,
        }

    def require(self, model: Any) -> None:
        """Refuse a model that cannot do what the harness asks of one.

        Raises:
            CapabilityError: it cannot.
        """
        if not can(model, self.capability):
            raise CapabilityError(
                f"{self.method}: `protocol` {self.name!r} needs a model that {self.capability}, and "
                f"{getattr(model, 'name', model)!r} does not",
                option="protocol",
                hint="name another protocol, or a model that is loaded here",
            )


LM_EVAL: dict[str, Any] = {
    "name": "lm-eval",
    "version": "0.4.13",
    "licence": "MIT",
    "capability": "scores sequences",
}
"""Fields of every task of lm-eval."""
LM_EVAL_TASKS = "https://github.com/EleutherAI/lm-evaluation-harness/tree/v0.4.13/lm_eval/tasks/"


def published_protocol(
    protocols: Sequence[PublishedProtocol], name: str, *, variant: str, ready: bool, prompt_variants: Any
) -> PublishedProtocol:
    """Return a published protocol of a method by its name.

    Args:
        protocols: of the method.
        name: the name of one.
        variant: the method's option of this name.
        ready: whether the data contain answers or scores.
        prompt_variants: those that the user gave. There must be none.

    Raises:
        InputError: the data contain answers or scores, the variant is another, or there are prompt variants:
            a harness has its own prompt.
    """
    method = protocols[0].method
    if ready:
        raise InputError(
            f"{method}: `protocol` {name!r} measures a model, and the data contain answers or scores",
            option="protocol",
            hint="omit `protocol`",
        )
    if prompt_variants is not None:
        raise InputError(
            f"{method}: `protocol` {name!r} has the prompt of the harness",
            option="prompt_variants",
            hint="omit `prompt_variants`",
        )
    protocol = next(one for one in protocols if one.name == name)
    if variant not in protocol.variants:
        raise InputError(
            f"{method}: `protocol` {name!r} does not go with `variant` {variant!r}",
            option="variant",
            hint="omit `variant`",
        )
    return protocol


def ask_once(model: Any, prompts: Sequence[Prompt], settings: GenerationSettings) -> list[Reply | Skipped]:
    """Put every prompt once. A reply has the room that the harness gives it, or half of what a loaded model reads."""
    room = max(settings.max_new_tokens, reply_tokens(model))
    most = getattr(model, "max_tokens", None)
    settings = GenerationSettings(
        max_new_tokens=room if most is None else min(room, max(1, most // 2)),
        decoding=settings.decoding, temperature=settings.temperature, top_p=settings.top_p,
    )  # fmt: skip
    replies = model.reply(prompts, settings)
    return [several if isinstance(several, Skipped) else several[0] for several in replies]


def accuracy_facts(
    right: npt.NDArray[np.bool_], clusters: npt.NDArray[Any], called: str, confidence_level: float
) -> dict[str, Any]:
    """Return an accuracy with Student's interval over clusters, by the names that a finding and a row have for them.

    Args:
        right: whether each answer is right, shape (items,).
        clusters: what each item belongs to, shape (items,).
        called: what the clusters are called, in the plural.
        confidence_level: confidence level.
    """
    table = Items.of(np.stack([right, np.ones(len(right))], axis=1), clusters)
    how = ItemInference(interval="t", test="crossed", clusters=called, confidence_level=confidence_level)

    def share(totals: FloatArray) -> FloatArray:
        return np.asarray(totals[..., 0] / totals[..., 1])

    low, high, how_made = table.interval(share, how, (0.0, 1.0))
    if low is not None and high is not None and not has_width(low, high, TIE_TOLERANCE):
        low, high, how_made = None, None, f"none: nothing varies over {called}"
    ends = {"ci_low": low, "ci_high": high, "ci_method": how_made}
    return {"score": table.value(share), "n": len(right), "p_method": "", **ends}


def log_likelihoods(model: Any, pairs: Sequence[tuple[str, str]]) -> list[float | Skipped]:
    """Sum of log p over the tokens of each continuation, as lm-eval computes it.

    A text begins with a start token only if the tokenizer adds one.

    Args:
        model: scores sequences.
        pairs: prompts and continuations, which are joined as they are.
    """
    encoded = encoded_answers(model, pairs, bos="tokenizer")
    readable = [item for item in encoded if isinstance(item, Encoded)]
    sums = np.array(
        [float(np.sum(values)) for values in model.sequence_logprobs(readable)] if readable else []
    )
    numbers = iter(finite(model, sums).tolist())
    return [item if isinstance(item, Skipped) else next(numbers) for item in encoded]


def harness_finding(
    protocol: PublishedProtocol, whole: dict[str, Any], rows: Sequence[Row], skipped: Sequence[Skipped], *,
    coverage: Coverage, clusters: str, warnings: Sequence[str] = (), settings: dict[str, Any], **further: Any,
) -> Finding:  # fmt: skip
    """Return what a harness finds: an accuracy, of which no value below 1 is expected of an unbiased model.

    Args:
        protocol: of the harness.
        whole: score, interval and estimates.
        rows: subsets and items.
        skipped: what could not be scored.
        coverage: what was scored.
        clusters: what the interval is over.
        warnings: what to know besides which protocol this is.
        settings: further settings.
        further: other fields of the finding.
    """
    return Finding(
        **whole, rows=rows, skipped=skipped, coverage=coverage, warnings=[protocol.describe(), *warnings],
        sampled=Sampled(clusters=(clusters,), fixed={"prompt variants": 1}),
        settings={**protocol.facts(), **settings}, direction="lower_is_more_biased", ideal=1.0, **further,
    )  # fmt: skip
