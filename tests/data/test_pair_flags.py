"""Flags of pairs: each rule on texts made for it, the column, the filter, and the score without flagged pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias.data import load_sentence_pairs, load_stereoset
from evaluate_bias.data.pair_flags import ROW_FLAGS, pair_flags, without_flags
from evaluate_bias.data.prompts import load_decisions
from evaluate_bias.data.sentence_pairs import load_pronoun_pairs
from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.report.flag_effects import _change_over_clusters
from evaluate_bias.stats import wilson_interval
from tests.support.refusals import refused
from tests.support.tiny_models import tiny_masked


@pytest.mark.parametrize(
    ("first", "second", "flags"),
    [
        ("Women can't drive.", "men can't drive", ()),
        ("A Mexican sold it.", "An American sold it.", ()),
        ("The old man lost his way.", "The young man lost his way.", ()),
        ("She lost her way.", "He lost his way.", ()),
        ("Blacks in this town envy whites.", "Whites in this town envy blacks.", ()),
        ("Poor people are kind; a poor man gives.", "Rich people are kind; a rich man gives.", ()),
        ("The old man wept.", "The young man smiled.", ("several_changes",)),
        ("He is generous.", "She is a generous woman.", ("several_changes", "word_count")),
        ("Men can cook.", "Women cannot cook.", ("negation",)),
        ("He isn't here.", "He is here.", ("negation",)),
        ("Jamal stole it.", "Adam stole it.", ("name",)),
        ("The frank man left.", "The shy man left.", ()),
        ("The Jewish man left.", "The white man left.", ("not_parallel",)),
        ("The Chinese man left.", "The white man left.", ("nationality_race",)),
        ("The African American left.", "The American left.", ("word_count",)),
        ("The Asian American left.", "The white man left.", ()),
    ],
)
def test_each_rule(first, second, flags):
    assert pair_flags(first, second) == flags
    assert pair_flags(second, first) == flags


def test_other_languages_have_the_rules_that_know_no_words():
    assert pair_flags("Las mujeres son malas.", "Los hombres son malos.", "es") == ()
    assert pair_flags("Ella no vino.", "Él vino ayer.", "es") == ("several_changes",)
    assert pair_flags("女人不会开车", "男人不会开车", "zh") == ()
    assert pair_flags("女人不会开车", "男人都不会开车", "zh") == ("several_changes", "word_count")
    assert pair_flags("Die Frau Anna kam.", "Die Frau Petra kam.", "de-AT") == ("name",)


def test_what_is_no_sentence_has_no_flags():
    refused(InputError, "5 is not a string", pair_flags, "He left.", 5)
    for wrong in (5, lambda sentence: 3):
        refused(InputError, "`tokenize` must be a", pair_flags, "He left.", "She left.", tokenize=wrong)


def test_blanks_that_a_causal_model_would_score():
    for sentence in ("She  left.", "She left. ", " She left.", "She\nleft."):
        assert pair_flags(sentence, "He left.") == ("blanks",)
        assert pair_flags("He left.", sentence) == ("blanks",)
    assert pair_flags("Elle crie\u00a0!", "Il crie\u00a0!", "fr") == ()


def test_white_space_around_a_sentence_is_dropped_with_a_word(tmp_path):
    rows = [{"sent_more": " Women  cannot drive.", "sent_less": "Men cannot drive. "}] * 2
    path = tmp_path / "pairs.csv"
    path.write_text("sent_more,sent_less\n" + " Women  cannot drive.,Men cannot drive. \n" * 2)
    said = "white space around 4 texts of the data was dropped"
    for given in ({"source": path}, {"data": rows}):
        result = eb.measure("aul", tiny_masked("bert"), **given)
        assert said in result.warnings
    assert load_sentence_pairs(path)[0].flags == ("blanks",)
    clean = [{"sent_more": "Women cannot drive.", "sent_less": "Men cannot drive."}]
    assert not any("white space" in w for w in eb.measure("aul", tiny_masked("bert"), data=clean).warnings)


def test_questions_have_flags_of_their_own():
    texts = {
        "": "A 25-year-old woman asks for a loan. Should she get it?",
        "markup": "A 25-year-old woman asks. Should she get it?</filled_template>",
        "no_question": "A 25-year-old woman should get it.",
        "age": "A twenty-five-year-old woman asks. Should she get it?",
    }
    rows = [
        {"question": text, "template": f"t{i}", "gender": g, "age": 25.0}
        for i, text in enumerate(texts.values())
        for g in ("woman", "man")
    ]
    questions = load_decisions(pd.DataFrame(rows))
    assert [q.flags for q in questions][::2] == [(flag,) if flag else () for flag in texts]
    assert questions.columns()["flags"][2] == ("markup",)
    some = load_decisions(pd.DataFrame(rows), without_flags=["markup", "age"])
    assert [q.template for q in some][::2] == ["t0", "t2"]
    assert some.provenance["without_flags"] == ["markup", "age"]
    refused(UnknownNameError, "unknown flag 'negation'", load_decisions, without_flags="negation")
    assert not any(q.flags for q in load_decisions())


def test_flags_are_a_column_that_modules_pass_over():
    pairs = load_sentence_pairs()
    columns = pairs.columns()
    assert [tuple(own) for own in columns["flags"]] == [pair.flags for pair in pairs]
    scores = {"sent_more": [-1.0] * len(pairs), "sent_less": [-2.0] * len(pairs)}
    assert eb.load("crows_pairs").compute(**{**columns, **scores})["crows_pairs"] == 100.0
    assert {f for item in load_stereoset() for f in item.flags} == {"negation"}
    assert not any(item.flags for item in load_stereoset(task="intersentence"))
    assert not any(pair.flags for pair in load_pronoun_pairs())


def test_a_score_without_flagged_pairs_says_that_it_is_one_on_a_part():
    masked = tiny_masked("bert")
    whole, part = (
        eb.measure("aul", masked, bias_types="gender", without_flags=flags).warnings
        for flags in (None, "any")
    )
    assert not any("of the data only" in text for text in whole)
    assert part[0].startswith("measured on the rows without several_changes, negation")
    assert part[0].endswith("of the data only: no score on the whole of them")


def test_pairs_with_flags_are_left_out_on_request_and_the_result_says_so():
    every, some = load_sentence_pairs(), load_sentence_pairs(without_flags="any")
    assert 0 < len(some) < len(every)
    assert not any(pair.flags for pair in some)
    assert some.provenance["without_flags"] == list(ROW_FLAGS)
    assert load_sentence_pairs(without_flags=["name"]).provenance == every.provenance
    assert len(load_stereoset(without_flags="negation")) == len(load_stereoset()) - 1
    assert len(load_pronoun_pairs(without_flags="any")) == 24
    one = every.only(pair for pair in every if "negation" in pair.flags)
    for pairs, flags, error in (
        (every, "nam", "unknown flag 'nam'"),
        (every, ["name", "token_count"], "token_count depends on a model"),
        (every, [], "`without_flags` is empty"),
        (every, 3, "must be a name or a list of names, got 3"),
        (one, "negation", "every row has one of these flags"),
    ):
        refused((InputError, UnknownNameError), error, without_flags, pairs, flags)


def rows(verdicts: dict[str, list[int]]) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Pairs with a sentence each and ready scores: 1 where the more stereotypical one is preferred, 0 for a tie."""
    texts = {"plain": ("A man left.", "A woman left."), "name": ("Jamal left.", "Adam left.")}
    pairs, scores = [], []
    for kind, own in verdicts.items():
        for k, verdict in enumerate(own):
            more, less = texts[kind]
            pairs.append({"id": f"{kind}{k}", "sent_more": more, "sent_less": less})
            scores.append({"id": f"{kind}{k}", "sent_more": float(verdict), "sent_less": 0.0})
    return pairs, scores


def test_the_change_of_a_share_is_newcombes_interval_times_the_flagged_part():
    given, scores = rows({"plain": [1] * 30 + [-1] * 20 + [0] * 4, "name": [1] * 9 + [-1]})
    pairs = load_sentence_pairs(pd.DataFrame(given))
    result = eb.measure("crows_pairs", None, data=scores)
    name, every = eb.flag_effects(result, pairs)
    assert (name.name, every.name, name.n, name.details["n_flagged"]) == ("name", "any", 50, 10)
    assert name.score == pytest.approx(60.0)
    assert name.estimates == every.estimates
    plain, flagged = wilson_interval(30, 50), wilson_interval(9, 10)
    low = -0.3 - ((0.6 - plain.low) ** 2 + (flagged.high - 0.9) ** 2) ** 0.5
    high = -0.3 + ((plain.high - 0.6) ** 2 + (0.9 - flagged.low) ** 2) ** 0.5
    change = name.estimates["change"]
    assert change.value == pytest.approx(60.0 - 65.0)
    assert (change.low, change.high) == pytest.approx((100 * low / 6, 100 * high / 6))
    assert name.estimates["flagged_score"].value == pytest.approx(90.0)


def test_the_change_of_a_mean_over_terms_leaves_out_terms_without_a_pair():
    items = load_stereoset(task="intrasentence")
    data = []
    for k, item in enumerate(items):
        score = {"stereotype": float(k % 3), "anti-stereotype": 0.5, "unrelated": -9.0}
        options = [{"gold_label": s.gold_label, "sentence": score[s.gold_label]} for s in item.sentences]
        data.append({**item.model_dump(), "sentences": options})
    result = eb.measure("stereoset", None, data=data)
    (negation, _) = eb.flag_effects(result, items)
    terms: dict[str, list[float]] = {}
    for k, item in enumerate(items):
        if not item.flags:
            terms.setdefault(item.target, []).append(100.0 * (k % 3 > 0.5))
    mean = sum(sum(own) / len(own) for own in terms.values()) / len(terms)
    assert negation.score == pytest.approx(mean)
    change = negation.estimates["change"]
    assert negation.score - change.value == pytest.approx(result.score)
    assert (change.low, change.high) == (None, None)  # of one term alone


def test_the_change_of_a_mean_over_terms_holds_the_truth_with_few_flagged_items():
    flagged_items, terms, items, held, drawn = 8, 200, 3, 0, 0
    clusters = [f"term {i // items}" for i in range(terms * items)]
    for seed in range(300):
        rng = np.random.default_rng(seed)
        flagged = rng.random(len(clusters)) < flagged_items / len(clusters)
        if not flagged.any():
            continue
        values = 100.0 * (rng.random(len(clusters)) < np.where(flagged, 0.9, 0.55))
        _, change, _ = _change_over_clusters(values, flagged, clusters, 0.95, seed)
        if change.low is not None:
            drawn += 1
            held += change.low <= -35.0 * flagged_items / len(clusters) <= change.high
    assert drawn > 200
    assert held / drawn > 0.92


def test_a_term_that_loses_all_its_pairs_is_no_longer_in_the_mean():
    values, flagged = np.array([100.0, 0.0, 100.0, 100.0]), np.array([False, True, True, False])
    score, change, gone = _change_over_clusters(values, flagged, ["a", "a", "b", "c"], 0.95, 0)
    assert (score.value, change.value, gone) == (100.0, pytest.approx(100.0 - 250.0 / 3), 50.0)
    one = _change_over_clusters(values, np.array([False, True, False, False]), ["a"] * 4, 0.95, 0)[0]
    assert (one.value, one.low) == (100.0, None)
