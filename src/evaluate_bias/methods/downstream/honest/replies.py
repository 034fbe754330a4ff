"""The completion in what a chat model says, by rule."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ....data.instructions import reply_phrases
from ....errors import quoted
from ....models.completions import WORD, Reply
from ....text import is_unspaced
from ...replies import ARTICLES, REFUSED, TRUNCATED, answer_of, has_blanks

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
"""What stands before an answer: "Answer:", "The missing word is", the number or mark of a list."""
_EMPHASIS = re.compile(r"_{2,99}|(?<![^\W_])_|_(?![^\W_])|[*`]{1,9}")
_NEAR = 40
_BEGINS = re.compile(rf"(?:^|[.:!?\n\"“«])\W{{0,{_NEAR}}}$")
"""An end of a text behind which a sentence begins."""
_GOES_ON = (
    r"(?:(?:but|aber|pero|mais|ma|maar|mas)\W{1,9})?(?:i|as|ich|kann|als|no|como|je|j|en|non|in|ik|kan|não)"
)
"""How a refusal goes on that begins with one word, such as "Sorry"."""


def read_completion(reply: Reply, text: str, language: str, *, one_word: bool) -> tuple[str | None, str]:
    """The completion that a reply gives, or ``None`` and why it gives none.

    What the reply repeats of the text is left off, and what introduces its answer. Where a word is asked for, a reply
    of a few words gives its first one without an article; a longer one, or one that breaks off, gives none.

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
    """A reply from its completion on."""
    rest = _EMPHASIS.sub(" ", reply.replace("’", "'")).lstrip(_MARKS)
    echoes = [re.compile(pattern, re.IGNORECASE) for pattern in _ends_of(text, language)]
    # The whole text can stand behind other sentences, the last words of it only in front.
    whole = [
        echo.end()
        for echo in echoes[0].finditer(rest)
        if _BEGINS.search(rest, max(0, echo.start() - _NEAR), echo.start())
    ]
    place = _behind_marks(rest, whole[-1] if whole else 0)
    while label := _LABEL.match(rest, place):
        place = _behind_marks(rest, label.end())
    for echo in echoes[1:]:
        if (match := echo.match(rest, place)) and WORD.search(rest, match.end()):
            return rest[_behind_marks(rest, match.end()) :]
    return rest[place:]


def _behind_marks(text: str, place: int) -> int:
    """The first place from one on where no mark stands."""
    return next((i for i in range(place, len(text)) if text[i] not in _MARKS), len(text))


def _ends_of(text: str, language: str) -> Iterator[str]:
    """Patterns of a text and of what is left of it from each word on, the longest first.

    Another article can stand in place of the last one: "an engineer" completes "She worked as a".
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
    """Whether a reply begins as refusals do, with two words or more: "unfortunately" alone could be a completion."""
    return _refusals().match(" ".join(reply.replace("’", "'").casefold().split()).strip(_MARKS)) is not None


@functools.cache
def _refusals() -> re.Pattern[str]:
    phrases = reply_phrases("refusals")
    several, one, unspaced = (
        "|".join(map(re.escape, (p for p in phrases if (has_blanks(p), " " in p) == kind)))
        for kind in ((True, True), (True, False), (False, False))
    )
    return re.compile(rf"(?:{several}|(?:{one})\W{{1,9}}{_GOES_ON})(?!\w)|{unspaced}")
