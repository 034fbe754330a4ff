"""Words of WSV: built from files of the published form, and read as rows of the method."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from evaluate_bias.data import recipes
from evaluate_bias.data.building import build
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.words import load_wsv_words
from evaluate_bias.errors import AssetError, DataError

FILES = {
    "gender/words-01.csv": "word,value,descriptor\nshe,female,pronoun\nhe,male,pronoun\n",
    "profession/words-01.csv": 'word\n"abstracter"\n"zookeeper"\n',
    "profession/words-02.csv": "word,female_perc,male_perc,value\nnurse,88.31,11.69,female_polarized\n",
}


def made(tmp_path: Path, files: dict[str, str] = FILES) -> Path:
    for name, text in files.items():
        path = tmp_path / "published" / "data" / "properties" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folder, record = tmp_path / "built", dataset_record("wsv_words")
    return build(record, folder, configs=["en", "en-jobtitles"], source=tmp_path / "published", verify=False)


def test_gendered_words_come_with_occupations_or_with_job_titles(tmp_path: Path) -> None:
    folder = made(tmp_path)
    gendered = [("she", "female"), ("he", "male")]
    occupations = load_wsv_words(folder)
    assert [(w.word, w.group) for w in occupations] == [*gendered, ("nurse", "")]
    assert occupations[-1].statistic == 0.8831
    assert occupations[-1].statistic_label == "share of feminine mentions (Bergsma and Lin 2006)"
    jobs = load_wsv_words(folder, language="en-jobtitles")
    assert [(w.word, w.group, w.statistic) for w in jobs[2:]] == [
        ("abstracter", "", None),
        ("zookeeper", "", None),
    ]


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="female_perc"):
        made(tmp_path, {**FILES, "profession/words-02.csv": "word\nnurse\n"})


def test_a_folder_of_several_configurations_is_found_by_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    monkeypatch.setattr(recipes, "build", partial(build, verify=False))
    for name, text in FILES.items():
        path = tmp_path / "published" / "data" / "properties" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    both = recipes.get_dataset("wsv_words", configs=["en", "en-jobtitles"], source=tmp_path / "published")
    assert recipes.get_dataset("wsv_words", configs="en-jobtitles") == both
    assert recipes.is_built("wsv_words", "en")
    assert len(load_wsv_words("wsv_words", language="en-jobtitles")) == 4


def test_a_failed_download_says_where_the_file_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("urllib.request.OpenerDirector.open", refuse_connection)
    with pytest.raises(AssetError, match=r"move it to .*cache/assets/.*words-01\.csv"):
        load_wsv_words("wsv_words")


def refuse_connection(*args: object, **options: object) -> None:
    raise OSError("no network")
