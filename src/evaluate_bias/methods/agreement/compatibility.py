"""Do two settings of the same measure agree? Correlations over subsets of the words, with tests that hold.

Delobelle et al. (2022) draw subsets of professions, score each subset with every template (or representation), and
correlate the scores over the subsets. Subsets drawn from one list overlap, so their scores are not independent and the
p-value of an ordinary correlation is too small. Here the words, which are what chance could have paired otherwise, are
reordered within their lists for every setting on its own, and everything is computed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import stats
from ...arrays import FloatArray
from ...data.templates import Template
from ...data.word_lists import WordListTest
from ...errors import InputError, UndefinedScoreError, quoted
from ...method import Finding
from ...models.pooling import Representation
from ...result import Coverage, Row, Skipped
from ...stats import Names, count_items, item_streams
from ..correlation import TOLERANCE, fisher_interval, is_perfect, normal_reach, symmetric, without_interval
from ..embedding import embed_in_templates
from ..template_filling import templates_for
from ..word_lists.cosines import association
from ..word_lists.distinct import distinct_test
from ..word_lists.inference import Inference
from ..word_lists.inputs import LISTS, Material, check_scored, each_once, parsed_tests

DEFAULT_TEMPLATES = "delobelle-evaluated"
"""The eleven templates that Delobelle et al. compare."""

IndexArray = NDArray[np.intp]
Subsets = tuple[IndexArray, IndexArray]
"""Positions of the first, and of the second targets in every subset, each of shape (subsets, size)."""

_BATCH_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to measure: the association of every target word, in one or more templates.

    Attributes:
        name: what the setting is called.
        x: associations of the first targets, shape (n_x, templates).
        y: associations of the second targets, shape (n_y, templates).
    """

    name: str
    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Compatibility:
    """Outcome of :func:`compatibility`.

    Attributes:
        names: the settings.
        scores: score of every subset in every setting, shape (subsets, settings).
        r: Pearson correlation of the settings' scores over the subsets, shape (settings, settings).
        p_value: permutation p-value of each, two-sided. It is 0 on the diagonal, where it has no meaning.
        p_holm: the same, Holm-adjusted over all pairs.
        p_naive: what an ordinary test of a correlation gives, as if subsets were independent. For comparison
            only.
        mean_r: mean correlation over all pairs.
        p_mean: permutation p-value of the mean, one-sided: no setting agrees with any other.
        orders: how many reorderings it counts.
        interval: bounds of the mean's interval, by the bootstrap over words. ``None`` when it was not asked
            for, or the mean is 1 or −1, or the bootstrap samples have the same mean.
    """

    names: tuple[str, ...]
    scores: FloatArray
    r: FloatArray
    p_value: FloatArray
    p_holm: FloatArray
    p_naive: FloatArray
    mean_r: float
    p_mean: float
    orders: str
    interval: tuple[float, float] | None


def draw_subsets(x: Names, y: Names, *, size: int = 10, count: int = 20, seed: int = 0) -> Subsets:
    """Draw subsets of both lists, without replacement within a subset.

    Args:
        x: the first targets, or their number.
        y: the second targets, or their number.
        size: words of each list in a subset, 2 or more.
        count: number of subsets, 4 or more.
        seed: of the draws.

    Raises:
        InputError: a list has fewer words than a subset needs, or subsets would all be the same.

    Examples:
        >>> draw_subsets(4, 3, size=2, count=4)[0].shape
        (4, 2)
    """
    n_x, n_y = count_items(x), count_items(y)
    if size > min(n_x, n_y):
        raise InputError(
            f"a subset needs {size} words of each list, got lists of {n_x} and {n_y}",
            option="subset_size",
            hint="set `subset_size` to a smaller number, or give longer lists",
        )
    if size == n_x == n_y:
        raise InputError(
            f"every subset of {size} words would be the whole list",
            option="subset_size",
            hint="set `subset_size` to a smaller number, or give longer lists",
        )
    in_x, in_y = (
        rng.permuted(np.broadcast_to(order, (count, len(order))), axis=1)[:, :size]
        for order, rng in item_streams([x, y], seed, "subsets")
    )
    return in_x, in_y


def subset_scores(settings: Sequence[Setting], subsets: Subsets, *, ddof: int = 1) -> FloatArray:
    """WEAT effect size of every subset in every setting, averaged over the setting's templates.

    Args:
        settings: the settings, all of the same words in the same order.
        subsets: the subsets.
        ddof: 1 for the sample standard deviation, 0 for the population's.

    Returns:
        Shape (subsets, settings).

    Raises:
        UndefinedScoreError: all words of a subset are equally associated in some template.

    Examples:
        >>> setting = Setting("s", np.array([[1.0], [2.0], [4.0]]), np.array([[0.0], [-1.0], [-2.0]]))
        >>> subset_scores([setting], (np.array([[0, 1]]), np.array([[0, 1]]))).round(3).tolist()
        [[1.549]]
    """
    members = _membership(subsets, settings[0])
    scores = np.stack([_effect_sizes(s.x[None], s.y[None], members, ddof)[0] for s in settings])
    for setting, undefined in zip(settings, np.isnan(scores), strict=True):
        if undefined.any():
            raise UndefinedScoreError(
                f"{setting.name}: all words of subset {int(undefined.argmax())} are equally associated, so its "
                "effect size is undefined"
            )
    return scores.T


def compatibility(
    settings: Sequence[Setting],
    subsets: Subsets,
    *,
    words: tuple[Names, Names] | None = None,
    ddof: int = 1,
    n_resamples: int = 9_999,
    ci_resamples: int = 1_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Compatibility:
    """Correlate the scores of settings over subsets of the words.

    Args:
        settings: two settings or more, all of the same words in the same order.
        subsets: the subsets, see :func:`draw_subsets`.
        words: the first and second targets, so that exchanging the two lists changes no draw.
        ddof: of the effect size: 1 for the sample standard deviation, 0 for the population's.
        n_resamples: number of random reorderings of the words, if there are more than 50,000.
        ci_resamples: number of bootstrap samples of the words, 2 or more, 0 for no interval.
        confidence_level: confidence level.
        seed: of reorderings and bootstrap.

    Returns:
        Correlations between -1 and 1. 1 means that both settings rank the subsets the same way, 0 that they have
        nothing to do with each other. The p-values test whether the words of one setting could just as well have been
        paired with different words of the other, within their list.

    Raises:
        InputError: fewer than two settings, or two of one name.
        UndefinedScoreError: a score does not exist, or does not vary over the subsets.

    References:
        Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers. NAACL 2022, sections 4.2
        and 4.3.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> first = rng.normal(size=(12, 1))
        >>> a, b = Setting("a", first[:6], first[6:]), Setting("b", 2 * first[:6], 2 * first[6:])
        >>> outcome = compatibility([a, b], draw_subsets(6, 6, size=3), n_resamples=999)
        >>> round(outcome.mean_r, 6), float(outcome.p_value[0, 1])
        (1.0, 0.001)
    """
    names = [s.name for s in settings]
    if len(names) < 2:
        raise InputError(f"agreement needs at least two settings to compare, got {len(names)}")
    if repeated := sorted(name for name, n in Counter(names).items() if n > 1):
        raise InputError(
            f"two settings are called {quoted(repeated[0])}",
            hint="give every setting once, with a name of its own",
        )
    observed = subset_scores(settings, subsets, ddof=ddof)
    varied = observed.std(axis=0) > TOLERANCE
    if not varied.all():
        raise UndefinedScoreError(
            f"{settings[int(varied.argmin())].name} gives every subset the same score: no correlation is defined"
        )
    # Each pair of settings has r over the subsets. R reorderings give |r*| of each pair and their mean m*:
    # p = (1 + #{|r*| >= |r|}) / (R + 1), p of the mean = (1 + #{m* >= m}) / (R + 1).
    # If there are few reorderings, all are counted and p is a share of them.
    k = len(settings)
    pairs = np.triu_indices(k, 1)
    r = _correlations(observed[None])[0]  # shape (settings, settings)
    np.fill_diagonal(r, 1.0)
    single = r[pairs]  # shape (pairs,)
    n_x, n_y = len(settings[0].x), len(settings[0].y)
    lists = words or (n_x, n_y)
    orders = stats.Orders(
        [lists] * k,
        n_resamples=n_resamples,
        seed=seed,
        width=max(s.x.shape[1] for s in settings) * (n_x + n_y + 4 * len(subsets[0])),
        cells=_BATCH_CELLS,
    )
    members = _membership(subsets, settings[0])
    reached, mean_reached = np.zeros(len(single)), 0
    for batch in orders:
        # The words of every setting reordered on their own, shape (batch, subsets, settings).
        scores = np.stack(
            [
                _effect_sizes(s.x[order[:, :n_x]], s.y[order[:, n_x:] - n_x], members, ddof)
                for s, order in zip(settings, batch, strict=True)
            ],
            axis=2,
        )
        null_r = _correlations(scores)[:, pairs[0], pairs[1]]  # shape (batch, pairs)
        # Written so that a reordering without a correlation (NaN) counts as one that reaches the observed one.
        reached += (~(np.abs(null_r) < np.abs(single) - TOLERANCE)).sum(axis=0)
        mean_reached += int((~(null_r.mean(axis=1) < single.mean() - TOLERANCE)).sum())
    p = orders.p_value(reached)
    mean_r, interval = float(single.mean()), None

    def mean_correlation(indices: list[IndexArray]) -> FloatArray:
        in_x, in_y = indices
        scores = np.stack([_effect_sizes(s.x[in_x], s.y[in_y], members, ddof) for s in settings], axis=2)
        return np.asarray(_correlations(scores)[:, pairs[0], pairs[1]].mean(axis=1), dtype=np.float64)

    if ci_resamples and not is_perfect(mean_r):
        # The score, found on a few subsets, scatters around what these words would give on many, and so do the
        # replicates: quantiles of the replicates would contain the true value in 99 of 100 cases. Their standard error
        # around the score itself keeps the level.
        # tanh(artanh(r) ± z(level) · sd(artanh(r*))), r* the mean correlations of bootstrap samples of the words.
        replicates = stats.bootstrap_ci(
            lists,
            mean_correlation,
            method="percentile",
            n_resamples=ci_resamples,
            confidence_level=confidence_level,
            seed=seed,
        ).replicates
        assert replicates is not None
        bound = 1.0 - TOLERANCE
        z = np.arctanh(np.clip(replicates[np.isfinite(replicates)], -bound, bound))
        interval = fisher_interval(mean_r, normal_reach(confidence_level) * float(z.std(ddof=1)))
    return Compatibility(
        names=tuple(names),
        scores=observed,
        r=r,
        p_value=symmetric(p, k),
        p_holm=symmetric(stats.holm(p), k),
        p_naive=symmetric(naive_p_values(single, len(observed)), k),
        mean_r=mean_r,
        p_mean=float(orders.p_value(mean_reached)),
        orders=str(orders),
        interval=interval,
    )


def naive_p_values(r: ArrayLike, n: int) -> FloatArray:
    """Two-sided p-values of correlations of ``n`` pairs, which they would have were the pairs independent.

    Examples:
        >>> naive_p_values([0.0, 0.5, 1.0], 20).round(4).tolist()
        [1.0, 0.0248, 0.0]
    """
    from scipy.special import betainc

    values = np.clip(np.asarray(r, dtype=np.float64), -1.0, 1.0)
    return np.asarray(betainc((n - 2) / 2, 0.5, 1.0 - values**2))


def _membership(subsets: Subsets, setting: Setting) -> tuple[FloatArray, FloatArray]:
    """Which words of X and Y are in which subset: weights of shape (subsets, words), 1 / size in a subset, else 0."""
    x, y = (np.zeros((len(subsets[0]), len(words))) for words in (setting.x, setting.y))
    for weights, positions in zip((x, y), subsets, strict=True):
        np.put_along_axis(weights, positions, 1.0 / positions.shape[1], axis=1)
    return x, y


def _effect_sizes(
    x: FloatArray, y: FloatArray, members: tuple[FloatArray, FloatArray], ddof: int
) -> FloatArray:
    """Mean effect size over templates of every subset, shape (batch, subsets), NaN if one does not exist."""
    # Of the associations X and Y of a subset's words, k of each list: d = (mean X − mean Y) / sd(X and Y), where
    # var = 2k / (2k − ddof) · ((mean X² + mean Y²) / 2 − ((mean X + mean Y) / 2)²). x and y have shape (batch, words,
    # templates).
    # Centred, so that the variance does not cancel.
    centre = np.concatenate([x, y], axis=1).mean(axis=1, keepdims=True)
    x, y = x - centre, y - centre
    in_x, in_y = members
    size = np.count_nonzero(in_x[0])
    mean_x, mean_y = in_x @ x, in_y @ y  # shape (batch, subsets, templates)
    squares = (in_x @ x**2 + in_y @ y**2) / 2 - ((mean_x + mean_y) / 2) ** 2
    sd = np.sqrt(np.maximum(squares, 0.0) * (2 * size) / (2 * size - ddof))
    undefined = sd <= TOLERANCE
    d = np.where(undefined, np.nan, (mean_x - mean_y) / np.where(undefined, 1.0, sd))
    return np.asarray(d.mean(axis=-1))


def _correlations(scores: FloatArray) -> FloatArray:
    """Correlation matrices of score tables, shape (batch, subsets, settings) to (batch, settings, settings)."""
    # r = z(a) · z(b), where z(a) = (a − mean a) / ‖a − mean a‖ over the subsets.
    centred = scores - scores.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = centred / lengths
    # Rounding may carry a perfect correlation a digit beyond one.
    return np.asarray(np.clip(np.swapaxes(z, 1, 2) @ z, -1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedTest(Material):
    """A test whose words appear in templates.

    Attributes:
        vectors: of each list, shape (templates, words, representations, dimension).
    """

    vectors: Mapping[str, NDArray[np.float64]]

    def setting(self, name: str, representation: int, templates: slice) -> Setting:
        """Return the associations in some templates, by one representation."""
        x, y, a, b = (self.vectors[key][templates, :, representation] for key in LISTS)

        # s(w, A, B) = mean cos(w, a) − mean cos(w, b), each template with its own vectors: shape (words, templates).
        def associations(words: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.column_stack([association(w, *ab) for w, *ab in zip(words, a, b, strict=True)])

        return Setting(name, associations(x), associations(y))


def target_templates(templates: str | Sequence[str | Template], language: str, mask: str) -> list[Template]:
    """Return the templates that an option names, each with the slot ``{target}`` and perhaps ``{mask}``.

    Raises:
        InputError: a template has a ``{mask}`` and the model no mask token, or for the reasons of
            :func:`~evaluate_bias.methods.template_filling.templates_for`.
    """
    chosen = templates_for(templates, language, ["target"], optional=["mask"])
    for template in chosen:
        if "mask" in template.slots and not mask:
            raise InputError(
                f"the template {template.text!r} has a mask, and this model has no mask token",
                option="templates",
                hint="choose other templates",
            )
    return chosen


def mask_token(model: Any) -> str:
    """Return the model's mask token, empty when it has none."""
    return getattr(getattr(model, "tokenizer", None), "mask_token", None) or ""


def one_test(tests: Sequence[WordListTest | Mapping[str, Any]], method: str) -> WordListTest:
    """Return the test whose settings are compared.

    Raises:
        DataError: the test does not follow the schema.
        InputError: more than one test.
        UndefinedScoreError: no test.
    """
    parsed: list[WordListTest] = parsed_tests(method, tests)
    if len(parsed) > 1:
        raise InputError(
            f"{method} compares the settings of one test at a time, and {len(parsed)} were given",
            option="tests",
            hint=f"choose one of {', '.join(t.name for t in parsed)}",
        )
    return parsed[0]


def embed_test(
    model: Any,
    test: WordListTest,
    templates: Sequence[Template],
    representations: Sequence[Representation],
    inference: Inference,
) -> EmbeddedTest:
    """Embed the words of a test in templates.

    Raises:
        CoverageError: a list loses more than the largest share that may be missing.
        InputError: a word is in both target lists.
        UndefinedScoreError: a list is empty.
    """
    max_missing = inference.max_missing
    test, distinct = distinct_test(model, test, inference.same_vector, max_missing)
    forms, skipped = distinct.forms, [*distinct.skipped]
    words: dict[str, tuple[str, ...]] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    sizes: dict[str, int] = {}
    for name in LISTS:
        where = f"{test.name}/{name}"
        unique, again = each_once(getattr(test, name), forms[name], where, "word")
        skipped += again
        # In the order of their text, so that words given in another order are in the same subsets.
        unique.sort(key=forms[name].__getitem__)
        sizes[name] = len(unique)
        vectors[name], places, lost = embed_in_templates(
            model, templates, unique, representations, mask=mask_token(model)
        )
        skipped += [Skipped(s.item, f"{s.reason} (template {s.where})", where) for s in lost]
        reasons = {s.item: s.reason for s in lost}
        check_scored(model, where, reasons, len(unique), max_missing, scored="embedded")
        words[name] = tuple(unique[i] for i in places)
    return EmbeddedTest(
        test=test,
        words=words,
        list_sizes=distinct.requested(sizes),
        skipped=skipped,
        warnings=distinct.warnings,
        vectors=vectors,
    )


def compatibility_finding(
    embedded: EmbeddedTest,
    settings: Sequence[Setting],
    described: Sequence[Mapping[str, Any]],
    subsets: tuple[int, int],
    ddof: int,
    inference: Inference,
    options: Mapping[str, Any],
    details: Mapping[str, Any],
) -> Finding:
    """Compare settings over subsets of the targets and return the method's finding.

    ``described`` has ``labels`` and ``details`` of each setting's row of the breakdown, ``subsets`` the size and number
    of these. ``options`` are kept with the result if they were not given so, and so are ``details``.
    """
    x, y = (embedded.words[name] for name in LISTS[:2])
    size, count = subsets
    draws = draw_subsets(x, y, size=size, count=count, seed=inference.seed)
    outcome = compatibility(
        settings,
        draws,
        words=(x, y),
        ddof=ddof,
        n_resamples=inference.n_resamples,
        ci_resamples=inference.ci_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )
    low, high = outcome.interval or (None, None)
    # Reordering a list that every subset takes whole changes nothing.
    drawn_from = [n for n in (len(x), len(y)) if n > size]
    notes: list[str] = []
    if inference.ci_resamples and outcome.interval is None:
        notes = without_interval({"their mean": outcome.mean_r}) or [stats.NO_WIDTH]
    return Finding(
        score=outcome.mean_r,
        n=len(x) + len(y),
        ci_low=low,
        ci_high=high,
        ci_method="bootstrap over the target words, normal on Fisher's scale" if outcome.interval else "",
        p_value=outcome.p_mean,
        p_method=f"reordering of the words within their lists for each setting, {outcome.orders}, one-sided",
        coverage=Coverage(sum(map(len, embedded.words.values())), sum(embedded.list_sizes.values())),
        rows=_rows(outcome, described, len(x) + len(y), stats.smallest_order_p(*drawn_from)),
        skipped=embedded.skipped,
        warnings=[*embedded.warnings, *notes],
        details={
            **{
                key: getattr(outcome, key) for key in ("names", "r", "p_value", "p_holm", "p_naive", "scores")
            },
            "smallest_p": stats.smallest_order_p(*drawn_from, times=len(settings) - 1),
            "subsets": [
                {"targets_x": [x[i] for i in in_x], "targets_y": [y[i] for i in in_y]}
                for in_x, in_y in zip(*(places.tolist() for places in draws), strict=True)
            ],
            **details,
        },
        settings={"test": embedded.test.name, **options},
    )


def _rows(
    outcome: Compatibility, described: Sequence[Mapping[str, Any]], n: int, smallest_p: float
) -> list[Row]:
    """Return every setting with its mean correlation with the others, and every two settings."""
    others = len(outcome.names) - 1
    groups = [
        Row(
            name=name,
            kind="group",
            score=float((outcome.r[i].sum() - 1.0) / others),
            n=n,
            labels=facts.get("labels", {}),
            details={
                **facts.get("details", {}),
                "mean_effect_size": float(outcome.scores[:, i].mean()),
                "sd_effect_size": float(outcome.scores[:, i].std(ddof=1)),
            },
        )
        for i, (name, facts) in enumerate(zip(outcome.names, described, strict=True))
    ]
    pairs = [
        Row(
            name=f"{a} and {b}",
            kind="item",
            score=float(outcome.r[i, j]),
            p_value=float(outcome.p_value[i, j]),
            p_holm=float(outcome.p_holm[i, j]),
            labels={"a": a, "b": b},
            details={"p_naive": float(outcome.p_naive[i, j]), "smallest_p": smallest_p},
        )
        for (i, a), (j, b) in combinations(enumerate(outcome.names), 2)
    ]
    return [*groups, *pairs]
