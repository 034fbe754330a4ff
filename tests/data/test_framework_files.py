"""List files of the BIAS Detection Framework are read as they are, and measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evaluate_bias as eb
from evaluate_bias.data.word_lists import load_lpbs_tests, load_word_lists
from evaluate_bias.errors import BiasError, DataError, InputError

WEAT = """# a comment
# Target: science
# Target: arts
# Attribute: male
# Attribute: female
math, algebra
poetry, art
he, man
she, woman
"""


def written(tmp_path: Path, name: str, content: object) -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return path


def sentences(*words: str) -> dict[str, object]:
    return {"category": words[0], "examples": [f"This is {word}." for word in words]}


SEAT = {
    "targ1": sentences("math", "algebra"),
    "targ2": sentences("poetry", "art"),
    "attr1": sentences("he", "man"),
    "attr2": sentences("she", "woman"),
}


def test_four_lines_of_words_are_a_test_of_weat(tmp_path: Path) -> None:
    (test,) = load_word_lists(written(tmp_path, "WEAT_7.txt", WEAT))
    assert (test.name, test.targets_x, test.attributes_b) == ("WEAT_7", ("math", "algebra"), ("she", "woman"))
    assert (test.x_label, test.y_label, test.a_label, test.b_label) == ("science", "arts", "male", "female")
    with pytest.raises(DataError, match="3 lines"):
        load_word_lists(written(tmp_path, "few.txt", "a\nb\nc\n"))


def test_written_out_sentences_are_a_test_of_seat(tmp_path: Path) -> None:
    path = written(tmp_path, "GER1_context.jsonl", SEAT)
    result = eb.measure("seat", "demo-mlm-en", source=path, templates="none", representation="cls", ci="none")
    given = {
        "name": "GER1_context",
        **{
            name: SEAT[key]["examples"]
            for name, key in zip(
                ("targets_x", "targets_y", "attributes_a", "attributes_b"), SEAT, strict=True
            )
        },
    }
    same = eb.measure("seat", "demo-mlm-en", data=[given], templates="none", representation="cls", ci="none")
    assert (result.score, result.rows[0].labels["x"]) == (same.score, "math")
    with pytest.raises(InputError) as caught:
        eb.measure("seat", "demo-mlm-en", source=path)
    assert caught.value.option == "templates"


def test_targets_with_numbers_and_templates_are_a_test_of_lpbs(tmp_path: Path) -> None:
    (packaged,) = load_lpbs_tests(tests="lpbs7")
    singular = [w for w in packaged.targets_x if w not in packaged.plural_targets]
    lists = {
        "targ1": {"singular": singular, "plural": [w for w in packaged.targets_x if w not in singular]},
        "targ2": {
            "singular": [w for w in packaged.targets_y if w not in packaged.plural_targets],
            "plural": [w for w in packaged.targets_y if w in packaged.plural_targets],
        },
        "attr1": list(packaged.attributes_a),
        "attr2": list(packaged.attributes_b),
        "templates": {
            number: [t.replace("{target}", "TARGET").replace("{attribute}", "ATTRIBUTE") for t in texts]
            for number, texts in packaged.templates().items()
        },
    }
    (read,) = load_lpbs_tests(written(tmp_path, "LPBS_7.jsonl", lists))
    assert read.templates() == packaged.templates()
    assert set(read.plural_targets) == set(packaged.plural_targets)
    assert (read.targets_x, read.attributes_a) == (packaged.targets_x, packaged.attributes_a)


def test_an_incomplete_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BiasError) as caught:
        load_word_lists(written(tmp_path, "t.jsonl", {"targ1": sentences("math"), "targ2": 3}))
    assert caught.value.option == "source"
