"""Accuracy on pro- less that on anti-stereotypical sentences, of a coreference system or of a chat model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .... import stats
from ....data.instructions import PromptVariants, ProtocolName
from ....data.sentence_pairs import PronounPair
from ....method import Finding
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....stats import Items
from ...choosing import Question, Questionnaire, ReadAnswers, choice_finding, protocol_of
from ...rows import group_rows, item_content, nothing_left, numbered, percent, places_of
from ...word_lists.inference import Inference
from .items import score


def coreference(pairs: Sequence[PronounPair], inference: Inference) -> Finding:
    """Measure predictions of a coreference system.

    Raises:
        UndefinedScoreError: no pair has all that is needed.
    """
    skipped, complete = [], []
    for pair in pairs:
        needed = ("stereotype", "profession", "prediction_female", "prediction_male")
        if column := next((c for c in needed if not _strip_phrase(getattr(pair, c) or "")), ""):
            skipped.append(Skipped(pair.id, f"has no {column}", column))
        else:
            complete.append(pair)
    if not complete:
        raise nothing_left(f"none of the {len(pairs)} pairs has predictions", skipped)
    correct = np.empty((len(complete), 2))  # of the pro- and of the anti-stereotypical sentence
    for k, pair in enumerate(complete):
        both = [
            _strip_phrase(str(p)) == _strip_phrase(pair.profession)
            for p in (pair.prediction_female, pair.prediction_male)
        ]
        correct[k] = both if pair.stereotype == "female" else both[::-1]
    gain = correct[:, 0] - correct[:, 1]
    names = [_strip_phrase(pair.profession) for pair in complete]
    table = Items.of(np.stack([gain, np.ones(len(gain)), *correct.T], axis=1), names)
    whole = _facts(table, inference)
    types = places_of(pair.type for pair in complete)
    no_labels: dict[str, str] = {}
    groups = ((name or "without type", no_labels, places) for name, places in types.items() if len(types) > 1)
    rows, _ = group_rows(
        groups, range(len(gain)), lambda places: _facts(table.where(np.array(places)), inference), whole
    )
    rows += [
        Row(
            name=name, kind="item", score=100 * float(gain[places].mean()), n=len(places),
            labels={"title": "profession", "stereotype": str(complete[places[0]].stereotype)},
            estimates=_estimates(table.where(np.array(places)), inference),
            details={"women_share": complete[places[0]].women_share},
        )
        for name, places in places_of(names).items()
    ]  # fmt: skip
    for pair, (pro, anti) in zip(complete, correct.astype(bool).tolist(), strict=True):
        details = {"profession": pair.profession, "stereotype": pair.stereotype}
        details |= {"pro_correct": pro, "anti_correct": anti}
        details |= item_content((pair.sentence_female, pair.sentence_male))
        rows.append(Row(name=pair.id, kind="item", labels={"type": pair.type}, details=details))
    return Finding(
        **whole,
        sampled=Sampled(("professions",)),
        coverage=Coverage(len(complete), len(pairs)),
        rows=rows,
        skipped=skipped,
        settings={"scoring": "predictions given by the caller"},
    )


def _strip_phrase(text: str) -> str:
    """Return a phrase without article, capitals and superfluous spaces."""
    return re.sub(r"^(the|an?) ", "", " ".join(text.split()).lower())


def _facts(table: Items, inference: Inference) -> dict[str, Any]:
    """Return what is found of some pairs: gains, 1, and right answers to either sentence, in the columns of a table."""
    gain, ones = table.columns[:, 0], table.columns[:, 1]
    several = len(np.unique(table.clusters)) > 1
    how = inference.of_items("percentile" if several else "none", "sign_flips", "professions")
    ends = table.interval(partial(score, settings={"variant": "coreference"}), how, (-100.0, 100.0))
    test = table.mean_test(gain, ones, how)
    return {
        "score": 100 * float(gain.mean()),
        **ends._asdict(),
        **test._asdict(),
        "n_tested": int(np.count_nonzero(np.bincount(table.clusters, gain))),
        "p_method": "the two sentences exchanged in all pairs of a profession (sign flips)",
        "n": len(gain),
        "ties": int((gain == 0).sum()),
        "estimates": _estimates(table, inference),
    }


def _estimates(table: Items, inference: Inference) -> dict[str, Estimate]:
    """Return both accuracies, and McNemar's exact p-value, 1 if both sentences of every pair have one outcome."""
    gain, _, *correct = table.columns.T
    pro, anti = (
        percent(stats.wilson_interval(int(right.sum()), len(right), inference.confidence_level))
        for right in correct
    )
    only = [int((gain == sign).sum()) for sign in (1, -1)]
    p_items = stats.mcnemar_test(*only).p_value if any(only) else 1.0
    return {"accuracy_pro": pro, "accuracy_anti": anti, "p_items": Estimate(p_items)}


def question(
    model: Any,
    data: Sequence[PronounPair],
    protocol: ProtocolName,
    prompt_variants: PromptVariants,
    follow_up: bool,
    confidence_level: float,
) -> Finding:
    """Accuracy on the pro- less that on the anti-stereotypical sentences, in points, every pair counting once.

    The two people of a sentence are the professions of the data that appear in it.

    Raises:
        InputError: no instructions in the language of the sentences.
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
        protocol_of(__package__, pairs, protocol, prompt_variants, follow_up), confidence_level,
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
    """Return the questions about the pro- and the anti-stereotypical sentence, or why it is missing."""
    female, male = pair.sentence_female, pair.sentence_male
    if not female or not male:
        return "lacks one of its two sentences"
    if pair.stereotype is None or not pair.profession.strip():
        return "names no stereotype" if pair.stereotype is None else "names no profession"
    pronouns = _pronouns(female, male)
    if pronouns is None:
        return "its sentences do not differ in one pronoun"
    people = _find_professions(female, professions)
    profession = pair.profession.strip()
    right = [p for p in people if p.lower() == profession.lower()]
    if len(people) != 2 or not right:
        people_text = ", ".join(people) or "none"
        return (
            f"two of the professions in the data, {profession} among them, must occur in it, and it mentions "
            f"{people_text}"
        )
    (other,) = [p for p in people if p not in right]
    sides = [(female, pronouns[0]), (male, pronouns[1])]
    if pair.stereotype == "male":
        sides.reverse()
    # Both as they appear in the sentence: a capital of one would give the answer away.
    options = (right[0], other)
    return [Question("pronoun", {"sentence": s, "pronoun": p}, options, 0) for s, p in sides]


def _pronouns(female: str, male: str) -> tuple[str, str] | None:
    """Return the words in which two sentences differ, if they differ in one word, which may appear several times."""
    words = [re.findall(r"\w+", sentence) for sentence in (female, male)]
    if len(words[0]) != len(words[1]):
        return None
    differing = {(a, b) for a, b in zip(*words, strict=True) if a != b}
    return differing.pop() if len(differing) == 1 else None


def _find_professions(sentence: str, professions: Sequence[str]) -> list[str]:
    """Return the professions in a sentence, as they are written there. If two overlap, the longer one counts."""
    people = []
    for profession in professions:
        pattern = re.compile(rf"(?<!\w){re.escape(profession)}(?!\w)", re.IGNORECASE)
        if match := pattern.search(sentence):
            people.append(match[0])
            sentence = pattern.sub(" ", sentence)
    return people
