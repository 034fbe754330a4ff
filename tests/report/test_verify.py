"""Cards, reports and results held against recorded scores: whole ones pass, and what they are about is known."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.errors import BiasError, DataError, InputError
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.models.load import load_model
from evaluate_bias.models.recording import Tape, recorded, replayed
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import plan_card
from evaluate_bias.report.card.block import END
from evaluate_bias.report.lines import model_name
from evaluate_bias.report.verify import read_recording, verify, write_recording
from evaluate_bias.report.verify.comparing import Check, Verification
from evaluate_bias.report.verify.recording_file import recording_bytes
from evaluate_bias.report.verify.replaying import _decoded, _encoded
from evaluate_bias.report.write import write_report
from evaluate_bias.result import Result
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.tiny_models import tiny_masked
from tests.test_all_methods import fixture

RUN = CliRunner()
BODY = """# Model card for toy

It has 12 layers and 3.5 million numbers.

## Bias, Risks, and Limitations

None known.

## Use

With 2 hands.
"""


def vectors(seed: int = 0) -> dict[str, list[float]]:
    """Random vectors of every word of two published tests."""
    tests = METHODS["weat"].load_data(tests=["weat6", "weat7"])
    words = [
        w
        for t in tests
        for n in ("targets_x", "targets_y", "attributes_a", "attributes_b")
        for w in getattr(t, n)
    ]
    draws = np.random.default_rng(seed)
    return {w: draws.normal(size=8).astype(np.float32).tolist() for w in dict.fromkeys(words)}


def static(folder: Path, seed: int = 0) -> None:
    model = load_model(vectors(seed), name="toy")
    for method in ("weat", "mac"):
        eb.record(method, model, folder, tests=["weat6", "weat7"], seed=0)


PAIRS = [
    {"sent_more": f"The {a} said {p} left.", "sent_less": f"The {a} said {q} left.", "bias_type": t}
    for t in ("gender", "age")
    for a, p, q in [
        ("nurse", "she", "he"), ("doctor", "he", "she"), ("engineer", "he", "she"), ("man", "he", "she"),
        ("daughters", "she", "he"), ("patient", "she", "he"),
    ]
]  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One recording per family."""
    root = tmp_path_factory.mktemp("verify")
    made = {name: root / name for name in ("static", "masked", "golden", "given")}
    static(made["static"])
    model = load_model(tiny_masked("bert"))
    eb.record("crows_pairs", model, made["masked"], source="minimal_pairs")
    eb.record("lpbs", model, made["masked"], tests=["weat6"], max_missing=1.0)
    eb.record("stereoset", model, made["masked"], source="stereoset_style")
    for name in ("seat", "honest", "pmi_bias", "projection"):
        spec, rows, options = fixture(name)
        eb.record(name, spec, made["golden"], data=rows, **options)
    for name in ("tpr_gap", "bbq"):
        _, rows, options = fixture(name)
        eb.record(name, None, made["given"], data=rows, **options)
    return made


def written(folder: Path, **options: Any) -> Any:
    return plan_card(BODY, read_results(folder), **options)


# --- recording and replay -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_is_verified_from_its_file(name, tmp_path):
    spec, rows, options = fixture(name)
    result = eb.record(name, spec, tmp_path, data=rows, **options)
    assert result == eb.measure(name, spec, data=rows, **options)
    found = verify(tmp_path)
    assert found.verdict == "true", found.to_markdown()
    assert len(found.checks) > 5


def test_answers_keep_every_bit_through_the_file(tmp_path):
    draws = np.random.default_rng(3)

    class SpecialError(eb.errors.CapabilityError):
        pass

    class Model:
        name = "m"
        warnings = ("careful",)

        def provenance(self):
            return {"name": "m"}

        def embed_words(self, words):
            return draws.normal(size=(len(words), 3)).astype(np.float32), [1]

        def next_sentence_logprobs(self, pairs):
            raise SpecialError("no such head")

        def word_blocks(self, limit=None):
            yield ["a"], np.array([[np.nextafter(1.0, 2.0), -0.0, -np.inf]])

    tape = Tape()
    model = recorded(Model(), tape)
    vectors, missing = model.embed_words(["a", "b"])
    again, _ = model.embed_words(["a", "b"])
    assert again is not vectors
    assert again.tobytes() == vectors.tobytes()  # from the tape: the draws have gone on
    blocks = list(model.word_blocks(limit=3))
    assert model.warnings == ("careful",)
    assert not hasattr(model, "is_uncased")
    with pytest.raises(eb.errors.CapabilityError, match="no such head"):
        model.next_sentence_logprobs([])
    result = Result(method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=1)
    from evaluate_bias.report.verify import RecordedRun

    write_recording([RecordedRun({"method": "weat"}, tape, result)], tmp_path / "s.parquet")
    (run,) = read_recording(tmp_path / "s.parquet")
    other = replayed(run.tape)
    found, lost = other.embed_words(["a", "b"])
    assert (found.dtype, found.tobytes(), lost) == (np.float32, vectors.tobytes(), missing)
    assert [(w, b.tobytes()) for w, b in other.word_blocks(limit=3)] == [(w, b.tobytes()) for w, b in blocks]
    assert other.warnings == ("careful",)
    assert not hasattr(other, "is_uncased")
    with pytest.raises(eb.errors.CapabilityError, match="no such head"):
        other.next_sentence_logprobs([])
    with pytest.raises(DataError, match="no answer to this call of embed_words"):
        other.embed_words(["c"])


def test_what_cannot_be_recorded_is_said_and_measured_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluate_bias.models.recording.MOST_NUMBERS", 10)
    spec, rows, options = fixture("weat")
    result = eb.record("weat", spec, tmp_path, data=rows, **options)
    assert result == eb.measure("weat", spec, data=rows, **options)
    found = verify(tmp_path)
    assert found.verdict == "not verifiable"
    assert any("more than 10 numbers" in c.reason for c in found.problems)


def test_data_that_were_loaded_are_loaded_again_and_must_be_the_same(tmp_path):
    rows = PAIRS
    source = tmp_path / "pairs.jsonl"
    source.write_text("".join(json.dumps(r) + "\n" for r in rows))
    model = load_model(tiny_masked("bert"))
    eb.record("crows_pairs", model, tmp_path / "out", source=str(source))
    assert verify(tmp_path / "out").verdict == "true"
    moved = tmp_path / "out" / "pairs.jsonl"
    source.rename(moved)  # beside the recording it is found as well
    assert verify(tmp_path / "out").verdict == "true"
    moved.write_text("".join(json.dumps(r) + "\n" for r in rows[1:]))
    found = verify(tmp_path / "out")
    assert found.verdict == "not verifiable"
    assert "pairs.jsonl, which is not the one that was measured: it was not read" in found.problems[0].reason
    moved.unlink()
    assert verify(tmp_path / "out").verdict == "not verifiable"
    source.write_text("".join(json.dumps(r) + "\n" for r in rows))
    moved.symlink_to(source.rename(tmp_path / "others.jsonl"))
    assert "pairs.jsonl is a link out of the folder" in verify(tmp_path / "out").problems[0].reason


@pytest.mark.parametrize(
    ("method", "source"), [("crows_pairs", "minimal_pairs"), ("stereoset", "stereoset_style"), ("honest", "")]
)
def test_a_recording_opens_only_files_whose_content_it_knows(
    tmp_path: Path, method: str, source: str
) -> None:
    if source:
        eb.record(method, load_model(tiny_masked("bert")), tmp_path / "out", source=source)
    else:
        spec, rows, options = fixture(method)
        eb.record(method, spec, tmp_path / "out", data=rows, **options)
    (run,) = read_recording(tmp_path / "out" / "scores.parquet")
    (tmp_path / "notes").mkdir()
    for kind, place in (("file", "notes.json"), ("folder", "notes")):
        (tmp_path / ("notes/xx.csv" if kind == "folder" else place)).write_text('["secret"]')
        part, option = ("choice", "source") if source else ("options", "lexicon")
        named = {
            **run.request,
            part: _encoded({**_decoded(run.request[part]), option: str(tmp_path / place)}),
        }
        write_recording([dataclasses.replace(run, request=named)], tmp_path / "out" / "scores.parquet")
        reason = verify(tmp_path / "out").problems[0].reason
        assert f"the recording names the {kind} {tmp_path / place}, which is not the one" in reason
        assert "secret" not in reason
        assert "xx" not in reason


# --- whole cards and reports ----------------------------------------------------------------------------------


def wrong(folder: Path, card: Path | None = None) -> set[tuple[str, str]]:
    return {(c.file, c.verdict) for c in verify(folder, card=card).problems}


@pytest.mark.parametrize("name", ["static", "masked", "golden", "given"])
def test_no_whole_card_is_doubted(folders: dict[str, Path], tmp_path: Path, name: str) -> None:
    page = tmp_path / "card.md"
    for confidence_level, text in (("summary", BODY), ("full", "---\nlicense: mit\n---\n" + BODY)):
        page.write_text(text)
        eb.card(read_results(folders[name]), page, confidence_level=confidence_level)
        verification = verify(folders[name], card=page)
        assert verification.verdict == "true", verification.to_markdown()
        assert {"card.md", "card-evaluate-bias.svg"} <= verification.counts().keys()
        assert "README.md" not in verification.counts()
    picture = tmp_path / "card-evaluate-bias.svg"
    picture.write_text(picture.read_text().replace("0", "1", 1))
    assert wrong(folders[name], page) == {("card-evaluate-bias.svg", "false")}


def test_a_report_of_some_methods_is_true_and_the_others_are_named(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(folders["static"], tmp_path / "f"))
    write_report([r for r in read_results(folder) if r.method == "weat"], folder, all_pictures=True)
    verification = verify(folder)
    assert verification.verdict == "true", verification.to_markdown()
    assert verification.notes == ("report.md does not tell of mac of toy, which was measured",)


class GivenRows(list[Any]):
    """Rows with the provenance of others."""

    skipped = ()

    def __init__(self, rows: list[Any], provenance: dict[str, Any]) -> None:
        super().__init__(rows)
        self.provenance = provenance


def test_rows_that_only_say_they_are_of_a_published_data_set(tmp_path: Path) -> None:
    rows = METHODS["crows_pairs"].load_data(source="minimal_pairs")
    model = load_model(tiny_masked("bert"))
    eb.record("crows_pairs", model, tmp_path / "whole", data=rows)
    assert verify(tmp_path / "whole").verdict == "true"
    eb.record("crows_pairs", model, tmp_path / "forged", data=GivenRows(PAIRS, rows.provenance))
    verification = verify(tmp_path / "forged")
    assert verification.verdict == "not verifiable"
    assert "were given and are not those of 'minimal_pairs'" in verification.problems[0].reason
    invented = GivenRows(list(rows), {**rows.provenance, "revision": "1a2b"})
    eb.record("crows_pairs", model, tmp_path / "invented", data=invented)
    (reason, *_) = (check.reason for check in verify(tmp_path / "invented").problems)
    assert reason.endswith("were given, and 'minimal_pairs' has another revision than they say")


def test_a_part_chosen_from_rows_that_were_given_is_chosen_again(tmp_path: Path) -> None:
    model = load_model(tiny_masked("bert"))
    result = eb.record("crows_pairs", model, tmp_path, data=PAIRS, bias_types=["age"], limit=3)
    assert result.n == 3
    verification = verify(tmp_path)
    assert verification.verdict == "true", verification.to_markdown()


@pytest.mark.parametrize(
    ("asked", "part", "facts", "reason"),
    [
        ({"data": PAIRS}, "dataset",
         {"name": "weat_word_lists", "source": "bias/weat-word-lists", "revision": "1a2b", "sha256": "0" * 64},
         "another dataset.name than"),
        ({"source": "minimal_pairs"}, "dataset", {"source": "aclu/audited-lists"}, "another dataset.source than"),
        ({"source": "minimal_pairs"}, "dataset", {"language": "tlh"}, "another dataset.language than"),
        ({"source": "minimal_pairs"}, "dataset", {"licence": "cc0-1.0"}, "another dataset.licence than"),
        ({"source": "minimal_pairs"}, "model", {"name": "org/audited"}, "another model.name than"),
    ],
    ids=["rows given", "source", "language", "fact added", "model"],
)  # fmt: skip
def test_a_result_that_names_other_data_or_another_model_than_its_recording(
    tmp_path: Path, asked: dict[str, Any], part: str, facts: dict[str, Any], reason: str
) -> None:
    result = eb.record("crows_pairs", load_model(tiny_masked("bert")), tmp_path, **asked)
    assert verify(tmp_path).verdict == "true"
    provenance = {**result.provenance, part: {**result.provenance[part], **facts}}
    forged = dataclasses.replace(result, provenance=provenance)
    (run,) = read_recording(tmp_path / "scores.parquet")
    write_recording([dataclasses.replace(run, result=forged)], tmp_path / "scores.parquet")
    (tmp_path / "results.sqlite").unlink()
    write_results([forged], tmp_path / "results.jsonl")
    eb.card([forged], tmp_path / "README.md")
    verification = verify(tmp_path)
    assert verification.verdict == "not verifiable"
    assert reason in verification.problems[0].reason
    assert "true" not in verification.counts()["README.md"]


# --- what a text is about ---------------------------------------------------------------------------------------


def toy(seed: int = 0, name: str = "toy") -> Any:
    return load_model(vectors(seed), name=name)


@pytest.fixture(scope="module")
def two_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods on two models, measured one test after the other."""
    folder = tmp_path_factory.mktemp("two")
    for seed, name in enumerate(("org/a", "org/b")):
        for method, tests in (("weat", ["weat6"]), ("weat", ["weat6", "weat7"]), ("mac", ["weat6"])):
            eb.record(method, toy(seed, name), folder, tests=tests, seed=0, ci_resamples=200)
    return folder


@pytest.fixture
def folder(two_models: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(two_models, tmp_path / "f"))


def test_a_card_under_another_name_is_compared_and_the_name_is_named(folder: Path) -> None:
    results = [r for r in read_results(folder) if model_name(r) == "org/a"]
    for _ in range(2):
        eb.card(results, folder / "README.md", model="final")
    verification = verify(folder)
    assert verification.verdict == "true", verification.to_markdown()
    assert "not read: whether final is the model that was measured" in verification.notes
    readme = folder / "README.md"
    readme.write_text(readme.read_text().replace("**final**", "**other**"))
    assert ("README.md", "false") in wrong(folder)


def test_a_test_that_is_measured_again_with_others_counts_once(folder: Path) -> None:
    runs = read_recording(folder / "scores.parquet")
    assert [(r.result.method, len(r.result.rows_of("test"))) for r in runs] == [("weat", 2), ("mac", 1)] * 2
    eb.card(read_results(folder), folder / "README.md")
    assert verify(folder).verdict == "true"
    # The part was measured earlier, and a card of it is stale, not false.
    part = eb.measure("weat", toy(0, "org/a"), tests=["weat6"], seed=0, ci_resamples=200)
    eb.card([part], page := folder / "part.md")
    assert "stale" in {verdict for _, verdict in wrong(folder, page)}


@pytest.mark.parametrize(("name", "with_results"), [("org/a", True), ("org/b", False)])
def test_a_card_about_one_of_several_models(folder: Path, name: str, with_results: bool) -> None:
    eb.card(read_results(folder), folder / "README.md", model=name)
    if not with_results:
        (folder / "results.jsonl").unlink()
    verification = verify(folder)
    assert verification.verdict == "true", verification.to_markdown()
    assert len([f for f in verification.counts() if f.startswith(".eval_results")]) >= 2
    text = (folder / "README.md").read_text()
    (folder / "README.md").write_text(text.replace(name, "org/c"))
    assert ("README.md", "false") in wrong(folder)


def test_a_card_that_tells_of_some_methods_only_is_true_and_the_others_are_named(folder: Path) -> None:
    weat = [r for r in read_results(folder) if r.method == "weat" and model_name(r) == "org/a"]
    eb.card(weat, folder / "README.md")
    verification = verify(folder)
    assert verification.verdict == "true", verification.to_markdown()
    assert verification.notes[0] == "README.md does not tell of mac of org/a, which was measured"


def test_entries_that_were_measured_elsewhere_are_not_verifiable(tmp_path: Path) -> None:
    for method, test in (("mac", "weat6"), ("weat", "weat6"), ("weat", "weat7")):
        for name in ("results.jsonl", "results.sqlite", "scores.parquet"):
            (tmp_path / name).unlink(missing_ok=True)
        eb.record(method, toy(), tmp_path, tests=[test])
        eb.card(read_results(tmp_path), tmp_path / "README.md")
    problems = verify(tmp_path).problems
    assert {c.verdict for c in problems} == {"not verifiable"}
    places = {c.place for c in problems}
    assert "mac-en-weat6" in places
    assert "weat-en-weat6" not in places  # replaced by the test that was measured last
    assert "README.md, model-index" in {c.file for c in problems}


def test_what_changed_since_earlier_results_is_not_verifiable(tmp_path: Path) -> None:
    before = eb.measure("weat", toy(1), tests=["weat6"], seed=0)
    eb.record("weat", toy(0), tmp_path, tests=["weat6"], seed=0)
    eb.card(read_results(tmp_path), tmp_path / "README.md", since=before)
    (check,) = verify(tmp_path).problems
    assert check.verdict == "not verifiable"
    assert "since the earlier results" in check.actual
    assert "not recorded here" in check.reason


@pytest.mark.parametrize(
    ("seed", "name", "tests"), [(1, "org/b", ["weat6"]), (0, "org/a", ["weat7"])], ids=["model", "tests"]
)
def test_results_of_another_run_than_the_recorded_are_not_called_false(
    tmp_path: Path, seed: int, name: str, tests: list[str]
) -> None:
    eb.record("weat", toy(0, "org/a"), tmp_path, tests=["weat6"])
    result = eb.measure("weat", toy(seed, name), tests=tests)
    write_results([result], tmp_path / "results.jsonl")
    eb.card([result], tmp_path / "README.md")
    write_report([result], tmp_path)
    verification = verify(tmp_path)
    assert {c.verdict for c in verification.checks} == {"stale", "not verifiable"}
    stale = {c.file: c.reason for c in verification.problems if c.verdict == "stale"}
    assert stale == {
        "scores.parquet": "results.jsonl has this measurement no more",
        "results.sqlite": "only results.jsonl has this measurement",
    }


def test_a_recording_of_another_version_says_so_where_something_differs(tmp_path: Path) -> None:
    eb.record("weat", toy(), tmp_path, tests=["weat6"])
    (run,) = read_recording(tmp_path / "scores.parquet")
    versions = {**run.result.provenance["versions"], "evaluate-bias": "0.0.9"}
    provenance = {**run.result.provenance, "versions": versions}
    old = dataclasses.replace(run.result, provenance=provenance, score=9.0)
    write_recording([dataclasses.replace(run, result=old)], tmp_path / "scores.parquet")
    write_results([old], tmp_path / "results.jsonl")
    verification = verify(tmp_path)
    assert verification.verdict == "false"
    assert "0.0.9" in verification.notes[0]


# --- stale ------------------------------------------------------------------------------------------------------


def test_a_card_from_before_is_stale(tmp_path):
    def run(seed: int, *more: str) -> None:
        np.savez(tmp_path / "v.npz", vectors=np.array(list(vectors(seed).values()), dtype=np.float32))
        (tmp_path / "words.txt").write_text("\n".join(vectors(seed)))
        done = RUN.invoke(
            app,
            ["run", "-m", str(tmp_path / "v.npz"), "--model-option", f"vocabulary={tmp_path / 'words.txt'}", "--method",
             "weat", "-t", "weat6", "-o", str(tmp_path / "out"), "--record", *more],
        )  # fmt: skip
        assert done.exit_code == 0, (done.output, done.exception)

    run(0)
    before = read_results(tmp_path / "out")
    eb.card(before, tmp_path / "out" / "README.md")
    assert RUN.invoke(app, ["verify", str(tmp_path / "out")]).exit_code == 0
    run(1, "--overwrite")
    assert read_results(tmp_path / "out") != before
    found = verify(tmp_path / "out")
    assert found.verdict in ("stale", "false")
    verdicts = {c.verdict for c in found.problems}
    assert verdicts == {"stale"}, found.to_markdown()
    assert {"README.md", "README.md, model-index", ".eval_results/evaluate-bias-weat.yaml"} <= {
        c.file for c in found.problems
    }
    write_results(before, tmp_path / "out")
    assert {c.verdict for c in verify(tmp_path / "out").checks if c.file == "results.jsonl"} <= {
        "true",
        "stale",
    }
    assert RUN.invoke(app, ["verify", str(tmp_path / "out")]).exit_code == 1


def test_the_same_measurement_again_takes_the_place_of_the_first(tmp_path):
    static(tmp_path)
    static(tmp_path)
    runs = read_recording(tmp_path / "scores.parquet")
    assert [r.result.method for r in runs] == ["weat", "mac"]
    assert all(r.earlier == () for r in runs)


# --- bad input --------------------------------------------------------------------------------------------------


def one_sentence(error: BiasError) -> bool:
    return len(str(error)) <= 600 and "\n" not in str(error)


def test_a_file_that_is_cut_off_changed_or_newer_is_one_sentence(folders, tmp_path, monkeypatch):
    raw = (folders["static"] / "scores.parquet").read_bytes()
    shutil.copy(folders["static"] / "results.jsonl", tmp_path)
    path = tmp_path / "scores.parquet"
    draws = random.Random(4)
    for cut in (0, 1, 4, 100, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:cut])
        with pytest.raises(DataError, match="cut off or damaged") as caught:
            verify(tmp_path)
        assert one_sentence(caught.value)
    for place in range(draws.randrange(4, 8), len(raw) - 8, 5):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 0x15]) + raw[place + 1 :])
        with suppress(DataError):
            assert recording_bytes(read_recording(path)) == raw  # a byte that says nothing
    path.write_bytes(raw)
    assert verify(tmp_path).verdict == "true"

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(folders["static"] / "scores.parquet")
    newer = json.loads(table.schema.metadata[b"evaluate-bias"]) | {"schema_version": 2}
    pq.write_table(table.replace_schema_metadata({b"evaluate-bias": json.dumps(newer)}), path)
    with pytest.raises(DataError, match="schema version 2 and this library reads up to 1: upgrade"):
        verify(tmp_path)
    monkeypatch.setattr("evaluate_bias.report.verify.recording_file._MOST_VALUES", 10)
    with pytest.raises(DataError, match="too large: it holds more than 10 values"):
        verify(tmp_path)
    monkeypatch.undo()
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(DataError, match="no recording of this library"):
        verify(tmp_path)
    answers = table["values"].to_pylist()
    place = next(i for i, v in enumerate(answers) if v)
    answers[place][0] += 1e-9
    forged = table.set_column(
        6, table.schema.field("values"), pa.array(answers, table.schema.field("values").type)
    )
    pq.write_table(forged.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(DataError, match="changed after it was written"):
        verify(tmp_path)


def test_a_card_without_scores_and_scores_without_a_card(folders, tmp_path):
    (tmp_path / "README.md").write_text(written(folders["static"]).text)
    done = RUN.invoke(app, ["verify", str(tmp_path)])
    assert done.exit_code == 3
    assert "@@ scores.parquet: not verifiable, there is no scores.parquet" in " ".join(done.output.split())
    shutil.copy(folders["static"] / "scores.parquet", tmp_path)
    assert verify(tmp_path).verdict == "true"  # without results.jsonl too
    (tmp_path / "README.md").write_text("# A model\n")
    assert verify(tmp_path).verdict == "not verifiable"
    with pytest.raises(
        InputError, match=r"README.md is no folder: give the folder .* as --card \S*README.md$"
    ):
        verify(tmp_path / "README.md")
    (tmp_path / "README.md").unlink()
    with pytest.raises(InputError, match="no card, report or results to verify"):
        verify(tmp_path)
    with pytest.raises(InputError, match="is no folder"):
        verify(tmp_path / "missing")
    (tmp_path / "scores.parquet").unlink()
    with pytest.raises(DataError, match=r"there is no .*scores\.parquet"):
        verify(tmp_path)
    broken = written(folders["static"]).text.replace(END, "")
    (tmp_path / "README.md").write_text(broken)
    shutil.copy(folders["static"] / "scores.parquet", tmp_path)
    found = verify(tmp_path)
    assert found.verdict == "false"
    assert "lacks its end marker" in found.problems[0].reason


def test_a_result_that_only_the_store_holds_is_not_verifiable(tmp_path: Path) -> None:
    eb.record("weat", toy(0, "org/a"), tmp_path, tests=["weat6"])
    recorded_files = {name: (tmp_path / name).read_bytes() for name in ("results.jsonl", "scores.parquet")}
    eb.record("weat", toy(0, "org/a"), tmp_path, tests=["weat7"])
    for name, content in recorded_files.items():
        (tmp_path / name).write_bytes(content)
    (check,) = verify(tmp_path).problems
    assert (check.file, check.verdict) == ("results.sqlite", "not verifiable")
    assert check.reason == "its scores were not recorded"


def test_a_fence_is_longer_than_what_it_holds() -> None:
    check = Check("README.md", "", "false", "````", "a `b`")
    lines = Verification((check,)).to_markdown().split("\n")
    assert lines.count("`````") == 1
    assert "`````diff" in lines


def test_results_of_which_some_were_not_recorded(folders, tmp_path):
    static(tmp_path)
    spec, rows, options = fixture("rnd")
    more = eb.measure("rnd", spec, data=rows, **options)
    results = [*read_results(tmp_path), more]
    (tmp_path / "results.sqlite").unlink()  # it would say that only the file has the last one
    write_results(results, tmp_path)
    eb.card(results, tmp_path / "README.md")
    found = verify(tmp_path)
    assert found.verdict == "not verifiable"
    assert set(found.counts()["README.md"]) == {"not verifiable"}
    text = (tmp_path / "README.md").read_text()
    row = next(line for line in text.split("\n") if line.startswith("|") and "weat6" in line)
    (tmp_path / "README.md").write_text(text.replace(row, row.replace("0.", "9.", 1)))
    assert verify(tmp_path).verdict == "false"


# --- command ----------------------------------------------------------------------------------------------------


def test_the_command_lists_what_is_false_and_writes_a_summary(folders, tmp_path):
    folder = tmp_path / "f"
    shutil.copytree(folders["static"], folder)
    card = tmp_path / "card.md"
    eb.card(read_results(folder), card)
    done = RUN.invoke(app, ["verify", str(folder), "--card", str(card), "--json"])
    assert (done.exit_code, json.loads(done.output)["verdict"]) == (0, "true")
    text = card.read_text()
    value = re.search(r"value: (\S+)", text)[1]
    card.write_text(text.replace(f"value: {value}", "value: 0.123456"))
    out = tmp_path / "summary.md"
    done = RUN.invoke(app, ["verify", str(folder), "--card", str(card), "--out", str(out)])
    assert done.exit_code == 1
    assert "- metrics[0].value: 0.123456" in done.output
    assert "**Verified: false.**" in out.read_text()
    assert "0.123456" in out.read_text()
    done = RUN.invoke(app, ["verify", str(folder), "--revision", "main"])
    assert done.exit_code == 1


@pytest.mark.slow
def test_a_repository_is_verified_without_its_model(folders, tmp_path):
    card = written(folders["static"], model="org/toy", picture=True)
    scores = (folders["static"] / "scores.parquet").read_bytes()
    value = re.search(r"value: (\S+)", card.text)[1]
    files = {"README.md": card.text, "scores.parquet": scores} | dict(card.pictures)
    files |= {"model.safetensors": b"weights", "report-model.safetensors": b"weights"}
    code = """
from typer.testing import CliRunner
from evaluate_bias.cli.main import app
found = []
for name in ("org/toy", "org/forged", "org/bare", "org/none"):
    done = CliRunner().invoke(app, ["verify", name, "--json"])
    found.append([done.exit_code, done.stdout or str(done.exception)])
answer(found)
"""
    with LoopbackHub() as hub:
        hub.add_repo("model", "org/toy", files)
        hub.add_repo("model", "org/forged", {**files, "README.md": card.text.replace(value, "0.5")})
        hub.add_repo("model", "org/bare", {"README.md": card.text})
        (whole, forged, bare, none) = run_python(code, hub.env(), tmp_path)
        assert hub.outside == []
        assert not any("safetensors" in request.path for request in hub.requests)
    assert (whole[0], json.loads(whole[1])["verdict"]) == (0, "true")
    assert (forged[0], json.loads(forged[1])["problems"][0]["actual"]) == (1, "metrics[0].value: 0.5")
    assert (bare[0], json.loads(bare[1])["verdict"]) == (3, "not verifiable")
    assert none[0] == 1
    assert "org/none was not verified" in none[1]


def test_a_recording_that_makes_no_sense_is_not_verifiable(folders, tmp_path):
    runs = read_recording(folders["static"] / "scores.parquet")
    shutil.copy(folders["static"] / "results.jsonl", tmp_path)
    for asked in (
        {},
        {"method": "no"},
        {**runs[0].request, "options": 3},
        {**runs[0].request, "data": [{"$new": ["X", {}]}, []]},
    ):
        write_recording([dataclasses.replace(runs[0], request=asked)], tmp_path / "scores.parquet")
        found = verify(tmp_path)
        assert found.verdict == "not verifiable"
        assert "cannot be computed again" in found.problems[0].reason
