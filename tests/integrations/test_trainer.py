"""The Trainer callback, in a real training run of a tiny model."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
import transformers

from evaluate_bias.errors import UnknownNameError
from evaluate_bias.integrations.trainer import BiasCardCallback
from evaluate_bias.report.results_io import read_results
from tests.support.tiny_models import CORPUS, tiny_masked

METHODS = {"crows_pairs": {"source": None, "bias_types": "age"}, "aul": {"source": None, "bias_types": "age"}}


def train(folder, callback):
    model, tokenizer = tiny_masked("bert")
    model = copy.deepcopy(model)
    model.config._name_or_path = "org/base-model"
    examples = [tokenizer(text) for text in CORPUS]
    collator = transformers.DataCollatorForLanguageModeling(tokenizer)
    trainer = transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(folder),
            max_steps=2,
            per_device_train_batch_size=2,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=examples,
        data_collator=collator,
        processing_class=tokenizer,
        callbacks=[callback],
    )
    torch.manual_seed(0)
    trainer.train()
    return trainer


@pytest.fixture
def trained(tmp_path):
    callback = BiasCardCallback(METHODS)
    return train(tmp_path / "tiny-bert", callback), callback


def test_results_and_section_are_written_after_training(trained):
    trainer, callback = trained
    folder = trainer.args.output_dir
    card = Path(folder, "README.md").read_text(encoding="utf-8")
    assert card.count("evaluate-bias:begin v1") == 1
    assert "tiny-bert" in card
    assert "base-model" not in card
    written = read_results(f"{folder}/bias_results.jsonl")
    assert [r.method for r in written] == ["crows_pairs", "aul"]
    assert written == callback.results
    assert {r.provenance["model"]["source"] for r in written} == {"tiny-bert"}
    assert trainer.model.training  # put back as it was


def test_the_section_survives_the_card_the_trainer_writes_before_a_push(trained):
    trainer, callback = trained
    path = f"{trainer.args.output_dir}/README.md"
    trainer.create_model_card(model_name="tiny-bert")
    assert "evaluate-bias:begin v1" not in Path(path).read_text(encoding="utf-8")
    callback.on_push_begin(trainer.args, trainer.state, trainer.control)
    once = Path(path).read_text(encoding="utf-8")
    assert once.count("evaluate-bias:begin v1") == 1
    callback.on_push_begin(trainer.args, trainer.state, trainer.control)
    assert Path(path).read_text(encoding="utf-8") == once


def test_only_the_main_process_measures(trained, tmp_path):
    trainer, _ = trained
    other = BiasCardCallback(METHODS)
    trainer.state.is_world_process_zero = False
    other.on_train_end(trainer.args, trainer.state, trainer.control, model=trainer.model)
    assert other.results == []


@pytest.mark.filterwarnings("ignore:.*'pin_memory'")
def test_what_fails_is_a_warning_and_training_goes_on(tmp_path):
    callback = BiasCardCallback({"weat": {}, **METHODS}, model_name="mine")
    with pytest.warns(
        UserWarning, match="evaluate-bias cannot measure weat: weat needs a model that embeds words"
    ):
        trainer = train(tmp_path / "tiny-bert", callback)
    assert trainer.state.global_step == 2
    assert [r.method for r in callback.results] == ["crows_pairs", "aul"]
    assert "mine" in (tmp_path / "tiny-bert" / "README.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:.*'pin_memory'")
def test_an_error_that_is_not_of_this_library_is_a_warning_too(tmp_path, monkeypatch):
    def stumble(*args, **options):
        raise RuntimeError("out of memory")

    monkeypatch.setattr("evaluate_bias.integrations.trainer.measure", stumble)
    with pytest.warns(UserWarning, match="cannot measure aul: out of memory"):
        trainer = train(tmp_path / "tiny-bert", BiasCardCallback({"aul": METHODS["aul"]}))
    assert trainer.state.global_step == 2
    assert trainer.model.training


def test_the_method_of_the_usual_pairs_is_measured_unless_told_otherwise():
    assert list(BiasCardCallback().methods) == ["crows_pairs"]


def test_a_card_that_cannot_be_written_is_a_warning(tmp_path):
    folder = tmp_path / "tiny-bert"
    folder.mkdir()
    (folder / "README.md").write_bytes(b"\xff\xfe\x00 is no text")
    callback = BiasCardCallback({"aul": METHODS["aul"]})
    with pytest.warns(UserWarning, match="cannot write the bias section of the card"):
        trainer = train(folder, callback)
    assert trainer.state.global_step == 2
    assert (folder / "bias_results.jsonl").exists()


def test_nothing_measured_writes_nothing(tmp_path):
    with pytest.warns(UserWarning, match="cannot measure weat"):
        train(tmp_path / "tiny-bert", BiasCardCallback(["weat"]))
    assert not (tmp_path / "tiny-bert" / "README.md").exists()
    assert not (tmp_path / "tiny-bert" / "bias_results.jsonl").exists()


def test_unknown_methods_are_told_before_training():
    with pytest.raises(UnknownNameError, match="did you mean 'crows_pairs'"):
        BiasCardCallback(["crows_pears"])
