"""Which of the labelled options a reply chooses, by rule: no model judges another."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...errors import quoted
from ...models.completions import Reply
from ...result import Skipped
from ...text import word_spans
from ..replies import REFUSED, TRUNCATED, answer_of, is_refusal, phrase_pattern, plain
from . import patterns

BOTH = "both options"
_NEAR = 60
"""Letters around an option that are looked at for a word that denies it."""
_STEPS = 9
"""Most words between what announces an answer and the answer."""


def chosen(
    reply: Reply | Skipped,
    options: Sequence[str],
    labels: Sequence[str],
    aliases: Mapping[str, int] | None = None,
) -> int | str:
    """Position of the option that a reply names, or why it names none.

    The first that fits, of the reply's answer (:func:`..replies.answer_of`): it is a label; it begins with a label and
    its option; a label is named as such, as in "Option B" or "Answer: (b)"; it is an option, or its first sentence is;
    it holds one option that nothing denies. Of several answers the one that the last sentence sums up with counts. A
    reply that breaks off is read only where its option stands in front.

    Args:
        reply: what the model said.
        options: the texts, in the order of their labels.
        labels: their labels.
        aliases: other phrasings of an option that names nobody, in small letters, with its position.

    Examples:
        >>> options, labels = ["The boy", "The grandfather", "Not known"], ["A", "B", "C"]
        >>> texts = ["B", "(b).", "the boy", "**C** Not known", "A: The boy", "C. Not known if the boy or he"]
        >>> [chosen(Reply(text), options, labels) for text in texts]
        [1, 1, 0, 2, 0, 2]
        >>> texts = ["It was the grandfather.", "Answer: (c)", "答案是B。", "<think>A</think>B", '{"answer": "B"}']
        >>> [chosen(Reply(text), options, labels) for text in texts]
        [1, 2, 1, 1, 1]
        >>> chosen(Reply("Either the boy or the grandfather"), options, labels)
        "several options: 'Either the boy or the grandfather'"
        >>> chosen(Reply("A and B"), options[:2], labels[:2])
        "both options: 'A and B'"
        >>> chosen(Reply("I cannot answer that."), options, labels)
        "the model refuses: 'I cannot answer that.'"
        >>> chosen(Reply("It was not the boy."), options, labels)
        "it denies something: 'It was not the boy.'"
        >>> chosen(Reply("B because", ended=False), options, labels)
        "the reply breaks off: 'B because'"
    """
    answer = answer_of(reply)
    if answer.reason:
        return answer.reason
    is_cut = isinstance(reply, Reply) and not reply.ended
    bare = [plain(label) for label in labels]
    if not is_cut and plain(answer.text) in bare:
        return bare.index(plain(answer.text))
    where = patterns.label_patterns(tuple(labels))
    words = _readable(answer.text, labels)
    text = _Text(words, tuple(labels), tuple(map(plain, options)), dict(aliases or {}), where)
    choice: int | str | None = text.begins(cut=is_cut)
    if choice is None and answer.box:
        choice = text.option_of(_readable(answer.box, labels))
    if choice is None:
        choice = TRUNCATED if is_cut else text.names()
    return f"{choice}: {quoted(answer.text)}" if isinstance(choice, str) else choice


@dataclass(frozen=True)
class _Text:
    """A text that may name an option.

    Attributes:
        text: the text, with labels in brackets that are emphasised.
        labels: the labels.
        options: the options in small letters.
        aliases: other phrasings of an option that names nobody, with its position.
        patterns: where labels stand; see :func:`.patterns.label_patterns`.
    """

    text: str
    labels: tuple[str, ...]
    options: tuple[str, ...]
    aliases: Mapping[str, int]
    patterns: Mapping[str, re.Pattern[str]]

    @functools.cached_property
    def known(self) -> dict[str, int]:
        """The options and their other phrasings, with their positions."""
        return {**self.aliases, **{text: i for i, text in enumerate(self.options)}}

    @functools.cached_property
    def short(self) -> dict[str, int]:
        """These, and options without their articles and what follows a comma where no other is the same then."""
        places: dict[str, set[int]] = {}
        for i, text in enumerate(self.options):
            name = text.partition(",")[0].strip()
            for form in (_bare(text), name, _bare(name)):
                places.setdefault(form, set()).add(i)
        return {**{form: min(of) for form, of in places.items() if len(of) == 1}, **self.known}

    @functools.cached_property
    def by_label(self) -> dict[str, int]:
        """Positions of the labels, in small letters."""
        return {plain(label): i for i, label in enumerate(self.labels)}

    @functools.cached_property
    def nobody(self) -> set[int]:
        """Positions of the options that name nobody."""
        return set(self.aliases.values())

    def option_of(self, text: str) -> int | None:
        """The option that a text is: its label, its text, or its label and its text or the beginning of that."""
        words = plain(text)
        option = self.short.get(words, self.short.get(_bare(words)))
        if (place := self.by_label.get(words, option)) is not None:
            return place
        pair = self.patterns["pair"].match(text)
        if pair is None:
            return None
        rest, label = plain(text[pair.end() :]), self._place(pair)
        return label if rest and any(o.startswith(rest) for o in self._forms_behind(pair, label)) else None

    def begins(self, *, cut: bool) -> int | None:
        """The option with which the text begins: its label alone on a line or in front of its text; ``None`` where the
        text lists the options.
        """
        if not cut and (option := self.option_of(self.text)) is not None:
            return option
        lines = [line for part in self.text.splitlines() if (line := plain(part))]
        is_label = len(lines) > 1 and lines[0] in self.by_label
        if is_label and (lines[1] not in self.by_label or len(set(lines)) == 1):
            return self.by_label[lines[0]]
        if not self._pairs or self._lists(cut=cut) or self.text[: self._pairs[0][0]].strip():
            return None
        return self._pairs[0][1]

    def names(self) -> int | str:
        """The option that is named somewhere in the text, or why there is none."""
        lists = self._lists()
        answers = {
            place for cue in self.patterns["cue"].finditer(self.text) for place in self._announced(cue)
        }
        if not lists:
            answers |= {place for part in self._ends() if (place := self.option_of(part)) is not None}
            front = self._in_front()
            answers |= front if len(front) < 2 or not answers else set()
        if len(answers) == 1:
            return answers.pop()
        refuses = is_refusal(self.text)
        words = plain(self.text)
        options, rest = self._options(phrase_pattern("refusals").sub(" ", words) if refuses else words)
        if refuses:
            return options.pop() if len(options) == 1 and options <= self.nobody and not answers else REFUSED
        if len(self.labels) == 2 and self._takes_both(words):
            return BOTH
        mentions = set() if self._asks else self._mentions()
        if lists or len(answers | mentions) > 1:
            last = self._last_word(bare=not answers)
            return "several options" if last is None else last
        if mentions:
            (label,) = mentions
            return "several options" if self._contradicts(label, options, rest) else label
        first = self.patterns["first"].split(self.text, maxsplit=1)[0]
        if (option := self.short.get(plain(first))) is not None:
            return option
        if (option := self._left_over(words)) is not None and not self._asks:
            return option
        if len(options) == len(self.labels) and len(options & self.nobody) == 1:
            options, rest = options & self.nobody, ""  # all others stand there as what it cannot tell apart
        if len(options) != 1 or self._asks:
            return "several options" if len(options) > 1 else "none of the options"
        denials = self.patterns["denied"] if options <= self.nobody else phrase_pattern("denials")
        return "it denies something" if denials.search(rest) else options.pop()

    @functools.cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Where labels stand in front of their own options, and which."""
        pairs = [(match, self._place(match)) for match in self.patterns["pair"].finditer(self.text)]
        return [
            (match.start(), place)
            for match, place in pairs
            if self._option_at(match.end(), self._forms_behind(match, place)) == place
        ]

    @functools.cached_property
    def _asks(self) -> bool:
        return self.text.rstrip(f"{patterns.CLOSES} \n").endswith(("?", "？"))

    def _lists(self, *, cut: bool = False) -> bool:
        """Whether the text lists the options in their order, as the question does, at least the first of them."""
        places = [place for _, place in self._pairs]
        if cut:
            places += [self._place(match) for match in self.patterns["line"].finditer(self.text)]
        return len(set(places)) > 1 and places[0] == 0

    def _place(self, match: re.Match[str]) -> int:
        """Position of the label that was matched."""
        return self.by_label[plain(next(filter(None, match.groups())))]

    def _forms_behind(self, pair: re.Match[str], place: int) -> dict[str, int]:
        """An option as it may stand behind its label: with its article where a blank alone parts them."""
        known = self.known if pair["separator"].isspace() else self.short
        return {text: i for text, i in known.items() if i == place}

    def _ends(self) -> list[str]:
        """The first line and the last sentence of several, which can be an answer alone."""
        parts = [part for part in patterns.SENTENCE_END.split(self.text) if plain(part)]
        last = [] if self._asks else parts[-1:]
        return [self.text.splitlines()[0], *last] if len(parts) > 1 else []

    def _option_at(self, start: int, known: Mapping[str, int]) -> int | None:
        """The option that begins at a place and is not denied behind, the longest of several."""
        text = plain(self.text[start : start + max(map(len, known)) + _NEAR])
        for option in sorted(filter(text.startswith, known), key=len, reverse=True):
            if option and (0, len(option)) in _spans(text, option)[:1]:
                return None if self.patterns["denial"].match(text, len(option)) else known[option]
        return None

    def _in_front(self) -> set[int]:
        """The label in front of the text, and the other option that its first sentence names in its place."""
        match = self.patterns["front"].match(self.text)
        in_lines = {self._place(line) for line in self.patterns["line"].finditer(self.text)}
        if match is None or self._is_denied(match.start(), match.end("l")) or len(in_lines) > 1:
            return set()
        place = self._place(match)
        sentence = patterns.SENTENCE_END.split(self.text[match.end() :].lstrip(), maxsplit=1)[0]
        options, rest = self._options(plain(sentence))
        return {place, *options} if self._contradicts(place, options, rest) else {place}

    def _last_word(self, *, bare: bool) -> int | None:
        """The option that the last sentence sums up with, read by itself.

        Where ``bare``, also a label that stands alone in the line below a list of all options.
        """
        line = plain(self.text.rstrip().splitlines()[-1])
        if bare and line in self.by_label and len({place for _, place in self._pairs}) == len(self.labels):
            return self.by_label[line]
        *before, sentence = patterns.SENTENCE.split(self.text.strip(f"{patterns.CLOSES} \n。"))
        if not before or self._asks or not phrase_pattern("conclusions").search(sentence):
            return None
        choice = replace(self, text=sentence).names()
        return choice if isinstance(choice, int) else None

    def _left_over(self, words: str) -> int | None:
        """The one option that a text does not deny where it denies others, as in "not the boy but the grandfather"."""
        words = re.sub(patterns.MARK, " ", words)
        for option in sorted(filter(None, self.short), key=len, reverse=True):
            words = _without(words, _spans(words, option), chr(patterns.FIRST_MARK + self.short[option]))
        where = self.patterns["denied_option"]
        denied = {next(filter(None, match.groups())) for match in where.finditer(words)}
        clauses = [c for c in patterns.CLAUSE_END.split(where.sub(" ", words)) if re.search(patterns.MARK, c)]
        marks = set(re.findall(patterns.MARK, text := " ".join(clauses)))
        if not denied or len(marks) != 1 or denied & marks or phrase_pattern("denials").search(text):
            return None
        return ord(marks.pop()) - patterns.FIRST_MARK

    def _contradicts(self, label: int, options: set[int], rest: str) -> bool:
        """Whether a text names another option alone, and gives no reason by it."""
        reason = phrase_pattern("reasons", "denials").search(rest)
        return len(options) == 1 and label not in options and reason is None

    def _announced(self, cue: re.Match[str]) -> Iterator[int]:
        """What follows words that announce an answer: a label or an option, and no other beside it."""
        place = cue.end()
        for _ in range(_STEPS):
            label = self.patterns["label"].match(self.text, place)
            end = label.end() if label else place
            option = self._option_at(end, self.short)
            answer = option if label is None else self._place(label)
            if answer is not None:
                clause = patterns.CLAUSE_END.split(
                    self.text[place : place + 4 * _NEAR].lstrip(" \n:*"), maxsplit=1
                )[0]
                others = (
                    self._options(plain(clause), self.short)[0] - {answer}
                    if label is None
                    else {option} - {None, answer}
                )
                joined = self.patterns["joined"].match(self.text, end) if label else None
                words = 2 if answer in self.nobody else 3
                if not others and not joined and not self._is_denied(cue.start(), end, words):
                    yield answer
                return
            filler = self.patterns["filler"].match(self.text, place)
            if filler is None:
                return
            place = filler.end()

    def _is_denied(self, start: int, end: int, words: int = 3) -> bool:
        """Whether what stands from one place to another is denied by the words around it."""
        before = patterns.CLAUSE_END.split(self.text[max(0, start - _NEAR) : start])[-1]
        near = before[-4 * words :] if patterns.UNSPACED.search(before) else " ".join(before.split()[-words:])
        is_denied_behind = self.patterns["denial"].match(self.text, end) is not None
        return is_denied_behind or phrase_pattern("denials").search(near) is not None

    def _mentions(self) -> set[int]:
        """The labels that stand in a text as such, and with one of these all labels that stand in it alone."""
        is_unspaced = patterns.UNSPACED.search(self.text)
        mentions, alone = (
            {
                self._place(match)
                for match in kind.finditer(self.text)
                if not self._is_denied(match.start(), match.end(match.lastgroup or 0), words=_STEPS)
            }
            for kind in (
                self.patterns["unspaced"] if is_unspaced else self.patterns["mention"],
                self.patterns["alone"],
            )
        )
        return mentions | alone if mentions else mentions

    def _options(self, words: str, known: Mapping[str, int] | None = None) -> tuple[set[int], str]:
        """The options that stand in a text as whole words, and what is left; of two that overlap the longer one."""
        options: set[int] = set()
        known = self.known if known is None else known
        for option in sorted(filter(None, known), key=len, reverse=True):
            if spans := _spans(words, option):
                options.add(known[option])
                words = _without(words, spans)
        return options, words

    def _takes_both(self, words: str) -> bool:
        """Whether a text gives two options as one answer: it begins with a word for both, or joins them by "and", and
        names none of them alone.
        """
        if phrase_pattern("denials").search(words):
            return False
        begins = phrase_pattern("both").match(words) is not None
        for name in sorted(filter(None, [*self.known, *self.by_label]), key=len, reverse=True):
            words = _without(words, _spans(words, name))
        rest, n_joined = patterns.JOINED.subn("", words)
        return "\0" not in rest and (n_joined > 0 or begins)


def _readable(text: str, labels: Sequence[str]) -> str:
    """A text in composed letters of ordinary width without pictures, with labels in brackets that are emphasised."""
    composed = unicodedata.normalize("NFKC", text).replace("’", "'")
    letters = "".join(c for c in composed if unicodedata.category(c) != "So")
    names = "|".join(map(re.escape, labels))
    return re.sub(rf"[*_`~]{{1,3}}({names})([.:)]?)[*_`~]{{1,3}}", r"(\1)\2", letters).strip()


def _bare(text: str) -> str:
    """A text without the article before it."""
    article = patterns.ARTICLE.match(text)
    return text[article.end() :] if article else text


def _spans(text: str, option: str) -> list[tuple[int, int]]:
    """Where an option stands in a text as whole words; particles may follow a Korean one."""
    if not "\uac00" <= option[-1] <= "\ud7a3":
        return word_spans(text, option)
    pattern = rf"(?<!\w)({re.escape(option)}){patterns.PARTICLES}(?!\w)"
    return [match.span(1) for match in re.finditer(pattern, text)]


def _without(text: str, spans: Sequence[tuple[int, int]], mark: str = "\0") -> str:
    """A text with a mark in place of its spans."""
    ends = [0, *(place for span in spans for place in span), len(text)]
    return mark.join(text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))
