"""``evaluate-bias data``: what can be obtained by name, and obtaining it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias import assets
from evaluate_bias.data import load_sentence_pairs, recipes
from evaluate_bias.errors import AssetError, InputError, UnknownNameError
from tests.support.command_line import run_app


def call(*arguments: object) -> Any:
    return run_app("data", *arguments)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    return tmp_path / "cache"


def test_list_tells_licences_and_what_may_be_republished():
    listed = json.loads(call("list", "--json").output)
    assert [d["name"] for d in listed["datasets"]] == recipes.dataset_names()
    configs = {(d["name"], c["name"]): c for d in listed["datasets"] for c in d["configs"]}
    assert configs["crows_pairs", "en"]["licence"] == "cc-by-sa-4.0"
    assert configs["crows_pairs", "en"]["republish"] is True
    assert configs["crows_pairs", "es"]["republish"] is False
    assert "states no licence" in configs["crows_pairs", "es"]["why_not"]
    assert {a["name"] for a in listed["assets"]} == {a.name for a in assets.list_assets()}
    lines = [[c.strip() for c in line.split("│")[1:-1]] for line in call("list").output.splitlines()]
    assert ["crows_pairs", "es", "unknown", "no"] in lines
    assert ["stereoset", "intrasentence", "cc-by-sa-4.0", "yes"] in lines


def test_a_data_set_is_built_and_read(cache):
    done = call("get", "Minimal-Pairs", "-c", "de")
    assert done.exit_code == 0
    name, _, folder = done.output.strip().partition(": ")
    assert name == "minimal_pairs"
    assert Path(folder).is_relative_to(cache)
    assert len(load_sentence_pairs(folder, language="de")) == 45


def test_a_folder_without_the_files_is_named(tmp_path, cache):
    error = call("get", "stereoset", "--source", tmp_path).exception
    assert isinstance(error, AssetError)
    assert "has no file data/dev.json" in str(error)
    assert not [p for p in cache.rglob("*") if p.is_file() and p.suffix != ".lock"]


def test_an_asset_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "fetch", lambda name: tmp_path / name)
    assert call("get", "glove-6b-50d").output == f"glove-6b-50d: {tmp_path / 'glove-6b-50d'}\n"


@pytest.mark.parametrize(
    ("name", "near"),
    [("crows-pair", "crows_pairs"), ("glove-6b", "glove-6b-50d"), ("stereo_set", "stereoset")],
)
def test_near_matches_over_assets_and_data_sets(name, near, monkeypatch):
    """Nothing is obtained when one of the names is wrong."""
    obtained: list[str] = []
    monkeypatch.setattr(assets, "fetch", obtained.append)
    error = call("get", "smollm2-135m", name).exception
    assert isinstance(error, UnknownNameError)
    assert f"unknown asset or data set '{name}'; did you mean '{near}'" in str(error)
    assert obtained == []


@pytest.mark.parametrize("option", [("--source", "."), ("--config", "en")])
def test_options_of_data_sets_do_not_go_with_assets(option):
    error = call("get", "glove-6b-50d", *option).exception
    assert isinstance(error, InputError)
    names = ", ".join(recipes.dataset_names())
    assert f"belong to data sets ({names}), not to glove-6b-50d" in str(error)
