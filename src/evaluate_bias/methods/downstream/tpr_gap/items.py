"""The mean gap as a function of totals over examples: what a rate is a share of, in every class and group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers
from ...rows import numbered
from .statistics import gaps

_DRAWS = 2_000
"""Draws of the groups' errors, from which the mean gap by chance is made."""


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Return whether the rate of a class in a group is about each example, and counts it, (n, classes, groups, 2).

    If examples belong to clusters, of which n_k examples are about the rate and h_k count, four more make the
    totals over clusters of 1, h_k², n_k h_k and n_k², (n, classes, groups, 6).
    """
    rate = settings.get("rate", "tpr")
    references, predictions, groups = (
        [str(u[key]) for u in units] for key in ("class", "prediction", "group")
    )
    cells, classes = sorted(set(groups)), np.array(sorted(set(references)))
    member, picked = (np.array(labels)[:, None] == classes for labels in (references, predictions))
    if rate == "accuracy":
        about, counted = np.ones((len(units), 1)), numbers([u["correct"] for u in units])[:, None]
    else:
        about = {"tpr": member, "precision": picked, "fpr": ~member, "selection": np.ones_like(member)}[rate]
        counted = about & (member if rate == "precision" else picked)
    parts = [about, counted]
    if any(u.get("cluster") for u in units):
        # An example without a cluster is one of its own.
        names = [(u.get("cluster") or "", 0 if u.get("cluster") else i) for i, u in enumerate(units)]
        places = numbered(names)
        n_k, h_k = (np.zeros((places.max() + 1, about.shape[1])) for _ in parts)
        np.add.at(n_k, places, about)
        np.add.at(h_k, places, counted)
        size, hits = n_k[places], h_k[places]
        each = 1 / np.maximum(size, 1)
        parts += [about * each, about * each * hits**2, about * hits, about * size]
    inside = np.array(groups)[:, None] == np.array(cells)
    return np.asarray(np.stack(parts, axis=-1)[:, :, None] * inside[:, None, :, None], dtype=np.float64)


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """All examples make up the score, those of two groups their row, and those of a class its row (true positives)."""
    if row.kind == "overall":
        return True
    if "members" in row.details:
        return bool("tpr" in row.details and unit["class"] == row.name)
    group = str(unit["group"])
    return bool(row.name.startswith(f"{group} and ") or row.name.endswith(f" and {group}"))


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Mean over the classes that have a rate in two groups of the largest less the smallest."""
    members, hits = totals[..., 0], totals[..., 1]
    has_gap = (members > 0).sum(axis=-1) > 1
    return _mean_of_classes(has_gap, gaps(hits, np.where(has_gap[..., None], members, 1.0)))


def null_mean(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Return the mean of the score if the groups are reordered. Their rates are nearly normal, as if of one stratum.

    With r the rate of a class over all groups, a cluster of n_k examples of which h_k count deviates by h_k - r n_k, of
    variance σ² over the clusters, and the rate of a group of K clusters and m examples has the error σ √K / m. Without
    clusters every example is one.
    """
    members, hits = totals[..., 0], totals[..., 1]
    has_gap = (members > 0).sum(axis=-1) > 1
    rate = hits.sum(axis=-1) / np.maximum(members.sum(axis=-1), 1)
    n_clusters = totals[..., 2] if totals.shape[-1] > 2 else members
    squared, crossed, sizes = (
        np.moveaxis(totals[..., 3:], -1, 0) if totals.shape[-1] > 2 else (hits, hits, members)
    )
    squares = (squared - 2 * rate[..., None] * crossed + rate[..., None] ** 2 * sizes).sum(axis=-1)
    sd = np.sqrt(np.maximum(squares, 0.0) / np.maximum(n_clusters.sum(axis=-1) - 1, 1))
    # Resamples of examples keep the numbers of members, so that few of these differ.
    both = np.stack([members, n_clusters], axis=1)  # (batch, 2, classes, groups)
    different, place = np.unique(both.reshape(len(both), -1), axis=0, return_inverse=True)
    noise = np.random.default_rng(0).normal(size=(_DRAWS, 1, members.shape[-1]))
    with np.errstate(invalid="ignore"):  # classes without members, which have no gap
        # gaps() divides by the members: z √K gives a group's error z √K / m.
        spread = [gaps(noise * np.sqrt(k), m).mean(axis=0) for m, k in different.reshape(-1, *both.shape[1:])]
        return _mean_of_classes(has_gap, sd * np.stack(spread)[place.reshape(-1)])


def _mean_of_classes(has_gap: Any, class_gaps: FloatArray) -> FloatArray:
    number = has_gap.sum(axis=-1)
    return np.asarray(np.where(has_gap, class_gaps, 0.0).sum(axis=-1) / np.where(number > 0, number, np.nan))
