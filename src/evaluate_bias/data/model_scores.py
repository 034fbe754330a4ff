"""Scores of several models by several measures, such as the results of a grid of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import FiniteFloat

from ..errors import DataError, InputError, quoted
from ..result import Result, Skipped
from ..text import row_place
from .load import find_table, loader
from .row_set import RowSet
from .schemas import Schema, parse_row


class ModelScore(Schema):
    """The score of one model by one measure.

    Attributes:
        model_name: the model.
        measure: what it was measured with, a name for every measure.
        score: the score.
        direction: that of the measure; ``"lower_is_more_biased"`` turns the sign where scores are compared.
        method: registry name of the method behind the measure, where there is one.

    Examples:
        >>> ModelScore(model_name="glove", measure="weat7", score=1.2).direction
        ''
    """

    model_name: str
    measure: str
    score: FiniteFloat
    direction: str = ""
    method: str = ""


def as_model_scores(rows: Iterable[Any]) -> tuple[list[ModelScore], list[Skipped]]:
    """Read rows, or results, as scores of models.

    The measure of a result is its method, with the test, data set, language, scoring or representation where results of
    the method differ in it. Results about a measurement, of which higher is more robust, are listed and left out.

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


@loader
def load_scores(source: str | Path | None = None) -> RowSet[ModelScore]:
    """Load scores of models.

    Args:
        source: ``results.jsonl`` or the folder that holds it, or a table with the columns of :class:`ModelScore`. There
            is no packaged one.

    Raises:
        InputError: no source is given.
        DataError: there is no such file, or a row is neither a result nor a score.

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
        Result.from_dict(row)
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
    """What each result is a score of: its method, and in what it differs from other results of the method."""
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
