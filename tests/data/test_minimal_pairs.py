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


def has_final_consonant(word: str) -> bool:
    """Whether the last syllable of a Korean word is closed: the code points of syllables come in 28s."""
    return (ord(word[-1]) - 0xAC00) % 28 != 0


def test_korean_particles_agree_with_the_word_before():
    """Both words of a contrast stand before the same particle; it must suit both."""
    closed, opened = ("을", "은", "과"), ("를", "는", "와")
    checked = 0
    for pair in load_sentence_pairs(language="ko"):
        for more, less in versions(pair):
            for mine, other in zip(more.split(), less.split(), strict=True):
                if mine == other or mine[-1] != other[-1]:
                    continue
                for word in (mine, other):
                    # 는 and 은 also end adjectives (있는, 작은): those carry no particle.
                    if word[-1] in closed + opened and word not in ("있는", "없는", "작은", "젊은", "늙은"):
                        assert has_final_consonant(word[:-1]) == (word[-1] in closed), word
                        checked += 1
    assert checked > 20


def one_word_contrasts(language: str) -> list[tuple[str, str]]:
    """The pairs of words that stand for each other in sentences that differ in that word only."""
    out = []
    for pair in load_sentence_pairs(language=language):
        if pair.bias_type == "gender":
            continue
        for more, less in versions(pair)[:3]:
            a, b = re.findall(r"\w+", more), re.findall(r"\w+", less)
            differing = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
            if len(a) == len(b) and len(differing) == 1:
                out.append(differing[0])
    return out


def test_german_adjectives_have_the_same_ending():
    """The noun behind them is the same, so is their case, number and gender."""
    adjectives = [pair for pair in one_word_contrasts("de") if all(w[0].islower() for w in pair)]
    endings = [
        tuple(m[0] if (m := re.search(r"(e|er|en|em|es)$", w)) else "" for w in pair)
        for pair in adjectives
        if pair != ("mit", "ohne")
    ]
    assert len(endings) > 60
    assert [e for e in endings if e[0] != e[1] or not e[0]] == []


def test_spanish_adjectives_agree_in_number_and_gender():
    contrasts = one_word_contrasts("es")
    assert len(contrasts) > 90
    for pair in contrasts:
        plural = {bool(re.search(r"[aeo]s$", word)) for word in pair}
        # "indígena" is the same for both genders.
        gender = {w.rstrip("s")[-1] for w in pair if re.search(r"[ao]s?$", w) and w != "indígena"}
        assert len(plural) == 1, pair
        assert len(gender) <= 1, pair
