"""Cards, reports and results held against recorded scores: the whole ones pass, every tampered one is found."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import shutil
from collections import Counter
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
from evaluate_bias.report.card import LANGUAGES, plan_card
from evaluate_bias.report.card.block import BEGIN, END
from evaluate_bias.report.verify import Verifier, read_recording, verify, write_recording
from evaluate_bias.report.verify.recording_file import recording_bytes
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


@pytest.fixture(scope="module")
def verifiers(folders: dict[str, Path]) -> dict[str, Verifier]:
    return {name: Verifier(folder) for name, folder in folders.items()}


def written(folder: Path, **options: Any) -> Any:
    return plan_card(options.pop("text", BODY), read_results(folder), **options)


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
    assert "not those that were measured" in found.problems[0].reason
    moved.unlink()
    assert verify(tmp_path / "out").verdict == "not verifiable"


# --- 100 whole cards, 1,000 tampered ones -----------------------------------------------------------------------


def test_none_of_100_whole_cards_is_doubted(folders, verifiers):
    count = 0
    for name, folder in folders.items():
        for language in LANGUAGES:
            for level in ("summary", "full"):
                for picture, text in ((True, BODY), (False, ""), (True, "---\nlicense: mit\n---\n" + BODY)):
                    update = written(folder, text=text, language=language, level=level, picture=picture)
                    card = update.text.replace("\n", "\r\n") if count % 3 == 0 else update.text
                    checks = verifiers[name].card(card, update.pictures.get("evaluate-bias.svg"))
                    wrong = [c for c in checks if c.verdict != "true"]
                    assert not wrong, (name, language, level, picture, wrong[:3])
                    assert len(checks) > 10
                    count += 1
    assert count >= 100


def test_a_card_is_written_twice_and_under_another_name(folders, verifiers):
    once = written(folders["static"], model="org/other", picture=True)
    twice = written(folders["static"], text=once.text, model="org/other", picture=True)
    assert twice.text == once.text
    assert {c.verdict for c in verifiers["static"].card(twice.text)} == {"true"}
    strange = once.text.replace(
        "model-index:",
        "model-index:\n- name: x\n  results:\n  - task: {type: text}\n    metrics: [{type: f1, value: 1}]",
    )
    assert {c.verdict for c in verifiers["static"].card(strange)} == {"true"}  # somebody else's score


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def digit_changed(line: str, draws: random.Random) -> str:
    place = draws.choice([i for i, c in enumerate(line) if c.isdigit()])
    other = draws.choice([d for d in "0123456789" if d != line[place]])
    return line[:place] + other + line[place + 1 :]


def sign_changed(line: str, draws: random.Random) -> str:
    found = draws.choice(list(NUMBER.finditer(line)))
    at = found.start()
    return line[: at - 1] + line[at:] if line[at - 1 : at] in "-−" and at else f"{line[:at]}-{line[at:]}"


def tampered(text: str, draws: random.Random) -> tuple[str, str]:
    """A card with one thing changed within the section or the model-index, and what was changed."""
    lines = text.split("\n")
    begin, end = lines.index(BEGIN) + 2, lines.index(END)
    inside = [i for i in range(begin, end) if re.search(r"\d", lines[i])]
    values = [i for i in range(begin) if re.match(r"\s+value:", lines[i])]
    rows = [i for i in inside if lines[i].startswith("|")]
    p_values = [i for i in inside if re.search(r"p \(Holm\)|p =|p <|\b0\.\d{3,}", lines[i])]
    intervals = [i for i in inside if re.search(r"\d\]|\d, -?\d", lines[i])]
    kinds = ["digit", "sign", "removed", "doubled"]
    kinds += ["value", "value sign"] * bool(values) + ["rows"] * (len({lines[i] for i in rows}) > 1)
    kinds += ["p"] * bool(p_values) + ["interval"] * bool(intervals)
    kind = draws.choice(kinds)
    if kind == "rows":
        a, b = draws.sample(rows, 2)
        lines[a], lines[b] = lines[b], lines[a]
    elif kind == "removed":
        del lines[draws.choice(inside)]
    elif kind == "doubled":
        i = draws.choice(inside)
        lines.insert(i, lines[i])
    else:
        among = {"value": values, "value sign": values, "p": p_values, "interval": intervals}.get(
            kind, inside
        )
        change = sign_changed if "sign" in kind else digit_changed
        i = draws.choice(among)
        lines[i] = change(lines[i], draws)
    return "\n".join(lines), kind


def test_all_of_1000_tampered_cards_are_found(folders, verifiers):
    draws = random.Random(0)
    cards = [
        (name, written(folder, language=language, level=level, picture=True).text)
        for name, folder in folders.items()
        for language in ("en", "de")
        for level in ("summary", "full")
    ]
    for name, text in cards:  # what is rendered is kept
        assert all(c.verdict == "true" for c in verifiers[name].card(text))
    kinds: Counter[str] = Counter()
    while sum(kinds.values()) < 1000:
        name, text = draws.choice(cards)
        changed, kind = tampered(text, draws)
        if changed == text:  # two equal rows
            continue
        found = [c for c in verifiers[name].card(changed) if c.verdict != "true"]
        assert any(c.verdict == "false" for c in found), (name, kind)
        kinds[kind] += 1
    assert len(kinds) == 9
    assert min(kinds.values()) >= 20, kinds


def test_the_line_is_named(folders, verifiers):
    lines = written(folders["static"], picture=True).text.split("\n")
    row = next(i for i, line in enumerate(lines) if line.startswith("|") and "0." in line)
    wanted = re.search(r"0\.\d+", lines[row])[0]
    lines[row] = lines[row].replace(wanted, "0.77777", 1)
    (check,) = [c for c in verifiers["static"].card("\n".join(lines)) if c.verdict != "true"]
    assert (check.file, check.place, check.verdict) == ("README.md", f"line {row + 1}", "false")
    assert check.shown.endswith("0.77777")
    assert check.expected.lstrip("-−") == wanted


def test_tampered_files_beside_the_card_are_found(folders, tmp_path):
    folder = tmp_path / "f"
    shutil.copytree(folders["static"], folder)
    results = read_results(folder)
    eb.card(results, folder / "README.md", eval_results=True)
    write_report(results, folder)
    whole = verify(folder)
    assert whole.verdict == "true", whole.to_markdown()
    files = {"results.jsonl", "report.md", "report.csv", "report.tex", "README.md", "README.md, model-index"}
    assert {*files, "evaluate-bias.svg", ".eval_results/evaluate-bias-weat.yaml"} < set(whole.counts())
    verifier, draws = Verifier(folder), random.Random(1)
    for path in [
        folder / "report.md",
        folder / "report.csv",
        folder / "report.tex",
        *folder.glob(".eval_results/*"),
    ]:

        def judge(name: str, text: str) -> list[Any]:
            if name.endswith(".yaml"):
                return verifier.eval_results(name, text)
            return verifier.report({name: text.encode()})

        lines = path.read_text().split("\n")
        numbered = [
            i
            for i, line in enumerate(lines)
            # When a file was written, and whose page it names, no measurement says.
            if re.search(r"\d", line) and not line.lstrip("- ").startswith(("date:", "url:"))
        ]
        for _ in range(40):
            i = draws.choice(numbered)
            change = draws.choice([digit_changed, sign_changed])
            text = "\n".join([*lines[:i], change(lines[i], draws), *lines[i + 1 :]])
            assert any(c.verdict == "false" for c in judge(path.name, text)), (path.name, lines[i])
    picture = folder / "evaluate-bias.svg"
    picture.write_text(digit_changed(picture.read_text(), draws))
    assert verify(folder).verdict == "false"


def test_a_card_of_another_name_is_verified_with_its_own_picture(folders, tmp_path):
    folder = tmp_path / "f"
    shutil.copytree(folders["static"], folder)
    eb.card(read_results(folder), folder / "card.md")
    whole = verify(folder, card=folder / "card.md")
    assert whole.verdict == "true", whole.to_markdown()
    assert "card-evaluate-bias.svg" in whole.counts()
    picture = folder / "card-evaluate-bias.svg"
    picture.write_text(digit_changed(picture.read_text(), random.Random(1)))
    assert verify(folder, card=folder / "card.md").verdict == "false"


def test_tampered_results_are_found(folders, tmp_path):
    source = (folders["static"] / "results.jsonl").read_text()
    for file in ("results.jsonl", "scores.parquet"):
        shutil.copy(folders["static"] / file, tmp_path)
    numbers = list(re.finditer(r"(?<![\"\w])-?\d+\.\d{4,}", source))
    draws = random.Random(2)
    for found in draws.sample(numbers, 25):
        place = found.start() + found[0].index(".") + 2
        digit = str((int(source[place]) + 1) % 10)
        (tmp_path / "results.jsonl").write_text(source[:place] + digit + source[place + 1 :])
        assert verify(tmp_path).verdict == "false", source[found.start() - 40 : found.end()]


def test_entries_of_model_index_that_are_renamed_or_missing_are_found(folders, verifiers):
    text = written(folders["static"], picture=True).text
    metric = re.search(r"    - type: weat\n      value: \S+\n      name: [^\n]+\n", text)[0]
    for changed in (
        text.replace("name: weat6, effect size", "name: weat8, effect size"),
        text.replace("config: en", "config: de"),
        text.replace("type: bias-evaluation", "type: other"),
        text.replace(metric, ""),
        re.sub(r"\n( +)value: ", r"\n\1value: about ", text),
        re.sub(r"dataset:\n( +)name: ", r"dataset:\n\1name: The best ", text),
    ):
        assert changed != text
        wrong = [c for c in verifiers["static"].card(changed) if c.verdict == "false"]
        assert wrong, changed[:500]
        assert {c.file for c in wrong} == {"README.md, model-index"}


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
    eb.card(before, tmp_path / "out" / "README.md", eval_results=True)
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


def test_a_file_that_is_cut_off_changed_or_newer_is_one_sentence(folders, tmp_path):
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
    assert "not verifiable scores.parquet: there is no scores.parquet" in " ".join(done.output.split())
    shutil.copy(folders["static"] / "scores.parquet", tmp_path)
    assert verify(tmp_path).verdict == "true"  # without results.jsonl too
    (tmp_path / "README.md").write_text("# A model\n")
    assert verify(tmp_path).verdict == "not verifiable"
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


def test_results_of_which_some_were_not_recorded(folders, tmp_path):
    static(tmp_path)
    spec, rows, options = fixture("rnd")
    more = eb.measure("rnd", spec, data=rows, **options)
    results = [*read_results(tmp_path), more]
    write_results(results, tmp_path)
    eb.card(results, tmp_path / "README.md")
    found = verify(tmp_path)
    assert found.verdict == "not verifiable"
    counts = found.counts()["README.md"]
    assert min(counts["true"], counts["not verifiable"]) > 20
    text = (tmp_path / "README.md").read_text()
    row = next(line for line in text.split("\n") if line.startswith("|") and "weat6" in line)
    (tmp_path / "README.md").write_text(text.replace(row, digit_changed(row, random.Random(0))))
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
    assert "written 0.123456" in " ".join(done.output.split())
    assert "**Verified: false.**" in out.read_text()
    assert "0.123456" in out.read_text()
    done = RUN.invoke(app, ["verify", str(folder), "--revision", "main"])
    assert done.exit_code == 1


@pytest.mark.slow
def test_a_repository_is_verified_without_its_model(folders, tmp_path):
    card = written(folders["static"], model="org/toy", picture=True)
    scores = (folders["static"] / "scores.parquet").read_bytes()
    value = re.search(r"value: (\S+)", card.text)[1]
    files = {"README.md": card.text, "scores.parquet": scores, "model.safetensors": b"weights"} | dict(
        card.pictures
    )
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
    assert (forged[0], json.loads(forged[1])["problems"][0]["shown"]) == (1, "0.5")
    assert (bare[0], json.loads(bare[1])["verdict"]) == (3, "not verifiable")
    assert none[0] == 1
    assert "org/none was not verified" in none[1]


def test_a_recording_that_makes_no_sense_is_not_verifiable(folders, tmp_path):
    runs = read_recording(folders["static"] / "scores.parquet")
    shutil.copy(folders["static"] / "results.jsonl", tmp_path)
    for asked in (
        {},
        {"method": "no"},
        {**runs[0].asked, "options": 3},
        {**runs[0].asked, "data": [{"$new": ["X", {}]}, []]},
    ):
        write_recording([dataclasses.replace(runs[0], asked=asked)], tmp_path / "scores.parquet")
        found = verify(tmp_path)
        assert found.verdict == "not verifiable"
        assert "cannot be computed again" in found.problems[0].reason
