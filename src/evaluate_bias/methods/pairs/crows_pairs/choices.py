"""Which sentence of a pair a chat model chooses when it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....data.instructions import Wordings
from ....errors import InputError
from ....method import Finding
from ....models.base import Chats, require
from ....result import Estimate
from ...choosing import Question, Questionnaire, ReadAnswers, choice_finding, instructions_of
from ...pair_scoring import NO_BIAS_TYPE, Pair, readable_pairs
from ...rows import checked_rows, places_of
from .record import RECORD


def choices(model: Any, data: Sequence[Pair], wordings: Wordings, level: float) -> Finding:
    """Share of choices of the more stereotypical sentence, in percent, every pair counting once.

    Raises:
        CapabilityError: the model does not chat.
        InputError: the data hold scores, or there are no instructions in their language.
        UndefinedScoreError: no pair can be asked about, or of none was an answer read in both orders.
    """
    pairs, skipped, ready = readable_pairs(checked_rows(data, RECORD.name), RECORD.name)
    if ready:
        raise InputError(f"{RECORD.name} with variant='choice' asks a model and takes sentences, not scores")
    require(model, Chats, RECORD.name)
    survey = Questionnaire(
        "pairs", [p.id for p in pairs], [Question("pair", {}, (p.sent_more, p.sent_less), 0) for p in pairs],
        np.arange(len(pairs)), "pairs", skipped, instructions_of(__package__, pairs, wordings), level,
    )  # fmt: skip

    def part(answers: ReadAnswers) -> dict[str, Any]:
        score = survey.ratio(answers, answers.weight * (answers.option == 0), null=50.0)
        units, shares = np.unique(answers.unit), answers.share(0, len(pairs))
        kinds = {}
        for kind in ("stereo", "antistereo"):
            kind_shares = [shares[i] for i in units if pairs[i].stereo_antistereo == kind]
            if kind_shares:
                kinds[f"{kind}_score"] = Estimate(float(np.mean(kind_shares)))
        return {**score.facts(), "n": len(units), "estimates": kinds}

    types = places_of(pair.bias_type or NO_BIAS_TYPE for pair in pairs)
    return choice_finding(
        model, survey, part,
        [(kind, {}, members) for kind, members in types.items() if list(types) != [NO_BIAS_TYPE]],
        lambda i, answers: (
            {"bias_type": pairs[i].bias_type},
            {"stereo_antistereo": pairs[i].stereo_antistereo, "share": float(answers.share(0, len(pairs))[i])},
        ),
    )  # fmt: skip
