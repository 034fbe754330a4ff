"""Do templates agree about a bias? (Delobelle, Tokpo, Calders and Berendt 2022, section 4.2)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike

from ....data.templates import Template
from ....data.word_lists import WordListTest
from ....errors import InputError
from ....method import Finding, method
from ....models.base import Capability, ContextEmbedder, can
from ....models.masked import MaskedRequest
from ....models.pooling import Representation
from ....options import Ddof, Subsets
from ....result import Skipped
from ...embedding import resolve_representation
from ...template_filling import fill, one_language, read_words, template_texts
from ...word_lists.inference import Inference
from .. import compatibility
from .record import RECORD


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    templates: str | Sequence[str | Template] = compatibility.DEFAULT_TEMPLATES,
    representation: str | Representation = "auto",
    subset_size: Annotated[int, Ge(2)] = 10,
    n_subsets: Subsets = 20,
    ddof: Ddof = 1,
    inference: Inference,
) -> Finding:
    """Correlate the WEAT effect sizes that different templates give, over subsets of the targets.

    Every word of a test appears in every template. A subset of the targets has one effect size for each
    template. If the templates measured the same thing, their effect sizes would rise and fall together from
    subset to subset. For masked language models the distributions at the masked target are compared as well.

    Args:
        model: a model that embeds words in context.
        tests: one word-list test.
        templates: name of a packaged set, or templates or texts with the slot ``{target}``, two or more.
        representation: what is taken from a sentence, see
            :class:`~evaluate_bias.models.pooling.Representation`. ``"auto"``: the representation of the whole sentence,
            which is ``cls`` (as in the paper) if the model has one, ``last_token`` of a causal model, ``sentence_mean``
            of word vectors.
        subset_size: words of each target list in a subset.
        n_subsets: number of subsets.
        n_resamples: number of reorderings of the permutation test.
        ci_resamples: number of bootstrap samples, 0 for no interval.

    Returns:
        Mean Pearson correlation over all pairs of templates, range -1 to 1, ideal 1, higher is more robust. ``items``
        has every pair with its permutation p-value, Holm-adjusted too, and the p-value of an ordinary test, which is
        not valid because subsets overlap. ``groups`` has every template. ``details`` has the matrices, the scores, the
        subsets, and for masked language models ``divergence``: Kullback-Leibler divergences in nats from the first
        template, over the full vocabulary and over the attribute words.

    Raises:
        CapabilityError: the model does not embed words in context, or not in this representation.
        CoverageError: a list loses too many words.
        DataError: a test does not follow the schema, or a template lacks the slot ``{target}``.
        InputError: an option is out of range, more than one test, fewer than two templates, lists that are shorter than
            a subset, or a set without templates in the test's language.
        UndefinedScoreError: an effect size does not exist, or does not vary over the subsets.
        UnknownNameError: no such set of templates.

    References:
        Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers: A Comparative Study on
        Bias Metrics for Pre-trained Language Models. NAACL 2022, section 4.2.
    """
    parsed_representation = resolve_representation(model, representation)
    test = compatibility.one_test(tests, RECORD.name)
    language = one_language(RECORD.name, [test.language])
    mask = compatibility.mask_token(model)
    chosen = compatibility.target_templates(templates, language, mask)
    if len(chosen) < 2:
        raise InputError(
            f"`templates` must name at least two templates, got {len(chosen)}", option="templates"
        )
    embedded = compatibility.embed_test(model, test, chosen, [parsed_representation], inference)
    settings = [embedded.setting(t.id, 0, slice(i, i + 1)) for i, t in enumerate(chosen)]
    divergences: dict[str, Any] | str = f"{model.name} fills no masks"
    if can(model, Capability.FILLS_MASK) and mask:
        words = [*embedded.words["attributes_a"], *embedded.words["attributes_b"]]
        divergences = template_divergences(model, chosen, words, mask)
    undefined = isinstance(divergences, str)
    return compatibility.compatibility_finding(
        embedded,
        settings,
        [{"labels": {"title": t.text}} for t in chosen],
        (subset_size, n_subsets),
        ddof,
        inference,
        options={"templates": template_texts(templates), "representation": str(parsed_representation)},
        details={
            "texts": [t.text for t in chosen],
            "divergence": None if undefined else divergences,
            **({"no_divergence": divergences} if undefined else {}),
        },
    )


def kl_divergence(log_p: ArrayLike, log_q: ArrayLike) -> float:
    """Kullback-Leibler divergence of p from q, sum of p (log p − log q), in nats.

    Args:
        log_p: log-weights of p over a set of tokens, shape (n,). They are normalised first.
        log_q: log-weights of q over the same tokens.

    Returns:
        0 or more, 0 for equal distributions. It is not symmetric.

    Raises:
        InputError: a value is NaN or infinite.

    Examples:
        >>> round(kl_divergence(np.log([0.5, 0.5]), np.log([0.9, 0.1])), 4)
        0.5108
    """
    from scipy.special import log_softmax

    p, q = (log_softmax(np.asarray(weights, dtype=np.float64)) for weights in (log_p, log_q))
    if not (np.isfinite(p).all() and np.isfinite(q).all()):
        raise InputError("a log-probability is NaN or infinite: a divergence needs finite ones")
    # KL(p‖q) = Σ p (log p − log q). p and q contain normalised logarithms, shape (n,).
    return max(0.0, float(np.exp(p) @ (p - q)))


def template_divergences(
    model: Any, templates: Sequence[Template], words: Sequence[str], mask: str
) -> dict[str, Any] | str:
    """Compare the distributions at the masked target of every template with the first template's.

    ``rows`` has the divergence of each template from the first one, in nats, over the full vocabulary and over those
    ``words`` that are one token in every template, in both directions. If it is missing, a string says why.
    """
    fillings = [[fill(t, target=word, mask=mask) for t in templates] for word in words]
    clozes_in_order = iter(read_words(model, [f for row in fillings for f in row], masks=True))
    tokens: dict[str, list[int]] = {}
    skipped: list[Skipped] = []
    for word in words:
        clozes = [next(clozes_in_order) for _ in templates]
        reason = next((c for c in clozes if isinstance(c, str)), "")
        ids = [[c.encoded.ids[p] for p in c.pieces["target"]] for c in clozes if not isinstance(c, str)]
        if not reason and any(len(pieces) > 1 for pieces in ids):
            reason = "more than one token, so one mask cannot replace it"
        if reason:
            skipped.append(Skipped(word, reason, "divergence"))
        else:
            tokens[word] = [pieces[0] for pieces in ids]
    # The article stays as it is for the word that the mask replaces: the first word that fits every template.
    model_word = next((i for i, row in enumerate(fillings) if not any(isinstance(f, str) for f in row)), None)
    if model_word is None:
        return "no word fits every template"
    masked = [f.replace({"target": mask}) for f in fillings[model_word] if not isinstance(f, str)]
    opened = read_words(model, masked, masks=True)
    requests = []
    for cloze in opened:
        if isinstance(cloze, str) or len(cloze.pieces["target"]) != 1:
            return "the model does not read its mask token in every template"
        requests.append(MaskedRequest(cloze.encoded, cloze.pieces["target"]))
    log_p = [np.asarray(d[0], dtype=np.float64) for d in model.mask_distributions(requests)]
    columns = list(tokens.values())
    # log_p: one array of shape (vocabulary,) per template. restricted: one of shape (words,) per template.
    restricted = [p[[ids[i] for ids in columns]] for i, p in enumerate(log_p)] if len(columns) > 1 else None
    rows = [
        {
            "name": template.id,
            "full": kl_divergence(p, log_p[0]),
            "full_reverse": kl_divergence(log_p[0], p),
            "words": kl_divergence(restricted[i], restricted[0]) if restricted else None,
            "words_reverse": kl_divergence(restricted[0], restricted[i]) if restricted else None,
        }
        for i, (template, p) in enumerate(zip(templates, log_p, strict=True))
    ]
    return {
        "from": templates[0].id,
        "unit": "nats",
        "rows": rows,
        "words": tuple(tokens),
        "words_left_out": tuple(skipped),
    }
