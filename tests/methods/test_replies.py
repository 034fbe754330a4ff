"""What replies say: three tables of them, thoughts, planted models with one answer in many ways, linear time."""

from __future__ import annotations

import functools
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import evaluate_bias as eb
from evaluate_bias.data.sentence_pairs import load_pronoun_pairs
from evaluate_bias.data.word_lists import load_association_tests, load_decision_tests
from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.methods import replies
from evaluate_bias.methods.choosing import parsing
from evaluate_bias.methods.choosing.parsing import parse_choice
from evaluate_bias.methods.downstream.bbq.answers import UNKNOWN
from evaluate_bias.methods.downstream.honest import completions
from evaluate_bias.methods.prompting.word_association import answers as assignments
from evaluate_bias.methods.replies import answer_of, room_for
from evaluate_bias.models import thoughts
from evaluate_bias.models.completions import Reply
from evaluate_bias.models.thoughts import split_thoughts
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Skipped
from tests.support.chat import Chat

HERE = Path(__file__).parent / "replies"
BLIND, HELD_OUT = HERE / "blind.jsonl", HERE / "held_out.jsonl"
OPTIONS = ["The boy", "The grandfather", "Not known"]


# -- two tables of replies -------------------------------------------------------------------------------------------


def table() -> list[Any]:
    cases = []
    for group in yaml.safe_load((HERE / "table.yaml").read_text(encoding="utf-8")):
        for kind, texts in group["replies"].items():
            for text, place, *more in texts:
                facts = {
                    **(more[0] if more else {}),
                    "options": group["options"],
                    "unknown": group.get("unknown"),
                }
                cases.append(pytest.param(text, place, facts, id=f"{kind}: {text[:40]}"))
    return cases


def read(
    text: str, options: list[str], unknown: int | None = None, labels: str = "ABC", **facts: Any
) -> int | None:
    aliases = {} if unknown is None else dict.fromkeys(UNKNOWN, unknown)
    place = parse_choice(Reply(text, **facts), options, list(labels)[: len(options)], aliases)
    return place if isinstance(place, int) else None


@pytest.mark.parametrize(("text", "place", "facts"), table())
def test_a_reply_is_parsed_as_people_read_it_or_not_at_all(
    text: str, place: int | None, facts: dict[str, Any]
) -> None:
    expected = None if facts.get("unparsed") else place
    assert read(text, **{key: value for key, value in facts.items() if key != "unparsed"}) == expected


def test_the_table_holds_what_it_must() -> None:
    kinds = [case.id.split(":")[0] for case in table()]
    assert len(kinds) >= 150
    assert {
        "bare", "explained", "marked up", "json", "boxed", "thinking", "cut off", "refusing and undecided",
        "German", "Spanish", "French", "Italian", "Dutch", "Chinese", "Japanese", "Korean", "Thai",
    } <= set(kinds)  # fmt: skip


@pytest.mark.parametrize(("path", "at_least"), [(BLIND, 300), (HELD_OUT, 500)], ids=["blind", "held out"])
def test_no_reply_that_was_labelled_without_knowledge_of_the_parser_is_parsed_wrongly(
    path: Path, at_least: int
) -> None:
    """Replies with the label that a reader gave them; of those marked ``unparsed`` the parser states nothing."""
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(cases) >= at_least
    wrong = []
    for case in cases:
        facts = {key: case[key] for key in ("ended", "refused", "thoughts", "unknown") if key in case}
        place = read(case["reply"], case["options"], labels="".join(case["labels"]), **facts)
        label = case["reading"] if "reading" in case else case["answer"]
        if place != (None if case.get("unparsed") else label):
            wrong.append(case)
    assert wrong == []


# -- thoughts ---------------------------------------------------------------------------------------------------------

THOUGHTS = [
    ("<think>A</think>B", "B", "A"),
    ("<THINK>\nA\n</Think>\n\nB", "B", "A"),
    ("< thinking >A</ thinking >B", "B", "A"),
    ('<thought type="x">A</thought>B', "B", "A"),
    ("<seed:think>A</seed:think>B", "B", "A"),
    ("A</think>B", "B", "A"),
    ("A<think>x</think>B</think>C", "C", "x A B"),
    ("<think>A<think>B</think>C</think>D", "D", "A B C"),
    ("<thinking>A<reflection>B</reflection>C</thinking>D", "D", "A B C"),
    ("<think>A</thinking>B", "B", "A"),
    ("<think>A<reflection>B</think>C", "C", "A B"),
    ("A<think>x</think>B<think>y</think>C", "A B C", "x y"),
    ("[THINK]A[/THINK]B", "B", "A"),
    ("◁think▷A◁/think▷B", "B", "A"),
    ("<|begin_of_thought|>A<|end_of_thought|>B", "B", "A"),
    ("<|START_THINKING|>A<|END_THINKING|>B", "B", "A"),
    ("<|think:start|>A<|think:end|>B", "B", "A"),
    ("<|inner_prefix|>A<|inner_suffix|>B", "B", "A"),
    ("<|channel>thought\nA<channel|>B", "B", "A"),
    ("Here's my thought process: A Here's my response: B", "B", "A"),
    ("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B", "A"),
    ("A<|end|><|start|>assistant<|channel|>final<|message|>B", "B", "A"),
    ("<|channel|>commentary to=f <|constrain|>json<|message|>{}<|call|><|channel|>final<|message|>B", "B", "{}"),
    ("<|start|>assistant to=self<|message|>A<|eom|><|start|>assistant to=user<|message|>B<|eot|>", "B", "A"),
    ("analysisWe see A.assistantfinalB", "B", "We see A."),
    ("We see A.assistantfinalB", "B", "We see A."),
    ("finalB", "B", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "answer", "thought"), THOUGHTS)
def test_thoughts_are_parted_from_the_answer(text: str, answer: str, thought: str) -> None:
    parts = split_thoughts(text)
    assert (" ".join(parts.answer.split()), " ".join(parts.thoughts.split()), parts.unfinished) == (
        answer, thought, False
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "<think>A", "x<think>A</think>B<think>C", "[THINK]A", "<|START_THINKING|>A", "<|channel>thought\nA",
        "<|channel|>analysis<|message|>A", "analysisWe see A", "Here is my thought process: A",
    ],
)  # fmt: skip
def test_a_thought_without_an_end_leaves_no_answer(text: str) -> None:
    assert split_thoughts(text).unfinished
    assert (
        answer_of(Reply(text, ended=False)).reason
        == "still thinking when the reply ended, so raise reply_tokens"
    )


@pytest.mark.parametrize(
    "text",
    [
        "B",
        "final answer: B",
        "analysis: B",
        "a < b > c",
        "I think B.",
        "",
        "<b>B</b>",
        "Here is my response: B",
    ],
)
def test_a_text_without_thoughts_is_all_answer(text: str) -> None:
    parts = split_thoughts(text)
    assert (parts.thoughts, parts.unfinished) == ("", False)
    assert parts.answer.endswith("B") == text.endswith("B")


# -- planted models ---------------------------------------------------------------------------------------------------

Way = Callable[[str, str], Reply]
"""Puts an answer, given another answer that the model thinks of and does not give."""

WAYS: dict[str, Way] = {
    "bare": lambda answer, _: Reply(answer),
    "marked": lambda answer, _: Reply(f"```\n{answer}\n```"),
    "tags": lambda answer, other: Reply(
        f"<think>It could be this:\n{other}\nThe answer is {other}.</think>\n{answer}"
    ),
    "opened in the prompt": lambda answer, other: Reply(f"{other}\n</think>\n\n{answer}"),
    "harmony": lambda answer, other: Reply(
        f"<|channel|>analysis<|message|>{other}<|end|><|start|>assistant<|channel|>final<|message|>{answer}<|return|>"
    ),
    "field": lambda answer, other: Reply(answer, thoughts=other, thought_tokens=7),
}
OF_CHOICES: dict[str, Way] = {
    "explained": lambda answer, _: Reply(f"The answer is {answer}. This is what the text says."),
    "explained behind": lambda answer, _: Reply(f"{answer}\n\nExplanation: the text says so."),
    "json": lambda answer, _: Reply(json.dumps({"reason": "The text says so.", "answer": answer})),
    "boxed": lambda answer, _: Reply(rf"So we have $\boxed{{\text{{{answer}}}}}$."),
}


class Planted(Chat):
    """A chat model that answers a prompt by a rule, and puts it in one way.

    With ``mass`` it gives the likeliest first tokens: the first of its answer has that probability.
    """

    def __init__(self, rule: Callable[[str], tuple[str, str]], way: Way, mass: float | None = None) -> None:
        self.rule, self.way, self.mass = rule, way, mass
        self.alternatives = 0 if mass is None else 20
        self.tokens: list[int] = []

    def reply(self, prompts: list[str], settings: Any, *, alternatives: int = 0) -> list[list[Reply]]:
        self.tokens += [settings.max_new_tokens] * len(prompts)
        return [[self._one(prompt, settings.max_new_tokens)] for prompt in prompts]

    def _one(self, prompt: str, tokens: int) -> Reply:
        answer, other = self.rule(prompt)
        reply = self.way(answer, other)
        if self.mass is None:
            return reply
        first = answer if reply.text.startswith(answer) and not reply.thoughts else "The"
        top = {first: -1e-9 if self.mass == 1 else math.log(self.mass)}
        text, ended = (reply.text, reply.ended) if tokens > 1 else (first, False)
        return Reply(text, ended, False, top, reply.thoughts if tokens > 1 else "", reply.thought_tokens)


def by_hash(prompt: str, n: int) -> int:
    """A preference that looks like chance and is the same at every call: Python's own hash differs between runs."""
    return sum(ord(c) * (i + 7) for i, c in enumerate(sorted(prompt))) % 5 % n


def letters(prompt: str) -> tuple[str, str]:
    options = re.findall(r"^([A-C])\. (.*)$", prompt, re.MULTILINE)
    texts = sorted((text for _, text in options), key=lambda text: sorted(text.split("; ")))
    wanted = texts[by_hash(prompt, len(texts))]
    other = texts[(texts.index(wanted) + 1) % len(texts)]
    by_text = {text: label for label, text in options}
    return by_text[wanted], by_text[other]


def words(prompt: str) -> tuple[str, str]:
    test = load_association_tests()[0]
    x, y = (next(w for w in own if w in prompt) for own in (test.targets_x, test.targets_y))
    sides = [by_hash(w + prompt[:5], 3) > 0 for w in (*test.attributes_a, *test.attributes_b)]
    sides[0], sides[-1] = True, False
    lines = [
        "\n".join(
            f"{w} - {x if side is way else y}"
            for w, side in zip((*test.attributes_a, *test.attributes_b), sides, strict=True)
        )
        for way in (True, False)
    ]
    return lines[0], lines[1]


ASKED: dict[str, tuple[Callable[[str], tuple[str, str]], dict[str, Any]]] = {
    "crows_pairs": (letters, {"data": [
        {"id": str(i), "sent_more": f"Person {i} said she left.", "sent_less": f"Person {i} said he left."}
        for i in range(6)
    ]}),
    "stereoset": (letters, {}),
    "bbq": (letters, {"source": "bbq_style", "limit": 6}),
    "winobias": (letters, {"data": list(load_pronoun_pairs())[:6]}),
    "relative_decision": (letters, {"data": list(load_decision_tests())[:2]}),
    "word_association": (words, {"data": list(load_association_tests())[:1], "n_pairs": 2}),
    "honest": (
        lambda prompt: (("idiot", "nurse") if by_hash(prompt, 2) else ("nurse", "idiot")),
        {"data": [{"id": w, "prompt": f"The {w} worked as a [M].", "group": w} for w in ("woman", "man")],
         "lexicon": ["idiot"]},
    ),
}  # fmt: skip


@functools.cache
def asked(name: str) -> tuple[Callable[[str], tuple[str, str]], dict[str, Any]]:
    rule, options = ASKED[name]
    return rule, options or {"data": list(METHODS[name].load_data())[:6]}


def measured(name: str, way: Way, mass: float | None = None) -> tuple[eb.Result, Planted]:
    rule, options = asked(name)
    model = Planted(rule, way, mass)
    return eb.measure(name, model, **{**METHODS[name].asks, **options}), model


def numbers(result: eb.Result) -> Any:
    return (
        result.score, result.ci_low, result.ci_high, result.p_value, result.n, result.coverage,
        [(row.name, row.score, row.ci_low, row.p_value, row.details) for row in result.rows],
    )  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_a_planted_model_scores_alike_however_it_puts_its_answers(name: str) -> None:
    """To the digit, and by its answer where its thoughts name another."""
    bare, _ = measured(name, WAYS["bare"])
    ways = WAYS if name in ("word_association", "honest") else {**WAYS, **OF_CHOICES}
    for what, way in ways.items():
        result, _ = measured(name, way)
        assert numbers(result) == numbers(bare), what
        assert result.estimates["readable"].value == 1.0, what
        assert "bounds" not in result.estimates
    turned, _ = measured(name, lambda answer, other: Reply(other))
    assert numbers(turned) != numbers(bare)
    field, _ = measured(name, WAYS["field"])
    assert field.details["thought_tokens"] == 7 * field.details["requests"]["asked"]


@pytest.mark.parametrize("name", ASKED)
def test_a_model_that_is_still_thinking_has_no_score(name: str) -> None:
    for way in (
        lambda answer, _: Reply(f"<think>{answer}", ended=False),
        lambda answer, _: Reply("", ended=False, thoughts=answer),
        lambda answer, _: Reply(f"analysisThe answer is {answer}", ended=False),
    ):
        with pytest.raises(UndefinedScoreError, match="still thinking when the reply ended"):
            measured(name, way)


CHOICES = [name for name in ASKED if name not in ("word_association", "honest")]


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("what", ["bare", "explained", "tags", "harmony", "field"])
def test_labels_and_texts_give_the_same_score(name: str, what: str) -> None:
    way = {**WAYS, **OF_CHOICES}[what]
    by_text, _ = measured(name, way)
    by_labels, model = measured(name, way, mass=0.9)
    assert numbers(by_labels) == numbers(by_text)
    n = by_labels.details["requests"]["asked"]
    counts = by_labels.details["reading"]
    if what == "bare":
        assert model.tokens == [64] * 8 + [1] * (n - 8)
        assert (counts["by_labels"], counts["from_text"], counts["asked_again"]) == (n, 0, 0)
    else:
        assert model.tokens == [64] * n
        assert (counts["by_labels"], counts["from_text"], counts["asked_again"]) == (0, n, 0)
    mass = {"bare": 0.9, "explained": 0.0}.get(what)
    assert by_labels.details.get("label_probability") == (mass if mass is None else pytest.approx(mass))


def test_a_single_question_whose_labels_do_not_speak_is_asked_again() -> None:
    def way(answer: str, _: str) -> Reply:
        return Reply(f"The answer is {answer}.") if next(turn) % 5 == 4 else Reply(answer)

    turn = iter(range(100_000))
    result, model = measured("crows_pairs", way, mass=0.8)
    n, counts = result.details["requests"]["asked"], result.details["reading"]
    assert model.tokens[:8] == [64] * 8
    assert model.tokens[8:n] == [1] * (n - 8)
    assert model.tokens[n:] == [64] * counts["asked_again"]
    assert 0 < counts["asked_again"] < n / 3
    assert counts["by_labels"] + counts["from_text"] == n


@pytest.mark.parametrize("name", CHOICES)
def test_no_score_comes_from_labels_that_hold_little_of_the_probability(name: str) -> None:
    def way(answer: str, _: str) -> Reply:
        return Reply(answer)

    class Shy(Planted):
        def _one(self, prompt: str, tokens: int) -> Reply:
            answer, other = self.rule(prompt)
            tops = {"Well": -0.01, answer: -11.0, other: -12.0}
            text = self.mumbles if tokens > 1 else "Well"
            return Reply(text, tokens > 1, alternatives=tops)

    rule, options = asked(name)
    for mumbles, reason in (
        (
            "Well, who knows.",
            "no option in the form that was asked for: 'Well, who knows.'; the labels have less",
        ),
        ("", "first: the labels have less"),
    ):
        model = Shy(rule, way, 0.5)
        model.mumbles = mumbles
        with pytest.raises(UndefinedScoreError, match=re.escape(reason)):
            eb.measure(name, model, **{**METHODS[name].asks, **options})


@pytest.mark.parametrize("logprob", [math.nan, math.inf, 6.5])
def test_a_reply_with_impossible_log_probabilities_is_an_unreadable_row(logprob: float) -> None:
    class Odd(Planted):
        def _one(self, prompt: str, tokens: int) -> Reply:
            answer, other = self.rule(prompt)
            odd = "Person 1 " in prompt
            return Reply(answer, tokens > 1, alternatives={answer: logprob if odd else -0.1, other: -3.0})

    rule, options = asked("crows_pairs")
    result = eb.measure("crows_pairs", Odd(rule, WAYS["bare"], 0.5), variant="choice", **options)
    assert (result.coverage.found, result.coverage.asked) == (5, 6)
    (skip,) = result.skipped
    assert skip.reason.endswith("its log-probabilities do not correspond to probabilities")
    assert result.details["reading"]["asked_again"] == 0
    assert result.details["label_probability"] == pytest.approx(math.exp(-0.1) + math.exp(-3.0))


def test_decision_gap_reads_first_tokens_alone() -> None:
    data = [
        {"question": f"Case {t}: may the {group} have it?", "group": group, "template": f"t{t}"}
        for t in range(6)
        for group in ("a", "b")
    ]

    class Decides(Planted):
        def _one(self, prompt: str, tokens: int) -> Reply:
            assert tokens == 1
            yes = 0.7 if "the a" in prompt else 0.55
            return self.way(yes, prompt)

    def measure(way: Any) -> eb.Result:
        return eb.measure("decision_gap", Decides(letters, way, 0.5), data=data)

    def tops(yes: float, mass: float = 1.0) -> dict[str, float]:
        return {"Yes": math.log(yes * mass), "No": math.log((1 - yes) * mass)}

    bare = measure(lambda yes, _: Reply("Yes", False, alternatives=tops(yes)))
    half = measure(lambda yes, _: Reply("Yes", False, alternatives=tops(yes, 0.6)))
    assert half.score == pytest.approx(bare.score)
    for way in (
        lambda yes, _: Reply("<think>", False, alternatives=tops(yes)),
        lambda yes, _: Reply("", False, alternatives=tops(yes), thoughts="Yes"),
    ):
        with pytest.raises(
            UndefinedScoreError, match="still thinking when the reply ended, so raise reply_tokens"
        ):
            measure(way)


def test_room_for_thoughts_is_added_to_what_a_reply_needs() -> None:
    class Model:
        reply_tokens = 2_048

    assert (room_for(object(), 16), room_for(Model(), 16)) == (16, 2_000)
    rule, options = ASKED["honest"]
    model = Planted(rule, WAYS["bare"])
    model.reply_tokens = 2_048  # type: ignore[attr-defined]
    eb.measure("honest", model, variant="chat", **options)
    assert set(model.tokens) == {2_000}
    eb.measure("honest", model, variant="chat", max_new_tokens=30, **options)
    assert model.tokens[-1] == 30


def test_ready_answers_that_are_full_replies_are_read_like_replies() -> None:
    item = {
        "category": "Age", "question_index": "1", "context_condition": "ambig", "context": "A boy and a man came.",
        "question": "Who forgot?", "ans0": "The boy", "ans1": "The man", "ans2": "Unknown", "label": 2,
        "target_loc": 1, "unknown_loc": 2,
    }  # fmt: skip
    texts = [
        "<think>The man.</think>The boy", "The answer is A.", '{"answer": "A"}', "A. The boy was late.",
        "<|channel|>analysis<|message|>B<|end|><|start|>assistant<|channel|>final<|message|>A",
    ]  # fmt: skip
    rows = [{**item, "question_index": str(i), "answer": text} for i, text in enumerate(texts)]
    assert eb.measure("bbq", None, data=rows).score == -1.0
    done = [{"group": "a", "completions": ["<think>idiot</think>nurse", "idiot", "<think>nurse"]}]
    result = eb.measure("honest", None, data=done, lexicon=["idiot"])
    assert (result.score, result.n) == (0.5, 2)


# -- time that grows as the length of a reply -------------------------------------------------------------------------

_UNIT = 256
"""Most repetitions of anything in a pattern."""
NASTY = [
    "A ", "B. ", "the answer is ", "answer ", "The boy ", "(A) ", "<think>", "</think>", "<", "[", "{",
    "\\boxed{", "**", "`", "\n", " ", "not ", "option B ", "because ", "'", "A. The boy\n", "<|channel|>",
    "<|message|>", "答案", "是B", "not the boy, ", "Therefore B. ", "A,", '{"a":', "n't ", "_", "$", "l'",
    "the boy and the grandfather ", "Ben - office, ", "Answer: ",
]  # fmt: skip


def patterns_of(value: Any) -> list[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        return [value]
    return [one for part in value for one in patterns_of(part)] if isinstance(value, tuple) else []


def unbounded(parsed: Any) -> list[int]:
    """The limits of repetitions in a parsed pattern that are more than a few hundred."""
    limits = []
    for operation, argument in parsed:
        if "REPEAT" in str(operation):
            limits += [argument[1]] * (argument[1] > _UNIT)
        for part in argument if isinstance(argument, (tuple, list)) else ():
            for inner in part if isinstance(part, list) else [part]:
                if hasattr(inner, "data"):
                    limits += unbounded(inner)
    return limits


@pytest.mark.parametrize("module", [thoughts, replies, parsing, completions], ids=lambda m: m.__name__)
def test_no_pattern_repeats_without_a_limit(module: ModuleType) -> None:
    """So that from each place of a text a pattern looks at a stretch of limited length."""
    own = {name: value for name, value in vars(module).items() if name != "WORD"}  # a word and no more, of \w
    known = [one for value in own.values() for one in patterns_of(value)]
    if module is replies:
        known += [replies.phrase_pattern(kind) for kind in ("refusals", "both")]
    if module is parsing:
        known += [*parsing._label_patterns(("A", "B", "C")).values(), parsing._answer_words()]
    if module is completions:
        known.append(completions._refusals())
    parser = __import__("re._parser", fromlist=["parse"])
    assert {
        one.pattern: limits for one in known if (limits := unbounded(parser.parse(one.pattern, one.flags)))
    } == {}
    assert known
    assert unbounded(parser.parse("a+")) != []


def calls(action: Callable[[], Any]) -> int:
    """How many functions an action calls."""
    count = 0

    def counting(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", NASTY)
def test_work_grows_no_faster_than_the_length_of_a_reply(piece: str) -> None:
    """Twice as long a reply takes twice as many calls, and its patterns look at stretches of limited length."""

    def work(n: int) -> int:
        reply = Reply(piece * n)
        return calls(lambda: parse_choice(reply, OPTIONS, "ABC", {"unknown": 2})) + calls(
            lambda: (completions.read_completion(reply, "The boy is", "en", one_word=True),
                     assignments.parse_assignment(reply, ["office", "home"], {"ben": 1, "julia": -1}))
        )  # fmt: skip

    work(400)
    assert work(800) <= 2.2 * work(400) + 100
    assert isinstance(answer_of(Skipped("x", "why")).reason, str)
