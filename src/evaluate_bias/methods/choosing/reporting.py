"""What every method on choices reports: its score, what was asked, what was read, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.instructions import Instructions
from ...errors import UndefinedScoreError
from ...method import Finding
from ...result import Coverage, Estimate, Row, Skipped
from ...stats import FEWEST_COLUMNS
from ...text import counted
from ..rows import nothing_left, without_repeated
from .asking import Choices, IntArray, Question, ask
from .reading import BOTH, REFUSED, TRUNCATED
from .scores import Score, position_effect, ratio_score

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
class Questionnaire:
    """What is asked.

    Attributes:
        units: what the units are called, in the plural, such as ``"pairs"``.
        names: names of the units.
        questions: the questions, those of a unit side by side, as many of each.
        cluster: number of the cluster of each unit.
        clusters: what the clusters are called, in the plural.
        skipped: the units that are not asked about, with the reason.
        instructions: how the questions are put.
        level: confidence level.
    """

    units: str
    names: Sequence[str]
    questions: Sequence[Question]
    cluster: IntArray
    clusters: str
    skipped: Sequence[Skipped]
    instructions: Instructions
    level: float

    @property
    def total(self) -> int:
        """Number of units that the data hold."""
        return len(self.names) + len(self.skipped)

    @property
    def unit(self) -> IntArray:
        """Number of the unit of each question."""
        return np.repeat(np.arange(len(self.names)), len(self.questions) // len(self.names))

    def ratio(
        self,
        answers: ReadAnswers,
        top: FloatArray,
        bottom: FloatArray | None = None,
        unit: IntArray | None = None,
        **options: Any,
    ) -> Score:
        """The mean over units of Σ top / Σ bottom, by default the weights; see :func:`.scores.ratio_score`."""
        return ratio_score(
            top,
            answers.weight if bottom is None else bottom,
            answers.unit if unit is None else unit,
            self.cluster[answers.unit],
            answers.wording,
            level=self.level,
            what=self.clusters,
            **options,
        )


def choice_finding(
    model: Any,
    asked: Questionnaire,
    part: Callable[[ReadAnswers], dict[str, Any]],
    groups: Iterable[tuple[str, Mapping[str, str], Sequence[int]]],
    item: Callable[[int, ReadAnswers], tuple[Mapping[str, str], Mapping[str, Any]]],
    *,
    group_part: Callable[[ReadAnswers], dict[str, Any]] | None = None,
) -> Finding:
    """Ask a model and make a finding of its choices.

    Args:
        model: one that chats.
        asked: what is asked.
        part: what is said of some answers, by the names that a finding and a row have for it, and ``skipped`` of all
            answers; raises :class:`UndefinedScoreError` where they have no score.
        groups: name, labels and units of each row of the breakdown.
        item: labels and details of a unit, given its number and its answers.
        group_part: what is said of a row of the breakdown, where it is another than ``part``.

    Raises:
        UndefinedScoreError: there is nothing to ask, nothing was read, or the score is undefined.
    """
    if not asked.names:
        raise nothing_left(f"none of the {asked.total} {asked.units} can be asked about", asked.skipped)
    choices = ask(model, asked.questions, asked.instructions)
    answers = _answers(choices, asked.unit)
    scored = np.unique(answers.unit).tolist()
    unit = asked.unit[choices.question]
    unread = _unread(choices, unit, asked.names, set(scored))
    if not scored:
        raise nothing_left(
            f"none of the {len(asked.names)} {asked.units} has an answer for every order of its options",
            unread,
        )
    whole = part(answers)
    skipped = [*asked.skipped, *unread, *whole.pop("skipped", ())]
    rows = []
    for name, labels, units in groups:
        if not (members := sorted(set(units) & set(scored))):
            continue
        try:
            own = (group_part or part)(answers.of(members))
        except UndefinedScoreError as error:
            named = " ".join((name, *(f"({text})" for text in labels.values())))
            skipped.append(Skipped(named, str(error), "groups"))
            continue
        own.pop("skipped", None)
        rows.append(Row(name=name, kind="group", labels=labels, **without_repeated(own, whole)))
    read, each = (np.bincount(unit, weights).astype(int).tolist() for weights in (choices.option >= 0, None))
    for i in scored:
        labels, details = item(i, answers.of([i]))
        details = {**details, "read": read[i], "asked": each[i]}
        rows.append(Row(name=asked.names[i], kind="item", labels=labels, details=details))
    counts = answer_counts(len(unit), [reason for reason in choices.reasons if reason])
    share = {} if choices.label_share is None else {"label_probability": choices.label_share}
    effect = position_effect(choices, asked.cluster[asked.unit], asked.level, asked.clusters)
    readable = Estimate(counts["read"] / counts["asked"])
    whole["estimates"] = {**whole.get("estimates", {}), "position_effect": effect, "readable": readable}
    whole["details"] = {
        "requests": counts, "questions": list(choices.questions), **share, **whole.get("details", {})
    }  # fmt: skip
    return Finding(
        **whole,
        coverage=Coverage(len(scored), asked.total),
        rows=rows,
        skipped=skipped,
        warnings=_warnings(choices, counts),
        settings={"answers": choices.how, **asked.instructions.facts()},
    )


def _answers(choices: Choices, unit: IntArray) -> ReadAnswers:
    """The answers about units all of whose questions are scored."""
    weights = choices.weights()
    questions = np.bincount(choices.question, weights=weights, minlength=choices.n_questions) > 0
    complete = np.bincount(unit, weights=~questions) == 0
    of_answer = unit[choices.question]
    kept = (weights > 0) & complete[of_answer]
    columns = (of_answer, choices.question, choices.wording, choices.option, weights)
    return ReadAnswers(*(column[kept] for column in columns))


def kind_of(reason: str) -> str:
    """What an answer was that chose nothing: ``"refused"``, ``"truncated"``, ``"both"`` or ``"unreadable"``."""
    kinds = {REFUSED: "refused", TRUNCATED: "truncated", BOTH: "both"}
    return next((kind for begins, kind in kinds.items() if reason.startswith(begins)), "unreadable")


def answer_counts(asked: int, reasons: Sequence[str]) -> dict[str, int]:
    """How many answers were asked for, were read, and were not, by what they were."""
    return {"asked": asked, "read": asked - len(reasons), **Counter(map(kind_of, reasons))}


def _unread(choices: Choices, unit: IntArray, names: Sequence[str], scored: set[int]) -> list[Skipped]:
    """Every unit of which an answer was not read: how many and why, and whether it still has a score."""
    reasons: dict[int, list[str]] = {}
    for i, reason in zip(unit.tolist(), choices.reasons, strict=True):
        if reason:
            reasons.setdefault(i, []).append(reason)
    each = np.bincount(unit).tolist()
    return [
        Skipped(names[i], unread_reason(why, each[i]), "answers" if i in scored else "")
        for i, why in reasons.items()
    ]


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
