"""The build script of the Hub data set of word lists."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml

from datasets_scripts.weat_word_lists import build as script
from evaluate_bias.data.origins import RepositoryFile
from evaluate_bias.data.schemas import as_word_list_test
from evaluate_bias.data.word_lists import languages, load_word_lists
from evaluate_bias.errors import BiasError, DataError, OutputError
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

# A made-up test in the format of the BIAS framework: Windows line ends, blank lines at the end.
PLAIN = (
    "# T1: made-up test\r\n"
    "# some words about it: with a colon \r\n"
    "# Target: morning\r\n"
    "# Target: evening\r\n"
    "# Attribute: warm\r\n"
    "# Attribute: cold\r\n"
    "Frühstück,Sonnenaufgang\r\n"
    "Abendbrot, Dämmerung\r\n"
    "Sommer,Ofen,Ägypten\r\n"
    "Winter,Eis,Grönland\r\n"
    "\r\n"
    "\r\n"
).encode()
# A header given twice, and no newline at the end.
ODD = (
    "# Target: morning\r\n# Target: evening\r\n# Attribute: warm\r\n# Attribute: cold\r\n"
    "# Target: morning\r\n# Target: evening\r\n# Attribute: warm\r\n# Attribute: cold\r\n"
    "Frühstück,Sonnenaufgang\r\nAbendbrot,Dämmerung\r\nSommer,Ofen,Ägypten\r\nWinter,Eis,Grönland"
).encode()


def pinned(name: str, content: bytes) -> script.CoCreated:
    return script.pinned(name, hashlib.sha256(content).hexdigest(), "daytime")


def upstream_copy(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / script.FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return upstream_copy(tmp_path / "copy", {"T1.txt": PLAIN, "T2.txt": ODD})


COCREATED = (pinned("T1.txt", PLAIN), pinned("T2.txt", ODD))


@pytest.mark.parametrize("content", [PLAIN, ODD, PLAIN.replace(b"\r\n", b"\n"), b"\xef\xbb\xbf" + PLAIN])
def test_a_text_file_becomes_a_test(content: bytes) -> None:
    test = script.convert(content, pinned("T1.txt", content))
    assert test.name == "t1"
    assert (test.x_label, test.y_label, test.a_label, test.b_label) == ("morning", "evening", "warm", "cold")
    assert test.targets_x == ("Frühstück", "Sonnenaufgang")
    assert test.targets_y == ("Abendbrot", "Dämmerung")
    assert test.attributes_a == ("Sommer", "Ofen", "Ägypten")
    assert test.attributes_b == ("Winter", "Eis", "Grönland")
    assert (test.language, test.origin, test.bias_type) == ("de", "co-created", "daytime")
    assert script.COMMIT in test.source
    assert test.source.endswith("/BiasDetection/datasets/de/WEAT/T1.txt")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (PLAIN.replace(b"# Target: evening", b"# evening"), "not 1, 2 and 4"),
        (PLAIN.replace(b"# Attribute: cold", b"# Attribute: warm"), "not 2, 1 and 4"),
        (PLAIN.replace("Winter,Eis,Grönland".encode(), b""), "not 2, 2 and 3"),
        (PLAIN + b"one,more", "not 2, 2 and 5"),
        (PLAIN.replace(b"Ofen", b""), "attributes_a[1] is blank"),
        (PLAIN.decode().encode("cp1252"), "is not utf-8 text"),
    ],
)
def test_a_file_in_another_format_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        script.convert(content, pinned("T1.txt", content))
    assert sentence in str(caught.value)
    assert "T1.txt" in str(caught.value)


def test_the_upstream_files_when_a_copy_is_at_hand(copy: Path) -> None:
    """With EVALUATE_BIAS_UPSTREAM naming a folder of upstream copies, the pinned files are converted as well."""
    sources = [(copy, COCREATED)]
    if folder := os.environ.get("EVALUATE_BIAS_UPSTREAM"):
        sources.append((Path(folder, script.REPOSITORY.replace("/", "_")), script.CO_CREATED_TESTS))
    for source, cocreated in sources:
        for origin in cocreated:
            test = script.convert(origin.file.read(source, verify=True), origin)
            assert len(test.targets_x) == len(test.targets_y) >= 2
            assert len(test.attributes_a) == len(test.attributes_b) >= 3
            words = [*test.targets_x, *test.targets_y, *test.attributes_a, *test.attributes_b]
            assert len(set(words)) == len(words)


def test_the_pins_name_one_commit_and_five_files() -> None:
    names = [c.name for c in script.CO_CREATED_TESTS]
    assert names == ["cw1", "cw2", "cw3", "cw4", "cw5"]
    for c in script.CO_CREATED_TESTS:
        assert isinstance(c.file, RepositoryFile)
        assert script.COMMIT in c.file.url
        assert len(c.file.sha256) == 64


def test_the_folder_loads_offline_and_equals_the_packaged_lists(
    tmp_path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    cache = str(tmp_path / "cache")
    out = script.build(tmp_path / "built" / "lists", source=copy, cocreated=COCREATED)
    assert datasets.get_dataset_config_names(str(out)) == [*languages(), "de-cocreated"]
    for config in (*languages(), "de-cocreated"):
        loaded = datasets.load_dataset(str(out), config, split="test", cache_dir=cache)
        rows = [as_word_list_test(row) for row in loaded.to_list()]
        assert rows == list(load_word_lists(out, language=config))
        if config != "de-cocreated":
            assert rows == list(load_word_lists(language=config))
        assert {"name", "targets_x", "targets_y", "attributes_a", "attributes_b"} <= set(loaded.column_names)
    assert [t.name for t in load_word_lists(out, language="de-cocreated")] == ["t1", "t2"]
    default = datasets.load_dataset(str(out), split="test", cache_dir=cache)
    assert set(default["language"]) == {"en"}


def test_the_same_input_gives_the_same_bytes_and_replaces_an_earlier_build(
    tmp_path: Path, copy: Path
) -> None:
    out, again = tmp_path / "one", tmp_path / "two"
    script.build(out, source=copy, cocreated=COCREATED)
    script.build(again, source=copy, cocreated=COCREATED)
    first = {p.name: p.read_bytes() for p in out.iterdir()}
    assert first == {p.name: p.read_bytes() for p in again.iterdir()}
    script.build(out, cocreated=())
    assert {p.name for p in out.iterdir()} == set(first) - {"de-cocreated.jsonl"}
    assert not list(tmp_path.glob(".build-*"))


def test_the_card_has_what_the_hub_reads_and_the_right_numbers(tmp_path: Path, copy: Path) -> None:
    out = script.build(tmp_path / "lists", source=copy, cocreated=COCREATED)
    text = (out / "README.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    data = yaml.safe_load(front)
    assert data["license"] == "apache-2.0"
    assert data["language"] == languages()
    assert [c["config_name"] for c in data["configs"]] == [*languages(), "de-cocreated"]
    assert [c["config_name"] for c in data["configs"] if c.get("default")] == ["en"]
    assert [i["config_name"] for i in data["dataset_info"]] == [*languages(), "de-cocreated"]
    assert "{{" not in body
    assert "76 tests in 9 languages" in body  # 10 + 8 * 8 + 2 made-up ones
    assert "| `de-cocreated` | German | 2 | 10 | co-created |" in body
    assert "not validated by native speakers" in body
    assert script.COMMIT in body
    bare = (script.build(tmp_path / "bare", cocreated=()) / "README.md").read_text(encoding="utf-8")
    assert "de-cocreated" not in bare
    assert "74 tests in 9 languages" in bare


def test_a_changed_or_missing_upstream_file_is_refused(tmp_path: Path, copy: Path) -> None:
    out = tmp_path / "lists"
    changed = upstream_copy(tmp_path / "changed", {"T1.txt": PLAIN + b"# more", "T2.txt": ODD})
    for source in (changed, tmp_path):
        with pytest.raises(BiasError, match=r"T1\.txt"):
            script.build(out, source=source, cocreated=COCREATED)
    assert not out.exists()


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("years of work", encoding="utf-8")
    with pytest.raises(OutputError, match=r"holds 'thesis\.docx', which is no part of the data set"):
        script.build(tmp_path, cocreated=())
    with pytest.raises(OutputError, match="is a file: choose a folder"):
        script.build(tmp_path / "thesis.docx", cocreated=())
    with pytest.raises(OutputError, match="cannot be written"):
        script.build(tmp_path / "thesis.docx" / "lists", cocreated=())
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.docx"]


def test_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "lists"
    assert script.main(["--out", str(out), "--without-cocreated"]) == 0
    assert f"wrote 9 configurations to {out}" in capsys.readouterr().out
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    assert script.main(["--out", str(out)]) == 1
    assert "or use --source or --without-cocreated" in capsys.readouterr().err
    assert script.main(["--out", str(tmp_path)]) == 1
    assert "choose another folder" in capsys.readouterr().err


@pytest.mark.slow
def test_the_folder_loads_from_the_hub(tmp_path: Path, copy: Path) -> None:
    out = script.build(tmp_path / "lists", source=copy, cocreated=COCREATED)
    with LoopbackHub() as hub:
        repo = hub.add_repo("dataset", "bias/weat-word-lists", out)
        code = """
        import datasets
        from evaluate_bias.data import load_word_lists
        found = load_word_lists("bias/weat-word-lists", language="tr")
        rows = datasets.load_dataset("bias/weat-word-lists", "de-cocreated", split="test").to_list()
        answer({"tr": [t.model_dump(mode="json") for t in found], "revision": found.provenance["revision"],
                "rows": rows})
        """
        answers = run_python(code, hub.env(), tmp_path)
        assert hub.outside == []
    assert [as_word_list_test(row) for row in answers["tr"]] == list(load_word_lists(language="tr"))
    assert answers["revision"] == repo.at().oid
    lines = (out / "de-cocreated.jsonl").read_text(encoding="utf-8").splitlines()
    assert answers["rows"] == [json.loads(line) for line in lines]
