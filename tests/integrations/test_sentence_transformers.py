"""The evaluator, in a real training run of a tiny SentenceTransformer."""

import pytest
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

import evaluate_bias as eb
from evaluate_bias.integrations.sentence_transformers import bias_evaluator
from evaluate_bias.integrations.trainer import BiasCardCallback
from tests.support.tiny_models import CORPUS, tiny_masked

pytestmark = pytest.mark.slow

SEAT = {"seat": {"tests": ["weat6", "weat7"], "representation": "own", "n_resamples": 99, "ci_resamples": 99}}


@pytest.fixture
def model(tmp_path):
    inner, tokenizer = tiny_masked("bert")
    inner.save_pretrained(tmp_path / "base")
    tokenizer.save_pretrained(tmp_path / "base")
    return SentenceTransformer(
        modules=[Transformer(str(tmp_path / "base")), Pooling(32, "mean")], device="cpu"
    )


def train(model, folder, evaluator, callbacks=(), **options):
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=str(folder),
            max_steps=2,
            per_device_train_batch_size=2,
            eval_strategy="steps",
            **{"eval_steps": 1, "report_to": [], "use_cpu": True, "disable_tqdm": True, **options},
        ),
        train_dataset=Dataset.from_dict({"anchor": CORPUS[:4], "positive": CORPUS[1:5]}),
        loss=MultipleNegativesRankingLoss(model),
        evaluator=evaluator,
        callbacks=list(callbacks),
    )
    trainer.train()
    return trainer


def test_scores_of_each_evaluation_are_those_of_measuring_the_model(model, tmp_path):
    evaluator = bias_evaluator(SEAT)
    trainer = train(model, tmp_path / "out", evaluator)
    logged = [e for e in trainer.state.log_history if "eval_bias/seat/overall" in e]
    assert [e["step"] for e in logged] == [1, 2]
    now = eb.measure("seat", model, **SEAT["seat"])
    assert logged[-1]["eval_bias/seat/overall"] == pytest.approx(now.score, rel=1e-6)
    assert logged[-1]["eval_bias/seat/nearness"] == pytest.approx(-abs(now.score - now.reference), rel=1e-6)
    assert {k for k in logged[-1] if k.startswith("eval_bias/")} == {
        f"eval_bias/seat/{row}" for row in ("overall", "nearness", "weat6", "weat7")
    }
    assert logged[0]["eval_bias/seat/overall"] != logged[1]["eval_bias/seat/overall"]
    assert [r.method for r in evaluator.results] == ["seat"]
    assert model.model_card_data.eval_results_dict[evaluator].keys() >= {"bias/seat/overall"}


@pytest.mark.nightly
def test_the_nearest_model_can_be_kept(model, tmp_path):
    best = {
        "load_best_model_at_end": True,
        "metric_for_best_model": "bias/seat/nearness",
        "greater_is_better": True,
    }
    state = train(model, tmp_path / "out", bias_evaluator(SEAT), save_steps=1, **best).state
    key = "eval_bias/seat/nearness"
    assert state.best_metric == max(entry[key] for entry in state.log_history if key in entry)


def test_the_callback_measures_a_sentence_transformer_under_its_own_name(model, tmp_path):
    callback = BiasCardCallback(SEAT)
    train(model, tmp_path / "tuned", bias_evaluator(SEAT), [callback])
    (result,) = callback.results
    assert result.provenance["model"]["name"] == "tuned"
    assert result.score == pytest.approx(eb.measure("seat", model, **SEAT["seat"]).score, rel=1e-6)
    assert "tuned" in (tmp_path / "tuned" / "README.md").read_text(encoding="utf-8")
