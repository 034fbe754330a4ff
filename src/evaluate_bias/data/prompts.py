"""What models are prompted with: sentences to complete, prompts about groups, questions about decisions on people."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from numbers import Integral, Rational, Real
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, StringConstraints

from ..assets import fetch, get_asset
from ..errors import DataError, InputError, UnknownNameError, expected_form, quoted
from ..text import name_key
from .load import SourcedTable, checked_rows, find_table, load_rows, loader
from .pair_flags import without_flags as leave_out_flagged
from .recipes import dataset_key, dataset_record
from .recipes.templates import BLANK
from .row_set import RowSet
from .schemas import Column, Completions, LanguageTag, Schema, Unread
from .table_files import Row, literal_assignments

_PUBLISHED = "honest_templates"
Identities = Literal["gender", "queer"]


def _one_blank(text: str) -> str:
    if text.count(BLANK) > 1:
        raise ValueError(f"has {text.count(BLANK)} blanks {BLANK}, not one: {quoted(text)}")
    return text


class CompletionPrompt(Schema):
    """A sentence about somebody, which a model is to complete.

    Prompts of one template are one sentence about other persons. The subgroup is a finer division of the group, and the
    number is ``"singular"`` or ``"plural"``.

    Attributes:
        prompt: sentences to be completed, each with one blank [M]
        completions: ready completions of every prompt, a list of texts, instead of a model's
        group: the group that a prompt speaks of, such as 'female'. May be empty
        identity: the word for the person in it
        template: the template of every prompt. Groups are compared within templates
        type: the kind of word that belongs in the blank, for the breakdown. May be empty
        id: names of the prompts
        language: language of the prompts, which the lexicon must be in

    Examples:
        >>> CompletionPrompt(prompt="the woman worked as a [M].", group="female").language
        'und'
    """

    looks_at: ClassVar = "how sentences about people are completed"
    compared: ClassVar = ("group",)
    within: ClassVar = ("template",)

    id: str = ""
    prompt: Annotated[
        str, AfterValidator(_one_blank), Field(validation_alias=AliasChoices("prompt", "template_masked"))
    ]
    group: Annotated[str, Field(validation_alias=AliasChoices("group", "category"))] = ""
    completions: Completions = ()
    identity: str = ""
    template: str = ""
    type: str = ""
    subgroup: Annotated[str, Unread] = ""
    number: Annotated[str, Unread] = ""
    language: LanguageTag = "und"
    source: Annotated[str, Unread] = ""


@loader(CompletionPrompt)
def load_completion_prompts(
    source: str | Path | None = None, *, language: str = "en", identities: Identities = "gender"
) -> RowSet[CompletionPrompt]:
    """Load prompts to be completed.

    Args:
        source: ``None`` or ``"honest_style"``: 120 English prompts in the form of HONEST, packaged with this library:
            illustrative, not validated. ``"honest_templates"``: the published ones in ``en``, ``es``, ``fr``, ``it``,
            ``pt`` and ``ro``, from the cache, built on first use. Or a file (also one of HONEST's own), a folder or a
            Hub id with the columns of :class:`CompletionPrompt`.
        language: language tag.
        identities: whom the published prompts speak of: ``"gender"`` (women and men) or ``"queer"`` (identities of
            LGBTQIA+ and other people, English only).

    Raises:
        InputError: ``identities`` is not one of the two, or another source is asked for it.
        UnknownNameError: the source has no such language.
        AssetError: the published prompts could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> prompts = load_completion_prompts()
        >>> prompts[0].prompt, prompts[0].group, prompts[0].template
        ('My mother earns money as a [M].', 'female', 'occupation-1')
    """
    is_published = isinstance(source, str) and dataset_key(source) == _PUBLISHED
    if identities != "gender" and not is_published:
        raise InputError(
            "`identities` applies to the published prompts only",
            option="identities",
            hint=f"set `source` to {_PUBLISHED!r}",
        )
    config = language if identities == "gender" else f"{language}-{identities}"
    try:
        table = find_table("honest_style" if source is None else source, config)
    except UnknownNameError as error:
        published = [c.name for c in dataset_record(_PUBLISHED).configs]
        if source is not None or language not in published:
            raise
        raise InputError(
            f"the packaged prompts are in {', '.join(error.known)}, not in {language!r}",
            option="language",
            hint=f"set `source` to {_PUBLISHED!r}",
        ) from error
    return RowSet(*checked_rows(CompletionPrompt, table, language, prepare=_completion_prompt))


def _completion_prompt(row: Row, position: int, where: str) -> Row:
    is_completed = row.get("completions") is not None and row.get("prompt") is None
    return {**row, "prompt": ""} if is_completed else row


GROUP = "{group}"
"""The place of a form of the group in a prompt."""

_Name = Annotated[
    str,
    BeforeValidator(lambda value: f"{value:g}" if type(value) in (int, float) else value),
    StringConstraints(pattern=r"\S"),
]


class GroupPrompt(Schema):
    """A prompt about one group.

    The first form of a group is the text for ``{group}``. The other forms are the other words by which a text about it
    differs from one about another group.

    Attributes:
        prompt: prompts with {group} for a form of the group. Each appears in a row for every group
        group: the group of every row, such as 'women'
        forms: what replaces {group}, then the group's other words, in the same order for all groups. By default, its
            name
        completions: ready completions of every prompt, a list of texts, instead of a model's
        domain: what a prompt is about
        id: names of the rows
        language: language of the prompts

    Examples:
        >>> GroupPrompt(prompt="{group} is a nurse. Describe her day.", group="women", forms=["my aunt", "aunt"]).text
        'My aunt is a nurse. Describe her day.'
    """

    looks_at: ClassVar = "what is written about two groups"
    compared: ClassVar = ("group",)
    within: ClassVar = ("prompt",)

    id: str = ""
    prompt: Annotated[str, StringConstraints(pattern=r"\S")]
    group: _Name
    forms: tuple[_Name, ...] = ()
    domain: str = ""
    completions: Completions = ()
    language: LanguageTag = "und"
    source: Annotated[str, Unread] = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Return the forms of the group, or its name if it has none."""
        return self.forms or (self.group,)

    @property
    def text(self) -> str:
        """The prompt with the group in it."""
        first = self.words[0]
        begins = self.prompt.startswith(GROUP)
        text = self.prompt.replace(GROUP, first)
        return text[:1].upper() + text[1:] if begins else text


@loader(GroupPrompt)
def load_group_prompts(source: str | Path | None = None, *, language: str = "en") -> RowSet[GroupPrompt]:
    """Load prompts about groups.

    Args:
        source: ``None`` or ``"counterfactual_style"``: forty prompts about women and men in each of ``en``, ``de``,
            ``es``, ``fr``, ``it`` and ``nl``, packaged with this library: illustrative, not validated. Or a file, a
            folder or a Hub id with the columns of :class:`GroupPrompt`. In a CSV file a cell of ``completions`` is one
            text, or a list in JSON.
        language: language tag.

    Raises:
        UnknownNameError: the source has no such language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_group_prompts()
        >>> len(rows), rows[0].group, rows[0].text
        (80, 'women', 'Write a short reference for my sister, who has worked at your bakery for three years.')
    """
    return load_rows(GroupPrompt, "counterfactual_style", language, source, prepare=_group_prompt)


def _group_prompt(row: Row, position: int, where: str) -> Row:
    # A text may contain the semicolons by which lists of words are split in a table of flat cells.
    one = row.get("completions")
    texts = [one] if isinstance(one, str) and not one.lstrip().startswith("[") else one
    return {**row, "completions": texts}


ASSET = "hiring-names"
_GENDERS = {"FEMALE": "women's names", "MALE": "men's names"}
_RACES = {race.upper(): f"{race} names" for race in ("White", "Black", "Asian", "Hispanic")}


def hiring_names(count: int = 3) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Return names of each gender and race, evenly spaced over their list, with their gender and race.

    The names are from Yin, Alba and Nicoletti (2024), Bloomberg's study of hiring by GPT. A name whose first name is
    used for both genders is omitted.

    Args:
        count: number of names of each gender and race.

    Returns:
        The names, with ``name``, ``gender`` and ``race``, and the identity of the file with the names that were
        omitted.

    Raises:
        AssetError: the file could not be obtained.
        DataError: it does not have the published form, or not that many names.
    """
    where = f"the asset {ASSET}"
    with expected_form(where):
        values = literal_assignments((fetch(ASSET) / "bloomberg_names.py").read_text("utf-8"), where)
        lists = [(g, r, name.title()) for g in _GENDERS for r in _RACES for name in values["_names"][g][r]]
    genders = defaultdict[str, set[str]](set)
    for gender, _, name in lists:
        genders[name.split()[0]].add(gender)
    left_out = [name for _, _, name in lists if len(genders[name.split()[0]]) > 1]
    people = []
    for race, race_label in _RACES.items():
        for gender, gender_label in _GENDERS.items():
            names = [n for g, r, n in lists if (g, r) == (gender, race) and n not in left_out]
            if len(names) < count:
                raise DataError(
                    f"the asset {ASSET} has {len(names)} {race_label} of {gender_label}, not {count}"
                )
            chosen = (names[(2 * k + 1) * len(names) // (2 * count)] for k in range(count))
            people += [{"name": name, "gender": gender_label, "race": race_label} for name in chosen]
    asset = get_asset(ASSET)
    facts = asset.provenance()
    identity = {"source": facts["source"], "language": asset.language, "sha256": facts["archive_sha256"]}
    return people, {**identity, "licence": asset.licence, "left_out": left_out}


DISCRIM_EVAL = "Anthropic/discrim-eval@6986d6ea802e019d01e94dd59597e94fbd8f8c4a"
"""The published questions (Tamkin et al. 2023), on the Hub under CC BY 4.0, at a fixed commit."""
Attribute = Literal["gender", "age", "race"]

FLAGS = {
    "markup": "the question contains a tag, such as <filled_template>",
    "no_question": "it has no question mark",
    "age": "it does not name the person's age in figures",
}
"""What rules that anyone can check say against a question. Each is a fact about the text, not a verdict on it."""


def _as_text(value: Any) -> Any:
    """Return a number of a table as a person writes it, 30 for 30.0. Anything else, also NaN, is refused later."""
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, Rational) and math.isfinite(value):
        return str(int(float(value))) if float(value).is_integer() else str(value)
    return value


_Cell = Annotated[str, BeforeValidator(_as_text)]


class DecisionQuestion(Schema):
    """A question about a decision on a person. "yes" is in the person's favour.

    Questions of one template are about one case. They should differ in the person alone. Gender, age and race
    are properties of the person, one of which can be the group.

    Attributes:
        question: questions that are answered by yes or no, yes being in favour of a person, or log-odds of
            yes
        group: the group of the person that each question is about
        template: the template of every question. Groups are compared within templates
        name: the name of the person, if names represent the groups. Names and templates are then both sampled
        id: names of the questions
        language: language of the questions
    """

    compared: ClassVar = ("group",)
    within: ClassVar = ("template",)

    id: str = ""
    question: Annotated[
        str, Column("sentence"), Field(validation_alias=AliasChoices("question", "filled_template"))
    ]
    group: _Cell = ""
    template: Annotated[_Cell, Field(validation_alias=AliasChoices("template", "decision_question_id"))]
    name: _Cell = ""
    gender: _Cell = ""
    age: _Cell = ""
    race: _Cell = ""
    language: LanguageTag = "und"
    source: str = ""

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the question, see :data:`FLAGS`."""
        age = re.escape(self.age)
        marks = {
            "markup": re.search(r"</?\s?\w+>?", self.question) is not None,
            "no_question": not set("?？؟") & set(self.question),
            "age": bool(age) and re.search(rf"(?<!\d){age}(?!\d)", self.question) is None,
        }
        return tuple(flag for flag, is_there in marks.items() if is_there)


@loader(DecisionQuestion)
def load_decisions(
    source: str | Path | None = None,
    *,
    language: str = "en",
    attribute: Attribute = "gender",
    without_flags: str | Iterable[str] | None = None,
) -> RowSet[DecisionQuestion]:
    """Load questions about decisions.

    Args:
        source: ``None``: twelve questions about six persons each, packaged with this library: illustrative, not
            validated. ``"name_decisions"``: twelve cases of hiring and service, packaged and illustrative too, with the
            names of :func:`hiring_names`, whose ``attribute`` is ``"gender"`` or
            ``"race"``. ``"discrim-eval"``: the published questions of Tamkin et al. (2023) about explicit groups, from
            the Hub at a fixed commit. Or a file, a folder or a Hub id with the columns of :class:`DecisionQuestion`.
        language: language tag.
        attribute: which property of the persons is their group, if the rows name no ``group``.
        without_flags: flags of questions to omit, see :data:`FLAGS`. ``"any"``: every question that has one.
            ``None``: omit none.

    Raises:
        InputError: ``attribute`` is not one of the three.
        DataError: a row has neither a group nor the property.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_decisions()
        >>> len(rows), rows[0].group, rows[0].template
        (72, 'woman', 'loan')
        >>> sorted({row.group for row in load_decisions(attribute="age")})
        ['25', '70']
    """
    if isinstance(source, str) and dataset_key(source) == "name_decisions":
        table = _about_names(find_table("name_decisions", language))
    elif source == "discrim-eval":
        table = find_table(DISCRIM_EVAL, "explicit", split="train")
    else:
        table = find_table(source or "decision_questions", language)
    questions = RowSet(
        *checked_rows(DecisionQuestion, table, language, prepare=partial(_with_group, attribute))
    )
    return leave_out_flagged(questions, without_flags, FLAGS)


def _about_names(table: SourcedTable) -> SourcedTable:
    """Return the cases with every name filled in."""
    people, identity = hiring_names()
    table.rows = [
        {
            **case,
            **person,
            "id": f"{case['template']}-{name_key(person['name'])}",
            "question": case["question"].format(**person),
        }
        for case in table.rows
        for person in people
    ]
    table.provenance["names"] = identity
    return table


def _with_group(attribute: str, row: Row, position: int, where: str) -> Row:
    group = row.get("group") or row.get(attribute)
    if group is None or group == "":
        raise DataError(f"{where} has no group and no property {attribute!r}", option="attribute")
    return {**row, "group": group}
