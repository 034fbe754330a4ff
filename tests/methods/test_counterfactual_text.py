"""Counterfactual text: naive numbers, planted effects, scorers and their own part, models, every door, bad input."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias import errors, stats
from evaluate_bias.methods.prompting.counterfactual_text.statistics import exchanged, mean_difference
from evaluate_bias.models.completions import Reply
from evaluate_bias.report.card import bias_section
from evaluate_bias.report.compare import compare
from evaluate_bias.report.conclusions import Conclusion, Reason
from evaluate_bias.report.html import html_page
from evaluate_bias.report.reading import read
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.result import Result
from evaluate_bias.ui.outcome import result_page
from tests.support.chat import Chat
from tests.support.draws import draws
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal, wordpiece_tokenizer

Rows = list[dict[str, Any]]
REFUSAL = "I'm sorry, but I can't help with that."


def measured(rows: Rows | None, model: Any = None, **options: Any) -> Result:
    return eb.measure("counterfactual_text", model, **({"data": rows} if rows else {}), **options)


def drawn(
    rng: np.random.Generator, n: int = 12, effect: float = 0.0, groups: tuple[str, ...] = ("x", "y")
) -> Rows:
    """Texts that are numbers; those of one prompt resemble one another, and some prompts have more of them."""
    rows = []
    for t, level in enumerate(rng.normal(0, 2, n)):
        for group in groups:
            texts = rng.normal(level + effect * (group == "x"), 1, 1 + t % 4).round(6).astype(str).tolist()
            rows.append({"prompt": f"{{group}} {t}", "group": group, "completions": texts})
    return rows


def number(text: str) -> float:
    return float(text)


# --- an independent naive implementation -------------------------------------------------------------------------


def naive(rows: Rows, x: str, y: str) -> tuple[float, float, float, float]:
    """Score, p by all sign patterns, and Student's interval, by loops."""
    texts: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        texts.setdefault((row["prompt"], row["group"]), []).extend(map(float, row["completions"]))
    means = {key: math.fsum(values) / len(values) for key, values in texts.items()}
    differences = [means[prompt, x] - means[prompt, y] for prompt in {row["prompt"] for row in rows}]
    n, mean = len(differences), math.fsum(differences) / len(differences)
    extreme = sum(
        abs(math.fsum(s * d for s, d in zip(signs, differences, strict=True))) >= abs(n * mean) - 1e-9
        for signs in itertools.product((1, -1), repeat=n)
    )
    sd = math.sqrt(sum((d - mean) ** 2 for d in differences) / (n - 1))
    half = {11: 2.228138852, 12: 2.200985160}[n] * sd / math.sqrt(n)  # Student's quantiles, from a table
    return mean, extreme / 2**n, mean - half, mean + half


@draws(60)
def test_numbers_are_those_of_a_naive_implementation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = drawn(rng, 11 + seed % 2, effect=rng.normal())
    result = measured(rows, scorers=number)
    score, p, low, high = naive(rows, "x", "y")
    assert (result.score, result.ci_low, result.ci_high) == pytest.approx((score, low, high), abs=1e-8)
    assert result.p_value == pytest.approx(p, abs=1e-12)
    assert sum(row.score for row in result.rows_of("item")) / result.n == pytest.approx(score)


@draws(40)
def test_properties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = drawn(rng)
    one = measured(rows, scorers=number)
    scaled = measured(rows, scorers=lambda text: 3 * float(text) + 100)
    assert (scaled.score, scaled.p_value) == pytest.approx((3 * one.score, one.p_value))
    doubled = measured([{**row, "completions": row["completions"] * 2} for row in rows], scorers=number)
    assert (doubled.score, doubled.ci_low) == pytest.approx((one.score, one.ci_low))


def test_few_prompts_that_differ_have_no_test_and_no_interval() -> None:
    facts = {n: mean_difference([1.0 + i for i in range(n)] + [0.0] * 20, confidence_level=0.95, n_resamples=99, seed=0)
             for n in (5, 6, 9, 10)}  # fmt: skip
    assert ["p_value" in f for f in facts.values()] == [False, True, True, True]
    assert [f["ci_low"] is None for f in facts.values()] == [True, True, True, False]
    result = measured(drawn(np.random.default_rng(0), 5), scorers=number)
    reading = read(result)
    assert reading.judgement.conclusion is Conclusion.TOO_FEW
    assert "only 5 prompts differ" in result.warnings[0]


def test_a_planted_effect_is_found() -> None:
    rows = (drawn(np.random.default_rng(seed), 40, 1.0) for seed in range(5))
    assert max(measured(own, scorers=number, n_resamples=199).p_value for own in rows) <= 0.05


def test_a_scorer_that_tells_no_texts_apart_finds_nothing() -> None:
    """Means of .1 over unequal numbers of texts differ by 1e-17, which is rounding beside .1."""
    result = measured(drawn(np.random.default_rng(3), 40, groups=("x", "y")) + [
        {"prompt": f"{{group}} {t}", "group": "x", "completions": ["1"] * 2} for t in range(40)
    ], scorers=lambda text: 0.1)  # fmt: skip
    assert (result.score, result.p_value, result.ci_low, result.n_tested) == (0.0, None, None, 0)
    assert {row.score for row in result.rows_of("item")} == {0.0}
    assert result.estimates["own_part"].value == 0.0
    reading = read(result)
    assert reading.judgement.reason is Reason.ALL_EQUAL
    assert "0 of 40 prompts differ; 95% upper bound 8.8%" in reading.finding
    assert result.warnings == ("<lambda>: there is no interval: no prompt differs, and an interval needs 10",)


# --- what a result says ------------------------------------------------------------------------------------------


def women_and_men(n: int = 12) -> Rows:
    """Texts about women are longer, and texts about men are refused."""
    rows = []
    for t in range(n):
        praise = f"A woman is good at {'very ' * (2 + t % 3)}hard work."
        for group, noun, text in (("women", "woman", praise), ("men", "man", REFUSAL)):
            rows.append({"prompt": f"Describe {{group}} {t}.", "group": group, "forms": [f"a {noun}", noun]})
            rows[-1]["completions"] = [text]
    return rows


def test_scorers_stand_in_one_family_and_in_their_own_units() -> None:
    result = measured(women_and_men(), scorers=["refusal", "length", "vader"], groups=("women", "men"))
    tests = {row.name: row for row in result.rows_of("test")}
    assert list(tests) == result.settings["scorers"] == ["refusal", "length", "vader"]
    assert result.score == tests["refusal"].score == -1.0
    assert [row.score_range for row in tests.values()] == [(-1, 1), (None, None), (-2, 2)]
    assert all(row.p_holm == pytest.approx(3 * 2 / 2**12) for row in tests.values())
    reading = read(result)
    assert reading.judgement.conclusion is Conclusion.SIGNIFICANT
    assert "in standard deviations under the null" in reading.finding
    assert reading.rows[1].clause == "texts about women have a lower refusal rate than texts about men"
    assert any("women 0.0%, men 100.0%" in remark for remark in reading.remarks)
    assert result.provenance["scorers"]["vader"]["package"].startswith("vaderSentiment ")
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_three_groups_have_their_pairs_and_one_test_of_all() -> None:
    rows = drawn(np.random.default_rng(1), 12, effect=3.0, groups=("x", "y", "z"))
    result = measured(rows, scorers=number)
    assert [row.name for row in result.rows_of("test")] == ["number: x / y", "number: x / z", "number: y / z"]
    assert result.estimates["p_groups"].value <= 0.001
    assert measured(rows, scorers=number, groups=("z", "y")).rows_of("test")[0].labels["x"] == "z"


def test_models_are_compared_prompt_by_prompt() -> None:
    rng = np.random.default_rng(2)
    one = measured(drawn(rng, 14), scorers=[number, "length"])
    two = measured(drawn(rng, 14, effect=3.0), scorers=[number, "length"])
    changes = {change.name: change for change in compare(one, two).changes}
    assert changes["number"].difference == pytest.approx(two.score - one.score)
    assert changes["number"].p_value < 0.01
    assert changes["number"].n == 14 == changes["length"].n


def test_prompts_of_other_groups_are_not_the_same_prompts() -> None:
    """A file with its rows in another order gave 4.7 in one result and -4.7 in the other, and the change was tested."""
    rows = drawn(np.random.default_rng(4), 14, effect=3.0)
    one, again = measured(rows, scorers=number), measured(rows[::-1], scorers=number)
    (change,) = compare(one, again).changes
    assert (change.first, change.difference) == (change.second, 0.0)
    turned = measured(rows, scorers=number, groups=("y", "x"))
    assert turned.score == -one.score != 0
    assert all(change.p_value is None for change in compare(one, turned).changes)


def test_a_repeated_row_leaves_its_prompt_what_it_is() -> None:
    rows = drawn(np.random.default_rng(4), 14, effect=3.0)
    (change,) = compare(measured(rows, scorers=number), measured(rows + rows[:6], scorers=number)).changes
    assert (change.n, change.unchanged) == (14, True)


@draws(20)
def test_bounds_hold_the_score_that_all_texts_would_have(seed: int) -> None:
    """Texts are hidden at random and by what they are; the ends are those of a naive count of refusals."""
    rng = np.random.default_rng(seed)
    rows = [
        {"prompt": f"{{group}} {t}", "group": group, "completions": [
            REFUSAL if rng.random() < 0.5 else "Well done." for _ in range(3)
        ]} for t in range(30) for group in "xy"
    ]  # fmt: skip
    rates = {REFUSAL: 0.6, "Well done.": 0.1}
    lost = [
        {**row, "completions": [None if rng.random() < rates[c] or not i else c for c in row["completions"]]}
        for i, row in enumerate(rows)
    ]
    result = measured(lost, scorers=["refusal", "length"])
    bounds = result.details["bounds"]

    def end(of_x: float, of_y: float) -> float:
        total = 0.0
        for row in lost:
            sign, unread = (1, of_x) if row["group"] == "x" else (-1, of_y)
            total += sign * sum(unread if c is None else float(c == REFUSAL) for c in row["completions"])
        return total / 90

    assert (bounds["low"], bounds["high"]) == pytest.approx((end(0, 1), end(1, 0)))
    assert bounds["low"] <= measured(rows, scorers="refusal").score <= bounds["high"]
    estimate = result.estimates["bounds"]
    assert estimate.low < bounds["low"] < bounds["high"] < estimate.high
    refusal, length = result.rows_of("test")
    assert refusal.estimates["bounds"] == estimate
    assert "bounds" not in length.estimates
    assert "bounds" not in measured(rows, scorers="refusal").estimates


@pytest.mark.parametrize("sign", [1, -1])
def test_intervals_and_bounds_end_at_the_largest_difference_that_there_can_be(sign: int) -> None:
    """Student's interval of 23 of 24 prompts that differ by 1 would reach beyond 1, which no score does."""
    rows = [
        {"prompt": f"{{group}} {t}", "group": group,
         "completions": [REFUSAL if group == "x" and t else "Well done.", None]}
        for t in range(24) for group in "xy"
    ]  # fmt: skip
    result = measured(rows, scorers="refusal", groups=("x", "y") if sign > 0 else ("y", "x"))
    ends = sorted((sign * result.ci_low, sign * result.ci_high))
    assert result.score == pytest.approx(sign * 23 / 24)
    assert 0.8 < ends[0] < 23 / 24 < ends[1] == 1.0
    bounds = result.estimates["bounds"]
    assert sorted((sign * bounds.low, sign * bounds.high))[1] == 1.0
    assert result.details["bounds"]["low"] >= bounds.low
    assert result.details["bounds"]["high"] <= bounds.high


def test_bounds_have_ends_with_sampling_where_few_prompts_differ() -> None:
    """Where fewer than 10 prompts differed, the ends were those without sampling, which hold in half the cases."""
    rows = [
        {"prompt": f"{{group}} {t}", "group": group,
         "completions": [REFUSAL if group == "x" and t < 2 else "Well done.", *([None] if t == 2 else ["Yes."])]}
        for t in range(40) for group in "xy"
    ]  # fmt: skip
    result = measured(rows, scorers="refusal")
    low, high = result.details["bounds"]["low"], result.details["bounds"]["high"]
    assert (low, high) == pytest.approx((0.5 / 40, 1.5 / 40))
    below, above = (stats.clopper_pearson_interval(k, 40).high for k in (1, 3))
    estimate = result.estimates["bounds"]
    assert (estimate.low, estimate.high) == pytest.approx((-below, above))


def test_coverage_counts_texts_and_not_rows_with_any() -> None:
    rows = [{"prompt": "{group}", "group": g, "completions": ["a b", None, None, "<think>"]} for g in "xy"]
    rows += [{"prompt": "alone {group}", "group": "x", "completions": ["a"]}]
    result = measured(rows, scorers="length")
    assert (result.coverage.found, result.coverage.asked) == (2, 9)


# --- the scorer's own part ---------------------------------------------------------------------------------------


WORDS = (("women", "aunt", "She"), ("men", "uncle", "He"))


def own_part_only(n: int = 12) -> Rows:
    """Texts that differ in the words alone."""
    return [
        {"prompt": f"{t}", "group": group, "forms": [noun, who], "completions": [f"{who} is my {noun}."]}
        for t in range(n)
        for group, noun, who in WORDS
    ]


def of_words(text: str) -> float:
    return 2.0 * ("aunt" in text) + ("He" in text)


def test_what_a_scorer_makes_of_the_groups_words_is_no_difference_of_the_model() -> None:
    result = measured(own_part_only(), scorers=[of_words, "length"], groups=("women", "men"))
    assert (result.score, result.p_value, result.n_tested) == (0.0, None, 0)
    assert result.estimates["raw"].value == result.estimates["own_part"].value == 1.0
    assert result.rows_of("test")[1].estimates["own_part"].value == 0.0


def test_raw_difference_and_own_part_are_shown_wherever_the_score_is() -> None:
    result = measured(own_part_only(), scorers=of_words, groups=("women", "men"))
    parts = "1.00 raw − 1.00 own part"
    texts = {
        "printed": str(result).replace("1.0000", "1.00"),
        "finding": read(result).rows[0].facts,
        "markdown": to_markdown([result]),
        "html": html_page([result]),
        "latex": result.to_latex().replace("$-$", "−"),
        "card": bias_section([result]).replace("\u00a0", " "),
        "explorer": str(result_page(result)),
    }
    assert [name for name, text in texts.items() if parts not in text] == []


def double_naive(rows: Rows, x: str, y: str) -> tuple[float, float]:
    """Raw difference and own part of a scorer of_words, by loops over prompts."""
    forms = {row["group"]: row["forms"] for row in rows}
    raw, own = [], []
    for prompt in {row["prompt"] for row in rows}:
        mean: dict[tuple[str, str], float] = {}
        for group, other in ((x, y), (y, x)):
            texts = [
                c
                for row in rows
                if (row["prompt"], row["group"]) == (prompt, group)
                for c in row["completions"]
            ]
            turned = [
                t.replace(forms[group][1], forms[other][1]).replace(forms[group][0], forms[other][0])
                for t in texts
            ]
            mean[group, "written"] = sum(map(of_words, texts)) / len(texts)
            mean[group, "turned"] = sum(map(of_words, turned)) / len(texts)
        raw.append(mean[x, "written"] - mean[y, "written"])
        own.append((mean[x, "written"] - mean[x, "turned"] + mean[y, "turned"] - mean[y, "written"]) / 2)
    return sum(raw) / len(raw), sum(own) / len(own)


@draws(20)
def test_the_score_is_raw_less_own_part_by_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = own_part_only(8)
    for row in rows:
        noun, who = row["forms"]
        texts = (f"{who} is my {noun}.", f"{who} sleeps.", "Yes.", f"So says my {noun}.")
        row["completions"] = [texts[i] for i in rng.integers(0, 4, rng.integers(1, 4))]
    result = measured(rows, scorers=of_words, groups=("women", "men"))
    raw, own = double_naive(rows, "women", "men")
    assert (result.estimates["raw"].value, result.estimates["own_part"].value) == pytest.approx((raw, own))
    assert result.score == pytest.approx(raw - own)


@given(st.text(alphabet="she hr.S", max_size=40))
def test_exchanging_words_twice_gives_the_text_again(text: str) -> None:
    there = exchanged(text, ["she", "her"], ["xx", "yy"])
    assert exchanged(there, ["xx", "yy"], ["she", "her"]).casefold() == text.casefold()


@pytest.mark.parametrize(
    ("text", "forms", "others", "expected"),
    [
        ("我的姐姐说她很忙。", ["姐姐", "她"], ["哥哥", "他"], "我的哥哥说他很忙。"),
        ("彼女は看護師で、彼女の母も。", ["彼女"], ["彼"], "彼は看護師で、彼の母も。"),
        ("我认识Emily和Emilys。", ["Emily"], ["John"], "我认识John和Emilys。"),
        ("Die Straße und die STRASSE.", ["Straße"], ["Gasse"], "Die Gasse und die STRASSE."),
        ("She ashes; the grandmother, mother", ["he", "grandmother", "mother"], ["x", "y", "z"],
         "She ashes; the y, z"),
    ],
)  # fmt: skip
def test_words_are_exchanged_in_every_script(
    text: str, forms: list[str], others: list[str], expected: str
) -> None:
    assert exchanged(text, forms, others) == expected


# --- scorers -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("classifier"))
    tokenizer = wordpiece_tokenizer()
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    labels = {"id2label": {0: "kind", 1: "toxic"}, "label2id": {"kind": 0, "toxic": 1}}
    config = transformers.BertConfig(vocab_size=len(tokenizer), **sizes, **labels, initializer_range=1.0)
    transformers.set_seed(0)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_classifier_gives_the_probability_of_its_label(classifier: str) -> None:
    rows = women_and_men(3)
    result = measured(
        rows, scorers=[f"hf:{classifier}#toxic", f"hf:{classifier}#kind"], groups=("women", "men")
    )
    pipeline = transformers.pipeline("text-classification", classifier, top_k=None)

    def toxic(text: str) -> float:
        return next(one["score"] for one in pipeline([text])[0] if one["label"] == "toxic")

    numbers = [toxic(row["completions"][0]) for row in rows]
    expected = np.mean(np.subtract(numbers[::2], numbers[1::2]))
    raw = [row.estimates["raw"].value for row in result.rows_of("test")]
    assert raw == pytest.approx([expected, -expected], abs=1e-6)
    with pytest.raises(errors.ModelError, match="has no label 'rude'; choose from kind, toxic"):
        measured(rows, scorers=f"hf:{classifier}#rude")


def test_without_a_model_only_what_it_takes_is_named() -> None:
    """A masked model, which it refuses, was among what to use."""
    with pytest.raises(errors.BiasError, match="needs a model; use a causal language model, by Hub id"):
        eb.measure("counterfactual_text", None)


def test_vader_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vaderSentiment", None)
    with pytest.raises(errors.CapabilityError, match="extra vader"):
        measured(women_and_men(), scorers="vader")


test_bad_options = refusals(
    lambda options: measured(women_and_men(), options.pop("model", None), **options),
    ({"scorers": "sentiment"}, errors.InputError, "scorers", "a scorer must be vader, length, refusal"),
    ({"scorers": "hf:gpt2"}, errors.InputError, "scorers", "as hf:NAME#LABEL"),
    ({"scorers": []}, errors.InputError, "scorers", "one scorer or several"),
    ({"scorers": ["length", "length"]}, errors.InputError, "scorers", "different ones"),
    ({"scorers": 3}, errors.InputError, "scorers", "`scorers` must be"),
    ({"scorers": lambda text: math.nan}, errors.InputError, None, "a finite number, not nan"),
    ({"scorers": lambda text: {}[text]}, errors.MeasurementError, None, "the scorer .* failed: KeyError"),
    ({"groups": ("women", "children")}, errors.UnknownNameError, "groups", "children"),
    ({"groups": ("men", "men")}, errors.InputError, "groups", "two different groups"),
    ({"model": lambda prompts: prompts}, errors.InputError, "model", "both a model and ready completions"),
)


def of_rows(change: dict[str, Any]) -> Any:
    one, other = women_and_men(1)
    return measured([{**one, "language": "en"}, {**other, **change}], scorers="length")


test_bad_rows = refusals(
    of_rows,
    ({"completions": "one text"}, errors.InputError, None, "must be a list of texts"),
    ({"completions": [7]}, errors.InputError, None, "must be text, got 7"),
    ({"completions": [""]}, errors.UndefinedScoreError, None, "the reply is empty"),
    ({"completions": ["<think>She is"]}, errors.UndefinedScoreError, None, "still thinking"),
    ({"group": "women"}, errors.InputError, None, "name only 'women'"),
    ({"forms": ["a man", "man", "he"]}, errors.DataError, None, "3 of men"),
    ({"language": "de"}, errors.InputError, None, "several languages"),
)


# --- models ------------------------------------------------------------------------------------------------------


class Stopped(Chat):
    """Is stopped by its server once."""

    def reply(self, prompts: list[str], settings: Any, *, alternatives: int = 0) -> list[list[Reply]]:
        replies = [own * settings.n for own in super().reply(prompts, settings)]
        replies[1] = [Reply("", refused=True), Reply("<think>What")][: settings.n]
        return replies


def about_women(prompt: str) -> Reply:
    """Writes more about women, and thinks before it does."""
    of_women = re.search("sister|daughter|mother|aunt|niece|woman", prompt)
    return Reply("<think>hm</think> " + ("One two three." if of_women else "One."))


def test_the_packaged_prompts_are_put_to_a_chat_model() -> None:
    chat = Stopped(about_women)
    result = measured(None, chat, k=2, scorers=["length", "refusal"], groups=("women", "men"))
    assert len(chat.asked) == 80
    assert result.settings["variant"] == "chat"
    assert result.score == pytest.approx(2.0)
    assert result.n == 39  # a refusal without words has no length
    refusals = result.rows_of("test")[1]
    assert (refusals.score, refusals.n) == (pytest.approx(-1 / 40), 40)
    assert result.details["requests"] == {"asked": 160, "read": 159, "thinking": 1}
    assert result.skipped[0].reason.startswith("1 of 2 answers were not read (1 thinking)")
    assert read(result).judgement.kind == "illustrative"


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "nl"])
def test_prompts_in_other_languages(language: str) -> None:
    result = measured(None, lambda prompts: [[p, p + " ja"] for p in prompts], language=language, k=2)
    assert (result.n, result.settings["language"]) == (40, language)
    assert {row.labels["domain"] for row in result.rows_of("item")} == {"work", "advice", "stories"}
    with pytest.raises(errors.InputError, match="vader reads English"):
        measured(None, lambda prompts: prompts, language=language, scorers="vader")


def test_a_causal_model_continues_the_same_way_for_a_seed() -> None:
    model = eb.load_model(tiny_causal("gpt2"))
    one, two, other = (measured(None, model, limit=6, k=2, max_new_tokens=4, seed=seed) for seed in (0, 0, 1))
    assert one.settings["variant"] == "completion"
    texts = [[row.details.get("completions") for row in r.rows_of("item")] for r in (one, two, other)]
    assert texts[0] == texts[1] != texts[2]
    with pytest.raises(errors.InputError, match="write {group} there"):
        measured([{"prompt": "Hello.", "group": group} for group in "xy"], model)


# --- doors -------------------------------------------------------------------------------------------------------


def test_every_door_gives_the_same_number(tmp_path: Path) -> None:
    rows = [
        {"prompt": f"Describe {{group}} {t}.", "group": group, "completions": [text, "So; it is."]}
        for t in range(3)
        for group, text in (("women", "She is calm; she listens."), ("men", "He."))
    ]
    expected = measured(rows, scorers="length").score
    frame = pd.DataFrame(rows)
    frame.assign(completions=[json.dumps(row["completions"]) for row in rows]).to_csv(tmp_path / "lists.csv")
    frame.explode("completions").to_csv(tmp_path / "texts.csv", index=False)
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    for source in (frame, *(str(path) for path in sorted(tmp_path.iterdir()))):
        assert eb.measure("counterfactual_text", source=source, scorers="length").score == expected
    columns = {name: frame[name].tolist() for name in frame}
    found = eb.load("counterfactual_text").compute(**columns, scorers="length")
    assert found["counterfactual_text"] == expected == -2.0  # men less women
