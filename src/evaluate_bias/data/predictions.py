"""Predictions of a classifier with the true classes and the groups of the rows; synthetic biographies for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from ..errors import DataError, InputError, quoted
from ..files import read_text
from .load import checked_rows, find_table, load_rows, loader, packaged_table, with_id
from .row_set import RowSet
from .schemas import Schema
from .table_files import is_absent

GROUP_COLUMNS = ("groups", "groups_2", "groups_3")
"""The columns that divide the rows into groups, together."""
PACKAGED = "profession_bios_mini"


def as_label(value: Any, where: str = "label") -> str | None:
    """Return a label as text, ``None`` for an absent one: ``None``, NaN, pandas' marks, or an empty text.

    An integer is the same label as its digits, whether it is stored as one or, as pandas does beside absent values,
    as a float.

    Raises:
        InputError: it is neither a text nor an integer nor a boolean.

    Examples:
        >>> as_label("nurse"), as_label(2), as_label(2.0), as_label(True), as_label(float("nan"))
        ('nurse', '2', '2', 'True', None)
    """
    value = value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value
    if is_absent(value):
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)) and abs(value) < 2**63 and float(value).is_integer():
        return str(int(value))
    raise InputError(f"{where}: a label must be a string, an integer or a boolean, got {quoted(value)}")


_Label = Annotated[str | None, BeforeValidator(as_label)]


class Prediction(Schema):
    """One row of a classifier's test set.

    Attributes:
        id: name of the row; its position, counted from 0, where the file has none.
        predictions: what the classifier predicted; ``None`` where it predicted nothing.
        references: the true class.
        groups: the group that the row speaks of, such as a gender.
        groups_2, groups_3: further divisions; groups are then the combinations.
        cluster: rows that belong together, such as all of one person; empty where a row stands alone.
        language: language of the classified text, ``"und"`` when unknown.

    Examples:
        >>> Prediction(predictions=1, references=0, groups="female").predictions
        '1'
    """

    id: str = ""
    predictions: _Label = None
    references: _Label = None
    groups: _Label = None
    groups_2: _Label = None
    groups_3: _Label = None
    cluster: _Label = None
    language: str = "und"


@loader
def load_predictions(source: str | Path | None = None, *, language: str = "en") -> RowSet[Prediction]:
    """Load predictions of a classifier.

    Args:
        source: a file, a folder or a Hub data set with the columns ``predictions``, ``references`` and ``groups``,
            where groups are combinations ``groups_2`` and ``groups_3``, and perhaps ``cluster``. ``None``: predictions
            of a linear classifier on the test split of the packaged synthetic biographies, see
            :func:`load_profession_bios`.
        language: language tag, name of a file in a folder without its ending, or name of a configuration.

    Raises:
        UnknownNameError: the source has no such language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_predictions()
        >>> len(rows), rows.provenance["source"], sorted({row.groups for row in rows})
        (320, 'profession_bios_mini', ['female', 'male'])
    """
    if source is None:
        table = packaged_table(PACKAGED, language)
        table.rows = [
            {
                "id": row["id"],
                "predictions": row["prediction"],
                "references": row["profession"],
                "groups": row["gender"],
                "language": row["language"],
            }
            for row in table.rows
            if row["split"] == "test"
        ]
        table.provenance["split"] = "test"
    else:
        table = find_table(source, language)
        # In single rows a label may be absent, but no whole column.
        columns = list(dict.fromkeys(name for row in table.rows for name in row))
        if absent := [name for name in ("predictions", "references", "groups") if name not in columns]:
            raise DataError(
                f"{table.name} has no column {', '.join(map(repr, absent))}: its columns are "
                f"{', '.join(quoted(str(name)) for name in columns[:10])}"
            )
    return RowSet(*checked_rows(Prediction, table, language, prepare=with_id))


def load_gap(
    answers: Callable[[Mapping[str, Any]], str | None] | Mapping[str, str] | str | Path,
    *,
    split: Literal["test", "development", "validation"] = "test",
    source: str | Path = "gap",
) -> RowSet[Prediction]:
    """Load the passages of GAP with the answers of a coreference system, as rows for the gap of true positive rates.

    Args:
        answers: what the system answers, ``"A"``, ``"B"`` or ``"neither"``: a function of a passage, a mapping with its
            columns ``text``, ``pronoun``, ``pronoun_offset``, ``a``, ``a_offset``, ``b`` and ``b_offset``; answers by
            ``id``; or a file of predictions in the form of GAP's own scorer, ``id``, ``A-coref`` and ``B-coref`` in
            three columns separated by tabs. ``None`` stands for no answer.
        split: split of GAP.
        source: ``"gap"``, which is downloaded, or a built folder of it.

    Raises:
        DataError: an answer is none of the three, or the file has another form.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.
    """
    table = find_table(source, "en", split=split)
    if isinstance(answers, (str, Path)):
        answers = _scorer_answers(Path(answers))
    for row in table.rows:
        answer = answers(row) if callable(answers) else answers.get(row["id"])
        if answer not in (None, "A", "B", "neither"):
            raise DataError(
                f"the answer to {row['id']} must be 'A', 'B', 'neither' or None, got {quoted(answer)}",
                option="answers",
            )
        row["predictions"] = answer
    return RowSet(*checked_rows(Prediction, table, "en", prepare=with_id))


def _scorer_answers(path: Path) -> dict[str, str]:
    """Answers by id from a file in the form of GAP's scorer."""
    lines = [line.split("\t") for line in read_text(path).splitlines() if line.strip()]
    answer_of = {("true", "false"): "A", ("false", "true"): "B", ("false", "false"): "neither"}
    answers = {}
    for number, line in enumerate(lines, 1):
        marks = tuple(mark.strip().lower() for mark in line[1:])
        if marks not in answer_of:
            raise DataError(
                f"{path}, line {number}: three columns are needed, an id and TRUE or FALSE for both names, of which "
                "one at most is TRUE",
                option="answers",
            )
        answers[line[0].strip()] = answer_of[marks]
    return answers


class ProfessionBio(Schema):
    """One biography.

    Attributes:
        id: ``bio-000`` ….
        text: three sentences, which do not name the profession.
        profession: the profession.
        gender: ``"female"`` or ``"male"``.
        split: ``"train"`` or ``"test"``.
        prediction: what a word-count classifier made of the training split (naive Bayes) predicts; in the test split.
        language: language tag.
    """

    id: str
    text: str
    profession: str
    gender: Literal["female", "male"]
    split: Literal["train", "test"]
    prediction: str | None = None
    language: str = "en"


@loader
def load_profession_bios(
    split: Literal["train", "test"] | None = None, *, source: str | Path | None = None, language: str = "en"
) -> RowSet[ProfessionBio]:
    """Load the biographies: synthetic, made of templates of this project.

    Args:
        split: the split; ``None`` for both.
        source: ``None``: the packaged ones; or a file, a folder or a Hub data set with the same columns.
        language: language tag.

    Raises:
        UnknownNameError: there is no such split.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> train, test = load_profession_bios("train"), load_profession_bios("test")
        >>> len(train), len(test), len({row.profession for row in train})
        (320, 320, 8)
    """
    return load_rows(ProfessionBio, "profession_bios_mini", language, source).where(
        "split", split, "split", "split"
    )
