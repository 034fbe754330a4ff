"""How much does a score depend on its words or items? Parts of them are measured, and all but each one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .... import stats
from ....data.word_lists import WordListTest
from ....errors import BiasError, CoverageError, InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....method_record import MethodRecord
from ....options import Level, Seed, Share, Subsets
from ....result import Coverage, Estimate, Result, Row, Skipped
from ...measured import MeasuredMethod, warnings_of_parts
from ...rows import checked_rows
from .memory import RememberingModel
from .parts import wholes, without
from .record import RECORD

_ALPHA = 0.05
_QUICK: Mapping[str, Any] = {"ci": "none", "ci_resamples": 99, "n_resamples": 999}
"""Default options of the measured method: the intervals of the parts are never read."""

_MOST_COUNTED = 12
"""Length of a list up to which permutations are counted if a method can. Counting them for longer lists
needs seconds, and there are hundreds of parts.
"""

_MOST_UNDEFINED = 0.5
_MOST_NAMED = 10
_LABELS = {k: f"{k}_label" for k in "xyab"} | {k: k for k in ("title", "language", "bias_type", "origin")}
"""Labels of a row, by the fields of a test."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """What is read of one measurement: score s, its ideal value, its range, and the p-value where there is one."""

    score: float
    ideal: float
    score_range: tuple[float | None, float | None]
    p_value: float | None

    @property
    def side(self) -> int:
        return int(np.sign(self.score - self.ideal))

    @property
    def significant(self) -> bool:
        return self.p_value is not None and self.p_value < _ALPHA

    @property
    def criterion(self) -> str:
        """What is concluded from such a score."""
        if self.p_value is not None:
            return "whether p is below 5%, and if so the side of the ideal value"
        if self._at_edge:
            return "between half and twice the distance from the ideal value"
        return "the side of the ideal"

    @property
    def _at_edge(self) -> bool:
        return self.ideal in self.score_range

    def agrees(self, other: _Measured) -> bool:
        """Whether the same is concluded from another score as from this one."""
        if self.p_value is not None:
            same = self.significant == other.significant
            return same and (not self.significant or self.side == other.side)
        if self._at_edge:
            return 0.5 <= (other.score - other.ideal) / (self.score - self.ideal) <= 2.0
        return self.side == other.side


@method(RECORD)
def evaluate(
    model: Any,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    measured_method: str = "weat",
    measured_options: Mapping[str, Any] | None = None,
    kept_share: Share = 0.8,
    n_subsets: Subsets = 200,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Measure subsets of the words of a test, and all of them but each one.

    Each subset keeps a share of every list, drawn without replacement; pairs stay together where the measured method
    pairs its targets, and lists of one or two words stay whole. The score is the share of the subsets from which the
    same is concluded as from all words: whether the p-value is below 5 %, and, if it is, on which side of the ideal
    value the score lies. Where the measured method has no p-value it is the side alone; and where its score can only
    lie on one side, whether its distance from the ideal value is between half and twice that of all words. With several
    tests the score is the mean of theirs. A method on other data than word lists is measured on subsets of its rows.

    The model is asked for every word, or sentence, once.

    Args:
        model: a model that the measured method takes.
        tests: rows of the measured method, for most methods on words word-list tests.
        measured_method: the method that is measured.
        measured_options: its options, by name; of those that are not given, the ones that concern its interval are set
            to be quick, and what it samples is sampled 999 times: p-values too where a list has more than 12 words.
        kept_share: share of each list that a subset keeps, above 0 and below 1.
        n_subsets: number of subsets of every test.
        confidence_level: confidence level of the interval, and share of the subsets whose scores the range of
            ``measured_score`` holds.
        seed: of the subsets, and of the measured method.

    Returns:
        Share in [0, 1], ideal 1, higher is more robust. Its interval is about the subsets that were drawn, of all that
        could be. ``n`` is the number of words, or rows. Every test has ``measured_score`` with the range of the
        subsets' scores, ``sd``, ``side_flips``, ``verdict_flips`` and ``largest_change`` among its estimates, and in
        its ``details`` the scores of the subsets, ``standard_error`` (that of the delete-d jackknife) and
        ``influential``: the words whose absence changes the score most. Items are the words left out, one at a time.

    Raises:
        CapabilityError: the model cannot be measured with that method.
        InputError: the measured method measures a measurement, an option is out of range, or the tests are not its
            rows.
        UndefinedScoreError: no list has three words, or most subsets have no score.
        UnknownNameError: there is no such method.
        BiasError: what the measured method raises for all words.

    References:
        Antoniak and Mimno (2021): Bad Seeds: Evaluating Lexical Methods for Bias Measurement. ACL-IJCNLP 2021.
        Shao and Wu (1989): A general theory for jackknife variance estimation. Annals of Statistics.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "lily": [0.8, 0.1], "ant": [0.0, 1.0],
        ...            "wasp": [0.2, 0.9], "moth": [0.1, 0.7], "good": [1.0, 0.2], "bad": [0.1, 1.0]}
        >>> result = evaluate(load_model(vectors), [{"name": "toy", "targets_x": ["poppy", "rose", "lily"],
        ...                   "targets_y": ["ant", "wasp", "moth"], "attributes_a": ["good"],
        ...                   "attributes_b": ["bad"]}], measured_method="mac", n_subsets=20)
        >>> result.score, round(result.estimates["measured_score"].value, 3)
        (1.0, 0.382)
    """
    measure = MeasuredMethod.of(
        RememberingModel(model), measured_method, measured_options, _refuse, **_QUICK, seed=seed
    )
    rows = checked_rows(tests, RECORD.name)
    record = measure.record
    takes_lists = record.data.name in ("word_lists", "occupation_test")
    if getattr(tests, "kind", "") == "test" and not takes_lists:
        raise InputError(
            f"{record.name} needs rows, not word lists",
            option="data",
            hint=f"give rows of {record.dataset or 'your own'} as `data`",
        )
    tests_or_rows = wholes(record, rows)
    several = len(tests_or_rows) > 1
    option = record.options().get("p_method")
    can_sample = option is not None and "monte_carlo" in option.choices
    found, items, skipped, warnings = list[Row](), list[Row](), list[Skipped](), list[str]()
    n_agreeing = n_parts = 0
    for whole in tests_or_rows:
        called = f"{whole.name}: " if whole.name else ""
        # P-values of long lists are sampled, unless something else is asked for.
        long = whole.row is not None and max(len(s.units) for s in whole.strata) > _MOST_COUNTED
        result_of = (measure.with_options(p_method="monte_carlo") if long and can_sample else measure).result
        first = result_of(whole.data())
        lost = {(s.where.rpartition("/")[2], s.item) for s in first.skipped}
        whole = without(whole, lost)
        everything = _read(result_of(whole.data())) if lost else _read(first)
        if not whole.can_lose(kept_share):
            raise UndefinedScoreError(
                f"{called}no list has three words, or there are fewer than three rows, so nothing can be removed"
            )
        if everything.score == everything.ideal and everything.p_value is None:
            raise UndefinedScoreError(
                f"{called}the score of all words is exactly its ideal value: it has no side, and no subset can keep it"
            )
        skipped += first.skipped
        results: list[Result] = []
        undefined: list[BiasError] = []
        for chosen_units in whole.parts(kept_share, n_subsets, seed):
            try:
                results.append(result_of(whole.data(chosen_units)))
            except (UndefinedScoreError, CoverageError) as error:
                undefined.append(error)
        parts = [_read(result) for result in results]
        if len(undefined) > _MOST_UNDEFINED * n_subsets or len(parts) < 2:
            raise UndefinedScoreError(
                f"{called}{len(undefined)} of {n_subsets} subsets have no score: {quoted(str(undefined[0]), 200)}"
            ) from undefined[0]
        if undefined:
            reason = f"no score: {quoted(str(undefined[0]), 200)}"
            skipped.append(Skipped(f"{len(undefined)} of {n_subsets} subsets", reason, whole.name))
        changes: list[dict[str, Any]] = []
        for of, unit, rest in whole.without_each() if whole.left_out_singly else ():
            try:
                results.append(result_of(whole.data(rest)))
            except BiasError as error:
                skipped.append(Skipped(unit, f"no score without it: {quoted(str(error), 200)}", of))
                continue
            single = _read(results[-1])
            change = single.score - everything.score
            changes.append({"left_out": unit, "in": of, "change": change, "score": single.score})
            items.append(
                Row(
                    name=f"{whole.name}/{of}: {unit}" if several else f"{of}: {unit}",
                    kind="item",
                    details={
                        "score_without": single.score,
                        "change": change,
                        "p_without": single.p_value,
                        "same_conclusion": everything.agrees(single),
                    },
                )
            )
        changes.sort(key=lambda entry: -abs(entry["change"]))
        warnings += warnings_of_parts(first, results, "subset")
        if not whole.left_out_singly:
            warnings.append(
                f"there are {whole.n} rows, and no single one was removed: only up to 200 are, one at a time"
            )
        agreeing = sum(everything.agrees(part) for part in parts)
        n_agreeing, n_parts = n_agreeing + agreeing, n_parts + len(parts)
        scores = np.array([part.score for part in parts])
        ends = np.quantile(scores, [(1 - confidence_level) / 2, (1 + confidence_level) / 2]).tolist()
        estimates = {
            "measured_score": Estimate(everything.score, *ends),
            "sd": Estimate(float(scores.std(ddof=1))),
            "side_flips": Estimate(float(np.mean([part.side != everything.side for part in parts]))),
        }
        if everything.p_value is not None:
            flips = [part.significant != everything.significant for part in parts]
            estimates["verdict_flips"] = Estimate(float(np.mean(flips)))
        if changes:
            estimates["largest_change"] = Estimate(abs(changes[0]["change"]))
        # A part keeps a share f of the units; se² = f / (1 − f) · mean (s_part − mean s_part)² (Shao and Wu 1989).
        f = sum(s.n_kept(kept_share) for s in whole.strata) / whole.n
        interval = stats.wilson_interval(agreeing, len(parts), confidence_level)
        found.append(
            Row(
                name=whole.name or "rows",
                kind="test",
                score=agreeing / len(parts),
                ci_low=interval.low,
                ci_high=interval.high,
                n=whole.n,
                coverage=first.coverage,
                labels={k: str(v) for k, c in _LABELS.items() if (v := (whole.row or {}).get(c))},
                estimates=estimates,
                details={
                    "criterion": everything.criterion,
                    "measured_p_value": everything.p_value,
                    "lowest": float(scores.min()),
                    "highest": float(scores.max()),
                    "standard_error": float(np.sqrt(f / (1 - f)) * scores.std()),
                    "influential": changes[:_MOST_NAMED],
                    "scores": scores.tolist(),
                },
            )
        )
    share = float(np.mean([row.score for row in found]))
    interval = stats.wilson_interval(n_agreeing, n_parts, confidence_level)
    coverages = [row.coverage for row in found if row.coverage is not None]
    return Finding(
        score=share,
        n=sum(row.n or 0 for row in found),
        ci_low=min(interval.low, share),
        ci_high=max(interval.high, share),
        ci_method="Wilson interval over the subsets that were drawn",
        coverage=Coverage(sum(one.found for one in coverages), sum(one.asked for one in coverages)),
        rows=[*(found if tests_or_rows[0].row is not None else ()), *items],
        skipped=skipped,
        warnings=list(dict.fromkeys(warnings)),
        estimates={} if several else found[0].estimates,
        details={} if several else found[0].details,
        settings={"measured_method": record.name, "measured_options": measure.options},
    )


def _refuse(record: MethodRecord) -> None:
    if record.robustness is not None:
        raise InputError(
            f"{record.name} measures a measurement itself, and {RECORD.name} needs a method that measures "
            "a model",
            option="method",
        )


def _read(result: Result) -> _Measured:
    tests = result.rows_of("test")
    row = tests[0] if len(tests) == 1 and tests[0].score is not None else result.overall
    assert row.score is not None
    ideal = result.reference if row.reference is None else row.reference
    return _Measured(row.score, ideal, row.score_range or result.score_range, row.p_value)
