"""``evaluate-bias run`` loses no result: kills, concurrent runs, parts that fail; and options by their types."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluate_bias.api import measure
from evaluate_bias.cli.main import app
from evaluate_bias.cli.output import cli_syntax
from evaluate_bias.errors import BiasError, InputError, OutputError
from evaluate_bias.experiments.measurement import unit_of_result
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.experiments.store import Store
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result

WORDS = {
    "poppy": (1.0, 0.1), "rose": (0.9, 0.0), "ant": (0.0, 1.0), "wasp": (0.2, 0.9),
    "good": (1.0, 0.2), "nice": (0.8, 0.1), "bad": (0.1, 1.0), "vile": (0.0, 0.8),
}  # fmt: skip
TEST = {
    "name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
    "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"],
}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Path:
    lines = [f"{word} {a} {b}" for word, (a, b) in WORDS.items()]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "b.txt").write_text(
        "\n".join(lines[1:]) + "\n"
    )  # misses a word, more than weat's share allows
    (tmp_path / "lists.jsonl").write_text(json.dumps(TEST) + "\n")
    return tmp_path


def arguments(files: Path, *more: object, models: str = "a") -> list[str]:
    named = [word for model in models for word in ("-m", files / f"{model}.txt")]
    given = ["run", *named, "--method", "weat", "--data", files / "lists.jsonl", "-o", files / "out", *more]
    return [str(word) for word in given]


def run(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "evaluate_bias", *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def names(files: Path) -> list[str]:
    return [r.provenance["model"]["name"] for r in read_results(files / "out")]


def test_a_model_with_a_name_of_its_own_is_measured(files: Path) -> None:
    code, told = run(*arguments(files, "--model-option", "name=own"))
    assert code == 0, told
    assert names(files) == ["own"]


# --- parts that fail ------------------------------------------------------------------------------------------


def test_what_fits_is_measured_and_the_rest_listed(files: Path) -> None:
    strict = ("-O", "max_missing=0")
    code, told = run(*arguments(files, *strict, models="bac"), "--method", "rnd")
    assert code == 3
    errors = [line for line in told.splitlines() if line.startswith("error: ")]
    assert errors[0].startswith("error: weat on b.txt: ")
    assert errors[-1].startswith(f"error: loading {files / 'c.txt'}: ")
    found = {(r.method, r.provenance["model"]["name"]) for r in read_results(files / "out")}
    assert {("weat", "a.txt"), ("rnd", "a.txt")} <= found
    assert ("weat", "b.txt") not in found


def test_where_nothing_fits_the_error_is_that_of_the_command(files: Path) -> None:
    outcome = CliRunner().invoke(app, arguments(files, models="c"))
    assert isinstance(outcome.exception, BiasError)
    assert not (files / "out" / "results.jsonl").exists()


def test_a_folder_that_cannot_be_written_is_refused_before_a_model_is_loaded(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluate_bias.models import load

    monkeypatch.setattr(load, "load_model", lambda *_, **__: pytest.fail("it was loaded"))
    (files / "out").write_text("a file")
    outcome = CliRunner().invoke(app, arguments(files))
    assert isinstance(outcome.exception, OutputError)
    assert "cannot be written" in str(outcome.exception)


def test_what_is_not_foreseen_is_one_sentence_and_stops_no_other(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluate_bias import api

    measure = api.measure

    def failing(method, model, **options):
        if model.name == "b.txt":
            raise KeyError("a column\nand more")
        return measure(method, model, **options)

    monkeypatch.setattr(api, "measure", failing)
    outcome = CliRunner().invoke(app, arguments(files, models="ba"))
    assert outcome.exit_code == 3
    assert "error: weat on b.txt: unexpected KeyError: 'a column" in outcome.output
    assert "Traceback" not in outcome.output
    assert names(files) == ["a.txt"]


# --- the results file -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["--append", "--overwrite", "--json"])
def test_what_is_no_regular_file_is_refused_before_anything_is_measured(files: Path, how: str) -> None:
    (files / "out").mkdir()
    os.mkfifo(files / "out" / "results.jsonl")
    outcome = CliRunner().invoke(app, arguments(files, how))
    assert isinstance(outcome.exception, InputError)
    assert "results.jsonl is a named pipe, not a file" in str(outcome.exception)
    assert (files / "out" / "results.jsonl").is_fifo()


def test_a_full_disk_is_one_sentence(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    run(*arguments(files))
    monkeypatch.setattr(os, "fsync", full)
    outcome = CliRunner().invoke(app, arguments(files, "--append", "--seed", 1))
    assert isinstance(outcome.exception, OutputError)
    assert "No space left on device" in str(outcome.exception)
    lines = (files / "out" / "results.jsonl").read_text().splitlines()
    assert len(lines) == 1
    assert len(read_results(files / "out")) == 2  # the store took it, and the next run writes the file
    monkeypatch.undo()
    assert CliRunner().invoke(app, arguments(files, "--append")).exit_code == 0
    assert len((files / "out" / "results.jsonl").read_text().splitlines()) == 2


def test_overwriting_replaces_at_the_first_result_and_not_before(files: Path) -> None:
    run(*arguments(files))
    before = (files / "out" / "results.jsonl").read_bytes()
    assert run(*arguments(files, "--overwrite", models="c"))[0] == 1
    assert (files / "out" / "results.jsonl").read_bytes() == before
    # The first unit writes the same bytes again, which must not be taken for what is to be replaced.
    assert run(*arguments(files, "--overwrite", "--method", "rnd"))[0] == 0
    assert [r.method for r in read_results(files / "out")] == ["weat", "rnd"]


ADDS = """
import dataclasses, sys
from evaluate_bias.experiments.measurement import unit_of_result
from evaluate_bias.experiments.sources import write_view
from evaluate_bias.experiments.store import Store
from evaluate_bias.result import Result

path, who = sys.argv[1:]
store = Store(path)
for i in range(1000):
    result = Result(method="weat", score=0.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
                    settings={"who": who, "unit": i})
    store.add(unit_of_result(result), result, seconds=0.1)
    write_view(store)
    print(i, flush=True)
"""


@pytest.mark.slow
def test_a_kill_loses_at_most_the_unit_in_flight(tmp_path: Path) -> None:
    order = random.Random(0)
    expected = 0
    for kill in range(10):
        running = subprocess.Popen(
            [sys.executable, "-c", ADDS, str(tmp_path), str(kill)], stdout=subprocess.PIPE, text=True
        )
        assert running.stdout is not None
        assert running.stdout.readline() == "0\n"
        time.sleep(order.uniform(0, 0.2))
        running.send_signal(signal.SIGKILL)
        done = 1 + len(running.stdout.readlines())
        running.wait()
        units = [(r.settings["who"], r.settings["unit"]) for r in read_results(tmp_path)]
        assert len(units) == len(set(units))
        # One unit may be on disk that was not reported any more.
        assert len(units) - expected in (done, done + 1)
        expected = len(units)
    store = subprocess.run(
        [sys.executable, "-c", ADDS.replace("1000", "1"), str(tmp_path), "last"], check=False
    )
    assert store.returncode == 0
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


def test_only_the_first_result_takes_the_place_of_earlier_ones(tmp_path: Path) -> None:
    def add(store: Store, unit: int) -> None:
        result = Result(
            method="weat", score=0.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
            settings={"unit": unit},
        )  # fmt: skip
        store.add(unit_of_result(result), result, seconds=0.1)

    with Store(tmp_path) as store:
        add(store, 0)
    with Store(tmp_path, replace=True) as store:
        assert [r.settings["unit"] for r in read_results(tmp_path)] == [0]
        for unit in (0, 1, 2):
            add(store, unit)
    assert [r.settings["unit"] for r in read_results(tmp_path)] == [0, 1, 2]


@pytest.mark.slow
def test_eight_runs_into_one_folder_leave_every_result_exactly_once(files: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "evaluate_bias",
        *arguments(files, "--append", "--json", "--method", "rnd"),
    ]
    running = [
        subprocess.Popen(
            [*command, "--seed", str(seed)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for seed in range(8)
    ]  # fmt: skip
    assert [process.wait() for process in running] == [0] * 8
    found = sorted((r.settings["seed"], r.method) for r in read_results(files / "out"))
    assert found == [(seed, name) for seed in range(8) for name in ("rnd", "weat")]
    run(*command[3:], "--seed", "3")
    assert len(read_results(files / "out")) == 16


# --- options by their types -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["False", "false", "no", "off", "0", "None", "null", "[]", ""])
def test_no_text_but_true_switches_pickles_on(
    files: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluate_bias.models import load

    given = []

    def stop(spec: object, **options: object) -> None:
        given.append(options)
        raise InputError("stop")

    monkeypatch.setattr(load, "load_model", stop)
    outcome = CliRunner().invoke(app, arguments(files, "--model-option", f"allow_pickle={text}"))
    if text in ("False", "false"):
        assert given == [{"allow_pickle": False}]
    else:
        assert given == []
        assert "allow_pickle must be true or false, not " in str(outcome.exception)


@pytest.mark.parametrize("text", ["false", "x" * 5000, "9" * 5000, "[" * 5000])
@pytest.mark.parametrize("name", [*METHODS["weat"].options(), "tests"])
def test_any_text_for_any_option_is_taken_or_refused_in_a_sentence(
    tmp_path: Path, name: str, text: str
) -> None:
    outcome = CliRunner().invoke(app, arguments(tmp_path, "-O", f"{name}={text}"))
    assert isinstance(outcome.exception, BiasError)  # at the latest, there is no such file as the model's
    assert len(str(outcome.exception)) <= 600


# --- the list of methods --------------------------------------------------------------------------------------


def test_names_are_whole_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = CliRunner().invoke(app, ["methods"]).output
    assert max(map(len, text.splitlines())) <= 80
    for record in METHODS.values():
        (line,) = (line for line in text.splitlines() if line.startswith(f"  {record.name} "))
        assert line.rstrip().endswith(")")
    assert "to 100 (50)" in text


# --- several methods, and options of one of them ---------------------------------------------------------------


def test_an_option_goes_to_the_methods_that_take_it_and_the_others_are_told(files: Path) -> None:
    done = CliRunner().invoke(
        app, arguments(files, "--method", "mac", "-O", "p_method=exact", "-O", "weat.level=0.9")
    )
    assert done.exit_code == 0, done.output
    assert "note: mac is measured without -O p_method=…, which it does not take" in done.output
    weat, mac = read_results(files / "out")
    assert (weat.ci_level, mac.ci_level) == (0.9, 0.95)


def test_a_method_without_a_choice_of_tests_is_measured_beside_one_that_has_it(files: Path) -> None:
    pairs = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2, "id": str(k)} for k in range(8)]
    (files / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    more = ("--method", "pll", "-t", "toy", "-O", f"pll.source={files / 'pairs.jsonl'}")
    done = CliRunner().invoke(app, arguments(files, *more))
    # The vectors have no sentences: pll is listed, weat measured.
    assert done.exit_code == 3
    assert "pll on a.txt" in done.output
    assert "pll is measured without --test" in done.output
    assert [r.method for r in read_results(files / "out")] == ["weat"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("-O", "pll.level=0.9"), "-O pll.level=… names a method that is not measured here: weat"),
        (("-O", "weat.levle=0.9"), "did you mean 'level'"),
        (("-O", "weat.level=wide"), "level must be"),
        (("--method", "mac", "-O", "nothing=1"), "none of weat, mac takes the option 'nothing'"),
        (("-O", "weat.seed=1"), "give the seed with --seed"),
        (("-O", ".level=1"), "names a method"),
        (("-O", "weat.=1"), "names a method"),
    ],
)
def test_what_no_method_takes_is_refused_before_anything_is_measured(
    files: Path, more: tuple[str, ...], told: str
) -> None:
    done = CliRunner().invoke(app, arguments(files, *more))
    assert done.exit_code == 1
    assert told in str(done.exception or done.output)
    assert not (files / "out" / "results.jsonl").exists()


def test_a_value_that_one_method_refuses_stops_no_other(files: Path) -> None:
    done = CliRunner().invoke(app, arguments(files, "--method", "crows_pairs", "-O", "p_method=exact"))
    assert done.exit_code == 3
    assert "options: crows_pairs: p_method must be" in " ".join(done.output.split())
    assert [r.method for r in read_results(files / "out")] == ["weat"]


def test_too_few_words_are_said_beside_the_score(files: Path) -> None:
    done = CliRunner().invoke(app, arguments(files))
    assert "Too few units: with fewer than 7, no p-value can fall below 5%." in " ".join(done.output.split())


# --- methods without a model ----------------------------------------------------------------------------------


def test_a_method_that_takes_no_model_is_run_without_one(tmp_path: Path) -> None:
    rows = [
        ("nurse", "nurse", "f"),
        ("nurse", "doctor", "m"),
        ("doctor", "doctor", "m"),
        ("doctor", "nurse", "f"),
    ]
    table = tmp_path / "rows.csv"
    table.write_text(
        "\n".join(map(",".join, [("references", "predictions", "groups"), *rows, *rows])) + "\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["run", "--method", "tpr_gap", "--data", str(table), "-o", str(out)])
    assert done.exit_code == 0, done.output
    (result,) = read_results(out)
    assert (result.method, result.score, result.n) == ("tpr_gap", 1.0, 8)


def test_scores_of_earlier_runs_are_read_without_a_model(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    lines = [f"m{k},{name},{score}" for name in ("a", "b") for k, score in enumerate((1.0, 2.0, 4.0))]
    table.write_text("model_name,measure,score\n" + "\n".join(lines) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    words = ["run", "--method", "metric_compatibility", "--data", str(table), "-o", str(out)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert read_results(out)[0].score == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["weat", "pmi_bias"])
def test_a_method_that_needs_a_model_asks_for_one(tmp_path: Path, name: str) -> None:
    done = CliRunner().invoke(app, ["run", "--method", name, "-o", str(tmp_path / "out")])
    assert isinstance(done.exception, InputError)
    assert f"{name} needs model=…; use " in str(done.exception)


def test_a_part_of_the_data_is_never_taken_for_the_whole(tmp_path: Path) -> None:
    out = str(tmp_path)
    words = ["run", "-m", "demo-mlm-en", "--method", "aul", "--data", "minimal_pairs", "-o", out, "--record"]
    done = CliRunner().invoke(app, [*words, "--limit", "7"])
    assert done.exit_code == 0
    (result,) = read_results(tmp_path)
    assert result.coverage.asked == 7
    assert result.settings["limit"] == 7
    part = result.provenance["dataset"]["part"]
    assert re.fullmatch(r"the first 7 of \d+ rows", part)
    assert f"measured on {part} of the data only" in result.warnings[0]
    assert part in " ".join(done.output.split())
    assert CliRunner().invoke(app, ["card", out, "--card", str(tmp_path / "README.md")]).exit_code == 0
    assert part in (tmp_path / "README.md").read_text(encoding="utf-8")
    checked = CliRunner().invoke(app, ["verify", out])
    assert "cannot be computed" not in checked.output
    assert checked.exit_code == 0, checked.output


def test_a_limit_beyond_the_data_leaves_no_trace() -> None:
    rows = [{"sent_more": "He is a nurse.", "sent_less": "She is a nurse.", "bias_type": "gender"}] * 3
    whole, limited = (
        measure("aul", "demo-mlm-en", data=rows),
        measure("aul", "demo-mlm-en", data=rows, limit=3),
    )
    assert limited.to_dict() == whole.to_dict()
    assert measure("aul", "demo-mlm-en", data=rows, limit=2).n == 2
    for wrong in (0, -1, True, 1.5, "2"):
        with pytest.raises(InputError, match="limit is a number of rows"):
            measure("aul", "demo-mlm-en", data=rows, limit=wrong)  # type: ignore[arg-type]


def test_several_methods_in_one_are_told_how_to_be_given(tmp_path: Path) -> None:
    for given in ("weat,seat", "['weat', 'seat']"):
        done = CliRunner().invoke(
            app, ["run", "-m", "glove-6b-50d", "--method", given, "-o", str(tmp_path / "out")]
        )
        assert "on the command line: --method weat --method seat" in str(done.exception)
    with pytest.raises(InputError, match="is 2 methods, and one is given at a time"):
        measure(["weat", "seat"])  # type: ignore[arg-type]


def test_word_methods_name_what_measures_the_same_of_a_transformer(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["run", "-m", "demo-mlm-en", "--method", "weat", "-o", str(tmp_path / "out")]
    )
    assert cli_syntax(str(done.exception)).endswith("for a transformer, use seat with -O templates=none")


def test_what_takes_no_model_is_measured_once_beside_what_takes_one(files: Path) -> None:
    rows = [("a", "a", "f"), ("a", "b", "m"), ("b", "b", "m"), ("b", "a", "f")]
    table = files / "rows.csv"
    table.write_text("\n".join(map(",".join, [("references", "predictions", "groups"), *rows, *rows])) + "\n")
    (files / "c.txt").write_bytes((files / "a.txt").read_bytes())
    given = ["-O", f"tpr_gap.source={table}", "--method", "tpr_gap"]
    done = CliRunner().invoke(app, arguments(files, *given, models="ac"))
    assert done.exit_code == 0, (done.output, done.exception)
    found = [(r.method, (r.provenance.get("model") or {}).get("name")) for r in read_results(files / "out")]
    assert found == [
        ("tpr_gap", "scores given by the caller"), ("weat", "a.txt"), ("weat", "c.txt"),
    ]  # fmt: skip
    # Without a model, what needs one is listed.
    done = CliRunner().invoke(app, arguments(files, *given, "--overwrite", models=""))
    assert done.exit_code == 3
    assert "error: weat: weat needs a model: give --model" in " ".join(done.output.split())
    assert [r.method for r in read_results(files / "out")] == ["tpr_gap"]


def test_a_recording_that_no_longer_fits_does_not_stay(files: Path) -> None:
    assert run(*arguments(files, "--record"))[0] == 0
    recording = files / "out" / "scores.parquet"
    assert run(*arguments(files, "--overwrite", models="c"))[0] == 1  # nothing was replaced
    assert recording.exists()
    code, told = run(*arguments(files, "--overwrite", "-O", "level=0.9"))
    assert code == 0
    assert "removed scores.parquet, which belonged to the replaced results" in " ".join(told.split())
    assert not recording.exists()
    recording.write_bytes(b"mine")  # what is no recording stays
    assert run(*arguments(files, "--overwrite"))[0] == 0
    assert recording.read_bytes() == b"mine"
