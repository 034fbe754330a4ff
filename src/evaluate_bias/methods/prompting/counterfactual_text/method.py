"""Counterfactual text: what a model writes about two groups in equal prompts, compared by scorers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....data.prompts import GROUP, GroupPrompt
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.completions import Decoding, GenerationSettings
from ....result import Coverage, Estimate, Row, Skipped
from ...choosing.bounds import with_bounds
from ...choosing.reporting import interval_warning, unread_warning
from ...groups import compared_groups, largest_gap
from ...replies import room_for
from ...rows import checked_rows, digest, nothing_left, refuse_model, without_repeated
from ...template_filling import one_language
from .comparing import GroupTexts
from .record import RECORD
from .scorers import Scorers, TextScorer, load_scorers
from .statistics import mean_difference, scorer_part
from .writing import parsed_rows, written_by


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[GroupPrompt | Mapping[str, Any]],
    *,
    scorers: Scorers = ("length", "refusal"),
    groups: tuple[str, str] | None = None,
    variant: Literal["auto", "completion", "chat"] = "auto",
    k: int = 5,
    decoding: Decoding = "sample",
    max_new_tokens: int = 100,
    n_resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> Finding:
    """Measure by how much what a model writes about one group scores higher than what it writes about another.

    The difference of a prompt is the mean number that a scorer gives the first group's texts less that of the
    second's; the score is the mean over prompts. Texts of one prompt are one cluster. A text that cannot be read, such
    as one that ends within a thought, counts for nothing and is listed.

    Args:
        model: one that chats or continues texts, or a function; ``None`` where the rows hold ``completions``.
        data: rows with ``prompt`` and ``group``, the same prompt for every group; with ``forms`` or ``completions``.
        scorers: ``"vader"``, sentiment in English from -1 to 1 (extra ``vader``); ``"length"`` in words;
            ``"refusal"``, 1 where a text begins as refusals do; ``"hf:NAME#LABEL"``, the probability of a label by a
            classifier of the Hub or a folder; a function from a text to a number; or a list of these. The first gives
            the score.
        groups: the two groups to compare; by default the first two of the data. All pairs have rows.
        variant: ``"chat"`` sends the prompt as a message, ``"completion"`` continues it; ``"auto"`` asks a model that
            has a chat template or is served as a chat model.
        k: texts of each prompt.
        decoding: ``"sample"``: k draws from the model's distribution; ``"top"``: the k likeliest first tokens, each
            continued by the likeliest.
        max_new_tokens: most tokens of a text; in a chat with room for thoughts besides.

    Returns:
        Score in the scorer's unit, two-sided, ideal 0; positive where the first group's texts score higher. The p-value
        flips the signs of prompts and takes 6 that differ, the interval is Student's over prompts and takes 10. ``n``
        is the number of prompts. ``estimates["scorer_part"]`` is the mean difference that the scorer makes of the
        groups' words in one and the same text. Where texts could not be read and the scorer has a limited range,
        ``estimates["bounds"]`` says what the score may be. A row of kind ``"test"`` for every scorer and pair of
        groups.

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
        >>> result = evaluate(None, rows, scorers="length")
        >>> result.score, result.n, result.estimates["scorer_part"].value
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
    inference: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "seed": seed}
    texts = GroupTexts.of(rows, writing, names)
    comparisons = _tests(texts, judges, pair, inference)
    skipped = [*writing.skipped(rows), *comparisons.skipped]
    if not comparisons.tests or comparisons.tests[0].name != comparisons.first:
        first, second = (names[i] for i in pair)
        if not any(texts.of_group(p, first) and texts.of_group(p, second) for p in texts.prompts):
            raise UndefinedScoreError(
                f"no prompt is about both {first} and {second}: rows that are compared have the same 'prompt', with "
                f"{GROUP} where the group stands"
            )
        raise nothing_left(f"no prompt has texts about {first} and {second}", skipped)
    head = comparisons.tests[0]
    whole = {key: getattr(head, key) for key in _WHOLE}
    counts = answers.get("requests")
    readable = {"readable": Estimate(counts["read"] / counts["asked"])} if counts else {}
    notes = [f"{row.name}: {note}" for row in comparisons.tests for note in interval_warning(row.ci_method)]
    facts = {judge.name: dict(judge.facts) for judge in judges if judge.facts}
    return Finding(
        **whole, coverage=Coverage(sum(map(bool, writing.texts)), len(rows)), skipped=skipped,
        rows=[*(replace(row, **_differing_method(row, whole)) for row in comparisons.tests), *comparisons.items],
        warnings=[*(unread_warning(counts) if counts else ()), *notes],
        estimates={**head.estimates, **comparisons.omnibus, **readable}, details={**head.details, **answers},
        settings={
            **how, "language": language, "scorers": [judge.name for judge in judges],
            "groups": [names[i] for i in pair], "tests": [row.name for row in comparisons.tests],
        },
        provenance={"scorers": facts} if facts else {},
    )  # fmt: skip


_WHOLE = (
    "score", "n", "ci_low", "ci_high", "ci_method", "p_value", "p_low", "p_high", "p_method", "n_tested", "score_range",
)  # fmt: skip
"""What the first test has in common with the whole result."""


def _differing_method(row: Row, whole: Mapping[str, Any]) -> dict[str, Any]:
    """How a test was made, where that is not how the whole was."""
    return without_repeated({"ci_method": row.ci_method, "p_method": row.p_method}, whole)


@dataclass(slots=True)
class _Tests:
    """A row for every scorer and pair of groups, the rows of their prompts, what has none, and all groups together."""

    first: str
    tests: list[Row] = field(default_factory=list)
    items: list[Row] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    omnibus: dict[str, Estimate] = field(default_factory=dict)


def _tests(
    texts: GroupTexts, judges: Sequence[TextScorer], pair: tuple[int, int], inference: Mapping[str, Any]
) -> _Tests:
    """Compare every pair of groups by every scorer, the pair that is asked for first."""
    n = len(texts.groups)
    pairs = [pair, *(other for other in combinations(range(n), 2) if {*other} != {*pair})]
    suffix = {both: " / ".join(texts.groups[i] for i in both) for both in pairs} if n > 2 else {}
    names = {
        (j.name, both): ": ".join([j.name, *([suffix[both]] if suffix else [])])
        for j in judges
        for both in pairs
    }
    comparisons = _Tests(names[judges[0].name, pair])
    for judge in judges:
        scores = texts.scores(judge)
        table = texts.means(scores)
        scale = max((abs(v) for of_row in scores for v in of_row if np.isfinite(v)), default=0.0)
        if n > 2 and judge is judges[0]:
            gap = largest_gap(table, n_resamples=inference["n_resamples"], seed=inference["seed"])
            comparisons.omnibus = {} if gap is None else {"p_groups": Estimate(gap[1])}
        for both in pairs:
            first, second = (texts.groups[i] for i in both)
            name, columns = names[judge.name, both], table[:, both]
            complete = np.asarray(np.isfinite(columns).all(axis=1))
            comparisons.skipped += [
                Skipped(prompt, f"has no text about both {first} and {second} that {judge.name} scores", name)
                for prompt, has_both in zip(texts.prompts, complete, strict=True)
                if not has_both
            ]
            if not complete.any():
                continue
            differences = stats.without_rounding(columns[:, 0] - columns[:, 1], scale)
            changes = stats.without_rounding(texts.own_part(judge, scores, first, second), scale)
            span = math.inf if judge.ends is None else judge.ends[1] - judge.ends[0]
            facts = mean_difference(differences[complete], scale=scale, most=span, **inference)
            means = dict(
                zip((first, second), np.sort(columns[complete], axis=0).mean(axis=0).tolist(), strict=True)
            )
            facts["details"]["rates" if judge.ends == (0.0, 1.0) else "means"] = {
                f"mean {judge.title}": means
            }
            facts["estimates"] = {
                "scorer_part": scorer_part(changes[complete], inference["level"], scale=scale, most=span)
            }
            comparisons.tests.append(Row(
                name=name, kind="test", labels={"x": first, "y": second, "unit": judge.title},
                score_range=(None, None) if judge.ends is None else (-span, span),
                **_bounded(facts, texts, scores, judge.ends, both, inference),
            ))  # fmt: skip
            test, with_texts = comparisons.tests[-1], len(comparisons.tests) == 1
            comparisons.items += _items(
                texts, scores, columns, differences, changes, test, with_texts=with_texts
            )
    return comparisons


def _bounded(
    facts: dict[str, Any], texts: GroupTexts, scores: Sequence[Sequence[float]], ends: tuple[float, float] | None,
    both: tuple[int, int], inference: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """A test's facts with the bounds of its score, where texts have no number and numbers have ends."""
    groups = [texts.groups[i] for i in both]
    rows = [i for i, row in enumerate(texts.rows) if row.group in groups]
    if ends is None or all(np.isfinite(scores[i]).all() and not texts.n_unread[i] for i in rows):
        return facts
    bounds = []
    for numbers in (ends, ends[::-1]):
        table = texts.means(texts.completed(scores, dict(zip(groups, numbers, strict=True))))[:, both]
        differences = table[:, 0] - table[:, 1]
        known, scale, most = differences[np.isfinite(differences)], max(map(abs, ends)), ends[1] - ends[0]
        bounds.append(mean_difference(known, scale=scale, most=most, **inference))
    return with_bounds(facts, bounds[0], bounds[1])


def _items(
    texts: GroupTexts, scores: Sequence[Sequence[float]], means: FloatArray, differences: FloatArray,
    changes: FloatArray, test: Row, *, with_texts: bool,
) -> Iterator[Row]:  # fmt: skip
    """The prompts of a test: difference, what each group's texts score, and what exchanging their words changes."""
    groups = test.labels["x"], test.labels["y"]
    for place, (prompt, places) in enumerate(texts.prompts.items()):
        if not np.isfinite(means[place]).all():
            continue
        both = {group: texts.of_group(prompt, group) for group in groups}
        written = {group: [one.text for i in rows for one in texts.texts[i]] for group, rows in both.items()}
        values = {
            group: [v if np.isfinite(v) else None for i in rows for v in scores[i]] for group, rows in both.items()
        }  # fmt: skip
        prompts = digest(texts.rows[i].text for rows in both.values() for i in rows)
        yield Row(
            name=prompt, kind="item", score=float(differences[place]),
            labels={"test": test.name, "domain": texts.rows[places[0]].domain, "prompts": prompts},
            details={"means": dict(zip(groups, means[place].tolist(), strict=True)), "scores": values,
                     "scorer_part": float(changes[place]), **({"completions": written} if with_texts else {})},
        )  # fmt: skip
