"""Do representations of a word agree about a bias? (Delobelle, Tokpo, Calders and Berendt 2022, section 4.3)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from annotated_types import Ge

from ....data.templates import Template
from ....data.word_lists import WordListTest
from ....method import Finding, method
from ....models.base import ContextEmbedder
from ....models.pooling import Representation
from ....options import Ddof, Subsets
from ...template_filling import one_language, template_texts
from ...word_lists.inference import Inference
from .. import compatibility
from .record import RECORD

DEFAULT_REPRESENTATIONS = (
    "cls",
    "bare:cls",
    "target_mean",
    "bare:target_mean",
    "target_first",
    "bare:first4_mean",
)
"""The six of the paper's appendix C, in templates or, after ``bare:``, with the word alone."""

_BARE = "bare:"


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    representations: Sequence[str] = DEFAULT_REPRESENTATIONS,
    templates: str | Sequence[str | Template] = compatibility.DEFAULT_TEMPLATES,
    subset_size: Annotated[int, Ge(2)] = 10,
    n_subsets: Subsets = 20,
    ddof: Ddof = 1,
    inference: Inference,
) -> Finding:
    """Correlate the WEAT effect sizes that different representations give, over subsets of the targets.

    The score of a subset in a representation is its effect size averaged over the templates, or its effect size with
    the words alone. If the representations measured the same thing, these would rise and fall together from subset to
    subset.

    Args:
        model: a model that embeds words in context.
        tests: one word-list test.
        representations: two or more, each written as in :class:`~evaluate_bias.models.pooling.Representation`
            (``"target_mean@-2"``), after ``"bare:"`` for the word alone instead of templates.
        templates: name of a packaged set, or templates or texts with the slot ``{target}``.
        subset_size: words of each target list in a subset.
        n_subsets: number of subsets.
        n_resamples: number of reorderings of the permutation test.
        ci_resamples: number of bootstrap samples, 0 for no interval.

    Returns:
        Mean Pearson correlation over all pairs of representations, range -1 to 1, ideal 1, higher is more robust.
        ``items`` has every pair with its permutation p-value, Holm-adjusted too, and the p-value of an ordinary test,
        which is not valid because subsets overlap. ``groups`` has every representation, and ``details`` has the
        matrices, the scores and the subsets.

    Raises:
        CapabilityError: the model does not embed words in context, or not in one of these representations.
        CoverageError: a list loses too many words.
        DataError: a test does not follow the schema, or a template lacks the slot ``{target}``.
        InputError: an option is out of range, more than one test, fewer than two representations, a layer the model
            does not have, lists that are shorter than a subset, or a set without templates in the test's language.
        UndefinedScoreError: an effect size does not exist, or does not vary over the subsets.
        UnknownNameError: no such set of templates.

    References:
        Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers: A Comparative Study on
        Bias Metrics for Pre-trained Language Models. NAACL 2022, section 4.3 and appendix C.
    """
    parsed_representations = _parsed(representations)
    test = compatibility.one_test(tests, RECORD.name)
    language = one_language(RECORD.name, [test.language])
    in_templates = any(not bare for bare, _ in parsed_representations)
    chosen = (
        compatibility.target_templates(templates, language, compatibility.mask_token(model))
        if in_templates
        else []
    )
    bare = compatibility.target_templates("bare", "en", "")
    embedded = compatibility.embed_test(
        model, test, [*chosen, *bare], [r for _, r in parsed_representations], inference
    )
    k = len(chosen)
    settings = [
        embedded.setting(_name(alone, r), i, slice(k, k + 1) if alone else slice(0, k))
        for i, (alone, r) in enumerate(parsed_representations)
    ]
    return compatibility.compatibility_finding(
        embedded,
        settings,
        [{"details": {"templates": 0 if alone else k}} for alone, _ in parsed_representations],
        (subset_size, n_subsets),
        ddof,
        inference,
        options={
            "representations": [_name(alone, r) for alone, r in parsed_representations],
            "templates": template_texts(templates) if in_templates else None,
        },
        details={},
    )


def _parsed(representations: Sequence[str]) -> list[tuple[bool, Representation]]:
    """Whether each is of the word alone, and what it is."""
    return [(r.startswith(_BARE), Representation.parse(r.removeprefix(_BARE))) for r in representations]


def _name(bare: bool, representation: Representation) -> str:
    return f"{_BARE if bare else ''}{representation}"
