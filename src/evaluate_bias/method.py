"""A method's record, and the decorator that makes its entry one of the library's methods.

The record says what the rest of the library must know; :func:`method` wraps the entry with what every method needs:
the check of its options, of the model's capability, and the result with everything that the record, the model and the
software say.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .errors import InputError, quoted
from .options import Option, SharedOptions, checked_options, options_of
from .paths import hub_id
from .result import Coverage, Direction, Estimate, Result, Row, Skipped

if TYPE_CHECKING:
    from .data.kinds import DataKind
    from .stats import Scale

Aspect = Literal["seeds", "templates", "paraphrases", "representation", "agreement"]
"""What a score may depend on beside the model: its words or items, their templates, their wording, how a model's
vectors are read, and the choice of the method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secondary:
    """A secondary value of a method, which reports print beside its score.

    Attributes:
        key: its key in ``estimates`` of the result and of every row; a row that has none shows none.
        title: heading of its column, a few words.
        meaning: what it is and how to read it, in one sentence.
    """

    key: str
    title: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """What a p-value says where its null hypothesis is another than "the score has its ideal value".

    In all texts ``{setting}`` stands for an option of the measurement.

    Attributes:
        meaning: what is tested and what is not, in a sentence.
        small: what a p-value below the level says: a clause with subject and verb, without a full stop, that also
            reads well after "it was not shown that".
        parts: the same for the rows of the breakdown, where their p-values test something else than the overall one.
    """

    meaning: str
    small: str
    parts: PValue | None = None


UnitsScore = Literal["mean", "difference", "effect_size", "own"]
"""What a score is of its units: their mean; the mean of the first list less that of the second, where there is one; the
effect size of the first list against the second; or a function of the method's own, in ``units.py`` of its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreUnits:
    """What a score is made of and its results keep, so that two measurements can be compared unit by unit.

    Attributes:
        name: what a unit is called, in the plural, such as ``"pairs"``.
        meaning: what the value of a word is, for pictures of them; empty for what the model's kind makes it.
        value: key of a unit's value in its row, the row's details, or its entry in ``list``; of a score of the method's
            own, a key that every unit has.
        score: what the score is of the values. A method's own ``units.py`` has ``columns(units, settings)``, which
            turns the units' fields into an array of shape (n, …), ``score(totals)``, which turns sums of it of shape
            (batch, …) into (batch,) scores, where the ideal value is a mean under chance
            ``null_mean(totals, settings)``, which gives it likewise, and, where a row's units are not those that bear
            its name as a label, ``in_row(unit, row, settings)``.
        outcomes: for values that are words, the number that each counts as.
        tie: the word of a unit that decides nothing; only units that both measurements decide are compared.
        clusters: keys, in the labels or details, of the clusters that units belong to; empty where units stand alone.
            At most two; of two, the variances of both count (:func:`evaluate_bias.stats.crossed_p`).
        strata: keys of what is no outcome but the unit's own, such as its true class; resamples keep their numbers.
        same: keys of what a unit is beside its name, such as the groups that it contrasts: units that differ in these
            are not the same unit.
        list: key, in the details of a test, of the list that holds its units as mappings with ``"word"``, ``"list"``
            and the value; empty where the units are the rows of kind ``"item"``.
        lists: names of the test's lists whose words are the units; empty for all.
        proxy_effect_size: whether the score is more than a function of the units, so that the test is one of their
            effect size, which stands for it.
        one_scale: whether ``columns`` is given the units of both measurements at once, to bring them to one scale.
    """

    name: str
    value: str
    score: UnitsScore = "mean"
    outcomes: Mapping[str, float] = field(default_factory=dict)
    tie: str = ""
    clusters: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    list: str = ""
    meaning: str = ""
    lists: tuple[str, ...] = ()
    proxy_effect_size: bool = False
    one_scale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """Of which measurements a method says how robust they are, and against what.

    A result of such a method speaks of a score of the same model. Of which score it says itself, by the setting
    ``measured_method`` or, in a row of its breakdown, by the label ``method``; else it speaks of every method that
    takes data of these kinds and needs a capability that this one needs too.

    Attributes:
        aspect: what the score may depend on.
        data: names of the kinds of data, see :mod:`evaluate_bias.data.kinds`; empty where a result names the method.
    """

    aspect: Aspect
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRecord:
    """Everything the rest of the library needs to know about a method.

    Attributes:
        name: registry name; its folder, the evaluate module and the key of the score.
        title: the name people use.
        summary: what the score is, in one sentence.
        paper: authors, year, title and venue.
        url: link to the paper.
        bibtex: citation entry.
        score_name: what the score is called in the paper.
        open_score_name: what it is called in results whose score has no ends, where that is another one.
        score_range: lowest and highest value; ``None`` for an open end.
        direction: how to read the sign or size.
        ideal: the value that means "no bias was measured".
        interpretation: what a positive and a negative (or a high and a low) value mean, in one sentence.
        above, below: what a score above and one below the ideal value says of the model, relative to what it compares,
            as a clause with subject and verb; empty where the texts of ``p_value`` say it. ``{x}``, ``{y}``, ``{a}``
            and ``{b}`` stand for the names of a test's four lists; a part in square brackets is for tests that have
            second attributes.
        needs: names of the capabilities of :mod:`evaluate_bias.models.base`, any one of which suffices; none where the
            data hold all that is needed.
        asks: the options under which it asks a model that chats; empty where it never does.
        instead: what to do with models that have none of them, as a clause; empty where nothing measures the same.
        data: the kind of data it takes.
        columns: columns of its evaluate module, all required.
        optional_columns: further columns with sentences or numbers that it reads where they are given.
        dataset: Hub id of the default data set, where that is neither the ``source`` of ``data_defaults`` nor the usual
            one of the kind.
        data_defaults: the data options that make up the default data set.
        paired: whether the targets are pairs, the first of both lists belonging together, and so on.
        group_by: what one row of the breakdown is, which heads the table of them.
        caveats: what a reader of the score must know whatever the data, one sentence each. What concerns a data set
            stands in that data set's record.
        secondary: secondary values that reports print.
        aggregation: how score, interval and p-value of several tests together are made, in one sentence; only for
            methods whose rows are tests.
        p_value: what the p-value says, where it does not test whether the score has its ideal value.
        min_n_for_significance: number of units below which the method's test cannot reach 5% whatever the data, such
            as 6 for a two-sided sign test; 0 where there is no such number.
        scale: the convention by which its sizes are put into words, see :data:`evaluate_bias.stats.SIZES`; empty where
            there is none for such a score.
        units: what the score is made of, where two measurements can be compared unit by unit.
        variant_units: the same for values of the option ``variant`` whose scores are made of something else; ``None``
            where their units cannot be compared.
        no_units: why they cannot, a sentence; for a method without ``units``.
        inference: the options by which p-values and intervals are made, where the entry takes them as one object of
            this name, see :mod:`evaluate_bias.methods.word_lists.inference`.
        robustness: for a method that measures a measurement, against what and of which methods.
        revision: raised whenever any number of the method changes. Results of an older one are measured again and not
            compared with newer ones.
        package: the method's folder as a module path; the registry fills it in.
    """

    name: str
    title: str
    summary: str
    paper: str
    url: str
    bibtex: str
    score_name: str
    open_score_name: str = ""
    score_range: tuple[float | None, float | None]
    direction: Direction
    ideal: float
    interpretation: str
    above: str = ""
    below: str = ""
    needs: tuple[str, ...]
    data: DataKind
    columns: tuple[str, ...]
    optional_columns: tuple[str, ...] = ()
    dataset: str = ""
    data_defaults: Mapping[str, Any] = field(default_factory=dict)
    paired: bool = False
    group_by: str
    caveats: tuple[str, ...]
    secondary: tuple[Secondary, ...] = ()
    aggregation: str = ""
    p_value: PValue | None = None
    min_n_for_significance: int = 0
    scale: Scale | Literal[""] = ""
    units: ScoreUnits | None = None
    variant_units: Mapping[str, ScoreUnits | None] = field(default_factory=dict)
    no_units: str = ""
    inference: SharedOptions | None = None
    robustness: Robustness | None = None
    instead: str = ""
    asks: Mapping[str, Any] = field(default_factory=dict)
    revision: int = 1
    package: str = ""

    @property
    def family(self) -> str:
        """The family of methods that it belongs to, such as ``"association"``."""
        return self.package.rpartition(".")[0].rpartition(".")[2]

    def __post_init__(self) -> None:
        if not self.dataset:
            source = self.data_defaults.get("source")
            named = hub_id(source.replace("_", "-")) if source else self.data.dataset
            object.__setattr__(self, "dataset", named)

    def name_of(self, score_range: tuple[float | None, float | None]) -> str:
        """What a score with this range is called."""
        return (
            self.open_score_name if self.open_score_name and score_range == (None, None) else self.score_name
        )

    @property
    def takes_scores(self) -> bool:
        """Whether the columns may hold ready scores, with no model."""
        return any(self.data.columns[c].holds in ("sentence", "options") for c in self.columns)

    @property
    def needs_no_model(self) -> bool:
        """Whether the rows may hold what a model would give, so that there need be none."""
        ready = (self.data.columns[c].holds == "completions" for c in self.optional_columns)
        return not self.needs or self.takes_scores or any(ready)

    def reads(self, column: str) -> bool:
        """Whether the method reads a column of its kind of data, or one that describes the rows."""
        named = column in self.columns or column in self.optional_columns
        return named or self.data.columns[column].holds in ("text", "number")

    def units_of(self, result: Result) -> ScoreUnits | None:
        """What the score of a result is made of."""
        return self.variant_units.get(str(result.settings.get("variant", "")), self.units)

    def function(self) -> Callable[..., Result]:
        """Import and return the method's entry, which takes ``(model, data, **options)``."""
        return importlib.import_module(f"{self.package}.method").evaluate  # type: ignore[no-any-return]

    def options(self) -> dict[str, Option]:
        """The options of the computation, by name."""
        return options_of(self.function())

    def data_choices(self) -> dict[str, Option]:
        """The options that choose the data, by name, with the defaults of this method."""
        found = options_of(self.data.load(), self.data.options)
        return {
            name: dataclasses.replace(option, default=self.data_defaults.get(name, option.default))
            for name, option in found.items()
        }

    def load_data(self, **options: Any) -> Any:
        """Load the default data set, or what ``options`` choose instead.

        What makes up the default, such as its tests, is not asked of another source.
        """
        own = {} if options.get("source") is not None else self.data_defaults
        return self.data.load()(**{**own, **options})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a method's entry returns: what it found and nothing that its record knows.

    The fields are those of :class:`~evaluate_bias.result.Result`.

    Attributes:
        settings: only what differs from the options of the call, or is not one of them.
        score_range, direction, ideal: only where they differ from the record's.
        provenance: further facts; those on model and software are added.
        warnings: those of the measurement; the model's are added.
    """

    score: float
    n: int
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    p_value: float | None = None
    p_low: float | None = None
    p_high: float | None = None
    p_method: str = ""
    coverage: Coverage
    rows: Sequence[Row] = ()
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    ties: int = 0
    n_tested: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    score_range: tuple[float | None, float | None] | None = None
    direction: Direction | None = None
    ideal: float | None = None


def method(record: MethodRecord) -> Callable[[Callable[..., Finding]], Callable[..., Result]]:
    """Make a function ``(model, data, *, options…) -> Finding`` the entry of a method.

    The options are checked against their annotations, the model against the capabilities that the record names. Where
    the record declares ``inference``, the entry takes these options as one object, and its callers one by one. The
    result has the record's range, direction and ideal value, all options as settings, provenance of model and
    software, and the model's warnings. Rows of groups that have a p-value get it adjusted for their number. What is
    made has itself, for options that were checked before, as ``with_checked``.

    Raises:
        InputError: an option is out of range, or there is no model where one is needed.
        CapabilityError: the model lacks the capability.
    """

    def decorate(entry: Callable[..., Finding]) -> Callable[..., Result]:
        signature = inspect.signature(entry)
        if (record.inference is not None) != ("inference" in signature.parameters):
            raise InputError(
                f"{record.name}: an entry that takes inference needs a record that declares it, as "
                "inference=inference_options(…), and only such an entry does"
            )
        if record.inference is not None:
            signature = record.inference.one_by_one(signature, "inference")

        @functools.wraps(entry)
        def measured(*args: Any, **kwargs: Any) -> Result:
            known = options_of(measured)
            given = {k: v for k, v in kwargs.items() if k in known}
            return with_checked(*args, **{**kwargs, **checked_options(given, known, record.name)})

        def with_checked(*args: Any, **kwargs: Any) -> Result:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            (model, data), options = bound.args, bound.kwargs
            rows = _rows(record, data)
            _check_capability(record, model)
            from .models.checked_outputs import checked_outputs

            with getattr(model, "separate_warnings", nullcontext)():
                found = entry(
                    model if model is None else checked_outputs(model), rows, **_for_entry(record, options)
                )
                return _result(record, model, options, found)

        measured.__signature__ = signature  # type: ignore[attr-defined]
        measured.with_checked = with_checked  # type: ignore[attr-defined]
        return measured

    return decorate


def _for_entry(record: MethodRecord, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the entry takes them: those of the inference as one object."""
    if record.inference is None:
        return dict(options)
    own = {name: options[name] for name in record.inference.names}
    rest = {name: value for name, value in options.items() if name not in own}
    return {**rest, "inference": dataclasses.replace(record.inference.defaults, **own)}


def _rows(record: MethodRecord, data: Any) -> Any:
    """The rows of a measurement; those that can be read only once as a list.

    Raises:
        InputError: they are no rows.
    """
    if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
        raise InputError(
            f"{record.name} takes a list of rows, each with {', '.join(record.columns)}, not {quoted(data)}; put a "
            "single row into a list"
        )
    return data if isinstance(data, Sized) else list(data)


def _check_capability(record: MethodRecord, model: Any) -> None:
    from .models.base import require_any

    if model is None and record.needs_no_model:
        return
    if not record.needs:
        raise InputError(f"{record.name} takes no model: leave it out")
    require_any(model, record.needs, record.name, record.instead)


def _result(record: MethodRecord, model: Any, options: Mapping[str, Any], found: Finding) -> Result:
    from .provenance import provenance_of

    own = {f.name: getattr(found, f.name) for f in dataclasses.fields(found)}
    for name in ("score_range", "direction", "ideal"):
        if own[name] is None:
            own[name] = getattr(record, name)
    settings = {**options, **found.settings}
    own |= {
        "settings": settings,
        "provenance": {**provenance_of(model), **found.provenance},
        "warnings": tuple(dict.fromkeys((*found.warnings, *getattr(model, "warnings", ())))),
        "rows": _adjusted(found.rows),
        "ci_level": settings.get("level", 0.95),
    }
    return Result(method=record.name, **own)


def _adjusted(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows, groups and tests with p-values adjusted for the number of rows of their kind."""
    from . import stats

    out = list(rows)
    for kind in ("test", "group"):
        places = [i for i, row in enumerate(out) if row.kind == kind and row.p_value is not None]
        p = [out[i].p_value for i in places]
        for i, holm, bh in zip(places, stats.holm(p), stats.benjamini_hochberg(p), strict=True) if p else ():  # type: ignore[arg-type]
            if out[i].p_holm is None:
                out[i] = dataclasses.replace(out[i], p_holm=float(holm), p_bh=float(bh))
    return tuple(out)
