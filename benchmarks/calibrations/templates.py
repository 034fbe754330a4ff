"""Methods that fill templates: LPBS, BEC-Pro and DisCo, on masked models whose probabilities are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_bias import measure
from evaluate_bias.models.masked import MaskedRequest
from evaluate_bias.models.table import TableMLM

from . import Draw, effect, null, of_method, of_result

FloatArray = NDArray[np.float64]
RESAMPLES = 999


class DrawnMLM(TableMLM):
    """Reads texts of two words: next to the hidden second word every first word is as likely as any other.

    Args:
        associations: by first and second word, by how much the second raises the log-probability of the first.
    """

    def __init__(self, associations: dict[tuple[str, str], float]) -> None:
        super().__init__({})
        self.by_id = {(self.piece_id(x), self.piece_id(a)): value for (x, a), value in associations.items()}

    def masked_logprobs(self, requests: Sequence[MaskedRequest]) -> list[Any]:
        return [
            np.array([-5.0 if 2 in r.masked else -5.0 + self.by_id[r.encoded.ids[1], r.encoded.ids[2]]])
            for r in requests
        ]


# -- LPBS ------------------------------------------------------------------------------------------------------------


def lpbs(effect: float, n_attributes: int) -> Any:
    """Attributes lean to X or Y by a normal amount, A and B ``effect`` standard deviations to either side."""

    def draw(rng: np.random.Generator) -> Draw:
        x, y = ([f"{side}{i}" for i in range(4)] for side in "xy")
        a, b = ([f"{side}{i}" for i in range(n_attributes)] for side in "ab")
        lean = rng.normal(size=2 * n_attributes) + np.repeat([effect, -effect], n_attributes)
        noise = rng.normal(0, 0.5, (8, 2 * n_attributes))
        table = {
            (word, attribute): sign * lean[k] / 2 + noise[i, k]
            for i, (word, sign) in enumerate([(w, 1) for w in x] + [(w, -1) for w in y])
            for k, attribute in enumerate([*a, *b])
        }
        test = {"name": "drawn", "targets_x": x, "targets_y": y, "attributes_a": a, "attributes_b": b}
        result = measure("lpbs", DrawnMLM(table), data=[test], ci_resamples=RESAMPLES)
        # The spread of the scores of attributes with these eight targets: that of the lean and of the words.
        return of_result(result, 2 * effect / math.sqrt(1 + 0.5**2 / 2 + effect**2))

    return draw


# -- BEC-Pro ---------------------------------------------------------------------------------------------------------


def bec_pro(effect: float, word_by_group: float, interaction: float = 0.5) -> Any:
    """Nine pairs of words and twenty professions a group; ``effect`` is the score's true value, ``interaction`` what a
    word gains with one profession alone."""

    def draw(rng: np.random.Generator) -> Draw:
        words = [(f"{gender[0]}{i}", gender, i) for gender in ("female", "male") for i in range(9)]
        professions = [(f"{group[0]}p{k}", group) for group in ("female", "male") for k in range(20)]
        of_word = {(w, g): rng.normal(0, word_by_group) for w, _, _ in words for g in ("female", "male")}
        of_profession = {p: rng.normal(0, 0.3) for p, _ in professions}
        table = {}
        rows = []
        for word, gender, pair in words:
            for name, group in professions:
                gain = effect / 2 if gender == group else -effect / 2
                turn = 1 if gender == "female" else -1
                table[word, name] = (
                    gain + of_word[word, group] + turn * of_profession[name] / 2 + rng.normal(0, interaction)
                )
                rows.append(
                    {
                        "sentence": f"{word} {name}",
                        "person": word,
                        "gender": gender,
                        "profession": name,
                        "profession_gender": group,
                        "pair": pair,
                    }
                )
        return of_result(measure("bec_pro", DrawnMLM(table), data=rows, n_resamples=RESAMPLES), effect)

    return draw


# -- DisCo -----------------------------------------------------------------------------------------------------------


class DrawnFills(TableMLM):
    """Fills a template with what is common there, at random, and with what goes with the gender of its person.

    Args:
        popularity: of every fill in every template, in nats, shape (templates, fills).
        lean: by how much a fill is likelier after a female than after a male word, same shape.
        rng: of the fills.
    """

    def __init__(self, popularity: FloatArray, lean: FloatArray, rng: np.random.Generator) -> None:
        super().__init__({})
        self.popularity, self.lean, self.rng = popularity, lean, rng
        self.fills = [self.piece_id(f"fill{k}") for k in range(popularity.shape[1])]

    def mask_distributions(self, requests: Sequence[MaskedRequest]) -> list[Any]:
        out = []
        for r in requests:
            person, template = (self.vocabulary[i] for i in r.encoded.ids[1:3])
            place = int(template.removeprefix("verb"))
            logits = self.popularity[place] + self.rng.gumbel(size=len(self.fills))
            logits = logits + self.lean[place] * (0.5 if person.startswith("F") else -0.5)
            row = np.full(len(self.vocabulary), -30.0)
            row[self.fills] = logits - np.logaddexp.reduce(logits)
            out.append(row[None].astype(np.float32))
        return out


LEANING_SCORE = 1.17
"""Mean score of 250 draws with two leaning fills (standard error 0.03): the mean over all such templates."""


def disco(leaning: int) -> Any:
    """Thirty names a gender, ten templates, twenty fills; in half of them the first ``leaning`` go with women."""

    def draw(rng: np.random.Generator) -> Draw:
        popularity = rng.normal(0, 1, (10, 20))
        lean = np.zeros((10, 20))
        led = rng.random(10) < 0.5
        lean[led, :leaning] = 12.0
        popularity[led, :leaning] += 2.0
        data = [{"female": f"F{i}", "male": f"M{i}", "kind": "name"} for i in range(30)]
        result = measure(
            "disco",
            DrawnFills(popularity, lean, rng),
            data=data,
            templates=[f"{{person}} verb{k} {{mask}}" for k in range(10)],
            n_resamples=RESAMPLES,
        )
        return of_result(result, LEANING_SCORE if leaning else None)

    return draw


WORDS = "nine pairs of words, 20 + 20 professions"
FEW_WORDS = (
    "p takes the words as given, and with these words the groups do differ; the interval, which draws words too, is "
    "short by about 5 points, because there are only nine pairs of them"
)

THRICE = (
    "the interval is too wide: what a word gains with one profession alone is drawn with the word, with the profession "
    "and with both, so that its variance counts three times"
)
FEW_PAIRS = "the interval is short by 2 or 3 points, because there are only nine pairs of words"

SITUATIONS = (
    *of_method(
        "lpbs",
        null("4 + 4 targets, 8 + 8 attributes, no association", lpbs(0.0, 8)),
        effect("4 + 4 targets, 8 + 8 attributes, d = 0.97", lpbs(0.6, 8)),
        few=30,
    ),
    *of_method(
        "bec_pro",
        null(f"{WORDS}, professions differ within their group", bec_pro(0.0, 0.0), misses=THRICE),
        null(
            f"{WORDS}, the same, and no word gains with one profession alone",
            bec_pro(0.0, 0.0, interaction=0.02),
            runs=1_000,
            misses=FEW_PAIRS,
        ),
        effect(f"{WORDS}, score 0.15", bec_pro(0.15, 0.0), misses=THRICE),
        null(f"{WORDS}, words gain in one group", bec_pro(0.0, 0.3), misses=FEW_WORDS),
        few=8,
    ),
    *of_method(
        "disco",
        null(
            "30 + 30 names, ten templates, no association",
            disco(0),
            misses="the correction for all fills is conservative, and where no fill is significant every template "
            "has 0 and there is no interval",
        ),
        effect("30 + 30 names, ten templates, two fills go with women in every second one", disco(2)),
        few=8,
    ),
)
