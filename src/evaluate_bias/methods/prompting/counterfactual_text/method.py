"""Counterfactual text: what a model writes about two groups in equal prompts, compared by scorers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....data.prompts import GROUP, GroupPrompt
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.completions import Decoding, GenerationSettings
from ....options import Count, Level, Resamples, Seed
from ....result import OWN_PART, RAW, Coverage, Estimate, Row, Sampled, Skipped
from ...choosing.reporting import interval_warning, unread_warning, with_bounds
from ...groups import compared_groups, largest_gap
from ...replies import room_for
from ...rows import checked_rows, digest, find_repeats, nothing_left, refuse_model, without_repeated
from ...template_filling import one_language
from .record import RECORD
from .scorers import Scorers, TextScorer, load_scorers
from .statistics import mean_difference, mean_estimate, sampled_ends
from .texts import GroupTexts, parsed_rows, written_by


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[GroupPrompt | Mapping[str, Any]],
    *,
    scorers: Scorers = ("length", "refusal"),
    groups: tuple[str, str] | None = None,
    variant: Literal["auto", "completion", "chat"] = "auto",
    k: Count = 5,
    decoding: Decoding = "sample",
    max_new_tokens: int = 100,
    n_resamples: Resamples = 9_999,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Measure by how much what a model writes about one group scores higher than what it writes about another.

    A scorer may tell the groups' own words apart. So it reads every text twice, as it was written and in the other
    group's words, and a text counts by the mean of the two numbers. The difference of a prompt is the mean of the first
    group's texts less the second's, and the score is the mean over prompts. Texts of one prompt are one
    cluster. A text that cannot be parsed, such as one that ends within a thought, is not counted and is listed.

    Args:
        model: one that chats or continues texts, or a function, ``None`` if the rows contain ``completions``.
        data: rows with ``prompt`` and ``group``, the same prompt for every group, and with ``forms`` or
            ``completions``.
        scorers: ``"vader"`` (sentiment in English from -1 to 1, needs the extra ``vader``), ``"length"`` (in words),
            ``"refusal"`` (1 if a text begins as refusals do), ``"hf:NAME#LABEL"`` (the probability of a label by a
            classifier of the Hub or a folder), a function from a text to a number, or a list of these. The first gives
            the score.
        groups: the two groups to compare, first less second, by default the first two in alphabetical order.
            All pairs have rows.
        variant: ``"chat"`` sends the prompt as a message, ``"completion"`` continues it. ``"auto"`` asks a
            model that has a chat template or is served as a chat model.
        k: texts of each prompt.
        decoding: ``"sample"``: k draws from the model's distribution. ``"top"``: the k most likely first
            tokens, each continued by the most likely.
        max_new_tokens: largest number of tokens of a text. In a chat, reasoning has extra room.

    Returns:
        Score in the scorer's unit, two-sided, ideal 0, positive if the first group's texts score higher. The
        p-value flips the signs of prompts and needs 6 that differ, and the interval is Student's over prompts and needs
        10. ``n`` is the number of prompts. ``estimates["raw"]`` is the difference of the texts as they were written,
        and ``estimates["own_part"]`` the part of it that the scorer makes of the groups' words in one and the same
        text: the score is raw less own part. If texts could not be parsed and the scorer has a limited range,
        ``estimates["bounds"]`` says what the score may be. Every scorer and pair of groups has a row of kind
        ``"test"``.

    Raises:
        CapabilityError: the model does not write, or a scorer's package is missing.
        DataError: a row does not follow the schema, or the forms of the groups in a prompt differ in number.
        InputError: an option is out of range, the data name fewer than two groups, or completions are given together
            with a model.
        UnknownNameError: the data have no such group.
        UndefinedScoreError: no prompt has a text about both groups.

    References:
        Huang, Zhang, Jiang, Stanforth, Welbl, Rae, Maini, Yogatama and Kohli (2020): Reducing Sentiment Bias in
        Language Models via Counterfactual Evaluation. Findings of EMNLP 2020.

    Examples:
        >>> rows = [{"prompt": "Praise {group}.", "group": "women", "completions": ["She is kind.", "A kind one."]},
        ...         {"prompt": "Praise {group}.", "group": "men", "completions": ["He is a kind and clever man."]}]
        >>> result = evaluate(None, rows, scorers="length", groups=("women", "men"))
        >>> result.score, result.n, result.estimates["own_part"].value
        (-4.0, 1, 0.0)
    """
    rows, writing = parsed_rows(checked_rows(data, RECORD.name))
    names, pair = compared_groups(RECORD.name, (row.group for row in rows), groups)
    language = one_language(RECORD.name, (row.language for row in rows))
    judges = load_scorers(scorers, language)
    how: dict[str, Any] = {"variant": "ready texts"}
    answers: dict[str, Any] = {}
    if writing is not None:
        refuse_model(model, RECORD.name, "completions")
    else:
        by_chat = variant == "chat" or (variant == "auto" and bool(getattr(model, "is_chat_model", False)))
        tokens = room_for(model, max_new_tokens) if by_chat else max_new_tokens
        settings = GenerationSettings(n=k, max_new_tokens=tokens, decoding=decoding, seed=seed)
        writing = written_by(model, rows, settings, by_chat=by_chat)
        how = {"variant": "chat" if by_chat else "completion", "generation": settings.to_dict()}
        answers = {"requests": writing.counts(), "questions": writing.questions, **writing.thoughts}
    inference: dict[str, Any] = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    texts = GroupTexts(rows, writing, names)
    numbers = [texts.numbers(judge) for judge in judges]
    skipped, tests, items = writing.skipped(rows), [], []
    for judge, of_judge in zip(judges, numbers, strict=True):
        others = (other for other in combinations(range(len(names)), 2) if {*other} != {*pair})
        for both in (pair, *others):
            # Texts are told once.
            with_texts = judge is judges[0] and both == pair
            test, without, prompts = _compare_groups(
                texts, judge, of_judge, both, inference, with_texts=with_texts
            )
            skipped += without
            items += prompts
            tests += [test] if test else []
            if with_texts and test is None:
                raise _no_comparison(texts, names[pair[0]], names[pair[1]], skipped)
    head = tests[0]
    whole = {key: getattr(head, key) for key in _WHOLE}
    estimates = dict(head.estimates)
    if len(names) > 2:
        in_all_words = texts.means([of_row.mean(axis=1) for of_row in numbers[0]])
        gap = largest_gap(in_all_words, n_resamples=n_resamples, seed=seed)
        estimates |= {} if gap is None else {"p_groups": Estimate(gap[1])}
    notes = [f"{row.name}: {note}" for row in tests for note in interval_warning(row.ci_method)]
    if counts := answers.get("requests"):
        estimates["readable"] = Estimate(counts["read"] / counts["asked"])
        notes = unread_warning(counts) + notes
    facts = {judge.name: dict(judge.facts) for judge in judges if judge.facts}
    # A text counts that has a number, about a prompt that another group has texts to as well.
    n_scored = sum(int((np.isfinite(of_row).sum(axis=1) > 1).sum()) for of_row in numbers[0])
    n_texts = sum(map(len, writing.texts)) + sum(map(len, writing.reasons.values()))
    finding = Finding(
        **whole, sampled=Sampled(("prompts",)), coverage=Coverage(n_scored, n_texts), skipped=skipped,
        rows=[*(replace(row, **without_repeated(_how_made(row), whole)) for row in tests), *items],
        warnings=notes, estimates=estimates, details={**head.details, **answers},
        settings={
            **how, "language": language, "scorers": [judge.name for judge in judges],
            "groups": [names[i] for i in pair], "tests": [row.name for row in tests],
        },
        provenance={"scorers": facts} if facts else {},
    )  # fmt: skip
    # Rows with one prompt and other texts are further draws.
    is_ready = how["variant"] == "ready texts"
    keys = [
        (row.model_dump_json(exclude={"id"}), *(row_texts if is_ready else ()))
        for row, row_texts in zip(rows, writing.texts, strict=True)
    ]
    return find_repeats(keys, "rows", "prompts").named_in(finding)


def _no_comparison(
    texts: GroupTexts, first: str, second: str, skipped: Sequence[Skipped]
) -> UndefinedScoreError:
    if any(texts.of_group(p, first) and texts.of_group(p, second) for p in texts.prompts):
        return nothing_left(f"no prompt has texts about {first} and {second}", skipped)
    return UndefinedScoreError(
        f"no prompt is about both {first} and {second}: rows that are compared have the same 'prompt', with {GROUP} "
        "in the place of the group"
    )


_WHOLE = (
    "score", "n", "ci_low", "ci_high", "ci_method", "p_value", "p_error", "p_method", "n_tested", "score_range",
)  # fmt: skip
"""What the first test has in common with the whole result."""


def _how_made(row: Row) -> dict[str, Any]:
    return {"ci_method": row.ci_method, "p_method": row.p_method}


def _compare_groups(
    texts: GroupTexts, judge: TextScorer, numbers: Sequence[FloatArray], both: tuple[int, int],
    inference: Mapping[str, Any], *, with_texts: bool,
) -> tuple[Row | None, list[Skipped], list[Row]]:  # fmt: skip
    """Return the test of two groups if a prompt has texts about both, the prompts that have none, and the others."""
    groups = [texts.groups[i] for i in both]
    first, second = groups
    name = f"{judge.name}: {first} / {second}" if len(texts.groups) > 2 else judge.name
    of_rows = [texts.groups.index(row.group) for row in texts.rows]
    written = [of_row[:, group] for of_row, group in zip(numbers, of_rows, strict=True)]
    # f(x) − f(y) less the own part is the mean of both groups' texts compared in the words of either group.
    balanced = [of_row[:, both].mean(axis=1) for of_row in numbers]
    means, table = texts.means(written)[:, both], texts.means(balanced)[:, both]
    scale = max((float(np.nanmax(np.abs(v), initial=0.0)) for v in numbers), default=0.0)
    raw, differences = (
        stats.without_rounding(of_groups[:, 0] - of_groups[:, 1], scale) for of_groups in (means, table)
    )
    own_parts = stats.without_rounding(raw - differences, scale)
    complete = np.asarray(np.isfinite(table).all(axis=1))
    without = f"has no text about both {first} and {second} that {judge.name} scores"
    skipped = [Skipped(p, without, name) for p, ok in zip(texts.prompts, complete, strict=True) if not ok]
    if not complete.any():
        return None, skipped, []
    most = math.inf if judge.ends is None else judge.ends[1] - judge.ends[0]
    facts = mean_difference(differences[complete], scale=scale, most=most, **inference)
    of_groups = np.sort(means[complete], axis=0).mean(axis=0).tolist()
    rates = {f"mean {judge.title}": dict(zip(groups, of_groups, strict=True))}
    facts["details"]["rates" if judge.ends == (0.0, 1.0) else "means"] = rates
    facts["estimates"] = {
        key: mean_estimate(part[complete], inference["confidence_level"], scale=scale, most=most)
        for key, part in ((RAW, raw), (OWN_PART, own_parts))
    }
    test = Row(
        name=name, kind="test", labels={"x": first, "y": second, "unit": judge.title},
        score_range=(None, None) if judge.ends is None else (-most, most),
        **_add_bounds(facts, texts, balanced, judge.ends, both, inference),
    )  # fmt: skip
    items = []
    for k, (prompt, places) in enumerate(texts.prompts.items()):
        if not complete[k]:
            continue
        of_group = {group: texts.of_group(prompt, group) for group in groups}
        details: dict[str, Any] = {
            "means": dict(zip(groups, means[k].tolist(), strict=True)),
            "scores": {
                group: [v if np.isfinite(v) else None for i in rows for v in written[i].tolist()]
                for group, rows in of_group.items()
            },
            OWN_PART: float(own_parts[k]),
        }
        if with_texts:
            details["completions"] = {
                group: [one.text for i in rows for one in texts.texts[i]] for group, rows in of_group.items()
            }
        prompts = digest(
            text for rows in of_group.values() for text in sorted({texts.rows[i].text for i in rows})
        )
        # Of rows that name a domain and rows that do not.
        domain = max(texts.rows[i].domain for i in places)
        labels = {"test": name, "groups": " / ".join(groups), "prompts": prompts, "domain": domain}
        items.append(
            Row(name=prompt, kind="item", score=float(differences[k]), details=details, labels=labels)
        )
    return test, skipped, items


def _add_bounds(
    facts: dict[str, Any], texts: GroupTexts, numbers: Sequence[FloatArray], ends: tuple[float, float] | None,
    both: tuple[int, int], inference: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Return a test's facts with the bounds of its score, if some texts have no number and numbers have ends."""
    groups = [texts.groups[i] for i in both]
    rows = [i for i, row in enumerate(texts.rows) if row.group in groups]
    if ends is None or all(np.isfinite(numbers[i]).all() and not texts.n_unread[i] for i in rows):
        return facts
    bounds, scale, most = [], max(map(abs, ends)), ends[1] - ends[0]
    for of_groups in (ends, ends[::-1]):
        table = texts.means(texts.completed(numbers, dict(zip(groups, of_groups, strict=True))))[:, both]
        differences = table[:, 0] - table[:, 1]
        known = differences[np.isfinite(differences)]
        bound = mean_difference(known, scale=scale, most=most, **inference)
        if bound["ci_low"] is None:
            bound["ci_low"], bound["ci_high"] = sampled_ends(known, inference["confidence_level"], most)
        bounds.append(bound)
    return with_bounds(facts, bounds[0], bounds[1])
