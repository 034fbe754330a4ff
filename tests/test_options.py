"""Options of every method: read off its signature, and checked in one place for every way in."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from annotated_types import Ge, Gt, Le

import evaluate_bias as eb
from evaluate_bias.errors import InputError
from evaluate_bias.method import method as declare
from evaluate_bias.options import (
    BootstrapSamples,
    Count,
    Ddof,
    LargestMissing,
    Level,
    Lower,
    Resamples,
    Seed,
    Subsets,
    checked_options,
    options_of,
)
from evaluate_bias.registry import METHODS

if TYPE_CHECKING:
    from nowhere import Unknown  # type: ignore[import-not-found]

Choice = Literal["a", "b", 1]


class Thing:
    """A class of an option."""


def method(
    model: Any,
    data: Unknown,
    *,
    whole: int = 1,
    number: float = 0.5,
    flag: bool = False,
    text: str = "x",
    path: str | Path | None = None,
    choice: Choice = "a",
    either: bool | Literal["auto"] = "auto",
    maybe: int | None = None,
    two: tuple[float, float] = (0.0, 1.0),
    many: tuple[int, ...] = (),
    words: str | Iterable[str] | None = None,
    table: Mapping[str, float] | None = None,
    thing: Thing | None = None,
    noted: Annotated[int, "a note"] = 0,
    count: Count = 1,
    limited: Annotated[int, Ge(1), Le(10_000)] | None = None,
    positive: Annotated[float, Gt(0)] = 1.0,
    every: Sequence[float] = (),
    unknown: Unknown = None,
    anything: Any = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> None:
    """Do something.

    Args:
        model: is no option.
        whole: a number that
            goes on in another line, see :func:`~evaluate_bias.measure` and ``x``.

            A second paragraph.
        two, many: several of one kind.

    Returns:
        confidence_level: this is no argument.
    """


OPTIONS = options_of(method)
GOOD: list[tuple[str, Any]] = [
    ("whole", 3), ("whole", np.int64(3)), ("whole", np.array(3)), ("number", 3), ("number", np.float32(0.5)),
    ("number", Fraction(1, 2)), ("flag", True), ("flag", np.True_), ("text", np.str_("a")),
    ("count", np.uint8(1)), ("limited", 10_000), ("limited", None), ("positive", 1e-9),
    ("choice", np.str_("b")), ("choice", np.int64(1)), ("path", "a"), ("path", Path("a")), ("path", None),
    ("choice", "b"), ("choice", 1), ("either", "auto"), ("either", False), ("maybe", None), ("maybe", 2),
    ("two", (0, 1)), ("many", ()), ("many", (1, 2)), ("words", "a"), ("words", ["a", "b"]),
    ("words", iter("ab")), ("table", {"a": 1}), ("thing", Thing()), ("thing", None), ("noted", 1),
    ("unknown", object()), ("anything", object()), ("confidence_level", 0.5), ("seed", np.int32(7)),
]  # fmt: skip
BAD: list[tuple[str, Any, str]] = [
    ("whole", 3.0, "an integer"), ("whole", True, "an integer"), ("whole", "3", "an integer"),
    ("number", "x", "a number"), ("number", float("nan"), "a number"), ("number", False, "a number"),
    ("flag", 1, "true or false"), ("text", 3, "a string"), ("path", 3, "a string, a path or None"),
    ("choice", "c", "'a', 'b' or 1"), ("choice", 1.0, "'a', 'b' or 1"), ("choice", True, "'a', 'b' or 1"),
    ("choice", ["a"], "'a', 'b' or 1"), ("either", "no", "true, false or 'auto'"),
    ("maybe", "x", "an integer or None"), ("count", 0, "an integer, 1 or more"),
    ("limited", 0, "an integer from 1 to 10,000 or None"), ("positive", 0, "a number above 0"),
    ("positive", 10**400, "a number above 0"), ("whole", np.float64(5.0), "an integer"),
    ("flag", np.int64(1), "true or false"), ("whole", np.True_, "an integer"),
    ("every", "12", "a list of numbers"), ("every", b"12", "a list of numbers"),
    ("every", {1.0: 2.0}, "a list of numbers"), ("every", np.array(1.0), "a list of"),
    ("every", ["1"], "a list of numbers"), ("every", [True], "a list of numbers"),
    ("every", [np.nan], "a list of numbers"), ("two", [1], "a list of 2: a number, a number"),
    ("two", [1, "x"], "a list of 2"), ("two", "ab", "a list of 2"), ("many", [1, 2.5], "a list of integers"),
    ("words", [1], "a string, a list of strings or None"), ("words", 3, "a string, a list"),
    ("table", [1], "a dict or None"), ("thing", "thing", "a Thing or None"), ("noted", "x", "an integer"),
    ("confidence_level", 1, "a number between 0 and 1"), ("confidence_level", "x", "a number between"),
    ("seed", -1, "an integer, 0 or more"), ("seed", "a", "an integer, 0 or more"),
]  # fmt: skip


def test_options_are_the_keyword_only_parameters_with_their_text() -> None:
    assert "model" not in OPTIONS
    assert OPTIONS["whole"].text == (
        "a number that goes on in another line, see evaluate_bias.measure and x."
    )
    assert OPTIONS["two"].text == OPTIONS["many"].text == "several of one kind."
    assert OPTIONS["confidence_level"].text == "confidence level."  # of its annotation
    assert OPTIONS["noted"].text == "a note"
    assert OPTIONS["either"].default == "auto"
    assert list(options_of(method, ["seed", "model"])) == ["model", "seed"]


@pytest.mark.parametrize(("name", "value"), GOOD, ids=lambda v: str(v)[:20])
def test_a_value_that_fits_goes_through(name: str, value: Any) -> None:
    found = checked_options({name: value}, OPTIONS, "it")[name]
    assert found is value or found == value
    assert not isinstance(found, np.generic) or isinstance(found, str)


@pytest.mark.parametrize(("name", "value", "takes"), BAD, ids=lambda v: str(v)[:20])
def test_a_value_that_does_not_fit_is_told_with_what_does(name: str, value: Any, takes: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_options({name: value}, OPTIONS, "it")
    assert caught.value.option == name
    assert str(caught.value).startswith(f"it: `{name}` must be {takes}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        [1, 2.0],
        (1, np.float32(2)),
        np.array([1, 2]),
        np.array([1.0, 2.0]),
        pd.Series([1.0, 2.0], index=["a", "b"]),
        pd.Index([1, 2]),
        {1.0: 0, 2.0: 0}.keys(),
        (x for x in (1, 2)),
        pa.chunked_array([[1.0], [2.0]]).to_numpy(),
    ],
    ids=lambda v: type(v).__name__,
)
def test_the_members_of_an_iterable_are_a_list(given: Any) -> None:
    found = checked_options({"every": given}, OPTIONS, "it")["every"]
    assert found == [1.0, 2.0]
    assert {type(x) for x in found} == {float}


@pytest.mark.parametrize(
    "given", [["a", "b"], np.array(["a", "b"]), pd.Series(["a", "b"]), {"a": 1, "b": 2}.keys()]
)
def test_words_may_be_in_an_array(given: Any) -> None:
    assert checked_options({"words": given}, OPTIONS, "it") == {"words": ["a", "b"]}


def test_a_tuple_is_made_of_any_iterable() -> None:
    for given in ([0, 0.5], np.array([0, 0.5]), pd.Series([0, 0.5])):
        assert checked_options({"two": given}, OPTIONS, "it") == {"two": (0.0, 0.5)}


def test_an_iterator_is_not_used_up() -> None:
    words = iter(["a", "b"])
    checked_options({"words": words}, OPTIONS, "it")
    assert list(words) == ["a", "b"]


def test_a_misspelt_name_gets_the_near_one() -> None:
    for given, hint in (
        ("sed", "did you mean 'seed'? Choose from whole, number"),
        ("qqqq", "choose from whole, number"),
    ):
        with pytest.raises(InputError, match=f"it has no option '{given}'") as caught:
            checked_options({given: 1}, OPTIONS, "it")
        assert caught.value.option == given
        assert caught.value.hint.startswith(hint)


# -- every method of the registry ------------------------------------------------------------------------------------


def all_options(name: str) -> dict[str, Any]:
    record = METHODS[name]
    return {**record.options(), **record.data_choices()}


@pytest.mark.parametrize("name", METHODS)
def test_every_default_fits_its_option(name: str) -> None:
    for option in all_options(name).values():
        assert checked_options({option.name: option.default}, {option.name: option}, name)


@pytest.mark.parametrize("name", METHODS)
def test_every_option_is_described(name: str) -> None:
    assert {o.name for o in all_options(name).values() if not o.text} == set()


SHARED = {
    "seed": Seed,
    "confidence_level": Level,
    "n_resamples": Resamples,
    "ci_resamples": BootstrapSamples,
    "max_missing": LargestMissing,
    "ddof": Ddof,
    "n_subsets": Subsets,
    "lower": Lower,
}


@pytest.mark.parametrize("name", METHODS)
def test_options_of_one_name_have_the_same_bounds_in_every_method(name: str) -> None:
    kinds = {o.name: o.kind for o in METHODS[name].options().values() if o.name in SHARED}
    assert kinds == {option: SHARED[option] for option in kinds}


@pytest.mark.parametrize("name", METHODS)
def test_every_option_of_the_wrong_kind_is_one_clear_sentence(name: str) -> None:
    """Through the front door, before a model or data are looked at."""
    for option in all_options(name).values():
        if option.takes != "anything":
            with pytest.raises(InputError, match=f"^{name}: ") as caught:
                eb.measure(name, None, data=[], **{option.name: object()})
            assert caught.value.option == option.name
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("n_resamples", (0, -1, 10**8, 10**5_000, 1.5, float("nan"))),
        ("ci_resamples", (-1, 1, 10**8, 10**5_000, 1.5, float("nan"))),
        ("confidence_level", ("high", 1.0)),
        ("seed", (-1, 1.5, True)),
    ],
)
def test_shared_options_have_bounds(option: str, values: tuple[Any, ...]) -> None:
    """Of one method, as all have the same kinds."""
    for value in values:
        for call in (eb.measure, lambda _, model, **given: METHODS["weat"].function()(model, [], **given)):
            with pytest.raises(InputError, match=rf"weat: `{option}` must be ") as caught:
                call("weat", {}, **{option: value})
            assert len(str(caught.value)) <= 600


@pytest.mark.parametrize("declared", [True, False])
def test_an_entry_takes_inference_where_its_record_declares_it(declared: bool) -> None:
    def with_inference(model: Any, data: Any, *, inference: Any) -> Any: ...
    def without(model: Any, data: Any) -> Any: ...

    weat = METHODS["weat"]
    record = dataclasses.replace(weat, inference=weat.inference if declared else None)
    with pytest.raises(InputError, match="weat: an entry that accepts `inference`"):
        declare(record)(without if declared else with_inference)


def test_options_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(given: Any, known: Any, where: str) -> Any:
        seen.append(where)
        return checked_options(given, known, where)

    for place in ("evaluate_bias.api.checked_options", "evaluate_bias.method.checked_options"):
        monkeypatch.setattr(place, counted)
    eb.measure(
        "aul", data=[{"sent_more": -1.0, "sent_less": -2.0, "bias_type": "gender"}] * 2, confidence_level=0.9
    )
    assert seen == ["aul"]


def test_the_options_of_data_are_checked_too() -> None:
    with pytest.raises(InputError, match="did you mean 'language'"):
        eb.measure("weat", None, langauge="de")
    with pytest.raises(InputError, match="`bias_types` must be a string, a list of strings or None, got 3"):
        eb.measure("crows_pairs", None, bias_types=3)


def test_data_choices_have_the_defaults_of_the_method() -> None:
    assert METHODS["crows_pairs"].data_choices()["source"].default == "crows_pairs"
    assert METHODS["pll_robustness"].data_choices()["source"].default is None
