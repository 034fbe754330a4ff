"""Whose every data set is, under which licence: in what is published, in what is built, and in the wheel."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.data.building import licence_files, spdx
from evaluate_bias.data.origins import PackagedFile
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.data.recipes.records import packaged_data_configs
from evaluate_bias.hub.golden import golden_cases
from evaluate_bias.hub.publish import sources
from evaluate_bias.paths import packaged_data
from evaluate_bias.registry import METHODS
from tests.support.refusals import refused

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONFIGS = [pytest.param(c, id=f"{n}-{c.name}") for n in dataset_names() for c in dataset_record(n).configs]
FILES = sorted(path for path in Path(str(packaged_data("."))).rglob("*") if path.is_file())
NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")

LICENSED = {
    "Gehrmann": ("MIT", "Copyright (c) 2020 Sebastian Gehrmann"),
    "Rudinger, Naradowsky": ("MIT", "Copyright (c) 2018 Rachel Rudinger"),
    "Bai, Wang": ("MIT", "Copyright (c) 2025 Xuechunzi Bai"),
    "Bartl": ("CC-BY-4.0", "Marion Bartl, Malvina Nissim and Albert Gatt"),
    "BIAS Detection Framework": ("Apache-2.0", "The makers of the BIAS Detection Framework"),
}
"""By what a row's source says: under which licence it came, and whose it is."""
FACTS = (
    "Bolukbasi",
    "Caliskan",
    "Delobelle",
    "Dusi",
    "Kurita",
    "May",
    "Vulić",
    "Webster",
    "test 6 of the packaged",
)
"""Sources whose words and patterns are taken as facts of a paper, which each row cites."""
OURS = """
    analogy_pairs bbq_style construct_associations construct_decisions construct_guises
    construct_texts counterfactual_style decision_questions decision_style gest_style grammar
    guise_style honest_style hurtful_words minimal_pairs name_decisions profession_bios_mini sentiment_words
    spanish_seeds stereoset_style winobias_style word_forms
"""
"""Folders that hold nothing but what was written for this project."""
WHOLE = {"bec_pro": LICENSED["Bartl"]}
"""Folders whose rows name no source, because all of them have the same."""


@pytest.mark.parametrize("config", CONFIGS)
def test_what_is_not_of_this_project_says_whose_it_is(config):
    ours = all(isinstance(origin, PackagedFile) for origin in config.splits.values())
    assert config.rights or (ours and config.licence == "apache-2.0")
    if config.publishable:
        made = licence_files("Data", [config])
        assert f"{config.name}: {spdx(config.licence)}\n" in made["NOTICE"]
        assert config.rights in made["NOTICE"]
        assert len(made["LICENSE"]) > 900
    if config.licence == "mit":
        assert config.rights.replace("(c) ", "").startswith("Copyright 20")
        assert made["LICENSE"].startswith(f"MIT License\n\n{config.rights}\n\nPermission is hereby granted")
        assert made["LICENSE"].rstrip().endswith("DEALINGS IN THE\nSOFTWARE.")


def test_data_whose_licence_has_no_text_here_are_only_named():
    made = licence_files("HurtLex", dataset_record("hurtlex").configs)
    assert list(made) == ["NOTICE"]
    assert "cc-by-nc-sa-4.0\n  Elisa Bassignana" in made["NOTICE"]


def rights(row: Mapping[str, Any], folder: str) -> tuple[str, str] | None:
    """Licence and rights of a packaged row of others; ``None`` for ours, and for facts of a paper."""
    source = str(row.get("source") or "")
    if folder in OURS.split():
        assert not source or "evaluate-bias" in source or "written for this project" in source
        return None
    if folder in WHOLE:
        return WHOLE[folder]
    found = [terms for name, terms in LICENSED.items() if name in source]
    own = not source and "written for this project" in str(row.get("origin"))
    assert found or own or any(name in source for name in FACTS), f"whose is {source!r}?"
    return found[0] if found else None


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_no_packaged_file_is_without_its_licence(path):
    folder, language = path.parent.name, path.stem
    if path.suffix != ".jsonl":
        assert folder in OURS.split()
        return
    needed = {rights(json.loads(line), folder) for line in path.read_text(encoding="utf-8").splitlines()} - {
        None
    }
    noted = {
        (spdx(licence), whose.partition(":")[0])
        for configs in packaged_data_configs().values()
        for config in configs
        if any(getattr(o, "path", "") == f"{folder}/{language}.jsonl" for o in config.splits.values())
        or (folder in ("bec_pro", "winogender_occupations") and config.name == language)
        for licence, whose in ((config.licence, config.rights), *config.parts)
        if whose
    }
    assert needed <= noted
    for licence, whose in needed:
        assert licence in PROJECT["license"].split(" AND ")
        assert f"{licence}\n  {whose}" in NOTICE


def test_a_source_that_nobody_knows_is_found():
    with pytest.raises(AssertionError, match="whose is 'Somebody"):
        rights({"source": "Somebody (2024), a list under a licence of its own"}, "professions")
    refused(AssertionError, "", rights, {"source": "Bartl, Nissim and Gatt (2020)"}, "word_forms")


def test_data_sets_that_hold_work_of_others_go_out_with_its_licence():
    for name, configs, notices, texts in (
        (
            "bias_templates",
            ["en", "pt"],
            (
                "en: MIT\n  Copyright (c) 2020 Sebastian Gehrmann",
                "en: CC-BY-4.0\n  Marion Bartl",
                "en, pt: Apache-2.0\n  The makers of the BIAS Detection Framework",
            ),
            ("MIT License\n\nCopyright (c) 2020 Sebastian Gehrmann", "Attribution 4.0 International"),
        ),
        (
            "professions",
            ["en", "it"],
            ("en: CC-BY-4.0\n  Marion Bartl", "en, it: MIT\n  Copyright (c) 2018 Rachel Rudinger"),
            ((ROOT / "LICENSE").read_text(encoding="utf-8"), "Attribution 4.0 International"),
        ),
    ):
        made = licence_files(name, dataset_record(name).select(configs))
        assert [part for part in notices if part not in made["NOTICE"]] == []
        assert [part for part in texts if part not in made["LICENSE"]] == []
        card = (ROOT / "datasets_scripts" / name / "README.md").read_text(encoding="utf-8")
        assert "\nlicense:\n- apache-2.0\n- cc-by-4.0\n- mit\n" in card


def test_weights_and_examples_that_are_packaged_are_of_this_project():
    for card in (ROOT / "demo_models").glob("*/README.md"):
        assert "\nlicense: apache-2.0\n" in card.read_text(encoding="utf-8")
    by_hand = (
        "worked by hand",
        "by hand",
        "counted by hand",
        "as the ",
        "as above",
        "the same answers",
        "the first",
    )
    by_hand += ("examples of the measurement 'honest'",)
    for name in METHODS:
        for case in golden_cases(name):
            assert case["source"].lower().startswith(by_hand), (name, case["source"])


def test_the_wheel_names_the_licences_of_what_it_holds_and_no_other():
    packaged = {
        licence for configs in packaged_data_configs().values() for c in configs for licence in c.licences
    }
    assert PROJECT["license"].split(" AND ") == sorted(map(spdx, packaged))
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


@pytest.mark.parametrize("source", sources(["modules", "spaces"]), ids=lambda s: f"{s.kind}-{s.name}")
def test_every_module_and_space_goes_out_with_its_licence(source, tmp_path):
    folder = source.folder("bias", tmp_path).path
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert "Copyright the evaluate-bias authors" in (folder / "NOTICE").read_text(encoding="utf-8")
    assert source.folder("bias", tmp_path).path == folder  # a second time, over the first
