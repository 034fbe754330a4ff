"""What every method on choices reports: its score, what was asked, what was read, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.instructions import Instructions
from ...errors import UndefinedScoreError, quoted
from ...method import Finding
from ...result import Coverage, Estimate, Row, Skipped
from ...stats import FEWEST_COLUMNS
from ...text import counted
from .asking import Choices, IntArray, Question, ask
from .reading import BOTH, REFUSED, TRUNCATED
from .scores import Score, position_effect

GroupOfUnits = tuple[str, Mapping[str, str], Sequence[int]]
"""Name, labels and units of a row of the breakdown."""

_LITTLE = 0.5


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """Answers that count, one entry each: shape (answers,).

    Attributes:
        unit: number of the unit, such as the pair, that the answer is about.
        question: number of the question.
        wording: number of the wording.
        option: the option that was chosen.
        weight: how much the answer counts; see :meth:`.asking.Choices.weights`.
    """

    unit: IntArray
    question: IntArray
    wording: IntArray
    option: IntArray
    weight: FloatArray

    def of(self, units: Sequence[int]) -> ReadAnswers:
        """The answers about some units."""
        kept = np.isin(self.unit, units)
        return ReadAnswers(*(getattr(self, f.name)[kept] for f in fields(self)))

    def share(self, option: int, n: int) -> FloatArray:
        """Share of an option among the choices of each of n units with one question, in percent."""
        chosen = self.weight * (self.option == option)
        return np.asarray(100 * np.bincount(self.unit, weights=chosen, minlength=n), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ChoiceScore:
    """A score of some answers, with what stands beside it.

    Attributes:
        score: the score.
        n: number of units that it is of.
        estimates: secondary values.
        ideal: where it differs from the record's.
        skipped: what has no part in it, for the whole score alone.
        details: further facts.
    """

    score: Score
    n: int
    estimates: dict[str, Estimate] = field(default_factory=dict)
    ideal: float | None = None
    skipped: Sequence[Skipped] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """By the names that a finding and a row have for them."""
        return {**self.score.facts(), "n": self.n, "ideal": self.ideal}


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """What is asked.

    Attributes:
        method: name of the method.
        units: what the units are called, in the plural, such as ``"pairs"``.
        names: names of the units.
        questions: the questions, those of a unit side by side.
        unit: number of the unit of each question.
        cluster: number of the cluster of each unit.
        clusters: what the clusters are called, in the plural.
        total: number of units that the data hold.
        skipped: those that are not asked about, with the reason.
        instructions: how the questions are put.
        level: confidence level.
    """

    method: str
    units: str
    names: Sequence[str]
    questions: Sequence[Question]
    unit: Sequence[int]
    cluster: Sequence[int]
    clusters: str
    total: int
    skipped: Sequence[Skipped]
    instructions: Instructions
    level: float


def choice_finding(
    model: Any,
    asked: Questionnaire,
    part: Callable[[ReadAnswers], ChoiceScore],
    groups: Sequence[GroupOfUnits],
    item: Callable[[int, ReadAnswers], tuple[Mapping[str, str], Mapping[str, Any]]],
    *,
    group_part: Callable[[ReadAnswers], ChoiceScore] | None = None,
) -> Finding:
    """Ask a model and make a finding of its choices.

    Args:
        model: one that chats.
        asked: what is asked.
        part: the score of some answers; raises :class:`UndefinedScoreError` where they have none.
        groups: name, labels and units of each row of the breakdown.
        item: labels and details of a unit, given its number and its answers.
        group_part: the score of a row of the breakdown, where it is another than ``part``.

    Raises:
        UndefinedScoreError: there is nothing to ask, nothing was read, or the score is undefined.
    """
    if not asked.questions:
        first = asked.skipped[0]
        raise UndefinedScoreError(
            f"none of the {asked.total} {asked.units} can be asked about; the first, {quoted(first.item)}: "
            f"{first.reason}"
        )
    choices = ask(model, asked.questions, asked.instructions)
    answers = _answers(choices, np.asarray(asked.unit))
    scored = np.unique(answers.unit).tolist()
    unread = _unread(choices, asked, set(scored))
    if not scored:
        raise UndefinedScoreError(
            f"none of the {len(asked.names)} {asked.units} has an answer for every order of its options; the first, "
            f"{quoted(unread[0].item)}: {unread[0].reason}"
        )
    whole = part(answers)
    rows, undefined = [], []
    for name, labels, units in groups:
        if not (members := sorted(set(units) & set(scored))):
            continue
        try:
            found = (group_part or part)(answers.of(members))
        except UndefinedScoreError as error:
            undefined.append(
                Skipped(" ".join((name, *(f"({text})" for text in labels.values()))), str(error), "groups")
            )
            continue
        own = found.facts()
        own |= {name: "" for name in ("ci_method", "p_method") if own[name] == whole.facts()[name]}
        own |= {"estimates": found.estimates, "details": found.details}
        rows.append(Row(name=name, kind="group", labels=labels, **own))
    counts = _counts(choices)
    questions = np.asarray(asked.unit)
    each = np.bincount(questions[choices.question], minlength=len(asked.names))
    read = np.bincount(questions[choices.question], weights=choices.option >= 0, minlength=len(asked.names))
    for i in scored:
        labels, details = item(i, answers.of([i]))
        asked_of_it = {"read": int(read[i]), "asked": int(each[i])}
        rows.append(Row(name=asked.names[i], kind="item", labels=labels, details={**details, **asked_of_it}))
    of_question = np.asarray(asked.cluster)[questions]
    share = {} if choices.label_share is None else {"label_probability": choices.label_share}
    return Finding(
        **whole.facts(),
        coverage=Coverage(len(scored), asked.total),
        rows=rows,
        skipped=[*asked.skipped, *unread, *whole.skipped, *undefined],
        warnings=_warnings(choices, counts),
        estimates={
            **whole.estimates,
            "position_effect": position_effect(choices, of_question, asked.level, asked.clusters),
            "readable": Estimate(counts["read"] / counts["asked"]),
        },
        details={"requests": counts, "questions": list(choices.questions), **share, **whole.details},
        settings={"answers": choices.how, **asked.instructions.facts()},
    )


def _answers(choices: Choices, unit: IntArray) -> ReadAnswers:
    """The answers about units all of whose questions are scored."""
    weights = choices.weights()
    questions = np.bincount(choices.question, weights=weights, minlength=choices.n_questions) > 0
    complete = np.bincount(unit, weights=~questions) == 0
    kept = (weights > 0) & complete[unit[choices.question]]
    return ReadAnswers(
        *(
            part[kept]
            for part in (unit[choices.question], choices.question, choices.wording, choices.option, weights)
        )
    )


def kind_of(reason: str) -> str:
    """What an answer was that chose nothing: ``"refused"``, ``"truncated"``, ``"both"`` or ``"unreadable"``."""
    kinds = {REFUSED: "refused", TRUNCATED: "truncated", BOTH: "both"}
    return next((kind for begins, kind in kinds.items() if reason.startswith(begins)), "unreadable")


def _counts(choices: Choices) -> dict[str, int]:
    found = Counter(kind_of(reason) for reason in choices.reasons if reason)
    return {"asked": len(choices.reasons), "read": int((choices.option >= 0).sum()), **found}


def _unread(choices: Choices, asked: Questionnaire, scored: set[int]) -> list[Skipped]:
    """Every unit of which an answer was not read: how many and why, and whether it still has a score."""
    reasons: dict[int, list[str]] = {}
    for q, reason in zip(choices.question.tolist(), choices.reasons, strict=True):
        if reason:
            reasons.setdefault(asked.unit[q], []).append(reason)
    each = Counter(asked.unit[q] for q in choices.question.tolist())
    out = []
    for unit, why in reasons.items():
        text = unread_reason(why, each[unit])
        out.append(Skipped(asked.names[unit], text, "answers" if unit in scored else ""))
    return out


def unread_reason(why: Sequence[str], asked: int) -> str:
    """How many answers about a unit were not read, and why."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(map(kind_of, why)).items())
    return f"{len(why)} of {asked} answers were not read ({kinds}); the first: {why[0]}"


def _warnings(choices: Choices, counts: Mapping[str, int]) -> list[str]:
    said = unread_warning(counts)
    if choices.label_share is not None and choices.label_share < _LITTLE:
        said.append(
            f"the labels have {choices.label_share:.1%} of the probability on average: the model would mostly say "
            "something else than a label"
        )
    return said + wordings_warning(choices.n_wordings)


def unread_warning(counts: Mapping[str, int]) -> list[str]:
    """How many requests have no answer that was read, if any has none."""
    if not (missing := counts["asked"] - counts["read"]):
        return []
    kinds = ", ".join(
        f"{counts[k]:,} {k}" for k in ("refused", "both", "truncated", "unreadable") if k in counts
    )
    return [
        f"{missing:,} of {counts['asked']:,} answers ({missing / counts['asked']:.1%}) could not be read "
        f"({kinds}); they count for nothing, and the score speaks of the others"
    ]


def interval_warning(how: str) -> list[str]:
    """Why a score has no interval, or what its interval takes as given as too little of it was read.

    Args:
        how: how the interval was made, as :class:`.scores.Score` has it.

    Examples:
        >>> interval_warning("Student's t, over words, for these pairs of group words alone")
        ['answers to fewer than 5 pairs of group words, whose choice the interval does not reflect']
        >>> interval_warning("none: words are fewer than two")
        ['there is no interval: words are fewer than two']
    """
    why = how.removeprefix("none: ")
    if why != how:
        return [f"there is no interval: {why}"]
    fixed = how.partition("for these ")[2].removesuffix(" alone")
    text = f"answers to fewer than {FEWEST_COLUMNS} {fixed}, whose choice the interval does not reflect"
    return [text] if fixed else []


def wordings_warning(n: int) -> list[str]:
    """That the interval does not cover wordings, where they are too few."""
    if n >= FEWEST_COLUMNS:
        return []
    return [
        f"the questions were put in {counted(n, 'wording')}: the interval does not cover how the "
        "score changes with the wording, for which it takes five"
    ]
