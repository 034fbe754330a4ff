"""Results made by hand, shaped as the methods make them."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluate_bias.registry import revisions_of
from evaluate_bias.report.card import plan_card
from evaluate_bias.report.lines import ReportRow, lines_by_result
from evaluate_bias.report.plots.canvas import save_picture
from evaluate_bias.report.plots.forest import score_pictures
from evaluate_bias.report.plots.kinds import method_pictures
from evaluate_bias.report.reading import read, read_all
from evaluate_bias.result import Coverage, Estimate, Result, Row, Skipped

SVG = "{http://www.w3.org/2000/svg}"
LABELS = {
    "weat6": ("male names", "female names", "career", "family"),
    "weat7": ("math", "arts", "male terms", "female terms"),
    "weat9": ("mental disease", "physical disease", "temporary", "permanent"),
    "weat10": ("young people's names", "old people's names", "pleasant", "unpleasant"),
}
LABEL_KEYS = ("title", "x", "y", "a", "b", "language", "origin", "bias_type", "task")
FIELDS = {field.name for field in dataclasses.fields(Row)}


def changed(row: Row, changes: Mapping[str, Any]) -> Row:
    """The row with other fields, labels or details, each under its own name."""
    labels = {k: v for k, v in changes.items() if k in LABEL_KEYS}
    fields = {k: v for k, v in changes.items() if k in FIELDS}
    details = {k: v for k, v in changes.items() if k not in labels and k not in fields}
    own = {"labels": {**row.labels, **labels}, "details": {**row.details, **details}}
    return dataclasses.replace(row, **own, **fields)


def weat_item(name: str = "weat6", score: float = 1.71, **changes: Any) -> Row:
    """One test of a WEAT result on eight words per list, of which a few are listed."""
    x, y, a, b = LABELS.get(name, LABELS["weat6"])
    row = Row(
        name=name,
        kind="test",
        score=score,
        ci_low=score - 0.4,
        ci_high=score + 0.2,
        p_value=0.0004,
        p_method="exact",
        p_holm=0.0016,
        p_bh=0.0008,
        n=16,
        ideal=0.0,
        score_range=(-2.0, 2.0),
        coverage=Coverage(32, 32),
        labels={
            "title": f"{x} and {y} with {a} and {b}",
            "language": "en",
            "x": x,
            "y": y,
            "a": a,
            "b": b,
            "origin": "paper",
        },
        details={
            "n_partitions": 12870,
            **{f"n_{key}": 8 for key in "xyab"},
            "words": [
                {"word": "john", "list": "targets_x", "association": 0.11, "influence": 0.02},
                {"word": "paul", "list": "targets_x", "association": 0.07, "influence": -0.01},
                {"word": "amy", "list": "targets_y", "association": -0.09, "influence": 0.05},
                {"word": "joan", "list": "targets_y", "association": -0.02, "influence": None},
            ],
            "attributes": [
                {"word": "office", "list": "attributes_a", "influence": None},
                {"word": "home", "list": "attributes_b", "influence": None},
            ],
            "skipped": [],
        },
    )
    return changed(row, changes)


def weat_result(items: Sequence[Row] | None = None, model: str = "glove-6b-50d", **changes: Any) -> Result:
    """A WEAT result over the given tests; four by default, the third without a significant p-value."""
    if items is None:
        items = (
            weat_item("weat6", 1.71),
            weat_item("weat7", 1.50, p_value=0.0008, p_holm=0.0024),
            weat_item("weat9", 0.31, ci_low=-0.7, ci_high=1.2, p_value=0.31, p_holm=0.62),
            weat_item("weat10", -0.52, ci_low=-1.3, ci_high=0.4, p_value=0.83, p_error=0.01, p_holm=0.83),
        )
    fields: dict[str, Any] = {
        "method": "weat",
        "score": sum(i.score or 0.0 for i in items) / len(items),
        "score_range": (-2.0, 2.0),
        "direction": "two_sided",
        "ideal": 0.0,
        "n": 16 * len(items),
        "ci_low": 0.2,
        "ci_high": 1.4,
        "ci_method": "percentile bootstrap of the mean over tests",
        "p_value": 0.0016,
        "p_method": f"smallest of {len(items)} Holm-adjusted permutation p-values",
        "coverage": Coverage(32 * len(items), 32 * len(items) + 1),
        "rows": tuple(items),
        "skipped": (Skipped("zyzzyva", "not in the vocabulary", "weat6/targets_x"),),
        "warnings": ("weat6: home both target and attribute, with cosine 1 to itself",),
        "settings": {"ddof": 1, "alternative": "two-sided", "p_method": "auto", "ci": "bca", "seed": 0},
        "provenance": {
            "model": {"name": model, "kind": "word vectors", "source": f"{model}.txt", "sha256": "ab" * 32},
            "versions": {"python": "3.11.9", "evaluate-bias": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.0"},
            "dataset": {"source": "weat_word_lists", "language": "en", "sha256": "cd" * 32},
        },
    }
    return of_today(Result(**(fields | changes)))


def of_today(result: Result) -> Result:
    """The result as if it had been measured by the methods of today."""
    provenance = {"revisions": revisions_of(result.method, result.settings), **result.provenance}
    return dataclasses.replace(result, provenance=provenance)


def group(name: str, score: float, estimates: Mapping[str, float] | None = None, **fields: Any) -> Row:
    """One group of a breakdown, with these secondary values."""
    values = {key: Estimate(value) for key, value in (estimates or {}).items()}
    return Row(name=name, kind="group", score=score, estimates=values, **fields)


GROUPS = (
    group("gender", 58.0, ci_low=52.0, ci_high=63.9, p_value=0.01, n=262),
    group("race-color", 58.1, ci_low=53.8, ci_high=62.4, p_value=3e-4, n=516),
    group("religion", 71.4, n=105),
)


def pairs_result(model: str = "bert-base-uncased", groups: Sequence[Row] = GROUPS, **changes: Any) -> Result:
    """A result of a method that is not in the registry, with 1,508 pairs and three categories."""
    fields: dict[str, Any] = {
        "method": "crows_like",
        "score": 60.5,
        "score_range": (0.0, 100.0),
        "direction": "higher_is_more_biased",
        "ideal": 50.0,
        "n": 1508,
        "ci_low": 58.0,
        "ci_high": 62.9,
        "p_value": 1e-15,
        "coverage": Coverage(1508, 1508),
        "rows": (
            *(Row(name=str(i), kind="item", details={"delta": 0.1}) for i in range(1508)),
            *groups,
        ),
        "settings": {"variant": "shared", "seed": 0},
        "provenance": {
            "model": {"name": model},
            "dataset": {"source": "bias/crows-pairs", "revision": "abc123"},
        },
    }
    return of_today(Result(**(fields | changes)))


def report_lines(results: Sequence[Result]) -> list[ReportRow]:
    """The lines of all results."""
    return [line for lines in lines_by_result(results) for line in lines]


def updated(text: str, results: Sequence[Result], **options: Any) -> str:
    """A card's text after an update."""
    return plan_card(text, results, **options).text


def method_files(result: Result, stem: Path) -> list[Path]:
    """The files of the pictures that a result's details make possible."""
    return [
        path
        for picture in method_pictures(read(result))
        for path in save_picture(stem.with_name(f"{stem.name}-{picture.name}"), picture.draw)
    ]


def score_files(results: Sequence[Result], stem: Path) -> list[Path]:
    """The files of the pictures of scores, SVG first."""
    pictures = [picture for own in score_pictures(read_all(results)).values() for picture in own]
    return [
        path
        for place, picture in enumerate(pictures, 1)
        for path in save_picture(stem.with_name(f"{stem.name}-{place}"), picture.draw)
    ]


def kinds_of(result: Result) -> list[str]:
    """The names of the pictures that a result's details make possible."""
    return [picture.name for picture in method_pictures(read(result))]


def svg_texts(path: Path) -> str:
    """All text of an SVG file."""
    return "\n".join("".join(t.itertext()).strip() for t in ET.parse(path).iter(f"{SVG}text"))
