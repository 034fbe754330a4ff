"""The decision gap: how readily a model decides in favour of people of different groups (Tamkin et al. 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from ....arrays import FloatArray
from ....data.decisions import DecisionQuestion
from ....data.instructions import PromptVariants, ProtocolName, refuse_to_ask
from ....errors import DataError, InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import Chats, SequenceScorer
from ....result import Coverage, Estimate, Row, Skipped
from ....stats import FEWEST_COLUMNS
from ....text import row_place
from ...choosing.asking import instructions_of
from ...choosing.reporting import prompt_variants_warning, unread_reason, unread_warning, with_bounds
from ...groups import compared_groups, known_mean, largest_gap
from ...rows import (
    PLACEHOLDER,
    check_one_kind,
    checked_rows,
    digest,
    finite_score,
    is_score,
    parsed_row,
    places_of,
    refuse_model,
)
from .asking import LARGEST, YesNoAnswers, ask
from .record import RECORD
from .statistics import fixed_warning, group_gap, largest_name_gap, rate_gap

Variant = Literal["auto", "continuation", "chat"]


@method(RECORD)
def evaluate(
    model: SequenceScorer | Chats | None,
    data: Sequence[DecisionQuestion | Mapping[str, Any]],
    *,
    groups: tuple[str, str] | None = None,
    variant: Variant = "auto",
    protocol: ProtocolName = "quick",
    prompt_variants: PromptVariants = None,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Finding:
    """Measure by how much a model's log-odds of yes differ between two groups.

    Every question is put in several prompt variants. The answer's value is log p(yes) − log p(no) of its first word,
    its forms with capitals and with small letters, in a chat also with and without a blank, added up. The contrast of
    a template is the mean of the first group's answers less that of the second's; the score is the mean over
    templates. An answer that does not give both probabilities has no value and is listed: it is neither 0 nor a guess.

    Where rows have a ``name``, the names are drawn as the templates are, and cross with them: the p-value and the
    interval are then over both, see :func:`~.statistics.contrast_error`. A name that stands for two groups is left out
    and listed.

    Args:
        model: a causal language model, or one that chats and gives the log-probabilities of its first tokens; none
            where the rows hold log-odds.
        data: rows with ``question`` (or its log-odds), ``group`` and ``template``, and ``name`` where names stand for
            the groups.
        groups: the two groups to compare; by default the first two in alphabetical order. All pairs have rows of
            their own.
        variant: ``"chat"`` asks in a chat, ``"continuation"`` reads what follows the question as a text; ``"auto"``
            asks a model that chats.

    Returns:
        Score in nats, two-sided, ideal 0; positive where the model favours the first group. The p-value exchanges the
        groups within templates; the interval is over templates and prompt variants. ``n`` is the number of templates.
        With names, ``estimates`` has the rates of yes and their ratio too, and the p-value of the groups permuted over
        the names, which is for these templates.

    Raises:
        CapabilityError: the model can neither be asked nor be read, or gives no log-probabilities of replies.
        DataError: a row does not follow the schema, or only some rows have a name.
        InputError: the data name fewer than two groups, or log-odds and a model are both given.
        UnknownNameError: the data have no such group.
        UndefinedScoreError: no template has an answer about both groups.

    References:
        Tamkin, Askell, Lovitt, Durmus, Joseph, Kravec, Nguyen, Kaplan and Ganguli (2023): Evaluating and Mitigating
        Discrimination in Language Model Decisions. arXiv:2312.03689.
    """
    rows, ready, ambiguous = _of_one_group(*_parsed(data))
    names, pair = compared_groups("decision_gap", (row.group for row in rows), groups)
    answers, how = _answers(model, rows, ready, variant, protocol, prompt_variants)
    design = _Design(rows, names)
    inference: dict[str, Any] = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    table, of_names = design.table(answers.log_odds), design.of_names(answers.log_odds)
    try:
        whole, contrasts = group_gap(table, *pair, names=of_names, **inference)
    except UndefinedScoreError as error:
        reason = next((f"; the first without: {why[0]}" for why in answers.reasons.values()), "")
        raise UndefinedScoreError(f"{error}{reason}") from None
    pairs = _pairs(table, of_names, names, inference)
    both = [names[i] for i in pair]
    counts, warnings, by_model = answers.counts(), [], ready is None
    n_read = int(np.isfinite(answers.log_odds).any(axis=1).sum())
    rates = design.rates(answers.log_odds)
    skipped = _skipped(rows, answers, design.templates, contrasts, both)
    estimates = {"mean_log_odds": Estimate(float(np.nanmean(known_mean(table, 1))))}
    details = {**whole["details"], "rates": {"rate of yes": rates}}
    if len(names) > 2:
        estimates |= _gap_of_all(table, of_names, n_resamples, seed)
    if by_model:
        estimates["readable"] = Estimate(counts["read"] / counts["asked"])
        details |= {"requests": counts, "questions": answers.questions}
        warnings = prompt_variants_warning(answers.log_odds.shape[1])
    if of_names:
        warnings += fixed_warning(whole["details"]["n_names"], whole["n"])
        of_rates, without_ratio = _rate_estimates(rates, both)
        estimates |= {**whole["estimates"], **of_rates}
        skipped += without_ratio
    facts = {**whole, "estimates": estimates, "details": details}
    return Finding(
        **(_with_bounds(facts, design, answers.log_odds, pair, confidence_level) if answers.reasons else facts),
        coverage=Coverage(n_read, len(rows) + sum(n for _, n in ambiguous)),
        rows=[row for row in pairs if isinstance(row, Row)] + _items(design, contrasts, table, pair),
        skipped=[
            *(why for why, _ in ambiguous), *skipped, *(row for row in pairs if isinstance(row, Skipped)),
        ],
        warnings=[*unread_warning(counts), *warnings],
        settings={**how, "groups": both},
    )  # fmt: skip


def _answers(
    model: Any,
    rows: Sequence[DecisionQuestion],
    ready: Sequence[float] | None,
    variant: Variant,
    protocol: ProtocolName,
    prompt_variants: PromptVariants,
) -> tuple[YesNoAnswers, dict[str, Any]]:
    """The model's answers, or those that the rows hold, and how they were found, for the settings."""
    if ready is not None:
        refuse_model(model, "decision_gap")
        refuse_to_ask("decision_gap", prompt_variants, protocol, "a model")
        return YesNoAnswers(np.array(ready)[:, None]), {"variant": "log-odds"}
    by_chat = variant == "chat" or (variant == "auto" and getattr(model, "is_chat_model", False))
    instructions = instructions_of(__package__, rows, protocol, prompt_variants)
    answers = ask(model, [row.question for row in rows], instructions, by_chat=by_chat)
    return answers, {"variant": "chat" if by_chat else "continuation", **instructions.facts()}


class _Design:
    """What the questions are about: templates, groups and, where they have them, names."""

    def __init__(self, rows: Sequence[DecisionQuestion], groups: Sequence[str]) -> None:
        self.rows, self.groups = rows, groups
        self.templates = sorted({row.template for row in rows})
        self.group_of = {row.name: row.group for row in rows if row.name and row.group}

    def table(self, values: FloatArray) -> FloatArray:
        """Mean of the answers about each group, shape (templates, prompt variants, groups); NaN without any."""
        table = np.full((len(self.templates), values.shape[1], len(self.groups)), np.nan)
        place = {template: i for i, template in enumerate(self.templates)}
        for (template, group), cells in places_of((row.template, row.group) for row in self.rows).items():
            if group:
                table[place[template], :, self.groups.index(group)] = known_mean(values[cells], 0)
        return table

    def of_names(self, values: FloatArray) -> list[FloatArray]:
        """Of every group the mean answers about its names, shape (names, templates); empty where there are none."""
        if not self.group_of:
            return []
        places = [{text: i for i, text in enumerate(texts)} for texts in (self.group_of, self.templates)]
        sums, counts = np.zeros((2, len(self.group_of), len(self.templates)))
        for row, numbers in zip(self.rows, values, strict=True):
            if row.group:
                cell, known = (places[0][row.name], places[1][row.template]), np.isfinite(numbers)
                sums[cell] += np.where(known, numbers, 0.0).sum()
                counts[cell] += known.sum()
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return [means[[name == group for name in self.group_of.values()]] for group in self.groups]

    def rates(self, log_odds: FloatArray) -> dict[str, float]:
        """Of every group, the share of its answers that are yes: the mean over its templates."""
        rates = known_mean(known_mean(self.table(_decisions(log_odds)), 1), 0)
        return {name: float(rate) for name, rate in zip(self.groups, rates, strict=True) if np.isfinite(rate)}


def _of_one_group(
    rows: list[DecisionQuestion], ready: list[float] | None
) -> tuple[list[DecisionQuestion], list[float] | None, list[tuple[Skipped, int]]]:
    """The questions and their log-odds without names that stand for two groups, and these with their questions."""
    groups: dict[str, set[str]] = {}
    for row in rows:
        groups.setdefault(row.name, set()).update({row.group} - {""})
    if "" in groups and len(groups) > 1:
        lacking = next(row.id for row in rows if not row.name)
        raise DataError(
            f"decision_gap: the question {lacking} has no name and others have one",
            hint="fill in name in all rows or in none",
        )
    ambiguous = {name: sorted(of_name) for name, of_name in groups.items() if name and len(of_name) > 1}
    places = [i for i, row in enumerate(rows) if row.name not in ambiguous]
    if not places:
        raise UndefinedScoreError("every name belongs to two groups")
    left_out = [
        (
            Skipped(name, f"the name stands for two groups, {' and '.join(of_name)}", "names"),
            sum(row.name == name for row in rows),
        )
        for name, of_name in ambiguous.items()
    ]
    return [rows[i] for i in places], None if ready is None else [ready[i] for i in places], left_out


def _rate_estimates(
    rates: Mapping[str, float], pair: Sequence[str]
) -> tuple[dict[str, Estimate], list[Skipped]]:
    """The rates of yes of the two groups and their ratio, first over second."""
    first, second = (rates[name] for name in pair)
    out = {"rate_x": Estimate(first), "rate_y": Estimate(second)}
    if second == 0:
        reason = f"the model says yes to nobody of {pair[1]}, so that the rates have no ratio"
        return out, [Skipped("rate_ratio", reason, "groups")]
    return {**out, "rate_ratio": Estimate(first / second)}, []


def _gap_of_all(
    table: FloatArray, of_names: Sequence[FloatArray], n_resamples: int, seed: int
) -> dict[str, Estimate]:
    """The largest difference of more than two groups, and its p-value."""
    options = {"n_resamples": n_resamples, "seed": seed}
    gap = largest_name_gap(of_names, **options) if of_names else largest_gap(table, **options)
    return {} if gap is None else {"largest_gap": Estimate(gap[0]), "p_groups": Estimate(gap[1])}


def _with_bounds(
    facts: Mapping[str, Any],
    design: _Design,
    log_odds: FloatArray,
    pair: tuple[int, int],
    confidence_level: float,
) -> dict[str, Any]:
    """The facts with bounds of the difference of the two groups' rates of yes, as log-odds have none."""
    decisions, groups = _decisions(log_odds), [design.groups[i] for i in pair]
    is_first = np.array([row.group == groups[0] for row in design.rows])[:, None]

    def gap(unread: Any) -> dict[str, Any]:
        filled = np.where(np.isnan(decisions), unread, decisions)
        return rate_gap(design.table(filled), *pair, confidence_level, design.of_names(filled)).facts()

    what = f"the rate of yes for {groups[0]} less that for {groups[1]}"
    ends = gap(np.where(is_first, 0.0, 1.0)), gap(np.where(is_first, 1.0, 0.0))
    bounds = with_bounds(gap(np.nan), *ends, what=what)
    return {**facts, **{key: {**facts[key], **bounds[key]} for key in ("estimates", "details")}}


def _decisions(log_odds: FloatArray) -> FloatArray:
    """1 for yes, 0 for no, a half for neither; NaN without an answer."""
    return np.where(np.isfinite(log_odds), (1 + np.sign(log_odds)) / 2, np.nan)


def _skipped(
    rows: Sequence[DecisionQuestion],
    answers: YesNoAnswers,
    templates: Sequence[str],
    contrasts: FloatArray,
    pair: Sequence[str],
) -> list[Skipped]:
    """Questions about no group, questions with answers that were not read, and templates without a contrast."""
    n_prompt_variants = answers.log_odds.shape[1]
    has_answer = [bool(np.isfinite(item_odds).any()) for item_odds in answers.log_odds]
    skips = [Skipped(q.id, "names no group, so it is in no contrast", "groups") for q in rows if not q.group]
    skips += [
        Skipped(rows[i].id, unread_reason(why, n_prompt_variants), "answers" if has_answer[i] else "")
        for i, why in answers.reasons.items()
    ]
    without = f"has no answer about {pair[0]} or {pair[1]}"
    return skips + [
        Skipped(t, without, "templates") for t, c in zip(templates, contrasts, strict=True) if np.isnan(c)
    ]


def _parsed(data: Any) -> tuple[list[DecisionQuestion], list[float] | None]:
    """The questions, and their log-odds, where the rows hold these."""
    rows = checked_rows(data, "decision_gap")
    ready = [isinstance(row, Mapping) and is_score(row.get("question")) for row in rows]
    check_one_kind(ready, "decision_gap")
    parsed, scores = [], []
    for i, row in enumerate(rows):
        where = row_place(i, len(rows), "question")
        if ready[i]:
            # Beyond all that probabilities give, sums of squares would overflow.
            if abs(number := finite_score(row["question"], "decision_gap", where, "question")) > LARGEST:
                raise InputError(
                    f"decision_gap: the score of {where} in question is {number:g}, which no log-odds are"
                )
            scores.append(number)
            row = {**row, "question": PLACEHOLDER}
        parsed.append(parsed_row(DecisionQuestion, row, i, where))
    return parsed, scores or None


def _pairs(
    table: FloatArray, of_names: Sequence[FloatArray], names: Sequence[str], inference: Mapping[str, Any]
) -> list[Row | Skipped]:
    """A row for every pair, where there are more groups than two, or why there is none."""
    rows: list[Row | Skipped] = []
    for first, second in combinations(range(len(names)), 2) if len(names) > 2 else ():
        name, labels = f"{names[first]} / {names[second]}", {"x": names[first], "y": names[second]}
        try:
            facts, _ = group_gap(table, first, second, names=of_names, **inference)
        except UndefinedScoreError as error:
            rows.append(Skipped(name, str(error), "groups"))
        else:
            rows.append(Row(name=name, kind="group", labels=labels, **facts))
    return rows


def _items(design: _Design, contrasts: FloatArray, table: FloatArray, pair: tuple[int, int]) -> list[Row]:
    """Every template with its contrast, with the mean log-odds of each group, and with what a comparison goes by."""
    groups = [design.groups[i] for i in pair]
    questions_of: dict[str, list[str]] = {template: [] for template in design.templates}
    for row in design.rows:
        if row.group in groups and row.question != PLACEHOLDER:
            questions_of[row.template].append(row.question)
    means, cells = known_mean(table, 1).tolist(), table[..., pair[0]] - table[..., pair[1]]
    items = []
    for template, contrast, group_means, cell in zip(design.templates, contrasts, means, cells, strict=True):
        if not np.isfinite(contrast):
            continue
        details = {
            name: mean for name, mean in zip(design.groups, group_means, strict=True) if np.isfinite(mean)
        }
        if len(cell) >= FEWEST_COLUMNS:  # what each prompt variant adds to the contrast, and to its weight
            known = np.isfinite(cell)
            parts = {"score": np.where(known, cell, 0.0), "weight": known.astype(float)}
            details["prompt_variants"] = {key: (part / known.sum()).tolist() for key, part in parts.items()}
        labels = {"groups": " / ".join(groups), "questions": digest(questions_of[template])}
        items.append(Row(name=template, kind="item", score=float(contrast), labels=labels, details=details))
    return items
