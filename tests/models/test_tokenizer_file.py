"""The tokens are those of tokenizer.json, or a result says that they are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import Tokenizer, normalizers

import evaluate_bias as eb
from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models.completions import BLANK, GenerationSettings
from evaluate_bias.models.tokenizer_file import with_stripped_mask
from tests.support.refusals import refused
from tests.support.tiny_models import (
    CORPUS,
    SIZES,
    byte_tokenizer,
    tiny_masked,
    unigram_tokenizer,
    wordpiece_tokenizer,
)

Make = Callable[..., Path]
UNIGRAM = ("XLMRobertaTokenizer", "CamembertTokenizer", "DebertaV2Tokenizer", "AlbertTokenizer")
BYTES = ("RobertaTokenizer", "GPT2Tokenizer", "Qwen2Tokenizer")
EIGHT = [*((unigram_tokenizer, name) for name in UNIGRAM), *((byte_tokenizer, name) for name in BYTES)]
EIGHT.append((byte_tokenizer, "PreTrainedTokenizerFast"))


@pytest.fixture
def make(tmp_path):
    """A folder with one BERT, one tokenizer.json that has a normaliser of its own, and a class to read it with."""

    def folder(made, name, normalizer=None):
        marks = made(bert_marks=True) if name in ("DebertaV2Tokenizer", "AlbertTokenizer") else made()
        file = Tokenizer.from_str(marks.backend_tokenizer.to_str())
        file.normalizer = normalizer or normalizers.Sequence(
            [normalizers.Replace("she", "he"), normalizers.Lowercase()]
        )
        file.save(str(tmp_path / "tokenizer.json"))
        names = {
            f"{kind}_token": getattr(marks, f"{kind}_token") for kind in ("unk", "pad", "cls", "sep", "mask")
        }
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name, **names}))
        torch.manual_seed(0)
        config = transformers.BertConfig(vocab_size=file.get_vocab_size(), **SIZES)
        transformers.BertForMaskedLM(config).save_pretrained(tmp_path)
        return tmp_path

    return folder


def pll(model: Any) -> Any:
    return eb.measure("pll", model, source="minimal_pairs", limit=12)


@pytest.mark.parametrize(("made", "name"), EIGHT, ids=[name for _, name in EIGHT])
def test_the_same_weights_and_tokenizer_json_have_one_score_or_a_warning(made, name, make):
    """The truth is a pair with a tokenizer that has nothing but the file."""
    folder = make(made, name)
    plain = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    expected = pll((model, plain)).score
    loaded = eb.load_model(folder, tokenizer="file")
    as_filed = pll(loaded)
    assert as_filed.score == expected
    assert not any("tokenizer.json" in warning for warning in as_filed.warnings)
    assert loaded.provenance()["tokenizer_file"] == "tokenizer.json"

    bare = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    assert sum("`tokenizer` to 'file'" in w for w in pll(bare).warnings) == (
        name != "PreTrainedTokenizerFast"
    )
    found = pll(folder)
    (*said,) = (warning for warning in found.warnings if "`tokenizer` to 'file'" in warning)
    assert len(said) == (name != "PreTrainedTokenizerFast")
    if said:
        assert name in said[0]
        assert transformers.__version__ in said[0]
        assert "Anna" in said[0]
    else:
        assert found.score == expected


def test_a_difference_in_the_measured_texts_alone_is_found(make):
    """The sentence that is tried at loading holds no accent; every measurement of the model says it once."""
    folder = make(byte_tokenizer, "RobertaTokenizer", normalizers.Replace("ç", "c"))
    model: Any = eb.load_model(folder)
    assert not any("`tokenizer` to 'file'" in warning for warning in model.warnings)
    model.encode(["Nothing here.", "Nothing here."])
    assert not any("`tokenizer` to 'file'" in warning for warning in model.warnings)
    for texts in (["Ça va?", "Le garçon."], ["Plain."]):
        with model.separate_warnings():
            model.encode(texts)
            assert sum("Le garçon" in warning for warning in model.warnings) == 1


def test_a_folder_without_the_file_says_once_that_nothing_is_checked(make, tmp_path):
    folder = make(wordpiece_tokenizer_plain, "BertTokenizer", normalizers.BertNormalizer())
    vocabulary = transformers.AutoTokenizer.from_pretrained(folder).get_vocab()
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)))
    (folder / "tokenizer.json").unlink()
    warnings = pll(folder).warnings
    assert [("BertTokenizer" in w) for w in warnings if "no tokenizer.json" in w] == [True]
    refused(ModelError, r"has no tokenizer\.json", eb.load_model, folder, tokenizer="file")
    refused(InputError, "is for a Hub id or a folder", lambda: eb.load_model(tiny_masked(), tokenizer="file"))
    refused(InputError, "`tokenizer` must be", eb.load_model, folder, tokenizer="slow")
    assert not any("tokenizer.json" in w for w in pll(tiny_masked()).warnings)


def wordpiece_tokenizer_plain(**_: Any) -> Any:
    return wordpiece_tokenizer()


# -- masks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [byte_tokenizer, unigram_tokenizer, wordpiece_tokenizer])
def test_no_blank_piece_stands_before_a_mask(made):
    tokenizer = made()
    stripped, remark = with_stripped_mask(tokenizer)
    mask = tokenizer.mask_token
    ids = stripped(f"The {mask} left", add_special_tokens=False)["input_ids"]
    word, rest = (tokenizer(t, add_special_tokens=False)["input_ids"] for t in ("The", f"{mask} left"))
    assert ids == word + rest[rest.index(tokenizer.mask_token_id) :]
    assert bool(remark) == (stripped is not tokenizer) == (made is not wordpiece_tokenizer)
    assert with_stripped_mask(stripped) == (stripped, "")
    for text in CORPUS:
        assert stripped(text)["input_ids"] == tokenizer(text)["input_ids"]


def test_a_roberta_of_vocabulary_and_merges_reads_masks_as_in_training(tmp_path):
    model, tokenizer = tiny_masked("roberta")
    model.save_pretrained(tmp_path)
    state = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    (tmp_path / "vocab.json").write_text(json.dumps(state["vocab"]))
    (tmp_path / "merges.txt").write_text(
        "\n".join(["#version: 0.2", *(" ".join(m) for m in state["merges"])])
    )
    assert not any("blank piece" in warning for warning in pll(tmp_path).warnings)  # no mask in these texts
    loaded: Any = eb.load_model(tmp_path)
    (item,) = loaded.encode([f"The {loaded.mask_token} left."])
    assert [loaded.tokenizer.convert_ids_to_tokens(i) for i in item.tokens][:2] == ["The", "<mask>"]
    assert sum("blank piece" in warning for warning in loaded.warnings) == 1
    with loaded.separate_warnings():
        assert not any("blank piece" in warning for warning in loaded.warnings)
        loaded.complete([f"The {BLANK} left."] * 2, GenerationSettings())
        assert sum("blank piece" in warning for warning in loaded.warnings) == 1
