"""Completions: asked for in a chat and read by rule, and the hurtful words in them."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ....data.instructions import Instructions, reply_phrases
from ....data.words import LexiconEntry
from ....errors import quoted
from ....models.completions import (
    WORD,
    Completions,
    GenerationSettings,
    Prompt,
    Reply,
    text_before_blank,
)
from ....result import Skipped
from ....text import is_unspaced
from ...choosing.asking import QUESTIONS
from ...replies import ARTICLES, REFUSED, TRUNCATED, answer_of, has_blanks, thought_facts

_MOST_WORDS = 3
"""Words of a reply whose first one is taken for the word that was asked for."""
_MARKS = " \t\n\"'“”‘’«»„*_`()[]{}<>.,:;!…"
_LABEL = re.compile(
    r"""(?:
        (?:the\s|an?\s|das\s|die\s|la\s|le\s|el\s|het\s)?
        (?:correct\s|missing\s|next\s|fehlende\s|nächste\s|gesuchte\s|siguiente\s|ontbrekende\s|volgende\s)?
        (?:answer|word|antwort|wort|respuesta|palabra|réponse|mot|risposta|parola|antwoord|woord)
        (?:\s(?:que\sfalta|manquant|suivant|mancante|successiva|siguiente))?
        (?:\s{0,3}:|\s(?:is|would\sbe|ist|wäre|lautet|es|sería|est|serait|è|sarebbe|zou\szijn)\b\s{0,3}:?)
        | \d{1,2}[.)](?=\s)
        | [-–•](?=\s)
    )\s{0,3}""",
    re.VERBOSE | re.IGNORECASE,
)
"""What comes before an answer: "Answer:", "The missing word is", the number or mark of a list."""
_EMPHASIS = re.compile(r"_{2,99}|(?<![^\W_])_|_(?![^\W_])|[*`]{1,9}")
_NEGATION_WINDOW_CHARS = 40
_BEGINS = re.compile(rf"(?:^|[.:!?\n\"“«])\W{{0,{_NEGATION_WINDOW_CHARS}}}$")
"""An end of a text behind which a sentence begins."""
_GOES_ON = (
    r"(?:(?:but|aber|pero|mais|ma|maar|mas)\W{1,9})?(?:i|as|ich|kann|als|no|como|je|j|en|non|in|ik|kan|não)"
)
"""How a refusal goes on that begins with one word, such as "Sorry"."""


class ChatCompletions(NamedTuple):
    """What came of asking for completions.

    Attributes:
        completions: completions of every prompt, ``settings.n`` of each prompt variant in turn, ``None`` if
            none was read.
        reasons: of every prompt, why those are ``None`` that are.
        n_requested: how many replies were asked for.
        questions: the first prompts in their first prompt variant, each with the completion that was read, or why none
            was.
        thoughts: number of reasoning tokens, if they were counted.
        n_prompt_variants: number of prompt variants.
    """

    completions: list[Completions | Skipped]
    reasons: list[list[str]]
    n_requested: int
    questions: list[dict[str, str]]
    thoughts: dict[str, int]
    n_prompt_variants: int


def complete_by_chat(
    model: Any, prompts: Sequence[str], instructions: Instructions, settings: GenerationSettings, kind: str
) -> ChatCompletions:
    """Ask for completions of every prompt, ``settings.n`` of each prompt variant.

    Args:
        model: one that chats.
        prompts: texts with one blank.
        instructions: how completions are asked for.
        settings: how they are written.
        kind: which of the instructions, ``"word"`` or ``"sentence"``.
    """
    prompt_variants = instructions.texts[kind]
    texts = [text_before_blank(prompt) for prompt in prompts]
    put = [
        Prompt(instruction.format(prompt=text), item=i, prompt_variant=prompt_variant)
        for i, text in enumerate(texts)
        if isinstance(text, str)
        for prompt_variant, instruction in enumerate(prompt_variants)
    ]
    every = model.reply(put, replace(settings, unit="text"))
    replies = iter(every)
    completions: list[Completions | Skipped] = []
    reasons: list[list[str]] = []
    questions: list[dict[str, str]] = []
    for text in texts:
        if isinstance(text, Skipped):
            completions.append(text)
            reasons.append([])
            continue
        readings: list[tuple[str | None, str]] = []
        for reply in (next(replies) for _ in prompt_variants):
            none = reply.reason if isinstance(reply, Skipped) else "there is no answer"
            lines = [] if isinstance(reply, Skipped) else list(reply)
            one_word = settings.unit == "word"
            readings += [read_completion(r, text, instructions.language, one_word=one_word) for r in lines]
            readings += [(None, none)] * (settings.n - len(lines))
        completions.append([answer for answer, _ in readings])
        reasons.append([reason for answer, reason in readings if answer is None])
        if len(questions) < QUESTIONS:
            answer, reason = readings[0]
            outcome = {"reason": reason} if answer is None else {"answer": answer}
            questions.append({"question": prompt_variants[0].format(prompt=text), **outcome})
    n_requested = len(put) * settings.n
    return ChatCompletions(
        completions, reasons, n_requested, questions, thought_facts(every), len(prompt_variants)
    )


def read_completion(reply: Reply, text: str, language: str, *, one_word: bool) -> tuple[str | None, str]:
    """Return the completion that a reply gives, or ``None`` and why it gives none.

    What the reply repeats of the text is left off, and what introduces its answer. If a word is asked for, a
    reply of a few words gives its first one without an article. A longer one, or one that breaks off, gives
    none.

    Args:
        reply: what the model said.
        text: what was to be completed.
        language: language tag of the instructions.
        one_word: whether a word was asked for, rather than the rest of the sentence.

    Examples:
        >>> replies = ["The woman worked as a nurse.", "Answer: nurse", 'The missing word is "nurse".', "A nurse"]
        >>> {read_completion(Reply(s), "The woman worked as a", "en", one_word=True) for s in replies}
        {('nurse', '')}
        >>> read_completion(Reply("I would say a nurse."), "The woman worked as a", "en", one_word=True)
        (None, "more than a word: 'I would say a nurse.'")
    """
    answer = answer_of(reply)
    if answer.reason:
        return None, answer.reason
    if _is_refusal(answer.text):
        return None, f"{REFUSED}: {quoted(answer.text)}"
    if one_word and not reply.ended:
        return None, f"{TRUNCATED}: {quoted(answer.text)}"
    rest = _without_frame(answer.text, text, language)
    none = f"no completion: {quoted(answer.text)}"
    if not one_word:
        return (rest, "") if rest.strip(_MARKS) else (None, none)
    rest = _without_article(rest, language)
    words = WORD.findall(rest)
    if not words:
        return None, none
    return (words[0], "") if len(words) <= _MOST_WORDS else (None, f"more than a word: {quoted(answer.text)}")


def _without_frame(reply: str, text: str, language: str) -> str:
    """Return a reply from its completion on."""
    rest = _EMPHASIS.sub(" ", reply.replace("’", "'")).lstrip(_MARKS)
    echoes = [re.compile(pattern, re.IGNORECASE) for pattern in _ends_of(text, language)]
    # The whole text can appear behind other sentences, the last words of it only in front.
    whole = [
        echo.end()
        for echo in echoes[0].finditer(rest)
        if _BEGINS.search(rest, max(0, echo.start() - _NEGATION_WINDOW_CHARS), echo.start())
    ]
    place = _behind_marks(rest, whole[-1] if whole else 0)
    while label := _LABEL.match(rest, place):
        place = _behind_marks(rest, label.end())
    for echo in echoes[1:]:
        if (match := echo.match(rest, place)) and WORD.search(rest, match.end()):
            return rest[_behind_marks(rest, match.end()) :]
    return rest[place:]


def _behind_marks(text: str, place: int) -> int:
    """Return the first place from one on where no mark appears."""
    return next((i for i in range(place, len(text)) if text[i] not in _MARKS), len(text))


def _ends_of(text: str, language: str) -> Iterator[str]:
    """Patterns of a text and of what is left of it from each word on, the longest first.

    Another article can replace the last one: "an engineer" completes "She worked as a".
    """
    words = WORD.findall(text.replace("’", "'"))
    articles = ARTICLES.get(language, "").split()
    begin, end = ("", "") if is_unspaced(text) else (r"(?<!\w)", r"(?!\w)")
    last = words[-1] if words else ""
    article = rf"(?:{'|'.join(articles)})" if last.lower() in articles else re.escape(last)
    for start in range(len(words)):
        yield begin + r"\W{1,9}".join([*map(re.escape, words[start:-1]), article]) + end


def _without_article(text: str, language: str) -> str:
    articles = "|".join(ARTICLES.get(language, "").split())
    elided = r"|(?:l|un|d)'\s{0,3}" if language in ("fr", "it") else ""
    return (
        re.sub(rf"^(?:(?:{articles})\s+{elided})(?=\w)", "", text, flags=re.IGNORECASE) if articles else text
    )


def _is_refusal(reply: str) -> bool:
    """True if a reply begins as refusals do, with two words or more: "unfortunately" alone could be a completion."""
    return _refusals().match(" ".join(reply.replace("’", "'").casefold().split()).strip(_MARKS)) is not None


@functools.cache
def _refusals() -> re.Pattern[str]:
    phrases = reply_phrases("refusals")
    several, one, unspaced = (
        "|".join(map(re.escape, (p for p in phrases if (has_blanks(p), " " in p) == kind)))
        for kind in ((True, True), (True, False), (False, False))
    )
    return re.compile(rf"(?:{several}|(?:{one})\W{{1,9}}{_GOES_ON})(?!\w)|{unspaced}")


_JOINING = frozenset("\u00ad\u2060\ufeff")
"""Invisible characters within words: soft hyphens and word joiners."""


@functools.cache
def _normalise_letter(character: str) -> str:
    """A letter or digit in its common form: full width, mathematical letters and ligatures are the letters they show.

    Other characters stay: a sign such as ™ is next to a word but is not one of its letters.
    """
    if character in _JOINING:
        return ""
    is_letter = unicodedata.category(character)[0] == "L" or character.isdecimal()
    return unicodedata.normalize("NFKC", character) if is_letter else character


@functools.cache
def _strip_accents(character: str) -> str:
    """Return a letter without its accents, if it is a Latin one. Marks of other scripts are part of their letters."""
    parts = unicodedata.normalize("NFD", character)
    is_latin = unicodedata.name(parts[0], "").startswith("LATIN")
    return parts[0] if is_latin and all(unicodedata.combining(c) for c in parts[1:]) else character


def folded_words(text: str) -> list[str]:
    """Return the words of a text, without capitals, without the accents of Latin letters and whatever their width.

    A word is a run of letters, marks and digits, soft hyphens within it omitted. Everything else parts words,
    so that "good-for-nothing" is three.

    Examples:
        >>> folded_words("L'imbécile, a PROSTITUÉE…"), folded_words("ｉｄｉｏｔ, id\u00adiot™")
        (['l', 'imbecile', 'a', 'prostituee'], ['idiot', 'idiot'])
    """
    composed = unicodedata.normalize("NFC", "".join(map(_normalise_letter, text))).casefold()
    plain = "".join(_strip_accents(c) for c in composed)
    return "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in plain).split()


class Matcher:
    """Finds the words of a lexicon in completions, whole words only and in the form that the lexicon lists.

    Capitals and the accents of Latin letters do not matter. The words of an entry of several must follow one
    another. In scripts that put no blank between words an entry is found anywhere.

    Examples:
        >>> matcher = Matcher([LexiconEntry(word="waste of space", category="insult"), LexiconEntry(word="pig")])
        >>> matcher.matches("He is a PIG, and a waste of  space!"), matcher.matches("a piglet, a space")
        ([('pig', ''), ('waste of space', 'insult')], [])
    """

    def __init__(self, entries: Iterable[LexiconEntry]) -> None:
        self.by_first: dict[str, list[tuple[list[str], LexiconEntry]]] = defaultdict(list)
        self.unspaced: list[tuple[str, LexiconEntry]] = []
        for entry in entries:
            words = folded_words(entry.word)
            if is_unspaced(entry.word):
                self.unspaced.append(("".join(words), entry))
            elif words:
                self.by_first[words[0]].append((words, entry))

    def matches(self, text: str) -> list[tuple[str, str]]:
        """Return the entries in a text, ``(word, category)``, each once, in the order of the text."""
        words = folded_words(text)
        hits = [
            (entry.word, entry.category)
            for place, word in enumerate(words)
            for sequence, entry in self.by_first.get(word, ())
            if words[place : place + len(sequence)] == sequence
        ]
        run = "".join(words) if self.unspaced else ""
        hits += [(entry.word, entry.category) for sequence, entry in self.unspaced if sequence in run]
        return list(dict.fromkeys(hits))
