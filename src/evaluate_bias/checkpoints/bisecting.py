"""Measure the checkpoints of a training run, as few as are needed to say where a score changed."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from .. import stats
from ..errors import InputError, MeasurementError, quoted
from ..experiments.config import GridConfig
from ..experiments.plan import make_plan
from ..experiments.run import run_grid
from ..experiments.store import Store
from ..files import is_there
from ..report.compare import Change, Comparison, compare_results
from ..report.lines import ALPHA
from ..result import Result
from .bisection import Bisection, Curve, Point, Step

_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_KINDS = ("overall", "test")
_GIVE = "give the folder of a training run that kept two checkpoints or more, or the models one by one"

Interval = tuple[int, int]
Score = tuple[str, str, str]
"""Method, kind and name of a row."""
_Key = TypeVar("_Key")


def bisect(
    run: str | Path | Sequence[str | Path],
    methods: str | Sequence[str | Mapping[str, Any]],
    *,
    out: str | Path | None = None,
    data: Sequence[str | Mapping[str, Any]] = (),
    every: bool = False,
    level: float = 0.95,
    seed: int = 0,
    on_checkpoint: Callable[[str], None] | None = None,
) -> Bisection:
    """Find between which checkpoints of a training run a score changed.

    The first and the last checkpoint are measured and compared by the paired tests of
    :func:`evaluate_bias.report.compare.compare`. Where they differ, the one in the middle is measured, each half is
    tested, and so on in the halves that hold a change. With ``every`` all are measured, and all neighbours compared.

    The p-values of single steps are adjusted by Holm for all steps of the run (with ``every`` also the step from the
    first to the last checkpoint) and all scores of a method; steps that the search did not reach count as tests
    that found nothing. One of w steps among m is multiplied by m / w (Meinshausen 2008). So a run without any change is
    said to have one in at most 5 % of cases for each method.
    A change that comes and goes between the first and the last checkpoint is found with ``every`` only.

    Args:
        run: folder with ``checkpoint-N`` folders, as ``transformers.Trainer`` writes them, or models in the order of
            training; ``NAME@REVISION`` is on the Hub.
        methods: names, or entries of a grid such as ``{"method": "weat", "options": {"tests": ["weat7"]}}``.
        out: folder of the store, so that nothing is measured twice; by default nothing is kept.
        data: data sets in place of the methods' own, as in a grid.
        every: measure every checkpoint.
        level: level of the intervals.
        seed: seed of everything random.
        on_checkpoint: called with the name of each checkpoint before it is measured.

    Raises:
        InputError: fewer than two checkpoints, two of one name, or no such method.
        MeasurementError: the first or the last checkpoint cannot be measured.
        OutputError: the folder cannot be written.

    References:
        Holm (1979). Meinshausen (2008), Hierarchical testing of variable importance, Biometrika 95.

    Examples:
        >>> import tempfile
        >>> words = {"good": "1 0", "bad": "0 1"} | {w: f"1 0.{k}" for k, w in enumerate("abcdef")}
        >>> test = '{"name": "toy", "targets_x": ["a", "b", "c"], "targets_y": ["d", "e", "f"], "attributes_a": '
        >>> test += '["good"], "attributes_b": ["bad"]}'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = [Path(folder, f"{k}.txt") for k in range(3)]
        ...     for file in files:
        ...         _ = file.write_text("".join(f"{w} {v}\\n" for w, v in words.items()))
        ...     _ = Path(folder, "toy.jsonl").write_text(test)
        ...     found = bisect(files, "weat", data=[f"{folder}/toy.jsonl"])
        >>> found.measured, found.sentences[0]
        ((0, 2), 'Word Embedding Association Test (WEAT), toy: no change was found (first to last p = 1).')
    """
    models = checkpoints_of(run)
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, not {quoted(level)}")
    entries = [methods] if isinstance(methods, str) else list(methods)
    with contextlib.ExitStack() as held:
        folder = Path(out or held.enter_context(tempfile.TemporaryDirectory(prefix="evaluate-bias-")))
        tell = on_checkpoint or (lambda name: None)
        search = _Search(models, entries, list(data), folder, level, seed, tell)
        search.at_all() if every else search.where_needed()
    return search.found(every)


def checkpoints_of(run: str | Path | Sequence[str | Path]) -> list[dict[str, Any]]:
    """Return the checkpoints of a run as models of a grid, in the order of training.

    Raises:
        InputError: there are fewer than two, or two of one name.

    Examples:
        >>> [entry["name"] for entry in checkpoints_of(["org/model@step1", "org/model@step2"])]
        ['org/model@step1', 'org/model@step2']
    """
    if isinstance(run, (str, Path)):
        folder = Path(run).expanduser()
        if not is_there(folder):
            raise InputError(f"there is no folder {quoted(str(run))}; {_GIVE}")
        found = ((_CHECKPOINT.fullmatch(path.name), path) for path in folder.glob("checkpoint-*"))
        folders = sorted((int(name[1]), path) for name, path in found if name and path.is_dir())
        models = [str(path.resolve()) for _, path in folders]
        if len(models) < 2:
            raise InputError(f"{quoted(str(run))} has {len(models)} folders called checkpoint-N; {_GIVE}")
    else:
        models = [str(entry) for entry in run]
        if len(models) < 2:
            raise InputError(f"a run has two checkpoints or more, and {len(models)} were given")
    entries = [_entry(text) for text in models]
    names = [entry["name"] for entry in entries]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two checkpoints are called {quoted(twice)}: rename one")
    return entries


def _entry(text: str) -> dict[str, Any]:
    path = Path(text).expanduser()
    if is_there(path):
        return {"model": str(path.resolve()), "name": path.resolve().name}
    name, at, revision = text.rpartition("@")
    asked = {"model": name, "options": {"revision": revision}} if at else {"model": text}
    return {**asked, "name": text}


@dataclass
class _IntervalTests:
    """The scores of an interval of checkpoints and what their tests said."""

    changes: dict[Score, Change]
    p: dict[Score, float]
    """Their p-values, adjusted for the scores of a method and kind."""
    found: set[Score]


@dataclass
class _Search:
    """A search in a run: what it is about, and what it has found so far, by the places of checkpoints."""

    models: list[dict[str, Any]]
    methods: list[Any]
    data: list[Any]
    folder: Path
    level: float
    seed: int
    on_checkpoint: Callable[[str], None]
    results: dict[int, list[Result]] = field(default_factory=dict)
    tested: dict[Interval, _IntervalTests] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """Place of the last checkpoint."""
        return len(self.models) - 1

    # --- which checkpoints and steps --------------------------------------------------------------------------

    def at_all(self) -> None:
        """Measure every checkpoint and compare each with the next, and the first with the last."""
        for place in (0, self.last, *range(1, self.last)):
            self._measure(place)
        for first, second in dict.fromkeys([(0, self.last), *pairwise(sorted(self.results))]):
            self._test(first, second)

    def where_needed(self) -> None:
        """Measure the ends, and go on in the middle of what holds a change."""
        self._measure(0)
        self._measure(self.last)
        todo: list[tuple[Interval, set[Score] | None]] = [((0, self.last), None)]
        while todo:
            (first, second), above = todo.pop(0)
            tested = self._test(first, second)
            if above is not None:
                tested.found &= above
            if not tested.found:
                continue
            middle = next((place for place in _from_the_middle(first, second) if self._measure(place)), None)
            if middle is not None:
                todo += [((first, middle), tested.found), ((middle, second), tested.found)]

    def _measure(self, place: int) -> bool:
        """Measure a checkpoint; ``False`` where it cannot be, which only one between the ends may be."""
        if place in self.results or place in self.skipped:
            return place in self.results
        model = self.models[place]
        self.on_checkpoint(model["name"])
        grid = GridConfig(models=[model], methods=self.methods, data=self.data, seeds=[self.seed])
        plan = make_plan(grid)
        of_method = [unit.method for unit in plan.units]
        if twice := next((name for name in of_method if of_method.count(name) > 1), None):
            raise InputError(f"{twice} would be measured more than once on a checkpoint: give one data set")
        summary = run_grid(plan, self.folder)
        if failures := [*summary.failed, *summary.unsuitable]:
            reason = f"{model['name']}, {failures[0].unit.method}: {failures[0].reason}"
            if place in (0, self.last):
                raise MeasurementError(f"an end of the run cannot be measured: {reason}")
            self.skipped[place] = reason
            return False
        keys = [unit.key for unit in plan.units]
        with Store(self.folder, read_only=True) as store:
            results = {unit.key: result for unit, result in store.results(history=True) if unit.key in keys}
        self.results[place] = [results[key] for key in keys]
        return True

    def _test(self, first: int, second: int) -> _IntervalTests:
        compared = self._compare(first, second)
        self.warnings |= dict.fromkeys(compared.warnings)
        changes = {(c.method, c.kind, c.name): c for c in compared.changes if c.kind in _KINDS}
        width, tests = second - first, {s: c.p_value for s, c in changes.items() if c.p_value is not None}
        p = _holm(tests, lambda score: score[:2])
        # Of single steps Holm decides, once all are known.
        scores_found = {score for score in p if width == 1 or self.last / width * p[score] < ALPHA}
        return self.tested.setdefault((first, second), _IntervalTests(changes, p, scores_found))

    def _compare(self, first: int, second: int) -> Comparison:
        one, two = self.results[first], self.results[second]
        return compare_results(one, two, level=self.level, seed=self.seed)

    # --- what it says -----------------------------------------------------------------------------------------

    def found(self, every: bool) -> Bisection:
        """What was found."""
        adjusted = self._adjusted(every)
        return Bisection(
            checkpoints=tuple(entry["name"] for entry in self.models),
            measured=tuple(sorted(self.results)),
            curves=tuple(self._curve(score, adjusted, every) for score in self.tested[0, self.last].changes),
            every=every,
            level=self.level,
            skipped=tuple(self.skipped[place] for place in sorted(self.skipped)),
            warnings=tuple(self.warnings),
        )

    def _adjusted(self, every: bool) -> dict[tuple[Score, Interval], float]:
        """Holm's p-values of single steps, over those of a method and kind; one that was not tested has p = 1."""
        p_values: dict[tuple[Score, Interval], float] = {}
        for score in self.tested[0, self.last].changes:
            steps = [(place, place + 1) for place in range(self.last)]
            for step in dict.fromkeys([*steps, (0, self.last)] if every else steps):
                change = self.tested[step].changes.get(score) if step in self.tested else None
                p_values[score, step] = 1.0 if change is None or change.p_value is None else change.p_value
        return _holm(p_values, lambda key: key[0][:2])

    def _curve(self, score: Score, adjusted: Mapping[tuple[Score, Interval], float], every: bool) -> Curve:
        method, kind, name = score
        change = self.tested[0, self.last].changes[score]
        steps = {
            at: self._step(at, score, adjusted.get((score, at)), every)
            for at, tested in self.tested.items()
            if score in tested.changes
        }
        return Curve(
            method=method,
            name=name,
            kind=kind,
            title=change.title,
            ideal=change.ideal_second,
            points=tuple(self._points(method, kind, name)),
            whole=steps.pop((0, self.last)),
            steps=tuple(steps.values()),
        )

    def _points(self, method: str, kind: str, name: str) -> Iterator[Point]:
        for place, results in sorted(self.results.items()):
            result = next(r for r in results if r.method == method)
            row = next((r for r in (result.overall, *result.rows) if (r.kind, r.name) == (kind, name)), None)
            if row is not None and row.score is not None:
                yield Point(place=place, score=row.score, low=row.ci_low, high=row.ci_high)

    def _step(self, at: Interval, score: Score, holm: float | None, every: bool) -> Step:
        tested = self.tested[at]
        change, p = tested.changes[score], tested.p.get(score)
        if p is not None:
            p = holm if holm is not None else min(1.0, self.last / (at[1] - at[0]) * p)
        return Step(
            first=at[0],
            second=at[1],
            difference=change.difference,
            low=change.low,
            high=change.high,
            p=change.p_value,
            p_adjusted=p,
            found=p is not None and p < ALPHA and (score in tested.found or every),
        )


def _holm(p_values: Mapping[_Key, float], family_of: Callable[[_Key], Any]) -> dict[_Key, float]:
    """P-values adjusted by Holm, family by family."""
    families: dict[Any, dict[_Key, float]] = {}
    for key, p in p_values.items():
        families.setdefault(family_of(key), {})[key] = p
    return {
        key: float(p)
        for family in families.values()
        for key, p in zip(family, stats.holm(list(family.values())), strict=True)
    }


def _from_the_middle(first: int, second: int) -> list[int]:
    """The places between two, the one in the middle first."""
    middle = (first + second) / 2
    return sorted(range(first + 1, second), key=lambda place: (abs(place - middle), place))
