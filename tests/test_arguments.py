"""Public functions beside ``measure``: what does not fit is refused in our words; a path is read the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, DataError, InputError

RESULT = eb.Result(
    method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16, p_value=0.5
)
LONG = "x" * 300

REFUSALS: list[tuple[str, Callable[[str], Any], type[BiasError], str]] = [
    ("card of a number", lambda folder: eb.card(5, folder), InputError, "results"),
    ("card of a long name", lambda folder: eb.card(LONG, folder), DataError, "no results"),
    ("card of a folder without results", lambda folder: eb.card(folder, folder), DataError, "no results"),
    ("card nowhere", lambda folder: eb.card(RESULT, 5), InputError, "card_path"),
    ("card since a number", lambda folder: eb.card(RESULT, folder, since=3), InputError, "since"),
    ("card that drops a number", lambda folder: eb.card(RESULT, folder, drop=4), InputError, "drop"),
    ("negative seed", lambda _: eb.compare(RESULT, RESULT, seed=-1), InputError, "seed"),
    ("methods are a number", lambda _: eb.compare({}, {}, methods=5), InputError, "methods"),
    ("one model", lambda _: eb.compare(RESULT, RESULT, models=("a",)), InputError, "models"),
    ("level", lambda _: eb.compare(RESULT, RESULT, confidence_level=1), InputError, "confidence_level"),
    ("gate of a long name", lambda _: eb.gate(LONG), DataError, "no results"),
    ("gate of a number", lambda _: eb.gate([RESULT, 1]), InputError, "results"),
    ("gate against a number", lambda _: eb.gate(RESULT, against=1, margin=2), InputError, "against"),
    ("margins", lambda _: eb.gate(RESULT, against=RESULT, margins=3), InputError, "margins"),
    ("condition", lambda _: eb.gate(RESULT, fail_if=3), InputError, "fail_if"),
    (
        "model of the gate",
        lambda _: eb.gate(RESULT, fail_if="weat.overall > 0", model=4),
        InputError,
        "model",
    ),
    ("on_error is a word", lambda _: eb.measure_all({}, ["weat"], on_error="raise"), InputError, "on_error"),
    ("all methods are a number", lambda _: eb.measure_all({}, 5), InputError, "methods"),
    ("seed of flags", lambda _: eb.flag_effects(RESULT, [], seed=-1), InputError, "seed"),
    ("flags of a number", lambda _: eb.flag_effects(5, []), InputError, "result"),
    ("trust a number", lambda _: eb.trust(5), InputError, "results"),
    ("verify a number", lambda _: eb.verify(5), InputError, "folder"),
    ("verify a long name", lambda _: eb.verify(LONG), InputError, "not a folder"),
    ("card to verify", lambda folder: eb.verify(folder, card=LONG), InputError, "no card"),
    ("groups are a number", lambda _: eb.pairwise("weat", {}, 5), InputError, "groups"),
    ("method is a number", lambda _: eb.measure(5), BiasError, "method"),
]


@pytest.mark.parametrize(
    ("call", "error", "fact"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS]
)
def test_arguments_that_do_not_fit_are_refused(
    call: Callable[[str], Any], error: type[BiasError], fact: str, tmp_path: Path
) -> None:
    with pytest.raises(error) as refused:
        call(str(tmp_path))
    assert fact in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_results_are_given_or_read_from_a_folder_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(RESULT.to_json() + "\n", encoding="utf-8")
    condition = "weat.overall > 0"
    gates = [
        eb.gate(source, fail_if=condition) for source in (RESULT, [RESULT], tmp_path, str(tmp_path), file)
    ]
    assert len({repr(gate.checks) for gate in gates}) == 1
    for i, source in enumerate((RESULT, [RESULT], tmp_path, str(tmp_path), file)):
        eb.card(source, tmp_path / f"card{i}.md")
    texts = {
        (tmp_path / f"card{i}.md").read_text(encoding="utf-8").replace(f"card{i}", "card") for i in range(5)
    }
    assert len(texts) == 1


def test_lists_may_be_any_iterable() -> None:
    """One that can be read only once is not used up by the check."""
    condition = "weat.overall > 0"
    assert [check.passed for check in eb.gate(RESULT, fail_if=iter([condition])).checks] == [False]
    words = {w: [1.0, k / 10] for k, w in enumerate("abcdef")}
    lists = {"targets_x": ["a", "b"], "targets_y": ["c", "d"], "attributes_a": ["e"], "attributes_b": ["f"]}
    assert len(eb.compare(words, words, methods=iter(["weat"]), data=[{"name": "toy", **lists}]).changes) == 1
