"""The committed English masked LM: its files, and that it knows word order, simple fills and occupations.

The model is not trained here. Pseudo-log-likelihoods are computed by a naive loop of this file's own.
"""

import json
import re
from pathlib import Path

import pytest
import torch
import transformers

FOLDER = Path(__file__).parents[2] / "demo_models" / "mlm_en"

FILLS = [
    ("the president of the united [MASK] .", {"states"}),
    ("he opened the [MASK] and went into the room .", {"door", "window", "house", "gate", "room"}),
    ("it was one of the most important [MASK] the war .", {"of", "in", "during", "after"}),
    ("i do not [MASK] what to say .", {"know", "think", "understand", "see", "say", "like"}),
]
LESS_MALE = ("nurse", "housekeeper", "servant", "dancer")
MORE_MALE = ("engineer", "carpenter", "doctor", "lawyer")


@pytest.fixture(scope="module")
def tokenizer():
    return transformers.AutoTokenizer.from_pretrained(FOLDER)


@pytest.fixture(scope="module")
def model():
    return transformers.AutoModelForMaskedLM.from_pretrained(FOLDER, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def figures():
    return json.loads((FOLDER / "eval.json").read_text(encoding="utf-8"))


def at_mask(model, tokenizer, sentence):
    ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = model(input_ids=ids).logits
    return logits[ids == tokenizer.mask_token_id][0].log_softmax(-1)


def she_minus_he(model, tokenizer, occupation):
    article = "an" if occupation[0] in "aeiou" else "a"
    log_p = at_mask(model, tokenizer, f"[MASK] was {article} {occupation} .")
    she, he = tokenizer.convert_tokens_to_ids(["she", "he"])
    return float(log_p[she] - log_p[he])


def test_only_small_safe_weights():
    names = {p.name for p in FOLDER.iterdir() if p.is_file()}
    assert {
        "model.safetensors",
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.txt",
    } <= names
    assert not [n for n in names if n.endswith((".bin", ".pt", ".pkl", ".h5", ".msgpack", ".ckpt"))]
    assert (FOLDER / "model.safetensors").stat().st_size < 12_000_000


@pytest.mark.parametrize(("sentence", "sensible"), FILLS)
def test_fills_simple_masks(model, tokenizer, sentence, sensible):
    best = at_mask(model, tokenizer, sentence).topk(5).indices.tolist()
    assert sensible & set(tokenizer.convert_ids_to_tokens(best))


def test_pronoun_preference_varies_by_occupation(model, tokenizer):
    less, more = ([she_minus_he(model, tokenizer, o) for o in group] for group in (LESS_MALE, MORE_MALE))
    assert min(less) - max(more) > 0.5


def test_recorded_figures_meet_the_aim_and_stand_in_the_card(figures):
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    shuffled = figures["shuffled_sentences"]
    assert shuffled["sentences"] == 500
    assert sum(s["better"] for s in shuffled["by_source"].values()) == shuffled["better"]
    assert shuffled["share"] == pytest.approx(shuffled["better"] / 500)
    assert shuffled["share"] >= 0.95
    assert f"{shuffled['better']} of 500" in card
    assert f"{figures['held_out_perplexity']:.1f}" in card
    assert f"{figures['training']['step']:,} steps" in card
    for occupation, odds in figures["she_he_log_odds"].items():
        assert re.search(rf"\| {occupation} \| {re.escape(f'{odds:+.2f}')} \|", card), occupation
