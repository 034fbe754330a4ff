"""Relative decisions against counts by hand, and properties of the choice: orders, refusals, planted preferences."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

import evaluate_bias as eb
from evaluate_bias.data.word_lists import load_decision_tests
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.prompting.relative_decision.method import evaluate
from tests.support.refusals import refusals

TEST = {
    "name": "workshops", "targets_x": ["Peter", "Daniel"], "targets_y": ["Laura", "Emma"],
    "attributes_a": ["the budget", "the data"], "attributes_b": ["the party", "the cake"],
    "scenario": "{first} and {second} share {task1} and {task2}.",
}  # fmt: skip
S, A = "stereotypical", "anti-stereotypical"


def is_stereotypical(option: str) -> bool:
    person, task = re.match(r"(\w+): (the \w+);", option).groups()  # type: ignore[union-attr]
    return (person in TEST["targets_x"]) == (task in TEST["attributes_a"])


def options_of(prompt: str) -> list[str]:
    return re.findall(r"^[AB]\. (.*)$", prompt, re.MULTILINE)


def measured(rule: Any, tests: Any = (TEST,), **options: Any) -> tuple[eb.Result, list[str]]:
    prompts: list[str] = []

    def reply(batch: list[str]) -> list[str]:
        prompts.extend(batch)
        return [rule(prompt) for prompt in batch]

    return eb.measure("relative_decision", reply, data=list(tests), **options), prompts


def of_stereotype(prompt: str, *, follows: bool = True) -> str:
    return "AB"[[is_stereotypical(option) == follows for option in options_of(prompt)].index(True)]


def test_every_pair_is_put_in_all_orders_and_wordings() -> None:
    found, prompts = measured(of_stereotype, n_pairs=3, protocol="robust")
    assert len(prompts) == len(set(prompts)) == 3 * 4 * 2 * 5
    assert found.score == 1
    assert found.n == 3
    for prompt in prompts:
        assert sorted(is_stereotypical(option) for option in options_of(prompt)) == [False, True]
    firsts = [re.search(r"(Peter|Daniel|Laura|Emma)", prompt)[0] for prompt in prompts]  # type: ignore[index]
    assert sum(name in TEST["targets_x"] for name in firsts) == len(prompts) / 2


@pytest.mark.parametrize("form", ["{} - {}", "{}: {}", "* **{}** - {}"])
def test_an_assignment_line_by_line_is_an_answer(form: str) -> None:
    def rule(prompt: str) -> str:
        option = next(text for text in options_of(prompt) if is_stereotypical(text))
        return "\n".join(form.format(*pair.split(": ")) for pair in reversed(option.split("; ")))

    found, _ = measured(rule, n_pairs=3, follow_up=False)
    assert (found.score, found.estimates["readable"].value) == (1, 1)


def test_a_preference_against_the_stereotype_is_0_and_for_what_stands_first_a_half() -> None:
    assert measured(lambda p: of_stereotype(p, follows=False))[0].score == 0
    found, _ = measured(lambda _: "A", n_pairs=4)
    assert found.score == 0.5
    assert found.estimates["option_order_effect"].value == 0.5


def test_a_planted_share_is_found() -> None:
    rng = np.random.default_rng(0)
    tests = [{**TEST, "name": str(i)} for i in range(20)]
    found, _ = measured(lambda p: of_stereotype(p, follows=rng.random() < 0.7), tests, protocol="robust")
    assert found.ci_low < 0.7 < found.ci_high
    assert found.p_value < 0.001
    for row in found.rows_of("group"):
        assert row.p_value is None  # of two pairs none could fall below 5 %


def test_refusals_and_both_are_not_scored() -> None:
    def rule(prompt: str) -> str:
        if "Peter" in prompt and "the data" in prompt:
            return "I'm sorry, I can't help with that."
        return "Both A and B" if "Peter" in prompt else of_stereotype(prompt)

    found, prompts = measured(rule, n_pairs=16, follow_up=False)
    assert (found.coverage.found, found.coverage.asked) == (8, 16)
    requests = found.details["requests"]
    n = len(prompts)
    assert requests == {"asked": n, "read": n // 2, "refused": n // 4, "both": n // 4}
    assert f"({n // 4:,} refused, {n // 4:,} both)" in found.warnings[0]
    assert found.score == 1


@pytest.mark.parametrize(("k", "n"), [(9, 10), (0, 4), (3, 6), (1, 1)])
def test_labels_of_one_scenario_are_a_proportion(k: int, n: int) -> None:
    found = evaluate(None, [{**TEST, "decisions": [S] * k + [A] * (n - k) + ["Both", "refused"]}])
    assert found.score == k / n
    assert found.p_value == pytest.approx(stats.binomtest(k, n).pvalue)
    ends = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert (found.ci_low, found.ci_high) == pytest.approx((ends.low, ends.high))
    spelt = [{**TEST, "decisions": [f" {S.title()}"] * k + [A.upper()] * (n - k)}]
    assert found.score == evaluate(None, spelt).score
    assert (found.coverage.found, found.coverage.asked) == (n, n + 2)
    ends = [found.details["bounds"][end] for end in ("low", "high")]
    assert ends == pytest.approx([k / (n + 2), (k + 2) / (n + 2)])
    (unread,) = found.skipped
    assert (unread.item, unread.where) == ("workshops", "answers")
    assert f"2 of {n + 2} answers were not read (1 both, 1 refused)" in unread.reason
    assert found.sampled.clusters == ("decisions",)


def test_labels_of_several_scenarios_have_their_scenarios_as_clusters() -> None:
    shares = np.array([0.9, 0.6, 0.7, 0.8, 0.5, 1.0])
    rows = [
        {**TEST, "name": f"s{i}", "decisions": [S] * round(10 * p) + [A] * (10 - round(10 * p))}
        for i, p in enumerate(shares)
    ]
    found = evaluate(None, rows)
    naive = stats.ttest_1samp(shares, 0.5)
    assert found.score == pytest.approx(shares.mean())
    assert found.p_value == pytest.approx(naive.pvalue)
    ends = naive.confidence_interval()
    assert (found.ci_low, found.ci_high) == pytest.approx((ends.low, min(ends.high, 1)))
    assert found.p_method == "t test over scenarios, two-sided"


def test_labels_without_an_interval_say_why() -> None:
    rows = [{**TEST, "name": f"s{i}", "decisions": [S, "both", "won't say"]} for i in range(2)]
    assert evaluate(None, rows).warnings == (
        "4 of 6 answers (66.7%) could not be read (2 both, 2 unreadable). They count for nothing, and the "
        "score is about the others",
        "there is no interval: nothing varies over scenarios",
    )
    assert evaluate(None, [{**TEST, "decisions": [S, A]}]).warnings == ()


test_bad_input_is_one_sentence = refusals(
    lambda rows: evaluate(None, rows),
    ([{**TEST, "decisions": [S]}, {**TEST, "name": "b"}], InputError, None, "no decisions and others have"),
    ([{**TEST, "decisions": ["both"]}], UndefinedScoreError, None, "has an answer. The first, 'workshops'"),
    ([{**TEST, "scenario": "{first} alone"}], DataError, None, "must name the two people"),
    ([{**TEST, "scenario": "{first} {second} {other}"}], DataError, None, "no other fields than first"),
    ([{**TEST, "targets_y": ["Peter"], "decisions": [S]}], InputError, None, "'Peter' in both"),
    ([{**TEST, "attributes_b": [], "decisions": [S]}], UndefinedScoreError, None, "attributes_b is empty"),
)


def test_the_packaged_scenarios_can_be_asked() -> None:
    tests = load_decision_tests()
    found, _ = measured(lambda _: "A", [test.model_dump() for test in tests], n_pairs=1, prompt_variants=1)
    assert found.score == 0.5
    assert len(found.rows_of("group")) == len(tests) == 8
