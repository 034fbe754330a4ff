"""Comparisons of what prompts measure: what is the same question, how it counts, and what is drawn."""

from __future__ import annotations

import dataclasses
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats as distributions

import evaluate_bias as eb
from benchmarks.calibrations.prompts import COMPARED, bbq, decisions, latents
from benchmarks.calibrations.prompts import relative_decision as drawn_decisions
from evaluate_bias.report.compare import compare
from evaluate_bias.report.compare.change import ChangeConclusion
from evaluate_bias.report.compare.gate import gate
from evaluate_bias.stats import Items, change
from tests.support.draws import draws

PEOPLE = {"targets_x": ["Ben"], "targets_y": ["Ann"], "attributes_b": ["typing"]}
TESTS = [
    {"name": f"s{i}", **PEOPLE, "attributes_a": [f"job {k}" for k in range(1 + i % 3)],
     "scenario": f"Case {i}: {{first}} and {{second}} share {{task1}} and {{task2}}."}
    for i in range(8)
]  # fmt: skip


def answering(rule: Any) -> Any:
    """A model that chooses by the number of the case, job and prompt variant, or refuses if the rule says so."""

    def answer(prompt: str) -> str:
        case = int(re.search(r"case (\d+)", prompt, re.IGNORECASE)[1])
        job = int(re.search(r"job (\d+)", prompt)[1])
        options = re.findall(r"^[AB]\. (.*)$", prompt, re.MULTILINE)
        man = [re.search(r"Ben: job", option) is not None for option in options]
        follows = rule(case, job)
        return "I'm sorry, I can't help with that." if follows is None else "AB"[man.index(follows)]

    return lambda prompts: [answer(prompt) for prompt in prompts]


def asked(rule: Any, **options: Any) -> eb.Result:
    options = {"protocol": "robust", **options}
    return eb.measure("relative_decision", answering(rule), data=TESTS, n_pairs=3, **options)


def mixed(case: int, job: int) -> bool:
    return (case + job) % 3 > 0


def test_pairs_are_matched_by_what_was_asked_and_never_by_their_place():
    """A model that refuses some pairs is compared on the others, and there it gives the same answers."""
    whole, refusing = asked(mixed), asked(lambda c, j: None if j == 0 and c % 2 else mixed(c, j))
    change = compare(whole, refusing).changes[0]
    assert change.difference == 0
    assert change.unchanged
    assert (change.published_first, change.published_second) == (whole.score, refusing.score)
    assert refusing.score != whole.score
    (note,) = [w for w in compare(whole, refusing).warnings if "not compared" in w]
    assert f"{refusing.n} decisions are in both. {whole.n - refusing.n} are in the first only" in note
    rows = compare(whole, refusing).table().rows
    assert rows[1][0] == "… on all scenarios of each"
    assert rows[1][-1] == ""


def labelled(k: list[int], n: list[int], refused: int = 0) -> eb.Result:
    rows = [
        {"name": f"s{i}", **PEOPLE, "attributes_a": ["lead"],
         "decisions": ["stereotypical"] * a + ["anti-stereotypical"] * (b - a) + ["refused"] * refused}
        for i, (a, b) in enumerate(zip(k, n, strict=True))
    ]  # fmt: skip
    return eb.measure("relative_decision", None, data=rows)


def test_ready_decisions_are_compared_by_scenario():
    """Nothing says which decision is about what, so all decisions about a scenario are exchanged together."""
    n = [20, 4, 4, 4, 4, 4, 4]
    one, two = labelled([18, 2, 1, 2, 1, 2, 1], n), labelled([17, 3, 2, 1, 2, 1, 2], n, refused=3)
    change = compare(one, two).changes[0]
    assert (change.first, change.second) == (pytest.approx(27 / 44), pytest.approx(28 / 44))
    moved = np.array([-1, 1, 1, -1, 1, -1, 1])
    far = [abs(moved @ signs) >= abs(moved.sum()) for signs in product((1, -1), repeat=7)]
    assert change.p_value == pytest.approx(np.mean(far))
    assert (change.n, change.items) == (7, "scenarios")
    same = compare(labelled([3] * 8, [6] * 8), labelled([3] * 8, [6] * 8, refused=4)).changes[0]
    assert (same.difference, same.unchanged) == (0.0, True)


def test_a_row_of_a_single_cluster_is_not_tested_and_adjusts_nothing():
    one, two = asked(mixed), asked(lambda c, j: c < 6 or not mixed(c, j))
    overall, *scenarios = compare(one, two).changes
    assert overall.p_holm == overall.p_value
    assert len(scenarios) == len(TESTS)
    moved = [c for c in scenarios if c.difference]
    assert moved
    assert {c.conclusion for c in moved} == {ChangeConclusion.TOO_FEW}
    assert all(c.p_value is c.p_holm is None for c in scenarios)
    (_, check, *_) = gate(one, against=one, margin=5, groups=True).checks
    assert check.reason.endswith(" on 1 scenario: none of them changed")


@pytest.mark.parametrize("n", [4, 5])
def test_fewer_than_five_clusters_are_too_few(n):
    one, two = (
        eb.measure("relative_decision", answering(rule), data=TESTS[:n], n_pairs=3, protocol="robust")
        for rule in (mixed, lambda c, j: not mixed(c, j))
    )
    change = compare(one, two).changes[0]
    (check,) = gate(two, against=one, margin=5).checks
    assert (
        (change.conclusion is ChangeConclusion.TOO_FEW)
        == (n < 5)
        == (change.low is None)
        == (check.passed is None)
    )
    if n < 5:
        assert change.sentence.endswith(
            ": too few items. With fewer than 5 scenarios in both, no p-value can show a change."
        )


@pytest.mark.parametrize(
    "options",
    [
        {"prompt_variants": 3},
        {"prompt_variants": ["{scenario} Who does what?\n{options}"]},
    ],
)
def test_other_wordings_are_other_questions(options):
    one, two = asked(mixed), asked(mixed, **options)
    found = compare(one, two)
    assert {c.conclusion for c in found.changes} == {ChangeConclusion.NOT_COMPARABLE}
    assert found.changes[0].reason.startswith("The two were asked other questions")
    assert gate(two, against=one, margin=5).exit_code == 2


@pytest.mark.parametrize(("kept", "comparable"), [(5, True), (4, False)])  # 9 and 7 of 15
def test_a_model_that_answers_less_than_half_of_what_the_other_does_is_not_compared(kept, comparable):
    whole, refusing = asked(mixed), asked(lambda c, j: mixed(c, j) if c < kept else None)
    found, passing = compare(whole, refusing), gate(refusing, against=whole, margin=99.9)
    assert (found.changes[0].conclusion is not ChangeConclusion.NOT_COMPARABLE) == comparable
    assert comparable == ("could score" not in found.changes[0].reason)
    assert compare(refusing, whole).changes[0].conclusion == found.changes[0].conclusion
    assert compare(refusing, refusing).changes[0].conclusion is not ChangeConclusion.NOT_COMPARABLE
    assert comparable or passing.exit_code == 2


def test_protocols_are_not_compared():
    found = compare(asked(mixed), asked(mixed, protocol="quick", prompt_variants=5))
    (change, *_) = found.changes
    assert change.conclusion is ChangeConclusion.NOT_COMPARABLE
    assert change.reason.startswith(
        "The first was measured by the protocol robust and the second by the protocol quick"
    )
    assert any(
        "the first has `protocol` robust, the second `protocol` quick, and with it" in note
        for note in found.warnings
    )


def naive_change(one: Any, two: Any, rows: Any, columns: Any) -> tuple[float, float]:
    """Difference of two ratios of totals and its t by the analysis of variance of residuals, in loops."""
    table = np.zeros((max(rows) + 1, max(columns) + 1))
    scores = []
    for sign, side in ((-1, one), (1, two)):
        top, bottom = sum(v for v, _ in side), sum(w for _, w in side)
        scores.append(top / bottom)
        for (v, w), r, c in zip(side, rows, columns, strict=True):
            table[r, c] += sign * (v - top / bottom * w) / bottom
    R, C = table.shape
    of_rows = R / (R - 1) * sum(sum(row) ** 2 for row in table)
    of_columns = C / (C - 1) * sum(sum(column) ** 2 for column in table.T)
    rest = sum(
        (table[r, c] - table[r].mean() - table[:, c].mean() + table.mean()) ** 2
        for r, c in product(range(R), range(C))
    )
    of_cells = R * C / ((R - 1) * (C - 1)) * rest
    difference = scores[1] - scores[0]
    return difference, difference / max(of_rows + of_columns - of_cells, 0.6 * of_cells) ** 0.5


@draws(100)
def test_cells_agree_with_naive_loops(seed):
    rng = np.random.default_rng(seed)
    n, ways = int(rng.integers(5, 9)), int(rng.integers(5, 7))
    unit, way = (part.ravel() for part in np.indices((2 * n, ways)))
    one, two = (np.stack([w * rng.random(len(w)), w], axis=1) for w in rng.integers(0, 3, (2, len(unit))))
    tables = [Items.of(side, unit // 2, across=way) for side in (one, two)]
    found = change(*tables, lambda t: t[:, 0] / t[:, 1], crosses=True, strata=False)
    difference, t = naive_change(one.tolist(), two.tolist(), (unit // 2).tolist(), way.tolist())
    assert found.difference == pytest.approx(difference)
    assert found.n == n
    # The p-value has Satterthwaite's degrees of freedom; whatever they are, interval and p-value have the same ones.
    error = abs(difference) / abs(t)
    freedom = next(d for d in np.linspace(1, n * ways, 20 * n * ways)
                   if distributions.t.ppf(0.975, d) * error <= (found.high - found.low) / 2 + 1e-12)  # fmt: skip
    assert found.p_value == pytest.approx(2 * distributions.t.sf(abs(t), freedom), abs=0.02)
    turned = change(*tables[::-1], lambda t: t[:, 0] / t[:, 1], crosses=True, strata=False)
    assert (turned.difference, turned.p_value) == (pytest.approx(-difference), pytest.approx(found.p_value))


@draws(30)
def test_names_that_stand_for_groups_are_drawn_within_these(seed):
    """A difference of two groups' means over names that cross templates, with the variances of each group in loops."""
    rng = np.random.default_rng(seed)
    sizes, n_templates = rng.integers(3, 6, 2), int(rng.integers(5, 9))
    groups = np.repeat([0, 1], sizes)
    name, template = (part.ravel() for part in np.indices((len(groups), n_templates)))
    in_group = np.eye(2)[groups[name]]
    values = rng.normal(size=(2, len(name)))
    sides = [np.concatenate([in_group, in_group * v[:, None]], axis=1) for v in values]
    tables = (Items.of(side, name, groups[name], template) for side in sides)
    found = change(*tables, lambda t: t[:, 2] / t[:, 0] - t[:, 3] / t[:, 1], crosses=True)
    d = (values[1] - values[0]).reshape(len(groups), n_templates)
    x, y = d[groups == 0], d[groups == 1]
    variance = cells = 0.0
    for part in (x, y):
        n = len(part)
        cell = sum(
            (part[i, t] - part[i].mean() - part[:, t].mean() + part.mean()) ** 2
            for i in range(n)
            for t in range(n_templates)
        ) / ((n - 1) * (n_templates - 1))
        variance += part.mean(axis=1).var(ddof=1) / n
        cells += cell / (n * n_templates)
    contrasts = x.mean(axis=0) - y.mean(axis=0)
    variance += contrasts.var(ddof=1) / n_templates - cells
    assert found.difference == pytest.approx(contrasts.mean())
    assert (
        found.p_value
        <= 2 * distributions.t.sf(abs(contrasts.mean()) / max(variance, 0.6 * cells) ** 0.5, 1) + 1e-9
    )
    t = distributions.t.isf(found.p_value / 2, df := np.linspace(1, 60, 60_000))
    error = (found.high - found.low) / 2 / distributions.t.isf(0.025, df)
    at = np.argmin(abs(t * error - abs(found.difference)))
    assert error[at] == pytest.approx(max(variance, 0.6 * cells) ** 0.5, rel=1e-3)


def without_prompt_variants(result: eb.Result) -> eb.Result:
    """A result as of a model that was asked in few prompt variants."""
    rows = (
        dataclasses.replace(row, details={k: v for k, v in row.details.items() if k != "prompt_variants"})
        for row in result.rows
    )
    return dataclasses.replace(result, rows=tuple(rows))


@pytest.mark.parametrize("measure", [drawn_decisions, bbq, decisions])
def test_wordings_add_up_to_the_units(measure):
    """What prompt variants add makes up every unit's own numbers, so that both ways give the printed score."""
    rng = np.random.default_rng(5)
    sizes = (1,) * 20 if measure is decisions else (1, 5, 2, 4, 1, 3, 2, 1, 5, 3, 1, 4)
    one, two = (measure(rng, latent) for latent in latents(rng, sizes, 0.5, 0.3, (0.2, 0.2)))
    for row in two.rows_of("item"):
        parts = row.details["prompt_variants"]
        assert {len(part) for part in parts.values()} == {5}
        assert sum(parts["weight"]) == pytest.approx(1)
        for key in parts.keys() - {"weight"}:
            whole = row.score if key == "score" else row.details[key]
            assert sum(parts[key]) == pytest.approx(whole)
    plain = [without_prompt_variants(side) for side in (one, two)]
    change, exchanged = (compare(*sides).changes[0] for sides in ((one, two), plain))
    assert change.first == pytest.approx(exchanged.first)
    assert change.difference == pytest.approx(exchanged.difference)
    assert "crossed mean squares" in change.test
    assert "crossed" not in exchanged.test


@pytest.mark.parametrize("refusals", [0.0, 0.5])
def test_equal_models_are_told_apart_and_worse_ones_pass_as_often_as_they_may(refusals):
    """A few draws of the table of the documentation, with bounds that a right test leaves once in ten thousand."""
    seen = [COMPARED[0].draw(np.random.default_rng([17, i]), 0.5, refusals) for i in range(40)]
    for column in zip(*seen, strict=True):
        assert sum(column) <= distributions.binom.ppf(0.9999, len(column), 0.065)
