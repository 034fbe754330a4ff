"""Pictures: their bytes repeat, every test and word is in them, and odd input is drawn or refused clearly."""

import re
import subprocess
import sys
import threading
from pathlib import Path

import matplotlib
import matplotlib.image
import pytest

from evaluate_bias.report.plots import effect_plot, word_plot
from evaluate_bias.report.plots.canvas import series_look, style
from evaluate_bias.report.write import write_report
from tests.report.samples import pairs_result, weat_item, weat_result
from tests.report.samples import svg_texts as texts


def test_forest_plot_names_tests_models_and_scale(tmp_path):
    svg, png = effect_plot([weat_result(), weat_result(model="fasttext")], tmp_path / "effects")
    assert (svg.name, png.name) == ("effects.svg", "effects.png")
    text = texts(svg)
    for wanted in (
        "weat6: Male names / Female names —",
        "Career / Family",
        "glove-6b-50d",
        "fasttext",
        "ideal 0",
    ):
        assert wanted in text
    assert '"Found" means p below 5%' in text
    for entry in ("found", "not found, or another verdict", "95% interval"):
        assert entry in text.splitlines()
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_figure_of_a_result_is_saved_with_its_labels(tmp_path):
    figure = weat_result().plot()
    sizes = []
    for name, options in (("whole", {}), ("panels", {"bbox_inches": None})):
        figure.savefig(tmp_path / f"{name}.png", dpi=50, **options)
        sizes.append(matplotlib.image.imread(tmp_path / f"{name}.png").shape[1])
    # The names of tests stand to the left of the panel and the scores to the right of it.
    assert sizes[0] > 1.5 * sizes[1]


def test_methods_on_other_scales_get_their_own_picture(tmp_path):
    paths = effect_plot([weat_result(), pairs_result(method="../crows")], tmp_path / "mixed.png")
    assert [p.name for p in paths] == [
        "mixed-weat.svg",
        "mixed-weat.png",
        "mixed-crows.svg",
        "mixed-crows.png",
    ]
    assert "effect size d (dashed: ideal 0)" in texts(paths[0])
    assert "score (dashed: ideal 50)" in texts(paths[2])


@pytest.mark.parametrize(("tests", "models", "most"), [(60, 1, 3), (30, 3, 3), (30, 9, 2)])
def test_no_picture_is_too_tall(tmp_path, tests, models, most):
    items = [weat_item(f"test {i}", x=f"word {i}") for i in range(tests)]
    results = [weat_result(items, model=f"model {i}") for i in range(models)]
    pictures = [p for p in effect_plot(results, tmp_path / "long") if p.suffix == ".png"]
    assert 1 < len(pictures) <= most
    heights = [int.from_bytes(p.read_bytes()[20:24], "big") for p in pictures]
    assert max(heights) < 160 * 15
    told = "\n".join(texts(p.with_suffix(".svg")) for p in pictures)
    assert all(re.search(rf"^test {i}\b", told, re.MULTILINE) for i in range(tests))


@pytest.mark.slow
def test_bytes_are_the_same_in_another_process(tmp_path):
    code = (
        "import sys; from evaluate_bias.report.plots import effect_plot, word_plot\n"
        "from tests.report.samples import weat_item, weat_result\n"
        "effect_plot([weat_result()], sys.argv[1] + '/e'); word_plot(weat_item(), sys.argv[1] + '/w')\n"
    )
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir(), two.mkdir()
    subprocess.run([sys.executable, "-c", code, str(one)], check=True, cwd=Path(__file__).parents[2])
    effect_plot([weat_result()], two / "e")
    word_plot(weat_item(), two / "w")
    for name in ("e.svg", "e.png", "w.svg", "w.png"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_word_plot_shows_every_word_sorted(tmp_path):
    text = texts(word_plot(weat_item(), tmp_path / "words")[0])
    places = [text.index(word) for word in ("john", "paul", "joan", "amy")]
    assert places == sorted(places)
    assert "weat6: d = 1.71" in text
    assert "closer to family  ←   association   →  closer to career" in text


def test_report_writes_everything_inside_its_folder(tmp_path):
    result = weat_result([weat_item("../../escape"), weat_item("weat7")])
    paths = write_report([result, pairs_result()], tmp_path / "out")
    assert {p.name for p in paths} >= {
        "report.md",
        "report.tex",
        "report.csv",
        "effect_sizes-weat.svg",
        "effect_sizes-crows_like.svg",
        "1-weat7.svg",
    }
    assert all(p.resolve().is_relative_to(tmp_path / "out") and p.is_file() for p in paths)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_tests_of_one_name_have_pictures_of_their_own(tmp_path):
    rows = [weat_item("weat6", language=language) for language in ("en", "de")]
    names = [
        p.name
        for p in write_report([weat_result([*rows, weat_item("WEAT/6")])], tmp_path, png=True)
        if "words" in p.parts
    ]
    assert sorted(names) == sorted(f"{n}.{e}" for n in ("WEAT_6", "weat6", "weat6-2") for e in ("png", "svg"))


def test_only_what_the_card_calls_found_is_filled(tmp_path):
    around = {"ci_low": -0.2, "ci_high": 1.9}
    cases = {
        "found": weat_item("weat6", 1.7, p_value=0.001, p_holm=0.001),
        "undecided": weat_item("weat6", 1.7, p_value=0.001, p_holm=0.001, **around),
        "control": weat_item("weat6", 1.7, p_value=0.001, p_holm=0.001, bias_type="none"),
    }
    hollow = {}
    for name, row in cases.items():
        svg, _ = effect_plot([weat_result([row])], tmp_path / name)
        hollow[name] = len(re.findall("fill: #ffffff; stroke: #0072b2", svg.read_text(encoding="utf-8")))
    assert hollow == {"found": 0, "undecided": 1, "control": 1}


def test_no_two_of_many_models_look_alike():
    looks = [series_look(place) for place in range(49)]
    assert len(set(looks)) == 49
    assert looks[0][0] == looks[7][0]


def test_threads_that_draw_at_once_leave_matplotlib_as_it_was():
    before = dict(matplotlib.rcParams)
    first_draws, second_draws, first_is_done = (threading.Event() for _ in range(3))

    def first():
        with style():
            first_draws.set()
            second_draws.wait(0.5)  # which it must not while the first one draws
        first_is_done.set()

    def second():
        first_draws.wait()
        with style():
            second_draws.set()
            first_is_done.wait()

    threads = [threading.Thread(target=draw) for draw in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(matplotlib.rcParams) == before
