"""Errors carry their option and a hint wherever they go, and stay short and printable."""

import pickle

import pytest

from evaluate_bias.errors import BiasError, CoverageError, InputError, UnknownNameError, bad_option


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BiasError("no tests"), "no tests"),
        (CoverageError("2 of 3 words are missing", option="max_missing", hint="use other words"),
         "2 of 3 words are missing; use other words"),
        (bad_option("c", -1, "above 0", owner="wsv"), "wsv: `c` must be above 0, got -1"),
        (UnknownNameError("test", "weat77", ["weat7"], option="tests"), "unknown test 'weat77'; did you mean 'weat7'?"),
    ],
)  # fmt: skip
def test_an_error_is_the_same_after_pickling(error: BiasError, text: str) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert str(error) == str(again) == text
    assert type(again) is type(error)
    assert vars(again) == vars(error)


def test_the_option_and_the_hint_are_fields() -> None:
    error = bad_option("c", "x", "a number", hint="leave it at 1")
    assert isinstance(error, InputError)
    assert (error.option, error.text, error.hint) == ("c", "`c` must be a number, got 'x'", "leave it at 1")
    assert (BiasError("a").option, BiasError("a").hint) == (None, "")


@pytest.mark.parametrize("hint", ["", "do this", "y" * 2_000])
def test_long_texts_are_cut_and_control_characters_escaped(hint: str) -> None:
    error = BiasError("x" * 10_000 + chr(27), hint=hint)
    assert len(str(error)) <= 550
    assert str(error).isprintable()
    assert str(error).endswith(hint[-20:])
