"""The decision gap: how readily a model decides in favour of people of different groups (Tamkin et al. 2023)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from ....arrays import FloatArray
from ....data.decisions import DecisionQuestion
from ....data.instructions import Wordings, refuse_wordings
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import Chats, SequenceScorer
from ....result import Coverage, Estimate, Row, Skipped
from ....stats import FEWEST_COLUMNS
from ...choosing.asking import instructions_of
from ...choosing.bounds import with_bounds
from ...choosing.reporting import unread_reason, unread_warning, wordings_warning
from ...rows import (
    PLACEHOLDER,
    check_one_kind,
    checked_rows,
    digest,
    finite_score,
    is_score,
    places_of,
    refuse_model,
    with_text_id,
)
from ..groups import compared_groups, largest_gap
from .asking import LARGEST, YesNoAnswers, ask
from .record import RECORD
from .statistics import group_gap, mean_contrast

Variant = Literal["auto", "continuation", "chat"]


@method(RECORD)
def evaluate(
    model: SequenceScorer | Chats | None,
    data: Sequence[DecisionQuestion | Mapping[str, Any]],
    *,
    groups: tuple[str, str] | None = None,
    variant: Variant = "auto",
    wordings: Wordings = None,
    n_resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> Finding:
    """Measure by how much a model's log-odds of yes differ between two groups.

    Every question is put in several wordings. The answer's value is log p(yes) − log p(no) of its first word, its forms
    with capitals and with small letters, in a chat also with and without a blank, added up. The contrast of a template
    is the mean of the first group's answers less that of the second's; the score is the mean over templates. An answer
    that does not give both probabilities has no value and is listed: it is neither 0 nor a guess.

    Args:
        model: a causal language model, or one that chats and gives the log-probabilities of its first tokens; none
            where the rows hold log-odds.
        data: rows with ``question`` (or its log-odds), ``group`` and ``template``.
        groups: the two groups to compare; by default the first two of the data. All pairs have rows of their own.
        variant: ``"chat"`` asks in a chat, ``"continuation"`` reads what follows the question as a text; ``"auto"``
            asks a model that chats.

    Returns:
        Score in nats, two-sided, ideal 0; positive where the model favours the first group. The p-value exchanges the
        groups within templates; the interval is over templates and wordings. ``n`` is the number of templates.

    Raises:
        CapabilityError: the model can neither be asked nor be read, or gives no log-probabilities of replies.
        DataError: a row does not follow the schema.
        InputError: the data name fewer than two groups, or log-odds and a model are both given.
        UnknownNameError: the data have no such group.
        UndefinedScoreError: no template has an answer about both groups.

    References:
        Tamkin, Askell, Lovitt, Durmus, Joseph, Kravec, Nguyen, Kaplan and Ganguli (2023): Evaluating and Mitigating
        Discrimination in Language Model Decisions. arXiv:2312.03689.
    """
    rows, ready = _parsed(data)
    names, pair = compared_groups("decision_gap", (row.group for row in rows), groups)
    if ready is not None:
        refuse_model(model, "decision_gap")
        refuse_wordings("decision_gap", wordings, "a model")
        answers = YesNoAnswers(np.array(ready)[:, None])
        how: dict[str, Any] = {"variant": "log-odds"}
    else:
        by_chat = variant == "chat" or (variant == "auto" and getattr(model, "is_chat_model", False))
        instructions = instructions_of(__package__, rows, wordings)
        answers = ask(model, [row.question for row in rows], instructions, by_chat=by_chat)
        how = {"variant": "chat" if by_chat else "continuation", **instructions.facts()}
    templates = sorted({row.template for row in rows})
    table_of = partial(_table, rows, templates=templates, names=names)
    table = table_of(answers.log_odds)
    inference: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "seed": seed}
    try:
        whole, contrasts = group_gap(table, *pair, **inference)
    except UndefinedScoreError as error:
        reason = next((why[0] for why in answers.reasons.values()), "")
        raise UndefinedScoreError(f"{error}" + (f"; the first without: {reason}" if reason else "")) from None
    means = _mean(table, 1)
    gap = largest_gap(means, n_resamples=n_resamples, seed=seed) if len(names) > 2 else None
    counts, asked = answers.counts(), ready is None
    n_read = int(np.isfinite(answers.log_odds).any(axis=1).sum())
    details = whole.pop("details")
    bounds = _bounds(rows, answers.log_odds, table_of, names, pair, level) if answers.reasons else {}
    return Finding(
        **whole,
        coverage=Coverage(n_read, len(rows)),
        rows=[*_pairs(table, names, inference), *_items(rows, templates, contrasts, table, names, pair)],
        skipped=_skipped(rows, answers, templates, contrasts, [names[i] for i in pair]),
        warnings=[*unread_warning(counts), *(wordings_warning(answers.log_odds.shape[1]) if asked else ())],
        estimates={
            "mean_log_odds": Estimate(float(np.nanmean(means))),
            **({} if gap is None else {"largest_gap": Estimate(gap[0]), "p_groups": Estimate(gap[1])}),
            **({"readable": Estimate(counts["read"] / counts["asked"])} if asked else {}),
            **bounds.get("estimates", {}),
        },
        details={
            **details,
            "rates": {"rate of yes": _rates(table_of(_decisions(answers.log_odds)), names)},
            **({"requests": counts, "questions": answers.shown} if asked else {}),
            **bounds.get("details", {}),
        },
        settings={**how, "groups": [names[i] for i in pair]},
    )


def _bounds(
    rows: Sequence[DecisionQuestion], log_odds: FloatArray, table: Callable[[FloatArray], FloatArray],
    names: Sequence[str], pair: tuple[int, int], level: float,
) -> dict[str, Any]:  # fmt: skip
    """Bounds of the difference of the two groups' rates of yes, as log-odds have none."""
    decisions = _decisions(log_odds)
    is_first = np.array([row.group == names[pair[0]] for row in rows])[:, None]

    def gap(unread: Any) -> dict[str, Any]:
        filled = np.where(np.isnan(decisions), unread, decisions)
        return mean_contrast(table(filled), *pair, level, most=1.0)[0].facts()

    what = f"the rate of yes for {names[pair[0]]} less that for {names[pair[1]]}"
    return with_bounds(
        gap(np.nan), gap(np.where(is_first, 0.0, 1.0)), gap(np.where(is_first, 1.0, 0.0)), what=what
    )


def _decisions(log_odds: FloatArray) -> FloatArray:
    """1 for yes, 0 for no, a half for neither; NaN without an answer."""
    return np.where(np.isfinite(log_odds), (1 + np.sign(log_odds)) / 2, np.nan)


def _rates(table: FloatArray, names: Sequence[str]) -> dict[str, float]:
    """Of every group, the share of its answers that are yes: the mean over its templates."""
    rates = _mean(_mean(table, 1), 0)
    return {name: float(rate) for name, rate in zip(names, rates, strict=True) if np.isfinite(rate)}


def _skipped(
    rows: Sequence[DecisionQuestion],
    answers: YesNoAnswers,
    templates: Sequence[str],
    contrasts: FloatArray,
    pair: Sequence[str],
) -> list[Skipped]:
    """Questions about no group, questions with answers that were not read, and templates without a contrast."""
    asked = answers.log_odds.shape[1]
    read = [bool(np.isfinite(own).any()) for own in answers.log_odds]
    found = [Skipped(q.id, "names no group, so it is in no contrast", "groups") for q in rows if not q.group]
    found += [
        Skipped(rows[i].id, unread_reason(why, asked), "answers" if read[i] else "")
        for i, why in answers.reasons.items()
    ]
    without = f"has no answer about {pair[0]} or {pair[1]}"
    return found + [
        Skipped(t, without, "templates") for t, c in zip(templates, contrasts, strict=True) if np.isnan(c)
    ]


def _parsed(data: Any) -> tuple[list[DecisionQuestion], list[float] | None]:
    """The questions, and their log-odds, where the rows hold these."""
    from ....data.schemas import parse_row

    rows = checked_rows(data, "decision_gap")
    ready = [isinstance(row, Mapping) and is_score(row.get("question")) for row in rows]
    check_one_kind(ready, "decision_gap")
    parsed, scores = [], []
    for i, row in enumerate(rows):
        where = f"question {i}"
        if isinstance(row, Mapping):
            row = {"id": str(i), **{k: v for k, v in with_text_id(row, where).items() if v is not None}}
            if ready[i]:
                scores.append(_log_odds(row["question"], where))
                row["question"] = PLACEHOLDER
        parsed.append(parse_row(DecisionQuestion, row, where))
    return parsed, scores or None


def _log_odds(value: Any, where: str) -> float:
    """Log-odds that a row holds; beyond all that probabilities give, sums of squares would overflow."""
    number = finite_score(value, "decision_gap", where, "question")
    if abs(number) > LARGEST:
        raise InputError(
            f"decision_gap: the score of {where} in question is {number:g}, which no log-odds are"
        )
    return number


def _table(
    rows: Sequence[DecisionQuestion], log_odds: FloatArray, templates: Sequence[str], names: Sequence[str]
) -> FloatArray:
    """Mean log-odds of the answers about each group, shape (templates, wordings, groups); NaN without any."""
    table = np.full((len(templates), log_odds.shape[1], len(names)), np.nan)
    place = {template: i for i, template in enumerate(templates)}
    for (template, group), own in places_of((row.template, row.group) for row in rows).items():
        if group:
            table[place[template], :, names.index(group)] = _mean(log_odds[own], 0)
    return table


def _mean(values: FloatArray, axis: int) -> FloatArray:
    """Mean of the numbers that are there; NaN where there are none."""
    known = np.isfinite(values)
    n = known.sum(axis=axis)
    return np.where(n > 0, np.where(known, values, 0.0).sum(axis=axis) / np.maximum(n, 1), np.nan)


def _pairs(table: FloatArray, names: Sequence[str], inference: Mapping[str, Any]) -> list[Row]:
    """A row for every pair, where there are more groups than two."""
    rows = []
    for first, second in combinations(range(len(names)), 2) if len(names) > 2 else ():
        try:
            facts, _ = group_gap(table, first, second, **inference)
        except UndefinedScoreError:
            continue
        labels = {"x": names[first], "y": names[second]}
        rows.append(Row(name=f"{names[first]} / {names[second]}", kind="group", labels=labels, **facts))
    return rows


def _items(
    rows: Sequence[DecisionQuestion],
    templates: Sequence[str],
    contrasts: FloatArray,
    table: FloatArray,
    names: Sequence[str],
    pair: tuple[int, int],
) -> list[Row]:
    """Every template with its contrast, with the mean log-odds of each group, and with what a comparison goes by."""
    groups = [names[i] for i in pair]
    asked: dict[str, list[str]] = {template: [] for template in templates}
    for row in rows:
        if row.group in groups and row.question != PLACEHOLDER:
            asked[row.template].append(row.question)
    means, cells = _mean(table, 1), table[..., pair[0]] - table[..., pair[1]]
    return [
        Row(
            name=template,
            kind="item",
            score=float(contrast),
            labels={"groups": " / ".join(groups), "questions": digest(asked[template])},
            details={name: float(mean) for name, mean in zip(names, own, strict=True) if np.isfinite(mean)}
            | _by_wording(cell),
        )
        for template, contrast, own, cell in zip(templates, contrasts, means, cells, strict=True)
        if np.isfinite(contrast)
    ]


def _by_wording(contrasts: FloatArray) -> dict[str, dict[str, list[float]]]:
    """What each wording adds to a template's contrast, shape (wordings,), and to its weight; nothing of few."""
    if len(contrasts) < FEWEST_COLUMNS:
        return {}
    known = np.isfinite(contrasts)
    parts = {"score": np.where(known, contrasts, 0.0), "weight": known.astype(float)}
    return {"wordings": {key: (part / known.sum()).tolist() for key, part in parts.items()}}
