"""What masked and causal models share: tokens, skips, limits, warnings, identity."""

import json
import warnings

import pytest
import transformers

from evaluate_bias.errors import CapabilityError
from evaluate_bias.models.alignment import Encoded, UnknownTokenWarning, encode_batch
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Skipped
from tests.support.refusals import refused
from tests.support.tiny_models import (
    MASKED,
    byte_tokenizer,
    tiny_masked,
    unigram_tokenizer,
    wordpiece_tokenizer,
)

TOKENIZERS = {
    "wordpiece": wordpiece_tokenizer,
    "bytes": byte_tokenizer,
    "unigram": unigram_tokenizer,
}


@pytest.fixture
def bert():
    return load_transformer(tiny_masked("bert"))


@pytest.fixture(params=sorted(TOKENIZERS))
def tokenizer(request):
    return TOKENIZERS[request.param]()


# -- alignment -------------------------------------------------------------------------------------------------------


def test_special_tokens_never_count(tokenizer):
    item = encode_batch(tokenizer, ["The nurse said she left."])[0]
    assert item.ids[0] == tokenizer.cls_token_id
    assert item.ids[-1] == tokenizer.sep_token_id
    assert item.positions == tuple(range(1, len(item.ids) - 1))


def test_a_words_tokens_are_found_by_its_characters(tokenizer):
    text = "The unfriendly nurse left."
    item = encode_batch(tokenizer, [text])[0]
    start = text.index("unfriendly")
    positions = item.span_positions(start, start + len("unfriendly"))
    assert len(positions) > 1
    found = tokenizer.decode([item.ids[p] for p in positions]).replace(" ", "")
    assert found == "unfriendly"


def test_only_the_second_text_of_a_pair_counts(tokenizer):
    item = encode_batch(tokenizer, ["The nurse left."], ["She said so."])[0]
    alone = tokenizer("She said so.", add_special_tokens=False)["input_ids"]
    assert item.tokens == tuple(alone)
    assert item.text == "The nurse left. She said so."


def test_a_tokenizer_in_python_is_scored_but_has_no_words():
    slow = transformers.CanineTokenizer()
    item = encode_batch(slow, ["he"])[0]
    assert item == Encoded("he", (slow.cls_token_id, ord("h"), ord("e"), slow.sep_token_id), (1, 2))
    refused(CapabilityError, "gives no character offsets", item.span_positions, 0, 3)
    refused(CapabilityError, "which tokens form a word", item.later_pieces, 1)
    refused(CapabilityError, "which token belongs to which text", encode_batch, slow, ["the nurse"], ["left"])


# -- bad input -------------------------------------------------------------------------------------------------------


def test_an_empty_text_is_a_skip(bert):
    texts = ["", "\n\t", "\u2003"]
    assert bert.encode(texts) == [Skipped(text, "the text is empty") for text in texts]


@pytest.mark.parametrize("family", sorted(MASKED))
def test_a_text_longer_than_the_limit_is_skipped_and_never_cut(family):
    model = load_transformer(tiny_masked(family))
    limit = model.max_tokens
    assert limit == (62 if "roberta" in family else 64)
    texts = ["he " * n for n in range(1, 120)]
    items = model.encode(texts)
    lengths = [len(model.tokenizer(text)["input_ids"]) for text in texts]
    assert [isinstance(item, Encoded) for item in items] == [length <= limit for length in lengths]
    assert f"more than the {limit} that {model.name} can read" in items[-1].reason
    longest = max((item for item in items if isinstance(item, Encoded)), key=lambda item: len(item.ids))
    assert len(model.pseudo_logprobs([longest], positions=[(1,)])[0]) == 1


# -- unknown tokens --------------------------------------------------------------------------------------------------


def test_many_unknown_tokens_warn_once_and_are_recorded(bert):
    strange = ["护 士 说 她 累 了 因 为 工 作"]
    with pytest.warns(UnknownTokenWarning, match=r"10 of 10 tokens are unknown") as caught:
        bert.encode(strange)
    assert caught[0].filename == __file__
    (warning,) = bert.warnings
    assert "vocabulary does not cover this language" in warning
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bert.encode(strange)


@pytest.mark.slow
def test_the_korean_model_with_the_wrong_tokenizer_names_the_cause():
    from evaluate_bias.assets import fetch

    folder = fetch("albert-kor-base")
    texts = ["나는 학교에 갑니다.", "그녀는 의사이고 그는 간호사이다.", "오늘 날씨가 좋습니다."]
    wrong = load_transformer(folder, allow_pickle=True)
    with pytest.warns(UnknownTokenWarning, match=r"of the wrong class.*BertTokenizerFast"):
        wrong.encode(texts)
    right = load_transformer((wrong.model, transformers.BertTokenizerFast.from_pretrained(folder)))
    items = [item for item in right.encode(texts) if isinstance(item, Encoded)]
    assert right.warnings == []
    assert all(scores.sum() / len(scores) > -5 for scores in right.pseudo_logprobs(items))


# -- identity --------------------------------------------------------------------------------------------------------


def test_provenance_is_json_and_follows_the_weights(bert):
    facts = json.loads(json.dumps(bert.provenance()))
    assert facts["architecture"] == "BertForMaskedLM"
    assert facts["dtype"] == "float32"
    assert facts["device"] == "cpu"
    assert facts["parameters"] == sum(p.numel() for p in bert.model.parameters())
    assert set(facts["versions"]) >= {"torch", "transformers", "evaluate-bias"}
    same = load_transformer(tiny_masked("bert")).provenance()
    other = load_transformer(tiny_masked("bert", seed=1)).provenance()
    assert same["weights_sha256"] == facts["weights_sha256"] != other["weights_sha256"]
