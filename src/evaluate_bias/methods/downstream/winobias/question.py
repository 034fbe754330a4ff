"""Whom a chat model takes the pronoun of a sentence to stand for when it is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....data.instructions import Wordings
from ....data.pronoun_pairs import PronounPair
from ....method import Finding
from ....result import Skipped
from ...choosing import Question, Questionnaire, ReadAnswers, choice_finding, instructions_of
from ...rows import numbered, places_of


def question(model: Any, data: Sequence[PronounPair], wordings: Wordings, level: float) -> Finding:
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
    survey = Questionnaire(
        "pairs", [pair.id for pair in pairs], questions,
        numbered(pair.profession.strip().lower() for pair in pairs), "professions", skipped,
        instructions_of(__package__, pairs, wordings), level,
        lowest=1 - np.arange(len(questions)) % 2, highest=np.arange(len(questions)) % 2,
    )  # fmt: skip

    def part(answers: ReadAnswers) -> dict[str, Any]:
        is_pro, weight = answers.question % 2 == 0, answers.weight
        right = weight * (answers.option == 0)
        # Each of a pair's two questions has the weight 1.
        gain = survey.ratio(answers, np.where(is_pro, right, -right), weight / 2, null=0.0, lowest=-100.0)
        accuracies = {
            key: survey.ratio(answers, right * side, weight * side, null=50.0).estimate()
            for key, side in (("accuracy_pro", is_pro), ("accuracy_anti", ~is_pro))
        }
        return {**gain.facts(), "n": len(np.unique(answers.unit)), "estimates": accuracies}

    def item(i: int, answers: ReadAnswers) -> tuple[dict[str, str], dict[str, Any]]:
        pair, right = pairs[i], answers.weight * (answers.option == 0)
        shares = {
            key: float(right[answers.question % 2 == side].sum())
            for side, key in enumerate(("pro_correct", "anti_correct"))
        }
        return {"type": pair.type}, {"profession": pair.profession, "stereotype": pair.stereotype, **shares}

    types = places_of(pair.type or "without type" for pair in pairs)
    return choice_finding(
        model, survey, part, [(kind, {}, members) for kind, members in types.items() if len(types) > 1], item
    )


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
        people_text = ", ".join(people) or "none"
        return f"of the professions in the data, two must stand in it, {profession} among them; it has {people_text}"
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
    people = []
    for profession in professions:
        pattern = re.compile(rf"(?<!\w){re.escape(profession)}(?!\w)", re.IGNORECASE)
        if match := pattern.search(sentence):
            people.append(match[0])
            sentence = pattern.sub(" ", sentence)
    return people
