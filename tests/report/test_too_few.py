"""Too few units for any finding: by what a test rearranges, for every method that has one."""

import dataclasses

import pytest

from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import bias_section
from evaluate_bias.report.lines import why_too_few
from evaluate_bias.result import Result, Row, Sampled
from tests.report.samples import report_lines
from tests.test_all_methods import measured

LISTS = {"n_x": 3, "n_y": 3, "n_a": 4, "n_b": 4}
CASES = [
    ("flips", {"n": 5}, ".062"),
    ("flips", {"n": 6}, ""),
    ("flips", {"n": 8, "ties": 3}, ".062"),
    ("flips", {"n": 100, "n_tested": 5}, ".062"),
    ("pairs", {"n": 10, "details": {"n_x": 5, "n_y": 5}}, ".062"),
    ("pairs", {"n": 12}, ""),
    ("targets", {"n": 6, "details": LISTS}, ".100"),
    ("targets", {"n": 6}, ".100"),
    ("targets", {"n": 7}, ""),
    ("targets", {"n": 7, "details": {"n_x": 1, "n_y": 6}}, ".143"),
    ("attributes", {"n": 6, "details": LISTS}, ""),
    ("attributes", {"n": 4, "n_tested": 5, "details": {"n_a": 5, "n_b": 0}}, ".062"),
    ("attributes", {"n": 9, "details": {"words": [{"list": f"attributes_{k}"} for k in "aaabbb"]}}, ".100"),
    ("attributes", {"n": 6, "n_tested": 40, "details": {"n_a": 3, "n_b": 3}}, ""),  # what was counted, and no words
    ("ratings", {"n": 6, "details": {"attributes": [{"rating": k // 3} for k in range(6)]}}, ".100"),
    ("ratings", {"n": 8, "details": {"attributes": [{"rating": k // 4} for k in range(8)]}}, ""),
    ("ratings", {"n": 2, "n_tested": 5, "details": {"attributes": [{"rating": 1}, {"rating": -1}]}}, ".062"),
    ("order", {"n": 3}, ".167"),
    ("order", {"n": 4}, ""),
    ("t", {"n": 4}, "a t test takes 5 items, and there are 4"),
    ("t", {"n": 100, "n_tested": 4}, "a t test takes 5 items, and there are 4"),
    ("t", {"n": 5}, ""),
    ("t", {"n": 5, "details": {"smallest_p": 0.0625}}, ".062"),
    ("", {"n": 1}, ""),
    ("flips", {"n": 12, "n_tested": 0}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("test", "facts", "reason"), CASES)
def test_the_reason(test, facts, reason):
    found = why_too_few(Row(name="r", kind="test", score=1.0, **facts), test)
    assert bool(found) == bool(reason)
    assert found.endswith(reason)


def test_a_side_that_is_asked_for_needs_fewer():
    row = Row(name="r", kind="test", score=1.0, n=8, details={"n_x": 2, "n_y": 6})
    assert (why_too_few(row, "targets"), why_too_few(row, "targets", "greater")) == ("", "")
    row = dataclasses.replace(row, n=6, details={"n_x": 3, "n_y": 3})
    assert why_too_few(row, "targets", "greater").endswith(".050")


def test_one_unit_is_no_plural():
    row = Row(name="r", kind="test", score=1.0, n=1)
    assert why_too_few(row, "flips") == "with 1 item, the smallest possible p-value is 1"


KINDS = {
    "bbq": "with 3 templates, ",
    "bec_pro": "with 4 professions, ",
    "crows_pairs": "with 3 pairs, ",
    "decision_gap": "with 4 templates, ",
    "mlm_gender_score": "a t test takes 5 occupations, and there are 4",
    "stereoset": "with 2 targets, ",
    "weat": "with 2 and 2 items, ",
    "winobias": "with so few professions, ",  # its n counts pairs
    "word_association": "with 2 and 2 words, ",
}
"""On the small data of some methods: what the test rearranges, by the result's declaration of what is drawn."""


@pytest.mark.parametrize("name", KINDS)
def test_the_reason_names_what_is_drawn_rather_than_items(name):
    assert report_lines([measured(name)])[0].why_too_few.startswith(KINDS[name])


def test_a_row_about_one_cluster_is_about_its_items():
    """Four pairs about one scenario are not four scenarios, which the whole result draws."""
    pairs = [Row(name=f"p{i}", kind="item", labels={"scenario": f"s{i % 5}"}) for i in range(20)]
    one = Row(name="s1", kind="group", score=0.7, n=4, n_tested=4)
    whole = {
        "score_range": (0, 1),
        "direction": "two_sided",
        "ideal": 0.5,
        "score": 0.6,
        "n": 20,
        "n_tested": 4,
    }
    result = Result(method="relative_decision", **whole, rows=[one, *pairs], sampled=Sampled(("scenarios",)))
    assert {line.name: line.why_too_few for line in report_lines([result])} == {
        "overall": "a t test takes 5 scenarios, and there are 4",
        "s1": "a t test takes 5 decisions, and there are 4",
    }


def test_a_card_gives_items_and_what_is_tested_if_that_is_something_else():
    few = {"bbq": "BBQ (4 items, 3 templates tested)", "crows_pairs": "CrowS-Pairs (4 pairs)"}
    for name, said in few.items():
        assert f"- **Too little data to tell**: {said}." in bias_section([measured(name)])


@pytest.mark.parametrize("name", METHODS)
def test_every_p_value_has_a_smallest_one(name):
    result = measured(name)
    if not METHODS[name].test_of(result):
        for row in (result, *result.rows):
            smallest = row.details.get("smallest_p")
            assert row.p_value is None or isinstance(smallest, float), row
            if row.p_value is not None:
                assert row.p_value + 4 * row.p_error >= smallest * (1 - 1e-9), row


def test_no_method_reports_a_p_value_below_the_smallest_that_it_states():
    """On the small data of every method: too few units mean no p-value below 5 %, unless it is a t test's."""
    rearranging = set()
    for name in METHODS:
        for line in report_lines([measured(name)]):
            if line.why_too_few and not line.why_too_few.startswith("a t test"):
                rearranging.add(name)
                assert line.row.p_value is None or line.row.p_value >= 0.05, (name, line.name)
    assert len(rearranging) > 20
