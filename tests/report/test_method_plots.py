"""Pictures of single methods: every word, cell and test is in them, labels keep clear of each other, bytes repeat."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from evaluate_bias.errors import InputError
from evaluate_bias.methods.agreement.representation_compatibility import (
    method as representation_compatibility,
)
from evaluate_bias.methods.agreement.template_compatibility import method as template_compatibility
from evaluate_bias.methods.direction.wsv import method as wsv
from evaluate_bias.models.load import load_model
from evaluate_bias.report.plots.maps import label_points
from evaluate_bias.result import Result
from tests.report.samples import kinds_of, method_files, weat_item, weat_result
from tests.report.samples import svg_texts as texts
from tests.support.tiny_models import tiny_masked

TEST = {
    "name": "tiny",
    "targets_x": ["nurse", "grandmother", "daughters", "patient"],
    "targets_y": ["engineer", "doctor", "bridge", "football"],
    "attributes_a": ["she", "her"],
    "attributes_b": ["he", "his"],
}
TEMPLATES = ["This is the {target}.", "The {target} left.", "The {target} is a {mask}."]
FAST = {"subset_size": 2, "n_subsets": 5, "n_resamples": 19, "ci_resamples": 19}


def wsv_result(label: str = "share of women", word: str = "w", **options: Any) -> Result:
    rng = np.random.default_rng(0)
    names = [f"p{i}" for i in range(16)] + [f"{word}{i}" for i in range(40)]
    vectors = {n: rng.normal(size=12) for n in names}
    rows: list[dict[str, Any]] = [
        {"word": f"p{i}", "group": "female" if i % 2 else "male"} for i in range(16)
    ]
    rows += [{"word": f"{word}{i}", "statistic": i / 40, "statistic_label": label} for i in range(40)]
    return wsv.evaluate(load_model(vectors), rows, n_features=4, n_resamples=19, **options)


def ceat_result(quantiles: list[float] | None = None) -> Result:
    rng = np.random.default_rng(1)
    rows = []
    for name, score in (("weat6", 0.9), ("weat7", -0.2)):
        drawn = np.quantile(rng.normal(score, 0.4, 500), np.linspace(0, 1, 41)).tolist()
        sizes = {"quantiles": quantiles or drawn}
        rows.append(weat_item(name, score, ci_low=score - 0.02, ci_high=score + 0.02, effect_sizes=sizes))
    return weat_result(rows, method="ceat")


@pytest.fixture(scope="module")
def results():
    model = load_model(tiny_masked("bert"))
    representations = ["cls", "bare:target_mean", "target_mean"]
    return {
        "wsv": wsv_result(),
        "template_compatibility": template_compatibility.evaluate(model, [TEST], templates=TEMPLATES, **FAST),
        "representation_compatibility": representation_compatibility.evaluate(
            model, [TEST], templates=TEMPLATES, representations=representations, **FAST
        ),
        "ceat": ceat_result(),
    }


NAMES = {
    "wsv": ["map", "sweep"],
    "template_compatibility": ["correlations"],
    "representation_compatibility": ["correlations"],
    "ceat": ["effect_sizes"],
}


@pytest.mark.parametrize("method", NAMES)
def test_every_method_has_its_pictures(results, method, tmp_path):
    assert kinds_of(results[method]) == NAMES[method]
    paths = method_files(results[method], tmp_path / method)
    assert [p.name for p in paths] == [
        f"{method}-{name}{suffix}" for name in NAMES[method] for suffix in (".svg", ".png")
    ]
    for path in paths:
        if path.suffix == ".svg":
            ET.parse(path)
        else:
            assert path.read_bytes().startswith(b"\x89PNG")
            assert path.stat().st_size > 5_000


def test_a_picture_is_drawn_on_the_axes_of_the_caller(results):
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2)
    assert results["ceat"].plot(ax=left) is left
    assert results["template_compatibility"].plot(kind="correlations", ax=right) is right
    assert figure.get_size_inches().tolist() == pyplot.rcParams["figure.figsize"]
    assert [t.get_text().partition(":")[0] for t in left.get_yticklabels()] == ["weat6", "weat7"]
    panels = results["wsv"].plot(kind="map")
    assert [axis.get_title(loc="left").partition(":")[0] for axis in panels] == ["WSV", "PCA"]
    with pytest.raises(InputError) as caught:
        results["wsv"].plot(kind="map", ax=left)
    assert caught.value.option == "ax"
    pyplot.close("all")


def test_labels_cover_no_label_and_no_point():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    figure = Figure(figsize=(4.0, 4.0))
    FigureCanvasAgg(figure)
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    rng = np.random.default_rng(3)
    points = [(float(x), float(y)) for x, y in rng.normal(size=(60, 2))]
    axis.set_xlim(-4, 4)
    axis.set_ylim(-4, 4)
    placed = label_points(axis, points, list(range(25)), [f"word {i}" for i in range(25)])
    written = [t for t in axis.texts if t.get_text()]
    assert len(written) == placed
    assert placed >= 20
    boxes = [Text.get_window_extent(t) for t in written]  # without the lines to the points
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    pixels = axis.transData.transform(points)
    assert not any(box.contains(x, y) for box in boxes for x, y in pixels)


def test_matrix_has_every_number_and_marks_the_significant(results, tmp_path):
    result = results["template_compatibility"]
    paths = method_files(result, tmp_path / "t")
    text = texts(paths[0])
    for template in ("This is the ___. T1", "The ___ left. T2", "The ___ is a MASK. T3"):
        assert template in text
    for r in (value for row in result.details["r"] for value in row):
        assert f"{r:.2f}".replace("-", "−") in text
    assert "* p < 0.05: words reordered within their lists" in text
    marked, plain = (
        dataclasses.replace(result, details={**result.details, "p_holm": [[p] * 3] * 3}) for p in (0.01, 0.5)
    )
    counts = [
        texts(method_files(r, tmp_path / name)[0]).count("*") for name, r in (("m", marked), ("p", plain))
    ]
    assert counts == [7, 1]  # six cells off the diagonal and the note


def test_a_pair_without_a_correlation_is_grey_and_has_no_number(results, tmp_path):
    result = results["template_compatibility"]
    r, p = ([list(row) for row in result.details[key]] for key in ("r", "p_holm"))
    for i, j in ((0, 1), (1, 0)):
        r[i][j] = p[i][j] = None
    lacking = dataclasses.replace(result, details={**result.details, "r": r, "p_holm": p})
    undefined = []
    for one in (result, lacking):
        axis = one.plot(kind="correlations")
        written = [text.get_position() for text in axis.texts]
        undefined.append([(i, j) for i in range(3) for j in range(3) if (j + 0.5, i + 0.5) not in written])
        masked = np.argwhere(np.ma.getmaskarray(axis.collections[0].get_array())).tolist()
        assert [tuple(place) for place in masked] == undefined[-1]
        said = {text.get_text() for text in axis.get_legend().get_texts()}
        assert ("grey, no number: not measured, or undefined" in said) == bool(undefined[-1])
    assert undefined == [[], [(0, 1), (1, 0)]]


def test_effect_sizes_show_the_combined_value_and_its_interval(tmp_path):
    text = texts(method_files(ceat_result(), tmp_path / "c")[0])
    assert "weat6" in text
    assert "0.900 [0.880, 0.920]" in text
    assert "−0.200 [−0.220, −0.180]" in text
    constant = ceat_result([0.5] * 41)
    assert method_files(constant, tmp_path / "constant")


def test_effect_sizes_of_samples_are_drawn_between_their_quantiles():
    axis = ceat_result([float(q) for q in range(41)]).plot(kind="effect_sizes")
    assert [
        (bar.get_x(), bar.get_width()) for bar in axis.patches if bar.get_height() == pytest.approx(0.45)
    ] == [(10.0, 20.0)] * 2
    assert [x for line in axis.lines[:2] for x in line.get_xdata()] == pytest.approx([2.0, 38.0] * 2)
