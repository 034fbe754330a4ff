"""The synthetic biographies: what is packaged is what the recipe makes, and is what its card says."""

import json
import runpy
from collections import Counter
from pathlib import Path

from evaluate_bias.data.predictions import load_predictions, load_profession_bios
from evaluate_bias.data.recipes import dataset_record, get_dataset
from evaluate_bias.paths import packaged_data

BIOS = runpy.run_path(
    str(Path(__file__).resolve().parents[2] / "datasets_scripts" / "profession_bios_mini" / "bios.py")
)
PROFESSIONS = BIOS["PROFESSIONS"]


def test_the_packaged_rows_are_those_of_the_recipe():
    text = packaged_data("profession_bios_mini/en.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in text.splitlines()] == BIOS["biographies"]()


def test_sizes():
    rows, train = load_profession_bios(), load_profession_bios("train")
    assert len(rows) == len({row.text for row in rows}) == 640
    test = [(p, gender) for p in PROFESSIONS for gender in ("female", "male")]
    assert Counter((r.profession, r.gender) for r in rows if r.split == "test") == dict.fromkeys(test, 20)
    women = Counter(r.profession for r in train if r.gender == "female")
    assert women == {name: count for name, (count, _, _) in PROFESSIONS.items()}
    assert Counter(r.profession for r in train) == dict.fromkeys(PROFESSIONS, 40)


def test_a_text_tells_its_gender_and_not_its_profession():
    for row in load_profession_bios():
        words = set(row.text.lower().replace(".", "").split())
        assert bool(words & {"she", "her"}) == (row.gender == "female")
        assert bool(words & {"he", "his"}) == (row.gender == "male")
        assert not any(name in row.text.lower() for name in PROFESSIONS)


def test_predictions_are_those_of_the_test_split():
    test = load_profession_bios("test")
    rows = load_predictions()
    assert [(r.id, r.references, r.groups, r.predictions) for r in rows] == [
        (r.id, r.profession, r.gender, r.prediction) for r in test
    ]
    assert all(r.prediction is None for r in load_profession_bios("train"))
    assert 0.5 < sum(r.predictions == r.references for r in rows) / len(rows) < 0.95


def test_it_is_marked_as_synthetic_and_built(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path))
    record = dataset_record("profession-bios-mini")
    assert record.illustrative
    assert "synthetic" in record.caveats[0]
    folder = get_dataset("profession_bios_mini")
    assert "synthetic" in (folder / "README.md").read_text(encoding="utf-8").lower()
    again = load_profession_bios(source=folder)
    assert [row.model_dump() for row in again] == [row.model_dump() for row in load_profession_bios()]
