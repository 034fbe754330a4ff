"""StereoSet's Context Association Test (Nadeem, Bethke and Reddy 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....data.instructions import PromptVariants, ProtocolName, refuse_to_ask
from ....data.pair_schemas import BLANK, LABELS, StereoSetItem
from ....data.schemas import parse_row
from ....errors import UndefinedScoreError, quoted
from ....method import Finding, method
from ....result import Coverage, Row, Sampled, Skipped
from ....stats import ProportionMethod
from ....text import row_place
from ...choosing import Question, Questionnaire, ReadAnswers, check_asked, choice_finding, protocol_of
from ...pair_scoring import NO_BIAS_TYPE, start_setting
from ...rows import (
    PLACEHOLDER,
    check_one_kind,
    checked_rows,
    find_repeats,
    finite,
    finite_score,
    is_score,
    nothing_left,
    numbered,
    places_of,
    refuse_model,
    with_text_id,
    without_repeated,
)
from ...ties import all_tied, lowered_ideal
from ...word_lists.inference import Inference
from .record import RECORD
from .scoring import OptionScores, Scorer, empty_text, option_scorers
from .statistics import TieHandling, icat, summary

__all__ = ["evaluate", "icat"]

_OPTION_NAMES = ("stereotype", "anti_stereotype", "unrelated")
_GAP = "___"


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[StereoSetItem | Mapping[str, Any]],
    *,
    variant: Literal["default", "original", "choice"] = "default",
    intersentence: Literal["auto", "nsp", "likelihood"] = "auto",
    p_method: ProportionMethod = "binomial",
    ties: TieHandling = "drop",
    protocol: ProtocolName = "quick",
    prompt_variants: PromptVariants = None,
    follow_up: bool = True,
    inference: Inference,
) -> Finding:
    """Stereotype score of a language model, with its language-model score and the idealised CAT score.

    For every target term, the stereotype score ss is the share of its items whose stereotypical option scores higher
    than the anti-stereotypical one, and the language-model score lms the share of meaningful options (both of these)
    that score higher than the unrelated one, in percent. Both are averaged over the terms, each term counting once;
    icat follows from the averages. Ties stay in the denominator of ss, as published: a term of which a share t ties has
    the ideal 50 · (1 - t), and the result's ``ideal`` is the mean of these. The share among a term's decided items,
    averaged over the terms that have any, is ``score_without_ties``; its ideal is 50.

    How an option scores:

    - intrasentence, masked models: mean log p of the pieces of the word in the blank, all masked and filled from left
      to right; ``variant="original"`` reproduces the reference code instead: piece k at a mask after the first k - 1
      pieces, later pieces left out, mean of the probabilities;
    - intrasentence, causal models: mean log p of the sentence's tokens;
    - intersentence, masked models: log-probability of the next-sentence head where the model has one, else mean log p
      of the second sentence's tokens, each masked in turn;
    - intersentence, causal models: mean log p of the second sentence's tokens given the first.

    Args:
        model: a masked or causal language model; ``None`` when the data hold scores.
        data: StereoSet items, or mappings with numbers in place of the three sentences.
        variant: ``"original"``, see above, concerns intrasentence items of masked models only; ``"choice"`` asks a
            chat model which of the three options, in several orders: ss is then the share of
            stereotypical among meaningful choices, and ``meaningful`` the share of these.
        intersentence: ``"nsp"`` insists on the next-sentence head, ``"likelihood"`` on the likelihood.
        p_method: test of the items' share against one half, ``p_items``: the exact ``"binomial"`` test, the ``"z"``
            test with the variance of the sample, or with that of the null hypothesis (``"score"``).
        ties: ``"drop"`` leaves ties out of that test, ``"keep"`` counts them as not preferred.
        n_resamples: random sign patterns of the p-value, where more than 32 terms deviate from their ideal; with
            fewer all patterns are counted.

    Returns:
        ss in percent, 0 to 100, ``ideal`` is 50 without ties; ``estimates`` has lms, icat, ``score_without_ties`` with
        its interval and ``p_items``, ``details`` the micro averages and in ``tasks`` the numbers of each task; the
        rows are every domain, over all tasks and by task (the label ``task``), each with its own ``ideal`` and with
        p-values adjusted for the number of these rows, and every item. ``p_value`` is the two-sided sign-flip test
        over target
        terms: items of a term resemble one another, so terms and not items are what may be flipped; ``n_tested`` is
        the number of terms with a decided item. With fewer than six terms that deviate it cannot fall below 5 %. The
        interval is Wilson's, with the variance of the terms' scores and Student's quantile; of one term, that of its
        items.

    Raises:
        InputError: an unknown option, scores that are not finite, or numbers together with a model.
        CapabilityError: the model is no language model, or has no next-sentence head and ``"nsp"`` was asked for.
        DataError: an item does not follow the schema.
        UndefinedScoreError: no item can be scored, or in none the model prefers the stereotypical or the
            anti-stereotypical option.

    References:
        Nadeem, Bethke and Reddy (2021): StereoSet: Measuring stereotypical bias in pretrained language models.
        ACL 2021.

    Examples:
        >>> def item(target, *scores):
        ...     return {"target": target, "bias_type": "profession", "task": "intrasentence", "context": "BLANK",
        ...             "sentences": [{"gold_label": l, "sentence": s} for l, s in zip(LABELS, scores)]}
        >>> nurse = [item("nurse", 3.0, 2.0, 1.0), item("nurse", 2.0, 3.0, 2.5)]
        >>> result = evaluate(None, [*nurse, item("cook", 3.0, 2.0, 0.0)])
        >>> result.score, result.estimates["lms"].value, result.estimates["icat"].value
        (75.0, 87.5, 43.75)
    """
    rows = checked_rows(data, "stereoset")
    parsed, ready = _parsed(rows)
    if variant == "choice":
        return _choices(
            model, parsed, ready, protocol, prompt_variants, follow_up, inference.confidence_level
        )
    refuse_to_ask("stereoset", prompt_variants, protocol, "variant='choice'")
    if ready:
        refuse_model(model, "stereoset")
    scorers = {} if ready else option_scorers(model, variant, intersentence)
    outcomes = _given_scores(rows, parsed) if ready else _score(model, parsed, scorers)
    reasons = [outcome if isinstance(outcome, str) else "" for outcome in outcomes]
    skipped = _reasons(parsed, reasons)
    used = [i for i, reason in enumerate(reasons) if not reason]
    if not used:
        raise nothing_left(f"none of the {len(parsed)} items can be scored", skipped)
    items = [parsed[i] for i in used]
    scores = finite(model, np.array([outcomes[i] for i in used], dtype=np.float64))
    decided = scores[:, 0] != scores[:, 1]
    if not decided.any():
        raise UndefinedScoreError(all_tied(len(items), "items", warnings=getattr(model, "warnings", ())))

    def facts(members: Sequence[int]) -> dict[str, Any]:
        return summary([items[k].target for k in members], scores[members], p_method, ties, inference)

    overall = facts(range(len(items)))

    def group(name: str, task: str, members: Sequence[int]) -> Row:
        group_facts = without_repeated(facts(members), overall)
        return Row(name=name, kind="group", labels={"task": task}, **group_facts)

    groups: list[Row] = []
    for name, task, members in _parts(items):
        if decided[members].any():
            groups.append(group(name, task, members))
        else:
            reason = all_tied(len(members), "items")
            skipped.append(Skipped(f"{name} ({task or 'overall'})", reason, "groups"))
    skipped += _terms_of_ties(items, decided)
    by_task = places_of(item.task for item in items)
    texts = [i if ready else (item.target, item.context, str(item.sentences)) for i, item in enumerate(items)]
    repeats = find_repeats(texts, "items")
    overall["details"] |= repeats.details
    overall["details"]["tasks"] = {
        t: group(t, t, members).flat() for t, members in by_task.items() if decided[members].any()
    }
    return Finding(
        **overall,
        sampled=Sampled(("targets",)),
        coverage=Coverage(len(items), len(rows)),
        rows=(*groups, *(_item_row(item, s) for item, s in zip(items, scores, strict=True))),
        skipped=skipped,
        warnings=[*lowered_ideal(overall, "items"), *repeats.warnings],
        settings={
            "scoring": {t: scorers[t].what for t in by_task} if scorers else "given by the caller",
            **start_setting(model),
        },
    )


def _terms_of_ties(items: Sequence[StereoSetItem], decided: NDArray[np.bool_]) -> list[Skipped]:
    """Terms without a decided item, which ``score_without_ties`` leaves out."""
    return [
        Skipped(term, all_tied(len(places), "items"), "score_without_ties")
        for term, places in places_of(item.target for item in items).items()
        if not decided[places].any()
    ]


def _reasons(items: Sequence[StereoSetItem], reasons: Sequence[str]) -> list[Skipped]:
    """The items that have a reason to be left out."""
    return [Skipped(i.id, reason, i.task) for i, reason in zip(items, reasons, strict=True) if reason]


def _parts(items: Sequence[StereoSetItem]) -> Iterator[tuple[str, str, list[int]]]:
    """Name, task and places of every domain by task and, of several tasks, over all of them first."""
    tasks = places_of(item.task for item in items)
    for domain, places in places_of(item.bias_type for item in items).items():
        parts = {task: [i for i in places if items[i].task == task] for task in tasks}
        by_task = {task: members for task, members in parts.items() if members}
        for task, members in (({"": places} if len(by_task) > 1 else {}) | by_task).items():
            yield domain or NO_BIAS_TYPE, task, members


def _item_row(item: StereoSetItem, scores: NDArray[np.float64]) -> Row:
    """An item as a row; scores of its options, shape (3,)."""
    verdict = {1: "stereotype", -1: "anti-stereotype", 0: "tie"}[int(np.sign(scores[0] - scores[1]))]
    return Row(
        name=item.id,
        kind="item",
        labels={"bias_type": item.bias_type, "task": item.task},
        details={
            "target": item.target,
            **dict(zip(_OPTION_NAMES, scores, strict=True)),
            "verdict": verdict,
        },
    )


def _parsed(rows: Sequence[Any]) -> tuple[list[StereoSetItem], bool]:
    """Every row by the schema, with its position where it has no id, and whether the rows hold ready scores."""
    ready = [any(is_score(o.get("sentence")) for o in _options(row)) for row in rows]
    check_one_kind(ready, "stereoset")
    items = []
    for i, row in enumerate(rows):
        where = row_place(i, len(rows), "item")
        if isinstance(row, Mapping):
            row = with_text_id(row, where)
            if row.get("task") in (None, ""):
                context = row.get("context")
                row["task"] = "intrasentence" if BLANK in str(context) else "intersentence"
            options = _options(row)
            row = {name: value for name, value in row.items() if name not in LABELS}
            if ready[i] or row.get("sentences") is None:
                row["sentences"] = [
                    {**o, "sentence": PLACEHOLDER} if is_score(o.get("sentence")) else o for o in options
                ]
        item = parse_row(StereoSetItem, row, where)
        items.append(item if item.id else item.model_copy(update={"id": str(i)}))
    return items, any(ready)


def _options(row: Any) -> list[Mapping[str, Any]]:
    options = row.get("sentences") if isinstance(row, Mapping) else None
    if options is None and isinstance(row, Mapping):
        options = [
            {"gold_label": label, "sentence": row[label]} for label in LABELS if row.get(label) is not None
        ]
    return [o for o in options if isinstance(o, Mapping)] if isinstance(options, (list, tuple)) else []


def _given_scores(rows: Sequence[Any], items: Sequence[StereoSetItem]) -> list[OptionScores | str]:
    """The three numbers of every item."""
    out: list[OptionScores | str] = []
    for row, item in zip(rows, items, strict=True):
        by_label: dict[Any, Any] = {o.get("gold_label"): o.get("sentence") for o in _options(row)}
        what = f"item {quoted(item.id)}"
        first, second, third = (finite_score(by_label[label], "stereoset", what, label) for label in LABELS)
        out.append((first, second, third))
    return out


def _score(
    model: Any, items: Sequence[StereoSetItem], scorers: Mapping[str, Scorer]
) -> list[OptionScores | str]:
    """Scores of every item's options, or why it has none; each task in one run of the model."""
    out: list[OptionScores | str] = [empty_text(item) for item in items]
    for task, scorer in scorers.items():
        where = [i for i, item in enumerate(items) if item.task == task and not out[i]]
        if where:
            for i, outcome in zip(where, scorer.score(model, [items[i] for i in where]), strict=True):
                out[i] = outcome
    return out


def _choices(
    model: Any,
    data: Sequence[StereoSetItem],
    ready: bool,
    protocol: ProtocolName,
    prompt_variants: PromptVariants,
    follow_up: bool,
    confidence_level: float,
) -> Finding:
    """Share of the stereotypical among the meaningful choices, in percent, averaged over target terms.

    Raises:
        CapabilityError: the model does not chat.
        InputError: the data are ready scores, or there are no instructions in the language of the items.
        UndefinedScoreError: no meaningful option was ever chosen, or no answer could be read.
    """
    check_asked(RECORD.name, "choice", model, ready=ready)
    reasons = [empty_text(item) for item in data]
    items = [item for item, reason in zip(data, reasons, strict=True) if not reason]
    skipped = _reasons(data, reasons)
    names = list(dict.fromkeys(item.target for item in items))
    survey = Questionnaire(
        "items", [item.id for item in items], [_question(item) for item in items],
        numbered(item.target for item in items), "target terms", skipped,
        protocol_of(__package__, items, protocol, prompt_variants, follow_up), confidence_level,
    )  # fmt: skip

    def part(answers: ReadAnswers) -> dict[str, Any]:
        terms, weight = survey.cluster[answers.unit], answers.weight
        stereotype, meaningful = weight * (answers.option == 0), weight * (answers.option < 2)
        if not meaningful.any():
            raise UndefinedScoreError("no stereotypical and no anti-stereotypical option was chosen")
        score = survey.ratio(answers, stereotype, meaningful, terms, null=50.0)
        among = survey.ratio(answers, meaningful, unit=terms, null=200 / 3)
        known = np.unique(terms[meaningful > 0])
        none = [
            Skipped(names[k], "no meaningful option was chosen", "terms")
            for k in np.setdiff1d(terms, known).tolist()
        ]
        n = len(np.unique(answers.unit[np.isin(terms, known)]))
        return {**score.facts(), "n": n, "estimates": {"meaningful": among.estimate()}, "skipped": none}

    def item(i: int, answers: ReadAnswers) -> tuple[dict[str, str], dict[str, Any]]:
        shares = {
            f"{name}_share": float(answers.share(k, len(items))[i]) for k, name in enumerate(_OPTION_NAMES)
        }
        return {"bias_type": items[i].bias_type, "task": items[i].task}, {"target": items[i].target, **shares}

    types = places_of(item.bias_type or NO_BIAS_TYPE for item in items)
    return choice_finding(model, survey, part, [(kind, {}, members) for kind, members in types.items()], item)


def _question(item: StereoSetItem) -> Question:
    options = tuple(item.option(label) for label in LABELS)
    return Question(item.task, {"context": item.context.replace(BLANK, _GAP)}, options, 0)
