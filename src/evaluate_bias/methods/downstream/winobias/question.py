"""Whom a chat model takes the pronoun of a sentence to stand for when it is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....data.instructions import Wordings, load_instructions
from ....data.pronoun_pairs import PronounPair
from ....method import Finding
from ....result import Skipped
from ...choosing import (
    ChoiceScore,
    GroupOfUnits,
    Question,
    Questionnaire,
    ReadAnswers,
    choice_finding,
    ratio_score,
)
from ...template_filling import one_language


def question(name: str, model: Any, data: Sequence[PronounPair], wordings: Wordings, level: float) -> Finding:
    """Accuracy on the pro- less that on the anti-stereotypical sentences, in points, every pair counting once.

    The two people of a sentence are the professions of the data that stand in it.

    Raises:
        InputError: there are no instructions in the language of the sentences.
        UndefinedScoreError: no pair can be asked about, or of none were the answers read.
    """
    known = sorted({pair.profession.strip() for pair in data} - {""}, key=len, reverse=True)
    pairs, questions, skipped = [], [], []
    for pair in data:
        both = _questions(pair, known)
        if isinstance(both, str):
            skipped.append(Skipped(pair.id, both))
        else:
            pairs.append(pair)
            questions += both
    professions = list(dict.fromkeys(pair.profession.strip().lower() for pair in pairs))
    cluster = np.array([professions.index(pair.profession.strip().lower()) for pair in pairs], dtype=np.int64)
    instructions = load_instructions(__package__, one_language(name, (p.language for p in pairs)), wordings)
    asked = Questionnaire(
        name, "pairs", [pair.id for pair in pairs], questions, [i for i in range(len(pairs)) for _ in range(2)],
        cluster.tolist(), "professions", len(data), skipped, instructions, level,
    )  # fmt: skip

    def part(answers: ReadAnswers) -> ChoiceScore:
        is_pro, right = answers.question % 2 == 0, answers.option == 0

        def score(kept: Any, top: Any, bottom: Any, null: float, lowest: float) -> Any:
            unit = answers.unit[kept]
            return ratio_score(
                top[kept], bottom[kept], unit, cluster[unit], answers.wording[kept],
                null=null, level=level, what="professions", lowest=lowest,
            )  # fmt: skip

        gain = answers.weight * right * np.where(is_pro, 1, -1)
        accuracies = {
            key: score(kept, answers.weight * right, answers.weight, 50.0, 0.0).estimate()
            for key, kept in (("accuracy_pro", is_pro), ("accuracy_anti", ~is_pro))
        }
        every = np.ones(len(right), dtype=bool)
        # Each of a pair's two questions has the weight 1.
        whole = score(every, gain, answers.weight / 2, 0.0, -100.0)
        return ChoiceScore(whole, len(np.unique(answers.unit)), accuracies)

    def item(i: int, answers: ReadAnswers) -> tuple[dict[str, str], dict[str, Any]]:
        pair, right = pairs[i], answers.weight * (answers.option == 0)
        shares = {
            key: float(right[answers.question % 2 == side].sum())
            for side, key in enumerate(("pro_correct", "anti_correct"))
        }
        return {"type": pair.type}, {"profession": pair.profession, "stereotype": pair.stereotype, **shares}

    types: dict[str, list[int]] = {}
    for i, pair in enumerate(pairs):
        types.setdefault(pair.type or "without type", []).append(i)
    groups: list[GroupOfUnits] = [(kind, {}, own) for kind, own in types.items()] if len(types) > 1 else []
    return choice_finding(model, asked, part, groups, item)


def _questions(pair: PronounPair, professions: Sequence[str]) -> list[Question] | str:
    """The questions about the pro- and the anti-stereotypical sentence, or why there are none."""
    female, male = pair.sentence_female, pair.sentence_male
    if not female or not male:
        return "lacks one of its two sentences"
    if pair.stereotype is None or not pair.profession.strip():
        return "names no stereotype" if pair.stereotype is None else "names no profession"
    pronouns = _pronouns(female, male)
    if pronouns is None:
        return "its sentences do not differ in one pronoun"
    people = _people(female, professions)
    profession = pair.profession.strip()
    right = [p for p in people if p.lower() == profession.lower()]
    if len(people) != 2 or not right:
        named = ", ".join(people) or "none"
        return (
            f"of the professions in the data, two must stand in it, {profession} among them; it has {named}"
        )
    (other,) = [p for p in people if p not in right]
    sides = [(female, pronouns[0]), (male, pronouns[1])]
    if pair.stereotype == "male":
        sides.reverse()
    # Both as they stand in the sentence: a capital of one would give the answer away.
    options = (right[0], other)
    return [Question("pronoun", {"sentence": s, "pronoun": p}, options, 0) for s, p in sides]


def _pronouns(female: str, male: str) -> tuple[str, str] | None:
    """The words in which two sentences differ, where they differ in one word, which may stand several times."""
    words = [re.findall(r"\w+", sentence) for sentence in (female, male)]
    if len(words[0]) != len(words[1]):
        return None
    differing = {(a, b) for a, b in zip(*words, strict=True) if a != b}
    return differing.pop() if len(differing) == 1 else None


def _people(sentence: str, professions: Sequence[str]) -> list[str]:
    """The professions in a sentence, as they are written there; of two that overlap the longer one."""
    found = []
    for profession in professions:
        pattern = re.compile(rf"(?<!\w){re.escape(profession)}(?!\w)", re.IGNORECASE)
        if match := pattern.search(sentence):
            found.append(match[0])
            sentence = pattern.sub(" ", sentence)
    return found
