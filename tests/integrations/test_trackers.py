"""Flat dictionaries for trackers: every number once, under keys that all of them take."""

import dataclasses
import re

from evaluate_bias.integrations.trackers import tracker_metrics, tracker_params
from evaluate_bias.result import Estimate, Row
from tests.report.samples import pairs_result, report_lines, weat_item, weat_result

KEY = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+")


def test_every_number_stands_under_its_own_key():
    results = [weat_result(), pairs_result()]
    metrics = tracker_metrics(results)
    assert metrics["bias/glove-6b-50d/weat/weat7/score"] == 1.5
    assert metrics["bias/bert-base-uncased/crows_like/gender/ci_high"] == 63.9
    scores = [v for k, v in metrics.items() if k.endswith("/score")]
    assert scores == [line.score for line in report_lines(results)]
    assert all(KEY.fullmatch(key) for key in metrics)
    assert all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in metrics.values())


def test_names_that_become_the_same_key_are_numbered():
    rows = [weat_item("wéat 6", 0.1), weat_item("wêat 6", 0.2), weat_item("/", 0.3)]
    metrics = tracker_metrics([weat_result(rows)])
    scores = {name: metrics[f"bias/weat/{name}/score"] for name in ("w_at_6", "w_at_6_2", "unnamed")}
    assert [*scores.values()] == [0.1, 0.2, 0.3]
    assert all(KEY.fullmatch(key) for key in metrics)


def test_measurements_of_one_method_are_kept_apart():
    other = dataclasses.replace(weat_result(), settings={**weat_result().settings, "seed": 1}, score=0.5)
    results = [weat_result(), other, other]
    metrics, params = tracker_metrics(results), tracker_params(results)
    assert params["bias/weat/seed_0/seed"] == "0"
    assert params["bias/weat/seed_1/seed"] == "1"
    assert metrics["bias/weat/seed_1/all_tests/score"] == metrics["bias/weat/seed_1_2/all_tests/score"] == 0.5
    assert sum(k.endswith("/score") for k in metrics) == 3 * 5


def test_a_secondary_value_never_takes_the_place_of_the_score():
    row = Row(name="age", kind="group", score=60.0, estimates={"score": Estimate(1.0), "lms": Estimate(70.0)})
    metrics = tracker_metrics([pairs_result(groups=[row])])
    assert metrics["bias/crows_like/age/score"] == 60.0
    assert metrics["bias/crows_like/age/lms"] == 70.0
