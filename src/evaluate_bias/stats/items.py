"""A table of items: a score of their totals, with its interval and test, and its change between two tables.

A method says what each item adds to a few totals, and what its score is of these: all else follows here. A score is a
function of totals of shape (batch, …) that returns (batch,) values, NaN where it is undefined. It must be smooth near
the totals. An item moves it by the gradient times what the item adds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import UndefinedScoreError
from ..text import singular
from ._checks import batches
from .bootstrap import NO_WIDTH, bootstrap_ci, has_width
from .crossed import FEWEST_COLUMNS, crossed_error, crossed_table
from .draws import Names, count_items, item_streams
from .exchange import paired_totals
from .paired import Difference, error_of
from .permutation import TIE_TOLERANCE, RandomisationTest, sampled_p
from .proportions import (
    PROPORTION_TESTS,
    ProportionMethod,
    mean_proportion_interval,
    named_proportion_test,
    wilson_of_share,
)
from .sign_flips import sign_flip_test

ItemScore: TypeAlias = Callable[[FloatArray], FloatArray]
IntArray: TypeAlias = npt.NDArray[np.intp]

ItemInterval = Literal["studentised", "percentile", "debiased", "bca", "t", "crossed", "wilson", "none"]
"""How an interval is made. By a bootstrap of the clusters within their strata. By its percentiles, the lower
end less the mean of the resamples above the score, which noise raises once more, or alone. By linearisation
and Student's t over these. By linearisation and crossed mean squares over the clusters and what crosses
them. For a share of wins, by Wilson's formula. Or not at all.
"""
ItemTestKind = Literal["sign_flips", "crossed", ProportionMethod]
"""How a mean of 0 is tested: by the signs of the clusters' sums, or by Student's t with crossed mean squares. How a
share of wins is tested: by these signs, or by the number of wins among independent items."""
TieHandling: TypeAlias = Literal["drop", "keep"]
"""Whether a test ignores ties or counts them as not won."""

_STEP = 1e-4
"""Of the sum of the absolute numbers of a column: the step of a derivative."""
_BATCH_CELLS = 1 << 22
_SWAP_CELLS = 1 << 18
_SWAP_TIE = 1e-8
"""Scores of two swaps that differ by less are equal: they differ by rounding."""
_ROUNDING = 1e-9
"""Differences below this share of a score's range come from rounding."""
_SPAN = 2e3
"""A score without a range counts as having this times its absolute value (at least 1) as its range, for rounding."""
_END_OF_SCALE = 1e-9
"""With less room than this, a score is at an end of its scale, up to rounding."""
_ALIKE = 1e-6
"""Of the sum of two scores: an error of their difference that is less comes from rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemInference:
    """How intervals and tests are made of a table of items, and what they call what is drawn.

    Attributes:
        interval, test: see :data:`ItemInterval` and :data:`ItemTestKind`.
        clusters, across: what the clusters, and what crosses them, are called, in the plural. The latter is
            empty if nothing does.
        strata: what the strata within which clusters are drawn are called, in the singular, empty if they are
            drawn regardless of stratum.
        ties: what the test and the interval of a share of wins do with ties.
        mean_of: whether a share of wins is over all items, or the mean over the clusters, each of which counts once.
        confidence_level: nominal coverage of intervals.
        ci_resamples: number of bootstrap samples.
        n_resamples: number of random sign patterns, if they cannot be counted. For ``None`` see
            :func:`~evaluate_bias.stats.sign_flip_test`.
        seed: seed of both.
    """

    interval: ItemInterval
    test: ItemTestKind
    clusters: str
    across: str = "prompt variants"
    strata: str = ""
    ties: TieHandling = "drop"
    mean_of: Literal["items", "clusters"] = "items"
    confidence_level: float = 0.95
    ci_resamples: int = 9_999
    n_resamples: int | None = 99_999
    seed: int = 0


class Ends(NamedTuple):
    """The ends of an interval and how it was made, or why it is missing, by the names that a finding has for them."""

    ci_low: float | None
    ci_high: float | None
    ci_method: str


class ItemTest(NamedTuple):
    """A p-value, its Monte Carlo error, how it was made, and how many clusters say something, by the names of a
    finding."""

    p_value: float | None
    p_error: float | None
    p_method: str
    n_tested: int


class Link(NamedTuple):
    """A scale on which a score near an end of its range has errors that are nearly normal.

    Attributes:
        name: what it is called.
        to, back: to the scale, and back.
        room: the reciprocal of the derivative of ``to``, 0 at the ends.
    """

    name: str
    to: Callable[[float], Any]
    back: Callable[[float], Any]
    room: Callable[[float], float]


FISHER_Z = Link("Fisher's z", np.arctanh, np.tanh, lambda score: 1 - score * score)
LOG_ODDS = Link("log-odds", special.logit, special.expit, lambda share: share * (1 - share))


class Wins(NamedTuple):
    """The share of wins among items that are won, lost or tied.

    Attributes:
        score: the share among all items.
        ideal: the score if half of the items that are not tied are won. It is one half if ties count as not won.
        low, high: its interval. It is the interval of ``decided`` on the scale of the score, so that it includes
            ``ideal`` if that one includes one half.
        decided: the share among the items that are not tied, or among all where ties count as not won, with its
            interval.
        n_tested: number of clusters with at least one item that the test does not omit.
    """

    score: float
    ideal: float
    low: float | None
    high: float | None
    decided: tuple[float, float | None, float | None]
    n_tested: int


class Swaps(NamedTuple):
    """A score compared with scores of the same clusters whose two sides are swapped at random.

    Attributes:
        p_value: share of the swaps whose score is at least the observed one.
        p_error: its Monte Carlo error, 0 if all swaps were evaluated.
        null_mean: mean of the score over the swaps.
        n_swaps: number of swaps, the observed order included.
        exact: whether these are all.
    """

    p_value: float
    p_error: float
    null_mean: float
    n_swaps: int
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """What items add to the totals of a score, and what they belong to.

    Attributes:
        columns: what each row, such as an item or an item in a prompt variant, adds to the totals, shape (rows, …).
        clusters: number of the cluster of each row, which is drawn as a whole, shape (rows,).
        strata: number of the stratum within which its cluster is drawn.
        across: number of what crosses the clusters, such as the prompt variant.

    Examples:
        Hits among ten items of five templates:

        >>> hits = np.array([1, 1, 0, 1, 1, 1, 0, 1, 0, 0])
        >>> items = Items.of(np.stack([hits, np.ones(10)], axis=1), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
        >>> share = lambda totals: totals[:, 0] / totals[:, 1]
        >>> how = ItemInference(interval="t", test="crossed", clusters="templates")
        >>> low, high, _ = items.interval(share, how, (0.0, 1.0))
        >>> items.value(share), round(low, 3), round(high, 3), items.influence(share).round(3).tolist()[:3]
        (0.6, 0.081, 1.0, [0.04, 0.04, -0.06])
    """

    columns: FloatArray
    clusters: IntArray
    strata: IntArray
    across: IntArray

    @classmethod
    def of(
        cls,
        columns: npt.ArrayLike,
        clusters: Sequence[Hashable] | npt.NDArray[Any],
        strata: Sequence[Hashable] | npt.NDArray[Any] | None = None,
        across: Sequence[Hashable] | npt.NDArray[Any] | None = None,
    ) -> Items:
        """Make a table of items whose clusters, strata and crossing factor have names. The default is one stratum."""
        table = np.asarray(columns, dtype=np.float64)
        one = np.zeros(len(table), dtype=np.intp)
        numbers = [
            one if names is None else np.unique(np.asarray(names), return_inverse=True)[1]
            for names in (clusters, strata, across)
        ]
        return cls(table, *numbers)

    def where(self, selection: npt.NDArray[Any]) -> Items:
        """Return the rows for which an array is true, or at these places."""
        return Items(*(part[selection] for part in (self.columns, self.clusters, self.strata, self.across)))

    def value(self, score: ItemScore) -> float:
        """Return the score of all items, NaN if it is undefined."""
        with np.errstate(all="ignore"):
            return float(score(self.columns.sum(axis=0)[None])[0])

    def influence(self, score: ItemScore) -> FloatArray:
        """Return what each row moves the score by, shape (rows,): the gradient times its numbers."""
        flat = self._flat()
        _, gradient = linearised(score, flat.sum(axis=0)[None], self._steps(), self.columns.shape[1:])
        return np.asarray(flat @ gradient[0])

    def cluster_sums(self, within_strata: bool = True) -> list[FloatArray]:
        """Return the sums of the columns over clusters, of each stratum, shape (clusters, columns)."""
        return [sums for sums, _ in self._strata_of_clusters(within_strata)]

    def _strata_of_clusters(self, within_strata: bool) -> list[tuple[FloatArray, IntArray]]:
        """Return, for each stratum, the sums of the columns over clusters, and the numbers of these clusters."""
        strata = self.strata if within_strata else np.zeros_like(self.strata)
        keys, places = np.unique(np.stack([strata, self.clusters], axis=1), axis=0, return_inverse=True)
        sums = np.zeros((len(keys), self._flat().shape[1]))
        np.add.at(sums, places.ravel(), self._flat())
        starts = np.flatnonzero(np.diff(keys[:, 0])) + 1
        return list(zip(np.split(sums, starts), np.split(keys[:, 1], starts), strict=True))

    def interval(
        self,
        score: ItemScore,
        inference: ItemInference,
        bounds: tuple[float, float] = (-np.inf, np.inf),
        names: Sequence[Sequence[str]] = (),
    ) -> Ends:
        """Return the interval of a score, cut at the bounds of its range.

        Args:
            score: of totals.
            inference: how.
            bounds: least and greatest possible score.
            names: names of the clusters of each stratum, in the order of the clusters' numbers. The draws follow
                the names, by default the numbers.
        """
        if inference.interval == "none":
            return Ends(None, None, "")
        if inference.interval == "crossed":
            return self.crossed(self.value(score), self.influence(score), inference, bounds)[0]
        strata = self._strata_of_clusters(bool(inference.strata))
        # Draws follow the clusters, and not which stratum is the first.
        parts = [sums for sums, _ in strata]
        cluster_names = names or [[f"{c:09}" for c in numbers] for _, numbers in strata]
        sizes, shape = [len(part) for part in parts], self.columns.shape[1:]
        over = f"over {inference.clusters}"
        if max(sizes) < 2:
            alone = f" of each {inference.strata}" if inference.strata else ""
            return Ends(
                None, None, f"none: a single {singular(inference.clusters)}{alone} cannot be resampled"
            )
        steps = self._steps()
        estimate, error = (
            float(v[0]) for v in _score_and_error(score, [part[None] for part in parts], steps, shape)
        )

        def students() -> Ends:
            freedom = sum(sizes) - len(sizes)
            half = float(special.stdtrit(freedom, (1 + inference.confidence_level) / 2)) * error
            low, high = max(estimate - half, bounds[0]), min(estimate + half, bounds[1])
            if not has_width(low, high, TIE_TOLERANCE):
                return Ends(None, None, f"none: nothing varies {over}")
            return Ends(low, high, f"Student's t interval {over}")

        if inference.interval == "t":
            return students()
        studentised = inference.interval == "studentised" and error > 0

        def statistic(indices: list[npt.NDArray[np.intp]]) -> FloatArray:
            if not studentised:
                times = [_count_draws(i, len(part)) for part, i in zip(parts, indices, strict=True)]
                totals = np.asarray(sum(k @ part for k, part in zip(times, parts, strict=True)))
                with np.errstate(all="ignore"):
                    return np.asarray(score(totals.reshape(-1, *shape)), dtype=np.float64)
            resampled = [part[i] for part, i in zip(parts, indices, strict=True)]
            estimates, errors = _score_and_error(score, resampled, steps, shape)
            # A sample of one cluster over and over has no error of its own.
            flat = errors <= _ROUNDING * error
            return np.asarray(np.where(flat, np.nan, (estimates - estimate) / np.where(flat, 1.0, errors)))

        try:
            bootstrap = bootstrap_ci(
                cluster_names, statistic, method="bca" if inference.interval == "bca" else "percentile",
                n_resamples=inference.ci_resamples, confidence_level=inference.confidence_level, seed=inference.seed,
            )  # fmt: skip
        except UndefinedScoreError:  # too few clusters to draw from
            none = f"none: the score is undefined on too many resamples of {inference.clusters}"
            return Ends(None, None, none) if inference.interval == "debiased" else students()
        low, high, how = bootstrap.low, bootstrap.high, bootstrap.method
        if inference.interval == "debiased" and bootstrap.replicates is not None:
            low, how = low - max(0.0, float(np.nanmean(bootstrap.replicates)) - estimate), "percentile"
        if studentised:
            low, high, how = estimate - high * error, estimate - low * error, "studentised"
        low, high = max(low, bounds[0]), min(high, bounds[1])
        span = bounds[1] - bounds[0]
        if not has_width(low, high, TIE_TOLERANCE * (span if np.isfinite(span) else 1.0)):
            return Ends(None, None, f"none: {NO_WIDTH}")
        within = f", {inference.strata} by {inference.strata}" if inference.strata else ""
        corrected = ", its lower end corrected for bias" if inference.interval == "debiased" else ""
        return Ends(
            low, high, f"{how} bootstrap {over}{within}, {inference.ci_resamples} resamples{corrected}"
        )

    def mean_test(self, values: FloatArray, weights: FloatArray, inference: ItemInference) -> ItemTest:
        """Return the two-sided test that Σ values / Σ weights is 0.

        Args:
            values: what each row adds above the line, shape (rows,).
            weights: what it adds below, which the sign-flip test has no need of.
            inference: how.
        """
        if inference.test == "crossed":
            mean = float(values.sum() / weights.sum())
            return self.crossed(mean, (values - mean * weights) / weights.sum(), inference, (-1.0, 1.0))[1]
        both = np.stack([values, np.abs(values)], axis=1)
        sums = np.concatenate(Items(both, self.clusters, self.strata, self.across).cluster_sums())
        test = sign_flip_test(sums[:, 0], n_resamples=inference.n_resamples, seed=inference.seed)
        n_tested = int(np.count_nonzero(sums[:, 1]))
        return ItemTest(test.p_value, test.p_error, _flips_in_words(test, inference), n_tested)

    def wins(self, inference: ItemInference, scale: float = 1.0) -> Wins:
        """Return the share of wins, with Wilson's interval, of the columns won, lost and 1, shape (rows, 3).

        The items of a cluster resemble one another. A share of all items has the variance of (Σ n)² / Σ n² independent
        ones, n the items of each cluster. A mean over clusters has the interval of
        :func:`.mean_proportion_interval`, and none with a single cluster, whose items say nothing about others.

        Args:
            inference: how.
            scale: what a share of all is, such as 100 for percent.

        Raises:
            UndefinedScoreError: all items are tied.

        Examples:
            >>> columns = [[1, 0, 1]] * 5 + [[0, 1, 1]] * 2 + [[0, 0, 1]] * 3
            >>> how = ItemInference(interval="wilson", test="binomial", clusters="pairs")
            >>> items = Items.of(columns, range(10))
            >>> wins, test = items.wins(how), items.wins_test(how)
            >>> wins.score, wins.ideal, round(wins.low, 3), round(wins.high, 3), round(test.p_value, 3)
            (0.5, 0.35, 0.251, 0.642, 0.453)
        """
        won, tested, n = self._won_and_tested(inference)
        known = tested > 0
        if not known.any():
            raise UndefinedScoreError("a share of wins is undefined: all items are tied")
        if inference.mean_of == "items":
            score, ideal = won.sum() / n.sum(), tested.sum() / n.sum() / 2
            independent = float(tested.sum() ** 2 / (tested**2).sum())
            share = wilson_of_share(float(won.sum() / tested.sum()), independent, inference.confidence_level)
        else:
            score, ideal = (won / n).mean(), (tested / n).mean() / 2
            share = mean_proportion_interval(
                won[known].tolist(), tested[known].tolist(), inference.confidence_level
            )
        score, ideal, decided, low, high = (
            float(scale * number) for number in (score, ideal, share.estimate, share.low, share.high)
        )
        if inference.mean_of == "clusters" and known.sum() < 2:
            return Wins(score, ideal, None, None, (decided, None, None), 1)
        ends = min(score, low * ideal * 2 / scale), max(score, high * ideal * 2 / scale)
        return Wins(score, ideal, *ends, (decided, low, high), int(known.sum()))

    def wins_test(self, inference: ItemInference) -> ItemTest:
        """Return the two-sided test that the share of :meth:`wins` is its ideal.

        The test flips the signs of the clusters' wins less losses, as shares of their items for a mean over clusters.
        If each cluster is one item, it tests the number of wins. The exact binomial test without ties is McNemar's, of
        items that only the first or only the second of two judgements counts.

        Raises:
            UndefinedScoreError: no item is left to test, or the variance of a z test is 0.
        """
        won, tested, n = self._won_and_tested(inference)
        n_tested = int(np.count_nonzero(tested))
        if inference.test != "sign_flips" and inference.test != "crossed" and (n == 1).all():
            test = named_proportion_test(int(won.sum()), int(tested.sum()), inference.test)
            how = f"{PROPORTION_TESTS[inference.test]} against one half, two-sided"
            return ItemTest(test.p_value, None, how, n_tested)
        lead = 2 * won - tested
        flips = sign_flip_test(
            50 * lead / n if inference.mean_of == "clusters" else lead,
            n_resamples=inference.n_resamples, seed=inference.seed,
        )  # fmt: skip
        return ItemTest(flips.p_value, flips.p_error, _flips_in_words(flips, inference), n_tested)

    def _won_and_tested(self, inference: ItemInference) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the numbers of items of each cluster: those won, those that the test does not omit, and all."""
        won, lost, n = np.concatenate(self.cluster_sums(False)).T
        return won, won + lost if inference.ties == "drop" else n, n

    def label_permutation(
        self, score: ItemScore, n_resamples: int, seed: int, *, within: bool = False
    ) -> tuple[float, tuple[float, float]]:
        """Return the mean of a score whose labels are given to the clusters at random, and its two-sided p-value.

        Scores as far from 0 count. The p-value comes with its Monte Carlo error.

        Args:
            score: the score of totals of shape (batch, labels, k). A row adds only to the block of its own label,
                which is its stratum. The rows of a cluster have one label.
            n_resamples: number of random assignments.
            seed: their seed.
            within: whether clusters exchange labels only with clusters that have the same number of ``across``.
        """
        names, first, places = np.unique(self.clusters, return_index=True, return_inverse=True)
        labels, sums = self.strata[first], np.zeros((len(names), self.columns.shape[-1]))
        np.add.at(sums, places, self.columns[np.arange(len(places)), self.strata])
        blocks = self.across[first] if within else np.zeros(len(names))
        in_blocks = np.argsort(blocks, kind="stable")
        labels, sums, blocks = labels[in_blocks], sums[in_blocks], blocks[in_blocks]
        # The rarest label first, so that which clusters have which label, and its name, changes no draw.
        labels = labels[np.lexsort((labels, np.bincount(labels)[labels], blocks))]
        rng, scores = np.random.default_rng(seed), []
        for size in batches(n_resamples, len(labels), _BATCH_CELLS):
            shuffled = labels[np.argsort(blocks + rng.random((size, len(labels))), axis=1)]
            totals = [(shuffled == label) @ sums for label in range(self.columns.shape[1])]
            scores.append(score(np.stack(totals, axis=1)))
        values = np.concatenate(scores)
        slack = TIE_TOLERANCE * max(1.0, float(np.abs(values).max()))
        n_extreme = int(np.count_nonzero(np.abs(values) >= abs(self.value(score)) - slack))
        return float(values.mean()), sampled_p(n_extreme, n_resamples)

    def swap_test(
        self, score: ItemScore, swapped: Sequence[int], names: Sequence[str], n_resamples: int, seed: int
    ) -> tuple[Swaps, list[Swaps]]:
        """Return the test, overall and by stratum, of whether a score is larger than with clusters' sides swapped.

        The score of all is the mean over the strata, weighted by their rows. Swaps with which a score is undefined are
        omitted. All swaps are evaluated if there are at most ``n_resamples``. Otherwise that many are drawn.

        Args:
            score: of totals of one stratum, of shape (batch, k), which does not see which side is which. The columns
                are of shape (rows, strata, k). A row adds only to the block of its own stratum.
            swapped: the order of the k columns once the sides are swapped.
            names: names of the strata, which the draws follow. Clusters are drawn in the order of their numbers.
            n_resamples: number of random swaps.
            seed: their seed.

        Examples:
            >>> sides = np.array([[3.0, 1.0], [2.0, 1.0], [4.0, 0.0]])
            >>> items = Items.of(sides[:, None], range(3))
            >>> whole, _ = items.swap_test(lambda t: abs(t[:, 0] - t[:, 1]), [1, 0], ["all"], 99, 0)
            >>> whole.p_value, whole.null_mean, whole.n_swaps
            (0.25, 4.0, 4)
        """
        n_rows = np.bincount(self.strata)
        observed, draws = 0.0, np.zeros(n_resamples)
        every: FloatArray | None = np.zeros(1)
        of_strata = []
        for k, (sums, _) in enumerate(self._strata_of_clusters(True)):
            sums = sums.reshape(len(sums), *self.columns.shape[1:])[:, k]
            rng = item_streams([[names[k]]], seed, "swaps")[0][1]
            n, total, moved = len(sums), sums.sum(axis=0), sums[:, swapped] - sums
            exact = 2 ** (n - 1) <= n_resamples
            swaps: Iterator[npt.NDArray[Any]]
            if exact:  # a swap of all clusters changes no score: the last one need never be swapped
                swaps = iter([(np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1])
            else:
                sizes = batches(n_resamples, n, _SWAP_CELLS)
                swaps = (rng.integers(0, 2, (size, n), dtype=np.uint8) for size in sizes)
            with np.errstate(all="ignore"):
                of_stratum = float(score(total[None])[0])
                scores = np.concatenate([score(total + side.astype(np.float64) @ moved) for side in swaps])
            scores = scores[~np.isnan(scores)] if exact else scores
            of_strata.append(_swaps(of_stratum, scores, exact))
            weight = n_rows[k] / n_rows.sum()
            observed += weight * of_stratum
            draws += weight * (rng.choice(scores, n_resamples) if exact else scores)
            if every is not None:
                few = exact and len(every) * len(scores) <= n_resamples
                every = (every[:, None] + weight * scores).ravel() if few else None
        return _swaps(observed, draws if every is None else every, every is not None), of_strata

    def _flat(self) -> FloatArray:
        return self.columns.reshape(len(self.columns), -1)

    def _steps(self) -> FloatArray:
        return np.asarray(_STEP * np.abs(self._flat()).sum(axis=0))

    def crossed(
        self,
        value: float,
        influence: FloatArray,
        inference: ItemInference,
        bounds: tuple[float, float],
        null: float = 0.0,
        link: Link | None = None,
    ) -> tuple[Ends, ItemTest]:
        """Return interval and test of a score by crossed mean squares, see :func:`.crossed.crossed_error`.

        If nothing varies, the interval is undefined. All n clusters deviate the same way, with a p-value of 2 / 2ⁿ.

        Args:
            value: the score.
            influence: what each row moves it by, shape (rows,).
            inference: the level, and what clusters, and what crosses them, are called.
            bounds: least and greatest possible score.
            null: the score that the null hypothesis expects.
            link: the scale on which the interval is made and ``null`` is tested. A score at an end of the
                range is not transformed.
        """
        if link is not None and (room := link.room(value)) > _END_OF_SCALE:
            linked, linked_test = self.crossed(
                float(link.to(value)), influence / room, inference, (-np.inf, np.inf), float(link.to(null))
            )
            if linked.ci_low is None or linked.ci_high is None:
                return linked, linked_test
            low, high = (float(link.back(end)) for end in (linked.ci_low, linked.ci_high))
            return Ends(low, high, f"{link.name}, {linked.ci_method}"), linked_test
        table = crossed_table(
            influence, self.clusters, self.across, absent=np.nan if inference.strata else 0.0
        )
        # Rows of the table are in the order of the clusters' numbers.
        strata = self.strata[np.unique(self.clusters, return_index=True)[1]].tolist()
        error, n = crossed_error(table, strata if inference.strata else None), len(table)
        if error is None:
            return Ends(None, None, f"none: {inference.clusters} are fewer than two"), ItemTest(
                None, None, "", n
            )
        half = error.half_width(inference.confidence_level)
        low, high = max(value - half, bounds[0]), min(value + half, bounds[1])
        over = f"over {inference.clusters}"
        both = f"{over} and {inference.across}" if inference.across else over
        # If all answers agree, what is left is rounding.
        span = bounds[1] - bounds[0] if np.isfinite(bounds).all() else _SPAN * max(1.0, abs(value))
        if half < _ROUNDING * span or not has_width(low, high):
            p = 1.0 if abs(value - null) < _ROUNDING else max(2.0 ** (1 - n), sys.float_info.min)
            test = f"sign-flip test over {inference.clusters}, two-sided, as nothing varies"
            return Ends(None, None, f"none: nothing varies {both}"), ItemTest(p, 0.0, test, n)
        if error.over_columns:
            over = both
        elif inference.across:
            over += f", for these {inference.across} alone"
        how = f"crossed mean squares with Satterthwaite's degrees of freedom less one, {over}"
        return (
            Ends(low, high, how if error.over_columns else f"Student's t, {over}"),
            ItemTest(error.p_value(value - null), 0.0, f"t test {over}, two-sided", n),
        )


def two_way_interval(
    cells: FloatArray,
    score: ItemScore,
    inference: ItemInference,
    rows: Sequence[Names],
    columns: Sequence[Names],
    *,
    rounding: float = TIE_TOLERANCE,
) -> Ends:
    """Return the BCa interval of a score of the cells of a table, whose rows and columns are both drawn.

    Args:
        cells: what each cell adds to the totals, shape (rows, columns, k).
        score: score of totals, shape (batch, k).
        inference: number of samples, level and seed. ``clusters`` and ``across`` are what rows and columns
            are called.
        rows: names of the rows of each stratum within which they are drawn, in the order of the table.
        columns: names of the columns, the same way.
        rounding: how far equal scores may differ.

    Examples:
        >>> values = np.add.outer([0.1, 0.4, 0.2, 0.5], [0.3, 0.0, 0.6])
        >>> how = ItemInference(interval="bca", test="sign_flips", clusters="pairs", across="templates")
        >>> mean = lambda totals: totals[:, 0] / totals[:, 1]
        >>> low, high, method = two_way_interval(np.stack([values, np.ones((4, 3))], axis=2), mean, how, [4], [3])
        >>> bool(low < values.mean() < high), method
        (True, 'bca bootstrap over pairs and templates, 9999 resamples')
    """
    strata = [*rows, *columns]

    def statistic(indices: list[npt.NDArray[np.intp]]) -> FloatArray:
        times = [_count_draws(i, count_items(names)) for i, names in zip(indices, strata, strict=True)]
        of_rows, of_columns = (np.concatenate(t, axis=1) for t in (times[: len(rows)], times[len(rows) :]))
        with np.errstate(all="ignore"):
            return score(np.einsum("bjk,bj->bk", np.tensordot(of_rows, cells, 1), of_columns))

    bootstrap = bootstrap_ci(
        strata, statistic, n_resamples=inference.ci_resamples, confidence_level=inference.confidence_level,
        seed=inference.seed, batch=max(1, _BATCH_CELLS // cells[0].size),
    )  # fmt: skip
    if not has_width(bootstrap.low, bootstrap.high, rounding):
        return Ends(None, None, f"none: {NO_WIDTH}")
    over = f"over {inference.clusters} and {inference.across}"
    how = f"{bootstrap.method} bootstrap {over}, {inference.ci_resamples} resamples"
    return Ends(bootstrap.low, bootstrap.high, how)


def _count_draws(indices: IntArray, size: int) -> FloatArray:
    """Return how often each of ``size`` clusters is in every resample, shape (batch, size)."""
    flat = (indices + np.arange(len(indices))[:, None] * size).ravel()
    return np.bincount(flat, minlength=len(indices) * size).reshape(-1, size).astype(np.float64)


def _swaps(observed: float, scores: FloatArray, exact: bool) -> Swaps:
    defined = scores[~np.isnan(scores)]
    n_extreme = int(np.count_nonzero(defined >= observed - _SWAP_TIE))
    if exact:
        return Swaps(n_extreme / len(defined), 0.0, float(defined.mean()), len(defined), True)
    n_swaps = len(defined) + 1
    null_mean = float(defined.sum() + observed) / n_swaps
    return Swaps(*sampled_p(n_extreme, len(defined)), null_mean, n_swaps, False)


def _flips_in_words(test: RandomisationTest, inference: ItemInference) -> str:
    patterns = "" if inference.n_resamples is None else f"{inference.n_resamples} "
    how = "exact" if test.method == "exact" else f"{patterns}random patterns"
    return f"sign-flip test over {inference.clusters}, two-sided, {how}"


def change(
    first: Items,
    second: Items,
    score: ItemScore,
    *,
    crosses: bool,
    strata: bool = True,
    less_mean: bool = False,
    null_mean: ItemScore | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Return the change of a score between two tables of the same items, row by row, second less first.

    If clusters are crossed, what a cell moves the difference by is what it moves the second score by less
    what it moves the first by. Test and interval are Student's, with the error of
    :func:`.crossed.crossed_error` over both kinds of clusters. Otherwise the two measurements of every cluster are
    exchanged and omitted in turn, see :func:`.exchange.paired_totals`.

    Args:
        first: what the items add in the first measurement. Clusters, strata and crossing factor come from here.
        second: the same rows in the other.
        score: the score of totals.
        crosses: whether the clusters are crossed with ``across``.
        strata: whether clusters are drawn within their strata, in which each must lie.
        less_mean: whether each measurement's mean over the items was subtracted from its numbers.
        null_mean: the mean under chance, for a score that is compared with it. Not supported for crossed clusters.
        confidence_level: nominal coverage of the interval.
        seed: seed of the exchanges.

    Raises:
        UndefinedScoreError: items are missing, a score is undefined, or a stratum of crossed clusters has a single one.

    Examples:
        >>> one, two = ([[1, hit] for hit in hits] for hits in ([1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]))
        >>> tables = [Items.of(side, range(8)) for side in (one, two)]
        >>> difference = change(*tables, lambda t: t[:, 1] / t[:, 0], crosses=False)
        >>> difference.difference, round(difference.p_value, 6)
        (-0.75, 0.03125)
    """
    second = Items(second.columns, first.clusters, first.strata, first.across)
    if crosses:
        return _crossed_change(first, second, score, strata, confidence_level)
    one, two = (table.cluster_sums(strata) for table in (first, second))
    sides = [np.concatenate(side).reshape(-1, *first.columns.shape[1:]) for side in (one, two)]
    of_cluster = np.repeat(np.arange(len(one)), [len(part) for part in one]).tolist()
    return paired_totals(
        sides[0], sides[1], score, strata=of_cluster, less_mean=less_mean, null_mean=null_mean,
        confidence_level=confidence_level, seed=seed,
    )  # fmt: skip


def _crossed_change(
    first: Items, second: Items, score: ItemScore, strata: bool, confidence_level: float
) -> Difference:
    scores, moves = zip(
        *((side.value(score), side.influence(score)) for side in (first, second)), strict=True
    )
    if not np.isfinite([*scores, *np.concatenate(moves)]).all():
        raise UndefinedScoreError("the score is undefined on the items that both have")
    # np.unique sorts the clusters, as crossed_table does.
    of_rows = first.strata[np.unique(first.clusters, return_index=True)[1]].tolist() if strata else None
    tables = [
        crossed_table(moved, first.clusters, first.across, absent=np.nan if strata else 0.0)
        for moved in (moves[1] - moves[0], moves[1] + moves[0])
    ]
    errors = [crossed_error(table, of_rows) for table in tables]
    difference, total = scores[1] - scores[0], scores[1] + scores[0]
    n, n_columns = tables[0].shape
    changes = abs(difference) > _ALIKE * abs(total)
    if errors[0] is None and changes and n > 1:
        raise UndefinedScoreError(
            "both have a single item of one kind, which cannot show how much the change varies"
        )
    if errors[0] is None or errors[0].error <= _ALIKE * max(abs(total), 1e-300):
        # n clusters that all change the same way, or not at all
        p = 2.0 ** (1 - n) if changes else 1.0
        test, interval = "sign-flip test over items, as nothing varies", "none: nothing varies"
        return Difference(difference, None, None, p, 0.0, test, interval, n)
    half, half_total = (0.0 if error is None else error.half_width(confidence_level) for error in errors)
    low, high = difference - half, difference + half
    how = "Student's t" if n_columns < FEWEST_COLUMNS else "Student's t with crossed mean squares"
    return Difference(
        difference, low, high, errors[0].p_value(difference) or 0.0, 0.0, f"{how}, of the change",
        f"{how}, of the change", n, error=error_of(low, high, confidence_level), sum_low=total - half_total,
        sum_high=total + half_total,
    )  # fmt: skip


def _score_and_error(
    score: ItemScore, parts: Sequence[FloatArray], steps: FloatArray, shape: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return a score of clusters and its standard error by linearisation, each of shape (batch,).

    ``parts`` are what the clusters of each stratum add to the totals, shape (batch, clusters, columns).
    """
    # With g the gradient at the totals, cluster i moves the score by u_i = g · c_i. The variance is
    # Σ over strata G / (G - 1) · Σ_i (u_i - mean u)², G the number of clusters.
    values, gradient = linearised(score, np.asarray(sum(part.sum(axis=1) for part in parts)), steps, shape)
    variance = np.zeros(len(values))
    for part in parts:
        if (size := part.shape[1]) > 1:
            moves = np.einsum("btk,bk->bt", part, gradient)
            variance += size / (size - 1) * ((moves - moves.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return values, np.sqrt(variance)


def linearised(
    score: ItemScore, totals: FloatArray, steps: FloatArray, shape: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return a score of totals of shape (batch, columns), and its gradient, of this shape, by five-point differences.

    Args:
        score: the score, of totals that have ``shape`` behind the batch.
        totals: the totals.
        steps: the step of each column. A column with step 0 has no derivative.
        shape: of the totals of one score.
    """
    with np.errstate(all="ignore"):
        values = np.asarray(score(totals.reshape(-1, *shape)), dtype=np.float64)
        gradient = np.zeros_like(totals)
        for k in np.flatnonzero(steps):
            # f' = (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h, in error by h⁴ f⁽⁵⁾ / 30
            moved = np.repeat(totals[None], 4, axis=0)
            moved[..., k] += steps[k] * np.array([[1.0], [-1.0], [2.0], [-2.0]])
            ends = np.asarray(score(moved.reshape(-1, *shape)), dtype=np.float64)
            up, down, far_up, far_down = ends.reshape(4, -1)
            gradient[:, k] = (8 * (up - down) - (far_up - far_down)) / (12 * steps[k])
    return values, gradient
