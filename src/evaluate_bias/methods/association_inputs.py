"""What association tests share before their arithmetic: reading tests and options, and what to say of the lists."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from ..data.caveats import is_control
from ..errors import CoverageError, InputError, UndefinedScoreError
from ..models.pooling import Layer, Representation
from ..result import Skipped

if TYPE_CHECKING:
    from ..data.schemas import WordListTest
    from ..stats import Interval

__all__ = [
    "LISTS",
    "caveats",
    "check_coverage",
    "check_lists",
    "check_whole",
    "derive_seed",
    "error_context",
    "headline_of",
    "interval_notes",
    "parsed_tests",
    "shared_words",
    "with_layer",
]

LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
FEW_WORDS = 5
"""With fewer targets than this a bootstrap interval cannot keep its level."""

Forms = Mapping[str, Mapping[str, str]]
"""For each list, what every word of it stands for: words that stand for the same are the same."""


class _OfTest(Protocol):
    @property
    def test(self) -> WordListTest: ...


_R = TypeVar("_R", bound=_OfTest)


def headline_of(runs: Sequence[_R]) -> tuple[list[_R], list[str]]:
    """The runs that make up the score of all tests together, and what a reader must know of that choice.

    Controls (flowers and insects, instruments and weapons) stay out, unless there is nothing else.
    """
    controls = [r for r in runs if is_control(r.test.bias_type)]
    names = ", ".join(r.test.name for r in controls)
    if len(controls) == len(runs):
        return list(runs), [
            f"only controls without social content were asked for ({names}): the score is theirs"
        ]
    note = f"{names}: controls without social content, left out of the score; every test has its own row"
    return [r for r in runs if not is_control(r.test.bias_type)], [note] if controls else []


def check_whole(option: str, value: object, minimum: int) -> None:
    """Refuse an option that is no whole number of at least ``minimum``.

    Raises:
        InputError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise InputError(f"{option} must be a whole number, {minimum} or more, not {value!r}")


def with_layer(representation: Representation | str, layer: Layer | None) -> str:
    """Write a representation with the layer that another option names.

    Raises:
        InputError: the representation names a layer already.

    Examples:
        >>> with_layer("target_mean", (1, 2)), with_layer("cls@-2", None)
        ('target_mean@1+2', 'cls@-2')
    """
    written = str(representation)
    if layer is None:
        return written
    if "@" in written:
        raise InputError(f"the representation {written!r} names a layer already; leave layer={layer!r} out")
    shown = "+".join(map(str, layer)) if isinstance(layer, (tuple, list)) else str(layer)
    return f"{written}@{shown}"


def parsed_tests(
    method: str,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    parse: Callable[[WordListTest | Mapping[str, Any]], WordListTest] | None = None,
) -> list[WordListTest]:
    """Check the tests of a call.

    Args:
        method: what to call the method in an error.
        tests: the tests.
        parse: checks one and returns it, by default :func:`~evaluate_bias.data.schemas.as_word_list_test`.

    Raises:
        DataError: a test does not follow the schema.
        InputError: two tests share a name.
        UndefinedScoreError: there is no test, or an empty list.
    """
    from ..data.schemas import as_word_list_test

    parsed = [(parse or as_word_list_test)(t) for t in tests]
    if not parsed:
        raise UndefinedScoreError(f"no test was given: {method} needs at least one set of four word lists")
    names = [t.name for t in parsed]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise InputError(f"two tests are called {repeated[0]!r}: give every test a name of its own")
    return parsed


def check_lists(test: WordListTest, forms: Forms, needed: Sequence[str] = LISTS) -> None:
    """Refuse a test with an empty list, or with a word in both target lists.

    Args:
        test: the test.
        forms: what every word stands for.
        needed: the lists that may not be empty.

    Raises:
        InputError: a word is in both target lists.
        UndefinedScoreError: a list is empty.
    """
    in_both = _shared(forms, ("targets_x",), ("targets_y",))
    if in_both:
        raise InputError(
            f"{test.name}: {', '.join(map(repr, in_both))} in both targets_x and targets_y; "
            "remove it from one of the lists"
        )
    how_many = "four" if len(needed) == len(LISTS) else "first three"
    for name in needed:
        if not getattr(test, name):
            raise UndefinedScoreError(
                f"{test.name}/{name} is empty: every one of the {how_many} lists needs words"
            )


def check_coverage(
    where: str, lost: Sequence[str], asked: int, max_missing: float, *, found: str, missing: str, advice: str
) -> None:
    """Refuse a list that loses too many of its words.

    Args:
        where: test and list.
        lost: the words that are lost.
        asked: number of words of the list.
        max_missing: largest share that may be lost.
        found: what is said of a word that is not lost, after "none of its words".
        missing: what is said of words that are.
        advice: what would work, other than raising ``max_missing``.

    Raises:
        CoverageError: all words are lost, or a larger share than ``max_missing``; the text names them.
    """
    if len(lost) == asked:
        raise CoverageError(f"{where}: none of its {asked} words {found} ({', '.join(lost)}); {advice}")
    if len(lost) > max_missing * asked + 1e-9:
        raise CoverageError(
            f"{where}: {len(lost)} of {asked} words {missing} ({', '.join(lost)}), more than "
            f"max_missing={max_missing:g} allows; {advice}, or raise max_missing"
        )


@contextmanager
def error_context(name: str, skipped: Sequence[Skipped]) -> Iterator[None]:
    """Let an error about an undefined score say of which test, and which words were left out.

    Args:
        name: the test.
        skipped: what was left out.
    """
    try:
        yield
    except UndefinedScoreError as error:
        lost = ", ".join(dict.fromkeys(s.item for s in skipped))
        raise UndefinedScoreError(f"{name}: {error}" + (f" (left out: {lost})" if lost else "")) from None


def derive_seed(name: str, seed: int) -> int:
    """A seed of the test's own, so that tests draw independently of each other and of which others run."""
    return int(np.random.SeedSequence((seed, zlib.crc32(name.encode()))).generate_state(1, np.uint64)[0])


def caveats(
    name: str,
    forms: Forms,
    sizes: Mapping[str, int],
    *,
    interval: bool = True,
    itself: str = "with cosine 1 to itself",
) -> list[str]:
    """What a reader must know of a test's lists.

    Args:
        name: the test.
        forms: what every word stands for.
        sizes: number of words found of each list.
        interval: whether there is a bootstrap interval, of which to say when it is rough.
        itself: what it means that a word is both target and attribute.
    """
    warnings = []
    equal = sizes["attributes_a"] == sizes["attributes_b"]
    cancelling = _shared(forms, ("attributes_a",), ("attributes_b",))
    if cancelling:
        how = "it cancels out" if equal else "it does not quite cancel out, because the lists differ in size"
        warnings.append(f"{name}: {', '.join(cancelling)} in both attribute lists, where {how}")
    both_roles = _shared(forms, ("targets_x", "targets_y"), ("attributes_a", "attributes_b"))
    if both_roles:
        warnings.append(f"{name}: {', '.join(both_roles)} both target and attribute, {itself}")
    few = [n for n in ("targets_x", "targets_y") if sizes[n] < FEW_WORDS]
    if few and interval:
        warnings.append(
            f"{name}: fewer than {FEW_WORDS} words in {' and '.join(few)}, so the interval is rough"
        )
    single = [n for n in ("attributes_a", "attributes_b") if sizes[n] == 1]
    if single and interval:
        warnings.append(
            f"{name}: one word in {' and '.join(single)}, whose choice the interval cannot reflect"
        )
    return warnings


def interval_notes(name: str, interval: Interval | None) -> list[str]:
    """What a reader must know of a test's interval."""
    if interval is None:
        return []
    notes = [f"{name}: {interval.note}"] if interval.note else []
    if interval.n_undefined:
        notes.append(
            f"{name}: {interval.n_undefined} of {interval.n_resamples} bootstrap samples have no effect size and are "
            "left out of the interval"
        )
    return notes


def shared_words(tests: Sequence[WordListTest], ci: str) -> tuple[str, ...]:
    """Say so when tests share words, which the interval of their mean takes as independent."""
    if ci == "none":
        return ()
    for i, later in enumerate(tests):
        if any(set(getattr(later, n)) & set(getattr(t, n)) for t in tests[:i] for n in LISTS):
            return (
                "tests share words, so the interval of their mean, which takes them as independent, is too narrow",
            )
    return ()


def _shared(forms: Forms, left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Words of the left lists that stand for the same as a word of the right ones, sorted."""
    theirs = {form for name in right for form in forms[name].values()}
    return sorted({word for name in left for word, form in forms[name].items() if form in theirs})
