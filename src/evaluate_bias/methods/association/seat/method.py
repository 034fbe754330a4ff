"""SEAT: the association test on representations of sentences, or of words in them (May et al. 2019).

:func:`evaluate` also covers WEAT on contextual models (``templates="none"``); :func:`sweep` compares representations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from ....errors import InputError
from ....method import Finding, method
from ....models.base import ContextEmbedder, WrappedModel
from ....models.pooling import Layer, Representation
from ....options import Ddof
from ....result import Result, Skipped
from ...embedding import resolve_representation, with_layer
from ...word_lists.association import association_test
from ...word_lists.distinct import distinct_test
from ...word_lists.effect_sizes import MeanAbsolute, effect_size_outcome, target_split
from ...word_lists.inference import Inference, difference_test
from ...word_lists.inputs import LISTS, Tests, parsed_tests
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import TestOutcome
from .clustered import SentenceTest
from .record import RECORD
from .stimuli import (
    PAPER,
    SentenceMaterial,
    Templates,
    embed,
    prepare,
    shown_templates,
    stimuli_of,
    words_without_vector,
)

PRESETS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "may": (PAPER, "auto"),  # May et al. (2019), NAACL
        "tan_celis": (PAPER, "target_first"),  # Tan and Celis (2019), NeurIPS
        "lauscher": ("none", "first4_mean"),  # Lauscher, Lueken and Glavaš (2021), Findings of EMNLP
        "delobelle": ("delobelle-bleached", "target_mean"),  # Delobelle et al. (2022), NAACL
    }
)
"""Published settings by name: templates, and what is taken from a sentence."""


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    tests: Tests,
    *,
    preset: Literal["may", "tan_celis", "lauscher", "delobelle"] | None = None,
    templates: Templates | None = None,
    representation: Representation | str | None = None,
    layer: Layer | None = None,
    ddof: Ddof = 1,
    inference: Inference,
) -> Finding:
    """Run SEAT.

    Every word is put into the templates made for its kind; each sentence, or the word in it, becomes one vector; and
    the effect size d of WEAT is computed on these vectors. Equal sentences count as often as they arise, and those of a
    word given twice, or in letters that the model does not tell apart, count twice, as sentences of one word. The
    p-value splits words, on the mean association of each; the paper's permutation test
    splits sentences as if they were independent, which sentences made of one word are not, and stands beside it as
    ``p_sentences``. The interval draws words with all their sentences.

    With one test the score is its effect size. With several it is the mean of their absolute effect sizes, with its
    mean under chance as ``expected_by_chance``, as in WEAT; controls are left out of it.

    Args:
        model: a model that embeds texts: a masked or causal language model, an encoder, or word vectors.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``. With ``templates="none"`` the items may be ready sentences.
        preset: ``"may"``, ``"tan_celis"``, ``"lauscher"`` or ``"delobelle"``: templates and representation of a paper,
            see :data:`PRESETS`.
        templates: ``"seat"`` (the default: bleached templates, and those of the double binds for these tests), the name
            of another set, a list of templates such as ``["This is {target}."]``, ``"none"`` (every item stands alone,
            which is WEAT on a contextual model), or a mapping with one of these for ``"targets"`` and for
            ``"attributes"``.
        representation: ``"cls"``, ``"target_first"``, ``"target_mean"``, ``"sentence_mean"``, ``"first4_mean"``,
            ``"last_token"``, one of these with a layer (``"cls@-2"``), or ``"auto"`` (the default: that of the
            sentence, as the paper takes it: ``cls`` where the model has one, ``last_token`` of a causal model,
            ``sentence_mean`` of word vectors).
        layer: layer of the representation: 1 to L, 0 for the embeddings, negative numbers from the end, a tuple for the
            mean of several, ``"mean"`` for that of all; the last by default.

    Returns:
        Score d, range ±2 for target sets with equally many sentences and a little wider for others, two-sided, ideal 0;
        of several tests the mean absolute d, from 0 up, where higher is more biased. ``n`` is the number of target
        words, and the rows give the number of their sentences.

    Raises:
        CapabilityError: the model does not embed texts, or has no such representation.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
        DataError: a template has not exactly one slot, or a test does not follow the schema.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists; or there are
            no templates in the language of a test.
        UndefinedScoreError: a list is empty, a target list has one sentence, or the associations do not vary.
        UnknownNameError: no such set of templates.

    References:
        May, Wang, Bordia, Bowman and Rudinger (2019): On Measuring Social Biases in Sentence Encoders. NAACL-HLT 2019,
        622-628.

    Examples:
        Word vectors take part with the mean of a sentence's words:

        >>> from evaluate_bias import load_model
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "is": [0.3, 0.5],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...     "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}],
        ...     templates=["{target}", "is {target}"])
        >>> round(result.score, 3), result.items[0]["sentences_x"], round(result.p_value, 4)
        (1.82, 4, 0.3333)
    """
    if preset is None:
        templates, representation = PAPER if templates is None else templates, representation or "auto"
    elif templates is not None or representation is not None:
        raise InputError(
            f"`preset` {preset!r} sets `templates` and `representation`",
            option="preset",
            hint="omit these, or `preset`",
        )
    else:
        templates, representation = PRESETS[preset]
    parsed = parsed_tests("seat", tests)
    distinct_tests = [distinct_test(model, t, inference.same_vector, inference.max_missing) for t in parsed]
    stimuli = [stimuli_of(t, distinct.forms, templates) for t, distinct in distinct_tests]
    resolved = resolve_representation(model, with_layer(representation, layer))
    vectors = embed(model, stimuli, resolved)
    materials = [
        prepare(model.name, t, distinct, s, vectors, inference.max_missing)
        for (t, distinct), s in zip(distinct_tests, stimuli, strict=True)
    ]
    if lost := words_without_vector(model, vectors):
        words = ", ".join(map(repr, lost[:8])) + (" …" if len(lost) > 8 else "")
        materials[0].warnings.append(
            f"{len(lost)} words of the templates have no vector and are ignored in the means of sentences: "
            f"{words}"
        )
    return measure_materials(
        RECORD,
        materials,
        lambda material, test_inference: _outcome(material, ddof, test_inference),
        inference,
        MeanAbsolute(tested="permutation test of words", resampled="target and attribute words"),
        settings={"templates": shown_templates(templates), "representation": str(resolved)},
    )


def sweep(
    model: ContextEmbedder,
    tests: Tests,
    representations: Sequence[Representation | str],
    **options: Any,
) -> dict[str, Result]:
    """Run SEAT with several representations, all read from the same forward passes.

    Args:
        model: a model that embeds texts.
        tests: word-list tests.
        representations: what to take from each sentence, see :func:`evaluate`.
        options: the other options of :func:`evaluate`.

    Returns:
        For every representation, as it is written, the result of :func:`evaluate`.

    Raises:
        BiasError: as :func:`evaluate`.
    """
    if not representations:
        raise InputError(
            "`representation` is empty",
            option="representation",
            hint="name at least one, such as 'sentence_mean'",
        )
    parsed_representations = [resolve_representation(model, r) for r in representations]
    reader = _ReadOnce(model, parsed_representations)
    return {str(r): evaluate(reader, tests, **options, representation=str(r)) for r in parsed_representations}


class _ReadOnce(WrappedModel):
    """A model that takes all of some representations from the first pass over a text, and remembers them."""

    def __init__(self, model: ContextEmbedder, to_read: Sequence[Representation]) -> None:
        super().__init__(model)
        self._wanted = to_read
        self._found: dict[tuple[str, tuple[int, int] | None], Any] = {}

    def embed_in_context(
        self,
        texts: Sequence[str],
        spans: Sequence[tuple[int, int] | None] | None,
        representations: Sequence[Representation | str],
    ) -> list[Any]:
        spans = spans or [None] * len(texts)
        if any(r.needs_span for r in self._wanted):
            spans = [span or (0, len(text)) for text, span in zip(texts, spans, strict=True)]
        places = list(zip(texts, spans, strict=True))
        if new := [place for place in dict.fromkeys(places) if place not in self._found]:
            vectors = self._model.embed_in_context([t for t, _ in new], [s for _, s in new], self._wanted)
            self._found |= dict(zip(new, vectors, strict=True))
        columns = [self._wanted.index(Representation.parse(r)) for r in representations]
        return [v if isinstance(v := self._found[place], Skipped) else v[columns] for place in places]


def _outcome(material: SentenceMaterial, ddof: int, inference: Inference) -> TestOutcome:
    sentences = SentenceTest.from_vectors(material.vectors, material.owners, ddof=ddof)
    outcome = association_test(sentences, inference, material.words.values())
    counts = [np.bincount(word_numbers) for word_numbers in material.owners]
    of_x, of_y = (int(c.sum()) for c in counts[:2])
    over_words = outcome.permutation.statistic
    opposite = (
        f"d, in which every sentence counts once, is {outcome.effect_size:.2f}, and with every word counted once the "
        f"difference has the other sign ({over_words:.2g}): the sign depends on how many sentences each word has"
    )
    columns = {name: {"sentences": c.tolist()} for name, c in zip(LISTS, counts, strict=True)}
    of_words = zip(LISTS[:2], material.owners[:2], sentences.sides, sentences.split, strict=True)
    for name, word, scores, means in of_words:  # standard deviation (ddof 0) over each word's sentences
        variance = np.bincount(word, (scores - means[word]) ** 2) / np.bincount(word)
        columns[name]["association_sd"] = np.sqrt(variance).tolist()
    return effect_size_outcome(
        outcome,
        (of_x, of_y),
        facts={
            "p_sentences": difference_test(*sentences.sides, sentences.tolerance, inference).p_value,
            **{f"sentences_{key}": int(c.sum()) for key, c in zip("xyab", counts, strict=True)},
        },
        row_facts={
            "mean_x": float(np.average(outcome.associations_x, weights=counts[0])),
            "mean_y": float(np.average(outcome.associations_y, weights=counts[1])),
        },
        word_columns=columns,
        warnings=[opposite] if over_words * outcome.difference < 0 else [],
        split=target_split(material.words, outcome, np.concatenate(counts[:2])),
    )
