"""The Trainer callback, in a real training run of a tiny model."""

import copy
from pathlib import Path

import pytest
import torch
import transformers

from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.integrations.trainer import BiasCardCallback
from evaluate_bias.report.card import card
from tests.support.refusals import refused
from tests.support.tiny_models import CORPUS, tiny_masked

METHODS = {"crows_pairs": {"source": None, "bias_types": "age"}, "aul": {"source": None, "bias_types": "age"}}


class Tracker(transformers.TrainerCallback):
    """What W&B, MLflow and the like do: take what is logged until the training has ended."""

    def __init__(self):
        self.seen, self.late, self.ended = [], [], False

    def on_log(self, args, state, control, logs=None, **_):
        (self.late if self.ended else self.seen).append((state.global_step, dict(logs)))

    def on_train_end(self, *_, **__):
        self.ended = True

    def bias(self):
        return [
            (step, {k: v for k, v in logs.items() if k.startswith("eval_bias/")})
            for step, logs in self.seen
            if any(k.startswith("eval_bias/") for k in logs)
        ]


def train(folder, *callbacks, **options):
    trainer = new_trainer(folder, *callbacks, **options)
    torch.manual_seed(0)
    trainer.train()
    return trainer


def new_trainer(folder, *callbacks, **options):
    model, tokenizer = tiny_masked("bert")
    model = copy.deepcopy(model)
    model.config._name_or_path = "org/base-model"
    examples = [tokenizer(text) for text in CORPUS]
    collator = transformers.DataCollatorForLanguageModeling(tokenizer)
    return transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(folder),
            **{"max_steps": 2, **options},
            per_device_train_batch_size=2,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=examples,
        eval_dataset=examples[:2],
        data_collator=collator,
        processing_class=tokenizer,
        callbacks=list(callbacks),
    )


@pytest.fixture
def trained(tmp_path):
    callback = BiasCardCallback(METHODS)
    return train(tmp_path / "tiny-bert", callback), callback


def test_results_and_section_are_written_after_training(trained):
    trainer, callback = trained
    folder = trainer.args.output_dir
    card = Path(folder, "README.md").read_text(encoding="utf-8")
    assert [card.count(text) > 0 for text in ("tiny-bert", "base-model")] == [True, False]
    written = read_results(f"{folder}/bias_results.jsonl")
    assert [r.method for r in written] == ["crows_pairs", "aul"]
    assert written == callback.results
    assert {r.provenance["model"]["source"] for r in written} == {"tiny-bert"}
    assert trainer.model.training  # put back as it was


def test_the_card_says_what_the_training_changed(tmp_path):
    callback = BiasCardCallback({"aul": METHODS["aul"]})
    trainer = train(tmp_path / "tiny-bert", callback, learning_rate=0.5)
    (before,), (after,) = callback.before, callback.results
    assert before.score != after.score
    assert read_results(tmp_path / "tiny-bert" / "bias_results_before.jsonl") == [before]
    bare = card([after], tmp_path / "README.md", model="tiny-bert").text
    (tmp_path / "since").mkdir()
    since = card([after], tmp_path / "since" / "README.md", model="tiny-bert", since=[before]).text
    written = (tmp_path / "tiny-bert" / "README.md").read_text(encoding="utf-8")
    assert written == since != bare
    resumed = BiasCardCallback({"aul": METHODS["aul"]})
    trainer.state.global_step = 1
    resumed.on_train_begin(
        trainer.args, trainer.state, trainer.control, trainer.model, processing_class=trainer.processing_class
    )
    assert (resumed.before, resumed.results) == ([before], [])


def test_the_section_survives_every_card_that_the_trainer_writes(trained):
    trainer, callback = trained
    path = Path(trainer.args.output_dir, "README.md")
    path.unlink()
    trainer.create_model_card(model_name="tiny-bert", language="en")
    once = path.read_text(encoding="utf-8")
    assert (once.count("evaluate-bias:begin"), once.count("language: en")) == (1, 0)
    callback.on_push_begin(trainer.args, trainer.state, trainer.control)
    assert path.read_text(encoding="utf-8") == once


def test_the_tokenizer_may_be_that_of_the_data_collator_but_must_be_there(tmp_path):
    callback = BiasCardCallback({"aul": METHODS["aul"]})
    trainer = new_trainer(tmp_path / "tiny-bert", callback, max_steps=1)
    trainer.processing_class = trainer.callback_handler.processing_class = None
    trainer.train()
    assert [r.method for r in callback.results] == ["aul"]
    trainer.data_collator = transformers.default_data_collator
    with pytest.raises(InputError) as error:
        trainer.train()
    assert error.value.option == "processing_class"


@pytest.mark.filterwarnings("ignore:.*'pin_memory'")
def test_what_fails_is_a_warning_and_training_goes_on(tmp_path):
    callback = BiasCardCallback({"weat": {}, **METHODS}, model_name="mine")
    with pytest.warns(UserWarning, match="cannot measure weat: weat needs a model that embeds words"):
        trainer = train(tmp_path / "tiny-bert", callback)
    assert trainer.state.global_step == 2
    assert [r.method for r in callback.results] == ["crows_pairs", "aul"]
    assert "mine" in (tmp_path / "tiny-bert" / "README.md").read_text(encoding="utf-8")


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


def test_unknown_methods_are_told_before_training():
    for name in ("crows_pears", ["crows_pears"]):
        refused(UnknownNameError, "did you mean 'crows_pairs'", BiasCardCallback, name)
    refused(InputError, "the options of 'aul' must be a dict, got 3", BiasCardCallback, {"aul": 3})
    assert BiasCardCallback("AUL").methods == {"aul": {}}


# --- scores in the log ----------------------------------------------------------------------------------------


def overall(callback):
    return {f"eval_bias/{r.method}/overall": r.score for r in callback.results}


def test_scores_at_the_end_reach_the_trackers_before_these_close(tmp_path):
    callback, tracker = BiasCardCallback(METHODS), Tracker()
    trainer = train(tmp_path / "tiny-bert", tracker, callback)
    (begin, _), (step, scores) = tracker.bias()
    assert (begin, step) == (0, 2)
    assert tracker.late == []
    assert scores.items() >= overall(callback).items()
    assert {k.split("/")[1] for k in scores} == {"crows_pairs", "aul"}
    logged = [entry for entry in trainer.state.log_history if "eval_bias/aul/overall" in entry]
    assert [entry["step"] for entry in logged] == [0, 2]


@pytest.mark.parametrize(("every", "steps"), [(1, [0, 1, 2, 3, 4]), (3, [0, 3, 4]), (None, [0, 4])], ids=str)
def test_scores_at_chosen_evaluations(tmp_path, every, steps):
    callback, tracker = BiasCardCallback({"aul": METHODS["aul"]}, every=every), Tracker()
    train(tmp_path / "m", tracker, callback, max_steps=4, eval_strategy="steps", eval_steps=1)
    found = tracker.bias()
    # The end is measured once, though it is an evaluation as well.
    assert [step for step, _ in found] == steps
    assert found[-1][1].items() >= overall(callback).items()


def test_the_best_model_is_measured_where_that_is_kept(tmp_path):
    callback, tracker = BiasCardCallback({"aul": METHODS["aul"]}, every=1), Tracker()
    best = {"load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 1, "save_steps": 1}
    train(tmp_path / "m", tracker, callback, **best)
    assert [step for step, _ in tracker.bias()] == [0, 1, 2, 2]


def copy_with(trainer, callback, *, max_steps):
    """A trainer of the same model and folder, as in a new process."""
    args = copy.deepcopy(trainer.args)
    args.max_steps = max_steps
    names = ("model", "train_dataset", "eval_dataset", "data_collator", "processing_class")
    same = {name: getattr(trainer, name) for name in names}
    return transformers.Trainer(args=args, callbacks=[callback], **same)


@pytest.mark.filterwarnings("ignore:.*'pin_memory'")
def test_evaluation_on_several_data_sets_is_one(tmp_path, monkeypatch):
    from evaluate_bias.integrations import trainer as module

    callback, steps = BiasCardCallback({"aul": METHODS["aul"]}, every=2), []
    monkeypatch.setattr(module, "measured", lambda *given: steps.append(callback._measured_at) or [])
    first = train(tmp_path / "m", max_steps=1)
    trainer = copy_with(first, callback, max_steps=4)
    trainer.args.eval_strategy, trainer.args.eval_steps = "steps", 1
    trainer.eval_dataset = {"a": first.eval_dataset, "b": first.eval_dataset}
    trainer.train()
    assert steps == [0, 2, 4]
