"""WSV: where a protected property shows in embeddings, as a map of two axes (Dusi et al. 2022).

:func:`wsv_map` works on arrays; :func:`evaluate` takes a model and words and returns a
:class:`~evaluate_bias.result.Result` that also holds the map.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.schemas import parse_row
from ....data.words import WsvWord
from ....errors import InputError, UndefinedScoreError, bad_option
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
from ...word_lists.inputs import check_scored, forms_of
from .map import (
    DEFAULT_FEATURES,
    WsvMap,
    check_features,
    check_positive,
    importance,
    project,
    rank,
    relevance,
    separation,
    wsv_map,
)
from .record import RECORD

PROTECTED, EVALUATION = "protected words", "words to evaluate"
__all__ = ["WsvMap", "evaluate", "importance", "relevance", "wsv_map"]
_SEPARATED = 0.1
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

    Protected words (those with a ``group``) fit the map, evaluation words (those without) are placed in it. The score
    is the Pearson correlation of their first coordinate with their ``statistic``, at the given number of features:
    one test, fixed beforehand. What other numbers of features would have given stands in ``details["sweep"]``, with the
    p-value of having chosen the best of them.

    Args:
        model: a model that embeds words in context.
        data: rows with ``word``, ``group`` (class of a protected word; empty for a word to evaluate) and
            ``statistic`` (of a word to evaluate).
        n_features: number of features to keep, 2 to the model's dimension; ``None`` for all, which is plain principal
            component analysis. 50 is the number of the reference code.
        rotate: whether the axes are the principal components of the kept features. ``False``, with ``n_features=2``:
            the two features themselves, the more relevant one first, as at n = 2 in the paper's Table 2; larger numbers
            of the sweep are rotated all the same.
        sweep: numbers of features to compare; by default powers of two, ``n_features`` and all.
        representation: how a word is embedded, see :class:`~evaluate_bias.models.pooling.Representation`; with a
            layer as in ``"target_mean@-2"``.
        template: sentence with the slot ``{target}`` that each word is embedded in; by default the word alone.
        statistics: further statistics, by name: a number for every word, for example the scores of
            ``mlm_gender_score`` of the same model. Words without a number are left out of that correlation.
        component: axis that the score is about. ``"most correlated"``, as in the paper: the larger |r| of both axes,
            from 0 to 1. Its p-value permutes the statistic and takes the larger |r| each time; the mean of those is its
            ``expected_by_chance``, and it has no interval.
        classifier: what tells the features that matter: ``"linear"``, by its weights, as in the paper; ``"rbf"``,
            ``"boosted"`` or ``"mlp"``, by their permutation importance on held-out words, see :func:`importance`. If
            fewer features than ``n_features`` matter, those are kept.
        c: weight of the classifier's loss, as in :func:`relevance`; ``"boosted"`` and ``"mlp"`` have none.
        positive: class on the positive side of the axes; by default the alphabetically first one ("female" before
            "male"), so that the sign means the same whatever the order of the rows.
        max_missing: largest share of a class, or of the evaluation words, that may be impossible to embed.

    Returns:
        r, range -1 to 1, two-sided, ideal 0; positive when words nearer to the positive class have the larger
        statistic. With ``component="most correlated"`` |r|, range 0 to 1, higher is more biased. ``p_value`` by
        permutation of the statistic over the words, interval by Fisher's transformation. ``groups`` has both axes and
        every statistic, ``items`` every evaluation word with its coordinates in the WSV map and in that of plain
        principal component analysis, ``details`` the protected words' coordinates, the kept features, the share of each
        axis' variance that lies between the classes, and the sweep.

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
    """Every evaluation word with its places in both maps and its statistics."""
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
    """The numbers of features to compare, ascending."""
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
    if share < _SEPARATED:
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
    statistics: dict[str, NDArray[np.float64]]  # by name, the primary one first; NaN for words that have none
    language: str
    in_data_order: tuple[str, ...]  # the words to evaluate in the order of the rows


def sort_words(
    model: Any,
    data: Sequence[WsvWord | Mapping[str, Any]],
    statistics: Mapping[str, Mapping[str, float]] | None,
) -> tuple[Words, list[Skipped]]:
    """Tell protected words from those to evaluate, and gather their statistics; the model says which are the same.

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
    """Embed the words of both kinds; refuses a class, or words to evaluate, of which too many cannot be.

    Returns:
        The words that could be embedded; vectors of the protected ones and of those to evaluate, each of shape (words,
        dimension); and the others, with those that lack a statistic.
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
