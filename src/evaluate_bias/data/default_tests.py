"""The default tests of SEAT, of LPBS and of the compatibility methods: packaged lists, and what the papers add."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationInfo, field_validator

from ..errors import InputError, bad_option
from .load import loader, packaged_table
from .professions import load_gendered_words, load_professions
from .recipes import packaged_languages
from .schemas import WordListTest, parse_row
from .word_lists import WordListSet, load_word_lists

T = TypeVar("T", bound=WordListTest)

Number = Literal["singular", "plural"]

EXCHANGED = ("weat7", "weat8")
"""Word-list tests whose attributes are the words for men and women: LPBS takes these as targets."""

_GENDER = {"en": ("kurita6", "kurita7", "kurita8")}
_GENDER_ELSEWHERE = ("weat6", "weat7", "weat8")
_N_TARGETS = 30
_PAPER = ("female", "woman", "girl", "sister", "daughter", "mother", "aunt", "grandmother")
"""The words for women of Delobelle et al. (2022); those for men are their counterparts."""


def _published(name: str, language: str, schema: type[T]) -> tuple[tuple[T, ...], dict[str, str]]:
    """The packaged tests of a paper in a language, and the checksum of their file; none in most languages."""
    if language.lower() not in packaged_languages(name):
        return (), {}
    table = packaged_table(name, language)
    rows = tuple(parse_row(schema, row, table.name) for row in table.rows)
    return rows, {f"{name}_sha256": table.provenance["sha256"]}


@loader
def load_seat_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load word-list tests for SEAT.

    Args:
        source: ``None`` for the packaged tests: the word lists of :func:`~evaluate_bias.data.load_word_lists` and, in
            English, the tests of the angry Black woman and of the double bind of May et al. (2019). Anything else is
            read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the tests wanted, in that order; ``None`` for all.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [t.name for t in load_seat_tests()][10:]
        ['angry-black-woman', 'angry-black-woman-terms', 'double-bind-competent', 'double-bind-likable']
        >>> load_seat_tests(tests="double bind likable")[0].attributes_a[-2:]
        ('likable', 'liked')
    """
    lists = load_word_lists(source, language=language)
    if source is None:
        published, checksum = _published("seat_tests", language, WordListTest)
        lists = WordListSet((*lists.rows, *published), {**lists.provenance, **checksum})
    return lists if tests is None else lists.select(tests)


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


@loader
def load_lpbs_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
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
        published, checksum = _published("lpbs_tests", language, LpbsTest)
        turned = (exchanged(test) if test.name in EXCHANGED else test for test in lists)
        lists = WordListSet((*published, *turned), {**lists.provenance, **checksum})
        tests = _GENDER.get(language.lower(), _GENDER_ELSEWHERE) if tests is None else tests
    return lists if tests is None else lists.select(tests)


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


@loader
def load_occupation_test(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
    n_targets: int = _N_TARGETS,
) -> WordListSet:
    """Load the test that Delobelle et al. (2022) draw their subsets from.

    The first targets are their 30 professions with the largest share of women, the second their 30 with the smallest,
    the extreme ones first; the attributes are the paper's words for women and for men.

    Args:
        source: ``None`` for this test; anything else is read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag; these professions are packaged in English.
        tests: names of the tests wanted of another source.
        n_targets: number of professions in each target list, 2 to 30.

    Raises:
        InputError: ``n_targets`` is out of range.
        UnknownNameError: there are no such professions in this language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> test = load_occupation_test(n_targets=3)[0]
        >>> test.targets_x, test.targets_y
        (('pathologist', 'hygienist', 'dietitian'), ('mason', 'brickmason', 'pipelayer'))
        >>> test.attributes_a[:2], test.attributes_b[:2]
        (('female', 'woman'), ('male', 'man'))
    """
    if source is not None:
        if n_targets != _N_TARGETS:
            raise InputError(
                "`n_targets` chooses packaged professions, and `source` gives others",
                option="n_targets",
                hint="omit `n_targets`",
            )
        return load_word_lists(source, language=language, tests=tests)
    professions = load_professions(language, list="delobelle")
    women, men = ([p.word for p in professions if p.group == group] for group in ("female", "male"))
    if isinstance(n_targets, bool) or not isinstance(n_targets, int) or not 2 <= n_targets <= len(women):
        raise bad_option("n_targets", n_targets, f"an integer from 2 to {len(women)}")
    pairs = {p.female: p.male for p in load_gendered_words(language, kinds=("person", "kinship"))}
    test = WordListTest(
        name="occupations",
        language=language,
        title="Professions with many and with few women, and words for women and men",
        x_label="professions with many women",
        y_label="professions with few women",
        a_label="words for women",
        b_label="words for men",
        targets_x=tuple(women[:n_targets]),
        targets_y=tuple(men[:n_targets]),
        attributes_a=_PAPER,
        attributes_b=tuple(pairs[word] for word in _PAPER),
        bias_type="gender",
        origin="made from published lists",
        source="Delobelle, Tokpo, Calders and Berendt (2022), doi:10.18653/v1/2022.naacl-main.122: professions of "
        "appendix B.1, and attributes",
    )
    lists = WordListSet((test,), dict(professions.provenance))
    return lists if tests is None else lists.select(tests)
