"""Pictures of single methods: every word, cell and test is in them, labels keep clear of each other, bytes repeat."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from evaluate_bias.methods.agreement.representation_compatibility import (
    method as representation_compatibility,
)
from evaluate_bias.methods.agreement.template_compatibility import method as template_compatibility
from evaluate_bias.methods.direction.wsv import method as wsv
from evaluate_bias.models.load import load_model
from evaluate_bias.report.plots import picture_names
from evaluate_bias.report.plots.details import _density
from evaluate_bias.report.plots.word_map import label_points
from evaluate_bias.result import Result
from tests.report.samples import method_files, weat_item, weat_result
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
    from matplotlib.figure import Figure

    assert picture_names(results[method]) == NAMES[method]
    assert all(isinstance(results[method].plot(kind=name), Figure) for name in NAMES[method])
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


def test_labels_cover_no_label_and_no_point():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

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
    renderer = figure.canvas.get_renderer()
    boxes = [t.get_window_extent(renderer) for t in written]
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


def test_a_pair_without_a_correlation_is_hatched_and_not_white(results):
    result = results["template_compatibility"]
    r, p = ([list(row) for row in result.details[key]] for key in ("r", "p_holm"))
    for i, j in ((0, 1), (1, 0)):
        r[i][j] = p[i][j] = None
    lacking = dataclasses.replace(result, details={**result.details, "r": r, "p_holm": p})
    hatched = []
    for one in (result, lacking):
        axis, bar = one.plot(kind=picture_names(one)[0]).axes
        hatched.append([patch.get_xy() for patch in axis.patches if patch.get_hatch()])
        assert (bar.get_legend() is not None) == bool(hatched[-1])
    assert hatched == [[], [(1, 0), (0, 1)]]


def test_effect_sizes_show_the_combined_value_and_its_interval(tmp_path):
    text = texts(method_files(ceat_result(), tmp_path / "c")[0])
    assert "weat6" in text
    assert "0.900 [0.880, 0.920]" in text
    assert "−0.200 [−0.220, −0.180]" in text
    constant = ceat_result([0.5] * 41)
    assert method_files(constant, tmp_path / "constant")


def test_bars_between_quantiles_have_equal_mass():
    quantiles = np.quantile(np.random.default_rng(0).normal(size=1_000), np.linspace(0, 1, 41)).tolist()
    edges, heights = _density(quantiles)
    masses = np.diff(edges) * heights
    assert masses == pytest.approx(np.full(20, 0.05))
    edges, heights = _density([0.0] * 20 + np.linspace(0.1, 1, 21).tolist())
    assert float(np.diff(edges) @ heights) == pytest.approx(1.0)
    assert _density([1.0] * 41) == ([1.0], [])
