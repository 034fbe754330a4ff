"""What association tests share before their arithmetic: reading tests and words, and what to say of the lists."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.dataset_record import is_control
from ..errors import CoverageError, InputError, UndefinedScoreError
from ..models.base import WordEmbedder
from ..models.pooling import Layer, Representation
from ..result import Skipped
from ..stats import NO_WIDTH
from ..text import stable_order

if TYPE_CHECKING:
    from ..data.schemas import WordListTest
    from ..stats import Interval

LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
FEW_WORDS = 5
"""With fewer targets than this a bootstrap interval cannot keep its level."""

Forms = Mapping[str, Mapping[str, str]]
"""For each list, what every word of it stands for: words that stand for the same are the same."""


class CommonOptions(NamedTuple):
    """The options that the methods on word lists have in common, as :mod:`evaluate_bias.options` describes them."""

    ci: Literal["bca", "percentile", "none"]
    ci_resamples: int
    level: float
    max_missing: float
    seed: int


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
    """Refuse an option that is no whole number of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise InputError(f"{option} must be a whole number, {minimum} or more, not {value!r}")


def with_layer(representation: Representation | str, layer: Layer | None) -> str:
    """Write a representation with the layer that another option names.

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
    """The tests of a call, each read by ``parse`` (by default the schema of word lists); refuses two of one name."""
    from ..data.schemas import as_word_list_test

    parsed = [(parse or as_word_list_test)(t) for t in tests]
    if not parsed:
        raise UndefinedScoreError(f"no test was given: {method} needs at least one set of four word lists")
    names = [t.name for t in parsed]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise InputError(f"two tests are called {repeated[0]!r}: give every test a name of its own")
    return parsed


def with_absent_lists(test: WordListTest | Mapping[str, Any], needed: Sequence[str]) -> WordListTest:
    """The test, empty lists standing for those that it lacks and that are not needed."""
    from ..data.schemas import as_word_list_test

    if isinstance(test, Mapping):
        absent = {name: () for name in LISTS if name not in needed and test.get(name) is None}
        test = {**test, **absent}
    return as_word_list_test(test)


def check_lists(test: WordListTest, forms: Forms, needed: Sequence[str] = LISTS) -> None:
    """Refuse a test with one of the needed lists empty, or with a word in both target lists."""
    in_both = _shared(forms, ("targets_x",), ("targets_y",))
    if in_both:
        raise InputError(
            f"{test.name}: {', '.join(map(repr, in_both))} in both targets_x and targets_y; "
            "remove it from one of the lists"
        )
    every = "every one of the {} lists needs words"
    whole = {LISTS: every.format("four"), LISTS[:3]: every.format("first three")}
    for name in needed:
        if not getattr(test, name):
            wanted = whole.get(tuple(needed), f"words are needed in {', '.join(needed)}")
            raise UndefinedScoreError(f"{test.name}/{name} is empty: {wanted}")


def check_coverage(
    where: str, lost: Sequence[str], asked: int, max_missing: float, *, found: str, missing: str, advice: str
) -> None:
    """Refuse a list that loses all its words, or a larger share than ``max_missing``; the error names them.

    ``found`` ends "none of its words …", ``missing`` follows the number of those lost, and ``advice`` says what
    would work, other than raising ``max_missing``.
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
    """Let an error about an undefined score say of which test, and which words were left out."""
    try:
        yield
    except UndefinedScoreError as error:
        lost = ", ".join(dict.fromkeys(s.item for s in skipped))
        raise UndefinedScoreError(f"{name}: {error}" + (f" (left out: {lost})" if lost else "")) from None


def derive_seed(name: str, seed: int) -> int:
    """A seed of the test's own, so that tests draw independently of each other and of which others run."""
    return int(
        np.random.SeedSequence((seed, zlib.crc32(name.encode(errors="surrogatepass")))).generate_state(
            1, np.uint64
        )[0]
    )


def caveats(
    name: str,
    forms: Forms,
    sizes: Mapping[str, int],
    *,
    itself: str = "with cosine 1 to itself",
    twice: str = "",
) -> list[str]:
    """What a reader must know of a test's lists, of which ``sizes`` words were found.

    ``itself`` says what it means that a word is both target and attribute, and ``twice`` that it is in both attribute
    lists, where it does not cancel out.
    """
    warnings = []
    equal = sizes["attributes_a"] == sizes["attributes_b"]
    cancelling = _shared(forms, ("attributes_a",), ("attributes_b",))
    if cancelling:
        how = "it cancels out" if equal else "it does not quite cancel out, because the lists differ in size"
        how = twice or f"where {how}"
        warnings.append(f"{name}: {', '.join(cancelling)} in both attribute lists, {how}")
    both_roles = _shared(forms, ("targets_x", "targets_y"), ("attributes_a", "attributes_b"))
    if both_roles:
        warnings.append(f"{name}: {', '.join(both_roles)} both target and attribute, {itself}")
    return warnings


def interval_notes(
    name: str,
    interval: Interval | None,
    words: Mapping[str, Collection[str]],
    ci: str,
    units: Sequence[str] = LISTS[:2],
) -> list[str]:
    """What a reader must know of a test's interval over these words of its lists; ``units`` are what is resampled."""
    sizes = {key: len(some) for key, some in words.items()}
    if interval is None:
        if max(sizes.values()) < 2:
            return [f"{name}: one word in every list, so there is no interval"]
        return [] if ci == "none" else [f"{name}: {NO_WIDTH}"]
    notes = []
    few = [n for n in units if sizes[n] < FEW_WORDS]
    if few:
        notes.append(f"{name}: fewer than {FEW_WORDS} words in {' and '.join(few)}, so the interval is rough")
    single = [n for n in LISTS if n not in units and sizes[n] == 1]
    if single:
        notes.append(f"{name}: one word in {' and '.join(single)}, whose choice the interval cannot reflect")
    if interval.note:
        notes.append(f"{name}: {interval.note}")
    if interval.n_undefined:
        notes.append(
            f"{name}: {interval.n_undefined} of {interval.n_resamples} bootstrap samples have no score and are "
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


@dataclass(frozen=True, slots=True)
class Found:
    """The words of a list that have a vector, in the order of their text, of so many asked for; and the others."""

    words: tuple[str, ...]
    vectors: NDArray[np.floating[Any]]  # shape (words, dimension)
    asked: int
    skipped: tuple[Skipped, ...]


def forms_of(model: Any, words: Sequence[str]) -> dict[str, str]:
    """What each word stands for: the word of the vocabulary, where the model says it, else the word itself, without
    capitals where the model has none."""
    resolve = getattr(model, "resolve", None)
    found = [None] * len(words) if resolve is None else resolve(list(words))
    fold = str.lower if getattr(model, "is_uncased", False) else str
    return {w: fold(f or w) for w, f in zip(words, found, strict=True)}


def each_once(
    given: Sequence[str], forms: Mapping[str, str], where: str, what: str
) -> tuple[list[str], list[Skipped]]:
    """The words of a list, of those that stand for the same the first; and the others, which have the same ``what``."""
    skipped: list[Skipped] = []
    first: dict[str, str] = {}
    for word in dict.fromkeys(given):
        kept = first.setdefault(forms[word], word)
        if kept != word:
            skipped.append(Skipped(word, f"the same {what} as {kept!r}, counted once", where))
        elif (times := given.count(word)) > 1:
            skipped.append(Skipped(word, f"given {times} times, counted once", where))
    return list(first.values()), skipped


def refuse_zero(where: str, words: Sequence[str], vectors: NDArray[Any]) -> None:
    """Refuse a word whose vector has no direction; the error names it."""
    for word, vector in zip(words, vectors, strict=True):
        if not np.any(vector):
            raise InputError(
                f"{where}: the vector of {word!r} is zero, so its cosine is undefined; remove the word"
            )


def look_up(
    model: WordEmbedder, given: Sequence[str], forms: Mapping[str, str], where: str, max_missing: float
) -> Found:
    """Look up the words of a list, each once: words with the same form are the same."""
    unique, skipped = each_once(given, forms, where, "vector")
    vectors, missing = model.embed_words(unique)
    lost = [unique[i] for i in missing]
    skipped.extend(Skipped(word, "not in the vocabulary", where) for word in lost)
    check_coverage(
        where,
        lost,
        len(unique),
        max_missing,
        found=f"is in the vocabulary of {model.name}",
        missing=f"are not in the vocabulary of {model.name}",
        advice="use other vectors or a case policy such as case='first_found'",
    )
    words = [w for w in unique if w not in set(lost)]
    refuse_zero(where, words, vectors)
    order = stable_order([forms[w] for w in words])
    return Found(tuple(words[i] for i in order), np.asarray(vectors)[order], len(unique), tuple(skipped))
