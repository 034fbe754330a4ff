"""``evaluate-bias run`` loses no result: kills, concurrent runs, parts that fail; and options by their types."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluate_bias.api import measure
from evaluate_bias.errors import InputError, NothingReadError, UndefinedScoreError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.registry import METHODS
from tests.hostile.toy import write_toy
from tests.support.command_line import run_app, run_command
from tests.support.refusals import refused


@pytest.fixture
def files(tmp_path):
    write_toy(tmp_path, "a")
    words = (tmp_path / "a.txt").read_text().splitlines(keepends=True)
    (tmp_path / "b.txt").write_text("".join(words[1:]))  # misses a word, more than weat's share allows
    return tmp_path


def arguments(files: Path, *more: object, models: str = "a") -> list[str]:
    named = [word for model in models for word in ("-m", files / f"{model}.txt")]
    given = ["run", *named, "--method", "weat", "--source", files / "lists.jsonl", "-o", files / "out", *more]
    return [str(word) for word in given]


def run(*words: str) -> tuple[int, str]:
    ended = run_command(*words)
    return ended.code, ended.err


def names(files: Path) -> list[str]:
    return [r.provenance["model"]["name"] for r in read_results(files / "out")]


# --- parts that fail ------------------------------------------------------------------------------------------


def test_what_fits_is_measured_and_the_rest_listed(files):
    strict = ("-O", "max_missing=0")
    code, told = run(*arguments(files, *strict, models="bac"), "--method", "rnd")
    assert code == 3
    errors = [line for line in told.splitlines() if line.startswith("error: ")]
    assert errors[0].startswith("error: weat on b.txt (lists.jsonl, en, max_missing=0.0)")
    assert errors[-1].startswith(f"error: loading {files / 'c.txt'}: ")
    found = {(r.method, r.provenance["model"]["name"]) for r in read_results(files / "out")}
    assert {("weat", "a.txt"), ("rnd", "a.txt")} <= found
    assert ("weat", "b.txt") not in found


def test_what_is_not_foreseen_is_one_sentence_and_stops_no_other(files, monkeypatch):
    from evaluate_bias import api

    measure = api.measure

    def failing(method, model, **options):
        if model.name == "b.txt":
            raise KeyError("a column\nand more")
        return measure(method, model, **options)

    monkeypatch.setattr(api, "measure", failing)
    outcome = run_app(*arguments(files, models="ba"))
    assert outcome.exit_code == 3
    assert "error: weat on b.txt (lists.jsonl, en): unexpected KeyError: 'a column" in outcome.output
    assert "Traceback" not in outcome.output
    assert names(files) == ["a.txt"]


# --- the results file -----------------------------------------------------------------------------------------


def test_overwriting_replaces_at_the_first_result_and_not_before(files):
    run(*arguments(files))
    before = (files / "out" / "results.jsonl").read_bytes()
    assert run(*arguments(files, "--overwrite", models="c"))[0] == 1
    assert (files / "out" / "results.jsonl").read_bytes() == before
    # The first unit writes the same bytes again, which must not be taken for what is to be replaced.
    assert run(*arguments(files, "--overwrite", "--method", "rnd"))[0] == 0
    assert [r.method for r in read_results(files / "out")] == ["weat", "rnd"]


# --- the list of methods --------------------------------------------------------------------------------------


def test_names_are_whole_at_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run_app("methods").output
    assert max(map(len, text.splitlines())) <= 80
    for record in METHODS.values():
        (line,) = (line for line in text.splitlines() if line.startswith(f"  {record.name} "))
        assert line.rstrip().endswith(")")
    assert "to 100 (50)" in text


# --- several methods, and options of one of them ---------------------------------------------------------------


def test_an_option_goes_to_the_methods_that_take_it_and_the_others_are_told(files):
    done = run_app(
        *arguments(files, "--method", "mac", "-O", "p_method=exact", "-O", "weat.confidence_level=0.9")
    )
    assert done.exit_code == 0, done.output
    assert "note: mac does not support `p_method` and is measured without it" in done.output
    weat, mac = read_results(files / "out")
    assert (weat.confidence_level, mac.confidence_level) == (0.9, 0.95)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            ("-O", "pll.confidence_level=0.9"),
            "'pll.confidence_level' names a method that is not measured here, only weat",
        ),
        (("-O", "weat.confidence_levle=0.9"), "did you mean 'confidence_level'"),
        (("--method", "mac", "-O", "nothing=1"), "weat or mac has no option 'nothing'"),
        (("-O", ".confidence_level=1"), "names a method"),
    ],
)
def test_what_no_method_takes_is_refused_before_anything_is_measured(files, more, told):
    done = run_app(*arguments(files, *more))
    assert done.exit_code == 1
    assert told in str(done.exception or done.output)
    assert not (files / "out" / "results.jsonl").exists()


# --- methods without a model ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["weat", "pmi_bias"])
def test_a_method_that_needs_a_model_asks_for_one(tmp_path, name):
    done = run_app("run", "--method", name, "-o", tmp_path / "out")
    assert isinstance(done.exception, InputError)
    assert f"{name} needs a model; use " in str(done.exception)


def test_a_part_of_the_data_is_never_taken_for_the_whole(tmp_path):
    out = str(tmp_path)
    words = ["run", "-m", "demo-mlm-en", "--method", "aul", "--source", "minimal_pairs", "-o", out]
    done = run_app(*words, "--limit", "7")
    assert done.exit_code == 0
    (result,) = read_results(tmp_path)
    assert result.coverage.asked == 7
    assert result.settings["limit"] == 7
    part = result.provenance["dataset"]["subset"]
    assert re.fullmatch(r"7 of \d+ rows", part)
    assert f"measured on {part} of the data only" in result.warnings[0]
    assert part in " ".join(done.output.split())
    assert run_app("card", out, "--card", tmp_path / "README.md").exit_code == 0
    assert part in (tmp_path / "README.md").read_text(encoding="utf-8")
    checked = run_app("verify", out, "--measure")
    assert checked.exit_code == 0, checked.output


def test_rows_that_are_too_few_for_a_score_name_the_limit():
    refused(UndefinedScoreError, r"; only 1 of 64 rows", measure, "gest", "demo-mlm-en", limit=1)


@pytest.mark.parametrize("method", ["word_association", "crows_pairs"])
def test_more_rows_are_not_advised_where_no_reply_could_be_read(method):
    options = {"variant": "choice"} if method == "crows_pairs" else {}
    with pytest.raises(NothingReadError, match="only 1 of") as error:
        measure(method, lambda prompts: ["Hm."] * len(prompts), limit=1, **options)
    assert "limit" not in str(error.value)


def test_a_limit_beyond_the_data_leaves_no_trace():
    rows = [{"sent_more": "He is a nurse.", "sent_less": "She is a nurse.", "bias_type": "gender"}] * 3
    whole, limited = (
        measure("aul", "demo-mlm-en", data=rows),
        measure("aul", "demo-mlm-en", data=rows, limit=3),
    )
    assert limited.to_dict() == whole.to_dict()
    assert measure("aul", "demo-mlm-en", data=rows, limit=2).n == 2
    for wrong in (0, -1, True, 1.5, "2"):
        refused(InputError, "`limit` must be an", measure, "aul", "demo-mlm-en", data=rows, limit=wrong)


def test_word_methods_name_what_measures_the_same_of_a_transformer(tmp_path):
    done = run_app("run", "-m", "demo-mlm-en", "--method", "weat", "-o", tmp_path / "out")
    assert "seat with `templates` set to 'none'" in str(done.exception)
