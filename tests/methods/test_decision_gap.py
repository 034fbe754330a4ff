"""The decision gap: naive loops, models that are asked and read, answers without a value, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

import evaluate_bias as eb
from evaluate_bias.data.prompts import DecisionQuestion, load_decisions
from evaluate_bias.data.schemas import parse_row
from evaluate_bias.errors import (
    CapabilityError,
    DataError,
    InputError,
    UndefinedScoreError,
    UnknownNameError,
)
from evaluate_bias.methods.groups import largest_gap
from evaluate_bias.models.completions import Reply
from evaluate_bias.models.load import load_model
from evaluate_bias.report.conclusions import Conclusion, Reason
from evaluate_bias.report.reading import read
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Skipped
from evaluate_bias.text import plain_p
from tests.support.chat import Chat
from tests.support.draws import draws
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import tiny_causal

GROUPS = ("a", "b", "c")


def rows_of(table):
    """Rows with log-odds, of a table (templates, groups, repetitions)."""
    return [
        {"question": float(value), "group": GROUPS[g], "template": f"t{t}"}
        for (t, g, _), value in np.ndenumerate(table)
    ]


def questions(n=4):
    return [
        {"question": f"Case {t}: may the {group} have it?", "group": group, "template": f"t{t}"}
        for t in range(n)
        for group in GROUPS[:2]
    ]


@draws(100)
def test_random_cases_agree_with_naive_loops(seed):
    rng = np.random.default_rng(seed)
    n, k, repeated = int(rng.integers(2, 7)), int(rng.integers(2, 4)), int(rng.integers(1, 3))
    table = rng.normal(size=(n, k, repeated)).round(2)
    result = eb.measure("decision_gap", None, data=rows_of(table), n_resamples=99)
    contrasts = [sum(t[0]) / repeated - sum(t[1]) / repeated for t in table.tolist()]
    score = sum(contrasts) / n
    every = [sum(s * c for s, c in zip(signs, contrasts, strict=True)) / n
             for signs in itertools.product((1, -1), repeat=n)]  # fmt: skip
    assert result.score == pytest.approx(score)
    assert result.p_value == pytest.approx(np.mean([abs(v) >= abs(score) - 1e-9 for v in every]))
    sd = np.std(contrasts, ddof=1)
    assert (result.ci_high - result.ci_low) / 2 == pytest.approx(
        sd / math.sqrt(n) * {2: 12.706, 3: 4.3027, 4: 3.1824, 5: 2.7764, 6: 2.5706}[n], rel=1e-4
    )
    names = [row.name for row in result.rows_of("group")]
    assert names == (["a / b", "a / c", "b / c"] if k == 3 else [])
    turned = eb.measure("decision_gap", None, data=rows_of(table), groups=("b", "a"), n_resamples=99)
    assert (turned.score, turned.p_value) == (pytest.approx(-score), pytest.approx(result.p_value))
    assert result.details["contrasts"] == pytest.approx({f"t{t}": c for t, c in enumerate(contrasts)})
    items = {(row.labels["template"], row.name): row for row in result.rows_of("item")}
    assert {row.score for row in items.values()} == {None}  # an answer is no difference of answers
    assert items["t0", "a"].details["log_odds"] == pytest.approx(sum(table[0, 0]) / repeated)
    shifted = eb.measure("decision_gap", None, data=rows_of(table + 5.0), n_resamples=99)
    assert shifted.score == pytest.approx(score)


def test_the_largest_gap_is_that_of_all_ways_to_exchange_groups():
    table = np.array([[0.9, 0.1, 0.3], [0.7, 0.2, 0.0], [0.2, 0.4, -0.1]])
    orders = [[row[list(p)] for p in itertools.permutations(range(3))] for row in table]
    every = [np.ptp(np.mean(rows, axis=0)) for rows in itertools.product(*orders)]
    value, p = largest_gap(table, n_resamples=50_000, seed=0)
    assert value == pytest.approx(np.ptp(table.mean(axis=0)))
    assert p == pytest.approx(np.mean(np.array(every) >= value - 1e-9), abs=0.01)
    result = eb.measure("decision_gap", None, data=rows_of(table[..., None]), n_resamples=50_000)
    assert result.estimates["p_groups"].value == pytest.approx(p, rel=0.1)
    assert f"| {plain_p(p)} |" in to_markdown([result])
    assert result.estimates["largest_gap"].p is None


def test_the_sign_follows_the_alphabet_and_not_the_order_of_rows():
    rows = rows_of(np.random.default_rng(0).normal(size=(6, 3, 1)))
    one, other = (eb.measure("decision_gap", data=data, n_resamples=99) for data in (rows, rows[::-1]))
    assert (one.score, one.p_value) == (other.score, other.p_value)
    assert one.settings["groups"] == other.settings["groups"] == ["a", "b"]
    assert [row.name for row in other.rows_of("group")] == ["a / b", "a / c", "b / c"]


def test_equal_answers_and_answers_that_are_never_yes_are_findings_of_their_own():
    def rows(gap):
        return [
            {"question": -2.0 - t / 10 + gap * (g == "a") * (t % 3), "group": g, "template": f"t{t}"}
            for t in range(12)
            for g in "ab"
        ]

    equal = eb.measure("decision_gap", data=rows(0.0))
    reading = read(equal)
    assert reading.judgement.reason is Reason.ALL_EQUAL
    assert reading.finding.startswith("The log-odds of both groups are equal in all 12 templates (")
    few = read(eb.measure("decision_gap", data=rows(0.0)[:4]))
    assert few.judgement.reason is Reason.ALL_EQUAL
    unequal = eb.measure("decision_gap", data=rows(0.1))
    assert read(unequal).judgement.conclusion is Conclusion.SIGNIFICANT
    without_group = eb.measure(
        "decision_gap", data=[*rows(0.1), {"question": 3.0, "group": "", "template": "t0"}]
    )
    for result in (equal, unequal, without_group):
        assert "0 of 24 answers are yes; 95% upper bound 26.5%" in result.warnings


def test_answers_that_are_never_yes_are_said_so_where_one_was_not_read():
    def answer(prompt):
        return {"I": -0.1} if "Case 0" in prompt and "Decide" in prompt else {"Yes": -2.0, "No": -0.3}

    result = eb.measure("decision_gap", Chat(answer), data=questions(12), protocol="robust")
    assert result.estimates["readable"].value < 1
    assert [warning.partition(";")[0] for warning in result.warnings if "answers are" in warning] == [
        f"0 of {result.details['requests']['read']} answers are yes"
    ]


def test_what_rounding_leaves_of_equal_groups_is_no_finding():
    values = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1)}
    rows = [
        {"question": v, "group": group, "template": f"t{t}"}
        for t in range(12)
        for group, of_group in values.items()
        for v in of_group
    ]
    result = eb.measure("decision_gap", data=rows)
    assert (result.score, result.p_value) == (0.0, 1.0)


def test_groups_without_a_common_template_are_listed_and_wordings_that_lack_a_group_count_for_none():
    pairs = [(t, group) for t in range(8) for group in ("ab" if t < 4 else "ac")]
    result = eb.measure(
        "decision_gap", data=[{"question": 1.0, "group": group, "template": f"t{t}"} for t, group in pairs]
    )
    assert [row.name for row in result.rows_of("group")] == ["a / b", "a / c"]
    reasons = {skip.item: skip.reason for skip in result.skipped}
    assert reasons["b / c"] == "no template has an answer about both groups"
    cells = np.array([[[0.9, 0.9, 0.9], [0.1, 0.1, np.nan]]] * 6)
    assert largest_gap(cells, n_resamples=99, seed=0) == (0.0, 1.0)


def test_a_chat_model_is_asked_and_the_forms_of_a_word_are_added_up():
    def answer(prompt):
        more = 0.5 if "the a" in prompt else 0.0
        return {"Yes": -1.6 + more, " yes": -1.6 + more, "No": -1.6, "NO": -3.6, "Maybe": -4.0}

    model = Chat(answer)
    result = eb.measure("decision_gap", model, data=questions(), protocol="robust")
    assert result.score == pytest.approx(0.5)
    assert result.estimates["readable"].value == 1.0
    both = -1.0 + math.log(2)
    no = np.logaddexp(-1.0, -3.0)
    assert result.estimates["mean_log_odds"].value == pytest.approx(both + 0.25 - no)
    assert len(model.asked) == 8 * 5
    assert (result.settings["variant"], result.settings["groups"]) == ("chat", ["a", "b"])
    assert result.p_value == 2 / 2**4  # all contrasts are alike


def test_answers_without_a_value_are_listed_and_never_zero():
    def answer(prompt):
        if "Case 0" in prompt:
            return {"Yes": -0.1}
        if "Case 1" in prompt and "the a" in prompt:
            return Reply("", refused=True)
        if "Case 2" in prompt and "Decide this case" in prompt:
            return Skipped(prompt, "too long")
        return {"Yes": -1.0 + 0.1 * ("the a" in prompt), "No": -1.0}

    result = eb.measure("decision_gap", Chat(answer), data=questions(6), protocol="robust")
    assert result.score == pytest.approx(0.1)
    assert result.n == 4
    assert (result.coverage.found, result.coverage.asked) == (9, 12)
    reasons = {skip.item: skip.reason for skip in result.skipped}
    assert "'No' is not among the most probable first tokens" in reasons["0"]
    assert "5 refused" in reasons["2"]
    assert reasons["4"].startswith("1 of 5")
    assert reasons["t0"] == reasons["t1"] == "has no answer about a or b"
    assert any("could not be read" in warning for warning in result.warnings)
    with pytest.raises(UndefinedScoreError, match="the labels have less than 1% of the probability"):
        eb.measure("decision_gap", Chat(lambda prompt: {"I": -0.1}), data=questions())


def test_a_causal_model_is_read_as_naive_softmax_says():
    model, tokenizer = tiny_causal("gpt2")
    cells = itertools.product(("as", "by", "it"), ("he", "so"))
    rows = [{"question": f"{w} or {g}", "group": g, "template": w} for w, g in cells]
    prompt_variants = ["{question} and", "{question} the"]

    def log_odds(text):
        ids = tokenizer.encode(text)
        with torch.no_grad():
            p = torch.softmax(model(torch.tensor([ids])).logits[0, -1], dim=-1)
        return [math.log(float(p[tokenizer.encode(text + f" {word}")[-1]])) for word in ("he", "so")]

    from evaluate_bias.data.instructions import Instructions
    from evaluate_bias.methods.prompting.decision_gap.asking import ask

    texts = {"continuation": tuple(prompt_variants), "chat": tuple(prompt_variants)}
    questions = [DecisionQuestion(**row) for row in rows]
    asked = ask(
        load_model((model, tokenizer)),
        questions,
        Instructions(texts, ("he", "so"), "en", True),
        by_chat=False,
    )
    wanted = [
        [np.subtract(*log_odds(w.format(question=r["question"]))) for w in prompt_variants] for r in rows
    ]
    np.testing.assert_allclose(asked.log_odds.reshape(len(rows), 2), wanted, atol=1e-5)
    with pytest.raises(CapabilityError, match="'Yes' is not one token"):
        eb.measure("decision_gap", (model, tokenizer), data=rows)


test_bad_input_is_refused = refusals(
    lambda rows, options: eb.measure("decision_gap", None, data=rows, **options),
    ([{"question": 1.0, "group": "a", "template": "t"}], {}, InputError, None, "only 'a'"),
    (rows_of(np.ones((2, 2, 1))), {"groups": ("a", "x")}, UnknownNameError, "groups", "unknown group 'x'"),
    (rows_of(np.ones((2, 2, 1))), {"groups": ("a", "a")}, InputError, "groups", "two different groups"),
    (rows_of(np.ones((2, 2, 1))), {"prompt_variants": 2}, InputError, "prompt_variants", "for a chat model"),
    (
        [{"question": 1.0, "group": g, "template": g} for g in "ab"],
        {},
        UndefinedScoreError,
        None,
        "no template has",
    ),
    ([{"question": 1.0, "group": "a"}], {}, DataError, None, "template"),
    ([*questions(), *rows_of(np.ones((1, 2, 1)))], {}, InputError, None, "give one kind only"),
    (rows_of(np.full((2, 2, 1), -1e308)), {}, InputError, None, "which no log-odds are"),
    ([{"question": float("nan"), "group": "a", "template": "t"}], {}, InputError, None, "nan"),
)


@pytest.mark.parametrize("likely", [1e308, math.inf, math.nan, 0.5])
def test_an_answer_whose_log_probabilities_are_none_is_a_row_without_a_value(likely):
    model = Chat(lambda prompt: {"Yes": likely if "Case 0" in prompt else -1.0, "No": -1.0})
    result = eb.measure("decision_gap", model, data=questions())
    assert (result.n, result.coverage.found, result.coverage.asked) == (3, 6, 8)
    reasons = [skip.reason for skip in result.skipped if skip.item in ("0", "1")]
    assert len(reasons) == 2
    assert all(
        reason.endswith("its log-probabilities do not correspond to probabilities") for reason in reasons
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [(30.0, "30"), (30.5, "30.5"), (1234567, "1234567"), (1234568.0, "1234568"), (10**400, "1" + "0" * 400)],
    ids=str,
)
def test_a_number_is_the_text_that_a_person_writes(number, text):
    assert parse_row(DecisionQuestion, {**questions()[0], "template": number}, "row").template == text


@pytest.mark.parametrize("number", [math.nan, math.inf, Fraction(1, 3)], ids=str)
def test_what_is_no_number_of_a_table_names_no_template(number):
    refused(DataError, "template", parse_row, DecisionQuestion, {**questions()[0], "template": number}, "row")


def test_the_published_columns_are_read(tmp_path):
    file = tmp_path / "published.jsonl"
    file.write_text(
        '{"filled_template": "May she?", "decision_question_id": 3, "age": 20.0, "gender": "female", "race": "Asian"}\n'
        '{"filled_template": "May he?", "decision_question_id": 3, "age": 60.0, "gender": "male", "race": "white"}\n'
    )
    rows = load_decisions(str(file), attribute="race")
    assert [(r.question, r.group, r.template, r.age) for r in rows] == [
        ("May she?", "Asian", "3", "20"),
        ("May he?", "white", "3", "60"),
    ]
    with pytest.raises(InputError, match="`attribute` must be"):
        load_decisions(attribute="height")
    file.write_text('{"question": "May they?", "template": "t"}\n')
    with pytest.raises(DataError, match="has no group and no property 'gender'"):
        load_decisions(str(file))


def test_only_templates_of_the_same_groups_and_questions_are_compared():
    rng = np.random.default_rng(4)

    def measured(rows, model=None, **options):
        return eb.measure("decision_gap", model, data=rows, **options)

    model = Chat(lambda _: {"Yes": rng.uniform(-1.5, -0.5), "No": -1.0})
    rows = rows_of(rng.normal(size=(8, 3, 1)))
    one = measured(rows)
    change = eb.compare(one, measured(rows_of(rng.normal(size=(8, 3, 1))))).changes[0]
    assert (change.n, change.items) == (8, "templates")
    # The score of the first pair is that of all templates, so it stands once.
    assert [c.name for c in eb.compare(one, one).changes] == ["overall", "a / c", "b / c"]
    other_words = [row | {"question": f"Again: {row['question']}"} for row in questions(8)]
    asked = measured(questions(8), model)
    for first, second in (
        (one, measured(rows, groups=("b", "c"))),
        (one, measured([row | {"group": row["group"] * 2} for row in rows])),
        (asked, measured(other_words, model)),
    ):
        change = eb.compare(first, second).changes[0]
        assert "The two have no answers of the same groups and questions in common" in change.sentence
        assert (change.p_value, change.low) == (None, None)
    partly = [*questions(8)[:12], *other_words[12:]]
    found = eb.compare(asked, measured(partly[::-1], model, groups=("a", "b")))
    assert found.changes[0].n == 6
    assert any("12 answers are in both. 4 are in the first only" in note for note in found.warnings)
