"""Bisecting a training run: a change that was planted is found where it is, and none where there is none."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from math import erfc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from evaluate_bias.checkpoints import bisect, curve_plot
from evaluate_bias.checkpoints.bisecting import _Search, checkpoints_of
from evaluate_bias.cli.main import app
from evaluate_bias.errors import InputError, MeasurementError
from evaluate_bias.report.compare import Change
from evaluate_bias.report.lines import ALPHA
from evaluate_bias.text import p_phrase
from tests.support.tiny_models import tiny_masked

SUBJECTS = ("nurse", "doctor", "engineer", "patient", "neighbour", "grandmother")
VERBS = ("left", "helped", "noticed", "said", "believed", "plays")


def pairs_file(folder: Path) -> Path:
    """Pairs that differ in one pronoun: a bias of the head towards it moves all of them one way."""
    rows = [
        {"sent_more": f"The {s} {v} he left.", "sent_less": f"The {s} {v} she left.", "bias_type": "gender"}
        for s in SUBJECTS
        for v in VERBS
    ]
    path = folder / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def checkpoints(folder: Path, n: int, change: Callable[[Any, Any, int], None]) -> Path:
    """``n`` checkpoints of one tiny model, each changed by ``change(model, tokenizer, k)`` with k from 1."""
    run = folder / "run"
    for k in range(1, n + 1):
        model, tokenizer = tiny_masked("bert", seed=3)  # one object for all
        model = copy.deepcopy(model)
        with torch.no_grad():
            change(model, tokenizer, k)
        model.save_pretrained(run / f"checkpoint-{50 * k}")
        tokenizer.save_pretrained(run / f"checkpoint-{50 * k}")
    return run


def prefer(model: Any, tokenizer: Any, word: str, by: float) -> None:
    model.cls.predictions.bias[tokenizer.convert_tokens_to_ids(word)] += by


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five checkpoints: up to the second the model prefers "she", from the third on "he"."""
    folder = tmp_path_factory.mktemp("planted")
    pairs_file(folder)
    checkpoints(folder, 5, lambda m, t, k: prefer(m, t, "she" if k < 3 else "he", 20.0))
    return folder


def found_in(folder: Path, **changes: Any) -> Any:
    return bisect(folder / "run", "pll", data=[str(folder / "pairs.jsonl")], **changes)


@pytest.mark.parametrize("every", [False, True])
def test_a_planted_change_is_found_where_it_is(planted: Path, every: bool) -> None:
    found = found_in(planted, every=every)
    assert found.checkpoints == tuple(f"checkpoint-{50 * k}" for k in range(1, 6))
    (curve,) = found.curves
    assert [(s.first, s.second) for s in curve.changes] == [(1, 2)]
    assert "between checkpoint-100 and checkpoint-150: +100" in found.sentences[0]
    assert found.measured == ((0, 1, 2, 3, 4) if every else (0, 1, 2, 4))
    assert [p.score for p in curve.points] == [0, 0, 100, 100, 100] if every else [0, 0, 100, 100]
    (step,) = curve.changes
    assert step.p == pytest.approx(2 / 2**36)  # McNemar: all 36 pairs turn
    # Holm, the smallest of four steps; where all are looked at, the whole run is a fifth test.
    assert step.p_adjusted == pytest.approx((5 if every else 4) * 2 / 2**36)


def test_a_run_without_a_change_says_so_and_measures_the_ends_only(tmp_path: Path) -> None:
    pairs_file(tmp_path)
    checkpoints(tmp_path, 3, lambda m, t, k: prefer(m, t, "he", 20.0 + k))
    found = found_in(tmp_path)
    assert found.measured == (0, 2)
    assert found.curves[0].changes == ()
    assert found.sentences[0].endswith("no change was found (first to last p = 1).")
    everything = found_in(tmp_path, every=True)
    assert everything.measured == (0, 1, 2)
    assert everything.curves[0].changes == ()


def test_what_comes_and_goes_is_found_where_all_are_measured(tmp_path: Path) -> None:
    pairs_file(tmp_path)
    checkpoints(tmp_path, 4, lambda m, t, k: prefer(m, t, "he" if k in (2, 3) else "she", 20.0))
    assert found_in(tmp_path).measured == (0, 3)
    assert [(s.first, s.second) for s in found_in(tmp_path, every=True).curves[0].changes] == [(0, 1), (2, 3)]


def test_two_changes_are_both_found(tmp_path: Path) -> None:
    """Word vectors, whose effect size grows twice: one test per half of the run."""
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(16)]
    noise = rng.normal(0, 0.05, 16)
    for place, strength in enumerate((-1.0, -1.0, 0.0, 0.0, 1.0)):
        lines = ["good 1 0", "bad 0 1"]
        for k, word in enumerate(words):
            angle = np.pi / 4 - strength * (0.5 if k < 8 else -0.5) + noise[(k * (place + 3)) % 16]
            lines.append(f"{word} {np.cos(angle)} {np.sin(angle)}")
        (tmp_path / f"step{place}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    test = {
        "name": "toy", "targets_x": words[:8], "targets_y": words[8:], "attributes_a": ["good"],
        "attributes_b": ["bad"],
    }  # fmt: skip
    (tmp_path / "lists.jsonl").write_text(json.dumps(test) + "\n", encoding="utf-8")
    files = [tmp_path / f"step{place}.txt" for place in range(5)]
    for every in (False, True):
        found = bisect(files, "weat", data=[str(tmp_path / "lists.jsonl")], every=every)
        (curve,) = found.curves
        assert (curve.kind, curve.name) == ("test", "toy")
        assert [(s.first, s.second) for s in curve.changes] == [(1, 2), (3, 4)]


def test_the_store_keeps_what_was_measured(planted: Path, tmp_path: Path) -> None:
    seen: list[str] = []
    found_in(planted, out=tmp_path / "out", on_checkpoint=seen.append)
    assert seen == ["checkpoint-50", "checkpoint-250", "checkpoint-150", "checkpoint-100"]
    before = (tmp_path / "out" / "results.sqlite").stat().st_size
    again = found_in(planted, out=tmp_path / "out")
    assert again.to_json() == found_in(planted, out=tmp_path / "out").to_json()
    assert (tmp_path / "out" / "results.sqlite").stat().st_size == before


def test_a_checkpoint_between_the_ends_that_cannot_be_loaded_is_listed(planted: Path, tmp_path: Path) -> None:
    shutil.copytree(planted, tmp_path / "copy")
    (tmp_path / "copy" / "run" / "checkpoint-150" / "model.safetensors").write_bytes(b"damaged")
    found = found_in(tmp_path / "copy")
    assert [(s.first, s.second) for s in found.curves[0].changes] == [(1, 3)]
    assert found.measured == (0, 1, 3, 4)
    assert found.skipped[0].startswith("checkpoint-150, pll: ")
    assert "spread over these" not in found.sentences[0]
    (tmp_path / "copy" / "run" / "checkpoint-250" / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(MeasurementError, match="an end of the run cannot be measured: checkpoint-250"):
        found_in(tmp_path / "copy")


def test_checkpoints_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("checkpoint-9", "checkpoint-10", "checkpoint-100", "checkpoint-last", "logs"):
        (tmp_path / name).mkdir()
    (tmp_path / "checkpoint-11").touch()
    assert [e["name"] for e in checkpoints_of(tmp_path)] == [
        "checkpoint-9",
        "checkpoint-10",
        "checkpoint-100",
    ]
    revisions = checkpoints_of(["org/model@step1", "org/model@step2", "org/other"])
    assert revisions[1] == {"model": "org/model", "name": "org/model@step2", "options": {"revision": "step2"}}
    assert revisions[2] == {"model": "org/other", "name": "org/other"}


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 0 folders called checkpoint-N"):
        bisect(tmp_path, "pll")
    for name in (tmp_path / "none", "x" * 300):
        with pytest.raises(InputError, match="there is no folder '"):
            bisect(name, "pll")
    with pytest.raises(MeasurementError, match="an end of the run cannot be measured"):
        bisect(["x" * 300, "y" * 300], "pll")
    with pytest.raises(InputError, match="two checkpoints or more, and 1 were given"):
        bisect([tmp_path], "pll")
    with pytest.raises(InputError, match="two checkpoints are called"):
        bisect(["org/a", "org/a"], "pll")
    with pytest.raises(InputError, match="level must lie"):
        bisect(["org/a", "org/b"], "pll", level=1.5)
    files = [tmp_path / name for name in ("a.txt", "b.txt")]
    for file in files:
        file.write_text("x 1 0\ny 0 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="more than once"):
        bisect(files, [{"method": "weat", "options": {"tests": [name]}} for name in ("weat6", "weat7")])


class Drawn(_Search):
    """A search over drawn numbers, whose differences of variance 2 are tested by the normal distribution."""

    def __init__(self, values: Any) -> None:
        models = [{"name": str(k)} for k in range(len(values))]
        super().__init__(models, [], [], Path(), 0.95, 0, lambda name: None)
        self.values = values

    def _measure(self, place: int) -> bool:
        self.results[place] = []
        return True

    def _compare(self, first: int, second: int) -> Any:
        d = float(self.values[second] - self.values[first])
        change = Change(
            method="pll", name="overall", kind="overall", first=0.0, second=d, ideal_first=0.0, ideal_second=0.0,
            difference=d, p_value=erfc(abs(d) / 2),
        )  # fmt: skip
        return SimpleNamespace(changes=[change], warnings=())

    def _points(self, *row: str) -> Any:
        return ()


def test_a_run_without_changes_is_rarely_said_to_have_one() -> None:
    rng = np.random.default_rng(4)
    draws, wrong = 2000, {False: 0, True: 0}
    for _ in range(draws):
        values = rng.normal(size=9)
        for every in wrong:
            search = Drawn(values)
            search.at_all() if every else search.where_needed()
            wrong[every] += bool(search.found(every).curves[0].changes)
    # At most 5 %, and 3 standard errors of 2,000 draws.
    assert all(0 < count <= draws * (ALPHA + 3 * (ALPHA / draws) ** 0.5) for count in wrong.values()), wrong


def test_a_run_without_a_found_change_says_the_p_value_that_decided() -> None:
    search = Drawn(np.array([0.0, 1.1, 2.2, 3.3]))
    search.at_all()
    found = search.found(every=True)
    whole = found.curves[0].whole
    assert whole.p is not None
    assert whole.p < ALPHA  # before Holm's adjustment for four steps
    assert whole.p_adjusted == pytest.approx(4 * whole.p)
    assert found.sentences[0].endswith(f"no change was found (first to last {p_phrase(4 * whole.p)}).")


def test_changes_are_written_as_in_comparisons() -> None:
    search = Drawn(np.array([9.0, 0.0]))
    search.at_all()
    assert "between 0 and 1: −9.000, p < .001." in search.found(every=True).sentences[0]


def test_picture_and_files_of_the_command(planted: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["bisect", str(planted / "run"), "-m", "pll", "-m", "aul", "-o", str(out)]
    done = CliRunner().invoke(app, [*arguments, "--data", str(planted / "pairs.jsonl"), "--all"])
    assert done.exit_code == 0, done.output
    assert "a change was found between checkpoint-100 and checkpoint-150" in " ".join(done.output.split())
    facts = json.loads((out / "bisection.json").read_text(encoding="utf-8"))
    assert facts["curves"][0]["changes"][0]["first"] == 1
    assert "| checkpoint-150 |" in (out / "bisection.md").read_text(encoding="utf-8")
    assert (out / "bisection.png").stat().st_size > 5_000
    svg = (out / "bisection.svg").read_text(encoding="utf-8")
    assert "a change was found" in svg
    assert "not measured" not in svg
    drawn = curve_plot(found_in(planted), tmp_path / "lazy.png")
    assert "not measured" in drawn[0].read_text(encoding="utf-8")
