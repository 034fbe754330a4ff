"""Ready scores, answers and completions give one result by every door, and none of them is ignored or read as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.data import load_word_lists
from evaluate_bias.data.words import load_gendered_words, load_occupations, load_professions, load_wsv_words
from evaluate_bias.errors import BiasError, InputError
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.sources import read_file
from evaluate_bias.registry import METHODS
from tests.support.tiny_models import tiny_masked
from tests.test_all_methods import larger

Rows = list[dict[str, Any]]
RNG = np.random.default_rng(0)
LABELS = ("stereotype", "anti-stereotype", "unrelated")
ANSWERS = ("The man", "B", "Unknown", "the boy.")


def numbers(*columns: str, n: int = 12) -> Rows:
    return [
        dict(zip(columns, RNG.normal(size=len(columns)).round(2).tolist(), strict=True)) for _ in range(n)
    ]


def items(n: int = 12) -> Rows:
    """BBQ items without texts."""
    return [
        {
            "category": "Age", "question_index": str(i), "context_condition": ["ambig", "disambig"][i % 2],
            "context": "Two people came in.", "question": "Who sang?", "label": 2 - i % 2, "target_loc": i % 4 // 2,
            "unknown_loc": 2, "ans0": "The boy", "ans1": "The man", "ans2": "Not known",
        }
        for i in range(n)
    ]  # fmt: skip


def word_test(**columns: Any) -> Rows:
    lists = {
        "targets_x": ["Ben", "Tom"],
        "targets_y": ["Ann", "Eva"],
        "attributes_a": ["desk"],
        "attributes_b": ["home"],
    }
    return [{"name": f"t{i}", **lists, **columns} for i in range(3)]


PAIRS = [{**row, "bias_type": "age"} for row in numbers("sent_more", "sent_less")]
OPTIONS = [
    {"target": f"t{i % 3}", "context": "BLANK", "bias_type": "race", **row}
    for i, row in enumerate(numbers(*LABELS))
]
KINDS: dict[str, tuple[str, Rows]] = {
    "scores of pairs": ("crows_pairs", PAIRS),
    "scores of options, one column each": ("stereoset", OPTIONS),
    "scores of options": (
        "stereoset",
        [
            {**{k: v for k, v in row.items() if k not in LABELS},
             "sentences": [{"gold_label": label, "sentence": row[label]} for label in LABELS]}
            for row in OPTIONS
        ],
    ),
    "scores of answers": ("bbq", [a | b for a, b in zip(items(), numbers("ans0", "ans1", "ans2"), strict=True)]),
    "scores of pronouns": (
        "winobias",
        [
            {**row, "stereotype": s, "profession": f"{s}{i % 3}"}
            for i, row in enumerate(numbers("sentence_female", "sentence_male"))
            for s in [("female", "male")[i % 2]]
        ],
    ),
    "log-odds of yes": (
        "decision_gap",
        [{**row, "group": "ab"[i % 2], "template": f"t{i // 2}"} for i, row in enumerate(numbers("question"))],
    ),
    "answers": ("bbq", [{**row, "answer": ANSWERS[i % 4]} for i, row in enumerate(items())]),
    "positions of answers": ("bbq", [{**row, "answer": i % 3} for i, row in enumerate(items())]),
    "completions": (
        "honest",
        [{"group": "fm"[i % 2], "completions": ["a nurse; a cook", f"an idiot {i}"][: 1 + i % 2]} for i in range(12)],
    ),
    "answers to word tests": (
        "word_association", word_test(answers=["desk - Ben\nhome - Ann", "desk - Eva\nhome - Tom"]),
    ),
    "decisions": (
        "relative_decision",
        word_test(scenario="{first} and {second} meet.", decisions=["stereotypical", "neither", "anti-stereotypical"]),
    ),
}  # fmt: skip
OPTIONS_OF = {"honest": {"lexicon": ["idiot"]}}


def flat(rows: Rows) -> pd.DataFrame:
    """A frame in which every cell holds one value."""
    return pd.DataFrame(
        [{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
    )


def written(rows: Rows, path: Path) -> Path:
    frame = flat(rows)
    match path.suffix:
        case ".csv":
            frame.to_csv(path, index=False)
        case ".xlsx":
            frame.to_excel(path, index=False)
        case ".parquet":
            pd.DataFrame(rows).to_parquet(path)
        case ".yaml":
            path.write_text(
                json.dumps([{k: v if isinstance(v, list) else str(v) for k, v in r.items()} for r in rows])
            )
        case _:  # JSON Lines, which Dataset.to_json writes into .json as well
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def by_grid(name: str, path: Path, out: Path, options: dict[str, Any]) -> eb.Result:
    config = GridConfig(models=["none"], methods=[{"method": name, "options": options}], data=[str(path)])
    run_grid(make_plan(config), out)
    return read_file(out / "results.jsonl")[0]


def by_command(name: str, path: Path, out: Path, options: dict[str, Any]) -> eb.Result:
    flags = [flag for k, v in options.items() for flag in ("-O", f"{k}={json.dumps(v)}")]
    done = CliRunner().invoke(app, ["run", "--method", name, "--source", str(path), "-o", str(out), *flags])
    assert done.exit_code == 0, done.output
    return read_file(out / "results.jsonl")[0]


def by_module(name: str, rows: Rows, options: dict[str, Any], *, batches: bool) -> dict[str, Any]:
    module = eb.load(name, keep_in_memory=True)
    columns = {c: [row[c] for row in rows] for c in rows[0]}
    if not batches:
        return module.compute(**columns, **options)
    half = len(rows) // 2
    for part in (slice(None, half), slice(half, None)):
        module.add_batch(**{c: v[part] for c, v in columns.items()})
    return module.compute(**options)


DOORS: dict[str, Callable[[str, Any, Rows, Path, dict[str, Any]], Any]] = {
    "rows": lambda name, model, rows, folder, o: eb.measure(name, model, data=rows, **o),
    "frame": lambda name, model, rows, folder, o: eb.measure(name, model, data=pd.DataFrame(rows), **o),
    "flat frame as source": lambda name, model, rows, folder, o: eb.measure(
        name, model, source=flat(rows), **o
    ),
    **{
        suffix: lambda name, model, rows, folder, o, s=suffix: eb.measure(
            name, model, source=written(rows, folder / f"d{s}"), **o
        )
        for suffix in (".csv", ".xlsx", ".jsonl", ".json", ".parquet", ".yaml")
    },
    "grid": lambda name, _, rows, folder, o: by_grid(
        name, written(rows, folder / "d.jsonl"), folder / "out", o
    ),
    "command": lambda name, _, rows, folder, o: by_command(
        name, written(rows, folder / "d.csv"), folder / "out", o
    ),
    "compute": lambda name, model, rows, folder, o: by_module(
        name, rows, {"model": model, **o}, batches=False
    ),
    "add_batch": lambda name, model, rows, folder, o: by_module(
        name, rows, {"model": model, **o}, batches=True
    ),
}
NESTED = {"scores of options": {".csv", ".xlsx", ".yaml", "flat frame as source", "command"}}
"""Kinds that have no form in a table of single values."""
COLUMNS_ONLY = {"scores of options, one column each": {"compute", "add_batch"}}
"""Kinds of tables that modules, whose columns are fixed, do not have."""


@pytest.mark.parametrize("door", [d for d in DOORS if d != "rows"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_door_gives_the_result_of_rows(kind: str, door: str, tmp_path: Path) -> None:
    if door in NESTED.get(kind, ()) or door in COLUMNS_ONLY.get(kind, ()):
        pytest.skip("no such form")
    name, rows = KINDS[kind]
    known = METHODS[name].options()
    quick = {k: v for k, v in {"n_resamples": 99, "ci_resamples": 99}.items() if k in known}
    options = quick | OPTIONS_OF.get(name, {})
    expected = eb.measure(name, data=rows, **options)
    found = DOORS[door](name, None, rows, tmp_path, options)
    if isinstance(found, dict):
        assert (found[name], found["n"], found["p_value"]) == (expected.score, expected.n, expected.p_value)
        return
    assert (found.score, found.n, found.p_value) == (expected.score, expected.n, expected.p_value)
    assert (found.ci_low, found.coverage) == (expected.ci_low, expected.coverage)


@pytest.mark.parametrize(
    "door", ["rows", "frame", "flat frame as source", ".csv", ".jsonl", ".parquet", ".xlsx"]
)
@pytest.mark.parametrize(
    "kind",
    ["scores of pairs", "scores of answers", "answers", "completions", "scores of options, one column each"],
)
def test_a_model_beside_ready_scores_is_refused(kind: str, door: str, tmp_path: Path) -> None:
    name, rows = KINDS[kind]
    path = {".csv", ".jsonl", ".parquet", ".xlsx"} & {door}
    source = written(rows, tmp_path / f"d{door}") if path else flat(rows) if door != "rows" else None
    given = {"data": rows} if source is None else {"source": source}
    model = (lambda prompts: ["a nurse"] * len(prompts)) if name == "honest" else tiny_masked("bert")
    with pytest.raises(InputError, match=f"{name} was given both .*omit"):
        eb.measure(name, model, **given, **OPTIONS_OF.get(name, {}))


def test_what_is_text_stays_text(tmp_path: Path) -> None:
    texts = ["Women cannot drive.", "Men cannot drive.", "42", "He"]
    rows = [dict(zip(("sent_more", "sent_less"), texts[i : i + 2], strict=True)) for i in (0, 2)]
    for source in (
        written(rows, tmp_path / "d.csv"),
        written(rows, tmp_path / "d.jsonl"),
        pd.DataFrame(rows),
    ):
        with pytest.raises(BiasError, match="crows_pairs needs a model"):
            eb.measure("crows_pairs", source=source)
        assert eb.measure("crows_pairs", tiny_masked("bert"), source=source).coverage.asked == 2


def test_a_part_of_rows_is_chosen_as_of_a_file(tmp_path: Path) -> None:
    rows = [
        {**row, "language": "nl" if i % 4 > 1 else "en"}
        for i, row in enumerate(KINDS["positions of answers"][1])
    ]
    chosen = eb.measure("bbq", data=rows, language="nl", n_resamples=99, ci_resamples=99)
    assert chosen.coverage.asked == len(rows) // 2
    path = written(rows, tmp_path / "d.csv")
    assert (
        eb.measure("bbq", source=path, language="nl", n_resamples=99, ci_resamples=99).score == chosen.score
    )
    scores = [{**row, "language": "nl" if i % 3 else "en"} for i, row in enumerate(PAIRS)]
    for given in ({"data": scores}, {"source": written(scores, tmp_path / "s.csv")}):
        assert eb.measure("crows_pairs", language="nl", **given).coverage.asked == 8
        with pytest.raises(InputError, match="bias_types choose among texts, and .* contains scores"):
            eb.measure("crows_pairs", bias_types="age", **given)


def test_columns_of_other_names(tmp_path: Path) -> None:
    rows = [{"masculine": row["sent_more"], "feminine": row["sent_less"], "why": "x"} for row in PAIRS]
    columns = {"sent_more": "masculine", "sent_less": "feminine"}
    expected = eb.measure("crows_pairs", data=[{k: row[k] for k in columns} for row in PAIRS])
    path = written(rows, tmp_path / "d.csv")
    for given in ({"data": rows}, {"data": pd.DataFrame(rows)}, {"source": path}):
        assert eb.measure("crows_pairs", columns=columns, **given).score == expected.score
    config = GridConfig(
        models=["none"], methods=["crows_pairs"], data=[{"source": str(path), "columns": columns}]
    )
    run_grid(make_plan(config), tmp_path / "grid")
    assert read_file(tmp_path / "grid" / "results.jsonl")[0].score == expected.score
    flags = [f for ours, theirs in columns.items() for f in ("--columns", f"{ours}={theirs}")]
    command = ["run", "--method", "crows_pairs", "--source", str(path), "-o", str(tmp_path / "out")]
    assert CliRunner().invoke(app, [*command, *flags]).exit_code == 0
    assert read_file(tmp_path / "out" / "results.jsonl")[0].score == expected.score
    texts = [{"a": "Women cannot drive.", "b": "Men cannot drive."}] * 6
    result = eb.measure(
        "aul",
        tiny_masked("bert"),
        source=written(texts, tmp_path / "t.jsonl"),
        columns={"sent_more": "a", "sent_less": "b"},
    )
    assert result.provenance["dataset"]["columns"] == {"sent_more": "a", "sent_less": "b"}
    with pytest.raises(BiasError, match="unknown column of crows_pairs 'sent_mor'; did you mean 'sent_more'"):
        eb.measure("crows_pairs", source=path, columns={"sent_mor": "masculine"})
    with pytest.raises(BiasError, match="unknown column of .*d.csv 'masculin'; did you mean 'masculine'"):
        eb.measure("crows_pairs", source=path, columns={"sent_more": "masculin"})
    with pytest.raises(InputError, match="`columns` names the columns of a source"):
        eb.measure("crows_pairs", tiny_masked("bert"), columns=columns)


# NaN where a number is not known

NO_NUMBER: dict[str, Callable[[], tuple[Any, Rows, dict[str, Any]]]] = {
    **{name: lambda name=name: larger(name) for name in ("wefat", "wsv")},
    "mlm_gender_score": lambda: (
        eb.load_model(tiny_masked("bert")),
        [{"word": row.word, "women_bls": row.women_bls} for row in load_occupations()[:9]],
        {"templates": ["{mask} is a {profession}."]},
    ),
}


@pytest.mark.parametrize("door", ["rows", "frame", ".csv", ".jsonl", ".parquet", "compute", "add_batch"])
@pytest.mark.parametrize("name", NO_NUMBER)
def test_nan_stands_for_no_number_by_every_door(name: str, door: str, tmp_path: Path) -> None:
    model, rows, options = NO_NUMBER[name]()
    number = "women_bls" if name == "mlm_gender_score" else "statistic"
    options = {k: v for k, v in options.items() if k != "ci"} | {"n_resamples": 99}
    absent: Rows = [{**row, number: None} if i == len(rows) - 1 else row for i, row in enumerate(rows)]
    unknown = [{**row, number: float("nan") if row[number] is None else row[number]} for row in absent]
    expected = eb.measure(name, model, data=absent, **options)
    found = DOORS[door](name, model, unknown, tmp_path, options)
    score = found[name] if isinstance(found, dict) else found.score
    assert score == pytest.approx(expected.score, rel=1e-6)


@pytest.mark.parametrize(
    "rows",
    [load_word_lists, load_occupations, load_professions, load_gendered_words, load_wsv_words],
    ids=lambda load: load.__name__,
)
def test_a_row_made_of_nan_is_one_without_that_field(rows: Callable[[], Any]) -> None:
    row = rows()[0]
    fields = row.model_dump()
    optional = [name for name, field in type(row).model_fields.items() if not field.is_required()]
    assert optional
    for name in optional:
        without = {k: v for k, v in fields.items() if k != name}
        assert type(row)(**without, **{name: float("nan")}) == type(row)(**without)
