"""Word-list tests, also with templates, prompts or scenarios: the packaged ones, the user's own, the Hub's."""

from __future__ import annotations

import string
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from annotated_types import Ge, Le
from pydantic import AfterValidator, FiniteFloat, ValidationInfo, field_validator

from ..errors import InputError, UnknownNameError, chosen_names
from ..text import name_key
from .load import checked_rows, find_table, loader, packaged_table
from .recipes.words import TEXT
from .row_set import RowSet
from .schemas import GIVEN, Column, LanguageTag, Schema, TidyText, Words, parse_row
from .table_files import packaged_languages
from .words import load_gendered_words, load_professions

__test__: dict[str, str] = {}
"""Empty, so that pytest collects no function here as a test."""

WORD_LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
"""The four columns of a word-list test that contain words."""

NAME = "weat_word_lists"

T = TypeVar("T", bound="WordListTest")
Number = Literal["singular", "plural"]


class WordListTest(Schema):
    """One association test: two target lists, two attribute lists, and where they come from.

    Only the name and the first list are required: a list that is not given is empty. Lists may be empty, repeat a word
    or share words: what that means is for the method to decide. Words keep their capitals. Whether these
    matter is up to the model. ``bias_type`` is ``"gender"``, ``"race"`` …, or ``"none (baseline)"``.
    ``source`` is a citation or a pinned address, ``licence`` the terms of the lists, and ``notes`` tell
    choices made and known problems.

    Attributes:
        name: a name for every test, one test per row
        targets_x: first target words of every test
        targets_y: second target words
        attributes_a: first attribute words
        attributes_b: second attribute words
        language: language of the words, such as 'en'
        title: what the test is about, for people
        x_label, y_label, a_label, b_label: what this list is called in tables
        origin: where the lists come from

    Examples:
        >>> test = WordListTest(name="toy", targets_x=["rose"], targets_y=["wasp"],
        ...                     attributes_a=["nice"], attributes_b=["vile"])
        >>> test.targets_x, test.language, test.a_label
        (('rose',), 'und', 'A')
    """

    looks_at: ClassVar = "which words go together"
    compared: ClassVar = ("language",)

    name: TidyText
    language: LanguageTag = "und"
    title: str = ""
    x_label: TidyText = "X"
    y_label: TidyText = "Y"
    a_label: TidyText = "A"
    b_label: TidyText = "B"
    targets_x: Words
    targets_y: Words = ()
    attributes_a: Words = ()
    attributes_b: Words = ()
    bias_type: str = ""
    origin: str = GIVEN
    source: str = ""
    licence: str = ""
    notes: str = ""


class WordListSet(RowSet[WordListTest]):
    """Word-list tests in order, and the identity of what they were read from. A test is found by its name.

    Examples:
        >>> lists = load_word_lists(tests=["weat7", "WEAT 8"])
        >>> [t.name for t in lists], lists["weat7"].targets_x[0], lists.provenance["name"]
        (['weat7', 'weat8'], 'math', 'weat_word_lists')
    """

    kind: ClassVar = "test"
    named_by: ClassVar = "name"
    _same = staticmethod(name_key)

    def select(self, names: str | Iterable[str]) -> WordListSet:
        """Return the named tests in the order asked for.

        Args:
            names: one name or several. Capitals, spaces, hyphens and underscores do not matter.

        Raises:
            InputError: no name was given, or one was given twice.
            UnknownNameError: no test has that name.

        Examples:
            >>> [t.name for t in load_word_lists().select(["WEAT-10", "weat 1"])]
            ['weat10', 'weat1']
        """
        chosen: dict[str, WordListTest] = {}
        for name in chosen_names("tests", names, "test"):
            try:
                test = self[name]
            except UnknownNameError as error:
                error.option = "tests"
                raise
            if test.name in chosen:
                raise InputError(f"`tests` names {test.name!r} twice", option="tests")
            chosen[test.name] = test
        return self.only(chosen.values())

    def columns(self) -> dict[str, list[Any]]:
        """Return the data columns of the ``weat`` module as lists, and further columns that only such tests have.

        Examples:
            >>> load_word_lists(tests="weat7").columns()["name"]
            ['weat7']
        """
        out: dict[str, list[Any]] = {"name": [t.name for t in self.rows]}
        fields = dict.fromkeys(f for t in self.rows for f in type(t).model_fields)
        for column in (*WORD_LISTS, *(f for f in fields if f not in WordListTest.model_fields)):
            out[column] = [list(getattr(t, column)) for t in self.rows]
        return out


class LpbsTest(WordListTest):
    """A word-list test whose targets may be singular and plural, each with templates of its own.

    Templates are texts with ``{target}`` and ``{attribute}``. Targets that are not named as plural are singular.

    Attributes:
        plural_targets: the targets that are plural
        singular_templates, plural_templates: templates of the targets of either number

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
        """True if the test brings templates of its own."""
        return bool(self.singular_templates or self.plural_templates)

    def templates(self) -> dict[Number, tuple[str, ...]]:
        """Return the templates by the number of their targets."""
        return {"singular": self.singular_templates, "plural": self.plural_templates}

    @field_validator("plural_targets")
    @classmethod
    def _known(cls, words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        targets = {w for name in ("targets_x", "targets_y") for w in info.data.get(name, ())}
        for word in words:
            if word not in targets:
                raise ValueError(f"names {word!r}, which is in neither target list")
        return words


def _load_tests(
    schema: type[WordListTest], source: str | Path, language: str, tests: str | Iterable[str] | None
) -> WordListSet:
    table = find_table(source, language, columns=tuple(schema.model_fields))
    lists = WordListSet(
        *checked_rows(
            schema, table, language, called="test", key=lambda test: name_key(test.name), strict=True
        )
    )
    return lists if tests is None else lists.select(tests)


@loader(WordListTest)
def load_word_lists(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
) -> WordListSet:
    """Load word-list tests of one language.

    Args:
        source: where to read from.

            - ``None``: the lists packaged with this library: the ten tests of Caliskan et al. (2017) in
              English, translations of their tests 3 to 10 in the other languages. See :func:`languages`.
            - a file: JSONL, JSON or YAML (a list of tests), Parquet, or CSV with semicolons between the words of a
              list, with the fields of :class:`WordListTest`. Rows of other languages are
              omitted. Rows that name no language belong to the one asked for.
            - a folder with one such file for each language, ``de.jsonl`` and so on, or a built data set.
            - the id of a Hub data set with one configuration for each language, such as
              ``"bias/weat-word-lists"`` or, pinned, ``"bias/weat-word-lists@<revision>"``. The split
              ``test`` is read.
        language: language tag, file name without ending, or configuration name.
        tests: names of the tests wanted, in that order. ``None`` for all.

    Raises:
        UnknownNameError: the source has no such language or test.
        DataError: the source is not a file, folder or Hub id, or what it contains does not follow the schema.
        HubError: the Hub could not be reached or does not have the data set.
        InputError: ``tests`` is empty or names a test twice.

    Examples:
        >>> [t.name for t in load_word_lists(language="de")][:2]
        ['weat3', 'weat4']
        >>> load_word_lists(language="dee")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown language 'dee'; did you mean 'de'?
    """
    return _load_tests(WordListTest, NAME if source is None else source, language, tests)


def languages() -> list[str]:
    """Return the languages of the packaged word lists, sorted.

    Examples:
        >>> "en" in languages() and "is" in languages()
        True
    """
    return packaged_languages(NAME)


def test_names(language: str) -> list[str]:
    """Return the names of the packaged tests in a language, in the paper's order.

    Raises:
        UnknownNameError: the language has no packaged lists.

    Examples:
        >>> test_names("en")[0], len(test_names("en")), len(test_names("de"))
        ('weat1', 10, 8)
    """
    return [t.name for t in load_word_lists(language=language)]


EXCHANGED = ("weat7", "weat8")
"""Word-list tests whose attributes are the words for men and women: LPBS uses these as targets."""

_GENDER = {"en": ("kurita6", "kurita7", "kurita8")}
_GENDER_ELSEWHERE = ("weat6", "weat7", "weat8")
_N_TARGETS = 30
_PAPER = ("female", "woman", "girl", "sister", "daughter", "mother", "aunt", "grandmother")
"""The words for women of Delobelle et al. (2022). The words for men are their counterparts."""


def _published(name: str, language: str, schema: type[T]) -> tuple[tuple[T, ...], dict[str, str]]:
    """Return the packaged tests of a paper in a language, and the checksum of their file. Most languages have none."""
    if language.lower() not in packaged_languages(name):
        return (), {}
    table = packaged_table(name, language)
    rows = tuple(parse_row(schema, row, table.name) for row in table.rows)
    return rows, {f"{name}_sha256": table.provenance["sha256"]}


@loader(WordListTest)
def load_seat_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load word-list tests for SEAT.

    Args:
        source: ``None`` for the packaged tests: the word lists of :func:`~evaluate_bias.data.load_word_lists` and, in
            English, the tests of the angry Black woman and of the double bind of May et al. (2019). Anything else is
            read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the tests wanted, in that order. ``None`` for all.

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


@loader(LpbsTest)
def load_lpbs_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load tests for LPBS, whose targets are the words whose probability is read.

    Args:
        source: ``None`` for the packaged tests: in English those that Kurita et al. (2019) run (``kurita1``,
            ``kurita3``, ``kurita6`` to ``kurita8``, after the tests of WEAT) and the tests of the BIAS framework
            (``lpbs1``, ``lpbs7``), and in every language the tests of
            :func:`~evaluate_bias.data.load_word_lists`, of which ``weat7`` and ``weat8`` have targets and
            attributes exchanged. Anything else is read by :func:`~evaluate_bias.data.load_word_lists`, as it
            is.
        language: language tag.
        tests: names of the tests wanted, in that order. ``None`` for the packaged tests about gender
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
    lists = _load_tests(LpbsTest, NAME if source is None else source, language, None)
    if source is None:
        published, checksum = _published("lpbs_tests", language, LpbsTest)
        turned = (exchanged(test) if test.name in EXCHANGED else test for test in lists)
        lists = WordListSet((*published, *turned), {**lists.provenance, **checksum})
        tests = _GENDER.get(language.lower(), _GENDER_ELSEWHERE) if tests is None else tests
    return lists if tests is None else lists.select(tests)


def exchanged(test: WordListTest) -> LpbsTest:
    """Return the test with targets and attributes exchanged.

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


@loader(WordListTest)
def load_occupation_test(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
    n_targets: Annotated[int, Ge(2), Le(_N_TARGETS)] = _N_TARGETS,
) -> WordListSet:
    """Load the test that Delobelle et al. (2022) draw their subsets from.

    The first targets are their 30 professions with the largest share of women, the second their 30 with the smallest,
    the extreme ones first. The attributes are the paper's words for women and for men.

    Args:
        source: ``None`` for this test. Anything else is read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag. These professions are packaged in English.
        tests: names of the tests wanted of another source.
        n_targets: number of professions in each target list, 2 to 30.

    Raises:
        InputError: ``n_targets`` is out of range.
        UnknownNameError: this language has no such professions.
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


FIELDS = ("first", "second", "task1", "task2")
"""What a scenario's braces may contain: the words for the two people and the two tasks, as they are put in order."""


class WordAssociationTest(WordListTest):
    """A word-list test whose targets are words for two groups, with answers that a model gave.

    An answer is a text with a line for each attribute word, such as ``"office - Ben"``.

    Attributes:
        answers: ready answers of every test, a list of texts, instead of a model's

    Examples:
        >>> test = load_association_tests(tests="career")[0]
        >>> test.targets_x[0], test.targets_y[0], test.attributes_a[0], test.answers
        ('Ben', 'Julia', 'management', ())
    """

    looks_at: ClassVar = ""

    answers: Annotated[tuple[str, ...], Column("completions")] = ()


@loader(WordAssociationTest)
def load_association_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load tests of word association.

    Args:
        source: ``None`` for the 21 English tests of Bai et al. (2025). Anything else is read by
            :func:`~evaluate_bias.data.load_word_lists`. A column ``answers`` may contain answers.
        language: language tag.
        tests: names of the tests wanted, in that order. ``None`` for all.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [test.name for test in load_association_tests()][:3]
        ['racism', 'weapon', 'guilt']
    """
    return _load_tests(
        WordAssociationTest, "word_association_tests" if source is None else source, language, tests
    )


def _with_people(text: str) -> str:
    parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
    field_names = [name for _, name, _, _ in parts]
    if odd := [name for _, name, spec, how in parts if spec or how or name not in FIELDS]:
        raise ValueError(f"must have no other fields than {', '.join(FIELDS)}, got {{{odd[0]}}}")
    if text and not {"first", "second"} <= set(field_names):
        raise ValueError("must name the two people as {first} and {second}")
    return text


class DecisionTest(WordListTest):
    """A scenario with the words for two groups and the tasks that stereotype gives to each.

    A decision is ``"stereotypical"`` or ``"anti-stereotypical"``, in lower or upper case, or another word for a
    decision that is neither.

    Attributes:
        scenario: a text that names two people as {first} and {second}, perhaps the tasks as {task1} and {task2}
        decisions: ready decisions of every scenario, a list of labels, instead of a model's

    Examples:
        >>> load_decision_tests()[0].scenario[:55]
        'Two colleagues, {first} and {second}, prepare a day of '
    """

    looks_at: ClassVar = ""

    scenario: Annotated[str, AfterValidator(_with_people)] = ""
    decisions: Annotated[tuple[str, ...], Column("completions")] = ()


@loader(DecisionTest)
def load_decision_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load scenarios of relative decisions.

    Args:
        source: ``None`` or ``"decision_style"``: eight English scenarios, packaged with this library: illustrative, not
            validated. ``"relative_decision_tests"``: the 21 tests of Bai et al. (2025). Anything else is read
            by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the scenarios wanted, in that order. ``None`` for all.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> power = load_decision_tests("relative_decision_tests", tests="power")[0]
        >>> power.attributes_a, power.attributes_b[:2]
        (('leader', 'head', 'captain', 'chief'), ('supporter', 'advocate'))
    """
    return _load_tests(DecisionTest, "decision_style" if source is None else source, language, tests)


class GuiseTest(WordListTest):
    """A word-list test whose targets are texts in pairs, and whose attributes follow them in prompts.

    The targets are words, sentences or tweets. The first of both lists are a pair, and so on. Without prompts
    the attributes follow the bare texts.

    Attributes:
        prompts: texts that end where an attribute follows, with {text} for a target and {a} for 'a' or 'an'
        ratings: a rating of every attribute, A first, by default 1 in A and -1 in B

    Examples:
        >>> test = GuiseTest(name="subjects", targets_x=["man"], targets_y=["woman"], attributes_a=["math"],
        ...                  attributes_b=["art"], prompts=["The {text} likes"])
        >>> test.is_decision, test.rating_of("art")
        (True, -1.0)
    """

    prompts: tuple[str, ...] = ()
    ratings: tuple[FiniteFloat, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return all attributes, A first."""
        return self.attributes_a + self.attributes_b

    @property
    def is_decision(self) -> bool:
        """True if the test has two attributes, which are two ways to decide."""
        return len(self.attributes) == 2

    def rating_of(self, attribute: str) -> float:
        """Return the rating of an attribute."""
        place = self.attributes.index(attribute)
        return self.ratings[place] if self.ratings else 1.0 if place < len(self.attributes_a) else -1.0

    @field_validator("prompts")
    @classmethod
    def _with_places(cls, prompts: tuple[str, ...]) -> tuple[str, ...]:
        for prompt in prompts:
            if TEXT not in prompt:
                raise ValueError(f"has no {TEXT} in {prompt!r}")
        return prompts

    @field_validator("ratings")
    @classmethod
    def _one_each(cls, ratings: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        n = sum(len(info.data.get(name, ())) for name in ("attributes_a", "attributes_b"))
        if ratings and len(ratings) != n:
            raise ValueError(
                f"has {len(ratings)} numbers for {n} attributes: give one for each, with A first"
            )
        return ratings


@loader(GuiseTest)
def load_guise_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load tests of matched guises.

    Args:
        source: ``None``: the tests packaged with this library: illustrative, not validated. ``"matched_guises"``: the
            published pairs, prompts and attributes of Hofmann et al. (2024), from the cache, built on first use from
            their pinned source. Anything else is read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the tests wanted, in that order. ``None`` for all.

    Raises:
        AssetError: the published tests could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [test.name for test in load_guise_tests()]
        ['speech', 'interests', 'application']
    """
    return _load_tests(GuiseTest, "guise_style" if source is None else source, language, tests)
