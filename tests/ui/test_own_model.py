"""``evaluate-bias explore MODEL``: a model of this machine is offered first in the tabs that it fits, and measured."""

from __future__ import annotations

from typing import Any

import pytest

import evaluate_bias.ui
from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.ui import explorer_page
from evaluate_bias.ui.guard import Deadline
from evaluate_bias.ui.pool import pool_with
from tests.support.command_line import run_app
from tests.ui.conftest import PATIENCE

WORDS = {"she": [1.0, 0.0], "he": [0.0, 1.0]}


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(f"{word} {' '.join(map(str, v))}" for word, v in WORDS.items()) + "\n")
    return path


def values(page: Any) -> dict[str, Any]:
    return {
        b.elem_id: b.value for b in page.blocks.values() if str(getattr(b, "elem_id", "")).endswith("-model")
    }


def test_the_model_is_chosen_where_it_fits_and_nowhere_else(vectors):
    pool = pool_with(vectors)
    chosen = values(explorer_page(pool))
    assert chosen["words-model"] == "mine.txt"
    assert chosen["pairs-model"] != "mine.txt"
    assert values(explorer_page())["words-model"] != "mine.txt"


def test_the_model_is_lent_by_its_name_and_other_paths_stay_closed(vectors):
    pool = pool_with(vectors)
    with pool.borrow("mine.txt", Deadline(PATIENCE)) as lent:
        assert lent.name == "mine.txt"
    for spec in (str(vectors), "../mine.txt"):
        with (
            pytest.raises(InputError, match="neither a named model nor a Hub id"),
            pool.borrow(spec, Deadline(PATIENCE)),
        ):
            pass


def test_the_command_opens_the_page_with_the_model(vectors, monkeypatch):
    opened: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(evaluate_bias.ui, "launch", lambda page, **options: opened.append((page, options)))
    done = run_app("explore", vectors, "--no-browser", "--port", "7999")
    assert done.exit_code == 0, done.output
    page, options = opened[0]
    assert values(page)["words-model"] == "mine.txt"
    assert options == {"mcp": False, "server_port": 7999, "inbrowser": False}


@pytest.mark.parametrize("spec", ["no/such/folder/at/all", "missing.txt"])
def test_a_model_that_is_not_there_is_an_error_and_no_page(spec, monkeypatch):
    monkeypatch.setattr(evaluate_bias.ui, "launch", lambda page, **options: pytest.fail("opened"))
    done = run_app("explore", spec)
    assert done.exit_code == 1
    assert isinstance(done.exception, ModelError) or type(done.exception).__module__.startswith(
        "evaluate_bias"
    )
