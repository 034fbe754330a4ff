"""The command line, run in this process through typer's runner and once for real."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer

from evaluate_bias.cli.main import app, guarded, run_words
from evaluate_bias.errors import BiasError, InputError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.models.alignment import UnknownTokenWarning
from tests.hostile.toy import LISTS as TEST
from tests.hostile.toy import VECTORS
from tests.support.command_line import run_app, run_command


@pytest.fixture
def files(tmp_path):
    (tmp_path / "vectors.txt").write_text(VECTORS)
    (tmp_path / "lists.jsonl").write_text(json.dumps(TEST) + "\n")
    return tmp_path


def call(*arguments, ok=True):
    outcome = run_app(*arguments)
    if ok:
        assert outcome.exception is None, outcome.output
    return outcome


def run_toy(files, *more, ok=True):
    return call(
        "run", "-m", files / "vectors.txt", "--method", "weat", "--source", files / "lists.jsonl",
        "-o", files / "out", *more, ok=ok,
    )  # fmt: skip


def test_run_report_card(files):
    text = run_toy(files).output
    assert "toy" in text
    assert "1.72" in text
    assert "results.jsonl" in text
    (result,) = read_results(files / "out")
    assert round(result.score, 3) == 1.723
    written = call("report", files / "out").output.split()
    page = (files / "out" / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Measured social bias of vectors")
    assert "](effect_sizes.svg)" in page
    assert any(p.endswith("report.tex") for p in written)
    assert any(p.endswith("effect_sizes.svg") for p in written)
    assert all(Path(p).stat().st_size > 0 for p in written)
    card = files / "README.md"
    card.write_text("# My vectors\n")
    written = call("card", files / "out", "--card", card).output
    assert "updated: " in written
    assert "model-index" not in card.read_text(encoding="utf-8")  # too few words for any finding
    first = card.read_bytes()
    assert b"evaluate-bias:begin" in first
    assert "unchanged: " in call("card", files / "out", "--card", card).output
    assert card.read_bytes() == first


@pytest.mark.parametrize(
    ("words", "pipe"),
    [
        ("card out --card README.md", "README.md"),
        ("card out --card README.md", "evaluate-bias.svg"),
        ("card out --card README.md --preview p.html", "p.html"),
        ("card r.jsonl --card README.md", "r.jsonl"),
        ("report in", "in/results.jsonl"),
        ("run -m vectors.txt --method weat --source lists.jsonl -o new", "new"),
        ("run -m vectors.txt --method weat --source lists.jsonl -o in --overwrite", "in/results.jsonl"),
        ("run -m vectors.txt --method weat --source lists.jsonl -o in --append", "in/results.jsonl"),
        ("run -m m.txt --method weat --source lists.jsonl", "m.txt"),
    ],
)
def test_a_pipe_where_a_file_should_be_is_one_sentence_and_stays(files, monkeypatch, words, pipe):
    run_toy(files)
    monkeypatch.chdir(files)
    (files / pipe).parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    assert isinstance(call(*words.split(), ok=False).exception, BiasError)
    assert (files / pipe).is_fifo()


def test_json_output_is_json_alone(files):
    (printed,) = json.loads(run_toy(files, "--json").output)
    assert printed["weat"] == read_results(files / "out")[0].score


def test_without_out_the_results_are_printed_and_nothing_is_kept(files, monkeypatch):
    monkeypatch.chdir(files)
    before = sorted(files.rglob("*"))
    words = ["run", "-m", "vectors.txt", "--method", "weat", "--source", "lists.jsonl"]
    shown = run_command(*words)
    assert shown.code == 0
    assert "1.72" in shown.out
    assert "--out" in shown.err
    assert json.loads(run_command(*words, "--json").out)[0]["weat"] == pytest.approx(1.723, abs=5e-4)
    assert run_command(*words, "--append").code == 2
    Path("grid.yaml").write_text(
        "models: [vectors.txt]\nmethods: [weat]\ndata: [{source: lists.jsonl, methods: [weat]}]\n"
    )
    assert "1.72" in run_command("run", "grid.yaml").out
    Path("grid.yaml").unlink()
    assert sorted(files.rglob("*")) == before


def test_quiet_prints_results_and_errors_only(files):
    words = ["run", "-q", "-m", files / "vectors.txt", "--source", files / "lists.jsonl", "--method"]
    shown = run_command(*words, "weat")
    assert (shown.code, shown.err) == (0, "")
    assert "1.72" in shown.out
    shown = run_command(*words, "weat", "-o", files / "out")
    assert "results.jsonl" not in shown.out + shown.err
    shown = run_command(*words, "waet")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith("error: unknown method 'waet'")


@pytest.mark.parametrize(
    ("words", "completed"),
    [("me", "methods"), ("run --method crows", "crows_pairs"), ("methods honest", "honest")],
)
def test_a_shell_completes_commands_and_methods(words, completed):
    asked = {"COMP_WORDS": f"evaluate-bias {words}", "COMP_CWORD": str(len(words.split()))}
    shown = run_app(env={"_EVALUATE_BIAS_COMPLETE": "complete_bash", **asked}, prog_name="evaluate-bias")
    assert shown.stdout.split() == [completed]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["-O", "ddof"], "is not of the form name=value"),
        (["--columns", "targets_x"], "column 'targets_x' is not of the form ours=theirs"),
        (["-O", "dodf=0"], "weat has no option 'dodf'; did you mean 'ddof'? Choose from ddof, "),
        (["--method", "waet"], "unknown method 'waet'; did you mean 'weat' or 'wefat'?"),
        (["-O", "max_missing=x"], "weat: `max_missing` must be a number from 0 to 1, got 'x'"),
        (["-O", "ddof=0", "-O", "ddof=1"], "`ddof` is given twice"),
        (["-O", "language=en", "-l", "en"], "`language` is given by its flag and by -O"),
        (["-t", "waet7"], "unknown test"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(files, arguments, error):
    outcome = run_toy(files, *arguments, ok=False)
    assert isinstance(outcome.exception, BiasError)
    assert error in str(outcome.exception)
    assert "\n" not in str(outcome.exception)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("run", "-m", "x", "--method", "weat", "-o", ""), "-o is empty"),
        (("run", "-m", "x", "--method", "weat", "--out="), "--out is empty"),
        (("report", " "), "an argument is empty"),
        (("results", "out", "--export", ""), "--export is empty"),
    ],
)
def test_an_empty_value_is_not_taken_for_the_working_directory(arguments, named):
    with pytest.raises(InputError) as refused:
        run_words(arguments)
    assert str(refused.value).startswith(named)


def test_a_flag_that_no_method_takes_is_named_as_it_was_given(tmp_path):
    done = run_app("run", "--method", "aul", "-t", "weat7", "-o", tmp_path / "out")
    assert str(done.exception).startswith("aul has no option 'tests'")


def test_a_method_is_shown_with_its_options_and_their_defaults():
    text = " ".join(call("methods", "crows_pairs").output.split())
    for shown in (
        "-O variant=shared", "-O round_to=3", "-O lower=auto", "-O confidence_level=0.95",
        "--seed 0", "--source crows_pairs",
        "--language en", "-O bias_types=…", "'shared', 'all', 'changed', 'causal' or 'choice'",
    ):  # fmt: skip
        assert shown in text, shown
    assert "minimal_pairs" not in call("methods", "weat").output
    assert "Takes an integer, 1 or more." in " ".join(call("methods", "gest").output.split())
    (record,) = json.loads(call("methods", "stereoset", "--json").output)
    assert {o["name"]: o["default"] for o in record["options"]}["n_resamples"] == 99_999
    assert {o["name"]: o["default"] for o in record["data_options"]}["source"] == "stereoset"


def test_the_hint_of_an_error_has_its_own_line(capsys):
    def fail():
        raise InputError("`ddof` must be 0 or 1, got [3]", option="ddof", hint="set `ddof` to 1")

    with pytest.raises(SystemExit):
        guarded(fail)
    assert capsys.readouterr().err == "error: `ddof` must be 0 or 1, got [3]\nhint: set `ddof` to 1\n"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(13, "Permission denied", "secret.csv"), "error: secret.csv: Permission denied"),
        (OSError(36, "File name too long", "x" * 5_000), f"error: {'x' * 200}: File name too long"),
    ],
)
def test_errors_of_the_operating_system_are_one_line_too(error, told, capsys):
    def fail():
        raise error

    with pytest.raises(SystemExit) as stop:
        guarded(fail)
    assert stop.value.code == 1
    assert capsys.readouterr().err.strip() == told


def test_warnings_of_the_library_show_no_source(capsys):
    def warn():
        warnings.warn("nothing is known: set `case` to 'lower'", UnknownTokenWarning, stacklevel=1)
        warnings.warn("from elsewhere", DeprecationWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _print_warning
        guarded(warn)
    ours, theirs = capsys.readouterr().err.splitlines()[:2]
    assert ours == "warning: nothing is known: set `case` to 'lower'"
    assert "test_main.py" in theirs


def _print_warning(message, category, filename, lineno, file=None, line=None):
    print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr)


def test_methods_and_data_lists():
    assert "weat" in call("methods").output
    full = call("methods", "weat").output
    assert "Caliskan" in full
    assert "Know before you quote it" in full
    assert "data: a default of this library (columns question, " in call("methods", "decision_gap").output
    assert "data: your own (columns model_name, " in call("methods", "metric_compatibility").output
    records = json.loads(call("methods", "--json").output)
    assert {"weat", "crows_pairs"} <= {r["name"] for r in records}
    assert {r["name"]: r["data"] for r in records}["crows_pairs"] == "sentence_pairs"
    named_by_range = {r["name"]: r["other_score_names"] for r in records}
    assert named_by_range["winobias"] == [{"score_range": [0.0, 1.0], "score_name": "accuracy"}]
    assert named_by_range["weat"] == []
    assert "glove-6b-50d" in call("data", "list").output


def test_help_at_80_columns_cuts_no_line():
    def check(command, path):
        context = command.context_class(command, info_name=path, terminal_width=80, max_content_width=80)
        for line in command.get_help(context).splitlines():
            assert len(line) <= 80, (path, line)
            assert not line.startswith("  ") or not line.endswith("..."), (path, line)
        for name, sub in getattr(command, "commands", {}).items():
            check(sub, f"{path} {name}")

    check(typer.main.get_command(app), "evaluate-bias")


@pytest.mark.slow
def test_the_installed_command():
    command = [sys.executable, "-m", "evaluate_bias"]
    assert (
        "Measure social bias"
        in subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    )
    wrong = subprocess.run([*command, "methods", "waet"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: unknown method 'waet'")
    assert subprocess.run([*command, "run", "--outt", "x"], capture_output=True, check=False).returncode == 2


def test_a_report_of_some_methods(files):
    run_toy(files)
    run_toy(files, "--append", "--method", "rnd")
    call("report", files / "out", "--method", "rnd")
    table = (files / "out" / "report.csv").read_text()
    assert "rnd" in table
    assert "weat," not in table
    refused = call("report", files / "out", "--method", "mac", ok=False)
    assert str(refused.exception) == "no result of mac (available: weat, rnd)"


def test_a_card_of_two_models_says_how_to_choose_one(files):
    for name in ("one", "two"):
        run_toy(files, "--append", "--model-option", f"name={name}")
    card = ("card", files / "out", "--card", files / "README.md")
    refused = str(call(*card, ok=False).exception)
    assert refused.endswith("these results cover 2: one, two; choose one with --model, such as --model one")
    assert not (files / "README.md").exists()
    call(*card, "--model", "two")
