"""How likely attributes are after texts in prompts: what matched guise probing reads of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....data.grammar import Word, grammar_of
from ....data.recipes.words import ARTICLE, TEXT
from ....data.word_lists import GuiseTest
from ....errors import CoverageError, InputError, UndefinedScoreError
from ....result import Skipped
from ....text import stable_order
from ...rows import places_of
from ...word_lists.inputs import LISTS, Material, check_scored, each_once, forms_of
from ..next_words import next_words

BARE = (TEXT,)
"""The prompts of a test without any: the attribute follows the text itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuiseMaterial(Material):
    """A test by the log-probabilities of its attributes.

    Attributes:
        test: the test.
        attributes: those that are scored, in the order of their text.
        logprobs: of every attribute after every text, shape (attributes, pairs, prompts, 2).
        neutral: of every attribute after the prompts without a text, shape (attributes, prompts), ``None`` if not
            asked.
    """

    test: GuiseTest
    attributes: tuple[str, ...]
    logprobs: FloatArray
    neutral: FloatArray | None

    @property
    def differences(self) -> FloatArray:
        """Log p after the first text of a pair less that after the second, over prompts, shape (attributes, pairs)."""
        return np.asarray((self.logprobs[..., 0] - self.logprobs[..., 1]).mean(axis=2))

    @property
    def ratings(self) -> FloatArray:
        """Rating of every attribute."""
        return np.array([self.test.rating_of(word) for word in self.attributes])


def read_test(model: Any, test: GuiseTest, *, neutral: bool, max_missing: float) -> GuiseMaterial:
    """Read the log-probability of every attribute after every text in every prompt.

    Raises:
        CoverageError: more than ``max_missing`` of the attributes are not one token, or of the pairs cannot
            be read, or a prompt without a text, if ``neutral`` asks for it.
        InputError: the texts are not pairs, an attribute appears in both lists, or prompts contain nothing
            but the text and ``neutral`` asks for them without it.
        UndefinedScoreError: no texts or no attributes.
    """
    prompts = test.prompts or BARE
    if neutral and (bare := [p for p in prompts if not p.replace(TEXT, "").strip()]):
        raise InputError(
            f"{test.name}: `calibrate` reads the prompts without a text, and the prompt {bare[0]!r} is "
            "empty then",
            option="calibrate",
        )
    pairs, skipped = _pairs(test)
    words, repeated = _attributes(model, test)
    texts = sorted({text for pair in pairs for text in pair}) + [""] * neutral
    table, lost_texts, lost_words = _table(model, prompts, texts, words, test.language)
    at = {text: i for i, text in enumerate(texts)}
    lost_pairs = {pair: lost_texts[at[text]] for pair in pairs for text in pair if at[text] in lost_texts}
    usable = [pair for pair in pairs if pair not in lost_pairs]
    lost = {words[i]: why for i, why in lost_words.items()}
    reasons = {" / ".join(pair): why for pair, why in lost_pairs.items()}
    parts = (("attributes", lost, words, "attributes"), ("targets", reasons, pairs, "pairs of texts"))
    for part, reason_of, members, items in parts:
        where = f"{test.name}/{part}"
        check_scored(model, where, reason_of, len(members), max_missing, items=items)
        skipped += [Skipped(item, why, where) for item, why in reason_of.items()]
    if neutral and (why := lost_texts.get(len(texts) - 1)):
        raise CoverageError(
            f"{test.name}: `calibrate` needs prompts that can be read without a text: {why}",
            option="calibrate",
        )
    scored = [i for i in range(len(words)) if i not in lost_words]
    lists = {name: tuple(dict.fromkeys(getattr(test, name))) for name in LISTS[2:]}
    pair_places = [[at[text] for text in pair] for pair in usable]
    return GuiseMaterial(
        test=test,
        words={
            "targets_x": tuple(x for x, _ in usable),
            "targets_y": tuple(y for _, y in usable),
            **{
                name: tuple(w for w in of_list if w in words and w not in lost)
                for name, of_list in lists.items()
            },
        },
        list_sizes={
            **dict.fromkeys(LISTS[:2], len(pairs)),
            **{name: sum(w in words for w in of_list) for name, of_list in lists.items()},
        },
        skipped=[*skipped, *repeated],
        attributes=tuple(words[i] for i in scored),
        logprobs=np.moveaxis(table[scored][:, pair_places], 2, 3),  # (attributes, pairs, prompts, 2)
        neutral=table[scored, -1] if neutral else None,
    )


def _pairs(test: GuiseTest) -> tuple[list[tuple[str, str]], list[Skipped]]:
    """Return the pairs of texts, each once, in the order of their text."""
    x, y = test.targets_x, test.targets_y
    if len(x) != len(y):
        raise InputError(
            f"{test.name}: targets_x has {len(x)} texts and targets_y {len(y)}, but they are read as pairs",
            hint="give every text its counterpart",
        )
    if not x:
        raise UndefinedScoreError(
            f"{test.name}: targets_x and targets_y are empty", hint="give pairs of texts"
        )
    times = Counter(zip(x, y, strict=True))
    skipped = [
        Skipped(" / ".join(pair), f"given {n} times, counted once", f"{test.name}/targets")
        for pair, n in times.items()
        if n > 1
    ]
    return sorted(times), skipped


def _attributes(model: Any, test: GuiseTest) -> tuple[list[str], list[Skipped]]:
    """Return the attributes, each once, in the order of their text."""
    if both := sorted({*test.attributes_a} & {*test.attributes_b}):
        raise InputError(f"{test.name}: {both[0]!r} is in both attribute lists: it can have one rating only")
    where = f"{test.name}/attributes"
    words, skipped = each_once(test.attributes, forms_of(model, test.attributes), where, "attribute")
    if not words:
        raise UndefinedScoreError(f"{where}_a is empty", hint="give the attributes that follow the texts")
    return [words[i] for i in stable_order(words)], skipped


def _table(
    model: Any, prompts: Sequence[str], texts: Sequence[str], words: Sequence[str], language: str
) -> tuple[FloatArray, dict[int, str], dict[int, str]]:
    """Log-probabilities of words after texts in prompts, shape (words, texts, prompts), and which texts and words are
    lost.

    A prompt with an article is read once for each of its forms, and a word where its own appears.
    """
    contexts: list[str] = []
    blocks: list[tuple[slice, int, list[int]]] = []
    for number, prompt in enumerate(prompts):
        articles = [_article(word, language) if ARTICLE in prompt else "" for word in words]
        for article, members in places_of(articles).items():
            filled = prompt.replace(ARTICLE, article)
            blocks.append((slice(len(contexts), len(contexts) + len(texts)), number, members))
            contexts += [filled.replace(TEXT, text) for text in texts]
    is_needed = np.zeros((len(contexts), len(words)), dtype=bool)
    for rows, _, members in blocks:
        is_needed[rows, members] = True
    next_tokens = next_words(model, contexts, words, is_needed)
    table = np.full((len(words), len(texts), len(prompts)), np.nan)
    for rows, number, members in blocks:
        table[members, :, number] = next_tokens.logprobs[rows, members].T
    return table, {c % len(texts): why for c, why in next_tokens.lost_texts.items()}, next_tokens.lost_words


def _article(word: str, language: str) -> str:
    return grammar_of("en" if language == "und" else language).agreeing("a", Word(word), "singular", word)
