"""WSV: where a protected property shows in embeddings, as a map of two axes (Dusi et al. 2022).

:func:`wsv_map` works on arrays. :func:`evaluate` accepts a model and words and returns a
:class:`~evaluate_bias.result.Result` that also contains the map.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.schemas import parse_row
from ....data.words import WsvWord
from ....errors import InputError, UndefinedScoreError, UnknownNameError, bad_option
from ....method import Finding, method
from ....models.base import ContextEmbedder
from ....models.pooling import Representation
from ....options import LargestMissing, Level, Resamples, Seed
from ....result import Coverage, Row, Sampled, Skipped
from ....text import row_place
from ...correlation import Correlations, correlate, without_interval
from ...embedding import embed_in_templates
from ...rows import is_score, statistic_label
from ...template_filling import templates_for
from ...word_lists.cosines import LARGEST, SMALLEST, TOLERANCE, as_vectors
from ...word_lists.inputs import check_scored, forms_of
from ..axis import EQUAL
from .record import RECORD

DEFAULT_FEATURES = 50
"""The number of the reference code."""

_CELLS, _EXCHANGES = 1 << 21, 3
_MAX_COMPONENT = 1e5
"""Of components: with larger ones the classifier's loss loses the digits that the weights hang on."""

PROTECTED, EVALUATION = "protected words", "words to evaluate"
_MIN_SHARE_BETWEEN = 0.1
"""Share of an axis' variance between the classes below which the axis is not called one of theirs."""


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    data: Sequence[WsvWord | Mapping[str, Any]],
    *,
    n_features: int | None = DEFAULT_FEATURES,
    rotate: bool = True,
    sweep: Sequence[int] | None = None,
    representation: str | Representation = "target_mean",
    template: str = "{target}",
    statistics: Mapping[str, Mapping[str, float]] | None = None,
    component: Literal[1, 2, "most correlated"] = 1,
    classifier: Literal["linear", "rbf", "boosted", "mlp"] = "linear",
    c: float = 1.0,
    positive: str | None = None,
    max_missing: LargestMissing = 0.2,
    n_resamples: Resamples = 9_999,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Correlate the first axis of the WSV map with a statistic of the words, such as the share of feminine mentions.

    Protected words (with a ``group``) fit the map, evaluation words (without one) are placed in it. The score
    is the Pearson correlation of their first coordinate with their ``statistic``, at the given number of features:
    one test, fixed beforehand. What other numbers of features would have given appears in
    ``details["sweep"]``, with the p-value of having chosen the best of them.

    Args:
        model: a model that embeds words in context.
        data: rows with ``word``, ``group`` (class of a protected word, empty for a word to evaluate) and
            ``statistic`` (of a word to evaluate).
        n_features: number of features to keep, 2 to the model's dimension. ``None`` for all, which is plain
            principal component analysis. 50 is the number of the reference code.
        rotate: whether the axes are the principal components of the kept features. ``False``, with ``n_features=2``:
            the two features themselves, the more relevant one first, as at n = 2 in the paper's Table 2.
            Larger numbers of the sweep are rotated all the same.
        sweep: numbers of features to compare, by default powers of two, ``n_features`` and all.
        representation: how a word is embedded, see :class:`~evaluate_bias.models.pooling.Representation`. A layer is
            given as in ``"target_mean@-2"``.
        template: sentence with the slot ``{target}`` that each word is embedded in, by default the word
            alone.
        statistics: further statistics, by name: a number for every word, for example the scores of
            ``mlm_gender_score`` of the same model. Words without a number are excluded from that correlation.
        component: axis that the score is about. ``"most correlated"``, as in the paper: the larger |r| of both axes,
            from 0 to 1. Its p-value permutes the statistic and uses the larger |r| each time. The mean of
            those is its ``expected_by_chance``, and it has no interval.
        classifier: what tells the features that matter: ``"linear"``, by its weights, as in the paper.
            ``"rbf"``, ``"boosted"`` or ``"mlp"``, by their permutation importance on held-out words, see
            :func:`importance`. If fewer features than ``n_features`` matter, those are kept.
        c: weight of the classifier's loss, as in :func:`relevance`. ``"boosted"`` and ``"mlp"`` have none.
        positive: class on the positive side of the axes, by default the alphabetically first one ("female"
            before "male"), so that the sign means the same whatever the order of the rows.
        max_missing: largest share of a class, or of the evaluation words, that may be impossible to embed.

    Returns:
        r, range -1 to 1, two-sided, ideal 0, positive when words nearer to the positive class have the larger
        statistic. With ``component="most correlated"`` it is |r|, range 0 to 1, higher is more biased. ``p_value``
        comes from permutations of the statistic over the words, the interval from Fisher's transformation. ``groups``
        has both axes and every statistic, ``items`` every evaluation word with its coordinates in the WSV map and in
        the map of plain principal component analysis, ``details`` the protected words' coordinates, the kept features,
        the share of each axis' variance that lies between the classes, and the sweep.

    Raises:
        CapabilityError: the model does not embed words in context.
        CoverageError: too many words cannot be embedded.
        DataError: a row does not follow the schema.
        InputError: an option is out of range, more features are asked for than the model has, or a word belongs to
            two classes.
        UndefinedScoreError: protected words of one class, no word with a statistic, or vectors that do not vary.

    References:
        Dusi, Arici, Gerevini, Putelli and Serina (2022): Graphical Identification of Gender Bias in BERT with a
        Weakly Supervised Approach. NL4AI at AIxIA 2022.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.9, 3.0], "her": [1.1, 0.8, -3.1], "he": [-0.9, -1.0, 3.1],
        ...            "him": [-1.0, -1.1, -3.0], "nurse": [0.8, 0.9, 1.5], "maid": [0.6, 1.1, 0.4],
        ...            "clerk": [0.1, 0.0, -1.0], "judge": [-0.2, -0.8, 1.1], "smith": [-0.9, -1.2, 0.7]}
        >>> words = [{"word": "she", "group": "female"}, {"word": "her", "group": "female"},
        ...          {"word": "he", "group": "male"}, {"word": "him", "group": "male"}]
        >>> shares = {"nurse": 90.0, "maid": 95.0, "clerk": 60.0, "judge": 30.0, "smith": 5.0}
        >>> words += [{"word": w, "statistic": s} for w, s in shares.items()]
        >>> result = evaluate(load_model(vectors), words, n_features=2)
        >>> round(result.score, 2), round(result.groups[2]["score"], 2), result.groups[2]["name"]
        (1.0, 0.0, 'statistic, PCA axis 1')
    """
    parsed_representation = Representation.parse(representation)
    sorted_words, repeated = sort_words(model, data, statistics)
    positive = check_positive(positive, sorted_words.classes)
    words, x, y, skipped = embed_words(model, sorted_words, template, parsed_representation, max_missing)
    chosen = check_features(n_features, x.shape[1], rotate=rotate)
    if classifier == "linear":
        weights = relevance(x, words.classes, c=c)
        n_useful = x.shape[1]
    else:
        weights = importance(x, words.classes, classifier, c=c, seed=seed)
        n_useful = int(np.count_nonzero(weights))
        if n_useful < 2:
            raise UndefinedScoreError(
                f"{n_useful} of {x.shape[1]} features help the classifier {classifier!r} with held-out words, and a "
                "map needs two",
                option="classifier",
                hint="give more protected words, or use 'linear'",
            )
    # All features are plain principal component analysis, whatever the classifier finds.
    fewer = n_useful < chosen < x.shape[1]
    chosen = n_useful if fewer else chosen
    ranked = rank(weights)

    def placed(k: int, rotate: bool = rotate) -> WsvMap:
        return project(x, words.classes, y, ranked[:k], positive, rotate=rotate)

    main_map, pca = placed(chosen), placed(x.shape[1], rotate=True)
    maps = {}
    for k in _sweep(sweep, chosen, x.shape[1]):
        if n_useful < k < x.shape[1]:
            continue
        try:
            maps[k] = placed(k)
        except UndefinedScoreError as error:
            skipped.append(Skipped(f"{k} features", str(error), "sweep"))
    tests: dict[str, Any] = {"n_resamples": n_resamples, "confidence_level": confidence_level, "seed": seed}
    groups: list[Row] = []
    sweeps: dict[str, Any] = {}
    largest: dict[str, Correlations] = {}
    for name, statistic in words.statistics.items():
        known = ~np.isnan(statistic)
        if known.sum() < 4:
            raise UndefinedScoreError(
                f"the statistic {name!r} is known for {int(known.sum())} of the words that could be embedded: a "
                "correlation with an interval needs at least four"
            )
        values = statistic[known]
        for axes, one_map in (("WSV", main_map), ("PCA", pca)):
            together = correlate(one_map.words[known], values, **tests)
            largest.setdefault(name, together)
            groups += [
                Row(
                    name=f"{name}, {axes} axis {k}",
                    kind="group",
                    score=r.r,
                    ci_low=r.ci_low,
                    ci_high=r.ci_high,
                    p_value=r.p_value,
                    p_method=f"permutation of the statistic over the words, {together.orders}, two-sided",
                    n=len(values),
                    details={"statistic": name, "map": axes, "component": k},
                )
                for k, r in enumerate(together.each, start=1)
            ]
        swept = correlate(np.column_stack([one.words[known] for one in maps.values()]), values, **tests)
        holm = stats.holm([r.p_value for r in swept.each])
        rows = [
            {
                "n_features": n_kept,
                "component": k,
                "r": r.r,
                "abs_r": abs(r.r),
                "ci_low": r.ci_low,
                "ci_high": r.ci_high,
                "p_value": r.p_value,
                "p_holm": float(p),
            }
            for (n_kept, k), r, p in zip(product(maps, (1, 2)), swept.each, holm, strict=True)
        ]
        best = {key: rows[swept.largest][key] for key in ("n_features", "component", "r", "p_value")}
        sweeps[name] = {"rows": rows, "best": best | {"p_selected": swept.p_largest}}
    if component == "most correlated":  # the score loses its sign, and these keep theirs
        groups = [
            replace(row, score_range=RECORD.score_range, ideal=RECORD.ideal, direction=RECORD.direction)
            for row in groups
        ]
    both = largest[next(iter(words.statistics))]
    axis = both.largest + 1 if component == "most correlated" else component
    main = groups[axis - 1]
    score: dict[str, Any] = {
        key: getattr(main, key) for key in ("score", "n", "ci_low", "ci_high", "p_value", "p_method")
    }
    if component == "most correlated":
        score = {
            "score": abs(both.each[both.largest].r),
            "n": main.n,
            "p_value": both.p_largest,
            "p_method": f"permutation of the statistic over the words, {both.orders}, of the larger |r| of both axes",
            "expected_by_chance": both.largest_by_chance,
            "score_range": (0.0, 1.0),
            "direction": "higher_is_more_biased",
        }
    notes = _notes(chosen, n_features if rotate else None, x.shape[1], main_map, axis, words.classes)
    if fewer:
        notes.insert(
            0,
            f"{chosen} features help the classifier {classifier!r}, so {chosen} are kept and not {n_features}",
        )
    places = _places(main_map.protected, pca.protected)
    return Finding(
        sampled=Sampled(("words",)),
        **score,
        ci_method="" if score.get("ci_low") is None else "Fisher interval of a Pearson correlation",
        coverage=Coverage(len(x) + len(y), len(sorted_words.protected) + len(sorted_words.evaluation)),
        rows=(*groups, *_items(words, main_map, pca)),
        skipped=(*repeated, *skipped),
        warnings=(*notes, *without_interval({row.name: row.score or 0.0 for row in groups})),
        details={
            "classes": Counter(words.classes),
            "explained": main_map.explained,
            "explained_pca": pca.explained,
            "separation": separation(main_map.protected, words.classes),
            "protected": [
                {"word": word, "group": group, **place}
                for word, group, place in zip(words.protected, words.classes, places, strict=True)
            ],
            "statistic": next(iter(words.statistics)),
            "positive": positive,
            "component": axis,
            "dimension": x.shape[1],
            "n_features": chosen,
            "features": [{"feature": int(f), "relevance": float(weights[f])} for f in main_map.features],
            "sweep": sweeps,
        },
        settings={
            "sweep": list(maps),
            "representation": str(parsed_representation),
            "statistics": list(words.statistics),
            "c": float(c),
            "positive": positive,
        },
    )


def _items(words: Words, wsv_: WsvMap, pca: WsvMap) -> list[Row]:
    """Return every evaluation word with its places in both maps and its statistics."""
    rows = []
    for i, (word, place) in enumerate(zip(words.evaluation, _places(wsv_.words, pca.words), strict=True)):
        numbers = {name: values.tolist()[i] for name, values in words.statistics.items()}
        known = {name: None if np.isnan(v) else v for name, v in numbers.items()}
        rows.append(Row(name=word, kind="item", details={**place, "statistics": known}))
    return sorted(rows, key=lambda row: words.in_data_order.index(row.name))


def _places(wsv_: FloatArray, pca: FloatArray) -> list[dict[str, float]]:
    """Places of words in both maps."""
    names = ("component_1", "component_2", "pca_1", "pca_2")
    return [dict(zip(names, place, strict=True)) for place in np.hstack([wsv_, pca]).tolist()]


def _sweep(sweep: Sequence[int] | None, chosen: int, dimension: int) -> tuple[int, ...]:
    """Return the numbers of features to compare, ascending."""
    if sweep is None:
        powers = [1 << k for k in range(1, dimension.bit_length()) if 1 << k <= dimension]
        return tuple(sorted({*powers, chosen, dimension}))
    if not sweep:
        raise bad_option("sweep", sweep, "a list of numbers of features")
    return tuple(sorted({check_features(k, dimension, "each number of the sweep") for k in sweep}))


def _notes(
    chosen: int, n_requested: int | None, dimension: int, word_map: WsvMap, axis: int, classes: Sequence[str]
) -> list[str]:
    notes = []
    if chosen == dimension and n_requested is not None:
        notes.append(
            f"all {dimension} features are kept, which is plain principal component analysis: ask for fewer"
        )
    if chosen >= len(classes):
        notes.append(
            f"{chosen} features are kept and {len(classes)} protected words fit the map: with so few words its axes "
            "are uncertain"
        )
    shares = separation(word_map.protected, classes)
    share, other_share = shares[axis - 1], shares[2 - axis]
    names = ("first", "second") if axis == 1 else ("second", "first")
    if share < _MIN_SHARE_BETWEEN:
        notes.append(
            f"the {names[0]} axis does not tell the classes of the protected words apart ({share:.1%} of its variance "
            "lies between them): its correlation is about something else than the protected property"
        )
    elif share < other_share:
        notes.append(
            f"the classes of the protected words differ more on the {names[1]} axis ({other_share:.0%} of its "
            f"variance) than on the {names[0]} ({share:.0%}), which the score is about"
        )
    return notes


@dataclass(frozen=True, slots=True)
class Words:
    """The words of both kinds, each in the order of their text."""

    protected: tuple[str, ...]
    classes: tuple[str, ...]  # of each protected word
    evaluation: tuple[str, ...]
    statistics: dict[str, NDArray[np.float64]]  # by name, the primary one first, NaN for words that have none
    language: str
    in_data_order: tuple[str, ...]  # the words to evaluate in the order of the rows


def sort_words(
    model: Any,
    data: Sequence[WsvWord | Mapping[str, Any]],
    statistics: Mapping[str, Mapping[str, float]] | None,
) -> tuple[Words, list[Skipped]]:
    """Tell protected words from those to evaluate, and gather their statistics. The model says which are the same.

    The others are words that are given again.
    """
    rows = [parse_row(WsvWord, row, row_place(i, len(data))) for i, row in enumerate(data)]
    forms = forms_of(model, list(dict.fromkeys(row.word for row in rows)))
    # What words of one form are called, and the kinds below by that name: the same in any order of the rows.
    called: dict[str, str] = {}
    for word, form in forms.items():
        called[form] = min(word, called.get(form, word))
    classes: dict[str, str] = {}
    shares: dict[str, float | None] = {}
    skipped: list[Skipped] = []
    for row in sorted(rows, key=lambda row: not row.group):  # the protected words first
        word = called[forms[row.word]]
        if row.group:
            if classes.get(word, row.group) != row.group:
                raise InputError(
                    f"the protected word {row.word!r} belongs to {classes[word]!r} and to {row.group!r}: a word "
                    "has one class"
                )
            if word in classes:
                skipped.append(Skipped(row.word, "given again, counted once", PROTECTED))
            classes[word] = row.group
        elif word in classes:
            skipped.append(Skipped(row.word, "also a protected word, which fits the map", EVALUATION))
        elif word in shares:
            if row.statistic not in (None, shares[word]):
                raise InputError(f"the word {row.word!r} has two numbers: {shares[word]} and {row.statistic}")
            skipped.append(Skipped(row.word, "given again, counted once", EVALUATION))
        else:
            shares[word] = row.statistic
    for kind, table in ((PROTECTED, classes), (EVALUATION, shares)):
        if not table:
            which = "a group" if kind == PROTECTED else "an empty group"
            raise UndefinedScoreError(f"no {kind}: wsv needs rows with {which}")
    languages = {row.language for row in rows} - {"und"}
    words_in_order = tuple(shares)
    # By their text, so that rows in another order have the same map, to the last digit, and the same p-values.
    classes, shares = dict(sorted(classes.items())), dict(sorted(shares.items()))
    label, further = statistic_label(rows), statistics or {}
    if not all(isinstance(table, Mapping) for table in further.values()):
        raise InputError(
            "`statistics` must give for each name a dict from words to numbers", option="statistics"
        )
    if label in further:
        raise InputError(
            f"`statistics` has {label!r}, which is the name of the rows' own numbers",
            option="statistics",
            hint="rename it",
        )
    own_numbers = {word: value for word, value in shares.items() if value is not None}
    tables = {**({label: own_numbers} if own_numbers else {}), **further}
    if not tables:
        raise UndefinedScoreError(
            "no word to evaluate has a statistic",
            option="statistics",
            hint="fill the column 'statistic', or give numbers by word as `statistics`",
        )
    for (name, numbers), word in product(tables.items(), shares):
        value = numbers.get(word)
        if value is not None and not (is_score(value) and math.isfinite(value)):
            raise InputError(
                f"the statistic {name!r} of {word!r} must be a finite number, got {value!r}",
                option="statistics",
            )
    return Words(
        protected=tuple(classes),
        classes=tuple(classes.values()),
        evaluation=tuple(shares),
        statistics={
            name: np.array([np.nan if numbers.get(word) is None else float(numbers[word]) for word in shares])
            for name, numbers in tables.items()
        },
        language=min(languages) if len(languages) == 1 else "en",
        in_data_order=words_in_order,
    ), skipped


def embed_words(
    model: Any, words: Words, template: str, representation: Representation, max_missing: float
) -> tuple[Words, NDArray[np.float64], NDArray[np.float64], list[Skipped]]:
    """Embed the words of both kinds. Refuses a class, or words to evaluate, of which too many cannot be embedded.

    Returns:
        The words that could be embedded, the vectors of the protected words and of the words to evaluate, each of shape
        (words, dimension), and the other words, including any that lack a statistic.
    """
    chosen = templates_for([template], words.language, ["target"])
    every = [*words.protected, *words.evaluation]
    vectors, places, skipped = embed_in_templates(model, chosen, every, [representation])
    n = len(words.protected)
    first, second = [i for i in places if i < n], [i - n for i in places if i >= n]
    lost = {s.item: s.reason for s in skipped}
    kinds: dict[str, list[str]] = {}
    for word, name in zip(words.protected, words.classes, strict=True):
        kinds.setdefault(f"protected words, class {name!r}", []).append(word)
    for where, members in (*kinds.items(), (EVALUATION, words.evaluation)):
        of_kind = {word: lost[word] for word in members if word in lost}
        check_scored(model, where, of_kind, len(members), max_missing, scored="embedded")
    rest = replace(
        words,
        protected=tuple(words.protected[i] for i in first),
        classes=tuple(words.classes[i] for i in first),
        evaluation=tuple(words.evaluation[i] for i in second),
        statistics={name: values[second] for name, values in words.statistics.items()},
    )
    unembedded = [replace(s, where=PROTECTED if s.item in words.protected else EVALUATION) for s in skipped]
    unnumbered = [
        Skipped(word, "has no number", f"statistic {name!r}")
        for name, values in rest.statistics.items()
        for word, value in zip(rest.evaluation, values.tolist(), strict=True)
        if math.isnan(value)
    ]
    return rest, vectors[0, : len(first), 0], vectors[0, len(first) :, 0], [*unembedded, *unnumbered]


@dataclass(frozen=True, slots=True, kw_only=True)
class WsvMap:
    """Outcome of :func:`wsv_map`.

    Attributes:
        words: coordinates of the evaluation words, shape (m, 2).
        protected: coordinates of the protected words, shape (n, 2).
        features: positions of the features that were kept, the most relevant first.
        explained: share of the variance of the protected words' kept features along each axis, shape (2,).
    """

    words: FloatArray
    protected: FloatArray
    features: NDArray[np.intp]
    explained: FloatArray


def relevance(protected: ArrayLike, classes: Sequence[str], *, c: float = 1.0) -> FloatArray:
    """Return how much every feature tells of the classes: its absolute weight in a linear support vector classifier.

    Args:
        protected: vectors of the protected words, shape (n, dimension).
        classes: class of every word, two or more classes.
        c: weight of the squared hinge loss against the norm of the weights, above 0.

    Returns:
        Shape (dimension,), 0 or more. Larger is more relevant. With more than two classes the mean over the
        classifiers that tell each class from all others.

    Raises:
        InputError: shapes differ, values are not finite or above 1e5, or ``c`` is not above 0.
        UndefinedScoreError: all words belong to one class, or all vectors are the same.

    References:
        Dusi, Arici, Gerevini, Putelli and Serina (2022), NL4AI at AIxIA 2022.

    Examples:
        >>> relevance([[1.0, 0.1], [0.9, -0.1], [-1.0, 0.1], [-0.9, -0.1]], ["f", "f", "m", "m"]).round(3).tolist()
        [0.922, 0.0]
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    x = _trainable(protected, classes, c)
    # relevance_j = mean over classes of |w_j|, where w of a class minimises ‖w‖²/2 + c Σ max(0, 1 − s (w·x + b))² over
    # the words, s = 1 for words of the class and −1 for the others. coef_ has shape (classifiers, dimension).
    classifier = LinearSVC(C=float(c), dual=False, tol=1e-10, max_iter=10_000)
    with warnings.catch_warnings():
        # After so many steps the weights agree to more digits than their order needs.
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(x, np.array(classes, dtype=str))
    return np.asarray(np.abs(classifier.coef_).mean(axis=0), dtype=np.float64)


def _trainable(protected: ArrayLike, classes: Sequence[str], c: float) -> FloatArray:
    """Return the vectors that a classifier is trained on."""
    x = _vectors(protected, "protected", classes)
    if (size := float(np.abs(x).max())) > _MAX_COMPONENT or size < SMALLEST:
        raise InputError(
            f"the largest component of the vectors of the protected words is {size:.3g}, and the classifier cannot "
            "be trained on them",
            hint=f"scale all vectors to between {SMALLEST:g} and {_MAX_COMPONENT:g}",
        )
    if not 0 < c < np.inf:
        raise bad_option("c", c, "a number above 0")
    if len(set(classes)) < 2:
        raise UndefinedScoreError(
            f"all protected words belong to one class ({classes[0]}): there is nothing to tell apart"
        )
    return x


def importance(
    protected: ArrayLike,
    classes: Sequence[str],
    classifier: Literal["rbf", "boosted", "mlp"],
    *,
    c: float = 1.0,
    seed: int = 0,
) -> FloatArray:
    """Return how much every feature helps a classifier without weights: its permutation importance on held-out words.

    The words are split into up to five folds, each of which contains words of every class. The classifier is
    trained on the others. The importance of a feature is how much the loss of the held-out words grows when
    its values are exchanged among them, averaged over folds and three exchanges. The loss is the log loss,
    or, of ``"rbf"``, the negative margin: the score of the true class less the largest of the others.
    Accuracy would not change with nearly any feature.

    Args:
        protected: vectors of the protected words, shape (n, dimension).
        classes: class of every word, two or more classes, each with at least two words.
        classifier: ``"rbf"``: a support vector machine with that kernel. ``"boosted"``: gradient boosted
            trees. ``"mlp"``: a network with one layer of 32 units on standardised features.
        c: weight of the loss of ``"rbf"``.
        seed: of folds, exchanges, trees and the network.

    Returns:
        Shape (dimension,), 0 or more, 0 for a feature that does not help.

    Raises:
        InputError: as :func:`relevance`.
        UndefinedScoreError: a class has a single word, or as :func:`relevance`.

    Examples:
        >>> x = [[s, 0.1 * (i % 3)] for i, s in enumerate([1.0, 0.9, 1.1, 1.0, -1.0, -0.9, -1.1, -1.0])]
        >>> int(importance(x, ["f"] * 4 + ["m"] * 4, "rbf").argmax())
        0
    """
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    x, y = _trainable(protected, classes, c), np.unique(np.array(classes, dtype=str), return_inverse=True)[1]
    if (fewest := int(np.bincount(y).min())) < 2:
        raise UndefinedScoreError(
            f"a class of the protected words has a single word, too few for `classifier` {classifier!r}",
            option="classifier",
            hint="give two words or more of every class, or use 'linear'",
        )
    models = {
        "rbf": lambda: SVC(C=float(c), decision_function_shape="ovr"),
        "boosted": lambda: GradientBoostingClassifier(random_state=seed),
        "mlp": lambda: make_pipeline(StandardScaler(), MLPClassifier((32,), max_iter=500, random_state=seed)),
    }
    rng, n, dimension = np.random.default_rng(seed), len(x), x.shape[1]
    total = np.zeros(dimension)
    folds = StratifiedKFold(min(5, fewest), shuffle=True, random_state=seed)
    for train, held_out in folds.split(x, y):
        model = models[classifier]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(x[train], y[train])
        whole = _loss(model, x[held_out], y[held_out])
        # Copies of the held-out words, in each of which one feature is exchanged, as many as fit into memory.
        step = max(1, _CELLS // (len(held_out) * dimension))
        for _ in range(_EXCHANGES):
            order = rng.permutation(len(held_out))
            for start in range(0, dimension, step):
                features = np.arange(start, min(start + step, dimension))
                copies = np.repeat(x[held_out][None], len(features), axis=0)
                copies[np.arange(len(features)), :, features] = x[held_out][order][:, features].T
                labels = np.tile(y[held_out], len(features))
                losses = _loss(model, copies.reshape(-1, dimension), labels).reshape(len(features), -1)
                total[features] += (losses - whole).sum(axis=1)
    return np.asarray((total / (n * _EXCHANGES)).clip(0.0))


def _loss(model: Any, x: FloatArray, y: NDArray[Any]) -> FloatArray:
    """Log loss of every word, or its negative margin if the classifier gives no probabilities."""
    places = np.arange(len(y))
    if hasattr(model, "predict_proba"):
        return np.asarray(-np.log(model.predict_proba(x)[places, y].clip(1e-12)))
    scores = model.decision_function(x)
    if scores.ndim == 1:
        return np.asarray(np.where(y == 1, -scores, scores))
    of_class = scores[places, y]
    scores[places, y] = -np.inf
    return np.asarray(scores.max(axis=1) - of_class)


def wsv_map(
    protected: ArrayLike,
    classes: Sequence[str],
    words: ArrayLike,
    *,
    n_features: int | None = DEFAULT_FEATURES,
    rotate: bool = True,
    c: float = 1.0,
    positive: str | None = None,
) -> WsvMap:
    """Project words on the two principal axes of the features that tell of the protected classes.

    A linear support vector classifier is trained on the protected words, the features with the largest absolute
    weights are kept, a principal component analysis is fitted on the protected words' kept features, and the
    evaluation words are projected with it. Two features can be taken as they are instead. With all features
    kept it is plain principal component analysis.

    Args:
        protected: vectors of the protected words, shape (n, dimension), n >= 3.
        classes: class of every protected word.
        words: vectors of the evaluation words, shape (m, dimension).
        n_features: number of features to keep, 2 to dimension. ``None`` for all.
        rotate: whether the axes are principal components. ``False``, with ``n_features=2``: the two features
            themselves, the more relevant one first.
        c: as in :func:`relevance`.
        positive: class that lies on the positive side of each axis, on average, by default the alphabetically
            first one, whatever the order of the words.

    Returns:
        The map. Axes are in units of the embeddings, centred at the mean of the protected words.

    Raises:
        InputError: shapes differ, values are not finite, or an option is out of range.
        UndefinedScoreError: one class only, vectors that do not vary, or in one direction only.

    References:
        Dusi, Arici, Gerevini, Putelli and Serina (2022), NL4AI at AIxIA 2022.

    Examples:
        >>> she_he = [[1.0, 0.9, 3.0], [1.1, 0.8, -3.1], [-0.9, -1.0, 3.1], [-1.0, -1.1, -3.0]]
        >>> jobs = [[0.8, 0.9, 1.5], [-0.9, -1.2, 0.7]]
        >>> word_map = wsv_map(she_he, ["f", "f", "m", "m"], jobs, n_features=2)
        >>> word_map.features.tolist(), word_map.words[:, 0].round(2).tolist()
        ([0, 1], [1.23, -1.45])
    """
    x, targets = _vectors(protected, "protected", classes), _vectors(words, "words")
    if x.shape[1] != targets.shape[1]:
        raise InputError(
            f"vectors of different length cannot share a map: {x.shape[1]} and {targets.shape[1]} dimensions"
        )
    chosen = check_features(n_features, x.shape[1], rotate=rotate)
    ranked = rank(relevance(x, classes, c=c))
    return project(x, classes, targets, ranked[:chosen], check_positive(positive, classes), rotate=rotate)


def rank(weights: FloatArray) -> NDArray[np.intp]:
    """Positions of the features, the most relevant first. Of equal ones the first comes first."""
    return np.argsort(-weights, kind="stable")


def project(
    protected: FloatArray,
    classes: Sequence[str],
    words: FloatArray,
    features: NDArray[np.intp],
    positive: str,
    *,
    rotate: bool = True,
) -> WsvMap:
    """Fit the axes on the protected words' kept features, and apply them to the evaluation words.

    Without ``rotate`` two features are the axes themselves, the more relevant one first. More are rotated all
    the same.

    Raises:
        InputError: the vectors of the words are so long that their squares cannot be computed.
        UndefinedScoreError: the kept features of the protected words vary in one direction only, or not at all, or as
            much in a second direction as in the first.
    """
    if (size := float(np.abs(words).max())) > LARGEST:
        raise InputError(
            f"the largest component of the vectors of the words to evaluate is {size:.3g}, whose square cannot be "
            "computed",
            hint=f"scale all vectors to {LARGEST:g} at most",
        )
    # coordinates = (vectors − mean) @ axes.T, axes (2, kept features) the first right singular vectors of the centred
    # protected vectors (n, kept features). Words are (m, kept features). Features stay in their own order, so
    # that the rounding is the same as for all features when all are kept.
    rotated = rotate or len(features) > 2
    chosen_features = np.sort(features) if rotated else features
    mean = protected[:, chosen_features].mean(axis=0)
    centred = protected[:, chosen_features] - mean
    if rotated:
        _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    else:
        spread, axes = np.linalg.norm(centred, axis=0), np.eye(2)
    if len(spread) < 2 or min(spread[:2]) <= 1e-10 * max(spread[0], np.abs(protected).max()):
        raise UndefinedScoreError(
            f"the {len(protected)} protected words vary in fewer than two directions of the kept "
            "features, so no map can be made",
            hint="give more words, or keep more features",
        )
    if rotated and spread[0] - spread[1] <= EQUAL * spread[0]:
        raise UndefinedScoreError(
            "the kept features of the protected words vary equally much in two directions, so that rounding decides "
            "which is the first axis",
            hint="give more words, or keep another number of features",
        )
    axes = axes[:2]
    side = np.where(np.array(classes, dtype=object) == positive, 1.0, -1.0)
    axes = axes * _signs(centred @ axes.T, side, axes)[:, None]
    places = (words[:, chosen_features] - mean) @ axes.T
    # For words in one place, differences that rounding leaves are not an order.
    flat = np.ptp(places, axis=0) <= TOLERANCE * max(size, float(np.abs(protected).max()))
    places[:, flat] = places[0, flat]
    return WsvMap(
        words=places,
        protected=centred @ axes.T,
        features=features,
        explained=spread[:2] ** 2 / (spread**2).sum(),
    )


def separation(coordinates: FloatArray, classes: Sequence[str]) -> list[float]:
    """Share of the variance along each axis that lies between the classes, from 0 to 1.

    Examples:
        >>> separation(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), ["f", "f", "m", "m"])
        [1.0, 0.0]
    """
    # Σ over classes of n_class mean² / Σ over words of x², x the centred coordinates, shape (words, axes).
    class_of = np.array(classes, dtype=object)
    centred = coordinates - coordinates.mean(axis=0)
    groups = [centred[class_of == name] for name in sorted(set(classes))]
    between = sum(len(members) * members.mean(axis=0) ** 2 for members in groups)
    return [float(v) for v in between / (centred**2).sum(axis=0)]


def _signs(coordinates: FloatArray, side: FloatArray, axes: FloatArray) -> FloatArray:
    """Turn each axis so that the positive class has the larger mean.

    If the means are equal, the largest loading becomes positive.
    """
    difference = coordinates[side > 0].mean(axis=0) - coordinates[side < 0].mean(axis=0)
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    decisive = np.abs(difference) > 1e-9 * np.abs(coordinates).max(axis=0)
    return np.where(np.where(decisive, difference, largest) < 0, -1.0, 1.0)


def check_features(
    n_features: int | None, dimension: int, called: str = "n_features", *, rotate: bool = True
) -> int:
    """Return the number of features to keep, ``None`` standing for all.

    Raises:
        InputError: it is not from 2 to ``dimension``, or other than 2 when axes are not rotated.
    """
    if not rotate and n_features != 2:
        raise InputError(
            f"`rotate` false makes a map of two features as they are, so {called} must be 2, got "
            f"{n_features!r}",
            option="rotate",
        )
    if n_features is None:
        return dimension
    if not 2 <= n_features <= dimension:
        raise InputError(
            f"{called} must be an integer from 2 to {dimension}, the dimension of these vectors, got "
            f"{n_features!r}",
            option="sweep" if called != "n_features" else called,
            hint="omit it to keep them all",
        )
    return n_features


def check_positive(positive: str | None, classes: Sequence[str]) -> str:
    """Return the class of the positive side, by default the alphabetically first: rows in another order change no sign.

    Raises:
        UnknownNameError: no protected word has that class.
    """
    if positive is None:
        return min(classes)
    if positive not in classes:
        raise UnknownNameError("class", positive, set(classes), option="positive")
    return positive


def _vectors(values: ArrayLike, called: str, classes: Sequence[str] | None = None) -> FloatArray:
    array = as_vectors(values, called, zeros=True)
    if array.shape[1] < 2:
        raise InputError(f"{called} must be vectors of dimension 2 or more, not of shape {array.shape}")
    if classes is not None:
        if len(array) < 3:
            raise UndefinedScoreError(
                f"a map of two axes needs at least three {called} words, and there are {len(array)}"
            )
        if np.ptp(array, axis=0).max() <= 1e-12 * np.abs(array).max():
            raise UndefinedScoreError(f"all {called} words have the same vector: nothing tells them apart")
    return array
