"""Do templates agree about a bias? (Delobelle, Tokpo, Calders and Berendt 2022, section 4.2)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....data.schemas import WordListTest
from ....errors import InputError
from ....method import Finding, method
from ....models.base import ContextEmbedder, FillsMask
from ....models.pooling import Representation
from ...embedding import resolve_representation
from ...template_filling import one_language, template_texts
from ...word_lists.inference import Inference
from ..compatibility_result import (
    DEFAULT_TEMPLATES,
    compatibility_finding,
    embed_test,
    mask_token,
    one_test,
    target_templates,
)
from .divergence import template_divergences
from .record import RECORD

if TYPE_CHECKING:
    from ....data.templates import Template


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    templates: str | Sequence[str | Template] = DEFAULT_TEMPLATES,
    representation: str | Representation = "auto",
    subset_size: int = 10,
    n_subsets: int = 20,
    ddof: int = 1,
    inference: Inference,
) -> Finding:
    """Correlate the WEAT effect sizes that different templates give, over subsets of the targets.

    Every word of a test stands in every template; a subset of the targets has one effect size for each template. If
    the templates measured the same thing, their effect sizes would rise and fall together from subset to subset. Of
    masked language models the distributions at the masked target are compared as well.

    Args:
        model: a model that embeds words in context.
        tests: one word-list test.
        templates: name of a packaged set, or templates or texts with the slot ``{target}``; two or more.
        representation: what is taken from a sentence, see
            :class:`~evaluate_bias.models.pooling.Representation`; ``"auto"``: that of the whole sentence, which is
            ``cls`` (as in the paper) where the model has one, ``last_token`` of a causal model, ``sentence_mean`` of
            word vectors.
        subset_size: words of each target list in a subset.
        n_subsets: number of subsets.
        n_resamples: number of reorderings of the permutation test.
        ci_resamples: number of bootstrap samples; 0 for no interval.

    Returns:
        Mean Pearson correlation over all pairs of templates, range -1 to 1, ideal 1, higher is more robust. ``items``
        has every pair with its permutation p-value, Holm-adjusted too, and the p-value of an ordinary test, which is
        not valid because subsets overlap; ``groups`` every template; ``details`` the matrices, the scores, the subsets,
        and for masked language models ``divergence``: Kullback-Leibler divergences in nats from the first template,
        over the full vocabulary and over the attribute words.

    Raises:
        CapabilityError: the model does not embed words in context, or not in this representation.
        CoverageError: a list loses too many words.
        DataError: a test does not follow the schema, or a template has not the slot ``{target}``.
        InputError: an option is out of range, more than one test, fewer than two templates, or lists that are shorter
            than a subset; or there are no templates in the test's language.
        UndefinedScoreError: an effect size does not exist, or does not vary over the subsets.
        UnknownNameError: no such set of templates.

    References:
        Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers: A Comparative Study on
        Bias Metrics for Pre-trained Language Models. NAACL 2022, section 4.2.
    """
    parsed_representation = resolve_representation(model, representation)
    test = one_test(tests, RECORD.name)
    language = one_language(RECORD.name, [test.language])
    mask = mask_token(model)
    chosen = target_templates(templates, language, mask)
    if len(chosen) < 2:
        raise InputError(f"templates can be compared when there are at least two, and there is {len(chosen)}")
    embedded = embed_test(model, test, chosen, [parsed_representation], inference)
    settings = [embedded.setting(t.id, 0, slice(i, i + 1)) for i, t in enumerate(chosen)]
    words = [*embedded.words["attributes_a"], *embedded.words["attributes_b"]]
    fills_masks = isinstance(model, FillsMask) and mask
    divergences = (
        template_divergences(model, chosen, words, mask) if fills_masks else f"{model.name} fills no masks"
    )
    return compatibility_finding(
        embedded,
        settings,
        [{"labels": {"title": t.text}} for t in chosen],
        (subset_size, n_subsets),
        ddof,
        inference,
        compared="templates",
        options={
            "templates": template_texts(templates),
            "representation": str(parsed_representation),
        },
        details={
            "texts": [t.text for t in chosen],
            **(
                {"divergence": None, "no_divergence": divergences}
                if isinstance(divergences, str)
                else {"divergence": divergences}
            ),
        },
    )
