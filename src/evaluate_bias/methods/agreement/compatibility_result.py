"""What template and representation compatibility share around their arithmetic: reading a test, and the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...data.schemas import WordListTest
from ...errors import DataError, InputError
from ...models.pooling import Representation
from ...provenance import software_versions
from ...result import Coverage, Result, Skipped
from ..association_inputs import LISTS, check_coverage, check_lists, check_share, parsed_tests
from ..cosine_association import association
from ..embedding import vectors_in_templates
from .compatibility import Compatibility, Setting, Subsets, compatibility, draw_subsets

if TYPE_CHECKING:
    from ...data.templates import Template

__all__ = [
    "DEFAULT_TEMPLATES",
    "Reading",
    "compatibility_result",
    "language_of",
    "mask_token",
    "read_test",
    "target_templates",
]

DEFAULT_TEMPLATES = "delobelle-evaluated"
"""The eleven templates that Delobelle et al. compare."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A test whose words stand in templates.

    Attributes:
        test: the test.
        words: of each list, the words that every template and the model can take.
        asked: number of different words given.
        vectors: of each list, shape (templates, words, representations, dimension).
        skipped: the other words, with the reason.
    """

    test: WordListTest
    words: Mapping[str, tuple[str, ...]]
    asked: int
    vectors: Mapping[str, NDArray[np.float64]]
    skipped: tuple[Skipped, ...]

    def setting(self, name: str, representation: int, templates: slice = slice(None)) -> Setting:
        """The associations in some templates, by one representation.

        Args:
            name: what to call the setting.
            representation: position of the representation.
            templates: positions of the templates.
        """
        x, y, a, b = (self.vectors[key][templates, :, representation] for key in LISTS)

        def associations(words: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.column_stack([association(w, *ab) for w, *ab in zip(words, a, b, strict=True)])

        return Setting(name, associations(x), associations(y))


def target_templates(templates: str | Sequence[str | Template], language: str, mask: str) -> list[Template]:
    """The templates that an option names, each with the slot ``{target}``.

    Args:
        templates: the name of a packaged set, or a list of templates or of texts with slots in braces.
        language: language of the set, and of texts.
        mask: the model's mask token, empty when it has none.

    Raises:
        InputError: no template, or one with a ``{mask}`` for a model that has no mask token.
        DataError: a text is no template, or a template has no slot ``{target}``, or others than that and ``{mask}``.
        UnknownNameError: no such set, or the set has no such language; the text names those there are.
    """
    from ...data.templates import Template, load_templates, parse_template

    if isinstance(templates, str):
        chosen = list(load_templates(templates, language))
    elif not isinstance(templates, Iterable):
        raise InputError(f"templates must be the name of a set or a list of templates, not {templates!r}")
    else:
        chosen = [t if isinstance(t, Template) else parse_template(t, language=language) for t in templates]
    if not chosen:
        raise InputError("templates is empty: give the name of a set, or at least one template")
    for template in chosen:
        template.require("target")
        if extra := set(template.slots) - {"target", "mask"}:
            raise DataError(
                f"the template {template.text!r} has the slot {{{min(extra)}}}, and only {{target}} can be filled here"
            )
        if "mask" in template.slots and not mask:
            raise InputError(
                f"the template {template.text!r} has a mask, and this model has no mask token: choose other templates"
            )
    return chosen


def language_of(test: WordListTest) -> str:
    """Language tag of a test, English where it names none."""
    return "en" if test.language == "und" else test.language


def mask_token(model: Any) -> str:
    """The model's mask token, empty when it has none."""
    return getattr(getattr(model, "tokenizer", None), "mask_token", None) or ""


def read_test(
    model: Any,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    templates: Sequence[Template],
    representations: Sequence[Representation],
    max_missing: float,
    method: str,
) -> Reading:
    """Embed the words of a test in templates.

    Raises:
        CoverageError: a list loses more than ``max_missing`` of its words.
        DataError: the test does not follow the schema.
        InputError: more than one test, or a word in both target lists.
        UndefinedScoreError: no test, or an empty list.
    """
    check_share(max_missing)
    parsed = parsed_tests(method, tests)
    if len(parsed) > 1:
        raise InputError(
            f"{method} compares the settings of one test at a time, and {len(parsed)} were given: choose one of "
            f"{', '.join(t.name for t in parsed)}"
        )
    test = parsed[0]
    fold = str.lower if getattr(model, "is_uncased", False) else str
    skipped: list[Skipped] = []
    words: dict[str, tuple[str, ...]] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    asked = 0
    check_lists(test, {name: {w: fold(w) for w in getattr(test, name)} for name in LISTS})
    for name in LISTS:
        where = f"{test.name}/{name}"
        given: dict[str, str] = {}
        for word in getattr(test, name):
            if fold(word) in given:
                skipped.append(Skipped(word, "given again, counted once", where))
            given.setdefault(fold(word), word)
        distinct = list(given.values())
        asked += len(distinct)
        array, kept, lost = vectors_in_templates(
            model, templates, distinct, representations, mask=mask_token(model)
        )
        skipped += [Skipped(s.item, f"{s.reason} (template {s.where})", where) for s in lost]
        if lost:
            check_coverage(
                where,
                [s.item for s in lost],
                len(distinct),
                max_missing,
                found=f"can be embedded with {model.name}",
                missing=f"cannot be embedded with {model.name}",
                advice=f"{lost[0].item}: {lost[0].reason}; use other words or another model",
            )
        words[name] = tuple(distinct[i] for i in kept)
        vectors[name] = array
    return Reading(test, words, asked, vectors, tuple(skipped))


def compatibility_result(
    method: str,
    model: Any,
    reading: Reading,
    settings: Sequence[Setting],
    described: Sequence[Mapping[str, Any]],
    *,
    compared: str,
    subset_size: int,
    n_subsets: int,
    ddof: int,
    n_resamples: int,
    ci_resamples: int,
    level: float,
    seed: int,
    options: Mapping[str, Any],
    extra: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
) -> Result:
    """Compare settings over subsets of the targets and make the result.

    Args:
        method: name of the method.
        model: the model, for its identity.
        reading: the test.
        settings: what is compared.
        described: for each setting, what its row of the breakdown says of it.
        compared: what one setting is, in the plural.
        subset_size, n_subsets, ddof, n_resamples, ci_resamples, level, seed: as in
            :func:`~evaluate_bias.methods.agreement.compatibility.compatibility`.
        options: further options, for the record.
        extra: further facts.
        warnings: what a reader must know.
    """
    n_x, n_y = len(reading.words["targets_x"]), len(reading.words["targets_y"])
    subsets = draw_subsets(n_x, n_y, size=subset_size, count=n_subsets, seed=seed)
    found = compatibility(
        settings,
        subsets,
        ddof=ddof,
        n_resamples=n_resamples,
        ci_resamples=ci_resamples,
        level=level,
        seed=seed,
    )
    k = len(settings)
    low, high = found.interval or (None, None)
    return Result(
        method=method,
        score=found.mean_r,
        score_range=(-1.0, 1.0),
        direction="higher_is_more_robust",
        ideal=1.0,
        n=n_x + n_y,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        ci_method="bootstrap over the target words, normal on Fisher's scale" if found.interval else "",
        p_value=found.p_mean,
        p_method=f"reordering of the words within their lists for each setting, {n_resamples} times, one-sided",
        coverage=Coverage(sum(map(len, reading.words.values())), reading.asked),
        items=_pairs(found),
        groups=tuple(
            {
                "name": name,
                **facts,
                "score": float((found.r[i].sum() - 1.0) / (k - 1)),
                "mean_effect_size": float(found.scores[:, i].mean()),
                "sd_effect_size": float(found.scores[:, i].std(ddof=1)),
                "n": n_x + n_y,
            }
            for i, (name, facts) in enumerate(zip(found.names, described, strict=True))
        ),
        skipped=reading.skipped,
        warnings=tuple(warnings),
        extra={
            "compared": compared,
            "names": found.names,
            "r": found.r,
            "p_value": found.p_value,
            "p_holm": found.p_holm,
            "p_naive": found.p_naive,
            "scores": found.scores,
            "subsets": _subsets(subsets, reading),
            **(extra or {}),
        },
        settings={
            "test": reading.test.name,
            **options,
            "subset_size": subset_size,
            "n_subsets": n_subsets,
            "ddof": ddof,
            "n_resamples": n_resamples,
            "ci_resamples": ci_resamples,
            "level": level,
            "seed": seed,
        },
        provenance={"model": dict(model.provenance()), "versions": software_versions()},
    )


def _pairs(found: Compatibility) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "a": found.names[i],
            "b": found.names[j],
            "r": float(found.r[i, j]),
            "p_value": float(found.p_value[i, j]),
            "p_holm": float(found.p_holm[i, j]),
            "p_naive": float(found.p_naive[i, j]),
        }
        for i, j in zip(*np.triu_indices(len(found.names), 1), strict=True)
    )


def _subsets(subsets: Subsets, reading: Reading) -> list[dict[str, list[str]]]:
    x, y = reading.words["targets_x"], reading.words["targets_y"]
    return [
        {"targets_x": [x[i] for i in in_x], "targets_y": [y[i] for i in in_y]}
        for in_x, in_y in zip(subsets.x.tolist(), subsets.y.tolist(), strict=True)
    ]
