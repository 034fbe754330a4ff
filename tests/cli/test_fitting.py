"""Which methods fit a model: ``methods --model``, ``run`` without a method, and ``--method all``."""

from __future__ import annotations

import contextlib
import json

import pytest

import evaluate_bias as eb
from evaluate_bias.cli.flags import fitting_methods, request_of_flags
from evaluate_bias.errors import CoverageError, InputError, UndefinedScoreError
from evaluate_bias.experiments.fitting import fits, needed_options, reasons_against
from evaluate_bias.models.base import require
from evaluate_bias.models.load import load_model
from evaluate_bias.models.static import StaticVectors
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result
from tests.hostile.toy import write_toy
from tests.support.command_line import run_app, run_command
from tests.support.tiny_models import tiny_causal


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Nothing is folded."""
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def vectors(tmp_path):
    write_toy(tmp_path, "first")
    return tmp_path / "first.txt"


def test_a_method_fits_where_it_does_not_refuse_the_loaded_model():
    model = load_model({"a": [1.0, 0.0], "b": [0.0, 1.0]})
    for name, record in METHODS.items():
        try:
            require(model, record.needs, name)
            measures = True
        except Exception:
            measures = False
        assert fits(name, (StaticVectors,)) == measures, name
    assert {name for name in METHODS if fits(name, ())} == {n for n, r in METHODS.items() if r.needs_no_model}


def test_methods_of_a_model_with_their_cost_and_the_reasons_of_the_others(vectors):
    (facts,) = json.loads(run_app("methods", "--model", vectors, "--json").stdout)
    listed = {method["method"] for method in facts["fits"]}
    unfit = {name for names in facts["unfit"].values() for name in names}
    assert listed | unfit == set(METHODS)
    assert not listed & unfit
    assert {"weat", "rnd"} <= listed
    assert all(method["rows"] > 0 and method["seconds"] > 0 for method in facts["fits"])
    assert facts["unfit"]["needs a model that scores masked tokens, not word vectors"]
    shown = run_app("methods", "--model", vectors).stdout
    assert f"{len(listed)} methods that fit {vectors}" in shown
    assert "needs a model that chats, not word vectors" in shown
    assert "omit the name of the method" in str(run_app("methods", "weat", "--model", vectors).exception)


def test_a_folder_without_a_chat_template_is_asked_nothing(
    tmp_path,
):
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}', encoding="utf-8")
    assert "word_association" in reasons_against(str(tmp_path), {})
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    assert "word_association" not in reasons_against(str(tmp_path), {})


def test_nothing_fits_an_encoder_decoder_folder_but_a_model_that_also_reads_masks(tmp_path):
    config = {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "is_encoder_decoder": True}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    reasons = reasons_against(str(tmp_path), {})
    assert set(reasons) == set(METHODS)
    assert "not an encoder-decoder model (its encoder is measured as the pair" in reasons["seat"]
    config |= {"architectures": ["BartForConditionalGeneration"], "model_type": "bart"}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert "aul" not in reasons_against(str(tmp_path), {})


def test_a_causal_folder_is_listed_with_the_options_that_it_needs_and_the_time_of_each_method_alone(tmp_path):
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}', encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(bytes(1_000_000))
    (facts,) = json.loads(run_app("methods", "--model", tmp_path, "--json").stdout)
    options = {method["method"]: method["options"] for method in facts["fits"] if method["options"]}
    assert options == {
        "crows_pairs": {"variant": "causal"}, "kldivs": {"scoring": "causal"}, "pll_robustness": {"scoring": "causal"}
    }  # fmt: skip
    seconds = {fit["method"]: fit["seconds"] for fit in facts["fits"]}
    assert seconds["kldivs"] == seconds["crows_pairs"] > 1  # both score all pairs
    assert "crows_pairs -O variant=causal" in run_app("methods", "--model", tmp_path).stdout
    request = request_of_flags([str(tmp_path)], ["all"], {}, [])
    assert {e.method: e.options for e in request.config.methods if e.options} == options
    given = request_of_flags([str(tmp_path)], ["all"], {}, ["crows_pairs.variant=choice", "scoring=aul"])
    assert [e.options for e in given.config.methods if e.method in options] == [
        {"variant": "choice"}, {"scoring": "aul"}, {"scoring": "aul"}
    ]  # fmt: skip


def test_each_of_several_models_gets_the_options_that_it_needs(tmp_path, vectors):
    def folder(name, architecture):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps({"architectures": [architecture]}))
        return str(tmp_path / name)

    first, second = folder("first", "LlamaForCausalLM"), folder("second", "GPT2LMHeadModel")
    masked = folder("masked", "BertForMaskedLM")
    config = request_of_flags([first, masked, second], ["all"], {}, []).config
    assert [(e.options, e.models) for e in config.methods if e.method == "crows_pairs"] == [
        ({"variant": "causal"}, [first, second]), ({}, [masked])
    ]  # fmt: skip
    given = request_of_flags([first, masked], ["all"], {}, ["crows_pairs.variant=choice"]).config
    assert [e.options for e in given.methods if e.method == "crows_pairs"] == [{"variant": "choice"}] * 2


def test_a_few_methods_are_recommended_for_every_kind_of_model(tmp_path, vectors):
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}', encoding="utf-8")
    for model, known in ((str(vectors), "weat"), (str(tmp_path), "crows_pairs"), ("demo-mlm-en", "bec_pro")):
        config = request_of_flags([model], ["recommended"], {}, []).config
        chosen = {entry.method for entry in config.methods}
        assert known in chosen
        assert all(METHODS[name].recommended for name in chosen)
        assert 2 < len(chosen) < len(fitting_methods([model], {})) / 2
    with_others = request_of_flags([str(vectors)], ["recommended", "rnd"], {}, []).config
    assert "rnd" in {entry.method for entry in with_others.methods}
    with pytest.raises(InputError, match="recommended"):
        request_of_flags([], ["recommended"], {}, [])


def test_with_these_options_no_method_refuses_a_causal_model():
    model = load_model(tiny_causal("gpt2"))
    for name, record in METHODS.items():
        if "scores sequences" in record.needs and name != "seed_sensitivity":
            with contextlib.suppress(CoverageError, UndefinedScoreError):  # of two rows
                eb.measure(name, model, limit=2, **needed_options(name, (type(model),)))


def test_a_run_without_a_method_says_what_fits_and_measures_nothing(vectors, tmp_path):
    for out in ((), ("-o", tmp_path / "out")):
        done = run_app("run", "--model", vectors, *out)
        assert done.exit_code == 2
        assert "--method recommended or all" in done.stdout
        assert "weat_word_lists" in done.stdout
        assert "run needs --method" in str(run_app("run", *out).exception)
    assert not (tmp_path / "out").exists()


def test_all_methods_are_those_that_fit(vectors, tmp_path, monkeypatch):
    from evaluate_bias import api

    def measure(method, model, **_):
        facts = {"model": {"name": getattr(model, "name", "none")}}
        return Result(
            method=method, score=0.5, score_range=METHODS[method].score_range, direction="two_sided", ideal=0.0, n=9,
            provenance=facts,
        )  # fmt: skip

    monkeypatch.setattr(api, "measure", measure)
    done = run_app("run", "--model", vectors, "--method", "all", "-o", tmp_path / "out", "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    against = reasons_against(str(vectors), {})
    assert [result["method"] for result in json.loads(done.stdout)] == sorted(set(METHODS) - set(against))
    assert fitting_methods([], {}) == sorted(name for name, record in METHODS.items() if not record.needs)


def test_a_piped_run_of_several_units_prints_a_line_per_unit(vectors, tmp_path):
    flags = ["--source", tmp_path / "lists.jsonl", "-O", "ci=none"]
    one = ["run", "-m", vectors, "--method", "weat", *flags]
    done = run_command(*one, "--method", "mac", "-o", tmp_path / "out")
    lines = [line for line in done.err.splitlines() if " of 2: " in line]
    assert [line.partition(", ci")[0] for line in lines] == [
        "1 of 2: weat on first.txt (lists.jsonl, en", "2 of 2: mac on first.txt (lists.jsonl, en",
    ]  # fmt: skip
    assert " of " not in run_command(*one, "-o", tmp_path / "one").err
    assert run_command(*one, "--method", "mac", "-o", tmp_path / "two", "--json").err == ""


def test_the_page_of_a_method_names_the_data_that_it_reads_by_default():
    shown = " ".join(run_app("methods", "gest").stdout.split())
    assert (
        "data: gest_style, which is packaged and illustrative. Published: bias/eurogest (columns masc"
        in shown
    )
