"""CEAT: association tests on words in random contexts, combined by a random-effects model (Guo and Caliskan 2021)."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.contexts import Context, ContextSet, load_contexts
from ....data.word_lists import WordListTest
from ....errors import InputError, UndefinedScoreError, bad_option
from ....method import Finding, method
from ....method_record import MethodRecord
from ....models.base import ContextEmbedder
from ....models.pooling import Layer, Representation
from ....options import Count
from ....result import Estimate, Skipped
from ....stats import Interval
from ....text import has_dotless_i, lower_case
from ...embedding import with_layer
from ...word_lists import inputs
from ...word_lists.cosines import LARGEST, TOLERANCE, draw_weights, effect_size_bound
from ...word_lists.distinct import DistinctWords, distinct_test
from ...word_lists.effect_sizes import EffectSizes
from ...word_lists.inference import Inference, bootstrap_interval, difference_test
from ...word_lists.inputs import LISTS
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import Numbers, TestOutcome, TestRun
from .record import RECORD

Vectors = Sequence[NDArray[np.floating[Any]]]
Draws = Sequence[NDArray[np.integer[Any]]]
Variance: TypeAlias = Literal["reference", "hedges"]
_SAMPLES = 100
"""Samples of contexts that the bootstrap looks at. Words vary far more than the mean over so many contexts
does.
"""

_MAX_UNDEFINED = 0.05
_BLOCK_CELLS = 1 << 17
"""Numbers gathered at once, small enough for the processor's cache."""

ContextSource = str | Path | Sequence[str] | None
"""A corpus: one of the library's, a file, a Hub data set, or a list of sentences."""

QUANTILES: tuple[float, ...] = tuple(i / 40 for i in range(41))
"""Probabilities whose quantiles describe the effect sizes of the samples, in ``details["effect_sizes"]`` of a row."""

_FEW_CONTEXTS = 10
"""Words with fewer contexts in the corpus than this are named."""


@method(RECORD)
def evaluate(
    model: ContextEmbedder,
    tests: inputs.Tests,
    *,
    contexts: ContextSource = None,
    column: str | None = None,
    samples: Annotated[int, Ge(2), Le(1_000_000)] = 10_000,
    variance: Variance = "reference",
    representation: Representation | str = "target_mean",
    layer: Layer | None = None,
    max_contexts: Count | None = 100,
    min_contexts: Count = 1,
    replace: bool = True,
    cased: bool | None = None,
    inference: Inference,
) -> Finding:
    """Run CEAT.

    For every sample each word of a test is given one of its contexts at random, and the effect size of the association
    test is computed on the embeddings of the words there. The effect sizes of all samples are combined by a
    random-effects model (DerSimonian and Laird). Each word in each context is embedded once.

    The p-value comes from a permutation test that splits the target words, on the mean association of each
    over the samples. The interval comes from a bootstrap that draws words with all their contexts. The paper's own,
    from the random-effects model, are reported next to them as ``p_contexts`` and ``over_contexts``: they are about
    random contexts of these very words and get smaller with every further sample, whether or not other words would show
    the same.

    With several tests the score is the unweighted mean of their combined effect sizes, with the interval of that mean
    and no p-value: every test has its own. Controls are excluded, unless there is nothing else.

    Args:
        model: a model that embeds words in context: a masked or causal language model, or an encoder.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``.
        contexts: where sentences come from. ``None`` is the library's corpus in the language of the test. Others are
            the name of one of its corpora, a text file with one sentence per line, a table, the id of a Hub data set,
            or a list of sentences. See :func:`evaluate_bias.data.contexts.load_sentences`.
        column: column of a table, Hub data set or ``datasets.Dataset`` that contains the text. ``sentence``
            or ``text`` by default.
        samples: number of samples N, at least 2.
        variance: what a sample's effect size is weighted by: ``"reference"``, the variance of its associations, as in
            the paper, or ``"hedges"``, the sampling variance of an effect size.
        representation: what is taken from a context, as in SEAT.
        layer: layer of the representation, the last by default.
        max_contexts: number of contexts of a word to embed, chosen at random. ``None`` for all.
        min_contexts: words with fewer contexts are omitted and listed.
        replace: draw the contexts of a word with replacement, as the reference does. Otherwise no context is drawn
            twice, and words with fewer contexts than ``samples`` are omitted and listed.
        cased: whether capitals matter in finding words. ``None`` decides by the corpus.
        alternative: ``"two-sided"``, ``"greater"`` (what the reference code reports) or ``"less"``.
        ci_resamples: number of bootstrap samples of the words, 0 for no interval.
        seed: of the choice of contexts and of the draws. Each word draws from a stream of its own.

    Returns:
        Score: the combined effect size, range ±2 for target sets of equal size, two-sided, ideal 0. ``n`` is
        the number of target words. Each row has τ², I², Q, the standard error, and 41 quantiles of the effect
        sizes.

    Raises:
        CapabilityError: the model does not embed texts, or has no such representation.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        DataError: the contexts cannot be read, or a test does not follow the schema.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a list is empty, or the associations do not vary.

    References:
        Guo and Caliskan (2021): Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a
        Distribution of Human-like Biases. AIES 2021, 122-133.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "a": [0.3, 0.5],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8], "the": [0.6, 0.3]}
        >>> words = [w for w in vectors if len(w) > 3 or w in ("ant", "bad")]
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...     "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}],
        ...     contexts=[f"{article} {word}" for word in words for article in ("a", "the")],
        ...     representation="sentence_mean", samples=1000)
        >>> round(result.score, 1), result.items[0]["samples"], round(result.p_value, 4)
        (1.7, 1000, 0.3333)
    """
    if max_contexts is not None and max_contexts < min_contexts:
        raise bad_option("max_contexts", max_contexts, f"at least `min_contexts` ({min_contexts})")
    parsed_representation = Representation.parse(with_layer(representation, layer))
    distinct_tests = [
        distinct_test(model, t, inference.same_vector, inference.max_missing)
        for t in inputs.parsed_tests("ceat", tests)
    ]
    by_language = contexts_of([t for t, _ in distinct_tests], contexts, cased, column)
    forms = [found_forms(distinct, t, by_language) for t, distinct in distinct_tests]
    max_items = max_contexts if replace else samples
    needed = min_contexts if replace else max(min_contexts, samples)
    smaller = ", a smaller `min_contexts`" if needed > 1 else ""
    advice = "use a larger corpus as `contexts`" + (smaller if replace else ", fewer `samples`, or `replace`")

    def read(contexts: Mapping[tuple[str, str], WordContexts]) -> list[ContextMaterial]:
        return [
            read_test(t, distinct, test_forms, model.name, contexts, needed, inference.max_missing, advice)
            for (t, distinct), test_forms in zip(distinct_tests, forms, strict=True)
        ]

    read(counted(by_language, max_items))  # before the work of embedding: are there contexts enough at all?
    materials = read(embed_contexts(model, by_language, parsed_representation, max_items, inference.seed))
    if not inference.ci_resamples:
        inference = dataclasses.replace(inference, ci="none")

    def compute(material: ContextMaterial, inference: Inference) -> TestOutcome:
        """Sample one test and combine the effect sizes."""
        words, of_words = material.words, material.contexts
        # A word in several lists has one context in each sample.
        draws = {
            w: stream(inference.seed, w).integers(0, len(c.vectors), samples)
            if replace
            else stream(inference.seed, w).permutation(len(c.vectors))[:samples]
            for w, c in of_words.items()
        }
        vectors: Any = tuple([of_words[w].vectors for w in words[name]] for name in LISTS)
        chosen: Any = tuple([draws[w] for w in words[name]] for name in LISTS)
        effect_samples = sampled_effect_sizes(vectors, chosen)
        d, n_x, n_y = effect_samples.effect_sizes, len(words["targets_x"]), len(words["targets_y"])
        v = effect_samples.variances if variance == "reference" else stats.effect_size_variance(d, n_x, n_y)
        bound = effect_size_bound(n_x, n_y, 0)
        combined = stats.random_effects(
            d, v, alternative=inference.alternative, confidence_level=inference.confidence_level
        )
        columns: dict[str, dict[str, Any]] = {
            name: {"contexts": [len(of_words[w].vectors) for w in words[name]]} for name in LISTS
        }
        columns["targets_x"]["association"] = effect_samples.means_x.tolist()
        columns["targets_y"]["association"] = effect_samples.means_y.tolist()
        return TestOutcome(
            score=combined.effect,
            interval=interval_over_words(
                vectors,
                chosen,
                combined.effect,
                words=[words[name] for name in LISTS],
                variance=variance,
                inference=inference,
            ),
            permutation=difference_test(effect_samples.means_x, effect_samples.means_y, TOLERANCE, inference),
            score_range=(-bound, bound),
            facts={
                **{
                    key: getattr(combined, key)
                    for key in ("standard_error", "z", "tau2", "i2", "q", "q_p_value")
                },
                "p_contexts": combined.p_value,
                "over_contexts": Estimate(combined.effect, combined.low, combined.high),
                "samples": combined.n,
            },
            row_facts={
                "effect_sizes": {
                    "probabilities": QUANTILES,
                    "quantiles": np.quantile(d, QUANTILES),
                    "mean": float(d.mean()),
                    "sd": float(d.std(ddof=1)),
                },
                "n_undefined": effect_samples.n_undefined,
            },
            words=columns,
            warnings=_notes(of_words, effect_samples),
        )

    finding = measure_materials(
        RECORD,
        materials,
        compute,
        inference,
        CombinedEffects(tested=f"permutation test of words, {inference.alternative}", resampled="words"),
        {
            "contexts": contexts if contexts is None or isinstance(contexts, str) else "given by the caller",
            "representation": str(parsed_representation),
        },
    )
    return dataclasses.replace(
        finding,
        provenance={"contexts": {k: {"language": k, **texts.provenance} for k, texts in by_language.items()}},
        warnings=[
            f"interval and p-value over contexts shrink with the number of samples ({samples}) by construction: they "
            "speak of random contexts of these very words, not of other words",
            *finding.warnings,
        ],
    )


def _notes(contexts: Mapping[str, WordContexts], effect_samples: Samples) -> list[str]:
    notes = []
    few = [f"{w} ({len(c.vectors)})" for w, c in contexts.items() if c.n_contexts < _FEW_CONTEXTS]
    if few:
        notes.append(f"fewer than {_FEW_CONTEXTS} contexts of {', '.join(few)}")
    d = effect_samples.effect_sizes
    if not stats.has_width(d.min(), d.max(), TOLERANCE / float(np.sqrt(effect_samples.variances.min()))):
        notes.append(
            "all samples have the same effect size, so the interval and the p-value over contexts show nothing but the "
            "number of samples"
        )
    if effect_samples.n_undefined:
        notes.append(f"{effect_samples.n_undefined} samples have no effect size and are ignored")
    return notes


class CombinedEffects(EffectSizes):
    """The mean of several combined effect sizes."""

    def of_several(self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference) -> Numbers:
        """Fields of the finding, and further facts: the paper's interval, the tests taken as independent."""
        fields, facts = super().of_several(record, runs, inference)
        # The standard error of their mean, as often as in one test's interval.
        errors = [r.outcome.facts["standard_error"] for r in runs]
        error = float(np.sqrt(np.sum([e**2 for e in errors]))) / len(runs)
        first: Estimate = runs[0].outcome.facts["over_contexts"]
        half = error * (first.high - first.value) / errors[0]  # type: ignore[operator]
        effect = fields["score"]
        return fields, {**facts, "over_contexts": Estimate(effect, effect - half, effect + half)}


@dataclass(frozen=True, slots=True)
class WordContexts:
    """A word's embeddings in its contexts."""

    vectors: NDArray[np.floating[Any]]  # shape (contexts, dimension)
    n_contexts: int  # number of contexts in the corpus
    lost: tuple[str, ...] = ()  # why some that were chosen have no vector


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextMaterial(inputs.Material):
    """A test by the embeddings of its words in their contexts."""

    contexts: Mapping[str, WordContexts]


def language_of(test: WordListTest) -> str:
    """Language of a test, English if it names none."""
    return "en" if test.language == "und" else test.language


def stream(seed: int, word: str) -> np.random.Generator:
    """Return a random generator for one word, so that its draws do not depend on which other words there are."""
    return np.random.default_rng([seed, zlib.crc32(word.encode())])


def contexts_of(
    tests: Sequence[WordListTest], source: ContextSource, cased: bool | None, column: str | None = None
) -> dict[str, ContextSet]:
    """Find the words of all tests in the corpus, one pass per language."""
    if source is not None and not isinstance(source, (str, Path)) and not hasattr(source, "column_names"):
        # A generator could be read for one language only.
        source = list(source)
    words: dict[str, dict[str, None]] = {}
    for test in tests:
        of_language = words.setdefault(language_of(test), {})
        of_language.update((word, None) for name in LISTS for word in getattr(test, name))
    return {
        language: load_contexts(source, language_words, language=language, cased=cased, column=column)
        for language, language_words in words.items()
    }


def found_forms(
    distinct: DistinctWords, test: WordListTest, contexts: Mapping[str, ContextSet]
) -> dict[str, dict[str, str]]:
    """Return what the words of a test represent, to the model and in a search that may not look at capitals."""
    language = language_of(test)

    def fold(form: str) -> str:
        if contexts[language].provenance["cased"]:
            return form
        return lower_case(form, language) if has_dotless_i(language) else form.casefold()

    return {name: {w: fold(f) for w, f in forms.items()} for name, forms in distinct.forms.items()}


def counted(contexts: Mapping[str, ContextSet], max_items: int | None) -> dict[tuple[str, str], WordContexts]:
    """Return what :func:`embed_contexts` returns if every context can be embedded, without the vectors."""
    return {
        (language, word): WordContexts(np.empty((n if max_items is None else min(n, max_items), 0)), n)
        for language, of_language in contexts.items()
        for word, n in of_language.counts.items()
    }


def embed_contexts(
    model: ContextEmbedder,
    contexts: Mapping[str, ContextSet],
    representation: Representation,
    max_items: int | None,
    seed: int,
) -> dict[tuple[str, str], WordContexts]:
    """Embed every context of every word once, or ``max_items`` of a word chosen at random.

    The result is by language and word.

    The choice depends on nothing but the seed, the word and its contexts.
    """
    chosen: dict[tuple[str, str], list[Context]] = {}
    for language, of_language in contexts.items():
        for word in of_language.index:
            of_word = list(of_language[word])
            if max_items is not None and len(of_word) > max_items:
                chosen_places = stream(seed, word).choice(len(of_word), max_items, replace=False)
                of_word = [of_word[i] for i in np.sort(chosen_places)]
            chosen[language, word] = of_word
    places = list(dict.fromkeys(context for of_word in chosen.values() for context in of_word))
    texts, spans = [c.sentence for c in places], [(c.start, c.end) for c in places]
    embeddings = model.embed_in_context(texts, spans, [representation]) if places else []
    vectors = dict(zip(places, embeddings, strict=True))
    embedded = {}
    for (language, word), of_word in chosen.items():
        of_contexts = [v[0] for c in of_word if not isinstance(v := vectors[c], Skipped)]
        lost = tuple(v.reason for c in of_word if isinstance(v := vectors[c], Skipped))
        matrix = np.stack(of_contexts) if of_contexts else np.empty((0, 0), dtype=np.float32)
        embedded[language, word] = WordContexts(matrix, len(contexts[language].index[word]), lost)
    return embedded


def read_test(
    test: WordListTest,
    distinct: DistinctWords,
    forms: Mapping[str, Mapping[str, str]],
    model: str,
    embedded: Mapping[tuple[str, str], WordContexts],
    needed: int,
    max_missing: float,
    advice: str,
) -> ContextMaterial:
    """Return the words of a test that have enough contexts, in the order of their text, with their embeddings there."""
    inputs.check_lists(test, forms)
    words: dict[str, tuple[str, ...]] = {}
    n_unique: dict[str, int] = {}
    left_out: list[Skipped] = [*distinct.skipped]
    for name in LISTS:
        where, list_words = f"{test.name}/{name}", getattr(test, name)
        usable: list[str] = []
        lost: list[str] = []
        # Of words that differ only in capitals the lower-case one is kept, which is found at the beginning of
        # a sentence too.
        unique, skipped = inputs.each_once(sorted(list_words, reverse=True), forms[name], where, "word")
        for word in sorted(unique, key=list_words.index):
            places = embedded[language_of(test), word]
            n, n_lost = len(places.vectors), len(places.lost)
            (lost if n < needed else usable).append(word)
            reason = ""
            if not places.n_contexts:
                reason = "no sentence of the corpus contains it"
            elif not n:
                reason = f"none of the {n_lost} contexts chosen can be embedded, the first because: {places.lost[0]}"
            elif n < needed:
                reason = f"it has {n} contexts and {needed} are needed"
            elif n_lost:
                reason = f"{n_lost} of its contexts are ignored, the first because: {places.lost[0]}"
            if reason:
                skipped.append(Skipped(word, reason, where))
        inputs.check_coverage(
            where,
            lost,
            len(unique),
            max_missing,
            missing=f"have too few contexts that {model} can embed",
            advice=advice,
        )
        words[name], n_unique[name] = tuple(sorted(usable)), len(unique)
        left_out += skipped
    of_words = {name: {w: forms[name][w] for w in items} for name, items in words.items()}
    return ContextMaterial(
        test=test,
        words=words,
        list_sizes=distinct.requested(n_unique),
        skipped=left_out,
        warnings=[
            *distinct.warnings,
            *inputs.caveats(test.name, of_words, words, itself="with one context for both in a sample"),
        ],
        contexts={w: embedded[language_of(test), w] for items in words.values() for w in items},
    )


@dataclass(frozen=True, slots=True)
class Samples:
    """Outcome of :func:`sampled_effect_sizes`.

    Attributes:
        effect_sizes: effect size d of every sample in which it is defined, shape (N,).
        variances: variance of the associations of all targets in these samples, with ddof 1, shape (N,).
        means_x, means_y: mean association of every target word over these samples.
        n_undefined: number of samples omitted, because all targets were equally associated.
    """

    effect_sizes: FloatArray
    variances: FloatArray
    means_x: FloatArray
    means_y: FloatArray
    n_undefined: int


def sampled_effect_sizes(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors], draws: tuple[Draws, Draws, Draws, Draws]
) -> Samples:
    """Effect size of the association test in every sample of contexts.

    The mean cosine to a set of attributes is the scalar product with the mean of their unit vectors, so a sample costs
    one vector per word, whatever the number of pairs.

    Args:
        vectors: for X, Y, A and B, one array per word, of shape (contexts, dimension).
        draws: for each of them one integer array a word, of shape (N,): the context it has in each sample.

    Returns:
        Effect sizes with ddof 1, their variances, and the mean association of every word.

    Raises:
        InputError: a vector is zero.
        UndefinedScoreError: more than 5% of the samples have no
            effect size.

    References:
        Guo and Caliskan (2021), AIES 2021, 122-133.

    Examples:
        Two samples. In the second one the words x and y have changed places.

        >>> x, y, a, b = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]
        >>> first, both = np.array([0, 1]), np.array([0, 0])
        >>> sampled_effect_sizes(([np.array(x)], [np.array(y)], [np.array(a)], [np.array(b)]),
        ...                      ([first], [first], [both], [both])).effect_sizes.round(6).tolist()
        [1.414214, -1.414214]
    """
    n, dimension = len(draws[0][0]), vectors[0][0].shape[1]
    targets, attributes = ([unit(word) for of_list in vectors[k : k + 2] for word in of_list] for k in (0, 2))
    target_draws, attribute_draws = ([*draws[k], *draws[k + 1]] for k in (0, 2))
    shares = np.repeat([1.0 / len(vectors[2]), -1.0 / len(vectors[3])], [len(vectors[2]), len(vectors[3])])
    scaled = [word * share for word, share in zip(attributes, shares, strict=True)]
    s = np.empty((n, len(targets)))  # association of every target in every sample
    rows = max(1, _BLOCK_CELLS // dimension)
    for block in (slice(start, start + rows) for start in range(0, n, rows)):
        towards = np.zeros((len(s[block]), dimension))
        for word, word_draws in zip(scaled, attribute_draws, strict=True):
            towards += word[word_draws[block]]
        for k, (word, word_draws) in enumerate(zip(targets, target_draws, strict=True)):
            s[block, k] = np.einsum("nd,nd->n", word[word_draws[block]], towards)
    n_x, sd = len(vectors[0]), s.std(axis=1, ddof=1)
    defined = sd > TOLERANCE
    n_undefined = int(len(s) - defined.sum())
    if n_undefined > _MAX_UNDEFINED * len(s):
        raise UndefinedScoreError(
            f"the effect size is undefined in {n_undefined} of {len(s)} samples: all targets are equally associated, "
            "so the standard deviation is 0"
        )
    s, sd = s[defined], sd[defined]
    return Samples(
        effect_sizes=(s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)) / sd,
        variances=sd**2,
        means_x=s[:, :n_x].mean(axis=0),
        means_y=s[:, n_x:].mean(axis=0),
        n_undefined=n_undefined,
    )


def unit(word: NDArray[np.floating[Any]]) -> FloatArray:
    """Vectors of a word, scaled to length 1. Those without a direction, or too large for their squares, are refused."""
    array = word.astype(np.float64)
    if (largest := np.abs(array).max(initial=0.0)) > LARGEST:
        raise InputError(
            f"the largest component of an embedding is {largest:.3g}, whose square cannot be computed",
            hint=f"scale the embeddings to at most {LARGEST:g}",
        )
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    if not norms.all():
        raise InputError("an embedding is zero, so its cosine is undefined")
    return np.asarray(array / norms)


def interval_over_words(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors],
    draws: tuple[Draws, Draws, Draws, Draws],
    effect: float,
    *,
    words: Sequence[Sequence[str]],
    variance: Variance,
    inference: Inference,
) -> Interval | None:
    """Percentile bootstrap interval of the combined effect size, ``None`` if it has no width.

    Each list is resampled on its own and the effect sizes of up to 100 samples of contexts are computed and combined
    again. The interval is then shifted by the difference between these samples and all samples that ``effect``
    combines. A word drawn twice does not average out the noise of its context, so bootstrapped effects lie nearer to 0
    than the data's. BCa would correct this as a bias of the score and contain the truth in 83% of cases.

    Args:
        vectors: for X, Y, A and B, one array per word, of shape (contexts, dimension).
        draws: for each of them one integer array a word, of shape (N,): the context it has in each sample.
        effect: the combined effect size of all samples.
        words: the words of X, Y, A and B.
        variance: as for the score.
        inference: number of bootstrap samples, level and seed.
    """
    n_x, n_y, n_a, n_b = (len(words) for words in vectors)
    # Unit vectors of the words of each list in the first samples, shape (samples, words, dimension).
    x, y, a, b = (
        np.stack([unit(word)[word_draws[:_SAMPLES]] for word, word_draws in zip(*lists, strict=True)], axis=1)
        for lists in zip(vectors, draws, strict=True)
    )
    # (k, n, d) @ (k, d, m): cosines of the targets of a sample with its attributes, as (attributes, k · targets).
    cosines = np.concatenate([x, y], axis=1) @ np.concatenate([a, b], axis=1).transpose(0, 2, 1)
    k = len(cosines)
    to_a, to_b = (
        part.transpose(2, 0, 1).reshape(-1, k * (n_x + n_y))
        for part in (cosines[:, :, :n_a], cosines[:, :, n_a:])
    )

    def combined(indices: list[NDArray[np.intp]]) -> FloatArray:
        in_x, in_y, in_a, in_b = indices
        s = draw_weights(in_a, n_a) @ to_a - draw_weights(in_b, n_b) @ to_b
        s = s.reshape(len(s), k, n_x + n_y)  # associations, (batch, samples, targets)
        of_x, of_y = len(in_x[0]), len(in_y[0])
        w_x, w_y = draw_weights(in_x, n_x)[:, :, None], draw_weights(in_y, n_y)[:, :, None]
        mean_x, mean_y = (s[..., :n_x] @ w_x)[..., 0], (s[..., n_x:] @ w_y)[..., 0]
        share = np.concatenate([of_x * w_x, of_y * w_y], axis=1) / (of_x + of_y)
        mean = (of_x * mean_x + of_y * mean_y) / (of_x + of_y)
        spread = (((s - mean[..., None]) ** 2) @ share)[..., 0] * (of_x + of_y) / (of_x + of_y - 1)
        undefined = spread <= TOLERANCE**2
        spread = np.where(undefined, 1.0, spread)
        d = (mean_x - mean_y) / np.sqrt(spread)
        v = spread if variance == "reference" else stats.effect_size_variance(d, of_x, of_y)
        return np.where(undefined.any(axis=1), np.nan, stats.random_effects_mean(d, v))

    interval = bootstrap_interval(words, combined, inference, cells=k * (n_x + n_y))
    if interval is None:
        return None
    moved = effect - interval.estimate
    assert interval.replicates is not None
    return dataclasses.replace(
        interval,
        low=interval.low + moved,
        high=interval.high + moved,
        estimate=effect,
        replicates=interval.replicates + moved,
    )
