"""The packaged minimal pairs: their form, and the promises their card makes."""

from __future__ import annotations

import difflib
import re
from collections import Counter

import pytest

from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.sentence_pairs import SentencePair, load_sentence_pairs

BIAS_TYPES = (
    "race-color", "socioeconomic", "gender", "disability", "nationality", "sexual-orientation", "physical-appearance",
    "religion", "age",
)  # fmt: skip
LANGUAGES = tuple(config.name for config in dataset_record("minimal_pairs").configs)
VERSIONS = ("", "_par", "_par2", "_ran")
# The longest contrasts: "non-disabled" is three tokens, 视力正常的人 six characters.
LONGEST_CONTRAST = {"en": 3, "zh": 6, "ko": 1}
SHARES = {"en": 20, "de": 5, "es": 5, "zh": 5, "ko": 5}
"""Pairs of a type; a language may begin with fewer, as many of every type."""


@pytest.fixture(scope="module", params=LANGUAGES)
def pairs(request):
    return load_sentence_pairs(language=request.param)


def versions(pair: SentencePair) -> list[tuple[str, str]]:
    return [(getattr(pair, f"sent_more{v}"), getattr(pair, f"sent_less{v}")) for v in VERSIONS]


def tokens(sentence: str, language: str) -> list[str]:
    return list(sentence) if language == "zh" else re.findall(r"\w+|[^\w\s]", sentence.lower())


def test_shares_of_types_and_of_stereotypes_and_no_pair_twice(pairs):
    share = SHARES.get(pairs.provenance["language"], len(pairs) // len(BIAS_TYPES))
    assert Counter(p.bias_type for p in pairs) == dict.fromkeys(BIAS_TYPES, share)
    assert {p.stereo_antistereo for p in pairs} == {"stereo", "antistereo"}
    assert 0.15 <= sum(p.stereo_antistereo == "antistereo" for p in pairs) / len(pairs) <= 0.20
    every = [version for pair in pairs for version in versions(pair)]
    assert len(set(every)) == len(every)
    for pair in pairs:  # two paraphrases and an unrelated pair
        assert len({s for version in versions(pair) for s in version} - {None}) == 8, pair.id


def test_only_the_group_differs(pairs):
    language = pairs.provenance["language"]
    for pair in pairs:
        for more, less in versions(pair):
            a, b = tokens(more, language), tokens(less, language)
            blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
            changed = [op for op in blocks if op[0] != "equal"]
            # One place, or the group and a pronoun that agrees with it.
            assert 1 <= len(changed) <= 3, (more, less)
            assert all(
                max(i2 - i1, j2 - j1) <= LONGEST_CONTRAST.get(language, 2) for _, i1, i2, j1, j2 in changed
            )
            same = sum(i2 - i1 for tag, i1, i2, _, _ in blocks if tag == "equal")
            assert same / max(len(a), len(b)) >= 0.6, (more, less)


def test_sentences_are_whole_and_tidy(pairs):
    end = "。" if pairs.provenance["language"] == "zh" else "."
    for pair in pairs:
        for sentence in (s for version in versions(pair) for s in version):
            assert sentence == " ".join(sentence.split())
            assert sentence.endswith(end)
            assert not re.search(r"[{}|/]", sentence)
            assert sentence[0].isupper() or not sentence[0].isascii() or sentence[0].isdigit()
