"""SEAT: the association test on representations of sentences, or of words in them (May et al. 2019).

:func:`evaluate` also covers WEAT on contextual models (``templates="none"``). :func:`sweep` compares
representations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....data.templates import Template, TemplateSet
from ....data.word_lists import WordListTest
from ....errors import DataError, InputError, UnknownNameError, quoted
from ....method import Finding, method
from ....models.base import ContextEmbedder, WrappedModel
from ....models.pooling import Layer, Representation
from ....options import Ddof
from ....result import Result, Skipped
from ....text import stable_order
from ...embedding import resolve_representation, with_layer
from ...template_filling import named_templates, template_texts
from ...word_lists.association import AssociationTest, association_test
from ...word_lists.cosines import TOLERANCE, check_vectors, draw_weights, split_similarities
from ...word_lists.distinct import DistinctWords, distinct_test
from ...word_lists.effect_sizes import MeanAbsolute, effect_size_outcome, target_split
from ...word_lists.inference import Inference, difference_test
from ...word_lists.inputs import LISTS, Forms, Material, Tests, caveats, check_coverage, parsed_tests
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import TestOutcome
from .record import RECORD

_OneSide = str | Sequence[str | Template]
Templates = _OneSide | Mapping[str, _OneSide]
"""A set's name, templates of one's own, ``"none"``, or one of these for ``"targets"`` and ``"attributes"`` each."""

PAPER = "seat"
"""The templates of May et al.: bleached ones, and the ones for the double binds of these tests."""

_BLEACHED = "seat-bleached"
_DOUBLE_BIND = "double-bind-attribute"
_OWN: Mapping[str, Mapping[str, str]] = {
    f"double-bind-{kind}": {"targets": f"double-bind-{kind}", "attributes": _DOUBLE_BIND}
    for kind in ("competent", "likable")
}
"""Tests that the paper puts into templates of their own."""

_SLOTS = {"targets": ("target",), "attributes": ("attribute", "target")}
_WORD = re.compile(r"[^\W_]+")
Place = tuple[str, tuple[int, int]]
"""A text, and the position of the word in it."""

Owners = NDArray[np.intp]
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

    Every word is put into the templates made for its kind. Each sentence, or the word in it, becomes one
    vector, and the effect size d of WEAT is computed on these vectors. Equal sentences count as often as they arise.
    The sentences of a word that is given twice, or in letters that the model does not tell apart, count twice, as
    sentences of one word. The p-value splits words, on the mean association of each. The paper's permutation test
    splits sentences as if they were independent, which sentences made of one word are not, and is reported next to it
    as ``p_sentences``. The interval draws words with all their sentences.

    With one test the score is its effect size. With several it is the mean of their absolute effect sizes, with its
    mean under chance as ``expected_by_chance``, as in WEAT. Controls are excluded.

    Args:
        model: a model that embeds texts: a masked or causal language model, an encoder, or word vectors.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``. With ``templates="none"`` the items may be ready sentences.
        preset: ``"may"``, ``"tan_celis"``, ``"lauscher"`` or ``"delobelle"``: templates and representation of a paper,
            see :data:`PRESETS`.
        templates: ``"seat"`` (the default: bleached templates, and double-bind templates for these tests), the name
            of another set, a list of templates such as ``["This is {target}."]``, ``"none"`` (every item stands alone,
            which is WEAT on a contextual model), or a mapping with one of these for ``"targets"`` and for
            ``"attributes"``.
        representation: ``"cls"``, ``"target_first"``, ``"target_mean"``, ``"sentence_mean"``, ``"first4_mean"``,
            ``"last_token"``, one of these with a layer (``"cls@-2"``), or ``"auto"`` (the default: the whole
            sentence's, as in the paper: ``cls`` if the model has one, ``last_token`` of a causal model,
            ``sentence_mean`` of word vectors).
        layer: layer of the representation: 1 to L, 0 for the embeddings, negative numbers from the end, a tuple for the
            mean of several, ``"mean"`` for the mean of all. By default the last.

    Returns:
        Score d, range ±2 for target sets with equally many sentences and a little wider for others,
        two-sided, ideal 0. For several tests it is the mean absolute d, from 0 up, where higher is more biased. ``n``
        is the number of target words, and the rows give the number of their sentences.

    Raises:
        CapabilityError: the model does not embed texts, or has no such representation.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        DataError: a template does not have exactly one slot, or a test does not follow the schema.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, or a set has no
            templates in the language of a test.
        UndefinedScoreError: a list is empty, a target list has one sentence, or the associations do not vary.
        UnknownNameError: no such set of templates.

    References:
        May, Wang, Bordia, Bowman and Rudinger (2019): On Measuring Social Biases in Sentence Encoders. NAACL-HLT 2019,
        622-628.

    Examples:
        Word vectors represent a sentence by the mean of its words:

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

    def compute(material: SentenceMaterial, inference: Inference) -> TestOutcome:
        sentences = SentenceTest.from_vectors(material.vectors, material.owners, ddof=ddof)
        outcome = association_test(sentences, inference, material.words.values())
        counts = [np.bincount(word_numbers) for word_numbers in material.owners]
        of_x, of_y = (int(c.sum()) for c in counts[:2])
        over_words = outcome.permutation.statistic
        opposite = (
            f"d, in which every sentence counts once, is {outcome.effect_size:.2f}, and with every word counted once "
            f"the difference has the other sign ({over_words:.2g}): the sign depends on how many sentences each word "
            "has"
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

    return measure_materials(
        RECORD,
        materials,
        compute,
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
        representations: what to read from each sentence, see :func:`evaluate`.
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
    """A model that reads several representations in the first pass over a text, and remembers them."""

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


@dataclass(frozen=True, kw_only=True)
class SentenceTest(AssociationTest):
    """Sentences on target words, scored by their association with the sentences on attribute words.

    Attributes:
        cos_a: cosines of the target sentences, X first, with the sentences of A, shape (m_x + m_y, m_a).
        cos_b: cosines with the sentences of B, shape (m_x + m_y, m_b).
        owners: for each list, the number of the word each sentence belongs to, counted from 0 without gaps, shape (m,).
    """

    cos_a: FloatArray
    cos_b: FloatArray
    owners: tuple[Owners, Owners, Owners, Owners]

    units = "target sentences"
    tolerance = TOLERANCE

    @classmethod
    def from_vectors(
        cls, sets: Sequence[ArrayLike], owners: Sequence[ArrayLike], *, ddof: int = 1
    ) -> SentenceTest:
        """Sentences by their vectors.

        Args:
            sets: first and second targets, first and second attributes, each of shape (sentences, dimension).
            owners: for each set, the number of the word each sentence belongs to, counted from 0 without gaps.
            ddof: 1 for the sample standard deviation over sentences, 0 for the population's.

        Raises:
            InputError: shapes differ, or a vector is zero, NaN or infinite.
            UndefinedScoreError: a set is empty.

        Examples:
            Two words with two sentences each, on either side:

            >>> from evaluate_bias.methods.word_lists.association import association_test
            >>> x = [[1.0, 0.0], [1.0, 0.1], [0.9, 0.2], [1.0, 0.3]]
            >>> y = [[0.0, 1.0], [0.1, 1.0], [0.3, 1.0], [0.2, 0.8]]
            >>> pairs = [0, 0, 1, 1]
            >>> a, b, owners = [[1.0, 0.0]], [[0.0, 1.0]], [pairs, pairs, [0], [0]]
            >>> t = association_test(SentenceTest.from_vectors([x, y, a, b], owners))
            >>> round(t.effect_size, 3), round(t.permutation.p_value, 4)
            (1.849, 0.3333)
        """
        x, y, a, b = check_vectors(**dict(zip(LISTS, sets, strict=True)))
        of_x, of_y, of_a, of_b = (np.asarray(word_numbers, dtype=np.intp) for word_numbers in owners)
        cos_a, cos_b = split_similarities(np.concatenate([x, y]), a, b)
        return cls(n_first=len(x), ddof=ddof, cos_a=cos_a, cos_b=cos_b, owners=(of_x, of_y, of_a, of_b))

    @cached_property
    def scores(self) -> FloatArray:
        """Association of every target sentence, shape (m_x + m_y,)."""
        return np.asarray(self.cos_a.mean(axis=1) - self.cos_b.mean(axis=1))

    @cached_property
    def split(self) -> tuple[FloatArray, FloatArray]:
        """Mean association of every word of X and of Y."""
        of_x, of_y = (
            np.bincount(word_numbers, scores) / np.bincount(word_numbers)
            for word_numbers, scores in zip(self.owners[:2], self.sides, strict=True)
        )
        return of_x, of_y

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of words of X, Y, A and B."""
        return tuple(int(word_numbers.max()) + 1 for word_numbers in self.owners)

    @property
    def cells(self) -> int:
        """Numbers that one bootstrap sample needs, with a weight for every sentence."""
        return 4 * len(self.cos_a)

    @cached_property
    def _counts(self) -> list[FloatArray]:
        """For each list the number of sentences of every word, shape (words,)."""
        return [np.bincount(word_numbers).astype(np.float64) for word_numbers in self.owners]

    @cached_property
    def _sums(self) -> list[FloatArray]:
        """For A and B the cosines summed over the sentences of every word, shape (target sentences, words)."""
        return [
            np.asarray(
                cosines @ (word_numbers[:, None] == np.arange(word_numbers.max() + 1)).astype(np.float64)
            )
            for cosines, word_numbers in zip((self.cos_a, self.cos_b), self.owners[2:], strict=True)
        ]

    def resampled(self, indices: list[NDArray[Any]]) -> FloatArray:
        """Effect size of bootstrap samples, in which word w of a list is drawn k_w times with all its sentences.

        A target sentence i then has the weight k_i of its word, and with m_w sentences of word w

            s_i = Σ_{w in A} k_w Σ_{j of w} cos(i, j) / Σ_{w in A} k_w m_w, less the same for B,
            d   = (mean of s over X − mean over Y) / sqrt(Σ_i k_i (s_i − mean)² / (Σ_i k_i − ddof)),

        where every mean of s is weighted with k_i.
        """
        # k of every word, shape (batch, words), list by list
        x, y, a, b = (
            draw_weights(word_indices, size) * word_indices.shape[1]
            for word_indices, size in zip(indices, self.sizes, strict=True)
        )
        to_a, to_b = (
            (k @ sums.T) / (k @ counts)[:, None]
            for k, sums, counts in zip((a, b), self._sums, self._counts[2:], strict=True)
        )
        s = to_a - to_b  # (batch, target sentences), as is all that follows up to the sums over sentences
        weights = np.concatenate([x[:, self.owners[0]], y[:, self.owners[1]]], axis=1)
        n = weights.sum(axis=1)
        deviation = s - ((weights * s).sum(axis=1) / n)[:, None]
        sd = np.sqrt((weights * deviation**2).sum(axis=1) / (n - self.ddof))
        weighted = weights * deviation
        mean_x, mean_y = (
            weighted[:, side].sum(axis=1) / weights[:, side].sum(axis=1)
            for side in (slice(None, self.n_first), slice(self.n_first, None))
        )
        return self.divided(mean_x - mean_y, sd)

    def without(self, kind: int) -> Iterator[tuple[FloatArray, int] | None]:
        """Associations without all sentences of each word of one list."""
        for word in range(self.sizes[kind]):
            if self.sizes[kind] == 1:
                yield None
                continue
            masks = [np.ones(len(word_numbers), dtype=bool) for word_numbers in self.owners]
            masks[kind] = self.owners[kind] != word
            rows = np.concatenate(masks[:2])
            to_a, to_b = self.cos_a[rows][:, masks[2]], self.cos_b[rows][:, masks[3]]
            yield to_a.mean(axis=1) - to_b.mean(axis=1), int(masks[0].sum())


@dataclass(frozen=True, slots=True)
class StimulusSentence:
    """A text to embed, the characters where the word appears, and the number of that word."""

    text: str
    span: tuple[int, int]
    word: int


@dataclass(frozen=True, slots=True)
class ListStimuli:
    """The words of a list that the model tells apart, their sentences (equal ones as often as they arise), and what
    gave none."""

    words: tuple[str, ...]
    sentences: tuple[StimulusSentence, ...]
    skipped: tuple[Skipped, ...]


def stimuli_of(test: WordListTest, forms: Forms, templates: Templates) -> dict[str, ListStimuli]:
    """Put the words of each of a test's lists into templates. A test that names no language is taken as English.

    Words of one form are the same word, and have the sentences of all.
    """
    language = "en" if test.language == "und" else test.language
    if templates != "none" and (
        sentence := next((x for x in test.targets_x if x.endswith(".") and " " in x), None)
    ):
        raise InputError(
            f"{test.name}: {quoted(sentence)} is a sentence, which does not fit into templates",
            option="templates",
            hint="set `templates` to 'none'",
        )
    sides = {side: _read(option, language, side) for side, option in _sides(templates, test.name).items()}
    stimuli: dict[str, ListStimuli] = {}
    for name in LISTS:
        items, of_list, side = getattr(test, name), forms[name], sides[name.partition("_")[0]]
        where = f"{test.name}/{name}"
        # Called by the least of their spellings: the same in any order of the list.
        called = {of_list[word]: word for word in sorted(set(items), reverse=True)}
        words = tuple(dict.fromkeys(called[of_list[word]] for word in items))
        number = {word: words.index(called[of_list[word]]) for word in items}
        sentences: list[StimulusSentence] = []
        skipped: list[Skipped] = []
        for word in items:
            if side is None:
                sentences.append(StimulusSentence(word, (0, len(word)), number[word]))
                continue
            if " " in word and word.endswith((".", "!", "?")):
                raise InputError(
                    f"{where}: {word!r} is a sentence already",
                    option="templates",
                    hint="set `templates` to 'none'",
                )
            templates, slot = side
            made = templates.expand([word], slot)
            sentences += [StimulusSentence(s.text, s.spans[slot], number[word]) for s in made.sentences]
            for s in made.skipped:
                reason = f"template {s.where}: {s.reason}" if s.where else s.reason
                skipped.append(Skipped(word, reason, where))
        stimuli[name] = ListStimuli(words, tuple(sentences), tuple(dict.fromkeys(skipped)))
    return stimuli


def shown_templates(templates: Templates) -> Any:
    """Return the option as it can appear in a result's settings."""
    if isinstance(templates, Mapping):
        return {side: template_texts(option) for side, option in templates.items()}
    return template_texts(templates)


def _sides(templates: Templates, test: str) -> Mapping[str, _OneSide]:
    if templates == PAPER:
        return _OWN.get(test, dict.fromkeys(_SLOTS, _BLEACHED))
    if not isinstance(templates, Mapping):
        return dict.fromkeys(_SLOTS, templates)
    if set(templates) != set(_SLOTS):
        raise InputError(
            "`templates` by side must have the keys 'targets' and 'attributes', got "
            f"{', '.join(map(repr, templates))}",
            option="templates",
        )
    return templates


def _read(option: _OneSide, language: str, side: str) -> tuple[TemplateSet, str] | None:
    """Return the templates of one side and their slot, ``None`` if words are used alone."""
    if option == "none":
        return None
    try:
        chosen = TemplateSet(tuple(named_templates(option, language)))
    except UnknownNameError as error:
        raise UnknownNameError(
            error.kind, option, [*error.known, PAPER, "none"], option="templates"
        ) from None
    slots = {t.slots for t in chosen}
    if slot := next((s for s in _SLOTS[side] if slots == {(s,)}), ""):
        return chosen, slot
    wrong = next((t for t in chosen if len(t.slots) != 1 or t.slots[0] not in _SLOTS[side]), chosen[0])
    raise DataError(
        f"the template {wrong.text!r} cannot contain the {side} of seat: it needs the one slot "
        f"{' or '.join('{' + s + '}' for s in _SLOTS[side])}, the same in all templates"
    )


def embed(
    model: ContextEmbedder, stimuli: Sequence[Mapping[str, ListStimuli]], representation: Representation
) -> dict[Place, Any]:
    """Embed every distinct text and place once, shape (dimension,). If the model cannot, return a skip."""
    places = list(
        dict.fromkeys((s.text, s.span) for test in stimuli for one in test.values() for s in one.sentences)
    )
    # A ready sentence has no word to look for unless the representation asks for one, which then is all of it.
    spans = [
        span if representation.needs_span or " " not in text or span != (0, len(text)) else None
        for text, span in places
    ]
    vectors = model.embed_in_context([text for text, _ in places], spans, [representation]) if places else []
    return {
        place: vector if isinstance(vector, Skipped) else vector[0]
        for place, vector in zip(places, vectors, strict=True)
    }


def words_without_vector(model: Any, places: Iterable[Place]) -> list[str]:
    """Return words of the templates that have no vector, which the mean of a sentence omits."""
    if not hasattr(model, "embed_words"):
        return []
    rest = " ".join(dict.fromkeys(f"{text[:start]} {text[end:]}" for text, (start, end) in places))
    words = list(dict.fromkeys(_WORD.findall(rest)))
    _, missing = model.embed_words(words) if words else (None, [])
    return [words[i] for i in missing]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceMaterial(Material):
    """A test by the sentences on its words.

    Attributes:
        vectors: of the sentences of each list, shape (sentences, dimension).
        owners: for each list, the number of the word each sentence belongs to, shape (sentences,).
    """

    warnings: list[str]
    vectors: Sequence[NDArray[np.float64]]
    owners: Sequence[NDArray[np.intp]]


def prepare(
    model: str,
    test: WordListTest,
    distinct: DistinctWords,
    stimuli: Mapping[str, ListStimuli],
    vectors: Mapping[Place, Any],
    max_missing: float,
) -> SentenceMaterial:
    """Gather the vectors of a test. Refuses a list that loses too many of its words."""
    words: dict[str, tuple[str, ...]] = {}
    forms, left_out, warnings = distinct.forms, [*distinct.skipped], [*distinct.warnings]
    of_lists, owners = [], []
    for name in LISTS:
        where, one = f"{test.name}/{name}", stimuli[name]
        embedded_sentences: list[StimulusSentence] = []
        skipped: list[Skipped] = []
        for sentence in one.sentences:
            vector = vectors[sentence.text, sentence.span]
            if isinstance(vector, Skipped):
                reason = f"{sentence.text!r}: {vector.reason}"
                skipped.append(Skipped(one.words[sentence.word], reason, where))
            elif not vector.any():
                raise InputError(
                    f"{where}: the embedding of {sentence.text!r} is zero, so its cosine is undefined"
                )
            else:
                embedded_sentences.append(sentence)
        left_out += [*one.skipped, *skipped]
        having = {s.word for s in embedded_sentences}
        embedded_words = [i for i in stable_order(one.words) if i in having]
        lost = [word for i, word in enumerate(one.words) if i not in having]
        reason = next((s.reason for s in (*one.skipped, *skipped) if s.item in lost), "")
        advice = "use words the model knows, or another model"
        if any(s.item in lost for s in one.skipped):  # the templates are what did not take a word
            advice = "use `templates` that fit any word, such as ['This is {target}.'], or 'none'"
        check_coverage(
            where,
            lost,
            len(one.words),
            max_missing,
            missing=f"give no sentence that {model} can embed",
            advice=f"the first because {reason}; {advice}",
        )
        number = {word: i for i, word in enumerate(embedded_words)}
        embedded_sentences.sort(key=lambda s: number[s.word])
        words[name] = tuple(one.words[i] for i in embedded_words)
        of_lists.append(np.stack([vectors[s.text, s.span] for s in embedded_sentences]).astype(np.float64))
        owners.append(np.array([number[s.word] for s in embedded_sentences], dtype=np.intp))
        for word in one.words:
            alike = [w for w in getattr(test, name) if forms[name][w] == forms[name][word]]
            spelt = ", ".join(map(repr, sorted(set(alike))))
            if len(alike) > 1:
                warnings.append(f"{where}: {spelt} is given {len(alike)} times and counts as often")
    found_forms = {name: {w: forms[name][w] for w in items} for name, items in words.items()}
    return SentenceMaterial(
        test=test,
        words=words,
        list_sizes=distinct.requested({name: len(stimuli[name].words) for name in LISTS}),
        skipped=left_out,
        warnings=[*warnings, *caveats(test.name, found_forms, words)],
        vectors=of_lists,
        owners=owners,
    )
