"""What a method declares: everything the rest of the library must know about it."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from .errors import InputError, UnknownNameError
from .options import Option, SharedOptions, options_of
from .paths import hub_id
from .result import Direction, Result, Row

if TYPE_CHECKING:  # NumPy is slow to import, and records are read for --help
    from .arrays import FloatArray
    from .data.kinds import DataKind
    from .data.references import Paper
    from .stats import Scale

Fields = Mapping[str, Any]
"""The labels and details of a unit's row, with its ``name``, ``score`` and ``n``."""

Settings = Mapping[str, Any]
"""The settings of the result that the units are from."""

UnitsScore = Literal["mean", "mean_of_clusters", "difference", "effect_size", "function"]
"""How a score is made of its units: their mean, the mean of their clusters' means, the mean of the first list less the
mean of the second (if there is one), the effect size of the first list against the second, or a function of the method,
see :class:`UnitFunctions`."""

QUESTIONS = ("protocol", "instructions", "prompts", "follow_up")
"""Settings that determine what a model is asked: results that differ in one of them are not compared."""

Aspect = Literal["seeds", "templates", "paraphrases", "representation", "agreement"]
"""What a score may depend on in addition to the model: its words or items, their templates, their choice of words, how
a model's vectors are read, and the choice of the method."""

NullTest = Literal["", "flips", "pairs", "targets", "attributes", "ratings", "order", "t"]
"""What a test rearranges: the signs or sides of units, or of pairs of targets, the split of the targets, or of the
attributes, into their lists, the ratings of attributes, or the order of units. ``"t"``: Student's, and over clusters
that cross."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreUnits:
    """The units that a score is made of. Results keep them, so that two measurements can be compared unit by unit.

    A unit may have a ``weight``, by which it counts in a mean, whose value is then a sum. A unit
    that was asked about in five prompt variants or more has ``prompt_variants``: what each prompt variant adds to its
    numbers and its ``weight``, by their keys.

    Attributes:
        name: what a unit is called, in the plural, such as ``"pairs"``.
        meaning: what the value of a word is, for plots. If empty, it depends on the kind of model.
        value: key of a unit's value in its row, the row's details, or its entry in ``list``. If ``score`` is
            ``"function"``, a key that every unit has.
        score: how the score is made of the values, see :data:`UnitsScore`.
        outcomes: for values that are words, the number that each counts as.
        tie: the value of a unit that is a tie. Only units without a tie in both measurements are compared.
        clusters: keys, in the labels or details, of the clusters that units belong to, at most two. Empty if units do
            not belong to clusters. With two, the variances of both count (:func:`evaluate_bias.stats.change`).
        strata: keys of properties of the unit that are not outcomes, such as its true class. The number of
            units of each stratum is fixed.
        same: keys of what identifies a unit in addition to its name, such as the groups that it contrasts. Units that
            differ in these are not the same unit.
        content: key of what identifies a unit by its texts, in place of a name that may be its place in the data. Units
            with the same texts repeat one another. If a result has no texts, units are matched by name.
        list: key, in the details of a test, of the list that contains its units as mappings with ``"word"``,
            ``"list"`` and the value. Empty if the units are the rows of kind ``"item"``.
        lists: names of the test's lists whose words are the units. Empty for all that ``list`` contains.
        proxy_effect_size: whether the score is more than a function of the units, so that their effect size is tested
            as a proxy for it.
        less_mean: whether ``columns`` subtracts what all units of a measurement have in common.
        one_scale: whether ``columns`` gets the units of both measurements at once, to bring them to one scale.
    """

    name: str
    value: str
    score: UnitsScore = "mean"
    outcomes: Mapping[str, float] = field(default_factory=dict)
    tie: str = ""
    clusters: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    content: str = ""
    list: str = ""
    meaning: str = ""
    lists: tuple[str, ...] = ()
    proxy_effect_size: bool = False
    less_mean: bool = False
    one_scale: bool = False


@runtime_checkable
class UnitFunctions(Protocol):
    """A score that the method computes itself, by the functions of ``items.py`` in its folder."""

    def columns(self, units: Sequence[Fields], settings: Settings) -> FloatArray:
        """Return what each unit adds to the totals, shape (n, …)."""
        ...

    def score(self, totals: FloatArray, settings: Settings) -> FloatArray:
        """Return the scores, shape (batch,), of totals over units, shape (batch, …)."""
        ...


@runtime_checkable
class HasNullMean(UnitFunctions, Protocol):
    """A score that is compared with its mean under chance."""

    def null_mean(self, totals: FloatArray, settings: Settings) -> FloatArray:
        """Return the means under chance, shape (batch,), of totals of shape (batch, …)."""
        ...


@runtime_checkable
class SelectsUnits(UnitFunctions, Protocol):
    """A score whose rows are made of other units than the ones labelled with the row's name."""

    def in_row(self, unit: Fields, row: Row, settings: Settings) -> bool:
        """True if a row's score is made of units that include this one."""
        ...


@dataclass(frozen=True, slots=True)
class Secondary:
    """A secondary value of a method, which reports print next to its score.

    Attributes:
        key: its key in ``estimates`` of the result and of every row. A row without this key shows no value.
        title: heading of its column, a few words.
        meaning: what it is and how to read it, in one sentence.
    """

    key: str
    title: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """What a p-value says where its null hypothesis is another than "the score has its ideal value".

    In all texts ``{setting}`` represents an option of the measurement.

    Attributes:
        meaning: what is tested and what is not, in a sentence.
        small: what a p-value below the level says: a clause with subject and verb, without a full stop, that also
            reads well after "it was not shown that".
        fixed_names: what the interval draws and the p-value takes as given.
        parts: the same for the rows of the breakdown, if their p-values test something other than the overall one.
    """

    meaning: str
    small: str
    fixed_names: tuple[str, ...] = ()
    parts: PValue | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """Of which measurements a method says how robust they are, and against what.

    A result of such a method is about scores of the same model. The setting ``measured_method``, or in a row of its
    breakdown the label ``method``, names the scored method. Without either, it is about every method that
    accepts data of these kinds and shares a required capability with this one.

    Attributes:
        aspect: what the score may depend on.
        data: names of the kinds of data, see :mod:`evaluate_bias.data.kinds`. Empty if a result names the method.
    """

    aspect: Aspect
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRecord:
    """Everything the rest of the library needs to know about a method.

    Attributes:
        name: registry name, also the name of its folder, its evaluate module and the key of the score.
        title: the name people use.
        summary: what the score is, in one sentence.
        references: its papers: keys of ``data/references.bib``, which has a citation in words, a link and a BibTeX
            entry of each.
        score_name: what the score is called in the paper.
        other_score_names: what it is called in results whose score has another range, by these ranges.
        other_interpretations: what the values of such a score mean, by these ranges, if that is not ``interpretation``.
        score_range: lowest and highest value, ``None`` for an open end. Both ends are open by default.
        direction: how to read the sign or size, two-sided by default.
        ideal: the value that means "no bias was measured", 0 by default.
        interpretation: what a positive and a negative (or a high and a low) value mean, in one sentence.
        above, below: what a score above and one below the ideal value says of the model, relative to what it compares,
            as a clause with subject and verb. Empty if the texts of ``p_value`` say it. ``{x}``, ``{y}``,
            ``{a}`` and ``{b}`` represent the names of a test's four lists, ``{key|text}`` for another label
            of the row, or the text if the row has no such label. A part in square brackets is for tests that have
            second attributes.
        needs: names of the capabilities of :mod:`evaluate_bias.models.base`, any one of which suffices. Empty if the
            data contain all that is needed.
        refuses: names of capabilities. A model that has any of them is refused, whatever else it can do.
        asks: the options under which it asks a chat model. Empty if it never does.
        causal: the options under which it scores a causal model, if its defaults are for masked ones.
        reads_log_probabilities: whether it then reads the log-probabilities of a reply's first token, which not every
            server gives.
        recommended: True for one of the few methods to begin with, for the kinds of models that it measures.
        instead: what to do with models that have none of the capabilities in ``needs``, as a clause. Empty if nothing
            measures the same.
        data: the kind of data it accepts.
        columns: columns of its evaluate module, all required.
        optional_columns: further columns with sentences or numbers that it reads if they are given.
        data_defaults: the data options that make up the default data set.
        paired: whether the targets are pairs, the first of both lists belonging together, and so on.
        group_by: what one row of the breakdown is, which heads the table of them.
        caveats: what a reader of the score must know whatever the data, one sentence each. What concerns a data set
            appears in that data set's record.
        secondary: secondary values that reports print.
        aggregation: how score, interval and p-value of several tests together are made, in one sentence, only
            for methods whose rows are tests.
        p_value: what the p-value says, if it does not test whether the score has its ideal value.
        test: what its test rearranges, by which few units are too few, see :data:`NullTest`.
        variant_tests: the same for values of the option ``variant`` that are tested in another way.
        scale: the convention by which its sizes are put into words, see :data:`evaluate_bias.stats.SIZES`,
            empty if such a score has no convention.
        units: what the score is made of, if two measurements can be compared unit by unit.
        variant_units: the same for values of the setting ``variant`` whose scores are made of something else. ``None``
            if their units cannot be compared.
        no_units: for a method without ``units``, a sentence that says why two measurements cannot be compared unit by
            unit.
        inference: the options by which p-values and intervals are made, if the entry accepts them as one
            object of this name, see :mod:`evaluate_bias.methods.word_lists.inference`.
        robustness: for a method that measures a measurement, against what and of which methods.
        revision: raised whenever any number of the method changes. Results of an older one are measured again and not
            compared with newer ones.
        package: the method's folder as a module path. The registry fills it in.
    """

    name: str
    title: str
    summary: str
    references: tuple[str, ...]
    score_name: str
    other_score_names: Mapping[tuple[float | None, float | None], str] = field(default_factory=dict)
    other_interpretations: Mapping[tuple[float | None, float | None], str] = field(default_factory=dict)
    score_range: tuple[float | None, float | None] = (None, None)
    direction: Direction = "two_sided"
    ideal: float = 0.0
    interpretation: str
    above: str = ""
    below: str = ""
    needs: tuple[str, ...]
    data: DataKind
    columns: tuple[str, ...]
    optional_columns: tuple[str, ...] = ()
    data_defaults: Mapping[str, Any] = field(default_factory=dict)
    paired: bool = False
    group_by: str = "test"
    caveats: tuple[str, ...]
    secondary: tuple[Secondary, ...] = ()
    aggregation: str = ""
    p_value: PValue | None = None
    test: NullTest = ""
    variant_tests: Mapping[str, NullTest] = field(default_factory=dict)
    scale: Scale | Literal[""] = ""
    units: ScoreUnits | None = None
    variant_units: Mapping[str, ScoreUnits | None] = field(default_factory=dict)
    no_units: str = ""
    inference: SharedOptions | None = None
    robustness: Robustness | None = None
    instead: str = ""
    recommended: bool = False
    refuses: tuple[str, ...] = ()
    asks: Mapping[str, Any] = field(default_factory=dict)
    causal: Mapping[str, Any] = field(default_factory=dict)
    reads_log_probabilities: bool = False
    revision: int = 1
    package: str = ""

    @property
    def family(self) -> str:
        """The family of methods that it belongs to, such as ``"association"``."""
        return self.package.rpartition(".")[0].rpartition(".")[2]

    @property
    def dataset(self) -> str:
        """Hub id of the default data set: of the source among the defaults, else the usual one of the kind."""
        source = self.data_defaults.get("source")
        return hub_id(source.replace("_", "-")) if source else self.data.dataset

    @property
    def papers(self) -> list[Paper]:
        """Its papers, the one that its link leads to first."""
        from .data.references import papers

        return [papers()[key] for key in self.references]

    @property
    def paper(self) -> str:
        """Authors, year, title and venue of its papers."""
        return "; ".join(paper.citation for paper in self.papers if paper.citation)

    @property
    def url(self) -> str:
        """Link to its paper."""
        return self.papers[0].addresses[0]

    @property
    def bibtex(self) -> str:
        """The BibTeX entries of its papers."""
        return "\n\n".join(paper.bibtex for paper in self.papers)

    def name_of(self, score_range: tuple[float | None, float | None]) -> str:
        """Return what a score with this range is called."""
        return self.other_score_names.get(score_range, self.score_name)

    def interpretation_of(self, score_range: tuple[float | None, float | None]) -> str:
        """Return what the values of a score with this range mean."""
        return self.other_interpretations.get(score_range, self.interpretation)

    @property
    def takes_scores(self) -> bool:
        """True if the columns may contain precomputed scores, so that no model is needed."""
        return any(self.data.columns[c].holds in ("sentence", "options") for c in self.columns)

    @property
    def needs_no_model(self) -> bool:
        """True if the rows may contain what a model would return, so that no model is needed."""
        from .data.schemas import READY

        ready = (self.data.columns[c].holds in READY for c in self.optional_columns)
        return not self.needs or self.takes_scores or any(ready)

    def reads(self, column: str) -> bool:
        """True if the method reads a column of its kind of data, or one that describes the rows."""
        is_declared = column in self.columns or column in self.optional_columns
        return is_declared or self.data.columns[column].holds in ("text", "number")

    def units_of(self, result: Result) -> ScoreUnits | None:
        """Return the units that the score of a result is made of."""
        return self.variant_units.get(str(result.settings.get("variant", "")), self.units)

    def test_of(self, result: Result) -> NullTest:
        """Return what the test of a result rearranges."""
        return self.variant_tests.get(str(result.settings.get("variant", "")), self.test)

    def unit_functions(self) -> UnitFunctions:
        """Import and return the method's own score function, if ``units`` or ``variant_units`` name one."""
        functions: Any = importlib.import_module(f"{self.package}.items")
        assert isinstance(functions, UnitFunctions)
        return functions

    def function(self) -> Callable[..., Result]:
        """Import and return the method's entry, which takes ``(model, data, **options)``."""
        return importlib.import_module(f"{self.package}.method").evaluate  # type: ignore[no-any-return]

    def options(self) -> dict[str, Option]:
        """Return the options of the computation, by name."""
        return options_of(self.function())

    def data_choices(self) -> dict[str, Option]:
        """Return the options that choose the data, by name, with the defaults of this method."""
        choices = {**options_of(self.data.load(), self.data.options), **options_of(_renaming)}
        return {
            name: dataclasses.replace(option, default=self.data_defaults.get(name, option.default))
            for name, option in choices.items()
        }

    def speaks_of(self, other: MethodRecord) -> bool:
        """True if it measures the robustness of another method, one that it names or that shares its data and needs."""
        if self.robustness is None or not self.robustness.data:
            return self.robustness is not None
        return other.data.name in self.robustness.data and not set(other.needs).isdisjoint(self.needs)

    def load_data(self, **options: Any) -> Any:
        """Load the default data set, or what ``options`` choose instead.

        What makes up the default, such as its tests, is not asked of another source. If scores replace sentences, the
        rows are mappings.

        Raises:
            InputError: columns are named without a source, or the kind of data does not have them.
        """
        from .data.load import Renamed, framed, load_scores
        from .data.table_files import is_frame

        columns = options.pop("columns", None)
        if (source := options.get("source")) is None:
            if columns:
                raise InputError(
                    "`columns` names the columns of a source, and no source is given",
                    option="columns",
                    hint="give the file or the rows too",
                )
            return self.data.load()(**{**self.data_defaults, **options})
        source = options["source"] = framed(source) if is_frame(source) else source
        if columns:
            if unknown := next((name for name in columns if name not in self.data.columns), None):
                raise UnknownNameError(f"column of {self.name}", unknown, self.data.columns, option="columns")
            options["source"] = Renamed(source, columns)
        scores = load_scores(self.data.columns, **options)
        return self.data.load()(**options) if scores is None else scores


def _renaming(*, columns: Mapping[str, str] | None = None) -> None:
    """An option of every kind of data.

    Args:
        columns: names of the columns in a source that calls them otherwise, by the names here, such as
            {"sent_more": "sent1"}.
    """
