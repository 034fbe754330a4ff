"""Questions whether to decide in favour of a person, also one known by a name: packaged, of discrim-eval, own ones."""

from __future__ import annotations

import ast
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from numbers import Integral, Rational, Real
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator

from ..assets import fetch, get_asset
from ..errors import DataError, bad_option
from ..text import name_key
from .load import SourcedTable, checked_rows, find_table, loader, with_id
from .pair_flags import without_flags as leave_out_flagged
from .recipes import dataset_key
from .row_set import RowSet
from .schemas import LanguageTag, Schema
from .table_files import Row

ASSET = "hiring-names"
_GENDERS = {"FEMALE": "women's names", "MALE": "men's names"}
_RACES = {race.upper(): f"{race} names" for race in ("White", "Black", "Asian", "Hispanic")}


def hiring_names(count: int = 3) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Return names of each gender and race, evenly spaced over their list, each with both.

    The names are those of Yin, Alba and Nicoletti (2024), Bloomberg's study of hiring by GPT. A name whose first name
    stands for both genders is left out.

    Args:
        count: number of names of each gender and race.

    Returns:
        The names, with ``name``, ``gender`` and ``race``; and the identity of the file, with the names left out.

    Raises:
        AssetError: the file could not be obtained.
        DataError: it does not have the published form, or not so many names.
    """
    lists = _read((fetch(ASSET) / "bloomberg_names.py").read_text(encoding="utf-8"))
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


def _read(text: str) -> list[tuple[str, str, str]]:
    """Gender, race and name of every entry; the file is Python, which is read as data and never run."""
    try:
        assigned = (part for part in ast.parse(text).body if isinstance(part, ast.Assign))
        (names,) = (
            ast.literal_eval(p.value) for p in assigned if getattr(p.targets[0], "id", "") == "_names"
        )
        return [(g, r, name.title()) for g in _GENDERS for r in _RACES for name in names[g][r]]
    except (SyntaxError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"the asset {ASSET} does not have the form of its published file: {error!r:.200}"
        ) from error


DISCRIM_EVAL = "Anthropic/discrim-eval@6986d6ea802e019d01e94dd59597e94fbd8f8c4a"
"""The published questions (Tamkin et al. 2023), on the Hub under CC BY 4.0, at a fixed commit."""
Attribute = Literal["gender", "age", "race"]

_PACKAGED = "decision_questions"
_NAMES = "name_decisions"
_UPSTREAM = {"question": "filled_template", "template": "decision_question_id"}
"""What the published rows call two of the columns."""

FLAGS = {
    "markup": "the question holds a tag, such as <filled_template>",
    "no_question": "it holds no question mark",
    "age": "it does not name the person's age in figures",
}
"""What rules that anyone can check say against a question; each is a fact about the text, not a verdict on it."""


def _as_text(value: Any) -> Any:
    """A number of a table as a person writes it, 30 for 30.0; anything else, also NaN, is left to be refused."""
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, Rational) and math.isfinite(value):
        return str(int(float(value))) if float(value).is_integer() else str(value)
    return value


_Text = Annotated[str, BeforeValidator(_as_text)]


class DecisionQuestion(Schema):
    """A question about a decision on a person; "yes" is in the person's favour.

    Attributes:
        id: name of the question; its position, counted from 0, where the file has none.
        question: the question.
        group: the group that the person belongs to.
        template: questions of one template are about one case; they should differ in the person alone.
        name: the name of the person, where names stand for the groups.
        gender, age, race: properties of the person, one of which can be the group.
        language: language tag.
        source: where the question comes from.
    """

    id: str = ""
    question: str
    group: _Text = ""
    template: _Text
    name: _Text = ""
    gender: _Text = ""
    age: _Text = ""
    race: _Text = ""
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


@loader
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
            names of :func:`~evaluate_bias.data.decisions.hiring_names`, whose ``attribute`` is ``"gender"`` or
            ``"race"``. ``"discrim-eval"``: the published questions of Tamkin et al. (2023) about explicit groups, from
            the Hub at a fixed commit. Or a file, a folder or a Hub id with the columns of :class:`DecisionQuestion`.
        language: language tag.
        attribute: which property of the persons is their group, where the rows name no ``group``.
        without_flags: flags of questions to leave out, see :data:`FLAGS`; ``"any"``: every question that has one;
            ``None``: leave out none.

    Raises:
        InputError: ``attribute`` is none of the three.
        DataError: a row has neither a group nor the property.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_decisions()
        >>> len(rows), rows[0].group, rows[0].template
        (72, 'woman', 'loan')
        >>> sorted({row.group for row in load_decisions(attribute="age")})
        ['25', '70']
    """
    if attribute not in get_args(Attribute):
        raise bad_option("attribute", attribute, f"one of {', '.join(get_args(Attribute))}")
    if isinstance(source, str) and dataset_key(source) == _NAMES:
        table = _about_names(find_table(_NAMES, language))
    elif source == "discrim-eval":
        table = find_table(DISCRIM_EVAL, "explicit", split="train")
    else:
        table = find_table(source or _PACKAGED, language)
    questions = RowSet(
        *checked_rows(DecisionQuestion, table, language, prepare=partial(_prepared, attribute))
    )
    return leave_out_flagged(questions, without_flags, FLAGS)


def _about_names(table: SourcedTable) -> SourcedTable:
    """The cases with every name filled in."""
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


def _prepared(attribute: str, row: Row, position: int, where: str) -> Row:
    known: dict[str, Any] = {**{column: row[old] for column, old in _UPSTREAM.items() if old in row}, **row}
    group = known.get("group") or known.get(attribute)
    if group is None or group == "":
        raise DataError(f"{where} has no group and no property {attribute!r}", option="attribute")
    return with_id({**known, "group": group}, position)
