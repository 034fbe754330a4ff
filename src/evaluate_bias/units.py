"""What a score is made of: the units by which two measurements are compared, and a method's own score of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from .result import Row

if TYPE_CHECKING:  # NumPy is slow to import, and records are read for --help
    from .arrays import FloatArray

Fields = Mapping[str, Any]
"""The labels and details of a unit's row, with its ``name``, ``score`` and ``n``."""
Settings = Mapping[str, Any]
"""The settings of the result that the units are from."""

UnitsScore = Literal["mean", "mean_of_clusters", "difference", "effect_size", "function"]
"""What a score is of its units: their mean, or the mean of their clusters' means, the mean of the first list less the
mean of the second, if there is one, the effect size of the first list against the second, or a function of the method,
see :class:`UnitFunctions`."""

QUESTIONS = ("protocol", "instructions", "prompts", "follow_up")
"""Settings that determine what a model is asked: results that differ in one of them are not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreUnits:
    """What a score is made of and its results keep, so that two measurements can be compared unit by unit.

    A unit may have a ``weight``, by which it counts in a mean, whose value is then a sum. One that was asked about in
    five prompt variants or more has ``prompt_variants``: by the keys of its numbers and ``weight``, what each prompt
    variant adds to them.

    Attributes:
        name: what a unit is called, in the plural, such as ``"pairs"``.
        meaning: what the value of a word is, for pictures of them; empty for what the model's kind makes it.
        value: key of a unit's value in its row, the row's details, or its entry in ``list``; of a score of the method's
            own, a key that every unit has.
        score: what the score is of the values, see :data:`UnitsScore`.
        outcomes: for values that are words, the number that each counts as.
        tie: the word of a unit that decides nothing; only units that both measurements decide are compared.
        clusters: keys, in the labels or details, of the clusters that units belong to; empty where units stand alone.
            At most two; of two, the variances of both count (:func:`evaluate_bias.stats.change`).
        strata: keys of what is no outcome but the unit's own, such as its true class; resamples keep their numbers.
        same: keys of what a unit is beside its name, such as the groups that it contrasts: units that differ in these
            are not the same unit.
        list: key, in the details of a test, of the list that holds its units as mappings with ``"word"``, ``"list"``
            and the value; empty where the units are the rows of kind ``"item"``.
        lists: names of the test's lists whose words are the units; empty for all.
        proxy_effect_size: whether the score is more than a function of the units, so that the test is one of their
            effect size, which stands for it.
        less_mean: whether ``columns`` takes from the units what all of them have in common, in each measurement apart.
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
    less_mean: bool = False
    one_scale: bool = False


@runtime_checkable
class UnitFunctions(Protocol):
    """A score of the method's own: the functions of ``items.py`` in its folder."""

    def columns(self, units: Sequence[Fields], settings: Settings) -> FloatArray:
        """What each unit adds to the totals; shape (n, …)."""
        ...

    def score(self, totals: FloatArray, settings: Settings) -> FloatArray:
        """The scores of totals over units, of shape (batch, …); shape (batch,)."""
        ...


@runtime_checkable
class HasNullMean(UnitFunctions, Protocol):
    """A score whose ideal value is its mean under chance."""

    def null_mean(self, totals: FloatArray, settings: Settings) -> FloatArray:
        """The means under chance of totals of shape (batch, …); shape (batch,)."""
        ...


@runtime_checkable
class SelectsUnits(UnitFunctions, Protocol):
    """A score whose rows are made of other units than those that bear their name as a label."""

    def in_row(self, unit: Fields, row: Row, settings: Settings) -> bool:
        """Whether a unit is one of those that a row's score is made of."""
        ...
