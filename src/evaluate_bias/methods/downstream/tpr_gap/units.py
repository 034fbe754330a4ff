"""The mean gap as a function of totals over examples: hits and members of every class and group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...unit_scores import numbers
from .statistics import gaps

_DRAWS = 2_000
"""Draws of the groups' errors, from which the mean gap by chance is made."""


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """1, and whether the class was recognised, in the cell of every example; shape (n, classes, groups, 2)."""
    classes, groups = ([str(u[key]) for u in units] for key in ("class", "group"))
    rows, cells = sorted(set(classes)), sorted(set(groups))
    out = np.zeros((len(units), len(rows), len(cells), 2))
    where = np.arange(len(units)), [rows.index(c) for c in classes], [cells.index(g) for g in groups]
    out[(*where, 0)] = 1.0
    out[(*where, 1)] = numbers([u["correct"] for u in units])
    return out


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """All examples make up the score, those of a class its row, those of two groups theirs."""
    if row.kind == "overall":
        return True
    if "tpr" in row.details:
        return bool(unit["class"] == row.name)
    group = str(unit["group"])
    return bool(row.name.startswith(f"{group} and ") or row.name.endswith(f" and {group}"))


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Mean over the classes that have members in two groups of the largest less the smallest true positive rate."""
    members, hits = totals[..., 0], totals[..., 1]
    kept = (members > 0).sum(axis=-1) > 1
    return _mean_of_classes(kept, gaps(hits, np.where(kept[..., None], members, 1.0)))


def null_mean(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """The mean of the score where the groups are reordered within each class; their rates are nearly normal."""
    members, hits = totals[..., 0], totals[..., 1]
    n = members.sum(axis=-1)
    kept = (members > 0).sum(axis=-1) > 1
    rate = hits.sum(axis=-1) / np.maximum(n, 1)
    sd = np.sqrt(rate * (1 - rate) * n / np.maximum(n - 1, 1))
    # Resamples keep the numbers of members, so that few of these differ.
    different, place = np.unique(members.reshape(len(members), -1), axis=0, return_inverse=True)
    drawn = np.random.default_rng(0).normal(size=(_DRAWS, 1, members.shape[-1]))
    with np.errstate(invalid="ignore"):  # classes without members, which have no gap
        # gaps() divides by the members: z √m gives a group's error z / √m.
        spread = [gaps(drawn * np.sqrt(m), m).mean(axis=0) for m in different.reshape(-1, *members.shape[1:])]
        return _mean_of_classes(kept, sd * np.stack(spread)[place.reshape(-1)])


def _mean_of_classes(kept: Any, found: FloatArray) -> FloatArray:
    number = kept.sum(axis=-1)
    return np.asarray(np.where(kept, found, 0.0).sum(axis=-1) / np.where(number > 0, number, np.nan))
