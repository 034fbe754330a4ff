"""How often a comparison tells two equal models apart, and how often a gate lets one pass that is worse by the margin.

Every method that keeps items has a row. Its items are planted in a result of the method: what
``tests/stats/exchange_simulations.py`` draws for a score of the method's own, else numbers, words or answers as its
record describes them. Methods whose clusters cross (names and templates, words and occupations) are measured on
drawn answers, to which each model adds effects of its own for every name, word, template and occupation.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from evaluate_bias import Result, measure
from evaluate_bias.data.word_lists import WORD_LISTS
from evaluate_bias.method_record import ScoreUnits
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import compare_results
from evaluate_bias.result import Row
from evaluate_bias.stats import exchange, paired
from evaluate_bias.stats.sign_flips import sign_flip_test
from tests.stats.exchange_simulations import DRAWS, Units, targets

from . import Case, Table, logistic, seeded, share

Rng = np.random.Generator
Both = tuple[Result, Result]
RESAMPLES = 999
ALPHA = 0.05
WORSE = 0.5
"""By how much a worse model is worse on the latent scale."""


class Found(NamedTuple):
    """What a comparison of two equal models says, and what the gate says of a second one that is worse.

    Attributes:
        rejected: whether the equal models were told apart, ``None`` without a test.
        held: the margin above which the worse one passes, ``None`` if the gate cannot tell.
        distances: how far the scores of the base and of the worse one are from their ideal values.
        worsening: for a score with one direction of bias, how much further the second is from its ideal value, or from
            its mean under chance, if the score is compared with that.
    """

    rejected: bool | None
    held: float | None
    distances: tuple[float, float]
    worsening: float | None


# --- items planted in results -----------------------------------------------------------------------------------------


def items(units: ScoreUnits, rng: Rng, worse: float) -> tuple[Units, Units]:
    """Return items of two models: numbers around a shared one, words of two lists, or answers.

    The first list of the second model is moved by ``worse``.
    """
    n = 60
    lists = [
        name for name in units.lists or WORD_LISTS if units.list != "attributes" or "attributes" in name
    ][:2]
    if units.score not in ("difference", "effect_size"):
        lists = lists[:1]
    own, out = rng.normal(size=n), []
    for moved in (0.0, worse):
        values = np.exp((own + rng.normal(size=n)) / 2)  # skewed
        values += moved * (np.arange(n) % len(lists) == 0)
        side = [{units.value: float(v), "list": lists[i % len(lists)]} for i, v in enumerate(values)]
        for key in units.clusters:
            leaning = 0.3 * rng.normal(size=n)
            for i, unit in enumerate(side):
                unit |= {key: f"{key} {i // 3}", units.value: unit[units.value] + float(leaning[i // 3])}
        out.append(side)
    return out[0], out[1]


def planted(method: str, units: ScoreUnits, values: Units) -> Result:
    """A result of the method with these items and nothing else."""
    result = _example(method)
    words = {outcome: word for word, outcome in units.outcomes.items() if word != units.tie}
    rows = []
    for i, unit in enumerate(values):
        fields = {"bias_type": "", **unit}
        if "value" in fields and units.value != "value":
            fields[units.value] = fields.pop("value")
        if words and not isinstance(fields[units.value], str):
            fields[units.value] = units.tie if fields.pop("tie", False) else words[fields[units.value]]
        if "statistics" in fields:
            fields["statistics"] = {
                result.settings["statistics"][0]: next(iter(fields["statistics"].values()))
            }
        fields.setdefault("test", next(iter(result.settings.get("tests") or [""])))
        labels = {k: v for k, v in fields.items() if isinstance(v, str) and v}
        score, n = float(fields.pop("score", 0.0)), fields.pop("n", None)
        details = {k: v for k, v in fields.items() if k not in labels}
        rows.append(Row(name=f"i{i}", kind="item", score=score, n=n, labels=labels, details=details))
    if units.list:
        (test, *_) = [*result.rows_of("test"), Row(name="toy", kind="test", score=result.score)]
        nothing: dict[str, Any] = {"words": [], "attributes": []}
        entries = [{**r.labels, **r.details, "word": r.name, "score": r.score} for r in rows]
        rows = [
            dataclasses.replace(test, labels={}, details={**test.details, **nothing, units.list: entries})
        ]
    return dataclasses.replace(result, rows=rows, sampled=None)  # a result of few items draws fewer kinds


@functools.cache
def _example(method: str) -> Result:
    from tests.test_all_methods import measured  # which imports what every method needs

    return measured(method)


def drawn_items(rng: Rng, worse: float, *, method: str) -> Both:
    """Return results of two models on the same items. The second is worse by ``worse`` on a latent scale."""
    units = METHODS[method].units
    assert units is not None
    if units.outcomes and not units.clusters:
        method_draw = DRAWS["crows_pairs"]
    else:
        method_draw = DRAWS.get(method) or partial(items, units)
    first, second = method_draw(rng, worse)
    return planted(method, units, first), planted(method, units, second)


def drawn_words(rng: Rng, worse: float, *, n: int) -> Both:
    """Return results of RNSB on ``n`` words. The second is worse by ``worse``."""
    units = METHODS["rnsb"].units
    assert units is not None
    one, two = targets(rng, worse, n)
    return planted("rnsb", units, one), planted("rnsb", units, two)


# --- clusters that cross, with effects of each model's own ------------------------------------------------------------


def _cells(rng: Rng, n_clusters: Sequence[int], own: float) -> list[Any]:
    """Latent answers of both models: shared ones, and their own effects of every kind of cluster and cell."""
    shared = rng.normal(size=n_clusters)
    sides = []
    for _ in range(2):
        side = shared + 0.3 * rng.normal(size=n_clusters)
        for axis, n in enumerate(n_clusters):
            side = side + own * rng.normal(size=[n if k == axis else 1 for k in range(len(n_clusters))])
        sides.append(side)
    return sides


def names(rng: Rng, worse: float, *, n: int, n_templates: int, own: float) -> Both:
    """Return decisions about ``n`` names in each of two groups. The second model favours one group by ``worse``."""
    sides = _cells(rng, (2 * n, n_templates), own)
    sides[1][:n] += worse
    one, two = (
        measure("decision_gap", data=[
            {"question": float(v), "group": "xy"[i >= n], "template": f"t{t}", "name": f"n{i}"}
            for (i, t), v in np.ndenumerate(side)
        ], n_resamples=99)
        for side in sides
    )  # fmt: skip
    return one, two


def entailments(rng: Rng, worse: float, *, variant: str, n: int, n_targets: int, own: float) -> Both:
    """Probabilities that a classifier gives to pairs of an occupation and one of ``n`` words in each of two groups."""
    sides = _cells(rng, (n_targets, 2 * n), own)
    # Net neutral gets worse as entailment rises for everybody, the difference as it rises for one group.
    sides[1][:, : n if variant == "gap" else 2 * n] += worse
    one, two = (
        measure("bias_nli", data=[
            {"premise": f"A t{t} ran.", "hypothesis": f"A w{i} ran.", "target": f"t{t}", "attribute": f"w{i}",
             "group": "xy"[i >= n], "template": "v", "entailment": p, "neutral": 0.9 * (1 - p),
             "contradiction": 1 - p - 0.9 * (1 - p)}
            for (t, i), v in np.ndenumerate(side)
            for p in [float(logistic(v - 1))]
        ], variant=variant, groups=("x", "y"), n_resamples=99)
        for side in sides
    )  # fmt: skip
    return one, two


# --- the table --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Design:
    """Two models that are equal, or of which the second is worse.

    Attributes:
        what: the method, what is drawn, and the standard deviation of each model's own effects.
        draw: results of both, by how much the second is worse on the latent scale.
        worse: a latent worsening.
    """

    what: tuple[str, str, str]
    draw: Callable[[Rng, float], Both]
    worse: float = WORSE


def designs() -> Iterator[Design]:
    """Every method with items, and those whose clusters cross with effects of each model's own."""
    for method, record in METHODS.items():
        if record.units is not None and method not in ("decision_gap", "bias_nli"):
            lowers = method in ("wefat", "glpp") or (
                method not in DRAWS and record.direction == "lower_is_more_biased"
            )
            draw = partial(drawn_items, method=method)
            yield Design((method, "items", "–"), draw, -WORSE if lowers else WORSE)
    for n in (32, 64):
        yield Design(("rnsb", f"{n} words", "–"), partial(drawn_words, n=n))
    for own in (0.2, 0.3):
        for n, n_templates in ((3, 30), (5, 12), (12, 30)):
            yield Design(
                ("decision_gap", f"{n} + {n} names, {n_templates} templates", f"{own:g}"),
                partial(names, n=n, n_templates=n_templates, own=own),
            )
        for n, n_targets in ((3, 30), (5, 20)):
            for variant, title in (("gap", "difference of two groups"), ("neutral", "net neutral")):
                draw = partial(entailments, variant=variant, n=n, n_targets=n_targets, own=own)
                what = f"{title}, {n} + {n} words, {n_targets} occupations"
                yield Design(("bias_nli", what, f"{own:g}"), draw)


def found_in(design: Design, rng: Rng) -> Found:
    """Return what the comparison of two equal models says, and what the gate says of a second one that is worse."""
    with (
        patch.object(exchange, "_RESAMPLES", RESAMPLES),
        patch.object(paired, "sign_flip_test", partial(sign_flip_test, n_resamples=RESAMPLES)),
        # What could have been seen takes longer than all the rest of a draw.
        patch.object(paired.Difference, "detectable", lambda *_: None),
        patch.object(paired.Difference, "more_units", lambda *_: None),
    ):
        one, two = design.draw(rng, 0.0)
        (change, *_) = compare_results([one], [two], seed=seeded(rng)).changes
        rejected = None if change.p_value is None else change.p_value < ALPHA
        base, new = design.draw(rng, design.worse)
        # As the gate compares them: a margin above the upper end of the worsening passes. Its p-value is not used.
        with (
            patch.object(exchange, "_RESAMPLES", 1),
            patch.object(paired, "sign_flip_test", partial(sign_flip_test, n_resamples=1)),
        ):
            (worse, *_) = compare_results([base], [new], one_sided_level=0.9).changes
    held = worse.worsening[1] if worse.worsening else 0.0 if worse.unchanged else None
    distances = worse.first - worse.ideal_first, worse.second - worse.ideal_second
    if worse.direction == "two_sided":
        return Found(rejected, held, distances, None)
    sign = 1 if worse.direction == "higher_is_more_biased" else -1
    worsening = sign * (distances[1] - distances[0])
    return Found(rejected, held, distances, float(np.mean(worse.excess)) if worse.excess else worsening)


def cells(found: list[Found]) -> tuple[str, ...]:
    """Return rejections in percent of all draws, the share of draws without a test, passes, and the number of draws.

    The margin is exactly how much worse the second model is. For a score with two directions, this is by how much the
    distance of its mean over all draws from the ideal value grows.
    """
    if found[0].worsening is None:
        first, second = np.array([one.distances for one in found]).T
        base, error = float(first.mean()), float(first.std()) / np.sqrt(len(found))
        base = (
            base if abs(base) > 2 * error else 0.0
        )  # the base of most draws is unbiased, and its noise is shared
        margin = abs(base + float((second - first).mean())) - abs(base)
    else:
        margin = float(np.mean([one.worsening for one in found]))
    passed = [one.held is not None and one.held < margin for one in found]
    tells = margin > 0 and any(one.held is not None for one in found)
    return (
        share([bool(one.rejected) for one in found]),
        share([one.rejected is None for one in found]),
        share(passed if tells else []),
        f"{len(found):,}",
    )


TABLES = (
    Table(
        "equal_models",
        (
            "method",
            "drawn",
            "own effects, sd",
            "told apart, %",
            "no test, %",
            "worse by the margin passes, %",
            "draws",
        ),
        tuple(Case(one.what, partial(found_in, one), cells, 1_000) for one in designs()),
    ),
)
