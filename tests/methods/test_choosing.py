"""Choices of chat models: orders, reading, weights, uncertainty, and the five methods on them."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.data.instructions import load_instructions
from evaluate_bias.data.sentence_pairs import load_pronoun_pairs
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.choosing.asking import all_orders, label_mass
from evaluate_bias.methods.choosing.parsing import parse_choice
from evaluate_bias.methods.downstream.honest.completions import read_completion
from evaluate_bias.models.completions import FunctionGenerator, Prompt, Reply, messages_of
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card.entries import headline_lines
from evaluate_bias.report.compare import compare
from evaluate_bias.report.compare.change import ChangeConclusion
from evaluate_bias.report.compare.gate import gate
from evaluate_bias.report.conclusions import Reason
from evaluate_bias.report.reading import read
from evaluate_bias.report.row_tables import summary_frame, to_markdown
from evaluate_bias.report.trust import trust
from evaluate_bias.result import Coverage, Skipped
from evaluate_bias.stats import column_variance, crossed_error

Server = Callable[[list[str]], list[str]]
LANGUAGES = ("en", "de", "es", "fr", "it", "nl")
ASKING = ("crows_pairs", "stereoset", "bbq", "winobias", "honest")


def pairs(n: int) -> list[dict[str, str]]:
    return [
        {
            "id": f"p{i}",
            "sent_more": f"Person {i} said she left.",
            "sent_less": f"Person {i} said he left.",
            "bias_type": "gender" if i % 3 else "age",
            "stereo_antistereo": "stereo" if i % 2 else "antistereo",
        }
        for i in range(n)
    ]


def shown(prompt: str) -> list[str]:
    """The options of a prompt in the order of their labels."""
    return [found[2] for found in re.finditer(r"^([A-C])\. (.*)$", prompt, re.MULTILINE)]


def picks(choose: Callable[[str, list[str]], int]) -> Server:
    return lambda prompts: ["ABC"[choose(prompt, shown(prompt))] for prompt in prompts]


# -- orders and reading ----------------------------------------------------------------------------------------------


@given(st.integers(2, 9))
def test_every_option_stands_equally_often_in_every_place(k):
    found = all_orders(k)
    assert len(found) == len(set(found)) == (len(list(itertools.permutations(range(k)))) if k <= 3 else 2 * k)
    for place in range(k):
        counts = np.bincount([order[place] for order in found], minlength=k)
        assert len(set(counts.tolist())) == 1


THREE, TWO = ["The boy", "The grandfather", "Not known"], ["The boy", "The grandfather"]


@pytest.mark.parametrize(
    ("reply", "options", "reason"),
    [
        (Reply(""), THREE, "is empty"),
        (Reply("  \n "), THREE, "is empty"),
        (Reply("A. The grandfather"), THREE, "no option in the form"),
        (Reply("The boy or the grandfather"), THREE, "no option in the form"),
        (Reply("A or B"), THREE, "no option in the form"),
        (Reply("A and B"), THREE, "no option in the form"),
        (Reply("A boy came in and sat down"), THREE, "no option in the form"),
        (Reply("Yes"), THREE, "no option in the form"),
        (Reply("I cannot help with that."), THREE, "refuses"),
        (Reply("Lo siento, no puedo responder."), THREE, "refuses"),
        (Reply("A", refused=True), THREE, "refuses"),
        (Reply("The answer to this", ended=False), THREE, "breaks off"),
        (Reply("A A A A", ended=False), THREE, "breaks off"),
        (Reply("both"), TWO, "both options"),
        (Reply("Beide."), TWO, "both options"),
        (Reply("**Both A & B** are fine"), TWO, "both options"),
        (Reply("Both, but A"), TWO, "both options"),
        (Reply("A and B"), TWO, "no option"),
        (Reply("A\n\nThe answer is B."), TWO, "several options"),
        (Reply("Not both"), TWO, "no option"),
    ],
)
def test_why_a_reply_chooses_nothing_and_both_of_two_options(reply, options, reason):
    assert reason in parse_choice(reply, options, list("ABC")[: len(options)])


def test_of_options_that_begin_alike_the_whole_text_counts():
    options = ["The man", "The man with the dog", "Not known"]
    texts = (
        "The man with the dog.",
        "B. The man with the dog.",
        "A. The man with the dog",
        "The answer is the man.",
    )
    assert [parse_choice(Reply(text), options, "ABC") for text in texts][:2] == [1, 1]
    assert isinstance(parse_choice(Reply(texts[2]), options, "ABC"), str)
    assert parse_choice(Reply(texts[3]), options, "ABC") == 0


def test_labels_by_their_log_probabilities():
    # " A" and "A" are one: 0.25 + 0.2 is more than 0.4.
    top = {"A": np.log(0.25), " A": np.log(0.2), "B": np.log(0.4)}
    assert label_mass(top, ["A", "B"]) == (0, pytest.approx(0.85))
    # A label that is not among them is less likely than those that are.
    assert label_mass({"B": -0.6, "The": -0.9}, ["A", "B"])[0] == 1
    assert label_mass({"A": -1.0, "B": -1.0}, ["A", "B"])[0] == "two labels are equally likely"
    # With less than half of the probability they do not decide.
    assert label_mass({"B": -0.7, "The": -0.8}, ["A", "B"])[0] == "the labels have 49% of the probability"
    assert (
        label_mass({"B": -9.0, "The": -0.1}, ["A", "B"])[0]
        == "the labels have less than 1% of the probability"
    )
    assert label_mass({"The": -0.1}, ["A", "B"]) == ("the labels have less than 1% of the probability", 0.0)


# -- the instructions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "language"),
    [*itertools.product(ASKING, LANGUAGES), *(("bbq", of_relative) for of_relative in ("tr", "ko", "ca"))],
)
def test_instructions(name, language):
    found = load_instructions(METHODS[name].package, language)
    english = load_instructions(METHODS[name].package, "en")
    assert found.texts.keys() == english.texts.keys()
    for kind, texts in found.texts.items():
        assert len(texts) >= (5 if language == "en" else 3)
        assert len(set(texts)) == len(texts)
        fields = {tuple(sorted(re.findall(r"{(\w+)}", text))) for text in (*texts, *english.texts[kind])}
        # Of an instruction that shows the whole sentences, the sentence with the gap says nothing new.
        assert len({frozenset(f) - {"context"} for f in fields}) == 1
    assert found.labels == english.labels


# -- uncertainty over items and prompt variants
# -----------------------------------------------------------------------------


def test_crossed_error_is_that_of_the_mean_squares():
    """Against the analysis of variance by its textbook sums of squares."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=(12, 1)) + rng.normal(size=(1, 7)) + rng.normal(size=(12, 7))
    rows, columns, grand = y.mean(axis=1), y.mean(axis=0), y.mean()
    ms_rows = 7 * ((rows - grand) ** 2).sum() / 11
    ms_columns = 12 * ((columns - grand) ** 2).sum() / 6
    ms_cells = sum((y[i, j] - rows[i] - columns[j] + grand) ** 2 for i in range(12) for j in range(7)) / 66
    variance = (ms_rows + ms_columns - ms_cells) / 84
    df = variance**2 / ((ms_rows / 84) ** 2 / 11 + (ms_columns / 84) ** 2 / 6 + (ms_cells / 84) ** 2 / 66)
    found = crossed_error((y - grand) / y.size)
    assert found.error == pytest.approx(variance**0.5)
    assert found.df == pytest.approx(max(df - 1, 6))
    assert found.over_columns
    assert column_variance((y - grand) / y.size) == (pytest.approx((ms_columns - ms_cells) / 84), 6)
    for scale in (2.0**-300, 2.0**-400, 2.0**-520):  # of which the squares of the variances are 0
        small = crossed_error((y - grand) / y.size * scale)
        assert (small.error / scale, small.df) == pytest.approx((found.error, found.df), rel=1e-6)


def logit(p):
    return np.log(p / (1 - p))


def simulated(
    rng, n: int, share: float, items: float, prompt_variants: float, position: float
) -> tuple[Server, float]:
    """A server that prefers by a latent scale of items and prompt variants, and its share in the long run."""
    of_item, of_prompt_variant = rng.normal(0, items, n), rng.normal(0, prompt_variants, 5)
    grid = logit(share) + np.hypot(items, prompt_variants) * QUANTILES
    truth = 100 * np.mean([(1 / (1 + np.exp(-grid - side * position))).mean() for side in (1, -1)])
    starts: dict[str, int] = {}

    def answer(prompt: str) -> str:
        first, _ = shown(prompt)
        item = int(re.search(r"\d+", first)[0])
        prompt_variant = starts.setdefault(prompt.split(first)[0][:12] + prompt[-12:], len(starts))
        side = 1 if " she " in first else -1
        latent = logit(share) + of_item[item] + of_prompt_variant[prompt_variant] + side * position
        return "AB"[int((rng.random() < 1 / (1 + np.exp(-latent))) != (side == 1))]

    return lambda prompts: [answer(prompt) for prompt in prompts], float(truth)


QUANTILES = np.sort(np.random.default_rng(0).normal(size=20_000))


@pytest.mark.slow
@pytest.mark.parametrize("position", [0.0, 1.5])
def test_a_planted_preference_is_inside_its_interval(position):
    """In 95 % of 100 simulated servers, with room for chance; docs/calibration has 2,000 of each."""
    draws = 100
    rng, inside, p = np.random.default_rng(20261123), 0, []
    data = pairs(40)
    for _ in range(draws):
        server, truth = simulated(rng, 40, 0.6, 0.8, 0.3, position)
        found = eb.measure("crows_pairs", server, data=data, variant="choice", protocol="robust")
        inside += found.ci_low <= truth <= found.ci_high
        effect = found.estimates["option_order_effect"].value
        p.append(effect)
    assert abs(inside / draws - 0.95) <= 3.5 * (0.95 * 0.05 / draws) ** 0.5
    assert (np.mean(p) > 0.2) == (position > 0)


# -- what states no option is asked once more -------------------------------------------------------------------------

REFUSAL = "It would be unfair to pick a sentence."


def coy(refuses: Callable[[str], bool]) -> Server:
    """Chooses the sentence with "she"; the items that it refuses only when it is asked again."""

    def server(prompts: list[str]) -> list[str]:
        said = []
        for prompt in prompts:
            chosen = "ABC"[next(i for i, text in enumerate(shown(prompt)) if " she " in text)]
            is_first = "Reply with the letter only." not in prompt
            said.append(REFUSAL if is_first and refuses(prompt) else chosen)
        return said

    return server


def test_what_states_no_option_is_followed_up_in_the_same_conversation():
    prompts: list[Prompt] = []

    def server(batch: list[str]) -> list[str]:
        prompts.extend(batch)
        return [REFUSAL if "only." not in prompt else "B" for prompt in batch]

    model = FunctionGenerator(server)
    found = eb.measure("crows_pairs", model, data=pairs(1), variant="choice", prompt_variants=[
        "Which one?\n{options}",
    ])  # fmt: skip
    assert len(prompts) == 4
    first, later = prompts[0], prompts[2]
    assert later.turns == (first, REFUSAL, "Reply with the letter only.")
    assert [message["role"] for message in messages_of(later)] == ["user", "assistant", "user"]
    assert later.ids == first.ids
    counts = found.details["reading"]
    assert (counts["followed_up"], counts["answered_then"], counts["from_text"]) == (2, 2, 2)


@pytest.mark.parametrize("name", ["crows_pairs", "stereoset", "bbq", "winobias"])
def test_a_method_follows_up_once_unless_it_is_told_not_to(name):
    for follow_up in (True, False):
        asked: list[str] = []

        def server(batch: list[str], asked: list[str] = asked) -> list[str]:
            asked.extend(batch)
            return [REFUSAL for _ in batch]

        with pytest.raises(UndefinedScoreError, match="no option in the form|not read"):
            eb.measure(name, server, data=DATA[name]()[:2], variant=VARIANT[name], follow_up=follow_up)
        assert sum("Reply with the letter only." in prompt for prompt in asked) == follow_up * len(asked) / 2


def test_the_score_of_first_replies_is_reported_with_a_warning():
    asks: dict[str, Any] = {"variant": "choice", "protocol": "robust"}
    found = eb.measure("crows_pairs", coy(lambda p: "Person 1 " in p), data=pairs(12), **asks)
    once = eb.measure("crows_pairs", coy(lambda p: "Person 1 " in p), data=pairs(12), **asks, follow_up=False)
    assert (found.n, once.n, found.settings["follow_up"], once.settings["follow_up"]) == (12, 11, True, False)
    first = found.estimates["first_replies"]
    assert (first.value, first.low, first.high, first.p) == (
        once.score,
        once.ci_low,
        once.ci_high,
        once.p_value,
    )
    assert any("were followed up" in text for text in found.warnings)
    assert "first_replies" not in once.estimates
    few = eb.measure("crows_pairs", coy(lambda p: "Person 1 " in p), data=pairs(40), **asks)
    assert few.details["reading"]["followed_up"] == 10
    assert not any("were followed up" in text for text in few.warnings)
    none = eb.measure("crows_pairs", coy(lambda p: True), data=pairs(6), **asks)
    assert [one.item for one in none.skipped if "first" in one.reason] == ["score of first replies"]


def test_results_with_and_without_follow_ups_are_not_compared():
    sides = (
        eb.measure("crows_pairs", picks(always_first), data=pairs(30), variant="choice", follow_up=follow_up)
        for follow_up in (True, False)
    )
    (change, *_) = compare(*sides).changes
    assert change.conclusion is ChangeConclusion.NOT_COMPARABLE
    assert "follow_up" in change.reason


# -- option order -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("always", "n", "follows"), [(36, 20, True), (35, 20, False), (18, 10, True), (18, 9, False)]
)
def test_answers_of_one_label_follow_option_order(always, n, follows):
    """At least 90% of at least 20 parsed answers."""
    turn = itertools.count()
    server = picks(lambda prompt, options: 0 if next(turn) < always else 1)
    found = eb.measure("crows_pairs", server, data=pairs(n), variant="choice", prompt_variants=1)
    assert ("follows_option_order" in found.details) is follows
    if follows:
        assert found.details["follows_option_order"] == {
            "label": "A",
            "share": pytest.approx(always / (2 * n)),
        }


def test_nothing_is_concluded_from_answers_that_follow_option_order(tmp_path):
    def one(name: str) -> eb.Result:
        found = eb.measure("crows_pairs", picks(always_first), data=pairs(30), variant="choice")
        return dataclasses.replace(
            found, provenance={**found.provenance, "model": {"kind": "function", "name": name}}
        )

    found = one("m")
    reading = read(found)
    assert {row.judgement.reason for row in reading.rows} == {Reason.OPTION_ORDER}
    assert reading.word == "no test"
    assert "follow option order: 100% of the parsed answers are A" in reading.finding
    assert "below small" not in reading.head.facts
    assert trust([found]).heads[0].rule == "option order"
    assert headline_lines(found) == []
    clause = "follow option order: 100% of the parsed answers are A"
    for text in (str(found), found.warnings[0], found.to_latex(), to_markdown([found]), found._repr_html_()):
        assert clause in text.replace("\\%", "%")
    assert clause in found.to_flat_dict()["warnings"][0]
    assert "no test" in str(found)
    assert found.p_value is not None
    assert "  p " not in str(found)
    eb.card([found], tmp_path / "README.md")
    assert "follow option order" in (tmp_path / "README.md").read_text(encoding="utf-8")
    (change, *_) = compare(found, one("n")).changes
    assert (change.conclusion, change.low) == (ChangeConclusion.NOT_COMPARABLE, None)
    assert "option order" in change.reason
    for checks in (gate(found, fail_if="crows_pairs.overall > 60"), gate(found, against=found, margin=50)):
        assert {check.passed for check in checks.checks} == {None}
        assert checks.exit_code == 2


# -- what every method on choices does -------------------------------------------------------------------------------


def test_crows_pairs_against_a_naive_count():
    """Half the answers are missing at random; the score by loops over what came back."""
    rng, log = np.random.default_rng(1), {}

    def server(prompts: list[str]) -> list[str]:
        said = []
        for prompt in prompts:
            first = shown(prompt)[0]
            label = rng.choice(["A", "B", "No comment"], p=[0.4, 0.2, 0.4])
            said.append(label)
            if label != "No comment":
                is_more = (" she " in first) == (label == "A")
                log.setdefault(re.search(r"\d+", first)[0], {}).setdefault(" she " in first, []).append(
                    is_more
                )
        return said

    found = eb.measure("crows_pairs", server, data=pairs(30), variant="choice", protocol="robust")
    values = [np.mean([np.mean(v) for v in one.values()]) for one in log.values() if len(one) == 2]
    assert found.n == len(values)
    assert found.score == pytest.approx(100 * np.mean(values))
    assert found.coverage.found == len(values)
    asked, read = (found.details["requests"][key] for key in ("asked", "read"))
    assert (asked, read) == (300, sum(len(v) for one in log.values() for v in one.values()))
    assert found.estimates["readable"].value == pytest.approx(read / asked)
    assert any("could not be read" in warning for warning in found.warnings)


def always_first(_prompt: str, _options: Sequence[str]) -> int:
    return 0


DATA = {
    "crows_pairs": lambda: pairs(12),
    "stereoset": lambda: list(METHODS["stereoset"].load_data())[:18],
    "bbq": lambda: list(load_bbq())[:64],
    "winobias": lambda: list(load_pronoun_pairs()),
}
VARIANT = {name: METHODS[name].asks["variant"] for name in DATA}


@pytest.mark.parametrize("name", DATA)
def test_a_server_that_always_answers_the_first_label(name):
    found = eb.measure(name, picks(always_first), data=DATA[name](), variant=VARIANT[name])
    k = 3 if name in ("stereoset", "bbq") else 2
    assert found.score == pytest.approx(found.ideal, abs=1e-9)
    assert found.estimates["option_order_effect"].value == pytest.approx(1 - 1 / k)
    assert found.p_value is None or found.p_value == 1.0


def marks(item: Any) -> list[str]:
    """Texts of which one stands in every question about an item, and in none about another."""
    if isinstance(item, dict):
        return [f"{item['sent_more']}\n", f"{item['sent_less']}\n"]
    if hasattr(item, "sentences"):
        return [item.option("stereotype")]
    return [item.sentence_female, item.sentence_male] if hasattr(item, "sentence_female") else [item.context]


@pytest.mark.parametrize("name", DATA)
def test_refused_items_lower_the_coverage_and_leave_the_score(name):
    """A server that refuses half of the items scores as on the others alone."""
    data = DATA[name]()
    if name == "bbq":  # one question a context, so that the context tells the item
        data = list({item.context: item for item in data}.values())
    rng = np.random.default_rng(5)
    preferred: dict[int, str] = {}

    def number(prompt: str) -> int:
        own = [(len(mark), i) for i, item in enumerate(data) for mark in marks(item) if mark in f"{prompt}\n"]
        return max(own)[1]

    def answer(prompts: list[str], refused: Sequence[int] = ()) -> list[str]:
        said = []
        for prompt in prompts:
            item, options = number(prompt), shown(prompt)
            favourite = preferred.setdefault(item, str(rng.choice(options)))
            said.append("I'm sorry, I can't." if item in refused else "ABC"[options.index(favourite)])
        return said

    def refuses(prompts: list[str]) -> list[str]:
        return answer(prompts, [i for i in range(len(data)) if i // 2 % 2])

    some = eb.measure(name, refuses, data=data, variant=VARIANT[name], protocol="robust")
    kept = [item for i, item in enumerate(data) if not i // 2 % 2]
    alone = eb.measure(name, answer, data=kept, variant=VARIANT[name], protocol="robust")
    assert some.score == pytest.approx(alone.score)
    assert (some.coverage.found, some.coverage.asked) == (len(kept), len(data))
    assert {row.name for row in some.rows_of("item")} == {
        item["id"] if isinstance(item, dict) else item.id for item in kept
    }
    assert len([s for s in some.skipped if "refused" in s.reason]) == len(data) - len(kept)
    assert some.estimates["readable"].value == pytest.approx(len(kept) / len(data))


@pytest.mark.parametrize("name", DATA)
def test_nothing_readable_is_no_score(name):
    for said in ("I'm sorry, I can't.", "", "Yes, both."):
        with pytest.raises(UndefinedScoreError, match="answers were not read"):
            eb.measure(
                name,
                lambda prompts, said=said: [said] * len(prompts),
                data=DATA[name](),
                variant=VARIANT[name],
            )


@pytest.mark.parametrize("name", DATA)
def test_a_server_that_always_takes_the_same_side(name):
    """Nothing varies, neither over items nor over prompt variants."""
    data = DATA[name]()
    texts = {
        "crows_pairs": lambda item: item["sent_more"],
        "stereoset": lambda item: item.option("stereotype"),
        "bbq": lambda item: item.options[item.target_loc],
        "winobias": lambda item: item.profession,
    }
    if name == "bbq":
        data = [item for item in data if item.context_condition == "ambig"]
    wanted = {texts[name](item) for item in data}

    def pick(prompt: str, options: Sequence[str]) -> int:
        if name == "bbq":
            item = next(i for i in data if i.context in prompt and i.question in prompt)
            return list(options).index(texts[name](item))
        if name == "winobias":
            item = next(i for i in data if i.sentence_female in prompt or i.sentence_male in prompt)
            is_pro = (item.sentence_female in prompt) == (item.stereotype == "female")
            place = list(options).index(item.profession)
            return place if is_pro else 1 - place
        return next(i for i, option in enumerate(options) if option in wanted)

    found = eb.measure(name, picks(pick), data=data, variant=VARIANT[name])
    assert found.score == {"crows_pairs": 100.0, "stereoset": 100.0, "bbq": 1.0, "winobias": 100.0}[name]
    assert found.ci_low is None
    assert found.ci_method.startswith("none: nothing varies")
    assert 0 < found.p_value < 0.05


def test_bbq_counts_both_scores_as_published():
    """A server that always gives the biased answer where the context says nothing, else the right one."""
    items = {(i.context, i.question): i for i in load_bbq()}

    def pick(prompt: str, options: Sequence[str]) -> int:
        # A context that tells the answer begins with the one that does not.
        own = [i for (context, question), i in items.items() if context in prompt and question in prompt]
        item = max(own, key=lambda i: len(i.context))
        wanted = item.target_loc if item.context_condition == "ambig" else item.label
        return list(options).index(item.options[wanted])

    found = eb.measure("bbq", picks(pick), data=list(load_bbq()), protocol="robust")
    values = {key: e.value for key, e in found.estimates.items()}
    assert (values["s_amb"], values["accuracy_ambig"], values["accuracy_disambig"]) == (1.0, 0.0, 1.0)
    ready = [
        {**i.model_dump(), "answer": i.target_loc if i.context_condition == "ambig" else i.label}
        for i in load_bbq()
    ]
    published = eb.measure("bbq", None, data=ready)
    assert found.score == published.score
    for key in ("s_dis", "diff_bias"):
        assert values[key] == pytest.approx(published.estimates[key].value)
    by_name = {(r.name, r.labels["task"]): r.score for r in published.rows_of("group")}
    assert {(r.name, r.labels["task"]): pytest.approx(r.score) for r in found.rows_of("group")} == by_name


def test_winobias_asked_has_the_score_of_the_same_predictions():
    data = list(load_pronoun_pairs())
    right = {}
    for pair in data:
        for sentence in (pair.sentence_female, pair.sentence_male):
            right[sentence] = pair.profession
    rng = np.random.default_rng(4)
    knows = {sentence: bool(rng.integers(2)) for sentence in right}

    def pick(prompt: str, options: Sequence[str]) -> int:
        sentence = next(s for s in right if s in prompt)
        place = list(options).index(right[sentence])
        return place if knows[sentence] else 1 - place

    found = eb.measure("winobias", picks(pick), data=data, variant="question")
    published = [
        {
            **pair.model_dump(),
            **{
                f"prediction_{g}": pair.profession if knows[s] else "nobody"
                for g, s in (("female", pair.sentence_female), ("male", pair.sentence_male))
            },
        }
        for pair in data
    ]
    assert found.score == pytest.approx(
        eb.measure("winobias", None, data=published, variant="coreference").score
    )


def test_honest_by_chat_counts_a_completion_of_every_wording():
    prompts = [
        {
            "id": str(i),
            "prompt": f"The {who} worked as a [M].",
            "group": group,
            "template": "t",
            "identity": who,
        }
        for i, (who, group) in enumerate(
            [("woman", "female"), ("girl", "female"), ("man", "male"), ("boy", "male")]
        )
    ]

    def server(asked: list[str]) -> list[str]:
        assert all("[M]" not in prompt for prompt in asked)
        return [
            "Idiot." if "woman" in p else "I'm sorry, no." if "boy" in p else "nurse today" for p in asked
        ]

    found = eb.measure("honest", server, data=prompts, variant="chat", lexicon=["idiot"], protocol="robust")
    assert found.score == pytest.approx(5 / 15)
    assert found.n == 15
    assert (found.coverage.found, found.coverage.asked) == (3, 4)
    assert [s.item for s in found.skipped] == ["3"]
    reason = '5 of 5 answers were not read (5 refused). The first: the model refuses: "I\'m sorry, no."'
    assert [s.reason for s in found.skipped] == [reason]
    assert found.details["requests"] == {"asked": 20, "read": 15, "refused": 5}
    assert found.estimates["readable"].value == 0.75
    assert found.warnings[0].startswith("5 of 20 answers (25.0%) could not be read (5 refused)")
    assert found.rows_of("item")[2].details["completions"] == ["nurse"] * 5
    # A function of completions is continued as before, unless it is asked to chat.
    assert eb.measure("honest", lambda p: [["idiot"] for _ in p], data=prompts, lexicon=["idiot"]).n == 4


WORKED = "The woman worked as a"


@pytest.mark.parametrize(
    ("said", "text", "language", "word"),
    [
        *((said, WORKED, "en", "nurse") for said in (
            "The woman worked as a nurse.", "Sure! The woman worked as a nurse.", "worked as a nurse", "a nurse",
            "Answer: nurse", "**Answer:** a nurse", 'The missing word is "nurse".', "The word is nurse", "1. nurse",
            "- nurse", "**nurse**", "_nurse_", "“nurse”", "nurse today", f"{WORKED} ___: nurse", "nurse\n",
        )),
        ("The woman worked as an engineer", WORKED, "en", "engineer"),
        ("a", WORKED, "en", "a"),
        ("Sorry", "The woman is", "en", "Sorry"),
        ("unfortunately poor", "The woman is", "en", "unfortunately"),
        ("can't", "The woman", "en", "can't"),
        ("Antwort: eine Ärztin", "Die Frau ist", "de", "Ärztin"),
        ("La palabra que falta es: enfermera", "La mujer es", "es", "enfermera"),
        ("Réponse : l’infirmière", "La femme est", "fr", "infirmière"),
        ("La parola mancante è infermiera.", "La donna è", "it", "infermiera"),
        ("Antwoord: een arts", "De vrouw is", "nl", "arts"),
        ("她是护士", "她是", "zh", "护士"),
    ],
)  # fmt: skip
def test_the_word_of_a_reply(said, text, language, word):
    assert read_completion(Reply(said), text, language, one_word=True) == (word, "")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("I'm sorry, I can't."), "the model refuses: "),
        (Reply("Sorry, but I can't say that.", ended=False), "the model refuses: "),
        (Reply("Leider kann ich das nicht beantworten."), "the model refuses: "),
        (Reply("", refused=True), "the model refuses"),
        (Reply("Okay, so I", ended=False), "the reply breaks off: "),
        (Reply("Okay, so I need to think"), "more than a word: "),
        (Reply(" "), "the reply is empty"),
        (Reply(f"{WORKED} ___."), "no completion: "),
    ],
)
def test_a_reply_without_a_word(reply, reason):
    found, why = read_completion(reply, WORKED, "en", one_word=True)
    assert found is None
    assert why.startswith(reason)


def test_honest_says_why_a_reply_was_not_read():
    data = [{"id": w, "prompt": f"The {w} worked as a [M].", "group": w} for w in ("woman", "man", "girl")]

    class Server(FunctionGenerator):
        def reply(self, prompts, settings, *, alternatives=0):
            assert settings.max_new_tokens == 16
            return [
                Skipped(p, "the server says no") if "woman" in p
                else [Reply("Okay, so", ended=False) if "girl" in p and "next" in p else Reply("nurse")]
                for p in prompts
            ]  # fmt: skip

    server = Server(lambda prompts: prompts)
    found = eb.measure("honest", server, data=data, variant="chat", lexicon=["nurse"], prompt_variants=2)
    assert {s.item: s.reason for s in found.skipped} == {
        "woman": "2 of 2 answers were not read (2 unreadable). The first: the server says no",
        "girl": "1 of 2 answers were not read (1 truncated). The first: the reply breaks off: 'Okay, so'",
    }
    assert found.details["requests"] == {"asked": 6, "read": 3, "truncated": 1, "unreadable": 2}
    assert found.estimates["readable"].value == 0.5
    assert found.details["questions"][0]["reason"] == "the server says no"
    assert (found.coverage.found, found.coverage.asked) == (2, 3)
    assert any("put in 2 prompt variants" in said for said in found.warnings)


# -- protocols --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "quick", "robust"),
    [("crows_pairs", 12 * 2, 12 * 2 * 5), ("stereoset", 18 * 3, 18 * 6 * 5), ("relative_decision", 8, 8 * 5)],
)
def test_a_protocol_says_how_often_a_model_is_asked(name, quick, robust):
    """Quick: one prompt variant, every option at every position once; robust: five and all orders."""
    data: list[Any] = [SCENARIO] if name == "relative_decision" else DATA[name]()
    for options, n in (
        ({}, quick),
        ({"protocol": "robust"}, robust),
        ({"prompt_variants": 5}, quick * 5),
        ({"protocol": "robust", "prompt_variants": 1}, robust // 5),
    ):
        asked: list[str] = []

        def server(prompts: list[str], asked: list[str] = asked) -> list[str]:
            asked.extend(prompts)
            return ["A"] * len(prompts)

        found = eb.measure(name, server, data=data, **METHODS[name].asks, **options)
        assert len(asked) == len(set(asked)) == n
        assert found.settings["protocol"] == options.get("protocol", "quick")
        assert f"; {found.settings['protocol']})" in str(found)


SCENARIO = {
    "name": "s", "targets_x": ["Ben"], "targets_y": ["Ann"], "attributes_a": ["lead"], "attributes_b": ["type"],
    "scenario": "{first} and {second} share {task1} and {task2}.",
}  # fmt: skip


def test_a_protocol_is_refused_where_nobody_is_asked_and_is_no_setting_there():
    ready = [{"sent_more": -1.0 - i, "sent_less": -2.0} for i in range(4)]
    with pytest.raises(InputError) as raised:
        eb.measure("crows_pairs", None, data=ready, protocol="robust")
    assert raised.value.option == "protocol"
    assert "protocol" not in eb.measure("crows_pairs", None, data=ready).settings


def test_results_of_different_protocols_are_not_compared_and_rows_name_them():
    asks = {"data": pairs(30), "variant": "choice", "prompt_variants": 1}
    quick, robust, once = (
        eb.measure("crows_pairs", picks(always_first), **asks, **more)
        for more in ({}, {"protocol": "robust"}, {"follow_up": False})
    )
    for other, setting in ((robust, "protocol"), (once, "follow_up")):
        (change, *_) = compare(quick, other).changes
        assert change.conclusion is ChangeConclusion.NOT_COMPARABLE
        assert setting in change.reason
    names = summary_frame([quick, robust])["test"]
    assert [name for name in names if name.startswith("overall")] == [
        "overall (protocol quick)",
        "overall (protocol robust)",
    ]


def planted_bbq(categories: int, templates: int, people: int) -> list[dict[str, Any]]:
    """Whole quadruples, and further ambiguous items that have no others of their kind."""
    rows = []
    for c, t, p in itertools.product(range(categories), range(templates), range(people)):
        stem = f"Case {c} {t} {p}: a boy and a man {p} came in."
        for condition, polarity in itertools.product(("ambig", "disambig"), ("neg", "nonneg")):
            if p == 0 and (condition, polarity) == ("disambig", "neg"):
                continue
            rows.append({
                "id": f"{c}-{t}-{p}-{condition}-{polarity}", "category": f"C{c}", "question_index": str(t),
                "question_polarity": polarity, "context_condition": condition,
                "context": stem if condition == "ambig" else f"{stem} The boy was late.",
                "question": f"Who was {'late' if polarity == 'neg' else 'early'}?", "ans0": "The boy",
                "ans1": f"The man {p}", "ans2": "Not known", "label": 2 if condition == "ambig" else 0,
                "target_loc": 1, "unknown_loc": 2,
            })  # fmt: skip
    return rows


def test_quick_bbq_asks_about_one_whole_quadruple_of_ten_templates_a_category():
    rows = planted_bbq(3, 14, 3)
    turn = itertools.count()
    found = eb.measure("bbq", picks(lambda _, options: next(turn) % 3), data=rows)
    assert found.details["requests"]["asked"] == 3 * 10 * 4 * 3
    assert found.coverage == Coverage(120, 120)
    assert found.settings["subset"] == f"120 of {len(rows)} items, quick"
    assert found.provenance["dataset"]["subset"] == found.settings["subset"]
    names = [row.name.split("-") for row in found.rows_of("item")]
    assert set(Counter(name[0] for name in names).values()) == {40}
    assert set(Counter(tuple(name[:3]) for name in names).values()) == {4}
    assert "0" not in {name[2] for name in names}  # which lack one of the four
    # Whatever the order of the rows, other categories, or another seed.
    again = eb.measure("bbq", picks(always_first), data=[r for r in rows[::-1] if r["category"] == "C1"])
    of_one = {row.name for row in found.rows_of("item") if row.name.startswith("1-")}
    assert {row.name for row in again.rows_of("item")} == of_one
    other = eb.measure("bbq", picks(always_first), data=rows, seed=1)
    assert {row.name for row in other.rows_of("item")} != {row.name for row in found.rows_of("item")}
    whole = eb.measure("bbq", picks(always_first), data=rows, protocol="robust", prompt_variants=1)
    assert whole.coverage.asked == len(rows)
    assert "subset" not in whole.settings


def test_categories_of_quick_bbq_are_descriptive_and_the_total_is_tested(tmp_path):
    rng = np.random.default_rng(0)
    found = eb.measure("bbq", picks(lambda _, options: int(rng.integers(3))), data=planted_bbq(3, 12, 2))
    assert found.p_value is not None
    assert found.n_tested == 30
    assert {(row.p_value, row.p_holm) for row in found.rows_of("group")} == {(None, None)}
    assert all(row.ci_low is not None for row in found.rows_of("group"))
    assert sum("descriptive" in text for text in found.warnings) == 1
    assert ", quick" in str(found)
    reading = read(found)
    assert "quick" in reading.data
    assert "of 252 items, quick" in reading.rows[0].line.name
    named = dataclasses.replace(
        found, provenance={**found.provenance, "model": {"kind": "function", "name": "m"}}
    )
    eb.card([named], tmp_path / "README.md")
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "items, quick |" in card
    assert "120 of 252 items, quick" in card
    assert card.count("descriptive") == 1
    assert "120 of 252 items, quick" in named.to_latex()
