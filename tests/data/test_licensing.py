"""Whose every data set is, under which licence: in what is published, in what is built, and in the wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from evaluate_bias.data.building import build
from evaluate_bias.data.dataset_record import Config
from evaluate_bias.data.licensing import licence_files, spdx
from evaluate_bias.data.origins import PackagedFile
from evaluate_bias.data.recipes import dataset_names, dataset_record, packaged_languages
from evaluate_bias.hub.sources import Publishable, sources
from evaluate_bias.paths import packaged_data

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONFIGS = [pytest.param(c, id=f"{n}-{c.name}") for n in dataset_names() for c in dataset_record(n).configs]
FILES = sorted(path for path in Path(str(packaged_data("."))).rglob("*") if path.is_file())


@pytest.mark.parametrize("config", CONFIGS)
def test_what_is_not_of_this_project_says_whose_it_is(config: Config) -> None:
    ours = all(isinstance(origin, PackagedFile) for origin in config.splits.values())
    assert config.rights or (ours and config.licence == "apache-2.0")
    if config.publishable:
        made = licence_files("Data", [config])
        assert f"{config.name}: {spdx(config.licence)}\n" in made["NOTICE"]
        assert config.rights in made["NOTICE"]
        assert len(made["LICENSE"]) > 900
    if config.licence == "mit":
        assert config.rights.startswith("Copyright (c) 20")
        assert made["LICENSE"].startswith(f"MIT License\n\n{config.rights}\n\nPermission is hereby granted")
        assert made["LICENSE"].rstrip().endswith("DEALINGS IN THE\nSOFTWARE.")


def test_data_of_several_licences_have_all_their_texts() -> None:
    made = licence_files("Professions", dataset_record("professions").configs)
    assert "Attribution 4.0 International" in made["LICENSE"]
    assert (ROOT / "LICENSE").read_text(encoding="utf-8") in made["LICENSE"]
    assert "de, en: CC-BY-4.0\n  Marion Bartl" in made["NOTICE"]


def test_data_whose_licence_has_no_text_here_are_only_named() -> None:
    made = licence_files("HurtLex", dataset_record("hurtlex").configs)
    assert list(made) == ["NOTICE"]
    assert "cc-by-nc-sa-4.0\n  Elisa Bassignana" in made["NOTICE"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_no_packaged_file_is_without_its_licence(path: Path) -> None:
    folder, language = path.parent.name, path.stem
    records = [dataset_record(name) for name in dataset_names() if name == folder]
    configs = [c for r in records for c in r.configs if c.name == language]
    for config in configs:
        assert spdx(config.licence) in PROJECT["license"].split(" AND ")
        if config.rights:
            notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
            assert f"{spdx(config.licence)}\n  {config.rights}" in notice
    # What has no configuration is grammar, word forms and illustrative items, all written for this project.
    assert configs or not records or path.suffix != ".jsonl"


def test_the_wheel_names_the_licences_of_what_it_holds_and_no_other() -> None:
    packaged = [
        config.licence
        for record in map(dataset_record, dataset_names())
        for config in record.configs
        if record.packaged and config.name in packaged_languages(record.name)
    ]
    assert PROJECT["license"].split(" AND ") == sorted({spdx(licence) for licence in packaged})
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


def test_a_build_has_them(tmp_path: Path) -> None:
    folder = build(dataset_record("professions"), tmp_path / "built", configs=["fr", "de"])
    assert {p.name for p in folder.iterdir()} == {"README.md", "LICENSE", "NOTICE", "build.json", "fr", "de"}
    assert "de: CC-BY-4.0" in (folder / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.parametrize("source", sources(["modules", "spaces"]), ids=lambda s: f"{s.kind}-{s.name}")
def test_every_module_and_space_goes_out_with_its_licence(source: Publishable, tmp_path: Path) -> None:
    folder = source.folder("bias", tmp_path).path
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert "Copyright the evaluate-bias authors" in (folder / "NOTICE").read_text(encoding="utf-8")
    assert source.folder("bias", tmp_path).path == folder  # a second time, over the first
