"""Which sentence of a pair a chat model chooses when it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....data.instructions import Wordings, load_instructions
from ....errors import InputError
from ....method import Finding
from ....models.base import Chats, require
from ....result import Estimate
from ...choosing import (
    ChoiceScore,
    GroupOfUnits,
    Question,
    Questionnaire,
    ReadAnswers,
    choice_finding,
    ratio_score,
)
from ...pair_scoring import NO_BIAS_TYPE, Pair, readable_pairs
from ...rows import checked_rows
from ...template_filling import one_language


def choices(name: str, model: Any, data: Sequence[Pair], wordings: Wordings, level: float) -> Finding:
    """Share of choices of the more stereotypical sentence, in percent, every pair counting once.

    Raises:
        CapabilityError: the model does not chat.
        InputError: the data hold scores, or there are no instructions in their language.
        UndefinedScoreError: no pair can be asked about, or of none was an answer read in both orders.
    """
    rows = checked_rows(data, name)
    pairs, skipped, ready = readable_pairs(rows, name)
    if ready:
        raise InputError(f"{name} with variant='choice' asks a model and takes sentences, not scores")
    require(model, Chats, name)
    language = one_language(name, (pair.language for pair in pairs))
    asked = Questionnaire(
        name, "pairs", [p.id for p in pairs], [Question("pair", {}, (p.sent_more, p.sent_less), 0) for p in pairs],
        range(len(pairs)), range(len(pairs)), "pairs", len(rows), skipped,
        load_instructions(__package__, language, wordings), level,
    )  # fmt: skip

    def part(answers: ReadAnswers) -> ChoiceScore:
        more = answers.weight * (answers.option == 0)
        score = ratio_score(
            more,
            answers.weight,
            answers.unit,
            answers.unit,
            answers.wording,
            null=50.0,
            level=level,
            what="pairs",
        )
        shares = answers.share(0, len(pairs))
        kinds = {}
        for kind in ("stereo", "antistereo"):
            own = [shares[i] for i in np.unique(answers.unit) if pairs[i].stereo_antistereo == kind]
            if own:
                kinds[f"{kind}_score"] = Estimate(float(np.mean(own)))
        return ChoiceScore(score, len(np.unique(answers.unit)), kinds)

    types: dict[str, list[int]] = {}
    for i, pair in enumerate(pairs):
        types.setdefault(pair.bias_type or NO_BIAS_TYPE, []).append(i)
    groups: list[GroupOfUnits] = (
        [] if list(types) == [NO_BIAS_TYPE] else [(kind, {}, own) for kind, own in types.items()]
    )
    return choice_finding(
        model, asked, part, groups,
        lambda i, answers: (
            {"bias_type": pairs[i].bias_type},
            {"stereo_antistereo": pairs[i].stereo_antistereo, "share": float(answers.share(0, len(pairs))[i])},
        ),
    )  # fmt: skip
