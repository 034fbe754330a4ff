"""The tests of LPBS: the published ones, and the word lists with the words in the roles that LPBS gives them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import ValidationInfo, field_validator

from .load import loader, packaged_table
from .recipes import packaged_languages
from .schemas import WordListTest, parse_row
from .word_lists import WordListSet, load_word_lists

Number = Literal["singular", "plural"]

EXCHANGED = ("weat7", "weat8")
"""Word-list tests whose attributes are the words for men and women: LPBS takes these as targets."""

_NAME = "lpbs_tests"
_GENDER = {"en": ("kurita6", "kurita7", "kurita8")}
_GENDER_ELSEWHERE = ("weat6", "weat7", "weat8")


class LpbsTest(WordListTest):
    """A word-list test whose targets may be singular and plural, each with templates of its own.

    Attributes:
        plural_targets: the targets that are plural; the others are singular.
        singular_templates: templates of the singular targets, texts with ``{target}`` and ``{attribute}``; empty where
            the test has no templates of its own.
        plural_templates: templates of the plural targets.

    Examples:
        >>> test = load_lpbs_tests(tests="lpbs7")[0]
        >>> test.targets_x, test.singular_templates[0], test.plural_templates
        (('he', 'boys', 'men'), '{target} likes {attribute}.', ('{target} like {attribute}.',))
    """

    plural_targets: tuple[str, ...] = ()
    singular_templates: tuple[str, ...] = ()
    plural_templates: tuple[str, ...] = ()

    @property
    def has_templates(self) -> bool:
        """Whether the test brings templates of its own."""
        return bool(self.singular_templates or self.plural_templates)

    def templates(self) -> dict[Number, tuple[str, ...]]:
        """The templates by the number of their targets."""
        return {"singular": self.singular_templates, "plural": self.plural_templates}

    @field_validator("plural_targets")
    @classmethod
    def _known(cls, words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        targets = {w for name in ("targets_x", "targets_y") for w in info.data.get(name, ())}
        for word in words:
            if word not in targets:
                raise ValueError(f"names {word!r}, which is in neither target list")
        return words


as_lpbs_test = partial(parse_row, LpbsTest, where="word-list test")
"""Check one row and return it as a :class:`LpbsTest`; raises :class:`DataError`."""


@loader
def load_lpbs_tests(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
) -> WordListSet:
    """Load tests for LPBS, whose targets are the words whose probability is read.

    Args:
        source: ``None`` for the packaged tests: in English those that Kurita et al. (2019) run (``kurita1``,
            ``kurita3``, ``kurita6`` to ``kurita8``, after the tests of WEAT) and those of the BIAS framework
            (``lpbs1``, ``lpbs7``); and in every language those of :func:`~evaluate_bias.data.load_word_lists`, of
            which ``weat7`` and ``weat8`` have targets and attributes exchanged. Anything else is read by
            :func:`~evaluate_bias.data.load_word_lists`, as it is.
        language: language tag.
        tests: names of the tests wanted, in that order; ``None`` for those about gender of the packaged tests
            (``kurita6`` to ``kurita8`` in English, ``weat6`` to ``weat8`` elsewhere), and for all of another source.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [t.name for t in load_lpbs_tests()], [t.name for t in load_lpbs_tests(language="de")]
        (['kurita6', 'kurita7', 'kurita8'], ['weat6', 'weat7', 'weat8'])
        >>> test = load_lpbs_tests(tests="weat7")[0]
        >>> test.targets_x[:2], test.attributes_a[:2]
        (('male', 'man'), ('math', 'algebra'))
    """
    lists = load_word_lists(source, language=language, schema=LpbsTest)
    if source is None:
        lists = _packaged(lists, language.lower())
        if tests is None:
            tests = _GENDER.get(language.lower(), _GENDER_ELSEWHERE)
    return lists if tests is None else lists.select(tests)


def _packaged(lists: WordListSet, language: str) -> WordListSet:
    """The published tests of a language, and the word lists in the roles of LPBS."""
    published: list[LpbsTest] = []
    provenance = dict(lists.provenance)
    if language in packaged_languages(_NAME):
        table = packaged_table(_NAME, language)
        published = [parse_row(LpbsTest, row, table.name) for row in table.rows]
        provenance["lpbs_tests_sha256"] = table.provenance["sha256"]
    turned = (exchanged(t) if t.name in EXCHANGED else as_lpbs_test(t) for t in lists)
    return WordListSet((*published, *turned), provenance)


def exchanged(test: WordListTest) -> LpbsTest:
    """The test with its targets for attributes and its attributes for targets.

    Examples:
        >>> turned = exchanged(load_word_lists(tests="weat8")[0])
        >>> turned.x_label, turned.b_label, turned.notes[-37:]
        ('male terms', 'arts', 'Targets and attributes are exchanged.')
    """
    fields = test.model_dump()
    for one, other in (("targets_x", "attributes_a"), ("targets_y", "attributes_b"), ("x_label", "a_label")):
        fields[one], fields[other] = fields[other], fields[one]
    fields["y_label"], fields["b_label"] = fields["b_label"], fields["y_label"]
    fields["title"] = f"{fields['title']}, exchanged"
    fields["notes"] = f"{fields['notes']} Targets and attributes are exchanged.".strip()
    return LpbsTest.model_validate(fields)
