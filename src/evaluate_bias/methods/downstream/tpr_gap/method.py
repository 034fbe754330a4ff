"""TPR gap: is a classifier's rate, such as of true positives, the same in all groups? (De-Arteaga et al. 2019)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from .... import stats
from ....data.predictions import GROUP_COLUMNS, Prediction
from ....data.schemas import as_label
from ....errors import DataError, InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....text import counted, joined, row_place
from ...rows import as_fields, checked_rows, nothing_left
from ...word_lists.inference import Inference
from .record import RECORD
from .statistics import (
    Rate,
    RateCounts,
    TestedGap,
    clustered_interval,
    newcombe_interval,
    rate_counts,
    tested,
)

_ROWS = {
    "tpr": "member of this class",
    "fpr": "member of another class",
    "precision": "prediction of this class",
}
"""What a class needs in a group to have a rate there. The other rates are of all rows."""


_MOST_CLASSES = 5
"""With more classes, only the selection rates of the class with the largest gap are named. The rows have
them all.
"""


@method(RECORD)
def evaluate(
    model: None,
    data: Sequence[Prediction | Mapping[str, Any]],
    *,
    rate: Rate = "tpr",
    inference: Inference,
) -> Finding:
    """Mean over classes of the largest difference between groups in their true positive rates, or another rate.

    The true positive rate of a class in a group is the share of its members in that group that are predicted as that
    class. The gap of a class is its largest less its smallest rate over the groups. For two groups that is the absolute
    difference of the paper. If rows have further group columns, the groups are the combinations. A class without
    members in a group has no rate there, which is listed. One with members in fewer than two groups is omitted. Other
    rates likewise need rows that they are a share of.

    Args:
        model: ``None``, because predictions are all that is needed.
        data: rows with ``predictions``, ``references`` and ``groups``, and ``groups_2`` and ``groups_3`` if groups are
            combinations. Labels are strings, integers or booleans. A row in which one is absent is listed. With
            ``cluster``, such as a person of whom there are several rows, interval and p-value are over clusters.
        rate: of the members of a class those predicted as it (``"tpr"``), of the others those predicted as it
            (``"fpr"``), of all rows those predicted as it (``"selection"``), of the rows predicted as it its members
            (``"precision"``), or of all rows those that are right (``"accuracy"``, one rate for all classes).
        n_resamples: reorderings of the groups within the classes.
        ci_resamples: bootstrap samples of the rows, or clusters, within class and group, 0 for no interval.

    Returns:
        The mean gap, 0 to 1, higher is more biased. ``expected_by_chance`` is its mean under the reorderings,
        above 0. The interval is one for the score expected with these numbers of rows: a bootstrap within class
        and group, centred on the score. ``estimates`` has the root mean square (``rms_gap``) and the largest
        gap (``max_gap``), and for two groups the mean signed difference. The rows are every class, with the
        rates of its groups, and with more than two groups every pair of groups over all classes, the p-values
        adjusted for all of these.

    Raises:
        DataError: the rows of a cluster are of two groups.
        InputError: a value is not a label, or no prediction is a class of the references.
        UndefinedScoreError: there is one group only, or no class has a rate in two groups.

    References:
        De-Arteaga et al. (2019): Bias in Bios. FAT* 2019. The mean over classes: Delobelle, Tokpo, Calders and Berendt
        (2022): Measuring Fairness with Biased Rulers. NAACL 2022.

    Examples:
        >>> rows = [{"references": "nurse", "predictions": p, "groups": g}
        ...         for g, seen in (("female", 9), ("male", 6)) for p in ["nurse"] * seen + ["surgeon"] * (10 - seen)]
        >>> result = evaluate(None, rows)
        >>> round(result.score, 3), round(result.expected_by_chance, 3), round(result.p_value, 1)
        (0.3, 0.167, 0.3)
    """
    rows = checked_rows(data, RECORD.name)
    fields = [as_fields(row, row_place(i, len(rows))) for i, row in enumerate(rows)]
    columns = [c for c in GROUP_COLUMNS if c == GROUP_COLUMNS[0] or any(f.get(c) is not None for f in fields)]
    names: list[str] = []
    labelled: list[tuple[str, str, str]] = []  # prediction, class and group
    of_rows: list[str] = []
    skipped: list[Skipped] = []
    group_of: dict[str, str] = {}
    for i, row in enumerate(fields):
        name, where = str(row.get("id") or i), row_place(i, len(rows))
        labels = {c: as_label(row.get(c), f"{where}, {c}") for c in ("predictions", "references", *columns)}
        if absent := [c for c, label in labels.items() if label is None]:
            skipped.append(Skipped(name, f"has no label in {', '.join(absent)}", absent[0]))
            continue
        prediction, reference, *parts = map(str, labels.values())
        group, cluster = " & ".join(parts), as_label(row.get("cluster"), f"{where}, cluster") or ""
        if cluster and group_of.setdefault(cluster, group) != group:
            raise DataError(
                f"{RECORD.name}: the cluster {quoted(cluster)} has rows of two groups, {quoted(group_of[cluster])} and "
                f"{quoted(group)}",
                hint="give the rows of each group a cluster of their own",
            )
        names.append(name)
        labelled.append((prediction, reference, group))
        of_rows.append(cluster)
    if not labelled:
        raise nothing_left("no row has a prediction, a reference and a group", skipped)
    predictions, references, groups = map(set, zip(*labelled, strict=True))
    if len(groups) < 2:
        raise UndefinedScoreError(
            f"all rows are of one group, {quoted(labelled[0][2])}: a gap needs two groups or more"
        )
    if not predictions & references:
        raise InputError(
            f"no prediction is one of the classes of the references: {quoted(labelled[0][0])} was predicted, and "
            f"{quoted(min(references))} is a class",
            hint="give both columns the same labels",
        )
    # A row without a cluster, if others have one, stands alone.
    clusters = [cluster or f"\0{names[i]}\0{i}" for i, cluster in enumerate(of_rows)] if group_of else []
    everything = rate_counts(labelled, rate, clusters)
    warnings = []
    if unknown := sorted(predictions - references):
        listing = ", ".join(quoted(name, 30) for name in unknown[:5]) + (" …" if len(unknown) > 5 else "")
        warnings.append(
            f"{counted(len(unknown), 'predicted label')} not among the classes of the references "
            f"({listing}). Such predictions are wrong, and of no class"
        )
    if (everything.totals[everything.totals > 0] < 10).any():
        warnings.append("a class has fewer than 10 rows in a group, so that its gap is largely chance")
    left_out, what, with_gap = [], _ROWS.get(rate, "row"), []
    for i, name in enumerate(everything.classes):
        lacking = [g for g, n in zip(everything.groups, everything.totals[i], strict=True) if not n]
        if len(everything.groups) - len(lacking) >= 2:
            with_gap.append(i)
            left_out += [Skipped(name, f"the group {quoted(g)} has no {what}", g) for g in lacking]
        else:
            reason = f"no {what} in {', '.join(map(quoted, lacking))}: it has no gap"
            left_out.append(Skipped(name, reason, "classes"))
    if not with_gap:
        raise nothing_left("no class has a rate in two groups, so the gap is undefined", left_out)
    places = range(len(everything.groups))
    counts = everything.of(with_gap, places)
    gaps = tested(counts, inference)
    how = f"bootstrap{' of clusters' if clusters else ''} within class and group, centred on the score"
    if gaps["mean"].ci_low is None:
        how = f"none: {stats.NO_WIDTH}"
    drawn_rows = "clusters" if clusters else "rows"
    classes = [
        _class_row(counts, i, gaps[f"class:{name}"], rate, inference.confidence_level)
        for i, name in enumerate(counts.classes)
    ]
    pairs = []  # of more than two groups, over the classes that have members in both
    for both in combinations(places, 2) if len(places) > 2 else ():
        pair = counts.of(np.flatnonzero((counts.totals[:, both] > 0).all(axis=1)).tolist(), both)
        if pair.classes:
            facts = _over_classes(pair, tested(pair, inference))
            name, details = " and ".join(pair.groups), {"smallest_p": pair.smallest_p}
            pairs.append(Row(name=name, kind="group", labels={"groups": name}, details=details, **facts))
    items = [
        Row(
            name=name, kind="item", labels={"class": reference, "group": group},
            details={"prediction": prediction, "correct": prediction == reference, "cluster": cluster},
        )
        for name, (prediction, reference, group), cluster in zip(names, labelled, of_rows, strict=True)
    ]  # fmt: skip
    return Finding(
        **_over_classes(counts, gaps),
        ci_method=how if inference.ci_resamples else "",
        p_method=f"groups{' of clusters' if clusters else ''} reordered "
        + ("within every class" if rate in _ROWS else f"among all {drawn_rows}"),
        n_tested=int(counts.counted_units.sum()) if counts.clustered else None,
        sampled=Sampled((drawn_rows,)),
        coverage=Coverage(counts.n, len(rows)),
        rows=(*classes, *pairs, *items),
        skipped=[*skipped, *left_out],
        warnings=warnings,
        details={
            "groups": list(counts.groups),
            "classes": list(counts.classes),
            "smallest_p": counts.smallest_p,
            "rates": _rates(counts, rate),
        },
    )


def _rates(counts: RateCounts, rate: Rate) -> dict[str, dict[str, float]]:
    """Return each group's mean rate over the classes in which it has one. For selection, return the gaps of a class.

    Every row is selected for one class, so that the mean over all classes is the same in all groups.
    """
    rates = counts.hits / np.where(counts.totals > 0, counts.totals, np.nan)
    if rate != "selection":
        means = {
            group: float(np.nanmean(r))
            for group, r in zip(counts.groups, rates.T, strict=True)
            if np.isfinite(r).any()
        }
        return {f"mean rate ({rate})": means}
    class_places = list(range(len(rates)))
    if len(class_places) > _MOST_CLASSES:
        class_places = [int(np.ptp(rates, axis=1).argmax())]
    return {
        f"rate of {counts.classes[i]} ({rate})": dict(zip(counts.groups, rates[i].tolist(), strict=True))
        for i in class_places
    }


def _over_classes(counts: RateCounts, gaps: Mapping[str, TestedGap]) -> dict[str, Any]:
    """Return what is found of all classes, as fields of a finding or a row."""
    estimates = {"rms_gap": gaps["rms"].estimate(), "max_gap": gaps["max"].estimate()}
    if len(counts.groups) == 2:
        rates = counts.hits / counts.totals
        estimates["difference"] = Estimate(float((rates[:, 0] - rates[:, 1]).mean()))
    return {**gaps["mean"]._asdict(), "n": counts.n, "estimates": estimates}


def _class_row(counts: RateCounts, i: int, gap: TestedGap, rate: Rate, confidence_level: float) -> Row:
    group_places = [g for g in range(len(counts.groups)) if counts.totals[i, g]]
    hits, totals = counts.hits[i, group_places], counts.totals[i, group_places]
    estimates = {}
    if len(counts.groups) == 2:
        ends = (
            clustered_interval(counts, i, group_places, confidence_level)
            if counts.clustered
            else newcombe_interval(hits, totals, confidence_level)
        )
        estimates["difference"] = Estimate(float(hits[0] / totals[0] - hits[1] / totals[1]), *ends)
    names = [counts.groups[g] for g in group_places]
    return Row(
        name=counts.classes[i],
        kind="group",
        n=int(totals.sum()),
        labels={"groups": joined(names)},
        estimates=estimates,
        details={
            rate: dict(zip(names, (hits / totals).tolist(), strict=True)),
            "members": dict(zip(names, totals.tolist(), strict=True)),
            "smallest_p": counts.of([i], group_places).smallest_p,
        },
        **gap._asdict(),
    )
