"""Results as a data set on the Hub, over real HTTP: pushed once, read back whole, refused in one sentence."""

from dataclasses import replace

import pandas as pd
import pytest
import yaml

from evaluate_bias.errors import HubError, InputError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.hub.push_results import push_results, results_folder
from tests.report.samples import pairs_result, weat_result
from tests.support.refusals import refused


def test_the_folder_is_a_data_set(tmp_path):
    results = [weat_result(), pairs_result()]
    files = results_folder(results, tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in files] == [
        "README.md",
        "LICENSE",
        "NOTICE",
        "data/scores.parquet",
        "data/items.parquet",
        "results.jsonl",
    ]
    assert read_results(tmp_path) == results
    scores, items = (pd.read_parquet(tmp_path / "data" / f"{n}.parquet") for n in ("scores", "items"))
    assert scores["score"].tolist()[1] == 1.71
    assert len(items) == 1508 + 16
    assert set(items["model"]) == {"glove-6b-50d", "bert-base-uncased"}
    card = files[0].read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---")[1])
    assert [c["config_name"] for c in front["configs"]] == ["scores", "items"]
    assert front["size_categories"] == ["1K<n<10K"]
    assert front["license"] == ["apache-2.0", "cc-by-sa-4.0"]  # of the word lists and of the pairs
    assert "Attribution-ShareAlike 4.0" in (tmp_path / "LICENSE").read_text(encoding="utf-8")
    assert "CrowS-Pairs (en" in (tmp_path / "NOTICE").read_text(encoding="utf-8")
    assert "do not certify it" in card
    second = tmp_path / "again"
    assert [p.read_bytes() for p in results_folder(results, second)] == [p.read_bytes() for p in files]


def test_the_licence_of_results_is_that_of_their_writer_and_of_what_they_quote(tmp_path):
    for name, results, licence, expected in (
        ("own", [weat_result()], "apache-2.0", "apache-2.0"),
        ("both", [pairs_result()], "mit", ["cc-by-sa-4.0", "mit"]),
        ("none", [replace(weat_result(), provenance={})], "", None),
    ):
        card = results_folder(results, tmp_path / name, licence)[0].read_text(encoding="utf-8")
        assert yaml.safe_load(card.split("---")[1]).get("license") == expected
        assert ("`NOTICE` names" in card) == (tmp_path / name / "NOTICE").exists()


def test_datasets_reads_it(tmp_path):
    import datasets

    results_folder([weat_result()], tmp_path / "d")
    loaded = datasets.load_dataset(
        str(tmp_path / "d"), "scores", split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded["test"][1:] == ["weat6", "weat7", "weat9", "weat10"]


def test_nothing_to_push_is_refused_before_any_request():
    refused(InputError, "no result", results_folder, [], "x")
    for name in ("no-slash", "a/b/c", "/x", "a b/c"):
        with pytest.raises(InputError, match="name of a Hub organisation"):
            push_results([weat_result()], name)


def test_pushed_once_and_again_only_when_changed(hub):
    one = [weat_result(), pairs_result()]
    first, same = (push_results(one, "writer/results") for _ in range(2))
    assert (first.action, same.action, same.url) == ("create", "unchanged", None)
    assert "/commit/" in str(first.url)
    other = push_results([weat_result(score=0.5), pairs_result()], "writer/results", create_pr=True)
    assert other.action == "update"
    assert "/discussions/" in str(other.url)
    refused(HubError, "other/results was not published", push_results, one, "other/results")
    assert hub.outside == []
    files = hub.repos["dataset", "writer/results"].files()
    assert {"README.md", "results.jsonl", "data/scores.parquet", "data/items.parquet"} <= set(files)
