"""Every row of the sources has a call that runs, a page, or the reason why there is none."""

from __future__ import annotations

import functools
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import evaluate_bias as eb
from evaluate_bias.data.predictions import load_gap
from evaluate_bias.errors import AssetError
from evaluate_bias.methods.pairs.covariates import (
    adjusted_difference,
    against_controls,
    frequency_differences,
)
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.registry import get_method
from tests.support.tiny_models import tiny_causal

SOURCES = Path(__file__).parents[1] / "docs" / "sources"
ROWS = yaml.safe_load((SOURCES / "rows.yaml").read_text(encoding="utf-8"))
FEW = {"n_resamples": 19, "ci_resamples": 19, "ci": "none", "gev": False, "n_subsets": 20}
"""Options that make a call quick, where a method has them and the row does not set them."""
EVERY = [(source, row) for source, rows in ROWS.items() for row in rows]


def is_there(row: dict[str, Any]) -> bool:
    return ("call" in row or "page" in row) and "lacks" not in row


def test_the_table_is_whole() -> None:
    assert len(EVERY) == 125
    assert len({(source, row["row"]) for source, row in EVERY}) == 125
    for _, row in EVERY:
        assert row.keys() <= {"row", "call", "page", "lacks", "cannot", "fetch"}
        assert row.keys() & {"call", "page", "lacks", "cannot"}
        if "page" in row:
            page = row["page"].removeprefix("../")
            assert (SOURCES.parent / page).is_file() or (SOURCES / page).is_file() or page == "debiasing.md"
    assert sum(is_there(row) for _, row in EVERY) >= 115
    page = runpy.run_path(str(SOURCES.parent / "hooks.py"))["source_rows_page"](SOURCES / "rows.yaml")
    assert all(row["row"] in page for _, row in EVERY)


@functools.cache
def space(folder: Path) -> dict[str, Any]:
    """Small inputs by the names that calls have."""
    rng = np.random.default_rng(0)
    vectors = {f"w{i}": rng.normal(size=5) for i in range(60)}

    def lists(name: str, *sizes: int) -> dict[str, Any]:
        columns, start = {}, 0
        for column, n in zip(("targets_x", "targets_y", "attributes_a", "attributes_b"), sizes, strict=True):
            columns[column] = [f"w{start + i}" for i in range(n)]
            start += n
        return {"name": name, **columns}

    words = ["she", "woman", "girl", "he", "man", "boy"]
    files = {
        "weat_file": ("WEAT_7.txt", "math,algebra\npoetry,art\nhe,man\nshe,woman\n"),
        "lpbs_file": (
            "LPBS.jsonl",
            '{"targ1": {"singular": ["he"]}, "targ2": {"singular": ["she"]}, "attr1": ["nurse", "teacher"],\n'
            '"attr2": ["doctor", "engineer"], "templates": {"singular": ["TARGET is a ATTRIBUTE."]}}',
        ),
        "seat_file": (
            "GER1_context.jsonl",
            '{"targ1": {"category": "a", "examples": ["This is a nurse.", "This is a teacher."]},\n'
            '"targ2": {"category": "b", "examples": ["This is a doctor.", "This is an engineer."]},\n'
            '"attr1": {"category": "c", "examples": ["She is here."]}, "attr2": {"category": "d", "examples": '
            '["He is here."]}}',
        ),
        "vector_file": ("vectors.vec", "3 2\nshe 1 0\nhe 0 1\nnurse 1 1\n"),
    }
    for name, text in files.values():
        (folder / name).write_text(text)
    numbers = rng.normal(-20, 3, size=(40, 6))
    texts = ["she is a nurse"] * 6 + ["he is a nurse"] * 2 + ["he is a smith"] * 4 + ["she is a smith"]
    texts += [f"{'she' if k % 3 else 'he'} is a j{i}" for i in range(12) for k in range(i + 3)]

    class Quick:
        """The library with calls that are quick."""

        data, methods, load_model = eb.data, eb.methods, staticmethod(eb.load_model)

        @staticmethod
        def measure(method: str, model: Any, **options: Any) -> eb.Result:
            few = {
                key: n for key, n in FEW.items() if key in get_method(method).options() and key not in options
            }
            return eb.measure(method, model, **few, **options)

        @staticmethod
        def measure_all(models: Any, methods: Any, **options: Any) -> Any:
            return eb.measure_all(models, methods, **options)

    causal = load_transformer(tiny_causal())
    return {
        **{key: folder / name for key, (name, _) in files.items()},
        "eb": Quick(),
        "load_gap": load_gap,
        "against_controls": against_controls,
        "adjusted_difference": adjusted_difference,
        "frequency_differences": frequency_differences,
        "word_counts": {
            word: i + 1 for i, word in enumerate(["a", "is", *words, "nurse", "teacher", "doctor"])
        },
        "many_tests": [lists(f"t{i}", 2 + i % 3, 2 + i % 3, 3, 2) for i in range(6)],
        "folder": folder / "run",
        "model": eb.load_model("demo-mlm-en"),
        "causal": causal,
        "vectors": eb.load_model("glove-6b-50d"),
        "small_vectors": vectors,
        "corpus": eb.load_corpus(texts),
        "sets": [
            {"name": name, "targets_x": ["she"], "targets_y": ["he"], "attributes_a": [name]}
            for name in ("nurse", "smith")
        ],
        "many_sets": [
            {"name": word, "targets_x": ["she"], "targets_y": ["he"], "attributes_a": [word]}
            for word in (f"j{i}" for i in range(12))
        ],
        "own_tests": [lists("own", 4, 4, 3, 3), lists("other", 5, 5, 3, 3)],
        "ceat_tests": [
            {
                "name": "t",
                "targets_x": ["she", "woman"],
                "targets_y": ["he", "man"],
                "attributes_a": ["nurse"],
                "attributes_b": ["doctor"],
            }
        ],
        "contexts": [f"{word} is here with {other}." for word in words for other in ("nurse", "doctor")],
        "unequal_test": lists("unequal", 6, 4, 3, 2),
        "one_word_test": lists("one", 1, 1, 2, 2),
        "frequencies": {word: i + 1 for i, word in enumerate(vectors)},
        "wsv_words": [
            *({"word": f"w{i}", "group": "ab"[i % 2]} for i in range(20)),
            *({"word": f"w{i}", "statistic": float(i)} for i in range(20, 40)),
        ],
        "questions": [
            {"a": "w0", "b": "w1", "c": "w2", "expected": ["w3"]},
            {"a": "w4", "b": "w5", "c": "w6", "expected": ["w7"]},
        ],
        "scores": {job.word: i / 60 for i, job in enumerate(eb.data.load_occupations())},
        "sentences": [
            {"sent_more": f"{more} is a {job}.", "sent_less": f"{less} is a {job}.", "bias_type": kind}
            for more, less, kind in (("She", "He", "gender"), ("The woman", "The man", "other"))
            for job in ("nurse", "teacher", "doctor")
        ],
        "pairs": [
            {"sent_more": m, "sent_less": n, "bias_type": "gender" if m < -20 else "other"}
            for m, n in numbers[:, :2].tolist()
        ],
        "robust_pairs": [
            dict(
                zip(
                    (
                        "sent_more",
                        "sent_less",
                        "sent_more_par",
                        "sent_less_par",
                        "sent_more_ran",
                        "sent_less_ran",
                    ),
                    row,
                    strict=True,
                )
            )
            for row in numbers.tolist()
        ],
        "results": [
            {"model_name": f"m{i}", "measure": measure, "score": float(score)}
            for i, of_model in enumerate(rng.normal(size=(6, 3)))
            for measure, score in zip("abc", of_model, strict=True)
        ],
        "entailments": [
            {
                "premise": f"A {job} ate.",
                "hypothesis": f"A {word} ate.",
                "target": job,
                "attribute": word,
                "group": group,
                "entailment": p,
                "neutral": 0.9 - p,
                "contradiction": 0.1,
            }
            for job, word, group, p in (
                (job, word, group, round(rng.uniform(0.1, 0.5), 3))
                for job in ("nurse", "smith", "cook")
                for word, group in (("woman", "women"), ("man", "men"))
            )
        ],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sources")


@pytest.mark.nightly
@pytest.mark.parametrize("row", [row for _, row in EVERY if "call" in row], ids=lambda row: row["row"][:60])
def test_calls_run(row: dict[str, Any], folder: Path) -> None:
    """Rows with ``fetch`` download data, and are skipped where these cannot be had."""
    try:
        assert eval(row["call"], dict(space(folder))) is not None
    except AssetError as error:
        if "fetch" not in row:
            raise
        pytest.skip(f"its data cannot be fetched: {error}")
