"""One association at several levels: the common axis, one correction, the rule of agreement, and constructs as data."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.errors import DataError, InputError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.methods.word_lists.association import TargetSplit
from evaluate_bias.report.levels import (
    LEVELS,
    LevelAgreement,
    LevelRow,
    Levels,
    construct_names,
    levels_figure,
    load_construct,
)
from evaluate_bias.report.levels.measuring import _adjusted
from evaluate_bias.report.lines import ReportRow
from evaluate_bias.result import Result, Row

WORDS = {f"{side}{i}": side for side in "xyab" for i in range(6)}
OWN = {
    "title": "Own",
    "groups": ["a people", "b people"],
    "attributes": ["x things", "y things"],
    "levels": {
        "vectors": [{"method": "weat", "data": [{"name": "own", **{
            key: [w for w, s in WORDS.items() if s == side]
            for key, side in zip(("targets_x", "targets_y", "attributes_a", "attributes_b"), "xyab", strict=True)
        }}]}],
    },
}  # fmt: skip
OWN["levels"]["likelihoods"] = [  # type: ignore[index]
    {"method": "seat", "data": OWN["levels"]["vectors"][0]["data"], "options": {"templates": ["{target}"]}}  # type: ignore[index]
]


def toy(strength: float, seed: int) -> dict[str, list[float]]:
    """Vectors in which X leans to A, and Y to B, by so much."""
    rng = np.random.default_rng(seed)
    lean = {"x": strength, "y": -strength, "a": 3.0, "b": -3.0}
    return {word: [*(lean[side] + rng.normal(size=1)), *rng.normal(size=7)] for word, side in WORDS.items()}


def file_of(tmp_path: Path, construct: Any, name: str = "own.yaml") -> Path:
    path = tmp_path / name
    path.write_text(construct if isinstance(construct, str) else json.dumps(construct), encoding="utf-8")
    return path


def line(score: float, p: float, interval: tuple[float, float], **rest: Any) -> ReportRow:
    low, high = interval
    row = Row(name="t", kind="test", score=score, p_value=p, ci_low=low, ci_high=high, n=20, **rest)
    result = Result(
        method="weat",
        score=score,
        score_range=(-2.0, 2.0),
        direction="two_sided",
        ideal=0.0,
        n=20,
        rows=[row],
    )
    return ReportRow(row=row, result=result, model="m")


FOUND = {1: line(1.0, 0.001, (0.5, 1.5)), -1: line(-1.0, 0.001, (-1.5, -0.5)), 0: line(0.3, 0.4, (-0.4, 1.0))}


def of_sides(sides: list[int]) -> Levels:
    construct = load_construct("gender_math")
    rows = [
        LevelRow(model="m", level=level, method="weat", line=FOUND[side])
        for level, side in zip(LEVELS, sides, strict=False)
    ]
    rows += [LevelRow(model="m", level=level, method="seat", reason="no") for level in LEVELS[len(sides) :]]
    return Levels(construct=construct, rows=tuple(rows))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_levels_agree_only_if_all_are_found_with_one_sign(n: int) -> None:
    for sides in itertools.product((1, 0, -1), repeat=n):
        found = of_sides(list(sides))
        if n < 2:
            expected = LevelAgreement.ONE_LEVEL
        elif sides in ((1,) * n, (-1,) * n):
            expected = LevelAgreement.AGREE
        elif 1 in sides and -1 in sides:
            expected = LevelAgreement.DISAGREE
        else:
            expected = LevelAgreement.NOT_SHOWN
        assert found.agreement("m") is expected
        sentence = found.sentence("m")
        for level, side in zip(LEVELS, sides, strict=False):
            assert (level in sentence) or expected is LevelAgreement.AGREE, (sentence, side)
        if expected is LevelAgreement.DISAGREE:
            association, _, rest = sentence.partition("its reverse for ")
            above = {level for level, side in zip(LEVELS, sides, strict=False) if side == 1}
            below = {level for level, side in zip(LEVELS, sides, strict=False) if side == -1}
            named = rest.partition(";")[0]
            assert all(level in association for level in above)
            assert all(level in named for level in below)
        if not any(sides):
            assert "was found" not in sentence.replace("nothing was found", "")


def test_beside_two_true_levels_a_third_is_found_by_chance_at_the_level_of_its_own_test() -> None:
    """The rate that the page states: 5 % of "agree" and "disagree" together, as nothing is left to correct for."""
    rng, said, construct = np.random.default_rng(0), [], load_construct("gender_math")
    result = eb.Result(method="weat", score=0, score_range=(-2, 2), direction="two_sided", ideal=0, n=9)
    for p, side in zip(rng.uniform(size=2_000), rng.choice([-1, 1], size=2_000), strict=True):
        low = 0.1 if p < 0.05 else -1.0
        ends = (low, 2.0) if side > 0 else (-2.0, -low)
        lines = [line(1.0, 1e-6, (0.1, 2.0)), line(1.0, 1e-6, (0.1, 2.0)), line(float(side), float(p), ends)]
        rows = [
            LevelRow(model="m", level=v, method="weat", line=one)
            for v, one in zip(LEVELS, lines, strict=False)
        ]
        rows = _adjusted([dataclasses.replace(row, result=result) for row in rows])
        said.append(Levels(construct=construct, rows=tuple(rows)).agreement("m"))
    by_chance = np.mean([one is not LevelAgreement.NOT_SHOWN for one in said])
    assert by_chance == pytest.approx(0.05, abs=0.012)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_null_s_standard_deviation_is_that_of_all_splits(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(size=11)
    weights = rng.integers(1, 5, size=11).astype(float) if weighted else np.ones(11)
    split = TargetSplit(tuple(map(str, range(11))), 5, scores, weights, 0.8)
    every = []
    for chosen in itertools.combinations(range(11), 5):
        rest = [i for i in range(11) if i not in chosen]
        one, two = (np.average(scores[list(s)], weights=weights[list(s)]) for s in (chosen, rest))
        every.append((one - two) / 0.8)
    assert split.null_sd == pytest.approx(np.std(every), rel=0.03 if weighted else 1e-12)


def test_the_axis_is_the_score_in_null_standard_deviations() -> None:
    found = eb.levels(toy(0.8, 1), file_model(OWN), progress=False)
    weat = eb.measure("weat", toy(0.8, 1), **arguments("vectors"))
    assert found.rows[0].result is not None
    assert found.rows[0].result.score == weat.score
    assert found.rows[0].deviation == pytest.approx(weat.score / np.sqrt(1 / 6 + 1 / 6), rel=1e-12)
    assert found.rows[0].deviation == pytest.approx(found.rows[1].deviation, rel=1e-6)


def file_model(construct: dict[str, Any]) -> Any:
    """The construct itself: what the loader makes of a file."""
    from evaluate_bias.report.levels import Construct

    return Construct(**construct, name="own")


def arguments(level: str) -> dict[str, Any]:
    (test,) = file_model(OWN).levels[level]
    return {**test.options, "data": test.data}


def test_one_correction_over_all_levels_of_all_models() -> None:
    models = [eb.load_model(toy(s, i), name=f"m{i}") for i, s in enumerate((0.0, 0.15, 0.3, 0.6))]
    found = eb.levels(models, file_model(OWN), progress=False)
    p_values = [row.line.row.p_value for row in found.rows if row.line is not None]
    assert len(p_values) == 8
    order = sorted(range(8), key=lambda i: p_values[i] or 0.0)
    holm, most = [0.0] * 8, 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1.0, (8 - rank) * float(p_values[i] or 0.0)))
        holm[i] = most
    assert [row.line.decisive_p for row in found.rows if row.line is not None] == pytest.approx(holm)
    assert "p (Holm, 8 tests)" in found.table.titles


def test_a_level_that_fails_or_does_not_fit_is_named_with_the_reason() -> None:
    lost = {w: v for w, v in toy(0.5, 1).items() if not w.startswith("y")}
    levels = {"vectors": OWN["levels"]["vectors"], "decisions": [{"method": "relative_decision"}]}  # type: ignore[index]
    found = eb.levels(lost, file_model({**OWN, "levels": levels}), progress=False)
    assert [row.line for row in found.rows] == [None, None]
    assert "y0" in found.rows[0].reason
    assert found.notes[:2] == (f"vectors: {found.rows[0].reason}", f"decisions: {found.rows[1].reason}")
    assert "relative_decision needs a model that chats" in found.notes[1]
    assert [row[-1] for row in found.table.cells()] == ["not measured"] * 2
    assert found.sentences[0].endswith("no level could be measured.")
    with pytest.raises(InputError, match="no level to draw"):
        levels_figure(found)


def test_the_score_of_several_tests_without_a_side_is_no_level() -> None:
    test = OWN["levels"]["vectors"][0]["data"][0]  # type: ignore[index]
    turned = {**test, "name": "turned", "targets_x": test["targets_y"], "targets_y": test["targets_x"]}
    levels = {"vectors": [{"method": "weat", "data": [test, turned]}]}
    found = eb.levels(toy(0.8, 1), file_model({**OWN, "levels": levels}), progress=False)
    assert "has no side; name one test" in found.rows[0].reason
    assert found.rows[0].line is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("- a\n- b\n", "must have title, groups, attributes and levels"),
        ("title: [", "line 1: not YAML"),
        ({**OWN, "groups": ["one"]}, "groups"),
        ({**OWN, "colour": "red"}, "colour"),
        ({**OWN, "levels": {"feelings": [{"method": "weat"}]}}, "there is no level 'feelings'"),
        ({**OWN, "levels": {"vectors": [{"method": "waet"}]}}, "weat"),
        ({**OWN, "levels": {"vectors": [{"method": "weat", "options": {"tset": 1}}]}}, "tset"),
        ({**OWN, "levels": {"vectors": [{"method": "weat", "data": []}]}}, "levels.vectors.0.data"),
        ({**OWN, "levels": {"vectors": []}}, "levels.vectors"),
        ({**OWN, "levels": {"vectors": [{"method": "mac"}]}}, "mac measures no level"),
        ({**OWN, "levels": {"vectors": [{"method": "tpr_gap"}]}}, "tpr_gap measures no level"),
        ({**OWN, "title": " "}, "title must be text, not ' '"),
        ({k: v for k, v in OWN.items() if k != "groups"}, "groups is missing"),
        ({**OWN, "grups": ["a", "b"]}, "unknown field grups"),
        ({**OWN, "groups": ["a", "a"]}, "two different names"),
        (
            json.dumps({**OWN, "groups": 0}).replace('"groups": 0', '"groups": [yes, no]'),
            "groups.0 must be text, not True; yes and no need quotation marks",
        ),
        ({**OWN, "levels": {}}, "levels"),
    ],
)
def test_a_file_that_describes_no_construct_is_refused(given: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="own.yaml") as refused:
        load_construct(file_of(tmp_path, given))
    assert said in str(refused.value)


@pytest.mark.parametrize("name", construct_names())
def test_every_construct_of_the_library_has_levels_that_can_be_loaded(name: str) -> None:
    construct = load_construct(name)
    assert tuple(construct.levels) in (LEVELS, LEVELS[:4])  # what is written, where a construct names it
    for tests in construct.levels.values():
        for test in tests:
            record = eb.registry.get_method(test.method)
            options = {k: v for k, v in test.options.items() if k in record.data.options}
            rows = record.load_data(**options) if test.data is None else test.data
            assert len(rows) >= 1


def test_the_command_writes_what_the_function_returns(tmp_path: Path) -> None:
    construct = file_of(tmp_path, OWN)
    vectors = []
    for i, strength in enumerate((0.6, 0.0)):
        path = tmp_path / f"v{i}.json"
        path = tmp_path / f"v{i}.vec"
        own = toy(strength, i)
        lines = [f"{len(own)} 8", *(" ".join([w, *map(repr, map(float, v))]) for w, v in own.items())]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        vectors.append(str(path))
    out = tmp_path / "out"
    asked = ["levels", "-m", vectors[0], "-m", vectors[1], "-c", str(construct), "-o", str(out)]
    done = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    found = eb.levels(vectors, construct, progress=False)
    assert (out / "levels.md").read_text(encoding="utf-8") == found.to_markdown()
    assert json.loads((out / "levels.json").read_text(encoding="utf-8")) == json.loads(found.to_json())
    assert [r.score for r in read_results(out)] == [r.score for r in found.results]
    assert all(sentence in done.output for sentence in found.sentences)
    assert (out / "levels.svg").stat().st_size > 1000
    assert (out / "levels.png").stat().st_size > 1000
    printed = CliRunner().invoke(app, [*asked[:-2], "--json"])
    assert json.loads(printed.stdout)["agreement"] == {m: found.agreement(m).value for m in found.models}
    assert found.to_frame().shape[0] == 4
    assert "own" in found._repr_html_().lower()
    assert str(found).count("\n") == 5
    (out / "levels.png").write_bytes(b"old")
    alone = file_of(
        tmp_path, {**OWN, "levels": {"decisions": [{"method": "relative_decision"}]}}, "alone.yaml"
    )
    again = CliRunner().invoke(app, ["levels", "-m", vectors[0], "-c", str(alone), "-o", str(out)])
    assert again.exit_code == 3
    assert not (out / "levels.png").exists()
