"""What every method on choices reports: its score, what was asked, what was read, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...errors import NothingReadError, UndefinedScoreError
from ...method import Finding
from ...result import FOLLOWS_OPTION_ORDER, Coverage, Estimate, Row, Sampled, Skipped, option_order
from ...stats import FEWEST_COLUMNS
from ...text import counted
from ..replies import REFUSED, THINKING, TRUNCATED, UNASKED
from ..rows import digest, group_rows, nothing_left, places_of
from .asking import Choices, IntArray, Protocol, Question, ask
from .parsing import BOTH
from .scores import Score, option_order_effect, ratio_score

BOUNDS = "bounds"
"""Key of what a score would be if the answers that were not read were all at either end of its range."""
FIRST_REPLIES = "first_replies"
"""Key of the score of replies before any follow-up."""
_MANY_FOLLOW_UPS = 0.05
"""Share of requests that were followed up from which a warning says so."""
_ONE_LABEL, _FEWEST_ANSWERS = 0.9, 20
"""Answers follow option order if one label is this share of at least so many."""
_KINDS = ("refused", "both", "truncated", "thinking", "unreadable", "unasked")
"""The states of answers that choose nothing. ``"thinking"`` means that the reply ended in its reasoning."""


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """Answers that count, one entry each: shape (answers,).

    Attributes:
        unit: number of the unit, such as the pair, that the answer is about.
        question: number of the question.
        prompt_variant: number of the prompt variant.
        option: the option that was chosen.
        weight: how much the answer counts, see :meth:`.asking.Choices.weights`.
    """

    unit: IntArray
    question: IntArray
    prompt_variant: IntArray
    option: IntArray
    weight: FloatArray

    def of(self, units: Sequence[int]) -> ReadAnswers:
        """Return the answers about some units."""
        return self.where(np.isin(self.unit, units))

    def where(self, selection: npt.NDArray[np.bool_] | slice) -> ReadAnswers:
        """Return the answers for which an array of shape (answers,) is true, or answers of a slice."""
        return ReadAnswers(*(getattr(self, f.name)[selection] for f in fields(self)))

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
        questions: the questions, a unit's side by side, as many of each.
        cluster: number of the cluster of each unit.
        clusters: what the clusters are called, in the plural.
        skipped: the units that are not asked about, with the reason.
        protocol: how the questions are put and the replies read. ``None`` for choices that are looked up.
        confidence_level: confidence level.
        lowest: of each question, the option that lowers the score most, by default the second.
        highest: the one that raises it most, by default the first.
    """

    units: str
    names: Sequence[str]
    questions: Sequence[Question]
    cluster: IntArray
    clusters: str
    skipped: Sequence[Skipped]
    protocol: Protocol | None
    confidence_level: float
    lowest: IntArray | None = None
    highest: IntArray | None = None

    @property
    def total(self) -> int:
        """Return the number of units in the data."""
        return len(self.names) + len(self.skipped)

    @property
    def unit(self) -> IntArray:
        """Number of the unit of each question."""
        return np.repeat(np.arange(len(self.names)), len(self.questions) // len(self.names))

    def sampled(self, n_prompt_variants: int) -> Sampled:
        """Return what is drawn: the clusters, and prompt variants if there are five or more (else taken as given)."""
        if n_prompt_variants >= FEWEST_COLUMNS:
            return Sampled((self.clusters, "prompt variants"))
        return Sampled((self.clusters,), {"prompt variants": n_prompt_variants} if n_prompt_variants else {})

    def ratio(
        self,
        answers: ReadAnswers,
        top: FloatArray,
        bottom: FloatArray | None = None,
        unit: IntArray | None = None,
        **options: Any,
    ) -> Score:
        """Return the mean over units of Σ top / Σ bottom, by default the weights, see :func:`.scores.ratio_score`."""
        return ratio_score(
            top,
            answers.weight if bottom is None else bottom,
            answers.unit if unit is None else unit,
            self.cluster[answers.unit],
            answers.prompt_variant,
            confidence_level=self.confidence_level,
            what=self.clusters,
            **options,
        )


def choice_finding(
    model: Any,
    survey: Questionnaire,
    part: Callable[[ReadAnswers], dict[str, Any]],
    groups: Iterable[tuple[str, Mapping[str, str], Sequence[int]]],
    item: Callable[[int, ReadAnswers], tuple[Mapping[str, str], Mapping[str, Any]]],
    *,
    group_part: Callable[[ReadAnswers], dict[str, Any]] | None = None,
) -> Finding:
    """Ask a model and make a finding of its choices.

    Args:
        model: one that chats.
        survey: what is asked.
        part: what is said of some answers, by the names that a finding and a row have for it, and ``skipped`` of all
            answers. Raises :class:`UndefinedScoreError` if they have no score.
        groups: name, labels and units of each row of the breakdown.
        item: labels and details of a unit, given its number and its answers. Its numbers are sums over
            answers.
        group_part: what is said of a row of the breakdown, if it differs from ``part``.

    Raises:
        UndefinedScoreError: there is nothing to ask, nothing was read, or the score is undefined.
    """
    assert survey.protocol is not None
    if not survey.names:
        raise nothing_left(f"none of the {survey.total} {survey.units} can be asked about", survey.skipped)
    choices = ask(model, survey.questions, survey.protocol, [survey.names[i] for i in survey.unit])
    finding = report_choices(choices, survey, part, groups, item, group_part=group_part)
    counts = answer_counts(len(choices.reasons), [reason for reason in choices.reasons if reason])
    estimates, skipped, warnings = dict(finding.estimates), list(finding.skipped), list(finding.warnings)
    if choices.counts.get("answered_then"):
        first = _answers(choices.first_replies(), survey.unit)
        try:
            if not len(first.unit):
                raise UndefinedScoreError("no first reply states an option in every order")
            facts = part(first)
        except UndefinedScoreError as error:
            skipped.append(Skipped("score of first replies", str(error), "answers"))
        else:
            ends = (facts[key] for key in ("score", "ci_low", "ci_high", "p_value"))
            estimates[FIRST_REPLIES] = Estimate(*ends)
    estimates["option_order_effect"] = option_order_effect(
        choices, survey.cluster[survey.unit], survey.confidence_level, survey.clusters
    )
    estimates["readable"] = Estimate(counts["read"] / counts["asked"])
    details: dict[str, Any] = {"requests": counts, "questions": list(choices.questions)}
    if choices.label_share is not None:
        details["label_probability"] = choices.label_share
    details |= {"reading": dict(choices.counts), **choices.thoughts}
    if order := _follows_option_order(choices, survey.protocol.instructions.labels):
        details |= order
        warnings.insert(0, f"{option_order(order)}, so nothing follows from the score")
    if (share := choices.counts.get("followed_up", 0) / counts["asked"]) >= _MANY_FOLLOW_UPS:
        warnings.append(
            f"{choices.counts['followed_up']:,} of {counts['asked']:,} replies ({share:.1%}) stated no "
            f"option and were followed up: {choices.counts['answered_then']:,} of them stated one then. "
            "Some models that refuse at first choose when they are asked again: compare the score with the "
            "score of first replies"
        )
    return replace(
        finding,
        estimates=estimates,
        details={**details, **finding.details},
        skipped=skipped,
        warnings=[*warnings, *prompt_variants_warning(choices.n_prompt_variants)],
        settings={**finding.settings, **survey.protocol.facts()},
    )


def report_choices(
    choices: Choices,
    survey: Questionnaire,
    part: Callable[[ReadAnswers], dict[str, Any]],
    groups: Iterable[tuple[str, Mapping[str, str], Sequence[int]]],
    item: Callable[[int, ReadAnswers], tuple[Mapping[str, str], Mapping[str, Any]]],
    *,
    group_part: Callable[[ReadAnswers], dict[str, Any]] | None = None,
    bounds_part: Callable[[ReadAnswers], dict[str, Any]] | None = None,
) -> Finding:
    """Make a finding of choices that a model made, or that were looked up.

    Args:
        choices: the choices.
        survey: what was asked.
        part: as of :func:`choice_finding`, as are ``groups``, ``item`` and ``group_part``.
        bounds_part: what is said of all answers when those that were not read are filled in, if it differs from
            ``part``.

    Raises:
        UndefinedScoreError: nothing was read, or the score is undefined.
    """
    answers = _answers(choices, survey.unit)
    scored = np.unique(answers.unit).tolist()
    unit = survey.unit[choices.question]
    unread = list_unread(choices, unit, survey.names, set(scored))
    if not scored:
        in_all = " for every order of its options" if choices.n_options > 1 else ""
        error = nothing_left(
            f"none of the {survey.total} {survey.units} has an answer{in_all}", [*unread, *survey.skipped]
        )
        raise NothingReadError(str(error)) if all(choices.reasons) else error
    whole = part(answers)
    if unread:
        n = len(survey.questions)
        ends = (np.ones(n, int) if survey.lowest is None else survey.lowest,
                np.zeros(n, int) if survey.highest is None else survey.highest)  # fmt: skip
        of_end = bounds_part or part
        whole = with_bounds(
            whole, *(of_end(_answers(choices.with_unread(options), survey.unit)) for options in ends)
        )
    skipped = [*survey.skipped, *unread, *whole.pop("skipped", ())]
    of_group = group_part or part
    rows, without_score = group_rows(groups, scored, lambda members: of_group(answers.of(members)), whole)
    rows += _unit_rows(survey, choices, answers, item)
    counts = answer_counts(len(unit), [reason for reason in choices.reasons if reason])
    return Finding(
        **whole,
        sampled=survey.sampled(choices.n_prompt_variants),
        coverage=Coverage(len(scored), survey.total),
        rows=rows,
        skipped=[*skipped, *without_score],
        warnings=unread_warning(counts),
        settings={"answers": choices.how},
    )


def _follows_option_order(choices: Choices, labels: Sequence[str]) -> dict[str, Any]:
    """The label that nearly all answers are, whatever option it comes before, if every option had it equally often."""
    places = choices.place[choices.place >= 0]
    cells = np.bincount(choices.question * choices.n_options + choices.position)
    if len(places) < _FEWEST_ANSWERS or np.ptp(cells):
        return {}
    counts = np.bincount(places, minlength=choices.n_options)
    share = float(counts.max() / len(places))
    if share < _ONE_LABEL:
        return {}
    return {FOLLOWS_OPTION_ORDER: {"label": labels[int(counts.argmax())], "share": share}}


def with_bounds(
    facts: Mapping[str, Any], low: Mapping[str, Any], high: Mapping[str, Any], *, what: str = "the score"
) -> dict[str, Any]:
    """A finding's facts with the bounds of its score if all answers that were not read were at either end (Manski).

    Args:
        facts: what is reported, with the ``score``.
        low: ``score`` and ``ci_low`` if every unread answer lowered the score as far as it can.
        high: ``score`` and ``ci_high`` if every one raised it.
        what: what is bounded, in words.

    Returns:
        The facts with the estimate ``bounds``, whose ends are from the two intervals, and with the two scores in
        ``details["bounds"]``.

    Examples:
        >>> facts = with_bounds({"score": 0.6}, {"score": 0.5, "ci_low": 0.4}, {"score": 0.7, "ci_high": None})
        >>> facts["estimates"]["bounds"], facts["details"]["bounds"]
        (Estimate(value=0.6, low=0.4, high=0.7, p=None), {'low': 0.5, 'high': 0.7, 'of': 'the score'})
    """
    ends = {"low": low["score"], "high": high["score"]}
    sampled = {
        side: end for side, end in (("low", low["ci_low"]), ("high", high["ci_high"])) if end is not None
    }
    return {
        **facts,
        "estimates": {**facts.get("estimates", {}), BOUNDS: Estimate(facts["score"], **{**ends, **sampled})},
        "details": {**facts.get("details", {}), BOUNDS: {**ends, "of": what}},
    }


def _unit_rows(
    survey: Questionnaire,
    choices: Choices,
    answers: ReadAnswers,
    item: Callable[[int, ReadAnswers], tuple[Mapping[str, str], Mapping[str, Any]]],
) -> Iterator[Row]:
    """A row for each unit that has answers."""
    each_unit, unit = len(survey.questions) // len(survey.names), survey.unit[choices.question]
    n_read, each = (
        np.bincount(unit, weights).astype(int).tolist() for weights in (choices.option >= 0, None)
    )
    # Answers appear in the order of their units.
    scored = np.unique(answers.unit).tolist()
    bounds = np.searchsorted(answers.unit, [*scored, len(survey.names)])
    for i, start, end in zip(scored, bounds, bounds[1:], strict=False):
        about = answers.where(slice(start, end))
        labels, details = item(i, about)
        put = survey.questions[i * each_unit : (i + 1) * each_unit]
        counts = {"read": n_read[i], "asked": each[i]} if choices.n_prompt_variants else {}
        questions = digest(text for q in put for text in (*q.fields.values(), *q.options))
        details = {**details, **counts, "questions": questions}
        if choices.n_prompt_variants >= FEWEST_COLUMNS:
            details["prompt_variants"] = _by_prompt_variant(
                partial(item, i), about, choices.n_prompt_variants
            )
        yield Row(name=survey.names[i], kind="item", labels=labels, details=details)


def _answers(choices: Choices, unit: IntArray) -> ReadAnswers:
    """Return the answers about units all of whose questions are scored."""
    weights = choices.weights()
    questions = np.bincount(choices.question, weights=weights, minlength=choices.n_questions) > 0
    complete = np.bincount(unit, weights=~questions) == 0
    of_answer = unit[choices.question]
    counts = (weights > 0) & complete[of_answer]
    columns = (of_answer, choices.question, choices.prompt_variant, choices.option, weights)
    return ReadAnswers(*(column[counts] for column in columns))


def _by_prompt_variant(
    item: Callable[[ReadAnswers], tuple[Mapping[str, str], Mapping[str, Any]]], answers: ReadAnswers, n: int
) -> dict[str, list[float]]:
    """What each of n prompt variants adds to the numbers of a unit and, as ``weight``, to the 1 that it counts."""
    cells = [answers.where(answers.prompt_variant == prompt_variant) for prompt_variant in range(n)]
    numbers = [item(cell)[1] for cell in cells]
    keys = [key for key, value in numbers[0].items() if isinstance(value, float)]
    total = float(answers.weight.sum())
    return {
        **{key: [round(cell[key], 12) for cell in numbers] for key in keys},
        "weight": [round(float(cell.weight.sum()) / total, 12) for cell in cells],
    }


def kind_of(reason: str) -> str:
    """Return what an answer was that chose nothing: one of :data:`_KINDS`."""
    kinds = {REFUSED: "refused", TRUNCATED: "truncated", THINKING: "thinking", BOTH: "both",
             UNASKED: "unasked"}  # fmt: skip
    return next((kind for begins, kind in kinds.items() if reason.startswith(begins)), "unreadable")


def answer_counts(n_requested: int, reasons: Sequence[str]) -> dict[str, int]:
    """Return how many answers were asked for, were read, and were not, by what they were."""
    return {"asked": n_requested, "read": n_requested - len(reasons), **Counter(map(kind_of, reasons))}


def list_unread(choices: Choices, unit: IntArray, names: Sequence[str], scored: set[int]) -> list[Skipped]:
    """Return every name of which an answer was not read: how many and why, and whether it still has a score."""
    units = unit.tolist()
    return [
        Skipped(
            name, unread_reason(why, len(places)), "answers" if scored & {units[i] for i in places} else ""
        )
        for name, places in places_of(names[i] for i in units).items()
        if (why := [choices.reasons[place] for place in places if choices.reasons[place]])
    ]


def unread_reason(why: Sequence[str], n_requested: int) -> str:
    """Return how many answers about a unit were not read, and why. For a single answer, return only why."""
    if n_requested == 1:
        return why[0]
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(map(kind_of, why)).items())
    return f"{len(why)} of {n_requested} answers were not read ({kinds}). The first: {why[0]}"


def unread_warning(counts: Mapping[str, int]) -> list[str]:
    """Return how many requests have no answer that was read, if any has none."""
    if not (missing := counts["asked"] - counts["read"]):
        return []
    kinds = ", ".join(f"{counts[k]:,} {k}" for k in _KINDS if k in counts)
    return [
        f"{missing:,} of {counts['asked']:,} answers ({missing / counts['asked']:.1%}) could not be read "
        f"({kinds}). They count for nothing, and the score is about the others"
    ]


def interval_warning(how: str) -> list[str]:
    """Return why a score has no interval, or what its interval takes as given because too little of it was read.

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


def prompt_variants_warning(n: int) -> list[str]:
    """Return a note that the interval does not cover prompt variants, if they are too few."""
    if n >= FEWEST_COLUMNS:
        return []
    return [
        f"the questions were put in {counted(n, 'prompt variant')}: the interval does not cover how the "
        "score changes with the prompt variant, which needs five (`protocol` 'robust')"
    ]
