"""Where labels of options stand in replies, as patterns.

Every repetition in them has a limit, so that the time of reading grows as the length of a text does.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from ...data.instructions import PhraseKind
from ..replies import ARTICLES, phrase_pattern

_BOTH = "and|und|y|et|e|en|和|与|와|과|と|และ"
_AND = f"(?:{_BOTH}|or|oder|o|u|ou|of|或|还是|또는|または|か|หรือ)"
_OPENS, CLOSES = r"(\[{*_`\"'“„«‘<#「『~", r")\]}*_`\"'”“»’>」』~"
_SEPARATORS = r".:,;)\]=|。：，、；"
UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that join words, or a word and its particles."""
PARTICLES = "(?:입니다|이에요|예요|이다|이라고|라고|이|가|은|는|을|를|의|도|에게|로|으로)?"
"""What follows a Korean noun without a blank."""
CLAUSE_END = re.compile(r"[.,;:!?\n。，；：！？、—(]")
SENTENCE_END = re.compile(r"(?<!\b[A-Z])[.!?](?=\s|\Z)|[。！？\n]")
"""Where a sentence or a line ends; a full stop behind a label ends none."""
SENTENCE = re.compile(r"(?<=[.!?])\s|[。！？\n]")
"""What parts sentences and lines, also behind a label."""
JOINED = re.compile(rf"\0\W{{0,5}}(?:&|\+|(?<!\w)(?:{_BOTH})(?!\w))\W{{0,5}}\0")
"""Two options, of which the marks stand in a text, as one answer."""
FIRST_MARK, MARK = 0xE000, "[\ue000-\ue0ff]"
"""Letters of private use, which stand for options by their positions."""
ARTICLE = re.compile(
    rf"(?:(?:{'|'.join(sorted({word for words in ARTICLES.values() for word in words.split()}))})\s|(?:l|un|d)'\s?)"
)


@functools.cache
def label_patterns(labels: tuple[str, ...]) -> Mapping[str, re.Pattern[str]]:
    """Where labels stand in texts, by name; the one group of a pattern that matches is the label.

    ``pair``: a label and a separator, or a blank. ``line``: one in front of a line. ``front``: one in front of the
    text, with a separator or a reason behind. ``cue``: words that announce an answer; ``filler``: words and marks
    between these and it; ``label``: a label as an answer; ``joined``: "or" and another label. ``mention``: a label as
    such: behind a word for options, in marks, beside a verb, at an end; ``unspaced``: one in Chinese, Japanese, Korean
    or Thai text; ``alone``: a capital that stands alone. ``denial``: what denies the label before it; ``denied``: a
    word that denies right before an option; ``denied_option``: the mark of an option beside a word that denies it.
    ``first``: the end of a first sentence or line, or what a reason follows.
    """

    def words(*kinds: PhraseKind) -> str:
        return f"(?i:{phrase_pattern(*kinds).pattern})"

    names = "|".join(map(re.escape, labels))
    # A letter that is a word of some language is a label only before an end, a reason or a verb.
    as_word = rf"(?!\s(?!{_AND}\s|{words('reasons', 'copulas')})[^\W\d_A-Z])"
    careful = "|".join(re.escape(n) + (as_word if n.casefold() in "aeioy" else "") for n in labels)
    no_word_before, no_word, marks = r"(?<![\w'-])", r"(?![\w']|-\w)", r"[^\w.!?。！？]"
    separator = rf"(?:\s{{0,2}}[{_SEPARATORS}](?![\w.])|\s{{0,2}}[-–—]{{1,2}}\s|\s{{0,2}}\n)"
    lead = r"(?:\A|(?<=[.,;:!?\n(])\s{0,2}|(?i:(?<!\w)(?:that|think|believe|dass|que|che|dat)\s))"
    patterns = {
        "pair": rf"{no_word_before}[{_OPENS}]{{0,4}}(?P<l>(?i:{names}))"
        rf"(?P<separator>[{CLOSES}{_SEPARATORS}\s–—-]{{1,8}})[{_OPENS}]{{0,4}}",
        "line": rf"^[\s{_OPENS}]{{0,4}}(?P<l>{names})[{CLOSES}]{{0,4}}[.):]",
        "front": rf"\A[\s{_OPENS}]{{0,4}}(?:{words('options')}\s{{1,2}}[{_OPENS}]{{0,2}})?(?P<l>{names})"
        rf"[{CLOSES}]{{0,4}}(?:{separator}(?!\W{{0,4}}(?:{_AND}\s)?(?:{names})(?!\w))|[\s,]{{1,2}}(?={words('reasons')}))",
        "cue": words("answers"),
        "filler": rf"{marks}{{0,6}}{words('fillers', 'options', 'copulas', 'answers')}",
        "label": rf"{marks}{{0,8}}(?:(?P<l>{careful}){no_word}|(?<=\()(?P<m>(?i:{names}))(?=\s?\))"
        rf"|(?P<n>(?i:{names}))(?=[{CLOSES}\s]{{0,3}}(?:[.,;!\n]|\Z)))",
        "joined": rf"[^\w.!?]{{1,4}}(?:{_AND}[^\w.!?]{{1,4}})?(?:{names})(?!\w)",
        "mention": rf"{words('options')}\s{{1,3}}[{_OPENS}]{{0,3}}"
        rf"(?:(?P<a>{names}){no_word}|(?P<b>(?i:{names}))(?=\W{{0,4}}\Z))"
        rf"|(?<!\w)[{_OPENS}]{{1,4}}\s?(?P<c>{names})\s?[.:]?[{CLOSES}]{{1,4}}(?!\w)|(?<=\()(?P<d>(?i:{names}))(?=\))"
        rf"|{lead}(?P<e>{names})\s{words('copulas')}|{no_word_before}(?P<f>{names})\s{words('final_verbs')}"
        rf"|{words('copulas')}\s{{1,2}}[{_OPENS}]{{0,3}}(?P<g>{careful}){no_word}"
        rf"|{no_word_before}(?P<h>{names})[{CLOSES}.!\s]{{0,9}}\Z|(?<=\s)(?P<i>{names})[{CLOSES}]{{0,3}}[.!](?=\s|\Z)",
        "unspaced": rf"(?<![A-Za-z0-9])(?P<l>{names})(?![A-Za-z0-9])",
        "alone": rf"{no_word_before}(?P<l>{careful}){no_word}",
        "denial": rf"[{CLOSES}\s]{{0,4}}(?:{words('copulas')}\s{{1,2}}(?:\w{{1,12}}\s)?|\w{{2,6}}(?=n't)"
        rf"|[是はがも也가는은이을]{{0,2}}\s?){words('denials', 'rejections')}",
        "denied": rf"{words('denials')}\W{{1,3}}(?:\w{{1,12}}\W{{1,3}})?\0",
        "denied_option": rf"{words('denials')}(?:\s?{words('copulas')})?[\s{_OPENS}]{{0,3}}({MARK})"
        rf"|({MARK})[はがも也가는은이을]{{0,2}}\s?{words('rejections')}",
        "first": rf"[.\n。]|[,，]?\s{{1,3}}(?={words('reasons')})",
    }  # fmt: skip
    return {name: re.compile(pattern, re.MULTILINE) for name, pattern in patterns.items()}
