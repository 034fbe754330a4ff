"""Sentence pairs to numbers: every scoring against the slow way, alignment, skips, and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.data.sentence_pairs import SentencePair
from evaluate_bias.errors import DataError, UndefinedScoreError
from evaluate_bias.methods import pair_scoring
from evaluate_bias.methods.pair_scoring import PairScores, Scoring, changed_positions, shared_positions
from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.transformer import load_transformer
from tests.support import naive_scoring as naive
from tests.support.tiny_models import tiny_causal, tiny_masked

PAIRS = [
    ("The nurse said she left.", "The nurse said he left."),
    ("The old grandmother plays football!", "The unfriendly old grandmother never plays football!"),
    ("Nobody believed the unkindness of women.", "Nobody believed the unkindness of his daughters, perhaps."),
    ("the the the engineer", "the engineer the"),
    ("People from the north are hardworking and uncommunicative..", "People from the south are hardworking."),
    ("The nurse said she left.", "The nurse said he left."),
]
MASKED_SCORINGS = ("crows_pairs", "pll", "pll_mean", "within_word_l2r", "changed_tokens", "aul", "aula")
UNKNOWN = "ignore::evaluate_bias.models.alignment.UnknownTokenWarning"
FAMILIES = ("bert", "roberta", "albert")


def rows(pairs: Any = PAIRS, **fields: Any) -> list[dict[str, Any]]:
    return [{"sent_more": more, "sent_less": less, **fields} for more, less in pairs]


def score(model: Any, data: Any, scoring: Scoring = "crows_pairs", **options: Any) -> PairScores:
    return pair_scoring.score_pairs(model, data, scoring, method="test", **options)


def load(pair: tuple[Any, Any], **options: Any) -> Any:
    return load_transformer(pair, progress=False, **options)


def pairs_of(scores: PairScores) -> list[tuple[float, float]]:
    return list(zip(scores.more.tolist(), scores.less.tolist(), strict=True))


# -- every scoring against the slow way ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "scoring"),
    [(f, s) for f in FAMILIES for s in MASKED_SCORINGS]
    + [(f, "aula") for f in ("distilbert", "electra", "xlm-roberta")],
)
def test_masked_scores_equal_one_mask_at_a_time(family: str, scoring: Scoring) -> None:
    model, tokenizer = tiny_masked(family)
    # An inserted word changes nothing in the shorter sentence, and pair 3 is an insertion for some tokenizers.
    scores = score(load((model, tokenizer), batch_tokens=70), rows(), scoring, lower=False)
    expected = {
        i: naive.pair_scores(model, tokenizer, *PAIRS[i], scoring) for i in dict.fromkeys(scores.index)
    }
    assert len(scores.index) + len(scores.skipped) == len(PAIRS)
    assert len(scores.skipped) <= (2 if scoring == "changed_tokens" else 0)
    for i, found in zip(scores.index, pairs_of(scores), strict=True):
        assert found == pytest.approx(expected[i], rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("scoring", ["causal", "causal_mean"])
@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_causal_scores_equal_one_text_at_a_time(family: str, scoring: Scoring) -> None:
    model, tokenizer = tiny_causal(family)
    scores = score(load((model, tokenizer)), rows(), scoring, lower=False)
    for (more, less), found in zip(PAIRS, pairs_of(scores), strict=True):
        expected = [naive.sentence_score(model, tokenizer, text, scoring) for text in (more, less)]
        # The sum of a sentence is around -180, where float32 steps by 1.5e-5; the order of sums depends on the batch.
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-5)


@pytest.mark.filterwarnings(UNKNOWN)
def test_capitals_are_dropped_only_for_models_that_drop_them() -> None:
    capitals = [("The NURSE said she left.", "The NURSE said he left.")]
    uncased, cased = load(tiny_masked("bert")), load(tiny_masked("distilbert"))
    assert uncased.is_uncased
    assert not cased.is_uncased
    assert score(uncased, rows(capitals)).lowered is True
    kept, lowered = score(cased, rows(capitals)), score(cased, rows(capitals), lower=True)
    assert (kept.lowered, lowered.lowered) == (False, True)
    assert pairs_of(lowered) == pairs_of(score(cased, rows([tuple(s.lower() for s in capitals[0])])))
    assert abs(kept.more[0] - lowered.more[0]) > 1e-3


# -- alignment -------------------------------------------------------------------------------------------------------


def text(*tokens: int, specials: tuple[int, int] | None = (1, 2)) -> Encoded:
    ids = tokens if specials is None else (specials[0], *tokens, specials[1])
    first = 0 if specials is None else 1
    return Encoded("", tuple(ids), tuple(range(first, first + len(tokens))))


def test_a_special_token_that_the_text_spells_out_is_not_shared_with_the_real_one() -> None:
    # [CLS] 5 [SEP] against [CLS] 5 [SEP] 6 [SEP], the inner one written by the user.
    spelt = Encoded("", (1, 5, 2, 6, 2), (1, 2, 3))
    assert shared_positions(text(5), spelt) == ([1], [1])


tokens = st.lists(st.integers(3, 8), min_size=1, max_size=12)


@given(tokens, tokens)
def test_alignment_is_that_of_the_published_code(first: list[int], second: list[int]) -> None:
    a, b = text(*first), text(*second)
    expected = naive.shared(a.ids, b.ids)[1:-1]
    assert list(zip(*shared_positions(a, b), strict=True)) == expected


@given(tokens, tokens)
def test_shared_and_changed_positions_part_the_tokens(first: list[int], second: list[int]) -> None:
    a, b = text(*first), text(*second)
    ours, theirs = shared_positions(a, b)
    assert [a.ids[p] for p in ours] == [b.ids[p] for p in theirs]
    mine, other = changed_positions(a, b)
    assert sorted(ours + mine) == list(a.positions)
    assert sorted(theirs + other) == list(b.positions)


# -- skips: listed with their reason ---------------------------------------------------------------------------------


def test_what_cannot_be_scored_is_listed_and_the_rest_keeps_its_place(bert: Any) -> None:
    long = " ".join(["nurse"] * 80)
    tokens = len(bert.tokenizer(long)["input_ids"])
    data = [
        {"sent_more": "she left", "sent_less": "he left", "exclude": True, "id": "out"},
        *rows(PAIRS[:1]),
        {"sent_more": "The same.", "sent_less": "The same."},
        {"sent_more": long, "sent_less": "he left", "id": "long"},
        {"sent_more": "nurse", "sent_less": "doctor", "id": "apart"},
        {"sent_more": "She left.", "sent_less": "she left."},
        SentencePair(sent_more="the engineer left", sent_less="the nurse left"),
    ]
    scores = score(bert, data)
    assert scores.index == (1, 6)
    assert scores.coverage.to_dict() == {"found": 2, "asked": 7, "share": 2 / 7}
    assert [p.id for p in scores.pairs] == ["1", "6"]
    assert [(s.item, s.reason, s.where) for s in scores.skipped] == [
        ("out", "excluded by its column 'exclude'", ""),
        ("2", "the two sentences are identical", ""),
        ("long", f"{tokens} tokens, more than the 64 that {bert.name} can read", "sent_more"),
        ("apart", "the two sentences share no token", ""),
        ("5", "the two sentences are identical", ""),
    ]
    assert score(bert, data, "pll").index == (1, 4, 6)


def test_an_insertion_has_nothing_changed_on_one_side(bert: Any) -> None:
    data = rows([("the nurse left", "the old nurse left"), PAIRS[0]])
    scores = score(bert, data, "changed_tokens")
    assert scores.index == (1,)
    assert scores.skipped[0].where == "sent_more"
    assert "nothing changed" in scores.skipped[0].reason


def test_when_nothing_is_left_the_first_reason_is_told(bert: Any) -> None:
    with pytest.raises(UndefinedScoreError, match="the two sentences are id"):
        score(bert, rows([("same", "same"), ("nurse", "doctor")]))
    with pytest.raises(UndefinedScoreError, match="excluded"):
        score(bert, rows(PAIRS, exclude=True))
    with pytest.raises(UndefinedScoreError, match="at least one row"):
        score(bert, [])


# -- ready scores ----------------------------------------------------------------------------------------------------


def test_ready_scores_are_taken_as_they_are() -> None:
    data = [
        {"sent_more": -1, "sent_less": np.float32(-2.5), "id": 7, "bias_type": "age"},
        {"sent_more": np.int64(3), "sent_less": -0.25, "stereo_antistereo": "antistereo"},
        {"sent_more": float("nan"), "sent_less": 1.0, "exclude": "true"},
    ]
    scores = score(None, data)
    assert pairs_of(scores) == [(-1.0, -2.5), (3.0, -0.25)]
    assert [(p.id, p.bias_type, p.stereo_antistereo) for p in scores.pairs] == [
        ("7", "age", None),
        ("1", "", "antistereo"),
    ]
    assert [s.item for s in scores.skipped] == ["2"]
    assert scores.lowered is None


@pytest.mark.parametrize("first", [0.5, "she left"])
def test_rows_follow_the_schema_whether_they_hold_sentences_or_scores(first: Any, bert: Any) -> None:
    model = bert if isinstance(first, str) else None
    good = {"sent_more": first, "sent_less": first}
    for bad, message in [
        ({"bias_typ": "age"}, "there is no field 'bias_typ'"),
        ({"stereo_antistereo": "Stereo"}, "stereo_antistereo"),
        ({"bias_type": 3}, "bias_type must be a string"),
        ({"sent_less": None}, "the field 'sent_less' is missing"),
        ({"sent_more_par": first}, "sent_less_par is absent and sent_more_par is given"),
        ({"exclude": "maybe"}, "exclude"),
    ]:
        with pytest.raises(DataError, match=rf"pair 1 of 1 \(counted from 1\): .*{message}"):
            score(model, [{**good, **bad}])


@pytest.mark.parametrize("scoring", [*MASKED_SCORINGS, "causal", "causal_mean"])
def test_an_empty_sentence_is_a_listed_skip(bert: Any, scoring: Scoring) -> None:
    model = load(tiny_causal("gpt2")) if scoring.startswith("causal") else bert
    scores = score(model, rows([("", "he left"), PAIRS[0], ("she left", " \t\n"), ("", "")]), scoring)
    assert scores.index == (1,)
    assert [(s.item, s.reason, s.where) for s in scores.skipped] == [
        ("0", "the text is empty", "sent_more"),
        ("2", "the text is empty", "sent_less"),
        ("3", "the text is empty", "sent_more"),
    ]
    with pytest.raises(UndefinedScoreError, match="none of the 1 pairs .*: the text is empty"):
        score(model, rows([("she left", "")]), scoring)


def test_an_empty_sentence_never_reaches_a_model_of_the_users_own() -> None:
    class Plain(naive.StubMaskedLM):
        def encode(self, texts: Any) -> Any:
            assert all(texts)
            return super().encode(texts)

    model = Plain({"the nurse": [-1.0, -2.0], "the doctor": [-1.0, -3.0]})
    scores = score(model, rows([("the nurse", "the doctor"), ("the nurse", "")]), "aul")
    assert scores.index == (0,)
