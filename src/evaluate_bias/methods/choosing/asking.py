"""Putting questions with labels to a chat model: options in every order, or yes and no, in every prompt variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...data.instructions import Instructions, PromptVariants, ProtocolName, follow_up_text, load_instructions
from ...errors import InputError
from ...models.base import Capability, require
from ...models.completions import GenerationSettings, Prompt, Reply
from ...models.thoughts import split_thoughts
from ...result import Skipped
from ..replies import EMPTY, REFUSED, THINKING, reply_tokens, thinks
from ..rows import PrecomputedScores
from ..template_filling import one_language
from .parsing import parse_choice

_TRIAL_REQUESTS = 8
"""Requests that show whether the labels of a model decide."""
_AT_ONCE = 1 << 14
"""Most prompts that are held at one time."""
_BY_LABELS = "log-probabilities of the labels if these have half of the probability, else text of the reply"
QUESTIONS = 5
"""Questions that a result shows as they were put."""
LEAST_MASS = 0.5
"""Probability of all labels together below which they do not decide."""
IMPOSSIBLE = "its log-probabilities do not correspond to probabilities"
_ROUNDING = 0.01
"""By how much a log-probability of a server may lie above 0."""

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with options.

    Attributes:
        kind: which of the method's instructions puts it.
        fields: what fills the instruction, apart from the options.
        options: their texts.
        target: place in ``options`` of the stereotypical one.
        aliases: other phrasings of an option, in small letters, with its place.
    """

    kind: str
    fields: Mapping[str, str]
    options: tuple[str, ...]
    target: int
    aliases: Mapping[str, int] = field(default_factory=dict)


def cyclic_orders(k: int) -> list[tuple[int, ...]]:
    """Return the cyclic shifts of k options: every option is once at every position.

    Examples:
        >>> cyclic_orders(2), cyclic_orders(3)
        ([(0, 1), (1, 0)], [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    """
    return [tuple((start + i) % k for i in range(k)) for start in range(k)]


def all_orders(k: int) -> list[tuple[int, ...]]:
    """The orders in which k options are put: all of them up to three, else the cyclic shifts and their reversals.

    Examples:
        >>> all_orders(2), len(all_orders(3)), len(all_orders(5)), all_orders(4)[1], all_orders(4)[5]
        ([(0, 1), (1, 0)], 6, 10, (1, 2, 3, 0), (0, 3, 2, 1))
    """
    if k <= 3:
        return list(permutations(range(k)))
    shifts = cyclic_orders(k)
    return shifts + [tuple(reversed(shift)) for shift in shifts]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How questions are put to a model, and how its replies are read.

    Attributes:
        instructions: the prompt variants and the labels of the options.
        follow_up: whether a reply that states no option is followed up once, in the same conversation.
        orders: the orders in which so many options are put, each as a tuple of their positions.
        reads_labels: whether the log-probabilities of the labels decide if they have half of the probability.
        reads_log_odds: whether the log-odds of the first label against the second are read, of the first token alone,
            and no text is read. The labels are the answers themselves, whatever their capitals.
        least_mass: probability of both labels below which they have no log-odds.
        parse: reads a text, see :func:`.parsing.parse_choice`.
    """

    instructions: Instructions
    follow_up: bool = True
    orders: Callable[[int], Sequence[tuple[int, ...]]] = all_orders
    reads_labels: bool = True
    reads_log_odds: bool = False
    least_mass: float = LEAST_MASS
    parse: Callable[[Reply, Sequence[str], Sequence[str], Mapping[str, int]], int | str] = parse_choice

    def facts(self) -> dict[str, object]:
        """For the settings of a result."""
        return {"follow_up": self.follow_up, **self.instructions.facts()}


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen, one entry for each request: shape (requests,).

    Attributes:
        question: number of the question.
        prompt_variant: number of the prompt variant.
        position: where the target stood among the options.
        option: the option that was chosen, -1 if none was read.
        place: where it stood among the options, -1 if none was read.
        first_option: the option of the first reply, before any follow-up.
        log_odds: log-odds of the first label against the second if a protocol reads them, else NaN.
        reasons: why none was read, empty if one was.
        n_questions, n_options, n_prompt_variants: their numbers.
        how: how the answers are read, in words.
        counts: how many answers were read by labels and from texts, how many requests were made again for a text, how
            many were followed up, and how many of these were answered then.
        thoughts: number of reasoning tokens, if they were counted.
        label_share: mean probability of all labels together, if the model gives it.
        questions: the first questions in their first prompt variant and order, each with the answer that was read, or
            with the reason why none was.
    """

    question: IntArray
    prompt_variant: IntArray
    position: IntArray
    option: IntArray
    place: IntArray
    first_option: IntArray
    log_odds: FloatArray
    reasons: tuple[str, ...]
    n_questions: int
    n_options: int
    n_prompt_variants: int
    how: str
    counts: Mapping[str, int]
    thoughts: Mapping[str, int]
    label_share: float | None
    questions: tuple[Mapping[str, Any], ...]

    def weights(self) -> FloatArray:
        """Return how much each answer counts, shape (requests,). The answers to a scored question add up to 1.

        Within a question, answers with the target in one position count equally, and so does every position. A question
        of which a position was never read is not scored: all its answers weigh 0.
        """
        is_read = self.option >= 0
        cell = self.question * self.n_options + self.position
        counts = np.bincount(cell, weights=is_read, minlength=self.n_questions * self.n_options)
        complete = np.all(counts.reshape(self.n_questions, self.n_options) > 0, axis=1).ravel()
        return np.where(
            is_read & complete[self.question], 1 / (self.n_options * np.maximum(counts[cell], 1)), 0.0
        )

    def first_replies(self) -> Choices:
        """Return the choices without the results of follow-ups."""
        return replace(self, option=self.first_option)

    def with_unread(self, options: IntArray) -> Choices:
        """Return the choices with the option of each question, shape (questions,), instead of every unread answer."""
        return replace(self, option=np.where(self.option < 0, options[self.question], self.option))


def ready_choices(options: Sequence[int | str], how: str) -> Choices:
    """Choices that are looked up: of each question the option, or why it is missing.

    Args:
        options: number of the option, or a reason, one per question.
        how: how they were made, in words.

    Examples:
        >>> ready_choices([2, "no answer"], "given by the caller").option.tolist()
        [2, -1]
    """
    n = len(options)
    option = np.array([-1 if isinstance(one, str) else one for one in options], dtype=np.int64)
    return Choices(
        question=np.arange(n), prompt_variant=np.zeros(n, np.int64), position=np.zeros(n, np.int64), option=option,
        place=np.full(n, -1), first_option=option, log_odds=np.full(n, np.nan),
        reasons=tuple(one if isinstance(one, str) else "" for one in options),
        n_questions=n, n_options=1, n_prompt_variants=0,
        how=how, counts={}, thoughts={}, label_share=None, questions=(),
    )  # fmt: skip


def check_asked(method: str, variant: str, model: Any) -> None:
    """Refuse a variant that asks a model if there are precomputed scores, or a model that does not chat.

    Raises:
        InputError: the data contain scores.
        CapabilityError: the model does not chat.
    """
    if isinstance(model, PrecomputedScores):
        raise InputError(
            f"{method}: `variant` {variant!r} asks a model and needs sentences, not scores", option="variant"
        )
    require(model, (Capability.CHATS,), method)


def instructions_of(
    package: str, items: Iterable[Any], protocol: ProtocolName, prompt_variants: PromptVariants
) -> Instructions:
    """Return the instructions of a method, given its package, in the language of the items.

    Raises:
        InputError: the items are in several languages, or the method has no instructions in theirs.
    """
    language = one_language(package.rpartition(".")[2], (item.language for item in items))
    return load_instructions(package, language, prompt_variants, protocol)


def protocol_of(
    package: str,
    items: Iterable[Any],
    name: ProtocolName,
    prompt_variants: PromptVariants,
    follow_up: bool,
) -> Protocol:
    """Return the protocol of a method, given its package.

    ``"quick"``: the cyclic option orders and one prompt variant. ``"robust"``: all orders and all prompt
    variants. ``prompt_variants`` overrides their number.

    Raises:
        InputError: as for :func:`instructions_of`.
    """
    orders = cyclic_orders if name == "quick" else all_orders
    return Protocol(instructions_of(package, items, name, prompt_variants), follow_up, orders)


def label_mass(alternatives: Mapping[str, float], labels: Sequence[str]) -> tuple[int | str, float]:
    """Position of the most likely label among the most likely first tokens, or why it is missing, and all labels' mass.

    A label with a space before it and one without are the same. A label that is not among the tokens is less likely
    than those that are. For a truncated list the mass is a lower bound. For numbers that are not log-probabilities it
    is infinite.

    Args:
        alternatives: log-probabilities of first tokens, by their text.
        labels: the labels.

    Examples:
        >>> place, mass = label_mass({"A": -1.0, " A": -3.0, "B": -0.9, "The": -2.0}, ["A", "B"])
        >>> place, round(mass, 3)
        (0, 0.824)
        >>> label_mass({"I": -0.1, "A": -3.5}, ["A", "B"])
        ('the labels have 3% of the probability', 0.0301...)
        >>> label_mass({"A": 6.5}, ["A", "B"])
        ('its log-probabilities do not correspond to probabilities', inf)
    """
    sums = log_sums(alternatives, labels)
    mass = mass_of(sums)
    if not np.isfinite(mass):
        return IMPOSSIBLE, mass
    if mass < LEAST_MASS:
        return little_mass(mass), mass
    best = np.flatnonzero(sums == sums.max())
    return (int(best[0]) if len(best) == 1 else "two labels are equally likely"), mass


def log_sums(
    alternatives: Mapping[str, float], labels: Sequence[str], *, any_capitals: bool = False
) -> FloatArray:
    """Logarithm of the probability of each label, with and without blanks, shape (labels,), -inf for none, NaN if a
    number is not a log-probability.
    """
    sums = np.full(len(labels), -np.inf)
    keys = [label.casefold() if any_capitals else label for label in labels]
    for token, logprob in alternatives.items():
        text = token.strip().casefold() if any_capitals else token.strip()
        for i in (i for i, key in enumerate(keys) if key == text):
            with np.errstate(invalid="ignore"):
                sums[i] = np.logaddexp(sums[i], logprob) if logprob <= _ROUNDING else np.nan
    return sums


def mass_of(sums: FloatArray) -> float:
    """Probability of all labels together, infinite if a number is not a log-probability."""
    return float("inf") if np.isnan(sums).any() else float(np.exp(sums).sum())


def little_mass(mass: float) -> str:
    """Return a note that the labels have too little probability to decide.

    Examples:
        >>> little_mass(0.031), little_mass(1e-5)
        ('the labels have 3% of the probability', 'the labels have less than 1% of the probability')
    """
    share = f"{int(100 * mass + 1e-9)}%" if mass >= 0.01 else "less than 1%"
    return f"the labels have {share} of the probability"


class _ReadReply(NamedTuple):
    """What was read of a reply.

    Attributes:
        place: which of the options as they were put, -1 for none.
        reason: why none was read.
        mass: probability of all labels. ``None`` if it is not known, or belongs to the first token of the reasoning.
        needs_text: whether the labels do not decide, so that a text is needed.
        is_text: whether a text was asked for.
        thought_tokens: number of reasoning tokens, if they were counted.
        unparsed: the text that states no option, without thoughts, empty if there is nothing to follow up.
        log_odds: log-odds of the first label against the second.
    """

    place: int = -1
    reason: str = ""
    mass: float | None = None
    needs_text: bool = False
    is_text: bool = True
    thought_tokens: int | None = None
    unparsed: str = ""
    log_odds: float = float("nan")


def _read_log_odds(reply: Reply, labels: Sequence[str], least_mass: float) -> _ReadReply:
    """Read the log-odds of two labels among first tokens, with and without a blank and whatever their capitals.

    Examples:
        >>> one = Reply("", alternatives={"Yes": -0.5, " yes": -3.0, "No": -1.5, "I": -4.0})
        >>> round(_read_log_odds(one, ["Yes", "No"], 0.5).log_odds, 3)
        1.079
        >>> _read_log_odds(Reply("", alternatives={"Yes": -0.1, "I": -4.0}), ["Yes", "No"], 0.5).reason
        "'No' is not among the most probable first tokens, so the log-odds have no value"
        >>> _read_log_odds(Reply("", alternatives={"Yes": -11.0, "No": -12.0}), ["Yes", "No"], 0.5).reason
        'the labels have less than 1% of the probability'
    """
    if reply.refused or thinks(reply):
        return _ReadReply(reason=REFUSED if reply.refused else THINKING)
    if reply.alternatives is None:
        return _ReadReply(reason="log-probabilities were asked for and the server did not return them")
    sums = log_sums(reply.alternatives, labels, any_capitals=True)
    mass = mass_of(sums)
    if not np.isfinite(mass):
        return _ReadReply(reason=IMPOSSIBLE)
    if mass < least_mass:
        return _ReadReply(reason=little_mass(mass))
    if missing := [repr(label) for label, score in zip(labels, sums, strict=True) if np.isneginf(score)]:
        verb = "are" if len(missing) > 1 else "is"
        reason = f"{' and '.join(missing)} {verb} not among the most probable first tokens"
        return _ReadReply(reason=f"{reason}, so the log-odds have no value")
    return _ReadReply(int(sums.argmax()), mass=mass, log_odds=float(sums[0] - sums[1]))


class _Interview:
    """Requests to a model, and what was read of its replies.

    Args:
        model: the model.
        questions: all with the same number of options, at least one.
        protocol: how they are put and read.
        items: of each question, the name of what it asks about.
    """

    def __init__(
        self, model: Any, questions: Sequence[Question], protocol: Protocol, items: Sequence[str]
    ) -> None:
        self.model, self.questions, self.protocol, self.items = model, questions, protocol, items
        self.labels = protocol.instructions.labels[: len(questions[0].options)]
        self.alternatives = int(getattr(model, "alternatives", 0)) if protocol.reads_labels else 0
        self.orders = list(protocol.orders(len(self.labels)))
        self.requests = [
            (q, prompt_variant, order)
            for q in range(len(questions))
            for prompt_variant in range(protocol.instructions.count)
            for order in self.orders
        ]
        self.readings: dict[int, _ReadReply] = {}

    def prompt(self, i: int, unparsed: str = "") -> Prompt:
        """Return the text of a request. After a reply that states no option, the follow-up in the same conversation."""
        q, prompt_variant, order = self.requests[i]
        question = self.questions[q]
        listed = "\n".join(
            f"{label}. {question.options[i]}" for label, i in zip(self.labels, order, strict=True)
        )
        instructions = self.protocol.instructions
        put = (
            instructions.texts[question.kind][prompt_variant]
            .format(**question.fields, options=listed)
            .strip()
        )
        texts = (put, unparsed, follow_up_text(instructions.language)) if unparsed else (put,)
        place = self.orders.index(order)
        return Prompt(
            texts[-1], before=texts[:-1], item=self.items[q], prompt_variant=prompt_variant, order=place
        )

    def put(self, places: Sequence[int], tokens: int, unparsed: Mapping[int, str] | None = None) -> None:
        """Make requests for replies of so many tokens, and read what comes back.

        Args:
            places: numbers of the requests.
            tokens: most tokens of a reply.
            unparsed: of each request that is a follow-up, the reply before it.
        """
        settings = GenerationSettings(max_new_tokens=tokens)
        is_text = not self.alternatives or tokens > 1
        for start in range(0, len(places), _AT_ONCE):
            batch = places[start : start + _AT_ONCE]
            prompts = [self.prompt(i, (unparsed or {}).get(i, "")) for i in batch]
            replies = self.model.reply(prompts, settings, alternatives=self.alternatives)
            for i, reply in zip(batch, replies, strict=True):
                self.readings[i] = self._read(reply, *self.requests[i], is_text=is_text)

    def _read(
        self, replies: Sequence[Reply] | Skipped, q: int, _: int, order: Sequence[int], *, is_text: bool
    ) -> _ReadReply:
        """Return what a reply says, by its labels if they decide."""
        if isinstance(replies, Skipped):
            return _ReadReply(reason=replies.reason)
        (reply,) = replies
        if self.protocol.reads_log_odds:
            return _read_log_odds(reply, self.labels, self.protocol.least_mass)
        question, mass = self.questions[q], None
        if reply.alternatives is not None and not thinks(reply) and not reply.refused:
            place, mass = label_mass(reply.alternatives, self.labels)
            if mass >= LEAST_MASS:
                return _ReadReply(*((place, "") if isinstance(place, int) else (-1, place)), mass)
        aliases = {text: order.index(place) for text, place in question.aliases.items()}
        choice = self.protocol.parse(reply, [question.options[i] for i in order], self.labels, aliases)
        facts = (mass, not reply.refused, is_text, reply.thought_tokens)
        if isinstance(choice, int) and is_text:
            return _ReadReply(choice, "", *facts)
        unparsed = split_thoughts(reply.text).answer
        if isinstance(choice, int) or (choice == EMPTY and mass is not None):
            return _ReadReply(-1, little_mass(mass or 0.0), *facts, unparsed)
        return _ReadReply(-1, choice if mass is None else f"{choice}; {little_mass(mass)}", *facts, unparsed)

    def examples(self) -> list[dict[str, Any]]:
        """The first questions in their first prompt variant and order, each with its answer or the reason for none."""
        examples = []
        for i in range(0, len(self.requests), len(self.requests) // len(self.questions))[:QUESTIONS]:
            (q, _, order), (place, reason, *_) = self.requests[i], self.readings[i]
            outcome: dict[str, Any] = {"reason": reason}
            if self.protocol.reads_log_odds and place >= 0:
                outcome = {"log_odds": self.readings[i].log_odds}
            elif place >= 0:
                outcome = {"answer": f"{self.labels[place]}. {self.questions[q].options[order[place]]}"}
            examples.append({"question": self.prompt(i), **outcome})
        return examples


def _options(
    readings: Sequence[_ReadReply], requests: Sequence[tuple[int, int, tuple[int, ...]]]
) -> IntArray:
    """Return the options at the places that were read, -1 for none, shape (requests,)."""
    places = zip((one.place for one in readings), (order for _, _, order in requests), strict=True)
    return np.array([order[place] if place >= 0 else -1 for place, order in places])


def ask(model: Any, questions: Sequence[Question], protocol: Protocol, items: Sequence[str]) -> Choices:
    """Ask every question in every order of its options and in every prompt variant of a protocol.

    If the model gives the log-probabilities of its most likely first tokens, the labels decide if they have
    half of the probability, else the text does, see :mod:`.parsing`. The first requests ask for a text with
    log-probabilities. If most of them are read as texts, all are asked this way. Otherwise the others ask for one
    token, and again for a text if the labels have less than half. What states no option is followed up once, if the
    protocol says so. If a protocol reads log-odds, every request is for one token.

    Args:
        model: one that chats, see :class:`evaluate_bias.models.base.Chats`.
        questions: all with the same number of options, at least one.
        protocol: how they are put and read.
        items: of each question, the name of what it asks about.
    """
    interview = _Interview(model, questions, protocol, items)
    if hasattr(model, "announce"):
        model.announce(len(interview.requests), len(questions))
    requests, text = interview.requests, 1 if protocol.reads_log_odds else reply_tokens(model)
    tries = interview.alternatives and not protocol.reads_log_odds
    tried = range(min(_TRIAL_REQUESTS, len(requests)) if tries else 0)
    others = range(len(tried), len(requests))
    interview.put(tried, text)
    unsure = sum(interview.readings[i].needs_text for i in tried)
    interview.put(others, 1 if interview.alternatives and 2 * unsure <= len(tried) else text)
    again = [i for i in others if (one := interview.readings[i]).needs_text and not one.is_text]
    interview.put(again, text)
    first = [interview.readings[i] for i in range(len(requests))]
    unparsed = {i: one.unparsed for i, one in enumerate(first) if one.unparsed} if protocol.follow_up else {}
    interview.put(list(unparsed), text, unparsed)
    later = {i: interview.readings[i] for i in unparsed}
    # A follow-up that states no option either changes nothing.
    readings = [later[i] if i in later and later[i].place >= 0 else one for i, one in enumerate(first)]
    interview.readings = dict(enumerate(readings))
    thought_tokens = [
        one.thought_tokens for one in (*first, *later.values()) if one.thought_tokens is not None
    ]
    masses = [one.mass for one in first if one.mass is not None and np.isfinite(one.mass)]
    return Choices(
        question=np.array([q for q, _, _ in requests]),
        prompt_variant=np.array([w for _, w, _ in requests]),
        position=np.array([order.index(questions[q].target) for q, _, order in requests]),
        option=_options(readings, requests),
        place=np.array([one.place for one in readings]),
        first_option=_options(first, requests),
        log_odds=np.array([one.log_odds for one in readings]),
        reasons=tuple(one.reason for one in readings),
        n_questions=len(questions),
        n_options=len(interview.labels),
        n_prompt_variants=protocol.instructions.count,
        how=_BY_LABELS if interview.alternatives else "text of the reply",
        counts={
            "by_labels": sum(one.place >= 0 and not one.needs_text for one in readings),
            "from_text": sum(one.place >= 0 and one.needs_text for one in readings),
            "asked_again": len(again),
            **(
                {"followed_up": len(unparsed), "answered_then": sum(one.place >= 0 for one in later.values())}
                if unparsed
                else {}
            ),
        },
        thoughts={"thought_tokens": sum(thought_tokens)} if thought_tokens else {},
        label_share=float(np.mean(masses)) if masses else None,
        questions=tuple(interview.examples()),
    )
