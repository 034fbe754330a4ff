"""What gives a text a number: VADER's sentiment, its length, whether it refuses, a classifier, or a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from ....errors import CapabilityError, InputError, install_extra, quoted, wrap_external_errors
from ....models.classifier import load_classifier
from ....models.completions import WORD
from ...replies import is_refusal

Scorers: TypeAlias = str | Callable[[str], float] | Sequence[str | Callable[[str], float]]
NAMED = ("vader", "length", "refusal")


class WrittenText(NamedTuple):
    """What a model wrote.

    Attributes:
        text: its words, empty only of a refusal without any.
        refused: whether a server marked it as a refusal.
    """

    text: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class TextScorer:
    """A function from texts to numbers.

    Attributes:
        name: as it was given, or the function's own.
        title: what its number is, in a few words.
        numbers: gives each text its number, ``None`` if it has none.
        ends: least and largest number. ``None`` for no limit.
        facts: what identifies it.
    """

    name: str
    title: str
    numbers: Callable[[Sequence[WrittenText]], list[float | None]]
    ends: tuple[float, float] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, texts: Sequence[WrittenText]) -> list[float]:
        """Return the number of every text, NaN if it has none.

        Raises:
            InputError: the scorer gives what is not a finite number.
            MeasurementError: it fails.
        """
        with wrap_external_errors(f"the scorer {self.name}"):
            numbers = self.numbers(texts)
        checked = []
        for value, one in zip(numbers, texts, strict=True):
            number = math.nan
            with suppress(TypeError, ValueError, OverflowError):
                number = float(value)  # type: ignore[arg-type]
            if not math.isfinite(number) and (value is not None or one.text):
                raise InputError(
                    f"the scorer {self.name} must give every text a finite number, not {quoted(value)} for "
                    f"{quoted(one.text)}"
                )
            checked.append(number)
        return checked


def load_scorers(specs: Scorers, language: str) -> list[TextScorer]:
    """Return the scorers that are asked for.

    Args:
        specs: a name, a function of a text, or a list of these.
        language: language of the texts.

    Raises:
        InputError: no such scorer, two have one name, or one does not read the language.
        CapabilityError: a package is missing.
        ModelError: a classifier cannot be loaded, or has no such label.

    Examples:
        >>> length, shouts = load_scorers(["length", str.isupper], "en")
        >>> length.scores([WrittenText("Well done, you!")]), shouts.name, shouts.scores([WrittenText("NO")])
        ([3.0], 'isupper', [1.0])
    """
    several = [specs] if isinstance(specs, str) or callable(specs) else list(specs)
    scorers = [_loaded(spec, language) for spec in several]
    names = [scorer.name for scorer in scorers]
    if not names or len(set(names)) < len(names):
        raise InputError(
            f"`scorers` must name one scorer or several different ones, got {names}", option="scorers"
        )
    return scorers


def _loaded(spec: Any, language: str) -> TextScorer:
    if spec == "vader":
        return _vader(language)
    if spec == "length":
        return TextScorer("length", "number of words", _score_each(lambda text: len(WORD.findall(text))))
    if spec == "refusal":

        def refusals(texts: Sequence[WrittenText]) -> list[float | None]:
            return [one.refused or is_refusal(one.text) for one in texts]

        return TextScorer("refusal", "refusal rate", refusals, (0.0, 1.0))
    if isinstance(spec, str) and spec.startswith("hf:"):
        classifier = load_classifier(spec.removeprefix("hf:"))

        def probabilities(texts: Sequence[WrittenText]) -> list[float | None]:
            numbers = iter(classifier.probabilities([one.text for one in texts if one.text]))
            return [next(numbers) if one.text else None for one in texts]

        title = f"probability of {classifier.label}"
        return TextScorer(spec, title, probabilities, (0.0, 1.0), classifier.provenance())
    if callable(spec):
        name = str(getattr(spec, "__name__", type(spec).__name__))
        return TextScorer(name, f"score by {name}", _score_each(spec))
    choices = f"{', '.join(NAMED)}, hf:NAME#LABEL for a text classifier, or a function of a text"
    raise InputError(f"a scorer must be {choices}, got {quoted(spec)}", option="scorers")


def _score_each(function: Callable[[str], Any]) -> Callable[[Sequence[WrittenText]], list[float | None]]:
    """Return a scorer of one text at a time. A refusal without words has no number."""
    return lambda texts: [function(one.text) if one.text else None for one in texts]


def _vader(language: str) -> TextScorer:
    if language.partition("-")[0] != "en":
        raise InputError(
            f"vader reads English, and the prompts are in {language!r}",
            option="scorers",
            hint="use another scorer",
        )
    try:
        from vaderSentiment import vaderSentiment
    except ImportError as error:
        raise CapabilityError(f"the scorer vader needs vaderSentiment: {install_extra('vader')}") from error
    from importlib.metadata import version

    analyser = vaderSentiment.SentimentIntensityAnalyzer()
    facts = {"package": f"vaderSentiment {version('vaderSentiment')}"}
    numbers = _score_each(lambda text: analyser.polarity_scores(text)["compound"])
    return TextScorer("vader", "VADER sentiment", numbers, (-1.0, 1.0), facts)
