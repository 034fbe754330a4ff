"""Shared passes: what was asked before is not computed again, and numbers stay those of a model asked alone."""

import numpy as np
import pytest

from evaluate_bias import api
from evaluate_bias.errors import DataError
from evaluate_bias.models import masked
from evaluate_bias.models.load import load_model
from evaluate_bias.models.score_memo import ScoreMemo
from tests.experiments.toy_grid import PAIRS
from tests.support.refusals import refused
from tests.support.tiny_models import SENTENCES, tiny_causal, tiny_masked

N_SENTENCES = len({pair[side] for pair in PAIRS for side in ("sent_more", "sent_less")})


def counted(model, monkeypatch):
    """The number of sequences that go through the model."""
    passes = []
    run = type(model)._run

    def watched(self, lengths, *args, **kwargs):
        passes.append(len(lengths))
        return run(self, lengths, *args, **kwargs)

    monkeypatch.setattr(type(model), "_run", watched)
    return passes


DOORS = {
    "pseudo": lambda m, e: m.pseudo_logprobs(e),
    "tokens": lambda m, e: m.token_logprobs(e),
    "sequence": lambda m, e: m.sequence_logprobs(e),
    "attention": lambda m, e: m.attended_logprobs(e),
    "embedding": lambda m, e: m.embed_in_context(
        [x.text for x in e], None, ["sentence_mean", "sentence_mean@0"]
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_second_time_costs_nothing_and_gives_the_same(door, monkeypatch):
    pair = tiny_causal() if door == "sequence" else tiny_masked()
    alone, shared = load_model(pair), load_model(pair)
    ask = DOORS[door]
    expected = ask(alone, alone.encode(SENTENCES))
    shared.memo = ScoreMemo()
    first = ask(shared, shared.encode(SENTENCES))
    passes = counted(shared, monkeypatch)
    again = ask(shared, shared.encode(SENTENCES[::-1]))[::-1]
    assert sum(passes) == 0
    for a, b, c in zip(expected, first, again, strict=True):
        assert np.array_equal(a, b)  # nothing was known: the very same batches
        assert np.array_equal(a, c)


def test_what_is_missing_is_computed_and_equal_to_rounding(monkeypatch):
    alone, shared = load_model(tiny_masked()), load_model(tiny_masked())
    shared.memo = ScoreMemo()
    encoded = shared.encode(SENTENCES)
    shared.pseudo_logprobs(encoded[:3])
    passes = counted(shared, monkeypatch)
    found = shared.pseudo_logprobs(encoded)
    assert 0 < sum(passes) < sum(len(e.positions) for e in encoded)
    for a, b in zip(alone.pseudo_logprobs(encoded), found, strict=True):
        assert b == pytest.approx(a, rel=1e-5)


def test_a_measurement_that_failed_leaves_nothing():
    memo = ScoreMemo()
    memo.scores("k", ["a"], lambda missing: [np.zeros(3)])
    memo.rollback()
    assert len(memo) == 0
    asked = []
    memo.scores("k", ["a"], lambda missing: asked.append(missing) or [np.zeros(3)])
    assert asked == [[0]]


@pytest.mark.parametrize("damaged", [b"no archive", b"PK\x03\x04"])
def test_damaged_scores_are_refused(damaged):
    refused(DataError, "kept scores cannot be read", lambda: ScoreMemo().restore(damaged))


@pytest.mark.filterwarnings("ignore:.*unknown to the tokenizer")
def test_a_warning_stands_in_the_result_whose_measurement_raised_it():
    model = load_model(tiny_masked())
    strange = [{k: f"жцщ ыэю жцщ ыэю {pair[k]}" for k in ("sent_more", "sent_less")} for pair in PAIRS]

    def warned(pairs, model=model):
        return [w for w in api.measure("pll", model, data=pairs).warnings if "unknown to the tokenizer" in w]

    assert not warned(PAIRS)
    (first,) = warned(strange)
    assert not warned(PAIRS)
    assert warned(strange) == [first]
    assert model.warnings == [first]


# -- methods that share passes ---------------------------------------------------------------------------------------


def outcome(method, model):
    result = api.measure(method, model, data=PAIRS)
    return result.score, result.p_value, result.to_dict()["rows"]


@pytest.mark.parametrize("methods", [("aul", "aula", "kldivs"), ("kldivs", "aula", "aul")])
def test_methods_on_whole_sentences_share_one_pass_in_any_order(methods, monkeypatch):
    alone = {method: outcome(method, load_model(tiny_masked())) for method in methods}
    model = load_model(tiny_masked())
    model.memo = ScoreMemo()
    passes = counted(model, monkeypatch)
    together = {}
    for method in methods:
        together[method] = outcome(method, model)
        model.memo.commit()
    assert passes == [N_SENTENCES, 0, 0] or passes == [N_SENTENCES]
    assert together == alone  # to the last bit


def test_methods_that_go_on_after_a_restored_memo_give_the_same_bits(monkeypatch):
    one, other = load_model(tiny_masked()), load_model(tiny_masked())
    one.memo, other.memo = ScoreMemo(), ScoreMemo()
    outcome("aul", one)
    chunk = one.memo.commit()
    expected = [outcome(method, one) for method in ("aula", "kldivs")]
    other.memo.restore(chunk)
    passes = counted(other, monkeypatch)
    assert [outcome(method, other) for method in ("aula", "kldivs")] == expected
    assert sum(passes) == 0


def test_texts_too_long_for_their_attention_are_scored_without_it(monkeypatch):
    model = load_model(tiny_masked())
    encoded = model.encode(SENTENCES)
    expected, asked = model.token_logprobs(encoded), model.attended_logprobs(encoded)
    monkeypatch.setattr(masked, "ATTENTION_ELEMENTS", 1)
    monkeypatch.setattr(type(model), "_fresh_attended", None)
    for a, b in zip(model.token_logprobs(encoded), expected, strict=True):
        assert a == pytest.approx(b, rel=1e-5)
    monkeypatch.undo()
    monkeypatch.setattr(masked, "ATTENTION_ELEMENTS", 1)  # who asks for it gets it, one text at a time
    for a, b in zip(model.attended_logprobs(encoded), asked, strict=True):
        assert a == pytest.approx(b, rel=1e-5)
