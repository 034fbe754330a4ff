"""What a card says beside its findings: what changed since, how large, what would have been found, of whom."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import DataError, InputError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.experiments.unit import latest
from evaluate_bias.report.card import card, plan_card
from evaluate_bias.report.lines import decided_lines
from evaluate_bias.report.reading import detectable, read, size_in_words
from evaluate_bias.result import Result
from tests.report.samples import report_lines, weat_item, weat_result
from tests.support.command_line import run_app
from tests.support.refusals import refused

N = 200


def pairs(share: float, n: int = N, model: str = "mine", method: str = "pll") -> Result:
    """A result whose first pairs prefer the more stereotypical sentence."""
    data = [
        {"sent_more": -9.0, "sent_less": -9.5 if k < round(share * n) else -8.5, "id": str(k)}
        for k in range(n)
    ]
    result = eb.measure(method, None, data=data)
    return dataclasses.replace(result, provenance={**result.provenance, "model": {"name": model}})


def words(spread: float, model: str = "mine") -> Result:
    rng = np.random.default_rng(5)
    vectors = {
        f"{side}{k}": [1.0, sign * spread + rng.normal()]
        for side, sign in (("x", 1), ("y", -1))
        for k in range(8)
    }
    vectors |= {"p": [0.2, 1.0], "q": [0.2, -1.0]}
    lists = {"targets_x": [f"x{k}" for k in range(8)], "targets_y": [f"y{k}" for k in range(8)]}
    test = {"name": "own", "attributes_a": ["p"], "attributes_b": ["q"], **lists}
    result = eb.measure("weat", vectors, data=[test], n_resamples=999, ci_resamples=200)
    return dataclasses.replace(result, provenance={**result.provenance, "model": {"name": model}})


def sentences(text: str) -> list[str]:
    """The sentences of the first screen."""
    block = text.partition("###")[2]
    return [
        line[2:].replace("\u00a0", " ") for line in block.partition("\n|")[0].splitlines() if line[:2] == "- "
    ]


# --- changed since -------------------------------------------------------------------------------------------


def test_a_change_since_earlier_results_is_one_line_with_both_scores(tmp_path):
    update = card([pairs(0.55)], tmp_path, since=[pairs(0.8)])
    (line,) = [s for s in sentences(update.text) if s.startswith("**Changed since")]
    assert re.fullmatch(
        r"\*\*Changed since the earlier results:\*\* PLL decreased: 80\.00 → 55\.00 \(p < \.001\), "
        r"nearer to the ideal value\.",
        line,
    )
    assert card([pairs(0.55)], tmp_path, since=[pairs(0.8)]).outcome == "unchanged"


@pytest.mark.parametrize(
    ("since", "told"),
    [
        ([words(1.0)], "no method and data set in common"),
        ([pairs(0.5, model="b"), pairs(0.5, model="c")], "results of several models"),
    ],
)
def test_earlier_results_that_cannot_be_compared_are_refused(since, told, tmp_path):
    refused(InputError, told, lambda: card([pairs(0.55)], tmp_path, since=since))
    assert not list(tmp_path.iterdir())


def test_the_command_takes_a_file_or_a_folder(tmp_path):
    (tmp_path / "base").mkdir()
    write_results([pairs(0.8)], tmp_path / "base")
    write_results([pairs(0.55)], tmp_path)
    for since in (tmp_path / "base", tmp_path / "base" / "results.jsonl"):
        words_ = ["card", str(tmp_path), "-c", str(tmp_path / "README.md"), "--since", str(since)]
        assert run_app(*words_).exit_code == 0
        assert "Changed since" in (tmp_path / "README.md").read_text()
    done = run_app("card", tmp_path, "--since", tmp_path / "none.jsonl")
    assert isinstance(done.exception, DataError)


# --- sizes and what would have been found ----------------------------------------------------------------------


def line_of(result: Result) -> Any:
    (line,) = decided_lines([line for line in report_lines([result]) if not line.headline])
    return line


@pytest.mark.parametrize(
    ("share", "word"),
    [(0.5, "below small"), (0.56, "small"), (0.65, "medium"), (0.3, "medium"), (0.8, "large")],
)
def test_a_share_is_as_large_as_cohen_calls_it(share, word):
    assert size_in_words(line_of(pairs(share))) == word


def test_what_was_not_found_says_what_would_have_been():
    text = " ".join(read(pairs(0.52)).remarks)
    low, high = detectable(line_of(pairs(0.52)), pairs(0.52))
    assert low == pytest.approx(40.1, abs=0.3)
    assert high == pytest.approx(100 - (low or 0))
    assert f"before correction: {low:.3g} or less, {high:.3g} or more." in text
    assert "of cases" not in " ".join(read(pairs(0.9)).remarks)


def test_a_one_sided_test_has_one_end():
    result = words(0.05)
    low, high = detectable(line_of(result), result)
    assert low == -high
    one_sided = dataclasses.replace(result, settings={**result.settings, "alternative": "greater"})
    low, high = detectable(line_of(one_sided), one_sided)
    assert low is None
    assert high == pytest.approx(1.1, abs=0.1)
    assert f"own: {high:.3g} or more." in " ".join(read(one_sided).remarks)


# --- too few, of whom, and twice -------------------------------------------------------------------------------


def of_tests(*names: str, model: str) -> Result:
    result = weat_result([weat_item(name) for name in names], model=model)
    return dataclasses.replace(result, settings={**result.settings, "tests": list(names)})


def test_a_test_that_was_measured_alone_and_with_others_counts_once(tmp_path):
    one, both = of_tests("weat6", model="mine"), of_tests("weat6", "weat7", model="mine")
    for given in ([one, both], [both, one]):
        assert latest(given) == [both]
    assert card([one, both], tmp_path).text == card([both], tmp_path).text
    turned = of_tests("weat7", "weat6", model="mine")
    assert latest([both, turned]) == [turned]


def test_other_models_settings_and_tests_are_other_measurements():
    one, other = of_tests("weat6", model="mine"), of_tests("weat7", model="mine")
    assert latest([one, other]) == [one, other]
    stranger = of_tests("weat6", "weat7", model="b")
    assert latest([one, stranger]) == [one, stranger]
    seeded = dataclasses.replace(
        of_tests("weat6", "weat7", model="mine"), settings={"seed": 9, "tests": ["weat6", "weat7"]}
    )
    assert latest([one, seeded]) == [one, seeded]


def test_of_several_earlier_models_the_card_s_own_counts():
    now = [weat_result([weat_item("weat6", 1.0)], model="mine")]
    mine, other = ([weat_result([weat_item("weat6", 1.5)], model=name)] for name in ("mine", "other"))
    text = plan_card("", now, since=mine).text
    assert text != plan_card("", now).text
    assert plan_card("", now, since=[*mine, *other]).text == text
