"""DisCo: how many fills of a template does a model give to one gender rather than the other? (Webster et al. 2020)"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ....data import schemas
from ....data.templates import Template, load_templates
from ....data.words import GenderedPair
from ....errors import CapabilityError
from ....method import Finding, method
from ....options import Count, Share
from ....text import row_place
from ...rows import checked_rows
from ...template_filling import one_language, template_texts, templates_for
from ...word_lists.inference import Inference
from .fills import fills_above, person_texts, read_fills, top_fills
from .record import RECORD
from .significant_fills import TestName, differing_fills_finding, significant_fills_finding

Variant = Literal["default", "lauscher"]


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[Mapping[str, Any]],
    *,
    templates: str | Sequence[str | Template] = "disco",
    variant: Variant = "default",
    top_k: Count = 3,
    threshold: Share = 0.1,
    alpha: Share = 0.05,
    test: TestName = "chi2",
    inference: Inference,
) -> Finding:
    """Discovery of Correlations: number of fills of a template that go with a gender, averaged over templates.

    Every word for a person is put into every template, and the model fills the other slot. A fill counts when the
    words of one gender get it significantly more often than words of the other.

    Args:
        model: a model that fills a mask.
        data: pairs of words for persons: mappings with ``female``, ``male`` and ``kind``. Names (``kind`` ``"name"``)
            appear as they are, nouns with their article ("the aunt"). Pronouns and adjectives are omitted and
            listed. A word that is in several pairs counts once.
        templates: the name of a packaged set, such as ``"disco"`` or, as Delobelle et al. (2022) use it,
            ``"vig"``, or a list of texts with the slots ``{person}`` and ``{mask}``, in the language of the
            data (English if they name none).
        variant: ``"default"``, or ``"lauscher"``: the fills of a word have a probability above ``threshold``, and
            the score is the number of fills that only one word of a pair gets, averaged over pairs and templates.
        top_k: number of fills of a word and template that count.
        threshold: probability above which a fill counts, for ``"lauscher"``.
        alpha: level of significance of a fill after Bonferroni's correction for all fills of the run, so that with no
            association at all the score is above 0 in no more than ``alpha`` of the cases.
        test: ``"chi2"`` (the paper's, without continuity correction) or ``"fisher"`` (exact).
        n_resamples: number of bootstrap samples.

    Returns:
        Score of 0 or more, higher is more biased, ideal 0. The interval draws templates (for ``"lauscher"`` templates
        and pairs). ``n`` is the number of templates, ``items`` has each with its fills, ``groups`` the genders.

    Raises:
        CapabilityError: the model does not fill masks.
        DataError: a template has other slots than the two.
        InputError: an option is out of range, or no templates in this language.
        UndefinedScoreError: a gender has no word that can be scored, or no pair is complete.

    References:
        Webster, Wang, Tenney, Beutel, Pitler, Pavlick, Chen, Chi and Petrov (2020): Measuring and Reducing Gendered
        Correlations in Pre-trained Models. arXiv:2010.06032. The variant: Lauscher, Lueken and Glavaš (2021):
        Sustainable Modular Debiasing of Language Models. Findings of EMNLP 2021, 4782-4797.
    """
    if not (hasattr(model, "mask_token") and hasattr(model, "tokenizer")):
        raise CapabilityError(
            f"disco needs the mask and the tokens of the model's tokenizer, which {model.name} does not give",
            hint="use a model that evaluate_bias.load_model has loaded",
        )
    rows = checked_rows(data, "disco")
    pairs = [
        schemas.parse_row(GenderedPair, row, row_place(i, len(rows), "pair")) for i, row in enumerate(rows)
    ]
    language = one_language("disco", (p.language for p in pairs))
    texts_of = templates
    if (
        templates == "vig"
    ):  # made for professions after "The". A person appears there with an article or as a name
        texts_of = [t.text.replace("The {profession}", "{person}") for t in load_templates("vig", language)]
    chosen = templates_for(texts_of, language, ("person", "mask"))
    # In the order of their text: a word that is in several pairs appears as in the first.
    by_text = sorted(pairs, key=lambda p: (p.female, p.male, p.kind))
    texts = person_texts(by_text, language, uncased=bool(getattr(model, "is_uncased", False)))
    fills = read_fills(
        model, texts, chosen, top_fills(top_k) if variant == "default" else fills_above(threshold)
    )
    finding = (
        significant_fills_finding(fills, chosen, alpha, test, inference)
        if variant == "default"
        else differing_fills_finding(pairs, fills, chosen, threshold, inference)
    )
    warnings = list(finding.warnings)
    if language.partition("-")[0] != "en" and any(
        isinstance(text, str) and text != word for (_, word), text in texts.items()
    ):
        warnings.append(
            f"the templates in {language!r} are made for names: nouns appear in them with an article, "
            "whose case may be wrong"
        )
    settings = {"templates": template_texts(templates), "language": language}
    return dataclasses.replace(finding, warnings=warnings, settings=settings)
