"""Pictures: their bytes repeat, every test and word is in them, and odd input is drawn or refused clearly."""

import json
import re
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import matplotlib
import pytest

from evaluate_bias.report.card import plan_card
from evaluate_bias.report.card.section import section
from evaluate_bias.report.plots.canvas import save_picture, series_look, style
from evaluate_bias.report.plots.words import draw_associations
from evaluate_bias.report.write import write_report
from tests.report.samples import pairs_result, score_files, weat_item, weat_result
from tests.report.samples import svg_texts as texts


def test_forest_plot_names_tests_models_and_scale(tmp_path):
    svg, png = score_files([weat_result(), weat_result(model="fasttext")], tmp_path / "effects")
    assert (svg.name, png.name) == ("effects-1.svg", "effects-1.png")
    text = texts(svg)
    for wanted in (
        "weat6: Male names / Female names —",
        "Career / Family",
        "glove-6b-50d",
        "fasttext",
        "ideal 0",
    ):
        assert wanted in text
    assert '"Significant": p < .05' in text
    for entry in ("significant", "another conclusion", "95% interval"):
        assert entry in text.splitlines()
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_figure_grows_to_its_labels():
    figure = weat_result().plot().figure
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= width
    assert box.y1 <= height
    # The names of tests are to the left of the panel and the scores to the right of it.
    assert figure.axes[0].get_position().width * width == pytest.approx(4.3)
    assert width > 1.5 * 4.3


@pytest.mark.parametrize(("tests", "models", "most"), [(60, 1, 3), (30, 3, 3), (30, 9, 4)])
def test_no_picture_is_too_tall(tmp_path, tests, models, most):
    items = [weat_item(f"test {i}", x=f"word {i}") for i in range(tests)]
    results = [weat_result(items, model=f"model {i}") for i in range(models)]
    pictures = [p for p in score_files(results, tmp_path / "long") if p.suffix == ".png"]
    assert 1 < len(pictures) <= most
    heights = [int.from_bytes(p.read_bytes()[20:24], "big") for p in pictures]
    assert max(heights) < 160 * 15
    told = "\n".join(texts(p.with_suffix(".svg")) for p in pictures)
    assert all(re.search(rf"^test {i}\b", told, re.MULTILINE) for i in range(tests))


def write_pictures(folder):
    score_files([weat_result()], folder / "e")
    save_picture(folder / "w", partial(draw_associations, weat_item()))
    (folder / "card.svg").write_text(section([weat_result()], picture="card.svg")[1], encoding="utf-8")


@pytest.mark.slow
def test_bytes_are_the_same_in_another_process(tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests.report import test_plots\n"
        "test_plots.write_pictures(Path(sys.argv[1]))\n"
    )
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir(), two.mkdir()
    subprocess.run([sys.executable, "-c", code, str(one)], check=True, cwd=Path(__file__).parents[2])
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black"}):  # as in someone's notebook
        write_pictures(two)
    names = {path.name for path in two.iterdir()}
    assert names == {"e-1.svg", "e-1.png", "w.svg", "w.png", "card.svg"}
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_word_plot_shows_every_word_sorted(tmp_path):
    text = texts(save_picture(tmp_path / "words", partial(draw_associations, weat_item()))[0])
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


def test_a_card_with_a_picture_records_the_version_of_matplotlib():
    for picture in (True, False):
        plan = plan_card("", [weat_result()], picture=picture)
        (written,) = json.loads(plan.files["evaluate-bias.json"])["files"].values()
        assert ("matplotlib" in written["versions"]) is picture
