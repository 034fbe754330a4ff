"""What the tabs compute: the same numbers as the library, for typed, published and uploaded data."""

from __future__ import annotations

import contextlib
import html
from collections.abc import Iterable, Iterator
from typing import Any

import gradio as gr
import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.kinds import SENTENCE_PAIRS
from evaluate_bias.data.word_lists import WORD_LISTS, load_word_lists
from evaluate_bias.errors import BiasError, CapabilityError, InputError
from evaluate_bias.models.load import load_model
from evaluate_bias.registry import METHODS
from evaluate_bias.report.lines import model_name
from evaluate_bias.ui.compare import compare, comparison_html
from evaluate_bias.ui.guard import Deadline, allowed_model, with_deadline
from evaluate_bias.ui.outcome import result_page
from evaluate_bias.ui.sentence_pairs import (
    chosen_pairs,
    default_scoring,
    pair_html,
    pair_languages,
    pair_sets,
    run_pairs,
    score_pair,
)
from evaluate_bias.ui.session import shown_errors
from evaluate_bias.ui.word_lists import lists_as_text, run_lists, run_measurable
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import tiny_causal, tiny_masked
from tests.ui.conftest import PATIENCE

PAIRS = [r for r in METHODS.values() if r.data.name == SENTENCE_PAIRS.name]
MORE, LESS = "The nurse said she left.", "The nurse said he left."


def random_vectors(tests: Iterable[Any], name: str = "random", seed: int = 1) -> Any:
    """Vectors of the words of these tests."""
    rng = np.random.default_rng(seed)
    words = {w for t in tests for column in WORD_LISTS for w in getattr(t, column)}
    return load_model({w: rng.normal(size=6) for w in sorted(words)}, name=name)


@pytest.fixture(scope="module")
def vectors():
    return random_vectors(load_word_lists())


@pytest.fixture(scope="module")
def masked():
    return load_model(tiny_masked(), progress=False, name="masked")


@pytest.fixture(scope="module")
def causal():
    return load_model(tiny_causal(), progress=False, name="causal")


def test_a_published_test_gives_the_library_s_number_and_says_where_it_is_from(vectors):
    result = run_lists(vectors, "en", "weat7", lists_as_text("en", "weat7"))
    assert result.score == eb.measure("weat", vectors, tests="weat7").score
    assert result.provenance["dataset"]["name"] == "weat_word_lists"
    assert result.rows[0].labels["x"] == "math"


def test_a_test_that_cannot_be_measured_is_listed_and_the_others_are_measured():
    tests = load_word_lists()
    model = random_vectors(tests.select(["weat6", "weat7"]))
    left_out = {"weat1", "weat9"}
    result = run_measurable(model, tests.select(["weat1", "weat6", "weat7", "weat9"]))
    expected = eb.measure("weat", model, tests=["weat6", "weat7"])
    assert [(r.name, r.score, r.p_holm) for r in result.rows] == [
        (r.name, r.score, r.p_holm) for r in expected.rows
    ]
    reasons = {s.item: s.reason for s in result.skipped if s.item in left_out}
    assert reasons.keys() == left_out
    assert all(" words are not in the vocabulary" in r for r in reasons.values())
    assert "weat1 (not measured: targets_x: " in result_page(result)
    refused(BiasError, "weat9/targets_x", lambda: run_measurable(model, tests.select(["weat1", "weat9"])))


def test_an_edited_test_is_not_called_published(vectors):
    x, y, a, b = lists_as_text("en", "weat7")
    result = run_lists(vectors, "en", "weat7", (x.replace("math, ", ""), y, a, b))
    assert result.provenance["dataset"]["source"] == "given by the caller"
    assert result.rows[0].name == "your lists"
    assert result.rows[0].details["n_x"] == 7


test_bad_lists_are_refused = refusals(
    lambda vectors, texts: run_lists(vectors, "en", "weat7", texts),
    (("", "a", "b", "c"), "targets_x", "targets_x is empty"),
    (("w, " * 201, "a", "b", "c"), None, "201 words are more than the 200"),
    (("w" * 61, "a", "b", "c"), None, "longer than 60"),
    error=InputError,
    fixtures=("vectors",),
)


@pytest.mark.parametrize("scoring", ["crows_pairs", "pll", "aul"])
def test_the_tokens_of_a_pair_add_up_to_its_scores(masked, scoring):
    scored = score_pair(masked, MORE, LESS, scoring)
    for pieces, score in (
        (scored["tokens_more"], scored["score_more"]),
        (scored["tokens_less"], scored["score_less"]),
    ):
        values = [t["logprob"] for t in pieces if t["logprob"] is not None]
        assert (np.mean(values) if scoring == "aul" else sum(values)) == pytest.approx(score, abs=1e-4)
    assert "".join(t["text"] for t in scored["tokens_more"]) == MORE.lower()
    assert "".join(t["text"] for t in scored["tokens_less"]) == LESS.lower()
    counted = [t for t in scored["tokens_more"] if t["logprob"] is None and t["text"].strip()]
    assert bool(counted) == (scoring == "crows_pairs")


def test_a_causal_model_is_scored_left_to_right_whatever_was_chosen(causal):
    scored = score_pair(causal, MORE, LESS, "crows_pairs")
    assert scored["scoring"] == "causal"
    assert "".join(t["text"] for t in scored["tokens_more"]) == MORE
    assert sum(t["logprob"] or 0.0 for t in scored["tokens_more"]) == pytest.approx(
        scored["score_more"], abs=1e-4
    )
    only = causal.sequence_logprobs([e for e in causal.encode([MORE]) if hasattr(e, "ids")])[0]
    assert scored["score_more"] == pytest.approx(float(only.sum()), abs=1e-4)


test_bad_pairs_are_refused = refusals(
    score_pair,
    ("", LESS, "pll", "sent_more", "sent_more is empty"),
    (MORE, "  ", "pll", "sent_less", "sent_less is empty"),
    ("x" * 401, LESS, "pll", None, "401 characters are more than the 400"),
    (MORE, LESS, "made up", "scoring", "ways to score that the page offers"),
    (MORE, MORE, "pll", None, "identical"),
    ("she nurse " * 39, LESS, "pll", None, "tokens, more than the 64"),
    error=BiasError,
    fixtures=("masked",),
)


def test_a_watched_model_gives_the_library_s_numbers(masked):
    pairs = chosen_pairs("en", "age")
    watched = with_deadline(masked, Deadline(PATIENCE))
    ours, theirs = run_pairs("crows_pairs", watched, pairs), eb.measure("crows_pairs", masked, data=pairs)
    assert (ours.score, ours.provenance) == (theirs.score, theirs.provenance)


def test_methods_of_one_request_share_their_passes(masked):
    passes: list[int] = []
    counted = masked.model.register_forward_pre_hook(lambda *_: passes.append(1))
    watched, pairs = with_deadline(masked, Deadline(PATIENCE)), chosen_pairs("en", "age")
    first = run_pairs("pll", watched, pairs)
    before = len(passes)
    again = run_pairs("kldivs", watched, pairs)
    counted.remove()
    assert first.n == again.n == len(pairs)
    assert len(passes) - before < before / 2


def side_by_side(names: list[str], methods: list[str], tests: list[str], **models: Any) -> Any:
    @contextlib.contextmanager
    def lend(name: str, watch: Deadline) -> Iterator[Any]:
        if name not in models:
            raise InputError("there is no such model")
        yield models[name]

    return compare(names, methods, "en", tests, "age", lend=lend, deadline=Deadline(PATIENCE))


def test_models_and_methods_side_by_side(vectors, masked, causal):
    models = {"random": vectors, "masked": masked, "causal": causal}
    results, failures = side_by_side(
        [*models, "missing", "random"], ["weat", "pll"], ["weat6", "weat7"], **models
    )
    assert [(r.method, model_name(r)) for r in results] == [("weat", "random"), ("pll", "masked")]
    assert {(model, method.split(" ")[0]) for model, method, _ in failures} == {
        ("random", "Pseudo-log-likelihood"),
        ("masked", "Word"),
        ("causal", "Word"),
        ("causal", "Pseudo-log-likelihood"),
        ("missing", "every"),
    }
    page = comparison_html(results, failures)
    assert page.count("<tr><td") == 2 + 1  # two tests, and all pairs, which are of one type
    assert "data:image/png" in page
    assert "from -2 to 2, ideal 0. A positive value" in page
    assert 'download="bias.csv"' in page
    assert 'download="bias.tex"' in page


def test_of_two_models_it_is_said_what_changed(vectors):
    models = {"random": vectors, "another": random_vectors(load_word_lists(), "another", seed=2)}
    results, _ = side_by_side([*models], ["weat"], ["weat6", "weat7"], **models)
    page = comparison_html(results)
    whole = eb.compare(*results)
    assert whole.summary in page
    assert all(c.sentence.replace("'", "&#39;") in page for c in (whole.changed or whole.changes))
    assert page.count("data:image/png") == 2
    assert comparison_html(results[:1]).count("data:image/png") == 1


def test_a_method_on_other_lists_is_measured_on_its_own():
    model = random_vectors([*load_word_lists(), *load_word_lists("bolukbasi_words")])
    results, failures = side_by_side(["random"], ["weat", "ripa"], [], random=model)
    assert ([r.method for r in results], failures) == (["weat", "ripa"], [])
    assert [r.provenance["dataset"]["name"] for r in results][1:] == ["bolukbasi_words"]
    results, ((_, _, why),) = side_by_side(["random"], ["weat", "ripa"], ["weat7"], random=model)
    assert [r.method for r in results] == ["weat"]
    assert "weat7" in why


test_a_comparison_of_nothing_or_too_much_is_refused = refusals(
    lambda models, methods: side_by_side(models, methods, []),
    ([], ["weat"], None, "choose at least one model"),
    (["a"], [], None, "choose at least one method"),
    (list("abcde"), ["weat"], None, "5 models are more than the 4"),
    (["a"], ["made_up"], "methods", "choose among the methods"),
    error=InputError,
)


def test_a_model_without_word_vectors_is_measured_on_word_lists(masked):
    texts = ("nurse, daughters", "engineer, man", "she, her", "he, his")
    result = run_lists(masked, "en", "", texts)
    lists = dict(zip(WORD_LISTS, (t.split(", ") for t in texts), strict=True))
    data = [{"name": "own", "language": "en", **lists}]
    own = eb.measure("seat", masked, data=data, templates="none", representation="target_mean")
    assert result.method == "seat"
    assert result.score == own.score
    assert "Association of every word" in result_page(result)


def test_published_pairs_can_be_chosen_and_illustrative_ones_say_what_they_are():
    assert [name for _, name in pair_sets()] == ["minimal_pairs", "crows_pairs"]
    assert pair_languages("crows_pairs") == ["en", "nl", "fr"]
    assert "de" in pair_languages("minimal_pairs")
    pairs = chosen_pairs("en", "age", "crows_pairs")
    assert len(pairs) == 87
    assert pairs.provenance["source"] == "crows_pairs"
    refused(InputError, "data sets that the page offers", chosen_pairs, "en", "age", "/etc/passwd")


def test_errors_are_shown_with_typed_text_escaped():
    attack = "<img src=x onerror=alert(1)>"
    with pytest.raises(gr.Error) as caught, shown_errors():
        allowed_model(attack)
    assert "<" not in caught.value.message
    assert f"'{attack}' is neither a named model" in html.unescape(caught.value.message)


@pytest.mark.parametrize("record", PAIRS, ids=lambda r: r.name)
def test_one_pair_is_scored_as_the_method_scores_sentences(record, masked):
    pair = chosen_pairs("en", "gender")[0]
    scored = score_pair(masked, pair.sent_more, pair.sent_less, default_scoring(record))
    side = "more" if scored["delta"] > 0 else "less"
    assert f"finds the <strong>{side} stereotypical</strong> sentence" in pair_html(scored)
    if record.name not in ("kldivs", "pll_robustness"):  # the method itself says the same of the pair
        (row,) = eb.measure(record.name, masked, data=[pair]).rows_of("item")
        measured = (row.details["score_more"], row.details["score_less"])
        assert measured == pytest.approx((scored["score_more"], scored["score_less"]), rel=1e-6)
        assert row.details["verdict"] == side


@pytest.mark.parametrize("record", PAIRS, ids=lambda r: r.name)
def test_a_causal_model_is_scored_left_to_right_where_the_method_can(record, causal):
    pairs = chosen_pairs("en", "age")
    if "scores sequences" not in record.needs:
        refused(CapabilityError, "masked-LM head", run_pairs, record.name, causal, pairs)
        return
    assert "causal" in run_pairs(record.name, causal, pairs).settings["scoring"]
