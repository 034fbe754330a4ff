"""Pictures of words on an axis, and of words with intervals: what is in them, of few words and of many."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.report.lines import LIST_NAMES
from evaluate_bias.report.plots.kinds import method_pictures
from evaluate_bias.report.plots.words import most_extreme
from evaluate_bias.report.reading import read
from evaluate_bias.result import Result
from tests.report.samples import kinds_of, method_files

SVG = "{http://www.w3.org/2000/svg}"
FAST = {"n_resamples": 19, "ci_resamples": 19}


def on_axis(n: int, names: bool = True, tests: int = 1) -> Result:
    rng = np.random.default_rng(n)
    words = [f"{kind}{i}" for kind in ("she", "he") for i in range(4)] + [f"word{i}" for i in range(n)]
    vectors = {w: rng.normal(size=6) for w in words}
    labels = (
        {"x_label": "women", "y_label": "men", "a_label": "caring", "b_label": "building"} if names else {}
    )
    given = [
        {
            "name": f"test{i}",
            "targets_x": words[:4],
            "targets_y": words[4:8],
            "attributes_a": words[8 : 8 + n // 2],
            "attributes_b": words[8 + n // 2 :],
            **labels,
        }
        for i in range(tests)
    ]
    return eb.measure("projection", eb.load_model(vectors), data=given, **FAST)


def texts(path: Path) -> list[str]:
    """All text of an SVG file."""
    return ["".join(t.itertext()).strip() for t in ET.parse(path).iter(f"{SVG}text")]


@pytest.mark.parametrize("n", [2, 10, 60])
def test_every_word_is_on_the_axis_and_both_axes_have_labels(n, tmp_path):
    result = on_axis(n)
    assert kinds_of(result) == ["axis"]
    svg, png = method_files(result, tmp_path / "p")
    written = texts(svg)
    assert {f"word{i}" for i in range(n)} <= set(written)
    assert {"she0", "he3", "caring", "building", "women (make the axis)"} <= set(written)
    assert any("side of men" in t and "side of women" in t for t in written)
    assert not any("not drawn" in t for t in written)
    assert png.stat().st_size > 5_000


def test_what_a_pair_has_is_no_place_of_one_of_its_words(tmp_path):
    """RIPA gives both words of a pair the mean over the pair; "he" does not lie on the side of "she"."""
    names = ["she", "woman", "he", "man", *(f"word{i}" for i in range(6))]
    rng = np.random.default_rng(3)
    test = {"name": "t", "targets_x": names[:2], "targets_y": names[2:4], "attributes_a": names[4:]}
    result = eb.measure("ripa", eb.load_model({n: rng.normal(size=5) for n in names}), data=[test], **FAST)
    written = texts(method_files(result, tmp_path / "p")[0])
    assert {"word0", "word5"} <= set(written)
    assert not {"she", "woman", "he", "man"} & set(written)
    (picture,) = [p for p in method_pictures(read(result)) if p.name == "axis"]
    assert " he " not in picture.caption


def test_labels_of_sixty_words_do_not_touch():
    axis = on_axis(60).plot(kind="axis")
    axis.figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in axis.get_yticklabels()]
    assert len(boxes) == 68
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_too_many_words_leave_the_ends_and_say_so(tmp_path):
    result = on_axis(90)
    written = texts(method_files(result, tmp_path / "p")[0])
    assert "30 words between the ends are not drawn" in written
    (test,) = result.rows_of("test")
    values = {w["word"]: w["projection"] for w in test.details["attributes"]}
    assert {max(values, key=values.get), min(values, key=values.get)} <= set(written)
    assert most_extreme(list(range(5)), 5) == [0, 1, 2, 3, 4]


def test_lists_without_names_and_several_tests(tmp_path):
    result = on_axis(6, names=False, tests=4)
    written = texts(method_files(result, tmp_path / "p")[0])
    assert "Words on the axis: test2" in written
    assert "Words on the axis: test3" not in written  # three panels are as much as can be looked at
    assert any(t.startswith(f"side of {LIST_NAMES[1]}") for t in written)
