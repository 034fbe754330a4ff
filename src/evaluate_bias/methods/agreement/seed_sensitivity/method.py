"""How much does a score depend on its words or items? Parts of them are measured, and all but each one."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .... import stats
from ....data.word_lists import WORD_LISTS, WordListTest
from ....errors import BiasError, CoverageError, DataError, InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....method_record import MethodRecord
from ....models.base import WrappedModel
from ....options import Level, Seed, Share, Subsets
from ....result import Coverage, Estimate, Result, Row, Skipped
from ....stats import item_streams
from ....text import row_place, stable_order
from ...measured import MeasuredMethod, warnings_of_parts
from ...rows import as_fields, checked_rows
from .record import RECORD

_PER_ITEM = (
    "answer_scores",
    "attended_logprobs",
    "complete",
    "embed_in_context",
    "encode",
    "encode_pairs",
    "inference_probabilities",
    "mask_distributions",
    "masked_logprobs",
    "pseudo_logprobs",
    "reply",
    "sequence_logprobs",
    "token_logprobs",
)
"""Doors of a model that answer item by item."""

_BESIDE: Mapping[str, tuple[int | str, ...]] = {
    "embed_in_context": (0, "spans"),
    "pseudo_logprobs": (0, "positions"),
}
"""Which of their further arguments, by place or name, may contain a value for each item."""

_WHOLE = ("cooccurrences", "encode_continuations", "next_sentence_logprobs")
"""Doors whose answers belong to a whole call."""

_MOST_LEFT_OUT = 200
"""Number of rows up to which each is removed once. From a list of words, each is always removed once."""

_ALPHA = 0.05
_QUICK: Mapping[str, Any] = {"ci": "none", "ci_resamples": 99, "n_resamples": 999}
"""Default options of the measured method: the intervals of the parts are never read."""

_MOST_COUNTED = 12
"""Length of a list up to which permutations are counted if a method can. Counting them for longer lists
needs seconds, and there are hundreds of parts.
"""

_MOST_UNDEFINED = 0.5
_MOST_NAMED = 10
_LABELS = {k: f"{k}_label" for k in "xyab"} | {k: k for k in ("title", "language", "bias_type", "origin")}
"""Labels of a row, by the fields of a test."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """What is used of one measurement: score s, its ideal value, its range, and the p-value if there is one."""

    score: float
    ideal: float
    score_range: tuple[float | None, float | None]
    p_value: float | None

    @property
    def side(self) -> int:
        return int(np.sign(self.score - self.ideal))

    @property
    def significant(self) -> bool:
        return self.p_value is not None and self.p_value < _ALPHA

    @property
    def criterion(self) -> str:
        """What is concluded from such a score."""
        if self.p_value is not None:
            return "whether p is below 5%, and if so the side of the ideal value"
        if self._at_edge:
            return "between half and twice the distance from the ideal value"
        return "the side of the ideal"

    @property
    def _at_edge(self) -> bool:
        return self.ideal in self.score_range

    def agrees(self, other: _Measured) -> bool:
        """True if the same is concluded from another score as from this one."""
        if self.p_value is not None:
            same = self.significant == other.significant
            return same and (not self.significant or self.side == other.side)
        if self._at_edge:
            return 0.5 <= (other.score - other.ideal) / (self.score - self.ideal) <= 2.0
        return self.side == other.side


@method(RECORD)
def evaluate(
    model: Any,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    measured_method: str = "weat",
    measured_options: Mapping[str, Any] | None = None,
    kept_share: Share = 0.8,
    n_subsets: Subsets = 200,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Measure subsets of the words of a test, and the words without each single one.

    Each subset keeps a share of every list, drawn without replacement. Pairs stay together if the measured
    method pairs its targets, and lists of one or two words stay whole. The score is the share of the subsets
    from which the same is concluded as from all words: whether the p-value is below 5%, and, if it is, on
    which side of the ideal value the score lies. If the measured method has no p-value it is the side alone,
    and if its score can only lie on one side, whether its distance from the ideal value is between half and
    twice the distance of all words. With several tests the score is the mean of theirs. A method on other
    data than word lists is measured on subsets of its rows.

    The model is asked for every word, or sentence, once.

    Args:
        model: a model that the measured method accepts.
        tests: rows of the measured method, for most methods on words word-list tests.
        measured_method: the method that is measured.
        measured_options: its options, by name. Of those that are not given, the ones that concern its
            interval are set to be quick, and what it samples is sampled 999 times: p-values too if a list has
            more than 12 words.
        kept_share: share of each list that a subset keeps, above 0 and below 1.
        n_subsets: number of subsets of every test.
        confidence_level: confidence level of the interval, and share of the subsets whose scores the range of
            ``measured_score`` contains.
        seed: of the subsets, and of the measured method.

    Returns:
        Share in [0, 1], ideal 1, higher is more robust. Its interval is about the subsets that were drawn, of all that
        could be. ``n`` is the number of words, or rows. Every test has ``measured_score`` with the range of the
        subsets' scores, ``sd``, ``side_flips``, ``verdict_flips`` and ``largest_change`` among its estimates, and in
        its ``details`` the scores of the subsets, ``standard_error`` (by the delete-d jackknife) and
        ``influential``: the words whose absence changes the score most. Items are the words omitted, one at a
        time.

    Raises:
        CapabilityError: the model cannot be measured with that method.
        InputError: the measured method measures a measurement, an option is out of range, or the tests are not its
            rows.
        UndefinedScoreError: no list has three words, or most subsets have no score.
        UnknownNameError: no such method.
        BiasError: what the measured method raises for all words.

    References:
        Antoniak and Mimno (2021): Bad Seeds: Evaluating Lexical Methods for Bias Measurement. ACL-IJCNLP 2021.
        Shao and Wu (1989): A general theory for jackknife variance estimation. Annals of Statistics.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "lily": [0.8, 0.1], "ant": [0.0, 1.0],
        ...            "wasp": [0.2, 0.9], "moth": [0.1, 0.7], "good": [1.0, 0.2], "bad": [0.1, 1.0]}
        >>> result = evaluate(load_model(vectors), [{"name": "toy", "targets_x": ["poppy", "rose", "lily"],
        ...                   "targets_y": ["ant", "wasp", "moth"], "attributes_a": ["good"],
        ...                   "attributes_b": ["bad"]}], measured_method="mac", n_subsets=20)
        >>> result.score, round(result.estimates["measured_score"].value, 3)
        (1.0, 0.382)
    """
    measure = MeasuredMethod.of(
        RememberingModel(model), measured_method, measured_options, _refuse, **_QUICK, seed=seed
    )
    rows = checked_rows(tests, RECORD.name)
    record = measure.record
    takes_lists = record.data.name in ("word_lists", "occupation_test")
    if getattr(tests, "kind", "") == "test" and not takes_lists:
        raise InputError(
            f"{record.name} needs rows, not word lists",
            option="data",
            hint=f"give rows of {record.dataset or 'your own'} as `data`",
        )
    tests_or_rows = wholes(record, rows)
    several = len(tests_or_rows) > 1
    option = record.options().get("p_method")
    can_sample = option is not None and "monte_carlo" in option.choices
    part_rows, items, skipped, warnings = list[Row](), list[Row](), list[Skipped](), list[str]()
    n_agreeing = n_parts = 0
    for whole in tests_or_rows:
        called = f"{whole.name}: " if whole.name else ""
        # P-values of long lists are sampled, unless something else is asked for.
        long = whole.row is not None and max(len(s.units) for s in whole.strata) > _MOST_COUNTED
        result_of = (measure.with_options(p_method="monte_carlo") if long and can_sample else measure).result
        first = result_of(whole.data())
        lost = {(s.where.rpartition("/")[2], s.item) for s in first.skipped}
        whole = without(whole, lost)
        everything = _read(result_of(whole.data())) if lost else _read(first)
        if not whole.can_lose(kept_share):
            raise UndefinedScoreError(
                f"{called}no list has three words, or there are fewer than three rows, so nothing can be removed"
            )
        if everything.score == everything.ideal and everything.p_value is None:
            raise UndefinedScoreError(
                f"{called}the score of all words is exactly its ideal value: it has no side, and no subset can keep it"
            )
        skipped += first.skipped
        results: list[Result] = []
        undefined: list[BiasError] = []
        for chosen_units in whole.parts(kept_share, n_subsets, seed):
            try:
                results.append(result_of(whole.data(chosen_units)))
            except (UndefinedScoreError, CoverageError) as error:
                undefined.append(error)
        parts = [_read(result) for result in results]
        if len(undefined) > _MOST_UNDEFINED * n_subsets or len(parts) < 2:
            raise UndefinedScoreError(
                f"{called}{len(undefined)} of {n_subsets} subsets have no score: {quoted(str(undefined[0]), 200)}"
            ) from undefined[0]
        if undefined:
            reason = f"no score: {quoted(str(undefined[0]), 200)}"
            skipped.append(Skipped(f"{len(undefined)} of {n_subsets} subsets", reason, whole.name))
        changes: list[dict[str, Any]] = []
        for of, unit, rest in whole.without_each() if whole.left_out_singly else ():
            try:
                results.append(result_of(whole.data(rest)))
            except BiasError as error:
                skipped.append(Skipped(unit, f"no score without it: {quoted(str(error), 200)}", of))
                continue
            single = _read(results[-1])
            change = single.score - everything.score
            changes.append({"left_out": unit, "in": of, "change": change, "score": single.score})
            items.append(
                Row(
                    name=f"{whole.name}/{of}: {unit}" if several else f"{of}: {unit}",
                    kind="item",
                    details={
                        "score_without": single.score,
                        "change": change,
                        "p_without": single.p_value,
                        "same_conclusion": everything.agrees(single),
                    },
                )
            )
        changes.sort(key=lambda entry: -abs(entry["change"]))
        warnings += warnings_of_parts(first, results, "subset")
        if not whole.left_out_singly:
            warnings.append(
                f"there are {whole.n} rows, and no single one was removed: only up to 200 are, one at a time"
            )
        agreeing = sum(everything.agrees(part) for part in parts)
        n_agreeing, n_parts = n_agreeing + agreeing, n_parts + len(parts)
        scores = np.array([part.score for part in parts])
        ends = np.quantile(scores, [(1 - confidence_level) / 2, (1 + confidence_level) / 2]).tolist()
        estimates = {
            "measured_score": Estimate(everything.score, *ends),
            "sd": Estimate(float(scores.std(ddof=1))),
            "side_flips": Estimate(float(np.mean([part.side != everything.side for part in parts]))),
        }
        if everything.p_value is not None:
            flips = [part.significant != everything.significant for part in parts]
            estimates["verdict_flips"] = Estimate(float(np.mean(flips)))
        if changes:
            estimates["largest_change"] = Estimate(abs(changes[0]["change"]))
        # A part keeps a share f of the units: se² = f / (1 − f) · mean (s_part − mean s_part)² (Shao and Wu 1989).
        f = sum(s.n_kept(kept_share) for s in whole.strata) / whole.n
        interval = stats.wilson_interval(agreeing, len(parts), confidence_level)
        part_rows.append(
            Row(
                name=whole.name or "rows",
                kind="test",
                score=agreeing / len(parts),
                ci_low=interval.low,
                ci_high=interval.high,
                n=whole.n,
                coverage=first.coverage,
                labels={k: str(v) for k, c in _LABELS.items() if (v := (whole.row or {}).get(c))},
                estimates=estimates,
                details={
                    "criterion": everything.criterion,
                    "measured_p_value": everything.p_value,
                    "lowest": float(scores.min()),
                    "highest": float(scores.max()),
                    "standard_error": float(np.sqrt(f / (1 - f)) * scores.std()),
                    "influential": changes[:_MOST_NAMED],
                    "scores": scores.tolist(),
                },
            )
        )
    share = float(np.mean([row.score for row in part_rows]))
    interval = stats.wilson_interval(n_agreeing, n_parts, confidence_level)
    coverages = [row.coverage for row in part_rows if row.coverage is not None]
    return Finding(
        score=share,
        n=sum(row.n or 0 for row in part_rows),
        ci_low=min(interval.low, share),
        ci_high=max(interval.high, share),
        ci_method="Wilson interval over the subsets that were drawn",
        coverage=Coverage(sum(one.found for one in coverages), sum(one.asked for one in coverages)),
        rows=[*(part_rows if tests_or_rows[0].row is not None else ()), *items],
        skipped=skipped,
        warnings=list(dict.fromkeys(warnings)),
        estimates={} if several else part_rows[0].estimates,
        details={} if several else part_rows[0].details,
        settings={"measured_method": record.name, "measured_options": measure.options},
    )


def _refuse(record: MethodRecord) -> None:
    if record.robustness is not None:
        raise InputError(
            f"{record.name} measures a measurement itself, and {RECORD.name} needs a method that measures "
            "a model",
            option="method",
        )


def _read(result: Result) -> _Measured:
    tests = result.rows_of("test")
    row = tests[0] if len(tests) == 1 and tests[0].score is not None else result.overall
    assert row.score is not None
    ideal = result.reference if row.reference is None else row.reference
    return _Measured(row.score, ideal, row.score_range or result.score_range, row.p_value)


@dataclass(frozen=True, slots=True)
class Stratum:
    """A list of words, pairs of them, or the rows: what parts are drawn from.

    Attributes:
        name: the column, the columns of the pairs, or ``rows``.
        units: what is drawn, in the order of its text.
        labels: what each is called.
        keys: the text that decides what is drawn.
    """

    name: str
    units: tuple[Any, ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...]

    @classmethod
    def of(cls, name: str, units: Sequence[Any]) -> Stratum:
        """In the order of their text, so that units given in another order make the same parts."""
        keys = [_key(u) for u in units]
        order = stable_order(keys)
        labels = tuple(_label(units[i], i) for i in order)
        return cls(name, tuple(units[i] for i in order), labels, tuple(keys[i] for i in order))

    def n_kept(self, share: float) -> int:
        """Return how many a part keeps: all of fewer than three, else two or more and never all."""
        n = len(self.units)
        return n if n < 3 else min(n - 1, max(2, round(share * n)))

    def draws(self, share: float, count: int, seed: int) -> Iterator[list[int]]:
        """The units of so many parts, drawn without replacement from a stream that only the units decide."""
        ((order, rng),) = item_streams([self.keys], seed)
        for _ in range(count):
            yield order[rng.permutation(len(self.units))[: self.n_kept(share)]].tolist()


def _key(unit: Any) -> str:
    """Return the text of a unit, the same whichever word of a pair, or column of a row, comes first."""
    if isinstance(unit, tuple):
        return " / ".join(sorted(map(str, unit)))
    return str(sorted(unit.items()) if isinstance(unit, Mapping) else unit)


def _label(unit: Any, place: int) -> str:
    if isinstance(unit, tuple):
        return " / ".join(map(str, unit))
    return unit if isinstance(unit, str) else str(as_fields(unit, f"row {place}").get("id") or f"row {place}")


@dataclass(frozen=True, slots=True)
class Whole:
    """One test, or all rows, of which parts are measured.

    Attributes:
        name: of the test, empty for rows.
        strata: what is drawn from.
        row: the test, ``None`` for rows.
    """

    name: str
    strata: tuple[Stratum, ...]
    row: Mapping[str, Any] | None = None

    @property
    def n(self) -> int:
        """Number of units."""
        return sum(len(s.units) for s in self.strata)

    @property
    def left_out_singly(self) -> bool:
        """True if each unit is omitted once. For thousands of rows this would need as many measurements."""
        return self.row is not None or self.n <= _MOST_LEFT_OUT

    def can_lose(self, share: float) -> bool:
        """True if a part is less than the whole."""
        return any(s.n_kept(share) < len(s.units) for s in self.strata)

    def data(self, parts: Sequence[Iterable[int]] | None = None) -> list[Any]:
        """Return the rows that contain these units of every stratum, all if none are given."""
        places = parts or [range(len(s.units)) for s in self.strata]
        chosen = [[s.units[i] for i in sorted(part)] for s, part in zip(self.strata, places, strict=True)]
        if self.row is None:
            return chosen[0]
        lists: dict[str, list[str]] = {}
        for stratum, units in zip(self.strata, chosen, strict=True):
            columns = stratum.name.split(" and ")
            for place, column in enumerate(columns):
                lists[column] = [u[place] for u in units] if len(columns) > 1 else units
        absent = {w for c in lists for w in self.row[c]} - {w for words in lists.values() for w in words}
        # What says of some of the words what they are, such as which are plural, says it of those that are left.
        others = {
            c: [w for w in v if w not in absent] for c, v in self.row.items() if isinstance(v, (list, tuple))
        }
        return [{**self.row, **others, **lists}]

    def parts(self, share: float, count: int, seed: int) -> Iterator[tuple[list[int], ...]]:
        """Random parts: of every stratum as many units as it keeps."""
        return zip(*(s.draws(share, count, seed) for s in self.strata), strict=True)

    def without_each(self) -> Iterator[tuple[str, str, list[list[int]]]]:
        """Every unit of a stratum with more than one: its stratum, what it is called, and the units without it."""
        everything = [list(range(len(s.units))) for s in self.strata]
        for at, stratum in enumerate(self.strata):
            for place in range(len(stratum.units)) if len(stratum.units) > 1 else ():
                rest = [[i for i in part if (k, i) != (at, place)] for k, part in enumerate(everything)]
                yield stratum.name, stratum.labels[place], rest


def wholes(record: MethodRecord, rows: Sequence[Any]) -> list[Whole]:
    """Return the tests of a method on word lists, each with its lists. For any other method, return all its rows
    together.

    Raises:
        DataError: a row is neither a mapping nor a row of a data set, or lacks a list of words that it needs.
    """
    columns = [c for c in WORD_LISTS if c in (*record.columns, *record.optional_columns)]
    if not columns:
        return [Whole("", (Stratum.of("rows", rows),))]
    tests = []
    for place, row in enumerate(rows):
        fields = {k: v for k, v in as_fields(row, row_place(place, len(rows))).items() if v is not None}
        tests.append(Whole(str(fields.get("name", "")), _strata(record, fields, columns), fields))
    return tests


def without(whole: Whole, lost: Collection[tuple[str, str]]) -> Whole:
    """Return the test without words, each given with its list, that cannot be measured."""
    if whole.row is None or not lost:
        return whole
    strata = []
    for stratum in whole.strata:
        where = "targets" if " and " in stratum.name else stratum.name  # as pairs are listed
        units = zip(stratum.units, stratum.labels, strict=True)
        strata.append(Stratum.of(stratum.name, [u for u, label in units if (where, label) not in lost]))
    return replace(whole, strata=tuple(strata))


def _strata(record: MethodRecord, row: Mapping[str, Any], columns: Sequence[str]) -> tuple[Stratum, ...]:
    lists: dict[str, list[str]] = {}
    for column in columns:
        words = () if row.get(column) is None else row[column]
        if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
            raise DataError(f"{column} must be a list of words, got {quoted(words)}")
        lists[column] = list(words)
    strata = []
    if record.paired:
        x, y = columns[:2]
        if len(lists[x]) == len(lists[y]):
            pairs = list(dict.fromkeys(zip(lists.pop(x), lists.pop(y), strict=True)))
            strata.append(Stratum.of(f"{x} and {y}", pairs))
    strata += [Stratum.of(c, list(dict.fromkeys(words))) for c, words in lists.items() if words]
    return tuple(strata)


class RememberingModel(WrappedModel):
    """A model that keeps what it has answered. What it can do stays what it was.

    Examples:
        >>> class Vectors:
        ...     name = "v"
        ...     def embed_words(self, words):
        ...         print(words)
        ...         return np.ones((len(words), 2)), []
        >>> model = RememberingModel(Vectors())
        >>> [len(model.embed_words(words)[0]) for words in (["a", "b"], ["b"], ["b", "c"])]
        ['a', 'b']
        ['c']
        [2, 1, 2]
    """

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._kept: dict[Hashable, Any] = {}

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if name == "embed_words":
            return self._embed_words
        if name in _PER_ITEM:
            return partial(self._ask_by_item, name, value)
        return partial(self._ask_once, name, value) if name in _WHOLE else value

    def provenance(self) -> Mapping[str, Any]:
        """Return the model's own provenance."""
        facts: Mapping[str, Any] = self._ask_once("provenance", self._model.provenance)
        return facts

    def _embed_words(self, words: Sequence[str]) -> tuple[Any, list[int]]:
        new = [w for w in dict.fromkeys(words) if ("word", w) not in self._kept]
        if new or not words:
            vectors, missing = self._model.embed_words(new)
            lost = set(missing)
            self._kept["dimension"] = np.asarray(vectors)[:0]
            rows = iter(vectors)
            for place, word in enumerate(new):
                self._kept["word", word] = None if place in lost else next(rows)
        rows_of_words = [self._kept["word", w] for w in words]
        known_vectors = [v for v in rows_of_words if v is not None]
        return np.stack(known_vectors) if known_vectors else self._kept["dimension"], [
            i for i, v in enumerate(rows_of_words) if v is None
        ]

    def _ask_by_item(self, name: str, method: Any, items: Sequence[Any], /, *args: Any, **kwargs: Any) -> Any:
        # An argument with a value for each item goes along with its item. Any other is the same for all.
        arguments: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        beside = {
            k: arguments[k] for k in _BESIDE.get(name, ()) if k in arguments and _listed(arguments[k], items)
        }
        rest = {k: None if k in beside else v for k, v in arguments.items()}
        keys = [
            _request_key((name, item, [v[i] for v in beside.values()], rest)) for i, item in enumerate(items)
        ]
        new = {key: i for i, key in reversed(list(enumerate(keys))) if key not in self._kept}
        if new or not len(items):
            at = sorted(new.values())
            chosen = {k: [v[i] for i in at] if k in beside else v for k, v in arguments.items()}
            in_order, keywords = [chosen[k] for k in range(len(args))], {k: chosen[k] for k in kwargs}
            answers = method([items[i] for i in at], *in_order, **keywords)
            self._kept |= {keys[i]: answer for i, answer in zip(at, answers, strict=True)}
        return [self._kept[key] for key in keys]

    def _ask_once(self, name: str, method: Any, /, *args: Any, **kwargs: Any) -> Any:
        key = _request_key((name, args, kwargs))
        if key not in self._kept:
            self._kept[key] = method(*args, **kwargs)
        return self._kept[key]


def _request_key(value: Any) -> Hashable:
    """Return the same key for two values that ask the same."""
    if isinstance(value, Mapping):
        return tuple((_request_key(k), _request_key(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(_request_key, value))
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    return value if value.__hash__ is not None else repr(value)


def _listed(value: Any, items: Sequence[Any]) -> bool:
    return not isinstance(value, str) and isinstance(value, Sequence) and len(value) == len(items)
