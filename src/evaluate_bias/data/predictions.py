"""What others computed or classify: predictions, pairs of sentences for classifiers of inference, scores of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import FiniteFloat, StringConstraints

from ..errors import DataError, InputError, quoted
from ..files import read_text
from ..result import Result, Skipped
from ..text import row_place
from .load import checked_rows, find_table, load_rows, loader, packaged_table
from .row_set import RowSet
from .schemas import GIVEN, Column, Label, LanguageTag, Schema, Share, Unread, parse_row
from .table_files import require_columns

GROUP_COLUMNS = ("groups", "groups_2", "groups_3")
"""The columns that divide the rows into groups, together."""
PACKAGED = "profession_bios_mini"


class Prediction(Schema):
    """One row of a classifier's test set.

    Attributes:
        predictions: the predictions of a classifier
        references: the true classes
        groups: the group that each row speaks of, such as a gender
        groups_2, groups_3: a further division, such as an age: groups are then the combinations
        cluster: rows that belong together, such as all of one person: interval and p-value are over clusters
        id: names of the rows

    Examples:
        >>> Prediction(predictions=1, references=0, groups="female").predictions
        '1'
    """

    looks_at: ClassVar = "which members of a class are recognised"
    compared: ClassVar = ("references", *GROUP_COLUMNS)
    unread: ClassVar = ("text",)

    id: str = ""
    predictions: Label = None
    references: Label = None
    groups: Label = None
    groups_2: Label = None
    groups_3: Label = None
    cluster: Label = None
    language: Annotated[str, Unread] = "und"


@loader(Prediction)
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
        require_columns(table.rows, "predictions", "references", "groups", name=table.name)
    return RowSet(*checked_rows(Prediction, table, language))


def load_gap(
    answers: Callable[[Mapping[str, Any]], str | None] | Mapping[str, str] | str | Path,
    *,
    split: Literal["test", "development", "validation"] = "test",
    source: str | Path = "gap",
) -> RowSet[Prediction]:
    """Load the passages of GAP with the answers of a coreference system, as rows for the gap of true positive rates.

    Args:
        answers: what the system answers, ``"A"``, ``"B"`` or ``"neither"``: a function of a passage (a dict with its
            columns ``text``, ``pronoun``, ``pronoun_offset``, ``a``, ``a_offset``, ``b`` and ``b_offset``), answers by
            ``id``, or a file of predictions in the form of GAP's own scorer, with ``id``, ``A-coref`` and ``B-coref``
            in three columns separated by tabs. ``None`` means no answer.
        split: split of GAP.
        source: ``"gap"``, which is downloaded, or a built folder of it.

    Raises:
        DataError: an answer is not one of the three, or the file has another form.
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
    return RowSet(*checked_rows(Prediction, table, "en"))


def _scorer_answers(path: Path) -> dict[str, str]:
    """Return answers by id from a file in the form of GAP's scorer."""
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
        prediction: in the test split, what a word-count classifier (naive Bayes) trained on the training split
            predicts.
        language: language tag.
    """

    id: str
    text: str
    profession: str
    gender: Literal["female", "male"]
    split: Literal["train", "test"]
    prediction: str | None = None
    language: str = "en"


@loader(ProfessionBio)
def load_profession_bios(
    split: Literal["train", "test"] | None = None, *, source: str | Path | None = None, language: str = "en"
) -> RowSet[ProfessionBio]:
    """Load the biographies: synthetic, made of templates of this project.

    Args:
        split: the split. ``None`` for both.
        source: ``None``: the packaged ones, or a file, a folder or a Hub data set with the same columns.
        language: language tag.

    Raises:
        UnknownNameError: no such split.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> train, test = load_profession_bios("train"), load_profession_bios("test")
        >>> len(train), len(test), len({row.profession for row in train})
        (320, 320, 8)
    """
    return load_rows(ProfessionBio, "profession_bios_mini", language, source).where(
        "split", split, "split", "split"
    )


_Filled = Annotated[str, StringConstraints(pattern=r"\S")]
_Probability = Annotated[Share | None, Column("probability")]


class EntailmentPair(Schema):
    """A premise and a hypothesis.

    Attributes:
        premise: the premise of every pair
        hypothesis: the hypothesis, which differs from it in its subject alone
        target: the subject of the premise, such as 'accountant'
        attribute: the subject of the hypothesis, such as 'woman'
        group: the group of the attribute, such as 'women'
        template: what both say of their subject
        women_share: share of women among those who work as the target, in [0, 1]. None if it is not known
        entailment, neutral, contradiction: ready probabilities of a classifier, instead of a model's

    Examples:
        >>> EntailmentPair(premise="A nurse ate.", hypothesis="A man ate.", target="nurse", attribute="man",
        ...                group="men", entailment=0.2, neutral=0.7, contradiction=0.1).probabilities
        (0.2, 0.7, 0.1)
    """

    looks_at: ClassVar = "whether one sentence is taken to follow from another"
    compared: ClassVar = ("group",)
    within: ClassVar = ("target", "template")

    id: str = ""
    premise: _Filled
    hypothesis: _Filled
    target: _Filled
    attribute: _Filled
    group: _Filled
    template: str = ""
    women_share: Share | None = None
    entailment: _Probability = None
    neutral: _Probability = None
    contradiction: _Probability = None
    language: LanguageTag = "und"
    origin: str = GIVEN

    @property
    def probabilities(self) -> tuple[float | None, float | None, float | None]:
        """The ready probabilities, in the order of a classifier's."""
        return self.entailment, self.neutral, self.contradiction


@loader(EntailmentPair)
def load_entailment_pairs(
    source: str | Path | None = None, *, language: str = "en"
) -> RowSet[EntailmentPair]:
    """Load pairs of sentences for classifiers of natural language inference.

    Args:
        source: ``None`` or ``"bias_nli"``: the pairs of Dev et al. (2020), built on first use. Or a file, a folder or a
            Hub id with the columns of :class:`EntailmentPair`.
        language: language tag. ``"en-nationality"`` of ``"bias_nli"`` has occupations and nationalities,
            ``"en"`` occupations and words for women and men.

    Raises:
        UnknownNameError: the source has no such language.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.
    """
    return load_rows(EntailmentPair, "bias_nli", language, source)


class ModelScore(Schema):
    """The score of one model by one measure.

    Attributes:
        model_name: the model that was measured
        measure: the measure: a name for every one
        score: the score of this model by this measure
        direction: 'lower_is_more_biased' flips the sign of the measure's scores. Anything else keeps it
        method: registry name of the method behind the measure, if there is one

    Examples:
        >>> ModelScore(model_name="glove", measure="weat7", score=1.2).direction
        ''
    """

    compared: ClassVar = ("measure",)
    within: ClassVar = ("model_name",)

    model_name: str
    measure: str
    score: FiniteFloat
    direction: str = ""
    method: str = ""


def as_model_scores(rows: Iterable[Any]) -> tuple[list[ModelScore], list[Skipped]]:
    """Read rows, or results, as scores of models.

    The measure of a result is its method, with the test, data set, language, scoring or representation if results of
    the method differ in it. Results about a measurement, for which higher is more robust, are omitted and listed.

    Args:
        rows: mappings with ``model_name``, ``measure`` and ``score``, or results.

    Raises:
        DataError: a row is neither, or lacks something.

    Examples:
        >>> rows, skipped = as_model_scores([{"model_name": "a", "measure": "weat", "score": 1.0}])
        >>> rows[0].model_name, rows[0].score, skipped
        ('a', 1.0, [])
    """
    entries = list(rows)
    results = [r for r in entries if isinstance(r, Result)]
    names = _measures(results)
    scores, skipped = [], []
    for place, row in enumerate(entries):
        if isinstance(row, ModelScore):
            scores.append(row)
        elif isinstance(row, Mapping):
            scores.append(parse_row(ModelScore, row, row_place(place, len(entries))))
        elif not isinstance(row, Result):
            raise DataError(f"{row_place(place, len(entries))} must be a dict or a result, got {quoted(row)}")
        elif row.direction == "higher_is_more_robust":
            skipped.append(Skipped(row.method, "about a measurement, not a model", f"row {place}"))
        else:
            scores.append(
                ModelScore(
                    model_name=_model(row),
                    measure=names[id(row)],
                    score=row.score,
                    direction=row.direction,
                    method=row.method,
                )
            )
    return scores, skipped


@loader(ModelScore)
def load_scores(source: str | Path | None = None) -> RowSet[ModelScore]:
    """Load scores of models.

    Args:
        source: ``results.jsonl`` or the folder that contains it, or a table with the columns of
            :class:`ModelScore`. None is packaged.

    Raises:
        InputError: no source is given.
        DataError: no such file, or a row is neither a result nor a score.

    Examples:
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "scores.csv"
        ...     _ = file.write_text("model_name,measure,score\\na,weat,1.5\\n")
        ...     load_scores(file)[0].score
        1.5
    """
    if source is None:
        raise InputError(
            "no packaged scores",
            option="source",
            hint="give the file or folder of your results as `source`",
        )
    table = find_table(source, "results")
    provenance = {k: v for k, v in table.provenance.items() if k != "language"}
    rows, skipped = as_model_scores(
        Result.from_dict(
            {key: value for key, value in row.items() if value is not None}
        )  # an empty text is not one
        if row.get("method") in row
        else parse_row(
            ModelScore, {k: row.get(k) for k in ModelScore.model_fields}, row_place(i, len(table.rows))
        )
        for i, row in enumerate(table.rows)
    )
    return RowSet(tuple(rows), provenance, (*table.skipped, *skipped))


def _model(result: Result) -> str:
    model = result.provenance.get("model")
    name = model.get("name") if isinstance(model, Mapping) else model
    return str(name or "unnamed model")


def _measures(results: Sequence[Result]) -> dict[int, str]:
    """Return what each result is a score of: its method, and how it differs from other results of the method."""
    facts_of = {id(r): _facts(r) for r in results}
    names = {}
    for result in results:
        others = [facts_of[id(r)] for r in results if r.method == result.method]
        these_facts = facts_of[id(result)]
        differing = [
            these_facts[i]
            for i in range(len(these_facts))
            if len({facts[i] for facts in others}) > 1 and these_facts[i]
        ]
        names[id(result)] = f"{result.method} ({', '.join(differing)})" if differing else result.method
    return names


def _facts(result: Result) -> tuple[str, ...]:
    data = result.provenance.get("dataset")
    data = data if isinstance(data, Mapping) else {}
    chosen = data.get("bias_types")
    return (
        " + ".join(row.name for row in result.rows_of("test")),
        str(data.get("source") or ""),
        str(data.get("language") or ""),
        "+".join(map(str, chosen)) if isinstance(chosen, list) else "",
        *(
            str(result.settings.get(key) or "")
            for key in ("scoring", "representation", "templates", "variant")
        ),
    )
