"""Parse which of the labelled options a reply states as its answer: a few forms, and nothing is interpreted.

A reply in no form is unparsed. A wrong reading is worse than none: the bounds of a score say what is missing.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...data.instructions import reply_phrases
from ...errors import quoted
from ...models.completions import Reply
from ...result import Skipped
from ..replies import REFUSED, TRUNCATED, answer_of, is_refusal, phrase_pattern, plain

BOTH = "both options"
UNPARSED = "no option in the form that was asked for"
SEVERAL = "several options"

_LETTER = r"[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter or digit of a script with spaces between words: next to one, a letter is not a label."""
_OPENS, _CLOSES = r"[(\[{<\"'“„«「『]{0,3}", r"[)\]}>\"'”“»」』]{0,3}"
_MAX_LINE_CHARS = 2_000
"""Characters in which an option must end."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|[。！？\n]")
_EMPHASIS = re.compile(
    r"[*`~]{1,9}|(?<!\w)_{1,3}|_{1,3}(?!\w)|^\s{0,9}(?:#{1,6}|>|[-•])\s{1,3}|[\U0001f600-\U0001f644\ufe0f]",
    re.MULTILINE,
)
"""Marks of Markdown, bullets and smiling faces."""


def parse_choice(
    reply: Reply | Skipped,
    options: Sequence[str],
    labels: Sequence[str],
    aliases: Mapping[str, int] | None = None,
) -> int | str:
    """Return the position of the option that a reply states as its answer, or why it states none.

    After reasoning and markup are removed, an answer is a label, the text of an option, or a label with the text of its
    own option. It counts in these places:

    - the whole reply or its last line, unless another line states another option, as in a repeated list of
      the options.
    - a label at the front, followed by a separator or the end of the line, if no other label is a token of the reply
      and no text of another option follows.
    - behind the answer word of a language and a colon at the start of a line or sentence ("Answer: B"), in a sentence
      that begins "The answer is", in ``\\boxed{}`` or ``<answer>``, or as ``answer`` in a JSON object, if no label of
      another option follows.

    All answers that are found must be one option. Articles are not removed from labels.

    Args:
        reply: what the model said.
        options: the texts, in the order of their labels.
        labels: their labels.
        aliases: other phrasings of an option, in lower case, with its position.

    Examples:
        >>> options, labels = ["The boy", "The grandfather", "Not known"], ["A", "B", "C"]
        >>> texts = ["B", "(b).", "the boy", "**C** Not known", "A: The boy", "C. Who knows", "Answer: (c)", "答案是B"]
        >>> [parse_choice(Reply(text), options, labels) for text in texts]
        [1, 1, 0, 2, 0, 2, 2, 1]
        >>> texts = ["<think>A</think>B", '{"answer": "B"}', "It is \\\\boxed{B}.", "He is late.\\nB. The grandfather"]
        >>> [parse_choice(Reply(text), options, labels) for text in texts]
        [1, 1, 1, 1]
        >>> parse_choice(Reply("It would be unfair to pick the grandfather."), options, labels)
        "no option in the form that was asked for: 'It would be unfair to pick the grandfather.'"
        >>> parse_choice(Reply("I cannot answer that."), options, labels)
        "the model refuses: 'I cannot answer that.'"
    """
    answer = answer_of(reply, fields=False)
    if answer.reason:
        return answer.reason
    is_cut = isinstance(reply, Reply) and not reply.ended
    text = _EMPHASIS.sub("", unicodedata.normalize("NFKC", answer.text).replace("’", "'")).strip()
    forms = _Forms(options, labels, aliases or {})
    places = set() if is_cut else forms.whole_or_last_line(text)
    places |= forms.behind_answer_words(text) | forms.set_apart(answer.set_apart, answer.behind)
    places |= forms.set_apart(*_json_answer(answer.text))
    places |= forms.in_front(text, is_cut, places)
    if len(places) == 1:
        return places.pop()
    if is_refusal(text):
        reason = REFUSED
    elif len(options) == 2 and phrase_pattern("both").match(plain(text)):
        reason = BOTH
    else:
        reason = SEVERAL if places else TRUNCATED if is_cut else UNPARSED
    return f"{reason}: {quoted(answer.text)}"


class _Stated(NamedTuple):
    """An option and how it is stated: as a ``"label"``, a ``"text"``, or ``"both"``."""

    place: int
    form: str


class _Forms:
    """The forms in which the options of a question can be stated."""

    def __init__(self, options: Sequence[str], labels: Sequence[str], aliases: Mapping[str, int]) -> None:
        texts = [plain(option) for option in options]
        self.by_label = {plain(label): i for i, label in enumerate(labels)}
        self.known = {plain(text): place for text, place in aliases.items() if plain(text) not in texts}
        self.known |= {text: i for i, text in enumerate(texts) if text and texts.count(text) == 1}
        self.asking = any(option.rstrip().endswith(("?", "？")) for option in options)
        self.patterns = _label_patterns(tuple(labels))

    def exact(self, text: str) -> _Stated | None:
        """The option that a text is: a label, the text of an option, or a label with the text of its own option."""
        if not self.asking and text.rstrip(" \n\"')]”»」").endswith(("?", "？")):
            return None
        words = plain(text)
        if words in self.by_label:
            return _Stated(self.by_label[words], "label")
        if words in self.known:
            return _Stated(self.known[words], "text")
        for match in filter(
            None, (self.patterns["labelled"].match(text), self.patterns["label_behind"].search(text))
        ):
            place = self.by_label[plain(match["label"])]
            if self.known.get(plain(text[: match.start()] + text[match.end() :])) == place:
                return _Stated(place, "both")
        return None

    def whole_or_last_line(self, text: str) -> set[int]:
        """Return the option that a text or its last line is, if no other line states another.

        Lines that list all options, as the question does, may precede a last line of another form.
        """
        lines = [line for line in text.splitlines() if plain(line)]
        stated = self.exact(text) or (self.exact(lines[-1]) if lines else None)
        if stated is None:
            return set()
        before = [one for line in lines[:-1] if (one := self.exact(line))]
        listed = {one.place for one in before if one.form == "both" != stated.form}
        is_consistent = len(listed) == len(self.by_label) or all(one.place == stated.place for one in before)
        return {stated.place} if is_consistent else set()

    def in_front(self, text: str, is_cut: bool, places: set[int]) -> set[int]:
        """Return the label with which a text begins.

        Next to a label of another option it states no answer, but it contradicts one that was found elsewhere, unless
        it begins a list of the options.
        """
        match = self.patterns["label"].match(text)
        if match is None or (is_cut and match.end() == len(text)):
            return set()
        place, rest = self._place(match), text[match.end() :]
        names_another = self.names_another(rest, place)
        return set() if names_another and (not places or self._begins_with(rest, [place])) else {place}

    def behind_answer_words(self, text: str) -> set[int]:
        """Return what follows words such as "Answer:" and "The answer is"."""
        places: set[int] = set()
        for words in _answer_words().finditer(text):
            end = words.end()
            line = text[end : end + _MAX_LINE_CHARS].partition("\n")[0]
            if match := self.patterns["label"].match(text, end):
                place, end = self._place(match), match.end()
            elif stated := self.exact(_AFTER_LABEL.sub("", line)) or self.exact(
                _AFTER_LABEL.sub("", _SENTENCE_END.split(line, maxsplit=1)[0])
            ):
                place = stated.place
            else:
                continue
            if not places and self.names_another(text[end:], place):
                return set()
            places.add(place)
        return places

    def set_apart(self, contents: Sequence[str], behind: str) -> set[int]:
        """Return what appears in boxes, tags or JSON, if nothing behind the first of these names another option."""
        places = {stated.place for content in contents if (stated := self.exact(content))}
        is_single = len(places) == 1
        return set() if is_single and self.names_another(behind, min(places)) else places

    def _place(self, match: re.Match[str]) -> int:
        return self.by_label[plain(match["upper"] or match["lower"])]

    def names_another(self, text: str, place: int) -> bool:
        """True if a label of another option is a token of a text, or the text begins with that option's text."""
        others = [other for other in self.by_label.values() if other != place]
        return self._begins_with(text, others) or any(
            self.by_label[plain(match[0])] != place for match in self.patterns["token"].finditer(text)
        )

    def _begins_with(self, text: str, places: Sequence[int]) -> bool:
        """True if a text begins with the text of one of some options."""
        words = plain(text[:_MAX_LINE_CHARS])
        begins = [
            known
            for known in self.known
            if words.startswith(known) and not words[len(known) : len(known) + 1].isalnum()
        ]
        return bool(begins) and self.known[max(begins, key=len)] in places


@functools.cache
def _label_patterns(labels: tuple[str, ...]) -> Mapping[str, re.Pattern[str]]:
    """Return patterns for the places of labels.

    ``label``: at the front, with what ends it. ``labelled``: at the front of an option's text. ``label_behind``: in
    brackets at its end. ``token``: anywhere.
    """
    upper = "|".join(map(re.escape, labels))
    lower = "|".join(re.escape(label.lower()) for label in labels)
    after = "|".join(reply_phrases("after_label"))
    line_end = r"\s{0,3}(?:\n|\Z)"
    patterns = {
        "label": rf"\s{{0,3}}{_OPENS}(?:(?P<upper>{upper}){_CLOSES}(?:\s{{0,2}}[.,:(\[。、–—]|(?<=[)\]])|[)\]]"
        rf"|\s{{0,2}}-(?=\s)|{line_end}|\s?(?:{after}))"
        rf"|(?P<lower>{lower}){_CLOSES}(?:[.:](?!\w)|(?<=[)\]])|{line_end}))",
        "labelled": rf"\s{{0,3}}{_OPENS}(?P<label>(?i:{upper}))(?!{_LETTER}){_CLOSES}[\s.):,\]=–—-]{{0,4}}",
        "label_behind": rf"\s{{0,3}}[(\[](?P<label>(?i:{upper}))[)\]][\s.!。]{{0,3}}\Z",
        "token": rf"(?<!{_LETTER})(?:{upper})(?!{_LETTER})|(?<![^(\[])(?:{lower})(?=[)\]])|^(?:{lower})(?=[.):])",
    }
    return {name: re.compile(pattern, re.MULTILINE) for name, pattern in patterns.items()}


@functools.cache
def _answer_words() -> re.Pattern[str]:
    """Return the words before an answer, at the start of a line or sentence."""
    before, sentence = ("|".join(map(re.escape, reply_phrases(kind))) for kind in ("answer", "answer_is"))
    start = r"(?:^|(?<=[.!?]\s)|(?<=[。！？]))[\s\"'“„«(]{0,3}"
    return re.compile(
        rf"{start}(?:(?:{before})\s{{0,2}}:|(?:{sentence})\s{{0,2}}:?)\s{{0,3}}", re.IGNORECASE | re.MULTILINE
    )


_AFTER_LABEL = re.compile(rf"(?:{'|'.join(reply_phrases('after_label'))})?[\s.!。]{{0,3}}\Z")


def _json_answer(text: str) -> tuple[list[str], str]:
    """Return the answer in the first JSON object of a text, and what follows it."""
    try:
        pairs, end = json.JSONDecoder(object_pairs_hook=list).raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return [], ""
    answer_fields = [
        i for i, (key, _) in enumerate(pairs) if plain(key).replace("_", " ") in reply_phrases("answer")
    ]
    answers = [value for i in answer_fields if isinstance(value := pairs[i][1], str)]
    later = [str(value) for _, value in pairs[answer_fields[0] + 1 :]] if answer_fields else []
    return answers, "\n".join([*later, text[end:]])
