"""The plan: every unit once, and a key that changes with what determines the number and with nothing else."""

import json
import shutil

import pytest

from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.experiments import grid_data, identity, plan
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.config_file import read_config
from evaluate_bias.experiments.fitting import estimate
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.store import Store
from tests.experiments.toy_grid import make_files, toy_grid
from tests.support.refusals import refused


@pytest.fixture
def files(tmp_path):
    return make_files(tmp_path)


def keys(config):
    return [unit.key for unit in make_plan(config).units]


def test_every_combination_once(files):
    plan = make_plan(toy_grid(files, seeds=[0, 1]))
    assert [(u.model, u.method, u.seed) for u in plan.units] == [
        (model, method, seed)
        for model in ("first.txt", "second.txt")
        for method in ("weat", "mac")
        for seed in (0, 1)
    ]
    assert len({u.key for u in plan.units}) == 8
    twice = toy_grid(files, methods=["mac", "mac", {"method": "MAC", "options": {"ci": "bca"}}])
    assert len(make_plan(twice).units) == 2, "a default that is written out is the same unit"
    orders = ({"ci": "none", "ddof": 0}, {"ddof": 0, "ci": "none"})
    alike = toy_grid(files, methods=[{"method": "weat", "options": options} for options in orders])
    assert len(make_plan(alike).units) == 2, "the order of options makes no difference"


@pytest.mark.parametrize(
    "change",
    [
        {"methods": [{"method": "weat", "options": {"ci": "none", "ddof": 0}}]},
        {"methods": [{"method": "weat", "options": {"ci": "none", "tests": "toy"}}]},
        {"methods": [{"method": "mac", "options": {"ci": "none"}}]},
        {"seeds": [1]},
        {"models": [{"model": "first.txt", "options": {"case": "lower"}}]},
        {"models": ["second.txt"]},
        {"models": [{"model": "first.txt", "name": "other"}]},
    ],
)
def test_a_key_changes_with_what_determines_the_number(files, change):
    plain = {"models": ["first.txt"], "methods": [{"method": "weat", "options": {"ci": "none"}}]}
    (before,) = keys(toy_grid(files, **plain))
    (after,) = keys(toy_grid(files, **{**plain, **change}))
    assert before != after


def test_a_key_changes_with_the_content_of_files_and_not_with_their_place(
    files, tmp_path_factory, monkeypatch
):
    config = {"models": ["first.txt", "masked-0"], "methods": ["mac"]}
    before = keys(toy_grid(files, **config))
    other = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(files, other, dirs_exist_ok=True)
    (other / "masked-0" / "README.md").write_text("a card")
    assert keys(toy_grid(other, **config)) == before
    weights = other / "masked-0" / "config.json"
    weights.write_text(weights.read_text() + " ")
    assert [a == b for a, b in zip(keys(toy_grid(other, **config)), before, strict=True)] == [True, False]
    lists = json.loads((other / "lists.jsonl").read_text())
    (other / "lists.jsonl").write_text(json.dumps({**lists, "attributes_a": ["nice", "good"]}) + "\n")
    assert not set(keys(toy_grid(other, **config))) & set(before)
    monkeypatch.setattr(grid_data, "software_versions", lambda: {"evaluate-bias": "9"})
    assert not set(keys(toy_grid(files, **config))) & set(before)


def test_includes_and_excludes(files):
    chosen = make_plan(
        toy_grid(files, include=[{"model": "first*"}, {"method": "mac"}], exclude=[{"seed": 7}])
    )
    assert [(u.model, u.method) for u in chosen.units] == [
        ("first.txt", "weat"), ("first.txt", "mac"), ("second.txt", "mac"),
    ]  # fmt: skip
    assert make_plan(toy_grid(files, exclude=[{"model": "*"}])).units == ()


def test_languages_go_to_methods_that_take_one():
    config = GridConfig(models=["glove-6b-50d"], methods=["weat", "wefat"], languages=["en", "de"])
    found = [(u.method, u.language) for u in make_plan(config).units]
    assert found[:2] == [("weat", "en"), ("weat", "de")]


def test_what_cannot_be_found_is_a_problem_and_stops_nothing(files):
    plan = make_plan(toy_grid(files, models=["first.txt", "./none.txt"], methods=["weat", "aul"]))
    assert [u.method for u in plan.units] == ["weat"]
    reasons = {(p.unit.model, p.unit.method): p.reason for p in plan.problems}
    assert set(reasons) == {("first.txt", "aul"), ("none.txt", "weat"), ("none.txt", "aul")}
    assert "no file or folder './none.txt'" in reasons["none.txt", "weat"]
    assert "has no column" in reasons["first.txt", "aul"]


def test_cost_is_guessed_and_then_timed(files, tmp_path):
    plan = make_plan(toy_grid(files))
    assert {cost.basis for cost in estimate(plan).values()} == {"guessed"}
    from evaluate_bias.experiments.run import run_grid

    run_grid(make_plan(toy_grid(files, models=["first.txt"])), tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        assert {cost.basis for cost in estimate(plan, store).values()} == {"timed"}


def test_rows_and_cost_are_those_of_the_limit(files):
    grid = {"models": ["masked-0"], "methods": ["pll"], "data": ["pairs.jsonl"]}
    whole, limited = (make_plan(toy_grid(files, **grid, **more)) for more in ({}, {"limit": 1}))
    assert {work.rows for work in limited.work.values()} == {1}
    assert max(work.rows for work in whole.work.values()) > 1


def notes(folder, text):
    (folder / "grid.yaml").write_text(text)
    said = make_plan(read_config(folder / "grid.yaml")).notes
    return tuple(note.removeprefix(f"{folder}/") for note in said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("include: [{method: wat}]", "line 4: include {'method': 'wat'} matches no run; did you mean 'weat'?"),
        ("exclude: [{seed: 0, model: frist.txt}]", "did you mean 'first.txt'?"),
        ("exclude: [{seed: 1}]", "grid.yaml, line 4: exclude {'seed': 1} matches no run"),
        ("languages: [en]", None),
    ],
)  # fmt: skip
def test_patterns_that_match_nothing_are_said(files, line, said):
    found = notes(files, f"models: [first.txt]\nmethods: [weat]\ndata: [lists.jsonl]\n{line}\n")
    assert found == () if said is None else said in found[0]


@pytest.mark.parametrize(
    ("models", "data", "said"),
    [
        ("first.txt", "list.jsonl", "grid.yaml, line 4: 'list.jsonl' is neither"),
        ("first.txt", "list.jsonl", "; did you mean 'lists.jsonl'?"),
        ("first.txt", "weat_word_list", "; did you mean 'weat_word_lists'?"),
        (
            "./frist.txt",
            "lists.jsonl",
            "grid.yaml, line 1: no file or folder './frist.txt'; did you",
        ),
    ],
)
def test_what_is_not_found_has_its_line_and_what_was_meant(files, models, data, said):
    text = f"models: [{models}]\nmethods: [weat]\ndata:\n- {data}\n"
    (files / "grid.yaml").write_text(text)
    (problem,) = make_plan(read_config(files / "grid.yaml")).problems
    assert said in problem.reason
    assert len(problem.reason) <= 600


def test_a_product_by_mistake_is_refused(files, monkeypatch):
    monkeypatch.setattr(plan, "MOST_UNITS", 9)
    assert (
        len(make_plan(toy_grid(files, models=["first.txt"], methods=["weat"], seeds=list(range(9)))).units)
        == 9
    )
    refused(InputError, "more than 9 runs; name", lambda: make_plan(toy_grid(files, seeds=list(range(5)))))


def test_a_method_names_a_model_as_the_models_do(files):
    """The text under ``models`` is a path here, and the model's name has no folders."""
    (files / "checkpoint-2").mkdir()
    shutil.copy(files / "first.txt", files / "checkpoint-2" / "step.txt")
    text = (
        "models: [./checkpoint-2/step.txt, second.txt]\n"
        "methods:\n- {method: weat, models: [./checkpoint-2/step.txt]}\ndata: [lists.jsonl]\n"
    )
    (files / "named.yaml").write_text(text)
    planned = make_plan(read_config(files / "named.yaml"))
    assert {unit.model for unit in planned.units} == {"step.txt"}


def test_a_folder_that_is_no_model_is_refused_before_what_lies_below_it_is_read(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "vectors.vec").write_text("rose 0.1 0.2\n", encoding="utf-8")
    monkeypatch.setattr(identity, "_files", lambda folder: pytest.fail(f"{folder} was walked"))
    refused(ModelError, "contains neither a transformer .* nor a", identity.model_identity, str(tmp_path), {})
