"""What methods on rows share: rows and scores as a caller gives them, checked, and numbers as a model gives them."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from ..data.instructions import PromptVariants, ProtocolName, refuse_to_ask
from ..data.schemas import TextsAsGiven, parse_row
from ..data.table_files import is_absent
from ..errors import DataError, InputError, ModelError, UndefinedScoreError, quoted
from ..models.base import Capability
from ..result import Estimate, Row, Skipped
from ..stats.proportions import ProportionInterval, clopper_pearson_interval
from ..text import row_place

if TYPE_CHECKING:
    from ..data.gender_stereotypes import StereotypeSentence
    from ..data.sentence_pairs import PronounPair, SentencePair
    from ..data.words import WsvWord
    from ..method import Finding

MANY_REPEATED = 0.02
"""Share of repeated rows from which on these are counted once."""
PLACEHOLDER = "(a score)"
"""Placeholder in a row for a sentence that has a precomputed score."""
GIVEN = "given by the caller"
"""How precomputed scores were made."""


_M = TypeVar("_M", bound=BaseModel)
_R = TypeVar("_R", "SentencePair", "PronounPair", "StereotypeSentence")
_Name = TypeVar("_Name")


def checked_rows(data: Any, method: str) -> list[Any]:
    """Return the rows of a data set as a list.

    Raises:
        InputError: the data are columns or text, not rows.
        UndefinedScoreError: no row.
    """
    if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
        raise InputError(
            f"{method} needs a list of rows, each a dict, got a {type(data).__name__}", option="data"
        )
    rows = list(data)
    if not rows:
        raise UndefinedScoreError(f"no data were given: {method} needs at least one row")
    return rows


def as_fields(row: Any, where: str) -> Mapping[str, Any]:
    """Return the fields of a row by name.

    Raises:
        DataError: the row is neither a mapping nor a row of a data set.
    """
    if isinstance(row, Mapping):
        return row
    if isinstance(row, TextsAsGiven):
        return {**row.model_dump(), **{name: row.as_given(name) for name in row.texts}}
    if isinstance(row, BaseModel):
        return row.model_dump()
    raise DataError(f"{where} must be a dict, got a {type(row).__name__}")


def statistic_label(rows: Iterable[WsvWord]) -> str:
    """Return what the numbers of words to evaluate are.

    Raises:
        InputError: they are of different kinds.
    """
    labels = dict.fromkeys(row.statistic_label for row in rows if row.statistic_label)
    if len(labels) > 1:
        raise InputError(
            f"the rows have statistics of different kinds: {', '.join(labels)}", hint="give one kind"
        )
    return next(iter(labels), "statistic")


def with_text_id(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the row with its id as text, if it has one.

    Raises:
        DataError: the id cannot be written as text.
    """
    if row.get("id") is None:
        return dict(row)
    try:
        return {**row, "id": str(row["id"])}
    except (ValueError, RecursionError):
        raise DataError(f"{where}: id must be text, got {quoted(row['id'])}") from None


def parsed_row(schema: type[_M], row: Any, place: int, where: str, **fields: Any) -> _M:
    """Return a row by its schema, named by its place if it has no id. ``fields`` are those that it may lack.

    Raises:
        DataError: the row does not follow the schema.
    """
    known = {k: v for k, v in with_text_id(as_fields(row, where), where).items() if not is_absent(v)}
    parsed = parse_row(schema, {**fields, "id": str(place), **known}, where)
    return parsed if parsed.id else parsed.model_copy(update={"id": str(place)})  # type: ignore[attr-defined]


def ready_texts(value: Any, method: str, where: str) -> list[str | None]:
    """Return the completions of a row.

    Raises:
        InputError: they are not a list of strings.
    """
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise InputError(f"{method}: completions of {where} must be a list of texts, got {quoted(value)}")
    texts = list(value)
    if odd := [text for text in texts if text is not None and not isinstance(text, str)]:
        raise InputError(f"{method}: a completion of {where} must be text, got {quoted(odd[0])}")
    return texts


class PrecomputedScores:
    """A model that looks up the scores that rows have instead of their texts.

    Attributes:
        raw_scores: of each row, what its columns have instead of a text.
        ids: names of the rows.
        method: the method that looks them up, for error messages.
        noun: what a row is.
    """

    name = "precomputed scores"
    warnings: tuple[str, ...] = ()
    capabilities = frozenset({Capability.SCORES_MASKED_TOKENS, Capability.SCORES_SEQUENCES})

    def __init__(
        self, raw_scores: Sequence[Mapping[str, Any]], ids: Sequence[str], method: str, noun: str = "pair"
    ) -> None:
        self.raw_scores, self.ids, self.method, self.noun = raw_scores, ids, method, noun

    def look_up(self, place: int, columns: Sequence[str]) -> tuple[float, ...]:
        """Return the scores of a row in these columns.

        Raises:
            InputError: one is missing, or not a finite number.
        """
        what, row = f"{self.noun} {quoted(self.ids[place])}", self.raw_scores[place]
        return tuple(finite_score(row.get(column), self.method, what, column) for column in columns)


def row_scores(
    model: Any, places: Sequence[int], columns: Sequence[str], score_rows: Callable[[], Sequence[Any]]
) -> Sequence[Any]:
    """Return the scores of the texts that rows have in some columns, or why a row has none.

    Scores of :class:`PrecomputedScores` are looked up. For any other model they are what ``score_rows`` returns.
    """
    if isinstance(model, PrecomputedScores):
        return [model.look_up(i, columns) for i in places]
    return score_rows()


def how_read(model: Any, how: str) -> str:
    """Return how scores were made, in words: ``how``, unless they are precomputed."""
    return GIVEN if isinstance(model, PrecomputedScores) else how


def row_keys(model: Any, rows: Sequence[BaseModel], places: Iterable[int]) -> list[Any]:
    """Return what makes rows the same, see :func:`find_repeats`: texts, or ids and scores of rows without texts."""
    if isinstance(model, PrecomputedScores):
        return [(rows[i].model_dump_json(), *map(str, model.raw_scores[i].items())) for i in places]
    return [rows[i] for i in places]


def parsed_pairs(
    rows: Sequence[Any],
    method: str,
    columns: Sequence[str],
    parse: Callable[[Any, str], _R],
    noun: str = "pair",
    model: Any = None,
) -> tuple[list[_R], Any]:
    """Every pair of sentences by the schema, named by its position if it has no id, and the model that scores them.

    That is ``model``, or :class:`PrecomputedScores` for rows that have scores.

    Args:
        columns: those that contain a sentence, or its score.
        parse: takes a row and what to call it.
        noun: what a row is.
        model: what scores the sentences of rows that have no scores.

    Raises:
        InputError: some rows have scores and others sentences, or there is a model besides scores.
        DataError: a row does not follow the schema.
    """
    ready = [isinstance(row, Mapping) and any(is_score(row.get(c)) for c in columns) for row in rows]
    check_one_kind(ready, method)
    pairs: list[_R] = []
    for i, row in enumerate(rows):
        where = row_place(i, len(rows), noun)
        if isinstance(row, Mapping):
            row = with_text_id(row, where)
            if ready[i]:
                row |= {c: PLACEHOLDER for c in columns if row.get(c) is not None}
        parsed = parse(row, where)
        pairs.append(parsed if parsed.id else parsed.model_copy(update={"id": str(i)}))
    if not any(ready):
        return pairs, model
    refuse_model(model, method)
    raw_scores = [{column: row.get(column) for column in columns} for row in rows]
    return pairs, PrecomputedScores(raw_scores, [pair.id for pair in pairs], method, noun)


def check_one_kind(ready: Sequence[bool], method: str) -> None:
    """Refuse rows of which some, and not all, have ready scores."""
    if any(ready) and not all(ready):
        odd = row_place(ready.index(False), len(ready))
        raise InputError(f"{method}: {odd} has sentences and others have scores", hint="give one kind only")


def refuse_model(model: Any, method: str, what: str = "scores") -> None:
    """Refuse a model together with precomputed scores, or with answers that replace them."""
    if model is not None:
        raise InputError(
            f"{method} was given both a model and ready {what}",
            option="model",
            hint=f"omit `model` to use the {what}",
        )


def hold_ready(
    method: str,
    tests: Sequence[Any],
    column: str,
    model: Any,
    protocol: ProtocolName,
    prompt_variants: PromptVariants,
) -> bool:
    """True if tests have in a column what a model would answer, which leaves nothing to ask.

    Raises:
        InputError: some do and others do not, or there is a model, a protocol or prompt variants besides.
    """
    lacking = [test.name for test in tests if not getattr(test, column)]
    if len(lacking) == len(tests):
        return False
    if lacking:
        raise InputError(
            f"{method}: {lacking[0]} has no {column} and others have some",
            hint=f"give {column} to all tests or to none",
        )
    refuse_model(model, method, column)
    refuse_to_ask(method, prompt_variants, protocol, f"no {column} in the data")
    return True


def is_score(value: Any) -> bool:
    """True if a value is a number (a boolean is not one)."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def finite_score(value: Any, method: str, what: str, column: str) -> float:
    """Return a score that replaces a sentence, when other rows have scores too.

    Raises:
        InputError: it is not a number, or not a finite one.
    """
    if not is_score(value):
        raise InputError(f"{method}: {what} has {quoted(value)} in {column}, while others have a score")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{method}: the score of {what} in {column} is {number}", hint="omit it")
    return number


def finite(model: Any, values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers that a model gave, or refuse them. The library's own models have checked theirs.

    Raises:
        ModelError: one is NaN or infinite.
    """
    if not np.isfinite(values).all():
        raise ModelError(
            f"{getattr(model, 'name', 'the model')} returns NaN or infinite numbers, which no score can be made of"
        )
    return values


def score_readings(
    model: Any,
    readings: Sequence[Sequence[Any] | str],
    ask: Callable[[list[Any]], Iterable[NDArray[Any]]],
    reduce: Callable[[NDArray[Any]], Any],
) -> list[tuple[float, ...] | str]:
    """Return the scores of the texts of every row, all asked for in one run, or why a row has none.

    Args:
        model: the model that is asked.
        readings: for each row what is asked about its texts, one by one, or why it has no score.
        ask: returns the numbers of each text.
        reduce: turns the numbers of a text into its score.

    Raises:
        ModelError: a score is NaN or infinite.

    Examples:
        >>> score_readings(None, [["ab", "abc"], "the text is empty"], lambda texts: map(len, texts), float)
        [(2.0, 3.0), 'the text is empty']
    """
    texts = [text for row in readings if not isinstance(row, str) for text in row]
    values = [reduce(numbers) for numbers in ask(texts)] if texts else []
    scores = iter(finite(model, np.array(values, dtype=np.float64)).tolist())
    return [row if isinstance(row, str) else tuple(next(scores) for _ in row) for row in readings]


def none_of(n: int, n_clusters: int, what: str) -> str:
    """Return that none of n answers is something, with how often it could happen, for ``NOTHING_TO_TEST``.

    The bound is the upper end of Clopper and Pearson's interval of so many clusters.

    Examples:
        >>> none_of(220, 220, "answers name a person")
        '0 of 220 answers name a person; 95% upper bound 1.7%'
    """
    return f"0 of {n:,} {what}; 95% upper bound {clopper_pearson_interval(0, n_clusters).high:.1%}"


def places_of(names: Iterable[_Name]) -> dict[_Name, list[int]]:
    """Return the places of every name, in the order in which the names come first.

    Examples:
        >>> places_of(["age", "race", "age"])
        {'age': [0, 2], 'race': [1]}
    """
    places: defaultdict[_Name, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        places[name].append(place)
    return dict(places)


def numbered(names: Iterable[Any]) -> NDArray[np.int64]:
    """Names by their number, in the order in which they come first.

    Examples:
        >>> numbered(["age", "race", "age"])
        array([0, 1, 0])
    """
    number: dict[Any, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.int64)


class Repeats(NamedTuple):
    """Rows that are the same as another one, which say nothing new.

    Attributes:
        kinds: number of the kind of each row, shape (rows,). Each row is of its own kind if fewer than 2% of the rows
            repeat another.
        first: place of the first row of each kind, shape (kinds,).
        weights: number of rows of each kind.
        details: how many rows repeat another, if some do.
        warnings: the same in words, from 2% on.
    """

    kinds: NDArray[np.intp]
    first: NDArray[np.intp]
    weights: NDArray[np.float64]
    details: dict[str, int]
    warnings: list[str]

    def named_in(self, finding: Finding) -> Finding:
        """Return a finding that says how many rows repeat another one."""
        return replace(
            finding,
            details={**finding.details, **self.details},
            warnings=[*finding.warnings, *self.warnings],
        )


def find_repeats(keys: Sequence[Any], noun: str, clusters: str = "") -> Repeats:
    """Find the rows that repeat another one. From 2% on, interval and p-value count each kind of row once.

    Args:
        keys: what makes two rows the same: their texts, and whatever the row says of them. Rows of a schema are the
            same if all but their ids is.
        noun: what the rows are called.
        clusters: what the interval and the p-value are over, in words, if rows that are the same lie in one
            cluster anyway.

    Examples:
        >>> repeats = find_repeats(["she left", "he left", "she left"], "pairs")
        >>> repeats.kinds.tolist(), repeats.details
        ([0, 1, 0], {'n_repeated': 1})
    """
    kinds = numbered(
        key.model_dump_json(exclude={"id"}) if isinstance(key, BaseModel) else key for key in keys
    )
    n, n_kinds = len(kinds), len(set(kinds.tolist()))
    n_repeated, warnings = n - n_kinds, []
    if n_repeated < MANY_REPEATED * n or not n_repeated:
        kinds = np.arange(n)
    else:
        so = (
            f"over {clusters}, to which a repeated one adds nothing"
            if clusters
            else f"over the {n_kinds} different {noun}, each weighted by how often it is there"
        )
        repeat = f"{n_repeated:,} of {n:,} {noun} {'repeats' if n_repeated == 1 else 'repeat'} another one"
        warnings = [f"{repeat}, so the interval and the p-value are {so}"]
    _, first, sizes = np.unique(kinds, return_index=True, return_counts=True)
    details = {"n_repeated": n_repeated} if n_repeated else {}
    return Repeats(kinds, first, sizes.astype(np.float64), details, warnings)


def percent(share: ProportionInterval, p: float | None = None) -> Estimate:
    """Return a share with its interval, in percent."""
    return Estimate(100.0 * share.estimate, 100.0 * share.low, 100.0 * share.high, p)


def digest(texts: Iterable[str]) -> str:
    """Return a short hash of texts in any order, empty if none exist."""
    joined = "\0".join(sorted(texts)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:12] if joined else ""


def item_content(texts: Iterable[str | None]) -> dict[str, str]:
    """Return what identifies an item by its texts in this order: ``{"sentences": a short hash}``.

    It is empty if no text exists or scores replace texts.
    """
    known = [text or "" for text in texts]
    return {"sentences": digest(["\n".join(known)])} if any(known) and PLACEHOLDER not in known else {}


def tail_facts(test: Any) -> dict[str, Any]:
    """Return the p-value of a test and its Monte Carlo error, by the names that a finding and a row have for them."""
    return {"p_value": test.p_value, "p_error": test.p_error}


def without_repeated(facts: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a row, which says how it was measured if that is not how the whole result was."""
    same = [name for name in ("ci_method", "p_method") if facts[name] == whole[name]]
    return {**facts, **dict.fromkeys(same, "")}


def group_rows(
    groups: Iterable[tuple[str, Mapping[str, str], Sequence[int]]],
    scored: Sequence[int] | NDArray[Any],
    facts: Callable[[list[int]], dict[str, Any]],
    whole: Mapping[str, Any],
) -> tuple[list[Row], list[Skipped]]:
    """Return the rows of groups that have a score, and why others have none.

    Args:
        groups: name, labels and items of each.
        scored: the items that have a score. A group without any of them has no row.
        facts: what is said of items, by the names that a row has for it.
        whole: what is said of the whole result.
    """
    known, rows, skipped = set(np.asarray(scored).tolist()), [], []
    for name, labels, items in groups:
        if not (members := sorted(known.intersection(items))):
            continue
        try:
            row = without_repeated(facts(members), whole)
        except UndefinedScoreError as error:
            label = " ".join((name, *(f"({text or 'overall'})" for text in labels.values())))
            skipped.append(Skipped(label, str(error), "groups"))
            continue
        row.pop("skipped", None)
        rows.append(Row(name=name, kind="group", labels=labels, **row))
    return rows, skipped


def nothing_left(sentence: str, skipped: Sequence[Skipped]) -> UndefinedScoreError:
    """Return the error that nothing can be scored, with the reason for the first that is omitted."""
    return UndefinedScoreError(f"{sentence}. The first, {quoted(skipped[0].item)}: {skipped[0].reason}")
