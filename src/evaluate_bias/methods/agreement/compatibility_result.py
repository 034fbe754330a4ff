"""What template and representation compatibility share around their arithmetic: reading a test, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import stats
from ...data.templates import Template
from ...data.word_lists import WordListTest
from ...errors import InputError
from ...method import Finding
from ...models.pooling import Representation
from ...result import Coverage, Row, Skipped
from ..correlation import without_interval
from ..embedding import embed_in_templates
from ..template_filling import templates_for
from ..word_lists.cosines import association
from ..word_lists.distinct import distinct_test
from ..word_lists.inference import Inference
from ..word_lists.inputs import LISTS, Material, check_scored, each_once, parsed_tests
from .compatibility import Compatibility, Setting, compatibility, draw_subsets

DEFAULT_TEMPLATES = "delobelle-evaluated"
"""The eleven templates that Delobelle et al. compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedTest(Material):
    """A test whose words stand in templates.

    Attributes:
        vectors: of each list, shape (templates, words, representations, dimension).
    """

    vectors: Mapping[str, NDArray[np.float64]]

    def setting(self, name: str, representation: int, templates: slice) -> Setting:
        """The associations in some templates, by one representation."""
        x, y, a, b = (self.vectors[key][templates, :, representation] for key in LISTS)

        # s(w, A, B) = mean cos(w, a) − mean cos(w, b), each template with its own vectors: shape (words, templates).
        def associations(words: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.column_stack([association(w, *ab) for w, *ab in zip(words, a, b, strict=True)])

        return Setting(name, associations(x), associations(y))


def target_templates(templates: str | Sequence[str | Template], language: str, mask: str) -> list[Template]:
    """The templates that an option names, each with the slot ``{target}`` and perhaps ``{mask}``.

    Raises:
        InputError: a template has a ``{mask}`` and the model no mask token, or as of
            :func:`~evaluate_bias.methods.template_filling.templates_for`.
    """
    chosen = templates_for(templates, language, ["target"], optional=["mask"])
    for template in chosen:
        if "mask" in template.slots and not mask:
            raise InputError(
                f"the template {template.text!r} has a mask, and this model has no mask token",
                option="templates",
                hint="choose other templates",
            )
    return chosen


def mask_token(model: Any) -> str:
    """The model's mask token, empty when it has none."""
    return getattr(getattr(model, "tokenizer", None), "mask_token", None) or ""


def one_test(tests: Sequence[WordListTest | Mapping[str, Any]], method: str) -> WordListTest:
    """The test whose settings are compared.

    Raises:
        DataError: the test does not follow the schema.
        InputError: more than one test.
        UndefinedScoreError: no test.
    """
    parsed: list[WordListTest] = parsed_tests(method, tests)
    if len(parsed) > 1:
        raise InputError(
            f"{method} compares the settings of one test at a time, and {len(parsed)} were given",
            option="tests",
            hint=f"choose one of {', '.join(t.name for t in parsed)}",
        )
    return parsed[0]


def embed_test(
    model: Any,
    test: WordListTest,
    templates: Sequence[Template],
    representations: Sequence[Representation],
    inference: Inference,
) -> EmbeddedTest:
    """Embed the words of a test in templates.

    Raises:
        CoverageError: a list loses more than the largest share that may be missing.
        InputError: a word is in both target lists.
        UndefinedScoreError: a list is empty.
    """
    max_missing = inference.max_missing
    test, distinct = distinct_test(model, test, inference.same_vector, max_missing)
    forms, skipped = distinct.forms, [*distinct.skipped]
    words: dict[str, tuple[str, ...]] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    sizes: dict[str, int] = {}
    for name in LISTS:
        where = f"{test.name}/{name}"
        unique, again = each_once(getattr(test, name), forms[name], where, "word")
        skipped += again
        # In the order of their text, so that words given in another order are in the same subsets.
        unique.sort(key=forms[name].__getitem__)
        sizes[name] = len(unique)
        vectors[name], places, lost = embed_in_templates(
            model, templates, unique, representations, mask=mask_token(model)
        )
        skipped += [Skipped(s.item, f"{s.reason} (template {s.where})", where) for s in lost]
        reasons = {s.item: s.reason for s in lost}
        check_scored(model, where, reasons, len(unique), max_missing, scored="embedded")
        words[name] = tuple(unique[i] for i in places)
    return EmbeddedTest(
        test=test,
        words=words,
        list_sizes=distinct.requested(sizes),
        skipped=skipped,
        warnings=distinct.warnings,
        vectors=vectors,
    )


def compatibility_finding(
    embedded: EmbeddedTest,
    settings: Sequence[Setting],
    described: Sequence[Mapping[str, Any]],
    subsets: tuple[int, int],
    ddof: int,
    inference: Inference,
    options: Mapping[str, Any],
    details: Mapping[str, Any],
) -> Finding:
    """Compare settings over subsets of the targets and make what the method returns.

    ``described`` has ``labels`` and ``details`` of each setting's row of the breakdown, ``subsets`` the size and number
    of these; ``options`` are kept with the result where they were not given so, and so are ``details``.
    """
    x, y = (embedded.words[name] for name in LISTS[:2])
    size, count = subsets
    draws = draw_subsets(x, y, size=size, count=count, seed=inference.seed)
    outcome = compatibility(
        settings,
        draws,
        words=(x, y),
        ddof=ddof,
        n_resamples=inference.n_resamples,
        ci_resamples=inference.ci_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )
    low, high = outcome.interval or (None, None)
    # Reordering a list that every subset takes whole changes nothing.
    drawn_from = [n for n in (len(x), len(y)) if n > size]
    notes: list[str] = []
    if inference.ci_resamples and outcome.interval is None:
        notes = without_interval({"their mean": outcome.mean_r}) or [stats.NO_WIDTH]
    return Finding(
        score=outcome.mean_r,
        n=len(x) + len(y),
        ci_low=low,
        ci_high=high,
        ci_method="bootstrap over the target words, normal on Fisher's scale" if outcome.interval else "",
        p_value=outcome.p_mean,
        p_method=f"reordering of the words within their lists for each setting, {outcome.orders}, one-sided",
        coverage=Coverage(sum(map(len, embedded.words.values())), sum(embedded.list_sizes.values())),
        rows=_rows(outcome, described, len(x) + len(y), stats.smallest_order_p(*drawn_from)),
        skipped=embedded.skipped,
        warnings=[*embedded.warnings, *notes],
        details={
            **{
                key: getattr(outcome, key) for key in ("names", "r", "p_value", "p_holm", "p_naive", "scores")
            },
            "smallest_p": stats.smallest_order_p(*drawn_from, times=len(settings) - 1),
            "subsets": [
                {"targets_x": [x[i] for i in in_x], "targets_y": [y[i] for i in in_y]}
                for in_x, in_y in zip(*(places.tolist() for places in draws), strict=True)
            ],
            **details,
        },
        settings={"test": embedded.test.name, **options},
    )


def _rows(
    outcome: Compatibility, described: Sequence[Mapping[str, Any]], n: int, smallest_p: float
) -> list[Row]:
    """Every setting with its mean correlation with the others, and every two settings."""
    others = len(outcome.names) - 1
    groups = [
        Row(
            name=name,
            kind="group",
            score=float((outcome.r[i].sum() - 1.0) / others),
            n=n,
            labels=facts.get("labels", {}),
            details={
                **facts.get("details", {}),
                "mean_effect_size": float(outcome.scores[:, i].mean()),
                "sd_effect_size": float(outcome.scores[:, i].std(ddof=1)),
            },
        )
        for i, (name, facts) in enumerate(zip(outcome.names, described, strict=True))
    ]
    pairs = [
        Row(
            name=f"{a} and {b}",
            kind="item",
            score=float(outcome.r[i, j]),
            p_value=float(outcome.p_value[i, j]),
            p_holm=float(outcome.p_holm[i, j]),
            labels={"a": a, "b": b},
            details={"p_naive": float(outcome.p_naive[i, j]), "smallest_p": smallest_p},
        )
        for (i, a), (j, b) in combinations(enumerate(outcome.names), 2)
    ]
    return [*groups, *pairs]
