"""The thesis' seed lists and GAP, in files of the published form; the published files where a copy is at hand."""

from __future__ import annotations

import json

import pytest

import evaluate_bias as eb
from evaluate_bias.assets import get_asset, is_cached
from evaluate_bias.data import get_dataset, load_templates, load_word_lists
from evaluate_bias.data.building import build
from evaluate_bias.data.predictions import load_gap
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.table_files import read_rows
from evaluate_bias.errors import DataError, UnknownNameError
from tests.support.refusals import refused

HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
ANN = 'x-1\tAnn met "Bea and left her.\ther\t23\tAnn\t0\tFALSE\tBea\t9\tTRUE\thttp://x'


def rows_of(name: str, config: str, raw: bytes) -> list[dict[str, object]]:
    (chosen,) = dataset_record(name).select([config])
    return [dict(row) for row in chosen.convert_rows(chosen.read(raw, "file"), "file")[0]]


def test_the_sets_of_the_thesis():
    lists = {
        "espacio_m": ["él", "él"], "espacio_f": ["ella"], "christianity words": ["cruz"], "islam words": ["velo"],
        "islam": ["velo"], "pleasant": ["amor", " paz", "amor"],
    }  # fmt: skip
    raw = json.dumps(lists, ensure_ascii=False).encode()
    (row,) = rows_of("spanish_seeds", "es-gender", raw)
    assert (row["name"], row["targets_x"], row["targets_y"]) == ("pleasant", ("él",), ("ella",))
    assert (row["attributes_a"], row["bias_type"]) == (("amor", "paz"), "gender")
    (row,) = rows_of("spanish_seeds", "es-religion", raw)
    assert (row["targets_x"], row["targets_y"], row["bias_type"]) == (("cruz",), ("velo",), "religion")
    refused(DataError, "lacks the lists", rows_of, "spanish_seeds", "es-gender", b"[]")


def test_what_has_no_licence_is_not_published():
    assert [c.name for c in dataset_record("spanish_seeds").select(None)] == ["es"]
    assert not dataset_record("gap").select(None)


def test_a_mistyped_configuration_is_shown_those_that_are_built_on_request():
    with pytest.raises(UnknownNameError, match="did you mean 'es-gender'"):
        load_word_lists("spanish_seeds", language="es-gendr")


def test_gap():
    (row,) = rows_of("gap", "en", f"{HEAD}\n{ANN}\n".encode())
    assert (row["references"], row["groups"], row["b"], row["b_offset"]) == ("B", "feminine", "Bea", 9)
    for old, new in (("TRUE", "yes"), ("\ther\t", "\ttheir\t"), ("\t23\t", "\tx\t")):
        with pytest.raises(DataError, match="row 'x-1' does not have the expected form"):
            rows_of("gap", "en", f"{HEAD}\n{ANN.replace(old, new)}\n".encode())
    with pytest.raises(DataError, match="has no column"):
        rows_of("gap", "en", ANN.replace("x-1", "ID").encode() + b"\n" + ANN.encode())


def test_answers_of_a_coreference_system_to_gap(tmp_path):
    texts = [ANN.replace("x-1", f"x-{i}") for i in range(3)] + [
        ANN.replace("x-1", "x-3").replace("her.", "him.").replace("\ther\t", "\thim\t").replace("FALSE", "TRUE", 1)
        .replace("Bea\t9\tTRUE", "Bea\t9\tFALSE")
    ]  # fmt: skip
    published = tmp_path / "published"
    published.mkdir()
    (published / "gap-test.tsv").write_text("\n".join([HEAD, *texts]) + "\n")
    folder = build(
        dataset_record("gap"),
        tmp_path / "built",
        configs=["en"],
        split="test",
        source=published,
        verify=False,
    )
    nearest = load_gap(
        lambda row: min("ab", key=lambda k: abs(row[f"{k}_offset"] - row["pronoun_offset"])).upper(),
        source=folder,
    )
    assert [(r.predictions, r.references, r.groups) for r in nearest] == [("B", "B", "feminine")] * 3 + [
        ("B", "A", "masculine")
    ]
    assert [r.predictions for r in load_gap({"x-1": "neither"}, source=folder)] == [
        None,
        "neither",
        None,
        None,
    ]
    file = tmp_path / "answers.tsv"
    file.write_text("x-0\tTRUE\tFALSE\nx-3\tFalse\tFalse\n")
    assert [r.predictions for r in load_gap(file, source=folder)] == ["A", None, None, "neither"]
    for answers in (lambda row: "Ann", tmp_path / "wrong.tsv"):
        (tmp_path / "wrong.tsv").write_text("x-0\tTRUE\tTRUE\n")
        with pytest.raises(DataError) as caught:
            load_gap(answers, source=folder)
        assert caught.value.option == "answers"
    result = eb.measure("tpr_gap", None, data=nearest, rate="accuracy", n_resamples=19, ci_resamples=0)
    assert result.score == pytest.approx(1.0)


def test_accuracy_on_the_published_passages_by_gender():
    """The name that stands nearest to the pronoun, on the test split."""
    if not is_cached(get_asset("benchmarks")):
        pytest.skip("the published files are not at hand")
    path = get_dataset("gap", configs="en", split="test") / "en" / "test.parquet"
    passages = read_rows(path.read_bytes(), path.name)
    assert len(passages) == 2_000
    assert all(str(r["text"])[r["a_offset"] :].startswith(r["a"]) for r in passages)
    right = []
    for row in passages:
        nearest = min("ab", key=lambda side: abs(row[f"{side}_offset"] - row["pronoun_offset"])).upper()
        verdict = "right" if nearest == row["references"] else "wrong"
        right.append({"predictions": verdict, "references": "right", "groups": row["groups"]})
    result = eb.measure("tpr_gap", None, data=right, n_resamples=99, ci_resamples=99)
    assert result.rows_of("group")[0].details["tpr"] == {"feminine": 0.429, "masculine": 0.459}


def test_the_templates_of_vig():
    templates = load_templates("vig", "en")
    assert len(templates) == 17
    assert templates[0].fill(profession="nurse", mask="she").text == "The nurse said that she"
